//! Runs a Verilated tile and reads its output: retire log, trace words, console

use super::log::{Log, LogError, Logged};
use super::top::{build, verilog, TopError};
use super::{Setup, TileKind};
use crate::records::{read_simulation, SimulationFailed, Words, CONSOLE, CONTEXT, END, RETIRED, TIME, TRAP, WORD};
use crate::soc::verilate::BuildError;
use retire::elf::Program;
use retire::file::scratch;
use retire::image::Image;
use retire::Context;
use sim::params::TraceParams;
use sim::replay::Images;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// First byte of RAM, at which the trace starts.
pub const RAM_BASE: u64 = 0x8000_0000;
/// RAM size, bytes.
pub const RAM_BYTES: u64 = 1 << 27;

/// Error of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The tile cannot be made.
    #[error("{0}")]
    Top(#[from] TopError),
    /// The tile could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The program does not fit it.
    #[error("the program is for RV{xlen}, entry 0x{entry:08x}, up to 0x{end:08x}; expected RV64, entry 0x80000000, up to 0x88000000 (RAM)")]
    Program {
        /// Register width of the program.
        xlen: u8,
        /// Entry point of the program.
        entry: u64,
        /// End of its last segment.
        end: u64,
    },
    /// The retire log is inconsistent.
    #[error("retire log: {0}")]
    Log(#[from] LogError),
    /// A file or a pipe failed.
    #[error("simulation: {0}")]
    Io(#[from] std::io::Error),
    /// The simulation failed.
    #[error(transparent)]
    SimulationFailed(#[from] SimulationFailed),
}

/// A built tile that can run programs.
#[derive(Clone, Debug)]
pub struct Tile {
    kind: TileKind,
    /// Whether contexts are traced.
    contexts: bool,
    filter: bool,
    program: PathBuf,
}

/// What runs on a tile, and for how long.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// Program in memory at the start.
    pub program: &'a Program,
    /// Programs of single contexts, which `program` loads.
    pub of: Vec<(Context, Image)>,
    /// Limit of the cycles; 0: none.
    pub max_cycles: u64,
    /// Privilege modes that are traced, bit m for mode m, if the tile has a filter.
    pub modes: u8,
    /// What the UART receives.
    pub input: Vec<u8>,
}

impl<'a> Job<'a> {
    /// One program in all contexts, all modes.
    pub fn new(program: &'a Program, max_cycles: u64) -> Self {
        Self { program, of: Vec::new(), max_cycles, modes: 0xf, input: Vec::new() }
    }
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What the cores retired, without the last instruction of each.
    pub log: Logged,
    /// Traps reported by the cores; 0 if they do not report traps.
    pub traps: u64,
    /// Cycles in which a core retired two instructions.
    pub pairs: u64,
    /// Trace words.
    pub words: Vec<u32>,
    /// Console output.
    pub console: Vec<u8>,
    /// Exit code of the program, or `None` if the cycle limit was reached first.
    pub exit_code: Option<u32>,
    /// Clock cycles in which the cores ran.
    pub cycles: u64,
    /// Run time of the simulation, seconds.
    pub seconds: f64,
}

impl Run {
    /// Instructions in the log, of all cores.
    pub fn instructions(&self) -> u64 {
        self.log.addresses.iter().map(|a| a.len() as u64).sum()
    }
}

/// End address of `program` in memory.
fn end(program: &Program) -> u64 {
    program.segments.iter().map(|s| s.addr + s.mem_size).max().unwrap_or(0)
}

impl Tile {
    /// Builds the tile below `cache`, or finds it in the cache.
    pub fn build(kind: TileKind, params: &TraceParams, setup: Setup, cache: &Path) -> Result<Self, RunError> {
        let program = build(kind, &verilog(kind, params, setup)?, cache)?;
        Ok(Self { kind, contexts: params.context.is_some(), filter: setup.filter, program })
    }

    /// Refuses a program that no tile can run.
    pub fn check_supported(program: &Program) -> Result<(), RunError> {
        let fits = program.segments.iter().all(|s| s.addr >= RAM_BASE) && end(program) <= RAM_BASE + RAM_BYTES;
        if program.xlen == 64 && program.entry == RAM_BASE && fits {
            return Ok(());
        }
        Err(RunError::Program { xlen: program.xlen, entry: program.entry, end: end(program) })
    }

    /// Runs a program until it ends, or to the limit.
    pub fn run(&self, job: &Job<'_>) -> Result<Run, RunError> {
        let program = job.program;
        Self::check_supported(program)?;
        let folder = scratch::Folder::new()?;
        let path = folder.path().join("image");
        let mut image = Vec::new();
        for s in &program.segments {
            for word in [s.addr, s.data.len() as u64] {
                image.extend(word.to_le_bytes());
            }
            image.extend(&s.data);
        }
        std::fs::write(&path, image)?;
        let input = folder.path().join("input");
        std::fs::write(&input, &job.input)?;
        let limit = if job.max_cycles == 0 { u64::MAX } else { job.max_cycles };
        let control = 1 | if self.filter { u32::from(job.modes) << 8 } else { 0 };
        let child = Command::new(&self.program)
            .arg(&path)
            .args([program.entry.to_string(), limit.to_string(), control.to_string()])
            .arg(&input)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let common = Image::new(program);
        read_simulation(child, |words| self.take(Images { common: &common, of: &job.of }, words))
    }

    fn take(&self, images: Images<'_>, source: &mut Words) -> Result<Option<Run>, RunError> {
        let mut log = Log::new(self.kind, images, self.contexts);
        let (mut words, mut console) = (Vec::new(), Vec::new());
        let (mut cycle, mut traps, mut pairs) = (0u64, 0, 0);
        let mut last = vec![u64::MAX; usize::from(self.kind.harts())];
        loop {
            let head = source.word()?;
            cycle += u64::from(head >> 8);
            let core = (head >> 4 & 15) as u8;
            match head & 15 {
                TIME => cycle += u64::from(source.word()?),
                RETIRED => {
                    let pc = source.double()?;
                    log.retired(core, cycle, pc, source.word()?)?;
                    let last = &mut last[usize::from(core)];
                    pairs += u64::from(std::mem::replace(last, cycle) == cycle);
                }
                CONTEXT => log.context(core, Context(source.word()?)),
                TRAP => {
                    log.trap(core, source.double()?);
                    traps += 1;
                }
                WORD => words.push(source.word()?),
                CONSOLE => console.push(source.word()? as u8),
                END => break,
                _ => return Ok(None),
            }
        }
        let cycles = source.double()?;
        let seconds = source.double()? as f64 / 1e6;
        let (exited, code) = (source.word()?, source.word()?);
        let log = log.finish(cycle)?;
        let exit_code = (exited != 0).then_some(code);
        Ok(Some(Run { log, traps, pairs, words, console, exit_code, cycles, seconds }))
    }
}
