//! Every target on its seeds and on changes of them: no panic, no hang, no memory out of proportion
//!
//! It is a program of its own since it counts what the process allocates.

use fuzz_targets::drive::drive;
use fuzz_targets::TARGETS;
use sim::stimulus::rounds;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts the bytes that are allocated, and the most that there were.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator with what it was given; the counters are no part of what is returned
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        System.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        MOST.fetch_max(now, Relaxed);
        System.alloc_zeroed(layout)
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        System.dealloc(at, layout);
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Bytes that an input of 64 KiB may need.
const BYTES: usize = 64 << 20;

#[test]
fn no_input_makes_a_target_panic_hang_or_need_much_memory() {
    for target in TARGETS {
        let (_, finding) = drive(&target, 1, rounds(400, 40_000) as u64, |run| {
            let before = NOW.load(Relaxed);
            MOST.store(before, Relaxed);
            run();
            let needed = MOST.load(Relaxed).saturating_sub(before);
            (needed > BYTES).then(|| format!("it needs {needed} bytes"))
        });
        if let Some(finding) = finding {
            let (what, input) = (finding.what, finding.input);
            panic!("{}: {what}: {} bytes, {:02x?}", target.name, input.len(), &input[..input.len().min(2_000)]);
        }
    }
}
