//! Scheme `inputs`: replay of random programs equals the run for any sizes
//!
//! The programs run on several harts that share words, swap, reserve, poll devices, interrupt each other and trap.

use crate::inputs_support::{assert_replays, record};
use crate::random_programs::program;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim::riscv::{MachineConfig, Timing};
use sim::scheme::inputs::params::Sizes;
use sim::stimulus::rounds;

#[test]
fn random_programs_replay_for_any_sizes() {
    let (seeds, instructions) = rounds((100, 100_000), (2_000, 500_000));
    let (mut traps, mut inputs, mut episodes, mut full) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x5eed);
        let harts = rng.random_range(1..=8);
        let sizes = Sizes {
            entries: 16 << rng.random_range(0..7),
            tag: rng.random_range(0..=16),
            block: 4 << rng.random_range(0..4),
            check: rng.random_range(10..=14),
            last: 1 << rng.random_range(0..5),
            known: 0,
            masters: false,
            unmodelled: None,
        };
        let program = program(seed, harts.into());
        let timing = if seed % 3 == 0 { Timing::functional() } else { Timing::default() };
        let config = MachineConfig { harts, seed, timing, ram_bytes: 64 << 10, ..MachineConfig::default() };
        let recorded = record(&program, config, instructions, sizes);
        assert_replays(&program, &recorded, &format!("seed {seed}, {harts} harts, {sizes}"));
        assert!(recorded.stats.instructions >= instructions.min(1000), "seed {seed}: the program stands");
        traps += recorded.stats.traps.messages;
        inputs += recorded.stats.inputs.messages;
        episodes += recorded.stats.episodes.messages;
        full += recorded.stats.full;
    }
    // checks that the stimuli cover these cases
    assert!(
        traps > 10_000 && inputs > 100_000 && episodes > 100_000 && full > 20,
        "{traps} {inputs} {episodes} {full}"
    );
}
