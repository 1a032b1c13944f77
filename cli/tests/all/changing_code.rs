//! Code that is not in the ELF, or changes: captured, encoded and replayed to what ran, and shown as it was at each moment

use crate::common::Place;
use retire::code::CodeBlock;
use retire::file::retire::{RetireInfo, RetireReader, RetireWriter};
use retire::{FlowEvent, FlowKind, RetireSink};
use std::path::Path;
use std::process::Command;

/// Compiles a program of `programs/changing` in the folder of `place`.
fn compiled(place: &Place, compiler: &str, arguments: &str) {
    let sources = format!("{}/../programs/changing/", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(compiler);
    for word in arguments.split(' ') {
        match word.contains('.') && Path::new(&format!("{sources}{word}")).exists() {
            true => command.arg(format!("{sources}{word}")),
            false => command.arg(word),
        };
    }
    assert!(command.current_dir(place.path()).status().expect("tools/setup installs the compiler").success());
}

/// A bare program of RV64, captured on QEMU's `virt` as `a.ret`; `p.elf` is the program.
fn bare(source: &str, options: &str) -> Place {
    let place = Place::new();
    let compiler = "riscv64-unknown-elf-gcc";
    let machine = "-march=rv64ima_zicsr_zifencei -mabi=lp64 -nostdlib -g -Wl,--no-relax";
    compiled(&place, compiler, &format!("{machine} {options} {source} -o p.elf"));
    place.good("capture run --system -o a.ret -- ./p.elf");
    place
}

const AT: &str = "-Wl,-Ttext=0x80000000";

/// Replays the trace of `a.ret` in all schemes, with the recording or `program` in `--elf`.
fn comes_back(place: &Place, program: Option<&str>) {
    for scheme in ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4", "tr_e:m4+shared", "taken"] {
        place.good(&format!("encode a.ret --scheme {scheme} -o a.gtr"));
        for elf in ["a.ret"].into_iter().chain(program) {
            let found = place.good(&format!("replay a.gtr --elf {elf} --check a.ret"));
            assert!(found.contains("equal to a.ret"), "{scheme} {elf}: {found}");
        }
    }
}

/// The message with which the command refuses.
fn refused(place: &Place, words: &str) -> String {
    let o = place.output(words);
    assert_eq!((o.status.code(), o.stdout.len()), (Some(2), 0), "{words}");
    String::from_utf8(o.stderr).unwrap()
}

#[test]
fn a_patched_instruction_is_the_one_of_the_moment() {
    let place = bare("key.S", AT);
    comes_back(&place, Some("p.elf"));
    let why = refused(&place, "encode a.ret --elf p.elf -o b.gtr");
    assert!(why.contains("a.ret: 0x00c0006f ran at 0x80000"), "{why}");
    assert!(why.contains("but p.elf has 0x00000013 there; the code there changed during the run"), "{why}");
    assert!(!place.path().join("b.gtr").exists());
    // six calls as assembled, three through the jump
    let profile = place.good("profile a.gtr --elf p.elf");
    let line = |name: &str| {
        profile
            .lines()
            .find(|l| l.split_whitespace().next() == Some(name))
            .unwrap_or_else(|| panic!("{name}: {profile}"))
    };
    let own = |name: &str| line(name).split_whitespace().find_map(|w| w.parse::<u64>().ok()).unwrap();
    assert_eq!((own("work"), own("cold")), (6 * 3 + 3, 3 * 2), "{profile}");
    let shown = place.good("show a.gtr --elf p.elf --function work");
    let words = shown.lines().map(|l| l.split_whitespace().collect::<Vec<_>>()).filter(|w| w.first() == Some(&"0"));
    let lines: Vec<(&str, &str)> = words.filter_map(|w| Some((*w.get(1)?, *w.get(2)?))).collect();
    let work = lines.iter().map(|l| l.0).min().unwrap();
    let bits: Vec<&str> = lines.iter().filter(|l| l.0 == work).map(|l| l.1).collect();
    assert_eq!(bits, [["00000013"; 3], ["00c0006f"; 3], ["00000013"; 3]].concat(), "{shown}");
    let listed = place.good("replay a.gtr --elf p.elf --function work");
    assert_eq!(listed.lines().filter(|l| l.ends_with("00c0006f")).count(), 3, "{listed}");
}

#[test]
fn a_section_has_the_code_of_its_moments() {
    let place = bare("key.S", AT);
    let nm = Command::new("riscv64-unknown-elf-nm").arg("p.elf").current_dir(place.path()).output().unwrap();
    let symbols = String::from_utf8(nm.stdout).unwrap();
    let cold = symbols.lines().find(|l| l.ends_with(" cold")).and_then(|l| l.split(' ').next()).unwrap();
    let from = format!("--from 0x{cold}");
    // begins when the jump was written already, and the nop comes back in it
    let said = place.good(&format!("export a.ret {from} -o part.ret"));
    assert!(said.contains("instructions of the run"), "{said}");
    place.good("encode part.ret -o part.gtr");
    place.good(&format!("encode a.ret {from} -o a.gtr"));
    for trace in ["part.gtr", "a.gtr"] {
        let found = place.good(&format!("replay {trace} --check part.ret"));
        assert!(found.contains("equal to part.ret"), "{found}");
        let listed = place.good(&format!("replay {trace} --elf p.elf --function work"));
        let jumps = listed.lines().filter(|l| l.ends_with("00c0006f")).count();
        assert_eq!((jumps, listed.lines().filter(|l| l.ends_with("00000013")).count()), (2, 3), "{listed}");
    }
}

#[test]
fn gdb_reads_the_instructions_of_the_moment() {
    let place = bare("key.S", AT);
    place.good("encode a.ret -o a.gtr");
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    let target = format!("target remote | {} gdb a.gtr --elf p.elf --stdio", goshawk.display());
    let continues = |n: usize| ["continue"].repeat(n);
    let script: Vec<&str> = [target.as_str(), "break *work", "continue", "x/i $pc"]
        .into_iter()
        .chain(continues(3))
        .chain(["x/i $pc", "stepi", "x/i $pc"])
        .chain(continues(3))
        .chain(["x/i $pc"])
        .collect();
    let mut gdb = Command::new("gdb-multiarch");
    gdb.args(["-nx", "-batch"]).args(script.iter().flat_map(|line| ["-ex", line])).arg("p.elf");
    let said = gdb.current_dir(place.path()).output().expect("gdb-multiarch (tools/setup installs it)");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let shown: Vec<&str> = said.lines().filter(|l| l.starts_with("=> ")).collect();
    let right = ["<work>:\tnop", "<work>:\tj\t", "<cold>:\t", "<work>:\tnop"];
    assert_eq!(shown.len(), right.len(), "{said}");
    for (shown, right) in shown.iter().zip(right) {
        assert!(shown.contains(right), "{right}: {said}");
    }
}

#[test]
fn a_function_in_ram_runs_from_its_elf_too() {
    let place = bare("ramfunc.S", "-T ramfunc.ld");
    comes_back(&place, Some("p.elf"));
    place.good("capture run --system --skip 6 -o a.ret -- ./p.elf");
    // the ELF has all code, so that the trace does not carry it
    place.good("encode a.ret --elf p.elf -o e.gtr");
    place.good("encode a.ret -o a.gtr");
    let size = |name: &str| std::fs::metadata(place.path().join(name)).unwrap().len();
    assert!(size("e.gtr") < size("a.gtr"));
    let found = place.good("replay e.gtr --elf p.elf --check a.ret");
    assert!(found.contains("equal to a.ret"), "{found}");
}

#[test]
fn a_bootloader_that_is_overwritten_comes_back() {
    let place = bare("bootloader.S", AT);
    comes_back(&place, Some("p.elf"));
    assert!(refused(&place, "encode a.ret --elf p.elf -o b.gtr").contains("but p.elf has "));
}

#[test]
fn overlays_at_one_address_come_back() {
    comes_back(&bare("overlay.S", AT), Some("p.elf"));
}

/// An instruction that ran: address and code.
type Ran = (u64, u32);

/// All instructions of the trace, in order.
fn listed(place: &Place) -> Vec<Ran> {
    let hex = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, pc, bits] = words[..] else { return None };
        Some((hex(pc)?, hex(bits)? as u32))
    };
    place.good("replay a.gtr").lines().filter_map(line).collect()
}

/// The word that GDB reads at the instruction with this number.
fn word_in_gdb(place: &Place, at: usize) -> Option<u32> {
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    let target = format!("target remote | {} gdb a.gtr --elf p.elf --stdio", goshawk.display());
    let script = [&target, &format!("monitor goto {at}"), "maintenance flush register-cache", "x/wx $pc"];
    let mut gdb = Command::new("gdb-multiarch");
    gdb.args(["-nx", "-batch"]).args(script.iter().flat_map(|line| ["-ex", line])).arg("p.elf");
    let said = gdb.current_dir(place.path()).output().expect("gdb-multiarch (tools/setup installs it)");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    u32::from_str_radix(said.lines().find_map(|line| line.split_once(":\t0x"))?.1, 16).ok()
}

/// The table of the page is what these programs do.
#[test]
fn the_table_of_kinds_is_what_happens() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/how-to/changing-code.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (source, options) in
        [("ramfunc.S", "-T ramfunc.ld"), ("bootloader.S", AT), ("overlay.S", AT), ("key.S", AT), ("init.S", AT)]
    {
        let place = bare(source, options);
        let encode = match place.output("encode a.ret --elf p.elf -o e.gtr").status.code() {
            Some(0) => "with or without `--elf`",
            Some(2) => "without `--elf`; with it refused",
            other => panic!("{source}: {other:?}"),
        };
        place.good("encode a.ret -o a.gtr");
        let yes = |right: bool| if right { "yes" } else { "no" };
        let replay = yes(place.good("replay a.gtr --check a.ret").contains("equal to a.ret"));
        let all = listed(&place);
        let counted = place.good("profile a.gtr --elf p.elf --json");
        let counted: serde_json::Value = serde_json::from_str(&counted).unwrap();
        let profile = yes(counted["instructions"] == all.len() && all.len() > 30);
        // the last instruction where other code ran before, or one in the middle
        let other = |(pc, bits): &Ran| all.iter().any(|(at, before)| at == pc && before != bits);
        let at = all.iter().rposition(other).unwrap_or(all.len() / 2);
        let gdb = yes(word_in_gdb(&place, at) == Some(all[at].1));
        let cells = ["yes", encode, replay, profile, gdb, &format!("`{source}`")].join(" | ");
        assert!(page.lines().any(|line| line.ends_with(&format!("| {cells} |"))), "{source}: {cells}");
    }
}

/// A recording without code, as of hardware, and a program that does not have what ran.
#[test]
fn a_program_that_contradicts_a_recording_is_refused() {
    let place = bare("key.S", AT);
    place.good("run p.elf -o s.ret");
    let why = refused(&place, "encode s.ret --elf p.elf -o s.gtr");
    assert!(
        why.contains("s.ret: core 0, after ") && why.contains("p.elf is another program, or its code changed"),
        "{why}"
    );
    assert!(!place.path().join("s.gtr").exists());
    place.good("encode s.ret -o s.gtr");
    // the same program at another address
    let place = bare("overlay.S", AT);
    place.good("run builtin:bank --max-instructions 3000 -o b.ret");
    place.good("encode b.ret --elf builtin:bank -o b.gtr");
    let why = refused(&place, "encode b.ret --elf p.elf --any-build -o c.gtr");
    assert!(why.contains("b.ret: core 0, after "), "{why}");
}

#[test]
fn code_that_a_program_compiles_comes_back() {
    let mut compilers = vec!["riscv64-linux-gnu-gcc"];
    if std::env::consts::ARCH == "x86_64" {
        compilers.push("gcc");
    }
    for compiler in compilers {
        let place = Place::new();
        compiled(&place, compiler, "-O1 -static jit.c -o jit");
        place.output("capture run -o a.ret -- ./jit");
        comes_back(&place, (compiler != "gcc").then_some("jit"));
    }
}

#[test]
fn libraries_at_one_address_come_back() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    compiled(&place, "gcc", "-O1 reload.c -o reload -ldl");
    compiled(&place, "gcc", "-O1 -shared -fPIC -Wl,-Ttext-segment=0x10000000 -DSQUARE library.c -o one.so");
    compiled(&place, "gcc", "-O1 -shared -fPIC -Wl,-Ttext-segment=0x10000000 -DLOOP library.c -o two.so");
    let o = place.output("capture run -o a.ret -- ./reload ./one.so ./two.so");
    let said = String::from_utf8_lossy(&o.stdout).into_owned();
    assert!(said.contains("at one address"), "{said}{}", String::from_utf8_lossy(&o.stderr));
    comes_back(&place, None);
}

/// Reads the events of a recording.
fn events(place: &Place, name: &str) -> Vec<FlowEvent> {
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&place.path().join(name)).unwrap().read_rest(&mut events).unwrap();
    events
}

/// As on hardware: the trace carries no code, and memory was read at two moments.
#[test]
fn memory_of_several_moments_takes_the_place_of_the_program() {
    let place = bare("key.S", AT);
    place.good("run p.elf -o s.ret");
    place.good("encode p.elf -o s.gtr");
    let run = events(&place, "s.ret");
    let retired = |n: usize| run[..n].iter().map(|e| u64::from(e.count)).sum::<u64>();
    let patched = |e: &FlowEvent| e.kind == FlowKind::Jump && e.target == e.pc + 12 && e.count == 1;
    let (first, last) = (run.iter().position(patched).unwrap(), run.iter().rposition(patched).unwrap());
    let work = run[first].pc;
    std::fs::write(place.path().join("jump@.bin"), 0x00c0_006fu32.to_le_bytes()).unwrap();
    std::fs::write(place.path().join("nop.bin"), 0x13u32.to_le_bytes()).unwrap();
    let (from, to) = (retired(first), retired(last + 1));
    let memory = format!("--memory jump@.bin@0x{work:x},from={from} --memory nop.bin@0x{work:x},from={to}");
    let found = place.good(&format!("replay s.gtr --elf p.elf {memory} --check s.ret"));
    assert!(found.contains("equal to s.ret"), "{found}");
    let wrong = place.output("replay s.gtr --elf p.elf --check s.ret");
    assert_ne!(wrong.status.code(), Some(0), "without the memory the path is another one");
    let profile = place.good(&format!("profile s.gtr --elf p.elf {memory}"));
    assert!(profile.contains("cold"), "{profile}");
    for (words, why) in [
        ("--memory nop.bin", "no `@` after the name of the file; expected FILE@ADDR"),
        ("--memory nop.bin@x", "`x` is not an address"),
        ("--memory nop.bin@0,space=1", "s.gtr: reports no contexts"),
        ("--memory none.bin@0", "none.bin: No such file"),
    ] {
        let found = refused(&place, &format!("replay s.gtr --elf p.elf {words}"));
        assert!(found.contains(why), "{found}");
    }
    place.good("encode a.ret -o a.gtr");
    let found = refused(&place, "replay a.gtr --elf p.elf --memory nop.bin@0");
    assert!(found.contains("a.gtr is replayed with the code that was recorded"), "{found}");
}

/// A jitdump of these functions: time in nanoseconds, address, code and name.
fn jitdump(functions: &[(u64, u64, u32, &str)]) -> Vec<u8> {
    let words = |all: &[u32]| all.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let longs = |all: &[u64]| all.iter().flat_map(|long| long.to_le_bytes()).collect::<Vec<_>>();
    let mut file = words(&[0x4a69_5444, 1, 40, 243, 0, 7, 0, 0, 0, 0]);
    for (time, addr, code, name) in functions {
        let body = [longs(&[7, 0, *addr, 4, 1]), name.as_bytes().to_vec(), vec![0], words(&[*code])].concat();
        file.extend([words(&[0, 16 + body.len() as u32]), longs(&[*time]), body].concat());
    }
    file
}

/// As on hardware: the trace carries no code, and side files say what was written when.
#[test]
fn side_files_say_what_was_written_when() {
    let place = bare("key.S", AT);
    place.good("run p.elf -o s.ret");
    let run = events(&place, "s.ret");
    let patched = |e: &FlowEvent| e.kind == FlowKind::Jump && e.target == e.pc + 12 && e.count == 1;
    let (first, last) = (run.iter().position(patched).unwrap(), run.iter().rposition(patched).unwrap());
    let work = run[first].pc;
    // the branches before the stores, which nothing predicts
    let not_taken = |e: &&FlowEvent| e.kind == FlowKind::Conditional { taken: false };
    let from = run[..first].iter().rev().find(not_taken).unwrap().cycle;
    let to = run[last..].iter().find(not_taken).unwrap().cycle;
    let poke = |cycle: u64, old: &str, new: &str| {
        let at = format!("perf 7 [000] 4.{cycle:09}: PERF_RECORD_TEXT_POKE {work:x} work+0x0 old len 4 new len 4");
        format!("{at}\n  Old bytes: {old}\n  New bytes: {new}\n")
    };
    let (nop, jump) = ("13 00 00 00", "6f 00 c0 00");
    let write = |name: &str, bytes: &[u8]| std::fs::write(place.path().join(name), bytes).unwrap();
    write("pokes,.txt", (poke(from, nop, jump) + &poke(to, jump, nop)).as_bytes());
    let (jumps, nops) = (0x00c0_006f, 0x13);
    write("jit.dump", &jitdump(&[(from + 5, work, jumps, "f"), (to + 5, work, nops, "f")]));
    let pokes = "--patches pokes,.txt,start=4,clock=1000000000";
    let compiled = "--patches jit.dump,start=0.000000005,clock=1000000000";
    for scheme in ["tr_e:small", "nx_b", "sc-lsp:rbase-32x4", "taken"] {
        place.good(&format!("encode p.elf --scheme {scheme} --timestamps -o s.gtr"));
        for patches in [pokes, compiled] {
            let found = place.output(&format!("replay s.gtr --elf p.elf {patches} --check s.ret"));
            let (right, why) = [found.stdout, found.stderr].map(|text| String::from_utf8(text).unwrap()).into();
            let right = right.lines().any(|l| l.ends_with("equal to s.ret, event by event"));
            // a branch that is predicted has no time of its own: the change can be before the call or after it
            let unknown = why.contains("the time of a change is not known");
            assert!(right != unknown && (right || scheme != "taken"), "{scheme} {patches}: {why}");
        }
    }
    place.good("encode p.elf --scheme taken --timestamps -o s.gtr");
    let shown = place.good(&format!("profile s.gtr --elf p.elf {pokes}"));
    assert_eq!(shown, place.good(&format!("profile s.gtr --elf p.elf {compiled}")));
    assert!(shown.lines().any(|l| l.split_whitespace().next() == Some("cold")), "{shown}");
    // without times, only code whose versions run alike is replayed
    let why = place.output("replay s.gtr --elf p.elf --patches pokes,.txt --summary");
    let why = (why.status.code(), String::from_utf8(why.stderr).unwrap());
    assert_eq!(why.0, Some(2), "{why:?}");
    assert!(why.1.contains("the time of a change is not known"), "{why:?}");
    // a recording that the program alone contradicts
    assert!(refused(&place, "encode a.ret --elf p.elf -o b.gtr").contains("changed during the run"));
    place.good("encode a.ret --elf p.elf --patches pokes,.txt -o b.gtr");
    assert!(place.good("replay b.gtr --check a.ret").contains("equal to a.ret"));
    place.good("encode p.elf -o t.gtr");
    for (words, why) in [
        ("replay s.gtr --elf p.elf --patches none.txt", "none.txt: No such file"),
        ("replay s.gtr --elf p.elf --patches p.elf", "p.elf: expected perf.data, a jitdump"),
        ("replay s.gtr --elf p.elf --patches pokes,.txt,start=4", "`start` needs `clock`"),
        ("replay s.gtr --elf p.elf --patches pokes,.txt,space=1", "s.gtr: reports no contexts"),
        (&format!("replay t.gtr --elf p.elf {pokes}"), "are for traces with times"),
        ("encode p.elf --patches jit.dump -o c.gtr", "p.elf: is a program; `--patches` is for recordings"),
        ("encode a.ret --patches jit.dump -o c.gtr", "a.ret: is a recording; `--patches` needs its program in `--elf`"),
    ] {
        let found = refused(&place, words);
        assert!(found.contains(why), "{words}: {found}");
    }
}

#[test]
fn a_perf_map_names_functions_that_the_program_does_not() {
    let place = bare("ramfunc.S", "-T ramfunc.ld");
    place.good("encode p.elf -o a.gtr");
    let mut strip = Command::new("riscv64-unknown-elf-objcopy");
    assert!(strip.args(["--strip-all", "p.elf", "s.elf"]).current_dir(place.path()).status().unwrap().success());
    // in RAM, as of a JIT compiler
    let calls = events(&place, "a.ret");
    let fast = calls.iter().map(|e| e.target).find(|target| *target >= 0x8010_0000).unwrap();
    std::fs::write(place.path().join("perf-7.map"), format!("{fast:x} 10 compiled add\n")).unwrap();
    // without symbols it is another build
    let trace = place.good("profile a.gtr --elf s.elf --any-build --patches perf-7.map");
    assert!(trace.contains("compiled add"), "{trace}");
    assert!(!place.good("profile a.gtr --elf s.elf --any-build").contains("compiled add"));
}

#[test]
fn a_position_independent_program_is_moved_to_its_address() {
    let place = Place::new();
    // the built-in program as if it were linked at 0 and loaded at 0x80000000
    let mut elf = programs::find("bank").unwrap().elf.to_vec();
    let dynamic = 3;
    elf[16] = dynamic;
    retire::rebase::rebase(&mut elf, 0u64.wrapping_sub(0x8000_0000)).unwrap();
    elf[16] = dynamic;
    std::fs::write(place.path().join("bank.so"), elf).unwrap();
    place.good("run builtin:bank --max-instructions 20000 -o b.ret");
    place.good("encode b.ret -o b.gtr");
    let why = refused(&place, "replay b.gtr --elf bank.so");
    assert!(why.contains("with the address at which it was loaded, FILE@0xADDR"), "{why}");
    let told = place.good("replay b.gtr --elf bank.so@0x80000000 --check b.ret --summary");
    assert!(told.contains("equal to b.ret"), "{told}");
    // functions are those of the program
    let of =
        |elf: &str| place.good(&format!("profile b.gtr --elf {elf}")).replace("bank.so@0x80000000", "builtin:bank");
    assert_eq!(of("bank.so@0x80000000"), of("builtin:bank"));
    std::fs::write(place.path().join("bank.elf"), programs::find("bank").unwrap().elf).unwrap();
    let why = refused(&place, "replay b.gtr --elf bank.elf@0x80000000");
    assert!(why.contains("bank.elf: is linked to fixed addresses"), "{why}");
}

/// `lui a5, 2` and `jr a5` at 0x1000, of which the recording has the code, go to 0x3000.
#[test]
fn inferable_jumps_that_contradict_the_code_of_a_recording_are_refused() {
    let place = Place::new();
    let info = RetireInfo { harts: 1, xlen: 32, tool: "test".into(), program: "jump".into(), ..RetireInfo::default() };
    let mut out = RetireWriter::create_with_code(&place.path().join("j.ret"), &info).unwrap();
    let jump = [0x0000_27b7_u32, 0x0007_8067];
    for (start, words, flow) in [(0x1000, &jump[..], Some((FlowKind::IndirectJump, 0))), (0x3000, &[0x13], None)] {
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        out.code_block(&CodeBlock { start, sizes: vec![4; words.len()], bytes, flow });
    }
    for (cycle, kind, count, pc, target) in [
        (0, FlowKind::Start, 0, 0x1000, 0x1000),
        (2, FlowKind::IndirectJump, 2, 0x1004, 0x3000),
        (3, FlowKind::Stop, 1, 0x3004, 0x3004),
    ] {
        out.event(&FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle });
    }
    out.finish().unwrap();
    place.good("encode j.ret --scheme tr_e:m4 -o plain.gtr");
    for words in [
        "encode j.ret --scheme tr_e:m4+inferable -o j.gtr",
        "stats j.ret --scheme tr_e:m4+inferable",
        "stats j.ret --scheme follow:m+inferable",
    ] {
        let text = place.session(words);
        assert!(text.contains("the jump at 0x1004 went elsewhere than its code says"), "{words}: {text}");
        assert!(text.ends_with("exit code 2\n"), "{words}: {text}");
    }
    assert!(!place.path().join("j.gtr").exists());
}
