//! `hdl/src/scheme/tr/outcome/bimodal.rs` against `sim/src/scheme/tr/outcome/bimodal.rs`

use crate::part_harness::sends_what_the_model_sends;
use hdl::scheme::tr::outcome::bimodal::Bimodal;
use rust_hdl::prelude::*;
use sim::scheme::tr::outcome::bimodal::BimodalSizes;
use sim::scheme::tr::outcome::{OutcomePredictor, OutcomeSizes};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

const SIZES: [u16; 5] = [256, 512, 1024, 2048, 4096];

fn params(counters: u16) -> BimodalSizes {
    BimodalSizes { counters }
}

/// Inputs of one cycle.
#[derive(Clone, Copy, Debug)]
struct Step {
    branch: bool,
    pc: u64,
    taken: bool,
    clear: bool,
}

/// Circuit and model side by side.
struct Pair {
    d: Driver<Bimodal>,
    golden: <BimodalSizes as OutcomeSizes>::Model,
    shift: u8,
    /// The prediction due in the next cycle.
    due: Option<bool>,
    was: Vec<Step>,
    misses: u64,
}

impl Pair {
    fn new(p: &BimodalSizes, shift: u8) -> Self {
        let d = Driver::new(Bimodal::new(p), |u, c| u.clock.next = c.into()).unwrap().recording();
        let golden = p.model(shift);
        Self { d, golden, shift, due: None, was: Vec::new(), misses: 0 }
    }

    /// Runs one cycle; returns whether the circuit was ready in it.
    fn step(&mut self, s: Step) -> bool {
        let hash = s.pc >> self.shift;
        let (ready, miss) = self
            .d
            .cycle(
                |u| {
                    u.port.branch.next = s.branch;
                    u.port.hash.next = (hash & 0xfff).to_bits();
                    u.port.taken.next = s.taken;
                    u.port.clear.next = s.clear;
                },
                |u| (u.port.ready.val(), u.port.miss.val()),
            )
            .unwrap();
        if let Some(due) = self.due.take() {
            assert_eq!(miss, due, "cycle {}: miss, after {:x?}", self.d.cycles(), self.was);
        }
        self.was.push(s);
        if self.was.len() > 4 {
            self.was.remove(0);
        }
        if s.branch && ready {
            let due = self.golden.predict(s.pc) != s.taken;
            self.golden.update(s.pc, s.taken);
            self.misses += u64::from(due);
            self.due = Some(due);
        }
        if s.clear {
            self.golden.reset();
        }
        ready
    }

    /// Idles until the circuit is ready; returns the number of cycles.
    fn wait(&mut self) -> u64 {
        let idle = Step { branch: false, pc: 0, taken: false, clear: false };
        (0..).find(|_| self.step(idle)).unwrap()
    }

    fn branch(&mut self, pc: u64, taken: bool) {
        assert!(self.step(Step { branch: true, pc, taken, clear: false }));
    }
}

#[test]
fn random_branches_match_golden() {
    for (seed, size) in SIZES.into_iter().enumerate() {
        for shift in [0, 1, 4] {
            let (mut pair, mut s) = (Pair::new(&params(size), shift), Source::seeded(seed as u64));
            pair.wait();
            // few branches, each with a bias, so that counters saturate and indices repeat
            let branches: Vec<(u64, u8)> = (0..24).map(|_| (s.bits(17), *s.pick(&[0, 5, 50, 95, 100]))).collect();
            let mut density = 100;
            for i in 0..8_000 {
                if i % 500 == 0 {
                    density = *s.pick(&[100, 100, 70, 30]);
                }
                let (pc, bias) = branches[if s.percent(60) { 0 } else { s.below(24) as usize }];
                let taken = s.percent(bias);
                pair.step(Step { branch: s.percent(density), pc, taken, clear: s.per_64k(12) });
            }
            assert!(pair.misses > 100, "{} misses are too few to trust this run", pair.misses);
            if shift == 1 {
                pair.d.check_verilog().unwrap();
            }
        }
    }
}

#[test]
fn back_to_back_branches_on_one_counter_walk_it() {
    let mut pair = Pair::new(&params(256), 1);
    pair.wait();
    for pattern in [[false; 12].as_slice(), &[true; 24], &[false; 24]] {
        for &taken in pattern {
            pair.branch(0, taken);
        }
    }
    // up and down in every cycle, then with one idle cycle between
    for i in 0..400 {
        pair.branch(0x44, i % 3 != 0);
    }
    for i in 0..400 {
        pair.branch(0x44, i % 5 < 3);
        pair.step(Step { branch: false, pc: 0x44, taken: i % 2 == 0, clear: false });
    }
    pair.d.check_verilog_from_random(3).unwrap();
}

#[test]
fn clearing_takes_one_cycle_a_counter_and_ignores_branches() {
    for size in SIZES {
        let mut pair = Pair::new(&params(size), 1);
        assert_eq!(pair.wait(), u64::from(size));
        let mut s = Source::seeded(7);
        for _ in 0..3 * u64::from(size) {
            pair.branch(s.bits(14), true);
        }
        let noise = Step { branch: true, pc: 0x1abc, taken: true, clear: true };
        pair.step(noise);
        let took = (0..).find(|_| pair.step(Step { pc: s.bits(14), clear: false, ..noise })).unwrap();
        assert_eq!(took, u64::from(size));
        // every counter is weakly not taken again
        for _ in 0..2 * u64::from(size) {
            pair.branch(s.bits(14), s.percent(50));
        }
    }
}

#[test]
fn every_size_passes_the_static_gates() {
    for size in SIZES {
        emit_checked(&mut Bimodal::new(&params(size))).unwrap_or_else(|e| panic!("{size}: {e}"));
    }
}

#[test]
fn systems_with_it_send_what_the_model_sends() {
    sends_what_the_model_sends("tr_e:bimodal512/8/16");
    sends_what_the_model_sends("tr_e:bimodal256/0/0");
}
