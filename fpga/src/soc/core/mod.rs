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

pub mod picorv32;
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
}

/// What every core is asked for.
pub trait Core {
    /// The package with its source.
    fn package(&self) -> Package;
    /// Lowest address bits that are always 0 in its programs: 1 with the C extension, 2 without.
    fn align(&self) -> u8;
    /// Its Verilog, with the module `soc_core`.
    fn verilog(&self) -> Result<String, CoreError>;
}

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
    pub const ALL: [Self; 2] = [Self::Picorv32, Self::Vexriscv];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Picorv32 => "picorv32",
            Self::Vexriscv => "vexriscv",
        }
    }

    /// The core behind the name.
    pub fn core(self) -> &'static dyn Core {
        match self {
            Self::Picorv32 => &picorv32::Picorv32,
            Self::Vexriscv => &vexriscv::Vexriscv,
        }
    }
}
