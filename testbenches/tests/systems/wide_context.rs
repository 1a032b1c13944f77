//! `hdl/src/ingress/context_tracker.rs` before cores that retire several instructions or blocks per cycle, or with an E-Trace port, emitted and under Verilator, against
//! `sim/src/system.rs`: the words are those of a core that retires one instruction per cycle

use fpga::cosim::Cosim;
use hdl::emit::{build, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use hdl::verilog::{write, Style};
use retire::isa::{flow, Flow};
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use rust_hdl::prelude::*;
use sim::beats::blocks::{length, Block as Shown};
use sim::params::{Platform, TraceParams};
use sim::regs::register;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Retired, Run};
use sim::stimulus::Source;
use sim::system::System;

/// An instruction and its context.
type WithContext = (Retired, Context);

/// What a core retires, with the events of the same.
fn execution(model: &Model, steps: usize, seed: u64) -> (Vec<WithContext>, Vec<FlowEvent>, usize) {
    let mut s = Source::seeded(seed);
    let config = Config { trap_per_64k: 1_000, ..Config::new(1, seed) };
    let (mut execution, mut events): (Vec<WithContext>, Vec<FlowEvent>) = (Vec::new(), Vec::new());
    let (mut count, mut now, mut turns) = (0, Context::RESET, 0);
    for step in Run::new(model, &config).take(steps) {
        let (r, mut context) = (step.retired, now);
        if r.trapped && s.percent(50) || s.per_64k(600) {
            // bits that are not reported differ, too
            context = Context::new(*s.pick(&[0, 0, 1, 3]), (s.bits(2) << 14 | s.bits(2)) as u32);
        }
        let (pc, target, cycle) = (r.pc, r.pc, r.cycle);
        if std::mem::replace(&mut now, context) != context {
            let alone = step.before.is_none();
            let count = if alone { std::mem::take(&mut count) } else { 0 };
            let kind = FlowKind::Context { context, alone };
            events.push(FlowEvent { hart: 0, kind, len: 0, count, pc, target, cycle });
            turns += 1;
        }
        if let Some(e) = step.before {
            events.push(FlowEvent { count: std::mem::take(&mut count), ..e });
        }
        count += 1;
        if let Some(e) = step.event {
            events.push(FlowEvent { count: std::mem::take(&mut count), ..e });
        }
        execution.push((r, context));
    }
    let last = execution.last().unwrap().0;
    let (pc, target, cycle) = (last.next_pc, last.next_pc, last.cycle);
    events.push(FlowEvent { hart: 0, kind: FlowKind::Stop, len: 0, count, pc, target, cycle });
    (execution, events, turns)
}

/// Port values of the core in one cycle.
type Ports = Vec<(String, u128)>;

/// Instructions in any channels; all of a cycle have the same context.
fn channels(execution: &[WithContext], per_cycle: usize, seed: u64) -> Vec<Ports> {
    let mut s = Source::seeded(seed);
    let (mut clocks, mut at) = (Vec::new(), 0);
    while at < execution.len() {
        let mut ports: Ports = vec![("mode_0".into(), s.bits(2).into()), ("space_0".into(), s.bits(16).into())];
        let context = execution[at].1;
        // fewer than the encoder can send
        let active = s.percent(if per_cycle == 4 { 10 } else { 30 });
        for lane in 0..per_cycle {
            let Some(&(r, _)) = execution.get(at).filter(|l| l.1 == context) else { break };
            if !active || s.percent(30) {
                continue;
            }
            at += 1;
            ports[0].1 = context.privilege().into();
            ports[1].1 = context.id().into();
            for (name, value) in [
                ("valid", 1),
                ("intr", r.trapped.into()),
                ("insn", r.insn.into()),
                ("pc_rdata", r.pc.into()),
                ("pc_wdata", r.next_pc.into()),
            ] {
                ports.push((format!("rvfi{lane}_{name}_0"), value));
            }
        }
        clocks.push(ports);
    }
    clocks
}

/// The same as up to two blocks per cycle.
fn blocks(execution: &[WithContext], seed: u64) -> Vec<Ports> {
    let mut s = Source::seeded(seed);
    let (mut clocks, mut at, mut trap_reported) = (Vec::new(), 0, true);
    while at < execution.len() {
        let mut ports: Ports =
            vec![("privilege_0".into(), s.bits(2).into()), ("context_id_0".into(), s.bits(32).into())];
        let context = execution[at].1;
        // fewer than the encoder of any scheme can send
        let active = s.percent(12);
        for j in 0..2 {
            let here = execution.get(at).is_some_and(|l| l.1 == context);
            if !active || !here || s.percent(30) {
                continue;
            }
            let first = execution[at].0;
            let block = if first.trapped && !trap_reported {
                trap_reported = true;
                Shown::trap(1, execution[at - 1].0.next_pc)
            } else {
                let run: Vec<Retired> =
                    execution[at..].iter().take_while(|l| l.1 == context).take(15).map(|l| l.0).collect();
                let n = length(&run, 32, s.between(2, 15) as u8);
                (at, trap_reported) = (at + n, false);
                ports[0].1 = context.privilege().into();
                // only the low bits are reported
                ports[1].1 = u128::from(context.id()) | u128::from(s.bits(16)) << 16;
                Shown::of(&run[..n], 32)
            };
            for (name, value) in [
                ("itype", block.itype.into()),
                ("iaddr", block.iaddr.into()),
                ("iretire", block.iretire.into()),
                ("ilastsize", block.ilastsize.into()),
                ("icount", u128::from(block.icount)),
            ] {
                ports.push((format!("block{j}_{name}_0"), value));
            }
        }
        clocks.push(ports);
    }
    // a trap reports the target of the indirect jump that is held
    let trap =
        [("block0_itype_0".into(), 1), ("block0_iaddr_0".into(), execution[execution.len() - 1].0.next_pc.into())];
    clocks.push(trap.into());
    clocks
}

/// The same as E-Trace reports of single instructions.
fn reports(execution: &[WithContext], seed: u64) -> Vec<Ports> {
    let mut s = Source::seeded(seed);
    let mut clocks: Vec<Ports> = Vec::new();
    for (i, &(r, context)) in execution.iter().enumerate() {
        // ports between reports carry noise
        while s.percent(70) {
            clocks.push(vec![("privilege_0".into(), s.bits(2).into()), ("space_0".into(), s.bits(16).into())]);
        }
        if r.trapped && i > 0 {
            let noise = [("privilege_0".into(), s.bits(2).into()), ("space_0".into(), s.bits(16).into())];
            let trap = [("itype_0".into(), 1), ("iaddr_0".into(), execution[i - 1].0.next_pc.into())];
            clocks.push(noise.into_iter().chain(trap).collect());
        }
        let block = Shown::of(&[r], 32);
        clocks.push(vec![
            ("privilege_0".into(), context.privilege().into()),
            ("space_0".into(), context.id().into()),
            ("itype_0".into(), block.itype.into()),
            ("iaddr_0".into(), r.pc.into()),
            ("iretire_0".into(), s.between(1, 3).into()),
            ("ilastsize_0".into(), block.ilastsize.into()),
        ]);
    }
    clocks.push(vec![("itype_0".into(), 1), ("iaddr_0".into(), execution[execution.len() - 1].0.next_pc.into())]);
    clocks
}

/// The words of a system whose core shows `clocks`.
fn words(cosim: &Cosim, clocks: &[Ports]) -> Vec<u32> {
    let [valid, data] = ["valid", "data"].map(|name| cosim.output(name).unwrap());
    // the tables are clear by then
    let begin = 1_300;
    let end = begin + clocks.len() + 200;
    let control = u128::from(register("control").addr);
    let vectors: Vec<_> = (0..end + 4_000)
        .map(|clock| {
            let mut values: Ports = vec![
                ("reset".into(), (clock < 4).into()),
                ("ready".into(), 1),
                ("bus_addr".into(), control),
                ("bus_write".into(), (clock == 6 || clock == end).into()),
                ("bus_wdata".into(), (clock == 6).into()),
            ];
            values.extend(clock.checked_sub(begin).and_then(|i| clocks.get(i)).into_iter().flatten().cloned());
            let values: Vec<(&str, u128)> = values.iter().map(|(n, v)| (n.as_str(), *v)).collect();
            cosim.vector(&values).unwrap()
        })
        .collect();
    let mut words = Vec::new();
    let run = cosim.clone().with_random_state(3);
    run.run(vectors, |clock, out| words.extend((clock >= 4 && out[valid] == 1).then_some(out[data] as u32))).unwrap();
    words
}

fn told(scheme: &str, ingress: Ingress, retire: Option<Retire>, bits: u8) {
    let mut params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
    params.context = Some(bits);
    params.signature = if bits % 8 == 0 { 16 } else { 0 };
    let extras = Extras { retire, ..Extras::default() };
    let mut top = build(&params, &SystemOptions { ingress, fifo_address_bits: 8, extras }).unwrap();
    top.connect_all();
    let cosim = Cosim::of_written(&write(&top, &Style::default()).unwrap()).unwrap();
    let model = Model::new(&Shape::rv32(9));
    let (execution, events, turns) = execution(&model, 20_000, u64::from(bits) + 1);
    let clocks = match ingress {
        Ingress::Blocks => blocks(&execution, 5),
        Ingress::Etrace => reports(&execution, 5),
        _ => channels(&execution, retire.unwrap().per_cycle.into(), 5),
    };
    let flows = execution.iter().filter(|l| flow(l.0.insn, 32) != Flow::Sequential).count();
    assert!(turns > 200 && flows > 2_000, "{turns} changes, {flows} jumps and branches");
    let mut golden = System::new(&params).unwrap();
    events.iter().for_each(|e| golden.event(e));
    golden.finish(events.last().map_or(0, |e| e.cycle));
    let want: Vec<u32> = golden.drain().collect();
    let got = words(&cosim, &clocks);
    let first = want.iter().zip(&got).position(|(w, g)| w != g);
    assert_eq!((first, got.len()), (None, want.len()), "{scheme}, {ingress:?}, {retire:?}");
}

#[test]
fn several_instructions_a_clock_send_the_contexts_of_single_ones() {
    told("tr_e:small", Ingress::Rvfi, Some(Retire { per_cycle: 2, log2_words: 4 }), 4);
    told("nx_b", Ingress::Rvfi, Some(Retire { per_cycle: 4, log2_words: 4 }), 0);
}

#[test]
fn several_blocks_a_clock_send_the_contexts_of_single_instructions() {
    told("tr_e:m4", Ingress::Blocks, Some(Retire { per_cycle: 2, log2_words: 3 }), 8);
}

#[test]
fn single_reports_of_e_trace_send_the_contexts_of_their_instructions() {
    told("tr_e:small", Ingress::Etrace, None, 8);
    told("nx_b", Ingress::Etrace, None, 0);
}

#[test]
fn predictors_that_follow_the_past_send_the_contexts_of_single_instructions() {
    told("follow:m", Ingress::Rvfi, Some(Retire { per_cycle: 2, log2_words: 4 }), 4);
    told("follow:s", Ingress::Blocks, Some(Retire { per_cycle: 2, log2_words: 3 }), 4);
    told("follow:ml", Ingress::Etrace, None, 4);
}
