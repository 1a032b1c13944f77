//! Load values: writes the values that a run's cores loaded, and executes the cores again with them and a control-flow
//! trace

use crate::disassembly::Disassembly;
use crate::drain::Drained;
use crate::input::{check_build_id, Input, InputOptions, Named};
use crate::progress::Progress;
use crate::recording::{Events, FileKind, Recording};
use crate::run::{Run, RunTotals};
use crate::trace::Trace;
use crate::{HostError, TOOL};
use retire::file::{FileError, Replacement};
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, Note, RetireSink};
use sim::file::{TraceReader, TraceWriter, ValuesInfo};
use sim::replay::{ReplaySink, ReplaySummary};
use sim::riscv::Machine;
use sim::scheme::cfiat::descriptor::Form;
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::replay::{Replay, ReplayError};
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Result of tracing the loads of a run.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Parameters of the stream.
    pub params: CfiatParams,
    /// Statistics of the stream.
    pub stats: CfiatStats,
    /// The run.
    pub totals: RunTotals,
    /// The run may have devices, and it is not known where: their loads count as memory, which a host cannot decode.
    pub devices_unknown: bool,
}

/// Output of a load-value trace.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// None: only statistics.
    Nothing,
    /// The stream.
    Stream(&'a Path),
    /// The descriptors of figure 4.36.
    Descriptors(&'a Path, Form),
    /// Their lines, each with its instruction.
    Disassembled(&'a Path),
}

enum Out {
    Nothing,
    Stream(TraceWriter),
    Descriptors(Replacement, PathBuf, Form),
}

impl Out {
    /// Writes the recorder's new output.
    fn write(&mut self, recorder: &mut Recorder) -> Result<(), FileError> {
        let descriptors = recorder.take_descriptors();
        let words = recorder.drain();
        match self {
            Self::Nothing => Ok(()),
            Self::Stream(writer) => writer.write(words),
            Self::Descriptors(file, path, form) => {
                let written = descriptors.iter().try_for_each(|d| d.write(*form, file));
                written.map_err(|source| FileError::Io { path: path.display().to_string(), source })
            }
        }
    }
}

/// Parameters of a run's stream. For a recording, devices are unknown, so everything counts as memory.
fn parameters(run: &Run<'_>, sizes: Sizes) -> Result<CfiatParams, HostError> {
    match run.input {
        Input::Program(named) => {
            let failure = |source| HostError::Machine { name: named.name.clone(), source };
            let machine = Machine::new(&named.program, run.settings.config(run.harts)).map_err(failure)?;
            Ok(CfiatParams::new(run.harts, machine.ram(), sizes))
        }
        Input::Recording(recording, _) => Ok(CfiatParams::all_memory(run.harts, recording.info().xlen, sizes)),
    }
}

/// Whether the run is a recording of a machine with devices: user programs of an operating system have none.
fn has_unknown_devices(run: &Run<'_>) -> bool {
    match run.input {
        Input::Program(_) => false,
        Input::Recording(recording, _) => {
            let info = recording.info();
            !info.untimed || info.source.contains("qemu-system-")
        }
    }
}

/// Traces the loads of `run`.
///
/// # Errors
/// A recording without data; a stream from a recording, which does not say whether an `sc` succeeded; flags that a host
/// cannot reproduce; or a file that cannot be written.
pub fn record(run: &Run<'_>, sizes: Sizes, output: Output<'_>, progress: &dyn Progress) -> Result<Traced, HostError> {
    let params = parameters(run, sizes)?;
    let info = run.info();
    if matches!(output, Output::Stream(_)) {
        if run.input.is_recording() {
            return Err(HostError::Other(format!(
                "{}: a recording does not contain which `sc` stored, so its cores cannot be re-executed; expected a program, or \
                 use `--ascii`, `--binary` or `stats`",
                run.name()
            )));
        }
        if !sizes.can_decode() {
            return Err(HostError::Other(format!(
                "{sizes}: flags of what is only touched cannot be followed by a host; without +touched, with +gran1, or \
                 --ascii, --binary or `stats`"
            )));
        }
    }
    let (mut recorder, mut out) = (Recorder::new(&params)?, Out::Nothing);
    match output {
        Output::Nothing => {}
        Output::Stream(path) => {
            let of = ValuesInfo { tool: TOOL.into(), params, build_id: info.build_id, program: info.program.clone() };
            out = Out::Stream(TraceWriter::create(path, &of)?);
        }
        Output::Disassembled(path) => return disassembled(run, &params, path, progress),
        Output::Descriptors(path, form) => {
            recorder = recorder.with_descriptors();
            out = Out::Descriptors(Replacement::create(path)?, path.into(), form);
        }
    }
    let mut sink = Drained::new(recorder, |recorder: &mut Recorder| out.write(recorder));
    let totals = run.report_to(&mut sink, progress)?;
    sink.recorder.finish();
    let (recorder, written) = sink.finish();
    let stats = *recorder.stats();
    if stats.masters > 0 && matches!(out, Out::Stream(_)) {
        return Err(HostError::Other(format!(
            "{}: the host or a DMA stored {} words, which a trace of load values does not contain, so its cores cannot be executed again; \
             `goshawk encode --scheme inputs:512+masters` records them, --ascii, --binary and `stats` do not need them",
            run.name(),
            stats.masters
        )));
    }
    has_loads(run, &stats)?;
    written?;
    match out {
        Out::Nothing => {}
        Out::Stream(writer) => writer.finish()?,
        Out::Descriptors(file, ..) => file.commit().map(drop)?,
    }
    Ok(Traced { params, stats, totals, devices_unknown: has_unknown_devices(run) })
}

/// Writes each descriptor with the instruction of its load.
struct Lines {
    recorder: Recorder,
    disassembly: Disassembly,
    file: Replacement,
    error: Option<std::io::Error>,
}

impl RetireSink for Lines {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.recorder.event(e);
        self.recorder.drain();
        self.disassembly.pass(e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.recorder.data(d);
        let mut line = Vec::new();
        for descriptor in self.recorder.take_descriptors() {
            // writing to memory cannot fail
            let _ = descriptor.write(Form::Ascii, &mut line);
        }
        if self.error.is_none() && !line.is_empty() {
            self.disassembly.append(d.hart, d.pc, &mut line);
            self.error = self.file.write_all(&line).err();
        }
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.recorder.note(hart, note);
    }

    fn master(&mut self, store: &MasterStore) {
        self.recorder.master(store);
    }
}

/// Writes the lines of [`Output::Disassembled`].
fn disassembled(
    run: &Run<'_>,
    params: &CfiatParams,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Traced, HostError> {
    let recorder = Recorder::new(params)?.with_descriptors();
    let disassembly = Disassembly::of(run, progress)?;
    let mut sink = Lines { recorder, disassembly, file: Replacement::create(path)?, error: None };
    let totals = run.report_to(&mut sink, progress)?;
    if let Some(e) = sink.error {
        return Err(HostError::io(path, e));
    }
    sink.recorder.finish();
    let stats = *sink.recorder.stats();
    has_loads(run, &stats)?;
    sink.file.commit()?;
    Ok(Traced { params: *params, stats, totals, devices_unknown: has_unknown_devices(run) })
}

/// A recording without loads is refused.
fn has_loads(run: &Run<'_>, stats: &CfiatStats) -> Result<(), HostError> {
    match run.input.is_recording() && stats.all_loads() == 0 {
        true => Err(HostError::Other(format!("{}: holds no load; `goshawk run --data` records them", run.name()))),
        false => Ok(()),
    }
}

/// A control-flow trace, its load values, and the program.
pub struct Session {
    /// Metadata of the file of load values.
    pub info: ValuesInfo,
    /// The program.
    pub named: Named,
    /// Bits of the load values.
    pub bits: u64,
    trace: Trace,
    replay: Replay,
    path: PathBuf,
    /// Where the file of values is damaged, and how.
    damage: Option<String>,
}

/// Executes the cores along the replayed control flow; keeps the first error.
struct Drive<'a, S> {
    replay: &'a mut Replay,
    sink: &'a mut S,
    error: Option<ReplayError>,
}

impl<S: RetireSink> ReplaySink for Drive<'_, S> {
    fn event(&mut self, e: &FlowEvent) {
        if self.error.is_none() {
            self.error = self.replay.event(e, self.sink).err();
        }
    }
}

impl Session {
    /// Opens all three; they must be of the same program and number of cores.
    ///
    /// # Errors
    /// One cannot be read, or they do not match.
    pub fn open(
        trace: &Path,
        values: &Path,
        input_options: InputOptions<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, HostError> {
        let name = values.display().to_string();
        if FileKind::of(values)? != FileKind::Values {
            return Err(HostError::Other(format!(
                "{name}: is not a file of load values; `goshawk encode --scheme cfiat` makes one"
            )));
        }
        if FileKind::of(trace)? != FileKind::Trace {
            return Err(HostError::Other(format!(
                "{}: is not a trace of the control flow, which `--values` needs",
                trace.display()
            )));
        }
        let mut reader = TraceReader::<ValuesInfo>::open(values)?;
        let info = reader.info().clone();
        let trace = Trace::open(trace, input_options, progress)?;
        let named = Named::open(input_options.elf.unwrap_or_default())?;
        if !input_options.any_build {
            check_build_id(&name, &info.program, &info.build_id, &named.name, &named.build_id)?;
        }
        if info.params.cores != trace.info().params.cores {
            return Err(HostError::Other(format!(
                "{name}: has {} cores, but the trace of the control flow has {}",
                info.params.cores,
                trace.info().params.cores
            )));
        }
        let words: Vec<u32> = reader.by_ref().collect();
        let damage = reader.error().map(|e| e.to_string());
        let bits = 32 * words.len() as u64;
        let replay = Replay::new(&info.params, &named.program, words);
        let replay = replay.map_err(|source| match &damage {
            Some(damage) => HostError::Other(damage.clone()),
            None => HostError::Values { path: name, source },
        })?;
        Ok(Self { info, named, bits, trace, replay, path: values.into(), damage })
    }

    /// Executes the cores to their ends, or until `stop` says so; what was replayed, and the cores. What comes before damage is executed.
    ///
    /// # Errors
    /// A trace is damaged, or they are of different runs.
    pub fn run<S: RetireSink>(
        self,
        sink: &mut S,
        progress: &dyn Progress,
        stop: impl Fn(&S) -> bool,
    ) -> Result<(ReplaySummary, Replay), HostError> {
        let Self { mut replay, trace, path, damage, .. } = self;
        let error = |source| match &damage {
            Some(damage) => HostError::Other(damage.clone()),
            None => HostError::Values { path: path.display().to_string(), source },
        };
        let mut drive = Drive { replay: &mut replay, sink, error: None };
        let summary = trace.replay(&mut drive, progress, |d| d.error.is_some() || stop(d.sink))?;
        if let Some(e) = drive.error.take() {
            return Err(error(e));
        }
        if !stop(drive.sink) {
            replay.finish().map_err(error)?;
            if let Some(damage) = damage {
                return Err(HostError::Other(damage));
            }
        }
        Ok((summary, replay))
    }
}

/// A check of executed cores against a retire file with data: registers, loads, stores, CSRs, in the order of each
/// hart.
pub struct DataCheck {
    reader: Events,
    want: Wanted,
    seen: Vec<u64>,
    ended: bool,
    error: Option<FileError>,
    difference: Option<String>,
}

struct Wanted(Vec<VecDeque<(u64, DataKind)>>);

impl RetireSink for Wanted {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        if let Some(queue) = self.0.get_mut(usize::from(d.hart)) {
            queue.push_back((d.pc, d.kind));
        }
    }
}

/// Description of a data event in words.
pub fn describe(kind: &DataKind) -> String {
    match *kind {
        DataKind::Load { size, addr, value } => format!("load of {size} at 0x{addr:08x}: 0x{value:x}"),
        DataKind::Store { size, addr, value } => format!("store of {size} at 0x{addr:08x}: 0x{value:x}"),
        DataKind::Csr { csr, value } => format!("CSR 0x{csr:03x}: 0x{value:x}"),
        DataKind::Register { rd, value } => format!("x{rd}: 0x{value:x}"),
        DataKind::Float { rd, value } => format!("f{rd}: 0x{value:x}"),
        DataKind::Imported { .. } => "an imported record".into(),
    }
}

impl DataCheck {
    /// Opens the recording; [`crate::check::Check`] checks whether it is of the run.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn open(path: &Path, cores: u8) -> Result<Self, HostError> {
        let cores = usize::from(cores);
        Ok(Self {
            reader: Recording::open(path)?.events()?,
            want: Wanted(vec![VecDeque::new(); cores]),
            seen: vec![0; cores],
            ended: false,
            error: None,
            difference: None,
        })
    }

    fn next(&mut self, hart: usize) -> Option<(u64, DataKind)> {
        while self.want.0[hart].is_empty() && !self.ended {
            let read = self.reader.next_block(&mut self.want);
            self.ended = !matches!(read, Ok(true));
            self.error = read.err();
        }
        self.want.0[hart].pop_front()
    }

    /// Whether the check can end: a difference or an error was found.
    pub fn is_over(&self) -> bool {
        self.difference.is_some() || self.error.is_some()
    }

    /// The number of equal data events, and the first difference.
    ///
    /// # Errors
    /// The recording cannot be read, or has no data.
    pub fn finish(mut self, path: &Path) -> Result<(u64, Option<String>), HostError> {
        for hart in 0..self.seen.len() {
            if self.is_over() {
                break;
            }
            if let Some((pc, kind)) = self.next(hart) {
                let index = self.seen[hart];
                self.difference = Some(format!(
                    "datum {index}, hart {hart}, pc 0x{pc:08x}: replay has ended, the run has {}",
                    describe(&kind)
                ));
            }
        }
        let seen = self.seen.iter().sum();
        if let Some(e) = self.error {
            return Err(e.into());
        }
        if seen == 0 && self.difference.as_ref().is_none_or(|d| d.ends_with("nothing more")) {
            return Err(HostError::Other(format!(
                "{}: holds no registers and stores to compare with; `goshawk run --data` records them",
                path.display()
            )));
        }
        Ok((seen, self.difference))
    }
}

impl RetireSink for DataCheck {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        if self.is_over() {
            return;
        }
        let hart = usize::from(d.hart);
        let want = self.next(hart);
        if want == Some((d.pc, d.kind)) {
            self.seen[hart] += 1;
            return;
        }
        let right = match want {
            Some((pc, kind)) if pc == d.pc => describe(&kind),
            Some((pc, kind)) => format!("pc 0x{pc:08x}: {}", describe(&kind)),
            None => "nothing more".into(),
        };
        self.difference = Some(format!(
            "datum {}, hart {hart}, pc 0x{:08x}: {}, the run has {right}",
            self.seen[hart],
            d.pc,
            describe(&d.kind)
        ));
    }
}
