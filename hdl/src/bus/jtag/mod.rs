//! JTAG: registers, and optionally trace words, through a test access port
//!
//! The port treats TCK as a signal and samples it with the system clock. So there is a single clock domain; TCK must be
//! slow, see [`tap`]. The golden model, [`sim::jtag`], defines the protocol.
//!
//! | block | what it is |
//! | --- | --- |
//! | [`tap`] | pins, the IEEE 1149.1 controller, the instruction register |
//! | [`dtm`] | identification, bypass, and the data registers of a RISC-V debug transport, on a register bus |
//! | [`drain`] | the data register of trace words |
//! | [`port`] | a complete port of these blocks |

pub mod drain;
pub mod dtm;
pub mod port;
pub mod tap;

use crate::widget::bundle::bundle;
use rust_hdl::prelude::*;

bundle!(
    /// Scans of data registers: `capture`, `shift` and `update` are each 1 for one cycle.
    ScanOut "ScanIn" ScanIn
    { capture: Bit, shift: Bit, update: Bit, tdi: Bit, ir: Bits<5>, }
    { low: Bit, }
);
