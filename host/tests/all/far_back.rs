//! Reverse-continue over a long program: 3 million instructions, with `GOSHAWK_LONG=1` 107 million

use host::debug::motion::{Kind, Motion, Stop, Watch};
use retire::elf::{Program, Segment};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};
use sim::stimulus::rounds;
use std::time::Instant;

const RAM: u64 = 0x8000_0000;
/// Only the third instruction stores to this address.
const WATCHED: u32 = 0x8001_0000;
/// Instructions before the loop, and per iteration.
const BEFORE: u64 = 4;
const TURN: u64 = 6;

/// A store of 7 to [`WATCHED`], then `turns` (a multiple of 4096) stores to the 256 KiB after it.
fn program(turns: u32) -> Program {
    let code: [u32; 11] = [
        WATCHED | 1 << 7 | 0x37,                                           // lui x1, 0x80010
        7 << 20 | 2 << 7 | 0x13,                                           // addi x2, x0, 7
        2 << 20 | 1 << 15 | 2 << 12 | 0x23,                                // sw x2, 0(x1)
        turns | 3 << 7 | 0x37,                                             // lui x3, turns
        16 << 20 | 3 << 15 | 1 << 12 | 4 << 7 | 0x13,                      // slli x4, x3, 16
        14 << 20 | 4 << 15 | 5 << 12 | 4 << 7 | 0x13,                      // srli x4, x4, 14
        1 << 20 | 4 << 15 | 4 << 7 | 0x33,                                 // add x4, x4, x1
        3 << 20 | 4 << 15 | 2 << 12 | 4 << 7 | 0x23,                       // sw x3, 4(x4)
        0xfff << 20 | 3 << 15 | 3 << 7 | 0x13,                             // addi x3, x3, -1
        1 << 31 | 0x3f << 25 | 3 << 15 | 1 << 12 | 6 << 8 | 1 << 7 | 0x63, // bne x3, x0, -20
        0x6f,                                                              // j .
    ];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let segments = vec![Segment::code(RAM, data)];
    Program {
        xlen: 32,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: RAM,
        segments,
        build_id: vec![1],
    }
}

#[test]
fn reverse_continue_finds_the_first_store_from_the_end() {
    let turns = rounds(0x8_0000, 0x110_0000);
    let instructions = BEFORE + TURN * u64::from(turns);
    let program = program(turns);
    let config = MachineConfig { harts: 1, ram_bytes: 1 << 20, ..MachineConfig::default() };
    let mut machine = Machine::new(&program, config).unwrap();
    let params = InputsParams::new(1, 32, machine.ram(), Sizes::default());
    let mut recorder = Recorder::new(&params, &program).unwrap();
    machine.run(&mut recorder, Limits { instructions, ..Limits::default() }).unwrap();
    recorder.finish();
    let words: Vec<u32> = recorder.drain().collect();

    let mut motion = Motion::new(Replay::new(&params, &program, words).unwrap().unwrap());
    let watch = Watch { addr: WATCHED, length: 4, kind: Kind::Write };
    motion.watches.push(watch);
    assert_eq!(motion.forwards(None, |_| false).unwrap(), Stop::Watch(0, watch));
    assert_eq!(motion.line.replay().position(), 3);
    let start = Instant::now();
    assert_eq!(motion.forwards(None, |_| false).unwrap(), Stop::Edge);
    let on = start.elapsed();
    assert_eq!(motion.line.replay().position(), instructions);

    let seen = |m: &Motion<Replay>| m.line.replay().memory(WATCHED, 4).unwrap().to_vec();
    let start = Instant::now();
    assert_eq!(motion.backwards(None, |_| false).unwrap(), Stop::Watch(0, watch));
    let back = start.elapsed();
    assert_eq!((motion.line.replay().position(), seen(&motion)), (2, vec![0; 4]));

    // to a breakpoint after the store and before the loop
    motion.line.seek(instructions).unwrap();
    motion.watches.clear();
    motion.breakpoints.insert(RAM + 4 * (BEFORE - 1));
    assert_eq!(motion.backwards(None, |_| false).unwrap(), Stop::Break(0));
    assert_eq!((motion.line.replay().position(), seen(&motion)), (3, vec![7, 0, 0, 0]));
    motion.breakpoints.clear();
    // a single step of the core, in both directions
    assert_eq!(motion.forwards(Some(0), |_| false).unwrap(), Stop::Step(0));
    assert_eq!(motion.line.replay().position(), 4);
    assert_eq!(motion.backwards(Some(0), |_| false).unwrap(), Stop::Step(0));
    assert_eq!(motion.line.replay().position(), 3);

    let (bytes, checkpoints) = motion.line.held();
    println!(
        "{instructions} instructions: on {:.2} s, back {:.2} s; {checkpoints} checkpoints, {:.1} MB",
        on.as_secs_f64(),
        back.as_secs_f64(),
        bytes as f64 / 1e6
    );
    assert!(checkpoints <= 256 && bytes < 100 << 20, "{checkpoints} checkpoints, {bytes} bytes");
}
