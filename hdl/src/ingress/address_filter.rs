//! Address filter: hides instructions of one core outside an address range or an address space
//!
//! # Source
//! Efficient Trace for RISC-V, "Filtering": an address range, a context by value and mask. RISC-V privileged ISA, "Supervisor Address
//! Translation and Protection (satp) Register". What a filter hides, and what it does not: `docs/how-to/filters.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `hide` | in | 1 | the instruction is hidden, whatever its address |
//! | `pc` | in | W | address of the instruction |
//! | `first`, `last` | in | W | range of the addresses that are reported, both included; `last` < `first`: none |
//! | `space` | in | 16 | its address space identifier |
//! | `wanted`, `mask` | in | 16 | the address spaces that are reported: those equal to `wanted` in all bits that are 1 in `mask` |
//! | `hides` | out | 1 | the instruction is hidden |
//!
//! # Timing
//! Combinational: the register is the one in [`super::mode_filter`].
//!
//! Golden model: treatment of a hidden instruction, [`sim::core_trace::CoreTrace::hide`].

use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// An address filter of one core, for addresses of W bits.
#[derive(LogicBlock, Default)]
pub struct AddressFilter<const W: usize> {
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

impl<const W: usize> AddressFilter<W> {
    /// The filter with the comparisons that `extras` ask for: [`Extras::range`], [`Extras::space`].
    pub fn new(extras: &Extras) -> Self {
        Self { range: Fixed::new(extras.range), by_space: Fixed::new(extras.space), ..Default::default() }
    }
}

impl<const W: usize> Logic for AddressFilter<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.differs.next = (self.space.val() ^ self.wanted.val()) & self.mask.val();
        self.hides.next = self.hide.val()
            | (self.by_space.val() & self.differs.val().any())
            | (self.range.val() & ((self.pc.val() < self.first.val()) | (self.pc.val() > self.last.val())));
    }
}
