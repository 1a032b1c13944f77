//! The paper's two examples on real programs, compared with the retire stream

use diag::app::App;
use diag::layout::{layout, Cut};
use diag::order;
use diag::parse::parse;
use diag::plan::{plan, Rates};
use diag::resolve::resolve;
use diag::runtime::{Key, Output, Sum};
use diag::scripts;
use diag::session::{OnChip, Reference, Totals};
use diag::symbols::Symbols;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::diag::chip::ChipParams;
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::BTreeMap;

fn open(program: &str, script: &str) -> (Symbols, App) {
    let symbols = Symbols::parse(programs::find(program).unwrap().elf).unwrap();
    let app = parse(script).and_then(|i| resolve(&i, &symbols, 50_000_000)).unwrap();
    (symbols, app)
}

fn tell(program: &str, harts: u8, sink: &mut impl RetireSink) {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut machine = Machine::new(&programs::load(program).unwrap(), config).unwrap();
    machine.run(sink, Limits::default()).unwrap();
}

fn params(cores: u8) -> ChipParams {
    ChipParams { link_bits: 100_000_000, ..ChipParams::new(cores) }
}

fn on_chip(program: &str, script: &str, harts: u8, params: ChipParams, planned: bool) -> (Vec<Output>, Totals) {
    run_on(program, &open(program, script).1, harts, params, planned)
}

fn run_on(program: &str, app: &App, harts: u8, params: ChipParams, planned: bool) -> (Vec<Output>, Totals) {
    let layout = if planned {
        plan(app, &params, &Rates::assumed(app, params.clock_hz)).unwrap().layout
    } else {
        layout(app, &params.nodes, &Cut::host(app)).unwrap()
    };
    let image = Image::new(&programs::load(program).unwrap());
    let mut chip = OnChip::new(app, &layout, params, image).unwrap();
    tell(program, harts, &mut chip);
    chip.finish().unwrap();
    (chip.runtime().take_outputs(), chip.totals())
}

/// The numbers of a key.
fn numbers(key: Vec<Key>) -> Vec<i64> {
    key.into_iter().map(|k| if let Key::Number(n) = k { n } else { panic!("{k:?}") }).collect()
}

fn rows(outputs: &[Output]) -> BTreeMap<Vec<i64>, Sum> {
    let table = |o: &Output| if let Output::Table { rows, .. } = o { Some(rows.clone()) } else { None };
    outputs.iter().find_map(table).unwrap().into_iter().map(|(key, sum)| (numbers(key), sum)).collect()
}

/// Calls of functions with their first argument and duration, derived only from calls and returns in order.
struct Calls {
    functions: Vec<u64>,
    a0: Vec<u32>,
    /// By hart: open calls, with their return addresses.
    open: Vec<Vec<(usize, u32, u64, u64)>>,
    /// Entered: function and argument, in order; left: function, argument and cycles.
    entered: Vec<(usize, u32)>,
    left: Vec<(usize, u32, u64)>,
    /// Both, in order; `true`: an entry.
    order: Vec<(bool, usize, u32)>,
    first: Vec<Option<(usize, u32, u64)>>,
}

impl Calls {
    fn new(functions: Vec<u64>) -> Self {
        Self {
            functions,
            a0: vec![0; 8],
            open: vec![Vec::new(); 8],
            entered: Vec::new(),
            left: Vec::new(),
            order: Vec::new(),
            first: vec![None; 8],
        }
    }

    /// The first instruction of a function retires.
    fn began(&mut self, hart: usize, cycle: u64) {
        if let Some((f, arg, to)) = self.first[hart].take() {
            self.entered.push((f, arg));
            self.order.push((true, f, arg));
            self.open[hart].push((f, arg, to, cycle));
        }
    }
}

impl RetireSink for Calls {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        self.began(hart, e.cycle);
        if matches!(e.kind, FlowKind::Call | FlowKind::IndirectCall) {
            if let Some(f) = self.functions.iter().position(|a| *a == e.target) {
                self.first[hart] = Some((f, self.a0[hart], e.fall_through()));
            }
        }
        if e.kind == FlowKind::Return && self.open[hart].last().is_some_and(|o| o.2 == e.target) {
            let (f, arg, _, since) = self.open[hart].pop().unwrap();
            self.left.push((f, arg, e.cycle - since));
            self.order.push((false, f, arg));
        }
    }

    fn data(&mut self, d: &DataEvent) {
        self.began(usize::from(d.hart), d.cycle);
        if let DataKind::Register { rd: 10, value } = d.kind {
            self.a0[usize::from(d.hart)] = value as u32;
        }
    }
}

fn calls(program: &str, harts: u8, names: &[&str]) -> Calls {
    let symbols = Symbols::parse(programs::find(program).unwrap().elf).unwrap();
    let mut calls = Calls::new(names.iter().map(|n| symbols.find(n).unwrap().0).collect());
    tell(program, harts, &mut calls);
    calls
}

/// Races of `bank`: how often which core violates whose transaction; the number of transactions, and of the last one with
/// a violation.
fn races(harts: u8) -> (BTreeMap<Vec<i64>, u64>, u64, u64) {
    let calls = calls("bank", harts, &["get_balance", "set_balance"]);
    let (mut open, mut owner, mut found, mut last_race, mut transactions) = (false, 0, BTreeMap::new(), 0, 0);
    for &(enters, f, src) in &calls.order {
        let before = owner;
        let violated = match (f, enters) {
            (0, true) => {
                transactions += 1;
                owner = src;
                std::mem::replace(&mut open, true) && before != src
            }
            // the owner closes its open transaction
            (1, false) if open && owner == src => {
                open = false;
                false
            }
            (1, false) => true,
            _ => false,
        };
        if violated {
            *found.entry(vec![i64::from(src), i64::from(before)]).or_insert(0) += 1;
            last_race = transactions;
        }
    }
    (found, transactions, last_race)
}

#[test]
fn races_are_those_of_the_retire_stream() {
    for harts in [4] {
        // the second half of the program, under the lock, has no violations
        let (want, transactions, last_race) = races(harts);
        assert_eq!(transactions, 6000);
        assert!(!want.is_empty() && last_race <= 3000, "{last_race}: the second half is correct");
        for planned in [true, false] {
            let (outputs, totals) = on_chip("bank", scripts::find("race").unwrap(), harts, params(harts), planned);
            assert_eq!((totals.lost(), totals.reported), (0, 0));
            let found: BTreeMap<Vec<i64>, u64> = rows(&outputs).into_iter().map(|(k, s)| (k, s.count)).collect();
            assert_eq!(found, want, "{harts} harts, planned {planned}");
        }
    }
}

/// Count, sum, least and greatest duration of the calls of `mutex_lock`, by mutex.
fn lock_profile(harts: u8) -> BTreeMap<Vec<i64>, (u64, i128, i64, i64)> {
    let mut all: BTreeMap<Vec<i64>, (u64, i128, i64, i64)> = BTreeMap::new();
    for (_, mutex, clocks) in calls("lockcont", harts, &["mutex_lock"]).left {
        let e = all.entry(vec![mutex.into()]).or_insert((0, 0, i64::MAX, 0));
        let clocks = clocks as i64;
        *e = (e.0 + 1, e.1 + i128::from(clocks), e.2.min(clocks), e.3.max(clocks));
    }
    all
}

/// Links that carry a small part of the events, all of which leave the chip: what is printed happened, and is marked.
#[test]
fn races_and_lock_profiles_with_forced_losses_are_true() {
    let (all_races, profile) = (races(4).0, lock_profile(4));
    let mut printed = [0, 0];
    for (link_bits, link_of_locks) in [(1_000_000, 1_000_000), (12_000_000, 4_000_000)] {
        let slow = ChipParams { link_bits, ..ChipParams::new(4) };
        let marked = |outputs: &[Output]| outputs.iter().all(|o| o.mark().incomplete && !o.mark().doubtful);
        let slow_locks = ChipParams { link_bits: link_of_locks, ..slow.clone() };
        let mut app = open("bank", scripts::find("race").unwrap()).1;
        order::require(&mut app, &slow);
        let (outputs, totals) = run_on("bank", &app, 4, slow, false);
        assert!(totals.lost() > 1_000 && marked(&outputs), "{}", totals.lost());
        let found = rows(&outputs);
        for (key, sum) in &found {
            assert!(sum.count <= all_races.get(key).copied().unwrap_or(0), "{key:?}: {} at {link_bits}", sum.count);
        }
        printed[0] += found.values().map(|s| s.count).sum::<u64>();
        let (outputs, totals) = on_chip("lockcont", scripts::find("locks").unwrap(), 4, slow_locks, false);
        assert!(totals.lost() > 100 && marked(&outputs), "{}", totals.lost());
        for (key, s) in rows(&outputs) {
            let (count, sum, least, most) = profile[&key];
            assert!(s.count <= count && s.sum <= sum && s.minimum >= least && s.maximum <= most, "{key:?}: {s:?}");
            printed[1] += s.count;
        }
    }
    assert!(printed[0] > 10 && printed[1] > 100, "{printed:?}");
}

#[test]
fn the_lock_profile_is_that_of_the_retire_stream() {
    let harts = 4;
    let want = lock_profile(harts);
    let (outputs, totals) = on_chip("lockcont", scripts::find("locks").unwrap(), harts, ChipParams::new(harts), true);
    assert_eq!(totals.lost(), 0);
    let found: BTreeMap<_, _> =
        rows(&outputs).into_iter().map(|(k, s)| (k, (s.count, s.sum, s.minimum, s.maximum))).collect();
    assert_eq!(found, want, "{harts} harts");
    assert!(totals.link_bytes < 300, "{}", totals.link_bytes);
}

/// `try_lock` starts with `lr.w`, to which the branch after a failed `sc.w` jumps.
#[test]
fn loop_iterations_at_the_entry_are_not_calls() {
    let script = "call:try_lock { @calls = count(); } pc:try_lock { @turns = count(); }";
    let (outputs, totals) = on_chip("bank", script, 4, params(4), true);
    assert_eq!(totals.lost(), 0);
    let count = |map: &str| {
        let of = |o: &Output| match o {
            Output::Table { map: name, rows, .. } if name == map => Some(rows.iter().map(|r| r.1.count).sum::<u64>()),
            _ => None,
        };
        outputs.iter().find_map(of).unwrap()
    };
    let called = calls("bank", 4, &["try_lock"]).entered.len() as u64;
    assert_eq!(count("calls"), called);
    assert!(count("turns") > called, "{called}");
}

#[test]
fn a_slow_link_stays_full_of_events_and_counts_the_rest() {
    let slow = ChipParams { link_bits: 1_000_000, ..ChipParams::new(4) };
    let script = scripts::find("messages").unwrap();
    let (_, all) = on_chip("bank", script, 4, params(4), false);
    let (outputs, totals) = on_chip("bank", script, 4, slow, false);
    // every call and return is printed, or was lost and counted
    assert_eq!(outputs.len() as u64 + totals.lost(), 12_000);
    assert_eq!(totals.reported, totals.lost());
    assert_eq!((all.lost(), all.events), (0, 12_000));
    // the link is busy: it carries its maximum number of bits, and still has a backlog when the run ends
    let carried = totals.cycles as f64 / 50e6 * 1e6 / 8.0;
    assert!(totals.link_bytes as f64 > 0.9 * carried, "{} of {carried}", totals.link_bytes);
}

#[test]
fn reference_and_chip_print_the_same() {
    for (name, program, harts) in [("calls", "lockcont", 4), ("nested", "lockcont", 1)] {
        let script = scripts::find(name).unwrap();
        let (_, app) = open(program, script);
        let host = layout(&app, &params(harts).nodes, &Cut::host(&app)).unwrap();
        let image = Image::new(&programs::load(program).unwrap());
        let mut reference = Reference::new(&app, &host, harts, image).unwrap();
        tell(program, harts, &mut reference);
        reference.finish().unwrap();
        let (outputs, totals) = on_chip(program, script, harts, params(harts), true);
        assert_eq!(totals.lost(), 0, "{name}");
        assert_eq!(outputs, reference.runtime().take_outputs(), "{name}");
        assert!(!outputs.is_empty());
    }
}

#[test]
fn a_log_file_prints_the_same_as_the_run_and_marks_damage() {
    use diag::link::FrameReader;
    use diag::log::{fits, read, replay, Damage, End, Header, Log};
    let script = scripts::find("rate").unwrap();
    let (_, app) = open("lockcont", script);
    let layout = plan(&app, &params(2), &Rates::assumed(&app, 50_000_000)).unwrap().layout;
    let image = Image::new(&programs::load("lockcont").unwrap());
    let mut chip = OnChip::new(&app, &layout, params(2), image).unwrap();
    chip.keep_log();
    let config = MachineConfig { harts: 2, ..MachineConfig::default() };
    let mut machine = Machine::new(&programs::load("lockcont").unwrap(), config).unwrap();
    machine.run(&mut chip, Limits { instructions: 2_000_000, ..Limits::default() }).unwrap();
    chip.finish().unwrap();
    let totals = chip.totals();
    let (clock_hz, cut) = (50_000_000, layout.cut.clone());
    let header = Header {
        script: script.into(),
        cut,
        cores: 2,
        clock_hz,
        lite: false,
        unordered: false,
        masters: 0,
        clocked: 0,
    };
    let bytes = chip.log(&header).unwrap();
    let log = read(&bytes).unwrap();
    assert_eq!((&log.header, log.frames.len() as u64), (&header, totals.link_bytes));
    assert!(fits(&log.header.cut, &app));
    let want = chip.runtime().take_outputs();
    let marked = |outputs: &[Output]| outputs.iter().any(|o| o.mark().any());
    // what there is, is what the run printed, or it is marked
    let agrees = |found: &[Output]| found.iter().zip(&want).all(|(f, w)| f == w || f.mark().any());
    let replayed = |log: &Log<'_>| {
        let (mut host, damage) = replay(&app, &layout, log);
        (host.runtime().take_outputs(), damage)
    };
    assert_eq!(replayed(&log), (want.clone(), Damage::default()));
    assert!(want.len() > 10 && !marked(&want));
    // one damaged byte in the middle: one frame is missing
    let mut hurt = log.frames.to_vec();
    let at = hurt.len() / 2;
    hurt[at] ^= 0x10;
    let (found, damage) = replayed(&Log { frames: &hurt, ..log.clone() });
    assert_eq!((damage.frames, damage.cut), (1, false));
    assert_ne!(found, want);
    // no frames at the end, as many as their numbers count
    let (frames, end) = (log.frames, log.end.clone().unwrap());
    let mut from = frames.len();
    let mut starts = (0..from).rev().filter(|n| frames[*n] == 0xd5 && frames[n + 1] < 17);
    while FrameReader::default().push(&frames[from..]).len() < 256 {
        from = starts.next().unwrap();
    }
    let (found, damage) = replayed(&Log { frames: &frames[..from], ..log.clone() });
    assert_eq!((damage.frames, damage.cut), (256, false));
    assert!(agrees(&found) && found.len() < want.len());
    // as many lost events as at the end
    let (_, damage) = replayed(&Log { end: Some(End { lost: 1, ..end }), ..log.clone() });
    assert!(damage.differs);
    // a file that was cut has no end, wherever that is
    let head = bytes.len() - frames.len() - 200;
    for cut in (0..bytes.len()).step_by(997).chain(bytes.len() - 200..bytes.len()) {
        match read(&bytes[..cut]) {
            Ok(log) => {
                assert_eq!(log.end, None, "{cut}");
                let (found, damage) = replayed(&log);
                assert!(damage.cut && agrees(&found), "{cut}: {damage:?}");
            }
            Err(e) => assert!(cut < head && e.ends_with("was cut") || cut < 8, "{cut}: {e}"),
        }
    }
    // a byte of the header or of the end is changed
    for at in (20..40).chain(bytes.len() - 40..bytes.len() - 8) {
        let mut hurt = bytes.clone();
        hurt[at] ^= 1;
        let damaged = match read(&hurt) {
            Ok(log) => !log.intact || log.end.is_none(),
            Err(_) => true,
        };
        assert!(damaged, "{at}");
    }
}
