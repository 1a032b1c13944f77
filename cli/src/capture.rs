//! `goshawk capture`: a trace from a board

use crate::args::ParamArgs;
use crate::output::{count, facts, Object, TOOL};
use crate::progress::bar;
use crate::soc::CoreName;
use crate::{Failure, Status};
use fpga::soc::core::CoreKind;
use fpga::soc::frame::{Deframer, Item, LineStats};
use serde_json::json;
use sim::elf::Program;
use sim::file::hex;
use sim::file::trace::{TraceInfo, TraceWriter};
use sim::golden::system::header;
use sim::params::TraceParams;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Receive a trace from a board
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk capture serial --port /dev/ttyUSB1 --core picorv32 --set small -o board.gtr --json"
)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Serial(SerialArgs),
}

/// Receive the frames of a SoC's serial port, and write a trace file
///
/// Ends with the SoC's end frame, or when the line is silent for --timeout. What the program prints goes to
/// standard output. Frames that are damaged or missing are told; the trace file then ends where the first one is
/// missing, and the exit code is 1.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk capture serial --port /dev/ttyUSB1 --baud 1000000 --core picorv32 --set small \
    --elf firmware.elf -o board.gtr"
)]
pub struct SerialArgs {
    /// Serial device
    #[arg(long, value_name = "DEVICE")]
    port: String,
    /// Bits per second
    #[arg(long, value_name = "RATE", default_value_t = 1_000_000)]
    baud: u32,
    /// Trace file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Softcore of the SoC
    #[arg(long, value_enum)]
    core: CoreName,
    /// Cores of the SoC, 1 to 8
    #[arg(long, value_name = "N", default_value_t = 1)]
    cores: u8,
    /// The program that runs, for the trace file to name
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Give up after so many seconds without a byte
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Serial(args) => serial(args, out),
    }
}

/// What came.
#[derive(Debug, Default)]
struct Received {
    words: Vec<u32>,
    console: Vec<u8>,
    exit_code: Option<u32>,
    /// The end frame came.
    ended: bool,
    /// Words after the first missing frame: of no use, since the stream has a hole.
    behind: u64,
    broken: bool,
    line: LineStats,
}

impl Received {
    fn take(&mut self, item: Item) {
        match item {
            Item::Words(w) if self.broken => self.behind += w.len() as u64,
            Item::Words(w) => self.words.extend(w),
            Item::Console(c) => self.console.extend(c),
            Item::Lost(_) => self.broken = true,
            Item::End(code) => {
                self.ended = true;
                self.exit_code = code;
            }
        }
    }
}

fn receive(args: &SerialArgs) -> Result<Received, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Other(format!("{}: {e}", args.port));
    let mut port =
        serialport::new(&args.port, args.baud).timeout(Duration::from_millis(200)).open().map_err(|e| failed(&e))?;
    let progress = bar("receiving", "bytes", None);
    let (mut received, mut deframer, mut items) = (Received::default(), Deframer::default(), Vec::new());
    let mut last = Instant::now();
    let mut buffer = [0; 4096];
    while !received.ended {
        match port.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                last = Instant::now();
                progress.inc(n as u64);
                deframer.push(&buffer[..n], &mut items);
                items.drain(..).for_each(|item| received.take(item));
            }
            Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {
                if last.elapsed() >= Duration::from_secs(args.timeout) {
                    break;
                }
            }
            // the other side was unplugged
            Err(e) if e.kind() == ErrorKind::BrokenPipe || e.raw_os_error() == Some(5) => break,
            Err(e) => return Err(failed(&e)),
        }
    }
    progress.finish_and_clear();
    received.line = deframer.finish();
    Ok(received)
}

/// Refuses a stream of other parameters before it is written.
fn check_header(args: &SerialArgs, params: &TraceParams, words: &[u32]) -> Result<(), Failure> {
    let right = header(params);
    let Some(found) = words.get(..right.len()) else {
        return Err(Failure::Other(format!(
            "{}: {} trace words came; a stream begins with {} words of header",
            args.port,
            words.len(),
            right.len()
        )));
    };
    if found != right {
        return Err(Failure::Other(format!(
            "{}: the stream begins with {found:08x?}; with --core, --cores and --set as given it would with {right:08x?}",
            args.port
        )));
    }
    Ok(())
}

fn serial(args: &SerialArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (mut params, set) = args.params.resolve(args.cores, 32)?;
    params.align = CoreKind::from(args.core).core().align();
    let (build_id, program) = match &args.elf {
        None => (String::new(), String::new()),
        Some(path) => {
            let name = path.display().to_string();
            let data = std::fs::read(path).map_err(|e| Failure::io(path, e))?;
            let program = Program::parse(&data).map_err(|source| Failure::Program { name: name.clone(), source })?;
            (hex(&program.build_id), name)
        }
    };
    let received = receive(args)?;
    check_header(args, &params, &received.words)?;
    let info = TraceInfo { tool: TOOL.into(), params, set: set.clone(), build_id, program };
    let mut writer = TraceWriter::create(&args.output, &info)?;
    writer.write(received.words.iter().copied())?;
    writer.finish()?;
    report(args, &params, set.as_deref(), &received, out)?;
    let whole = received.ended && !received.broken;
    Ok(if whole { Status::Done } else { Status::Different })
}

fn report(
    args: &SerialArgs,
    params: &TraceParams,
    set: Option<&str>,
    r: &Received,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let console = String::from_utf8_lossy(&r.console);
    let LineStats { frames, lost, noise } = r.line;
    if args.json {
        return Ok(Object::new("capture serial", &args.port)
            .with_params(params, set)
            .with("baud", args.baud.into())
            .with("words", r.words.len().into())
            .with("ended", r.ended.into())
            .with("exit_code", json!(r.exit_code))
            .with(
                "frames",
                json!({ "good": frames, "lost": lost, "noise_bytes": noise, "words_behind_a_loss": r.behind }),
            )
            .with("console", console.into())
            .with("output", args.output.display().to_string().into())
            .print(out)?);
    }
    write!(out, "{console}")?;
    if !console.is_empty() && !console.ends_with('\n') {
        writeln!(out)?;
    }
    let end = match (r.ended, r.exit_code) {
        (true, Some(code)) => format!("with code {code}"),
        (true, None) => "stopped by the host".into(),
        (false, _) => "CUT: no end frame came".into(),
    };
    let line = if lost == 0 && noise == 0 {
        format!("{} frames, none lost", count(frames))
    } else {
        format!("{} frames, {} LOST, {} bytes of noise", count(frames), count(lost), count(noise))
    };
    let mut lines = vec![
        ("ended", end),
        ("line", line),
        ("trace", format!("{} words", count(r.words.len() as u64))),
        ("written", args.output.display().to_string()),
    ];
    if r.broken {
        let text = format!("up to the first lost frame; {} words came behind it", count(r.behind));
        lines.push(("trace is whole", text));
    }
    facts(out, &lines)?;
    Ok(())
}
