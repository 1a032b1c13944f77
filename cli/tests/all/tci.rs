//! The examples for the RISC-V Trace Control Interface: the driver in C and the script for OpenOCD, on encoders that other code plays

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The output of a program, which must succeed.
fn said(program: &Path, args: &[&str]) -> String {
    let done = Command::new(program).args(args).output();
    let done = done.unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", program.display()));
    assert!(done.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Values written to `trTeControl` among lines of offset and value.
fn controls(text: &str) -> Vec<u32> {
    text.lines().filter_map(|l| u32::from_str_radix(l.strip_prefix("000 ")?, 16).ok()).collect()
}

/// The output of a driver in the folder of examples, compiled with a mock in `cli/tests/tci`, and its lines without accesses.
fn played(mock: &str, driver: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (examples, program) = (root().join("docs/examples/tci"), folder.path().join("mock"));
    let sources = [root().join("cli/tests/tci").join(mock), examples.join(driver)];
    let mut args = vec!["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I", examples.to_str().unwrap()];
    args.extend(sources.iter().map(|s| s.to_str().unwrap()));
    args.extend(["-o", program.to_str().unwrap()]);
    said(Path::new("cc"), &args);
    let text = said(&program, &[]);
    let results = text.lines().filter(|l| !l.starts_with(|c: char| c.is_ascii_digit())).map(str::to_string).collect();
    (text, results)
}

#[test]
fn the_driver_of_the_atb_bridge_follows_the_sequences() {
    let (text, results) = played("mock_bridge.c", "atb_bridge.c");
    assert_eq!(
        results,
        [
            "open 0",
            "start 0",
            "stop 0",
            "start 0",
            "stop 0",
            "reserved 3 3",
            "start 0",
            "never accepted 4",
            "another component 6",
        ]
    );
    assert_eq!(controls(&text)[..5], [0, 1, 0x2a01, 0x2a03, 1], "{text}");
}

#[test]
fn the_driver_of_the_funnel_follows_the_sequences() {
    let (text, results) = played("mock_funnel.c", "trace_funnel.c");
    assert_eq!(
        results,
        [
            "open 0",
            "inputs 7",
            "start 0",
            "stop 0",
            "no such input 3",
            "start 0",
            "never empty 4",
            "another component 8",
        ]
    );
    assert_eq!(controls(&text)[..4], [0, 1, 3, 1], "{text}");
    let disabled: Vec<&str> = text.lines().filter(|l| l.starts_with("008 ")).collect();
    assert_eq!(disabled[..3], ["008 0000ffff", "008 00000000", "008 00000002"], "{text}");
}

#[test]
fn the_driver_of_the_pib_sink_follows_the_sequences() {
    let (text, results) = played("mock_pib.c", "pib_sink.c");
    assert_eq!(
        results,
        [
            "open 0",
            "set 0",
            "calibrate 0",
            "stop 0",
            "start 0",
            "stop 0",
            "no such mode 3",
            "no such edges 3",
            "set 0",
            "start 0",
            "never sent 4",
            "another component 7",
        ]
    );
    assert_eq!(controls(&text)[..6], [0, 1, 0x2_01a1, 0x2_03a3, 0x2_01a1, 0x2_01a3], "{text}");
}

#[test]
fn the_driver_in_c_follows_the_sequences() {
    let (text, results) = played("mock.c", "trace_encoder.c");
    assert_eq!(
        results,
        [
            "open 0: format 1, mode 6, features c8, stall 1, sync 7",
            "modes 0",
            "start 0",
            "stop 0, lost 0",
            "start 0",
            "stop 0, lost 1",
            "short interval 3",
        ]
    );
    let right = [0, 1, 0x32061, 0x61, 0x83_3061, 0x83_2063, 0x83_2067];
    assert_eq!(controls(&text)[..7], right, "{text}");
    let examples = root().join("docs/examples/tci");
    let lines = |path: PathBuf| std::fs::read_to_string(path).unwrap().lines().count();
    assert!(lines(examples.join("trace_encoder.c")) + lines(examples.join("trace_encoder.h")) <= 200);
}

#[test]
fn the_script_for_openocd_follows_the_sequences() {
    let mock = root().join("cli/tests/tci/mock.tcl");
    let script = root().join("docs/examples/tci/trace.tcl");
    let text = said(Path::new("tclsh"), &[mock.to_str().unwrap(), script.to_str().unwrap()]);
    let results: Vec<&str> = text.lines().filter(|l| !l.starts_with(|c: char| c.is_ascii_digit())).collect();
    let (funnel, results): (Vec<&str>, Vec<&str>) = results.into_iter().partition(|l| l.starts_with("funnel"));
    assert_eq!(funnel, ["funnel of inputs 0x3", "funnel 1 0x2 8", "funnel 0x5008: 0x0004 reads as 0x0000"]);
    assert_eq!(results, ["vendor 1.0, mode 7, features 0x00000000", "lost 0", "lost 0"]);
    assert!(text.ends_with("1:trTeControl at 0x5000: 0x00130073 reads as 0x0773007b\n"), "{text}");
    assert_eq!(controls(&text)[..6], [0, 1, 0x61, 0x71, 0x83_1071, 0x83_0073], "{text}");
}
