//! The chip's end of a line: golden framer and receiver

use diag::line::FrameReceiver;
use sim::diag::framer::Framer;
use sim::diag::packet::Packet;
use std::collections::VecDeque;

#[derive(Default)]
pub struct ChipEnd {
    framer: Framer,
    receiver: FrameReceiver,
    waiting: VecDeque<Packet>,
}

impl ChipEnd {
    /// Sends a packet when there is room; returns the bytes that leave now.
    pub fn send(&mut self, packet: &Packet) -> Vec<u8> {
        self.waiting.push_back(packet.clone());
        self.bytes()
    }

    /// Takes bytes of the host; returns the bytes that leave then.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for byte in bytes {
            // nothing else is on the ring
            self.receiver.push(*byte);
            if let Some((expected, hold)) = self.receiver.take_again() {
                self.framer.again(expected, hold);
            }
            if self.receiver.request_pending() {
                let request = self.receiver.take_request(self.framer.newest());
                out.extend(self.framer.status(&request.to_words()));
            }
            out.extend(self.bytes());
        }
        out
    }

    fn bytes(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(frame) = self.framer.repeated() {
            out.extend(frame);
        }
        while self.framer.has_space() {
            let Some(packet) = self.waiting.pop_front() else { break };
            out.extend(self.framer.frame(&packet.to_words()));
        }
        out
    }
}
