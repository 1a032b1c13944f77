//! Standard buses: what stands between a trace system and a chip's own
//!
//! A system has a register bus of its own, [`BusOut`](crate::spine::ports::BusOut), and 32-bit words behind `valid` and
//! `ready`. The blocks here make of the one an APB completer, an AXI4-Lite subordinate or a Wishbone slave, of the other
//! bytes or an ATB transmitter; AXI4-Stream is the words under other names. [`wrap`] writes the module that joins them.
//!
//! | block | standard |
//! | --- | --- |
//! | [`apb`] | AMBA APB, ARM IHI 0024: APB4 without `PPROT` |
//! | [`axi_lite`] | AMBA AXI4-Lite, ARM IHI 0022, chapter B1, without `AxPROT` |
//! | [`wishbone`] | Wishbone B4, classic cycles |
//! | [`octets`] | 8-bit valid/ready port |
//! | [`atb`] | AMBA ATB, ARM IHI 0032, 32 bits wide |
//! | [`crossing`] | none: words into another clock |
//!
//! All registers are 32 bits wide and are accessed whole, in a window of 4 KiB. A write of some of the bytes, or an
//! access behind the last register, changes nothing and is answered with an error; reading there gives 0.

pub mod apb;
pub mod atb;
pub mod axi_lite;
pub mod crossing;
pub mod octets;
pub mod wishbone;
pub mod wrap;

/// Bits of a byte address in the window of the registers.
pub const WINDOW_BITS: usize = 12;
