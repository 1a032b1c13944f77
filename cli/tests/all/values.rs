//! Load values on the command line: traced, executed again, compared with the run, and refused for another run

use crate::common::Place;
use serde_json::Value;

const RUN: &str = "builtin:bank --harts 2 --max-instructions 20000";

fn json(place: &Place, words: &str) -> Value {
    serde_json::from_str(&place.good(words)).unwrap()
}

fn refused(place: &Place, words: &str, why: &str) {
    let output = place.output(words);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{words}: {said}");
    assert!(said.contains(why), "{words}: {said}");
}

#[test]
fn what_was_loaded_is_traced_and_executed_again() {
    let place = Place::new();
    place.good(&format!("run {RUN} --data -o bank.ret"));
    let encoded = json(&place, &format!("encode {RUN} -o bank.gtr --values bank.glv --data cfiat:4k --json"));
    let stats = json(&place, &format!("stats {RUN} --scheme cfiat:4k --json"));
    assert_eq!(encoded["value_bits"], stats["bits"]);
    assert_eq!(stats["parameters"]["scheme"], "cfiat:4k");
    let loads = stats["cache_loads"]["total"]["hits"].as_u64().unwrap()
        + stats["cache_loads"]["total"]["misses"].as_u64().unwrap()
        + stats["loads_outside_memory"].as_u64().unwrap();
    assert_eq!(stats["loads"], loads);
    // a trace of the load values alone gives the same file
    place.good(&format!("encode {RUN} --scheme cfiat:4k -o alone.glv"));
    let bytes = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    assert_eq!(bytes("bank.glv"), bytes("alone.glv"));
    let again = json(&place, "replay bank.gtr --values bank.glv --elf builtin:bank --check bank.ret --json");
    assert_eq!(again["check"]["equal"], true, "{again}");
    assert!(again["check"]["data"].as_u64().unwrap() > 10_000, "{again}");
    assert_eq!(again["value_bits"], stats["bits"]);
    assert_eq!(again["registers"][0]["x"][0], "0x00000000");
    let said = place.good("replay bank.gtr --values bank.glv --elf builtin:bank --check bank.ret");
    assert!(said.contains("equal to bank.ret, event by event, and "), "{said}");
    let list = place.good("replay bank.gtr --values bank.glv --elf builtin:bank --core 1 --limit 3");
    assert!(list.lines().count() == 3 && list.lines().all(|l| l.starts_with("1  0x8000")), "{list}");
}

/// One name gives both schemes; the control-flow stream does not change.
#[test]
fn a_data_scheme_stands_behind_a_comma() {
    let place = Place::new();
    place.good(&format!("encode {RUN} -o bank.gtr --values bank.glv --data cfiat:4k"));
    place.good(&format!("encode {RUN} --scheme tr_e:small,cfiat:4k -o both.gtr --values both.glv"));
    let bytes = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    assert!(bytes("bank.gtr") == bytes("both.gtr") && bytes("bank.glv") == bytes("both.glv"));
    place.good(&format!("encode {RUN} --scheme tr_e:small -o alone.gtr"));
    let messages = |name: &str| place.good(&format!("decode {name} --elf builtin:bank"));
    assert!(messages("both.gtr") == messages("alone.gtr"), "the control flow has other messages beside load values");
    let of = |options: &str| format!("encode {RUN} {options} -o x.gtr");
    refused(&place, &of("--scheme tr_e:small,cfiat:4k"), "`--values` is missing");
    refused(
        &place,
        &of("--scheme tr_e:small,cfiat:4k --values x.glv --data cfiat:1k"),
        "the scheme's name already has `cfiat:4k`",
    );
    refused(
        &place,
        "gen --scheme tr_e:small,cfiat:4k -o x",
        "`--scheme tr_e:small,cfiat:4k`: load values have a separate system",
    );
    refused(
        &place,
        "gen --scheme cfiat:4k --sync -o x",
        "`--sync`: only with a scheme that traces the control flow, not `--scheme cfiat:4k`",
    );
    refused(&place, "gen --scheme cfiat:4k+ways8 -o x", "at most 4 ways have");
    refused(
        &place,
        "gen --scheme cfiat:4k --xlen 64 -o x",
        "`--xlen 64`: only with a scheme that traces the control flow, not `--scheme cfiat:4k`",
    );
}

/// One cache for all cores: its stream includes the order in which they used it.
#[test]
fn cores_that_share_a_cache_are_executed_again() {
    let place = Place::new();
    for (harts, scheme) in [(4, "tr_e:m4+shared,cfiat:4k+shared"), (2, "tr_e:small,cfiat:64k+line64+shared")] {
        let run = format!("builtin:bank --harts {harts} --max-instructions 40000");
        place.good(&format!("run {run} --data -o bank.ret"));
        let encoded = json(&place, &format!("encode {run} --scheme {scheme} -o bank.gtr --values bank.glv --json"));
        let again = json(&place, "replay bank.gtr --values bank.glv --elf builtin:bank --check bank.ret --json");
        assert_eq!(again["check"]["equal"], true, "{again}");
        assert!(again["check"]["data"].as_u64().unwrap() > 10_000, "{again}");
        let stats = json(&place, &format!("stats {run} --scheme {} --json", scheme.split(',').next_back().unwrap()));
        assert_eq!(encoded["value_bits"], stats["bits"]);
        let bits = |name: &str| stats[name].as_u64().unwrap();
        assert!(bits("turns") > 1000, "{stats}");
        assert_eq!(again["value_bits"], bits("bits"));
        assert!((bits("turns")..bits("bits")).contains(&bits("order_bits")), "{stats}");
        let said = place.good(&format!("stats {run} --scheme cfiat:4k+shared"));
        assert!(said.contains("order of the cores") && said.contains(" turns"), "{said}");
        // another order, a cut file, and another run
        let bytes = std::fs::read(place.path().join("bank.glv")).unwrap();
        std::fs::write(place.path().join("cut.glv"), &bytes[..bytes.len() / 2]).unwrap();
        refused(&place, "replay bank.gtr --values cut.glv --elf builtin:bank --summary", "cut.glv");
        place.good(&format!("encode {run} --seed 5 --scheme {scheme} -o other.gtr --values other.glv"));
        refused(&place, "replay bank.gtr --values other.glv --elf builtin:bank --summary", "other.glv");
    }
}

#[test]
fn another_run_is_different_and_says_where() {
    let place = Place::new();
    place.good(&format!("encode {RUN} -o bank.gtr --values bank.glv"));
    place.good("run builtin:bank --harts 2 --max-instructions 20000 --seed 5 --data -o other.ret");
    let output = place.output("replay bank.gtr --values bank.glv --elf builtin:bank --check other.ret");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(", the run has "), "{said}");
}

#[test]
fn descriptors_are_those_of_figure_4_36() {
    let place = Place::new();
    place.good(&format!("encode {RUN} --scheme cfiat:32k+gran4+touched --ascii -o a.txt"));
    place.good(&format!("encode {RUN} --scheme cfiat:32k+gran4+touched --binary -o a.bin"));
    place.good(&format!("run {RUN} --data -o bank.ret"));
    let text = std::fs::read_to_string(place.path().join("a.txt")).unwrap();
    let mut bytes = &std::fs::read(place.path().join("a.bin")).unwrap()[..];
    assert!(text.lines().count() > 50);
    for line in text.lines() {
        let size = usize::from(bytes[5]);
        let fah = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
        let value = bytes[6..6 + size].iter().fold(String::new(), |s, b| format!("{s}{b:02x}"));
        assert_eq!(line, format!("{}, {fah}, 0x{value}", bytes[0]));
        bytes = &bytes[6 + size..];
    }
    assert!(bytes.is_empty());
}

/// Figures 4.22 and 4.36: each line ends with the instruction of its event.
#[test]
fn lines_of_descriptors_end_with_their_instruction() {
    let place = Place::new();
    let lines = |options: &str| {
        place.good(&format!("encode builtin:vm --max-instructions 300000 {options} --ascii -o a.txt"));
        std::fs::read_to_string(place.path().join("a.txt")).unwrap()
    };
    let is_one_of =
        |text: &str, starts: &[&str]| starts.iter().any(|start| text.trim_start_matches("c.").starts_with(start));
    for scheme in ["--set m4", "--scheme cfiat:1k"] {
        let (plain, disassembled) = (lines(scheme), lines(&format!("{scheme} --disassemble")));
        assert_eq!(plain.lines().count(), disassembled.lines().count());
        assert!(plain.lines().count() > 100, "{plain}");
        for (line, whole) in plain.lines().zip(disassembled.lines()) {
            let text = whole.strip_prefix(line).and_then(|t| t.strip_prefix(' ')).unwrap_or_else(|| panic!("{whole}"));
            let right = match (scheme, line.split(", ").count()) {
                ("--set m4", 2) => is_one_of(text, &["b"]),
                ("--set m4", _) => line.contains(", 0, ") || is_one_of(text, &["j", "ret", "mret"]),
                _ => is_one_of(text, &["l", "fl", "amo", "sc"]),
            };
            assert!(right, "{whole}");
        }
    }
    place.good("run builtin:vm --max-instructions 20000 -o vm.ret");
    let of = |options: &str| format!("encode vm.ret --set m4 {options} -o x.txt");
    refused(
        &place,
        &of("--ascii --disassemble"),
        "`--disassemble`: vm.ret: contains no code; `--elf` names its program",
    );
    place.good(&of("--ascii --disassemble --elf builtin:vm"));
    let session = place.session(&of("--disassemble"));
    assert!(session.contains("--ascii") && session.ends_with("exit code 2\n"), "{session}");
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let place = Place::new();
    place.good(&format!("encode {RUN} -o bank.gtr --values bank.glv"));
    place.good("run builtin:bank --harts 2 --max-instructions 2000 -o plain.ret");
    place.good("run builtin:bank --harts 2 --max-instructions 2000 --data -o bank.ret");
    place.good("encode builtin:bank --max-instructions 2000 -o one.gtr --values one.glv");
    place.good("encode builtin:bank --harts 2 --max-instructions 3000 -o short.gtr --values short.glv");
    let out = |words: &str| format!("encode {RUN} {words} -o x.out");
    refused(&place, &out("--scheme cfiat:33k"), "bytes = 33792, expected a power of two");
    let dma = place.session("encode builtin:dma --scheme cfiat -o dma.glv");
    assert!(dma.contains("a DMA stored 1536 words") && dma.ends_with("exit code 2\n"), "{dma}");
    assert!(!place.path().join("dma.glv").exists());
    place.good("stats builtin:dma --scheme cfiat");
    refused(&place, &out("--scheme cfiat:32k+foo"), "scheme `cfiat:32k+foo` is not known; expected one of cfiat, ");
    refused(
        &place,
        &out("--scheme cfiat:32k --set small"),
        "`--set small`: only with `--scheme tr`, not `--scheme cfiat:32k`",
    );
    refused(&place, &out("--scheme cfiat:32k+gran4+touched"), "cannot be followed by a host");
    refused(&place, &out("--scheme nexs --ascii"), "scheme `nexs` has no descriptors");
    refused(&place, &out("--ascii --values y.glv"), "`--values`: not with `--ascii`");
    refused(&place, &out("--scheme cfiat --values y.glv"), "`--values`: only with a scheme of the control flow");
    refused(&place, &out("--values y.glv --data nothing"), "scheme `nothing` is not known; expected one of cfiat");
    refused(
        &place,
        "encode bank.ret --scheme cfiat -o x.out",
        "goshawk: bank.ret: a recording does not contain which `sc` stored",
    );
    refused(&place, "encode bank.ret -o x.out --values y.glv", "goshawk: bank.ret: a recording does not contain");
    refused(
        &place,
        "stats plain.ret --scheme cfiat",
        "goshawk: plain.ret: holds no load; `goshawk run --data` records them",
    );
    assert!(place.good("stats bank.ret --scheme cfiat").contains("first-access misses"));
    assert!(!place.path().join("x.out").exists() && !place.path().join("y.glv").exists());
    let replay = |trace: &str, values: &str, more: &str| {
        format!("replay {trace} --values {values} --elf builtin:bank --summary {more}")
    };
    refused(&place, &replay("bank.gtr", "bank.gtr", ""), "is not a file of load values");
    refused(&place, &replay("bank.glv", "bank.glv", ""), "is not a trace of the control flow");
    refused(&place, &replay("bank.gtr", "one.glv", ""), "has 1 cores, but the trace of the control flow has 2");
    refused(&place, &replay("bank.gtr", "short.glv", ""), "the values are not of this run, or damaged");
    refused(&place, &replay("bank.gtr", "bank.glv", "--core 2"), "`--core 2`: expected 0 to 1");
    refused(&place, &replay("bank.gtr", "bank.glv", "--check plain.ret"), "`goshawk run --data` records them");
    refused(&place, "replay bank.gtr --values bank.glv --elf builtin:lu --summary", "build id");
    refused(&place, "replay bank.glv --elf builtin:bank --summary", "bank.glv");
    place.flip("bank.glv", 600, 1);
    refused(&place, &replay("bank.gtr", "bank.glv", ""), "bank.glv");
}

#[test]
fn descriptors_have_counts_of_four_bytes() {
    let place = Place::new();
    place.good(&format!("encode {RUN} --scheme cfiat:32k --ascii -o a.txt"));
    place.good(&format!("encode {RUN} --scheme cfiat:32k+count8 --ascii -o b.txt"));
    let text = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    let counts: Vec<u64> = text("a.txt").lines().map(|l| l.split(", ").nth(1).unwrap().parse().unwrap()).collect();
    // more than a count of eight bits has, in one descriptor
    assert!(counts.iter().any(|n| *n > 255), "{:?}", counts.iter().max());
    assert_eq!(text("a.txt"), text("b.txt"));
}

#[test]
fn records_are_listed_without_the_program() {
    let place = Place::new();
    let encoded = json(&place, &format!("encode {RUN} --scheme cfiat:4k -o bank.glv --json"));
    let text = place.good("decode bank.glv");
    let count = |kind: &str| text.lines().filter(|l| l.contains(kind)).count() as u64;
    assert_eq!(count("  value  fahCnt "), encoded["records"].as_u64().unwrap());
    assert_eq!(count("  stop   fahCnt "), 2);
    let second = place.good("decode bank.glv --core 1 --limit 3");
    assert_eq!(second.lines().count(), 4);
    let of_core = |core: &str| text.lines().filter(|l| l.split_whitespace().nth(2) == Some(core)).collect::<Vec<_>>();
    assert_eq!(second.lines().skip(1).collect::<Vec<_>>(), of_core("1")[..3]);
    let objects = place.good("decode bank.glv --json");
    let objects: Vec<Value> = objects.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(objects[0]["parameters"]["scheme"], "cfiat:4k");
    assert_eq!(objects.len(), text.lines().count());
    for (object, line) in objects[1..].iter().zip(text.lines().skip(1)) {
        let words: Vec<&str> = line.split_whitespace().skip(4).collect();
        let fields: serde_json::Map<_, _> = words.chunks(2).map(|w| (w[0].to_string(), w[1].into())).collect();
        assert_eq!(object["fields"], Value::Object(fields), "{line}");
    }
    refused(&place, "decode bank.glv --elf builtin:bank", "`--elf`: not with a file of load values");
    refused(&place, "decode bank.glv --core 2", "`--core 2`: expected 0 to 1");
    // what comes before damage is listed
    let size = std::fs::metadata(place.path().join("bank.glv")).unwrap().len() as usize;
    place.flip("bank.glv", size - 40, 1);
    let output = place.output("decode bank.glv");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("the output ends there"));
}

#[test]
fn a_recording_of_a_machine_does_not_know_its_devices() {
    let place = Place::new();
    place.good(&format!("run {RUN} --data -o bank.ret"));
    let note = "not in the recording: their loads count as memory and cannot be decoded";
    assert!(place.good("encode bank.ret --scheme cfiat:4k --ascii -o a.txt").contains(note));
    assert!(place.good("stats bank.ret --scheme cfiat:4k").contains(note));
    assert_eq!(json(&place, "stats bank.ret --scheme cfiat:4k --json")["devices_unknown"], true);
    assert!(!place.good(&format!("stats {RUN} --scheme cfiat:4k")).contains(note));
}
