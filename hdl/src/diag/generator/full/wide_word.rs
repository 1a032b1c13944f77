//! Word: selects a captured word of a core of 64 bits
//!
//! As [`super::word`]. A word is the lower or, with bit 12 of the plan, the upper half of a number.
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
//! | `register`, `known`, `sp` | in | 64, 32, 64 | the requested register; registers whose value is known; `x2` |
//! | `stacked`, `there`, `even`, `odd` | in | 64, 16, 60, 60 | the requested stack word, see [`super::stack`] |
//! | `kept`, `half`, `full` | in | 64, 1, 1 | the requested word of a call, in bits 31:0, and the call's age, see [`super::ports`] |
//! | `capture` | out | 4 | kind of the captured word; 0: the plan has no more |
//! | `number`, `at` | out | 5, 64 | register number and stack address to request |
//! | `word`, `is_known` | out | 64, 1 | the captured word, in bits 31:0; whether it is known |
//!
//! # Timing
//! As [`super::word`].
//!
//! Golden model: `sim::diag::full`.

use super::ports::HeadIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A multiplexer of captured words of a core of 64 bits.
#[derive(LogicBlock, Default)]
pub struct WideWord {
    pub clock: Signal<In, Clock>,
    pub head: HeadIn<64>,
    pub plan: Signal<In, Bits<16>>,
    pub fire: Signal<In, Bit>,
    pub of_store: Signal<In, Bit>,
    pub register: Signal<In, Bits<64>>,
    pub known: Signal<In, Bits<32>>,
    pub sp: Signal<In, Bits<64>>,
    pub stacked: Signal<In, Bits<64>>,
    pub there: Signal<In, Bits<16>>,
    pub even: Signal<In, Bits<60>>,
    pub odd: Signal<In, Bits<60>>,
    pub kept: Signal<In, Bits<64>>,
    pub half: Signal<In, Bit>,
    pub full: Signal<In, Bit>,
    pub capture: Signal<Out, Bits<4>>,
    pub number: Signal<Out, Bits<5>>,
    pub at: Signal<Out, Bits<64>>,
    pub word: Signal<Out, Bits<64>>,
    pub is_known: Signal<Out, Bit>,
    // the request of the previous cycle
    kind: DFF<Bits<4>>,
    upper: DFF<Bit>,
    requested_at: DFF<Bits<64>>,
    requested_known: DFF<Bit>,
    stack_at: Signal<Local, Bits<64>>,
    stack_tag: Signal<Local, Bits<60>>,
    known_bits: Signal<Local, Bits<32>>,
    there_bits: Signal<Local, Bits<16>>,
    stack_known: Signal<Local, Bit>,
    elapsed: Signal<Local, Bits<32>>,
    too_old: Signal<Local, Bit>,
    loaded: Signal<Local, Bits<64>>,
    // the number of which the word is a half, and the word
    whole: Signal<Local, Bits<64>>,
    chosen: Signal<Local, Bits<32>>,
    certain: Signal<Local, Bit>,
    most: Fixed<Bits<32>>,
    byte_mask: Fixed<Bits<64>>,
    half_mask: Fixed<Bits<64>>,
    word_mask: Fixed<Bits<64>>,
}

impl WideWord {
    /// A multiplexer with nothing requested.
    pub fn new() -> Self {
        Self {
            most: Fixed::of(0xffff_ffffu64),
            byte_mask: Fixed::of(0xffu64),
            half_mask: Fixed::of(0xffffu64),
            word_mask: Fixed::of(0xffff_ffffu64),
            ..Default::default()
        }
    }
}

impl Logic for WideWord {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, kind, upper, requested_at, requested_known);
        self.kind.d.next = self.plan.val().get_bits::<4>(8);
        self.upper.d.next = self.plan.val().get_bit(12);
        self.stack_at.next = self.sp.val() + (bit_cast::<64, 8>(self.plan.val().get_bits::<8>(0)) << 3);
        self.requested_at.d.next = self.stack_at.val();
        self.known_bits.next = self.known.val() >> self.plan.val().get_bits::<5>(0);
        self.requested_known.d.next = self.known_bits.val().get_bit(0);
        self.stack_tag.next = (bit_cast::<60, 57>(self.requested_at.q.val().get_bits::<57>(7)) << 3)
            | bit_cast::<60, 3>(self.requested_at.q.val().get_bits::<3>(0));
        self.there_bits.next = self.there.val() >> self.requested_at.q.val().get_bits::<4>(3);
        self.stack_known.next =
            self.known.val().get_bit(2) & self.there_bits.val().get_bit(0) & (self.stack_tag.val() == self.even.val());
        if self.requested_at.q.val().get_bit(3) {
            self.stack_known.next = self.known.val().get_bit(2)
                & self.there_bits.val().get_bit(0)
                & (self.stack_tag.val() == self.odd.val());
        }
        self.elapsed.next = self.head.stamp.val().get_bits::<32>(0) - self.kept.val().get_bits::<32>(0);
        // 2 or 3 halves of 2^32 cycles began since the call
        self.too_old.next = self.full.val() & (self.half.val() | !self.elapsed.val().get_bit(31));
        self.loaded.next = self.head.value.val();
        if self.head.size.val() == 0 {
            self.loaded.next = self.head.value.val() & self.byte_mask.val();
        }
        if self.head.size.val() == 1 {
            self.loaded.next = self.head.value.val() & self.half_mask.val();
        }
        if self.head.size.val() == 2 {
            self.loaded.next = self.head.value.val() & self.word_mask.val();
        }
        self.whole.next = self.register.val();
        self.certain.next = true;
        if (self.kind.q.val() == 2) | (self.kind.q.val() == 4) {
            self.whole.next = self.stacked.val();
        }
        if self.fire.val() {
            if self.kind.q.val() == 1 {
                self.certain.next = self.requested_known.q.val();
            }
            if self.kind.q.val() == 2 {
                self.certain.next = self.stack_known.val();
            }
        } else {
            if self.kind.q.val() == 3 {
                self.certain.next = self.requested_known.q.val();
            }
            if self.kind.q.val() == 4 {
                self.certain.next = self.stack_known.val();
            }
        }
        if self.kind.q.val() == 6 {
            self.whole.next = self.head.pc.val();
        }
        if self.kind.q.val() == 7 {
            self.whole.next = self.head.address.val();
        }
        if self.kind.q.val() == 8 {
            self.whole.next = self.loaded.val();
            if self.of_store.val() {
                self.whole.next = self.head.stored.val();
            }
        }
        if self.kind.q.val() == 10 {
            self.whole.next = self.head.came.val();
        }
        self.chosen.next = self.whole.val().get_bits::<32>(0);
        if self.upper.q.val() {
            self.chosen.next = self.whole.val().get_bits::<32>(32);
        }
        // these are no halves: what was kept of a number is one of them
        if self.fire.val() & ((self.kind.q.val() == 3) | (self.kind.q.val() == 4)) {
            self.chosen.next = self.kept.val().get_bits::<32>(0);
        }
        if self.kind.q.val() == 5 {
            self.chosen.next = self.elapsed.val();
            if self.too_old.val() {
                self.chosen.next = self.most.val();
            }
        }
        if self.kind.q.val() == 9 {
            self.chosen.next = bit_cast::<32, 8>(self.head.cause.val().get_bits::<8>(0))
                | (bit_cast::<32, 1>(self.head.cause.val().get_bit(8).into()) << 31);
        }
        self.capture.next = self.plan.val().get_bits::<4>(8);
        self.number.next = self.plan.val().get_bits::<5>(0);
        self.at.next = self.stack_at.val();
        self.word.next = bit_cast::<64, 32>(self.chosen.val());
        self.is_known.next = self.certain.val();
    }
}
