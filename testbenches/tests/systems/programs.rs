//! The checked-in programs behave on QEMU and on the built-in simulator as their table says, for any number of harts
//!
//! With `GOSHAWK_LONG=1`, QEMU runs them with 1, 2, 3, 4 and 8 harts instead of 1 and 4, and the simulator uses more
//! seeds.

use fpga::cosim::tools::tool_name;
use programs::{ProgramInfo, PROGRAMS};
use retire::NullSink;
use sim::riscv::{Exit, Limits, Machine, MachineConfig, RunSummary, Timing};
use sim::stimulus::rounds;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A program ends within a second on an idle machine; this is enough for a busy one.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs an ELF file; returns its console output and exit code, or `None` if it did not end in time.
fn qemu(elf: &Path, harts: u32) -> (String, Option<i32>) {
    let tool = tool_name("QEMU_RISCV32", &["qemu-system-riscv32"]);
    let mut child = Command::new(&tool)
        .args(["-M", "virt", "-bios", "none", "-nographic", "-smp", &harts.to_string(), "-kernel"])
        .arg(elf)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{tool}: not found ({e}); `tools/setup` installs it, or set QEMU_RISCV32"));
    let start = Instant::now();
    while child.try_wait().expect("the child can be waited for").is_none() {
        if start.elapsed() > LIMIT {
            child.kill().expect("the child can be ended");
            break;
        }
        sleep(Duration::from_millis(10));
    }
    let out = child.wait_with_output().expect("its output can be read");
    let text = String::from_utf8_lossy(&out.stdout).replace('\r', "") + &String::from_utf8_lossy(&out.stderr);
    (text, out.status.code())
}

fn elf_file(program: &ProgramInfo) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), program.elf).expect("the temporary file can be written");
    file
}

#[test]
fn every_program_prints_its_result_and_passes_for_any_number_of_harts() {
    let harts: &[u32] = rounds(&[1, 4], &[1, 2, 3, 4, 8]);
    for program in PROGRAMS {
        let file = elf_file(program);
        for &n in harts.iter().filter(|&&n| n <= u32::from(program.max_harts)) {
            let (text, code) = qemu(file.path(), n);
            let last = text.lines().last().unwrap_or_default();
            assert_eq!((last, code), (program.output, Some(0)), "{} with {n} harts said:\n{text}", program.name);
        }
    }
}

/// `vm` with its first argument (2048, the limit of its sieve) replaced; the word is in `.rodata`.
fn vm_with_sieve_limit(limit: u32) -> tempfile::NamedTempFile {
    let program = programs::find("vm").expect("vm is checked in");
    let mut elf = program.elf.to_vec();
    let at = elf.windows(4).position(|w| w == 2048u32.to_le_bytes()).expect("the sieve limit is a word of the image");
    elf[at..at + 4].copy_from_slice(&limit.to_le_bytes());
    elf_file(&ProgramInfo { elf: elf.leak(), ..*program })
}

#[test]
fn a_wrong_result_is_printed_and_fails() {
    // there are as many primes below 2047 as below 2048, but the steps differ
    let (text, code) = qemu(vm_with_sieve_limit(2047).path(), 1);
    assert!(text.starts_with("vm: result ") && text.contains(" wrong, 29fc2871 expected"), "{text}");
    assert_eq!(code, Some(1), "{text}");
}

#[test]
fn a_failed_check_is_named_and_fails() {
    let (text, code) = qemu(vm_with_sieve_limit(2000).path(), 4);
    assert_eq!((text.as_str(), code), ("check failed: primes below 2048 and 1500\n", Some(2)));
}

/// Runs a program on the built-in simulator and checks its output.
fn simulate(program: &ProgramInfo, harts: u8, timing: Timing, seed: u64) -> RunSummary {
    let config = MachineConfig { harts, timing, seed, ..MachineConfig::default() };
    let limits = Limits { instructions: 1_000_000_000, ..Limits::default() };
    let elf = program.load().expect("a checked-in program loads");
    let run = Machine::new(&elf, config).expect("a legal machine").run(&mut NullSink, limits).expect("it runs");
    let text = String::from_utf8_lossy(&run.uart);
    let last = text.lines().last().unwrap_or_default();
    let name = program.name;
    assert_eq!((last, run.exit), (program.output, Exit::Finished(0)), "{name}, {harts} harts, seed {seed}: {text}");
    run
}

#[test]
fn the_simulator_prints_the_same_for_any_number_of_harts() {
    let runs: &[(u8, u64)] = rounds(&[(4, 0)], &[(2, 0), (3, 1), (4, 0), (4, 2), (8, 0)]);
    for program in PROGRAMS {
        for &(harts, seed) in runs {
            let run = simulate(program, harts, Timing::functional(), seed);
            let busy = run.instructions.iter().filter(|&&n| n > 10_000).count();
            assert_eq!(busy, usize::from(harts), "{}: {:?}", program.name, run.instructions);
        }
    }
}

#[test]
fn the_table_of_the_programs_tells_their_instructions() {
    let readme = include_str!("../../../programs/bare/README.md");
    let mut wrong = Vec::new();
    let mut over_20_million = 0;
    for program in PROGRAMS {
        let count = simulate(program, 1, Timing::default(), 0).instructions[0];
        over_20_million += usize::from(count > 20_000_000);
        let row = readme.lines().find(|l| l.starts_with(&format!("| `{}` |", program.name)));
        let told = row.and_then(|r| r.rsplit('|').nth(2)?.trim().strip_suffix(" M")?.parse::<f64>().ok());
        // `irq` ends by the timer, so its count depends on the timing model
        let tolerance = if program.name == "irq" { 0.5 } else { 0.051 };
        let millions = count as f64 / 1e6;
        if told.is_none_or(|t| (t - millions).abs() > tolerance) {
            wrong.push(format!("{}: {millions:.1} M instructions, the table says {told:?}", program.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(over_20_million >= 3, "at least three programs retire more than 20 million instructions");
}

#[test]
#[ignore = "a measurement: cargo test -p testbenches --release --test systems programs:: -- --ignored --nocapture"]
fn instructions_and_cycles_by_harts() {
    println!("program, harts, instructions of all harts, cycles");
    for program in PROGRAMS {
        for harts in [1, 2, 4, 8] {
            let run = simulate(program, harts, Timing::default(), 0);
            println!("{}, {harts}, {}, {}", program.name, run.instructions.iter().sum::<u64>(), run.cycles);
        }
    }
}
