//! A server that creates a process for each connection, with clients outside QEMU: each process has its recording

use crate::common::options;
use capture::expand::IgnoreAll;
use capture::follow::Follow;
use capture::machine::Executable;
use capture::run::{capture_all, Captured, Ended, Options};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Sends a request, once the server listens, and returns its reply.
fn ask(socket: &Path, rounds: u32) -> u32 {
    // the server starts meanwhile; without it, the test ends in an error
    let mut stream = (0..3000)
        .find_map(|_| {
            let found = UnixStream::connect(socket).ok();
            if found.is_none() {
                std::thread::sleep(Duration::from_millis(20));
            }
            found
        })
        .expect("the server listens");
    stream.write_all(&rounds.to_le_bytes()).unwrap();
    let mut reply = [0; 4];
    stream.read_exact(&mut reply).unwrap();
    u32::from_le_bytes(reply)
}

/// Instructions of a process that ended with code 0.
fn instructions(captured: &Captured) -> u64 {
    assert_eq!((captured.ended, captured.threads), (Ended::Code(0), 1));
    let expanded = captured.expand_to(1, &mut IgnoreAll, &mut |_| true).unwrap();
    assert_eq!(expanded.unexplained, 0);
    expanded.instructions
}

#[test]
fn each_connection_of_a_forking_server_is_captured_exactly() {
    const ROUNDS: [u32; 5] = [10, 20, 40, 80, 1160];
    let place = tempfile::tempdir().unwrap();
    let (program, socket) = (place.path().join("server"), place.path().join("socket"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guests/server.c");
    let mut compiler = Command::new("riscv64-linux-gnu-gcc");
    let status = compiler.args(["-O1", "-static", "-o"]).arg(&program).arg(source).status();
    assert!(status.expect("tools/setup installs the compiler").success());
    let clients = {
        let socket = socket.clone();
        std::thread::spawn(move || ROUNDS.map(|rounds| ask(&socket, rounds)))
    };
    let arguments = [socket.to_str().unwrap(), "5"];
    let options = Options { follow: Follow::All, ..options("serial:50000", &arguments) };
    let mut children = Vec::new();
    let mut finished = |captured: Captured| {
        children.push(instructions(&captured));
        Ok(())
    };
    let server =
        capture_all(Executable::open(&program).unwrap(), &options, &mut |_| {}, &mut finished).expect("it runs");
    assert_eq!(clients.join().unwrap(), ROUNDS);
    assert!(instructions(&server) > 1000);
    // the processes differ only in their rounds, each of which has as many instructions as the others
    children.sort_unstable();
    assert_eq!(children.len(), ROUNDS.len());
    let round = (children[1] - children[0]) / u64::from(ROUNDS[1] - ROUNDS[0]);
    assert!(round > 0);
    for (count, rounds) in children.iter().zip(ROUNDS) {
        assert_eq!(*count, children[0] + round * u64::from(rounds - ROUNDS[0]), "{children:?}");
    }
}
