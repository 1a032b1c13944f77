//! `hdl/src/scheme/sc_lsp/{cache,lsp}.rs` against `sim/src/scheme/sc_lsp/tables.rs`

use hdl::scheme::sc_lsp::cache::StreamCache;
use hdl::scheme::sc_lsp::lsp::Lsp;
use hdl::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::cache::Descriptor;
use sim::scheme::sc_lsp::tables::{Outcome, Tables};
use sim::scheme::sc_lsp::{Hash, StreamCacheParams, Variant};
use sim::stimulus::Source;
use std::collections::VecDeque;
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Stream cache and predictor, connected as in the front end.
#[derive(LogicBlock)]
struct Pair<const W: usize> {
    clock: Signal<In, Clock>,
    lookup: Signal<In, Bit>,
    start: Signal<In, Bits<W>>,
    length: Signal<In, Bits<10>>,
    sweep: Signal<In, Bit>,
    sweep_index: Signal<In, Bits<10>>,
    hit: Signal<Out, Bit>,
    index: Signal<Out, Bits<10>>,
    same: Signal<Out, Bit>,
    streams: StreamCache<W>,
    last: Lsp,
}

impl<const W: usize> Pair<W> {
    fn new(params: &TraceParams) -> Self {
        Self {
            clock: Default::default(),
            lookup: Default::default(),
            start: Default::default(),
            length: Default::default(),
            sweep: Default::default(),
            sweep_index: Default::default(),
            hit: Default::default(),
            index: Default::default(),
            same: Default::default(),
            streams: StreamCache::new(params),
            last: Lsp::new(params),
        }
    }
}

impl<const W: usize> Logic for Pair<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, streams, last);
        self.streams.lookup.next = self.lookup.val();
        self.streams.start.next = self.start.val();
        self.streams.length.next = self.length.val();
        self.streams.sweep.next = self.sweep.val();
        self.streams.sweep_index.next = self.sweep_index.val();
        self.last.lookup.next = self.streams.lookup_5.val();
        self.last.index.next = self.streams.index.val();
        self.last.sweep.next = self.sweep.val();
        self.last.sweep_index.next = self.sweep_index.val();
        // without a stream, the outputs are undefined
        self.hit.next = self.streams.hit.val() & self.streams.lookup_5.val();
        self.same.next = self.last.same.val() & self.streams.lookup_5.val();
        self.index.next = 0.into();
        if self.streams.lookup_5.val() {
            self.index.next = self.streams.index.val();
        }
    }
}

/// Drives a circuit and the golden tables.
struct Bench<const W: usize> {
    d: Driver<Pair<W>>,
    golden: Tables,
    align: u8,
    entries: u64,
    due: VecDeque<Option<Outcome>>,
    /// Streams that were predicted, found in the cache, missed.
    seen: [u64; 3],
}

impl<const W: usize> Bench<W> {
    fn new(sc: StreamCacheParams) -> Self {
        let mut params = TraceParams::sc_lsp(sc);
        params.xlen = W as u8;
        let d = Driver::new(Pair::new(&params), |u: &mut Pair<W>, c| u.clock.next = c.into()).unwrap().recording();
        let golden = Tables::new(&sc, params.xlen);
        let due = VecDeque::from([None, None]);
        let mut bench = Self { d, golden, align: params.align, entries: sc.entries().into(), due, seen: [0; 3] };
        bench.clear();
        bench
    }

    fn cycle(&mut self, stream: Option<Descriptor>, sweep: Option<u64>) {
        let align = self.align;
        let got = self
            .d
            .cycle(
                |u| {
                    u.lookup.next = stream.is_some();
                    if let Some(s) = stream {
                        u.start.next = (s.start >> align).to_bits();
                        u.length.next = u64::from(s.length).to_bits();
                    }
                    u.sweep.next = sweep.is_some();
                    u.sweep_index.next = sweep.unwrap_or(0).to_bits();
                },
                |u| (u.hit.val(), u.index.val().index() as u32, u.same.val()),
            )
            .unwrap();
        if let Some(due) = self.due.pop_front().flatten() {
            let found = match got {
                (true, _, true) => Outcome::Predicted,
                (true, index, false) => Outcome::Index(index),
                (false, ..) => Outcome::Miss,
            };
            assert_eq!(found, due, "cycle {}", self.d.cycles());
            let kind = [Outcome::Predicted == due, matches!(due, Outcome::Index(_)), due == Outcome::Miss];
            self.seen.iter_mut().zip(kind).for_each(|(n, k)| *n += u64::from(k));
        }
    }

    fn stream(&mut self, start: u64, length: u32) {
        let d = Descriptor { start, length };
        self.due.push_back(Some(self.golden.stream(d)));
        self.cycle(Some(d), None);
    }

    fn idle(&mut self) {
        self.due.push_back(None);
        self.cycle(None, None);
    }

    /// Clears all tables.
    fn clear(&mut self) {
        (0..3).for_each(|_| self.idle());
        for i in 0..self.entries {
            self.due.push_back(None);
            self.cycle(None, Some(i));
        }
        self.golden.reset();
    }
}

/// Random streams, mostly from a pool that is a little larger than the cache, some in a fixed order so that the
/// predictor learns.
fn random<const W: usize>(sc: StreamCacheParams, seed: u64, streams: u64) {
    let mut s = Source::seeded(seed);
    let mut b = Bench::<W>::new(sc);
    let place = sc.sizes();
    let low = if sc.variant == Variant::Rbase { 17 } else { W as u32 - 2 };
    let size = u64::from(sc.entries()) * 5 / 4;
    let most = (1u64 << sc.sl_bits) - 2;
    let pool: Vec<(u64, u32)> = (0..size).map(|_| (s.bits(low.min(63)) << 1, (1 + s.bits(12) % most) as u32)).collect();
    let mut at = 0;
    for n in 0..streams {
        if n == streams / 2 {
            b.clear();
        }
        while s.percent(20) {
            b.idle();
        }
        at = match s.bits(5) {
            0..4 => s.bits(16) % size,
            4..6 => at,
            _ => (at + 1) % (size / 2),
        };
        let (start, length) = pool[at as usize];
        b.stream(start, length);
    }
    (0..3).for_each(|_| b.idle());
    assert!(b.seen.iter().all(|n| *n > streams / 100), "{place}: {:?}", b.seen);
    b.d.check_verilog_from_random(seed as u32 + 1).unwrap_or_else(|e| panic!("{place}: {e}"));
}

#[test]
fn random_streams_match_golden_in_every_number_of_ways() {
    for (seed, ways) in [1u16, 2, 4, 8].into_iter().enumerate() {
        random::<32>(StreamCacheParams::new(Variant::Base, 128 / ways, ways as u8), seed as u64, 30_000);
    }
}

#[test]
fn random_streams_match_golden_at_the_limits() {
    let p = StreamCacheParams::new(Variant::Rbase, 4, 8);
    random::<32>(StreamCacheParams { sl_bits: 6, shift: 0, ..p }, 11, 20_000);
    let p = StreamCacheParams::new(Variant::Base, 1024, 1);
    random::<32>(StreamCacheParams { sl_bits: 10, hash: Hash::Left, shift: 8, ..p }, 12, 20_000);
    random::<64>(StreamCacheParams::new(Variant::Ebase, 64, 4), 13, 10_000);
}

#[test]
fn the_same_stream_over_and_over_is_predicted_in_every_cycle() {
    for ways in [1u8, 2, 4, 8] {
        let mut b = Bench::<32>::new(StreamCacheParams::new(Variant::Base, 32, ways));
        // sets 3 and 0, where index 0 must not be used
        for start in [0x8000_0020, 0x8000_0010] {
            (0..20).for_each(|_| b.stream(start, 1));
        }
        // all ways of one set in turn, and one more
        for n in 0..100 {
            b.stream((n % (u64::from(ways) + 1)) << 16, 3);
        }
        (0..3).for_each(|_| b.idle());
        b.d.check_verilog().unwrap();
    }
}

#[test]
fn the_emitted_verilog_passes_all_gates() {
    for sc in [StreamCacheParams::new(Variant::Rbase, 32, 4), StreamCacheParams::new(Variant::Base, 4, 8)] {
        emit_checked(&mut Pair::<32>::new(&TraceParams::sc_lsp(sc))).unwrap();
    }
    emit_checked(&mut StreamCache::<32>::new(&TraceParams::sc_lsp(StreamCacheParams::new(Variant::Base, 128, 1))))
        .unwrap();
    emit_checked(&mut Lsp::new(&TraceParams::sc_lsp(StreamCacheParams::new(Variant::Base, 128, 1)))).unwrap();
}
