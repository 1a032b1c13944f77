//! The host's side of a trace that accompanies a script: adds the points found in the trace to the events of triggers
//!
//! Packets are taken in order of arrival. Trace words are replayed with the program as they arrive, except for the last
//! few, since a message must be complete. Generators like those of a chip, with a slot for each of these points, watch
//! the replayed instructions and make the events that triggers would have made.

use crate::arrivals::{add, Host};
use crate::layout::Layout;
use crate::runtime::Runtime;
use crate::watch::Watcher;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::diag::chip::FRAME_BYTES;
use sim::diag::generator::{Generator, Losses};
use sim::diag::node::trace::{TraceReassembler, ADDRESS};
use sim::diag::packet::{Event, Packet};
use sim::diag::trigger::GeneratorParams;
use sim::params::TraceParams;
use sim::replay::{Replay, ReplaySink};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Words kept back while more may arrive: no message is as long.
const MAX_MESSAGE_WORDS: usize = 16;

/// Results of the trace.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// Trace words.
    pub words: Vec<u32>,
    /// Packets that were missing, modulo 4096.
    pub missing: u64,
    /// Maximum number of words that waited for the link, for a chip whose trace system buffers any number.
    pub max_waiting: Option<u64>,
    /// Bytes of the packets that arrived, including frames.
    pub bytes: u64,
    /// Number of instructions reported as lost, and number of gaps: points among them are missed.
    pub lost: (u64, u64),
    /// Number of events from the trace.
    pub events: u64,
    /// Losses among them, which a generator cannot avoid.
    pub losses: Losses,
}

/// Words that arrived and are not yet replayed.
#[derive(Clone, Debug, Default)]
struct Waiting(Rc<RefCell<VecDeque<u32>>>);

impl Iterator for Waiting {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0.borrow_mut().pop_front()
    }
}

/// Makes events from replayed instructions.
struct Points {
    watcher: Watcher,
    generators: Vec<Generator>,
    events: Vec<Event>,
    lost: (u64, u64),
}

impl ReplaySink for Points {
    fn event(&mut self, e: &FlowEvent) {
        if let FlowKind::Gap { lost } = e.kind {
            self.lost = (self.lost.0 + u64::from(lost), self.lost.1 + 1);
        }
        let (generators, events) = (&mut self.generators, &mut self.events);
        self.watcher.event(e, &mut |core, seen| {
            let generator = &mut generators[usize::from(core)];
            generator.observe(seen);
            while !generator.is_idle() {
                generator.clock(None);
                events.extend(generator.pop().map(|hit| hit.1));
            }
        });
    }
}

impl Points {
    /// Passes the events to the runtime.
    fn emit(&mut self, runtime: &mut Runtime) -> Result<u64, String> {
        if let Some(e) = &self.watcher.error {
            return Err(format!("trace: {e}"));
        }
        let found = self.events.len() as u64;
        // the trace has no cycle per instruction
        self.events.drain(..).for_each(|e| runtime.take(&Event { time: None, ..e }));
        Ok(found)
    }
}

/// The host takes all packets that arrived, including those of the trace, which was made with `params` from `cores`
/// cores that run `image`.
pub fn take<'p>(
    host: &mut Host,
    layout: &Layout,
    (params, image): (&TraceParams, &Image),
    packets: impl IntoIterator<Item = &'p Packet>,
) -> Result<Replayed, String> {
    let sizes = GeneratorParams { xlen: layout.xlen, slots: u8::MAX, wide: u8::MAX, ..GeneratorParams::FULL };
    let mut generators: Vec<Generator> = (0..params.cores).map(|c| Generator::new(sizes, c)).collect();
    for g in &mut generators {
        g.set(layout.traced.clone()).map_err(|e| e.to_string())?;
    }
    let watcher = Watcher::new(image.clone(), params.cores, layout.xlen);
    let mut points = Points { watcher, generators, events: Vec::new(), lost: (0, 0) };
    let (waiting, mut joined, mut found) = (Waiting::default(), TraceReassembler::default(), Replayed::default());
    let mut replay: Option<Replay<'_, Waiting>> = None;
    let mut go = |left: usize, points: &mut Points, host: &mut Host| -> Result<u64, String> {
        let waits = || waiting.0.borrow().len() > left;
        let mut events = 0;
        let mut more = waits();
        while more {
            let replay = match &mut replay {
                Some(replay) => replay,
                none => none.insert(Replay::new(image, params, waiting.clone()).map_err(|e| format!("trace: {e}"))?),
            };
            more = replay.step(points).map_err(|e| format!("trace: {e}"))? && (left == 0 || waits());
            events += points.emit(host.runtime())?;
        }
        Ok(events)
    };
    for packet in packets {
        let told = joined.words.len();
        if joined.take(packet) {
            found.bytes += (2 * packet.to_words().len() + FRAME_BYTES) as u64;
            waiting.0.borrow_mut().extend(&joined.words[told..]);
            found.events += go(MAX_MESSAGE_WORDS, &mut points, host)?;
        } else if packet.src != ADDRESS || layout.flushed.contains(&ADDRESS) {
            host.take(packet);
        }
    }
    found.events += go(0, &mut points, host)?;
    points.generators.iter().for_each(|g| {
        add(&mut found.losses, g.counts().0);
        host.runtime().lost += g.unreported();
    });
    Ok(Replayed { words: joined.words, missing: joined.missing, lost: points.lost, ..found })
}
