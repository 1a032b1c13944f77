//! Tables of scheme `follow`: bits per instruction of its sets and of others on the built-in programs, and what each part is worth
//!
//! `cargo run --release -p sim --example follow_table [bits | parts | speed] [INSTRUCTIONS]`
//!
//! One core, functional; every stream is decoded and compared. `speed` replays only, and prints millions of instructions per second.

use programs::PROGRAMS;
use retire::image::Image;
use retire::FlowEvent;
use retire::RetireSink;
use sim::params::{Platform, TraceParams};
use sim::replay::{Ignore, Replay, ReplaySink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;
use std::time::Instant;

const SETS: [&str; 8] =
    ["tr_e:small", "tr_e:m4", "tr_e:large", "golomb:m4", "follow:s", "follow:m", "follow:ml", "follow:l"];

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
    name: &'static str,
    image: Image,
    events: Vec<FlowEvent>,
    instructions: u64,
    cycles: u64,
}

/// Compares what is replayed with what was retired.
struct Compare<'a>(std::slice::Iter<'a, FlowEvent>, bool);

impl ReplaySink for Compare<'_> {
    fn event(&mut self, event: &FlowEvent) {
        self.1 &= self.0.next().is_some_and(|want| want.same_flow(event));
    }
}

fn params(scheme: &str) -> Result<TraceParams, Box<dyn Error>> {
    Ok(TraceParams::new(Platform::RV32, scheme.parse()?))
}

fn encode(run: &Run, params: &TraceParams) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut system = System::new(params)?;
    run.events.iter().for_each(|e| system.event(e));
    system.finish(run.cycles);
    Ok(system.drain().collect())
}

/// Length of the stream in bits, once it is known to be correct.
fn bits(run: &Run, scheme: &str) -> Result<u64, Box<dyn Error>> {
    let params = params(scheme)?;
    let words = encode(run, &params)?;
    let mut compare = Compare(run.events.iter(), true);
    Replay::new(&run.image, &params, words.iter().copied())?.run(&mut compare)?;
    if compare.1 && compare.0.len() == 0 {
        Ok(32 * words.len() as u64)
    } else {
        Err(format!("{}, {scheme}: replay differs", run.name).into())
    }
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// Bits of each scheme by program, and of all programs.
fn table(runs: &[Run], names: &[String], heads: &[String]) -> Result<Vec<Vec<f64>>, Box<dyn Error>> {
    let mut columns = Vec::new();
    for name in names {
        let each: Vec<u64> = runs.iter().map(|run| bits(run, name)).collect::<Result<_, _>>()?;
        let all = each.iter().sum::<u64>() as f64 / runs.iter().map(|run| run.instructions).sum::<u64>() as f64;
        let mut column: Vec<f64> =
            each.iter().zip(runs).map(|(bits, run)| *bits as f64 / run.instructions as f64).collect();
        column.push(all);
        columns.push(column);
    }
    row("program", heads.iter().cloned());
    row("---", heads.iter().map(|_| "---:".into()));
    for (i, name) in runs.iter().map(|run| run.name).chain(["all"]).enumerate() {
        row(name, columns.iter().map(|column| format!("{:.4}", column[i])));
    }
    Ok(columns)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_else(|| "bits".into());
    let instructions = words.next().map_or(Ok(4_000_000), |n| n.parse())?;
    let mut runs = Vec::new();
    for info in PROGRAMS {
        let program = info.load()?;
        let mut events = Vec::new();
        let limits = Limits { instructions, ..Limits::default() };
        let run = Machine::new(&program, MachineConfig::default())?.run(&mut events, limits)?;
        let instructions = run.instructions.iter().sum();
        runs.push(Run { name: info.name, image: Image::new(&program), events, instructions, cycles: run.cycles });
    }
    let sets = SETS.map(String::from);
    match what.as_str() {
        "bits" => _ = table(&runs, &sets, &sets)?,
        "parts" => {
            row("set", ["m", "l"].into_iter().map(String::from));
            row("---", ["---:", "---:"].into_iter().map(String::from));
            let all: u64 = runs.iter().map(|run| run.instructions).sum();
            for (change, text) in PARTS {
                let mut cells = Vec::new();
                for set in ["m", "l"] {
                    let total =
                        runs.iter().map(|run| bits(run, &format!("follow:{set}{change}"))).sum::<Result<u64, _>>()?;
                    cells.push(format!("{:.4}", total as f64 / all as f64));
                }
                row(text, cells.into_iter());
            }
        }
        "speed" => {
            for set in SETS {
                let params = params(set)?;
                let mut best = 0f64;
                let streams: Vec<_> = runs.iter().map(|run| encode(run, &params)).collect::<Result<_, _>>()?;
                for _ in 0..5 {
                    let start = Instant::now();
                    let mut count = 0;
                    for (run, words) in runs.iter().zip(&streams) {
                        let replay = Replay::new(&run.image, &params, words.iter().copied())?;
                        count += replay.run(&mut Ignore)?.instructions.iter().sum::<u64>();
                    }
                    best = best.max(count as f64 / start.elapsed().as_secs_f64() / 1e6);
                }
                println!("{set:<12} {best:6.0}");
            }
        }
        _ => return Err(format!("{what}: expected bits, parts or speed").into()),
    }
    Ok(())
}
