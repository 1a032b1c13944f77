//! The diagnosis processor as a client of the golden chip's ring, and standalone
//!
//! On the ring, an event occupies the processor as long as its handler runs, and the handler's packets leave when it is
//! done. The circuit sends packets during the handler, so the golden chip is close to it, but not cycle-accurate.

use super::node::Processor;
use crate::diag::packet::{Body, Event, Op, Outbox, Packet};
use crate::diag::ring::RingNode;
use std::collections::VecDeque;

/// A processor with its output queue.
#[derive(Clone, Debug)]
pub struct RingProcessor {
    processor: Processor,
    /// When its handler ends, and the packets that it then sends.
    works: Option<(u64, Vec<Packet>)>,
    out: VecDeque<Packet>,
}

impl Default for RingProcessor {
    fn default() -> Self {
        Self { processor: Processor::new(0), works: None, out: VecDeque::new() }
    }
}

impl RingProcessor {
    /// The processor itself.
    pub fn processor(&self) -> &Processor {
        &self.processor
    }

    /// The processor itself, for a recording.
    pub fn processor_mut(&mut self) -> &mut Processor {
        &mut self.processor
    }

    /// Writes registers immediately.
    pub fn set(&mut self, writes: &[(u16, u16)]) {
        writes.iter().for_each(|w| self.processor.write(w.0, w.1));
    }

    /// Whether no handler runs.
    pub fn is_waiting(&self) -> bool {
        self.works.is_none() && self.processor.is_waiting()
    }

    /// Whether nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.is_waiting() && self.out.is_empty()
    }

    /// One cycle on the ring, at an address.
    pub fn clock(&mut self, address: u8, now: u64, port: &mut RingNode) {
        while port.fate().is_some() {}
        self.processor.set_address(address);
        if self.processor.has_free_slot() || !self.processor.is_running() {
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
                port.send(self.processor.reported(packet).to_words());
            }
        }
    }

    /// Takes a flush from the host.
    pub fn flush(&mut self, address: u8) {
        self.processor.set_address(address);
        let flush = Packet::control(crate::diag::packet::HOST, address, Op::Flush, 0, &[]);
        self.out.extend(self.processor.take(&flush.to_words()));
    }

    /// Handles an event, or a flush, without a ring; appends the events that the program sends.
    pub fn handle(&mut self, event: Option<&Event>, out: &mut Outbox) {
        let packet = match event {
            Some(e) => Packet::event(e.core, 0, *e),
            None => Packet::control(crate::diag::packet::HOST, 0, Op::Flush, 0, &[]),
        };
        let mut sent: Vec<Packet> = self.processor.take(&packet.to_words()).into_iter().collect();
        self.processor.run(event.and_then(|e| e.time).unwrap_or(0), false, &mut sent);
        for packet in sent {
            if let Packet { dest, body: Body::Event(e), .. } = self.processor.reported(packet) {
                out.push((dest, e));
            }
        }
    }
}
