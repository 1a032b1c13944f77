//! Scheme `inputs`: replay of every built-in program equals the run, in everything that retired

mod inputs_support;

use inputs_support::{assert_replays, record};
use sim::rv32::MachineConfig;
use sim::scheme::inputs::params::Sizes;

/// Instructions of each run.
fn instructions() -> u64 {
    if std::env::var_os("GOSHAWK_LONG").is_some() {
        15_000_000
    } else {
        150_000
    }
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
