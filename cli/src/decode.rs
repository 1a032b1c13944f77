//! `goshawk decode`: lists the messages of a trace file

use crate::args::check_core;
use crate::args::contexts::ContextArgs;
use crate::files::input_name;
use crate::output::{report_damage, report_missing, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::input::InputOptions;
use host::trace::{LossSummary, Trace};
use serde_json::json;
use sim::message::{Body, Escape, Message};
use sim::replay::ReplaySink;
use std::io::Write;
use std::path::PathBuf;

/// List the messages of a trace
///
/// The program is required because whether a message carries a target depends on the branch that it reports.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk decode vm.gtr --elf builtin:vm --limit 20\n  \
    goshawk decode firmware.gtr --elf firmware.elf --core 2 --json\n  \
    goshawk decode trace4/words.hex --elf trace4/beats.ret --limit 20")]
pub struct Args {
    /// Trace file, or raw trace words as text or bytes
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME; or, without a program, a recording of the
    /// run (retire file or branch trace)
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: String,
    #[command(flatten)]
    contexts: ContextArgs,
    /// Accept a program with another build ID than the trace or recording names
    #[arg(long)]
    any_build: bool,
    /// Parameters of raw trace words, as `gen` writes them [default: parameters.json in the directory of the words]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// After damage, resume at the next repeated header (`encode --sync-period`)
    #[arg(long)]
    resume: bool,
    /// Maximum number of listed lines: messages
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Core whose part is listed, counted from 0 [default: all]
    #[arg(long, value_name = "N")]
    core: Option<u8>,
    /// Print one JSON object: the parameters of the trace. One object per message follows, one a line
    #[arg(long)]
    json: bool,
}

struct Listing<'a> {
    out: &'a mut dyn Write,
    timestamps: bool,
    cycles: Vec<u64>,
    core: Option<u8>,
    index: u64,
    left: u64,
    json: bool,
    error: Option<std::io::Error>,
}

/// The fields of a message, with their names in the stream format.
fn fields(body: &Body) -> Vec<(&'static str, String)> {
    let hex = |a: u64| format!("0x{a:08x}");
    match *body {
        Body::Outcome { count } | Body::NotTaken { count } => vec![("bCnt", count.to_string())],
        Body::Target { count, target } | Body::Taken { count, target } => {
            vec![("bCnt", count.to_string()), ("TA", hex(target))]
        }
        Body::Stream { length, target } => {
            let mut f = vec![("SL", length.to_string())];
            f.extend(target.map(|t| ("TA", hex(t))));
            f
        }
        Body::Turn { length, next } => vec![("length", length.to_string()), ("next", next.to_string())],
        Body::Hits { count } => vec![("hits", count.to_string())],
        Body::Index { index } => vec![("SCI", index.to_string())],
        Body::Descriptor { length, start } => {
            let mut f = vec![("SL", length.to_string())];
            f.extend(start.map(|a| ("SA", hex(a))));
            f
        }
        Body::Escape(escape) => match escape {
            Escape::Exception { i_cnt, target: at, context } | Escape::Sync { i_cnt, pc: at, context } => {
                let name = if matches!(escape, Escape::Sync { .. }) { "PC" } else { "ETA" };
                let mut f = vec![("iCnt", i_cnt.to_string())];
                f.extend(context.map(|c| ("context", c.to_string())));
                f.push((name, hex(at)));
                f
            }
            Escape::Context { i_cnt, context } => vec![("iCnt", i_cnt.to_string()), ("context", context.to_string())],
            Escape::Overflow { i_cnt, lost } => vec![("iCnt", i_cnt.to_string()), ("lost", lost.to_string())],
            Escape::Resync { i_cnt, signature }
            | Escape::Stop { i_cnt, signature }
            | Escape::Progress { i_cnt, signature } => {
                let mut f = vec![("iCnt", i_cnt.to_string())];
                f.extend(signature.map(|s| ("signature", format!("0x{s:04x}"))));
                f
            }
        },
    }
}

impl Listing<'_> {
    fn print(&mut self, bit: u64, m: &Message) -> std::io::Result<()> {
        let cycle = self.timestamps.then(|| self.cycles[usize::from(m.core)]);
        let fields = fields(&m.body);
        if self.json {
            let fields: serde_json::Map<_, _> = fields.into_iter().map(|(n, v)| (n.to_string(), v.into())).collect();
            let message = json!({
                "message": self.index, "bit": bit, "cycle": cycle, "core": m.core,
                "kind": m.body.kind(), "fields": fields,
            });
            return writeln!(self.out, "{message}");
        }
        let cycle = cycle.map_or_else(|| "-".into(), |c| c.to_string());
        let fields: Vec<String> = fields.into_iter().map(|(n, v)| format!("{n} {v}")).collect();
        let kind = m.body.kind().name();
        writeln!(self.out, "{:>8} {bit:>10} {cycle:>12} {:>4}  {kind:<9}  {}", self.index, m.core, fields.join("  "))
    }
}

impl ReplaySink for Listing<'_> {
    fn header(&mut self, _: u64) {
        let now = self.cycles[0];
        self.cycles.fill(now);
    }

    fn message(&mut self, bit: u64, message: &Message) {
        self.cycles[usize::from(message.core)] += message.diff_cc;
        if self.left > 0 && self.core.is_none_or(|c| c == message.core) {
            self.left -= 1;
            self.error = self.print(bit, message).err();
        }
        self.index += 1;
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let contexts = args.contexts.programs();
    let input_options = InputOptions {
        elf: Some(&args.elf),
        any_build: args.any_build,
        parameters: args.parameters.as_deref(),
        contexts: &contexts,
        ..InputOptions::default()
    };
    let opened = Trace::open(&args.trace, input_options, &Bars)?.resuming(args.resume);
    let info = opened.info().clone();
    check_core(&args.trace, args.core, info.params.cores)?;
    if args.json {
        Object::new("decode", &args.trace.display().to_string())
            .with("program", args.elf.clone().into())
            .with("build_id", info.build_id.clone().into())
            .with_params(&info.params, info.set.as_deref())
            .line(out)?;
    } else {
        writeln!(out, "{:>8} {:>10} {:>12} {:>4}  {:<9}  fields", "message", "bit", "cycle", "core", "kind")?;
    }
    let mut listing = Listing {
        out,
        timestamps: info.params.timestamps,
        cycles: vec![0; usize::from(info.params.cores)],
        core: args.core,
        index: 0,
        left: args.limit.unwrap_or(u64::MAX),
        json: args.json,
        error: None,
    };
    let replayed = opened.replay_to_damage(&mut listing, &Bars, |l| l.error.is_some() || l.left == 0);
    if let Some(e) = listing.error {
        return Err(e.into());
    }
    let replayed = replayed?;
    report_damage(&args.trace, &replayed.summary);
    out.flush()?;
    // a gap is a message like others, and all messages are listed
    Ok(report_missing(&args.trace, &LossSummary::default(), replayed.damage.as_ref()))
}
