//! What a recorder makes of a run, written while the run goes on

use retire::file::FileError;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};

/// Events between two times that words are written.
const DRAIN: u32 = 1 << 16;

/// A recorder whose output `write` takes as it comes; keeps the first error.
pub(crate) struct Drained<R, W> {
    /// It.
    pub recorder: R,
    write: W,
    error: Option<FileError>,
    since: u32,
}

impl<R: RetireSink, W: FnMut(&mut R) -> Result<(), FileError>> Drained<R, W> {
    /// Hands on what `recorder` makes to `write`.
    pub fn new(recorder: R, write: W) -> Self {
        Self { recorder, write, error: None, since: 0 }
    }

    /// Hands on what was made since; behind an error too, so that the recorder does not grow: such a file is not kept.
    fn drain(&mut self) {
        let error = (self.write)(&mut self.recorder).err();
        self.error = self.error.take().or(error);
    }

    /// Hands on the rest. The recorder, and whether all could be written.
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
        if self.since == DRAIN {
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
