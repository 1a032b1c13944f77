//! The transcripts in `docs/tutorials`, the generated parts of `docs/how-to/integration.md` and `docs/reference/ports.md` are up to date

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
fn the_first_trace_is_as_its_tutorial_shows() {
    check("tutorials", &["--only", "first-trace"]);
}

#[test]
fn a_trace_module_at_a_core_is_as_its_tutorial_shows() {
    check("tutorials", &["--only", "core"]);
}

#[test]
fn the_crash_is_as_its_tutorial_shows() {
    check("tutorials", &["--only", "crash"]);
}

#[test]
fn the_symptoms_are_as_their_tutorial_shows() {
    check("tutorials", &["--only", "symptoms"]);
}

#[test]
fn the_linux_program_is_as_its_tutorial_shows() {
    check("tutorials", &["--only", "linux"]);
}

#[test]
#[ignore = "long: compiles a copy of Goshawk"]
fn the_new_predictor_is_as_its_tutorial_shows() {
    check("tutorials", &["--only", "predictor"]);
}

#[test]
fn ports_and_timing_are_those_of_the_circuit() {
    check("integration", &[]);
}

#[test]
fn ports_and_registers_are_as_their_page_shows() {
    check("ports", &[]);
}
