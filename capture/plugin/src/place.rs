//! Where threads of a serial schedule run: all on one processor
//!
//! One of them runs at a time, so a second processor gains nothing, and to wake a thread on another one costs some times
//! what it costs on the same: in a virtual machine 16 us instead of 4. So a thread that waits for a turn, or hands its own
//! over, is bound to the processor that the first of them was on. The guest does not see it: before it asks for the
//! processors it may run on, or becomes another program, they are what they were.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

extern "C" {
    fn sched_getcpu() -> c_int;
    fn sched_getaffinity(thread: c_int, size: usize, mask: *mut c_void) -> c_int;
    fn sched_setaffinity(thread: c_int, size: usize, mask: *const c_void) -> c_int;
}

/// A set of processors, a bit each; systems with more leave threads where they are.
type Mask = [u64; 16];

/// The processor; before it is chosen -1.
static CHOSEN: AtomicI32 = AtomicI32::new(-1);

fn now() -> Option<Mask> {
    let mut mask = Mask::default();
    // SAFETY: fills a mask of this size, of the thread that calls.
    let done = unsafe { sched_getaffinity(0, std::mem::size_of::<Mask>(), mask.as_mut_ptr().cast()) };
    (done == 0).then_some(mask)
}

fn set(mask: &Mask) -> bool {
    // SAFETY: reads a mask of this size.
    unsafe { sched_setaffinity(0, std::mem::size_of::<Mask>(), mask.as_ptr().cast()) == 0 }
}

/// Of one processor.
fn only(cpu: c_int) -> Option<Mask> {
    let mut mask = Mask::default();
    *mask.get_mut(usize::try_from(cpu).ok()? / 64)? |= 1 << (cpu % 64);
    Some(mask)
}

/// The processors that the process may run on, as it began.
pub struct Processors(Option<Mask>);

/// What a thread does about it.
#[derive(Clone, Copy, Default, PartialEq)]
pub enum Place {
    /// Not bound yet.
    #[default]
    Free,
    /// Bound; before, it was to run on these.
    Bound(Mask),
    /// The guest has said where, or nothing is to be done.
    Own,
}

impl Processors {
    /// Of the thread that calls.
    pub fn of_this() -> Self {
        Self(now())
    }

    /// Binds the thread that calls, whose place it is.
    pub fn bind(&self, place: Place) -> Place {
        let (Place::Free, Some(all), Some(before)) = (place, self.0, now()) else { return place };
        // SAFETY: a plain question.
        let here = unsafe { sched_getcpu() };
        let chosen = match CHOSEN.compare_exchange(-1, here, Relaxed, Relaxed) {
            Ok(_) => here,
            Err(chosen) => chosen,
        };
        let Some(one) = only(chosen) else { return Place::Own };
        // it has it of the thread that made it
        if before == one {
            return Place::Bound(all);
        }
        if set(&one) {
            Place::Bound(before)
        } else {
            Place::Own
        }
    }

    /// A thread that calls is where it would be.
    pub fn release(&self, place: Place) -> Place {
        match place {
            Place::Bound(before) => {
                set(&before);
                Place::Free
            }
            // it may have been made by one that is bound
            Place::Free => {
                if let (Some(all), Some(now)) = (self.0, now()) {
                    if only(CHOSEN.load(Relaxed)) == Some(now) {
                        set(&all);
                    }
                }
                Place::Free
            }
            Place::Own => Place::Own,
        }
    }
}
