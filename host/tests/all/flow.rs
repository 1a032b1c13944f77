//! A control-flow trace as a sequence of moments equals the run, instruction by instruction, in both directions

use host::debug::flow::{Flow, FlowSession};
use host::debug::motion::{Motion, Stop};
use host::debug::scene::Scene;
use host::encode::{to_file, Request};
use host::input::{Input, InputOptions};
use host::machine::Settings;
use host::progress::Quiet;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, NullSink};
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::timeline::{Seekable, Timeline};
use std::path::PathBuf;

const CORES: u8 = 3;
const INSTRUCTIONS: u64 = 300_000;

/// A trace of `elf`, and the events of the run.
fn traced(dir: &tempfile::TempDir, elf: &str, scheme: &str) -> (PathBuf, Vec<FlowEvent>) {
    let input = Input::open(elf).unwrap();
    let settings = Settings { max_instructions: Some(INSTRUCTIONS), ..Settings::default() };
    let run = input.run(CORES, &settings).unwrap();
    let mut events = Vec::new();
    run.report_to(&mut events, &Quiet).unwrap();
    let flow: FlowScheme = scheme.parse().unwrap();
    let params = TraceParams::new(Platform { cores: CORES, ..Platform::RV32 }, flow);
    let path = dir.path().join("a.gtr");
    to_file(&run, &Request::new(params), &path, &Quiet).unwrap();
    (path, events)
}

/// The addresses that each core executes, from its events.
fn paths(events: &[FlowEvent], image: &Image) -> Vec<Vec<u64>> {
    let mut paths = vec![Vec::new(); CORES.into()];
    let mut next = [0; CORES as usize];
    for e in events {
        let core = usize::from(e.hart);
        for _ in 0..e.count {
            paths[core].push(next[core]);
            next[core] = image.skip(next[core], 1).unwrap();
        }
        next[core] = e.target;
        if e.kind == FlowKind::Stop {
            paths[core].push(e.target);
        }
    }
    paths
}

/// Traps of `ecall` and `ebreak`: steps of their own.
fn calls(events: &[FlowEvent], elf: &str) -> u64 {
    let image = Image::new(&host::input::Named::open(elf).unwrap().program);
    let call = |e: &FlowEvent| match image.instruction(e.pc) {
        Some((bits, 2)) => bits & 0xffff == 0x9002,
        Some((bits, _)) => matches!(bits, 0x73 | 0x10_0073),
        None => false,
    };
    events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. }) && call(e)).count() as u64
}

fn pcs(flow: &Flow<'_>) -> Vec<Option<u64>> {
    (0..CORES).map(|core| flow.pc(core)).collect()
}

/// Everything known at a moment: position, addresses, instruction counts, and stacks of the cores.
type Moment = (u64, Vec<Option<u64>>, Vec<u64>, Vec<Option<Vec<String>>>);

/// What a debugger sees at a moment.
fn seen(flow: &Flow<'_>) -> Moment {
    let all = 0..CORES;
    let retired = all.clone().map(|core| flow.retired(core)).collect();
    (flow.position(), pcs(flow), retired, all.map(|core| flow.stack(core)).collect())
}

#[test]
fn every_instruction_of_every_core_is_gone_through_in_every_scheme() {
    for (elf, scheme) in [
        ("builtin:bank", "tr_e:small"),
        ("builtin:irq", "tr_b:large"),
        ("builtin:bank", "tr_e:512/last64"),
        ("builtin:irq", "nx_b"),
        ("builtin:qsort", "nexs"),
        ("builtin:irq", "sc-lsp:rbase-32x4"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (path, events) = traced(&dir, elf, scheme);
        let session = FlowSession::open(&path, elf, InputOptions::default(), &Quiet).unwrap();
        let want = paths(&events, &Image::new(&host::input::Named::open(elf).unwrap().program));
        let mut flow = session.begin().unwrap();
        for core in 0..CORES {
            assert_eq!(flow.pc(core), want[usize::from(core)].first().copied(), "{elf} {scheme}");
        }
        let (mut steps, mut raised) = (0, 0);
        loop {
            let (before, retired) = (pcs(&flow), (0..CORES).map(|core| flow.retired(core)).collect::<Vec<_>>());
            let Some(core) = flow.step(&mut NullSink).unwrap() else { break };
            let (core, at) = (usize::from(core), retired[usize::from(core)] as usize);
            if flow.retired(core as u8) == retired[core] {
                raised += 1;
                continue;
            }
            assert_eq!(before[core], Some(want[core][at]), "{elf} {scheme}: core {core}, instruction {at}");
            steps += 1;
        }
        assert_eq!((steps, raised), (INSTRUCTIONS, calls(&events, elf)), "{elf} {scheme}");
        for core in 0..CORES {
            let want = &want[usize::from(core)];
            assert_eq!((flow.retired(core), flow.pc(core)), (want.len() as u64 - 1, want.last().copied()));
        }
    }
}

#[test]
fn a_moment_is_the_same_in_both_directions() {
    for (elf, scheme) in [("builtin:bank", "tr_e:large"), ("builtin:irq", "sc-lsp:rbase-32x4"), ("builtin:irq", "nx_b")]
    {
        let dir = tempfile::tempdir().unwrap();
        let (path, events) = traced(&dir, elf, scheme);
        let session = FlowSession::open(&path, elf, InputOptions::default(), &Quiet).unwrap();
        let mut line = Timeline::new(session.begin().unwrap());
        let moments: Vec<u64> = (0..40).map(|i| i * i * 191).filter(|m| *m < INSTRUCTIONS).collect();
        let mut first = Vec::new();
        for moment in &moments {
            line.seek(*moment).unwrap();
            first.push(seen(line.replay()));
        }
        line.seek(u64::MAX).unwrap();
        assert_eq!(line.replay().position(), INSTRUCTIONS + calls(&events, elf));
        assert!(line.held().1 > 1, "{elf} {scheme}: checkpoints were made");
        for (moment, first) in moments.iter().zip(&first).rev() {
            line.seek(*moment).unwrap();
            assert_eq!(seen(line.replay()), *first, "{elf} {scheme}");
        }
    }
}

#[test]
fn breakpoints_are_met_backwards_where_they_were_met_forwards() {
    for (elf, symbol, scheme) in [
        ("builtin:bank", "set_balance", "tr_e:small"),
        ("builtin:bank", "teller_step", "nexs"),
        ("builtin:irq", "trap_entry", "tr_e:small"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (path, events) = traced(&dir, elf, scheme);
        let session = FlowSession::open(&path, elf, InputOptions::default(), &Quiet).unwrap();
        let mut motion = Motion::new(session.begin().unwrap());
        let target = match host::symbols::Symbols::data(elf, symbol) {
            Ok(at) => u64::from(at),
            // if the name of the handler is unknown
            Err(_) => events.iter().find(|e| matches!(e.kind, FlowKind::Trap { .. })).unwrap().target,
        };
        motion.breakpoints.insert(target);
        let mut met = Vec::new();
        while let Stop::Break(core) = motion.forwards(None, |_| false).unwrap() {
            assert_eq!(motion.line.replay().pc(core), Some(target));
            met.push((core, motion.line.replay().position()));
        }
        assert!(met.len() > 3, "{elf} {symbol}: {met:?}");
        let mut back = Vec::new();
        while let Stop::Break(core) = motion.backwards(None, |_| false).unwrap() {
            back.push((core, motion.line.replay().position()));
        }
        back.reverse();
        assert_eq!(back, met, "{elf} {symbol}");
        assert_eq!(motion.line.replay().position(), 0);
    }
}

#[test]
fn cut_and_foreign_traces_fail_where_they_differ() {
    let dir = tempfile::tempdir().unwrap();
    let (path, _) = traced(&dir, "builtin:bank", "nx_b");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1000]).unwrap();
    let session = FlowSession::open(&path, "builtin:bank", InputOptions::default(), &Quiet).unwrap();
    let mut line = Timeline::new(session.begin().unwrap());
    let error = line.seek(u64::MAX).unwrap_err();
    assert!(error.contains("a.gtr"), "{error}");
    let end = line.replay().position();
    // earlier moments are still accessible
    line.seek(10).unwrap();
    assert_eq!(line.replay().position(), 10);
    assert_eq!(line.seek(u64::MAX).unwrap_err(), error);
    assert_eq!(line.replay().position(), end);
    assert!(FlowSession::open(&path, "builtin:lu", InputOptions::default(), &Quiet).is_err());
}

#[test]
fn calls_by_an_exception_are_seen_before_their_handler() {
    let elf = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/faults/elf/vectors.elf");
    for scheme in ["tr_e:small", "nx_b"] {
        let dir = tempfile::tempdir().unwrap();
        let (path, events) = traced(&dir, elf, scheme);
        let session = FlowSession::open(&path, elf, InputOptions::default(), &Quiet).unwrap();
        let image = Image::new(&host::input::Named::open(elf).unwrap().program);
        let trap = |e: &&FlowEvent| matches!(e.kind, FlowKind::Trap { .. });
        let is_call = |e: &&FlowEvent| matches!(image.instruction(e.pc), Some((0x73 | 0x10_0073, _)));
        let calls: Vec<&FlowEvent> = events.iter().filter(trap).filter(is_call).collect();
        // ecall, ebreak, and the ecall in its handler
        assert_eq!(calls.len(), 3 * 20 * usize::from(CORES), "{scheme}");
        let retired: u64 = events.iter().map(|e| u64::from(e.count)).sum();

        let mut motion = Motion::new(session.begin().unwrap());
        motion.breakpoints.extend(calls.iter().map(|e| e.pc));
        let mut met = Vec::new();
        while let Stop::Break(core) = motion.forwards(None, |_| false).unwrap() {
            let at = motion.line.replay();
            let pc = at.pc(core).unwrap();
            met.push((core, at.position(), pc));
            // the next step of the core is the first instruction of the handler
            let retired = at.retired(core);
            let stop = motion.forwards(Some(core), |_| false).unwrap();
            let at = motion.line.replay();
            if stop == Stop::Step(core) {
                let target = calls.iter().find(|e| e.pc == pc).map(|e| e.target);
                assert_eq!((at.pc(core), at.retired(core)), (target, retired), "{scheme}");
            }
            motion.line.seek(met[met.len() - 1].1).unwrap();
        }
        let mut expected: Vec<(u8, u64)> = calls.iter().map(|e| (e.hart, e.pc)).collect();
        let mut found: Vec<(u8, u64)> = met.iter().map(|(core, _, pc)| (*core, *pc)).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{scheme}");
        assert_eq!(motion.line.replay().position(), retired + calls.len() as u64, "{scheme}");
        let mut back = Vec::new();
        while let Stop::Break(core) = motion.backwards(None, |_| false).unwrap() {
            back.push((core, motion.line.replay().position(), motion.line.replay().pc(core).unwrap()));
        }
        back.reverse();
        assert_eq!(back, met, "{scheme}");
    }
}
