//! Tables of scheme `follow`: bits per instruction of its sets and of others, and what each part is worth
//!
//! `cargo run --release -p sim --example follow_table [bits | parts | speed] [INSTRUCTIONS | FOLDER] [SCHEME...]`
//!
//! The programs are the built-in ones, on one core and up to INSTRUCTIONS each, or the recordings FOLDER/NAME.ret, with a core for each thread.
//! Functional streams; every stream is decoded and compared. `speed` replays only, and prints millions of
//! instructions per second, from the best of 15 runs of each program: short runs are seldom interrupted on a machine with other work.

use programs::PROGRAMS;
use retire::file::retire::RetireReader;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::params::{Platform, TraceParams};
use sim::replay::{Ignore, Replay, ReplaySink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

const SETS: [&str; 12] = [
    "tr_e:small",
    "tr_e:m4",
    "tr_e:large",
    "golomb:m4",
    "follow:s",
    "follow:m",
    "follow:ml",
    "follow:l",
    "follow:s+arithmetic",
    "follow:m+arithmetic",
    "follow:ml+arithmetic",
    "follow:l+arithmetic",
];

/// The sets of the prototype whose parts are changed.
const BASES: [&str; 2] = ["m", "l+stack8+dictionary32+last32+paths64+upper0"];

/// A change of a set, and what it is.
const PARTS: [(&str, &str); 13] = [
    ("", "the set"),
    ("+past0", "without the past"),
    ("+tagged0", "without tagged tables"),
    ("+loops0", "without loops"),
    ("+paths0", "without targets by path"),
    ("+dictionary8", "dictionary of 8"),
    ("+dictionary64", "dictionary of 64"),
    ("+past4096", "past of 4,096"),
    ("+past65536+pointers1024", "past of 65,536, 1,024 pointers"),
    ("+pointers64", "64 pointers"),
    ("+tagged3x64", "3 tagged tables of 64"),
    ("+last64+paths64", "64 entries for last targets and paths"),
    ("+stack16", "16 return addresses"),
];

/// A program, what it retired, and its last cycle.
struct Run {
    name: String,
    platform: Platform,
    image: Image,
    events: Vec<FlowEvent>,
    instructions: u64,
    cycles: u64,
}

/// Compares what is replayed with what was retired, by core.
struct Compare(Vec<std::vec::IntoIter<FlowEvent>>, bool);

impl Compare {
    fn new(run: &Run) -> Self {
        let of = |hart| run.events.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>().into_iter();
        Self((0..run.platform.cores).map(of).collect(), true)
    }

    fn equal(&self) -> bool {
        self.1 && self.0.iter().all(|rest| rest.len() == 0)
    }
}

impl ReplaySink for Compare {
    fn event(&mut self, event: &FlowEvent) {
        self.1 &= self.0[usize::from(event.hart)].next().is_some_and(|want| want.same_flow(event));
    }
}

fn built_in(instructions: u64) -> Result<Vec<Run>, Box<dyn Error>> {
    let run = |info: &programs::ProgramInfo| {
        let program = info.load()?;
        let mut events = Vec::new();
        let limits = Limits { instructions, ..Limits::default() };
        let run = Machine::new(&program, MachineConfig::default())?.run(&mut events, limits)?;
        let instructions = run.instructions.iter().sum();
        let (name, image) = (info.name.to_string(), Image::new(&program));
        Ok(Run { name, platform: Platform::RV32, image, events, instructions, cycles: run.cycles })
    };
    PROGRAMS.iter().map(run).collect()
}

fn recorded(folder: &Path) -> Result<Vec<Run>, Box<dyn Error>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)?.map(|f| f.map(|f| f.path())).collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "ret"));
    files.sort();
    let run = |file: &std::path::PathBuf| {
        let mut reader = RetireReader::open(file)?;
        let platform = Platform { cores: reader.info().harts, xlen: reader.info().xlen, ..Platform::RV32 };
        let mut events: Vec<FlowEvent> = Vec::new();
        reader.read_rest(&mut events)?;
        let instructions = events.iter().map(|e| u64::from(e.count)).sum();
        let image = Image::from_events(&events).map_err(|e| format!("{}: {e:?}", file.display()))?;
        let cycles = events.last().map_or(0, |e| e.cycle);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Run { name, platform, image, events, instructions, cycles })
    };
    files.iter().map(run).collect()
}

fn params(run: &Run, scheme: &str) -> Result<TraceParams, Box<dyn Error>> {
    Ok(TraceParams::new(run.platform, scheme.parse()?))
}

fn encode(run: &Run, params: &TraceParams) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut system = System::new(params)?;
    run.events.iter().for_each(|e| system.event(e));
    system.finish(run.cycles);
    Ok(system.drain().collect())
}

/// Length of the stream in bits, once it is known to be correct.
fn bits(run: &Run, scheme: &str) -> Result<u64, Box<dyn Error>> {
    let params = params(run, scheme)?;
    let words = encode(run, &params)?;
    let mut compare = Compare::new(run);
    Replay::new(&run.image, &params, words.iter().copied())?.run(&mut compare)?;
    if compare.equal() {
        Ok(32 * words.len() as u64)
    } else {
        Err(format!("{}, {scheme}: replay differs", run.name).into())
    }
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// Bits of each scheme by program, and of all programs.
fn table(runs: &[Run], names: &[String]) -> Result<(), Box<dyn Error>> {
    let mut columns = Vec::new();
    for name in names {
        let each: Vec<u64> = runs.iter().map(|run| bits(run, name)).collect::<Result<_, _>>()?;
        let all = each.iter().sum::<u64>() as f64 / runs.iter().map(|run| run.instructions).sum::<u64>() as f64;
        let mut column: Vec<f64> =
            each.iter().zip(runs).map(|(bits, run)| *bits as f64 / run.instructions as f64).collect();
        column.push(all);
        columns.push(column);
    }
    row("program", names.iter().cloned());
    row("---", names.iter().map(|_| "---:".into()));
    for (i, name) in runs.iter().map(|run| run.name.as_str()).chain(["all"]).enumerate() {
        row(name, columns.iter().map(|column| format!("{:.4}", column[i])));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_else(|| "bits".into());
    let runs = match words.next().as_deref().map(|word| (word, word.parse())) {
        None => built_in(4_000_000)?,
        Some((_, Ok(instructions))) => built_in(instructions)?,
        Some((folder, Err(_))) => recorded(Path::new(folder))?,
    };
    let schemes: Vec<String> = words.collect();
    let sets = if schemes.is_empty() { SETS.map(String::from).into() } else { schemes };
    match what.as_str() {
        "bits" => table(&runs, &sets)?,
        "parts" => {
            row("set", BASES.into_iter().map(String::from));
            row("---", ["---:", "---:"].into_iter().map(String::from));
            let all: u64 = runs.iter().map(|run| run.instructions).sum();
            for (change, text) in PARTS {
                let mut cells = Vec::new();
                for set in BASES {
                    let total =
                        runs.iter().map(|run| bits(run, &format!("follow:{set}{change}"))).sum::<Result<u64, _>>()?;
                    cells.push(format!("{:.4}", total as f64 / all as f64));
                }
                row(text, cells.into_iter());
            }
        }
        "speed" => {
            for set in &sets {
                let (mut count, mut time) = (0, Duration::ZERO);
                for run in &runs {
                    let params = params(run, set)?;
                    let words = encode(run, &params)?;
                    let mut best = Duration::MAX;
                    for _ in 0..15 {
                        let start = Instant::now();
                        let replayed = Replay::new(&run.image, &params, words.iter().copied())?.run(&mut Ignore)?;
                        best = best.min(start.elapsed());
                        if replayed.instructions.iter().sum::<u64>() != run.instructions {
                            return Err(format!("{}, {set}: replay differs", run.name).into());
                        }
                    }
                    (count, time) = (count + run.instructions, time + best);
                }
                let best = count as f64 / time.as_secs_f64() / 1e6;
                println!("{set:<12} {best:6.0}");
            }
        }
        _ => return Err(format!("{what}: expected bits, parts or speed").into()),
    }
    Ok(())
}
