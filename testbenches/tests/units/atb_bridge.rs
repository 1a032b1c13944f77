//! `hdl/src/bus/atb_bridge.rs` against `sim::tci::atb_bridge`, cycle by cycle, and as a tool of the specification uses it
//!
//! Registers are read and written in any order, with any value, while words come and ATB stalls at random.

use hdl::bus::atb_bridge::{AtbBridge, AtbWithId};
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use sim::tci::atb_bridge::{AtbBridge as Golden, Inputs, Outputs};
use sim::tci::atb_map::REGS;
use sim::tci::{Facts, Sink};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

fn facts() -> Facts {
    Facts { cores: 1, sink: Sink::Atb, ..Facts::default() }
}

fn driver() -> Driver<AtbBridge> {
    Driver::new(AtbBridge::new(&facts()), |u, c| u.clock.next = c.into()).unwrap()
}

/// Runs one cycle of the circuit and returns its outputs, with the response to the access of the cycle before.
fn clock(d: &mut Driver<AtbBridge>, i: &Inputs) -> (Outputs, u32) {
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.words.valid.next = i.word.is_some();
            u.words.data.next = u64::from(i.word.unwrap_or_default()).to_bits();
            u.out.ready.next = i.ready;
        },
        |u| {
            let data = u.out.data.val().to_u64();
            let offer = u.out.valid.val().then_some(((data >> 32) as u8, data as u32));
            (Outputs { takes: u.words.ready.val(), offer }, u.bus.rdata.val().to_u64() as u32)
        },
    )
    .unwrap()
}

#[test]
fn the_circuit_is_the_golden_model() {
    for seed in 90..93 {
        let mut s = Source::seeded(seed);
        let (mut d, mut golden) = (driver().recording(), Golden::new(facts()));
        let (mut words, mut takes) = (50, 50);
        let (mut word, mut offered) = (None, None);
        let (mut passed, mut discarded, mut kept, mut ids) = (0, 0, 0, std::collections::BTreeSet::new());
        for cycle in 0..20_000 {
            if cycle % 256 == 0 {
                (words, takes) = (*s.pick(&[3, 50, 100]), *s.pick(&[3, 50, 100]));
            }
            let bits = s.bits(32) as u32;
            if word.is_none() && s.percent(words) {
                word = Some(bits);
            }
            let control = *s.pick(&[0, 1, 3, 3]) | bits & 0x7f00;
            let i = Inputs {
                reset: s.per_64k(40),
                addr: if s.percent(10) { s.bits(10) as u32 } else { u32::from(s.pick(REGS).offset) / 4 },
                write: s.percent(20),
                wdata: if s.percent(90) { control } else { bits },
                word,
                ready: s.percent(takes),
            };
            let right = (golden.outputs(&i), golden.rdata());
            assert_eq!(clock(&mut d, &i), right, "seed {seed}, cycle {cycle}: {i:x?}");
            golden.step(&i);
            // the rule of ATB: what is offered stays until it is accepted
            assert!(offered.is_none() || right.0.offer == offered, "seed {seed}, cycle {cycle}: {offered:x?} changed");
            offered = right.0.offer.filter(|_| !i.ready && !i.reset);
            kept += u32::from(offered.is_some());
            if word.is_some() && right.0.takes || i.reset {
                word = None;
                discarded += u32::from(right.0.offer.is_none());
                passed += u32::from(right.0.offer.is_some());
                ids.extend(right.0.offer.map(|(id, _)| id));
            }
        }
        assert!(passed > 1_000 && discarded > 1_000 && kept > 1_000, "{passed}, {discarded}, {kept}");
        assert!(ids.len() > 50, "{} IDs", ids.len());
        d.check_verilog().unwrap();
    }
}

/// The order of the specification: activate, discover, set the ID, enable; after the trace, disable and wait until it is empty.
#[test]
fn a_tool_finds_the_fields_and_controls_the_bridge() {
    let mut d = driver();
    let access = |d: &mut Driver<AtbBridge>, offset: u32, write: Option<u32>, word: Option<u32>, ready: bool| {
        let (wdata, write) = (write.unwrap_or_default(), write.is_some());
        let (outputs, _) = clock(d, &Inputs { addr: offset / 4, write, wdata, word, ready, ..Inputs::default() });
        (outputs, clock(d, &Inputs { addr: offset / 4, word, ready: false, ..Inputs::default() }).1)
    };
    let mut found = Vec::new();
    for offset in (0..0x1000).step_by(4) {
        let mut after = |value| {
            access(&mut d, 0, Some(0), None, true);
            access(&mut d, 0, Some(1), None, true);
            access(&mut d, offset, Some(value), None, true);
            access(&mut d, offset, None, None, true).1
        };
        let (zeros, ones) = (after(u32::from(offset == 0)), after(u32::MAX));
        if zeros | ones != 0 {
            found.push((offset, zeros ^ ones, zeros & ones));
        }
    }
    assert_eq!(found, [(0, 0x7f02, 0x9), (4, 0, 0xe01)], "offset, bits that can be written, bits that are always 1");

    access(&mut d, 0, Some(0), None, true);
    assert_eq!(access(&mut d, 0, None, None, true).1, 0x8);
    access(&mut d, 0, Some(1), None, true);
    access(&mut d, 0, Some(0x5501), None, true);
    access(&mut d, 0, Some(0x5503), None, true);
    assert_eq!(access(&mut d, 0, None, None, true).1, 0x550b);
    // a word that ATB does not accept
    assert_eq!(access(&mut d, 0, None, Some(1), false).0, Outputs { takes: false, offer: Some((0x55, 1)) });
    assert_eq!(access(&mut d, 0, Some(0x5501), Some(1), false).1, 0x5503, "the read is of the cycle of the write");
    assert_eq!(access(&mut d, 0, None, Some(1), false).1, 0x5501, "disabled, and not empty");
    assert_eq!(access(&mut d, 4, None, Some(1), true).0, Outputs { takes: true, offer: Some((0x55, 1)) });
    assert_eq!(access(&mut d, 0, None, None, false).1, 0x5509, "empty");
    assert_eq!(access(&mut d, 4, None, Some(2), false).0, Outputs { takes: true, offer: None });
}

/// The transmitter after the bridge: the ID of the word, and everything else of the ATB transmitter.
#[test]
fn the_transmitter_has_the_id_of_its_word() {
    let mut s = Source::seeded(94);
    let mut d = Driver::new(AtbWithId::new(), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut flushes = 0;
    for _ in 0..5_000 {
        let (word, valid, ready) = (s.bits(39), s.percent(2), s.percent(50));
        let got = d
            .cycle(
                |u| {
                    u.words.valid.next = valid;
                    u.words.data.next = word.to_bits();
                    u.atready.next = ready;
                    u.afvalid.next = true;
                },
                |u| {
                    let port = (u.atvalid.val(), u.atid.val().to_u64(), u.atdata.val().to_u64(), u.words.ready.val());
                    (port, u.atbytes.val().to_u64(), u.afready.val())
                },
            )
            .unwrap();
        assert_eq!((got.0, got.1), ((valid, word >> 32, word & 0xffff_ffff, ready), 3));
        flushes += u32::from(got.2);
    }
    assert!(flushes > 0);
    d.check_verilog().unwrap();
}

#[test]
fn the_bridge_passes_the_static_gates() {
    emit_checked(&mut AtbBridge::new(&facts())).unwrap();
    emit_checked(&mut AtbWithId::new()).unwrap();
}
