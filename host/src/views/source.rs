//! A trace of the control flow or a recorded run, opened by its name and told

use crate::input::{Beside, Named};
use crate::inputs::{is_recorded, Session};
use crate::progress::Progress;
use crate::trace::Trace;
use crate::HostError;
use retire::{FlowEvent, RetireSink};
use sim::replay::ReplaySink;
use std::path::Path;

/// What is looked at.
pub enum Replayed {
    /// A trace of the control flow.
    Trace(Box<Trace>),
    /// A recorded run.
    Recorded(Box<Session>),
}

/// Takes control flow from either.
struct Told<'a, S>(&'a mut S);

impl<S: RetireSink> ReplaySink for Told<'_, S> {
    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
    }
}

impl Replayed {
    /// Opens it with its program, which is given back too.
    ///
    /// # Errors
    /// Either cannot be read, or they do not belong together.
    pub fn open(path: &Path, elf: &str, any_build: bool, progress: &dyn Progress) -> Result<(Self, Named), HostError> {
        let beside = Beside { elf: Some(elf), any_build };
        let named = Named::open(elf)?;
        let replayed = if is_recorded(path)? {
            Self::Recorded(Box::new(Session::open(path, beside)?))
        } else {
            Self::Trace(Box::new(Trace::open(path, beside, progress)?))
        };
        Ok((replayed, named))
    }

    /// Cores.
    pub fn cores(&self) -> u8 {
        match self {
            Self::Trace(trace) => trace.info().params.cores,
            Self::Recorded(session) => session.info.params.cores,
        }
    }

    /// Whether events have times.
    pub fn has_cycles(&self) -> bool {
        match self {
            Self::Trace(trace) => trace.info().params.timestamps,
            Self::Recorded(_) => false,
        }
    }

    /// Tells the control flow to `sink`, and of a recorded run the data, to the end or until `stop` says so.
    ///
    /// # Errors
    /// The stream is damaged or of another program.
    pub fn tell_until<S: RetireSink>(
        self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl Fn(&S) -> bool,
    ) -> Result<(), HostError> {
        match self {
            Self::Trace(trace) => trace.replay(&mut Told(sink), progress, |told| stop(told.0)).map(|_| ()),
            Self::Recorded(mut session) => session.run(sink, progress, stop),
        }
    }

    /// As [`Replayed::tell_until`], to the end.
    ///
    /// # Errors
    /// The stream is damaged or of another program.
    pub fn tell<S: RetireSink>(self, sink: &mut S, progress: &dyn Progress) -> Result<(), HostError> {
        self.tell_until(sink, progress, |_| false)
    }
}
