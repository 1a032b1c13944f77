//! PIB sink (Pin Interface Block): trace words to pins, with the registers of the RISC-V Trace Control Interface
//!
//! | block | function |
//! | --- | --- |
//! | [`messages`] | the bytes of whole messages, from words |
//! | [`pins`] | the bytes on the pins |
//! | [`sink`] | the registers, and both halves |

pub mod messages;
pub mod pins;
pub mod sink;
