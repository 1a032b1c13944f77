//! `goshawk diag`: scripts that observe a run, divided between chip and host

mod chip;
mod circuits;
mod common;
mod firmware;
mod gen;
mod ls;
mod observed;
mod plan;
mod processor;
mod run;
mod screen;
mod simulated;
mod soc;
mod test;
mod traced;
mod vectors;

use crate::{Failure, Status};
use std::io::Write;

/// Observe a program with a script that runs on the chip as far as possible
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag run builtin:locks builtin:lockcont --harts 4\n  \
    goshawk diag plan builtin:race builtin:bank --harts 4 --json\n  \
    goshawk diag gen --cores 4 -o diag4\n  \
    goshawk diag run -e 'call:rt_trap { @[core] = count(); }' builtin:irq --harts 2")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Ls(ls::Args),
    Plan(plan::Args),
    Run(run::RunArgs),
    Top(run::TopArgs),
    Replay(run::ReplayArgs),
    Test(test::Args),
    Gen(gen::Args),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Ls(args) => ls::run(args, out),
        Command::Plan(args) if args.script.is_program() => processor::plan(args, out),
        Command::Plan(args) => plan::run(args, out),
        Command::Run(args) if args.script.is_program() => processor::run(args, out),
        Command::Run(args) if args.soc.soc => circuits::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Top(args) if args.script.is_program() => processor::top(args, out),
        Command::Top(args) => run::top(args, out),
        Command::Replay(args) if args.script.is_program() => processor::replay(args, out),
        Command::Replay(args) => run::replay(args, out),
        Command::Test(args) if args.script.is_program() => processor::test(args, out),
        Command::Test(args) => test::run(args, out),
        Command::Gen(args) => gen::run(args, out),
    }
}
