//! Memory port: writes trace words to a range of system memory, as an AMBA AXI4 manager
//!
//! # Source
//! ARM IHI 0022 (AXI4): A3.2, handshakes; A3.4.1, bursts; A3.4.4, responses.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: returns to the state at power-up |
//! | `bus` | in | | register bus, the registers of [`sim::regs::MEMORY_REGS`] |
//! | `words` | in | | trace words |
//! | `awid`, `awaddr`, `awlen`, `awsize`, `awburst`, `awvalid`, `awready` | out, .., in | 1, 32, 8, 3, 2, 1, 1 | address of a burst: identifier 0, INCR, 4 bytes per beat |
//! | `wdata`, `wstrb`, `wlast`, `wvalid`, `wready` | out, .., in | 32, 4, 1, 1, 1 | its words, all bytes valid; 0 if there is none |
//! | `bid`, `bresp`, `bvalid`, `bready` | in, .., out | 1, 2, 1, 1 | its response; `bid` is ignored |
//! | `hold[0]` | in | 1 | only in a memory sink: 1: words have to wait |
//! | `irq` | out | 1 | a bit of `memory_interrupt` is 1 |
//!
//! # Timing
//! One burst at a time; without stalls, a burst of n words takes n + 4 cycles. Words arrive at most every fourth cycle.
//! The address comes from registers that are set when the burst begins. `words.ready`, `awvalid`, `wvalid` and `bready`
//! are registered. There is a path from `wready` to the read address of the memory.
//!
//! Golden model: [`sim::memory_port`].

use crate::spine::ports::{BusIn, WordsIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::memory_port::{BURST, FIFO_DEPTH, FLUSH_CYCLES, PAGE};
use sim::regs::{Reg, MEMORY_REGS};

/// An AXI4 write port for trace words.
#[derive(LogicBlock, Default)]
pub struct MemoryPort {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: BusIn,
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
    pub hold: Vec<Signal<In, Bit>>,
    pub irq: Signal<Out, Bit>,
    _holds: usize,
    // the range, how it is written, and its state
    base: DFF<Bits<30>>,
    size: DFF<Bits<30>>,
    mark: DFF<Bits<30>>,
    stop: DFF<Bit>,
    discard: DFF<Bit>,
    running: DFF<Bit>,
    closing: DFF<Bit>,
    response: DFF<Bits<2>>,
    flags: DFF<Bits<3>>,
    offset: DFF<Bits<30>>,
    wraps: DFF<Bits<32>>,
    since: DFF<Bits<30>>,
    // queued words, and cycles without a new one
    queue: Mem<5, 32>,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    held: DFF<Bits<6>>,
    idle_cycles: DFF<Bits<7>>,
    // limits of the next burst, valid one cycle later
    settled: DFF<Bit>,
    limit: DFF<Bits<5>>,
    // the burst in progress: what it still has to do
    addressing: DFF<Bit>,
    sending: DFF<Bit>,
    answering: DFF<Bit>,
    address: DFF<Bits<30>>,
    length: DFF<Bits<5>>,
    left: DFF<Bits<5>>,
    read_data: DFF<Bits<32>>,
    open: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    write: Signal<Local, Bit>,
    enable: Signal<Local, Bit>,
    keep: Signal<Local, Bits<3>>,
    clear: Signal<Local, Bits<3>>,
    raise: Signal<Local, Bits<3>>,
    on: Signal<Local, Bit>,
    word_address: Signal<Local, Bits<30>>,
    border: Signal<Local, Bits<11>>,
    rest: Signal<Local, Bits<30>>,
    most_now: Signal<Local, Bits<5>>,
    waits: Signal<Local, Bit>,
    now: Signal<Local, Bits<5>>,
    enough: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    // stable long before the response of a burst
    at_end: DFF<Bit>,
    at_mark: DFF<Bit>,
    then: Signal<Local, Bits<30>>,
    total: Signal<Local, Bits<30>>,
    beats: Signal<Local, Bits<8>>,
    halt: Signal<Local, Bit>,
    base_addr: Fixed<Bits<3>>,
    size_addr: Fixed<Bits<3>>,
    control_addr: Fixed<Bits<3>>,
    status_addr: Fixed<Bits<3>>,
    interrupt_addr: Fixed<Bits<3>>,
    pointer_addr: Fixed<Bits<3>>,
    wraps_addr: Fixed<Bits<3>>,
    mark_addr: Fixed<Bits<3>>,
    most: Fixed<Bits<5>>,
    page: Fixed<Bits<11>>,
    depth: Fixed<Bits<6>>,
    one_5: Fixed<Bits<5>>,
    one_6: Fixed<Bits<6>>,
    one_7: Fixed<Bits<7>>,
    one_8: Fixed<Bits<8>>,
    one_32: Fixed<Bits<32>>,
    word: Fixed<Bits<3>>,
    incr: Fixed<Bits<2>>,
    bytes: Fixed<Bits<4>>,
    marked: Fixed<Bits<3>>,
    full: Fixed<Bits<3>>,
    error: Fixed<Bits<3>>,
    // part of a memory sink
    of_sink: Fixed<Bit>,
}

/// The register named `name`.
fn register(name: &str) -> &'static Reg {
    MEMORY_REGS.iter().find(|r| r.name == name).unwrap_or_else(|| panic!("sim::regs has no register `{name}`"))
}

/// The address of a register on `bus`.
fn addr(name: &str) -> Fixed<Bits<3>> {
    Fixed::of(register(name).addr - MEMORY_REGS[0].addr)
}

/// The lowest bit of a field.
fn lsb(reg: &str, field: &str) -> u8 {
    let of = register(reg).fields.iter().find(|f| f.name == field);
    of.unwrap_or_else(|| panic!("register `{reg}` has no field `{field}`")).lsb
}

impl MemoryPort {
    /// A port that is not running.
    ///
    /// # Panics
    /// If a register field is not where the circuit expects it.
    pub fn new() -> Self {
        Self::with(false)
    }

    /// The port inside a memory sink ([`super::memory_sink`]). It continues at the pointer when it is enabled; a write of the pointer makes it
    /// and the number of wraps 0; it discards words while it is not running.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn of_sink() -> Self {
        Self::with(true)
    }

    fn with(of_sink: bool) -> Self {
        let depth = [("control", "enable", 0), ("control", "stop", 1), ("control", "discard", 2)];
        let states = [("status", "running", 0), ("status", "response", 4)];
        let flags = [("interrupt", "watermark", 0), ("interrupt", "full", 1), ("interrupt", "error", 2)];
        for (reg, field, at) in depth.into_iter().chain(states).chain(flags) {
            assert_eq!(lsb(&format!("memory_{reg}"), field), at, "{reg}.{field}");
        }
        assert_eq!((FIFO_DEPTH, FLUSH_CYCLES), (32, 64), "widths of the queue and of the quiet clocks");
        Self {
            base_addr: addr("memory_base"),
            size_addr: addr("memory_size"),
            control_addr: addr("memory_control"),
            status_addr: addr("memory_status"),
            interrupt_addr: addr("memory_interrupt"),
            pointer_addr: addr("memory_pointer"),
            wraps_addr: addr("memory_wraps"),
            mark_addr: addr("memory_watermark"),
            most: Fixed::of(BURST),
            page: Fixed::of(PAGE),
            depth: Fixed::of(FIFO_DEPTH as u64),
            one_5: Fixed::of(1u8),
            one_6: Fixed::of(1u8),
            one_7: Fixed::of(1u8),
            one_8: Fixed::of(1u8),
            one_32: Fixed::of(1u8),
            word: Fixed::of(2u8),
            incr: Fixed::of(1u8),
            bytes: Fixed::of(15u8),
            marked: Fixed::of(1u8),
            full: Fixed::of(2u8),
            error: Fixed::of(4u8),
            of_sink: Fixed::new(of_sink),
            hold: each(usize::from(of_sink)),
            _holds: usize::from(of_sink),
            ..Default::default()
        }
    }
}

impl Logic for MemoryPort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, base, size, mark, stop, discard, running, closing, response, flags, offset, wraps, since
        );
        dff_setup!(
            self,
            clock,
            head,
            tail,
            held,
            idle_cycles,
            settled,
            limit,
            at_end,
            at_mark,
            addressing,
            sending,
            answering,
            address,
            length,
            left,
            read_data
        );
        self.queue.clock.next = self.clock.val();

        // words enter the queue, and leave it in a burst
        self.open.next = self.discard.q.val() | self.of_sink.val();
        if self.running.q.val() {
            self.open.next = !self.closing.q.val() & (self.held.q.val() != self.depth.val());
        }
        for i in 0..self._holds {
            if self.hold[i].val() {
                self.open.next = false;
            }
        }
        self.words.ready.next = self.open.val();
        self.push.next = self.words.valid.val() & self.open.val() & self.running.q.val();
        self.pop.next = self.sending.q.val() & self.wready.val();
        self.queue.we.next = self.push.val();
        self.queue.waddr.next = self.tail.q.val();
        self.queue.wdata.next = self.words.data.val();
        self.queue.raddr.next = self.head.q.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + self.one_5.val();
        }
        if self.pop.val() {
            self.queue.raddr.next = self.head.q.val() + self.one_5.val();
            self.head.d.next = self.head.q.val() + self.one_5.val();
        }
        if self.push.val() & !self.pop.val() {
            self.held.d.next = self.held.q.val() + self.one_6.val();
        }
        if self.pop.val() & !self.push.val() {
            self.held.d.next = self.held.q.val() - self.one_6.val();
        }
        if !self.idle_cycles.q.val().get_bit(6) {
            self.idle_cycles.d.next = self.idle_cycles.q.val() + self.one_7.val();
        }
        if self.words.valid.val() & self.open.val() {
            self.idle_cycles.d.next = 0.into();
        }
        if !self.running.q.val() & (self.discard.q.val() | self.of_sink.val()) {
            self.head.d.next = self.tail.q.val();
            self.held.d.next = 0.into();
        }

        // register writes, before a burst changes the registers
        self.write.next = self.bus.write.val() & !self.running.q.val();
        if self.write.val() & (self.bus.addr.val() == self.base_addr.val()) {
            self.base.d.next = self.bus.wdata.val().get_bits::<30>(2);
        }
        if self.write.val() & (self.bus.addr.val() == self.size_addr.val()) {
            self.size.d.next = self.bus.wdata.val().get_bits::<30>(2);
        }
        if self.write.val() & (self.bus.addr.val() == self.mark_addr.val()) {
            self.mark.d.next = self.bus.wdata.val().get_bits::<30>(2);
        }
        self.enable.next = false;
        if self.write.val() & (self.bus.addr.val() == self.control_addr.val()) {
            self.stop.d.next = self.bus.wdata.val().get_bit(1);
            self.discard.d.next = self.bus.wdata.val().get_bit(2);
            self.enable.next = self.bus.wdata.val().get_bit(0) & self.size.q.val().any();
        }
        if self.enable.val() {
            self.running.d.next = true;
            self.since.d.next = 0.into();
            self.response.d.next = 0.into();
            self.idle_cycles.d.next = 0.into();
        }
        if (self.enable.val() & !self.of_sink.val())
            | (self.write.val() & self.of_sink.val() & (self.bus.addr.val() == self.pointer_addr.val()))
        {
            self.offset.d.next = 0.into();
            self.wraps.d.next = 0.into();
        }
        if self.bus.write.val()
            & self.running.q.val()
            & (self.bus.addr.val() == self.control_addr.val())
            & !self.bus.wdata.val().get_bit(0)
        {
            self.closing.d.next = true;
        }
        self.clear.next = 0.into();
        if self.bus.write.val() & (self.bus.addr.val() == self.interrupt_addr.val()) {
            self.clear.next = self.bus.wdata.val().get_bits::<3>(0);
        }
        self.keep.next = !self.clear.val();
        self.raise.next = 0.into();

        // a burst crosses neither a 4 KiB boundary nor the end of the range
        self.word_address.next = self.base.q.val() + self.offset.q.val();
        self.border.next = self.page.val() - bit_cast::<11, 10>(self.word_address.val().get_bits::<10>(0));
        self.rest.next = self.size.q.val() - self.offset.q.val();
        self.most_now.next = self.most.val();
        if self.border.val() < bit_cast::<11, 5>(self.most.val()) {
            self.most_now.next = self.border.val().get_bits::<5>(0);
        }
        self.limit.d.next = self.most_now.val();
        if self.rest.val() < bit_cast::<30, 5>(self.most_now.val()) {
            self.limit.d.next = self.rest.val().get_bits::<5>(0);
        }
        self.waits.next =
            self.running.q.val() & !self.addressing.q.val() & !self.sending.q.val() & !self.answering.q.val();
        self.settled.d.next = self.waits.val();
        if self.waits.val() {
            self.address.d.next = self.word_address.val();
        }
        self.enough.next = self.held.q.val() >= bit_cast::<6, 5>(self.limit.q.val());
        self.now.next = self.held.q.val().get_bits::<5>(0);
        if self.enough.val() {
            self.now.next = self.limit.q.val();
        }
        self.due.next = self.enough.val()
            | (self.held.q.val().any() & (self.idle_cycles.q.val().get_bit(6) | self.closing.q.val()));
        self.halt.next = false;
        if self.waits.val() & self.settled.q.val() {
            if self.due.val() {
                self.addressing.d.next = true;
                self.length.d.next = self.now.val();
                self.left.d.next = self.now.val();
            } else if self.closing.q.val() {
                self.halt.next = true;
            }
        }
        if self.addressing.q.val() & self.awready.val() {
            self.addressing.d.next = false;
            self.sending.d.next = true;
        }
        if self.pop.val() {
            self.left.d.next = self.left.q.val() - self.one_5.val();
            if self.left.q.val() == self.one_5.val() {
                self.sending.d.next = false;
                self.answering.d.next = true;
            }
        }
        self.then.next = self.offset.q.val() + bit_cast::<30, 5>(self.length.q.val());
        self.total.next = self.since.q.val() + bit_cast::<30, 5>(self.length.q.val());
        self.at_end.d.next = self.then.val() == self.size.q.val();
        self.at_mark.d.next = self.mark.q.val().any() & (self.total.val() >= self.mark.q.val());
        if self.answering.q.val() & self.bvalid.val() {
            self.answering.d.next = false;
            if self.bresp.val().any() {
                self.response.d.next = self.bresp.val();
                self.raise.next = self.error.val();
                self.halt.next = true;
            } else {
                self.offset.d.next = self.then.val();
                self.since.d.next = self.total.val();
                if self.at_mark.q.val() {
                    self.since.d.next = 0.into();
                    self.raise.next = self.marked.val();
                }
                if self.at_end.q.val() {
                    self.offset.d.next = 0.into();
                    self.wraps.d.next = self.wraps.q.val() + self.one_32.val();
                    if self.stop.q.val() {
                        self.raise.next = self.raise.val() | self.full.val();
                        self.halt.next = true;
                    }
                }
            }
        }
        if self.halt.val() {
            self.running.d.next = false;
            self.closing.d.next = false;
        }

        self.flags.d.next = (self.flags.q.val() & self.keep.val()) | self.raise.val();

        // register reads
        self.on.next = self.running.q.val() & !self.closing.q.val();
        self.read_data.d.next = bit_cast::<32, 30>(self.mark.q.val()) << 2;
        if self.bus.addr.val() == self.base_addr.val() {
            self.read_data.d.next = bit_cast::<32, 30>(self.base.q.val()) << 2;
        }
        if self.bus.addr.val() == self.size_addr.val() {
            self.read_data.d.next = bit_cast::<32, 30>(self.size.q.val()) << 2;
        }
        if self.bus.addr.val() == self.control_addr.val() {
            self.read_data.d.next = bit_cast::<32, 1>(self.on.val().into())
                | (bit_cast::<32, 1>(self.stop.q.val().into()) << 1)
                | (bit_cast::<32, 1>(self.discard.q.val().into()) << 2);
        }
        if self.bus.addr.val() == self.status_addr.val() {
            self.read_data.d.next =
                bit_cast::<32, 1>(self.running.q.val().into()) | (bit_cast::<32, 2>(self.response.q.val()) << 4);
        }
        if self.bus.addr.val() == self.interrupt_addr.val() {
            self.read_data.d.next = bit_cast::<32, 3>(self.flags.q.val());
        }
        if self.bus.addr.val() == self.pointer_addr.val() {
            self.read_data.d.next = bit_cast::<32, 30>(self.offset.q.val()) << 2;
        }
        if self.bus.addr.val() == self.wraps_addr.val() {
            self.read_data.d.next = self.wraps.q.val();
        }
        self.bus.rdata.next = self.read_data.q.val();

        self.awid.next = false;
        self.awaddr.next = bit_cast::<32, 30>(self.address.q.val()) << 2;
        self.beats.next = bit_cast::<8, 5>(self.length.q.val()) - self.one_8.val();
        self.awlen.next = self.beats.val();
        self.awsize.next = self.word.val();
        self.awburst.next = self.incr.val();
        self.awvalid.next = self.addressing.q.val();
        self.wdata.next = 0.into();
        if self.sending.q.val() {
            self.wdata.next = self.queue.rdata.val();
        }
        self.wstrb.next = self.bytes.val();
        self.wlast.next = self.sending.q.val() & (self.left.q.val() == self.one_5.val());
        self.wvalid.next = self.sending.q.val();
        self.bready.next = self.answering.q.val();
        self.irq.next = self.flags.q.val().any();

        if self.reset.val() {
            self.base.d.next = 0.into();
            self.size.d.next = 0.into();
            self.mark.d.next = 0.into();
            self.stop.d.next = false;
            self.discard.d.next = false;
            self.running.d.next = false;
            self.closing.d.next = false;
            self.response.d.next = 0.into();
            self.flags.d.next = 0.into();
            self.offset.d.next = 0.into();
            self.wraps.d.next = 0.into();
            self.since.d.next = 0.into();
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.held.d.next = 0.into();
            self.idle_cycles.d.next = 0.into();
            self.settled.d.next = false;
            self.limit.d.next = 0.into();
            self.at_end.d.next = false;
            self.at_mark.d.next = false;
            self.addressing.d.next = false;
            self.sending.d.next = false;
            self.answering.d.next = false;
            self.address.d.next = 0.into();
            self.length.d.next = 0.into();
            self.left.d.next = 0.into();
        }
    }
}
