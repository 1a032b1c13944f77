//! The diagnosis chip on soft cores with interrupts, in Verilator: per core and in order, its events are those of the
//! golden generator for what the cores retired; and the cores behave in each cycle as without the chip
//!
//! Full generators report trap, cause and address, for nested interrupts and exceptions and for compressed code. Cores
//! without data ports have lite generators.

use diag::app::App;
use diag::layout::{layout, Cut, Layout};
use diag::link::{FrameReader, FrameWriter};
use diag::load;
use diag::parse::parse;
use diag::resolve::resolve;
use diag::symbols::Symbols;
use fpga::soc::core::CoreKind;
use fpga::soc::diag::{DiagRun, DiagSoc};
use fpga::soc::run::{RunOptions, Soc};
use fpga::soc::top::SocConfig;
use fpga::soc::verilate::default_cache;
use hdl::diag::chip::DiagParams;
use retire::elf::Program;
use retire::FlowEvent;
use sim::diag::packet::{Body, Event};
use sim::diag::trigger::GeneratorParams;

/// Traps by cause and address, trap returns, and calls.
const TRAPS: &str = "trap { @traps[cause, pc] = count(); } interrupt:7 { @ticks[core] = count(); }
    exception:11 { @calls[pc, ra] = count(); } trapret { @returns[sp] = count(); }
    call:software_interrupt { @to[arg0] = count(); }
    ret:on_timer { @handler = stats(elapsed); }";
/// A variable that all cores read and write; calls with arguments and results.
const DATA: &str = "write:balance { @w[pc] = max(value); } read:balance { @r[addr] = min(value); }";
const CALLS: &str = "ret:set_balance { @b[arg0, ra] = count(); } call:get_balance { @s[sp] = count(); }";
const LOCKS: &str = "ret:mutex_lock { @locks[arg0] = stats(elapsed); } call:mutex_unlock { @sp = min(sp); }";

/// A core, the number of cores, the program, the watched script, and the number of cycles.
struct Case {
    core: CoreKind,
    cores: u8,
    program: &'static str,
    script: &'static str,
    max_cycles: u64,
    lite: bool,
}

impl Case {
    fn new(core: CoreKind, cores: u8, program: &'static str, script: &'static str, max_cycles: u64) -> Self {
        Self { core, cores, program, script, max_cycles, lite: false }
    }

    fn generator(&self) -> GeneratorParams {
        if self.lite {
            GeneratorParams::LITE
        } else {
            GeneratorParams::FULL
        }
    }

    /// Checks that every event is the golden generator's, in order, and that events lost because instructions came too
    /// fast are reported. Returns the numbers of events and of lost events.
    fn check(&self) -> (usize, usize) {
        let what = format!("{} {} with {}", self.cores, self.core.name(), self.program);
        let elf = programs::find(self.program).unwrap().soc.get(self.core.core().isa().name()).unwrap();
        let symbols = Symbols::parse(elf).unwrap();
        let app: App = parse(self.script).and_then(|i| resolve(&i, &symbols, 50_000_000)).unwrap();
        let laid: Layout = layout(&app, &[], &Cut::host(&app)).unwrap();
        let program = Program::parse(elf).unwrap();
        let config = SocConfig::simulated(self.core, self.cores);
        let (cores, generator) = (self.cores, self.generator());
        let chip = DiagParams {
            cores,
            generator,
            outside: Vec::new(),
            nodes: Vec::new(),
            windows: false,
            masters: 0,
            clocked: 0,
        };
        let soc = DiagSoc::build(&config, &chip, &default_cache()).unwrap();
        let mut line = FrameWriter::default();
        let before: Vec<u8> = load::set(&laid, cores, self.lite).iter().flat_map(|p| line.frame(p)).collect();
        let run = soc.run(&program, &before, &[Vec::new()], 2, self.max_cycles).unwrap();
        self.observes(&what, &program, &config, &run);

        let mut reader = FrameReader::default();
        let bytes: Vec<u8> = run.bytes.iter().map(|b| b.1).collect();
        let packets = reader.push(&bytes);
        assert_eq!((reader.lost, reader.skipped, reader.malformed), (0, 0, 0), "{what}");
        let event = |body: &Body| if let Body::Event(e) = body { Some(*e) } else { None };
        let found: Vec<Event> = packets.iter().filter_map(|p| event(&p.body)).collect();
        let (want, lost) = run.events(cores, generator, &laid.slots).unwrap();
        let told: u64 = found.iter().map(|e| u64::from(e.lost)).sum();
        let missing = want.len() - found.len();
        println!(
            "{what}: {} clocks, {} instructions, {} traps, {} events, {lost} unknown; {missing} missing, {told} told as lost",
            run.cycles,
            run.retired.len(),
            run.traps.len(),
            want.len()
        );
        for core in 0..cores {
            let mut all = want.iter().filter(|e| e.1.core == core).map(|e| Event { lost: 0, ..e.1 });
            for (n, e) in found.iter().filter(|e| e.core == core).enumerate() {
                let e = Event { lost: 0, ..*e };
                assert!(all.any(|w| w == e), "{what}, core {core}, event {n} is none of what happened: {e:?}");
            }
        }
        // losses that no event follows are not reported
        let all = missing as u64 + lost;
        assert!(
            (all.saturating_sub(20)..=all).contains(&told),
            "{what}: {told} told, {missing} missing, {lost} unknown"
        );
        (want.len(), missing)
    }

    /// The cores behave in each cycle as without the chip, and so does the log of their retirement ports.
    fn observes(&self, what: &str, program: &Program, config: &SocConfig, run: &DiagRun) {
        let alone = Soc::build(config, false, &default_cache()).unwrap();
        let options = RunOptions { max_cycles: self.max_cycles, ..RunOptions::default() };
        let alone = alone.run(program, &options, |_| {}).unwrap();
        assert_eq!((run.stores, run.cycles), ((alone.stores, alone.stores_hash), alone.cycles), "{what}");
        let log = run.flow(program, self.cores).unwrap();
        for core in 0..self.cores {
            let of = |events: &[FlowEvent]| -> Vec<FlowEvent> {
                events.iter().filter(|e| e.hart == core).map(|e| FlowEvent { cycle: 0, ..*e }).collect()
            };
            let (found, want) = (of(&log), of(&alone.events));
            // some ports are one cycle behind the core, so an instruction may be missing in the last cycle
            assert!(found.len().abs_diff(want.len()) <= 1 && want.len() > 100, "{what}, core {core}");
            let most = found.len().min(want.len()) - 2;
            assert!(found[..most] == want[..most], "{what}, core {core}");
        }
    }
}

/// Most events arrive, and all trap events.
fn enough(case: &Case) {
    let (all, missing) = case.check();
    assert!(all > 100 && 10 * missing <= all);
    assert!(case.script != TRAPS || (all > 500 && missing == 0));
}

#[test]
fn traps_are_what_cores_with_interrupts_took() {
    enough(&Case::new(CoreKind::Ibex, 2, "irq", TRAPS, 150_000));
}

#[test]
#[ignore = "long: builds two more SoCs"]
fn traps_data_calls_and_locks_are_those_of_one_and_four_ibex() {
    for n in [1, 4] {
        enough(&Case::new(CoreKind::Ibex, n, "irq", TRAPS, 400_000));
        enough(&Case::new(CoreKind::Ibex, n, "bank", DATA, 400_000));
        enough(&Case::new(CoreKind::Ibex, n, "bank", CALLS, 400_000));
        enough(&Case::new(CoreKind::Ibex, n, "lockcont", LOCKS, 1_000_000));
    }
}

#[test]
fn cores_without_data_have_lite_generators() {
    let script = "call:get_balance { @calls[core] = count(); } call:set_balance { @ends[core] = count(); }";
    let case = Case { lite: true, ..Case::new(CoreKind::Serv, 1, "bank", script, 400_000) };
    let (all, missing) = case.check();
    assert!(all > 5 && missing == 0);
    let full = DiagParams {
        cores: 1,
        generator: GeneratorParams::FULL,
        outside: Vec::new(),
        nodes: Vec::new(),
        windows: false,
        masters: 0,
        clocked: 0,
    };
    let refused = DiagSoc::build(&SocConfig::simulated(case.core, 1), &full, &default_cache());
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("a full event generator needs a core that exposes registers and memory"), "{said}");
}
