//! Building parts that rust-hdl does not have

pub mod each;
pub mod field_mem;
pub mod fixed;
pub mod mem;
