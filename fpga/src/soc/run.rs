//! Runs a Verilated SoC and takes in what it does: retire log, trace words, console

use super::data::{BusAccess, DataLog};
use super::frame::{Deframer, Item, LineStats};
use super::image::{self, ImageError};
use super::log::{Log, LogError};
use super::ring::{halves, Half, RingError};
use super::top::{Output, Purpose, SocConfig};
use super::verilate::{build, BuildError};
use crate::records::{hear, Ended, Words, CONSOLE, END, RETIRED, TIME, TRAP, WORD};
use retire::elf::Program;
use retire::file::scratch;
use retire::FlowEvent;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The SoC could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The program does not fit it.
    #[error("{0}")]
    Image(#[from] ImageError),
    /// The log makes no sense.
    #[error("retire log: {0}")]
    Log(#[from] LogError),
    /// The trace buffer's words make no sense.
    #[error("trace buffer: {0}")]
    Ring(#[from] RingError),
    /// Files and pipes.
    #[error("simulation: {0}")]
    Io(#[from] std::io::Error),
    /// The simulation gave up.
    #[error(transparent)]
    Ended(#[from] Ended),
}

/// A SoC that is ready to run programs.
#[derive(Clone, Debug)]
pub struct Soc {
    config: SocConfig,
    program: PathBuf,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Run {
    /// Events of the retire log, in global commit order.
    pub events: Vec<FlowEvent>,
    /// What the cores did with its data, of a SoC that records or traces load values.
    pub data: Option<DataLog>,
    /// Instructions by core.
    pub instructions: Vec<u64>,
    /// Trace words, as they were read from the trace port; of a SoC with a trace buffer, those of its newer half.
    pub words: Vec<u32>,
    /// Words of load values, of a SoC that traces them; `words` are those of the control flow then.
    pub values: Vec<u32>,
    /// Halves of the trace buffer, older first; none without one.
    pub halves: Option<[Half; 2]>,
    /// Bytes of the serial line, where the SoC has one; then the words are those of its frames.
    pub line: Vec<u8>,
    /// What the line brought.
    pub line_stats: LineStats,
    /// What the program printed; on a serial line, what came of it.
    pub console: Vec<u8>,
    /// Exit code of the program, or `None` when the cycle limit came first.
    pub exit_code: Option<u32>,
    /// Clock cycles in which the cores ran.
    pub cycles: u64,
    /// Stores of all cores, devices included.
    pub stores: u64,
    /// Hash over cycle, core, address, data and bytes of every store.
    pub stores_hash: u64,
    /// Clock cycles simulated, start and drain of the trace included.
    pub clocks: u64,
    /// Seconds of simulation.
    pub seconds: f64,
}

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Stop the cores after so many clock cycles; 0: no limit.
    pub max_cycles: u64,
    /// What `mtime` begins with.
    pub mtime: u64,
    /// Write every signal to this file; the SoC must have been built with `vcd`.
    pub vcd: Option<PathBuf>,
    /// Put a link to a pseudo-terminal here, which is on the SoC's serial line both ways while it runs.
    pub serial: Option<PathBuf>,
}

const LINE: u32 = 6;
const REGISTER: u32 = 7;
const ACCESS: u32 = 8;
const BEGINS: u32 = 9;
const VALUE: u32 = 10;

impl Soc {
    /// Builds it, or finds it built, below `cache`.
    pub fn build(config: &SocConfig, vcd: bool, cache: &Path) -> Result<Self, BuildError> {
        Self::build_edited(config, vcd, cache, |verilog| verilog)
    }

    /// As [`Soc::build`], of Verilog that was changed: for faults that are to be found.
    pub fn build_edited(
        config: &SocConfig,
        vcd: bool,
        cache: &Path,
        edit: impl FnOnce(String) -> String,
    ) -> Result<Self, BuildError> {
        let verilog = edit(config.verilog(Purpose::Simulation).map_err(BuildError::Soc)?);
        Ok(Self { config: config.clone(), program: build(config, &verilog, vcd, cache)? })
    }

    /// What it is made of.
    pub fn config(&self) -> &SocConfig {
        &self.config
    }

    /// Runs `program`; `progress` is told the cycle now and then.
    pub fn run(&self, program: &Program, options: &RunOptions, mut progress: impl FnMut(u64)) -> Result<Run, RunError> {
        image::suits(program, self.config.core)?;
        let hex = image::hex(program, self.config.ram_bytes())?;
        let folder = scratch::Folder::new()?;
        let image = folder.path().join("image.hex");
        std::fs::write(&image, hex)?;
        let limit = if options.max_cycles == 0 { u64::MAX } else { options.max_cycles };
        let mut command = Command::new(&self.program);
        command
            .arg(format!("+image={}", image.display()))
            .arg(format!("+mtime={}", options.mtime))
            .arg(limit.to_string());
        match (&options.vcd, &options.serial) {
            (vcd, Some(link)) => command.arg(vcd.clone().unwrap_or_else(|| "-".into())).arg(link),
            (vcd, None) => command.args(vcd),
        };
        if let Some(link) = &options.serial {
            // a link that an earlier run left; a file or folder stays, and the simulation refuses it
            if std::fs::symlink_metadata(link).is_ok_and(|m| m.is_symlink()) {
                std::fs::remove_file(link)?;
            }
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let run = hear(child, |words| self.take(program, words, &mut progress));
        if let Some(link) = &options.serial {
            let _ = std::fs::remove_file(link);
        }
        run
    }

    fn take(
        &self,
        program: &Program,
        source: &mut Words,
        progress: &mut impl FnMut(u64),
    ) -> Result<Option<Run>, RunError> {
        let mut log = Log::new(program, self.config.cores);
        let mut data = self.config.shows_data().then(|| DataLog::new(program, self.config.cores));
        let (mut words, mut values, mut console, mut line) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut cycle, mut told) = (0u64, 0u64);
        loop {
            let head = source.word()?;
            cycle += u64::from(head >> 8);
            if cycle - told >= 1 << 16 {
                told = cycle;
                progress(cycle);
            }
            let core = (head >> 4 & 15) as u8;
            match head & 15 {
                TIME => cycle += u64::from(source.word()?),
                RETIRED => {
                    let (pc, npc) = (source.word()?, source.word()?);
                    log.retired(core, cycle, pc, npc)?;
                    data.iter_mut().try_for_each(|d| d.retired(core, cycle, pc, npc))?;
                }
                TRAP => {
                    let (mepc, cause) = (source.word()?, source.word()?);
                    log.trap(core, mepc, cause);
                    data.iter_mut().for_each(|d| d.trap(core, cycle, cause));
                }
                REGISTER => {
                    let (rd, value) = (source.word()?, source.word()?);
                    data.iter_mut().for_each(|d| d.register(core, rd, value));
                }
                ACCESS => {
                    let (addr, value, strobes) = (source.word()?, source.word()?, source.word()? as u8);
                    // told a cycle later, when what was read is there
                    let access = BusAccess { cycle: cycle.saturating_sub(1), core, addr, data: value, strobes };
                    data.iter_mut().for_each(|d| d.access(access));
                }
                BEGINS => data.iter_mut().for_each(|d| d.begins(cycle)),
                WORD => words.push(source.word()?),
                VALUE => values.push(source.word()?),
                CONSOLE => console.push(source.word()? as u8),
                LINE => line.push(source.word()? as u8),
                END => break,
                _ => return Ok(None),
            }
        }
        let (cycles, clocks) = (source.double()?, source.double()?);
        let _retired = source.double()?;
        let (stores, stores_hash) = (source.double()?, source.double()?);
        let seconds = source.double()? as f64 / 1e6;
        let (exited, code) = (source.word()?, source.word()?);
        let (events, instructions) = log.finish(cycles)?;
        let exit_code = (exited != 0).then_some(code);
        let mut line_stats = LineStats::default();
        if let Output::Uart { .. } = self.config.output {
            let (mut deframer, mut items) = (Deframer::default(), Vec::new());
            deframer.push(&line, &mut items);
            line_stats = deframer.finish(&mut items);
            console.clear();
            for item in items {
                match item {
                    Item::Words(w) => words.extend(w),
                    Item::Console(c) => console.extend(c),
                    Item::End(_) | Item::Lost(_) | Item::Answer { .. } => {}
                }
            }
        }
        let halves = self.config.buffer.is_some().then(|| halves(&words)).transpose()?;
        if let Some([_, newer]) = &halves {
            words.clone_from(&newer.words);
        }
        if self.config.values.is_some() && !self.config.has_value_port() {
            std::mem::swap(&mut words, &mut values);
        }
        Ok(Some(Run {
            events,
            data,
            instructions,
            words,
            values,
            halves,
            line,
            line_stats,
            console,
            exit_code,
            cycles,
            stores,
            stores_hash,
            clocks,
            seconds,
        }))
    }
}
