//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::args::ParamArgs;
use crate::output::{count, facts, parameters, plural, Object, TOOL};
use crate::{vectors, Failure, Status};
use clap::ValueEnum;
use hdl::emit::{emit, SystemOptions};
use retire::file::Replacement;
use serde_json::json;
use sim::params::TraceParams;
use sim::regmap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write a trace system for a parameter set: Verilog, register map, test vectors
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gen --set medium --cores 4 -o trace4\n  \
    goshawk gen --set 512/8/16 --timestamps --xlen 64 --ingress etrace -o trace64")]
pub struct Args {
    /// Folder to write to; it is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Cores that are traced, 1 to 16
    #[arg(long, value_name = "N", default_value_t = 1)]
    cores: u8,
    /// Address width of the cores: 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    xlen: u8,
    /// What the cores show of a retired instruction
    #[arg(long, value_enum, default_value = "rvfi")]
    ingress: Ingress,
    /// log2 of the entries of each core's event FIFO, 2 to 8
    #[arg(long, value_name = "BITS", default_value_t = 8)]
    log2_fifo: u8,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Interface between core and trace module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ingress {
    /// RISC-V Formal Interface
    Rvfi,
    /// Instruction trace ingress port of the RISC-V E-Trace specification
    Etrace,
}

impl From<Ingress> for hdl::emit::Ingress {
    fn from(i: Ingress) -> Self {
        match i {
            Ingress::Rvfi => Self::Rvfi,
            Ingress::Etrace => Self::Etrace,
        }
    }
}

/// Writes a file in one step.
pub fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    let mut file = Replacement::create(&path)?;
    file.write_all(text.as_bytes()).map_err(|e| Failure::io(&path, e))?;
    Ok(file.commit()?)
}

/// Makes the folder where it is missing.
pub fn folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|e| Failure::io(path, e))
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let (params, set) = args.params.resolve(args.cores, args.xlen)?;
    if params.align == 0 {
        return Err(Failure::Other("align = 0 is for imported traces; a circuit takes 1 or 2".into()));
    }
    let options = SystemOptions { ingress: args.ingress.into(), log2_fifo: args.log2_fifo };
    let files = make(&params, set.as_deref(), &options)?;
    folder(&args.output)?;
    for (name, text, _) in &files {
        write(&args.output, name, text)?;
    }
    if args.json {
        let list: Vec<_> = files.iter().map(|(name, text, _)| json!({ "name": name, "bytes": text.len() })).collect();
        Object::new("gen", set.as_deref().unwrap_or(&args.params.set))
            .with_params(&params, set.as_deref())
            .with("ingress", options.ingress.name().into())
            .with("folder", args.output.display().to_string().into())
            .with("files", list.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("system", format!("{}, RV{}, {} ingress", plural(params.cores, "core"), params.xlen, options.ingress.name())),
        ("parameters", params.canonical()),
        ("predictor state", format!("{} bits a core", count(params.state_bits().into()))),
        ("folder", args.output.display().to_string()),
    ];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Name of the Verilog file.
pub const VERILOG: &str = "goshawk_trace.v";

/// A file: its name, its text, what it is.
pub type File = (&'static str, String, String);

pub fn make(params: &TraceParams, set: Option<&str>, options: &SystemOptions) -> Result<Vec<File>, Failure> {
    let verilog = emit(params, options).map_err(|e| Failure::Other(e.to_string()))?;
    let lines = count(verilog.lines().count() as u64);
    let vectors = vectors::make(params)?;
    let described = json!({
        "tool": TOOL, "ingress": options.ingress.name(), "fifo_entries": 1 << options.log2_fifo,
        "parameters": parameters(params, set),
    });
    let described = format!("{described:#}\n");
    Ok(vec![
        (VERILOG, verilog, format!("Verilog, top module `top`, {lines} lines")),
        ("registers.md", regmap::markdown(params), "register map".into()),
        ("registers.rdl", regmap::systemrdl(params), "register map in SystemRDL 2.0".into()),
        ("parameters.json", described, "all parameters, fingerprint".into()),
        ("beats.txt", vectors.beats, format!("test vectors: {} instructions in", count(vectors::INSTRUCTIONS as u64))),
        ("words.hex", vectors.words, format!("test vectors: {} words out", count(vectors.word_count as u64))),
    ])
}
