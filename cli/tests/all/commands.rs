//! Output of the commands on success

use crate::common::Place;

/// Hides values that depend on the machine: speeds and times.
fn without_cycles(text: &str) -> String {
    let hide = |line: &str| {
        let cut = ["speed ", "\"seconds\":", "\"instructions_per_second\":"].iter().find_map(|k| line.find(k));
        cut.map_or_else(|| line.to_string(), |at| format!("{}(varies)", &line[..at]))
    };
    text.lines().map(hide).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_program_is_run_traced_replayed_and_checked() {
    let place = Place::new();
    let mut text = String::new();
    for words in [
        "run p.elf --harts 2 --timing functional -o p.ret",
        "encode p.ret -o p.gtr --timestamps",
        "replay p.gtr --elf p.elf --limit 12",
        "replay p.gtr --elf p.elf --core 1 --limit 4",
        "decode p.gtr --elf p.elf",
        "replay p.gtr --elf p.elf --check p.ret",
        "stats p.gtr --elf p.elf",
        "stats p.ret --window 100",
        "stats p.ret --timestamps --window 100 --csv",
    ] {
        text += &format!("$ goshawk {words}\n{}\n\n", without_cycles(&place.good(words)));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn json_is_one_object_with_tool_parameters_and_counts() {
    let place = Place::new();
    for (name, words) in [
        ("json_run", "run p.elf --timing functional -o p.ret --json"),
        ("json_encode", "encode p.ret -o p.gtr --set medium --json"),
        ("json_replay", "replay p.gtr --elf p.elf --check p.ret --json"),
        ("json_decode", "decode p.gtr --elf p.elf --limit 2 --json"),
        ("json_stats", "stats p.ret --window 200 --json"),
    ] {
        let text = without_cycles(&place.good(words));
        insta::assert_snapshot!(name, text);
    }
    let list: serde_json::Value = serde_json::from_str(&place.good("programs --json")).unwrap();
    assert_eq!(list["programs"].as_array().map(Vec::len), Some(programs::PROGRAMS.len()));
}

#[test]
fn every_encoding_replays_to_the_same_listing() {
    let place = Place::new();
    place.good("run p.elf -o p.ret");
    let mut listings = Vec::new();
    for encoding in ["tr_e", "tr_b", "nx_b", "nexs", "tr(bcnt=5,1;diffta=7,3)"] {
        place.good(&format!("encode p.ret -o p.gtr --encoding {encoding}"));
        listings.push(place.good("replay p.gtr --elf p.elf"));
    }
    // 3 instructions, 40 rounds of 3 in the loop and 3 or 4 in the function, 11 instructions
    assert_eq!(listings[0].lines().count(), 3 + 40 * 3 + 30 * 3 + 10 * 4 + 11);
    assert!(listings.iter().all(|l| *l == listings[0]));
}

#[test]
fn a_listing_names_its_places_where_a_symbol_table_is_given() {
    let place = Place::new();
    place.good("run builtin:fft --max-instructions 3000 -o f.ret");
    place.good("encode f.ret -o f.gtr");
    let plain = place.good("replay f.gtr --elf builtin:fft --limit 200");
    let named = place.good("replay f.gtr --elf builtin:fft --limit 200 --symbols");
    assert_eq!(plain.lines().count(), named.lines().count());
    for (p, n) in plain.lines().zip(named.lines()) {
        let name = n.strip_prefix(p).unwrap_or_else(|| panic!("{n} does not begin with {p}")).trim_start();
        assert!(!name.is_empty() && !name.contains(' '), "{n}");
    }
    // code learned from the recording, names from the program
    let learned = place.good("replay f.gtr --elf f.ret --limit 20 --symbols builtin:fft");
    assert!(learned.lines().all(|l| l.contains(" after ") && !l.ends_with("instructions")), "{learned}");
    let refused = place.session("replay f.gtr --elf builtin:fft --symbols p.elf");
    assert!(refused.contains("p.elf: has no symbol of code") && refused.ends_with("exit code 2\n"), "{refused}");
}

/// The shape of a text: every number as `#`, every run of blanks as one.
fn shape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        let number = matches!(c, '#' | '.' | ',') && out.ends_with('#');
        if !(number || c == ' ' && out.ends_with(' ')) {
            out.push(c);
        }
    }
    out
}

#[test]
fn the_circuit_is_simulated_and_compared() {
    let place = Place::new();
    place.good("run p.elf --harts 2 --timing functional -o p.ret");
    let took = |text: String| text.lines().filter(|l| !l.starts_with("took")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(took(place.good("sim p.ret --elf p.elf --pace 4 --vcd p.vcd --timestamps")));
    let vcd = std::fs::read(place.path().join("p.vcd")).unwrap();
    let header = vcd::Parser::new(&vcd[..]).parse_header().unwrap();
    assert!(!header.items.is_empty());
    let limited: serde_json::Value =
        serde_json::from_str(&place.good("sim p.elf --timing functional --instructions 100 --cycles 90 --json"))
            .unwrap();
    let simulated = limited["instructions"].as_u64().unwrap();
    assert!((80..=91).contains(&simulated), "{simulated}");
    assert_eq!(limited["equal"], true);
    // cut between a start and its first instruction
    let nothing: serde_json::Value = serde_json::from_str(&place.good("sim p.elf --cycles 2 --json")).unwrap();
    assert_eq!((&nothing["instructions"], &nothing["equal"]), (&0.into(), &true.into()));
}

#[test]
fn the_emitted_verilog_is_simulated_and_compared() {
    let place = Place::new();
    let run = "sim builtin:fsm --harts 2 --pace 4 --instructions 20000 --engine verilator --json";
    let o: serde_json::Value = serde_json::from_str(&place.good(run)).unwrap();
    assert_eq!((&o["equal"], &o["options"]["engine"]), (&true.into(), &"Verilator".into()), "{o}");
    assert!(o["instructions"].as_u64() >= Some(20_000), "{o}");
}

#[test]
fn gen_writes_what_it_says() {
    let place = Place::new();
    insta::assert_snapshot!("gen", shape(&place.good("gen --set medium --cores 2 -o out")));
    let read = |name: &str| std::fs::read_to_string(place.path().join("out").join(name)).unwrap();
    let params: serde_json::Value = serde_json::from_str(&read("parameters.json")).unwrap();
    let fingerprint = params["parameters"]["fingerprint"].as_str().unwrap();
    // the stream header of the vectors, the register map and the parameters identify the same system
    let words: Vec<String> = read("words.hex").lines().map(str::to_string).collect();
    assert_eq!((words[0].as_str(), format!("0x{}", words[2]).as_str()), ("4b485347", fingerprint));
    assert!(read("registers.md").contains(fingerprint));
    assert!(read("registers.rdl").contains(fingerprint.trim_start_matches(['0', 'x'])));
    assert!(read("goshawk_trace.v").contains(fingerprint) && read("goshawk_trace.v").contains("\nmodule goshawk ("));
    assert_eq!(read("beats.txt").lines().filter(|l| !l.starts_with("//")).count(), 5000);
    let first = read("beats.txt");
    place.good("gen --set medium --cores 2 -o out");
    assert_eq!(read("beats.txt"), first, "same input, same bytes");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    place.good("run builtin:fft --max-instructions 200000 -o fft.ret");
    place.good("encode fft.ret -o fft.gtr");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("goshawk"))
        .current_dir(place.path())
        .args(["replay", "fft.gtr", "--elf", "builtin:fft"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let o = child.wait_with_output().unwrap();
    assert_eq!((o.status.code(), String::from_utf8(o.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn every_command_has_a_help_text_with_an_example() {
    let place = Place::new();
    let help = place.good("--help");
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1)
        .take_while(|l| l.starts_with("  "))
        // a long description continues in a line with more indentation
        .filter(|l| !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|c| *c != "help")
        .collect();
    assert!(commands.len() >= 6, "{help}");
    for c in commands {
        let help = place.good(&format!("{c} --help"));
        assert!(
            help.contains(&format!("Examples:\n  goshawk {c}"))
                && (help.contains("--json") || ["completions", "man"].contains(&c)),
            "{c}: {help}"
        );
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let text = Place::new().good("--version");
    let words: Vec<&str> = text.split_whitespace().collect();
    // followed by a commit, if it was built from one
    assert_eq!(words[..2], ["goshawk", env!("CARGO_PKG_VERSION")]);
}

#[test]
fn completions_end_quietly_at_a_closed_pipe() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        // more than the buffer of a pipe
        assert!(place.good(&format!("completions {shell}")).len() > 1 << 16, "{shell}");
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("goshawk"))
            .args(["completions", shell])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let o = child.wait_with_output().unwrap();
        assert_eq!((o.status.code(), String::from_utf8(o.stderr).unwrap().as_str()), (Some(0), ""), "{shell}");
    }
}

/// The list is written while the trace is read: with the whole of it in memory (700 bytes a message and more) this
/// fails.
#[cfg(target_os = "linux")]
#[test]
fn the_messages_of_a_long_trace_are_listed_in_little_memory() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    place.good("encode builtin:vm --max-instructions 6000000 --timing functional --encoding nx_b -o vm.gtr");
    let script =
        format!("ulimit -v 100000; exec {} decode vm.gtr --elf builtin:vm --json", env!("CARGO_BIN_EXE_goshawk"));
    let mut child = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let (mut lines, mut bytes, mut last) = (0u64, 0, String::new());
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        last = line.unwrap();
        (lines, bytes) = (lines + 1, bytes + last.len());
    }
    assert!(child.wait().unwrap().success(), "after {lines} lines: {last}");
    assert!(lines > 500_000 && bytes > 40_000_000, "{lines} lines of {bytes} bytes are too few to show it");
    assert!(last.contains("\"kind\":\"stop\""), "{last}");
}
