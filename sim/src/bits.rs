//! Bit streams in 32-bit words, least significant bit first
//!
//! Used in the hot paths of encoder and decoder; finished streams can be viewed as `bitvec` slices
//! ([`as_bits`]).

use bitvec::prelude::*;

/// The bits of a stream of words, in the order in which they are sent.
pub fn as_bits(words: &[u32]) -> &BitSlice<u32, Lsb0> {
    words.view_bits()
}

/// Writer of fields to a stream of 32-bit words.
#[derive(Clone, Debug, Default)]
pub struct BitWriter {
    words: Vec<u32>,
    acc: u64,
    fill: u32,
    drained: u64,
}

impl BitWriter {
    /// An empty stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the low `bits` bits of `value`, least significant bit first. `bits` is at most 32, and
    /// `value` has no bits set above them.
    #[inline]
    pub fn push(&mut self, value: u64, bits: u32) {
        debug_assert!(bits <= 32 && value >> bits == 0);
        self.acc |= value << self.fill;
        self.fill += bits;
        if self.fill >= 32 {
            self.words.push(self.acc as u32);
            self.acc >>= 32;
            self.fill -= 32;
        }
    }

    /// Number of bits written so far, including those already drained.
    pub fn len(&self) -> u64 {
        self.drained + self.words.len() as u64 * 32 + u64::from(self.fill)
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Pads the last word with zeros.
    pub fn pad(&mut self) {
        if self.fill > 0 {
            self.push(0, 32 - self.fill);
        }
    }

    /// Takes the complete words, for a stream that does not fit in memory.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.drained += self.words.len() as u64 * 32;
        self.words.drain(..)
    }

    /// Complete words that have not been drained.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// Reader of fields from an iterator over words.
#[derive(Clone, Debug)]
pub struct BitReader<I> {
    words: I,
    acc: u64,
    fill: u32,
    position: u64,
    /// Bit offset of the stream's words in the words that are read; not 0 after a lost or doubled byte.
    origin: u32,
}

impl<I: Iterator<Item = u32>> BitReader<I> {
    /// Reads from the first bit of the first word.
    pub fn new(words: I) -> Self {
        Self { words, acc: 0, fill: 0, position: 0, origin: 0 }
    }

    /// The underlying iterator.
    pub(crate) fn words(&mut self) -> &mut I {
        &mut self.words
    }

    /// Continues at bit `position`, where a word of the stream begins; the next word of [`BitReader::words`] contains this bit.
    pub(crate) fn continue_at(&mut self, position: u64) {
        self.origin = position as u32 % 32;
        (self.acc, self.fill, self.position) = (0, 0, position - u64::from(self.origin));
        self.take(self.origin);
    }

    /// The next `bits` bits (at most 32) as a number, or `None` at the end of the words.
    #[inline]
    pub fn take(&mut self, bits: u32) -> Option<u64> {
        if self.fill < bits && !self.fetch() {
            return None;
        }
        let value = self.acc & ((1u64 << bits) - 1);
        self.acc >>= bits;
        self.fill -= bits;
        self.position += u64::from(bits);
        Some(value)
    }

    /// Reads a word, with fewer than 32 bits buffered; false at the end of the words. Out of line: most fields need no word.
    #[inline(never)]
    pub(crate) fn fetch(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        self.acc |= u64::from(word) << self.fill;
        self.fill += 32;
        true
    }

    /// The bits that are read but not taken, with zeros above them, and their number.
    #[inline]
    pub(crate) fn buffered(&self) -> (u64, u32) {
        (self.acc, self.fill)
    }

    /// Takes 1 to 63 of the buffered bits.
    #[inline]
    pub(crate) fn skip(&mut self, bits: u32) {
        self.acc >>= bits;
        self.fill -= bits;
        self.position += u64::from(bits);
    }

    /// Bits read so far.
    #[inline]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Takes the rest of the current word of the stream: its value and width. Missing bits of the last word are 0.
    pub fn rest_of_word(&mut self) -> (u64, u32) {
        let width = self.origin.wrapping_sub(self.position as u32) % 32;
        let value = self.take(width).or_else(|| {
            let left = self.fill.min(width);
            let value = self.take(left);
            self.position += u64::from(width - left);
            value
        });
        (value.unwrap_or(0), width)
    }

    /// Whether no further complete word of the stream follows. May only be called at a word boundary.
    pub fn at_end(&mut self) -> bool {
        debug_assert_eq!(self.position as u32 % 32, self.origin);
        match self.words.next() {
            None => true,
            Some(word) => {
                self.acc |= u64::from(word) << self.fill;
                self.fill += 32;
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fields_fill_words_from_the_low_end() {
        let mut w = BitWriter::new();
        assert!(w.is_empty());
        w.push(0b101, 3);
        w.push(0xffff_ffff, 32);
        assert_eq!(w.words(), [0xffff_fffd]);
        w.pad();
        assert_eq!(w.words(), [0xffff_fffd, 0b111]);
        assert_eq!(as_bits(w.words())[..4], bits![u32, Lsb0; 1, 0, 1, 1]);
        w.pad();
        assert_eq!(w.words().len(), 2, "whole words are not padded");
    }

    #[test]
    fn the_rest_of_a_last_word_is_read_though_its_end_is_missing() {
        // the stream begins at the second byte: its only word has 24 bits
        let mut r = BitReader::new([0xabcd_ef00].into_iter());
        r.continue_at(8);
        assert_eq!(r.take(12), Some(0xdef));
        assert_eq!(r.rest_of_word(), (0xabc, 20));
        assert!(r.at_end());
    }

    #[test]
    fn bits_that_were_drained_count_and_a_stream_that_goes_on_is_read_after_its_end_was_looked_for() {
        let mut w = BitWriter::new();
        (0..3u64).for_each(|i| w.push(0x1111_1111 * (i + 1), 32));
        assert_eq!(w.drain().count(), 3);
        w.push(1, 4);
        assert_eq!((w.len(), w.is_empty()), (100, false));

        let mut r = BitReader::new([0x1111_1111, 0x2222_2222, 0x3333_3333].into_iter());
        assert_eq!(r.take(32), Some(0x1111_1111));
        assert!(!r.at_end());
        assert_eq!((r.take(8), r.take(24), r.take(32)), (Some(0x22), Some(0x22_2222), Some(0x3333_3333)));
        assert!(r.at_end() && r.position() == 96);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec((any::<u32>(), 0u32..=32), 0..200)) {
            let mut w = BitWriter::new();
            let mut total = 0;
            for &(v, n) in &fields {
                w.push(u64::from(v) & ((1u64 << n) - 1), n);
                total += u64::from(n);
            }
            prop_assert_eq!(w.len(), total);
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            let mut r = BitReader::new(words.into_iter());
            for &(v, n) in &fields {
                prop_assert_eq!(r.take(n), Some(u64::from(v) & ((1u64 << n) - 1)));
            }
            prop_assert_eq!(r.position(), total);
        }
    }
}
