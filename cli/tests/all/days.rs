//! The transcripts in `docs/tutorials` and what is made for `docs/how-to/integration.md` are what the tools print now

use std::process::Command;

/// Runs a script of `tools` with `--check`.
fn check(tool: &str, args: &[&str]) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let out = Command::new(format!("{root}/tools/{tool}"))
        .arg("--check")
        .args(args)
        .env("GOSHAWK", assert_cmd::cargo::cargo_bin("goshawk"))
        .output()
        .unwrap_or_else(|e| panic!("{tool}: {e}"));
    let said = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{said}");
}

#[test]
fn the_designers_day_is_as_it_is_told() {
    check("days", &["--day", "designer"]);
}

#[test]
fn the_firmware_developers_day_is_as_it_is_told() {
    check("days", &["--day", "firmware"]);
}

#[test]
fn ports_and_timing_are_those_of_the_circuit() {
    check("integration", &[]);
}
