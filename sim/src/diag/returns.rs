//! Open calls: functions that are being executed and whose return is a trigger
//!
//! A call is identified by its return address and the stack pointer at its entry: recursion has different stack
//! pointers, and so have calls of preempted threads. A return is a return instruction (`jalr` through a link register)
//! to a return address with the stack pointer of the entry. Code that reaches that address in another way is not a
//! return. A call that was left by `longjmp` stays until the same caller calls again with the same stack pointer, which
//! shows that it is over, or until its entry is replaced: when all entries are taken, they are replaced in rotation.
//!
//! A jump back to the first instruction of a function in the same frame is the same call, and is recorded once.
//!
//! # Source
//! Paper 004 section 4.1, "return address stack", which ignores the stack pointer and looks only at its top.

use super::trigger::CAPTURES;

/// A call whose return is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// Slot that is triggered by its return.
    pub slot: u8,
    /// Return address.
    pub to: u64,
    /// Stack pointer at the entry.
    pub sp: u64,
    /// Cycle of the entry.
    pub cycle: u64,
    /// Words captured at the entry.
    pub captured: [u32; CAPTURES],
}

/// The table of open calls.
#[derive(Clone, Debug)]
pub struct Returns {
    entries: Vec<Option<OpenCall>>,
    /// The next entry to be replaced.
    victim: usize,
    /// Calls that were replaced: their returns will not be seen.
    pub replaced: u64,
    /// Calls that ended without a return.
    pub abandoned: u64,
}

impl Returns {
    /// A table of `capacity` entries.
    pub fn new(capacity: usize) -> Self {
        Self { entries: vec![None; capacity], victim: 0, replaced: 0, abandoned: 0 }
    }

    /// The entries.
    pub fn entries(&self) -> &[Option<OpenCall>] {
        &self.entries
    }

    /// Stops watching the call in an entry.
    pub fn drop_call(&mut self, at: usize) -> Option<OpenCall> {
        self.entries[at].take()
    }

    /// The first free entry; if none is free, the next one in rotation is replaced, which is counted. True: a call was
    /// replaced.
    pub fn make_entry(&mut self) -> (usize, bool) {
        if let Some(free) = self.entries.iter().position(Option::is_none) {
            return (free, false);
        }
        let at = self.victim;
        self.victim = (at + 1) % self.entries.len();
        self.entries[at] = None;
        self.replaced += 1;
        (at, true)
    }

    /// Stores a call in an entry from [`Returns::make_entry`].
    pub fn put(&mut self, at: usize, call: OpenCall) {
        self.entries[at] = Some(call);
    }

    /// A function is entered. True: another call was replaced.
    pub fn enter(&mut self, call: OpenCall) -> bool {
        if self.entries.iter().flatten().any(|c| (c.slot, c.to, c.sp) == (call.slot, call.to, call.sp)) {
            return false;
        }
        let (at, lost) = self.make_entry();
        self.put(at, call);
        lost
    }

    /// A call instruction with the link address `to`: ends an earlier call from there with this stack pointer.
    pub fn call(&mut self, to: u64, sp: u64) {
        self.abandoned += self.take(to, sp).len() as u64;
    }

    /// A return instruction to `to`: the calls that it ends, by slot.
    pub fn leave(&mut self, to: u64, sp: u64) -> Vec<OpenCall> {
        let mut ended = self.take(to, sp);
        ended.sort_by_key(|c| c.slot);
        ended
    }

    fn take(&mut self, to: u64, sp: u64) -> Vec<OpenCall> {
        self.entries.iter_mut().filter_map(|p| p.take_if(|c| (c.to, c.sp) == (to, sp))).collect()
    }

    /// Number of open calls.
    pub fn len(&self) -> usize {
        self.entries.iter().flatten().count()
    }

    /// Whether no call is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
