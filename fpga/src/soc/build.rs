//! From a description to a bitstream: synthesis, place and route, packing
//!
//! Every file stays in the folder, with each tool's log, so that a run can be inspected and repeated by hand.

use super::blocks::{blocks, Cells};
use super::board::Board;
use super::top::{Purpose, SocConfig, SocError};
use crate::flow::cells;
use crate::flow::tool::{Tool, ToolError, YOSYS};
use crate::path::critical_path;
use crate::place::Resources;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Error of a build.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The SoC cannot be made.
    #[error("{0}")]
    Soc(#[from] SocError),
    /// A tool failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// The PLL cannot make the clock.
    #[error("{board}: its PLL makes no clock near {mhz} MHz; the oscillator is {oscillator} MHz")]
    Clock {
        /// Name of the board.
        board: &'static str,
        /// Requested clock.
        mhz: f64,
        /// Oscillator frequency.
        oscillator: f64,
    },
    /// The device is too small.
    #[error("the design does not fit {device} of {board}: it needs {needed} {what}, the device has {available}; use fewer cores, less RAM or a smaller set")]
    Fit {
        /// Name of the board.
        board: &'static str,
        /// Name of the device.
        device: &'static str,
        /// The resource that is exceeded.
        what: &'static str,
        /// Needed.
        needed: u64,
        /// Available.
        available: u64,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// Result of a build.
#[derive(Clone, Debug, Serialize)]
pub struct Built {
    /// Board.
    pub board: &'static str,
    /// Device.
    pub device: &'static str,
    /// Tools and versions.
    pub tools: Vec<String>,
    /// Seed of the placement.
    pub seed: u32,
    /// Clock of the cores, MHz.
    pub clock_mhz: f64,
    /// Highest clock rate after routing, MHz.
    pub fmax_mhz: f64,
    /// Cells after synthesis, flattened.
    pub resources: Resources,
    /// LUT4s and flip-flops by part of the SoC.
    pub blocks: BTreeMap<String, Cells>,
    /// LUT4s and block RAMs of the device.
    pub device_luts: u64,
    /// Block RAMs of the device.
    pub device_block_rams: u64,
    /// Cells on the critical path.
    pub critical_path: Vec<String>,
    /// Whether a cell of the trace modules is on it.
    pub trace_on_critical_path: bool,
    /// The bitstream file.
    pub bitstream: PathBuf,
}

impl Built {
    /// Whether the cores' clock is met.
    pub fn timing_met(&self) -> bool {
        self.fmax_mhz >= self.clock_mhz
    }
}

/// Options of a build.
#[derive(Clone, Debug)]
pub struct BuildOptions<'a> {
    /// Clock of the cores, kHz.
    pub khz: u32,
    /// Seed of the placement.
    pub seed: u32,
    /// Contents of RAM, `$readmemh` text; by default an endless loop.
    pub image: Option<&'a str>,
    /// Output folder, which must exist.
    pub folder: &'a Path,
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), BuildError> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|source| BuildError::Io { path: path.display().to_string(), source })
}

fn json(folder: &Path, name: &str) -> Result<serde_json::Value, BuildError> {
    let path = folder.join(name);
    let text =
        std::fs::read_to_string(&path).map_err(|source| BuildError::Io { path: path.display().to_string(), source })?;
    // warnings may precede the object
    let object = text.find('{').map_or("", |at| &text[at..]);
    serde_json::from_str(object).map_err(|e| ToolError::Output { tool: name.to_string(), what: e.to_string() }.into())
}

/// Synthesises `module` of `soc.v` (with `top.v` for a whole board) and counts its cells.
fn synthesise(
    yosys: &Tool,
    board: &Board,
    module: &str,
    files: &str,
    out: &str,
    folder: &Path,
) -> Result<Resources, BuildError> {
    let script = format!(
        "read_verilog {files}; {} -top {module}; delete */t:$scopeinfo; write_json {out}.json; \
         tee -q -o {out}.cells.json stat -json",
        board.device.synth()
    );
    let log = format!("{out}.yosys.log");
    yosys.run(&["-q", "-l", &log, "-p", &script], folder)?;
    let mut resources = Resources::default();
    for (cell, n) in cells(&json(folder, &format!("{out}.cells.json"))?).into_values().flatten() {
        resources.add(&cell, n);
    }
    Ok(resources)
}

/// LUT4s, flip-flops and block RAMs of one core alone, with its wrapper and retirement port.
pub fn core_alone(board: &Board, config: &SocConfig, folder: &Path) -> Result<Resources, BuildError> {
    let yosys = YOSYS.find()?;
    let text = config.core.core().verilog().map_err(SocError::from)?;
    write(folder, "core.v", &text)?;
    synthesise(&yosys, board, "soc_core", "core.v", "core", folder)
}

/// Builds `config` for `board`; `stage` is called with the name of each stage as it begins.
pub fn build(
    board: &Board,
    config: &SocConfig,
    options: &BuildOptions,
    stage: &mut dyn FnMut(&str),
) -> Result<Built, BuildError> {
    let (yosys, nextpnr) = (YOSYS.find()?, board.device.nextpnr().find()?);
    let packer = board.device.packer().find()?;
    let (top, khz) = board.top(options.khz).ok_or(BuildError::Clock {
        board: board.name,
        mhz: f64::from(options.khz) / 1e3,
        oscillator: f64::from(board.oscillator_khz) / 1e3,
    })?;
    let folder = options.folder;
    write(folder, "soc.v", &config.verilog(Purpose::Synthesis { image: "image.hex" })?)?;
    write(folder, "top.v", &top)?;
    // an endless loop: j .
    write(folder, "image.hex", options.image.unwrap_or("0000006f\n"))?;
    stage("synthesis");
    let resources = synthesise(&yosys, board, "top", "soc.v top.v", "top", folder)?;
    let fit = |what, needed, available| BuildError::Fit {
        board: board.name,
        device: board.device.name(),
        what,
        needed,
        available,
    };
    let (luts, rams) = (board.device.luts(), board.device.block_rams());
    if resources.lut4 > luts {
        return Err(fit("LUT4s", resources.lut4, luts));
    }
    if resources.block_ram > rams {
        return Err(fit("block RAMs", resources.block_ram, rams));
    }

    stage("place and route");
    let (mhz, seed) = (format!("{}", f64::from(khz) / 1e3), options.seed.to_string());
    let pins = if board.device.ice40() { "board.pcf" } else { "board.lpf" };
    write(folder, pins, board.constraints)?;
    let mut args = vec![board.device.option(), "--package", board.package, "--json", "top.json", "--freq", &mhz];
    args.extend(["--seed", &seed, "--report", "report.json", "--log", "top.nextpnr.log", "--timing-allow-fail", "-q"]);
    let speed = board.speed.map(|s| s.to_string());
    if let Some(speed) = &speed {
        args.extend(["--lpf", pins, "--textcfg", "top.config", "--speed", speed]);
    } else {
        args.extend(["--pcf", pins, "--asc", "top.asc"]);
    }
    nextpnr.run(&args, folder)?;

    stage("packing");
    let bitstream = if board.device.ice40() {
        packer.run(&["top.asc", "top.bin"], folder)?;
        "top.bin"
    } else {
        packer.run(&["--compress", "top.config", "--bit", "top.bit"], folder)?;
        "top.bit"
    };
    let report = json(folder, "report.json")?;
    let clocks = report["fmax"].as_object().into_iter().flatten();
    let fmax_mhz = clocks.filter_map(|(_, c)| c["achieved"].as_f64()).fold(f64::INFINITY, f64::min);
    let critical_path = critical_path(&report);
    Ok(Built {
        board: board.name,
        device: board.device.name(),
        tools: [yosys.version, nextpnr.version, packer.version].to_vec(),
        seed: options.seed,
        clock_mhz: f64::from(khz) / 1e3,
        fmax_mhz,
        resources,
        blocks: blocks(&json(folder, "top.json")?, "top"),
        device_luts: luts,
        device_block_rams: rams,
        trace_on_critical_path: critical_path.iter().any(|c| c.starts_with("soc.trace.")),
        critical_path,
        bitstream: folder.join(bitstream),
    })
}
