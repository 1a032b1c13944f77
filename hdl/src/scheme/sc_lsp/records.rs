//! Records: decides which records a stream makes, and when they are sent
//!
//! It is the last stage of a front end. It counts predicted streams in the adaptive one-length counter, keeps the
//! last-value register and the cycle counter, and makes event entries.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `sc-lsp`)"; paper 001 sections III.B and III.C.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `live`, `valid` | in | 1 | this cycle is traced; an instruction retires |
//! | `pc` | in | W | its address |
//! | `address`, `next_address`, `changes_flow` | in | W, W, 1 | where messages carry signatures, [`EARLY_CYCLES`] before: its address, that of the next instruction; it is control flow, if it is traced |
//! | `count`, `start`, `known` | in | 24, W, 1 | of the stream before it, see [`super::detector`]; also while `live` is 0 |
//! | `ends` | in | 1 | it ends a stream. 0 unless `valid` and `live` |
//! | `flow` | in | 1 | it is a control-flow instruction. 0 unless `valid` and `live` |
//! | `length` | in | 10 | SL of the stream that it ends |
//! | `hit`, `same`, `index` | in | 1, 1, 10 | results of the tables for this stream |
//! | `held` | in | 1 | the tables were not used, because they are being cleared |
//! | `header_repeated` | in | 1 | the header is repeated: cycles count from here, and the next message must not depend on earlier ones |
//! | `resync_pc` | in | W | for `entry.resync_pc` |
//! | `more` | in | 24 | with [`Extras::retire`]: sequential instructions that retired before this one, and are reported with it |
//! | `step` | in | 32 | with [`Extras::retire`]: cycles since the last beat |
//! | `old`, `young` | in | 8 | with [`Extras::retire`], resyncs and time stamps, and `header_repeated`: by how many cycles this beat is older than the header, by how many it is younger |
//! | `decision` | in | | the decision about the instruction, see [`crate::spine::trace_fsm`] |
//! | `entry` | out | | an event entry, see [`super::entry`] |
//!
//! # Timing
//! One instruction per cycle; entries come from registers, one cycle later.
//!
//! Golden model: [`sim::scheme::sc_lsp::model`].

use super::entry::{LENGTH_BITS, NO_RUN};
use crate::spine::cycles::Cycles;
use crate::spine::entry::CONTROL_RESYNC;
use crate::spine::ports::{DecisionIn, EntryOut};
use crate::spine::resync_pc::EARLY_CYCLES;
use crate::spine::signature::Signature;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::Variant;

/// The counters and the record decision of one core, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Records<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub address: Signal<In, Bits<W>>,
    pub next_address: Signal<In, Bits<W>>,
    pub changes_flow: Signal<In, Bit>,
    pub count: Signal<In, Bits<24>>,
    pub start: Signal<In, Bits<W>>,
    pub known: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub length: Signal<In, Bits<10>>,
    pub hit: Signal<In, Bit>,
    pub same: Signal<In, Bit>,
    pub index: Signal<In, Bits<10>>,
    pub held: Signal<In, Bit>,
    pub header_repeated: Signal<In, Bit>,
    pub resync_pc: Signal<In, Bits<W>>,
    pub decision: DecisionIn,
    pub more: Signal<In, Bits<24>>,
    pub step: Signal<In, Bits<32>>,
    pub old: Signal<In, Bits<8>>,
    pub young: Signal<In, Bits<8>>,
    pub entry: EntryOut<W>,
    // state
    begun: DFF<Bit>,
    dropped: DFF<Bits<24>>,
    // the header was repeated, and no message has followed
    message_pending: DFF<Bit>,
    // one-length counter: pending hits, k, 2^k - 1, monitor
    hits: DFF<Bits<8>>,
    size: DFF<Bits<4>>,
    ones: DFF<Bits<8>>,
    monitor: DFF<Bits<4>>,
    upper: DFF<Bits<W>>,
    cc: DFF<Bits<32>>,
    // with several instructions per cycle: the last cycle was counted, so the cycles of this beat are added
    counts_cycles: DFF<Bit>,
    // with resyncs and time stamps: cycles up to the header that are not counted
    debt: DFF<Bits<8>>,
    cycles: Cycles,
    // where messages carry signatures: the upper bits of that of the entry, the lower ones are in `bcnt`
    signature: Signature<W>,
    signature_7: DFF<Bits<6>>,
    carries: Signal<Local, Bit>,
    half_full: Signal<Local, Bit>,
    all_dropped: Signal<Local, Bits<24>>,
    // decisions
    any_pre: Signal<Local, Bit>,
    start_known: Signal<Local, Bit>,
    own_start: Signal<Local, Bits<W>>,
    own_upper: Signal<Local, Bits<W>>,
    upper_hit: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    stream_predicted: Signal<Local, Bit>,
    filled: Signal<Local, Bit>,
    cc_half_full: Signal<Local, Bit>,
    sends_run: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    not_predicted: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    forget: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    // counters
    waiting: Signal<Local, Bit>,
    more_hits: Signal<Local, Bits<8>>,
    less_hits: Signal<Local, Bits<8>>,
    run: Signal<Local, Bits<8>>,
    has_run: Signal<Local, Bit>,
    this_run: Signal<Local, Bit>,
    full_run: Signal<Local, Bit>,
    half: Signal<Local, Bits<8>>,
    short_run: Signal<Local, Bit>,
    up: Signal<Local, Bits<4>>,
    down: Signal<Local, Bits<4>>,
    grow: Signal<Local, Bit>,
    shrink: Signal<Local, Bit>,
    widest: Signal<Local, Bit>,
    narrowest: Signal<Local, Bit>,
    dropped_top: Signal<Local, Bit>,
    dropped_more: Signal<Local, Bits<24>>,
    dropped_now: Signal<Local, Bits<24>>,
    cc_all: Signal<Local, Bit>,
    cc_now: Signal<Local, Bits<32>>,
    message_pending_now: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    clears_state: Signal<Local, Bit>,
    flag: Signal<Local, Bit>,
    // the entry
    push_7: DFF<Bit>,
    pre_7: DFF<Bits<2>>,
    post_7: DFF<Bits<2>>,
    icnt_7: DFF<Bits<24>>,
    bcnt_7: DFF<Bits<24>>,
    pc_7: DFF<Bits<W>>,
    target_7: DFF<Bits<W>>,
    cc_7: DFF<Bits<32>>,
    pre_0: Signal<Local, Bit>,
    pre_1: Signal<Local, Bit>,
    post_0: Signal<Local, Bit>,
    post_1: Signal<Local, Bit>,
    value: Signal<Local, Bits<10>>,
    run_size: Signal<Local, Bits<4>>,
    sends_start: Signal<Local, Bit>,
    // from the parameters
    sync: Fixed<Bit>,
    wide: Fixed<Bit>,
    with_signature: Fixed<Bit>,
    rbase: Fixed<Bit>,
    register: Fixed<Bit>,
    counts: Fixed<Bit>,
    timed: Fixed<Bit>,
    cc_mask: Fixed<Bits<32>>,
    cc_top: Fixed<Bits<32>>,
    count_above: Fixed<Bits<24>>,
    upper_mask: Fixed<Bits<W>>,
    count_mask: Fixed<Bits<24>>,
    count_top: Fixed<Bits<24>>,
    first_size: Fixed<Bits<4>>,
    first_ones: Fixed<Bits<8>>,
    most_size: Fixed<Bits<4>>,
    no_run: Fixed<Bits<4>>,
    middle: Fixed<Bits<4>>,
    three: Fixed<Bits<4>>,
    by_resync: Fixed<Bits<2>>,
    one_4: Fixed<Bits<4>>,
    twelve: Fixed<Bits<4>>,
    one_8: Fixed<Bits<8>>,
    one_24: Fixed<Bits<24>>,
    one_32: Fixed<Bits<32>>,
}

impl<const W: usize> Records<W> {
    /// The circuit for `params`. The `extras` that matter are resyncs, and the number of instructions that retire per cycle.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, their scheme is not `sc-lsp`, or SL has more than 10 bits.
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        let wide = extras.retire.is_some();
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        assert!(usize::from(sc.sl_bits) <= LENGTH_BITS, "sl_bits = {} is outside 6..=10", sc.sl_bits);
        let address = params.address_bits() as usize;
        let ones = |bits: usize| Bits::<W>::mask() >> (W - bits) as u64;
        let first = u64::from(sc.run_bits != 0);
        Self {
            wide: Fixed::new(wide),
            signature: when(params.signature > 0, || Signature::late(params, EARLY_CYCLES)),
            with_signature: Fixed::new(params.signature > 0),
            cycles: Cycles::new(params, &extras),
            sync: Fixed::new(extras.sync),
            rbase: Fixed::new(sc.variant == Variant::Rbase),
            register: Fixed::new(sc.upper_bits != 0),
            counts: Fixed::new(sc.run_bits != 0),
            timed: Fixed::new(params.timestamps),
            cc_mask: Fixed::of((1u64 << params.cc_bits) - 1),
            cc_top: Fixed::of(1u64 << (params.cc_bits - 1)),
            count_above: Fixed::of(0xff_ffff & !((1u64 << (params.count_bits - 1)) - 1)),
            upper_mask: Fixed::new(ones(address) ^ ones(address - usize::from(sc.upper_bits))),
            count_mask: Fixed::of((1u64 << params.count_bits) - 1),
            count_top: Fixed::of(1u64 << (params.count_bits - 1)),
            first_size: Fixed::of(first),
            first_ones: Fixed::of(first),
            most_size: Fixed::of(sc.run_bits),
            no_run: Fixed::of(NO_RUN),
            middle: Fixed::new(8.into()),
            three: Fixed::new(3.into()),
            by_resync: Fixed::of(CONTROL_RESYNC),
            one_4: Fixed::new(1.into()),
            twelve: Fixed::new(12.into()),
            one_8: Fixed::new(1.into()),
            one_24: Fixed::new(1.into()),
            one_32: Fixed::new(1.into()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Records<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            begun,
            dropped,
            message_pending,
            hits,
            size,
            ones,
            monitor,
            upper,
            cc,
            counts_cycles,
            debt
        );
        dff_setup!(self, clock, push_7, pre_7, post_7, icnt_7, bcnt_7, pc_7, target_7, cc_7, signature_7);
        clock!(self, clock, signature);

        // resyncs
        self.message_pending_now.next = false;
        self.cc_now.next = self.cc.q.val();
        self.resync.next = false;
        self.clears_state.next = false;
        self.entry.resync_pc.next = 0.into();
        if self.sync.val() {
            self.message_pending_now.next = self.message_pending.q.val() | self.header_repeated.val();
            self.resync.next = self.decision.resync.val();
            self.clears_state.next = self.decision.resync.val() | self.decision.restart_sync.val();
            if self.header_repeated.val() {
                self.cc_now.next = 0.into();
            }
            self.entry.resync_pc.next = self.resync_pc.val();
        }
        // the cycle of the header may be later than that of the beat, or earlier
        self.cycles.step.next = self.step.val();
        self.cycles.counted.next = self.cc.q.val();
        self.cycles.header_repeated.next = self.header_repeated.val();
        self.cycles.old.next = self.old.val();
        self.cycles.young.next = self.young.val();
        self.cycles.debt.next = self.debt.q.val();
        if self.wide.val() & self.timed.val() & self.counts_cycles.q.val() {
            self.cc_now.next = self.cycles.sum.val();
            if self.cycles.over.val() {
                self.cc_now.next = self.cc_mask.val();
            }
        }
        if self.wide.val() {
            self.half_full.next = (self.cc.q.val() & self.cc_top.val()).any() & self.timed.val();
            if self.counts_cycles.q.val() {
                self.half_full.next =
                    ((self.cycles.sum.val() & self.cc_top.val()).any() | self.cycles.over.val()) & self.timed.val();
            }
        }

        // the instruction
        self.any_pre.next = self.decision.sync.val() | self.decision.exception.val();
        self.start_known.next = self.any_pre.val() | self.known.val();
        self.own_start.next = self.start.val();
        if self.any_pre.val() {
            self.own_start.next = self.pc.val();
        }
        self.own_upper.next = self.own_start.val() & self.upper_mask.val();
        self.upper_hit.next = self.own_upper.val() == self.upper.q.val();
        // the tables are not used while they are cleared: their results are undefined then
        self.over.next = self.ends.val() & self.decision.beat.val();
        self.found.next = self.over.val() & self.hit.val() & (self.upper_hit.val() | !self.rbase.val());
        self.stream_predicted.next = self.found.val() & self.same.val();
        self.not_predicted.next = self.over.val() & !self.stream_predicted.val();
        // a hit sends the counted hits when it fills the counter, or comes when the cycle counter is half full;
        // in base, where each hit does, it may come after an exception
        self.filled.next = self.hits.q.val() == self.ones.q.val();
        self.cc_half_full.next = (self.cc.q.val() & self.cc_top.val()).any() & self.timed.val();
        if self.wide.val() {
            self.cc_half_full.next = self.half_full.val();
        }
        self.sends_run.next =
            self.stream_predicted.val() & !self.any_pre.val() & (self.filled.val() | self.cc_half_full.val());
        self.alone.next = self.stream_predicted.val() & self.any_pre.val() & !self.counts.val();

        self.decision.flow.next = self.flow.val();
        self.decision.needs_message.next = self.ends.val()
            & (!self.hit.val()
                | !self.same.val()
                | (self.rbase.val() & !self.upper_hit.val())
                | self.filled.val()
                | self.cc_half_full.val());

        self.idle.next = !self.live.val() & !self.decision.tracing.val() & !self.decision.losing.val();
        self.forget.next = self.idle.val() | self.reset.val() | self.clears_state.val();
        self.message_pending.d.next =
            self.message_pending_now.val() & !self.decision.restart.val() & !self.idle.val() & !self.reset.val();
        // pending hits are sent with the overflow message, and loaded in the cycle of the first lost instruction
        self.flushes.next = self.decision.send.val() | self.decision.drop.val();
        if self.decision.beat.val() {
            self.begun.d.next = true;
        }
        if self.decision.overflow.val() | self.decision.stop.val() | self.reset.val() {
            self.begun.d.next = false;
        }

        // the run that is sent first: with this hit, or the pending hits
        self.waiting.next = self.hits.q.val().any();
        self.more_hits.next = self.hits.q.val() + self.one_8.val();
        self.less_hits.next = self.hits.q.val() - self.one_8.val();
        self.this_run.next = self.sends_run.val() & self.decision.send.val();
        self.full_run.next = self.this_run.val() & self.filled.val();
        self.has_run.next = self.waiting.val();
        self.run.next = self.less_hits.val();
        if self.this_run.val() {
            self.has_run.next = true;
            self.run.next = self.hits.q.val();
        }
        if self.stream_predicted.val() & self.decision.beat.val() {
            self.hits.d.next = self.more_hits.val();
        }
        if self.flushes.val() {
            self.hits.d.next = 0.into();
            if self.stream_predicted.val() & self.any_pre.val() & self.counts.val() {
                self.hits.d.next = self.one_8.val();
            }
        }

        // size of the counter
        self.half.next = self.ones.q.val() >> 1;
        self.short_run.next = self.waiting.val() & (self.hits.q.val() <= self.half.val());
        if self.this_run.val() {
            self.short_run.next = self.hits.q.val() < self.half.val();
        }
        self.up.next = self.monitor.q.val() + self.three.val();
        self.down.next = self.monitor.q.val() - self.one_4.val();
        self.grow.next = self.full_run.val() & (self.monitor.q.val() >= self.twelve.val());
        self.shrink.next = self.flushes.val() & self.short_run.val() & (self.monitor.q.val() == self.one_4.val());
        self.widest.next = self.size.q.val() == self.most_size.val();
        self.narrowest.next = self.size.q.val() == self.one_4.val();
        if self.full_run.val() {
            self.monitor.d.next = self.up.val();
        } else if self.flushes.val() & self.short_run.val() {
            self.monitor.d.next = self.down.val();
        }
        if self.grow.val() | self.shrink.val() {
            self.monitor.d.next = self.middle.val();
        }
        if self.grow.val() & !self.widest.val() {
            self.size.d.next = self.size.q.val() + self.one_4.val();
            self.ones.d.next = bit_cast::<8, 8>(self.ones.q.val() << 1) | self.one_8.val();
        }
        if self.shrink.val() & !self.narrowest.val() {
            self.size.d.next = self.size.q.val() - self.one_4.val();
            self.ones.d.next = self.half.val();
        }

        // last-value register: of every stream in rbase, of sent addresses in ebase
        self.sends_start.next = self.not_predicted.val() & !self.found.val() & !self.start_known.val();
        if self.over.val() & self.rbase.val() & !self.held.val() {
            self.upper.d.next = self.own_upper.val();
        }
        if self.decision.send.val() & self.sends_start.val() & !self.held.val() {
            self.upper.d.next = self.own_upper.val();
        }
        if self.forget.val() {
            self.upper.d.next = 0.into();
            self.hits.d.next = 0.into();
            self.size.d.next = self.first_size.val();
            self.ones.d.next = self.first_ones.val();
            self.monitor.d.next = self.middle.val();
        }

        // number of instructions without any record, including the one whose message was dropped
        self.dropped_top.next = (self.dropped.q.val() & self.count_top.val()).any();
        self.dropped_more.next = self.dropped.q.val() + self.one_24.val();
        self.dropped_now.next = self.dropped.q.val();
        if self.decision.losing.val() & self.valid.val() & !self.dropped_top.val() {
            self.dropped_now.next = self.dropped_more.val();
        }
        if self.wide.val() {
            self.all_dropped.next = self.dropped_more.val() + self.more.val();
            if self.decision.losing.val() & self.valid.val() {
                self.dropped_now.next = self.all_dropped.val();
                if (self.all_dropped.val() & self.count_above.val()).any() {
                    self.dropped_now.next = self.count_top.val();
                }
            }
        }
        self.dropped.d.next = self.dropped_now.val();
        if self.decision.drop.val() {
            self.dropped.d.next = self.one_24.val();
        }
        if self.wide.val() & self.decision.drop.val() {
            self.dropped.d.next = self.more.val() + self.one_24.val();
        }

        // cycles since the last record; a stop reports when tracing ended, not when it is sent
        self.cc_all.next = self.cc_now.val() == self.cc_mask.val();
        self.cc.d.next = self.cc_now.val();
        if self.decision.restart.val() {
            self.cc.d.next = self.one_32.val();
        } else if self.idle.val() {
            self.cc.d.next = 0.into();
        } else if !self.cc_all.val() & (self.live.val() | self.decision.drop.val() | self.decision.losing.val()) {
            self.cc.d.next = self.cc_now.val() + self.one_32.val();
        }
        if self.wide.val() {
            self.counts_cycles.d.next = (self.live.val() | self.decision.drop.val() | self.decision.losing.val())
                & self.timed.val()
                & !self.reset.val();
            self.cc.d.next = self.cc_now.val();
            if self.decision.restart.val() | self.idle.val() {
                self.cc.d.next = 0.into();
            }
        }
        self.debt.d.next = self.cycles.left.val();
        if self.decision.restart.val() | self.idle.val() | self.reset.val() {
            self.debt.d.next = 0.into();
        }
        if !self.timed.val() {
            self.cc.d.next = 0.into();
        }

        // the entry; that of a dropped message is kept, and sent with the overflow message
        self.push_7.d.next = self.decision.restart.val();
        self.cc_7.d.next = self.cc_now.val();
        self.load.next = !self.decision.losing.val();
        self.pre_0.next =
            self.decision.exception.val() | self.decision.overflow.val() | self.decision.stop.val() | self.resync.val();
        self.pre_1.next =
            self.decision.sync.val() | self.decision.overflow.val() | self.decision.stop.val() | self.resync.val();
        self.post_0.next =
            (self.found.val() & !self.stream_predicted.val()) | self.sends_start.val() | self.alone.val();
        self.post_1.next = (self.not_predicted.val() & !self.found.val()) | self.alone.val();
        self.pre_7.d.next =
            (bit_cast::<2, 1>(self.pre_1.val().into()) << 1) | bit_cast::<2, 1>(self.pre_0.val().into());
        self.post_7.d.next =
            (bit_cast::<2, 1>(self.post_1.val().into()) << 1) | bit_cast::<2, 1>(self.post_0.val().into());
        if self.decision.overflow.val() {
            self.post_7.d.next = 1.into();
        }
        if self.decision.stop.val() {
            self.post_7.d.next = 0.into();
        }
        if self.resync.val() {
            self.post_7.d.next = self.by_resync.val() | bit_cast::<2, 1>(self.decision.exception.val().into());
        }
        self.value.next = self.length.val();
        if self.found.val() {
            self.value.next = self.index.val();
        }
        // the signature of the instruction and its messages; it is sent in place of a stream
        self.signature.pc.next = self.address.val();
        self.signature.target.next = self.next_address.val();
        self.signature.early.next = self.changes_flow.val();
        self.signature.flow.next = self.flow.val() & self.decision.beat.val();
        self.signature.first.next = self.any_pre.val();
        self.signature.restart.next = self.clears_state.val();
        self.signature.idle.next = !self.decision.tracing.val() & !self.decision.beat.val();
        self.signature.counts.next = self.decision.exception.val()
            | self.decision.overflow.val()
            | (self.decision.stop.val() & self.begun.q.val())
            | self.resync.val();
        self.signature.count.next = self.count.val() & self.count_mask.val();
        if self.resync.val() & !self.decision.exception.val() {
            // without the instruction of the resync
            self.signature.count.next = (self.count.val() - self.one_24.val()) & self.count_mask.val();
        }
        if self.decision.overflow.val() {
            self.signature.count.next = self.icnt_7.q.val();
        }
        self.signature.has_context.next = false;
        self.signature.context_value.next = 0.into();
        self.carries.next = self.resync.val() | self.decision.stop.val();
        if self.with_signature.val() {
            self.signature_7.d.next = self.signature.value.val().get_bits::<6>(10);
            if self.carries.val() {
                self.value.next = self.signature.value.val().get_bits::<10>(0);
            }
        }
        self.run_size.next = self.no_run.val();
        if self.has_run.val() {
            self.run_size.next = self.size.q.val();
        }
        self.flag.next = self.upper_hit.val();
        if self.sync.val() & self.pre_0.val() {
            self.flag.next = self.message_pending_now.val();
        }
        if self.load.val() {
            self.icnt_7.d.next = self.count.val() & self.count_mask.val();
            self.target_7.d.next = self.start.val();
            self.pc_7.d.next = self.pc.val();
            self.bcnt_7.d.next = bit_cast::<24, 10>(self.value.val())
                | (bit_cast::<24, 1>(self.flag.val().into()) << 10)
                | (bit_cast::<24, 1>(self.known.val().into()) << 11)
                | (bit_cast::<24, 8>(self.run.val()) << 12)
                | (bit_cast::<24, 4>(self.run_size.val()) << 20);
            if self.decision.stop.val() & !self.begun.q.val() {
                // nothing since the last gap: no stream is open
                self.icnt_7.d.next = 0.into();
                self.bcnt_7.d.next = (bit_cast::<24, 4>(self.no_run.val()) << 20)
                    | (self.one_24.val() << 11)
                    | (bit_cast::<24, 1>(self.message_pending_now.val().into()) << 10);
                if self.with_signature.val() {
                    self.bcnt_7.d.next = (bit_cast::<24, 4>(self.no_run.val()) << 20)
                        | (self.one_24.val() << 11)
                        | (bit_cast::<24, 1>(self.message_pending_now.val().into()) << 10)
                        | bit_cast::<24, 10>(self.value.val());
                }
                if self.sync.val() {
                    self.target_7.d.next = 0.into();
                }
            }
        }
        if self.decision.overflow.val() {
            self.pc_7.d.next = bit_cast::<W, 24>(self.dropped_now.val());
            if self.sync.val() {
                self.bcnt_7.d.next = self.bcnt_7.q.val().replace_bit(10, self.message_pending_now.val());
            }
        }

        if self.reset.val() {
            self.push_7.d.next = false;
        }
        self.entry.push.next = self.push_7.q.val();
        self.entry.pre.next = self.pre_7.q.val();
        self.entry.post.next = self.post_7.q.val();
        self.entry.icnt.next = self.icnt_7.q.val();
        self.entry.context_value.next = 0.into();
        if self.with_signature.val() {
            self.entry.context_value.next = bit_cast::<19, 6>(self.signature_7.q.val());
        }
        self.entry.bcnt.next = self.bcnt_7.q.val();
        self.entry.pc.next = self.pc_7.q.val();
        self.entry.target.next = self.target_7.q.val();
        self.entry.cc.next = self.cc_7.q.val();
        self.entry.hist.next = 0.into();
    }
}
