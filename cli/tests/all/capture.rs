//! `goshawk capture serial` over a pseudo-terminal: the bytes that a simulated SoC sends

use crate::common::Place;
use rustix::fs::OFlags;
use rustix::termios::OptionalActions;
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A folder in which a picorv32 has run: `line.bin`, `trace.gtr`, and its program in `p.elf`.
fn simulated() -> Place {
    let place = Place::new();
    let elf = programs::find("bank").unwrap().soc.rv32im.unwrap();
    std::fs::write(place.path().join("p.elf"), elf).unwrap();
    place.good("soc sim --core picorv32 --elf p.elf --set small --uart 4 --max-cycles 300000 --out .");
    place
}

/// Sends `bytes` over a serial device to the command, then disconnects it; returns the exit code, and JSON or error
/// message.
fn captured(place: &Place, bytes: Vec<u8>, options: &str) -> (Option<i32>, Result<Value, String>) {
    let master = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::grantpt(&master).unwrap();
    rustix::pty::unlockpt(&master).unwrap();
    let path = PathBuf::from(rustix::pty::ptsname(&master, Vec::new()).unwrap().into_string().unwrap());
    // raw before the first byte: the terminal must neither echo nor translate
    let line = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, rustix::fs::Mode::empty()).unwrap();
    let mut raw = rustix::termios::tcgetattr(&line).unwrap();
    raw.make_raw();
    rustix::termios::tcsetattr(&line, OptionalActions::Now, &raw).unwrap();
    let board = std::thread::spawn(move || {
        let mut master = File::from(master);
        // the command may receive its end frame, and close, before the last byte
        let _ = master.write_all(&bytes);
        // bytes still in the line are lost when it is disconnected; the kernel delivers them some time after the write,
        // and the command may have taken them by then
        let mut there = false;
        for round in 0..12_000 {
            match rustix::io::ioctl_fionread(&line) {
                Ok(0) if there || round > 400 => break,
                Ok(0) => {}
                Ok(_) => there = true,
                Err(_) => break,
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
    let words = format!("capture serial --port {} --core picorv32 --json -o board.gtr {options}", path.display());
    let o = place.command(&words).output().unwrap();
    board.join().unwrap();
    let err = String::from_utf8(o.stderr).unwrap();
    (o.status.code(), serde_json::from_slice(&o.stdout).map_err(|_| err))
}

fn line(place: &Place) -> Vec<u8> {
    std::fs::read(place.path().join("line.bin")).unwrap()
}

#[test]
fn what_a_board_sends_is_received_and_replays() {
    let place = simulated();
    let bytes = line(&place);
    let (code, json) = captured(&place, bytes, "--set small --elf p.elf");
    let json = json.unwrap();
    assert_eq!((code, &json["ended"], &json["frames"]["lost"]), (Some(0), &true.into(), &0.into()), "{json}");
    let (sent, got) = traces(&place);
    assert_eq!(sent, got, "another trace than the simulated port's");
    place.good("replay board.gtr --elf p.elf --check retire.ret");
}

/// A simulated SoC that waits for its host on the serial device `tty`.
fn waiting() -> (Place, Child) {
    let place = Place::new();
    let elf = programs::find("bank").unwrap().soc.rv32im.unwrap();
    std::fs::write(place.path().join("p.elf"), elf).unwrap();
    let soc =
        "soc sim --core picorv32 --elf p.elf --set small --uart 4 --serial tty --wait --max-cycles 200000 --out .";
    let mut board = Command::new(assert_cmd::cargo::cargo_bin("goshawk"))
        .current_dir(place.path())
        .args(soc.split_whitespace())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Verilator builds it first
    while !place.path().join("tty").exists() {
        assert!(board.try_wait().unwrap().is_none(), "the simulation has ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    (place, board)
}

fn registers(place: &Place, options: &str) -> Value {
    let text = place.good(&format!("capture registers --port tty --json {options}"));
    serde_json::from_str::<Value>(&text).unwrap()["registers"].clone()
}

#[test]
fn a_host_starts_a_waiting_soc_and_gets_its_trace() {
    let (place, mut board) = waiting();
    let r = registers(&place, "");
    assert_eq!((&r["id"], &r["control"], &r["soc_status"]), (&0x6754_0101.into(), &0.into(), &0.into()), "{r}");
    let text = place.good("capture serial --port tty --core picorv32 --set small --elf p.elf -o board.gtr --go --json");
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["ended"], &json["frames"]["lost"]), (&true.into(), &0.into()), "{json}");
    assert!(board.wait().unwrap().success());
    assert!(!place.path().join("tty").exists(), "the link stays");
    let (sent, got) = traces(&place);
    assert_eq!(sent, got, "another trace than the simulated line's");
}

#[test]
fn registers_are_written_over_the_line() {
    let (place, mut board) = waiting();
    let r = registers(&place, "--set control=1 --set overflow=0xffff");
    assert_eq!((&r["control"], &r["status"], &r["overflow"]), (&1.into(), &3.into(), &0.into()), "{r}");
    let r = registers(&place, "--set control=0");
    assert_eq!((&r["control"], r["status"].as_u64().unwrap() & 2), (&0.into(), 0), "{r}");
    let o = place.command("capture registers --port tty --set enable=1").output().unwrap();
    let said = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(said.contains("register enable is unknown; there are id, params, control, "), "{said}");
    board.kill().unwrap();
    board.wait().unwrap();
}

#[test]
fn a_noisy_line_is_reported_and_the_trace_ends_at_the_gap() {
    let place = simulated();
    let mut bytes = line(&place);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    bytes.splice(0..0, *b"GS noise");
    let (code, json) = captured(&place, bytes, "--set small --elf p.elf");
    let json = json.unwrap();
    assert_eq!((code, &json["ended"]), (Some(1), &true.into()), "{json}");
    let frames = &json["frames"];
    assert_eq!(frames["lost"], 1, "{frames}");
    assert!(frames["noise_bytes"].as_u64().unwrap() >= 8 + 6, "{frames}");
    assert!(frames["words_behind_a_loss"].as_u64().unwrap() > 20, "{frames}");
    let (sent, got) = traces(&place);
    assert!(got.len() < sent.len() && got.len() > sent.len() / 4, "{} of {}", got.len(), sent.len());
}

#[test]
fn a_line_that_is_cut_is_reported() {
    let place = simulated();
    let bytes = line(&place);
    let half = bytes[..bytes.len() / 2].to_vec();
    let (code, json) = captured(&place, half, "--set small --timeout 5");
    let json = json.unwrap();
    assert_eq!((code, &json["ended"], &json["exit_code"]), (Some(1), &false.into(), &Value::Null), "{json}");
    assert!(json["words"].as_u64().unwrap() > 40, "{json}");
}

#[test]
fn lines_without_a_stream_of_these_parameters_are_refused() {
    let place = simulated();
    let (code, said) = captured(&place, line(&place), "--set medium");
    let said = said.unwrap_err();
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("the stream begins with [") && said.contains("for the given `--core`, `--cores` and `--set`"),
        "{said}"
    );
    assert!(!place.path().join("board.gtr").exists());
    let (code, said) = captured(&place, b"login: ".to_vec(), "--set small --timeout 1");
    let said = said.unwrap_err();
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("0 trace words were received; a stream begins with"), "{said}");
    let o = place.command("capture serial --port missing --core picorv32 -o board.gtr").output().unwrap();
    let said = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(said.starts_with("goshawk: `--port missing`: "), "{said}");
}

/// The trace file of the simulated port, and the received one.
fn traces(place: &Place) -> (Vec<u8>, Vec<u8>) {
    let read = |name| std::fs::read(place.path().join(name)).unwrap();
    (read("trace.gtr"), read("board.gtr"))
}
