//! A generated system with the input `allow`: while it is 0, no word leaves, and a trace ends when it falls

use crate::common::Place;
use std::path::Path;
use std::process::Command;

/// Output of the bench for a system edited by `change`; its words are in out/captured.hex.
fn play(place: &Place, change: impl Fn(&str) -> String) -> String {
    place.good("gen --set small --fifo 256 --lock -o out");
    let out = place.path().join("out");
    let verilog = out.join("goshawk_trace.v");
    let text = change(&std::fs::read_to_string(&verilog).unwrap());
    std::fs::write(&verilog, text).unwrap();
    let run = |program: &str, args: &[&str]| {
        let done = Command::new(program).args(args).current_dir(&out).output();
        let done = done.unwrap_or_else(|e| panic!("{program}: {e}; tools/setup installs what is needed"));
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lock/bench.v");
    run("iverilog", &["-o", "bench", bench.to_str().unwrap(), "goshawk_trace.v"]);
    run("vvp", &["bench"])
}

/// Output of a replay of words.
fn replayed(place: &Place, words: &str, more: &str) -> String {
    let got = place.output(&format!("replay out/{words} --elf out/beats.ret {more}"));
    assert!(got.status.success(), "{}", String::from_utf8_lossy(&got.stderr));
    String::from_utf8(got.stdout).unwrap()
}

/// Number of instructions in them.
fn instructions(place: &Place, words: &str) -> usize {
    let said = replayed(place, words, "--summary");
    let row = said.lines().find_map(|l| l.strip_prefix("instructions")).unwrap_or_else(|| panic!("{said}"));
    row.trim().replace(',', "").parse().unwrap()
}

#[test]
fn nothing_is_traced_but_while_it_is_allowed() {
    let place = Place::new();
    let said = play(&place, str::to_string);
    assert!(!said.contains("FAIL") && said.ends_with("ended\n"), "{said}");
    let fell = said.lines().find_map(|l| l.strip_prefix("fell ")?.parse::<usize>().ok()).unwrap();
    let (all, traced) = (instructions(&place, "words.hex"), instructions(&place, "captured.hex"));
    // instructions in the cycle in which it falls, and in that of the write of control, may be traced
    assert!(
        fell == 3004 && all == 5000 && (fell..=fell + 3).contains(&traced),
        "{traced} of {all}, it fell behind {fell}"
    );
    let (all, traced) = (replayed(&place, "words.hex", ""), replayed(&place, "captured.hex", ""));
    assert!(traced.lines().count() > 300 && all.starts_with(&traced), "{traced}");
}

#[test]
fn a_lock_that_does_not_shut_is_found() {
    let place = Place::new();
    let said = play(&place, |text| {
        let broken = text.replace("ends = begun & ", "ends = 1'b0 & begun & ");
        assert_ne!(broken, text, "the line that ends a trace is another one");
        broken
    });
    assert!(said.contains("FAIL: the trace does not end"), "{said}");
}

#[test]
fn a_record_system_has_no_lock() {
    let place = Place::new();
    let said = place.session("gen --scheme inputs:256 --lock -o out");
    assert!(
        said.ends_with("exit code 2\n")
            && said.contains("`--lock`: only with a scheme that traces the control flow, not `--scheme inputs:256`"),
        "{said}"
    );
}
