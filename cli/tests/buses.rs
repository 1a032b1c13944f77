//! Generated trace systems on standard buses, against bus models that are not ours: cocotb's and cocotbext-axi's

mod common;

use common::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Python with cocotb in it: `tools/setup` puts it into `.venv`.
fn python() -> PathBuf {
    let own = root().join(".venv/bin/python3");
    if own.exists() {
        own
    } else {
        "python3".into()
    }
}

/// Plays `buses.py` to a system on `bus` and `port`; what it says where it fails.
///
/// `period`: of the words' own clock, where that of the system is 70.
fn play(bus: &str, port: &str, more: &str, period: Option<u32>, change: impl Fn(&str) -> String) -> Result<(), String> {
    let place = Place::new();
    let clock = if period.is_some() { "--port-clock" } else { "" };
    place.good(&format!("gen --set small --fifo 256 --bus {bus} --port {port} {more} {clock} -o out"));
    let out = place.path().join("out");
    let verilog = out.join("goshawk_trace.v");
    let text = std::fs::read_to_string(&verilog).unwrap();
    std::fs::write(&verilog, change(&text)).unwrap();
    let script = "import sys\nfrom cocotb.runner import get_runner, check_results_file\n\
        r = get_runner('icarus')\n\
        r.build(verilog_sources=['goshawk_trace.v'], hdl_toplevel='goshawk', build_dir='build')\n\
        check_results_file(r.test(test_module='buses', hdl_toplevel='goshawk', build_dir='build'))\n";
    let done = Command::new(python())
        .args(["-c", script])
        .current_dir(&out)
        .env("PYTHONPATH", root().join("cli/tests/buses"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("WRITES", more.strip_prefix("--writes ").unwrap_or("any"))
        .envs([("BUS", bus), ("PORT", port), ("SEED", "7")])
        .env("FOLDER", &out)
        .envs(period.map(|p| ("PERIOD", p.to_string())))
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", python().display()));
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    if done.status.success() {
        Ok(())
    } else {
        Err(said)
    }
}

#[test]
fn registers_and_words_by_models_of_others() {
    for (bus, port, more) in
        [("apb", "axi-stream", ""), ("axi-lite", "atb", "--no-initial"), ("wishbone", "bytes", "--module-name goshawk")]
    {
        play(bus, port, more, None, str::to_string).unwrap_or_else(|said| panic!("{bus}, {port}: {said}"));
    }
}

/// A clock of the words' own, from a seventh of the system's rate to seven times it.
#[test]
fn words_by_another_clock() {
    for (period, port) in [(10, "native"), (70, "atb"), (94, "bytes"), (490, "axi-stream")] {
        play("apb", port, "", Some(period), str::to_string).unwrap_or_else(|said| panic!("{period}, {port}: {said}"));
    }
}

/// Writes by those who may not change nothing and end with an error.
#[test]
fn writes_of_the_named_alone() {
    for (bus, whose) in [("apb", "privileged"), ("axi-lite", "secure"), ("axi-lite", "privileged-secure")] {
        let more = format!("--writes {whose}");
        play(bus, "native", &more, None, str::to_string).unwrap_or_else(|said| panic!("{bus}, {whose}: {said}"));
    }
}

/// The models see what is wrong: a write of a part of a register that is taken as whole.
#[test]
fn a_fault_is_found() {
    let said = play("apb", "bytes", "", None, |text| {
        let broken = text.replace("access & pwrite & !wrong", "access & pwrite");
        assert_ne!(broken, text);
        broken
    });
    let said = said.expect_err("a fault passed");
    assert!(said.contains("Failed 1 of 1 tests"), "{said}");
}
