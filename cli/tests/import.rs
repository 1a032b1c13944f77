//! Branch traces: imported, exported, traced and replayed without a program

mod common;

use common::Place;

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
    // a start that is known keeps every instruction
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
fn targets_at_odd_addresses_ask_for_their_alignment() {
    let place = Place::new();
    let mut trace = b"RBT1\0\0\0\0".to_vec();
    for i in 0..40u64 {
        trace.extend([5, 3, 0, 0, 2, 0, 0, 0]);
        trace.extend((0x1003 + i % 4 * 0x100).to_le_bytes());
        trace.extend((0x1001 + (i + 1) % 4 * 0x100).to_le_bytes());
    }
    std::fs::write(place.path().join("odd.rbt1"), trace).unwrap();
    let refused = place.session("encode odd.rbt1 -o odd.gtr");
    assert!(refused.contains("--align 1 drops 1, --align 0 would be right\nexit code 2"), "{refused}");
    place.good("encode odd.rbt1 --align 0 --pc-shift 0 -o odd.gtr");
    assert!(place.good("replay odd.gtr --elf odd.rbt1 --check odd.rbt1").contains("equal to"));
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
    let table = place.good("baselines p.elf p.elf --harts 2");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().take(4).collect::<Vec<_>>(), ["input", "instructions", "SL", "nx_b"]);
    // all is the mean of two equal runs
    assert_eq!(
        lines[1].split_whitespace().skip(2).collect::<Vec<_>>(),
        lines[3].split_whitespace().skip(2).collect::<Vec<_>>()
    );
    assert_eq!(lines[4], "bits per instruction; decoded, and equal to what went in");
}
