//! Softcores: the sources of their Verilog, and the wrapper around each core
//!
//! Each core has a file here. It provides Verilog of the core and of a module `soc_core` around it, which has the same
//! ports for every core:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clk`, `reset` | in | 1 | synchronous reset |
//! | `f_valid`, `f_addr`, `f_ready`, `f_rdata` | out, out, in, in | 1, 32, 1, 32 | instruction fetch |
//! | `m_valid`, `m_addr`, `m_wdata`, `m_wstrb`, `m_ready`, `m_rdata` | | | data, as `soc_bus` takes it |
//! | `timer_irq`, `soft_irq` | in | 1 | machine timer and software interrupt |
//! | `retire_valid`, `retire_pc`, `retire_npc` | out | 1, 32, 32 | retired instruction, from the core's own wires |
//! | `retire_trap`, `retire_mepc`, `retire_cause` | out | 1, 32, 5 | a trap was taken; bit 4 of the cause: interrupt |
//! | `rvfi_*` | out | | ingress of the trace system, from the core's adapter |
//!
//! In a SoC that records (scheme `inputs`), traces load values (`cfiat`) or has a diagnosis chip, it also has the
//! following ports. Cores that do not show their data have no such wrapper:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `retire_rd`, `retire_value` | out | 5, 32 | register that is written (0: none) and its value; with `retire_valid` |
//! | `rvfi_rd_*`, `rvfi_mem_*` | out | | registers and memory of RVFI; the masks cover only the bytes of the access |
//! | `trap_valid`, `trap_cause` | out | 1, 4 | an interrupt is taken; nothing retires then |
//!
//! When recording, such a core keeps an access on the bus until it is answered. Each access that has begun belongs to
//! an instruction that retires. Instructions retire in the order of their accesses, and none before its own.
//!
//! `retire_*` are the core's own wires and only go to the simulation's retire log. The trace comes from the adapter, so
//! comparing log and trace tests the adapter too. The `retire_npc` of a trap return is ignored.

mod class;
pub mod cv32e40p;
pub mod cv32e40x;
mod expose;
pub mod ibex;
pub mod picorv32;
pub mod serv;
pub mod vexriscv;

use super::package::{Package, PackageError};
use crate::flow::tool::ToolError;
use serde::Serialize;
use sim::riscv::Profile;

/// A softcore that a SoC can be built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CoreKind {
    /// picorv32, RV32IM: small, no machine mode, some 4 to 8 cycles per instruction.
    Picorv32,
    /// VexRiscv, RV32IMC with machine mode, five pipeline stages.
    Vexriscv,
    /// ibex, RV32IMC with machine mode, two pipeline stages.
    Ibex,
    /// serv, RV32I with machine mode and the timer interrupt: bit-serial, the smallest.
    Serv,
    /// cv32e40p, RV32IMC with machine mode, four pipeline stages, up to one instruction per cycle.
    Cv32e40p,
    /// cv32e40x, RV32IMC with machine mode, four pipeline stages, RVFI; simulation only.
    Cv32e40x,
}

/// Instruction set of a core.
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

    /// Whether it has compressed instructions.
    pub const fn compressed(self) -> bool {
        matches!(self, Self::Rv32imc)
    }

    /// Whether it has multiplication and division.
    pub const fn multiplies(self) -> bool {
        !matches!(self, Self::Rv32i)
    }

    /// Address bits that are always 0 in its programs: 1 with the C extension, 2 without.
    pub const fn align(self) -> u8 {
        if self.compressed() {
            1
        } else {
            2
        }
    }
}

/// A softcore that the SoC can use.
pub trait Core {
    /// The package with its source.
    fn package(&self) -> Package;
    /// Its instruction set.
    fn isa(&self) -> Isa;
    /// Its Verilog, with the module `soc_core`.
    fn verilog(&self) -> Result<String, CoreError>;
    /// Its Verilog, with the module `soc_core` that also shows data; an error if it has none.
    fn recorded(&self) -> Result<String, CoreError> {
        Err(CoreError::NoData(self.package().name))
    }
    /// Whether its RVFI outputs come from registers, with at most a multiplexer after them. Then the trace system adds
    /// no input registers.
    fn registered(&self) -> bool;
    /// Whether instructions stop retiring some cycles after its data bus and fetch port are held.
    fn waits(&self) -> bool {
        true
    }
    /// Whether its Verilog can only be simulated, not synthesised.
    fn simulated_only(&self) -> bool {
        false
    }
}

/// The module `soc_core` with `body` between its ports and its end.
fn soc_core(body: &str) -> String {
    format!("{SOC_CORE});\n{body}endmodule\n")
}

/// [`soc_core`], with the ports of a core that shows its data.
fn soc_core_with_data(body: &str) -> String {
    format!("{},\n{DATA_PORTS});\n{body}endmodule\n", SOC_CORE.trim_end())
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
";

const DATA_PORTS: &str = "    \
    output [4:0] retire_rd, output [31:0] retire_value,
    output [4:0] rvfi_rd_addr, output [31:0] rvfi_rd_wdata,
    output [31:0] rvfi_mem_addr, output [3:0] rvfi_mem_rmask, output [3:0] rvfi_mem_wmask,
    output [31:0] rvfi_mem_rdata, output [31:0] rvfi_mem_wdata,
    output trap_valid, output [3:0] trap_cause
";

/// Error of a core whose Verilog cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// Its source is missing.
    #[error("{0}")]
    Package(#[from] PackageError),
    /// A tool that prepares the core failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// rust-hdl rejected the adapter: a bug in this crate.
    #[error("rust-hdl refuses the adapter: {0}")]
    Check(String),
    /// Scheme `inputs` or `cfiat` for a core that does not show registers and memory.
    #[error(
        "schemes inputs and cfiat need registers and memory accesses, which {0} does not report; picorv32, ibex and vexriscv do"
    )]
    NoData(&'static str),
    /// Synthesis of a core that is simulated only.
    #[error("{0} is for simulation only: its retirement is read from internal wires by their paths")]
    Simulated(&'static str),
    /// The source lacks a line that must be edited.
    #[error("{core}: its source has not one line `{line}`; the package is another version")]
    Source {
        /// The core.
        core: &'static str,
        /// The line.
        line: String,
    },
}

impl CoreKind {
    /// All cores.
    pub const ALL: [Self; 6] = [Self::Picorv32, Self::Vexriscv, Self::Ibex, Self::Serv, Self::Cv32e40p, Self::Cv32e40x];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Picorv32 => "picorv32",
            Self::Vexriscv => "vexriscv",
            Self::Ibex => "ibex",
            Self::Serv => "serv",
            Self::Cv32e40p => "cv32e40p",
            Self::Cv32e40x => "cv32e40x",
        }
    }

    /// Its choices where the privileged ISA leaves some, for replay. picorv32 has no machine mode.
    pub const fn profile(self) -> Profile {
        match self {
            Self::Ibex => Profile::Ibex,
            Self::Vexriscv => Profile::Vexriscv,
            Self::Picorv32 | Self::Serv | Self::Cv32e40p | Self::Cv32e40x => Profile::Plain,
        }
    }

    /// Whether its port can show registers and memory without changing what the core does in any cycle, as a full event
    /// generator needs. A recorded VexRiscv lacks its posted stores.
    pub const fn shows_data(self) -> bool {
        matches!(self, Self::Picorv32 | Self::Ibex)
    }

    /// The core of this kind.
    pub fn core(self) -> &'static dyn Core {
        match self {
            Self::Picorv32 => &picorv32::Picorv32,
            Self::Vexriscv => &vexriscv::Vexriscv,
            Self::Ibex => &ibex::Ibex,
            Self::Serv => &serv::Serv,
            Self::Cv32e40p => &cv32e40p::Cv32e40p,
            Self::Cv32e40x => &cv32e40x::Cv32e40x,
        }
    }
}
