//! Verilog of a tile with its trace system, and the build of its simulation

use super::{pair, Setup, TileKind};
use crate::cosim::build::{build_in, Recipe};
use crate::records::{RECORDS, WORDS};
use crate::soc::core::CoreError;
use crate::soc::verilate::{BuildError, VERILATOR};
use hdl::emit::{emit_as, EmitError};
use hdl::verilog::Style;
use sim::params::TraceParams;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// State without an initial value starts at 0.
const OPTIONS: [&str; 3] = ["--x-initial", "fast", "-Wno-UNOPTFLAT"];

/// Error of a tile whose Verilog cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TopError {
    /// The core's Verilog cannot be made.
    #[error("{0}")]
    Core(#[from] CoreError),
    /// The trace system cannot be emitted.
    #[error("{0}")]
    Emit(#[from] EmitError),
    /// The parameters do not match the tile.
    #[error("{what} = {found}; {core} has {right}")]
    Params {
        /// Field of the parameters.
        what: &'static str,
        /// Its value.
        found: u8,
        /// Name of the tile.
        core: &'static str,
        /// Required value.
        right: u8,
    },
    /// The tile does not show modes and address spaces.
    #[error("{0} shows no privilege modes and address spaces, which contexts and filters need; rocket4 does")]
    Contexts(&'static str),
}

/// Ports of the module `tile_core` after its first line.
pub(super) fn ports(kind: TileKind) -> String {
    let mut s = String::new();
    for p in 0..kind.ports() {
        let _ = write!(
            s,
            "output [63:0] m{p}_araddr, output [7:0] m{p}_arlen, output [1:0] m{p}_arburst, output [3:0] m{p}_arid,\n    \
             output m{p}_arlock, output m{p}_arvalid, input m{p}_arready,\n    \
             input [63:0] m{p}_rdata, input [1:0] m{p}_rresp, input [3:0] m{p}_rid, input m{p}_rlast, input m{p}_rvalid,\n    \
             output m{p}_rready,\n    \
             output [63:0] m{p}_awaddr, output [7:0] m{p}_awlen, output [1:0] m{p}_awburst, output [3:0] m{p}_awid,\n    \
             output m{p}_awlock, output [5:0] m{p}_awatop, output [2:0] m{p}_awsize, output m{p}_awvalid,\n    \
             input m{p}_awready,\n    \
             output [63:0] m{p}_wdata, output [7:0] m{p}_wstrb, output m{p}_wvalid, input m{p}_wready,\n    \
             input [1:0] m{p}_bresp, input [3:0] m{p}_bid, input m{p}_bvalid, output m{p}_bready,\n    "
        );
    }
    let per_cycle = u32::from(kind.per_cycle());
    for i in 0..kind.harts() {
        let _ = write!(
            s,
            "output [{}:0] log_valid_{i}, output [{}:0] log_pc_{i}, output [{}:0] log_insn_{i},\n    \
             output log_trap_{i}, output [63:0] log_mepc_{i}{}{}",
            per_cycle - 1,
            64 * per_cycle - 1,
            32 * per_cycle - 1,
            if kind.has_mmu() {
                format!(",\n    output [1:0] log_mode_{i}, output [15:0] log_space_{i}")
            } else {
                String::new()
            },
            if i + 1 < kind.harts() { ",\n    " } else { "" }
        );
    }
    s
}

/// The whole Verilog, with top module `tile`; cores, width and alignment in `params` must be the tile's.
pub fn verilog(kind: TileKind, params: &TraceParams, setup: Setup) -> Result<String, TopError> {
    for (what, found, right) in
        [("cores", params.cores, kind.harts()), ("xlen", params.xlen, 64), ("align", params.align, 1)]
    {
        if found != right {
            return Err(TopError::Params { what, found, core: kind.name(), right });
        }
    }
    if (params.context.is_some() || setup.filter) && !kind.has_mmu() {
        return Err(TopError::Contexts(kind.name()));
    }
    let mut s = kind.verilog()?;
    let style = Style { name: "trace_system".into(), ..Style::default() };
    s.push_str(&emit_as(params, &kind.system(setup), &style)?);
    let _ = write!(
        s,
        "\nmodule tile(\n    input clk, input reset, input core_reset, input stop, input timer_irq, input soft_irq, input uart_irq,\n    {},\n    \
         input [2:0] bus_addr, input bus_write, input [31:0] bus_wdata, output [31:0] bus_rdata,\n    \
         output valid, input ready, output [31:0] data\n);\n    tile_core core(.reset(core_reset), .*);\n",
        ports(kind)
    );
    let mut connections = String::new();
    match kind {
        TileKind::Cva6 => {
            for slot in 0..2 {
                let _ = writeln!(
                    s,
                    "    wire rvfi{slot}_valid, rvfi{slot}_intr;\n    wire [31:0] rvfi{slot}_insn;\n    \
                     wire [63:0] rvfi{slot}_pc_rdata, rvfi{slot}_pc_wdata;"
                );
                for port in ["valid", "insn", "intr", "pc_rdata", "pc_wdata"] {
                    let _ = write!(connections, ".rvfi{slot}_{port}_0(rvfi{slot}_{port}), ");
                }
                let _ = write!(connections, ".rvfi{slot}_trap_0(1'b0),\n        ");
            }
            s.push_str(pair::INSTANCE);
        }
        TileKind::Rocket | TileKind::Rocket4 => {
            for i in 0..kind.harts() {
                let _ = write!(
                    connections,
                    ".retire_valid_{i}(log_valid_{i}), .retire_insn_{i}(log_insn_{i}), .retire_pc_{i}(log_pc_{i}),\n        "
                );
                if params.context.is_some() || setup.filter {
                    let _ = write!(connections, ".mode_{i}(log_mode_{i}), ");
                }
                if params.context.is_some() {
                    let _ = write!(connections, ".space_{i}(log_space_{i}), ");
                }
                if setup.filter {
                    let _ = write!(connections, ".hide_{i}(1'b0), .allow_modes_{i}(4'hf), ");
                }
            }
        }
    }
    let _ = write!(
        s,
        "    trace_system trace(\n        .clock(clk), .reset(reset),\n        {connections}\
         .bus_addr(bus_addr), .bus_write(bus_write), .bus_wdata(bus_wdata), .bus_rdata(bus_rdata),\n        \
         .valid(valid), .ready(ready), .data(data));\nendmodule\n"
    );
    Ok(s)
}

/// `tile.h`: the wires of the log, for the harness.
fn header(kind: TileKind) -> String {
    let per_cycle = kind.per_cycle();
    let mut s = format!(
        "#pragma once\n#include <cstdint>\n#define CORES {}u\n#define LANES {per_cycle}u\n#define AXI_PORTS {}\n\
         static inline void get_log(const Vtile& t, unsigned core, unsigned& valid, uint64_t* pc, uint32_t* insn,\n        \
         unsigned& trap, uint64_t& mepc, unsigned& context) {{\n    context = 0;\n    switch (core) {{\n",
        kind.harts(),
        kind.ports()
    );
    for i in 0..kind.harts() {
        let _ = writeln!(s, "    case {i}:\n        valid = t.log_valid_{i};");
        for slot in 0..per_cycle {
            let (low, high) = (2 * slot, 2 * slot + 1);
            // Verilator represents up to 64 bits as a number, more as words
            let (pc, insn) = if per_cycle == 1 {
                (format!("t.log_pc_{i}"), format!("t.log_insn_{i}"))
            } else {
                (
                    format!("t.log_pc_{i}[{low}] | static_cast<uint64_t>(t.log_pc_{i}[{high}]) << 32"),
                    format!("static_cast<uint32_t>(t.log_insn_{i} >> {})", 32 * slot),
                )
            };
            let _ = writeln!(s, "        pc[{slot}] = {pc};\n        insn[{slot}] = {insn};");
        }
        let _ = writeln!(s, "        trap = t.log_trap_{i};\n        mepc = t.log_mepc_{i};");
        if kind.has_mmu() {
            let _ = writeln!(s, "        context = t.log_mode_{i} | t.log_space_{i} << 2;");
        }
        s.push_str("        break;\n");
    }
    s.push_str("    }\n}\n");
    s
}

/// Builds the simulation below `cache`, or finds it in the cache, and returns the program.
pub(super) fn build(kind: TileKind, verilog: &str, cache: &Path) -> Result<PathBuf, BuildError> {
    VERILATOR.find()?;
    let header = header(kind);
    let files = [
        ("tile.sv", verilog),
        ("tile.h", &header),
        ("main.cpp", include_str!("../../verilator/tile.cpp")),
        WORDS,
        RECORDS,
    ];
    let recipe = Recipe { prefix: "Vtile", top: ("tile.sv", "tile"), options: &OPTIONS, vcd: false };
    Ok(build_in(cache, &recipe, &files)?)
}
