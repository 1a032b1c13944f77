//! Cores that wait when they are asked to: nothing is lost, however slow the sink
//!
//! Every instruction is a jump to anywhere, in phases of clocks; a core goes on retiring as many as it may behind `stall`.
//! The words are the golden model's, which loses nothing.

use fpga::cosim::{Cosim, Interface};
use hdl::emit::{build, SystemOptions};
use hdl::spine::Extras;
use retire::{FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::stimulus::Source;
use sim::system::System;
use std::collections::VecDeque;

/// `jr t0` and `nop`.
const JUMP: u32 = 0x0002_8067;
const NOP: u32 = 0x0000_0013;

/// Instructions that a core may retire behind the clock in which `stall` rises, of 2^k places.
fn allowed(log2_fifo: u8) -> usize {
    (1 << (log2_fifo - 1)) - 4
}

fn register(name: &str) -> u128 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// A core: where it is, and what it retired that is no event yet.
struct Core {
    pc: u64,
    count: u32,
    /// `stall` of the last clocks, the oldest first.
    asked: VecDeque<bool>,
}

struct Outcome {
    want: Vec<u32>,
    got: Vec<u32>,
    overflow: u32,
    /// Of 100 clocks of a core, those in which it was asked to wait.
    stalled: u64,
    retired: u64,
}

/// Plays `clocks` clocks on cores that heed `stall` so many clocks late.
fn play(scheme: &str, cores: u8, log2_fifo: u8, late: usize, clocks: u64) -> Outcome {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    params.cores = cores;
    let extras = Extras { stall: true, ..Extras::default() };
    let mut top = build(&params, &SystemOptions { log2_fifo, extras, ..SystemOptions::default() }).unwrap();
    top.connect_all();
    let cosim = Cosim::build(&generate_verilog(&top), &Interface::of(&top)).unwrap().with_random_state(7);
    let [valid, data, rdata] = ["valid", "data", "bus_rdata"].map(|name| cosim.output(name).unwrap());
    let stalls: Vec<usize> = (0..cores).map(|c| cosim.output(&format!("stall${c}")).unwrap()).collect();
    let mut session = cosim.session().unwrap();
    let mut golden = System::new(&params).unwrap();
    let mut s = Source::seeded(log2_fifo as u64);
    let ring = VecDeque::from(vec![false; late + 1]);
    let mut all: Vec<Core> =
        (0..cores).map(|c| Core { pc: 0x1000 * u64::from(c), count: 0, asked: ring.clone() }).collect();
    let mut o = Outcome { want: vec![], got: vec![], overflow: 0, stalled: 0, retired: 0 };
    let (mut jumps, mut ready, mut phase) = (100_u8, 5_u8, 0);
    let (mut began, mut ended) = (None, None);
    for clock in 0_u64.. {
        assert!(clock < 40 * clocks + 100_000, "{scheme}: it never becomes idle");
        let tracing = began.is_some_and(|b| clock > b) && ended.is_none();
        let mut values: Vec<(String, u128)> = vec![("reset".into(), (clock < 3).into())];
        let (addr, write) = match clock {
            4 => (register("control"), Some(1)),
            _ if tracing && clock >= began.unwrap() + clocks => (register("control"), Some(0)),
            _ => (register("status"), None),
        };
        if write == Some(0) {
            ended = Some(clock);
        }
        values.push(("bus_addr".into(), addr));
        values.push(("bus_write".into(), write.is_some().into()));
        values.push(("bus_wdata".into(), write.unwrap_or(0)));
        if phase == 0 {
            (jumps, ready, phase) = (*s.pick(&[100, 100, 50, 10]), *s.pick(&[0, 3, 20, 100]), s.between(1, 300));
        }
        phase -= 1;
        let take = ended.is_some() || s.percent(ready);
        values.push(("ready".into(), take.into()));
        for (c, core) in all.iter_mut().enumerate() {
            let waits = core.asked.pop_front().unwrap();
            if !tracing || write.is_some() || waits {
                continue;
            }
            let (pc, jump) = (core.pc, s.percent(jumps));
            core.pc = if jump { s.bits(32) & !3 } else { (pc + 4) & 0xffff_ffff };
            let e = FlowEvent { hart: c as u8, kind: FlowKind::Start, len: 0, count: 0, pc, target: pc, cycle: clock };
            if began == Some(clock - 1) {
                golden.event(&e);
            }
            core.count += 1;
            o.retired += 1;
            if jump {
                let count = std::mem::take(&mut core.count);
                golden.event(&FlowEvent { kind: FlowKind::IndirectJump, len: 4, count, target: core.pc, ..e });
            }
            let insn = if jump { JUMP } else { NOP };
            for (name, value) in
                [("valid", 1), ("insn", u128::from(insn)), ("pc_rdata", pc.into()), ("pc_wdata", core.pc.into())]
            {
                values.push((format!("rvfi_{name}${c}"), value));
            }
        }
        let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let out = session.step(&cosim.vector(&values).unwrap()).unwrap();
        if out[valid] == 1 && take && clock >= 3 {
            o.got.push(out[data] as u32);
        }
        for (core, &stall) in all.iter_mut().zip(&stalls) {
            core.asked.push_back(out[stall] == 1);
            o.stalled += u64::from(out[stall] == 1 && tracing);
        }
        let field = |name: &str| {
            let status = REGS.iter().find(|r| r.name == "status").unwrap();
            out[rdata] >> status.fields.iter().find(|f| f.name == name).unwrap().lsb & 1 == 1
        };
        if began.is_none() && clock > 6 && field("active") {
            began = Some(clock);
        }
        if ended.is_some_and(|e| clock > e + 10) && field("idle") {
            break;
        }
    }
    let overflow = [("bus_addr", register("overflow"))];
    let vector = cosim.vector(&overflow).unwrap();
    session.step(&vector).unwrap();
    o.overflow = session.step(&vector).unwrap()[rdata] as u32;
    o.stalled = 100 * o.stalled / (clocks * u64::from(cores));
    for (c, core) in all.iter().enumerate() {
        let (count, pc) = (core.count, core.pc);
        golden.event(&FlowEvent {
            hart: c as u8,
            kind: FlowKind::Stop,
            len: 0,
            count,
            pc,
            target: pc,
            cycle: ended.unwrap(),
        });
    }
    golden.finish(ended.unwrap() + 2);
    o.want = golden.drain().collect();
    o
}

#[test]
fn cores_that_wait_lose_nothing() {
    for (scheme, cores, log2_fifo) in [
        ("tr_e:small", 1, 4),
        ("tr_e:small", 3, 4),
        ("tr_e:large", 2, 5),
        ("nx_b", 1, 4),
        ("sc-lsp:rbase-32x4", 2, 4),
        ("golomb:m4", 1, 6),
    ] {
        let late = allowed(log2_fifo);
        let o = play(scheme, cores, log2_fifo, late, 60_000);
        let place = format!("{scheme}, N = {cores}, {} places, {late} late", 1 << log2_fifo);
        assert_eq!(o.overflow, 0, "{place}: it overflowed");
        let first = o.want.iter().zip(&o.got).position(|(w, g)| w != g);
        assert_eq!(first, None, "{place}: words differ, of {} and {}", o.want.len(), o.got.len());
        assert_eq!(o.want.len(), o.got.len(), "{place}");
        eprintln!("{place}: {} instructions, {} words, asked to wait in {} %", o.retired, o.got.len(), o.stalled);
        assert!(o.stalled > 20 && o.retired > 500, "{place}: {} %, {} instructions", o.stalled, o.retired);
    }
}

#[test]
fn a_core_that_waits_too_late_loses() {
    for log2_fifo in [4, 5] {
        let o = play("tr_e:small", 1, log2_fifo, allowed(log2_fifo) + 1, 60_000);
        assert_ne!(o.overflow, 0, "{} places: nothing was lost", 1 << log2_fifo);
    }
}

#[test]
fn fifos_of_eight_places_are_refused() {
    let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    let extras = Extras { stall: true, ..Extras::default() };
    let refused = build(&params, &SystemOptions { log2_fifo: 3, extras, ..SystemOptions::default() });
    assert_eq!(
        refused.err().unwrap().to_string(),
        "stall outputs take FIFOs of 16 places or more, log2_fifo = 4; there are 8"
    );
}
