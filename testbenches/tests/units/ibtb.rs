//! `hdl/src/scheme/tr/target/ibtb.rs` against `sim/src/scheme/tr/target/ibtb.rs`

use hdl::scheme::tr::target::ibtb::Ibtb;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::ibtb;
use sim::scheme::tr::target::ras_ibtb::RasIbtbSizes;
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// The instruction in S2 in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Nop,
    /// A conditional branch with its outcome.
    Branch(bool),
    /// An indirect branch with a lookup.
    Look,
}
use Op::{Branch, Look, Nop};

fn sizes(ibtb: u8) -> RasIbtbSizes {
    RasIbtbSizes { ras: 0, ibtb }
}

struct Pair<const W: usize> {
    d: Driver<Ibtb<W>>,
    golden: ibtb::Ibtb,
    shift: u8,
    mask: u64,
    /// Target of the next instruction in S3.
    target: u64,
    /// Hits due in the next cycles; `None` without a lookup.
    due: VecDeque<Option<bool>>,
    was: VecDeque<(Op, u64, u64)>,
    hits: u64,
    misses: u64,
    steps: u32,
}

impl<const W: usize> Pair<W> {
    fn new(p: &RasIbtbSizes, shift: u8, address_bits: usize) -> Self {
        let mut pair = Self {
            d: Driver::new(Ibtb::new(p, address_bits), |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: ibtb::Ibtb::new(p.ibtb, shift),
            shift,
            mask: u64::MAX >> (64 - address_bits),
            target: 0,
            due: VecDeque::from([None, None]),
            was: VecDeque::new(),
            hits: 0,
            misses: 0,
            steps: 0,
        };
        pair.clear();
        pair
    }

    fn cycle(&mut self, op: Op, pc: u64, target: u64, sweep: Option<u64>) {
        let target_3 = std::mem::replace(&mut self.target, target);
        let hash = pc >> self.shift & 0x3fff;
        let hit = self
            .d
            .cycle(
                |u| {
                    u.live.next = sweep.is_none();
                    u.lookup.next = op == Look;
                    u.branch.next = matches!(op, Branch(_));
                    u.taken.next = op == Branch(true);
                    u.hash.next = hash.to_bits();
                    u.target.next = target_3.to_bits();
                    u.sweep.next = sweep.is_some();
                    u.index.next = sweep.unwrap_or(0).to_bits();
                },
                |u| u.hit.val(),
            )
            .unwrap();
        if let Some(due) = self.due.pop_front().flatten() {
            assert_eq!(hit, due, "cycle {}: hit, after {:x?}", self.d.cycles(), self.was);
            self.hits += u64::from(hit);
            self.misses += u64::from(!hit);
        }
        self.was.push_back((op, pc, target));
        if self.was.len() > 6 {
            self.was.pop_front();
        }
    }

    /// Invalidates all entries.
    fn clear(&mut self) {
        for i in [0, 0].into_iter().chain(0..32).chain([0]) {
            self.due.push_back(None);
            self.cycle(Nop, 0, 0, Some(i));
        }
        self.golden.reset();
    }

    fn step(&mut self, op: Op, pc: u64, target: u64) {
        let mut due = None;
        self.steps += 1;
        match op {
            Nop => {}
            Branch(taken) => self.golden.path(pc, taken),
            Look => {
                due = Some(self.golden.predict(pc) == Some(target & self.mask));
                self.golden.update(pc, target & self.mask);
            }
        }
        self.due.push_back(due);
        self.cycle(op, pc, target, None);
    }
}

fn random<const W: usize>(size: u8, shift: u8, address_bits: usize, seed: u64, steps: u32) -> Pair<W> {
    let (mut pair, mut s) = (Pair::<W>::new(&sizes(size), shift, address_bits), Source::seeded(seed));
    // loops of a few branches: the PIR returns to the same states, and entries hit, conflict and are replaced in both
    // ways; with some idle cycles and other targets
    while pair.steps < steps {
        let pcs: Vec<u64> = (0..4).map(|_| s.bits(19)).collect();
        let looks = *s.pick(&[100, 90, 50]);
        let script: Vec<_> = (0..s.between(1, 12))
            .map(|_| {
                let op = if s.percent(looks) { Look } else { Branch(s.percent(70)) };
                (op, *s.pick(&pcs), s.bits(W as u32) >> (W - address_bits))
            })
            .collect();
        let (idle, other) = (*s.pick(&[0, 0, 20]), *s.pick(&[0, 3, 30]));
        for _ in 0..s.between(2, 40) {
            for &(op, pc, target) in &script {
                if s.percent(idle) {
                    pair.step(Nop, pc, target);
                }
                pair.step(op, pc, target ^ u64::from(s.percent(other)));
            }
        }
        if s.percent(3) {
            pair.clear();
        }
    }
    pair
}

#[test]
fn random_branches_match_golden() {
    for (seed, size) in [16, 32, 64].into_iter().enumerate() {
        for (shift, bits) in [(1, 31), (0, 19), (4, 30)] {
            let pair = random::<32>(size, shift, bits, seed as u64, 15_000);
            assert!(pair.hits > 3_000 && pair.misses > 3_000, "{} hits, {} misses: too few", pair.hits, pair.misses);
            if shift == 1 {
                pair.d.check_verilog().unwrap();
            }
        }
    }
    let pair = random::<64>(16, 1, 63, 9, 3_000);
    assert!(pair.hits > 500);
    pair.d.check_verilog().unwrap();
}

/// Repeats a sequence of lookups whose tags and sets recur every `period` instructions, with `gap` idle cycles between;
/// with 0, an entry is used in the cycle after it was written.
fn tour(period: u64, gap: u32, size: u8) -> Pair<32> {
    let p = sizes(size);
    let mut pair = Pair::<32>::new(&p, 1, 31);
    let mut model = ibtb::Ibtb::new(p.ibtb, 1);
    for i in 0..600u64 {
        // the PC cancels the PIR, so that set and tag are those of a small number
        let wanted = i % period;
        let set_mask = u64::from(size) / 2 - 1;
        let (pir_low, pir_set) = (u64::from(model.pir()) & 0xff, u64::from(model.pir()) >> 8);
        let set = (pir_set ^ (wanted & 1)) & set_mask;
        let tag = pir_low ^ (wanted >> 1 & 0xff);
        let pc = (set | tag << 6) << 1;
        assert_eq!((model.index(pc) as u64, u64::from(model.tag(pc))), (wanted & 1 & set_mask, wanted >> 1));
        let target = 0x4000 + wanted * 8 + u64::from(i % 37 == 0);
        model.update(pc, target);
        pair.step(Look, pc, target);
        (0..gap).for_each(|_| pair.step(Nop, s_noise(i), 0x1234));
    }
    (0..3).for_each(|_| pair.step(Nop, 0, 0));
    pair
}

fn s_noise(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9) & 0x7fff
}

#[test]
fn look_ups_in_one_set_back_to_back_match_golden() {
    for size in [16, 32, 64] {
        for period in [1, 2, 3, 4, 5, 6] {
            for gap in [0, 1, 2] {
                let pair = tour(period, gap, size);
                // up to two tags in each of two sets stay; three in one set always evict each other
                assert_eq!(pair.hits > 400, period <= 4, "period {period}, gap {gap}: {} hits", pair.hits);
                if gap == 0 && size == 16 {
                    pair.d.check_verilog().unwrap();
                }
            }
        }
    }
}

#[test]
fn the_less_recently_used_way_is_replaced() {
    // tags 1, 2, 1 again, then 3: 2 is evicted and 1 stays, as the order of hits shows
    let p = sizes(16);
    for gap in [0, 1, 3] {
        let mut pair = Pair::<32>::new(&p, 1, 31);
        let mut pir = ibtb::Ibtb::new(p.ibtb, 1);
        let mut hits = Vec::new();
        for tag in [1, 2, 1, 3, 1, 2, 3, 3, 2] {
            let pc = (u64::from(pir.pir() >> 8) & 7 | (u64::from(pir.pir()) & 0xff ^ tag) << 6) << 1;
            hits.push(pair.golden.predict(pc) == Some(tag));
            pir.update(pc, tag);
            pair.step(Look, pc, tag);
            (0..gap).for_each(|_| pair.step(Nop, 0, 0));
        }
        assert_eq!(hits, [false, false, true, false, true, false, false, true, true]);
        (0..3).for_each(|_| pair.step(Nop, 0, 0));
        assert_eq!(pair.hits, 4);
    }
}

#[test]
fn without_entries_nothing_hits() {
    let mut pair = random::<32>(0, 1, 31, 3, 2_000);
    // reads of a memory that does not exist, twice in a row
    (0..8).for_each(|_| pair.step(Look, 0, 0));
    (0..3).for_each(|_| pair.step(Nop, 0, 0));
    assert_eq!(pair.hits, 0);
    pair.d.check_verilog().unwrap();
}

#[test]
fn every_size_passes_the_static_gates() {
    for size in [0, 16, 32, 64] {
        let p = sizes(size);
        emit_checked(&mut Ibtb::<32>::new(&p, 31)).unwrap_or_else(|e| panic!("{size}: {e}"));
        emit_checked(&mut Ibtb::<64>::new(&p, 50)).unwrap_or_else(|e| panic!("{size}: {e}"));
    }
}
