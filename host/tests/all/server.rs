//! The server for GDB, by the bytes of the remote protocol

use host::debug::server::tcp;
use host::input::{Input, InputOptions};
use host::inputs::{record, Session};
use host::machine::Settings;
use host::progress::Quiet;
use sim::scheme::inputs::params::Sizes;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::channel;
use std::time::Duration;

/// A client that knows packets and acknowledges them.
struct Client(TcpStream);

impl Client {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(stream)
    }

    fn send(&mut self, text: &str) {
        let sum = text.bytes().fold(0u8, u8::wrapping_add);
        self.0.write_all(format!("${text}#{sum:02x}").as_bytes()).unwrap();
    }

    /// The next packet; empty where the server has hung up.
    fn reply(&mut self) -> String {
        let mut text = Vec::new();
        let mut byte = [0];
        let mut inside = false;
        while let Ok(1) = self.0.read(&mut byte) {
            match byte[0] {
                b'$' => inside = true,
                b'#' if inside => {
                    let _ = self.0.read_exact(&mut [0; 2]);
                    self.0.write_all(b"+").unwrap();
                    return String::from_utf8(text).unwrap();
                }
                b if inside => text.push(b),
                _ => {}
            }
        }
        String::new()
    }

    fn ask(&mut self, text: &str) -> String {
        self.send(text);
        self.reply()
    }
}

#[test]
fn one_gdb_after_the_other_is_served_and_none_breaks_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let port = serve(folder.path(), 6_000_000);

    let mut first = Client::new(port);
    assert!(first.ask("qSupported:multiprocess+").contains("ReverseContinue+"));
    // a second one at the same time is refused with a reason, and the first continues
    let mut second = Client::new(port);
    assert_eq!(second.ask("qSupported:multiprocess+"), "E.another GDB is connected to this port");
    assert_eq!(second.reply(), "");
    // to the end, and back again until Ctrl-C: not to the beginning
    assert!(first.ask("vCont;c").contains("replaylog:end"));
    let sum = "bc".bytes().fold(0u8, u8::wrapping_add);
    first.0.write_all(format!("$bc#{sum:02x}\x03").as_bytes()).unwrap();
    let stopped = first.reply();
    assert!(stopped.starts_with("T02") || stopped == "S02", "{stopped}");
    // threads that are none
    assert!(!first.ask("vCont;s:p1.63").contains("replaylog"));
    assert!(first.ask("Hg63").starts_with('E') || first.ask("g").starts_with('E'));
    drop(first);

    // what is no packet ends a connection at most
    for bytes in [&b"$m0,ffffffffffffffffffff#00"[..], b"$$$$###", b"\xff\x00\x03$qSupported", b"$vCont;s:p1.-1#4d"] {
        let mut client = wait(port);
        client.0.write_all(bytes).unwrap();
    }
    let mut last = wait(port);
    assert!(last.ask("?").starts_with('T') || last.ask("?").starts_with('S'));
    assert!(last.ask("D").starts_with("OK"));
    drop(last);
    assert!(wait(port).ask("qSupported:multiprocess+").contains("PacketSize"));
}

/// A server of a recorded run of `builtin:qsort`, and its port.
fn serve(folder: &std::path::Path, instructions: u64) -> u16 {
    let path = folder.join("qsort.gip");
    let settings = Settings { max_instructions: Some(instructions), ..Settings::default() };
    record(&Input::open("builtin:qsort").unwrap().run(2, &settings).unwrap(), Sizes::default(), 0, Some(&path), &Quiet)
        .unwrap();
    let (send, port) = channel();
    std::thread::spawn(move || {
        let beside = InputOptions { elf: Some("builtin:qsort"), any_build: false, ..InputOptions::default() };
        let replay = Session::open(&path, beside).unwrap().replay();
        tcp(replay, None, 0, false, |port| send.send(port).unwrap(), Box::new(|_| {})).unwrap();
    });
    port.recv().unwrap()
}

/// A reply without run-length encoding: a character, `*`, and the number of repetitions plus 29 as a character.
fn unpacked(reply: &str) -> String {
    let mut text = String::new();
    let mut chars = reply.chars();
    while let Some(c) = chars.next() {
        match (c, text.chars().last()) {
            ('*', Some(last)) => {
                let count = chars.next().map_or(0, |n| n as usize - 29);
                text.extend(std::iter::repeat_n(last, count));
            }
            _ => text.push(c),
        }
    }
    text
}

#[test]
fn conditions_of_breakpoints_are_evaluated_by_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::new(serve(folder.path(), 100_000));
    assert!(client.ask("qSupported:multiprocess+").contains("ConditionalBreakpoints+"));
    for _ in 0..200 {
        client.ask("vCont;s:p1.1");
    }
    // address and stack pointer of that moment: bytes in the order of memory, 32 bits
    let number = |text: String| u32::from_str_radix(&unpacked(&text), 16).unwrap().swap_bytes();
    let (pc, sp) = (number(client.ask("p20")), number(client.ask("p2")));
    assert!(client.ask("bc").contains("replaylog:begin"));
    let at = |client: &mut Client, condition: &str| {
        assert_eq!(client.ask(&format!("Z0,{pc:x},2;{condition}")), "OK");
        client.ask("vCont;c")
    };
    // false; then that of the moment, from both sides; then removed
    assert!(at(&mut client, "X3,220027").contains("replaylog:end"));
    let same = format!("Xa,26000224{sp:08x}1327");
    assert!(client.ask("bc").contains("replaylog:begin"));
    assert!(at(&mut client, &same).starts_with("T05"));
    assert_eq!((number(client.ask("p20")), number(client.ask("p2"))), (pc, sp));
    assert!(at(&mut client, &format!("Xa,26000224{:08x}1327", sp ^ 4)).contains("replaylog:end"));
    assert_eq!(client.ask(&format!("Z0,{pc:x},2;{same}")), "OK");
    assert!(client.ask("bc").starts_with("T05"));
    assert_eq!(client.ask(&format!("z0,{pc:x},2")), "OK");
    assert!(client.ask("bc").contains("replaylog:begin"));
}

/// A client that is served, as soon as the one before is gone.
fn wait(port: u16) -> Client {
    for _ in 0..200 {
        let mut client = Client::new(port);
        if !client.ask("qSupported:multiprocess+").starts_with("E.") {
            return client;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the server is busy for ever")
}
