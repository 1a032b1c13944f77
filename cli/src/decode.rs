//! `goshawk decode`: lists the messages of a trace file, or the records of a file of load values

mod values;

use crate::args::check_core;
use crate::args::contexts::ProcessArgs;
use crate::files::input_name;
use crate::output::{report_damage, report_missing, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::contexts::{Contexts, Selection};
use host::input::InputOptions;
use host::recording::FileKind;
use host::trace::{LossSummary, Trace};
use retire::{Context, FlowEvent};
use serde_json::json;
use sim::message::{Body, Escape, Message};
use sim::replay::ReplaySink;
use std::io::Write;
use std::path::PathBuf;

/// List the messages of a trace, or the records of a file of load values
///
/// A trace is decoded with its program, because the reported branch determines which fields a message has. Records of load values are
/// decoded without a program; `replay --values` shows to which load each belongs.
///
/// With --process or --mode, a message is listed if its first instruction is selected: a message that reports another context belongs to
/// the one before.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk decode vm.gtr --elf builtin:vm --limit 20\n  \
    goshawk decode firmware.gtr --elf firmware.elf --core 2 --json\n  \
    goshawk decode kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --limit 20\n  \
    goshawk decode trace4/words.hex --elf trace4/beats.ret --limit 20\n  \
    goshawk decode fft.glv --core 1 --limit 20")]
pub struct Args {
    /// Trace file, raw trace words as text or bytes, or file of load values
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME; or, without a program, a recording of the
    /// run (retire file or branch trace). Required for a trace
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Option<String>,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Accept a program with another build ID than the trace or recording names
    #[arg(long)]
    any_build: bool,
    /// Parameters of raw trace words, as `gen` writes them [default: parameters.json in the directory of the words]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// After damage, resume at the next repeated header (`encode --sync-period`)
    #[arg(long)]
    resume: bool,
    /// Maximum number of listed lines: messages or records
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Core that is listed, counted from 0 [default: all]
    #[arg(long, value_name = "N")]
    core: Option<u8>,
    /// Print one JSON object: the parameters of the trace. One object per message or record follows, one a line
    #[arg(long)]
    json: bool,
}

struct Listing<'a> {
    out: &'a mut dyn Write,
    timestamps: bool,
    cycles: Vec<u64>,
    core: Option<u8>,
    selection: Selection,
    contexts: Contexts,
    /// Context of the first instruction of the current message.
    first: Option<Context>,
    index: u64,
    left: u64,
    json: bool,
    error: Option<std::io::Error>,
}

/// A number as it is printed.
#[derive(Clone, Copy)]
enum Number {
    Decimal(u64),
    /// Hexadecimal with at least this many digits.
    Hex(u64, usize),
    Context(Context),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Decimal(v) => write!(f, "{v}"),
            Self::Hex(v, digits) => write!(f, "{v:#0width$x}", width = digits + 2),
            Self::Context(c) => write!(f, "{c}"),
        }
    }
}

/// A field with its name in the stream format.
type Field = (&'static str, Number);

/// The fields of a message, in the order of the stream.
fn fields(body: &Body) -> [Option<Field>; 3] {
    let decimal = |name, v| Some((name, Number::Decimal(v)));
    let address = |name, a| Some((name, Number::Hex(a, 8)));
    match *body {
        Body::Outcome { count } | Body::NotTaken { count } => [decimal("bCnt", count), None, None],
        Body::Target { count, target } | Body::Taken { count, target } => {
            [decimal("bCnt", count), address("TA", target), None]
        }
        Body::Stream { length, target } => [decimal("SL", length), target.and_then(|t| address("TA", t)), None],
        Body::Turn { length, next } => [decimal("length", length), decimal("next", next.into()), None],
        Body::Word { word } => [Some(("word", Number::Hex(word.into(), 8))), None, None],
        Body::Hits { count } => [decimal("hits", count.into()), None, None],
        Body::Index { index } => [decimal("SCI", index.into()), None, None],
        Body::Descriptor { length, start } => {
            [decimal("SL", length.into()), start.and_then(|a| address("SA", a)), None]
        }
        Body::Escape(escape) => match escape {
            Escape::Exception { i_cnt, target: at, context } | Escape::Sync { i_cnt, pc: at, context } => {
                let name = if matches!(escape, Escape::Sync { .. }) { "PC" } else { "ETA" };
                [decimal("iCnt", i_cnt), context.map(|c| ("context", Number::Context(c))), address(name, at)]
            }
            Escape::Context { i_cnt, context } => {
                [decimal("iCnt", i_cnt), Some(("context", Number::Context(context))), None]
            }
            Escape::Overflow { i_cnt, lost } => [decimal("iCnt", i_cnt), decimal("lost", lost), None],
            Escape::Resync { i_cnt, signature }
            | Escape::Stop { i_cnt, signature }
            | Escape::Progress { i_cnt, signature } => {
                [decimal("iCnt", i_cnt), signature.map(|s| ("signature", Number::Hex(s.into(), 4))), None]
            }
        },
    }
}

impl Listing<'_> {
    fn print(&mut self, bit: u64, m: &Message) -> std::io::Result<()> {
        let cycle = self.timestamps.then(|| self.cycles[usize::from(m.core)]);
        let index = self.index;
        let fields = fields(&m.body).into_iter().flatten();
        if self.json {
            // written directly: names and numbers need no escapes, and a tree of values takes five times as long
            write!(self.out, "{{\"message\":{index},\"bit\":{bit},\"cycle\":")?;
            match cycle {
                Some(cycle) => write!(self.out, "{cycle}")?,
                None => self.out.write_all(b"null")?,
            }
            write!(self.out, ",\"core\":{},\"kind\":", m.core)?;
            serde_json::to_writer(&mut *self.out, &m.body.kind())?;
            self.out.write_all(b",\"fields\":{")?;
            for (i, (name, value)) in fields.enumerate() {
                write!(self.out, "{}\"{name}\":\"{value}\"", if i > 0 { "," } else { "" })?;
            }
            return self.out.write_all(b"}}\n");
        }
        write!(self.out, "{index:>8} {bit:>10} ")?;
        match cycle {
            Some(cycle) => write!(self.out, "{cycle:>12}")?,
            None => write!(self.out, "{:>12}", "-")?,
        }
        write!(self.out, " {:>4}  {:<9}  ", m.core, m.body.kind().name())?;
        for (i, (name, value)) in fields.enumerate() {
            write!(self.out, "{}{name} {value}", if i > 0 { "  " } else { "" })?;
        }
        self.out.write_all(b"\n")
    }
}

impl ReplaySink for Listing<'_> {
    fn event(&mut self, e: &FlowEvent) {
        let context = self.contexts.pass(e);
        self.first.get_or_insert(context);
    }

    fn header(&mut self, _: u64) {
        let now = self.cycles[0];
        self.cycles.fill(now);
    }

    fn message(&mut self, bit: u64, message: &Message) {
        self.cycles[usize::from(message.core)] += message.diff_cc;
        let context = self.first.take().unwrap_or_else(|| self.contexts.of(message.core));
        if self.left > 0 && self.selection.has(context) && self.core.is_none_or(|c| c == message.core) {
            self.left -= 1;
            self.error = self.print(bit, message).err();
        }
        self.index += 1;
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if FileKind::of(&args.trace)? == FileKind::Values {
        return values::list(args, out);
    }
    let processes = args.processes.processes()?;
    let input_options = InputOptions {
        elf: args.elf.as_deref(),
        any_build: args.any_build,
        parameters: args.parameters.as_deref(),
        contexts: &processes.programs,
        ..InputOptions::default()
    };
    let opened = Trace::open(&args.trace, input_options, &Bars)?.resuming(args.resume);
    let info = opened.info().clone();
    check_core(&args.trace, args.core, info.params.cores)?;
    processes.check(&args.trace, info.params.context.is_some())?;
    if args.json {
        Object::new("decode", &args.trace.display().to_string())
            .with("program", json!(args.elf))
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
        selection: processes.selection,
        contexts: Contexts::new(info.params.cores),
        first: None,
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
