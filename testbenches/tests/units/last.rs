//! `hdl/src/scheme/tr/target/last.rs` against `sim/src/scheme/tr/target/last.rs`

use crate::part_harness::sends_what_the_model_sends;
use hdl::scheme::tr::target::last::Last;
use retire::isa::Indirect;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::last::{self, LastSizes};
use sim::scheme::tr::target::TargetPredictor;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

const SIZES: [u16; 5] = [16, 32, 64, 128, 256];
const SHIFT: u8 = 1;

/// Circuit and model side by side, for addresses of 31 significant bits, of which the circuit stores some.
struct Pair {
    d: Driver<Last<32>>,
    golden: last::Last,
    mask: u64,
    /// The prediction due in the next cycle.
    due: Option<bool>,
    hits: u64,
}

impl Pair {
    fn new(entries: u16, address_bits: usize) -> Self {
        let sizes = LastSizes { entries };
        let d = Driver::new(Last::new(&sizes, address_bits), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mask = u64::MAX >> (64 - address_bits);
        Self { d, golden: last::Last::new(&sizes, SHIFT), mask, due: None, hits: 0 }
    }

    /// Runs one cycle, with an indirect branch (a return, or none) at `pc` to `target`; returns whether the circuit was
    /// ready.
    fn cycle(&mut self, branch: Option<bool>, pc: u64, target: u64, clear: bool) -> bool {
        let (ready, hit) = self
            .d
            .cycle(
                |u| {
                    u.port.live.next = branch.is_some();
                    u.port.lookup.next = branch == Some(false);
                    u.port.pop.next = branch == Some(true);
                    u.port.hash.next = (pc >> SHIFT & 0x3fff).to_bits();
                    u.port.target.next = (target >> 1).to_bits();
                    u.port.clear.next = clear;
                },
                |u| (u.port.ready.val(), u.port.hit.val()),
            )
            .unwrap();
        if let Some(due) = self.due.take() {
            assert_eq!(hit, due, "cycle {}: hit", self.d.cycles());
        }
        if branch.is_some() && ready {
            let kept = target >> 1 & self.mask;
            let due = self.golden.predict(Indirect::Jump, pc) == Some(kept);
            self.golden.update(Indirect::Jump, pc, kept, 0);
            self.hits += u64::from(due);
            self.due = Some(due);
        }
        if clear {
            self.golden.reset();
        }
        ready
    }

    fn wait(&mut self) -> u64 {
        (0..).find(|_| self.cycle(None, 0, 0, false)).unwrap()
    }
}

#[test]
fn random_branches_match_golden() {
    for (seed, entries) in SIZES.into_iter().enumerate() {
        for address_bits in [31, 19] {
            let (mut p, mut s) = (Pair::new(entries, address_bits), Source::seeded(seed as u64));
            p.wait();
            let branches: Vec<u64> = (0..12).map(|_| s.bits(12)).collect();
            let targets: Vec<u64> = (0..4).map(|_| s.bits(32)).collect();
            for _ in 0..6_000 {
                let pc = *s.pick(&branches);
                let target = if s.percent(60) { targets[pc as usize % 4] } else { *s.pick(&targets) };
                let branch = s.percent(70).then(|| s.percent(30));
                if s.per_64k(16) {
                    p.cycle(branch, pc, target, true);
                    // instructions may still be in the pipeline
                    p.cycle(branch, pc, target, false);
                    p.wait();
                } else {
                    p.cycle(branch, pc, target, false);
                }
            }
            assert!(p.hits > 500, "{} hits are too few to trust this run", p.hits);
            p.d.check_verilog_from_random(seed as u32).unwrap();
        }
    }
}

#[test]
fn a_branch_after_itself_hits_its_own_target() {
    let mut p = Pair::new(16, 31);
    assert_eq!(p.wait(), 16);
    for target in [0x100, 0x100, 0x100, 0x200, 0x200, 0x8000_0000, 0, 0] {
        p.cycle(Some(false), 0x40, target, false);
    }
    p.cycle(None, 0, 0, false);
    assert_eq!(p.hits, 4);
    // of another index, and of the same one, since there are no tags
    for (pc, target) in [(0x42, 0), (0x60, 0), (0x42, 0), (0x62, 0)] {
        p.cycle(Some(true), pc, target, false);
    }
    p.cycle(None, 0, 0, false);
    assert_eq!(p.hits, 7);
    p.d.check_verilog().unwrap();
}

#[test]
fn every_size_passes_the_static_gates() {
    for entries in SIZES {
        emit_checked(&mut Last::<32>::new(&LastSizes { entries }, 31)).unwrap_or_else(|e| panic!("{entries}: {e}"));
    }
    emit_checked(&mut Last::<64>::new(&LastSizes { entries: 32 }, 63)).unwrap();
}

#[test]
fn systems_with_it_send_what_the_model_sends() {
    sends_what_the_model_sends("tr_e:512/last32");
    sends_what_the_model_sends("tr_e:bimodal256/last16+upper12");
}
