//! The error of the Verilog writer

use std::fmt;

/// Error of a construct that the Verilog writer does not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unsupported(pub(crate) String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
