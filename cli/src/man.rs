//! `goshawk man`: manual pages, one per command

use crate::files::OutputPath;
use crate::output::plural;
use crate::{Failure, Status};
use std::io::Write;

/// Write manual pages, one per command
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk man share/man/man1\n  goshawk man man1")]
pub struct Args {
    /// Folder to write them to; it is created if missing
    #[arg(value_name = "DIR")]
    folder: OutputPath,
}

/// Writes the pages.
pub fn run(args: &Args, command: clap::Command, out: &mut dyn Write) -> Result<Status, Failure> {
    let failure = |e| Failure::io(&args.folder, e);
    if args.folder.is_file() {
        return Err(Failure::Other(format!("{}: is a file; expected a folder", args.folder.display())));
    }
    std::fs::create_dir_all(&*args.folder).map_err(failure)?;
    clap_mangen::generate_to(command, &*args.folder).map_err(failure)?;
    let pages = args.folder.read_dir().map_err(failure)?.filter_map(Result::ok);
    let pages = pages.filter(|p| p.file_name().to_string_lossy().starts_with("goshawk")).count();
    writeln!(out, "{} in {}; `man -l` shows one", plural(pages as u64, "page"), args.folder.display())?;
    Ok(Status::Done)
}
