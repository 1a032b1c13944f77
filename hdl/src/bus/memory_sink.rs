//! RAM sink in system memory: the memory port with the registers of the RISC-V Trace Control Interface
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Trace RAM Sink"; registers and fields are those of [`sim::tci::memory_map`]. The channels are those of
//! [`super::memory`], which is inside.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `words` | in | | trace words |
//! | `aw..`, `w..`, `b..` | | | as those of [`super::memory::MemoryPort`] |
//! | `irq` | out | 1 | an event of `goshawk_ram_events` is 1 |
//!
//! # Timing
//! One access per cycle; `bus.rdata` follows `bus.addr` by one cycle. The registers are programmed into the port in at most six cycles after
//! the write that enables the sink, in which words have to wait. State of the port is up to six cycles old. While the sink is not enabled, it takes a word in
//! each cycle and discards it.
//!
//! Golden model: [`sim::tci::memory_sink`].

use super::memory::MemoryPort;
use super::MapIn;
use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::regs::{ADDR_BITS, MEMORY_REGS};
use sim::tci::memory_map::register;
use sim::tci::Facts;

/// A RAM sink that writes to system memory.
#[derive(LogicBlock, Default)]
pub struct MemorySink {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub words: WordsIn,
    pub awid: Signal<Out, Bit>,
    pub awaddr: Signal<Out, Bits<32>>,
    pub awlen: Signal<Out, Bits<8>>,
    pub awsize: Signal<Out, Bits<3>>,
    pub awburst: Signal<Out, Bits<2>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<32>>,
    pub wstrb: Signal<Out, Bits<4>>,
    pub wlast: Signal<Out, Bit>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bid: Signal<In, Bit>,
    pub bresp: Signal<In, Bits<2>>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,
    pub irq: Signal<Out, Bit>,
    port: MemoryPort,
    // trRamControl; `leaving`: inactive when the last burst is complete
    active: DFF<Bit>,
    leaving: DFF<Bit>,
    enable: DFF<Bit>,
    stop_on_wrap: DFF<Bit>,
    // trRamStart, trRamLimit
    start: DFF<Bits<30>>,
    limit: DFF<Bits<30>>,
    // to be cleared in the port: its pointer, its events
    moved: DFF<Bit>,
    clear: DFF<Bits<3>>,
    // the next write that enables the port; it was enabled, and has not stopped; it may be running
    step: DFF<Bits<2>>,
    on: DFF<Bit>,
    running: DFF<Bit>,
    // what was read from the port
    offset: DFF<Bits<30>>,
    wrap: DFF<Bit>,
    events: DFF<Bits<3>>,
    response: DFF<Bits<2>>,
    // the register to poll next; whether a value comes now, and of which register
    poll_step: DFF<Bits<2>>,
    asked: DFF<Bit>,
    polled: DFF<Bits<2>>,
    read_data: DFF<Bits<32>>,
    starts: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    size: Signal<Local, Bits<30>>,
    pointer: Signal<Local, Bits<30>>,
    sane: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    stop_bit: Signal<Local, Bits<32>>,
    value: Signal<Local, Bits<32>>,
    at_control: Signal<Local, Bit>,
    at_start: Signal<Local, Bit>,
    at_limit: Signal<Local, Bit>,
    at_pointer: Signal<Local, Bit>,
    at_events: Signal<Local, Bit>,
    places: Signal<Local, Bit>,
    off: Signal<Local, Bit>,
    control: Signal<Local, Bits<32>>,
    one_2: Fixed<Bits<2>>,
    two: Fixed<Bits<2>>,
    three: Fixed<Bits<2>>,
    one_30: Fixed<Bits<30>>,
    one_32: Fixed<Bits<32>>,
    all_events: Fixed<Bits<3>>,
    control_word: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    zero: Fixed<Bits<32>>,
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
    start_at: Fixed<Bits<10>>,
    limit_at: Fixed<Bits<10>>,
    wp_at: Fixed<Bits<10>>,
    events_at: Fixed<Bits<10>>,
    // addresses in the port
    to_base: Fixed<Bits<3>>,
    to_size: Fixed<Bits<3>>,
    to_control: Fixed<Bits<3>>,
    to_status: Fixed<Bits<3>>,
    to_interrupt: Fixed<Bits<3>>,
    to_pointer: Fixed<Bits<3>>,
    to_wraps: Fixed<Bits<3>>,
}

/// Positions that the kernel has as numbers: register, field, lowest bit.
const POSITIONS: [(&str, &str, u8); 11] = [
    ("ram_control", "active", 0),
    ("ram_control", "enable", 1),
    ("ram_control", "empty", 3),
    ("ram_control", "stop_on_wrap", 8),
    ("ram_start_low", "start", 2),
    ("ram_limit_low", "limit", 2),
    ("ram_wp_low", "wrap", 0),
    ("ram_wp_low", "wp", 2),
    ("goshawk_ram_events", "full", 1),
    ("goshawk_ram_events", "error", 2),
    ("goshawk_ram_events", "response", 4),
];

impl MemorySink {
    /// The RAM sink of a system with these properties.
    ///
    /// # Panics
    /// If positions in the map are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        for (reg, field, lsb) in POSITIONS {
            assert_eq!(register(reg).field(field).lsb, lsb, "{reg}.{field}");
        }
        assert_eq!(ADDR_BITS, 3, "the port has as many addresses");
        let at = |name| Fixed::of(register(name).offset / 4);
        let to = |name: &str| {
            let of_port = MEMORY_REGS.iter().find(|r| r.name == name);
            Fixed::of(of_port.unwrap_or_else(|| panic!("the port has no register `{name}`")).addr - MEMORY_REGS[0].addr)
        };
        let empty = register("ram_control").field("empty").mask();
        Self {
            port: MemoryPort::of_sink(),
            one_2: Fixed::of(1u8),
            two: Fixed::of(2u8),
            three: Fixed::of(3u8),
            one_30: Fixed::of(1u8),
            one_32: Fixed::of(1u8),
            all_events: Fixed::of(6u8),
            control_word: Fixed::of(register("ram_control").reset(facts) & !empty),
            impl_word: Fixed::of(register("ram_impl").reset(facts)),
            control_at: at("ram_control"),
            impl_at: at("ram_impl"),
            start_at: at("ram_start_low"),
            limit_at: at("ram_limit_low"),
            wp_at: at("ram_wp_low"),
            events_at: at("goshawk_ram_events"),
            to_base: to("memory_base"),
            to_size: to("memory_size"),
            to_control: to("memory_control"),
            to_status: to("memory_status"),
            to_interrupt: to("memory_interrupt"),
            to_pointer: to("memory_pointer"),
            to_wraps: to("memory_wraps"),
            ..Default::default()
        }
    }
}

impl Logic for MemorySink {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, leaving, enable, stop_on_wrap, start, limit, moved, clear, step, on, running);
        dff_setup!(self, clock, offset, wrap, events, response, poll_step, asked, polled, read_data);
        self.port.clock.next = self.clock.val();
        self.port.reset.next = self.reset.val();

        self.starts.next = self.enable.q.val() & !self.on.q.val();
        self.idle.next = !self.enable.q.val() & !self.on.q.val() & !self.running.q.val();
        self.size.next = self.limit.q.val() - self.start.q.val() + self.one_30.val();
        self.pointer.next = self.start.q.val() + self.offset.q.val();
        self.sane.next = (self.limit.q.val() >= self.start.q.val()) & self.size.val().any();

        // words wait until the port is enabled
        WordsIn::link(&mut self.words, &mut self.port.words);
        self.port.hold[0].next = self.starts.val();

        // what was polled in the cycle before
        self.value.next = self.port.bus.rdata.val();
        self.stopped.next = false;
        if self.asked.q.val() & !self.polled.q.val().any() {
            self.response.d.next = self.value.val().get_bits::<2>(4);
            if !self.value.val().get_bit(0) {
                self.running.d.next = false;
                if self.on.q.val() {
                    self.stopped.next = true;
                    self.on.d.next = false;
                    self.enable.d.next = false;
                }
            }
        }
        if self.asked.q.val() & (self.polled.q.val() == self.one_2.val()) & !self.moved.q.val() {
            self.offset.d.next = self.value.val().get_bits::<30>(2);
        }
        if self.asked.q.val() & (self.polled.q.val() == self.two.val()) & !self.moved.q.val() {
            self.wrap.d.next = self.value.val().any();
        }
        if self.asked.q.val() & (self.polled.q.val() == self.three.val()) & !self.clear.q.val().any() {
            self.events.d.next = self.value.val().get_bits::<3>(0) & self.all_events.val();
        }

        // one access to the port
        self.stop_bit.next = self.zero.val();
        if self.stop_on_wrap.q.val() {
            self.stop_bit.next = self.one_32.val() << 1;
        }
        self.asked.d.next = false;
        if !self.enable.q.val() {
            self.step.d.next = 0.into();
        }
        self.port.bus.write.next = true;
        self.port.bus.addr.next = self.to_pointer.val();
        self.port.bus.wdata.next = self.zero.val();
        if self.moved.q.val() {
            self.moved.d.next = false;
        } else if self.clear.q.val().any() {
            self.clear.d.next = 0.into();
            self.port.bus.addr.next = self.to_interrupt.val();
            self.port.bus.wdata.next = bit_cast::<32, 3>(self.clear.q.val());
        } else if self.on.q.val() & !self.enable.q.val() {
            self.on.d.next = false;
            self.port.bus.addr.next = self.to_control.val();
            self.port.bus.wdata.next = self.stop_bit.val();
        } else if self.starts.val() & !self.running.q.val() {
            self.step.d.next = self.step.q.val() + self.one_2.val();
            if self.step.q.val() == self.two.val() {
                self.step.d.next = 0.into();
                self.on.d.next = true;
                self.running.d.next = true;
                self.port.bus.addr.next = self.to_control.val();
                self.port.bus.wdata.next = self.stop_bit.val() | self.one_32.val();
            } else if self.step.q.val().any() {
                self.port.bus.addr.next = self.to_size.val();
                self.port.bus.wdata.next = bit_cast::<32, 30>(self.size.val()) << 2;
            } else {
                self.port.bus.addr.next = self.to_base.val();
                self.port.bus.wdata.next = bit_cast::<32, 30>(self.start.q.val()) << 2;
            }
        } else {
            self.port.bus.write.next = false;
            self.asked.d.next = true;
            self.polled.d.next = self.poll_step.q.val();
            self.poll_step.d.next = self.poll_step.q.val() + self.one_2.val();
            self.port.bus.addr.next = self.to_status.val();
            if self.poll_step.q.val() == self.one_2.val() {
                self.port.bus.addr.next = self.to_pointer.val();
            }
            if self.poll_step.q.val() == self.two.val() {
                self.port.bus.addr.next = self.to_wraps.val();
            }
            if self.poll_step.q.val() == self.three.val() {
                self.port.bus.addr.next = self.to_interrupt.val();
            }
        }

        // register writes
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.at_start.next = self.bus.addr.val() == self.start_at.val();
        self.at_limit.next = self.bus.addr.val() == self.limit_at.val();
        self.at_pointer.next = self.bus.addr.val() == self.wp_at.val();
        self.at_events.next = self.bus.addr.val() == self.events_at.val();
        if self.bus.write.val() & self.at_control.val() {
            if self.active.q.val() & !self.leaving.q.val() {
                self.enable.d.next = self.bus.wdata.val().get_bit(1)
                    & self.bus.wdata.val().get_bit(0)
                    & self.sane.val()
                    & !self.stopped.val();
                self.leaving.d.next = !self.bus.wdata.val().get_bit(0);
                if self.idle.val() {
                    self.stop_on_wrap.d.next = self.bus.wdata.val().get_bit(8);
                }
            }
            if self.bus.wdata.val().get_bit(0) {
                self.active.d.next = true;
            }
        }
        self.places.next = self.bus.write.val() & self.active.q.val() & self.idle.val();
        if self.places.val() & self.at_start.val() {
            self.start.d.next = self.bus.wdata.val().get_bits::<30>(2);
        }
        if self.places.val() & self.at_limit.val() {
            self.limit.d.next = self.bus.wdata.val().get_bits::<30>(2);
        }
        if self.places.val() & (self.at_start.val() | self.at_limit.val() | self.at_pointer.val()) {
            self.moved.d.next = true;
            self.offset.d.next = 0.into();
            self.wrap.d.next = false;
        }
        if self.bus.write.val() & self.at_events.val() {
            // bits that were sent in this cycle are no longer wanted
            self.clear.d.next = self.bus.wdata.val().get_bits::<3>(0) & self.all_events.val();
            if self.moved.q.val() {
                self.clear.d.next =
                    self.clear.q.val() | (self.bus.wdata.val().get_bits::<3>(0) & self.all_events.val());
            }
        }

        // register reads
        self.control.next = self.control_word.val();
        if self.active.q.val() {
            self.control.next = self.control.val() | self.one_32.val();
        }
        if self.enable.q.val() {
            self.control.next = self.control.val() | (self.one_32.val() << 1);
        }
        if !self.on.q.val() & !self.running.q.val() {
            self.control.next = self.control.val() | (self.one_32.val() << 3);
        }
        if self.stop_on_wrap.q.val() {
            self.control.next = self.control.val() | (self.one_32.val() << 8);
        }
        self.read_data.d.next = self.zero.val();
        if self.at_control.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.impl_at.val() {
            self.read_data.d.next = self.impl_word.val();
        }
        if self.at_start.val() {
            self.read_data.d.next = bit_cast::<32, 30>(self.start.q.val()) << 2;
        }
        if self.at_limit.val() {
            self.read_data.d.next = bit_cast::<32, 30>(self.limit.q.val()) << 2;
        }
        if self.at_pointer.val() {
            self.read_data.d.next =
                (bit_cast::<32, 30>(self.pointer.val()) << 2) | bit_cast::<32, 1>(self.wrap.q.val().into());
        }
        if self.at_events.val() {
            self.read_data.d.next = bit_cast::<32, 3>(self.events.q.val());
            if self.events.q.val().get_bit(2) {
                self.read_data.d.next =
                    bit_cast::<32, 3>(self.events.q.val()) | (bit_cast::<32, 2>(self.response.q.val()) << 4);
            }
        }
        self.bus.rdata.next = self.read_data.q.val();

        // the channels
        self.awid.next = self.port.awid.val();
        self.awaddr.next = self.port.awaddr.val();
        self.awlen.next = self.port.awlen.val();
        self.awsize.next = self.port.awsize.val();
        self.awburst.next = self.port.awburst.val();
        self.awvalid.next = self.port.awvalid.val();
        self.port.awready.next = self.awready.val();
        self.wdata.next = self.port.wdata.val();
        self.wstrb.next = self.port.wstrb.val();
        self.wlast.next = self.port.wlast.val();
        self.wvalid.next = self.port.wvalid.val();
        self.port.wready.next = self.wready.val();
        self.port.bid.next = self.bid.val();
        self.port.bresp.next = self.bresp.val();
        self.port.bvalid.next = self.bvalid.val();
        self.bready.next = self.port.bready.val();
        self.irq.next = self.port.irq.val() & self.active.q.val();

        // inactive, or made inactive
        self.off.next =
            !self.active.q.val() & !(self.bus.write.val() & self.at_control.val() & self.bus.wdata.val().get_bit(0));
        if self.leaving.q.val() & self.idle.val() {
            self.off.next = true;
        }
        if self.reset.val() {
            self.off.next = true;
            self.on.d.next = false;
            self.running.d.next = false;
            self.asked.d.next = false;
            self.poll_step.d.next = 0.into();
        }
        if self.off.val() {
            self.active.d.next = false;
            self.leaving.d.next = false;
            self.enable.d.next = false;
            self.stop_on_wrap.d.next = false;
            self.start.d.next = 0.into();
            self.limit.d.next = 0.into();
            self.moved.d.next = true;
            self.clear.d.next = self.all_events.val();
            self.events.d.next = 0.into();
            self.offset.d.next = 0.into();
            self.wrap.d.next = false;
            self.step.d.next = 0.into();
            self.response.d.next = 0.into();
        }
    }
}
