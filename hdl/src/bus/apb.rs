//! APB: the registers as a completer of AMBA APB
//!
//! # Source
//! ARM IHI 0024 (APB4): sections 3.1 and 3.3, write and read transfers; 3.2, strobes; 3.4, errors; 3.5, protection.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `psel`, `penable`, `pwrite` | in | 1 | as APB has them |
//! | `paddr` | in | 12 | byte address; the two lowest bits are not looked at |
//! | `pwdata`, `pstrb` | in | 32, 4 | |
//! | `pprot` | in | 3 | bit 0: privileged, bit 1: not secure; bit 2 is not looked at |
//! | `prdata` | out | 32 | |
//! | `pready` | out | 1 | always 1: no transfer waits |
//! | `pslverr` | out | 1 | the address is behind the registers, not all bytes are written, or not by one of [`Writers`] |
//! | `bus` | out | | register bus |
//!
//! # Timing
//! The setup phase gives the address to the register bus, which answers in the access phase. No state, no clock.

use super::Writers;
use crate::spine::ports::BusOut;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The completer.
#[derive(LogicBlock, Default)]
pub struct Apb {
    pub psel: Signal<In, Bit>,
    pub penable: Signal<In, Bit>,
    pub pwrite: Signal<In, Bit>,
    pub paddr: Signal<In, Bits<12>>,
    pub pwdata: Signal<In, Bits<32>>,
    pub pstrb: Signal<In, Bits<4>>,
    pub pprot: Signal<In, Bits<3>>,
    pub prdata: Signal<Out, Bits<32>>,
    pub pready: Signal<Out, Bit>,
    pub pslverr: Signal<Out, Bit>,
    pub bus: BusOut,
    access: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    privileged: Fixed<Bit>,
    secure: Fixed<Bit>,
    yes: Fixed<Bit>,
    zero: Fixed<Bits<32>>,
}

impl Apb {
    /// One that takes writes of `writers`.
    pub fn new(writers: Writers) -> Self {
        Self {
            privileged: Fixed::new(writers.privileged()),
            secure: Fixed::new(writers.secure()),
            yes: Fixed::new(true),
            zero: Fixed::new(0.into()),
            ..Default::default()
        }
    }
}

impl Logic for Apb {
    #[hdl_gen]
    fn update(&mut self) {
        self.access.next = self.psel.val() & self.penable.val();
        self.refused.next = (self.privileged.val() & !self.pprot.val().get_bit(0))
            | (self.secure.val() & self.pprot.val().get_bit(1))
            | !self.pstrb.val().all();
        self.wrong.next = self.paddr.val().get_bits::<7>(5).any() | (self.pwrite.val() & self.refused.val());
        self.bus.addr.next = self.paddr.val().get_bits::<3>(2);
        self.bus.wdata.next = self.pwdata.val();
        self.bus.write.next = self.access.val() & self.pwrite.val() & !self.wrong.val();
        self.prdata.next = self.bus.rdata.val();
        if self.wrong.val() {
            self.prdata.next = self.zero.val();
        }
        self.pready.next = self.yes.val();
        self.pslverr.next = self.access.val() & self.wrong.val();
    }
}
