//! Scheme `follow` with an arithmetic coder: round trips for any sizes, on random walks and on programs; silence; damage

use crate::common;
use crate::common::damage::{self, encode, replay};
use crate::follow::{any_sizes, same};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::message::Kind;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};

fn arithmetic(flow: FlowScheme) -> FlowScheme {
    format!("{flow}+arithmetic").parse().unwrap()
}

fn platform(cores: u8) -> Platform {
    Platform { cores, ..Platform::RV32 }
}

#[test]
fn every_hart_comes_back_for_any_sizes() {
    for seed in 0..60 {
        let cores = [1, 2, 3, 4, 16][seed as usize % 5];
        let flow = arithmetic(any_sizes(&mut ChaCha8Rng::seed_from_u64(seed)));
        assert_eq!(flow.name().parse(), Ok(flow));
        let platform = Platform {
            count_bits: [16, 20][seed as usize % 2],
            align: [1, 0][seed as usize / 7 % 2],
            signature: [0, 8, 16][seed as usize % 3],
            xlen: [32, 64][seed as usize / 3 % 2],
            ..platform(cores)
        };
        let mut image = Image::new(&common::program(seed, 400));
        let mut events = common::walk(&image, 400, cores, seed, 6000);
        if seed % 4 == 3 {
            common::with_conditional_indirects(&mut events);
            image = Image::from_events(&events).unwrap();
        }
        let kinds = same(&image, &TraceParams::new(platform, flow), &events, &format!("seed {seed}, {flow}"));
        assert!(kinds[Kind::Word as usize] > 10 && kinds[Kind::Stop as usize] == u64::from(cores), "{kinds:?}");
    }
}

/// In all, they need 8 % fewer bits than with messages, or less.
#[test]
fn programs_come_back_in_fewer_bits() {
    let mut total = [0, 0];
    for program in programs::PROGRAMS {
        let image = Image::new(&program.load().unwrap());
        for cores in [1, 3] {
            let mut events: Vec<FlowEvent> = Vec::new();
            let config = MachineConfig { harts: cores, ..MachineConfig::default() };
            let limits = Limits { instructions: 200_000 * u64::from(cores), ..Limits::default() };
            Machine::new(&program.load().unwrap(), config).unwrap().run(&mut events, limits).unwrap();
            for (sum, name) in total.iter_mut().zip(["follow:m", "follow:m+arithmetic"]) {
                let params = TraceParams::new(platform(cores), name.parse().unwrap());
                same(&image, &params, &events, &format!("{}, {name}, {cores} cores", program.name));
                *sum += encode(&params, &events).0.len();
            }
        }
    }
    assert!(total[1] * 100 < total[0] * 92, "{total:?}");
}

/// A core that only goes round a predicted loop sends a word every 2^15 branches or less.
#[test]
fn a_core_that_is_always_predicted_sends_words() {
    let taken = FlowKind::Conditional { taken: true };
    let branch = FlowEvent { hart: 0, kind: taken, len: 4, count: 32, pc: 0x17c, target: 0x100, cycle: 0 };
    let start = FlowEvent { kind: FlowKind::Start, len: 0, count: 0, pc: 0x100, ..branch };
    let last = FlowEvent { kind: FlowKind::Conditional { taken: false }, target: 0x180, ..branch };
    let events: Vec<_> = std::iter::once(start).chain(std::iter::repeat_n(branch, 1 << 16)).chain([last]).collect();
    let image = Image::from_events(&events).unwrap();
    let params = TraceParams::new(platform(1), "follow:m+arithmetic".parse().unwrap());
    let (words, system) = encode(&params, &events);
    let sent = system.stats().kinds[Kind::Word as usize].messages;
    assert!((2..=6).contains(&sent), "{sent}");
    let (seen, _) = replay(&image, &params, &words).unwrap();
    assert!(seen.iter().zip(&events).all(|(got, want)| got.same_flow(want)));
    // and the stop
    assert_eq!(seen.len(), events.len() + 1);
}

#[test]
fn damaged_streams_neither_panic_nor_run_on() {
    let params = (0..8).map(|seed| {
        let platform = Platform { count_bits: 16, signature: [0, 16][seed as usize % 2], ..platform(2) };
        TraceParams::new(platform, arithmetic(any_sizes(&mut ChaCha8Rng::seed_from_u64(seed))))
    });
    damage::is_reported(params);
}

#[test]
fn names_and_what_there_is_not() {
    let bad = "follow:x+arithmetic".parse::<FlowScheme>().unwrap_err().to_string();
    assert!(bad.starts_with("set `x` of scheme follow is not known"), "{bad}");
    let params = TraceParams::new(platform(1), "follow:m+arithmetic+past0".parse().unwrap());
    assert_eq!(params.name(), "follow:m+past0+arithmetic");
    let why = params.timed().check().unwrap_err().to_string();
    assert_eq!(why, "timestamps = 1, expected none with +arithmetic");
}
