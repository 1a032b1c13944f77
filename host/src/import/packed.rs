//! Reads a file, decompressing it, and tracks the position for messages

use super::zip;
use crate::HostError;
use retire::file::input;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// Maximum length of a line in bytes; lines of logs are shorter.
const MAX_LINE_LEN: u64 = 1 << 16;

/// Bytes in which the first record or packet must be. A file of another kind, or a pipe without end, is not read further.
pub(super) const MAX_IDLE: u64 = 1 << 26;

/// A reader of the decompressed bytes.
pub(super) struct Unpacked {
    inner: BufReader<Box<dyn Read>>,
    path: String,
    /// Name of the compression, for messages.
    packed: Option<&'static str>,
    /// Decompressed bytes read so far.
    at: u64,
    /// Lines read so far.
    lines: u64,
}

impl Unpacked {
    /// Opens the file and detects its compression.
    pub(super) fn open(path: &Path) -> Result<Self, HostError> {
        let io = |e| HostError::io(path, e);
        let mut file = input::open(path)?;
        let mut head = Vec::with_capacity(6);
        (&mut file).take(6).read_to_end(&mut head).map_err(io)?;
        let starts = |magic: &[u8]| head.starts_with(magic);
        let (gzip, xz, zst) = (starts(&[0x1f, 0x8b]), starts(b"\xfd7zXZ\0"), starts(&[0x28, 0xb5, 0x2f, 0xfd]));
        let (bzip2, zip, lz4) = (starts(b"BZh"), starts(zip::MAGIC), starts(&[0x04, 0x22, 0x4d, 0x18]));
        let whole = BufReader::with_capacity(1 << 16, Cursor::new(head).chain(file));
        let (packed, inner): (_, Box<dyn Read>) = if gzip {
            (Some("gzip"), Box::new(flate2::bufread::MultiGzDecoder::new(whole)))
        } else if xz {
            (Some("xz"), Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(whole)))
        } else if zst {
            (Some("zstd"), Box::new(zstd::Decoder::with_buffer(whole).map_err(io)?))
        } else if bzip2 {
            (Some("bzip2"), Box::new(bzip2::bufread::MultiBzDecoder::new(whole)))
        } else if zip {
            (Some("zip"), Box::new(zip::Members::new(whole)))
        } else if lz4 {
            let path = path.display();
            return Err(HostError::Other(format!(
                "{path}: is packed with lz4; gzip, xz, zstd, bzip2 and zip are read here"
            )));
        } else {
            (None, Box::new(whole))
        };
        let inner = BufReader::with_capacity(1 << 17, inner);
        Ok(Self { inner, path: path.display().to_string(), packed, at: 0, lines: 0 })
    }

    /// A reader of bytes that are not compressed.
    #[cfg(test)]
    pub(super) fn of(inner: Box<dyn Read>, path: &str) -> Self {
        Self { inner: BufReader::with_capacity(1 << 17, inner), path: path.into(), packed: None, at: 0, lines: 0 }
    }

    /// An error at the current byte.
    pub(super) fn wrong(&self, what: &str) -> HostError {
        let of = if self.packed.is_some() { " (unpacked)" } else { "" };
        HostError::Other(format!("{}: byte {}{of}: {what}", self.path, self.at))
    }

    /// An error in the last line read.
    pub(super) fn wrong_line(&self, what: &str) -> HostError {
        HostError::Other(format!("{}: line {}: {what}", self.path, self.lines))
    }

    /// The error of a failed read or decompression.
    fn failed(&self, e: &std::io::Error) -> HostError {
        match self.packed {
            Some(how) if e.kind() == ErrorKind::UnexpectedEof => {
                self.wrong(&format!("the {how} data end here; the file was cut"))
            }
            Some(how) => self.wrong(&format!("the {how} data are damaged: {e}")),
            None => HostError::Other(format!("{}: {e}", self.path)),
        }
    }

    /// The next bytes, at most `n`, without consuming them, and the error that ended them, if any.
    pub(super) fn peek(&mut self, n: usize) -> (Vec<u8>, Option<HostError>) {
        let mut head = vec![0; n];
        let (mut got, mut wrong) = (0, None);
        while got < n && wrong.is_none() {
            match self.inner.read(&mut head[got..]) {
                Ok(0) => break,
                Ok(more) => (got, self.at) = (got + more, self.at + more as u64),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => wrong = Some(self.failed(&e)),
            }
        }
        head.truncate(got);
        self.at = 0;
        let rest = std::mem::replace(&mut self.inner, BufReader::with_capacity(1, Box::new(std::io::empty())));
        let whole: Box<dyn Read> = Box::new(Cursor::new(head.clone()).chain(rest));
        self.inner = BufReader::with_capacity(1 << 17, whole);
        (head, wrong)
    }

    /// Reads until `buf` is full or the data ends.
    pub(super) fn fill(&mut self, buf: &mut [u8]) -> Result<usize, HostError> {
        let mut got = 0;
        while got < buf.len() {
            match self.inner.read(&mut buf[got..]) {
                Ok(0) => break,
                Ok(n) => (got, self.at) = (got + n, self.at + n as u64),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.failed(&e)),
            }
        }
        Ok(got)
    }

    /// Reads a record; `false` at the end of the data. An incomplete one is an error.
    pub(super) fn record(&mut self, buf: &mut [u8], what: &str) -> Result<bool, HostError> {
        match self.fill(buf)? {
            0 => Ok(false),
            n if n == buf.len() => Ok(true),
            n => Err(self.wrong(&format!("the file ends after {n} of {} bytes of {what}; it was cut", buf.len()))),
        }
    }

    /// Reads a line into `line`, without its end; `false` at the end of the data. An incomplete one is an error.
    pub(super) fn line(&mut self, line: &mut Vec<u8>) -> Result<bool, HostError> {
        line.clear();
        let read = (&mut self.inner).take(MAX_LINE_LEN).read_until(b'\n', line);
        self.lines += 1;
        self.at += read.map_err(|e| self.failed(&e))? as u64;
        match line.pop() {
            None => Ok(false),
            Some(b'\n') => Ok(true),
            Some(_) if line.len() as u64 + 1 == MAX_LINE_LEN => {
                Err(self.wrong_line(&format!("has more than {MAX_LINE_LEN} bytes; this is no log")))
            }
            Some(_) => Err(self.wrong_line("the file ends inside it; it was cut")),
        }
    }

    /// As [`Self::line`], for a log whose other lines are skipped: an error if the first 64 MiB have nothing that is
    /// `known`, which is `what`, or if there is a byte of 0 before it.
    pub(super) fn log_line(&mut self, line: &mut Vec<u8>, known: bool, what: &str) -> Result<bool, HostError> {
        if !known && self.at >= MAX_IDLE {
            return Err(self.wrong_line(&format!("the first 64 MiB are without {what}; this is no such log")));
        }
        let read = self.line(line);
        match !known && line.contains(&0) {
            true => Err(self.wrong_line(&format!("is not text; expected a log with {what}"))),
            false => read,
        }
    }
}

/// The hexadecimal number at the start of `text`, and the number of its digits.
pub(super) fn hex(text: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    let mut digits = 0;
    for b in text {
        let Some(d) = (*b as char).to_digit(16) else { break };
        value = value << 4 | u64::from(d);
        digits += 1;
    }
    (1..=16).contains(&digits).then_some((value, digits))
}

/// The decimal number at the start of `text`, after blanks, and the rest of the text.
pub(super) fn decimal(text: &[u8]) -> Option<(u64, &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let number = std::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, &text[end..]))
}

/// The text after the first `word` in `text`.
pub(super) fn after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    let at = text.windows(word.len()).position(|w| w == word)?;
    Some(&text[at + word.len()..])
}
