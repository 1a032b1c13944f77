//! Traces of single routines match that part of the whole run, thread by thread; invalid names are rejected

use crate::common::{all, options, run, All};
use capture::machine::Executable;
use capture::routines::{find, Routine};
use retire::{DataKind, FlowKind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// `guests/routines.c` and its other file.
fn made(place: &Path, name: &str, compiler: &str, more: &[&str]) -> PathBuf {
    let program = place.join(name);
    let sources = ["routines", "routines_other"];
    let sources = sources.map(|s| Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/guests/{s}.c")));
    let mut command = Command::new(compiler);
    command.args(["-O1", "-pthread"]).args(more).arg("-o").arg(&program).args(sources);
    assert!(command.status().expect("tools/setup installs the compiler").success(), "{name}");
    program
}

fn found(program: &Path, names: &[&str]) -> Result<Vec<Routine>, String> {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    find(&Executable::open(program).unwrap(), &names).map_err(|e| e.to_string())
}

/// Address and size according to `nm`.
fn by_nm(program: &Path, nm: &str, name: &str) -> (u64, u64) {
    let text = String::from_utf8(Command::new(nm).arg("-S").arg(program).output().unwrap().stdout).unwrap();
    let fields = text.lines().map(|l| l.split(' ').collect::<Vec<_>>());
    let line = fields.into_iter().find(|f| f.len() == 4 && f[3] == name).unwrap_or_else(|| panic!("{name}"));
    let hex = |text| u64::from_str_radix(text, 16).unwrap();
    (hex(line[0]), hex(line[1]))
}

/// What a thread did at these addresses: pcs, and values loaded and stored. The address of the stack depends on the
/// system.
fn inside(whole: &All, thread: u32, pieces: &[(u64, u64)]) -> (Vec<u64>, Vec<(u64, DataKind)>) {
    let is_inside = |pc: u64| pieces.iter().any(|(at, size)| (*at..at + size).contains(&pc));
    let pcs = whole.pcs.iter().filter(|p| p.0 == thread && is_inside(p.1)).map(|p| p.1);
    let data = whole.data.iter().filter(|d| d.0 == thread && is_inside(d.1.pc)).map(|d| (d.1.pc, d.1.kind));
    (pcs.collect(), data.collect())
}

/// Checks that each hart has one start and one stop, that every instruction is counted in one event, and that each
/// event continues where the last one led, except after a trap, where the routine continues.
fn is_stream(part: &All, instructions: u64) {
    assert_eq!(part.events.iter().map(|(_, e)| u64::from(e.count)).sum::<u64>(), instructions);
    for hart in 0..16 {
        let events: Vec<_> = part.events.iter().map(|(_, e)| e).filter(|e| e.hart == hart).collect();
        let (Some(first), Some(last)) = (events.first(), events.last()) else { continue };
        assert_eq!((first.kind, last.kind), (FlowKind::Start, FlowKind::Stop), "hart {hart}");
        let ends = events.iter().filter(|e| matches!(e.kind, FlowKind::Start | FlowKind::Stop)).count();
        assert_eq!(ends, 2, "hart {hart}");
        for pair in events.windows(2) {
            let here = pair[1].count == 0 || pair[1].pc >= pair[0].target;
            assert!(here, "hart {hart}: {:x?} behind {:x?}", pair[1], pair[0]);
            if pair[1].count == 0 {
                assert_eq!(pair[1].pc, pair[0].target, "hart {hart}: {:x?}", pair[1]);
            }
        }
    }
}

#[test]
fn a_routine_alone_is_what_the_whole_run_has_of_it() {
    let place = tempfile::tempdir().unwrap();
    let program = made(place.path(), "static", "riscv64-linux-gnu-gcc", &["-static"]);
    let captured = |schedule: &str, names: &[&str], harts| {
        let mut wanted = options(schedule, &[]);
        (wanted.data, wanted.routines) = (true, found(&program, names).unwrap());
        let captured = run(&program, &wanted);
        assert_eq!(captured.ended, capture::run::Ended::Code(0));
        assert!(!schedule.starts_with("serial:37") || captured.switches > 20, "{}", captured.switches);
        all(&captured, harts)
    };
    for schedule in ["serial:1000", "serial:37,jitter,seed=4"] {
        let (whole, _) = captured(schedule, &[], 4);
        for names in [&["work"][..], &["leaf"], &["front"], &["behind"], &["faulty"], &["main", "leaf", "behind"]] {
            let (part, expanded) = captured(schedule, names, 4);
            let pieces: Vec<_> = names.iter().map(|n| by_nm(&program, "riscv64-linux-gnu-nm", n)).collect();
            let mut most = 0;
            for thread in 0..4 {
                let (right, mine) = (inside(&whole, thread, &pieces), inside(&part, thread, &[(0, u64::MAX)]));
                assert_eq!(right.0, mine.0, "{schedule} {names:?}: thread {thread}");
                assert_eq!(right.1, mine.1, "{schedule} {names:?}: thread {thread}");
                most = most.max(mine.0.len());
            }
            assert!(most > 10, "{schedule} {names:?}: {most}");
            assert_eq!(
                (expanded.unexplained, expanded.instructions),
                (0, part.pcs.len() as u64),
                "{schedule} {names:?}"
            );
            assert_eq!(expanded.signals, u64::from(names == ["faulty"]), "{schedule} {names:?}");
            is_stream(&part, expanded.instructions);
        }
    }
}

#[test]
fn skip_and_length_count_what_is_traced() {
    let place = tempfile::tempdir().unwrap();
    let program = made(place.path(), "static", "riscv64-linux-gnu-gcc", &["-static"]);
    let captured = |skip, length| {
        let mut wanted = options("serial:1000000000", &[]);
        (wanted.skip, wanted.length, wanted.routines) = (skip, length, found(&program, &["front"]).unwrap());
        all(&run(&program, &wanted), 4)
    };
    let (whole, _) = captured(0, None);
    for (skip, length) in [(0, 1), (1, 1), (3, 8), (17, 1)] {
        let (part, expanded) = captured(skip, Some(length));
        assert_eq!(part.pcs, whole.pcs[skip as usize..(skip + length) as usize], "{skip} {length}");
        assert_eq!((expanded.skipped, expanded.instructions), (skip, length));
        is_stream(&part, length);
    }
}

#[test]
fn an_image_that_is_loaded_anywhere_has_its_routines_too() {
    let mut kinds = vec![("riscv64-linux-gnu-gcc", "riscv64-linux-gnu-nm")];
    if std::env::consts::ARCH == "x86_64" {
        kinds.push(("gcc", "nm"));
    }
    let place = tempfile::tempdir().unwrap();
    for (compiler, nm) in kinds {
        let program = made(place.path(), compiler, compiler, &["-pie", "-fPIE"]);
        let captured = |names: &[&str]| {
            let mut wanted = options("serial:1000", &[]);
            wanted.routines = found(&program, names).unwrap();
            all(&run(&program, &wanted), 4)
        };
        let (whole, _) = captured(&[]);
        let (part, _) = captured(&["work"]);
        let (at, size) = by_nm(&program, nm, "work");
        // moved by whole pages
        let moved = part.pcs[0].1 - at;
        assert!(moved > 0 && moved % 4096 == 0, "{compiler}: {moved:#x}");
        for thread in 1..4 {
            let right = inside(&whole, thread, &[(at + moved, size)]).0;
            assert!(right.len() > 1000 && right == inside(&part, thread, &[(0, u64::MAX)]).0, "{compiler}: {thread}");
        }
    }
}

#[test]
fn routines_without_a_symbol_are_those_of_debug_information() {
    let place = tempfile::tempdir().unwrap();
    let compiler = "riscv64-linux-gnu-gcc";
    let program = made(place.path(), "debug", compiler, &["-static", "-g"]);
    let without = made(place.path(), "without", compiler, &["-static", "-g", "-Wl,-x"]);
    // the symbols show what the debug information must contain
    let (at, size) = by_nm(&program, "riscv64-linux-gnu-nm", "mend");
    let right = [Routine { name: "mend".into(), pieces: std::iter::once(at..at + size).collect() }];
    assert_eq!(found(&program, &["mend"]).unwrap(), right);
    assert_eq!(found(&without, &["mend"]).unwrap(), right);
    let address = format!("{at:#x}");
    let by_address = found(&without, &[&address]).unwrap();
    assert_eq!((&by_address[0].name, &by_address[0].pieces), (&address, &right[0].pieces));
    let symbols = Command::new("riscv64-linux-gnu-nm").arg(&without).output().unwrap().stdout;
    assert!(!String::from_utf8(symbols).unwrap().contains(" mend\n"));
}

#[test]
fn names_that_are_not_of_one_routine_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let compiler = "riscv64-linux-gnu-gcc";
    let program = made(place.path(), "debug", compiler, &["-static", "-g"]);
    let refused = |program: &Path, name: &str| {
        let message = found(program, &["work", name]).unwrap_err();
        message.strip_prefix(&format!("{}: ", program.display())).unwrap_or(&message).to_string()
    };
    assert_eq!(refused(&program, "wrok"), "no routine `wrok` in its symbols or debug information; there is `work`");
    assert_eq!(refused(&program, "qqqqqq"), "no routine `qqqqqq` in its symbols or debug information");
    let (at, size) = by_nm(&program, "riscv64-linux-gnu-nm", "work");
    assert_eq!(
        refused(&program, &format!("{:#x}", at + 2)),
        format!("no routine begins at {:#x}; `work` begins at {at:#x}", at + 2)
    );
    assert!(refused(&program, "0x3").starts_with("no routine begins at 0x3; expected an address of"));
    // a variable is not a routine
    assert!(refused(&program, "own").starts_with("no routine `own`"));
    let several = refused(&program, "twice");
    let first = several.split_once("such as ").expect(&several).1;
    assert_eq!(
        several,
        format!("routine `twice` is at {first} (routines.c) and {}", &several[several.find(" and ").unwrap() + 5..])
    );
    assert!(several.contains(" (routines_other.c); an address selects one of them, such as 0x"), "{several}");
    assert_eq!(found(&program, &[first]).unwrap()[0].pieces.len(), 1);
    let inlined = refused(&program, "nowhere");
    assert!(
        inlined.starts_with("routine `nowhere` was inlined wherever it is called (at 0x")
            && inlined.ends_with("), so it has no code to trace; __attribute__((noinline)) keeps it"),
        "{inlined}"
    );
    assert!(refused(&program, "endless").contains("has no size in the symbol table, and no debug information"));
    let bare = made(place.path(), "bare", compiler, &["-static", "-s"]);
    assert_eq!(
        found(&bare, &["work"]).unwrap_err(),
        format!("{}: no routine `work`: it has no symbols; expected a program that is not stripped", bare.display())
    );
    assert!(size > 20);
}
