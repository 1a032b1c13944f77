//! `hdl/src/scheme/follow/arithmetic/{coder,probabilities}.rs` against `sim/src/scheme/follow/arithmetic/{encoder,probability}.rs`

use hdl::scheme::follow::arithmetic::coder::{ArithmeticCoder, DECISION, ESCAPE, FLUSH, PLAIN};
use rust_hdl::prelude::*;
use sim::scheme::follow::arithmetic::encoder::Encoder;
use sim::scheme::follow::arithmetic::probability::{Probabilities, Probability, START};
use sim::stimulus::{rounds, Source};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked_system;

/// A request.
#[derive(Clone, Copy, Debug)]
enum Request {
    Decision { context: Option<u8>, right: bool },
    Escape,
    Plain { data: u8, count: u8 },
    Flush,
}

/// Circuit, and the bytes of the model.
struct Pair {
    d: Driver<ArithmeticCoder>,
    golden: Encoder,
    probabilities: Probabilities,
    want: Vec<u8>,
    got: Vec<u8>,
    /// Decisions, and those that are not likely.
    decisions: [u64; 2],
}

impl Pair {
    fn new() -> Self {
        Self {
            d: Driver::new(ArithmeticCoder::new(), |u, c| u.clock.next = c.into()).unwrap().recording(),
            golden: Encoder::default(),
            probabilities: START,
            want: Vec::new(),
            got: Vec::new(),
            decisions: [0, 0],
        }
    }

    /// One cycle; returns whether the request was taken, and whether the coder is busy.
    fn cycle(&mut self, request: Option<Request>, taken: bool, (reset, clear): (bool, bool)) -> (bool, bool) {
        let (ready, busy, have, octet) = self
            .d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.clear.next = clear;
                    u.taken.next = taken;
                    u.valid.next = request.is_some();
                    let (mut kind, mut context, mut right, mut undecided) = (PLAIN, 0, false, false);
                    let (mut data, mut count) = (0, 0);
                    match request {
                        None => {}
                        Some(Request::Decision { context: of, right: answer }) => {
                            (kind, context, right, undecided) = (DECISION, of.unwrap_or(9), answer, of.is_none());
                        }
                        Some(Request::Escape) => kind = ESCAPE,
                        Some(Request::Plain { data: bits, count: n }) => (data, count) = (bits, n),
                        Some(Request::Flush) => kind = FLUSH,
                    }
                    u.kind.next = u64::from(kind).to_bits();
                    if kind == DECISION {
                        data = context | u8::from(right) << 6 | u8::from(undecided) << 7;
                    }
                    u.data.next = u64::from(data).to_bits();
                    u.count.next = u64::from(count).to_bits();
                },
                |u| {
                    let octet: u64 = u.octet.val().into();
                    (u.ready.val(), u.busy.val(), u.have.val(), octet as u8)
                },
            )
            .unwrap();
        if have && taken {
            self.got.push(octet);
        }
        (request.is_some() && ready, busy)
    }

    /// Sends a request to both; `percent` of the cycles take a byte.
    fn send(&mut self, s: &mut Source, request: Request, percent: u8) {
        match request {
            Request::Decision { context, right } => {
                let mut undecided = Probability::default();
                let probability = context.map_or(&mut undecided, |c| &mut self.probabilities[usize::from(c)]);
                let likely = self.golden.decide(probability, right);
                self.decisions[usize::from(!likely)] += 1;
            }
            Request::Escape => self.golden.escape(),
            Request::Plain { data, count } => (0..count).for_each(|i| self.golden.plain(data >> i & 1 == 1)),
            Request::Flush => self.golden.flush(),
        }
        self.want.extend(self.golden.words().flat_map(u32::to_le_bytes));
        for cycle in 0.. {
            assert!(cycle < 400, "{request:?} is not taken");
            if self.cycle(Some(request), s.percent(percent), (false, false)).0 {
                break;
            }
        }
    }

    /// Ends the code, and compares all bytes since the last time.
    fn compare(&mut self, s: &mut Source) {
        self.send(s, Request::Flush, 100);
        while self.cycle(None, true, (false, false)).1 {}
        assert_eq!(self.got, self.want, "cycle {}", self.d.cycles());
        (self.got, self.want) = (Vec::new(), Vec::new());
    }

    fn clear(&mut self) {
        self.cycle(None, true, (false, true));
        self.probabilities = START;
    }

    /// Random requests: context n is wrong once in 2^(n / 8) decisions, or mostly.
    fn run(&mut self, s: &mut Source, requests: u64, percent: u8) {
        for _ in 0..requests {
            let request = match s.below(100) {
                0 => Request::Flush,
                1..3 => Request::Escape,
                3..10 => {
                    let count = 1 + s.below(8) as u8;
                    let ones = s.percent(30);
                    Request::Plain { data: if ones { 0xff } else { s.bits(8) as u8 } & (0xff >> (8 - count)), count }
                }
                10..15 => Request::Decision { context: None, right: s.percent(50) },
                _ => {
                    let context = s.below(64) as u8;
                    let right = (s.bits(u32::from(context) / 8) != 0) ^ (context % 2 == 0);
                    Request::Decision { context: Some(context), right }
                }
            };
            self.send(s, request, percent);
            while s.percent(5) {
                self.cycle(None, s.percent(percent), (false, false));
            }
        }
        self.compare(s);
    }
}

#[test]
fn random_requests_become_the_bytes_of_the_model() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(41));
    for percent in [100, 50, 10] {
        pair.run(&mut s, rounds(2_500, 40_000), percent);
        // decisions wait until all are cleared
        pair.clear();
        // the one that is cleared last
        pair.send(&mut s, Request::Decision { context: Some(63), right: false }, percent);
        pair.run(&mut s, 400, percent);
        // a reset in the middle of a code
        pair.send(&mut s, Request::Escape, 100);
        pair.send(&mut s, Request::Plain { data: 0xff, count: 8 }, 100);
        pair.cycle(None, false, (true, false));
        (pair.golden, pair.probabilities) = (Encoder::default(), START);
        (pair.got, pair.want) = (Vec::new(), Vec::new());
    }
    assert!(pair.decisions.iter().all(|n| *n > 1_000), "{:?}", pair.decisions);
    pair.d.check_verilog_from_random(3).unwrap();
}

/// Bytes of all ones before a carry, and after one.
#[test]
fn carries_go_through_runs_of_ones() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(42));
    let mut ones = 0;
    for round in 0..60 {
        for _ in 0..round % 12 {
            pair.send(&mut s, Request::Decision { context: None, right: round % 2 == 0 }, 100);
        }
        pair.send(&mut s, Request::Escape, 100);
        for _ in 0..5 + round % 7 {
            pair.send(&mut s, Request::Plain { data: 0xff, count: 8 }, 100);
        }
        for _ in 0..12 {
            pair.send(&mut s, Request::Decision { context: None, right: false }, 100);
        }
        pair.send(&mut s, Request::Plain { data: 0x7f, count: 7 }, 100);
        ones += pair.want.iter().filter(|b| **b == 0xff).count();
        pair.compare(&mut s);
    }
    assert!(ones > 60, "{ones}");
    pair.d.check_verilog().unwrap();
}

/// All of them likely, in one context: a cycle each, and one more for each doubling and each byte.
#[test]
fn a_likely_decision_takes_one_cycle() {
    let (mut pair, mut s) = (Pair::new(), Source::seeded(43));
    // at power-up, probabilities are cleared
    (0..64).for_each(|_| _ = pair.cycle(None, true, (false, false)));
    let (before, decisions) = (pair.d.cycles(), rounds(3_000, 70_000));
    for _ in 0..decisions {
        pair.send(&mut s, Request::Decision { context: Some(7), right: true }, 100);
    }
    let cycles = pair.d.cycles() - before;
    assert!(cycles < decisions + 160, "{cycles}");
    pair.compare(&mut s);
    pair.d.check_verilog().unwrap();
}

#[test]
fn it_passes_the_static_gates() {
    emit_checked_system(&mut ArithmeticCoder::new()).unwrap();
}
