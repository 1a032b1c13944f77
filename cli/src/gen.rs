//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::args::{ParamArgs, SyncArgs};
use crate::files::OutputPath;
use crate::hardware::HardwareArgs;
use crate::output::{count, facts, folder, plural, write_file, Object};
use crate::package::make;
use crate::{inputs, recorded, Failure, Status};
use hdl::verilog::Style;
use serde_json::{json, Value};
use sim::scheme::inputs::InputsParams;
use std::io::Write;

/// Write a trace system for a parameter set: Verilog, register map, test vectors
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gen --set medium --cores 4 -o trace4\n  \
    goshawk gen --set 512/8/16 --timestamps --xlen 64 --ingress etrace -o trace64\n  \
    goshawk gen --set small --cores 2 --sync --check -o trace-sync\n  \
    goshawk gen --scheme inputs:256 --cores 2 -o record2")]
pub struct Args {
    /// Folder to write to; it is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    output: OutputPath,
    #[command(flatten)]
    hardware: HardwareArgs,
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

/// A name that Verilog takes for a module.
fn module_name(name: &str) -> Result<String, String> {
    Style::check(name).map(|()| name.to_string())
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if let Some(sizes) = inputs::sizes(&args.params, &SyncArgs::default())? {
        return record(args, &args.hardware.inputs(sizes)?, out);
    }
    args.hardware.no_inputs()?;
    let (params, set) = args.params.resolve(args.hardware.cores, args.hardware.xlen)?;
    if params.align == 0 {
        return Err(Failure::Other("align = 0 is for imported traces; a circuit takes 1 or 2".into()));
    }
    let options = args.hardware.options();
    let style = Style { name: args.module_name.clone(), initial: !args.no_initial };
    let files = make(&params, set.as_deref(), &options, &style)?;
    let list = write(args, &files)?;
    if args.json {
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

/// Writes the files; names and sizes of them.
fn write(args: &Args, files: &[(&'static str, String, String)]) -> Result<Vec<Value>, Failure> {
    folder(&args.output)?;
    for (name, text, _) in files {
        write_file(&args.output.join(name), text.as_bytes())?;
    }
    Ok(files.iter().map(|(name, text, _)| json!({ "name": name, "bytes": text.len() })).collect())
}

/// Of a record system.
fn record(args: &Args, params: &InputsParams, out: &mut dyn Write) -> Result<Status, Failure> {
    let style = Style { name: args.module_name.clone(), initial: !args.no_initial };
    let files = recorded::make(params, &args.hardware.options(), &style)?;
    let list = write(args, &files)?;
    if args.json {
        Object::new("gen", &params.sizes.to_string())
            .with("parameters", inputs::parameters(params))
            .with("folder", args.output.display().to_string().into())
            .with("files", list.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("system", format!("{}, RVFI with data, memory bus", plural(params.cores, "core"))),
        ("parameters", params.canonical()),
        ("folder", args.output.display().to_string()),
    ];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}
