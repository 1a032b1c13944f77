//! Communication with a Verilated program, in bulk or cycle by cycle

use super::Port;
use super::{Cosim, CosimError};
use hdl::drive::mask;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Bytes of a record: at least one word, even without ports.
fn record_len(ports: &[Port]) -> usize {
    4 * ports.iter().map(Port::words).sum::<usize>().max(1)
}

fn spawn(program: &Path, init_seed: u32) -> Result<(Child, ChildStdin, ChildStdout), CosimError> {
    let mut child =
        Command::new(program).arg(init_seed.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let lost = || std::io::Error::other("the Verilated program has no pipes");
    Ok((child, stdin.ok_or_else(lost)?, stdout.ok_or_else(lost)?))
}

/// Appends a vector as a record of little-endian words.
fn pack(cycle: u64, ports: &[Port], vector: &[u128], record: &mut Vec<u8>) -> Result<(), CosimError> {
    if vector.len() != ports.len() {
        let what = format!("{} input values; {} inputs are there", vector.len(), ports.len());
        return Err(CosimError::Vector { cycle, what });
    }
    for (port, &value) in ports.iter().zip(vector) {
        if value & !mask(port.width) != 0 {
            let what = format!("input `{}` = {value:#x} is wider than its {} bits", port.name, port.width);
            return Err(CosimError::Vector { cycle, what });
        }
        record.extend_from_slice(&value.to_le_bytes()[..4 * port.words()]);
    }
    if ports.is_empty() {
        record.extend_from_slice(&[0; 4]);
    }
    Ok(())
}

fn unpack(ports: &[Port], record: &[u8], vector: &mut Vec<u128>) {
    vector.clear();
    let mut at = 0;
    for port in ports {
        let n = 4 * port.words();
        let mut bytes = [0; 16];
        bytes[..n].copy_from_slice(&record[at..at + n]);
        vector.push(u128::from_le_bytes(bytes) & mask(port.width));
        at += n;
    }
}

fn failed_early(child: &mut Child, cycles: u64) -> CosimError {
    let status = child.wait().map_or_else(|e| e.to_string(), |s| s.to_string());
    CosimError::Ended { status, cycles }
}

/// [`super::Cosim::run`]: another thread feeds inputs while this one reads outputs.
pub(super) fn stream<I>(cosim: &Cosim, vectors: I, mut each: impl FnMut(u64, &[u128])) -> Result<u64, CosimError>
where
    I: IntoIterator<Item = Vec<u128>> + Send,
{
    let Cosim { program, inputs, outputs, init_seed } = cosim;
    let (mut child, stdin, stdout) = spawn(program, *init_seed)?;
    let feed = move || -> Result<u64, CosimError> {
        let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
        let mut record = Vec::with_capacity(record_len(inputs));
        let mut cycle = 0;
        for vector in vectors {
            record.clear();
            pack(cycle, inputs, &vector, &mut record)?;
            stdin.write_all(&record)?;
            cycle += 1;
        }
        stdin.flush()?;
        Ok(cycle)
    };
    std::thread::scope(|scope| {
        let feeder = scope.spawn(feed);
        let mut stdout = BufReader::with_capacity(1 << 16, stdout);
        let mut record = vec![0; record_len(outputs)];
        let mut vector = Vec::new();
        let mut cycles = 0;
        while stdout.read_exact(&mut record).is_ok() {
            unpack(outputs, &record, &mut vector);
            each(cycles, &vector);
            cycles += 1;
        }
        let status = child.wait()?;
        let fed = feeder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match fed {
            // a wrong vector ends the run, so its error is the reason, not that of the program
            Err(e @ CosimError::Vector { .. }) => Err(e),
            Ok(fed) if status.success() && fed == cycles => Ok(cycles),
            _ => Err(CosimError::Ended { status: status.to_string(), cycles }),
        }
    })
}

/// A running Verilated top module that is stepped one cycle at a time.
#[derive(Debug)]
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    record: Vec<u8>,
    answer: Vec<u8>,
    cycles: u64,
}

impl Session {
    pub(super) fn start(cosim: &Cosim) -> Result<Self, CosimError> {
        let Cosim { program, inputs, outputs, init_seed } = cosim;
        let (child, stdin, stdout) = spawn(program, *init_seed)?;
        Ok(Self {
            child,
            stdin: Some(stdin),
            stdout,
            inputs: inputs.clone(),
            outputs: outputs.clone(),
            record: Vec::new(),
            answer: vec![0; record_len(outputs)],
            cycles: 0,
        })
    }

    /// Runs one cycle: sets the inputs, samples the outputs before the rising edge and returns them.
    pub fn step(&mut self, inputs: &[u128]) -> Result<Vec<u128>, CosimError> {
        self.record.clear();
        pack(self.cycles, &self.inputs, inputs, &mut self.record)?;
        let sent = self.stdin.as_mut().map(|s| s.write_all(&self.record));
        if !matches!(sent, Some(Ok(()))) || self.stdout.read_exact(&mut self.answer).is_err() {
            return Err(failed_early(&mut self.child, self.cycles));
        }
        self.cycles += 1;
        let mut vector = Vec::with_capacity(self.outputs.len());
        unpack(&self.outputs, &self.answer, &mut vector);
        Ok(vector)
    }

    /// Cycles run so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }
}

impl Drop for Session {
    /// Closes the program's input, which ends it, and waits for that.
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}
