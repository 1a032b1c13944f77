//! The whole trace system: N cores to one stream of words
//!
//! Takes the retire stream in global commit order and appends header, messages and stops as
//! `docs/stream.md` says. Without buffers: it never overflows.

use super::core::{Core, Rates};
use crate::analysis::FieldLengths;
use crate::bits::BitWriter;
use crate::encoding::Encoder;
use crate::message::{Kind, Message};
use crate::params::{ParamError, TraceParams};
use crate::stream_cache;
use retire::{FlowEvent, RetireSink};
use serde::Serialize;

/// First header word: the bytes `G S H K`.
pub const MAGIC: u32 = u32::from_le_bytes(*b"GSHK");
/// Format version.
pub const VERSION: u8 = 1;

/// The three header words of a stream.
pub fn header(params: &TraceParams) -> [u32; 3] {
    let flags = u32::from(params.timestamps);
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | flags << 16, params.fingerprint()]
}

/// Messages and bits of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// Messages.
    pub messages: u64,
    /// Their bits.
    pub bits: u64,
}

/// What a stream holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StreamStats {
    /// By [`Kind`], in the order of [`Kind::ALL`].
    pub kinds: [KindCount; Kind::ALL.len()],
    /// All bits, header and padding included: 32 times the words.
    pub bits: u64,
}

impl StreamStats {
    /// Counts one message.
    pub fn count(&mut self, kind: Kind, bits: u64) {
        let k = &mut self.kinds[kind as usize];
        k.messages += 1;
        k.bits += bits;
    }

    /// Messages of all kinds.
    pub fn messages(&self) -> u64 {
        self.kinds.iter().map(|k| k.messages).sum()
    }
}

/// What makes the messages.
#[derive(Clone, Debug)]
enum Front {
    Predictors(Vec<Core>, Encoder),
    StreamCache(stream_cache::Encoder),
}

/// Golden model of a trace system.
#[derive(Clone, Debug)]
pub struct System {
    front: Front,
    out: BitWriter,
    stats: StreamStats,
}

impl System {
    /// In the reset state, enabled, the header sent.
    pub fn new(params: &TraceParams) -> Result<Self, ParamError> {
        params.check()?;
        let mut out = BitWriter::new();
        for word in header(params) {
            out.push(word.into(), 32);
        }
        let front = if params.stream_cache().is_some() {
            Front::StreamCache(stream_cache::Encoder::new(params)?)
        } else {
            Front::Predictors((0..params.cores).map(|i| Core::new(i, params)).collect(), Encoder::new(params))
        };
        Ok(Self { front, out, stats: StreamStats::default() })
    }

    /// Disables tracing in `cycle`: stop messages, then the last word is filled.
    pub fn finish(&mut self, cycle: u64) {
        let Self { front, out, stats } = self;
        match front {
            Front::Predictors(cores, encoder) => {
                for core in cores {
                    core.stop(cycle, &mut |m| write(encoder, out, stats, m));
                }
            }
            Front::StreamCache(encoder) => encoder.finish(cycle, out, stats),
        }
        out.pad();
        stats.bits = out.len();
    }

    /// Takes the complete words that wait.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.out.drain()
    }

    /// Bits so far, header included.
    pub fn bits(&self) -> u64 {
        self.out.len()
    }

    /// Messages so far, by kind; `bits` is filled in by [`System::finish`].
    pub fn stats(&self) -> &StreamStats {
        &self.stats
    }

    /// Predictions so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        match &self.front {
            Front::Predictors(cores, _) => cores.iter().map(Core::rates).collect(),
            Front::StreamCache(encoder) => encoder.rates(),
        }
    }

    /// Counts the lengths of the fields from now on, but for the scheme `sc-lsp`.
    pub fn count_lengths(&mut self) {
        if let Front::Predictors(_, encoder) = &mut self.front {
            encoder.count_lengths();
        }
    }

    /// Lengths of the fields of all messages since they were asked for; `None` for the scheme `sc-lsp`.
    pub fn field_lengths(&self) -> Option<&FieldLengths> {
        match &self.front {
            Front::Predictors(_, encoder) => encoder.lengths(),
            Front::StreamCache(_) => None,
        }
    }

    /// What became of the streams, by core; empty but for the scheme `sc-lsp`.
    pub fn streams(&self) -> Vec<stream_cache::Counts> {
        match &self.front {
            Front::Predictors(..) => Vec::new(),
            Front::StreamCache(encoder) => encoder.counts(),
        }
    }
}

// out of line: messages are rare, and the loop over events stays small
#[inline(never)]
fn write(encoder: &mut Encoder, out: &mut BitWriter, stats: &mut StreamStats, message: &Message) {
    let before = out.len();
    encoder.write(message, out);
    stats.count(message.body.kind(), out.len() - before);
}

impl RetireSink for System {
    /// The next event; its hart must be one of the system's cores.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let Self { front, out, stats } = self;
        match front {
            Front::Predictors(cores, encoder) => {
                cores[usize::from(event.hart)].event(event, &mut |m| write(encoder, out, stats, m));
            }
            Front::StreamCache(encoder) => encoder.push(event, out, stats),
        }
    }
}
