//! Files of a system: Verilog, register map, parameters, test vectors, descriptions for design tools

use crate::describe::describe;
use crate::output::{count, folder, stream_parameters, write_file, TOOL};
use crate::vectors::sessions::{SCRIPT, WORDS};
use crate::vectors::{words, Words};
use crate::{ports, testbench, vectors, Failure};
use hdl::emit::{emit_on, Ingress};
use hdl::options::System;
use hdl::scheme::data::INSTRUCTIONS;
use retire::elf::Program;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde_json::{json, Value};
use sim::params::TraceParams;
use sim::regmap::Map;
use std::path::Path;

pub use crate::describe::VERILOG;

/// Name of the recording with the instructions of the vectors.
pub const RECORDING: &str = "beats.ret";

pub use crate::describe::File;

/// Writes the files to a folder, which is created if it does not exist; returns names and sizes.
pub fn write_all(path: &Path, files: &[File]) -> Result<Vec<Value>, Failure> {
    folder(path)?;
    for (name, text, _) in files {
        write_file(&path.join(name), text.as_bytes())?;
    }
    Ok(files.iter().map(|(name, text, _)| json!({ "name": name, "bytes": text.len() })).collect())
}

/// Contents of the folder of a trace system.
pub struct Package {
    /// Text files.
    pub files: Vec<File>,
    /// Instructions of the test vectors, for [`RECORDING`].
    pub events: Vec<FlowEvent>,
}

impl Package {
    /// Writes the instructions as a retire file, which `decode` and `replay` accept as the program of the words.
    pub fn record(&self, path: &Path, params: &TraceParams) -> Result<(), Failure> {
        let info = RetireInfo {
            tool: TOOL.into(),
            harts: params.cores,
            xlen: params.xlen,
            program: "test vectors".into(),
            source: "goshawk gen".into(),
            ..RetireInfo::default()
        };
        let mut writer = RetireWriter::create(path, &info)?;
        self.events.iter().for_each(|e| writer.event(e));
        writer.finish()?;
        Ok(())
    }
}

/// Makes all files.
///
/// # Errors
/// There is no circuit.
pub fn make(system: &System) -> Result<Package, Failure> {
    let System { circuit, options, buses, style } = system;
    let failure = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let verilog = emit_on(&**circuit, options, style, *buses).map_err(|e| failure(&e))?;
    let lines = count(verilog.lines().count() as u64);
    let files = vec![(VERILOG, verilog, format!("Verilog, top module `{}`, {lines} lines", style.name))];
    match (circuit.flow(), circuit.standard()) {
        (Some(params), _) => {
            of_flow(params, system, &|program, (events, _), end| words(params, options, program, (events, end)), files)
        }
        (_, Some(standard)) => {
            let words = |program: &Program, (events, order): (&[FlowEvent], &[u8]), end| {
                let at = |e: &FlowEvent| if e.kind == FlowKind::Stop { FlowEvent { cycle: end, ..*e } } else { *e };
                let events: Vec<FlowEvent> = events.iter().map(at).collect();
                (standard.words)(program, &events, order).map_err(Failure::Other)
            };
            of_flow(&standard.platform, system, &words, files)
        }
        (None, None) => of_data(system, files),
    }
}

/// Adds the files for users and for design tools.
pub fn complete(package: &mut Package, system: &System) {
    let System { circuit, buses, style, .. } = system;
    let platform = circuit.flow().copied().or_else(|| Some(circuit.standard()?.platform));
    if let Some(params) = platform {
        let ports = ports::markdown(&package.files[0].1, style, params.xlen);
        package.files.insert(1, (ports::FILE, ports, "ports, and an instance to copy".into()));
    }
    describe(&mut package.files, style, &registers(system), buses);
}

/// The register map.
fn registers(system: &System) -> Map {
    let System { circuit, options, buses, .. } = system;
    let is_flow = circuit.flow().is_some() || circuit.standard().is_some();
    match &buses.tci {
        Some(facts) => Map::tci(&**circuit, facts),
        None => Map::native(&**circuit, buses.words.has_registers(), if is_flow { options.status() } else { 0 }),
    }
}

/// The register map, as Markdown and SystemRDL.
fn register_files(system: &System) -> [File; 2] {
    let map = registers(system);
    [
        ("registers.md", map.markdown(), "register map".into()),
        ("registers.rdl", map.systemrdl(), "register map in SystemRDL 2.0".into()),
    ]
}

/// Files of a system that takes the cores' data.
fn of_data(system: &System, mut files: Vec<File>) -> Result<Package, Failure> {
    let System { circuit, options, buses, style } = system;
    let Some(vectors) = circuit.vectors()? else {
        return Err(Failure::Other(format!("{}: has no test vectors", circuit.name())));
    };
    let described =
        json!({ "tool": TOOL, "fifo_entries": options.fifo_entries(), "parameters": stream_parameters(&**circuit) });
    files.extend(register_files(system));
    let bench = testbench::data::bench(circuit.cores(), &buses.system(style), &vectors);
    let words: String = vectors.words.iter().map(|w| format!("{w:08x}\n")).collect();
    files.extend([
        ("parameters.json", format!("{described:#}\n"), "all parameters, fingerprint".into()),
        ("beats.txt", vectors.beats, format!("test vectors: {} instructions in", count(INSTRUCTIONS.into()))),
        ("words.hex", words, format!("test vectors: {} words out", count(vectors.words.len() as u64))),
        (testbench::FILE, bench, "test bench that plays them".into()),
    ]);
    Ok(Package { files, events: Vec::new() })
}

/// Files of a trace system with the platform of `params`, whose golden model is `words`.
fn of_flow(params: &TraceParams, system: &System, words: Words<'_>, mut files: Vec<File>) -> Result<Package, Failure> {
    let System { circuit, options, buses, style } = system;
    let mut vectors = match options.ingress {
        Ingress::Blocks | Ingress::Etrace => {
            vectors::blocks::make(params, &options.extras, options.extras.retire, words)?
        }
        Ingress::Rvfi | Ingress::PcChain => vectors::make(params, options, circuit.flow().is_some(), words)?,
    };
    if options.ingress == Ingress::Rvfi && options.extras.retire.is_none() && circuit.flow().is_some() {
        vectors.sessions = Some(vectors::sessions::make(params, options)?);
    }
    let described = json!({
        "tool": TOOL, "ingress": options.ingress.name(), "fifo_entries": options.fifo_entries(), "sync": options.extras.sync, "check": options.extras.check, "zcm": options.extras.zcm, "stall": options.extras.stall, "filter": options.extras.filter, "filter_range": options.extras.range, "filter_space": options.extras.space, "retire": options.extras.retire.map_or(1, |r| r.per_cycle), "itype_bits": if options.extras.itype3 { 3 } else { 4 }, "address_bits": options.extras.addresses.map(|a| a.to_string()), "bus": buses.registers.name(), "port": buses.words.name(), "port_clock": buses.crossing, "lock": buses.locked, "funnel": buses.tci.map_or(0, |facts| facts.funnel),
        "parameters": stream_parameters(&**circuit),
    });
    let unit = buses.tci.filter(|facts| facts.unit_time());
    let time_lag = unit.and_then(|_| circuit.standard()).map(|standard| standard.time_lag);
    let inputs = testbench::Inputs { time_lag, source: buses.tci.is_some_and(|facts| facts.funnel > 0) };
    let bench = testbench::make(params, (options.ingress, options.extras, inputs), &buses.system(style), &vectors);
    let shown = match options.ingress {
        Ingress::Blocks => " as blocks",
        Ingress::Etrace => " as reports",
        Ingress::Rvfi | Ingress::PcChain => "",
    };
    files.extend(register_files(system));
    files.extend([
        ("parameters.json", format!("{described:#}\n"), "all parameters, fingerprint".into()),
        (
            "beats.txt",
            vectors.beats,
            format!("test vectors: {} instructions in{shown}", count(vectors::INSTRUCTIONS as u64)),
        ),
        ("words.hex", vectors.words, format!("test vectors: {} words out", count(vectors.word_count as u64))),
    ]);
    if let Some(sessions) = vectors.sessions {
        let what = format!("test vectors: {} words of further sessions", count(sessions.word_count as u64));
        files.push((SCRIPT, sessions.script, "test vectors: further sessions, with resets, stalls and losses".into()));
        files.push((WORDS, sessions.words, what));
    }
    files.push((testbench::FILE, bench, "test bench that plays them".into()));
    Ok(Package { files, events: vectors.events })
}
