//! The files that `goshawk capture run` and `goshawk capture expand` write

use super::statistics::{self, Values};
use super::writing::write_files;
use crate::files::OutputPath;
use crate::output::plural;
use crate::{signals, Failure};
use ::capture::descriptor::Form;
use ::capture::outputs::{Compression, Outcome, OutputFiles};
use ::capture::run::Captured;
use ::capture::CaptureError;
use clap::{ArgGroup, ValueEnum};
use sim::scheme::cfiat::params::Sizes;
use std::path::PathBuf;

/// Options of the files.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("descriptors").args(["mcf", "mls"]).multiple(true)))]
pub struct FileArgs {
    /// Retire file to write
    #[arg(help_heading = "Files to write", short, long, value_name = "FILE")]
    pub output: Option<OutputPath>,
    /// Branch trace (rbt1) to write; zstd-compressed if its name ends in .zst
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    pub rbt1: Option<OutputPath>,
    /// File of mcfTrace descriptors to write, one per branch
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    pub mcf: Option<OutputPath>,
    /// File of mlsTrace descriptors to write, one per load or store
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    pub mls: Option<OutputPath>,
    /// File of statistics per thread to write: branches by kind and, with --data, loads and stores by size. A table, or
    /// JSON if its name ends in .json
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    pub statistics: Option<OutputPath>,
    /// Caches whose hit rates by operand size the statistics contain, such as cfiat:32k+ways4+line32+gran1. Only with
    /// --statistics
    #[arg(help_heading = "Files to write", long, value_name = "NAME", requires = "statistics")]
    pub scheme: Option<Sizes>,
    /// Operands in the descriptors of --mls
    #[arg(help_heading = "Files to write", long, value_enum, default_value_t = Operands::Both, requires = "mls")]
    pub operands: Operands,
    /// Write descriptors as lines of text. Only with --mcf or --mls
    #[arg(help_heading = "Files to write", short, long, requires = "descriptors")]
    pub ascii: bool,
    /// Append the disassembled instruction to each descriptor. Only with --ascii
    #[arg(help_heading = "Files to write", short, long, requires = "ascii")]
    pub disassemble: bool,
    /// Compression of the files of --mcf and --mls: none, gzip, zstd, bzip2 or xz
    #[arg(help_heading = "Files to write", short, long, value_name = "NAME", default_value = "none", value_parser = compression, requires = "descriptors")]
    pub compress: Compression,
}

/// The output of mlsTrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Operands {
    /// Loads and stores
    Both,
    /// Loads
    Loads,
    /// Stores
    Stores,
}

fn compression(text: &str) -> Result<Compression, String> {
    let found = Compression::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, c)| *c).ok_or_else(|| "expected none, gzip, zstd, bzip2 or xz".into())
}

fn path(of: &Option<OutputPath>) -> Option<PathBuf> {
    of.as_ref().map(|p| p.to_path_buf())
}

impl FileArgs {
    /// The option that needs loads and stores, if one is given.
    pub fn needs_data(&self) -> Option<&'static str> {
        match (&self.mls, &self.scheme) {
            (Some(_), _) => Some("--mls"),
            (_, Some(_)) => Some("--scheme"),
            _ => None,
        }
    }

    /// The files of a program with addresses of `xlen` bits. `data`: the retire file has loads and stores; `size`: most
    /// bytes of descriptors.
    pub fn wanted(&self, xlen: u8, data: bool, packed: Option<PathBuf>, size: Option<u64>) -> OutputFiles {
        let form = Form {
            ascii: self.ascii,
            address: usize::from(xlen) / 8,
            text: self.disassemble,
            loads: self.operands != Operands::Stores,
            stores: self.operands != Operands::Loads,
        };
        let descriptors = |p| path(p).map(|p| (p, form, self.compress));
        OutputFiles {
            packed,
            counts: self.statistics.is_some(),
            retire: path(&self.output),
            data,
            rbt1: path(&self.rbt1),
            mcf: descriptors(&self.mcf),
            mls: descriptors(&self.mls),
            size,
        }
    }

    /// Checks a number of harts against the files.
    pub fn check_harts(&self, harts: Option<u8>, wanted: &OutputFiles) -> Result<(), Failure> {
        let most = wanted.max_harts();
        match harts.filter(|h| *h > most) {
            Some(harts) => {
                Err(Failure::Other(format!("`--harts {harts}`: a branch trace (`--rbt1`) has at most {most}")))
            }
            None => Ok(()),
        }
    }

    /// Writes the files, and reports on standard error where they end early.
    pub fn write(
        &self,
        captured: &mut Captured,
        wanted: &OutputFiles,
        harts: u8,
        data: bool,
    ) -> Result<Files, Failure> {
        let xlen = captured.executable.machine.xlen();
        let (mut outcome, written) = write_files(captured, wanted, harts, || Values::new(self.scheme, harts, xlen))?;
        if let Some(path) = &self.statistics {
            let found = statistics::Statistics { captured, outcome: &outcome, data, values: written.also };
            let statistics = found.write(path)?;
            outcome.written.push(statistics);
        }
        Ok(Files { outcome, full_disk: written.full_disk, cut: written.cut })
    }
}

/// What was written, and why it ends early.
pub struct Files {
    /// The files.
    pub outcome: Outcome,
    /// The disk was full.
    full_disk: Option<CaptureError>,
    /// The signal that ended them.
    pub cut: Option<i32>,
}

impl Files {
    /// Whether the files lack a part of what was captured because the disk was full, or a file was not written.
    pub fn is_partial(&self) -> bool {
        self.full_disk.is_some() || !self.outcome.unnumbered.is_empty()
    }

    /// Reports on standard error where the files end, and which were not written.
    pub fn print_end(&self) {
        for file in &self.outcome.unnumbered {
            eprintln!("goshawk: {file}");
        }
        let instructions = plural(self.outcome.expanded.instructions, "instruction");
        if let Some(e) = &self.full_disk {
            eprintln!("goshawk: {e}; the files have {instructions} up to there");
        }
        if let Some(signal) = self.cut {
            eprintln!("goshawk: {}: ended writing; the files have {instructions} up to there", signals::name(signal));
        }
    }
}
