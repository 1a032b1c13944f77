//! The notebook that draws a figure of a paper with the Python module, as it is stored; `python/tests` runs it

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
