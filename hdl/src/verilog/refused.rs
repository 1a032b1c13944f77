//! What the writer of Verilog refuses

use std::fmt;

/// What this writer of Verilog does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refused(pub(crate) String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
