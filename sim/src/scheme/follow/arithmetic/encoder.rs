//! The encoder: decisions, escapes and plain bits to words
//!
//! The bits so far are a number C, and the next decision divides the interval from C on of size A: the likely answer has its lower part, the unlikely one the next
//! [`Probability::width`] units, and an escape the unit on top. C and A double until A has 12 bits; the probability learns only then. Plain
//! bits halve an interval of 2^11.
//!
//! Each decision takes two units or more, so 1,024 decisions double A at least once, and 2^15 of them complete a word: no branch waits for longer.
//!
//! Bytes leave as in the MQ coder: C has 12 bits of fraction, 3 bits of space, 8 of a byte and a carry, which is added to the byte before. After
//! a byte of all ones the next one has 7 bits, and a carry goes to its top bit. Four bytes are a word, from its low end.
//!
//! # Source
//! G. G. Langdon, J. Rissanen, IEEE Trans. Commun. 29(6), 1981; the bytes: ITU-T T.88 (JBIG2), annex E.

use super::probability::{Probability, HALF};

/// Bits of C below those of a byte.
const BELOW: u32 = 15;
/// Doublings before the first byte.
pub const FIRST: u32 = 12;
/// A byte after which there is a bit for the carry.
const ONES: u8 = 0xff;

/// State of an encoder.
#[derive(Clone, Debug)]
pub struct Encoder {
    /// A: size of the interval, from 2^11 to below 2^12 between decisions.
    size: u32,
    /// C: its lower end.
    low: u32,
    /// Doublings until the next byte is complete.
    left: u32,
    /// The byte before, to which a carry may be added.
    last: Option<u8>,
    /// Bytes of the next word, and their number.
    word: u32,
    bytes: u32,
    /// Complete words.
    words: Vec<u32>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { size: HALF, low: 0, left: FIRST, last: None, word: 0, bytes: 0, words: Vec::new() }
    }
}

impl Encoder {
    /// Encodes whether a prediction is right; returns whether that was the likely answer.
    #[inline]
    pub fn decide(&mut self, probability: &mut Probability, right: bool) -> bool {
        let width = probability.width();
        let likely = probability.is_likely(right);
        self.size -= width + 1;
        if !likely {
            self.low += self.size;
            self.size = width;
        }
        if self.size < HALF {
            self.double();
            probability.learn(likely);
        }
        likely
    }

    /// Encodes that no decision follows, but plain bits.
    pub fn escape(&mut self) {
        self.low += self.size - 1;
        self.size = 1;
        self.double();
    }

    /// Encodes one plain bit.
    pub fn plain(&mut self, bit: bool) {
        self.size = HALF;
        // added before the doubling, so before the byte that it completes leaves
        self.low += if bit { HALF / 2 } else { 0 };
        self.shift();
    }

    /// Ends the code: every bit that a decoder needs is in a word. What is encoded next begins at a word, with the probabilities as they are.
    pub fn flush(&mut self) {
        // a decoder has read 11 bits more than there were doublings
        let mut missing = (BELOW + 8).saturating_sub(self.left);
        while missing > 0 {
            self.low <<= self.left;
            missing = missing.saturating_sub(self.byte());
        }
        debug_assert_eq!(self.low, 0);
        if let Some(last) = self.last {
            self.push(last);
        }
        while self.bytes > 0 {
            self.push(0);
        }
        *self = Self { words: std::mem::take(&mut self.words), ..Self::default() };
    }

    /// Takes the complete words.
    #[inline]
    pub fn words(&mut self) -> std::vec::Drain<'_, u32> {
        self.words.drain(..)
    }

    /// Whether there are complete words.
    #[inline]
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    fn double(&mut self) {
        while self.size < HALF {
            self.size <<= 1;
            self.shift();
        }
    }

    #[inline]
    fn shift(&mut self) {
        self.low <<= 1;
        self.left -= 1;
        if self.left == 0 {
            self.byte();
        }
    }

    /// Takes the next byte out of C; returns the number of its bits without a carry.
    fn byte(&mut self) -> u32 {
        let carry = self.low >> (BELOW + 8);
        let before = match self.last {
            Some(last) if last != ONES => {
                self.low &= (1 << (BELOW + 8)) - 1;
                Some(last + carry as u8)
            }
            before => before,
        };
        if let Some(before) = before {
            self.push(before);
        }
        // a carry after a byte of all ones is the top bit of this one
        let below = if before == Some(ONES) { BELOW + 1 } else { BELOW };
        self.last = Some((self.low >> below) as u8);
        self.low &= (1 << below) - 1;
        self.left = 8 + BELOW - below;
        self.left
    }

    fn push(&mut self, byte: u8) {
        self.word |= u32::from(byte) << (8 * self.bytes);
        self.bytes += 1;
        if self.bytes == 4 {
            self.words.push(std::mem::take(&mut self.word));
            self.bytes = 0;
        }
    }
}
