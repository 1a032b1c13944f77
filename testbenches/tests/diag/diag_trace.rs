//! `hdl/src/diag/node/trace.rs` against the golden node
//!
//! Random words, packets of all kinds with random and wrong ranges, and registers with side effects on its bus; words,
//! packets and the receiver stall at random; resets. Responses and bus accesses match the golden node's, in order; the
//! words come back, in complete packets except before the acknowledgement of a flush.

use crate::diag_harness::check_verilog;
use hdl::diag::node::trace::TraceNode;
use rust_hdl::prelude::*;
use sim::diag::node::trace::{Bus, TraceNode as Golden, TraceReassembler, ADDRESS, DEPTH, PACKET_WORDS, REGISTERS};
use sim::diag::packet::{Args, Body, Event, Op, Packet, HOST};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// Registers that change with each write, and a list of the writes.
#[derive(Clone, Default)]
struct Ram {
    registers: [u32; 8],
    writes: Vec<(u8, u32)>,
}

impl Bus for Ram {
    fn read(&mut self, addr: u8) -> u32 {
        self.registers[usize::from(addr)]
    }
    fn write(&mut self, addr: u8, value: u32) {
        self.writes.push((addr, value));
        self.registers[usize::from(addr)] = value.rotate_left(7);
    }
}

fn packet(s: &mut Source) -> Vec<u16> {
    let src = if s.percent(50) { HOST } else { s.bits(6) as u8 };
    let addr = match s.below(4) {
        0 => s.below(3) as u16,
        1 => s.bits(12) as u16,
        _ => REGISTERS + s.below(18) as u16,
    };
    let mut data: Vec<u16> = (0..s.below(15)).map(|_| s.bits(16) as u16).collect();
    let op = *s.pick(&[Op::Read, Op::Read, Op::Write, Op::Write, Op::Flush, Op::Error, Op::Trace, Op::ReadData]);
    if let (Op::Read, Some(n)) = (op, data.first_mut()) {
        *n = if s.percent(90) { s.below(18) as u16 } else { *n };
    }
    if s.percent(10) {
        let event = Event { id: s.bits(8) as u8, args: Args::of(&[s.bits(32) as u32]), ..Event::default() };
        return Packet::event(src, ADDRESS, event).to_words();
    }
    Packet::control(src, ADDRESS, op, addr, &data).to_words()
}

#[derive(Default)]
struct State {
    golden: Golden,
    /// For the golden node, and for the circuit.
    rams: [Ram; 2],
    answers: VecDeque<Packet>,
    /// Words that were present before each flush that is not acknowledged yet.
    flushes: VecDeque<usize>,
    came: Vec<u32>,
    joined: TraceReassembler,
    incoming: VecDeque<u16>,
    taken: Vec<u16>,
    put: Vec<u16>,
    /// Whether the last packet of words was not complete.
    short: bool,
}

#[test]
fn words_come_back_and_accesses_are_those_of_the_golden_node() {
    let d = Driver::new(TraceNode::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(41));
    let mut t = State::default();
    let (mut answered, mut words, mut flushed, mut full, mut writes) = (0, 0, 0, 0, 0);
    let mut rdata = 0_u32;
    for clock in 0..60_000_u64 {
        let reset = clock == 0 || s.per_64k(6);
        let phase = clock / 1500 % 4;
        let (rate, takes) = ([3, 20, 100, 10][phase as usize], [90, 60, 30, 100][phase as usize]);
        if t.incoming.is_empty() && s.percent(2) {
            t.incoming.extend(packet(&mut s));
        }
        let got = t.incoming.front().copied().filter(|_| s.percent(70));
        let (valid, data, put_ready, noise) = (s.percent(rate), s.bits(32) as u32, s.percent(takes), s.bits(16));
        let (got_ready, ready, put, bus) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.got.valid.next = got.is_some();
                    u.got.word.next = u64::from(got.unwrap_or(noise as u16)).to_bits();
                    u.put.ready.next = put_ready;
                    u.bus_rdata.next = u64::from(rdata).to_bits();
                    u.valid.next = valid;
                    u.data.next = u64::from(data).to_bits();
                },
                |u| {
                    let put = u.put.valid.val().then(|| u.put.word.val().to_u64() as u16);
                    let bus = (u.bus_addr.val().to_u64() as u8, u.bus_write.val(), u.bus_wdata.val().to_u64() as u32);
                    (u.got.ready.val(), u.ready.val(), put, bus)
                },
            )
            .unwrap();
        if reset {
            t = State::default();
            rdata = 0;
            continue;
        }
        rdata = t.rams[1].registers[usize::from(bus.0)];
        if bus.1 {
            t.rams[1].write(bus.0, bus.2);
        }
        if got.is_some() && got_ready {
            t.taken.extend(t.incoming.pop_front());
            if t.incoming.is_empty() {
                let packets = t.golden.take(&std::mem::take(&mut t.taken), &mut t.rams[0]);
                t.answers.extend(packets.into_iter().filter(|p| {
                    let flush = matches!(p.body, Body::Control { op: Op::Flush, .. });
                    t.flushes.extend(flush.then_some(t.came.len()));
                    true
                }));
                // one packet is processed at a time
                assert_eq!(t.rams[0].writes, t.rams[1].writes, "clock {clock}");
            }
        }
        let gone = t.joined.words.len() + gone_of(&t.put);
        assert_eq!(ready, t.came.len() - gone < usize::from(DEPTH), "clock {clock}");
        full += u32::from(!ready);
        if valid && ready {
            t.came.push(data);
        }
        if let Some(word) = put.filter(|_| put_ready) {
            t.put.push(word);
            if t.put.len() == sim::diag::packet::header(t.put[0]).0 {
                // a router fills in the source
                t.put[0] |= u16::from(ADDRESS);
                let packet = Packet::parse(&std::mem::take(&mut t.put)).unwrap();
                let before = t.joined.words.len();
                if t.joined.take(&packet) {
                    let n = t.joined.words.len() - before;
                    assert!(!t.short, "clock {clock}: words behind fewer than seven");
                    t.short = n < PACKET_WORDS;
                    assert!((1..=PACKET_WORDS).contains(&n) && (!t.short || !t.flushes.is_empty()), "clock {clock}");
                    words += n;
                } else {
                    assert_eq!(Some(&packet), t.answers.pop_front().as_ref(), "clock {clock}");
                    answered += 1;
                    if matches!(packet.body, Body::Control { op: Op::Flush, .. }) {
                        let there = t.flushes.pop_front().unwrap();
                        assert_eq!(t.joined.words.len().max(there), t.joined.words.len(), "clock {clock}");
                        flushed += 1;
                        t.short = false;
                    }
                }
                assert!(t.came.starts_with(&t.joined.words) && t.joined.missing == 0, "clock {clock}");
                writes = writes.max(t.rams[0].writes.len());
            }
        }
    }
    let counts = (answered, words, flushed, full, writes);
    assert!(answered > 400 && words > 5_000 && flushed > 60 && full > 100 && writes > 20, "{counts:?}");
    println!("{answered} answers, {words} words, {flushed} flushes; {full} clocks full");
    check_verilog(&d, 9);
}

/// Words of a partly sent packet that have left their entries.
fn gone_of(put: &[u16]) -> usize {
    let of_words = put.get(1).is_some_and(|w| w >> 12 == 15);
    if of_words {
        (put.len() - 2) / 2
    } else {
        0
    }
}

#[test]
fn the_node_passes_the_static_gates() {
    emit_checked(&mut TraceNode::new()).unwrap();
}
