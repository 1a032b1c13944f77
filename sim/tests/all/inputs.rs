//! Scheme `inputs`: replay of every built-in program equals the run, in all retired instructions

use crate::inputs_support::{assert_replays, record};
use sim::riscv::MachineConfig;
use sim::scheme::inputs::params::Sizes;
use sim::stimulus::rounds;

/// Instructions of each run.
fn instructions() -> u64 {
    rounds(150_000, 2_000_000)
}

#[test]
fn every_program_replays_with_all_its_values() {
    for program in programs::PROGRAMS {
        let loaded = program.load().unwrap();
        for harts in [1, 2, 4, 8] {
            for seed in [0, 1, 77] {
                let config = MachineConfig { harts, seed, ..MachineConfig::default() };
                let sizes = Sizes { check: 14, ..Sizes::default() };
                let recorded = record(&loaded, config, instructions(), sizes);
                assert_replays(&loaded, &recorded, &format!("{} harts {harts} seed {seed}", program.name));
            }
        }
    }
}

/// The state at a position does not depend on the direction: moving back and forth at random gives the same states as
/// moving forwards.
#[test]
fn every_position_is_reachable_from_every_other() {
    use rand::{RngExt, SeedableRng};
    use sim::scheme::inputs::replay::{Replay, Timeline};
    use sim::timeline::Back;
    let program = programs::load("bank").unwrap();
    let config = MachineConfig { harts: 4, ..MachineConfig::default() };
    let recorded = record(&program, config, 400_000, Sizes::default());
    let replay = || Replay::new(&recorded.params, &program, recorded.words.clone()).unwrap().unwrap();
    let state = |r: &Replay| {
        let memory = crc32fast::hash(r.memory(0x8000_0000, 1 << 20).unwrap());
        (r.position(), (0..4).map(|c| (r.pc(c), r.registers(c), r.retired(c))).collect::<Vec<_>>(), memory)
    };
    let mut moments: Vec<u64> = (0..30).map(|n| n * 13_331).collect();
    let mut forwards = replay();
    let mut states = Vec::new();
    for moment in &moments {
        while forwards.position() < *moment {
            forwards.step(&mut retire::NullSink).unwrap();
        }
        states.push(state(&forwards));
    }
    let mut line = Timeline::new(replay());
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(7);
    for _ in 0..60 {
        let i = rng.random_range(0..moments.len());
        line.seek(moments[i]).unwrap();
        assert_eq!(state(line.replay()), states[i]);
    }
    // backwards to each position at which an instruction of core 2 had just retired at one of these addresses
    let pc = states[20].1[2].0;
    let arrivals: Vec<u64> = {
        let mut r = replay();
        let mut all = Vec::new();
        while let Some(core) = r.step(&mut retire::NullSink).unwrap() {
            if core == 2 && r.pc(2) == pc {
                all.push(r.position());
            }
        }
        all
    };
    assert!(arrivals.len() > 3, "{}", arrivals.len());
    line.seek(u64::MAX).unwrap();
    moments.clear();
    let found = |r: &Replay, core: u8, _: &mut retire::NullSink| (core == 2 && r.pc(2) == pc).then(|| r.position());
    for _ in 0..4 {
        // the line stops behind every core's instruction that leads there, and `found` asks which core it was
        let seek_back = line.seek_back(&mut retire::NullSink, |_, _| {}, |_, at| at == pc, found, |_| false).unwrap();
        assert_eq!(seek_back, Back::Found);
        moments.push(line.replay().position());
    }
    let last: Vec<u64> = arrivals.iter().rev().copied().filter(|m| *m < 400_000).take(4).collect();
    assert_eq!(moments, last);
}
