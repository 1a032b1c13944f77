//! `hdl/src/scheme/follow/past.rs` against `sim/src/scheme/follow/past.rs`

use hdl::scheme::follow::past::Past;
use rust_hdl::prelude::*;
use sim::scheme::follow::past;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// log2 outcomes, log2 pointers: the named sets, the smallest and the largest.
const SIZES: [(u32, u32); 5] = [(9, 4), (11, 5), (12, 7), (8, 4), (16, 10)];

/// Circuit and model side by side.
struct Pair {
    d: Driver<Past>,
    golden: past::Past,
    /// Outcome that the past says, and level: of the conditionals in S3 and S4.
    due: [Option<(bool, u64)>; 2],
    size: (u32, u32),
    /// How often each level was predicted.
    levels: [u64; 5],
}

impl Pair {
    fn new(size: (u32, u32)) -> Self {
        let circuit = Past::new(size.0 as usize, size.1 as usize);
        Self {
            d: Driver::new(circuit, |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: past::Past::new(1 << size.0, size.1),
            due: [None; 2],
            size,
            levels: [0; 5],
        }
    }

    fn cycle(&mut self, branch: Option<bool>, pr: u32, clear: bool, sweep: Option<u64>) -> (bool, u64) {
        self.d
            .cycle(
                |u| {
                    u.branch.next = branch.is_some();
                    u.taken.next = branch.unwrap_or(pr & 1 == 1);
                    u.pr.next = u64::from(pr).to_bits();
                    u.clear.next = clear;
                    u.sweep.next = sweep.is_some();
                    u.at.next = sweep.unwrap_or(0).to_bits();
                },
                |u| (u.says.val(), u.level.val().into()),
            )
            .unwrap()
    }

    /// One cycle, with a conditional or without.
    fn step(&mut self, branch: Option<bool>, pr: u32) {
        let said = self.cycle(branch, pr, false, None);
        if let Some(due) = self.due[1] {
            let same = said == due || (said.1, due.1) == (0, 0);
            assert!(same, "{:?}, cycle {}: {said:?}, expected {due:?}", self.size, self.d.cycles());
        }
        self.due = [None, self.due[0]];
        if let Some(taken) = branch {
            let found = self.golden.look_up();
            self.golden.retire(pr, found, taken);
            let level = found.map_or(0, past::Prediction::level);
            self.due[0] = Some((found.is_some_and(|p| p.taken), level.into()));
            self.levels[usize::from(level)] += 1;
        }
    }

    /// Clears it, with conditionals in the pipeline.
    fn clear(&mut self) {
        self.cycle(Some(true), 5, true, None);
        for at in 0..1 << self.size.1 {
            self.cycle(None, 0, false, Some(at));
        }
        self.golden.reset();
        self.due = [None; 2];
    }

    /// Sequences of conditionals that come again, with a few changes.
    fn run(&mut self, s: &mut Source, cycles: u64, density: u8) {
        let sequences: Vec<Vec<(u32, bool)>> = (0..4)
            .map(|_| {
                let few: Vec<u32> = (0..6).map(|_| s.bits(32) as u32).collect();
                (0..20 + s.below(150)).map(|_| (*s.pick(&few), s.percent(50))).collect()
            })
            .collect();
        let mut left = cycles;
        while left > 0 {
            let sequence = s.pick(&sequences).clone();
            for (pr, taken) in sequence {
                while !s.percent(density) {
                    self.step(None, pr);
                    left = left.saturating_sub(1);
                }
                self.step(Some(taken ^ s.per_64k(600)), pr);
                left = left.saturating_sub(1);
            }
        }
    }
}

#[test]
fn random_sequences_match_golden() {
    for (seed, size) in SIZES.into_iter().enumerate() {
        let (mut pair, mut s) = (Pair::new(size), Source::seeded(seed as u64));
        pair.clear();
        for density in [100, 60, 100, 25] {
            pair.run(&mut s, 4_000, density);
        }
        pair.clear();
        pair.run(&mut s, 4_000, 100);
        assert!(pair.levels.iter().all(|n| *n > 200), "{size:?}: {:?}", pair.levels);
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn short_periods_follow_the_outcome_that_is_written() {
    // a constant outcome: each sampled point finds itself, and the outcome that is read is the one that is written
    for period in [1, 2, 3, 7, 300] {
        for gap in [0, 1, 3] {
            let mut pair = Pair::new((8, 4));
            pair.clear();
            let taken = |i: u32| i % period != period - 1 || period == 1;
            // of all addresses, one that is sampled once in each period
            let last = (0..16).map(|i| u16::from(taken(898 - i)) << i).sum();
            let pr = (0..4_000).find(|pr| past::Past::hash(last, *pr) >> 8 & 15 == 0).unwrap();
            for i in 0..900 {
                pair.step(Some(taken(i)), pr);
                (0..gap).for_each(|_| pair.step(None, pr));
            }
            assert!(pair.levels[0] < 900, "{:?}", pair.levels);
            pair.d.check_verilog().unwrap();
        }
    }
}

#[test]
fn every_size_passes_the_static_gates() {
    for (outcomes, pointers) in SIZES {
        emit_checked(&mut Past::new(outcomes as usize, pointers as usize))
            .unwrap_or_else(|e| panic!("{outcomes}, {pointers}: {e}"));
    }
}
