//! Scheme `inputs` from the middle of a run
//!
//! The state of the cores and first accesses are reported, and replay from there equals the run in all retired
//! instructions, in registers, and in every byte of RAM that it reports as known.

use crate::inputs_support::{difference, known, record_from, Log, Recorded};
use crate::random_programs;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::elf::Program;
use retire::NullSink;
use sim::riscv::{Machine, MachineConfig, Timing};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{Replay, Timeline};
use sim::stimulus::rounds;

/// Replays, and compares everything with the run; returns the number of bytes of RAM that replay knows at the end.
fn assert_replays(program: &Program, (run, machine): &(Recorded, Machine), what: &str) -> usize {
    let mut replay = Replay::new(&run.params, program, run.words.clone()).unwrap().unwrap();
    let mut log = Log::default();
    let end = replay.run(&mut log, |_| false);
    if let Some(difference) = difference(&known(&run.log), &known(&log)) {
        panic!("{what}: {difference}; {end:?}");
    }
    end.unwrap_or_else(|e| panic!("{what}: {e}"));
    for (core, state) in machine.states().iter().enumerate() {
        let core = core as u8;
        assert_eq!(replay.registers(core), state.registers, "{what}: core {core}");
        if run.params.isa().float {
            assert_eq!(replay.floats(core), state.floats, "{what}: core {core}");
        }
    }
    let (base, ram) = (run.params.ram_base, machine.memory());
    let held = (0..ram.len()).filter(|at| {
        let byte = replay.memory(base + *at as u32, 1);
        assert!(byte.is_none_or(|b| b[0] == ram[*at]), "{what}: byte 0x{at:x}");
        byte.is_some()
    });
    held.count()
}

fn sizes(known: u32) -> Sizes {
    Sizes { known, check: 12, ..Sizes::default() }
}

#[test]
fn every_program_replays_from_its_middle() {
    let instructions = rounds(30_000, 2_000_000);
    let narrow = programs::PROGRAMS.iter().map(|p| (p.name, p.elf));
    for (name, elf) in narrow.chain(programs::RV64.iter().map(|p| (p.name, p.elf))) {
        let loaded = Program::parse(elf).unwrap();
        for (harts, skip, known) in [(1, 0, 64), (1, 123_457, 4096), (2, 61, 1024), (4, 400_001, 1 << 20)] {
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let run = record_from(&loaded, config, skip, instructions, sizes(known));
            let what = format!("{name} rv{} harts {harts} from {skip} known {known}", loaded.xlen);
            let bytes = assert_replays(&loaded, &run, &what);
            assert!(run.0.stats.instructions < 1000 || bytes > 100, "{what}: {bytes}");
        }
    }
}

/// Shared words, atomics, reservations, devices, interrupts and access faults, from random positions.
#[test]
fn random_programs_replay_from_anywhere() {
    let (seeds, instructions) = rounds((60, 20_000), (2_000, 200_000));
    let (mut inputs, mut episodes) = (0, 0);
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x51a7);
        let harts = rng.random_range(1..=8);
        let sizes = Sizes {
            entries: 16 << rng.random_range(0..7),
            tag: rng.random_range(0..=16),
            block: 4 << rng.random_range(0..4),
            check: rng.random_range(10..=14),
            last: 1 << rng.random_range(0..5),
            known: 64 << rng.random_range(0..8),
            masters: false,
            unmodelled: None,
        };
        let program = random_programs::program(seed, harts.into());
        let timing = if seed % 3 == 0 { Timing::functional() } else { Timing::default() };
        let config = MachineConfig { harts, seed, timing, ram_bytes: 64 << 10, ..MachineConfig::default() };
        let skip = rng.random_range(0..50_000);
        let run = record_from(&program, config, skip, instructions, sizes);
        assert_replays(&program, &run, &format!("seed {seed}, {harts} harts from {skip}, {sizes}"));
        inputs += run.0.stats.inputs.messages;
        episodes += run.0.stats.episodes.messages;
    }
    assert!(inputs > 10_000 && episodes > 10_000, "{inputs} {episodes}");
}

/// Unreported bytes are not invented; and moving back works as from reset.
#[test]
fn unknown_bytes_are_none_and_positions_are_reproducible() {
    let program = programs::load("bank").unwrap();
    let config = MachineConfig { harts: 4, ..MachineConfig::default() };
    let both = record_from(&program, config, 200_000, 100_000, sizes(1024));
    assert_replays(&program, &both, "bank");
    let (run, machine) = both;
    let replay = Replay::new(&run.params, &program, run.words.clone()).unwrap().unwrap();
    assert_eq!(replay.position(), 0);
    assert!((0..4).all(|core| replay.pc(core) > 0x8000_0000 && replay.registers(core)[2] > 0x8000_0000));
    // code is known from the start; the top of the stack and the trap CSRs are not
    assert!(replay.memory(0x8000_0000, 4).is_some() && replay.memory(replay.registers(0)[2] as u32, 4).is_none());
    assert_eq!((replay.csr(0, 0x340), replay.csr(0, 0x305).is_some()), (None, true));
    let state = |r: &Replay| {
        let known: Vec<Option<u8>> = (0..1 << 18).map(|at| r.memory(0x8000_0000 + at, 1).map(|b| b[0])).collect();
        (r.position(), (0..4).map(|c| (r.pc(c), r.registers(c))).collect::<Vec<_>>(), known)
    };
    let mut line = Timeline::new(replay);
    let moments = [90_000, 17, 40_003, 0, 99_999];
    let forwards: Vec<_> = [0, 17, 40_003, 90_000, 99_999]
        .map(|at| {
            line.seek(at).unwrap();
            state(line.replay())
        })
        .into();
    for at in moments {
        line.seek(at).unwrap();
        let found = state(line.replay());
        assert!(forwards.contains(&found), "moment {at}");
    }
    line.seek(u64::MAX).unwrap();
    assert_eq!(line.replay().pc(0), machine.states()[0].pc);
}

/// As from reset (`inputs_faults.rs`): no wrong instruction after the last successful check goes unmarked.
#[test]
fn damage_is_reported() {
    let program = programs::load("lz").unwrap();
    let config = MachineConfig { harts: 2, ..MachineConfig::default() };
    let (run, _) = record_from(&program, config, 50_000, 40_000, sizes(1024));
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let bits = run.words.len() as u64 * 32;
    let mut reported = 0;
    for _ in 0..300 {
        let at = rng.random_range(96..bits);
        let mut words = run.words.clone();
        words[(at / 32) as usize] ^= 1 << (at % 32);
        let mut log = Log::default();
        let replay = Replay::new(&run.params, &program, words).unwrap();
        match replay.and_then(|mut r| r.run(&mut log, |_| false)) {
            Err(_) => reported += 1,
            Ok(()) => assert!(difference(&known(&run.log), &known(&log)).is_none(), "bit {at}"),
        }
    }
    assert!(reported > 280, "{reported}");
    let cut = run.words[..run.words.len() / 2].to_vec();
    let replay = Replay::new(&run.params, &program, cut).unwrap();
    assert!(replay.and_then(|mut r| r.run(&mut NullSink, |_| false)).is_err());
    let cut = run.words[..4].to_vec();
    assert!(Replay::new(&run.params, &program, cut).unwrap().is_err());
}
