//! The files for VS Code in docs/examples/editors: what they start, and the dialogue that an editor then has with GDB

use crate::common::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn file(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples/editors").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key}: {value}"))
}

/// GDB, as an editor that uses its machine interface runs it.
struct Gdb {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl Gdb {
    fn start(program: &str, folder: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(["-nx", "--interpreter=mi2"]).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, to, from }
    }

    /// Lines up to one that begins with `start`.
    fn until(&mut self, start: &str) -> String {
        let mut all = String::new();
        for line in self.from.by_ref() {
            let line = line.unwrap();
            all += &line;
            all.push('\n');
            assert!(!line.starts_with("^error"), "{all}");
            if line.starts_with(start) {
                return line;
            }
        }
        panic!("no {start} in {all}")
    }

    fn ask(&mut self, command: &str) -> String {
        writeln!(self.to, "{command}").unwrap();
        self.until("^")
    }

    /// A command that lets the program run until it stops.
    fn go(&mut self, command: &str) -> String {
        self.ask(command);
        self.until("*stopped")
    }
}

#[test]
fn the_launch_configuration_starts_the_server_and_debugs_in_both_directions() {
    let (launch, tasks) = (file("launch.json"), file("tasks.json"));
    let (configuration, task) = (&launch["configurations"][0], &tasks["tasks"][0]);
    for (key, wanted) in [("type", "cppdbg"), ("request", "launch"), ("MIMode", "gdb")] {
        assert_eq!(text(configuration, key), wanted);
    }
    assert_eq!(configuration["stopAtConnect"], true);
    assert_eq!(text(configuration, "preLaunchTask"), text(task, "label"));
    assert_eq!(task["isBackground"], true);
    let program = text(configuration, "program").strip_prefix("${workspaceFolder}/").unwrap();
    let words: Vec<&str> = task["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap()).collect();
    let port = words[words.iter().position(|w| *w == "--port").unwrap() + 1];
    assert_eq!(text(configuration, "miDebuggerServerAddress"), format!("localhost:{port}"));
    assert!(words.contains(&program) && words.contains(&"--once"), "{words:?}");

    let place = Place::new();
    std::fs::write(place.path().join(program), programs::find("bank").unwrap().elf).unwrap();
    let recording = words[1];
    place.good(&format!("encode {program} --harts 2 --max-instructions 200000 --scheme inputs -o {recording}"));
    // a port that no other test uses
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let words = words.iter().map(|w| if *w == port { &free } else { *w });
    assert_eq!(text(task, "command"), "goshawk");
    let mut server = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
    let mut server = server.args(words).current_dir(place.path()).stderr(Stdio::piped()).spawn().unwrap();
    // the editor connects when a line matches
    let ready = text(&task["problemMatcher"]["background"], "endsPattern").strip_prefix('^').unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    assert!(lines.by_ref().any(|l| l.unwrap().starts_with(ready)), "the server does not print {ready}");

    let mut gdb = Gdb::start(text(configuration, "miDebuggerPath"), place.path());
    gdb.ask(&format!("-file-exec-and-symbols {program}"));
    gdb.ask(&format!("-target-select remote localhost:{free}"));
    let threads = gdb.ask("-thread-info");
    assert!(threads.contains("core 0, instruction 0") && threads.contains("core 1, instruction 0"), "{threads}");
    gdb.ask("-break-insert set_balance");
    let stop = gdb.go("-exec-continue");
    assert!(stop.contains("reason=\"breakpoint-hit\"") && stop.contains("func=\"set_balance\""), "{stop}");
    let stack = gdb.ask("-stack-list-frames");
    assert!(stack.contains("func=\"bank_step\"") && stack.contains("line=\""), "{stack}");
    assert!(gdb.ask("-stack-list-variables --simple-values").contains("name=\"value\""));
    let balance = gdb.ask("-data-evaluate-expression balance");
    for _ in 0..3 {
        gdb.go("-exec-next");
    }
    assert_ne!(gdb.ask("-data-evaluate-expression balance"), balance);
    // back by the debug console, and by what a button for steps sends
    let back = gdb.go("-interpreter-exec console \"reverse-continue\"");
    assert!(back.contains("reason=\"breakpoint-hit\"") && back.contains("func=\"set_balance\""), "{back}");
    assert_eq!(gdb.ask("-data-evaluate-expression balance"), balance);
    gdb.go("-exec-next");
    let back = gdb.go("-exec-next --reverse");
    assert!(back.contains("func=\"set_balance\"") && back.contains("line=\""), "{back}");
    writeln!(gdb.to, "-gdb-exit").unwrap();
    gdb.child.wait().unwrap();
    // `--once`
    assert!(server.wait().unwrap().success());
}

#[test]
fn the_other_tasks_record_and_show_the_run() {
    let place = Place::new();
    std::fs::write(place.path().join("firmware.elf"), programs::find("bank").unwrap().elf).unwrap();
    let tasks = file("tasks.json");
    let tasks = &tasks["tasks"].as_array().unwrap()[1..];
    assert_eq!(tasks.len(), 4);
    for task in tasks {
        assert_eq!((text(task, "type"), text(task, "command")), ("process", "goshawk"));
        let words = task["args"].as_array().unwrap().iter().map(|a| a.as_str().unwrap());
        let words: Vec<&str> = words.map(|w| if w == "${selectedText}" { "balance" } else { w }).collect();
        let said = place.good(&words.join(" "));
        match words.iter().position(|w| *w == "-o") {
            Some(at) => assert!(place.path().join(words[at + 1]).exists(), "{words:?}: {said}"),
            None => assert!(said.contains("set_balance"), "{words:?}: {said}"),
        }
    }
    let lcov = std::fs::read_to_string(place.path().join("lcov.info")).unwrap();
    assert!(lcov.contains("bank.c\n") && lcov.contains("\nDA:"), "{lcov}");
}

#[test]
fn snippets_are_scripts() {
    let place = Place::new();
    let snippets = file("goshawk.code-snippets");
    let snippets = snippets.as_object().unwrap();
    assert_eq!(snippets.len(), 5);
    for (name, snippet) in snippets {
        assert!(text(snippet, "prefix").starts_with("gos-"), "{name}");
        let lines = snippet["body"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
        let script = lines.collect::<Vec<_>>().join("\n");
        let script = script.replace("${1:function}", "set_balance").replace("${1:variable}", "balance");
        assert!(!script.contains('$'), "{name}: {script}");
        std::fs::write(place.path().join("s.dx"), script).unwrap();
        let said = place.good("diag run s.dx builtin:bank --max-instructions 60000");
        assert!(said.contains("balance") || said.contains("calls") || said.contains("cycles"), "{name}: {said}");
    }
}
