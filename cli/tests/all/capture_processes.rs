//! `goshawk capture run --follow`: a recording of each process

use crate::common::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::Command;

/// A folder with a compiled program that creates processes, for RV64.
fn place() -> Place {
    let place = Place::new();
    let source = format!("{}/../capture/tests/guests/processes.c", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("riscv64-linux-gnu-gcc");
    command.args(["-O1", "-static", "-o", "guest"]).arg(source).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
    place
}

/// The first process and the others, of which every recording is encoded, replayed and compared.
fn captured(place: &Place, words: &str, code: i32) -> (u64, Vec<Value>) {
    let (first, others, missed) = captured_of_many(place, words, code);
    assert_eq!(missed, 0, "{words}");
    (first, others)
}

/// As [`captured`], with the number of processes that waited too long for the front end, as it says.
fn captured_of_many(place: &Place, words: &str, code: i32) -> (u64, Vec<Value>, usize) {
    let o = place.output(&format!("capture run --json -o a.ret {words}"));
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(code), "{words}: {err}");
    let result: Value = serde_json::from_slice(&o.stdout).unwrap();
    assert_eq!(result["expanded"]["unexplained"], 0, "{words}");
    let processes = result["processes"].as_array().unwrap().clone();
    let files = processes.iter().map(|p| p["files"][0].as_str().unwrap());
    for file in files.chain(["a.ret"]) {
        place.good(&format!("encode {file} -o x.gtr"));
        place.good(&format!("replay x.gtr --elf {file} --check {file}"));
        std::fs::remove_file(place.path().join(file)).unwrap();
    }
    assert!(processes.iter().all(|p| p["unexplained"] == 0), "{words}: {result}");
    let missed =
        err.lines().find_map(|line| line.strip_prefix("goshawk: ")?.split_once(" not captured: too many at a time"));
    let missed = missed.map_or(0, |(number, _)| number.split_once(' ').unwrap().0.parse().unwrap());
    (result["expanded"]["instructions"].as_u64().unwrap(), processes, missed)
}

fn count(process: &Value) -> u64 {
    process["instructions"].as_u64().unwrap()
}

fn code(process: &Value) -> i64 {
    process["ended"]["code"].as_i64().unwrap()
}

#[test]
fn children_have_recordings_with_all_their_instructions() {
    let place = place();
    for data in ["", "--data"] {
        let (first, mut others) = captured(&place, &format!("{data} --follow all -- ./guest fork 700"), 7);
        // they may end at nearly the same time
        others.sort_by_key(|p| std::cmp::Reverse(code(p)));
        assert_eq!((others.len(), code(&others[0]), code(&others[1])), (2, 6, 5));
        let [child, grandchild] = [&others[0], &others[1]];
        assert_eq!(grandchild["parent"], child["pid"]);
        let (pid, file) = (&child["pid"], child["files"][0].as_str().unwrap());
        assert_eq!(file, format!("a.{pid}-guest.ret"));
        // as many as QEMU logs, for all processes together
        let mut plain = Command::new("qemu-riscv64");
        plain.args("-singlestep -d exec,nochain -D log ./guest fork 700".split(' ')).current_dir(place.path());
        assert_eq!(plain.status().unwrap().code(), Some(7));
        let log = std::fs::read_to_string(place.path().join("log")).unwrap();
        let logged = log.lines().filter(|l| l.starts_with("Trace")).count() as u64;
        assert_eq!(first + count(child) + count(grandchild), logged, "{data}");
    }
    // many at a time, each with 8 instructions more than the one before; on a busy host some are missed, and counted
    let (_, others, missed) = captured_of_many(&place, "--follow all -- ./guest many 90", 0);
    let mut counts: Vec<u64> = others.iter().map(count).collect();
    counts.sort_unstable();
    let steps = counts.windows(2).map(|w| (w[1] - w[0]) / 8 - 1);
    assert!(
        counts.len() + missed == 90 && counts.windows(2).all(|w| w[1] > w[0] && (w[1] - w[0]) % 8 == 0),
        "{counts:?}"
    );
    assert!(steps.sum::<u64>() <= missed as u64, "{counts:?}");
}

#[test]
fn programs_that_replace_others_have_recordings() {
    let place = place();
    // the program alone, called in the same way
    let (alone, none) = captured(&place, "-- ./guest run 1234", 34);
    assert_eq!(none.len(), 0);
    for (how, processes) in [("exec", 1), ("vfork", 2), ("spawn", 2)] {
        let (_, others) = captured(&place, &format!("--follow all -- ./guest {how} 1234"), 34);
        assert_eq!(others.len(), processes, "{how}");
        let last = &others[processes - 1];
        assert_eq!((code(last), &last["parent"]), (34, &last["pid"]), "{how}");
        // the length of the environment decides how long start-up takes
        assert!(count(last).abs_diff(alone) < 400, "{how}: {} {alone}", count(last));
        if processes == 2 {
            assert_eq!((&others[0]["ended"]["replaced"], &others[0]["pid"]), (&true.into(), &last["pid"]), "{how}");
        }
    }
    // a script runs its interpreter, with the script as an argument
    let script = place.path().join("script");
    std::fs::write(&script, "#!./guest run\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let (_, others) = captured(&place, "--follow all -- ./guest script ./script", 0);
    assert!(others.len() == 2 && code(&others[1]) == 0, "{others:?}");
}

#[test]
fn names_select_programs() {
    let place = place();
    std::fs::copy(place.path().join("guest"), place.path().join("other")).unwrap();
    let run = |follow: &str, how: &str| {
        let words = format!("--follow {follow} -- ./guest {how} 500");
        let code = if how == "fork" { 7 } else { 0 };
        let (_, others) = captured(&place, &words, code);
        others.len()
    };
    assert_eq!((run("none", "fork"), run("guest", "fork"), run("other", "fork")), (0, 2, 0));
    assert_eq!((run("other", "spawn"), run("guest", "spawn")), (0, 2));
    // the child and its child; a program that replaces another has its depth
    assert_eq!((run("depth:1", "fork"), run("depth:2", "fork"), run("depth:1", "spawn")), (1, 2, 2));
    for (words, message) in [
        ("--follow /bin/ls -- ./guest", "expected all, none, depth:N such as depth:1, or file names"),
        ("--follow depth:0 -- ./guest", "expected all, none, depth:N such as depth:1, or file names"),
        ("--follow all --end-with-trace -- ./guest", "--end-with-trace"),
    ] {
        let o = place.output(&format!("capture run -o no.ret {words}"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert!(o.status.code() == Some(2) && err.contains(message), "{err}");
    }
}

/// Instructions of all processes of the last run, as QEMU logged them: a line for each, and one more for each repetition of an
/// instruction with the prefix `rep`, which a recording counts once.
fn logged(place: &Place) -> u64 {
    let mut count = 0;
    for entry in place.path().read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_string_lossy().starts_with("log.") {
            continue;
        }
        let (mut last, mut file) = (Vec::<u8>::new(), BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line).unwrap() > 0 {
            // Trace 0: 0x7f... [0000000000000000/0000000080000434/00000000/ff000000] main
            if let Some(pc) = line.strip_prefix(b"Trace").and_then(|l| l.split(|b| *b == b'/').nth(1)) {
                count += u64::from(pc != last);
                last.clear();
                last.extend(pc);
            }
            line.clear();
        }
        std::fs::remove_file(path).unwrap();
    }
    count
}

/// Runs a program of this machine with all its children, and returns their names, and the numbers of their instructions
/// as captured and as logged by QEMU in the same run.
fn followed(place: &Place, program: &str, code: i32) -> (Vec<String>, u64, u64) {
    let mut command = place.command(&format!("capture run --follow all --json -o a.ret -- {program}"));
    // these reach every QEMU of the run through the environment of the programs
    let log = place.path().join("log.%d");
    command.env("QEMU_LOG", "exec,nochain").env("QEMU_LOG_FILENAME", log).env("QEMU_SINGLESTEP", "1");
    let o = command.output().unwrap();
    assert_eq!(o.status.code(), Some(code), "{program}: {}", String::from_utf8_lossy(&o.stderr));
    let result: Value = serde_json::from_slice(&o.stdout).unwrap();
    let processes = result["processes"].as_array().unwrap();
    assert!(processes.iter().all(|p| p["unexplained"] == 0), "{result}");
    let name = |p: &Value| p["program"].as_str().unwrap().rsplit('/').next().unwrap().to_string();
    let mut names: Vec<String> = processes.iter().map(name).collect();
    names.sort();
    let captured = result["expanded"]["instructions"].as_u64().unwrap() + processes.iter().map(count).sum::<u64>();
    (names, captured, logged(place))
}

/// Whether numbers are equal but for repetitions of `rep`. Processes between fork and exec share a log: where lines of two of them
/// alternate, each repetition counts, which are at most so many percent of the lines. Without that the numbers are equal.
fn is_near(captured: u64, logged: u64, percent: u64) -> bool {
    100 * captured.abs_diff(logged) <= percent * logged
}

/// Compiles a program of this machine.
fn compile(place: &Place, source: &str, name: &str) {
    std::fs::write(place.path().join("source.c"), source).unwrap();
    let compiler = ["-O1", "-static", "-o", name, "source.c"];
    let status = Command::new("gcc").args(compiler).current_dir(place.path()).status();
    assert!(status.expect("tools/setup installs the compiler").success());
}

#[test]
fn bash_make_and_the_driver_of_gcc_are_followed() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    compile(&place, "int main(int n, char **w) { return n > 2 && w[2][0] == 'b' ? 3 : 0; }", "tool");

    write("a.sh", "trap 'x=1' USR1\nkill -USR1 $$\n(./tool x; exit 2)\necho a | ./tool\nexit 4\n");
    let (names, captured, logged) = followed(&place, "/bin/bash a.sh", 4);
    assert_eq!(names, ["bash", "bash", "bash", "bash", "tool", "tool"]);
    assert!(is_near(captured, logged, 3), "bash: {captured} captured, {logged} logged");

    // the driver, with other programs in the place of the compiler, the assembler and the linker
    std::fs::create_dir(place.path().join("b")).unwrap();
    for name in ["cc1", "as", "collect2"] {
        std::fs::copy(place.path().join("tool"), place.path().join("b").join(name)).unwrap();
    }
    let (mut names, captured, logged) = followed(&place, "/usr/bin/gcc -Bb/ -o out source.c", 0);
    names.retain(|n| n != "gcc");
    assert_eq!(names, ["as", "cc1", "collect2"]);
    assert!(is_near(captured, logged, 1), "gcc: {captured} captured, {logged} logged");

    // two recipes at a time, of which one fails
    write("Makefile", "SHELL = ./tool\nall: one two\none two:\n\t@+$@\n");
    write("Makefile.bad", "SHELL = ./tool\nall: one bad\none bad:\n\t@+$@\n");
    for (file, code) in [("Makefile", 0), ("Makefile.bad", 2)] {
        let (mut names, captured, logged) = followed(&place, &format!("/usr/bin/make -r -j2 -f {file}"), code);
        names.retain(|n| n != "make");
        assert_eq!(names, ["tool", "tool"]);
        assert!(is_near(captured, logged, 15), "make: {captured} captured, {logged} logged");
    }
}

#[test]
fn shells_and_make_are_followed() {
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let place = Place::new();
    let line = "capture run --follow ls,wc --json -o a.ret -- /bin/sh make.sh";
    std::fs::write(place.path().join("make.sh"), "for i in 1 2; do ls / | wc -l >/dev/null; done\nexit 3\n").unwrap();
    let o = place.output(line);
    assert_eq!(o.status.code(), Some(3), "{}", String::from_utf8_lossy(&o.stderr));
    let result: Value = serde_json::from_slice(&o.stdout).unwrap();
    let mut programs: Vec<_> = result["processes"].as_array().unwrap().iter().map(|p| p["program"].clone()).collect();
    programs.sort_by_key(Value::to_string);
    let name = |p: &Value| p.as_str().unwrap().rsplit('/').next().unwrap().to_string();
    assert_eq!(programs.iter().map(name).collect::<Vec<_>>(), ["ls", "ls", "wc", "wc"]);
}
