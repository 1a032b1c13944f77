//! Drain: trace words through a JTAG data register
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: discards a captured word |
//! | `scan` | in | | scans, from [`super::tap`]; `scan_low` is the return path |
//! | `words` | in | | trace words |
//!
//! # Timing
//! The register has 33 bits: bit 0 is 1 if a word is present, bits 32:1 are the word. A captured word is consumed at
//! the update that follows, so a scan that ends in a reset loses no word.
//!
//! Golden model: [`sim::jtag`].

use super::ScanIn;
use crate::bus::WordStreamIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The JTAG data register for trace words.
#[derive(LogicBlock, Default)]
pub struct Drain {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub scan: ScanIn,
    pub words: WordStreamIn<32>,
    dr: DFF<Bits<33>>,
    captured: DFF<Bit>,
    shifted: Signal<Local, Bits<33>>,
    here: Fixed<Bits<33>>,
    entering: Fixed<Bits<33>>,
    zero: Fixed<Bits<33>>,
    ir: Fixed<Bits<5>>,
}

impl Drain {
    /// A data register without a captured word.
    pub fn new() -> Self {
        Self {
            here: Fixed::of(1u64),
            entering: Fixed::of(1u64 << 32),
            ir: Fixed::of(sim::jtag::WORDS_IR),
            ..Default::default()
        }
    }
}

impl Logic for Drain {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, dr, captured);
        self.shifted.next = self.dr.q.val() >> 1;
        if self.scan.capture.val() {
            self.captured.d.next = self.words.valid.val();
            self.dr.d.next = self.zero.val();
            if self.words.valid.val() {
                self.dr.d.next = (bit_cast::<33, 32>(self.words.data.val()) << 1) | self.here.val();
            }
        }
        if self.scan.shift.val() {
            self.dr.d.next = self.shifted.val();
            if self.scan.tdi.val() {
                self.dr.d.next = self.shifted.val() | self.entering.val();
            }
        }
        self.scan.low.next = self.dr.q.val().get_bit(0);
        self.words.ready.next = self.scan.update.val() & (self.scan.ir.val() == self.ir.val()) & self.captured.q.val();
        if self.reset.val() {
            self.dr.d.next = self.zero.val();
            self.captured.d.next = false;
        }
    }
}
