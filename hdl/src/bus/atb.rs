//! ATB: trace words as a transmitter of AMBA ATB
//!
//! # Source
//! ARM IHI 0032 (ATB): the data handshake, `ATBYTES`, and flushing by `AFVALID` and `AFREADY`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: aborts a flush |
//! | `words` | in | | trace words |
//! | `atvalid`, `atready`, `atdata` | out, in, out | 1, 1, 32 | trace word |
//! | `atbytes` | out | 2 | always 3: all four bytes are valid |
//! | `afvalid` | in | 1 | flush request |
//! | `afready` | out | 1 | the flush is complete; up to 31 bits of a partial word may remain |
//!
//! `ATID` is a constant of the chip and is driven outside this block.
//!
//! # Timing
//! One word per cycle. While a buffer holds entries, at least one bit per cycle is produced, so [`FLUSH_CYCLES`] cycles
//! without a word mean that the buffers are empty. `afready` then rises and stays high until `afvalid` falls. Up to 31
//! bits may remain; `request.sync` (built with `sync`) or the end of the trace pads them to a word.

use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Cycles without a word that complete a flush: twice the bits of a word.
pub const FLUSH_CYCLES: u32 = 64;

/// An ATB transmitter for trace words.
#[derive(LogicBlock, Default)]
pub struct Atb {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: WordsIn,
    pub atvalid: Signal<Out, Bit>,
    pub atready: Signal<In, Bit>,
    pub atdata: Signal<Out, Bits<32>>,
    pub atbytes: Signal<Out, Bits<2>>,
    pub afvalid: Signal<In, Bit>,
    pub afready: Signal<Out, Bit>,
    // cycles without a word
    idle_cycles: DFF<Bits<6>>,
    flushed: DFF<Bit>,
    whole: Fixed<Bits<2>>,
    one: Fixed<Bits<6>>,
}

impl Atb {
    /// A transmitter with no flush in progress.
    pub fn new() -> Self {
        Self { whole: Fixed::new(3.into()), one: Fixed::new(1.into()), ..Default::default() }
    }
}

impl Logic for Atb {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, idle_cycles, flushed);
        self.atvalid.next = self.words.valid.val();
        self.atdata.next = self.words.data.val();
        self.atbytes.next = self.whole.val();
        self.words.ready.next = self.atready.val();
        self.afready.next = self.flushed.q.val();
        self.idle_cycles.d.next = 0.into();
        if self.afvalid.val() & !self.words.valid.val() {
            self.idle_cycles.d.next = self.idle_cycles.q.val() + self.one.val();
        }
        if self.idle_cycles.q.val().all() & !self.words.valid.val() {
            self.flushed.d.next = true;
        }
        if self.reset.val() | !self.afvalid.val() {
            self.idle_cycles.d.next = 0.into();
            self.flushed.d.next = false;
        }
    }
}
