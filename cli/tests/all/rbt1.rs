//! `docs/reference/rbt1.md`: its example and its converter

use crate::common::Place;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/spike_to_rbt1.py");

/// A listing in the form of Spike's commit log; the traps come from the records.
fn spike(listing: &str, records: &[Vec<u8>]) -> String {
    let word = |r: &[u8], at: usize| u64::from_le_bytes(r[at..at + 8].try_into().unwrap());
    // the first record is the start of the hart, and one at the end its stop
    let mut traps = records[1..].iter().filter(|r| r[0] == 7).map(|r| word(r, 8));
    listing.lines().fold(String::new(), |mut log, line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [hart, pc, bits] = words[..] {
            writeln!(log, "core   {hart}: 3 {pc} (0x{bits}) x5  0x00000000").unwrap();
        } else {
            assert!(line.contains("trap to"), "{line}");
            writeln!(log, "core   {}: exception trap_any, epc 0x{:08x}", words[0], traps.next().unwrap()).unwrap();
        }
        log
    })
}

fn convert(log: &str) -> Vec<u8> {
    let mut python = Command::new("python3");
    let mut child = python.arg(PYTHON).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let log = log.to_string();
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, log.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    output.stdout
}

/// Records of one thread.
fn of_thread(file: &[u8], thread: u16) -> Vec<Vec<u8>> {
    let records = file[8..].chunks(24).filter(|r| u16::from_le_bytes([r[2], r[3]]) == thread);
    records.map(<[u8]>::to_vec).collect()
}

#[test]
fn the_converter_gives_the_records_that_export_gives() {
    let place = Place::new();
    for program in ["builtin:irq", "builtin:strsearch"] {
        place.good(&format!("run {program} --harts 1 --max-instructions 30000 -o x.ret"));
        place.good("encode x.ret -o x.gtr");
        let listing = place.good(&format!("replay x.gtr --elf {program}"));
        place.good("export x.ret -o x.rbt1");
        let exported = std::fs::read(place.path().join("x.rbt1")).unwrap();
        let ours = of_thread(&exported, 0);
        let converted = convert(&spike(&listing, &ours));
        let theirs = of_thread(&converted, 0);
        // the log does not have the next address of its last instruction
        let same = theirs.len() - 1;
        assert!(same > 1000 && ours.len() - same <= 2, "{program}: {} and {}", ours.len(), theirs.len());
        for (i, (a, b)) in ours[..same].iter().zip(&theirs).enumerate() {
            assert_eq!(a, b, "{program}, record {i}");
        }
        std::fs::write(place.path().join("log.rbt1"), &converted).unwrap();
        place.good("encode log.rbt1 -o log.gtr");
        place.good("replay log.gtr --elf log.rbt1 --check log.rbt1");
    }
}

#[test]
fn the_bytes_of_the_page_are_read_as_it_says() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/rbt1.md")).unwrap();
    let bytes = page.split("\n```\n52 42").nth(1).unwrap().split("```").next().unwrap();
    let bytes = format!("52 42{bytes}");
    let bytes: Vec<u8> = bytes.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
    assert_eq!(bytes.len(), 8 + 4 * 24);
    let place = Place::new();
    std::fs::write(place.path().join("page.rbt1"), &bytes).unwrap();
    let text = place.good("encode page.rbt1 -o page.gtr");
    assert!(text.contains("instructions     4\n") && !text.contains("per cycle"), "{text}");
    let listing = place.good("replay page.gtr --elf page.rbt1");
    assert!(listing.contains("0x80000008") && listing.contains("to 0x80000200"), "{listing}");
}

#[test]
fn a_recording_without_cycles_has_no_figures_by_cycle() {
    let place = Place::new();
    place.good("export p.elf -o p.rbt1");
    place.good("import p.rbt1 -o p.ret");
    for input in ["p.rbt1", "p.ret"] {
        for command in ["stats", "encode -o p.gtr"] {
            let text = place.good(&format!("{command} {input}"));
            assert!(text.contains("per instruction") && !text.contains("cycle"), "{text}");
            let text = place.good(&format!("{command} {input} --json"));
            let object: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(object["bits_per_instruction"].is_f64() && object["bits_per_cycle"].is_null(), "{text}");
            assert!(object["cycles"].is_null(), "{text}");
        }
        let told = place.session(&format!("stats {input} --window 100"));
        assert!(told.contains("have no cycles") && told.ends_with("exit code 2\n"), "{told}");
    }
    place.good("sweep --trace p.rbt1 --set small -o s");
    let rows = std::fs::read_to_string(place.path().join("s/results.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(rows.as_bytes());
    let headers = rows.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|h| h == name).unwrap();
    for row in rows.records().map(Result::unwrap) {
        assert_eq!((&row[at("cycles")], &row[at("bpc")]), ("0", ""));
        assert!(!row[at("bpi")].is_empty());
    }
}
