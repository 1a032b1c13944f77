//! `hdl/src/diag/framer.rs` against the frames that the host reads
//!
//! Random packets, with late words and bytes taken in random cycles: the bytes are those of `diag::link::FrameWriter`.

use crate::diag_harness::{check_verilog, random_event};
use diag::link::FrameWriter;
use hdl::diag::framer::Framer;
use rust_hdl::prelude::*;
use sim::diag::packet::{Op, Packet, HOST};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

#[test]
fn frames_are_those_that_the_host_reads() {
    let d = Driver::new(Framer::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(4));
    let mut golden = FrameWriter::default();
    let (mut words, mut want) = (VecDeque::new(), VecDeque::new());
    let mut frames = 0;
    for clock in 0..60_000 {
        let reset = clock == 0 || s.per_64k(30);
        if words.is_empty() && s.percent(10) {
            let packet = if s.percent(50) {
                let n = s.below(15);
                let data: Vec<u16> = (0..n).map(|_| s.bits(16) as u16).collect();
                Packet::control(s.bits(6) as u8, HOST, Op::ReadData, s.bits(12) as u16, &data)
            } else {
                Packet::event(s.bits(6) as u8, HOST, random_event(&mut s, 256))
            };
            words.extend(packet.to_words());
            want.extend(golden.frame(&packet));
            frames += 1;
        }
        let word: Option<u16> = words.front().copied();
        let ready = s.percent(if clock < 30_000 { 100 } else { 40 });
        let noise = s.bits(16);
        let (byte, taken) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.got.valid.next = word.is_some();
                    u.got.word.next = word.map_or(noise, u64::from).to_bits();
                    u.ready.next = ready;
                },
                |u| (u.valid.val().then(|| u.octet.val().to_u64() as u8), u.got.ready.val()),
            )
            .unwrap();
        if reset {
            golden = FrameWriter::default();
            words.clear();
            want.clear();
            continue;
        }
        if let (Some(byte), true) = (byte, ready) {
            assert_eq!(Some(byte), want.pop_front(), "clock {clock}");
        }
        if taken && word.is_some() {
            words.pop_front();
        }
    }
    assert!(frames > 1_000, "{frames}");
    check_verilog(&d, 4);
}

#[test]
fn the_framer_passes_the_static_gates() {
    emit_checked(&mut Framer::new()).unwrap();
}
