//! A host on a line that damages bytes in both directions
//!
//! Data from the host arrives complete and in order, however many repetitions it takes ([`crate::line`]). While the
//! cores run, the host is silent: a damaged frame from the chip is lost unless it is one of the last 16, and the number
//! of the next one reveals the loss. After the run the chip holds its frames, so that final tables and logs arrive
//! complete, too. The host requests frames until it is certain that it has all of them.

use crate::line::{request, Sender};
use crate::link::FrameReader;
use sim::diag::packet::Packet;
use sim::stimulus::Source;
use std::collections::VecDeque;

/// A line that damages bytes.
#[derive(Clone, Debug)]
pub struct Noise {
    source: Source,
    in_65536: u16,
    /// Number of bytes sent over the line, and of those damaged or lost.
    pub bytes: (u64, u64),
}

impl Noise {
    /// Creates a line that damages `in_65536` of 65,536 bytes.
    pub fn new(in_65536: u16, seed: u64) -> Self {
        Self { source: Source::seeded(seed), in_65536, bytes: (0, 0) }
    }

    /// The bytes as they arrive: a third of the affected bytes are lost, the others get a wrong bit.
    pub fn transmit(&mut self, bytes: &[u8]) -> Vec<u8> {
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

/// A host on a noisy line.
#[derive(Clone, Debug)]
pub struct NoisyHost {
    sender: Sender,
    reader: FrameReader,
    /// The line, in both directions.
    pub noise: Noise,
    packets: Vec<Packet>,
    /// Number of packets so far, and of frames missing since the last one.
    arrived: (usize, u64),
    /// Where frames are missing: number of packets before, and of frames.
    gaps: Vec<(usize, u64)>,
    asked: bool,
    /// Whether the chip holds its frames, and packets that are sent to it meanwhile.
    holding: bool,
    queued: VecDeque<Packet>,
    /// Number of the chip's next new frame, if the host expected it according to the last request.
    settled: Option<u8>,
}

impl NoisyHost {
    /// Creates a host with nothing to send.
    pub fn new(noise: Noise) -> Self {
        let (sender, reader) = (Sender::default(), FrameReader::from_start());
        Self {
            sender,
            reader,
            noise,
            packets: Vec::new(),
            arrived: (0, 0),
            gaps: Vec::new(),
            asked: true,
            holding: false,
            queued: VecDeque::new(),
            settled: None,
        }
    }

    /// Queues packets for the chip.
    pub fn send(&mut self, packets: &[Packet]) {
        packets.iter().for_each(|p| self.sender.send(p));
        (self.asked, self.settled) = (false, None);
    }

    /// Queues packets for the chip, whose results are not lost: from now on it holds its frames.
    pub fn send_held(&mut self, packets: &[Packet]) {
        self.reader.hold();
        self.queued.extend(packets.iter().cloned());
        (self.asked, self.settled, self.holding) = (false, None, true);
    }

    /// Takes bytes from the chip.
    pub fn receive(&mut self, bytes: &[u8]) {
        let bytes = self.noise.transmit(bytes);
        for (missing, packet) in self.reader.push_with_gaps(&bytes) {
            self.arrived.1 += missing;
            if !self.sender.take(&packet) {
                self.gaps.extend(self.gap());
                self.arrived = (self.arrived.0 + 1, 0);
                self.packets.push(packet);
            }
        }
    }

    /// Called when nothing arrives any more. Returns the next bytes for the chip, or `None` if all packets have arrived,
    /// in both directions.
    pub fn answer(&mut self) -> Option<Vec<u8>> {
        if !self.sender.is_done() {
            if self.asked {
                self.sender.on_timeout();
            }
        } else if self.is_settled() {
            let next = self.queued.pop_front()?;
            self.sender.send(&next);
        } else {
            self.sender.send(&request(self.reader.expected(), self.holding));
        }
        let mut bytes = Vec::new();
        while let Some(frame) = self.sender.bytes() {
            bytes.extend(frame);
        }
        self.asked = true;
        Some(self.noise.transmit(&bytes))
    }

    /// Whether two requests in a row say that all frames have arrived. One is not enough: frames that waited for
    /// room follow it.
    fn is_settled(&mut self) -> bool {
        let arrived = self.sender.newest.take().filter(|newest| *newest == self.reader.expected());
        let before = std::mem::replace(&mut self.settled, arrived);
        arrived.is_some() && before == arrived
    }

    /// Takes the packets that arrived since the last call.
    pub fn take(&mut self) -> Vec<Packet> {
        std::mem::take(&mut self.packets)
    }

    fn gap(&self) -> Option<(usize, u64)> {
        Some(self.arrived).filter(|gap| gap.1 > 0)
    }

    /// Where frames of the chip are missing: number of packets that arrived before, and of frames.
    pub fn gaps(&self) -> Vec<(usize, u64)> {
        self.gaps.iter().copied().chain(self.gap()).collect()
    }

    /// Number of the chip's frames that did not arrive, and of the host's frames that were repeated.
    pub fn lost(&self) -> (u64, u64) {
        (self.reader.lost + self.reader.malformed, self.sender.repeated)
    }
}
