//! Block decoder: decodes the pins of one block of an E-Trace instruction trace interface
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": blocks, `itype` of 4 and of 3 bits.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `itype`, `iaddr`, `iretire`, `ilastsize`, `icount` | in | 4, W, 4, 1, 4 | pins of the block, see [`super::blocks`] |
//! | `retires` | out | 1 | it has instructions |
//! | `count` | out | 4 | their number |
//! | `traps` | out | 1 | it is a trap, after its instructions if it has any |
//! | `has_address` | out | 1 | it has an address |
//! | `open` | out | 1 | its target is only known from the next address; with resyncs, or a stream cache, 1 for all control flow |
//! | `start`, `last` | out | W | its address and that of its last instruction, without the `align` low bits |
//! | `ends` | out | W | address of its last instruction, with all bits |
//!
//! # Timing
//! Combinational.
//!
//! Golden model: [`sim::beats::blocks`].

use super::narrow::Narrow;
use crate::spine::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A decoder of one block, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct BlockReport<const W: usize> {
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<4>>,
    pub ilastsize: Signal<In, Bit>,
    pub icount: Signal<In, Bits<4>>,
    pub retires: Signal<Out, Bit>,
    pub count: Signal<Out, Bits<4>>,
    pub traps: Signal<Out, Bit>,
    pub has_address: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub start: Signal<Out, Bits<W>>,
    pub last: Signal<Out, Bits<W>>,
    pub ends: Signal<Out, Bits<W>>,
    finish: Signal<Local, Bits<W>>,
    size: Signal<Local, Bits<W>>,
    // with fewer distinct address bits
    narrow_addresses: Fixed<Bit>,
    narrow: Narrow<W>,
    narrow_last: Narrow<W>,
    // from the parameters
    align: Fixed<Bits<2>>,
    compressed: Fixed<Bit>,
    narrow_itype: Fixed<Bit>,
    all: Fixed<Bit>,
}

/// Whether the target of every branch is needed: by resyncs, by a signature, or as the start of a stream for a stream cache.
pub fn all_need_target(params: &TraceParams, extras: &Extras) -> bool {
    extras.sync || params.signature > 0 || params.stream_cache().is_some()
}

impl<const W: usize> BlockReport<W> {
    /// The decoder for `params` with `extras`, of which the addresses, [`Extras::itype3`] and [`Extras::sync`] matter.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        Self {
            narrow_addresses: Fixed::new(extras.addresses.is_some()),
            narrow: extras.addresses.as_ref().map(Narrow::new).unwrap_or_default(),
            narrow_last: extras.addresses.as_ref().map(Narrow::new).unwrap_or_default(),
            align: Fixed::of(params.align),
            compressed: Fixed::new(params.align == 1),
            narrow_itype: Fixed::new(extras.itype3),
            all: Fixed::new(all_need_target(params, extras)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for BlockReport<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.retires.next = self.iretire.val().any();
        self.count.next = self.icount.val();
        if !self.compressed.val() {
            self.count.next = self.iretire.val() >> 1;
        }
        self.traps.next = (self.itype.val() == 1) | (self.itype.val() == 2);
        self.has_address.next = self.iretire.val().any() | (self.itype.val() == 1) | (self.itype.val() == 2);
        self.open.next = self.iretire.val().any()
            & ((self.itype.val() == 3)
                | (self.itype.val() == 8)
                | (self.itype.val() == 10)
                | (self.itype.val() == 12)
                | (self.itype.val() == 13)
                | (self.itype.val() == 14)
                | (self.all.val() & ((self.itype.val() >> 2).any() | (self.itype.val() == 3)))
                | (self.narrow_itype.val() & ((self.itype.val() == 6) | (self.itype.val() == 0))));
        self.size.next = bit_cast::<W, 4>(self.iretire.val()) << 1;
        self.finish.next = self.iaddr.val() + self.size.val() - 2;
        if self.ilastsize.val() | !self.compressed.val() {
            self.finish.next = self.iaddr.val() + self.size.val() - 4;
        }
        self.ends.next = self.finish.val();
        self.start.next = self.iaddr.val() >> self.align.val();
        self.last.next = self.finish.val() >> self.align.val();
        self.narrow.wide.next = self.iaddr.val();
        self.narrow_last.wide.next = self.finish.val();
        if self.narrow_addresses.val() {
            self.start.next = self.narrow.to.val() >> self.align.val();
            self.last.next = self.narrow_last.to.val() >> self.align.val();
        }
    }
}
