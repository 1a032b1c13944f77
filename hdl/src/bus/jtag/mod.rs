//! JTAG: registers, and trace words, by a test access port
//!
//! The port takes TCK as a signal, not as a clock: it is sampled by the system's. So there is one clock, and no path
//! between two; TCK is to be slow, see [`tap`]. What it says to whom is in the golden model, [`sim::jtag`].
//!
//! | block | what it is |
//! | --- | --- |
//! | [`tap`] | pins, the controller of IEEE 1149.1, the instruction register |
//! | [`dtm`] | identification, bypass, and the data registers of a RISC-V debug transport, at a register bus |
//! | [`drain`] | the data register of trace words |
//! | [`port`] | a port of these |

pub mod drain;
pub mod dtm;
pub mod port;
pub mod tap;

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Scans of data registers: each of the first three is 1 for a clock.
    ScanOut "ScanIn" ScanIn
    { capture: Bit, shift: Bit, update: Bit, tdi: Bit, ir: Bits<5>, }
    { low: Bit, }
);
