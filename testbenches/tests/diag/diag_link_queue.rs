//! `hdl/src/diag/link_queue.rs` against the golden queue, packet by packet
//!
//! A client puts packets, of which some yield, and loses those for which there is no room. The router is a model: it is
//! free again after a time, when its packet was taken, is for nobody, or was refused and is given back. Every packet
//! arrives once, complete and in order of its kind, and the next packet is that of the golden queue.

use crate::diag_harness::check_verilog;
use hdl::diag::link_queue::LinkQueue;
use rust_hdl::prelude::*;
use sim::diag::link_queue::LinkQueue as Golden;
use sim::diag::ring::Fate;
use sim::stimulus::{rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// A packet of the client.
#[derive(Clone, Default)]
struct Sent {
    words: Vec<u16>,
    at: usize,
    yields: bool,
}

/// The router's packet: cycles until its first word is back, and how many words.
#[derive(Clone, Default)]
struct Held {
    words: Vec<u16>,
    clocks: u64,
    refused: bool,
}

/// Runs; returns the numbers of packets that did not yield, that did, that were given back, and that were lost.
fn play(seed: u64, clocks: u64) -> [u64; 4] {
    let d = Driver::new(LinkQueue::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s, mut golden) = (d.recording(), Source::seeded(seed), Golden::default());
    let (mut client, mut router, mut arriving): (Option<Sent>, Option<Held>, Vec<u16>) = (None, None, Vec::new());
    // packets that must arrive, by kind, and whether the last one at `out` is of the queue
    let mut expected: [VecDeque<Vec<u16>>; 2] = Default::default();
    let (mut of_queue, mut sums, mut number) = (false, [0; 4], 0u16);
    for clock in 0..clocks {
        let phase = clock * 4 / clocks;
        let (puts, refuses) = ([100, 20, 90, 60][phase as usize], [95, 50, 10, 80][phase as usize]);
        let reset = clock == 0 || s.per_64k(10);
        let mut drops = false;
        if client.is_none() && s.percent(puts) {
            let yields = s.percent(60);
            if yields && !golden.has_room() {
                golden.refuse();
                drops = true;
                sums[3] += 1;
            } else {
                let len = s.below(15) as u16;
                number = number.wrapping_add(1);
                let mut words = vec![len << 12 | s.bits(12) as u16, number];
                words.extend((0..len).map(|_| s.bits(16) as u16));
                client = Some(Sent { words, at: 0, yields });
            }
        }
        let word = client.as_ref().filter(|_| s.percent(90)).map(|c| (c.words[c.at], c.yields));
        // the router: its packet comes back
        let mut sent = false;
        let ready = router.is_none();
        let malformed = s.percent(3);
        let mut back = false;
        if let Some(held) = &mut router {
            held.clocks = held.clocks.saturating_sub(1);
            if held.clocks == 2 {
                held.refused = s.percent(refuses);
                sent = !held.refused;
            }
            back = held.clocks == 0;
        }
        let noise = s.bits(16) as u16;
        let last = arriving.first().is_some_and(|w| arriving.len() + 1 == usize::from(w >> 12) + 2);
        // a packet for no possible address does not stay in the router
        sent |= last && malformed && ready;
        let (room, put_ready, out, withdraw) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.put.valid.next = word.is_some();
                    u.put.word.next = u64::from(word.map_or(noise, |w| w.0)).to_bits();
                    u.to_queue.next = word.map_or(noise & 1 == 1, |w| w.1);
                    u.drops.next = drops;
                    u.out.ready.next = ready;
                    u.sent.next = sent;
                },
                |u| {
                    let out = u.out.valid.val().then(|| u.out.word.val().to_u64() as u16);
                    (u.room.val(), u.put.ready.val(), out, u.withdraw.val())
                },
            )
            .unwrap();
        let place = format!("seed {seed}, clock {clock}");
        if reset {
            golden = Golden::default();
            (client, router, arriving) = Default::default();
            expected = Default::default();
            continue;
        }
        if !drops {
            assert_eq!(room, golden.has_room(), "{place}");
        }
        let other = word.is_some_and(|w| !w.1);
        // the golden queue sends whole packets
        if arriving.is_empty() {
            assert_eq!(withdraw, golden.withdraws(other), "{place}");
        }
        if sent && !(last && malformed) {
            golden.fate(Fate::Delivered);
        }
        let begins = arriving.is_empty() && ready;
        if let (Some(word), true) = (out, ready) {
            if begins {
                of_queue = golden.is_next(other);
                if of_queue {
                    assert_eq!(golden.send()[0], word, "{place}");
                } else {
                    golden.other_was_sent();
                }
            }
            arriving.push(word);
            if arriving.len() == usize::from(arriving[0] >> 12) + 2 {
                let words = std::mem::take(&mut arriving);
                assert_eq!(Some(&words), expected[usize::from(of_queue)].front(), "{place}: a packet");
                if malformed {
                    golden.fate(Fate::Absent);
                } else {
                    router = Some(Held { words, clocks: 3 + s.below(60), refused: false });
                }
                if malformed || !of_queue {
                    expected[usize::from(of_queue)].pop_front();
                    sums[usize::from(of_queue)] += 1;
                }
            }
        } else if begins {
            golden.router_is_free(true);
        }
        if back {
            let held = router.clone().unwrap();
            let gives = held.refused && of_queue && withdraw;
            if held.refused && !gives {
                router = Some(Held { clocks: 3 + s.below(60), refused: false, ..held });
            } else {
                router = None;
                if of_queue && !gives {
                    assert_eq!(expected[1].pop_front(), Some(held.words), "{place}");
                    sums[1] += 1;
                }
                sums[2] += u64::from(gives);
            }
        }
        if let (Some((_, yields)), true) = (word, put_ready) {
            let c = client.as_mut().unwrap();
            if c.at == 0 && !yields {
                expected[0].push_back(c.words.clone());
            }
            c.at += 1;
            if c.at == c.words.len() {
                if yields {
                    expected[1].push_back(c.words.clone());
                    golden.push(c.words.clone());
                }
                client = None;
            }
        }
    }
    check_verilog(&d, seed as u32);
    sums
}

#[test]
fn packets_that_yield_are_passed_and_all_arrive() {
    for seed in 1..=rounds(2, 20) {
        let sums = play(seed, 120_000);
        println!("did not yield, did, given back, lost: {sums:?}");
        assert!(sums.iter().all(|n| *n > 100), "{sums:?}");
    }
}

#[test]
fn the_link_queue_passes_the_static_gates() {
    emit_checked(&mut LinkQueue::new()).unwrap();
}
