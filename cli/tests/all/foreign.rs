//! Traces of other tools: an imported one equals the run that it was made from; cut and wrong ones are refused

use crate::common::foreign::{self, champsim, qemu, sbbt, spike, steps, Step, TEXTS};
use crate::common::Place;
use host::import::{open, Format};
use host::input::Named;
use host::progress::Quiet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A record of an rbt1 file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Record {
    kind: u8,
    len: u8,
    count: u32,
    pc: u64,
    target: u64,
}

fn records(path: &Path) -> Vec<Record> {
    let bytes = std::fs::read(path).unwrap();
    let word = |r: &[u8], at: usize| u64::from_le_bytes(r[at..at + 8].try_into().unwrap());
    let of = |r: &[u8]| Record {
        kind: r[0],
        len: r[1],
        count: u32::from_le_bytes(r[4..8].try_into().unwrap()),
        pc: word(r, 8),
        target: word(r, 16),
    };
    bytes[8..].chunks(24).map(of).collect()
}

/// Records exported from the same run.
fn exported(place: &Place, program: &str, instructions: u64) -> Vec<Record> {
    place.good(&format!("export {program} --timing functional --max-instructions {instructions} -o e.rbt1"));
    records(&place.path().join("e.rbt1"))
}

/// All commands that take a recording accept the file.
fn goes_through(place: &Place, file: &str) {
    place.good(&format!("encode {file} --set m4 -o x.gtr"));
    let told = place.good(&format!("replay x.gtr --elf {file} --check {file} --summary"));
    assert!(told.contains("equal to"), "{told}");
    let text = place.good(&format!("stats {file} --scheme sc-lsp:rbase-32x4"));
    assert!(text.contains("per instruction") && !text.contains("cycle"), "{text}");
    place.good(&format!("sweep --trace {file} --encoding tr_e,nexs --set small -o {file}.sweep"));
}

const INSTRUCTIONS: u64 = 40_000;

#[test]
fn logs_of_instructions_are_the_run_record_by_record() {
    let place = Place::new();
    for program in ["builtin:irq", "builtin:vm"] {
        let (steps, want) = (steps(program, INSTRUCTIONS), exported(&place, program, INSTRUCTIONS));
        for (name, log) in [("spike.log", spike(&steps)), ("qemu.log", qemu(&steps))] {
            std::fs::write(place.path().join(name), log).unwrap();
            place.good(&format!("import {name} --elf {program} -o x.rbt1"));
            let found = records(&place.path().join("x.rbt1"));
            // the log may end in front of a branch, and the last block continues after the last instruction of the run
            let same = found.len().min(want.len()) - 1;
            assert!(
                found.len() + 1 >= want.len() && same > 1000,
                "{program} {name}: {} and {}",
                want.len(),
                found.len()
            );
            assert_eq!(found[..same], want[..same], "{program} {name}");
            place.good(&format!("import {name} --elf {program} -o {name}.ret"));
            // it is of the program's build
            place.good(&format!("encode {name}.ret --elf {program} --set m4 -o y.gtr"));
            place.good(&format!("replay y.gtr --elf {program} --check {name}.ret"));
        }
    }
    goes_through(&place, "qemu.log.ret");
}

#[test]
fn traces_without_code_are_the_run_but_for_lengths() {
    let place = Place::new();
    let program = "builtin:parse";
    let (steps, want) = (steps(program, INSTRUCTIONS), exported(&place, program, INSTRUCTIONS));
    // these formats do not know traps: uses the part after the last one
    let after = steps.iter().rposition(|s| matches!(s, Step::Trap { .. })).map_or(0, |at| at + 1);
    let back = want.iter().rposition(|r| r.kind == 8).unwrap();
    let steps: Vec<Step> = steps[after..].to_vec();
    let first = steps
        .iter()
        .position(|s| matches!(s, Step::Instruction { event: Some(e), .. } if e.kind == retire::FlowKind::TrapReturn));
    let (steps, want) = (&steps[first.unwrap() + 1..], &want[back + 1..]);
    let plain = |r: &Record| Record { len: 0, target: if r.kind == 0 { 0 } else { r.target }, ..*r };
    for (name, trace) in [("parse.champsim", champsim(steps)), ("parse.sbbt", sbbt(steps))] {
        std::fs::write(place.path().join(name), trace).unwrap();
        place.good(&format!("import {name} -o {name}.rbt1"));
        let found = records(&place.path().join(format!("{name}.rbt1")));
        // start and end have other records, or none; SBBT counts nothing before the first branch
        let branches = |all: &[Record]| -> Vec<Record> { all.iter().filter(|r| r.kind != 7).copied().collect() };
        let (found, want) = (branches(&found), branches(want));
        let same = found.len() - 1;
        assert!(want.len() - same <= 2 && same > 1000, "{name}: {} and {}", want.len(), found.len());
        for (i, (a, b)) in found[..same].iter().zip(&want).enumerate().skip(1) {
            assert_eq!(plain(a), plain(b), "{name}, branch {i}");
        }
        // calls have the lengths that follow from their returns
        let calls = found[..same].iter().zip(&want).filter(|(a, _)| matches!(a.kind, 3 | 5));
        let right = calls.clone().filter(|(a, b)| a.len == b.len).count();
        assert!(right > 10 && right + 4 >= calls.clone().count(), "{name}: {right} of {}", calls.count());
        goes_through(&place, &format!("{name}.rbt1"));
    }
}

#[test]
fn texts_of_other_tools_are_detected_and_go_through() {
    let place = Place::new();
    for (i, (format, text)) in TEXTS.iter().enumerate() {
        let name = format!("t{i}");
        std::fs::write(place.path().join(&name), text).unwrap();
        let told = place.good(&format!("import {name} -o {name}.ret"));
        assert!(told.contains(format.name()), "{told}");
        place.good(&format!("encode {name}.ret --set m4 -o x.gtr"));
        let told = place.good(&format!("replay x.gtr --elf {name}.ret --check {name}.ret --summary"));
        assert!(told.contains("equal to"), "{told}");
        let elf = place.session(&format!("import {name} --elf p.elf -o y.ret"));
        assert!(elf.contains("which is read without its program") && elf.ends_with("exit code 2\n"), "{elf}");
    }
}

#[test]
fn records_of_dynamorio_are_the_run_of_its_text() {
    let place = Place::new();
    let folder = place.path().join("drmemtrace.a.7.8.dir/trace");
    std::fs::create_dir_all(&folder).unwrap();
    let text = TEXTS.iter().find(|(format, _)| *format == Format::Memtrace).unwrap().1;
    std::fs::write(place.path().join("a.txt"), text).unwrap();
    std::fs::write(folder.join("drmemtrace.a.7.1.trace"), foreign::drmemtrace(7)).unwrap();
    place.good("import a.txt -o text.rbt1");
    place.good("import drmemtrace.a.7.8.dir/trace/drmemtrace.a.7.1.trace -o one.rbt1");
    let text = records(&place.path().join("text.rbt1"));
    assert_eq!(records(&place.path().join("one.rbt1")), text);
    // with a second thread, a folder is needed
    std::fs::write(folder.join("drmemtrace.a.8.1.trace"), foreign::drmemtrace(8)).unwrap();
    std::fs::write(folder.join("cpu_schedule.bin.zip"), "not read").unwrap();
    for input in ["drmemtrace.a.7.8.dir", "drmemtrace.a.7.8.dir/trace"] {
        place.good(&format!("import {input} -o two.rbt1"));
        // the last records of all threads are at the end
        let two = records(&place.path().join("two.rbt1"));
        assert_eq!(two.len(), 2 * text.len());
        assert_eq!(two[..text.len() - 2], text[..text.len() - 2]);
        assert_eq!(two[text.len() - 2..][..text.len() - 2], text[..text.len() - 2]);
    }
    goes_through(&place, "two.rbt1");
    for thread in 9..16 {
        std::fs::write(folder.join(format!("drmemtrace.a.{thread}.1.trace")), foreign::drmemtrace(thread)).unwrap();
    }
    let session = place.session("import drmemtrace.a.7.8.dir -o x.ret");
    assert!(session.contains("drmemtrace.a.7.8.dir: has 9 threads; expected at most 8"), "{session}");
    let session = place.session("import . -o x.ret");
    assert!(
        session.contains("has no trace of DynamoRIO; expected files such as") && session.ends_with("exit code 2\n")
    );
}

#[test]
fn one_sweep_of_several_formats_has_a_figure_of_all() {
    let place = Place::new();
    let text = |wanted| TEXTS.iter().find(|(format, _)| *format == wanted).unwrap().1;
    let log = qemu(&steps("builtin:irq", 2000));
    let traces: [(&str, &[u8]); 4] = [
        ("perf", text(Format::Perf).as_bytes()),
        ("bt9", text(Format::Bt9).as_bytes()),
        ("dynamorio", &foreign::drmemtrace(7)),
        ("qemu", log.as_bytes()),
    ];
    for (name, bytes) in traces {
        std::fs::write(place.path().join(name), bytes).unwrap();
        let elf = if name == "qemu" { " --elf builtin:irq" } else { "" };
        place.good(&format!("import {name}{elf} -o {name}.ret"));
    }
    let names = traces.map(|(name, _)| format!("{name}.ret"));
    place.good(&format!("sweep --trace {} --encoding tr_e,nx_b,sc-lsp --set small,m4 -o s", names.join(",")));
    let csv = std::fs::read_to_string(place.path().join("s/results.csv")).unwrap();
    for name in &names {
        // two sets of tr_e, nx_b, a stream cache
        let rows = csv.lines().filter(|row| row.starts_with(name) && row.contains(",equal,"));
        assert_eq!(rows.count(), 4, "{csv}");
    }
    place.good("report sweep s -o s.html --figures f");
    let page = std::fs::read_to_string(place.path().join("s.html")).unwrap();
    assert!(names.iter().all(|name| page.contains(name)));
    let svg = std::fs::read_to_string(place.path().join("f/bpi.svg")).unwrap();
    assert!(["tr_e", "nx_b", "sc-lsp"].iter().all(|scheme| svg.contains(scheme)), "{svg}");
}

#[test]
fn qemu_itself_logs_the_run() {
    let Ok(o) = Command::new("qemu-system-riscv32").arg("--version").output() else {
        eprintln!("qemu_itself_logs_the_run: skipped, qemu-system-riscv32 is not installed; tools/setup installs it");
        return;
    };
    assert!(o.status.success());
    let place = Place::new();
    std::fs::write(place.path().join("lz.elf"), programs::find("lz").unwrap().elf).unwrap();
    let run = |elf: &str, more: &[&str]| {
        let mut command = Command::new("qemu-system-riscv32");
        command.args("-M virt -bios none -nographic -no-reboot -d exec,nochain,int -D qemu.log".split(' '));
        let o = command.args(["-kernel", elf]).args(more).current_dir(place.path()).output().unwrap();
        assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    };
    for more in [&[][..], &["-singlestep"]] {
        run("p.elf", more);
        place.good("import qemu.log --elf p.elf -o x.rbt1");
        let (found, want) = (records(&place.path().join("x.rbt1")), exported(&place, "p.elf", 1_000_000));
        // QEMU may go on in the loop at the end until it ends
        let same = found.len().min(want.len()) - 1;
        assert_eq!(found[..same], want[..same]);
        assert!(found.len() + 1 >= want.len(), "{} and {}", found.len(), want.len());
    }
    // including the calls and exceptions at its start: replay walks the program and finds each record in its place
    run("lz.elf", &[]);
    let text = place.good("import qemu.log --elf lz.elf -o lz.ret");
    assert!(text.contains("QEMU log (-d exec) qemu.log, threads 0"), "{text}");
    place.good("encode lz.ret --elf lz.elf -o lz.gtr");
    let told = place.good("replay lz.gtr --elf lz.elf --check lz.ret --summary");
    assert!(told.contains("equal to"), "{told}");
}

#[test]
fn compressed_traces_are_detected_and_read() {
    let place = Place::new();
    let trace = sbbt(&steps("builtin:lz", 5000));
    let packed: [(&str, Vec<u8>); 4] = [
        ("gz", {
            let mut w = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            w.write_all(&trace).unwrap();
            w.finish().unwrap()
        }),
        ("xz", {
            let mut w = liblzma::write::XzEncoder::new(Vec::new(), 1);
            w.write_all(&trace).unwrap();
            w.finish().unwrap()
        }),
        ("zst", zstd::encode_all(&trace[..], 1).unwrap()),
        ("bz2", {
            let mut w = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            w.write_all(&trace).unwrap();
            w.finish().unwrap()
        }),
    ];
    std::fs::write(place.path().join("t"), &trace).unwrap();
    place.good("import t -o plain.rbt1");
    let want = std::fs::read(place.path().join("plain.rbt1")).unwrap();
    for (name, bytes) in packed {
        std::fs::write(place.path().join("t"), &bytes).unwrap();
        place.good("import t -o x.rbt1");
        assert_eq!(std::fs::read(place.path().join("x.rbt1")).unwrap(), want, "{name}");
        std::fs::write(place.path().join("t"), &bytes[..bytes.len() * 2 / 3]).unwrap();
        let text = place.session("import t -o y.rbt1");
        assert!(text.contains("goshawk: t: ") && text.ends_with("exit code 2\n"), "{name}: {text}");
        assert!(!place.path().join("y.rbt1").exists(), "{name}");
    }
}

#[test]
fn cut_and_wrong_traces_are_refused_with_their_place() {
    let place = Place::new();
    let steps = steps("builtin:lz", 300);
    let file = |name: &str, bytes: &[u8]| std::fs::write(place.path().join(name), bytes).unwrap();
    let (log, champ, sb) = (qemu(&steps), champsim(&steps), sbbt(&steps));
    file("cut.log", &log.as_bytes()[..log.len() - 9]);
    file("hole.log", log.replacen("ff000a01] f\n", "ff000a01] f\nTrace 0: 0 [0/80000010/0/1] f\n", 3).as_bytes());
    file("notint.log", qemu(&foreign::steps("builtin:irq", 30_000)).replace("riscv_cpu_do", "x").as_bytes());
    file("cut.champsim", &champ[..64 * 7 + 9]);
    file("no.champsim", &sb);
    file("cut.sbbt", &sb[..24 + 16 * 5 + 3]);
    file("short.sbbt", &sb[..24 + 16 * 5]);
    file("new.sbbt", &[b"SBBT\n\x02\0\0", &sb[8..]].concat());
    file("bits.sbbt", &[&sb[..24], &[0xff; 16], &sb[40..]].concat());
    file("lz4", &[4, 0x22, 0x4d, 0x18, 0]);
    file("empty", b"");
    let mut text = String::new();
    for words in [
        "import cut.log --elf builtin:lz -o x.ret",
        "import cut.log -o x.ret",
        "import hole.log --elf builtin:lz -o x.ret",
        "import notint.log --elf builtin:irq -o x.ret",
        "import cut.champsim -o x.ret",
        "import no.champsim --format champsim -o x.ret",
        "import cut.sbbt -o x.ret",
        "import short.sbbt -o x.rbt1",
        "import new.sbbt -o x.ret",
        "import bits.sbbt -o x.ret",
        "import bits.sbbt --elf p.elf -o x.ret",
        "import cut.champsim --format sbbt -o x.ret",
        "import cut.champsim --format spike -o x.ret",
        "import lz4 -o x.ret",
        "import empty -o x.ret",
        "import p.elf -o x.ret",
        "import absent -o x.ret",
    ] {
        text.push_str(&place.session(words));
        text.push('\n');
    }
    insta::assert_snapshot!(text);
    assert!(!place.path().join("x.ret").exists() && !place.path().join("x.rbt1").exists());
}

#[test]
fn no_damage_makes_an_importer_panic_or_run_on() {
    let place = Place::new();
    let steps = steps("builtin:irq", 2000);
    let elf = Named::open("builtin:irq").unwrap();
    let traces = [
        (Format::Qemu, qemu(&steps).into_bytes()),
        (Format::Spike, spike(&steps).into_bytes()),
        (Format::ChampSim, champsim(&steps)),
        (Format::Sbbt, sbbt(&steps)),
        (Format::Drmemtrace, foreign::drmemtrace(7)),
    ];
    let texts = TEXTS.iter().map(|(format, text)| (*format, text.repeat(40).into_bytes()));
    let traces: Vec<_> = traces.into_iter().chain(texts).collect();
    let path = place.path().join("t");
    // an independent generator: the same damage each time
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let (mut refused, mut taken) = (0, 0);
    for (format, whole) in &traces {
        for i in 0..60 {
            // bits are flipped in the complete file, which may be harmless
            let part = if i % 3 == 1 { whole.len() } else { whole.len().min(4000 + random(4000)) };
            let mut bytes = whole[..part].to_vec();
            match i % 3 {
                0 => bytes.truncate(random(bytes.len())),
                1 => (0..3).for_each(|_| {
                    let at = random(bytes.len());
                    bytes[at] ^= 1 << random(8);
                }),
                _ => bytes.iter_mut().for_each(|b| *b = random(256) as u8),
            }
            std::fs::write(&path, &bytes).unwrap();
            let elf = matches!(format, Format::Qemu | Format::Spike).then_some(&elf);
            let mut records = 0;
            let told = open(&path, Some(*format)).and_then(|o| o.convert(elf, &Quiet, &mut |_| records += 1));
            match told {
                Err(e) => {
                    assert!(e.to_string().starts_with(&path.display().to_string()), "{e}");
                    refused += 1;
                }
                Ok(_) => taken += 1,
            }
            assert!(records <= bytes.len(), "{records}");
        }
    }
    assert!(refused > 100 && taken > 5, "{refused} refused, {taken} taken");
}
