//! Memories: one module for those written by words, one for those with two clocks, one for those written by entries of
//! two fields, one for entries of four fields
//!
//! They are at the end of the text, so that users can replace them with the memories of their process.

use super::capture::Node;
use super::module::{Child, Port};
use crate::widget::mem::{MemoryShape, Placement};
use rust_hdl::core::atom::AtomKind;

/// An instance of a memory of `shape`, and its module.
pub(super) fn child(node: &Node, shape: &MemoryShape, prefix: &str) -> Child {
    let ports = node.atoms.iter().filter(|a| a.kind.is_parameter()).map(|a| Port {
        key: a.name.clone(),
        name: a.name.clone(),
        output: a.kind == AtomKind::OutputParameter,
        declared: a.bits,
        width: match a.name.as_str() {
            "raddr" | "waddr" => shape.address,
            "rdata" | "wdata" | "w0" | "w1" | "w2" | "w3" => shape.width.max(1),
            _ => a.bits,
        },
    });
    let module = format!("{prefix}{} #(.ADDRESS({}), .WIDTH({}))", name(shape), shape.address, shape.width);
    Child {
        module: (shape.width > 0).then_some(module),
        ports: ports.collect(),
        removed: Vec::new(),
        renamed: vec![(String::new(), String::new())],
    }
}

/// Module names.
pub(super) const NAMES: [&str; 6] = ["mem", "small_mem", "block_mem", "cross_mem", "pair_mem", "field_mem"];

/// The module name.
pub(super) fn name(shape: &MemoryShape) -> &'static str {
    match (shape.fields, shape.placement) {
        _ if shape.clocks == 2 => "cross_mem",
        (1, Placement::Auto) => "mem",
        (1, Placement::Memory) => "small_mem",
        (1, Placement::Block) => "block_mem",
        (2, _) => "pair_mem",
        _ => "field_mem",
    }
}

/// The comment above the module.
pub(super) const COMMENT: [&str; 2] = [
    "Memory. A word that is read in the cycle in which it is written is undefined, and so is a word that was never written;",
    "neither is used. Replace this module with a wrapper of a memory macro with one read and one write port.",
];

/// The text of the module after its name.
pub(super) fn text(shape: &MemoryShape) -> String {
    match shape.fields {
        _ if shape.clocks == 2 => CROSS_MEM.into(),
        1 => MEM.replace("no_rw_check", &format!("no_rw_check{}", shape.placement.attribute())),
        2 => PAIR_MEM.into(),
        _ => FIELD_MEM.into(),
    }
}

const MEM: &str = " #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   wdata
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(1<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[raddr];

    always @(posedge clock) if (we) words[waddr] <= wdata;
endmodule
";

const CROSS_MEM: &str = " #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               rclock,
    input  wire [ADDRESS-1:0] raddr,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               wclock,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   wdata
);

    (* no_rw_check, ram_block *)
    reg [WIDTH-1:0] words [0:(1<<ADDRESS)-1];

    always @(posedge rclock) rdata <= words[raddr];

    always @(posedge wclock) if (we) words[waddr] <= wdata;
endmodule
";

const PAIR_MEM: &str = " #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    input  wire               second,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   w0,
    input  wire [WIDTH-1:0]   w1
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(2<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[{raddr, second}];

    always @(posedge clock) if (we) begin
        words[{waddr, 1'd0}] <= w0;
        words[{waddr, 1'd1}] <= w1;
    end
endmodule
";

const FIELD_MEM: &str = " #(
    parameter ADDRESS = 8,
    parameter WIDTH = 8
) (
    input  wire               clock,
    input  wire [ADDRESS-1:0] raddr,
    input  wire [1:0]         field,
    output reg  [WIDTH-1:0]   rdata,
    input  wire               we,
    input  wire [ADDRESS-1:0] waddr,
    input  wire [WIDTH-1:0]   w0,
    input  wire [WIDTH-1:0]   w1,
    input  wire [WIDTH-1:0]   w2,
    input  wire [WIDTH-1:0]   w3
);

    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(4<<ADDRESS)-1];

    always @(posedge clock) rdata <= words[{raddr, field}];

    always @(posedge clock) if (we) begin
        words[{waddr, 2'd0}] <= w0;
        words[{waddr, 2'd1}] <= w1;
        words[{waddr, 2'd2}] <= w2;
        words[{waddr, 2'd3}] <= w3;
    end
endmodule
";
