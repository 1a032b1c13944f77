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
//! In a SoC that records (scheme `inputs`), traces load values (`cfiat`) or has a diagnosis chip, it has these too; a core whose data is not shown
//! has no such wrapper:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `retire_rd`, `retire_value` | out | 5, 32 | register that is written, 0: none, and with what; with `retire_valid` |
//! | `rvfi_rd_*`, `rvfi_mem_*` | out | | registers and memory of RVFI, the masks those of the access alone |
//! | `trap_valid`, `trap_cause` | out | 1, 4 | an interrupt is taken; nothing retires then |
//!
//! Where it records, an access of such a core stays on the bus until it is answered, once it has begun; one that has begun belongs to an
//! instruction that retires; and instructions retire in the order of their accesses, none before its own.
//!
//! `retire_*` are the core's own wires and go to the simulation's retire log only; what is traced comes from
//! the adapter, so the comparison of log and trace tests the adapter too. `retire_npc` of a trap return is
//! not looked at.

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
    /// cv32e40p, RV32IMC with machine mode, four pipeline stages, up to an instruction a clock.
    Cv32e40p,
    /// cv32e40x, RV32IMC with machine mode, four pipeline stages, RVFI; in simulation only.
    Cv32e40x,
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
    /// Its Verilog, with the module `soc_core` that shows data too; an error where it has none.
    fn recorded(&self) -> Result<String, CoreError> {
        Err(CoreError::NoData(self.package().name))
    }
    /// Whether its RVFI port comes from registers, with no more than a choice behind them: the trace system takes none of its
    /// own then.
    fn registered(&self) -> bool;
    /// Whether nothing retires any more some clocks after its bus and its fetch port are held.
    fn waits(&self) -> bool {
        true
    }
    /// Whether its Verilog is none that can be synthesised.
    fn simulated_only(&self) -> bool {
        false
    }
}

/// The module `soc_core` with `body` between its ports and its end.
fn soc_core(body: &str) -> String {
    format!("{SOC_CORE});\n{body}endmodule\n")
}

/// As [`soc_core`], with the ports of a core that shows its data.
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
    /// The scheme `inputs` or `cfiat` on a core that does not show registers and memory.
    #[error(
        "schemes inputs and cfiat: the port of {0} shows no registers and no memory here; those of picorv32, ibex and vexriscv do"
    )]
    NoData(&'static str),
    /// Synthesis of a core that is simulated only.
    #[error("{0} is for simulation only: its retirement is read from internal wires by their paths")]
    Simulated(&'static str),
    /// What is to be edited of a core's source is not there.
    #[error("{core}: its source has not one line `{line}`; the package is another version")]
    Source {
        /// The core.
        core: &'static str,
        /// What is looked for.
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

    /// What it makes of what the privileged ISA leaves open, for replay. picorv32 has no machine mode.
    pub const fn profile(self) -> Profile {
        match self {
            Self::Ibex => Profile::Ibex,
            Self::Vexriscv => Profile::Vexriscv,
            Self::Picorv32 | Self::Serv | Self::Cv32e40p | Self::Cv32e40x => Profile::Plain,
        }
    }

    /// Whether its port shows registers and memory, while it does in each clock what it does without: what a full event generator needs. A recorded
    /// VexRiscv has no posted stores.
    pub const fn shows_data(self) -> bool {
        matches!(self, Self::Picorv32 | Self::Ibex)
    }

    /// The core behind the name.
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
