//! Cores that stall on request lose nothing, however slow the sink
//!
//! In some phases, every instruction is an indirect jump; after `stall` rises, a core retires as many more instructions
//! as it may. The words are those of the golden model, which loses nothing. The same for cores of several instructions
//! or blocks per cycle, which continue for some cycles.

use fpga::cosim::Cosim;
use hdl::emit::{build, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style};
use retire::{FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::params::{Platform, TraceParams};
use sim::regs::REGS;
use sim::stimulus::Source;
use sim::system::System;
use std::collections::VecDeque;

/// `jr t1`, which is no return, and `nop`.
const JUMP: u32 = 0x0003_0067;
const NOP: u32 = 0x0000_0013;

/// Instructions that a core may retire after the cycle in which `stall` rises, with a FIFO of depth 2^k.
fn allowed(fifo_address_bits: u8) -> usize {
    (1 << (fifo_address_bits - 1)) - 2
}

fn register(name: &str) -> u128 {
    REGS.iter().find(|r| r.name == name).unwrap().addr.into()
}

/// A core: its PC, and the number of instructions since its last event.
struct Core {
    pc: u64,
    count: u32,
    /// `stall` of the last cycles, oldest first.
    asked: VecDeque<bool>,
    begun: bool,
    ended: bool,
}

struct Outcome {
    want: Vec<u32>,
    got: Vec<u32>,
    overflow: u32,
    /// Percentage of cycles in which a core was asked to wait.
    stalled: u64,
    retired: u64,
}

/// Number of instructions per cycle, and the retire queue.
#[derive(Clone, Copy)]
struct Port {
    ingress: Ingress,
    retire: Option<Retire>,
}

impl Port {
    const ONE: Self = Self { ingress: Ingress::Rvfi, retire: None };

    const fn channels(per_cycle: u8, log2_words: u8) -> Self {
        Self { ingress: Ingress::Rvfi, retire: Some(Retire { per_cycle, log2_words }) }
    }

    const fn blocks(per_cycle: u8, log2_words: u8) -> Self {
        Self { ingress: Ingress::Blocks, ..Self::channels(per_cycle, log2_words) }
    }

    fn per_cycle(self) -> u8 {
        self.retire.map_or(1, |r| r.per_cycle)
    }

    /// Cycles for which a core may continue after `stall` rises, see `hdl/src/top.rs`.
    fn clocks(self, fifo_address_bits: u8) -> usize {
        let Some(retire) = self.retire else { return allowed(fifo_address_bits) };
        let per_cycle = usize::from(retire.per_cycle) * if self.ingress == Ingress::Blocks { 2 } else { 1 };
        ((1 << retire.log2_words) - 5).min(((1 << (fifo_address_bits - 1)) - 2 - 5 * per_cycle) / per_cycle)
    }

    /// Port values of core `core` when it retires an instruction at `pc` that goes to `next`; older instructions are in
    /// lower channels.
    fn show(self, core: usize, lane: u8, jump: bool, pc: u64, next: u64) -> Vec<(String, u128)> {
        let many = self.per_cycle() > 1;
        if self.ingress == Ingress::Blocks {
            let block = if many { format!("block{lane}_") } else { String::new() };
            let itype = if jump { 10 } else { 0 };
            let values = [("itype", itype), ("iaddr", pc.into()), ("iretire", 2), ("ilastsize", 1), ("icount", 1)];
            return values.map(|(name, value)| (format!("{block}{name}_{core}"), value)).into();
        }
        let channel = if many { lane.to_string() } else { String::new() };
        let insn = if jump { JUMP } else { NOP };
        let values = [("valid", 1), ("insn", u128::from(insn)), ("pc_rdata", pc.into()), ("pc_wdata", next.into())];
        values.map(|(name, value)| (format!("rvfi{channel}_{name}_{core}"), value)).into()
    }
}

/// Plays `clocks` cycles on cores that respond to `stall` `late` cycles late.
fn play(scheme: &str, cores: u8, fifo_address_bits: u8, late: usize, clocks: u64, port: Port) -> Outcome {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    params.cores = cores;
    let extras = Extras { stall: true, retire: port.retire, ..Extras::default() };
    let mut top = build(&params, &SystemOptions { ingress: port.ingress, fifo_address_bits, extras }).unwrap();
    top.connect_all();
    let cosim = Cosim::of_written(&write(&top, &Style::default()).unwrap()).unwrap().with_random_state(7);
    let [valid, data, rdata] = ["valid", "data", "bus_rdata"].map(|name| cosim.output(name).unwrap());
    let stalls: Vec<usize> = (0..cores).map(|c| cosim.output(&format!("stall_{c}")).unwrap()).collect();
    let mut session = cosim.session().unwrap();
    let mut golden = System::new(&params).unwrap();
    let mut s = Source::seeded(fifo_address_bits as u64);
    let ring = VecDeque::from(vec![false; late + 1]);
    let mut all: Vec<Core> = (0..cores)
        .map(|c| Core { pc: 0x1000 * u64::from(c), count: 0, asked: ring.clone(), begun: false, ended: false })
        .collect();
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
            // instructions that are in a queue at the end are not reported
            let last = port.retire.is_some() && tracing && clock + 150 >= began.unwrap() + clocks;
            if last && !std::mem::replace(&mut core.ended, true) && port.ingress == Ingress::Blocks {
                // a trap reports where the last one went
                values.push((port.show(c, 0, false, 0, 0)[0].0.clone(), 1));
                values.push((port.show(c, 0, false, 0, 0)[1].0.clone(), core.pc.into()));
            }
            if !tracing || write.is_some() || waits || last {
                continue;
            }
            for lane in 0..port.per_cycle() {
                if lane > 0 && s.percent(5) {
                    continue;
                }
                let (pc, jump) = (core.pc, s.percent(jumps));
                core.pc = if jump { s.bits(32) & !3 } else { (pc + 4) & 0xffff_ffff };
                let e =
                    FlowEvent { hart: c as u8, kind: FlowKind::Start, len: 0, count: 0, pc, target: pc, cycle: clock };
                if !std::mem::replace(&mut core.begun, true) {
                    golden.event(&e);
                }
                core.count += 1;
                o.retired += 1;
                if jump {
                    let count = std::mem::take(&mut core.count);
                    golden.event(&FlowEvent { kind: FlowKind::IndirectJump, len: 4, count, target: core.pc, ..e });
                }
                values.extend(port.show(c, lane, jump, pc, core.pc));
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
    for (scheme, cores, fifo_address_bits) in [
        ("tr_e:small", 1, 4),
        ("tr_e:small", 3, 4),
        ("tr_e:large", 2, 5),
        ("nx_b", 1, 4),
        ("sc-lsp:rbase-32x4", 2, 4),
        ("golomb:m4", 1, 6),
        ("follow:m", 2, 5),
        ("follow:s+arithmetic", 1, 4),
        ("follow:s+arithmetic", 3, 5),
        ("follow:m+arithmetic", 2, 6),
    ] {
        let late = allowed(fifo_address_bits);
        let o = play(scheme, cores, fifo_address_bits, late, 60_000, Port::ONE);
        let place = format!("{scheme}, N = {cores}, {late} clocks late");
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
    for fifo_address_bits in [4, 5] {
        let o = play("tr_e:small", 1, fifo_address_bits, allowed(fifo_address_bits) + 1, 60_000, Port::ONE);
        assert_ne!(o.overflow, 0, "nothing was lost one clock after the last that is allowed");
    }
}

/// Events of wide cores are reported in queue order, so for several cores only the absence of losses is checked.
#[test]
fn cores_of_several_instructions_a_clock_that_wait_lose_nothing() {
    for (scheme, cores, fifo_address_bits, port) in [
        ("tr_e:small", 1, 5, Port::channels(2, 3)),
        ("tr_e:m4", 1, 6, Port::channels(4, 3)),
        ("nx_b", 2, 7, Port::channels(4, 4)),
        ("tr_e:small", 1, 5, Port::blocks(1, 3)),
        ("tr_e:m4", 1, 6, Port::blocks(2, 3)),
        ("sc-lsp:rbase-32x4", 1, 5, Port::channels(2, 3)),
        ("sc-lsp:rbase-32x4", 1, 6, Port::channels(4, 3)),
        ("follow:m", 1, 5, Port::channels(2, 3)),
    ] {
        let late = port.clocks(fifo_address_bits);
        let place = format!("{scheme}, {} per clock, {late} clocks late", port.per_cycle());
        let o = play(scheme, cores, fifo_address_bits, late, 15_000, port);
        assert_eq!(o.overflow, 0, "{place}: it overflowed");
        if cores == 1 {
            let first = o.want.iter().zip(&o.got).position(|(w, g)| w != g);
            assert_eq!(first, None, "{place}: words differ, of {} and {}", o.want.len(), o.got.len());
        }
        assert_eq!(o.want.len(), o.got.len(), "{place}");
        eprintln!("{place}: {} instructions, {} words, asked to wait in {} %", o.retired, o.got.len(), o.stalled);
        assert!(o.stalled > 20 && o.retired > 300, "{place}: {} %, {} instructions", o.stalled, o.retired);
        // blocks of one instruction do not use the full allowance
        if port.ingress == Ingress::Rvfi && cores == 1 {
            let too_late =
                (1..4).find(|more| play(scheme, cores, fifo_address_bits, late + more, 15_000, port).overflow != 0);
            assert!(too_late.is_some(), "{place}: few clocks more are not too many");
        }
    }
}

#[test]
fn stall_with_too_small_fifos_is_refused() {
    let of = |ingress, per_cycle, log2_words, fifo_address_bits| {
        let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
        let extras = Extras { stall: true, retire: Some(Retire { per_cycle, log2_words }), ..Extras::default() };
        build(&params, &SystemOptions { ingress, fifo_address_bits, extras }).err().map(|e| e.to_string())
    };
    assert_eq!(of(Ingress::Rvfi, 4, 3, 6), None);
    assert_eq!(
        of(Ingress::Rvfi, 4, 3, 5).unwrap(),
        "`--fifo 32`: `--stall` with `--retire 4` needs at least 64 entries; a stalled core still retires what is in flight, and nothing may be lost"
    );
    assert_eq!(
        of(Ingress::Blocks, 1, 3, 4).unwrap(),
        "`--stall` with `--ingress etrace-blocks`: needs `--fifo 32` or more, the default is 16; a stalled core still retires what is in flight, and nothing may be lost"
    );
    assert_eq!(
        of(Ingress::Rvfi, 2, 2, 5).unwrap(),
        "`--retire-queue 4`: `--stall` needs at least 8 entries; a stalled core still retires what is in flight, and nothing may be lost"
    );
}

#[test]
fn fifos_of_eight_places_are_refused() {
    let params = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    let extras = Extras { stall: true, ..Extras::default() };
    let refused = build(&params, &SystemOptions { fifo_address_bits: 3, extras, ..SystemOptions::default() });
    assert_eq!(
        refused.err().unwrap().to_string(),
        "`--fifo 8`: `--stall` needs at least 16 entries; a stalled core still retires what is in flight, and nothing may be lost"
    );
}
