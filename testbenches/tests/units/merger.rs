//! `hdl/src/spine/merger.rs` against a queue

use hdl::spine::merger::Merger;
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn params(cores: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| p.cores = cores)
}

/// The merger, and the order that it must keep.
struct Bench {
    d: Driver<Merger>,
    order: VecDeque<u8>,
    /// Entries in each FIFO.
    held: Vec<u64>,
    /// Cycles since the queue became non-empty.
    waits: u32,
    place: String,
    taken: u64,
}

impl Bench {
    fn new(cores: u8, log2_depth: usize) -> Self {
        let merger = Merger::new(&params(cores), log2_depth);
        let d = Driver::new(merger, |u, c| u.clock.next = c.into()).unwrap().recording();
        let place = format!("{cores} cores, depth 2^{log2_depth}");
        Self { d, order: VecDeque::new(), held: vec![0; cores.into()], waits: 0, place, taken: 0 }
    }

    /// Runs one cycle: the cores in `pushes` push, and the encoder takes what is shown if it is `eager`.
    fn cycle(&mut self, pushes: u64, eager: bool, reset: bool) {
        let have = (0..self.held.len()).fold(0, |m, i| m | u64::from(self.held[i] > 0) << i);
        self.d.uut.reset.next = reset;
        self.d.uut.pushes.next = pushes.to_bits();
        self.d.uut.have.next = have.to_bits();
        self.d.uut.done.next = false;
        self.d.settle().unwrap();
        let show = self.d.uut.show.val();
        let done = show && eager;
        let (core, empty) =
            self.d.cycle(|u| u.done.next = done, |u| (u.core.val().index() as u8, u.empty.val())).unwrap();
        let place = format!("{}, cycle {}", self.place, self.d.cycles());
        if show {
            assert_eq!(Some(&core), self.order.front(), "{place}: whose turn it is");
        }
        if self.held.len() > 1 {
            assert!(!empty || self.order.is_empty(), "{place}: empty, with {:?} to come", self.order);
        }
        // a note is processed three cycles after it was made, but there is no idle cycle between notes
        self.waits = if show || self.order.is_empty() { 0 } else { self.waits + 1 };
        assert!(self.waits <= 2, "{place}: {:?} waits", self.order.front());
        if done {
            self.order.pop_front();
            self.held[usize::from(core)] -= 1;
            self.taken += 1;
        }
        for i in (0..self.held.len()).filter(|i| pushes >> i & 1 == 1) {
            self.order.push_back(i as u8);
            self.held[i] += 1;
        }
        if reset {
            self.order.clear();
            self.held.fill(0);
        }
    }

    /// Cores with at least one free entry.
    fn with_space(&self, depth: u64) -> u64 {
        (0..self.held.len()).fold(0, |m, i| m | u64::from(self.held[i] < depth) << i)
    }
}

#[test]
fn random_pushes_come_in_order_for_every_number_of_cores() {
    for cores in 1..=8 {
        let log2_depth = 3 + usize::from(cores) % 4;
        let mut b = Bench::new(cores, log2_depth);
        let mut s = Source::seeded(cores.into());
        let depth = (1 << log2_depth) - 1;
        for phase in [(30, 100), (5, 60), (100, 20), (0, 100), (60, 30), (2, 100)] {
            for _ in 0..1_500 {
                let pushes = (0..cores).fold(0, |m, i| m | u64::from(s.percent(phase.0)) << i);
                let (eager, reset) = (s.percent(phase.1), s.per_64k(20));
                b.cycle(pushes & b.with_space(depth), eager, reset);
            }
        }
        assert!(b.taken > 1_000, "{cores} cores: {} entries", b.taken);
        b.d.check_verilog_from_random(u32::from(cores)).unwrap();
    }
}

#[test]
fn full_fifos_of_all_cores_lose_no_note() {
    let mut b = Bench::new(4, 3);
    for _ in 0..7 {
        b.cycle(0xf, false, false);
    }
    assert_eq!(b.with_space(7), 0);
    for _ in 0..200 {
        b.cycle(0, true, false);
    }
    assert!(b.order.is_empty() && b.taken == 28);
    // one core after another, one push per note
    for i in 0..28 {
        b.cycle(1 << (i % 4), false, false);
    }
    for _ in 0..200 {
        b.cycle(0, true, false);
    }
    assert_eq!(b.taken, 56);
    b.d.check_verilog().unwrap();
}

#[test]
fn mergers_pass_the_static_gates() {
    for cores in [1, 2, 8, 16] {
        emit_checked(&mut Merger::new(&params(cores), 8)).unwrap();
    }
}
