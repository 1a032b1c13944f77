//! `hdl/src/scheme/follow/loops.rs` against `sim/src/scheme/follow/loops.rs`

use hdl::scheme::follow::loops::Loops;
use rust_hdl::prelude::*;
use sim::scheme::follow::loops;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// log2 entries: the named sets, the smallest and the largest.
const SIZES: [u32; 4] = [2, 3, 1, 6];

/// A conditional: hashed address, outcome, prediction of the tables.
type Branch = (u32, bool, bool);

/// Circuit and model side by side.
struct Pair {
    d: Driver<Loops>,
    golden: loops::Loops,
    /// Predictions of the conditionals in S3 and S4, and whether the tables are wrong.
    due: [Option<(Option<loops::Prediction>, bool)>; 2],
    log2: u32,
    /// Sure predictions, exits among them, wrong ones.
    counts: [u64; 3],
}

impl Pair {
    fn new(log2: u32) -> Self {
        let d = Driver::new(Loops::new(log2 as usize), |u, c| u.clock.next = c.into()).unwrap().recording();
        Self { d, golden: loops::Loops::new(1 << log2), due: [None; 2], log2, counts: [0; 3] }
    }

    fn cycle(&mut self, branch: Option<Branch>, clear: bool, sweep: Option<u64>) -> Option<loops::Prediction> {
        // in a sweep, another entry than the one that is written is read
        let (pr, taken, _) = branch.unwrap_or((sweep.map_or(0x1234, |at| at as u32 & 15), true, true));
        let wrong = self.due[1].is_some_and(|(_, wrong)| wrong);
        let (sure, taken, exit) = self
            .d
            .cycle(
                |u| {
                    u.branch.next = branch.is_some();
                    u.taken.next = taken;
                    u.pr.next = u64::from(pr & 0xffff).to_bits();
                    u.wrong.next = wrong;
                    u.clear.next = clear;
                    u.sweep.next = sweep.is_some();
                    u.at.next = sweep.unwrap_or(0).to_bits();
                },
                |u| (u.sure.val(), u.says.val(), u.exit.val()),
            )
            .unwrap();
        sure.then_some(loops::Prediction { taken, exit })
    }

    /// One cycle, with a conditional or without.
    fn step(&mut self, branch: Option<Branch>) {
        let said = self.cycle(branch, false, None);
        if let Some((due, _)) = self.due[1] {
            assert_eq!(said, due, "{} entries, cycle {}", 1 << self.log2, self.d.cycles());
        }
        self.due = [None, self.due[0]];
        if let Some((pr, taken, tables)) = branch {
            let found = self.golden.look_up(pr);
            self.golden.retire(pr, found, tables, taken);
            self.due[0] = Some((found, tables != taken));
            self.counts[0] += u64::from(found.is_some());
            self.counts[1] += u64::from(found.is_some_and(|p| p.exit));
            self.counts[2] += u64::from(found.is_some_and(|p| p.taken != taken));
        }
    }

    /// Clears it, with a conditional in the pipeline.
    fn clear(&mut self) {
        self.cycle(Some((7, true, false)), true, None);
        self.due = [None; 2];
        for at in 0..1 << self.log2 {
            self.cycle(None, false, Some(at));
        }
        self.golden.reset();
    }

    /// Loops in loops, of lengths that sometimes change.
    fn run(&mut self, s: &mut Source, cycles: u64, density: u8) {
        let mut loops: Vec<(u32, u64, bool)> = (0..6).map(|_| (s.bits(15) as u32, s.below(9), s.percent(50))).collect();
        let end = self.d.cycles() + cycles;
        while self.d.cycles() < end {
            let (pr, length, direction) = loops[s.below(6) as usize];
            let length = length + u64::from(s.percent(8));
            for i in 0..length + 1 {
                while !s.percent(density) {
                    self.step(None);
                }
                let taken = if i == length { !direction } else { direction };
                self.step(Some((pr, taken, taken ^ s.percent(if i == length { 70 } else { 3 }))));
            }
            if s.percent(4) {
                let changed = s.below(6) as usize;
                loops[changed] = (s.bits(15) as u32, s.below(9), s.percent(50));
            }
        }
    }
}

#[test]
fn random_loops_match_golden() {
    for (seed, log2) in SIZES.into_iter().enumerate() {
        let (mut pair, mut s) = (Pair::new(log2), Source::seeded(seed as u64));
        pair.clear();
        for density in [100, 60, 100, 25] {
            pair.run(&mut s, 8_000, density);
        }
        pair.clear();
        pair.run(&mut s, 4_000, 100);
        assert!(pair.counts.iter().all(|n| *n > 20), "{log2}: {:?}", pair.counts);
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn long_loops_saturate_their_count() {
    for length in [2, 253, 254, 255, 256, 300] {
        let mut pair = Pair::new(2);
        pair.clear();
        for _ in 0..6 {
            for i in 0..length + 1 {
                pair.step(Some((9, i < length, true)));
            }
        }
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn every_size_passes_the_static_gates() {
    for log2 in SIZES {
        emit_checked(&mut Loops::new(log2 as usize)).unwrap_or_else(|e| panic!("{log2}: {e}"));
    }
}
