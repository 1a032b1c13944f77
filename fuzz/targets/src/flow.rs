//! Traces of the control flow, of every scheme: the first byte says which, the others are words

use crate::{bytes, words};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use sim::system::System;
use std::sync::LazyLock;

/// Schemes, each with another of the options of a stream.
const SCHEMES: [(&str, Platform); 12] = {
    const ONE: Platform = Platform::RV32;
    const TWO: Platform = Platform { cores: 2, ..ONE };
    const TIMED: Platform = Platform { timestamps: true, ..TWO };
    const SIGNED: Platform = Platform { signature: 16, ..TWO };
    const TOLD: Platform = Platform { context: Some(4), ..TWO };
    [
        ("tr_e:small", ONE),
        ("tr_e:m4", TIMED),
        ("tr_e:small", SIGNED),
        ("tr_b:small", TOLD),
        ("golomb:small", TWO),
        ("tr_e:small+shared", TWO),
        ("nx_b", TWO),
        ("nx_b", Platform { signature: 8, ..TIMED }),
        ("taken", TIMED),
        ("sc-lsp:base-32x4", TWO),
        ("sc-lsp:rbase-32x4", SIGNED),
        ("sc-lsp:ebase-8x8", TIMED),
    ]
};

struct Fixed {
    model: Model,
    image: Image,
    params: Vec<TraceParams>,
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| {
    let model = Model::new(&Shape::rv32(7));
    let of = |(scheme, platform): (&str, Platform)| {
        TraceParams::new(platform, scheme.parse().unwrap_or_else(|e| panic!("{scheme}: {e}")))
    };
    Fixed { image: Image::new(&model.program), model, params: SCHEMES.map(of).to_vec() }
});

/// Takes what is replayed, up to a number of events: a stream of many instructions is slow, and no fault.
const EVENTS: usize = 100_000;

/// Replays, and continues after damage.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let params = &FIXED.params[usize::from(*first) % SCHEMES.len()];
    let mut seen: Vec<FlowEvent> = Vec::new();
    let Ok(mut replay) = Replay::new(&FIXED.image, params, words(rest)) else { return };
    loop {
        match replay.step(&mut Events(&mut seen)) {
            Ok(true) if seen.len() < EVENTS => {}
            Ok(_) => return,
            Err(_) if replay.resume() => {}
            Err(_) => return,
        }
    }
}

/// A run of each scheme, and with headers in between where there are resyncs.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (i, params) in FIXED.params.iter().enumerate() {
        let run = record(&FIXED.model, &Config { trap_per_64k: 800, ..Config::new(params.cores, 3) }, 3_000);
        for period in [None, SyncPeriod::new(10).ok().filter(|p| params.check_period(Some(*p)).is_ok())] {
            let Ok(system) = System::new(params) else { continue };
            let mut system = system.sync_every(params, period);
            run.events.iter().for_each(|e| system.event(e));
            system.finish(run.events.last().map_or(0, |e| e.cycle));
            seeds.push([vec![i as u8], bytes(system.drain())].concat());
        }
    }
    seeds
}
