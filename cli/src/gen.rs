//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::args::{ParamArgs, SyncArgs};
use crate::describe::describe;
use crate::files::OutputPath;
use crate::hardware::{module_name, several, HardwareArgs};
use crate::output::{count, facts, plural, Object};
use crate::package::{make, write_all, RECORDING, VERILOG};
use crate::ports;
use crate::{inputs, recorded, Failure, Status};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hdl::bus::wrap::{Buses, RegisterBus, WordPort};
use hdl::bus::Writers;
use hdl::verilog::Style;
use serde_json::json;
use sim::scheme::inputs::InputsParams;
use std::io::Write;

/// Write a trace system for a parameter set: Verilog, register map, test vectors
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gen --set medium --cores 4 -o trace4\n  \
    goshawk gen --set 512/8/16 --timestamps --xlen 64 --ingress etrace -o trace64\n  \
    goshawk gen --set small --cores 2 --sync --check -o trace-sync\n  \
    goshawk gen --set small --address-bits 24@0x80000000 --stall -o trace-small\n  \
    goshawk gen --set small --xlen 64 --retire 2 -o trace-wide\n  \
    goshawk gen --set small --bus axi-lite --port axi-stream -o trace-axi\n  \
    goshawk gen --set small --bus apb --writes privileged-secure -o trace-apb\n  \
    goshawk gen --set small --sync --bus axi-lite --port axi4-memory -o trace-memory\n  \
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
    /// Bus of the registers
    #[arg(long, value_name = "BUS", default_value = "native", value_parser = registers())]
    bus: RegisterBus,
    /// Whose writes of registers are taken, by PPROT or AWPROT
    #[arg(long, value_name = "WHOSE", default_value = "any", value_parser = writers())]
    writes: Writers,
    /// Port of the trace words
    #[arg(long, value_name = "PORT", default_value = "native", value_parser = words())]
    port: WordPort,
    /// Let the words leave by a clock of their own: ports `port_clock` and `port_reset`
    #[arg(long)]
    port_clock: bool,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The name of a register bus.
fn registers() -> impl TypedValueParser<Value = RegisterBus> {
    named(&RegisterBus::ALL, |b| b.name())
}

/// The name of those who may write.
fn writers() -> impl TypedValueParser<Value = Writers> {
    named(&Writers::ALL, |w| w.name())
}

/// The name of a port of words.
fn words() -> impl TypedValueParser<Value = WordPort> {
    named(&WordPort::ALL, |p| p.name())
}

/// One of `all` by its name.
fn named<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|x| name(*x)))
        .try_map(move |given| all.iter().copied().find(|x| name(*x) == given).ok_or("not there"))
}

impl Args {
    fn buses(&self) -> Result<Buses, Failure> {
        if self.writes != Writers::Any && !self.bus.protects() {
            let (writes, bus) = (self.writes.name(), self.bus.name());
            return Err(Failure::Other(format!(
                "--writes {writes}: bus {bus} does not tell who writes; --bus apb or axi-lite does"
            )));
        }
        if self.port_clock && !self.port.crosses() {
            return Err(Failure::Other(format!(
                "--port-clock: port {} is written by the clock of its registers; leave --port-clock out",
                self.port.name()
            )));
        }
        Ok(Buses { registers: self.bus, writers: self.writes, words: self.port, crossing: self.port_clock })
    }

    /// The buses for people.
    fn told(&self) -> String {
        let clock = if self.port_clock { " by a clock of their own" } else { "" };
        let by = if self.writes == Writers::Any { String::new() } else { format!(", writes {}", self.writes.name()) };
        format!("registers {}{by}, words {}{clock}", self.bus.name(), self.port.name())
    }
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
    let package = make(&params, set.as_deref(), &options, &style, args.buses()?)?;
    let mut files = package.files.clone();
    let verilog = files.iter().find(|f| f.0 == VERILOG).map_or("", |f| f.1.as_str());
    files.insert(
        1,
        (ports::FILE, ports::markdown(verilog, &style, params.xlen), "ports, and an instance to copy".into()),
    );
    describe(&mut files, &style, params.cores, params.fingerprint(), params.canonical(), args.port);
    let mut list = write_all(&args.output, &files)?;
    package.record(&args.output.join(RECORDING), &params)?;
    let recorded = std::fs::metadata(args.output.join(RECORDING))?.len();
    list.push(json!({ "name": RECORDING, "bytes": recorded }));
    if args.json {
        Object::new("gen", set.as_deref().unwrap_or(&params.flow.name()))
            .with_params(&params, set.as_deref())
            .with("ingress", options.ingress.name().into())
            .with("retire", options.extras.retire.map_or(1, |r| r.lanes).into())
            .with("bus", args.bus.name().into())
            .with("writes", args.writes.name().into())
            .with("port", args.port.name().into())
            .with("port_clock", args.port_clock.into())
            .with("folder", args.output.display().to_string().into())
            .with("files", list.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        (
            "system",
            format!(
                "{}, RV{}, {} ingress{}",
                plural(params.cores, "core"),
                params.xlen,
                options.ingress.name(),
                several(&options)
            ),
        ),
        ("buses", args.told()),
        ("parameters", params.canonical()),
        ("predictor state", format!("{} bits a core", count(params.state_bits().into()))),
        ("folder", args.output.display().to_string()),
    ];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    lines.push((RECORDING, "the same instructions as a recording: --elf of words.hex".into()));
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Of a record system.
fn record(args: &Args, params: &InputsParams, out: &mut dyn Write) -> Result<Status, Failure> {
    let style = Style { name: args.module_name.clone(), initial: !args.no_initial };
    let mut files = recorded::make(params, &args.hardware.options(), &style, args.buses()?)?;
    describe(&mut files, &style, params.cores, params.fingerprint(), params.canonical(), args.port);
    let list = write_all(&args.output, &files)?;
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
        ("buses", args.told()),
        ("parameters", params.canonical()),
        ("folder", args.output.display().to_string()),
    ];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}
