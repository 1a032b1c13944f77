//! Progress of long work, told to whoever shows it

use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// Shows the progress of long work.
pub trait Progress: Sync {
    /// A piece of work begins: what is done, what is counted, and how much there will be where that is known. It ends
    /// when the bar is dropped.
    fn begin(&self, what: &'static str, unit: &'static str, total: Option<u64>) -> Box<dyn Bar>;

    /// Whether a run shall end here, with what it has done so far.
    fn stops(&self) -> bool {
        false
    }
}

/// One piece of work.
pub trait Bar: Send {
    /// So much more is done.
    fn advance(&self, n: u64);
}

/// Shows nothing.
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

/// Counts between two looks at the clock.
const STEP: u64 = 1 << 16;

/// Counts the instructions that pass on their way to another sink.
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
        if self.pending >= STEP {
            self.bar.advance(self.pending);
            self.pending = 0;
        }
        self.sink.event(event);
    }

    #[inline]
    fn data(&mut self, data: &DataEvent) {
        self.sink.data(data);
    }

    #[inline]
    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.sink.stack_pointer(hart, sp);
    }

    #[inline]
    fn note(&mut self, hart: u8, note: &Note) {
        self.sink.note(hart, note);
    }

    #[inline]
    fn master(&mut self, store: &MasterStore) {
        self.sink.master(store);
    }
}

/// Hands on the words of a stream and counts them.
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
        if self.pending == STEP / 32 {
            self.bar.advance(self.pending);
            self.pending = 0;
        }
        self.words.next()
    }
}
