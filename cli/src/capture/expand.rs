//! `goshawk capture expand`: the files of a packed recording

use super::files::FileArgs;
use super::summary::Summary;
use crate::files::input_name;
use crate::{signals, Failure, Status};
use ::capture::cost::Cost;
use ::capture::packed;
use std::io::Write;
use std::path::Path;

/// Make the other files of `capture run` from a packed recording
///
/// They are the same, byte for byte, as those that `goshawk capture run` would have written. A retire file has loads and stores if the recording has them.
/// The exit code is 2 if the recording lacks the end of what was captured, because a disk was full.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk capture run --packed true.gcap -- /bin/true\n  \
    goshawk capture expand true.gcap -o true.ret\n  \
    goshawk capture expand true.gcap --mcf true.mcf --ascii --statistics true.json")]
pub struct Args {
    /// Packed recording, of `capture run --packed`
    #[arg(value_name = "FILE", value_parser = input_name())]
    input: String,
    #[command(flatten)]
    files: FileArgs,
    /// Number of harts in the recording, 1 to 16 (with --rbt1 1 to 8); further threads share them [default: the most
    /// threads at one time, of a whole machine its harts]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    harts: Option<u8>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let name = &args.input;
    let mut captured = packed::open(Path::new(name))?;
    let data = captured.has_data();
    if let Some(option) = args.files.needs_data().filter(|_| !data) {
        let what = "has no loads and stores; expected one of `capture run --data --packed`";
        return Err(Failure::Other(format!("{option}: {name} {what}")));
    }
    if args.files.disassemble && !captured.text {
        let what = "has no disassembled instructions; expected one of `capture run --packed FILE --mcf FILE --ascii --disassemble`";
        return Err(Failure::Other(format!("--disassemble: {name} {what}")));
    }
    let wanted = args.files.wanted(captured.executable.machine.xlen(), data, None, None);
    args.files.check_harts(args.harts, &wanted)?;
    signals::stop_on_requests(u32::MAX);
    let harts = args.harts.unwrap_or_else(|| captured.harts(wanted.max_harts()));
    let (files, writing) = Cost::of(|| args.files.write(&mut captured, &wanted, harts, data))?;
    let cost = [Cost { seconds: 0.0 }, writing];
    let summary = Summary {
        command: "capture expand",
        input: name.into(),
        captured: &captured,
        outcome: &files.outcome,
        data,
        plain: None,
        cost,
    };
    summary.print_warnings();
    files.print_end();
    if args.json {
        summary.json().print(out)?;
    } else {
        summary.text(out)?;
    }
    Ok(match files.cut {
        _ if captured.failure.is_some() || files.is_partial() => Status::Partial,
        Some(signal) => Status::Code((128 + signal) as u8),
        None => Status::Done,
    })
}
