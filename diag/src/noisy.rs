//! The host on a line that damages bytes, both ways
//!
//! What the host sends arrives whole and in order, however often it takes ([`crate::line`]). Of what the chip sends a damaged
//! frame is lost, and the number of the next one tells it. At the end the host asks once more, so that none is missing unseen.

use crate::line::Sender;
use crate::link::FrameReader;
use sim::diag::chip::FIRST_NODE;
use sim::diag::packet::{Op, Packet, HOST};
use sim::stimulus::Source;

/// A line that damages bytes.
#[derive(Clone, Debug)]
pub struct Noise {
    source: Source,
    in_65536: u16,
    /// Bytes that went over it, and those that it damaged or lost.
    pub bytes: (u64, u64),
}

impl Noise {
    /// Of 65,536 bytes so many are damaged.
    pub fn new(in_65536: u16, seed: u64) -> Self {
        Self { source: Source::seeded(seed), in_65536, bytes: (0, 0) }
    }

    /// Bytes as they arrive: of those that are hit a third is lost, of the others a bit is wrong.
    pub fn through(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for byte in bytes {
            self.bytes.0 += 1;
            if !self.source.per_64k(self.in_65536) {
                out.push(*byte);
                continue;
            }
            self.bytes.1 += 1;
            if !self.source.percent(33) {
                out.push(byte ^ 1 << self.source.below(8));
            }
        }
        out
    }
}

/// The host.
#[derive(Clone, Debug)]
pub struct NoisyHost {
    sender: Sender,
    reader: FrameReader,
    /// The line, both ways.
    pub noise: Noise,
    packets: Vec<Packet>,
    asked: bool,
    /// Whether the last question of this phase is on its way.
    closed: bool,
}

impl NoisyHost {
    /// With nothing to send.
    pub fn new(noise: Noise) -> Self {
        let (sender, reader) = (Sender::default(), FrameReader::default());
        Self { sender, reader, noise, packets: Vec::new(), asked: true, closed: false }
    }

    /// Packets that are to go to the chip.
    pub fn send(&mut self, packets: &[Packet]) {
        packets.iter().for_each(|p| self.sender.send(p));
        (self.asked, self.closed) = (false, false);
    }

    /// The chip sent bytes.
    pub fn came(&mut self, bytes: &[u8]) {
        let bytes = self.noise.through(bytes);
        for packet in self.reader.push(&bytes) {
            if !self.sender.take(&packet) {
                self.packets.push(packet);
            }
        }
    }

    /// Nothing comes any more: bytes that the chip gets next, or none where all packets have arrived there.
    pub fn answer(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.sender.is_done() {
            if self.closed {
                return None;
            }
            // what the chip says to this has a number behind all that it sent before
            (self.asked, self.closed) = (false, true);
            self.sender.send(&Packet::control(HOST, FIRST_NODE, Op::Read, 0, &[1]));
        }
        if !self.sender.is_done() && self.asked {
            self.sender.late();
        }
        while let Some(frame) = self.sender.bytes() {
            bytes.extend(frame);
        }
        self.asked = true;
        Some(self.noise.through(&bytes))
    }

    /// Packets that arrived here since this was last asked.
    pub fn take(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.packets)
    }

    /// Frames of the chip that did not arrive, and those of the host that were sent again.
    pub fn lost(&self) -> (u64, u64) {
        (self.reader.lost + self.reader.malformed, self.sender.repeated)
    }
}
