//! `goshawk soc`: softcores with trace modules

mod sim;

use crate::{Failure, Status};
use std::io::Write;

/// Softcores with trace modules: simulate them
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Sim(sim::Args),
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Sim(args) => sim::run(args, out),
    }
}
