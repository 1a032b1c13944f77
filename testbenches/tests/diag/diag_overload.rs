//! The chip under overload: every generator has an event in every cycle, or with every instruction, in Verilator
//!
//! Losses are counted: events that arrive and reported losses add up to all that happened. The link stays full of
//! events, and no generator starves.
//!
//! `GOSHAWK_LONG=1` and `-- --nocapture` print the rows of docs/reference/diagnosis-chip.md.

use diag::link::{FrameReader, FrameWriter};
use diag::load;
use fpga::cosim::Cosim;
use hdl::diag::chip::{DiagChip, DiagParams};
use rust_hdl::prelude::*;
use sim::diag::chip::FRAME_BYTES;
use sim::diag::packet::{Body, Event, HOST};
use sim::diag::registers;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use sim::stimulus::rounds;

const PC: u128 = 0x400;
/// Cycles of reset.
const RESET: u64 = 4;

/// Result of a run.
struct Got {
    offered: u64,
    /// Events that arrived while all generators had one in every cycle, by core.
    in_time: Vec<u64>,
    /// Share of the link's bytes in that time that belong to events and their frames, without loss counts.
    useful: f64,
    arrived: u64,
    told: u64,
}

/// Bytes of a frame, without those that only report losses.
fn bytes(event: &Event) -> usize {
    2 * Event { lost: 0, ..*event }.words() + FRAME_BYTES
}

/// Runs `cores` generators under overload for `clocks` cycles, with an event in one of `every` cycles and a byte of the
/// link in one of `byte_clocks`.
fn overload(cores: u8, generator: GeneratorParams, every: u64, byte_clocks: u64, clocks: u64) -> Got {
    let params =
        DiagParams { cores, generator, outside: Vec::new(), nodes: Vec::new(), windows: false, masters: 0, clocked: 0 };
    let mut chip = DiagChip::new(&params).unwrap();
    chip.connect_all();
    let cosim = Cosim::of_system(&chip, true).unwrap();
    let captures = if generator.lite { Vec::new() } else { vec![Capture::Pc] };
    let slots =
        [Slot { trigger: Trigger::Pc(PC as u64), event: 1, dest: HOST, captures, stamped: true, yields: false }];
    let writes = if generator.lite { registers::lite(&slots, 32) } else { registers::full(&slots, 32) };
    let mut line = FrameWriter::default();
    let sends: Vec<u8> = (0..cores).flat_map(|c| load::write(c, &writes)).flat_map(|p| line.frame(&p)).collect();
    let names: Vec<String> = cosim.inputs().iter().map(|p| hdl::verilog::plain(&p.name)).collect();
    let vector = |reset: bool, takes: bool, byte: Option<u8>, hits: bool| -> Vec<u128> {
        let value = |name: &String| match name.as_str() {
            "reset" => reset.into(),
            "ready" => takes.into(),
            "host_valid" => u128::from(byte.is_some()),
            "host_octet" => byte.unwrap_or(0).into(),
            n if n.starts_with("rvfi_valid") => u128::from(hits),
            n if n.starts_with("rvfi_pc_rdata") => PC,
            n if n.starts_with("rvfi_pc_wdata") => PC + 4,
            n if n.starts_with("rvfi_insn") => 0x13,
            _ => 0,
        };
        names.iter().map(value).collect()
    };
    // measures how long the ring takes to set up the generators
    let (ready, mut set, mut left) =
        (cosim.output("host_ready").unwrap(), Vec::new(), sends.iter().copied().peekable());
    let mut session = cosim.session().unwrap();
    for clock in 0.. {
        let byte = left.peek().copied().filter(|_| clock >= RESET);
        let inputs = vector(clock < RESET, clock % byte_clocks == 0, byte, false);
        let taken = session.step(&inputs).unwrap()[ready] == 1;
        set.push(inputs);
        if byte.is_some() && taken {
            left.next();
        }
        if left.peek().is_none() {
            break;
        }
    }
    drop(session);
    let begin = set.len() as u64 + 2_000 * byte_clocks;
    let drained = begin + clocks + byte_clocks * 20 * 24 * u64::from(cores) + 2_000;
    // some more events of each, which report the remaining losses, 65,535 at a time
    let (more, apart) = (clocks / 65_535 + 1, byte_clocks * 48 * u64::from(cores) + 2_000);
    let end = drained + more * apart;
    let hits = |clock: u64| {
        ((begin..begin + clocks).contains(&clock) && (clock - begin) % every == 0)
            || (clock >= drained && (clock - drained) % apart == 0)
    };
    let idle = [false, true].map(|takes| [false, true].map(|hits| vector(false, takes, None, hits)));
    let inputs = (0..end).map(|clock| match set.get(clock as usize) {
        Some(inputs) => inputs.clone(),
        None => idle[usize::from(clock % byte_clocks == 0)][usize::from(hits(clock))].clone(),
    });
    let (valid, octet) = (cosim.output("valid").unwrap(), cosim.output("octet").unwrap());
    let mut reader = FrameReader::default();
    let mut got = Got {
        offered: (clocks.div_ceil(every) + more) * u64::from(cores),
        in_time: vec![0; cores.into()],
        useful: 0.0,
        arrived: 0,
        told: 0,
    };
    let mut useful = 0;
    cosim
        .run(inputs, |clock, out| {
            if clock < RESET || out[valid] == 0 || clock % byte_clocks != 0 {
                return;
            }
            for packet in reader.push(&[out[octet] as u8]) {
                let Body::Event(event) = packet.body else { continue };
                got.arrived += 1;
                got.told += u64::from(event.lost);
                if (begin..begin + clocks).contains(&clock) {
                    got.in_time[usize::from(event.core)] += 1;
                    useful += bytes(&event);
                }
            }
        })
        .unwrap();
    assert_eq!((reader.lost, reader.skipped, reader.malformed), (0, 0, 0));
    got.useful = useful as f64 * byte_clocks as f64 / clocks as f64;
    got
}

/// Prints a row.
fn check(generator: GeneratorParams, cores: u8, every: u64) {
    let name = if generator.lite { "lite" } else { "full" };
    // a link of 12 Mbit/s at 50 MHz
    let got = overload(cores, generator, every, 33, rounds(60_000, 1_000_000));
    let Got { offered, arrived, told, useful, .. } = got;
    let (least, most) = (got.in_time.iter().min().unwrap(), got.in_time.iter().max().unwrap());
    println!(
        "| {name} | {cores} | {every} | {offered} | {arrived} | {told} | {:.1} % | {least} to {most} |",
        100.0 * useful
    );
    assert_eq!(arrived + told, offered, "{name}, {cores} cores, every {every} clocks");
    assert!(useful > 0.8, "{name}, {cores} cores, every {every} clocks: {useful}");
    assert!(most - least <= 2, "{name}, {cores} cores, every {every} clocks: {:?}", got.in_time);
}

fn numbers_of_cores() -> &'static [u8] {
    rounds(&[2], &[1, 2, 4, 8])
}

#[test]
fn lite_generators_keep_the_link_full_and_count_the_rest() {
    numbers_of_cores().iter().for_each(|cores| check(GeneratorParams::LITE, *cores, 1));
}

#[test]
fn full_generators_keep_the_link_full_and_count_the_rest() {
    for cores in numbers_of_cores() {
        [1, 2, 4, 8].iter().for_each(|every| check(GeneratorParams::FULL, *cores, *every));
    }
}
