//! The full generator clock by clock against what it should make: random programs of calls, returns, stores and traps
//!
//! Where nothing comes too fast, all events of `sim::diag::generator`, in its order; where all comes too fast, each event
//! is there or counted.

use sim::diag::full::Full;
use sim::diag::generator::Generator;
use sim::diag::packet::Event;
use sim::diag::trigger::GeneratorParams;
use sim::stimulus::hits::{slots, Hits};
use sim::stimulus::Source;

const CORE: u8 = 5;

/// Events with their slots.
type Events = Vec<(u8, Event)>;

/// Events, and those lost, of both; of the circuit's losses, those by haste.
fn run(seed: u64, instructions: u64, gap: (u64, u64)) -> ([Events; 2], [u64; 2], u64) {
    let mut s = Source::seeded(seed);
    let set = slots(&mut s, &GeneratorParams::FULL);
    let (mut full, mut program) = (Full::new(GeneratorParams::FULL, CORE), Hits::new(&mut s));
    let unbounded = GeneratorParams { queue: u8::MAX, fifo: u8::MAX, ..GeneratorParams::FULL };
    let mut golden = Generator::new(unbounded, CORE);
    full.set(&set).unwrap();
    golden.set(set).unwrap();
    let mut found = [Vec::new(), Vec::new()];
    let mut now = 0;
    let strip = |e: (u8, Event)| (e.0, Event { lost: 0, ..e.1 });
    for n in 0..instructions {
        let last = n + 1 == instructions;
        for clock in 0..=s.between(gap.0, gap.1) + if last { 10_000 } else { 0 } {
            let seen = (clock == 0).then(|| program.next(&mut s, now));
            found[0].extend(full.result().map(strip));
            full.clock(seen.as_ref(), true);
            if let Some(seen) = &seen {
                golden.observe(seen);
                while !golden.is_idle() {
                    golden.clock(None);
                    found[1].extend(golden.pop().map(strip));
                }
            }
            now += 1;
        }
    }
    assert!(full.is_idle());
    (found, [full.lost, golden.counts().0.total()], full.crowded)
}

#[test]
fn with_time_enough_all_events_are_there() {
    let mut events = 0;
    for seed in 1..=20 {
        let ([found, want], lost, crowded) = run(seed, 1_500, (150, 400));
        assert_eq!(found.len(), want.len(), "seed {seed}");
        found.iter().zip(&want).enumerate().for_each(|(n, (f, w))| assert_eq!(f, w, "seed {seed}, event {n}"));
        assert_eq!((lost[0], crowded), (lost[1], 0), "seed {seed}");
        events += found.len();
    }
    assert!(events > 5_000, "{events}");
}

#[test]
fn in_haste_each_event_is_there_or_counted() {
    let mut sums = [0; 3];
    for seed in 1..=20 {
        for gap in [(0, 0), (0, 3), (2, 9)] {
            let ([found, want], lost, crowded) = run(seed, 3_000, gap);
            let (there, due) = (found.len() as u64 + lost[0], want.len() as u64 + lost[1]);
            assert!(there >= due, "seed {seed}, gap {gap:?}: {there} of {due}");
            sums[0] += there;
            sums[1] += due;
            sums[2] += crowded;
        }
    }
    println!("made or counted {}, due {}, lost by haste {}", sums[0], sums[1], sums[2]);
    // calls that may be over are counted when they are dropped: not many
    assert!(sums[2] > 10_000 && sums[0] < sums[1] + sums[1] / 4, "{sums:?}");
}
