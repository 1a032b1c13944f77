//! The files of a trace system: Verilog, register map, parameters, test vectors

use crate::output::{count, folder, parameters, write_file, TOOL};
use crate::{testbench, vectors, Failure};
use hdl::bus::wrap::Buses;
use hdl::emit::{emit_on, Ingress, SystemOptions};
use hdl::verilog::Style;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, RetireSink};
use serde_json::{json, Value};
use sim::params::TraceParams;
use sim::regmap;
use std::path::Path;

/// Name of the Verilog file.
pub const VERILOG: &str = "goshawk_trace.v";

/// Name of the file with the vectors' instructions as a recording.
pub const RECORDING: &str = "beats.ret";

/// A file: its name, its text, what it is.
pub type File = (&'static str, String, String);

/// Writes the files into a folder, which is made where it is missing; names and sizes of them.
pub fn write_all(path: &Path, files: &[File]) -> Result<Vec<Value>, Failure> {
    folder(path)?;
    for (name, text, _) in files {
        write_file(&path.join(name), text.as_bytes())?;
    }
    Ok(files.iter().map(|(name, text, _)| json!({ "name": name, "bytes": text.len() })).collect())
}

/// What a folder of a trace system holds.
pub struct Package {
    /// Its text files.
    pub files: Vec<File>,
    /// The test vectors' instructions, as [`RECORDING`] has them.
    pub events: Vec<FlowEvent>,
}

impl Package {
    /// Writes the instructions as a retire file, which `decode` and `replay` take as the program of the words.
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
        Ok(writer.finish()?)
    }
}

/// Makes all of them.
pub fn make(
    params: &TraceParams,
    set: Option<&str>,
    options: &SystemOptions,
    style: &Style,
    buses: Buses,
) -> Result<Package, Failure> {
    let verilog = emit_on(params, options, style, buses).map_err(|e| Failure::Other(e.to_string()))?;
    let lines = count(verilog.lines().count() as u64);
    let vectors = match options.ingress {
        Ingress::Blocks | Ingress::Etrace => vectors::blocks::make(params, &options.extras, options.extras.retire)?,
        Ingress::Rvfi | Ingress::PcChain => vectors::make(params, options)?,
    };
    let described = json!({
        "tool": TOOL, "ingress": options.ingress.name(), "fifo_entries": options.fifo_entries(), "sync": options.extras.sync, "check": options.extras.check, "stall": options.extras.stall, "filter": options.extras.filter, "filter_range": options.extras.range, "filter_space": options.extras.space, "retire": options.extras.retire.map_or(1, |r| r.lanes), "itype_bits": if options.extras.itype3 { 3 } else { 4 }, "address_bits": options.extras.addresses.map(|a| a.to_string()), "bus": buses.registers.name(), "port": buses.words.name(), "port_clock": buses.crossing, "lock": buses.locked,
        "parameters": parameters(params, set),
    });
    let described = format!("{described:#}\n");
    let bench = testbench::make(params, options.ingress, options.extras, &buses.system(style), &vectors);
    // a PC chain holds an instruction until the next is told
    let of = if bench.is_some() { "" } else { ", where instructions are told in their own clock (RVFI)" };
    let shown = match options.ingress {
        Ingress::Blocks => " as blocks",
        Ingress::Etrace => " as reports",
        Ingress::Rvfi | Ingress::PcChain => "",
    };
    let mut files = vec![
        (VERILOG, verilog, format!("Verilog, top module `{}`, {lines} lines", style.name)),
        (
            "registers.md",
            regmap::markdown(params, buses.words.has_registers(), options.status()),
            "register map".into(),
        ),
        (
            "registers.rdl",
            regmap::systemrdl(params, buses.words.has_registers(), options.status()),
            "register map in SystemRDL 2.0".into(),
        ),
        ("parameters.json", described, "all parameters, fingerprint".into()),
        (
            "beats.txt",
            vectors.beats,
            format!("test vectors: {} instructions in{shown}", count(vectors::INSTRUCTIONS as u64)),
        ),
        ("words.hex", vectors.words, format!("test vectors: {} words out{of}", count(vectors.word_count as u64))),
    ];
    files.extend(bench.map(|text| (testbench::FILE, text, "test bench that plays them".into())));
    Ok(Package { files, events: vectors.events })
}
