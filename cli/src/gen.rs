//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::args::{range, ParamArgs};
use crate::files::OutputPath;
use crate::output::{count, facts, folder, plural, write_file, Object};
use crate::package::make;
use crate::{Failure, Status};
use clap::ValueEnum;
use hdl::emit::{SystemOptions, CORES, LOG2_FIFO};
use hdl::spine::Extras;
use hdl::verilog::Style;
use serde_json::json;
use std::io::Write;

/// Write a trace system for a parameter set: Verilog, register map, test vectors
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gen --set medium --cores 4 -o trace4\n  \
    goshawk gen --set 512/8/16 --timestamps --xlen 64 --ingress etrace -o trace64\n  \
    goshawk gen --set small --cores 2 --sync --check -o trace-sync")]
pub struct Args {
    /// Folder to write to; it is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    output: OutputPath,
    #[arg(long, value_name = "N", default_value_t = 1, help = format!("Cores that are traced, {}", range(&CORES)))]
    cores: u8,
    /// Address width of the cores: 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    xlen: u8,
    /// What the cores show of a retired instruction
    #[arg(long, value_enum, default_value = "rvfi")]
    ingress: Ingress,
    #[arg(long, value_name = "BITS", default_value_t = 8, help = format!("log2 of the places of each core's event FIFO, of which two stay free, {}", range(&LOG2_FIFO)))]
    log2_fifo: u8,
    /// Build in periodic synchronisation and synchronisation on request (registers `sync` and `request`); not for sc-lsp
    #[arg(long)]
    sync: bool,
    /// Build in the discontinuity check: an instruction that does not follow from the one before is told as an exception
    /// and noted in register `discontinuity`; RVFI only
    #[arg(long)]
    check: bool,
    /// Name of the top module; all others begin with it
    #[arg(long, value_name = "NAME", default_value = "goshawk", value_parser = module_name)]
    module_name: String,
    /// Leave out the values that registers have at power-up: reset does all
    #[arg(long)]
    no_initial: bool,
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

/// A name that Verilog takes for a module.
fn module_name(name: &str) -> Result<String, String> {
    Style::check(name).map(|()| name.to_string())
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let (params, set) = args.params.resolve(args.cores, args.xlen)?;
    if params.align == 0 {
        return Err(Failure::Other("align = 0 is for imported traces; a circuit takes 1 or 2".into()));
    }
    let options = SystemOptions {
        ingress: args.ingress.into(),
        log2_fifo: args.log2_fifo,
        extras: Extras { sync: args.sync, check: args.check },
    };
    let style = Style { name: args.module_name.clone(), initial: !args.no_initial };
    let files = make(&params, set.as_deref(), &options, &style)?;
    folder(&args.output)?;
    for (name, text, _) in &files {
        write_file(&args.output.join(name), text.as_bytes())?;
    }
    if args.json {
        let list: Vec<_> = files.iter().map(|(name, text, _)| json!({ "name": name, "bytes": text.len() })).collect();
        Object::new("gen", set.as_deref().unwrap_or(&params.flow.name()))
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
