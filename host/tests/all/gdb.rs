//! What GDB may ask, whether it makes sense or not

use host::debug::server::{keep_waiting, pipes};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A recording of two cores.
fn recording() -> Replay {
    let program = programs::find("irq").unwrap().load().unwrap();
    let config = MachineConfig { harts: 2, ram_bytes: 1 << 20, ..MachineConfig::default() };
    let mut machine = Machine::new(&program, config).unwrap();
    let params = InputsParams::new(2, 32, machine.ram(), "inputs:64".parse().unwrap());
    let mut recorder = Recorder::new(&params, &program).unwrap();
    machine.run(&mut recorder, Limits { instructions: 500, ..Limits::default() }).unwrap();
    recorder.finish();
    let words: Vec<u32> = recorder.drain().collect();
    Replay::new(&params, &program, words).unwrap().unwrap()
}

#[derive(Clone, Default)]
struct Answers(Arc<Mutex<Vec<u8>>>);

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What the server answers to packets, without acknowledgements.
fn asked(packets: &[&str]) -> String {
    let framed = |line: &&str| {
        let sum = line.bytes().fold(0u8, |s, b| s.wrapping_add(b));
        format!("+${line}#{sum:02x}")
    };
    let (sent, answers) = (packets.iter().map(framed).collect::<String>(), Answers::default());
    let _ = pipes(recording(), None, Cursor::new(sent.into_bytes()), answers.clone(), Box::new(|_| ()));
    let said = answers.0.lock().unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_thread_that_is_no_core_is_refused() {
    let right = asked(&["Hg1", "g"]);
    assert!(!right.contains("$E"), "{right}");
    // 0x100 is core 255, 0x101 would be core 0 in eight bits
    for thread in ["Hg3", "Hg100", "Hg101"] {
        let said = asked(&[thread, "g", "qfThreadInfo"]);
        assert!(said.contains("$E"), "{thread}: {said}");
        assert!(said.contains("m01,02"), "{thread}: the server has gone: {said}");
        let said = asked(&[thread, "p0", "qfThreadInfo"]);
        assert!(said.contains("$E") && said.contains("m01,02"), "{thread}: {said}");
    }
}

#[test]
fn the_moment_is_printed_while_gdb_waits() {
    let monitor =
        |command: &str| format!("qRcmd,{}", command.bytes().map(|byte| format!("{byte:02x}")).collect::<String>());
    // console output of the server: `O` and the text
    let moment: String = "moment 5".bytes().map(|byte| format!("{byte:02x}")).collect();
    let said = asked(&[&monitor("progress 0"), "c", "bc"]);
    assert!(said.contains(&format!("$O{moment}")), "{said}");
    let said = asked(&[&monitor("progress 0"), "c", &monitor("progress off"), "bc"]);
    assert!(!said.contains(&moment), "{said}");
    let text: String = "`monitor progress often`: expected a number".bytes().map(|b| format!("{b:02x}")).collect();
    assert!(asked(&[&monitor("progress often")]).contains(&text));
}

#[test]
fn gdb_is_kept_waiting_only_while_a_trace_is_opened() {
    let sent = Answers::default();
    let result = keep_waiting(sent.clone(), || {
        std::thread::sleep(Duration::from_millis(1800));
        7
    });
    let acknowledged = sent.0.lock().unwrap().clone();
    assert_eq!((result, acknowledged.iter().all(|b| *b == b'+')), (7, true));
    assert!(!acknowledged.is_empty(), "nothing in 1.8 s: GDB ends after 2 s");
    // nothing more is written into the replies
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(sent.0.lock().unwrap().len(), acknowledged.len());
    let quick = Answers::default();
    assert_eq!(keep_waiting(quick.clone(), || 3), 3);
    assert!(quick.0.lock().unwrap().is_empty());
}
