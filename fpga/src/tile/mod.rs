//! Cores with a memory of their own: RV64 cores on AXI4, traced in simulation
//!
//! The bus of [`crate::soc`] is one of 32 bits. A *tile* is a core of 64 bits from another hand with its caches and its AXI4
//! ports, behind which the harness (`fpga/verilator/tile.cpp`) has RAM and devices where QEMU's `virt` board has them;
//! the trace system of `goshawk gen` sits at its retirement.
//!
//! | core | retires in a clock | what it shows | ingress |
//! | --- | ---: | --- | --- |
//! | [`cva6`] | 2 | RVFI of two channels, without where an instruction goes: [`pair`] makes that | `rvfi`, two wide |
//! | [`rocket`] | 1 | its trace port, which ends inside of its tile | `pc-chain` |
//!
//! Each gives a module `tile_core`:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clk`, `reset`, `stop` | in | 1 | reset of the core; 1: what retires is not shown any more |
//! | `timer_irq`, `soft_irq` | in | 1 | of cores without a CLINT of their own |
//! | `m0_*`, `m1_*` | | | AXI4 ports of 64 bits, one or two |
//! | `log_valid_i`, `log_pc_i`, `log_insn_i` | out | L, 64 L, 32 L | what retires of core i, in L lanes, the older instruction in the lower one |
//! | `log_trap_i`, `log_mepc_i` | out | 1, 64 | a trap is taken; address at which the core would have gone on |
//!
//! The log is made of these wires; what is traced comes from the adapter or the ingress, and [`check`] holds one to the other.

pub mod check;
pub mod cva6;
pub mod log;
pub mod pair;
pub mod rocket;
pub mod run;
pub mod top;

use crate::soc::core::CoreError;
use crate::soc::package::Package;
use hdl::emit::{Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use serde::Serialize;

/// A core with a memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TileKind {
    /// cva6, RV64IMAC: two commit ports, in order, speculative, caches.
    Cva6,
    /// rocket, RV64IMAC: one hart, in order, caches.
    Rocket,
    /// rocket with four harts, coherent.
    Rocket4,
}

impl TileKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cva6, Self::Rocket, Self::Rocket4];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cva6 => "cva6",
            Self::Rocket => "rocket",
            Self::Rocket4 => "rocket4",
        }
    }

    /// Harts.
    pub const fn harts(self) -> u8 {
        match self {
            Self::Cva6 | Self::Rocket => 1,
            Self::Rocket4 => 4,
        }
    }

    /// Instructions that a hart retires in a clock, at most.
    pub const fn lanes(self) -> u8 {
        match self {
            Self::Cva6 => 2,
            Self::Rocket | Self::Rocket4 => 1,
        }
    }

    /// AXI4 ports.
    pub const fn ports(self) -> u8 {
        match self {
            Self::Cva6 => 1,
            Self::Rocket | Self::Rocket4 => 2,
        }
    }

    /// Whether traps are told; else they are where an instruction cannot have gone.
    pub const fn tells_traps(self) -> bool {
        matches!(self, Self::Cva6)
    }

    /// The package with its source.
    pub const fn package(self) -> Package {
        match self {
            Self::Cva6 => cva6::PACKAGE,
            Self::Rocket | Self::Rocket4 => rocket::PACKAGE,
        }
    }

    /// Its Verilog, with the module `tile_core`.
    pub fn verilog(self) -> Result<String, CoreError> {
        match self {
            Self::Cva6 => cva6::verilog(),
            Self::Rocket | Self::Rocket4 => rocket::verilog(self),
        }
    }

    /// The trace system at it, with event FIFOs of `1 << log2_fifo` places.
    pub fn system(self, log2_fifo: u8) -> SystemOptions {
        let (ingress, retire) = match self {
            Self::Cva6 => (Ingress::Rvfi, Some(Retire { lanes: 2, log2_words: 3 })),
            Self::Rocket | Self::Rocket4 => (Ingress::PcChain, None),
        };
        SystemOptions { ingress, log2_fifo, extras: Extras { retire, ..Extras::default() } }
    }
}
