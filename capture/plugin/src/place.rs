//! Processor affinity of threads under a serial schedule: all run on one processor
//!
//! Only one of them runs at a time, so a second processor gains nothing, and waking a thread on another processor costs
//! several times as much as on the same one: in a virtual machine 16 us instead of 4. So a thread that waits for a
//! turn, or hands its own over, is bound to the processor on which the first of them was. The guest does not notice:
//! before it queries its affinity, or executes another program, the affinity is restored.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

extern "C" {
    fn sched_getcpu() -> c_int;
    fn sched_getaffinity(thread: c_int, size: usize, mask: *mut c_void) -> c_int;
    fn sched_setaffinity(thread: c_int, size: usize, mask: *const c_void) -> c_int;
}

/// A set of processors, one bit each; on systems with more, threads are not bound.
type Mask = [u64; 16];

/// The chosen processor; -1 before the choice.
static COMMON_PROCESSOR: AtomicI32 = AtomicI32::new(-1);

fn now() -> Option<Mask> {
    let mut mask = Mask::default();
    // SAFETY: fills a mask of this size, for the current thread.
    let done = unsafe { sched_getaffinity(0, std::mem::size_of::<Mask>(), mask.as_mut_ptr().cast()) };
    (done == 0).then_some(mask)
}

fn set(mask: &Mask) -> bool {
    // SAFETY: reads a mask of this size.
    unsafe { sched_setaffinity(0, std::mem::size_of::<Mask>(), mask.as_ptr().cast()) == 0 }
}

/// The set of one processor.
fn only(cpu: c_int) -> Option<Mask> {
    let mut mask = Mask::default();
    *mask.get_mut(usize::try_from(cpu).ok()? / 64)? |= 1 << (cpu % 64);
    Some(mask)
}

/// The initial affinity of the process.
pub struct Processors(Option<Mask>);

/// Affinity state of a thread.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Affinity {
    /// Not bound yet.
    #[default]
    Free,
    /// Bound; previously it could run on these.
    Bound(Mask),
    /// The guest has set the affinity, or it cannot be changed.
    Own,
}

impl Processors {
    /// The affinity of the current thread.
    pub fn of_this() -> Self {
        Self(now())
    }

    /// Binds the current thread, which is in state `place`; returns its new state.
    pub fn bind(&self, place: Affinity) -> Affinity {
        let (Affinity::Free, Some(all), Some(before)) = (place, self.0, now()) else { return place };
        // SAFETY: a simple query.
        let here = unsafe { sched_getcpu() };
        let chosen = match COMMON_PROCESSOR.compare_exchange(-1, here, Relaxed, Relaxed) {
            Ok(_) => here,
            Err(chosen) => chosen,
        };
        let Some(one) = only(chosen) else { return Affinity::Own };
        // inherited from the thread that created it
        if before == one {
            return Affinity::Bound(all);
        }
        if set(&one) {
            Affinity::Bound(before)
        } else {
            Affinity::Own
        }
    }

    /// Restores the affinity of the only thread, in a child after a fork.
    pub fn restart(&self) {
        self.release(Affinity::Free);
        COMMON_PROCESSOR.store(-1, Relaxed);
    }

    /// Restores the affinity of the current thread; returns its new state.
    pub fn release(&self, place: Affinity) -> Affinity {
        match place {
            Affinity::Bound(before) => {
                set(&before);
                Affinity::Free
            }
            // it may have been created by a bound thread
            Affinity::Free => {
                if let (Some(all), Some(now)) = (self.0, now()) {
                    if only(COMMON_PROCESSOR.load(Relaxed)) == Some(now) {
                        set(&all);
                    }
                }
                Affinity::Free
            }
            Affinity::Own => Affinity::Own,
        }
    }
}
