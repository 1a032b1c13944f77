//! Folded history: the last n bits of a history, xored together in words of w bits
//!
//! # Source
//! P. Michaud, "A PPM-like, Tag-based Branch Predictor", JILP 7, 2005: `x = (F << 1 | newest) xor (oldest << (n mod w))`,
//! then bit w of x is xored to bit 0.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | 1: an empty history |
//! | `step`, `newest` | in | 1 | a bit enters the history |
//! | `recent` | in | 22 | the history before that, newest bit lowest |
//! | `value` | out | 8 | the folded history |
//!
//! # Timing
//! One bit per cycle. `value` is a register.
//!
//! Golden model: [`sim::scheme::follow::hash`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A folded history of at most 8 bits.
#[derive(LogicBlock, Default)]
pub struct Folded {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub newest: Signal<In, Bit>,
    pub recent: Signal<In, Bits<22>>,
    pub value: Signal<Out, Bits<8>>,
    state: DFF<Bits<8>>,
    oldest: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<9>>,
    carry: Signal<Local, Bit>,
    // bit n - 1 of the history, bit n mod w and bit w of x, w ones
    oldest_at: Fixed<Bits<22>>,
    oldest_to: Fixed<Bits<9>>,
    top: Fixed<Bits<9>>,
    mask: Fixed<Bits<8>>,
}

impl Folded {
    /// The last `length` bits folded to `width` bits.
    ///
    /// # Panics
    /// Unless 1 <= `length` <= 22 and 2 <= `width` <= 8.
    pub fn new(length: usize, width: usize) -> Self {
        assert!((1..=22).contains(&length), "length = {length} is outside 1..=22");
        assert!((2..=8).contains(&width), "width = {width} is outside 2..=8");
        Self {
            oldest_at: Fixed::of(1u64 << (length - 1)),
            oldest_to: Fixed::of(1u64 << (length % width)),
            top: Fixed::of(1u64 << width),
            mask: Fixed::of((1u64 << width) - 1),
            ..Default::default()
        }
    }
}

impl Logic for Folded {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state);
        self.oldest.next = (self.recent.val() & self.oldest_at.val()).any();
        self.shifted.next = (bit_cast::<9, 8>(self.state.q.val()) << 1) | bit_cast::<9, 1>(self.newest.val().into());
        if self.oldest.val() {
            self.shifted.next = ((bit_cast::<9, 8>(self.state.q.val()) << 1)
                | bit_cast::<9, 1>(self.newest.val().into()))
                ^ self.oldest_to.val();
        }
        self.carry.next = (self.shifted.val() & self.top.val()).any();
        if self.step.val() {
            self.state.d.next =
                (self.shifted.val().get_bits::<8>(0) & self.mask.val()) ^ bit_cast::<8, 1>(self.carry.val().into());
        }
        if self.clear.val() {
            self.state.d.next = 0.into();
        }
        self.value.next = self.state.q.val();
    }
}
