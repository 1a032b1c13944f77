//! Signature register: a checksum of the events at a core's port, up to four steps per cycle
//!
//! # Source
//! R. David, "Signature analysis of multi-output circuits", FTCS 1984; the words are those of `docs/reference/stream.md`,
//! "Signature".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | 1: all ones |
//! | `load`, `store`, `sets`, `flow` | in | 1 | which words are added, in this order |
//! | `loaded`, `stored`, `set`, `flow_word` | in | 32 | the words |
//! | `value` | out | 32 | the signature |
//!
//! # Timing
//! `value` includes the words up to the cycle before.
//!
//! Golden model: [`sim::scheme::inputs::signature::Signature`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::inputs::signature::POLYNOMIAL;

/// The signature register of one core. It is stored inverted, so that it is 0 at power-up.
#[derive(LogicBlock, Default)]
pub struct SignatureRegister {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub load: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub sets: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub loaded: Signal<In, Bits<32>>,
    pub stored: Signal<In, Bits<32>>,
    pub set: Signal<In, Bits<32>>,
    pub flow_word: Signal<In, Bits<32>>,
    pub value: Signal<Out, Bits<32>>,
    inverse: DFF<Bits<32>>,
    now: Signal<Local, Bits<32>>,
    step_1: Signal<Local, Bits<32>>,
    step_2: Signal<Local, Bits<32>>,
    step_3: Signal<Local, Bits<32>>,
    step_4: Signal<Local, Bits<32>>,
    feed_1: Signal<Local, Bits<32>>,
    feed_2: Signal<Local, Bits<32>>,
    feed_3: Signal<Local, Bits<32>>,
    feed_4: Signal<Local, Bits<32>>,
    polynomial: Fixed<Bits<32>>,
}

impl SignatureRegister {
    /// A register with a signature of all ones.
    pub fn new() -> Self {
        Self { polynomial: Fixed::of(POLYNOMIAL), ..Default::default() }
    }
}

impl Logic for SignatureRegister {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, inverse);
        self.now.next = !self.inverse.q.val();
        self.feed_1.next = 0.into();
        if self.now.val().get_bit(0) {
            self.feed_1.next = self.polynomial.val();
        }
        self.step_1.next = self.now.val();
        if self.load.val() {
            self.step_1.next = (self.now.val() >> 1) ^ self.feed_1.val() ^ self.loaded.val();
        }
        self.feed_2.next = 0.into();
        if self.step_1.val().get_bit(0) {
            self.feed_2.next = self.polynomial.val();
        }
        self.step_2.next = self.step_1.val();
        if self.store.val() {
            self.step_2.next = (self.step_1.val() >> 1) ^ self.feed_2.val() ^ self.stored.val();
        }
        self.feed_3.next = 0.into();
        if self.step_2.val().get_bit(0) {
            self.feed_3.next = self.polynomial.val();
        }
        self.step_3.next = self.step_2.val();
        if self.sets.val() {
            self.step_3.next = (self.step_2.val() >> 1) ^ self.feed_3.val() ^ self.set.val();
        }
        self.feed_4.next = 0.into();
        if self.step_3.val().get_bit(0) {
            self.feed_4.next = self.polynomial.val();
        }
        self.step_4.next = self.step_3.val();
        if self.flow.val() {
            self.step_4.next = (self.step_3.val() >> 1) ^ self.feed_4.val() ^ self.flow_word.val();
        }
        self.inverse.d.next = !self.step_4.val();
        if self.clear.val() {
            self.inverse.d.next = 0.into();
        }
        self.value.next = self.now.val();
    }
}
