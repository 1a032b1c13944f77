//! Signals that end a command: Ctrl-C, a request to terminate, a terminal that is closed
//!
//! A command that can end early with what it has done says so, and is asked by the first signal. Everywhere else, and by a
//! second signal, temporary files are removed and the process ends as it would without a handler.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, signal_name};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// The command ends early by itself.
static STOPS: AtomicBool = AtomicBool::new(false);
/// The signal that asked it to; 0: none.
static ASKED: AtomicI32 = AtomicI32::new(0);

/// Signals that this process was started to ignore, as `nohup` does with SIGHUP.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// From here on no signal leaves temporary files.
///
/// # Errors
/// The system has no handler for it.
pub fn handle() -> std::io::Result<()> {
    let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !ignored(*s));
    let mut signals = Signals::new(handled)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if STOPS.load(Relaxed) && ASKED.swap(signal, Relaxed) == 0 {
                continue;
            }
            retire::file::scratch::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// From here on the first signal asks this command to end with what it has done; see [`asked`].
pub fn stop_on_request() {
    STOPS.store(true, Relaxed);
}

/// Whether this command is asked to end.
pub fn asked() -> bool {
    asked_by().is_some()
}

/// The signal that asked.
pub fn asked_by() -> Option<i32> {
    Some(ASKED.load(Relaxed)).filter(|signal| *signal != 0)
}

/// What a signal is called.
pub fn name(signal: i32) -> &'static str {
    signal_name(signal).unwrap_or("a signal")
}
