//! Programs that cannot be captured give one clear error message

use crate::common::{self, guest, options};
use capture::machine::Executable;
use capture::run::capture;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn refused(program: &Path, qemu: Option<&Path>) -> String {
    let mut options = options("serial:1000", &[]);
    options.qemu = qemu.map(Path::to_path_buf);
    let captured = Executable::open(program).and_then(|e| capture(e, &options, &mut |_| {}));
    captured.expect_err("it must be refused").to_string()
}

#[test]
fn programs_and_emulators_that_are_none_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = place.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let flow = guest("flow");
    let elf = std::fs::read(&flow).unwrap();
    let changed = |at: usize, byte: u8| {
        let mut elf = elf.clone();
        elf[at] = byte;
        elf
    };
    for (name, bytes, right) in [
        ("text", b"no program".to_vec(), "is not an ELF file; expected a Linux executable of riscv64"),
        ("script", b"#!/bin/sh\n".to_vec(), "is a script; expected a Linux executable of riscv64"),
        ("sparc", changed(18, 2), "is of ELF machine 2 (64-bit); expected a Linux executable of riscv64"),
        ("object", changed(16, 1), "is of ELF type 1, no executable"),
        ("cut", elf[..40].to_vec(), "ELF file"),
    ] {
        let message = refused(&file(name, &bytes), None);
        assert!(message.contains(right), "{message}");
    }
    assert!(refused(Path::new("/nowhere/x"), None).contains("/nowhere/x: No such file"));
    let missing = refused(&flow, Some(Path::new("/nowhere/qemu")));
    assert!(missing.contains("/nowhere/qemu: No such file") && missing.contains("qemu-user"), "{missing}");
    let newer = file("newer", b"#!/bin/sh\necho qemu-riscv64 version 9.2.0\n");
    let message = refused(&flow, Some(&newer));
    assert!(
        message.contains("`--version` prints `qemu-riscv64 version 9.2.0`; expected qemu-riscv64 version 7.2"),
        "{message}"
    );
    let other = file("other", b"#!/bin/sh\necho qemu-x86_64 version 7.2.0\n");
    assert!(refused(&flow, Some(&other)).contains("expected qemu-riscv64 version 7.2"));
    let without = file("without", b"#!/bin/sh\n[ $1 = --version ] && echo qemu-riscv64 version 7.2.9 || exit 1\n");
    let message = refused(&flow, Some(&without));
    assert!(message.contains("ended before the first instruction (exit code 1)"), "{message}");
    let dynamic = Executable::open(&common::compiled("flow", "riscv64-linux-gnu-gcc -pie")).unwrap();
    let whole = capture::run::Options { system: Some(1), ..options("serial:1000", &[]) };
    let message = capture(dynamic, &whole, &mut |_| {}).expect_err("no system loads it").to_string();
    assert!(message.contains("is loaded by /lib/ld-linux-riscv64"), "{message}");
    let linux = Executable::open(&common::compiled("flow", "riscv64-linux-gnu-gcc -static")).unwrap();
    let message = capture(linux, &whole, &mut |_| {}).expect_err("the machine has no memory there").to_string();
    assert!(message.contains("has code at 0x10000, but the memory of the machine begins at 0x80000000"), "{message}");
}
