//! Code that changes: the recording carries the versions that ran, and replay with them reproduces the run

use crate::common::{options, run};
use capture::outputs::{write, OutputFiles};
use retire::code::Code;
use retire::file::retire::{read_code, RetireReader};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::system::System;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program of `programs/changing` into `place`.
fn compiled(place: &Path, compiler: &str, arguments: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/changing");
    let program = place.join("program");
    let words = arguments.split(' ').map(|word| match sources.join(word).exists() {
        true => sources.join(word).into_os_string(),
        false => word.into(),
    });
    let status = Command::new(compiler).args(words).arg("-o").arg(&program).current_dir(place).status();
    assert!(status.expect("tools/setup installs the compiler").success(), "{arguments}");
    program
}

/// Captures, writes the recording, encodes and replays with the code that it carries; returns that.
fn comes_back(program: &Path, arguments: &[&str], system: Option<u8>) -> (Code, Vec<FlowEvent>) {
    let mut options = options("serial:1000", arguments);
    options.system = system;
    let captured = run(program, &options);
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ret");
    let wanted = OutputFiles { retire: Some(path.clone()), ..OutputFiles::default() };
    let mut events: Vec<FlowEvent> = Vec::new();
    write(&captured, &wanted, captured.harts(16), "test", &mut events, &mut |_| true).unwrap();
    let code = read_code(&path).unwrap().unwrap();
    let mut read: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&path).unwrap().read_rest(&mut read).unwrap();
    assert_eq!(read, events);
    let image = Image::recorded(code.clone());
    for scheme in ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4", "tr_e:m4+shared"] {
        let align = u8::from(events.iter().all(|e| e.target & 1 == 0));
        let platform = Platform { cores: 1, xlen: captured.executable.machine.xlen(), align, ..Platform::RV32 };
        let params = TraceParams::new(platform, scheme.parse().unwrap());
        let mut model = System::new(&params).unwrap();
        events.iter().for_each(|e| retire::RetireSink::event(&mut model, e));
        model.finish(events.last().unwrap().cycle);
        let words: Vec<u32> = model.drain().collect();
        let mut seen: Vec<FlowEvent> = Vec::new();
        let replayed = Replay::new(&image, &params, words.into_iter()).unwrap().run(&mut Events(&mut seen));
        replayed.unwrap_or_else(|e| panic!("{}, {scheme}: {e}", program.display()));
        let differs = events.iter().zip(&seen).position(|(want, found)| !want.same_flow(found));
        assert_eq!((differs, events.len()), (None, seen.len()), "{}, {scheme}", program.display());
    }
    (code, events)
}

/// A bare program of RV64.
fn bare(arguments: &str) -> (Code, Vec<FlowEvent>) {
    let place = tempfile::tempdir().unwrap();
    let machine = "-march=rv64ima_zicsr_zifencei -mabi=lp64 -nostdlib -Wl,--no-relax";
    let program = compiled(place.path(), "riscv64-unknown-elf-gcc", &format!("{machine} {arguments}"));
    comes_back(&program, &[], Some(1))
}

/// Starts that have several blocks.
fn several(code: &Code) -> usize {
    let mut starts: Vec<u64> = code.blocks.iter().map(|block| block.start).collect();
    starts.sort_unstable();
    let pairs = starts.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert!(code.changes.is_empty() == (pairs == 0));
    pairs
}

const AT: &str = "-Wl,-Ttext=0x80000000";

#[test]
fn a_patched_instruction_has_three_versions_in_time() {
    let (code, events) = bare(&format!("{AT} key.S"));
    // a nop, a jump, and the nop again
    assert_eq!((several(&code), code.changes.len()), (1, 2));
    let jump = &code.blocks[code.changes[0].block as usize];
    assert_eq!((&jump.bytes[..], jump.flow.map(|f| f.0)), (&[0x6f, 0, 0xc0, 0][..], Some(FlowKind::Jump)));
    let jumps = events.iter().filter(|e| e.pc == jump.start && e.kind == FlowKind::Jump).count();
    assert_eq!(jumps, 3);
}

#[test]
fn code_that_is_copied_comes_back() {
    assert_eq!(several(&bare("ramfunc.S -T ramfunc.ld").0), 0);
    assert!(several(&bare(&format!("{AT} bootloader.S")).0) > 0);
    assert!(several(&bare(&format!("{AT} overlay.S")).0) > 0);
}

#[test]
fn code_that_a_program_compiles_comes_back() {
    let place = tempfile::tempdir().unwrap();
    let mut compilers = vec!["riscv64-linux-gnu-gcc"];
    if std::env::consts::ARCH == "x86_64" {
        compilers.push("gcc");
    }
    for compiler in compilers {
        let program = compiled(place.path(), compiler, "-O1 -static jit.c");
        assert!(several(&comes_back(&program, &[], None).0) >= 19, "{compiler}");
    }
}

#[test]
fn libraries_at_one_address_come_back() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let library = |name: &str, options: &str| {
        let made = compiled(
            place.path(),
            "gcc",
            &format!("-O1 -shared -fPIC -Wl,-Ttext-segment=0x10000000 {options} library.c"),
        );
        let path = place.path().join(name);
        std::fs::rename(made, &path).unwrap();
        path.to_str().unwrap().to_string()
    };
    let libraries = [library("one.so", "-DSQUARE"), library("two.so", "-DLOOP")];
    let program = compiled(place.path(), "gcc", "-O1 reload.c -ldl");
    let (code, _) = comes_back(&program, &[&libraries[0], &libraries[1]], None);
    assert!(several(&code) > 0);
}

#[test]
fn signal_handlers_return_through_code_that_no_elf_has() {
    let (code, events) = comes_back(&crate::common::guest("signals"), &[], None);
    let returns = |kind: FlowKind| kind == FlowKind::TrapReturn;
    assert!(code.blocks.iter().any(|block| block.flow.is_some_and(|(kind, _)| returns(kind))));
    assert!(events.iter().any(|e| returns(e.kind)));
}

/// After a loss of unknown length, code with versions is an error of its place; replay goes on at later headers, and after
/// the last code with versions nothing is missing.
#[test]
fn a_version_that_is_not_known_is_marked() {
    let place = tempfile::tempdir().unwrap();
    let program = compiled(place.path(), "riscv64-linux-gnu-gcc", "-O1 -static jit.c");
    let (code, events) = comes_back(&program, &[], None);
    let platform = Platform { cores: 1, xlen: 64, align: 1, ..Platform::RV32 };
    let params = TraceParams::new(platform, "tr_e:small".parse().unwrap());
    let period = Some(SyncPeriod::new(10).unwrap());
    let mut model = System::new(&params).unwrap().sync_every(&params, period);
    events.iter().for_each(|e| retire::RetireSink::event(&mut model, e));
    model.finish(events.last().unwrap().cycle);
    let words: Vec<u32> = model.drain().collect();
    let image = Image::recorded(code);
    let mut replay = Replay::new(&image, &params, words[words.len() / 8..].iter().copied()).unwrap();
    let mut seen = Events(Vec::<FlowEvent>::new());
    let mut unknown = 0;
    loop {
        match replay.step(&mut seen) {
            Ok(true) => {}
            Ok(false) => break,
            Err(e) => {
                assert!(e.to_string().contains("changes during the run, and it is not known which version ran"), "{e}");
                unknown += 1;
                assert!(replay.resume());
            }
        }
    }
    assert!(unknown > 0);
    let seen = seen.0;
    let gap = seen.iter().rposition(|e| matches!(e.kind, FlowKind::Gap { lost: 0 })).unwrap();
    let rest = &seen[gap + 1..];
    assert!(rest.len() > 100, "{} events after the last gap", rest.len());
    let right = &events[events.len() - rest.len()..];
    // the first one after the gap does not count what was lost
    let differs = rest.iter().zip(right).skip(1).position(|(found, want)| !found.same_flow(want));
    assert_eq!(differs, None);
}
