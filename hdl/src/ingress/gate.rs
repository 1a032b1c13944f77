//! Gate: which instructions of one core are outside the addresses and the address space that are told
//!
//! # Source
//! Efficient Trace for RISC-V, "Filtering": an address range, a context by value and mask. RISC-V privileged ISA, "Supervisor Address
//! Translation and Protection (satp) Register". What a filter keeps, and what it does not: `docs/how-to/filters.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `hide` | in | 1 | it must not be told, wherever it is |
//! | `pc` | in | W | address of the instruction |
//! | `first`, `last` | in | W | addresses from the one up to the other are told, both included; the other below the one: none |
//! | `space` | in | 16 | number of its address space |
//! | `wanted`, `mask` | in | 16 | the spaces that are told: those that are `wanted` where `mask` has a 1 |
//! | `hides` | out | 1 | it must not be told |
//!
//! # Timing
//! All at once, no registers: behind it stands that of [`super::veil`].
//!
//! Golden model: what becomes of a hidden instruction, [`sim::lane::Lane::hide`].

use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The gate of one core, for addresses of W bits.
#[derive(LogicBlock, Default)]
pub struct Gate<const W: usize> {
    pub hide: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub first: Signal<In, Bits<W>>,
    pub last: Signal<In, Bits<W>>,
    pub space: Signal<In, Bits<16>>,
    pub wanted: Signal<In, Bits<16>>,
    pub mask: Signal<In, Bits<16>>,
    pub hides: Signal<Out, Bit>,
    differs: Signal<Local, Bits<16>>,
    range: Fixed<Bit>,
    by_space: Fixed<Bit>,
}

impl<const W: usize> Gate<W> {
    /// With what `extras` say is built in: [`Extras::range`], [`Extras::space`].
    pub fn new(extras: &Extras) -> Self {
        Self { range: Fixed::new(extras.range), by_space: Fixed::new(extras.space), ..Default::default() }
    }
}

impl<const W: usize> Logic for Gate<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.differs.next = (self.space.val() ^ self.wanted.val()) & self.mask.val();
        self.hides.next = self.hide.val()
            | (self.by_space.val() & self.differs.val().any())
            | (self.range.val() & ((self.pc.val() < self.first.val()) | (self.pc.val() > self.last.val())));
    }
}
