//! Scheme `follow`: round trips for any sizes, on random walks and on every program; damage

use crate::common;
use crate::common::damage::{self, encode, replay};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::FlowEvent;
use sim::message::Kind;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};

/// Sizes at both ends of their ranges, and each part left out.
const EXTREMES: [&str; 6] = [
    "follow:s+bimodal64+tagged0+loops2+past0+stack2+dictionary4+last4+paths0",
    "follow:l+bimodal4096+tagged3x256+loops64+past65536+pointers1024+stack64+dictionary256+last256+paths256+upper16",
    "follow:m+tagged1x16+past256+pointers16+paths4+upper12",
    "follow:m+loops0",
    "follow:m+past0",
    "follow:s+dictionary256+last4",
];

pub fn any_sizes(rng: &mut impl Rng) -> FlowScheme {
    let mut size = |least: u32, most: u32| 1u32 << rng.random_range(least..=most);
    let mut name = format!("follow:m+bimodal{}+loops{}", size(6, 12), size(1, 6));
    name += &format!("+past{}+pointers{}+stack{}", size(8, 16), size(4, 10), size(1, 6));
    name += &format!("+dictionary{}+last{}+paths{}", size(2, 8), size(2, 8), size(2, 8));
    let tagged = size(4, 8);
    name += &format!("+tagged{}x{tagged}+upper{}", rng.random_range(1..=3), rng.random_range(0..=16));
    name.parse().unwrap()
}

pub fn same(image: &Image, p: &TraceParams, events: &[FlowEvent], what: &str) -> [u64; Kind::ALL.len()] {
    let (words, system) = encode(p, events);
    let (seen, summary) = replay(image, p, &words).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(summary.stats, *system.stats(), "{what}");
    for hart in 0..p.cores {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (want, got) = (of(events), of(&seen));
        let differs = want.iter().zip(&got).position(|(w, g)| !w.same_flow(g));
        assert_eq!((differs, want.len()), (None, got.len()), "{what}, hart {hart}");
    }
    summary.stats.kinds.map(|k| k.messages)
}

#[test]
fn every_hart_comes_back_for_any_sizes() {
    let mut kinds = [0; Kind::ALL.len()];
    for seed in 0..120 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cores = [1, 2, 3, 4, 16][seed as usize % 5];
        let flow = EXTREMES.get(seed as usize).map_or_else(|| any_sizes(&mut rng), |name| name.parse().unwrap());
        assert_eq!(flow.name().parse(), Ok(flow));
        let platform = Platform {
            cores,
            timestamps: seed % 2 == 1,
            count_bits: 16,
            align: [1, 0][seed as usize / 7 % 2],
            cc_bits: [16, 32][seed as usize / 2 % 2],
            signature: [0, 8, 16][seed as usize % 3],
            ..Platform::RV32
        };
        let image = Image::new(&common::program(seed, 400));
        let events = common::walk(&image, 400, cores, seed, 6000);
        let found = same(&image, &TraceParams::new(platform, flow), &events, &format!("seed {seed}, {flow}"));
        kinds.iter_mut().zip(found).for_each(|(all, n)| *all += n);
    }
    for kind in [Kind::Outcome, Kind::Target, Kind::Exception, Kind::Sync, Kind::Stop, Kind::Progress] {
        assert!(kinds[kind as usize] > 10, "{kind:?}: {}", kinds[kind as usize]);
    }
}

/// 32-bit ARM has them.
#[test]
fn conditional_indirects_come_back() {
    let mut messages = 0;
    for seed in 0..20 {
        let cores = [1, 2, 5][seed as usize % 3];
        let mut events = common::walk(&Image::new(&common::program(seed, 400)), 400, cores, seed, 3000);
        common::with_conditional_indirects(&mut events);
        let image = Image::from_events(&events).unwrap();
        let flow = any_sizes(&mut ChaCha8Rng::seed_from_u64(seed));
        let params = TraceParams::new(Platform { cores, ..Platform::RV32 }, flow);
        messages += same(&image, &params, &events, &format!("seed {seed}"))[Kind::ConditionalIndirect as usize];
    }
    assert!(messages > 500, "{messages}");
}

#[test]
fn every_program_comes_back() {
    for program in programs::PROGRAMS {
        for cores in [1, 2, 3, 4] {
            let mut events = Vec::new();
            let config = MachineConfig { harts: cores, ..MachineConfig::default() };
            let limits = Limits { instructions: 200_000 * u64::from(cores), ..Limits::default() };
            Machine::new(&program.load().unwrap(), config).unwrap().run(&mut events, limits).unwrap();
            let image = Image::new(&program.load().unwrap());
            for name in ["follow:s", "follow:m+upper9", "follow:l"] {
                let platform = Platform { cores, timestamps: name == "follow:l", ..Platform::RV32 };
                let params = TraceParams::new(platform, name.parse().unwrap());
                same(&image, &params, &events, &format!("{}, {name}, {cores} cores", program.name));
            }
        }
    }
}

#[test]
fn wide_addresses_come_back() {
    let program = common::program(2, 300);
    let image = Image::new(&program);
    for (name, cores) in [("follow:m", 1), ("follow:l+upper16", 2)] {
        let platform = Platform { cores, xlen: 64, ..Platform::RV32 };
        let events = common::walk(&image, 300, cores, 9, 4000);
        same(&image, &TraceParams::new(platform, name.parse().unwrap()), &events, name);
    }
}

#[test]
fn damaged_streams_neither_panic_nor_run_on() {
    let params = (0..8).map(|seed| {
        let flow = any_sizes(&mut ChaCha8Rng::seed_from_u64(seed));
        let platform = Platform { cores: 2, timestamps: seed % 2 == 1, count_bits: 16, ..Platform::RV32 };
        TraceParams::new(platform, flow)
    });
    damage::is_reported(params);
}
