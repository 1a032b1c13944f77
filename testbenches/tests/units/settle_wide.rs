//! `hdl/src/spine/settle_wide.rs` against numbered instructions

use hdl::spine::settle_wide::SettleWide;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Clocks from one stage to the other.
const WAIT: usize = 3;

/// A beat: the number of its last instruction, and how many it stands for.
#[derive(Clone, Copy)]
struct Beat {
    last: u64,
    count: u64,
}

#[test]
fn the_k_instructions_behind_a_resync_are_held_and_no_other() {
    const K: u64 = 2_000;
    let mut s = Source::seeded(7);
    let mut d = Driver::new(SettleWide::new(K as u32), |u, c| u.clock.next = c.into()).unwrap().recording();
    // those on their way, the oldest last; the last one that is held, of which some are still to enter
    let mut flight = [None::<Beat>; WAIT];
    let (mut last, mut until, mut some) = (0, 0, false);
    let (mut resyncs, mut straddles, mut alone) = (0, 0, 0);
    for clock in 0..60_000 {
        let reset = clock == 0 || s.per_64k(8);
        let count = *s.pick(&[1, 1, 2, 4, 4, 31, 400]);
        let enters = s.percent(70).then(|| Beat { last: last + count, count });
        let leaves = flight[WAIT - 1];
        let fresh = leaves.is_some_and(|b| b.count == 1) && s.per_64k(150);
        let resync = leaves.is_some() && !fresh && s.per_64k(300);
        let cancel = s.per_64k(30);
        let noise = s.bits(10);
        let (hold, holding) = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.resync.next = resync;
                    u.fresh.next = fresh;
                    u.cancel.next = cancel;
                    u.enter.next = enters.is_some();
                    u.entering.next = enters.map_or(noise, |b| b.count - 1).to_bits();
                    u.leave.next = leaves.is_some();
                    u.leaving.next = leaves.map_or(noise, |b| b.count - 1).to_bits();
                },
                |u| (u.hold.val(), u.holding.val()),
            )
            .unwrap();
        if clock > 0 {
            let held = some && enters.is_none_or(|b| b.last <= until);
            assert_eq!((hold, holding), (held, some), "clock {clock}: {last} and {count} of {until}");
            straddles += usize::from(some && enters.is_some_and(|b| b.last > until));
        }
        last += enters.map_or(0, |b| b.count);
        some &= last < until;
        if let (true, Some(b)) = (resync || fresh, leaves) {
            until = b.last + K - u64::from(fresh);
            some = true;
            resyncs += usize::from(resync);
            alone += usize::from(fresh);
        }
        some &= !cancel && !reset;
        flight.rotate_right(1);
        flight[0] = enters;
        if reset {
            flight = [None; WAIT];
        }
    }
    assert!(resyncs > 100 && alone > 20 && straddles > 20, "{resyncs}, {alone}, {straddles}");
    d.check_verilog().unwrap();
}

#[test]
fn it_passes_the_static_checks() {
    emit_checked(&mut SettleWide::new(1_088)).unwrap();
}
