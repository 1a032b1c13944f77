//! Progress of long operations, reported to the caller

use retire::{FlowEvent, RetireSink};

/// A display of the progress of long operations.
pub trait Progress: Sync {
    /// Starts an operation: description, unit, and the total if known. It ends when the bar is dropped.
    fn begin(&self, what: &'static str, unit: &'static str, total: Option<u64>) -> Box<dyn Bar>;

    /// Whether the run is to end now, keeping what it has done.
    fn stops(&self) -> bool {
        false
    }
}

/// The progress of one operation.
pub trait Bar: Send {
    /// Adds progress.
    fn advance(&self, n: u64);
}

/// Progress that is not displayed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _: &'static str, _: &'static str, _: Option<u64>) -> Box<dyn Bar> {
        Box::new(Self)
    }
}

impl Bar for Quiet {
    fn advance(&self, _: u64) {}
}

/// Counts between two updates of a bar.
const UPDATE_INTERVAL: u64 = 1 << 16;

/// A sink that counts instructions and passes events on to another sink.
pub(crate) struct Counted<S> {
    sink: S,
    bar: Box<dyn Bar>,
    pending: u64,
    pub(crate) events: u64,
    pub(crate) instructions: u64,
    /// Cycle of the last event.
    pub(crate) cycle: u64,
}

impl<S> Counted<S> {
    pub(crate) fn new(sink: S, bar: Box<dyn Bar>) -> Self {
        Self { sink, bar, pending: 0, events: 0, instructions: 0, cycle: 0 }
    }

    pub(crate) fn into_sink(self) -> S {
        self.sink
    }
}

impl<S: RetireSink> RetireSink for Counted<S> {
    const WANTS_DATA: bool = S::WANTS_DATA;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.pending += u64::from(event.count);
        self.events += 1;
        self.instructions += u64::from(event.count);
        self.cycle = event.cycle;
        if self.pending >= UPDATE_INTERVAL {
            self.bar.advance(self.pending);
            self.pending = 0;
        }
        self.sink.event(event);
    }

    retire::forward!(sink: data, stack_pointer, note, master);
}

/// An iterator that counts the words of a stream.
pub(crate) struct Words<I> {
    words: I,
    bar: Box<dyn Bar>,
    pending: u64,
}

impl<I> Words<I> {
    pub(crate) fn new(words: I, bar: Box<dyn Bar>) -> Self {
        Self { words, bar, pending: 0 }
    }
}

impl<I: Iterator<Item = u32>> Iterator for Words<I> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        self.pending += 1;
        if self.pending == UPDATE_INTERVAL / 32 {
            self.bar.advance(self.pending);
            self.pending = 0;
        }
        self.words.next()
    }
}
