//! Packages for people who build nothing: Debian's, and the archive of Verilog

use crate::common::Place;
use std::path::{Path, PathBuf};
use std::process::Command;

fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools").join(name)
}

/// The output of a command, which must succeed.
fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn six_systems_are_archived_with_their_options() {
    let place = Place::new();
    let command = assert_cmd::cargo::cargo_bin("goshawk");
    output(Command::new(tool("verilog-archive")).arg(place.path()).env("GOSHAWK", command));
    let archive = place.path().join("goshawk-verilog.tar.gz");
    let list = output(Command::new("tar").arg("-tzf").arg(&archive));
    let with = |end: &str| list.lines().filter(|l| l.ends_with(end)).count();
    assert_eq!((with("/goshawk_trace.v"), with("/registers.h"), with("/crossing.sdc")), (6, 6, 1), "{list}");
    let readme = output(Command::new("tar").arg("-xOzf").arg(&archive).arg("goshawk-verilog/README.txt"));
    assert_eq!(readme.lines().filter(|l| l.contains(": goshawk gen --set ")).count(), 6, "{readme}");
}

#[test]
fn a_command_with_shared_libraries_is_refused_as_a_static_one() {
    let command = assert_cmd::cargo::cargo_bin("goshawk");
    let done = Command::new(tool("static")).env("GOSHAWK", &command).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.starts_with("tools/static: ") && said.contains(" needs shared libraries: ") && said.contains("libc.so.6"),
        "{said}"
    );
}

#[test]
#[ignore = "long: compresses the command"]
fn the_debian_package_has_the_command_and_its_pages() {
    let command = assert_cmd::cargo::cargo_bin("goshawk");
    output(Command::new(tool("deb")).env("GOSHAWK", command));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/debian");
    let mut found = folder.read_dir().unwrap().map(|e| e.unwrap().path());
    let package = found.find(|p| p.extension().is_some_and(|e| e == "deb")).unwrap();
    let fields = output(Command::new("dpkg-deb").arg("--field").arg(&package));
    assert!(fields.contains("Package: goshawk\n") && fields.contains("Depends: libc6 "), "{fields}");
    let list = output(Command::new("dpkg-deb").arg("--contents").arg(&package));
    for file in ["./usr/bin/goshawk", "man1/goshawk-replay.1.gz", "completions/goshawk", "copyright"] {
        assert!(list.lines().any(|l| l.ends_with(file)), "{file}: {list}");
    }
}
