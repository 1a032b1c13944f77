//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::files::OutputPath;
use crate::hardware::system;
use crate::options::ChipArgs;
use crate::output::{count, facts, plural, stream_parameters, Object};
use crate::package::{complete, make, write_all, RECORDING};
use crate::{Failure, Status};
use hdl::bus::wrap::Buses;
use hdl::bus::Writers;
use serde_json::json;
use std::io::Write;

/// Write a trace system: Verilog, register map and test vectors
///
/// An option that would have no effect is refused. docs/reference/options.md lists the options with the reasons of their rules.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gen --set medium --cores 4 -o trace4\n  \
    goshawk gen --set 512/8/16 --timestamps --xlen 64 --ingress etrace -o trace64\n  \
    goshawk gen --set small --cores 2 --sync --check -o trace-sync\n  \
    goshawk gen --set small --cores 2 --filter -o trace-filter\n  \
    goshawk gen --set small --context 4 --filter-range --filter-space -o trace-part\n  \
    goshawk gen --set small --address-bits 24@0x80000000 --stall -o trace-small\n  \
    goshawk gen --set small --xlen 64 --retire 2 -o trace-wide\n  \
    goshawk gen --set small --ingress etrace-blocks --retire 2 -o trace-blocks\n  \
    goshawk gen --set small --bus axi-lite --port axi-stream -o trace-axi\n  \
    goshawk gen --set small --bus apb --writes privileged-secure -o trace-apb\n  \
    goshawk gen --set small --sync --bus axi-lite --port axi4-memory -o trace-memory\n  \
    goshawk gen --set small --bus jtag --port jtag -o trace-jtag\n  \
    goshawk gen --set small --bus apb --lock -o trace-locked\n  \
    goshawk gen --scheme etrace --ingress etrace -o standard\n  \
    goshawk gen --scheme ntrace+ir8 --cores 2 -o ntrace2\n  \
    goshawk gen --scheme ntrace+ir8 --bus apb --control tci -o standard-control\n  \
    goshawk gen --scheme ntrace+ir8+sync1024 --bus apb --control tci --port sram --sram-size 16384 -o standard-memory\n  \
    goshawk gen --scheme ntrace+ir8 --cores 4 --bus apb --control tci --funnel --port sram -o standard-funnel\n  \
    goshawk gen --scheme inputs:256 --cores 2 -o record2\n  \
    goshawk gen --scheme cfiat:16k+line16+gran4 --cores 2 -o values2")]
pub struct Args {
    /// Folder to write to; it is created if missing
    #[arg(short, long, value_name = "DIR")]
    output: OutputPath,
    #[command(flatten)]
    options: ChipArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Description of the buses.
fn shown(b: &Buses) -> String {
    let clock = if b.crossing { " with a separate clock" } else { "" };
    let by = if b.writers == Writers::Any { String::new() } else { format!(", writes {}", b.writers.name()) };
    let lock = if b.locked { ", while allow is 1" } else { "" };
    let tci = match b.tci.map(|facts| facts.funnel) {
        None => "",
        Some(0) => " (Trace Control Interface 1.0)",
        Some(_) => " (Trace Control Interface 1.0, with a funnel)",
    };
    format!("registers {}{tci}{by}, words {}{clock}{lock}", b.registers.name(), b.words.name())
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let system = system(&args.options.0)?;
    let (circuit, options, buses) = (&system.circuit, &system.options, &system.buses);
    let mut package = make(&system)?;
    complete(&mut package, &system);
    let folder = args.output.display().to_string();
    let mut list = write_all(&args.output, &package.files)?;
    if let Some(params) = circuit.flow() {
        package.record(&args.output.join(RECORDING), params)?;
        let recorded = std::fs::metadata(args.output.join(RECORDING))?.len();
        list.push(json!({ "name": RECORDING, "bytes": recorded }));
        package.files.push((
            RECORDING,
            String::new(),
            "the same instructions as a recording: --elf of words.hex".into(),
        ));
    }
    let set = circuit.flow().and_then(|p| p.flow.set());
    if args.json {
        let object = Object::new("gen", set.as_deref().unwrap_or(&circuit.name()))
            .with("parameters", stream_parameters(&**circuit))
            .with("ingress", options.ingress.name().into())
            .with("retire", options.extras.retire.map_or(1, |r| r.per_cycle).into())
            .with("bus", buses.registers.name().into())
            .with("control", if buses.tci.is_some() { "tci" } else { "native" }.into())
            .with("funnel", buses.tci.map_or(0, |facts| facts.funnel).into())
            .with("writes", buses.writers.name().into())
            .with("port", buses.words.name().into())
            .with("port_clock", buses.crossing.into())
            .with("lock", buses.locked.into())
            .with("folder", folder.into())
            .with("files", list.into());
        object.print(out)?;
        return Ok(Status::Done);
    }
    let cores = plural(system.cores(), "core");
    let mut lines = vec![
        ("system", format!("{cores}, {}", circuit.interface(options))),
        ("buses", shown(buses)),
        ("parameters", circuit.canonical()),
    ];
    lines.extend(circuit.state_bits().map(|bits| ("predictor state", format!("{} bits per core", count(bits)))));
    lines.push(("folder", folder));
    lines.extend(package.files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}
