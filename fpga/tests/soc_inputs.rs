//! SoCs of softcores that record (scheme `inputs`) in Verilator: replay of what the trace port sends is what the cores did,
//! in every register, load and store
//!
//! The runs are cut at some hundred thousand cycles; with `GOSHAWK_LONG=1` all programs run on 1, 2 and 4 cores, each for
//! twenty million.

use fpga::soc::core::CoreKind;
use fpga::soc::record::{check, RecordError, Recorded};
use fpga::soc::run::{Run, RunOptions, Soc};
use fpga::soc::top::{Host, Output, SocConfig};
use fpga::soc::verilate::default_cache;
use retire::elf::Program;
use sim::scheme::inputs::params::Sizes;

fn long() -> bool {
    std::env::var_os("GOSHAWK_LONG").is_some_and(|v| v == "1")
}

/// Small enough that a bank fits, and a check comes soon.
fn sizes() -> Sizes {
    Sizes { entries: 256, check: 12, ..Sizes::default() }
}

fn config(core: CoreKind, cores: u8, sizes: Sizes) -> SocConfig {
    SocConfig {
        core,
        cores,
        log2_ram: 24,
        private_fetch: true,
        trace: None,
        record: Some(sizes),
        log2_fifo: 8,
        buffer: None,
        output: Output::Port { pins: 4 },
        host: Host::Listens,
        tick: 16,
    }
}

fn program(core: CoreKind, name: &str) -> Option<Program> {
    let builds = programs::find(name).unwrap().soc;
    builds.get(core.core().isa().name()).map(|elf| Program::parse(elf).unwrap())
}

fn run(config: &SocConfig, program: &Program, max_cycles: u64) -> Run {
    let soc = Soc::build(config, false, &default_cache()).unwrap();
    soc.run(program, &RunOptions { max_cycles, ..RunOptions::default() }, |_| {}).unwrap()
}

/// Records, replays and compares; what was found.
fn recorded(config: &SocConfig, name: &str, cycles: u64) -> (Run, Recorded) {
    let program = program(config.core, name).unwrap();
    let r = run(config, &program, cycles);
    let what = format!("{} {} {name}", config.cores, config.core.name());
    let c = check(&config.inputs().unwrap(), &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(c.instructions, r.instructions, "{what}");
    assert!(c.golden, "{what}: other bits than the golden model's");
    assert!(r.instructions.iter().all(|n| *n > 100), "{what}: {:?}", r.instructions);
    (r, c)
}

#[test]
fn one_picorv32_replays_to_all_that_it_did() {
    let (_, c) = recorded(&config(CoreKind::Picorv32, 1, sizes()), "strsearch", 400_000);
    assert!(c.data > 30_000 && c.stats.checks.messages > 5 && c.stats.episodes.messages == 0, "{c:?}");
}

#[test]
fn four_picorv32_replay_to_all_that_they_did() {
    let soc = config(CoreKind::Picorv32, 4, sizes());
    for name in ["bank", "lockcont", "qsort"] {
        let (_, c) = recorded(&soc, name, 400_000);
        assert!(c.data > 100_000 && c.stats.episodes.messages > 100 && c.stats.inputs.messages > 20, "{name}: {c:?}");
    }
}

#[test]
fn cores_that_run_into_small_tables_and_fifos_wait() {
    let small = Sizes { entries: 16, tag: 3, check: 10, last: 1, ..Sizes::default() };
    let soc = SocConfig { log2_fifo: 5, output: Output::Port { pins: 1 }, ..config(CoreKind::Picorv32, 2, small) };
    let (r, c) = recorded(&soc, "bank", 400_000);
    assert!(c.stats.full > 1000, "{c:?}");
    let free = run(&config(CoreKind::Picorv32, 2, sizes()), &program(CoreKind::Picorv32, "bank").unwrap(), 400_000);
    let sum = |r: &Run| r.instructions.iter().sum::<u64>();
    assert!(sum(&r) < sum(&free), "the cores never waited");
}

#[test]
fn a_program_records_to_its_end_with_what_it_printed() {
    let soc = config(CoreKind::Picorv32, 2, Sizes::default());
    let (r, c) = recorded(&soc, "vm", 0);
    assert_eq!(r.exit_code, Some(0));
    assert!(String::from_utf8(r.console).unwrap().ends_with(&format!("{}\n", programs::find("vm").unwrap().output)));
    assert!(c.events > 100_000, "{c:?}");
}

#[test]
fn all_programs_on_one_two_and_four_cores() {
    if !long() {
        return;
    }
    let mut instructions = 0;
    for core in [CoreKind::Picorv32] {
        for cores in [1, 2, 4] {
            let soc = config(core, cores, Sizes::default());
            for p in programs::PROGRAMS.iter().filter(|p| program(core, p.name).is_some()) {
                let (r, c) = recorded(&soc, p.name, 20_000_000);
                let n: u64 = r.instructions.iter().sum();
                instructions += n;
                println!("{} {cores} {}: {n} instructions, {:.5} bits each", core.name(), p.name, c.stats.bits as f64 / n as f64);
            }
        }
    }
    println!("{instructions} instructions");
}

#[test]
fn a_wrong_bit_is_found() {
    let soc = config(CoreKind::Picorv32, 2, sizes());
    let program = program(CoreKind::Picorv32, "bank").unwrap();
    let mut r = run(&soc, &program, 100_000);
    let middle = r.words.len() / 2;
    r.words[middle] ^= 1 << 7;
    assert!(matches!(
        check(&soc.inputs().unwrap(), &program, &r),
        Err(RecordError::Replay(_) | RecordError::Different { .. })
    ));
}
