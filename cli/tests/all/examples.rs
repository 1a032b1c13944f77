//! Every example in the help texts, the README and `docs/` runs as printed
//!
//! Examples are found by walking the commands through their own help, on a terminal of 60 columns, and in the code
//! blocks of the pages. A shell runs each page's examples in sequence, in a separate folder, with stand-ins for the
//! user's files. Only the amount of work differs: `goshawk` on PATH is a script that adds a limit if the command
//! accepts one. Examples that need a board, or minutes of place and route or Verilator, are only parsed, by appending
//! `--help`. With `GOSHAWK_LONG=1` they are run too, except for those that need a board.

use crate::common::{elf, foreign, Place, RISCV};
use rayon::prelude::*;
use sim::stimulus::long;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A page with examples: name, and shell command lines.
struct Page {
    name: String,
    examples: Vec<String>,
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn help(words: &[&str]) -> String {
    let mut command = assert_cmd::Command::cargo_bin("goshawk").unwrap();
    let output = command.args(words).arg("--help").env("COLUMNS", "60").output().unwrap();
    assert!(output.status.success(), "goshawk {words:?} --help");
    String::from_utf8(output.stdout).unwrap()
}

/// The help texts of a command and its subcommands.
fn helps(words: &[&str], found: &mut Vec<Page>) {
    let text = help(words);
    let examples = text.split("\nExamples:\n").nth(1).unwrap_or_default();
    let examples = examples.lines().take_while(|l| l.starts_with("  ")).map(|l| l.trim().to_string()).collect();
    found.push(Page { name: format!("goshawk {} --help", words.join(" ")), examples });
    let below = text.split("\nCommands:\n").nth(1).unwrap_or_default();
    for line in below.lines().take_while(|l| l.starts_with(' ')) {
        // a name starts in the third column; lines with more indentation continue a description
        let name = line[2..].split(' ').next().unwrap_or_default();
        if !name.is_empty() && name != "help" {
            helps(&[words, &[name]].concat(), found);
        }
    }
}

/// The code blocks of a page, each with the text between it and the block before it.
pub fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("\n```").collect();
    let pairs = parts.chunks_exact(2);
    pairs.filter_map(|pair| Some((pair[0], pair[1].split_once('\n')?.1))).collect()
}

/// The commands in the code blocks of a page: lines after a prompt, or all lines of a block without prompts.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, body) in blocks(text) {
        let body = body.replace("\\\n", "");
        for line in body.lines() {
            let line = line.strip_prefix("$ ").unwrap_or(line);
            let begins = |word: &str| line.split(' ').next() == Some(word);
            if begins("goshawk") || begins("for") && line.contains("goshawk ") {
                found.push(line.to_string());
            }
        }
    }
    found
}

/// The pages below a folder.
pub fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

fn pages() -> Vec<Page> {
    let mut found = Vec::new();
    helps(&[], &mut found);
    let mut files = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    files.retain(|f| f.exists());
    markdown(&root().join("docs"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        let mut examples = commands(&text);
        if name == "README.md" {
            // the table of possible next steps
            let rows = text.lines().filter(|l| l.starts_with("| ")).flat_map(|l| l.split('`').skip(1).step_by(2));
            examples.extend(
                rows.filter(|c| c.starts_with("goshawk ") && (c.contains(" -") || c.contains('.'))).map(str::to_string),
            );
        }
        found.push(Page { name, examples });
    }
    // days.rs and day_researcher.rs run the transcripts, and compare what they print
    // and the page of all commands has their own examples
    let of_others = |name: &str| name.starts_with("docs/tutorials/") || name == "docs/reference/command-line.md";
    found.retain(|p| !p.examples.is_empty() && !of_others(&p.name));
    found
}

/// How an example is run.
#[derive(Debug, PartialEq)]
enum How {
    Run,
    /// Too long, or with tools that take minutes.
    Long,
    /// With a board on a serial line.
    Board,
    /// In another test.
    Elsewhere,
}

fn how(example: &str) -> How {
    let tools = ["goshawk gates", "goshawk soc", "--engine verilator", "--soc"];
    if example.contains("goshawk capture")
        && !["run", "expand", "bench"].iter().any(|c| example.contains(&format!("goshawk capture {c}")))
    {
        How::Board
    } else if example == "goshawk demo" {
        // readme.rs runs it and compares its output
        How::Elsewhere
    } else if example.contains("goshawk gdb") {
        // gdb.rs runs it with GDB
        How::Elsewhere
    } else if example.contains("--serve") {
        // report_trace.rs requests the page
        How::Elsewhere
    } else if example.contains("--qemu ./")
        || example.contains("--start-at")
        || example.contains("--kernel")
        || example.contains("--initrd")
        || example.contains("disk.img")
        || example.contains("/usr/bin/make")
        || example.contains("app@0x")
        || example.contains("--patches")
        || example.contains("board.gtr --elf firmware.elf --check")
        || example.contains("xv6.")
        || example.contains("set.ret")
        || example.contains("self.ret")
        || example.contains("smp.elf")
    {
        // with an emulator that not every machine has, a server, a program, kernel or disk of the user's, a softcore or a trace from a board;
        // capture's tests, capture_machine.rs, capture_machines.rs, changing_code.rs, process_names.rs, self_trace.rs and fpga's tile.rs run such
        How::Elsewhere
    } else if tools.iter().any(|t| example.contains(t)) || example.starts_with("goshawk demo ") {
        // the demo takes half as long as all other examples together
        How::Long
    } else {
        How::Run
    }
}

/// Small stand-ins for the user's files.
const STAND_INS: [&str; 24] = [
    "gen --set medium --cores 4 -o trace4",
    "encode builtin:bank --harts 4 --scheme inputs -o again.gip",
    "encode builtin:bank --harts 4 --scheme inputs -o bank.gip",
    "encode heap.elf --scheme inputs -o heap.gip",
    "encode wake.elf --scheme inputs -o wake.gip",
    "encode builtin:fft --harts 2 -o fft.gtr --values fft.glv",
    "run builtin:vm -o vm.ret",
    "encode vm.ret -o vm.gtr",
    "encode vm.ret --timestamps -o timed.gtr",
    "run builtin:fft --harts 2 -o fft.ret",
    "run firmware.elf --harts 4 -o firmware.ret",
    "encode firmware.ret -o firmware.gtr",
    "encode firmware.ret -o board.gtr",
    "export vm.ret -o gcc.rbt1.zst",
    "import 600.champsim.xz -o own.ret",
    "encode gcc.rbt1.zst --pc-shift 0 -o gcc.gtr",
    "run program.elf -o program.ret",
    "run builtin:lz -o run.ret",
    "encode program.ret -o program.gtr",
    "sweep --plan papers.toml -o papers",
    "capture run --packed true.gcap -- /bin/true",
    "capture run --system --contexts --skip 6 -o paged.ret -- kernel.elf",
    "encode paged.ret --context 2 --elf kernel.elf -o kernel.gtr",
    "encode paged.ret --context 2 --elf kernel.elf -o again.gtr",
];

const PLAN: &str = "traces = [\"builtin:fft\", \"builtin:vm\"]\nharts = [1, 2]\nencodings = [\"tr_e\", \"nx_b\"]\n\
                    sets = [\"s0\", \"m4\"]\nmax_instructions = 20000\n";

/// Adds limits to commands that accept them and have none; `GOSHAWK_PARSE` only parses.
const SCRIPT: &str = r#"#!/bin/sh
if [ -n "$GOSHAWK_PARSE" ]; then
    # before the arguments of a program
    for word; do
        shift
        [ "$word" = -- ] && set -- "$@" --help
        set -- "$@" "$word"
    done
    exec "$GOSHAWK" "$@" --help
fi
limit=
case " $* " in
*" --max-instructions "* | *" --instructions "* | *" --dry-run "*) ;;
*) case "$1" in
    run) limit="--max-instructions 50000" ;;
    encode | stats | export) case "$2" in builtin:* | *.elf) limit="--max-instructions 50000" ;; esac ;;
    baselines | compare | recommend) case "$*" in *.ret*) ;; *) limit="--max-instructions 20000" ;; esac ;;
    sweep) [ "$2" != merge ] && limit="--max-instructions 5000" ;;
    results | papers) limit="--max-instructions 5000" ;;
    bench) case "$*" in
        *--program*--program*) limit="--quick --max-instructions 3000000" ;; # of which all have enough branches
        *) limit="--quick --max-instructions 1000000" ;;
        esac ;;
    soc) case " $* " in *" --max-cycles "*) ;; *) [ "$2" = sim ] && limit="--max-cycles 400000" ;; esac ;;
    diag) case "$*" in "diag ls"*|"diag plan"*|"diag gen"*|"diag replay"*--log*|*--soc*|*.ret*) ;; *) limit="--max-instructions 100000" ;; esac ;;
    esac ;;
esac
exec "$GOSHAWK" "$@" $limit
"#;

/// Traces of `firmware.elf` in standard protocols: `trace.nex`, `trace.te` with `te.toml`, and a memory dump.
fn standard_traces(path: &Path) {
    let name = path.join("firmware.elf").display().to_string();
    let program = host::input::Named::open(&name).unwrap().program;
    let image = retire::image::Image::new(&program);
    let mut events: Vec<retire::FlowEvent> = Vec::new();
    let limits = sim::riscv::Limits { instructions: 500, ..Default::default() };
    sim::riscv::Machine::new(&program, Default::default()).unwrap().run(&mut events, limits).unwrap();
    let mut encoder = sim::standard::ntrace::Encoder::new(Default::default(), 32, &image);
    events.iter().for_each(|e| encoder.push(e));
    std::fs::write(path.join("trace.nex"), encoder.bytes()).unwrap();
    let options = sim::baseline::etrace::Options::BASE;
    let encoded = sim::baseline::etrace::encode(&events, 1, options, 32, &image).unwrap();
    std::fs::write(path.join("trace.te"), &encoded[0].bytes).unwrap();
    std::fs::write(path.join("te.toml"), "return_stack_size_p = 0\n").unwrap();
    // a start at 0x80000000 in M mode, and the end
    let start = (0x8000_0000u64 >> 1) << 6 | 0b11_0011;
    let dump = [&[8, 0, 0][..], &start.to_le_bytes()[..5], &[4, 1, 0, 0x3f]].concat();
    std::fs::write(path.join("dump.bin"), dump).unwrap();
    for elf in ["app.elf", "rom.elf"] {
        std::fs::copy(path.join("firmware.elf"), path.join(elf)).unwrap();
    }
}

/// A folder with stand-ins, and `goshawk` on PATH.
struct Shell(Place);

impl Shell {
    fn new() -> Self {
        let shell = Self(Place::new());
        let path = shell.0.path();
        std::fs::create_dir(path.join("bin")).unwrap();
        let script = path.join("bin/goshawk");
        std::fs::write(&script, SCRIPT).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["firmware.elf", "program.elf", "hello.elf"] {
            // `csrr x5, mhartid` becomes `mv x5, x10`, for cores without that register
            let mut file = elf(RISCV, 0);
            file[84..88].copy_from_slice(&0x0005_0293u32.to_le_bytes());
            std::fs::write(path.join(name), file).unwrap();
        }
        std::fs::copy(root().join("programs/faults/elf/leaking.elf"), path.join("heap.elf")).unwrap();
        std::fs::copy(root().join("programs/faults/elf/wake.elf"), path.join("wake.elf")).unwrap();
        std::fs::copy(path.join("firmware.elf"), path.join("shell.elf")).unwrap();
        std::fs::write(path.join("commands.txt"), "help\n").unwrap();
        for name in ["kernel.elf", "a.elf", "b.elf"] {
            std::fs::copy(root().join("programs/paged/elf").join(name), path.join(name)).unwrap();
        }
        std::fs::write(path.join("names.txt"), "1 primes a.elf\n2 fold b.elf\n").unwrap();
        std::fs::write(path.join("ram.bin"), [0x67, 0x80, 0, 0]).unwrap();
        std::os::unix::fs::symlink(root().join("programs"), path.join("programs")).unwrap();
        std::fs::write(path.join("papers.toml"), PLAN).unwrap();
        std::fs::write(path.join("big.toml"), PLAN).unwrap();
        // traces of other tools, with various compressions
        let steps = foreign::steps(path.join("firmware.elf").to_str().unwrap(), 5000);
        std::fs::write(path.join("qemu.log"), foreign::qemu(&steps)).unwrap();
        std::fs::write(path.join("spike.log.xz"), foreign::spike(&steps)).unwrap();
        std::fs::write(path.join("600.champsim.xz"), foreign::champsim(&steps)).unwrap();
        std::fs::write(path.join("short.sbbt.zst"), foreign::sbbt(&steps)).unwrap();
        let names = ["perf.txt", "lbr.txt", "memtrace.txt", "SHORT_MOBILE-1.bt9.trace.gz"];
        for (name, (_, text)) in names.iter().zip(foreign::TEXTS) {
            std::fs::write(path.join(name), text).unwrap();
        }
        let folder = path.join("drmemtrace.ls.4711.0815.dir/trace");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("drmemtrace.ls.4711.0816.trace"), foreign::drmemtrace(4711)).unwrap();
        standard_traces(path);
        for name in ["sim.vcd", "sim.fst"] {
            std::fs::write(path.join(name), foreign::wave(&steps)).unwrap();
        }
        std::fs::create_dir_all(path.join("docs/maintainers/sweeps")).unwrap();
        for file in [
            "docs/maintainers/paper-notes.md",
            "docs/maintainers/results-notes.md",
            "docs/maintainers/sweeps/paper000.toml",
        ] {
            if root().join(file).exists() {
                std::fs::copy(root().join(file), path.join(file)).unwrap();
            }
        }
        shell
    }

    fn run(&self, line: &str, parse: bool) -> Output {
        let path = format!("{}:{}", self.0.path().join("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.0.path()).env("PATH", path);
        command.env("GOSHAWK", assert_cmd::cargo::cargo_bin("goshawk"));
        if parse {
            command.env("GOSHAWK_PARSE", "1");
        }
        command.output().unwrap()
    }

    /// The error output, if the line failed.
    fn complaint(&self, line: &str, parse: bool) -> Option<String> {
        let o = self.run(line, parse);
        let err = String::from_utf8_lossy(&o.stderr);
        // events are lost, or chip and host differ because of that: the output says so
        let text = String::from_utf8_lossy(&o.stdout);
        let lost = line.starts_with("goshawk diag") && text.contains("lost") && o.status.code() != Some(0);
        // the status of a pipeline is that of its last command
        let failed = o.status.code() != Some(0) && !lost || line.contains('|') && err.contains("goshawk: ");
        failed.then(|| format!("$ {line}\n{err}{}\n", o.status))
    }

    fn stand_ins(&self) {
        for line in STAND_INS {
            assert_eq!(self.complaint(&format!("goshawk {line}"), false), None);
        }
        // shards as made on other machines
        for shard in 1..=4 {
            let line = format!("goshawk sweep --plan big.toml --shard {shard}/4 -o part{shard}");
            assert_eq!(self.complaint(&line, false), None);
        }
        assert_eq!(self.complaint("cp -r papers big && mkdir -p docs/reference", false), None);
    }
}

#[test]
fn every_example_runs_as_it_is_printed() {
    let first = Shell::new();
    first.stand_ins();
    let pages = pages();
    let examples: usize = pages.iter().map(|p| p.examples.len()).sum();
    assert!(examples > 60 && pages.len() > 20, "{examples} examples on {} pages", pages.len());
    let run = |page: &Page| {
        let mut wrong = String::new();
        let shell = Shell::new();
        let copy = format!("cp -rn {}/. .", first.0.path().display());
        assert_eq!(shell.complaint(&copy, false), None);
        // files that examples would have written if they had been run
        let mut missing: Vec<&str> = Vec::new();
        for example in &page.examples {
            let how = how(example);
            let parse = matches!(how, How::Board | How::Elsewhere)
                || how == How::Long && !long()
                || missing.iter().any(|m| example.contains(m));
            if parse {
                missing.extend(example.rsplit_once('>').map(|(_, file)| file.trim()));
                missing.extend(example.split_once("--trace ").and_then(|(_, rest)| rest.split(' ').next()));
            }
            if let Some(complaint) = shell.complaint(example, parse) {
                wrong.push_str(&format!("{}: {complaint}", page.name));
            }
        }
        wrong
    };
    let wrong: String = pages.par_iter().map(run).collect();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn examples_are_whole_on_a_narrow_terminal() {
    let mut found = Vec::new();
    helps(&[], &mut found);
    assert!(found.iter().filter(|p| p.examples.is_empty()).count() <= 1, "a command without an example");
    for page in &found {
        for example in &page.examples {
            assert!(example.contains("goshawk "), "{}: `{example}` is no command", page.name);
            assert!(!example.contains('\u{a0}'), "{}: `{example}` cannot be pasted", page.name);
            assert!(!example.contains("   "), "{}: `{example}` has a remark in it", page.name);
        }
    }
}

#[test]
fn help_on_help_is_help() {
    let place = Place::new();
    assert_eq!(place.good("help --help"), place.good("help"));
    assert_eq!(place.good("help -h"), place.good("help"));
    assert_eq!(place.good("soc help --help"), place.good("soc help"));
    assert_eq!(place.good("help soc sim --help"), place.good("soc sim --help"));
}

#[test]
fn a_dry_run_prints_json_where_it_is_asked_for() {
    let place = Place::new();
    let text = place.good("sweep --trace p.elf --harts 1,2 --dry-run --json -o x");
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["traces"].as_array().map(Vec::len), Some(2));
    let points = object["points"].as_array().unwrap();
    let lines = place.good("sweep --trace p.elf --harts 1,2 --dry-run -o x");
    let listed: Vec<&str> = lines.lines().skip(1).collect();
    assert_eq!(points.iter().map(|p| p.as_str().unwrap()).collect::<Vec<_>>(), listed);
    assert!(!place.path().join("x").exists(), "a dry run writes nothing");
}

/// The values of `N to M` after `option` in a help text.
fn ends(help: &str, option: &str) -> (u64, u64) {
    let text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let at = text.find(&format!("{option} <")).unwrap_or_else(|| panic!("no {option}"));
    let words: Vec<&str> = text[at..].split([' ', ',', ';', ':', '.']).collect();
    let to = words.iter().position(|w| *w == "to").unwrap();
    (words[to - 1].parse().unwrap(), words[to + 1].parse().unwrap())
}

#[test]
fn ranges_in_help_are_those_that_are_accepted() {
    let place = Place::new();
    for (words, option, rest) in [
        ("gen", "--cores", "-o out"),
        ("encode", "--pc-shift", "p.elf -o x.gtr"),
        ("encode", "--count-bits", "p.elf -o x.gtr"),
        ("encode", "--cc-bits", "p.elf --timestamps -o x.gtr"),
        ("encode", "--harts", "p.elf -o x.gtr"),
        ("sim", "--harts", "p.elf --max-instructions 10"),
        ("run", "--harts", "p.elf"),
    ] {
        let (from, to) = ends(&help(&[words]), option);
        let status = |n: u64| place.output(&format!("{words} {rest} {option} {n}")).status.code();
        for good in [from, to] {
            assert_eq!(status(good), Some(0), "{words} {option} {good}");
        }
        for bad in [from.checked_sub(1), Some(to + 1)].into_iter().flatten() {
            assert_eq!(status(bad), Some(2), "{words} {option} {bad}");
        }
    }
}
