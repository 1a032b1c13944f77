//! docs/examples/litex: VexRiscv cores in a LiteX SoC with a trace system of `goshawk gen`, and replay of its trace

use crate::common::Place;
use std::path::Path;
use std::process::Command;

/// Builds the SoC with this number of cores, runs its firmware, which traces the work of all of them, and returns its output.
fn soc(place: &Place, cores: usize) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let own = root.join(".venv/bin/python3");
    let python = if own.exists() { own } else { "python3".into() };
    place.good(&format!(
        "gen --set small --cores {cores} --ingress pc-chain --bus wishbone --port axi-stream -o trace-litex"
    ));
    let done = Command::new(&python)
        .arg(root.join("docs/examples/litex/soc.py"))
        .args(["trace-litex", "-o", "litex-soc", "--items", "60", "--cores", &cores.to_string()])
        .current_dir(place.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONPATH", root.join("python/litex"))
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}; tools/setup installs what is needed", python.display()));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

/// The addresses of a core: of lines whose first word is its number, or of all lines if there is one core.
fn addresses(text: &str, core: Option<usize>) -> Vec<&str> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let core = core.map(|core| core.to_string());
    words.filter(|words| core.as_deref().is_none_or(|core| words[0] == core)).map(|words| words[1]).collect()
}

/// What was traced of each core is a part of what it retired.
fn traced_is_retired(cores: usize) {
    let place = Place::new();
    let said = soc(&place, cores);
    let parameters = std::fs::read_to_string(place.path().join("trace-litex/parameters.json")).unwrap();
    // the firmware reads the fingerprint over LiteX's bus
    let print = said.lines().find_map(|line| line.strip_prefix("goshawk ")).expect("no fingerprint");
    let described: serde_json::Value = serde_json::from_str(&parameters).unwrap();
    assert_eq!(described["parameters"]["fingerprint"], format!("0x{print}"), "{parameters}");
    assert!(said.contains("\nsorted\n") && !said.contains("lost"), "{said}");

    let replay = "replay litex-soc/words.hex --parameters trace-litex/parameters.json --elf litex-soc/firmware.elf";
    let replayed = place.output(replay);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    let listing = String::from_utf8(replayed.stdout).unwrap();
    let log = std::fs::read_to_string(place.path().join("litex-soc/retired.txt")).unwrap();
    for core in 0..cores {
        let traced = addresses(&listing, (cores > 1).then_some(core));
        let retired = addresses(&log, Some(core));
        assert!(traced.len() > 20_000, "core {core}: {} instructions", traced.len());
        // tracing starts and ends while the core runs, so the trace is a part of the log
        let found = retired.windows(traced.len()).filter(|part| *part == traced).count();
        let counts = format!("the {} instructions of the trace are not a part of its {}", traced.len(), retired.len());
        assert_eq!(found, 1, "core {core}: {counts}");
    }
}

#[test]
fn the_trace_of_a_litex_soc_is_what_its_core_retired() {
    traced_is_retired(1);
}

#[test]
fn the_trace_of_two_cores_in_a_litex_soc_is_what_each_retired() {
    traced_is_retired(2);
}
