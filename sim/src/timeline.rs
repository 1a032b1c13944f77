//! Timeline: replay with checkpoints, forwards and backwards
//!
//! A moment is the number of steps of all cores, in replay order: their instructions and, in a recorded run, exceptions. Checkpoints are made during replay, at most
//! [`MAX_CHECKPOINTS`] of them: when there are more, every other one is dropped, and further ones are made half as often. Going
//! back means going forwards from an earlier checkpoint.

use retire::{NullSink, RetireSink};

/// Maximum number of checkpoints.
pub const MAX_CHECKPOINTS: usize = 256;
/// Instructions between the first checkpoints.
const STEP: u64 = 1 << 16;
/// Instructions between two questions whether to stop.
const LOOK: u64 = 1 << 14;

/// End of a search backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// At the moment that was looked for.
    Found,
    /// At the first moment: there is none.
    First,
    /// It was stopped, at a moment between that one and where it began.
    Stopped,
}

/// A replay that executes instructions one by one and can return to its own checkpoints.
pub trait Seekable {
    /// Complete state of a moment.
    type Checkpoint;
    /// Error of a replay that cannot continue.
    type Error;
    /// Steps of all cores so far; identifies the moment.
    fn position(&self) -> u64;
    /// Replays the next instruction and reports it to `sink`. Returns its core, or `None` at the end.
    ///
    /// # Errors
    /// The data are damaged here.
    fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, Self::Error>;
    /// Replays instructions of one core, at least one and at most `most`. Returns the core, or `None` at the end. After each of
    /// them except the last, `until` is called with the sink and the address of the core's next instruction; if it returns true,
    /// no more are replayed. The default makes one step.
    ///
    /// # Errors
    /// As [`Seekable::step`].
    #[inline]
    fn advance<S: RetireSink>(
        &mut self,
        sink: &mut S,
        _most: u64,
        _until: impl FnMut(&mut S, u64) -> bool,
    ) -> Result<Option<u8>, Self::Error> {
        self.step(sink)
    }
    /// Makes a checkpoint, of this moment or of one since the last call. `None` if that is not possible yet: it is called again
    /// after the next instruction. At the beginning it must be possible.
    fn checkpoint(&mut self) -> Option<Self::Checkpoint>;
    /// Returns to a checkpoint of this replay.
    fn restore(&mut self, to: &Self::Checkpoint);
    /// The moment of a checkpoint.
    fn moment(checkpoint: &Self::Checkpoint) -> u64;
    /// Bytes of a checkpoint that it does not share with the one before it.
    fn own_bytes(checkpoint: &Self::Checkpoint, before: Option<&Self::Checkpoint>) -> usize;
}

/// A replay with checkpoints.
#[derive(Debug)]
pub struct Timeline<R: Seekable> {
    replay: R,
    /// In order; the first is that of the beginning.
    checkpoints: Vec<R::Checkpoint>,
    step: u64,
    /// The moment of the next checkpoint.
    next: u64,
}

impl<R: Seekable> Timeline<R> {
    /// A timeline from the current moment of `replay`, at which a checkpoint must be possible.
    pub fn new(mut replay: R) -> Self {
        let checkpoints = replay.checkpoint().into_iter().collect();
        let next = replay.position() + STEP;
        Self { replay, checkpoints, step: STEP, next }
    }

    /// The replay, at its current moment.
    pub fn replay(&self) -> &R {
        &self.replay
    }

    /// The first moment.
    pub fn first(&self) -> u64 {
        self.checkpoints.first().map_or(0, R::moment)
    }

    /// Bytes that the checkpoints take, and their number.
    pub fn held(&self) -> (usize, usize) {
        let before = std::iter::once(None).chain(self.checkpoints.iter().map(Some));
        (self.checkpoints.iter().zip(before).map(|(c, before)| R::own_bytes(c, before)).sum(), self.checkpoints.len())
    }

    /// Replays one instruction and reports it to `sink`. Returns its core, or `None` at the end.
    ///
    /// # Errors
    /// As [`Seekable::step`].
    #[inline]
    pub fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, R::Error> {
        self.advance(sink, 1, |_, _| false)
    }

    /// As [`Seekable::advance`]; also ends where a checkpoint is due.
    ///
    /// # Errors
    /// As [`Seekable::step`].
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
            self.add_checkpoint();
        }
        Ok(core)
    }

    /// Makes a checkpoint, unless there is already one near enough.
    #[cold]
    fn add_checkpoint(&mut self) {
        let newest = self.checkpoints.last().map_or(0, R::moment);
        self.next = (newest + self.step).max(self.next);
        if self.replay.position() < self.next {
            return;
        }
        let Some(checkpoint) = self.replay.checkpoint() else { return };
        let moment = R::moment(&checkpoint);
        self.checkpoints.push(checkpoint);
        if self.checkpoints.len() > MAX_CHECKPOINTS {
            let mut index = 0;
            self.checkpoints.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
        self.next = moment + self.step;
    }

    /// Index of the last checkpoint at or before a moment.
    fn before(&self, position: u64) -> usize {
        self.checkpoints.partition_point(|c| R::moment(c) <= position).saturating_sub(1)
    }

    /// Goes to a moment, or to the end if that comes first.
    ///
    /// # Errors
    /// As [`Seekable::step`].
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

    /// The last moment before this one, of those that `found` says so of: it is asked after the instructions of which
    /// `until` says so ([`Seekable::advance`]) and others, of which it must not, with the core and what `sink` received.
    /// Goes back to the moment that it answers with, or to the first where there is none. `begin` is given each moment from which
    /// instructions are gone through, in order, and `stop` says whether to end: at a moment after which nothing was found, which it is given.
    ///
    /// # Errors
    /// As [`Seekable::step`].
    pub fn seek_back<S: RetireSink>(
        &mut self,
        sink: &mut S,
        mut begin: impl FnMut(&R, &mut S),
        mut until: impl FnMut(&mut S, u64) -> bool,
        mut found: impl FnMut(&R, u8, &mut S) -> Option<u64>,
        mut stop: impl FnMut(u64) -> bool,
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
                    if stop(end) {
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
