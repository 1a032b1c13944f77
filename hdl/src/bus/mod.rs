//! Standard buses between a trace system and a chip
//!
//! A system has its own register bus, [`BusOut`](crate::spine::ports::BusOut), and sends 32-bit words with `valid` and
//! `ready`. The blocks here turn the register bus into an APB completer, an AXI4-Lite subordinate or a Wishbone slave,
//! and the words into bytes, AXI4-Stream packets or an ATB transmitter. [`wrap`] writes the module that connects them.
//!
//! | block | standard |
//! | --- | --- |
//! | [`apb`] | AMBA APB, ARM IHI 0024: APB4 |
//! | [`axi_lite`] | AMBA AXI4-Lite, ARM IHI 0022, chapter B1, without `ARPROT` |
//! | [`wishbone`] | Wishbone B4, classic cycles |
//! | [`jtag`] | IEEE 1149.1 and the RISC-V debug transport, in its own folder; also for trace words |
//! | [`packets`] | AMBA AXI4-Stream, ARM IHI 0051: `TLAST` ends a trace |
//! | [`octets`] | 8-bit valid/ready port |
//! | [`atb`] | AMBA ATB, ARM IHI 0032, 32 bits wide |
//! | [`atb_bridge`] | RISC-V Trace Control Interface 1.0: ATB bridge, before [`atb`] |
//! | [`crossing`] | none: words into another clock domain |
//! | [`memory`] | AMBA AXI4, ARM IHI 0022: write channels of a manager |
//! | [`lock`] | none: an input that must be 1 for anything to be traced |
//! | [`tci`] | RISC-V Trace Control Interface 1.0: registers of a trace encoder |
//! | [`time_unit`] | RISC-V Trace Control Interface 1.0: time stamp unit, in [`tci`] |
//! | [`memory_sink`] | RISC-V Trace Control Interface 1.0: RAM sink that writes to system memory by [`memory`] |
//! | [`ram_sink`] | RISC-V Trace Control Interface 1.0: RAM sink with an SRAM |
//! | [`pib`] | RISC-V Trace Control Interface 1.0: PIB sink, parallel, Manchester and UART pins |
//! | [`funnel`] | RISC-V Trace Control Interface 1.0: trace funnel, after an encoder for each core |
//! | [`messages`] | none: the whole messages in the words of an encoder, for [`funnel`] and [`pib`] |
//! | [`components`] | none: one register bus for several [`tci`], [`funnel`], and a sink or bridge |
//! | [`pages`] | none: one register bus for [`tci`] and a sink or bridge |
//! | [`split`] | none: one register bus for the system's registers and those of [`memory`] |
//!
//! All registers are 32 bits wide and are accessed whole, in a window of 4 KiB, with a sink or an ATB bridge of 8 KiB, with a funnel of 64 KiB. A write of fewer than four bytes, an
//! access beyond the last register, or a write that [`Writers`] forbids changes nothing and returns an error. Reading
//! there returns 0.

pub mod apb;
pub mod atb;
pub mod atb_bridge;
pub mod axi_lite;
pub mod components;
pub mod crossing;
mod encoders;
pub mod funnel;
pub mod jtag;
pub mod lock;
pub mod memory;
pub mod memory_sink;
pub mod messages;
pub mod octets;
pub mod packets;
pub mod pages;
mod part;
pub mod pib;
pub mod ram_sink;
pub mod split;
pub mod tci;
pub mod time_unit;
pub mod wishbone;
pub mod wrap;

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Register bus with addresses of A bits; with 3 bits it is [`BusOut`](crate::spine::ports::BusOut).
    MapOut "MapIn" MapIn<A>
    { addr: Bits<A>, write: Bit, wdata: Bits<32>, }
    { rdata: Bits<32>, }
);

bundle!(
    /// Trace words of N bits: 32, [`PACKET_BITS`] or [`ATB_BITS`].
    WordStreamOut "WordStreamIn" WordStreamIn<N>
    { valid: Bit, data: Bits<N>, }
    { ready: Bit, }
);

/// Width of a trace word with a flag above it: the last word of its trace.
pub const PACKET_BITS: usize = 33;
/// Width of words with their `ATID` in the highest bits.
pub const ATB_BITS: usize = 39;

/// Accesses that may write registers, by the protection bits of APB4 (ARM IHI 0024, section 3.5) and AXI4 (ARM IHI
/// 0022, A4.7): bit 0 is 1 for a privileged access, bit 1 is 1 for a non-secure one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writers {
    /// All accesses.
    #[default]
    Any,
    /// Privileged accesses.
    Privileged,
    /// Secure accesses.
    Secure,
    /// Accesses that are both.
    PrivilegedSecure,
}

impl Writers {
    /// All variants.
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
