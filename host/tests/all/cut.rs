//! Incomplete or damaged trace files: what can be read is read

use host::encode::{to_file, Request};
use host::input::{Input, InputOptions};
use host::inputs::{record, Session};
use host::machine::Settings;
use host::progress::Quiet;
use host::trace::Trace;
use host::HostError;
use retire::{FlowEvent, FlowKind};
use sim::core_trace::SyncPeriod;
use sim::file::{TraceInfo, TraceReader, TraceWriter};
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, ReplaySummary};
use sim::scheme::inputs::params::Sizes;
use std::path::Path;

fn rewritten(path: &Path, info: &TraceInfo, words: &[u32]) {
    let mut writer = TraceWriter::create(path, info).unwrap();
    writer.write(words.iter().copied()).unwrap();
    writer.finish().unwrap();
}

fn replay(path: &Path, resume: bool) -> Result<(Vec<FlowEvent>, ReplaySummary), HostError> {
    let mut events: Vec<FlowEvent> = Vec::new();
    let beside = InputOptions { elf: Some("builtin:vm"), any_build: false, ..InputOptions::default() };
    let trace = Trace::open(path, beside, &Quiet).unwrap().resuming(resume);
    let summary = trace.replay(&mut Events(&mut events), &Quiet, |_| false)?;
    Ok((events, summary))
}

#[test]
fn a_trace_file_is_read_from_its_first_header_on_and_behind_damage() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole.gtr"), folder.path().join("part.gtr"));
    let settings = Settings { max_instructions: Some(200_000), ..Settings::default() };
    let input = Input::open("builtin:vm").unwrap();
    let params = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, "tr_e:small".parse().unwrap());
    let request = Request { sync_period: Some(SyncPeriod::new(12).unwrap()), ..Request::new(params) };
    to_file(&input.run(2, &settings).unwrap(), &request, &whole, &Quiet).unwrap();
    let (all, summary) = replay(&whole, false).unwrap();
    assert!(summary.headers > 10 && summary.skipped == 0, "{summary:?}");

    let mut reader = TraceReader::<TraceInfo>::open(&whole).unwrap();
    let words: Vec<u32> = reader.by_ref().collect();
    rewritten(&part, reader.info(), &words[100..]);
    let (events, summary) = replay(&part, false).unwrap();
    assert!(summary.skipped > 0 && summary.damaged == 0, "{summary:?}");
    for hart in 0..2 {
        let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (all, events) = (of(&all), of(&events));
        assert!(events.len() > all.len() / 2 && events[0].kind == FlowKind::Start, "{} events", events.len());
        let tail = &all[all.len() + 1 - events.len()..];
        assert!(tail.iter().zip(&events[1..]).all(|(a, b)| a.same_flow(b)), "hart {hart}");
    }

    let mut damaged = words;
    damaged[200..203].fill(u32::MAX);
    rewritten(&part, reader.info(), &damaged);
    assert!(replay(&part, false).is_err());
    let (events, summary) = replay(&part, true).unwrap();
    assert_eq!(summary.damaged, 1);
    assert_eq!(events.iter().filter(|e| e.kind == FlowKind::Gap { lost: 0 }).count(), 2);
}

/// Replays a recorded run; its events, and why it ended early.
fn again(path: &Path) -> (Vec<FlowEvent>, Option<String>) {
    let beside = InputOptions { elf: Some("builtin:qsort"), any_build: false, ..InputOptions::default() };
    let mut events = Vec::new();
    let ended = Session::open(path, beside).unwrap().run(&mut events, &Quiet, |_| false);
    (events, ended.err().map(|e| e.to_string()))
}

#[test]
fn a_recorded_run_is_replayed_up_to_where_its_file_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole.gip"), folder.path().join("part.gip"));
    let settings = Settings { max_instructions: Some(12_000_000), ..Settings::default() };
    let input = Input::open("builtin:qsort").unwrap();
    record(&input.run(4, &settings).unwrap(), Sizes::default(), 0, Some(&whole), &Quiet).unwrap();
    let (all, error) = again(&whole);
    assert_eq!(error, None);
    let bytes = std::fs::read(&whole).unwrap();
    assert!(bytes.len() > 100_000, "{} bytes", bytes.len());
    let mut flipped = bytes.clone();
    flipped[bytes.len() * 2 / 3] ^= 0x10;
    // cut in a block, at a block's end or before, and with a bit that differs
    for (cut, what) in
        [(&bytes[..bytes.len() / 2], "ends"), (&bytes[..bytes.len() - 5], "ends"), (&flipped[..], "checksum")]
    {
        std::fs::write(&part, cut).unwrap();
        let (events, error) = again(&part);
        let error = error.unwrap();
        assert!(error.contains("part.gip") && error.contains(what), "{error}");
        // the end of what is not checked may be of other cores, in another order
        for hart in 0..4 {
            let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
            let (all, events) = (of(&all), of(&events));
            assert!(events.len() > all.len() / 20, "{} of {}", events.len(), all.len());
            assert!(events.iter().zip(&all).all(|(a, b)| a.same_flow(b)), "hart {hart}");
        }
    }
}
