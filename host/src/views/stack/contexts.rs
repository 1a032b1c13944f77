//! Stacks that wait: of tasks, coroutines and processes that a core has left

use super::Frame;
use std::collections::VecDeque;

/// Stacks that are kept; of more, those that have waited longest are forgotten.
const MOST: usize = 256;

/// A stack that a core has left.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its number.
    pub number: u32,
    /// Its frames, without those of the trap that interrupted it.
    pub frames: Vec<Frame>,
    /// Handler of the trap that interrupted it, which shows where it continues.
    pub trap: Option<Frame>,
    /// Address space of its code.
    pub space: u32,
}

/// Degree to which a stack matches, best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fit {
    /// The stack pointer fits.
    pub sp: bool,
    /// The address space fits.
    pub space: bool,
    /// The frame that fits is the innermost.
    pub innermost: bool,
}

/// All stacks that a core has left, the one that has waited longest first.
#[derive(Clone, Debug, Default)]
pub struct Waiting(VecDeque<Context>);

impl Waiting {
    /// One more.
    pub fn push(&mut self, context: Context) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(context);
    }

    /// Takes the stack that fits best by `fit`, which also says how many of its frames stay. Of several that fit as well, the one that has
    /// waited longest: tasks that take turns at one place come back in that order.
    pub fn take(&mut self, fit: impl Fn(&Context) -> Option<(Fit, usize)>) -> Option<(Context, usize)> {
        let mut best: Option<(Fit, usize, usize)> = None;
        for (at, context) in self.0.iter().enumerate() {
            if let Some((fit, frames)) = fit(context).filter(|(fit, _)| best.is_none_or(|(b, ..)| *fit > b)) {
                best = Some((fit, at, frames));
            }
        }
        let (_, at, frames) = best?;
        Some((self.0.remove(at)?, frames))
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Frames of all of them.
    pub fn frames(&self) -> usize {
        self.0.iter().map(|c| c.frames.len()).sum()
    }
}
