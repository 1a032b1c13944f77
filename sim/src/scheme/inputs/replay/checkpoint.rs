//! Checkpoints: the complete state of a replay, with RAM in pages that checkpoints share

use super::world::{Bits, Inputs, Page};
use super::{Core, Goal, InputsError, Masters, Read, Replay, Words};
use crate::bits::BitReader;
use crate::riscv::hart::Hart;
use crate::timeline::Seekable;
use retire::RetireSink;
use std::collections::VecDeque;
use std::sync::Arc;

/// A checkpoint of a replay. Pages of RAM that did not change since the previous checkpoint are shared with it.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    harts: Vec<Hart>,
    inputs: Vec<Inputs>,
    cores: Vec<Core>,
    reader: BitReader<Words>,
    goal: Option<(usize, Goal)>,
    masters: Option<(Masters, bool)>,
    queue: VecDeque<Read>,
    known: Vec<Bits>,
    messages: u64,
    position: u64,
    failed: Option<InputsError>,
    pages: Vec<Page>,
}

impl Checkpoint {
    /// Position of the checkpoint in the replay.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bytes of RAM that it does not share with `before`.
    pub fn own_bytes(&self, before: Option<&Checkpoint>) -> usize {
        let shared = |(i, page): &(usize, &Page)| before.is_some_and(|b| Arc::ptr_eq(page, &b.pages[*i]));
        self.pages.iter().enumerate().filter(|p| !shared(p)).map(|(_, page)| page.len()).sum()
    }
}

impl Replay {
    /// Makes a checkpoint of the current position.
    pub fn checkpoint(&mut self) -> Checkpoint {
        let pages = self.world.pages(self.held.as_deref());
        self.held = Some(pages.clone());
        Checkpoint {
            harts: self.harts.clone(),
            inputs: self.world.inputs.clone(),
            cores: self.cores.clone(),
            reader: self.reader.clone(),
            goal: self.goal,
            masters: self.masters.clone(),
            queue: self.queue.clone(),
            known: self.world.known.clone(),
            messages: self.messages,
            position: self.position,
            failed: self.failed.clone(),
            pages,
        }
    }

    /// Restores a checkpoint of this replay.
    pub fn restore(&mut self, to: &Checkpoint) {
        match &self.held {
            Some(held) => self.world.restore(&to.pages, held),
            None => self.world.restore_all(&to.pages),
        }
        self.held = Some(to.pages.clone());
        // the code may have changed since
        self.code.clear();
        self.harts.clone_from(&to.harts);
        self.world.inputs.clone_from(&to.inputs);
        self.cores.clone_from(&to.cores);
        self.reader = to.reader.clone();
        self.masters.clone_from(&to.masters);
        self.queue.clone_from(&to.queue);
        self.world.known.clone_from(&to.known);
        self.world.contradiction = None;
        self.failed.clone_from(&to.failed);
        self.moved.clear();
        (self.goal, self.messages, self.position) = (to.goal, to.messages, to.position);
    }
}

impl Seekable for Replay {
    type Checkpoint = Checkpoint;
    type Error = InputsError;

    fn position(&self) -> u64 {
        Replay::position(self)
    }

    #[inline]
    fn step(&mut self, sink: &mut impl RetireSink) -> Result<Option<u8>, InputsError> {
        Replay::step(self, sink)
    }

    #[inline]
    fn advance<S: RetireSink>(
        &mut self,
        sink: &mut S,
        most: u64,
        until: impl FnMut(&mut S, u64) -> bool,
    ) -> Result<Option<u8>, InputsError> {
        Replay::advance(self, sink, most, until)
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        Some(Replay::checkpoint(self))
    }

    fn restore(&mut self, to: &Checkpoint) {
        Replay::restore(self, to);
    }

    fn moment(checkpoint: &Checkpoint) -> u64 {
        checkpoint.position()
    }

    fn own_bytes(checkpoint: &Checkpoint, before: Option<&Checkpoint>) -> usize {
        checkpoint.own_bytes(before)
    }
}
