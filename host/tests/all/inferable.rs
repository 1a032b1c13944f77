//! Inferable jumps of recordings whose code changes during the run

use host::encode::{to_file, Request};
use host::input::{Input, InputOptions};
use host::machine::Settings;
use host::progress::Quiet;
use host::section::{Bound, Bounds};
use host::trace::Trace;
use retire::code::{Change, CodeBlock};
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{Platform, TraceParams};
use sim::replay::Events;
use std::path::Path;

/// Turns with each version of the code.
const TURNS: u32 = 10;
/// Executed once, in the last turn of the first version.
const BETWEEN: u64 = 0x2100;

/// 0x1000: `lui a5, 2`, later `lui a4, 2`; `jr a5`. 0x2000: `bnez t0, 0x2100`; `j 0x1000`. 0x2100: `j 0x1000`. `goes`: where the
/// jumps of the second version go.
fn recorded(path: &Path, goes: u64) {
    let info = RetireInfo { harts: 1, xlen: 32, tool: "test".into(), program: "turns".into(), ..RetireInfo::default() };
    let mut out = RetireWriter::create_with_code(path, &info).unwrap();
    let blocks: [(u64, &[u32], FlowKind, u64); 6] = [
        (0x1000, &[0x0000_27b7, 0x0007_8067], FlowKind::IndirectJump, 0),
        (0x2000, &[0x1002_9063], FlowKind::Conditional { taken: false }, BETWEEN),
        (0x2004, &[0xffdf_e06f], FlowKind::Jump, 0x1000),
        (BETWEEN, &[0xf01f_e06f], FlowKind::Jump, 0x1000),
        (0x1000, &[0x0000_2737, 0x0007_8067], FlowKind::IndirectJump, 0),
        (0x3000, &[0x1002_9063], FlowKind::Conditional { taken: false }, 0x3100),
    ];
    for (start, words, flow, target) in blocks {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        out.code_block(&CodeBlock { start, sizes: vec![4; words.len()], bytes, flow: Some((flow, target)) });
    }
    out.code_change(Change { hart: 0, retired: u64::from(4 * TURNS), block: 4 });
    let mut cycle = 0;
    let mut event = |kind, count, pc, target| {
        cycle += u64::from(count);
        out.event(&FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle });
    };
    event(FlowKind::Start, 0, 0x1000, 0x1000);
    for turn in 0..2 * TURNS {
        let taken = turn == TURNS - 1;
        let next = if taken { BETWEEN } else { 0x2004 };
        let target = if turn < TURNS { 0x2000 } else { goes };
        event(FlowKind::IndirectJump, 2, 0x1004, target);
        if target == 0x2000 {
            event(FlowKind::Conditional { taken }, 1, 0x2000, next);
            event(FlowKind::Jump, 1, next, 0x1000);
        } else {
            event(FlowKind::Stop, 1, target, target);
            break;
        }
    }
    if goes == 0x2000 {
        event(FlowKind::Stop, 0, 0x1000, 0x1000);
    }
    out.finish().unwrap();
}

/// Targets of the indirect jumps of the run in `run`, traced from the address `from` on.
fn traced(run: &Path, from: Option<u64>) -> Vec<u64> {
    let to = run.with_extension("gtr");
    let params = TraceParams::new(Platform::RV32, "tr_e:m4+inferable".parse().unwrap());
    let from = from.map(|address| Bound { address, text: "`--from`".into() });
    let request = Request { bounds: Bounds { from, to: None }, ..Request::new(params) };
    let input = Input::open(run.to_str().unwrap()).unwrap();
    to_file(&input.run(1, &Settings::default()).unwrap(), &request, &to, &Quiet).unwrap();
    let mut events: Vec<FlowEvent> = Vec::new();
    let trace = Trace::open(&to, InputOptions::default(), &Quiet).unwrap();
    trace.replay(&mut Events(&mut events), &Quiet, |_| false).unwrap();
    let jumps = events.iter().filter(|e| e.kind == FlowKind::IndirectJump);
    jumps.map(|e| e.target).collect()
}

#[test]
fn a_section_infers_from_the_code_of_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("turns.ret");
    recorded(&path, 0x2000);
    assert_eq!(traced(&path, None), [0x2000; 2 * TURNS as usize]);
    // only the second version, in which the jump's register is not loaded before it
    assert_eq!(traced(&path, Some(BETWEEN)), [0x2000; TURNS as usize]);
    // such a jump may go anywhere
    recorded(&path, 0x3000);
    assert_eq!(traced(&path, Some(BETWEEN)), [0x3000]);
}
