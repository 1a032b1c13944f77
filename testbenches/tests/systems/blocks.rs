//! `hdl/src/ingress/{blocks,held,block_report}.rs` against `sim/src/beats/{blocks,wide}.rs`, clock by clock; and systems with it, emitted and under
//! Verilator: what retires as blocks sends the words of single instructions

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{build as build_system, emit_as, Ingress, SystemOptions};
use hdl::ingress::beat::BeatOut;
use hdl::ingress::blocks::{Blocks, BlocksTwo};
use hdl::spine::{Extras, Retire};
use hdl::sweep::Ports;
use hdl::verilog::Style;
use retire::isa::{flow, Flow, Indirect};
use retire::{FlowEvent, RetireSink};
use rust_hdl::prelude::*;
use sim::beats::blocks::{itype, length, narrow, Block as Shown, Hold, HALFWORDS};
use sim::beats::wide::{Compressor, Row};
use sim::beats::{Expander, Retired, Writer};
use sim::params::{Platform, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config, Run};
use sim::stimulus::{rounds, Source};
use sim::system::System;
use std::io::BufWriter;
use tempfile::NamedTempFile;
use testbenches::check::run;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// How a core reports what it retires.
#[derive(Clone, Copy)]
struct Port {
    /// Blocks per cycle.
    per_cycle: u8,
    /// Whether `itype` has 3 bits.
    narrow_itype: bool,
    log2_words: u8,
    /// With resyncs: the target of every control-flow instruction is needed, so all wait for an address.
    with_resyncs: bool,
}

impl Port {
    const fn new(per_cycle: u8, narrow_itype: bool, log2_words: u8) -> Self {
        Self { per_cycle, narrow_itype, log2_words, with_resyncs: false }
    }

    const fn with_resyncs(self) -> Self {
        Self { with_resyncs: true, ..self }
    }

    fn extras(self) -> Extras {
        let retire = Some(Retire { per_cycle: self.per_cycle, log2_words: self.log2_words });
        Extras { retire, itype3: self.narrow_itype, sync: self.with_resyncs, ..Extras::default() }
    }

    /// The block of `run`.
    fn shown(self, run: &[Retired], xlen: u8) -> Shown {
        let block = Shown::of(run, xlen);
        Shown { itype: if self.narrow_itype { narrow(block.itype) } else { block.itype }, ..block }
    }
}

/// Flags of an instruction in a beat: `branch`, `lookup`, `push`, `pop`, `jump`.
fn kind(r: &Retired, xlen: u8, narrow_itype: bool) -> [bool; 5] {
    let (mut branch, mut lookup, mut push, mut pop, mut jump) = (false, false, false, false, false);
    match flow(r.insn, xlen) {
        Flow::Sequential => {}
        Flow::Conditional { .. } => branch = true,
        Flow::Jump { call, .. } => (jump, push) = (true, call && !narrow_itype),
        Flow::Indirect(_) if narrow_itype => lookup = true,
        Flow::Indirect(Indirect::Jump) | Flow::TrapReturn => lookup = true,
        Flow::Indirect(Indirect::Call) => (lookup, push) = (true, true),
        Flow::Indirect(Indirect::Return) => pop = true,
        Flow::Indirect(Indirect::CoSwap) => (pop, push) = (true, true),
    }
    [branch, lookup, push, pop, jump]
}

/// An adapter for one or more blocks per cycle.
trait Adapter: Ports {
    const XLEN: u8;
    fn make(params: &TraceParams, extras: Extras) -> Self;
    fn set_clock(&mut self, high: bool);
    fn control(&mut self, reset: bool, live: bool, halted: bool, noise: u64);
    fn show(&mut self, lane: u8, shown: Shown);
    fn outputs(&self) -> BeatOutputs;
}

/// Outputs of an adapter: `live`, `beat_lost`, `intr`, `taken`; the flags; `pc`, `link`, `target`; instructions, cycles.
type BeatOutputs = ([bool; 4], [bool; 5], [u64; 3], [u64; 2]);

fn outputs<const W: usize>(b: &BeatOut<W>, beat_lost: bool, more: u64, step: u64) -> BeatOutputs {
    let kind = [&b.branch, &b.lookup, &b.push, &b.pop, &b.jump].map(|s| s.val());
    let numbers = [&b.pc, &b.link, &b.target].map(|a| a.val().to_u64());
    let count = if b.valid.val() { more + 1 } else { 0 };
    ([b.live.val(), beat_lost, b.intr.val(), b.taken.val()], kind, numbers, [count, step])
}

macro_rules! adapter {
    ($name:ident, $blocks:literal, $([$j:literal $($shown:ident).+])+) => {
        impl<const W: usize> Adapter for $name<W> {
            const XLEN: u8 = W as u8;
            fn make(params: &TraceParams, extras: Extras) -> Self {
                Self::with(params, extras)
            }
            fn set_clock(&mut self, high: bool) {
                self.clock.next = high.into();
            }
            fn control(&mut self, reset: bool, live: bool, halted: bool, noise: u64) {
                self.port.reset.next = reset;
                self.port.live.next = live;
                self.port.open.next = true;
                self.port.pins.halted.next = halted;
                self.port.pins.hart_reset.next = halted && noise & 1 == 1;
                self.port.pins.cause.next = (noise & 31).to_bits();
                self.port.pins.tval.next = noise.to_bits();
                self.port.pins.privilege.next = (noise & 3).to_bits();
                self.port.pins.context_id.next = noise.to_bits();
                self.port.pins.trigger.next = (noise & 15).to_bits();
            }
            fn show(&mut self, lane: u8, shown: Shown) {
                match lane {
                    $($j => {
                        self.port.$($shown).+.itype.next = u64::from(shown.itype).to_bits();
                        self.port.$($shown).+.iaddr.next = shown.iaddr.to_bits();
                        self.port.$($shown).+.iretire.next = u64::from(shown.iretire).to_bits();
                        self.port.$($shown).+.ilastsize.next = shown.ilastsize;
                        self.port.$($shown).+.icount.next = u64::from(shown.icount).to_bits();
                    })+
                    _ => panic!("block {lane} of {}", $blocks),
                }
            }
            fn outputs(&self) -> BeatOutputs {
                outputs(&self.port.beat, self.port.beat_lost.val(), self.port.more.val().to_u64(), self.port.step.val().to_u64())
            }
        }
    };
}
adapter!(Blocks, 1, [0 pins]);
adapter!(BlocksTwo, 2, [0 pins.block0] [1 pins.block1]);

#[derive(Default)]
struct Seen {
    rows: usize,
    beat_lost: usize,
    lag: u32,
    long: usize,
}

/// Drives random block boundaries, bubbles, traps with and without an instruction, halts, resets, and tracing that goes
/// on and off.
fn drive<T: Adapter>(params: &TraceParams, port: Port, seed: u64, clocks: usize) -> Seen {
    let (xlen, narrow_itype, log2_words) = (T::XLEN, port.narrow_itype, port.log2_words);
    let shape = if xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
    let model = Model::new(&Shape { compressed: params.align == 1, ..shape });
    let config = Config { trap_per_64k: 1_500, ..Config::new(1, seed) };
    let most = clocks * 8 * usize::from(port.per_cycle);
    let mut steps: Vec<Retired> = Run::new(&model, &config).map(|s| s.retired).take(most).collect();
    steps.reverse();
    let mut s = Source::seeded(seed);
    let uut = T::make(params, port.extras());
    let mut d = Driver::new(uut, |u: &mut T, c| u.set_clock(c)).unwrap().recording();
    let hold = || if narrow_itype { Hold::narrow_itype(xlen) } else { Hold::new(xlen) };
    let new = || (hold().all(port.with_resyncs), Compressor::<Retired>::new(log2_words));
    let (mut hold, mut golden) = new();
    let mut row: Option<Row<Retired>> = None;
    // target of the previous instruction
    let (mut previous_target, mut jumped) = (0x1234, false);
    let (mut trap_reported, mut was_reset) = (false, true);
    let (mut lag, mut percent, mut phase, mut live) = (0, 50, 0, false);
    let mut seen = Seen::default();
    for clock in 0..clocks {
        if phase == 0 {
            (percent, phase) = (*s.pick(&[0, 2, 5, 40, 90, 100]), s.between(1, 60));
            live = if clock < 30 { false } else { s.percent(85) };
        }
        phase -= 1;
        let reset = clock < 2 || s.per_64k(60);
        // unused ports carry noise
        let mut shown = vec![Shown { icount: 9, ilastsize: true, ..Shown::default() }; port.per_cycle.into()];
        let (mut group, mut halted, mut trap) = (Vec::new(), false, false);
        for (lane, shown) in shown.iter_mut().enumerate() {
            if !s.percent(percent) {
                continue;
            }
            let first = *steps.last().unwrap();
            if first.trapped && !trap_reported {
                // reported by a trap without an instruction, or by a halted hart, which reports no address of an
                // earlier jump
                let shows = jumped || lane > 0 || s.percent(70);
                (trap_reported, halted) = (true, halted || !shows);
                if shows {
                    (*shown, trap) = (Shown::trap(s.between(1, 2) as u8, previous_target), true);
                }
            } else {
                let size = s.between(2, u64::from(HALFWORDS)) as u8;
                let next: Vec<Retired> = steps.iter().rev().take(HALFWORDS.into()).copied().collect();
                let n = length(&next, xlen, size);
                group.extend(&next[..n]);
                steps.truncate(steps.len() - n);
                *shown = port.shown(&next[..n], xlen);
                // a jump that is neither call nor return has two encodings, depending on its registers
                if s.percent(50) && !narrow_itype {
                    shown.itype = match shown.itype {
                        10 => 14,
                        11 => 15,
                        other => other,
                    };
                }
                previous_target = next[n - 1].next_pc;
                jumped = match itype(&next[n - 1], xlen) {
                    0 => false,
                    4 | 5 => port.with_resyncs,
                    _ => true,
                };
                seen.long = seen.long.max(n);
                (trap_reported, trap) = (false, false);
            }
        }
        let noise = s.below(1 << 20);
        let set = |u: &mut T| {
            u.control(reset, live, halted, noise);
            shown.iter().zip(0..).for_each(|(shown, lane)| u.show(lane, *shown));
        };
        let ([is_live, beat_lost, intr, taken], kinds, numbers, [count, step]) = d.cycle(set, T::outputs).unwrap();
        if let Some(row) = row {
            let place = format!("seed {seed}, clock {clock}: {row:x?}");
            assert_eq!((is_live, beat_lost, count), (row.live, row.beat_lost, row.count.into()), "{place}");
            if params.timestamps && !was_reset {
                assert_eq!(step, u64::from(lag + 1 - row.lag), "{place}, lag {lag}");
            }
            if let (Some(r), true) = (row.event, row.live) {
                let goes_on = r.next_pc == r.pc.wrapping_add(r.len.into());
                let right = kind(&r, xlen, narrow_itype);
                // with a 3-bit itype, a jump to the next instruction is not recognised
                assert!(
                    kinds == right || narrow_itype && goes_on && right[4] && kinds == [false; 5],
                    "{place}: {kinds:?}"
                );
                assert_eq!(intr, r.trapped, "{place}");
                let address = |a: u64| (a & (u64::MAX >> (64 - xlen))) >> params.align;
                assert_eq!(numbers[0], address(r.pc), "{place}");
                if kinds[0] {
                    assert_eq!(taken, !goes_on, "{place}");
                }
                if kinds[2] || kinds[3] {
                    assert_eq!(numbers[1], address(r.pc.wrapping_add(r.len.into())), "{place}");
                }
                // a block port does not report targets of direct jumps and branches that do not wait, and nothing reads
                // them
                if kinds[1] || kinds[3] || port.with_resyncs && (kinds[0] || kinds[4]) {
                    assert_eq!(numbers[2], address(r.next_pc), "{place}");
                }
            }
            lag = row.lag;
            seen.rows += usize::from(row.live && row.event.is_some());
            seen.beat_lost += usize::from(row.beat_lost);
            seen.lag = seen.lag.max(row.lag);
        }
        was_reset = reset;
        if reset {
            (hold, golden) = new();
            row = Some(Row { live: false, count: 0, event: None, beat_lost: false, lag: 0, hidden: false });
            trap_reported = false;
        } else {
            let event = |r: &Retired| {
                let itype = itype(r, xlen);
                r.trapped
                    || if narrow_itype {
                        narrow(itype) != 0 || r.next_pc != r.pc.wrapping_add(r.len.into())
                    } else {
                        itype != 0
                    }
            };
            let (released, with_delay) = hold.clock(group, trap);
            row = Some(golden.with_delay(released.iter().map(|r| (*r, event(r))), live, with_delay));
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
    type Drive = fn(&TraceParams, Port, u64, usize) -> Seen;
    let cases: [(Drive, Port, u8, u8); 8] = [
        (drive::<Blocks<32>>, Port::new(1, false, 2), 32, 1),
        (drive::<Blocks<32>>, Port::new(1, true, 3), 32, 2),
        (drive::<Blocks<64>>, Port::new(1, false, 2), 64, 1),
        (drive::<BlocksTwo<32>>, Port::new(2, false, 2), 32, 1),
        (drive::<BlocksTwo<32>>, Port::new(2, true, 3), 32, 1),
        (drive::<BlocksTwo<64>>, Port::new(2, false, 3), 64, 2),
        (drive::<Blocks<32>>, Port::new(1, false, 2).with_resyncs(), 32, 1),
        (drive::<BlocksTwo<32>>, Port::new(2, true, 3).with_resyncs(), 32, 1),
    ];
    let mut beat_lost = 0;
    for ((drive, port, xlen, align), seed) in cases.into_iter().zip(1..) {
        let seen = drive(&params(xlen, align), port, seed, clocks);
        eprintln!(
            "{xlen}, {align}: {} rows, {} gaps, lag {}, {} in a block",
            seen.rows, seen.beat_lost, seen.lag, seen.long
        );
        assert!(seen.rows > clocks / 12 && seen.lag > 40 && seen.long > 6, "{} rows, lag {}", seen.rows, seen.lag);
        beat_lost += seen.beat_lost;
    }
    assert!(beat_lost > 10, "{beat_lost} gaps");
}

#[test]
fn adapters_pass_the_static_checks() {
    let extras = |per_cycle, narrow_itype, log2_words| Port::new(per_cycle, narrow_itype, log2_words).extras();
    emit_checked(&mut Blocks::<32>::with(&params(32, 1), extras(1, false, 3))).unwrap();
    emit_checked(&mut Blocks::<64>::with(&params(64, 2), extras(1, true, 4))).unwrap();
    emit_checked(&mut BlocksTwo::<32>::with(&params(32, 1), extras(2, true, 3))).unwrap();
}

/// A module that drives the ports of blocks from a beat file, with one core of the file per block: the fields of a
/// block are in `rvfi_pc_wdata`.
fn player(per_cycle: u8) -> String {
    let each = |text: &dyn Fn(u8) -> String| (0..per_cycle).map(text).collect::<String>();
    let inputs = each(&|j| {
        format!("input valid_{j}, input intr_{j}, input [31:0] pc_{j}, input [31:0] next_{j}, input [31:0] insn_{j}, ")
    });
    let ports = each(&|j| {
        let port = |name: &str| if per_cycle == 1 { format!("{name}_0") } else { format!("block{j}_{name}_0") };
        format!(
            ".{}(valid_{j} ? next_{j}[11:8] : 4'd0), .{}(pc_{j}), .{}(valid_{j} ? next_{j}[3:0] : 4'd0), .{}(next_{j}[12]), .{}(next_{j}[7:4]), ",
            port("itype"), port("iaddr"), port("iretire"), port("ilastsize"), port("icount")
        )
    });
    format!(
        "
module blocks_player(input clock, input reset, {inputs}input [2:0] bus_addr, input bus_write, input [31:0] bus_wdata,
  output [31:0] bus_rdata, output valid, input ready, output [31:0] data);
  goshawk_system system(.clock(clock), .reset(reset), {ports}.cause_0(5'd0),
    .tval_0(32'd0), .privilege_0(2'd3), .context_id_0(32'd0), .trigger_0(4'd0), .halted_0(1'b0), .hart_reset_0(1'b0),
    .bus_addr(bus_addr), .bus_write(bus_write), .bus_wdata(bus_wdata), .bus_rdata(bus_rdata), .valid(valid),
    .ready(ready), .data(data));
endmodule
"
    )
}

fn build(params: &TraceParams, port: Port, fifo_address_bits: u8) -> TraceCosim {
    let options = SystemOptions { ingress: Ingress::Blocks, fifo_address_bits, extras: port.extras() };
    let system = emit_as(params, &options, &Style { name: "goshawk_system".into(), initial: true }).unwrap();
    let name = |i: usize, name: &str| match name {
        "pc_rdata" => format!("pc_{i}"),
        "pc_wdata" => format!("next_{i}"),
        other => format!("{other}_{i}"),
    };
    let ports = TracePorts::rvfi(port.per_cycle.into(), 32, name, |name| name.into());
    TraceCosim::build(&format!("{}{system}", player(port.per_cycle)), &ports).unwrap()
}

/// Plays blocks of random sizes as a beat file, and returns the words.
fn play(sim: &TraceCosim, port: Port, retired: &[Retired], seed: u64) -> (Vec<u32>, u32) {
    let mut s = Source::seeded(seed);
    let file = NamedTempFile::new().unwrap();
    let mut w = Writer::new(BufWriter::new(file.reopen().unwrap()), port.per_cycle, 32).unwrap();
    // the cycle, and the first free block in it
    let (mut at, mut cycle, mut lane) = (0, 0, port.per_cycle);
    let mut put = |block: Shown, due: u64| {
        // a block that is overdue shares the cycle of the previous one
        if lane >= port.per_cycle || due > cycle {
            (cycle, lane) = ((cycle + 1).max(due), 0);
        }
        if lane + 1 < port.per_cycle && s.percent(30) {
            lane += 1;
        }
        let next = u64::from(block.iretire)
            | u64::from(block.icount) << 4
            | u64::from(block.itype) << 8
            | u64::from(block.ilastsize) << 12;
        let r = Retired { cycle, hart: lane, trapped: false, len: 4, pc: block.iaddr, next_pc: next, insn: 0x13 };
        w.push(&r).unwrap();
        lane += 1;
    };
    let mut cut = Source::seeded(seed + 1);
    // with several blocks per cycle, the next one may come a few cycles before it retired
    let early = if port.per_cycle > 1 { 6 } else { 0 };
    while at < retired.len() {
        if retired[at].trapped && at > 0 {
            put(Shown::trap(1, retired[at - 1].next_pc), 0);
        }
        let n = length(&retired[at..(at + 15).min(retired.len())], 32, cut.between(2, 15) as u8);
        put(port.shown(&retired[at..at + n], 32), retired[at + n - 1].cycle.saturating_sub(early));
        at += n;
    }
    // the last instruction may be a return: its target is reported by a trap after it
    put(Shown::trap(1, retired[retired.len() - 1].next_pc), 0);
    w.finish().unwrap();
    let mut got = Vec::new();
    let options = TraceOptions { gap: 100, ..TraceOptions::default() };
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    (got, summary.overflow)
}

/// Words of a core that retires one instruction per cycle.
fn single(params: &TraceParams, events: &[FlowEvent]) -> Vec<u32> {
    let mut golden = System::new(params).unwrap();
    events.iter().for_each(|e| golden.event(e));
    golden.finish(events.last().map_or(0, |e| e.cycle));
    golden.drain().collect()
}

#[test]
fn all_programs_as_blocks_send_the_words_of_single_instructions() {
    // two blocks per cycle send more at once
    for (scheme, port, fifo_address_bits) in [
        ("tr_e:small", Port::new(1, false, 2), 4),
        ("tr_e:small", Port::new(2, false, 2), 6),
        ("tr_e:s0", Port::new(2, true, 3), 8),
        // at the start of a stream, all control flow waits
        ("sc-lsp:rbase-32x4", Port::new(2, false, 2), 6),
        ("sc-lsp:base-32x4", Port::new(1, false, 3), 5),
    ] {
        let p = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        let sim = build(&p, port, fifo_address_bits);
        for info in programs::PROGRAMS {
            let program = info.load().unwrap();
            let (events, _) = run(&program, 1, rounds(20_000, 200_000));
            let (mut x, mut retired) = (Expander::new(&program, 1), Vec::new());
            events.iter().for_each(|e| x.event(e, &mut |r| retired.push(*r)).unwrap());
            x.finish(&mut |r| retired.push(*r)).unwrap();
            let (got, overflow) = play(&sim, port, &retired, 7);
            let place = format!("{}, {} a clock", info.name, port.per_cycle);
            assert_eq!(overflow, 0, "{place}: something was lost");
            assert!(got == single(&p, &events), "{place}: words differ");
        }
    }
}

#[test]
fn traps_between_blocks_send_the_words_of_single_instructions() {
    for (scheme, port) in [("tr_e:m4", Port::new(1, false, 3)), ("nx_b", Port::new(2, true, 3))] {
        let p = TraceParams::new(Platform { signature: 16, ..Platform::RV32 }, scheme.parse().unwrap());
        let run = record(&Model::new(&Shape::rv32(5)), &Config::new(1, 7), rounds(20_000, 200_000));
        // slow enough for a FIFO of depth 16
        let slow: Vec<_> = run.retired.iter().map(|r| Retired { cycle: r.cycle * 8, ..*r }).collect();
        let (got, overflow) = play(&build(&p, port, 4), port, &slow, 9);
        assert_eq!(overflow, 0, "{scheme}: something was lost");
        assert!(got == single(&p, &run.events), "{scheme}: words differ");
    }
}

#[test]
fn what_blocks_cannot_tell_is_refused() {
    let of = |scheme: &str, ingress, extras| {
        let params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        build_system(&params, &SystemOptions { ingress, extras, ..SystemOptions::default() })
            .err()
            .map(|e| e.to_string())
    };
    let narrow_itype = Port::new(1, true, 3).extras();
    assert_eq!(of("tr_e:s0", Ingress::Blocks, narrow_itype), None);
    assert_eq!(of("nx_b", Ingress::Blocks, narrow_itype), None);
    let stack = of("tr_e:small", Ingress::Blocks, narrow_itype).unwrap();
    assert!(
        stack.starts_with("`--itype 3`: only with a scheme that predicts no targets, not `--scheme tr_e:small`"),
        "{stack}"
    );
    let rvfi = of("tr_e:s0", Ingress::Rvfi, Extras { itype3: true, ..Extras::default() }).unwrap();
    assert_eq!(rvfi, "`--itype 3`: only with `--ingress etrace-blocks`; other ingresses have no 3-bit `itype`");
    let four = of("tr_e:small", Ingress::Blocks, Port::new(4, false, 3).extras()).unwrap();
    assert_eq!(four, "`--retire 4`: only with `--ingress rvfi`, not `--ingress etrace-blocks`; blocks come one or two a cycle, other ingresses have one channel");
    let deep = of("tr_e:small", Ingress::Blocks, Port::new(2, false, 4).extras()).unwrap();
    assert_eq!(deep, "`--retire-queue 16` with `--ingress etrace-blocks`: only with `--retire 1`, not `--retire 2`; its counter of instructions has ten bits");
}
