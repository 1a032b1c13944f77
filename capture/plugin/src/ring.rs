//! The ring, as its writers see it
//!
//! A lock of one word keeps the entries of several threads apart. Under a serial schedule one thread writes: whose turn it
//! is. To take a lock for each block would cost more than the block, so the lock is *biased*: the gate names the processor
//! whose thread writes without it, and how much. Code that QEMU generates (`ops`) does so without any call. Only who has the
//! turn tells anything; what another has to say (blocks that it translates, its end) waits until who has it comes by.
//!
//! A thread whose turn is taken closes nobody's gate: `turns` takes turns of sleepers only. To be on the safe side, who takes
//! the lock makes every processor see the gate closed (`membarrier`), and waits until who had it is not writing any more.
//! Where the system has no `membarrier`, the gate stays closed.
//!
//! The ring is mapped twice, one behind the other, so that no entry is cut. When it is full the writer waits for the
//! front end. What is not to be told (instructions that are skipped, the time behind the end) is written to memory of its own.

use crate::layout::{escape, Control, Written, ACCESS, BEGIN, CONTROL_BYTES, ENOUGH, ESCAPE, MAGIC, NOBODY, THREAD};
use crate::qemu::{futex, membarrier, mmap};
use crate::turns::Told;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::sync::atomic::{compiler_fence, AtomicBool, AtomicPtr, AtomicU64, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for the front end before looking again.
const PAUSE: Duration = Duration::from_millis(5);
/// Words after which a writer behind the gate looks whether the front end still wants them: of blocks, and with accesses.
const PORTIONS: [u64; 2] = [1 << 16, 1 << 18];
/// Words that an instruction takes at most, of blocks alone and with accesses: three, and its block.
pub const MOST_WORDS: [u64; 2] = [1, 16];
/// Words that stay free, for what the block that has begun still writes: QEMU's have at most 512 instructions.
const RESERVE: u64 = 512 * MOST_WORDS[1];
/// Words for which a writer waits before it opens the gate.
const ROOM: u64 = 1 << 16;

/// A thread, as the gate knows it. It lives as long as the process.
#[derive(Default)]
pub struct Writer {
    /// Its number.
    pub id: u32,
    /// Its processor.
    processor: u32,
    /// It may be writing behind the gate.
    busy: AtomicBool,
}

impl Writer {
    /// Of the thread of this number on this processor.
    pub fn new(id: u32, processor: u32) -> Self {
        Self { id, processor, busy: AtomicBool::new(false) }
    }
}

/// The ring and who wrote last.
pub struct Ring {
    /// Who writes without the lock.
    gate: AtomicPtr<Writer>,
    inside: UnsafeCell<Inside>,
    control: &'static Control,
    words: *mut u32,
    /// Words written when the ring's first was written last.
    origin: AtomicU64,
    mask: u64,
    /// Where is written what is not told.
    aside: *mut u32,
    /// What threads without a turn have to say: words, and whose, where they are of a thread.
    pending: Mutex<Vec<(Option<u32>, Vec<u32>)>>,
    is_pending: AtomicBool,
    /// There is a way to close the gate.
    biased: bool,
    /// With accesses.
    data: bool,
    locked: AtomicBool,
    /// The writer waits for the front end.
    stalled: AtomicBool,
}

/// Behind the lock, or the gate. What is counted stands in the control page.
struct Inside {
    /// Cursor up to which accesses are written behind the gate.
    end: u64,
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

impl Told for Ring {
    fn progress(&self) -> u64 {
        // while instructions are skipped nothing is written
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
        const PRIVATE_ANONYMOUS: i32 = 0x22;
        // SAFETY: memory of our own; as much as the ring, of which the system gives what is touched.
        let aside = unsafe { mmap(std::ptr::null_mut(), 2 * length, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0) };
        if aside as isize == -1 {
            return None;
        }
        let begun = control.skip == 0;
        let inside = Inside { end: 0, full: 0, thread: u32::MAX, begun };
        let ring = Self {
            control,
            words: words.cast(),
            origin: AtomicU64::new(0),
            mask: control.words - 1,
            aside: aside.cast(),
            pending: Mutex::default(),
            is_pending: AtomicBool::new(false),
            gate: AtomicPtr::default(),
            biased: membarrier::register(),
            data: control.flags & crate::layout::WANT_DATA != 0,
            locked: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            inside: UnsafeCell::new(inside),
        };
        control.base.store(words as u64, Relaxed);
        ring.written().gate.store(NOBODY, Relaxed);
        ring.written().cursor.store(ring.aside as u64, Relaxed);
        if begun {
            ring.show();
        }
        Some(ring)
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

    /// Whether the front end wants no more.
    pub fn stopped(&self) -> bool {
        self.control.stop.load(Relaxed) != 0
    }

    fn is_hidden(&self) -> bool {
        self.control.hidden.load(Relaxed) != 0
    }

    /// Words that were told.
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

    /// From here on what the gate's thread writes is told.
    fn show(&self) {
        let head = self.written().head.load(Relaxed);
        let at = head & self.mask;
        self.origin.store(head - at, Relaxed);
        self.written().cursor.store(self.words as u64 + 4 * at, Relaxed);
        self.control.hidden.store(0, Release);
    }

    /// The opposite: the end.
    fn hide(&self) {
        if !self.is_hidden() {
            self.written().head.store(self.head(), Release);
            self.control.hidden.store(1, Release);
            self.rest();
        }
    }

    /// What is not told begins anew.
    pub fn rest(&self) {
        self.written().cursor.store(self.aside as u64, Release);
    }

    /// The cursor is in the first of the two mappings.
    fn turn_round(&self) {
        let (cursor, length) = (self.written().cursor.load(Relaxed), 4 * (self.mask + 1));
        if self.is_hidden() {
            self.rest();
        } else if cursor - self.words as u64 >= length {
            self.origin.fetch_add(self.mask + 1, Relaxed);
            self.written().cursor.store(cursor - length, Release);
        }
    }

    /// What `write` does, if the gate is open for this thread. It says how many words it wrote at the cursor.
    #[inline(always)]
    fn behind_gate(&self, me: &Writer, write: impl FnOnce(&Written, &Inside, *mut u32) -> Option<u64>) -> bool {
        me.busy.store(true, Relaxed);
        // for the processor, `membarrier` of who closes the gate stands here
        compiler_fence(SeqCst);
        let mut done = false;
        let written = self.written();
        if written.gate.load(Acquire) == me.processor {
            // SAFETY: the gate is open for this thread only, and who closes it waits while it is busy.
            let inside = unsafe { &*self.inside.get() };
            let cursor = written.cursor.load(Relaxed);
            let place = cursor as *mut u32;
            soon(place);
            if let Some(count) = write(written, inside, place) {
                written.cursor.store(cursor + 4 * count, Release);
                done = true;
            }
        }
        me.busy.store(false, Release);
        done
    }

    /// A thread begins a block, as [`Ring::begin`]; false: not without the lock. `cost`: its instructions, or more than
    /// there are.
    #[inline(always)]
    pub fn begin_behind_gate(&self, me: &Writer, block: u32, cost: i64) -> bool {
        self.behind_gate(me, |written, _, place| {
            let left = written.left.load(Relaxed);
            if cost > left {
                return None;
            }
            written.left.store(left - cost, Relaxed);
            // SAFETY: a word of the ring, as `begin` has left room for.
            unsafe { place.write(block) };
            Some(1)
        })
    }

    /// Appends a load or a store; false: not without the lock.
    #[inline(always)]
    pub fn access_behind_gate(&self, me: &Writer, what: u32, address: u64, value: u64) -> bool {
        self.behind_gate(me, |_, inside, place| {
            // an instruction may have more of them than room was left for
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

    /// Takes the lock and closes the gate: until [`Ring::unlock`] nobody else has what it gives. `me`: who calls, where that
    /// is a writer.
    #[allow(clippy::mut_from_ref)]
    fn lock(&self, me: Option<&Writer>) -> &mut Inside {
        while self.locked.swap(true, Acquire) {
            std::thread::yield_now();
        }
        self.written().gate.store(NOBODY, SeqCst);
        let writer = self.gate.swap(std::ptr::null_mut(), AcqRel);
        // who calls is not writing, and needs nobody to tell it
        if !writer.is_null() && !me.is_some_and(|me| std::ptr::eq(me, writer)) {
            membarrier::all();
            // SAFETY: writers live as long as the process.
            while unsafe { &*writer }.busy.load(Acquire) {
                std::thread::yield_now();
            }
        }
        self.turn_round();
        // SAFETY: the lock is held, and the gate closed.
        unsafe { &mut *self.inside.get() }
    }

    fn unlock(&self) {
        self.locked.store(false, Release);
    }

    /// Closes the gate, if it is open for this thread, which calls.
    pub fn close(&self, me: &Writer) {
        let writer = std::ptr::from_ref(me).cast_mut();
        // where it is another's, that is right
        if self.gate.load(Relaxed) == writer {
            self.written().gate.store(NOBODY, Relaxed);
            let _ = self.gate.compare_exchange(writer, std::ptr::null_mut(), AcqRel, Relaxed);
        }
    }

    /// In a child after a fork, where there are no other threads: it has memory of its own in place of the parent's.
    pub fn part(&self) {
        const OWN: i32 = 0x32;
        let bytes = CONTROL_BYTES + 8 * (self.mask as usize + 1);
        let control: *const Control = self.control;
        let mut page = [0u8; CONTROL_BYTES];
        // SAFETY: the control page, and what is mapped for it and the ring; nothing else stands there. Fixed, private,
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

    /// Head at which the ring is full.
    fn full(&self) -> u64 {
        self.control.tail.0.load(SeqCst) + self.mask - RESERVE
    }

    /// Waits until `need` more words fit; false where the front end wants no more.
    #[cold]
    fn wait(&self, inside: &mut Inside, need: u64) -> bool {
        self.stalled.store(true, Relaxed);
        // to sleep and wake for each entry would cost more than the entry
        let room = need.max(self.control.words / 2 - 2 * RESERVE);
        loop {
            self.control.full.store(1, SeqCst);
            inside.full = self.full();
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

    /// There is room for so many words, or there will be no more.
    fn has_room(&self, inside: &mut Inside, need: u64) -> bool {
        self.head() + need <= inside.full || self.wait(inside, need)
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

    fn pending(&self) -> MutexGuard<'_, Vec<(Option<u32>, Vec<u32>)>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be told by who has the turn: of a thread, or of none, and then also while instructions are skipped.
    pub fn tell_later(&self, thread: Option<u32>, words: Vec<u32>) {
        self.pending().push((thread, words));
        self.is_pending.store(true, Release);
    }

    /// Tells what others had to say.
    fn tell_pending(&self, inside: &mut Inside) -> bool {
        if !self.is_pending.swap(false, Acquire) {
            return true;
        }
        let pending = std::mem::take(&mut *self.pending());
        pending.into_iter().all(|(thread, words)| match thread {
            Some(thread) => !inside.begun || self.tell_locked(inside, thread, &words),
            None => {
                let room = self.has_room(inside, words.len() as u64);
                if room {
                    self.put([&words, &[]]);
                }
                room
            }
        })
    }

    /// Appends an entry of a thread. `false`: the front end wants no more.
    pub fn tell(&self, me: &Writer, words: &[u32]) -> bool {
        let inside = self.lock(Some(me));
        let done = self.tell_pending(inside) && (!inside.begun || self.tell_locked(inside, me.id, words));
        self.unlock();
        done
    }

    fn tell_locked(&self, inside: &mut Inside, thread: u32, words: &[u32]) -> bool {
        if !self.has_room(inside, words.len() as u64 + 1) {
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
        let mut done = self.tell_pending(inside);
        let executed = self.executed() + u64::from(instructions);
        if !inside.begun && executed > self.control.skip {
            inside.begun = true;
            self.show();
            let before = executed - u64::from(instructions);
            done &= self.tell_locked(inside, me.id, &[escape(BEGIN, 0), before as u32, (before >> 32) as u32]);
        }
        if inside.begun {
            if open.is_some() && self.head() + ROOM > inside.full {
                inside.full = self.full();
                done &= self.has_room(inside, ROOM);
            }
            done &= self.tell_locked(inside, me.id, &[block]);
            if self.control.asleep.load(Relaxed) != 0 && self.head() - self.control.tail.0.load(Relaxed) >= ENOUGH {
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

    /// Opens the gate, for so many instructions at most.
    fn open(&self, inside: &mut Inside, me: &Writer, most: u64, executed: u64) {
        let portion = PORTIONS[usize::from(self.data)];
        let (most, room) = if inside.begun {
            (most, portion.min((self.full()).saturating_sub(self.head())))
        } else {
            (most.min(self.control.skip.saturating_sub(executed)), portion)
        };
        let written = self.written();
        // half of it for what blocks take at most, and half for instructions with more accesses
        let left = most.min(room / 2 / MOST_WORDS[usize::from(self.data)]);
        inside.end = written.cursor.load(Relaxed) + 2 * room;
        written.until.store(executed + left, Relaxed);
        written.left.store(left as i64, Relaxed);
        self.gate.store(std::ptr::from_ref(me).cast_mut(), Release);
        written.gate.store(me.processor, Release);
    }

    /// The end: nothing more is told, but what others had to say.
    pub fn end(&self) {
        let inside = self.lock(None);
        self.tell_pending(inside);
        self.hide();
        self.unlock();
    }
}

const _: () = assert!(ESCAPE == 1 << 31);
