//! `hdl/src/scheme/tr/target/ras.rs` against `sim/src/scheme/tr/target/ras.rs`

use hdl::scheme::tr::target::ras::Ras;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::ras;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Effect of the instruction of one cycle on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    None,
    Push,
    Pop,
    Swap,
}
use Op::{None as Nop, Pop, Push, Swap};

struct Pair<const W: usize> {
    d: Driver<Ras<W>>,
    golden: ras::Ras,
    mask: u64,
    /// Target of the instruction that is now in S3, and whether it hits.
    due: (u64, bool),
    was: Vec<(Op, u64)>,
    hits: u64,
}

impl<const W: usize> Pair<W> {
    fn new(size: u8, address_bits: usize) -> Self {
        let d = Driver::new(Ras::new(size, address_bits), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mask = u64::MAX >> (64 - address_bits);
        let mut pair = Self { d, golden: ras::Ras::new(size), mask, due: (0, false), was: Vec::new(), hits: 0 };
        pair.empty();
        pair
    }

    /// Empties circuit and model.
    fn empty(&mut self) {
        // the position is cleared in any one of these cycles, or in none
        let at = self.was.len() % 50;
        for i in 0..40 {
            self.d.uut.clear.next = i == at;
            self.cycle(Nop, 0, false, (0, false), false);
        }
        self.d.uut.clear.next = false;
        self.golden.reset();
    }

    fn cycle(&mut self, op: Op, link: u64, live: bool, next_due: (u64, bool), check: bool) {
        let (target, due) = std::mem::replace(&mut self.due, next_due);
        let hit = self
            .d
            .cycle(
                |u| {
                    u.live.next = live;
                    u.push.next = matches!(op, Push | Swap);
                    u.pop.next = matches!(op, Pop | Swap);
                    u.link.next = link.to_bits();
                    u.target.next = target.to_bits();
                },
                |u| u.hit.val(),
            )
            .unwrap();
        if check && self.was.last().is_some_and(|(op, _)| matches!(op, Pop | Swap)) {
            assert_eq!(hit, due, "cycle {}: hit, target {target:#x}, after {:x?}", self.d.cycles(), self.was);
            self.hits += u64::from(hit);
        }
        self.was.push((op, link));
        if self.was.len() > 12 {
            self.was.remove(0);
        }
    }

    /// Runs one instruction, which goes where the stack predicts if `right`, else elsewhere.
    fn step(&mut self, op: Op, link: u64, right: bool) {
        let top = self.golden.peek();
        let target = match top {
            Some(t) if right => t,
            Some(t) => t ^ 1 << (t % 13),
            None => link ^ 2,
        };
        let due = (target, top == Some(target & self.mask));
        match op {
            Nop => {}
            Push => self.golden.push(link & self.mask),
            Pop => self.golden.pop(),
            Swap => {
                self.golden.pop();
                self.golden.push(link & self.mask);
            }
        }
        self.cycle(op, link, true, due, true);
    }
}

fn random<const W: usize>(size: u8, address_bits: usize, seed: u64, steps: u32) -> Pair<W> {
    let (mut pair, mut s) = (Pair::<W>::new(size, address_bits), Source::seeded(seed));
    let mut mix = [25; 4];
    for i in 0..steps {
        if i % 64 == 0 {
            // phases of calls, returns, swaps and idle cycles
            mix = *s.pick(&[[10, 60, 25, 5], [10, 25, 60, 5], [0, 30, 30, 40], [60, 20, 20, 0], [0, 50, 50, 0]]);
        }
        let x = s.below(100);
        let op = match () {
            () if x < mix[0] => Nop,
            () if x < mix[0] + mix[1] => Push,
            () if x < mix[0] + mix[1] + mix[2] => Pop,
            () => Swap,
        };
        let link = s.bits(address_bits as u32);
        pair.step(op, link, s.percent(90));
        if s.per_64k(20) {
            pair.empty();
        }
    }
    pair
}

#[test]
fn random_calls_and_returns_match_golden() {
    for (seed, size) in [8, 16, 32].into_iter().enumerate() {
        for bits in [31, 19] {
            let pair = random::<32>(size, bits, seed as u64, 20_000);
            assert!(pair.hits > 2_000, "{} hits are too few to trust this run", pair.hits);
            pair.d.check_verilog().unwrap();
        }
    }
    let pair = random::<64>(16, 63, 9, 4_000);
    assert!(pair.hits > 400);
    pair.d.check_verilog().unwrap();
}

#[test]
fn every_sequence_of_six_operations_matches_golden() {
    // on an empty, an almost empty and a full stack, with all combinations of neighbouring operations
    for fill in [0, 1, 3, 8, 9] {
        let mut pair = Pair::<32>::new(8, 31);
        for code in 0..4u32.pow(6) {
            pair.golden.reset();
            for _ in 0..8 {
                pair.cycle(Nop, 0, false, (0, false), false);
            }
            for i in 0..fill {
                pair.step(Push, 0x1000 + 2 * i, true);
            }
            for i in 0..6 {
                let op = [Nop, Push, Pop, Swap][(code >> (2 * i) & 3) as usize];
                pair.step(op, u64::from(code << 4 | i), true);
            }
            for _ in 0..3 {
                pair.step(Pop, 0, true);
            }
        }
    }
}

#[test]
fn overflow_overwrites_the_oldest_and_underflow_predicts_nothing() {
    for size in [8, 16, 32] {
        let mut pair = Pair::<32>::new(size, 31);
        let n = u64::from(size) + 3;
        (0..n).for_each(|i| pair.step(Push, 0x100 + i, true));
        (0..n + 2).for_each(|_| pair.step(Pop, 0x77, true));
        pair.step(Nop, 0, true);
        assert_eq!(pair.hits, u64::from(size));
        pair.step(Push, 0x55, true);
        pair.step(Pop, 0, true);
        pair.step(Pop, 0, true);
        pair.step(Nop, 0, true);
        assert_eq!(pair.hits, u64::from(size) + 1);
    }
}

#[test]
fn an_entry_popped_before_a_swap_never_comes_back() {
    let mut pair = Pair::<32>::new(8, 31);
    for (op, link) in [(Push, 0x10), (Push, 0x20), (Pop, 0), (Swap, 0x30), (Pop, 0)] {
        pair.step(op, link, true);
    }
    // the stack is empty now: pops pass all slots, including those of 0x20 and 0x30
    for target in [0x20; 12].into_iter().chain([0x30; 12]) {
        pair.cycle(Pop, 0, true, (target, false), true);
    }
    pair.step(Nop, 0, true);
    assert_eq!(pair.hits, 3);
}

#[test]
fn without_entries_nothing_hits() {
    let pair = random::<32>(0, 31, 3, 2_000);
    assert_eq!(pair.hits, 0);
    pair.d.check_verilog().unwrap();
}

#[test]
fn every_size_passes_the_static_gates() {
    for size in [0, 8, 16, 32] {
        emit_checked(&mut Ras::<32>::new(size, 31)).unwrap_or_else(|e| panic!("{size}: {e}"));
        emit_checked(&mut Ras::<64>::new(size, 50)).unwrap_or_else(|e| panic!("{size}: {e}"));
    }
}
