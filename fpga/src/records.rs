//! Output of a Verilated simulation while it runs: 32-bit words through a pipe, most of them in records
//!
//! A record is a word `kind | core << 4 | cycles since the last one << 8` and its arguments (`verilator/records.h`).

use std::io::{BufReader, Read};
use std::process::{Child, ChildStdout};

/// `verilator/words.h`, which every harness includes: name and text.
pub const WORDS: (&str, &str) = ("words.h", include_str!("../verilator/words.h"));
/// `verilator/records.h`, which harnesses that report cycles include: name and text.
pub const RECORDS: (&str, &str) = ("records.h", include_str!("../verilator/records.h"));

/// Record kind: more cycles than the first word of a record can hold; the argument is their number.
pub const TIME: u32 = 0;
/// Record kind: an instruction retired.
pub const RETIRED: u32 = 1;
/// Record kind: a trap was taken.
pub const TRAP: u32 = 2;
/// Record kind: a trace word.
pub const WORD: u32 = 3;
/// Record kind: a byte that the program printed.
pub const CONSOLE: u32 = 4;
/// Record kind: the end, followed by counts of the run.
pub const END: u32 = 5;

/// Record kind: the context of a core's further instructions.
pub const CONTEXT: u32 = 6;

/// Error of a simulation that failed.
#[derive(Debug, thiserror::Error)]
#[error("the simulation ended with {status}: {message}")]
pub struct SimulationFailed {
    /// Exit status.
    pub status: String,
    /// What it printed.
    pub message: String,
}

/// Words of a running simulation.
pub struct Words {
    source: BufReader<ChildStdout>,
    broken: bool,
}

impl Words {
    /// Reads the next word.
    pub fn word(&mut self) -> std::io::Result<u32> {
        let mut b = [0; 4];
        self.source.read_exact(&mut b).inspect_err(|_| self.broken = true)?;
        Ok(u32::from_le_bytes(b))
    }

    /// Reads the next two words as one number, lower half first.
    pub fn double(&mut self) -> std::io::Result<u64> {
        Ok(u64::from(self.word()?) | u64::from(self.word()?) << 32)
    }
}

/// Reads a simulation, whose standard output and error are pipes, to its end. `take` returns the result, or `None` if
/// the words are invalid. In that case, and if words are missing, the error is [`SimulationFailed`].
pub fn read_simulation<T, E>(mut child: Child, take: impl FnOnce(&mut Words) -> Result<Option<T>, E>) -> Result<T, E>
where
    E: From<std::io::Error> + From<SimulationFailed>,
{
    let lost = || std::io::Error::other("the simulation has no pipes");
    let source = BufReader::with_capacity(1 << 18, child.stdout.take().ok_or_else(lost)?);
    let mut words = Words { source, broken: false };
    let taken = take(&mut words);
    let broken = words.broken;
    // if this side stops reading, the program must not wait for it
    drop(words);
    let mut message = String::new();
    child.stderr.take().ok_or_else(lost)?.read_to_string(&mut message)?;
    let status = child.wait()?;
    match taken {
        Ok(Some(got)) => Ok(got),
        Err(e) if !broken => Err(e),
        Ok(None) | Err(_) => {
            Err(SimulationFailed { status: status.to_string(), message: message.trim().into() }.into())
        }
    }
}
