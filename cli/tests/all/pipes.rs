//! Files, pipes and signals: every argument of every command that names a file
//!
//! A test of the command derives the list of its arguments, so that a new one without a line here fails.

mod lines;

use self::lines::{LINES, NOT_READ, NO_FILE, TIMED};
use crate::common::damage::damaged;
use crate::common::{elf_of, Place, RISCV};
use rayon::prelude::*;
use sim::file::{TraceInfo, TraceReader};
use sim::stimulus::{rounds, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Inputs and outputs of the commands, as derived from their arguments.
const LIST: &str =
    include_str!("../../src/snapshots/cli__files__tests__every_argument_is_listed_as_read_or_written.snap");

/// A word of a line.
#[derive(Clone, Debug)]
enum Word {
    Plain(String),
    /// Argument and file.
    Read(String, String),
    Written(String, String),
}

#[derive(Clone, Debug)]
struct Line {
    command: String,
    words: Vec<Word>,
    /// Whether it is only run with invalid files.
    refusals_only: bool,
}

impl Line {
    fn of(text: &str) -> Self {
        let refusals_only = text.starts_with('!');
        let text = text.trim_start_matches('!');
        let named = |rest: &str| rest.split_once(':').map(|(a, f)| (a.to_string(), f.to_string())).unwrap();
        let words: Vec<Word> = text
            .split_whitespace()
            .map(|w| match w.split_at(1) {
                ("@", rest) => {
                    let (argument, file) = named(rest);
                    Word::Read(argument, file)
                }
                (">", rest) => {
                    let (argument, file) = named(rest);
                    Word::Written(argument, file)
                }
                _ => Word::Plain(w.into()),
            })
            .collect();
        let command = commands().into_iter().filter(|c| text.starts_with(&format!("{c} "))).max_by_key(String::len);
        Self { command: command.unwrap_or_else(|| panic!("{text}: no such command")), words, refusals_only }
    }

    fn read(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().filter_map(|w| match w {
            // after the key, if there is one
            Word::Read(argument, file) => Some((argument.as_str(), file.rsplit('=').next().unwrap_or(file))),
            _ => None,
        })
    }

    fn written(&self) -> impl Iterator<Item = (&str, &str)> {
        self.words.iter().filter_map(|w| match w {
            Word::Written(argument, file) => Some((argument.as_str(), file.as_str())),
            _ => None,
        })
    }

    /// Arguments of the command, with another file for one argument, and outputs in `folder`.
    fn arguments(&self, folder: &str, argument: &str, file: &OsStr) -> Vec<OsString> {
        let mut all = Vec::new();
        for word in &self.words {
            let (name, own) = match word {
                Word::Plain(word) => {
                    // an additional output
                    let out = matches!(all.last().and_then(|w: &OsString| w.to_str()), Some("-o"));
                    all.push(if out { format!("{folder}{word}").into() } else { word.into() });
                    continue;
                }
                Word::Read(name, own) => (name, own.clone()),
                Word::Written(name, own) => (name, format!("{folder}{own}")),
            };
            if name.starts_with('-') {
                all.push(name.into());
            }
            let key = own.rfind('=').map_or("", |at| &own[..=at]);
            all.push(if name == argument { [OsStr::new(key), file].into_iter().collect() } else { own.into() });
        }
        all
    }
}

/// Commands, and their inputs or outputs.
fn list(what: &str) -> Vec<(String, Vec<String>)> {
    let lines = LIST.lines().filter_map(|l| l.split_once(&format!(" {what} ")));
    lines.map(|(c, all)| (c.into(), all.split(' ').map(str::to_string).collect())).collect()
}

fn commands() -> BTreeSet<String> {
    ["reads", "writes"].iter().flat_map(|what| list(what)).map(|(c, _)| c).collect()
}

fn lines() -> Vec<Line> {
    LINES.iter().map(|l| Line::of(l)).collect()
}

#[test]
fn every_argument_that_names_a_file_has_a_line() {
    let lines = lines();
    let has = |command: &str, argument: &str, of: fn(&Line) -> Vec<(&str, &str)>| {
        lines.iter().filter(|l| l.command == command).any(|l| of(l).iter().any(|(a, _)| *a == argument))
    };
    for (command, arguments) in list("reads") {
        let reads = |a: &&String| !NOT_READ.iter().any(|(name, _)| *name == format!("{command} {a}"));
        for argument in arguments.iter().filter(reads) {
            assert!(has(&command, argument, |l| l.read().collect()), "{command} {argument} has no line here");
        }
    }
    for (command, arguments) in list("writes") {
        for argument in arguments.iter().filter(|a| !NO_FILE.contains(&format!("{command} {a}").as_str())) {
            assert!(has(&command, argument, |l| l.written().collect()), "{command} {argument} has no line here");
        }
    }
}

/// A folder with all input files of the lines.
fn place() -> Place {
    let place = Place::new();
    let write = |name: &str, bytes: &[u8]| std::fs::write(place.path().join(name), bytes).unwrap();
    for words in [
        "run p.elf --timing functional -o p.ret",
        "encode p.ret --set small -o p.gtr",
        "encode p.ret --set small --context 2 -o spaces.gtr",
        "encode p.elf --scheme inputs -o p.gip",
        "encode p.elf --data cfiat:1k -o v.gtr --values p.glv",
        "gen --set small -o system",
        "capture run --data --packed p.gcap -- /bin/true",
        "vcd p.gtr --elf p.elf -o p.vcd",
        "sweep --trace p.ret --set small --encoding tr_e -o swept",
        "run builtin:lockcont --data --max-instructions 3000 -o d.ret",
        "encode builtin:lockcont --max-instructions 3000 --set small -o d.gtr",
        "encode builtin:lockcont --max-instructions 3000 --scheme inputs -o d.gip",
        "diag run builtin:locks builtin:lockcont --max-instructions 3000 --log c.dlog -o x.txt",
    ] {
        let done = place.output(words);
        assert_eq!(done.status.code(), Some(0), "{words}: {}", String::from_utf8_lossy(&done.stderr));
    }
    for (trace, bytes) in [("p.gtr", "p.bin"), ("d.gtr", "d.bin")] {
        let words = TraceReader::<TraceInfo>::open(&place.path().join(trace)).unwrap();
        write(bytes, &words.flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    }
    write("names.txt", b"7 sh\n");
    write("locks.gsd", diag::scripts::find("locks").unwrap().as_bytes());
    write("locks.elf", programs::find("lockcont").unwrap().elf);
    write("spike.log", b"core   0: 0x80000000 (0x00000013) nop\ncore   0: 0x80000004 (0x00000013) nop\n");
    write(
        "port.txt",
        b"rvfi_valid rvfi_insn rvfi_trap rvfi_intr rvfi_pc_rdata rvfi_pc_wdata\n1 f14022f3 0 0 80000000 80000004\n",
    );
    write("notes.md", b"# notes\n");
    write("plan.toml", b"traces = [\"p.ret\"]\nsets = [\"small\"]\n");
    write("gates.json", b"{\"command\": \"gates\"}\n");
    place
}

/// Runs it with limits of memory and time.
fn run(place: &Place, arguments: &[OsString], stdin: Stdio) -> Output {
    let mut command = Command::new("sh");
    // threads reserve more memory than they use
    command.args(["-c", "ulimit -v 4000000; exec timeout -k 1 20 \"$@\"", "sh"]);
    command.arg(assert_cmd::cargo::cargo_bin("goshawk")).args(arguments).current_dir(place.path());
    command.stdin(stdin).output().unwrap()
}

/// What a user sees, with `name` replaced by `file`.
fn seen(o: &Output, name: &str, file: &str) -> String {
    let timed = |line: &&str| !line.starts_with("speed ") && !line.starts_with("took ");
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(name, file).replace("stdin", file);
        // the width of columns depends on the name
        let words = |line: &str| {
            // a page contains the name
            let line = if line.starts_with("written ") { line.split(", ").next().unwrap_or(line) } else { line };
            line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
        };
        text.lines().filter(timed).map(words).collect::<String>()
    };
    format!("{}{}exit code {:?}", text(&o.stdout), text(&o.stderr), o.status.code())
}

/// Every input file, with line and argument.
fn reads() -> Vec<(Line, String, String, usize)> {
    let each = lines().into_iter().flat_map(|line| {
        let read: Vec<_> = line.read().map(|(a, f)| (a.to_string(), f.to_string())).collect();
        read.into_iter().map(move |(a, f)| (line.clone(), a, f))
    });
    each.enumerate().map(|(n, (l, a, f))| (l, a, f, n)).collect()
}

#[test]
fn a_device_without_an_end_a_folder_and_a_missing_file_are_refused_by_name() {
    let place = place();
    std::fs::create_dir(place.path().join("a-folder")).unwrap();
    reads().par_iter().for_each(|(line, argument, file, n)| {
        for name in ["/dev/zero", "not-there", "a-folder"] {
            if name == "a-folder" && place.path().join(file).is_dir() {
                continue;
            }
            let arguments = line.arguments(&format!("refused{n}-"), argument, name.as_ref());
            let o = run(&place, &arguments, Stdio::null());
            let (said, what) = (String::from_utf8_lossy(&o.stderr), format!("{} {argument} {name}", line.command));
            assert_eq!(o.status.code(), Some(2), "{what}: {said}");
            assert_eq!(said.lines().count(), 1, "{what}: {said}");
            // a trace without contexts is refused before their programs are read
            assert!(said.contains(name) || argument == "--space", "{what}: {said}");
            assert!(!said.contains("os error"), "{what}: {said}");
        }
    });
}

#[test]
fn a_damaged_file_is_read_or_refused_and_leaves_half_an_output_only_if_it_says_so() {
    let place = place();
    reads().par_iter().for_each(|(line, argument, file, n)| {
        if line.refusals_only || place.path().join(file).is_dir() {
            return;
        }
        let good = std::fs::read(place.path().join(file)).unwrap();
        for round in 0..rounds(1, 40) {
            let seed = (n * 1000 + round) as u64;
            let name = format!("damaged{seed}-{file}").replace('/', "-");
            std::fs::write(place.path().join(&name), damaged(&good, &mut Source::seeded(seed))).unwrap();
            let folder = format!("damaged{seed}-out-");
            let o = run(&place, &line.arguments(&folder, argument, name.as_ref()), Stdio::null());
            let (said, what) = (String::from_utf8_lossy(&o.stderr), format!("{} {argument} {name}", line.command));
            assert!(
                matches!(o.status.code(), Some(0..=2)) && !said.contains("panicked"),
                "{what}: {:?}, {said}",
                o.status
            );
            if o.status.code() == Some(2) && !said.contains("the output ends there") {
                assert!(!said.is_empty(), "{what}: nothing is said");
                let left = line.written().find(|(_, out)| place.path().join(format!("{folder}{out}")).is_file());
                assert_eq!(left, None, "{what}: {said}");
            }
        }
    });
}

#[test]
fn an_endless_pipe_is_refused() {
    let place = place();
    reads().par_iter().for_each(|(line, argument, file, n)| {
        if place.path().join(file).is_dir() {
            return;
        }
        let mut zeros = Command::new("cat").arg("/dev/zero").stdout(Stdio::piped()).spawn().unwrap();
        let arguments = line.arguments(&format!("endless{n}-"), argument, "-".as_ref());
        let o = run(&place, &arguments, zeros.stdout.take().unwrap().into());
        let said = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(2), "{} {argument}: {said}", line.command);
        assert_eq!(said.lines().count(), 1, "{} {argument}: {said}", line.command);
        let _ = zeros.kill();
        zeros.wait().unwrap();
    });
}

#[test]
fn a_pipe_standard_input_and_any_name_are_read_as_the_file_is() {
    let place = place();
    reads().par_iter().for_each(|(line, argument, file, n)| {
        if line.refusals_only {
            return;
        }
        let path = place.path().join(file);
        let with = |name: &OsStr, folder: &str, stdin| {
            let o = run(&place, &line.arguments(&format!("{folder}{n}-"), argument, name), stdin);
            seen(&o, &name.to_string_lossy(), file).replace(folder, "base")
        };
        let base = with(file.as_ref(), "base", Stdio::null());
        let what = format!("{} {argument}", line.command);
        let odd = [format!("odd{n}-\u{e9}").as_bytes(), b"\xff"].concat();
        let odd = OsStr::from_bytes(&odd);
        symlink(&path, place.path().join(odd)).unwrap();
        assert_eq!(with(odd, "oddd", Stdio::null()), base, "{what}, a name that is not UTF-8");
        if path.is_dir() {
            return;
        }
        let stdin = || std::fs::File::open(&path).unwrap().into();
        let piped = || {
            let mut cat = Command::new("cat").arg(&path).stdout(Stdio::piped()).spawn().unwrap();
            (cat.stdout.take().unwrap().into(), cat)
        };
        assert_eq!(with("/dev/stdin".as_ref(), "whole", stdin()), base, "{what}, /dev/stdin that is a file");
        let (stdout, mut cat) = piped();
        assert_eq!(with("/dev/stdin".as_ref(), "piped", stdout), base, "{what}, /dev/stdin that is a pipe");
        cat.wait().unwrap();
        let fifo = format!("named{n}p");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let fifo_path = place.path().join(&fifo);
        rustix::fs::mknodat(rustix::fs::CWD, &fifo_path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let mut writer =
            Command::new("sh").args(["-c", "cat \"$0\" >\"$1\""]).arg(&path).arg(&fifo_path).spawn().unwrap();
        assert_eq!(with(fifo.as_ref(), "nmpp", Stdio::null()), base, "{what}, a pipe with a name");
        // if the command did not open the pipe, the writer is still waiting
        let _ = writer.kill();
        writer.wait().unwrap();
    });
}

/// Every output file, with line and argument.
fn writes() -> Vec<(Line, String, String, usize)> {
    let each = lines().into_iter().filter(|l| !l.refusals_only).flat_map(|line| {
        let written: Vec<_> = line.written().map(|(a, f)| (a.to_string(), f.to_string())).collect();
        written.into_iter().map(move |(a, f)| (line.clone(), a, f))
    });
    each.enumerate().map(|(n, (l, a, f))| (l, a, f, n)).collect()
}

#[test]
fn an_output_is_the_same_file_at_any_place_and_on_standard_output() {
    let place = place();
    std::fs::create_dir(place.path().join("a-folder")).unwrap();
    writes().par_iter().for_each(|(line, argument, file, n)| {
        let what = format!("{} {argument}", line.command);
        let at = |name: &str| place.path().join(name);
        let to = |name: &OsStr| run(&place, &line.arguments(&format!("w{n}-"), argument, name), Stdio::null());
        let plain = format!("plain{n}-{file}");
        let o = to(plain.as_ref());
        assert_eq!(o.status.code(), Some(0), "{what}: {}", String::from_utf8_lossy(&o.stderr));
        let right = std::fs::read(at(&plain)).unwrap();
        assert!(!right.is_empty(), "{what}");
        let timed = TIMED.contains(&what.as_str());
        let same = |bytes: &[u8], name: &str| assert!(bytes == right || timed && !bytes.is_empty(), "{what} {name}");
        for name in ["-", "/dev/stdout"] {
            let o = to(name.as_ref());
            assert_eq!(o.status.code(), Some(0), "{what} {name}: {}", String::from_utf8_lossy(&o.stderr));
            same(&o.stdout, name);
        }
        assert!(!at("-").exists(), "{what}");
        let o = to("a-folder".as_ref());
        let said = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(2) && said.contains("a-folder: is a folder"), "{what}: {said}");
        let (link, target) = (format!("link{n}-{file}"), format!("target{n}-{file}"));
        std::fs::write(at(&target), "old").unwrap();
        std::fs::set_permissions(at(&target), PermissionsExt::from_mode(0o640)).unwrap();
        symlink(&target, at(&link)).unwrap();
        assert_eq!(to(link.as_ref()).status.code(), Some(0), "{what}");
        assert!(at(&link).is_symlink(), "{what}: the link is gone");
        assert_eq!(at(&target).metadata().unwrap().permissions().mode() & 0o777, 0o640, "{what}");
        same(&std::fs::read(at(&target)).unwrap(), &link);
        let odd = [format!("odd{n}").as_bytes(), b"\xff-", file.as_bytes()].concat();
        assert_eq!(to(OsStr::from_bytes(&odd)).status.code(), Some(0), "{what}");
        same(&std::fs::read(place.path().join(OsStr::from_bytes(&odd))).unwrap(), &String::from_utf8_lossy(&odd));
        // the reader closes the pipe
        let mut closed = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = closed.stdin.take().unwrap();
        closed.wait().unwrap();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
        command.args(line.arguments(&format!("w{n}-"), argument, "-".as_ref())).current_dir(place.path());
        let o = command.stdout(Stdio::from(stdin)).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&o.stderr);
        assert_eq!(o.status.code(), Some(0), "{what}: {said}");
        assert!(!said.contains("pipe") && !said.contains("panicked"), "{what}: {said}");
    });
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let place = place();
    lines().par_iter().enumerate().filter(|(_, l)| !l.refusals_only).for_each(|(n, line)| {
        let arguments = line.arguments(&format!("quiet{n}-"), "", "".as_ref());
        let with = |stdout: Stdio| {
            let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
            command.args(&arguments).current_dir(place.path()).stdin(Stdio::null()).stderr(Stdio::piped());
            command.stdout(stdout).spawn().unwrap().wait_with_output().unwrap()
        };
        let good = with(Stdio::null());
        let mut closed = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
        let pipe = closed.stdin.take().unwrap();
        closed.wait().unwrap();
        let quiet = with(pipe.into());
        let said = String::from_utf8_lossy(&quiet.stderr);
        assert!(!said.contains("panicked") && !said.contains("roken pipe"), "{}: {said}", line.command);
        // it cannot print its summary any more
        let code = quiet.status.code();
        assert!(code == good.status.code() || code == Some(0), "{}: {code:?}, {said}", line.command);
    });
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .flat_map(|p| if p.is_dir() { files(&p) } else { vec![p] })
        .collect()
}

#[test]
fn signals_leave_no_temporary_files() {
    let lines = [
        // interrupted at the end of writing, and in the middle of the work
        "encode loop.elf -o out/x.gtr",
        "export loop.elf -o out/x.rbt1.zst",
        "bench --part files --program loop.elf --max-instructions 4000000000",
        "results --program fft --max-instructions 100000000 -o out/page.md",
    ];
    let cases: Vec<_> = lines.iter().flat_map(|l| [("INT", 2), ("TERM", 15), ("HUP", 1)].map(|s| (*l, s))).collect();
    cases.par_iter().for_each(|(line, (signal, number))| {
        let place = Place::new();
        std::fs::write(place.path().join("loop.elf"), elf_of(RISCV, &[0x0000_0013, 0xffdf_f06f])).unwrap();
        for folder in ["out", "tmp"] {
            std::fs::create_dir(place.path().join(folder)).unwrap();
        }
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
        command.args(line.split(' ')).current_dir(place.path()).env("TMPDIR", place.path().join("tmp"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        assert_eq!(child.try_wait().unwrap(), None, "{line} is over");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(*number), "{line} {signal}: {status}");
        assert_eq!(files(&place.path().join("out")), Vec::<PathBuf>::new(), "{line} {signal}");
        assert_eq!(std::fs::read_dir(place.path().join("tmp")).unwrap().count(), 0, "{line} {signal}");
    });
}

#[test]
fn a_run_that_is_asked_to_end_is_written() {
    let place = Place::new();
    std::fs::write(place.path().join("loop.elf"), elf_of(RISCV, &[0x0000_0013, 0xffdf_f06f])).unwrap();
    for signal in ["TERM", "HUP", "INT"] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
        command.args("run loop.elf -o x.ret".split(' ')).current_dir(place.path()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        std::thread::sleep(Duration::from_millis(500));
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        child.wait().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(30));
        place.good("stats x.ret");
        std::fs::remove_file(place.path().join("x.ret")).unwrap();
    }
}

/// Where files are opened or created by other means, and why.
const DIRECT: &[(&str, &str)] = &[
    ("retire/src/file/", "what all others use"),
    ("cli/src/signals.rs", "a file of the system"),
    ("cli/src/reference.rs", "a test"),
    ("capture/src/follow.rs", "a file of the system"),
];

#[test]
fn files_are_opened_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut uses = BTreeMap::<String, &str>::new();
    for folder in ["cli", "host", "sim", "retire", "sweep", "report", "capture", "diag", "fpga"] {
        for path in files(&root.join(folder).join("src")).into_iter().filter(|p| p.extension() == Some("rs".as_ref())) {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("[cfg(test)]").next().unwrap().lines().filter(|l| !l.trim_start().starts_with("//"));
            let text = code.collect::<Vec<_>>().join("\n");
            let name = path.strip_prefix(root).unwrap().display().to_string();
            // external tools have their own files
            let tools = ["File::open(", "File::create(", "fs::read(", "fs::read_to_string("];
            let made = ["NamedTempFile", "tempfile::tempdir", "tempfile::Builder"];
            for word in tools.iter().filter(|_| folder != "fpga").chain(&made) {
                if text.contains(word) && !DIRECT.iter().any(|(place, _)| name.starts_with(place)) {
                    uses.insert(name.clone(), word);
                }
            }
        }
    }
    assert_eq!(uses, BTreeMap::new(), "retire::file opens and makes files, so that pipes and signals are thought of");
}
