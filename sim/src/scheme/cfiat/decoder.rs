//! Decoder: turns records back into values
//!
//! The host passes each access of a core, in the order of that core, and gets the value that it loads: from a record if one
//! is due, otherwise from a memory image that is built from earlier records and stores. The decoder models the caches too:
//! a value without a record must be in the cache with its flags set.
//!
//! [`View::All`]: the accesses of all cores come in the order of the run. The caches are then those of the run, and records
//! must occur exactly where they miss. [`View::Own`]: the accesses of each core come in its own order, independent of the
//! other cores, as in replay. A core's flags may then be set although another core's store had cleared them, so a record may
//! occur at a hit. With one core the two are the same. A shared cache needs [`View::All`].
//!
//! # Detected errors
//! Words that are not records; a record of another size than its access; a value that is neither in a record nor known; an
//! unnecessary record (`All`, or one core); surplus or missing values. The signature at the end of each core detects any
//! other wrong value, except for one in 2^32. Values are unconfirmed until then.

use super::cache::Cache;
use super::message::{read, Record};
use super::order::{self, Turns};
use super::signature::Signature;
use super::{header, CfiatParams};
use crate::bits::BitReader;
use crate::message::CodingError;
use std::collections::HashMap;

const PAGE: u64 = 4096;

/// Accesses that the host knows, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Those of all cores in the order of the run.
    All,
    /// Those of each core in its own order.
    Own,
}

/// Error of an invalid stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// The flags are set by more than the host knows.
    #[error("its flags are set by parts of what they protect (`+touched`), so values cannot be reconstructed")]
    Touched,
    /// The cache is shared, and the order of the accesses is not known.
    #[error("a shared cache needs the order of all cores' accesses; replay knows those of each core alone")]
    Shared,
    /// The header is not that of these parameters.
    #[error("header word {word} is 0x{found:08x}, expected 0x{right:08x}")]
    Header {
        /// Index of the word, 0 to 2.
        word: usize,
        /// Actual value.
        found: u32,
        /// Expected value.
        right: u32,
    },
    /// Bits that are not a valid record.
    #[error("bit {bit}, record {record}: {source}")]
    Coding {
        /// Bits read before.
        bit: u64,
        /// Records read before.
        record: u64,
        /// What is wrong.
        source: CodingError,
    },
    /// A record after a core's stop.
    #[error("record {record}: core {core} continues after its stop")]
    Stopped {
        /// Records read before.
        record: u64,
        /// Core.
        core: u8,
    },
    /// Something after the last stop.
    #[error("the stream continues after the last stop")]
    Trailing,
}

/// Error of records that do not match the accesses of a core.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("core {core}, value {value}: {what}")]
pub struct Mismatch {
    /// Core.
    pub core: u8,
    /// Number of values of the core before it.
    pub value: u64,
    /// What is wrong.
    pub what: MismatchKind,
}

/// Kind of difference between records and accesses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MismatchKind {
    /// A record for something else.
    #[error("the record has {found} bytes, but the core loads {right}")]
    Size {
        /// Of the record.
        found: u8,
        /// Of the access.
        right: u8,
    },
    /// No record, and the value is not known.
    #[error("the value is not in the cache, and it has no record")]
    Unknown,
    /// A record of what is known.
    #[error("it has a record, but is in the cache")]
    Redundant,
    /// The core takes more values than the trace has.
    #[error("the core takes more values than the trace has")]
    More,
    /// The core takes fewer values than the trace has.
    #[error("the trace has more values of the core")]
    Fewer,
    /// Some value differs from that of the run.
    #[error("the signature of all values is 0x{found:08x}, that of the run 0x{right:08x}: some value was wrong")]
    Signature {
        /// Of the decoded values.
        found: u32,
        /// In the stream.
        right: u32,
    },
}

/// All records of a stream, by core; the last one of each is its stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// By core.
    pub by_core: Vec<Vec<Record>>,
    /// The order of the cores, if they share a cache.
    pub turns: Option<Turns>,
    /// Bits of the stream, including header and padding.
    pub bits: u64,
}

/// Reader of the records of a stream, one after the other.
#[derive(Debug)]
pub struct RecordReader<I: Iterator<Item = u32>> {
    params: CfiatParams,
    input: BitReader<I>,
    order: Option<order::Reader>,
    stopped: Vec<bool>,
    record: u64,
}

/// A record, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Bits of the stream before it, including the header.
    pub bit: u64,
    /// Its core.
    pub core: u8,
    /// The record.
    pub record: Record,
}

impl<I: Iterator<Item = u32>> RecordReader<I> {
    /// Reads the header.
    ///
    /// # Errors
    /// The stream has other parameters.
    pub fn new(params: &CfiatParams, words: I) -> Result<Self, StreamError> {
        let mut input = BitReader::new(words);
        for (word, right) in header(params).into_iter().enumerate() {
            match input.take(32) {
                Some(found) if found == u64::from(right) => {}
                found => return Err(StreamError::Header { word, found: found.unwrap_or(0) as u32, right }),
            }
        }
        let stopped = vec![false; usize::from(params.cores)];
        Ok(Self { params: *params, input, order: order::Reader::new(params), stopped, record: 0 })
    }

    /// The next record; `None` after the stops of all cores, the last of which ends the stream.
    ///
    /// # Errors
    /// The stream is truncated, or damaged beyond decoding.
    pub fn next_record(&mut self) -> Result<Option<Located>, StreamError> {
        if !self.stopped.contains(&false) {
            return match self.input.rest_of_word().0 == 0 && self.input.at_end() {
                true => Ok(None),
                false => Err(StreamError::Trailing),
            };
        }
        let (bit, record) = (self.input.position(), self.record);
        let turns = self.order.as_mut().map_or(Ok(()), |order| order.up_to_record(&mut self.input));
        let found = turns.and_then(|()| read(&self.params, &mut self.input));
        let (core, body) = found.map_err(|source| StreamError::Coding { bit, record, source })?;
        let stopped = &mut self.stopped[usize::from(core)];
        if *stopped {
            return Err(StreamError::Stopped { record, core });
        }
        *stopped = matches!(body, Record::Stop { .. });
        self.record += 1;
        Ok(Some(Located { bit, core, record: body }))
    }
}

impl Records {
    /// Reads a whole stream.
    ///
    /// # Errors
    /// The stream has other parameters, is truncated, or is damaged beyond decoding.
    pub fn read(params: &CfiatParams, words: impl IntoIterator<Item = u32>) -> Result<Self, StreamError> {
        let mut reader = RecordReader::new(params, words.into_iter())?;
        let mut by_core = vec![Vec::new(); usize::from(params.cores)];
        while let Some(found) = reader.next_record()? {
            by_core[usize::from(found.core)].push(found.record);
        }
        Ok(Self { by_core, turns: reader.order.map(order::Reader::turns), bits: reader.input.position() })
    }

    /// Number of records of values.
    pub fn values(&self) -> u64 {
        self.by_core.iter().map(|records| records.len() as u64 - 1).sum()
    }
}

/// The known contents of memory.
#[derive(Clone, Debug, Default)]
struct Image(HashMap<u64, Box<[u8; PAGE as usize]>>);

impl Image {
    fn write(&mut self, addr: u64, size: u8, value: u64) {
        for (i, byte) in value.to_le_bytes().into_iter().take(size.into()).enumerate() {
            let at = addr.wrapping_add(i as u64);
            let page = self.0.entry(at / PAGE).or_insert_with(|| Box::new([0; PAGE as usize]));
            page[(at % PAGE) as usize] = byte;
        }
    }

    fn read(&self, addr: u64, size: u8) -> u64 {
        let byte = |i| {
            let at = addr.wrapping_add(u64::from(i));
            let page = self.0.get(&(at / PAGE));
            page.map_or(0, |page| page[(at % PAGE) as usize])
        };
        (0..size).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i))
    }
}

/// Decoder state of one core.
#[derive(Clone, Debug)]
struct Core {
    records: std::vec::IntoIter<Record>,
    next: Option<Record>,
    /// Values since the last record.
    fah: u32,
    /// Total number of values.
    values: u64,
    signature: Signature,
}

/// A decoder that reconstructs the values of all cores.
#[derive(Clone, Debug)]
pub struct Decoder {
    params: CfiatParams,
    view: View,
    cores: Vec<Core>,
    /// Tags and flags, and memory contents: one per core, or one for all.
    known: Vec<(Cache, Image)>,
}

impl Decoder {
    /// State at reset.
    ///
    /// # Errors
    /// The parameters do not allow values to be reconstructed.
    pub fn new(params: &CfiatParams, view: View, records: Records) -> Result<Self, StreamError> {
        if !params.sizes.can_decode() {
            return Err(StreamError::Touched);
        }
        if params.sizes.shared && view == View::Own && params.cores > 1 {
            return Err(StreamError::Shared);
        }
        let core = |records: Vec<Record>| {
            let mut records = records.into_iter();
            let next = records.next();
            Core { records, next, fah: 0, values: 0, signature: Signature::default() }
        };
        let images = if params.sizes.shared { 1 } else { usize::from(params.cores) };
        Ok(Self {
            params: *params,
            view,
            cores: records.by_core.into_iter().map(core).collect(),
            known: vec![(Cache::new(&params.sizes), Image::default()); images],
        })
    }

    fn wrong(&self, core: u8, what: MismatchKind) -> Mismatch {
        Mismatch { core, value: self.cores[usize::from(core)].values, what }
    }

    /// Whether all flags are exactly those of the run.
    fn exact(&self) -> bool {
        self.view == View::All || self.params.cores == 1
    }

    /// Takes the record of `core` that is due here, if any. A known value has a record only if `fahCnt` is full.
    fn record(&mut self, core: u8, size: u8, known: bool) -> Result<Option<u64>, Mismatch> {
        let full = self.cores[usize::from(core)].fah == self.params.most();
        let exact = self.exact();
        let me = &mut self.cores[usize::from(core)];
        match me.next {
            Some(Record::Value { fah, size: found, value }) if fah == me.fah => {
                if found != size {
                    return Err(self.wrong(core, MismatchKind::Size { found, right: size }));
                }
                if known && exact && !full {
                    return Err(self.wrong(core, MismatchKind::Redundant));
                }
                (me.next, me.fah) = (me.records.next(), 0);
                Ok(Some(value))
            }
            Some(Record::Stop { fah, .. }) if fah == me.fah => Err(self.wrong(core, MismatchKind::More)),
            None => Err(self.wrong(core, MismatchKind::More)),
            Some(_) if known => {
                me.fah += 1;
                Ok(None)
            }
            Some(_) => Err(self.wrong(core, MismatchKind::Unknown)),
        }
    }

    fn add_value(&mut self, core: u8, value: u64, size: u8) -> u64 {
        let me = &mut self.cores[usize::from(core)];
        me.signature.add(value, size);
        me.values += 1;
        value
    }

    fn place(&self, core: u8) -> usize {
        if self.params.sizes.shared {
            0
        } else {
            core.into()
        }
    }

    /// Returns the value that `core` loads: `size` bytes at `addr`.
    ///
    /// # Errors
    /// The records do not match the load.
    pub fn load(&mut self, core: u8, addr: u64, size: u8) -> Result<u64, Mismatch> {
        if !self.params.is_ram(addr, size) {
            let value = self.record(core, size, false)?;
            // without a record, `record` has returned an error
            return Ok(self.add_value(core, value.unwrap_or(0), size));
        }
        let place = self.place(core);
        let known = self.known[place].0.load(addr, size.into()).known();
        let record = self.record(core, size, known)?;
        let image = &mut self.known[place].1;
        let value = match record {
            Some(value) => {
                image.write(addr, size, value);
                value
            }
            None => image.read(addr, size),
        };
        Ok(self.add_value(core, value, size))
    }

    /// Takes a store of `core`.
    pub fn store(&mut self, core: u8, addr: u64, size: u8, value: u64) {
        if !self.params.is_ram(addr, size) {
            return;
        }
        let place = self.place(core);
        let (cache, image) = &mut self.known[place];
        cache.store(addr, size.into());
        image.write(addr, size, value);
        if self.view == View::All {
            let others = self.known.iter_mut().enumerate().filter(|(i, _)| *i != place);
            others.for_each(|(_, (cache, _))| cache.clear(addr, size.into()));
        }
    }

    /// Whether an access is entirely in memory.
    pub fn is_ram(&self, addr: u64, size: u8) -> bool {
        self.params.is_ram(addr, size)
    }

    /// Returns the value that `core` reads from an open CSR.
    ///
    /// # Errors
    /// The records do not match the read.
    pub fn csr(&mut self, core: u8) -> Result<u64, Mismatch> {
        let size = self.params.xlen / 8;
        let value = self.record(core, size, false)?;
        Ok(self.add_value(core, value.unwrap_or(0), size))
    }

    /// Returns whether an `sc` of `core` stores.
    ///
    /// # Errors
    /// The records do not match the `sc`.
    pub fn conditional(&mut self, core: u8) -> Result<bool, Mismatch> {
        let size = self.params.xlen / 8;
        // a failed `sc` always has a record
        let failed = matches!(self.cores[usize::from(core)].next, Some(Record::Value { fah, value: 1, .. })
            if fah == self.cores[usize::from(core)].fah);
        let value = self.record(core, size, !failed)?.unwrap_or(0);
        Ok(self.add_value(core, value, size) == 0)
    }

    /// Number of values that `core` has taken so far.
    pub fn values(&self, core: u8) -> u64 {
        self.cores[usize::from(core)].values
    }

    /// Ends `core`: checks that no values are left and that all were those of the run.
    ///
    /// # Errors
    /// Values are left, or the signature differs.
    pub fn finish(&self, core: u8) -> Result<(), Mismatch> {
        let me = &self.cores[usize::from(core)];
        match me.next {
            Some(Record::Stop { fah, signature }) if fah == me.fah => {
                let found = me.signature.value();
                if found != signature {
                    return Err(self.wrong(core, MismatchKind::Signature { found, right: signature }));
                }
                Ok(())
            }
            _ => Err(self.wrong(core, MismatchKind::Fewer)),
        }
    }
}
