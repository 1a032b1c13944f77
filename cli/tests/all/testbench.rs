//! The generated test bench: it passes, and it fails for faults

use crate::common::Place;
use sim::stimulus::rounds;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn run(folder: &Path, tool: &str, args: &[&str]) -> String {
    let out = Command::new(tool).args(args).current_dir(folder).output().unwrap_or_else(|e| panic!("{tool}: {e}"));
    let said = String::from_utf8_lossy(&out.stdout).to_string();
    assert!(out.status.success(), "{tool}: {said}{}", String::from_utf8_lossy(&out.stderr));
    said
}

/// Output of the bench in Icarus.
fn icarus(folder: &Path) -> String {
    run(folder, "iverilog", &["-o", "tb", "goshawk_tb.v", "goshawk_trace.v"]);
    run(folder, "vvp", &["tb"])
}

#[test]
fn it_passes_in_icarus_and_fails_when_a_vector_is_changed() {
    let place = Place::new();
    place.good("gen --set small --timestamps --cores 2 --module-name acme_trace -o out");
    let out = place.path().join("out");
    let said = icarus(&out);
    assert!(said.contains("PASS") && !said.contains("FAIL"), "{said}");
    let words = out.join("words.hex");
    let mut lines: Vec<String> = std::fs::read_to_string(&words).unwrap().lines().map(String::from).collect();
    let right = std::mem::replace(&mut lines[20], "deadbeef".into());
    std::fs::write(&words, lines.join("\n")).unwrap();
    let said = icarus(&out);
    assert!(said.contains(&format!("FAIL: word 20 is {right}, deadbeef is right")), "{said}");
}

/// In a simulation with unknown values: without initial values, reset alone makes all relevant state known.
#[test]
fn it_passes_in_icarus_from_unknown_registers() {
    let usual = [
        "--set small --zcm --ingress pc-chain --signature 16 --cores 2 --timestamps",
        "--set m0 --xlen 64 --align 2 --ingress pc-chain --sync",
        "--set small --filter-range --filter-space",
        "--set small --retire 2 --timestamps --cores 2 --context 3",
        "--set small --ingress etrace --timestamps --cores 2 --sync --stall",
        "--set m0 --ingress etrace --xlen 64 --filter --filter-range --filter-space --context 8",
        "--set small --ingress etrace-blocks --retire 2 --timestamps --cores 2 --context 3 --filter-range --filter-space",
        "--set s0 --ingress etrace-blocks --itype 3 --retire 2 --timestamps --xlen 64",
        "--set large --cores 3 --timestamps",
        "--set small --cores 2 --sync --check --count-lost --registered-ports --fifo 8",
        "--scheme follow:m+arithmetic --sync --cores 2",
        "--scheme etrace --cores 2",
        "--scheme etrace+ir8+bp64+jtc16+sync1024 --ingress etrace --cores 3 --filter --timestamps",
        "--scheme ntrace+ir8+rh --cores 2",
        // the time of the system inside is an input
        "--scheme ntrace+ir8+sync64 --cores 2 --timestamps --control tci",
        "--scheme etrace+ir8+sync64 --ingress etrace --timestamps --control tci --port sram",
        // and so is the number of its core
        "--scheme ntrace+ir8 --cores 3 --control tci --funnel",
        "--scheme etrace+ir8 --cores 2 --control tci --funnel --timestamps --port pib",
        // one bit per cycle: the bench must wait long enough
        "--scheme golomb:small --cores 2",
        "--scheme sc-lsp --variant rbase --cores 2",
        "--scheme sc-lsp --variant base --retire 4 --timestamps --cores 2",
        "--scheme cfiat:1k --cores 2",
    ];
    // their blocks are in those above
    let longer = [
        "--set small",
        "--set small --filter",
        "--set small --zcm",
        "--scheme sc-lsp --ingress pc-chain --zcm",
        "--set small --retire 4 --sync --timestamps --cores 2",
        "--scheme sc-lsp --ingress etrace --timestamps",
        "--set small --ingress etrace-blocks",
        "--scheme follow:m",
    ];
    for what in usual.iter().chain(rounds(&[][..], &longer)) {
        let place = Place::new();
        place.good(&format!("gen {what} --no-initial -o out"));
        let said = icarus(&place.path().join("out"));
        assert!(said.contains("PASS") && !said.contains("FAIL"), "{what}: {said}");
    }
}

/// A bench connects every port of its system: an input that is not driven is unknown.
#[test]
fn it_connects_every_port() {
    for what in [
        "--scheme ntrace+ir8 --timestamps --control tci --context 4 --filter --stall",
        "--scheme etrace+ir8 --ingress etrace --cores 2 --timestamps --control tci",
        "--scheme ntrace --cores 2 --control tci --funnel --timestamps",
        "--set small --cores 2 --filter-range --filter-space --stall",
        "--scheme inputs:256 --cores 2",
    ] {
        let place = Place::new();
        place.good(&format!("gen {what} -o out"));
        let read = |name: &str| std::fs::read_to_string(place.path().join("out").join(name)).unwrap();
        let (bench, verilog) = (read("goshawk_tb.v"), read("goshawk_trace.v"));
        let module = bench.split(" dut (").next().unwrap().rsplit('\n').next().unwrap().trim();
        let head = format!("module {module} (\n");
        let ports = verilog.split_once(&head).unwrap().1.split_once(");").unwrap().0;
        for port in ports.lines().filter_map(|line| line.trim_end_matches(',').rsplit(' ').next()) {
            assert!(bench.contains(&format!(".{port}(")), "{what}: {port} is not connected");
        }
    }
}

/// With `--zcm`, the instructions of the vectors have every class of Zcmp and Zcmt, and a circuit that takes them for sequential
/// instructions fails. Calls of two bytes are rare, so `cm.jalt` is not in every file.
#[test]
fn vectors_have_zcmp_and_zcmt_and_the_bench_needs_them() {
    let place = Place::new();
    place.good("gen --set small --zcm -o out");
    let out = place.path().join("out");
    let mut calls = false;
    for file in ["beats.txt", "sessions.txt"] {
        let text = std::fs::read_to_string(out.join(file)).unwrap();
        let insns = text.lines().skip(2).filter_map(|l| u32::from_str_radix(l.split(' ').next_back()?, 16).ok());
        let zcm: BTreeSet<(u32, bool)> =
            insns.filter(|i| i & 0xffff_e003 == 0xa002).map(|i| (i >> 8 & 0xfc, i & 0x380 == 0)).collect();
        // cm.jt; cm.jalt; cm.mv*; cm.push and cm.pop; cm.popret and cm.popretz
        let has = |high, all: bool| zcm.iter().any(|(h, low)| *h == high && (!all || *low));
        calls |= zcm.contains(&(0xa0, false));
        assert!(has(0xa0, true) && has(0xac, false) && has(0xb8, false) && has(0xbc, false), "{file}: {zcm:x?}");
    }
    assert!(calls, "no cm.jalt");
    let path = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = text.replace("(quadrant == 2'd2) & (funct_c == 3'd5)", "(quadrant == 2'd2) & (funct_c == 3'd0)");
    assert_ne!(text, changed);
    std::fs::write(&path, changed).unwrap();
    let said = icarus(&out);
    assert!(said.contains("FAIL: "), "{said}");
}

#[test]
fn it_passes_in_verilator() {
    for what in ["--scheme sc-lsp", "--set small --ingress etrace-blocks --retire 2 --timestamps --cores 2"] {
        let place = Place::new();
        place.good(&format!("gen {what} -o out"));
        let out = place.path().join("out");
        run(
            &out,
            "verilator",
            &["--binary", "-Wno-fatal", "--top-module", "goshawk_tb", "goshawk_tb.v", "goshawk_trace.v"],
        );
        let said = run(&out, "obj_dir/Vgoshawk_tb", &[]);
        assert!(said.contains("PASS") && !said.contains("FAIL"), "{what}: {said}");
    }
}

/// The bench checks the circuit against the blocks of a cycle: another number of instructions gives another stream.
#[test]
fn a_block_that_is_changed_is_found() {
    let place = Place::new();
    place.good("gen --set small --ingress etrace-blocks --retire 2 -o out");
    let out = place.path().join("out");
    let beats = out.join("beats.txt");
    let text = std::fs::read_to_string(&beats).unwrap();
    // a taken branch as one that is not taken
    let changed = text.replacen(" 5 2000", " 4 2000", 40);
    assert_ne!(text, changed, "no branch is taken");
    std::fs::write(&beats, changed).unwrap();
    let said = icarus(&out);
    assert!(said.contains("FAIL: "), "{said}");
}

/// What the first session does not see: status, the reset of a register, what a sink that waits is shown, the end of a trace that is losing.
#[test]
fn a_circuit_that_is_changed_is_found_by_the_further_sessions() {
    let place = Place::new();
    place.good("gen --set small -o out");
    let out = place.path().join("out");
    let path = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&path).unwrap();
    for (right, wrong) in [
        ("        if (ready) begin", "        if (!ready) begin"),
        ("            enabled <= 1'd0;", "            ;"),
        ("            overflow_flags <= 16'd0;", "            ;"),
        ("losing <= 1'd0;", ";"),
    ] {
        let changed = text.replace(right, wrong);
        assert_ne!(text, changed, "`{right}` is nowhere");
        std::fs::write(&path, changed).unwrap();
        let said = icarus(&out);
        assert!(said.contains("FAIL: ") && !said.contains("PASS"), "{wrong} in place of {right}: {said}");
    }
}

#[test]
fn a_module_name_is_one_of_verilog() {
    let place = Place::new();
    let session = place.session("gen -o out --module-name 1st");
    assert!(session.contains("expected a letter and up to 63 letters, digits and _"), "{session}");
    let session = place.session("gen -o out --module-name module");
    assert!(session.contains("a keyword of Verilog"), "{session}");
    place.good("gen --set small -o out --module-name acme --no-initial");
    let verilog = std::fs::read_to_string(place.path().join("out/goshawk_trace.v")).unwrap();
    assert!(!verilog.contains("initial") && !verilog.contains("goshawk_"), "a name or a value is left");
    assert!(verilog.contains("\nmodule acme (") && verilog.contains("\nmodule acme_gshare ("));
}
