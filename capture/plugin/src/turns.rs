//! Turns: one thread of the guest at a time
//!
//! A thread whose turn is over, or that enters the system, hands over to the one that has waited longest. So the order
//! in the ring is the order of execution, and a value that is read behind an access is the value of that access.
//!
//! QEMU itself sometimes waits for all threads to leave their blocks, which a thread that waits here cannot. A thread
//! that has waited twice [`PATIENCE`] while nothing was told, and while who has the turn sleeps, takes it: the schedule is
//! then another, and what is told is still in the order in which it was told. Who runs, or is about to on a host with much
//! to do, may be in the middle of a block: it keeps the turn until it begins one that is not plain. It would never tell
//! anything else where it waits, in code that is not traced, for what another is to do.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_millis(20);
/// Nobody's turn.
const NOBODY: u32 = u32::MAX;

/// A thread of the guest.
#[derive(Clone, Copy)]
pub struct Runner {
    pub id: u32,
    /// What the system calls it.
    pub system: u32,
}

/// What is told of those that have turns.
pub trait Told {
    /// Changes while something happens.
    fn progress(&self) -> u64;
    /// Nothing happens because who has the turn waits for the front end.
    fn stalls(&self) -> bool;
    /// A turn was taken.
    fn taken(&self);
}

extern "C" {
    fn gettid() -> c_int;
}

/// What the system calls the thread that calls.
pub fn system_number() -> u32 {
    // SAFETY: a plain question.
    unsafe { gettid() as u32 }
}

/// Whether a thread of this process waits for something, or is none any more.
fn sleeps(system: u32) -> bool {
    let told = std::fs::read_to_string(format!("/proc/self/task/{system}/stat"));
    // its name, which may have any character, stands in brackets before
    told.map_or(true, |text| text.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['S', 'Z', 'X'])))
}

type Queue = VecDeque<(Runner, Thread)>;

/// Whose turn it is and who waits.
pub struct Turns {
    turn: AtomicU32,
    /// What the system calls who has it.
    system: AtomicU32,
    waiting: AtomicU32,
    /// Who has it is to end it, at what is not traced: nothing was told for long.
    wanted: AtomicBool,
    over: AtomicBool,
    queue: Mutex<Queue>,
}

impl Turns {
    /// Nobody's turn.
    pub const fn new() -> Self {
        Self {
            turn: AtomicU32::new(NOBODY),
            system: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            wanted: AtomicBool::new(false),
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

    /// Whether somebody has waited for long, and nothing was told.
    pub fn wanted(&self) -> bool {
        self.wanted.load(Relaxed)
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn assign(&self, runner: Runner) {
        self.wanted.store(false, Relaxed);
        self.system.store(runner.system, Relaxed);
        self.turn.store(runner.id, Release);
    }

    /// Waits for a turn. `come` is called when the thread has it, or waits for it.
    pub fn take(&self, thread: Runner, ring: &impl Told, come: impl FnOnce()) {
        let mut queue = self.queue();
        if self.over.load(Relaxed) || self.is_of(thread.id) {
            return;
        }
        if self.turn.load(Acquire) == NOBODY {
            self.assign(thread);
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
    fn wait(&self, thread: Runner, ring: &impl Told) {
        let (mut seen, mut still, mut since) = (ring.progress(), 0, Instant::now());
        loop {
            // woken without the lock, which who wakes may still hold
            std::thread::park_timeout(PATIENCE);
            if self.over.load(Relaxed) || self.is_of(thread.id) {
                return;
            }
            // by a signal
            if since.elapsed() < PATIENCE {
                continue;
            }
            since = Instant::now();
            let now = ring.progress();
            let quiet = now == seen && !ring.stalls();
            still = if quiet { still + 1 } else { 0 };
            seen = now;
            let mut queue = self.queue();
            match queue.iter().position(|(waits, _)| waits.id == thread.id) {
                Some(0) if still >= 2 && sleeps(self.system.load(Relaxed)) => {
                    queue.pop_front();
                    self.waiting.store(queue.len() as u32, Relaxed);
                    self.assign(thread);
                    ring.taken();
                    return;
                }
                Some(0) if still >= 2 => self.wanted.store(true, Relaxed),
                Some(_) => {}
                // it had its turn, and before it woke another took it
                None if !self.is_of(thread.id) => {
                    if self.turn.load(Acquire) == NOBODY {
                        self.assign(thread);
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
    fn next(&self, mut queue: MutexGuard<'_, Queue>) {
        let next = queue.pop_front();
        self.waiting.store(queue.len() as u32, Relaxed);
        self.assign(next.as_ref().map_or(Runner { id: NOBODY, system: 0 }, |(thread, _)| *thread));
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
    pub fn hand_over(&self, thread: Runner, ring: &impl Told) {
        let mut queue = self.queue();
        if self.over.load(Relaxed) || queue.is_empty() || !self.is_of(thread.id) {
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
