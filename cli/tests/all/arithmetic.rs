//! Scheme `follow` with an arithmetic coder, on the command line: traced, replayed and swept; a circuit; refused with time stamps

use crate::common::Place;
use serde_json::Value;

const RUN: &str = "builtin:bank --harts 4 --max-instructions 40000";

fn refused(place: &Place, words: &str, why: &str) {
    let output = place.output(words);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}: {said}");
    assert!(said.contains(why) && said.lines().count() == 1, "{words}: {said}");
}

#[test]
fn a_code_gives_the_run_back() {
    let place = Place::new();
    place.good(&format!("run {RUN} -o bank.ret"));
    for options in ["", " --sync-period 12", " --signature 16"] {
        let encode = format!("encode bank.ret --scheme follow:m+arithmetic{options} -o bank.gtr --json");
        let encoded: Value = serde_json::from_str(&place.good(&encode)).unwrap();
        let said = place.good("replay bank.gtr --elf builtin:bank --check bank.ret");
        assert!(said.contains("equal to bank.ret, event by event"), "{said}");
        let stats: Value = serde_json::from_str(&place.good("stats bank.gtr --elf builtin:bank --json")).unwrap();
        assert_eq!(stats["bits"], encoded["bits"]);
        let words = stats["messages"]["word"]["messages"].as_u64().unwrap();
        assert!(words > 50, "{words}");
        let list = place.good("decode bank.gtr --elf builtin:bank");
        assert_eq!(list.lines().filter(|l| l.contains("  word 0x")).count() as u64, words);
    }
    place.good("sweep --trace bank.ret --encoding follow:s+arithmetic,follow:s -o swept");
    let results = std::fs::read_to_string(place.path().join("swept/results.csv")).unwrap();
    assert!(results.lines().count() == 3 && !results.contains("unverified"), "{results}");
}

#[test]
fn there_is_a_circuit_and_no_time() {
    let place = Place::new();
    let scheme = "--scheme follow:m+arithmetic";
    let none = "expected none with +arithmetic";
    for words in ["gen -o x", "gates", "sim builtin:bank"] {
        refused(&place, &format!("{words} {scheme} --timestamps"), none);
    }
    refused(&place, &format!("encode {RUN} {scheme} --timestamps -o x.gtr"), none);
    assert!(!place.path().join("x").exists() && !place.path().join("x.gtr").exists());
    // its vectors are the words of the model
    place.good(&format!("gen {scheme} --cores 3 --sync --signature 8 -o x"));
    assert!(place.path().join("x/words.hex").exists());
}
