//! PIB sink (Pin Interface Block): trace words to pins, with the registers of the RISC-V Trace Control Interface
//!
//! Its bytes come from [`messages`](super::messages).
//!
//! | block | function |
//! | --- | --- |
//! | [`pins`] | the bytes on the pins |
//! | [`sink`] | the registers, and both halves |

pub mod pins;
pub mod sink;
