//! Building parts that rust-hdl does not have

pub mod mem;
