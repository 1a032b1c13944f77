//! Value change dumps and pprof files, checked with independent readers

use host::contexts::Selection;
use host::encode::{to_file, Request};
use host::input::InputOptions;
use host::input::{Input, Named};
use host::inputs::record;
use host::machine::Settings;
use host::progress::Quiet;
use host::symbols::Symbols;
use host::views::line_profile::{LineProfile, Names};
use host::views::profile::Profile;
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use host::views::vcd::{Contents, Dump};
use prost::Message;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::scheme::inputs::params::Sizes;
use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

const ELF: &str = "builtin:bank";
const INSTRUCTIONS: u64 = 60_000;
const CORES: u8 = 3;

fn trace(dir: &tempfile::TempDir, timestamps: bool) -> PathBuf {
    let input = Input::open(ELF).unwrap();
    let settings = Settings { max_instructions: Some(INSTRUCTIONS), ..Settings::default() };
    let run = input.run(CORES, &settings).unwrap();
    let flow: FlowScheme = "tr_e:small".parse().unwrap();
    let params = TraceParams::new(Platform { cores: CORES, timestamps, ..Platform::RV32 }, flow);
    let path = dir.path().join("a.gtr");
    to_file(&run, &Request::new(params), &path, &Quiet).unwrap();
    path
}

fn recorded(dir: &tempfile::TempDir) -> PathBuf {
    let input = Input::open(ELF).unwrap();
    let settings = Settings { max_instructions: Some(INSTRUCTIONS), ..Settings::default() };
    let path = dir.path().join("a.gip");
    record(&input.run(CORES, &settings).unwrap(), Sizes::default(), 0, Some(&path), &Quiet).unwrap();
    path
}

fn open(path: &Path) -> Replayed {
    Replayed::open(path, ELF, InputOptions::default(), &Quiet).unwrap().0
}

/// Changes of all signals by name, as time and value; and the last time.
struct Waves {
    changes: HashMap<String, Vec<(u64, String)>>,
    end: u64,
}

fn dump(path: &Path, registers: bool, times: Range<u64>) -> Waves {
    let named = Named::open(ELF).unwrap();
    let replayed = open(path);
    let contexts = Selection::default();
    let shown = Contents { xlen: 32, cycles: replayed.has_cycles(), registers, times, contexts };
    let mut text = Vec::new();
    let image = Image::new(&named.program);
    let mut dump = Dump::new(image, Symbols::open(ELF).unwrap(), CORES, shown, &mut text).unwrap();
    replayed.report_until(&mut dump, &Quiet, Dump::is_over).unwrap();
    dump.finish().unwrap();
    let mut wave = wellen::simple::read_from_reader(Cursor::new(text)).unwrap();
    let names = wave.hierarchy();
    let vars: Vec<_> = names.all_vars().map(|v| (names[v].full_name(names), names[v].signal_ref())).collect();
    wave.load_signals(&vars.iter().map(|v| v.1).collect::<Vec<_>>());
    let table = wave.time_table().to_vec();
    let changes = vars.iter().map(|(name, signal)| {
        let signal = wave.get_signal(*signal).unwrap();
        let all = signal.iter_changes().map(|(at, value)| (table[at as usize], value.to_string())).collect();
        (name.clone(), all)
    });
    Waves { changes: changes.collect(), end: *table.last().unwrap() }
}

/// Value of a signal at a time.
fn at(changes: &[(u64, String)], time: u64) -> &str {
    &changes[changes.partition_point(|c| c.0 <= time) - 1].1
}

fn number(bits: &str) -> u64 {
    u64::from_str_radix(bits, 2).unwrap_or_else(|_| panic!("{bits}"))
}

/// Core, address, written register and its value.
type Step = (u8, u64, Option<(u8, u64)>);

/// Every instruction in the order of the events, with its register writes.
#[derive(Default)]
struct Steps {
    next: HashMap<u8, u64>,
    data: HashMap<u8, Vec<DataEvent>>,
    all: Vec<Step>,
    image: Option<Image>,
    cycles: Vec<(u8, u64, u64)>,
}

impl RetireSink for Steps {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let mut pc = self.next.insert(e.hart, e.target).unwrap_or(0);
        for _ in 0..e.count {
            let data = self.data.entry(e.hart).or_default();
            let own: Vec<_> = data.iter().take_while(|d| d.pc == pc).copied().collect();
            data.drain(..own.len());
            let written = own.iter().find_map(|d| match d.kind {
                DataKind::Register { rd, value } => Some((rd, value)),
                _ => None,
            });
            self.all.push((e.hart, pc, written));
            pc = self.image.as_ref().unwrap().skip(pc, 1).unwrap();
        }
        if e.kind.retires() {
            self.cycles.push((e.hart, e.cycle, e.pc));
        }
    }

    fn data(&mut self, d: &DataEvent) {
        self.data.entry(d.hart).or_default().push(*d);
    }
}

fn steps(path: &Path) -> Steps {
    let image = Some(Image::new(&Named::open(ELF).unwrap().program));
    let mut steps = Steps { image, ..Steps::default() };
    open(path).report_to(&mut steps, &Quiet).unwrap();
    steps
}

#[test]
fn the_dump_has_the_pc_and_the_function_of_every_instruction() {
    let dir = tempfile::tempdir().unwrap();
    let symbols = Symbols::open(ELF).unwrap();
    for path in [trace(&dir, false), recorded(&dir)] {
        let read = dump(&path, false, 0..u64::MAX);
        let steps = steps(&path).all;
        assert_eq!((steps.len() as u64, read.end), (INSTRUCTIONS, INSTRUCTIONS));
        let mut same = 0;
        for (time, (core, pc, _)) in (0u64..).zip(&steps) {
            assert_eq!(number(at(&read.changes[&format!("goshawk.core{core}.pc")], time)), *pc, "time {time}");
            let function = at(&read.changes[&format!("goshawk.core{core}.function")], time);
            same += u64::from(symbols.at(*pc).is_some_and(|(name, _)| name == function));
        }
        // labels inside assembler functions are symbols, but not calls
        assert!(same * 100 > INSTRUCTIONS * 95, "{same} of {INSTRUCTIONS} are in the function that their address says");
        for core in 0..CORES {
            assert!(
                read.changes[&format!("goshawk.core{core}.pc")].last().unwrap().1.starts_with('x'),
                "it has stopped"
            );
        }
    }
}

#[test]
fn registers_are_those_that_were_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(&dir);
    let read = dump(&path, true, 0..u64::MAX);
    let mut written = 0;
    for (time, (core, _, register)) in (0u64..).zip(&steps(&path).all) {
        if let Some((rd, value)) = register {
            let found = at(&read.changes[&format!("goshawk.core{core}.x{rd}")], time);
            assert_eq!(number(found), *value, "time {time}, core {core}, x{rd}");
            written += 1;
        }
    }
    assert!(written > INSTRUCTIONS / 3, "{written}");
}

#[test]
fn a_part_of_the_time_is_the_same_as_in_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = recorded(&dir);
    let (whole, part) = (dump(&path, true, 0..u64::MAX), dump(&path, true, 20_000..20_500));
    assert_eq!(part.end, 20_500);
    for (name, changes) in &part.changes {
        assert!(changes[0].0 == 20_000 && changes.last().unwrap().0 < 20_500, "{name}");
        for time in 20_000..20_500 {
            assert_eq!(at(changes, time), at(&whole.changes[name], time), "{name} at {time}");
        }
    }
}

#[test]
fn cycles_never_go_back_and_no_branch_stands_before_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = trace(&dir, true);
    let read = dump(&path, false, 0..u64::MAX);
    let mut now = 0;
    let mut last = HashMap::new();
    for (core, cycle, pc) in steps(&path).cycles {
        now = now.max(cycle);
        last.insert((core, now), pc);
    }
    // after the last branch of a core come the instructions up to its stop, which may have the same cycle
    for core in 0..CORES {
        let end = last.keys().filter(|k| k.0 == core).map(|k| k.1).max().unwrap();
        last.remove(&(core, end));
    }
    assert!(last.len() > 500);
    for ((core, cycle), pc) in last {
        assert_eq!(
            number(at(&read.changes[&format!("goshawk.core{core}.pc")], cycle)),
            pc,
            "core {core} cycle {cycle}"
        );
    }
}

#[derive(Clone, PartialEq, prost::Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
}

/// `perftools.profiles.Profile`, the fields in use.
#[derive(Clone, PartialEq, prost::Message)]
struct Pprof {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

#[test]
fn pprof_reads_the_same_stacks_as_are_folded() {
    let dir = tempfile::tempdir().unwrap();
    let symbols = Symbols::open(ELF).unwrap();
    let path = trace(&dir, false);
    let mut profile = Profile::new(symbols.clone(), None, CORES);
    open(&path).report_to(&mut profile, &Quiet).unwrap();
    let replayed = open(&path);
    let image = replayed.image();
    let mut by_line = LineProfile::new(Follower::new(symbols.clone(), None, CORES), image, CORES);
    replayed.report_to(&mut by_line, &Quiet).unwrap();
    let (mut file, mut folded) = (Vec::new(), Vec::new());
    // without lines, locations are functions; a stack of them can have several samples, for each place of a call
    by_line.pprof(&[Names { program: ELF, lines: None, symbols: &symbols }], &mut file).unwrap();
    profile.folded(&mut folded).unwrap();
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&*file).read_to_end(&mut plain).unwrap();
    let read = Pprof::decode(&*plain).unwrap();
    let text = |i: i64| read.string_table[i as usize].as_str();
    assert_eq!(text(0), "");
    let kind = &read.sample_type[0];
    assert_eq!((text(kind.r#type), text(kind.unit), read.sample_type.len()), ("instructions", "count", 1));
    assert_eq!((read.period_type.as_ref(), read.period), (Some(kind), 1));
    let functions: HashMap<u64, &str> = read.function.iter().map(|f| (f.id, text(f.name))).collect();
    let places: HashMap<u64, &str> = read.location.iter().map(|l| (l.id, functions[&l.line[0].function_id])).collect();
    assert_eq!((functions.len(), places.len()), (read.function.len(), read.location.len()), "every number once");
    let mut stacks: BTreeMap<String, i64> = BTreeMap::new();
    for s in &read.sample {
        let outside_in: Vec<&str> = s.location_id.iter().rev().map(|id| places[id]).collect();
        *stacks.entry(outside_in.join(";")).or_default() += s.value[0];
    }
    let folded = String::from_utf8(folded).unwrap();
    let folded = folded.lines().map(|l| l.rsplit_once(' ').unwrap());
    assert_eq!(stacks, folded.map(|(stack, n)| (stack.to_string(), n.parse().unwrap())).collect());
    assert_eq!(read.sample.iter().map(|s| s.value[0]).sum::<i64>(), INSTRUCTIONS as i64);
}
