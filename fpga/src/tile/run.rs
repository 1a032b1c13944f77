//! Runs a Verilated tile and takes in what it does: retire log, trace words, console

use super::log::{Log, LogError};
use super::top::{build, verilog, TopError};
use super::TileKind;
use crate::soc::verilate::BuildError;
use retire::elf::Program;
use retire::image::Image;
use retire::FlowEvent;
use sim::params::TraceParams;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// First byte of RAM; what is traced begins there.
pub const RAM_BASE: u64 = 0x8000_0000;
/// RAM, bytes.
pub const RAM_BYTES: u64 = 1 << 24;

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// There is no such tile.
    #[error("{0}")]
    Top(#[from] TopError),
    /// It could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The program does not fit it.
    #[error("the program is for RV{xlen}, entry 0x{entry:08x}, up to 0x{end:08x}; right is RV64, entry 0x80000000, up to 0x81000000 (RAM)")]
    Program {
        /// Its width.
        xlen: u8,
        /// Its entry.
        entry: u64,
        /// Where its last segment ends.
        end: u64,
    },
    /// The log makes no sense.
    #[error("retire log: {0}")]
    Log(#[from] LogError),
    /// Files and pipes.
    #[error("simulation: {0}")]
    Io(#[from] std::io::Error),
    /// The simulation gave up.
    #[error("the simulation ended with {status}: {said}")]
    Ended {
        /// Exit status.
        status: String,
        /// What it printed.
        said: String,
    },
}

/// A tile that is ready to run programs.
#[derive(Clone, Debug)]
pub struct Tile {
    kind: TileKind,
    program: PathBuf,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Run {
    /// Events of the retire log, in commit order.
    pub events: Vec<FlowEvent>,
    /// Addresses that each core retired, but the last one of each.
    pub addresses: Vec<Vec<u64>>,
    /// Traps that the cores told; 0 of those that tell none.
    pub traps: u64,
    /// Clocks in which a core retired two instructions.
    pub pairs: u64,
    /// Trace words.
    pub words: Vec<u32>,
    /// What the program printed.
    pub console: Vec<u8>,
    /// Exit code of the program, or `None` when the cycle limit came first.
    pub exit_code: Option<u32>,
    /// Clock cycles in which the cores ran.
    pub cycles: u64,
    /// Seconds of simulation.
    pub seconds: f64,
}

impl Run {
    /// Instructions in the log, of all cores.
    pub fn instructions(&self) -> u64 {
        self.addresses.iter().map(|a| a.len() as u64).sum()
    }
}

const TIME: u32 = 0;
const RETIRED: u32 = 1;
const TRAP: u32 = 2;
const WORD: u32 = 3;
const CONSOLE: u32 = 4;
const END: u32 = 5;

/// Where the last byte of `program` in memory ends.
fn end(program: &Program) -> u64 {
    program.segments.iter().map(|s| s.addr + s.mem_size).max().unwrap_or(0)
}

impl Tile {
    /// Builds it below `cache`, or finds it built.
    pub fn build(kind: TileKind, params: &TraceParams, log2_fifo: u8, cache: &Path) -> Result<Self, RunError> {
        let program = build(kind, &verilog(kind, params, log2_fifo)?, cache)?;
        Ok(Self { kind, program })
    }

    /// Refuses a program that no tile can run.
    pub fn suits(program: &Program) -> Result<(), RunError> {
        let fits = program.segments.iter().all(|s| s.addr >= RAM_BASE) && end(program) <= RAM_BASE + RAM_BYTES;
        if program.xlen == 64 && program.entry == RAM_BASE && fits {
            return Ok(());
        }
        Err(RunError::Program { xlen: program.xlen, entry: program.entry, end: end(program) })
    }

    /// Runs `program` until it ends, or for `max_cycles` clocks; 0: no limit.
    pub fn run(&self, program: &Program, max_cycles: u64) -> Result<Run, RunError> {
        Self::suits(program)?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("image");
        let mut image = Vec::new();
        for s in &program.segments {
            for word in [s.addr, s.data.len() as u64] {
                image.extend(word.to_le_bytes());
            }
            image.extend(&s.data);
        }
        std::fs::write(&path, image)?;
        let limit = if max_cycles == 0 { u64::MAX } else { max_cycles };
        let mut child = Command::new(&self.program)
            .arg(&path)
            .args([program.entry.to_string(), limit.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let lost = || std::io::Error::other("the simulation has no pipes");
        let mut source = BufReader::with_capacity(1 << 18, child.stdout.take().ok_or_else(lost)?);
        let taken = self.take(&Image::new(program), &mut source);
        // whoever stops reading must not leave the program waiting
        drop(source);
        let mut said = String::new();
        child.stderr.take().ok_or_else(lost)?.read_to_string(&mut said)?;
        let status = child.wait()?;
        match taken {
            Err(RunError::Io(_)) | Ok(None) => {
                Err(RunError::Ended { status: status.to_string(), said: said.trim().into() })
            }
            Err(e) => Err(e),
            Ok(Some(run)) => Ok(run),
        }
    }

    fn take(&self, image: &Image, source: &mut impl Read) -> Result<Option<Run>, RunError> {
        let mut word = || -> std::io::Result<u32> {
            let mut b = [0; 4];
            source.read_exact(&mut b)?;
            Ok(u32::from_le_bytes(b))
        };
        let double = |word: &mut dyn FnMut() -> std::io::Result<u32>| -> std::io::Result<u64> {
            Ok(u64::from(word()?) | u64::from(word()?) << 32)
        };
        let mut log = Log::new(self.kind, image);
        let (mut words, mut console) = (Vec::new(), Vec::new());
        let (mut cycle, mut traps, mut pairs) = (0u64, 0, 0);
        let mut last = vec![u64::MAX; usize::from(self.kind.harts())];
        loop {
            let head = word()?;
            cycle += u64::from(head >> 8);
            let core = (head >> 4 & 15) as u8;
            match head & 15 {
                TIME => cycle += u64::from(word()?),
                RETIRED => {
                    let pc = double(&mut word)?;
                    log.retired(core, cycle, pc, word()?)?;
                    let last = &mut last[usize::from(core)];
                    pairs += u64::from(std::mem::replace(last, cycle) == cycle);
                }
                TRAP => {
                    log.trap(core, double(&mut word)?);
                    traps += 1;
                }
                WORD => words.push(word()?),
                CONSOLE => console.push(word()? as u8),
                END => break,
                _ => return Ok(None),
            }
        }
        let cycles = double(&mut word)?;
        let seconds = double(&mut word)? as f64 / 1e6;
        let (exited, code) = (word()?, word()?);
        let (events, addresses) = log.finish(cycle)?;
        let exit_code = (exited != 0).then_some(code);
        Ok(Some(Run { events, addresses, traps, pairs, words, console, exit_code, cycles, seconds }))
    }
}
