//! Inputs by name: derived properties, refused inputs, and other builds

use host::encode::{to_file, Request};
use host::input::{Input, InputOptions};
use host::machine::Settings;
use host::progress::Quiet;
use host::trace::Trace;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{named_set, TraceParams};
use sim::replay::Events;
use std::path::Path;

fn write(path: &Path, info: &RetireInfo, events: &[FlowEvent]) {
    let mut writer = RetireWriter::create(path, info).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
}

fn info(xlen: u8, build_id: &str) -> RetireInfo {
    let text = |t: &str| t.to_string();
    RetireInfo {
        tool: text("t"),
        harts: 1,
        xlen,
        build_id: text(build_id),
        program: text("p"),
        source: text("s"),
        threads: Vec::new(),
        untimed: false,
    }
}

/// A loop of `n` jumps, of which the last goes to an odd address.
fn odd_at_the_end(n: u64) -> Vec<FlowEvent> {
    let event = |kind, count, pc, target| {
        let len = if kind == FlowKind::IndirectJump { 2 } else { 0 };
        FlowEvent { hart: 0, kind, len, count, pc, target, cycle: 0 }
    };
    let mut events = vec![event(FlowKind::Start, 0, 0x100, 0x100)];
    for _ in 0..n {
        events.push(event(FlowKind::IndirectJump, 3, 0x104, 0x100));
    }
    events.push(event(FlowKind::IndirectJump, 3, 0x104, 0x201));
    events.push(event(FlowKind::IndirectJump, 5, 0x211, 0x100));
    events.push(event(FlowKind::Stop, 1, 0x102, 0x102));
    events
}

fn request(align: u8, fixed_align: bool) -> Request {
    let set = named_set("m4").unwrap();
    let params = TraceParams::tr(set.params).with(|p| (p.align, p.xlen) = (align, 64));
    Request { fixed_align, ..Request::new(params) }
}

#[test]
fn the_alignment_covers_all_targets() {
    let folder = tempfile::tempdir().unwrap();
    let (ret, gtr) = (folder.path().join("x.ret"), folder.path().join("x.gtr"));
    let settings = Settings::default();
    for (n, likely) in [(10, 0), (40_000, 1)] {
        let events = odd_at_the_end(n);
        write(&ret, &info(64, ""), &events);
        let input = Input::open(ret.to_str().unwrap()).unwrap();
        assert_eq!((input.align().unwrap(), input.likely_align().unwrap()), (0, likely));
        let run = input.run(1, &settings).unwrap();
        // a wrong guess is corrected, a wrong user setting is not
        let encoded = to_file(&run, &request(likely, false), &gtr, &Quiet).unwrap();
        assert_eq!(encoded.params.align, 0);
        let trace =
            Trace::open(&gtr, InputOptions { elf: ret.to_str(), any_build: false, ..InputOptions::default() }, &Quiet)
                .unwrap();
        let mut found: Vec<FlowEvent> = Vec::new();
        trace.replay(&mut Events(&mut found), &Quiet, |_| false).unwrap();
        assert!(found.len() == events.len() && found.iter().zip(&events).all(|(a, b)| a.same_flow(b)));
        let e = to_file(&run, &request(1, true), &gtr, &Quiet).map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            e,
            format!(
                "{}: has branch targets of which only 0 low bits are 0; --align 1 drops 1, expected `--align 0`",
                ret.display()
            )
        );
    }
}

#[test]
fn another_build_is_refused_by_name_and_taken_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let ret = folder.path().join("x.ret");
    write(&ret, &info(32, "0badc0de"), &odd_at_the_end(1));
    let name = ret.to_str().unwrap();
    let beside = |any_build| InputOptions { elf: Some("builtin:vm"), any_build, ..InputOptions::default() };
    let e = Input::open_with(name, beside(false)).unwrap_err().to_string();
    assert!(e.contains("is of p with build id 0badc0de, but builtin:vm has build id "), "{e}");
    let input = Input::open_with(name, beside(true)).unwrap();
    assert_eq!(input.named().map(|n| n.name.as_str()), Some("builtin:vm"));
    let e = Input::open_with("builtin:vm", beside(true)).unwrap_err().to_string();
    assert_eq!(e, "builtin:vm: is a program; `--elf` is for recordings");
}

#[test]
fn a_recording_that_contradicts_itself_gives_no_code() {
    let folder = tempfile::tempdir().unwrap();
    let ret = folder.path().join("x.ret");
    let mut events = odd_at_the_end(3);
    // the same branch from the same start, with another number of instructions
    events[3].count = 4;
    write(&ret, &info(64, ""), &events);
    let Input::Recording(recording, None) = Input::open(ret.to_str().unwrap()).unwrap() else { panic!("a recording") };
    let e = recording.image(&Quiet).unwrap_err().to_string();
    assert!(e.contains("x.ret: event 3, hart 0, pc 0x104: 4 instructions from 0x100 to this branch"), "{e}");
}
