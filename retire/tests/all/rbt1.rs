//! `rbt1` files: bytes worked out by hand, bad files, and round trips through a retire file

use proptest::prelude::*;
use retire::file::rbt1::{Rbt1Info, Rbt1Reader, Rbt1Writer, Record, MAGIC};
use retire::file::retire::{DataWriter, RetireInfo, RetireReader};
use retire::file::FileError;
use retire::{DataEvent, FlowEvent, FlowKind, RetireSink};
use std::path::Path;

fn read(path: &Path) -> Result<Vec<FlowEvent>, FileError> {
    let mut events = Vec::new();
    Rbt1Reader::open(path)?.read_rest(&mut events)?;
    Ok(events)
}

fn record(kind: u8, len: u8, thread: u16, count: u32, pc: u64, target: u64) -> Record {
    Record { kind, len, thread, count, pc, target }
}

/// The bytes of an uncompressed file of these records.
fn bytes(records: &[Record]) -> Vec<u8> {
    MAGIC.into_iter().chain(records.iter().flat_map(|r| r.to_bytes())).collect()
}

fn error(data: &[u8]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    std::fs::write(&path, data).unwrap();
    read(&path).unwrap_err().to_string().replace(&path.display().to_string(), "f")
}

#[test]
fn a_record_is_24_bytes_in_the_order_of_the_format() {
    let r = record(3, 5, 0x0102, 0x0a0b_0c0d, 0x1122_3344_5566_7788, 0x99aa_bbcc_ddee_ff00);
    let b = [
        3, 5, 0x02, 0x01, 0x0d, 0x0c, 0x0b, 0x0a, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00, 0xff, 0xee,
        0xdd, 0xcc, 0xbb, 0xaa, 0x99,
    ];
    assert_eq!(r.to_bytes(), b);
    assert_eq!(Record::from_bytes(&b), r);
}

#[test]
fn threads_become_harts_with_starts_and_stops_and_rising_cycles() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.rbt1");
    let records = [
        record(1, 2, 70, 900, 0x1001, 0x2000), // the first of thread 70: earlier instructions are omitted
        record(7, 0, 9, 5, 0x55, 0x3000),      // thread 9 begins at 0x3000
        record(0, 3, 9, 4, 0x3009, 0x4000),    // not taken: goes to 0x300c
        record(1, 2, 70, 3, 0x2004, 0x2006),   // taken to its fall-through: not taken
        record(7, 1, 70, 0, 0x2006, 0x2006),   // a trap at its own handler
        record(7, 0, 9, 2, 0x3010, 0x3010),    // the stop of thread 9
    ];
    std::fs::write(&path, bytes(&records)).unwrap();
    let e = |hart, kind, len, count, pc, target, cycle| FlowEvent { hart, kind, len, count, pc, target, cycle };
    let trap = FlowKind::Trap { interrupt: false, cause: 0 };
    let want = [
        e(0, FlowKind::Start, 0, 0, 0x1001, 0x1001, 1),
        e(0, FlowKind::Conditional { taken: true }, 2, 1, 0x1001, 0x2000, 2),
        e(1, FlowKind::Start, 0, 0, 0x3000, 0x3000, 3),
        e(1, FlowKind::Conditional { taken: false }, 3, 4, 0x3009, 0x300c, 7),
        e(0, FlowKind::Conditional { taken: false }, 2, 3, 0x2004, 0x2006, 10),
        e(0, trap, 0, 0, 0x2006, 0x2006, 11),
        e(0, FlowKind::Stop, 0, 0, 0x2006, 0x2006, 13),
        e(1, FlowKind::Stop, 0, 2, 0x3010, 0x3010, 13),
    ];
    assert_eq!(read(&path).unwrap(), want);
    let mut reader = Rbt1Reader::open(&path).unwrap();
    while reader.next_block(&mut retire::NullSink).unwrap() {}
    assert_eq!(reader.records(), 6);
    let info = Rbt1Info::scan(&path).unwrap();
    // another record, another id
    let id = info.build_id();
    std::fs::write(&path, bytes(&records[..5])).unwrap();
    let shorter = Rbt1Info::scan(&path).unwrap().build_id();
    assert!(id.starts_with("rbt1-") && id.ends_with("-6") && shorter.ends_with("-5"), "{id}, {shorter}");
    assert_ne!(id[..13], shorter[..13]);
    assert_eq!((info.threads, info.records, info.align, info.xlen), (vec![70, 9], 6, 0, 32));
    // addresses that share their lowest bit, and their highest
    std::fs::write(&path, bytes(&[record(1, 2, 0, 1, 0x1_0000_0002, 0x1_0000_0006)])).unwrap();
    let info = Rbt1Info::scan(&path).unwrap();
    assert_eq!((info.align, info.xlen), (1, 64));
}

#[test]
fn bad_files_name_byte_and_record() {
    let good = record(2, 4, 0, 3, 0x100, 0x200);
    let file = bytes(&[good; 3]);
    assert!(error(b"RBT2\0\0\0\0")
        .starts_with("f: begins with the bytes 52 42 54 32 00 00 00 00; expected a goshawk branch trace"));
    assert!(error(b"").starts_with("f: is shorter than 8 bytes"));
    assert!(error(&file[..5]).starts_with("f: is shorter than 8 bytes"));
    assert_eq!(error(&file[..60]), "f: byte 56: record 2: the file ends after 4 of its 24 bytes; it was cut");
    let bad = |r| error(&bytes(&[good, r]));
    assert_eq!(bad(Record { kind: 9, ..good }), "f: byte 32: record 1: kind 9 is not defined; 0 to 8 are");
    let length = "an instruction of 16 bytes, expected 1 to 15";
    assert_eq!(bad(Record { len: 16, ..good }), format!("f: byte 32: record 1: {length}"));
    let count = "a count of 0 at an instruction that retires; 1 is the least";
    assert_eq!(bad(Record { count: 0, ..good }), format!("f: byte 32: record 1: {count}"));
    let nine: Vec<Record> = (0..9).map(|t| Record { thread: t, ..good }).collect();
    let ninth = "f: byte 200: record 8: thread 8 is the ninth; 8 threads can become harts";
    assert_eq!(error(&bytes(&nine)), ninth);
}

#[cfg(feature = "zstd")]
#[test]
fn bad_compressed_files_name_the_record() {
    let good = record(2, 4, 0, 3, 0x100, 0x200);
    let zstd = zstd::encode_all(bytes(&vec![good; 9000]).as_slice(), 3).unwrap();
    let cut = error(&zstd[..zstd.len() - 3]);
    assert!(cut.ends_with("the compressed data end here, inside a frame; the file was cut"), "{cut}");
    assert!(cut.contains("(of the uncompressed data)"), "{cut}");
    let long = bytes(&(0..9000).map(|i| Record { pc: i * i * 7, ..good }).collect::<Vec<_>>());
    let mut damaged = zstd::encode_all(long.as_slice(), 3).unwrap();
    let half = damaged.len() / 2;
    damaged[half..half + 40].fill(0xff);
    // the damage shows as such or as an invalid record
    assert!(error(&damaged).contains("record "), "{}", error(&damaged));
}

/// The record where a cut compressed file ends, from the decoder of zstd itself: the blocks of the reader and those of
/// zstd have other sizes.
#[cfg(feature = "zstd")]
#[test]
fn a_cut_compressed_file_names_the_record_that_is_not_whole() {
    use std::io::Read;
    let any = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8;
    let records: Vec<Record> = (0..20_000).map(|i| record(2, 4, 0, 3, any(i), any(any(i)))).collect();
    let whole = bytes(&records);
    let zstd = zstd::encode_all(whole.as_slice(), 3).unwrap();
    let mut found = std::collections::BTreeSet::new();
    for part in 1..8 {
        let cut = &zstd[..zstd.len() * part / 8];
        let mut decoded = Vec::new();
        zstd::Decoder::new(cut).unwrap().read_to_end(&mut decoded).unwrap_err();
        assert!(whole.starts_with(&decoded));
        let index = decoded.len().saturating_sub(MAGIC.len()) / 24;
        let at = MAGIC.len() + 24 * index;
        assert!(error(cut).starts_with(&format!("f: byte {at}: record {index} (of")), "{part}: {}", error(cut));
        found.insert(index);
    }
    // in several blocks of the reader
    assert!(found.len() > 3, "{found:?}");
}

/// A sink of events and data in one list.
#[derive(Default)]
struct All(Vec<FlowEvent>, Vec<DataEvent>);

impl RetireSink for All {
    const WANTS_DATA: bool = true;
    fn event(&mut self, e: &FlowEvent) {
        self.0.push(*e);
    }
    fn data(&mut self, d: &DataEvent) {
        self.1.push(*d);
    }
}

/// Events of no imported run, compressed and not: each record says all of its event, so nothing else is kept of it.
#[test]
fn events_that_are_written_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let kinds = [
        FlowKind::Start,
        FlowKind::Conditional { taken: true },
        FlowKind::Jump,
        FlowKind::CoSwap,
        FlowKind::Call,
        FlowKind::Trap { interrupt: true, cause: 7 },
        FlowKind::TrapReturn,
        FlowKind::CoSwap,
        FlowKind::IndirectJump,
        FlowKind::IndirectCall,
        FlowKind::Return,
        FlowKind::Conditional { taken: false },
        FlowKind::Stop,
    ];
    let mut events = Vec::new();
    let (mut pc, mut cycle) = (0x1000, 0);
    for kind in kinds {
        let inside = !matches!(kind, FlowKind::Start | FlowKind::Stop);
        let len = if kind.retires() { 4 } else { 0 };
        let target =
            if inside && kind != (FlowKind::Conditional { taken: false }) { pc + 0x100 } else { pc + u64::from(len) };
        let count = u32::from(kind != FlowKind::Start);
        cycle += 1;
        events.push(FlowEvent { hart: 0, kind, len, count, pc, target, cycle });
        pc = target;
    }
    let written: &[bool] = if cfg!(feature = "zstd") { &[false, true] } else { &[false] };
    for compressed in written {
        let path = dir.path().join("f.rbt1");
        let mut writer = Rbt1Writer::create(&path, *compressed, &[]).unwrap();
        events.iter().for_each(|e| writer.event(e));
        assert!(!writer.has_failed());
        let done = writer.finish().unwrap();
        assert_eq!((done.records, done.swaps), (13, 2));
        let mut found = All::default();
        Rbt1Reader::open(&path).unwrap().read_rest(&mut found).unwrap();
        let plain = |e: &FlowEvent| FlowEvent {
            kind: match e.kind {
                // the format has no kinds for them
                FlowKind::CoSwap => FlowKind::Return,
                FlowKind::Trap { .. } => FlowKind::Trap { interrupt: false, cause: 0 },
                kind => kind,
            },
            ..*e
        };
        let flow =
            |list: &[FlowEvent]| list.iter().map(|e| (plain(e).kind, e.pc, e.target, e.count)).collect::<Vec<_>>();
        assert_eq!(flow(&found.0), flow(&events));
        // what a start and a stop were is kept beside the events
        let kept: Vec<u64> = found.1.iter().map(|d| d.pc).collect();
        let told: Vec<u64> =
            events.iter().filter(|e| matches!(e.kind, FlowKind::Start | FlowKind::Stop)).map(|e| e.pc).collect();
        assert_eq!(kept, told);
    }
}

#[test]
fn an_event_without_a_kind_is_an_error_at_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.rbt1");
    let e = FlowEvent { hart: 0, kind: FlowKind::Jump, len: 4, count: 1, pc: 0x100, target: 0x200, cycle: 1 };
    let mut writer = Rbt1Writer::create(&path, false, &[]).unwrap();
    (0..3).for_each(|_| writer.event(&e));
    assert!(!writer.has_failed());
    writer.event(&FlowEvent { kind: FlowKind::Gap { lost: 1 }, ..e });
    assert!(writer.has_failed());
    let told = writer.finish().unwrap_err().to_string();
    assert!(told.contains("byte 80: "), "{told}");
    assert!(!path.exists());
}

/// A record as any tool may write it: targets of branches that are not taken, lengths of traps, first counts.
fn any_record() -> impl Strategy<Value = Record> {
    let kind = prop_oneof![4 => 0u8..9, 1 => Just(7)];
    let (len, count) = (0u8..16, prop_oneof![0u32..9, any::<u32>()]);
    let target = prop_oneof![1 => Just(None), 3 => any::<u32>().prop_map(Some)];
    (kind, len, 0u16..6, count, 0u64..1 << 40, target).prop_map(|(kind, len, thread, count, pc, target)| {
        let (len, count) = if kind == 7 { (len, count) } else { (len.max(1), count.max(1)) };
        // the same address: a trap at its own handler, or a stop
        let target = target.map_or(pc, u64::from);
        Record { kind, len, thread: thread * 1000 + 70, count, pc, target }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn import_then_export_gives_the_same_records(records in prop::collection::vec(any_record(), 0..400)) {
        let dir = tempfile::tempdir().unwrap();
        let [from, ret, to] = ["from.rbt1", "run.ret", "to.rbt1"].map(|n| dir.path().join(n));
        std::fs::write(&from, bytes(&records)).unwrap();
        let threads = Rbt1Info::scan(&from).unwrap().threads;
        let info = RetireInfo { harts: threads.len().max(1) as u8, xlen: 64, threads, ..RetireInfo::default() };
        let mut writer = DataWriter::create(&ret, &info).unwrap();
        Rbt1Reader::open(&from).unwrap().read_rest(&mut writer).unwrap();
        writer.finish().unwrap();
        let mut reader = RetireReader::open(&ret).unwrap();
        let mut writer = Rbt1Writer::create(&to, false, &reader.info().threads).unwrap();
        reader.read_rest(&mut writer).unwrap();
        let written = writer.finish().unwrap();
        prop_assert_eq!((written.records, written.size), (records.len() as u64, bytes(&records).len() as u64));
        prop_assert_eq!(std::fs::read(&to).unwrap(), bytes(&records));
        // the events are those of the file itself
        let mut events: Vec<FlowEvent> = Vec::new();
        RetireReader::open(&ret).unwrap().read_rest(&mut events).unwrap();
        prop_assert_eq!(events, read(&from).unwrap());
    }
}
