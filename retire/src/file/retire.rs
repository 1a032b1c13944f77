//! Retire files: a recorded retire stream
//!
//! After the header (see [`super`]): a zstd frame, with its checksum, of one record an event, in global
//! commit order, and an end record. A record is a kind byte, the hart, then LEB128 numbers: `count`,
//! `pc` as a difference from the hart's previous target, `target` as a difference from `pc`, and `cycle`
//! as the difference from the previous record's (differences of addresses zigzag-coded). A trap adds its
//! cause. Bit 6 of the kind byte says that the instruction has 2 bytes, bit 5 that a byte with its length
//! ends the record; else it has 4.

use super::{io, write_header, FileError, Replacement, Source};
use crate::{FlowEvent, FlowKind, RetireSink};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"GSHKRET\x01";
const END: u8 = 0xff;
/// Bit of the kind byte: the instruction is 2 bytes long, not 4.
const SHORT: u8 = 0x40;
/// Bit of the kind byte: the instruction is neither 2 nor 4 bytes long; its length ends the record.
const LENGTH: u8 = 0x20;

/// What a retire file says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetireInfo {
    /// Version of the tool that wrote it.
    pub tool: String,
    /// Harts.
    pub harts: u8,
    /// Address width, bits.
    pub xlen: u8,
    /// Build id of the ELF, hex.
    pub build_id: String,
    /// File name of the ELF, for people.
    pub program: String,
    /// How it was made: source and its settings.
    pub source: String,
}

fn kind_byte(e: &FlowEvent) -> u8 {
    let kind = e.kind.code();
    match e.len {
        2 => kind | SHORT,
        0 | 4 => kind,
        _ => kind | LENGTH,
    }
}

/// The kind whose [`FlowKind::code`] is in `byte`.
fn kind_of(byte: u8, extra: u64) -> Option<FlowKind> {
    Some(match byte & !(SHORT | LENGTH) {
        0 => FlowKind::Start,
        b @ (1 | 2) => FlowKind::Conditional { taken: b == 2 },
        3 => FlowKind::Jump,
        4 => FlowKind::Call,
        5 => FlowKind::IndirectJump,
        6 => FlowKind::IndirectCall,
        7 => FlowKind::Return,
        8 => FlowKind::CoSwap,
        9 => FlowKind::TrapReturn,
        b @ (10 | 11) => FlowKind::ConditionalIndirect { taken: b == 11 },
        b @ (12 | 13) => FlowKind::Trap { interrupt: b == 13, cause: u8::try_from(extra).ok()? },
        14 => FlowKind::Stop,
        15 => FlowKind::Gap { lost: u32::try_from(extra).ok()? },
        _ => return None,
    })
}

/// Whether a kind's record carries one more number.
fn has_extra(byte: u8) -> bool {
    matches!(byte & !(SHORT | LENGTH), 12 | 13 | 15)
}

fn retires(kind: FlowKind) -> bool {
    !matches!(kind, FlowKind::Start | FlowKind::Trap { .. } | FlowKind::Stop | FlowKind::Gap { .. })
}

fn leb(mut v: u64, out: &mut Vec<u8>) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

fn zigzag(v: u64) -> u64 {
    v << 1 ^ ((v as i64) >> 63) as u64
}

fn unzigzag(v: u64) -> u64 {
    v >> 1 ^ (v & 1).wrapping_neg()
}

/// Writes a retire file; as a [`RetireSink`] it keeps the first error for [`RetireWriter::finish`].
pub struct RetireWriter {
    out: zstd::Encoder<'static, Replacement>,
    buffer: Vec<u8>,
    last_target: Vec<u64>,
    last_cycle: u64,
    error: Option<std::io::Error>,
    path: PathBuf,
}

impl RetireWriter {
    /// Begins the file.
    pub fn create(path: &Path, info: &RetireInfo) -> Result<Self, FileError> {
        let mut file = Replacement::create(path)?;
        write_header(&mut file, MAGIC, info).map_err(io(path))?;
        let mut out = zstd::Encoder::new(file, 3).map_err(io(path))?;
        out.include_checksum(true).map_err(io(path))?;
        Ok(Self {
            out,
            buffer: Vec::with_capacity(1 << 16),
            last_target: vec![0; usize::from(info.harts)],
            last_cycle: 0,
            error: None,
            path: path.to_path_buf(),
        })
    }

    fn flush(&mut self) {
        if self.error.is_none() {
            self.error = self.out.write_all(&self.buffer).err();
        }
        self.buffer.clear();
    }

    /// Ends the file and moves it to its place.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.buffer.push(END);
        self.flush();
        if let Some(e) = self.error {
            return Err(io(&self.path)(e));
        }
        self.out.finish().map_err(io(&self.path))?.commit()
    }
}

impl RetireSink for RetireWriter {
    fn event(&mut self, e: &FlowEvent) {
        let kind = kind_byte(e);
        let last = &mut self.last_target[usize::from(e.hart)];
        let out = &mut self.buffer;
        out.extend([kind, e.hart]);
        leb(e.count.into(), out);
        leb(zigzag(e.pc.wrapping_sub(*last)), out);
        leb(zigzag(e.target.wrapping_sub(e.pc)), out);
        leb(e.cycle.wrapping_sub(self.last_cycle), out);
        match e.kind {
            FlowKind::Trap { cause, .. } => leb(cause.into(), out),
            FlowKind::Gap { lost } => leb(lost.into(), out),
            _ => {}
        }
        if kind & LENGTH != 0 {
            out.push(e.len);
        }
        *last = e.target;
        self.last_cycle = e.cycle;
        if self.buffer.len() > (1 << 16) - 64 {
            self.flush();
        }
    }
}

/// Reads a retire file, event by event.
pub struct RetireReader {
    source: Source<BufReader<zstd::Decoder<'static, BufReader<File>>>>,
    info: RetireInfo,
    last_target: Vec<u64>,
    last_cycle: u64,
    done: bool,
}

impl RetireReader {
    /// Opens the file and reads its header.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let mut head = Source::new(BufReader::new(File::open(path).map_err(io(path))?), path);
        let info: RetireInfo = head.header("retire file", MAGIC)?;
        if !(1..=16).contains(&info.harts) {
            return Err(head.content(format!("{} harts; 1 to 16 are possible", info.harts)));
        }
        let zstd = zstd::Decoder::with_buffer(head.inner).map_err(io(path))?;
        let last_target = vec![0; usize::from(info.harts)];
        Ok(Self { source: Source::new(BufReader::new(zstd), path), info, last_target, last_cycle: 0, done: false })
    }

    /// What the file says of itself.
    pub fn info(&self) -> &RetireInfo {
        &self.info
    }

    fn byte(&mut self) -> Result<u8, FileError> {
        let mut b = [0];
        self.source.exact(&mut b, "the events")?;
        Ok(b[0])
    }

    fn leb(&mut self) -> Result<u64, FileError> {
        let mut v = 0;
        for shift in (0..64).step_by(7) {
            let b = self.byte()?;
            v |= u64::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Ok(v);
            }
        }
        Err(self.source.content("a number of more than 64 bits".into()))
    }

    /// The next event, or `None` at the end.
    pub fn next_event(&mut self) -> Result<Option<FlowEvent>, FileError> {
        if self.done {
            return Ok(None);
        }
        let byte = self.byte()?;
        if byte == END {
            self.done = true;
            // the checksum of the frame is looked at when its end is read
            let mut rest = [0; 1];
            return match self.source.inner.read(&mut rest) {
                Ok(0) => Ok(None),
                Ok(_) => Err(self.source.content("bytes follow the end record".into())),
                Err(source) => Err(FileError::Io { path: self.source.path.clone(), source }),
            };
        }
        let hart = self.byte()?;
        if hart >= self.info.harts {
            return Err(self.source.content(format!("hart {hart}, but the file has {} harts", self.info.harts)));
        }
        let count = self.leb()?;
        let count = u32::try_from(count).map_err(|_| self.source.content(format!("a count of {count}")))?;
        let pc = self.last_target[usize::from(hart)].wrapping_add(unzigzag(self.leb()?));
        let target = pc.wrapping_add(unzigzag(self.leb()?));
        let cycle = self.last_cycle.wrapping_add(self.leb()?);
        let extra = if has_extra(byte) { self.leb()? } else { 0 };
        let kind = kind_of(byte, extra)
            .ok_or_else(|| self.source.content(format!("event kind 0x{byte:02x} is not defined in version 1")))?;
        let len = match (retires(kind), byte & (SHORT | LENGTH)) {
            (false, _) => 0,
            (true, SHORT) => 2,
            (true, 0) => 4,
            (true, _) => self.byte()?,
        };
        self.last_target[usize::from(hart)] = target;
        self.last_cycle = cycle;
        Ok(Some(FlowEvent { hart, kind, len, count, pc, target, cycle }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn info() -> RetireInfo {
        RetireInfo {
            tool: "test".into(),
            harts: 4,
            xlen: 32,
            build_id: "ab".into(),
            program: "p.elf".into(),
            source: "proptest".into(),
        }
    }

    fn write(events: &[FlowEvent], path: &Path) {
        let mut w = RetireWriter::create(path, &info()).unwrap();
        events.iter().for_each(|e| w.event(e));
        w.finish().unwrap();
    }

    fn read(path: &Path) -> Result<Vec<FlowEvent>, FileError> {
        let mut r = RetireReader::open(path)?;
        let mut events = Vec::new();
        while let Some(e) = r.next_event()? {
            events.push(e);
        }
        Ok(events)
    }

    fn kinds() -> impl Strategy<Value = FlowKind> {
        (0u8..16, any::<u8>(), any::<u32>())
            .prop_map(|(k, cause, lost)| kind_of(k, if k == 15 { lost.into() } else { cause.into() }).unwrap())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_events_come_back(raw in prop::collection::vec(
            (0u8..4, kinds(), 1u8..16, any::<u32>(), any::<u64>(), any::<u64>(), 0u64..1 << 40), 0..300)
        ) {
            let mut cycle = 0;
            let events: Vec<FlowEvent> = raw.into_iter().map(|(hart, kind, len, count, pc, target, delta)| {
                cycle += delta;
                let len = if retires(kind) { len } else { 0 };
                FlowEvent { hart, kind, len, count, pc, target, cycle }
            }).collect();
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("e.ret");
            write(&events, &path);
            prop_assert_eq!(read(&path).unwrap(), events);
        }
    }

    #[test]
    fn cuts_and_flipped_bits_are_errors_or_harmless() {
        let e = |pc: u64| FlowEvent {
            hart: 1,
            kind: FlowKind::Conditional { taken: pc % 3 == 0 },
            len: 4,
            count: 3,
            pc,
            target: pc * 7,
            cycle: pc,
        };
        let events: Vec<FlowEvent> = (0..200).map(|i| e(i * 4)).collect();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("e.ret");
        write(&events, &path);
        let good = std::fs::read(&path).unwrap();
        for len in (0..good.len()).step_by(3) {
            std::fs::write(&path, &good[..len]).unwrap();
            read(&path).unwrap_err();
        }
        for bit in (0..8 * good.len()).step_by(5) {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &flipped).unwrap();
            // reserved bits of the zstd frame may be flipped without harm
            if let Ok(read) = read(&path) {
                assert_eq!(read, events, "bit {bit}");
            }
        }
    }
}
