//! `hdl/src/scheme/follow/{targets,target_tables,stack}.rs` against `sim/src/scheme/follow/targets.rs`

use hdl::scheme::follow::targets::{Targets, DIFFERENCE, OTHER, SLOT, SLOT_NOT_OTHER};
use retire::isa::Indirect;
use rust_hdl::prelude::*;
use sim::scheme::follow::hash::{address, History};
use sim::scheme::follow::targets::{self, Log2};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked_system;

/// Addresses without upper bits: bits of a byte address.
const BITS: u32 = 22;

const SIZES: [Log2; 5] = [
    Log2 { dictionary: 3, last: 3, paths: Some(3), stack: 2 },
    Log2 { dictionary: 4, last: 4, paths: Some(4), stack: 3 },
    Log2 { dictionary: 5, last: 5, paths: Some(6), stack: 3 },
    Log2 { dictionary: 2, last: 2, paths: None, stack: 1 },
    Log2 { dictionary: 8, last: 8, paths: Some(8), stack: 6 },
];

/// An instruction.
#[derive(Clone, Copy, Debug)]
enum Step {
    None,
    Conditional(bool),
    Call { link: u64 },
    Indirect { kind: Indirect, pc: u64, target: u64, link: u64, same_upper: bool },
}

/// Circuit and model side by side.
struct Pair {
    d: Driver<Targets<32>>,
    golden: targets::Targets,
    history: History,
    /// Whether the branches in S3 and S4 are predicted, and the form of their targets.
    due: [Option<(bool, u8, bool)>; 2],
    /// Upper bits of the branch in S3.
    same_upper: bool,
    sizes: Log2,
    /// Predicted targets, and forms of the others.
    counts: [u64; 5],
    /// Targets in each bank.
    banks: [u64; 2],
}

impl Pair {
    fn new(sizes: Log2) -> Self {
        let circuit = Targets::new(&sizes, BITS as usize - 1);
        Self {
            d: Driver::new(circuit, |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: targets::Targets::new(sizes),
            history: History::default(),
            due: [None; 2],
            same_upper: true,
            sizes,
            counts: [0; 5],
            banks: [0; 2],
        }
    }

    fn cycle(&mut self, s: Step, clear: bool, sweep: Option<u64>) -> (bool, u8, bool) {
        let (mut lookup, mut pop, mut push) = (false, false, false);
        let (mut pc, mut target, mut link) = (0x1_2344, 0x5678, 0x9abc);
        match s {
            Step::None | Step::Conditional(_) => {}
            Step::Call { link: l } => (push, link) = (true, l),
            Step::Indirect { kind, pc: p, target: t, link: l, .. } => {
                (pc, target, link) = (p, t, l);
                lookup = matches!(kind, Indirect::Jump | Indirect::Call);
                pop = !lookup;
                push = matches!(kind, Indirect::Call | Indirect::CoSwap);
            }
        }
        let bit = self.bit(s);
        let recent = u64::from(self.history.0 & 0x3f_ffff);
        let same_upper = self.same_upper;
        self.d
            .cycle(
                |u| {
                    u.lookup.next = lookup;
                    u.pop.next = pop;
                    u.push.next = push;
                    u.pr.next = u64::from(address(pc) & 0xffff).to_bits();
                    // bits above the address are ignored
                    u.target.next = (target >> 1 | 1 << 30).to_bits();
                    u.link.next = (link >> 1 | 1 << 29).to_bits();
                    u.same_upper.next = same_upper;
                    u.step.next = bit.is_some();
                    u.newest.next = bit.unwrap_or(true);
                    u.recent.next = recent.to_bits();
                    u.clear.next = clear;
                    u.sweep.next = sweep.is_some();
                    u.at.next = sweep.unwrap_or(0).to_bits();
                },
                |u| (u.hit.val(), u64::from(u.form.val()) as u8, u.sure.val()),
            )
            .unwrap()
    }

    fn bit(&self, s: Step) -> Option<bool> {
        match s {
            Step::Conditional(taken) => Some(taken),
            Step::Indirect { kind: Indirect::Jump | Indirect::Call, target, .. } => Some(History::of_target(target)),
            _ => None,
        }
    }

    fn step(&mut self, s: Step) {
        let mut said = self.cycle(s, false, None);
        if said.1 & 3 == DIFFERENCE {
            // the bank is arbitrary
            said.1 = DIFFERENCE;
        }
        if let Some(due) = self.due[1] {
            let same = said == due || (said.0 && due.0 && said.2 == due.2);
            assert!(same, "{:?}, cycle {}: {said:?}, expected {due:?}", self.sizes, self.d.cycles());
        }
        self.due = [None, self.due[0]];
        self.same_upper = true;
        match s {
            Step::None | Step::Conditional(_) => {}
            Step::Call { link } => self.golden.call(link),
            Step::Indirect { kind, pc, target, link, same_upper } => {
                let pr = address(pc);
                let found = self.golden.look_up(kind, pr);
                let dictionary = self.golden.dictionary();
                let slot = dictionary.slot(target);
                let listed = same_upper && dictionary.address(slot) == target;
                let bank = slot >> (self.sizes.dictionary - 1) << 2;
                let form = match found.other {
                    _ if !listed => DIFFERENCE,
                    Some(other) if other == target => OTHER,
                    Some(_) => SLOT_NOT_OTHER,
                    None => SLOT,
                };
                let correct = same_upper && found.target == target;
                self.golden.retire(kind, pr, &found, (target, link), correct);
                self.banks[usize::from(bank > 0)] += u64::from(listed);
                let said = if listed { form | bank } else { form };
                self.due[0] = Some((correct, said, found.sure));
                self.same_upper = same_upper;
                self.counts[if correct { 4 } else { form.into() }] += 1;
            }
        }
        if let Some(bit) = self.bit(s) {
            self.golden.push(bit, self.history);
            self.history.push(bit);
        }
    }

    /// Clears it, with branches in the pipeline.
    fn clear(&mut self) {
        let (pc, target) = (0x40, 0x80);
        self.cycle(Step::Indirect { kind: Indirect::Jump, pc, target, link: 0, same_upper: true }, true, None);
        for at in 0..256 {
            self.cycle(Step::None, false, Some(at));
        }
        self.golden.reset();
        self.history = History::default();
        self.due = [None; 2];
        self.same_upper = true;
    }

    /// Branches at few places with few targets each, calls and returns.
    fn run(&mut self, s: &mut Source, cycles: u64, density: u8) {
        let targets: Vec<u64> = (0..14).map(|_| s.bits(BITS - 1) << 1).collect();
        let places: Vec<u64> = (0..6).map(|_| s.bits(BITS - 1) << 1).collect();
        let mut calls = Vec::new();
        for i in 0..cycles {
            if !s.percent(density) {
                self.step(Step::None);
                continue;
            }
            let pc = *s.pick(&places);
            let link = s.bits(BITS - 1) << 1;
            let step = match s.below(10) {
                0..=2 => Step::Conditional(s.percent(50)),
                3 => Step::Call { link },
                n => {
                    let kind = [
                        Indirect::Jump,
                        Indirect::Jump,
                        Indirect::Call,
                        Indirect::Return,
                        Indirect::CoSwap,
                        Indirect::Return,
                    ][n as usize - 4];
                    // of each branch mostly the same target, or one that depends on the path
                    let own = pc as usize / 2 % 3;
                    let target = match kind {
                        Indirect::Return | Indirect::CoSwap if s.percent(80) => calls.pop().unwrap_or(0),
                        _ if s.percent(60) => targets[own],
                        _ if s.percent(80) => {
                            targets[3 + usize::from(self.history.0 & 3 == 1) + (i as usize / 500) % 2]
                        }
                        _ => *s.pick(&targets),
                    };
                    Step::Indirect { kind, pc, target, link, same_upper: s.percent(97) }
                }
            };
            if let Step::Call { link } | Step::Indirect { kind: Indirect::Call | Indirect::CoSwap, link, .. } = step {
                calls.push(link);
            }
            self.step(step);
        }
    }
}

#[test]
fn random_branches_match_golden() {
    for (seed, sizes) in SIZES.into_iter().enumerate() {
        let (mut pair, mut s) = (Pair::new(sizes), Source::seeded(seed as u64));
        pair.clear();
        for density in [100, 60, 100, 25] {
            pair.run(&mut s, 6_000, density);
        }
        pair.clear();
        pair.run(&mut s, 3_000, 100);
        let forms = if sizes.paths.is_some() { &pair.counts[..] } else { &pair.counts[..2] };
        assert!(forms.iter().all(|n| *n > 10), "{sizes:?}: {:?}", pair.counts);
        assert!(pair.banks.iter().all(|n| *n > 1000), "{sizes:?}: {:?}", pair.banks);
        pair.d.check_verilog().unwrap();
    }
}

#[test]
fn branches_of_one_entry_in_every_cycle_match_golden() {
    for period in [1, 2, 3, 5] {
        for gap in [0, 1, 2] {
            let mut pair = Pair::new(SIZES[0]);
            pair.clear();
            for i in 0..300_u64 {
                // targets of one slot, and of two
                let target = if i % period == 0 { 0x2 } else { 0x10 << (i % 3) };
                let kind = if i % 7 == 0 { Indirect::CoSwap } else { Indirect::Jump };
                pair.step(Step::Indirect { kind, pc: 0x104, target, link: 0x10, same_upper: true });
                (0..gap).for_each(|_| pair.step(Step::None));
            }
            pair.d.check_verilog().unwrap();
        }
    }
}

#[test]
fn every_size_passes_the_static_gates() {
    for sizes in SIZES {
        let mut circuit = Targets::<32>::new(&sizes, BITS as usize - 1);
        emit_checked_system(&mut circuit).unwrap_or_else(|e| panic!("{sizes:?}: {e}"));
    }
}
