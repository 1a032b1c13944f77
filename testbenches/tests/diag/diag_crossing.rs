//! `hdl/src/diag/generator/crossing.rs` with `hdl/src/widget/cross_mem.rs` against the golden crossing, edge by edge, and on the chip
//!
//! Core and chip have unrelated clocks, of any ratio and phase, and cores retire in bursts or at random. Each of them is reset
//! at random, alone or with the other. Every instruction arrives once, complete and in order, and the first after a reset is
//! marked; if the core is too fast, missing ones are reported. The Verilog is run with the same
//! edges. On the chip, every hit makes one event, in the order of its core, with the time stamp that the crossing gives;
//! after a missing instruction, every event reports losses.

use crate::diag_chip::{Bench, WRITES_X10};
use crate::diag_harness::check_verilog;
use fpga::cosim::Cosim;
use hdl::diag::chip::{ChipError, DiagChip, DiagParams};
use hdl::diag::generator::crossing::CoreCrossing;
use hdl::drive::{sample, Dir, Interface, Port};
use hdl::verilog::{write, Style};
use rust_hdl::prelude::*;
use sim::diag::crossing::{Crossing, Edge, LATENCY};
use sim::diag::interface::UNKNOWN;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Packet, HOST};
use sim::diag::registers;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use sim::stimulus::Source;
use testbenches::driver::Driver;
use testbenches::gates::{emit_checked, emit_checked_system};

/// All pins of a core, in the order of the fields of `RetiredOut` without `valid`.
type Pins = [u64; 13];

const BITS: [usize; 13] = [32, 1, 1, 32, 32, 5, 32, 32, 4, 4, 32, 32, 8];

/// Half periods of the slower clock for which both resets last at the begin: at least four cycles of each clock, and until the
/// chip has seen it.
const POWER_UP: u64 = 20;

/// Input and output values at each time, the clocks among the inputs.
type Record = Vec<(Vec<u128>, Vec<u128>)>;

/// All ports, with `core_clock`, the first clock, as the last input.
fn interface(block: &CoreCrossing) -> Interface {
    let mut interface = Interface::of(block);
    let clock = interface.clock.take().unwrap();
    interface.ports.push(Port { name: clock, width: 1, dir: Dir::Input });
    interface.ports.iter_mut().for_each(|p| p.name = p.name.trim_start_matches("pins$").replace('$', "_"));
    interface
}

fn put(record: &mut Record, block: &CoreCrossing) {
    let (mut inputs, outputs) = sample(block);
    inputs.push(u128::from(block.core_clock.val().clk));
    record.push((inputs, outputs));
}

/// The Verilog has the recorded outputs, from random registers and memories on. What is shown is compared if it is valid.
fn same_in_verilog(d: &Driver<CoreCrossing>, record: &Record, power_up: u64, seed: u32) {
    let written = write(&d.uut, &Style { name: "top".into(), initial: false }).unwrap();
    let cosim = Cosim::build(&written.text, &interface(&d.uut)).unwrap().with_random_state(seed);
    let valid = cosim.output("retired_valid").unwrap();
    let names: Vec<String> = cosim.outputs().iter().map(|p| p.name.clone()).collect();
    let vectors = record.iter().map(|r| r.0.clone()).collect::<Vec<_>>();
    let cycles = cosim.run(vectors, |cycle, got| {
        let want = &record[cycle as usize].1;
        for (i, name) in names.iter().enumerate().filter(|_| cycle >= 2 * power_up) {
            if want[valid] == 1 || i == valid || name == "overrun" {
                assert_eq!(got[i], want[i], "Verilog, seed {seed}, time {}, {name}", cycle / 2);
            }
        }
    });
    assert_eq!(cycles.unwrap(), record.len() as u64);
}

/// Runs with these half periods and random resets; returns how many instructions arrived, and whether one was missing.
fn cross(core_half: u64, chip_half: u64, retires: u8, seed: u64) -> (usize, bool) {
    let mut s = Source::seeded(seed);
    let mut d = Driver::new(CoreCrossing::new(), |_, _| ()).unwrap();
    let power_up = POWER_UP * core_half.max(chip_half);
    let (mut golden, mut arrived, mut sent) = (Crossing::<Pins>::default(), Vec::new(), Vec::new());
    let (phase, mut pins, mut record) = (s.below(2 * chip_half), None, Record::new());
    // bursts at the full rate, and pauses
    let (mut bursts, mut burst) = (0, 0);
    // until when each reset lasts, how many there were, and whether the chip was closed by one; what arrived last
    let (mut until, mut resets, mut closed, mut last) = ([power_up; 2], [0; 2], 0, None::<usize>);
    let (mut missing, mut overruns, mut before_reset) = (false, 0, 0);
    for time in 0..20_000 {
        let edge = |half: u64, at: u64| (at % half == 0).then_some((at / half) % 2 == 0);
        let (core, chip) = (edge(core_half, time), edge(chip_half, time + phase));
        if time > power_up && s.per_64k(60) {
            let side = s.below(2) as usize;
            // the chip may be reset again when the last reset is over
            if side == 0 || golden.is_open() {
                until[side] = time + s.below(8 * core_half.max(chip_half));
            }
        }
        let [core_reset, reset] = until.map(|until| time < until);
        (d.uut.core_reset.next, d.uut.reset.next) = (core_reset, reset);
        d.settle().unwrap();
        let place = format!("{core_half}:{chip_half}, seed {seed}, time {time}");
        let r = &d.uut.retired;
        let found: Pins = [
            r.insn.val().to_u64(),
            r.trap.val().into(),
            r.intr.val().into(),
            r.pc_rdata.val().to_u64(),
            r.pc_wdata.val().to_u64(),
            r.rd_addr.val().to_u64(),
            r.rd_wdata.val().to_u64(),
            r.mem_addr.val().to_u64(),
            r.mem_rmask.val().to_u64(),
            r.mem_wmask.val().to_u64(),
            r.mem_rdata.val().to_u64(),
            r.mem_wdata.val().to_u64(),
            r.cause.val().to_u64(),
        ];
        let edge = |edge: Option<bool>, reset| match edge {
            Some(true) if reset => Edge::Reset,
            edge => (edge == Some(true)).into(),
        };
        let (core_edge, chip_edge) = (edge(core, core_reset), edge(chip, reset));
        if time >= power_up {
            let first = golden.output().map(|pins| (*pins, golden.is_first()));
            assert_eq!(r.valid.val().then_some((found, r.first.val())), first, "{place}");
            assert_eq!(d.uut.overrun.val(), golden.overrun(), "{place}");
            missing |= golden.overrun();
            overruns += usize::from(golden.overrun());
            closed += usize::from(chip_edge != Edge::None && !golden.is_open());
            if let (Edge::Clock, Some(pins)) = (chip_edge, golden.output()) {
                // those from before a reset of the chip do not arrive after it
                let from = last.map_or(before_reset, |l| l + 1);
                let at = from + sent[from..].iter().position(|p| p == pins).expect(&place);
                assert!(last.is_none() || golden.overrun() || missing || at == from, "{place}: {at}, not {from}");
                last = Some(at);
                arrived.push(*pins);
            }
            if chip_edge == Edge::Reset {
                (last, missing, before_reset) = (None, false, sent.len());
            }
            resets[0] += usize::from(core_edge == Edge::Reset);
            resets[1] += usize::from(chip_edge == Edge::Reset);
        }
        if core_edge == Edge::Clock {
            sent.extend(pins);
        }
        golden.clock(core_edge, chip_edge, pins);
        core.into_iter().for_each(|high| d.uut.core_clock.next = high.into());
        chip.into_iter().for_each(|high| d.uut.clock.next = high.into());
        d.settle().unwrap();
        put(&mut record, &d.uut);
        if core == Some(true) {
            if s.per_64k(1_000) {
                (bursts, burst) = (bursts + 1, 1 + s.below(40));
            }
            let full_rate = burst > 0;
            burst = burst.saturating_sub(1);
            pins = (full_rate || s.percent(retires)).then(|| BITS.map(|bits| s.bits(bits as u32)));
            let p = pins.unwrap_or_else(|| BITS.map(|bits| s.bits(bits as u32)));
            let u = &mut d.uut.pins;
            u.rvfi.valid.next = pins.is_some();
            u.rvfi.insn.next = p[0].to_bits();
            u.rvfi.trap.next = p[1] == 1;
            u.rvfi_intr.next = p[2] == 1;
            u.rvfi_pc_rdata.next = p[3].to_bits();
            u.rvfi_pc_wdata.next = p[4].to_bits();
            u.rvfi.rd_addr.next = p[5].to_bits();
            u.rvfi.rd_wdata.next = p[6].to_bits();
            u.rvfi.mem_addr.next = p[7].to_bits();
            u.rvfi.mem_rmask.next = p[8].to_bits();
            u.rvfi.mem_wmask.next = p[9].to_bits();
            u.rvfi.mem_rdata.next = p[10].to_bits();
            u.rvfi.mem_wdata.next = p[11].to_bits();
            u.cause.next = p[12].to_bits();
            d.settle().unwrap();
        }
        put(&mut record, &d.uut);
    }
    assert!(bursts > 5 && resets[0] > 3 && resets[1] > 3 && closed > 9, "{bursts}, {resets:?}, {closed}");
    same_in_verilog(&d, &record, power_up, seed as u32);
    (arrived.len(), overruns > 0)
}

#[test]
fn a_chip_that_is_as_fast_as_the_core_misses_nothing() {
    for (core, chip) in [(7, 1), (7, 2), (3, 2), (5, 5), (6, 5), (21, 20)] {
        for retires in [40, 100] {
            let (arrived, missing) = cross(core, chip, retires, 7 * core + chip + u64::from(retires));
            assert!(!missing, "{core}:{chip}, {retires} %");
            let edges = 20_000 / (2 * core) as usize;
            assert!(arrived * 100 + 12_000 > edges * usize::from(retires), "{core}:{chip}: {arrived} of {edges}");
        }
    }
}

#[test]
fn a_core_that_is_too_fast_is_reported() {
    for (core, chip) in [(1, 7), (2, 7), (5, 9)] {
        let (arrived, missing) = cross(core, chip, 100, core + chip);
        assert!(missing && arrived > 500, "{core}:{chip}: {arrived}");
    }
}

const CORES: usize = 3;
const HIT: u32 = 0x100;

/// The clocks of the two cores that have their own, in 1024ths of a cycle of the chip for each level.
struct Clocks {
    step: [u64; CORES - 1],
    at: [u64; CORES - 1],
    high: [bool; CORES - 1],
}

impl Clocks {
    /// Lets a cycle of the chip pass; returns which clocks rise, and which fall.
    fn pass(&mut self, bench: &mut Bench, reset: [bool; CORES - 1]) -> [(bool, bool); CORES - 1] {
        std::array::from_fn(|i| {
            self.at[i] += 1024;
            let toggles = self.at[i] >= self.step[i];
            if toggles {
                self.at[i] -= self.step[i];
                self.high[i] = !self.high[i];
            }
            bench.d.uut.core_clock[i].next = self.high[i].into();
            bench.d.uut.core_reset[i].next = reset[i];
            (toggles && self.high[i], toggles && !self.high[i])
        })
    }
}

fn params(generator: GeneratorParams) -> DiagParams {
    let nodes = vec![NodeKind::Count(64)];
    DiagParams { cores: CORES as u8, generator, outside: vec![], nodes, windows: false, masters: 0, clocked: 2 }
}

/// A chip whose cores have these steps, and whose generators send hits to the host; and the cycle of its reset's end.
fn start(generator: GeneratorParams, step: [u64; CORES - 1], seed: u64) -> (Bench, Clocks, u64) {
    let mut bench = Bench::new(&params(generator), seed, 90);
    let mut clocks = Clocks { step, at: [0, 300], high: [false; 2] };
    for _ in 0..20 {
        clocks.pass(&mut bench, [true; 2]);
        bench.clock(true, &[]);
    }
    let start = bench.d.cycles();
    // the core's side sees the end of the reset when its clock runs
    for _ in 0..40 {
        clocks.pass(&mut bench, [false; 2]);
        bench.clock(false, &[]);
    }
    let slot = Slot {
        trigger: Trigger::Pc(HIT.into()),
        event: 1,
        dest: HOST,
        captures: Vec::new(),
        stamped: true,
        yields: false,
    };
    for core in 0..CORES as u8 {
        let slots = [slot.clone()];
        bench.set(core, &if generator.lite { registers::lite(&slots, 32) } else { registers::full(&slots, 32) });
    }
    (bench, clocks, start)
}

/// Hits of each core are the events of its generator; the last core has the clock of the chip.
fn on_chip(generator: GeneratorParams, seed: u64) {
    let (mut bench, mut clocks, start) = start(generator, [1_100, 2_777], seed);
    let mut s = Source::seeded(seed);
    let mut at_pins: [Option<u32>; CORES] = [None; CORES];
    let mut want: [Vec<u32>; CORES] = Default::default();
    let retire = |s: &mut Source, left: u64| {
        let pc = match left {
            0..300 => return None,
            _ if s.percent(2) => HIT,
            _ => *s.pick(&[0x102, 0x200, 0x1000_0100]),
        };
        s.percent(60).then_some(pc)
    };
    // until when each core with its own clock is reset; it retires nothing then
    let (cycles, mut until, mut resets) = (5_000, [u64::MAX; CORES - 1], 0);
    for left in (0..cycles).rev() {
        let now = (bench.d.cycles() - start) as u32;
        let reset = until.map(|until| left > until);
        for (i, (rises, falls)) in clocks.pass(&mut bench, reset).into_iter().enumerate() {
            if rises && at_pins[i] == Some(HIT) {
                // the core's edge is before that of the chip in this cycle: it is shown two cycles later
                want[i].push(now + 2 - LATENCY as u32);
            }
            if falls {
                if !reset[i] && s.percent(1) {
                    (until[i], resets) = (left - s.below(left.min(30) + 1), resets + 1);
                }
                at_pins[i] = if left > until[i] { None } else { retire(&mut s, left) };
            }
        }
        at_pins[CORES - 1] = retire(&mut s, left);
        if at_pins[CORES - 1] == Some(HIT) {
            want[CORES - 1].push(now);
        }
        bench.clock(false, &at_pins.map(|pc| pc.map(|pc| (pc, pc + 4))));
    }
    let mut found: [Vec<u32>; CORES] = Default::default();
    for event in bench.arrived.iter().filter_map(Packet::as_event) {
        assert_eq!((event.id, event.lost), (1, 0), "{event:?}");
        found[usize::from(event.core)].push(event.time.unwrap());
    }
    println!("{generator:?}: {:?} events", want.each_ref().map(Vec::len));
    assert!(want.iter().all(|w| w.len() >= 4) && resets > 10, "{want:?}, {resets}");
    assert_eq!(found, want);
    check_verilog(&bench.d, seed as u32);
}

#[test]
fn lite_generators_of_cores_with_other_clocks_see_every_hit() {
    on_chip(GeneratorParams::LITE, 51);
}

#[test]
fn full_generators_of_cores_with_other_clocks_see_every_hit() {
    on_chip(GeneratorParams::FULL, 52);
}

/// An event with a register from before a reset of its core is lost, until the register is written again.
#[test]
fn registers_from_before_a_reset_of_the_core_are_not_captured() {
    let (mut bench, mut clocks, _) = start(GeneratorParams::FULL, [1_024, 1_024], 54);
    let captures = vec![Capture::Register(10)];
    let trigger = Trigger::Pc(HIT.into());
    let slots = [Slot { trigger, event: 1, dest: HOST, captures, stamped: false, yields: false }];
    bench.set(1, &registers::full(&slots, 32));
    let mut steps = [Some(WRITES_X10), Some(HIT), None, Some(HIT), Some(WRITES_X10), Some(HIT)].into_iter();
    let (mut step, mut at_pins) = (None, None);
    for cycle in 0..1_000 {
        if cycle % 100 == 0 {
            step = steps.next();
        }
        // one edge of the core each
        let reset = cycle % 100 < 4 && step == Some(None);
        let (_, falls) = clocks.pass(&mut bench, [false, reset])[1];
        if falls {
            let pc = step.flatten().filter(|_| cycle % 100 < 50);
            at_pins = pc.map(|pc| (pc, pc + 4));
            step = step.filter(|s| s.is_none());
        }
        bench.clock(false, &[None, at_pins, None]);
    }
    let events: Vec<_> = bench.arrived.iter().filter_map(Packet::as_event).collect();
    let found: Vec<_> = events.iter().map(|e| (e.core, e.lost, e.args.to_vec())).collect();
    let args = vec![WRITES_X10 + 4];
    assert_eq!(found, [(1, 0, args.clone()), (1, 1, args)]);
    check_verilog(&bench.d, 54);
}

/// Twelve instructions of a core retire in one cycle of the chip: four are missing.
#[test]
fn events_after_a_missing_instruction_report_losses() {
    let (mut bench, mut clocks, _) = start(GeneratorParams::LITE, [1_024, 1_024], 53);
    let (mut at_pins, mut hits) = (None, 0);
    for cycle in 0..1_600 {
        let (rises, falls) = clocks.pass(&mut bench, [false; 2])[1];
        hits += usize::from(rises && at_pins.is_some());
        if falls {
            at_pins = (cycle % 40 < 2 && cycle < 1_200).then_some((HIT, HIT + 4));
        }
        bench.clock(false, &[None, at_pins, None]);
        if cycle == 620 {
            for high in [false, true].repeat(12) {
                let u = &mut bench.d.uut;
                u.pins[1].rvfi.valid.next = true;
                u.pins[1].rvfi_pc_rdata.next = u64::from(HIT).to_bits();
                u.core_clock[1].next = high.into();
                bench.d.settle().unwrap();
            }
            (at_pins, clocks.high[1]) = (None, true);
            bench.d.uut.pins[1].rvfi.valid.next = false;
            bench.d.settle().unwrap();
            hits += 8;
        }
    }
    let events: Vec<_> = bench.arrived.iter().filter_map(Packet::as_event).collect();
    let first = events.iter().position(|e| e.lost > 0).unwrap();
    assert_eq!(events.len(), hits);
    assert!(first >= 10 && hits > first + 20, "{first} of {hits}");
    assert!(events[first..].iter().all(|e| e.lost == UNKNOWN), "{events:?}");
}

#[test]
fn what_would_be_late_at_the_core_is_refused() {
    let error = |p: DiagParams| DiagChip::new(&p).err().unwrap();
    let lite = params(GeneratorParams::LITE);
    let stalls = GeneratorParams { stalls: true, ..GeneratorParams::FULL };
    assert_eq!(error(params(stalls)), ChipError::Late("stalls"));
    assert_eq!(error(DiagParams { windows: true, ..lite.clone() }), ChipError::Late("trace windows"));
    assert_eq!(error(DiagParams { clocked: 4, ..lite }), ChipError::Clocks(3, 4));
}

#[test]
fn crossings_pass_the_static_gates() {
    emit_checked(&mut CoreCrossing::new()).unwrap();
    emit_checked_system(&mut DiagChip::new(&params(GeneratorParams::FULL)).unwrap()).unwrap();
}
