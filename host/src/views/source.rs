//! Opens and replays a control-flow trace or a recorded run by its name

use crate::input::{InputOptions, Named};
use crate::inputs::{is_recorded, Session};
use crate::progress::Progress;
use crate::trace::{LossSummary, Trace};
use crate::HostError;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::replay::ReplaySink;
use std::path::Path;

/// An execution to view.
pub enum Replayed {
    /// A control-flow trace.
    Trace(Box<Trace>),
    /// A recorded run.
    Recorded(Box<Session>),
}

/// What is missing of an execution.
#[derive(Debug)]
pub struct Missing {
    /// Gaps in the trace.
    pub lost: LossSummary,
    /// The damage that ended it early, if any.
    pub damage: Option<HostError>,
}

impl Missing {
    /// For views that need the complete execution: damage is an error.
    ///
    /// # Errors
    /// The damage.
    pub fn undamaged(self) -> Result<(), HostError> {
        self.damage.map_or(Ok(()), Err)
    }
}

/// A sink for the control flow of either.
struct FlowSink<'a, S>(&'a mut S);

impl<S: RetireSink> ReplaySink for FlowSink<'_, S> {
    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
    }
}

impl Replayed {
    /// Opens it with its program, which is returned too.
    ///
    /// # Errors
    /// Either cannot be read, or they do not match.
    pub fn open(
        path: &Path,
        elf: &str,
        input_options: InputOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<(Self, Named), HostError> {
        let input_options = InputOptions { elf: Some(elf), ..input_options };
        let named = Named::open(elf)?;
        let replayed = if is_recorded(path)? {
            Self::Recorded(Box::new(Session::open(path, input_options)?))
        } else {
            Self::Trace(Box::new(Trace::open(path, input_options, progress)?))
        };
        Ok((replayed, named))
    }

    /// Number of cores.
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

    /// Passes the control flow, and for a recorded run the data, to `sink`, to the end or until `stop` returns true.
    /// Damage ends it; events passed so far stay valid.
    ///
    /// # Errors
    /// The beginning cannot be replayed.
    pub fn report_until<S: RetireSink>(
        self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl Fn(&S) -> bool,
    ) -> Result<Missing, HostError> {
        match self {
            Self::Trace(trace) => {
                let replayed = trace.replay_to_damage(&mut FlowSink(sink), progress, |told| stop(told.0))?;
                Ok(Missing { lost: replayed.lost, damage: replayed.damage })
            }
            Self::Recorded(mut session) => {
                Ok(Missing { lost: LossSummary::default(), damage: session.run(sink, progress, stop).err() })
            }
        }
    }

    /// As [`Replayed::report_until`], to the end.
    ///
    /// # Errors
    /// The beginning cannot be replayed.
    pub fn report_to<S: RetireSink>(self, sink: &mut S, progress: &dyn Progress) -> Result<Missing, HostError> {
        self.report_until(sink, progress, |_| false)
    }
}
