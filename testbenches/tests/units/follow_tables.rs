//! `hdl/src/scheme/follow/{tables,tagged,late_bimodal,folded}.rs` against `sim/src/scheme/follow/tables.rs`

use hdl::scheme::follow::tables::Tables;
use rust_hdl::prelude::*;
use sim::scheme::follow::hash::{address, History};
use sim::scheme::follow::tables;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked_system;

/// log2 counters, tagged tables, log2 entries: the named sets, and the largest.
const SIZES: [(u32, u8, u32); 5] = [(8, 1, 4), (8, 2, 5), (10, 3, 6), (8, 3, 3), (12, 3, 8)];

/// Inputs of one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    branch: bool,
    pc: u64,
    taken: bool,
    /// Bit of an indirect jump.
    jump: Option<bool>,
}

/// What is predicted in S4: outcome, class, and whether that was wrong.
type Said = (bool, u64, bool);

/// Circuit and model side by side.
struct Pair {
    d: Driver<Tables>,
    golden: tables::Tables,
    history: History,
    /// Predictions of the conditionals in S3 and S4.
    due: [Option<Said>; 2],
    size: (u32, u8, u32),
    /// How often each class was predicted, and wrong predictions.
    classes: [u64; 6],
    wrong: u64,
}

impl Pair {
    fn new(size: (u32, u8, u32)) -> Self {
        let circuit = Tables::new(size.0 as usize, size.1.into(), size.2 as usize);
        Self {
            d: Driver::new(circuit, |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: tables::Tables::new(size.0, size.1, size.2),
            history: History::default(),
            due: [None; 2],
            size,
            classes: [0; 6],
            wrong: 0,
        }
    }

    fn cycle(&mut self, s: Step, clear: bool, sweep: Option<u64>) -> Said {
        let bit = if s.branch { Some(s.taken) } else { s.jump };
        let recent = u64::from(self.history.0 & 0x3f_ffff);
        self.d
            .cycle(
                |u| {
                    u.branch.next = s.branch;
                    u.taken.next = s.taken;
                    u.pr.next = u64::from(address(s.pc) & 0xff_ffff).to_bits();
                    u.step.next = bit.is_some();
                    u.newest.next = bit.unwrap_or(s.taken);
                    u.recent.next = recent.to_bits();
                    u.clear.next = clear;
                    u.sweep.next = sweep.is_some();
                    u.at.next = sweep.unwrap_or(s.pc & 0xfff).to_bits();
                },
                |u| (u.says.val(), u.certainty.val().into(), u.wrong.val()),
            )
            .unwrap()
    }

    fn step(&mut self, s: Step) {
        let said = self.cycle(s, false, None);
        if let Some(due) = self.due[1] {
            assert_eq!(said, due, "{:?}, cycle {}: {s:x?}", self.size, self.d.cycles());
        }
        self.due = [None, self.due[0]];
        if s.branch {
            let found = self.golden.look_up(address(s.pc));
            self.golden.retire(found, s.taken);
            self.due[0] = Some((found.taken, found.class.into(), found.taken != s.taken));
            self.classes[usize::from(found.class)] += 1;
            self.wrong += u64::from(found.taken != s.taken);
        }
        if let Some(bit) = if s.branch { Some(s.taken) } else { s.jump } {
            self.golden.push(bit, self.history);
            self.history.push(bit);
        }
    }

    /// Clears the tables, with conditionals in the pipeline.
    fn clear(&mut self) {
        self.cycle(Step { branch: true, pc: 0x80, taken: true, jump: None }, true, None);
        for at in 0..1 << self.size.0 {
            self.cycle(Step::default(), false, Some(at));
        }
        self.golden.reset();
        self.history = History::default();
        self.due = [None; 2];
    }

    /// Random conditionals: few addresses, most of them with a pattern, some at random.
    fn run(&mut self, s: &mut Source, cycles: u64, density: u8) {
        let branches: Vec<(u64, u8)> =
            (0..40).map(|_| (s.bits(17) << 1, *s.pick(&[0, 5, 50, 95, 100, 200, 201]))).collect();
        for i in 0..cycles {
            let (pc, bias) = branches[if s.percent(40) { (i / 3 % 4) as usize } else { s.below(40) as usize }];
            let taken = match bias {
                200 => self.history.0 & 8 != 0,
                201 => (self.history.0 ^ self.history.0 >> 7) & 1 != 0,
                bias => s.percent(bias),
            };
            let jump = s.percent(10).then(|| s.percent(50));
            self.step(Step { branch: s.percent(density), pc, taken, jump });
        }
    }
}

#[test]
fn random_conditionals_match_golden() {
    for (seed, size) in SIZES.into_iter().enumerate() {
        let (mut pair, mut s) = (Pair::new(size), Source::seeded(seed as u64));
        pair.clear();
        for density in [100, 60, 100, 25] {
            pair.run(&mut s, 4_000, density);
        }
        pair.clear();
        pair.run(&mut s, 3_000, 100);
        assert!(pair.wrong > 1_000 && pair.classes.iter().all(|n| *n > 50), "{size:?}: {:?}", pair.classes);
        pair.d.check_verilog_from_random(seed as u32).unwrap();
    }
}

#[test]
fn conditionals_of_one_entry_in_every_cycle_match_golden() {
    // one address: every table is read, written and forwarded at the same place
    for period in [1, 2, 3, 5, 9, 17] {
        for gap in [0, 1, 2] {
            let mut pair = Pair::new((8, 3, 3));
            pair.clear();
            for i in 0..600_u64 {
                pair.step(Step { branch: true, pc: 0x104, taken: i % period == 0, jump: None });
                (0..gap).for_each(|_| pair.step(Step { pc: 0x104, ..Step::default() }));
            }
            pair.d.check_verilog().unwrap();
        }
    }
}

#[test]
fn every_size_passes_the_static_gates() {
    for (counters, tables, entries) in SIZES {
        let mut circuit = Tables::new(counters as usize, tables.into(), entries as usize);
        emit_checked_system(&mut circuit).unwrap_or_else(|e| panic!("{counters}, {tables}, {entries}: {e}"));
    }
}
