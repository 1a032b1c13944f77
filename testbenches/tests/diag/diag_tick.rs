//! `hdl/src/diag/node/tick.rs` against the golden tick, clock by clock
//!
//! Random periods and lists of nodes, written as registers; results are accepted in random cycles, and for long periods
//! not at all; resets. Then with its network interface: outgoing packets are those of the golden tick.

use crate::diag_harness::{check_verilog, result, set_write};
use hdl::diag::client::{node, RingPortIn};
use hdl::diag::node::tick::Tick;
use hdl::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::diag::node::tick::{Rule, Sent, Tick as Golden};
use sim::diag::node::{NodeKind, Target};
use sim::diag::packet::{Op, Packet, HOST};
use sim::diag::registers;
use sim::stimulus::Source;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

fn random_rule(s: &mut Source, most: u64) -> Rule {
    let period = [1, 2 + s.below(30) as u32, 300, 0x1_0004][s.below(4) as usize];
    let flushes = (0..s.below(most + 1)).map(|_| s.bits(6) as u8).collect();
    Rule { period, to: Target { dest: s.bits(6) as u8, id: s.bits(8) as u8 }, flushes }
}

#[test]
fn ticks_do_what_the_golden_tick_does() {
    let d = Driver::new(Tick::new(3), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(21));
    let (mut golden, mut now) = (Golden::new(7), 0_u32);
    let (mut writes, mut rule): (Vec<(u16, u16)>, Option<Rule>) = (Vec::new(), None);
    let (mut events, mut flushes, mut lost) = (0, 0, 0);
    let takes = [100, 50, 3, 20];
    for clock in 0..24_000_u64 {
        let reset = clock == 0 || s.per_64k(8);
        let ready = s.percent(takes[(clock / 700 % 4) as usize]);
        // settings change only while it sends nothing
        if writes.is_empty() && golden.is_idle() && s.per_64k(400) {
            let new = random_rule(&mut s, 7);
            writes = registers::tick(&new);
            writes.reverse();
            rule = Some(new);
        }
        let stops = writes.len() > 1 && writes.last() == Some(&registers::control_off());
        let write = if stops && !golden.is_idle() { None } else { writes.pop() };
        let noise = s.bits(48);
        let found = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    set_write(&mut u.write, write, noise);
                    u.result.ready.next = ready;
                },
                |u| result(&u.result),
            )
            .unwrap();
        if clock > 0 {
            let want = golden.sent();
            let found = found.map(|(dest, e)| match e.core {
                0 => Sent::Event(dest, e),
                _ => {
                    assert_eq!((e.lost, e.time, e.args.len()), (0, None, 1), "clock {clock}: a flush");
                    Sent::Flush(dest, e.args[0] as u16)
                }
            });
            assert_eq!(found, want, "clock {clock}");
            match want.filter(|_| ready) {
                Some(Sent::Event(_, e)) => {
                    events += 1;
                    lost += u64::from(e.lost);
                }
                Some(Sent::Flush(..)) => flushes += 1,
                None => {}
            }
        }
        if reset {
            (golden, now) = (Golden::new(7), 0);
            writes.clear();
            continue;
        }
        golden.clock(now, true, ready);
        now += 1;
        if write.is_some_and(|w| w.0 == registers::CONTROL) {
            golden.set(rule.clone().filter(|_| writes.is_empty())).unwrap();
        }
    }
    assert!(events > 1000 && flushes > 2000 && lost > 300, "{events} {flushes} {lost}");
    check_verilog(&d, 5);
}

/// Sends the words of packets and collects what comes, for `clocks` cycles.
fn exchange_packets(d: &mut Driver<Slot<RingPortIn>>, words: &[u16], clocks: usize, s: &mut Source) -> Vec<u16> {
    let (mut at, mut came) = (0, Vec::new());
    for clock in 0..clocks {
        let ready = s.percent(60);
        let valid = at < words.len() && s.percent(70);
        let word = words.get(at).copied().unwrap_or(0);
        let (taken, put) = d
            .cycle(
                |u| {
                    u.port.reset.next = clock == 0 && words.is_empty();
                    u.port.got.valid.next = valid;
                    u.port.got.word.next = u64::from(word).to_bits();
                    u.port.put.ready.next = ready;
                },
                |u| {
                    let put = u.port.put.valid.val().then(|| u.port.put.word.val().to_u64() as u16);
                    (u.port.got.ready.val(), put)
                },
            )
            .unwrap();
        at += usize::from(valid && taken);
        came.extend(put.filter(|_| ready));
    }
    assert_eq!(at, words.len());
    came
}

#[test]
fn what_leaves_are_the_packets_of_the_golden_tick() {
    let seated = Slot::<RingPortIn>::new(node(NodeKind::Tick(5)).unwrap());
    let mut d = Driver::new(seated, |u, c| u.clock.next = c.into()).unwrap();
    let mut s = Source::seeded(4);
    exchange_packets(&mut d, &[], 3, &mut s);
    let read = Packet::control(HOST, 0, Op::Read, 0, &[2]).to_words();
    let answer = Packet::control(0, HOST, Op::ReadData, 0, &[9, 5]).to_words();
    assert_eq!(exchange_packets(&mut d, &read, 60, &mut s), answer);
    let to = Target { dest: HOST, id: 255 };
    let rule = Rule { period: 900, to, flushes: vec![17, 20, 21] };
    let mut writes = Vec::new();
    for (at, data) in registers::tick(&rule) {
        writes.extend(Packet::control(HOST, 0, Op::Write, at, &[data]).to_words());
    }
    // seven responses come before the first tick
    let came = exchange_packets(&mut d, &writes, 700, &mut s);
    assert_eq!(came.len(), 2 * registers::tick(&rule).len());
    // events and flushes that are sent to the node are dropped
    let stray = Packet::control(3, 0, Op::Flush, 0, &[7]).to_words();
    let came = exchange_packets(&mut d, &stray, 2000, &mut s);
    let mut rest = came.as_slice();
    let mut packets = Vec::new();
    while let Some(first) = rest.first() {
        // the router would fill in the source
        let (packet, more) = rest.split_at(2 + usize::from(first >> 12));
        packets.push(Packet::parse(packet).unwrap());
        rest = more;
    }
    let mut golden = Golden::new(5);
    golden.set(Some(rule)).unwrap();
    let mut want = Vec::new();
    for now in 0..1900 {
        want.extend(golden.sent().map(|p| p.packet(0)));
        golden.clock(now, true, true);
    }
    assert_eq!((packets.len(), want.len()), (8, 8));
    for (found, want) in packets.iter().zip(&want) {
        let mut words = (found.to_words(), want.to_words());
        // without the time, which depends on when the node was set up
        if words.0.len() > 4 {
            words.0.drain(2..4);
            words.1.drain(2..4);
        }
        assert_eq!(words.0, words.1);
    }
}

#[test]
fn the_tick_passes_the_static_gates() {
    emit_checked(&mut Tick::new(6)).unwrap();
}
