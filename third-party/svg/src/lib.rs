//! Version 0.13 of the crate `svg` under the number 0.10
//!
//! rust-hdl 0.46 asks for 0.10, whose code a coming compiler rejects. What rust-hdl uses of it is the same in 0.13.

pub use newer::*;
