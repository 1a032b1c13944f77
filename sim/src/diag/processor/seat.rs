//! The diagnosis processor at the ring of the golden chip, and by itself
//!
//! At the ring an event takes as long as its handler does; what that sends leaves when it is done. So the golden chip is near to the
//! circuit, where packets leave in between, but not clock for clock.

use super::node::Processor;
use crate::diag::packet::{Body, Event, Op, Outbox, Packet};
use crate::diag::ring::RingNode;
use std::collections::VecDeque;

/// A processor with what it has to send.
#[derive(Clone, Debug)]
pub struct Seat {
    processor: Processor,
    /// When its handler is done, and what that sends.
    works: Option<(u64, Vec<Packet>)>,
    out: VecDeque<Packet>,
}

impl Default for Seat {
    fn default() -> Self {
        Self { processor: Processor::new(0), works: None, out: VecDeque::new() }
    }
}

impl Seat {
    /// The processor.
    pub fn processor(&self) -> &Processor {
        &self.processor
    }

    /// Writes registers at once.
    pub fn set(&mut self, writes: &[(u16, u16)]) {
        writes.iter().for_each(|w| self.processor.write(w.0, w.1));
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.works.is_none() && self.out.is_empty() && self.processor.is_waiting()
    }

    /// One clock at the ring, under an address.
    pub fn clock(&mut self, address: u8, now: u64, port: &mut RingNode) {
        while port.fate().is_some() {}
        self.processor.set_address(address);
        if self.processor.has_room() || !self.processor.is_running() {
            if let Some(words) = port.receive() {
                self.out.extend(self.processor.take(&words));
            }
        }
        if self.works.as_ref().is_some_and(|w| now >= w.0) {
            self.out.extend(self.works.take().map(|w| w.1).unwrap_or_default());
        }
        if self.works.is_none() && !self.processor.is_waiting() {
            let mut sent = Vec::new();
            let clocks = self.processor.run(now as u32, true, &mut sent);
            self.works = Some((now + clocks, sent));
        }
        if port.ready() {
            if let Some(packet) = self.out.pop_front() {
                port.send(self.processor.told(packet).to_words());
            }
        }
    }

    /// A flush, from the host.
    pub fn flush(&mut self, address: u8) {
        self.processor.set_address(address);
        let flush = Packet::control(crate::diag::packet::HOST, address, Op::Flush, 0, &[]);
        self.out.extend(self.processor.take(&flush.to_words()));
    }

    /// An event without a ring, or a flush: what the program sends for it.
    pub fn handle(&mut self, event: Option<&Event>, out: &mut Outbox) {
        let packet = match event {
            Some(e) => Packet::event(e.core, 0, *e),
            None => Packet::control(crate::diag::packet::HOST, 0, Op::Flush, 0, &[]),
        };
        let mut sent: Vec<Packet> = self.processor.take(&packet.to_words()).into_iter().collect();
        self.processor.run(event.and_then(|e| e.time).unwrap_or(0), false, &mut sent);
        for packet in sent {
            if let Packet { dest, body: Body::Event(e), .. } = self.processor.told(packet) {
                out.push((dest, e));
            }
        }
    }
}
