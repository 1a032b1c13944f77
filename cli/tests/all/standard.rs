//! Imported traces of the standard protocols: the run that they were made from, in every command that takes a recording

use crate::common::{elf_of_segments, Place};
use host::input::Named;
use retire::file::retire::RetireReader;
use retire::image::Image;
use retire::FlowEvent;
use sim::baseline::etrace;
use sim::standard::ntrace;

const PROGRAM: &str = "builtin:irq";

/// A run, its N-Trace and its E-Trace; the rest of the folder is for the command.
fn place() -> Place {
    let place = Place::new();
    place.good(&format!("run {PROGRAM} --max-instructions 200000 -o run.ret"));
    place.good("export run.ret -o run.rbt1");
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&place.path().join("run.ret")).unwrap().read_rest(&mut events).unwrap();
    let named = Named::open(PROGRAM).unwrap();
    let image = Image::new(&named.program);
    let options =
        ntrace::Options { history: true, returns: 8, trap_types: true, sync: Some(5000), ..Default::default() };
    let mut encoder = ntrace::Encoder::new(options, 32, &image);
    events.iter().for_each(|e| encoder.push(e));
    std::fs::write(place.path().join("run.nex"), encoder.bytes()).unwrap();
    let encoded = etrace::encode(&events, 1, etrace::Options::ALL_MODES, 32, &image).unwrap();
    std::fs::write(place.path().join("run.te"), &encoded[0].bytes).unwrap();
    let parameters = "return_stack_size_p = 3\nbpred_size_p = 9\ncache_size_p = 6\nf0s_width_p = 1\n";
    std::fs::write(place.path().join("te.toml"), parameters).unwrap();
    place
}

/// Standard error of a command that fails, or does only a part.
fn bad(place: &Place, words: &str) -> String {
    let out = place.output(words);
    assert_eq!(out.status.code(), Some(2), "{words}");
    String::from_utf8(out.stderr).unwrap()
}

const IMPORTS: [(&str, &str); 2] =
    [("n-trace run.nex", "--format n-trace"), ("e-trace run.te", "--format e-trace --parameters te.toml")];

#[test]
fn imported_traces_are_the_run_in_every_command() {
    let place = place();
    for (input, options) in IMPORTS {
        let file = input.split_once(' ').unwrap().1;
        place.good(&format!("import {file} {options} --elf {PROGRAM} -o x.ret"));
        place.good(&format!("import {file} {options} --elf {PROGRAM} -o x.rbt1"));
        let bytes = |f: &str| std::fs::read(place.path().join(f)).unwrap();
        assert!(bytes("x.rbt1") == bytes("run.rbt1"), "{file}");
        place.good("encode x.ret --set m4 -o x.gtr");
        let told = place.good(&format!("replay x.gtr --elf {PROGRAM} --check run.ret --summary"));
        assert!(told.contains("equal to"), "{told}");
        place.good(&format!("stats x.ret --elf {PROGRAM}"));
        // views of the recording are those of a trace of the run
        for view in
            ["show --limit 200", "profile", "coverage -o x.info", "timeline -o x.json", "vcd -o x.vcd --to 9000"]
        {
            let (name, rest) = view.split_once(' ').unwrap_or((view, ""));
            let of = |trace: &str| {
                let text = place.good(&format!("{name} {trace} --elf {PROGRAM} {rest}"));
                let written = rest.split(' ').find(|w| w.starts_with("x.")).map(&bytes);
                (text, written)
            };
            assert!(of("x.ret") == of("x.gtr"), "{file}: {view}");
        }
        let same = place.good(&format!("diff x.ret x.gtr --elf {PROGRAM}"));
        assert!(same.starts_with("the same"), "{same}");
    }
}

#[test]
fn damage_is_marked_and_gives_exit_code_2() {
    let place = place();
    for (input, options) in IMPORTS {
        let file = input.split_once(' ').unwrap().1;
        let path = place.path().join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = bytes.len() / 2;
        bytes.drain(at..at + 33);
        std::fs::write(&path, bytes).unwrap();
        let why = bad(&place, &format!("import {file} {options} --elf {PROGRAM} -o x.ret"));
        assert!(why.contains("were refused") && why.contains("byte "), "{why}");
        let elf = format!("x.ret --elf {PROGRAM}");
        for view in ["profile", "show --limit 1000000", "coverage -o x.info", "timeline -o x.json", "stats --set m4"] {
            let (name, rest) = view.split_once(' ').unwrap_or((view, ""));
            let why = bad(&place, &format!("{name} {elf} {rest}"));
            assert!(why.contains("the trace lost at least 0 instructions, in 1 gap"), "{view}: {why}");
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let place = place();
    std::fs::write(place.path().join("bad.toml"), "cache_size = 3\n").unwrap();
    std::fs::write(place.path().join("range.toml"), "cache_size_p = 30\n").unwrap();
    for (line, why) in [
        ("run.te --format e-trace -o x.ret", "E-Trace (SMI) packets have no instructions; `--elf` is required"),
        ("run.te --format e-trace --elf builtin:irq --parameters bad.toml -o x.ret", "unknown field `cache_size`"),
        (
            "run.te --format e-trace --elf builtin:irq --parameters range.toml -o x.ret",
            "cache_size_p 30, expected 0 to 16",
        ),
        ("run.nex --format n-trace --container smi --elf builtin:irq -o x.ret", "`--container smi`: only with `--format e-trace`"),
        ("run.ret --container smi -o x.ret", "`--container smi`: only with `--format e-trace`; `--format` is not given"),
        ("run.ret --elf builtin:irq --elf builtin:vm -o x.ret", "`--elf builtin:vm`: a second program; expected one, except with `--format e-trace` or `n-trace`; `--format` is not given"),
        ("run.nex --format n-trace --elf builtin:vm -o x.ret", "were refused"),
    ] {
        let found = bad(&place, &format!("import {line}"));
        assert!(found.contains(why), "{line}: {found}");
    }
}

#[test]
fn code_in_rom_comes_from_a_second_elf() {
    // calls a function in ROM, then ends
    let main = [0x8001_0537u32, 0x0005_00e7, 0x0010_02b7, 0x0000_5337, 0x5553_0313, 0x0062_a023, 0x0000_006f];
    let rom = [0x0014_8493u32, 0x0000_8067];
    let place = Place::new();
    let (at, rom_at) = (0x8000_0000, 0x8001_0000);
    let write = |name: &str, segments: &[(u32, u32, &[u32])]| {
        std::fs::write(place.path().join(name), elf_of_segments(243, segments)).unwrap();
    };
    write("both.elf", &[(at, at, &main), (rom_at, rom_at, &rom)]);
    write("main.elf", &[(at, at, &main)]);
    write("rom.elf", &[(rom_at, rom_at, &rom)]);
    place.good("run both.elf -o run.ret");
    place.good("export run.ret -o run.rbt1");
    let mut events: Vec<FlowEvent> = Vec::new();
    RetireReader::open(&place.path().join("run.ret")).unwrap().read_rest(&mut events).unwrap();
    let named = Named::open(&place.path().join("both.elf").display().to_string()).unwrap();
    let image = Image::new(&named.program);
    let encoded = etrace::encode(&events, 1, etrace::Options::BASE, 32, &image).unwrap();
    std::fs::write(place.path().join("run.te"), &encoded[0].bytes).unwrap();
    place.good("import run.te --format e-trace --elf main.elf --elf rom.elf -o x.rbt1");
    let bytes = |f: &str| std::fs::read(place.path().join(f)).unwrap();
    assert!(bytes("x.rbt1") == bytes("run.rbt1"));
    let why = bad(&place, "import run.te --format e-trace --elf main.elf -o y.ret");
    assert!(why.contains("pc 0x80010000 is outside the code of the ELF"), "{why}");
    // views of the main program count the instructions in ROM
    place.good("import run.te --format e-trace --elf main.elf --elf rom.elf -o x.ret");
    let text = place.good("profile x.ret --elf main.elf");
    assert!(!text.is_empty());
}
