//! Progress of long work: a line on standard error, on a terminal only

use indicatif::{ProgressBar, ProgressStyle};
use retire::{Access, FlowEvent, RetireSink};
use std::time::Duration;

/// Steps between two looks at the clock.
const STEP: u64 = 1 << 16;

/// A line that counts up to `total`, or without an end; hidden unless standard error is a terminal.
pub fn bar(what: &'static str, unit: &str, total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(n) => {
            (ProgressBar::new(n), format!("{{msg}} {{bar:30}} {{percent:>3}} %  {{human_pos}} {unit}, {{eta}} left"))
        }
        None => (ProgressBar::new_spinner(), format!("{{msg}} {{spinner}} {{human_pos}} {unit}, {{per_sec}}")),
    };
    let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style);
    bar.set_message(what);
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Counts the instructions that pass on their way to another sink.
#[derive(Debug)]
pub struct Counted<S> {
    sink: S,
    bar: ProgressBar,
    pending: u64,
    /// Instructions, all harts.
    pub instructions: u64,
    /// Cycle of the last event.
    pub cycle: u64,
}

impl<S> Counted<S> {
    /// In front of `sink`.
    pub fn new(sink: S, what: &'static str, total: Option<u64>) -> Self {
        Self { sink, bar: bar(what, "instructions", total), pending: 0, instructions: 0, cycle: 0 }
    }

    /// Ends the line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl<S: RetireSink> RetireSink for Counted<S> {
    const WANTS_ACCESSES: bool = S::WANTS_ACCESSES;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.pending += u64::from(event.count);
        self.instructions += u64::from(event.count);
        self.cycle = event.cycle;
        if self.pending >= STEP {
            self.bar.inc(self.pending);
            self.pending = 0;
        }
        self.sink.event(event);
    }

    fn access(&mut self, access: &Access) {
        self.sink.access(access);
    }
}

/// Hands on the words of a stream and counts them.
#[derive(Debug)]
pub struct Words<I> {
    words: I,
    bar: ProgressBar,
    pending: u64,
}

impl<I> Words<I> {
    /// In front of a reader of about `total` words.
    pub fn new(words: I, what: &'static str, total: u64) -> Self {
        Self { words, bar: bar(what, "words", Some(total)), pending: 0 }
    }
}

impl<I: Iterator<Item = u32>> Iterator for Words<I> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.pending += 1;
        if self.pending == STEP / 32 {
            self.bar.inc(self.pending);
            self.pending = 0;
        }
        let word = self.words.next();
        if word.is_none() {
            self.bar.finish_and_clear();
        }
        word
    }
}
