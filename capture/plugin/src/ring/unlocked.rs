//! Writes without the lock, while the gate is open for the thread

use super::{Inside, Ring, Writer};
use crate::layout::{escape, Written, ACCESS};
use std::sync::atomic::{compiler_fence, Ordering::*};

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

impl Ring {
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
}
