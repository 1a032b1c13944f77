//! ATB bridge: trace words to ATB, with the registers of the RISC-V Trace Control Interface
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "ATB Bridge"; registers and fields are those of [`sim::tci::atb_map`]. ARM IHI 0032 (ATB).
//!
//! # Ports of [`AtbBridge`]
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up; a word that waits is withdrawn |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `words` | in | 32 | trace words |
//! | `out` | out | 39 | trace words in bits 31:0, with `ATID` in bits 38:32 |
//!
//! # Ports of [`AtbWithId`]
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `words` | in | 39 | those of `out`, also through a clock domain crossing |
//! | `atid` | out | 7 | ID of the word |
//! | others | | | those of [`Atb`] |
//!
//! # Timing
//! No added latency, one word and one access per cycle; `bus.rdata` follows `bus.addr` by one cycle. `words.ready` is 1 while the bridge
//! is not enabled and no word waits.
//!
//! Golden model: [`sim::tci::atb_bridge`].

use super::atb::Atb;
use super::{MapIn, WordStreamIn, WordStreamOut, ATB_BITS};
use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::atb_map::register;
use sim::tci::Facts;

/// An ATB bridge.
#[derive(LogicBlock, Default)]
pub struct AtbBridge {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub words: WordsIn,
    pub out: WordStreamOut<ATB_BITS>,
    // trAtbBridgeControl
    active: DFF<Bit>,
    enable: DFF<Bit>,
    id: DFF<Bits<7>>,
    // a word was offered and not accepted
    waits: DFF<Bit>,
    read_data: DFF<Bits<32>>,
    passes: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    at_control: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    control: Signal<Local, Bits<32>>,
    empty: Fixed<Bits<32>>,
    zero: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
}

/// Positions that the kernel has as numbers: field of `atb_control`, lowest bit.
const POSITIONS: [(&str, u8); 3] = [("active", 0), ("enable", 1), ("id", 8)];

impl AtbBridge {
    /// The bridge of a system with these properties.
    ///
    /// # Panics
    /// If positions in the map are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        for (field, lsb) in POSITIONS {
            assert_eq!(register("atb_control").field(field).lsb, lsb, "{field}");
        }
        let at = |name| Fixed::of(register(name).offset / 4);
        Self {
            empty: Fixed::of(register("atb_control").field("empty").mask()),
            impl_word: Fixed::of(register("atb_impl").reset(facts)),
            control_at: at("atb_control"),
            impl_at: at("atb_impl"),
            ..Default::default()
        }
    }
}

impl Logic for AtbBridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, enable, id, waits, read_data);

        // a word that arrives while the bridge is not enabled is discarded, unless it is on ATB already
        self.passes.next = self.enable.q.val() | self.waits.q.val();
        self.out.valid.next = self.words.valid.val() & self.passes.val();
        self.out.data.next = bit_cast::<39, 32>(self.words.data.val()) | (bit_cast::<39, 7>(self.id.q.val()) << 32);
        self.words.ready.next = self.out.ready.val() | !self.passes.val();
        self.stays.next = self.words.valid.val() & self.passes.val() & !self.out.ready.val() & !self.reset.val();
        self.waits.d.next = self.stays.val();

        // registers
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.writes.next = self.bus.write.val() & self.at_control.val() & (self.active.q.val() | !self.waits.q.val());
        if self.writes.val() {
            if self.active.q.val() {
                if !self.passes.val() {
                    self.id.d.next = self.bus.wdata.val().get_bits::<7>(8);
                }
                self.enable.d.next = self.bus.wdata.val().get_bit(1);
            }
            self.active.d.next = self.bus.wdata.val().get_bit(0);
        }

        self.control.next =
            (bit_cast::<32, 7>(self.id.q.val()) << 8) | (bit_cast::<32, 1>(self.enable.q.val().into()) << 1);
        if self.waits.q.val() {
            self.control.next = self.control.val() | bit_cast::<32, 1>(self.waits.q.val().into());
        } else {
            self.control.next = self.control.val() | bit_cast::<32, 1>(self.active.q.val().into()) | self.empty.val();
        }
        self.read_data.d.next = self.zero.val();
        if self.at_control.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.impl_at.val() {
            self.read_data.d.next = self.impl_word.val();
        }
        self.bus.rdata.next = self.read_data.q.val();

        if self.reset.val() {
            self.active.d.next = false;
        }
        // inactive, or made inactive
        if self.reset.val() | !self.active.q.val() | (self.writes.val() & !self.bus.wdata.val().get_bit(0)) {
            self.enable.d.next = false;
            if !self.stays.val() {
                self.id.d.next = 0.into();
            }
        }
    }
}

/// An ATB transmitter for words that come with their ID.
#[derive(LogicBlock, Default)]
pub struct AtbWithId {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: WordStreamIn<ATB_BITS>,
    pub atvalid: Signal<Out, Bit>,
    pub atready: Signal<In, Bit>,
    pub atid: Signal<Out, Bits<7>>,
    pub atdata: Signal<Out, Bits<32>>,
    pub atbytes: Signal<Out, Bits<2>>,
    pub afvalid: Signal<In, Bit>,
    pub afready: Signal<Out, Bit>,
    atb: Atb,
}

impl AtbWithId {
    /// A transmitter with no flush in progress.
    pub fn new() -> Self {
        Self { atb: Atb::new(), ..Default::default() }
    }
}

impl Logic for AtbWithId {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, atb);
        self.atb.reset.next = self.reset.val();
        self.atb.words.valid.next = self.words.valid.val();
        self.atb.words.data.next = self.words.data.val().get_bits::<32>(0);
        self.words.ready.next = self.atb.words.ready.val();
        self.atvalid.next = self.atb.atvalid.val();
        self.atb.atready.next = self.atready.val();
        self.atid.next = self.words.data.val().get_bits::<7>(32);
        self.atdata.next = self.atb.atdata.val();
        self.atbytes.next = self.atb.atbytes.val();
        self.atb.afvalid.next = self.afvalid.val();
        self.afready.next = self.atb.afready.val();
    }
}
