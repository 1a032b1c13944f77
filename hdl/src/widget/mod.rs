//! Building parts that rust-hdl does not have

pub mod field_mem;
pub mod mem;
