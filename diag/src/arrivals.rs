//! The host's side of a link: arriving packets, and ticks

use crate::app::App;
use crate::layout::Layout;
use crate::losses::Unreported;
use crate::runtime::Runtime;
use sim::diag::chip::{Chip, TICK_EVENT};
use sim::diag::generator::Losses;
use sim::diag::packet::{Body, Op, Packet};
use std::collections::{BTreeMap, VecDeque};

/// Adds the losses of another generator.
pub(crate) fn add(sum: &mut Losses, l: Losses) {
    sum.queue += l.queue;
    sum.fifo += l.fifo;
    sum.returns += l.returns;
    sum.unknown += l.unknown;
}

/// Lost events of a chip that no packet has reported: of each core, then of the nodes.
pub fn unreported(chip: &Chip) -> Vec<Unreported> {
    let of = |(events, yielded)| Unreported { events, yielded };
    let mut all: Vec<Unreported> = (0..chip.generators().len()).map(|g| of(chip.unreported_of(g))).collect();
    let nodes = chip.unreported() - all.iter().map(|u| u.events).sum::<u64>();
    all.push(Unreported { events: nodes, yielded: false });
    all
}

/// The host's side of a link: takes packets, and runs a tick once everything flushed before it has arrived.
#[derive(Clone, Debug)]
pub struct Host {
    runtime: Runtime,
    /// Ticks whose flushes have not all arrived: number, cycle, and ticks before it that were not sent.
    ticks: VecDeque<(u16, u64, u16)>,
    flushed: BTreeMap<u8, u16>,
}

impl Host {
    /// Creates the host for an application and its layout.
    pub fn new(app: &App, layout: &Layout) -> Self {
        Self {
            runtime: Runtime::new(app, layout),
            ticks: VecDeque::new(),
            flushed: layout.flushed.iter().map(|a| (*a, 0)).collect(),
        }
    }

    /// The runtime of the host.
    pub fn runtime(&mut self) -> &mut Runtime {
        &mut self.runtime
    }

    /// Number of lost events reported so far.
    pub fn lost(&self) -> u64 {
        self.runtime.lost
    }

    /// Takes a packet that arrived.
    pub fn take(&mut self, packet: &Packet) {
        match &packet.body {
            Body::Event(e) if e.id == TICK_EVENT => {
                let near = self.runtime.time();
                let low = e.time.unwrap_or(0);
                let time = near.wrapping_add_signed(i64::from(low.wrapping_sub(near as u32) as i32));
                self.ticks.push_back((e.args.first().copied().unwrap_or(0) as u16, time, e.lost));
            }
            Body::Event(e) => self.runtime.take_from(packet.src, e),
            Body::Control { op: Op::Flush, data, .. } => {
                self.flushed.insert(packet.src, data.first().copied().unwrap_or(0));
            }
            Body::Control { op: Op::Time, data, .. } if data.len() == 3 => {
                let high = u64::from(data[1]) | u64::from(data[2]) << 16;
                self.runtime.set_time(high << 32 | u64::from(data[0]) << 31);
            }
            Body::Control { .. } => {}
        }
        while let Some((n, time, unsent)) = self.ticks.front().copied() {
            // numbers wrap: one that is older than the tick has a negative distance
            if self.flushed.values().any(|f| (f.wrapping_sub(n) as i16) < 0) {
                break;
            }
            self.ticks.pop_front();
            self.runtime.tick_after(time, unsent);
        }
    }

    /// Takes the lost events that no packet has reported: of each core, then of the nodes.
    pub fn unreported(&mut self, events: &[Unreported]) {
        let Some((nodes, cores)) = events.split_last() else { return };
        for (core, events) in cores.iter().take(16).enumerate() {
            self.runtime.lose_at_end(Some(core as u8), *events);
        }
        self.runtime.lose_at_end(None, *nodes);
    }

    /// Ends the input: no more packets arrive, and the run ended in cycle `cycles`.
    pub fn finish(&mut self, cycles: u64) {
        for (_, time, unsent) in std::mem::take(&mut self.ticks) {
            self.runtime.tick_after(time, unsent);
        }
        self.runtime.end(cycles);
    }
}
