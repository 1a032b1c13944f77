//! The whole trace system: N cores to one stream of words
//!
//! Takes the retire stream in global commit order and appends header, messages and stops as
//! `docs/stream.md` says. Without buffers: it never overflows.

use crate::bits::BitWriter;
use crate::lane::{Rates, SyncPeriod};
use crate::lengths::FieldLengths;
pub use crate::message::{KindCount, StreamStats};
use crate::params::{ParamError, TraceParams};
pub use crate::platform::{MAGIC, VERSION};
use crate::scheme::sc_lsp::{Counts, Front};
use crate::scheme::Model;
use retire::{FlowEvent, RetireSink};

/// The three header words of a stream.
pub fn header(params: &TraceParams) -> [u32; 3] {
    let flags = u32::from(params.timestamps);
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | flags << 16, params.fingerprint()]
}

/// As [`header`], where it is sent again.
pub fn header_again(params: &TraceParams) -> [u32; 3] {
    let [magic, shape, fingerprint] = header(params);
    [magic, shape | AGAIN, fingerprint]
}

/// In word 1: it is not the first header of its stream.
pub(crate) const AGAIN: u32 = 1 << 17;
/// In word 1: log2 of the times that K is what the scheme says.
pub(crate) const HASTE_LSB: u32 = 20;
/// Bits of it.
const HASTE: u32 = 15;

/// Word 1 of a header of cores with that [`haste`].
pub const fn hasty(shape: u32, haste: u8) -> u32 {
    shape | (haste as u32 & HASTE) << HASTE_LSB
}

/// Word 1 of a header without its haste, and that.
pub(crate) const fn unhurried(shape: u32) -> (u32, u8) {
    (shape & !(HASTE << HASTE_LSB), (shape >> HASTE_LSB & HASTE) as u8)
}

/// Clocks that what a core of several instructions a clock retires waits at most: 16 words of four events, each told in two.
const WAIT: u32 = 128;

/// log2 of the times that K, the instructions behind a resync in which nothing is predicted, is the scheme's `settle`, where a core
/// retires up to `most` instructions in a clock: tables take a clock a word to clear, and what waits in the core's queue
/// comes then, too.
pub const fn haste(most: u32, settle: u32) -> u8 {
    if most <= 1 || settle == 0 {
        return 0;
    }
    let mut h = most.next_power_of_two().trailing_zeros() as u8 + 1;
    while settle << h < most * (settle + WAIT) {
        h += 1;
    }
    h
}

/// Golden model of a trace system.
#[derive(Clone, Debug)]
pub struct System {
    model: Model,
    out: BitWriter,
    stats: StreamStats,
    haste: u8,
}

impl System {
    /// In the reset state, enabled, the header sent.
    pub fn new(params: &TraceParams) -> Result<Self, ParamError> {
        Self::of_haste(params, 0)
    }

    /// The same of cores with that [`haste`], with resyncs.
    pub fn of_haste(params: &TraceParams, haste: u8) -> Result<Self, ParamError> {
        params.check()?;
        let mut out = BitWriter::new();
        let [magic, shape, fingerprint] = header(params);
        for word in [magic, hasty(shape, haste), fingerprint] {
            out.push(word.into(), 32);
        }
        Ok(Self { model: params.flow.model(&params.platform), out, stats: StreamStats::default(), haste })
    }

    /// Tells every core anew every `period`, behind a header; of a scheme that has resyncs
    /// ([`TraceParams::check_period`]).
    #[must_use]
    pub fn sync_every(mut self, params: &TraceParams, period: Option<SyncPeriod>) -> Self {
        if let Some(period) = period {
            let [magic, shape, fingerprint] = header_again(params);
            self.model.sync_every(period, [magic, hasty(shape, self.haste), fingerprint], self.haste);
        }
        self
    }

    /// Asks for a resync at the next control-flow instruction of core 0, of a system with a period.
    pub fn request(&mut self) {
        self.model.request();
    }

    /// `before` more instructions of `core` retired, and then `lost` were lost, up to the end of the trace.
    pub fn lose(&mut self, core: u8, before: u32, lost: u32) {
        self.model.lose(core, before, lost);
    }

    /// Disables tracing in `cycle`: stop messages, then the last word is filled.
    pub fn finish(&mut self, cycle: u64) {
        let Self { model, out, stats, .. } = self;
        model.finish(cycle, out, stats);
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

    /// What was counted so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.model.rates()
    }

    /// Counts the lengths of the fields from now on, where the scheme has numbers of any length.
    pub fn count_lengths(&mut self) {
        self.model.count_lengths();
    }

    /// Lengths of the fields of all messages since they were asked for.
    pub fn field_lengths(&self) -> Option<&FieldLengths> {
        self.model.lengths()
    }

    /// What became of the streams, by core; empty but for the scheme `sc-lsp`.
    pub fn streams(&self) -> Vec<Counts> {
        match &self.model {
            Model::ScLsp(cores) => cores.each(Front::counts),
            _ => Vec::new(),
        }
    }
}

impl RetireSink for System {
    /// The next event; its hart must be one of the system's cores.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.model.event(event, &mut self.out, &mut self.stats);
    }
}
