//! `goshawk stack`: how deep each stack went

use crate::args::recorded::{callers, site, Recorded};
use crate::output::{count, percent, report_missing, Left, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::contexts::running::{Layout, Running};
use host::symbols::Objects;
use host::trace::LossSummary;
use host::views::stack::follower::Follower;
use host::views::usage::{Usage, Used};
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use serde_json::json;
use std::io::Write;

/// Show how many bytes of each stack a recorded run used, and where
///
/// A stack is the array or section that a stack pointer points into. Memory without an object counts as one stack for each core, of
/// unknown size. A stack pointer that leaves its stack is reported as an overflow. Stacks of tasks of FreeRTOS, ThreadX and Zephyr are
/// those that their control blocks name.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk stack bank.gip --elf builtin:bank\n  \
    goshawk stack bank.gip --elf builtin:bank --json")]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Exit with code 1 if a stack overflowed
    #[arg(long)]
    exit_code: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

struct Pointers {
    follower: Follower,
    usage: Usage,
    next: Vec<u64>,
    running: Option<Running>,
}

impl RetireSink for Pointers {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let sp = std::mem::take(&mut self.next[usize::from(e.hart)]);
        self.usage.event(e, sp, &self.follower);
        self.follower.event(e, |_| {});
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.next[usize::from(hart)] = sp;
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        self.usage.data(d, &self.follower);
        let Some(running) = &mut self.running else { return };
        let Some(core) = running.data(d) else { return };
        if let (Some((start, end)), Some(name)) = (running.stack(core), running.name(core)) {
            self.usage.task(&name, start, end);
        }
    }

    fn master(&mut self, s: &MasterStore) {
        if let Some(running) = &mut self.running {
            running.master(s);
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut session = args.recorded.open()?;
    let locations = args.recorded.locations()?;
    let cores = session.info.params.cores;
    let usage = Usage::new(Objects::open(&args.recorded.elf)?, cores);
    let layout = Layout::known(&args.recorded.elf, None, session.info.params.xlen).ok();
    let running = layout.map(|layout| Running::new(layout, &session.named.program, cores));
    let (follower, next) = (args.recorded.follower(&session)?, vec![0; usize::from(cores)]);
    let mut sink = Pointers { follower, usage, next, running };
    let damage = session.run(&mut sink, &Bars, |_| false).err();
    sink.usage.finish();
    let stacks = sink.usage.stacks();
    let name = |s: &Used| match &s.area.name {
        Some(name) => name.clone(),
        None => format!("core {}, below 0x{:08x}", s.deepest.core, s.top),
    };
    let left = stacks.iter().any(|s| s.overflow.is_some());
    if args.json {
        let stack = |s: &&Used| {
            json!({
                "stack": name(s), "start": s.size().map(|_| format!("0x{:08x}", s.area.range.start)),
                "end": format!("0x{:08x}", s.end()), "size": s.size(), "used": s.bytes(),
                "deepest": {
                    "core": s.deepest.core, "retired": s.deepest.retired, "sp": format!("0x{:08x}", s.deepest.sp),
                    "stack": site(&locations, &sink.follower, s.deepest.pc, s.deepest.path),
                },
                "overflow": locations.overflow_json(s),
            })
        };
        args.recorded.object("stack").with("stacks", stacks.iter().map(stack).collect()).print(out)?;
    } else {
        let mut table = Table::new([
            ("stack", Left),
            ("size", Right),
            ("used", Right),
            ("", Right),
            ("core", Right),
            ("deepest in", Left),
        ]);
        for s in &stacks {
            table.row([
                name(s),
                s.size().map_or_else(|| "-".into(), count),
                count(s.bytes()),
                s.size().map_or_else(String::new, |size| percent(s.bytes(), size)),
                s.deepest.core.to_string(),
                locations.at(s.deepest.pc),
            ]);
        }
        table.print(out)?;
        for s in &stacks {
            let Some(text) = locations.overflow(s) else { continue };
            writeln!(out, "stack overflow: {text}")?;
            if let Some((moment, _)) = &s.overflow {
                for line in callers(&locations, &sink.follower, moment.path) {
                    writeln!(out, "  {line}")?;
                }
            }
        }
    }
    match report_missing(&args.recorded.trace, &LossSummary::default(), damage.as_ref()) {
        Status::Done if args.exit_code && left => Ok(Status::Different),
        status => Ok(status),
    }
}
