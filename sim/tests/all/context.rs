//! Contexts: several programs at the same addresses are reproduced instruction by instruction

use crate::common::{self, BASE};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::{ExitKind, Image};
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::message::Kind;
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Images, Replay, ReplaySummary};
use sim::system::System;

const SLOTS: u64 = 300;

/// Two processes and, for all other contexts, a kernel, each at [`BASE`].
struct Programs {
    kernel: Image,
    processes: Vec<(Context, Image)>,
}

impl Programs {
    fn new() -> Self {
        let image = |seed| Image::new(&common::program(seed, SLOTS as usize));
        Self {
            kernel: image(1),
            processes: (1..3).map(|id| (Context::new(0, id), image(20 + u64::from(id)))).collect(),
        }
    }

    fn images(&self) -> Images<'_> {
        Images { common: &self.kernel, of: &self.processes }
    }
}

struct Walker {
    pc: u64,
    context: Context,
    since: u32,
}

/// A walk of `harts` harts that change context at traps and elsewhere, including stops.
fn walk(programs: &Programs, harts: u8, seed: u64, events: usize) -> Vec<FlowEvent> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let images = programs.images();
    let contexts = [Context::new(0, 1), Context::new(0, 2), Context::new(1, 1), Context::new(1, 2), Context::RESET];
    let good = |context, pc| images.find(context).run(pc).is_some_and(|(_, exit)| exit.kind != ExitKind::End);
    let place = |rng: &mut ChaCha8Rng, context| loop {
        let pc = BASE + 2 * rng.random_range(0..SLOTS);
        if good(context, pc) {
            return pc;
        }
    };
    let (mut out, mut cycle) = (Vec::new(), 0);
    let mut walkers: Vec<Walker> = Vec::new();
    let event = |hart, kind, len, count, pc, target, cycle| FlowEvent { hart, kind, len, count, pc, target, cycle };
    for hart in 0..harts {
        let context = contexts[rng.random_range(0..5)];
        let pc = place(&mut rng, context);
        if context != Context::RESET {
            out.push(event(hart, FlowKind::Context { context, alone: false }, 0, 0, pc, pc, 0));
        }
        out.push(event(hart, FlowKind::Start, 0, 0, pc, pc, 0));
        walkers.push(Walker { pc, context, since: 0 });
    }
    while out.len() < events {
        let hart = rng.random_range(0..harts);
        let w = &mut walkers[usize::from(hart)];
        cycle += rng.random_range(1..9);
        let image = images.find(w.context);
        let (count, exit) = image.run(w.pc).unwrap();
        let kind = rng.random_range(0..12);
        let n = rng.random_range(0..count);
        let at = image.skip(w.pc, n).unwrap();
        let context = if rng.random() { contexts[rng.random_range(0..5)] } else { w.context };
        if kind == 0 {
            let target = place(&mut rng, context);
            if context != w.context {
                out.push(event(hart, FlowKind::Context { context, alone: false }, 0, 0, target, target, cycle));
            }
            let kind = FlowKind::Trap { interrupt: rng.random(), cause: 3 };
            out.push(event(hart, kind, 0, w.since + n, at, target, cycle));
            *w = Walker { pc: target, context, since: 0 };
            continue;
        }
        if kind <= 2 && context != w.context && good(context, at) {
            out.push(event(hart, FlowKind::Context { context, alone: true }, 0, w.since + n, at, at, cycle));
            *w = Walker { pc: at, context, since: 0 };
            continue;
        }
        let link = exit.pc + u64::from(exit.len);
        let any = place(&mut rng, w.context);
        let (kind, target) = match exit.kind {
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Conditional => {
                let taken = rng.random_ratio(1, 6) && exit.target != link;
                (FlowKind::Conditional { taken }, if taken { exit.target } else { link })
            }
            ExitKind::Indirect(_, kind) => (kind, any),
            ExitKind::ConditionalIndirect(_) | ExitKind::End => unreachable!("RISC-V, inside the code"),
        };
        if !good(w.context, target) {
            out.push(event(hart, FlowKind::Trap { interrupt: true, cause: 7 }, 0, w.since, w.pc, any, cycle));
            (w.pc, w.since) = (any, 0);
            continue;
        }
        out.push(event(hart, kind, exit.len, w.since + count, exit.pc, target, cycle));
        (w.pc, w.since) = (target, 0);
    }
    for (hart, w) in walkers.iter().enumerate() {
        out.push(event(hart as u8, FlowKind::Stop, 0, w.since, w.pc, w.pc, cycle));
    }
    out
}

fn encode(p: &TraceParams, events: &[FlowEvent], period: Option<u8>) -> Vec<u32> {
    let period = period.map(|log2| SyncPeriod::new(log2).unwrap());
    let mut system = System::new(p).unwrap().sync_every(p, period);
    events.iter().for_each(|e| system.event(e));
    system.finish(events[events.len() - 1].cycle);
    system.drain().collect()
}

fn replay(programs: &Programs, p: &TraceParams, words: &[u32]) -> (Vec<FlowEvent>, ReplaySummary) {
    let mut seen: Vec<FlowEvent> = Vec::new();
    let replay = Replay::new(programs.images(), p, words.iter().copied()).unwrap();
    let summary = replay.run(&mut Events(&mut seen)).unwrap_or_else(|e| panic!("{}: {e}", p.canonical()));
    (seen, summary)
}

fn same(p: &TraceParams, want: &[FlowEvent], got: &[FlowEvent]) {
    for hart in 0..p.cores {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (want, got) = (of(want), of(got));
        for (i, (w, g)) in want.iter().zip(&got).enumerate() {
            assert!(w.same_flow(g), "{}, hart {hart}, event {i}:\nwant {w:?}\n got {g:?}", p.canonical());
        }
        assert_eq!(want.len(), got.len(), "{}, hart {hart}", p.canonical());
    }
}

#[test]
fn processes_at_the_same_addresses_come_back() {
    let programs = Programs::new();
    for (seed, name) in
        ["tr_e:s0", "tr_b:m4+upper12", "golomb:bimodal256/last16", "nx_b", "follow:m"].into_iter().enumerate()
    {
        for (cores, timestamps, period) in
            [(1, false, None), (2, true, None), (3, false, Some(10)), (2, true, Some(10))]
        {
            let platform = Platform { cores, timestamps, context: Some(3), ..Platform::RV32 };
            let p = TraceParams::new(platform, name.parse().unwrap());
            let events = walk(&programs, cores, seed as u64, 8000);
            let words = encode(&p, &events, period);
            let (seen, summary) = replay(&programs, &p, &words);
            same(&p, &events, &seen);
            assert_eq!(summary.headers > 2, period.is_some(), "{name}");
            let reported = summary.stats.kinds[Kind::Context as usize].messages;
            assert!(reported > 300, "{name}: {reported} contexts told are too few to trust this run");
            // one message for each that no trap reports, except when a resync came in between
            let alone = |e: &&FlowEvent| matches!(e.kind, FlowKind::Context { alone: true, .. });
            assert_eq!(reported, events.iter().filter(alone).count() as u64, "{name}");
        }
    }
}

#[test]
fn a_decoder_that_begins_in_the_middle_knows_the_context() {
    let programs = Programs::new();
    let platform = Platform { cores: 2, context: Some(2), ..Platform::RV32 };
    let p = TraceParams::new(platform, "tr_e:s2".parse().unwrap());
    let events = walk(&programs, 2, 7, 8000);
    let words = encode(&p, &events, Some(10));
    let (all, whole) = replay(&programs, &p, &words);
    assert!(whole.headers > 5);
    let (seen, summary) = replay(&programs, &p, &words[3..]);
    assert_eq!(summary.headers, whole.headers - 1);
    for hart in 0..2 {
        let of = |list: &[FlowEvent]| {
            list.iter().filter(|e| e.hart == hart && e.kind.retires()).copied().collect::<Vec<_>>()
        };
        let (all, seen) = (of(&all), of(&seen));
        assert!(seen.len() > 2000);
        // the count of the first one begins at the sync
        let tail = &all[all.len() - seen.len() + 1..];
        assert!(tail.iter().zip(&seen[1..]).all(|(a, b)| a.same_flow(b)), "hart {hart}");
    }
}

#[test]
fn a_stream_without_contexts_is_as_ever() {
    let image = Image::new(&common::program(3, SLOTS as usize));
    let events = common::walk(&image, SLOTS as usize, 1, 5, 3000);
    let p = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    let mut with = events.clone();
    // unrequested changes in the middle of runs
    let mut at = 100;
    while at < with.len() {
        if with[at].count > 1 && with[at].kind.retires() {
            let first = with[at].count / 2;
            with[at].count -= first;
            let kind = FlowKind::Context { context: Context(at as u32), alone: true };
            with.insert(at, FlowEvent { kind, len: 0, count: first, ..with[at] });
        }
        at += 50;
    }
    assert!(with.len() > events.len() + 10);
    assert_eq!(encode(&p, &with, None), encode(&p, &events, None));
}
