//! `hdl/src/diag/node/{aggregate,count,filter,histogram,log,machine,pair}.rs` and `hdl/src/diag/rules.rs` against the golden nodes
//!
//! Random rules, written as registers; random events, flushes, resets and new settings; results are accepted in random
//! cycles. A node sends the results of `sim::diag::node`, one by one, and is done when all are sent.

use crate::diag_harness::{check_verilog, random_event, result, set_event, set_write, shuffled};
use hdl::diag::node::{
    aggregate::Aggregate, count::Count, filter::Filter, histogram::Histogram, log::Log, machine::Machine, pair::Pair,
};
use hdl::sweep::Ports;
use sim::diag::node::filter::{Compare, Term};
use sim::diag::node::machine::{Class, Step, Table};
use sim::diag::node::{aggregate, count, filter, histogram, log, machine, pair, Field, Node, Outbox, Target};
use sim::diag::packet::{Event, HOST};
use sim::diag::registers::{self, Writes, CONTROL, RECORDS};
use sim::stimulus::{long, rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// Inputs of one cycle.
#[derive(Clone, Copy, Default)]
struct Inputs {
    reset: bool,
    write: Option<(u16, u16)>,
    event: Option<(Event, bool)>,
    ready: bool,
    noise: u64,
}

/// A node circuit of any kind.
trait NodeBlock: Ports + Sized {
    fn clock(&mut self, high: bool);
    fn drive(&mut self, i: &Inputs);
    fn look(&self) -> (bool, Option<(u8, Event)>);
}

macro_rules! node_block {
    ($($node:ty)*) => { $(
        impl NodeBlock for $node {
            fn clock(&mut self, high: bool) {
                self.clock.next = high.into();
            }
            fn drive(&mut self, i: &Inputs) {
                self.reset.next = i.reset;
                set_write(&mut self.write, i.write, i.noise);
                set_event(&mut self.event, i.event);
                self.result.ready.next = i.ready;
            }
            fn look(&self) -> (bool, Option<(u8, Event)>) {
                (self.event.ready.val(), result(&self.result))
            }
        }
    )* };
}
node_block! { Aggregate Count Filter Histogram Log Machine Pair }

/// Totals of a run: results of events and of flushes.
type Sums = [u64; 2];

struct Bench<T: NodeBlock> {
    d: Driver<T>,
    s: Source,
    expected: VecDeque<(u8, Event)>,
    sums: Sums,
    /// Results that are the unchanged event.
    passed: usize,
}

impl<T: NodeBlock> Bench<T> {
    fn new(node: T, seed: u64) -> Self {
        let d = Driver::new(node, T::clock).unwrap().recording();
        let mut bench = Self { d, s: Source::seeded(seed), expected: VecDeque::new(), sums: [0; 2], passed: 0 };
        bench.clock(&Inputs { reset: true, ..Inputs::default() });
        bench
    }

    /// Runs one cycle; returns whether the event is done.
    fn clock(&mut self, i: &Inputs) -> bool {
        let i = Inputs { noise: self.s.bits(32), ..*i };
        let (done, found) = self.d.cycle(|u| u.drive(&i), |u| u.look()).unwrap();
        if let (Some(found), true) = (found, i.ready && !i.reset) {
            assert_eq!(Some(found), self.expected.pop_front(), "cycle {}: a result", self.d.cycles());
        }
        done && i.event.is_some()
    }

    fn write(&mut self, writes: &Writes) {
        for w in writes {
            let ready = self.s.percent(50);
            self.clock(&Inputs { write: Some(*w), ready, ..Inputs::default() });
            if self.s.percent(10) {
                self.clock(&Inputs::default());
            }
        }
    }

    /// Runs an event or a flush to its end, with results accepted in `takes` of 100 cycles. Returns false if there was
    /// a reset before.
    fn event(&mut self, golden: &mut Node, event: Option<Event>, takes: u8, resets: u16) -> bool {
        let mut out = Outbox::new();
        match &event {
            Some(e) => golden.take(e, &mut out),
            None => golden.flush(&mut out),
        }
        self.sums[usize::from(event.is_none())] += out.len() as u64;
        self.passed += out.iter().filter(|o| o.0 == HOST && Some(o.1) == event).count();
        self.expected.extend(out);
        for _ in 0..100_000 {
            let reset = self.s.per_64k(resets);
            let ready = self.s.percent(takes);
            let input =
                Inputs { reset, event: Some((event.unwrap_or_default(), event.is_none())), ready, ..Inputs::default() };
            let done = self.clock(&input);
            if reset {
                self.expected.clear();
                return false;
            }
            if done {
                assert!(self.expected.is_empty(), "cycle {}: done, but {:?}", self.d.cycles(), self.expected);
                return true;
            }
        }
        panic!("cycle {}: an event is never done with", self.d.cycles());
    }

    /// Plays events, flushes, settings and resets. `settings` creates rules, and golden nodes with and without them.
    fn run(
        &mut self,
        events: usize,
        ids: u64,
        takes: u8,
        mut settings: impl FnMut(&mut Source) -> (Writes, Node, Node),
    ) {
        let (mut golden, mut left) = (settings(&mut self.s).2, 0);
        for _ in 0..events {
            if left == 0 || self.s.per_64k(100) {
                let (writes, set, empty) = settings(&mut self.s);
                let writes = shuffled(&mut self.s, writes);
                self.write(&writes);
                (golden, left) = (set, self.s.between(1, 400));
                if self.s.percent(10) {
                    self.write(&vec![(CONTROL, 0x0300)]);
                    (golden, left) = (empty, 3);
                }
            }
            left -= 1;
            for _ in 0..self.s.below(3) {
                let ready = self.s.percent(50);
                self.clock(&Inputs { ready, ..Inputs::default() });
            }
            let event = (!self.s.percent(2)).then(|| random_event(&mut self.s, ids));
            if !self.event(&mut golden, event, takes, 6) {
                (golden, left) = (settings(&mut self.s).2, 0);
            }
        }
    }
}

fn target(s: &mut Source) -> Target {
    Target { dest: s.bits(6) as u8, id: s.bits(8) as u8 }
}

fn field(s: &mut Source) -> Field {
    match s.below(6) {
        0 => Field::Core,
        1 => Field::Const(s.bits(32) as u32),
        _ => Field::Arg(s.below(9) as u8),
    }
}

#[test]
fn counters_do_what_the_golden_counters_do() {
    let mut sums = [0; 2];
    for (log2, most, takes) in [(6, 20, 50), (1, u32::MAX, 100), (5, 3, 10), (7, 7, 90)] {
        let mut bench = Bench::new(Count::new(log2, most), u64::from(most));
        let counters = 1_u8 << log2;
        bench.run(rounds(700, 5_000), 6, takes, |s| {
            let empty = count::Count::with_limit(counters, most);
            let (mut set, mut rules) = (empty.clone(), Vec::new());
            for _ in 0..s.below(17) {
                let rule = count::Rule {
                    event: s.below(6) as u8,
                    first: s.below(counters.into()) as u8,
                    by_core: s.percent(40),
                    threshold: if s.percent(50) { 0 } else { s.below(9) as u32 },
                    to: target(s),
                };
                if set.add(rule).is_ok() {
                    rules.push(rule);
                }
            }
            (registers::count(&rules), Node::Count(set), Node::Count(empty))
        });
        sums = [sums[0] + bench.sums[0], sums[1] + bench.sums[1]];
        if log2 == 6 || long() {
            check_verilog(&bench.d, log2 as u32);
        }
    }
    assert!(sums.iter().all(|n| *n > 50), "{sums:?}");
}

#[test]
fn aggregates_do_what_the_golden_aggregates_do() {
    let mut sums = [0; 2];
    for (log2, most, sum_bits, takes) in [(4, 9, 34, 50), (1, u32::MAX, 48, 100), (8, u32::MAX, 48, 90), (2, 3, 33, 10)]
    {
        let mut bench = Bench::new(Aggregate::new(log2, most, sum_bits), u64::from(sum_bits));
        bench.run(if log2 == 8 { 60 } else { 300 }, 4, takes, |s| {
            let empty = aggregate::Aggregate::with_limits(1 << log2, most, sum_bits);
            let (mut set, mut rules) = (empty.clone(), Vec::new());
            for _ in 0..s.below(6) {
                let rule = aggregate::Rule { event: s.below(4) as u8, key: field(s), value: field(s), to: target(s) };
                set.add(rule).unwrap();
                rules.push(rule);
            }
            (registers::aggregate(&rules), Node::Aggregate(set), Node::Aggregate(empty))
        });
        sums = [sums[0] + bench.sums[0], sums[1] + bench.sums[1]];
        if log2 == 4 || long() {
            check_verilog(&bench.d, sum_bits);
        }
    }
    assert!(sums.iter().all(|n| *n > 50), "{sums:?}");
}

#[test]
fn machines_do_what_the_golden_machines_do() {
    let mut bench = Bench::new(Machine::new(), 7);
    for (takes, keyed) in [(100, 0), (50, 50), (10, 50), (80, 100)] {
        bench.run(800, 8, takes, |s| {
            let (states, classes, by_key) = (s.between(1, 16), s.between(1, 16), s.percent(keyed));
            // few keys, or more than there are entries
            let key = if by_key && s.percent(60) { Some(*s.pick(&[Field::Arg(0), Field::Core])) } else { None };
            let class = |s: &mut Source| Class { event: s.below(8) as u8, key: key.unwrap_or_else(|| field(s)) };
            let step = |s: &mut Source| Step { next: s.below(states) as u8, own: s.percent(50), report: s.percent(30) };
            let row = |s: &mut Source| (0..classes).map(|_| [step(s), step(s)]).collect();
            let table = Table {
                classes: (0..classes).map(|_| class(s)).collect(),
                steps: (0..states).map(|_| row(s)).collect(),
                to: target(s),
                by_key,
            };
            let (empty, mut set) = (machine::Machine::new(16), machine::Machine::new(16));
            set.set(table.clone()).unwrap();
            (registers::machine(&table), Node::Machine(set), Node::Machine(empty))
        });
    }
    assert!(bench.sums[0] > 300, "{:?}", bench.sums);
    // events whose key found no entry
    assert!(bench.passed > 100, "{}", bench.passed);
    check_verilog(&bench.d, 7);
}

#[test]
fn filters_do_what_the_golden_filters_do() {
    let mut bench = Bench::new(Filter::new(), 8);
    for takes in [100, 30] {
        bench.run(700, 4, takes, |s| {
            let empty = filter::Filter::new(8);
            let (mut set, mut rules) = (empty.clone(), Vec::new());
            for _ in 0..s.below(9) {
                let compare = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
                let mask = |s: &mut Source| if s.percent(70) { u32::MAX } else { s.bits(32) as u32 };
                let term = |s: &mut Source| Term {
                    field: field(s),
                    mask: mask(s),
                    compare: *s.pick(&compare),
                    with: if s.percent(80) { s.below(4) as u32 } else { s.bits(32) as u32 },
                };
                let rule = filter::Rule {
                    event: s.below(4) as u8,
                    terms: (0..s.below(5)).map(|_| term(s)).collect(),
                    any: s.percent(50),
                    one_in: if s.percent(50) { s.below(2) as u32 } else { s.below(5) as u32 },
                    first: if s.percent(50) { 0 } else { s.below(9) as u32 },
                    to: target(s),
                };
                set.add(rule.clone()).unwrap();
                rules.push(rule);
            }
            (registers::filter(&rules), Node::Filter(set), Node::Filter(empty))
        });
    }
    assert!(bench.sums[0] > 200, "{:?}", bench.sums);
    check_verilog(&bench.d, 8);
}

#[test]
fn histograms_do_what_the_golden_histograms_do() {
    let mut sums = [0; 2];
    for (log2, most, takes) in [(1, 3, 60), (3, u32::MAX, 100)] {
        let mut bench = Bench::new(Histogram::new(log2, most), 9);
        bench.run(200, 4, takes, |s| {
            let empty = histogram::Histogram::with_limit(1 << log2, most);
            let (mut set, mut rules) = (empty.clone(), Vec::new());
            for _ in 0..s.below(5) {
                let rule = histogram::Rule { event: s.below(4) as u8, key: field(s), value: field(s), to: target(s) };
                set.add(rule).unwrap();
                rules.push(rule);
            }
            (registers::histogram(&rules), Node::Histogram(set), Node::Histogram(empty))
        });
        sums = [sums[0] + bench.sums[0], sums[1] + bench.sums[1]];
        if log2 == 1 || long() {
            check_verilog(&bench.d, 9);
        }
    }
    assert!(sums.iter().all(|n| *n > 10), "{sums:?}");
}

#[test]
fn pairs_do_what_the_golden_pairs_do() {
    let mut sums = [0; 2];
    for (log2, takes) in [(2, 60), (4, 100)] {
        let mut bench = Bench::new(Pair::new(log2), 10);
        bench.run(900, 4, takes, |s| {
            let empty = pair::Pair::new(1 << log2);
            let (mut set, mut rules) = (empty.clone(), Vec::new());
            for _ in 0..s.below(5) {
                let side = |s: &mut Source| (s.below(4) as u8, if s.percent(70) { Field::Arg(0) } else { field(s) });
                let rule = pair::Rule { first: side(s), second: side(s), to: target(s) };
                set.add(rule).unwrap();
                rules.push(rule);
            }
            (registers::pair(&rules), Node::Pair(set), Node::Pair(empty))
        });
        sums[0] += bench.sums[0];
        if log2 == 2 || long() {
            check_verilog(&bench.d, 10);
        }
    }
    assert!(sums[0] > 100, "{sums:?}");
}

#[test]
fn logs_do_what_the_golden_logs_do() {
    let mut sums = [0; 2];
    for (log2, takes) in [(2, 60), (5, 100), (1, 20)] {
        let mut bench = Bench::new(Log::new(log2), log2 as u64);
        // triggers are rare in a large log
        let ids = if log2 == 5 { 12 } else { 4 };
        bench.run(if log2 == 5 { 400 } else { 600 }, ids, takes, |s| {
            let empty = log::Log::new(1 << log2);
            let rule = log::Rule { trigger: s.below(ids) as u8, to: target(s), freezes: s.percent(50) };
            let mut set = empty.clone();
            set.set(rule);
            (registers::log(&rule), Node::Log(set), Node::Log(empty))
        });
        sums = [sums[0] + bench.sums[0], sums[1] + bench.sums[1]];
        if log2 == 2 || long() {
            check_verilog(&bench.d, 11);
        }
    }
    assert!(sums[0] > 500 && sums[1] > 10, "{sums:?}");
}

#[test]
fn a_register_freezes_a_log() {
    let mut bench = Bench::new(Log::new(3), 12);
    let rule = log::Rule { trigger: 9, to: Target { dest: 63, id: 200 }, freezes: true };
    let mut golden = log::Log::new(8);
    golden.set(rule);
    bench.write(&registers::log(&rule));
    let mut node = Node::Log(golden);
    for round in 0..3 {
        for id in [1, 2, 3 + round] {
            bench.event(&mut node, Some(Event { id, core: round, ..Event::default() }), 100, 0);
        }
        bench.write(&vec![(RECORDS, 0x6009)]);
        if let Node::Log(log) = &mut node {
            log.freeze();
        }
        // later events are not stored
        bench.event(&mut node, Some(Event { id: 7, ..Event::default() }), 100, 0);
        bench.event(&mut node, None, 50, 0);
    }
    assert_eq!(bench.sums, [0, 9]);
}

#[test]
fn nodes_pass_the_static_gates() {
    emit_checked(&mut Aggregate::new(8, u32::MAX, 48)).unwrap();
    emit_checked(&mut Count::new(6, u32::MAX)).unwrap();
    emit_checked(&mut Log::new(5)).unwrap();
    emit_checked(&mut Machine::new()).unwrap();
    emit_checked(&mut Filter::new()).unwrap();
    emit_checked(&mut Histogram::new(2, u32::MAX)).unwrap();
    emit_checked(&mut Pair::new(4)).unwrap();
}
