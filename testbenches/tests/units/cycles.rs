//! `hdl/src/spine/cycles.rs` against plain numbers

use hdl::spine::cycles::Cycles;
use hdl::spine::{Extras, Retire};
use rust_hdl::prelude::*;
use sim::params::{TrParams, TraceParams};
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn params(cc_bits: u8) -> TraceParams {
    TraceParams::tr(TrParams::sizes(512, 8, 0)).with(|p| (p.timestamps, p.cc_bits) = (true, cc_bits))
}

fn extras(sync: bool) -> Extras {
    Extras { sync, retire: Some(Retire { per_cycle: 2, log2_words: 3 }), ..Extras::NONE }
}

#[test]
fn a_debt_passes_before_any_cycle_is_counted() {
    for (cc_bits, sync) in [(16, true), (24, true), (32, true), (32, false)] {
        let mut s = Source::seeded(cc_bits.into());
        let uut = Cycles::new(&params(cc_bits), &extras(sync));
        let mut d = Driver::new(uut, |_, _| ()).unwrap().recording();
        let mut debt = 0_i64;
        let (mut owed, mut overs) = (0, 0);
        for clock in 0..20_000 {
            let step = *s.pick(&[0, 1, 1, 2, 9, 255, u64::from(u32::MAX >> (32 - cc_bits))]);
            let counted = if s.percent(50) { s.bits(cc_bits.into()) } else { s.bits(5) };
            let (header_repeated, keep) = (s.percent(5), s.percent(95));
            let (old, young) = if s.percent(50) { (s.bits(8), 0) } else { (0, s.bits(8)) };
            let (from, after) = match header_repeated && sync {
                true => (0, young as i64 - old as i64),
                false => (counted as i64, step as i64 - debt),
            };
            let total = from + after.max(0);
            let (sum, over, left) = d
                .cycle(
                    |u| {
                        u.step.next = step.to_bits();
                        u.counted.next = counted.to_bits();
                        u.header_repeated.next = header_repeated;
                        u.old.next = old.to_bits();
                        u.young.next = young.to_bits();
                        u.debt.next = (debt as u64).to_bits();
                    },
                    |u| (u.sum.val().to_u64(), u.over.val(), u.left.val().to_u64()),
                )
                .unwrap();
            let rest = if sync { (-after).max(0) } else { 0 };
            let want = (total as u64 & u64::from(u32::MAX), total >> cc_bits > 0, rest as u64);
            assert_eq!(
                (sum, over, left),
                want,
                "{cc_bits} bits, clock {clock}: {step} after {debt}, {counted}, ask {header_repeated}"
            );
            debt = if keep { rest } else { 0 };
            owed += u64::from(debt > 0);
            overs += u64::from(over);
        }
        assert!(overs > 1_000 && (owed > 300) == sync, "{overs} and {owed}: too few to trust this run");
        d.check_verilog().unwrap();
    }
}

#[test]
fn it_passes_the_static_checks() {
    emit_checked(&mut Cycles::new(&params(20), &extras(true))).unwrap();
}
