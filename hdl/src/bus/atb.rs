//! ATB: trace words as a transmitter of AMBA ATB
//!
//! # Source
//! ARM IHI 0032 (ATB): the data handshake, `ATBYTES`, and flushing by `AFVALID` and `AFREADY`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | no flush is under way |
//! | `words` | in | | trace words |
//! | `atvalid`, `atready`, `atdata` | out, in, out | 1, 1, 32 | a word |
//! | `atbytes` | out | 2 | 3: all four bytes count |
//! | `afvalid` | in | 1 | what was traced so far is wanted |
//! | `afready` | out | 1 | it has left, but for a part of a word |
//!
//! `ATID` is a constant of the chip's: it stands beside this block.
//!
//! # Timing
//! A word a clock. An entry in a buffer makes a bit a clock at least, so [`QUIET`] clocks without a word say that the
//! buffers are empty: then `afready` comes, and stays until `afvalid` goes. Up to 31 bits are left, which
//! `request.sync` (built with `sync`) or the end of the trace fills up to a word.

use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// Clocks without a word that end a flush: twice a word's bits.
pub const QUIET: u32 = 64;

/// The transmitter.
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
    // clocks without a word
    quiet: DFF<Bits<6>>,
    flushed: DFF<Bit>,
    whole: Fixed<Bits<2>>,
    one: Fixed<Bits<6>>,
}

impl Atb {
    /// One.
    pub fn new() -> Self {
        Self { whole: Fixed::new(3.into()), one: Fixed::new(1.into()), ..Default::default() }
    }
}

impl Logic for Atb {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, quiet, flushed);
        self.atvalid.next = self.words.valid.val();
        self.atdata.next = self.words.data.val();
        self.atbytes.next = self.whole.val();
        self.words.ready.next = self.atready.val();
        self.afready.next = self.flushed.q.val();
        self.quiet.d.next = 0.into();
        if self.afvalid.val() & !self.words.valid.val() {
            self.quiet.d.next = self.quiet.q.val() + self.one.val();
        }
        if self.quiet.q.val().all() & !self.words.valid.val() {
            self.flushed.d.next = true;
        }
        if self.reset.val() | !self.afvalid.val() {
            self.quiet.d.next = 0.into();
            self.flushed.d.next = false;
        }
    }
}
