//! Replay with several threads
//!
//! A stream with periodic synchronisation is divided at repeated headers. Each stretch is replayed by a thread of its own, and the
//! sink gets its events in the order of the stream, as [`Replay`] passes them. Where a stretch cannot be replayed alone (it is
//! damaged, or a core sleeps through it), the replay continues from its header in this thread.
//!
//! Code that changes with time needs the times of all earlier changes, so such images are replayed with one thread. So is a stream of
//! an arithmetic coder: its messages are words, and do not show in which of them a thread that began at a header knows a core.

mod blocks;
mod stretch;

use super::{HeaderFlags, Images, Replay, ReplayError, ReplaySink, ReplaySummary};
use crate::params::TraceParams;
use crate::scheme::FlowScheme;
use crate::system;
use blocks::{Headers, Source, Words};
use retire::{FlowEvent, FlowKind};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{sync_channel, Receiver};
use stretch::{End, Item, Next, Placed, Shared, Stretch, What};

/// Words in which the next header is looked for.
const MOST_WORDS: u64 = 1 << 20;
/// Batches of events that a thread has ready.
const READY_BATCHES: usize = 128;

/// How a stream is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of threads.
    pub threads: usize,
    /// Whether replay continues beyond damage ([`Replay::resume`]).
    pub resume: bool,
    /// Number of words of the shortest stretch.
    pub shortest: u64,
}

impl Default for Options {
    /// As many threads as the machine runs at once.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self { threads, resume: false, shortest: 1 << 11 }
    }
}

/// Result of a replay up to the end or to damage.
#[derive(Debug)]
pub struct Outcome {
    /// Totals.
    pub summary: ReplaySummary,
    /// Why it ended before the end of the stream.
    pub error: Option<ReplayError>,
    /// All words were read.
    pub exhausted: bool,
}

/// The replay of a stretch in the frame of the whole stream.
#[derive(Clone, Debug)]
struct Frame {
    /// Totals of the stretches before.
    totals: ReplaySummary,
    /// Its first bit, and its cycle.
    bit: u64,
    cycle: u64,
}

/// What was replayed so far.
struct Progress<'a, 's, W> {
    /// The stretch whose events are passed on.
    frame: Frame,
    /// Cores that have had a sync before it, and cores that have stopped before it.
    known: Vec<bool>,
    stopped: Vec<bool>,
    /// What the stretch before has found after its end, and the bit after it.
    tail: Vec<Placed>,
    tail_end: u64,
    /// Events of it that the sink got.
    delivered: u64,
    /// A replay that continues at its header, and knows all cores; and its frame.
    point: (Replay<'a, Words<'s, W>>, Frame),
}

/// The sink, which gets the events of a stretch with the cycles of the stream.
struct Shifted<'a, S> {
    sink: &'a mut S,
    cycle: u64,
    /// Events that it got before.
    skip: u64,
}

impl<S: ReplaySink> ReplaySink for Shifted<'_, S> {
    const UNCHECKED: bool = S::UNCHECKED;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        if self.skip > 0 && (!S::UNCHECKED || matches!(event.kind, FlowKind::Gap { .. })) {
            self.skip -= 1;
        } else {
            self.sink.event(&FlowEvent { cycle: event.cycle + self.cycle, ..*event });
        }
    }
}

/// Replays a stream to its end. A sink that is
/// [unchecked](ReplaySink::UNCHECKED) gets the gaps, and perhaps other events.
///
/// # Errors
/// The stream does not begin with a header.
///
/// # Panics
/// If the sink is not one that takes [only events](ReplaySink::EVENTS_ONLY).
pub fn replay<'a, S, W>(
    images: impl Into<Images<'a>>,
    params: &TraceParams,
    words: W,
    options: Options,
    sink: &mut S,
) -> Result<Outcome, ReplayError>
where
    S: ReplaySink,
    W: Iterator<Item = u32> + Send,
{
    assert!(S::EVENTS_ONLY, "messages are not passed on");
    let (images, source, shared) = (images.into(), Source::new(words), Shared::default());
    let begin = source.begin();
    let first = Replay::new(images, params, begin.clone())?;
    let header = system::repeated_header(params);
    let same = |shape| {
        let (found, right) = (HeaderFlags::of(shape), HeaderFlags::of(header[1]));
        found.1.repeated && found.0 == right.0
    };
    let mut headers = Headers::new(begin, header);
    let mut progress = Progress::new(first.clone(), params.cores.into());
    if matches!(params.flow, FlowScheme::FollowArithmetic(_)) {
        return Ok(progress.sequential(options.resume, sink));
    }
    std::thread::scope(|scope| {
        let mut start = Some((0, first));
        let mut running: VecDeque<Receiver<Item<'_, '_, W>>> = VecDeque::new();
        loop {
            while running.len() < options.threads.max(1) {
                let Some((at, replay)) = start.take() else { break };
                start = headers
                    .find(options.shortest, MOST_WORDS, same)
                    .and_then(|(word, words)| Some((word, Replay::new(images, params, words).ok()?)));
                let end = start.as_ref().map(|(word, _)| (word - at) * 32);
                let stretch = Stretch { replay, first: at == 0, end };
                let (sender, receiver) = sync_channel(READY_BATCHES);
                let shared = &shared;
                scope.spawn(move || match S::UNCHECKED {
                    true => stretch.run::<true>(&sender, shared),
                    false => stretch.run::<false>(&sender, shared),
                });
                running.push_back(receiver);
            }
            let end = running.pop_front().and_then(|items| progress.take(&items, &shared, sink));
            match end {
                Some(End::Next(next)) => progress.next(next),
                Some(End::Stream { summary, stopped }) if progress.have_stopped(&stopped) => {
                    return Ok(Outcome { summary: progress.frame.with(summary), error: None, exhausted: true });
                }
                _ => {
                    shared.cancelled.store(true, Ordering::Relaxed);
                    // threads that wait until their items are taken end, too
                    running.clear();
                    return Ok(progress.sequential(options.resume, sink));
                }
            }
        }
    })
}

impl Frame {
    /// Totals of the stretches before and of this one.
    fn with(&self, summary: ReplaySummary) -> ReplaySummary {
        let mut all = self.totals.clone();
        all.skipped += summary.skipped;
        all.damaged += summary.damaged;
        all.headers += summary.headers;
        let add = |to: &mut Vec<u64>, from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut all.instructions, &summary.instructions);
        if let Some(from) = &summary.confirmed {
            add(all.confirmed.get_or_insert_with(|| vec![0; from.len()]), from);
        }
        for (to, from) in all.stats.kinds.iter_mut().zip(&summary.stats.kinds) {
            to.messages += from.messages;
            to.bits += from.bits;
        }
        all.stats.bits = self.bit + summary.stats.bits;
        all
    }
}

impl<'a, 's, W: Iterator<Item = u32>> Progress<'a, 's, W> {
    fn new(first: Replay<'a, Words<'s, W>>, cores: usize) -> Self {
        let no = vec![false; cores];
        let totals = ReplaySummary { instructions: vec![0; cores], ..ReplaySummary::default() };
        let frame = Frame { totals, bit: 0, cycle: 0 };
        let point = (first, frame.clone());
        Self { frame, known: no.clone(), stopped: no, tail: Vec::new(), tail_end: 0, delivered: 0, point }
    }

    fn deliver(&mut self, event: &FlowEvent, sink: &mut impl ReplaySink) {
        sink.event(&FlowEvent { cycle: event.cycle + self.frame.cycle, ..*event });
        self.delivered += 1;
    }

    /// Passes on what the stretch before has found in front of `bits`.
    fn deliver_tail(&mut self, tail: &mut Tail, bits: (u64, u64), sink: &mut impl ReplaySink) {
        while let Some(Placed { what, .. }) = tail.next_if(|placed| placed.bits < bits) {
            if let What::Event { event, .. } = what {
                self.deliver(&event, sink);
            }
        }
    }

    /// Passes on what a thread has replayed. `None`: the stretch cannot be replayed alone.
    fn take(
        &mut self,
        items: &Receiver<Item<'a, 's, W>>,
        shared: &Shared,
        sink: &mut impl ReplaySink,
    ) -> Option<End<'a, 's, W>> {
        let mut tail = std::mem::take(&mut self.tail).into_iter().peekable();
        loop {
            match items.recv().ok()? {
                Item::Placed(placed) => {
                    for Placed { bits, what } in placed {
                        self.deliver_tail(&mut tail, bits, sink);
                        match what {
                            What::Begin { core, opens } => {
                                let core = usize::from(core);
                                if self.stopped[core] || !self.known[core] && !opens {
                                    return None;
                                }
                            }
                            // the stretch before has the branch that leads there
                            What::Event { event, first } if first && self.known[usize::from(event.hart)] => {}
                            What::Event { event, .. } => self.deliver(&event, sink),
                        }
                    }
                }
                Item::Events(events) => {
                    self.deliver_tail(&mut tail, (u64::MAX, 0), sink);
                    events.iter().for_each(|event| self.deliver(event, sink));
                    shared.give_back(events);
                }
                Item::End(end) => {
                    match &*end {
                        End::Next(next) if self.tail_end > next.start.0 => return None,
                        End::Next(_) | End::Stream { .. } => self.deliver_tail(&mut tail, (u64::MAX, 0), sink),
                        End::Failed => {}
                    }
                    return Some(*end);
                }
            }
        }
    }

    /// Goes to the next stretch.
    fn next(&mut self, next: Next<'a, 's, W>) {
        let Next { mut replay, summary, start: (bit, cycle), tail, tail_end, known, stopped } = next;
        replay.harts.assume(&self.known, &self.stopped);
        let before =
            Frame { totals: self.frame.with(summary), bit: self.frame.bit + bit, cycle: self.frame.cycle + cycle };
        self.point = (replay, std::mem::replace(&mut self.frame, before));
        let or = |to: &mut Vec<bool>, from: Vec<bool>| to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
        or(&mut self.known, known);
        or(&mut self.stopped, stopped);
        self.tail = tail;
        for Placed { bits, what } in &mut self.tail {
            *bits = (bits.0 - bit, bits.1 - bit);
            if let What::Event { event, .. } = what {
                // after a header, no core is before it
                event.cycle -= cycle;
            }
        }
        self.tail_end = tail_end - bit;
        self.delivered = 0;
    }

    /// Whether all cores have stopped, of which the last stretch has seen `stopped` stop.
    fn have_stopped(&self, stopped: &[bool]) -> bool {
        self.stopped.iter().zip(stopped).all(|(before, now)| *before || *now)
    }

    /// Continues with one thread from the header of the current stretch.
    fn sequential(self, resume: bool, sink: &mut impl ReplaySink) -> Outcome {
        let (mut replay, frame) = self.point;
        let mut sink = Shifted { sink, cycle: frame.cycle, skip: self.delivered };
        let error = loop {
            match replay.step(&mut sink) {
                Ok(true) => {}
                Ok(false) => break None,
                Err(e) => {
                    let (bit, message) = (frame.bit + e.bit, frame.totals.stats.messages() + e.message);
                    let core_alone = replay.contradiction.is_some();
                    if !resume || !replay.resume() {
                        break Some(ReplayError { bit, message, ..e });
                    }
                    if !core_alone {
                        // cycles begin again at the header
                        sink.cycle = 0;
                    }
                }
            }
        };
        let exhausted = replay.bits.words().source().have_ended();
        Outcome { summary: frame.with(replay.summary()), error, exhausted }
    }
}

/// What the stretch before has found after its end.
type Tail = std::iter::Peekable<std::vec::IntoIter<Placed>>;
