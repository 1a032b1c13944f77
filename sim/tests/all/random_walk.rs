//! Round trips of random walks through random programs

use crate::common;
use crate::common::damage::{self, encode};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::FlowEvent;
use sim::message::{Kind, Message};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::replay::{Replay, ReplayError, ReplaySink, ReplaySummary};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::outcome::OutcomeParams;
use sim::scheme::tr::target::TargetParams;

#[derive(Default)]
struct Seen {
    events: Vec<FlowEvent>,
    messages: Vec<Message>,
}

impl ReplaySink for Seen {
    fn event(&mut self, event: &FlowEvent) {
        self.events.push(*event);
    }
    fn message(&mut self, _: u64, message: &Message) {
        self.messages.push(*message);
    }
}

fn replay(image: &Image, params: &TraceParams, words: &[u32]) -> Result<(Seen, ReplaySummary), ReplayError> {
    let mut seen = Seen::default();
    let summary = Replay::new(image, params, words.iter().copied())?.run(&mut seen)?;
    Ok((seen, summary))
}

fn of_hart(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).copied().collect()
}

#[test]
fn every_hart_comes_back_for_any_parameters() {
    let mut kinds = [0; Kind::ALL.len()];
    for seed in 0..120 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cores = [1, 2, 3, 4, 8, 16][seed as usize % 6];
        let params = common::params(&mut rng, cores);
        let program = common::program(seed, 400);
        let image = Image::new(&program);
        let events = common::walk(&image, 400, cores, seed, 3000);
        let (words, system) = encode(&params, &events);
        let (seen, summary) = replay(&image, &params, &words).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for hart in 0..cores {
            let (want, got) = (of_hart(&events, hart), of_hart(&seen.events, hart));
            for (i, (w, g)) in want.iter().zip(&got).enumerate() {
                assert!(w.same_flow(g), "seed {seed}, hart {hart}, event {i}:\n went in {w:?}\ncame back {g:?}");
            }
            assert_eq!(want.len(), got.len(), "seed {seed}, hart {hart}");
        }
        assert_eq!(summary.stats.bits, 32 * words.len() as u64, "seed {seed}");
        assert_eq!(&summary.stats, system.stats(), "seed {seed}");
        for (n, k) in kinds.iter_mut().zip(summary.stats.kinds) {
            *n += k.messages;
        }
    }
    // conditional indirect branches do not exist on RISC-V, overflows need a buffer, records, turns and words another scheme,
    // contexts an option
    let never = [
        Kind::ConditionalIndirect,
        Kind::Overflow,
        Kind::Hits,
        Kind::Index,
        Kind::Descriptor,
        Kind::Context,
        Kind::Turn,
        Kind::Word,
    ];
    for kind in Kind::ALL {
        assert_eq!(kinds[kind as usize] == 0, never.contains(&kind), "{kind:?}: {} messages", kinds[kind as usize]);
    }
}

#[test]
fn conditional_indirects_come_back_with_what_was_learned() {
    let mut messages = 0;
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cores = [1, 2, 5][seed as usize % 3];
        let mut params = common::params(&mut rng, cores);
        if seed % 4 == 0 {
            params.flow = ["sc-lsp:ebase-8x4", "sc-lsp:rbase-32x4"][seed as usize / 4 % 2].parse().unwrap();
        }
        let mut events = common::walk(&Image::new(&common::program(seed, 400)), 400, cores, seed, 3000);
        common::with_conditional_indirects(&mut events);
        let image = Image::from_events(&events).unwrap();
        let (words, _) = encode(&params, &events);
        let (seen, summary) = replay(&image, &params, &words).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        for hart in 0..cores {
            let (want, got) = (of_hart(&events, hart), of_hart(&seen.events, hart));
            let differs = want.iter().zip(&got).position(|(w, g)| !w.same_flow(g));
            assert_eq!((differs, want.len()), (None, got.len()), "seed {seed}, hart {hart}");
        }
        messages += summary.stats.kinds[Kind::ConditionalIndirect as usize].messages;
    }
    assert!(messages > 1000, "{messages}");
}

/// Every combination of the listed predictors and coders.
#[test]
fn every_hart_comes_back_for_every_predictor_and_coder() {
    let image = Image::new(&common::program(5, 300));
    let (harts, mut seed) = (2, 0);
    for coder in CoderParams::EXAMPLES.concat() {
        for outcome in OutcomeParams::EXAMPLES.concat() {
            for target in TargetParams::EXAMPLES.concat() {
                let more = ["", "+shift4", "+upper12", "+shift0+upper12"][seed as usize % 4];
                let name = format!("{coder}:{outcome}/{target}{more}");
                let flow: FlowScheme = name.parse().unwrap();
                assert_eq!(flow.name().parse(), Ok(flow), "{name}");
                seed += 1;
                let events = common::walk(&image, 300, harts, seed, 1500);
                let platform = Platform { cores: harts, timestamps: seed % 3 == 0, count_bits: 16, ..Platform::RV32 };
                let params = TraceParams::new(platform, flow);
                let (words, system) = encode(&params, &events);
                let (seen, summary) = replay(&image, &params, &words).unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(summary.stats, *system.stats(), "{name}");
                for hart in 0..harts {
                    let (want, got) = (of_hart(&events, hart), of_hart(&seen.events, hart));
                    let differs = want.iter().zip(&got).position(|(w, g)| !w.same_flow(g));
                    assert_eq!((differs, want.len()), (None, got.len()), "{name}, hart {hart}");
                }
            }
        }
    }
}

#[test]
fn functional_messages_stand_in_global_commit_order() {
    let program = common::program(7, 400);
    let image = Image::new(&program);
    let events = common::walk(&image, 400, 4, 7, 5000);
    let mut params = common::params(&mut ChaCha8Rng::seed_from_u64(7), 4);
    params.timestamps = true;
    let (words, _) = encode(&params, &events);
    let (seen, _) = replay(&image, &params, &words).unwrap();
    params.timestamps = false;
    let (words, _) = encode(&params, &events);
    let (functional, _) = replay(&image, &params, &words).unwrap();
    // the time-stamped stream shows when each message was made
    let mut now = [0; 4];
    let mut last = (0, 0);
    for (t, f) in seen.messages.iter().zip(&functional.messages) {
        assert_eq!((t.core, t.body), (f.core, f.body));
        now[usize::from(t.core)] += t.diff_cc;
        let at = (now[usize::from(t.core)], t.core);
        assert!(at >= last, "{at:?} after {last:?}");
        last = at;
    }
    assert_eq!(seen.messages.len(), functional.messages.len());
}

#[test]
fn time_stamps_are_the_cycles_of_the_events() {
    let program = common::program(9, 400);
    let image = Image::new(&program);
    let events = common::walk(&image, 400, 2, 9, 5000);
    let mut params = common::params(&mut ChaCha8Rng::seed_from_u64(1), 2);
    (params.timestamps, params.cc_bits) = (true, 32);
    let (words, _) = encode(&params, &events);
    let mut replay = Replay::new(&image, &params, words.iter().copied()).unwrap();
    /// Keeps the last event before each message.
    #[derive(Default)]
    struct Last(Option<FlowEvent>, Vec<FlowEvent>);
    impl ReplaySink for Last {
        fn event(&mut self, e: &FlowEvent) {
            self.0 = Some(*e);
        }
        fn message(&mut self, _: u64, m: &Message) {
            if let (Some(e), true) = (self.0, m.body.kind() != Kind::Progress) {
                self.1.push(e);
            }
        }
    }
    let mut last = Last::default();
    while replay.step(&mut last).unwrap() {}
    let mut exact = 0;
    for e in &last.1 {
        let same = events.iter().filter(|w| w.same_flow(e) && w.cycle == e.cycle).count();
        assert!(same > 0, "{e:?}");
        exact += 1;
    }
    assert!(exact > 500);
}

#[test]
fn damaged_streams_neither_panic_nor_run_on() {
    damage::is_reported((0..8).map(|seed| common::params(&mut ChaCha8Rng::seed_from_u64(seed), 2)));
}
