//! Retire files: a recorded retire stream
//!
//! After the header (see [`super`]): blocks of at most 16384 records, in global commit order, each a frame
//! ([`super::frame`]); a frame of length 0 ends the file. Unpacked, a block consists of columns, preceded by their 32-bit lengths: the order (one byte per record: the hart,
//! and bit 4 for a datum), the events of each hart, the data of each hart ([`super::record`]). The behaviour of a hart
//! repeats, so a column of one hart compresses to half the size of a mixed one. Blocks are independent and are unpacked
//! ahead.
//!
//! Version 3 is written for runs whose source knows the code that ran: frames of code ([`crate::code`]) are among the
//! blocks, and all other frames are as in version 2.
//!
//! Version 1 (read with the feature `zstd`) is one zstd frame of event records with the hart after the first byte, bit
//! 7 never set, and cycles as differences from the previous record of any hart; byte 0xff ends it.

use super::ahead::ReadAhead;
use super::frame::{code_frames, Frame, Packer};
use super::input::{self, Input};
use super::record::{put_data, put_event, Bytes, Previous, RecordError, MAX_RECORD_BYTES};
use super::{io, write_header, FileError, Replacement, Source};
use crate::code::{Change, Code, CodeBlock, CodeEncoder};
use crate::{DataEvent, FlowEvent, RetireSink};
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

/// First bytes; the last is the version that the writer produces without code.
pub const MAGIC: [u8; 8] = *b"GSHKRET\x02";
/// As [`MAGIC`], with code; the newest version.
const WITH_CODE: [u8; 8] = *b"GSHKRET\x03";
/// Most records of a block.
const BLOCK: usize = 16384;
/// Most unpacked bytes of a block.
const MAX_BYTES: usize = BLOCK * MAX_RECORD_BYTES + 4 * 33;
/// Flag in the order column: a datum, not an event.
const DATUM: u8 = 0x10;
/// Version 1: end of the records.
const END: u8 = 0xff;
/// Version 1: bytes that are unpacked at a time.
const FRAME_PART: usize = 1 << 17;

/// Description of the run in the header of a retire file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetireInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Harts.
    pub harts: u8,
    /// Address width, bits.
    pub xlen: u8,
    /// Build id of the ELF, hex.
    pub build_id: String,
    /// File name of the ELF, for display.
    pub program: String,
    /// Source of the run and its settings.
    pub source: String,
    /// For an imported run, the original thread numbers; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u16>,
    /// Its cycles only order the events and are not time: no metric per cycle is meaningful.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untimed: bool,
}

/// A writer of a retire file of events.
pub type RetireWriter = Writer<false>;
/// A writer of a retire file of events and data.
pub type DataWriter = Writer<true>;

/// A writer of a retire file; as a [`RetireSink`] it keeps the first error for [`Writer::finish`].
pub struct Writer<const DATA: bool> {
    out: Replacement,
    order: Vec<u8>,
    /// Events of each hart, then data of each hart.
    columns: Vec<Vec<u8>>,
    before: Vec<Previous>,
    unpacked: Vec<u8>,
    packer: Packer,
    code: CodeEncoder,
    error: Option<std::io::Error>,
    path: PathBuf,
}

impl<const DATA: bool> Writer<DATA> {
    /// Starts the file.
    pub fn create(path: &Path, info: &RetireInfo) -> Result<Self, FileError> {
        Self::start(path, info, MAGIC)
    }

    /// Starts a file that also contains the code that ran.
    pub fn create_with_code(path: &Path, info: &RetireInfo) -> Result<Self, FileError> {
        Self::start(path, info, WITH_CODE)
    }

    fn start(path: &Path, info: &RetireInfo, magic: [u8; 8]) -> Result<Self, FileError> {
        let mut out = Replacement::create(path)?;
        write_header(&mut out, magic, info).map_err(io(path))?;
        let harts = usize::from(info.harts);
        Ok(Self {
            out,
            order: Vec::with_capacity(BLOCK),
            columns: vec![Vec::new(); 2 * harts],
            before: vec![Previous::default(); harts],
            unpacked: Vec::new(),
            packer: Packer::default(),
            code: CodeEncoder::default(),
            error: None,
            path: path.to_path_buf(),
        })
    }

    /// Compresses and writes the records so far; without any, the end of the file.
    fn flush(&mut self) {
        self.unpacked.clear();
        if !self.order.is_empty() {
            let columns = || std::iter::once(&self.order).chain(&self.columns);
            self.unpacked.extend(columns().flat_map(|c| (c.len() as u32).to_le_bytes()));
            columns().for_each(|c| self.unpacked.extend_from_slice(c));
        }
        let packed = self.packer.pack(&self.unpacked);
        if self.error.is_none() {
            self.error = self.out.write_all(packed).err();
        }
        self.order.clear();
        self.columns.iter_mut().for_each(Vec::clear);
        self.before.fill(Previous::default());
    }

    /// Writes the code that was taken so far, if it fills a frame or is the `last`.
    fn flush_code(&mut self, last: bool) {
        if let Some(packed) = self.packer.pack_code(&mut self.code, last) {
            if self.error.is_none() {
                self.error = self.out.write_all(packed).err();
            }
        }
    }

    /// Takes a block of code, numbered from 0. Only in a file with code.
    pub fn code_block(&mut self, block: &CodeBlock) {
        self.code.block(block);
        self.flush_code(false);
    }

    /// Takes a change of the code. Only in a file with code.
    pub fn code_change(&mut self, change: Change) {
        self.code.change(change);
        self.flush_code(false);
    }

    #[inline]
    fn ordered(&mut self, byte: u8) {
        self.order.push(byte);
        if self.order.len() == BLOCK {
            self.flush();
        }
    }

    /// Whether a write has failed; [`Writer::finish`] returns the error.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Completes the file and moves it to its path; returns its size in bytes.
    pub fn finish(mut self) -> Result<u64, FileError> {
        if !self.order.is_empty() {
            self.flush();
        }
        self.flush_code(true);
        self.flush();
        match self.error {
            Some(e) => Err(io(&self.path)(e)),
            None => self.out.commit(),
        }
    }
}

impl<const DATA: bool> RetireSink for Writer<DATA> {
    const WANTS_DATA: bool = DATA;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        put_event(e, &mut self.before[hart], &mut self.columns[hart]);
        self.ordered(e.hart);
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        let hart = usize::from(d.hart);
        let column = self.before.len() + hart;
        put_data(d, &mut self.before[hart], &mut self.columns[column]);
        self.ordered(d.hart | DATUM);
    }
}

/// A reader of a retire file, block by block.
#[derive(Debug)]
pub struct RetireReader {
    blocks: ReadAhead,
    version: u8,
    info: RetireInfo,
    path: String,
    before: Vec<Previous>,
    /// Version 1: bytes of a record that continues in the next block.
    rest: Vec<u8>,
    /// Unpacked bytes before the next block.
    at: u64,
}

impl RetireReader {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut source = Source::new(BufReader::with_capacity(1 << 16, input::open(path)?), path);
        let (version, info): (u8, RetireInfo) = source.header("retire file", WITH_CODE)?;
        if !(1..=16).contains(&info.harts) {
            return Err(source.content(format!("{} harts, expected 1 to 16", info.harts)));
        }
        let path = source.path.clone();
        let blocks = match version {
            1 => unzip(source)?,
            _ => ReadAhead::new(move || block(&mut source)),
        };
        let before = vec![Previous::default(); usize::from(info.harts)];
        Ok(Self { blocks, version, info, path, before, rest: Vec::new(), at: 0 })
    }

    /// Description of the run in the header.
    pub fn info(&self) -> &RetireInfo {
        &self.info
    }

    fn content(&self, what: &str) -> FileError {
        FileError::Content { path: self.path.clone(), at: self.at, what: format!("of the unpacked data: {what}") }
    }

    /// Reports the next block of the run to `sink`; false at its end.
    pub fn next_block<S: RetireSink>(&mut self, sink: &mut S) -> Result<bool, FileError> {
        let Some(block) = self.blocks.next()? else { return Ok(false) };
        let reported = if self.version == 1 { self.frame(&block, sink) } else { self.columns(&block, sink) };
        self.at += block.len() as u64;
        match reported {
            Ok(()) => Ok(true),
            Err(RecordError::Truncated) => Err(self.content("a record continues after the end of its column")),
            Err(RecordError::Invalid(what)) => Err(self.content(&what)),
        }
    }

    /// Reports the rest of the run to `sink`.
    pub fn read_rest(&mut self, sink: &mut impl RetireSink) -> Result<(), FileError> {
        while self.next_block(sink)? {}
        Ok(())
    }

    fn columns<S: RetireSink>(&mut self, block: &[u8], sink: &mut S) -> Result<(), RecordError> {
        let harts = self.before.len();
        self.before.fill(Previous::default());
        let lengths = block.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
        let mut rest = block.get(4 * (1 + 2 * harts)..).ok_or(RecordError::Truncated)?;
        let mut columns = [Bytes(&[]); 33];
        for (column, length) in columns[..1 + 2 * harts].iter_mut().zip(lengths) {
            let (bytes, behind) = rest.split_at_checked(length).ok_or(RecordError::Truncated)?;
            *column = Bytes(bytes);
            rest = behind;
        }
        let (order, columns) = columns.split_at_mut(1);
        let (events, data) = columns.split_at_mut(harts);
        for &byte in order[0].0 {
            let hart = usize::from(byte & !DATUM);
            let before = self.before.get_mut(hart).ok_or_else(|| no_hart(byte, harts))?;
            if byte & DATUM == 0 {
                let first = events[hart].byte()?;
                sink.event(&events[hart].event(first, byte, before)?);
            } else {
                let datum = data[hart].data(byte & !DATUM, before)?;
                if S::WANTS_DATA {
                    sink.data(&datum);
                }
            }
        }
        if events.iter().chain(data.iter()).all(|c| c.0.is_empty()) && rest.is_empty() {
            return Ok(());
        }
        Err(RecordError::Invalid("bytes that belong to no record".into()))
    }

    /// Reports a part of the one frame of version 1. The cycle of the previous record is kept at hart 0.
    fn frame(&mut self, block: &[u8], sink: &mut impl RetireSink) -> Result<(), RecordError> {
        let harts = self.before.len();
        let mut joined = std::mem::take(&mut self.rest);
        joined.extend_from_slice(block);
        let mut bytes = Bytes(&joined);
        let last = block.len() < FRAME_PART;
        let mut cycle = self.before[0].cycle;
        // a record may continue in the next part
        while last || bytes.0.len() >= MAX_RECORD_BYTES {
            let byte = bytes.byte()?;
            if byte == END {
                let over = last && bytes.0.is_empty();
                return if over { Ok(()) } else { Err(RecordError::Invalid("bytes follow the end record".into())) };
            }
            if byte & 0x80 != 0 {
                return Err(RecordError::Invalid(format!("event kind 0x{byte:02x} is not defined in version 1")));
            }
            let hart = bytes.byte()?;
            let before = self.before.get_mut(usize::from(hart)).ok_or_else(|| no_hart(hart, harts))?;
            before.cycle = cycle;
            let event = bytes.event(byte, hart, before)?;
            cycle = event.cycle;
            sink.event(&event);
        }
        self.before[0].cycle = cycle;
        self.rest = bytes.0.to_vec();
        Ok(())
    }
}

fn no_hart(hart: u8, harts: usize) -> RecordError {
    RecordError::Invalid(format!("hart {hart}, but the file has {harts} harts"))
}

/// The next block, unpacked; `None` at the end of the file.
fn block(source: &mut Source<BufReader<Input>>) -> Result<Option<Vec<u8>>, FileError> {
    while let Some(frame) = Frame::read(source, MAX_BYTES)? {
        if !frame.is_code() {
            return frame.unpack(source).map(Some);
        }
    }
    ends(source)?;
    Ok(None)
}

/// Checks that the file ends after its last frame.
fn ends(source: &mut Source<BufReader<Input>>) -> Result<(), FileError> {
    match source.fill(&mut [0], "a block of records")? {
        0 => Ok(()),
        _ => Err(source.content("bytes follow the end of the run".into())),
    }
}

/// The code of the run in the file at `path`; `None` if it carries none.
pub fn read_code(path: &Path) -> Result<Option<Code>, FileError> {
    let mut source = Source::new(BufReader::with_capacity(1 << 16, input::open(path)?), path);
    let (version, _): (u8, RetireInfo) = source.header("retire file", WITH_CODE)?;
    if version < WITH_CODE[7] {
        return Ok(None);
    }
    let code = code_frames(&mut source, MAX_BYTES)?;
    ends(&mut source)?;
    Ok(Some(code))
}

/// The frame of version 1 in parts, all of the same size except the last, which is shorter.
#[cfg(feature = "zstd")]
fn unzip(source: Source<BufReader<Input>>) -> Result<ReadAhead, FileError> {
    let Source { inner, path, .. } = source;
    let inner = zstd::Decoder::with_buffer(inner).map_err(io(Path::new(&path)))?;
    let (mut source, mut over) = (Source { inner, path, at: 0 }, false);
    Ok(ReadAhead::new(move || {
        if over {
            return Ok(None);
        }
        let mut part = vec![0; FRAME_PART];
        let got = source.fill(&mut part, "the events")?;
        part.truncate(got);
        over = got < FRAME_PART;
        Ok(Some(part))
    }))
}

#[cfg(not(feature = "zstd"))]
fn unzip(source: Source<BufReader<Input>>) -> Result<ReadAhead, FileError> {
    Err(source.content("a retire file of version 1, for which the feature `zstd` is needed".into()))
}
