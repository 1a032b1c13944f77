//! Trace module of one core: turns retired control flow into records
//!
//! # Source
//! Paper 001 section II, "Stream Detector"; when a record is sent: `docs/reference/stream.md`.

use super::cache::Descriptor;
use super::params::{StreamCacheParams, Variant};
use super::record::{self, Record};
use super::tables::{Outcome, Tables};
use crate::core_trace::{self, Counters, Out};
use crate::message::Escape;
use crate::platform::Platform;
use retire::isa::Indirect;
use retire::FlowEvent;

/// Counts of streams, by how they were encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Number of streams.
    pub streams: u64,
    /// Streams that the stream cache held, including those that were predicted.
    pub cache_hits: u64,
    /// Streams that the last stream predictor predicted.
    pub predicted: u64,
    /// Streams that ended because they reached the maximum length.
    pub long: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, o: Self) {
        self.streams += o.streams;
        self.cache_hits += o.cache_hits;
        self.predicted += o.predicted;
        self.long += o.long;
    }
}

/// Front end of one core. Instructions are counted from the start of the current stream.
#[derive(Clone, Debug)]
pub struct Front {
    longest: u32,
    rbase: bool,
    tables: Tables,
    stream: Current,
    counts: Counts,
}

/// The current stream, and the hits that are not sent yet.
#[derive(Clone, Copy, Debug)]
struct Current {
    /// SA.
    start: u64,
    /// The decoder knows SA: the previous stream did not end in an indirect branch.
    known: bool,
    /// Predicted streams that are not sent yet.
    hits: u32,
    /// The header was repeated, and this core has sent nothing since.
    after_header: bool,
}

/// Effect of an instruction on the current stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It does not end the stream, unless that is long.
    No,
    /// As [`End::No`], for a conditional that is not taken.
    NotTaken,
    Direct,
    Indirect,
}

impl Front {
    /// State after reset.
    pub fn new(sc: &StreamCacheParams, platform: &Platform) -> Self {
        Self {
            longest: sc.longest(),
            rbase: sc.variant == Variant::Rbase,
            tables: Tables::new(sc, platform.xlen),
            stream: Current { start: 0, known: true, hits: 0, after_header: false },
            counts: Counts::default(),
        }
    }

    /// Counts of streams so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sends the hits that are not sent yet.
    #[inline]
    fn flush(&mut self, cycle: u64, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        let count = std::mem::take(&mut self.stream.hits);
        if count > 0 {
            core_trace.send_waiting(cycle, Record::Hits { count, bits: self.tables.runs.bits() }, out);
            self.tables.runs.sent(count);
        }
    }

    /// Completes a stream with length code `length`.
    #[inline]
    fn complete(&mut self, cycle: u64, length: u32, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        let Current { start, known, .. } = self.stream;
        let upper_hit = self.tables.upper_known(start);
        self.counts.streams += 1;
        let in_warm_up = core_trace.in_warm_up();
        let outcome = if in_warm_up { Outcome::Miss } else { self.tables.stream(Descriptor { start, length }) };
        match outcome {
            Outcome::Predicted => {
                self.counts.cache_hits += 1;
                self.counts.predicted += 1;
                self.stream.hits += 1;
                if self.stream.hits == self.tables.runs.full() || core_trace.cc_limit_reached(cycle) {
                    self.flush(cycle, core_trace, out);
                }
            }
            Outcome::Index(index) => {
                self.counts.cache_hits += 1;
                self.flush(cycle, core_trace, out);
                core_trace.send_waiting(cycle, Record::Index(index), out);
            }
            Outcome::Miss => {
                self.flush(cycle, core_trace, out);
                let miss = record::miss(&mut self.tables, !self.rbase && !in_warm_up, known, upper_hit, start, length);
                core_trace.send_waiting(cycle, miss, out);
            }
        }
    }

    fn begin(&mut self, start: u64, known: bool, core_trace: &mut Counters) {
        self.stream.start = start;
        self.stream.known = known;
        core_trace.restart_i_cnt();
    }

    #[inline]
    fn instruction(&mut self, e: &FlowEvent, end: End, core_trace: &mut Counters, out: &mut impl Out<Record>) -> bool {
        let long = core_trace.i_cnt() >= u64::from(self.longest);
        if long || matches!(end, End::Direct | End::Indirect) {
            self.counts.long += u64::from(long);
            let length = if long { self.longest + u32::from(end == End::NotTaken) } else { core_trace.i_cnt() as u32 };
            self.complete(e.cycle, length, core_trace, out);
            self.begin(e.target, end != End::Indirect, core_trace);
        }
        // not used: this scheme has no progress message
        false
    }
}

impl core_trace::Front for Front {
    type Body = Record;
    // streams end before the counters overflow
    const PROGRESS: bool = false;

    fn reset(&mut self, pc: u64) {
        self.tables.reset();
        self.stream = Current { start: pc, known: true, hits: 0, after_header: false };
    }

    fn rejoin(&mut self, pc: u64) {
        self.stream = Current { start: pc, known: true, hits: 0, after_header: false };
    }

    fn header_repeated(&mut self) {
        self.stream.after_header = true;
    }

    #[inline]
    fn conditional(
        &mut self,
        e: &FlowEvent,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        self.instruction(e, if taken { End::Direct } else { End::NotTaken }, core_trace, out)
    }

    #[inline]
    fn jump(&mut self, e: &FlowEvent, _: bool, core_trace: &mut Counters, out: &mut impl Out<Record>) -> bool {
        self.instruction(e, End::No, core_trace, out)
    }

    #[inline]
    fn indirect(&mut self, e: &FlowEvent, _: Indirect, core_trace: &mut Counters, out: &mut impl Out<Record>) -> bool {
        self.instruction(e, End::Indirect, core_trace, out)
    }

    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        _: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        self.instruction(e, if taken { End::Indirect } else { End::NotTaken }, core_trace, out)
    }

    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        let Current { after_header, hits, .. } = self.stream;
        if after_header {
            self.stream.hits = 0;
            self.stream.after_header = false;
        } else {
            self.flush(cycle, core_trace, out);
        }
        let sync = matches!(escape, Escape::Sync { .. });
        let start = (after_header || !self.stream.known && !sync).then_some(self.stream.start);
        core_trace.send_waiting(cycle, Record::Escape { start, hits: after_header.then_some(hits), escape }, out);
        if let Escape::Exception { target, .. } = escape {
            self.begin(target, true, core_trace);
        }
    }
}
