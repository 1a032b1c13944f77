//! SoCs of softcores that record (scheme `inputs`) in Verilator: replay equals what the cores did, in every register,
//! load and store
//!
//! Each run is limited to some hundred thousand cycles. One of the ignored tests runs all programs on 1, 2 and 4 cores,
//! each for twenty million cycles, or as many as `GOSHAWK_CYCLES` says.

use fpga::soc::core::CoreKind;
use fpga::soc::record::{check, RecordError, Recorded};
use fpga::soc::run::{Run, RunOptions, Soc};
use fpga::soc::top::{Output, Purpose, SocConfig, RAM_BASE};
use fpga::soc::verilate::default_cache;
use retire::elf::{Program, Segment};
use retire::NullSink;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::{InputsError, Replay};
use sim::stimulus::rounds;

/// Small enough that a bank fits, and with frequent checks.
fn sizes() -> Sizes {
    Sizes { entries: 256, check: 12, ..Sizes::default() }
}

fn config(core: CoreKind, cores: u8, sizes: Sizes) -> SocConfig {
    SocConfig { log2_ram: 22, record: Some(sizes), ..SocConfig::simulated(core, cores) }
}

fn program(core: CoreKind, name: &str) -> Option<Program> {
    let builds = programs::find(name).unwrap().soc;
    builds.get(core.core().isa().name()).map(|elf| Program::parse(elf).unwrap())
}

fn run(config: &SocConfig, program: &Program, max_cycles: u64) -> Run {
    let soc = Soc::build(config, false, &default_cache()).unwrap();
    soc.run(program, &RunOptions { max_cycles, ..RunOptions::default() }, |_| {}).unwrap()
}

/// Records, replays and compares; returns the run and the result.
fn recorded(config: &SocConfig, name: &str, cycles: u64) -> (Run, Recorded) {
    let program = program(config.core, name).unwrap();
    let r = run(config, &program, cycles);
    let what = format!("{} {} {name}", config.cores, config.core.name());
    let c = check(&config.inputs().unwrap(), &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_eq!(c.instructions, r.instructions, "{what}");
    assert!(c.golden, "{what}: other bits than the golden model's");
    assert!(r.instructions.iter().all(|n| *n > 100), "{what}: {:?}", r.instructions);
    println!("{what}: {} instructions, {:?}", r.instructions.iter().sum::<u64>(), c.stats);
    (r, c)
}

#[test]
fn one_picorv32_replays_to_all_that_it_did() {
    let (_, c) = recorded(&config(CoreKind::Picorv32, 1, sizes()), "strsearch", 400_000);
    assert!(c.data > 20_000 && c.stats.checks.messages > 5 && c.stats.episodes.messages == 0, "{c:?}");
}

#[test]
fn four_picorv32_replay_to_all_that_they_did() {
    let soc = config(CoreKind::Picorv32, 4, sizes());
    let mut episodes = 0;
    for name in ["bank", "lockcont", "qsort"] {
        let (_, c) = recorded(&soc, name, 300_000);
        assert!(c.data > 50_000 && c.stats.inputs.messages > 20, "{name}: {c:?}");
        episodes += c.stats.episodes.messages;
    }
    assert!(episodes > 500, "{episodes}");
}

/// Checks what `dma` prints, and compares: all words of its frames are recorded except those before a late start.
fn copied(config: &SocConfig) -> Recorded {
    let program = program(config.core, "dma").unwrap();
    let r = run(config, &program, 2_000_000);
    let what = format!("{} {} dma", config.cores, config.core.name());
    let console = String::from_utf8_lossy(&r.console);
    assert!(r.exit_code == Some(0) && console.ends_with(" ok\n"), "{what}: {:?} {console}", r.exit_code);
    let c = check(&config.inputs().unwrap(), &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
    println!("{what}: {:?} instructions, {:?}", c.instructions, c.stats);
    assert!(c.golden, "{what}: other bits than the golden model's");
    // 24 frames of 64 words
    let (stores, all) = (c.stats.masters.messages, 24 * 64);
    assert!(stores == all || config.record_after > 0 && (64..all).contains(&stores), "{what}: {stores}");
    assert!(c.stats.episodes.messages > 100, "{what}: {:?}", c.stats);
    c
}

/// A bus master that is not a core stores data for which all cores wait; the program checks the sum.
#[test]
fn a_dma_is_recorded_and_replayed() {
    let known = Sizes { known: 1024, masters: true, ..sizes() };
    copied(&SocConfig { record_after: 30_001, ..config(CoreKind::Ibex, 2, known) });
}

#[test]
#[ignore = "long: builds three more SoCs"]
fn a_dma_is_recorded_and_replayed_on_other_cores() {
    for (core, cores) in [(CoreKind::Picorv32, 1), (CoreKind::Picorv32, 3), (CoreKind::Ibex, 4)] {
        copied(&config(core, cores, Sizes { masters: true, ..sizes() }));
    }
}

/// The registers between cache and bus are removed: a store retires when the bus has completed it.
#[test]
fn three_vexriscv_replay_to_all_that_they_did() {
    let soc = config(CoreKind::Vexriscv, 3, Sizes { masters: true, ..sizes() });
    let mut episodes = 0;
    for name in ["bank", "irq"] {
        let (_, c) = recorded(&soc, name, 200_000);
        assert!(c.data > 50_000 && c.stats.inputs.messages > 20, "{name}: {c:?}");
        episodes += c.stats.episodes.messages;
    }
    assert!(episodes > 300, "{episodes}");
    copied(&soc);
}

/// Number of interrupts of a cause that were taken.
fn interrupts(r: &Run, cause: u8) -> u64 {
    r.data.as_ref().unwrap().interrupts.iter().filter(|i| i.2 == cause).count() as u64
}

/// A single core has no episodes: only the counts of its interrupts, values and checks are sent.
#[test]
#[ignore = "long: builds another SoC"]
fn one_ibex_replays_with_its_interrupts() {
    let (r, c) = recorded(&config(CoreKind::Ibex, 1, sizes()), "irq", 600_000);
    let (timer, software) = (interrupts(&r, 7), interrupts(&r, 3));
    println!("{timer} timer interrupts, {software} of software");
    assert!(timer > 100 && software > 200 && c.stats.episodes.messages == 0, "{timer}, {software}, {c:?}");
    assert_eq!(c.stats.traps.messages, timer + software);
}

/// Handlers, `mret`, `wfi`, exceptions that replay infers, and timer and software interrupts, which are sent.
#[test]
fn four_ibex_replay_to_all_that_they_did() {
    let soc = config(CoreKind::Ibex, 4, sizes());
    let (mut episodes, mut timer, mut software) = (0, 0, 0);
    for name in ["irq", "bank"] {
        let (r, c) = recorded(&soc, name, 200_000);
        assert!(c.data > 50_000 && c.stats.inputs.messages > 20, "{name}: {c:?}");
        let (of_timer, of_software) = (interrupts(&r, 7), interrupts(&r, 3));
        assert_eq!(c.stats.traps.messages, of_timer + of_software);
        (timer, software) = (timer + of_timer, software + of_software);
        episodes += c.stats.episodes.messages;
    }
    println!("{episodes} episodes, {timer} timer interrupts, {software} of software");
    assert!(episodes > 1000 && timer > 0 && software > 0 && timer + software > 300, "{episodes}, {timer}, {software}");
}

/// The cores run, then wait while their state is sent, then continue: replay starts there.
#[test]
fn a_recording_may_begin_in_the_middle_of_a_run() {
    let known = Sizes { known: 4096, ..sizes() };
    // in the short form, ibex begins late with a DMA, in another test
    for (core, cores, name, after, cycles) in [
        (CoreKind::Picorv32, 4, "bank", 40_001, 200_000),
        (CoreKind::Ibex, 2, "irq", 100_123, 250_000),
        (CoreKind::Picorv32, 3, "lockcont", 90_000, 200_000),
    ]
    .into_iter()
    .take(rounds(1, 3))
    {
        let config = SocConfig { record_after: after, ..config(core, cores, known) };
        let program = program(core, name).unwrap();
        let r = run(&config, &program, cycles);
        let what = format!("{cores} {} {name}", core.name());
        let c = check(&config.inputs().unwrap(), &program, &r).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(c.golden, "{what}: other bits than the golden model's");
        let begun = r.data.as_ref().unwrap().start_cycle.unwrap();
        assert!((u64::from(after) + 60..u64::from(after) + 2_000).contains(&begun), "{what}: {begun}");
        for (all, replayed) in r.instructions.iter().zip(&c.instructions) {
            assert!(replayed > &100 && all > &(replayed + 100), "{what}: {replayed} of {all}");
        }
        println!(
            "{what}: begun {} cycles behind {after}, {:?} of {:?} instructions, {:?}",
            begun - u64::from(after),
            c.instructions,
            r.instructions,
            c.stats
        );
    }
}

/// The timer's interrupt is reported as a software interrupt, and vice versa: the handler's entry differs.
#[test]
#[ignore = "long: builds another SoC"]
fn an_interrupt_of_another_cause_is_found() {
    let config = config(CoreKind::Ibex, 1, sizes());
    let soc = Soc::build_edited(&config, false, &default_cache(), |verilog| {
        let right = "assign trap_cause = taken_cause[3:0];";
        assert_eq!(verilog.matches(right).count(), 1);
        verilog.replace(right, "assign trap_cause = taken_cause[3:0] ^ 4'd4;")
    });
    let program = program(CoreKind::Ibex, "irq").unwrap();
    let r = soc.unwrap().run(&program, &RunOptions { max_cycles: 100_000, ..RunOptions::default() }, |_| {}).unwrap();
    let told = check(&config.inputs().unwrap(), &program, &r).unwrap_err();
    println!("{told}");
}

#[test]
fn cores_that_cannot_be_recorded_say_why() {
    let say = |core| config(core, 1, sizes()).verilog(Purpose::Simulation).unwrap_err().to_string();
    let known = Sizes { known: 4096, ..sizes() };
    let late = SocConfig { record_after: 1000, ..config(CoreKind::Vexriscv, 1, known) };
    let vexriscv = late.check().unwrap_err().to_string();
    assert!(vexriscv.ends_with("vexriscv continues from its instruction cache"), "{vexriscv}");
    let serv = say(CoreKind::Serv);
    assert!(serv.contains("which pythondata-cpu-serv does not report"), "{serv}");
}

/// Two loads of the timer in a loop, each a 32-bit input: they come faster than they can be sent.
fn talker() -> Program {
    #[rustfmt::skip]
    let code: [u32; 9] = [
        0xf200c2b7, // lui x5, 0xf200c
        0x32000413, // addi x8, x0, 800
        0xff82a303, // lw x6, -8(x5): mtime
        0xffc2a383, // lw x7, -4(x5)
        0xfff40413, // addi x8, x8, -1
        0xfe041ae3, // bne x8, x0, -12
        0xf01004b7, // lui x9, 0xf0100: exit
        0x0004a023, // sw x0, 0(x9)
        0x0000006f, // j .
    ];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let code = Segment::code(RAM_BASE, data);
    let segments = vec![code];
    Program {
        xlen: 32,
        compressed: false,
        multiplies: false,
        zcm: false,
        entry: RAM_BASE,
        segments,
        build_id: vec![1],
        tohost: None,
    }
}

/// With a table of one value, a FIFO of 14 entries and one pin. If the cores did not wait, messages would be lost.
#[test]
fn cores_wait_where_messages_come_faster_than_they_leave() {
    let small = Sizes { entries: 16, check: 10, last: 1, ..Sizes::default() };
    let config = SocConfig { log2_fifo: 4, output: Output::Port { pins: 1 }, ..config(CoreKind::Picorv32, 1, small) };
    let (program, params) = (talker(), config.inputs().unwrap());
    let options = RunOptions { mtime: 0x5555_5555_5555_5555, ..RunOptions::default() };
    let go = |soc: &Soc| soc.run(&program, &options, |_| {}).unwrap();
    let waits = go(&Soc::build(&config, false, &default_cache()).unwrap());
    let c = check(&params, &program, &waits).unwrap();
    assert!(c.golden && c.stats.inputs.messages == 1600, "{c:?}");
    let rushes = Soc::build_edited(&config, false, &default_cache(), |verilog| {
        assert_eq!(verilog.matches("wire still = stopping || hold;").count(), 1);
        verilog.replace("wire still = stopping || hold;", "wire still = stopping;")
    });
    let rushes = go(&rushes.unwrap());
    assert!(rushes.cycles < waits.cycles, "{} and {} cycles", rushes.cycles, waits.cycles);
    assert!(!check(&params, &program, &rushes).is_ok_and(|c| c.golden), "nothing was lost");
}

#[test]
#[ignore = "long: 20 million cycles of each program"]
fn all_programs_on_one_two_and_four_cores() {
    let cycles = std::env::var("GOSHAWK_CYCLES").map_or(20_000_000, |n| n.parse().unwrap());
    let mut instructions = 0;
    for core in [CoreKind::Vexriscv, CoreKind::Picorv32, CoreKind::Ibex] {
        for cores in [1, 2, 4] {
            let soc = config(core, cores, Sizes::default());
            for p in programs::PROGRAMS.iter().filter(|p| program(core, p.name).is_some()) {
                let (r, c) = recorded(&soc, p.name, cycles);
                let n: u64 = r.instructions.iter().sum();
                instructions += n;
                println!(
                    "{} {cores} {}: {n} instructions, {:.5} bits each",
                    core.name(),
                    p.name,
                    c.stats.bits as f64 / n as f64
                );
            }
        }
    }
    println!("{instructions} instructions");
}

/// Failing runs of `race`, each started at another time.
fn races(soc: &Soc, runs: u64) -> Vec<(u64, Run)> {
    let program = program(CoreKind::Picorv32, "race").unwrap();
    let one = |mtime| (mtime, soc.run(&program, &RunOptions { mtime, ..RunOptions::default() }, |_| {}).unwrap());
    (0..runs).map(one).filter(|(_, r)| r.exit_code != Some(0)).collect()
}

/// Of a hundred runs some fail; the recording of one fails each time that it is replayed, at the same instruction.
#[test]
fn a_race_that_seldom_shows_is_recorded_once_and_replayed_a_hundred_times() {
    let config = config(CoreKind::Picorv32, 4, sizes());
    let soc = Soc::build(&config, false, &default_cache()).unwrap();
    let program = program(CoreKind::Picorv32, "race").unwrap();
    let failed = races(&soc, 100);
    println!("{:?}", failed.iter().map(|f| f.0).collect::<Vec<_>>());
    assert!((1..=3).contains(&failed.len()), "{} of 100 runs fail", failed.len());
    let (_, r) = &failed[0];
    assert!(r.exit_code == Some(1) && r.console == b"race: 1 updates lost\n", "{:?}", r.exit_code);
    let params = config.inputs().unwrap();
    let c = check(&params, &program, r).unwrap();
    assert!(c.golden && c.instructions == r.instructions);
    let ends = |replay: &Replay| (0..4).map(|c| (replay.pc(c), replay.registers(c))).collect::<Vec<_>>();
    let mut first = None;
    for _ in 0..100 {
        let mut replay = Replay::new(&params, &program, r.words.as_slice()).unwrap().unwrap();
        replay.run(&mut NullSink, |_| false).unwrap();
        assert_eq!(*first.get_or_insert_with(|| ends(&replay)), ends(&replay));
    }
}

/// `sltu`, and the branches that use it, ignore the highest bit.
#[test]
fn a_fault_of_a_core_is_found_by_the_check_of_the_state() {
    let config = config(CoreKind::Picorv32, 1, sizes());
    let right = "alu_ltu = reg_op1 < reg_op2;";
    let soc = Soc::build_edited(&config, false, &default_cache(), |verilog| {
        assert_eq!(verilog.matches(right).count(), 1);
        verilog.replace(right, "alu_ltu = reg_op1[30:0] < reg_op2[30:0];")
    });
    let program = program(CoreKind::Picorv32, "crypt").unwrap();
    let r = soc.unwrap().run(&program, &RunOptions { max_cycles: 200_000, ..RunOptions::default() }, |_| {}).unwrap();
    let params = config.inputs().unwrap();
    // the log shows the instruction
    let told = check(&params, &program, &r).unwrap_err();
    println!("{told}");
    let RecordError::Different { core, what: "datum" | "event", .. } = told else { panic!("{told}") };
    // without the log, replay reports the stretch
    let mut replay = Replay::new(&params, &program, r.words.as_slice()).unwrap().unwrap();
    let found = replay.run(&mut NullSink, |_| false).unwrap_err();
    println!("{found}");
    let InputsError::Diverged { core: of, stretches, .. } = found else { panic!("{found}") };
    assert_eq!(of, core);
    let (from, to) = stretches.0[usize::from(of)];
    assert!(to - from <= 2 << sizes().check, "{from} to {to}");
}

#[test]
fn a_wrong_bit_is_found() {
    let soc = config(CoreKind::Picorv32, 4, sizes());
    let program = program(CoreKind::Picorv32, "bank").unwrap();
    let mut r = run(&soc, &program, 100_000);
    let middle = r.words.len() / 2;
    r.words[middle] ^= 1 << 7;
    assert!(matches!(
        check(&soc.inputs().unwrap(), &program, &r),
        Err(RecordError::Replay(_) | RecordError::Different { .. })
    ));
}
