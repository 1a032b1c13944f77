//! The notebook that draws a figure of a paper with the Python module: what is stored, and a run where the module is installed

use crate::common::Place;
use serde_json::Value;
use std::process::Command;

const NOTEBOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/figures/figure10.ipynb");

/// The source of all cells of a kind.
fn cells(kind: &str) -> String {
    let notebook: Value = serde_json::from_str(&std::fs::read_to_string(NOTEBOOK).unwrap()).unwrap();
    let cells = notebook["cells"].as_array().unwrap().iter().filter(|c| c["cell_type"] == kind);
    let lines = |c: &Value| c["source"].as_array().unwrap().iter().map(|l| l.as_str().unwrap().to_string()).collect();
    cells.map(lines).collect::<Vec<String>>().join("\n\n")
}

fn python(place: &Place, words: &[&str]) -> std::process::Output {
    let output = Command::new("python3").args(words).current_dir(place.path()).output();
    output.expect("tools/setup installs python3")
}

#[test]
fn the_notebook_has_no_outputs_and_no_paths_of_a_machine() {
    let notebook: Value = serde_json::from_str(&std::fs::read_to_string(NOTEBOOK).unwrap()).unwrap();
    let code: Vec<&Value> = notebook["cells"].as_array().unwrap().iter().filter(|c| c["cell_type"] == "code").collect();
    assert!(code.len() > 2 && code.iter().all(|c| c["outputs"] == Value::Array(Vec::new())));
    assert!(code.iter().all(|c| c["execution_count"].is_null()));
    let text = cells("code") + &cells("markdown");
    assert!(!["/home", "/root", "/tmp", "/usr"].iter().any(|p| text.contains(p)), "{text}");
    let place = Place::new();
    std::fs::write(place.path().join("cells.py"), cells("code")).unwrap();
    let o = python(&place, &["-m", "py_compile", "cells.py"]);
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
}

#[test]
fn the_notebook_measures_what_stats_measures() {
    let place = Place::new();
    if !python(&place, &["-c", "import goshawk"]).status.success() {
        eprintln!("the_notebook: skipped, the module goshawk is not installed; python/README.md says how");
        return;
    }
    std::fs::create_dir(place.path().join("runs")).unwrap();
    for (name, harts) in [("fft", 1), ("lu", 1), ("fft", 2)] {
        place.good(&format!("run builtin:{name} --harts {harts} --max-instructions 50000 -o runs/{name}.{harts}.ret"));
    }
    std::fs::write(place.path().join("cells.py"), cells("code")).unwrap();
    let o = python(&place, &["cells.py"]);
    let (text, error) = (String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr));
    assert!(o.status.success(), "{error}");
    let line = text.lines().find(|l| l.starts_with("tr_e:large ")).unwrap_or_else(|| panic!("{text}"));
    let figures: Vec<&str> = line.split_whitespace().collect();
    // with two cores there is one program, whose total is its mean
    assert!(figures.len() == 5 && figures[3] == figures[4], "{line}");
    let stats: Value = serde_json::from_str(&place.good("stats runs/fft.2.ret --scheme tr_e:large --json")).unwrap();
    let bits = stats["bits_per_instruction"].as_f64().unwrap_or_else(|| panic!("{stats}"));
    assert_eq!(figures[3], format!("{bits:.4}"));
}
