//! The run of an input, passed to a sink event by event or in blocks

use crate::contradiction::Contradictions;
use crate::foreign;
use crate::input::Input;
use crate::machine::Settings;
use crate::progress::{Counted, Progress};
use crate::stop::Stoppable;
use crate::HostError;
use retire::code::Code;
use retire::file::retire::RetireInfo;
use retire::image::Image;
use retire::{FlowEvent, NullSink, RetireSink};
use sim::params::TraceParams;
use sim::riscv::{Exit, Limits, Machine, RunSummary};
use sim::system::System;

/// A run: of a program, or a recorded one.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The input.
    pub input: &'a Input,
    /// Number of harts.
    pub harts: u8,
    /// Settings for running a program.
    pub settings: &'a Settings,
}

/// Summary of a run that was read or executed to its end.
#[derive(Clone, Debug)]
pub struct RunTotals {
    /// Events, all harts.
    pub events: u64,
    /// Instructions, all harts.
    pub instructions: u64,
    /// Last cycle.
    pub cycles: u64,
    /// More details, if a program was executed.
    pub summary: Option<RunSummary>,
    /// Whether the user stopped it ([`Progress::stops`]).
    pub stopped: bool,
    /// Exceptions other than calls and breakpoints, if a program was executed, see [`crate::fault`].
    pub faults: u64,
}

/// Events per block: small enough for a cache, large enough to be worth passing on.
pub const BLOCK: usize = 1 << 14;

/// Collects events in blocks.
struct Blocks<'a> {
    block: Vec<FlowEvent>,
    out: &'a mut dyn FnMut(Vec<FlowEvent>),
}

impl Blocks<'_> {
    fn flush(&mut self) {
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        (self.out)(block);
    }
}

impl RetireSink for Blocks<'_> {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.block.push(*event);
        if self.block.len() == BLOCK {
            self.flush();
        }
    }
}

impl Input {
    /// The run with `harts` harts; a recording has its own number.
    pub fn run<'a>(&'a self, harts: u8, settings: &'a Settings) -> Result<Run<'a>, HostError> {
        Run::new(self, harts, settings)
    }
}

impl<'a> Run<'a> {
    /// Refuses a number of harts or a setting that is not possible.
    fn new(input: &'a Input, harts: u8, settings: &'a Settings) -> Result<Self, HostError> {
        if let Input::Program(named) = input {
            let failure = |source| HostError::Machine { name: named.name.clone(), source };
            settings.check().map_err(|e| HostError::Other(format!("{}: {e}", named.name)))?;
            settings.config(harts).check().map_err(failure)?;
        }
        Ok(Self { input, harts: input.harts().unwrap_or(harts), settings })
    }

    /// Name of the program, or path of the recording, for errors.
    pub fn name(&self) -> String {
        match self.input {
            Input::Program(named) => named.name.clone(),
            Input::Recording(recording, _) => recording.path().display().to_string(),
        }
    }

    /// Metadata of a retire file of this run.
    pub fn info(&self) -> RetireInfo {
        match self.input {
            Input::Program(named) => RetireInfo {
                tool: crate::TOOL.into(),
                harts: self.harts,
                xlen: named.program.xlen,
                build_id: named.build_id.clone(),
                program: named.name.clone(),
                source: self.settings.describe(),
                threads: Vec::new(),
                untimed: false,
            },
            Input::Recording(recording, named) => {
                let mut info = recording.info().clone();
                if let Some(named) = named {
                    // replay takes the code from this program
                    info.build_id.clone_from(&named.build_id);
                }
                info
            }
        }
    }

    /// The code that a trace of this run must contain: of a recording that carries it, unless its program has all of it. Of a
    /// recording that does not, the events are to be compared with its program.
    ///
    /// # Errors
    /// The recording cannot be read, or its program has other code.
    pub fn code(&self) -> Result<(Option<Code>, Option<Contradictions>), HostError> {
        let Input::Recording(recording, named) = self.input else { return Ok((None, None)) };
        let (code, named) = match (recording.code()?, named) {
            (Some(code), Some(named)) => (code, named),
            (None, Some(named)) => return Ok((None, Some(Contradictions::new(named.image()?, self.harts)))),
            (code, None) => return Ok((code, None)),
        };
        let needed = crate::code::needed(code, (&named.program, &named.memory), [&self.name(), &named.name])?;
        Ok((needed, None))
    }

    /// The encoder of `params` before the first event of the run, or of the section of it whose code is `code`. A scheme that infers jumps
    /// takes the code from there, from the recording, or from the program.
    ///
    /// # Errors
    /// Parameters that the encoder does not support; for a scheme that infers jumps: the code cannot be read, a recording has none, or the
    /// run is not of RISC-V.
    pub fn encoder(&self, params: &TraceParams, code: Option<&Code>) -> Result<System, HostError> {
        if !params.flow.infers() {
            return Ok(System::new(params)?);
        }
        Ok(System::with_code(params, 0, &self.inferred_code(params, code)?)?)
    }

    /// Refuses a run in which a jump went elsewhere than the code from which it was inferred.
    ///
    /// # Errors
    /// The first of these jumps.
    pub fn check_jumps(&self, encoder: &System) -> Result<(), HostError> {
        let named = |wrong| HostError::Other(format!("{}: {wrong} (`--memory`, `--patches`)", self.name()));
        encoder.check_jumps().map_err(named)
    }

    fn inferred_code(&self, params: &TraceParams, code: Option<&Code>) -> Result<Image, HostError> {
        let (recording, named) = match self.input {
            Input::Program(named) => return named.image(),
            Input::Recording(recording, named) => (recording, named),
        };
        let captured = foreign::captured(&recording.info().source).filter(|machine| !machine.starts_with("riscv"));
        if let Some(machine) = captured {
            let (run, scheme) = (self.name(), params.flow.name());
            return Err(HostError::Other(format!(
                "{run}: was captured on a machine {machine}; scheme `{scheme}` infers jumps of RISC-V (+inferable)"
            )));
        }
        let code = code.map_or_else(|| recording.code(), |code| Ok(Some(code.clone())))?;
        match (code, named) {
            (Some(code), _) => Ok(Image::recorded(code)),
            (None, Some(named)) => named.image(),
            (None, None) => Err(HostError::Other(format!(
                "{}: has no code, from which scheme `{}` infers jumps (+inferable); expected its program in `--elf`",
                self.name(),
                params.flow.name()
            ))),
        }
    }

    /// Whether events have the clock cycles in which they retired. A branch trace (`rbt1`) and a captured run have
    /// none; recordings imported from one have instruction counts instead.
    pub fn has_cycles(&self) -> bool {
        match self.input {
            Input::Program(_) => true,
            Input::Recording(recording, _) => recording.has_cycles(),
        }
    }

    /// Refuses time stamps of a run without cycles.
    ///
    /// # Errors
    /// `timestamps` is true, and the run has no cycles.
    pub fn check_timestamps(&self, timestamps: bool) -> Result<(), HostError> {
        if timestamps && !self.has_cycles() {
            let name = self.name();
            return Err(HostError::Other(format!(
                "{name}: has no cycles, as it is of a branch trace (rbt1) or a captured run; `--timestamps` is for runs that have"
            )));
        }
        Ok(())
    }

    /// Passes the whole run to `sink`.
    pub fn report_to(&self, sink: &mut impl RetireSink, progress: &dyn Progress) -> Result<RunTotals, HostError> {
        self.report_after(0, sink, progress, |_, _| {})
    }

    /// Runs the first `skip` instructions.
    fn skip(&self, machine: &mut Machine, skip: u64, progress: &dyn Progress) -> Result<(), HostError> {
        const STEP: u64 = 1 << 22;
        let bar = (skip > 0).then(|| progress.begin("skipping", "instructions", Some(skip)));
        let mut left = skip;
        while left > 0 {
            let instructions = left.min(STEP);
            let failure = |source| HostError::Machine { name: self.info().program, source };
            let limits = Limits { instructions, ..Limits::default() };
            let summary = machine.run(&mut NullSink, limits).map_err(failure)?;
            left -= instructions;
            if summary.exit != Exit::Limit || progress.stops() {
                let (name, found) = (self.info().program, summary.instructions.iter().sum::<u64>());
                let why = if progress.stops() { "was stopped" } else { "ends" };
                return Err(HostError::Other(format!(
                    "{name}: {why} after {found} instructions; --skip {skip} leaves nothing to record"
                )));
            }
            if let Some(bar) = &bar {
                bar.advance(instructions);
            }
        }
        Ok(())
    }

    /// Passes the run after the first `skip` instructions of all harts to `sink`; `begins` is called with the machine
    /// at that point.
    ///
    /// # Errors
    /// As [`Run::report_to`]. If `skip` is not 0, also a run that is shorter, and a recording.
    pub fn report_after<S: RetireSink>(
        &self,
        skip: u64,
        sink: &mut S,
        progress: &dyn Progress,
        begins: impl FnOnce(&Machine, &mut S),
    ) -> Result<RunTotals, HostError> {
        match self.input {
            Input::Program(named) => {
                let failure = |source| HostError::Machine { name: named.name.clone(), source };
                let mut machine = Machine::new(&named.program, self.settings.config(self.harts)).map_err(failure)?;
                self.skip(&mut machine, skip, progress)?;
                let before: u64 = machine.states().iter().map(|s| s.retired).sum();
                begins(&machine, sink);
                let bar = progress.begin("running", "instructions", self.settings.max_instructions);
                let mut sink = Stoppable::new(Counted::new(sink, bar), self.harts, progress);
                let ended = sink.run(|sink| machine.run(sink, self.settings.limits()));
                let stopped = ended.is_none();
                let summary = match ended {
                    Some(summary) => summary.map_err(failure)?,
                    None => {
                        let (instructions, cycles) = sink.finish(&Image::new(&named.program));
                        // with a limit of 0 it only returns what it has printed
                        let nothing = Limits { instructions: 0, cycles: 0 };
                        RunSummary { instructions, cycles, ..machine.run(&mut NullSink, nothing).map_err(failure)? }
                    }
                };
                let (faults, counted) = (sink.faults, sink.into_sink());
                let instructions = summary.instructions.iter().sum::<u64>() - if stopped { 0 } else { before };
                let (events, cycles) = (counted.events, summary.cycles);
                Ok(RunTotals { events, instructions, cycles, summary: Some(summary), stopped, faults })
            }
            Input::Recording(recording, _) if skip > 0 => Err(HostError::Other(format!(
                "{}: is a recording, which has no state of the cores after {skip} instructions; expected a program",
                recording.path().display()
            ))),
            Input::Recording(recording, _) => {
                let mut counted = Counted::new(sink, progress.begin("reading", "instructions", None));
                recording.report_to(&mut counted)?;
                let Counted { events, instructions, cycle, .. } = counted;
                Ok(RunTotals { events, instructions, cycles: cycle, summary: None, stopped: false, faults: 0 })
            }
        }
    }

    /// As [`Run::report_to`], in blocks.
    pub fn blocks(&self, out: &mut dyn FnMut(Vec<FlowEvent>), progress: &dyn Progress) -> Result<RunTotals, HostError> {
        let mut blocks = Blocks { block: Vec::with_capacity(BLOCK), out };
        let totals = self.report_to(&mut blocks, progress)?;
        blocks.flush();
        Ok(totals)
    }
}
