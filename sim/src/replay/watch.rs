//! Words of a stream, searched for headers
//!
//! Damage can hide the marker before a repeated header, and a lost or doubled byte shifts everything after it. Every word
//! is therefore compared with the header, at each of its four bytes. A header where none is due shows that the message
//! around it is damaged. The last words are kept, so that a search can start at the beginning of a refused message.
//!
//! A header fixes 91 of its 96 bits ([`HeaderFlags`] holds the other five). Random bits match at a given byte with probability 2^-91.

use super::HeaderFlags;
use std::collections::VecDeque;

/// Number of words that can be read again. No message is longer: its longest fields are three addresses in chunks of one bit.
const HISTORY_WORDS: usize = 32;

/// A header in the words that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderMatch {
    /// First bit after it.
    pub end: u64,
    /// Its contents.
    pub found: HeaderFlags,
}

/// A word iterator that remembers the last header until it is taken.
#[derive(Clone, Debug)]
pub(super) struct HeaderScanner<I> {
    words: I,
    /// Words to read again.
    repeated: VecDeque<u32>,
    /// The last words that were read: word i at index i modulo [`HISTORY_WORDS`].
    history: [u32; HISTORY_WORDS],
    /// Words read so far.
    count: u64,
    /// The last four words, the newest in the top bits.
    window: u128,
    header: [u32; 3],
    header_match: Option<HeaderMatch>,
}

impl<I> HeaderScanner<I> {
    pub(super) fn new(words: I, header: [u32; 3]) -> Self {
        Self {
            words,
            repeated: VecDeque::new(),
            history: [0; HISTORY_WORDS],
            count: 0,
            window: 0,
            header,
            header_match: None,
        }
    }

    /// Where the words come from.
    pub(super) fn source(&self) -> &I {
        &self.words
    }

    /// Takes the last header.
    #[inline]
    pub(super) fn take_header(&mut self) -> Option<HeaderMatch> {
        self.header_match.take()
    }

    /// Whether there is a header to take.
    #[inline]
    pub(super) fn has_header(&self) -> bool {
        self.header_match.is_some()
    }

    /// Looks for a header that ends in the last word.
    #[inline]
    fn watch(&mut self) {
        for shift in [8, 16, 24, 32] {
            let at = self.window >> shift;
            if at as u32 == self.header[0] {
                self.compare(shift, at);
            }
        }
    }

    #[cold]
    fn compare(&mut self, shift: u64, at: u128) {
        let (shape, found) = HeaderFlags::of((at >> 32) as u32);
        if shape == self.header[1] && (at >> 64) as u32 == self.header[2] {
            self.header_match = Some(HeaderMatch { end: self.count * 32 + shift - 32, found });
        }
    }

    /// Rewinds to `word`, or to the oldest word that is kept.
    pub(super) fn rewind(&mut self, word: u64) {
        let oldest = self.count.saturating_sub(HISTORY_WORDS as u64);
        let from = word.clamp(oldest, self.count);
        for i in (from..self.count).rev() {
            self.repeated.push_front(self.history[i as usize % HISTORY_WORDS]);
        }
        self.count = from;
        self.window = 0;
        self.header_match = None;
    }
}

impl<I: Iterator<Item = u32>> HeaderScanner<I> {
    /// Reads up to the end of the next header.
    pub(super) fn search(&mut self) -> Option<HeaderMatch> {
        while self.header_match.is_none() {
            self.next()?;
        }
        self.take_header()
    }
}

impl<I: Iterator<Item = u32>> Iterator for HeaderScanner<I> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let word = match self.repeated.pop_front() {
            None => self.words.next()?,
            Some(word) => word,
        };
        self.history[self.count as usize % HISTORY_WORDS] = word;
        self.count += 1;
        self.window = self.window >> 32 | u128::from(word) << 96;
        self.watch();
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: [u32; 3] = [0x0403_0201, 0x0001_0203, 0x0c0b_0a09];

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect()
    }

    fn watched(before: usize) -> HeaderScanner<std::vec::IntoIter<u32>> {
        let header = HEADER.iter().flat_map(|w| w.to_le_bytes());
        let bytes: Vec<u8> = std::iter::repeat_n(0x55, before).chain(header).chain([1; 9]).collect();
        HeaderScanner::new(words(&bytes).into_iter(), HEADER)
    }

    #[test]
    fn a_header_is_found_at_every_byte() {
        for before in 0..9 {
            let header_match = watched(before).search().unwrap();
            assert_eq!((header_match.end, header_match.found.repeated), (8 * before as u64 + 96, false), "{before}");
        }
    }

    #[test]
    fn a_header_that_differs_in_a_bit_is_none() {
        for bit in 0..96 {
            let mut header = HEADER;
            header[bit / 32] ^= 1 << (bit % 32);
            let found = HeaderScanner::new(header.into_iter().chain([0; 4]), HEADER).search();
            // the five bits that encode the kind of header
            let free = bit == 49 || (52..56).contains(&bit);
            assert_eq!(found.is_some(), free, "bit {bit}");
        }
    }

    #[test]
    fn words_are_read_again_from_where_a_message_began() {
        let mut watched = watched(5);
        let read: Vec<u32> = watched.by_ref().take(6).collect();
        assert_eq!(watched.take_header().map(|p| p.end), Some(8 * 5 + 96));
        watched.rewind(1);
        assert_eq!(watched.by_ref().take(5).collect::<Vec<_>>(), read[1..]);
        assert_eq!(watched.take_header().map(|p| p.end), Some(8 * 5 + 96));
        watched.rewind(2);
        assert_eq!(watched.search(), None);
    }
}
