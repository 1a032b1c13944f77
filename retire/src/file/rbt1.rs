//! `rbt1` files: branch traces in a simple exchange format
//!
//! 8 bytes of magic, `RBT1` and four zeros, then 24-byte little-endian records in global commit order. Usually the
//! whole file is zstd-compressed, which is detected by its first bytes.
//!
//! | bytes | content |
//! | ---: | --- |
//! | 0 | kind: 0 conditional not taken, 1 conditional taken, 2 direct jump, 3 direct call, 4 indirect jump, 5 indirect call, 6 return, 7 exception or interrupt, 8 exception return |
//! | 1 | length of the instruction, bytes: 1 to 15; ignored for kind 7 |
//! | 3:2 | thread |
//! | 7:4 | instructions retired by the thread since its previous record, including this one |
//! | 15:8 | pc |
//! | 23:16 | target |
//!
//! # As a retire stream
//! [`Rbt1Reader`] maps threads to harts, in the order in which they appear. What records lack is filled in:
//!
//! * **Start**: the file does not contain the start of a thread. If the first record of a thread is of kind 7, the hart
//!   starts at that record's target; otherwise at the pc of its first branch, with a count of 1, and the instructions
//!   before that branch are omitted.
//! * **Stop**: one per hart at the end of the file, by hart. If the last record of a thread is of kind 7 with length 0
//!   and `pc == target`, it is the stop, with its pc and count; otherwise the hart stops directly after its last
//!   record. [`Rbt1Writer`] writes starts and stops in this form, so they are preserved.
//! * **cycle**: instructions of all threads so far (at least 1 per record), so cycles rise strictly, commit order is
//!   file order, no hart retires two instructions in a cycle, and bits per cycle are bits per instruction.
//! * A conditional branch that is not taken, or is taken to its fall-through, goes to its fall-through: the target in
//!   its record is ignored.
//! * Kind 7 is an exception without a cause; its count does not include an instruction at `pc`.
//!
//! A sink that requests data also receives, as [`DataKind::Imported`], every record that [`Rbt1Writer`] would not
//! reproduce from its event, so that a retire file with data gives the same records again.
//!
//! # From a retire stream
//! [`Rbt1Writer`] drops cycles and causes of traps, and writes a co-routine swap as a return. A gap or a conditional
//! indirect branch has no kind, and is rejected. For an imported run it writes the original records, with the original
//! thread numbers, and none for starts and stops that were not in the file.

use super::ahead::ReadAhead;
use super::input;
use super::{io, FileError, Replacement};
use crate::{DataEvent, DataKind, FlowEvent, FlowKind, NullSink, RetireSink};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The first 8 bytes.
pub const MAGIC: [u8; 8] = *b"RBT1\0\0\0\0";
/// First bytes of a zstd frame.
pub const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Size of a record, bytes.
pub const RECORD_BYTES: usize = 24;
/// Most threads, each of which becomes a hart.
pub const MAX_THREADS: usize = 8;
/// Bytes read at a time.
const BLOCK: usize = RECORD_BYTES * 5460;

/// One record of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Kind, 0 to 8: see the table above.
    pub kind: u8,
    /// Length of the instruction, bytes.
    pub len: u8,
    /// Thread.
    pub thread: u16,
    /// Instructions of the thread since its previous record, including this one.
    pub count: u32,
    /// Address of the instruction.
    pub pc: u64,
    /// Target.
    pub target: u64,
}

impl Record {
    /// Decodes the fields without checking them.
    #[inline]
    pub fn from_bytes(b: &[u8; RECORD_BYTES]) -> Self {
        // the length is always right: the default is optimized away
        let word = |at: usize| u64::from_le_bytes(b[at..at + 8].try_into().unwrap_or_default());
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

    /// Encodes the record.
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

    /// Error in the fields that no valid record can have.
    #[inline]
    fn fault(&self) -> Option<String> {
        if self.kind > 8 {
            return Some(format!("kind {} is not defined; 0 to 8 are", self.kind));
        }
        if self.kind == 7 {
            return None;
        }
        if !(1..=15).contains(&self.len) {
            return Some(format!("an instruction of {} bytes, expected 1 to 15", self.len));
        }
        (self.count == 0).then(|| "a count of 0 at an instruction that retires; 1 is the least".into())
    }

    /// Whether it is the record that [`Rbt1Writer`] writes at the stop of a hart.
    fn is_stop(&self) -> bool {
        self.kind == 7 && self.len == 0 && self.pc == self.target
    }

    /// The record of `e`; `None` if there is no kind for it.
    #[inline]
    fn of(e: &FlowEvent, thread: u16) -> Option<Self> {
        let kind = match e.kind {
            FlowKind::Conditional { taken } => u8::from(taken),
            FlowKind::Jump => 2,
            FlowKind::Call => 3,
            FlowKind::IndirectJump => 4,
            FlowKind::IndirectCall => 5,
            FlowKind::Return | FlowKind::CoSwap => 6,
            FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Stop => 7,
            FlowKind::TrapReturn => 8,
            FlowKind::ConditionalIndirect { .. } | FlowKind::Gap { .. } | FlowKind::Context { .. } => return None,
        };
        // a trap at its own handler must not look like a stop
        let len = if matches!(e.kind, FlowKind::Trap { .. }) { 1 } else { e.len };
        Some(Self { kind, len, thread, count: e.count, pc: e.pc, target: e.target })
    }
}

/// A reader of records, in blocks of bounded size.
struct Records {
    blocks: ReadAhead,
    path: String,
    compressed: bool,
    /// Records returned so far.
    index: u64,
}

/// An error at record `index`, with its offset in the uncompressed data.
fn error(path: &str, compressed: bool, index: u64, what: &str) -> FileError {
    let at = 8 + index * RECORD_BYTES as u64;
    let of = if compressed { " (of the uncompressed data)" } else { "" };
    FileError::Content { path: path.into(), at, what: format!("record {index}{of}: {what}") }
}

#[cfg(feature = "zstd")]
fn unzip(whole: impl Read + Send + 'static, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
    Ok(Box::new(zstd::Decoder::new(whole).map_err(io(path))?))
}

#[cfg(not(feature = "zstd"))]
fn unzip(_: impl Read, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
    let what = "zstd-compressed data, for which the feature `zstd` is needed".into();
    Err(FileError::Content { path: path.display().to_string(), at: 0, what })
}

impl Records {
    fn open(path: &Path) -> Result<Self, FileError> {
        let mut file = input::open(path)?;
        let mut head = Vec::with_capacity(4);
        (&mut file).take(4).read_to_end(&mut head).map_err(io(path))?;
        let compressed = head == ZSTD_MAGIC;
        let whole = std::io::Cursor::new(head).chain(file);
        let mut inner = if compressed { unzip(whole, path)? } else { Box::new(whole) };
        let name = path.display().to_string();
        let mut index = 0;
        // reads until `buf` is full or the data end
        let mut fill = move |buf: &mut [u8], path: &str| {
            let mut got = 0;
            while got < buf.len() {
                match inner.read(&mut buf[got..]) {
                    Ok(0) => break,
                    Ok(n) => got += n,
                    Err(e) if e.kind() == ErrorKind::Interrupted => {}
                    Err(source) if !compressed => return Err(FileError::Io { path: path.into(), source }),
                    Err(e) => {
                        let what = match e.kind() {
                            ErrorKind::UnexpectedEof => {
                                "the compressed data end here, inside a frame; the file was cut".into()
                            }
                            _ => format!("the compressed data are damaged: {e}"),
                        };
                        return Err(error(path, true, index + (got / RECORD_BYTES) as u64, &what));
                    }
                }
            }
            index += (got / RECORD_BYTES) as u64;
            Ok(got)
        };
        let mut magic = [0; 8];
        let got = fill(&mut magic, &name)?;
        if magic[..got] != MAGIC {
            let found = magic[..got].to_vec();
            return Err(FileError::Magic { path: name, kind: "branch trace (rbt1)", found, right: MAGIC });
        }
        let path = name.clone();
        let blocks = ReadAhead::new(move || {
            let mut block = vec![0; BLOCK];
            let got = fill(&mut block, &name)?;
            block.truncate(got);
            Ok((got > 0).then_some(block))
        });
        Ok(Self { blocks, path, compressed, index: 0 })
    }

    /// An error at the current record.
    fn error(&self, what: &str) -> FileError {
        error(&self.path, self.compressed, self.index, what)
    }

    /// Passes each record of the next block to `take`; returns their bytes, or `None` at the end.
    #[inline]
    fn next_block(
        &mut self,
        mut take: impl FnMut(&Record) -> Result<(), String>,
    ) -> Result<Option<Vec<u8>>, FileError> {
        let Some(block) = self.blocks.next()? else { return Ok(None) };
        let records = block.chunks_exact(RECORD_BYTES);
        let rest = records.remainder();
        for bytes in records.filter_map(|b| b.first_chunk()) {
            let record = Record::from_bytes(bytes);
            if let Err(what) = record.fault().map_or(Ok(()), Err).and_then(|()| take(&record)) {
                return Err(self.error(&what));
            }
            self.index += 1;
        }
        if rest.is_empty() {
            return Ok(Some(block));
        }
        Err(self.error(&format!("the file ends after {} of its {RECORD_BYTES} bytes; it was cut", rest.len())))
    }
}

/// Properties of a file that are known when all records have been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rbt1Info {
    /// The threads, by hart.
    pub threads: Vec<u16>,
    /// Records.
    pub records: u64,
    /// Number of low bits that are 0 in every address, at most 2.
    pub align: u8,
    /// 32 if every address has at most 32 bits, otherwise 64.
    pub xlen: u8,
    /// CRC-32 of all records: identifies the contents.
    pub crc: u32,
}

impl Rbt1Info {
    /// Reads the file at `path` once.
    pub fn scan(path: &Path) -> Result<Self, FileError> {
        Self::scan_with(path, &mut NullSink)
    }

    /// As [`Rbt1Info::scan`], and reports the run to `sink`.
    pub fn scan_with(path: &Path, sink: &mut impl RetireSink) -> Result<Self, FileError> {
        let mut records = Records::open(path)?;
        let (mut builder, mut all) = (EventBuilder::default(), 0);
        let mut crc = crc32fast::Hasher::new();
        while let Some(block) = records.next_block(|r| {
            all |= r.pc | r.target;
            builder.take(r, sink)
        })? {
            crc.update(&block);
        }
        builder.end(sink);
        Ok(Self {
            threads: builder.harts.threads,
            records: records.index,
            align: all.trailing_zeros().min(2) as u8,
            xlen: if all >> 32 == 0 { 32 } else { 64 },
            crc: crc.finalize(),
        })
    }

    /// Identifies the contents of the file, in place of the build id of a program.
    pub fn build_id(&self) -> String {
        format!("rbt1-{:08x}-{:x}", self.crc, self.records)
    }
}

/// The mapping from threads to harts.
#[derive(Clone, Debug, Default)]
struct Harts {
    threads: Vec<u16>,
}

impl Harts {
    /// The hart of a thread.
    #[inline]
    fn of(&mut self, thread: u16) -> Result<usize, String> {
        if let Some(hart) = self.threads.iter().position(|t| *t == thread) {
            return Ok(hart);
        }
        if self.threads.len() == MAX_THREADS {
            return Err(format!("thread {thread} is the ninth; {MAX_THREADS} threads can become harts"));
        }
        self.threads.push(thread);
        Ok(self.threads.len() - 1)
    }
}

/// Converts records to events.
#[derive(Clone, Debug, Default)]
struct EventBuilder {
    harts: Harts,
    /// Target of the last record, by hart.
    next_pc: Vec<u64>,
    /// A record that is the stop unless another one of the thread follows.
    stop: Vec<Option<Record>>,
    cycle: u64,
}

/// A reader of an `rbt1` file, compressed or not, as the events of a retire stream.
pub struct Rbt1Reader {
    records: Records,
    builder: EventBuilder,
    ended: bool,
}

impl Rbt1Reader {
    /// Opens the file and checks its first bytes.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Ok(Self { records: Records::open(path)?, builder: EventBuilder::default(), ended: false })
    }

    /// Records read so far.
    pub fn records(&self) -> u64 {
        self.records.index
    }

    /// Reports the next block of the run to `sink`; false at its end.
    pub fn next_block(&mut self, sink: &mut impl RetireSink) -> Result<bool, FileError> {
        let Self { records, builder, ended } = self;
        if *ended || records.next_block(|r| builder.take(r, sink))?.is_some() {
            return Ok(!*ended);
        }
        *ended = true;
        builder.end(sink);
        Ok(true)
    }

    /// Reports the rest of the run to `sink`.
    pub fn read_rest(&mut self, sink: &mut impl RetireSink) -> Result<(), FileError> {
        while self.next_block(sink)? {}
        Ok(())
    }
}

impl EventBuilder {
    #[inline]
    fn take<S: RetireSink>(&mut self, r: &Record, sink: &mut S) -> Result<(), String> {
        let hart = self.harts.of(r.thread)?;
        let mut r = *r;
        let original = r;
        if hart == self.next_pc.len() {
            let at = if r.kind == 7 { r.target } else { r.pc };
            self.cycle += 1;
            let (hart, kind, cycle) = (hart as u8, FlowKind::Start, self.cycle);
            sink.event(&FlowEvent { hart, kind, len: 0, count: 0, pc: at, target: at, cycle });
            self.next_pc.push(at);
            self.stop.push(None);
            if r.kind == 7 {
                self.imported(hart, &r, false, sink);
                return Ok(());
            }
            r.count = 1;
        } else {
            if let Some(stop) = self.stop[hart].take() {
                // the thread continues, so it was a trap
                sink.event(&self.event(hart, &stop));
            }
            if r.is_stop() {
                self.imported(hart as u8, &r, true, sink);
                self.stop[hart] = Some(r);
                return Ok(());
            }
        }
        let event = self.event(hart, &r);
        if S::WANTS_DATA && Record::of(&event, r.thread) != Some(original) {
            self.imported(hart as u8, &original, true, sink);
        }
        sink.event(&event);
        Ok(())
    }

    /// Reports a record that its event does not fully represent, or that has no event.
    fn imported<S: RetireSink>(&self, hart: u8, r: &Record, reported: bool, sink: &mut S) {
        if S::WANTS_DATA {
            let Record { kind, len, count, pc, target, .. } = *r;
            let kind = DataKind::Imported { reported, kind, len, count, target };
            sink.data(&DataEvent { hart, kind, pc, cycle: self.cycle });
        }
    }

    #[inline]
    fn event(&mut self, hart: usize, r: &Record) -> FlowEvent {
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
        self.next_pc[hart] = target;
        FlowEvent { hart: hart as u8, kind, len, count: r.count, pc: r.pc, target, cycle: self.cycle }
    }

    fn end(&mut self, sink: &mut impl RetireSink) {
        let stops = self.stop.iter().zip(&self.next_pc);
        let stops: Vec<_> = stops.map(|(stop, next)| stop.map_or((*next, 0), |r| (r.pc, r.count))).collect();
        self.cycle += stops.iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
        for (hart, (pc, count)) in (0..).zip(stops) {
            sink.event(&FlowEvent { hart, kind: FlowKind::Stop, len: 0, count, pc, target: pc, cycle: self.cycle });
        }
    }
}

enum Out {
    Plain(Replacement),
    #[cfg(feature = "zstd")]
    Zstd(zstd::Encoder<'static, Replacement>),
}

/// A writer of an `rbt1` file; as a [`RetireSink`] it keeps the first error for [`Rbt1Writer::finish`].
pub struct Rbt1Writer {
    out: Out,
    buffer: Vec<u8>,
    error: Option<FileError>,
    path: PathBuf,
    written: Written,
    /// For an imported run: the original thread numbers.
    threads: Vec<u16>,
    /// The record of the hart's next event is already written.
    reported: [bool; 256],
}

/// Result of [`Rbt1Writer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: u64,
    /// Co-routine swaps among them, which are written as returns.
    pub swaps: u64,
    /// Size of the file, bytes.
    pub size: u64,
}

impl Rbt1Writer {
    /// Starts the file, zstd-compressed or plain. `threads`: for an imported run, the original thread numbers;
    /// otherwise empty.
    pub fn create(path: &Path, compressed: bool, threads: &[u16]) -> Result<Self, FileError> {
        let file = Replacement::create(path)?;
        let out = if compressed { zip(file, path)? } else { Out::Plain(file) };
        Ok(Self {
            out,
            buffer: MAGIC.to_vec(),
            error: None,
            path: path.to_path_buf(),
            written: Written::default(),
            threads: threads.to_vec(),
            reported: [false; 256],
        })
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            let done = match &mut self.out {
                Out::Plain(file) => file.write_all(&self.buffer),
                #[cfg(feature = "zstd")]
                Out::Zstd(zstd) => zstd.write_all(&self.buffer),
            };
            self.error = done.map_err(io(&self.path)).err();
        }
        self.buffer.clear();
    }

    /// Appends a record unchanged.
    pub fn write(&mut self, record: &Record) {
        self.buffer.extend_from_slice(&record.to_bytes());
        self.written.records += 1;
        if self.buffer.len() > BLOCK {
            self.flush();
        }
    }

    /// Whether a write has failed; [`Rbt1Writer::finish`] returns the error.
    pub fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Completes the file and moves it to its path.
    pub fn finish(mut self) -> Result<Written, FileError> {
        self.flush();
        if let Some(e) = self.error {
            return Err(e);
        }
        let size = match self.out {
            Out::Plain(file) => file.commit()?,
            #[cfg(feature = "zstd")]
            Out::Zstd(zstd) => zstd.finish().map_err(io(&self.path))?.commit()?,
        };
        Ok(Written { size, ..self.written })
    }

    fn thread(&self, hart: u8) -> u16 {
        self.threads.get(usize::from(hart)).copied().unwrap_or(hart.into())
    }
}

#[cfg(feature = "zstd")]
fn zip(file: Replacement, path: &Path) -> Result<Out, FileError> {
    let mut zstd = zstd::Encoder::new(file, 6).map_err(io(path))?;
    zstd.include_checksum(true).map_err(io(path))?;
    Ok(Out::Zstd(zstd))
}

#[cfg(not(feature = "zstd"))]
fn zip(_: Replacement, path: &Path) -> Result<Out, FileError> {
    let what = "to compress needs the feature `zstd`".into();
    Err(FileError::Content { path: path.display().to_string(), at: 0, what })
}

impl RetireSink for Rbt1Writer {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let reported = std::mem::take(&mut self.reported[usize::from(e.hart)]);
        if reported || (!self.threads.is_empty() && matches!(e.kind, FlowKind::Start | FlowKind::Stop)) {
            return;
        }
        self.written.swaps += u64::from(e.kind == FlowKind::CoSwap);
        match Record::of(e, self.thread(e.hart)) {
            Some(record) => self.write(&record),
            None => {
                let what = "a conditional indirect branch or a gap has no kind in rbt1".into();
                let at = 8 + self.written.records * RECORD_BYTES as u64;
                self.error.get_or_insert(FileError::Content { path: self.path.display().to_string(), at, what });
            }
        }
    }

    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Imported { reported, kind, len, count, target } = d.kind {
            self.reported[usize::from(d.hart)] = reported;
            self.write(&Record { kind, len, thread: self.thread(d.hart), count, pc: d.pc, target });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer collects a block of records before it writes them, and no more.
    #[test]
    fn a_writer_keeps_at_most_a_block() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Rbt1Writer::create(&dir.path().join("f"), false, &[]).unwrap();
        let record = Record { kind: 2, len: 4, thread: 0, count: 1, pc: 0, target: 8 };
        let kept: Vec<usize> = (0..20_000).map(|_| (writer.write(&record), writer.buffer.len()).1).collect();
        assert!(kept.iter().all(|n| *n <= BLOCK) && kept.iter().filter(|n| **n == 0).count() == 3);
    }
}
