//! Files: retire files, branch traces of other tools ([`rbt1`]), and what all files of Goshawk have in common
//!
//! Retire files and trace files begin with 8 bytes that identify kind and version, followed by a JSON object (32-bit
//! length, bytes, CRC-32) that describes how the file was made. A file is moved to its path when it is complete, so a
//! failure neither leaves an incomplete file nor destroys an existing one ([`Replacement`]); all files are opened by
//! [`input`].

mod ahead;
pub mod frame;
pub mod input;
mod output;
pub mod rbt1;
pub mod record;
pub mod retire;
pub mod scratch;

pub use output::{is_stdout, Replacement, STDOUT};

use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

/// What a file is that begins with `found` instead of `right`.
fn described(found: &[u8], right: [u8; 8]) -> String {
    let known = [
        (b"GSHKRET", "a retire file"),
        (b"GSHKTRC", "a trace file"),
        (b"GSHKINP", "a recorded run"),
        (b"GSHKLDV", "a file of load values"),
        (b"GSHKCAP", "a packed recording (`goshawk capture expand` makes a retire file of it)"),
    ];
    match known.iter().find(|(magic, _)| found.starts_with(*magic)) {
        Some((magic, what)) if right.starts_with(*magic) => format!("is {what} of version {}", found[7]),
        Some((_, what)) => format!("is {what}"),
        None if found.len() < right.len() => "is shorter than 8 bytes".into(),
        None => {
            let bytes: Vec<String> = found.iter().map(|b| format!("{b:02x}")).collect();
            format!("begins with the bytes {}", bytes.join(" "))
        }
    }
}

/// Error of a file that could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system reports an error.
    #[error("{path}: {}", system_error(source))]
    Io {
        /// Path of the file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// Another kind of file.
    #[error("{path}: {}; expected a goshawk {kind}", described(found, *right))]
    Magic {
        /// Path of the file.
        path: String,
        /// `trace file` or `retire file`.
        kind: &'static str,
        /// First 8 bytes.
        found: Vec<u8>,
        /// Expected bytes.
        right: [u8; 8],
    },
    /// The file ends too early.
    #[error("{path}: byte {at}: the file ends here, inside {inside}; it was cut")]
    Cut {
        /// Path of the file.
        path: String,
        /// Size of the file.
        at: u64,
        /// What ends here.
        inside: &'static str,
    },
    /// A checksum does not match.
    #[error("{path}: byte {at}: checksum of {what} is 0x{found:08x}, the file says 0x{right:08x}; it was damaged")]
    Checksum {
        /// Path of the file.
        path: String,
        /// Offset of the first checked byte.
        at: u64,
        /// Name of the checked part.
        what: &'static str,
        /// Computed.
        found: u32,
        /// Stored.
        right: u32,
    },
    /// Invalid content.
    #[error("{path}: byte {at}: {what}")]
    Content {
        /// Path of the file.
        path: String,
        /// Offset.
        at: u64,
        /// Value found and valid values.
        what: String,
    },
}

/// The text of an error of the system, without its number.
pub fn system_error(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((reason, _)) => reason.into(),
        None => text,
    }
}

/// Converts system errors of the file at `path`.
pub fn io(path: &Path) -> impl Fn(std::io::Error) -> FileError + '_ {
    move |source| FileError::Io { path: path.display().to_string(), source }
}

/// A reader that keeps position and file name for errors.
#[derive(Debug)]
pub struct Source<R> {
    /// Underlying reader.
    pub inner: R,
    /// Path of the file.
    pub path: String,
    /// Bytes read so far.
    pub at: u64,
}

impl<R: Read> Source<R> {
    /// Reads `inner`, the file at `path`, from its beginning.
    pub fn new(inner: R, path: &Path) -> Self {
        Self { inner, path: path.display().to_string(), at: 0 }
    }

    /// Reads until `buf` is full or the data end; `inside` names what is being read.
    pub fn fill(&mut self, buf: &mut [u8], inside: &'static str) -> Result<usize, FileError> {
        let mut got = 0;
        while got < buf.len() {
            match self.inner.read(&mut buf[got..]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                // the decoder of a truncated compressed frame reports it in this way
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Err(self.cut(got, inside)),
                Err(source) => return Err(FileError::Io { path: self.path.clone(), source }),
            }
        }
        self.at += got as u64;
        Ok(got)
    }

    /// The error of a file that ends `got` bytes after this place.
    pub fn cut(&self, got: usize, inside: &'static str) -> FileError {
        FileError::Cut { path: self.path.clone(), at: self.at + got as u64, inside }
    }

    /// Fills `buf`.
    pub fn exact(&mut self, buf: &mut [u8], inside: &'static str) -> Result<(), FileError> {
        match self.fill(buf, inside)? {
            got if got == buf.len() => Ok(()),
            _ => Err(self.cut(0, inside)),
        }
    }

    /// Reads four bytes, little-endian.
    pub fn u32(&mut self, inside: &'static str) -> Result<u32, FileError> {
        let mut b = [0; 4];
        self.exact(&mut b, inside)?;
        Ok(u32::from_le_bytes(b))
    }

    /// A content error at the current position.
    pub fn content(&self, what: String) -> FileError {
        FileError::Content { path: self.path.clone(), at: self.at, what }
    }

    /// Checks bytes that began at `at` against their CRC-32.
    pub fn checksum(&self, at: u64, what: &'static str, bytes: &[u8], right: u32) -> Result<(), FileError> {
        let found = crc32fast::hash(bytes);
        if found == right {
            Ok(())
        } else {
            Err(FileError::Checksum { path: self.path.clone(), at, what, found, right })
        }
    }

    /// Seeks to byte `at`.
    pub fn go_to(&mut self, at: u64) -> Result<(), FileError>
    where
        R: Seek,
    {
        self.inner.seek(std::io::SeekFrom::Start(at)).map_err(io(Path::new(&self.path)))?;
        self.at = at;
        Ok(())
    }

    /// Seeks back by `bytes` bytes.
    pub fn step_back(&mut self, bytes: usize) -> Result<(), FileError>
    where
        R: Seek,
    {
        self.go_to(self.at - bytes as u64)
    }

    /// Reads magic and JSON. The last byte of the magic is the version; that of `magic` is the latest supported.
    pub fn header<T: serde::de::DeserializeOwned>(
        &mut self,
        kind: &'static str,
        magic: [u8; 8],
    ) -> Result<(u8, T), FileError> {
        let mut found = [0; 8];
        let got = self.fill(&mut found, "the first 8 bytes")?;
        if got < 8 || found[..7] != magic[..7] || !(1..=magic[7]).contains(&found[7]) {
            let found = if got < 8 { Vec::new() } else { found.to_vec() };
            return Err(FileError::Magic { path: self.path.clone(), kind, found, right: magic });
        }
        let len = self.u32("the header")?;
        if len > 1 << 20 {
            return Err(self.content(format!("a header of {len} bytes; it has a few hundred")));
        }
        let at = self.at;
        let mut json = vec![0; len as usize];
        self.exact(&mut json, "the header")?;
        let crc = self.u32("the header")?;
        self.checksum(at, "the header", &json, crc)?;
        let value = serde_json::from_slice(&json);
        Ok((found[7], value.map_err(|e| self.content(format!("the header is not understood: {e}")))?))
    }
}

/// Writes magic and JSON.
pub fn write_header<T: serde::Serialize>(out: &mut impl Write, magic: [u8; 8], value: &T) -> std::io::Result<()> {
    let json = serde_json::to_vec(value)?;
    out.write_all(&magic)?;
    out.write_all(&(json.len() as u32).to_le_bytes())?;
    out.write_all(&json)?;
    out.write_all(&crc32fast::hash(&json).to_le_bytes())
}

/// Lower-case hex, for build ids.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
