//! The parts of a bench for an E-Trace ingress port that reports blocks, or single instructions

use super::IngressParts;
use hdl::spine::Extras;

/// A line is a block, in one of the slots of its cycle.
pub const BLOCKS: IngressParts = IngressParts {
    reads: READS,
    fields: 8,
    ports,
    signals,
    quiet: |i, slots| {
        (0..slots).map(|j| format!("            itype{j}_{i} = 4'd0;\n            iretire{j}_{i} = 4'd0;\n")).collect()
    },
    shows: |i, slots| {
        (0..slots)
            .map(|j| {
                let set: String = ["itype", "iaddr", "iretire", "ilastsize", "icount"]
                    .map(|p| format!("                {p}{j}_{i} = {p};\n"))
                    .concat();
                format!("            if (core == {i} && block == {j}) begin\n{set}            end\n")
            })
            .collect()
    },
    // ports of all systems with blocks
    mode: "",
    space: "",
    turns: false,
};

/// The same for reports of single instructions: blocks of one instruction.
pub const REPORTS: IngressParts = IngressParts {
    ports: |i, _, _| {
        let shown = [("itype", ""), ("iaddr", ""), ("iretire", "[1:0]"), ("ilastsize", "")];
        let others = [("cause", "5'd0"), ("tval", "{@XLEN{1'b0}}"), ("privilege", "2'd3")];
        let shown = shown.map(|(p, bits)| format!("        .{p}_{i}({p}0_{i}{bits}),\n"));
        shown.into_iter().chain(others.map(|(p, value)| format!("        .{p}_{i}({value}),\n"))).collect()
    },
    // a port of all systems with reports
    mode: "",
    space: "        .space_{i}(16'd0),\n",
    ..BLOCKS
};

/// Port connections of core `i`, which is in machine mode; the remaining inputs are tied.
fn ports(i: usize, slots: u8, _extras: Extras) -> String {
    let blocks = (0..slots).flat_map(|j| {
        let block = if slots > 1 { format!("block{j}_") } else { String::new() };
        ["itype", "iaddr", "iretire", "ilastsize", "icount"].map(|p| format!("        .{block}{p}_{i}({p}{j}_{i}),\n"))
    });
    let others = [
        ("cause", "5'd0"),
        ("tval", "{@XLEN{1'b0}}"),
        ("privilege", "2'd3"),
        ("context_id", "32'd0"),
        ("trigger", "4'd0"),
        ("halted", "1'b0"),
        ("hart_reset", "1'b0"),
    ];
    blocks.chain(others.map(|(p, value)| format!("        .{p}_{i}({value}),\n"))).collect()
}

/// Signals of these ports.
fn signals(i: usize, xlen: u8, extras: Extras) -> String {
    let slots = extras.retire.map_or(1, |r| r.per_cycle);
    let block = |j| {
        format!(
            "    reg [3:0] itype{j}_{i} = 4'd0, iretire{j}_{i} = 4'd0, icount{j}_{i} = 4'd0;\n    \
             reg ilastsize{j}_{i} = 1'b0;\n    reg [{m}:0] iaddr{j}_{i} = 0;\n",
            m = xlen - 1
        )
    };
    (0..slots).map(block).collect()
}

const READS: &str = r#"    integer beats, fields = 0, cycle, core, block, itype, iretire, ilastsize, icount, skipped;
    reg [@MSB:0] iaddr;
    reg [8*256-1:0] comment;

    task next_beat;
        fields = $fscanf(
            beats, "%d %d %d %d %h %d %d %d", cycle, core, block, itype, iaddr, iretire, ilastsize, icount
        );
    endtask
"#;
