//! `hdl/src/scheme/follow/contexts.rs` against `sim/src/scheme/follow/context.rs`

use hdl::scheme::follow::contexts::Contexts;
use rust_hdl::prelude::*;
use sim::scheme::follow::context::{self, situation};
use sim::scheme::follow::{loops, past, tables};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// What the predictors say of a conditional.
#[derive(Clone, Copy, Debug)]
struct Said {
    tables: tables::LookUp,
    sure_loop: Option<loops::Prediction>,
    past: Option<past::Prediction>,
    taken: bool,
}

/// Circuit and model side by side.
struct Pair {
    d: Driver<Contexts>,
    golden: context::Contexts,
    nothing: tables::LookUp,
    due: bool,
    misses: u64,
}

impl Pair {
    fn new() -> Self {
        Self {
            d: Driver::new(Contexts::new(true), |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: context::Contexts::default(),
            nothing: tables::Tables::new(8, 1, 4).look_up(0),
            due: false,
            misses: 0,
        }
    }

    fn random(&self, s: &mut Source) -> Said {
        let tables = tables::LookUp { taken: s.percent(50), class: s.below(6) as u8, ..self.nothing };
        let sure_loop = s.percent(20).then(|| loops::Prediction { taken: s.percent(50), exit: s.percent(50) });
        let length = *s.pick(&[0, 3, 4, 15, 16, 63, 64]);
        let past = s.percent(70).then(|| past::Prediction { taken: s.percent(50), length });
        Said { tables, sure_loop, past, taken: s.percent(50) }
    }

    /// One cycle; `said` of the conditional in S4, if there is one.
    fn step(&mut self, said: Said, branch: bool, clear: bool, sweep: Option<u64>) {
        let of_loop = said.sure_loop.unwrap_or(loops::Prediction { taken: said.taken, exit: !said.taken });
        let miss = self
            .d
            .cycle(
                |u| {
                    u.branch.next = branch;
                    u.taken.next = said.taken;
                    u.says.next = said.tables.taken;
                    u.certainty.next = u64::from(said.tables.class).to_bits();
                    u.sure_loop.next = said.sure_loop.is_some();
                    u.loop_says.next = of_loop.taken;
                    u.exit.next = of_loop.exit;
                    u.level.next = u64::from(said.past.map_or(0, past::Prediction::level)).to_bits();
                    u.past_says.next = said.past.map_or(said.taken, |p| p.taken);
                    u.clear.next = clear;
                    u.sweep.next = sweep.is_some();
                    u.at.next = sweep.unwrap_or(0).to_bits();
                },
                |u| u.miss.val(),
            )
            .unwrap();
        assert_eq!(miss, self.due, "cycle {}: {said:?}", self.d.cycles());
        self.due = false;
        if branch && !clear {
            let s = situation(&said.tables, said.sure_loop, said.past);
            self.due = (s.taken ^ self.golden.turns(s.context)) != said.taken;
            self.golden.learn(s.context, s.taken == said.taken);
            self.misses += u64::from(self.due);
        }
    }

    fn clear(&mut self, s: &mut Source) {
        let said = self.random(s);
        self.step(said, true, true, None);
        for at in 0..64 {
            self.step(said, false, false, Some(at));
        }
        self.golden = context::Contexts::default();
    }
}

#[test]
fn random_situations_match_golden() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(3));
    pair.clear(&mut s);
    let mut said = pair.random(&mut s);
    // each context has a bias, so that counters saturate on both sides
    for density in [100, 60, 100, 25] {
        for _ in 0..12_000 {
            if s.percent(70) {
                said = pair.random(&mut s);
            }
            let context = situation(&said.tables, said.sure_loop, said.past);
            said.taken = context.taken ^ s.percent([5, 95, 30, 70, 50][usize::from(context.context) % 5]);
            pair.step(said, s.percent(density), false, None);
        }
    }
    pair.clear(&mut s);
    for _ in 0..4_000 {
        said = pair.random(&mut s);
        pair.step(said, true, false, None);
    }
    assert!(pair.misses > 1_000, "{} misses are too few to trust this run", pair.misses);
    pair.d.check_verilog_from_random(3).unwrap();
}

#[test]
fn one_context_in_every_cycle_walks_its_counter() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(4));
    pair.clear(&mut s);
    let said = pair.random(&mut s);
    for right in [[true; 20], [false; 20], [true; 20]].concat() {
        let taken = situation(&said.tables, said.sure_loop, said.past).taken == right;
        pair.step(Said { taken, ..said }, true, false, None);
    }
    pair.d.check_verilog().unwrap();
}

#[test]
fn every_context_has_a_counter_of_its_own() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(5));
    pair.clear(&mut s);
    // all contexts, each wrong or right by its parity
    for _ in 0..6_000 {
        let mut said = pair.random(&mut s);
        let context = situation(&said.tables, said.sure_loop, said.past);
        said.taken = context.taken ^ (context.context % 2 == 0);
        pair.step(said, true, false, None);
    }
    let inverted = (0..context::CONTEXTS as u8).filter(|c| pair.golden.turns(*c)).count();
    assert_eq!(inverted, context::CONTEXTS / 2);
}

#[test]
fn it_passes_the_static_gates() {
    emit_checked(&mut Contexts::new(true)).unwrap();
}
