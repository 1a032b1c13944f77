//! `hdl/src/diag/framer.rs` against the golden framer, clock by clock
//!
//! Random packets and statuses, with late words and bytes taken in random cycles; the host expects frames that were sent,
//! that are no longer kept, and that never were. The frames that are not sent again are those of `diag::link::FrameWriter`.

use crate::diag_harness::{check_verilog, random_event};
use diag::link::FrameWriter;
use hdl::diag::framer::Framer;
use rust_hdl::prelude::*;
use sim::diag::framer::Framer as Golden;
use sim::diag::packet::{Op, Packet, HOST};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::Driver;
use testbenches::gates::emit_checked;

fn packet(s: &mut Source) -> Packet {
    if s.percent(50) {
        let data: Vec<u16> = (0..s.below(15)).map(|_| s.bits(16) as u16).collect();
        return Packet::control(s.bits(6) as u8, 17, Op::ReadData, s.bits(12) as u16, &data);
    }
    Packet::event(s.bits(6) as u8, HOST, random_event(s, 256))
}

#[test]
fn frames_are_those_of_the_golden_framer() {
    let d = Driver::new(Framer::new(), |u, c| u.clock.next = c.into()).unwrap();
    let (mut d, mut s) = (d.recording(), Source::seeded(4));
    let (mut golden, mut writer) = (Golden::default(), FrameWriter::default());
    // the packet at the input, whether it is a status, and its words that were not taken yet
    let (mut shown, mut left) = (None::<(bool, Vec<u16>)>, VecDeque::new());
    let (mut want, mut takes_words, mut pending) = (VecDeque::<u8>::new(), false, None);
    let (mut new, mut repeated, mut statuses, mut waits, mut gone) = (0, 0, 0, 0, 0);
    for clock in 0..120_000 {
        let reset = clock == 0 || s.per_64k(10);
        if shown.is_none() && s.percent(10) {
            let status = s.percent(10);
            let packet = if status { Packet::control(HOST, HOST, Op::Error, 9, &[1, 2, 3]) } else { packet(&mut s) };
            // as the line does
            if status || golden.has_space() {
                let words = packet.to_words();
                left.extend(words.iter().copied());
                shown = Some((status, words));
            } else {
                waits += 1;
            }
        }
        let again = s.per_64k(if clock % 20_000 < 10_000 { 100 } else { 1200 });
        // mostly a frame that may be kept
        let back = if s.percent(90) { s.below(20) as u8 } else { s.bits(8) as u8 };
        let (expected, hold) = (golden.newest().wrapping_sub(back), s.percent(70));
        let word: Option<u16> = left.front().copied();
        let ready = s.percent(if clock < 60_000 { 100 } else { 40 });
        let noise = s.bits(16);
        let (byte, taken, can_begin, newest) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.got.valid.next = word.is_some();
                    u.got.word.next = word.map_or(noise, u64::from).to_bits();
                    u.status.next = shown.as_ref().is_some_and(|p| p.0);
                    u.again.next = again;
                    u.expected.next = u64::from(expected).to_bits();
                    u.hold.next = hold;
                    u.ready.next = ready;
                },
                |u| {
                    let byte = u.valid.val().then(|| u.octet.val().to_u64() as u8);
                    (byte, u.got.ready.val(), u.can_begin.val(), u.newest.val().to_u64() as u8)
                },
            )
            .unwrap();
        if reset {
            (golden, writer, pending, shown) = (Golden::default(), FrameWriter::default(), None, None);
            left.clear();
            want.clear();
            continue;
        }
        assert_eq!((can_begin, newest), (golden.has_space(), golden.newest()), "clock {clock}");
        assert_eq!(byte, want.front().copied(), "clock {clock}");
        if want.is_empty() {
            // between two frames
            let status = shown.as_ref().is_some_and(|p| p.0);
            if let Some((expected, hold)) = pending.take() {
                let before = golden.newest();
                golden.again(expected, hold);
                gone += u32::from(before.wrapping_sub(expected) > 16);
            } else if let (true, Some(_), Some((_, words))) = (status, word, &shown) {
                (want, takes_words) = (golden.status(words).into(), true);
                statuses += 1;
            } else if let Some(frame) = golden.repeated() {
                (want, takes_words) = (frame.into(), false);
                repeated += 1;
            } else if let (Some(_), Some((false, words))) = (word, &shown) {
                (want, takes_words) = (golden.frame(words).into(), true);
                let frame = writer.frame(&Packet::parse(words).unwrap());
                assert_eq!(want, frame, "clock {clock}");
                new += 1;
            }
        } else if ready {
            want.pop_front();
        }
        assert!(!taken || (takes_words && ready), "clock {clock}");
        if taken && word.is_some() {
            left.pop_front();
            if left.is_empty() {
                shown = None;
            }
        }
        if again {
            pending = Some((expected, hold));
        }
    }
    println!(
        "{new} frames, {repeated} sent again, {statuses} statuses, {waits} waits, {gone} requests for frames not kept"
    );
    assert!(new > 800 && repeated > 1_000 && statuses > 100 && waits > 100 && gone > 100);
    check_verilog(&d, 4);
}

#[test]
fn the_framer_passes_the_static_gates() {
    emit_checked(&mut Framer::new()).unwrap();
}
