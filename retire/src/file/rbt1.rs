//! `rbt1` files: branch traces in a simple exchange format
//!
//! 8 bytes of magic, `RBT1` and four zeros, then 24-byte little-endian records in global commit order;
//! usually the whole file is zstd-compressed, which is told by its first bytes.
//!
//! | bytes | content |
//! | ---: | --- |
//! | 0 | kind: 0 conditional not taken, 1 conditional taken, 2 direct jump, 3 direct call, 4 indirect jump, 5 indirect call, 6 return, 7 exception or interrupt, 8 exception return |
//! | 1 | length of the instruction, bytes: 1 to 15; with kind 7 it is not looked at |
//! | 3:2 | thread |
//! | 7:4 | instructions retired by the thread since its previous record, this one included |
//! | 15:8 | pc |
//! | 23:16 | target |
//!
//! # As a retire stream
//! [`Rbt1Reader`] makes harts of the threads, in the order in which they appear. What a record does not say
//! is filled in:
//!
//! * **Start**: where a thread began is not in the file. If its first record is of kind 7, the hart starts
//!   at that record's target; else at the pc of its first branch, with a count of 1, and the instructions
//!   before that branch are left out.
//! * **Stop**: one a hart at the end of the file, by hart. If the last record of a thread is of kind 7 with
//!   `pc == target` and length 0, it is the stop, with its pc and count; else the hart stops right behind
//!   its last record. [`Rbt1Writer`] writes starts and stops in this form, so they come back.
//! * **cycle**: instructions of all threads so far (1 at least for a record), so cycles rise strictly,
//!   commit order is file order, no hart retires two instructions in a cycle, and bits per cycle are bits
//!   per instruction.
//! * a conditional branch that is not taken, or is taken to its fall-through, goes to its fall-through:
//!   a target in its record is not looked at.
//! * kind 7 is an exception without a cause; its count takes no instruction at `pc`.
//!
//! # From a retire stream
//! [`Rbt1Writer`] loses cycles and causes of traps, and writes a co-routine swap as a return. A gap or a
//! conditional indirect branch has no kind, and is refused.

use super::{io, FileError, Replacement};
use crate::{FlowEvent, FlowKind, RetireSink};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The first 8 bytes.
pub const MAGIC: [u8; 8] = *b"RBT1\0\0\0\0";
/// First bytes of a zstd frame.
pub const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes of a record.
pub const RECORD_BYTES: usize = 24;
/// Threads that can become harts.
pub const MAX_THREADS: usize = 8;
/// Bytes read at once.
const BLOCK: usize = RECORD_BYTES * 2730;

/// One record, as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// 0 to 8, see the table above.
    pub kind: u8,
    /// Bytes of the instruction.
    pub len: u8,
    /// Thread.
    pub thread: u16,
    /// Instructions of the thread since its previous record, this one included.
    pub count: u32,
    /// Address of the instruction.
    pub pc: u64,
    /// Where it went.
    pub target: u64,
}

impl Record {
    /// Takes the fields from their bytes, without looking at their sense.
    #[inline]
    pub fn from_bytes(b: &[u8; RECORD_BYTES]) -> Self {
        let word = |at: usize| u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|i| b[at + i]));
        let head = word(0);
        Self {
            kind: head as u8,
            len: (head >> 8) as u8,
            thread: (head >> 16) as u16,
            count: (head >> 32) as u32,
            pc: word(8),
            target: word(16),
        }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut b = [0; RECORD_BYTES];
        b[0] = self.kind;
        b[1] = self.len;
        b[2..4].copy_from_slice(&self.thread.to_le_bytes());
        b[4..8].copy_from_slice(&self.count.to_le_bytes());
        b[8..16].copy_from_slice(&self.pc.to_le_bytes());
        b[16..24].copy_from_slice(&self.target.to_le_bytes());
        b
    }

    /// What no source can mean by it.
    #[inline]
    fn fault(&self) -> Option<String> {
        if self.kind > 8 {
            return Some(format!("kind {} is not defined; 0 to 8 are", self.kind));
        }
        if self.kind == 7 {
            return None;
        }
        if !(1..=15).contains(&self.len) {
            return Some(format!("an instruction of {} bytes; 1 to 15 are possible", self.len));
        }
        (self.count == 0).then(|| "a count of 0 at an instruction that retires; 1 is the least".into())
    }

    /// Written by [`Rbt1Writer`] at the stop of a hart.
    fn is_stop(&self) -> bool {
        self.kind == 7 && self.len == 0 && self.pc == self.target
    }
}

/// Reads records, in blocks of bounded size.
struct Records {
    inner: Box<dyn Read + Send>,
    path: String,
    compressed: bool,
    block: Vec<u8>,
    at: usize,
    /// Records handed out.
    index: u64,
}

impl Records {
    fn open(path: &Path) -> Result<Self, FileError> {
        let mut file = File::open(path).map_err(io(path))?;
        let mut head = Vec::with_capacity(8);
        (&mut file).take(4).read_to_end(&mut head).map_err(io(path))?;
        let compressed = head == ZSTD_MAGIC;
        let whole = std::io::Cursor::new(head).chain(file);
        let inner: Box<dyn Read + Send> = if compressed {
            Box::new(zstd::Decoder::new(whole).map_err(io(path))?)
        } else {
            Box::new(BufReader::new(whole))
        };
        let path_text = path.display().to_string();
        let mut records = Self { inner, path: path_text, compressed, block: Vec::new(), at: 0, index: 0 };
        let mut magic = [0; 8];
        let got = records.fill(&mut magic)?;
        if magic[..got] != MAGIC {
            let found = magic[..got].to_vec();
            return Err(FileError::Magic { path: records.path, kind: "branch trace (rbt1)", found, right: MAGIC });
        }
        Ok(records)
    }

    /// An error at the record that is read, with its place in the uncompressed data.
    fn error(&self, what: &str) -> FileError {
        let at = 8 + self.index * RECORD_BYTES as u64;
        let of = if self.compressed { " (of the uncompressed data)" } else { "" };
        FileError::Content { path: self.path.clone(), at, what: format!("record {}{of}: {what}", self.index) }
    }

    /// Reads until `buf` is full or the data end.
    fn fill(&mut self, buf: &mut [u8]) -> Result<usize, FileError> {
        let mut got = 0;
        while got < buf.len() {
            match self.inner.read(&mut buf[got..]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.index += (got / RECORD_BYTES) as u64;
                    return Err(if !self.compressed {
                        FileError::Io { path: self.path.clone(), source: e }
                    } else if e.kind() == std::io::ErrorKind::UnexpectedEof {
                        self.error("the compressed data end here, inside a frame; the file was cut")
                    } else {
                        self.error(&format!("the compressed data are damaged: {e}"))
                    });
                }
            }
        }
        Ok(got)
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Record>, FileError> {
        if self.at == self.block.len() {
            self.at = 0;
            let mut block = std::mem::take(&mut self.block);
            block.resize(BLOCK, 0);
            let got = self.fill(&mut block)?;
            block.truncate(got);
            self.block = block;
            if got == 0 {
                return Ok(None);
            }
        }
        let Some(bytes) = self.block[self.at..].first_chunk() else {
            let left = self.block.len() - self.at;
            return Err(self.error(&format!("the file ends after {left} of its {RECORD_BYTES} bytes; it was cut")));
        };
        let record = Record::from_bytes(bytes);
        if let Some(fault) = record.fault() {
            return Err(self.error(&fault));
        }
        self.at += RECORD_BYTES;
        self.index += 1;
        Ok(Some(record))
    }
}

/// What can only be known when all records have been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rbt1Info {
    /// The threads, by hart.
    pub threads: Vec<u16>,
    /// Records.
    pub records: u64,
    /// Low bits that are 0 in every address, at most 2.
    pub align: u8,
    /// 32 where every address has at most 32 bits, else 64.
    pub xlen: u8,
    /// CRC-32 of all records: names the contents.
    pub crc: u32,
}

impl Rbt1Info {
    /// Reads the file at `path` once.
    pub fn scan(path: &Path) -> Result<Self, FileError> {
        let mut reader = Rbt1Reader::open(path)?;
        let mut crc = crc32fast::Hasher::new();
        let mut all = 0;
        while let Some(r) = reader.records.next()? {
            reader.hart(r.thread)?;
            crc.update(&r.to_bytes());
            all |= r.pc | r.target;
        }
        Ok(Self {
            threads: reader.harts.iter().map(|h| h.thread).collect(),
            records: reader.records.index,
            align: all.trailing_zeros().min(2) as u8,
            xlen: if all >> 32 == 0 { 32 } else { 64 },
            crc: crc.finalize(),
        })
    }

    /// Stands for the build id of a program that is not there: the contents of the file.
    pub fn build_id(&self) -> String {
        format!("rbt1-{:08x}-{:x}", self.crc, self.records)
    }
}

#[derive(Clone, Debug)]
struct HartState {
    thread: u16,
    /// Target of the last record; `None` before the first.
    next_pc: Option<u64>,
    /// A record that is the stop if no other one of the thread follows.
    stop: Option<Record>,
}

/// Reads an `rbt1` file, compressed or not, as the events of a retire stream.
pub struct Rbt1Reader {
    records: Records,
    harts: Vec<HartState>,
    queue: VecDeque<FlowEvent>,
    cycle: u64,
    ended: bool,
}

impl Rbt1Reader {
    /// Opens the file and checks its first bytes.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let records = Records::open(path)?;
        Ok(Self { records, harts: Vec::new(), queue: VecDeque::new(), cycle: 0, ended: false })
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.records.index
    }

    /// The hart of a thread.
    #[inline]
    fn hart(&mut self, thread: u16) -> Result<usize, FileError> {
        if let Some(hart) = self.harts.iter().position(|h| h.thread == thread) {
            return Ok(hart);
        }
        if self.harts.len() == MAX_THREADS {
            self.records.index -= 1;
            let what = format!("thread {thread} is the ninth; {MAX_THREADS} threads can become harts");
            return Err(self.records.error(&what));
        }
        self.harts.push(HartState { thread, next_pc: None, stop: None });
        Ok(self.harts.len() - 1)
    }

    /// The next event, or `None` at the end.
    pub fn next_event(&mut self) -> Result<Option<FlowEvent>, FileError> {
        while self.queue.is_empty() && !self.ended {
            match self.records.next()? {
                Some(record) => self.take(&record)?,
                None => self.end(),
            }
        }
        Ok(self.queue.pop_front())
    }

    #[inline]
    fn take(&mut self, r: &Record) -> Result<(), FileError> {
        let hart = self.hart(r.thread)?;
        if let Some(stop) = self.harts[hart].stop.take() {
            // the thread goes on, so it was a trap after all
            self.push(hart, &stop);
        }
        let mut r = *r;
        if self.harts[hart].next_pc.is_none() {
            let at = if r.kind == 7 { r.target } else { r.pc };
            self.cycle += 1;
            self.queue.push_back(FlowEvent {
                hart: hart as u8,
                kind: FlowKind::Start,
                len: 0,
                count: 0,
                pc: at,
                target: at,
                cycle: self.cycle,
            });
            self.harts[hart].next_pc = Some(at);
            if r.kind == 7 {
                return Ok(());
            }
            r.count = 1;
        } else if r.is_stop() {
            self.harts[hart].stop = Some(r);
            return Ok(());
        }
        self.push(hart, &r);
        Ok(())
    }

    #[inline]
    fn push(&mut self, hart: usize, r: &Record) {
        let fall_through = r.pc.wrapping_add(u64::from(r.len));
        let (kind, target) = match r.kind {
            0 => (FlowKind::Conditional { taken: false }, fall_through),
            1 => (FlowKind::Conditional { taken: r.target != fall_through }, r.target),
            2 => (FlowKind::Jump, r.target),
            3 => (FlowKind::Call, r.target),
            4 => (FlowKind::IndirectJump, r.target),
            5 => (FlowKind::IndirectCall, r.target),
            6 => (FlowKind::Return, r.target),
            8 => (FlowKind::TrapReturn, r.target),
            _ => (FlowKind::Trap { interrupt: false, cause: 0 }, r.target),
        };
        let len = if r.kind == 7 { 0 } else { r.len };
        self.cycle += u64::from(r.count.max(1));
        self.harts[hart].next_pc = Some(target);
        let (count, pc, cycle) = (r.count, r.pc, self.cycle);
        self.queue.push_back(FlowEvent { hart: hart as u8, kind, len, count, pc, target, cycle });
    }

    fn end(&mut self) {
        self.ended = true;
        let stop = |h: &HartState| h.stop.map_or((h.next_pc.unwrap_or(0), 0), |r| (r.pc, r.count));
        self.cycle += self.harts.iter().map(|h| u64::from(stop(h).1)).sum::<u64>();
        for (hart, h) in self.harts.iter().enumerate() {
            let (pc, count) = stop(h);
            let (hart, kind, cycle) = (hart as u8, FlowKind::Stop, self.cycle);
            self.queue.push_back(FlowEvent { hart, kind, len: 0, count, pc, target: pc, cycle });
        }
    }
}

enum Out {
    Plain(Replacement),
    Zstd(zstd::Encoder<'static, Replacement>),
}

/// Writes an `rbt1` file; as a [`RetireSink`] it keeps the first error for [`Rbt1Writer::finish`].
pub struct Rbt1Writer {
    out: Out,
    buffer: Vec<u8>,
    error: Option<FileError>,
    path: PathBuf,
    records: u64,
    swaps: u64,
}

/// What [`Rbt1Writer`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: u64,
    /// Co-routine swaps among them, which are told as returns.
    pub swaps: u64,
}

impl Rbt1Writer {
    /// Begins the file, zstd-compressed or plain.
    pub fn create(path: &Path, compressed: bool) -> Result<Self, FileError> {
        let file = Replacement::create(path)?;
        let out = if compressed {
            let mut zstd = zstd::Encoder::new(file, 6).map_err(io(path))?;
            zstd.include_checksum(true).map_err(io(path))?;
            Out::Zstd(zstd)
        } else {
            Out::Plain(file)
        };
        Ok(Self { out, buffer: MAGIC.to_vec(), error: None, path: path.to_path_buf(), records: 0, swaps: 0 })
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            let done = match &mut self.out {
                Out::Plain(file) => file.write_all(&self.buffer),
                Out::Zstd(zstd) => zstd.write_all(&self.buffer),
            };
            self.error = done.map_err(io(&self.path)).err();
        }
        self.buffer.clear();
    }

    /// Appends a record as it is.
    pub fn write(&mut self, record: &Record) {
        self.buffer.extend_from_slice(&record.to_bytes());
        self.records += 1;
        if self.buffer.len() > BLOCK {
            self.flush();
        }
    }

    /// Ends the file and moves it to its place.
    pub fn finish(mut self) -> Result<Written, FileError> {
        self.flush();
        if let Some(e) = self.error {
            return Err(e);
        }
        match self.out {
            Out::Plain(file) => file.commit()?,
            Out::Zstd(zstd) => zstd.finish().map_err(io(&self.path))?.commit()?,
        }
        Ok(Written { records: self.records, swaps: self.swaps })
    }
}

impl RetireSink for Rbt1Writer {
    fn event(&mut self, e: &FlowEvent) {
        let kind = match e.kind {
            FlowKind::Conditional { taken } => u8::from(taken),
            FlowKind::Jump => 2,
            FlowKind::Call => 3,
            FlowKind::IndirectJump => 4,
            FlowKind::IndirectCall => 5,
            FlowKind::Return | FlowKind::CoSwap => 6,
            FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Stop => 7,
            FlowKind::TrapReturn => 8,
            FlowKind::ConditionalIndirect { .. } | FlowKind::Gap { .. } => {
                let what = "a conditional indirect branch or a gap has no kind in rbt1".into();
                let at = 8 + self.records * RECORD_BYTES as u64;
                self.error.get_or_insert(FileError::Content { path: self.path.display().to_string(), at, what });
                return;
            }
        };
        self.swaps += u64::from(e.kind == FlowKind::CoSwap);
        let thread = e.hart.into();
        // a trap at its own handler must not look like a stop
        let len = if matches!(e.kind, FlowKind::Trap { .. }) { 1 } else { e.len };
        self.write(&Record { kind, len, thread, count: e.count, pc: e.pc, target: e.target });
    }
}
