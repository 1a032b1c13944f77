//! Replay with several threads passes on the same events, totals and errors as replay with one

use crate::common;
use proptest::prelude::*;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::replay::parallel::{self, Options};
use sim::replay::{Ignore, Replay, ReplayError, ReplaySink, ReplaySummary};
use sim::system::System;

const SCHEMES: [&str; 9] = [
    "tr_e:small",
    "tr_b:m4",
    "golomb:bimodal256/last16",
    "nx_b",
    "taken",
    "follow:s",
    "follow:m+arithmetic",
    "sc-lsp:base-64x1",
    "sc-lsp:rbase-32x4",
];

#[derive(Default)]
struct Seen(Vec<FlowEvent>);

impl ReplaySink for Seen {
    const EVENTS_ONLY: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.0.push(*event);
    }
}

/// Replays with one thread.
fn sequential(
    image: &Image,
    p: &TraceParams,
    words: &[u32],
    resume: bool,
) -> (Vec<FlowEvent>, ReplaySummary, Option<ReplayError>) {
    let mut seen = Seen::default();
    let mut replay = Replay::new(image, p, words.iter().copied()).unwrap();
    let error = loop {
        match replay.step(&mut seen) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(_) if resume && replay.resume() => {}
            Err(e) => break Some(e),
        }
    };
    (seen.0, replay.summary(), error)
}

/// Checks that threads give the same; returns whether the replay ended without an error.
fn check(image: &Image, p: &TraceParams, words: &[u32], options: Options, what: &str) -> bool {
    let (events, summary, error) = sequential(image, p, words, options.resume);
    let mut seen = Seen::default();
    let outcome = parallel::replay(image, p, words.iter().copied(), options, &mut seen).unwrap();
    let differs = events.iter().zip(&seen.0).position(|(a, b)| a != b);
    if let Some(i) = differs {
        panic!("{what}: event {i}:\n  one thread {:?}\n  threads    {:?}", events[i], seen.0[i]);
    }
    assert_eq!(events.len(), seen.0.len(), "{what}: number of events");
    assert_eq!((&summary, &error), (&outcome.summary, &outcome.error), "{what}");
    let counted = parallel::replay(image, p, words.iter().copied(), options, &mut Ignore).unwrap();
    assert_eq!((summary, &error), (counted.summary, &counted.error), "{what}: totals alone");
    error.is_none()
}

/// A run in which cores begin late, sleep and stop early, as `shape` says: for each core two parts of the run in 1/16.
fn run(image: &Image, cores: u8, seed: u64, count: usize, shape: &[(u8, usize, usize)]) -> Vec<FlowEvent> {
    let events = common::walk(image, 300, cores, seed, count);
    let mut keyed: Vec<(usize, FlowEvent)> = events.iter().copied().enumerate().collect();
    let part = |n: usize| events.len() * n / 16;
    for (hart, (kind, from, to)) in (0..cores).zip(shape) {
        let (from, to) = (part(*from.min(to)), part(*from.max(to)));
        match kind {
            // sleeps
            1 => keyed.iter_mut().filter(|(i, e)| e.hart == hart && (from..to).contains(i)).for_each(|(i, _)| *i = to),
            // begins late
            2 => keyed.iter_mut().filter(|(i, e)| e.hart == hart && *i < from).for_each(|(i, _)| *i = from),
            // stops early
            3 => {
                let last = keyed.iter().rfind(|(i, e)| e.hart == hart && *i < from.max(4 * usize::from(cores)));
                let Some(&(at, last)) = last else { continue };
                keyed.retain(|(i, e)| e.hart != hart || *i <= at);
                let stop =
                    FlowEvent { kind: FlowKind::Stop, len: 0, count: 0, pc: last.target, target: last.target, ..last };
                if last.kind != FlowKind::Stop {
                    keyed.push((at, stop));
                }
            }
            _ => {}
        }
    }
    keyed.sort_by_key(|(i, _)| *i);
    keyed.iter().enumerate().map(|(i, (_, e))| FlowEvent { cycle: 2 * i as u64 + 5, ..*e }).collect()
}

fn encode(p: &TraceParams, events: &[FlowEvent], log2: u8) -> Vec<u32> {
    let mut system = System::new(p).unwrap().sync_every(p, Some(SyncPeriod::new(log2).unwrap()));
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().unwrap().cycle);
    system.drain().collect()
}

fn params(scheme: &str, cores: u8, timestamps: bool, signature: bool) -> TraceParams {
    let timestamps = timestamps && !scheme.ends_with("+arithmetic");
    let platform = Platform { cores, timestamps, ..Platform::RV32 };
    let platform = Platform { signature: if signature { 8 } else { 0 }, ..platform };
    TraceParams::new(platform, scheme.parse().unwrap())
}

#[test]
fn threads_replay_as_one_does() {
    for (seed, scheme) in (0..).zip(SCHEMES) {
        let image = Image::new(&common::program(seed, 300));
        for cores in [1, 2, 4] {
            let p = params(scheme, cores, seed % 2 == 0, true);
            let words = encode(&p, &common::walk(&image, 300, cores, seed, 12_000), 10);
            for (threads, shortest) in [(1, 1), (2, 1), (3, 64), (2, 1 << 20)] {
                let options = Options { threads, resume: false, shortest };
                let what = format!("{scheme}, {cores} cores, {threads} threads from {shortest} words");
                assert!(check(&image, &p, &words, options, &what), "{what}");
            }
        }
    }
}

proptest! {
    #[test]
    fn threads_replay_what_sleeps_stops_and_is_damaged_as_one_does(
        scheme in 0..SCHEMES.len(), cores in 1u8..5, timestamps: bool, signature: bool, resume: bool, seed in 0u64..1000,
        threads in 1usize..4, shortest in 1u64..200, log2 in 10u8..12,
        shape in prop::collection::vec((0u8..5, 0usize..16, 0usize..16), 4),
        faults in prop::collection::vec((any::<prop::sample::Index>(), 1u32.., 0u8..3), 0..4),
    ) {
        let image = Image::new(&common::program(seed, 300));
        let p = params(SCHEMES[scheme], cores, timestamps, signature);
        let mut words = encode(&p, &run(&image, cores, seed, 6_000, &shape), log2);
        for (at, change, kind) in &faults {
            // the first header stays
            let at = 3 + at.index(words.len() - 3);
            match kind {
                0 => words[at] ^= change,
                1 => _ = words.remove(at),
                _ => words.insert(at, *change),
            }
        }
        let options = Options { threads, resume, shortest };
        check(&image, &p, &words, options, &format!("{} {cores} cores {shape:?}, {} faults", SCHEMES[scheme], faults.len()));
    }
}
