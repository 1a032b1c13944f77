//! `goshawk capture run`: what ends early is written, and the exit code shows it

use crate::common::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStderr, Command, Stdio};

/// A folder with a compiled program of the crate `capture`'s tests.
fn place(name: &str, compiler: &[&str]) -> Place {
    let place = Place::new();
    let source = format!("{}/../capture/tests/guests/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(compiler[0]);
    command.args(&compiler[1..]).args(["-O1", "-o", "guest"]).arg(source).current_dir(place.path());
    assert!(command.status().expect("tools/setup installs the compiler").success());
    place
}

const STATIC: &[&str] = &["riscv64-linux-gnu-gcc", "-static"];

/// A capture of a program that has printed a line and runs.
struct Running {
    child: Child,
    err: BufReader<ChildStderr>,
}

impl Running {
    fn start(place: &Place, words: &str) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("goshawk"));
        command.args(words.split(' ')).current_dir(place.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let err = BufReader::new(child.stderr.take().unwrap());
        Self { child, err }
    }

    fn send(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &pid]).status().unwrap().success());
    }

    /// Exit code and messages.
    fn end(mut self) -> (Option<i32>, String) {
        let text = std::io::read_to_string(&mut self.err).unwrap();
        (self.child.wait().unwrap().code(), text)
    }
}

/// Instructions of the recording, which is encoded, replayed and compared.
fn instructions(place: &Place) -> u64 {
    let stats: Value = serde_json::from_str(&place.good("stats a.ret --json")).unwrap();
    place.good("encode a.ret -o x.gtr");
    place.good("replay x.gtr --elf a.ret --check a.ret");
    std::fs::remove_file(place.path().join("a.ret")).unwrap();
    stats["instructions"].as_u64().unwrap()
}

#[test]
fn signals_end_the_program_and_the_rest_is_written() {
    let place = place("endless", STATIC);
    let run = |how: &str| Running::start(&place, &format!("capture run -o a.ret -- ./guest {how}"));
    for (how, signals, code, message) in [
        ("default", &["TERM"][..], 128 + 15, "guest: was ended by signal 15"),
        ("default", &["HUP"], 128 + 1, "guest: was ended by signal 1;"),
        ("default", &["INT"], 128 + 2, "guest: was ended by signal 2;"),
        ("leave", &["TERM"], 3, "goshawk: writing "),
        // killed 2 seconds later, or at a second signal
        ("ignore", &["TERM"], 128 + 15, "guest: was killed, because it did not end on SIGTERM"),
        ("ignore", &["INT", "INT"], 128 + 2, "guest: was killed, because it did not end on SIGINT"),
    ] {
        let running = run(how);
        for (i, signal) in signals.iter().enumerate() {
            std::thread::sleep(std::time::Duration::from_millis(if i > 0 { 300 } else { 0 }));
            running.send(signal);
        }
        let (exit, err) = running.end();
        assert_eq!(exit, Some(code), "{how} {signals:?}: {err}");
        assert!(err.contains(message), "{how} {signals:?}: {err}");
        assert!(instructions(&place) > 1000, "{how} {signals:?}");
    }
}

#[test]
fn a_signal_while_files_are_written_ends_them_early() {
    let place = place("endless", STATIC);
    let mut running = Running::start(&place, "capture run -o a.ret -- ./guest ignore busy");
    std::thread::sleep(std::time::Duration::from_secs(1));
    running.send("TERM");
    let mut line = String::new();
    running.err.read_line(&mut line).unwrap();
    assert!(line.starts_with("goshawk: writing ") && line.ends_with(" %\n"), "{line}");
    running.send("TERM");
    let (exit, err) = running.end();
    assert!(exit == Some(128 + 15) && err.contains("SIGTERM: ended writing; the files have "), "{exit:?}: {err}");
    assert!(instructions(&place) > 1000);
}

#[test]
fn an_emulator_that_does_not_start_leaves_no_file() {
    let place = place("endless", &["riscv64-linux-gnu-gcc"]);
    for (options, message) in [
        ("--sysroot /nowhere", "needs /lib/ld-linux-riscv64-lp64d.so.1, which is not in /nowhere; expected --sysroot"),
        ("--qemu /bin/true", "expected qemu-riscv64 version 7.2"),
    ] {
        let o = place.output(&format!("capture run {options} -o a.ret -- ./guest"));
        let err = String::from_utf8_lossy(&o.stderr);
        assert_eq!((o.status.code(), o.stdout.len()), (Some(2), 0), "{options}: {err}");
        assert!(err.contains(message), "{options}: {err}");
        assert!(!place.path().join("a.ret").exists(), "{options}");
    }
    let linux = self::place("flow", STATIC);
    let o = linux.output("capture run --sysroot /nowhere -o a.ret -- ./guest");
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!((o.status.code(), &*err), (Some(2), "goshawk: `--sysroot /nowhere`: no such folder\n"));
    let o = linux.output("capture run --system -o a.ret -- ./guest");
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("has code at 0x10000, but the memory of the machine begins at 0x80000000"), "{err}");
    // for a program without code, QEMU's message is shown
    let mut elf = std::fs::read(place.path().join("guest")).unwrap();
    elf.truncate(4096);
    std::fs::write(place.path().join("cut"), elf).unwrap();
    let o = place.output("capture run -o a.ret -- ./cut");
    assert_eq!(o.status.code(), Some(2), "{}", String::from_utf8_lossy(&o.stderr));
    assert!(!place.path().join("a.ret").exists());
}

#[test]
fn a_full_disk_leaves_shorter_files() {
    let place = place("flow", STATIC);
    let goshawk = assert_cmd::cargo::cargo_bin("goshawk");
    // files of at most 18 MB: enough for the ring, not for the descriptors
    let line = "trap '' XFSZ; ulimit -f 36000; exec $G capture run -o a.ret --data --mls l.txt -a -- sh -c \
                'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); done'";
    let o = Command::new("sh").args(["-c", line]).env("G", goshawk).current_dir(place.path()).output().unwrap();
    let err = String::from_utf8_lossy(&o.stderr);
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("l.txt: File too large") && err.contains("; the files have "), "{err}");
    let size = std::fs::metadata(place.path().join("l.txt")).unwrap().len();
    assert!((8_000_000..36_000 * 512).contains(&size), "{size}");
    assert!(instructions(&place) > 10_000);
    let left: Vec<_> = place.path().read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|n| ["guest", "p.elf", "l.txt", "x.gtr"].iter().any(|k| n == k)), "{left:?}");
}

#[test]
fn functions_signals_and_time_choose_the_traced_part() {
    let place = place("processes", STATIC);
    let run = |words: &str| {
        let o = place.output(&format!("capture run --data -o a.ret {words} -- ./guest run 5000"));
        let err = String::from_utf8_lossy(&o.stderr).into_owned();
        assert_eq!(o.status.code(), Some(0), "{words}: {err}");
        (instructions(&place), err)
    };
    // a loop of 8 instructions
    let (all, _) = run("--schedule serial:1000");
    let (late, _) = run("--start-at run");
    let (free, _) = run("--start-at run --schedule free");
    assert!((8 * 5000..all - 10_000).contains(&late), "{late} of {all}");
    assert_eq!(free, late);
    let (short, err) = run("--start-at run --stop-at step");
    assert!((1..30).contains(&short) && err.contains("guest: the trace ended at --stop-at; "), "{short}: {err}");
    let (early, _) = run("--stop-at run");
    assert_eq!(early + late, all);
    let (limited, _) = run("--start-at run --max-instructions 999");
    assert_eq!(limited, 999);
    let (none, err) = run("--start-at abort");
    assert!(none == 0 && err.contains("--start-at was not reached"), "{err}");
    let o = place.output("capture run --start-at nowhere -o a.ret -- ./guest");
    assert_eq!(o.status.code(), Some(2), "{}", String::from_utf8_lossy(&o.stderr));
}

#[test]
fn a_trace_ends_after_its_time_or_at_a_signal() {
    let place = place("endless", STATIC);
    let o = place.output("capture run --seconds 0.2 --end-with-trace -o a.ret -- ./guest");
    let err = String::from_utf8_lossy(&o.stderr);
    assert!(o.status.code() == Some(0) && err.contains("the trace ended at --seconds"), "{err}");
    assert!(instructions(&place) > 1000);
    let words = "capture run --start-at SIGUSR1 --stop-at SIGUSR2 --end-with-trace -o a.ret -- ./guest";
    let running = Running::start(&place, words);
    running.send("USR1");
    std::thread::sleep(std::time::Duration::from_millis(100));
    running.send("USR2");
    let (exit, err) = running.end();
    assert!(exit == Some(0) && err.contains("the trace ended at --stop-at"), "{exit:?}: {err}");
    assert!(instructions(&place) > 1000);
}
