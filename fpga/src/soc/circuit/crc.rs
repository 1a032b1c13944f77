//! CRC-16 with polynomial 0x1021, one byte per step
//!
//! # Source
//! CRC-16/IBM-3740. A byte moves the remainder by eight bits: with x the upper byte of the remainder, xored with the
//! byte, and y = x ^ x >> 4, the new remainder is (old << 8) ^ (y << 12) ^ (y << 5) ^ y, in 16 bits.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `old` | in | 16 | the remainder; 0xffff at the beginning |
//! | `octet` | in | 8 | the next byte |
//! | `after` | out | 16 | the remainder after it |
//!
//! Combinational. Golden model: [`crate::soc::frame::crc16`].

use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// One step of the CRC.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct Crc16 {
    pub old: Signal<In, Bits<16>>,
    pub octet: Signal<In, Bits<8>>,
    pub after: Signal<Out, Bits<16>>,
    x: Signal<Local, Bits<8>>,
    y: Signal<Local, Bits<16>>,
}

impl Logic for Crc16 {
    #[hdl_gen]
    fn update(&mut self) {
        self.x.next = self.old.val().get_bits::<8>(8) ^ self.octet.val();
        self.y.next = bit_cast::<16, 8>(self.x.val()) ^ (bit_cast::<16, 8>(self.x.val()) >> 4);
        self.after.next = (self.old.val() << 8) ^ (self.y.val() << 12) ^ (self.y.val() << 5) ^ self.y.val();
    }
}
