//! Runs a Verilated SoC and reads its output: retire log, trace words, console

use super::data::{BusAccess, DataLog};
use super::frame::{Deframer, Item, LineStats};
use super::image::{self, ImageError};
use super::log::{Log, LogError};
use super::ring::{halves, Half, RingError};
use super::top::{Output, Purpose, SocConfig};
use super::verilate::{build, BuildError};
use crate::records::{read_simulation, SimulationFailed, Words, CONSOLE, END, RETIRED, TIME, TRAP, WORD};
use retire::elf::Program;
use retire::file::scratch;
use retire::FlowEvent;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Error of a run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The SoC could not be built.
    #[error("{0}")]
    Build(#[from] BuildError),
    /// The SoC cannot run the program.
    #[error("{0}")]
    Image(#[from] ImageError),
    /// The retire log is inconsistent.
    #[error("retire log: {0}")]
    Log(#[from] LogError),
    /// The words of the trace buffer are invalid.
    #[error("trace buffer: {0}")]
    Ring(#[from] RingError),
    /// A file or a pipe failed.
    #[error("simulation: {0}")]
    Io(#[from] std::io::Error),
    /// The simulation failed.
    #[error(transparent)]
    SimulationFailed(#[from] SimulationFailed),
}

/// A built SoC that can run programs.
#[derive(Clone, Debug)]
pub struct Soc {
    config: SocConfig,
    program: PathBuf,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Events of the retire log, in global commit order.
    pub events: Vec<FlowEvent>,
    /// The log with data, for a SoC that records or traces load values.
    pub data: Option<DataLog>,
    /// Instructions by core.
    pub instructions: Vec<u64>,
    /// Words from the trace port; for a SoC with a trace buffer, those of its newer half.
    pub words: Vec<u32>,
    /// Load-value words, for a SoC that traces load values; `words` are then those of the control flow.
    pub values: Vec<u32>,
    /// Halves of the trace buffer, older first; `None` without a buffer.
    pub halves: Option<[Half; 2]>,
    /// Bytes of the serial line, if the SoC has one; `words` then come from its frames.
    pub line: Vec<u8>,
    /// Statistics of the serial line.
    pub line_stats: LineStats,
    /// Console output; on a serial line, the part that was received.
    pub console: Vec<u8>,
    /// Exit code of the program, or `None` if the cycle limit was reached first.
    pub exit_code: Option<u32>,
    /// Clock cycles in which the cores ran.
    pub cycles: u64,
    /// Stores of all cores, devices included.
    pub stores: u64,
    /// Hash over cycle, core, address, data and bytes of every store.
    pub stores_hash: u64,
    /// Clock cycles simulated, including start and drain of the trace.
    pub clocks: u64,
    /// Run time of the simulation, seconds.
    pub seconds: f64,
}

/// Options of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Stop the cores after this many clock cycles; 0: no limit.
    pub max_cycles: u64,
    /// Initial value of `mtime`.
    pub mtime: u64,
    /// VCD file for all signals; the SoC must have been built with `vcd`.
    pub vcd: Option<PathBuf>,
    /// Path of a link to a pseudo-terminal, which is connected to the SoC's serial line in both directions during the
    /// run.
    pub serial: Option<PathBuf>,
}

const LINE: u32 = 6;
const REGISTER: u32 = 7;
const ACCESS: u32 = 8;
const RECORDING_STARTS: u32 = 9;
const VALUE: u32 = 10;

impl Soc {
    /// Builds it below `cache`, or finds it in the cache.
    pub fn build(config: &SocConfig, vcd: bool, cache: &Path) -> Result<Self, BuildError> {
        Self::build_edited(config, vcd, cache, |verilog| verilog)
    }

    /// [`Soc::build`] with edited Verilog, to test whether faults are detected.
    pub fn build_edited(
        config: &SocConfig,
        vcd: bool,
        cache: &Path,
        edit: impl FnOnce(String) -> String,
    ) -> Result<Self, BuildError> {
        let verilog = edit(config.verilog(Purpose::Simulation).map_err(BuildError::Soc)?);
        Ok(Self { config: config.clone(), program: build(config, &verilog, vcd, cache)? })
    }

    /// Description of the SoC.
    pub fn config(&self) -> &SocConfig {
        &self.config
    }

    /// Runs `program`; `progress` is called with the cycle from time to time.
    pub fn run(&self, program: &Program, options: &RunOptions, mut progress: impl FnMut(u64)) -> Result<Run, RunError> {
        image::check_supported(program, self.config.core)?;
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
            // removes a link that an earlier run left; the simulation refuses an existing file or folder
            if std::fs::symlink_metadata(link).is_ok_and(|m| m.is_symlink()) {
                std::fs::remove_file(link)?;
            }
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let run = read_simulation(child, |words| self.take(program, words, &mut progress));
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
        let (mut cycle, mut reported) = (0u64, 0u64);
        loop {
            let head = source.word()?;
            cycle += u64::from(head >> 8);
            if cycle - reported >= 1 << 16 {
                reported = cycle;
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
                    // reported one cycle later, when the read data is valid
                    let access = BusAccess { cycle: cycle.saturating_sub(1), core, addr, data: value, strobes };
                    data.iter_mut().for_each(|d| d.access(access));
                }
                RECORDING_STARTS => data.iter_mut().for_each(|d| d.start_recording(cycle)),
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
                    Item::End(_) | Item::Lost(_) | Item::Response { .. } => {}
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
