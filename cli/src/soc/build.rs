//! `goshawk soc build`: builds a SoC for a board, up to the bitstream

use super::sim::{load, unsuitable};
use crate::args::{range, within, CoreName, ParamArgs};
use crate::files::OutputPath;
use crate::hardware::{fifo_help, parse_depth};
use crate::output::{count, facts, percent, Object};
use crate::progress::bar;
use crate::{Failure, Status};
use fpga::place::Resources;
use fpga::soc::board::{self, Board, BOARDS};
use fpga::soc::build::{build, core_alone, BuildOptions, Built};
use fpga::soc::core::CoreKind;
use fpga::soc::image;
use fpga::soc::top::{Host, Output, SocConfig, LOG2_BUFFER, LOG2_RAM};
use hdl::emit::CORES;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Synthesise, place and route a SoC for a board, and pack its bitstream
///
/// Trace, console and exit code leave on the board's serial line (`goshawk capture serial` receives them). Verilog,
/// netlist, logs and bitstream stay in the output folder. With --compare, the SoC without trace modules and the core
/// alone are built too, to show the cost of tracing.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk soc build --board ice40_hx8k_b_evn --set small\n  \
    goshawk soc build --board colorlight_i5 --cores 4 --set medium --compare --json\n  \
    goshawk soc build --board ulx3s_85f --core vexriscv --cores 2 --elf firmware.elf -o bit\n\nBoards: ice40_hx8k_b_evn, \
    alchitry_cu, icebreaker, ulx3s_85f, orangecrab, colorlight_i5, colorlight_i9, icesugar_pro")]
pub struct Args {
    /// Name of the board; see the list below
    #[arg(help_heading = "SoC", long, value_name = "BOARD")]
    board: String,
    /// Softcore
    #[arg(help_heading = "SoC", long, value_enum, default_value = "picorv32")]
    core: CoreName,
    #[arg(help_heading = "SoC", long, value_name = "N", value_parser = within(&CORES), help = format!("Number of cores, {} [default: 1 or 4, by the size of the board]", range(&CORES)))]
    cores: Option<u8>,
    /// RISC-V executable in RAM from power-up [default: an endless loop]
    #[arg(help_heading = "Program", long, value_name = "FILE", conflicts_with = "program")]
    elf: Option<PathBuf>,
    /// Built-in program in RAM from power-up, in its build for this core
    #[arg(help_heading = "Program", long, value_name = "NAME")]
    program: Option<String>,
    /// Clock rate of the cores, in MHz, 1 to 400 [default: the board's]
    #[arg(help_heading = "SoC", long = "clock", alias = "mhz", value_name = "MHZ")]
    mhz: Option<f64>,
    /// Baud rate of the serial line
    #[arg(help_heading = "SoC", long, value_name = "BAUD", default_value_t = 1_000_000)]
    baud: u32,
    #[arg(help_heading = "SoC", long, value_name = "BITS", value_parser = within(&LOG2_RAM), help = format!(
        "Size of the RAM, log2 of bytes, {}; every core fetches from its copy [default: the board's]",
        range(&LOG2_RAM)
    ))]
    log2_ram: Option<u8>,
    #[arg(help_heading = "SoC", long = "fifo", value_name = "N", default_value = "256", value_parser = parse_depth, help = fifo_help())]
    log2_fifo: u8,
    #[arg(help_heading = "SoC", long, value_name = "BITS", conflicts_with = "no_trace", value_parser = within(&LOG2_BUFFER), help = format!(
        "Size of a circular trace buffer, log2 of words, {}, which is sent when the cores have stopped [default: none]",
        range(&LOG2_BUFFER)
    ))]
    buffer: Option<u8>,
    /// Hold the cores until the host starts them (`goshawk capture serial --go`)
    #[arg(help_heading = "SoC", long)]
    wait: bool,
    /// Seed of the placement
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u32,
    /// Omit the trace modules
    #[arg(help_heading = "SoC", long)]
    no_trace: bool,
    /// Also build the SoC without trace modules, and show the difference
    #[arg(long, conflicts_with = "no_trace")]
    compare: bool,
    /// Folder to write Verilog, netlist, logs and bitstream to; it is created if missing [default: soc-BOARD]
    #[arg(short = 'o', long = "output", alias = "out", value_name = "DIR")]
    out: Option<OutputPath>,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Results for the same SoC without trace modules, and for the core alone.
struct Untraced {
    soc: Built,
    core: Resources,
}

/// Cycles per bit; a receiver tolerates a deviation of 2 %.
fn divisor(khz: u32, baud: u32) -> Result<u16, Failure> {
    let clock = u64::from(khz) * 1000;
    let (baud, wrong) = (
        u64::from(baud),
        Failure::Other(format!(
            "`--baud {baud}`: cannot be derived from {} MHz within 2 %; expected the clock rate divided by 4 to 65535",
            f64::from(khz) / 1e3
        )),
    );
    let clocks = (clock + baud / 2).checked_div(baud).filter(|d| (4..=65_535).contains(d));
    match clocks {
        Some(d) if (clock / d).abs_diff(baud) * 50 <= baud => Ok(d as u16),
        _ => Err(wrong),
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let names = || BOARDS.map(|b| b.name).join(", ");
    let board = board::find(&args.board)
        .ok_or_else(|| Failure::Other(format!("`--board {}`: expected one of {}", args.board, names())))?;
    let kind = CoreKind::from(args.core);
    let cores = args.cores.unwrap_or(board.cores);
    args.params.no_context("the SoC")?;
    let (mut params, set) = args.params.resolve(cores, 32)?;
    params.align = kind.core().isa().align();
    let mhz = args.mhz.unwrap_or(f64::from(board.core_khz) / 1e3);
    if !(1.0..=400.0).contains(&mhz) {
        return Err(Failure::Other(format!("`--clock {mhz}`: expected 1 to 400")));
    }
    let khz = (mhz * 1e3).round() as u32;
    let divisor = divisor(khz, args.baud)?;
    let config = SocConfig {
        core: kind,
        cores,
        log2_ram: args.log2_ram.unwrap_or(board.log2_ram),
        private_fetch: true,
        trace: (!args.no_trace).then_some(params),
        record: None,
        values: None,
        self_trace: None,
        dma: false,
        record_after: 0,
        log2_fifo: args.log2_fifo,
        buffer: args.buffer,
        output: Output::Uart { divisor },
        host: match (args.wait, board.host) {
            (true, _) => Host::Starts,
            (false, true) => Host::Controls,
            (false, false) => Host::Listens,
        },
        tick: u16::try_from(khz / 1000).unwrap_or(1).max(1),
    };
    config.check().map_err(|e| other(&e))?;
    let (image, program) = match load(args.elf.as_deref(), args.program.as_deref(), args.core)? {
        Some((program, name)) => {
            let unsuitable = |e| unsuitable(args.elf.as_deref(), args.program.as_deref(), &e);
            image::check_supported(&program, kind).map_err(unsuitable)?;
            (Some(image::hex(&program, config.ram_bytes()).map_err(unsuitable)?), name)
        }
        None => (None, "an endless loop".to_string()),
    };
    let folder = args.out.as_deref().map_or_else(|| format!("soc-{}", board.name).into(), Path::to_path_buf);
    let make = |path: &Path| std::fs::create_dir_all(path).map_err(|e| Failure::io(path, e));
    make(&folder)?;
    let progress = bar("synthesis", "", None);
    let one = |config: &SocConfig, folder: &Path, name: &str| {
        let options = BuildOptions { khz, seed: args.seed, image: image.as_deref(), folder };
        build(board, config, &options, &mut |stage| progress.set_message(format!("{stage}{name}")))
    };
    let built = one(&config, &folder, "").map_err(|e| other(&e))?;
    let untraced = if args.compare {
        let (without, alone) = (folder.join("without-trace"), folder.join("core-alone"));
        make(&without)?;
        make(&alone)?;
        let soc = one(&SocConfig { trace: None, buffer: None, ..config.clone() }, &without, ", without trace modules");
        let soc = soc.map_err(|e| other(&e))?;
        progress.set_message("synthesis of the core alone".to_string());
        Some(Untraced { soc, core: core_alone(board, &config, &alone).map_err(|e| other(&e))? })
    } else {
        None
    };
    progress.finish_and_clear();
    let status = if built.timing_met() { Status::Done } else { Status::Different };
    if args.json {
        let mut object = Object::new("soc build", board.name);
        if config.trace.is_some() {
            object = object.with_params(&params, set.as_deref());
        }
        object
            .with("soc", json!(config))
            .with("program", program.into())
            .with("built", json!(built))
            .with("timing_met", built.timing_met().into())
            .with("without_trace", json!(untraced.as_ref().map(|u| &u.soc)))
            .with("core_alone", json!(untraced.as_ref().map(|u| u.core)))
            .print(out)?;
        return Ok(status);
    }
    print(board, &config, set.as_deref(), &program, &built, untraced.as_ref(), out)?;
    Ok(status)
}

fn print(
    board: &Board,
    config: &SocConfig,
    set: Option<&str>,
    program: &str,
    b: &Built,
    untraced: Option<&Untraced>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let trace = match (&config.trace, set) {
        (None, _) => "none".to_string(),
        (Some(_), Some(set)) => set.to_string(),
        (Some(p), None) => p.canonical(),
    };
    let used = |n, of| format!("{} of {}, {}", count(n), count(of), percent(n, of));
    let met = if b.timing_met() { "met" } else { "NOT met" };
    let path = match (b.critical_path.first(), b.critical_path.last()) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => "none".to_string(),
    };
    let on_path = if b.trace_on_critical_path { "on the critical path" } else { "not on the critical path" };
    let mut lines = vec![
        ("board", format!("{}, {}", board.title, b.device)),
        ("SoC", format!("{} {}, {} bytes of RAM, {program}", config.cores, config.core.name(), config.ram_bytes())),
        ("trace modules", trace),
        ("LUT4", used(b.resources.lut4, b.device_luts)),
        ("flip-flops", count(b.resources.flip_flops)),
        ("block RAM", used(b.resources.block_ram, b.device_block_rams)),
        ("clock", format!("{:.2} MHz requested, {:.1} MHz reached: {met}", b.clock_mhz, b.fmax_mhz)),
        ("critical path", path),
    ];
    if config.trace.is_some() {
        lines.push(("trace modules are", on_path.to_string()));
    }
    if let Some(u) = untraced {
        let more = b.resources.lut4.saturating_sub(u.soc.resources.lut4);
        let cores = u.core.lut4 * u64::from(config.cores);
        lines.push(("without them", format!("{} LUT4, {:.1} MHz", count(u.soc.resources.lut4), u.soc.fmax_mhz)));
        lines.push((
            "they add",
            format!("{} LUT4, {} of the cores' {}", count(more), percent(more, cores), count(cores)),
        ));
    }
    lines.push(("tools", format!("{}; seed {}", b.tools.join(", "), b.seed)));
    lines.push(("bitstream", b.bitstream.display().to_string()));
    facts(out, &lines)?;
    Ok(())
}
