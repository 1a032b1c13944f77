//! `goshawk gen`: a trace system as Verilog, with its register map and test vectors

use crate::args::{ParamArgs, SyncArgs};
use crate::describe::describe;
use crate::files::OutputPath;
use crate::hardware::{module_name, several, HardwareArgs};
use crate::output::{count, facts, plural, Object};
use crate::package::{make, write_all, File, RECORDING, VERILOG};
use crate::ports;
use crate::{cfiat, inputs, recorded, valued, Failure, Status};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hdl::bus::wrap::{Buses, RegisterBus, WordPort};
use hdl::bus::Writers;
use hdl::verilog::Style;
use serde_json::{json, Value};
use sim::regmap::scheme;
use std::io::Write;

/// Write a trace system for a parameter set: Verilog, register map, test vectors
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
    goshawk gen --scheme inputs:256 --cores 2 -o record2\n  \
    goshawk gen --scheme cfiat:16k+line16+gran1 --cores 2 -o values2")]
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
    /// Trace only while the input `allow` is 1
    #[arg(long)]
    lock: bool,
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
        if !self.port.stands_beside(self.bus) {
            return Err(Failure::Other(format!(
                "--port {}: words leave by the test access port of --bus jtag, and the registers are on --bus {}",
                self.port.name(),
                self.bus.name()
            )));
        }
        Ok(Buses {
            registers: self.bus,
            writers: self.writes,
            words: self.port,
            crossing: self.port_clock,
            locked: self.lock,
        })
    }

    fn style(&self) -> Style {
        Style { name: self.module_name.clone(), initial: !self.no_initial }
    }

    /// The buses for people.
    fn told(&self) -> String {
        let clock = if self.port_clock { " by a clock of their own" } else { "" };
        let by = if self.writes == Writers::Any { String::new() } else { format!(", writes {}", self.writes.name()) };
        let lock = if self.lock { ", while allow is 1" } else { "" };
        format!("registers {}{by}, words {}{clock}{lock}", self.bus.name(), self.port.name())
    }
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let unlocked = || match args.lock {
        true => Err(Failure::Other(
            "--lock: a system that takes the cores' data has none; leave it out, or gate its bus in the chip".into(),
        )),
        false => Ok(()),
    };
    if let Some(sizes) = inputs::sizes(&args.params, &SyncArgs::default())? {
        unlocked()?;
        let p = args.hardware.inputs(sizes)?;
        let files = recorded::make(&p, &args.hardware.options(), &args.style(), args.buses()?)?;
        let of = (p.fingerprint(), p.canonical(), "RVFI with data, memory bus");
        return with_data(args, &p.sizes.to_string(), of, inputs::parameters(&p), files, out);
    }
    if let Some(sizes) = cfiat::sizes(&args.params, &SyncArgs::default())? {
        unlocked()?;
        let p = args.hardware.cfiat(sizes)?;
        let files = valued::make(&p, &args.hardware.options(), &args.style(), args.buses()?)?;
        let of = (p.fingerprint(), p.canonical(), "RVFI with data");
        return with_data(args, &p.sizes.to_string(), of, cfiat::parameters(&p), files, out);
    }
    args.hardware.no_inputs()?;
    let (params, set) = args.params.resolve(args.hardware.cores, args.hardware.xlen)?;
    if params.align == 0 {
        return Err(Failure::Other("align = 0 is for imported traces; a circuit takes 1 or 2".into()));
    }
    let options = args.hardware.options();
    let style = args.style();
    let package = make(&params, set.as_deref(), &options, &style, args.buses()?)?;
    let mut files = package.files.clone();
    let verilog = files.iter().find(|f| f.0 == VERILOG).map_or("", |f| f.1.as_str());
    files.insert(
        1,
        (ports::FILE, ports::markdown(verilog, &style, params.xlen), "ports, and an instance to copy".into()),
    );
    let known = (params.cores, scheme(&params), options.status());
    describe(&mut files, &style, known, params.fingerprint(), params.canonical(), args.port);
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
            .with("lock", args.lock.into())
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

/// Writes the files of a system that takes the cores' data; `of`: fingerprint, canonical line, and what the cores show.
fn with_data(
    args: &Args,
    name: &str,
    (fingerprint, canonical, shown): (u32, String, &str),
    parameters: Value,
    mut files: Vec<File>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let cores = args.hardware.cores;
    describe(&mut files, &args.style(), (cores, 0, 0), fingerprint, canonical.clone(), args.port);
    let list = write_all(&args.output, &files)?;
    if args.json {
        Object::new("gen", name)
            .with("parameters", parameters)
            .with("folder", args.output.display().to_string().into())
            .with("files", list.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("system", format!("{}, {shown}", plural(cores, "core"))),
        ("buses", args.told()),
        ("parameters", canonical),
        ("folder", args.output.display().to_string()),
    ];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}
