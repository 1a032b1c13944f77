//! Signals that end a command: Ctrl-C, a request to terminate, a closed terminal
//!
//! A command that can end early, keeping its results, declares so; the first signal then only requests the end.
//! Otherwise, and at a second signal, temporary files are removed and the process ends as it would without a handler.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, signal_name};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// Whether the command ends early on request.
static STOPS_ON_REQUEST: AtomicBool = AtomicBool::new(false);
/// The signal that requested it; 0: none.
static STOP_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Whether this process was started with the signal ignored, as by `nohup` with SIGHUP.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Installs handlers that remove temporary files before a signal ends the process.
///
/// # Errors
/// The system cannot install a handler.
pub fn handle() -> std::io::Result<()> {
    let handled = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|s| !ignored(*s));
    let mut signals = Signals::new(handled)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if STOPS_ON_REQUEST.load(Relaxed) && STOP_SIGNAL.swap(signal, Relaxed) == 0 {
                continue;
            }
            retire::file::scratch::remove_all();
            let _ = emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// From now on the first signal only requests that this command ends, keeping its results; see [`stop_requested`].
pub fn stop_on_request() {
    STOPS_ON_REQUEST.store(true, Relaxed);
}

/// Whether the command was requested to end.
pub fn stop_requested() -> bool {
    stop_signal().is_some()
}

/// The signal that requested the end.
pub fn stop_signal() -> Option<i32> {
    Some(STOP_SIGNAL.load(Relaxed)).filter(|signal| *signal != 0)
}

/// Name of a signal.
pub fn name(signal: i32) -> &'static str {
    signal_name(signal).unwrap_or("a signal")
}
