//! Turns: threads of the guest run one at a time
//!
//! A thread whose turn is over, or that makes a system call, hands over to the one that has waited longest. So the
//! order in the ring is the order of execution, and a value that is read after an access is the value of that access.
//!
//! QEMU itself sometimes waits for all threads to leave their blocks, which a thread that waits here cannot do. So a
//! thread takes the turn after it has waited for twice [`WAIT_LIMIT`] while nothing was reported and the owner of the
//! turn sleeps: this changes the schedule, but entries are still in the order of execution. An owner that runs, or is
//! ready to run on a busy host, may be in the middle of a block: it keeps the turn until it begins a block on the slow
//! path. Otherwise it might wait forever, in code that is not traced, for another thread.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

const WAIT_LIMIT: Duration = Duration::from_millis(20);
/// No thread has the turn.
const NOBODY: u32 = u32::MAX;

/// A thread of the guest.
#[derive(Clone, Copy)]
pub struct Runner {
    pub id: u32,
    /// Its number in the operating system.
    pub system: u32,
}

/// Progress of the threads that have turns.
pub trait Progress {
    /// A value that changes while something happens.
    fn progress(&self) -> u64;
    /// Whether nothing happens because the owner of the turn waits for the front end.
    fn stalls(&self) -> bool;
    /// Called when a turn was taken.
    fn taken(&self);
}

extern "C" {
    fn gettid() -> c_int;
}

/// Number of the current thread in the operating system.
pub fn system_number() -> u32 {
    // SAFETY: a simple query.
    unsafe { gettid() as u32 }
}

/// Whether a thread of this process sleeps, or has ended.
fn sleeps(system: u32) -> bool {
    let reported = std::fs::read_to_string(format!("/proc/self/task/{system}/stat"));
    // the state follows the name, which is in brackets and may contain any character
    reported.map_or(true, |text| text.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['S', 'Z', 'X'])))
}

pub type Queue = VecDeque<(Runner, Thread)>;

/// The owner of the turn, and the queue of waiting threads.
pub struct Turns {
    turn: AtomicU32,
    /// The owner's number in the operating system.
    system: AtomicU32,
    waiting: AtomicU32,
    /// The owner must hand over, even in code that is not traced: nothing was reported for a long time.
    wanted: AtomicBool,
    over: AtomicBool,
    queue: Mutex<Queue>,
}

impl Turns {
    /// A queue without an owner of the turn.
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

    /// Whether a thread waits for a turn.
    #[inline]
    pub fn waited_for(&self) -> bool {
        self.waiting.load(Relaxed) != 0
    }

    /// Whether a thread has waited for a long time while nothing was reported.
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

    /// Waits for a turn. `come` is called when the thread has it, or is in the queue.
    pub fn take(&self, thread: Runner, ring: &impl Progress, come: impl FnOnce()) {
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
    fn wait(&self, thread: Runner, ring: &impl Progress) {
        let (mut seen, mut still, mut since) = (ring.progress(), 0, Instant::now());
        loop {
            // does not hold the lock, which the waking thread may still hold
            std::thread::park_timeout(WAIT_LIMIT);
            if self.over.load(Relaxed) || self.is_of(thread.id) {
                return;
            }
            // woken by a signal
            if since.elapsed() < WAIT_LIMIT {
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
                // it was given its turn, but another thread took it before this one woke
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

    /// Starts the turn of the thread that has waited longest, if any.
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
    pub fn hand_over(&self, thread: Runner, ring: &impl Progress) {
        let mut queue = self.queue();
        if self.over.load(Relaxed) || queue.is_empty() || !self.is_of(thread.id) {
            drop(queue);
            return self.take(thread, ring, || {});
        }
        queue.push_back((thread, std::thread::current()));
        self.next(queue);
        self.wait(thread, ring);
    }

    /// Locks the queue for a fork, so that the child can use it.
    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue()
    }

    /// Forgets all threads, in a child after a fork.
    pub fn restart(&self) {
        let mut queue = self.queue();
        queue.clear();
        self.waiting.store(0, Relaxed);
        self.over.store(false, Relaxed);
        self.assign(Runner { id: NOBODY, system: 0 });
    }

    /// Lets all threads run.
    pub fn end(&self) {
        let queue = self.queue();
        self.over.store(true, Relaxed);
        queue.iter().for_each(|(_, thread)| thread.unpark());
    }
}
