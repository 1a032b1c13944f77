//! Tiles: RV64 cores with AXI4 memory of their own, traced in simulation
//!
//! The bus of [`crate::soc`] has 32 bits. A *tile* is a third-party 64-bit core with its caches and AXI4 ports. The
//! harness (`fpga/verilator/tile.cpp`) connects these to RAM and devices at the addresses of QEMU's `virt` board. The
//! trace system of `goshawk gen` is connected to its retirement port.
//!
//! | core | retires per cycle | retirement port | ingress |
//! | --- | ---: | --- | --- |
//! | [`cva6`] | 2 | RVFI of two channels without the next address, which [`pair`] adds | `rvfi`, two wide |
//! | [`rocket`] | 1 | its trace port, an internal signal of its tile | `pc-chain` |
//!
//! Each core provides a module `tile_core`:
//!
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clk`, `reset`, `stop` | in | 1 | reset of the core; 1: retirement is no longer shown |
//! | `timer_irq`, `soft_irq` | in | 1 | for cores without a CLINT of their own |
//! | `m0_*`, `m1_*` | | | one or two AXI4 ports of 64 bits |
//! | `log_valid_i`, `log_pc_i`, `log_insn_i` | out | L, 64 L, 32 L | instructions that core i retires, in L slots, the older one in the lower slot |
//! | `log_trap_i`, `log_mepc_i` | out | 1, 64 | a trap is taken; address at which the core would have continued |
//! | `log_mode_i`, `log_space_i` | out | 2, 16 | of a core with an MMU ([`TileKind::has_mmu`]): privilege mode and address space of what retires, 0 without translation |
//!
//! The log is made from these wires; the trace comes from the adapter or the ingress, and [`check`] compares the two.

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

/// A tile that can be simulated: an RV64 core with its memory.
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

    /// Number of harts.
    pub const fn harts(self) -> u8 {
        match self {
            Self::Cva6 | Self::Rocket => 1,
            Self::Rocket4 => 4,
        }
    }

    /// Maximum number of instructions that a hart retires per cycle.
    pub const fn per_cycle(self) -> u8 {
        match self {
            Self::Cva6 => 2,
            Self::Rocket | Self::Rocket4 => 1,
        }
    }

    /// Number of AXI4 ports.
    pub const fn ports(self) -> u8 {
        match self {
            Self::Cva6 => 1,
            Self::Rocket | Self::Rocket4 => 2,
        }
    }

    /// Whether it has an MMU, and shows the privilege mode and the address space of its instructions.
    pub const fn has_mmu(self) -> bool {
        matches!(self, Self::Rocket4)
    }

    /// Whether traps are reported; otherwise the log infers a trap where an instruction does not follow the previous
    /// one.
    pub const fn reports_traps(self) -> bool {
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

    /// Options of its trace system.
    pub fn system(self, setup: Setup) -> SystemOptions {
        let (ingress, retire) = match self {
            Self::Cva6 => (Ingress::Rvfi, Some(Retire { per_cycle: 2, log2_words: 3 })),
            Self::Rocket | Self::Rocket4 => (Ingress::PcChain, None),
        };
        let extras = Extras { retire, filter: setup.filter, ..Extras::default() };
        SystemOptions { ingress, fifo_address_bits: setup.fifo_address_bits, extras }
    }
}

/// How the trace system of a tile is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Width of an address of the event FIFOs, bits.
    pub fifo_address_bits: u8,
    /// Whether it has a filter by privilege mode.
    pub filter: bool,
}
