//! Threads that a thread has woken or made, and that are not back yet
//!
//! A thread that wakes others, or makes one, keeps its turn until they wait for theirs. Else they would have turns when the
//! host comes to run them: on one processor that is when the first sleeps, and no two threads would ever take turns.
//! How many it has woken is what the call returns.

use crate::qemu::futex;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::time::{Duration, Instant};

/// Longest wait for threads that may not come: those of other processes, or that QEMU holds.
const PATIENCE: Duration = Duration::from_millis(20);

/// How many have come back, and who waits for that.
pub struct Woken {
    come: AtomicU32,
    awaited: AtomicU32,
}

impl Woken {
    /// Nobody.
    pub const fn new() -> Self {
        Self { come: AtomicU32::new(0), awaited: AtomicU32::new(0) }
    }

    /// How many have come so far.
    pub fn so_far(&self) -> u32 {
        self.come.load(SeqCst)
    }

    /// One has its turn, or waits for it.
    pub fn one(&self) {
        self.come.fetch_add(1, SeqCst);
        if self.awaited.load(SeqCst) != 0 {
            futex::wake(&self.come);
        }
    }

    /// Waits until so many have come.
    pub fn wait(&self, wanted: u32) {
        let missing = |come: u32| wanted.wrapping_sub(come) as i32 > 0;
        if !missing(self.so_far()) {
            return;
        }
        let since = Instant::now();
        self.awaited.fetch_add(1, SeqCst);
        loop {
            let come = self.so_far();
            let left = PATIENCE.saturating_sub(since.elapsed());
            if !missing(come) || left.is_zero() {
                break;
            }
            futex::wait(&self.come, come, left);
        }
        self.awaited.fetch_sub(1, SeqCst);
    }
}
