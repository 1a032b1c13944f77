//! A program on a softcore traces itself into the RAM sink of its SoC, and prints its trace: decoded, it is what the core retired

use crate::common::Place;
use retire::file::retire::RetireReader;
use retire::{FlowEvent, FlowKind};
use std::path::Path;
use std::process::Command;

/// Builds `docs/examples/tci/self_trace.c` with its drivers and the runtime of the test programs.
fn build(place: &Place, (march, library): (&str, &str), more: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let of = |file: &str| root.join(file).display().to_string();
    let sources = ["programs/bare/rt/crt.S", "programs/bare/rt/rt.c"].map(of);
    let examples = ["self_trace.c", "trace_encoder.c", "ram_sink.c"].map(|f| of(&format!("docs/examples/tci/{f}")));
    let out = Command::new("riscv64-unknown-elf-gcc")
        .args([
            format!("-march={march}"),
            format!("-I{}", of("docs/examples/tci")),
            format!("-I{}", of("programs/bare/rt")),
        ])
        .args([
            "-mabi=ilp32",
            "-std=gnu11",
            "-O2",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-ffreestanding",
            "-nostdlib",
            "-static",
        ])
        .args(["-DSOC", "-Wl,--no-warn-rwx-segments", "-T", &of("programs/bare/rt/link.ld")])
        .args(more)
        .args(sources.iter().chain(&examples))
        .args([&format!("-march={library}"), "-lgcc", "-o", "self.elf"])
        .current_dir(place.path())
        .output()
        .expect("riscv64-unknown-elf-gcc; tools/setup installs it");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// Runs the program and writes its trace to `dump.bin`; returns the line about it.
fn run(place: &Place, core: &str, scheme: &str) -> String {
    let out =
        place.good(&format!("soc sim --core {core} --elf self.elf --self-trace {scheme} --max-cycles 3000000 -o out"));
    let words = out.lines().filter_map(|l| u32::from_str_radix(l.strip_prefix("trace ")?, 16).ok());
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    std::fs::write(place.path().join("dump.bin"), &bytes).unwrap();
    let line = out.lines().find(|l| l.starts_with("result ")).unwrap_or_else(|| panic!("{out}")).to_string();
    assert!(out.contains("with code 0") && line.contains(&format!("trace of {} bytes", bytes.len())), "{out}");
    line
}

fn events(place: &Place, file: &str) -> Vec<FlowEvent> {
    let mut events = Vec::new();
    RetireReader::open(&place.path().join(file)).unwrap().read_rest(&mut events).unwrap();
    events
}

/// Number of events of the imported trace, which must be a stretch of those that the core retired.
fn decoded(place: &Place) -> usize {
    let inner = |file: &str| -> Vec<FlowEvent> {
        let all = events(place, file).into_iter();
        all.filter(|e| !matches!(e.kind, FlowKind::Start | FlowKind::Stop)).collect()
    };
    let (whole, part) = (inner("out/retire.ret"), inner("x.ret"));
    let (first, rest) = part.split_first().expect("there are events");
    // the instructions before the first event are those since the trace began
    let is = |w: &[FlowEvent]| {
        (w[0].pc, w[0].target) == (first.pc, first.target) && w[1..].iter().zip(rest).all(|(a, b)| a.same_flow(b))
    };
    assert!(whole.windows(part.len()).any(is), "{} events are no stretch of {}", part.len(), whole.len());
    part.len()
}

#[test]
fn a_program_traces_itself_and_the_host_decodes_what_it_prints() {
    for (core, march, library, scheme, format) in [
        ("picorv32", "rv32im", "rv32im", "ntrace+ir8", "--format n-trace"),
        ("ibex", "rv32imc_zicsr", "rv32imc", "etrace", "--format e-trace"),
    ] {
        let place = Place::new();
        build(&place, (march, library), &[]);
        let line = run(&place, core, scheme);
        assert!(line.contains("not lost, not wrapped"), "{core}: {line}");
        place.good(&format!("import dump.bin {format} --elf self.elf -o x.ret"));
        assert!(decoded(&place) > 500, "{core}");
    }
}
