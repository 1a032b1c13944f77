//! `goshawk completions`: what a shell reads to complete commands and options

use crate::{Failure, Status};
use clap_complete::Shell;
use std::io::Write;

/// Print the completion script for a shell
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk completions bash > goshawk.bash\n  \
    goshawk completions zsh > _goshawk\n  goshawk completions fish > goshawk.fish")]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints them.
pub fn run(args: &Args, mut command: clap::Command, out: &mut dyn Write) -> Result<Status, Failure> {
    // it panics where it cannot write
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "goshawk", &mut text);
    out.write_all(&text)?;
    Ok(Status::Done)
}
