//! Trace module of one core: retired control flow to records
//!
//! # Source
//! Paper 001 section II, "Stream Detector"; when a record is sent: `docs/stream.md`.

use super::cache::Descriptor;
use super::params::Variant;
use super::record::{self, Record};
use super::tables::{Outcome, Tables};
use crate::golden::core::Rates;
use crate::message::Escape;
use crate::params::TraceParams;
use retire::{FlowEvent, FlowKind};

/// What became of the streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Streams.
    pub streams: u64,
    /// Streams that the stream cache held, those that were predicted included.
    pub cache_hits: u64,
    /// Streams that the last stream predictor predicted.
    pub predicted: u64,
    /// Streams that ended because they were long.
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

/// Trace module of one core.
#[derive(Clone, Debug)]
pub struct Core {
    longest: u32,
    rbase: bool,
    timestamps: bool,
    /// Cycle of the last record (of activation before the first).
    last_cycle: u64,
    /// From here on, cycles since the last record make predicted streams go out.
    cc_limit: u64,
    cc_max: u64,
    tables: Tables,
    /// SA of the current stream.
    start: u64,
    /// The decoder knows SA: the stream before did not end in an indirect branch.
    known: bool,
    /// Instructions of the current stream.
    length: u64,
    /// Hits that wait to be sent.
    hits: u32,
    counts: Counts,
    rates: Rates,
}

impl Core {
    /// In the reset state; tracing becomes active in cycle 0.
    ///
    /// # Panics
    /// When the scheme of `params` is not `sc-lsp`.
    pub fn new(params: &TraceParams) -> Self {
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        Self {
            longest: sc.longest(),
            rbase: sc.variant == Variant::Rbase,
            timestamps: params.timestamps,
            last_cycle: 0,
            cc_limit: 1 << (params.cc_bits - 1),
            cc_max: (1 << params.cc_bits) - 1,
            tables: Tables::new(&sc, params.xlen),
            start: 0,
            known: true,
            length: 0,
            hits: 0,
            counts: Counts::default(),
            rates: Rates::default(),
        }
    }

    /// What became of the streams so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Branches and traps so far; this scheme predicts none of them, so none is missed.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// Cycles since the last record.
    #[inline]
    fn since(&self, cycle: u64) -> u64 {
        cycle.saturating_sub(self.last_cycle).min(self.cc_max)
    }

    #[inline]
    fn send(&mut self, cycle: u64, record: &Record, out: &mut impl FnMut(u64, &Record)) {
        let diff_cc = if self.timestamps { self.since(cycle) } else { 0 };
        self.last_cycle = cycle;
        out(diff_cc, record);
    }

    /// Sends the hits that wait.
    #[inline]
    fn flush(&mut self, cycle: u64, out: &mut impl FnMut(u64, &Record)) {
        let count = std::mem::take(&mut self.hits);
        if count > 0 {
            self.send(cycle, &Record::Hits { count, bits: self.tables.runs.bits() }, out);
            self.tables.runs.sent(count);
        }
    }

    /// A stream of length code `length` is complete.
    #[inline]
    fn stream(&mut self, cycle: u64, length: u32, out: &mut impl FnMut(u64, &Record)) {
        let start = self.start;
        let upper_hit = self.tables.upper_known(start);
        self.counts.streams += 1;
        match self.tables.stream(Descriptor { start, length }) {
            Outcome::Predicted => {
                self.counts.cache_hits += 1;
                self.counts.predicted += 1;
                self.hits += 1;
                let late = self.timestamps && self.since(cycle) >= self.cc_limit;
                if self.hits == self.tables.runs.full() || late {
                    self.flush(cycle, out);
                }
            }
            Outcome::Index(index) => {
                self.counts.cache_hits += 1;
                self.flush(cycle, out);
                self.send(cycle, &Record::Index(index), out);
            }
            Outcome::Miss => {
                self.flush(cycle, out);
                let miss = record::miss(&mut self.tables, self.rbase, self.known, upper_hit, start, length);
                self.send(cycle, &miss, out);
            }
        }
    }

    /// An escape after the instructions of the current stream.
    fn escape(&mut self, cycle: u64, escape: Escape, out: &mut impl FnMut(u64, &Record)) {
        self.flush(cycle, out);
        let start = (!self.known).then_some(self.start);
        self.send(cycle, &Record::Escape { start, escape }, out);
    }

    fn begin(&mut self, start: u64, known: bool) {
        self.start = start;
        self.known = known;
        self.length = 0;
    }

    /// The next event of this core; records go to `out` in order, each behind the cycles since the last one (0
    /// in functional streams).
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut impl FnMut(u64, &Record)) {
        self.length += u64::from(e.count);
        self.rates.instructions += u64::from(e.count);
        let (ends, indirect, not_taken) = match e.kind {
            FlowKind::Conditional { taken } => {
                self.rates.conditionals += 1;
                (taken, false, !taken)
            }
            FlowKind::Jump | FlowKind::Call => (false, false, false),
            FlowKind::IndirectJump
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap
            | FlowKind::TrapReturn => {
                self.rates.indirects += 1;
                (true, true, false)
            }
            FlowKind::ConditionalIndirect { taken } => {
                self.rates.indirects += 1;
                (taken, taken, !taken)
            }
            FlowKind::Start => {
                self.begin(e.target, true);
                let sync = Escape::Sync { i_cnt: 0, pc: e.target };
                return self.send(e.cycle, &Record::Escape { start: None, escape: sync }, out);
            }
            FlowKind::Trap { .. } => {
                self.rates.traps += 1;
                self.escape(e.cycle, Escape::Exception { i_cnt: self.length, target: e.target }, out);
                return self.begin(e.target, true);
            }
            // a gap is made by replay only; the instructions before it count as any
            FlowKind::Stop | FlowKind::Gap { .. } => return,
        };
        let long = self.length >= u64::from(self.longest);
        if ends || long {
            self.counts.long += u64::from(long);
            let length = if long { self.longest + u32::from(not_taken) } else { self.length as u32 };
            self.stream(e.cycle, length, out);
            self.begin(e.target, !indirect);
        }
    }

    /// What is told in `cycle` of `lost` instructions whose records were dropped: the core then begins anew.
    pub fn overflow(&mut self, cycle: u64, lost: u64, out: &mut impl FnMut(u64, &Record)) {
        self.escape(cycle, Escape::Overflow { i_cnt: self.length, lost }, out);
    }

    /// Tracing is disabled in `cycle`.
    pub fn stop(&mut self, cycle: u64, out: &mut impl FnMut(u64, &Record)) {
        self.escape(cycle, Escape::Stop { i_cnt: self.length }, out);
    }
}
