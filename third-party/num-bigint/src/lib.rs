//! Version 0.5 of the crate `num-bigint` under the number 0.4, with small numbers in a machine word
//!
//! rust-hdl 0.46 shifts each signal of at most 32 bits through `BigUint`, which keeps its digits on the heap: a third of the time of a simulation. Here a number below 2^64 is a machine
//! word, and a larger one is that of version 0.5. There is what rust-hdl uses of version 0.4, and no more.

mod signed;
mod unsigned;

pub use newer::Sign;
pub use signed::BigInt;
pub use unsigned::BigUint;
