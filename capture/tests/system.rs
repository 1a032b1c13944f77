//! Whole machines: every pc of every hart is one that QEMU logs in the same run, traps and interrupts included

mod common;

use capture::run::Ended;
use common::{all, options, run};
use retire::FlowKind;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/bare/elf").join(name)
}

/// A pc, and whether it may be one before which its hart stopped and that it logged again.
type Logged = (u64, bool);

/// By hart.
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
            // which hart's, the line does not say
            for last in pcs.iter_mut().filter_map(|p| p.last_mut()).filter(|l| l.0 == pc) {
                last.1 = true;
            }
        }
    }
    pcs
}

/// All that was captured of a hart is what was logged of it, up to where the log was cut.
fn held_to_log(mine: &[u64], log: &[Logged], what: &str) {
    let mut at = 0;
    for (i, pc) in mine.iter().enumerate() {
        if at + 64 > log.len() {
            assert!(10 * i > 9 * mine.len(), "{what}: the log ends at instruction {i} of {}", mine.len());
            return;
        }
        while log[at].1 && log.get(at + 1).is_some_and(|next| next.0 == *pc) {
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

#[test]
fn every_pc_of_every_hart_is_one_that_qemu_logs() {
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
        let (log, script) = (place.path().join("log"), place.path().join("qemu"));
        let text = format!(
            "#!/bin/sh\nexec qemu-system-riscv{xlen} -singlestep -d exec,nochain -D {} \"$@\"\n",
            log.display()
        );
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut wanted = options(schedule, &[]);
        (wanted.system, wanted.qemu, wanted.contexts) = (Some(harts), Some(script), name.contains("paged"));
        (wanted.length, wanted.end_with_trace) = (Some(120_000), true);
        let captured = run(&program(name), &wanted);
        assert_eq!((captured.ended, captured.harts(16)), (Ended::Trace, harts), "{what}");
        let (found, expanded) = all(&captured, harts);
        assert_eq!((expanded.unexplained, expanded.instructions), (0, 120_000), "{what}: {expanded:?}");
        let logged = logged(&log, harts.into());
        for (hart, log) in logged.iter().enumerate() {
            let mine: Vec<u64> = found.begun.iter().filter(|(t, _)| *t as usize == hart).map(|(_, pc)| *pc).collect();
            assert!(mine.len() > 1000, "{what}: hart {hart} has {}", mine.len());
            held_to_log(&mine, log, &what);
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
        // U, S and M, of two address spaces; the kernel begins in none
        let right: &[u32] = if wanted.contexts { &[1, 4, 5, 7, 8, 9, 11] } else { &[] };
        assert!(spaces.iter().eq(right), "{what}: contexts {spaces:?}");
        if name == "irq.elf" {
            assert!(of(true) > 20 && of(false) > 20, "{what}: {} interrupts, {} exceptions", of(true), of(false));
        }
    }
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
        // in the machine's own memory, which leads to the program's
        assert!(starts.len() == usize::from(harts) && starts.iter().all(|(_, pc)| *pc == 0x1000), "{starts:x?}");
    }
}
