//! Open calls: which functions are being executed whose return is waited for
//!
//! A call is told from all others by its return address and the stack pointer at its entry: recursion has other stack
//! pointers, and so have the calls of preempted threads. A return is a return instruction (`jalr` through a link
//! register) that goes to a return address with the stack pointer of the entry. Code that reaches that address otherwise
//! is no return. A call that was left by `longjmp` stays until the same caller calls again with the same stack pointer,
//! which shows that it is over, or until its place is needed.
//!
//! Jumping back to the first instruction of a function in the same frame is the same call, and is kept once.
//!
//! # Source
//! Paper 004 section 4.1, "return address stack", which knows no stack pointer and looks at its top only.

use super::trigger::CAPTURES;
use std::collections::VecDeque;

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Slot that waits for its return.
    pub slot: u8,
    /// Return address.
    pub to: u32,
    /// Stack pointer at the entry.
    pub sp: u32,
    /// Clock of the entry.
    pub cycle: u64,
    /// What was captured at the entry.
    pub captured: [u32; CAPTURES],
}

/// The calls, oldest first.
#[derive(Clone, Debug)]
pub struct Returns {
    calls: VecDeque<Open>,
    room: usize,
    /// Calls whose place was needed: their returns will not be seen.
    pub replaced: u64,
    /// Calls that ended without a return.
    pub abandoned: u64,
}

impl Returns {
    /// Room for `room` calls.
    pub fn new(room: usize) -> Self {
        Self { calls: VecDeque::with_capacity(room), room, replaced: 0, abandoned: 0 }
    }

    /// A function is entered. True: the oldest call lost its place.
    pub fn enter(&mut self, call: Open) -> bool {
        if self.calls.iter().any(|c| (c.slot, c.to, c.sp) == (call.slot, call.to, call.sp)) {
            return false;
        }
        let full = self.calls.len() == self.room;
        if full {
            self.calls.pop_front();
            self.replaced += 1;
        }
        self.calls.push_back(call);
        full
    }

    /// A call instruction with the link address `to`: what was called there before with this stack pointer is over.
    pub fn call(&mut self, to: u32, sp: u32) {
        let before = self.calls.len();
        self.calls.retain(|c| (c.to, c.sp) != (to, sp));
        self.abandoned += (before - self.calls.len()) as u64;
    }

    /// A return instruction that goes to `to`: the calls that it ends, by slot.
    pub fn leave(&mut self, to: u32, sp: u32) -> Vec<Open> {
        let mut ended: Vec<Open> = self.calls.iter().filter(|c| (c.to, c.sp) == (to, sp)).copied().collect();
        if !ended.is_empty() {
            self.calls.retain(|c| (c.to, c.sp) != (to, sp));
            ended.sort_by_key(|c| c.slot);
        }
        ended
    }

    /// Calls that are open.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}
