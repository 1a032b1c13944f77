//! `goshawk diag gen`: a diagnosis chip as Verilog, with its registers and test vectors

use super::chip::{check_clocks, check_masters, generator, with_circuits};
use super::vectors::{self, Vectors};
use crate::files::OutputPath;
use crate::hardware::module_name;
use crate::output::{count, facts, plural, Object, TOOL};
use crate::package::{write_all, File};
use crate::ports::{self, Meaning};
use crate::{Failure, Status};
use hdl::diag::chip::{ChipError, DiagParams};
use hdl::emit::{emit_diag, EmitError};
use hdl::verilog::Style;
use serde_json::{json, Value};
use sim::diag::chip::FIRST_NODE;
use sim::diag::describe;
use sim::diag::node::NodeKind;
use sim::diag::packet::HOST;
use sim::diag::trigger::GeneratorParams;
use std::io::Write;

/// Write the Verilog of a diagnosis chip, its registers and test vectors
///
/// Each core has an event generator at an RVFI port with data. The host configures the generators and nodes by packets
/// over the ring, and receives their packets as bytes of frames.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag gen --cores 4 -o diag4\n  \
    goshawk diag gen --cores 2 --lite --nodes count:64,histogram -o diag-lite --json\n  \
    goshawk diag gen --cores 2 --masters 1 -o diag-dma\n  \
    goshawk diag gen --cores 2 --core-clocks 1 -o diag-clocks\n  \
    goshawk diag gen --xlen 64 --masters 1 -o diag-rv64\n  \
    goshawk diag gen --nodes machine,aggregate:64 --module-name acme_diag -o acme")]
pub struct Args {
    /// Folder to write to; it is created if missing
    #[arg(short, long, value_name = "DIR")]
    output: OutputPath,
    /// Number of cores, with one event generator each, 1 to 16
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    cores: u8,
    /// Number of bus masters that are not cores, each with an event generator; with the cores at most 16
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=15))]
    masters: u8,
    /// Number of cores with separate clocks, the first ones. What they retire crosses to the clock of the chip, which should
    /// be at least as fast: if an instruction cannot cross, all later events of its core report losses
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16),
        conflicts_with_all = ["stall", "windows"])]
    core_clocks: u8,
    /// Output `stall` for each core and bus master, with which its event generator stalls it instead of losing events
    #[arg(long, conflicts_with = "lite")]
    stall: bool,
    /// Event generators without data: they match addresses only
    #[arg(long)]
    lite: bool,
    /// Nodes on the ring, up to 40: filter, count:2 to 128, pair:2 to 64, aggregate:2 to 256, histogram:2 to 8, machine
    /// [default: one of each, two filters, two machines]
    #[arg(long, value_name = "KIND[:N],...", value_delimiter = ',', conflicts_with = "no_nodes")]
    nodes: Vec<NodeKind>,
    /// Build no nodes: all events go to the host
    #[arg(long)]
    no_nodes: bool,
    /// A trace window for each event generator: trigger points open and close it, and an output per core marks the
    /// instructions that a separate trace system must hide
    #[arg(long)]
    windows: bool,
    /// Address width of the cores: 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = 32, value_parser = xlen)]
    xlen: u8,
    /// Name of the top module, and prefix of all others
    #[arg(long, value_name = "NAME", default_value = "goshawk_diag", value_parser = module_name)]
    module_name: String,
    /// Omit the power-up values of registers, so that only reset initialises them
    #[arg(long)]
    no_initial: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Parses the width of addresses.
fn xlen(text: &str) -> Result<u8, String> {
    match text {
        "32" => Ok(32),
        "64" => Ok(64),
        _ => Err("expected 32 or 64".into()),
    }
}

/// Name of the Verilog file.
const VERILOG: &str = "goshawk_diag.v";

/// File of the constraints of the clock crossings.
const CONSTRAINTS: &str = "crossing.sdc";

/// Descriptions of a chip's ports; RVFI ports without data are described as for a trace system.
const MEANINGS: [Meaning; 23] = [
    ("host_valid", "a byte of a frame from the host is here, and stays until `host_ready`", "host_valid"),
    ("host_octet", "the byte", "host_octet"),
    ("host_ready", "it is taken at this edge if `host_valid`", "host_ready"),
    ("valid", "a byte of a frame for the host is here, and stays until `ready`", "link_valid"),
    ("octet", "the byte", "link_octet"),
    ("ready", "it is taken at this edge if `valid`", "link_ready"),
    ("rvfi_rd_addr", "register that it writes; 0: none", "core@_rvfi_rd_addr"),
    ("rvfi_rd_wdata", "what it writes there", "core@_rvfi_rd_wdata"),
    ("rvfi_mem_addr", "address of its memory access", "core@_rvfi_mem_addr"),
    ("rvfi_mem_rmask", "bytes that it loads, from that address on", "core@_rvfi_mem_rmask"),
    ("rvfi_mem_wmask", "bytes that it stores", "core@_rvfi_mem_wmask"),
    ("rvfi_mem_rdata", "what it loads", "core@_rvfi_mem_rdata"),
    ("rvfi_mem_wdata", "what it stores", "core@_rvfi_mem_wdata"),
    ("hide", "what was at the RVFI port one cycle earlier is outside of the window: `hide_i` of a trace system whose ports are delayed by one cycle", "core@_hide"),
    ("master_valid", "the bus master stores: the bus accepts it in this cycle", "master@_valid"),
    ("master_addr", "address of the word, or of the first byte", "master@_addr"),
    ("master_mask", "bytes that it stores, 1, 2 or 4 adjacent ones, from that address on", "master@_mask"),
    ("master_data", "what it stores", "master@_data"),
    ("stall", "the core must wait, if the host enabled it: at most 5 more instructions may retire without a loss", "core@_stall"),
    ("master_stall", "the bus master must wait, if the host enabled it", "master@_stall"),
    ("core_clock", "clock of the core: its RVFI port and `cause` change with it", "core@_clock"),
    ("core_reset", "reset of the core, synchronous to `core_clock`: the next instruction is the first after it", "core@_reset"),
    ("cause", "of the trap before this instruction; 0 where the core does not report it", "core@_cause"),
];

/// A client of the ring: address, kind, capacity, and unit of the capacity.
type Client = (u8, &'static str, u16, &'static str);

/// All clients except the host.
fn clients(params: &DiagParams) -> Vec<Client> {
    let name = if params.generator.lite { "lite event generator" } else { "full event generator" };
    let generators = (0..params.cores).map(|c| (c, name, params.generator.slots.into(), "triggers"));
    let of_masters = "event generator of a bus master";
    let slots = GeneratorParams::MASTER.slots.into();
    let masters = (params.cores..params.producers()).map(|m| (m, of_masters, slots, "triggers"));
    let nodes = params.nodes.iter().enumerate().map(|(n, kind)| {
        let (capacity, of) = kind.capacity();
        (FIRST_NODE + n as u8, kind.name(), capacity, of)
    });
    generators.chain(masters).chain(nodes).collect()
}

/// Documentation of clients, packets, registers and frames.
fn registers(params: &DiagParams) -> String {
    let mut text = format!(
        "# Clients of the ring\n\nThe host has address {HOST}. Registers 0 and 1 of a client hold its kind and its capacity.\n\n\
         | address | client | kind | capacity |\n| ---: | --- | ---: | --- |\n"
    );
    let kinds = params.nodes.iter().map(|k| k.registers()[0]);
    let kinds = (0..params.producers()).map(|_| 1).chain(kinds);
    for ((address, name, capacity, of), kind) in clients(params).into_iter().zip(kinds) {
        text += &format!("| {address} | {name} | {kind} | {capacity} {of} |\n");
    }
    format!("{text}\n{}\n{}", describe::markdown(), ::diag::link::markdown())
}

fn described(params: &DiagParams) -> Value {
    let client = |(address, name, capacity, of): Client| json!({ "address": address, "client": name, "capacity": capacity, "of": of });
    let g = &params.generator;
    json!({
        "cores": params.cores, "core_clocks": params.clocked, "masters": params.masters, "canonical": params.to_string(),
        "generator": { "lite": g.lite, "slots": g.slots, "wide_slots": g.wide, "open_calls": g.returns, "stack_words": g.stack, "fifo": g.fifo, "stalls": g.stalls },
        "clients": clients(params).into_iter().map(client).collect::<Vec<_>>(),
    })
}

/// `crossing.sdc`: all paths between the clock of a core and that of the chip are shorter than a period of the clock that
/// receives them.
fn constraints(params: &DiagParams) -> String {
    let mut s = "# Constraints of the clock crossings (--core-clocks), to read after the clocks are defined\n\
         #\n\
         # goshawk_clock, goshawk_core_clock_N      names of the clocks at the ports `clock` and `core_clock_N`\n\
         # goshawk_period, goshawk_core_period_N    their periods, in the time unit of the tool\n\
         # goshawk_options                          {-datapath_only} in Vivado, {-ignore_clock_latency} in Design Compiler\n\
         #\n\
         # The clocks must not be in asynchronous groups (set_clock_groups): a group has precedence over these delays.\n"
        .to_string();
    let mut default = |name: &str, value: &str| {
        s.push_str(&format!("if {{![info exists {name}]}} {{ set {name} {value} }}\n"));
    };
    default("goshawk_options", "{}");
    default("goshawk_clock", "clock");
    default("goshawk_period", "10.0");
    for i in 0..params.clocked {
        default(&format!("goshawk_core_clock_{i}"), &format!("core_clock_{i}"));
        default(&format!("goshawk_core_period_{i}"), "10.0");
    }
    for i in 0..params.clocked {
        let (chip, core) = ("goshawk_clock".to_string(), format!("goshawk_core_clock_{i}"));
        let core_period = format!("goshawk_core_period_{i}");
        let paths = [
            ("instructions, and the number of written ones in Gray code", &core, &chip, "goshawk_period"),
            (
                "number of read instructions, in Gray code, and the request after a reset",
                &chip,
                &core,
                core_period.as_str(),
            ),
        ];
        for (what, from, to, period) in paths {
            s.push_str(&format!(
                "\n# core {i}: {what}\nset_max_delay {{*}}$goshawk_options ${period} \\\n    \
                 -from [get_clocks ${from}] -to [get_clocks ${to}]\n"
            ));
        }
    }
    s
}

fn files(params: &DiagParams, style: &Style) -> Result<Vec<File>, Failure> {
    let verilog = emit_diag(params, style).map_err(|e| {
        Failure::Other(match e {
            EmitError::Diag(ChipError::Node(..) | ChipError::Number(_, "nodes", _)) => format!("`--nodes`: {e}"),
            _ => e.to_string(),
        })
    })?;
    let lines = count(verilog.lines().count() as u64);
    let ports = ports::markdown_with(&verilog, style, params.generator.xlen, "diag", &MEANINGS);
    let json = json!({ "tool": TOOL, "parameters": described(params) });
    let v = Vectors::make(params)?;
    let bench = vectors::bench(params, style, &v);
    let (packets, bytes) = (count(v.packets as u64), count(v.bytes.len() as u64));
    let mut files = vec![
        (VERILOG, verilog, format!("Verilog, top module `{}`, {lines} lines", style.name)),
        (ports::FILE, ports, "ports, and an instance to copy".into()),
        ("registers.md", registers(params), "clients of the ring, packets, registers, frames".into()),
        ("parameters.json", format!("{json:#}\n"), "all parameters".into()),
        ("host.hex", v.host_text(), "test vectors: bytes of the host's frames".into()),
        ("beats.txt", v.beats.clone(), "test vectors: what happens in which clock".into()),
        ("bytes.hex", v.bytes_text(), format!("test vectors: {bytes} bytes of {packets} frames")),
        (vectors::FILE, bench, "test bench that plays them".into()),
    ];
    if params.clocked > 0 {
        files.push((CONSTRAINTS, constraints(params), "constraints of the clock crossings".into()));
    }
    Ok(files)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let nodes = match (args.no_nodes, args.nodes.is_empty()) {
        (true, _) => Vec::new(),
        (false, true) => with_circuits(),
        (false, false) => args.nodes.clone(),
    };
    let generator = GeneratorParams { stalls: args.stall, xlen: args.xlen, ..generator(args.lite) };
    let (cores, masters) = (args.cores, args.masters);
    check_masters(cores, masters)?;
    check_clocks(cores, args.core_clocks)?;
    if args.core_clocks > 0 && args.xlen == 64 {
        return Err(Failure::Other(format!("`--core-clocks {}`: not with `--xlen 64`", args.core_clocks)));
    }
    let params = DiagParams {
        cores,
        generator,
        outside: Vec::new(),
        nodes,
        windows: args.windows,
        masters,
        clocked: args.core_clocks,
    };
    let style = Style { name: args.module_name.clone(), initial: !args.no_initial };
    let files = files(&params, &style)?;
    let list = write_all(&args.output, &files)?;
    if args.json {
        Object::new("diag gen", &params.to_string())
            .with("parameters", described(&params))
            .with("folder", args.output.display().to_string().into())
            .with("files", list.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let kind = if args.lite { "lite" } else { "full" };
    let chip = format!(
        "{}{}{}, {kind} event generators, {}",
        plural(params.cores, "core"),
        if args.core_clocks > 0 { format!(" ({} with separate clocks)", args.core_clocks) } else { String::new() },
        if masters > 0 { format!(", {}", plural(masters, "other bus master")) } else { String::new() },
        plural(params.nodes.len() as u64, "node")
    );
    let mut lines =
        vec![("chip", chip), ("parameters", params.to_string()), ("folder", args.output.display().to_string())];
    lines.extend(files.iter().map(|(name, _, what)| (*name, what.clone())));
    facts(out, &lines)?;
    Ok(Status::Done)
}
