//! `hdl/src/scheme/cfiat/filter.rs` against the golden model of load values, record by record

use hdl::scheme::cfiat::filter::Filter;
use retire::{DataEvent, DataKind, Note, RetireSink};
use rust_hdl::prelude::*;
use sim::scheme::cfiat::decoder::Records;
use sim::scheme::cfiat::message::Record;
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::{CfiatParams, Recorder};
use sim::stimulus::{rounds, Source};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Accesses outside memory are those of a device. The second core is the one that clears flags.
fn params(sizes: Sizes) -> CfiatParams {
    CfiatParams::new(2, (0, 1 << 20), sizes)
}

/// An access at the ports.
#[derive(Clone, Copy, Debug)]
struct Access {
    op: u64,
    addr: u64,
    size: u64,
    value: u64,
}

fn golden(recorder: &mut Recorder, a: &Access) {
    let bytes = 1 << a.size;
    let mut data = |hart, kind| recorder.data(&DataEvent { hart, kind, pc: 0, cycle: 0 });
    match a.op {
        0 => data(0, DataKind::Load { size: bytes, addr: a.addr, value: a.value }),
        1 => data(0, DataKind::Store { size: bytes, addr: a.addr, value: a.value }),
        2 => data(0, DataKind::Load { size: bytes, addr: 1 << 31, value: a.value }),
        3 => recorder.note(0, &Note::StoreConditional { stored: true }),
        5 => {
            recorder.note(0, &Note::StoreConditional { stored: true });
            golden(recorder, &Access { op: 1, ..*a });
        }
        _ => data(1, DataKind::Store { size: bytes, addr: a.addr, value: a.value }),
    }
}

/// Records of core 0, up to its stop.
fn finish(params: &CfiatParams, mut recorder: Recorder) -> Vec<Record> {
    recorder.finish();
    Records::read(params, recorder.drain().collect::<Vec<_>>()).unwrap().by_core.swap_remove(0)
}

/// Percentage of cycles with an access and with a record taken; resets per 65536 cycles.
struct Rates {
    valid: u8,
    taken: u8,
    reset: u16,
}

/// Plays random accesses; returns the number of records, and the driver for its Verilog.
fn play(name: &str, cycles: u64, rates: &Rates, span: u64) -> (Driver<Filter>, usize) {
    let sizes: Sizes = name.parse().unwrap();
    let p = params(sizes);
    let mut d = Driver::new(Filter::new(&sizes), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(span ^ cycles);
    let access = |s: &mut Source| {
        let size = s.below(3);
        let op = match s.below(100) {
            0..=54 => 0,
            55..=79 => 1,
            80..=84 => 2,
            85..=86 => 3,
            87..=89 => 5,
            _ => 4,
        };
        let value = if op == 3 || op == 5 { 0 } else { s.bits(32) & (u64::from(u32::MAX) >> (32 - (8 << size))) };
        // a store-conditional is a register wide
        Access { op, addr: s.below(span), size: if op == 3 || op == 5 { 2 } else { size }, value }
    };
    let mut recorder = Recorder::new(&p).unwrap();
    let (mut found, mut records, mut now) = (Vec::new(), 0, access(&mut s));
    let mut drain = false;
    for cycle in 0..cycles {
        // sometimes, everything is drained before a reset and compared with the end of the model
        drain = drain || cycle + 1000 > cycles || s.per_64k(rates.reset);
        let rst = cycle == 0 || s.per_64k(rates.reset);
        let valid = !drain && s.percent(rates.valid);
        let taken = s.percent(rates.taken);
        let set = |u: &mut Filter| {
            u.rst.next = rst;
            u.valid.next = valid;
            u.op.next = now.op.to_bits();
            u.addr.next = now.addr.to_bits();
            u.size.next = now.size.to_bits();
            u.value.next = now.value.to_bits();
            u.record_ready.next = taken;
        };
        let (ready, record, idle, stop) = d
            .cycle(set, |u| {
                let value = Record::Value {
                    fah: u.fah.val().to_u64() as u32,
                    size: 1 << u.record_size.val().to_u64(),
                    value: u.record_value.val().to_u64(),
                };
                let stop =
                    Record::Stop { fah: u.count.val().to_u64() as u32, signature: u.signature.val().to_u64() as u32 };
                (u.ready.val(), u.record.val().then_some(value), u.idle.val(), stop)
            })
            .unwrap();
        if rst {
            let want = finish(&p, std::mem::replace(&mut recorder, Recorder::new(&p).unwrap()));
            assert!(want.starts_with(&found), "{name}, cycle {cycle}: reset");
            (found, now, drain) = (Vec::new(), access(&mut s), false);
            continue;
        }
        if let Some(record) = record.filter(|_| taken) {
            found.push(record);
            records += 1;
        }
        if valid && ready {
            golden(&mut recorder, &now);
            now = access(&mut s);
        }
        if drain && idle {
            found.push(stop);
            assert_eq!(found, finish(&p, recorder.clone()), "{name}, cycle {cycle}: {now:x?}");
            found.pop();
            drain = cycle + 1000 > cycles;
        }
    }
    (d, records)
}

#[test]
fn random_accesses_match_the_model() {
    let cycles = rounds(4_000, 200_000);
    let names = [
        ("cfiat:32k", 4000),
        ("cfiat:256+ways2+line16", 600),
        ("cfiat:64+ways4+line16", 200),
        ("cfiat:64+ways1+line16+gran2+count8", 40),
        ("cfiat:1k+ways4+line64+round", 3000),
        ("cfiat:128+ways2+line8+gran8+round", 300),
        ("cfiat:512+ways1+line32+gran4", 900),
    ];
    let stalls = [(100, 100, 0), (50, 100, 30), (100, 40, 30), (60, 60, 150)];
    for (i, (name, span)) in names.into_iter().enumerate() {
        // every cache with and without stalls, every kind of stall with several caches
        for (valid, taken, reset) in rounds(vec![stalls[i % 4], stalls[(i + 2) % 4]], stalls.to_vec()) {
            let (d, records) = play(name, cycles, &Rates { valid, taken, reset }, span);
            assert!(records > 200, "{name}: {records} records");
            d.check_verilog_from_random(5).unwrap();
        }
    }
}

#[test]
fn a_full_count_makes_a_record() {
    let rates = Rates { valid: 100, taken: 100, reset: 0 };
    let (d, records) = play("cfiat:64+ways1+line64+count8", 8_000, &rates, 1);
    assert!(records > 10, "{records}");
    d.check_verilog().unwrap();
}

#[test]
fn its_verilog_passes_every_gate() {
    for name in ["cfiat", "cfiat:256+ways2+line16+round", "cfiat:64+ways1+line16"] {
        emit_checked(&mut Filter::new(&name.parse().unwrap())).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}

#[test]
fn what_has_no_circuit_says_why() {
    let why = |name: &str| Filter::unsupported_reason(&name.parse().unwrap());
    assert_eq!(why("cfiat:64k+line64"), None);
    assert_eq!(why("cfiat:32k+ways8").unwrap(), "cfiat:32k+ways8 has no circuit, at most 4 ways have");
    assert!(why("cfiat:32k+line4").unwrap().ends_with("lines of 8 bytes or more have"));
    assert!(why("cfiat:32k+gran4+touched").unwrap().ends_with("flags that a host can follow have"));
}
