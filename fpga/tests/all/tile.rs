//! RV64 cores with their trace systems in Verilator: the trace equals what the cores retired
//!
//! Ignored by default: Verilator and the compiler take half a minute per core, and `tools/setup` fetches the cores only
//! with `GOSHAWK_LONG=1`.

use fpga::soc::verilate::default_cache;
use fpga::tile::check::check;
use fpga::tile::run::{Run, Tile};
use fpga::tile::TileKind;
use retire::elf::Program;
use retire::FlowKind;
use sim::params::{named_set, TraceParams};

const LOG2_FIFO: u8 = 6;

fn params(kind: TileKind, set: &str) -> TraceParams {
    let set = named_set(set).unwrap();
    TraceParams::tr(set.params).with(|p| (p.cores, p.xlen, p.align) = (kind.harts(), 64, 1))
}

fn program(name: &str) -> Program {
    Program::parse(programs::find_tile(name).unwrap().elf).unwrap()
}

/// Runs each program for `cycles` cycles, and checks its trace against the log.
fn traced(kind: TileKind, set: &str, names: &[&str], cycles: u64) -> Vec<Run> {
    let params = params(kind, set);
    let tile = Tile::build(kind, &params, LOG2_FIFO, &default_cache()).unwrap();
    names
        .iter()
        .map(|name| {
            let what = format!("{} {name}", kind.name());
            let program = program(name);
            let run = tile.run(&program, cycles).unwrap_or_else(|e| panic!("{what}: {e}"));
            let c = check(&params, &program, &run).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(c.overflows, 0, "{what}");
            assert_eq!(c.instructions.iter().sum::<u64>(), run.instructions(), "{what}");
            assert!(c.ordered, "{what}: messages out of order");
            assert_eq!(c.golden, Some(true), "{what}: other bits than the golden model's");
            println!(
                "{what}: {} instructions in {} clocks, {} pairs, {} traps, {} bits, {:.4} an instruction, {:.1} s",
                run.instructions(),
                run.cycles,
                run.pairs,
                run.traps,
                c.bits,
                c.bits as f64 / run.instructions() as f64,
                run.seconds
            );
            run
        })
        .collect()
}

#[test]
#[ignore = "long: builds cva6"]
fn cva6_with_two_instructions_a_clock_replays_to_what_it_retired() {
    let names = ["traps", "vm", "fsm", "qsort", "lz", "strsearch", "crypt", "matmul"];
    let runs = traced(TileKind::Cva6, "small", &names, 200_000);
    for (name, run) in names.iter().zip(&runs) {
        assert!(run.instructions() > 50_000 && run.pairs > 2_000, "{name}: {}, {}", run.instructions(), run.pairs);
    }
    assert!(runs[0].traps > 500, "{}", runs[0].traps);
}

#[test]
#[ignore = "long: builds cva6"]
fn cva6_runs_a_program_to_its_end() {
    let run = &traced(TileKind::Cva6, "small", &["traps"], 0)[0];
    assert_eq!(run.exit_code, Some(0));
    assert_eq!(String::from_utf8_lossy(&run.console), format!("{}\n", programs::find_tile("traps").unwrap().output));
}

#[test]
#[ignore = "long: builds rocket"]
fn rocket_by_its_trace_port_replays_to_what_it_retired() {
    let names = ["traps", "vm", "fsm", "qsort", "lz", "strsearch", "crypt", "matmul"];
    let runs = traced(TileKind::Rocket, "small", &names, 300_000);
    assert!(runs.iter().all(|r| r.instructions() > 50_000));
    let traps = runs[0].events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
    assert!(traps > 300, "{traps}");
}

#[test]
#[ignore = "long: builds four rockets"]
fn four_rockets_replay_to_what_they_retired_in_order() {
    for run in traced(TileKind::Rocket4, "medium", &["lockcont", "fft", "radix"], 300_000) {
        let by_hart: Vec<usize> = run.addresses.iter().map(Vec::len).collect();
        // a hart that waits for the others' work sleeps
        assert!(by_hart.iter().all(|n| *n > 100) && run.instructions() > 100_000, "{by_hart:?}");
    }
}
