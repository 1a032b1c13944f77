//! Sweeps from a plan to the table: interrupted and resumed, in shards, and with bad input

use retire::file::rbt1::{Rbt1Reader, Rbt1Writer};
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::Family;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use sweep::plan::{Plan, Shard};
use sweep::point::{Point, Verified};
use sweep::run::{run, Options, Provenance};
use sweep::spread::spreads;
use sweep::store::{files, merge, Manifest, Store};
use sweep::SweepError;

fn texts(t: &[&str]) -> Vec<String> {
    t.iter().map(|t| t.to_string()).collect()
}

/// Two programs, two numbers of harts, and every kind of scheme.
fn plan() -> Plan {
    let mut plan = Plan {
        traces: texts(&["builtin:fft", "builtin:strsearch"]),
        harts: vec![1, 2],
        encodings: texts(&[
            "tr_e",
            "tr_b",
            "tr(bcnt=2,1)",
            "nx_b",
            "nexs",
            "sc-lsp",
            "edmtf(192,4)",
            "gzip-1",
            "etrace+ir8+bp512+jtc64",
            "shared",
        ]),
        sets: texts(&["s0", "m4"]),
        timestamps: vec![false, true],
        ..Plan::default()
    };
    plan.settings.max_instructions = Some(60_000);
    plan
}

/// Runs a shard of the plan; returns how many points were measured in this run.
fn sweep(plan: &Plan, shard: Shard, folder: &Path) -> Result<usize, SweepError> {
    let all = plan.jobs()?.0;
    let total = files(&all).len();
    let jobs = shard.part(all);
    let store = Store::create(folder)?;
    let made = Provenance { tool: "test".into(), command: "test".into() };
    let measured = AtomicUsize::new(0);
    let progress = |_: &Point| {
        measured.fetch_add(1, Ordering::Relaxed);
    };
    let options = Options { threads: 2, made: &made, progress: &progress };
    if let Some(bad) = run(&jobs, &store, &options)?.into_iter().next() {
        return Err(bad);
    }
    store.finish(&Manifest {
        tool: "test".into(),
        command: "test".into(),
        plan: plan.clone(),
        shard,
        total,
        points: files(&jobs),
        complete: false,
        seconds: 0.0,
    })?;
    Ok(measured.into_inner())
}

/// All points, without values that differ from run to run.
fn results(folder: &Path) -> Vec<(String, Point)> {
    let points = Store::open(folder).unwrap().points().unwrap();
    points.into_iter().map(|(f, p)| (f, Point { seconds: 0.0, ..p })).collect()
}

/// The events of a built-in program.
fn record(name: &str, harts: u8) -> (Vec<FlowEvent>, RetireInfo) {
    let program = programs::find(name).unwrap().load().unwrap();
    let mut machine = Machine::new(&program, MachineConfig { harts, ..MachineConfig::default() }).unwrap();
    let mut events = Vec::new();
    machine.run(&mut events, Limits { instructions: 60_000, ..Limits::default() }).unwrap();
    let text = String::new;
    let info = RetireInfo {
        tool: text(),
        harts,
        xlen: 32,
        build_id: text(),
        program: name.into(),
        source: text(),
        threads: Vec::new(),
        untimed: false,
    };
    (events, info)
}

#[test]
fn every_scheme_of_a_sweep_decodes_and_shards_merge_to_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    // schemes with 2 sets or without sets, six of them also time-stamped, on 4 runs
    let per_run = (2 + 2 + 2 + 1 + 1 + 1 + 1 + 1 + 1 + 2) + (2 + 2 + 2 + 1 + 1 + 1);
    assert_eq!(sweep(&plan(), Shard::ALL, &whole).unwrap(), 4 * per_run);
    let points = results(&whole);
    assert_eq!(points.len(), 4 * per_run);
    for (file, p) in &points {
        let right = if p.encoding == "shared" { Verified::NoStream } else { Verified::Equal };
        assert_eq!(p.verified, right, "{file}");
        assert_eq!(p.bits.is_some(), p.encoding != "shared", "{file}");
        assert!(p.instructions >= 60_000 && p.rates.instructions == p.instructions || p.set.is_empty(), "{file}");
        if let (Some(lengths), Some(bits)) = (&p.lengths, p.bits) {
            assert!(lengths.b_cnt.total() > 0 && bits > 0, "{file}");
        }
        let windows =
            if matches!(p.family, Family::Baseline | Family::Shared) { 0 } else { p.window_instructions.len() };
        assert_eq!(p.window_bits.len(), windows, "{file}");
    }
    let rows = Store::open(&whole).unwrap().rows().unwrap();
    assert_eq!(rows.len(), points.len());
    for (row, (file, p)) in rows.iter().zip(&points) {
        assert_eq!((&row.file, row.bits, row.cycles), (file, p.bits, p.cycles));
    }

    let parts: Vec<_> = (1..=3).map(|i| folder.path().join(format!("part{i}"))).collect();
    for (i, part) in parts.iter().enumerate() {
        assert!(sweep(&plan(), Shard { index: i as u32 + 1, of: 3 }, part).unwrap() > 0);
    }
    let merged = folder.path().join("merged");
    assert_eq!(merge(&merged, &parts).unwrap(), points.len());
    assert_eq!(results(&merged), points);
    assert!(Store::open(&merged).unwrap().manifest().unwrap().complete);

    let missing = merge(&merged, &[parts[0].clone(), parts[2].clone()]).unwrap_err().to_string();
    assert_eq!(missing, "shard 2/3 is missing; all of them must be given");
    let twice = [parts[0].clone(), parts[1].clone(), parts[2].clone(), parts[1].clone()];
    assert_eq!(merge(&merged, &twice).unwrap_err().to_string(), "shard 2/3 is given twice");
    let lost = &Store::open(&parts[1]).unwrap().manifest().unwrap().points[3];
    std::fs::remove_file(parts[1].join("points").join(lost)).unwrap();
    let unfinished = merge(&merged, &parts).unwrap_err().to_string();
    assert!(unfinished.contains(&format!("shard 2/3 is not finished: {lost} is missing or damaged")), "{unfinished}");
    let other = Plan { verify: false, ..plan() };
    sweep(&other, Shard { index: 2, of: 3 }, &parts[1]).unwrap();
    let other = merge(&merged, &parts).unwrap_err().to_string();
    assert!(other.contains("its plan is not that of"), "{other}");
}

#[test]
fn what_is_finished_is_not_run_again_and_what_is_damaged_is() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { traces: texts(&["builtin:fft"]), timestamps: vec![false], ..plan() };
    let all = sweep(&plan, Shard::ALL, folder.path()).unwrap();
    let before = results(folder.path());
    assert_eq!(sweep(&plan, Shard::ALL, folder.path()).unwrap(), 0);
    let cut = folder.path().join("points").join(&before[1].0);
    std::fs::write(&cut, &std::fs::read(&cut).unwrap()[..100]).unwrap();
    std::fs::remove_file(folder.path().join("points").join(&before[4].0)).unwrap();
    assert_eq!(sweep(&plan, Shard::ALL, folder.path()).unwrap(), 2);
    assert_eq!(results(folder.path()), before);
    // another setting makes another trace
    let mut longer = plan.clone();
    longer.settings.max_instructions = Some(70_000);
    assert_eq!(sweep(&longer, Shard::ALL, folder.path()).unwrap(), all);
}

#[test]
fn unverified_points_are_marked_and_run_again_when_they_are_to_be_verified() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan { traces: texts(&["builtin:fft"]), harts: vec![1], encodings: texts(&["tr_e:m4"]), ..plan() };
    let quick = Plan { verify: false, ..plan.clone() };
    assert_eq!(sweep(&quick, Shard::ALL, folder.path()).unwrap(), 2);
    assert_eq!(results(folder.path())[0].1.verified, Verified::Unverified);
    assert_eq!(sweep(&plan, Shard::ALL, folder.path()).unwrap(), 2);
    assert_eq!(results(folder.path())[0].1.verified, Verified::Equal);
    assert_eq!(sweep(&quick, Shard::ALL, folder.path()).unwrap(), 0);
}

#[test]
fn recordings_give_what_their_program_gives_without_an_elf() {
    let folder = tempfile::tempdir().unwrap();
    let (events, info) = record("vm", 2);
    let ret = folder.path().join("vm.ret");
    let mut writer = RetireWriter::create(&ret, &info).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let rbt = folder.path().join("vm.rbt1.zst");
    let mut writer = Rbt1Writer::create(&rbt, true, &[]).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();

    let traces = vec!["builtin:vm".to_string(), ret.display().to_string(), rbt.display().to_string()];
    let mut plan = Plan { traces, harts: vec![2], timestamps: vec![false], ..plan() };
    // needs the program; omitted for recordings
    plan.encodings.retain(|e| !e.starts_with("etrace"));
    let out = folder.path().join("out");
    sweep(&plan, Shard::ALL, &out).unwrap();
    let points = results(&out);
    let of = |trace: &str| -> Vec<_> {
        let mine = points.iter().filter(|p| p.1.trace == trace);
        mine.map(|(_, p)| (p.scheme.clone(), p.verified, p.bits, p.rates, p.instructions)).collect()
    };
    let program = of(&plan.traces[0]);
    assert!(program.iter().filter(|p| p.1 == Verified::Equal).count() == 11, "{program:?}");
    assert_eq!(of(&plan.traces[1]), program);
    // a swap is written as a return, and RISC-V code rarely needs all its addresses to be halfwords: it remains to
    // check that the trace was accepted and decoded
    assert_eq!(of(&plan.traces[2]).len(), program.len());
    let mut events: Vec<FlowEvent> = Vec::new();
    Rbt1Reader::open(&rbt).unwrap().read_rest(&mut events).unwrap();
    let instructions: u64 = events.iter().map(|e| u64::from(e.count)).sum();
    for (scheme, verified, _, _, found) in of(&plan.traces[2]) {
        assert_eq!((found, verified == Verified::Equal), (instructions, !scheme.starts_with("shared")), "{scheme}");
    }
}

#[test]
fn etrace_of_a_recording_takes_its_program_by_the_build_id() {
    let folder = tempfile::tempdir().unwrap();
    let (events, info) = record("vm", 2);
    let named = host::input::Named::open("builtin:vm").unwrap();
    let ret = folder.path().join("vm.ret");
    let mut writer = RetireWriter::create(&ret, &RetireInfo { build_id: named.build_id, ..info }).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let rbt = folder.path().join("vm.rbt1");
    let mut writer = Rbt1Writer::create(&rbt, false, &[]).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let traces = vec!["builtin:vm".to_string(), ret.display().to_string(), rbt.display().to_string()];
    let encodings = texts(&["etrace", "etrace+ir8+bp512+jtc64"]);
    let alone = Plan { traces, harts: vec![2], timestamps: vec![false], encodings, ..plan() };
    let (jobs, left_out, _) = alone.jobs().unwrap();
    assert_eq!((jobs.len(), left_out.len()), (1, 4));
    assert!(left_out[0].ends_with("it needs the program of this recording, in `--elf`"), "{}", left_out[0]);
    // the retire file names this build; the branch trace names no build of a program
    let with = |elfs: &[&str], any_build| Plan { elfs: texts(elfs), any_build, ..alone.clone() }.jobs();
    assert_eq!(with(&["builtin:vm"], false).unwrap().1.len(), 2);
    let e = with(&["builtin:fft", "builtin:vm"], false).unwrap_err().to_string();
    assert!(e.starts_with("builtin:fft: no recording is of its build id "), "{e}");
    let e = with(&["builtin:fft", "builtin:vm"], true).unwrap_err().to_string();
    assert_eq!(e, "`--any-build` needs a single program, but 2 are given");
    let any = Plan { elfs: texts(&["builtin:vm"]), any_build: true, ..alone.clone() };
    assert!(any.jobs().unwrap().1.is_empty());
    sweep(&any, Shard::ALL, &folder.path().join("out")).unwrap();
    let points = results(&folder.path().join("out"));
    let bits: Vec<_> = points.iter().map(|p| (p.1.verified, p.1.bits)).collect();
    assert_eq!(bits.len(), 6);
    assert!(bits.iter().all(|b| b.0 == Verified::Equal));
    assert_eq!(bits[..2], bits[2..4]);
}

#[test]
fn bad_traces_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let (events, info) = record("fft", 1);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut writer = RetireWriter::create(path("whole.ret").as_ref(), &info).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    for compressed in [false, true] {
        let mut writer =
            Rbt1Writer::create(path(&format!("whole{compressed}.rbt1")).as_ref(), compressed, &[]).unwrap();
        events.iter().for_each(|e| writer.event(e));
        writer.finish().unwrap();
    }
    for whole in ["whole.ret", "wholefalse.rbt1", "wholetrue.rbt1"] {
        let bytes = std::fs::read(path(whole)).unwrap();
        std::fs::write(path(&format!("cut-{whole}")), &bytes[..bytes.len() - 7]).unwrap();
    }
    std::fs::write(path("magic"), b"GSHKTRC\x01 and more").unwrap();
    std::fs::write(path("empty"), b"").unwrap();
    std::fs::write(path("none.rbt1"), b"RBT1\0\0\0\0").unwrap();
    for (name, why) in [
        ("cut-whole.ret", "was cut"),
        ("cut-wholefalse.rbt1", "was cut"),
        ("cut-wholetrue.rbt1", "was cut"),
        ("magic", "is a trace file; expected a program (RISC-V executable), retire file"),
        ("empty", "not an ELF"),
        ("none.rbt1", "holds no record"),
        ("absent", "No such file"),
    ] {
        let plan = Plan { traces: vec![path(name)], ..plan() };
        let e = plan.jobs().unwrap_err().to_string();
        assert!(e.contains(name) && e.contains(why), "{name}: {e}");
    }
    let plan = Plan { traces: texts(&["builtin:nothing"]), ..plan() };
    let e = plan.jobs().unwrap_err().to_string();
    assert_eq!(e, "built-in program `nothing` is not known; `goshawk programs` lists them");
}

#[test]
fn shards_of_a_trace_that_was_changed_in_between_do_not_merge() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ret");
    let plan = Plan { traces: vec![path.display().to_string()], timestamps: vec![false], ..plan() };
    let parts = [folder.path().join("a"), folder.path().join("b")];
    for (index, (part, program)) in (1..).zip(parts.iter().zip(["fft", "vm"])) {
        let (events, info) = record(program, 1);
        let mut writer = RetireWriter::create(&path, &info).unwrap();
        events.iter().for_each(|e| writer.event(e));
        writer.finish().unwrap();
        sweep(&plan, Shard { index, of: 2 }, part).unwrap();
    }
    let e = merge(&folder.path().join("all"), &parts).unwrap_err().to_string();
    assert!(e.contains("its trace") && e.contains(&format!("is not the one of {}", parts[0].display())), "{e}");
}

#[test]
fn seeds_are_runs_of_one_trace_and_the_start_up_is_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = Plan {
        traces: texts(&["builtin:lockcont"]),
        harts: vec![2],
        encodings: texts(&["tr_e:m4", "nx_b", "gzip-1"]),
        seeds: vec![1, 2, 3],
        startup: 20_000,
        ..Plan::default()
    };
    plan.settings.max_instructions = Some(60_000);
    let (jobs, left_out, _) = plan.jobs().unwrap();
    assert_eq!((jobs.len(), files(&jobs).len()), (3, 6));
    assert_eq!(left_out, ["gzip-1 with a start-up apart: its bits are known at the end of a run only"]);
    assert_eq!(sweep(&plan, Shard::ALL, folder.path()).unwrap(), 6);
    let points = results(folder.path());
    let seeds: Vec<_> = points.iter().map(|p| p.1.seed().unwrap()).collect();
    assert_eq!(seeds, [1, 1, 2, 2, 3, 3]);
    let hashes: std::collections::BTreeSet<&str> = points.iter().map(|p| p.1.trace_hash.as_str()).collect();
    // the start delays of some seeds differ by the same number of cycles, so that their schedules are alike
    assert!(hashes.len() > 1, "{hashes:?}");
    // the same runs without a start-up: the same streams
    let whole = folder.path().join("whole");
    sweep(&Plan { startup: 0, encodings: texts(&["tr_e:m4", "nx_b"]), ..plan.clone() }, Shard::ALL, &whole).unwrap();
    for ((file, p), (_, w)) in points.iter().zip(results(&whole)) {
        let startup = p.startup.unwrap();
        let (bits, instructions) = p.steady().unwrap();
        assert_eq!((p.verified, p.bits, w.startup), (Verified::Equal, w.bits, None), "{file}");
        assert!((20_000..20_100).contains(&startup.instructions), "{file}: {startup:?}");
        assert_eq!(instructions, p.instructions - startup.instructions, "{file}");
        assert!(startup.bits.unwrap() > 0 && bits > 0 && bits + startup.bits.unwrap() == w.bits.unwrap(), "{file}");
    }
    let rows = spreads(points.iter().map(|p| &p.1));
    assert_eq!(rows.iter().map(|r| (r.scheme.as_str(), r.runs)).collect::<Vec<_>>(), [("tr_e:m4", 3), ("nx_b", 3)]);
    assert!(rows.iter().all(|r| r.total.ci95.is_some() && r.windows.unwrap().0 <= r.windows.unwrap().1));
    // a recording is not repeated
    let (events, info) = record("vm", 2);
    let ret = folder.path().join("vm.ret");
    let mut writer = RetireWriter::create(&ret, &info).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let recorded = Plan { traces: vec![ret.display().to_string()], ..plan.clone() };
    assert_eq!(files(&recorded.jobs().unwrap().0).len(), 2);
    let longer = Plan { startup: 70_000, ..plan };
    let e = sweep(&longer, Shard::ALL, &folder.path().join("longer")).unwrap_err().to_string();
    assert!(e.contains("all in the start-up of 70000; expected a shorter start-up"), "{e}");
}

#[test]
fn a_run_has_the_same_streams_in_every_container() {
    let folder = tempfile::tempdir().unwrap();
    let event = |kind, pc, target, cycle| FlowEvent { hart: 0, kind, len: 4, count: 3, pc, target, cycle };
    // code without compressed instructions, so that two bits of each address are 0
    let mut events = vec![FlowEvent { len: 0, count: 0, ..event(FlowKind::Start, 0x1000, 0x1000, 0) }];
    for i in 0..500u64 {
        events.push(event(FlowKind::IndirectJump, 0x1008, 0x2000 + 16 * (i * i % 7), 6 * i + 3));
        events.push(event(FlowKind::IndirectJump, 0x2008 + 16 * (i * i % 7), 0x1000, 6 * i + 6));
    }
    events.push(FlowEvent { len: 0, count: 0, ..event(FlowKind::Stop, 0x1000, 0x1000, 3000) });
    let (ret, rbt) = (folder.path().join("run.ret"), folder.path().join("run.rbt1"));
    let mut writer = RetireWriter::create(&ret, &record("fft", 1).1).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let mut writer = Rbt1Writer::create(&rbt, false, &[]).unwrap();
    events.iter().for_each(|e| writer.event(e));
    writer.finish().unwrap();
    let traces = [&ret, &rbt].map(|p| p.display().to_string()).to_vec();
    let plan = Plan { traces, encodings: texts(&["tr_e:s0", "nx_b"]), ..Plan::default() };
    sweep(&plan, Shard::ALL, &folder.path().join("out")).unwrap();
    let points = results(&folder.path().join("out"));
    let of = |i: usize| (points[i].1.platform.align, points[i].1.bits);
    assert_eq!((of(0), of(1)), (of(2), of(3)));
    assert_eq!(of(0).0, 1);
}

#[test]
fn predictors_that_all_cores_share_count_once() {
    let state = |scheme: &str, cores: u8| {
        let plan = Plan {
            traces: texts(&["builtin:fft"]),
            harts: vec![cores],
            encodings: texts(&[scheme]),
            verify: false,
            ..plan()
        };
        let folder = tempfile::tempdir().unwrap();
        sweep(&Plan { timestamps: vec![false], ..plan }, Shard::ALL, folder.path()).unwrap();
        let point = results(folder.path()).remove(0).1;
        (point.state_bits, point.rule_gates())
    };
    let (one, gates) = state("tr_e:m4", 1);
    assert_eq!(state("tr_e:m4", 8), (8 * one, gates));
    assert_eq!(state("tr_e:m4+shared", 8), (one, gates / 8.0));
    assert_eq!(state("shared:m4", 8), (one, gates / 8.0));
}
