//! A trace file with its program, and its replay

use crate::foreign;
use crate::input::{check_build_id, located, InputOptions, Named, BUILTIN};
use crate::progress::{Progress, Words};
use crate::recording::{FileKind, Recording};
use crate::text::{count, plural};
use crate::{words, HostError};
use retire::code::Code;
use retire::elf::Program;
use retire::image::learned::Learner;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};
use sim::file::reread::SeekableWords;
use sim::file::{TraceInfo, TraceReader};
use sim::message::Message;
use sim::replay::parallel::{self, Options, Outcome};
use sim::replay::{Images, Replay, ReplayError, ReplaySink, ReplaySummary};
use std::path::{Path, PathBuf};

/// A trace file with its program.
///
/// ```
/// use host::encode::{to_file, Request};
/// use host::input::{Input, InputOptions};
/// use host::machine::Settings;
/// use host::progress::Quiet;
/// use host::trace::Trace;
/// use sim::params::{Platform, TraceParams};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // write the trace of a program, and reconstruct its instructions from the file
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("fft.gtr");
/// let input = Input::open("builtin:fft")?;
/// let settings = Settings { max_instructions: Some(20_000), ..Settings::default() };
/// let run = input.run(1, &settings)?;
/// let params = TraceParams::new(Platform::RV32, "tr_e:small".parse()?);
/// let request = Request { fixed_align: false, ..Request::new(params) };
/// let encoded = to_file(&run, &request, &path, &Quiet)?;
///
/// let options = InputOptions { elf: Some("builtin:fft"), ..InputOptions::default() };
/// let summary = Trace::open(&path, options, &Quiet)?.replay(&mut sim::replay::Ignore, &Quiet, |_| false)?;
/// assert_eq!(summary.instructions.iter().sum::<u64>(), encoded.reported.instructions);
/// # Ok(())
/// # }
/// ```
pub struct Trace {
    reader: TraceReader,
    info: TraceInfo,
    image: Image,
    contexts: Vec<(Context, Image)>,
    path: PathBuf,
    resume: bool,
    /// From which the code was learned.
    recording: Option<Recording>,
}

/// Losses in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LossSummary {
    /// Number of gaps, all cores.
    pub gaps: u64,
    /// Number of instructions in gaps of known length.
    pub instructions: u64,
    /// Number of gaps of unknown length.
    pub unknown: u64,
}

impl LossSummary {
    /// Enters an event, which may be a gap.
    #[inline]
    pub fn count(&mut self, e: &FlowEvent) {
        if let FlowKind::Gap { lost } = e.kind {
            self.gaps += 1;
            self.instructions += u64::from(lost);
            self.unknown += u64::from(lost == 0);
        }
    }

    /// Description in words; `None` if nothing was lost.
    pub fn describe(&self) -> Option<String> {
        let Self { gaps, instructions, unknown } = *self;
        let are = if gaps == 1 { "is" } else { "are" };
        let (instructions, gap) = (plural(instructions, "instruction"), plural(gaps, "gap"));
        match (gaps, unknown) {
            (0, _) => None,
            (_, 0) => Some(format!("{instructions}, in {gap}")),
            _ => {
                Some(format!("at least {instructions}, in {gap}, {} of which {are} of unknown length", count(unknown)))
            }
        }
    }
}

/// Result of replay up to the end or to damage.
#[derive(Debug)]
pub struct Replayed {
    /// Counts.
    pub summary: ReplaySummary,
    /// Losses.
    pub lost: LossSummary,
    /// Why it ended before the end of the stream.
    pub damage: Option<HostError>,
}

/// A sink that counts gaps.
struct Losses<'a, S> {
    sink: &'a mut S,
    lost: LossSummary,
}

impl<S: ReplaySink> ReplaySink for Losses<'_, S> {
    // a gap is the last event of its message, so nothing after it in the message can fail
    const UNCHECKED: bool = S::UNCHECKED;
    const EVENTS_ONLY: bool = S::EVENTS_ONLY;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.lost.count(e);
        self.sink.event(e);
    }

    fn header(&mut self, bit: u64) {
        self.sink.header(bit);
    }

    #[inline]
    fn message(&mut self, bit: u64, message: &Message) {
        self.sink.message(bit, message);
    }
}

/// What has the code of a trace.
enum CodeSource {
    /// A program.
    Program(Box<Named>),
    /// A recording of the run, and what was learned from it when it was opened.
    Recording(Box<Recording>, Option<Box<Learner>>),
    /// The trace itself.
    Trace,
}

impl CodeSource {
    /// The program or recording with this name.
    fn open(name: &str, progress: &dyn Progress) -> Result<Self, HostError> {
        let file = Path::new(located(name).0);
        let kind = if name.starts_with(BUILTIN) { FileKind::Other } else { FileKind::of(file)? };
        Ok(match kind {
            FileKind::Retire | FileKind::Rbt1 => {
                let (recording, learner) = Recording::open_learning(Path::new(name), progress)?;
                Self::Recording(Box::new(recording), learner.map(Box::new))
            }
            FileKind::Trace | FileKind::Inputs | FileKind::Values | FileKind::Other => {
                Self::Program(Box::new(Named::open_any(name)?))
            }
        })
    }

    fn build_id(&self) -> String {
        match self {
            Self::Program(named) => named.build_id.clone(),
            Self::Recording(recording, _) => recording.info().build_id.clone(),
            Self::Trace => String::new(),
        }
    }
}

impl Trace {
    /// Opens both; instead of the program, a recording of the run may be given, which carries the code, or from which it is
    /// learned. A trace that contains the code that ran is replayed with that.
    pub fn open(trace: &Path, input_options: InputOptions<'_>, progress: &dyn Progress) -> Result<Self, HostError> {
        let name = trace.display().to_string();
        let reader = match FileKind::of(trace)? {
            FileKind::Other => None,
            // for other files of Goshawk, the error names their kind
            _ => Some(TraceReader::<TraceInfo>::open(trace)?),
        };
        let has_code = reader.as_ref().is_some_and(TraceReader::has_code);
        let (elf, source) = match input_options.elf {
            Some(elf) => (elf, CodeSource::open(elf, progress)?),
            None if has_code => ("", CodeSource::Trace),
            None if reader.is_some() => {
                return Err(HostError::Other(format!("{name}: is a trace file; expected its program in `--elf`")));
            }
            None => {
                return Err(HostError::Other(format!(
                    "{name}: is not a trace file of Goshawk; raw trace words need their program in `--elf`, and the {PARAMETERS} of \
                     `goshawk gen` in their folder or `--parameters`",
                    PARAMETERS = words::PARAMETERS
                )));
            }
        };
        let build_id = source.build_id();
        let mut reader = match reader {
            Some(_) if input_options.parameters.is_some() => {
                return Err(HostError::Other(format!(
                    "{name}: is a trace file, which contains its parameters; `--parameters` is for raw trace words"
                )));
            }
            Some(reader) => reader,
            None => {
                let info = words::info(trace, input_options.parameters, elf, &build_id)?;
                TraceReader::of_words(trace, info)?
            }
        };
        let info = reader.info().clone();
        if !input_options.any_build && !elf.is_empty() {
            check_build_id(&name, &info.program, &info.build_id, elf, &build_id)?;
        }
        let changes = input_options.changes;
        // code is only learned from a recording of the right program
        let mut recording = None;
        let code = reader.take_code();
        if let CodeSource::Program(named) = &source {
            if let Some(machine) = named.machine {
                foreign::check_code(code.as_ref(), &named.program, (elf, machine), &name)?;
            }
        }
        let (image, program) = match (code, source) {
            (Some(code), _) => (Image::recorded(code), None),
            (None, CodeSource::Program(named)) => {
                (changes.image(&named.program, None, info.params.timestamps)?, Some(named.program))
            }
            (None, CodeSource::Recording(of, learner)) => {
                let image = match learner {
                    Some(learner) => of.learned(*learner)?,
                    None => of.image(progress)?,
                };
                recording = Some(*of);
                (image, None)
            }
            (None, CodeSource::Trace) => (Image::recorded(Code::default()), None),
        };
        if program.is_none() && !changes.is_empty() {
            return Err(HostError::Other(format!(
                "{}: {name} is replayed with the code that was recorded; expected a program in `--elf`, and a trace \
                 that does not contain the code that ran",
                changes.option()
            )));
        }
        if info.params.context.is_none() && (!input_options.contexts.is_empty() || changes.contexts().count() > 0) {
            return Err(HostError::Other(format!(
                "{name}: reports no contexts; `--context` of encode and gen makes traces that do"
            )));
        }
        // a context with memory, but without a program
        let mut of: Vec<(Context, Option<&str>)> = Vec::new();
        of.extend(input_options.contexts.iter().map(|(context, elf)| (*context, Some(elf.as_str()))));
        for context in changes.contexts() {
            if !of.iter().any(|(known, _)| *known == context) {
                of.push((context, None));
            }
        }
        let mut contexts = Vec::new();
        for (context, elf) in &of {
            let program = match (elf, &program) {
                (Some(elf), _) => Named::open(elf)?.program,
                (None, Some(program)) => Program { segments: Vec::new(), ..program.clone() },
                // refused above
                (None, None) => continue,
            };
            let elf = elf.unwrap_or(changes.option());
            if program.xlen != info.params.xlen {
                let (xlen, own) = (program.xlen, info.params.xlen);
                return Err(HostError::Other(format!(
                    "{elf}: is for {xlen} bits, but {name} was traced on a machine of {own}"
                )));
            }
            if info.params.reported(*context) != *context {
                let bits = info.params.context.unwrap_or(0);
                return Err(HostError::Other(format!(
                    "{name}: reports {bits} bits of the address space; there is no context {context}"
                )));
            }
            contexts.push((*context, changes.image(&program, Some(*context), info.params.timestamps)?));
        }
        Ok(Self { reader, info, image, contexts, path: trace.to_path_buf(), resume: false, recording })
    }

    /// The recording at `path`, if the code was learned from it: it need not be read again to open it.
    pub fn recording(&self, path: &Path) -> Option<&Recording> {
        self.recording.as_ref().filter(|recording| recording.path() == path)
    }

    /// The words of the trace, which can be read from any position.
    pub fn reread(self) -> SeekableWords {
        SeekableWords::of(self.reader)
    }

    /// Metadata of the file.
    pub fn info(&self) -> &TraceInfo {
        &self.info
    }

    /// Code of the program.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// The code of all contexts.
    pub fn images(&self) -> Images<'_> {
        Images { common: &self.image, of: &self.contexts }
    }

    /// Contexts that have their own program.
    pub fn contexts(&self) -> &[(Context, Image)] {
        &self.contexts
    }

    /// With `resume`, replay continues at the next header where the stream is damaged.
    #[must_use]
    pub fn resuming(self, resume: bool) -> Self {
        Self { resume, ..self }
    }

    /// Replays message by message until the stream ends or `stop` returns true.
    ///
    /// # Errors
    /// The stream is damaged or belongs to another program.
    pub fn replay<S: ReplaySink>(
        self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl FnMut(&mut S) -> bool,
    ) -> Result<ReplaySummary, HostError> {
        let replayed = self.replay_to_damage(sink, progress, stop)?;
        replayed.damage.map_or(Ok(replayed.summary), Err)
    }

    /// Replays to the end or to damage. `sink` gets the events in the order of the stream.
    ///
    /// Where the trace has periodic synchronisation and the code does not change with time, several threads replay if the machine
    /// runs two at once and only totals are wanted, or four: to pass events between threads takes 40 % more processor time.
    ///
    /// # Errors
    /// The beginning cannot be replayed.
    pub fn replay_whole<S: ReplaySink>(self, sink: &mut S, progress: &dyn Progress) -> Result<Replayed, HostError> {
        let options = Options { resume: self.resume, ..Options::default() };
        let enough = options.threads >= if S::UNCHECKED { 2 } else { 4 };
        let short = self.reader.expected_words().is_some_and(|words| words < 2 * options.shortest);
        let mut images = std::iter::once(&self.image).chain(self.contexts.iter().map(|(_, image)| image));
        if S::EVENTS_ONLY && enough && !short && images.all(|image| image.constant().is_some()) {
            self.replay_in_threads(options, sink, progress)
        } else {
            self.replay_to_damage(sink, progress, |_| false)
        }
    }

    /// Replays with several threads.
    fn replay_in_threads<S: ReplaySink>(
        mut self,
        options: Options,
        sink: &mut S,
        progress: &dyn Progress,
    ) -> Result<Replayed, HostError> {
        let mut sink = Losses { sink, lost: LossSummary::default() };
        let total = self.reader.expected_words();
        let words = Words::new(&mut self.reader, progress.begin("replaying", "words", total));
        let images = Images { common: &self.image, of: &self.contexts };
        let outcome = parallel::replay(images, &self.info.params, words, options, &mut sink);
        let lost = sink.lost;
        let result = outcome.map(|Outcome { summary, error, exhausted }| (summary, error, exhausted));
        self.replayed(result, lost)
    }

    /// As [`Trace::replay`], but damage is not an error: it ends the replay, and what was replayed so far is kept.
    ///
    /// # Errors
    /// The beginning cannot be replayed.
    pub fn replay_to_damage<S: ReplaySink>(
        mut self,
        sink: &mut S,
        progress: &dyn Progress,
        mut stop: impl FnMut(&mut S) -> bool,
    ) -> Result<Replayed, HostError> {
        let mut sink = Losses { sink, lost: LossSummary::default() };
        let total = self.reader.expected_words();
        let words = Words::new(&mut self.reader, progress.begin("replaying", "words", total));
        let result = Replay::new(Images { common: &self.image, of: &self.contexts }, &self.info.params, words).map(
            |mut replay| loop {
                match replay.step(&mut sink) {
                    Ok(true) if !stop(sink.sink) => {}
                    Ok(_) => return (replay.summary(), None, true),
                    Err(_) if self.resume && replay.resume() => {}
                    Err(e) => return (replay.summary(), Some(e), true),
                }
            },
        );
        let lost = sink.lost;
        self.replayed(result, lost)
    }

    /// The result, of which it is also known whether all words were read.
    fn replayed(
        mut self,
        result: Result<(ReplaySummary, Option<ReplayError>, bool), ReplayError>,
        mut lost: LossSummary,
    ) -> Result<Replayed, HostError> {
        // a damaged file also causes replay errors, so it is reported first; other threads can have read on to it
        let file = self.reader.error().map(HostError::from);
        let failure = |source| HostError::Replay { path: self.path.display().to_string(), source };
        match (result, file) {
            (Ok((summary, damage, exhausted)), file) => {
                // where replay resumed, something is missing, even if no core reports a gap
                let silent = summary.damaged.saturating_sub(lost.gaps);
                lost.gaps += silent;
                lost.unknown += silent;
                Ok(Replayed { summary, lost, damage: file.filter(|_| exhausted).or(damage.map(failure)) })
            }
            (Err(_), Some(file)) => Err(file),
            (Err(e), None) => Err(failure(e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{to_file, Request};
    use crate::input::Input;
    use crate::machine::Settings;
    use crate::progress::Quiet;
    use sim::params::{Platform, TraceParams};
    use sim::replay::Events;

    /// The events of a file, of which threads get `shortest` words at least, and the result.
    fn replayed(path: &Path, resume: bool, shortest: Option<u64>) -> (Vec<FlowEvent>, Result<Replayed, HostError>) {
        let input_options = InputOptions { elf: Some("builtin:bank"), ..InputOptions::default() };
        let trace = Trace::open(path, input_options, &Quiet).unwrap().resuming(resume);
        let mut sink = Events(Vec::new());
        let result = match shortest {
            Some(shortest) => trace.replay_in_threads(Options { threads: 3, resume, shortest }, &mut sink, &Quiet),
            None => trace.replay_to_damage(&mut sink, &Quiet, |_| false),
        };
        (sink.0, result)
    }

    #[test]
    fn threads_report_what_one_reports_of_whole_cut_and_damaged_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bank.gtr");
        let settings = Settings { max_instructions: Some(400_000), ..Settings::default() };
        let input = Input::open("builtin:bank").unwrap();
        let run = input.run(3, &settings).unwrap();
        let platform = Platform { cores: 3, timestamps: true, signature: 8, ..Platform::RV32 };
        let sync_period = Some(sim::core_trace::SyncPeriod::new(12).unwrap());
        let params = TraceParams::new(platform, "tr_e:small".parse().unwrap());
        let request = Request { fixed_align: false, sync_period, ..Request::new(params) };
        to_file(&run, &request, &path, &Quiet).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = 0;
        for case in 0..24 {
            let mut bytes = whole.clone();
            let at = whole.len() * (case + 8) / 34;
            match case % 4 {
                0 => {}
                1 => bytes.truncate(at),
                2 => bytes[at] ^= 0x10,
                _ => bytes[at..at + 40].fill(0xff),
            }
            std::fs::write(&path, bytes).unwrap();
            let resume = case % 3 == 0;
            let ((one, one_result), (threads, result)) =
                (replayed(&path, resume, None), replayed(&path, resume, Some(16)));
            assert!(one == threads, "{case}: {} and {} events", one.len(), threads.len());
            assert_eq!(format!("{one_result:?}"), format!("{result:?}"), "{case}");
            damaged += u32::from(one_result.is_err() || one_result.is_ok_and(|replayed| replayed.damage.is_some()));
        }
        assert!(damaged > 10, "{damaged} of the cases are damaged");
    }
}
