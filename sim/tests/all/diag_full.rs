//! The cycle-accurate full generator against the events that it should make: random calls, returns, stores and traps
//!
//! If instructions come slowly enough, it makes all events of `sim::diag::generator`, in the same order. If they come
//! too fast, each event is made or counted, and none is made that did not happen.

use sim::diag::full::{Full, STALL_SKID};
use sim::diag::generator::Generator;
use sim::diag::packet::Event;
use sim::diag::trigger::{GeneratorParams, Slot};
use sim::stimulus::hits::{slots, Hits};
use sim::stimulus::Source;

const CORE: u8 = 5;

/// Events with their destinations.
type Events = Vec<(u8, Event)>;

/// Every second generator is one of a core with 64 bits.
fn params(seed: u64) -> GeneratorParams {
    GeneratorParams { xlen: if seed % 2 == 0 { 64 } else { 32 }, ..GeneratorParams::FULL }
}

/// Events and lost events of both models; of the circuit's losses, those because instructions came too fast; and how
/// often the log was dropped.
fn run(seed: u64, instructions: u64, gap: (u64, u64)) -> ([Events; 2], [u64; 2], [u64; 2]) {
    let mut s = Source::seeded(seed);
    let params = params(seed);
    let set = slots(&mut s, &params);
    // return slots may have lost a different call than in the golden model
    let returns = |slot: &&Slot| slot.trigger.is_return();
    let by_return: Vec<_> = set.iter().filter(returns).map(|slot| (slot.dest, slot.event)).collect();
    let (mut full, mut program) = (Full::new(params, CORE), Hits::new(&mut s, params.xlen));
    let unbounded = GeneratorParams { queue: u8::MAX, fifo: u8::MAX, ..params };
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
    let mut due = found[1].iter();
    for f in found[0].iter().filter(|(dest, e)| !by_return.contains(&(*dest, e.id))) {
        assert!(due.any(|d| d == f), "seed {seed}, gap {gap:?}: {f:?} did not happen");
    }
    (found, [full.lost, golden.counts().0.total()], [full.overload, full.log_drops])
}

#[test]
fn slow_instructions_make_all_events() {
    let mut events = 0;
    for seed in 1..=20 {
        let ([found, want], lost, [overload, _]) = run(seed, 2_000, (150, 400));
        assert_eq!(found.len(), want.len(), "seed {seed}");
        found.iter().zip(&want).enumerate().for_each(|(n, (f, w))| assert_eq!(f, w, "seed {seed}, event {n}"));
        assert_eq!((lost[0], overload), (lost[1], 0), "seed {seed}");
        events += found.len();
    }
    assert!(events > 5_000, "{events}");
}

/// A core that retires an instruction in nearly every cycle, and some more after it has been held: nothing is lost but
/// what no generator knows.
#[test]
fn cores_that_are_held_lose_nothing() {
    let (mut events, mut waits) = (0, 0);
    for seed in 1..=20 {
        let mut s = Source::seeded(seed);
        let params = GeneratorParams { stalls: true, ..params(seed) };
        let set = slots(&mut s, &params);
        let (mut full, mut program) = (Full::new(params, CORE), Hits::new(&mut s, params.xlen));
        let mut golden =
            Generator::new(GeneratorParams { queue: u8::MAX, fifo: u8::MAX, stalls: false, ..params }, CORE);
        full.set(&set).unwrap();
        full.set_stalls(true);
        golden.set(set).unwrap();
        let (mut found, mut want, mut skid, mut retired) = (Vec::new(), Vec::new(), 0, 0);
        let strip = |e: (u8, Event)| (e.0, Event { lost: 0, ..e.1 });
        let takes = s.between(2, 100) as u8;
        for now in 0..400_000 {
            skid = if full.holds() { skid } else { s.below(STALL_SKID as u64 + 1) };
            let goes = retired < 3_000 && s.percent(95) && (!full.holds() || skid > 0);
            waits += u64::from(full.holds());
            skid -= u64::from(goes && full.holds());
            retired += u64::from(goes);
            let seen = goes.then(|| program.next(&mut s, now));
            let ready = s.percent(takes);
            found.extend(full.result().filter(|_| ready).map(strip));
            full.clock(seen.as_ref(), ready);
            if let Some(seen) = &seen {
                golden.observe(seen);
                while !golden.is_idle() {
                    golden.clock(None);
                    want.extend(golden.pop().map(strip));
                }
            }
            if retired == 3_000 && full.is_idle() {
                break;
            }
        }
        assert!(full.is_idle() && retired == 3_000, "seed {seed}");
        assert_eq!(found, want, "seed {seed}");
        assert_eq!((full.lost, full.overload), (golden.counts().0.total(), 0), "seed {seed}");
        events += found.len();
    }
    assert!(events > 5_000 && waits > 100_000, "{events} {waits}");
}

#[test]
fn overloaded_events_are_made_or_counted() {
    let mut sums = [0; 5];
    for seed in 1..=20 {
        for gap in [(0, 0), (0, 3), (2, 9)] {
            let ([found, want], lost, [overload, log_drops]) = run(seed, 3_000, gap);
            let (there, due) = (found.len() as u64 + lost[0], want.len() as u64 + lost[1]);
            assert!(there >= due, "seed {seed}, gap {gap:?}: {there} of {due}");
            sums[0] += there;
            sums[1] += due;
            sums[2] += overload;
            sums[3] += log_drops;
            sums[4] += found.len() as u64;
        }
    }
    println!("made or counted, due, lost by haste, logs given up, made: {sums:?}");
    // calls that may be over are counted when they are dropped: not many
    assert!(sums[2] > 10_000 && sums[0] < sums[1] + sums[1] / 4 && sums[3] > 100, "{sums:?}");
}
