//! The diagnosis chip in a SoC of four picorv32 in Verilator: its frames match what the golden generator and the host
//! make of the cores' own retire log
//!
//! The paper's two examples. The host sets up everything over the ring, from a planned script; frames leave at the rate
//! of a serial line. The cores behave in each cycle as without the chip.

use diag::app::App;
use diag::layout::{layout, table, Cut, Layout, MACHINES, MAPS};
use diag::link::{FrameReader, FrameWriter};
use diag::load;
use diag::noisy::{Noise, NoisyHost};
use diag::parse::parse;
use diag::resolve::resolve;
use diag::runtime::Runtime;
use diag::share::Share;
use diag::sink::{Format, Sink};
use diag::symbols::Symbols;
use fpga::soc::core::CoreKind;
use fpga::soc::diag::{DiagRun, DiagSoc, HostAction};
use fpga::soc::run::{RunOptions, Soc};
use fpga::soc::top::SocConfig;
use fpga::soc::verilate::default_cache;
use hdl::diag::chip::DiagParams;
use retire::elf::Program;
use sim::diag::chip::FIRST_NODE;
use sim::diag::node::{aggregate, Field, NodeKind, Target};
use sim::diag::packet::{Body, Event, Op, Packet, HOST};
use sim::diag::registers::{self, Writes};
use sim::diag::trigger::{Capture, GeneratorParams};
use sim::stimulus::long;
use std::sync::Mutex;

const CORES: u8 = 4;
const HZ: u64 = 50_000_000;

/// Prevents two tests from building the same SoC at the same time.
static BUILDS: Mutex<()> = Mutex::new(());

fn config() -> SocConfig {
    SocConfig::simulated(CoreKind::Picorv32, CORES)
}

fn nodes() -> Vec<NodeKind> {
    vec![NodeKind::Machine(16), NodeKind::Aggregate(256)]
}

fn chip() -> DiagParams {
    DiagParams {
        cores: CORES,
        generator: GeneratorParams::FULL,
        outside: Vec::new(),
        nodes: nodes(),
        windows: false,
        masters: 0,
        clocked: 0,
    }
}

/// A program under a script.
struct Case {
    symbols: Symbols,
    app: App,
    program: Program,
    max_cycles: u64,
}

/// What the host received.
struct Got {
    run: DiagRun,
    /// Packets, and bytes of the link while the cores ran, without responses to the settings.
    packets: Vec<Packet>,
    bytes: usize,
}

impl Case {
    fn new(program: &str, script: &str, max_cycles: u64) -> Self {
        let elf = programs::find(program).unwrap().soc.get("rv32im").unwrap();
        let symbols = Symbols::parse(elf).unwrap();
        let app = parse(script).and_then(|i| resolve(&i, &symbols, HZ)).unwrap();
        Self { symbols, app, program: Program::parse(elf).unwrap(), max_cycles }
    }

    /// Packets before and after the run.
    fn packets(layout: &Layout, node: Option<(u8, Writes)>) -> [Vec<Packet>; 2] {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        if let Some((dest, writes)) = node {
            before.extend(load::write(dest, &writes));
            after.push(Packet::control(HOST, dest, Op::Flush, 0, &[1]));
        }
        (0..CORES).for_each(|c| before.extend(load::write(c, &registers::full(&layout.slots, 32))));
        [before, after]
    }

    /// Runs on a line that damages bytes. Returns the run, the packets since the cores started, the number of lost
    /// frames of the chip, and the number of retransmitted frames of the host.
    fn damaged(&self, packets: [Vec<Packet>; 2], byte_clocks: u32, noise: Noise) -> (DiagRun, Vec<Packet>, [u64; 2]) {
        let once = BUILDS.lock().unwrap_or_else(|e| e.into_inner());
        let soc = DiagSoc::build(&config(), &chip(), &default_cache()).unwrap();
        drop(once);
        let [before, after] = packets;
        let mut host = NoisyHost::new(noise);
        host.send(&before);
        let (mut read, mut went, mut answers) = (0, false, 0);
        let run = soc.run_with(&self.program, byte_clocks, self.max_cycles, &mut |run| {
            host.receive(&run.bytes[read..].iter().map(|b| b.1).collect::<Vec<_>>());
            read = run.bytes.len();
            if run.start != 0 && !went {
                went = true;
                host.send_held(&after);
            }
            match host.answer() {
                Some(bytes) => HostAction::Bytes(bytes),
                None if went => HostAction::End,
                None => {
                    answers = host.lost().0;
                    host.take();
                    HostAction::Go
                }
            }
        });
        let (lost, repeated) = host.lost();
        println!("{:?} bytes over the line and damaged, {lost} frames lost, {repeated} sent again", host.noise.bytes);
        (run.unwrap(), host.take(), [lost - answers, repeated])
    }

    fn run(&self, layout: &Layout, node: Option<(u8, Writes)>, byte_clocks: u32) -> Got {
        let [before, after] = Self::packets(layout, node);
        let once = BUILDS.lock().unwrap_or_else(|e| e.into_inner());
        let soc = DiagSoc::build(&config(), &chip(), &default_cache()).unwrap();
        let alone = Soc::build(&config(), false, &default_cache()).unwrap();
        drop(once);
        let mut line = FrameWriter::default();
        let mut bytes = |packets: &[Packet]| packets.iter().flat_map(|p| line.frame(p)).collect::<Vec<u8>>();
        let (before, after) = (bytes(&before), bytes(&after));
        let run = soc.run(&self.program, &before, &[after], byte_clocks, self.max_cycles).unwrap();
        let mut reader = FrameReader::default();
        let mut packets = Vec::new();
        for (_, byte) in &run.bytes {
            packets.extend(reader.push(&[*byte]));
        }
        assert_eq!((reader.lost, reader.skipped, reader.malformed), (0, 0, 0));
        packets.retain(|p| !matches!(p.body, Body::Control { op: Op::Written, .. }));
        let bytes = run.bytes.iter().filter(|b| b.0 >= run.start).count();
        // the chip has no effect on the cores
        let options = RunOptions { max_cycles: self.max_cycles, ..RunOptions::default() };
        let alone = alone.run(&self.program, &options, |_| {}).unwrap();
        assert_eq!(run.stores, (alone.stores, alone.stores_hash));
        assert_eq!(run.retired.len() as u64, alone.instructions.iter().sum::<u64>());
        assert_eq!(run.cycles, alone.cycles);
        Got { run, packets, bytes }
    }

    /// The events of the golden generators, in commit order.
    fn events(&self, layout: &Layout, run: &DiagRun) -> Vec<Event> {
        let (events, lost) = run.events(CORES, GeneratorParams::FULL, &layout.slots).unwrap();
        assert_eq!(lost, 0);
        events.into_iter().map(|e| e.1).collect()
    }

    fn printed(&self, layout: &Layout, cut: &Cut, events: impl Iterator<Item = Event>) -> String {
        let mut runtime =
            if *cut == layout.cut { Runtime::new(&self.app, layout) } else { Runtime::host(&self.app, layout) };
        events.for_each(|e| runtime.take(&e));
        runtime.end(0);
        let mut out = Vec::new();
        let mut sink = Sink::new(&mut out, Format::Text, &self.symbols, HZ).unwrap();
        runtime.take_outputs().iter().for_each(|o| sink.put(o).unwrap());
        sink.lost(runtime.lost).unwrap();
        String::from_utf8(out).unwrap()
    }
}

fn events(packets: &[Packet]) -> Vec<Event> {
    packets.iter().filter_map(Packet::as_event).copied().collect()
}

fn rate(bytes: usize, cycles: u64) -> f64 {
    8.0 * bytes as f64 * HZ as f64 / cycles as f64 / 1e6
}

/// Bandwidth of a full trace by the paper's estimate, in Mbit/s: 2 bits per instruction, 16 per access.
fn full_trace(run: &DiagRun) -> f64 {
    let accesses = run.retired.iter().filter(|r| r.masks != (0, 0)).count();
    (2 * run.retired.len() + 16 * accesses) as f64 * HZ as f64 / run.cycles as f64 / 1e6
}

fn report(what: &str, got: &Got, events: usize) {
    let (r, full) = (rate(got.bytes, got.run.cycles), full_trace(&got.run));
    let n = got.run.retired.len();
    println!(
        "{what}: {} clocks, {n} instructions, {events} events, {} bytes; link {r:.4} Mbit/s, full trace {full:.1}, ratio {:.0}",
        got.run.cycles,
        got.bytes,
        full / r
    );
}

/// Approach I: every event leaves the chip.
fn all_events(case: &Case, what: &str) {
    let layout = layout(&case.app, &nodes(), &Cut::host(&case.app)).unwrap();
    let got = case.run(&layout, None, 4);
    let want = case.events(&layout, &got.run);
    let found = events(&got.packets);
    for core in 0..CORES {
        let of = |all: &[Event]| all.iter().copied().filter(|e| e.core == core).collect::<Vec<_>>();
        let (found, want) = (of(&found), of(&want));
        assert_eq!(found.len(), want.len(), "{what}, core {core}");
        found.iter().zip(&want).enumerate().for_each(|(n, (f, w))| assert_eq!(f, w, "{what}, core {core}, event {n}"));
    }
    report(&format!("{what}, all events"), &got, want.len());
}

/// Approach II: the script is cut at `cut`, and `set` gives a node and its registers. Returns what the script prints
/// for the link, which equals what it prints for the retire log, and the numbers of events there and on the link.
fn on_chip(case: &Case, what: &str, cut: &Cut, set: impl Fn(&Layout) -> (u8, Writes)) -> (String, usize, usize) {
    let laid = layout(&case.app, &nodes(), cut).unwrap();
    let got = case.run(&laid, Some(set(&laid)), 33);
    let want = case.events(&laid, &got.run);
    report(what, &got, want.len());
    let (happened, left) = (want.len(), events(&got.packets));
    let (n, found) = (left.len(), case.printed(&laid, cut, left.into_iter()));
    let replayed = case.printed(&laid, &Cut::host(&case.app), want.into_iter());
    println!("{found}");
    assert_eq!(found, replayed);
    assert!(found.ends_with("lost: 0 events\n"), "{found}");
    (found, happened, n)
}

/// Approach II with the transaction check on the chip.
fn checked(case: &Case, what: &str) -> (String, usize, usize) {
    let mut cut = Cut::host(&case.app);
    cut.machines[0] = true;
    let table = table(&case.app, 0, Target { dest: HOST, id: MACHINES }, &Share::unshared(&case.app));
    on_chip(case, what, &cut, |_| (FIRST_NODE, registers::machine(&table)))
}

#[test]
fn races_are_those_of_the_retire_log() {
    let case = Case::new("bank", diag::scripts::find("race").unwrap(), 400_000);
    all_events(&case, "bank");
    let (_, _, reports) = checked(&case, "bank, checked on the chip");
    assert!(reports > 100, "{reports} reports");
}

#[test]
fn a_correct_program_has_no_races() {
    let mut case = Case::new("bank", diag::scripts::find("race").unwrap(), 400_000);
    // the first half of bank works without the lock; here it takes it: li a0, 0 before round becomes li a0, 1
    let main = case.symbols.find("main").unwrap().0;
    let code = case.program.segments.iter_mut().find(|s| s.executable).unwrap();
    let at = (main - code.addr) as usize + 4;
    assert_eq!(code.data[at..at + 4], 0x0000_0513_u32.to_le_bytes());
    code.data[at..at + 4].copy_from_slice(&0x0010_0513_u32.to_le_bytes());
    let (found, happened, reports) = checked(&case, "bank with its lock, checked on the chip");
    assert!(happened > 100, "{happened} events");
    assert_eq!(reports, 0);
    assert_eq!(found, "@races  count\nlost: 0 events\n");
}

#[test]
fn lock_profiles_are_those_of_the_retire_log() {
    let case = Case::new("lockcont", diag::scripts::find("locks").unwrap(), 1_500_000);
    all_events(&case, "lockcont");
    let mut cut = Cut::host(&case.app);
    cut.maps[0] = true;
    let (found, ..) = on_chip(&case, "lockcont, summed up on the chip", &cut, |laid| {
        let slot = &laid.slots[0];
        let place = |c: Capture| Field::Arg(slot.captures.iter().position(|x| *x == c).unwrap() as u8);
        let (key, value) = (place(Capture::EntryRegister(10)), place(Capture::Elapsed));
        let rule = aggregate::Rule { event: slot.event, key, value, to: Target { dest: HOST, id: MAPS } };
        (FIRST_NODE + 1, registers::aggregate(&[rule]))
    });
    assert!(found.lines().count() > 4, "{found}");
}

/// Whether `part` is a subsequence of `all`.
fn is_part(part: &[Event], all: &[Event]) -> bool {
    let mut all = all.iter();
    part.iter().all(|p| all.any(|a| a == p))
}

#[test]
fn a_noisy_line_costs_only_reported_events_and_no_setting() {
    let case = Case::new("bank", diag::scripts::find("race").unwrap(), 400_000);
    let host = layout(&case.app, &nodes(), &Cut::host(&case.app)).unwrap();
    let mut cut = Cut::host(&case.app);
    cut.machines[0] = true;
    let laid = layout(&case.app, &nodes(), &cut).unwrap();
    let table = table(&case.app, 0, Target { dest: HOST, id: MACHINES }, &laid.shares);
    let settings = Some((FIRST_NODE, registers::machine(&table)));
    let mut cases = vec![("all events", &host, None, 200, 2)];
    if long() {
        cases.push(("all events", &host, None, 20, 1));
        cases.extend([
            ("checked on the chip", &laid, settings.clone(), 20, 3),
            ("checked on the chip", &laid, settings, 200, 4),
        ]);
    }
    for (what, layout, node, in_65536, seed) in cases {
        let (run, packets, [lost, repeated]) =
            case.damaged(Case::packets(layout, node.clone()), 4, Noise::new(in_65536, seed));
        let (found, start) = (events(&packets), run.start);
        // what left the chip: its events, or its reports on a line without damage
        let (want, began) = match node {
            None => (case.events(layout, &run), start),
            Some(_) => {
                let whole = case.run(layout, node, 4);
                assert_eq!((run.stores, run.cycles), (whole.run.stores, whole.run.cycles));
                (events(&whole.packets), whole.run.start)
            }
        };
        for core in 0..CORES {
            // times of a run, relative to its start after the setup
            let of = |all: &[Event], start: u32| -> Vec<Event> {
                let since = |e: &Event| Event { time: e.time.map(|t| t.wrapping_sub(start)), ..*e };
                all.iter().filter(|e| e.core == core).map(since).collect()
            };
            assert!(is_part(&of(&found, start), &of(&want, began)), "{what}, damage {in_65536}, core {core}");
        }
        let missing = (want.len() - found.len()) as u64;
        println!("{what}, damage {in_65536}: {} of {} events, {lost} frames lost", found.len(), want.len());
        // the missing control packets may include responses to the flush and to the last request
        assert!((missing..=missing + 6).contains(&lost), "{missing} missing, {lost} told");
        assert!(repeated > 0 && (in_65536 < 100 || missing > 0), "{repeated} {missing}");
    }
}
