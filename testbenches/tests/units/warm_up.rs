//! `hdl/src/spine/warm_up.rs` against numbered instructions

use hdl::spine::warm_up::WarmUp;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// A beat: the number of its last instruction, and how many it covers.
#[derive(Clone, Copy)]
struct Beat {
    last: u64,
    count: u64,
}

/// One or several instructions per cycle, with `wait` cycles from one stage to the other; 0: a single stage.
fn run(k: u64, wide: bool, wait: usize) {
    let warm_up = if wait > 0 { WarmUp::new(k as u32, wide) } else { WarmUp::at_once(k as u32, wide) };
    let mut s = Source::seeded(7);
    let mut d = Driver::new(warm_up, |u, c| u.clock.next = c.into()).unwrap().recording();
    // beats between the stages, the oldest last; the last instruction that is held, and whether some are still to enter
    let mut flight = vec![None::<Beat>; wait];
    let (mut last, mut until, mut some) = (0, 0, false);
    let (mut resyncs, mut straddles, mut alone, mut ends) = (0, 0, 0, 0);
    for clock in 0..60_000 {
        let reset = clock == 0 || s.per_64k(8);
        let count = if wide { *s.pick(&[1, 1, 2, 4, 4, 31, 400]) } else { 1 };
        let enters = s.percent(70).then(|| Beat { last: last + count, count });
        let leaves = flight.last().copied().unwrap_or(enters);
        let restart_sync = leaves.is_some_and(|b| b.count == 1) && s.per_64k(150);
        let resync = leaves.is_some() && !restart_sync && s.per_64k(300);
        let cancel = s.per_64k(30);
        let noise = s.bits(10);
        // unused with a single stage
        let leave = if wait > 0 { leaves.is_some() } else { s.percent(50) };
        let (hold, holding) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.resync.next = resync;
                    u.restart_sync.next = restart_sync;
                    u.cancel.next = cancel;
                    u.enter.next = enters.is_some();
                    u.entering.next = enters.map_or(noise, |b| b.count - 1).to_bits();
                    u.leave.next = leave;
                    u.leaving.next = leaves.map_or(noise, |b| b.count - 1).to_bits();
                },
                |u| (u.hold.val(), u.holding.val()),
            )
            .unwrap();
        if clock > 0 {
            let held = some && enters.is_none_or(|b| b.last <= until);
            assert_eq!((hold, holding), (held, some), "K {k}, clock {clock}: {last} and {count} of {until}");
            straddles += usize::from(some && enters.is_some_and(|b| b.last > until));
        }
        last += enters.map_or(0, |b| b.count);
        ends += usize::from(some && last >= until);
        some &= last < until;
        if let (true, Some(b)) = (resync || restart_sync, leaves) {
            until = b.last + k - u64::from(restart_sync);
            some = true;
            resyncs += usize::from(resync);
            alone += usize::from(restart_sync);
        }
        some &= !cancel && !reset;
        flight.insert(0, enters);
        flight.truncate(wait);
        if reset {
            flight.fill(None);
        }
    }
    assert!(resyncs > 100 && alone > 20 && ends > 20, "{resyncs}, {alone}, {ends}");
    assert_eq!(straddles > 20, wide, "{straddles}");
    d.check_verilog().unwrap();
}

#[test]
fn the_k_instructions_behind_a_resync_are_held_and_no_other() {
    for wait in [0, 3] {
        run(100, false, wait);
        run(2_000, true, wait);
    }
}

#[test]
fn it_passes_the_static_checks() {
    emit_checked(&mut WarmUp::new(144, false)).unwrap();
    emit_checked(&mut WarmUp::new(1_088, true)).unwrap();
}
