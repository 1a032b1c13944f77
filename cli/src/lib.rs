//! The goshawk command: trace hardware for multicore chips, from a program to Verilog and back
//!
//! Each subcommand is a module: it parses its arguments, calls the libraries and prints. Results go to standard output,
//! everything else to standard error with the prefix `goshawk: `. Exit code 0: done, or compared and equal; 1: compared
//! and different; 2: failed, or only partly done.

mod args;
mod baselines;
mod bench;
mod capture;
mod cfiat;
mod check_port;
#[cfg(feature = "hardware")]
mod circuit;
mod compare;
mod completions;
mod coverage;
mod decode;
#[cfg(feature = "hardware")]
mod demo;
#[cfg(feature = "hardware")]
mod describe;
mod descriptors;
#[cfg(feature = "hardware")]
mod diag;
mod encode;
mod error;
mod files;
#[cfg(feature = "hardware")]
mod gates;
mod gdb;
#[cfg(feature = "hardware")]
mod gen;
#[cfg(feature = "hardware")]
mod hardware;
mod heap;
mod help;
mod import;
mod inputs;
mod latency;
mod locations;
mod locks;
mod man;
mod measured;
#[cfg(test)]
mod names;
mod options;
mod output;
#[cfg(feature = "hardware")]
mod package;
mod papers;
#[cfg(feature = "hardware")]
mod ports;
mod programs;
mod progress;
mod races;
mod recommend;
#[cfg(all(test, feature = "hardware"))]
mod reference;
mod replay;
mod report;
mod results;
mod run;
mod signals;
#[cfg(feature = "hardware")]
mod simulate;
#[cfg(feature = "hardware")]
mod soc;
mod stacks;
mod stats;
mod sweep;
#[cfg(test)]
mod terms;
#[cfg(feature = "hardware")]
mod testbench;
mod timeline;
mod usage;
#[cfg(feature = "hardware")]
mod vectors;
mod views;
mod who_wrote;
mod why;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use error::{Failure, Status};
use output::RED;
use std::io::Write;
use std::process::ExitCode;

/// Version, with the commit if known.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("GOSHAWK_COMMIT"));

/// What a newcomer can try, after the list of commands.
const FIRST_STEPS: &str = concat!(
    "First steps:\n",
    "  goshawk run firmware.elf          Run firmware; a crash is explained\n",
    "  goshawk stats builtin:vm          Measure the trace of a built-in program\n",
    "  goshawk help COMMAND              Options and examples of a command\n",
    "\nTutorials for chip designers, firmware developers and researchers: docs/README.md"
);

/// Trace hardware for multicore chips, and the software that replays what it sends
#[derive(Parser, Debug)]
#[command(name = "goshawk", version = VERSION, max_term_width = 110, after_help = FIRST_STEPS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    #[cfg(feature = "hardware")]
    Demo(demo::Args),
    Run(run::Args),
    Import(import::ImportArgs),
    Export(import::ExportArgs),
    Encode(encode::Args),
    Replay(replay::Args),
    Decode(decode::Args),
    Stats(stats::Args),
    Gdb(gdb::Args),
    WhoWrote(who_wrote::Args),
    Why(why::Args),
    Races(races::Args),
    Locks(locks::Args),
    Heap(heap::Args),
    Stack(stacks::Args),
    Latency(latency::Args),
    Show(views::ShowArgs),
    Diff(views::DiffArgs),
    Profile(views::ProfileArgs),
    Coverage(coverage::Args),
    Timeline(timeline::Args),
    Vcd(views::VcdArgs),
    #[cfg(feature = "hardware")]
    Gen(gen::Args),
    CheckPort(check_port::Args),
    #[cfg(feature = "hardware")]
    Sim(simulate::Args),
    Programs(programs::Args),
    #[cfg(feature = "hardware")]
    Gates(gates::Args),
    Bench(bench::Args),
    Baselines(baselines::Args),
    Compare(compare::Args),
    Recommend(recommend::Args),
    Results(results::Args),
    Papers(papers::Args),
    Sweep(Box<sweep::Args>),
    Report(report::Args),
    #[cfg(feature = "hardware")]
    Soc(soc::Args),
    Capture(capture::Args),
    #[cfg(feature = "hardware")]
    Diag(Box<diag::Args>),
    Completions(completions::Args),
    Man(man::Args),
}

fn dispatch(command: &Command, out: &mut dyn Write) -> Result<Status, Failure> {
    match command {
        #[cfg(feature = "hardware")]
        Command::Demo(args) => demo::run(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Import(args) => import::import(args, out),
        Command::Export(args) => import::export(args, out),
        Command::Encode(args) => encode::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Decode(args) => decode::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Gdb(args) => gdb::run(args, out),
        Command::WhoWrote(args) => who_wrote::run(args, out),
        Command::Why(args) => why::run(args, out),
        Command::Races(args) => races::run(args, out),
        Command::Locks(args) => locks::run(args, out),
        Command::Heap(args) => heap::run(args, out),
        Command::Stack(args) => stacks::run(args, out),
        Command::Latency(args) => latency::run(args, out),
        Command::Diff(args) => views::diff(args, out),
        Command::Show(args) => views::show(args, out),
        Command::Profile(args) => views::profile(args, out),
        Command::Coverage(args) => coverage::run(args, out),
        Command::Timeline(args) => timeline::run(args, out),
        Command::Vcd(args) => views::vcd(args, out),
        #[cfg(feature = "hardware")]
        Command::Gen(args) => gen::run(args, out),
        Command::CheckPort(args) => check_port::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Sim(args) => simulate::run(args, out),
        Command::Programs(args) => programs::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Gates(args) => gates::run(args, out),
        Command::Baselines(args) => baselines::run(args, out),
        Command::Compare(args) => compare::run(args, out),
        Command::Recommend(args) => recommend::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Results(args) => results::run(args, out),
        Command::Papers(args) => papers::run(args, out),
        Command::Sweep(args) => sweep::run(args, out),
        Command::Report(args) => report::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Soc(args) => soc::run(args, out),
        Command::Capture(args) => capture::run(args, out),
        #[cfg(feature = "hardware")]
        Command::Diag(args) => diag::run(args, out),
        Command::Completions(args) => completions::run(args, Cli::command(), out),
        Command::Man(args) => man::run(args, Cli::command(), out),
    }
}

/// Adds the tools that tools/setup installed in a virtual environment of the current folder to the end of PATH.
fn find_installed_tools() {
    let Ok(installed) = std::env::current_dir().map(|d| d.join(".venv/bin")) else { return };
    if installed.is_dir() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if let Ok(path) = std::env::join_paths(std::env::split_paths(&path).chain([installed])) {
            std::env::set_var("PATH", path);
        }
    }
}

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    find_installed_tools();
    if let Err(e) = signals::handle() {
        eprintln!("goshawk: signals leave temporary files: {e}");
    }
    #[cfg(feature = "hardware")]
    fpga::flow::tool::on_notice(|text| eprintln!("goshawk: {text}"));
    let command = help::with_unwrapped_examples(Cli::command());
    let words = help::words(&command, std::env::args_os());
    let parsed = command.clone().try_get_matches_from(&words);
    let (cli, matches) = match parsed.and_then(|m| Ok((Cli::from_arg_matches(&m)?, m))) {
        Ok(parsed) => parsed,
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            help::print(&e);
            return ExitCode::SUCCESS;
        }
        Err(e) => {
            usage::print(&e, &command, &words);
            return ExitCode::from(2);
        }
    };
    // a file on standard output must not be mixed with messages
    let mut out: Box<dyn Write> = match files::takes_stdout(&command, &matches) {
        true => Box::new(std::io::stderr()),
        false => Box::new(std::io::BufWriter::with_capacity(1 << 16, std::io::stdout())),
    };
    let result = files::check(&command, &matches).and_then(|()| dispatch(&cli.command, &mut out)).and_then(|status| {
        match out.flush() {
            // the exit code of a captured program counts, too, where nobody reads the report
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe && matches!(status, Status::Code(_)) => Ok(status),
            done => Ok(done.map(|()| status)?),
        }
    });
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::Different) => ExitCode::from(1),
        Ok(Status::Partial) => ExitCode::from(2),
        Ok(Status::Code(code)) => ExitCode::from(code),
        Err(failure) => {
            // what was found before the failure is still printed
            let _ = out.flush();
            if failure.is_closed_pipe() {
                return ExitCode::SUCCESS;
            }
            anstream::eprintln!("{RED}goshawk:{RED:#} {failure}");
            ExitCode::from(2)
        }
    }
}
