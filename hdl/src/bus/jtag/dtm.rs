//! DTM: access to the registers of a trace system through a RISC-V debug transport
//!
//! # Source
//! RISC-V External Debug Support 0.13.2, section 6.1: `dtmcs` and `dmi`; IEEE 1149.1-2013, 12.1: device identification.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts an access and clears the error |
//! | `scan` | in | | scans, from [`super::tap`]; `scan_low` is the return path |
//! | `bus` | out | | register bus with addresses of A bits |
//!
//! # Timing
//! An access is on the register bus in the cycle after the update, and its response is stored one cycle later, long
//! before the next capture. So `dmi` is never busy. An access beyond the last register fails, and further accesses are
//! ignored until `dmireset`.
//!
//! Golden model: [`sim::jtag`].

use super::ScanIn;
use crate::bus::MapOut;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A debug transport for 2^A registers.
#[derive(LogicBlock, Default)]
pub struct Dtm<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub scan: ScanIn,
    pub bus: MapOut<A>,
    // the data register, right-aligned
    dr: DFF<Bits<41>>,
    address: DFF<Bits<7>>,
    data: DFF<Bits<32>>,
    failed: DFF<Bit>,
    // an access is on the bus; its read response is
    writing: DFF<Bit>,
    reading: DFF<Bit>,
    answered: DFF<Bit>,
    shifted: Signal<Local, Bits<41>>,
    entering: Signal<Local, Bits<41>>,
    asked: Signal<Local, Bits<7>>,
    op: Signal<Local, Bits<2>>,
    access: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    status: Signal<Local, Bits<41>>,
    identification: Fixed<Bits<41>>,
    transport: Fixed<Bits<41>>,
    // position of the incoming bit, by the length of the register
    at_1: Fixed<Bits<41>>,
    at_32: Fixed<Bits<41>>,
    at_41: Fixed<Bits<41>>,
    failure: Fixed<Bits<41>>,
    last: Fixed<Bits<7>>,
    read: Fixed<Bits<2>>,
    write: Fixed<Bits<2>>,
    idcode: Fixed<Bits<5>>,
    dtmcs: Fixed<Bits<5>>,
    dmi: Fixed<Bits<5>>,
    zero: Fixed<Bits<41>>,
}

impl<const A: usize> Dtm<A> {
    /// A debug transport with no access in progress.
    pub fn new() -> Self {
        use sim::jtag::{ADDRESS_BITS, DMI_IR, DTMCS_IR, FAILED, IDCODE, IDCODE_IR, READ, VERSION, WRITE};
        Self {
            identification: Fixed::of(IDCODE),
            transport: Fixed::of(ADDRESS_BITS << 4 | VERSION),
            at_1: Fixed::of(1u64),
            at_32: Fixed::of(1u64 << 31),
            at_41: Fixed::of(1u64 << 40),
            failure: Fixed::of(FAILED),
            last: Fixed::of((1u64 << A) - 1),
            read: Fixed::of(READ),
            write: Fixed::of(WRITE),
            idcode: Fixed::of(IDCODE_IR),
            dtmcs: Fixed::of(DTMCS_IR),
            dmi: Fixed::of(DMI_IR),
            ..Default::default()
        }
    }
}

impl<const A: usize> Logic for Dtm<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, dr, address, data, failed, writing, reading, answered);
        self.shifted.next = self.dr.q.val() >> 1;
        self.entering.next = self.at_1.val();
        if (self.scan.ir.val() == self.idcode.val()) | (self.scan.ir.val() == self.dtmcs.val()) {
            self.entering.next = self.at_32.val();
        }
        if self.scan.ir.val() == self.dmi.val() {
            self.entering.next = self.at_41.val();
        }
        self.status.next = self.zero.val();
        if self.failed.q.val() {
            self.status.next = self.failure.val();
        }
        if self.scan.capture.val() {
            self.dr.d.next = self.zero.val();
            if self.scan.ir.val() == self.idcode.val() {
                self.dr.d.next = self.identification.val();
            }
            if self.scan.ir.val() == self.dtmcs.val() {
                self.dr.d.next = self.transport.val() | (self.status.val() << 10);
            }
            if self.scan.ir.val() == self.dmi.val() {
                self.dr.d.next = (bit_cast::<41, 7>(self.address.q.val()) << 34)
                    | (bit_cast::<41, 32>(self.data.q.val()) << 2)
                    | self.status.val();
            }
        }
        if self.scan.shift.val() {
            self.dr.d.next = self.shifted.val();
            if self.scan.tdi.val() {
                self.dr.d.next = self.shifted.val() | self.entering.val();
            }
        }
        self.scan.low.next = self.dr.q.val().get_bit(0);

        self.asked.next = self.dr.q.val().get_bits::<7>(34);
        self.op.next = self.dr.q.val().get_bits::<2>(0);
        self.access.next = self.scan.update.val()
            & (self.scan.ir.val() == self.dmi.val())
            & !self.failed.q.val()
            & ((self.op.val() == self.read.val()) | (self.op.val() == self.write.val()));
        self.beyond.next = self.asked.val() > self.last.val();
        self.writing.d.next = self.access.val() & !self.beyond.val() & (self.op.val() == self.write.val());
        self.reading.d.next = self.access.val() & !self.beyond.val() & (self.op.val() == self.read.val());
        self.answered.d.next = self.reading.q.val();
        if self.answered.q.val() {
            self.data.d.next = self.bus.rdata.val();
        }
        if self.access.val() {
            self.address.d.next = self.asked.val();
            self.data.d.next = self.dr.q.val().get_bits::<32>(2);
            self.failed.d.next = self.beyond.val();
        }
        // dmireset, dmihardreset
        if self.scan.update.val()
            & (self.scan.ir.val() == self.dtmcs.val())
            & (self.dr.q.val().get_bit(16) | self.dr.q.val().get_bit(17))
        {
            self.failed.d.next = false;
        }
        self.bus.addr.next = self.address.q.val().get_bits::<A>(0);
        self.bus.wdata.next = self.data.q.val();
        self.bus.write.next = self.writing.q.val();
        if self.reset.val() {
            self.dr.d.next = self.zero.val();
            self.address.d.next = 0.into();
            self.data.d.next = 0.into();
            self.failed.d.next = false;
            self.writing.d.next = false;
            self.reading.d.next = false;
            self.answered.d.next = false;
        }
    }
}
