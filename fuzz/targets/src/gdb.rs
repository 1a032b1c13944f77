//! What GDB sends: bytes as they come, and packets with checksums that are right, one a line

use host::debug::server::pipes;
use retire::elf::Program;
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};
use std::io::Cursor;
use std::sync::LazyLock;

/// A recording to ask about; a clone of the replay is at its beginning.
static REPLAY: LazyLock<Replay> = LazyLock::new(|| {
    let program: Program = programs::find("irq").and_then(|p| p.load().ok()).expect("the program is there");
    let config = MachineConfig { harts: 2, ram_bytes: 1 << 20, ..MachineConfig::default() };
    let mut machine = Machine::new(&program, config).expect("it runs");
    let params = InputsParams::new(2, 32, machine.ram(), "inputs:64".parse().expect("a scheme"));
    let mut recorder = Recorder::new(&params, &program).expect("the parameters are right");
    machine.run(&mut recorder, Limits { instructions: 500, ..Limits::default() }).expect("it runs");
    recorder.finish();
    let words: Vec<u32> = recorder.drain().collect();
    Replay::new(&params, &program, words).expect("the parameters are right").expect("the header is right")
});

fn packet(line: &[u8]) -> Vec<u8> {
    let sum = line.iter().fold(0u8, |s, b| s.wrapping_add(*b));
    [b"$", line, format!("#{sum:02x}").as_bytes()].concat()
}

/// Serves it until there are no more bytes.
pub(crate) fn run(data: &[u8]) {
    let sent: Vec<u8> = match data.split_first() {
        Some((0, rest)) => rest.to_vec(),
        // each answer is acknowledged
        _ => data.split(|b| *b == b'\n').flat_map(|line| [b"+".to_vec(), packet(line)].concat()).collect(),
    };
    // what GDB said may make no sense: then the server says so
    let _ = pipes(REPLAY.clone(), None, Cursor::new(sent), std::io::sink(), Box::new(|_| ()));
}

/// Sessions as GDB has them.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let lines = "qSupported:multiprocess+;swbreak+;hwbreak+;qRelocInsn+;vContSupported+\n?\nqfThreadInfo\nHg1\ng\np0\n\
                 qXfer:features:read:target.xml:0,fff\nm80000000,40\nZ0,80000010,4\nvCont;c:p1.-1\nZ2,80004000,4\nvCont;s:p1.1\nbs\nbc\n\
                 z0,80000010,4\nz2,80004000,4\nqRcmd,68656c70\nvCont;c:p1.-1\nM80000000,4:00000000\nG00\nP0=00000000\nk";
    let raw = lines.lines().flat_map(|line| packet(line.as_bytes()));
    vec![lines.as_bytes().to_vec(), [0].into_iter().chain(raw).collect()]
}
