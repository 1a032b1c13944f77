//! `hdl/src/diag/generator/window.rs` against `sim/src/diag/window.rs`, clock by clock; and the points of both generators, whatever of
//! their slots is in use
//!
//! The register is rewritten at random, also while a window is open; points, calls and returns come in any cycle.

use crate::diag_harness::set_write;
use hdl::diag::generator::full::Full;
use hdl::diag::generator::lite::Lite;
use hdl::diag::generator::window::Window;
use rust_hdl::prelude::*;
use sim::diag::registers::{CONTROL, RECORDS};
use sim::diag::trigger::GeneratorParams;
use sim::diag::window::{Edges, Window as Golden, WINDOW};
use sim::stimulus::{rounds, Source};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Triggers on few slots, so that points hit them.
fn edges(s: &mut Source) -> Edges {
    let slot = |s: &mut Source, percent| s.percent(percent).then(|| *s.pick(&[0, 1, 7, 15]));
    Edges { opens: slot(s, 80), closes: slot(s, 40), returns: s.percent(60) }
}

/// Drives a window; returns the number of instructions traced, and of times it closed.
fn play(seed: u64, clocks: usize, calls: u8) -> (usize, usize) {
    let mut d = Driver::new(Window::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(seed);
    let mut golden = Golden::default();
    let (mut told, mut shut, mut before) = (0, 0, false);
    for clock in 0..clocks {
        let reset = clock == 0 || s.per_64k(60);
        let write = s.per_64k(200).then(|| edges(&mut s).word());
        // a write to another register, with plausible data
        let write = match write {
            Some(word) => Some((WINDOW, word | (s.bits(2) as u16) << 14)),
            None => s.per_64k(200).then(|| (WINDOW ^ 1 << s.below(12), s.bits(16) as u16)),
        };
        let valid = s.percent(80);
        let points = if valid && s.percent(30) { 1 << s.below(16) | s.bits(16) as u16 & s.bits(16) as u16 } else { 0 };
        // only calls and returns of instructions that retire count
        let (call, back) = (valid && s.percent(calls), valid && s.percent(30));
        let noise = s.bits(32);
        let hides = d
            .cycle(
                |u| {
                    u.reset.next = reset;
                    u.valid.next = valid;
                    u.points.next = u64::from(points).to_bits();
                    u.call.next = call;
                    u.back.next = back;
                    set_write(&mut u.write, write, noise & !0xfff);
                },
                |u| u.hides.val(),
            )
            .unwrap();
        if valid {
            let hidden = golden.retire(points, call, back);
            assert_eq!(hides, hidden, "seed {seed}, clock {clock}");
            told += usize::from(!hidden);
            shut += usize::from(hidden && !before);
            before = hidden;
        }
        match write {
            _ if reset => golden = Golden::default(),
            Some((WINDOW, word)) => golden = Golden::new(Edges::of(word)),
            _ => {}
        }
    }
    d.check_verilog().unwrap();
    (told, shut)
}

#[test]
fn what_is_hidden_is_what_the_model_hides() {
    for (seed, calls) in (1..=rounds(4, 40)).flat_map(|seed| [(seed, 30), (seed, 60), (seed, 5)]) {
        let (told, shut) = play(seed, 20_000, calls);
        assert!(told > 1_000 && shut > 20, "seed {seed}: {told} told, {shut} times shut");
    }
    emit_checked(&mut Window::new()).unwrap();
}

#[test]
fn a_function_deeper_than_is_counted_stays_open() {
    let mut d = Driver::new(Window::new(), |u, c| u.clock.next = c.into()).unwrap();
    let mut golden = Golden::new(Edges { opens: Some(4), closes: None, returns: true });
    let mut step = |reset, write: Option<(u16, u16)>, (points, call, back): (u16, bool, bool)| {
        let set = |u: &mut Window| {
            u.reset.next = reset;
            u.valid.next = true;
            u.points.next = u64::from(points).to_bits();
            u.call.next = call;
            u.back.next = back;
            set_write(&mut u.write, write, 0);
        };
        d.cycle(set, |u| u.hides.val()).unwrap()
    };
    step(true, None, (0, false, false));
    step(false, Some((WINDOW, 0x2014)), (0, false, false));
    let calls = (0..65_600).map(|n| (if n == 0 { 16 } else { 0 }, true, false));
    let backs = (0..65_600).map(|_| (0, false, true));
    let mut open = 0;
    for (n, of) in calls.chain(backs).enumerate() {
        let hides = step(false, None, of);
        assert_eq!(hides, golden.retire(of.0, of.1, of.2), "instruction {n}");
        open += u32::from(!hides);
    }
    // 65,535 calls are counted, and one more return closes it
    assert_eq!(open, 65_600 + 65_536);
}

/// Writes a generator's slots, and compares the points of what retires.
macro_rules! points {
    ($name:ident, $type:ty, $of:expr, $slots:literal, |$u:ident, $valid:ident, $pc:ident| $set:block) => {
        fn $name(seed: u64) -> usize {
            let mut d = Driver::new($of, |u, c| u.clock.next = c.into()).unwrap().recording();
            let mut s = Source::seeded(seed);
            let mut slots = vec![0_u32; $slots];
            let mut hit = 0;
            for clock in 0..6_000 {
                let slot = s.below($slots) as u16;
                let at = RECORDS + 16 * slot;
                let write = match s.below(12) {
                    0 => Some((at + 2, s.below(8) as u16)),
                    1 => Some((at + 3, s.below(2) as u16)),
                    // slots of any kind, and any number of them in use
                    2 => Some((at + 1, s.bits(6) as u16)),
                    3 => Some((CONTROL, (s.below($slots) as u16) << 8 | 1)),
                    _ => None,
                };
                let $valid = s.percent(80);
                let $pc = s.below(8) as u32 | (s.below(2) as u32) << 16;
                let reset = clock == 0;
                let set = |$u: &mut $type| {
                    set_write(&mut $u.write, write, 0);
                    $u.reset.next = reset;
                    $u.result.ready.next = true;
                    $set
                };
                let points = d.cycle(set, |u| u.points.val().to_u64()).unwrap();
                let right = (0..$slots).filter(|i| $valid && slots[*i as usize] == $pc).fold(0, |p, i| p | 1 << i);
                assert_eq!(points, right, "seed {seed}, clock {clock}");
                hit += usize::from(points != 0);
                if let Some((address, word)) = write {
                    let slot = &mut slots[usize::from(address >> 4 & 15) % $slots];
                    match address & 15 {
                        2 if address > CONTROL => *slot = *slot & 0xffff_0000 | u32::from(word),
                        3 => *slot = *slot & 0xffff | u32::from(word) << 16,
                        _ => {}
                    }
                }
            }
            d.check_verilog().unwrap();
            hit
        }
    };
}
points!(points_of_lite, Lite<32>, Lite::new(&GeneratorParams::LITE, 0), 12, |u, valid, pc| {
    u.valid.next = valid;
    u.pc.next = u64::from(pc).to_bits();
});
points!(points_of_full, Full, Full::new(&GeneratorParams::FULL, 0), 16, |u, valid, pc| {
    u.seen.valid.next = valid;
    u.seen.pc.next = u64::from(pc).to_bits();
});

#[test]
fn points_are_the_slots_that_have_the_address() {
    for seed in 1..=2 {
        let hit = (points_of_lite(seed), points_of_full(seed));
        assert!(hit.0 > 1_000 && hit.1 > 1_000, "{hit:?} instructions at points");
    }
}
