//! Address narrowing: an address of which fewer than W bits differ
//!
//! Placed at an address input, it lets synthesis find the bits that are constant, or copies of another bit, in all circuits
//! after it.
//!
//! # Source
//! [`sim::addresses`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `wide` | in | W | the address of the core |
//! | `to` | out | W | the same address, if it is one that was declared |
//!
//! # Timing
//! Combinational.
//!
//! Golden model: [`Addresses::narrow`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::addresses::Addresses;

/// A circuit that rebuilds an address from the bits that differ.
#[derive(LogicBlock, Default)]
pub struct Narrow<const W: usize> {
    pub wide: Signal<In, Bits<W>>,
    pub to: Signal<Out, Bits<W>>,
    shifted: Signal<Local, Bits<W>>,
    mask: Fixed<Bits<W>>,
    copies: Fixed<Bits<W>>,
    highest: Fixed<Bits<6>>,
}

impl<const W: usize> Narrow<W> {
    /// The circuit for `addresses` of W = `xlen` bits.
    ///
    /// # Panics
    /// When [`Addresses::check`] refuses them.
    pub fn new(addresses: &Addresses) -> Self {
        addresses.check(W as u8).unwrap_or_else(|e| panic!("{e}"));
        Self {
            mask: Fixed::of(addresses.mask()),
            copies: Fixed::of(addresses.copies(W as u8)),
            highest: Fixed::of(addresses.bits - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Narrow<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.shifted.next = self.wide.val() >> self.highest.val();
        self.to.next = self.wide.val() & self.mask.val();
        if self.shifted.val().get_bit(0) {
            self.to.next = (self.wide.val() & self.mask.val()) | self.copies.val();
        }
    }
}
