//! RV64 cores with their trace systems in Verilator: the trace equals what the cores retired
//!
//! Ignored by default: Verilator and the compiler take half a minute per core, and `tools/setup` fetches the cores only
//! with `GOSHAWK_LONG=1`.

use fpga::soc::verilate::default_cache;
use fpga::tile::check::{check, check_filtered, TileError};
use fpga::tile::run::{Job, Run, Tile};
use fpga::tile::{Setup, TileKind};
use retire::elf::{Program, Segment};
use retire::image::Image;
use retire::{Context, FlowKind};
use sim::params::{named_set, TraceParams};
use std::collections::BTreeSet;

const SETUP: Setup = Setup { fifo_address_bits: 6, filter: false };

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
    let tile = Tile::build(kind, &params, SETUP, &default_cache()).unwrap();
    names
        .iter()
        .map(|name| {
            let what = format!("{} {name}", kind.name());
            let program = program(name);
            let job = Job::new(&program, cycles);
            let run = tile.run(&job).unwrap_or_else(|e| panic!("{what}: {e}"));
            let c = check(&params, &job, &run).unwrap_or_else(|e| panic!("{what}: {e}"));
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
    let traps = runs[0].log.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
    assert!(traps > 300, "{traps}");
}

#[test]
#[ignore = "long: builds four rockets"]
fn four_rockets_replay_to_what_they_retired_in_order() {
    for run in traced(TileKind::Rocket4, "medium", &["lockcont", "fft", "radix"], 300_000) {
        let by_hart: Vec<usize> = run.log.addresses.iter().map(Vec::len).collect();
        // a hart that waits for the others' work sleeps
        assert!(by_hart.iter().all(|n| *n > 100) && run.instructions() > 100_000, "{by_hart:?}");
    }
}

const SMP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/paged/elf");

/// The kernel with six processes, and the programs of their address spaces in user mode.
fn processes() -> (Program, Vec<(Context, Image)>) {
    let program = |name: &str| Program::parse(&std::fs::read(format!("{SMP}/{name}.elf")).unwrap()).unwrap();
    let user = |i: u32| (Context::new(0, 256 + i), Image::new(&program(["a", "b"][i as usize % 2])));
    (program("smp"), (0..6).map(user).collect())
}

#[test]
#[ignore = "long: builds four rockets"]
fn processes_that_move_between_four_rockets_are_traced_with_contexts() {
    let params = params(TileKind::Rocket4, "medium").with(|p| p.context = Some(16));
    let (kernel, of) = processes();
    let tile = Tile::build(TileKind::Rocket4, &params, SETUP, &default_cache()).unwrap();
    let job = Job { of, ..Job::new(&kernel, 400_000) };
    let run = tile.run(&job).unwrap();
    let c = check(&params, &job, &run).unwrap();
    assert_eq!((c.overflows, c.ordered, c.golden), (0, true, Some(true)));
    assert_eq!(c.instructions.iter().sum::<u64>(), run.instructions());
    let contexts: BTreeSet<(u8, Context)> = run
        .log
        .events
        .iter()
        .filter_map(|e| if let FlowKind::Context { context, .. } = e.kind { Some((e.hart, context)) } else { None })
        .collect();
    println!(
        "{} instructions in {} clocks, {} changes of context, {} bits, {:.4} an instruction, {:.1} s: {:?}",
        run.instructions(),
        run.cycles,
        run.log.events.iter().filter(|e| matches!(e.kind, FlowKind::Context { .. })).count(),
        c.bits,
        c.bits as f64 / run.instructions() as f64,
        run.seconds,
        String::from_utf8_lossy(&run.console),
    );
    // each process in user mode, and some process on two harts
    let users: Vec<(u8, Context)> = contexts.iter().filter(|(_, c)| c.privilege() == 0).copied().collect();
    let spaces: BTreeSet<u32> = users.iter().map(|(_, c)| c.id()).collect();
    assert_eq!(spaces, (256..262).collect());
    assert!(users.len() > spaces.len(), "no process moved: {users:?}");
}

#[test]
#[ignore = "long: builds four rockets"]
fn a_filter_by_the_privilege_mode_of_four_rockets_shows_user_code_only() {
    let params = params(TileKind::Rocket4, "medium").with(|p| p.context = Some(16));
    let (kernel, of) = processes();
    let setup = Setup { filter: true, ..SETUP };
    let tile = Tile::build(TileKind::Rocket4, &params, setup, &default_cache()).unwrap();
    let job = Job { of, modes: 1, ..Job::new(&kernel, 400_000) };
    let run = tile.run(&job).unwrap();
    let found = check_filtered(&params, &job, &run).unwrap();
    assert!(found.shown == found.selected && found.shown > 100_000 && found.hidden > 20_000, "{found:?}");
    println!("{found:?}");
    // processes are below 0x80000000, the kernel is above
    let users = run.log.addresses.iter().flatten().filter(|pc| **pc < 0x8000_0000).count();
    assert_eq!(found.selected, users as u64);
    // it finds what a wrong filter would show, and a wrong count
    let supervisor = Job { modes: 2, ..job.clone() };
    assert!(matches!(
        check_filtered(&params, &supervisor, &run),
        Err(TileError::Shown { .. } | TileError::Address { .. })
    ));
    let mut other = run.clone();
    other.log.addresses.iter_mut().for_each(|a| _ = a.remove(a.len() / 2));
    other.log.modes.iter_mut().for_each(|m| _ = m.remove(m.len() / 2));
    assert!(matches!(check_filtered(&params, &job, &other), Err(TileError::Address { .. })));
}

#[test]
#[ignore = "long: builds four rockets"]
fn a_uart_of_rocket_receives_what_is_sent() {
    let code: [u32; 14] = [
        0xf140_22f3, // csrr t0, mhartid
        0x0002_9063, // bnez t0, here
        0x1000_02b7, // lui t0, 0x10000
        0x0052_c303, // again: lbu t1, 5(t0)
        0x0013_7313, // andi t1, t1, 1
        0xfe03_0ce3, // beqz t1, again
        0x0002_c303, // lbu t1, 0(t0)
        0x0062_8023, // sb t1, 0(t0)
        0x00a0_0393, // li t2, 10
        0xfe73_14e3, // bne t1, t2, again
        0x1010_0e37, // lui t3, 0x10100
        0x0000_5eb7, // lui t4, 5
        0x555e_8e93, // addi t4, t4, 0x555
        0x01de_2023, // sw t4, 0(t3)
    ];
    let data = code.iter().chain(&[0x0000_006f]).flat_map(|word| word.to_le_bytes()).collect();
    let echo = Program { segments: vec![Segment::code(0x8000_0000, data)], ..program("lockcont") };
    let params = params(TileKind::Rocket4, "medium");
    let tile = Tile::build(TileKind::Rocket4, &params, SETUP, &default_cache()).unwrap();
    let job = Job { input: b"from the host\n".to_vec(), ..Job::new(&echo, 100_000) };
    let run = tile.run(&job).unwrap();
    assert_eq!((run.exit_code, run.console.as_slice()), (Some(0), job.input.as_slice()));
    assert_eq!(check(&params, &job, &run).unwrap().golden, Some(true));
}

#[test]
#[ignore = "long: builds four rockets"]
fn a_byte_that_a_uart_of_rocket_receives_interrupts_through_its_plic() {
    let code: [u32; 33] = [
        0xf140_22f3, // _start: csrr t0, mhartid
        0x0602_9e63, // bnez t0, here
        0x0000_0297, // auipc t0, 0
        0x04c2_8293, // addi t0, t0, 76
        0x3052_9073, // csrw mtvec, t0
        0x0c00_02b7, // lui t0, 0xc000
        0x0010_0313, // li t1, 1
        0x0062_a223, // sw t1, 4(t0)
        0x0c00_23b7, // lui t2, 0xc002
        0x0020_0313, // li t1, 2
        0x0063_a023, // sw t1, 0(t2)
        0x0c20_0437, // lui s0, 0xc200
        0x0004_2023, // sw zero, 0(s0)
        0x1000_04b7, // lui s1, 0x10000
        0x0010_0313, // li t1, 1
        0x0064_80a3, // sb t1, 1(s1)
        0x00b3_1313, // slli t1, t1, 11
        0x3043_1073, // csrw mie, t1
        0x3004_6073, // csrsi mstatus, 8
        0x1050_0073, // wait: wfi
        0xffdf_f06f, // j wait
        0x0044_2e03, // handler: lw t3, 4(s0)
        0x0004_c303, // lbu t1, 0(s1)
        0x0064_8023, // sb t1, 0(s1)
        0x01c4_2223, // sw t3, 4(s0)
        0x00a0_0393, // li t2, 10
        0x0073_1a63, // bne t1, t2, back
        0x1010_0e37, // lui t3, 0x10100
        0x0000_5eb7, // lui t4, 5
        0x555e_8e93, // addi t4, t4, 0x555
        0x01de_2023, // sw t4, 0(t3)
        0x3020_0073, // back: mret
        0x0000_006f, // here: j here
    ];
    let data = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let echo = Program { segments: vec![Segment::code(0x8000_0000, data)], ..program("lockcont") };
    let params = params(TileKind::Rocket4, "medium");
    let tile = Tile::build(TileKind::Rocket4, &params, SETUP, &default_cache()).unwrap();
    let job = Job { input: b"by interrupts\n".to_vec(), ..Job::new(&echo, 100_000) };
    let run = tile.run(&job).unwrap();
    assert_eq!((run.exit_code, run.console.as_slice()), (Some(0), job.input.as_slice()));
    let c = check(&params, &job, &run).unwrap();
    assert_eq!((c.overflows, c.golden), (0, Some(true)));
    // once for each byte; an interrupt that follows a return at once looks like a return to the handler
    let handled = run.log.addresses[0].iter().filter(|pc| **pc == 0x8000_0054).count();
    assert_eq!(handled, job.input.len());
    assert!(run.log.events.iter().any(|e| matches!(e.kind, FlowKind::Trap { .. })));
}
