//! Word: selects a captured word from registers, stack, an open call or the instruction
//!
//! # Source
//! Original to this project; kinds of words: `sim::diag::registers`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `head` | in | | the oldest instruction |
//! | `plan` | in | 16 | word of the slot's plan: what to capture; stable for two cycles |
//! | `fire`, `of_store` | in | 1 | the word is for an event, not for the entry of a call; for an event of a store |
//! | `register`, `known`, `sp` | in | 32 | the requested register; registers whose value is known; `x2` |
//! | `stacked`, `there`, `even`, `odd` | in | 32, 16, 28, 28 | the requested stack word, see [`super::stack`] |
//! | `kept`, `half`, `full` | in | 32, 1, 1 | the requested word of a call, and the call's age, see [`super::ports`] |
//! | `capture` | out | 4 | kind of the captured word; 0: the plan has no more |
//! | `number`, `at` | out | 5, 32 | register number and stack address to request |
//! | `word`, `is_known` | out | 32, 1 | the captured word; whether it is known |
//!
//! # Timing
//! `capture`, `number` and `at` follow `plan` in the same cycle. `word` and `is_known` belong to the plan of the
//! previous cycle, as the requested words do: the plan comes out of block RAM late in the cycle.
//!
//! Golden model: `sim::diag::full`.

use super::ports::HeadIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A multiplexer of captured words.
#[derive(LogicBlock, Default)]
pub struct Word {
    pub clock: Signal<In, Clock>,
    pub head: HeadIn<32>,
    pub plan: Signal<In, Bits<16>>,
    pub fire: Signal<In, Bit>,
    pub of_store: Signal<In, Bit>,
    pub register: Signal<In, Bits<32>>,
    pub known: Signal<In, Bits<32>>,
    pub sp: Signal<In, Bits<32>>,
    pub stacked: Signal<In, Bits<32>>,
    pub there: Signal<In, Bits<16>>,
    pub even: Signal<In, Bits<28>>,
    pub odd: Signal<In, Bits<28>>,
    pub kept: Signal<In, Bits<32>>,
    pub half: Signal<In, Bit>,
    pub full: Signal<In, Bit>,
    pub capture: Signal<Out, Bits<4>>,
    pub number: Signal<Out, Bits<5>>,
    pub at: Signal<Out, Bits<32>>,
    pub word: Signal<Out, Bits<32>>,
    pub is_known: Signal<Out, Bit>,
    // the request of the previous cycle
    kind: DFF<Bits<4>>,
    requested_at: DFF<Bits<32>>,
    requested_known: DFF<Bit>,
    stack_at: Signal<Local, Bits<32>>,
    stack_tag: Signal<Local, Bits<28>>,
    known_bits: Signal<Local, Bits<32>>,
    there_bits: Signal<Local, Bits<16>>,
    stack_known: Signal<Local, Bit>,
    elapsed: Signal<Local, Bits<32>>,
    too_old: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<32>>,
    chosen: Signal<Local, Bits<32>>,
    certain: Signal<Local, Bit>,
    most: Fixed<Bits<32>>,
    byte_mask: Fixed<Bits<32>>,
    half_mask: Fixed<Bits<32>>,
}

impl Word {
    /// A multiplexer with nothing requested.
    pub fn new() -> Self {
        Self {
            most: Fixed::of(0xffff_ffffu64),
            byte_mask: Fixed::of(0xffu64),
            half_mask: Fixed::of(0xffffu64),
            ..Default::default()
        }
    }
}

impl Logic for Word {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kind, requested_at, requested_known);
        self.kind.d.next = self.plan.val().get_bits::<4>(8);
        self.stack_at.next = self.sp.val() + (bit_cast::<32, 8>(self.plan.val().get_bits::<8>(0)) << 2);
        self.requested_at.d.next = self.stack_at.val();
        self.known_bits.next = self.known.val() >> self.plan.val().get_bits::<5>(0);
        self.requested_known.d.next = self.known_bits.val().get_bit(0);
        self.stack_tag.next = (bit_cast::<28, 26>(self.requested_at.q.val().get_bits::<26>(6)) << 2)
            | bit_cast::<28, 2>(self.requested_at.q.val().get_bits::<2>(0));
        self.there_bits.next = self.there.val() >> self.requested_at.q.val().get_bits::<4>(2);
        self.stack_known.next =
            self.known.val().get_bit(2) & self.there_bits.val().get_bit(0) & (self.stack_tag.val() == self.even.val());
        if self.requested_at.q.val().get_bit(2) {
            self.stack_known.next = self.known.val().get_bit(2)
                & self.there_bits.val().get_bit(0)
                & (self.stack_tag.val() == self.odd.val());
        }
        self.elapsed.next = self.head.stamp.val() - self.kept.val();
        // 2 or 3 halves of 2^32 cycles began since the call
        self.too_old.next = self.full.val() & (self.half.val() | !self.elapsed.val().get_bit(31));
        self.loaded.next = self.head.value.val();
        if self.head.size.val() == 0 {
            self.loaded.next = self.head.value.val() & self.byte_mask.val();
        }
        if self.head.size.val() == 1 {
            self.loaded.next = self.head.value.val() & self.half_mask.val();
        }
        self.chosen.next = self.register.val();
        self.certain.next = true;
        if (self.kind.q.val() == 2) | (self.kind.q.val() == 4) {
            self.chosen.next = self.stacked.val();
        }
        if self.fire.val() {
            if self.kind.q.val() == 1 {
                self.certain.next = self.requested_known.q.val();
            }
            if self.kind.q.val() == 2 {
                self.certain.next = self.stack_known.val();
            }
            if (self.kind.q.val() == 3) | (self.kind.q.val() == 4) {
                self.chosen.next = self.kept.val();
            }
        } else {
            if self.kind.q.val() == 3 {
                self.certain.next = self.requested_known.q.val();
            }
            if self.kind.q.val() == 4 {
                self.certain.next = self.stack_known.val();
            }
        }
        if self.kind.q.val() == 5 {
            self.chosen.next = self.elapsed.val();
            if self.too_old.val() {
                self.chosen.next = self.most.val();
            }
        }
        if self.kind.q.val() == 6 {
            self.chosen.next = self.head.pc.val();
        }
        if self.kind.q.val() == 7 {
            self.chosen.next = self.head.address.val();
        }
        if self.kind.q.val() == 8 {
            self.chosen.next = self.loaded.val();
            if self.of_store.val() {
                self.chosen.next = self.head.stored.val();
            }
        }
        if self.kind.q.val() == 9 {
            self.chosen.next = bit_cast::<32, 8>(self.head.cause.val().get_bits::<8>(0))
                | (bit_cast::<32, 1>(self.head.cause.val().get_bit(8).into()) << 31);
        }
        if self.kind.q.val() == 10 {
            self.chosen.next = self.head.came.val();
        }
        self.capture.next = self.plan.val().get_bits::<4>(8);
        self.number.next = self.plan.val().get_bits::<5>(0);
        self.at.next = self.stack_at.val();
        self.word.next = self.chosen.val();
        self.is_known.next = self.certain.val();
    }
}
