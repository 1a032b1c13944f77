//! No turn is lost: a thread that is given a turn, but does not wake before another takes it, gets one later
//!
//! This is rare, on busy hosts, and then the program never ends. Here the plugin's turns are tested alone, and a signal
//! handler keeps the thread from waking.
//!
//! A separate test program: it installs a signal handler, which is for the whole process.
// The plugin's own module, and a signal; each block states why it is sound.
#![allow(unsafe_code, dead_code, missing_docs)]

#[path = "../plugin/src/turns.rs"]
mod turns;

use std::os::unix::thread::JoinHandleExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{mpsc, Arc};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};
use turns::{system_number, Progress, Runner, Turns};

/// Longer than a thread waits before it takes a turn.
const ASLEEP: Duration = Duration::from_millis(300);
/// Longer than anything here takes, on any host.
const NEVER: Duration = Duration::from_secs(10);
static IS_ASLEEP: AtomicBool = AtomicBool::new(false);

extern "C" fn on_signal(_: libc::c_int) {
    IS_ASLEEP.store(true, SeqCst);
    // SAFETY: async-signal-safe.
    unsafe { libc::usleep(ASLEEP.as_micros() as u32) };
}

/// Simulates progress until it is set to quiet.
#[derive(Default)]
struct Run {
    quiet: AtomicBool,
    count: AtomicU64,
    taken: AtomicU64,
}

impl Progress for Run {
    fn progress(&self) -> u64 {
        self.count.fetch_add(u64::from(!self.quiet.load(SeqCst)), SeqCst)
    }
    fn stalls(&self) -> bool {
        false
    }
    fn taken(&self) {
        self.taken.fetch_add(1, SeqCst);
    }
}

fn me(id: u32) -> Runner {
    Runner { id, system: system_number() }
}

fn until(what: &str, is: impl Fn() -> bool) {
    let since = Instant::now();
    while !is() {
        assert!(since.elapsed() < NEVER, "{what}");
        sleep(Duration::from_millis(1));
    }
}

/// The second thread is given a turn while it is in a signal handler; the third takes the turn and keeps it for this
/// time.
fn a_turn_is_taken_from_who_does_not_wake(keeps: Duration) {
    let (turns, run) = (Arc::new(Turns::new()), Arc::new(Run::default()));
    let (say, hear) = mpsc::channel();
    turns.take(me(0), &*run, || {});
    let waits = |id: u32, keeps: Duration| {
        let (turns, run, say) = (turns.clone(), run.clone(), say.clone());
        spawn(move || {
            turns.take(me(id), &*run, || say.send((id, "waits")).unwrap());
            say.send((id, "has it")).unwrap();
            sleep(keeps);
            turns.give(id);
        })
    };
    let second = waits(1, Duration::ZERO);
    assert_eq!(hear.recv_timeout(NEVER), Ok((1, "waits")));
    waits(2, keeps);
    assert_eq!(hear.recv_timeout(NEVER), Ok((2, "waits")));
    IS_ASLEEP.store(false, SeqCst);
    // SAFETY: a living thread, and an async-signal-safe handler.
    unsafe {
        libc::signal(libc::SIGUSR1, on_signal as *const () as libc::sighandler_t);
        libc::pthread_kill(second.as_pthread_t(), libc::SIGUSR1);
    }
    until("the signal comes", || IS_ASLEEP.load(SeqCst));
    run.quiet.store(true, SeqCst);
    turns.give(0);
    assert_eq!(hear.recv_timeout(NEVER), Ok((2, "has it")));
    assert_eq!(run.taken.load(SeqCst), 1);
    assert_eq!(hear.recv_timeout(NEVER), Ok((1, "has it")), "its turn is lost");
    second.join().unwrap();
    until("the turn is given back", || !turns.is_of(1) && !turns.waited_for());
}

#[test]
fn a_thread_whose_turn_was_taken_gets_another() {
    // no thread has the turn when the sleeper wakes; another thread still has it
    a_turn_is_taken_from_who_does_not_wake(Duration::ZERO);
    a_turn_is_taken_from_who_does_not_wake(2 * ASLEEP);
}

#[test]
fn who_runs_keeps_its_turn() {
    let (turns, run) = (Arc::new(Turns::new()), Arc::new(Run::default()));
    run.quiet.store(true, SeqCst);
    turns.take(me(0), &*run, || {});
    let other = {
        let (turns, run) = (turns.clone(), run.clone());
        spawn(move || turns.take(me(1), &*run, || {}))
    };
    // nothing is reported, and it does not sleep
    let since = Instant::now();
    while !turns.wanted() {
        assert!(since.elapsed() < NEVER, "it is wanted");
        assert!(turns.is_of(0), "its turn was taken");
        std::hint::spin_loop();
    }
    turns.give(0);
    other.join().unwrap();
    assert!(turns.is_of(1) && !turns.wanted());
    assert_eq!(run.taken.load(SeqCst), 0);
}
