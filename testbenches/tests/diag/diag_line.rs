//! `hdl/src/diag/line.rs` against the golden end of the line, clock by clock
//!
//! Frames of the golden sender, some damaged, lost, separated by noise or with a wrong first word; requests go back to
//! the sender, and some frames are requests to the framer. Bytes, the router and the framer stall at random, and the
//! framer has no room at times; resets.

use crate::diag_harness::check_verilog;
use diag::line::{request, FrameReceiver, Sender};
use hdl::diag::line::Line;
use rust_hdl::prelude::*;
use sim::diag::packet::{header, Op, Packet, HOST};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

/// The source of the packet that goes to the framer.
enum FramerInput {
    Free,
    Through(usize),
    Ask(VecDeque<u16>),
}

fn packet(s: &mut Source) -> Packet {
    if s.percent(15) {
        return request(s.bits(8) as u8, s.percent(50));
    }
    let data: Vec<u16> = (0..s.below(15)).map(|_| if s.percent(20) { 0xd5d5 } else { s.bits(16) as u16 }).collect();
    Packet::control(HOST, s.bits(6) as u8, Op::Write, s.bits(12) as u16, &data)
}

#[test]
fn packets_arrive_once_and_in_order_and_requests_are_those_of_the_golden_end() {
    let d = Driver::new(Line::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(31));
    let (mut sender, mut golden, mut framer_input) = (Sender::default(), FrameReceiver::default(), FramerInput::Free);
    let (mut line, mut sent, mut put, mut want) = (VecDeque::new(), VecDeque::new(), VecDeque::new(), 0_usize);
    let (mut back, mut asked) = (VecDeque::<u16>::new(), Vec::new());
    let (mut arrived, mut requests, mut transmit, mut quiet, mut again) = (0, 0, 0, 0, 0);
    for clock in 0..90_000_u64 {
        let reset = clock == 0 || s.per_64k(6);
        let rough = [0, 60, 600, 200][(clock / 4000 % 4) as usize];
        if line.len() < 20 && s.percent(30) {
            if s.percent(60) {
                let p = packet(&mut s);
                if p.dest != HOST {
                    sent.push_back(p.to_words());
                }
                sender.send(&p);
            }
            match sender.bytes() {
                Some(bytes) => {
                    quiet = 0;
                    for mut byte in bytes {
                        if s.per_64k(rough) {
                            match s.below(3) {
                                0 => continue,
                                1 => line.push_back(s.bits(8) as u8),
                                _ => byte ^= 1 << s.below(8),
                            }
                        }
                        line.push_back(byte);
                    }
                }
                None => quiet += 1,
            }
            if quiet > 40 {
                quiet = 0;
                sender.on_timeout();
            }
        }
        if back.is_empty() && s.percent(3) {
            let data: Vec<u16> = (0..s.below(15)).map(|_| s.bits(16) as u16).collect();
            back.extend(Packet::control(s.below(60) as u8, HOST, Op::ReadData, 0, &data).to_words());
        }
        let (stall_in, stall_out) = ((clock / 1000 % 2 * 50) as u8, (clock / 2000 % 2 * 70) as u8);
        let byte: Option<u8> = line.front().copied().filter(|_| !s.percent(stall_in));
        let (put_ready, say_ready) = (!s.percent(stall_out), !s.percent(stall_out));
        let (got, noise) = (back.front().copied(), s.bits(24));
        let (can_begin, newest) = (!s.percent(stall_out), s.bits(8) as u8);
        let (ready, word, said, got_ready, status, wanted) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.valid.next = byte.is_some();
                    u.octet.next = u64::from(byte.unwrap_or(noise as u8)).to_bits();
                    u.put.ready.next = put_ready;
                    u.say.ready.next = say_ready;
                    u.got.valid.next = got.is_some();
                    u.got.word.next = u64::from(got.unwrap_or((noise >> 8) as u16)).to_bits();
                    u.can_begin.next = can_begin;
                    u.newest.next = u64::from(newest).to_bits();
                },
                |u| {
                    let word = u.put.valid.val().then(|| u.put.word.val().to_u64() as u16);
                    let said = u.say.valid.val().then(|| u.say.word.val().to_u64() as u16);
                    let wanted = u.again.val().then(|| (u.expected.val().to_u64() as u8, u.hold.val()));
                    (u.ready.val(), word, said, u.got.ready.val(), u.status.val(), wanted)
                },
            )
            .unwrap();
        if reset {
            (sender, golden, framer_input) = (Sender::default(), FrameReceiver::default(), FramerInput::Free);
            line.clear();
            sent.clear();
            put.clear();
            back.clear();
            continue;
        }
        // to the framer
        let framer_want = match &framer_input {
            FramerInput::Free => None,
            FramerInput::Through(_) => got,
            FramerInput::Ask(words) => words.front().copied(),
        };
        assert_eq!(said, framer_want, "clock {clock}");
        assert_eq!(status, matches!(framer_input, FramerInput::Ask(_)), "clock {clock}");
        assert_eq!(got_ready, say_ready && matches!(framer_input, FramerInput::Through(_)), "clock {clock}");
        match &mut framer_input {
            FramerInput::Free if golden.request_pending() => {
                let take_request = golden.take_request(newest);
                asked.push(take_request.clone());
                framer_input = FramerInput::Ask(take_request.to_words().into());
            }
            FramerInput::Free => {
                if let Some(head) = got.filter(|_| can_begin) {
                    framer_input = FramerInput::Through(header(head).0);
                }
            }
            FramerInput::Through(left) => {
                if got.is_some() && say_ready {
                    back.pop_front();
                    *left -= 1;
                    if *left == 0 {
                        transmit += 1;
                        framer_input = FramerInput::Free;
                    }
                }
            }
            FramerInput::Ask(words) => {
                if say_ready {
                    words.pop_front();
                    if words.is_empty() {
                        requests += 1;
                        // the return path is unreliable, too
                        let asked = asked.pop().unwrap();
                        assert!(s.per_64k(20 * rough) || sender.take(&asked));
                        framer_input = FramerInput::Free;
                    }
                }
            }
        }
        // to the router
        assert_eq!(ready, put.is_empty(), "clock {clock}");
        assert_eq!(word, put.front().copied(), "clock {clock}");
        if word.is_some() && put_ready {
            put.pop_front();
            want += usize::from(put.is_empty());
        }
        if let Some(byte) = byte.filter(|_| ready) {
            line.pop_front();
            if let Some(words) = golden.push(byte) {
                assert_eq!(Some(&words), sent.pop_front().as_ref(), "clock {clock}");
                arrived += 1;
                put.extend(words);
            }
        }
        let expected = golden.take_again();
        assert_eq!(wanted, expected, "clock {clock}");
        again += usize::from(expected.is_some());
    }
    println!("{arrived} packets, {requests} requests, {transmit} packets between them, {again} requests of the host");
    assert!(arrived > 600 && want > 600 && requests > 200 && transmit > 300 && again > 60);
    check_verilog(&d, 8);
}

#[test]
fn a_frame_with_a_wrong_packet_length_is_accepted_and_dropped() {
    let mut d = Driver::new(Line::new(), |u, c| u.clock.next = c.into()).unwrap();
    let mut sender = Sender::default();
    let mut golden = FrameReceiver::default();
    let mut bytes = Vec::new();
    for n in 2..=16 {
        sender.send(&Packet::control(HOST, 3, Op::Write, 2, &vec![7; n - 2]));
        bytes.extend(sender.bytes().unwrap());
    }
    // the fourth frame states one word more; its CRC is right
    let at: usize = (2..5).map(|n| 5 + 2 * n).sum();
    bytes[at + 4] += 0x10;
    let sum = crc_of(&bytes[at + 1..at + 13]);
    bytes[at + 13..at + 15].copy_from_slice(&sum.to_le_bytes());
    let (mut put, mut want, mut at) = (Vec::new(), Vec::new(), 0);
    for clock in 0..1500 {
        let byte = bytes.get(at).copied().filter(|_| clock > 0);
        let (ready, word) = d
            .cycle(
                |u| {
                    u.reset.next = clock == 0;
                    u.valid.next = byte.is_some();
                    u.octet.next = u64::from(byte.unwrap_or(0)).to_bits();
                    u.put.ready.next = true;
                    u.say.ready.next = true;
                    u.got.valid.next = false;
                    u.got.word.next = 0u64.to_bits();
                    u.can_begin.next = true;
                    u.newest.next = 0u64.to_bits();
                },
                |u| (u.ready.val(), u.put.valid.val().then(|| u.put.word.val().to_u64() as u16)),
            )
            .unwrap();
        put.extend(word.filter(|_| clock > 0));
        if let Some(byte) = byte.filter(|_| ready) {
            at += 1;
            want.extend(golden.push(byte).into_iter().flatten());
        }
    }
    assert_eq!(put, want);
    assert_eq!((at, put.len()), (bytes.len(), (2..=16).sum::<usize>() - 5));
}

/// CRC-16/KERMIT, computed bit by bit.
fn crc_of(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, b| {
        (0..8).fold(sum, |sum: u16, i| sum >> 1 ^ if (sum ^ u16::from(*b >> i)) & 1 == 1 { 0x8408 } else { 0 })
    })
}

#[test]
fn the_line_passes_the_static_gates() {
    emit_checked(&mut Line::new()).unwrap();
}
