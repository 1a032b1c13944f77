//! Contents of the circular trace buffer: two halves, each with a trace of its own
//!
//! The older half is sent first. Each half is a word count, followed by the words. Bit 31 of the count: the end of the
//! trace did not fit.

use serde::Serialize;

/// One half of the buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Half {
    /// Trace words, header first; empty if nothing was traced.
    pub words: Vec<u32>,
    /// Whether the end of the trace did not fit.
    pub cut: bool,
}

/// Error of words that are not the contents of a trace buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    /// Fewer words than the counts say.
    #[error("word {at} announces {count} words, but {left} follow")]
    Cut {
        /// Index of the count.
        at: usize,
        /// Its value.
        count: usize,
        /// Words that follow.
        left: usize,
    },
    /// A count is missing.
    #[error("it ends before the {which} half")]
    Missing {
        /// `older` or `newer`.
        which: &'static str,
    },
    /// More words than the counts say.
    #[error("{left} words follow its two halves")]
    More {
        /// Their number.
        left: usize,
    },
}

/// Splits the words into halves, older first.
pub fn halves(words: &[u32]) -> Result<[Half; 2], RingError> {
    let mut at = 0;
    let mut one = |which| {
        let head = *words.get(at).ok_or(RingError::Missing { which })?;
        let (count, left) = ((head & 0x7fff_ffff) as usize, words.len() - at - 1);
        let body = words.get(at + 1..at + 1 + count).ok_or(RingError::Cut { at, count, left })?;
        at += 1 + count;
        Ok(Half { words: body.to_vec(), cut: head >> 31 == 1 })
    };
    let both = [one("older")?, one("newer")?];
    match words.len() - at {
        0 => Ok(both),
        left => Err(RingError::More { left }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_splits_into_two_halves() {
        let older = Half { words: vec![7, 8], cut: true };
        let newer = Half { words: vec![9], cut: false };
        assert_eq!(halves(&[0x8000_0002, 7, 8, 1, 9]), Ok([older, newer]));
        assert_eq!(halves(&[0, 0]), Ok([Half::default(), Half::default()]));
    }

    #[test]
    fn buffers_of_wrong_length_are_refused() {
        assert_eq!(halves(&[]), Err(RingError::Missing { which: "older" }));
        assert_eq!(halves(&[1, 7]), Err(RingError::Missing { which: "newer" }));
        assert_eq!(halves(&[1, 7, 5, 1]), Err(RingError::Cut { at: 2, count: 5, left: 1 }));
        assert_eq!(halves(&[0, 0, 1]), Err(RingError::More { left: 1 }));
    }
}
