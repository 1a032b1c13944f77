//! Replay of synthetic programs gives the original events

use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::params::{named_set, TraceParams};
use sim::replay::{Events, Replay};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use sim::system::System;

/// Runs 100,000 instructions of a new program through `params`; returns the bits of the stream.
fn round_trip(params: &TraceParams, seed: u64) -> u64 {
    let base = if params.xlen == 32 { Shape::rv32(seed) } else { Shape::rv64(seed) };
    let model = Model::new(&Shape { compressed: params.align == 1, ..base });
    let recording = record(&model, &Config::new(params.cores, seed), 100_000);
    let mut system = System::new(params).unwrap();
    recording.events.iter().for_each(|e| system.event(e));
    system.finish(recording.events.last().unwrap().cycle);
    let words: Vec<u32> = system.drain().collect();
    let image = Image::new(&model.program);
    let mut back: Vec<FlowEvent> = Vec::new();
    let replayed = Replay::new(&image, params, words.into_iter()).unwrap().run(&mut Events(&mut back));
    replayed.unwrap_or_else(|e| panic!("{}, seed {seed}: {e}", params.canonical()));
    for hart in 0..params.cores {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (sent, got) = (of(&recording.events), of(&back));
        let wrong = sent.iter().zip(&got).position(|(s, g)| !s.same_flow(g));
        let place = wrong.map(|i| (sent[i], got[i]));
        assert_eq!((place, got.len()), (None, sent.len()), "{}, seed {seed}, hart {hart}", params.canonical());
    }
    system.bits()
}

#[test]
fn every_named_corner_replays_exactly() {
    for (i, name) in ["small", "medium", "large", "s0", "m4", "b2"].into_iter().enumerate() {
        let set = named_set(name).unwrap();
        for (j, (cores, timestamps, xlen, align)) in
            [(1, false, 32, 1), (4, false, 32, 1), (3, true, 32, 2), (2, true, 64, 1)].into_iter().enumerate()
        {
            let tr = TraceParams::tr(set.params)
                .with(|p| (p.cores, p.timestamps, p.xlen, p.align) = (cores, timestamps, xlen, align));
            let seed = 10 * i as u64 + j as u64;
            let bits = round_trip(&tr, seed);
            // a stream larger than the program would mean that nothing was predicted
            assert!(bits < 100_000 * 4, "{name}: {bits} bits");
        }
    }
}

#[test]
fn the_other_encodings_replay_exactly_and_cost_more() {
    let set = named_set("medium").unwrap();
    let tr = TraceParams::tr(set.params).with(|p| p.cores = 2);
    let bits = round_trip(&tr, 77);
    for name in ["nx_b".into(), "nexs".into(), format!("tr_b:{}", set.name)] {
        assert!(round_trip(&tr.with(|p| p.flow = name.parse().unwrap()), 77) > bits, "{name}");
    }
}
