//! Branch traces: imported, exported, traced and replayed without a program

use crate::common::{self, Place};

fn place() -> Place {
    let place = Place::new();
    place.good("run p.elf --harts 2 -o p.ret");
    place.good("export p.ret -o p.rbt1.zst");
    place
}

#[test]
fn a_branch_trace_is_replayed_without_a_program_and_equals_what_went_in() {
    let place = place();
    place.good("import p.rbt1.zst -o q.ret");
    for scheme in ["tr_e", "nx_b", "nexs"] {
        for input in ["p.rbt1.zst", "q.ret"] {
            place.good(&format!("encode {input} --encoding {scheme} -o q.gtr"));
            let out = place.good(&format!("replay q.gtr --elf {input} --check {input} --summary"));
            assert!(out.contains("equal to"), "{out}");
        }
    }
    // a known start keeps every instruction
    let events = |file: &str| {
        let o: serde_json::Value =
            serde_json::from_str(&place.good(&format!("encode {file} -o x.gtr --json"))).unwrap();
        (o["instructions"].as_u64().unwrap(), o["bits"].as_u64().unwrap())
    };
    assert_eq!(events("p.ret"), events("q.ret"));
    let listing = place.good("replay q.gtr --elf q.ret --core 0 --limit 3");
    assert!(
        listing.starts_with("   0  0x80000004  branch not taken to 0x80000008 after 2 instructions\n"),
        "{listing}"
    );
    // exported again, it is the same file
    place.good("export q.ret -o r.rbt1");
    place.good("export p.ret -o s.rbt1");
    let bytes = |f: &str| std::fs::read(place.path().join(f)).unwrap();
    assert_eq!(bytes("r.rbt1"), bytes("s.rbt1"));
    // and the same without the intermediate file
    place.good("export p.elf --harts 2 -o t.rbt1");
    assert_eq!(bytes("t.rbt1"), bytes("s.rbt1"));
}

#[test]
fn import_then_export_gives_the_same_records() {
    let place = Place::new();
    let file = |name: &str| place.path().join(name);
    let mut trace = b"RBT1\0\0\0\0".to_vec();
    let mut record = |kind: u8, len: u8, thread: u16, count: u32, pc: u64, target: u64| {
        trace.extend([kind, len]);
        trace.extend(thread.to_le_bytes());
        trace.extend(count.to_le_bytes());
        trace.extend([pc, target].map(u64::to_le_bytes).concat());
    };
    record(1, 3, 4242, 5, 0x1009, 0x2000); // a first count
    record(7, 4, 17, 3, 0x3000, 0x3100); // starts in its handler
    record(7, 4, 4242, 2, 0x2006, 0x80); // a trap with a length
    record(0, 2, 17, 1, 0x3100, 0x9000); // the target that was not taken
    record(7, 0, 17, 1, 0x3104, 0x3104); // a stop
    record(1, 2, 4242, 9, 0x90, 0x92); // taken to its fall-through
    std::fs::write(file("a.rbt1"), trace).unwrap();
    place.good("import a.rbt1 -o a.ret");
    place.good("export a.ret -o b.rbt1");
    place.good("export a.rbt1 -o c.rbt1");
    let bytes = |f: &str| std::fs::read(file(f)).unwrap();
    assert_eq!(bytes("b.rbt1"), bytes("a.rbt1"));
    assert_eq!(bytes("c.rbt1"), bytes("a.rbt1"));
    let events =
        |f: &str| place.good(&format!("stats {f} --json")).split_once("\"instructions\"").map(|x| x.1.to_string());
    assert_eq!(events("a.ret"), events("a.rbt1"));
}

#[test]
fn a_run_recorded_with_data_has_the_same_trace() {
    let place = Place::new();
    place.good("run p.elf --harts 2 -o p.ret");
    place.good("run p.elf --harts 2 --data -o q.ret");
    let bytes = |f: &str| std::fs::read(place.path().join(f)).unwrap();
    assert!(bytes("q.ret").len() > bytes("p.ret").len());
    for f in ["p", "q"] {
        place.good(&format!("encode {f}.ret -o {f}.gtr"));
        place.good(&format!("replay {f}.gtr --elf p.elf --check q.ret"));
    }
    assert_eq!(bytes("p.gtr"), bytes("q.gtr"));
}

#[test]
fn bad_branch_traces_are_refused_with_their_place() {
    let place = place();
    place.good("export p.ret -o p.rbt1");
    let file = |name: &str| place.path().join(name);
    let plain = std::fs::read(file("p.rbt1")).unwrap();
    std::fs::write(file("cut.rbt1"), &plain[..8 + 24 * 7 + 11]).unwrap();
    let packed = std::fs::read(file("p.rbt1.zst")).unwrap();
    std::fs::write(file("cut.rbt1.zst"), &packed[..packed.len() / 2]).unwrap();
    std::fs::write(file("none.rbt1"), &plain[..8]).unwrap();
    place.flip("p.rbt1", 8 + 24 * 5, 0x40);
    let mut text = String::new();
    for words in [
        "import cut.rbt1 -o x.ret",
        "import cut.rbt1.zst -o x.ret",
        "import none.rbt1 -o x.ret",
        "import p.rbt1 -o x.ret",
        "import p.elf -o x.ret",
        "import p.ret -o x.ret",
        "import p.rbt1.zst -o missing/x.ret",
        "encode p.rbt1.zst --align 2 --harts 2 -o x.gtr",
        "gen --align 0 -o x",
    ] {
        text.push_str(&place.session(words));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
    assert!(!file("x.ret").exists(), "a refused command writes nothing");
}

#[test]
fn the_alignment_of_an_input_is_the_same_for_every_command() {
    let place = Place::new();
    let mut trace = b"RBT1\0\0\0\0".to_vec();
    for i in 0..40u64 {
        trace.extend([5, 3, 0, 0, 2, 0, 0, 0]);
        trace.extend((0x1003 + i % 4 * 0x100).to_le_bytes());
        trace.extend((0x1001 + (i + 1) % 4 * 0x100).to_le_bytes());
    }
    std::fs::write(place.path().join("odd.rbt1"), trace).unwrap();
    let refused = place.session("encode odd.rbt1 --align 1 -o odd.gtr");
    assert!(refused.contains("--align 1 drops 1, expected `--align 0`\nexit code 2"), "{refused}");
    place.good("encode odd.rbt1 --pc-shift 0 -o odd.gtr");
    assert!(place.good("replay odd.gtr --elf odd.rbt1 --check odd.rbt1").contains("equal to"));
    place.good("import odd.rbt1 -o odd.ret");
    for input in ["odd.rbt1", "odd.ret", "p.elf"] {
        let number = |words: &str, pointer: &str| {
            let text = place.good(&format!("{words} --json"));
            let o: serde_json::Value = serde_json::from_str(&text).unwrap();
            (o.pointer(pointer).unwrap().as_u64().unwrap(), o["parameters"]["canonical"].clone())
        };
        let encoded = number(&format!("encode {input} --set m4 -o x.gtr"), "/bits");
        assert_eq!(number(&format!("stats {input} --set m4"), "/bits"), encoded);
        let sweep = format!("sweep --trace {input} --encoding tr_e:m4 -o sweep-{input}");
        assert_eq!(number(&sweep, "/totals/0/bits").0, encoded.0);
        assert_eq!(number(&format!("baselines {input}"), "/total/bits/tr_e m4").0, encoded.0);
    }
}

#[test]
fn a_recording_that_contradicts_itself_is_refused_by_every_command_that_decodes_or_counts() {
    let place = Place::new();
    let mut trace = b"RBT1\0\0\0\0".to_vec();
    // the same direct jump to two targets
    for target in [0x1000u64, 0x1100, 0x1000] {
        trace.extend([1, 2, 0, 0, 3, 0, 0, 0]);
        trace.extend(0x1004u64.to_le_bytes());
        trace.extend(target.to_le_bytes());
    }
    std::fs::write(place.path().join("bad.rbt1"), trace).unwrap();
    place.good("encode bad.rbt1 -o bad.gtr");
    for words in [
        "replay bad.gtr --elf bad.rbt1",
        "decode bad.gtr --elf bad.rbt1",
        "stats bad.gtr --elf bad.rbt1",
        "stats bad.rbt1",
        "sweep --trace bad.rbt1 --encoding nexs -o s",
        "baselines bad.rbt1",
    ] {
        let text = place.session(words);
        assert!(text.contains("bad.rbt1: event 2, hart 0, pc 0x1004: ") && text.ends_with("exit code 2\n"), "{text}");
    }
}

#[test]
fn another_build_is_taken_when_asked_for_and_refused_else() {
    let place = Place::new();
    std::fs::write(place.path().join("other.elf"), common::elf(common::RISCV, 0x10_0000)).unwrap();
    place.good("run p.elf --timing functional -o p.ret");
    place.good("encode p.ret -o p.gtr");
    for words in [
        "replay p.gtr --elf other.elf --summary",
        "decode p.gtr --elf other.elf",
        "encode p.ret --elf other.elf -o y.gtr",
    ] {
        let text = place.session(words);
        assert!(text.contains("but other.elf has build id") && text.ends_with("exit code 2\n"), "{text}");
    }
    // the same code in another file: only the build id differs
    let mut bytes = common::elf(common::RISCV, 0);
    bytes.extend([0; 4]);
    // sizes of the segment in the file and in memory
    bytes[68] += 4;
    bytes[72] += 4;
    std::fs::write(place.path().join("longer.elf"), bytes).unwrap();
    let text = place.session("replay p.gtr --elf longer.elf --summary");
    assert!(text.contains("but longer.elf has build id"), "{text}");
    place.good("replay p.gtr --elf longer.elf --any-build --check p.ret");
    place.good("decode p.gtr --elf longer.elf --any-build");
    place.good("stats p.gtr --elf longer.elf --any-build");
    place.good("encode p.ret --elf longer.elf --any-build -o z.gtr");
    place.good("replay z.gtr --elf longer.elf --summary");
}

#[test]
fn standard_protocols_are_compared_with_the_schemes() {
    let place = place();
    let json = |words: &str| -> serde_json::Value {
        serde_json::from_str(&place.good(&format!("compare {words} --json"))).unwrap()
    };
    let bits = |o: &serde_json::Value, scheme: &str| {
        let all = o["schemes"].as_array().unwrap();
        let found = all.iter().find(|s| s["scheme"] == scheme).unwrap_or_else(|| panic!("{scheme}"));
        found["bits_per_instruction"].as_f64()
    };
    let program = json("p.elf --harts 2");
    assert_eq!((&program["checked"], &program["left_out"]), (&true.into(), &serde_json::json!([])));
    // the modes save bits, in the order in which the schemes are known to
    let long = json("builtin:fft --harts 2 --max-instructions 100000");
    let order = ["ntrace+btm", "ntrace", "ntrace+ir8", "etrace+ir8", "tr_e:small"].map(|s| bits(&long, s).unwrap());
    assert!(order.is_sorted_by(|a, b| a >= b), "{order:?}");
    for scheme in ["ntrace+ir8+rh", "tr_e:m4"] {
        let stats: serde_json::Value =
            serde_json::from_str(&place.good(&format!("stats p.elf --harts 2 --json --scheme {scheme}"))).unwrap();
        assert_eq!(stats["bits_per_instruction"].as_f64(), bits(&program, scheme), "{scheme}");
    }
    // a recording has no code and no values
    let recording = json("p.ret");
    assert_eq!(bits(&recording, "tr_e:m4"), bits(&program, "tr_e:m4"));
    assert!(["ntrace", "etrace", "inputs:512"].map(|s| bits(&recording, s)).iter().all(Option::is_none));
    let left_out = recording["left_out"].to_string();
    assert!(left_out.contains("ntrace of p.ret") && left_out.contains("inputs:512 of p.ret"), "{left_out}");
    assert_eq!(bits(&json("p.ret --elf p.elf"), "ntrace"), bits(&program, "ntrace"));
    let table = place.good("compare p.elf builtin:fft --harts 2 --max-instructions 20000");
    let heads: Vec<_> = table.lines().next().unwrap().split_whitespace().collect();
    let columns = "scheme bits/instr least most of N-Trace gates with memory LUT4 MHz";
    assert_eq!(heads, columns.split(' ').collect::<Vec<_>>());
    // beside the bits, the circuit as `recommend` knows it; a scheme without a measured circuit has none
    let line = |text: &str, scheme: &str| -> Vec<String> {
        let line = text.lines().find(|l| l.split_whitespace().next() == Some(scheme));
        line.unwrap_or_else(|| panic!("{scheme}: {text}")).split_whitespace().map(String::from).collect()
    };
    let chosen = place.good("recommend --max-gates 9000 builtin:fft --max-instructions 100000");
    for scheme in ["ntrace+btm", "ntrace", "etrace", "tr_e:small"] {
        let (compared, recommended) = (line(&table, scheme), line(&chosen, scheme));
        assert_eq!(compared[compared.len() - 3..], recommended[2..5], "{scheme}");
    }
    let inputs = line(&table, "inputs:512");
    assert_eq!(inputs[inputs.len() - 3..], ["-", "-", "-"]);
    let circuit = |scheme: &str| {
        let all = program["schemes"].as_array().unwrap();
        all.iter().find(|s| s["scheme"] == scheme).unwrap_or_else(|| panic!("{scheme}"))["circuit"].clone()
    };
    let etrace = circuit("etrace");
    assert_eq!(etrace["gates_with_memory"].to_string(), line(&table, "etrace")[6].replace(',', ""));
    assert_eq!(etrace["hx8k"]["lut4"].to_string(), line(&table, "etrace")[7]);
    assert!(etrace["ecp5"]["mhz"].as_f64() > Some(20.0) && circuit("inputs:512").is_null());
    assert!(table.contains("decoded, and equal to what went in"), "{table}");
}

#[test]
fn baselines_are_decoded_from_a_program_and_from_its_recordings() {
    let place = place();
    let bits = |words: &str| {
        let o: serde_json::Value = serde_json::from_str(&place.good(&format!("baselines {words} --json"))).unwrap();
        assert_eq!(o["checked"], true);
        o["total"]["bits"].as_object().unwrap().clone()
    };
    let of_program = bits("p.elf --harts 2");
    let mut of_recording = bits("p.ret");
    assert!(of_program["etrace"].as_u64() > of_program["tr_e m4"].as_u64() && of_recording["etrace"].is_null());
    for (name, bits) in &of_program {
        // E-Trace needs the code
        if name.starts_with("etrace") {
            of_recording.insert(name.clone(), bits.clone());
        }
    }
    assert_eq!(of_program, of_recording);
    assert!(bits("p.rbt1.zst").keys().eq(of_program.keys()) && of_program.contains_key("edmtf(192,4)"));
    let table = place.good("baselines p.elf --harts 2");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().take(4).collect::<Vec<_>>(), ["input", "instructions", "SL", "nx_b"]);
    // a single run gives the same row
    assert_eq!(
        lines[1].split_whitespace().skip(1).collect::<Vec<_>>(),
        lines[2].split_whitespace().skip(1).collect::<Vec<_>>()
    );
    assert_eq!(lines[3], "bits per instruction; decoded, and equal to what went in");
}
