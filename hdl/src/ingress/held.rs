//! Held block: keeps one of the blocks of a cycle of an E-Trace instruction trace interface until it is sent
//!
//! A block is sent as two beats: its first instruction, and the rest.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": blocks, `itype` of 4 and of 3 bits.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | remove the block |
//! | `itype`, `ilastsize` | in | 4, 1 | pins of the new block, see [`super::blocks`] |
//! | `icount` | in | 4 | number of its instructions |
//! | `retires`, `has_address`, `start`, `last` | in | 1, 1, W, W | of the new block, see [`super::block_report`] |
//! | `intr` | in | 1 | its first instruction is the first after a trap |
//! | `hide` | in | 1 | all of its instructions are hidden |
//! | `keep` | in | 1 | keep the held block, and ignore the new one |
//! | `sends` | in | 1 | send the held block in this cycle |
//! | `next_address` | in | W | address of the instruction after it, without the `align` low bits |
//! | `no_trap` | in | 1 | 1: that instruction follows without a trap |
//! | `had_address`, `intr_1`, `first` | out | 1, 1, W | of the held block: it has an address; `intr`; its address |
//! | `long_1` | out | 1 | of the held block: its last instruction has 4 bytes in a system with 2-byte instructions |
//! | `head`, `tail` | out | | its first instruction; its last, if it has several |
//! | `between` | out | 5 | number of instructions between them |
//!
//! A 3-bit `itype` has no value for an inferable jump. A block with `itype` 0 ends with one if the next address does not follow it.
//!
//! # Timing
//! A new block is held from the next cycle on. `head` and `tail` are sent in a cycle with `sends`.
//!
//! Golden model: [`sim::beats::blocks`].

use super::beat::BeatOut;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A held block, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct HeldBlock<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub itype: Signal<In, Bits<4>>,
    pub ilastsize: Signal<In, Bit>,
    pub icount: Signal<In, Bits<4>>,
    pub retires: Signal<In, Bit>,
    pub has_address: Signal<In, Bit>,
    pub start: Signal<In, Bits<W>>,
    pub last: Signal<In, Bits<W>>,
    pub intr: Signal<In, Bit>,
    pub hide: Signal<In, Bit>,
    pub keep: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    pub next_address: Signal<In, Bits<W>>,
    pub no_trap: Signal<In, Bit>,
    pub had_address: Signal<Out, Bit>,
    pub intr_1: Signal<Out, Bit>,
    pub first: Signal<Out, Bits<W>>,
    pub long_1: Signal<Out, Bit>,
    pub head: BeatOut<W>,
    pub tail: BeatOut<W>,
    pub between: Signal<Out, Bits<5>>,
    // the held block
    held: DFF<Bit>,
    had_address_2: DFF<Bit>,
    intr_2: DFF<Bit>,
    hide_2: DFF<Bit>,
    kind: DFF<Bits<4>>,
    first_2: DFF<Bits<W>>,
    last_2: DFF<Bits<W>>,
    long: DFF<Bit>,
    count: DFF<Bits<4>>,
    valid_beat: Signal<Local, Bit>,
    single: Signal<Local, Bit>,
    less: Signal<Local, Bits<4>>,
    length: Signal<Local, Bits<2>>,
    link: Signal<Local, Bits<W>>,
    branch: Signal<Local, Bit>,
    lookup: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    jump: Signal<Local, Bit>,
    // from the parameters
    compressed: Fixed<Bit>,
    narrow_itype: Fixed<Bit>,
}

impl<const W: usize> HeldBlock<W> {
    /// The block for `params` with `extras`, of which only [`Extras::itype3`] matters.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        Self {
            compressed: Fixed::new(params.align == 1),
            narrow_itype: Fixed::new(extras.itype3),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for HeldBlock<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, had_address_2, intr_2, hide_2, kind, first_2, last_2, long, count);
        // the new block, or the held one
        self.held.d.next = self.retires.val();
        self.had_address_2.d.next = self.has_address.val();
        self.intr_2.d.next = self.intr.val();
        self.hide_2.d.next = self.hide.val();
        self.kind.d.next = self.itype.val();
        self.first_2.d.next = self.start.val();
        self.last_2.d.next = self.last.val();
        self.long.d.next = self.ilastsize.val() & self.compressed.val();
        self.count.d.next = self.icount.val();
        if self.keep.val() {
            self.held.d.next = self.held.q.val();
            self.had_address_2.d.next = self.had_address_2.q.val();
            self.intr_2.d.next = self.intr_2.q.val();
            self.hide_2.d.next = self.hide_2.q.val();
            self.kind.d.next = self.kind.q.val();
            self.first_2.d.next = self.first_2.q.val();
            self.last_2.d.next = self.last_2.q.val();
            self.long.d.next = self.long.q.val();
            self.count.d.next = self.count.q.val();
        }
        self.had_address.next = self.had_address_2.q.val();
        self.intr_1.next = self.intr_2.q.val();
        self.first.next = self.first_2.q.val();
        self.long_1.next = self.long.q.val();

        // its first instruction, and the rest
        self.valid_beat.next = self.held.q.val() & self.sends.val();
        self.single.next = self.count.q.val() == 1;
        self.branch.next = (self.kind.q.val() == 4) | (self.kind.q.val() == 5);
        self.length.next = 1.into();
        if self.long.q.val() {
            self.length.next = 2.into();
        }
        self.link.next = self.last_2.q.val() + bit_cast::<W, 2>(self.length.val());
        self.lookup.next = (self.kind.q.val() == 3)
            | (self.kind.q.val() == 8)
            | (self.kind.q.val() == 10)
            | (self.kind.q.val() == 14)
            | (self.narrow_itype.val() & (self.kind.q.val() == 6));
        self.push.next = (self.kind.q.val() == 8) | (self.kind.q.val() == 9) | (self.kind.q.val() == 12);
        self.pop.next = (self.kind.q.val() == 12) | (self.kind.q.val() == 13);
        self.jump.next = (self.kind.q.val() == 9) | (self.kind.q.val() == 11) | (self.kind.q.val() == 15);
        if self.narrow_itype.val() & (self.kind.q.val() == 0) {
            self.jump.next = self.no_trap.val() & (self.next_address.val() != self.link.val());
        }
        self.less.next = self.count.q.val() - 2;
        self.between.next = 0.into();
        if self.valid_beat.val() & !self.single.val() {
            self.between.next = bit_cast::<5, 4>(self.less.val());
        }
        self.head.live.next = true;
        self.head.valid.next = self.valid_beat.val();
        self.head.intr.next = self.intr_2.q.val();
        self.head.discontinuity.next = false;
        self.head.hide.next = self.hide_2.q.val();
        self.head.new_context.next = false;
        self.head.context_value.next = 0.into();
        self.head.branch.next = self.branch.val() & self.single.val();
        self.head.taken.next = self.kind.q.val().get_bit(0);
        self.head.lookup.next = self.lookup.val() & self.single.val();
        self.head.push.next = self.push.val() & self.single.val();
        self.head.pop.next = self.pop.val() & self.single.val();
        self.head.inferable.next = false;
        self.head.jump.next = self.jump.val() & self.single.val();
        self.head.pc.next = self.first_2.q.val();
        self.head.link.next = self.link.val();
        self.head.target.next = self.next_address.val();
        self.tail.live.next = true;
        self.tail.valid.next = self.valid_beat.val() & !self.single.val();
        self.tail.intr.next = false;
        self.tail.discontinuity.next = false;
        self.tail.hide.next = self.hide_2.q.val();
        self.tail.new_context.next = false;
        self.tail.context_value.next = 0.into();
        self.tail.branch.next = self.branch.val();
        self.tail.taken.next = self.kind.q.val().get_bit(0);
        self.tail.lookup.next = self.lookup.val();
        self.tail.push.next = self.push.val();
        self.tail.pop.next = self.pop.val();
        self.tail.inferable.next = false;
        self.tail.jump.next = self.jump.val();
        self.tail.pc.next = self.last_2.q.val();
        self.tail.link.next = self.link.val();
        self.tail.target.next = self.next_address.val();
        if self.reset.val() {
            self.held.d.next = false;
            self.had_address_2.d.next = false;
        }
    }
}
