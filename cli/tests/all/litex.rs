//! docs/examples/litex: a VexRiscv in a LiteX SoC with a trace system of `goshawk gen`, and replay of its trace

use crate::common::Place;
use std::path::Path;
use std::process::Command;

/// Builds the SoC, runs its firmware, which traces itself, and returns its output.
fn soc(place: &Place) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = root.join(".venv/bin/python3");
    let python = if own.exists() { own } else { "python3".into() };
    place.good("gen --set small --ingress pc-chain --bus wishbone --port axi-stream -o trace-litex");
    let done = Command::new(&python)
        .arg(root.join("docs/examples/litex/soc.py"))
        .args(["trace-litex", "-o", "litex-soc", "--items", "60"])
        .current_dir(place.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONPATH", root.join("python/litex"))
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", python.display()));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

#[test]
fn the_trace_of_a_litex_soc_is_what_its_core_retired() {
    let place = Place::new();
    let said = soc(&place);
    let parameters = std::fs::read_to_string(place.path().join("trace-litex/parameters.json")).unwrap();
    // the firmware reads the fingerprint over LiteX's bus
    let print = said.lines().find_map(|line| line.strip_prefix("goshawk ")).expect("no fingerprint");
    let told: serde_json::Value = serde_json::from_str(&parameters).unwrap();
    assert_eq!(told["parameters"]["fingerprint"], format!("0x{print}"), "{parameters}");
    assert!(said.contains("\nsorted\n") && !said.contains("lost"), "{said}");

    let replay = "replay litex-soc/words.hex --parameters trace-litex/parameters.json --elf litex-soc/firmware.elf";
    let replayed = place.output(replay);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    let listing = String::from_utf8(replayed.stdout).unwrap();
    let traced: Vec<&str> = listing.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    let log = std::fs::read_to_string(place.path().join("litex-soc/retired.txt")).unwrap();
    let retired: Vec<&str> = log.lines().collect();
    assert!(traced.len() > 20_000, "{} instructions", traced.len());
    // tracing starts and ends while the core runs, so the trace is a part of the log
    let places = retired.windows(traced.len()).filter(|piece| *piece == traced).count();
    assert_eq!(
        places,
        1,
        "the {} instructions of the trace are not a piece of the core's {}",
        traced.len(),
        retired.len()
    );
}
