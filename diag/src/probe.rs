//! Syntax of a probe

use std::fmt;

/// A probe: a kind, and a point of the program or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Position.
    pub at: usize,
    /// `call`, `ret`, `pc`, ...
    pub kind: String,
    /// Text after the colon.
    pub point: Option<String>,
    /// Offset from the point, in bytes: `name+8`.
    pub offset: u64,
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if let Some(point) = &self.point {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_.:*~[]".contains(c);
            match point.chars().all(plain) {
                true => write!(f, ":{point}")?,
                false => write!(f, ":\"{}\"", point.replace('\\', "\\\\").replace('"', "\\\""))?,
            }
        }
        match self.offset {
            0 => Ok(()),
            offset => write!(f, "+{offset}"),
        }
    }
}
