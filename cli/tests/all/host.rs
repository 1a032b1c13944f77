//! `tohost` and semihosting in small assembler programs: the same output as in QEMU, and replayed

use crate::common::Place;
use std::process::{Command, Stdio};

/// Builds `name` for RV32 or RV64.
fn build(place: &Place, name: &str, xlen: u32) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/host");
    let elf = format!("{name}{xlen}.elf");
    let abi = if xlen == 64 { "lp64" } else { "ilp32" };
    let out = Command::new("riscv64-unknown-elf-gcc")
        .arg(format!("-march=rv{xlen}imac_zicsr"))
        .arg(format!("-mabi={abi}"))
        .args(["-mcmodel=medany", "-nostdlib", "-static", "-Wl,-N", "-T"])
        .arg(format!("{folder}/link.ld"))
        .arg(format!("{folder}/{name}.S"))
        .args(["-o", &elf])
        .current_dir(place.path())
        .output()
        .expect("riscv64-unknown-elf-gcc; tools/setup installs it");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    elf
}

/// Output and exit code of QEMU's `machine`.
fn qemu(place: &Place, elf: &str, xlen: u32, machine: &[&str]) -> (String, Option<i32>) {
    let out = Command::new(format!("qemu-system-riscv{xlen}"))
        .args(["-bios", "none", "-nographic", "-kernel", elf, "-M"])
        .args(machine)
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .expect("qemu-system-riscv; tools/setup installs it");
    // semihosting prints to standard error
    (String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).replace('\r', ""), out.status.code())
}

#[test]
fn programs_print_and_end_as_in_qemu_and_replay() {
    let place = Place::new();
    for (name, printed, code, machine) in [
        ("tohost", "by tohost\n", 7, &["spike"][..]),
        ("semihosting", "by semihosting\nb", 42, &["virt", "-semihosting"]),
    ] {
        for xlen in [32, 64] {
            let elf = build(&place, name, xlen);
            let run = place.output(&format!("run {elf} --exit-code -o p.ret"));
            let said = String::from_utf8(run.stdout).unwrap();
            assert!(said.starts_with(printed) && said.contains(&format!("with code {code}")), "{elf}: {said}");
            assert_eq!(run.status.code(), Some(code), "{elf}");
            assert_eq!(qemu(&place, &elf, xlen, machine), (printed.into(), Some(code)), "{elf} in QEMU");
            for scheme in ["inputs", "tr_e:small", "sc-lsp", "nexs"] {
                place.good(&format!("encode {elf} --scheme {scheme} -o p.gtr"));
                let checked = place.good(&format!("replay p.gtr --elf {elf} --check p.ret"));
                assert!(checked.contains("equal to p.ret"), "{elf} {scheme}: {checked}");
            }
        }
    }
}

/// Uses picolibc: its start code, `malloc`, `qsort`, soft `double` and `printf`, none of them written for this machine.
#[test]
fn a_program_of_a_c_library_prints_as_in_qemu_and_replays() {
    let place = Place::new();
    for (xlen, abi) in [(32, "ilp32"), (64, "lp64")] {
        let elf = format!("hello{xlen}.elf");
        let out = Command::new("riscv64-unknown-elf-gcc")
            .args(["--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted", "-mcmodel=medany", "-O2"])
            .args([format!("-march=rv{xlen}imac"), format!("-mabi={abi}")])
            .args(["-Wl,--defsym=__flash=0x80000000", "-Wl,--defsym=__flash_size=0x100000"])
            .args(["-Wl,--defsym=__ram=0x80100000", "-Wl,--defsym=__ram_size=0x100000"])
            .args([concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/host/hello.c"), "-o", &elf, "-lm"])
            .current_dir(place.path())
            .output()
            .expect("riscv64-unknown-elf-gcc; tools/setup installs it");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let said = place.good(&format!("run {elf} -o p.ret"));
        let (printed, code) = qemu(&place, &elf, xlen, &["virt", "-semihosting"]);
        assert_eq!(code, Some(0), "{elf} in QEMU: {printed}");
        assert!(printed.starts_with("median 506, sum of roots 21175.304054"), "{elf} in QEMU: {printed}");
        assert!(said.starts_with(&printed) && said.contains("with code 0"), "{elf}: {said}");
        for scheme in ["inputs", "tr_e:small", "sc-lsp"] {
            place.good(&format!("encode {elf} --scheme {scheme} -o p.gtr"));
            let checked = place.good(&format!("replay p.gtr --elf {elf} --check p.ret"));
            assert!(checked.contains("equal to p.ret"), "{elf} {scheme}: {checked}");
        }
    }
}
