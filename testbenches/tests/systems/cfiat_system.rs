//! `hdl/src/scheme/cfiat/{core,encoder,front,queue,system}.rs` against the golden model: whole systems of load values on random
//! ports and on programs, in rust-hdl's simulator and in Verilator
//!
//! For a program, the circuit sends what the model sends for the run; together with the control flow, it is executed
//! again.

use crate::cfiat_harness::{Bench, Dut};
use crate::cfiat_support;
use crate::data_harness::MemPorts;
use crate::inputs_harness::beats::{beat, noise, ports};
use hdl::scheme::cfiat::system::CfiatSystem;
use retire::{DataEvent, DataKind, FlowEvent, Note, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::cfiat::stats::CfiatStats;
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::model::{Access, Beat, Retired};
use sim::scheme::inputs::InputsParams;
use sim::stimulus::{long, rounds, Source};
use std::collections::VecDeque;
use testbenches::driver::CheckVerilog;
use testbenches::gates::emit_checked_system;

const RAM: (u32, u32) = (0x8000_0000, 0x1_0000);

fn params(cores: u8, name: &str) -> CfiatParams {
    CfiatParams::new(cores, RAM, name.parse().unwrap())
}

/// Totals.
#[derive(Debug, Default)]
struct Seen {
    records: u64,
    known: u64,
    failed: u64,
    csrs: u64,
    lost: u64,
}

impl Seen {
    fn add(&mut self, stats: &CfiatStats, lost: bool) {
        self.records += stats.records;
        self.known += stats.flags.iter().map(|f| f.hits).sum::<u64>();
        self.failed += stats.failed;
        self.csrs += stats.csrs;
        self.lost += u64::from(lost);
    }
}

/// Plays traces of random beats, with stalls, for `cycles` cycles; some end in a reset, in some the cores do not wait.
fn random(bench: &mut Bench, seed: u64, cycles: u64, trace: u64, log2_depth: u32) -> Seen {
    let mut s = Source::seeded(seed);
    let (mut seen, p) = (Seen::default(), bench.p);
    // addresses used by the beats of the scheme `inputs`
    let places = InputsParams::new(p.cores, 32, RAM, "inputs".parse().unwrap());
    let slack = (1u64 << (log2_depth - 1)) - 4;
    while bench.cycles < cycles {
        bench.begin();
        let (end, resets, heeds) = (bench.cycles + s.between(1, trace), s.percent(10), s.percent(70));
        let (busy, taken) = (*s.pick(&[5, 20, 60, 100]), *s.pick(&[20, 60, 100]));
        let mut behind = 0;
        while bench.cycles < end && !(bench.lost && s.percent(2)) {
            behind = if bench.hold { behind } else { 0 };
            let (mut beats, mut all) = (Vec::new(), Vec::new());
            let goes = s.percent(busy) && (!heeds || behind < slack);
            behind += u64::from(goes);
            for _ in 0..p.cores {
                let (b, insn) = if goes { beat(&mut s, &places, false) } else { (Beat::Idle, 0) };
                let aligned = s.percent(50);
                all.push(if goes { ports(&mut s, &b, insn, aligned) } else { noise(&mut s) });
                beats.push(b);
            }
            bench.cycle(false, s.percent(taken), MemPorts::default(), all, &beats);
            assert!(!(heeds && bench.lost), "seed {seed}, cycle {}: lost, though the cores wait", bench.cycles);
        }
        if resets {
            for _ in 0..s.between(1, 3) {
                let all = (0..p.cores).map(|_| noise(&mut s)).collect();
                bench.cycle(true, s.percent(50), MemPorts::default(), all, &[]);
            }
            continue;
        }
        let lost = bench.lost;
        if lost {
            assert_ne!(bench.read("overflow"), 0);
            bench.write("overflow", 0xffff);
        }
        let place = format!("seed {seed}, {} cores, {}, cycle {}", p.cores, p.sizes, bench.cycles);
        let (_, stats) = bench.end(&place);
        seen.add(&stats, lost);
    }
    seen
}

/// A system with random ports, whose words were those of the model.
pub fn random_ports(seed: u64, cores: u8, name: &str) -> Bench {
    let p = params(cores, name);
    let mut bench = Bench::new(Dut::rust(&p, 4), p, p.cores);
    let seen = random(&mut bench, seed, 3_000, 1_000, 4);
    assert!(seen.records > 100 && seen.known > 1, "{seen:?}: too few to trust this run");
    bench
}

#[test]
fn random_ports_give_the_words_of_the_model_in_both_simulations() {
    for (seed, cores, name) in [(1, 2, "cfiat:64+ways2+line16+gran4"), (2, 1, "cfiat(fixed):256+ways4+line32+round")] {
        let Dut::Rust(d) = random_ports(seed, cores, name).dut else { unreachable!() };
        d.check_system().unwrap();
    }
}

/// Every size that changes the circuit, on 1, 2, 3, 4 and, with `GOSHAWK_LONG=1`, 8 cores.
#[test]
fn verilog_gives_the_words_of_the_model_on_random_ports() {
    let cycles = rounds(20_000, 2_000_000);
    let mut lost = 0;
    for (seed, cores, depth, name) in [
        (3, 1, 4, "cfiat(fah=8,9;value=16,1):1k+ways2+line32"),
        (4, 2, 5, "cfiat:256+ways4+line16+count8"),
        (5, 3, 4, "cfiat(fah=1,1;value=3,11):64+ways1+line64+gran2"),
        (6, 4, 4, "cfiat:16k+line16+gran4+round"),
        (7, 8, 5, "cfiat:32k"),
    ] {
        if cores > 4 && !long() {
            continue;
        }
        let p = params(cores, name);
        let mut bench = Bench::new(Dut::verilog(&Dut::build(&p, depth, seed as u32)), p, p.cores);
        let seen = random(&mut bench, seed, cycles, 3_000, depth as u32);
        let enough = seen.records > 500 && seen.known > 8 && seen.failed > 20 && seen.csrs > 20;
        lost += seen.lost;
        assert!(enough && bench.held > 100, "{cores} cores, {name}: {seen:?}: too few to trust this run");
    }
    assert!(lost > 0, "{lost} traces lost something: too few to trust this run");
}

fn load(addr: u32) -> Beat {
    Beat::Retired(Retired { load: Some(Access { size: 4, addr, value: 7 }), ..Retired::default() })
}

/// Loads of a core in successive cycles, regardless of `hold`; returns whether one was lost.
fn burst(bench: &mut Bench, s: &mut Source, loads: u64, every: u64) -> bool {
    bench.begin();
    for n in 0..every * loads {
        let b = if n % every == 0 { load(RAM.0) } else { Beat::Idle };
        let port = if n % every == 0 { ports(s, &b, 0x2003, true) } else { noise(s) };
        bench.cycle(false, true, MemPorts::default(), vec![port], &[b]);
    }
    bench.idle(true);
    bench.idle(true);
    let lost = bench.lost;
    bench.end(&format!("{loads} loads, one in {every}"));
    lost
}

#[test]
fn bursts_of_twice_the_places_and_a_load_in_two_clocks_are_carried() {
    let p = params(1, "cfiat");
    let mut bench = Bench::new(Dut::verilog(&Dut::build(&p, 4, 1)), p, p.cores);
    let mut s = Source::seeded(1);
    // 14 entries, and from the fourth cycle on, each load takes two cycles to leave them
    assert!(!burst(&mut bench, &mut s, 24, 1));
    assert!(burst(&mut bench, &mut s, 40, 1));
    assert!(!burst(&mut bench, &mut s, 5_000, 2));
    // earlier losses have no effect on the next trace
    assert!(!burst(&mut bench, &mut s, 5, 1));
}

/// The accesses of a run in memory order, instruction by instruction.
#[derive(Default)]
struct Collect {
    steps: VecDeque<(u8, Retired, u32)>,
    last: Option<(u8, u64, u64)>,
    conditional: [bool; 16],
}

impl RetireSink for Collect {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        let place = Some((d.hart, d.pc, d.cycle));
        match d.kind {
            DataKind::Load { size, addr, value } => {
                let load = Some(Access { size, addr: addr as u32, value: value as u32 });
                self.steps.push_back((d.hart, Retired { load, ..Retired::default() }, 0x2003));
            }
            DataKind::Store { size, addr, value } => {
                let store = Some(Access { size, addr: addr as u32, value: value as u32 });
                // second access of an atomic
                if let Some((_, r, insn)) = self.steps.back_mut().filter(|_| self.last == place) {
                    (r.store, *insn) = (store, 0x202f);
                } else {
                    let sc = std::mem::take(&mut self.conditional[usize::from(d.hart)]);
                    let r = Retired { store, conditional: sc.then_some(true), ..Retired::default() };
                    self.steps.push_back((d.hart, r, if sc { 0x1800_202f } else { 0x2023 }));
                }
            }
            DataKind::Csr { csr, value } => {
                let read = Some((csr, value as u32));
                let r = Retired { csr: read, register: Some((1, value as u32)), ..Retired::default() };
                self.steps.push_back((d.hart, r, u32::from(csr) << 20 | 0x20f3));
            }
            DataKind::Register { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => return,
        }
        self.last = place;
    }

    fn note(&mut self, hart: u8, note: &Note) {
        match *note {
            Note::StoreConditional { stored: true } => self.conditional[usize::from(hart)] = true,
            Note::StoreConditional { stored: false } => {
                self.steps.push_back((hart, Retired { conditional: Some(false), ..Retired::default() }, 0x1800_202f));
            }
            Note::Interrupt { .. } | Note::AccessFault { .. } => {}
        }
    }
}

/// Plays a run to the circuit at random speeds, in order; returns the words.
fn play(bench: &mut Bench, s: &mut Source, mut steps: VecDeque<(u8, Retired, u32)>, place: &str) -> Vec<u32> {
    bench.begin();
    let cores = bench.cores;
    while !steps.is_empty() {
        let mut beats = vec![Beat::Idle; cores];
        let mut all: Vec<_> = (0..cores).map(|_| noise(s)).collect();
        // by core within a cycle
        let mut from = 0;
        while let Some((core, r, insn)) = steps.front().filter(|n| n.0 >= from && !bench.hold && s.percent(60)) {
            let (core, beat) = (*core, Beat::Retired(*r));
            let aligned = s.percent(50);
            all[usize::from(core)] = ports(s, &beat, *insn, aligned);
            beats[usize::from(core)] = beat;
            steps.pop_front();
            from = core + 1;
        }
        bench.cycle(false, s.percent(70), MemPorts::default(), all, &beats);
    }
    assert!(!bench.lost, "{place}");
    bench.end(place).0
}

/// The words are those that the model sent for the run; together with its control flow, they give the run.
fn programs_replay(cores: u8, names: &[&str], scheme: &str, depth: usize) {
    let instructions = rounds(20_000, 1_000_000);
    let mut built: Option<Bench> = None;
    for name in names {
        let program = programs::load(name).unwrap();
        let config = MachineConfig { harts: cores, seed: 3, ..MachineConfig::default() };
        let mut traced = cfiat_support::trace(&program, config.clone(), instructions, scheme.parse().unwrap());
        let mut collect = Collect::default();
        let mut machine = Machine::new(&program, config).unwrap();
        machine.run(&mut collect, Limits { instructions, ..Limits::default() }).unwrap();
        let p = traced.params;
        let bench = built.get_or_insert_with(|| Bench::new(Dut::verilog(&Dut::build(&p, depth, 1)), p, p.cores));
        assert_eq!(bench.p, p, "{name}: RAM lies elsewhere");
        let place = format!("{name}, {cores} cores, {scheme}");
        let words = play(bench, &mut Source::seeded(cores.into()), collect.steps, &place);
        assert!(words == traced.words, "{place}: words");
        traced.words = words;
        cfiat_support::assert_replays(&program, &traced, &place);
    }
}

#[test]
fn what_the_circuit_sends_of_programs_is_executed_again() {
    programs_replay(1, &["irq", "vm"], "cfiat:16k", 8);
    programs_replay(2, &["bank", "irq"], "cfiat:1k+ways2+line32+gran4", 5);
    programs_replay(4, &["bank", "qsort"], "cfiat:4k+round", 4);
}

#[test]
fn the_emitted_verilog_passes_all_gates() {
    for (cores, name, depth) in [(1, "cfiat(fixed):256+ways2+line16", 4), (4, "cfiat:32k+line64", 8)] {
        emit_checked_system(&mut CfiatSystem::new(&params(cores, name), depth))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
