//! The token ring: no packet is lost or duplicated and no node starves, whatever destinations do

use sim::diag::packet::{header, BROADCAST, HOST};
use sim::diag::ring::{Fate, Ring, RingNode};
use sim::stimulus::Source;
use std::collections::{BTreeMap, VecDeque};

fn ring(nodes: usize, places: usize) -> Ring {
    let node = |n| RingNode::new(if n == 0 { HOST } else { n as u8 }, places);
    Ring::new((0..nodes).map(node).collect())
}

fn address(n: usize) -> u8 {
    if n == 0 {
        HOST
    } else {
        n as u8
    }
}

fn packet(dest: u8, number: u32, len: usize) -> Vec<u16> {
    let mut words = vec![(len as u16 - 2) << 12 | u16::from(dest) << 6, number as u16];
    words.extend((2..len).map(|i| if i == 2 { (number >> 16) as u16 } else { 0xf000 | i as u16 & 1 }));
    words
}

/// Result of running a ring.
struct Outcome {
    /// Packets delivered for each node.
    shares: Vec<u64>,
    /// Packet words per cycle.
    load: f64,
}

/// Random traffic on `nodes` nodes: `percent` of the idle nodes want to send; destinations receive in `taking` of 100
/// cycles.
fn run(nodes: usize, percent: u8, taking: u8, to_one: bool, clocks: u64, seed: u64) -> Outcome {
    let mut s = Source::seeded(seed);
    let mut ring = ring(nodes, 2);
    let mut sent: Vec<VecDeque<(u8, Vec<u16>)>> = vec![VecDeque::new(); nodes];
    // by source and destination: numbers in order
    let mut expected: BTreeMap<(u8, u8), VecDeque<Vec<u16>>> = BTreeMap::new();
    let (mut number, mut delivered) = (0, vec![0; nodes]);
    for clock in 0..clocks + 40_000 {
        ring.clock();
        assert_eq!(ring.tokens(), 1, "clock {clock}");
        let draining = clock >= clocks;
        for n in 0..nodes {
            let node = ring.node(n);
            while let Some(fate) = node.fate() {
                let (dest, words) = sent[n].pop_front().unwrap();
                let there = dest == HOST || usize::from(dest) < nodes && dest > 0;
                assert_eq!(fate, if there { Fate::Delivered } else { Fate::Absent });
                delivered[n] += u64::from(there);
                if there {
                    assert_eq!(words.len(), header(words[0]).0);
                }
            }
            if draining || s.percent(taking) {
                if let Some(words) = node.receive() {
                    let src = header(words[0]).2;
                    let want = expected.get_mut(&(src, address(n))).and_then(VecDeque::pop_front).expect("sent once");
                    assert_eq!(words[1..], want[1..], "in order, whole");
                }
            }
            if !draining && node.ready() && sent[n].is_empty() && s.percent(percent) {
                let mut dest = if to_one { HOST } else { s.below(nodes as u64 + 1) as u8 };
                dest = if dest == 0 { HOST } else { dest };
                if dest == address(n) {
                    continue;
                }
                let words = packet(dest, number, 2 + s.below(15) as usize);
                number += 1;
                if dest == HOST || usize::from(dest) < nodes {
                    expected.entry((address(n), dest)).or_default().push_back(words.clone());
                }
                sent[n].push_back((dest, words.clone()));
                node.send(words);
            }
        }
        if draining && ring.is_idle() && sent.iter().all(VecDeque::is_empty) {
            break;
        }
    }
    assert!(expected.values().all(VecDeque::is_empty), "all arrived");
    assert!(ring.is_idle(), "it comes to rest");
    let (cycles, words) = ring.load();
    Outcome { shares: delivered, load: words as f64 / cycles as f64 }
}

#[test]
fn random_traffic_arrives_once_and_in_order() {
    for nodes in [2, 3, 4, 5, 8, 13, 16, 32] {
        for (percent, taking) in [(2, 100), (100, 100), (100, 30), (30, 3)] {
            run(nodes, percent, taking, false, 4_000, nodes as u64);
        }
    }
}

#[test]
fn no_node_starves() {
    let mut worst = f64::MAX;
    for nodes in [2, 3, 5, 8, 13, 16, 32] {
        for (taking, to_one) in [(100, false), (100, true), (10, true), (1, true)] {
            let outcome = run(nodes, 100, taking, to_one, 30_000, 7);
            let shares = if to_one { &outcome.shares[1..] } else { &outcome.shares[..] };
            let (least, sum) = (*shares.iter().min().unwrap(), shares.iter().sum::<u64>());
            let share = least as f64 * shares.len() as f64 / sum as f64;
            println!(
                "{nodes} nodes, taking {taking} %, to one {to_one}: worst {share:.3} of its share, load {:.3}",
                outcome.load
            );
            worst = worst.min(share);
        }
    }
    assert!(worst > 0.8, "{worst}");
}

#[test]
fn malformed_packets_are_counted_and_not_sent() {
    let mut r = ring(4, 2);
    // too short, too long for its header, to the addresses that mean taken and refused
    for words in
        [vec![], vec![0x0040], packet(1, 0, 5)[..4].to_vec(), packet(60, 0, 3), packet(61, 0, 3), vec![0xf000; 17]]
    {
        r.node(2).send(words);
    }
    assert!(r.node(2).ready());
    assert_eq!(r.node(2).counts().malformed, 6);
    for _ in 0..100 {
        r.clock();
    }
    assert!(r.is_idle());
    // to an address without a node
    r.node(2).send(packet(40, 1, 16));
    for _ in 0..100 {
        r.clock();
    }
    assert_eq!((r.node(2).fate(), r.node(2).counts().absent), (Some(Fate::Absent), 1));
    // broadcast: to every node but the sender
    r.node(2).send(packet(BROADCAST, 2, 3));
    for _ in 0..100 {
        r.clock();
    }
    let got: Vec<bool> = (0..4).map(|n| r.node(n).receive().is_some()).collect();
    assert_eq!(got, [true, true, false, true]);
}

#[test]
fn a_destination_that_never_takes_stops_nobody_else() {
    let mut r = ring(4, 1);
    r.node(1).send(packet(3, 1, 4));
    for _ in 0..100 {
        r.clock();
    }
    // the receive queue of node 3 is full from now on
    let mut through = 0;
    for _ in 0..4_000 {
        r.clock();
        if r.node(1).ready() {
            r.node(1).send(packet(3, 2, 4));
        }
        if r.node(2).ready() {
            r.node(2).send(packet(HOST, 3, 4));
        }
        through += u64::from(r.node(0).receive().is_some());
    }
    assert!(through > 200, "{through}");
    assert!(r.node(1).counts().again > 200);
    assert!(r.node(3).receive().is_some());
    for _ in 0..100 {
        r.clock();
    }
    assert!(r.node(3).receive().is_some(), "the place was kept");
}
