//! `goshawk soc`: softcores with trace modules

mod build;
mod checked;
mod sim;
mod tile;

use crate::{Failure, Status};
use std::io::Write;

/// Simulate softcores with trace modules, or build them for a board
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk soc sim --core picorv32 --program fsm --json\n  \
    goshawk soc build --board ice40_hx8k_b_evn --set small\n  \
    goshawk soc tile --core cva6 --program vm --max-cycles 200000")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Sim(Box<sim::Args>),
    Build(Box<build::Args>),
    Tile(Box<tile::Args>),
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Sim(args) => sim::run(args, out),
        Command::Build(args) => build::run(args, out),
        Command::Tile(args) => tile::run(args, out),
    }
}
