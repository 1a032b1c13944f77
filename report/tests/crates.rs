//! The crates can be published, and what manifests, workflows and pages promise of them is true

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn output(command: &mut Command) -> String {
    let done = command.current_dir(root()).output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// All packages of the lock file for Linux, those of the tree with `source` null.
fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let text = output(Command::new(cargo).args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--offline",
        "--filter-platform=x86_64-unknown-linux-gnu",
    ]));
    let Value::Object(mut metadata) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
    let Some(Value::Array(packages)) = metadata.remove("packages") else { panic!("no packages") };
    packages
}

/// Numbers of a version, so that 1.9 comes before 1.10.
fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|n| n.parse().unwrap_or_else(|e| panic!("{text}: {e}"))).collect()
}

/// `rust-version` of the workspace.
fn rust_version() -> String {
    let manifest = text("Cargo.toml");
    let line = manifest.lines().find_map(|l| l.strip_prefix("rust-version = ")).unwrap();
    line.trim_matches('"').to_string()
}

#[test]
fn published_crates_are_described_as_the_registry_wants_it() {
    let packages = packages();
    let published = packages.iter().filter(|p| p["source"].is_null() && p["publish"].is_null() && p["name"] != "svg");
    let mut names = BTreeSet::new();
    for p in published {
        let name = p["name"].as_str().unwrap();
        names.insert(name);
        for field in ["description", "license", "readme", "rust_version"] {
            assert!(p[field].as_str().is_some_and(|t| !t.is_empty()), "{name}: no {field}");
        }
        let keywords = p["keywords"].as_array().unwrap();
        assert!(
            (1..=5).contains(&keywords.len()) && keywords.iter().all(|k| k.as_str().unwrap().len() <= 20),
            "{name}"
        );
        assert!((1..=5).contains(&p["categories"].as_array().unwrap().len()), "{name}");
        assert!(p["metadata"]["docs"]["rs"]["targets"].is_array(), "{name}: no metadata for docs.rs");
        // path dependencies are those of the registry there, so they need a version
        for d in p["dependencies"].as_array().unwrap().iter().filter(|d| d["path"].is_string()) {
            assert_eq!(d["req"], format!("^{}", p["version"].as_str().unwrap()), "{name}: {}", d["name"]);
        }
    }
    assert_eq!(names.len(), 13, "{names:?}");
}

#[test]
fn crates_are_packaged_with_all_that_they_include() {
    let listed = output(&mut Command::new("tools/crates"));
    let sizes: Vec<u64> = listed.lines().map(|l| l.split_whitespace().next().unwrap().parse().unwrap()).collect();
    assert_eq!(sizes.len(), 13, "{listed}");
    // the registry refuses more than 10 MB
    assert!(sizes.iter().all(|&bytes| (5_000..10_000_000).contains(&bytes)), "{listed}");
    assert!(listed.contains("goshawk-trace-") && !listed.contains("testbenches"), "{listed}");
}

#[test]
fn the_stated_compiler_is_new_enough_for_every_dependency() {
    let stated = rust_version();
    let packages = packages();
    let needed = packages.iter().filter_map(|p| Some((p["rust_version"].as_str()?, p["name"].as_str()?)));
    let newest = needed.max_by_key(|(v, _)| version(v)).unwrap();
    assert!(version(newest.0)[..2] <= version(&stated)[..], "{} needs {}, stated is {stated}", newest.1, newest.0);
    for (file, line) in [
        (".github/workflows/ci.yml", format!("rust-toolchain@{stated}.0")),
        (".github/workflows/release.yml", format!("rust-toolchain@{stated}.0")),
        ("Containerfile", format!("FROM docker.io/library/rust:{stated}-")),
        ("tools/setup", format!("Rust {stated} or newer")),
        ("README.md", format!("Rust {stated} or newer")),
    ] {
        assert!(text(file).contains(&line), "{file}: no `{line}`");
    }
}

/// Names of the crates that the sections of dependencies in a manifest name.
fn named(manifest: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for section in manifest.split("\n[").skip(1) {
        let (title, lines) = section.split_once("]\n").unwrap_or((section, ""));
        let title = title.rsplit('.').next().unwrap();
        if title.ends_with("dependencies") {
            let names = lines.lines().filter(|l| !l.starts_with('#') && !l.contains("path = "));
            found.extend(names.filter_map(|l| Some(l.split_once([' ', '.'])?.0)));
        }
    }
    found
}

#[test]
fn every_direct_dependency_has_a_reason() {
    let manifest = text("Cargo.toml");
    let used = named(&manifest);
    let page = text("docs/maintainers/dependencies.md");
    let rows = page.lines().filter_map(|l| l.strip_prefix("| `"));
    let explained: Vec<&str> = rows.flat_map(|l| l.split('|').next().unwrap().split('`')).collect();
    let explained: BTreeSet<&str> = explained.into_iter().filter(|n| !n.trim_matches([' ', ',']).is_empty()).collect();
    assert_eq!(used, explained);

    // a crate that names one of its own, without the workspace's table
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let own: BTreeSet<&str> = members.split(", ").map(|m| m.trim_matches('"')).collect();
    let known = own.iter().map(|m| m.rsplit('/').next().unwrap()).chain(explained).collect::<BTreeSet<_>>();
    let mut needed = BTreeSet::new();
    for member in own.iter().filter(|m| !m.starts_with("third-party")) {
        let file = format!("{member}/Cargo.toml");
        let manifest = text(&file);
        let all = named(&manifest);
        let unexplained: Vec<_> = all.difference(&known).collect();
        assert!(unexplained.is_empty(), "{file}: {unexplained:?} are not in docs/maintainers/dependencies.md");
        needed.extend(all.iter().map(|n| n.to_string()));
    }
    let idle: Vec<_> = used.iter().filter(|n| !needed.contains(**n)).collect();
    assert!(idle.is_empty(), "no crate uses {idle:?}");
}
