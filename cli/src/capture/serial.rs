//! `goshawk capture serial`: receives the trace of a SoC

use crate::args::{range, within, CoreName, ParamArgs};
use crate::files::OutputPath;
use crate::output::{count, facts, Object, TOOL};
use crate::progress::bar;
use crate::{Failure, Status};
use fpga::soc::core::CoreKind;
use fpga::soc::frame::{command, Deframer, Item, LineStats, CONTROL};
use fpga::soc::ring::halves;
use hdl::emit::CORES;
use retire::elf::Program;
use retire::file::{hex, input};
use serde_json::json;
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use sim::system::header;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Receive the trace of a SoC over its serial line, and write a trace file
///
/// Reception ends with the SoC's end frame, or when the line is silent for --timeout. The output of the program goes to
/// standard output. Damaged and missing frames are reported; the trace file then ends at the first missing one, and the
/// exit code is 1.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk capture serial --port /dev/ttyUSB1 --core picorv32 --set small --elf firmware.elf -o board.gtr\n  \
    goshawk capture serial --port /dev/ttyUSB1 --core picorv32 --cores 4 --set medium --go --halt-after 10 -o board.gtr --json"
)]
pub struct Args {
    /// Serial device
    #[arg(long, value_name = "DEVICE")]
    port: String,
    /// Baud rate of the serial line
    #[arg(long, value_name = "BAUD", default_value_t = 1_000_000)]
    baud: u32,
    /// Trace file to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Softcore of the SoC
    #[arg(long, value_enum)]
    core: CoreName,
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = within(&CORES), help = format!("Number of cores of the SoC, {}", range(&CORES)))]
    cores: u8,
    /// Program that runs on the SoC; the trace file records its build ID
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Start the cores of a SoC that was built with `--wait`
    #[arg(long)]
    go: bool,
    /// Time after which the cores are stopped, in seconds; the rest of the trace is still received [default: never]
    #[arg(long, value_name = "SECONDS")]
    halt_after: Option<u64>,
    /// Expect a circular trace buffer in the SoC: its newer half is written to --output, its older half, if any, to
    /// OUTPUT.older
    #[arg(long)]
    buffer: bool,
    /// Longest silence of the line, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Data received over a serial line.
#[derive(Debug, Default)]
struct Received {
    words: Vec<u32>,
    console: Vec<u8>,
    exit_code: Option<u32>,
    /// Whether the end frame has arrived.
    ended: bool,
    /// Words after the first missing frame: unusable, since the stream has a hole.
    words_after_loss: u64,
    broken: bool,
    /// The older half of a trace buffer: output file, and number of words.
    older: Option<(PathBuf, usize)>,
    /// Whether the end of a half of the trace buffer did not fit, older half first.
    cut: [bool; 2],
    /// Number of responses to commands.
    responses: u64,
    line: LineStats,
}

impl Received {
    fn take(&mut self, item: Item) {
        match item {
            Item::Words(w) if self.broken => self.words_after_loss += w.len() as u64,
            Item::Words(w) => self.words.extend(w),
            Item::Console(c) => self.console.extend(c),
            Item::Lost(_) => self.broken = true,
            Item::Response { .. } => self.responses += 1,
            Item::End(code) => {
                self.ended = true;
                self.exit_code = code;
            }
        }
    }
}

pub(super) fn open(port: &str, baud: u32) -> Result<Box<dyn serialport::SerialPort>, Failure> {
    let opened = serialport::new(port, baud).timeout(Duration::from_millis(200)).open();
    opened.map_err(|e| {
        // for a file, the operating system reports `Not a typewriter`
        let what = match std::path::Path::new(port).is_file() {
            true => "is a file".into(),
            false => e.to_string(),
        };
        Failure::Other(format!("`--port {port}`: {what}; expected a serial device, such as /dev/ttyUSB1"))
    })
}

fn receive(args: &Args) -> Result<Received, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Other(format!("{}: {e}", args.port));
    let mut port = open(&args.port, args.baud)?;
    if args.go {
        port.write_all(&command(CONTROL, Some(1))).map_err(|e| failed(&e))?;
    }
    let begin = Instant::now();
    let mut halted = false;
    let progress = bar("receiving", "bytes", None);
    let (mut received, mut deframer, mut items) = (Received::default(), Deframer::default(), Vec::new());
    let mut last = Instant::now();
    let mut buffer = [0; 4096];
    while !received.ended {
        if !halted && args.halt_after.is_some_and(|s| begin.elapsed() >= Duration::from_secs(s)) {
            port.write_all(&command(CONTROL, Some(3))).map_err(|e| failed(&e))?;
            halted = true;
        }
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
            // the other side was disconnected
            Err(e) if e.kind() == ErrorKind::BrokenPipe || e.raw_os_error() == Some(5) => break,
            Err(e) => return Err(failed(&e)),
        }
    }
    progress.finish_and_clear();
    received.line = deframer.finish(&mut items);
    items.drain(..).for_each(|item| received.take(item));
    Ok(received)
}

/// Refuses a stream with other parameters before it is written.
fn check_header(args: &Args, params: &TraceParams, words: &[u32]) -> Result<(), Failure> {
    let right = header(params);
    if words.first().is_some_and(|w| *w != right[0]) {
        return Err(Failure::Other(format!(
            "{}: the first trace word is {:#010x}, a stream begins with {:#010x}; start the capture before the cores (`goshawk soc build --wait`), or use `--buffer` if the SoC has a \
             circular buffer",
            args.port, words[0], right[0]
        )));
    }
    let Some(found) = words.get(..right.len()) else {
        return Err(Failure::Other(format!(
            "{}: {} trace words were received; a stream begins with {} words of header",
            args.port,
            words.len(),
            right.len()
        )));
    };
    if found != right {
        return Err(Failure::Other(format!(
            "{}: the stream begins with {found:08x?}; expected {right:08x?} for the given `--core`, `--cores` and `--set`",
            args.port
        )));
    }
    Ok(())
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    args.params.no_context("the SoC")?;
    let (mut params, set) = args.params.resolve(args.cores, 32)?;
    params.align = CoreKind::from(args.core).core().isa().align();
    let (build_id, program) = match &args.elf {
        None => (String::new(), String::new()),
        Some(path) => {
            let name = path.display().to_string();
            let data = input::elf(path)?;
            let program = Program::parse(&data).map_err(|e| Failure::program(&name, e))?;
            (hex(&program.build_id), name)
        }
    };
    let mut received = receive(args)?;
    let mut older = Vec::new();
    if args.buffer {
        let [first, second] = halves(&received.words)
            .map_err(|e| Failure::Other(format!("{}: the circular trace buffer did not come whole: {e}", args.port)))?;
        (older, received.words, received.cut) = (first.words, second.words, [first.cut, second.cut]);
    }
    check_header(args, &params, &received.words)?;
    let info = TraceInfo { tool: TOOL.into(), params, set: set.clone(), build_id, program };
    let write = |path: &Path, words: &[u32]| {
        let mut writer = TraceWriter::create(path, &info)?;
        writer.write(words.iter().copied())?;
        writer.finish()
    };
    write(&args.output, &received.words)?;
    if !older.is_empty() {
        received.older = Some((older_file(&args.output), older.len()));
        write(&older_file(&args.output), &older)?;
    }
    report(args, &params, set.as_deref(), &received, out)?;
    let whole = received.ended && !received.broken;
    Ok(if whole { Status::Done } else { Status::Different })
}

/// Output file of the older half of a trace buffer.
fn older_file(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".older");
    name.into()
}

fn report(
    args: &Args,
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
                json!({ "good": frames, "lost": lost, "noise_bytes": noise, "words_behind_a_loss": r.words_after_loss }),
            )
            .with("console", console.into())
            .with(
                "older_half",
                json!(r.older.as_ref().map(|(path, words)| json!({ "output": path, "words": words, "cut": r.cut[0] }))),
            )
            .with("cut", r.cut[1].into())
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
        (false, _) => "CUT: no end frame was received".into(),
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
    if let Some((path, words)) = &r.older {
        lines.push(("older half", format!("{} words in {}", count(*words as u64), path.display())));
    }
    if r.cut.contains(&true) {
        let which = match r.cut {
            [true, true] => "of both halves",
            [true, false] => "of the older half",
            _ => "of the newer half",
        };
        lines.push(("did not fit", format!("the end {which}; a larger buffer or smaller event FIFOs would do")));
    }
    if args.go && r.responses == 0 {
        lines.push(("host", "the SoC did not answer: it accepts no commands, or rx is not connected".into()));
    }
    if r.broken {
        let text = format!("up to the first lost frame; {} words were received after it", count(r.words_after_loss));
        lines.push(("trace is whole", text));
    }
    facts(out, &lines)?;
    Ok(())
}
