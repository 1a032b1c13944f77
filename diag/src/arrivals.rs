//! The host's side of a link: packets as they arrive, and ticks

use crate::app::App;
use crate::layout::Layout;
use crate::runtime::Runtime;
use sim::diag::chip::TICK_EVENT;
use sim::diag::generator::Losses;
use sim::diag::packet::{Body, Op, Packet};
use std::collections::{BTreeMap, VecDeque};

/// Losses of one more generator.
pub(crate) fn add(sum: &mut Losses, l: Losses) {
    sum.queue += l.queue;
    sum.fifo += l.fifo;
    sum.returns += l.returns;
    sum.unknown += l.unknown;
}

/// The host's side of a link: takes packets, and ticks when all that was flushed before has arrived.
#[derive(Clone, Debug)]
pub struct Host {
    runtime: Runtime,
    /// Ticks whose flushes are on their way: number and clock.
    ticks: VecDeque<(u16, u64)>,
    flushed: BTreeMap<u8, u16>,
}

impl Host {
    /// For an application as it is laid out.
    pub fn new(app: &App, layout: &Layout) -> Self {
        Self {
            runtime: Runtime::new(app, layout),
            ticks: VecDeque::new(),
            flushed: layout.flushed.iter().map(|a| (*a, 0)).collect(),
        }
    }

    /// What runs on the host.
    pub fn runtime(&mut self) -> &mut Runtime {
        &mut self.runtime
    }

    /// Lost events of which it was told.
    pub fn lost(&self) -> u64 {
        self.runtime.lost
    }

    /// A packet that arrived.
    pub fn take(&mut self, packet: &Packet) {
        match &packet.body {
            Body::Event(e) if e.id == TICK_EVENT => {
                let near = self.runtime.time();
                let low = e.time.unwrap_or(0);
                let time = near.wrapping_add_signed(i64::from(low.wrapping_sub(near as u32) as i32));
                self.ticks.push_back((e.args.first().copied().unwrap_or(0) as u16, time));
            }
            Body::Event(e) => self.runtime.take(e),
            Body::Control { op: Op::Flush, data, .. } => {
                self.flushed.insert(packet.src, data.first().copied().unwrap_or(0));
            }
            Body::Control { op: Op::Time, data, .. } if data.len() == 3 => {
                let high = u64::from(data[1]) | u64::from(data[2]) << 16;
                self.runtime.set_time(high << 32 | u64::from(data[0]) << 31);
            }
            Body::Control { .. } => {}
        }
        while let Some((n, time)) = self.ticks.front().copied() {
            // numbers wrap: what is older than the tick has a negative distance
            if self.flushed.values().any(|f| (f.wrapping_sub(n) as i16) < 0) {
                break;
            }
            self.ticks.pop_front();
            self.runtime.tick(time);
        }
    }

    /// No more packets come; the run ended in clock `cycles`.
    pub fn finish(&mut self, cycles: u64) {
        for (_, time) in std::mem::take(&mut self.ticks) {
            self.runtime.tick(time);
        }
        self.runtime.end(cycles);
    }
}
