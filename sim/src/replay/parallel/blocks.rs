//! Words of a stream that several threads read from different positions
//!
//! A chain of blocks: a reader holds its block, each block the next one. A block is read when a reader first needs it, and freed
//! when the last reader has left it, so that memory does not grow with the stream.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Words of a block.
const BLOCK: usize = 1 << 12;

/// Where the words come from.
#[derive(Debug)]
pub(super) struct Source<W>(Mutex<W>);

/// Some words, and those after them.
#[derive(Debug, Default)]
struct Block {
    words: Vec<u32>,
    next: OnceLock<Arc<Block>>,
}

/// A position in the stream, and an iterator over the words from there. A clone continues where it was made.
#[derive(Debug)]
pub(super) struct Words<'s, W> {
    source: &'s Source<W>,
    block: Arc<Block>,
    /// Index in the block.
    at: usize,
}

impl<W: Iterator<Item = u32>> Source<W> {
    pub(super) fn new(words: W) -> Self {
        Self(Mutex::new(words))
    }

    /// The next word of the source, which the clones of one reader share.
    pub(super) fn begin(&self) -> Words<'_, W> {
        Words { source: self, block: Arc::default(), at: 0 }
    }

    /// A full block, or the rest of the words.
    fn read(&self) -> Arc<Block> {
        let mut source = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let words = source.by_ref().take(BLOCK).collect();
        Arc::new(Block { words, next: OnceLock::new() })
    }
}

impl<W> Clone for Words<'_, W> {
    fn clone(&self) -> Self {
        Self { source: self.source, block: self.block.clone(), at: self.at }
    }
}

impl<W: Iterator<Item = u32>> Words<'_, W> {
    /// Whether all words were read, and it was seen that no more follow.
    pub(super) fn have_ended(&self) -> bool {
        self.at == self.block.words.len() && self.block.next.get().is_some_and(|next| next.words.is_empty())
    }

    #[cold]
    fn next_block(&mut self) -> Option<u32> {
        let next = self.block.next.get_or_init(|| self.source.read()).clone();
        let first = next.words.first().copied()?;
        (self.block, self.at) = (next, 1);
        Some(first)
    }
}

impl<W: Iterator<Item = u32>> Iterator for Words<'_, W> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self.block.words.get(self.at) {
            Some(word) => {
                self.at += 1;
                Some(*word)
            }
            None => self.next_block(),
        }
    }
}

impl Drop for Block {
    /// Frees the blocks after it that nothing else holds, without recursion.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut block) = next.and_then(Arc::into_inner) {
            next = block.next.take();
        }
    }
}

/// Finds the headers at which stretches begin.
#[derive(Debug)]
pub(super) struct Headers<'s, W> {
    words: Words<'s, W>,
    /// The block before that of `words`.
    before: Arc<Block>,
    /// Words read so far.
    count: u64,
    header: [u32; 3],
}

impl<'s, W: Iterator<Item = u32>> Headers<'s, W> {
    /// Looks for repeated headers with the words `header` from `words` on.
    pub(super) fn new(words: Words<'s, W>, header: [u32; 3]) -> Self {
        Self { words, before: Arc::default(), count: 0, header }
    }

    /// The next header of which `same` accepts the second word, at least `least` words after those that were read so far: its
    /// number of words from the beginning, and its position. `None` if there is none in `most` words and the
    /// rest of their last block.
    pub(super) fn find(&mut self, least: u64, most: u64, same: impl Fn(u32) -> bool) -> Option<(u64, Words<'s, W>)> {
        let (from, to) = (self.count + least, self.count + most);
        while self.count < to {
            if self.words.at == self.words.block.words.len() {
                let before = self.words.block.clone();
                self.words.next_block()?;
                (self.words.at, self.before) = (0, before);
            }
            let rest = &self.words.block.words[self.words.at..];
            let found = rest.iter().position(|word| *word == self.header[2]);
            let read = found.map_or(rest.len(), |i| i + 1);
            self.words.at += read;
            self.count += read as u64;
            if let (Some(start), true) = (found.and_then(|_| self.start(&same)), self.count >= from + 3) {
                return Some((self.count - 3, start));
            }
        }
        None
    }

    /// Position of the header that ends with the last word, if there is one.
    fn start(&self, same: &impl Fn(u32) -> bool) -> Option<Words<'s, W>> {
        let source = self.words.source;
        let back = |n: usize| match self.words.at.checked_sub(n) {
            Some(at) => Some(Words { source, block: self.words.block.clone(), at }),
            None => {
                let at = (self.before.words.len() + self.words.at).checked_sub(n)?;
                Some(Words { source, block: self.before.clone(), at })
            }
        };
        let is_header = back(3)?.next()? == self.header[0] && same(back(2)?.next()?);
        is_header.then(|| back(3)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_at_different_positions_read_the_same_words() {
        let count = 3 * BLOCK as u32 + 5;
        let source = Source::new(0..count);
        let mut first = source.begin();
        assert!(first.by_ref().take(BLOCK + 3).eq(0..BLOCK as u32 + 3));
        let second = first.clone();
        assert!(first.eq(BLOCK as u32 + 3..count));
        assert!(second.eq(BLOCK as u32 + 3..count));
    }

    #[test]
    fn a_reader_that_has_ended_stays_at_the_end() {
        let source = Source::new(0..7);
        let mut words = source.begin();
        assert_eq!(words.by_ref().take(7).count(), 7);
        assert!(!words.have_ended(), "nobody looked beyond them");
        assert_eq!((words.next(), words.clone().next()), (None, None));
        assert!(words.have_ended());
    }

    #[test]
    fn headers_are_found_across_blocks_and_not_too_close() {
        let header = [0xA, 0xB, 0xC];
        let (one, two, three) = (5, BLOCK - 1, 2 * BLOCK - 2);
        let mut words: Vec<u32> = (0..3 * BLOCK as u32).map(|i| i << 8).collect();
        for at in [one, one + 4, two, three] {
            words[at..at + 3].copy_from_slice(&header);
        }
        let source = Source::new(words.iter().copied());
        let mut headers = Headers::new(source.begin(), header);
        for (least, at) in [(1, one), (100, two), (1, three)] {
            let (found, from) = headers.find(least, 1 << 20, |shape| shape == 0xB).unwrap();
            assert_eq!(found, at as u64);
            assert!(from.eq(words[at..].iter().copied()), "{at}");
        }
        assert!(headers.find(1, 1 << 20, |_| true).is_none());
        let mut late = words.clone();
        late[..BLOCK + 2].fill(0);
        let source = Source::new(late.iter().copied());
        let mut short = Headers::new(source.begin(), header);
        assert!(short.find(0, BLOCK as u64, |_| true).is_none(), "the search is bounded");
        assert!(short.find(0, BLOCK as u64 + 1, |_| true).is_some(), "and goes on where it ended");
    }
}
