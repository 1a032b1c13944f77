//! The ring, as its writers see it
//!
//! A lock of one word keeps the entries of several threads apart; in a serial schedule nobody else wants it. When the
//! ring is full the writer waits for the front end.

use crate::layout::{escape, Control, BEGIN, BLOCK, CONTROL_BYTES, ESCAPE, MAGIC, THREAD};
use crate::qemu::mmap;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::Duration;

/// How long to wait for the front end before looking again.
const PAUSE: Duration = Duration::from_micros(50);

/// The ring and who wrote last.
pub struct Ring {
    control: &'static Control,
    words: *mut u32,
    mask: u64,
    locked: AtomicBool,
    /// The writer waits for the front end.
    pub stalled: AtomicBool,
    inside: UnsafeCell<Inside>,
}

/// Behind the lock.
struct Inside {
    head: u64,
    /// Head at which the ring is full, as last seen.
    end: u64,
    /// Of the last entry.
    thread: u32,
    /// Skipping is over.
    begun: bool,
    executed: u64,
}

// SAFETY: `inside` and the words in front of `head` are only touched by who holds the lock.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    /// Maps what the front end made.
    pub fn map(fd: i32) -> Option<Self> {
        const READ_WRITE: i32 = 3;
        const SHARED: i32 = 1;
        // SAFETY: new mappings of a descriptor that was given for this; the length is that of the control page first.
        let control: &'static Control = unsafe {
            let page = mmap(std::ptr::null_mut(), CONTROL_BYTES, READ_WRITE, SHARED, fd, 0);
            if page as isize == -1 {
                return None;
            }
            &*page.cast_const().cast()
        };
        if control.magic != MAGIC || !control.words.is_power_of_two() {
            return None;
        }
        let length = control.words as usize * 4;
        // SAFETY: as above; the ring stands behind the control page.
        let words = unsafe { mmap(std::ptr::null_mut(), length, READ_WRITE, SHARED, fd, CONTROL_BYTES as i64) };
        if words as isize == -1 {
            return None;
        }
        let begun = control.skip == 0;
        let inside = Inside { head: 0, end: control.words, thread: u32::MAX, begun, executed: 0 };
        Some(Self {
            control,
            words: words.cast(),
            mask: control.words - 1,
            locked: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            inside: UnsafeCell::new(inside),
        })
    }

    /// The control page.
    pub fn control(&self) -> &'static Control {
        self.control
    }

    /// Words written so far, as others see it: changes while something happens.
    pub fn progress(&self) -> u64 {
        self.control.head.0.load(Relaxed)
    }

    /// Takes the lock: until [`Ring::unlock`] nobody else has what it gives.
    #[allow(clippy::mut_from_ref)]
    #[inline]
    fn lock(&self) -> &mut Inside {
        while self.locked.swap(true, Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: the lock is held.
        unsafe { &mut *self.inside.get() }
    }

    #[inline]
    fn unlock(&self, inside: &Inside) {
        self.control.head.0.store(inside.head, Release);
        self.locked.store(false, Release);
    }

    /// Waits until `need` more words fit; false where the front end wants no more.
    #[cold]
    fn wait(&self, inside: &mut Inside, need: u64) -> bool {
        self.control.head.0.store(inside.head, Release);
        self.stalled.store(true, Relaxed);
        loop {
            inside.end = self.control.tail.0.load(Acquire) + self.control.words;
            if inside.head + need <= inside.end {
                break;
            }
            if self.control.stop.load(Relaxed) != 0 {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
        self.stalled.store(false, Relaxed);
        true
    }

    #[inline]
    fn put(&self, inside: &mut Inside, words: &[u32]) {
        for word in words {
            // SAFETY: masked to the length of the mapping.
            unsafe { self.words.add((inside.head & self.mask) as usize).write(*word) };
            inside.head += 1;
        }
    }

    /// Appends an entry of a thread. `false`: the front end wants no more.
    #[inline]
    pub fn tell(&self, thread: u32, words: &[u32]) -> bool {
        let inside = self.lock();
        let done = !inside.begun || self.tell_locked(inside, thread, words);
        self.unlock(inside);
        done
    }

    #[inline]
    fn tell_locked(&self, inside: &mut Inside, thread: u32, words: &[u32]) -> bool {
        let need = words.len() as u64 + 1;
        if inside.head + need > inside.end && !self.wait(inside, need) {
            return false;
        }
        if inside.thread != thread {
            inside.thread = thread;
            self.put(inside, &[escape(THREAD, thread)]);
        }
        self.put(inside, words);
        true
    }

    /// A thread begins a block of so many instructions.
    #[inline]
    pub fn begin(&self, thread: u32, block: u32, instructions: u32, more: &[u32]) -> bool {
        let inside = self.lock();
        let mut done = true;
        if !inside.begun && inside.executed + u64::from(instructions) > self.control.skip {
            inside.begun = true;
            let n = inside.executed;
            done = self.tell_locked(inside, thread, &[escape(BEGIN, 0), n as u32, (n >> 32) as u32]);
        }
        inside.executed += u64::from(instructions);
        if inside.begun {
            done &= match more {
                [] => self.tell_locked(inside, thread, &[block]),
                more => self.tell_locked(inside, thread, more),
            };
        }
        self.control.executed.store(inside.executed, Relaxed);
        self.unlock(inside);
        done && self.control.stop.load(Relaxed) == 0
    }

    /// Appends a block's description: of no thread, and also while instructions are skipped.
    pub fn describe(&self, words: &[u32]) -> bool {
        let inside = self.lock();
        let need = words.len() as u64 + 1;
        let done = inside.head + need <= inside.end || self.wait(inside, need);
        if done {
            self.put(inside, &[escape(BLOCK, words.len() as u32)]);
            self.put(inside, words);
        }
        self.unlock(inside);
        done
    }
}

const _: () = assert!(ESCAPE == 1 << 31);
