//! Turns: one thread of the guest at a time
//!
//! A thread whose turn is over, or that enters the system, hands over to the one that has waited longest. So the order
//! in the ring is the order of execution, and a value that is read behind an access is the value of that access.
//!
//! QEMU itself sometimes waits for all threads to leave their blocks, which a thread that waits here cannot. A thread
//! that has waited twice [`PATIENCE`] while nothing was told takes the turn: the schedule is then another, and what is
//! told is still in the order in which it was told.

use crate::ring::Ring;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_millis(20);
/// Nobody's turn.
const NOBODY: u32 = u32::MAX;

/// Whose turn it is and who waits.
pub struct Turns {
    turn: AtomicU32,
    waiting: AtomicU32,
    over: AtomicBool,
    queue: Mutex<VecDeque<(u32, Thread)>>,
}

impl Turns {
    /// Nobody's turn.
    pub const fn new() -> Self {
        Self {
            turn: AtomicU32::new(NOBODY),
            waiting: AtomicU32::new(0),
            over: AtomicBool::new(false),
            queue: Mutex::new(VecDeque::new()),
        }
    }

    /// Whether it is the thread's turn.
    #[inline]
    pub fn is_of(&self, thread: u32) -> bool {
        self.turn.load(Acquire) == thread
    }

    /// Whether somebody waits for one.
    #[inline]
    pub fn waited_for(&self) -> bool {
        self.waiting.load(Relaxed) != 0
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<(u32, Thread)>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn. `come` is called when the thread has it, or waits for it.
    pub fn take(&self, thread: u32, ring: &Ring, come: impl FnOnce()) {
        let mut queue = self.queue();
        if self.over.load(Relaxed) || self.is_of(thread) {
            return;
        }
        if self.turn.load(Acquire) == NOBODY {
            self.turn.store(thread, Release);
            drop(queue);
            return come();
        }
        queue.push_back((thread, std::thread::current()));
        self.waiting.store(queue.len() as u32, Relaxed);
        drop(queue);
        come();
        self.wait(thread, ring);
    }

    /// Waits in the queue.
    fn wait(&self, thread: u32, ring: &Ring) {
        let (mut seen, mut still, mut since) = (ring.progress(), 0, Instant::now());
        loop {
            // woken without the lock, which who wakes may still hold
            std::thread::park_timeout(PATIENCE);
            if self.over.load(Relaxed) || self.is_of(thread) {
                return;
            }
            // by a signal
            if since.elapsed() < PATIENCE {
                continue;
            }
            since = Instant::now();
            let now = ring.progress();
            let quiet = now == seen && !ring.stalled.load(Relaxed);
            still = if quiet { still + 1 } else { 0 };
            seen = now;
            let mut queue = self.queue();
            match queue.iter().position(|(waits, _)| *waits == thread) {
                Some(0) if still >= 2 => {
                    queue.pop_front();
                    self.waiting.store(queue.len() as u32, Relaxed);
                    self.turn.store(thread, Release);
                    ring.control().steals.fetch_add(1, Relaxed);
                    return;
                }
                Some(_) => {}
                // it had its turn, and before it woke another took it
                None if !self.is_of(thread) => {
                    if self.turn.load(Acquire) == NOBODY {
                        self.turn.store(thread, Release);
                        return;
                    }
                    queue.push_back((thread, std::thread::current()));
                    self.waiting.store(queue.len() as u32, Relaxed);
                }
                None => {}
            }
        }
    }

    /// The turn of who has waited longest, or nobody's, begins.
    fn next(&self, mut queue: MutexGuard<'_, VecDeque<(u32, Thread)>>) {
        let next = queue.pop_front();
        self.waiting.store(queue.len() as u32, Relaxed);
        self.turn.store(next.as_ref().map_or(NOBODY, |(thread, _)| *thread), Release);
        drop(queue);
        if let Some((_, next)) = next {
            next.unpark();
        }
    }

    /// Ends the thread's turn, if it has one.
    pub fn give(&self, thread: u32) {
        let queue = self.queue();
        if self.is_of(thread) {
            self.next(queue);
        }
    }

    /// Ends the thread's turn, and waits for another.
    pub fn hand_over(&self, thread: u32, ring: &Ring) {
        let mut queue = self.queue();
        if self.over.load(Relaxed) || queue.is_empty() || !self.is_of(thread) {
            drop(queue);
            return self.take(thread, ring, || {});
        }
        queue.push_back((thread, std::thread::current()));
        self.next(queue);
        self.wait(thread, ring);
    }

    /// Lets all run.
    pub fn end(&self) {
        let queue = self.queue();
        self.over.store(true, Relaxed);
        queue.iter().for_each(|(_, thread)| thread.unpark());
    }
}
