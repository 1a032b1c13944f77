//! Words from the user's own hardware, without a trace file around them: bytes, or text in the format of `$readmemh`
//!
//! Bytes are 32-bit words, little-endian; or big-endian if the file begins with the first word of a stream in that order.
//! Text is hexadecimal numbers of up to eight digits, separated by blanks or line ends. As in Verilog, `_` inside a number,
//! `//` and `/* */` comments and an address `@0` before the first number are accepted.

use super::BLOCK;
use crate::platform::MAGIC;
use retire::file::input::{self, Input};
use retire::file::{io, FileError, Source};
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Layout of the words in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Blocks with checksums after a header: a trace file.
    Blocks,
    /// Four bytes per word.
    Bytes {
        /// The most significant byte comes first.
        big_endian: bool,
    },
    /// Hexadecimal numbers.
    Text,
}

/// Number of bytes at the beginning of a file by which text is distinguished from words.
const PROBE_BYTES: u64 = 512;
/// Maximum number of digits of a word, not counting `_`.
const DIGITS: usize = 8;
/// Maximum number of characters of a number that are kept for an error message.
const LONGEST: usize = 32;

/// Detects the layout of the words in the file at `path`, which is not a trace file.
pub fn layout(path: &Path) -> Result<Layout, FileError> {
    let head = input::head(path, PROBE_BYTES)?;
    let is_text = !head.is_empty() && head.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    // only the first word of a stream can look like text: the second one has a byte that is not a text character
    Ok(if is_text { Layout::Text } else { Layout::Bytes { big_endian: head.starts_with(&MAGIC.to_be_bytes()) } })
}

/// Reads the next block of words from bytes into `block`, little-endian; an empty block is the end of the file.
pub(super) fn load_bytes(
    source: &mut Source<BufReader<Input>>,
    block: &mut Vec<u8>,
    big_endian: bool,
) -> Result<(), FileError> {
    block.resize(4 * BLOCK, 0);
    let got = source.fill(block, "a word")?;
    let rest = got % 4;
    block.truncate(got - rest);
    if rest > 0 {
        if got < 4 {
            return Err(FileError::Cut { path: source.path.clone(), at: source.at, inside: "a word of four bytes" });
        }
        // return the complete words first
        source.step_back(rest)?;
    }
    if big_endian {
        block.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
    Ok(())
}

/// Text reader, one byte at a time.
struct Text<'a>(&'a mut Source<BufReader<Input>>);

impl Text<'_> {
    fn peek(&mut self) -> Result<Option<u8>, FileError> {
        let path = &self.0.path;
        Ok(self.0.inner.fill_buf().map_err(io(Path::new(path)))?.first().copied())
    }

    fn skip(&mut self) {
        self.0.inner.consume(1);
        self.0.at += 1;
    }

    /// Skips the comment that begins with `/`.
    fn comment(&mut self) -> Result<(), FileError> {
        let at = self.0.at;
        self.skip();
        let what = match self.peek()? {
            Some(b'/') => {
                while self.peek()?.is_some_and(|b| b != b'\n') {
                    self.skip();
                }
                return Ok(());
            }
            Some(b'*') => {
                self.skip();
                let mut before = 0;
                while let Some(b) = self.peek()? {
                    self.skip();
                    if (before, b) == (b'*', b'/') {
                        return Ok(());
                    }
                    before = b;
                }
                "a comment that does not end"
            }
            _ => "a single `/`; `//` and `/*` begin comments",
        };
        Err(FileError::Content { path: self.0.path.clone(), at, what: what.into() })
    }

    /// The next number as written, up to the first character that cannot be part of one; `None` at the end.
    fn number(&mut self) -> Result<Option<String>, FileError> {
        loop {
            match self.peek()? {
                None => return Ok(None),
                Some(b) if b.is_ascii_whitespace() => self.skip(),
                Some(b'/') => self.comment()?,
                Some(_) => break,
            }
        }
        let mut number = String::new();
        while let Some(b) = self.peek()?.filter(|b| !b.is_ascii_whitespace() && *b != b'/') {
            if number.len() < LONGEST {
                number.extend(std::ascii::escape_default(b).map(char::from));
            }
            self.skip();
        }
        Ok(Some(number))
    }
}

/// Reads the next block of words from text into `block`, little-endian; an empty block is the end of the file. An error is
/// returned only after all words before it.
pub(super) fn load_text(source: &mut Source<BufReader<Input>>, block: &mut Vec<u8>) -> Result<(), FileError> {
    while block.len() < 4 * BLOCK {
        let from = source.at;
        let number = Text(source).number();
        let word = match number {
            Ok(None) => break,
            // the first address of a memory, before its contents
            Ok(Some(n)) if block.is_empty() && n.starts_with('@') && n[1..].bytes().all(|b| b == b'0') => continue,
            Ok(Some(n)) => {
                let digits = n.replace('_', "");
                let fits = (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
                u32::from_str_radix(&digits, 16).ok().filter(|_| fits).ok_or_else(|| FileError::Content {
                    path: source.path.clone(),
                    at: source.at - n.len() as u64,
                    what: format!("`{n}` is not a word; expected up to {DIGITS} hexadecimal digits"),
                })
            }
            Err(e) => Err(e),
        };
        match word {
            Ok(word) => block.extend_from_slice(&word.to_le_bytes()),
            Err(_) if !block.is_empty() => return source.go_to(from),
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, info};
    use super::super::{reread::SeekableWords, TraceInfo, TraceReader};
    use super::*;

    /// The words of a file with these bytes, and its error.
    fn read(bytes: &[u8]) -> (Vec<u32>, Option<String>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("words");
        std::fs::write(&path, bytes).unwrap();
        let mut reader = TraceReader::of_words(&path, info()).unwrap();
        let words = reader.by_ref().collect();
        let name = format!("{}: ", path.display());
        (words, reader.error().map(|e| e.to_string().replace(&name, "")))
    }

    #[test]
    fn text_is_read_as_verilog_reads_it() {
        let good = |text: &str| match read(text.as_bytes()) {
            (words, None) => words,
            (_, Some(e)) => panic!("{text:?}: {e}"),
        };
        assert_eq!(good("4b485347\n0000_0101\n"), [0x4b48_5347, 0x101]);
        assert_eq!(good("// by a bench\n@0000 1 2\t3 // three\r\n/* 4 */ DeadBeef"), [1, 2, 3, 0xdead_beef]);
        assert_eq!(good("1/**/2//"), [1, 2]);
        assert!(good("\n").is_empty());
    }

    #[test]
    fn an_invalid_word_is_an_error_after_the_words_before_it() {
        for (text, words, at, what) in [
            ("1 2 xxxxxxxx 4", 2, 4, "`xxxxxxxx` is not a word"),
            ("123456789", 0, 0, "`123456789` is not a word"),
            ("1\n@4 2", 1, 2, "`@4` is not a word"),
            ("1 /* 2", 1, 2, "a comment that does not end"),
            ("1 2 / 3", 2, 4, "a single `/`"),
            ("_", 0, 0, "`_` is not a word"),
        ] {
            let (read, error) = read(text.as_bytes());
            let error = error.unwrap_or_else(|| panic!("{text} is taken"));
            assert_eq!(read.len(), words, "{text}: {error}");
            assert!(error.starts_with(&format!("byte {at}: {what}")), "{text}: {error}");
        }
        // a long number is not kept in full
        let (_, error) = read("f".repeat(1 << 20).as_bytes());
        assert!(error.unwrap().len() < 200);
    }

    #[test]
    fn both_byte_orders_are_read_and_a_truncated_word_is_an_error() {
        let words = [MAGIC, 0x0001_0201, 7];
        let little: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let big_endian: Vec<u8> = words.iter().flat_map(|w| w.to_be_bytes()).collect();
        assert_eq!(read(&little), (words.to_vec(), None));
        assert_eq!(read(&big_endian), (words.to_vec(), None));
        assert_eq!(read(b""), (vec![], None));
        for len in 0..little.len() {
            let (found, error) = read(&little[..len]);
            // four letters are valid text, which no bench writes
            if len != 4 {
                assert_eq!(found, words[..len / 4], "{len} bytes");
                assert_eq!(error.is_some(), len % 4 != 0, "{len} bytes: {error:?}");
            }
        }
    }

    #[test]
    fn long_files_can_be_reread_from_any_position() {
        let words = 2 * BLOCK as u32 + 7;
        let (dir, path) = file(words);
        let text: String = (0..words).map(|w| format!("{w:08x}\n")).collect();
        let bytes: Vec<u8> = (0..words).flat_map(|w| (w | 0xff00_0000).to_le_bytes()).collect();
        for (name, contents) in [("words.hex", text.into_bytes()), ("words.bin", bytes)] {
            let path = dir.path().join(name);
            std::fs::write(&path, contents).unwrap();
            let mut line = SeekableWords::of(TraceReader::of_words(&path, info()).unwrap());
            let place = line.clone();
            assert!(line.by_ref().map(|w| w & 0xff_ffff).eq(0..words), "{name}");
            let mut later = place.clone();
            assert_eq!(later.nth(BLOCK + 5).map(|w| w & 0xff_ffff), Some(BLOCK as u32 + 5));
            assert!(place.map(|w| w & 0xff_ffff).eq(0..words) && line.error().is_none(), "{name}");
        }
        assert!(TraceReader::<TraceInfo>::open(&path).unwrap().eq(0..words));
    }
}
