//! RAM sink: a memory for trace words, with the registers of the RISC-V Trace Control Interface
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace RAM Sink"; registers and fields are those of [`sim::tci::ram_map`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up; the memory keeps its contents |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `read` | in | 1 | 1: `bus.addr` is read; a read of `ram_data` advances the read pointer |
//! | `words` | in | | trace words; always ready |
//!
//! # Timing
//! One access and one word per cycle; `bus.rdata` follows `bus.addr` by one cycle. `read` may come in the cycle of the address or in
//! the next one, with the same address: the data is that of the pointer before. Words are stored while the sink is enabled, and the
//! memory is read while it is not, so that it can be a memory with one port.
//!
//! Golden model: [`sim::tci::ram`].

use super::MapIn;
use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::ram_map::register;
use sim::tci::{Facts, SRAM_BYTES};

/// Width of a pointer: words of the largest memory.
const A: usize = 14;

/// A RAM sink.
#[derive(LogicBlock, Default)]
pub struct RamSink {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub read: Signal<In, Bit>,
    pub words: WordsIn,
    memory: Mem<A, 32>,
    // trRamControl
    active: DFF<Bit>,
    enable: DFF<Bit>,
    stop_on_wrap: DFF<Bit>,
    // trRamWP, trRamWrap, trRamRP
    wp: DFF<Bits<A>>,
    wrap: DFF<Bit>,
    rp: DFF<Bits<A>>,
    // the response: a register, or the memory
    read_data: DFF<Bits<32>>,
    of_memory: DFF<Bit>,
    stores: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    at_control: Signal<Local, Bit>,
    at_data: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    pointer: Signal<Local, Bits<A>>,
    control: Signal<Local, Bits<32>>,
    // the last word of the memory
    last: Fixed<Bits<A>>,
    one: Fixed<Bits<A>>,
    yes: Fixed<Bit>,
    control_word: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    limit_word: Fixed<Bits<32>>,
    zero: Fixed<Bits<32>>,
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
    limit_at: Fixed<Bits<10>>,
    wp_at: Fixed<Bits<10>>,
    rp_at: Fixed<Bits<10>>,
    data_at: Fixed<Bits<10>>,
}

/// Positions that the kernel has as numbers: register, field, lowest bit.
const POSITIONS: [(&str, &str, u8); 6] = [
    ("ram_control", "active", 0),
    ("ram_control", "enable", 1),
    ("ram_control", "stop_on_wrap", 8),
    ("ram_wp_low", "wrap", 0),
    ("ram_wp_low", "wp", 2),
    ("ram_rp_low", "rp", 2),
];

impl RamSink {
    /// The RAM sink of a system with these properties.
    ///
    /// # Panics
    /// If the size of the memory is not a power of two in [`SRAM_BYTES`], or positions in the map are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        let bytes = facts.sink.sram();
        assert!(
            SRAM_BYTES.contains(&bytes) && bytes.is_power_of_two(),
            "sram = {bytes} is no power of two in {SRAM_BYTES:?}"
        );
        for (reg, field, lsb) in POSITIONS {
            assert_eq!(register(reg).field(field).lsb, lsb, "{reg}.{field}");
        }
        let words = bytes / 4;
        let at = |name| Fixed::of(register(name).offset / 4);
        let word = |name| Fixed::<Bits<32>>::of(register(name).reset(facts));
        Self {
            memory: Mem::new(words.trailing_zeros() as usize, 32),
            last: Fixed::of(words - 1),
            one: Fixed::of(1u8),
            yes: Fixed::new(true),
            control_word: word("ram_control"),
            impl_word: word("ram_impl"),
            limit_word: word("ram_limit_low"),
            control_at: at("ram_control"),
            impl_at: at("ram_impl"),
            limit_at: at("ram_limit_low"),
            wp_at: at("ram_wp_low"),
            rp_at: at("ram_rp_low"),
            data_at: at("ram_data"),
            ..Default::default()
        }
    }
}

impl Logic for RamSink {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, enable, stop_on_wrap, wp, wrap, rp, read_data, of_memory);
        clock!(self, clock, memory);

        // a word that arrives while the sink is not enabled is discarded: an encoder can always be disabled
        self.words.ready.next = self.yes.val();
        self.stores.next = self.words.valid.val() & self.enable.q.val();
        self.fills.next = self.stores.val() & (self.wp.q.val() == self.last.val());
        self.stops.next = self.fills.val() & self.stop_on_wrap.q.val();
        self.memory.we.next = self.stores.val();
        self.memory.waddr.next = self.wp.q.val();
        self.memory.wdata.next = self.words.data.val();
        self.memory.raddr.next = self.rp.q.val();
        if self.stores.val() {
            self.wp.d.next = self.wp.q.val() + self.one.val();
        }
        if self.fills.val() {
            self.wp.d.next = 0.into();
            self.wrap.d.next = true;
        }
        if self.stops.val() {
            self.enable.d.next = false;
        }

        // registers
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.at_data.next = (self.bus.addr.val() == self.data_at.val()) & !self.enable.q.val();
        if self.read.val() & self.at_data.val() {
            self.rp.d.next = (self.rp.q.val() + self.one.val()) & self.last.val();
        }
        if self.bus.write.val() & self.at_control.val() {
            if self.active.q.val() {
                self.enable.d.next = self.bus.wdata.val().get_bit(1) & !self.stops.val();
                self.stop_on_wrap.d.next = self.bus.wdata.val().get_bit(8);
            }
            self.active.d.next = self.bus.wdata.val().get_bit(0);
        }
        self.sets.next = self.bus.write.val() & !self.enable.q.val();
        self.pointer.next = self.bus.wdata.val().get_bits::<A>(2) & self.last.val();
        if self.sets.val() & (self.bus.addr.val() == self.wp_at.val()) {
            self.wp.d.next = self.pointer.val();
            self.wrap.d.next = false;
        }
        if self.sets.val() & (self.bus.addr.val() == self.rp_at.val()) {
            self.rp.d.next = self.pointer.val();
        }

        self.control.next = self.control_word.val();
        if self.active.q.val() {
            self.control.next = self.control.val() | (bit_cast::<32, 1>(self.active.q.val().into()));
        }
        if self.enable.q.val() {
            self.control.next = self.control.val() | (bit_cast::<32, 1>(self.enable.q.val().into()) << 1);
        }
        if self.stop_on_wrap.q.val() {
            self.control.next = self.control.val() | (bit_cast::<32, 1>(self.stop_on_wrap.q.val().into()) << 8);
        }
        self.read_data.d.next = self.zero.val();
        if self.at_control.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.impl_at.val() {
            self.read_data.d.next = self.impl_word.val();
        }
        if self.bus.addr.val() == self.limit_at.val() {
            self.read_data.d.next = self.limit_word.val();
        }
        if self.bus.addr.val() == self.wp_at.val() {
            self.read_data.d.next =
                (bit_cast::<32, A>(self.wp.q.val()) << 2) | bit_cast::<32, 1>(self.wrap.q.val().into());
        }
        if self.bus.addr.val() == self.rp_at.val() {
            self.read_data.d.next = bit_cast::<32, A>(self.rp.q.val()) << 2;
        }
        self.of_memory.d.next = self.at_data.val();
        self.bus.rdata.next = self.read_data.q.val();
        if self.of_memory.q.val() {
            self.bus.rdata.next = self.memory.rdata.val();
        }

        if self.reset.val() {
            self.active.d.next = false;
            self.of_memory.d.next = false;
        }
        // inactive, or made inactive
        if self.reset.val()
            | !self.active.q.val()
            | (self.bus.write.val() & self.at_control.val() & !self.bus.wdata.val().get_bit(0))
        {
            self.enable.d.next = false;
            self.stop_on_wrap.d.next = false;
            self.wp.d.next = 0.into();
            self.wrap.d.next = false;
            self.rp.d.next = 0.into();
        }
    }
}
