//! Softcores: where their Verilog comes from, and how they are wrapped
//!
//! Each core is one file here. It gives Verilog with the core and a module `soc_core` around it, which has
//! the same ports for every core:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clk`, `reset` | in | 1 | synchronous reset |
//! | `f_valid`, `f_addr`, `f_ready`, `f_rdata` | out, out, in, in | 1, 32, 1, 32 | instruction fetch |
//! | `m_valid`, `m_addr`, `m_wdata`, `m_wstrb`, `m_ready`, `m_rdata` | | | data, as `soc_bus` takes it |
//! | `timer_irq`, `soft_irq` | in | 1 | machine timer and software interrupt |
//! | `retire_valid`, `retire_pc`, `retire_npc` | out | 1, 32, 32 | what retires, as the core itself says |
//! | `retire_trap`, `retire_mepc`, `retire_cause` | out | 1, 32, 5 | a trap was taken; bit 4 of the cause: interrupt |
//! | `rvfi_*` | out | | the trace system's ingress, made by the core's adapter |
//!
//! `retire_*` are the core's own wires and go to the simulation's retire log only; what is traced comes from
//! the adapter, so the comparison of log and trace tests the adapter too. `retire_npc` of a trap return is
//! not looked at.

mod expose;
pub mod ibex;
pub mod picorv32;
pub mod serv;
pub mod vexriscv;

use super::package::{Package, PackageError};
use crate::flow::tool::ToolError;
use serde::Serialize;

/// A softcore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CoreKind {
    /// picorv32, RV32IM: small, no machine mode, some 4 to 8 clocks an instruction.
    Picorv32,
    /// VexRiscv, RV32IMC with machine mode, five pipeline stages.
    Vexriscv,
    /// ibex, RV32IMC with machine mode, two pipeline stages.
    Ibex,
    /// serv, RV32I with machine mode and the timer interrupt: a bit a clock, the smallest.
    Serv,
}

/// Instruction sets of the cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Isa {
    /// Base instructions only.
    Rv32i,
    /// With multiplication and division.
    Rv32im,
    /// With both, and compressed instructions.
    Rv32imc,
}

impl Isa {
    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rv32i => "rv32i",
            Self::Rv32im => "rv32im",
            Self::Rv32imc => "rv32imc",
        }
    }

    /// Has compressed instructions.
    pub const fn compressed(self) -> bool {
        matches!(self, Self::Rv32imc)
    }

    /// Has multiplication and division.
    pub const fn multiplies(self) -> bool {
        !matches!(self, Self::Rv32i)
    }

    /// Lowest address bits that are always 0 in its programs: 1 with the C extension, 2 without.
    pub const fn align(self) -> u8 {
        if self.compressed() {
            1
        } else {
            2
        }
    }
}

/// What every core is asked for.
pub trait Core {
    /// The package with its source.
    fn package(&self) -> Package;
    /// What it runs.
    fn isa(&self) -> Isa;
    /// Its Verilog, with the module `soc_core`.
    fn verilog(&self) -> Result<String, CoreError>;
}

/// The module `soc_core` with `body` between its ports and its end.
fn soc_core(body: &str) -> String {
    format!("{SOC_CORE}{body}endmodule\n")
}

const SOC_CORE: &str = "\
module soc_core(
    input clk, input reset,
    output f_valid, output [31:0] f_addr, input f_ready, input [31:0] f_rdata,
    output m_valid, output [31:0] m_addr, output [31:0] m_wdata, output [3:0] m_wstrb,
    input m_ready, input [31:0] m_rdata,
    input timer_irq, input soft_irq,
    output retire_valid, output [31:0] retire_pc, output [31:0] retire_npc,
    output retire_trap, output [31:0] retire_mepc, output [4:0] retire_cause,
    output rvfi_valid, output [31:0] rvfi_insn, output rvfi_trap, output rvfi_intr,
    output [31:0] rvfi_pc_rdata, output [31:0] rvfi_pc_wdata
);
";

/// Why there is no Verilog of a core.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// Its source is missing.
    #[error("{0}")]
    Package(#[from] PackageError),
    /// A tool that prepares it failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// rust-hdl refused the adapter: a fault of this crate.
    #[error("rust-hdl refuses the adapter: {0}")]
    Check(String),
}

impl CoreKind {
    /// All cores.
    pub const ALL: [Self; 4] = [Self::Picorv32, Self::Vexriscv, Self::Ibex, Self::Serv];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Picorv32 => "picorv32",
            Self::Vexriscv => "vexriscv",
            Self::Ibex => "ibex",
            Self::Serv => "serv",
        }
    }

    /// The core behind the name.
    pub fn core(self) -> &'static dyn Core {
        match self {
            Self::Picorv32 => &picorv32::Picorv32,
            Self::Vexriscv => &vexriscv::Vexriscv,
            Self::Ibex => &ibex::Ibex,
            Self::Serv => &serv::Serv,
        }
    }
}
