//! Captured programs, traced with one set of predictors for all threads: replay reproduces every thread

use crate::common::{built, options, run};
use capture::expand::{Origin, Sink};
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, RetireSink};
use sim::message::Kind;
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::scheme::tr::shared::SharedRates;
use sim::scheme::tr::TrParams;
use sim::system::System;
use std::path::Path;

#[derive(Default)]
struct Flow(Vec<FlowEvent>);

impl Sink for Flow {
    fn event(&mut self, _: &Origin<'_>, event: &FlowEvent) {
        self.0.push(*event);
    }

    fn data(&mut self, _: &Origin<'_>, _: &DataEvent) {}
}

/// Captures, encodes and replays; returns the number of turns.
fn comes_back(program: &Path, (threads, size): (u8, &str), schedule: &str, scheme: &str) -> u64 {
    let name = format!("{} {threads} {size}, {schedule}, {scheme}", program.display());
    let captured = run(program, &options(schedule, &[&threads.to_string(), size]));
    let harts = captured.harts(16);
    let mut flow = Flow::default();
    captured.expand_to(harts, &mut flow, &mut |_| true).unwrap();
    let Flow(events) = flow;
    // the image of a RISC-V program is read, that of any other is learned
    let (image, xlen) = match Program::read(program) {
        Ok(elf) => (Image::new(&elf), elf.xlen),
        Err(_) => (Image::from_events(&events).unwrap(), 64),
    };
    let align = u8::from(events.iter().all(|e| e.target & 1 == 0));
    let platform = Platform { cores: harts, xlen, align, ..Platform::RV32 };
    let params = TraceParams::new(platform, scheme.parse().unwrap());
    let mut system = System::new(&params).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().unwrap().cycle);
    let words: Vec<u32> = system.drain().collect();
    let mut seen: Vec<FlowEvent> = Vec::new();
    let summary = Replay::new(&image, &params, words.iter().copied()).unwrap().run(&mut Events(&mut seen));
    let summary = summary.unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(summary.stats, *system.stats(), "{name}");
    for hart in 0..harts {
        let of = |events: &[FlowEvent]| events.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (want, got) = (of(&events), of(&seen));
        let differs = want.iter().zip(&got).position(|(w, g)| !w.same_flow(g));
        assert_eq!((differs, want.len()), (None, got.len()), "{name}, hart {hart}");
    }
    if scheme == "tr_e:m4+shared" {
        let mut rates = SharedRates::new(&TrParams::set("m4").unwrap(), &platform);
        events.iter().for_each(|e| rates.event(e));
        let sums = system.rates().iter().fold((0, 0), |(o, t), r| (o + r.outcome_misses, t + r.target_misses));
        assert_eq!(sums, (rates.rates().outcome_misses, rates.rates().target_misses), "{name}");
    }
    // a truncated stream gives one error, wherever it ends
    for part in 1..4 {
        let cut = words[..words.len() * part / 4].iter().copied();
        Replay::new(&image, &params, cut).unwrap().run(&mut Events(&mut Vec::new())).unwrap_err();
    }
    summary.stats.kinds[Kind::Turn as usize].messages
}

#[test]
fn every_thread_of_a_captured_program_comes_back() {
    let mut compilers = vec!["riscv64-linux-gnu-gcc"];
    if std::env::consts::ARCH == "x86_64" {
        compilers.push("gcc");
    }
    let schemes = ["tr_e:m4+shared", "golomb:bimodal256/last16+shared", "tr_b:large+shift0+upper12+shared"];
    for compiler in compilers {
        let place = built(compiler);
        for (i, (name, size)) in [("fft", "9"), ("radix", "3000"), ("cg", "200"), ("rays", "10")].iter().enumerate() {
            for threads in [1, 2, 4, 8] {
                let schedule = ["serial:1000", "serial:20,jitter,seed=1"][i % 2];
                let scheme = if threads == 4 { schemes[i % 3] } else { schemes[0] };
                let turns = comes_back(&place.path().join(name), (threads, size), schedule, scheme);
                assert_eq!(threads == 1, turns == 0, "{compiler}, {name} {threads}: {turns} turns");
            }
        }
    }
}
