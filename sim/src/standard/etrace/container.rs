//! Containers: how packets are framed in a byte stream
//!
//! | container | header | source |
//! | --- | --- | --- |
//! | [`Container::Raw`] | none: packets are not compressed, and each begins on a byte | |
//! | [`Container::Smi`] | length 5, type 2, time tag 1; then a time tag of 16 bits and the source | reference flow |
//! | [`Container::Utdd`] | length 5, flow 2, extend 1; then source, time stamp if `extend`, and type | Unformatted Trace & Diagnostic Data Packet Encapsulation |
//! | [`Container::Esp32`] | length 5 (with the header), 3 zeros, index 16; zeros between packets | memory dumps of ESP32-C6 and -H2 |

use super::params::Parameters;
use std::ops::Range;

/// A framing of E-Trace packets in a byte stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// Payloads without compression.
    Raw,
    /// Siemens Messaging Infrastructure.
    Smi,
    /// Unformatted Trace & Diagnostic Data.
    Utdd,
    /// ESP32's memory dump.
    Esp32,
}

/// A frame with one E-Trace packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Padding, and packets of other traces.
    Idle,
    /// Data trace.
    Other,
    /// Packets were lost before the next one.
    Lost,
    /// Bytes that are no frame.
    Bad(&'static str),
    /// An instruction trace packet.
    Packet {
        /// Source.
        source: u16,
        /// Time stamp.
        time: Option<u64>,
        /// Its payload. For [`Container::Raw`] up to the end of the bytes; the packet says how many it has.
        payload: Range<usize>,
        /// First bit of the payload in its first byte.
        shift: u8,
    },
}

/// Longest frame, bytes.
pub const MAX_FRAME: usize = 96;

/// A reader of frames from a byte stream.
#[derive(Clone, Debug)]
pub struct Frames {
    container: Container,
    source_width: u8,
    timestamp_bytes: u8,
    type_width: u8,
    /// ESP32: the next index.
    index: Option<u16>,
    /// Zeros so far; after 32 the next byte begins a packet.
    zeros: u32,
    /// Bytes are skipped up to the next place where a packet certainly begins.
    astray: bool,
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, b| value << 8 | u64::from(*b))
}

impl Frames {
    /// A reader at the first byte.
    pub fn new(container: Container, p: &Parameters) -> Self {
        let Parameters { source_width, timestamp_bytes, type_width, .. } = *p;
        Self { container, source_width, timestamp_bytes, type_width, index: None, zeros: 0, astray: false }
    }

    /// The frame at the beginning of `bytes`, which are not empty, and its length. `None` if more bytes are needed.
    /// `last`: no bytes follow; then it is `Bad` in place of `None`.
    pub fn next(&mut self, bytes: &[u8], last: bool) -> Option<(Frame, usize)> {
        if self.container != Container::Raw {
            if bytes[0] == 0 && (self.container != Container::Esp32 || self.astray) {
                self.zeros += 1;
                return Some((Frame::Idle, 1));
            }
            // a packet has at most 31 bytes of payload, of which the last may be followed by one of zeros
            let aligned = std::mem::take(&mut self.zeros) >= 32;
            self.astray &= !aligned;
            if self.astray && self.container != Container::Esp32 {
                return Some((Frame::Idle, 1));
            }
        }
        let frame = match self.container {
            Container::Raw => {
                let payload = 0..bytes.len();
                return Some((Frame::Packet { source: 0, time: None, payload, shift: 0 }, bytes.len()));
            }
            Container::Smi => self.smi(bytes),
            Container::Utdd => self.utdd(bytes),
            Container::Esp32 => self.esp32(bytes),
        };
        match frame {
            None if last => Some((Frame::Bad("the bytes end inside a packet"), bytes.len())),
            Some((Frame::Bad(_), _)) => {
                self.astray = true;
                frame
            }
            frame => frame,
        }
    }

    fn smi(&self, bytes: &[u8]) -> Option<(Frame, usize)> {
        let (length, tagged) = (usize::from(bytes[0] & 31), bytes[0] & 0x80 != 0);
        let time = 1 + 2 * usize::from(tagged);
        let begin = time + usize::from(self.source_width).div_ceil(8);
        let end = begin + length;
        let header = bytes.get(..begin)?;
        let frame = match (header[0] >> 5 & 3, length) {
            (_, 0) => Frame::Bad("a packet of length 0"),
            (2, _) => {
                let source = little(&header[time..]) as u16 & ((1u32 << self.source_width) - 1) as u16;
                let time = tagged.then(|| little(&header[1..3]));
                Frame::Packet { source, time, payload: begin..end, shift: 0 }
            }
            (3, _) => Frame::Other,
            _ => return Some((Frame::Bad("a packet type that is neither instruction nor data trace (2, 3)"), 1)),
        };
        bytes.get(..end).map(|_| (frame, end))
    }

    fn utdd(&self, bytes: &[u8]) -> Option<(Frame, usize)> {
        let (length, extend) = (usize::from(bytes[0] & 31), bytes[0] & 0x80 != 0);
        if length == 0 {
            return Some((Frame::Idle, 1));
        }
        let time_bytes = if extend { usize::from(self.timestamp_bytes) } else { 0 };
        // source, type and payload are packed; the time stamp is between source and type
        let source_bytes = usize::from(self.source_width / 8);
        let source_bits = self.source_width % 8;
        let end = 1 + source_bytes + time_bytes + length;
        let whole = bytes.get(..end)?;
        let word = |from: usize| little(&whole[from..end.min(from + 8)]);
        let source = (word(1) & ((1u64 << self.source_width) - 1)) as u16;
        let at = 8 * (1 + time_bytes) + usize::from(self.source_width);
        let time = (time_bytes > 0).then(|| {
            let from = 1 + source_bytes;
            let mut bytes = [0; 16];
            let end = end.min(from + 16);
            bytes[..end - from].copy_from_slice(&whole[from..end]);
            (u128::from_le_bytes(bytes) >> source_bits) as u64 & (u64::MAX >> (64 - 8 * time_bytes))
        });
        let bit = |at: usize| whole.get(at / 8).map_or(0, |b| b >> (at % 8) & 1);
        let kind = match self.type_width {
            0 => 2,
            1 => bit(at) + 2,
            _ => bit(at) | bit(at + 1) << 1,
        };
        let begin = at + usize::from(self.type_width);
        let frame = match kind {
            2 if begin / 8 < end => Frame::Packet { source, time, payload: begin / 8..end, shift: (begin % 8) as u8 },
            2 => Frame::Bad("a packet without payload"),
            3 => Frame::Other,
            _ => return Some((Frame::Bad("a packet type that is neither instruction nor data trace (2, 3)"), 1)),
        };
        Some((frame, end))
    }

    /// Whether a packet with `index` may begin here.
    fn esp32_begins(bytes: &[u8], index: Option<u16>) -> bool {
        let fits = |b: &[u8]| b[0] >> 5 == 0 && b[0] > 3;
        bytes.len() >= 3 && fits(bytes) && index.is_none_or(|i| little(&bytes[1..3]) == u64::from(i))
    }

    fn esp32(&mut self, bytes: &[u8]) -> Option<(Frame, usize)> {
        let length = usize::from(bytes[0] & 31);
        if bytes[0] == 0 {
            return Some((Frame::Idle, 1));
        }
        if self.astray {
            // a packet, and after it the next one or zeros to the end of a block
            let whole = bytes.get(..length.max(3) + 3)?;
            let index = little(&whole[1..3]) as u16;
            let then = &whole[length.max(3)..];
            let follows = Self::esp32_begins(then, Some(index.wrapping_add(1))) || *then == [0; 3];
            if !Self::esp32_begins(whole, None) || !follows {
                return Some((Frame::Idle, 1));
            }
            (self.astray, self.index) = (false, None);
        }
        if bytes[0] >> 5 != 0 || length < 4 {
            return Some((Frame::Bad("a header that no packet has"), 1));
        }
        let whole = bytes.get(..length)?;
        let index = little(&whole[1..3]) as u16;
        let expected = self.index.replace(index.wrapping_add(1));
        if expected.is_some_and(|e| e != index) {
            // the packet itself comes next
            self.index = Some(index);
            return Some((Frame::Lost, 0));
        }
        Some((Frame::Packet { source: 0, time: None, payload: 3..length, shift: 0 }, length))
    }
}
