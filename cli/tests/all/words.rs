//! Raw words from user hardware: every command that takes a trace file accepts them, and damage is reported

use crate::common::Place;
use sim::file::{TraceInfo, TraceReader};

/// A folder with `p.gtr` of `p.elf`, its words as text and as bytes, and the parameters in `system`.
fn traced() -> Place {
    let place = Place::new();
    place.good("run p.elf --timing functional -o p.ret");
    place.good("encode p.ret --set small -o p.gtr");
    place.good("gen --set small -o system");
    let words: Vec<u32> = TraceReader::<TraceInfo>::open(&place.path().join("p.gtr")).unwrap().collect();
    assert!(words.len() > 5);
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(place.path().join(name), bytes).unwrap();
    write("p.hex", words.iter().flat_map(|w| format!("{w:08x}\n").into_bytes()).collect());
    write("p.bin", words.iter().flat_map(|w| w.to_le_bytes()).collect());
    write("p.big", words.iter().flat_map(|w| w.to_be_bytes()).collect());
    place
}

fn beside(place: &Place) {
    std::fs::copy(place.path().join("system/parameters.json"), place.path().join("parameters.json")).unwrap();
}

#[test]
fn every_command_says_the_same_of_words_as_of_the_trace_file() {
    let place = traced();
    beside(&place);
    for command in [
        "decode p.gtr --elf p.elf",
        "decode p.gtr --elf p.elf --json",
        "replay p.gtr --elf p.elf",
        "replay p.gtr --elf p.elf --limit 7",
        "stats p.gtr --elf p.elf",
        "diff p.gtr p.gtr --elf p.elf",
        "vcd p.gtr --elf p.elf -o p.vcd",
    ] {
        // as for the trace file
        let all = |command: &str| {
            let told = place.good(command);
            told + &std::fs::read_to_string(place.path().join("p.vcd")).unwrap_or_default()
        };
        let right = all(command);
        assert!(!right.is_empty(), "{command}");
        for words in ["p.hex", "p.bin", "p.big"] {
            let _ = std::fs::remove_file(place.path().join("p.vcd"));
            let told = all(&command.replace("p.gtr", words));
            assert_eq!(told.replace(words, "p.gtr"), right, "{command} of {words}");
        }
    }
    for words in ["p.hex", "p.bin", "p.big"] {
        let said = place.good(&format!("replay {words} --elf p.elf --check p.ret"));
        assert!(said.contains("equal to p.ret, event by event"), "{said}");
        let named = place.path().join("elsewhere");
        std::fs::create_dir_all(&named).unwrap();
        std::fs::copy(place.path().join(words), named.join(words)).unwrap();
        place.good(&format!("decode elsewhere/{words} --elf p.elf --parameters system/parameters.json"));
    }
}

#[test]
fn the_test_vectors_of_gen_replay_to_their_instructions() {
    let place = Place::new();
    for (what, instructions) in [
        ("--set medium --cores 4", "5,000"),
        ("--set small --timestamps", "5,000"),
        ("--scheme sc-lsp --xlen 64 --cores 2", "5,000"),
        // a PC chain does not report the last instruction of a core
        ("--ingress pc-chain", "4,999"),
    ] {
        place.good(&format!("gen {what} -o t"));
        let said = place.good("replay t/words.hex --elf t/beats.ret --check t/beats.ret");
        let instructions = format!("instructions  {instructions}\n");
        assert!(said.contains(&instructions) && said.contains("equal to t/beats.ret"), "{what}: {said}");
    }
}

#[test]
fn what_cannot_be_read_is_reported() {
    let place = traced();
    let mut said = String::new();
    let mut session = |words: &str| {
        said.push_str(&place.session(words));
        said.push('\n');
    };
    session("decode p.hex --elf p.elf --limit 2");
    session("stats p.hex --elf p.elf");
    session("decode p.gtr --elf p.elf --parameters system/parameters.json");
    session("decode p.hex --elf p.elf --parameters p.elf");
    session("decode p.hex --elf p.elf --parameters missing.json");
    std::fs::write(place.path().join("empty.json"), "{}").unwrap();
    session("decode p.hex --elf p.elf --parameters empty.json");
    let text = std::fs::read_to_string(place.path().join("system/parameters.json")).unwrap();
    std::fs::write(place.path().join("other.json"), text.replace("tr_e:small", "tr_e:medium")).unwrap();
    session("decode p.hex --elf p.elf --parameters other.json");
    place.good("gen --set large -o large");
    session("decode p.hex --elf p.elf --parameters large/parameters.json");
    beside(&place);
    let hex = std::fs::read_to_string(place.path().join("p.hex")).unwrap();
    let lines: Vec<&str> = hex.lines().collect();
    std::fs::write(place.path().join("x.hex"), lines[..5].join("\n") + "\nxxxxxxxx\n").unwrap();
    session("replay x.hex --elf p.elf --summary --json");
    let bytes = std::fs::read(place.path().join("p.bin")).unwrap();
    std::fs::write(place.path().join("cut.bin"), &bytes[..bytes.len() - 3]).unwrap();
    session("replay cut.bin --elf p.elf --check p.ret --json");
    std::fs::write(place.path().join("none.hex"), "").unwrap();
    session("replay none.hex --elf p.elf");
    std::fs::write(place.path().join("noise.bin"), [0x80; 400]).unwrap();
    session("replay noise.bin --elf p.elf");
    // speeds differ from run to run
    let said: String = said.lines().filter(|l| !l.contains("second")).map(|l| format!("{l}\n")).collect();
    insta::assert_snapshot!(said);
}

#[test]
fn the_example_makes_the_trace_file_that_is_described() {
    let place = Place::new();
    place.good("gen --set medium --cores 4 -o t");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/words_to_gtr.py");
    let made = std::process::Command::new("python3")
        .args([script, "t/words.hex", "t/parameters.json"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    std::fs::write(place.path().join("mine.gtr"), made.stdout).unwrap();
    let said = place.good("replay mine.gtr --elf t/beats.ret --check t/beats.ret");
    assert!(said.contains("equal to t/beats.ret"), "{said}");
}
