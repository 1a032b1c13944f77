//! Packets on a line of bytes: frames with length, sequence number and CRC
//!
//! ```text
//! 0xd5  words (2 to 16)  sequence number  words, low byte first  CRC-16 of what is between, low byte first
//! ```
//! If a byte does not start a frame, or a checksum is wrong, the reader looks for the next frame after that byte, so a
//! damaged frame affects no other. Gaps in the sequence numbers are counted as lost frames, modulo 256. Once the chip
//! has sent a request, a frame with the number of one of the last 16 is one that is sent again.

use crate::line::is_request;
use crc::{Algorithm, Crc, CRC_16_KERMIT};
use sim::diag::frame::{encode, KEPT, POLYNOMIAL, START};
use sim::diag::packet::{Packet, MAX_WORDS};

/// The checksum of [`sim::diag::frame`].
pub(crate) const CRC: Crc<u16> = Crc::<u16>::new(&Algorithm { poly: POLYNOMIAL.reverse_bits(), ..CRC_16_KERMIT });

/// The frame formats, as Markdown.
pub fn markdown() -> String {
    let head = sim::diag::describe::head;
    format!("# Frames\n{}\n# Frames from the host\n{}", head(include_str!("link.rs")), head(include_str!("line.rs")))
}

/// The reference page of the link: packets, frames, registers and log files.
pub fn reference() -> String {
    let sections = [sim::diag::describe::markdown(), markdown()].join("\n");
    let log = sim::diag::describe::head(include_str!("log.rs")).replace(" ([`crate::link`])", "");
    // one level below the title
    let lower = |line: &str| if line.starts_with('#') { format!("#{line}\n") } else { format!("{line}\n") };
    let sections: String = format!("{sections}\n# Log files\n{log}").lines().map(lower).collect();
    format!("{}\n{sections}", include_str!("reference.md"))
}

/// A writer of frames.
#[derive(Clone, Debug, Default)]
pub struct FrameWriter {
    next: u8,
}

impl From<u8> for FrameWriter {
    /// Starts with this sequence number.
    fn from(next: u8) -> Self {
        Self { next }
    }
}

impl FrameWriter {
    /// Sequence number of the next frame.
    pub fn next(&self) -> u8 {
        self.next
    }

    /// The frame of a packet.
    pub fn frame(&mut self, packet: &Packet) -> Vec<u8> {
        let frame = encode(self.next, &packet.to_words());
        self.next = self.next.wrapping_add(1);
        frame
    }
}

/// A reader of frames.
#[derive(Clone, Debug, Default)]
pub struct FrameReader {
    bytes: Vec<u8>,
    next: Option<u8>,
    /// The chip has sent a request, so that it may send frames again.
    requested: bool,
    /// A missing frame will be sent again.
    ordered: bool,
    /// Frames missing since the last packet.
    missing: u64,
    /// Lost or damaged frames, according to sequence numbers.
    pub lost: u64,
    /// Bytes outside frames.
    pub skipped: u64,
    /// Frames whose words are not a packet.
    pub malformed: u64,
}

impl FrameReader {
    /// Reads a link from its beginning, so that frames missing before the first one that arrives are counted.
    pub fn from_start() -> Self {
        Self { next: Some(0), ..Self::default() }
    }

    /// From now on the chip holds its frames: those that come before a missing one is sent again are ignored.
    pub fn hold(&mut self) {
        self.ordered = true;
    }

    /// Number of the next frame.
    pub fn expected(&self) -> u8 {
        self.next.unwrap_or(0)
    }

    /// Takes bytes; returns the packets that are now complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Packet> {
        self.push_with_gaps(bytes).into_iter().map(|(_, packet)| packet).collect()
    }

    /// As [`FrameReader::push`], each packet with the number of frames that are missing before it.
    pub fn push_with_gaps(&mut self, bytes: &[u8]) -> Vec<(u64, Packet)> {
        self.bytes.extend(bytes);
        let (mut packets, mut at) = (Vec::new(), 0);
        while self.bytes.len() - at >= 3 {
            let rest = &self.bytes[at..];
            let words = usize::from(rest[1]);
            if rest[0] != START || !(2..=MAX_WORDS).contains(&words) {
                at += 1;
                self.skipped += 1;
                continue;
            }
            let end = 3 + 2 * words;
            if rest.len() < end + 2 {
                break;
            }
            if CRC.checksum(&rest[1..end]) != u16::from_le_bytes([rest[end], rest[end + 1]]) {
                at += 1;
                self.skipped += 1;
                continue;
            }
            let number = rest[2];
            let words: Vec<u16> = rest[3..end].chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
            at += end + 2;
            let packet = Packet::parse(&words);
            let is_request = packet.as_ref().is_ok_and(is_request);
            if !self.is_next(number, is_request) {
                continue;
            }
            match packet {
                Ok(packet) => packets.push((std::mem::take(&mut self.missing), packet)),
                Err(_) => {
                    self.malformed += 1;
                    self.missing += 1;
                }
            }
        }
        self.bytes.drain(..at);
        packets
    }

    /// Counts the frames missing before that of `number`; false: it is ignored.
    fn is_next(&mut self, number: u8, is_request: bool) -> bool {
        let ahead = number.wrapping_sub(self.next.unwrap_or(number));
        self.requested |= is_request;
        // the chip keeps no frame before that of the request's number
        let missing = if is_request {
            if ahead < 128 {
                ahead
            } else {
                0
            }
        } else if (self.requested && ahead.wrapping_neg().wrapping_sub(1) < KEPT) || (self.ordered && ahead > 0) {
            return false;
        } else {
            ahead
        };
        self.lost += u64::from(missing);
        self.missing += u64::from(missing);
        if !is_request {
            self.next = Some(number.wrapping_add(1));
        } else if missing > 0 {
            self.next = Some(number);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::diag::packet::{Args, Event, Op, HOST};
    use sim::stimulus::Source;

    fn packet(n: u32) -> Packet {
        Packet::event(1, 63, Event { id: 1, args: Args::of(&[n]), time: Some(n), ..Event::default() })
    }

    #[test]
    fn a_frame_is_the_bytes_worked_by_hand() {
        let mut w = FrameWriter::default();
        let bare = Packet::event(2, 63, Event { id: 0x21, core: 3, ..Event::default() });
        // CRC-16/KERMIT of 02 00 c2 0f 21 03
        let frame = w.frame(&bare);
        assert_eq!(frame[..7], [0xd5, 2, 0, 0xc2, 0x0f, 0x21, 0x03]);
        assert_eq!(CRC.checksum(b"123456789"), 0x2189);
        assert_eq!(frame.len(), sim::diag::chip::FRAME_BYTES + 4);
        assert_eq!(w.frame(&bare)[2], 1);
    }

    #[test]
    fn frames_missing_at_the_beginning_are_counted() {
        let mut w = FrameWriter::default();
        w.frame(&packet(0));
        let second = w.frame(&packet(1));
        for (mut reader, lost) in [(FrameReader::from_start(), 1), (FrameReader::default(), 0)] {
            assert_eq!((reader.push_with_gaps(&second), reader.lost), (vec![(lost, packet(1))], lost));
        }
    }

    /// A reader that waits for a missing frame ignores those after it, and takes them when they come again.
    #[test]
    fn frames_that_come_before_a_missing_one_are_ignored_while_the_chip_holds_them() {
        let (mut w, mut reader) = (FrameWriter::default(), FrameReader::from_start());
        let frames: Vec<Vec<u8>> = (0..4).map(|n| w.frame(&packet(n))).collect();
        reader.hold();
        assert_eq!(reader.push(&frames[0]), [packet(0)]);
        assert_eq!((reader.push(&frames[2]), reader.push(&frames[3])), (vec![], vec![]));
        assert_eq!((reader.expected(), reader.lost), (1, 0));
        assert_eq!(reader.push(&frames[1..].concat()), [packet(1), packet(2), packet(3)]);
        assert_eq!((reader.expected(), reader.lost), (4, 0));
    }

    /// What a request of the chip looks like, with the number of the frame after it.
    fn request(number: u8) -> Vec<u8> {
        FrameWriter::from(number).frame(&Packet::control(HOST, HOST, Op::Error, 0, &[0, 0, 0]))
    }

    fn numbered(number: u8) -> Vec<u8> {
        FrameWriter::from(number).frame(&packet(number.into()))
    }

    #[test]
    fn a_writer_starts_with_the_number_that_it_is_given() {
        let mut w = FrameWriter::from(7);
        assert_eq!((w.next(), w.frame(&packet(1))[2], w.next()), (7, 7, 8));
    }

    #[test]
    fn bytes_outside_frames_and_words_that_are_no_packet_are_counted() {
        let mut reader = FrameReader::from_start();
        // bytes that start no frame, then two frames with nothing between them
        let bytes = [vec![1, 2, 3], numbered(0), numbered(1)].concat();
        assert_eq!((reader.push(&bytes), reader.skipped), (vec![packet(0), packet(1)], 3));
        // each byte of a damaged frame is skipped
        let mut damaged = numbered(2);
        damaged[4] ^= 1;
        assert!(!damaged[1..].contains(&START));
        assert_eq!(reader.push(&[damaged.clone(), numbered(2)].concat()), [packet(2)]);
        assert_eq!((reader.skipped, reader.lost), (3 + damaged.len() as u64, 0));
        // two frames whose first word says another length
        let no_packet = |number| encode(number, &[0x4fc2, 0]);
        assert_eq!(reader.push_with_gaps(&[no_packet(3), no_packet(4), numbered(5)].concat()), [(2, packet(5))]);
        assert_eq!((reader.malformed, reader.lost), (2, 0));
    }

    #[test]
    fn a_request_tells_which_frames_are_gone() {
        let mut reader = FrameReader::from_start();
        assert_eq!(reader.push_with_gaps(&request(3))[0].0, 3);
        assert_eq!((reader.lost, reader.expected()), (3, 3));
        // half of the numbers are ahead, the other half are behind
        let asked = |number| {
            let mut reader = FrameReader { next: Some(10), ..FrameReader::default() };
            reader.push(&request(number));
            (reader.lost, reader.expected())
        };
        assert_eq!([asked(10), asked(11), asked(137)], [(0, 10), (1, 11), (127, 137)]);
        assert_eq!([asked(138), asked(9)], [(0, 10), (0, 10)]);
    }

    /// Once the chip has sent a request, frames with the last 16 numbers are those that it sends again.
    #[test]
    fn frames_that_are_sent_again_are_ignored_only_after_a_request() {
        let lost = |asked: bool, number: u8| {
            let mut reader = FrameReader { next: Some(100), ..FrameReader::default() };
            if asked {
                reader.push(&request(100));
                // the request is remembered
                assert_eq!(reader.push(&numbered(100)), [packet(100)]);
            } else {
                reader.next = Some(101);
            }
            (reader.push(&numbered(number)).len(), reader.lost)
        };
        assert_eq!([lost(true, 101), lost(true, 103)], [(1, 0), (1, 2)]);
        assert_eq!([lost(true, 100), lost(true, 85), lost(true, 84)], [(0, 0), (0, 0), (1, 239)]);
        assert_eq!([lost(false, 101), lost(false, 100), lost(false, 85)], [(1, 0), (1, 255), (1, 240)]);
    }

    #[test]
    fn a_damaged_frame_affects_no_other() {
        let mut s = Source::seeded(3);
        for _ in 0..200 {
            let (mut w, mut r) = (FrameWriter::default(), FrameReader::default());
            let frames: Vec<Vec<u8>> = (0..100).map(|n| w.frame(&packet(n * 0x00d5_0504))).collect();
            let bad = 1 + s.below(90) as usize;
            let mut bytes = Vec::new();
            for (n, frame) in frames.iter().enumerate() {
                let mut frame = frame.clone();
                if n == bad {
                    match s.below(3) {
                        0 => frame.clear(),
                        1 => frame.truncate(s.below(frame.len() as u64) as usize),
                        _ => {
                            let at = s.below(frame.len() as u64) as usize;
                            frame[at] ^= 1 << s.below(8);
                        }
                    }
                }
                bytes.extend(frame);
            }
            let mut found = Vec::new();
            while !bytes.is_empty() {
                let n = (1 + s.below(40) as usize).min(bytes.len());
                found.extend(r.push(&bytes.drain(..n).collect::<Vec<_>>()));
            }
            assert_eq!((found.len(), r.lost), (99, 1));
            assert!(found
                .iter()
                .enumerate()
                .all(|(n, p)| *p == packet((n + usize::from(n >= bad)) as u32 * 0x00d5_0504)));
        }
    }
}
