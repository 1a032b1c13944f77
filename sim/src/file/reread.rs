//! Words of a trace file that can be read again from any position
//!
//! For callers that go back: a clone continues where it was made. It only holds a position in the file; the block that was
//! read last is held once for all clones, so that many clones take little memory.

use super::TraceReader;
use retire::file::{io, FileError};
use std::cell::RefCell;
use std::io::{Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

/// The file, and the block that is held.
#[derive(Debug)]
struct SharedReader {
    reader: TraceReader,
    /// File offset of the held block; `None` if none is held.
    block: Option<u64>,
}

impl SharedReader {
    fn load(&mut self, block: u64) -> Result<(), FileError> {
        if self.block == Some(block) {
            return Ok(());
        }
        self.block = None;
        let source = &mut self.reader.source;
        source.inner.seek(SeekFrom::Start(block)).map_err(io(Path::new(&source.path)))?;
        source.at = block;
        self.reader.ended = false;
        self.reader.load()?;
        self.block = Some(block);
        Ok(())
    }
}

/// A position in a trace file, and an iterator over the words from there.
#[derive(Clone, Debug)]
pub struct SeekableWords {
    held: Rc<RefCell<SharedReader>>,
    /// File offset of the block of the next word, and the offset of the word in the block, after the count.
    block: u64,
    byte: usize,
}

impl SeekableWords {
    /// Starts at the first word of the file at `path`.
    ///
    /// # Errors
    /// The file cannot be read, or is not a trace file.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self::of(TraceReader::open(path)?))
    }

    /// Starts at the next word of `reader`.
    pub fn of(reader: TraceReader) -> Self {
        let block = reader.position();
        Self { held: Rc::new(RefCell::new(SharedReader { reader, block: None })), block, byte: 0 }
    }

    /// Takes the error that ended the words of this position or of a clone early, if there was one.
    pub fn error(&self) -> Option<FileError> {
        self.held.borrow_mut().reader.error.take()
    }
}

impl Iterator for SeekableWords {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let held = &mut *self.held.borrow_mut();
        loop {
            if let Err(e) = held.load(self.block) {
                held.reader.error = Some(e);
                return None;
            }
            if let Some(word) = held.reader.block.get(self.byte..self.byte + 4) {
                self.byte += 4;
                return word.try_into().ok().map(u32::from_le_bytes);
            }
            if held.reader.ended {
                return None;
            }
            (self.block, self.byte) = (held.reader.source.at, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn a_clone_goes_on_where_it_was_made() {
        let words = 2 * super::super::BLOCK as u32 + 7;
        let (_dir, path) = file(words);
        let mut line = SeekableWords::open(&path).unwrap();
        let mut places = vec![];
        for word in 0..words {
            if word % 5000 == 0 || word % super::super::BLOCK as u32 <= 1 {
                places.push((word, line.clone()));
            }
            assert_eq!(line.next(), Some(word));
        }
        assert_eq!((line.next(), line.next()), (None, None));
        for (word, place) in places.into_iter().rev() {
            assert!(place.eq(word..words), "from {word}");
        }
        assert!(line.error().is_none());
    }

    #[test]
    fn a_damaged_block_is_an_error_each_time_it_is_read() {
        let (_dir, path) = file(2 * super::super::BLOCK as u32);
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 20;
        bytes[last] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let mut line = SeekableWords::open(&path).unwrap();
        let again = line.clone();
        assert_eq!(line.by_ref().count(), super::super::BLOCK);
        assert!(line.error().is_some() && line.error().is_none());
        assert_eq!(again.clone().count(), super::super::BLOCK);
        assert!(again.error().is_some());
    }
}
