//! Trace files: the raw stream, with the information that is needed to replay it
//!
//! After the header (see [`retire::file`]) come blocks of a 32-bit word count (1 to 16384), the words, and their
//! CRC-32; a count of 0 ends the file. In a file of version 2, the code that ran is in front of them
//! ([`retire::file::frame`]). All numbers are little-endian. A control-flow trace begins with `GSHKTRC`, one of scheme
//! `inputs` with `GSHKINP`, one of load values with `GSHKLDV`. `docs/reference/gtr.md` describes the layout to the byte. Words without
//! such a file around them can be read too ([`words`]).

pub mod reread;
pub mod words;

use crate::params::TraceParams;
use crate::platform::MAGIC;
use crate::scheme::cfiat::CfiatParams;
use crate::scheme::inputs::InputsParams;
use retire::code::Code;
use retire::file::frame::{read_code, write_code};
use retire::file::input::{self, Input};
use retire::file::{io, write_header, FileError, Replacement, Source};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Write};
use std::path::Path;
use words::Layout;

const BLOCK: usize = 16384;
/// Maximum number of bytes before the first header.
const MAX_PREAMBLE: u64 = 1 << 24;

/// The metadata of a file of words.
pub trait FileInfo: Serialize + DeserializeOwned {
    /// Its first bytes.
    const MAGIC: [u8; 8];
    /// Name of the kind of file in errors.
    const NAME: &'static str;
    /// Rejects invalid contents; the error gives the reason.
    fn check(&self) -> Result<(), String>;
}

/// Metadata of a trace file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Parameters of the stream.
    pub params: TraceParams,
    /// Name of the parameter set, if it has one.
    pub set: Option<String>,
    /// Build ID of the ELF, hex; empty if it is not known.
    pub build_id: String,
    /// File name of the ELF, for information only.
    pub program: String,
}

impl FileInfo for TraceInfo {
    const MAGIC: [u8; 8] = *b"GSHKTRC\x01";
    const NAME: &'static str = "trace file";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// Metadata of a file of scheme `inputs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputsInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Parameters of the stream.
    pub params: InputsParams,
    /// Build ID of the ELF, hex; empty if it is not known.
    pub build_id: String,
    /// File name of the ELF, for information only.
    pub program: String,
}

impl FileInfo for InputsInfo {
    const MAGIC: [u8; 8] = *b"GSHKINP\x01";
    const NAME: &'static str = "record-and-replay file";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// Metadata of a file of load values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Parameters of the stream.
    pub params: CfiatParams,
    /// Build ID of the ELF, hex.
    pub build_id: String,
    /// File name of the ELF, for information only.
    pub program: String,
}

impl FileInfo for ValuesInfo {
    const MAGIC: [u8; 8] = *b"GSHKLDV\x01";
    const NAME: &'static str = "file of load values";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// The first bytes of a file that also contains code.
fn with_code(mut magic: [u8; 8]) -> [u8; 8] {
    magic[7] += 1;
    magic
}

/// Writer of a trace file.
#[derive(Debug)]
pub struct TraceWriter {
    out: Replacement,
    pending: Vec<u8>,
    path: std::path::PathBuf,
}

impl TraceWriter {
    /// Creates the file and writes its header.
    pub fn create<I: FileInfo>(path: &Path, info: &I) -> Result<Self, FileError> {
        let mut out = Replacement::create(path)?;
        write_header(&mut out, I::MAGIC, info).map_err(io(path))?;
        Ok(Self { out, pending: Vec::with_capacity(4 * BLOCK), path: path.to_path_buf() })
    }

    /// As [`TraceWriter::create`], for a trace of a run with this code.
    pub fn create_with_code<I: FileInfo>(path: &Path, info: &I, code: &Code) -> Result<Self, FileError> {
        let mut out = Replacement::create(path)?;
        write_header(&mut out, with_code(I::MAGIC), info).map_err(io(path))?;
        write_code(&mut out, code).map_err(io(path))?;
        Ok(Self { out, pending: Vec::with_capacity(4 * BLOCK), path: path.to_path_buf() })
    }

    /// Appends words.
    pub fn write(&mut self, words: impl IntoIterator<Item = u32>) -> Result<(), FileError> {
        for word in words {
            self.pending.extend_from_slice(&word.to_le_bytes());
            if self.pending.len() == 4 * BLOCK {
                self.block()?;
            }
        }
        Ok(())
    }

    fn block(&mut self) -> Result<(), FileError> {
        let mut put = |bytes: &[u8]| self.out.write_all(bytes).map_err(io(&self.path));
        put(&(self.pending.len() as u32 / 4).to_le_bytes())?;
        put(&self.pending)?;
        put(&crc32fast::hash(&self.pending).to_le_bytes())?;
        self.pending.clear();
        Ok(())
    }

    /// Ends the file and moves it to its final path.
    pub fn finish(mut self) -> Result<(), FileError> {
        if !self.pending.is_empty() {
            self.block()?;
        }
        self.out.write_all(&0u32.to_le_bytes()).map_err(io(&self.path))?;
        self.out.commit().map(drop)
    }
}

/// Reader of a trace file. Iterates over its words and stops at an error, which [`TraceReader::error`]
/// returns.
#[derive(Debug)]
pub struct TraceReader<I = TraceInfo> {
    source: Source<BufReader<Input>>,
    layout: Layout,
    info: I,
    code: Option<Code>,
    block: Vec<u8>,
    next: usize,
    ended: bool,
    /// For words without a file: a header has been read.
    header_found: bool,
    error: Option<FileError>,
}

impl<I: FileInfo> TraceReader<I> {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut source = Source::new(BufReader::new(input::open(path)?), path);
        let (version, info): (u8, I) = source.header(I::NAME, with_code(I::MAGIC))?;
        info.check().map_err(|e| source.content(format!("impossible parameters: {e}")))?;
        let code = if version > I::MAGIC[7] { Some(read_code(&mut source)?) } else { None };
        Ok(Self {
            source,
            layout: Layout::Blocks,
            info,
            code,
            block: Vec::new(),
            next: 0,
            ended: false,
            header_found: false,
            error: None,
        })
    }

    /// Opens a file that contains only words; `info` describes them.
    pub fn of_words(path: &Path, info: I) -> Result<Self, FileError> {
        let layout = words::layout(path)?;
        let source = Source::new(BufReader::new(input::open(path)?), path);
        let (code, block) = (None, Vec::new());
        Ok(Self { source, layout, info, code, block, next: 0, ended: false, header_found: false, error: None })
    }

    /// Approximate number of words, if the file size determines it; for progress.
    pub fn expected_words(&self) -> Option<u64> {
        let bytes = self.source.inner.get_ref().size()?;
        match self.layout {
            Layout::Blocks | Layout::Bytes { .. } => Some(bytes / 4),
            Layout::Text => None,
        }
    }

    /// Metadata of the file.
    pub fn info(&self) -> &I {
        &self.info
    }

    /// Whether the file contains the code of the run, and it was not taken.
    pub fn has_code(&self) -> bool {
        self.code.is_some()
    }

    /// Takes the code of the run, if the file contains it.
    pub fn take_code(&mut self) -> Option<Code> {
        self.code.take()
    }

    /// Bytes read so far, for progress.
    pub fn position(&self) -> u64 {
        self.source.at
    }

    /// Takes the error that ended the words early, if there was one. To be checked before the end of a stream is trusted.
    pub fn error(&mut self) -> Option<FileError> {
        self.error.take()
    }

    fn load(&mut self) -> Result<(), FileError> {
        self.block.clear();
        self.next = 0;
        let loaded = match self.layout {
            Layout::Blocks => return self.load_block(),
            Layout::Bytes { big_endian } => words::load_bytes(&mut self.source, &mut self.block, big_endian),
            Layout::Text => words::load_text(&mut self.source, &mut self.block),
        };
        self.ended = loaded.is_ok() && self.block.is_empty();
        self.header_found = self.header_found || self.block.windows(4).any(|bytes| bytes == MAGIC.to_le_bytes());
        if !self.header_found && self.source.at > MAX_PREAMBLE {
            self.block.clear();
            return Err(self.source.content(format!("no header 0x{MAGIC:08x} in front of here; this is no trace")));
        }
        loaded
    }

    fn load_block(&mut self) -> Result<(), FileError> {
        let count = self.source.u32("the words")? as usize;
        if count == 0 {
            self.ended = true;
            return Ok(());
        }
        if count > BLOCK {
            return Err(self.source.content(format!("a block of {count} words; at most {BLOCK} are in one")));
        }
        let at = self.source.at;
        self.block.resize(4 * count, 0);
        let got = self.source.fill(&mut self.block, "the words")?;
        // of a file that was cut, what is there is good: streams have their own marks of an end
        self.block.truncate(got / 4 * 4);
        if got < 4 * count {
            return Err(self.source.cut(0, "the words"));
        }
        let crc = self.source.u32("the words")?;
        let checked = self.source.checksum(at, "a block of words", &self.block, crc);
        if checked.is_err() {
            self.block.clear();
        }
        checked
    }
}

impl<I: FileInfo> Iterator for TraceReader<I> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.next == self.block.len() {
            if self.ended || self.error.is_some() {
                return None;
            }
            self.error = self.load().err();
            if self.block.is_empty() {
                return None;
            }
        }
        let word = self.block[self.next..self.next + 4].try_into().ok().map(u32::from_le_bytes);
        self.next += 4;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::named_set;

    pub(super) fn info() -> TraceInfo {
        TraceInfo {
            tool: "test".into(),
            params: TraceParams::tr(named_set("small").unwrap().params),
            set: Some("small".into()),
            build_id: "00ff".into(),
            program: "p.elf".into(),
        }
    }

    pub(super) fn file(words: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.gtr");
        let mut w = TraceWriter::create(&path, &info()).unwrap();
        w.write(0..words).unwrap();
        w.finish().unwrap();
        (dir, path)
    }

    #[test]
    fn words_and_header_come_back() {
        for words in [0, 1, BLOCK as u32, BLOCK as u32 + 1, 40_000] {
            let (_dir, path) = file(words);
            let mut r = TraceReader::<TraceInfo>::open(&path).unwrap();
            assert_eq!(*r.info(), info());
            assert!(r.by_ref().eq(0..words));
            assert!(r.error().is_none());
        }
    }

    #[test]
    fn code_comes_back_in_front_of_the_words() {
        let block = |n: u32| retire::code::CodeBlock {
            start: u64::from(n) << 6,
            sizes: vec![2, 4],
            bytes: n.to_le_bytes().into_iter().chain([0; 2]).collect(),
            flow: None,
        };
        let change = retire::code::Change { hart: 1, retired: 7, block: 3 };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.gtr");
        for blocks in [0, 4, 20_000] {
            let changes = if blocks > 0 { vec![change; 2] } else { Vec::new() };
            let code = Code { blocks: (0..blocks).map(block).collect(), changes };
            let mut w = TraceWriter::create_with_code(&path, &info(), &code).unwrap();
            w.write(0..100).unwrap();
            w.finish().unwrap();
            let mut r = TraceReader::<TraceInfo>::open(&path).unwrap();
            assert_eq!(r.take_code(), Some(code));
            assert!(r.by_ref().eq(0..100) && r.error().is_none());
        }
        let whole = std::fs::read(&path).unwrap();
        for bit in (0..8 * whole.len()).step_by(whole.len() / 10) {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, flipped).unwrap();
            let read = TraceReader::<TraceInfo>::open(&path).map(|mut r| (r.by_ref().count(), r.error().is_none()));
            assert!(!matches!(read, Ok((100, true))), "bit {bit}");
        }
    }

    #[test]
    fn cuts_and_flipped_bits_are_noticed() {
        let (dir, path) = file(100);
        let good = std::fs::read(&path).unwrap();
        let bad = dir.path().join("bad.gtr");
        let read = |bytes: &[u8]| {
            std::fs::write(&bad, bytes).unwrap();
            let mut r = TraceReader::<TraceInfo>::open(&bad)?;
            let n = r.by_ref().count();
            r.error().map_or(Ok(n), Err)
        };
        assert_eq!(read(&good).unwrap(), 100);
        for len in (0..good.len()).step_by(3) {
            read(&good[..len]).unwrap_err();
        }
        for bit in (0..8 * good.len()).step_by(5) {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&flipped).is_err(), "bit {bit}");
        }
    }
}
