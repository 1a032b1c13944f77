//! Programs of a firmware developer: reports of crashes, exit codes, interrupted runs

use crate::common::{elf_of, elf_of_segments, Place, RISCV};
use std::fmt::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// `j .`
const HERE: u32 = 0x0000_006f;

fn place(programs: &[(&str, &[u32])]) -> Place {
    let place = Place::new();
    for (name, code) in programs {
        std::fs::write(place.path().join(name), elf_of(RISCV, code)).unwrap();
    }
    place
}

/// Ends with the code in a0.
const END: [u32; 6] = [
    0x0105_1513, // slli a0, a0, 16
    0x0000_3337, // lui t1, 3
    0x3333_0313, // addi t1, t1, 0x333
    0x0065_6533, // or a0, a0, t1
    0x0010_02b7, // lui t0, 0x100
    0x00a2_a023, // sw a0, 0(t0)
];

#[test]
fn a_crash_is_reported_with_cause_location_and_address() {
    let handled = [
        &[
            0x0000_0297, // auipc t0, 0
            0x0142_8293, // addi t0, t0, 20
            0x3052_9073, // csrw mtvec, t0
            0x0000_0517, // auipc a0, 0
            0x7ff5_2583, // lw a1, 2047(a0): in RAM, and misaligned
            0x0030_0513, // handler: li a0, 3
        ][..],
        &END,
    ]
    .concat();
    let mut misaligned = handled.clone();
    misaligned[4] = 0x1005_262f; // lr.w a2, (a0), after addi a0, a0, 1
    misaligned[3] = 0x0010_0513; // li a0, 1
    let place = place(&[
        ("load.elf", &[0x4000_0537, 0x0105_2583]),    // lui a0, 0x40000; lw a1, 16(a0)
        ("store.elf", &[0x4000_0537, 0xfea5_2e23]),   // sw a0, -4(a0)
        ("jump.elf", &[0x0000_12b7, 0x0002_80e7]),    // lui t0, 1; jalr ra, (t0)
        ("data.elf", &[0x8000_12b7, 0x0002_80e7]),    // lui t0, 0x80001; jalr ra, (t0)
        ("illegal.elf", &[0x0000_0013, 0x0000_0057]), // nop; not an instruction of RV32IMAC
        ("csr.elf", &[0x0000_0013, 0x7c00_1073]),     // csrw 0x7c0, x0: does not exist
        ("break.elf", &[0x0010_0073]),                // ebreak
        ("call.elf", &[0x0000_0013, 0x0000_0073]),    // ecall
        ("handled.elf", &misaligned),
        ("waits.elf", &[0x1050_0073, 0x0010_0073]), // wfi; ebreak
        ("here.elf", &[HERE]),
    ]);
    let mut text = String::new();
    for name in ["load", "store", "jump", "data", "illegal", "csr", "break", "call", "handled", "waits", "here"] {
        writeln!(text, "{}", place.session(&format!("run {name}.elf --timing functional --exit-code"))).unwrap();
    }
    // hart 1 is stuck in its crash, hart 0 waits for it
    let both = [0x0005_1463, HERE, 0x4000_0537, 0x0105_2583]; // bnez a0, 1f; j .; 1: lui a0, 0x40000; lw a1, 16(a0)
    std::fs::write(place.path().join("both.elf"), elf_of(RISCV, &both)).unwrap();
    writeln!(text, "{}", place.session("run both.elf --harts 2 --timing functional --json")).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn the_programs_exit_code_is_the_commands_where_it_is_asked_for() {
    let with = |code: u32| [&[0x0000_0513 | code << 20][..], &END].concat();
    let place = place(&[
        ("0.elf", &with(0)),
        ("7.elf", &with(7)),
        ("300.elf", &with(300)),
        ("spin.elf", &[0x0000_0013, 0xffdf_f06f]),
    ]);
    let code = |words: &str| place.output(words).status.code();
    for (words, wanted) in [
        ("run 0.elf --exit-code", 0),
        ("run 7.elf", 0),
        ("run 7.elf --exit-code", 7),
        ("run 300.elf --exit-code", 255),
        ("run spin.elf --max-instructions 1000", 0),
        ("run spin.elf --max-instructions 1000 --exit-code", 124),
    ] {
        assert_eq!(code(words), Some(wanted), "{words}");
    }
}

#[test]
fn an_elf_in_front_of_ram_gets_a_hint() {
    let place = Place::new();
    let mut low = elf_of(RISCV, &[0x8100_0137, 0xfe01_2e23]); // lui sp, 0x81000; sw zero, -4(sp)
                                                              // the segment, including the headers, starts a page
                                                              // earlier
    low[52 + 4..52 + 8].copy_from_slice(&0u32.to_le_bytes());
    for at in [8, 12] {
        low[52 + at..52 + at + 4].copy_from_slice(&(0x8000_0000u32 - 84).to_le_bytes());
    }
    for at in [16, 20] {
        low[52 + at..52 + at + 4].copy_from_slice(&92u32.to_le_bytes());
    }
    std::fs::write(place.path().join("low.elf"), low).unwrap();
    let text = place.good("run low.elf");
    assert!(text.contains("RAM is 0x7ff00000 to 0x80f00000") && text.contains("-Wl,-N"), "{text}");
}

#[test]
fn a_function_that_is_copied_to_ram_replays_where_it_runs() {
    let main = [
        &[
            0x8000_02b7, // lui t0, 0x80000
            0x1002_8293, // addi t0, t0, 0x100
            0x8000_1337, // lui t1, 0x80001
            0x0002_a383, // lw t2, 0(t0)
            0x0073_2023, // sw t2, 0(t1)
            0x0042_a383, // lw t2, 4(t0)
            0x0073_2223, // sw t2, 4(t1)
            0x0000_100f, // fence.i
            0x0003_00e7, // jalr ra, (t1)
        ][..],
        &END,
    ]
    .concat();
    let seven = [0x0070_0513, 0x0000_8067]; // li a0, 7; ret
    let place = Place::new();
    let elf = elf_of_segments(RISCV, &[(0x8000_0000, 0x8000_0000, &main), (0x8000_0100, 0x8000_1000, &seven)]);
    std::fs::write(place.path().join("ram.elf"), elf).unwrap();
    assert_eq!(place.output("run ram.elf -o ram.ret --exit-code").status.code(), Some(7));
    place.good("encode ram.ret -o ram.gtr");
    let listed = place.good("replay ram.gtr --elf ram.elf");
    assert!(listed.contains("0x80001000  00700513\n") && listed.contains("0x80001004  00008067\n"), "{listed}");
    place.good("replay ram.gtr --elf ram.elf --check ram.ret");
    // without the segment, the code there is unknown
    std::fs::write(place.path().join("half.elf"), elf_of(RISCV, &main)).unwrap();
    let text = place.session("replay ram.gtr --elf half.elf --any-build");
    assert!(
        text.contains("no code is known at pc 0x80001000: it is in no executable segment of the program; code that"),
        "{text}"
    );
}

/// Runs `words` until an output file, which has no name yet, grows, then interrupts it; returns its output and exit
/// code.
fn stopped(place: &Place, words: &str) -> (String, Option<i32>) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
    command.current_dir(place.path()).args(words.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    let grows = || {
        let open = std::fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
        let files = open
            .filter_map(|e| std::fs::metadata(e.ok()?.path()).ok())
            // not the command and its libraries, which the loader opens
            .filter(|f| f.is_file() && std::os::unix::fs::MetadataExt::nlink(f) == 0);
        files.map(|f| f.len()).max() > Some(100_000)
    };
    while !grows() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{words}: writes nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.code())
}

#[test]
fn a_stopped_run_leaves_what_has_retired() {
    // a loop with data: lw, addi, sw, bnez
    let spin = [0x8000_0537, 0x1000_0593, 0x4005_2603, 0x0016_0613, 0x40c5_2023, 0xfe05_9ae3];
    let place = place(&[("spin.elf", &spin)]);
    for options in ["", " --data --harts 3"] {
        let (text, code) = stopped(&place, &format!("run spin.elf -o spin.ret{options}"));
        assert!(text.contains("ended         by request") && text.contains("spin.elf: stopped"), "{text}");
        assert_eq!(code, Some(2), "{options}");
        let said = text.lines().find_map(|l| l.strip_prefix("instructions  ")).unwrap().to_string();
        // complete: the recording has the reported length, and can be traced and replayed
        place.good("encode spin.ret -o spin.gtr");
        let replayed = place.good("replay spin.gtr --elf spin.elf --check spin.ret");
        assert!(replayed.contains(&format!("instructions  {said}\n")), "{said}: {replayed}");
        std::fs::remove_file(place.path().join("spin.ret")).unwrap();
    }
    assert_eq!(stopped(&place, "run spin.elf -o spin.ret --exit-code").1, Some(130));
}
