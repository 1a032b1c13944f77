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
use crate::spine::landing::AHEAD;
use crate::spine::life::Life;
use crate::spine::ports::{ControlIn, EntryOut, VerdictOut};
use crate::spine::settle::Settle;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Cycles from S2 to S6.
const S2_TO_S6: usize = AHEAD;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct StreamFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    // delays to S6
    mores: Delay<24>,
    steps: Delay<32>,
    // with resyncs and time stamps: by how many cycles the beat is older than the repeated header, and by how many it is younger
    olds: Delay<8>,
    youngs: Delay<8>,
    // Blocks
    life: Life,
    detector: Detector<W>,
    stream_cache: StreamCache<W>,
    lsp: Lsp,
    records: Records<W>,
    // with resyncs: the warm-up, in which the tables are not used; flags of an instruction from S2 to S6: it makes a resync, its sync is
    // for decoders that start there, the tables were not used, the header is repeated
    settle: Settle,
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
            mores: Delay::new(S2_TO_S6),
            steps: Delay::new(S2_TO_S6),
            olds: Delay::new(S2_TO_S6),
            youngs: Delay::new(S2_TO_S6),
            stream_cache: StreamCache::new(params),
            lsp: Lsp::new(params),
            life: Life::early(true, extras),
            records: Records::with(params, extras),
            settle: when(sync, || Settle::at_once(params.flow.settle() << extras.haste(params), wide)),
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
        clock!(self, clock, life, detector, stream_cache, lsp, records, mores, steps, olds, youngs, settle);

        self.life.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.life.control);
        self.life.able.next = self.swept.q.val();
        self.port.go.next = self.life.go.val();
        self.port.open.next = self.life.open.val();
        self.life.broken.next = self.port.beat.broken.val() & self.port.beat.live.val();
        self.life.live.next = self.live_6.q.val();
        self.life.live_next.next = self.live_5.q.val();
        self.life.valid.next = self.valid_6.q.val();
        self.life.intr.next = self.intr_6.q.val();

        // the tables are cleared word by word
        self.sweep.next = !self.swept.q.val();
        if self.sweep.val() {
            self.sweep_at.d.next = self.sweep_at.q.val() + self.one.val();
            if self.sweep_at.q.val() == self.last_word.val() {
                self.swept.d.next = true;
            }
        }
        if self.life.clear.val() | self.port.reset.val() {
            self.sweep_at.d.next = 0.into();
            self.swept.d.next = false;
        }

        // S2: lost instructions do not change tables
        self.flow.next = self.port.beat.branch.val()
            | self.port.beat.look.val()
            | self.port.beat.pop.val()
            | self.port.beat.jump.val();
        self.life.here.next = self.port.beat.live.val();
        self.life.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.life.hide.next = self.port.beat.hide.val();
        self.life.may.next = self.port.beat.intr.val() | self.flow.val();
        self.life.flow.next = self.flow.val();
        self.live_2.next = self.life.seen.val();
        self.valid_2.next = self.port.beat.valid.val() & self.life.counts.val();
        self.detector.live.next = self.live_2.val();
        self.detector.valid.next = self.valid_2.val();
        self.detector.intr.next = self.port.beat.intr.val();
        self.detector.branch.next = self.port.beat.branch.val() & !self.life.away.val();
        self.detector.taken.next = self.port.beat.taken.val();
        self.detector.indirect.next = (self.port.beat.look.val() | self.port.beat.pop.val()) & !self.life.away.val();
        self.detector.jump.next = self.port.beat.jump.val() & !self.life.away.val();
        self.detector.resync.next = self.life.resyncs.val();
        self.detector.pc.next = self.port.beat.pc.val();
        self.detector.target.next = self.port.beat.target.val();
        self.detector.more.next = self.port.more.val();
        self.mores.clear.next = self.port.reset.val();
        self.mores.from.next = self.port.more.val();
        self.records.more.next = self.mores.to.val();
        self.steps.clear.next = self.port.reset.val();
        self.steps.from.next = self.port.step.val();
        self.records.step.next = self.steps.to.val();
        // the tables are not used in the warm-up after a resync
        self.settle.reset.next = self.port.reset.val();
        self.settle.resync.next = self.life.resyncs.val();
        self.settle.fresh.next = self.life.begins.val();
        self.settle.cancel.next = self.life.verdict.stop.val();
        self.settle.enter.next = self.live_2.val() & self.valid_2.val();
        self.settle.leave.next = false;
        self.settle.entering.next = self.port.more.val().get_bits::<10>(0);
        self.settle.leaving.next = 0.into();
        self.held_2.next = false;
        if self.sync.val() {
            self.held_2.next = self.settle.hold.val() | self.life.begins.val();
        }
        self.olds.clear.next = self.port.reset.val();
        self.olds.from.next = 0.into();
        self.youngs.clear.next = self.port.reset.val();
        self.youngs.from.next = 0.into();
        if self.wide.val() {
            if self.port.lag.val() > self.port.control.lead_lag.val() {
                self.olds.from.next = self.port.lag.val() - self.port.control.lead_lag.val();
            } else {
                self.youngs.from.next = self.port.control.lead_lag.val() - self.port.lag.val();
            }
        }
        self.records.old.next = self.olds.to.val();
        self.records.young.next = self.youngs.to.val();
        self.mark_3.d.next = bit_cast::<4, 1>(self.life.resyncs.val().into())
            | (bit_cast::<4, 1>(self.life.begins.val().into()) << 1)
            | (bit_cast::<4, 1>(self.held_2.val().into()) << 2)
            | (bit_cast::<4, 1>(self.port.control.ask.val().into()) << 3);
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
        self.life.resynced.next = self.marked.val().get_bit(0);
        self.life.began.next = self.marked.val().get_bit(1);

        self.live_3.d.next = self.live_2.val() & !self.port.reset.val();
        self.valid_3.d.next = self.valid_2.val();
        self.intr_3.d.next = self.port.beat.intr.val();
        self.ends_3.d.next = self.detector.ends.val();
        self.flow_3.d.next = self.flow.val() & !self.life.away.val();
        self.known_3.d.next = self.detector.known.val();
        self.count_3.d.next = self.detector.count.val();
        self.length_3.d.next = self.detector.length.val();
        self.pc_3.d.next = self.port.beat.pc.val();
        self.start_3.d.next = self.detector.start.val();
        self.own_start_3.d.next = self.detector.own_start.val();

        // S3
        self.stream_cache.look.next = self.ends_3.q.val() & !self.held_3.val();
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
        self.lsp.look.next = self.stream_cache.look_5.val();
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
        self.records.ask.next = self.marked.val().get_bit(3);
        self.records.landing.next = self.port.beat.target.val();
        self.records.same.next = self.same_6.q.val();
        self.records.index.next = self.index_6.q.val();
        VerdictOut::join(&mut self.life.verdict, &mut self.records.verdict);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.records.entry);
    }
}

part!(StreamFront<W>, FrontPort<W>, "front");
