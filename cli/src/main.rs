//! The goshawk command
fn main() {}
