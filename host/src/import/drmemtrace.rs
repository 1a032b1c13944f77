//! Importer of the records of DynamoRIO's `drmemtrace`: `drmemtrace.APP.PID.TID.trace.zip`
//!
//! A record has a type (2 bytes), a size (2) and an address (8; 4 of a 32-bit program), little-endian. The type of an
//! instruction says whether it is a branch, and in newer versions whether it was taken; the size is its length. So no code is
//! needed, and traces of every processor can be read. Where a branch goes is the next instruction of its thread, or the value of
//! markers: the target of an indirect branch, and the place of an interruption by the kernel. Data and other
//! markers are skipped.
//!
//! A file has one thread, or the threads of one core. Several files are in the order of their time stamps, which each file
//! has at least around system calls.
//!
//! # Source
//! DynamoRIO, `clients/drcachesim/common/trace_entry.h`: `trace_entry_t`, `trace_type_t`, `trace_marker_type_t`.

use super::memtrace::{Instruction, Kind, Writer};
use super::packed::Unpacked;
use super::Sink;
use crate::HostError;
use std::path::{Path, PathBuf};

/// Types of records.
mod types {
    pub const INSTRUCTION: u16 = 10;
    pub const DIRECT_JUMP: u16 = 11;
    pub const INDIRECT_JUMP: u16 = 12;
    pub const CONDITIONAL: u16 = 13;
    pub const DIRECT_CALL: u16 = 14;
    pub const INDIRECT_CALL: u16 = 15;
    pub const RETURN: u16 = 16;
    pub const BUNDLE: u16 = 17;
    pub const THREAD: u16 = 22;
    pub const HEADER: u16 = 25;
    pub const FOOTER: u16 = 26;
    pub const MARKER: u16 = 28;
    pub const REPETITION: u16 = 29;
    pub const MAYBE_REPETITION: u16 = 30;
    pub const SYSENTER: u16 = 31;
    pub const TAKEN: u16 = 48;
    pub const NOT_TAKEN: u16 = 49;
}

/// Types of markers, in the size of a record.
mod markers {
    pub const KERNEL_EVENT: u16 = 0;
    pub const TIMESTAMP: u16 = 2;
    pub const FILE_TYPE: u16 = 9;
    pub const BRANCH_TARGET: u16 = 29;
}

/// Types from here on are not known.
const FIRST_UNKNOWN: u16 = 50;
/// Bits of a file type: instructions were filtered.
const FILTERED: u64 = 0x81;
/// First version whose kernel events have absolute addresses.
const KERNEL_PC: u64 = 3;
/// The first record of a file, without its version.
const HEADER_START: [u8; 4] = [types::HEADER as u8, 0, 0, 0];

/// Whether the addresses of a file have 8 bytes; `None` if it is another file. The second record has one of the types that
/// follow the header.
fn width(head: &[u8]) -> Option<bool> {
    let second_at = |at: usize| {
        let second = head.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
        matches!(second, Some(types::THREAD | types::MARKER | 24))
    };
    let version = u32::from_le_bytes(head.get(4..8)?.try_into().ok()?);
    let is_header = head.starts_with(&HEADER_START) && (1..256).contains(&version);
    match head.get(8..12)? {
        [0, 0, 0, 0] if is_header && second_at(12) => Some(true),
        _ if is_header && second_at(8) => Some(false),
        _ => None,
    }
}

/// Whether a file begins as these.
pub(super) fn is_trace(head: &[u8]) -> bool {
    width(head).is_some()
}

/// The files of threads in a folder, or in its folder `trace`.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, HostError> {
    let inner = folder.join("trace");
    let folder = if inner.is_dir() { inner } else { folder.to_path_buf() };
    let io = |e| HostError::io(&folder, e);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("drmemtrace.") && name.split('.').any(|part| part == "trace") {
            found.push(path);
        }
    }
    found.sort();
    match found.is_empty() {
        true => Err(HostError::Other(format!(
            "{}: has no trace of DynamoRIO; expected files such as drmemtrace.ls.4711.0815.trace.zip, which \
             `drrun -t drmemtrace -tool view -indir FOLDER` writes on its first run",
            folder.display()
        ))),
        false => Ok(found),
    }
}

/// A file, read record by record.
struct File {
    input: Unpacked,
    is_wide: bool,
    version: u64,
    thread: Option<u64>,
    /// Time of what comes next.
    time: u64,
    /// Target of the next indirect branch.
    target: Option<u64>,
    /// Address after the last instruction.
    next: u64,
    /// The last record ends the file.
    is_complete: bool,
}

impl File {
    fn new(mut input: Unpacked) -> Result<Self, HostError> {
        let (head, wrong) = input.peek(64);
        let Some(is_wide) = width(&head) else {
            return Err(wrong.unwrap_or_else(|| input.wrong("is no header of a trace of DynamoRIO")));
        };
        Ok(Self { input, is_wide, version: 0, thread: None, time: 0, target: None, next: 0, is_complete: false })
    }

    /// Passes on what comes before the next time stamp; false at the end of the file.
    fn pass(&mut self, writer: &mut Writer<'_>) -> Result<bool, HostError> {
        let mut record = [0; 12];
        let bytes = if self.is_wide { 12 } else { 8 };
        while self.input.record(&mut record[..bytes], "a record")? {
            let (kind, size) = (u16::from_le_bytes([record[0], record[1]]), u16::from_le_bytes([record[2], record[3]]));
            let mut wide = [0; 8];
            wide[..bytes - 4].copy_from_slice(&record[4..bytes]);
            self.is_complete = kind == types::FOOTER;
            if (kind, size) == (types::MARKER, markers::TIMESTAMP) {
                self.time = u64::from_le_bytes(wide);
                return Ok(true);
            }
            self.record(kind, size, wide, writer).map_err(|e| self.input.wrong(&format!("before here, {e}")))?;
        }
        match self.is_complete {
            true => Ok(false),
            false => Err(self.input.wrong("the file ends without the record that ends a trace; it was cut")),
        }
    }

    fn record(&mut self, kind: u16, size: u16, bytes: [u8; 8], writer: &mut Writer<'_>) -> Result<(), String> {
        use types::*;
        let value = u64::from_le_bytes(bytes);
        let thread = self.thread.ok_or("an instruction comes before its thread");
        let branch = match kind {
            INSTRUCTION | MAYBE_REPETITION | SYSENTER => Kind::Sequential,
            CONDITIONAL | TAKEN | NOT_TAKEN => Kind::Conditional,
            DIRECT_JUMP => Kind::Branch(2),
            DIRECT_CALL => Kind::Branch(3),
            INDIRECT_JUMP => Kind::Branch(4),
            INDIRECT_CALL => Kind::Branch(5),
            RETURN => Kind::Branch(6),
            BUNDLE => {
                let lengths = bytes.get(..size.into()).ok_or_else(|| format!("a bundle has {size} instructions"))?;
                for len in lengths {
                    self.instruction(thread?, self.next, (*len).into(), Kind::Sequential, None, writer)?;
                }
                return Ok(());
            }
            REPETITION => {
                writer.repeated += 1;
                return Ok(());
            }
            THREAD => {
                self.thread = Some(value);
                return Ok(());
            }
            HEADER => {
                self.version = value;
                return Ok(());
            }
            MARKER => return self.marker(size, value, writer),
            FIRST_UNKNOWN.. => return Err(format!("a record has type {kind}, which is not defined")),
            _ => return Ok(()),
        };
        let goes_to = match (branch, kind) {
            (Kind::Sequential, _) | (_, NOT_TAKEN) => Some(value.wrapping_add(size.into())),
            (_, INDIRECT_JUMP | INDIRECT_CALL | RETURN) => self.target.take(),
            _ => None,
        };
        self.instruction(thread?, value, size, branch, goes_to, writer)
    }

    fn instruction(
        &mut self,
        thread: u64,
        pc: u64,
        len: u16,
        kind: Kind,
        goes_to: Option<u64>,
        writer: &mut Writer<'_>,
    ) -> Result<(), String> {
        if !(1..=15).contains(&len) {
            return Err(format!("the instruction at {pc:#x} has {len} bytes, expected 1 to 15"));
        }
        self.next = pc.wrapping_add(len.into());
        let goes_to = if kind == Kind::Sequential { Some(self.next) } else { goes_to };
        writer.take(thread, Instruction { pc, len: len as u8, kind, goes_to });
        Ok(())
    }

    fn marker(&mut self, kind: u16, value: u64, writer: &mut Writer<'_>) -> Result<(), String> {
        match kind {
            markers::BRANCH_TARGET => self.target = Some(value),
            markers::FILE_TYPE if value & FILTERED != 0 => {
                return Err(
                    "the file says that its instructions were filtered; a trace of all instructions is needed".into()
                )
            }
            markers::KERNEL_EVENT => match self.thread {
                Some(thread) if self.version >= KERNEL_PC && value != 0 => writer.interrupt(thread, value),
                // in older versions, an offset in an unknown module
                Some(thread) => writer.interrupt_somewhere(thread),
                None => {}
            },
            _ => {}
        }
        Ok(())
    }
}

/// Passes the records of files to `sink`, in the order of their times; returns notes.
pub(super) fn convert(inputs: Vec<Unpacked>, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let mut files: Vec<File> = inputs.into_iter().map(File::new).collect::<Result<_, _>>()?;
    let mut writer = Writer::new(sink);
    // a stable choice: the first of the files with the least time
    while let Some(at) = (0..files.len()).min_by_key(|at| files[*at].time) {
        if !files[at].pass(&mut writer)? {
            files.remove(at);
        }
    }
    Ok(writer.end())
}

#[cfg(test)]
mod tests {
    use super::super::text::of;
    use super::*;
    use retire::file::rbt1::Record;
    use std::io::Cursor;

    /// Records as (type, size, address) with addresses of 8 bytes, or of 4.
    fn file(records: &[(u16, u16, u64)], is_wide: bool) -> Vec<u8> {
        let bytes = if is_wide { 8 } else { 4 };
        let one = |(kind, size, value): &(u16, u16, u64)| {
            [&kind.to_le_bytes()[..], &size.to_le_bytes(), &value.to_le_bytes()[..bytes]].concat()
        };
        records.iter().flat_map(one).collect()
    }

    fn found(files: &[Vec<u8>]) -> Result<(Vec<Record>, Vec<String>), String> {
        let input = |f: &Vec<u8>| Unpacked::of(Box::new(Cursor::new(f.clone())), "a.trace");
        let mut records = Vec::new();
        let notes = convert(files.iter().map(input).collect(), &mut |r| records.push(*r)).map_err(|e| e.to_string())?;
        Ok((records, notes))
    }

    const START: [(u16, u16, u64); 5] = [(25, 0, 7), (28, 12, 7), (28, 9, 0xe40), (22, 4, 21), (24, 4, 21)];

    /// A thread with each kind of branch, a signal after a taken branch, and a fault.
    fn thread() -> Vec<(u16, u16, u64)> {
        let mut records = START.to_vec();
        records.extend([
            (28, 2, 100),
            (47, 2, 0x5b84),
            (10, 4, 0x1000),
            (0, 8, 0x7fff_0000),
            (49, 2, 0x1004),
            (48, 2, 0x1006),
            // the handler of a signal, which comes after the jump
            (28, 0, 0x1000),
            (28, 40, 10),
            (10, 1, 0x9000),
            (28, 29, 0x1000),
            (16, 1, 0x9001),
            (17, 2, 0x0204),
            (28, 2, 300),
            // the third instruction faults
            (11, 5, 0x1006),
            (14, 5, 0x2000),
            (10, 3, 0x3000),
            (28, 0, 0x3000),
            (29, 3, 0x9000),
            (10, 1, 0x9000),
            (28, 29, 0x4000),
            (12, 2, 0x9001),
            (28, 29, 0x4100),
            (15, 2, 0x4000),
            (13, 2, 0x4100),
            (31, 2, 0x4120),
            (23, 4, 21),
            (26, 0, 0),
        ]);
        records
    }

    #[test]
    fn instructions_are_the_records_worked_by_hand() {
        let want = [
            of(0, 7, 0, 0, 0x1000, 0x1000),
            of(0, 0, 2, 2, 0x1004, 0x1006),
            of(0, 1, 2, 1, 0x1006, 0x1000),
            of(0, 7, 1, 0, 0x1000, 0x9000),
            of(0, 6, 1, 2, 0x9001, 0x1000),
            // the bundle starts after the return, elsewhere than its target
            of(0, 7, 1, 0, 0x1000, 0x9002),
            of(0, 7, 1, 2, 0x9008, 0x1006),
            of(0, 2, 5, 1, 0x1006, 0x2000),
            of(0, 3, 5, 1, 0x2000, 0x3000),
            of(0, 7, 1, 0, 0x3000, 0x9000),
            of(0, 4, 2, 2, 0x9001, 0x4000),
            of(0, 5, 2, 1, 0x4000, 0x4100),
            of(0, 1, 2, 1, 0x4100, 0x4120),
            of(0, 7, 0, 1, 0x4122, 0x4122),
        ];
        let wide = file(&thread(), true);
        let (records, notes) = found(std::slice::from_ref(&wide)).unwrap();
        assert_eq!(records, want);
        assert_eq!(notes.len(), 2, "{notes:?}");
        // a 32-bit program, but for the address of a load
        assert_eq!(found(&[file(&thread(), false)]).unwrap().0, want);
        assert_eq!((width(&wide), width(&file(&thread(), false))), (Some(true), Some(false)));
        assert_eq!([&b"SBBT\n\0\0\0\0\0\0\0\0\0"[..], &[25, 0, 0, 0, 7], b""].map(width), [None; 3]);
    }

    #[test]
    fn a_branch_at_an_interruption_of_an_unknown_place_is_left_out() {
        let mut records = START.to_vec();
        records[0].2 = 2;
        records.extend([
            (10, 4, 0x1000),
            (13, 2, 0x1004),
            (28, 0, 0x10),
            (10, 1, 0x9000),
            (28, 0, 0x10),
            (10, 1, 0x9500),
        ]);
        records.push((26, 0, 0));
        let last = records.split_off(records.len() - 1);
        // version 1 lists a branch after the marker
        records.extend([
            (28, 0, 0),
            (28, 2, 9),
            (13, 2, 0x9501),
            (10, 1, 0x9000),
            (28, 0, 0),
            (28, 2, 9),
            (13, 2, 0x9001),
        ]);
        records.extend([(10, 2, 0x9100), (13, 2, 0x9102), (10, 1, 0x9200)]);
        records.extend(last);
        let (records, notes) = found(&[file(&records, true)]).unwrap();
        let want = [
            of(0, 7, 0, 0, 0x1000, 0x1000),
            of(0, 7, 1, 1, 0x1004, 0x9000),
            of(0, 7, 1, 1, 0x9001, 0x9500),
            of(0, 7, 1, 1, 0x9501, 0x9000),
            of(0, 7, 1, 1, 0x9001, 0x9100),
            of(0, 1, 2, 2, 0x9102, 0x9200),
            of(0, 7, 0, 1, 0x9201, 0x9201),
        ];
        assert_eq!(records, want);
        assert!(notes[1].starts_with("3 branches at an interruption, left out"), "{notes:?}");
    }

    #[test]
    fn files_are_in_the_order_of_their_times() {
        let mut other = START.to_vec();
        other[3].2 = 22;
        other[4].2 = 21;
        other.extend([(28, 2, 200), (10, 4, 0x8000), (11, 4, 0x8004), (10, 4, 0x8000), (28, 2, 400), (26, 0, 0)]);
        let records = found(&[file(&other, true), file(&thread(), true)]).unwrap().0;
        let threads: Vec<u16> = records.iter().map(|r| r.thread).collect();
        // the first thread up to its time 300, but for the record of its last instruction; then the second one
        assert_eq!(threads, [[0; 6].as_slice(), &[1; 2], &[0; 8], &[1]].concat());
        assert_eq!(records[6..8], [of(1, 7, 0, 0, 0x8000, 0x8000), of(1, 2, 4, 2, 0x8004, 0x8000)]);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_byte() {
        let say = |records: &[(u16, u16, u64)]| found(&[file(records, true)]).unwrap_err();
        let start = |more: &[(u16, u16, u64)]| [&START[..], more].concat();
        assert!(
            say(&thread()[..20]).contains("byte 240: the file ends without the record that ends a trace; it was cut")
        );
        assert!(
            say(&start(&[(28, 9, 0xc1)])).contains("byte 72: before here, the file says that its instructions were")
        );
        assert!(say(&start(&[(50, 1, 0)])).contains("a record has type 50"));
        assert!(say(&start(&[(10, 16, 0x1000)])).contains("the instruction at 0x1000 has 16 bytes"));
        assert!(say(&[START[0], START[1], (10, 4, 0x1000)]).contains("an instruction comes before its thread"));
        assert!(found(&[file(&thread(), true)[..100].to_vec()]).unwrap_err().contains("4 of 12 bytes of a record"));
        assert!(found(&[b"none".to_vec()]).unwrap_err().contains("is no header"));
    }
}
