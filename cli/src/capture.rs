//! `goshawk capture`: captures a trace from a board, and recordings of real programs

mod bench;
mod expand;
mod files;
mod machine;
mod processes;
#[cfg(feature = "hardware")]
mod registers;
mod run;
#[cfg(feature = "hardware")]
mod serial;
mod statistics;
mod summary;
mod writing;

use crate::{Failure, Status};
use std::io::Write;

/// Record a program under QEMU, or receive a trace from a board
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk capture run -o true.ret -- /bin/true\n  \
    goshawk capture serial --port /dev/ttyUSB1 --core picorv32 --set small -o board.gtr --json")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Run(Box<run::Args>),
    Expand(expand::Args),
    Bench(bench::Args),
    #[cfg(feature = "hardware")]
    Serial(serial::Args),
    #[cfg(feature = "hardware")]
    Registers(registers::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Run(args) => run::run(args, out),
        Command::Expand(args) => expand::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Serial(args) => serial::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Registers(args) => registers::run(args, out),
    }
}
