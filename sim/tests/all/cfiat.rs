//! Scheme `cfiat`: cores executed again from ELF, control-flow trace and load values repeat the run

use crate::cfiat_support::{assert_replays, flow, replay, trace};
use crate::random_programs;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim::riscv::{MachineConfig, Timing};
use sim::scheme::cfiat::decoder::StreamError;
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::replay::ReplayError;
use sim::stimulus::rounds;

#[test]
fn every_program_is_executed_again() {
    let instructions = rounds(150_000, 5_000_000);
    for program in programs::PROGRAMS {
        let loaded = program.load().unwrap();
        for harts in [1, 2, 4] {
            for name in ["cfiat", "cfiat(fixed):1k+ways2+line16+gran4+round"] {
                let config = MachineConfig { harts, ..MachineConfig::default() };
                let traced = trace(&loaded, config, instructions, name.parse().unwrap());
                assert_replays(&loaded, &traced, &format!("{} harts {harts} {name}", program.name));
            }
        }
    }
}

/// Random sizes, mostly small ones.
fn sizes(rng: &mut ChaCha8Rng) -> Sizes {
    loop {
        let name = format!(
            "cfiat{}:{}+ways{}+line{}+gran{}+count{}{}",
            ["", "(fixed)", "(fah=1,2;value=5,3)"][rng.random_range(0..3)],
            32 << rng.random_range(0..8),
            1 << rng.random_range(0..3),
            1 << rng.random_range(0..7),
            1 << rng.random_range(0..4),
            [8, 9, 32][rng.random_range(0..3)],
            ["", "+round", "+shared", "+shared+round"][rng.random_range(0..4)],
        );
        if let Ok(sizes) = name.parse() {
            return sizes;
        }
    }
}

#[test]
fn random_programs_with_traps_devices_and_atomics_are_executed_again() {
    let (seeds, instructions) = rounds((100, 20_000), (1_000, 200_000));
    let (mut failed, mut csrs, mut outside) = (0, 0, 0);
    for seed in 0..seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0xcf1a7);
        let harts = rng.random_range(1..=8);
        let sizes = sizes(&mut rng);
        let program = random_programs::program(seed, harts.into());
        let timing = if seed % 3 == 0 { Timing::functional() } else { Timing::default() };
        let config = MachineConfig { harts, seed, timing, ram_bytes: 64 << 10, ..MachineConfig::default() };
        let traced = trace(&program, config, instructions, sizes);
        assert_replays(&program, &traced, &format!("seed {seed}, {harts} harts, {sizes}"));
        let s = traced.stats;
        (failed, csrs, outside) = (failed + s.failed, csrs + s.csrs, outside + s.outside);
    }
    // checks that the stimuli cover these cases
    assert!(failed > 1_000 && csrs > 10_000 && outside > 10_000, "{failed} {csrs} {outside}");
}

#[test]
fn what_cannot_be_executed_again_is_refused() {
    let program = programs::load("bank").unwrap();
    let try_name = |name: &str| {
        let config = MachineConfig { harts: 2, ..MachineConfig::default() };
        let traced = trace(&program, config, 1000, name.parse().unwrap());
        replay(&program, &traced.params, &flow(&program, &traced), &traced.words).1
    };
    assert_eq!(try_name("cfiat:32k+shared"), Ok(()));
    assert_eq!(try_name("cfiat:32k+gran4+touched"), Err(ReplayError::Stream(StreamError::Touched)));
    assert_eq!(try_name("cfiat:32k+touched"), Ok(()));
}

/// A flipped bit, a truncated stream, and a trace of another run: replay never ends without an error but with a
/// different log.
#[test]
fn damage_is_noticed_at_the_end_of_a_core_at_the_latest() {
    let flips = rounds(300, 5_000);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut stream, mut value, mut path, mut same) = (0, 0, 0, 0);
    for (name, harts, sizes) in [
        ("bank", 2, "cfiat"),
        ("irq", 1, "cfiat(fixed)"),
        ("qsort", 4, "cfiat:1k+gran4"),
        ("bank", 4, "cfiat:4k+shared"),
    ] {
        let program = programs::load(name).unwrap();
        let config = MachineConfig { harts, ..MachineConfig::default() };
        let traced = trace(&program, config, 10_000, sizes.parse().unwrap());
        let events = flow(&program, &traced);
        for n in 0..flips {
            let mut bad = traced.words.clone();
            let bit = rng.random_range(0..32 * bad.len());
            match n % 3 {
                0 | 1 => bad[bit / 32] ^= 1 << (bit % 32),
                _ => bad.truncate(bit / 32),
            }
            let (log, end) = replay(&program, &traced.params, &events, &bad);
            match end {
                Ok(()) => {
                    assert_eq!(log, traced.log, "{name}, {n}: nobody noticed");
                    same += 1;
                }
                Err(ReplayError::Stream(_)) => stream += 1,
                Err(ReplayError::Value { .. }) => value += 1,
                Err(ReplayError::Path { .. }) => path += 1,
                Err(ReplayError::Cannot(e)) => panic!("{e}"),
            }
        }
    }
    assert!(stream > 100 && value > 50 && path > 10, "{stream} {value} {path} {same}");
}
