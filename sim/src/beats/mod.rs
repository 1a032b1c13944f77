//! Beats: single retired instructions, and a file of them for trace-system benches
//!
//! A flow event represents a run of instructions, while a circuit sees each of them. [`Expander`] converts events to beats
//! with the program's code; [`Writer`] and [`Reader`] store and load them.
//!
//! # File
//! Little-endian words of 32 bits. A header of four words: `0x42485347` (the bytes `G S H B`),
//! version 1, cores, xlen. Then records, in commit order:
//!
//! | word | bits | content |
//! | --- | --- | --- |
//! | 0 | 19:0 | cycles since the previous record (since cycle 0 for the first); 0: the same cycle |
//! | 0 | 23:20 | core |
//! | 0 | 24 | 1: first instruction after a trap |
//! | 0 | 25 | 1: no instruction, only cycles; the record ends here |
//! | 1 | | instruction, its low half for 2 bytes |
//! | 2.. | | `pc`, then `next_pc`: xlen bits each |

pub mod blocks;
pub mod chain;
mod expand;
pub mod wide;

pub use crate::stimulus::run::Retired;
pub use expand::{ExpandError, Expander};

use retire::isa::length;
use std::io::{self, Read, Write};

const MAGIC: u32 = u32::from_le_bytes(*b"GSHB");
const VERSION: u32 = 1;
const MAX_DELTA: u64 = (1 << 20) - 1;
const TRAPPED: u32 = 1 << 24;
const ONLY_CYCLES: u32 = 1 << 25;

/// Writer of a beat file.
#[derive(Debug)]
pub struct Writer<W: Write> {
    inner: W,
    wide: bool,
    cycle: u64,
    beats: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the header. `xlen` is 32 or 64. `inner` should be buffered.
    pub fn new(mut inner: W, cores: u8, xlen: u8) -> io::Result<Self> {
        for word in [MAGIC, VERSION, cores.into(), xlen.into()] {
            inner.write_all(&word.to_le_bytes())?;
        }
        Ok(Self { inner, wide: xlen == 64, cycle: 0, beats: 0 })
    }

    /// Appends one retired instruction; to be called in commit order.
    pub fn push(&mut self, beat: &Retired) -> io::Result<()> {
        let mut delta = beat.cycle.checked_sub(self.cycle).ok_or_else(|| {
            let what = format!("beat {}: cycle {} after cycle {}", self.beats, beat.cycle, self.cycle);
            io::Error::new(io::ErrorKind::InvalidInput, what)
        })?;
        self.cycle = beat.cycle;
        while delta > MAX_DELTA {
            self.inner.write_all(&(ONLY_CYCLES | MAX_DELTA as u32).to_le_bytes())?;
            delta -= MAX_DELTA;
        }
        let trapped = if beat.trapped { TRAPPED } else { 0 };
        let word = delta as u32 | u32::from(beat.hart & 15) << 20 | trapped;
        let mut record = [0; 24];
        record[..4].copy_from_slice(&word.to_le_bytes());
        record[4..8].copy_from_slice(&beat.insn.to_le_bytes());
        let end = if self.wide {
            record[8..16].copy_from_slice(&beat.pc.to_le_bytes());
            record[16..24].copy_from_slice(&beat.next_pc.to_le_bytes());
            24
        } else {
            record[8..12].copy_from_slice(&(beat.pc as u32).to_le_bytes());
            record[12..16].copy_from_slice(&(beat.next_pc as u32).to_le_bytes());
            16
        };
        self.beats += 1;
        self.inner.write_all(&record[..end])
    }

    /// Number of instructions so far.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// Flushes, and returns the inner writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.inner.flush()?;
        Ok(self.inner)
    }
}

/// Reader of a beat file; the Verilated harness reads it the same way.
#[derive(Debug)]
pub struct Reader<R: Read> {
    inner: R,
    cores: u8,
    xlen: u8,
    cycle: u64,
}

fn word(inner: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    inner.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

impl<R: Read> Reader<R> {
    /// Reads the header. `inner` should be buffered.
    pub fn new(mut inner: R) -> io::Result<Self> {
        let header = [word(&mut inner)?, word(&mut inner)?, word(&mut inner)?, word(&mut inner)?];
        match header {
            [MAGIC, VERSION, cores @ 1..=16, xlen @ (32 | 64)] => {
                Ok(Self { inner, cores: cores as u8, xlen: xlen as u8, cycle: 0 })
            }
            _ => Err(invalid(format!(
                "header {header:#x?} is not that of a beat file (magic {MAGIC:#x}, version {VERSION}, 1 to 16 cores, xlen 32 or 64)"
            ))),
        }
    }

    /// Number of cores, 1 to 16.
    pub fn cores(&self) -> u8 {
        self.cores
    }

    /// Address width, 32 or 64 bits.
    pub fn xlen(&self) -> u8 {
        self.xlen
    }

    fn address(&mut self) -> io::Result<u64> {
        let low = word(&mut self.inner)?;
        let high = if self.xlen == 64 { word(&mut self.inner)? } else { 0 };
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    fn beat(&mut self, first: u32) -> io::Result<Retired> {
        let insn = word(&mut self.inner)?;
        let (pc, next_pc) = (self.address()?, self.address()?);
        let hart = (first >> 20 & 15) as u8;
        if hart >= self.cores {
            return Err(invalid(format!("core {hart} of {}", self.cores)));
        }
        let trapped = first & TRAPPED != 0;
        Ok(Retired { cycle: self.cycle, hart, trapped, len: length(insn as u16), pc, next_pc, insn })
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = io::Result<Retired>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut bytes = [0; 4];
            match self.inner.read(&mut bytes[..1]) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(e) => return Some(Err(e)),
            }
            if let Err(e) = self.inner.read_exact(&mut bytes[1..]) {
                return Some(Err(e));
            }
            let first = u32::from_le_bytes(bytes);
            self.cycle += u64::from(first) & MAX_DELTA;
            if first & ONLY_CYCLES == 0 {
                return Some(self.beat(first));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stimulus::program::{Model, Shape};
    use crate::stimulus::run::{record, Config};

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let beat = Retired {
            cycle: 0x12_3456,
            hart: 2,
            trapped: true,
            len: 4,
            pc: 0x8000_0010,
            next_pc: 0x8000_0000,
            insn: 0xff1f_f06f,
        };
        let mut w = Writer::new(Vec::new(), 3, 32).unwrap();
        w.push(&beat).unwrap();
        let words: Vec<u32> =
            w.finish().unwrap().chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
        let want = [0x4248_5347, 1, 3, 32, 0x020f_ffff, 0x0122_3457, 0xff1f_f06f, 0x8000_0010, 0x8000_0000];
        assert_eq!(words, want);
    }

    #[test]
    fn beat_files_round_trip() {
        for (shape, cores) in [(Shape::rv32(1), 4), (Shape::rv64(2), 16)] {
            let mut run = record(&Model::new(&shape), &Config::new(cores, 1), 20_000);
            // a long sleep takes more than one record
            run.retired.iter_mut().skip(10_000).for_each(|r| r.cycle += 5_000_000);
            let mut w = Writer::new(Vec::new(), cores, shape.xlen).unwrap();
            run.retired.iter().for_each(|r| w.push(r).unwrap());
            assert_eq!(w.beats(), 20_000);
            let bytes = w.finish().unwrap();
            let reader = Reader::new(&bytes[..]).unwrap();
            assert_eq!((reader.cores(), reader.xlen()), (cores, shape.xlen));
            let back: Vec<Retired> = reader.map(Result::unwrap).collect();
            assert_eq!(back, run.retired);
        }
    }

    #[test]
    fn damaged_files_and_wrong_order_are_errors() {
        let beat = Retired { cycle: 5, hart: 0, trapped: false, len: 4, pc: 0, next_pc: 4, insn: 0x13 };
        let mut w = Writer::new(Vec::new(), 1, 32).unwrap();
        w.push(&beat).unwrap();
        let e = w.push(&Retired { cycle: 4, ..beat }).unwrap_err().to_string();
        assert_eq!(e, "beat 1: cycle 4 after cycle 5");
        let bytes = w.finish().unwrap();
        assert!(Reader::new(&bytes[..15]).is_err());
        assert!(Reader::new(&bytes[1..]).is_err());
        assert!(Reader::new(&bytes[..bytes.len() - 1]).unwrap().next().unwrap().is_err());
        let mut core = bytes.clone();
        core[18] |= 0x10;
        let e = Reader::new(&core[..]).unwrap().next().unwrap().unwrap_err().to_string();
        assert_eq!(e, "core 1 of 1");
    }
}
