//! `goshawk gdb`: a recorded run for the debugger, forwards and backwards

use crate::output::Object;
use crate::{Failure, Status};
use host::debug::server::{stdio, tcp};
use host::input::Beside;
use host::inputs::Session;
use std::io::Write;
use std::path::PathBuf;

/// Serve a recorded run to GDB: registers and memory of every core, forwards and backwards
///
/// The run is one of `goshawk encode --scheme inputs`. Every core is a thread. Breakpoints, watchpoints, step and continue
/// work in both directions (reverse-step, reverse-continue); `monitor when` tells the moment, `monitor goto N` goes to one.
/// In GDB: `target remote localhost:3333`, or without a port `target remote | goshawk gdb TRACE --elf ELF --stdio`.
/// Registers and memory cannot be written: what was recorded is what it is.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk gdb bank.gip --elf builtin:bank --port 3333")]
pub struct Args {
    /// Recorded run
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// The program it is of: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME")]
    elf: String,
    /// Take the program although the recording names another build
    #[arg(long)]
    any_build: bool,
    /// Wait for GDB at this port of this machine; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 3333, conflicts_with = "stdio")]
    port: u16,
    /// Talk to GDB on standard input and output, for `target remote | goshawk gdb ...`
    #[arg(long)]
    stdio: bool,
    /// Print one JSON object with the port before waiting
    #[arg(long, conflicts_with = "stdio")]
    json: bool,
}

/// Serves until GDB goes away.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let session = Session::open(&args.trace, Beside { elf: Some(&args.elf), any_build: args.any_build })?;
    out.flush()?;
    let path = args.trace.display().to_string();
    let tell = Box::new(move |text: &str| eprintln!("goshawk: {path}: {text}"));
    if args.stdio {
        stdio(session.replay(), tell)?;
    } else {
        let mut said = Ok(());
        let listening = |port: u16| {
            if args.json {
                let object = Object::new("gdb", &args.trace.display().to_string()).with("port", port.into());
                said = object.print(out).and_then(|()| out.flush());
            } else {
                eprintln!("goshawk: waiting for GDB: target remote localhost:{port}");
            }
        };
        tcp(session.replay(), args.port, listening, tell)?;
        said?;
    }
    Ok(Status::Done)
}
