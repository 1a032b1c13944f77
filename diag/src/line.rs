//! Frames from the host to the chip: losses are reported, and lost frames repeated
//!
//! The frames have the same form as in the other direction. The chip accepts them only in the order of their numbers,
//! which start at 0 after a reset. A frame with a wrong checksum, or one that is not the next, causes a request: a
//! packet of op 4 from address 63 to address 63, with the number of the expected frame and three words: the number of
//! frames with a wrong checksum, that of frames that were not the next, and the number of the chip's next new frame. The
//! host then sends again from the expected frame. The loss of the last frame is not detected by a later one. When
//! nothing has arrived for a while, the host repeats it, and the resulting request says what has arrived.
//!
//! # Frames that the chip sends again
//! The chip keeps its last 16 frames. The host, too, sends requests: packets of op 4 from address 63 to address 63 without
//! data words, whose ADDR has the number of the frame that it expects in bits 7:0, and bit 8. The chip sends a request in
//! return, and then its frames again from the expected one, or from the oldest that it keeps. Bit 8 set: from now on
//! it holds its frames: it sends no new one as long as 16 have been sent that the host may not have. Results then wait in the nodes, and
//! none is lost on the line. Bit 8 clear, as after a reset: a new frame replaces the oldest.
//!
//! A request of the chip is not kept and uses up no number: it has that of the oldest frame that the chip keeps. If the
//! host expects an earlier one, the frames between are lost. A frame that was already received is ignored. While the
//! chip holds frames, the host should send packets for the ring one at a time, each after the results of the one before.
//! All frames have arrived when two requests in a row say so, as the host expects the chip's next new frame.
//!
//! After an invalid frame, the chip resumes at the next byte. 36 bytes of 0 end a frame with any damaged length.

use crate::link::{FrameWriter, CRC};
use sim::diag::frame::START;
use sim::diag::packet::{header, Body, Op, Packet, HOST, MAX_WORDS};
use std::collections::VecDeque;

/// Bytes of 0 before repeated frames.
pub const PADDING: usize = 2 * MAX_WORDS + 4;
/// Maximum number of unacknowledged frames.
const WINDOW: usize = 64;

/// Whether a packet is a request for frames, of the chip or of the host.
pub fn is_request(packet: &Packet) -> bool {
    matches!(packet, Packet { dest: HOST, src: HOST, body: Body::Control { op: Op::Error, .. } })
}

/// The host's request for the chip's frames from `expected` on; `hold`: from now on the chip holds its frames.
pub fn request(expected: u8, hold: bool) -> Packet {
    Packet::control(HOST, HOST, Op::Error, u16::from(hold) << 8 | u16::from(expected), &[])
}

/// The chip's end of the line.
#[derive(Clone, Debug, Default)]
pub struct FrameReceiver {
    frame: Vec<u8>,
    next: u8,
    bad_checksum: u16,
    out_of_order: u16,
    request_pending: bool,
    again: Option<(u8, bool)>,
}

impl FrameReceiver {
    /// Takes a byte; returns the words of a packet for the ring when it is complete.
    pub fn push(&mut self, byte: u8) -> Option<Vec<u16>> {
        self.frame.push(byte);
        match self.frame[..] {
            [START] => return None,
            [START, START] => {
                self.frame.pop();
                return None;
            }
            [START, n] if (2..=MAX_WORDS).contains(&usize::from(n)) => return None,
            [_] | [_, _] => {
                self.frame.clear();
                return None;
            }
            _ => {}
        }
        let end = 3 + 2 * usize::from(self.frame[1]);
        if self.frame.len() < end + 2 {
            return None;
        }
        let frame = std::mem::take(&mut self.frame);
        let sum = u16::from_le_bytes([frame[end], frame[end + 1]]);
        if CRC.checksum(&frame[1..end]) != sum {
            (self.bad_checksum, self.request_pending) = (self.bad_checksum.saturating_add(1), true);
            return None;
        }
        if frame[2] != self.next {
            (self.out_of_order, self.request_pending) = (self.out_of_order.saturating_add(1), true);
            return None;
        }
        self.next = self.next.wrapping_add(1);
        let words: Vec<u16> = frame[3..end].chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        // a router would wait for the missing words
        let (length, dest, _) = header(words[0]);
        if length != words.len() {
            return None;
        }
        if dest != HOST {
            return Some(words);
        }
        if words[1] >> 12 == 8 | Op::Error as u16 {
            (self.again, self.request_pending) = (Some((words[1] as u8, words[1] >> 8 & 1 == 1)), true);
        }
        None
    }

    /// Takes the host's request for frames, if there was one: the frame that it expects, and whether the chip is to
    /// hold its frames.
    pub fn take_again(&mut self) -> Option<(u8, bool)> {
        self.again.take()
    }

    /// Whether a request is pending.
    pub fn request_pending(&self) -> bool {
        self.request_pending
    }

    /// Takes the pending request, to be sent now; `newest`: number of the chip's next new frame.
    pub fn take_request(&mut self, newest: u8) -> Packet {
        self.request_pending = false;
        let data = [self.bad_checksum, self.out_of_order, newest.into()];
        Packet::control(HOST, HOST, Op::Error, self.next.into(), &data)
    }
}

/// The host's end of the line.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    writer: FrameWriter,
    /// Frames that may not have arrived, then those that were not sent yet.
    frames: VecDeque<Vec<u8>>,
    /// Sequence number of the first frame.
    first: u8,
    /// Number of frames sent.
    sent: usize,
    /// Whether a request for the first frame was already answered.
    answered: bool,
    /// Whether padding precedes the next frame.
    padding: bool,
    /// Whether the last frame sent is to be repeated.
    repeat_last: bool,
    /// Number of repeated frames.
    pub repeated: u64,
    /// Last counts from the chip: frames with a wrong checksum, and frames that were not the next.
    pub reported: (u16, u16),
    /// Number of the chip's next new frame, from its last request.
    pub newest: Option<u8>,
}

impl Sender {
    /// Queues a packet.
    pub fn send(&mut self, packet: &Packet) {
        self.frames.push_back(self.writer.frame(packet));
    }

    /// The next bytes for the line: padding, or a frame, if one may be sent.
    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        if !self.repeat_last && self.sent >= WINDOW.min(self.frames.len()) {
            return None;
        }
        if std::mem::take(&mut self.padding) {
            return Some(vec![0; PADDING]);
        }
        if std::mem::take(&mut self.repeat_last) {
            self.repeated += 1;
            return Some(self.frames[self.sent - 1].clone());
        }
        self.sent += 1;
        Some(self.frames[self.sent - 1].clone())
    }

    /// Takes a packet that arrived; returns false if it is not a request.
    pub fn take(&mut self, packet: &Packet) -> bool {
        let Packet { body: Body::Control { addr, data, .. }, .. } = packet else { return false };
        if !is_request(packet) {
            return false;
        }
        if let [bad_checksum, out_of_order, newest] = data[..] {
            (self.reported, self.newest) = ((bad_checksum, out_of_order), Some(newest as u8));
        }
        let arrived = usize::from((*addr as u8).wrapping_sub(self.first));
        // a request for frames that were acknowledged long ago
        if arrived > self.sent {
            return true;
        }
        self.frames.drain(..arrived);
        self.first = self.first.wrapping_add(arrived as u8);
        self.sent -= arrived;
        self.answered &= arrived == 0;
        // all that was sent is sent again, or nothing is missing
        self.repeat_last = false;
        if !self.answered && self.sent > 0 {
            self.repeated += self.sent as u64;
            (self.sent, self.padding, self.answered) = (0, true, true);
        }
        true
    }

    /// Nothing has arrived for a while: repeats the last frame sent.
    pub fn on_timeout(&mut self) {
        self.answered = false;
        (self.padding, self.repeat_last) = (self.sent > 0, self.sent > 0);
    }

    /// Number of the next frame.
    pub fn next(&self) -> u8 {
        self.writer.next()
    }

    /// Whether all frames have arrived.
    pub fn is_done(&self) -> bool {
        self.frames.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::FrameReader;
    use sim::stimulus::Source;

    fn packet(n: u16) -> Packet {
        Packet::control(HOST, 17, Op::Write, 0x400 + n % 64, &[n, 0xd5d5, 0x05d5][..1 + usize::from(n % 3)])
    }

    #[test]
    fn an_out_of_order_frame_causes_the_expected_request() {
        let (mut writer, mut receiver) = (FrameWriter::default(), FrameReceiver::default());
        let frames: Vec<Vec<u8>> = (0..3).map(|n| writer.frame(&packet(n))).collect();
        let push = |receiver: &mut FrameReceiver, bytes: &[u8]| {
            bytes.iter().fold(None, |found, b| receiver.push(*b).or(found))
        };
        assert_eq!(push(&mut receiver, &frames[0]), Some(packet(0).to_words()));
        assert_eq!(push(&mut receiver, &frames[2]), None);
        assert_eq!(receiver.take_request(9).to_words(), [0x3fff, 0xc001, 0, 1, 9]);
        let mut bad = frames[1].clone();
        bad[4] ^= 8;
        assert_eq!(push(&mut receiver, &bad), None);
        assert_eq!(receiver.take_request(9).to_words(), [0x3fff, 0xc001, 1, 1, 9]);
        // noise, and a start byte before a start byte
        assert_eq!(push(&mut receiver, &[0, 1, 0xd5, 17, 0xd5]), None);
        assert_eq!(push(&mut receiver, &frames[1]), Some(packet(1).to_words()));
        // accepted as a frame, but not a packet: its first word has another length
        let mut long = vec![0xd5, 2, 2, 0x40, 0x14, 0, 0x90];
        long.extend(CRC.checksum(&long[1..]).to_le_bytes());
        assert_eq!(push(&mut receiver, &long), None);
        assert!(!receiver.request_pending());
        assert_eq!(push(&mut receiver, &frames[2]), None);
        assert_eq!(receiver.take_request(9).to_words(), [0x3fff, 0xc003, 1, 2, 9]);
    }

    /// A request for the frame after the last one sent acknowledges all of them: none is kept, and none is sent again.
    #[test]
    fn a_request_for_the_next_new_frame_acknowledges_all() {
        let mut sender = Sender::default();
        (0..3).for_each(|n| sender.send(&packet(n)));
        (0..3).for_each(|_| assert!(sender.bytes().is_some()));
        assert!(!sender.is_done());
        assert!(sender.take(&Packet::control(HOST, HOST, Op::Error, 3, &[0, 0, 0])));
        assert!(sender.is_done() && sender.repeated == 0);
        // a request for a frame that was never sent changes nothing
        sender.send(&packet(3));
        assert!(sender.take(&Packet::control(HOST, HOST, Op::Error, 7, &[0, 0, 0])));
        assert!(!sender.is_done());
        // the longest frame, of which nothing but the start byte was understood
        assert_eq!(PADDING, 36);
    }

    fn asked_for(n: u16) -> Packet {
        Packet::control(HOST, HOST, Op::Error, n, &[0, 0, 0])
    }

    /// A second request for the same frame is one that was on its way: it does not cause the frames to be sent a third
    /// time. One for a later frame does.
    #[test]
    fn a_request_is_answered_once() {
        let mut sender = Sender::default();
        let frames: Vec<Vec<u8>> = {
            let mut writer = FrameWriter::default();
            (0..3).map(|n| writer.frame(&packet(n))).collect()
        };
        (0..3).for_each(|n| sender.send(&packet(n)));
        (0..3).for_each(|_| assert!(sender.bytes().is_some()));
        assert!(sender.take(&asked_for(0)));
        assert_eq!(sender.bytes(), Some(vec![0; PADDING]));
        assert_eq!((sender.bytes().as_ref(), sender.bytes().as_ref()), (Some(&frames[0]), Some(&frames[1])));
        assert!(sender.take(&asked_for(0)));
        assert_eq!((sender.bytes().as_ref(), sender.bytes(), sender.repeated), (Some(&frames[2]), None, 3));
        assert!(sender.take(&asked_for(1)));
        assert_eq!((sender.bytes(), sender.bytes().as_ref()), (Some(vec![0; PADDING]), Some(&frames[1])));
        assert_eq!(sender.repeated, 5);
    }

    #[test]
    fn a_timeout_repeats_the_last_frame_sent_unless_all_have_arrived() {
        let mut sender = Sender::default();
        let mut writer = FrameWriter::default();
        (0..3).for_each(|n| sender.send(&packet(n)));
        // nothing was sent: there is nothing to repeat
        sender.on_timeout();
        let first = writer.frame(&packet(0));
        assert_eq!((sender.bytes(), sender.repeated), (Some(first.clone()), 0));
        sender.on_timeout();
        assert_eq!((sender.bytes(), sender.bytes()), (Some(vec![0; PADDING]), Some(first)));
        assert_eq!(sender.repeated, 1);
        // acknowledged before the repetition is sent
        (1..3).for_each(|n| assert_eq!(sender.bytes(), Some(writer.frame(&packet(n)))));
        sender.on_timeout();
        assert!(sender.take(&asked_for(3)));
        assert_eq!((sender.bytes(), sender.repeated), (None, 1));
    }

    /// Padding ends a frame that the chip may have understood in part. Where all frames have arrived, there is none.
    #[test]
    fn no_padding_precedes_a_frame_after_all_others_have_arrived() {
        let (mut sender, mut writer) = (Sender::default(), FrameWriter::default());
        for n in 0..3 {
            sender.send(&packet(n));
            assert_eq!(sender.bytes(), Some(writer.frame(&packet(n))));
            assert!(sender.take(&asked_for(n + 1)));
        }
    }

    #[test]
    fn a_request_of_the_host_is_answered_and_not_sent_to_the_ring() {
        let (mut writer, mut receiver) = (FrameWriter::default(), FrameReceiver::default());
        let mut push = |packet: &Packet| {
            let frame = writer.frame(packet);
            frame.iter().fold(None, |found, b| receiver.push(*b).or(found))
        };
        assert_eq!(request(0x57, true).to_words(), [0x0fff, 0xc157]);
        assert_eq!(push(&request(0x57, true)), None);
        // other packets for the host have no effect
        assert_eq!(push(&Packet::control(HOST, HOST, Op::Read, 3, &[1])), None);
        assert_eq!((receiver.take_again(), receiver.take_again()), (Some((0x57, true)), None));
        assert_eq!(receiver.take_request(1).to_words(), [0x3fff, 0xc002, 0, 0, 1]);
    }

    #[test]
    fn all_arrive_once_and_in_order_over_a_line_that_damages_bytes() {
        for (seed, damage) in [(1, 0), (2, 40), (3, 400), (4, 1500)] {
            let mut s = Source::seeded(seed);
            let (mut sender, mut receiver) = (Sender::default(), FrameReceiver::default());
            let (mut back, mut reader) = (FrameWriter::default(), FrameReader::default());
            let mut found = Vec::new();
            let (mut turns, mut hit) = (0, 0);
            (0..600).for_each(|n| sender.send(&packet(n)));
            assert_eq!(sender.next(), (600 % 256) as u8);
            while !sender.is_done() {
                turns += 1;
                assert!(turns < 40_000, "seed {seed}: {sender:?}");
                let Some(bytes) = sender.bytes() else {
                    sender.on_timeout();
                    continue;
                };
                for mut byte in bytes {
                    if s.per_64k(damage) {
                        hit += 1;
                        if s.percent(30) {
                            continue;
                        }
                        byte ^= 1 << s.below(8);
                    }
                    found.extend(receiver.push(byte));
                }
                if receiver.request_pending() {
                    let mut answer = back.frame(&receiver.take_request(0));
                    if s.per_64k(20 * damage) {
                        answer[6] ^= 1;
                    }
                    reader.push(&answer).iter().for_each(|p| assert!(sender.take(p)));
                }
            }
            assert_eq!(found, (0..600).map(|n| packet(n).to_words()).collect::<Vec<_>>(), "seed {seed}");
            println!(
                "damage {damage}: {hit} bytes, {} frames of 600 sent again, told {:?}",
                sender.repeated, sender.reported
            );
            assert!((hit > 0) == (damage > 0) && (sender.reported.0 > 0) == (damage > 0));
        }
    }
}
