//! `goshawk completions`: completion scripts for shells

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

/// Prints the script.
pub fn run(args: &Args, mut command: clap::Command, out: &mut dyn Write) -> Result<Status, Failure> {
    // writes to memory first, since it panics if it cannot write
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "goshawk", &mut text);
    out.write_all(&text)?;
    Ok(Status::Done)
}
