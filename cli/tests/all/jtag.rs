//! A generated trace system with a JTAG port, driven by OpenOCD over its remote_bitbang driver, as emitted Verilog in
//! Verilator

use crate::common::Place;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// OpenOCD's output for a system in `out`, edited by `change`.
fn session(place: &Place, change: impl Fn(&str) -> String) -> String {
    let out = place.path().join("out");
    let verilog = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&verilog).unwrap();
    std::fs::write(&verilog, change(&text)).unwrap();
    let main = root().join("cli/tests/jtag/sim.cpp");
    let built = Command::new("verilator")
        .args([
            "--cc",
            "--exe",
            "--build",
            "-O3",
            "--top-module",
            "goshawk",
            "-Wno-fatal",
            "-Wno-lint",
            "-CFLAGS",
            "-O1",
        ])
        .arg(main)
        .arg("goshawk_trace.v")
        .current_dir(&out)
        .output()
        .unwrap_or_else(|e| panic!("verilator: {e}; tools/setup installs what is needed"));
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let socket = place.path().join("pins");
    let mut simulation = Command::new(out.join("obj_dir/Vgoshawk"))
        .arg(&socket)
        .arg(out.join("beats.txt"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(simulation.stdout.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert_eq!(line, "listening\n");
    let host = Command::new("openocd")
        .arg("-f")
        .arg(root().join("cli/tests/jtag/session.tcl"))
        .env("SOCKET", &socket)
        .env("TARGET", root().join("docs/examples/jtag/goshawk.cfg"))
        .env("EARLY", place.path().join("early.hex"))
        .env("LATE", place.path().join("late.hex"))
        .output();
    // a simulation whose host has disconnected ends by itself
    let host = host.unwrap_or_else(|e| {
        let _ = simulation.kill();
        panic!("openocd: {e}; tools/setup installs it")
    });
    simulation.wait().unwrap();
    String::from_utf8_lossy(&host.stderr).into_owned()
}

/// The words of a file.
fn words(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|l| l.trim().to_lowercase()).filter(|l| !l.is_empty() && !l.starts_with("//")).collect()
}

#[test]
fn openocd_reads_registers_and_drains_a_trace() {
    let place = Place::new();
    place.good("gen --set small --fifo 256 --bus jtag --port jtag -o out");
    let said = session(&place, str::to_string);
    let told = |name: &str| {
        let line = said.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' '));
        u32::from_str_radix(line.unwrap_or_else(|| panic!("no {name}: {said}")), 16).unwrap()
    };
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(place.path().join("out/parameters.json")).unwrap()).unwrap();
    assert!(said.contains("goshawk.tap") && said.contains("0x16754001"), "{said}");
    assert_eq!((told("dtmcs"), told("id")), (0x71, 0x6754_0101), "{said}");
    assert_eq!(json["parameters"]["fingerprint"], format!("0x{:08x}", told("params")));
    assert_eq!((told("enabled"), told("overflow")), (1, 0), "{said}");
    assert!(said.contains("register 9: the access failed"), "{said}");
    let (early, late) = (words(&place.path().join("early.hex")), words(&place.path().join("late.hex")));
    assert!(early.len() > 50 && early.len() == told("early") as usize, "{said}");
    assert!(!late.is_empty() && late.len() == told("late") as usize, "{said}");
    assert_eq!([early, late].concat(), words(&place.path().join("out/words.hex")));
}

/// A word that is taken without having been captured is missing.
#[test]
fn a_planted_fault_is_found() {
    let place = Place::new();
    place.good("gen --set small --fifo 256 --bus jtag --port jtag -o out");
    session(&place, |text| {
        let right = "& captured;";
        assert_eq!(text.matches(right).count(), 1, "the line that takes a word is another one");
        text.replace(right, ";")
    });
    let got = [words(&place.path().join("early.hex")), words(&place.path().join("late.hex"))].concat();
    assert_ne!(got, words(&place.path().join("out/words.hex")));
}

/// One error message, and no file.
#[test]
fn words_leave_by_the_port_of_the_registers() {
    let place = Place::new();
    let said = place.session("gen --set small --bus apb --port jtag -o out");
    assert!(said.ends_with("exit code 2\n"), "{said}");
    assert!(said.contains("`--port jtag`: only with `--bus jtag`, not `--bus apb`"), "{said}");
    assert!(!place.path().join("out").exists());
}
