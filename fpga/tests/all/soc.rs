//! SoCs of softcores in Verilator: the trace equals what the cores retired
//!
//! Each run is limited to some hundred thousand cycles; with `GOSHAWK_LONG=1` there are more than ten million retired
//! instructions in all.

use fpga::soc::check::{check, Checked};
use fpga::soc::core::CoreKind;
use fpga::soc::image::{check_supported, hex};
use fpga::soc::part::find;
use fpga::soc::run::{Run, RunError, RunOptions, Soc};
use fpga::soc::top::{Host, Output, Purpose, SocConfig, RAM_BASE};
use fpga::soc::verilate::default_cache;
use retire::elf::{Program, Segment};
use retire::FlowKind;
use sim::params::{named_set, FlowScheme, TraceParams};
use sim::scheme::sc_lsp::{StreamCacheParams, Variant};
use sim::stimulus::{long, rounds};

fn params(core: CoreKind, cores: u8, set: &str, timestamps: bool) -> TraceParams {
    let set = named_set(set).unwrap();
    let align = core.core().isa().align();
    TraceParams::tr(set.params).with(|p| (p.cores, p.timestamps, p.align) = (cores, timestamps, align))
}

fn config(core: CoreKind, cores: u8, trace: Option<TraceParams>) -> SocConfig {
    SocConfig { trace, ..SocConfig::simulated(core, cores) }
}

fn program(core: CoreKind, name: &str) -> Program {
    let builds = programs::find(name).unwrap().soc;
    Program::parse(builds.get(core.core().isa().name()).unwrap()).unwrap()
}

fn run(config: &SocConfig, program: &Program, max_cycles: u64) -> Run {
    let soc = Soc::build(config, false, &default_cache()).unwrap();
    soc.run(program, &RunOptions { max_cycles, ..RunOptions::default() }, |_| {}).unwrap()
}

/// Runs a program and checks the functional trace and, if `timed` or in the long form, the time-stamped one. Returns
/// the instructions retired.
fn traced(core: CoreKind, cores: u8, set: &str, name: &str, cycles: u64, timed: bool) -> u64 {
    // neither core nor number of cores makes much difference to time stamps: in the short form two systems have them
    let times = [false, true].into_iter().take(1 + usize::from(long() || timed));
    times.map(|timestamps| equal(core, &params(core, cores, set, timestamps), name, cycles)).sum()
}

/// Runs a program and checks its trace. Returns the instructions retired.
fn equal(core: CoreKind, params: &TraceParams, name: &str, cycles: u64) -> u64 {
    let (cycles, program) = (rounds(cycles, 40 * cycles), program(core, name));
    let r = run(&config(core, params.cores, Some(*params)), &program, cycles);
    let what =
        format!("{} {} {name}, {}, time-stamped {}", params.cores, core.name(), params.flow.name(), params.timestamps);
    let c: Checked = check(params, &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(c.instructions, r.instructions, "{what}");
    assert!(r.instructions.iter().all(|n| *n > 100), "{what}: {:?}", r.instructions);
    assert!(c.ordered, "{what}: messages out of order");
    assert_eq!(c.golden, Some(true), "{what}: other bits than the golden model's");
    r.instructions.iter().sum()
}

fn at_least(least: u64, instructions: u64) {
    assert!(instructions >= least, "{instructions} instructions are less than {least}");
}

#[test]
fn one_picorv32_replays_to_what_it_retired() {
    at_least(50_000, traced(CoreKind::Picorv32, 1, "small", "strsearch", 600_000, false));
}

#[test]
fn four_picorv32_replay_to_what_they_retired_in_order() {
    at_least(75_000, traced(CoreKind::Picorv32, 4, "medium", "fft", 400_000, false));
}

#[test]
fn one_vexriscv_replays_to_what_it_retired() {
    at_least(100_000, traced(CoreKind::Vexriscv, 1, "large", "vm", 400_000, false));
}

#[test]
fn two_vexriscv_with_interrupts_and_exceptions_replay_to_what_they_retired() {
    at_least(100_000, traced(CoreKind::Vexriscv, 2, "small", "irq", 400_000, true));
}

#[test]
fn four_vexriscv_replay_to_what_they_retired_in_order() {
    at_least(100_000, traced(CoreKind::Vexriscv, 4, "medium", "lockcont", 250_000, false));
}

#[test]
#[ignore = "long: two of them are in the next test"]
fn one_serv_replays_to_what_it_retired() {
    at_least(20_000, traced(CoreKind::Serv, 1, "small", "strsearch", 2_000_000, false));
}

#[test]
fn two_serv_with_timer_interrupts_and_exceptions_replay_to_what_they_retired() {
    at_least(20_000, traced(CoreKind::Serv, 2, "small", "irq", 2_000_000, false));
}

#[test]
fn two_ibex_with_interrupts_and_exceptions_replay_to_what_they_retired() {
    at_least(100_000, traced(CoreKind::Ibex, 2, "small", "irq", 400_000, true));
}

#[test]
fn four_ibex_replay_to_what_they_retired_in_order() {
    at_least(100_000, traced(CoreKind::Ibex, 4, "large", "lockcont", 250_000, false));
}

#[test]
fn two_cv32e40p_with_interrupts_and_exceptions_replay_to_what_they_retired() {
    at_least(100_000, traced(CoreKind::Cv32e40p, 2, "small", "irq", 400_000, false));
}

/// Uses the circuit of the test above, so that it is built once.
#[test]
fn two_cv32e40p_replay_to_what_they_retired_of_several_programs() {
    let programs = ["lockcont", "fft", "lu", "radix", "stencil", "matmul"];
    for name in programs.into_iter().take(rounds(2, programs.len())) {
        at_least(100_000, traced(CoreKind::Cv32e40p, 2, "small", name, 300_000, false));
    }
}

/// Only in the long form, with the cycles of the short one: its build takes as long as those of the other cores.
#[test]
#[ignore = "long: its build takes as long as those of all other cores"]
fn two_cv32e40x_replay_to_what_they_retired_by_their_rvfi() {
    let core = CoreKind::Cv32e40x;
    let params = params(core, 2, "small", false);
    let mut traps = 0;
    for name in ["irq", "lockcont", "fft", "radix"] {
        let program = program(core, name);
        let r = run(&config(core, 2, Some(params)), &program, 300_000);
        let c = check(&params, &program, &r).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(c.instructions, r.instructions, "{name}");
        assert!(c.ordered && c.golden == Some(true), "{name}: {c:?}");
        at_least(100_000, r.instructions.iter().sum());
        println!("{name}: {:?} instructions, {} bits, {} events", r.instructions, c.bits, c.events);
        traps += r.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
    }
    assert!(traps > 100, "{traps}");
}

#[test]
fn a_core_that_is_simulated_only_is_not_synthesised() {
    let config = config(CoreKind::Cv32e40x, 1, None);
    let refused = config.verilog(Purpose::Synthesis { image: "" }).unwrap_err().to_string();
    assert_eq!(refused, "cv32e40x is for simulation only: its retirement is read from internal wires by their paths");
}

#[test]
fn a_stream_cache_takes_the_place_of_the_predictors() {
    let core = CoreKind::Vexriscv;
    let predictors = params(core, 2, "small", false);
    let program = program(core, "irq");
    let text = |p| config(core, 2, Some(p)).verilog(Purpose::Simulation).unwrap();
    let around = |p| text(p).split_once("\nmodule soc(").map(|(_, top)| top.to_string()).unwrap();
    for timestamps in [true, false].into_iter().take(rounds(1, 2)) {
        let scheme = FlowScheme::ScLsp(StreamCacheParams::new(Variant::Rbase, 32, 4));
        let params = predictors.with(|p| (p.flow, p.timestamps) = (scheme, timestamps));
        assert_eq!(around(params), around(predictors), "only the trace system is another one");
        let r = run(&config(core, 2, Some(params)), &program, 300_000);
        let c = check(&params, &program, &r).unwrap();
        assert_eq!(c.instructions, r.instructions, "time-stamped {timestamps}");
        assert!(c.ordered && c.golden == Some(true), "time-stamped {timestamps}: {c:?}");
        at_least(80_000, r.instructions.iter().sum());
    }
}

#[test]
fn follow_beside_a_picorv32_and_a_vexriscv_replays_to_what_they_retired() {
    let set = |core, scheme: &str| params(core, 1, "small", false).with(|p| p.flow = scheme.parse().unwrap());
    let (small, fast) = (CoreKind::Picorv32, CoreKind::Vexriscv);
    at_least(25_000, equal(small, &set(small, "follow:m"), "strsearch", 300_000));
    at_least(50_000, equal(fast, &set(fast, "follow:ml+arithmetic"), "irq", 200_000));
}

#[test]
fn timer_software_and_synchronous_traps_are_all_in_the_log() {
    const VEX: &[(bool, u8)] = &[(true, 7), (true, 3), (false, 11), (false, 2)];
    const IBEX: &[(bool, u8)] = &[(true, 7), (true, 3), (false, 11), (false, 2), (false, 3)];
    // VexRiscv takes ebreak as an illegal instruction; serv knows neither software interrupts nor illegal instructions,
    // and is slow
    const SERV: &[(bool, u8)] = &[(true, 7), (false, 11), (false, 3)];
    let cores =
        [(CoreKind::Vexriscv, 400_000, VEX), (CoreKind::Ibex, 400_000, IBEX), (CoreKind::Serv, 6_000_000, SERV)];
    for (core, cycles, traps) in cores {
        let params = params(core, 2, "small", false);
        let r = run(&config(core, 2, Some(params)), &program(core, "irq"), cycles);
        for &(interrupt, cause) in traps {
            let n = r.events.iter().filter(|e| e.kind == FlowKind::Trap { interrupt, cause }).count();
            assert!(n > 10, "{}: {n} traps of cause {cause}, interrupt {interrupt}", core.name());
        }
    }
}

/// picorv32 has no `mhartid` here: it stops at the first instruction, and only its stop is sent.
#[test]
fn a_core_that_never_retires_matches_the_golden_model() {
    let mut stuck = program(CoreKind::Picorv32, "fsm");
    let entry = (stuck.entry - RAM_BASE) as usize;
    stuck.segments[0].data[entry..entry + 4].copy_from_slice(&0xf140_22f3u32.to_le_bytes());
    let config = config(CoreKind::Picorv32, 2, Some(params(CoreKind::Picorv32, 2, "small", true)));
    let run = run(&config, &stuck, 3000);
    assert_eq!(run.instructions, [0, 0]);
    let checked = check(&config.trace.unwrap(), &stuck, &run).unwrap();
    assert_eq!((checked.events, checked.messages, checked.golden), (0, 2, Some(true)));
}

#[test]
fn a_program_runs_to_its_end_with_its_result() {
    let info = programs::find("irq").unwrap();
    for core in [CoreKind::Vexriscv, CoreKind::Ibex].into_iter().take(1 + usize::from(long())) {
        let r = run(&config(core, 2, None), &program(core, "irq"), 40_000_000);
        assert_eq!(r.exit_code, Some(0));
        assert_eq!(String::from_utf8(r.console).unwrap(), format!("{}\n", info.output));
    }
}

#[test]
fn tracing_changes_neither_a_cycle_nor_a_store() {
    let systems = [
        (CoreKind::Picorv32, 4, "medium", "fft"),
        (CoreKind::Vexriscv, 2, "small", "irq"),
        (CoreKind::Ibex, 2, "small", "irq"),
    ];
    for (core, cores, set, name) in systems.into_iter().take(rounds(2, 3)) {
        let program = program(core, name);
        let with = run(&config(core, cores, Some(params(core, cores, set, false))), &program, 300_000);
        let without = run(&config(core, cores, None), &program, 300_000);
        assert!(with.stores > 5_000, "{}", with.stores);
        assert_eq!((with.stores, with.stores_hash), (without.stores, without.stores_hash), "{name}");
        assert_eq!((with.cycles, with.instructions), (without.cycles, without.instructions), "{name}");
        assert_eq!(with.events, without.events, "{name}: other cycles");
        assert!(without.words.is_empty());
    }
}

/// Traced code cannot switch the trace off: its writes to the trace registers have no effect.
#[test]
fn cores_do_not_write_the_trace_registers() {
    #[rustfmt::skip]
    let code: [u32; 14] = [
        0x010002b7, // lui x5, 0x1000
        0x08028293, // addi x5, x5, 0x80: the trace registers
        0x00100313, // addi x6, x0, 1
        0x19000413, // addi x8, x0, 400
        0x0002a423, // sw x0, 8(x5): control = 0
        0x0062a423, // sw x6, 8(x5): control = 1
        0x0062a823, // sw x6, 16(x5): overflow = 1
        0x00138393, // addi x7, x7, 1
        0xfe83c8e3, // blt x7, x8, -16
        0x001004b7, // lui x9, 0x100: exit
        0x00005537, // lui x10, 5
        0x55550513, // addi x10, x10, 0x555: passed
        0x00a4a023, // sw x10, 0(x9)
        0x0000006f, // j .
    ];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let code = Segment::code(RAM_BASE, data);
    let program = Program {
        xlen: 32,
        compressed: false,
        multiplies: false,
        zcm: false,
        tohost: None,
        entry: RAM_BASE,
        segments: vec![code],
        build_id: vec![1],
    };
    let params = params(CoreKind::Picorv32, 1, "small", false);
    let r = run(&config(CoreKind::Picorv32, 1, Some(params)), &program, 100_000);
    assert_eq!(r.exit_code, Some(0));
    assert!(r.instructions[0] > 2_000, "{:?}", r.instructions);
    let c = check(&params, &program, &r).unwrap();
    assert_eq!(c.instructions, r.instructions);
}

#[test]
fn a_slow_serial_line_overflows_and_replay_goes_on() {
    let core = CoreKind::Vexriscv;
    let (params, program) = (params(core, 2, "small", false), program(core, "irq"));
    let slow = SocConfig { log2_fifo: 4, output: Output::Uart { divisor: 16 }, ..config(core, 2, Some(params)) };
    let r = run(&slow, &program, 500_000);
    assert_eq!((r.line_stats.lost, r.line_stats.noise), (0, 0), "the line itself loses nothing");
    let c = check(&params, &program, &r).unwrap();
    assert!(c.overflows > 3 && c.lost > 1000, "{c:?}");
    assert!(c.events > 1000, "replay goes on behind each overflow: {c:?}");
    let told: u64 = c.instructions.iter().sum();
    assert_eq!(told + c.lost, r.instructions.iter().sum::<u64>(), "told and lost instructions are all there are");
    assert!(c.ordered);
    // the cores do not wait for the line
    let free = run(&config(core, 2, None), &program, 500_000);
    assert_eq!((r.stores_hash, r.instructions), (free.stores_hash, free.instructions));
}

#[test]
fn a_fast_serial_line_brings_everything() {
    let core = CoreKind::Picorv32;
    let (params, program) = (params(core, 1, "small", false), program(core, "strsearch"));
    let uart = SocConfig { output: Output::Uart { divisor: 4 }, ..config(core, 1, Some(params)) };
    let r = run(&uart, &program, 400_000);
    let c = check(&params, &program, &r).unwrap();
    assert_eq!(c.golden, Some(true));
    assert!(r.line_stats.frames > 1);
    assert_eq!((r.line_stats.lost, r.line_stats.noise), (0, 0));
}

#[test]
fn a_circular_buffer_keeps_the_end_of_the_run() {
    let core = CoreKind::Vexriscv;
    let (params, program) = (params(core, 2, "small", false), program(core, "irq"));
    let ring = SocConfig { log2_fifo: 4, buffer: Some(9), ..config(core, 2, Some(params)) };
    // stopped by the host at three points: in the middle of a half, soon after a switch of halves, or during one
    for cycles in [150_000, 175_000, 200_003] {
        let r = run(&ring, &program, cycles);
        let [older, newer] = r.halves.as_ref().unwrap();
        assert!(older.words.len() > 192 && older.words.len() <= 256, "{}", older.words.len());
        assert!(!older.cut && !newer.cut);
        let last = find(&params, &program, &r.events, &newer.words, None).unwrap();
        let before = find(&params, &program, &r.events, &older.words, Some(&last)).unwrap();
        assert!(before.instructions > 1000, "{before:?}");
        assert!(before.first.iter().zip(&last.first).all(|(b, l)| b < l), "{before:?} {last:?}");
        // the buffer does not affect the cores
        let free = run(&config(core, 2, None), &program, cycles);
        assert_eq!((r.stores_hash, r.instructions), (free.stores_hash, free.instructions));
    }
}

#[test]
fn programs_that_do_not_fit_are_refused() {
    let core = CoreKind::Picorv32;
    let large = hex(&program(core, "vm"), 4096).unwrap_err().to_string();
    assert!(large.starts_with("the program needs 0x80000000 to 0x8000"), "{large}");
    assert!(large.ends_with("RAM is 4096 bytes, 0x80000000 to 0x80000fff"), "{large}");
    let soc = Soc::build(&config(core, 4, None), false, &default_cache()).unwrap();
    let compressed = match soc.run(&program(CoreKind::Vexriscv, "vm"), &RunOptions::default(), |_| {}) {
        Err(e @ RunError::Image(_)) => e.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        compressed,
        "the program is built for compressed instructions (C extension); expected rv32im, which picorv32 executes"
    );
    let multiplies = check_supported(&program(core, "vm"), CoreKind::Serv).unwrap_err().to_string();
    assert!(
        multiplies.starts_with("the program is built for multiplication and division (M extension); expected rv32i")
    );
    check_supported(&program(CoreKind::Serv, "vm"), CoreKind::Ibex).unwrap();
}

#[test]
fn descriptions_out_of_range_say_what_would_be_right() {
    let good = config(CoreKind::Picorv32, 1, None);
    for (bad, text) in [
        (SocConfig { cores: 9, ..good.clone() }, "cores = 9, expected 1 to 8"),
        (SocConfig { log2_ram: 9, ..good.clone() }, "log2_ram = 9, expected 10 to 24"),
        (SocConfig { tick: 0, ..good.clone() }, "tick = 0, expected 1 to 65535"),
        (SocConfig { output: Output::Port { pins: 3 }, ..good.clone() }, "pins = 3, expected 1, 2, 4 or 8"),
        (SocConfig { output: Output::Uart { divisor: 3 }, ..good.clone() }, "divisor = 3, expected 4 to 65535"),
    ] {
        assert_eq!(bad.check().unwrap_err().to_string(), text);
    }
    for (bad, text) in [
        (SocConfig { buffer: Some(9), ..good.clone() }, "a trace buffer needs trace modules"),
        (SocConfig { host: Host::Starts, ..good.clone() }, "a host that reaches registers needs a serial line"),
    ] {
        assert_eq!(bad.check().unwrap_err().to_string(), text);
    }
}
