//! AXI4-Lite: the registers as a subordinate of AMBA AXI4-Lite
//!
//! # Source
//! ARM IHI 0022 (AXI4): A3.2, handshake; A3.3, relationships between the channels; A3.4.4, responses; A4.7,
//! permissions; B1, AXI4-Lite.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts all transactions |
//! | `awvalid`, `awready`, `awaddr` | in, out, in | 1, 1, P | byte address; the two lowest bits are ignored |
//! | `awprot` | in | 3 | bit 0: privileged, bit 1: not secure; bit 2 is ignored |
//! | `wvalid`, `wready`, `wdata`, `wstrb` | in, out, in, in | 1, 1, 32, 4 | |
//! | `bvalid`, `bready`, `bresp` | out, in, out | 1, 1, 2 | OKAY; or SLVERR: beyond the last register, not all four bytes, or forbidden by [`Writers`] |
//! | `arvalid`, `arready`, `araddr` | in, out, in | 1, 1, P | |
//! | `rvalid`, `rready`, `rdata`, `rresp` | out, in, out, out | 1, 1, 32, 2 | |
//! | `bus` | out | | register bus |
//! | `reads_0` | out | 1 | if asked for: `bus.addr` is read in this cycle |
//!
//! # Timing
//! All outputs are registered: there is no input-to-output path. The address and the data of a write may come in either
//! order. A write takes at least three cycles, a read four. If both are ready, the write goes first.

use super::{MapOut, Writers};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// An AXI4-Lite subordinate for 2^A registers, with byte addresses of P bits.
#[derive(LogicBlock, Default)]
pub struct AxiLite<const A: usize, const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub awvalid: Signal<In, Bit>,
    pub awready: Signal<Out, Bit>,
    pub awaddr: Signal<In, Bits<P>>,
    pub awprot: Signal<In, Bits<3>>,
    pub wvalid: Signal<In, Bit>,
    pub wready: Signal<Out, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub wstrb: Signal<In, Bits<4>>,
    pub bvalid: Signal<Out, Bit>,
    pub bready: Signal<In, Bit>,
    pub bresp: Signal<Out, Bits<2>>,
    pub arvalid: Signal<In, Bit>,
    pub arready: Signal<Out, Bit>,
    pub araddr: Signal<In, Bits<P>>,
    pub rvalid: Signal<Out, Bit>,
    pub rready: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<32>>,
    pub rresp: Signal<Out, Bits<2>>,
    pub bus: MapOut<A>,
    pub reads: Vec<Signal<Out, Bit>>,
    _reads: usize,
    // a write: address, data, whether each has arrived, and the response
    to: DFF<Bits<A>>,
    to_wrong: DFF<Bit>,
    write_addressed: DFF<Bit>,
    value: DFF<Bits<32>>,
    partial_write: DFF<Bit>,
    write_data_valid: DFF<Bit>,
    write_done: DFF<Bit>,
    write_wrong: DFF<Bit>,
    // a read: address, whether it has arrived, whether the registers respond now, and the response
    from: DFF<Bits<A>>,
    from_wrong: DFF<Bit>,
    read_addressed: DFF<Bit>,
    reading: DFF<Bit>,
    read_data: DFF<Bits<32>>,
    read_done: DFF<Bit>,
    read_wrong: DFF<Bit>,
    refused: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    privileged: Fixed<Bit>,
    secure: Fixed<Bit>,
    // the last byte of the registers
    last: Fixed<Bits<P>>,
    zero: Fixed<Bits<32>>,
    okay: Fixed<Bits<2>>,
    slverr: Fixed<Bits<2>>,
}

impl<const A: usize, const P: usize> AxiLite<A, P> {
    /// A subordinate that accepts writes of `writers`; `reads`: with the output `reads_0`.
    pub fn new(writers: Writers, reads: bool) -> Self {
        Self {
            reads: each(reads.into()),
            _reads: reads.into(),
            privileged: Fixed::new(writers.privileged()),
            secure: Fixed::new(writers.secure()),
            last: Fixed::of((1u64 << (A + 2)) - 1),
            zero: Fixed::new(0.into()),
            okay: Fixed::new(0.into()),
            slverr: Fixed::new(2.into()),
            ..Default::default()
        }
    }
}

impl<const A: usize, const P: usize> Logic for AxiLite<A, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            to,
            to_wrong,
            write_addressed,
            value,
            partial_write,
            write_data_valid,
            write_done,
            write_wrong
        );
        dff_setup!(self, clock, from, from_wrong, read_addressed, reading, read_data, read_done, read_wrong);
        self.write.next = self.write_addressed.q.val() & self.write_data_valid.q.val() & !self.write_done.q.val();
        self.refused.next = (self.privileged.val() & !self.awprot.val().get_bit(0))
            | (self.secure.val() & self.awprot.val().get_bit(1));
        self.wrong.next = self.to_wrong.q.val() | self.partial_write.q.val();
        self.read.next =
            self.read_addressed.q.val() & !self.reading.q.val() & !self.read_done.q.val() & !self.write.val();

        if self.awvalid.val() & !self.write_addressed.q.val() {
            self.write_addressed.d.next = true;
            self.to.d.next = self.awaddr.val().get_bits::<A>(2);
            self.to_wrong.d.next = (self.awaddr.val() > self.last.val()) | self.refused.val();
        }
        if self.wvalid.val() & !self.write_data_valid.q.val() {
            self.write_data_valid.d.next = true;
            self.value.d.next = self.wdata.val();
            self.partial_write.d.next = !self.wstrb.val().all();
        }
        if self.bready.val() {
            self.write_done.d.next = false;
        }
        if self.write.val() {
            self.write_addressed.d.next = false;
            self.write_data_valid.d.next = false;
            self.write_done.d.next = true;
            self.write_wrong.d.next = self.wrong.val();
        }

        if self.arvalid.val() & !self.read_addressed.q.val() {
            self.read_addressed.d.next = true;
            self.from.d.next = self.araddr.val().get_bits::<A>(2);
            self.from_wrong.d.next = self.araddr.val() > self.last.val();
        }
        if self.rready.val() {
            self.read_done.d.next = false;
        }
        self.reading.d.next = self.read.val();
        if self.reading.q.val() {
            self.read_addressed.d.next = false;
            self.read_done.d.next = true;
            self.read_data.d.next = self.bus.rdata.val();
            if self.from_wrong.q.val() {
                self.read_data.d.next = self.zero.val();
            }
            self.read_wrong.d.next = self.from_wrong.q.val();
        }

        if self.reset.val() {
            self.write_addressed.d.next = false;
            self.write_data_valid.d.next = false;
            self.write_done.d.next = false;
            self.read_addressed.d.next = false;
            self.reading.d.next = false;
            self.read_done.d.next = false;
        }

        self.bus.addr.next = self.from.q.val();
        if self.write.val() {
            self.bus.addr.next = self.to.q.val();
        }
        for i in 0..self._reads {
            self.reads[i].next = self.read.val() & !self.from_wrong.q.val();
        }
        self.bus.wdata.next = self.value.q.val();
        self.bus.write.next = self.write.val() & !self.wrong.val();

        self.awready.next = !self.write_addressed.q.val();
        self.wready.next = !self.write_data_valid.q.val();
        self.bvalid.next = self.write_done.q.val();
        self.bresp.next = self.okay.val();
        if self.write_wrong.q.val() {
            self.bresp.next = self.slverr.val();
        }
        self.arready.next = !self.read_addressed.q.val();
        self.rvalid.next = self.read_done.q.val();
        self.rdata.next = self.read_data.q.val();
        self.rresp.next = self.okay.val();
        if self.read_wrong.q.val() {
            self.rresp.next = self.slverr.val();
        }
    }
}
