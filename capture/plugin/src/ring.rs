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

mod fork;
mod report;
mod unlocked;

use crate::layout::{escape, Control, Written, BEGIN, CONTROL_BYTES, ESCAPE, MAGIC, NOBODY, WAKE_WORDS};
use crate::qemu::{membarrier, mmap};
use crate::turns::Progress;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};
use std::sync::Mutex;
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

    /// Reports to the front end that the plugin is ready, and how.
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

    /// Whether the trace has begun.
    pub fn has_begun(&self) -> bool {
        !self.is_hidden()
    }

    /// A thread begins a block of `instructions` instructions. With `open`, it may then write without the lock until that many
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

    /// Opens the gate, for at most `most` instructions.
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
