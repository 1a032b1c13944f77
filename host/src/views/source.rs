//! A trace of the control flow or a recorded run, opened by its name and told

use crate::input::{Beside, Named};
use crate::inputs::{is_recorded, Session};
use crate::progress::Progress;
use crate::trace::{Lost, Trace};
use crate::HostError;
use retire::image::Image;
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

/// What was not told of an execution.
#[derive(Debug)]
pub struct Missing {
    /// Gaps in the trace.
    pub lost: Lost,
    /// Where it ended before its end, and why.
    pub damage: Option<HostError>,
}

impl Missing {
    /// For those who need all of it: damage is an error.
    ///
    /// # Errors
    /// The damage.
    pub fn undamaged(self) -> Result<(), HostError> {
        self.damage.map_or(Ok(()), Err)
    }
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
    pub fn open(
        path: &Path,
        elf: &str,
        beside: Beside<'_>,
        progress: &dyn Progress,
    ) -> Result<(Self, Named), HostError> {
        let beside = Beside { elf: Some(elf), ..beside };
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

    /// Code of the program.
    pub fn image(&self) -> Image {
        match self {
            Self::Trace(trace) => trace.image().clone(),
            Self::Recorded(session) => Image::new(&session.named.program),
        }
    }

    /// Whether events have times.
    pub fn has_cycles(&self) -> bool {
        match self {
            Self::Trace(trace) => trace.info().params.timestamps,
            Self::Recorded(_) => false,
        }
    }

    /// Tells the control flow to `sink`, and of a recorded run the data, to the end or until `stop` says so. Damage ends
    /// it; what was told before stays.
    ///
    /// # Errors
    /// Not even the beginning can be replayed.
    pub fn tell_until<S: RetireSink>(
        self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl Fn(&S) -> bool,
    ) -> Result<Missing, HostError> {
        match self {
            Self::Trace(trace) => {
                let replayed = trace.replay_to_damage(&mut Told(sink), progress, |told| stop(told.0))?;
                Ok(Missing { lost: replayed.lost, damage: replayed.damage })
            }
            Self::Recorded(mut session) => {
                Ok(Missing { lost: Lost::default(), damage: session.run(sink, progress, stop).err() })
            }
        }
    }

    /// As [`Replayed::tell_until`], to the end.
    ///
    /// # Errors
    /// Not even the beginning can be replayed.
    pub fn tell<S: RetireSink>(self, sink: &mut S, progress: &dyn Progress) -> Result<Missing, HostError> {
        self.tell_until(sink, progress, |_| false)
    }
}
