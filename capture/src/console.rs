//! The console of a whole machine: what it reads, and what it prints

use crate::border::{Border, Search};
use crate::CaptureError;
use retire::file::input;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Most bytes that a console reads.
const MAX_INPUT: u64 = 1 << 26;

/// The content of a file, as the standard input of QEMU.
pub(crate) fn from_file(path: &Path) -> Result<Stdio, CaptureError> {
    let bytes = input::read(path, MAX_INPUT, "the input of a console")?;
    let copy = || -> std::io::Result<std::fs::File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(&bytes)?;
        file.rewind()?;
        Ok(file)
    };
    Ok(copy().map_err(|e| CaptureError::System("a temporary file", e))?.into())
}

/// A thread that passes on what a console prints, and searches it for the texts at which the trace starts and ends.
pub(crate) struct Console {
    thread: Option<JoinHandle<()>>,
    /// The trace has begun: only from then on does it end at a text.
    pub(crate) begun: Arc<AtomicBool>,
}

impl Console {
    /// Reads from `output` on; `to_stderr`: passes it on to standard error.
    pub(crate) fn watch(output: ChildStdout, borders: [Option<&Border>; 2], to_stderr: bool) -> Self {
        let [start, stop] = borders.map(|border| Border::console(border).map(|text| text.search()));
        let begun = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&begun);
        let thread = std::thread::spawn(move || pass_on(output, (start, stop), &seen, to_stderr));
        Self { thread: Some(thread), begun }
    }

    /// Waits until everything is passed on. The machine must have ended.
    pub(crate) fn finish(&mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn pass_on(
    mut output: ChildStdout,
    (mut start, mut stop): (Option<Search>, Option<Search>),
    begun: &AtomicBool,
    to_stderr: bool,
) {
    let (mut bytes, mut has_started) = ([0; 4096], false);
    loop {
        let n = match output.read(&mut bytes) {
            Ok(0) => return,
            Ok(n) => n,
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut rest = &bytes[..n];
        // if nobody reads the output, the machine runs on as with a terminal that is gone
        let _ = match to_stderr {
            true => std::io::stderr().write_all(rest),
            false => std::io::stdout().write_all(rest).and_then(|()| std::io::stdout().flush()),
        };
        has_started |= begun.load(Relaxed);
        if let Some(needed) = start.as_mut().and_then(|search| search.feed(rest)) {
            (start, has_started) = (None, true);
            rest = &rest[needed..];
        }
        if has_started {
            if let Some(search) = &mut stop {
                if search.feed(rest).is_some() {
                    stop = None;
                }
            }
        }
    }
}
