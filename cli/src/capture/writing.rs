//! Progress of writing the files of a captured run, and its early end

use crate::output::{count, TOOL};
use crate::progress::bar;
use crate::{signals, Failure};
use ::capture::outputs::{self, Outcome, OutputFiles};
use ::capture::run::{Captured, Ended};
use ::capture::CaptureError;
use indicatif::ProgressBar;
use retire::file::FileError;
use retire::RetireSink;
use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

/// Interval of the lines that show progress without a terminal.
const INTERVAL: Duration = Duration::from_secs(5);

/// How the files were written.
pub struct WrittenFiles<S> {
    /// What was passed the run, too.
    pub also: S,
    /// The signal that ended the files early.
    pub cut: Option<i32>,
    /// The disk was full; the files are shorter.
    pub full_disk: Option<CaptureError>,
}

/// Writes the files of a run; `also` makes a sink that gets it, too.
pub fn write_files<S: RetireSink>(
    captured: &mut Captured,
    wanted: &OutputFiles,
    harts: u8,
    also: impl Fn() -> Result<S, Failure>,
) -> Result<(Outcome, WrittenFiles<S>), Failure> {
    let mut found = WrittenFiles { also: also()?, cut: None, full_disk: None };
    let outcome = outputs::write_packed::<Failure>(captured, wanted, harts, TOOL, |captured| {
        let mut writing = Writing::new(captured);
        loop {
            match outputs::write(captured, wanted, harts, TOOL, &mut found.also, &mut |n| writing.advance(n)) {
                Ok(outcome) => {
                    (found.cut, found.full_disk) = (writing.cut, writing.full_disk.take());
                    return Ok(outcome);
                }
                Err(e) => writing.shorten(captured, e)?,
            }
            found.also = also()?;
        }
    })?;
    Ok((outcome, found))
}

/// Writing of the files of one run.
struct Writing {
    line: ProgressBar,
    total: u64,
    done: u64,
    /// When the next line is due; without an interrupted capture there are none.
    next: Option<Instant>,
    /// Number of signals at which the files end early.
    last_request: u32,
    /// The signal that ended them early.
    cut: Option<i32>,
    /// The disk was full; the files are shorter.
    full_disk: Option<CaptureError>,
}

impl Writing {
    /// Begins with 0 instructions. After an interrupted capture, a line on standard error says that files are written.
    fn new(captured: &Captured) -> Self {
        let requests = signals::requests().max(1);
        // one more ends the files early, and a second one the command
        signals::stop_on_requests(requests + 1);
        let total = captured.expected();
        let is_interrupted = signals::stop_requested() || matches!(captured.ended, Ended::Signal(_) | Ended::Killed(_));
        let next = is_interrupted.then(Instant::now);
        let line = bar("writing", "instructions", Some(total));
        Self { line, total, done: 0, next, last_request: requests + 1, cut: None, full_disk: None }
    }

    /// Instructions were written; false: the files end here.
    fn advance(&mut self, instructions: u64) -> bool {
        self.line.inc(instructions);
        self.done += instructions;
        if signals::stop_requested() {
            self.next.get_or_insert_with(Instant::now);
        }
        if let Some(at) = self.next.filter(|at| self.line.is_hidden() && *at <= Instant::now()) {
            self.next = Some(at + INTERVAL);
            let percent = 100 * self.done.min(self.total) / self.total.max(1);
            // the terminal may be gone; the files are written all the same
            let _ = writeln!(std::io::stderr(), "goshawk: writing {} instructions, {percent} %", count(self.total));
        }
        if signals::requests() >= self.last_request {
            self.cut = signals::stop_signal();
        }
        self.cut.is_none()
    }

    /// After an error: if the disk is full, shortens the run so that its files fit.
    fn shorten(&mut self, captured: &mut Captured, error: CaptureError) -> Result<(), Failure> {
        let is_full = match &error {
            CaptureError::File(FileError::Io { source, .. }) => {
                matches!(source.kind(), ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded)
            }
            _ => false,
        };
        // buffers hold some of the instructions that were passed on
        let fits = self.done - self.done / 8;
        if !is_full || fits == 0 {
            return Err(error.into());
        }
        captured.shorten(fits);
        self.line.set_position(0);
        self.done = 0;
        self.full_disk.get_or_insert(error);
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
