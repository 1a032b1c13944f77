//! Outbox: events that wait for the ring, and how many were lost before each
//!
//! Sixteen entries of eight words. After an overflow, events are accepted again once half of the entries are free. The
//! oldest event is loaded into registers, one word per cycle, and stays there until the ring takes it, with the number
//! of lost events not reported yet.
//!
//! # Source
//! Original to this project; hysteresis as in the RISC-V Trace Control Interface.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: discards all events, clears the loss count |
//! | `event_draft` | in | | an event, word by word, see [`super::ports`] |
//! | `refuses` | out | 1 | no event is accepted |
//! | `result` | out | | an event to send |
//! | `yields` | out | 1 | the event yields to others, see [`crate::diag::link_queue`] |
//!
//! # Timing
//! An event is at `result` at the earliest 10 cycles after it was complete. All outputs come from registers.
//!
//! Golden model: `sim::diag::full`.

use super::ports::DraftIn;
use crate::diag::ports::ResultOut;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Depth, in events.
const EVENTS: u64 = 16;

/// A FIFO of events.
#[derive(LogicBlock, Default)]
pub struct Outbox {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub event_draft: DraftIn<32>,
    pub refuses: Signal<Out, Bit>,
    pub result: ResultOut,
    pub yields: Signal<Out, Bit>,
    // words of an entry: 0 target and word count, 1 to 5 arguments, 6 the time
    fifo: Mem<7, 32>,
    length: DFF<Bits<5>>,
    write_at: DFF<Bits<4>>,
    read_at: DFF<Bits<4>>,
    length_1: Signal<Local, Bits<5>>,
    recovering: DFF<Bit>,
    pop: Signal<Local, Bit>,
    // lost events that are not reported yet
    lost_before: DFF<Bits<9>>,
    dropped_before: DFF<Bits<16>>,
    all_before: Signal<Local, Bits<9>>,
    is_dropped: Signal<Local, Bit>,
    unreported: DFF<Bits<32>>,
    unreported_1: Signal<Local, Bits<32>>,
    reporting: Signal<Local, Bits<16>>,
    // the event at the output
    loading: DFF<Bit>,
    step: DFF<Bits<3>>,
    step_before: Signal<Local, Bits<3>>,
    word_step: Signal<Local, Bits<3>>,
    loads: Signal<Local, Bits<32>>,
    held: DFF<Bit>,
    held_head: DFF<Bits<19>>,
    held_stamp: DFF<Bits<32>>,
    held_lost: DFF<Bits<16>>,
    held_word: Vec<DFF<Bits<32>>>,
    core: Fixed<Bits<4>>,
    all: Fixed<Bits<5>>,
    half_more: Fixed<Bits<5>>,
    one_3: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    most: Fixed<Bits<16>>,
    _words: usize,
    _calls: usize,
}

impl Outbox {
    /// The outbox of core `core`.
    pub fn new(core: u8) -> Self {
        Self {
            fifo: Mem::new(7, 32),
            held_word: each(5),
            core: Fixed::of(core),
            all: Fixed::of(EVENTS),
            half_more: Fixed::of(EVENTS / 2 + 1),
            one_3: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            most: Fixed::of(0xffffu64),
            _words: 5,
            _calls: 16,
            ..Default::default()
        }
    }
}

impl Logic for Outbox {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            length,
            write_at,
            read_at,
            recovering,
            lost_before,
            dropped_before,
            unreported,
            loading,
            step,
            held,
            held_head,
            held_stamp,
            held_lost
        );
        clock!(self, clock, fifo);
        self.fifo.we.next = self.event_draft.we.val();
        self.fifo.waddr.next =
            (bit_cast::<7, 4>(self.write_at.q.val()) << 3) | bit_cast::<7, 3>(self.event_draft.k.val());
        self.fifo.wdata.next = self.event_draft.data.val();
        self.refuses.next = self.recovering.q.val() | (self.length.q.val() == self.all.val());

        // from the FIFO to the output, one word per cycle
        self.fifo.raddr.next = (bit_cast::<7, 4>(self.read_at.q.val()) << 3) | bit_cast::<7, 3>(self.step.q.val());
        self.step_before.next = self.step.q.val() - self.one_3.val();
        self.word_step.next = self.step_before.val() - self.one_3.val();
        self.loads.next = 0.into();
        if self.held_head.q.val().get_bits::<3>(16) > self.step_before.val() {
            self.loads.next = self.fifo.rdata.val();
        }
        self.pop.next = self.loading.q.val() & (self.step.q.val() == 7);
        self.step.d.next = 0.into();
        if self.loading.q.val() {
            self.step.d.next = self.step.q.val() + self.one_3.val();
            if self.step.q.val() == 1 {
                self.held_head.d.next = self.fifo.rdata.val().get_bits::<19>(0);
            }
        } else if !self.held.q.val() {
            self.loading.d.next = self.length.q.val().any();
        }
        for i in 0..self._words {
            self.held_word[i].clock.next = self.clock.val();
            self.held_word[i].d.next = self.held_word[i].q.val();
            if self.loading.q.val() & (self.word_step.val() == i.to_bits::<3>()) {
                self.held_word[i].d.next = self.loads.val();
            }
        }
        if self.result.ready.val() {
            self.held.d.next = false;
        }
        self.length_1.next = self.length.q.val();
        if self.pop.val() {
            self.loading.d.next = false;
            self.held.d.next = true;
            self.held_stamp.d.next = self.fifo.rdata.val();
            self.read_at.d.next = self.read_at.q.val() + self.one_4.val();
            self.length_1.next = self.length.q.val() - self.one_5.val();
            if self.length.q.val() <= self.half_more.val() {
                self.recovering.d.next = false;
            }
        }
        self.length.d.next = self.length_1.val();
        if self.event_draft.commit.val() {
            self.length.d.next = self.length_1.val() + self.one_5.val();
            self.write_at.d.next = self.write_at.q.val() + self.one_4.val();
        }
        if self.event_draft.opens.val() & (self.length.q.val() == self.all.val()) {
            self.recovering.d.next = true;
        }

        // losses are reported as far as they fit the field; the rest follows with the next event
        self.reporting.next = self.unreported.q.val().get_bits::<16>(0);
        if self.unreported.q.val().get_bits::<16>(16).any() {
            self.reporting.next = self.most.val();
        }
        self.unreported_1.next = self.unreported.q.val();
        if self.pop.val() {
            self.unreported_1.next = self.unreported.q.val() - bit_cast::<32, 16>(self.reporting.val());
            self.held_lost.d.next = self.reporting.val();
        }
        self.all_before.next = self.lost_before.q.val();
        for i in 0..self._calls {
            self.is_dropped.next = self.dropped_before.q.val().get_bit(i);
            self.all_before.next = self.all_before.val() + bit_cast::<9, 1>(self.is_dropped.val().into());
        }
        self.unreported.d.next = self.unreported_1.val() + bit_cast::<32, 9>(self.all_before.val());
        self.lost_before.d.next = self.event_draft.lost.val();
        self.dropped_before.d.next = self.event_draft.dropped.val();

        self.result.valid.next = self.held.q.val();
        self.yields.next = self.held.q.val() & self.held_head.q.val().get_bit(15);
        self.result.dest.next = self.held_head.q.val().get_bits::<6>(8);
        self.result.id.next = self.held_head.q.val().get_bits::<8>(0);
        self.result.core.next = self.core.val();
        self.result.lost.next = self.held_lost.q.val();
        self.result.stamped.next = self.held_head.q.val().get_bit(14);
        self.result.stamp.next = self.held_stamp.q.val();
        self.result.count.next = self.held_head.q.val().get_bits::<3>(16) - self.one_3.val();
        self.result.a0.next = self.held_word[0].q.val();
        self.result.a1.next = self.held_word[1].q.val();
        self.result.a2.next = self.held_word[2].q.val();
        self.result.a3.next = self.held_word[3].q.val();
        self.result.a4.next = self.held_word[4].q.val();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.length.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.recovering.d.next = false;
            self.lost_before.d.next = 0.into();
            self.dropped_before.d.next = 0.into();
            self.unreported.d.next = 0.into();
            self.loading.d.next = false;
            self.held.d.next = false;
        }
    }
}

/// The outbox of a core of 64 bits: the words of a draft are in its bits 31:0.
#[derive(LogicBlock, Default)]
pub struct WideOutbox {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub event_draft: DraftIn<64>,
    pub refuses: Signal<Out, Bit>,
    pub result: ResultOut,
    pub yields: Signal<Out, Bit>,
    outbox: Outbox,
}

impl WideOutbox {
    /// The outbox of core `core`.
    pub fn new(core: u8) -> Self {
        Self { outbox: Outbox::new(core), ..Default::default() }
    }
}

impl Logic for WideOutbox {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, outbox);
        self.outbox.reset.next = self.reset.val();
        self.outbox.event_draft.we.next = self.event_draft.we.val();
        self.outbox.event_draft.k.next = self.event_draft.k.val();
        self.outbox.event_draft.data.next = self.event_draft.data.val().get_bits::<32>(0);
        self.outbox.event_draft.commit.next = self.event_draft.commit.val();
        self.outbox.event_draft.opens.next = self.event_draft.opens.val();
        self.outbox.event_draft.lost.next = self.event_draft.lost.val();
        self.outbox.event_draft.dropped.next = self.event_draft.dropped.val();
        self.refuses.next = self.outbox.refuses.val();
        self.yields.next = self.outbox.yields.val();
        ResultOut::link(&mut self.result, &mut self.outbox.result);
    }
}
