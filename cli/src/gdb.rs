//! `goshawk gdb`: serves a recorded run or a trace to GDB, forwards and backwards

use crate::args::contexts::ProcessArgs;
use crate::args::tasks::TaskArgs;
use crate::args::Execution;
use crate::progress::Bars;
use crate::{Failure, Status};
use host::debug::flow::FlowSession;
use host::debug::scene::Scene;
use host::debug::server::{keep_waiting, stdio, tcp};
use host::debug::tasks::Tasks;
use host::input::InputOptions;
use host::inputs::Session;
use host::words::are_trace;
use std::io::Write;

/// Serve a recorded run or a trace to GDB, forwards and backwards
///
/// Every core is a thread. In a recorded run, each waiting task is a thread, too, with the registers that it had when its core left it; tasks are
/// found as by `profile --by task`, and `monitor tasks` lists all of them with their states. Breakpoints, step and continue work in both directions (reverse-stepi, reverse-continue);
/// `monitor when` shows the current position, `monitor goto N` goes to one. A recorded run (`goshawk encode --scheme
/// inputs`) has registers and memory, which can be watched. A trace of the control flow has only the pc and the memory
/// that no program writes; `monitor bt` shows its call stack, because GDB cannot unwind without registers. Registers
/// and memory cannot be written.
///
/// For a trace with contexts, `--process` and `--mode` select the contexts that GDB sees: steps and breakpoints stop only there. `add-symbol-file`
/// gives GDB the program.
///
/// In GDB: `target remote localhost:3333`, or without a port `target remote | goshawk gdb TRACE --elf ELF --stdio`. If GDB ends with
/// `timeout` on a slow machine, `set remotetimeout 60` before `target remote` lets it wait longer.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gdb bank.gip --elf builtin:bank --port 3333\n  \
    goshawk gdb vm.gtr --elf builtin:vm --port 3333\n  \
    goshawk gdb kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --mode u --port 3333")]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    tasks: TaskArgs,
    /// TCP port at which to wait for GDB; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 3333, conflicts_with = "stdio")]
    port: u16,
    /// End when the first GDB disconnects, instead of waiting for the next
    #[arg(long, conflicts_with = "stdio")]
    once: bool,
    /// Talk to GDB on standard input and output, for `target remote | goshawk gdb ...`
    #[arg(long)]
    stdio: bool,
    /// Print one JSON object, with the port, before GDB connects
    #[arg(long, conflicts_with = "stdio")]
    json: bool,
}

/// Serves until the first GDB disconnects (`--stdio`, `--once`), or until the process is interrupted.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let Execution { trace, elf, parameters, .. } = &args.execution;
    let processes = args.processes.processes()?;
    if are_trace(trace, parameters.as_deref())? {
        args.tasks.check(false, "with a recorded run")?;
        let options = InputOptions { contexts: &processes.programs, ..args.execution.input_options() };
        let session = opened(args, || Ok(FlowSession::open(trace, elf, options, &Bars)?))?;
        processes.check(trace, session.has_contexts())?;
        let session = session.only(processes.selection);
        serve(args, opened(args, || Ok(session.begin()?))?, None, out)
    } else {
        processes.check(trace, false)?;
        let options = InputOptions { contexts: &processes.programs, ..args.execution.input_options() };
        let session = opened(args, || Ok(Session::open(trace, options)?))?;
        if let Some(damage) = session.damage() {
            eprintln!("goshawk: {damage}; the recording ends there");
        }
        let layout = opened(args, || args.tasks.found(elf, session.info.params.xlen))?;
        let tasks = layout.map(|layout| Tasks { layout, states: layout.states(elf) });
        serve(args, session.replay(), tasks, out)
    }
}

/// Opens a part of what is served, while a GDB that waits on standard output already does not time out.
fn opened<T>(args: &Args, open: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    if args.stdio {
        keep_waiting(std::io::stdout(), open)
    } else {
        open()
    }
}

fn serve(args: &Args, scene: impl Scene, tasks: Option<Tasks>, out: &mut dyn Write) -> Result<Status, Failure> {
    out.flush()?;
    let path = args.execution.trace.display().to_string();
    let report = Box::new(move |text: &str| eprintln!("goshawk: {path}: {text}"));
    if args.stdio {
        stdio(scene, tasks, report)?;
    } else {
        let mut said = Ok(());
        let listening = |port: u16| {
            if args.json {
                let object = args.execution.object("gdb").with("port", port.into());
                said = object.print(out).and_then(|()| out.flush());
            } else {
                eprintln!("goshawk: waiting for GDB: target remote localhost:{port}");
            }
        };
        tcp(scene, tasks, args.port, args.once, listening, report)?;
        said?;
    }
    Ok(Status::Done)
}
