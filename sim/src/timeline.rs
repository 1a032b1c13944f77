//! A run as a line of moments that can be gone along in both directions
//!
//! A moment is a number of instructions of all cores, in replay's order. Checkpoints are made on the way, at most
//! [`MOST`] of them: when there are more, every other one is dropped, and the next ones are made half as often. Going
//! back is going forwards from the checkpoint before.

use retire::{NullSink, RetireSink};

/// Checkpoints that are kept.
pub const MOST: usize = 256;
/// Instructions between the first checkpoints.
const STEP: u64 = 1 << 16;
/// Instructions between two questions whether to stop.
const LOOK: u64 = 1 << 14;

/// How going back ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// At the moment that was looked for.
    Found,
    /// At the first moment: there is none.
    First,
    /// It was told to stop, at a moment between that one and where it began.
    Stopped,
}

/// What can be gone along: it steps by instructions, and goes back to checkpoints of its own.
pub trait Moments {
    /// All that going on from a moment takes.
    type Checkpoint;
    /// Why it cannot go on.
    type Error;
    /// Instructions of all cores so far: names the moment.
    fn position(&self) -> u64;
    /// The next instruction, told to `sink`; its core, `None` at the end.
    ///
    /// # Errors
    /// What it goes along is damaged here.
    fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, Self::Error>;
    /// Instructions of one core, at least one and at most `most`; its core, `None` at the end. `until` is asked behind all of
    /// them but the last, with the sink and the address of the core's next instruction: where it says so, that one is the
    /// last. What cannot do that makes one step.
    ///
    /// # Errors
    /// As [`Moments::step`].
    #[inline]
    fn advance<S: RetireSink>(
        &mut self,
        sink: &mut S,
        _most: u64,
        _until: impl FnMut(&mut S, u64) -> bool,
    ) -> Result<Option<u8>, Self::Error> {
        self.step(sink)
    }
    /// A moment to go back to: this one, or one since it was asked last. `None` where there is none yet: it is asked again
    /// after the next instruction. At the beginning there is one.
    fn checkpoint(&mut self) -> Option<Self::Checkpoint>;
    /// Goes to the moment of a checkpoint of its own.
    fn restore(&mut self, to: &Self::Checkpoint);
    /// The moment of a checkpoint.
    fn moment(checkpoint: &Self::Checkpoint) -> u64;
    /// Bytes that a checkpoint does not share with the one before it.
    fn own_bytes(checkpoint: &Self::Checkpoint, before: Option<&Self::Checkpoint>) -> usize;
}

/// Replay with checkpoints.
#[derive(Debug)]
pub struct Timeline<R: Moments> {
    replay: R,
    /// In order; the first is the beginning.
    checkpoints: Vec<R::Checkpoint>,
    step: u64,
    /// The moment of the next checkpoint.
    next: u64,
}

impl<R: Moments> Timeline<R> {
    /// From where `replay` is, which is a moment that it can go back to.
    pub fn new(mut replay: R) -> Self {
        let checkpoints = replay.checkpoint().into_iter().collect();
        let next = replay.position() + STEP;
        Self { replay, checkpoints, step: STEP, next }
    }

    /// The moment that it is at.
    pub fn replay(&self) -> &R {
        &self.replay
    }

    /// The first moment.
    pub fn first(&self) -> u64 {
        self.checkpoints.first().map_or(0, R::moment)
    }

    /// Bytes that the checkpoints hold, and how many they are.
    pub fn held(&self) -> (usize, usize) {
        let before = std::iter::once(None).chain(self.checkpoints.iter().map(Some));
        (self.checkpoints.iter().zip(before).map(|(c, before)| R::own_bytes(c, before)).sum(), self.checkpoints.len())
    }

    /// One instruction forwards, told to `sink`; its core, `None` at the end.
    ///
    /// # Errors
    /// As [`Moments::step`].
    #[inline]
    pub fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, R::Error> {
        self.advance(sink, 1, |_, _| false)
    }

    /// As [`Moments::advance`]; ends at the moments of checkpoints, too.
    ///
    /// # Errors
    /// As [`Moments::step`].
    #[inline]
    pub fn advance<S: RetireSink>(
        &mut self,
        sink: &mut S,
        most: u64,
        until: impl FnMut(&mut S, u64) -> bool,
    ) -> Result<Option<u8>, R::Error> {
        let most = most.min(self.next.saturating_sub(self.replay.position()).max(1));
        let core = self.replay.advance(sink, most, until)?;
        if self.replay.position() >= self.next {
            self.keep();
        }
        Ok(core)
    }

    /// Makes a checkpoint, where there is none yet.
    #[cold]
    fn keep(&mut self) {
        let newest = self.checkpoints.last().map_or(0, R::moment);
        self.next = (newest + self.step).max(self.next);
        if self.replay.position() < self.next {
            return;
        }
        let Some(checkpoint) = self.replay.checkpoint() else { return };
        let moment = R::moment(&checkpoint);
        self.checkpoints.push(checkpoint);
        if self.checkpoints.len() > MOST {
            let mut index = 0;
            self.checkpoints.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
        self.next = moment + self.step;
    }

    /// The last checkpoint at or before a moment.
    fn before(&self, position: u64) -> usize {
        self.checkpoints.partition_point(|c| R::moment(c) <= position).saturating_sub(1)
    }

    /// Goes to a moment, or to the end where that is before it.
    ///
    /// # Errors
    /// As [`Moments::step`].
    pub fn seek(&mut self, position: u64) -> Result<(), R::Error> {
        let here = self.replay.position();
        let from = self.before(position);
        if position < here || R::moment(&self.checkpoints[from]) > here {
            self.replay.restore(&self.checkpoints[from]);
        }
        while self.replay.position() < position {
            if self.advance(&mut NullSink, position - self.replay.position(), |_, _| false)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The last moment before this one, of those that `found` says so of: it is asked behind the instructions of which
    /// `until` says so ([`Moments::advance`]) and others, of which it must not, with the core and what `sink` was told.
    /// Goes back to the moment that it answers with, or to the first where there is none. `begin` is given each moment from which
    /// instructions are gone through, in order, and `stop` says whether to end: at a moment behind which nothing was found.
    ///
    /// # Errors
    /// As [`Moments::step`].
    pub fn back<S: RetireSink>(
        &mut self,
        sink: &mut S,
        mut begin: impl FnMut(&R, &mut S),
        mut until: impl FnMut(&mut S, u64) -> bool,
        mut found: impl FnMut(&R, u8, &mut S) -> Option<u64>,
        mut stop: impl FnMut() -> bool,
    ) -> Result<Back, R::Error> {
        let here = self.replay.position();
        let mut end = here;
        let mut since = LOOK;
        while end > self.first() {
            let from = self.before(end - 1);
            self.replay.restore(&self.checkpoints[from]);
            begin(&self.replay, sink);
            let mut last = None;
            while self.replay.position() < end {
                if since >= LOOK {
                    since = 0;
                    if stop() {
                        self.seek(end)?;
                        return Ok(Back::Stopped);
                    }
                }
                let before = self.replay.position();
                let most = (end - before).min(LOOK);
                let Some(core) = self.replay.advance(sink, most, &mut until)? else { break };
                since += self.replay.position() - before;
                if let Some(moment) = found(&self.replay, core, sink).filter(|m| *m < here) {
                    last = Some(moment);
                }
            }
            if let Some(moment) = last {
                self.seek(moment)?;
                return Ok(Back::Found);
            }
            end = R::moment(&self.checkpoints[from]);
        }
        self.seek(self.first())?;
        Ok(Back::First)
    }
}
