//! Tables of `docs/stream-cache.md`: hit rates and bits an instruction of the test programs by variant and
//! size, the hash measured, and the speed of the model
//!
//! `cargo run --release -p testbenches --example stream_cache`

use sim::golden::system::System;
use sim::params::{named_set, Coding, Scheme, TraceParams};
use sim::retire::{FlowEvent, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig};
use sim::stream_cache::params::{ENTRIES, WAYS};
use sim::stream_cache::{Hash, StreamCacheParams, Variant};
use std::time::Instant;
use testbenches::programs::PROGRAMS;

/// Feeds one run to many models.
struct All(Vec<System>);

impl RetireSink for All {
    fn event(&mut self, e: &FlowEvent) {
        for s in &mut self.0 {
            s.event(e);
            if s.bits() % (1 << 16) < 64 {
                s.drain();
            }
        }
    }
}

/// What one model made of one program.
#[derive(Clone, Copy, Default)]
struct Point {
    instructions: u64,
    bits: u64,
    streams: u64,
    cache_hits: u64,
    predicted: u64,
}

impl Point {
    fn bpi(&self) -> f64 {
        self.bits as f64 / self.instructions as f64
    }
}

fn configs() -> Vec<TraceParams> {
    let sc = |p| TraceParams::sc_lsp(p);
    let mut all = Vec::new();
    for variant in Variant::ALL {
        all.extend(ENTRIES.map(|n| sc(StreamCacheParams::new(variant, n / 4, 4))));
    }
    for ways in WAYS {
        all.extend(ENTRIES.map(|n| sc(StreamCacheParams::new(Variant::Base, n / u16::from(ways), ways))));
    }
    for hash in [Hash::Right, Hash::Left] {
        all.extend(
            (0..=6).map(|shift| sc(StreamCacheParams { hash, shift, ..StreamCacheParams::new(Variant::Rbase, 32, 4) })),
        );
    }
    let m4 = named_set("m4").expect("a named set");
    let tr = TraceParams::tr(m4.predictor, m4.tr_e);
    all.push(tr);
    all.push(TraceParams { scheme: Scheme::NxB(Coding::TR_B), ..tr });
    all
}

fn main() {
    let configs = configs();
    let mut rows: Vec<(&str, Vec<Point>)> = Vec::new();
    for info in PROGRAMS {
        let program = info.load().expect("a checked-in program");
        let mut all = All(configs.iter().map(|p| System::new(p).expect("legal parameters")).collect());
        let mut machine = Machine::new(&program, MachineConfig::default()).expect("a program that fits");
        let summary = machine.run(&mut all, Limits::default()).expect("a program that ends");
        let points = all.0.iter_mut().map(|s| {
            s.finish(summary.cycles);
            let streams = s.streams();
            let c = streams.first().copied().unwrap_or_default();
            Point {
                instructions: summary.instructions.iter().sum(),
                bits: s.stats().bits,
                streams: c.streams,
                cache_hits: c.cache_hits,
                predicted: c.predicted,
            }
        });
        rows.push((info.name, points.collect()));
    }
    let total = |i: usize| {
        rows.iter().fold(Point::default(), |t, (_, p)| Point {
            instructions: t.instructions + p[i].instructions,
            bits: t.bits + p[i].bits,
            streams: t.streams + p[i].streams,
            cache_hits: t.cache_hits + p[i].cache_hits,
            predicted: t.predicted + p[i].predicted,
        })
    };
    let (tr, nx) = (configs.len() - 2, configs.len() - 1);
    let at = |p: StreamCacheParams| configs.iter().position(|c| c.stream_cache() == Some(p)).expect("a measured size");
    let four = |variant, n: u16| at(StreamCacheParams::new(variant, n / 4, 4));

    println!("| program | instr. a stream | hit rate SC | hit rate LSP | BASE 32 | 64 | 128 | 256 | 512 | 1024 | eBASE 128 | rBASE 128 | tr_e m4 | nx_b |");
    println!("| --- | {}", "---: | ".repeat(13));
    let line = |name: &str, get: &dyn Fn(usize) -> Point| {
        let c = get(four(Variant::Rbase, 128));
        let rate = |n| 100.0 * n as f64 / c.streams as f64;
        let mut cells = vec![
            format!("{:.1}", c.instructions as f64 / c.streams as f64),
            format!("{:.2} %", rate(c.cache_hits)),
            format!("{:.2} %", rate(c.predicted)),
        ];
        let mut at: Vec<usize> = ENTRIES.map(|n| four(Variant::Base, n)).to_vec();
        at.extend([four(Variant::Ebase, 128), four(Variant::Rbase, 128), tr, nx]);
        cells.extend(at.into_iter().map(|i| format!("{:.3}", get(i).bpi())));
        println!("| {name} | {} |", cells.join(" | "));
    };
    for (name, points) in &rows {
        line(name, &|i| points[i]);
    }
    line("**all**", &total);

    println!("\n| BASE, entries | 1 way | 2 ways | 4 ways | 8 ways | eBASE, 4 ways | rBASE, 4 ways |");
    println!("| ---: | {}", "---: | ".repeat(6));
    for n in ENTRIES {
        let mut at: Vec<usize> = WAYS.map(|w| at(StreamCacheParams::new(Variant::Base, n / u16::from(w), w))).to_vec();
        at.extend([four(Variant::Ebase, n), four(Variant::Rbase, n)]);
        let cells: Vec<String> = at.into_iter().map(|i| format!("{:.3}", total(i).bpi())).collect();
        println!("| {n} | {} |", cells.join(" | "));
    }

    println!("\n| rBASE 32x4, shift | {} |", (0..=6).map(|s| s.to_string()).collect::<Vec<_>>().join(" | "));
    println!("| --- | {}", "---: | ".repeat(7));
    for (hash, name) in [(Hash::Right, "right"), (Hash::Left, "left")] {
        let base = StreamCacheParams::new(Variant::Rbase, 32, 4);
        let cells: Vec<String> =
            (0..=6).map(|shift| format!("{:.4}", total(at(StreamCacheParams { hash, shift, ..base })).bpi())).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    speed();
}

/// Streams a second of the model alone, on a recorded run.
fn speed() {
    let program = testbenches::programs::load("vm").expect("a checked-in program");
    let mut events: Vec<FlowEvent> = Vec::new();
    let mut machine = Machine::new(&program, MachineConfig::default()).expect("a program that fits");
    let limits = Limits { instructions: 10_000_000, ..Limits::default() };
    machine.run(&mut events, limits).expect("a program that runs");
    println!();
    for variant in Variant::ALL {
        let mut system = System::new(&TraceParams::sc_lsp(StreamCacheParams::new(variant, 32, 4))).expect("legal");
        let begin = Instant::now();
        for e in &events {
            system.event(e);
        }
        let seconds = begin.elapsed().as_secs_f64();
        let streams: u64 = system.streams().iter().map(|c| c.streams).sum();
        println!(
            "{} 32x4 on vm: {:.0} million streams a second, {:.0} million events, {:.0} million instructions",
            variant.name(),
            streams as f64 / seconds / 1e6,
            events.len() as f64 / seconds / 1e6,
            10.0 / seconds
        );
    }
}
