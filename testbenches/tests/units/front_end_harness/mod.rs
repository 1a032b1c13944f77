//! Drives a front end with a synthetic program and compares its entries with the golden model

pub mod bench;
mod compare;
pub mod decoder;
pub mod entries;
pub mod golden;
pub mod ingress;
