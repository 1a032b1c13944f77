//! Trace files: the raw stream with what is needed to replay it
//!
//! After the header (see [`retire::file`]): blocks of a 32-bit word count (1 to 16384), the words, and their
//! CRC-32; a count of 0 ends the file. All little-endian. A trace of control flow begins with `GSHKTRC`, one of the scheme
//! `inputs` with `GSHKINP`, one of load values with `GSHKLDV`. `docs/reference/gtr.md` has it to the byte. Words without such a file
//! around them are read too ([`words`]).

pub mod reread;
pub mod words;

use crate::params::TraceParams;
use crate::platform::MAGIC;
use crate::scheme::cfiat::CfiatParams;
use crate::scheme::inputs::InputsParams;
use retire::file::input::{self, Input};
use retire::file::{io, write_header, FileError, Replacement, Source};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Write};
use std::path::Path;
use words::Layout;

const BLOCK: usize = 16384;
/// Bytes in front of the first header at most.
const HEADLESS: u64 = 1 << 24;

/// What a file of words says of itself.
pub trait FileInfo: Serialize + DeserializeOwned {
    /// Its first bytes.
    const MAGIC: [u8; 8];
    /// What it is called in errors.
    const NAME: &'static str;
    /// Refuses what cannot be; the error says why.
    fn check(&self) -> Result<(), String>;
}

/// What a trace file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Everything that shapes the stream.
    pub params: TraceParams,
    /// Name of the parameter set, where it has one.
    pub set: Option<String>,
    /// Build id of the ELF, hex; empty when it is not known.
    pub build_id: String,
    /// File name of the ELF, for people.
    pub program: String,
}

impl FileInfo for TraceInfo {
    const MAGIC: [u8; 8] = *b"GSHKTRC\x01";
    const NAME: &'static str = "trace file";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// What a file of the scheme `inputs` says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputsInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Everything that shapes the stream.
    pub params: InputsParams,
    /// Build id of the ELF, hex; empty when it is not known.
    pub build_id: String,
    /// File name of the ELF, for people.
    pub program: String,
}

impl FileInfo for InputsInfo {
    const MAGIC: [u8; 8] = *b"GSHKINP\x01";
    const NAME: &'static str = "record-and-replay file";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// What a file of load values says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValuesInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Everything that shapes the stream.
    pub params: CfiatParams,
    /// Build id of the ELF, hex.
    pub build_id: String,
    /// File name of the ELF, for people.
    pub program: String,
}

impl FileInfo for ValuesInfo {
    const MAGIC: [u8; 8] = *b"GSHKLDV\x01";
    const NAME: &'static str = "file of load values";

    fn check(&self) -> Result<(), String> {
        self.params.check().map_err(|e| e.to_string())
    }
}

/// Writes a trace file.
#[derive(Debug)]
pub struct TraceWriter {
    out: Replacement,
    pending: Vec<u8>,
    path: std::path::PathBuf,
}

impl TraceWriter {
    /// Begins the file.
    pub fn create<I: FileInfo>(path: &Path, info: &I) -> Result<Self, FileError> {
        let mut out = Replacement::create(path)?;
        write_header(&mut out, I::MAGIC, info).map_err(io(path))?;
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

    /// Ends the file and moves it to its place.
    pub fn finish(mut self) -> Result<(), FileError> {
        if !self.pending.is_empty() {
            self.block()?;
        }
        self.out.write_all(&0u32.to_le_bytes()).map_err(io(&self.path))?;
        self.out.commit().map(drop)
    }
}

/// Reads a trace file; iterates over its words, and stops at an error, which [`TraceReader::error`]
/// then tells.
#[derive(Debug)]
pub struct TraceReader<I = TraceInfo> {
    source: Source<BufReader<Input>>,
    layout: Layout,
    info: I,
    block: Vec<u8>,
    next: usize,
    ended: bool,
    /// Of words alone: a header was among them.
    headed: bool,
    error: Option<FileError>,
}

impl<I: FileInfo> TraceReader<I> {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut source = Source::new(BufReader::new(input::open(path)?), path);
        let (_, info): (u8, I) = source.header(I::NAME, I::MAGIC)?;
        info.check().map_err(|e| source.content(format!("impossible parameters: {e}")))?;
        Ok(Self {
            source,
            layout: Layout::Blocks,
            info,
            block: Vec::new(),
            next: 0,
            ended: false,
            headed: false,
            error: None,
        })
    }

    /// Opens a file of words alone, which are as `info` says.
    pub fn of_words(path: &Path, info: I) -> Result<Self, FileError> {
        let layout = words::layout(path)?;
        let source = Source::new(BufReader::new(input::open(path)?), path);
        Ok(Self { source, layout, info, block: Vec::new(), next: 0, ended: false, headed: false, error: None })
    }

    /// Words in the file, where its size tells that, nearly: for progress.
    pub fn expected_words(&self) -> Option<u64> {
        let bytes = self.source.inner.get_ref().size()?;
        match self.layout {
            Layout::Blocks | Layout::Bytes { .. } => Some(bytes / 4),
            Layout::Text => None,
        }
    }

    /// What the file says of itself.
    pub fn info(&self) -> &I {
        &self.info
    }

    /// Bytes read so far, for progress.
    pub fn position(&self) -> u64 {
        self.source.at
    }

    /// Why the words ended early, where they did. To be asked before a stream's end is believed.
    pub fn error(&mut self) -> Option<FileError> {
        self.error.take()
    }

    fn load(&mut self) -> Result<(), FileError> {
        self.block.clear();
        self.next = 0;
        let loaded = match self.layout {
            Layout::Blocks => return self.load_block(),
            Layout::Bytes { big } => words::load_bytes(&mut self.source, &mut self.block, big),
            Layout::Text => words::load_text(&mut self.source, &mut self.block),
        };
        self.ended = loaded.is_ok() && self.block.is_empty();
        self.headed = self.headed || self.block.windows(4).any(|bytes| bytes == MAGIC.to_le_bytes());
        if !self.headed && self.source.at > HEADLESS {
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
        self.source.exact(&mut self.block, "the words")?;
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
            if let Err(e) = self.load() {
                self.error = Some(e);
                return None;
            }
            if self.ended {
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
