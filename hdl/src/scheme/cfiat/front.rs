//! Front end of all cores: passes their accesses, in retire order, through the filters and makes event entries
//!
//! It has a queue and a filter for each core, and a memory of the order. An access goes to its core's filter and, if it stores, at the
//! same time to those of all others, which clear their flags. So each filter sees the accesses that the golden model's cache sees, in
//! the same order, and records come in that order, too.
//!
//! # Source
//! `docs/reference/load-values.md`, "The circuit"; `docs/maintainers/decisions/0019-load-values-circuit.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `push[i]`, `access[i]` | in | 1, 70 | access of core i, see [`super::core`]; one cycle after its instruction |
//! | `control[i]`, `entry[i]` | | | to the spine, see [`crate::spine::ports`] and [`super::entry`] |
//! | `go` | out | 1 | an instruction that retires in this cycle is traced |
//! | `hold` | out | 1 | the cores must wait |
//! | `lost` | out | 1 | a queue was full: the trace ends before the cycle of the access that was lost |
//!
//! # Timing
//! The queues take one access per cycle and core. The filters take one in two cycles, for all cores together; one in two
//! lines takes 4. `hold` means that a queue is at least half full. With 2^k entries, nothing is lost if each core makes
//! at most 2^(k-1) - 4 accesses after the cycle in which it rises. `hold` and `lost` come from registers.
//!
//! Golden model: [`sim::scheme::cfiat::Recorder`], with the accesses of a cycle in core order.

use super::entry::{STOP, VALUE};
use super::filter::{Filter, CLEAR};
use super::queue::AccessQueue;
use crate::spine::merger::Merger;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::spine::Stream;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::cfiat::CfiatParams;

/// The front end of all cores.
#[derive(LogicBlock, Default)]
pub struct CfiatFront {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Vec<Signal<In, Bit>>,
    pub access: Vec<Signal<In, Bits<70>>>,
    pub control: Vec<ControlIn>,
    pub entry: Vec<EntryOut<32>>,
    pub go: Signal<Out, Bit>,
    pub hold: Signal<Out, Bit>,
    pub lost: Signal<Out, Bit>,
    _cores: usize,
    queue: Vec<AccessQueue>,
    merger: Merger,
    filter: Vec<Filter>,
    // state: instructions of the cycle before are traced; a trace is in progress; it has lost an access; a stop is due
    live: DFF<Bit>,
    recording: DFF<Bit>,
    has_lost: DFF<Bit>,
    stop_ready: DFF<Bit>,
    tracing: Signal<Local, Bit>,
    stop_go: Signal<Local, Bit>,
    stop_due: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    going: Signal<Local, Bit>,
    // to the queues
    wants: Signal<Local, Bits<16>>,
    full_count: Signal<Local, Bits<16>>,
    taken: Signal<Local, Bits<16>>,
    losses: Signal<Local, Bits<16>>,
    loss: Signal<Local, Bit>,
    halves: Signal<Local, Bits<16>>,
    holding: DFF<Bit>,
    // from the queues
    haves: Signal<Local, Bits<16>>,
    first: Signal<Local, Bits<70>>,
    load: Signal<Local, Bit>,
    held: DFF<Bit>,
    current_core: DFF<Bits<4>>,
    current_access: DFF<Bits<70>>,
    // to the filters
    ready: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    op_clear: Fixed<Bits<3>>,
    post_value: Fixed<Bits<2>>,
    post_stop: Fixed<Bits<2>>,
}

impl CfiatFront {
    /// The front end for `params`, with queues of 2^`log2_depth` - 2 accesses.
    ///
    /// # Panics
    /// As [`Filter::new`] and [`AccessQueue::new`], or when several cores share one cache.
    pub fn new(params: &CfiatParams, log2_depth: usize) -> Self {
        let cores = usize::from(params.cores);
        assert!(cores == 1 || !params.sizes.shared, "no circuit for a shared cache");
        Self {
            push: each(cores),
            access: each(cores),
            control: each(cores),
            entry: each(cores),
            _cores: cores,
            queue: (0..cores).map(|_| AccessQueue::new(log2_depth)).collect(),
            merger: Merger::of(&Stream::from(params), log2_depth),
            filter: (0..cores).map(|_| Filter::new(&params.sizes)).collect(),
            op_clear: Fixed::of(CLEAR),
            post_value: Fixed::of(VALUE),
            post_stop: Fixed::of(STOP),
            ..Default::default()
        }
    }
}

impl Logic for CfiatFront {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, live, recording, has_lost, stop_ready, holding, held, current_core, current_access);
        self.merger.clock.next = self.clock.val();
        self.merger.reset.next = self.reset.val();

        // the spine's control is the same for all cores
        self.tracing.next = self.control[0].enable.val();
        self.stop_go.next = self.control[0].stop_go.val();
        self.going.next = self.tracing.val() & !self.has_lost.q.val() & !self.reset.val();
        self.live.d.next = self.going.val();

        // to the queues: all accesses of a cycle, or none of this and all later cycles
        self.wants.next = 0.into();
        self.full_count.next = 0.into();
        self.halves.next = 0.into();
        self.haves.next = 0.into();
        self.first.next = 0.into();
        self.empty.next = true;
        self.full.next = false;
        for i in 0..self._cores {
            self.wants.next =
                self.wants.val().replace_bit(i, self.push[i].val() & self.live.q.val() & !self.has_lost.q.val());
            self.full_count.next = self.full_count.val().replace_bit(i, self.queue[i].is_full.val());
            self.halves.next = self.halves.val().replace_bit(i, self.queue[i].half.val());
            self.haves.next = self.haves.val().replace_bit(i, self.queue[i].have.val());
            if self.merger.core.val() == i.to_bits() {
                self.first.next = self.queue[i].first.val();
            }
            if !self.queue[i].empty.val() {
                self.empty.next = false;
            }
            if self.control[i].full.val() {
                self.full.next = true;
            }
        }
        self.losses.next = self.wants.val() & self.full_count.val();
        self.loss.next = self.losses.val().any();
        self.taken.next = self.wants.val();
        if self.loss.val() {
            self.taken.next = 0.into();
        }
        self.has_lost.d.next = (self.has_lost.q.val() | self.loss.val())
            & (self.tracing.val() | self.recording.q.val())
            & !self.reset.val();
        self.holding.d.next = self.halves.val().any();

        // from the queues, in retire order
        self.merger.pushes.next = self.taken.val();
        self.merger.have.next = self.haves.val();
        self.ready.next = true;
        self.idle.next = true;
        for j in 0..self._cores {
            if !self.filter[j].ready.val() {
                self.ready.next = false;
            }
            if !self.filter[j].idle.val() {
                self.idle.next = false;
            }
        }
        self.take.next = self.held.q.val() & self.ready.val();
        self.load.next = self.merger.show.val() & (!self.held.q.val() | self.take.val());
        self.merger.done.next = self.load.val();
        self.held.d.next = (self.load.val() | (self.held.q.val() & !self.take.val())) & !self.reset.val();
        if self.load.val() {
            self.current_core.d.next = self.merger.core.val();
            self.current_access.d.next = self.first.val();
        }
        self.stores.next = self.current_access.q.val().get_bit(3);

        // stop, when no access is in progress
        self.stop_due.next = self.recording.q.val()
            & (!self.tracing.val() | self.has_lost.q.val())
            & !self.live.q.val()
            & self.empty.val()
            & !self.held.q.val()
            & self.idle.val()
            & !self.full.val();
        self.stop.next = self.stop_due.val() & self.stop_go.val();
        self.stop_ready.d.next = self.stop_due.val() & !self.stop.val() & !self.reset.val();
        self.recording.d.next = (self.recording.q.val() | (self.tracing.val() & !self.has_lost.q.val()))
            & !self.stop.val()
            & !self.reset.val();

        for k in 0..self._cores {
            self.queue[k].clock.next = self.clock.val();
            self.queue[k].reset.next = self.reset.val();
            self.queue[k].push.next = self.taken.val().get_bit(k);
            self.queue[k].access.next = self.access[k].val();
            self.queue[k].pop.next = self.load.val() & (self.merger.core.val() == k.to_bits());

            self.filter[k].clock.next = self.clock.val();
            self.filter[k].rst.next = self.reset.val() | self.stop.val();
            self.filter[k].valid.next = self.take.val() & self.stores.val();
            self.filter[k].op.next = self.op_clear.val();
            if self.current_core.q.val() == k.to_bits() {
                self.filter[k].valid.next = self.take.val();
                self.filter[k].op.next = self.current_access.q.val().get_bits::<3>(0);
            }
            self.filter[k].size.next = self.current_access.q.val().get_bits::<2>(4);
            self.filter[k].addr.next = self.current_access.q.val().get_bits::<32>(6);
            self.filter[k].value.next = self.current_access.q.val().get_bits::<32>(38);
            self.filter[k].record_ready.next = !self.control[k].full.val();

            self.entry[k].push.next = (self.filter[k].record.val() & !self.control[k].full.val()) | self.stop.val();
            self.entry[k].pre.next = self.filter[k].record_size.val();
            self.entry[k].post.next = self.post_value.val();
            self.entry[k].pc.next = self.filter[k].fah.val();
            self.entry[k].target.next = self.filter[k].record_value.val();
            if self.stop.val() {
                self.entry[k].post.next = self.post_stop.val();
                self.entry[k].pc.next = self.filter[k].count.val();
                self.entry[k].target.next = self.filter[k].signature.val();
            }
            self.entry[k].icnt.next = 0.into();
            self.entry[k].resync_pc.next = 0.into();
            self.entry[k].hist.next = 0.into();
            self.entry[k].context_value.next = 0.into();
            self.entry[k].bcnt.next = 0.into();
            self.entry[k].cc.next = 0.into();

            self.control[k].ready.next = self.idle.val() & !self.recording.q.val() & !self.has_lost.q.val();
            self.control[k].stop_ready.next = self.stop_ready.q.val();
            self.control[k].lost.next = self.losses.val().get_bit(k);
            self.control[k].take.next = false;
            self.control[k].give_back.next = false;
            self.control[k].counted.next = false;
            self.control[k].resynced.next = false;
            self.control[k].synced.next = false;
            self.control[k].discontinuity.next = false;
        }
        self.go.next = self.going.val();
        self.hold.next = self.holding.q.val();
        self.lost.next = self.has_lost.q.val();
    }
}
