//! The ring, from the side of its writers
//!
//! A spin lock keeps the entries of several threads apart. Under a serial schedule one thread writes: the one that has
//! the turn. Taking a lock for each block would cost more than the block, so the lock is *biased*: the gate names the
//! processor whose thread may write without it, and how much. Code that QEMU generates (`ops`) does so without any
//! call. Only the thread that has the turn writes; entries of others (blocks that they translate, their end) are queued
//! for it.
//!
//! A thread whose turn is taken closes no other thread's gate: `turns` takes turns only from sleeping threads. For
//! safety, a thread that takes the lock makes every processor see the closed gate (`membarrier`), and waits until the
//! previous owner is no longer writing. If the system has no `membarrier`, the gate stays closed.
//!
//! The ring is mapped twice in succession, so that no entry is split. When it is full the writer waits for the front
//! end. Words that are not reported (skipped instructions, anything after the end) are written to private memory.

use crate::follow::map_in_place;
use crate::layout::{
    escape, Control, Written, ACCESS, BEGIN, CONTROL_BYTES, ESCAPE, MAGIC, NOBODY, THREAD, WAKE_WORDS,
};
use crate::qemu::{futex, membarrier, mmap};
use crate::turns::Progress;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::{compiler_fence, AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Interval for checking on the front end while waiting.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// Words after which a writer without the lock checks whether the front end still needs them: with blocks only, and
/// with accesses.
const PORTIONS: [u64; 2] = [1 << 16, 1 << 18];
/// Most words that an instruction takes, with blocks only and with accesses: three of them, and its block.
pub const MAX_WORDS: [u64; 2] = [1, 16];
/// Words that stay free for the rest of the current block: QEMU's blocks have at most 512 instructions.
const RESERVE: u64 = 512 * MAX_WORDS[1];
/// Free words for which a writer waits before it opens the gate.
const MIN_FREE_WORDS: u64 = 1 << 16;

/// A thread as a writer of the ring. It lives as long as the process.
#[derive(Default)]
pub struct Writer {
    /// Number of the thread.
    pub id: u32,
    /// Number of its processor.
    processor: u32,
    /// It may be writing without the lock.
    busy: AtomicBool,
}

impl Writer {
    /// The writer for the thread of this number on this processor.
    pub fn new(id: u32, processor: u32) -> Self {
        Self { id, processor, busy: AtomicBool::new(false) }
    }
}

/// The ring and its lock.
pub struct Ring {
    /// The writer without the lock.
    gate: AtomicPtr<Writer>,
    inside: UnsafeCell<Inside>,
    control: &'static Control,
    words: *mut u32,
    /// Words written when the first word of the ring was last written.
    origin: AtomicU64,
    mask: u64,
    /// Private memory for words that are not reported.
    discard_buffer: *mut u32,
    /// Entries of threads without a turn: words, and the thread if they belong to one.
    pending: Mutex<Vec<(Option<u32>, Vec<u32>)>>,
    is_pending: AtomicBool,
    /// The gate can be closed, and may therefore be opened.
    biased: bool,
    /// Accesses are reported.
    data: bool,
    locked: AtomicBool,
    /// The writer is waiting for the front end.
    stalled: AtomicBool,
    /// Value of [`Control::state`] after the installation.
    state: AtomicU32,
}

/// State protected by the lock, or the gate. Counters are in the control page.
struct Inside {
    /// Cursor up to which accesses are written without the lock.
    end: u64,
    /// Head at which the ring is full, as last read.
    full: u64,
    /// Thread of the last entry.
    thread: u32,
    /// Skipping has ended.
    begun: bool,
}

/// Prefetches words that will be written soon, which are in the cache of the front end's processor: otherwise each
/// store waits for them.
#[inline(always)]
fn prefetch(place: *mut u32) {
    /// Prefetch distance in words: 1 KiB.
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

// SAFETY: `inside` and the words beyond `head` are accessed only by the holder of the lock or of the gate.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Progress for Ring {
    fn progress(&self) -> u64 {
        // during skipping nothing is written
        self.head().wrapping_add(self.executed())
    }

    fn stalls(&self) -> bool {
        self.stalled.load(Relaxed)
    }

    fn taken(&self) {
        self.control.steals.fetch_add(1, Relaxed);
    }
}

impl Ring {
    /// Maps the memory that the front end created.
    pub fn map(fd: i32) -> Option<Self> {
        const READ_WRITE: i32 = 3;
        const SHARED: i32 = 1;
        const FIXED: i32 = 0x10;
        // SAFETY: new mappings of a descriptor passed for this purpose; the first length is that of the control page.
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
        // SAFETY: as above; the ring follows the control page. The second mapping replaces the second half of the
        // first, which is beyond the end of the file and was never touched.
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
        const PRIVATE_ANONYMOUS: i32 = 0x22;
        // SAFETY: private memory as large as the ring; the system allocates the pages that are touched.
        let discard_buffer = unsafe { mmap(std::ptr::null_mut(), 2 * length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
        if discard_buffer as isize == -1 {
            return None;
        }
        let begun = control.skip == 0;
        let inside = Inside { end: 0, full: 0, thread: u32::MAX, begun };
        let ring = Self {
            control,
            words: words.cast(),
            origin: AtomicU64::new(0),
            mask: control.words - 1,
            discard_buffer: discard_buffer.cast(),
            pending: Mutex::default(),
            is_pending: AtomicBool::new(false),
            gate: AtomicPtr::default(),
            biased: membarrier::register(),
            data: control.flags & crate::layout::WANT_DATA != 0,
            locked: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            state: AtomicU32::new(0),
            inside: UnsafeCell::new(inside),
        };
        control.base.store(words as u64, Relaxed);
        ring.written().gate.store(NOBODY, Relaxed);
        ring.written().cursor.store(ring.discard_buffer as u64, Relaxed);
        if begun {
            ring.show();
        }
        Some(ring)
    }

    /// Tells the front end that the plugin is ready, and how.
    pub fn set_state(&self, state: u32) {
        self.state.store(state, Relaxed);
        self.control.state.store(state, Relaxed);
    }

    /// The control page.
    pub fn control(&self) -> &'static Control {
        self.control
    }

    #[inline(always)]
    fn written(&self) -> &'static Written {
        &self.control.written
    }

    /// Whether the gate is ever opened.
    #[cfg_attr(feature = "api4", allow(dead_code))]
    pub fn is_biased(&self) -> bool {
        self.biased
    }

    /// Instructions of the blocks that were begun.
    #[inline(always)]
    pub fn executed(&self) -> u64 {
        self.written().executed()
    }

    fn count(&self, instructions: u32) {
        self.written().left.fetch_sub(instructions.into(), Relaxed);
    }

    /// Whether the front end needs no more words.
    pub fn stopped(&self) -> bool {
        self.control.stop.load(Relaxed) != 0
    }

    fn is_hidden(&self) -> bool {
        self.control.hidden.load(Relaxed) != 0
    }

    /// Number of words reported.
    fn head(&self) -> u64 {
        if self.is_hidden() {
            return self.written().head.load(Relaxed);
        }
        let at = self.written().cursor.load(Relaxed).wrapping_sub(self.words as u64) / 4;
        self.origin.load(Relaxed).wrapping_add(at)
    }

    fn set_head(&self, head: u64) {
        if self.is_hidden() {
            self.written().head.store(head, Release);
        } else {
            let at = head.wrapping_sub(self.origin.load(Relaxed));
            self.written().cursor.store(self.words as u64 + 4 * at, Release);
        }
    }

    /// Starts reporting: the words that are written from now on are visible.
    fn show(&self) {
        let head = self.written().head.load(Relaxed);
        let at = head & self.mask;
        self.origin.store(head - at, Relaxed);
        self.written().cursor.store(self.words as u64 + 4 * at, Relaxed);
        self.control.hidden.store(0, Release);
    }

    /// Stops reporting.
    fn hide(&self) {
        if !self.is_hidden() {
            self.written().head.store(self.head(), Release);
            self.control.hidden.store(1, Release);
            self.rest();
        }
    }

    /// Resets the private memory.
    pub fn rest(&self) {
        self.written().cursor.store(self.discard_buffer as u64, Release);
    }

    /// Moves the cursor back into the first of the two mappings.
    fn wrap_cursor(&self) {
        let (cursor, length) = (self.written().cursor.load(Relaxed), 4 * (self.mask + 1));
        if self.is_hidden() {
            self.rest();
        } else if cursor - self.words as u64 >= length {
            self.origin.fetch_add(self.mask + 1, Relaxed);
            self.written().cursor.store(cursor - length, Release);
        }
    }

    /// Runs `write` if the gate is open for this thread. It returns the number of words that it wrote at the cursor.
    #[inline(always)]
    fn unlocked(&self, me: &Writer, write: impl FnOnce(&Written, &Inside, *mut u32) -> Option<u64>) -> bool {
        me.busy.store(true, Relaxed);
        // a compiler fence suffices: a thread that closes the gate executes `membarrier`
        compiler_fence(SeqCst);
        let mut done = false;
        let written = self.written();
        if written.gate.load(Acquire) == me.processor {
            // SAFETY: the gate is open only for this thread, and a thread that closes it waits while it is busy.
            let inside = unsafe { &*self.inside.get() };
            let cursor = written.cursor.load(Relaxed);
            let place = cursor as *mut u32;
            prefetch(place);
            if let Some(count) = write(written, inside, place) {
                written.cursor.store(cursor + 4 * count, Release);
                done = true;
            }
        }
        me.busy.store(false, Release);
        done
    }

    /// As [`Ring::begin`], without the lock; false: the lock is needed. `cost`: the instructions of the block, or more
    /// than are left.
    #[inline(always)]
    pub fn begin_unlocked(&self, me: &Writer, block: u32, cost: i64) -> bool {
        self.unlocked(me, |written, _, place| {
            let left = written.left.load(Relaxed);
            if cost > left {
                return None;
            }
            written.left.store(left - cost, Relaxed);
            // SAFETY: a word of the ring for which `begin` has left space.
            unsafe { place.write(block) };
            Some(1)
        })
    }

    /// Appends a load or a store without the lock; false: the lock is needed.
    #[inline(always)]
    pub fn access_unlocked(&self, me: &Writer, what: u32, address: u64, value: u64) -> bool {
        self.unlocked(me, |_, inside, place| {
            // an instruction may have more accesses than space was left for
            if place as u64 >= inside.end {
                return None;
            }
            // SAFETY: five words of the ring, as above.
            unsafe {
                place.write(escape(ACCESS, what));
                place.add(1).cast::<u64>().write_unaligned(address.to_le());
                place.add(3).cast::<u64>().write_unaligned(value.to_le());
            }
            Some(5)
        })
    }

    /// Takes the lock and closes the gate: until [`Ring::unlock`] the result is exclusive. `me`: the caller, if it is a
    /// writer.
    #[allow(clippy::mut_from_ref)]
    fn lock(&self, me: Option<&Writer>) -> &mut Inside {
        while self.locked.swap(true, Acquire) {
            std::thread::yield_now();
        }
        self.written().gate.store(NOBODY, SeqCst);
        let writer = self.gate.swap(std::ptr::null_mut(), AcqRel);
        // the caller is not writing, and needs no barrier
        if !writer.is_null() && !me.is_some_and(|me| std::ptr::eq(me, writer)) {
            membarrier::all();
            // SAFETY: writers live as long as the process.
            while unsafe { &*writer }.busy.load(Acquire) {
                std::thread::yield_now();
            }
        }
        self.wrap_cursor();
        // SAFETY: the lock is held, and the gate is closed.
        unsafe { &mut *self.inside.get() }
    }

    fn unlock(&self) {
        self.locked.store(false, Release);
    }

    /// Closes the gate if it is open for the calling thread.
    pub fn close(&self, me: &Writer) {
        let writer = std::ptr::from_ref(me).cast_mut();
        // a gate that is open for another thread stays open
        if self.gate.load(Relaxed) == writer {
            self.written().gate.store(NOBODY, Relaxed);
            let _ = self.gate.compare_exchange(writer, std::ptr::null_mut(), AcqRel, Relaxed);
        }
    }

    /// Replaces the shared memory by private memory, in a child after a fork, which has no other threads.
    pub fn part(&self) {
        const OWN: i32 = 0x32;
        let bytes = CONTROL_BYTES + 8 * (self.mask as usize + 1);
        let control: *const Control = self.control;
        let mut page = [0u8; CONTROL_BYTES];
        // SAFETY: the control page, and the mappings for it and the ring; nothing else is there. Fixed, private,
        // anonymous.
        unsafe {
            std::ptr::copy_nonoverlapping(control.cast(), page.as_mut_ptr(), CONTROL_BYTES);
            let place: *mut c_void = control.cast_mut().cast();
            if mmap(place, CONTROL_BYTES, 3, OWN, -1, 0) == place {
                std::ptr::copy_nonoverlapping(page.as_ptr(), place.cast(), CONTROL_BYTES);
            }
            mmap(self.words.cast(), bytes - CONTROL_BYTES, 3, OWN, -1, 0);
        }
        self.written().gate.store(NOBODY, Relaxed);
        self.gate.store(std::ptr::null_mut(), Release);
        self.control.hidden.store(1, Relaxed);
        self.rest();
    }

    /// Maps other memory in its place, in a child after a fork, which has no other threads: an empty ring.
    pub fn replace(&self, fd: i32) -> bool {
        let control: *const Control = self.control;
        let length = 4 * (self.mask as usize + 1);
        // SAFETY: the control page and the mappings of the ring, which has the same size; there is no other thread.
        if !unsafe { map_in_place(fd, control.cast_mut().cast(), self.words.cast(), length) } {
            return false;
        }
        self.gate.store(std::ptr::null_mut(), Release);
        self.pending().clear();
        self.is_pending.store(false, Relaxed);
        self.stalled.store(false, Relaxed);
        self.origin.store(0, Relaxed);
        let begun = self.control.skip == 0;
        // SAFETY: there is no other thread.
        unsafe { *self.inside.get() = Inside { end: 0, full: 0, thread: u32::MAX, begun } };
        membarrier::register();
        self.control.state.store(self.state.load(Relaxed), Relaxed);
        self.control.begun.store(1, Relaxed);
        self.control.base.store(self.words as u64, Relaxed);
        self.written().gate.store(NOBODY, Relaxed);
        self.rest();
        if begun {
            self.show();
        }
        true
    }

    /// Locks it for a fork, so that the child can use it.
    pub fn lock_for_fork(&self) -> MutexGuard<'_, Vec<(Option<u32>, Vec<u32>)>> {
        self.lock(None);
        self.pending()
    }

    /// Unlocks it after a fork.
    pub fn unlock_after_fork(&self) {
        self.unlock();
    }

    /// Head at which the ring is full.
    fn full(&self) -> u64 {
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
    fn wake_reader(&self) {
        if self.control.asleep.swap(0, SeqCst) != 0 {
            futex::wake(&self.control.asleep);
        }
    }

    /// Whether so many words fit, after waiting if necessary.
    fn has_room(&self, inside: &mut Inside, need: u64) -> bool {
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

    fn pending(&self) -> MutexGuard<'_, Vec<(Option<u32>, Vec<u32>)>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues words for the thread that has the turn: of a thread, or of none; the latter are also reported during
    /// skipping.
    pub fn report_later(&self, thread: Option<u32>, words: Vec<u32>) {
        self.pending().push((thread, words));
        self.is_pending.store(true, Release);
    }

    /// Reports queued words.
    fn report_pending(&self, inside: &mut Inside) -> bool {
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

    fn report_locked(&self, inside: &mut Inside, thread: u32, words: &[u32]) -> bool {
        if !self.has_room(inside, words.len() as u64 + 1) {
            return false;
        }
        let same = std::mem::replace(&mut inside.thread, thread) == thread;
        let change = [escape(THREAD, thread)];
        self.put([if same { &[] } else { &change }, words]);
        true
    }

    /// Whether the trace has begun.
    pub fn has_begun(&self) -> bool {
        !self.is_hidden()
    }

    /// A thread begins a block of so many instructions. With `open`, it may then write without the lock until so many
    /// instructions have been executed.
    pub fn begin(&self, me: &Writer, block: u32, instructions: u32, open: Option<u64>) -> bool {
        let inside = self.lock(Some(me));
        let mut done = self.report_pending(inside);
        let executed = self.executed() + u64::from(instructions);
        if !inside.begun && (executed > self.control.skip || self.control.start.load(Relaxed) != 0) {
            inside.begun = true;
            self.show();
            let before = executed - u64::from(instructions);
            done &= self.report_locked(inside, me.id, &[escape(BEGIN, 0), before as u32, (before >> 32) as u32]);
        }
        if inside.begun {
            if open.is_some() && self.head() + MIN_FREE_WORDS > inside.full {
                inside.full = self.full();
                done &= self.has_room(inside, MIN_FREE_WORDS);
            }
            done &= self.report_locked(inside, me.id, &[block]);
            if self.control.asleep.load(Relaxed) != 0 && self.head() - self.control.tail.0.load(Relaxed) >= WAKE_WORDS {
                self.wake_reader();
            }
        }
        self.count(instructions);
        if let Some(limit) = open.filter(|_| done && self.biased && !self.stopped()) {
            self.open(inside, me, limit.saturating_sub(executed), executed);
        }
        self.unlock();
        done && !self.stopped()
    }

    /// Opens the gate, for at most so many instructions.
    fn open(&self, inside: &mut Inside, me: &Writer, most: u64, executed: u64) {
        let portion = PORTIONS[usize::from(self.data)];
        let (most, room) = if inside.begun {
            (most, portion.min((self.full()).saturating_sub(self.head())))
        } else {
            (most.min(self.control.skip.saturating_sub(executed)), portion)
        };
        let written = self.written();
        // half of it for the most that blocks take, and half for instructions with more accesses
        let left = most.min(room / 2 / MAX_WORDS[usize::from(self.data)]);
        inside.end = written.cursor.load(Relaxed) + 2 * room;
        written.until.store(executed + left, Relaxed);
        written.left.store(left as i64, Relaxed);
        self.gate.store(std::ptr::from_ref(me).cast_mut(), Release);
        written.gate.store(me.processor, Release);
    }

    /// Ends reporting, after the queued words.
    pub fn end(&self) {
        let inside = self.lock(None);
        self.report_pending(inside);
        self.hide();
        self.unlock();
    }
}

const _: () = assert!(ESCAPE == 1 << 31);
