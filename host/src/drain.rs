//! Writes the output of a recorder during the run

use retire::file::FileError;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// Number of events after which words are written.
const DRAIN_INTERVAL: u32 = 1 << 16;

/// A recorder whose output is passed to `write` as it is made; keeps the first error.
pub(crate) struct Drained<R, W> {
    /// The recorder.
    pub recorder: R,
    write: W,
    error: Option<FileError>,
    since: u32,
}

impl<R: RetireSink, W: FnMut(&mut R) -> Result<(), FileError>> Drained<R, W> {
    /// Creates it, with `write` for the output of `recorder`.
    pub fn new(recorder: R, write: W) -> Self {
        Self { recorder, write, error: None, since: 0 }
    }

    /// Writes new output. Continues after an error, so that the recorder's memory does not grow; the file is then
    /// discarded.
    fn drain(&mut self) {
        let error = (self.write)(&mut self.recorder).err();
        self.error = self.error.take().or(error);
    }

    /// Writes the rest. Returns the recorder, and whether everything was written.
    pub fn finish(mut self) -> (R, Result<(), FileError>) {
        self.drain();
        (self.recorder, self.error.map_or(Ok(()), Err))
    }
}

impl<R: RetireSink, W: FnMut(&mut R) -> Result<(), FileError>> RetireSink for Drained<R, W> {
    const WANTS_DATA: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.recorder.event(e);
        self.since += 1;
        if self.since == DRAIN_INTERVAL {
            self.since = 0;
            self.drain();
        }
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        self.recorder.data(d);
    }

    #[inline]
    fn note(&mut self, hart: u8, note: &Note) {
        self.recorder.note(hart, note);
    }

    #[inline]
    fn master(&mut self, store: &MasterStore) {
        self.recorder.master(store);
    }
}
