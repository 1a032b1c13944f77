//! Opens and replays a control-flow trace, a recorded run or a recording by its name

use crate::input::{check_build_id, InputOptions, Named};
use crate::inputs::Session;
use crate::progress::Progress;
use crate::recording::{FileKind, Recording};
use crate::trace::{LossSummary, Trace};
use crate::HostError;
use retire::image::Image;
use retire::{Context, DataEvent, FlowEvent, RetireSink};
use sim::replay::ReplaySink;
use std::path::Path;

/// An execution to view.
pub enum Replayed {
    /// A control-flow trace.
    Trace(Box<Trace>),
    /// A recorded run.
    Recorded(Box<Session>),
    /// A recording of the control flow: a retire file or branch trace, with its code.
    Recording(Box<Recording>, Box<Image>),
}

/// Missing parts of an execution: losses and damage.
#[derive(Debug)]
pub struct Missing {
    /// Gaps in the trace.
    pub lost: LossSummary,
    /// The damage that ended it early, if any.
    pub damage: Option<HostError>,
}

/// A sink for the control flow of either.
struct FlowSink<'a, S>(&'a mut S);

impl<S: RetireSink> ReplaySink for FlowSink<'_, S> {
    const EVENTS_ONLY: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
    }
}

/// A sink that counts gaps.
struct Gaps<'a, S> {
    sink: &'a mut S,
    lost: LossSummary,
}

impl<S: RetireSink> RetireSink for Gaps<'_, S> {
    const WANTS_DATA: bool = S::WANTS_DATA;

    fn event(&mut self, e: &FlowEvent) {
        self.lost.count(e);
        self.sink.event(e);
    }

    fn data(&mut self, data: &DataEvent) {
        self.sink.data(data);
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
        let kind = FileKind::of(path)?;
        let named = if kind == FileKind::Inputs { Named::open(elf)? } else { Named::open_any(elf)? };
        let replayed = match kind {
            FileKind::Inputs => Self::Recorded(Box::new(Session::open(path, input_options)?)),
            FileKind::Retire | FileKind::Rbt1 => {
                let recording = Recording::open(path)?;
                let info = recording.info();
                if !input_options.any_build && !recording.is_rbt1() {
                    let name = path.display().to_string();
                    check_build_id(&name, &info.program, &info.build_id, elf, &named.build_id)?;
                }
                let image = Box::new(named.image_of(&recording, input_options.changes)?);
                Self::Recording(Box::new(recording), image)
            }
            FileKind::Trace | FileKind::Values | FileKind::Other => {
                Self::Trace(Box::new(Trace::open(path, input_options, progress)?))
            }
        };
        Ok((replayed, named))
    }

    /// Number of cores.
    pub fn cores(&self) -> u8 {
        match self {
            Self::Trace(trace) => trace.info().params.cores,
            Self::Recorded(session) => session.info.params.cores,
            Self::Recording(recording, _) => recording.info().harts,
        }
    }

    /// Code of the program.
    pub fn image(&self) -> Image {
        match self {
            Self::Trace(trace) => trace.image().clone(),
            Self::Recorded(session) => Image::new(&session.named.program),
            Self::Recording(_, image) => Image::clone(image),
        }
    }

    /// Code of the contexts that have their own here.
    pub fn context_images(&self) -> &[(Context, Image)] {
        match self {
            Self::Trace(trace) => trace.contexts(),
            Self::Recorded(_) | Self::Recording(..) => &[],
        }
    }

    /// Whether contexts are reported, as far as that is known before it is read.
    pub fn may_have_contexts(&self) -> bool {
        match self {
            Self::Trace(trace) => trace.info().params.context.is_some(),
            Self::Recorded(_) => false,
            Self::Recording(..) => true,
        }
    }

    /// Whether events have times.
    pub fn has_cycles(&self) -> bool {
        match self {
            Self::Trace(trace) => trace.info().params.timestamps,
            Self::Recorded(_) => false,
            Self::Recording(recording, _) => recording.has_cycles(),
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
            Self::Recording(recording, _) => {
                let mut counted = Gaps { sink, lost: LossSummary::default() };
                let mut events = recording.events()?;
                let mut read = || {
                    while !stop(counted.sink) && events.next_block(&mut counted)? {}
                    Ok(())
                };
                let damage = read().err();
                Ok(Missing { lost: counted.lost, damage })
            }
        }
    }

    /// As [`Replayed::report_until`], to the end.
    ///
    /// # Errors
    /// The beginning cannot be replayed.
    pub fn report_to<S: RetireSink>(self, sink: &mut S, progress: &dyn Progress) -> Result<Missing, HostError> {
        match self {
            Self::Trace(trace) => {
                let replayed = trace.replay_whole(&mut FlowSink(sink), progress)?;
                Ok(Missing { lost: replayed.lost, damage: replayed.damage })
            }
            other => other.report_until(sink, progress, |_| false),
        }
    }
}
