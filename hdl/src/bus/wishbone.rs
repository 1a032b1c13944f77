//! Wishbone: the registers as a slave of Wishbone B4
//!
//! # Source
//! Wishbone B4, section 3.2, classic single and block cycles; 3.2.2, error termination.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no cycle is acknowledged |
//! | `cyc`, `stb`, `we` | in | 1 | see the Wishbone specification |
//! | `adr` | in | P | address in words of 32 bits |
//! | `dat_w`, `sel` | in | 32, 4 | |
//! | `dat_r` | out | 32 | |
//! | `ack`, `err` | out | 1 | normal termination; the address is beyond the last register, or not all bytes are written |
//! | `bus` | out | | register bus |
//! | `reads_0` | out | 1 | if asked for: `bus.addr` is read in this cycle |
//!
//! # Timing
//! A bus cycle takes two clock cycles: the termination comes one cycle after the strobe, from a register.

use super::MapOut;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A Wishbone slave for 2^A registers, with word addresses of P bits.
#[derive(LogicBlock, Default)]
pub struct Wishbone<const A: usize, const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub cyc: Signal<In, Bit>,
    pub stb: Signal<In, Bit>,
    pub we: Signal<In, Bit>,
    pub adr: Signal<In, Bits<P>>,
    pub dat_w: Signal<In, Bits<32>>,
    pub sel: Signal<In, Bits<4>>,
    pub dat_r: Signal<Out, Bits<32>>,
    pub ack: Signal<Out, Bit>,
    pub err: Signal<Out, Bit>,
    pub bus: MapOut<A>,
    pub reads: Vec<Signal<Out, Bit>>,
    _reads: usize,
    acked: DFF<Bit>,
    refused: DFF<Bit>,
    asked: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    last: Fixed<Bits<P>>,
    zero: Fixed<Bits<32>>,
}

impl<const A: usize, const P: usize> Wishbone<A, P> {
    /// A slave with no bus cycle in progress; `reads`: with the output `reads_0`.
    pub fn new(reads: bool) -> Self {
        Self {
            reads: each(reads.into()),
            _reads: reads.into(),
            last: Fixed::of((1u64 << A) - 1),
            zero: Fixed::new(0.into()),
            ..Default::default()
        }
    }
}

impl<const A: usize, const P: usize> Logic for Wishbone<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, acked, refused);
        self.asked.next =
            self.cyc.val() & self.stb.val() & !self.acked.q.val() & !self.refused.q.val() & !self.reset.val();
        self.wrong.next = (self.adr.val() > self.last.val()) | (self.we.val() & !self.sel.val().all());
        self.acked.d.next = self.asked.val() & !self.wrong.val();
        self.refused.d.next = self.asked.val() & self.wrong.val();
        self.bus.addr.next = self.adr.val().get_bits::<A>(0);
        self.bus.wdata.next = self.dat_w.val();
        self.bus.write.next = self.asked.val() & self.we.val() & !self.wrong.val();
        for i in 0..self._reads {
            self.reads[i].next = self.asked.val() & !self.we.val() & !self.wrong.val();
        }
        self.dat_r.next = self.bus.rdata.val();
        if self.refused.q.val() {
            self.dat_r.next = self.zero.val();
        }
        // if the master aborts a cycle, its termination is dropped
        self.ack.next = self.acked.q.val() & self.cyc.val() & self.stb.val();
        self.err.next = self.refused.q.val() & self.cyc.val() & self.stb.val();
    }
}
