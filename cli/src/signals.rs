//! Signals that end a command: Ctrl-C, a request to terminate, a closed terminal
//!
//! A command that can end early, keeping its results, declares so; the first signals then only request the end.
//! Otherwise, and at any further signal, temporary files are removed and the process ends as it would without a handler.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, signal_name};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};

/// How many signals only request the end of the command.
static REQUESTS: AtomicU32 = AtomicU32::new(0);
/// How many have done so.
static REQUESTED: AtomicU32 = AtomicU32::new(0);
/// The last of them.
static LAST: AtomicI32 = AtomicI32::new(0);

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
            LAST.store(signal, Relaxed);
            if REQUESTED.fetch_add(1, Relaxed) < REQUESTS.load(Relaxed) {
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
    stop_on_requests(1);
}

/// As [`stop_on_request`], for this number of signals.
pub fn stop_on_requests(signals: u32) {
    REQUESTS.store(signals, Relaxed);
}

/// Whether the command was requested to end.
pub fn stop_requested() -> bool {
    requests() > 0
}

/// How many signals have requested the end.
pub fn requests() -> u32 {
    REQUESTED.load(Relaxed)
}

/// The last signal that requested the end.
pub fn stop_signal() -> Option<i32> {
    stop_requested().then(|| LAST.load(Relaxed))
}

/// Whether Ctrl-C reaches this process and its children: they are the terminal's foreground process group.
fn is_in_foreground() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // the name is in brackets and may contain any character; state, parent, group, session, terminal and its group
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    matches!(fields[..], [_, _, group, _, _, foreground, ..] if group == foreground)
}

/// The last request, for a captured program.
pub fn request() -> Option<capture::run::Request> {
    let signal = stop_signal()?;
    let delivered = signal == SIGINT && is_in_foreground();
    Some(capture::run::Request { signal, count: requests(), delivered })
}

/// Whether SIGUSR1 and SIGUSR2 have arrived.
static BORDERS: LazyLock<[Arc<AtomicBool>; 2]> = LazyLock::new(Default::default);

/// From now on SIGUSR1 and SIGUSR2 request that a trace starts and ends.
///
/// # Errors
/// The system cannot install a handler.
pub fn handle_borders() -> std::io::Result<()> {
    for (signal, flag) in [SIGUSR1, SIGUSR2].into_iter().zip(BORDERS.iter()) {
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(())
}

/// Whether the start of the trace was requested.
pub fn start_requested() -> bool {
    BORDERS[0].load(Relaxed)
}

/// Whether the end of the trace was requested.
pub fn end_requested() -> bool {
    BORDERS[1].load(Relaxed)
}

/// Name of a signal.
pub fn name(signal: i32) -> &'static str {
    signal_name(signal).unwrap_or("a signal")
}
