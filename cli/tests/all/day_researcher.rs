//! The commands of `tools/day-researcher` run with a smaller program

use std::path::Path;
use std::process::Command;

#[test]
fn the_day_runs_and_its_page_has_what_the_checked_in_one_has() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let place = tempfile::tempdir().unwrap();
    let output = Command::new(root.join("tools/day-researcher"))
        .arg("--short")
        .arg(place.path())
        .env("GOSHAWK", assert_cmd::cargo::cargo_bin("goshawk"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [short, whole] = [place.path(), &root.join("docs/tutorials")]
        .map(|folder| std::fs::read_to_string(folder.join("scheme.md")).unwrap());
    // the same commands, and the same headings
    let shape = |page: &str| -> Vec<String> {
        page.lines().filter(|l| l.starts_with("$ ") || l.starts_with('#')).map(str::to_string).collect()
    };
    assert_eq!(shape(&short), shape(&whole));
    assert!(short.contains("\n## Misprediction rates\n"), "{short}");
    let svg = std::fs::read_to_string(place.path().join("scheme.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("front"));
}
