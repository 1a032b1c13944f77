//! Sections of runs: `encode --from --to`, `export --from --to`

use crate::common::Place;
use serde_json::Value;

/// Addresses of the instructions in a listing, without the lines of traps.
fn addresses(listing: &str) -> Vec<&str> {
    let words = listing.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|words| words.len() == 3 && words[1].starts_with("0x")).map(|words| words[1]).collect()
}

#[test]
fn a_section_is_that_part_of_the_run() {
    let place = Place::new();
    place.good("run builtin:vm --max-instructions 100000 -o vm.ret");
    place.good("encode vm.ret -o vm.gtr");
    let whole = place.good("replay vm.gtr --elf builtin:vm");
    let said = place.good("encode vm.ret --elf builtin:vm --from work --to report -o part.gtr --json");
    let said: Value = serde_json::from_str(&said).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let (skipped, n) = (number(&said["section"]["skipped"][0]), number(&said["instructions"]));
    assert!(skipped > 100 && n > 1_000, "{said}");
    let part = place.good("replay part.gtr --elf builtin:vm");
    // not assert_eq, which would print them
    assert!(addresses(&part) == addresses(&whole)[skipped..skipped + n]);
    let symbols = place.good("replay part.gtr --elf builtin:vm --symbols --limit 1");
    assert!(symbols.contains("work"), "{symbols}");
}

#[test]
fn sections_of_several_harts_are_recordings() {
    let place = Place::new();
    place.good("run builtin:bank --harts 4 --max-instructions 300000 -o bank.ret");
    let bounds = "--elf builtin:bank --from work --to report";
    place.good(&format!("export bank.ret {bounds} -o part.ret"));
    place.good("encode part.ret -o part.gtr");
    place.good(&format!("encode bank.ret {bounds} -o bank.gtr"));
    for trace in ["part.gtr", "bank.gtr"] {
        let found = place.good(&format!("replay {trace} --elf builtin:bank --check part.ret"));
        assert!(found.contains("equal to part.ret"), "{found}");
    }
    // the same with time stamps, and from the program
    place.good("encode part.ret --timestamps -o timed.gtr");
    assert!(place.good("replay timed.gtr --elf builtin:bank --check part.ret").contains("equal"));
    place.good(&format!("export builtin:bank --harts 4 --max-instructions 300000 {} -o ran.ret", &bounds[19..]));
    let found = place.good("replay bank.gtr --elf builtin:bank --check ran.ret");
    assert!(found.contains("equal to ran.ret"), "{found}");
}

#[test]
fn an_end_that_is_not_reached_is_reported() {
    let place = Place::new();
    place.good("run builtin:vm --max-instructions 20000 -o vm.ret");
    let said = place.good("encode vm.ret --elf builtin:vm --to report -o part.gtr");
    assert!(said.contains("was not reached: up to the end of the run"), "{said}");
    for (words, message) in [
        (
            "encode vm.ret --elf builtin:vm --from report -o no.gtr",
            "vm.ret: `--from report`: no core executes an instruction at 0x",
        ),
        ("encode vm.ret --elf builtin:vm --from nothing -o no.gtr", "has no symbol `nothing`"),
        ("encode vm.ret --from work -o no.gtr", "`--from work`: expected an address such as 0x80001000, or `--elf`"),
        (
            "encode vm.ret --from 0x80000000 --scheme inputs -o no.gip",
            "`--from 0x80000000`: only with a trace of the control flow",
        ),
        ("export vm.ret --from 0x80000000 -o no.rbt1", "`--from 0x80000000`: only with an output that ends in .ret"),
    ] {
        let o = place.output(words);
        let err = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(2) && err.contains(message), "{words}: {err}");
    }
    assert!(!place.path().join("no.gtr").exists());
}
