//! `goshawk capture run --packed` and `goshawk capture expand`: the same files, later

use crate::common::Place;
use serde_json::Value;
use std::process::Command;

/// A folder with a compiled program of the crate `capture`'s tests.
fn place(name: &str) -> Place {
    let place = Place::new();
    let source = format!("{}/../capture/tests/guests/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("riscv64-linux-gnu-gcc");
    command.args(["-O1", "-static", "-pthread", "-o", "guest"]).arg(source).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
    place
}

fn json(place: &Place, words: &str) -> Value {
    let o = place.output(words);
    let err = String::from_utf8_lossy(&o.stderr);
    serde_json::from_slice(&o.stdout).unwrap_or_else(|e| panic!("{words}: {e}: {err}"))
}

/// The message of a command that is refused.
fn refusal(place: &Place, words: &str) -> String {
    let o = place.output(words);
    let err = String::from_utf8(o.stderr).unwrap();
    assert_eq!((o.status.code(), err.lines().count()), (Some(2), 1), "{words}: {err}");
    err
}

#[test]
fn files_of_a_packed_recording_are_those_of_the_run() {
    let place = place("threads");
    let files = |name: &str| {
        format!(
            "-o {name}.ret --rbt1 {name}.rbt1.zst --mcf {name}.mcf --mls {name}.mls --ascii --statistics {name}.json"
        )
    };
    let run = format!(
        "capture run --schedule serial:100,jitter,seed=5 --data --packed a.gcap {} --json -- ./guest 3",
        files("a")
    );
    let run = json(&place, &run);
    let expanded = json(&place, &format!("capture expand a.gcap {} --json", files("b")));
    let same = ["build_id", "source", "ended", "threads", "harts", "expanded", "turns", "branches", "loads", "stores"];
    for key in same {
        assert!(!run[key].is_null() && run[key] == expanded[key], "{key}: {run} {expanded}");
    }
    for extension in ["ret", "rbt1.zst", "mcf", "mls", "json"] {
        let [run, expanded] = ["a", "b"].map(|name| std::fs::read(place.path().join(format!("{name}.{extension}"))));
        assert!(run.unwrap() == expanded.unwrap(), "{extension}");
    }
    // with another number of harts, too
    let two = json(&place, "capture expand a.gcap --harts 2 -o c.ret --json");
    assert_eq!((&two["harts"], &two["threads"]), (&2.into(), &run["threads"]));
    place.good("encode c.ret -o c.gtr");
    place.good("replay c.gtr --check c.ret");
}

#[test]
fn a_run_without_other_files_is_not_expanded() {
    let place = place("flow");
    let run = json(&place, "capture run --packed a.gcap --json -- ./guest");
    assert!(run["expanded"].is_null() && run["branches"].is_null() && run["loads"].is_null(), "{run}");
    assert_eq!(run["files"].as_array().unwrap().len(), 1);
    let expanded = json(&place, "capture expand a.gcap --json");
    let instructions = expanded["expanded"]["instructions"].as_u64().unwrap();
    assert!(instructions > 1000 && run["executed_instructions"].as_u64().unwrap() >= instructions, "{run} {expanded}");
    // the exit code is the guest's
    let text = String::from_utf8(place.output("capture run --packed b.gcap -- ./guest").stdout).unwrap();
    assert!(text.contains("at most ") && !text.contains("branches"), "{text}");
    // a limit is one of the expanded run, too
    json(&place, "capture run --packed c.gcap --max-instructions 1000 --end-with-trace --json -- ./guest");
    let limited = json(&place, "capture expand c.gcap --json");
    assert_eq!((&limited["expanded"]["instructions"], &limited["limit"]), (&1000.into(), &"instructions".into()));
}

#[test]
fn processes_have_packed_recordings() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    let run = json(&place, "capture run --follow all --packed sh.gcap --json -- /bin/sh -c /bin/true;/bin/true");
    let processes = run["processes"].as_array().unwrap();
    let of_true: Vec<&str> = processes.iter().filter_map(|p| p["files"][0].as_str()).collect();
    assert!(of_true.iter().filter(|f| f.ends_with("-true.gcap")).count() >= 1, "{run}");
    for file in of_true {
        let expanded = json(&place, &format!("capture expand {file} -o x.ret --json"));
        assert!(expanded["source"].as_str().unwrap().contains(", process "), "{expanded}");
        place.good("encode x.ret -o x.gtr");
        place.good("replay x.gtr --check x.ret");
    }
}

#[test]
fn what_a_packed_recording_does_not_have_is_refused() {
    let place = place("flow");
    json(&place, "capture run --packed a.gcap --json -- ./guest");
    let err = refusal(&place, "capture expand a.gcap --mls a.mls");
    assert!(err.contains("--mls: a.gcap has no loads and stores"), "{err}");
    let err = refusal(&place, "capture expand a.gcap --statistics s.json --scheme cfiat:1k");
    assert!(err.contains("--scheme: a.gcap has no loads and stores"), "{err}");
    let err = refusal(&place, "capture expand a.gcap --mcf a.mcf --ascii --disassemble");
    assert!(err.contains("--disassemble: a.gcap has no disassembled instructions"), "{err}");
    let err = refusal(&place, "stats a.gcap");
    assert!(err.contains("goshawk capture expand"), "{err}");
    // damage anywhere, and a missing end
    let good = std::fs::read(place.path().join("a.gcap")).unwrap();
    for at in (0..good.len()).step_by(good.len() / 40) {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(place.path().join("bad.gcap"), bad).unwrap();
        let err = refusal(&place, "capture expand bad.gcap -o bad.ret");
        assert!(err.contains("bad.gcap") && !place.path().join("bad.ret").exists(), "{at}: {err}");
        std::fs::write(place.path().join("bad.gcap"), &good[..at]).unwrap();
        refusal(&place, "capture expand bad.gcap -o bad.ret");
    }
}
