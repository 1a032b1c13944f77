//! `hdl/src/spine/resync.rs` against a counter and a list of who was asked

use hdl::spine::resync::Resync;
use hdl::spine::{Extras, Retire};
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn params(cores: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| p.cores = cores)
}

/// The rules of `docs/reference/stream.md`, in plain numbers.
#[derive(Default)]
struct Golden {
    count: u64,
    wanted: bool,
    asked: u64,
    /// Words sent since the header, and whether a resync has become due, or was made, for them.
    words: u64,
    told: bool,
}

#[test]
fn periods_requests_and_followers_match_plain_numbers() {
    for (cores, wide) in [(1, false), (3, false), (8, false), (16, false), (1, true), (5, true)] {
        let mut s = Source::seeded(40 + u64::from(cores));
        let retire = wide.then_some(Retire { per_cycle: 4, log2_words: 3 });
        let uut = Resync::new(&params(cores), &Extras { retire, ..Extras::NONE });
        let mut d = Driver::new(uut, |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut g = Golden::default();
        let (mut period, mut bytes, mut active, mut leads, mut filled) = (0_u64, 0_u64, false, 0, 0);
        for cycle in 0..30_000 {
            if s.per_64k(400) {
                period = *s.pick(&[0, 0, 1, 3, 5, 7, 9, 31]);
                bytes = *s.pick(&[0, 2, 3, 6, 9, 31]);
            }
            if s.per_64k(if active { 60 } else { 3_000 }) {
                active = !active;
            }
            let (request, counted) = (s.per_64k(100), s.percent(70));
            let (begins, leaves) = (s.percent(if g.told { 10 } else { 1 }), s.percent(30));
            let more = if wide { *s.pick(&[0, 0, 1, 3, 1023]) } else { 0 };
            let over = period > 0 && g.count >= 1 << period;
            // instructions before the reported one count as well
            let due = over || counted && period > 0 && g.count + more >= 1 << period;
            let lead = due || g.wanted;
            // only a core that is due makes a resync
            let resynced = lead && s.percent(20);
            let others = (1_u64 << cores) - 2;
            let follow = if resynced { others } else { g.asked };
            let synced = s.bits(16) & if s.percent(80) { 0 } else { u64::MAX } | u64::from(resynced);
            let got = d
                .cycle(
                    |u| {
                        u.active.next = active;
                        u.period.next = period.to_bits();
                        u.bytes.next = bytes.to_bits();
                        u.begins.next = begins;
                        u.leaves.next = leaves;
                        u.request.next = request;
                        u.counted.next = counted;
                        u.more.next = more.to_bits();
                        u.resynced.next = resynced;
                        u.synced.next = synced.to_bits();
                    },
                    |u| (u.lead.val(), u.follow.val().to_u64(), u.header_repeated.val()),
                )
                .unwrap();
            assert_eq!(got, (lead, follow, resynced), "{cores} cores, cycle {cycle}, period {period}");
            leads += usize::from(resynced);
            // the next cycle
            let enough = bytes > 0 && 4 * g.words >= 1 << bytes;
            let fills = enough && !g.told;
            filled += usize::from(fills && active && !g.wanted);
            g.told |= fills || resynced;
            g.words += u64::from(leaves && bytes > 0 && !enough);
            if begins {
                (g.words, g.told) = (0, false);
            }
            g.count += if counted && !over && period > 0 { more + 1 } else { 0 };
            g.wanted |= request || fills;
            g.asked = follow & !synced;
            if resynced {
                (g.count, g.wanted) = (0, request);
            }
            if !active {
                g = Golden::default();
            }
        }
        assert!(leads > 50 && filled > 20, "{cores} cores: {leads}, for the bytes {filled}");
        d.check_verilog().unwrap();
    }
}

#[test]
fn resync_passes_the_static_gates() {
    for cores in [1, 16] {
        emit_checked(&mut Resync::new(&params(cores), &Extras::NONE)).unwrap();
    }
}
