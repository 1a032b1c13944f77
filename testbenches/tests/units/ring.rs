//! `hdl/src/noc/{ring,router}.rs` against the golden ring, clock by clock
//!
//! Every output of every cycle is that of `sim::diag::ring`, and a list kept here checks that every packet arrives
//! once, complete and in order per sender. The emitted Verilog does the same from any state before the reset.

use fpga::cosim::Cosim;
use hdl::noc::ring::Ring;
use hdl::noc::router::Router;
use hdl::verilog::{write, Style};
use rust_hdl::prelude::*;
use sim::diag::packet::{header, BROADCAST, HOST, MAX_WORDS, REFUSED, TAKEN};
use sim::diag::ring::{Ring as Golden, RingCounts, RingNode, TOKEN};
use sim::stimulus::Source;
use std::collections::{BTreeMap, VecDeque};
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// The host, then nodes with non-consecutive addresses, with 1, 2 or 4 entries.
fn nodes(n: usize) -> Vec<(u8, usize)> {
    (0..n).map(|i| (if i == 0 { HOST } else { (i * 11 % 60) as u8 }, i % 3)).collect()
}

fn golden(nodes: &[(u8, usize)]) -> Golden {
    Golden::new(nodes.iter().map(|(a, p)| RingNode::new(*a, 1 << p)).collect())
}

/// Activity of the clients.
#[derive(Clone, Copy)]
struct Traffic {
    /// Percentage of cycles in which an idle client begins to send.
    sends: u8,
    /// Percentage of cycles in which the next word of a packet is present.
    puts: u8,
    /// Percentage of cycles in which a word is accepted; for the last node 0 in the first half.
    takes: u8,
    /// Whether all packets go to the host.
    to_one: bool,
    /// Resets per 65,536 cycles.
    resets: u16,
    /// Percentage of cycles in which a client withdraws a packet that was refused.
    withdraws: u8,
}

/// The state of a client.
#[derive(Clone, Default)]
struct Client {
    to_put: VecDeque<u16>,
    put: Vec<u16>,
    /// The packet in the router, whose fate is not known.
    held: Option<Vec<u16>>,
    got: Vec<u16>,
    taken: u64,
    counts: RingCounts,
}

fn packet(s: &mut Source, nodes: &[(u8, usize)], to_one: bool, number: u16) -> Vec<u16> {
    let dest = match s.below(40) {
        _ if to_one => HOST,
        0 => TAKEN,
        1 => REFUSED,
        2 => s.bits(6) as u8,
        3 | 4 => BROADCAST,
        _ => s.pick(nodes).0,
    };
    let len = match s.below(8) {
        0 => 2,
        1 => MAX_WORDS,
        _ => s.between(2, MAX_WORDS as u64) as usize,
    };
    let mut words = vec![(len as u16 - 2) << 12 | u16::from(dest) << 6 | s.bits(6) as u16, number];
    // the token, a first word to anyone, any word
    words.extend((2..len).map(|_| match s.below(3) {
        0 => TOKEN,
        1 => u16::from(s.pick(nodes).0) << 6 | u16::from(s.pick(nodes).0),
        _ => s.bits(16) as u16,
    }));
    if s.percent(1) {
        // a malformed packet
        return vec![0xf000 | s.bits(12) as u16];
    }
    words
}

/// Totals of `run`: packets delivered, refused, missed, malformed, to nobody, given back.
#[derive(Default, Debug)]
struct Sums([u64; 6]);

/// Inputs of a cycle: the word each client puts, whether it accepts one, and whether it withdraws.
struct Inputs {
    puts: Vec<Option<u16>>,
    takes: Vec<bool>,
    withdraws: Vec<bool>,
}

struct Bench {
    d: Driver<Ring>,
    nodes: Vec<(u8, usize)>,
    g: Golden,
    clients: Vec<Client>,
    /// Packets that must arrive, by source and destination.
    expected: BTreeMap<(u8, u8), VecDeque<Vec<u16>>>,
    sums: Sums,
}

impl Bench {
    fn new(n: usize) -> Self {
        let nodes = nodes(n);
        let d = Driver::new(Ring::new(&nodes), |u, c| u.clock.next = c.into()).unwrap().recording();
        let g = golden(&nodes);
        Self { d, g, clients: vec![Client::default(); n], nodes, expected: BTreeMap::new(), sums: Sums::default() }
    }

    /// Runs one cycle; checks all outputs. Returns the packets that were given back, by node.
    fn clock(&mut self, reset: bool, inputs: &Inputs, place: &str) -> Vec<(usize, Vec<u16>)> {
        let (n, Inputs { puts, takes, withdraws }) = (self.nodes.len(), inputs);
        let set = |u: &mut Ring| {
            u.reset.next = reset;
            for i in 0..n {
                u.put[i].valid.next = puts[i].is_some();
                u.put[i].word.next = u64::from(puts[i].unwrap_or(0xf000)).to_bits();
                u.got[i].ready.next = takes[i];
                u.withdraw[i].next = withdraws[i];
            }
        };
        let (out, seen) = self
            .d
            .cycle(set, |u| {
                let word = |b: Bits<16>| b.to_u64() as u16;
                let client = |i: usize| {
                    let f = &u.fate[i];
                    let fate = [f.delivered.val(), f.again.val(), f.missed.val(), f.malformed.val(), f.absent.val()];
                    (u.put[i].ready.val(), u.got[i].valid.val().then(|| word(u.got[i].word.val())), fate)
                };
                (u.to.valid.val().then(|| word(u.to.word.val())), (0..n).map(client).collect::<Vec<_>>())
            })
            .unwrap();
        assert_eq!(out, self.g.nodes()[n - 1].output(), "{place}");
        let ready: Vec<bool> = self.g.nodes().iter().map(RingNode::ready).collect();
        if reset {
            self.g = golden(&self.nodes);
            self.clients = vec![Client::default(); n];
            self.expected.clear();
            return Vec::new();
        }
        for (i, client) in self.clients.iter().enumerate() {
            let there = self.g.nodes()[i].counts().received > client.taken;
            assert_eq!((seen[i].0, seen[i].1.is_some()), (ready[i], there), "{place}, node {i}: ready, got");
        }
        (0..n).for_each(|i| self.g.node(i).withdraw(withdraws[i]));
        self.g.clock();
        assert_eq!(self.g.tokens(), 1);
        let mut given_back = Vec::new();
        for i in 0..n {
            let (client, (ready, got, fate)) = (&mut self.clients[i], seen[i]);
            let address = self.nodes[i].0;
            if let (Some(word), true) = (puts[i], ready) {
                client.to_put.pop_front();
                client.put.push(word);
                let len = header(client.put[0]).0;
                if client.put.len() == len || len > MAX_WORDS {
                    let words = std::mem::take(&mut client.put);
                    let dest = header(words[0]).1;
                    if self.nodes.iter().any(|n| n.0 == dest) && dest != address && len <= MAX_WORDS {
                        self.expected.entry((address, dest)).or_default().push_back(words[1..].to_vec());
                    }
                    self.g.node(i).send(words.clone());
                    client.held = (!self.g.nodes()[i].ready()).then_some(words);
                }
            }
            if let (Some(word), true) = (got, takes[i]) {
                client.got.push(word);
                if client.got.len() == header(client.got[0]).0 {
                    let words = std::mem::take(&mut client.got);
                    assert_eq!(self.g.node(i).receive().as_ref(), Some(&words), "{place}, node {i}");
                    client.taken += 1;
                    let (_, dest, src) = header(words[0]);
                    if dest != BROADCAST {
                        let want = self.expected.get_mut(&(src, address)).and_then(VecDeque::pop_front);
                        assert_eq!(want.as_deref(), Some(&words[1..]), "{place}, node {i}, from {src}");
                    }
                }
            }
            while self.g.node(i).fate().is_some() {
                client.held = None;
            }
            // free without a fate: given back, so it must not arrive
            if let Some(words) = client.held.take_if(|_| !ready && self.g.nodes()[i].ready()) {
                assert!(withdraws[i], "{place}, node {i}: given back without `withdraw`");
                if let Some(expected) = self.expected.get_mut(&(address, header(words[0]).1)) {
                    assert_eq!(expected.pop_back().as_deref(), Some(&words[1..]), "{place}, node {i}: given back");
                }
                self.sums.0[5] += 1;
                given_back.push((i, words));
            }
            let (now, old) = (self.g.node(i).counts(), client.counts);
            let want = [
                now.delivered - old.delivered,
                now.again - old.again,
                now.missed - old.missed,
                now.malformed - old.malformed,
                now.absent - old.absent,
            ];
            assert_eq!(fate.map(u64::from), want, "{place}, node {i}: delivered, again, missed, malformed, absent");
            client.counts = now;
            self.sums.0.iter_mut().zip(want).for_each(|(sum, n)| *sum += n);
        }
        given_back
    }

    fn run(&mut self, t: Traffic, clocks: u64, seed: u64) {
        let (mut s, n, mut number) = (Source::seeded(seed), self.nodes.len(), 0_u16);
        for clock in 0..clocks {
            let reset = clock == 0 || s.per_64k(t.resets);
            for i in 0..n {
                if self.clients[i].to_put.is_empty() && s.percent(t.sends) && !(t.to_one && i == 0) {
                    number = number.wrapping_add(1);
                    self.clients[i].to_put = packet(&mut s, &self.nodes, t.to_one, number).into();
                }
            }
            let puts: Vec<_> =
                (0..n).map(|i| self.clients[i].to_put.front().copied().filter(|_| s.percent(t.puts))).collect();
            let takes: Vec<_> =
                (0..n).map(|i| s.percent(t.takes) && !(i == n - 1 && !t.to_one && clock < clocks / 2)).collect();
            let withdraws = (0..n).map(|_| s.percent(t.withdraws)).collect();
            let inputs = Inputs { puts, takes, withdraws };
            for (i, words) in self.clock(reset, &inputs, &format!("{n} nodes, seed {seed}, clock {clock}")) {
                // sent again at once, or after the next packet; not at all would leave an entry reserved for it
                let to_put = &mut self.clients[i].to_put;
                if s.percent(50) {
                    to_put.extend(words);
                } else {
                    words.into_iter().rev().for_each(|w| to_put.push_front(w));
                }
            }
        }
        // packets on their way arrive, and those that were given back
        for clock in 0..40 * n * n + 400 * n {
            let puts = self.clients.iter().map(|c| c.to_put.front().copied()).collect();
            let inputs = Inputs { puts, takes: vec![true; n], withdraws: vec![false; n] };
            self.clock(false, &inputs, &format!("{n} nodes, seed {seed}, {clock} behind"));
        }
        assert!(self.g.is_idle() && self.expected.values().all(VecDeque::is_empty), "{n} nodes: it comes to rest");
    }

    /// Checks the Verilog, from random registers and memories, against the circuit.
    fn check_verilog(&self, seed: u32) {
        let written = write(&self.d.uut, &Style { initial: false, ..Style::default() }).unwrap();
        let cosim = Cosim::of_written(&written).unwrap().with_random_state(seed);
        let record = self.d.record();
        // a word is undefined while its `valid` is 0
        let ports: Vec<_> = cosim.outputs().iter().map(|p| p.name.clone()).collect();
        let valid: Vec<_> = ports
            .iter()
            .map(|p| p.strip_suffix("word").filter(|p| p.starts_with("got")))
            .map(|p| p.map(|p| cosim.output(&format!("{p}valid")).unwrap()))
            .collect();
        assert_eq!(valid.iter().flatten().count(), self.nodes.len());
        let inputs = record.iter().map(|r| r.0.clone());
        let cycles = cosim.run(inputs, |cycle, got| {
            let want = &record[cycle as usize].1;
            for (i, port) in ports.iter().enumerate() {
                if cycle > 0 && valid[i].is_none_or(|v| want[v] == 1) {
                    assert_eq!(got[i], want[i], "{} nodes, Verilog, cycle {cycle}, {port}", self.nodes.len());
                }
            }
        });
        assert_eq!(cycles.unwrap(), record.len() as u64);
    }
}

const SPARSE: Traffic = Traffic { sends: 3, puts: 60, takes: 80, to_one: false, resets: 0, withdraws: 0 };
const FULL: Traffic = Traffic { sends: 100, puts: 100, takes: 100, to_one: false, resets: 0, withdraws: 0 };
const REFUSING: Traffic = Traffic { sends: 100, puts: 90, takes: 8, to_one: false, resets: 0, withdraws: 0 };
const TO_ONE: Traffic = Traffic { sends: 100, puts: 100, takes: 30, to_one: true, resets: 0, withdraws: 0 };
const RESETS: Traffic = Traffic { sends: 60, puts: 100, takes: 50, to_one: false, resets: 300, withdraws: 0 };
const GIVEN_BACK: Traffic = Traffic { sends: 80, puts: 90, takes: 8, to_one: false, resets: 0, withdraws: 50 };
const ALL_GIVEN_BACK: Traffic = Traffic { sends: 100, puts: 100, takes: 30, to_one: true, resets: 100, withdraws: 100 };
const TRAFFIC: [Traffic; 7] = [SPARSE, FULL, REFUSING, TO_ONE, RESETS, GIVEN_BACK, ALL_GIVEN_BACK];

#[test]
fn rings_do_what_the_golden_ring_does() {
    for n in [2, 3, 5, 8] {
        let mut bench = Bench::new(n);
        for (i, traffic) in TRAFFIC.into_iter().enumerate() {
            bench.run(traffic, 3_000, (10 * n + i) as u64);
        }
        println!("{n} nodes: delivered, again, missed, malformed, absent, given back: {:?}", bench.sums.0);
        assert!(bench.sums.0.iter().all(|sum| *sum >= 5), "{n} nodes: {:?}", bench.sums);
        bench.check_verilog(n as u32);
    }
}

#[test]
fn a_ring_of_one_node_reports_absent_destinations() {
    let mut bench = Bench::new(1);
    bench.run(FULL, 2_000, 1);
    assert!(bench.sums.0[4] > 10);
    bench.check_verilog(1);
}

#[test]
fn routers_and_rings_pass_the_static_gates() {
    emit_checked(&mut Router::new(3, 0, false)).unwrap();
    emit_checked(&mut Router::new(HOST, 4, true)).unwrap();
    emit_checked(&mut Ring::new(&nodes(3))).unwrap();
}
