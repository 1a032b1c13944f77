//! `goshawk gates`: gates, LUTs and clock rate of a trace system

use crate::hardware::system;
use crate::options::SystemArgs;
use crate::output::{count, percent, plural, stream_parameters, Left, Object, Right, Table};
use crate::progress::bar;
use crate::{Failure, Status};
use fpga::gates::{self, GateReport, Library};
use fpga::place::{self, Device, PlaceReport};
use fpga::soc::board;
use hdl::emit::{emit, SystemOptions};
use serde_json::json;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{StreamCacheParams, Variant};
use std::io::Write;

/// Count the gates of a trace system, and with --place its LUTs and clock rate
///
/// Needs Yosys, and nextpnr for --place; tools/setup installs them. Logic is given in equivalents of the library's
/// NAND2, flip-flops included, and memory in bits. Blocks are mapped one by one, so their sum is somewhat larger than
/// the total. The column `with memory` counts a memory bit as 1.5 gates, which fits the totals of the papers.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gates --set medium\n  \
    goshawk gates --set small --upper-bits 12 --fifo 8 --library nangate45\n  \
    goshawk gates --set small --retire 2 --retire-queue 4\n  \
    goshawk gates --set medium --place hx8k --seed 2 --json\n  \
    goshawk gates --scheme etrace --fifo 16\n  \
    goshawk gates --scheme inputs:256 --cores 2 --place ecp5\n  \
    goshawk gates --scheme cfiat:16k --fifo 16 --place hx8k")]
pub struct Args {
    #[command(flatten)]
    options: SystemArgs,
    /// Cell library: nand2, nangate45 or osu035
    #[arg(long, value_name = "NAME", default_value = "nand2")]
    library: String,
    /// Device to place and route on: hx8k or ecp5. May be repeated
    #[arg(long, value_name = "DEVICE", value_parser = device)]
    place: Vec<Device>,
    /// Seed of the placement
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn device(name: &str) -> Result<Device, String> {
    match name {
        "hx8k" => Ok(Device::Hx8k),
        "ecp5" => Ok(Device::Ecp5),
        _ => Err("expected hx8k (iCE40 HX8K) or ecp5 (ECP5-45F)".into()),
    }
}

/// Target clock rate of place and route, MHz.
const fn target_mhz(device: Device) -> u32 {
    match device {
        Device::Hx8k => 80,
        Device::Ecp5 | Device::Ecp85 => 110,
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let system = system(&args.options.0)?;
    let (circuit, options) = (&system.circuit, &system.options);
    let params = circuit.flow();
    // each further channel adds the ports of a core, as do the cores' data
    let with_data = params.is_none() && circuit.standard().is_none();
    let wide = options.extras.retire.is_some() || with_data;
    let (report, placed) = measure(args, wide, || emit(&**circuit, options).map_err(|e| other(&e)))?;
    let set = params.and_then(|p| p.flow.set());
    let state = params.map_or(0, |p| p.state_bits() * u32::from(p.cores));
    let name = set.unwrap_or_else(|| circuit.name());
    if args.json {
        let mut object = Object::new("gates", &name)
            .with("parameters", stream_parameters(&**circuit))
            .with("fifo_entries", options.fifo_entries().into());
        if params.is_some() {
            object = object.with("predictor_state_bits", state.into());
        }
        object = object.with("gates", json!(report)).with("gates_with_memory", report.with_memory().into());
        if params.is_some() {
            object = object
                .with("gates_of_predictors", report.tables().0.into())
                .with("memory_bits_of_predictors", report.tables().1.into());
        }
        object.with("place", json!(placed)).print(out)?;
        return Ok(Status::Done);
    }
    print_gates(&name, circuit.cores(), options, &report, out)?;
    if let Some(params) = params {
        print_state(params, state, &report, out)?;
    }
    placed.iter().try_for_each(|p| print_place(p, out))?;
    if wide && !placed.is_empty() {
        writeln!(out, "\n{FEW_PINS_NOTE}")?;
    }
    Ok(Status::Done)
}

/// Gates and bits of the predictors, which the papers count, and of everything else.
fn print_state(params: &TraceParams, state: u32, report: &GateReport, out: &mut dyn Write) -> Result<(), Failure> {
    let (tables, bits) = report.tables();
    writeln!(
        out,
        "\npredictors, which are all that the papers count: {} NAND2 and {} memory bits; the rest: {} NAND2 and {} memory bits",
        whole(tables),
        count(bits),
        whole(report.gates - tables),
        count(report.memory_bits - bits)
    )?;
    writeln!(
        out,
        "predictor state by the papers' rule: {} bits x 1.5 = {} gates",
        count(state.into()),
        count(u64::from(state) * 3 / 2)
    )?;
    match params.stream_cache() {
        Some(sc) => print_stream_cache(&sc, out),
        None => Ok(()),
    }
}

/// What is said of a circuit that is placed with few pins.
const FEW_PINS_NOTE: &str = "It has more ports than the devices have pins: a shift register drives them, whose flip-flops are not counted; its cells are.";

/// Counts gates of the Verilog from `emit`, and places it; `wide`: it has more ports than the devices have pins.
fn measure(
    args: &Args,
    wide: bool,
    emit: impl FnOnce() -> Result<String, Failure>,
) -> Result<(GateReport, Vec<PlaceReport>), Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let library =
        Library::named(&args.library).map_err(|e| Failure::Other(format!("`--library {}`: {e}", args.library)))?;
    let progress = bar("synthesis, place and route", "runs", Some(1 + args.place.len() as u64));
    let verilog = emit()?;
    let report = gates::count(&verilog, &library).map_err(|e| other(&e))?;
    progress.inc(1);
    let mut placed = Vec::new();
    let (text, added) = if wide { place::few_pins(&verilog) } else { (verilog, 0) };
    for device in &args.place {
        let mut report = place::place(&text, *device, args.seed, target_mhz(*device)).map_err(|e| other(&e))?;
        report.subtract_flip_flops(added);
        placed.push(report);
        progress.inc(1);
    }
    progress.finish_and_clear();
    Ok((report, placed))
}

/// A number of gates, without its fraction.
fn whole(gates: f64) -> String {
    count(gates.round() as u64)
}

fn print_gates(
    name: &str,
    cores: u8,
    options: &SystemOptions,
    r: &GateReport,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    writeln!(
        out,
        "{name}, {}, {} ingress{}, event FIFOs of {} entries ({} usable); library {}; {}\n",
        plural(cores, "core"),
        options.ingress.name(),
        options.channels_text(),
        options.fifo_depth(),
        options.fifo_entries(),
        r.library,
        r.tool
    )?;
    let mut table = Table::new([
        ("block, flattened", Left),
        ("NAND2", Right),
        ("flip-flops", Right),
        ("memory bits", Right),
        ("with memory", Right),
    ]);
    for b in &r.blocks {
        table.row([
            b.block.clone(),
            whole(b.gates),
            count(b.flip_flops),
            count(b.memory_bits),
            whole(b.gates + 1.5 * b.memory_bits as f64),
        ]);
    }
    let flip_flops: u64 = r.blocks.iter().map(|b| b.flip_flops).sum();
    table.row([
        "all, mapped at once".to_string(),
        whole(r.gates),
        count(flip_flops),
        count(r.memory_bits),
        whole(r.with_memory()),
    ]);
    table.print(out)?;
    Ok(())
}

/// The paper's figures and ours, for its address width of 30 bits.
fn print_stream_cache(sc: &StreamCacheParams, out: &mut dyn Write) -> Result<(), Failure> {
    let (bytes, gates) = (sc.state_bytes(30), sc.paper_gates(30));
    write!(out, "with addresses of 30 bits as in paper 001: {bytes} bytes, {} gates", count(gates.into()))?;
    let published = match sc.variant {
        _ if (sc.sets, sc.ways) != (32, 4) => "",
        Variant::Base => "; published: 771 bytes",
        Variant::Ebase => "; published: 775 bytes",
        Variant::Rbase => "; published: 582 bytes, and about 6,100 gates in paper 002",
    };
    writeln!(out, "{published}")?;
    Ok(())
}

fn print_place(p: &PlaceReport, out: &mut dyn Write) -> Result<(), Failure> {
    let r = p.resources;
    let cells = match p.device {
        place::Device::Hx8k => board::Device::Hx8k.luts(),
        place::Device::Ecp5 => board::Device::Ecp45.luts(),
        place::Device::Ecp85 => board::Device::Ecp85.luts(),
    };
    writeln!(
        out,
        "\n{}: {} of {} logic cells ({}; {} LUT4, {} flip-flops, {} carry), {} block RAM, {} LUT RAM, {:.1} MHz; seed {}; {}; {}\n",
        p.device.name(),
        count(p.cells),
        count(cells),
        percent(p.cells, cells),
        count(r.lut4),
        count(r.flip_flops),
        count(r.carry),
        r.block_ram,
        r.lut_ram,
        p.fmax_mhz,
        p.seed,
        p.yosys,
        p.nextpnr
    )?;
    let mut table =
        Table::new([("block, hierarchy kept", Left), ("LUT4", Right), ("flip-flops", Right), ("block RAM", Right)]);
    for (name, b) in &p.blocks {
        table.row([name.clone(), count(b.lut4), count(b.flip_flops), b.block_ram.to_string()]);
    }
    table.print(out)?;
    writeln!(out, "\nBlocks are synthesised apart, without optimisation across them: their sum exceeds the total.")?;
    if let Some(path) = &p.longest_path {
        let (logic, routing) = (path.logic_ns, path.routing_ns);
        let blocks: Vec<String> = path.blocks.iter().map(|(block, ns)| format!("{block} {ns:.1}")).collect();
        writeln!(
            out,
            "\nlongest path: {:.1} ns ({logic:.1} in cells, {routing:.1} between them), {} cells",
            logic + routing,
            path.cells
        )?;
        writeln!(out, "  from {}\n  to   {}\n  by block, ns: {}", path.from, path.to, blocks.join(", "))?;
    }
    Ok(())
}
