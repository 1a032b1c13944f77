//! The ring, as its writers see it
//!
//! A lock of one word keeps the entries of several threads apart. Under a serial schedule one thread writes nearly all:
//! whose turn it is. To take a lock for each block would cost more than the block, so the lock is *biased*: the gate names
//! the thread that writes without it. Another thread that has something to tell takes the lock, closes the gate, makes
//! every processor see that (`membarrier`), and waits until the thread that had it is not writing any more. Where the
//! system has no `membarrier`, the gate stays closed.
//!
//! The ring is mapped twice, one behind the other, so that no entry is cut. When it is full the writer waits for the
//! front end.

use crate::layout::{escape, Control, ACCESS, BEGIN, BLOCK, CONTROL_BYTES, ENOUGH, ESCAPE, MAGIC, THREAD};
use crate::qemu::{futex, membarrier, mmap};
use std::cell::UnsafeCell;
use std::sync::atomic::{compiler_fence, AtomicBool, AtomicPtr, Ordering::*};
use std::time::Duration;

/// How long to wait for the front end before looking again.
const PAUSE: Duration = Duration::from_millis(5);
/// Words after which a writer behind the gate looks whether the front end still wants them.
const PORTION: u64 = 1 << 16;

/// A thread, as the gate knows it. It lives as long as the process.
#[derive(Default)]
pub struct Writer {
    /// Its number.
    pub id: u32,
    /// It may be writing behind the gate.
    busy: AtomicBool,
}

impl Writer {
    /// Of the thread of this number.
    pub fn new(id: u32) -> Self {
        Self { id, busy: AtomicBool::new(false) }
    }
}

/// The ring and who wrote last.
pub struct Ring {
    /// Who writes without the lock.
    gate: AtomicPtr<Writer>,
    inside: UnsafeCell<Inside>,
    control: &'static Control,
    words: *mut u32,
    mask: u64,
    /// There is a way to close the gate.
    biased: bool,
    locked: AtomicBool,
    /// The writer waits for the front end.
    pub stalled: AtomicBool,
}

/// Behind the lock, or the gate. What is counted stands in the control page.
struct Inside {
    /// Head up to which the gate's thread writes.
    end: u64,
    /// Instructions up to which it does.
    limit: u64,
    /// Head at which the ring is full, as last seen.
    full: u64,
    /// Of the last entry.
    thread: u32,
    /// Skipping is over.
    begun: bool,
}

/// Fetches what is written soon, which the front end's processor had last: else each store waits for it.
#[inline(always)]
fn soon(place: *mut u32) {
    /// Words ahead: 1 KiB.
    const AHEAD: usize = 256;
    let place = place.wrapping_add(AHEAD);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which may name any address.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) place, options(nostack, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

// SAFETY: `inside` and the words in front of `head` are only touched by who holds the lock or is behind the gate.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    /// Maps what the front end made.
    pub fn map(fd: i32) -> Option<Self> {
        const READ_WRITE: i32 = 3;
        const SHARED: i32 = 1;
        const FIXED: i32 = 0x10;
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
        let behind = CONTROL_BYTES as i64;
        // SAFETY: as above; the ring stands behind the control page. The second mapping is over the second half of the
        // first, which is beyond the file's end and was never touched.
        let words = unsafe {
            let words = mmap(std::ptr::null_mut(), 2 * length, READ_WRITE, SHARED, fd, behind);
            if words as isize == -1 {
                return None;
            }
            let second = words.cast::<u8>().add(length).cast();
            if mmap(second, length, READ_WRITE, SHARED | FIXED, fd, behind) != second {
                return None;
            }
            words
        };
        let begun = control.skip == 0;
        let full = control.words;
        let inside = Inside { end: 0, limit: 0, full, thread: u32::MAX, begun };
        Some(Self {
            control,
            words: words.cast(),
            mask: control.words - 1,
            gate: AtomicPtr::default(),
            biased: membarrier::register(),
            locked: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            inside: UnsafeCell::new(inside),
        })
    }

    /// The control page.
    pub fn control(&self) -> &'static Control {
        self.control
    }

    /// Changes while something happens.
    pub fn progress(&self) -> u64 {
        // while instructions are skipped nothing is written
        self.head().wrapping_add(self.executed())
    }

    /// Instructions of the blocks that were begun.
    #[inline(always)]
    pub fn executed(&self) -> u64 {
        self.control.written.executed.load(Relaxed)
    }

    /// Whether the front end wants no more.
    pub fn stopped(&self) -> bool {
        self.control.stop.load(Relaxed) != 0
    }

    /// What `write` does, if the gate is open for this thread. It writes at most 5 words, and says how many.
    #[inline(always)]
    fn behind_gate(&self, me: &Writer, write: impl FnOnce(&mut Inside, *mut u32) -> Option<u64>) -> bool {
        me.busy.store(true, Relaxed);
        // for the processor, `membarrier` of who closes the gate stands here
        compiler_fence(SeqCst);
        let mut done = false;
        if std::ptr::eq(self.gate.load(Acquire), me) {
            // SAFETY: the gate is open for this thread only, and who closes it waits while it is busy.
            let inside = unsafe { &mut *self.inside.get() };
            let head = self.head();
            if head < inside.end {
                // SAFETY: masked to the length of the ring, behind which it is mapped again.
                let place = unsafe { self.words.add((head & self.mask) as usize) };
                soon(place);
                if let Some(count) = write(inside, place) {
                    // while instructions are skipped, what was written is written over
                    self.set_head(head + if inside.begun { count } else { 0 });
                    done = true;
                }
            }
        }
        me.busy.store(false, Release);
        done
    }

    #[inline(always)]
    fn head(&self) -> u64 {
        self.control.written.head.load(Relaxed)
    }

    #[inline(always)]
    fn set_head(&self, head: u64) {
        self.control.written.head.store(head, Release);
    }

    /// A thread begins a block, as [`Ring::begin`]; false: not without the lock.
    #[inline(always)]
    pub fn begin_behind_gate(&self, me: &Writer, block: u32, instructions: u32) -> bool {
        self.behind_gate(me, |inside, place| {
            let executed = self.executed() + u64::from(instructions);
            if executed > inside.limit {
                return None;
            }
            self.control.written.executed.store(executed, Relaxed);
            // SAFETY: a word of the ring.
            unsafe { place.write(block) };
            Some(1)
        })
    }

    /// Appends a load or a store; false: not without the lock.
    #[inline(always)]
    pub fn access_behind_gate(&self, me: &Writer, what: u32, address: u64, value: u64) -> bool {
        self.behind_gate(me, |_, place| {
            // SAFETY: five words of the ring; `end` keeps as many free.
            unsafe {
                place.write(escape(ACCESS, what));
                place.add(1).cast::<u64>().write_unaligned(address.to_le());
                place.add(3).cast::<u64>().write_unaligned(value.to_le());
            }
            Some(5)
        })
    }

    /// Takes the lock and closes the gate: until [`Ring::unlock`] nobody else has what it gives. `me`: who calls, where that
    /// is a writer.
    #[allow(clippy::mut_from_ref)]
    fn lock(&self, me: Option<&Writer>) -> &mut Inside {
        while self.locked.swap(true, Acquire) {
            std::thread::yield_now();
        }
        let writer = self.gate.swap(std::ptr::null_mut(), AcqRel);
        // who calls is not writing, and needs nobody to tell it
        if !writer.is_null() && !me.is_some_and(|me| std::ptr::eq(me, writer)) {
            membarrier::all();
            // SAFETY: writers live as long as the process.
            while unsafe { &*writer }.busy.load(Acquire) {
                std::thread::yield_now();
            }
        }
        // SAFETY: the lock is held, and the gate closed.
        unsafe { &mut *self.inside.get() }
    }

    fn unlock(&self) {
        self.locked.store(false, Release);
    }

    /// Closes the gate, if it is open for this thread, which calls.
    pub fn close(&self, me: &Writer) {
        let me = std::ptr::from_ref(me).cast_mut();
        // where it is another's, that is right
        let _ = self.gate.compare_exchange(me, std::ptr::null_mut(), AcqRel, Relaxed);
    }

    /// Closes the gate in a child after a fork, where there are no other threads.
    pub fn close_for_all(&self) {
        self.gate.store(std::ptr::null_mut(), Release);
    }

    /// Waits until `need` more words fit; false where the front end wants no more.
    #[cold]
    fn wait(&self, inside: &mut Inside, need: u64) -> bool {
        self.stalled.store(true, Relaxed);
        // to sleep and wake for each entry would cost more than the entry
        let room = need.max(self.control.words / 2);
        loop {
            self.control.full.store(1, SeqCst);
            inside.full = self.control.tail.0.load(SeqCst) + self.control.words;
            if self.head() + room <= inside.full {
                break;
            }
            if self.stopped() {
                return false;
            }
            self.wake_reader();
            futex::wait(&self.control.full, 1, PAUSE);
        }
        self.control.full.store(0, Relaxed);
        self.stalled.store(false, Relaxed);
        true
    }

    /// Wakes the front end, if it sleeps.
    fn wake_reader(&self) {
        if self.control.asleep.swap(0, SeqCst) != 0 {
            futex::wake(&self.control.asleep);
        }
    }

    /// Appends words, which others see as one.
    fn put(&self, parts: [&[u32]; 2]) {
        let mut head = self.head();
        for word in parts.into_iter().flatten() {
            // SAFETY: masked to the length of the mapping.
            unsafe { self.words.add((head & self.mask) as usize).write(*word) };
            head += 1;
        }
        self.set_head(head);
    }

    /// Appends an entry of a thread. `false`: the front end wants no more.
    pub fn tell(&self, me: &Writer, words: &[u32]) -> bool {
        let inside = self.lock(Some(me));
        let done = !inside.begun || self.tell_locked(inside, me.id, words);
        self.unlock();
        done
    }

    fn tell_locked(&self, inside: &mut Inside, thread: u32, words: &[u32]) -> bool {
        let need = words.len() as u64 + 1;
        if self.head() + need > inside.full && !self.wait(inside, need) {
            return false;
        }
        let same = std::mem::replace(&mut inside.thread, thread) == thread;
        let change = [escape(THREAD, thread)];
        self.put([if same { &[] } else { &change }, words]);
        true
    }

    /// A thread begins a block of so many instructions. With `open`, it writes without the lock from then on, until so
    /// many instructions were executed.
    pub fn begin(&self, me: &Writer, block: u32, instructions: u32, open: Option<u64>) -> bool {
        let inside = self.lock(Some(me));
        let mut done = true;
        let executed = self.executed();
        if !inside.begun && executed + u64::from(instructions) > self.control.skip {
            inside.begun = true;
            let words = [escape(BEGIN, 0), executed as u32, (executed >> 32) as u32];
            done = self.tell_locked(inside, me.id, &words);
        }
        if inside.begun {
            done &= self.tell_locked(inside, me.id, &[block]);
            if self.control.asleep.load(Relaxed) != 0 && self.head() - self.control.tail.0.load(Relaxed) >= ENOUGH {
                self.wake_reader();
            }
        }
        self.control.written.executed.store(executed + u64::from(instructions), Relaxed);
        if let Some(limit) = open.filter(|_| done && self.biased && !self.stopped()) {
            inside.limit = if inside.begun { limit } else { limit.min(self.control.skip) };
            inside.full = self.control.tail.0.load(Acquire) + self.control.words;
            // the thread was told, or will be when skipping is over; 4 words more fit behind the last begun
            inside.end = (self.head() + PORTION).min(inside.full.saturating_sub(4));
            self.gate.store(std::ptr::from_ref(me).cast_mut(), Release);
        }
        self.unlock();
        done && !self.stopped()
    }

    /// Appends a block's description: of no thread, and also while instructions are skipped.
    pub fn describe(&self, words: &[u32]) -> bool {
        let inside = self.lock(None);
        let need = words.len() as u64 + 1;
        let done = self.head() + need <= inside.full || self.wait(inside, need);
        if done {
            self.put([&[escape(BLOCK, words.len() as u32)], words]);
        }
        self.unlock();
        done
    }
}

const _: () = assert!(ESCAPE == 1 << 31);
