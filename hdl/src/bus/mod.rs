//! Standard buses: what stands between a trace system and a chip's own
//!
//! A system has a register bus of its own, [`BusOut`](crate::spine::ports::BusOut), and 32-bit words behind `valid` and
//! `ready`. The blocks here make of the one an APB completer, an AXI4-Lite subordinate or a Wishbone slave, of the other
//! bytes, packets of AXI4-Stream or an ATB transmitter. [`wrap`] writes the module that joins them.
//!
//! | block | standard |
//! | --- | --- |
//! | [`apb`] | AMBA APB, ARM IHI 0024: APB4 |
//! | [`axi_lite`] | AMBA AXI4-Lite, ARM IHI 0022, chapter B1, without `ARPROT` |
//! | [`wishbone`] | Wishbone B4, classic cycles |
//! | [`jtag`] | IEEE 1149.1 and the RISC-V debug transport, a folder of its own; words as well |
//! | [`packets`] | AMBA AXI4-Stream, ARM IHI 0051: `TLAST` ends a trace |
//! | [`octets`] | 8-bit valid/ready port |
//! | [`atb`] | AMBA ATB, ARM IHI 0032, 32 bits wide |
//! | [`crossing`] | none: words into another clock |
//! | [`memory`] | AMBA AXI4, ARM IHI 0022: write channels of a manager |
//! | [`lock`] | none: an input without which nothing is traced |
//! | [`split`] | none: a register bus for the system's registers and those of [`memory`] |
//!
//! All registers are 32 bits wide and are accessed whole, in a window of 4 KiB. A write of some of the bytes, or an
//! access behind the last register, changes nothing and is answered with an error; reading there gives 0. So is a write by
//! one whom [`Writers`] does not name.

pub mod apb;
pub mod atb;
pub mod axi_lite;
pub mod crossing;
pub mod jtag;
pub mod lock;
pub mod memory;
pub mod octets;
pub mod packets;
pub mod split;
pub mod wishbone;
pub mod wrap;

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Register bus with addresses of A bits; of three it is [`BusOut`](crate::spine::ports::BusOut).
    MapOut "MapIn" MapIn<A>
    { addr: Bits<A>, write: Bit, wdata: Bits<32>, }
    { rdata: Bits<32>, }
);

bundle!(
    /// Trace words of N bits: 32, or [`PACKET_BITS`].
    LaneOut "LaneIn" LaneIn<N>
    { valid: Bit, data: Bits<N>, }
    { ready: Bit, }
);

/// Bits of a trace word with a mark above it: the last word of its trace.
pub const PACKET_BITS: usize = 33;

/// Whose writes of registers are taken, by the protection bits of APB4 (ARM IHI 0024, section 3.5) and AXI4 (ARM IHI 0022,
/// A4.7): bit 0 is 1 for a privileged access, bit 1 is 1 for one that is not secure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writers {
    /// Everyone's.
    #[default]
    Any,
    /// Those of privileged accesses.
    Privileged,
    /// Those of secure accesses.
    Secure,
    /// Those of accesses that are both.
    PrivilegedSecure,
}

impl Writers {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Any, Self::Privileged, Self::Secure, Self::PrivilegedSecure];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Privileged => "privileged",
            Self::Secure => "secure",
            Self::PrivilegedSecure => "privileged-secure",
        }
    }

    /// Whether a write must be privileged.
    pub const fn privileged(self) -> bool {
        matches!(self, Self::Privileged | Self::PrivilegedSecure)
    }

    /// Whether a write must be secure.
    pub const fn secure(self) -> bool {
        matches!(self, Self::Secure | Self::PrivilegedSecure)
    }
}
