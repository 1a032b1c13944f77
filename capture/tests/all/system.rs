//! Whole machines: every pc of every hart matches QEMU's log of the same run, including traps and interrupts

use crate::common::{all, options, run};
use capture::run::Ended;
use retire::{DataKind, FlowKind};
use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/bare/elf").join(name)
}

/// A pc, and whether its hart may have stopped before it and logged it again.
type Logged = (u64, bool);

/// Logged pcs by hart.
fn logged(log: &Path, harts: usize) -> Vec<Vec<Logged>> {
    let mut pcs: Vec<Vec<Logged>> = vec![Vec::new(); harts];
    for line in BufReader::new(std::fs::File::open(log).unwrap()).lines() {
        // the last line is cut
        let Ok(line) = line else { break };
        // Trace 0: 0x7f... [0000000000000000/0000000080000434/00000000/ff000000] main
        if let Some((hart, rest)) = line.strip_prefix("Trace ").and_then(|l| l.split_once(':')) {
            let Some(pc) = rest.split('/').nth(1).and_then(|pc| u64::from_str_radix(pc, 16).ok()) else { break };
            pcs[hart.parse::<usize>().unwrap()].push((pc, false));
        } else if line.starts_with("Stopped execution") {
            let Some(pc) = line.split(['[', ']']).nth(1).and_then(|pc| u64::from_str_radix(pc, 16).ok()) else { break };
            // the line does not name the hart
            for last in pcs.iter_mut().filter_map(|p| p.last_mut()).filter(|l| l.0 == pc) {
                last.1 = true;
            }
        }
    }
    pcs
}

/// Checks the captured pcs of a hart against the log, up to where the log was cut.
///
/// `mine`: each pc, and the address that an interrupt before it interrupted. That one may be in the log: it trapped,
/// and the interrupt came before the first instruction of its handler. `is_x86`: instructions can be repeated.
fn check_against_log(mine: &[(u64, Option<u64>)], log: &[Logged], is_x86: bool, what: &str) {
    let mut at = 0;
    for (i, (pc, interrupted)) in mine.iter().enumerate() {
        // logged for each repetition
        while at > 0 && is_x86 && log.get(at).is_some_and(|next| next.0 == log[at - 1].0 && next.0 != *pc) {
            at += 1;
        }
        if at + 64 > log.len() {
            assert!(10 * i > 9 * mine.len(), "{what}: the log ends at instruction {i} of {}", mine.len());
            return;
        }
        while log[at].1 && log.get(at + 1).is_some_and(|next| next.0 == *pc) {
            at += 1;
        }
        if log[at].0 != *pc && Some(log[at].0) == *interrupted {
            at += 1;
        }
        // before an interrupt
        while log[at].1 && log[at].0 != *pc {
            at += 1;
        }
        let near: Vec<String> = log[at.saturating_sub(3)..at + 3].iter().map(|l| format!("{:x}", l.0)).collect();
        assert_eq!(log[at].0, *pc, "{what}, instruction {i}: {pc:x}, logged {near:?}");
        at += 1;
    }
}

/// The folder of qemu-system-riscv32 and -riscv64 10.0, as `tools/setup` unpacks them; `None` if it does not exist.
fn newer() -> Option<PathBuf> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.qemu10/usr/bin");
    let named = std::env::var_os("GOSHAWK_QEMU_10").map(PathBuf::from);
    named.or_else(|| unpacked.join("qemu-system-riscv64").exists().then_some(unpacked))
}

#[test]
fn every_pc_of_every_hart_is_one_that_qemu_logs() {
    check_machine("qemu-system-riscv", "-singlestep");
}

/// From the first instruction of the BIOS, in code of 16 and 32 bits; then a kernel and two processes, in code of 64 bits and at
/// exception levels 0 and 1.
#[test]
fn every_pc_of_x86_and_aarch64_is_one_that_qemu_logs() {
    let place = tempfile::tempdir().unwrap();
    for (machine, name, length, only) in [
        ("x86_64", "x86", Some(300_000), 0..u64::MAX),
        // the BIOS has millions of instructions
        ("x86_64", "x86", None, 0x100000..0x500000),
        ("aarch64", "aarch64", None, 0..u64::MAX),
    ] {
        let name = format!("../../machines/elf/{name}.elf");
        for schedule in ["serial:1000", "free"] {
            let qemu = format!("qemu-system-{machine}");
            let of = Machine { qemu, single: "-singlestep", name: &name, harts: 1, schedule, only: only.clone() };
            // a kernel ends after 40 interrupts
            assert!(
                check_machine_once(place.path(), &of, length),
                "{machine}, {schedule}: less than 20 traps of a kind"
            );
        }
    }
}

#[test]
fn every_pc_of_every_hart_is_one_that_qemu_10_logs() {
    if let Some(folder) = newer() {
        let qemu = folder.join("qemu-system-riscv");
        check_machine(&qemu.display().to_string(), "-accel tcg,thread=multi,one-insn-per-tb=on");
    }
}

/// `qemu`: name without the width; `single`: option for translating single instructions.
fn check_machine(qemu: &str, single: &str) {
    let place = tempfile::tempdir().unwrap();
    for (xlen, name, harts, schedule) in [
        (32, "irq.elf", 1, "serial:1000"),
        (32, "irq.elf", 3, "serial:100,jitter,seed=2"),
        (64, "rv64imafdc/fsm.elf", 1, "serial:1000"),
        (64, "rv64imafdc/bank.elf", 4, "serial:100"),
        (64, "rv64imafdc/lockcont.elf", 2, "free"),
        // supervisor mode, two processes at the same addresses
        (64, "../../paged/elf/kernel.elf", 1, "serial:1000"),
    ] {
        let what = format!("{name}, {harts} harts, {schedule}");
        let of = Machine { qemu: format!("{qemu}{xlen}"), single, name, harts, schedule, only: 0..u64::MAX };
        // on a busy host a run may end before woken harts or interrupts arrive: then a longer one is tried
        let more = (0..4).find(|more| check_machine_once(place.path(), &of, Some(120_000 << more)));
        assert!(
            more.is_some(),
            "{what}: harts have less than 1000 instructions, or programs less than 20 traps of a kind"
        );
    }
}

/// A program, and what executes it.
struct Machine<'a> {
    /// The emulator, and its option for translating single instructions.
    qemu: String,
    single: &'a str,
    name: &'a str,
    harts: u8,
    schedule: &'a str,
    /// Addresses that are compared.
    only: Range<u64>,
}

/// One program, with so many instructions; false: a hart has not executed enough of it, or there were too few traps.
fn check_machine_once(place: &Path, of: &Machine<'_>, length: Option<u64>) -> bool {
    let Machine { qemu, single, name, harts, schedule, only } = of;
    let (name, harts) = (*name, *harts);
    let mut all_came = true;
    let what = format!("{name}, {harts} harts, {schedule}, {length:?}");
    let (log, script) = (place.join("log"), place.join("qemu"));
    let filter = match only.end {
        u64::MAX => String::new(),
        end => format!("-dfilter 0x{:x}..0x{:x}", only.start, end - 1),
    };
    let text = format!("#!/bin/sh\nexec {qemu} {single} -d exec,nochain {filter} -D {} \"$@\"\n", log.display());
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut wanted = options(schedule, &[]);
    (wanted.system, wanted.qemu, wanted.contexts) =
        (Some(harts), Some(script), name.contains("paged") || length.is_none());
    (wanted.length, wanted.end_with_trace) = (length, true);
    let captured = run(&program(name), &wanted);
    let ended = if length.is_some() { Ended::Trace } else { Ended::Code(0) };
    assert_eq!((captured.ended, captured.harts(16)), (ended, harts), "{what}");
    let (found, expanded) = all(&captured, harts);
    assert_eq!(expanded.unexplained, 0, "{what}: {expanded:?}");
    assert!(length.is_none_or(|length| expanded.instructions == length), "{what}: {expanded:?}");
    let logged = logged(&log, harts.into());
    let interrupted: HashMap<usize, u64> = found.interrupted.iter().copied().collect();
    for (hart, log) in logged.iter().enumerate() {
        let mine: Vec<(u64, Option<u64>)> = found
            .begun
            .iter()
            .enumerate()
            .filter(|(_, (t, pc))| *t as usize == hart && only.contains(pc))
            .map(|(i, (_, pc))| (*pc, interrupted.get(&i).copied()))
            .collect();
        if mine.len() > 1000 {
            check_against_log(&mine, log, name.contains("x86"), &what);
        } else {
            all_came = false;
        }
    }
    let of = |interrupt: bool| {
        let is = |k: FlowKind| matches!(k, FlowKind::Trap { interrupt: i, .. } if i == interrupt);
        found.events.iter().filter(|(_, e)| is(e.kind)).count()
    };
    let spaces: BTreeSet<u32> = found
        .events
        .iter()
        .filter_map(|(_, e)| match e.kind {
            FlowKind::Context { context, .. } => Some(context.0),
            _ => None,
        })
        .collect();
    // U, S and M, of two address spaces; the kernel begins without one
    let right: &[u32] = match name {
        // and SMM, in which the BIOS moves its handler; kernel and first process share a root
        _ if length.is_none() && name.contains("x86") => &[1, 3, 4, 5, 8, 9],
        _ if length.is_none() => &[1, 4, 5, 8, 9],
        _ if wanted.contexts => &[1, 4, 5, 7, 8, 9, 11],
        _ => &[],
    };
    assert!(spaces.iter().eq(right), "{what}: contexts {spaces:?}");
    // interrupts come by the host's clock
    all_came && (!(name == "irq.elf" || length.is_none()) || of(true) > 20 && of(false) > 20)
}

#[test]
fn a_program_runs_to_its_end() {
    for (name, harts, code) in [("radix.elf", 2, 0), ("rv64imafdc/float.elf", 1, 0)] {
        let mut wanted = options("serial:1000", &[]);
        wanted.system = Some(harts);
        let captured = run(&program(name), &wanted);
        assert_eq!(captured.ended, Ended::Code(code), "{name}");
        let (found, expanded) = all(&captured, harts);
        assert_eq!(expanded.unexplained, 0, "{name}: {expanded:?}");
        assert!(expanded.instructions > 100_000, "{name}: {expanded:?}");
        let starts: Vec<(u8, u64)> =
            found.events.iter().filter(|(_, e)| e.kind == FlowKind::Start).map(|(_, e)| (e.hart, e.pc)).collect();
        // in the machine's boot ROM, which leads to the program
        assert!(starts.len() == usize::from(harts) && starts.iter().all(|(_, pc)| *pc == 0x1000), "{starts:x?}");
    }
}

/// Start of RAM; below are devices and the boot ROM.
const MEMORY: u64 = 0x8000_0000;

/// Each load returns what was last loaded from or stored to its bytes.
#[test]
fn loads_of_a_machine_are_what_was_stored() {
    let Some(folder) = newer() else { return };
    // over all programs: on a busy host a run may end before the first hart, for which others wait, has begun
    let (mut loads, mut known, mut stores) = (0, 0, 0);
    for (xlen, name, harts, schedule) in [
        (64, "rv64imafdc/fsm.elf", 1, "serial:1000"),
        (32, "irq.elf", 3, "serial:100,jitter,seed=2"),
        (64, "rv64imafdc/bank.elf", 4, "serial:7"),
        (64, "rv64imafdc/lockcont.elf", 2, "serial:1000"),
        (64, "rv64imafdc/lockcont.elf", 2, "serial:7"),
    ] {
        let what = format!("{name}, {harts} harts, {schedule}");
        let mut wanted = options(schedule, &[]);
        (wanted.system, wanted.data) = (Some(harts), true);
        wanted.qemu = Some(folder.join(format!("qemu-system-riscv{xlen}")));
        (wanted.length, wanted.end_with_trace) = (Some(120_000), true);
        let captured = run(&program(name), &wanted);
        let (found, expanded) = all(&captured, harts);
        assert_eq!((expanded.unexplained, expanded.unseen, expanded.instructions), (0, 0, 120_000), "{what}");
        let mut bytes: HashMap<u64, u8> = HashMap::new();
        for (hart, e) in &found.data {
            let (is_load, size, addr, value) = match e.kind {
                DataKind::Load { size, addr, value } => (true, size, addr, value),
                DataKind::Store { size, addr, value } => (false, size, addr, value),
                _ => continue,
            };
            if addr < MEMORY {
                continue;
            }
            loads += usize::from(is_load);
            stores += usize::from(!is_load);
            for i in 0..u64::from(size) {
                let byte = (value >> (8 * i)) as u8;
                let before = bytes.insert(addr + i, byte);
                if let (true, Some(before)) = (is_load, before) {
                    known += 1;
                    assert_eq!(before, byte, "{what}: hart {hart}, {e:x?}, byte {i}");
                }
            }
        }
    }
    assert!(loads > 10_000 && known > loads && stores > 1000, "{loads} loads, {stores} stores, {known} bytes");
}

#[test]
fn qemu_7_2_shows_no_memory_of_a_machine() {
    let mut wanted = options("serial:1000", &[]);
    (wanted.system, wanted.data) = (Some(1), true);
    let refused =
        capture::run::capture(capture::machine::Executable::open(&program("irq.elf")).unwrap(), &wanted, &mut |_| {});
    let message = refused.expect_err("it must be refused").to_string();
    assert!(
        message
            .contains("does not report loads and stores of whole machines; `--data` with `--system` needs QEMU 10.0"),
        "{message}"
    );
}
