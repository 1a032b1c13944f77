//! `hdl/src/ingress/blocks.rs` against `sim/src/beats/{blocks,wide}.rs`, clock by clock; and systems with it, emitted and under
//! Verilator: what retires as blocks sends the words of single instructions

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit_as, Ingress, SystemOptions};
use hdl::ingress::blocks::Blocks;
use hdl::spine::{Extras, Retire};
use hdl::verilog::Style;
use retire::isa::{flow, Flow, Indirect};
use retire::{FlowEvent, RetireSink};
use rust_hdl::prelude::*;
use sim::beats::blocks::{itype, length, Block as Shown, Hold, HALFWORDS};
use sim::beats::wide::{Compressor, Row};
use sim::beats::{Expander, Retired, Writer};
use sim::params::{Platform, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config, Run};
use sim::stimulus::Source;
use sim::system::System;
use std::io::BufWriter;
use tempfile::NamedTempFile;
use testbenches::check::{rounds, run};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

const fn blocks(log2_words: u8) -> Retire {
    Retire { lanes: 1, log2_words }
}

/// What a beat says of its instruction: `branch`, `look`, `push`, `pop`, `jump`.
fn kind(r: &Retired, xlen: u8) -> [bool; 5] {
    let (mut branch, mut look, mut push, mut pop, mut jump) = (false, false, false, false, false);
    match flow(r.insn, xlen) {
        Flow::Sequential => {}
        Flow::Conditional { .. } => branch = true,
        Flow::Jump { call, .. } => (jump, push) = (true, call),
        Flow::Indirect(Indirect::Jump) | Flow::TrapReturn => look = true,
        Flow::Indirect(Indirect::Call) => (look, push) = (true, true),
        Flow::Indirect(Indirect::Return) => pop = true,
        Flow::Indirect(Indirect::CoSwap) => (pop, push) = (true, true),
    }
    [branch, look, push, pop, jump]
}

#[derive(Default)]
struct Seen {
    rows: usize,
    choked: usize,
    lag: u32,
    long: usize,
}

/// Random cutting, bubbles, traps with and without an instruction, halts, resets, tracing on and off.
fn drive<const W: usize>(params: &TraceParams, log2_words: u8, seed: u64, clocks: usize) -> Seen {
    let xlen = W as u8;
    let shape = if W == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
    let model = Model::new(&Shape { compressed: params.align == 1, ..shape });
    let config = Config { trap_per_64k: 1_500, ..Config::new(1, seed) };
    let mut steps: Vec<Retired> = Run::new(&model, &config).map(|s| s.retired).take(clocks * 8).collect();
    steps.reverse();
    let mut s = Source::seeded(seed);
    let uut = Blocks::<W>::new(params, blocks(log2_words));
    let mut d = Driver::new(uut, |u: &mut Blocks<W>, c| u.clock.next = c.into()).unwrap().recording();
    let new = || (Hold::new(xlen), Compressor::<Retired>::new(log2_words));
    let (mut hold, mut golden) = new();
    let mut row: Option<Row<Retired>> = None;
    // where the instruction before went
    let (mut gone, mut jumped) = (0x1234, false);
    let (mut trap_told, mut was_reset) = (false, true);
    let (mut lag, mut percent, mut phase, mut live) = (0, 50, 0, false);
    let mut seen = Seen::default();
    for clock in 0..clocks {
        if phase == 0 {
            (percent, phase) = (*s.pick(&[0, 2, 5, 40, 90, 100]), s.between(1, 60));
            live = if clock < 30 { false } else { s.percent(85) };
        }
        phase -= 1;
        let reset = clock < 2 || s.per_64k(60);
        let (mut shown, mut group, mut halted) =
            (Shown { icount: 9, ilastsize: true, ..Shown::default() }, Vec::new(), false);
        let mut trap = false;
        if s.percent(percent) {
            let first = *steps.last().unwrap();
            if first.trapped && !trap_told {
                // told by a trap without an instruction, or by the hart being halted, which tells no address of a jump before
                (trap_told, trap) = (true, jumped || s.percent(70));
                halted = !trap;
                if trap {
                    shown = Shown::trap(s.between(1, 2) as u8, gone);
                }
            } else {
                let size = s.between(2, u64::from(HALFWORDS)) as u8;
                let next: Vec<Retired> = steps.iter().rev().take(HALFWORDS.into()).copied().collect();
                let n = length(&next, xlen, size);
                group = next[..n].to_vec();
                steps.truncate(steps.len() - n);
                shown = Shown::of(&group, xlen);
                gone = group[n - 1].next_pc;
                jumped = matches!(shown.itype, 3 | 8 | 10 | 12 | 13);
                seen.long = seen.long.max(n);
                trap_told = false;
            }
        }
        let noise = s.below(1 << 20);
        let set = |u: &mut Blocks<W>| {
            u.reset.next = reset;
            u.live.next = live;
            u.itype.next = u64::from(shown.itype).to_bits();
            u.iaddr.next = shown.iaddr.to_bits();
            u.iretire.next = u64::from(shown.iretire).to_bits();
            u.ilastsize.next = shown.ilastsize;
            u.icount.next = u64::from(shown.icount).to_bits();
            u.halted.next = halted;
            u.hart_reset.next = halted && noise & 1 == 1;
            u.cause.next = (noise & 31).to_bits();
            u.tval.next = noise.to_bits();
            u.privilege.next = (noise & 3).to_bits();
            u.context_id.next = noise.to_bits();
            u.trigger.next = (noise & 15).to_bits();
        };
        let get = |u: &Blocks<W>| {
            let b = &u.beat;
            let kind = [&b.branch, &b.look, &b.push, &b.pop, &b.jump].map(|s| s.val());
            let numbers = [&b.pc, &b.link, &b.target].map(|a| a.val().to_u64());
            let count = if b.valid.val() { u.more.val().to_u64() + 1 } else { 0 };
            let flags = (b.live.val(), u.choked.val(), b.intr.val(), b.taken.val());
            (flags, kind, numbers, count, u.step.val().to_u64())
        };
        let ((is_live, choked, intr, taken), kinds, numbers, count, step) = d.cycle(set, get).unwrap();
        if let Some(row) = row {
            let place = format!("seed {seed}, clock {clock}: {row:x?}");
            assert_eq!((is_live, choked, count), (row.live, row.choked, row.count.into()), "{place}");
            if params.timestamps && !was_reset {
                assert_eq!(step, u64::from(lag + 1 - row.lag), "{place}, lag {lag}");
            }
            if let (Some(r), true) = (row.event, row.live) {
                assert_eq!((kinds, intr), (kind(&r, xlen), r.trapped), "{place}");
                let address = |a: u64| (a & (u64::MAX >> (64 - xlen))) >> params.align;
                assert_eq!(numbers[0], address(r.pc), "{place}");
                if kinds[0] {
                    assert_eq!(taken, r.next_pc != r.pc.wrapping_add(r.len.into()), "{place}");
                }
                if kinds[2] || kinds[3] {
                    assert_eq!(numbers[1], address(r.pc.wrapping_add(r.len.into())), "{place}");
                }
                // of direct jumps and branches a port of blocks tells no target, and none is looked at
                if kinds[1] || kinds[3] {
                    assert_eq!(numbers[2], address(r.next_pc), "{place}");
                }
            }
            lag = row.lag;
            seen.rows += usize::from(row.live && row.event.is_some());
            seen.choked += usize::from(row.choked);
            seen.lag = seen.lag.max(row.lag);
        }
        was_reset = reset;
        if reset {
            (hold, golden) = new();
            row = Some(Row { live: false, count: 0, event: None, choked: false, lag: 0 });
            trap_told = false;
        } else {
            let event = |r: &Retired| r.trapped || itype(r, xlen) != 0;
            let (released, late) = hold.clock(group, trap);
            row = Some(golden.late(released.iter().map(|r| (*r, event(r))), live, late));
        }
    }
    d.check_verilog().unwrap();
    seen
}

fn params(xlen: u8, align: u8) -> TraceParams {
    TraceParams::new(Platform { xlen, align, timestamps: true, ..Platform::RV32 }, "tr_e:small".parse().unwrap())
}

#[test]
fn beats_of_blocks_are_those_of_the_model() {
    let clocks = rounds(6_000, 200_000);
    for (seed, log2_words, xlen, align) in [(1, 2, 32, 1), (2, 3, 32, 2), (3, 2, 64, 1)] {
        let p = params(xlen, align);
        let seen = match xlen {
            64 => drive::<64>(&p, log2_words, seed, clocks),
            _ => drive::<32>(&p, log2_words, seed, clocks),
        };
        eprintln!(
            "{xlen}, {align}: {} rows, {} gaps, lag {}, {} in a block",
            seen.rows, seen.choked, seen.lag, seen.long
        );
        assert!(seen.rows > clocks / 12 && seen.lag > 40 && seen.long > 6, "{} rows, lag {}", seen.rows, seen.lag);
    }
}

#[test]
fn adapters_pass_the_static_checks() {
    emit_checked(&mut Blocks::<32>::new(&params(32, 1), blocks(3))).unwrap();
    emit_checked(&mut Blocks::<64>::new(&params(64, 2), blocks(4))).unwrap();
}

/// A module that shows what a beat file holds as blocks: the fields of one are in `rvfi_pc_wdata`.
const PLAYER: &str = "
module blocks_player(input clock, input reset, input valid_0, input intr_0, input [31:0] pc_0, input [31:0] next_0,
  input [31:0] insn_0, input [2:0] bus_addr, input bus_write, input [31:0] bus_wdata, output [31:0] bus_rdata,
  output valid, input ready, output [31:0] data);
  goshawk_system system(.clock(clock), .reset(reset), .itype_0(valid_0 ? next_0[11:8] : 4'd0), .iaddr_0(pc_0),
    .iretire_0(valid_0 ? next_0[3:0] : 4'd0), .ilastsize_0(next_0[12]), .icount_0(next_0[7:4]), .cause_0(5'd0),
    .tval_0(32'd0), .privilege_0(2'd3), .context_id_0(32'd0), .trigger_0(4'd0), .halted_0(1'b0), .hart_reset_0(1'b0),
    .bus_addr(bus_addr), .bus_write(bus_write), .bus_wdata(bus_wdata), .bus_rdata(bus_rdata), .valid(valid),
    .ready(ready), .data(data));
endmodule
";

fn build(params: &TraceParams, log2_words: u8) -> TraceCosim {
    let extras = Extras { retire: Some(blocks(log2_words)), ..Extras::default() };
    let options = SystemOptions { ingress: Ingress::Blocks, log2_fifo: 4, extras };
    let system = emit_as(params, &options, &Style { name: "goshawk_system".into(), initial: true }).unwrap();
    let name = |_: usize, name: &str| match name {
        "pc_rdata" => "pc_0".into(),
        "pc_wdata" => "next_0".into(),
        other => format!("{other}_0"),
    };
    let ports = TracePorts::rvfi(1, 32, name, |name| name.into());
    TraceCosim::build(&format!("{PLAYER}{system}"), &ports).unwrap()
}

/// Blocks of any size as a beat file, and the words that come.
fn play(sim: &TraceCosim, retired: &[Retired], seed: u64) -> (Vec<u32>, u32) {
    let mut s = Source::seeded(seed);
    let file = NamedTempFile::new().unwrap();
    let mut w = Writer::new(BufWriter::new(file.reopen().unwrap()), 1, 32).unwrap();
    let (mut at, mut cycle) = (0, 0);
    let mut put = |block: Shown, cycle| {
        let next = u64::from(block.iretire)
            | u64::from(block.icount) << 4
            | u64::from(block.itype) << 8
            | u64::from(block.ilastsize) << 12;
        let r = Retired { cycle, hart: 0, trapped: false, len: 4, pc: block.iaddr, next_pc: next, insn: 0x13 };
        w.push(&r).unwrap();
    };
    while at < retired.len() {
        if retired[at].trapped && at > 0 {
            cycle += 1;
            put(Shown::trap(1, retired[at - 1].next_pc), cycle);
        }
        let n = length(&retired[at..(at + 15).min(retired.len())], 32, s.between(2, 15) as u8);
        let block = Shown::of(&retired[at..at + n], 32);
        // not faster than the core retired
        cycle = (cycle + 1).max(retired[at + n - 1].cycle);
        put(block, cycle);
        at += n;
    }
    // the last one may be a return: it is told by a trap behind it
    put(Shown::trap(1, retired[retired.len() - 1].next_pc), cycle + 1);
    w.finish().unwrap();
    let mut got = Vec::new();
    let options = TraceOptions { gap: 100, ..TraceOptions::default() };
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    (got, summary.overflow)
}

/// Words of a core that retires one instruction a clock.
fn single(params: &TraceParams, events: &[FlowEvent]) -> Vec<u32> {
    let mut golden = System::new(params).unwrap();
    events.iter().for_each(|e| golden.event(e));
    golden.finish(events.last().map_or(0, |e| e.cycle));
    golden.drain().collect()
}

#[test]
fn all_programs_as_blocks_send_the_words_of_single_instructions() {
    let p = TraceParams::new(Platform::RV32, "tr_e:small".parse().unwrap());
    let sim = build(&p, 2);
    for info in programs::PROGRAMS {
        let program = info.load().unwrap();
        let (events, _) = run(&program, 1, rounds(20_000, 200_000));
        let (mut x, mut retired) = (Expander::new(&program, 1), Vec::new());
        events.iter().for_each(|e| x.event(e, &mut |r| retired.push(*r)).unwrap());
        x.finish(&mut |r| retired.push(*r)).unwrap();
        let (got, overflow) = play(&sim, &retired, 7);
        assert_eq!(overflow, 0, "{}: something was lost", info.name);
        assert!(got == single(&p, &events), "{}: words differ", info.name);
    }
}

#[test]
fn traps_between_blocks_send_the_words_of_single_instructions() {
    for scheme in ["tr_e:m4", "nx_b"] {
        let p = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        let run = record(&Model::new(&Shape::rv32(5)), &Config::new(1, 7), rounds(20_000, 200_000));
        // slow enough for 16 places
        let slow: Vec<_> = run.retired.iter().map(|r| Retired { cycle: r.cycle * 8, ..*r }).collect();
        let (got, overflow) = play(&build(&p, 3), &slow, 9);
        assert_eq!(overflow, 0, "{scheme}: something was lost");
        assert!(got == single(&p, &run.events), "{scheme}: words differ");
    }
}
