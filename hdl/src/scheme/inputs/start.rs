//! Start sequence of a recording in the middle of a run: the cores wait, their state is sent, and then they continue and are recorded
//!
//! # Source
//! [`sim::scheme::inputs::start`]; `docs/reference/record-replay.md`, "From the middle of a run".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | |
//! | `session` | in | 1 | a recording is requested, or has not ended |
//! | `full` | in | 1 | the state cannot be sent now |
//! | `hold` | out | 1 | the cores must wait |
//! | `sends_item`, `item` | out | 1, 6 | S0: this item of every core is sent, see [`super::state`] |
//! | `rest` | out | 1 | S0: the items after the last one are sent as a count |
//! | `begun` | out | 1 | the cores are recorded |
//!
//! # Timing
//! With `session`, `hold` rises. 64 cycles later, when nothing retires any more, the items are sent, at most one per cycle. Four
//! cycles after the last one `begun` rises and `hold` falls.

use super::state::MTVEC;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The start sequence.
#[derive(LogicBlock, Default)]
pub struct Start {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub session: Signal<In, Bit>,
    pub full: Signal<In, Bit>,
    pub hold: Signal<Out, Bit>,
    pub sends_item: Signal<Out, Bit>,
    pub item: Signal<Out, Bits<6>>,
    pub rest: Signal<Out, Bit>,
    pub begun: Signal<Out, Bit>,
    wait_cycles: DFF<Bits<7>>,
    item_index: DFF<Bits<6>>,
    waited: Signal<Local, Bit>,
    items: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    one_7: Fixed<Bits<7>>,
    one_6: Fixed<Bits<6>>,
    after_items: Fixed<Bits<6>>,
    last: Fixed<Bits<6>>,
}

impl Start {
    /// The start sequence in its first step.
    pub fn new() -> Self {
        Self {
            one_7: Fixed::of(1u8),
            one_6: Fixed::of(1u8),
            after_items: Fixed::of(MTVEC + 1),
            last: Fixed::of(MTVEC + 5),
            ..Default::default()
        }
    }
}

impl Logic for Start {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, wait_cycles, item_index);
        self.waited.next = self.wait_cycles.q.val().get_bit(6);
        self.items.next = self.item_index.q.val() < self.after_items.val();
        self.ends.next = self.item_index.q.val() == self.after_items.val();
        self.over.next = self.item_index.q.val() == self.last.val();
        self.sends_item.next = self.waited.val() & self.items.val() & !self.full.val();
        self.item.next = self.item_index.q.val();
        self.rest.next = self.waited.val() & self.ends.val();
        self.begun.next = self.session.val() & self.over.val();
        self.hold.next = self.session.val() & !self.over.val();
        if !self.waited.val() {
            self.wait_cycles.d.next = self.wait_cycles.q.val() + self.one_7.val();
        }
        if self.waited.val() & !self.over.val() & (!self.items.val() | !self.full.val()) {
            self.item_index.d.next = self.item_index.q.val() + self.one_6.val();
        }
        if !self.session.val() | self.reset.val() {
            self.wait_cycles.d.next = 0.into();
            self.item_index.d.next = 0.into();
        }
    }
}
