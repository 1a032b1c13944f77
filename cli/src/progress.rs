//! Progress of long operations: a line on standard error, if it is a terminal

use crate::output::count;
use crate::signals;
use host::progress::{Bar, Progress};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use std::cell::Cell;
use std::fmt::Write;
use std::time::Duration;

/// A progress line up to `total`, or without an end; hidden unless standard error is a terminal.
pub fn bar(what: &'static str, unit: &'static str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(n) => {
            (ProgressBar::new(n), format!("{{msg}} {{bar:30}} {{percent:>3}} %  {{human_pos}} {unit}, {{eta}} left"))
        }
        None => (ProgressBar::new_spinner(), format!("{{msg}} {{spinner}} {{human_pos}} {unit}, {{rate}}")),
    };
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    // whole numbers: the library's own rate has four decimals
    let rate = |state: &ProgressState, line: &mut dyn Write| {
        let _ = write!(line, "{}/s", HumanCount(state.per_sec() as u64));
    };
    bar.set_style(style.with_key("rate", rate));
    bar.set_message(what);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Displays the progress of the library.
#[derive(Clone, Copy, Debug)]
pub struct Bars;

impl Progress for Bars {
    fn begin(&self, what: &'static str, unit: &'static str, total: Option<u64>) -> Box<dyn Bar> {
        let endless = what == "running" && total.is_none();
        Box::new(Line { bar: bar(what, unit, total), before_note: Cell::new(endless.then_some(LONG)) })
    }

    fn stops(&self) -> bool {
        signals::stop_requested()
    }
}

/// A progress line that ends with the operation.
struct Line {
    bar: ProgressBar,
    /// Instructions until the note on a run without a limit; none if there is no such note, or it was printed.
    before_note: Cell<Option<u64>>,
}

/// Instructions of a run without a limit, after which a note on standard error says how to limit it.
const LONG: u64 = 1_000_000_000;

impl Bar for Line {
    fn advance(&self, n: u64) {
        self.bar.inc(n);
        self.before_note.set(match self.before_note.get() {
            Some(left) if left <= n => {
                self.bar.suspend(|| {
                    eprintln!(
                        "goshawk: {} instructions so far, without a limit; Ctrl-C ends the run, and `goshawk run PROGRAM \
                         --max-instructions N` reports where each hart is, such as in a loop that waits for a hart of `--harts`",
                        count(LONG)
                    );
                });
                None
            }
            left => left.map(|left| left - n),
        });
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
