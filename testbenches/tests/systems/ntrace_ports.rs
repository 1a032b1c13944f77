//! `hdl/src/scheme/ntrace/encoder.rs` with filters and contexts, under Verilator, against `sim/src/standard/ntrace/system.rs`: every byte is the model's
//!
//! Random programs on cores that take turns, one instruction per cycle over all of them. Stretches of instructions are hidden, and contexts change
//! with traps and without.

use crate::ntrace::{bytes, decode, same};
use crate::system::compare;
use fpga::cosim::Cosim;
use hdl::any_top::AnyTop;
use hdl::emit::SystemOptions;
use hdl::scheme::ntrace::circuit::build;
use hdl::spine::Extras;
use hdl::verilog::{write, Style};
use retire::elf::Program;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::regs::register;
use sim::standard::ntrace::{read, Kind, NtraceParams, System};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Retired, Run};
use sim::stimulus::{rounds, Source};

/// Cycles after a hidden stretch, in which the trace state machine continues: nothing else is lost.
const PAUSE: usize = 24;
/// Cycle in which `control` enables tracing, and the first one with an instruction. Time stamps count from `START`.
const ENABLE: usize = 6;
const FIRST: usize = 100;
pub(crate) const START: usize = ENABLE + 2;
/// Cycles from the last instruction to the write that disables tracing, and from it to the stop message.
const LAST: usize = 40;
const STOPPING: usize = 2;
/// `control`: all modes are traced.
const ALL_MODES: u128 = 0xf << 8;

/// An instruction, how it is shown, and the events of those that are not hidden up to and with it.
pub(crate) struct Shown {
    pub retired: Retired,
    context: Context,
    pub hidden: bool,
    /// Cycles without an instruction before it.
    pub pause: usize,
    pub events: Vec<FlowEvent>,
}

/// A core before its next instruction.
struct Core {
    context: Context,
    /// Of the last instruction that was not hidden, if there was one; whether some were hidden after it.
    last: Option<(Retired, Context)>,
    gap: bool,
    /// Instructions since the last event.
    count: u32,
    /// Hidden instructions that are left.
    hidden: u64,
}

/// What the cores retire; with `filter` stretches are hidden, with `contexts` they change.
pub(crate) fn execution(
    model: &Model,
    cores: u8,
    steps: usize,
    seed: u64,
    (filter, contexts): (bool, bool),
) -> Vec<Shown> {
    let mut s = Source::seeded(seed);
    let config = Config { trap_per_64k: 1_500, ..Config::new(cores, seed) };
    let core = || Core { context: Context::RESET, last: None, gap: false, count: 0, hidden: 0 };
    let mut all: Vec<Core> = (0..cores).map(|_| core()).collect();
    let mut shown: Vec<Shown> = Vec::new();
    for (i, step) in Run::new(model, &config).take(steps).enumerate() {
        let r = step.retired;
        let c = &mut all[usize::from(r.hart)];
        if contexts && (r.trapped && s.percent(60) || s.per_64k(900)) {
            // bits that are not reported differ, too
            c.context = Context::new(*s.pick(&[0, 0, 1, 3]), (s.bits(2) << 14 | s.bits(2)) as u32);
        }
        if filter && c.hidden == 0 && s.per_64k(500) {
            c.hidden = *s.pick(&[1, 2, 3, 10, 100]);
        }
        let mut hidden = c.hidden > 0;
        c.hidden = c.hidden.saturating_sub(1);
        // the traces end with instructions that are not hidden
        hidden &= i + 40 * usize::from(cores) < steps;
        let (hart, pc, cycle) = (r.hart, r.pc, i as u64);
        let event = |kind, count, pc, target| FlowEvent { hart, kind, len: 0, count, pc, target, cycle };
        let (mut events, mut pause) = (Vec::new(), 0);
        if hidden {
            c.gap |= c.last.is_some();
        } else {
            let switch = |alone| FlowKind::Context { context: c.context, alone };
            match c.last {
                Some((last, before)) if c.gap => {
                    if before != c.context {
                        events.push(event(switch(false), 0, last.next_pc, pc));
                    }
                    let gap = FlowKind::Gap { lost: 0 };
                    events.push(event(gap, std::mem::take(&mut c.count), last.next_pc, pc));
                    pause = PAUSE;
                }
                Some((last, before)) => {
                    let trap = step.before.filter(|e| matches!(e.kind, FlowKind::Trap { .. }));
                    if before != c.context && trap.is_some() {
                        events.push(event(switch(false), 0, last.next_pc, pc));
                    }
                    if let Some(trap) = trap {
                        events.push(FlowEvent { count: std::mem::take(&mut c.count), cycle, ..trap });
                    } else if before != c.context {
                        events.push(event(switch(true), std::mem::take(&mut c.count), pc, pc));
                    }
                }
                None => {
                    if c.context != Context::RESET {
                        events.push(event(switch(false), 0, pc, pc));
                    }
                    events.push(event(FlowKind::Start, 0, pc, pc));
                    pause = PAUSE;
                }
            }
            (c.last, c.gap) = (Some((r, c.context)), false);
            c.count += 1;
            if let Some(e) = step.event {
                events.push(FlowEvent { count: std::mem::take(&mut c.count), cycle, ..e });
            }
        }
        shown.push(Shown { retired: r, context: c.context, hidden, pause, events });
    }
    for (hart, c) in all.iter().enumerate() {
        let last = c.last.unwrap().0;
        let kind = FlowKind::Stop;
        let (pc, cycle) = (last.next_pc, steps as u64);
        let stop = FlowEvent { hart: hart as u8, kind, len: 0, count: c.count, pc, target: pc, cycle };
        shown.last_mut().unwrap().events.push(stop);
    }
    shown
}

/// The events of `shown` with their times, if [`words`] plays them.
pub(crate) fn timed(shown: &[Shown], slow: usize) -> Vec<FlowEvent> {
    let (mut clock, mut events) = (FIRST, Vec::new());
    for s in shown {
        clock += s.pause;
        events.extend(s.events.iter().map(|e| FlowEvent { cycle: (clock - START) as u64, ..*e }));
        clock += 1 + slow;
    }
    let stop = |e: &&mut FlowEvent| e.kind == FlowKind::Stop;
    events.iter_mut().filter(stop).for_each(|e| e.cycle = (clock + LAST + STOPPING - START) as u64);
    events
}

/// The options of the systems.
pub(crate) fn options(filter: bool) -> SystemOptions {
    let extras = Extras { filter, ..Extras::default() };
    SystemOptions { fifo_address_bits: 6, extras, ..SystemOptions::default() }
}

/// The words of the Verilog of `top`, with a filter, with contexts.
pub(crate) fn words(top: AnyTop, cores: u8, what: (bool, bool), shown: &[Shown], slow: usize) -> Vec<u32> {
    words_with(top, cores, what, shown, slow, |_| Vec::new())
}

/// As [`words`], with inputs for each cycle.
pub(crate) fn words_with(
    mut top: AnyTop,
    cores: u8,
    (filter, contexts): (bool, bool),
    shown: &[Shown],
    slow: usize,
    mut inputs: impl FnMut(usize) -> Vec<(String, u128)>,
) -> Vec<u32> {
    top.connect_all();
    let cosim = Cosim::of_written(&write(&top, &Style::default()).unwrap()).unwrap();
    let [valid, data] = ["valid", "data"].map(|name| cosim.output(name).unwrap());
    let mut vectors = Vec::new();
    let mut clock = |retired: Option<&Shown>, reset: bool, written: Option<u128>| {
        let mut values: Vec<(String, u128)> = vec![
            ("reset".into(), reset.into()),
            ("ready".into(), 1),
            ("bus_addr".into(), register("control").addr.into()),
            ("bus_write".into(), written.is_some().into()),
            ("bus_wdata".into(), written.unwrap_or(0)),
        ];
        values.extend(inputs(vectors.len()));
        if filter {
            values.extend((0..cores).map(|c| (format!("allow_modes_{c}"), 0xf)));
        }
        if let Some(s) = retired {
            let (r, c) = (&s.retired, s.retired.hart);
            for (name, value) in [
                ("valid", 1),
                ("intr", r.trapped.into()),
                ("insn", r.insn.into()),
                ("pc_rdata", r.pc.into()),
                ("pc_wdata", r.next_pc.into()),
            ] {
                values.push((format!("rvfi_{name}_{c}"), value));
            }
            if filter {
                values.push((format!("hide_{c}"), s.hidden.into()));
            }
            if contexts {
                values.push((format!("mode_{c}"), s.context.privilege().into()));
                values.push((format!("space_{c}"), s.context.id().into()));
            }
        }
        let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        vectors.push(cosim.vector(&values).unwrap());
    };
    for i in 0..FIRST {
        clock(None, i < 4, (i == ENABLE).then_some(1 | ALL_MODES));
    }
    for s in shown {
        (0..s.pause).for_each(|_| clock(None, false, None));
        clock(Some(s), false, None);
        (0..slow).for_each(|_| clock(None, false, None));
    }
    for i in 0..3_000 {
        clock(None, false, (i == LAST).then_some(ALL_MODES));
    }
    let mut words = Vec::new();
    let run = cosim.clone().with_random_state(3);
    run.run(vectors, |clock, out| words.extend((clock >= 4 && out[valid] == 1).then_some(out[data] as u32))).unwrap();
    words
}

/// The events as the decoder finds them: a context that a trap, a gap or the start enters comes after it, and one that does not change in
/// the bits that are reported does not come.
fn found_as(events: &[FlowEvent], bits: Option<u8>) -> Vec<FlowEvent> {
    let (mut out, mut held, mut now) = (Vec::<FlowEvent>::new(), None, Context::RESET);
    let mut more = 0;
    for e in events {
        match e.kind {
            FlowKind::Context { context, alone } => {
                let Some(bits) = bits else {
                    more += e.count;
                    continue;
                };
                let context = Context::new(context.privilege(), context.id() & ((1 << bits) - 1));
                if context == now {
                    more += e.count;
                    continue;
                }
                now = context;
                let kind = FlowKind::Context { context, alone: true };
                match alone {
                    true => out.push(FlowEvent { kind, count: e.count + std::mem::take(&mut more), ..*e }),
                    false => held = Some(kind),
                }
            }
            _ => {
                let kind = match e.kind {
                    FlowKind::Trap { .. } => FlowKind::Trap { interrupt: false, cause: 0 },
                    kind => kind,
                };
                out.push(FlowEvent { kind, count: e.count + std::mem::take(&mut more), ..*e });
                let after = held.take();
                out.extend(after.map(|kind| FlowEvent { kind, len: 0, count: 0, pc: e.target, ..*e }));
            }
        }
    }
    out
}

fn is_end(e: &FlowEvent) -> bool {
    matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Stop)
}

fn fits(found: &FlowEvent, want: &FlowEvent) -> bool {
    match (found.kind, want.kind) {
        (FlowKind::Gap { .. }, FlowKind::Gap { .. }) => found.target == want.target,
        _ => same(found, want),
    }
}

/// Removes the returns that the decoder leaves out: the last instruction before an end, which the return stack predicted.
fn leave_out_last_returns(found: &[FlowEvent], want: &mut Vec<FlowEvent>) {
    for i in 0..found.len() {
        let Some([jump, end]) = want.get(i..i + 2) else { return };
        let returns = matches!(jump.kind, FlowKind::Return | FlowKind::CoSwap);
        if is_end(&found[i]) && returns && is_end(end) && end.count == 0 && found[i].count + 1 == jump.count {
            let count = found[i].count;
            want.remove(i);
            (want[i].count, want[i].pc) = (count, found[i].pc);
        }
    }
}

fn matches_the_model(name: &str, cores: u8, xlen: u8, (filter, context): (bool, Option<u8>), timestamps: bool) {
    let steps = 6_000;
    let params = NtraceParams { context, timestamps, ..NtraceParams::new(cores, xlen, name.parse().unwrap()) };
    let place = format!("{}, filter {filter}", params.canonical());
    let model = Model::new(&if xlen == 64 { Shape::rv64(6) } else { Shape::rv32(6) });
    let image = Image::new(&model.program);
    for seed in 1..=rounds(1, 10) {
        let shown = execution(&model, cores, steps, seed, (filter, context.is_some()));
        let slow = if params.modes.btm { 10 } else { 4 } + if timestamps { 4 } else { 0 };
        let top = build(&params, &options(filter)).unwrap();
        let got = words(top, cores, (filter, context.is_some()), &shown, slow);
        let events = timed(&shown, slow);
        let mut system = System::with(&params, &image, filter).unwrap();
        events.iter().for_each(|e| system.event(e));
        compare(&format!("{place}, seed {seed}"), &system.finish(), &got);

        // what the decoder finds is what was not hidden
        let (found, losses) = decode(&params, &image, &got);
        assert_eq!(losses, 0, "{place}");
        for hart in 0..cores {
            let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
            let (found, mut want) = (of(&found), found_as(&of(&events), context));
            leave_out_last_returns(&found, &mut want);
            let wrong = found.iter().zip(&want).position(|(f, w)| !fits(f, w));
            let shown = wrong.map(|i| (found[i], want[i]));
            assert_eq!((shown, found.len()), (None, want.len()), "{place}, hart {hart}");
        }
        let of = |kind: fn(&FlowKind) -> bool| events.iter().filter(|e| kind(&e.kind)).count();
        let gaps = of(|k| matches!(k, FlowKind::Gap { .. }));
        let switches = of(|k| matches!(k, FlowKind::Context { .. }));
        assert!(!filter || gaps > 10, "{place}: {gaps} gaps");
        assert!(context.is_none() || switches > 40, "{place}: {switches} changes of context");
    }
}

#[test]
fn hidden_stretches_are_pauses_and_match_the_model() {
    for (name, cores, xlen) in
        [("ntrace", 1, 32), ("ntrace+ir8+rh", 1, 64), ("ntrace+ir8+sync64", 3, 32), ("ntrace+btm+ir8+sync16", 2, 32)]
    {
        matches_the_model(name, cores, xlen, (true, None), false);
    }
}

#[test]
fn contexts_match_the_model() {
    for (name, cores, xlen, bits) in [
        ("ntrace", 1, 32, 4),
        ("ntrace+ir8+rh", 2, 64, 16),
        ("ntrace+ir8+sync64", 5, 32, 0),
        ("ntrace+btm+ir8", 1, 32, 12),
        ("ntrace+btm+ir8+sync16", 2, 64, 15),
    ] {
        matches_the_model(name, cores, xlen, (false, Some(bits)), false);
    }
}

#[test]
fn contexts_and_hidden_stretches_match_the_model() {
    for (name, cores) in [("ntrace+ir8+rh+sync64", 1), ("ntrace+ir8", 3)] {
        matches_the_model(name, cores, 32, (true, Some(4)), false);
    }
}

#[test]
fn time_stamps_match_the_model() {
    for (name, cores, xlen, what) in [
        ("ntrace", 1, 32, (false, None)),
        ("ntrace+ir8+rh+sync64", 3, 64, (false, None)),
        ("ntrace+btm+ir8+sync16", 2, 32, (true, None)),
        ("ntrace+ir8+rh+sync64", 5, 32, (true, Some(4))),
        ("ntrace+rh", 1, 32, (true, Some(12))),
    ] {
        matches_the_model(name, cores, xlen, what, true);
    }
}

/// The longest repetition that a message counts.
const MOST: u32 = (1 << 18) - 1;

#[test]
fn a_full_count_of_repetitions_is_sent() {
    let hist = |n: u32| 1 << 30 | n;
    let mut entries = vec![hist(5); MOST as usize + 2];
    entries.extend([hist(6), hist(5), hist(5), hist(7)]);
    let sent = crate::ntrace::sends_histories(&entries);
    let found: Vec<(u32, u32)> = sent
        .split_inclusive(|b| b & 3 == 3)
        .map(|m| match read(m, &NtraceParams::new(1, 32, "ntrace+rh".parse().unwrap()).decoder()).unwrap().kind {
            Kind::FullHistory { hist, repeat } => (hist, repeat),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(found, [(hist(5), MOST), (hist(5), 2), (hist(6), 1), (hist(5), 2)]);
}

/// Whether a program's loop is long enough for the messages of repeated history.
#[test]
fn histories_of_loops_are_counted() {
    let program: Program = crate::system::program("matmul").load().unwrap();
    let (events, _) = testbenches::check::run(&program, 1, 200_000);
    let image = Image::new(&program);
    let size = |name: &str| {
        let params = NtraceParams::new(1, 32, name.parse().unwrap());
        let mut system = System::new(&params, &image).unwrap();
        events.iter().for_each(|e| system.event(e));
        bytes(&system.finish()).len()
    };
    assert!(2 * size("ntrace+rh") < size("ntrace"), "{} and {} bytes", size("ntrace+rh"), size("ntrace"));
}
