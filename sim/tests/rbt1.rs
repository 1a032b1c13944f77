//! `rbt1` files: bytes worked by hand, bad files, and replay without an ELF

use proptest::prelude::*;
use retire::file::rbt1::{Rbt1Info, Rbt1Reader, Rbt1Writer, Record, MAGIC};
use retire::file::FileError;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::system::System;
use std::path::Path;

fn read(path: &Path) -> Result<Vec<FlowEvent>, FileError> {
    let mut reader = Rbt1Reader::open(path)?;
    let mut events = Vec::new();
    while let Some(e) = reader.next_event()? {
        events.push(e);
    }
    Ok(events)
}

fn record(kind: u8, len: u8, thread: u16, count: u32, pc: u64, target: u64) -> Record {
    Record { kind, len, thread, count, pc, target }
}

/// The bytes of a file of these records, not compressed.
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
        record(1, 2, 70, 900, 0x1001, 0x2000), // the first of thread 70: what came before is left out
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
    let info = Rbt1Info::scan(&path).unwrap();
    assert_eq!((info.threads, info.records, info.align, info.xlen), (vec![70, 9], 6, 0, 32));
}

#[test]
fn bad_files_name_byte_and_record() {
    let good = record(2, 4, 0, 3, 0x100, 0x200);
    let file = bytes(&[good; 3]);
    assert!(
        error(b"RBT2\0\0\0\0").starts_with("f: begins with [52, 42, 54, 32, 00, 00, 00, 00]; a goshawk branch trace")
    );
    assert!(error(b"").starts_with("f: begins with []"));
    assert!(error(&file[..5]).starts_with("f: begins with [52"));
    assert_eq!(error(&file[..60]), "f: byte 56: record 2: the file ends after 4 of its 24 bytes; it was cut");
    let bad = |r| error(&bytes(&[good, r]));
    assert_eq!(bad(Record { kind: 9, ..good }), "f: byte 32: record 1: kind 9 is not defined; 0 to 8 are");
    let length = "an instruction of 16 bytes; 1 to 15 are possible";
    assert_eq!(bad(Record { len: 16, ..good }), format!("f: byte 32: record 1: {length}"));
    let count = "a count of 0 at an instruction that retires; 1 is the least";
    assert_eq!(bad(Record { count: 0, ..good }), format!("f: byte 32: record 1: {count}"));
    let nine: Vec<Record> = (0..9).map(|t| Record { thread: t, ..good }).collect();
    let ninth = "f: byte 200: record 8: thread 8 is the ninth; 8 threads can become harts";
    assert_eq!(error(&bytes(&nine)), ninth);
    let zstd = zstd::encode_all(bytes(&vec![good; 9000]).as_slice(), 3).unwrap();
    let cut = error(&zstd[..zstd.len() - 3]);
    assert!(cut.ends_with("the compressed data end here, inside a frame; the file was cut"), "{cut}");
    assert!(cut.contains("(of the uncompressed data)"), "{cut}");
    let long = bytes(&(0..9000).map(|i| Record { pc: i * i * 7, ..good }).collect::<Vec<_>>());
    let mut damaged = zstd::encode_all(long.as_slice(), 3).unwrap();
    let half = damaged.len() / 2;
    damaged[half..half + 40].fill(0xff);
    // damage either shows as such or as a record without sense
    assert!(error(&damaged).contains("record "), "{}", error(&damaged));
}

/// A walk through a made-up program with instructions of 1 to 15 bytes, by `harts` harts, as a source
/// would tell it.
fn walk(seed: u64, harts: u8, steps: u32) -> Vec<FlowEvent> {
    let mut state = seed | 1;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    // blocks of instructions: addresses, and what ends the block
    let blocks: Vec<(u64, Vec<u64>, u64)> = (0..40u64)
        .map(|b| {
            let base = 0x40_0000 + b * 0x1000 + random(7);
            let lengths = (0..=random(9)).map(|_| 1 + random(15)).collect();
            (base, lengths, random(8))
        })
        .collect();
    // the block after each, by address: falls through to a jump back
    let mut events = Vec::new();
    let mut at = vec![0usize; usize::from(harts)];
    let mut cycle = 0;
    for h in 0..harts {
        at[usize::from(h)] = usize::from(h) * 3;
        let pc = blocks[usize::from(h) * 3].0;
        cycle += 1;
        events.push(FlowEvent { hart: h, kind: FlowKind::Start, len: 0, count: 0, pc, target: pc, cycle });
    }
    for _ in 0..steps {
        let h = random(harts.into()) as usize;
        let (base, lengths, kind) = &blocks[at[h]];
        let last = lengths.len() - 1;
        let pc = base + lengths[..last].iter().sum::<u64>();
        let (len, mut count) = (lengths[last] as u8, lengths.len() as u32);
        let hart = h as u8;
        if count > 2 && random(20) == 0 {
            // a trap in the middle of the block, and back
            let pc = base + lengths[0];
            let trap = FlowKind::Trap { interrupt: false, cause: 0 };
            cycle += 1;
            events.push(FlowEvent { hart, kind: trap, len: 0, count: 1, pc, target: 0x10, cycle });
            cycle += 2;
            events.push(FlowEvent { hart, kind: FlowKind::TrapReturn, len: 2, count: 2, pc: 0x13, target: pc, cycle });
            count -= 1;
        }
        let fixed = (at[h] * 7 + 3) % 40;
        let free = random(40) as usize;
        let fall = pc + u64::from(len);
        let (kind, to) = match kind {
            0..=2 => (FlowKind::Conditional { taken: random(3) > 0 }, fixed),
            3 => (FlowKind::Jump, fixed),
            4 => (FlowKind::Call, fixed),
            5 => (FlowKind::IndirectJump, free),
            6 => (FlowKind::IndirectCall, free),
            _ => (FlowKind::Return, free),
        };
        let target = if kind == (FlowKind::Conditional { taken: false }) { fall } else { blocks[to].0 };
        cycle += u64::from(count);
        events.push(FlowEvent { hart, kind, len, count, pc, target, cycle });
        if target == fall {
            cycle += 1;
            let jump = FlowKind::Jump;
            events.push(FlowEvent { hart, kind: jump, len: 5, count: 1, pc: fall, target: blocks[fixed].0, cycle });
        }
        at[h] = to;
        if target == fall {
            at[h] = fixed;
        }
    }
    for h in 0..harts {
        let base = blocks[at[usize::from(h)]].0;
        events.push(FlowEvent { hart: h, kind: FlowKind::Stop, len: 0, count: 0, pc: base, target: base, cycle });
    }
    events
}

fn params(flow: FlowScheme, harts: u8) -> TraceParams {
    TraceParams::new(Platform { cores: harts, xlen: 64, align: 0, ..Platform::RV32 }, flow)
}

fn by_hart(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).map(|e| FlowEvent { cycle: 0, ..*e }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn events_come_back_from_a_file_and_from_every_stream_without_an_elf(
        seed in any::<u64>(), harts in 1u8..=8, compressed in any::<bool>()
    ) {
        let events = walk(seed, harts, 3000);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let mut writer = Rbt1Writer::create(&path, compressed).unwrap();
        events.iter().for_each(|e| writer.event(e));
        writer.finish().unwrap();
        let back = read(&path).unwrap();
        prop_assert_eq!(back.len(), events.len());
        for (b, e) in back.iter().zip(&events) {
            prop_assert_eq!(FlowEvent { cycle: 0, ..*b }, FlowEvent { cycle: 0, ..*e });
        }
        prop_assert!(back.windows(2).all(|w| w[0].cycle < w[1].cycle || w[1].kind == FlowKind::Stop));
        let image = Image::from_events(&back).unwrap();
        for scheme in ["tr_e:medium", "nx_b", "nexs"].map(|name| name.parse().unwrap()) {
            let params = params(scheme, harts);
            let mut system = System::new(&params).unwrap();
            back.iter().for_each(|e| system.event(e));
            system.finish(back.last().unwrap().cycle);
            let words: Vec<u32> = system.drain().collect();
            let mut told = Events(Vec::new());
            Replay::new(&image, &params, words.into_iter()).unwrap().run(&mut told).unwrap();
            for hart in 0..harts {
                prop_assert_eq!(by_hart(&told.0, hart), by_hart(&back, hart));
            }
        }
    }
}

#[test]
fn records_of_two_different_codes_are_refused() {
    let events = walk(1, 1, 500);
    let at = |f: &dyn Fn(&FlowEvent) -> bool| events.iter().rposition(f).unwrap();
    let refused = |events: &[FlowEvent]| Image::from_events(events).unwrap_err().to_string();
    let mut counted = events.clone();
    let i = at(&|e| matches!(e.kind, FlowKind::Jump | FlowKind::Call) && e.len != 5);
    counted[i].count += 1;
    let text = refused(&counted);
    assert!(text.contains("instructions from 0x") && text.starts_with(&format!("event {i}, hart 0")), "{text}");
    let mut moved = events.clone();
    moved[i].target += 0x40;
    assert!(refused(&moved).contains("that went to 0x"), "{}", refused(&moved));
    let mut longer = events;
    longer[i].len = 1 + longer[i].len % 15;
    assert!(refused(&longer).contains("bytes before"), "{}", refused(&longer));
}
