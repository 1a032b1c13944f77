//! APB: the registers as a completer of AMBA APB
//!
//! # Source
//! ARM IHI 0024 (APB4): sections 3.1 and 3.3, write and read transfers; 3.2, strobes; 3.4, errors; 3.5, protection.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `psel`, `penable`, `pwrite` | in | 1 | see the APB specification |
//! | `paddr` | in | P | byte address; the two lowest bits are ignored |
//! | `pwdata`, `pstrb` | in | 32, 4 | |
//! | `pprot` | in | 3 | bit 0: privileged, bit 1: not secure; bit 2 is ignored |
//! | `prdata` | out | 32 | |
//! | `pready` | out | 1 | always 1: no wait states |
//! | `pslverr` | out | 1 | the address is beyond the last register, a write does not cover all four bytes, or [`Writers`] forbids it |
//! | `bus` | out | | register bus, with addresses of A bits |
//! | `reads_0` | out | 1 | if asked for: a read of `bus.addr` ends in this cycle |
//!
//! # Timing
//! The setup phase presents the address to the register bus, which responds in the access phase. No state, no clock.

use super::{MapOut, Writers};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// An APB completer for 2^A registers, with byte addresses of P bits.
#[derive(LogicBlock, Default)]
pub struct Apb<const A: usize, const P: usize> {
    pub psel: Signal<In, Bit>,
    pub penable: Signal<In, Bit>,
    pub pwrite: Signal<In, Bit>,
    pub paddr: Signal<In, Bits<P>>,
    pub pwdata: Signal<In, Bits<32>>,
    pub pstrb: Signal<In, Bits<4>>,
    pub pprot: Signal<In, Bits<3>>,
    pub prdata: Signal<Out, Bits<32>>,
    pub pready: Signal<Out, Bit>,
    pub pslverr: Signal<Out, Bit>,
    pub bus: MapOut<A>,
    pub reads: Vec<Signal<Out, Bit>>,
    _reads: usize,
    access: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    privileged: Fixed<Bit>,
    secure: Fixed<Bit>,
    yes: Fixed<Bit>,
    // the last byte of the registers
    last: Fixed<Bits<P>>,
    zero: Fixed<Bits<32>>,
}

impl<const A: usize, const P: usize> Apb<A, P> {
    /// A completer that accepts writes of `writers`; `reads`: with the output `reads_0`.
    pub fn new(writers: Writers, reads: bool) -> Self {
        Self {
            reads: each(reads.into()),
            _reads: reads.into(),
            privileged: Fixed::new(writers.privileged()),
            secure: Fixed::new(writers.secure()),
            yes: Fixed::new(true),
            last: Fixed::of((1u64 << (A + 2)) - 1),
            zero: Fixed::new(0.into()),
            ..Default::default()
        }
    }
}

impl<const A: usize, const P: usize> Logic for Apb<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        self.access.next = self.psel.val() & self.penable.val();
        self.refused.next = (self.privileged.val() & !self.pprot.val().get_bit(0))
            | (self.secure.val() & self.pprot.val().get_bit(1))
            | !self.pstrb.val().all();
        self.wrong.next = (self.paddr.val() > self.last.val()) | (self.pwrite.val() & self.refused.val());
        self.bus.addr.next = self.paddr.val().get_bits::<A>(2);
        self.bus.wdata.next = self.pwdata.val();
        self.bus.write.next = self.access.val() & self.pwrite.val() & !self.wrong.val();
        for i in 0..self._reads {
            self.reads[i].next = self.access.val() & !self.pwrite.val() & !self.wrong.val();
        }
        self.prdata.next = self.bus.rdata.val();
        if self.wrong.val() {
            self.prdata.next = self.zero.val();
        }
        self.pready.next = self.yes.val();
        self.pslverr.next = self.access.val() & self.wrong.val();
    }
}
