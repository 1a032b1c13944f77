//! A run as a line of moments that can be gone along in both directions
//!
//! A moment is a number of instructions of all cores, in replay's order. Checkpoints are made on the way, at most
//! [`MOST`] of them: when there are more, every other one is dropped, and the next ones are made half as often. Going
//! back is going forwards from the checkpoint before.

use super::{Checkpoint, InputsError, Replay};
use retire::{NullSink, RetireSink};

/// Checkpoints that are kept.
pub const MOST: usize = 256;
/// Instructions between the first checkpoints.
const STEP: u64 = 1 << 16;

/// Replay with checkpoints.
#[derive(Debug)]
pub struct Timeline {
    replay: Replay,
    /// In order; the first is the beginning.
    checkpoints: Vec<Checkpoint>,
    step: u64,
    /// The moment of the next checkpoint.
    next: u64,
}

impl Timeline {
    /// From where `replay` is.
    pub fn new(mut replay: Replay) -> Self {
        let checkpoints = vec![replay.checkpoint()];
        let next = replay.position() + STEP;
        Self { replay, checkpoints, step: STEP, next }
    }

    /// The moment that it is at.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The first moment.
    pub fn first(&self) -> u64 {
        self.checkpoints[0].position()
    }

    /// Bytes of RAM that the checkpoints hold, and how many they are.
    pub fn held(&self) -> (usize, usize) {
        let before = std::iter::once(None).chain(self.checkpoints.iter().map(Some));
        (self.checkpoints.iter().zip(before).map(|(c, before)| c.own_bytes(before)).sum(), self.checkpoints.len())
    }

    /// One instruction forwards, told to `sink`; its core, `None` at the end.
    ///
    /// # Errors
    /// As [`Replay::step`].
    #[inline]
    pub fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, InputsError> {
        let core = self.replay.step(sink)?;
        if self.replay.position() >= self.next {
            self.keep();
        }
        Ok(core)
    }

    /// Makes a checkpoint, where there is none yet.
    #[cold]
    fn keep(&mut self) {
        let newest = self.checkpoints.last().map_or(0, Checkpoint::position);
        self.next = (newest + self.step).max(self.next);
        if self.replay.position() < self.next {
            return;
        }
        self.checkpoints.push(self.replay.checkpoint());
        if self.checkpoints.len() > MOST {
            let mut index = 0;
            self.checkpoints.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.step *= 2;
        }
        self.next = self.replay.position() + self.step;
    }

    /// The last checkpoint at or before a moment.
    fn before(&self, position: u64) -> usize {
        self.checkpoints.partition_point(|c| c.position() <= position).saturating_sub(1)
    }

    /// Goes to a moment, or to the end where that is before it.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn seek(&mut self, position: u64) -> Result<(), InputsError> {
        let here = self.replay.position();
        let from = self.before(position);
        if position < here || self.checkpoints[from].position() > here {
            self.replay.restore(&self.checkpoints[from]);
        }
        while self.replay.position() < position {
            if self.step(&mut NullSink)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The last moment before this one, of those that `found` says so of: it is asked after each instruction, with the
    /// core, what `sink` was told of it, and the moment before it. Goes back to the moment that it answers with;
    /// false, and at the first moment, where there is none.
    ///
    /// # Errors
    /// As [`Replay::step`].
    pub fn back<S: RetireSink>(
        &mut self,
        sink: &mut S,
        mut found: impl FnMut(&Replay, u8, &mut S) -> Option<u64>,
    ) -> Result<bool, InputsError> {
        let here = self.replay.position();
        let mut end = here;
        while end > self.first() {
            let from = self.before(end - 1);
            self.replay.restore(&self.checkpoints[from]);
            let mut last = None;
            while self.replay.position() < end {
                let Some(core) = self.replay.step(sink)? else { break };
                if let Some(moment) = found(&self.replay, core, sink).filter(|m| *m < here) {
                    last = Some(moment);
                }
            }
            if let Some(moment) = last {
                self.seek(moment)?;
                return Ok(true);
            }
            end = self.checkpoints[from].position();
        }
        self.seek(self.first())?;
        Ok(false)
    }
}
