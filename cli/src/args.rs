//! Arguments shared by several commands: inputs, and settings for running programs

use self::memory::MemoryArgs;
use crate::error::Failure;
use crate::files::input_name;
use crate::output::Object;
use crate::progress::Bars;
use clap::builder::RangedI64ValueParser;
use clap::{Args, ValueEnum};
use host::input::{Input, InputOptions, Named, BUILTIN};
use host::machine::{Settings, TimingModel, TimingOptions};
use host::recording::FileKind;
use host::run::Run;
use host::symbols::Symbols;
use host::text::number;
use host::views::source::Replayed;
use retire::Context;
use sim::core_trace::SyncPeriod;
use sim::params::ParamError;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub mod contexts;
#[cfg(feature = "hardware")]
mod core;
mod listed;
pub mod memory;
pub mod recorded;
pub mod section;
pub mod seeds;
pub mod tasks;
pub use crate::options::ParamArgs;
#[cfg(feature = "hardware")]
pub use core::CoreName;
pub use listed::{check_core, FilterArgs};

/// When instructions retire in the built-in simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingName {
    /// Caches and latencies of the mcfTRaptor paper (JSA 2015), section 2
    Papers,
    /// One cycle per instruction
    Functional,
}

impl From<TimingName> for TimingModel {
    fn from(name: TimingName) -> Self {
        match name {
            TimingName::Papers => Self::Papers,
            TimingName::Functional => Self::Functional,
        }
    }
}

/// A trace or a recorded run, and its program.
#[derive(Args, Debug)]
pub struct Execution {
    /// Trace file, raw trace words, recorded run (`encode --scheme inputs`), retire file or branch trace (rbt1)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Program of the trace or recording: executable, or builtin:NAME. If it is not for RISC-V, the file must contain the code that ran, as
    /// those of `capture` do
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    pub elf: String,
    /// Accept a program with another build ID than the trace or recording names
    #[arg(long)]
    pub any_build: bool,
    /// Parameters of raw trace words, as `gen` writes them [default: parameters.json in the directory of the words]
    #[arg(long, value_name = "FILE")]
    pub parameters: Option<PathBuf>,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

impl Execution {
    /// Options of the program, such as whether its build must be that of the trace.
    pub fn input_options(&self) -> InputOptions<'_> {
        InputOptions {
            elf: Some(&self.elf),
            any_build: self.any_build,
            parameters: self.parameters.as_deref(),
            changes: self.memory.changes(),
            ..InputOptions::default()
        }
    }

    /// The symbols of the program, and the functions that side files name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn symbols(&self) -> Result<Symbols, Failure> {
        self.memory.symbols(&self.elf)
    }

    /// Opens the trace and the program, with the programs of contexts.
    pub fn open_with(&self, contexts: &[(Context, String)]) -> Result<(Replayed, Named), Failure> {
        let options = InputOptions { contexts, ..self.input_options() };
        Ok(Replayed::open(&self.trace, &self.elf, options, &Bars)?)
    }

    /// The first members of the JSON object of `command`.
    pub fn object(&self, command: &str) -> Object {
        Object::new(command, &self.trace.display().to_string()).with("program", self.elf.clone().into())
    }
}

/// Parses a number of instructions: 1000000 or 1M.
pub fn instructions(text: &str) -> Result<u64, String> {
    let (digits, scale) = match text.char_indices().last() {
        Some((at, 'k')) => (&text[..at], 1_000),
        Some((at, 'M')) => (&text[..at], 1_000_000),
        Some((at, 'G')) => (&text[..at], 1_000_000_000),
        _ => (text, 1),
    };
    number(digits)
        .and_then(|n| n.checked_mul(scale))
        .ok_or_else(|| "expected a number of instructions, as 1000000, 1000k or 1M".into())
}

/// Parses a moment, or the number of an instruction or cycle, as results print it: 15606 or 15,606.
pub fn counted(text: &str) -> Result<u64, String> {
    number(text).ok_or_else(|| "expected a number".into())
}

/// How a program is run.
#[derive(Args, Clone, Debug, Default)]
pub struct MachineArgs {
    /// Number of harts that run the program, 1 to 8. Not with a recording [default: 1]
    #[arg(help_heading = "Built-in simulator", long, value_name = "N", value_parser = within(&HARTS))]
    pub harts: Option<u8>,
    /// Timing model of the harts [default: papers]
    #[arg(help_heading = "Built-in simulator", long, value_enum)]
    pub timing: Option<TimingName>,
    /// Cache sizes in bytes and latencies in cycles that differ from those of the papers: such as
    /// l1_bytes=16384,memory_latency=100. Names: l1_bytes, l1_ways, l1_latency, l2_bytes_per_hart, l2_ways, l2_latency,
    /// memory_latency, line_bytes, redirect, mul, div. Only with `--timing papers`
    #[arg(help_heading = "Built-in simulator", long, value_name = "NAME=N,...")]
    pub caches: Option<TimingOptions>,
    /// Seed of the random start delays of the harts; 0 starts all harts at once [default: 0]
    #[arg(help_heading = "Built-in simulator", long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Instruction limit, of all harts together, such as 1000000 or 1M [default: none]
    #[arg(help_heading = "Built-in simulator", long, value_name = "N", value_parser = instructions)]
    pub max_instructions: Option<u64>,
}

impl MachineArgs {
    /// The settings for running a program.
    pub fn settings(&self) -> Settings {
        Settings {
            timing: self.timing.map_or_else(TimingModel::default, Into::into),
            caches: self.caches.unwrap_or_default(),
            seed: self.seed.unwrap_or(0),
            max_instructions: self.max_instructions,
            ..Settings::default()
        }
    }

    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            ("--harts", self.harts.is_some()),
            ("--timing", self.timing.is_some()),
            ("--caches", self.caches.is_some()),
            ("--seed", self.seed.is_some()),
            ("--max-instructions", self.max_instructions.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }

    /// Refuses settings of the simulator where all traces are recordings. They can be limited.
    ///
    /// # Errors
    /// The option, and the first recording.
    pub fn refuse_for_recordings<'a>(&self, traces: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
        let Some(option) = (Self { max_instructions: None, ..self.clone() }).given() else { return Ok(()) };
        refuse_if_all_recorded(traces, option)
    }
}

/// Refuses an option of the simulator if no trace is a program.
///
/// # Errors
/// The option, and the first recording.
pub fn refuse_if_all_recorded<'a>(traces: impl Iterator<Item = &'a String>, option: &str) -> Result<(), Failure> {
    let mut recording = None;
    for name in traces {
        if name.starts_with(BUILTIN) || FileKind::of(Path::new(name))? == FileKind::Other {
            return Ok(());
        }
        recording = recording.or(Some(name));
    }
    recording.map_or(Ok(()), |name| Err(is_over(name, option)))
}

/// A setting of the simulator with a recording.
fn is_over(name: &str, option: &str) -> Failure {
    Failure::Other(format!("{name}: is a recording of a finished run; `{option}` is for programs"))
}

/// The program of a recording or a trace.
#[derive(Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    pub elf: Option<String>,
    /// Accept a program with another build ID than the trace or recording names
    #[arg(long)]
    pub any_build: bool,
}

impl ProgramArgs {
    /// Options of the program for the library.
    pub fn input_options(&self) -> InputOptions<'_> {
        InputOptions { elf: self.elf.as_deref(), any_build: self.any_build, ..InputOptions::default() }
    }
}

/// Most bytes of what a program reads.
const MAX_CONSOLE: u64 = 1 << 30;

/// What a program reads, and where it cannot write.
#[derive(Args, Clone, Debug, Default)]
pub struct PlatformArgs {
    /// File with what the program reads from the UART and by calls to its host; /dev/stdin takes it from a pipe, or from the
    /// terminal up to Ctrl-D [default: nothing]
    #[arg(help_heading = "Built-in simulator", long = "input", value_name = "FILE")]
    console: Option<PathBuf>,
    /// Refuse stores to segments of the program that have no write permission, such as code and constants: a store
    /// fault, cause 7. By default, all memory can be written
    #[arg(help_heading = "Built-in simulator", long)]
    read_only: bool,
}

/// A platform with the input that was read.
pub struct Platform {
    console: Option<Arc<[u8]>>,
    read_only: bool,
}

impl PlatformArgs {
    /// Reads the input.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(&self) -> Result<Platform, Failure> {
        let read = |path: &PathBuf| retire::file::input::read(path, MAX_CONSOLE, "input of a program").map(Into::into);
        Ok(Platform { console: self.console.as_ref().map(read).transpose()?, read_only: self.read_only })
    }
}

/// An input from the command line.
pub struct Source {
    /// The input.
    pub input: Input,
    settings: Settings,
    harts: u8,
}

impl Source {
    /// Opens the input; settings of the simulator are only allowed for programs.
    pub fn open(name: &str, program: &ProgramArgs, machine: &MachineArgs) -> Result<Self, Failure> {
        Self::open_with(name, program.input_options(), machine)
    }

    /// As [`Source::open`], with all options of the program.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn open_with(name: &str, options: InputOptions<'_>, machine: &MachineArgs) -> Result<Self, Failure> {
        let input = Input::open_with(name, options)?;
        if let Some(option) = machine.given().filter(|_| input.is_recording()) {
            return Err(is_over(name, option));
        }
        let source = Self { input, settings: machine.settings(), harts: machine.harts.unwrap_or(1) };
        source.run()?;
        Ok(source)
    }

    /// Runs a program on this platform.
    ///
    /// # Errors
    /// It is a recording, or no segment of the program is without write permission.
    pub fn set_platform(&mut self, platform: &Platform, name: &str) -> Result<(), Failure> {
        let given = [("--input", platform.console.is_some()), ("--read-only", platform.read_only)];
        let Some((option, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
        let Input::Program(named) = &self.input else { return Err(is_over(name, option)) };
        if platform.read_only && named.program.segments.iter().all(|s| s.writable) {
            return Err(Failure::Other(format!(
                "{name}: `--read-only`: all segments have write permission; expected code in a separate segment (PHDRS in the linker \
                 script)"
            )));
        }
        self.settings.input = platform.console.clone().unwrap_or_default();
        self.settings.read_only = platform.read_only;
        Ok(())
    }

    /// Limits a program to this many instructions, unless a lower limit is set.
    #[cfg(feature = "hardware")]
    pub fn limit(&mut self, instructions: u64) {
        let most = self.settings.max_instructions.unwrap_or(instructions);
        self.settings.max_instructions = Some(most.min(instructions));
    }

    /// The run of the input.
    pub fn run(&self) -> Result<Run<'_>, Failure> {
        Ok(self.input.run(self.harts, &self.settings)?)
    }
}

/// How often a decoder can begin.
#[derive(Args, Clone, Debug, Default)]
pub struct SyncArgs {
    /// Synchronisation period: 2^N instructions of core 0 (N is 10 to 31), or bytes of the trace (64B to 2147483648B). Each period
    /// starts with a header and a sync of every core, from which a decoder can begin [default: none]
    #[arg(help_heading = "Trace parameters", long, value_name = "N|NB", value_parser = sync_period)]
    pub sync_period: Option<SyncPeriod>,
}

impl SyncArgs {
    /// The synchronisation period, from the option or the scheme's name.
    ///
    /// # Errors
    /// Both give it.
    pub fn period(&self, named: Option<SyncPeriod>) -> Result<Option<SyncPeriod>, Failure> {
        match (self.sync_period, named) {
            (Some(_), Some(_)) => {
                Err(Failure::Other("`--sync-period`: the scheme's name already has a synchronisation period".into()))
            }
            (given, named) => Ok(given.or(named)),
        }
    }

    /// Refuses the option for a scheme without control flow.
    ///
    /// # Errors
    /// The option was given.
    pub fn refuse(&self) -> Result<(), Failure> {
        match self.sync_period {
            Some(_) => Err(Failure::Other("`--sync-period`: only with a scheme that traces the control flow".into())),
            None => Ok(()),
        }
    }
}

fn sync_period(text: &str) -> Result<SyncPeriod, String> {
    let right = || "expected 10 to 31, or a power of two from 64B to 2147483648B".to_string();
    if let Some(bytes) = text.strip_suffix('B') {
        let bytes = bytes.parse::<u32>().ok().filter(|n| n.is_power_of_two()).ok_or_else(right)?;
        return SyncPeriod::of_bytes(bytes.trailing_zeros() as u8).map_err(|_| right());
    }
    let log2 = text.parse().map_err(|_| right())?;
    SyncPeriod::new(log2).map_err(|_| right())
}

/// Harts of the built-in simulator.
pub const HARTS: RangeInclusive<u8> = 1..=8;

/// The parser of a number of that range.
pub fn within(range: &RangeInclusive<u8>) -> RangedI64ValueParser<u8> {
    RangedI64ValueParser::new().range(i64::from(*range.start())..=i64::from(*range.end()))
}

/// A range in the words of help texts.
#[cfg(feature = "hardware")]
pub fn range(range: &RangeInclusive<u8>) -> String {
    format!("{} to {}", range.start(), range.end())
}

/// Refuses a number of cores that no trace system supports, before anything is run.
pub fn check_cores(cores: u8) -> Result<(), ParamError> {
    if (1..=16).contains(&cores) {
        Ok(())
    } else {
        Err(ParamError::Range { field: "cores", value: cores.into(), right: "1 to 16" })
    }
}

#[cfg(test)]
mod tests {
    use super::instructions;

    #[test]
    fn instructions_may_have_a_unit() {
        for (text, wanted) in [("0", 0), ("1000", 1000), ("10k", 10_000), ("2M", 2_000_000), ("1G", 1_000_000_000)] {
            assert_eq!(instructions(text), Ok(wanted), "{text}");
        }
        for bad in ["", "M", "1m", "-1", "1MM", "99999999999G", "1.5M"] {
            assert!(instructions(bad).is_err(), "{bad}");
        }
    }
}
