//! A captured run is exact: every pc, every straight run, every loaded value

use crate::common::{all, compiled, guest, options, run, All};
use capture::run::Ended;
use retire::elf::Program;
use retire::image::{ExitKind, Image};
use retire::isa::Indirect;
use retire::{DataKind, FlowEvent, FlowKind};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// The pcs in QEMU's log when it translates single instructions and logs each that it begins.
fn logged(qemu: &str, program: &Path, arguments: &[&str]) -> Vec<u64> {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log");
    let mut command = Command::new(qemu);
    command.args(["-singlestep", "-d", "exec,nochain", "-D"]).arg(&log).arg(program).args(arguments);
    command.output().expect("tools/setup installs qemu-user");
    let text = std::fs::read_to_string(log).unwrap();
    // Trace 0: 0x7f... [0000000000000000/0000000000010434/00000000/ff000000] main
    let pcs = text.lines().filter_map(|l| l.split('/').nth(1)).map(|pc| u64::from_str_radix(pc, 16).unwrap());
    pcs.collect()
}

/// The pcs of a run of one hart, derived only from its events and the program. Includes instructions that were begun
/// and did not retire, as QEMU's log does.
fn walked(events: &[(u32, FlowEvent)], image: &Image) -> Vec<u64> {
    let (mut pcs, mut pc) = (Vec::new(), 0);
    for (_, e) in events {
        for i in 0..e.count {
            pcs.push(pc);
            let last = i + 1 == e.count && e.kind.retires();
            if last {
                assert_eq!(pc, e.pc, "{e:?}");
            }
            // the page from which handlers return is QEMU's: two instructions
            let (_, len) = image.instruction(pc).unwrap_or((0, 4));
            if let Some((1, exit)) = image.run(pc).filter(|_| !last) {
                panic!("{e:?}: 0x{:x} is a branch ({:?}), and no event says so", exit.pc, exit.kind);
            }
            pc += u64::from(len);
        }
        match e.kind {
            FlowKind::Trap { interrupt, .. } => {
                assert_eq!(pc, e.pc, "{e:?}");
                if !interrupt {
                    pcs.push(pc);
                }
            }
            FlowKind::Stop => assert_eq!(pc, e.pc, "{e:?}"),
            FlowKind::TrapReturn => {}
            kind => {
                if let Some((_, exit)) = image.run(e.pc).filter(|_| kind.retires()) {
                    let to = match exit.kind {
                        ExitKind::Conditional if e.target != exit.pc + u64::from(exit.len) => exit.target,
                        ExitKind::Jump | ExitKind::Call => exit.target,
                        _ => e.target,
                    };
                    assert_eq!((exit.pc, to), (e.pc, e.target), "{e:?}");
                }
            }
        }
        pc = e.target;
    }
    pcs
}

/// Checks the code of every block against the program.
fn check_code(found: &All, program: &Program) {
    let mut bytes = 0;
    for (start, code) in &found.code {
        let Some(segment) = program.segments.iter().find(|s| (s.addr..s.addr + s.mem_size).contains(start)) else {
            // QEMU's page for handlers
            assert!(code.len() <= 8, "0x{start:x}");
            continue;
        };
        let at = (start - segment.addr) as usize;
        assert_eq!(&segment.data[at..at + code.len()], code, "0x{start:x}");
        bytes += code.len();
    }
    assert!(bytes > 1000, "{bytes}");
}

fn first_difference(a: &[u64], b: &[u64]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let near =
        |v: &[u64]| v[at.saturating_sub(4)..v.len().min(at + 4)].iter().map(|p| format!("{p:x}")).collect::<Vec<_>>();
    format!("{} and {} pcs, the first other at {at}: {:?} {:?}", a.len(), b.len(), near(a), near(b))
}

#[test]
fn every_pc_is_one_that_qemu_logs() {
    for (name, signals) in [("flow", 0), ("signals", 7)] {
        let program = guest(name);
        let captured = run(&program, &options("serial:1000", &[]));
        let (found, expanded) = all(&captured, 1);
        let elf = Program::read(&program).unwrap();
        let (mine, right) = (walked(&found.events, &Image::new(&elf)), logged("qemu-riscv64", &program, &[]));
        assert!(mine == right, "{name}: {}", first_difference(&mine, &right));
        assert!(mine.len() > 5000);
        check_code(&found, &elf);
        assert_eq!((expanded.unexplained, expanded.signals), (0, signals), "{name}: {expanded:?}");
        let traps = found.events.iter().filter(|(_, e)| matches!(e.kind, FlowKind::Trap { .. })).count() as u64;
        // two signals at a time make one trap
        assert_eq!(traps, signals.saturating_sub(1), "{name}");
        let code = if name == "flow" { 3 } else { 0 };
        assert_eq!(captured.ended, Ended::Code(code), "{name}");
    }
}

/// Checks every pc of a machine other than RV64 against QEMU's log, including instructions that trapped.
fn check_against_log(qemu: &str, program: &Path) -> All {
    let captured = run(program, &options("serial:1000", &[]));
    let (found, expanded) = all(&captured, 1);
    let (mut mine, mut right) = (found.begun.iter().map(|p| p.1).collect::<Vec<_>>(), logged(qemu, program, &[]));
    // QEMU logs each repetition of an x86 instruction
    right.dedup();
    mine.dedup();
    assert!(mine == right, "{}: {}", program.display(), first_difference(&mine, &right));
    assert_eq!((expanded.unexplained, captured.ended), (0, logged_end(qemu, program)), "{expanded:?}");
    found
}

fn logged_end(qemu: &str, program: &Path) -> Ended {
    Ended::Code(Command::new(qemu).arg(program).output().unwrap().status.code().unwrap())
}

#[test]
fn every_pc_of_x86_is_one_that_qemu_logs() {
    // only there is the host's compiler one for x86-64
    if std::env::consts::ARCH == "x86_64" {
        for name in ["flow", "signals"] {
            check_against_log("qemu-x86_64", &compiled(name, "gcc"));
        }
    }
}

#[test]
fn every_pc_of_a_dynamic_program_and_its_libraries_is_one_that_qemu_logs() {
    if std::env::consts::ARCH == "x86_64" {
        let program = compiled("flow", "gcc -pie");
        let found = check_against_log("qemu-x86_64", &program);
        let own = found.begun.iter().filter(|(_, pc)| (0x40_0000_0000..0x40_0001_0000).contains(pc)).count();
        // the loader and the library are the larger part
        assert!(own > 1000 && found.begun.len() > 2 * own, "{own} of {}", found.begun.len());
    }
}

#[test]
fn every_pc_of_rv32_is_one_that_qemu_logs() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("rv32");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests/rv32.c");
    let mut compiler = Command::new("riscv64-unknown-elf-gcc");
    compiler.args([
        "-O1",
        "-march=rv32imac",
        "-mabi=ilp32",
        "-nostdlib",
        "-nostartfiles",
        "-ffreestanding",
        "-Wl,--no-relax",
        "-o",
    ]);
    assert!(compiler.arg(&program).arg(source).status().unwrap().success());
    let found = check_against_log("qemu-riscv32", &program);
    let image = Image::new(&Program::read(&program).unwrap());
    assert_eq!(walked(&found.events, &image).len(), found.begun.len());
    let returns = found.events.iter().filter(|(_, e)| e.kind == FlowKind::TrapReturn).count();
    assert_eq!(returns, 1);
}

/// Compilers for 32-bit ARM: Thumb and A32.
const ARM: [&str; 2] = ["arm-linux-gnueabihf-gcc -mthumb", "arm-linux-gnueabihf-gcc -marm"];

#[test]
fn every_pc_of_arm_is_one_that_qemu_logs() {
    for compiler in ARM {
        for name in ["flow", "signals", "arm"] {
            let found = check_against_log("qemu-arm", &compiled(name, compiler));
            let traps = found.events.iter().filter(|(_, e)| matches!(e.kind, FlowKind::Trap { .. })).count();
            assert_eq!(traps, if name == "signals" { 6 } else { 0 }, "{name} {compiler}");
        }
    }
}

#[test]
fn conditional_indirect_branches_of_arm_have_their_outcome() {
    let found = check_against_log("qemu-arm", &compiled("arm", ARM[0]));
    for how in [Indirect::Jump, Indirect::Call, Indirect::Return] {
        for taken in [false, true] {
            let kind = FlowKind::ConditionalIndirect { how, taken };
            let of = || found.events.iter().map(|(_, e)| e).filter(|e| e.kind == kind);
            assert!(of().count() > 10, "{kind:?}: {}", of().count());
            assert!(of().all(|e| (e.target == e.fall_through()) != taken), "{kind:?}");
        }
    }
}

/// A loop, calls, and branches of every AArch64 kind; ends with code 0.
const AARCH64: [u32; 14] = [
    0xd280_00a0, // mov x0, #5
    0x9400_000b, // loop: bl func
    0xf100_0400, // subs x0, x0, #1
    0x54ff_ffc1, // b.ne loop
    0x1000_0101, // adr x1, func
    0xd63f_0020, // blr x1
    0xb400_0040, // cbz x0, over
    0xd503_201f, // nop
    0x3600_0040, // over: tbz x0, #0, end
    0xd503_201f, // nop
    0xd280_0bc8, // end: mov x8, #94
    0xd400_0001, // svc #0
    0xd65f_03c0, // func: ret
    0xd65f_03c0,
];

#[test]
fn every_pc_of_aarch64_is_one_that_qemu_logs() {
    let size = 4 * AARCH64.len() as u64;
    let mut elf = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for half in [2u16, 183] {
        elf.extend(half.to_le_bytes()); // ET_EXEC, EM_AARCH64
    }
    elf.extend(1u32.to_le_bytes());
    for wide in [0x40_0078u64, 64, 0] {
        elf.extend(wide.to_le_bytes()); // entry, program headers, section headers
    }
    elf.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 1, 64, 0, 0] {
        elf.extend(half.to_le_bytes());
    }
    elf.extend([1u32, 5].map(u32::to_le_bytes).concat()); // PT_LOAD, R+X
    for wide in [0, 0x40_0000, 0x40_0000, 120 + size, 120 + size, 0x1000] {
        elf.extend(u64::to_le_bytes(wide));
    }
    elf.extend(AARCH64.map(u32::to_le_bytes).concat());
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("aarch64");
    std::fs::write(&program, elf).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let found = check_against_log("qemu-aarch64", &program);
    let kinds: Vec<u8> = found.events.iter().map(|(_, e)| e.kind.code()).collect();
    // start; call, return, taken (except the last time); indirect call, return; taken twice; stop
    let mut right = vec![0];
    (0..4).for_each(|_| right.extend([4, 7, 2]));
    right.extend([4, 7, 1, 6, 7, 2, 2, 14]);
    assert_eq!(kinds, right);
}

#[test]
fn a_part_is_that_part_of_the_whole() {
    let program = guest("flow");
    let (whole, expanded) = all(&run(&program, &options("serial:1000", &[])), 1);
    for (skip, length) in [(0, 1), (1, 1), (777, 5000), (4001, 1), (12345, 100)] {
        let mut wanted = options("serial:1000", &[]);
        (wanted.skip, wanted.length) = (skip, Some(length));
        let captured = run(&program, &wanted);
        let (part, counts) = all(&captured, 1);
        let (from, to) = (skip as usize, (skip + length) as usize);
        assert!(part.pcs == whole.pcs[from..to], "{skip} {length}");
        assert_eq!((counts.skipped, counts.instructions), (skip, length));
        assert_eq!((captured.limit, captured.ended), (Some("instructions"), Ended::Code(3)));
        let stop = part.events.last().unwrap().1;
        assert_eq!((stop.kind, stop.pc), (FlowKind::Stop, whole.pcs[to].1), "{skip} {length}");
    }
    // after the end
    let mut wanted = options("serial:1000", &[]);
    wanted.skip = 1 << 40;
    let (none, counts) = all(&run(&program, &wanted), 1);
    assert_eq!((none.events.len(), counts.instructions), (0, 0));
    // ended with the trace
    let mut wanted = options("serial:1000", &[]);
    (wanted.length, wanted.end_with_trace) = (Some(100), true);
    assert_eq!(run(&program, &wanted).limit, Some("instructions"));
    assert!(expanded.instructions > 12445);
}

/// Checks every load against a model of memory; returns the number of loads and the addresses that differ.
fn check_loads(found: &All) -> (usize, Vec<u64>) {
    let mut bytes: HashMap<u64, u8> = HashMap::new();
    let (mut loads, mut other) = (0, Vec::new());
    for (_, d) in &found.data {
        match d.kind {
            DataKind::Load { size, addr, value } => {
                loads += 1;
                let known: Vec<_> = (0..u64::from(size))
                    .map(|i| (bytes.insert(addr + i, (value >> (8 * i)) as u8), (value >> (8 * i)) as u8))
                    .collect();
                if known.iter().any(|(before, now)| before.is_some_and(|b| b != *now)) {
                    other.push(addr);
                }
            }
            DataKind::Store { size, addr, value } => {
                for i in 0..u64::from(size) {
                    bytes.insert(addr + i, (value >> (8 * i)) as u8);
                }
            }
            _ => unreachable!(),
        }
    }
    (loads, other)
}

fn symbol(nm: &str, program: &Path, name: &str) -> u64 {
    let text = Command::new(nm).arg(program).output().unwrap().stdout;
    let text = String::from_utf8(text).unwrap();
    let line = text.lines().find(|l| l.ends_with(&format!(" {name}"))).unwrap();
    u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap()
}

#[test]
fn threads_in_turns_load_what_was_stored() {
    let program = guest("threads");
    for schedule in ["serial:1000", "serial:7,jitter,seed=3", "serial:1"] {
        let mut wanted = options(schedule, &["3"]);
        wanted.data = true;
        let captured = run(&program, &wanted);
        assert_eq!((captured.ended, captured.threads), (Ended::Code(0), 7), "{schedule}");
        let harts = captured.harts(16);
        let (found, expanded) = all(&captured, harts);
        assert_eq!(expanded.unexplained, 0, "{schedule}: {expanded:?}");
        let (loads, other) = check_loads(&found);
        let turns = if schedule == "serial:1000" { 10 } else { 500 };
        assert!(captured.switches > turns, "{schedule}: {}", captured.switches);
        // each store of a counter is of a loaded value; how long threads wait for each other depends on the machine
        assert!(loads > 60 + 1800 + 1800, "{schedule}: {loads}");
        // written by the system: a thread's number, at its start and at its end
        assert!(other.len() <= 2 * captured.threads as usize + 1, "{schedule}: {other:x?}");
        let last = |name: &str| {
            let at = symbol("riscv64-linux-gnu-nm", &program, name);
            let mut stores = found.data.iter().filter_map(|(_, d)| match d.kind {
                DataKind::Store { addr, value, .. } if addr == at => Some(value),
                _ => None,
            });
            (stores.clone().count(), stores.next_back().unwrap())
        };
        assert_eq!(last("guarded"), (60, 60), "{schedule}");
        assert_eq!(last("counted"), (1800, 1800), "{schedule}");
        // not deterministic in the program: but no store is lost, and each stores a loaded value plus one
        assert_eq!(last("racing").0, 1800, "{schedule}");
        let cycles: Vec<u64> = found.events.iter().map(|(_, e)| e.cycle).collect();
        assert!(cycles.is_sorted(), "{schedule}");
    }
}

#[test]
fn threads_of_arm_load_what_was_stored() {
    for compiler in ARM {
        let program = compiled("threads", compiler);
        for schedule in ["serial:1000", "serial:7,jitter,seed=3"] {
            let mut wanted = options(schedule, &["3"]);
            wanted.data = true;
            let captured = run(&program, &wanted);
            assert_eq!((captured.ended, captured.threads), (Ended::Code(0), 7), "{schedule}");
            let (found, expanded) = all(&captured, captured.harts(16));
            assert_eq!(expanded.unexplained, 0, "{schedule}: {expanded:?}");
            let (loads, other) = check_loads(&found);
            assert!(loads > 60 + 1800 + 1800, "{schedule}: {loads}");
            assert!(other.len() <= 2 * captured.threads as usize + 1, "{schedule}: {other:x?}");
            for (name, right) in [("guarded", 60), ("counted", 1800)] {
                let at = symbol("arm-linux-gnueabihf-nm", &program, name);
                let stored = found.data.iter().filter_map(|(_, d)| match d.kind {
                    DataKind::Store { addr, value, .. } if addr == at => Some(value),
                    _ => None,
                });
                let stored: Vec<u64> = stored.collect();
                // a failed exclusive store is reported with the old value
                assert!(stored.is_sorted() && stored.last() == Some(&right), "{schedule}: {name}");
            }
        }
    }
}

#[test]
fn every_straight_run_of_threads_is_of_the_program() {
    let program = guest("threads");
    let elf = Program::read(&program).unwrap();
    let image = Image::new(&elf);
    for (schedule, threads) in [("serial:50,jitter,seed=1", "4"), ("free", "4"), ("serial:333", "8")] {
        let captured = run(&program, &options(schedule, &[threads]));
        let alive = captured.max_alive;
        let harts = captured.harts(16);
        assert!(
            u32::from(harts) >= alive.min(16) && alive <= threads.parse::<u32>().unwrap() + 1,
            "{schedule}: {alive}"
        );
        // also with fewer harts than threads
        for harts in [harts, 2] {
            let (found, expanded) = all(&captured, harts);
            check_code(&found, &elf);
            assert_eq!(expanded.unexplained, 0, "{schedule}: {expanded:?}");
            let mut instructions = 0;
            for hart in 0..harts {
                let events: Vec<_> = found.events.iter().filter(|(_, e)| e.hart == hart).copied().collect();
                instructions += walked(&events, &image).len() as u64;
            }
            assert_eq!(instructions, expanded.instructions, "{schedule}");
        }
    }
}

#[test]
fn a_program_that_is_ended_or_replaced_loses_nothing() {
    let program = guest("end");
    let elf = Program::read(&program).unwrap();
    let whole = run(&program, &options("serial:1000", &[]));
    let usual = all(&whole, 1).1.instructions;
    for (how, ended, exec) in [
        ("abort", Ended::Signal(6), false),
        ("kill", Ended::Signal(9), false),
        ("fault", Ended::Signal(11), false),
        ("exec", Ended::Code(9), true),
        ("fork", Ended::Code(5), false),
    ] {
        let captured = run(&program, &options("serial:1000", &[how]));
        assert_eq!(captured.ended, ended, "{how}");
        let (found, expanded) = all(&captured, 1);
        assert_eq!((expanded.unexplained, expanded.exec), (0, exec), "{how}: {expanded:?}");
        let mut right = logged("qemu-riscv64", &program, &[how]);
        let mine = walked(&found.events, &Image::new(&elf));
        if how == "fork" {
            // the log also contains the child, which is not captured
            assert!(expanded.instructions > usual && mine.len() < right.len(), "{how}");
        } else {
            if how == "fault" {
                // begun, but not retired
                right.pop();
                right.truncate(mine.len());
            }
            assert!(mine == right, "{how}: {}", first_difference(&mine, &right));
        }
    }
}
