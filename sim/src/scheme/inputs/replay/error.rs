//! Errors of replay: why it ended early

use crate::message::CodingError;

/// Error that ends a replay early. What was reported before the unchecked [`Stretches`] is confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// The header is not that of these parameters.
    #[error("header word {word} is 0x{found:08x}, expected 0x{right:08x}")]
    Header {
        /// Index of the word, 0 to 2.
        word: usize,
        /// Actual value.
        found: u32,
        /// Expected value.
        right: u32,
    },
    /// Bits that are not a valid message.
    #[error("bit {bit}, message {message}: {source}; {stretches}")]
    Coding {
        /// Bits read before.
        bit: u64,
        /// Messages read before.
        message: u64,
        /// What is wrong.
        source: CodingError,
        /// Instructions that were executed but not checked yet, by core.
        stretches: Stretches,
    },
    /// The execution differs from that of a core.
    #[error("core {core}, message {message}: {what}; {stretches}")]
    Diverged {
        /// Core at which it was detected.
        core: u8,
        /// Messages read before.
        message: u64,
        /// What differed.
        what: String,
        /// Instructions that were executed but not checked yet, by core.
        stretches: Stretches,
    },
    /// The stores differ from those of the bus masters that are not cores.
    #[error("bus masters, message {message}: {what}; {stretches}")]
    Masters {
        /// Messages read before.
        message: u64,
        /// What differed.
        what: String,
        /// Instructions that were executed but not checked yet, by core.
        stretches: Stretches,
    },
}

impl InputsError {
    /// Instructions that were executed but not checked yet, by core.
    pub fn stretches(&self) -> Option<&Stretches> {
        match self {
            Self::Header { .. } => None,
            Self::Coding { stretches, .. } | Self::Diverged { stretches, .. } | Self::Masters { stretches, .. } => {
                Some(stretches)
            }
        }
    }
}

/// Unchecked instructions: for each core, the instruction count at the last good check, and in total. Those between may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretches(pub Vec<(u64, u64)>);

impl std::fmt::Display for Stretches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not checked: ")?;
        for (core, (from, to)) in self.0.iter().enumerate() {
            let comma = if core == 0 { "" } else { ", " };
            write!(f, "{comma}core {core} instructions {from} to {to}")?;
        }
        Ok(())
    }
}
