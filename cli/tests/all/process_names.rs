//! Names of processes from the memory of a recording: a kernel that points to what it runs, and a process that executes another program

use crate::common::Place;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// qemu-system-riscv64 10.0, which shows a plugin the memory of a machine; `None` if it does not exist.
fn qemu() -> Option<PathBuf> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.qemu10/usr/bin");
    let folder = std::env::var_os("GOSHAWK_QEMU_10").map_or(unpacked, PathBuf::from);
    Some(folder.join("qemu-system-riscv64")).filter(|path| path.exists())
}

const POINTER: &str = "--task-pointer running --task-name 8";

#[test]
fn processes_have_the_names_that_the_kernel_keeps() {
    let Some(qemu) = qemu() else { return };
    let place = Place::new();
    let elf = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/paged/elf/named.elf");
    std::fs::copy(elf, place.path().join("named.elf")).unwrap();
    let qemu = qemu.display();
    // QEMU may report modules of its display that it cannot load
    place.session(&format!("capture run --system --contexts --data --skip 6 --qemu {qemu} -o n.ret -- named.elf"));
    let json = |line: &str| serde_json::from_str::<Value>(&place.good(&format!("{line} --json"))).unwrap();
    let named = |profile: &Value| {
        let of = |p: &Value| {
            (p["space"].as_u64().unwrap(), p["name"].as_str().unwrap_or("-").to_string(), p["user"].as_u64().unwrap())
        };
        let mut all: Vec<_> = profile["processes"].as_array().unwrap().iter().map(of).collect();
        all.sort();
        all
    };
    let right = [(0, "-", 0), (1, "shell", 201), (2, "init", 402), (3, "ls", 201)];
    let right = right.map(|(space, name, user)| (space, name.to_string(), user));
    let found = json(&format!("profile n.ret --elf named.elf --by process {POINTER} --write-names names.txt"));
    assert_eq!(named(&found), right);
    let written = std::fs::read_to_string(place.path().join("names.txt")).unwrap();
    assert_eq!(written, "# ID NAME ELF\n1 shell\n2 init\n3 ls\n");
    // for its traces, which have no memory
    place.good("encode n.ret --context 4 -o n.gtr");
    let traced = "n.gtr --elf named.elf --process-names names.txt";
    assert_eq!(named(&json(&format!("profile {traced} --by process"))), right);
    assert_eq!(json(&format!("profile {traced} --process init --mode u"))["instructions"], 402);
    // names of a file come first
    std::fs::write(place.path().join("other.txt"), "2 daemon named.elf\n").unwrap();
    place.good(&format!(
        "profile n.ret --elf named.elf --by process {POINTER} --process-names other.txt --write-names all.txt"
    ));
    let written = std::fs::read_to_string(place.path().join("all.txt")).unwrap();
    assert_eq!(written, "# ID NAME ELF\n1 shell\n2 daemon named.elf\n3 ls\n");

    // as tasks: from one store of the pointer to the next
    let tasks = json(&format!("profile n.ret --elf named.elf --by task {POINTER}"));
    let tasks = tasks["tasks"].as_array().unwrap();
    let of = |name: &str| tasks.iter().find(|t| t["task"] == name).unwrap_or_else(|| panic!("{name}: {tasks:?}"));
    assert_eq!(["shell", "init", "ls"].map(|name| of(name)["switches"].as_u64().unwrap()), [1, 2, 1]);
    let user = json(&format!("profile n.ret --elf named.elf --by task {POINTER} --mode u"));
    let user: Vec<_> = user["tasks"].as_array().unwrap().iter().map(|t| (&t["task"], &t["instructions"])).collect();
    assert_eq!(user.iter().map(|(_, n)| n.as_u64().unwrap()).sum::<u64>(), 804, "{user:?}");
    assert!(user.iter().any(|(name, n)| **name == "init" && **n == 402), "{user:?}");

    let recording = "with `--by task` of a recorded run, and `--by task` or `--by process` of a recording";
    for (words, message) in [
        (
            format!("profile n.gtr --elf named.elf --by process {POINTER}"),
            format!("`--task-pointer running`: only {recording}"),
        ),
        (format!("profile n.ret --elf named.elf {POINTER}"), format!("`--task-pointer running`: only {recording}")),
        (
            "profile n.ret --elf named.elf --by process --task-pointer block_b --task-name 8 --write-names no.txt"
                .into(),
            "n.ret: `--task-pointer block_b`: no store to it; expected the pointer to what a core runs".into(),
        ),
        (
            "profile n.ret --elf named.elf --by task --task-pointer block_b --task-name 8".into(),
            "n.ret: `--task-pointer block_b`: no store to it".into(),
        ),
        (
            "timeline n.ret --elf named.elf --format perfetto --task-pointer block_b --task-name 8 -o no.txt".into(),
            "n.ret: `--task-pointer block_b`: no store to it".into(),
        ),
        (
            "profile n.ret --elf named.elf --by process --task-pointer nothing --task-name 8".into(),
            "named.elf: has no symbol `nothing`".into(),
        ),
        (
            "profile n.ret --elf named.elf --by process --task-pointer running --task-name comm".into(),
            "named.elf: no structure has a member `comm`".into(),
        ),
        (
            "profile n.ret --elf named.elf --write-names no.txt".into(),
            "`--write-names`: only with `--by process`".into(),
        ),
    ] {
        let o = place.output(&words);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.code() == Some(2) && said.contains(&message), "{words}: {said}");
        assert!(!place.path().join("no.txt").exists(), "{words}");
    }
}
