//! `goshawk import` and `goshawk export`: branch traces in the exchange format `rbt1`

use crate::output::{count, facts, plural, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::input::Input;
use host::machine::Settings;
use host::recording::{FileKind, Recording};
use retire::file::rbt1::{Rbt1Reader, Rbt1Writer};
use retire::file::retire::DataWriter;
use retire::{DataEvent, FlowEvent, RetireSink};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Turn a branch trace (rbt1, zstd-compressed or not) into a retire file
///
/// Threads become harts, in the order in which they appear. No program is needed: every command that takes
/// --elf takes the retire file or the branch trace in its place.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk import gcc.rbt1.zst -o gcc.ret\n  \
    goshawk encode gcc.rbt1.zst --pc-shift 0 -o gcc.gtr\n  \
    goshawk replay gcc.gtr --elf gcc.rbt1.zst --check gcc.rbt1.zst")]
pub struct ImportArgs {
    /// Branch trace
    #[arg(value_name = "RBT1")]
    input: PathBuf,
    /// Retire file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Turn a retire file into a branch trace (rbt1)
///
/// Cycles, data and the causes of traps are not in this format. Of a file that import made it gives the records that
/// were imported.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk export vm.ret -o vm.rbt1.zst\n  goshawk export vm.ret -o vm.rbt1")]
pub struct ExportArgs {
    /// Retire file
    #[arg(value_name = "RET")]
    input: PathBuf,
    /// Branch trace to write; zstd-compressed if its name ends in .zst
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Counts the events on their way.
struct Counted<S> {
    sink: S,
    events: u64,
}

impl<S: RetireSink> RetireSink for Counted<S> {
    const WANTS_DATA: bool = S::WANTS_DATA;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.events += 1;
        self.sink.event(event);
    }

    #[inline]
    fn data(&mut self, data: &DataEvent) {
        self.sink.data(data);
    }
}

/// Tells `recording` to `sink`; returns events and instructions.
fn tell(recording: Recording, sink: impl RetireSink) -> Result<(u64, u64), Failure> {
    let mut counted = Counted { sink, events: 0 };
    let input = Input::Recording(Box::new(recording), None);
    let told = input.run(1, &Settings::default())?.tell(&mut counted, &Bars)?;
    Ok((counted.events, told.instructions))
}

/// Runs `import`.
pub fn import(args: &ImportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let kind = FileKind::of(&args.input)?;
    if kind != FileKind::Retire && kind != FileKind::Rbt1 {
        // it says what a branch trace begins with
        Rbt1Reader::open(&args.input)?;
    }
    let recording = Recording::open(&args.input)?;
    if !recording.is_rbt1() {
        let name = args.input.display();
        return Err(Failure::Other(format!("{name}: is a retire file already; import takes branch traces (rbt1)")));
    }
    let info = recording.info().clone();
    let mut writer = DataWriter::create(&args.output, &info)?;
    let (events, instructions) = tell(recording, &mut writer)?;
    writer.finish()?;
    let output = args.output.display().to_string();
    if args.json {
        Object::new("import", &args.input.display().to_string())
            .with("source", info.source.into())
            .with("harts", info.harts.into())
            .with("xlen", info.xlen.into())
            .with("build_id", info.build_id.into())
            .with("events", events.into())
            .with("instructions", instructions.into())
            .with("output", output.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let lines = [
        ("branch trace", info.source),
        ("addresses", format!("of {} bits", info.xlen)),
        ("harts", info.harts.to_string()),
        ("events", count(events)),
        ("instructions", count(instructions)),
        ("written", output),
    ];
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Runs `export`.
pub fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let recording = Recording::open(&args.input)?;
    let (harts, threads) = (recording.info().harts, recording.info().threads.clone());
    let compressed = args.output.extension().is_some_and(|e| e == "zst");
    let mut writer = Rbt1Writer::create(&args.output, compressed, &threads)?;
    let (_, instructions) = tell(recording, &mut writer)?;
    let written = writer.finish()?;
    let output = args.output.display().to_string();
    if args.json {
        Object::new("export", &args.input.display().to_string())
            .with("harts", harts.into())
            .with("instructions", instructions.into())
            .with("records", written.records.into())
            .with("swaps_as_returns", json!(written.swaps))
            .with("output", output.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("run", plural(harts, "hart")),
        ("instructions", count(instructions)),
        ("records", count(written.records)),
        ("written", output),
    ];
    if written.swaps > 0 {
        lines.push(("changed", format!("{}, written as returns", plural(written.swaps, "co-routine swap"))));
    }
    facts(out, &lines)?;
    Ok(Status::Done)
}
