//! Occupancy of the retire queue of cores that retire several instructions per cycle
//!
//! Every test program, repacked for cores that retire 2 or 4 instructions per cycle: as many as possible without
//! restriction, one block per cycle, and with the stalls of the timing model. For each, the maximum number of words in
//! the queue, and the losses of queues of depth 4 to 16.
//!
//! `cargo run --release -p testbenches --example wide [INSTRUCTIONS]`

use retire::isa::{flow, Flow};
use sim::beats::wide::{pace, Compressor, Pace};
use sim::beats::{Expander, Retired};
use testbenches::check::run;

/// Instructions of each program.
const INSTRUCTIONS: u64 = 200_000;
/// log2 of the depths of queues.
const LOG2: [u8; 3] = [2, 3, 4];

/// Maximum number of words in the queue, events per cycle of the busiest 64 cycles, and instructions lost for each size
/// of [`LOG2`].
struct Load {
    waiting: usize,
    lag: u32,
    lost: Vec<u64>,
    clocks: u64,
    events: u64,
}

fn play(retired: &[Retired], clocks: &[u64]) -> Load {
    let mut queues: Vec<Compressor<usize>> = [12].iter().chain(&LOG2).map(|&n| Compressor::new(n)).collect();
    let mut load = Load { waiting: 0, lag: 0, lost: vec![0; LOG2.len()], clocks: 0, events: 0 };
    let (mut at, first) = (0, clocks[0]);
    let end = clocks[clocks.len() - 1];
    for clock in first..end + 5_000 {
        let from = at;
        at += clocks[at..].iter().take_while(|c| **c == clock).count();
        for (i, queue) in queues.iter_mut().enumerate() {
            let event = |r: &Retired| r.trapped || flow(r.insn, 32) != Flow::Sequential;
            let row = queue.clock((from..at).map(|k| (k, event(&retired[k]))), true);
            if i == 0 {
                load.waiting = load.waiting.max(queue.waiting());
                load.lag = load.lag.max(row.lag);
                load.events += u64::from(row.event.is_some());
            } else if row.beat_lost {
                load.lost[i - 1] += u64::from(row.count);
            }
        }
    }
    load.clocks = end - first;
    load
}

fn main() {
    let instructions = std::env::args().nth(1).map_or(INSTRUCTIONS, |n| n.parse().expect("a number"));
    println!("| a clock | pace | program | events a clock | words that wait | lag | lost of 4, 8, 16 entries |");
    println!("| ---: | --- | --- | ---: | ---: | ---: | --- |");
    let programs: Vec<(&str, Vec<Retired>)> = programs::PROGRAMS
        .iter()
        .map(|info| {
            let program = info.load().expect("a built-in program");
            let (events, _) = run(&program, 1, instructions);
            let (mut expander, mut all) = (Expander::new(&program, 1), Vec::new());
            events.iter().for_each(|e| expander.event(e, &mut |r| all.push(*r)).expect("its own events"));
            expander.finish(&mut |r| all.push(*r)).expect("its own events");
            (info.name, all)
        })
        .collect();
    for width in [2, 4] {
        for rule in [Pace::Full, Pace::Block, Pace::Timed] {
            for (name, retired) in &programs {
                let cycles: Vec<u64> = retired.iter().map(|r| r.cycle).collect();
                let is_sequential: Vec<bool> =
                    retired.iter().map(|r| r.next_pc == r.pc.wrapping_add(r.len.into())).collect();
                let load = play(retired, &pace(&cycles, &is_sequential, width, rule));
                let a_clock = load.events as f64 / load.clocks as f64;
                println!(
                    "| {width} | {rule:?} | {name} | {a_clock:.2} | {} | {} | {:?} |",
                    load.waiting, load.lag, load.lost
                );
            }
        }
    }
}
