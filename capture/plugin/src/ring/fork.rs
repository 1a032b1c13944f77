//! The ring in a child after a fork

use super::{Inside, Ring};
use crate::follow::map_in_place;
use crate::layout::{Control, CONTROL_BYTES, NOBODY};
use crate::qemu::{membarrier, mmap};
use std::ffi::c_void;
use std::sync::atomic::Ordering::*;
use std::sync::MutexGuard;

impl Ring {
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
}
