//! `hdl/src/scheme/inputs/{core,encoder,first,front,last,level,master,signature,snoop,start,state,system,table}.rs` against the golden
//! model: whole record systems on random ports and on real programs, in rust-hdl's simulator and in Verilator
//!
//! What the circuit sends for a program is replayed, and gives the run.

use crate::data_harness::{MemPorts, Model};
use crate::inputs_harness::beats::{beat, memory, noise, ports};
use crate::inputs_harness::run::Collect;
use crate::inputs_harness::{Bench, Dut, Golden};
use crate::inputs_support::{difference, known, Log};
use crate::random_programs;
use fpga::cosim::Cosim;
use hdl::scheme::inputs::system::InputsSystem;
use retire::elf::Program;
use retire::{DataEvent, FlowEvent, MasterStore, Note, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::model::{Beat, InputsStats};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::InputsParams;
use sim::stimulus::{rounds, Source};
use testbenches::driver::CheckVerilog;
use testbenches::gates::emit_checked_system;

const RAM: (u32, u32) = (0x8000_0000, 0x1_0000);

fn params(cores: u8, sizes: Sizes) -> InputsParams {
    InputsParams::new(cores, 32, RAM, sizes)
}

fn small() -> Sizes {
    Sizes { entries: 16, tag: 3, block: 8, check: 10, last: 2, known: 0, masters: false, unmodelled: None }
}

/// Plays traces of random beats, with stalls, for `cycles` cycles; some end in a reset. Returns statistics of what was
/// sent.
fn random(bench: &mut Bench, seed: u64, cycles: u64, trace: u64) -> InputsStats {
    let mut s = Source::seeded(seed);
    let mut sum = InputsStats::default();
    let p = bench.p;
    while bench.cycles < cycles {
        if p.sizes.known > 0 {
            warm(bench, &mut s);
        }
        bench.begin();
        let quiet = s.percent(30);
        let (end, resets, busy) =
            (bench.cycles + s.between(1, trace), s.percent(10), if quiet { 100 } else { *s.pick(&[5, 20, 60]) });
        while bench.cycles < end {
            let goes = !bench.hold && s.percent(busy);
            let mem =
                if goes { memory(&mut s, &p, quiet) } else { MemPorts { valid: false, ..memory(&mut s, &p, quiet) } };
            let mut beats = Vec::new();
            let mut all = Vec::new();
            for _ in 0..p.cores {
                let (b, insn) = if goes { beat(&mut s, &p, quiet) } else { (Beat::Idle, 0) };
                let aligned = s.percent(50);
                all.push(if goes { ports(&mut s, &b, insn, aligned) } else { noise(&mut s) });
                beats.push(b);
            }
            bench.cycle(false, s.percent(60), mem, all, &beats);
        }
        if resets {
            let n = s.between(1, 3);
            for _ in 0..n {
                let all = (0..p.cores).map(|_| noise(&mut s)).collect();
                bench.cycle(true, s.percent(50), memory(&mut s, &p, quiet), all, &[]);
            }
            continue;
        }
        let (_, stats) = bench.end(&format!("seed {seed}, {} cores, {}, cycle {}", p.cores, p.sizes, bench.cycles));
        for (sum, more) in [
            (&mut sum.episodes, stats.episodes),
            (&mut sum.inputs, stats.inputs),
            (&mut sum.traps, stats.traps),
            (&mut sum.checks, stats.checks),
            (&mut sum.masters, stats.masters),
        ] {
            sum.messages += more.messages;
        }
        sum.full += stats.full;
    }
    sum
}

/// Activity of the cores before a recording begins, and while it is requested: up to 55 cycles after `hold`.
fn warm(bench: &mut Bench, s: &mut Source) {
    let p = bench.p;
    let (clocks, late) = (s.between(1, 200), s.below(56));
    for n in 0..clocks + 1000 {
        if n == clocks {
            bench.write("control", 1);
        }
        let goes = bench.waits <= late;
        let mut all = Vec::new();
        for _ in 0..p.cores {
            let (b, insn) = if goes { beat(s, &p, false) } else { (Beat::Idle, 0) };
            let aligned = s.percent(50);
            all.push(if goes { ports(s, &b, insn, aligned) } else { noise(s) });
        }
        let mem = if goes { memory(s, &p, false) } else { MemPorts { valid: false, ..memory(s, &p, false) } };
        bench.cycle(false, s.percent(60), mem, all, &[]);
        if !goes {
            return;
        }
    }
}

/// A system with random ports, whose words were those of the model.
pub fn random_ports() -> Bench {
    let p = params(2, small());
    let mut bench = Bench::new(Dut::rust(&p, 4), p, p.cores);
    let sent = random(&mut bench, 1, 6_000, 2_000);
    assert!(sent.episodes.messages > 20 && sent.inputs.messages > 50, "{sent:?}: too few to trust this run");
    bench
}

#[test]
fn random_ports_give_the_words_of_the_model_in_both_simulations() {
    let Dut::Rust(d) = random_ports().dut else { unreachable!() };
    d.check_system().unwrap();
}

#[test]
fn from_the_middle_both_simulations_give_the_words_of_the_model() {
    let p = params(2, Sizes { known: 256, ..small() });
    let mut bench = Bench::new(Dut::rust(&p, 4), p, p.cores);
    let sent = random(&mut bench, 6, 6_000, 1_000);
    assert!(sent.episodes.messages > 20 && sent.inputs.messages > 100, "{sent:?}: too few to trust this run");
    let Dut::Rust(d) = bench.dut else { unreachable!() };
    d.check_system().unwrap();
}

#[test]
fn stores_of_bus_masters_give_the_words_of_the_model_in_both_simulations() {
    let p = params(1, Sizes { masters: true, ..small() });
    let mut bench = Bench::new(Dut::rust(&p, 4), p, p.cores);
    let sent = random(&mut bench, 1, 6_000, 2_000);
    assert!(sent.episodes.messages > 20 && sent.masters.messages > 100, "{sent:?}: too few to trust this run");
    let Dut::Rust(d) = bench.dut else { unreachable!() };
    d.check_system().unwrap();
}

/// Disabled in any cycle of the start: the state is reported completely, and each core stops.
#[test]
fn a_recording_that_ends_while_it_begins_is_whole() {
    let p = params(2, Sizes { known: 64, ..small() });
    let mut bench = Bench::new(Dut::rust(&p, 4), p, p.cores);
    let mut s = Source::seeded(12);
    let mut none = 0;
    for round in 0..10 {
        warm(&mut bench, &mut s);
        let clocks = s.below(4000);
        for _ in 0..clocks {
            bench.idle(s.percent(60));
        }
        none += u64::from(!bench.recording);
        bench.end(&format!("round {round}, {clocks} clocks"));
    }
    assert!((2..9).contains(&none), "{none} ended before they began");
    let Dut::Rust(d) = bench.dut else { unreachable!() };
    d.check_system().unwrap();
}

/// Every size that changes the circuit, on 1, 3, 4 and 8 cores.
#[test]
fn verilog_gives_the_words_of_the_model_on_random_ports() {
    for (seed, cores, depth, sizes) in [
        (2, 1, 4, Sizes { last: 1, ..small() }),
        (
            3,
            3,
            5,
            Sizes { entries: 64, tag: 0, block: 4, check: 10, last: 8, known: 0, masters: false, unmodelled: None },
        ),
        (4, 4, 4, small()),
        (9, 3, 4, Sizes { known: 64, ..small() }),
        (8, 1, 5, Sizes { known: 4096, ..small() }),
        (
            5,
            8,
            5,
            Sizes { entries: 512, tag: 8, block: 32, check: 10, last: 64, known: 0, masters: false, unmodelled: None },
        ),
    ] {
        let p = params(cores, sizes);
        let mut bench = Bench::new(Dut::verilog(&Dut::build(&p, depth, seed as u32)), p, p.cores);
        // eight cores wait often; a start in the middle of a run takes time
        let cycles = rounds(if cores == 8 { 40_000 } else { 20_000 }, 2_000_000);
        let cycles = if sizes.known > 0 { 3 * cycles } else { cycles };
        let sent = random(&mut bench, seed, cycles, 12_000);
        // a large table does not fill up in this time
        let full = sent.full > 2 || sizes.entries > 64;
        let order = !p.orders() || (sent.episodes.messages > 50 && full);
        let rest = sent.inputs.messages > 200 && sent.traps.messages > 20 && sent.checks.messages > 1;
        assert!(order && rest, "{cores} cores: {sent:?}: too few to trust this run");
        assert!(bench.held > 100, "{cores} cores: the circuit asked the cores to wait in {} clocks", bench.held);
    }
}

/// Plays traces of cores that ignore `hold`, with a slow sink. Returns the words of each, and how many lost something.
/// What the cores do after the end of each is drawn from `behind`.
fn lossy(cosim: &Cosim, p: InputsParams, seed: u64, behind: u64) -> (Vec<Vec<u32>>, usize) {
    let mut bench = Bench::new(Dut::verilog(cosim), p, p.cores);
    let mut s = Source::seeded(seed);
    let (mut sent, mut lossy) = (Vec::new(), 0);
    for round in 0..rounds(20, 40) {
        bench.begin();
        let (clocks, taken) = (s.between(1, 400), *s.pick(&[2, 30, 100]));
        for _ in 0..clocks {
            let (mem, cores) = Golden::unstalled_ports(&p, &mut s);
            bench.cycle(false, s.percent(taken), mem, cores, &[]);
        }
        let place = format!("seed {seed}, {} cores, {}, round {round} of {clocks} clocks", p.cores, p.sizes);
        sent.push(bench.disable(&place, behind + round));
        lossy += usize::from(bench.read("overflow") != 0);
        bench.write("overflow", 0xffff);
        bench.idle(true);
        bench.forget();
    }
    // later recordings are complete
    let end = bench.cycles + 5_000;
    random(&mut bench, seed, end, 2_000);
    (sent, lossy)
}

#[test]
fn a_recording_with_losses_ends_without_later_data() {
    let systems = [
        (20, 1, 4, small()),
        (23, 8, 4, small()),
        (24, 2, 4, Sizes { masters: true, ..small() }),
        (21, 2, 4, small()),
        (22, 4, 5, small()),
    ];
    for (seed, cores, depth, sizes) in systems.into_iter().take(rounds(3, 5)) {
        let p = params(cores, sizes);
        let cosim = Dut::build(&p, depth, seed as u32);
        let (sent, lost) = lossy(&cosim, p, seed, 1_000);
        assert!(lost >= 5 && lost < sent.len(), "{cores} cores: {lost} of {} lost something", sent.len());
        let (other, _) = lossy(&cosim, p, seed, 2_000);
        let at = sent.iter().zip(&other).position(|(a, b)| a != b);
        assert_eq!(at, None, "{cores} cores, {sizes}: what is behind the end is seen in this round");
    }
}

/// One sender more than there are cores: with eight cores, the index needs one more bit.
#[test]
fn verilog_gives_the_words_of_the_model_with_bus_masters() {
    let cycles = rounds(20_000, 1_000_000);
    for (seed, cores, depth, sizes) in
        [(10, 1, 5, Sizes { masters: true, block: 4, ..small() }), (12, 8, 4, Sizes { masters: true, ..small() })]
    {
        let p = params(cores, sizes);
        let mut bench = Bench::new(Dut::verilog(&Dut::build(&p, depth, seed as u32)), p, p.cores);
        let sent = random(&mut bench, seed, cycles, 6_000);
        let rest = sent.inputs.messages > 100 && sent.traps.messages > 5;
        let order = sent.episodes.messages > 50 && sent.masters.messages > 100;
        assert!(order && rest, "{cores} cores: {sent:?}: too few to trust this run");
    }
}

/// Passes everything to two sinks.
struct Both<'a>(&'a mut Collect, &'a mut Log);

impl RetireSink for Both<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
        self.1.event(e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.0.data(d);
        self.1.data(d);
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.note(hart, note);
    }

    fn master(&mut self, store: &MasterStore) {
        self.0.master(store);
    }
}

fn programs_replay(cores: u8, names: &[&str], sizes: Sizes, depth: usize) {
    let all: Vec<_> = names.iter().map(|name| ((*name).into(), programs::load(name).unwrap())).collect();
    these_replay(cores, &all, sizes, depth);
}

/// Runs programs on the Verilog: the words are the model's, and their replay is the run.
fn these_replay(cores: u8, programs: &[(String, Program)], sizes: Sizes, depth: usize) {
    let instructions = rounds(15_000, 2_000_000);
    let mut built = None;
    for (name, program) in programs {
        let config = MachineConfig { harts: cores, seed: 3, ..MachineConfig::default() };
        let mut machine = Machine::new(program, config).unwrap();
        let p = InputsParams::new(cores, 32, machine.ram(), sizes);
        let (mut collect, mut log) = (Collect::new(&p, program), Log::default());
        let limits = Limits { instructions, ..Limits::default() };
        let mut before = vec![0; cores.into()];
        if sizes.known > 0 {
            let skip = Limits { instructions: 5_000 * u64::from(cores), ..Limits::default() };
            machine.run(&mut collect, skip).unwrap();
            while !collect.stands(&machine.states()) {
                machine.run(&mut collect, Limits { instructions: 1, ..skip }).unwrap();
            }
            before = collect.so_far();
        }
        machine.run(&mut Both(&mut collect, &mut log), limits).unwrap();
        let (of, cosim) = built.get_or_insert_with(|| (p, Dut::build(&p, depth, 1)));
        assert_eq!(*of, p, "{name}: RAM lies elsewhere");
        let mut bench = Bench::new(Dut::verilog(cosim), p, p.cores);
        collect.play(&mut bench, &mut Source::seeded(cores.into()), &before);
        let place = format!("{name}, {cores} cores, {sizes}");
        let (words, _) = bench.end(&place);
        let mut back = Log::default();
        let end = Replay::new(&p, program, words).unwrap().unwrap().run(&mut back, |_| false);
        let (log, back) = if sizes.known > 0 { (known(&log), known(&back)) } else { (log, back) };
        if let Some(difference) = difference(&log, &back) {
            panic!("{place}: {difference}; {end:?}");
        }
        end.unwrap_or_else(|e| panic!("{place}: {e}"));
    }
}

#[test]
fn what_the_circuit_records_of_one_core_replays() {
    programs_replay(1, &["irq", "vm"], Sizes { check: 12, ..Sizes::default() }, 8);
}

#[test]
fn what_the_circuit_records_of_two_cores_replays() {
    programs_replay(2, &["bank", "irq"], Sizes { check: 12, ..small() }, 6);
}

#[test]
fn what_the_circuit_records_of_four_cores_replays() {
    programs_replay(4, &["bank", "qsort", "irq"], Sizes { check: 13, ..Sizes::default() }, 5);
}

#[test]
fn what_the_circuit_records_from_the_middle_replays() {
    programs_replay(1, &["irq", "vm"], Sizes { check: 12, known: 1024, ..Sizes::default() }, 8);
    programs_replay(4, &["bank", "irq"], Sizes { check: 12, known: 4096, ..small() }, 5);
}

/// A bus master copies data, including words shared with the cores.
#[test]
fn what_the_circuit_records_of_cores_and_a_bus_master_replays() {
    let copying = |cores: u8, seed| (format!("random {seed}"), random_programs::with(seed, cores.into(), true));
    let sizes = Sizes { check: 12, masters: true, ..small() };
    these_replay(1, &[copying(1, 1), copying(1, 2)], Sizes { entries: 64, ..sizes }, 4);
    these_replay(3, &[copying(3, 3), copying(3, 6)], Sizes { known: 1024, ..sizes }, 5);
}

#[test]
fn the_emitted_verilog_passes_all_gates() {
    emit_checked_system(&mut InputsSystem::new(&params(1, small()), 4)).unwrap();
    emit_checked_system(&mut InputsSystem::new(&params(4, Sizes::default()), 8)).unwrap();
    emit_checked_system(&mut InputsSystem::new(&params(3, Sizes { masters: true, ..small() }), 4)).unwrap();
    emit_checked_system(&mut InputsSystem::new(&params(2, Sizes { known: 1024, ..small() }), 4)).unwrap();
}
