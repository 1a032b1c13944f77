//! Threads that were woken or created and have not arrived yet
//!
//! A thread that wakes others, or creates one, keeps its turn until they wait for theirs. Otherwise they would only get
//! turns when the host runs them: on one processor that is when the first thread sleeps, and no two threads would ever
//! alternate. The return value of the system call is the number of threads that it has woken.

use crate::qemu::futex;
use std::sync::atomic::{AtomicU32, Ordering::*};
use std::time::{Duration, Instant};

/// Longest wait for threads that may not arrive: those of other processes, or those that QEMU blocks.
const WAIT_LIMIT: Duration = Duration::from_millis(20);

/// The number of threads that have arrived, and the thread that waits for it.
pub struct Arrivals {
    come: AtomicU32,
    awaited: AtomicU32,
}

impl Arrivals {
    /// A counter of 0.
    pub const fn new() -> Self {
        Self { come: AtomicU32::new(0), awaited: AtomicU32::new(0) }
    }

    /// Forgets all threads, in a child after a fork.
    pub fn restart(&self) {
        self.come.store(0, SeqCst);
        self.awaited.store(0, SeqCst);
    }

    /// Number of threads that have arrived so far.
    pub fn so_far(&self) -> u32 {
        self.come.load(SeqCst)
    }

    /// Counts a thread that has its turn, or waits for it.
    pub fn one(&self) {
        self.come.fetch_add(1, SeqCst);
        if self.awaited.load(SeqCst) != 0 {
            futex::wake(&self.come);
        }
    }

    /// Waits until `wanted` threads have arrived.
    pub fn wait(&self, wanted: u32) {
        let missing = |come: u32| wanted.wrapping_sub(come) as i32 > 0;
        if !missing(self.so_far()) {
            return;
        }
        let since = Instant::now();
        self.awaited.fetch_add(1, SeqCst);
        loop {
            let come = self.so_far();
            let left = WAIT_LIMIT.saturating_sub(since.elapsed());
            if !missing(come) || left.is_zero() {
                break;
            }
            futex::wait(&self.come, come, left);
        }
        self.awaited.fetch_sub(1, SeqCst);
    }
}
