//! Views of one run are consistent, and the same from its trace and from its recording

use host::assembly::Assembly;
use host::encode::{to_file, Request};
use host::filter::Filter;
use host::input::{Input, InputOptions};
use host::inputs::{record, Session};
use host::machine::Settings;
use host::progress::Quiet;
use host::symbols::Symbols;
use host::views::coverage::Coverage;
use host::views::lines::Lines;
use host::views::paths::Paths;
use host::views::profile::Profile;
use host::views::show::{Program, Selection, Show};
use host::views::source::Replayed;
use host::views::timeline::Timeline;
use sim::params::{FlowScheme, Platform, TraceParams};
use sim::scheme::inputs::params::Sizes;
use std::collections::HashMap;
use std::path::PathBuf;

const ELF: &str = "builtin:bank";
const INSTRUCTIONS: u64 = 300_000;

/// A control-flow trace and a recording of the same run.
fn both(dir: &tempfile::TempDir) -> [PathBuf; 2] {
    let input = Input::open(ELF).unwrap();
    let settings = Settings { max_instructions: Some(INSTRUCTIONS), ..Settings::default() };
    let run = input.run(3, &settings).unwrap();
    let [trace, recording] = ["a.gtr", "a.gip"].map(|n| dir.path().join(n));
    let flow: FlowScheme = "tr_e:small".parse().unwrap();
    let params = TraceParams::new(Platform { cores: 3, ..Platform::RV32 }, flow);
    let request = Request::new(params);
    to_file(&run, &request, &trace, &Quiet).unwrap();
    record(&run, Sizes::default(), 0, Some(&recording), &Quiet).unwrap();
    [trace, recording]
}

fn open(path: &std::path::Path) -> Replayed {
    Replayed::open(path, ELF, InputOptions::default(), &Quiet).unwrap().0
}

#[test]
fn profiles_are_equal_and_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let profiles = both(&dir).map(|path| {
        let mut profile = Profile::new(Symbols::open(ELF).unwrap(), None, 3);
        open(&path).report_to(&mut profile, &Quiet).unwrap();
        profile
    });
    let flat = profiles[0].flat();
    assert_eq!(flat, profiles[1].flat());
    assert_eq!(flat.iter().map(|s| s.own).sum::<u64>(), INSTRUCTIONS);
    let start = flat.iter().find(|s| s.function == "_start").unwrap();
    assert_eq!(start.total, INSTRUCTIONS, "all was called from the entry");
    assert!(flat.iter().any(|s| s.function == "work" && s.total > s.own && s.own > 1000), "{flat:?}");
    let mut folded = Vec::new();
    profiles[1].folded(&mut folded).unwrap();
    let folded = String::from_utf8(folded).unwrap();
    let sum: u64 = folded.lines().map(|l| l.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, INSTRUCTIONS);
    assert!(folded.lines().any(|l| l.contains("work;teller_step ")), "{folded}");
}

#[test]
fn coverage_is_equal_and_names_lines_and_branches() {
    let dir = tempfile::tempdir().unwrap();
    let program = host::input::Named::open(ELF).unwrap().program;
    let (lines, symbols) = (Lines::open(ELF).unwrap(), Symbols::open(ELF).unwrap());
    let [of_trace, of_recording] = both(&dir).map(|path| {
        let mut coverage = Coverage::new();
        coverage.begin(3);
        open(&path).report_to(&mut coverage, &Quiet).unwrap();
        let mut text = Vec::new();
        let files = coverage.files((&program, None), &lines, &symbols, &Paths::default());
        files.lcov(&mut text).unwrap();
        (files.sums(), String::from_utf8(text).unwrap())
    });
    assert_eq!(of_trace, of_recording);
    let (sums, text) = of_trace;
    let bank = text.split("end_of_record").find(|f| f.contains("SF:") && f.contains("bank.c\n")).unwrap();
    // `gets++` of get_balance ran, the last line of main did not
    let count = |line: u32| {
        let prefix = format!("DA:{line},");
        bank.lines().find_map(|l| l.strip_prefix(&prefix)).map(|n| n.parse::<u64>().unwrap())
    };
    assert!(count(29).is_some_and(|n| n > 10), "{bank}");
    assert_eq!(count(163), Some(0), "{bank}");
    assert!(sums.lines_hit > 50 && sums.lines_hit < sums.lines, "{sums:?}");
    assert!(sums.branches_hit > 50 && sums.branches_hit < sums.branches, "{sums:?}");
    // functions with their first lines and calls; get_balance was called as often as its line ran
    assert!(bank.contains("\nFN:28,get_balance\n") || bank.contains(",get_balance\n"), "{bank}");
    assert!(sums.functions_hit > 5 && sums.functions_hit < sums.functions, "{sums:?}");
    // a second run of the same adds its counts
    let [path, _] = both(&dir);
    let mut twice = Coverage::new();
    for _ in 0..2 {
        twice.begin(3);
        open(&path).report_to(&mut twice, &Quiet).unwrap();
    }
    let mut more = Vec::new();
    let only = Paths { include: vec!["*bank.c".into()], ..Paths::default() };
    twice.files((&program, None), &lines, &symbols, &only).lcov(&mut more).unwrap();
    let more = String::from_utf8(more).unwrap();
    let doubled = |line: &str| match line.strip_prefix("DA:").and_then(|l| l.split_once(',')) {
        Some((number, n)) => format!("DA:{number},{}", 2 * n.parse::<u64>().unwrap()),
        None => line.to_string(),
    };
    let da = |text: &str| text.lines().filter(|l| l.starts_with("DA:")).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(da(&more), da(bank).iter().map(|l| doubled(l)).collect::<Vec<_>>());
    assert_eq!(more.matches("SF:").count(), 1, "{more}");
}

#[test]
fn a_timeline_is_json_whose_functions_begin_and_end() {
    let dir = tempfile::tempdir().unwrap();
    for path in both(&dir) {
        let mut text = Vec::new();
        let mut timeline = Timeline::new(Symbols::open(ELF).unwrap(), None, 3, 3, false, &mut text).unwrap();
        open(&path).report_to(&mut timeline, &Quiet).unwrap();
        timeline.finish().unwrap();
        let events: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
        let mut depths: HashMap<u64, i64> = HashMap::new();
        let mut last = 0;
        for e in &events[3..] {
            let depth = depths.entry(e["tid"].as_u64().unwrap()).or_default();
            *depth += if e["ph"] == "B" { 1 } else { -1 };
            assert!((0..=3).contains(depth), "{e}");
            let now = e["ts"].as_u64().unwrap();
            assert!(now >= last && now <= INSTRUCTIONS);
            last = now;
        }
        assert_eq!(depths.len(), 3);
        assert!(depths.values().all(|d| *d == 0));
        assert!(events.iter().any(|e| e["name"] == "work"));
    }
}

#[test]
fn instructions_are_shown_under_their_lines_with_their_values() {
    let dir = tempfile::tempdir().unwrap();
    let [trace, recording] = both(&dir);
    let text = |path: &std::path::Path, shown: Selection| {
        let (replayed, named) = Replayed::open(path, ELF, InputOptions::default(), &Quiet).unwrap();
        let image = retire::image::Image::new(&named.program);
        let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/bare");
        let mut out = Vec::new();
        let mut show =
            Show::new((Program::new(image, Lines::open(ELF).ok()), Assembly::new(32)), 3, shown, sources, &mut out);
        replayed.report_until(&mut show, &Quiet, Show::is_over).unwrap();
        show.finish().unwrap();
        String::from_utf8(out).unwrap()
    };
    let core = |n| Filter::new(Some(n), Vec::new(), 0..u64::MAX);
    let first = Selection { filter: core(1), skip: 0, limit: 4, cycles: false };
    assert_eq!(
        text(&recording, first),
        "core 1  ./rt/crt.S:18  _start\n    | la gp, __global_pointer$\n       \
         1  0x80000000  00001197  auipc gp, 1               gp = 0x80001000\n       \
         1  0x80000004  14418193  addi gp, gp, 324          gp = 0x80001144\n\
         core 1  ./rt/crt.S:21  _start\n    | csrw mie, zero\n       \
         1  0x80000008  30401073  csrrw zero, mie, zero\n\
         core 1  ./rt/crt.S:27  _start\n    | csrr s0, mhartid\n       \
         1  0x8000000c  f1402473  csrrs s0, mhartid, zero   mhartid is 0x00000001  s0 = 0x00000001\n"
    );
    let lines = |text: &str| text.lines().filter(|l| l.contains("  0x")).count();
    let some = Selection { filter: core(2), skip: 5_000, limit: 400, cycles: false };
    let (of_trace, of_recording) = (text(&trace, some.clone()), text(&recording, some));
    assert_eq!((lines(&of_trace), lines(&of_recording)), (400, 400));
    // the same instructions; only the recording has values
    let places = |text: &str| {
        let place = |l: &str| l.split("  ").take(4).collect::<Vec<_>>().join("  ");
        text.lines().filter(|l| l.contains("  0x")).map(place).collect::<Vec<_>>()
    };
    let codes = |all: Vec<String>| all.into_iter().map(|l| l[..20.min(l.len())].to_string()).collect::<Vec<_>>();
    assert_eq!(codes(places(&of_trace)), codes(places(&of_recording)));
    assert!(of_recording.contains(" = 0x") && !of_trace.contains(" = 0x"));
}

#[test]
fn who_wrote_finds_the_last_store_of_the_run() {
    use host::debug::writer::who_wrote;
    use retire::{DataEvent, DataKind, FlowEvent, RetireSink};
    use sim::scheme::inputs::replay::Timeline;
    #[derive(Default)]
    struct Stores(u32, Vec<(u8, u32, u32)>);
    impl RetireSink for Stores {
        const WANTS_DATA: bool = true;
        fn event(&mut self, _: &FlowEvent) {}
        fn data(&mut self, d: &DataEvent) {
            match d.kind {
                DataKind::Store { addr, value, .. } if addr == u64::from(self.0) => {
                    self.1.push((d.hart, d.pc as u32, value as u32));
                }
                _ => {}
            }
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let [_, recording] = both(&dir);
    let address = Symbols::data(ELF, "balance").unwrap();
    let open = || {
        Session::open(&recording, InputOptions { elf: Some(ELF), any_build: false, ..InputOptions::default() }).unwrap()
    };
    let mut stores = Stores(address, Vec::new());
    open().run(&mut stores, &Quiet, |_| false).unwrap();
    assert!(stores.1.len() > 5, "{} stores", stores.1.len());
    let mut line = Timeline::new(open().replay());
    line.seek(u64::MAX).unwrap();
    let found = who_wrote(&mut line, address, 4, 5).unwrap();
    let found: Vec<_> = found.iter().map(|w| (w.core, w.access.pc, w.access.value)).collect();
    assert_eq!(found, stores.1.iter().rev().take(5).copied().collect::<Vec<_>>());
}

#[test]
fn the_first_difference_of_two_runs_is_found() {
    use host::views::diff::diff;
    let all = host::contexts::Selection::default();
    let dir = tempfile::tempdir().unwrap();
    let [trace, recording] = both(&dir);
    assert_eq!(diff(open(&trace), open(&recording), &all, &Quiet).unwrap().differences, []);
    // the same program, with delayed cores
    let input = Input::open(ELF).unwrap();
    let settings = Settings { max_instructions: Some(INSTRUCTIONS), seed: 5, ..Settings::default() };
    let late = dir.path().join("late.gip");
    record(&input.run(3, &settings).unwrap(), Sizes::default(), 0, Some(&late), &Quiet).unwrap();
    let differences = diff(open(&recording), open(&late), &all, &Quiet).unwrap().differences;
    assert!(!differences.is_empty());
    // computed independently: the events of both, core by core
    #[derive(Default)]
    struct Events(Vec<Vec<retire::FlowEvent>>);
    impl retire::RetireSink for Events {
        fn event(&mut self, e: &retire::FlowEvent) {
            self.0.resize(3, Vec::new());
            self.0[usize::from(e.hart)].push(*e);
        }
    }
    let [a, b] = [&recording, &late].map(|path| {
        let mut events = Events::default();
        open(path).report_to(&mut events, &Quiet).unwrap();
        events.0
    });
    for p in differences {
        let core = usize::from(p.core);
        let at = a[core].iter().zip(&b[core]).position(|(x, y)| !x.same_flow(y)).unwrap();
        let before: u64 = a[core][..at].iter().map(|e| u64::from(e.count)).sum();
        let found = [p.first, p.second].map(|step| step.map(|step| step.event));
        assert_eq!((p.instructions, found), (before, [Some(a[core][at]), Some(b[core][at])]));
    }
}
