//! `goshawk report trace`: the page of a trace

mod code;
mod gather;
mod serve;

use super::write;
use crate::args::contexts::ProcessArgs;
use crate::args::Execution;
use crate::files::{source_folder, OutputPath};
use crate::output::{count, facts, plural, report_missing, TOOL};
use crate::{Failure, Status};
use gather::{gather, Gathered};
use serve::{listen, serve, Served};
use std::io::Write;
use std::net::SocketAddr;

/// Write a page of a trace or recording: flame graph, functions, source, timeline; it needs no network
///
/// The flame graph and functions have the counts of `profile`, source lines and branches those of `coverage`, the timeline the calls of
/// `timeline`. Functions without source lines are shown as disassembly with counts. Gaps and damage are shown at the top of the page and in
/// the timeline. With `--process` and `--mode`, counts are those of the selected contexts, and the timeline shows functions only while a core is
/// in them.
///
/// The size of the page is bounded: short calls that follow one another are merged in the timeline, and the smallest nodes of the
/// flame graph, the text of source files after 4 MB, and instructions after 50,000 are left out. The page states what was merged or left out.
///
/// With `--serve`, the command keeps up to 16 million calls, and the page fetches those of the part of the timeline that it shows. Only this computer
/// can open the page. Ctrl-C ends the command.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk report trace vm.gtr --elf builtin:vm --sources programs/bare -o vm.html\n  \
    goshawk report trace bank.gip --elf builtin:bank -o bank.html --title Bank --json\n  \
    goshawk report trace kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --mode u -o a.html\n  \
    goshawk report trace long.gtr --elf long.elf --serve 8080"
)]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Folder of the source files
    #[arg(long, value_name = "DIR", default_value = ".", value_parser = source_folder)]
    sources: String,
    /// HTML page to write
    #[arg(short, long, value_name = "FILE", required_unless_present = "serve", conflicts_with = "serve")]
    output: Option<OutputPath>,
    /// Serve the page on a loopback address until Ctrl-C, instead of writing it; port 0 picks a free one
    #[arg(long, value_name = "[ADDRESS:]PORT", value_parser = serve::address)]
    serve: Option<SocketAddr>,
    /// Heading of the page [default: TRACE]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Writes the page, or serves it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    // before the replay, which can take long
    let listener = args.serve.map(listen).transpose()?;
    let opened = args.processes.open(&args.execution)?;
    let (of, selected) = (opened.2.numbered().0.join(", "), args.processes.text());
    let Gathered { trace, missing, spans, files, thinned } =
        gather(&args.execution, opened, args.sources.as_ref(), listener.is_some())?;
    let name = args.execution.trace.file_name().unwrap_or_default().to_string_lossy();
    let title = args.title.clone().unwrap_or_else(|| name.into_owned());
    let timeline = &trace.timeline;
    let mut made = vec![
        ("trace", args.execution.trace.display().to_string()),
        ("program", args.execution.elf.clone()),
        ("instructions", count(trace.instructions)),
        ("cores", timeline.cores.len().to_string()),
        ("made by", TOOL.to_string()),
    ];
    if !of.is_empty() {
        made.insert(2, ("programs of processes", of));
    }
    made.extend(selected.map(|text| ("selected", text)));
    let mut lacks = Vec::new();
    if let Some(damage) = &missing.damage {
        lacks.push(format!("Damage ends it: {damage}. Everything on this page is from before the damage."));
    }
    if let Some(lost) = missing.lost.describe() {
        lacks.push(format!("Lost: {lost}. Counts do not include them; the timeline marks each gap."));
    }
    let mut reduced = Vec::new();
    if timeline.width > 0 {
        reduced.push(format!(
            "Timeline: consecutive calls shorter than {} {} are merged to one box with the name of the longest; deeper than {} functions, \
             calls are not shown.",
            count(timeline.width),
            timeline.axis,
            timeline.depth
        ));
    }
    if listener.is_some() {
        reduced.push(match thinned.width() {
            0 => "Timeline: enlarged enough, it has every call.".into(),
            width => format!(
                "Timeline: also where it is enlarged, calls shorter than {} {} are merged.",
                count(width),
                timeline.axis
            ),
        });
    }
    if trace.flame.omitted > 0 {
        reduced.push(format!(
            "Flame graph: the {} smallest stacks are left out; their instructions are counted in their callers.",
            count(trace.flame.omitted)
        ));
    }
    if files.without_text > 0 {
        reduced.push(format!(
            "Source: {} without text: not found in {}, or beyond 4 MB of text.",
            plural(files.without_text as u64, "file"),
            args.sources
        ));
    }
    if files.not_listed > 0 {
        reduced.push(format!(
            "Disassembly: {} beyond 50,000 instructions are not listed.",
            plural(files.not_listed as u64, "function")
        ));
    }
    let mut page = Vec::new();
    report::trace::page(&title, &made, &lacks, &reduced, &trace).write(&mut page)?;
    let bytes = page.len();
    let mut written = None;
    if let Some(path) = &args.output {
        write(path, |file| file.write_all(&page))?;
        written = Some(path.display().to_string());
    }
    let address = listener.as_ref().map(|l| l.local_addr().map(|at| format!("http://{at}/"))).transpose()?;
    if args.json {
        let object = args.execution.object("report trace").with("instructions", trace.instructions.into());
        let object = object.with("functions", trace.functions.len().into()).with("spans", spans.into());
        let object = object.with("merged_below", timeline.width.into()).with("axis", timeline.axis.clone().into());
        let object = object.with("sources", files.with_text.into()).with("bytes", bytes.into());
        match &address {
            Some(address) => object.with("address", address.clone().into()).print(out)?,
            None => object.with("page", written.into()).print(out)?,
        }
    } else {
        let merged =
            if timeline.width == 0 { String::new() } else { format!(", calls below {} merged", count(timeline.width)) };
        let page = match (&address, written) {
            (Some(address), _) => ("served", format!("{address} until Ctrl-C")),
            (None, written) => ("written", format!("{}, {} bytes", written.unwrap_or_default(), count(bytes as u64))),
        };
        facts(
            out,
            &[
                ("instructions", count(trace.instructions)),
                ("functions", count(trace.functions.len() as u64)),
                ("timeline", format!("{} in {}{merged}", plural(spans as u64, "span"), timeline.axis)),
                ("sources", count(files.with_text as u64)),
                page,
            ],
        )?;
    }
    let status = report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref());
    if let Some(listener) = &listener {
        out.flush()?;
        serve(listener, Served { page, thinned });
    }
    Ok(status)
}
