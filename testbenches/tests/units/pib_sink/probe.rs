//! A trace probe: messages from the pins of a PIB sink, by the texts of RISC-V Trace Control Interface 1.0 and N-Trace 1.0
//!
//! It has the level of the pins in each cycle of the sender's clock, and knows the mode and the divider, as a tool has set them.

/// The protocol of the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The end of a message is 3 in the lowest bits of a byte, idle is all ones.
    NTrace,
    /// The first byte has the length; idle is 0.
    ETrace {
        /// Bytes after the first one that the length does not count.
        source: u8,
    },
    /// Four bytes.
    Words,
}

/// The pins in one cycle.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub clk: bool,
    pub data: u16,
}

/// A probe.
pub struct Probe {
    pub protocol: Protocol,
    /// `trPibMode`.
    pub mode: u32,
    /// Cycles of a period.
    pub cycles: usize,
}

/// The data at each edge of the clock, of either direction.
pub fn beats(lines: &[Line]) -> Vec<u16> {
    lines.windows(2).filter(|w| w[0].clk != w[1].clk).map(|w| w[1].data).collect()
}

impl Probe {
    /// The messages, in order.
    pub fn messages(&self, lines: &[Line]) -> Vec<Vec<u8>> {
        match self.mode {
            4 => self.manchester(lines),
            5 => self.split(&self.uart(lines)),
            _ => self.parallel(&beats(lines)),
        }
    }

    /// The level in the middle of each period from `at` on.
    fn levels<'a>(&self, lines: &'a [Line], at: usize) -> impl Iterator<Item = u16> + 'a {
        lines[(at + self.cycles / 2).min(lines.len())..].iter().step_by(self.cycles).map(|l| l.data & 1)
    }

    fn uart(&self, lines: &[Line]) -> Vec<u8> {
        let (mut bytes, mut at) = (Vec::new(), 0);
        while let Some(start) = lines[at..].iter().position(|l| l.data & 1 == 0) {
            let bits: Vec<u16> = self.levels(lines, at + start).take(10).collect();
            if bits.len() < 10 {
                break;
            }
            assert_eq!((bits[0], bits[9]), (0, 1), "start and stop bit");
            bytes.push(bits[1..9].iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8));
            at += start + 9 * self.cycles + self.cycles / 2;
        }
        bytes
    }

    /// A message is what is between a start bit (1, 0) and a stop bit (0, 0).
    fn manchester(&self, lines: &[Line]) -> Vec<Vec<u8>> {
        let (mut messages, mut at) = (Vec::new(), 0);
        while let Some(start) = lines[at..].iter().position(|l| l.data & 1 == 1) {
            at += start;
            let levels: Vec<u16> = self.levels(lines, at).collect();
            let mut bits = levels.chunks_exact(2).map(|c| (c[0], c[1]));
            assert_eq!(bits.next(), Some((1, 0)), "start bit");
            let body: Vec<(u16, u16)> = bits.by_ref().take_while(|b| *b != (0, 0)).collect();
            if (2 * body.len() + 4) * self.cycles > lines.len() - at {
                break;
            }
            assert!(body.len() % 8 == 0 && body.iter().all(|b| b.0 != b.1), "{} bits", body.len());
            let byte = |c: &[(u16, u16)]| c.iter().rev().fold(0, |byte, bit| byte << 1 | bit.0 as u8);
            messages.push(body.chunks(8).map(byte).collect());
            at += (2 * body.len() + 4) * self.cycles;
        }
        messages
    }

    fn parallel(&self, beats: &[u16]) -> Vec<Vec<u8>> {
        let width = 1 << (self.mode - 8);
        let idle = if self.protocol == Protocol::NTrace { u16::MAX } else { 0 };
        let used = u16::MAX >> (16 - width);
        assert!(beats.iter().all(|b| b & !used == 0), "signals that the mode does not use are 0");
        assert!(beats.len() > 8 && beats[0] == idle & used, "idle before the first message");
        if width == 16 {
            let bytes: Vec<u8> = beats.iter().flat_map(|b| b.to_le_bytes()).collect();
            return self.split(&bytes);
        }
        let bits: Vec<bool> = beats.iter().flat_map(|b| (0..width).map(move |n| b >> n & 1 == 1)).collect();
        let byte = |at: usize| bits[at..at + 8].iter().rev().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit));
        if self.protocol != Protocol::NTrace || width == 8 {
            let bytes: Vec<u8> = (0..bits.len() / 8).map(|n| byte(8 * n)).collect();
            return self.split(&bytes);
        }
        // Any number of ones between messages. No more than 13 are elsewhere before a zero: six of a byte, and seven of the last one.
        let ones = bits.iter().take_while(|bit| **bit).count();
        assert!(ones >= 14, "{ones} idle bits before the first message");
        let (mut messages, mut at) = (Vec::new(), ones);
        while at < bits.len() {
            if bits[at] {
                at += 1;
                continue;
            }
            let mut message = Vec::new();
            while at + 8 <= bits.len() {
                message.push(byte(at));
                at += 8;
                if message.ends_with(&[byte(at - 8) | 3]) {
                    break;
                }
            }
            messages.push(message);
        }
        messages
    }

    /// Messages between idle bytes.
    fn split(&self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let (mut messages, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            let rest = &bytes[at..];
            let length = match self.protocol {
                Protocol::NTrace if rest[0] == 0xff => 0,
                Protocol::NTrace => rest.iter().position(|b| b & 3 == 3).map_or(rest.len(), |n| n + 1),
                Protocol::ETrace { .. } if rest[0] == 0 => 0,
                Protocol::ETrace { source } => usize::from(1 + (rest[0] & 31) + source),
                Protocol::Words => 4,
            };
            if length > 0 {
                messages.push(rest[..length.min(rest.len())].to_vec());
            }
            at += length.max(1);
        }
        messages
    }
}
