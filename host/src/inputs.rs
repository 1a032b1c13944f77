//! Record and replay: writes the inputs of a run's cores to a file, and executes the run again from it

use crate::drain::Drained;
use crate::input::{check_build_id, Input, InputOptions, Named};
use crate::progress::Progress;
use crate::recording::FileKind;
use crate::run::{Run, RunTotals};
use crate::{HostError, TOOL};
use retire::elf::Program;
use retire::file::hex;
use retire::RetireSink;
use sim::file::{InputsInfo, TraceReader, TraceWriter};
use sim::riscv::Machine;
use sim::scheme::inputs::model::InputsStats;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::scheme::inputs::{InputsParams, Recorder};
use std::path::{Path, PathBuf};

/// Result of recording a run.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Parameters of the stream.
    pub params: InputsParams,
    /// Statistics of the stream.
    pub stats: InputsStats,
    /// The run.
    pub totals: RunTotals,
}

/// Records `run` after its first `skip` instructions of all cores, into the file at `path` if given.
///
/// The input is a recording, which has no values; the simulator lacks some instructions that the program needs; the run
/// ends before the start, or the sizes are only valid for a start at reset; or the file cannot be written.
pub fn record(
    run: &Run<'_>,
    sizes: Sizes,
    skip: u64,
    path: Option<&Path>,
    progress: &dyn Progress,
) -> Result<Recorded, HostError> {
    let Input::Program(named) = run.input else {
        return Err(HostError::Other(
            "`--scheme inputs`: a recording does not have the values that cores read from outside; expected a program"
                .into(),
        ));
    };
    if let Some(mask) = sizes.unmodelled.filter(|m| m.is_custom()) {
        return Err(HostError::Other(format!(
            "the mask 0x{:x}=0x{:x} selects custom instructions, whose results the built-in simulator does not know; a mask \
             over OP (0x33), OP-IMM (0x13), OP-32 (0x3b) or OP-IMM-32 (0x1b) can be recorded",
            mask.mask, mask.value
        )));
    }
    if skip > 0 && sizes.known == 0 {
        return Err(HostError::Other(format!(
            "{sizes} begins at reset; after `--skip {skip}` it must record what RAM held, as {sizes}+known4096 does \
             (bytes of RAM whose first accesses a core remembers)"
        )));
    }
    let failure = |source| HostError::Machine { name: named.name.clone(), source };
    let ram = Machine::new(&named.program, run.settings.config(run.harts)).map_err(failure)?.ram();
    let params = InputsParams::new(run.harts, named.program.xlen, ram, sizes);
    let info = InputsInfo { tool: TOOL.into(), params, build_id: named.build_id.clone(), program: named.name.clone() };
    let mut writer = path.map(|path| TraceWriter::create(path, &info)).transpose()?;
    let recorder = Recorder::new(&params, &named.program)?;
    let mut sink = Drained::new(recorder, |recorder: &mut Recorder| {
        let words = recorder.drain();
        writer.as_mut().map_or(Ok(()), |writer| writer.write(words))
    });
    let totals = run.report_after(skip, &mut sink, progress, |machine, sink| {
        if sizes.known > 0 {
            sink.recorder.begin(machine.memory(), machine.states());
        }
    })?;
    sink.recorder.finish();
    let (recorder, written) = sink.finish();
    written?;
    let missed = recorder.stats().unrecorded;
    if missed > 0 {
        return Err(HostError::Other(format!(
            "{}: the host or a DMA stored {missed} words that {sizes} does not record; {sizes}+masters does",
            named.name
        )));
    }
    if let Some(writer) = writer {
        writer.finish()?;
    }
    Ok(Recorded { params, stats: *recorder.stats(), totals })
}

/// Writes a recording of `program`, which was made elsewhere, to the file at `path`; `name`: of the program.
///
/// # Errors
/// The file cannot be written.
pub fn write(
    path: &Path,
    params: InputsParams,
    words: Vec<u32>,
    name: &str,
    program: &Program,
) -> Result<(), HostError> {
    let info = InputsInfo { tool: TOOL.into(), params, build_id: hex(&program.build_id), program: name.into() };
    let mut writer = TraceWriter::create(path, &info)?;
    writer.write(words)?;
    Ok(writer.finish()?)
}

/// A recorded run with its program.
pub struct Session {
    /// Metadata of the file.
    pub info: InputsInfo,
    /// The program.
    pub named: Named,
    replay: Replay,
    path: PathBuf,
    /// Where the file is damaged, and how.
    damage: Option<String>,
}

/// Whether `path` is a recorded run of this scheme.
///
/// # Errors
/// The file cannot be read.
pub fn is_recorded(path: &Path) -> Result<bool, HostError> {
    Ok(FileKind::of(path)? == FileKind::Inputs)
}

impl Session {
    /// Opens a recorded run; its words are read up to where the file is damaged, and the program must be the one that ran.
    ///
    /// # Errors
    /// Either cannot be read, or they do not match.
    pub fn open(path: &Path, input_options: InputOptions<'_>) -> Result<Self, HostError> {
        let name = path.display().to_string();
        match FileKind::of(path)? {
            FileKind::Inputs => {}
            FileKind::Trace => {
                return Err(HostError::Other(format!(
                    "{name}: is a trace of the control flow, which has no registers and no memory; `goshawk encode \
                     --scheme inputs` records a run with all of them"
                )));
            }
            FileKind::Retire | FileKind::Rbt1 | FileKind::Values | FileKind::Other => {
                return Err(HostError::Other(format!(
                    "{name}: is not a recorded run; `goshawk encode --scheme inputs` makes one"
                )));
            }
        }
        if !input_options.changes.is_empty() {
            let option = input_options.changes.option();
            return Err(HostError::Other(format!(
                "{name}: is a recorded run, which computes its memory; `{option}` is for traces of the control flow"
            )));
        }
        if !input_options.contexts.is_empty() {
            return Err(HostError::Other(
                "--space is for traces with `encode --context`, not for recorded runs".into(),
            ));
        }
        if input_options.parameters.is_some() {
            return Err(HostError::Other(format!(
                "{name}: is a recorded run, which contains its parameters; `--parameters` is for raw trace words"
            )));
        }
        let mut reader = TraceReader::<InputsInfo>::open(path)?;
        let info = reader.info().clone();
        let Some(elf) = input_options.elf else {
            return Err(HostError::Other(format!("{name}: is a recorded run; expected its program in `--elf`")));
        };
        let named = Named::open(elf)?;
        if !input_options.any_build {
            check_build_id(&name, &info.program, &info.build_id, elf, &named.build_id)?;
        }
        let words: Vec<u32> = reader.by_ref().collect();
        let damage = reader.error().map(|e| e.to_string());
        let replay = Replay::new(&info.params, &named.program, words)?;
        let replay = replay.map_err(|source| match &damage {
            Some(damage) => HostError::Other(damage.clone()),
            None => HostError::Inputs { path: name, source },
        })?;
        Ok(Self { info, named, replay, path: path.to_path_buf(), damage })
    }

    /// Where the file is damaged, and how: replay ends there.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// The replay, at its beginning.
    pub fn replay(self) -> Replay {
        self.replay
    }

    /// Replays to the end, or until `stop` says so. What comes before damage is replayed.
    ///
    /// # Errors
    /// The file or the stream is damaged, or it is of another run.
    pub fn run<S: RetireSink>(
        &mut self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl Fn(&S) -> bool,
    ) -> Result<(), HostError> {
        const BLOCK: u64 = 1 << 16;
        let bar = progress.begin("replaying", "instructions", None);
        let mut totals = 0;
        loop {
            let most = totals + BLOCK - self.replay.position();
            let core = self.replay.advance(sink, most, |sink, _| stop(sink)).map_err(|e| self.error(e))?;
            if stop(sink) {
                return Ok(());
            }
            if core.is_none() {
                // all words may be there where the file is cut
                return self.damage.clone().map_or(Ok(()), |damage| Err(HostError::Other(damage)));
            }
            if self.replay.position() - totals == BLOCK {
                bar.advance(BLOCK);
                totals += BLOCK;
            }
        }
    }

    /// The current state of replay.
    pub fn at(&self) -> &Replay {
        &self.replay
    }

    /// An error of replay, with the file's name; in a damaged file the damage is the reason.
    pub fn error(&self, source: InputsError) -> HostError {
        if let Some(damage) = &self.damage {
            return HostError::Other(damage.clone());
        }
        HostError::Inputs { path: self.path.display().to_string(), source }
    }
}
