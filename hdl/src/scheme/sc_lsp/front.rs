//! Front end of one core with a stream cache: turns retired instructions into event entries
//!
//! It replaces [`crate::scheme::tr::front::FrontEnd`], with the same ports.
//!
//! # Source
//! Paper 001 figure 2; `docs/explanation/trace-module.md`.
//!
//! # Ports
//! As in [`crate::spine::front_port`]. `beat.link` is not used; the entries are those of [`super::entry`]. `more` and `step`, and
//! with resyncs `lag`, belong to the beat in S2, where streams are counted and resyncs decided.
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter |
//! | S2 | stream detector; whether a resync is due |
//! | S3 | hash; stream cache read |
//! | S4 | compared; stream cache written |
//! | S5 | last stream predictor compared and written |
//! | S6 | decision ([`super::records`]); ends in the registers that drive `entry` |
//!
//! Golden model: [`sim::scheme::sc_lsp::model`].

use super::cache::StreamCache;
use super::detector::Detector;
use super::lsp::Lsp;
use super::records::Records;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut, EntryOut};
use crate::spine::resync_pc::EARLY_CYCLES;
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::warm_up::WarmUp;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Cycles from S2 to S6.
const S2_TO_S6: usize = EARLY_CYCLES;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct StreamFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    // delays to S6
    more_delay: Delay<24>,
    steps: Delay<32>,
    // with resyncs and time stamps: by how many cycles the beat is older than the repeated header, and by how many it is younger
    old_delay: Delay<8>,
    young_delay: Delay<8>,
    // Blocks
    trace_fsm: TraceFsm,
    detector: Detector<W>,
    stream_cache: StreamCache<W>,
    lsp: Lsp,
    records: Records<W>,
    // with resyncs: the warm-up, in which the tables are not used; flags of an instruction from S2 to S6: it makes a resync, its sync is
    // for decoders that start there, the tables were not used, the header is repeated
    warm_up: WarmUp,
    mark_3: DFF<Bits<4>>,
    mark_4: DFF<Bits<4>>,
    mark_5: DFF<Bits<4>>,
    mark_6: DFF<Bits<4>>,
    held_2: Signal<Local, Bit>,
    held_3: Signal<Local, Bit>,
    marked: Signal<Local, Bits<4>>,
    // State
    swept: DFF<Bit>,
    sweep_at: DFF<Bits<10>>,
    sweep: Signal<Local, Bit>,
    // S2
    live_2: Signal<Local, Bit>,
    valid_2: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    // S3
    live_3: DFF<Bit>,
    valid_3: DFF<Bit>,
    intr_3: DFF<Bit>,
    ends_3: DFF<Bit>,
    flow_3: DFF<Bit>,
    known_3: DFF<Bit>,
    count_3: DFF<Bits<24>>,
    length_3: DFF<Bits<10>>,
    pc_3: DFF<Bits<W>>,
    start_3: DFF<Bits<W>>,
    own_start_3: DFF<Bits<W>>,
    // S4
    live_4: DFF<Bit>,
    valid_4: DFF<Bit>,
    intr_4: DFF<Bit>,
    ends_4: DFF<Bit>,
    flow_4: DFF<Bit>,
    known_4: DFF<Bit>,
    count_4: DFF<Bits<24>>,
    length_4: DFF<Bits<10>>,
    pc_4: DFF<Bits<W>>,
    start_4: DFF<Bits<W>>,
    // S5
    live_5: DFF<Bit>,
    valid_5: DFF<Bit>,
    intr_5: DFF<Bit>,
    ends_5: DFF<Bit>,
    flow_5: DFF<Bit>,
    known_5: DFF<Bit>,
    count_5: DFF<Bits<24>>,
    length_5: DFF<Bits<10>>,
    pc_5: DFF<Bits<W>>,
    start_5: DFF<Bits<W>>,
    // S6
    live_6: DFF<Bit>,
    valid_6: DFF<Bit>,
    intr_6: DFF<Bit>,
    ends_6: DFF<Bit>,
    flow_6: DFF<Bit>,
    known_6: DFF<Bit>,
    count_6: DFF<Bits<24>>,
    length_6: DFF<Bits<10>>,
    pc_6: DFF<Bits<W>>,
    start_6: DFF<Bits<W>>,
    hit_6: DFF<Bit>,
    same_6: DFF<Bit>,
    index_6: DFF<Bits<10>>,
    // Parameters
    sync: Fixed<Bit>,
    wide: Fixed<Bit>,
    last_word: Fixed<Bits<10>>,
    one: Fixed<Bits<10>>,
}

impl<const W: usize> StreamFront<W> {
    /// The front end for `params`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, their scheme is not `sc-lsp`, SL has more than 10 bits, or W
    /// is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`StreamFront::new`], with `extras`.
    ///
    /// # Panics
    /// As [`StreamFront::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        let (sync, wide) = (extras.sync, extras.retire.is_some());
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let entries = params.stream_cache().map_or(1, |sc| sc.entries());
        Self {
            detector: Detector::with(params, extras.retire.is_some()),
            more_delay: Delay::new(S2_TO_S6),
            steps: Delay::new(S2_TO_S6),
            old_delay: Delay::new(S2_TO_S6),
            young_delay: Delay::new(S2_TO_S6),
            stream_cache: StreamCache::new(params),
            lsp: Lsp::new(params),
            trace_fsm: TraceFsm::early(true, extras),
            records: Records::with(params, extras),
            warm_up: when(sync, || WarmUp::at_once(params.flow.warm_up() << extras.warm_up_scale(params), wide)),
            sync: Fixed::new(sync),
            wide: Fixed::new(wide),
            last_word: Fixed::of(entries - 1),
            one: Fixed::new(1.into()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for StreamFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, swept, sweep_at);
        dff_setup!(
            self,
            clock,
            live_3,
            valid_3,
            intr_3,
            ends_3,
            flow_3,
            known_3,
            count_3,
            length_3,
            pc_3,
            start_3,
            own_start_3
        );
        dff_setup!(self, clock, live_4, valid_4, intr_4, ends_4, flow_4, known_4, count_4, length_4, pc_4, start_4);
        dff_setup!(self, clock, live_5, valid_5, intr_5, ends_5, flow_5, known_5, count_5, length_5, pc_5, start_5);
        dff_setup!(self, clock, live_6, valid_6, intr_6, ends_6, flow_6, known_6, count_6, length_6, pc_6, start_6);
        dff_setup!(self, clock, hit_6, same_6, index_6, mark_3, mark_4, mark_5, mark_6);
        clock!(
            self,
            clock,
            trace_fsm,
            detector,
            stream_cache,
            lsp,
            records,
            more_delay,
            steps,
            old_delay,
            young_delay,
            warm_up
        );

        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        self.trace_fsm.predictors_ready.next = self.swept.q.val();
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.live.next = self.live_6.q.val();
        self.trace_fsm.live_next.next = self.live_5.q.val();
        self.trace_fsm.valid.next = self.valid_6.q.val();
        self.trace_fsm.intr.next = self.intr_6.q.val();

        // the tables are cleared word by word
        self.sweep.next = !self.swept.q.val();
        if self.sweep.val() {
            self.sweep_at.d.next = self.sweep_at.q.val() + self.one.val();
            if self.sweep_at.q.val() == self.last_word.val() {
                self.swept.d.next = true;
            }
        }
        if self.trace_fsm.clear.val() | self.port.reset.val() {
            self.sweep_at.d.next = 0.into();
            self.swept.d.next = false;
        }

        // S2: lost instructions do not change tables
        self.flow.next = self.port.beat.branch.val()
            | self.port.beat.lookup.val()
            | self.port.beat.pop.val()
            | self.port.beat.jump.val();
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        self.trace_fsm.may_push.next = self.port.beat.intr.val() | self.flow.val();
        self.trace_fsm.flow.next = self.flow.val();
        self.live_2.next = self.trace_fsm.seen.val();
        self.valid_2.next = self.port.beat.valid.val() & self.trace_fsm.counts.val();
        self.detector.live.next = self.live_2.val();
        self.detector.valid.next = self.valid_2.val();
        self.detector.intr.next = self.port.beat.intr.val();
        self.detector.branch.next = self.port.beat.branch.val() & !self.trace_fsm.excluded.val();
        self.detector.taken.next = self.port.beat.taken.val();
        self.detector.indirect.next =
            (self.port.beat.lookup.val() | self.port.beat.pop.val()) & !self.trace_fsm.excluded.val();
        self.detector.jump.next = self.port.beat.jump.val() & !self.trace_fsm.excluded.val();
        self.detector.resync.next = self.trace_fsm.resyncs.val();
        self.detector.pc.next = self.port.beat.pc.val();
        self.detector.target.next = self.port.beat.target.val();
        self.detector.more.next = self.port.more.val();
        self.more_delay.clear.next = self.port.reset.val();
        self.more_delay.from.next = self.port.more.val();
        self.records.more.next = self.more_delay.to.val();
        self.steps.clear.next = self.port.reset.val();
        self.steps.from.next = self.port.step.val();
        self.records.step.next = self.steps.to.val();
        // the tables are not used in the warm-up after a resync
        self.warm_up.reset.next = self.port.reset.val();
        self.warm_up.resync.next = self.trace_fsm.resyncs.val();
        self.warm_up.restart_sync.next = self.trace_fsm.starts_decoding.val();
        self.warm_up.cancel.next = self.trace_fsm.decision.stop.val();
        self.warm_up.enter.next = self.live_2.val() & self.valid_2.val();
        self.warm_up.leave.next = false;
        self.warm_up.entering.next = self.port.more.val().get_bits::<10>(0);
        self.warm_up.leaving.next = 0.into();
        self.held_2.next = false;
        if self.sync.val() {
            self.held_2.next = self.warm_up.hold.val() | self.trace_fsm.starts_decoding.val();
        }
        self.old_delay.clear.next = self.port.reset.val();
        self.old_delay.from.next = 0.into();
        self.young_delay.clear.next = self.port.reset.val();
        self.young_delay.from.next = 0.into();
        if self.wide.val() {
            if self.port.lag.val() > self.port.control.lead_lag.val() {
                self.old_delay.from.next = self.port.lag.val() - self.port.control.lead_lag.val();
            } else {
                self.young_delay.from.next = self.port.control.lead_lag.val() - self.port.lag.val();
            }
        }
        self.records.old.next = self.old_delay.to.val();
        self.records.young.next = self.young_delay.to.val();
        self.mark_3.d.next = bit_cast::<4, 1>(self.trace_fsm.resyncs.val().into())
            | (bit_cast::<4, 1>(self.trace_fsm.starts_decoding.val().into()) << 1)
            | (bit_cast::<4, 1>(self.held_2.val().into()) << 2)
            | (bit_cast::<4, 1>(self.port.control.header_repeated.val().into()) << 3);
        self.mark_4.d.next = self.mark_3.q.val();
        self.mark_5.d.next = self.mark_4.q.val();
        self.mark_6.d.next = self.mark_5.q.val();
        if self.port.reset.val() {
            self.mark_3.d.next = 0.into();
            self.mark_4.d.next = 0.into();
            self.mark_5.d.next = 0.into();
            self.mark_6.d.next = 0.into();
        }
        self.held_3.next = false;
        self.marked.next = 0.into();
        if self.sync.val() {
            self.held_3.next = self.mark_3.q.val().get_bit(2);
            self.marked.next = self.mark_6.q.val();
        }
        self.trace_fsm.resynced.next = self.marked.val().get_bit(0);
        self.trace_fsm.started_decoding.next = self.marked.val().get_bit(1);

        self.live_3.d.next = self.live_2.val() & !self.port.reset.val();
        self.valid_3.d.next = self.valid_2.val();
        self.intr_3.d.next = self.port.beat.intr.val();
        self.ends_3.d.next = self.detector.ends.val();
        self.flow_3.d.next = self.flow.val() & !self.trace_fsm.excluded.val();
        self.records.address.next = self.port.beat.pc.val();
        self.records.next_address.next = self.port.beat.target.val();
        self.records.changes_flow.next = self.flow.val();
        self.known_3.d.next = self.detector.known.val();
        self.count_3.d.next = self.detector.count.val();
        self.length_3.d.next = self.detector.length.val();
        self.pc_3.d.next = self.port.beat.pc.val();
        self.start_3.d.next = self.detector.start.val();
        self.own_start_3.d.next = self.detector.own_start.val();

        // S3
        self.stream_cache.lookup.next = self.ends_3.q.val() & !self.held_3.val();
        self.stream_cache.start.next = self.own_start_3.q.val();
        self.stream_cache.length.next = self.length_3.q.val();
        self.stream_cache.sweep.next = self.sweep.val();
        self.stream_cache.sweep_index.next = self.sweep_at.q.val();
        self.live_4.d.next = self.live_3.q.val() & !self.port.reset.val();
        self.valid_4.d.next = self.valid_3.q.val();
        self.intr_4.d.next = self.intr_3.q.val();
        self.ends_4.d.next = self.ends_3.q.val();
        self.flow_4.d.next = self.flow_3.q.val();
        self.known_4.d.next = self.known_3.q.val();
        self.count_4.d.next = self.count_3.q.val();
        self.length_4.d.next = self.length_3.q.val();
        self.pc_4.d.next = self.pc_3.q.val();
        self.start_4.d.next = self.start_3.q.val();

        // S4
        self.live_5.d.next = self.live_4.q.val() & !self.port.reset.val();
        self.valid_5.d.next = self.valid_4.q.val();
        self.intr_5.d.next = self.intr_4.q.val();
        self.ends_5.d.next = self.ends_4.q.val();
        self.flow_5.d.next = self.flow_4.q.val();
        self.known_5.d.next = self.known_4.q.val();
        self.count_5.d.next = self.count_4.q.val();
        self.length_5.d.next = self.length_4.q.val();
        self.pc_5.d.next = self.pc_4.q.val();
        self.start_5.d.next = self.start_4.q.val();

        // S5
        self.lsp.lookup.next = self.stream_cache.lookup_5.val();
        self.lsp.index.next = self.stream_cache.index.val();
        self.lsp.sweep.next = self.sweep.val();
        self.lsp.sweep_index.next = self.sweep_at.q.val();
        self.live_6.d.next = self.live_5.q.val() & !self.port.reset.val();
        self.valid_6.d.next = self.valid_5.q.val();
        self.intr_6.d.next = self.intr_5.q.val();
        self.ends_6.d.next = self.ends_5.q.val();
        self.flow_6.d.next = self.flow_5.q.val();
        self.known_6.d.next = self.known_5.q.val();
        self.count_6.d.next = self.count_5.q.val();
        self.length_6.d.next = self.length_5.q.val();
        self.pc_6.d.next = self.pc_5.q.val();
        self.start_6.d.next = self.start_5.q.val();
        self.hit_6.d.next = self.stream_cache.hit.val();
        self.same_6.d.next = self.lsp.same.val();
        self.index_6.d.next = self.stream_cache.index.val();

        // S6
        self.records.reset.next = self.port.reset.val();
        self.records.flow.next = self.flow_6.q.val();
        self.records.live.next = self.live_6.q.val();
        self.records.valid.next = self.valid_6.q.val();
        self.records.pc.next = self.pc_6.q.val();
        self.records.count.next = self.count_6.q.val();
        self.records.start.next = self.start_6.q.val();
        self.records.known.next = self.known_6.q.val();
        self.records.ends.next = self.ends_6.q.val();
        self.records.length.next = self.length_6.q.val();
        self.records.hit.next = self.hit_6.q.val() & !self.marked.val().get_bit(2);
        self.records.held.next = self.marked.val().get_bit(2);
        self.records.header_repeated.next = self.marked.val().get_bit(3);
        self.records.resync_pc.next = self.port.beat.target.val();
        self.records.same.next = self.same_6.q.val();
        self.records.index.next = self.index_6.q.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.records.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.records.entry);
    }
}

part!(StreamFront<W>, FrontPort<W>, "front");
