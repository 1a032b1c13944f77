//! `goshawk report`: results as a page and figures

mod fpga;
mod trace;

use crate::files::OutputPath;
use crate::output::{plural, Object};
use crate::{Failure, Status};
use ::sweep::figures::figures;
use ::sweep::gates::GateList;
use ::sweep::page;
use ::sweep::store::Store;
use clap::{Args as ClapArgs, Subcommand};
use retire::file::Replacement;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write results as self-contained HTML pages, and as figures for papers
#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  goshawk report sweep papers -o papers.html --figures figures\n  \
    goshawk report trace vm.gtr --elf builtin:vm --sources programs/bare -o vm.html --json")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Sweep(SweepArgs),
    Fpga(fpga::Args),
    Trace(Box<trace::Args>),
}

/// Write a page of one sweep: tables, plots, filters; it needs no network
#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  goshawk report sweep papers -o papers.html --figures figures\n  \
    for s in small medium large; do goshawk gates --set $s --json; done >gates.json\n  \
    goshawk report sweep papers -o papers.html --gates gates.json")]
struct SweepArgs {
    /// Folder of the sweep
    #[arg(value_name = "DIR")]
    sweep: PathBuf,
    /// HTML page to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Folder to write SVG figures to
    #[arg(long, value_name = "DIR")]
    figures: Option<OutputPath>,
    /// Output of `goshawk gates --json`, for measured gates. May be repeated
    #[arg(long, value_name = "FILE")]
    gates: Vec<PathBuf>,
    /// Heading of the page [default: Sweep DIR]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let mut file = Replacement::create(path)?;
    content(&mut file).and_then(|()| file.flush()).map_err(|e| Failure::io(path, e))?;
    file.commit()?;
    Ok(())
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    match &args.command {
        Command::Sweep(args) => sweep_page(args, out),
        Command::Fpga(args) => fpga::run(args, out),
        Command::Trace(args) => trace::run(args, out),
    }
}

fn sweep_page(args: &SweepArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let store = Store::open(&args.sweep)?;
    if store.holds(&args.output) {
        return Err(Failure::Other(format!(
            "{}: is a file of the sweep that the page is made from; `--output` must name another file",
            args.output.display()
        )));
    }
    let (manifest, points) = (store.manifest()?, store.points()?);
    if points.is_empty() {
        return Err(Failure::Other(format!("{}: has no finished point", args.sweep.display())));
    }
    let gates = GateList::read(&args.gates)?;
    let folder = args.sweep.canonicalize().unwrap_or_else(|_| args.sweep.clone());
    let name = folder.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let title = args.title.clone().unwrap_or_else(|| format!("Sweep {name}"));
    write(&args.output, |file| page::page(&title, &manifest, &points, &gates).write(file))?;
    let mut files = Vec::new();
    if let Some(folder) = &args.figures {
        std::fs::create_dir_all(folder).map_err(|e| Failure::io(folder, e))?;
        for figure in figures(&points, &gates) {
            let svg = figure.to_svg();
            let path = folder.join(format!("{}.svg", figure.id));
            write(&path, |file| file.write_all(svg.as_bytes()))?;
            files.push(path.display().to_string());
        }
    }
    if args.json {
        Object::new("report sweep", &args.sweep.display().to_string())
            .with("points", points.len().into())
            .with("points_planned", manifest.points.len().into())
            .with("page", args.output.display().to_string().into())
            .with("figures", files.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let of = manifest.points.len();
    write!(out, "{} of {of} in {}", plural(points.len() as u64, "point"), args.output.display())?;
    if let Some(folder) = &args.figures {
        write!(out, ", {} in {}", plural(files.len() as u64, "figure"), folder.display())?;
    }
    writeln!(out)?;
    Ok(Status::Done)
}
