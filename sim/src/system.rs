//! The trace system: turns the events of N cores into one stream of words
//!
//! Takes the retire stream in global commit order and writes header, messages and stops as
//! described in `docs/reference/stream.md`. It has no FIFOs, so it never overflows.

use crate::bits::BitWriter;
use crate::core_trace::replay::Images;
use crate::core_trace::{Rates, SyncPeriod};
use crate::inference::{Inference, WrongJump};
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

/// As [`header`], for a repeated header.
pub fn repeated_header(params: &TraceParams) -> [u32; 3] {
    let [magic, shape, fingerprint] = header(params);
    [magic, shape | REPEATED, fingerprint]
}

/// Flag in word 1: this is a repeated header, not the first of its stream.
pub(crate) const REPEATED: u32 = 1 << 17;
/// Lowest bit of the field in word 1 for [`warm_up_scale`], the warm-up scale.
pub(crate) const WARM_UP_SCALE_LSB: u32 = 20;
/// Mask of that field.
const WARM_UP_SCALE_MASK: u32 = 15;

/// Word 1 of a header with this warm-up scale ([`warm_up_scale`]).
pub const fn shape_with_scale(shape: u32, warm_up_scale: u8) -> u32 {
    shape | (warm_up_scale as u32 & WARM_UP_SCALE_MASK) << WARM_UP_SCALE_LSB
}

/// Splits word 1 of a header into the rest and the warm-up scale.
pub(crate) const fn split_scale(shape: u32) -> (u32, u8) {
    (shape & !(WARM_UP_SCALE_MASK << WARM_UP_SCALE_LSB), (shape >> WARM_UP_SCALE_LSB & WARM_UP_SCALE_MASK) as u8)
}

/// Maximum cycles that instructions wait in the retire queue of a wide core: 16 words of four events, each reported in two.
pub const WAIT: u32 = 128;

/// Warm-up scale: log2 of the factor by which K, the warm-up after a resync in instructions, is longer than the scheme's `warm_up`,
/// for a core that retires up to `most` instructions per cycle. Clearing a table takes one cycle per word, and the instructions
/// in the core's retire queue are added.
pub const fn warm_up_scale(most: u32, warm_up: u32) -> u8 {
    if most <= 1 || warm_up == 0 {
        return 0;
    }
    let mut h = most.next_power_of_two().trailing_zeros() as u8 + 1;
    while warm_up << h < most * (warm_up + WAIT) {
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
    warm_up_scale: u8,
    /// Of a scheme that infers jumps.
    inference: Option<Box<Inference>>,
}

impl System {
    /// State after reset, enabled, with the header written.
    ///
    /// # Errors
    /// Parameters that the model does not support, and a scheme that infers jumps: for [`System::with_code`].
    pub fn new(params: &TraceParams) -> Result<Self, ParamError> {
        Self::with_warm_up_scale(params, 0)
    }

    /// As [`System::new`], with a warm-up scale ([`warm_up_scale`]) for resyncs.
    pub fn with_warm_up_scale(params: &TraceParams, warm_up_scale: u8) -> Result<Self, ParamError> {
        if params.flow.infers() {
            return Err(ParamError::NoCode(params.flow.name()));
        }
        Self::of(params, warm_up_scale, None)
    }

    /// As [`System::with_warm_up_scale`], of cores that execute `code`.
    ///
    /// # Errors
    /// Parameters that the model does not support, and a scheme that infers jumps if there is no code but only what was learned from
    /// events.
    pub fn with_code<'i>(
        params: &TraceParams,
        warm_up_scale: u8,
        code: impl Into<Images<'i>>,
    ) -> Result<Self, ParamError> {
        let (infers, code) = (params.flow.infers(), code.into());
        if infers && code.common.is_learned() {
            return Err(ParamError::NoCode(params.flow.name()));
        }
        Self::of(params, warm_up_scale, infers.then(|| Box::new(Inference::new(&params.platform, code))))
    }

    fn of(params: &TraceParams, warm_up_scale: u8, inference: Option<Box<Inference>>) -> Result<Self, ParamError> {
        params.check()?;
        let mut out = BitWriter::new();
        let [magic, shape, fingerprint] = header(params);
        for word in [magic, shape_with_scale(shape, warm_up_scale), fingerprint] {
            out.push(word.into(), 32);
        }
        let model = params.flow.model(&params.platform);
        Ok(Self { model, out, stats: StreamStats::default(), warm_up_scale, inference })
    }

    /// Resynchronises every core each `period`, after a repeated header. The scheme must have resyncs
    /// ([`TraceParams::check_period`]).
    #[must_use]
    pub fn sync_every(mut self, params: &TraceParams, period: Option<SyncPeriod>) -> Self {
        if let Some(period) = period {
            let [magic, shape, fingerprint] = repeated_header(params);
            self.model.sync_every(
                period,
                [magic, shape_with_scale(shape, self.warm_up_scale), fingerprint],
                self.warm_up_scale,
            );
        }
        self
    }

    /// Requests a resync at the next control-flow instruction of core 0; the system must have a period.
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

    /// Refuses events whose code is not that from which jumps were inferred.
    ///
    /// # Errors
    /// The first inferable jump that went elsewhere than the code says.
    pub fn check_jumps(&self) -> Result<(), WrongJump> {
        self.inference.as_ref().map_or(Ok(()), |inference| inference.check())
    }

    /// Takes the complete words.
    pub fn drain(&mut self) -> std::vec::Drain<'_, u32> {
        self.out.drain()
    }

    /// Number of bits so far, including the header.
    pub fn bits(&self) -> u64 {
        self.out.len()
    }

    /// Messages so far, by kind; `bits` is set by [`System::finish`].
    pub fn stats(&self) -> &StreamStats {
        &self.stats
    }

    /// Counts so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.model.rates()
    }

    /// Starts counting the lengths of all variable-length fields, if the scheme has any.
    pub fn count_lengths(&mut self) {
        self.model.count_lengths();
    }

    /// Lengths of the fields since counting was started.
    pub fn field_lengths(&self) -> Option<&FieldLengths> {
        self.model.lengths()
    }

    /// Counts of streams, by core; empty except for scheme `sc-lsp`.
    pub fn streams(&self) -> Vec<Counts> {
        match &self.model {
            Model::ScLsp(cores) => cores.map_fronts(Front::counts),
            _ => Vec::new(),
        }
    }
}

impl RetireSink for System {
    /// Takes the next event; its hart must be one of the system's cores.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let Self { model, out, stats, inference, .. } = self;
        match inference {
            None => model.event(event, out, stats),
            Some(inference) => model.event(&inference.event(event), out, stats),
        }
    }
}
