//! `hdl/src/spine/credits.rs` against a count

use hdl::spine::credits::Credits;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

#[test]
fn places_taken_given_back_and_popped_match_a_count() {
    for log2_depth in [3, 4, 8] {
        let depth = (1_usize << log2_depth) - 2;
        let mut s = Source::seeded(70 + log2_depth as u64);
        let mut d = Driver::new(Credits::new(log2_depth), |u, c| u.clock.next = c.into()).unwrap().recording();
        // entries counted; whether one was popped in the previous cycle
        let (mut used, mut popped, mut rate) = (0, 0, 50);
        let mut seen = [0; 4];
        for cycle in 0..20_000 {
            if s.per_64k(300) {
                rate = *s.pick(&[0, 20, 50, 80, 100]);
            }
            let reset = s.per_64k(30);
            let take = used < depth && s.percent(rate);
            let give_back = used > popped && s.percent(if rate == 100 { 3 } else { 30 });
            let pop = used > popped + usize::from(give_back) && s.percent(if rate == 100 { 5 } else { 40 });
            let got = d
                .cycle(
                    |u| {
                        u.reset.next = reset;
                        u.take.next = take;
                        u.give_back.next = give_back;
                        u.pop.next = pop;
                    },
                    |u| (u.no_credit.val(), u.below_watermark.val(), u.half.val()),
                )
                .unwrap();
            let below_watermark = used < 2 || used + 2 < 1 << (log2_depth - 3);
            let want = (used == depth, below_watermark, used + 2 >= 1 << (log2_depth - 1));
            assert_eq!(got, want, "{depth} entries, cycle {cycle}: {used} used");
            seen[0] += usize::from(want.0);
            seen[1] += usize::from(want.1);
            seen[3] += usize::from(want.2);
            seen[2] += usize::from(take && give_back && popped == 1);
            used = if reset { 0 } else { used + usize::from(take) - usize::from(give_back) - popped };
            popped = usize::from(pop && !reset);
        }
        assert!(seen.iter().all(|&n| n > 20), "{depth} entries: {seen:?} are too few");
        d.check_verilog_from_random(3).unwrap();
    }
}

#[test]
fn room_passes_the_static_gates() {
    for log2_depth in [3, 8] {
        emit_checked(&mut Credits::new(log2_depth)).unwrap();
    }
}
