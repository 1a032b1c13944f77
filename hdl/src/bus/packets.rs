//! Packets: each trace as one AXI4-Stream packet, with its last word marked
//!
//! # Source
//! ARM IHI 0051 (AXI4-Stream), section 2.5: `TLAST` ends a packet.
//!
//! A word may leave before it is known whether it is the last one, which is clear only when the session ends. So one
//! word is held back here until the next one arrives or the session ends.
//!
//! # Ports of [`Packets`]
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no word is held back |
//! | `words` | in | | trace words |
//! | `session` | in | 1 | 1: more words will come, or the system still holds one |
//! | `out` | out | 33 | the word; bit 32: it is the last of its trace |
//!
//! # Timing
//! One word per cycle. A word is at `out` in the cycle in which the next one is at `words`, or in the cycle after the
//! end of `session`. It stays at `out` until it is taken, even if another session begins.
//!
//! # Ports of [`AxiStream`]
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `words` | in | 33 | as `out` |
//! | `tvalid`, `tready`, `tdata`, `tlast` | out, in, out, out | 1, 1, 32, 1 | AXI4-Stream |

use super::{WordStreamIn, WordStreamOut, PACKET_BITS};
use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A block that marks the last word of each trace.
#[derive(LogicBlock, Default)]
pub struct Packets {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: WordsIn,
    pub session: Signal<In, Bit>,
    pub out: WordStreamOut<33>,
    have: DFF<Bit>,
    word: DFF<Bits<32>>,
    // the held word is the last of its trace; the word at `words` is
    ended: DFF<Bit>,
    ends: DFF<Bit>,
    last: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    can_load: Signal<Local, Bit>,
    mark: Fixed<Bits<33>>,
}

impl Packets {
    /// A block without a held word.
    pub fn new() -> Self {
        Self { mark: Fixed::of(1u64 << (PACKET_BITS - 1)), ..Default::default() }
    }
}

impl Logic for Packets {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, have, word, ended, ends);
        self.last.next = self.ended.q.val() | (!self.session.val() & !self.words.valid.val());
        self.there.next = self.have.q.val() & (self.words.valid.val() | self.last.val());
        self.can_load.next = !self.have.q.val() | self.out.ready.val();
        self.words.ready.next = self.can_load.val();
        self.out.valid.next = self.there.val();
        self.out.data.next = bit_cast::<33, 32>(self.word.q.val());
        if self.last.val() {
            self.out.data.next = bit_cast::<33, 32>(self.word.q.val()) | self.mark.val();
        }
        // a session is off for at least one cycle, then another may begin while words of the first are still queued
        if !self.session.val() & !self.words.valid.val() {
            self.ended.d.next = true;
        }
        self.ends.d.next = (self.ends.q.val() | !self.session.val()) & self.words.valid.val() & !self.can_load.val();
        if self.there.val() & self.out.ready.val() {
            self.have.d.next = false;
            self.ended.d.next = false;
        }
        if self.words.valid.val() & self.can_load.val() {
            self.have.d.next = true;
            self.word.d.next = self.words.data.val();
            self.ended.d.next = self.ends.q.val() | !self.session.val();
        }
        if self.reset.val() {
            self.have.d.next = false;
            self.ended.d.next = false;
            self.ends.d.next = false;
        }
    }
}

/// Port names of AXI4-Stream.
#[derive(LogicBlock, Default)]
pub struct AxiStream {
    pub words: WordStreamIn<33>,
    pub tvalid: Signal<Out, Bit>,
    pub tready: Signal<In, Bit>,
    pub tdata: Signal<Out, Bits<32>>,
    pub tlast: Signal<Out, Bit>,
}

impl Logic for AxiStream {
    #[hdl_gen]
    fn update(&mut self) {
        self.tvalid.next = self.words.valid.val();
        self.words.ready.next = self.tready.val();
        self.tdata.next = self.words.data.val().get_bits::<32>(0);
        self.tlast.next = self.words.data.val().get_bit(32);
    }
}
