//! Lost messages: every scheme reports them, and continues after them

use crate::common;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::bits::BitWriter;
use sim::message::Message;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::scheme::cores::Cores;
use sim::scheme::{Encode, Scheme, SchemeVisitor};
use sim::system::header;

/// State of a hart: its pc, and the expected event since which it is lost.
#[derive(Clone, Copy, Default)]
struct Hart {
    pc: u64,
    lost: Option<usize>,
}

/// The stream of `events` with occasionally full buffers, and the events that must be reproduced.
fn lossy<S: Scheme>(scheme: &S, p: &TraceParams, events: &[FlowEvent], seed: u64) -> (Vec<u32>, Vec<FlowEvent>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let Cores { mut core_traces, mut end, .. } = Cores::new(scheme, &p.platform);
    let (mut out, mut want) = (BitWriter::new(), Vec::new());
    header(p).iter().for_each(|w| out.push((*w).into(), 32));
    let mut harts = vec![Hart::default(); usize::from(p.cores)];
    for e in events {
        let (core_trace, hart) = (&mut core_traces[usize::from(e.hart)], &mut harts[usize::from(e.hart)]);
        let send = &mut |m: &Message<_>| end.coder.encode(m, &mut out);
        if e.kind == FlowKind::Stop {
            core_trace.count_retired(e.count);
            if let Some(at) = hart.lost {
                // the stop reports it
                gap(&mut want[at], e.count, None);
            } else {
                want.push(*e);
            }
            continue;
        }
        if let Some(at) = hart.lost.filter(|_| rng.random_ratio(1, 8)) {
            // there is space again, before the instruction
            core_trace.overflow(e.cycle, send);
            let start = FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc: hart.pc, target: hart.pc, ..*e };
            core_trace.offer(&[start], false, send);
            gap(&mut want[at], 0, Some(hart.pc));
            hart.lost = None;
        }
        let full = e.kind != FlowKind::Start && rng.random_ratio(1, 30);
        let lost = core_trace.offer(&[*e], full, send);
        hart.pc = e.target;
        match (hart.lost, lost) {
            (None, false) => want.push(*e),
            (None, true) => {
                let own = u32::from(e.len > 0);
                let kind = FlowKind::Gap { lost: own };
                hart.lost = Some(want.len());
                want.push(FlowEvent { kind, len: 0, count: e.count - own, target: e.pc, ..*e });
            }
            (Some(at), _) => gap(&mut want[at], e.count, None),
        }
    }
    for core_trace in &mut core_traces {
        core_trace.stop(events[events.len() - 1].cycle, &mut |m: &Message<_>| end.coder.encode(m, &mut out));
    }
    end.coder.flush(&mut out);
    out.pad();
    // a lost trap without an instruction counts as one
    for e in &mut want {
        if let FlowKind::Gap { lost } = &mut e.kind {
            *lost = (*lost).max(1);
        }
    }
    (out.drain().collect(), want)
}

/// [`lossy`] for any scheme.
struct Lossy<'a> {
    p: &'a TraceParams,
    events: &'a [FlowEvent],
    seed: u64,
}

impl SchemeVisitor for Lossy<'_> {
    type Output = (Vec<u32>, Vec<FlowEvent>);

    fn of<S: Scheme>(self, scheme: &S) -> Self::Output {
        lossy(scheme, self.p, self.events, self.seed)
    }
}

/// `more` instructions were lost, and the trace continues at `target`.
fn gap(e: &mut FlowEvent, more: u32, target: Option<u64>) {
    if let FlowKind::Gap { lost } = &mut e.kind {
        *lost += more;
    }
    e.target = target.unwrap_or(e.target);
}

#[test]
fn what_is_lost_is_a_gap_and_all_else_comes_back() {
    let image = Image::new(&common::program(11, 300));
    for name in [
        "tr_e:s0",
        "tr_b:m4+upper12",
        "golomb:bimodal256/last16",
        "nx_b",
        "nexs",
        "taken",
        "follow:s",
        "follow:l+upper9",
        "follow:m+arithmetic",
        "sc-lsp:base-64x1",
        "sc-lsp:rbase-32x4",
    ] {
        for seed in 0..6 {
            let flow: FlowScheme = name.parse().unwrap();
            let timestamps = seed % 2 == 1 && !name.ends_with("+arithmetic");
            let p = TraceParams::new(Platform { cores: 2, timestamps, ..Platform::RV32 }, flow);
            let events = common::walk(&image, 300, 2, seed, 4000);
            let (words, want) = flow.visit(Lossy { p: &p, events: &events, seed });
            let mut seen: Vec<FlowEvent> = Vec::new();
            let run = Replay::new(&image, &p, words.into_iter()).unwrap().run(&mut Events(&mut seen));
            run.unwrap_or_else(|e| panic!("{name}, seed {seed}: {e}"));
            for hart in 0..2 {
                let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
                let (want, got) = (of(&want), of(&seen));
                for (i, (w, g)) in want.iter().zip(&got).enumerate() {
                    assert!(w.same_flow(g), "{name}, seed {seed}, hart {hart}, event {i}:\nwant {w:?}\n got {g:?}");
                }
                assert_eq!(want.len(), got.len(), "{name}, seed {seed}, hart {hart}");
                let gaps = want.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
                assert!(gaps > 3, "{name}: {gaps} gaps are too few to trust this run");
            }
        }
    }
}

#[test]
fn a_stream_with_gaps_is_traced_again_with_the_same_gaps() {
    let image = Image::new(&common::program(11, 300));
    let p = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, "tr_e:s2".parse().unwrap());
    let events = common::walk(&image, 300, 2, 3, 4000);
    let FlowScheme::Tr(scheme) = p.flow else { panic!("is T-raptor") };
    let (words, _) = lossy(&scheme, &p, &events, 3);
    let replay = |words: Vec<u32>| {
        let mut seen: Vec<FlowEvent> = Vec::new();
        Replay::new(&image, &p, words.into_iter()).unwrap().run(&mut Events(&mut seen)).unwrap();
        seen
    };
    let once = replay(words);
    let mut system = sim::system::System::new(&p).unwrap();
    once.iter().for_each(|e| retire::RetireSink::event(&mut system, e));
    system.finish(0);
    let gaps = once.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
    assert!(gaps > 6, "{gaps} gaps are too few to trust this run");
    let again = replay(system.drain().collect());
    for hart in 0..2 {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (once, again) = (of(&once), of(&again));
        assert!(once.iter().zip(&again).all(|(a, b)| a.same_flow(b)), "hart {hart}");
        // a trace that ends in a gap now has its stop after it
        let stop = u32::from(matches!(once[once.len() - 1].kind, FlowKind::Gap { .. }));
        assert_eq!(once.len() + stop as usize, again.len(), "hart {hart}");
    }
}
