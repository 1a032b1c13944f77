//! `hdl/src/diag/port.rs` against the golden network interface
//!
//! Random packets, complete, malformed and of every operation, come word by word with gaps; the node is slow and sends
//! results of its own; the ring accepts words in random cycles. Requests to the node, register writes and every
//! outgoing packet match `sim::diag::interface`.

use crate::diag_harness::{check_verilog, random_event};
use hdl::diag::port::Port;
use rust_hdl::prelude::*;
use sim::diag::interface::{Interface, Request};
use sim::diag::packet::{Args, Event, Op, Packet, BROADCAST, HOST};
use sim::stimulus::{long, rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

const ADDRESS: u8 = 17;
const REGISTERS: [u16; 2] = [5, 0x1234];

/// A packet as it arrives; some are malformed.
fn packet(s: &mut Source) -> Vec<u16> {
    let src = *s.pick(&[HOST, 3, 40]);
    let data = |s: &mut Source, n: u64| (0..n).map(|_| s.bits(16) as u16).collect::<Vec<_>>();
    let mut words = match s.below(10) {
        0..=3 => {
            let mut e = random_event(s, 256);
            e.lost = if s.percent(50) { 0 } else { s.bits(16) as u16 };
            if e.words() > 16 {
                e.lost = 0;
            }
            Packet::event(src, ADDRESS, e).to_words()
        }
        4 => {
            let (first, n) = (s.below(4) as u16, s.below(4) as u16);
            Packet::control(src, ADDRESS, Op::Read, first, &[n]).to_words()
        }
        5 | 6 => {
            let n = s.below(15);
            let addr = match s.below(3) {
                0 => s.below(5) as u16,
                1 => 0xffe,
                _ => s.bits(12) as u16,
            };
            Packet::control(src, ADDRESS, Op::Write, addr, &data(s, n)).to_words()
        }
        7 => {
            let n = s.below(3);
            Packet::control(src, BROADCAST, Op::Flush, s.bits(12) as u16, &data(s, n)).to_words()
        }
        _ => {
            // any words at all
            let len = s.between(2, 16);
            let mut words = data(s, len);
            words[0] = (len as u16 - 2) << 12 | words[0] & 0xfff;
            words
        }
    };
    if s.percent(5) && words.len() > 2 {
        words.pop();
        words[0] -= 0x1000;
    }
    words
}

struct Bench {
    d: Driver<Port>,
    s: Source,
    golden: Interface,
    node: bool,
    /// Words still to come of the packet that was put last.
    came: VecDeque<u16>,
    whole: Vec<u16>,
    /// The request to the node, and its results.
    asked: Option<Request>,
    /// Whether the node has seen the request.
    begun: bool,
    results: VecDeque<(u8, Event)>,
    to_write: VecDeque<(u16, u16)>,
    expected: VecDeque<Vec<u16>>,
    sent: Vec<u16>,
    counts: [u64; 8],
    /// Whether the result at the input yields to others; it may be lost if it does.
    yields: bool,
}

impl Bench {
    fn new(node: bool, seed: u64) -> Self {
        let d = Driver::new(Port::new(REGISTERS, node), |u, c| u.clock.next = c.into()).unwrap().recording();
        Self {
            d,
            s: Source::seeded(seed),
            golden: Interface::new(ADDRESS, REGISTERS, node),
            node,
            came: VecDeque::new(),
            whole: Vec::new(),
            asked: None,
            begun: false,
            results: VecDeque::new(),
            to_write: VecDeque::new(),
            expected: VecDeque::new(),
            sent: Vec::new(),
            counts: [0; 8],
            yields: false,
        }
    }

    fn forget(&mut self) {
        self.golden = Interface::new(ADDRESS, REGISTERS, self.node);
        (self.asked, self.begun, self.results, self.expected) = Default::default();
        (self.came, self.to_write, self.sent, self.whole) = Default::default();
    }

    fn clock(&mut self, reset: bool, percent: [u8; 3]) {
        let [come, work, take] = percent.map(|p| self.s.percent(p));
        if self.came.is_empty() && self.whole.is_empty() && come {
            self.whole = packet(&mut self.s);
            self.came = self.whole.clone().into();
        }
        let word = self.came.front().copied().filter(|_| come);
        // a generator has results at any time, a node only those of its request
        if !self.node && self.results.is_empty() && work {
            let mut e = random_event(&mut self.s, 256);
            e.lost = if self.s.percent(80) { 0 } else { self.s.bits(16) as u16 };
            self.results.push_back((self.s.bits(6) as u8, e));
            self.yields = self.s.percent(50);
        }
        // the queue has no room for a long time
        let (room, waits) = (self.s.percent(if self.counts[6] % 64 < 32 { 90 } else { 2 }), self.s.percent(50));
        let asked = self.begun && matches!(self.asked, Some(Request::Event(_) | Request::Flush(_)));
        let shown = self.results.front().copied().filter(|_| !self.node || asked);
        let done = asked && self.results.is_empty() && work;
        let noise = self.s.bits(16) as u16;
        let yields = self.yields && !self.node;
        let (ready, (put, to_queue, drops), event, write, taken) = self
            .d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.got.valid.next = word.is_some();
                    u.got.word.next = u64::from(word.unwrap_or(noise)).to_bits();
                    u.put.ready.next = take;
                    u.event.ready.next = done;
                    (u.yields.next, u.room.next, u.waits.next) = (yields, room, waits);
                    let (dest, e) = shown.unwrap_or_default();
                    let arg = |n: usize| u64::from(e.args.get(n).copied().unwrap_or(0)).to_bits::<32>();
                    let r = &mut u.result;
                    r.valid.next = shown.is_some();
                    r.dest.next = u64::from(dest).to_bits();
                    r.id.next = u64::from(e.id).to_bits();
                    r.core.next = u64::from(e.core).to_bits();
                    r.lost.next = u64::from(e.lost).to_bits();
                    r.stamped.next = e.time.is_some();
                    r.stamp.next = u64::from(e.time.unwrap_or(0)).to_bits();
                    r.count.next = (e.args.len() as u64).to_bits();
                    r.a0.next = arg(0);
                    r.a1.next = arg(1);
                    r.a2.next = arg(2);
                    r.a3.next = arg(3);
                    r.a4.next = arg(4);
                    r.a5.next = arg(5);
                },
                |u| {
                    let e = &u.event;
                    let count = e.count.val().to_u64() as usize;
                    let args = [e.a0.val(), e.a1.val(), e.a2.val(), e.a3.val(), e.a4.val(), e.a5.val()];
                    let words: Vec<u32> = args.iter().map(|a| a.to_u64() as u32).collect();
                    let event = e.valid.val().then(|| {
                        let flush = e.flush.val();
                        assert!(flush || words[count..].iter().all(|w| *w == 0), "arguments behind the last are 0");
                        let event = Event {
                            id: e.id.val().to_u64() as u8,
                            core: e.core.val().to_u64() as u8,
                            time: e.stamped.val().then(|| e.stamp.val().to_u64() as u32),
                            args: if flush { Args::default() } else { Args::of(&words[..count]) },
                            ..Event::default()
                        };
                        (event, flush)
                    });
                    let w = &u.write;
                    let write = w.we.val().then(|| (w.addr.val().to_u64() as u16, w.data.val().to_u64() as u16));
                    let put = u.put.valid.val().then(|| u.put.word.val().to_u64() as u16);
                    let put = (put, u.to_queue.val(), u.drops.val());
                    (u.got.ready.val(), put, event, write, u.result.ready.val())
                },
            )
            .unwrap();
        let place = format!("cycle {}", self.d.cycles());
        if reset {
            self.forget();
            return;
        }
        // what the golden interface does with a packet is known when its first word is taken
        if let (Some(_), true) = (word, ready) {
            if self.came.len() == self.whole.len() {
                self.asked = self.golden.take(&self.whole);
                match &self.asked {
                    Some(Request::Write(addr, data, _)) => {
                        let place = |i: usize| addr.wrapping_add(i as u16) & 0xfff;
                        let writes = data.iter().enumerate().map(|(i, d)| (place(i), *d));
                        self.to_write = writes.filter(|w| w.0 >= 2).collect();
                        self.counts[0] += 1;
                    }
                    Some(Request::Event(_)) => {
                        for _ in 0..self.s.below(3) {
                            let mut e = random_event(&mut self.s, 256);
                            e.lost = if self.s.percent(90) { 0 } else { self.s.bits(16) as u16 };
                            self.results.push_back((self.s.bits(6) as u8, e));
                        }
                        self.counts[1] += 1;
                    }
                    Some(Request::Flush(_)) => self.counts[2] += 1,
                    Some(Request::Answer(_)) => self.counts[3] += 1,
                    None => self.counts[4] += 1,
                }
            }
            self.came.pop_front();
        }
        if let Some(write) = write {
            assert_eq!(Some(write), self.to_write.pop_front(), "{place}: a write");
        }
        self.begun = event.is_some();
        if let Some((event, flush)) = event {
            match &self.asked {
                Some(Request::Event(e)) => {
                    assert_eq!((event, flush), (Event { lost: 0, yielded: false, ..*e }, false), "{place}");
                }
                Some(Request::Flush(_)) => assert!(flush, "{place}"),
                other => panic!("{place}: asked {other:?}, but {event:?}"),
            }
        }
        // a packet is complete: its effect may begin
        if self.came.is_empty() && !self.whole.is_empty() {
            assert!(self.to_write.is_empty(), "{place}");
            match &self.asked {
                Some(Request::Event(_)) => {
                    if done {
                        (self.whole, self.asked, self.begun) = Default::default();
                    }
                }
                Some(Request::Flush(p)) => {
                    if done {
                        self.expected.push_back(p.to_words());
                        (self.whole, self.asked, self.begun) = Default::default();
                    }
                }
                Some(Request::Write(.., p) | Request::Answer(p)) => {
                    self.expected.push_back(p.to_words());
                    (self.whole, self.asked) = Default::default();
                }
                None => self.whole.clear(),
            }
        }
        if let (Some(word), true) = (put, take) {
            self.sent.push(word);
            if self.sent.len() == usize::from(self.sent[0] >> 12) + 2 {
                let sent = std::mem::take(&mut self.sent);
                // a response, or the result at the input; the router fills in the source
                let is_answer = sent[1] >> 15 == 1;
                let want = if is_answer {
                    self.expected.pop_front().unwrap()
                } else {
                    let (dest, e) = shown.unwrap();
                    self.counts[5] += 1;
                    self.counts[7] += u64::from(yields);
                    self.golden.result(dest, e, yields).to_words()
                };
                assert_eq!(to_queue, yields && !is_answer, "{place}: to the queue");
                assert_eq!(sent, [&[want[0] & !63], &want[1..]].concat(), "{place}: a packet");
            }
        }
        if drops {
            let (_, e) = shown.unwrap();
            assert!(yields && !room && !waits, "{place}: a result is lost");
            self.golden.drop_event(&e);
            self.counts[6] += 1;
        }
        if taken {
            assert!(shown.is_some() && self.sent.is_empty(), "{place}: a result is done with");
            self.results.pop_front();
        }
    }

    fn run(&mut self, clocks: u64) {
        for clock in 0..clocks {
            let reset = clock == 0 || self.s.per_64k(20);
            let percent = match clock * 4 / clocks {
                0 => [100, 100, 100],
                1 => [20, 90, 90],
                2 => [90, 20, 90],
                _ => [70, 70, 20],
            };
            self.clock(reset, percent);
        }
    }
}

#[test]
fn packets_are_what_the_golden_interface_makes_of_them() {
    for (node, seed) in [(true, 1), (false, 2)] {
        let mut bench = Bench::new(node, seed);
        bench.run(rounds(30_000, 200_000));
        println!("writes, events, flushes, answers, dropped, results, lost, that yielded: {:?}", bench.counts);
        let few = |i: usize, n: &u64| *n < 50 && (if node { i < 6 } else { i != 1 && i != 2 });
        assert!(!bench.counts.iter().enumerate().any(|(i, n)| few(i, n)), "{:?}", bench.counts);
        if node || long() {
            check_verilog(&bench.d, seed as u32);
        }
    }
}

#[test]
fn the_interface_passes_the_static_gates() {
    emit_checked(&mut Port::new(REGISTERS, true)).unwrap();
    emit_checked(&mut Port::new(REGISTERS, false)).unwrap();
}
