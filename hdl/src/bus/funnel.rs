//! Trace funnel: the messages of several encoders, in one stream of words
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace Funnel", "Timestamp Unit"; registers and fields are those of [`sim::tci::funnel_map`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up, and the next byte of each input is the first of a message |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `words[i]` | in | 32 | words of encoder i |
//! | `out` | out | 32 | words of all |
//! | `halted[i]` | in | 1 | with a time stamp unit and an ingress that reports it: core i is in debug mode |
//! | `time[0]`, `time_enable[0]` | out | 32, 1 | with a time stamp unit: its counter; messages have a time |
//!
//! # Timing
//! One access per cycle; `bus.rdata` follows `bus.addr` by one cycle. One byte per cycle leaves, and one comes in at each input while
//! there is space. The first byte of a message is in the next word three cycles after its last one came, if no other message is before it.
//! `out` comes from registers.
//!
//! Golden model: [`sim::tci::funnel`].

use super::messages::Messages;
use super::time_unit::TimeUnit;
use super::MapIn;
use crate::spine::ports::{WordsIn, WordsOut};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::regs::RegAccess;
use sim::tci::funnel_map::register;
use sim::tci::messages::Framing;
use sim::tci::{Facts, INPUTS};

/// A trace funnel.
#[derive(LogicBlock, Default)]
pub struct Funnel {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub words: Vec<WordsIn>,
    pub out: WordsOut,
    pub halted: Vec<Signal<In, Bit>>,
    pub time: Vec<Signal<Out, Bits<32>>>,
    pub time_enable: Vec<Signal<Out, Bit>>,
    _inputs: usize,
    _halts: usize,
    _times: usize,
    messages: Vec<Messages>,
    time_unit: TimeUnit,
    // registers
    active: DFF<Bit>,
    enable: DFF<Bit>,
    disabled: DFF<Bits<16>>,
    read_data: DFF<Bits<32>>,
    // the input of the last message, and whether more bytes of it follow
    served: DFF<Bits<4>>,
    partway: DFF<Bit>,
    // bytes of the next word, and how many there are
    first: DFF<Bits<8>>,
    second: DFF<Bits<8>>,
    third: DFF<Bits<8>>,
    count: DFF<Bits<2>>,
    have: DFF<Bit>,
    word: DFF<Bits<32>>,
    quiet: Signal<Local, Bit>,
    empty: Signal<Local, Bit>,
    // inputs with a byte: the lowest, and the lowest after the last one
    has_low: Signal<Local, Bit>,
    has_next: Signal<Local, Bit>,
    // the inputs after the last one
    beyond: Signal<Local, Bit>,
    low: Signal<Local, Bits<4>>,
    next_one: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<4>>,
    there: Signal<Local, Bit>,
    octet: Signal<Local, Bits<8>>,
    last: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    filled: Signal<Local, Bits<32>>,
    at_control: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    control: Signal<Local, Bits<32>>,
    all_halted: Signal<Local, Bit>,
    has_unit: Fixed<Bit>,
    idle: Fixed<Bits<8>>,
    inputs: Fixed<Bits<16>>,
    one: Fixed<Bits<2>>,
    two: Fixed<Bits<2>>,
    zero: Fixed<Bits<32>>,
    active_bit: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    times_word: Fixed<Bits<32>>,
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
    disabled_at: Fixed<Bits<10>>,
    times_at: Fixed<Bits<10>>,
    counter_at: Fixed<Bits<10>>,
}

/// Positions that the kernel has as numbers: register, field, lowest bit.
const POSITIONS: [(&str, &str, u8); 5] = [
    ("funnel_control", "active", 0),
    ("funnel_control", "enable", 1),
    ("funnel_control", "empty", 3),
    ("funnel_dis_input", "dis_input", 0),
    ("funnel_ts_control", "active", 0),
];

impl Funnel {
    /// The funnel of a system with these properties.
    ///
    /// # Panics
    /// If positions in the map are not those of the circuit, or there are too few or too many inputs.
    pub fn new(facts: &Facts) -> Self {
        for (reg, field, lsb) in POSITIONS {
            assert_eq!(register(reg).field(field).lsb, lsb, "{reg}.{field}");
        }
        assert!(INPUTS.contains(&facts.funnel), "{} inputs", facts.funnel);
        let inputs = usize::from(facts.funnel);
        let at = |name| Fixed::of(register(name).offset / 4);
        let framing = Framing::of(facts);
        let times = register("funnel_ts_control");
        // fields that software writes are those of the unit
        let fixed = times.fields.iter().filter(|f| f.access_in(facts) == RegAccess::Ro);
        Self {
            words: each(inputs),
            halted: each(if facts.shared_time() && facts.debug { inputs } else { 0 }),
            time: each(facts.shared_time().into()),
            time_enable: each(facts.shared_time().into()),
            _inputs: inputs,
            _halts: if facts.shared_time() && facts.debug { inputs } else { 0 },
            _times: facts.shared_time().into(),
            messages: (0..inputs).map(|_| Messages::new(framing)).collect(),
            time_unit: when(facts.shared_time(), || TimeUnit::new(&facts.as_unit())),
            has_unit: Fixed::new(facts.shared_time()),
            idle: Fixed::of(framing.idle().unwrap_or(0)),
            inputs: Fixed::of((1u32 << inputs) - 1),
            one: Fixed::of(1u8),
            two: Fixed::of(2u8),
            active_bit: Fixed::of(1u8),
            impl_word: Fixed::of(register("funnel_impl").reset(facts)),
            times_word: Fixed::of(fixed.fold(0, |word, f| word | f.reset_in(facts) << f.lsb)),
            control_at: at("funnel_control"),
            impl_at: at("funnel_impl"),
            disabled_at: at("funnel_dis_input"),
            times_at: at("funnel_ts_control"),
            counter_at: at("funnel_ts_counter_low"),
            ..Default::default()
        }
    }
}

impl Logic for Funnel {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, enable, disabled, read_data, served, partway);
        dff_setup!(self, clock, first, second, third, count, have, word);
        clock!(self, clock, time_unit);

        // the input whose byte is next
        self.quiet.next = !self.partway.q.val();
        self.has_low.next = false;
        self.has_next.next = false;
        self.beyond.next = false;
        self.low.next = 0.into();
        self.next_one.next = 0.into();
        for i in 0..self._inputs {
            self.messages[i].clock.next = self.clock.val();
            self.messages[i].reset.next = self.reset.val();
            self.messages[i].clear.next = false;
            self.messages[i].hold.next = false;
            self.messages[i].store.next = self.enable.q.val() & !self.disabled.q.val().get_bit(i);
            WordsIn::link(&mut self.words[i], &mut self.messages[i].words);
            if !self.messages[i].empty.val() {
                self.quiet.next = false;
            }
            if self.messages[i].valid.val() {
                if !self.has_low.val() {
                    self.low.next = i.to_bits();
                }
                self.has_low.next = true;
                if self.beyond.val() & !self.has_next.val() {
                    self.next_one.next = i.to_bits();
                    self.has_next.next = true;
                }
            }
            if self.served.q.val() == i.to_bits() {
                self.beyond.next = true;
            }
        }
        self.chosen.next = self.low.val();
        if self.has_next.val() {
            self.chosen.next = self.next_one.val();
        }
        if self.partway.q.val() {
            self.chosen.next = self.served.q.val();
        }
        self.there.next = false;
        self.octet.next = 0.into();
        self.last.next = false;
        for j in 0..self._inputs {
            if self.chosen.val() == j.to_bits() {
                self.there.next = self.messages[j].valid.val();
                self.octet.next = self.messages[j].head.val();
                self.last.next = self.messages[j].last.val();
            }
        }

        // the byte into the next word
        self.fits.next = !self.have.q.val() | self.out.ready.val();
        self.passes.next = self.there.val() & (self.fits.val() | !self.count.q.val().all());
        for k in 0..self._inputs {
            self.messages[k].take.next = false;
            if self.chosen.val() == k.to_bits() {
                self.messages[k].take.next = self.passes.val();
            }
        }
        if self.out.ready.val() {
            self.have.d.next = false;
        }
        self.fills.next = !self.enable.q.val() & self.quiet.val() & self.count.q.val().any() & self.fits.val();
        self.filled.next = bit_cast::<32, 8>(self.first.q.val())
            | (bit_cast::<32, 8>(self.idle.val()) << 8)
            | (bit_cast::<32, 8>(self.idle.val()) << 16)
            | (bit_cast::<32, 8>(self.idle.val()) << 24);
        if self.count.q.val() == self.two.val() {
            self.filled.next = bit_cast::<32, 8>(self.first.q.val())
                | (bit_cast::<32, 8>(self.second.q.val()) << 8)
                | (bit_cast::<32, 8>(self.idle.val()) << 16)
                | (bit_cast::<32, 8>(self.idle.val()) << 24);
        }
        if self.count.q.val().all() {
            self.filled.next = bit_cast::<32, 8>(self.first.q.val())
                | (bit_cast::<32, 8>(self.second.q.val()) << 8)
                | (bit_cast::<32, 8>(self.third.q.val()) << 16)
                | (bit_cast::<32, 8>(self.idle.val()) << 24);
            if self.there.val() {
                self.filled.next = bit_cast::<32, 8>(self.first.q.val())
                    | (bit_cast::<32, 8>(self.second.q.val()) << 8)
                    | (bit_cast::<32, 8>(self.third.q.val()) << 16)
                    | (bit_cast::<32, 8>(self.octet.val()) << 24);
            }
        }
        if self.passes.val() {
            self.served.d.next = self.chosen.val();
            self.partway.d.next = !self.last.val();
            self.count.d.next = self.count.q.val() + self.one.val();
            if !self.count.q.val().any() {
                self.first.d.next = self.octet.val();
            }
            if self.count.q.val() == self.one.val() {
                self.second.d.next = self.octet.val();
            }
            if self.count.q.val() == self.two.val() {
                self.third.d.next = self.octet.val();
            }
        }
        if self.fills.val() {
            self.count.d.next = 0.into();
        }
        if self.fills.val() | (self.passes.val() & self.count.q.val().all()) {
            self.have.d.next = true;
            self.word.d.next = self.filled.val();
        }
        self.out.valid.next = self.have.q.val();
        self.out.data.next = self.word.q.val();
        self.empty.next = self.quiet.val() & !self.count.q.val().any() & !self.have.q.val();

        // the time stamp unit
        self.all_halted.next = self.has_unit.val();
        for h in 0..self._halts {
            if !self.halted[h].val() {
                self.all_halted.next = false;
            }
        }
        self.time_unit.halted.next = self.all_halted.val();
        self.time_unit.clear.next = self.reset.val() | (!self.active.q.val() & self.empty.val());
        self.time_unit.write.next =
            self.bus.write.val() & self.active.q.val() & (self.bus.addr.val() == self.times_at.val());
        self.time_unit.wdata.next = self.bus.wdata.val();
        for t in 0..self._times {
            self.time[t].next = self.time_unit.counter.val();
            self.time_enable[t].next = self.time_unit.enable.val();
        }

        // registers
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.writes.next = self.bus.write.val() & self.at_control.val();
        if self.writes.val() {
            if self.active.q.val() {
                self.enable.d.next = self.bus.wdata.val().get_bit(1);
            }
            self.active.d.next = self.bus.wdata.val().get_bit(0);
        }
        if self.bus.write.val() & self.active.q.val() & (self.bus.addr.val() == self.disabled_at.val()) {
            self.disabled.d.next = self.bus.wdata.val().get_bits::<16>(0) & self.inputs.val();
        }
        self.control.next =
            (bit_cast::<32, 1>(self.enable.q.val().into()) << 1) | (bit_cast::<32, 1>(self.empty.val().into()) << 3);
        if self.active.q.val() | !self.empty.val() {
            self.control.next = self.control.val() | self.active_bit.val();
        }
        self.read_data.d.next = self.zero.val();
        if self.at_control.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.impl_at.val() {
            self.read_data.d.next = self.impl_word.val();
        }
        if self.bus.addr.val() == self.disabled_at.val() {
            self.read_data.d.next = bit_cast::<32, 16>(self.disabled.q.val());
        }
        if self.has_unit.val() {
            if self.bus.addr.val() == self.times_at.val() {
                self.read_data.d.next = self.times_word.val() | self.time_unit.word.val();
                if self.active.q.val() | !self.empty.val() {
                    self.read_data.d.next = self.times_word.val() | self.time_unit.word.val() | self.active_bit.val();
                }
            }
            if self.bus.addr.val() == self.counter_at.val() {
                self.read_data.d.next = self.time_unit.counter.val();
            }
        }
        self.bus.rdata.next = self.read_data.q.val();

        if self.reset.val() {
            self.active.d.next = false;
            self.served.d.next = 0.into();
            self.partway.d.next = false;
            self.count.d.next = 0.into();
            self.have.d.next = false;
        }
        // inactive, or made inactive
        if self.reset.val() | !self.active.q.val() | (self.writes.val() & !self.bus.wdata.val().get_bit(0)) {
            self.enable.d.next = false;
            self.disabled.d.next = 0.into();
        }
    }
}
