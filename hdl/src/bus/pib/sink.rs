//! PIB sink: its registers, and its two halves
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace PIB Sink"; registers and fields are those of [`sim::tci::pib_map`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up, and the next byte is the first of a message |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `words` | in | 32 | trace words |
//! | `clk` | out | 1 | `TRC_CLK` |
//! | `data` | out | 16 | `TRC_DATA`; serial modes use bit 0 |
//!
//! # Timing
//! One access per cycle; `bus.rdata` follows `bus.addr` by one cycle. A word is taken with its last byte, one byte per cycle while there is
//! space. `clk` and `data` are registers.
//!
//! Golden model: [`sim::tci::pib`].

use super::pins::PibPins;
use crate::bus::messages::Messages;
use crate::bus::MapIn;
use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::messages::Framing;
use sim::tci::pib::pins::Mode;
use sim::tci::pib_map::{register, DIVIDER_BITS, DIVIDER_RESET};
use sim::tci::Facts;

/// A PIB sink.
#[derive(LogicBlock, Default)]
pub struct PibSink {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub words: WordsIn,
    pub clk: Signal<Out, Bit>,
    pub data: Signal<Out, Bits<16>>,
    messages: Messages,
    pins: PibPins,
    // trPibControl
    active: DFF<Bit>,
    enable: DFF<Bit>,
    mode: DFF<Bits<4>>,
    center: DFF<Bit>,
    calibrate: DFF<Bit>,
    divider: DFF<Bits<12>>,
    read_data: DFF<Bits<32>>,
    calibrates: Signal<Local, Bit>,
    quiet: Signal<Local, Bit>,
    at_control: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    written: Signal<Local, Bits<4>>,
    parallel: Signal<Local, Bit>,
    legal: Signal<Local, Bits<4>>,
    centered: Signal<Local, Bit>,
    rate: Signal<Local, Bits<12>>,
    control: Signal<Local, Bits<32>>,
    // the protocol has idle bytes
    idles: Fixed<Bit>,
    manchester: Fixed<Bits<4>>,
    uart: Fixed<Bits<4>>,
    widest: Fixed<Bits<4>>,
    least: Fixed<Bits<12>>,
    safe: Fixed<Bits<12>>,
    zero: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
}

/// Positions that the kernel has as numbers: field of `pib_control`, lowest bit.
const POSITIONS: [(&str, u8); 7] =
    [("active", 0), ("enable", 1), ("empty", 3), ("mode", 4), ("clk_center", 8), ("calibrate", 9), ("divider", 16)];

impl PibSink {
    /// The PIB sink of a system with these properties.
    ///
    /// # Panics
    /// If positions in the map are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        for (field, lsb) in POSITIONS {
            assert_eq!(register("pib_control").field(field).lsb, lsb, "{field}");
        }
        assert_eq!(DIVIDER_BITS, 12);
        let framing = Framing::of(facts);
        let at = |name| Fixed::of(register(name).offset / 4);
        Self {
            messages: Messages::new(framing),
            pins: PibPins::new(framing),
            idles: Fixed::new(framing.idle().is_some()),
            manchester: Fixed::of(Mode::Manchester.number()),
            uart: Fixed::of(Mode::Uart.number()),
            widest: Fixed::of(Mode::Parallel16.number()),
            least: Fixed::of(1u8),
            safe: Fixed::of(DIVIDER_RESET),
            impl_word: Fixed::of(register("pib_impl").reset(facts)),
            control_at: at("pib_control"),
            impl_at: at("pib_impl"),
            ..Default::default()
        }
    }
}

impl Logic for PibSink {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, enable, mode, center, calibrate, divider, read_data);
        clock!(self, clock, messages, pins);

        // words to messages, messages to pins
        self.calibrates.next = self.enable.q.val() & self.calibrate.q.val();
        self.messages.reset.next = self.reset.val();
        self.messages.clear.next = !self.active.q.val();
        self.messages.store.next = self.enable.q.val() & self.mode.q.val().any() & !self.calibrate.q.val();
        self.messages.hold.next = self.calibrates.val();
        self.messages.words.valid.next = self.words.valid.val();
        self.messages.words.data.next = self.words.data.val();
        self.words.ready.next = self.messages.words.ready.val();
        self.pins.off.next = self.reset.val() | !self.active.q.val();
        self.pins.mode.next = self.mode.q.val();
        self.pins.center.next = self.center.q.val();
        self.pins.divider.next = self.divider.q.val();
        self.pins.calibrate.next = self.calibrates.val();
        self.pins.valid.next = self.messages.valid.val();
        self.pins.head.next = self.messages.head.val();
        self.pins.last.next = self.messages.last.val();
        self.messages.take.next = self.pins.take.val();
        self.clk.next = self.pins.clk.val();
        self.data.next = self.pins.data.val();
        self.quiet.next = self.messages.empty.val() & !self.pins.busy.val();

        // what fields hold after a write
        self.written.next = self.bus.wdata.val().get_bits::<4>(4);
        self.parallel.next =
            self.idles.val() & self.written.val().get_bit(3) & (self.written.val() <= self.widest.val());
        self.legal.next = 0.into();
        if self.parallel.val() | (self.written.val() == self.manchester.val()) | (self.written.val() == self.uart.val())
        {
            self.legal.next = self.written.val();
        }
        self.centered.next = self.bus.wdata.val().get_bit(8) & self.parallel.val();
        self.rate.next = self.bus.wdata.val().get_bits::<12>(16);
        if (self.legal.val() == self.widest.val()) & !self.bus.wdata.val().get_bits::<12>(16).any() {
            self.rate.next = self.least.val();
        }

        // registers
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.writes.next = self.bus.write.val() & self.at_control.val();
        self.pins.restart.next = false;
        if self.writes.val() {
            if self.active.q.val() {
                if !self.enable.q.val() & self.quiet.val() {
                    self.mode.d.next = self.legal.val();
                    self.pins.restart.next =
                        (self.legal.val() != self.mode.q.val()) | (self.centered.val() != self.center.q.val());
                    self.center.d.next = self.centered.val();
                    self.calibrate.d.next = self.bus.wdata.val().get_bit(9) & self.legal.val().any();
                    self.divider.d.next = self.rate.val();
                }
                self.enable.d.next = self.bus.wdata.val().get_bit(1);
            }
            self.active.d.next = self.bus.wdata.val().get_bit(0);
        }
        self.control.next = bit_cast::<32, 1>(self.active.q.val().into())
            | (bit_cast::<32, 1>(self.enable.q.val().into()) << 1)
            | (bit_cast::<32, 1>(self.quiet.val().into()) << 3)
            | (bit_cast::<32, 4>(self.mode.q.val()) << 4)
            | (bit_cast::<32, 1>(self.center.q.val().into()) << 8)
            | (bit_cast::<32, 1>(self.calibrate.q.val().into()) << 9)
            | (bit_cast::<32, 12>(self.divider.q.val()) << 16);
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
            self.mode.d.next = 0.into();
            self.center.d.next = false;
            self.calibrate.d.next = false;
            self.divider.d.next = self.safe.val();
        }
    }
}
