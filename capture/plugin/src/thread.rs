//! Threads of the guest: each has a writer, a turn, and an affinity

use crate::guest::Call;
use crate::layout::{escape, EXIT, FREE, JITTER};
use crate::place::Affinity;
use crate::qemu::Id;
use crate::ring::Writer;
use crate::turns::{self, Runner};
use crate::{state, State, ARRIVALS, OFF, SYSTEM, TURNS};
use std::cell::{Cell, RefCell};
use std::ffi::c_uint;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

/// Threads by QEMU's index, which is reused when a thread has ended. Only the thread itself uses its entry, between its
/// start and its end.
static THREADS: [AtomicPtr<Thread>; MAX_THREADS] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_THREADS];
static NEXT_THREAD: AtomicU32 = AtomicU32::new(0);
/// Number of living threads.
static ALIVE: AtomicU32 = AtomicU32::new(0);

/// Most threads at a time.
const MAX_THREADS: usize = 4096;

/// A thread of the guest, which is a thread of the host.
pub struct Thread {
    pub writer: Writer,
    /// Its number in the operating system; 0: not requested yet.
    system: Cell<u32>,
    /// Number of executed instructions, of all threads, at which its turn is over.
    pub end: Cell<u64>,
    random: Cell<u64>,
    pub outside: Cell<bool>,
    /// Its last root of page tables, with the number of the address space.
    pub space: Cell<(u64, u32)>,
    /// Its last reported context.
    pub context: Cell<Option<u32>>,
    /// Of a machine's processor: since the last check, its context or its trap vectors may have changed.
    pub changed: Cell<bool>,
    /// Its trap vectors at the last check.
    pub vectors: Cell<[u64; 2]>,
    /// Where it last waited for an interrupt; 0: never.
    #[allow(dead_code)] // only version 1 of the plugin interface
    pub waits_at: Cell<u64>,
    pub place: Cell<Affinity>,
    /// The system call that it is making, and the value of `ARRIVALS` before it.
    pub called: Cell<Option<(Call, u32)>>,
    /// It was woken, and has not waited for its turn yet.
    pub is_arriving: Cell<bool>,
    /// Value that `ARRIVALS` must reach before it continues.
    pub awaited_arrivals: Cell<Option<u32>>,
    /// Frames of handlers that were interrupted before they began, and were reported.
    pub reported: RefCell<Vec<u64>>,
}

#[inline(always)]
pub fn known_thread(vcpu: c_uint) -> Option<&'static Thread> {
    // SAFETY: null, or leaked by `on_thread`.
    unsafe { THREADS[vcpu as usize % MAX_THREADS].load(Relaxed).as_ref() }
}

pub fn thread(vcpu: c_uint) -> &'static Thread {
    known_thread(vcpu).unwrap_or_else(|| new_thread(vcpu))
}

#[cold]
fn new_thread(vcpu: c_uint) -> &'static Thread {
    on_thread(0, vcpu);
    // SAFETY: leaked by `on_thread`.
    unsafe { &*THREADS[vcpu as usize % MAX_THREADS].load(Relaxed) }
}

impl Thread {
    fn new(id: u32, processor: u32) -> Self {
        let seed = state().ring.control().seed;
        let random = (seed ^ (u64::from(id) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Self {
            writer: Writer::new(id, processor),
            system: Cell::new(0),
            end: Cell::new(0),
            random: Cell::new(random),
            outside: Cell::new(false),
            space: Cell::new((0, 0)),
            context: Cell::new(None),
            changed: Cell::new(true),
            vectors: Cell::default(),
            waits_at: Cell::new(0),
            place: Cell::default(),
            called: Cell::new(None),
            is_arriving: Cell::new(true),
            awaited_arrivals: Cell::new(None),
            reported: RefCell::default(),
        }
    }

    pub fn id(&self) -> u32 {
        self.writer.id
    }

    /// Starts a new turn, when `executed` instructions have been executed; with jitter 1/2 to 3/2 of the quantum.
    pub fn renew(&self, executed: u64) {
        let State { quantum, flags, .. } = *state();
        let length = if flags & JITTER != 0 {
            // xorshift64
            let mut x = self.random.get();
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            self.random.set(x);
            quantum / 2 + x % (quantum + 1)
        } else {
            quantum
        };
        self.end.set(executed + length.max(1));
    }

    /// Waits for a turn.
    pub fn take(&self) {
        let ring = &state().ring;
        if ALIVE.load(Relaxed) > 1 {
            self.bind();
        }
        let is_arriving = self.is_arriving.take();
        TURNS.take(self.runner(), ring, || {
            if is_arriving {
                ARRIVALS.one();
            }
        });
        self.renew(ring.executed());
    }

    /// Its identity for `turns`; called only by the thread itself.
    pub fn runner(&self) -> Runner {
        if self.system.get() == 0 {
            self.system.set(turns::system_number());
        }
        Runner { id: self.id(), system: self.system.get() }
    }

    /// Whether it may write to the ring: under a serial schedule it must have the turn.
    pub fn may_report(&self) -> bool {
        state().flags & FREE != 0 || TURNS.is_of(self.id())
    }

    /// Binds it to the common processor.
    pub fn bind(&self) {
        if self.place.get() == Affinity::Free {
            self.place.set(state().processors.bind(Affinity::Free));
        }
    }

    /// Restores its affinity.
    pub fn release(&self) {
        self.place.set(state().processors.release(self.place.get()));
    }

    /// Ends the turn, if it is this thread's.
    pub fn give(&self) {
        state().ring.close(&self.writer);
        TURNS.give(self.id());
    }
}

/// In a child after a fork: the only thread is that of this processor.
pub fn restart(vcpu: c_uint) {
    let before = thread(vcpu);
    let new = Thread::new(0, vcpu);
    new.reported.borrow_mut().extend(before.reported.borrow().iter());
    for entry in &THREADS {
        entry.store(std::ptr::null_mut(), Relaxed);
    }
    THREADS[vcpu as usize % MAX_THREADS].store(Box::into_raw(Box::new(new)), Release);
    NEXT_THREAD.store(1, Relaxed);
    ALIVE.store(1, Relaxed);
    let control = state().ring.control();
    control.threads.store(1, Relaxed);
    control.max_alive.store(1, Relaxed);
}

pub extern "C" fn on_thread(_: Id, vcpu: c_uint) {
    // processors of a whole machine are created in any order
    let next = NEXT_THREAD.fetch_add(1, Relaxed);
    let id = if SYSTEM.load(Relaxed) { vcpu } else { next };
    THREADS[vcpu as usize % MAX_THREADS].store(Box::into_raw(Box::new(Thread::new(id, vcpu))), Release);
    let alive = ALIVE.fetch_add(1, Relaxed) + 1;
    let control = state().ring.control();
    control.threads.store(u64::from(next) + 1, Relaxed);
    control.max_alive.fetch_max(alive, Relaxed);
}

pub extern "C" fn on_thread_end(_: Id, vcpu: c_uint) {
    if OFF.load(Relaxed) {
        return;
    }
    let state = state();
    let me = thread(vcpu);
    ALIVE.fetch_sub(1, Relaxed);
    // its turn ended with its system call
    state.ring.report_later(Some(me.id()), vec![escape(EXIT, me.id())]);
    me.give();
}
