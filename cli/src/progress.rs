//! Progress of long operations: a line on standard error, if it is a terminal

use crate::signals;
use host::progress::{Bar, Progress};
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
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
        Box::new(Line(bar(what, unit, total)))
    }

    fn stops(&self) -> bool {
        signals::stop_requested()
    }
}

/// A progress line that ends with the operation.
struct Line(ProgressBar);

impl Bar for Line {
    fn advance(&self, n: u64) {
        self.0.inc(n);
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
