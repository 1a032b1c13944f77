//! Reader of records
//!
//! The length of a record depends on the decoder's state: the size of the one-length counter, and whether
//! the start of the current stream has to be sent. Reading and replay therefore alternate, record by record.

use super::cache::Descriptor;
use super::params::{StreamCacheParams, Variant};
use super::record::{Layout, Record};
use super::tables::Tables;
use crate::bits::BitReader;
use crate::chunk;
use crate::message::{CodingError, Escape};
use crate::platform::Platform;

/// Reader of the records of all cores, with the decoder's copy of their tables.
#[derive(Clone, Debug)]
pub struct Reader {
    layout: Layout,
    rbase: bool,
    longest: u32,
    tables: Vec<Tables>,
    /// Cores that sent nothing since the header was repeated: their next record does not depend on earlier ones.
    after_header: Vec<bool>,
}

impl Reader {
    /// State after reset.
    pub fn new(sc: &StreamCacheParams, platform: &Platform) -> Self {
        Self {
            layout: Layout::new(sc, platform),
            rbase: sc.variant == Variant::Rbase,
            longest: sc.longest(),
            tables: (0..platform.cores).map(|_| Tables::new(sc, platform.xlen)).collect(),
            after_header: vec![false; platform.cores.into()],
        }
    }

    /// A sync of `core`: resets its tables.
    pub fn reset(&mut self, core: u8) {
        self.tables[usize::from(core)].reset();
        self.after_header[usize::from(core)] = false;
    }

    /// A sync of `core` after a gap: keeps its tables.
    pub fn rejoin(&mut self, core: u8) {
        self.after_header[usize::from(core)] = false;
    }

    /// The header was repeated.
    pub fn header(&mut self) {
        self.after_header.fill(true);
    }

    /// The length from which a stream ends at any control-flow instruction.
    pub fn longest(&self) -> u32 {
        self.longest
    }

    /// Reads diffCC (0 in functional streams) and Ti, the core of the next record.
    #[inline]
    pub fn core<I: Iterator<Item = u32>>(&self, bits: &mut BitReader<I>) -> Result<(u64, u8), CodingError> {
        let diff_cc = match self.layout.time {
            Some(width) => chunk::read(StreamCacheParams::DIFF_CC, "diffCC", width, bits)?,
            None => 0,
        };
        let core = bits.take(self.layout.ti).ok_or(CodingError::Truncated)?;
        if core >= self.layout.cores.into() {
            return Err(CodingError::Core { found: core, cores: self.layout.cores });
        }
        Ok((diff_cc, core as u8))
    }

    /// Reads the rest of a record of `core`; `known`: the start of its current stream is known; `learn`: a start address in
    /// the record is learnt.
    #[inline]
    pub fn record<I: Iterator<Item = u32>>(
        &mut self,
        core: u8,
        known: bool,
        learn: bool,
        bits: &mut BitReader<I>,
    ) -> Result<Record, CodingError> {
        let l = self.layout;
        let mut take = |n: u32| {
            let low = bits.take(n.min(32)).ok_or(CodingError::Truncated)?;
            let high = if n > 32 { bits.take(n - 32).ok_or(CodingError::Truncated)? } else { 0 };
            Ok::<u64, CodingError>(low | high << 32)
        };
        let tables = &mut self.tables[usize::from(core)];
        if take(1)? == 1 {
            let bits = tables.runs.bits();
            let count = take(bits)? as u32 + 1;
            tables.runs.sent(count);
            return Ok(Record::Hits { count, bits });
        }
        let index = take(l.index)? as u32;
        if index != 0 {
            return Ok(Record::Index(index));
        }
        let length = take(l.length)? as u32;
        if length != 0 {
            if known {
                return Ok(Record::Miss { length, start: None });
            }
            let upper = l.register && take(1)? == 1;
            let low = take(if upper { l.low } else { l.address })? << l.align;
            let start = if upper { tables.with_upper(low) } else { low };
            if l.register && !upper && tables.upper_known(start) {
                return Err(CodingError::Redundant("the upper bits of a start address"));
            }
            if learn && !self.rbase {
                tables.learn_start(start);
            }
            return Ok(Record::Miss { length, start: Some((start, if l.register { upper } else { true })) });
        }
        let kind = if take(1)? == 0 { None } else { Some(take(3)?) };
        if let Some(kind @ (3 | 5..)) = kind {
            return Err(CodingError::Kind(kind));
        }
        if kind == Some(0) {
            return Ok(Record::Escape {
                start: None,
                hits: None,
                escape: Escape::Sync { i_cnt: 0, pc: take(l.address)? << l.align, context: None },
            });
        }
        let after_header = std::mem::take(&mut self.after_header[usize::from(core)]);
        let hits = if after_header { Some(take(l.hits)? as u32) } else { None };
        let i_cnt = take(l.count)?;
        let start = if known && !after_header { None } else { Some(take(l.address)? << l.align) };
        let signature = |take: &mut dyn FnMut(u32) -> Result<u64, CodingError>| match l.signature {
            0 => Ok(None),
            width => take(width).map(|value| Some(value as u16)),
        };
        let escape = match kind {
            None => Escape::Exception { i_cnt, target: take(l.address)? << l.align, context: None },
            Some(kind @ (1 | 4)) => {
                let lost = take(l.count)?;
                if (kind == 1) != (lost == 0) {
                    return Err(CodingError::Kind(kind));
                }
                match lost {
                    0 => Escape::Resync { i_cnt, signature: signature(&mut take)? },
                    _ => Escape::Overflow { i_cnt, lost },
                }
            }
            Some(_) => Escape::Stop { i_cnt, signature: signature(&mut take)? },
        };
        Ok(Record::Escape { start, hits, escape })
    }

    /// Takes the predicted stream of `core`.
    #[inline]
    pub fn predicted(&mut self, core: u8) -> Result<Descriptor, CodingError> {
        let tables = &mut self.tables[usize::from(core)];
        let (_, d) = tables.predicted().ok_or(CodingError::NoStream(0))?;
        tables.stream(d);
        Ok(d)
    }

    /// Takes the stream of `core` at SCI `index`.
    #[inline]
    pub fn indexed(&mut self, core: u8, index: u32) -> Result<Descriptor, CodingError> {
        let tables = &mut self.tables[usize::from(core)];
        let d = tables.at(index).ok_or(CodingError::NoStream(index))?;
        if tables.predicted().is_some_and(|(predicted, _)| predicted == index) {
            return Err(CodingError::Redundant("the index of a stream that is predicted"));
        }
        tables.stream(d);
        Ok(d)
    }

    /// Learns a start address of `core` that was not learnt when it was read.
    pub fn learn_start(&mut self, core: u8, start: u64) {
        if !self.rbase {
            self.tables[usize::from(core)].learn_start(start);
        }
    }

    /// Takes a stream of `core` whose descriptor was sent.
    #[inline]
    pub fn missed(&mut self, core: u8, d: Descriptor) -> Result<(), CodingError> {
        match self.tables[usize::from(core)].stream(d) {
            super::tables::Outcome::Miss => Ok(()),
            _ => Err(CodingError::Redundant("the descriptor of a stream that the stream cache holds")),
        }
    }
}
