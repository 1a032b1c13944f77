//! What a Verilated simulation says while it runs: 32-bit words through a pipe, most of them in records
//!
//! A record is a word `kind | core << 4 | clocks since the last one << 8` and its arguments (`verilator/records.h`).

use std::io::{BufReader, Read};
use std::process::{Child, ChildStdout};

/// `verilator/words.h`, which every harness includes: name and text.
pub const WORDS: (&str, &str) = ("words.h", include_str!("../verilator/words.h"));
/// `verilator/records.h`, of those that tell clocks.
pub const RECORDS: (&str, &str) = ("records.h", include_str!("../verilator/records.h"));

/// More clocks than a record's first word holds: how many.
pub const TIME: u32 = 0;
/// An instruction retired.
pub const RETIRED: u32 = 1;
/// A trap was taken.
pub const TRAP: u32 = 2;
/// A trace word.
pub const WORD: u32 = 3;
/// A byte that the program printed.
pub const CONSOLE: u32 = 4;
/// The end; figures of the run follow.
pub const END: u32 = 5;

/// The simulation gave up.
#[derive(Debug, thiserror::Error)]
#[error("the simulation ended with {status}: {said}")]
pub struct Ended {
    /// Exit status.
    pub status: String,
    /// What it printed.
    pub said: String,
}

/// Words of a running simulation.
pub struct Words {
    source: BufReader<ChildStdout>,
    broken: bool,
}

impl Words {
    /// The next one.
    pub fn word(&mut self) -> std::io::Result<u32> {
        let mut b = [0; 4];
        self.source.read_exact(&mut b).inspect_err(|_| self.broken = true)?;
        Ok(u32::from_le_bytes(b))
    }

    /// The next two as one number, the lower half first.
    pub fn double(&mut self) -> std::io::Result<u64> {
        Ok(u64::from(self.word()?) | u64::from(self.word()?) << 32)
    }
}

/// Hears a simulation out, whose output and errors are pipes. `take` gives what came of it, or nothing where its words make no
/// sense; it is [`Ended`] then, and where words are missing.
pub fn hear<T, E>(mut child: Child, take: impl FnOnce(&mut Words) -> Result<Option<T>, E>) -> Result<T, E>
where
    E: From<std::io::Error> + From<Ended>,
{
    let lost = || std::io::Error::other("the simulation has no pipes");
    let source = BufReader::with_capacity(1 << 18, child.stdout.take().ok_or_else(lost)?);
    let mut words = Words { source, broken: false };
    let taken = take(&mut words);
    let broken = words.broken;
    // whoever stops reading must not leave the program waiting
    drop(words);
    let mut said = String::new();
    child.stderr.take().ok_or_else(lost)?.read_to_string(&mut said)?;
    let status = child.wait()?;
    match taken {
        Ok(Some(got)) => Ok(got),
        Err(e) if !broken => Err(e),
        Ok(None) | Err(_) => Err(Ended { status: status.to_string(), said: said.trim().into() }.into()),
    }
}
