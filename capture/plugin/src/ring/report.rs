//! Entries that are written with the lock, and waiting until they fit

use super::{Inside, Ring, Writer, CHECK_INTERVAL, RESERVE};
use crate::layout::{escape, THREAD};
use crate::qemu::futex;
use std::sync::atomic::Ordering::*;
use std::sync::{MutexGuard, PoisonError};

impl Ring {
    /// Head at which the ring is full.
    pub(super) fn full(&self) -> u64 {
        self.control.tail.0.load(SeqCst) + self.mask - RESERVE
    }

    /// Waits until `need` more words fit; false if the front end needs no more.
    #[cold]
    fn wait(&self, inside: &mut Inside, need: u64) -> bool {
        self.stalled.store(true, Relaxed);
        // sleeping and waking for each entry would cost more than the entry
        let room = need.max(self.control.words / 2 - 2 * RESERVE);
        loop {
            self.control.full.store(1, SeqCst);
            inside.full = self.full();
            if self.head() + room <= inside.full {
                break;
            }
            if self.stopped() || !self.has_reader() {
                return false;
            }
            self.wake_reader();
            futex::wait(&self.control.full, 1, CHECK_INTERVAL);
        }
        self.control.full.store(0, Relaxed);
        self.stalled.store(false, Relaxed);
        true
    }

    /// Whether the front end still exists: children of the guest do not end with it.
    fn has_reader(&self) -> bool {
        std::fs::exists(format!("/proc/{}", self.control.owner)).unwrap_or(true)
    }

    /// Wakes the front end if it sleeps.
    pub(super) fn wake_reader(&self) {
        if self.control.asleep.swap(0, SeqCst) != 0 {
            futex::wake(&self.control.asleep);
        }
    }

    /// Whether `need` words fit, after waiting if necessary.
    pub(super) fn has_room(&self, inside: &mut Inside, need: u64) -> bool {
        self.head() + need <= inside.full || self.wait(inside, need)
    }

    /// Appends words, which become visible together.
    fn put(&self, parts: [&[u32]; 2]) {
        let mut head = self.head();
        for word in parts.into_iter().flatten() {
            // SAFETY: masked to the length of the mapping.
            unsafe { self.words.add((head & self.mask) as usize).write(*word) };
            head += 1;
        }
        self.set_head(head);
    }

    pub(super) fn pending(&self) -> MutexGuard<'_, Vec<(Option<u32>, Vec<u32>)>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues words for the thread that has the turn: of a thread, or of none; the latter are also reported during
    /// skipping.
    pub fn report_later(&self, thread: Option<u32>, words: Vec<u32>) {
        self.pending().push((thread, words));
        self.is_pending.store(true, Release);
    }

    /// Reports queued words.
    pub(super) fn report_pending(&self, inside: &mut Inside) -> bool {
        if !self.is_pending.swap(false, Acquire) {
            return true;
        }
        let pending = std::mem::take(&mut *self.pending());
        pending.into_iter().all(|(thread, words)| match thread {
            Some(thread) => !inside.begun || self.report_locked(inside, thread, &words),
            None => {
                let room = self.has_room(inside, words.len() as u64);
                if room {
                    self.put([&words, &[]]);
                }
                room
            }
        })
    }

    /// Appends an entry of a thread. `false`: the front end needs no more.
    pub fn report(&self, me: &Writer, words: &[u32]) -> bool {
        let inside = self.lock(Some(me));
        let done = self.report_pending(inside) && (!inside.begun || self.report_locked(inside, me.id, words));
        self.unlock();
        done
    }

    pub(super) fn report_locked(&self, inside: &mut Inside, thread: u32, words: &[u32]) -> bool {
        if !self.has_room(inside, words.len() as u64 + 1) {
            return false;
        }
        let same = std::mem::replace(&mut inside.thread, thread) == thread;
        let change = [escape(THREAD, thread)];
        self.put([if same { &[] } else { &change }, words]);
        true
    }
}
