//! Tests of the decoding adapters on their own

use super::ingress::to_u64;
use hdl::ingress::chain::Chain;
use hdl::ingress::rvfi::Rvfi;
use hdl::spine::Extras;
use retire::isa::{flow, flow_with, Flow, Indirect};
use rust_hdl::prelude::*;
use sim::beats::{self, Retired};
use sim::params::TraceParams;
use sim::stimulus::Source;
use testbenches::driver::{CheckVerilog, Driver};

/// Random encodings through the RVFI adapter on its own, against `retire::isa::flow_with`; with Zcmp and Zcmt as well
/// if there are instructions of 2 bytes.
pub fn decoder_matches(p: &TraceParams, n: usize) {
    for zcm in [false, true].into_iter().take(if p.align == 1 { 2 } else { 1 }) {
        match p.xlen {
            32 => decoder::<32>(p, zcm, n),
            _ => decoder::<64>(p, zcm, n),
        }
    }
}

/// Opcodes of interest with random fields, often with link registers; and every compressed encoding in turn.
fn encoding(s: &mut Source, i: usize, p: &TraceParams) -> u32 {
    let mut insn = s.bits(32) as u32;
    match s.below(8) {
        0..=4 => {
            insn = insn & !0x7f | *s.pick(&[0x63, 0x67, 0x6f, 0x73, 0x13]);
            for at in [7, 15] {
                if s.percent(60) {
                    insn = insn & !(31 << at) | *s.pick(&[0u32, 1, 5, 4]) << at;
                }
            }
            if s.percent(70) {
                insn &= !(7 << 12);
            }
            if s.percent(4) {
                insn = *s.pick(&[0x3020_0073, 0x1020_0073, 0x0020_0073, 0x7020_0073, 0x3020_0173]);
            }
        }
        _ if p.align == 1 => {
            insn = insn & !0xffff | (i as u32).wrapping_mul(0x9e35) & 0xffff;
            if s.percent(10) {
                // c.fsdsp, or Zcmp and Zcmt
                insn = insn & !0xe003 | 0xa002;
            } else if s.percent(40) {
                insn = insn & !0xe07f | *s.pick(&[0x8002, 0x9002]) & !0x1000 | insn & 0x1000;
            }
        }
        _ => {}
    }
    if p.align == 2 {
        insn |= 3;
    }
    insn
}

fn decoder<const W: usize>(p: &TraceParams, zcm: bool, n: usize) {
    let extras = Extras { zcm, ..Extras::default() };
    let mut d = Driver::new(Rvfi::<W>::with(p, extras), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(4);
    let mut before: Option<(u32, u64, u64)> = None;
    let mut kinds = [0; 6];
    for i in 0..n {
        let insn = encoding(&mut s, i, p);
        let len = u64::from(retire::isa::length(insn as u16));
        let pc = s.bits(p.xlen.into()) >> p.align << p.align;
        let mut next = if s.percent(50) { pc.wrapping_add(len) } else { s.bits(p.xlen.into()) >> p.align << p.align };
        if matches!(flow(insn, p.xlen), Flow::Conditional { .. }) && s.percent(50) {
            next = pc.wrapping_add(len).wrapping_add(s.bits(12) << p.align);
        }
        let mask = u64::MAX >> (64 - p.xlen);
        next &= mask;
        let got = d
            .cycle(
                |u| {
                    u.port.live.next = true;
                    u.port.open.next = true;
                    u.port.pins.rvfi.valid.next = true;
                    u.port.pins.rvfi.insn.next = u64::from(insn).to_bits();
                    u.port.pins.rvfi.pc_rdata.next = pc.to_bits();
                    u.port.pins.rvfi.pc_wdata.next = next.to_bits();
                },
                |u| {
                    let flags = [
                        &u.port.beat.branch,
                        &u.port.beat.lookup,
                        &u.port.beat.push,
                        &u.port.beat.pop,
                        &u.port.beat.jump,
                        &u.port.beat.taken,
                    ]
                    .map(|f| f.val());
                    (
                        flags,
                        to_u64(u.port.beat.pc.val()),
                        to_u64(u.port.beat.link.val()),
                        to_u64(u.port.beat.target.val()),
                    )
                },
            )
            .unwrap();
        if let Some((insn, pc, next)) = before {
            let len = u64::from(retire::isa::length(insn as u16));
            let link = pc.wrapping_add(len) & mask;
            let [branch, lookup, push, pop, jump] = match flow_with(insn, p.xlen, zcm) {
                Flow::Sequential => [false; 5],
                Flow::Conditional { .. } => [true, false, false, false, false],
                Flow::Jump { call, .. } => [false, false, call, false, true],
                Flow::Indirect(Indirect::Jump) | Flow::TrapReturn => [false, true, false, false, false],
                Flow::Indirect(Indirect::Call) => [false, true, true, false, false],
                Flow::Indirect(Indirect::Return) => [false, false, false, true, false],
                Flow::Indirect(Indirect::CoSwap) => [false, false, true, true, false],
            };
            for (k, on) in [branch, lookup, push, pop, jump].into_iter().enumerate() {
                kinds[k] += usize::from(on);
            }
            kinds[5] += usize::from(push && pop);
            // only the outcome of a conditional branch matters, and its offset fits in 12 bits
            let taken = if branch { (next ^ link) >> p.align & 0xfff != 0 } else { got.0[5] };
            assert_eq!(got.0, [branch, lookup, push, pop, jump, taken], "{insn:#010x} at {pc:#x} to {next:#x}");
            assert_eq!((got.1 << p.align, got.3 << p.align), (pc, next));
            assert_eq!(got.2 << p.align & mask, link);
        }
        before = Some((insn, pc, next));
    }
    assert!(kinds.iter().all(|&k| k > n / 400), "{kinds:?}: too few of a kind to trust this run");
    d.check_verilog().unwrap();
}

/// The RVFI adapter for registered ports, with registers before it, against the usual one: the same beats in every
/// cycle, for any port values.
pub fn registered_is_the_same(p: &TraceParams, check: bool, n: usize) {
    match p.xlen {
        32 => registered::<32>(p, check, n),
        _ => registered::<64>(p, check, n),
    }
}

/// Port values: valid, instruction, trap, first of a handler, its address and the next one.
type Ports = (bool, u32, bool, bool, u64, u64);

fn registered<const W: usize>(p: &TraceParams, check: bool, n: usize) {
    let drive = |registered| {
        let extras = Extras { check, registered, ..Extras::default() };
        Driver::new(Rvfi::<W>::with(p, extras), |u, c| u.clock.next = c.into()).unwrap().recording()
    };
    let (mut own, mut bare) = (drive(false), drive(true));
    let mut s = Source::seeded(5);
    let mask = u64::MAX >> (64 - p.xlen);
    let mut before: Ports = (false, 0, false, false, 0, 0);
    let (mut pc, mut told) = (0, [0; 6]);
    for i in 0..n {
        let live = s.percent(90);
        let next = if s.percent(60) { pc + 4 } else { s.bits(p.xlen.into()) >> p.align << p.align } & mask;
        let now: Ports = (s.percent(80), encoding(&mut s, i, p), s.percent(5), s.percent(5), pc, next);
        let beat = |d: &mut Driver<Rvfi<W>>, ports: Ports| {
            let (valid, insn, trap, intr, pc, next) = ports;
            d.cycle(
                |u| {
                    u.port.live.next = live;
                    u.port.open.next = true;
                    u.port.pins.rvfi.valid.next = valid;
                    u.port.pins.rvfi.insn.next = u64::from(insn).to_bits();
                    u.port.pins.rvfi.trap.next = trap;
                    u.port.pins.rvfi.intr.next = intr;
                    u.port.pins.rvfi.pc_rdata.next = pc.to_bits();
                    u.port.pins.rvfi.pc_wdata.next = next.to_bits();
                },
                |u| {
                    let b = &u.port.beat;
                    let flags = [
                        &b.live,
                        &b.valid,
                        &b.intr,
                        &b.discontinuity,
                        &b.branch,
                        &b.taken,
                        &b.lookup,
                        &b.push,
                        &b.pop,
                        &b.jump,
                    ];
                    (flags.map(|f| f.val()), to_u64(b.pc.val()), to_u64(b.link.val()), to_u64(b.target.val()))
                },
            )
            .unwrap()
        };
        let (want, mut got) = (beat(&mut own, now), beat(&mut bare, before));
        if !want.0[1] {
            // nothing retires: the stored target is undefined, and so is whether it differs from the link address
            got.3 = want.3;
            got.0[5] = want.0[5];
        }
        // in the first cycle, the usual adapter's registers hold values that were never at the ports
        if i > 0 {
            assert_eq!(got, want, "clock {i}: at the ports {before:x?}");
        }
        for (k, at) in [0, 1, 2, 4, 7, 8].into_iter().enumerate() {
            told[k] += usize::from(want.0[at]);
        }
        before = now;
        pc = if s.percent(90) { next } else { s.bits(p.xlen.into()) >> p.align << p.align & mask };
    }
    assert!(told.iter().all(|&k| k > n / 200), "{told:?}: too few of a kind to trust this run");
    bare.check_verilog().unwrap();
}

/// Random encodings through the PC chain on its own, each followed by a possible successor, an address next to one, or
/// any address; against `sim::beats::chain`.
pub fn chain_matches(p: &TraceParams, n: usize) {
    for zcm in [false, true].into_iter().take(if p.align == 1 { 2 } else { 1 }) {
        match p.xlen {
            32 => chain::<32>(p, zcm, n),
            _ => chain::<64>(p, zcm, n),
        }
    }
}

fn chain<const W: usize>(p: &TraceParams, zcm: bool, n: usize) {
    let extras = Extras { zcm, ..Extras::default() };
    let mut d = Driver::new(Chain::<W>::with(p, extras), |u, c| u.clock.next = c.into()).unwrap().recording();
    let mut s = Source::seeded(9);
    let mask = u64::MAX >> (64 - p.xlen);
    let (mut golden, mut want, mut pc) = (beats::chain::Chain::new(p.xlen).with_zcm(zcm), None, 0x8000_0000);
    let mut seen = [0; 2];
    for i in 0..n {
        let insn = encoding(&mut s, i, p);
        let len = retire::isa::length(insn as u16);
        let short = if len == 2 { insn & 0xffff } else { insn };
        let (valid, reset) = (s.percent(80), s.percent(1));
        let got = d
            .cycle(
                |u| {
                    u.port.live.next = true;
                    u.port.open.next = true;
                    u.port.reset.next = reset;
                    u.port.pins.retire_valid.next = valid;
                    u.port.pins.retire_insn.next = u64::from(insn).to_bits();
                    u.port.pins.retire_pc.next = pc.to_bits();
                },
                |u| {
                    let b = &u.port.beat;
                    b.valid.val().then(|| (b.intr.val(), to_u64(b.pc.val()), to_u64(b.target.val())))
                },
            )
            .unwrap();
        assert_eq!(got, want, "before {insn:#010x} at {pc:#x}");
        let beat = Retired { cycle: 0, hart: 0, trapped: false, len, pc, next_pc: 0, insn: short };
        want = None;
        if reset {
            golden = beats::chain::Chain::new(p.xlen).with_zcm(zcm);
        } else if valid {
            let known = golden.push(&beat);
            want = known.map(|r| (r.trapped, r.pc >> p.align, r.next_pc >> p.align));
            seen.iter_mut()
                .zip([true, false])
                .for_each(|(n, t)| *n += usize::from(known.is_some_and(|r| r.trapped == t)));
            let offset = match flow(short, p.xlen) {
                Flow::Conditional { offset } | Flow::Jump { offset, .. } if s.percent(60) => i64::from(offset),
                _ => len.into(),
            };
            pc = pc.wrapping_add_signed(offset);
            if s.percent(15) {
                pc ^= 1 << s.between(p.align.into(), u64::from(p.xlen) - 1);
            }
            pc = if s.percent(3) { s.bits(p.xlen.into()) } else { pc } & mask >> p.align << p.align;
        }
    }
    assert!(seen.iter().all(|&k| k > n / 20), "{seen:?}: too few of a kind to trust this run");
    d.check_verilog_from_random(3).unwrap();
}
