//! Whole trace systems under anything: tracing enabled for a clock or for long, resets, cores that retire in every clock,
//! a sink that stalls, drawn at random for every clock
//!
//! However it goes, what comes out between two resets is a row of whole traces (the last one may be cut by the reset),
//! each of them tells what its cores retired, and a system that is left alone becomes idle. Where losses are counted, their
//! number in register `status` is what the trace tells of its gaps.
//!
//! While nothing is enabled, and from the second clock on behind one in which `control` is written 0 or `allow` is 0, the cores run code at
//! secret addresses, with jumps and traps. None of it is told or counted as lost, also where a core was losing when the trace ended, or the
//! adapter still holds it when the next one begins: no trace replays with it, each ends where the last instruction before retired, and
//! in streams that hold whole addresses its bits are nowhere.

use fpga::cosim::{Cosim, Dir, Interface, Port};
use hdl::bus::wrap::Buses;
use hdl::emit::{build, emit_on, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style, Written};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use rust_hdl::prelude::*;
use sim::beats::blocks::{length, Block as Report};
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::replay::{Events, Replay};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config, Retired};
use sim::stimulus::{rounds, Source};
use sim::system::{hasty, header, header_again};
use std::collections::VecDeque;

/// Clocks in which nothing is drawn any more: enough for all that waits.
const CALM: usize = 6_000;

/// Where the secret code is: all of these addresses but for so many low bits.
const SECRET: (u64, u32) = (0x5ec0_a5a0, 5);

/// What was put in, besides the vectors.
struct Played {
    vectors: Vec<Vec<u128>>,
    /// Clocks of reset.
    resets: Vec<u64>,
    /// What each core retired.
    retired: Vec<Vec<Retired>>,
    /// Enabled for a single clock, so often.
    flashes: usize,
    /// How much each core had retired when what comes was to be told no more.
    ends: Vec<Vec<usize>>,
}

fn register(name: &str) -> u128 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// How a core shows what it retires.
#[derive(Clone, Copy, Debug)]
enum Ports {
    /// One instruction a clock.
    One,
    /// So many, in any channels.
    Channels(u8),
    /// So many blocks.
    Blocks(u8),
    /// An E-Trace report of one instruction.
    Reports,
}

/// What a core has retired, of all that it will, and whether the trap before the next one is told; where the next secret one is.
struct Core {
    all: Vec<Retired>,
    at: usize,
    trap_told: bool,
    secret: u64,
}

/// What a trace may tell of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// The next instructions of the program.
    Program,
    /// Secret ones, of which nothing may be told.
    Secret,
}

impl Ports {
    /// What core `c` shows in a clock in which each channel is in use with a chance of `rate` in a hundred.
    fn show(
        self,
        (c, core): (usize, &mut Core),
        s: &mut Source,
        (rate, check): (u8, bool),
        shown: Shown,
    ) -> Vec<(String, u128)> {
        let lanes = match self {
            Ports::One | Ports::Reports => 1,
            Ports::Channels(n) | Ports::Blocks(n) => n,
        };
        let mut values = Vec::new();
        for lane in 0..lanes {
            if !s.percent(rate) || core.at == core.all.len() {
                continue;
            }
            if let Ports::Blocks(_) | Ports::Reports = self {
                let reports = matches!(self, Ports::Reports);
                let block = match shown {
                    Shown::Program => core.block(s, if reports { 1 } else { 15 }),
                    Shown::Secret if s.percent(10) => Report::trap(1, core.secret),
                    Shown::Secret => Report::of(&[core.hidden(s)], 32),
                };
                let port = |name: &str| match lanes {
                    1 => format!("{name}_{c}"),
                    _ => format!("block{lane}_{name}_{c}"),
                };
                values.extend([
                    (port("itype"), block.itype.into()),
                    (port("iaddr"), block.iaddr.into()),
                    (port("iretire"), block.iretire.into()),
                    (port("ilastsize"), block.ilastsize.into()),
                ]);
                if !reports {
                    values.push((port("icount"), block.icount.into()));
                }
                continue;
            }
            let (r, silent) = match shown {
                Shown::Program => core.next(s, check),
                Shown::Secret => (core.hidden(s), false),
            };
            let channel = if lanes == 1 { String::new() } else { lane.to_string() };
            for (name, value) in [
                ("valid", 1),
                ("intr", (r.trapped && !silent).into()),
                ("insn", r.insn.into()),
                ("pc_rdata", r.pc.into()),
                ("pc_wdata", r.next_pc.into()),
            ] {
                values.push((format!("rvfi{channel}_{name}_{c}"), value));
            }
        }
        values
    }
}

impl Core {
    /// The next instruction, and whether the trap before it is not told: one that shows by where it goes need not be.
    fn next(&mut self, s: &mut Source, check: bool) -> (Retired, bool) {
        let r = self.all[self.at];
        let seen = self.at > 0 && self.all[self.at - 1].next_pc != r.pc;
        self.at += 1;
        (r, check && seen && s.percent(50))
    }

    /// A secret instruction: a return.
    fn hidden(&mut self, s: &mut Source) -> Retired {
        let next_pc = SECRET.0 | s.bits(SECRET.1) & !1;
        let pc = std::mem::replace(&mut self.secret, next_pc);
        Retired { cycle: 0, hart: 0, trapped: s.percent(20), len: 4, pc, next_pc, insn: 0x8067 }
    }

    /// The next block, of so many instructions at most, or the trap before it.
    fn block(&mut self, s: &mut Source, most: usize) -> Report {
        let rest = &self.all[self.at..];
        if rest[0].trapped && !self.trap_told && self.at > 0 {
            self.trap_told = true;
            return Report::trap(s.between(1, 2) as u8, self.all[self.at - 1].next_pc);
        }
        let n = length(&rest[..rest.len().min(most)], 32, s.between(2, 15) as u8);
        (self.at, self.trap_told) = (self.at + n, false);
        Report::of(&rest[..n], 32)
    }
}

fn play(
    cosim: &Cosim,
    params: &TraceParams,
    (ports, extras): (Ports, Extras),
    model: &Model,
    seed: u64,
    clocks: usize,
) -> Played {
    let locked = cosim.inputs().iter().any(|p| p.name == "allow");
    let cores = usize::from(params.cores);
    let mut s = Source::seeded(seed);
    let steps = cores * (clocks + 1_000) * if let Ports::One = ports { 1 } else { 3 };
    let recording = record(model, &Config::new(params.cores, seed), steps);
    let of = |c| recording.retired.iter().filter(|r| usize::from(r.hart) == c).copied().collect();
    let mut all: Vec<Core> =
        (0..cores).map(|c| Core { all: of(c), at: 0, trap_told: false, secret: SECRET.0 }).collect();
    let mut p = Played {
        vectors: vec![],
        resets: vec![],
        retired: vec![Vec::new(); cores],
        flashes: 0,
        ends: vec![Vec::new(); cores],
    };
    // what the cores show, and when that changes; whether a trace may begin
    let (mut shown, mut turns) = (Shown::Secret, VecDeque::new());
    let (mut allow, mut allow_for) = (true, 0_u64);
    let (mut enabled, mut dwell, mut reset_for) = (false, 600, 4_u64);
    let (mut rate, mut phase, mut stall) = (100_u8, 0, 0_u8);
    for clock in 0..clocks + CALM {
        let calm = clock >= clocks;
        let mut values: Vec<(String, u128)> = Vec::new();
        if !calm && s.per_64k(20) {
            reset_for = s.between(1, 3);
        }
        let reset = reset_for > 0 && !calm;
        reset_for = reset_for.saturating_sub(1);
        if reset {
            p.resets.push(clock as u64);
            enabled = false;
            turns = VecDeque::from([(clock, Shown::Secret)]);
        }
        if locked {
            allow_for = allow_for.saturating_sub(1);
            if allow_for == 0 {
                (allow, allow_for) = (calm || !allow, *s.pick(&[1, 2, 5, 60, 700, 2_000]));
                allow_for = if allow { 2 * allow_for } else { allow_for.min(300) };
            }
            values.push(("allow".into(), allow.into()));
        }
        values.push(("reset".into(), reset.into()));
        // the register bus: enable or disable when it is time, read anything else
        dwell = if calm { 0 } else { dwell - 1 };
        if dwell <= 0 && (!calm || enabled) && !reset {
            let wanted = !calm && !enabled;
            enabled = wanted;
            dwell = *s.pick(&[1_i64, 1, 2, 3, 7, 20, 100, 511, 600, 3_000]);
            p.flashes += usize::from(enabled && dwell == 1);
            // a write in the clock in which the lock ends a trace is lost; so is one that begins while it is shut
            enabled &= allow;
            if !enabled || allow {
                turns.push_back((clock + 2, if enabled { Shown::Program } else { Shown::Secret }));
            }
            values.push(("bus_addr".into(), register("control")));
            values.push(("bus_write".into(), 1));
            values.push(("bus_wdata".into(), wanted.into()));
        } else if extras.sync && !calm && s.per_64k(100) {
            // a short period, none, or one at once; what the register takes
            let (name, value) = *s.pick(&[
                ("sync", 10),
                ("sync", 11),
                ("sync", 0),
                ("sync", 4),
                ("sync", 7 << 8),
                ("sync", 8 << 8 | 10),
                ("request", 1),
            ]);
            values.push(("bus_addr".into(), register(name)));
            values.push(("bus_write".into(), 1));
            values.push(("bus_wdata".into(), value));
        } else {
            values.push(("bus_addr".into(), if calm { register("status") } else { s.bits(3).into() }));
            values.push(("bus_wdata".into(), s.bits(32).into()));
        }
        if phase == 0 {
            (rate, phase) = (*s.pick(&[100, 100, 60, 5, 0]), s.between(1, 800));
            stall = *s.pick(&[0, 0, 20, 90]);
        }
        phase -= 1;
        values.push(("ready".into(), (calm || !s.percent(stall)).into()));
        if enabled && !allow {
            enabled = false;
            turns.push_back((clock + 2, Shown::Secret));
        }
        while let Some((_, next)) = turns.front().filter(|(at, _)| *at <= clock) {
            if std::mem::replace(&mut shown, *next) == Shown::Program && shown == Shown::Secret {
                all.iter().zip(&mut p.ends).for_each(|(core, ends)| ends.push(core.at));
            }
            turns.pop_front();
        }
        for (c, core) in all.iter_mut().enumerate().filter(|_| !calm) {
            values.extend(ports.show((c, core), &mut s, (rate, extras.check), shown));
        }
        let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        p.vectors.push(cosim.vector(&values).unwrap());
    }
    all.iter().zip(&mut p.ends).for_each(|(core, ends)| ends.push(core.at));
    p.retired = all.into_iter().map(|core| core.all[..core.at].to_vec()).collect();
    p
}

/// Where `told` stands in what a core `retired`, from `from` on: the place behind it, one that `takes` likes with where it begins. Told from the `middle` of a trace, it begins
/// where an instruction went, which may be a trap's.
fn place(
    told: &[FlowEvent],
    retired: &[Retired],
    from: usize,
    middle: bool,
    takes: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let (start, rest) = told.split_first()?;
    assert_eq!(start.kind, FlowKind::Start, "a trace begins with a start");
    let went = |i: usize| middle && i > 0 && retired[i - 1].next_pc == start.pc;
    'at: for first in (from..retired.len()).filter(|&i| retired[i].pc == start.pc || went(i)) {
        let mut i = first;
        for e in rest {
            i += e.count as usize;
            let fits = match e.kind {
                FlowKind::Stop => true,
                FlowKind::Gap { lost } => {
                    i += lost as usize;
                    // the trace may end in a gap
                    std::ptr::eq(e, &rest[rest.len() - 1]) || retired.get(i).is_some_and(|r| r.pc == e.target)
                }
                FlowKind::Trap { .. } => retired.get(i).is_some_and(|r| r.pc == e.target && r.trapped),
                _ => i > first && retired.get(i - 1).is_some_and(|r| r.pc == e.pc && r.next_pc == e.target),
            };
            if !fits || i > retired.len() {
                continue 'at;
            }
        }
        if takes(first, i) {
            return Some(i);
        }
    }
    None
}

/// Whether the bits of a secret address stand anywhere in `words`, whole, without its lowest bits.
fn tells(words: &[u32]) -> bool {
    let (secret, width) = (SECRET.0 >> SECRET.1, 32 - SECRET.1);
    words.windows(2).any(|w| {
        let both = u64::from(w[0]) | u64::from(w[1]) << 32;
        (0..32).any(|at| both >> at & ((1 << width) - 1) == secret)
    })
}

#[derive(Default, Debug)]
struct Seen {
    traces: usize,
    gaps: usize,
    instructions: u64,
    /// Of all the cores in them those that ended in a gap.
    cut: usize,
    /// Headers that were sent again.
    headers: usize,
    /// Of each trace, the word behind it and the instructions lost in it.
    lost: Vec<(usize, u64)>,
}

/// Replays every trace of `words`, and finds it in what was retired.
fn check(
    words: &[u32],
    (params, ports, haste): (&TraceParams, Ports, u8),
    image: &Image,
    p: &Played,
    from: &mut [usize],
    whole: bool,
) -> Seen {
    let with_haste = |[magic, shape, fingerprint]: [u32; 3]| [magic, hasty(shape, haste), fingerprint];
    let head = with_haste(header(params));
    let starts: Vec<usize> = (0..words.len()).filter(|&i| words[i..].starts_with(&head)).collect();
    assert!(
        words.is_empty() || starts.first() == Some(&0) || (!whole && words.len() < 3),
        "no header at the beginning"
    );
    let mut seen = Seen::default();
    for (k, &start) in starts.iter().enumerate() {
        let last = k + 1 == starts.len();
        let end = starts.get(k + 1).copied().unwrap_or(words.len());
        if last && !whole {
            continue;
        }
        let mut back: Vec<FlowEvent> = Vec::new();
        let replay = Replay::new(image, params, words[start..end].iter().copied()).unwrap();
        let summary = replay.run(&mut Events(&mut back)).unwrap_or_else(|e| panic!("trace {k}: {e}"));
        seen.traces += 1;
        seen.instructions += summary.instructions.iter().sum::<u64>();
        let lost = back.iter().map(|e| if let FlowKind::Gap { lost } = e.kind { u64::from(lost) } else { 0 });
        seen.lost.push((end, lost.sum()));
        // a decoder can begin at each of its headers
        let head = with_haste(header_again(params));
        for again in (start + 1..end).filter(|&i| words[i..].starts_with(&head)) {
            let mut back: Vec<FlowEvent> = Vec::new();
            let replay = Replay::new(image, params, words[again..end].iter().copied()).unwrap();
            replay.run(&mut Events(&mut back)).unwrap_or_else(|e| panic!("trace {k}, from word {again}: {e}"));
            seen.headers += 1;
            for (hart, from) in from.iter().enumerate() {
                let told: Vec<FlowEvent> = back.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
                let found = told.is_empty() || place(&told, &p.retired[hart], *from, true, |_, _| true).is_some();
                assert!(found, "trace {k}, from word {again}, core {hart}: what it tells was not retired: {told:x?}");
            }
        }
        for (hart, from) in from.iter_mut().enumerate() {
            let told: Vec<FlowEvent> = back.iter().filter(|e| usize::from(e.hart) == hart).copied().collect();
            seen.gaps += told.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
            if told.is_empty() {
                continue;
            }
            // it ends where it is disabled, and not behind that; an adapter that holds an instruction, or several, does not tell them
            let ends = &p.ends[hart];
            let fits = |first, behind| match ports {
                Ports::One => ends.contains(&behind),
                _ => !ends.iter().any(|end| first < *end && *end < behind),
            };
            *from = place(&told, &p.retired[hart], *from, false, fits).unwrap_or_else(|| {
                let anywhere = place(&told, &p.retired[hart], *from, false, |_, _| true);
                let end =
                    anywhere.map_or("nowhere".into(), |behind| format!("up to {behind}, not where it was to end"));
                panic!("trace {k}, core {hart}: what it tells was retired {end}: {told:x?}")
            });
            let mut last = told.iter().rev().filter(|e| e.kind != FlowKind::Stop);
            seen.cut += usize::from(matches!(last.next(), Some(FlowEvent { kind: FlowKind::Gap { .. }, .. })));
        }
    }
    seen
}

fn chaos(scheme: &str, cores: u8, timestamps: bool, log2_fifo: u8, clocks: usize) {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    (params.cores, params.timestamps) = (cores, timestamps);
    // with all that can be built in, in every second system
    let all = clocks == 40_000;
    // a smaller FIFO is full before a core that is stalled has retired what is in flight
    let stall = all && log2_fifo >= 4;
    let extras = Extras { sync: all, check: all, session: all, stall, lost: all, ..Extras::default() };
    survives(&params, log2_fifo, (Ports::One, extras), clocks);
}

/// Cores of several instructions or blocks a clock.
fn wide_chaos(scheme: &str, cores: u8, timestamps: bool, ports: Ports, log2_words: u8, clocks: usize) {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    (params.cores, params.timestamps) = (cores, timestamps);
    let lanes = match ports {
        Ports::One | Ports::Reports => 1,
        Ports::Channels(n) | Ports::Blocks(n) => n,
    };
    let extras = Extras {
        session: true,
        lost: true,
        // blocks do not say where an instruction went
        check: matches!(ports, Ports::Channels(_)),
        sync: true,
        retire: Some(Retire { lanes, log2_words }),
        ..Extras::default()
    };
    survives(&params, 4, (ports, extras), clocks);
}

fn survives(params: &TraceParams, log2_fifo: u8, (ports, extras): (Ports, Extras), clocks: usize) {
    all_of(params, log2_fifo, (ports, extras), clocks, false);
}

/// The same system behind a lock.
fn locked_system(params: &TraceParams, options: &SystemOptions, system: &Written) -> Cosim {
    let text = emit_on(params, options, &Style::default(), Buses { locked: true, ..Buses::default() }).unwrap();
    let port = |name: &str, width, output: bool| Port {
        name: name.into(),
        width,
        dir: if output { Dir::Output } else { Dir::Input },
    };
    let pins = system.pins.iter().filter(|p| p.name != "clock");
    let mut ports: Vec<Port> = pins.map(|p| port(&p.name, p.width as u16, p.output)).collect();
    ports.push(port("allow", 1, false));
    Cosim::build(&text, &Interface { clock: Some("clock".into()), ports }).unwrap()
}

fn all_of(params: &TraceParams, log2_fifo: u8, (ports, extras): (Ports, Extras), clocks: usize, locked: bool) {
    let (cores, timestamps) = (params.cores, params.timestamps);
    let place = format!("{}, N = {cores}, time-stamped {timestamps}, {ports:?}", params.flow.name());
    let ingress = match ports {
        Ports::Blocks(_) => Ingress::Blocks,
        Ports::Reports => Ingress::Etrace,
        Ports::One | Ports::Channels(_) => Ingress::Rvfi,
    };
    let options = SystemOptions { ingress, log2_fifo, extras };
    let mut top = build(params, &options).unwrap();
    top.connect_all();
    let written = write(&top, &Style::default()).unwrap();
    let cosim = if locked { locked_system(params, &options, &written) } else { Cosim::of_written(&written).unwrap() };
    let outputs = ["valid", "data", "bus_rdata"].map(|name| cosim.output(name).unwrap());
    let [ready, address] =
        ["ready", "bus_addr"].map(|name| cosim.inputs().iter().position(|p| p.name == name).unwrap());
    let fields = REGS.iter().find(|r| r.name == "status").unwrap().fields;
    let [idle, lost] = ["idle", "lost"].map(|name| fields.iter().find(|f| f.name == name).unwrap().lsb);
    let model = Model::new(&Shape::rv32(u64::from(cores)));
    let image = Image::new(&model.program);
    let mut all = Seen::default();
    let (mut resets, mut flashes, mut counts) = (0, 0, 0);
    for seed in 1..=rounds(3, 30) {
        let p = play(&cosim, params, (ports, extras), &model, seed, clocks);
        let (mut words, mut segments, mut status) = (Vec::new(), Vec::new(), 0);
        // what was counted when the system was idle: segment, words of it, lost
        let mut idles: Vec<(usize, usize, u64)> = Vec::new();
        cosim
            .clone()
            .with_random_state(seed as u32)
            .run(p.vectors.iter().cloned(), |clock, out| {
                let taken = out[outputs[0]] == 1 && p.vectors[clock as usize][ready] == 1;
                words.extend(taken.then_some(out[outputs[1]] as u32));
                if p.resets.binary_search(&clock).is_ok() {
                    segments.push(std::mem::take(&mut words));
                }
                status = out[outputs[2]] as u32;
                let asked = clock.checked_sub(1).map(|before| p.vectors[before as usize][address]);
                let reset = |at: u64| p.resets.binary_search(&at).is_ok();
                // an answer is of the clock before
                if asked == Some(register("status")) && status >> idle & 1 == 1 && !reset(clock) && !reset(clock - 1) {
                    idles.push((segments.len(), words.len(), (status >> lost).into()));
                }
            })
            .unwrap();
        assert_eq!(status >> idle & 1, 1, "{place}, seed {seed}: it never becomes idle, status {status:#x}");
        segments.push(words);
        let whole = params.stream_cache().is_some();
        assert!(!whole || !segments.iter().any(|words| tells(words)), "{place}, seed {seed}: bits of a secret address");
        let mut from = vec![0; cores.into()];
        let last = segments.len() - 1;
        for (i, words) in segments.iter().enumerate() {
            let seen = check(words, (params, ports, options.haste(params)), &image, &p, &mut from, i == last);
            all.traces += seen.traces;
            all.gaps += seen.gaps;
            all.cut += seen.cut;
            all.headers += seen.headers;
            all.instructions += seen.instructions;
            for (_, words, counted) in idles.iter().filter(|idle| extras.lost && idle.0 == i) {
                let told = match seen.lost.iter().find(|(end, _)| end == words) {
                    Some((_, lost)) => *lost,
                    None if *words == 0 => 0,
                    // a trace before a reset, which may be cut
                    None => continue,
                };
                assert_eq!(*counted, told, "{place}, seed {seed}: lost up to word {words} of segment {i}");
                counts += usize::from(told > 0);
            }
        }
        resets += last;
        flashes += p.flashes;
    }
    eprintln!("{place}: {all:?}, {resets} clocks of reset, enabled for one clock {flashes} times");
    assert!(all.cut > 0, "{place}: {all:?}");
    assert!(all.traces > 8 && all.gaps > 3 && all.instructions > 1_000, "{place}: {all:?}");
    assert!(!extras.sync || all.headers > 2, "{place}: {all:?}");
    assert!(resets > 10 && flashes > 5, "{place}: {resets} resets, {flashes} flashes");
    assert!(!extras.lost || counts > 10, "{place}: {counts} times losses were counted");
}

#[test]
fn t_raptor_survives_chaos() {
    chaos("tr_e:small", 1, false, 3, 60_000);
    chaos("tr_e:small", 3, true, 4, 40_000);
    chaos("tr_e:medium", 5, false, 4, 60_000);
    chaos("golomb:m4", 2, false, 3, 40_000);
}

#[test]
fn others_survive_chaos() {
    chaos("nx_b", 6, false, 3, 40_000);
    chaos("sc-lsp:rbase-32x4", 7, false, 4, 40_000);
    chaos("sc-lsp:base-32x4", 1, true, 3, 60_000);
}

#[test]
fn locked_systems_survive_chaos() {
    for (scheme, cores, log2_fifo, ports, clocks) in [
        ("tr_e:small", 2, 3, Ports::One, 60_000),
        ("sc-lsp:base-32x4", 1, 3, Ports::One, 60_000),
        ("nx_b", 1, 4, Ports::Channels(4), 40_000),
        ("taken", 2, 3, Ports::Reports, 40_000),
    ] {
        let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        params.cores = cores;
        let retire = match ports {
            Ports::Channels(lanes) => Some(Retire { lanes, log2_words: 3 }),
            _ => None,
        };
        all_of(&params, log2_fifo, (ports, Extras { lost: true, retire, ..Extras::default() }), clocks, true);
    }
}

#[test]
fn signatures_survive_chaos() {
    let one = Extras { sync: true, session: true, lost: true, ..Extras::default() };
    let several = |lanes| Extras { retire: Some(Retire { lanes, log2_words: 3 }), ..one };
    for (scheme, signature, cores, timestamps, (ports, extras)) in [
        ("tr_e:small", 16, 1, false, (Ports::One, one)),
        ("taken", 8, 2, true, (Ports::One, one)),
        ("tr_e:m4", 16, 2, true, (Ports::Channels(4), several(4))),
        ("nx_b", 16, 1, false, (Ports::Blocks(2), several(2))),
    ] {
        let platform = Platform { cores, timestamps, signature, ..Platform::RV32 };
        survives(&TraceParams::new(platform, scheme.parse().unwrap()), 4, (ports, extras), 30_000);
    }
}

#[test]
fn the_smallest_scheme_survives_chaos() {
    chaos("taken", 2, true, 3, 30_000);
    wide_chaos("taken", 1, true, Ports::Channels(2), 3, 30_000);
}

#[test]
fn several_instructions_a_clock_survive_chaos() {
    wide_chaos("tr_e:small", 1, true, Ports::Channels(2), 2, 40_000);
    wide_chaos("tr_e:small", 1, false, Ports::Channels(4), 3, 40_000);
    wide_chaos("sc-lsp:rbase-32x4", 1, true, Ports::Channels(4), 2, 30_000);
    wide_chaos("sc-lsp:base-8x8", 3, false, Ports::Channels(2), 3, 30_000);
    wide_chaos("nx_b", 1, false, Ports::Channels(4), 3, 40_000);
    wide_chaos("nx_b", 2, true, Ports::Channels(2), 2, 30_000);
    wide_chaos("tr_e:m4", 2, true, Ports::Channels(4), 3, 30_000);
}

#[test]
fn blocks_survive_chaos() {
    wide_chaos("tr_e:m4", 1, false, Ports::Blocks(2), 2, 40_000);
    wide_chaos("nx_b", 2, false, Ports::Blocks(2), 3, 30_000);
    wide_chaos("sc-lsp:rbase-32x4", 1, true, Ports::Blocks(1), 3, 30_000);
    wide_chaos("sc-lsp:base-32x4", 2, false, Ports::Blocks(2), 2, 30_000);
    wide_chaos("tr_e:small", 2, true, Ports::Blocks(1), 4, 40_000);
}

#[test]
fn reports_of_one_instruction_survive_chaos() {
    let of = |scheme: &str, cores, timestamps, sync, clocks| {
        let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        (params.cores, params.timestamps) = (cores, timestamps);
        let extras = Extras { session: true, lost: true, sync, ..Extras::default() };
        survives(&params, 3, (Ports::Reports, extras), clocks);
    };
    of("tr_e:small", 1, true, false, 40_000);
    of("tr_e:m4", 3, false, true, 30_000);
    of("nx_b", 2, false, false, 30_000);
    of("sc-lsp:rbase-32x4", 2, true, true, 30_000);
}
