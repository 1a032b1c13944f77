//! Trace records, and their bits
//!
//! `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)", describes them to the bit.
//!
//! # Source
//! Paper 001 section II, "Last Stream Predictor", and section III.B. In a miss record SL precedes SA, so
//! that SL = 0 can be the escape.

use super::params::StreamCacheParams;
use super::tables::Tables;
use crate::bits::BitWriter;
use crate::chunk;
use crate::lengths::FieldLengths;
use crate::message::{Body, Escape, Kind, Message, Report};
use crate::platform::Platform;
use crate::scheme::Encode;

/// A trace record of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// The next `count` streams are those predicted.
    Hits {
        /// Number of streams. 1 to 2^`bits`.
        count: u32,
        /// Width of the one-length counter.
        bits: u32,
    },
    /// A stream in the stream cache: SCI.
    Index(u32),
    /// A stream that is not in the stream cache.
    Miss {
        /// SL.
        length: u32,
        /// SA, if the previous stream ended in an indirect branch; and whether the last-value register holds its upper
        /// bits.
        start: Option<(u64, bool)>,
    },
    /// An escape message.
    Escape {
        /// Start of the current stream, if the previous stream ended in an indirect branch and the
        /// message is not a sync.
        start: Option<u64>,
        /// Predicted streams that are not sent yet; only in the first message after a repeated header, which
        /// always has `start`.
        hits: Option<u32>,
        /// The message.
        escape: Escape,
    },
}

impl Record {
    /// The record as a message, for listings and statistics.
    pub fn body(&self) -> Body {
        match *self {
            Self::Hits { count, .. } => Body::Hits { count },
            Self::Index(index) => Body::Index { index },
            Self::Miss { length, start } => Body::Descriptor { length, start: start.map(|s| s.0) },
            Self::Escape { escape, .. } => Body::Escape(escape),
        }
    }
}

impl Report for Record {
    fn kind(&self) -> Kind {
        self.body().kind()
    }

    fn is_resync(&self) -> bool {
        self.body().is_resync()
    }
}

/// Field widths of records.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Bits of Ti.
    pub(super) ti: u32,
    /// N, the number of cores.
    pub(super) cores: u8,
    /// Bits of SCI.
    pub(super) index: u32,
    /// Bits of SL.
    pub(super) length: u32,
    /// Bits of an address, and of an address without its upper bits.
    pub(super) address: u32,
    pub(super) low: u32,
    /// Always-zero bits of an address.
    pub(super) align: u32,
    /// Bits of `iCnt` and `lost`.
    pub(super) count: u32,
    /// Bits of the number of predicted streams that are not sent yet.
    pub(super) hits: u32,
    /// Bits of a signature; 0 if messages carry none.
    pub(super) signature: u32,
    /// There is a last-value register: a bit precedes a sent start address.
    pub(super) register: bool,
    /// Bits of the `diffCC` counter, if records begin with it.
    pub(super) time: Option<u32>,
}

impl Layout {
    /// Layout for these parameters.
    pub(super) fn new(sc: &StreamCacheParams, platform: &Platform) -> Self {
        Self {
            ti: platform.ti_bits(),
            cores: platform.cores,
            index: sc.index_bits(),
            length: sc.sl_bits.into(),
            address: platform.address_bits(),
            low: platform.address_bits() - u32::from(sc.upper_bits),
            align: platform.align.into(),
            count: platform.count_bits.into(),
            hits: sc.run_bits.into(),
            signature: platform.signature.into(),
            register: sc.upper_bits != 0,
            time: platform.timestamps.then_some(platform.cc_bits.into()),
        }
    }
}

/// As [`BitWriter::push`], for up to 64 bits.
fn push(value: u64, bits: u32, out: &mut BitWriter) {
    let low = bits.min(32);
    out.push(value & ((1 << low) - 1), low);
    if bits > 32 {
        out.push(value >> 32 & ((1 << (bits - 32)) - 1), bits - 32);
    }
}

/// Writes the records of all cores.
#[derive(Clone, Debug)]
pub struct Writer(Layout);

impl Writer {
    /// State at the beginning of a stream.
    pub fn new(sc: &StreamCacheParams, platform: &Platform) -> Self {
        Self(Layout::new(sc, platform))
    }
}

impl Encode<Record> for Writer {
    fn encode(&mut self, message: &Message<Record>, out: &mut BitWriter) {
        write(&self.0, message, out);
    }

    fn flush(&mut self, _: &mut BitWriter) {}

    fn count_lengths(&mut self) {}

    // all fields except diffCC have a fixed width
    fn lengths(&self) -> Option<&FieldLengths> {
        None
    }
}

/// Appends one record.
fn write(l: &Layout, message: &Message<Record>, out: &mut BitWriter) {
    if l.time.is_some() {
        chunk::write(message.diff_cc, StreamCacheParams::DIFF_CC, out);
    }
    out.push(message.core.into(), l.ti);
    match message.body {
        Record::Hits { count, bits } => out.push(u64::from(count - 1) << 1 | 1, bits + 1),
        Record::Index(index) => out.push(u64::from(index) << 1, l.index + 1),
        Record::Miss { length, start } => {
            out.push(u64::from(length) << (l.index + 1), l.index + 1 + l.length);
            if let Some((start, known)) = start {
                if l.register {
                    out.push(known.into(), 1);
                }
                push(start >> l.align, if known && l.register { l.low } else { l.address }, out);
            }
        }
        Record::Escape { start, hits, escape } => {
            out.push(0, l.index + 1 + l.length);
            let (kind, kind_bits, i_cnt) = match escape {
                Escape::Exception { i_cnt, .. } => (0, 1, i_cnt),
                Escape::Sync { .. } => (1, 4, 0),
                Escape::Resync { i_cnt, .. } => (1 | 1 << 1, 4, i_cnt),
                Escape::Overflow { i_cnt, .. } => (1 | 4 << 1, 4, i_cnt),
                Escape::Stop { i_cnt, .. } => (1 | 2 << 1, 4, i_cnt),
                Escape::Progress { .. } => unreachable!("streams end early enough: there is no progress message"),
                Escape::Context { .. } => unreachable!("a platform with contexts is refused"),
            };
            out.push(kind, kind_bits);
            if let Some(hits) = hits {
                out.push(hits.into(), l.hits);
            }
            if !matches!(escape, Escape::Sync { .. }) {
                push(i_cnt, l.count, out);
            }
            if let Some(start) = start {
                push(start >> l.align, l.address, out);
            }
            match escape {
                Escape::Exception { target: a, .. } | Escape::Sync { pc: a, .. } => push(a >> l.align, l.address, out),
                Escape::Overflow { lost, .. } => push(lost, l.count, out),
                Escape::Resync { .. } => push(0, l.count, out),
                Escape::Stop { .. } | Escape::Progress { .. } | Escape::Context { .. } => {}
            }
            if let Some(signature) = escape.signature() {
                out.push(signature.into(), l.signature);
            }
        }
    }
}

/// Makes a miss record, with `start` only if the decoder does not know it; `learn`: its upper bits are kept.
#[inline]
pub(super) fn miss(tables: &mut Tables, learn: bool, known: bool, upper_hit: bool, start: u64, length: u32) -> Record {
    if known {
        return Record::Miss { length, start: None };
    }
    if learn {
        tables.learn_start(start);
    }
    Record::Miss { length, start: Some((start, upper_hit)) }
}
