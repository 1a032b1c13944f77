//! Open calls: which functions are being executed whose return is waited for
//!
//! A call is told from all others by its return address and the stack pointer at its entry: recursion has other stack
//! pointers, and so have the calls of preempted threads. A return is a return instruction (`jalr` through a link
//! register) that goes to a return address with the stack pointer of the entry. Code that reaches that address otherwise
//! is no return. A call that was left by `longjmp` stays until the same caller calls again with the same stack pointer,
//! which shows that it is over, or until its place is needed: where all are taken, one after the other is.
//!
//! Jumping back to the first instruction of a function in the same frame is the same call, and is kept once.
//!
//! # Source
//! Paper 004 section 4.1, "return address stack", which knows no stack pointer and looks at its top only.

use super::trigger::CAPTURES;

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

/// The calls, each at its place.
#[derive(Clone, Debug)]
pub struct Returns {
    places: Vec<Option<Open>>,
    /// The place that is needed next.
    victim: usize,
    /// Calls whose place was needed: their returns will not be seen.
    pub replaced: u64,
    /// Calls that ended without a return.
    pub abandoned: u64,
}

impl Returns {
    /// Room for `room` calls.
    pub fn new(room: usize) -> Self {
        Self { places: vec![None; room], victim: 0, replaced: 0, abandoned: 0 }
    }

    /// The places.
    pub fn places(&self) -> &[Option<Open>] {
        &self.places
    }

    /// The call at a place is no longer watched.
    pub fn drop_call(&mut self, at: usize) -> Option<Open> {
        self.places[at].take()
    }

    /// The first place that is free; where none is, one after the other loses its call, which is counted.
    pub fn make_place(&mut self) -> (usize, bool) {
        if let Some(free) = self.places.iter().position(Option::is_none) {
            return (free, false);
        }
        let at = self.victim;
        self.victim = (at + 1) % self.places.len();
        self.places[at] = None;
        self.replaced += 1;
        (at, true)
    }

    /// A call takes the place that was made.
    pub fn put(&mut self, at: usize, call: Open) {
        self.places[at] = Some(call);
    }

    /// A function is entered. True: another call lost its place.
    pub fn enter(&mut self, call: Open) -> bool {
        if self.places.iter().flatten().any(|c| (c.slot, c.to, c.sp) == (call.slot, call.to, call.sp)) {
            return false;
        }
        let (at, lost) = self.make_place();
        self.put(at, call);
        lost
    }

    /// A call instruction with the link address `to`: what was called there before with this stack pointer is over.
    pub fn call(&mut self, to: u32, sp: u32) {
        self.abandoned += self.take(to, sp).len() as u64;
    }

    /// A return instruction that goes to `to`: the calls that it ends, by slot.
    pub fn leave(&mut self, to: u32, sp: u32) -> Vec<Open> {
        let mut ended = self.take(to, sp);
        ended.sort_by_key(|c| c.slot);
        ended
    }

    fn take(&mut self, to: u32, sp: u32) -> Vec<Open> {
        self.places.iter_mut().filter_map(|p| p.take_if(|c| (c.to, c.sp) == (to, sp))).collect()
    }

    /// Calls that are open.
    pub fn len(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
