//! Where events come from: a program that is run now, or a recorded run

use crate::error::Failure;
use crate::progress::Counted;
use clap::{Args, ValueEnum};
use retire::elf::Program;
use retire::file::hex;
use retire::file::rbt1::{self, Rbt1Info, Rbt1Reader};
use retire::file::retire::{RetireInfo, RetireReader};
use retire::file::FileError;
use retire::image::learned::Learner;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig, RunSummary, Timing};
use std::path::Path;

/// What built-in programs are called on the command line.
const BUILTIN: &str = "builtin:";

/// A program with the name it was given by.
#[derive(Clone, Debug)]
pub struct Named {
    /// As on the command line.
    pub name: String,
    /// Its contents.
    pub program: Program,
    /// Its build id, hex.
    pub build_id: String,
}

/// Reads an ELF file, or takes `builtin:NAME`.
pub fn program(name: &str) -> Result<Named, Failure> {
    let parsed = match name.strip_prefix(BUILTIN) {
        Some(builtin) => {
            let info = programs::find(builtin).ok_or_else(|| Failure::unknown_program(builtin))?;
            info.load()
        }
        None => {
            let data = std::fs::read(name).map_err(|e| Failure::io(Path::new(name), e))?;
            Program::parse(&data)
        }
    };
    let program = parsed.map_err(|source| Failure::Program { name: name.into(), source })?;
    Ok(Named { name: name.into(), build_id: hex(&program.build_id), program })
}

/// When instructions retire in the built-in simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimingModel {
    /// Caches and latencies of paper 000 section 2
    Papers,
    /// One cycle an instruction
    Functional,
}

/// How a program is run.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Built-in simulator")]
pub struct MachineArgs {
    /// Harts that run the program, 1 to 8 [default: 1]
    #[arg(long, value_name = "N")]
    pub harts: Option<u8>,
    /// When instructions retire [default: papers]
    #[arg(long, value_enum)]
    pub timing: Option<TimingModel>,
    /// 0: all harts start at once; else each a little late, as the number says [default: 0]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// Stop after so many instructions of all harts
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,
}

impl MachineArgs {
    /// The machine they mean.
    pub fn config(&self) -> MachineConfig {
        let timing = match self.timing {
            Some(TimingModel::Functional) => Timing::functional(),
            Some(TimingModel::Papers) | None => Timing::default(),
        };
        MachineConfig {
            harts: self.harts.unwrap_or(1),
            timing,
            seed: self.seed.unwrap_or(0),
            ..MachineConfig::default()
        }
    }

    /// The limits they mean.
    pub fn limits(&self) -> Limits {
        Limits { instructions: self.max_instructions.unwrap_or(u64::MAX), ..Limits::default() }
    }

    /// The settings in one line, for files and reports.
    pub fn describe(&self) -> String {
        let timing = if self.timing == Some(TimingModel::Functional) { "functional" } else { "papers" };
        let mut text = format!("built-in simulator, timing {timing}, seed {}", self.seed.unwrap_or(0));
        if let Some(n) = self.max_instructions {
            text.push_str(&format!(", at most {n} instructions"));
        }
        text
    }

    fn given(&self) -> Option<&'static str> {
        [
            ("--harts", self.harts.is_some()),
            ("--timing", self.timing.is_some()),
            ("--seed", self.seed.is_some()),
            ("--max-instructions", self.max_instructions.is_some()),
        ]
        .into_iter()
        .find_map(|(name, given)| given.then_some(name))
    }
}

/// What is known of a run when it has been told to its end.
#[derive(Clone, Debug)]
pub struct Told {
    /// Instructions, all harts.
    pub instructions: u64,
    /// Last cycle.
    pub cycles: u64,
}

/// A run that is over, in one of the files that record runs.
pub enum Recording {
    /// A retire file.
    Retire(RetireReader),
    /// A branch trace, and what its retire file would say of itself.
    Rbt1(Box<Rbt1Reader>, RetireInfo),
}

impl Recording {
    /// Whether the file at `path` begins as a recording does.
    pub fn is(path: &Path) -> Result<bool, Failure> {
        Ok(begins_with(path, b"GSHKRET")? || Self::is_rbt1(path)?)
    }

    fn is_rbt1(path: &Path) -> Result<bool, Failure> {
        Ok(begins_with(path, &rbt1::MAGIC)? || begins_with(path, &rbt1::ZSTD_MAGIC)?)
    }

    /// Opens it; a branch trace is read once for what only its end tells.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if !Self::is_rbt1(path)? {
            return Ok(Self::Retire(RetireReader::open(path)?));
        }
        let found = Rbt1Info::scan(path)?;
        if found.threads.is_empty() {
            return Err(Failure::Other(format!("{}: holds no record", path.display())));
        }
        let threads: Vec<String> = found.threads.iter().map(u16::to_string).collect();
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let info = RetireInfo {
            tool: crate::output::TOOL.into(),
            harts: threads.len() as u8,
            xlen: found.xlen,
            build_id: found.build_id(),
            program: name,
            source: format!("{} records of rbt1, threads {}", found.records, threads.join(", ")),
        };
        Ok(Self::Rbt1(Box::new(Rbt1Reader::open(path)?), info))
    }

    /// What its retire file says, or would say.
    pub fn info(&self) -> &RetireInfo {
        match self {
            Self::Retire(reader) => reader.info(),
            Self::Rbt1(_, info) => info,
        }
    }

    /// The next event, or `None` at the end.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<FlowEvent>, FileError> {
        match self {
            Self::Retire(reader) => reader.next_event(),
            Self::Rbt1(reader, _) => reader.next_event(),
        }
    }

    /// What replay needs of the program, learned from the recording at `path`.
    pub fn image(mut self, path: &Path) -> Result<Image, Failure> {
        let mut learner = Learner::new();
        while let Some(e) = self.next_event()? {
            learner.event(&e);
        }
        learner.finish().map_err(|e| Failure::Other(format!("{}: {e}", path.display())))
    }
}

/// A run: one to be made, or a recorded one.
pub enum Source {
    /// A program for the built-in simulator.
    Run(Box<Named>, MachineArgs),
    /// A recorded one.
    File(Box<Recording>),
}

impl Source {
    /// Tells a recording from a program by its first bytes.
    pub fn open(input: &str, machine: &MachineArgs) -> Result<Self, Failure> {
        if is_recording(input)? {
            if let Some(option) = machine.given() {
                return Err(Failure::Other(format!(
                    "{input}: is a retire file, a run that is over; {option} is for programs"
                )));
            }
            return Ok(Self::File(Box::new(Recording::open(Path::new(input))?)));
        }
        let named = program(input)?;
        machine.config().check().map_err(|source| Failure::Machine { name: input.into(), source })?;
        Ok(Self::Run(Box::new(named), machine.clone()))
    }

    /// What a retire file of this run says.
    pub fn info(&self) -> RetireInfo {
        match self {
            Self::Run(named, machine) => RetireInfo {
                tool: crate::output::TOOL.into(),
                harts: machine.config().harts,
                xlen: named.program.xlen,
                build_id: named.build_id.clone(),
                program: named.name.clone(),
                source: machine.describe(),
            },
            Self::File(reader) => reader.info().clone(),
        }
    }

    /// Tells the whole run to `sink`.
    pub fn tell(self, sink: &mut impl RetireSink) -> Result<Told, Failure> {
        match self {
            Self::Run(named, machine) => {
                let summary = execute(&named, &machine, sink)?;
                Ok(Told { instructions: summary.instructions.iter().sum(), cycles: summary.cycles })
            }
            Self::File(mut reader) => {
                let mut counted = Counted::new(sink, "reading", None);
                while let Some(event) = reader.next_event()? {
                    counted.event(&event);
                }
                counted.finish();
                Ok(Told { instructions: counted.instructions, cycles: counted.cycle })
            }
        }
    }
}

/// Runs a program.
pub fn execute(named: &Named, args: &MachineArgs, sink: &mut impl RetireSink) -> Result<RunSummary, Failure> {
    let failure = |source| Failure::Machine { name: named.name.clone(), source };
    let mut machine = Machine::new(&named.program, args.config()).map_err(failure)?;
    let mut counted = Counted::new(sink, "running", args.max_instructions);
    let summary = machine.run(&mut counted, args.limits()).map_err(failure)?;
    counted.finish();
    Ok(summary)
}

/// Whether the file at `path` begins with `magic`.
pub fn begins_with(path: &Path, magic: &[u8]) -> Result<bool, Failure> {
    use std::io::Read;
    let mut head = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| Failure::io(path, e))?;
    file.take(magic.len() as u64).read_to_end(&mut head).map_err(|e| Failure::io(path, e))?;
    Ok(head == magic)
}

/// Whether `input` names a recording, not a program.
pub fn is_recording(input: &str) -> Result<bool, Failure> {
    Ok(!input.starts_with(BUILTIN) && Recording::is(Path::new(input))?)
}

/// Refuses an ELF that is not the one a recording is of, and names both.
pub fn check_build_id(recording: &str, of: &str, build_id: &str, name: &str, found: &str) -> Result<(), Failure> {
    if build_id.is_empty() || build_id == found {
        return Ok(());
    }
    Err(Failure::Other(format!("{recording}: is of {of} with build id {build_id}, but {name} has build id {found}")))
}
