//! Scheme `inputs`: bursts of instructions equal single steps, wherever a burst ends

use crate::inputs_support::{difference, record, Log};
use rand::{RngExt, SeedableRng};
use sim::riscv::MachineConfig;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;

/// Core, its pc, and a hash of all cores' registers.
type Moment = (u8, u64, u32);

fn moment(replay: &Replay, core: u8) -> Moment {
    let registers: Vec<u8> = (0..4).flat_map(|c| replay.registers(c)).flat_map(u64::to_le_bytes).collect();
    (core, replay.pc(core), crc32fast::hash(&registers))
}

#[test]
fn bursts_equal_single_steps() {
    for name in ["bank", "irq", "qsort"] {
        let program = programs::load(name).unwrap();
        let config = MachineConfig { harts: 4, ..MachineConfig::default() };
        let recorded = record(&program, config, 60_000, Sizes { check: 10, ..Sizes::default() });
        let replay = || Replay::new(&recorded.params, &program, recorded.words.clone()).unwrap().unwrap();
        let (mut one, mut steps, mut log) = (replay(), Vec::new(), Log::default());
        while let Some(core) = one.step(&mut log).unwrap() {
            steps.push(moment(&one, core));
        }
        assert!(difference(&recorded.log, &log).is_none(), "{name}");
        let retired: u64 = (0..4).map(|core| one.retired(core)).sum();
        assert_eq!(retired, 60_000, "{name}");
        // exceptions are steps, too
        assert!(name != "irq" || steps.len() > 60_000, "{name}: {} steps", steps.len());

        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(11);
        for longest in [1, 2, 3, 40, 5000] {
            let (mut rows, mut log, mut count) = (replay(), Log::default(), 0);
            loop {
                let from = rows.position();
                let to = from + rng.random_range(1..=longest);
                let halt_at = steps[rng.random_range(0..steps.len())].1;
                let row = rows.advance(&mut log, to - from, |_, pc| pc == halt_at);
                let Some(core) = row.unwrap() else { break };
                let here = rows.position();
                assert!(from < here && here <= to, "{name}: from {from} to {to} is {here}");
                assert_eq!(moment(&rows, core), steps[here as usize - 1], "{name}: moment {here}");
                let passed = steps[from as usize..here as usize - 1].iter().find(|s| s.0 != core || s.1 == halt_at);
                assert_eq!(passed, None, "{name}: passed between {from} and {here}");
                count += 1;
            }
            assert_eq!((rows.position(), rows.bits()), (one.position(), one.bits()), "{name}");
            assert!(difference(&recorded.log, &log).is_none(), "{name}: rows of at most {longest}");
            assert!(longest < 40 || count < 60_000, "{name}: {count} rows are all single steps");
        }
    }
}
