//! Traps in a recorded run as a debugger sees them: each moment is that of the retire log, in both directions

use host::debug::motion::{Motion, Stop};
use object::{Object, ObjectSymbol};
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, FlowKind, MasterStore, Note, NullSink, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};

/// First instructions of handlers.
const HANDLERS: [&str; 5] = ["vectors", "exception", "software_refused", "software", "timer"];
/// Instructions that raise an exception, or before which an interrupt may be taken.
const RAISING: [&str; 3] = ["round", "refused_load", "software_refused"];

/// The run: its recording, its events, and the interrupts, by hart and instruction.
struct Log {
    recorder: Recorder,
    events: Vec<FlowEvent>,
    interrupts: Vec<(u8, u64)>,
}

impl RetireSink for Log {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.recorder.event(e);
        self.events.push(*e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.recorder.data(d);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.recorder.note(hart, note);
        if let Note::Interrupt { retired, .. } = note {
            self.interrupts.push((hart, *retired));
        }
    }

    fn master(&mut self, store: &MasterStore) {
        self.recorder.master(store);
    }
}

struct Bench {
    program: Program,
    params: InputsParams,
    words: Vec<u32>,
    /// The addresses that each core comes to, exceptions included.
    paths: Vec<Vec<u64>>,
    symbols: Vec<(String, u64)>,
}

impl Bench {
    fn of(harts: u8, seed: u64) -> Self {
        let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/faults/elf/vectors.elf")).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let symbols = file.symbols().filter_map(|s| Some((s.name().ok()?.to_string(), s.address()))).collect();
        let program = Program::parse(&bytes).unwrap();
        let config = MachineConfig { harts, seed, ..MachineConfig::default() };
        let mut machine = Machine::new(&program, config).unwrap();
        let params = InputsParams::new(harts, 32, machine.ram(), Sizes { check: 10, ..Sizes::default() });
        let recorder = Recorder::new(&params, &program).unwrap();
        let mut log = Log { recorder, events: Vec::new(), interrupts: Vec::new() };
        machine.run(&mut log, Limits { instructions: 100_000, ..Limits::default() }).unwrap();
        log.recorder.finish();
        let mut bench = Self { params, words: log.recorder.drain().collect(), program, paths: Vec::new(), symbols };
        bench.paths = (0..harts).map(|hart| bench.path(&log, hart)).collect();
        bench
    }

    fn at(&self, name: &str) -> u64 {
        self.symbols.iter().find(|(n, _)| n == name).unwrap().1
    }

    fn path(&self, log: &Log, hart: u8) -> Vec<u64> {
        let image = Image::new(&self.program);
        let (mut path, mut retired) = (Vec::new(), 0);
        for e in log.events.iter().filter(|e| e.hart == hart) {
            if e.kind == FlowKind::Start {
                path.push(e.target);
                continue;
            }
            for n in 0..e.count {
                let next = image.skip(path[path.len() - 1], 1).unwrap_or(0);
                path.push(if n + 1 == e.count && e.kind.retires() { e.target } else { next });
            }
            retired += u64::from(e.count);
            let FlowKind::Trap { interrupt, .. } = e.kind else { continue };
            if log.interrupts.contains(&(hart, retired)) {
                // its handler is what the core comes to next; one of them raises an exception at once
                *path.last_mut().unwrap() = if interrupt { e.target } else { self.at("software_refused") };
            }
            if !interrupt {
                path.push(e.target);
            }
        }
        path
    }

    fn motion(&self) -> Motion<Replay> {
        Motion::new(Replay::new(&self.params, &self.program, self.words.clone()).unwrap().unwrap())
    }
}

/// What is seen of all cores.
fn seen(replay: &Replay) -> Vec<(u64, u64, [u64; 32], Option<u64>)> {
    let of = |c| (replay.pc(c), replay.retired(c), replay.registers(c), replay.csr(c, 0x341));
    (0..replay.params().cores).map(of).collect()
}

#[test]
fn traps_are_seen_alike_in_both_directions() {
    for (harts, seed) in [(1, 0), (2, 0), (2, 5)] {
        let bench = Bench::of(harts, seed);
        let what = format!("{harts} harts, seed {seed}");

        // every moment, forwards: the core that made the step, and what is seen after it
        let mut motion = bench.motion();
        let mut moments = vec![(None, seen(motion.line.replay()))];
        while let Some(core) = motion.line.step(&mut NullSink).unwrap() {
            assert_eq!(motion.line.replay().position(), moments.len() as u64);
            moments.push((Some(core), seen(motion.line.replay())));
        }
        for (core, path) in bench.paths.iter().enumerate() {
            let steps = moments.iter().filter(|m| m.0.is_none_or(|c| usize::from(c) == core));
            let mut steps: Vec<u64> = steps.map(|m| m.1[core].0).collect();
            // where a core was before it took an interrupt is not seen after its own step, but after that of another
            for at in 1..moments.len() {
                let own = moments[..=at].iter().filter(|m| m.0.is_none_or(|c| usize::from(c) == core)).count();
                steps[own - 1] = moments[at].1[core].0;
            }
            assert_eq!(&steps, path, "{what}: core {core}");
        }

        let comes = |at: usize, address: u64| {
            let (by, after) = &moments[at];
            let moved = |c: &u8| *by == Some(*c) || moments[at - 1].1[usize::from(*c)].0 != address;
            (0..harts).find(|c| after[usize::from(*c)].0 == address && moved(c))
        };
        let all = HANDLERS.iter().chain(&RAISING).map(|name| vec![*name]);
        for names in all.chain([HANDLERS.to_vec()]) {
            let addresses: Vec<u64> = names.iter().map(|name| bench.at(name)).collect();
            let expected: Vec<u64> = (1..moments.len())
                .filter(|at| addresses.iter().any(|a| comes(*at, *a).is_some()))
                .map(|m| m as u64)
                .collect();
            assert!(expected.len() >= 19 * usize::from(harts), "{what}: {names:?}: {}", expected.len());
            motion = bench.motion();
            motion.breakpoints.extend(&addresses);
            let mut found = Vec::new();
            while let Stop::Break(core) = motion.forwards(None, |_| false).unwrap() {
                let replay = motion.line.replay();
                assert!(addresses.contains(&replay.pc(core)), "{what}: {names:?}");
                assert_eq!(seen(replay), moments[replay.position() as usize].1, "{what}: {names:?}");
                found.push(replay.position());
            }
            assert_eq!(found, expected, "{what}: {names:?} forwards");
            found.clear();
            while let Stop::Break(core) = motion.backwards(None, |_| false).unwrap() {
                let replay = motion.line.replay();
                assert!(addresses.contains(&replay.pc(core)), "{what}: {names:?}");
                assert_eq!(seen(replay), moments[replay.position() as usize].1, "{what}: {names:?}");
                found.push(replay.position());
            }
            found.reverse();
            assert_eq!(found, expected, "{what}: {names:?} backwards");
        }

        // single steps around each handler
        motion.breakpoints.clear();
        let mut steps = 0;
        for at in (1..moments.len()).filter(|at| HANDLERS.iter().any(|name| comes(*at, bench.at(name)).is_some())) {
            for core in 0..harts {
                for from in [at - 1, at] {
                    motion.line.seek(from as u64).unwrap();
                    let next = (from + 1..moments.len()).find(|m| moments[*m].0 == Some(core));
                    let stop = motion.forwards(Some(core), |_| false).unwrap();
                    assert_eq!(stop, next.map_or(Stop::Edge, |_| Stop::Step(core)), "{what}");
                    let here = motion.line.replay().position();
                    assert_eq!(here as usize, next.unwrap_or(moments.len() - 1), "{what}: from {from}");
                    assert_eq!(seen(motion.line.replay()), moments[here as usize].1, "{what}: from {from}");

                    motion.line.seek(from as u64).unwrap();
                    let before = (1..=from).rev().find(|m| moments[*m].0 == Some(core));
                    let stop = motion.backwards(Some(core), |_| false).unwrap();
                    assert_eq!(stop, before.map_or(Stop::Edge, |_| Stop::Step(core)), "{what}");
                    let here = motion.line.replay().position();
                    assert_eq!(here as usize, before.map_or(0, |m| m - 1), "{what}: back from {from}");
                    assert_eq!(seen(motion.line.replay()), moments[here as usize].1, "{what}: back from {from}");
                    steps += 2;
                }
            }
            if steps > 1500 {
                break;
            }
        }
    }
}

/// A handler whose first instruction is refused, too: the core traps for ever.
#[test]
fn a_core_whose_handler_faults_ends_there() {
    const RAM: u64 = 0x8000_0000;
    let code: [u32; 5] = [
        0x0000_0297,                            // auipc t0, 0
        16 << 20 | 5 << 15 | 5 << 7 | 0x13,     // addi t0, t0, 16
        0x305 << 20 | 5 << 15 | 1 << 12 | 0x73, // csrw mtvec, t0
        64 << 20 | 2 << 12 | 1 << 7 | 0x03,     // lw ra, 64(zero)
        2 << 25 | 1 << 20 | 2 << 12 | 0x23,     // sw ra, 64(zero)
    ];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let program = Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: RAM,
        segments: vec![retire::elf::Segment::code(RAM, data)],
        build_id: vec![1],
    };
    let mut machine = Machine::new(&program, MachineConfig { harts: 1, ..MachineConfig::default() }).unwrap();
    let params = InputsParams::new(1, 32, machine.ram(), Sizes::default());
    let mut recorder = Recorder::new(&params, &program).unwrap();
    let summary = machine.run(&mut recorder, Limits::default()).unwrap();
    assert_eq!((summary.exit, summary.instructions), (sim::riscv::Exit::Deadlock, vec![3]));
    recorder.finish();
    let words: Vec<u32> = recorder.drain().collect();
    let mut motion = Motion::new(Replay::new(&params, &program, words).unwrap().unwrap());
    assert_eq!(motion.forwards(None, |_| false).unwrap(), Stop::Edge);
    // three instructions, and two exceptions: the core is at the handler, and cannot leave it
    let replay = motion.line.replay();
    let fault = replay.fault(0).unwrap();
    assert_eq!((replay.position(), replay.pc(0), fault.pc, fault.cause), (5, RAM + 16, RAM + 16, 7));
    assert_eq!(motion.backwards(Some(0), |_| false).unwrap(), Stop::Step(0));
    assert_eq!(motion.backwards(Some(0), |_| false).unwrap(), Stop::Step(0));
    let replay = motion.line.replay();
    assert_eq!((replay.position(), replay.pc(0), replay.fault(0)), (3, RAM + 12, None));
}
