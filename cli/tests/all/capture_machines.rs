//! `goshawk capture run --system` of x86-64 and AArch64 machines, from capture to replay

use crate::common::Place;
use retire::file::retire::RetireReader;
use retire::{FlowEvent, FlowKind};
use serde_json::Value;
use std::process::Command;

/// A folder with the kernels for x86-64 and AArch64.
fn place() -> Place {
    let place = Place::new();
    for name in ["x86", "aarch64"] {
        let elf = format!("{}/../programs/machines/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        std::fs::copy(elf, place.path().join(format!("{name}.elf"))).unwrap();
    }
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn kernels_of_x86_and_aarch64_come_back_instruction_for_instruction() {
    let place = place();
    for name in ["x86", "aarch64"] {
        let words = format!("capture run --system --contexts --schedule serial:1000 -o a.ret --json -- {name}.elf");
        let o = place.output(&words);
        let told = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.success() && told.contains(&format!("{name}: ok")), "{told}");
        let ran = json(&String::from_utf8_lossy(&o.stdout));
        assert_eq!(ran["expanded"]["unexplained"], 0, "{name}: {ran}");
        let traps = ran["expanded"]["signals"].as_u64().unwrap();
        assert!(traps > 40, "{name}: {traps} traps");
        for options in ["--context 2", "--context 16 --set large --sync-period 14", "--context 3 --encoding nx_b"] {
            place.good(&format!("encode a.ret {options} -o a.gtr"));
            let told = place.good("replay a.gtr --check a.ret");
            assert!(told.contains("equal to a.ret"), "{name} {options}: {told}");
        }
        // the processes take turns, in user mode and in the kernel
        let profile = json(&place.good(&format!("profile a.gtr --elf {name}.elf --by process --json")));
        let processes = profile["processes"].as_array().unwrap();
        for space in [1, 2] {
            let process = processes.iter().find(|p| p["space"] == space).unwrap_or_else(|| panic!("{name}: {profile}"));
            let count = |mode: &str| process[mode].as_u64().unwrap();
            assert!(count("user") > 10_000 && count("supervisor") > 500, "{name}: {process}");
        }
        let all: u64 = processes.iter().map(|p| p["instructions"].as_u64().unwrap()).sum();
        assert_eq!(ran["expanded"]["instructions"], all, "{name}");
        let own = place.good(&format!("profile a.gtr --elf {name}.elf --limit 1000"));
        assert!(own.contains("timer"), "{name}: {own}");
    }
}

/// A boot sector that prints by the BIOS and on the serial port, and turns the machine off.
const SECTOR: &str = ".code16\n.globl _start\n_start: ljmp $0, $1f\n1: xor %ax, %ax\n mov %ax, %ds\n mov $text, %si\n\
    2: lodsb\n test %al, %al\n jz 3f\n mov $0x3f8, %dx\n out %al, %dx\n mov $0x0e, %ah\n xor %bx, %bx\n int $0x10\n \
    jmp 2b\n3: mov $0x604, %dx\n mov $0x2000, %ax\n out %ax, %dx\n4: hlt\n jmp 4b\ntext: .asciz \"sector\\n\"\n\
    .org 510\n.word 0xaa55\n.fill 65536, 1, 0\n";

#[test]
fn a_boot_sector_is_traced_from_the_first_instruction_of_the_bios() {
    let place = Place::new();
    std::fs::write(place.path().join("sector.s"), SECTOR).unwrap();
    let run = |program: &str, words: &str| {
        let status = Command::new(program).args(words.split(' ')).current_dir(place.path()).status();
        assert!(status.expect("tools/setup installs it").success(), "{program} {words}");
    };
    run("x86_64-linux-gnu-as", "--64 sector.s -o sector.o");
    run("x86_64-linux-gnu-ld", "--oformat binary -Ttext 0x7c00 -e _start sector.o -o sector.img");
    let before = std::fs::read(place.path().join("sector.img")).unwrap();
    let o = place.output("capture run --system -o a.ret --json -- sector.img");
    let told = String::from_utf8_lossy(&o.stderr).into_owned();
    assert!(o.status.success() && told.contains("sector"), "{told}");
    assert_eq!(std::fs::read(place.path().join("sector.img")).unwrap(), before);
    let ran = json(&String::from_utf8_lossy(&o.stdout));
    assert_eq!(ran["expanded"]["unexplained"], 0, "{ran}");
    place.good("encode a.ret -o a.gtr");
    assert!(place.good("replay a.gtr --check a.ret").contains("equal to a.ret"));
    let shown = place.good("replay a.gtr --limit 1");
    assert!(shown.contains("fffffff0"), "{shown}");
    // a call of the BIOS retires, and is an exception after it whose cause is the vector; `iret` returns there
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&place.path().join("a.ret")).unwrap().read_rest(&mut events).unwrap();
    // without its first instruction, at which the BIOS also arrives by `iret`
    let sector = 0x7c01..0x7e00;
    let calls = events.iter().filter(|e| sector.contains(&e.pc) && matches!(e.kind, FlowKind::Trap { .. }));
    let calls: Vec<_> = calls.filter(|e| !sector.contains(&e.target)).map(|e| (e.kind, e.pc)).collect();
    let exceptions = calls.iter().filter(|(kind, _)| matches!(kind, FlowKind::Trap { interrupt: false, .. }));
    let exceptions: Vec<_> = exceptions.copied().collect();
    assert_eq!(exceptions, vec![(FlowKind::Trap { interrupt: false, cause: 0x10 }, exceptions[0].1); 7]);
    let returns = events.iter().filter(|e| e.kind == FlowKind::TrapReturn && sector.contains(&e.target)).count();
    assert_eq!(returns, calls.len());
}

#[test]
fn programs_that_start_no_machine_are_refused() {
    let place = place();
    std::fs::write(place.path().join("initrd"), [0; 512]).unwrap();
    let newer = "#!/bin/sh\necho QEMU emulator version 10.0.2\n";
    std::fs::write(place.path().join("qemu"), newer).unwrap();
    std::fs::set_permissions(place.path().join("qemu"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (words, what) in [
        ("--kernel initrd -o a.ret -- x86.elf", "x86.elf: `--kernel` is for firmware of RISC-V"),
        (
            "--append quiet -o a.ret -- aarch64.elf",
            "is no kernel of Linux, and there is no `--kernel`; `--append` is for one",
        ),
        ("--data -o a.ret -- x86.elf", "`--data` with `--system` needs QEMU 10.0, and a program for RISC-V"),
        ("--qemu ./qemu -o a.ret -- x86.elf", "expected qemu-system-x86_64 version 7.2"),
        ("--qemu /nowhere/q -o a.ret -- aarch64.elf", "(Debian's package qemu-system-arm)"),
        ("-o a.ret -- /bin/true", "is loaded by /lib64/ld-linux-x86-64.so.2, so by a system"),
        ("-o a.ret -- initrd", "is not an ELF file"),
    ] {
        let o = place.output(&format!("capture run --system {words}"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(2), "{words}: {err}");
        assert!(err.contains(what) && !place.path().join("a.ret").exists(), "{words}: {err}");
    }
}
