//! Why replay ended early

use crate::message::CodingError;

/// Why replay ended early: nothing that was told before `Stretch::from` is in doubt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// The header is not that of these parameters.
    #[error("header word {word} is 0x{found:08x}, expected 0x{right:08x}")]
    Header {
        /// 0 to 2.
        word: usize,
        /// What was read.
        found: u32,
        /// What it should be.
        right: u32,
    },
    /// Bits that are no message.
    #[error("bit {bit}, message {message}: {source}; {stretches}")]
    Coding {
        /// Bits read before.
        bit: u64,
        /// Messages read before.
        message: u64,
        /// What is wrong.
        source: CodingError,
        /// What was executed and not yet checked, by core.
        stretches: Stretches,
    },
    /// The host and a core went apart.
    #[error("core {core}, message {message}: {what}; {stretches}")]
    Diverged {
        /// Core that it was seen at.
        core: u8,
        /// Messages read before.
        message: u64,
        /// What differed.
        what: String,
        /// What was executed and not yet checked, by core.
        stretches: Stretches,
    },
    /// The host and the bus masters that are no cores went apart.
    #[error("bus masters, message {message}: {what}; {stretches}")]
    Masters {
        /// Messages read before.
        message: u64,
        /// What differed.
        what: String,
        /// What was executed and not yet checked, by core.
        stretches: Stretches,
    },
}

impl InputsError {
    /// What was executed and not yet checked, by core.
    pub fn stretches(&self) -> Option<&Stretches> {
        match self {
            Self::Header { .. } => None,
            Self::Coding { stretches, .. } | Self::Diverged { stretches, .. } | Self::Masters { stretches, .. } => {
                Some(stretches)
            }
        }
    }
}

/// For each core, its instructions before the last good check and in all: what lies between is in doubt.
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
