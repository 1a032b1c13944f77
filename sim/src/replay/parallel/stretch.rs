//! One stretch of a stream, replayed by a thread from its header on
//!
//! A thread that begins at a header knows a core from its sync on. Up to there, the thread of the stretch before follows the core,
//! past its own end.

use super::super::{Replay, ReplaySink, ReplaySummary};
use super::blocks::Words;
use crate::message::{Body, Escape, Message};
use retire::{FlowEvent, FlowKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

/// Events that are passed on together.
const BATCH: usize = 1 << 11;
/// Bits after its end in which a stretch must have seen the syncs of all its cores.
const MAX_TAIL: u64 = 1 << 22;

/// What all threads share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// No stretch that runs is needed.
    pub cancelled: AtomicBool,
    /// Memory of batches that were taken: pages that are used again are not cleared again.
    free: Mutex<Vec<Vec<FlowEvent>>>,
}

impl Shared {
    /// An empty batch.
    fn batch(&self) -> Vec<FlowEvent> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.unwrap_or_else(|| Vec::with_capacity(BATCH + BATCH / 8))
    }

    /// Takes back a batch.
    pub(super) fn give_back(&self, mut batch: Vec<FlowEvent>) {
        batch.clear();
        self.free.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
    }
}

/// A stretch to replay.
pub(super) struct Stretch<'a, 's, W> {
    /// At its header.
    pub replay: Replay<'a, Words<'s, W>>,
    /// It is the first one.
    pub first: bool,
    /// The bit, counted from its own beginning, at which the next stretch begins.
    pub end: Option<u64>,
}

/// Kind of a message of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    Sync,
    Stop,
    #[default]
    Other,
}

/// What happened in a message while not all cores were known, with the bits before and after the message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub bits: (u64, u64),
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum What {
    /// An event; `first`: the message is the first sync of its core in the stretch.
    Event { event: FlowEvent, first: bool },
    /// The first message of a core in the stretch; `opens`: it can be the first of all.
    Begin { core: u8, opens: bool },
}

/// What a thread passes on, in the order of the stream.
pub(super) enum Item<'a, 's, W> {
    Placed(Vec<Placed>),
    Events(Vec<FlowEvent>),
    /// The last item.
    End(Box<End<'a, 's, W>>),
}

/// How a stretch ended.
#[expect(clippy::large_enum_variant, reason = "an item holds it in a box")]
pub(super) enum End<'a, 's, W> {
    /// All cores were followed to where the next stretch knows them.
    Next(Next<'a, 's, W>),
    /// The stream ended.
    Stream { summary: ReplaySummary, stopped: Vec<bool> },
    /// It cannot be replayed alone.
    Failed,
}

/// The end of a stretch that another one follows.
pub(super) struct Next<'a, 's, W> {
    /// Replay as it was at the header of the next stretch.
    pub replay: Replay<'a, Words<'s, W>>,
    /// Totals up to that header, and of each core up to where the next stretch knows it.
    pub summary: ReplaySummary,
    /// The first bit and the cycle of the next stretch.
    pub start: (u64, u64),
    /// What happened after the header to cores that the next stretch does not know yet, and the last bit that was read for it.
    pub tail: Vec<Placed>,
    pub tail_end: u64,
    /// Cores that have had a sync before the header, and cores that have stopped before it.
    pub known: Vec<bool>,
    pub stopped: Vec<bool>,
}

/// Takes events. With `GAPS_ONLY`, the others are not wanted.
#[derive(Default)]
struct Taken<const GAPS_ONLY: bool> {
    events: Vec<FlowEvent>,
    message: (u8, Kind),
    /// The message can be the first one of its core.
    opens: bool,
    header: Option<u64>,
    cycle: u64,
}

impl<const GAPS_ONLY: bool> ReplaySink for Taken<GAPS_ONLY> {
    // a gap is the last event of its message, so nothing after it in the message can fail
    const UNCHECKED: bool = GAPS_ONLY;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        if !GAPS_ONLY || matches!(event.kind, FlowKind::Gap { .. }) {
            self.events.push(*event);
        }
    }

    fn header(&mut self, bit: u64) {
        self.header = Some(bit);
    }

    #[inline]
    fn message(&mut self, _: u64, message: &Message) {
        let kind = match message.body {
            Body::Escape(Escape::Sync { .. }) => Kind::Sync,
            Body::Escape(Escape::Stop { .. }) => Kind::Stop,
            _ => Kind::Other,
        };
        self.message = (message.core, kind);
        self.opens = matches!(message.body, Body::Escape(escape) if kind != Kind::Other && escape.i_cnt() == 0);
        if message.core == 0 {
            self.cycle += message.diff_cc;
        }
    }
}

/// What is known of the cores.
struct Cores {
    /// There was a message.
    seen: Vec<bool>,
    /// There was a sync.
    known: Vec<bool>,
    stopped: Vec<bool>,
}

/// After the header of the next stretch.
struct After<'a, 's, W> {
    next: Next<'a, 's, W>,
    /// Cores whose sync did not follow yet.
    waiting: Vec<bool>,
}

impl<'a, 's, W: Iterator<Item = u32>> Stretch<'a, 's, W> {
    /// Replays the stretch.
    pub(super) fn run<const GAPS_ONLY: bool>(self, items: &SyncSender<Item<'a, 's, W>>, shared: &Shared) {
        let end = self.replay::<GAPS_ONLY>(items, shared).unwrap_or(End::Failed);
        // nobody waits for a stretch that is not needed
        let _ = items.send(Item::End(Box::new(end)));
    }

    /// `None`: it cannot be replayed alone, or is cancelled.
    fn replay<const GAPS_ONLY: bool>(
        mut self,
        items: &SyncSender<Item<'a, 's, W>>,
        shared: &Shared,
    ) -> Option<End<'a, 's, W>> {
        let count = usize::from(self.replay.params.cores);
        let mut taken = Taken::<GAPS_ONLY>::default();
        let no = vec![false; count];
        let mut cores = Cores { seen: no.clone(), known: no.clone(), stopped: no };
        let mut placed = Vec::new();
        let mut joining = !self.first;
        let mut after: Option<After<'a, 's, W>> = None;
        loop {
            let bit = self.replay.position();
            if after.is_none() && self.end.is_some_and(|end| bit > end) || shared.cancelled.load(Ordering::Relaxed) {
                return None;
            }
            let more = self.replay.step(&mut taken).ok()?;
            let bits = (bit, self.replay.position());
            let (core, kind) = taken.message;
            let at = usize::from(core);
            if let Some(After { next, waiting }) = &mut after {
                for event in taken.events.drain(..).filter(|_| waiting[at]) {
                    next.tail.push(Placed { bits, what: What::Event { event, first: false } });
                }
                if waiting[at] && kind != Kind::Other {
                    waiting[at] = false;
                    next.summary.instructions[at] = self.replay.harts.instructions()[at];
                    if let (Some(to), Some(from)) = (&mut next.summary.confirmed, self.replay.harts.confirmed()) {
                        to[at] = from[at];
                    }
                }
                next.tail_end = bits.1;
                if !waiting.contains(&true) {
                    return after.map(|after| End::Next(after.next));
                }
                if !more || bits.0 > self.end? + MAX_TAIL {
                    return None;
                }
                continue;
            }
            if joining {
                if !cores.seen[at] {
                    placed.push(Placed { bits, what: What::Begin { core, opens: taken.opens } });
                }
                let first = kind == Kind::Sync && !cores.known[at];
                placed.extend(taken.events.drain(..).map(|event| Placed { bits, what: What::Event { event, first } }));
            }
            cores.seen[at] = true;
            match kind {
                Kind::Sync => {
                    cores.known[at] = true;
                    joining &= cores.known.contains(&false);
                }
                Kind::Stop => cores.stopped[at] = true,
                Kind::Other => {}
            }
            let header = taken.header.take().filter(|bit| Some(*bit) == self.end);
            let over = !more || kind == Kind::Stop && self.replay.ends_here();
            if placed.len() >= BATCH || !placed.is_empty() && (!joining || header.is_some() || over) {
                items.send(Item::Placed(std::mem::take(&mut placed))).ok()?;
            }
            if taken.events.len() >= BATCH || !taken.events.is_empty() && (header.is_some() || over) {
                let batch = std::mem::replace(&mut taken.events, shared.batch());
                items.send(Item::Events(batch)).ok()?;
            }
            if header.is_some() {
                let waiting: Vec<bool> = (0..count).map(|i| cores.seen[i] && !cores.stopped[i]).collect();
                if (0..count).any(|i| waiting[i] && !cores.known[i]) {
                    return None;
                }
                let mut summary = self.replay.summary();
                // the next stretch counts its header
                summary.headers -= 1;
                let Cores { known, stopped, .. } = cores;
                cores = Cores { seen: Vec::new(), known: Vec::new(), stopped: Vec::new() };
                let start = (self.end?, taken.cycle);
                let (replay, tail) = (self.replay.clone(), Vec::new());
                let next = Next { replay, summary, start, tail, tail_end: start.0, known, stopped };
                if !waiting.contains(&true) {
                    return Some(End::Next(next));
                }
                after = Some(After { next, waiting });
            } else if over {
                return Some(End::Stream { summary: self.replay.summary(), stopped: cores.stopped });
            }
        }
    }
}
