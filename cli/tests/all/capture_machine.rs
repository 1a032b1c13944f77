//! `goshawk capture run --system`: the parts of the machine

use crate::common::Place;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// A firmware that jumps to the kernel.
const FIRMWARE: &str = "_start: li t0, 0x80200000\n jr t0\n";
/// A kernel that reads a character from the serial port, and ends the machine: with code 0 if it is k, else with 3.
const KERNEL: &str =
    "_start: li t0, 0x10000000\n1: lb t1, 5(t0)\n andi t1, t1, 1\n beqz t1, 1b\n lb t1, 0(t0)\n li t2, 'k'\n \
    li t3, 0x100000\n li t4, 0x5555\n beq t1, t2, 2f\n li t4, 0x33333\n2: sw t4, 0(t3)\n3: j 3b\n";
/// An emulator that writes its arguments to a file.
const QEMU: &str = "#!/bin/sh\n[ \"$1\" = --version ] || echo \"$@\" >words\nexec qemu-system-riscv64 \"$@\"\n";

fn run(place: &Place, program: &str, words: &[&str]) {
    let status = Command::new(program).args(words).current_dir(place.path()).status();
    assert!(status.expect("tools/setup installs the compiler").success(), "{program} {words:?}");
}

/// Makes NAME.elf of an assembler text, with its code at this address.
fn assemble(place: &Place, name: &str, text: &str, at: &str) {
    let (source, elf, place_of_text) = (format!("{name}.S"), format!("{name}.elf"), format!("-Wl,-Ttext={at}"));
    std::fs::write(place.path().join(&source), format!(".globl _start\n{text}")).unwrap();
    let words = ["-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-N", &place_of_text, "-o", &elf, &source];
    run(place, "riscv64-linux-gnu-gcc", &words);
}

/// A folder with a firmware, a kernel, and an emulator.
fn place() -> Place {
    let place = Place::new();
    assemble(&place, "firmware", FIRMWARE, "0x80000000");
    assemble(&place, "kernel", KERNEL, "0x80200000");
    run(&place, "riscv64-linux-gnu-objcopy", &["-O", "binary", "-j", ".text", "kernel.elf", "Image"]);
    for (name, bytes) in
        [("good", &b"k"[..]), ("bad", b"x"), ("initrd", &[0; 512]), ("a,b.img", &[0; 512]), ("c.img", &[0; 512])]
    {
        std::fs::write(place.path().join(name), bytes).unwrap();
    }
    let qemu = place.path().join("qemu");
    std::fs::write(&qemu, QEMU).unwrap();
    std::fs::set_permissions(&qemu, PermissionsExt::from_mode(0o755)).unwrap();
    place
}

#[test]
fn a_firmware_starts_a_kernel_that_reads_the_serial_port() {
    let place = place();
    let o = place.output("capture run --system --kernel Image --input good -o a.ret --json -- firmware.elf");
    assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stderr));
    place.good("encode a.ret -o a.gtr");
    let text = place.good("replay a.gtr --check a.ret");
    assert!(text.contains("0x0000000080200000") || text.contains("equal to a.ret"), "{text}");
    // the kernel's code is in the recording
    let shown = place.good("replay a.gtr --limit 100");
    assert!(shown.contains("80200000"), "{shown}");
    let o = place.output("capture run --system --kernel Image --input bad -o a.ret --json -- firmware.elf");
    assert_eq!(o.status.code(), Some(3), "{}", String::from_utf8_lossy(&o.stderr));
}

#[test]
fn all_parts_are_passed_to_the_emulator() {
    let place = place();
    let mut command = place.command(
        "capture run --system --qemu ./qemu --harts 2 --kernel Image --initrd initrd --ram-size 64M --drive a,b.img --drive \
         c.img --input good -o a.ret --json",
    );
    let o = command.args(["--append", "console=ttyS0 quiet", "--", "firmware.elf"]).output().unwrap();
    assert_eq!(o.status.code(), Some(0), "{}", String::from_utf8_lossy(&o.stderr));
    let words = std::fs::read_to_string(place.path().join("words")).unwrap();
    for part in [
        "-bios firmware.elf -kernel Image -initrd initrd -append console=ttyS0 quiet -m 64M",
        "-drive file=a,,b.img,if=none,format=raw,id=drive0",
        "-device virtio-blk-device,drive=drive1,bus=virtio-mmio-bus.1",
        "-smp 2",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn parts_that_are_missing_or_do_not_fit_are_refused() {
    let place = place();
    for (words, what) in [
        ("--kernel none", "`--kernel none`: no such file"),
        ("--kernel Image --initrd none", "`--initrd none`: no such file"),
        ("--drive none", "`--drive none`: no such file"),
        ("--input none", "none: "),
        ("--ram-size 12x", "expected a number of megabytes, or a size such as 512M or 2G"),
        ("--ram-size 0", "expected a number of megabytes"),
        ("--initrd initrd", "--kernel"),
    ] {
        let o = place.output(&format!("capture run --system {words} -o a.ret -- firmware.elf"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(2), "{words}: {err}");
        assert!(err.contains(what) && !place.path().join("a.ret").exists(), "{words}: {err}");
    }
}

/// A program that prints a line, lets time pass, prints another one, lets time pass, and ends the machine. It waits in
/// `wfi`, so that it executes few instructions while the host reads what it printed.
const CLOCK: &str = "_start: la sp, top\n li t0, 0x80\n csrw mie, t0\n la a0, first\n call print\n call wait\n la a0, second\n \
    call print\n call wait\n li t3, 0x100000\n li t4, 0x5555\n sw t4, 0(t3)\n3: j 3b\n\
    print: li t0, 0x10000000\n1: lbu t1, 0(a0)\n beqz t1, 2f\n sb t1, 0(t0)\n addi a0, a0, 1\n j 1b\n2: ret\n\
    wait: li t0, 0x200bff8\n li t2, 0x2004000\n li t4, 8\n4: ld t1, 0(t0)\n li t3, 1000000\n add t1, t1, t3\n sd t1, 0(t2)\n \
    wfi\n addi t4, t4, -1\n bnez t4, 4b\n ret\n\
    first: .asciz \"one, once, on\"\n second: .asciz \"ce more\\n\"\n .balign 16\n .skip 64\ntop:\n";

#[test]
fn a_trace_starts_and_ends_at_a_text_of_the_console_or_an_address() {
    let place = Place::new();
    assemble(&place, "clock", CLOCK, "0x80000000");
    // instructions of the trace, and what is on standard error: what the machine printed, and messages
    let traced = |words: &str| {
        let o = place.output(&format!("capture run --system {words} -o a.ret --json -- clock.elf"));
        let err = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(0), "{words}: {err}");
        let json: serde_json::Value = serde_json::from_slice(&o.stdout).unwrap();
        assert!(err.starts_with("one, once, once more\n"), "{words}: {err}");
        (json["expanded"]["instructions"].as_u64().unwrap(), err.contains("the trace ended at --stop-at"))
    };
    let (all, _) = traced("");
    // the second text is divided between two calls
    let (part, ended) = traced("--start-at console:once, --stop-at console:once");
    assert!((1..all / 2 + 30).contains(&part) && ended, "{part} of {all}");
    let (late, ended) = traced("--start-at console:more");
    assert!((1..all / 2).contains(&late) && !ended, "{late} of {all}");
    let (early, ended) = traced("--stop-at console:more");
    assert!((all / 2..all).contains(&early) && ended, "{early} of {all}");
    // labels have no size; an address need not be in the program
    let (short, ended) = traced("--start-at wait --stop-at print");
    assert!((30..all / 2).contains(&short) && ended, "{short} of {all}");
    let (first, ended) = traced("--start-at 0x80000000 --stop-at print");
    assert!((5..20).contains(&first) && ended, "{first} of {all}");
}

#[test]
fn texts_of_a_console_need_a_machine() {
    let place = place();
    for (words, what) in [
        (
            "--start-at console:x -o a.ret -- /bin/true",
            "`--start-at console:x`: only with `--system`, which has a console",
        ),
        (
            "--system --stop-at console: -o a.ret -- firmware.elf",
            "`--stop-at console:`: the text is missing, expected one",
        ),
        ("--system --start-at nowhere -o a.ret -- firmware.elf", "firmware.elf: no routine `nowhere`"),
        ("--system --start-at console:x --skip 6 -o a.ret -- firmware.elf", "--skip"),
    ] {
        let o = place.output(&format!("capture run {words}"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(2), "{words}: {err}");
        assert!(err.contains(what) && !place.path().join("a.ret").exists(), "{words}: {err}");
    }
}

/// A program whose trap handler first runs as ordinary code. Then supervisor mode calls it 50 times.
const MODES: &str = "_start: li s0, 0\n li s1, 0\n j trap\n\
    setup: li s1, 1\n la t0, trap\n csrw mtvec, t0\n li t0, -1\n csrw pmpaddr0, t0\n li t0, 31\n csrw pmpcfg0, t0\n \
    li t0, 0x1000\n csrc mstatus, t0\n li t0, 0x800\n csrs mstatus, t0\n la t0, super\n csrw mepc, t0\n mret\n\
    .balign 4\ntrap: addi s0, s0, 1\n beqz s1, setup\n li t0, 50\n bgt s0, t0, done\n csrr t1, mepc\n addi t1, t1, 4\n \
    csrw mepc, t1\n mret\n\
    super: nop\n nop\n ecall\n j super\n\
    done: li t3, 0x100000\n li t4, 0x5555\n sw t4, 0(t3)\n1: j 1b\n";

#[test]
fn modes_and_traps_are_right_where_a_handler_was_ordinary_code_before() {
    let place = Place::new();
    assemble(&place, "modes", MODES, "0x80000000");
    // three of four instructions in supervisor mode retire, since a call does not; the last jump back has no call after it
    for (part, all, supervisor) in [("--skip 6", 567, 149), ("--start-at super", 545, 149)] {
        for contexts in ["", "--contexts"] {
            let words = format!("capture run --system {contexts} {part} -o a.ret --json -- modes.elf");
            let json: serde_json::Value = serde_json::from_str(&place.good(&words)).unwrap();
            let found = &json["expanded"];
            assert_eq!((&found["instructions"], &found["unexplained"]), (&all.into(), &0.into()), "{words}: {found}");
            assert_eq!(found["signals"], 50, "{words}: {found}");
        }
        let text = place.good("profile a.ret --elf modes.elf --by process");
        let counts: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().skip(5).take(3).collect();
        assert_eq!(counts, ["0", &supervisor.to_string(), &(all - supervisor).to_string()], "{part}: {text}");
    }
}
