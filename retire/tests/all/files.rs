//! Retire files: round trips, damaged files, files of old versions

use proptest::prelude::*;
use retire::file::retire::{DataWriter, RetireInfo, RetireReader, RetireWriter};
use retire::file::FileError;
use retire::isa::Indirect;
use retire::{Context, DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use std::path::Path;

fn info() -> RetireInfo {
    let text = |s: &str| s.to_string();
    let (tool, build_id, program, source) = (text("test"), text("ab"), text("p.elf"), text("proptest"));
    RetireInfo { tool, harts: 4, xlen: 32, build_id, program, source, threads: Vec::new(), untimed: false }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Event(FlowEvent),
    Data(DataEvent),
}

#[derive(Debug, Default)]
struct Items(Vec<Item>);

impl RetireSink for Items {
    const WANTS_DATA: bool = true;
    fn event(&mut self, e: &FlowEvent) {
        self.0.push(Item::Event(*e));
    }
    fn data(&mut self, d: &DataEvent) {
        self.0.push(Item::Data(*d));
    }
}

fn write(items: &[Item], path: &Path) {
    let mut w = DataWriter::create(path, &info()).unwrap();
    for item in items {
        match item {
            Item::Event(e) => w.event(e),
            Item::Data(d) => w.data(d),
        }
    }
    w.finish().unwrap();
}

fn read(path: &Path) -> Result<Vec<Item>, FileError> {
    let mut items = Items::default();
    RetireReader::open(path)?.read_rest(&mut items)?;
    Ok(items.0)
}

fn kinds() -> impl Strategy<Value = FlowKind> {
    prop_oneof![
        Just(FlowKind::Start),
        any::<bool>().prop_map(|taken| FlowKind::Conditional { taken }),
        Just(FlowKind::Jump),
        Just(FlowKind::Call),
        Just(FlowKind::IndirectJump),
        Just(FlowKind::IndirectCall),
        Just(FlowKind::Return),
        Just(FlowKind::CoSwap),
        Just(FlowKind::TrapReturn),
        (0usize..4, any::<bool>()).prop_map(|(how, taken)| {
            let how = [Indirect::Jump, Indirect::Call, Indirect::Return, Indirect::CoSwap][how];
            FlowKind::ConditionalIndirect { how, taken }
        }),
        any::<(bool, u8)>().prop_map(|(interrupt, cause)| FlowKind::Trap { interrupt, cause }),
        any::<u32>().prop_map(|lost| FlowKind::Gap { lost }),
        any::<(u32, bool)>().prop_map(|(n, alone)| FlowKind::Context { context: Context(n), alone }),
        Just(FlowKind::Stop),
    ]
}

fn data_kinds() -> impl Strategy<Value = DataKind> {
    let access = (0u32..4, any::<u64>(), any::<u64>()).prop_map(|(size, addr, value)| (1u8 << size, addr, value));
    prop_oneof![
        access.clone().prop_map(|(size, addr, value)| DataKind::Load { size, addr, value }),
        access.prop_map(|(size, addr, value)| DataKind::Store { size, addr, value }),
        (0u16..4096, any::<u64>()).prop_map(|(csr, value)| DataKind::Csr { csr, value }),
        (1u8..32, any::<u64>()).prop_map(|(rd, value)| DataKind::Register { rd, value }),
        (0u8..32, any::<u64>()).prop_map(|(rd, value)| DataKind::Float { rd, value }),
        any::<(bool, u8, u8, u32, u64)>().prop_map(|(reported, kind, len, count, target)| DataKind::Imported {
            reported,
            kind,
            len,
            count,
            target
        }),
    ]
}

fn items() -> impl Strategy<Value = Item> {
    let numbers = (0u8..4, any::<u64>(), 0u64..1 << 40);
    let event = (numbers.clone(), kinds(), 1u8..16, any::<u32>(), prop::option::of(any::<u64>())).prop_map(
        |((hart, pc, cycle), kind, len, count, target)| {
            let len = if kind.retires() { len } else { 0 };
            let target = target.unwrap_or_else(|| pc.wrapping_add(len.into()));
            Item::Event(FlowEvent { hart, kind, len, count, pc, target, cycle })
        },
    );
    let data =
        (numbers, data_kinds()).prop_map(|((hart, pc, cycle), kind)| Item::Data(DataEvent { hart, kind, pc, cycle }));
    prop_oneof![event, data]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_events_and_data_come_back(items in prop::collection::vec(items(), 0..300)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("e.ret");
        write(&items, &path);
        prop_assert_eq!(&read(&path).unwrap(), &items);
        // a sink that wants no data receives only the events
        let events: Vec<FlowEvent> = items.iter().filter_map(|i| match i {
            Item::Event(e) => Some(*e),
            Item::Data(_) => None,
        }).collect();
        let mut reported: Vec<FlowEvent> = Vec::new();
        RetireReader::open(&path).unwrap().read_rest(&mut reported).unwrap();
        prop_assert_eq!(reported, events);
    }
}

/// Branches of two harts.
fn branches(n: u64) -> Vec<FlowEvent> {
    let kind = |pc: u64| FlowKind::Conditional { taken: pc % 3 == 0 };
    (0..n)
        .map(|i| FlowEvent {
            hart: (i % 2) as u8,
            kind: kind(i),
            len: 4,
            count: 3,
            pc: i * 4,
            target: i * 28,
            cycle: i,
        })
        .collect()
}

fn write_events(events: &[FlowEvent], path: &Path) {
    let mut w = RetireWriter::create(path, &info()).unwrap();
    events.iter().for_each(|e| w.event(e));
    w.finish().unwrap();
}

#[test]
fn files_of_several_blocks_come_back_block_by_block() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("e.ret");
    for n in [0, 16383, 16384, 16385, 50_000] {
        let events = branches(n);
        write_events(&events, &path);
        let mut reader = RetireReader::open(&path).unwrap();
        assert_eq!(*reader.info(), info());
        let (mut found, mut blocks): (Vec<FlowEvent>, _) = (Vec::new(), 0);
        while reader.next_block(&mut found).unwrap() {
            blocks += 1;
        }
        assert_eq!((found == events, blocks), (true, n.div_ceil(16384)), "{n}");
    }
}

#[test]
fn cuts_and_flipped_bits_are_errors() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("e.ret");
    write_events(&branches(200), &path);
    let good = std::fs::read(&path).unwrap();
    for len in (0..good.len()).step_by(3) {
        std::fs::write(&path, &good[..len]).unwrap();
        read(&path).unwrap_err();
    }
    for bit in (0..8 * good.len()).step_by(5) {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&path, &flipped).unwrap();
        assert!(read(&path).is_err(), "bit {bit}");
    }
    std::fs::write(&path, [good.as_slice(), b"x"].concat()).unwrap();
    let text = read(&path).unwrap_err().to_string();
    assert!(text.ends_with("bytes follow the end of the run"), "{text}");
}

/// `goshawk run builtin:irq --harts 2 --max-instructions 4000`, from the last release that wrote version 1.
#[test]
fn files_of_version_1_still_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/irq-v1.ret");
    let mut events: Vec<FlowEvent> = Vec::new();
    let reported = RetireReader::open(&path).and_then(|mut r| r.read_rest(&mut events));
    if cfg!(feature = "zstd") {
        reported.unwrap();
        let text: String = events.iter().map(|e| format!("{e:?}\n")).collect();
        assert_eq!((events.len(), crc32fast::hash(text.as_bytes())), (1992, 0xc86a_8542));
    } else {
        assert!(reported.unwrap_err().to_string().ends_with("for which the feature `zstd` is needed"));
    }
}

#[test]
#[cfg(unix)]
fn devices_and_pipes_are_written_in_place() {
    use std::io::Write;
    use std::os::unix::fs::FileTypeExt;
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    let mut file = retire::file::Replacement::create(&pipe).unwrap();
    file.write_all(b"all of it").unwrap();
    file.commit().unwrap();
    // check before waiting for the reader, which would wait forever without a writer
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo(), "a file took the pipe's place");
    assert_eq!(reader.join().unwrap(), b"all of it");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_missing_folder_gives_the_error_of_the_system() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("none/x.ret");
    let said = retire::file::Replacement::create(&path).unwrap_err().to_string();
    assert_eq!(said, format!("{}: No such file or directory", path.display()));
}

#[test]
fn a_folder_is_neither_read_nor_written() {
    let place = tempfile::tempdir().unwrap();
    let right = format!("{}: is a folder, expected a file", place.path().display());
    assert_eq!(retire::file::Replacement::create(place.path()).unwrap_err().to_string(), right);
    assert_eq!(retire::file::input::head(place.path(), 1).unwrap_err().to_string(), right);
}
