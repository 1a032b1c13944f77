//! Lite event generator: time-stamped events at instruction addresses, without captured words
//!
//! Compares the address of each retired instruction with all slots at once. Instructions with hits wait in a queue;
//! from there, one event per cycle goes to a FIFO in front of the ring. Events that find no free entry are counted as
//! lost, and the count is sent with the next event. After an overflow of the FIFO, events are accepted again once half
//! of it is free.
//!
//! # Source
//! Paper 004 section 4.1 and table 1, the reduced CPU event generator; overload: section 3.7.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: disables all slots, discards all events |
//! | `valid` | in | 1 | an instruction retires |
//! | `pc` | in | W | its address |
//! | `now` | in | 32 | the cycle in which it retires |
//! | `write` | in | | register writes |
//! | `result` | out | | an event to send |
//! | `yields` | out | 1 | the event yields to others, see [`crate::diag::link_queue`] |
//! | `points` | out | 16 | slots whose address matches, enabled or not |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`. The target of an event is read from its slot
//! when the event is sent.
//!
//! # Timing
//! One instruction per cycle. An event is at `result` four cycles after its instruction if nothing is queued. `points`
//! follows its instruction in the same cycle; all other outputs come from registers.
//!
//! Golden model: `sim::diag::generator`.

use crate::diag::ports::{ResultOut, WriteIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;
use sim::diag::trigger::GeneratorParams;

/// A lite event generator of a core of W bits, with up to 16 slots.
#[derive(LogicBlock, Default)]
pub struct Lite<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub now: Signal<In, Bits<32>>,
    pub write: WriteIn,
    pub result: ResultOut,
    pub yields: Signal<Out, Bit>,
    pub points: Signal<Out, Bits<16>>,

    // slots
    used: DFF<Bits<5>>,
    low: Vec<DFF<Bits<16>>>,
    high: Vec<DFF<Bits<16>>>,
    to: Vec<DFF<Bits<16>>>,
    // of a core of 64 bits, the upper half of the address
    top_low: Vec<DFF<Bits<16>>>,
    top_high: Vec<DFF<Bits<16>>>,
    top_write: Vec<Signal<Local, Bit>>,
    slot_write: Signal<Local, Bit>,
    is_hit: Signal<Local, Bit>,
    is_point: Signal<Local, Bit>,
    point: Signal<Local, Bits<16>>,
    hits: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<5>>,

    // instructions with hits, index 0 the oldest
    waiting: Vec<DFF<Bits<16>>>,
    time_of: Vec<DFF<Bits<32>>>,
    queued: DFF<Bits<3>>,
    less: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bits<16>>,
    not_rest: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    slot: Signal<Local, Bits<4>>,
    fill: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    queued_1: Signal<Local, Bits<3>>,
    enqueue: Signal<Local, Bit>,

    // events: slot and time
    fifo: Mem<4, 36>,
    fifo_slot: Signal<Local, Bits<4>>,
    length: DFF<Bits<5>>,
    length_1: Signal<Local, Bits<5>>,
    write_at: DFF<Bits<4>>,
    read_at: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    shown: DFF<Bit>,
    pop: Signal<Local, Bit>,
    recovering: DFF<Bit>,
    recovers: Signal<Local, Bit>,
    refuses: Signal<Local, Bit>,
    push: Signal<Local, Bit>,

    // lost events that are not reported yet
    unreported: DFF<Bits<32>>,
    unreported_1: Signal<Local, Bits<32>>,
    untold_2: Signal<Local, Bits<32>>,
    reporting: Signal<Local, Bits<16>>,

    // the event at the output
    held: DFF<Bit>,
    held_to: DFF<Bits<16>>,
    held_stamp: DFF<Bits<32>>,
    held_lost: DFF<Bits<16>>,
    chosen: Signal<Local, Bits<16>>,

    core: Fixed<Bits<4>>,
    control: Fixed<Bits<12>>,
    all: Fixed<Bits<5>>,
    half_more: Fixed<Bits<5>>,
    capacity: Fixed<Bits<3>>,
    one: Fixed<Bits<16>>,
    one_3: Fixed<Bits<3>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    one_32: Fixed<Bits<32>>,
    most: Fixed<Bits<16>>,
    _slots: usize,
    // 1 for a core of 64 bits, otherwise 0
    _tops: usize,
    _queue: usize,
    _shifts: usize,
}

impl<const W: usize> Lite<W> {
    /// The generator of core `core`.
    ///
    /// # Panics
    /// Unless W is the width of addresses, 32 or 64, and there are 1 to 16 slots, a queue of 2 to 7 and a FIFO of 16.
    pub fn new(params: &GeneratorParams, core: u8) -> Self {
        let (slots, queue) = (usize::from(params.slots), usize::from(params.queue));
        let tops = usize::from(W == 64);
        assert!(usize::from(params.xlen) == W, "xlen = {} is not {W}", params.xlen);
        assert!((1..=16).contains(&slots), "slots = {slots} is outside 1..=16");
        assert!((2..=7).contains(&queue), "queue = {queue} is outside 2..=7");
        assert!(params.fifo == 16, "fifo = {} is not 16", params.fifo);
        Self {
            low: each(slots),
            high: each(slots),
            to: each(slots),
            top_low: each(tops * slots),
            top_high: each(tops * slots),
            top_write: each(tops),
            waiting: each(queue),
            time_of: each(queue),
            core: Fixed::of(core),
            control: Fixed::of(CONTROL),
            all: Fixed::of(params.fifo),
            half_more: Fixed::of(params.fifo / 2 + 1),
            capacity: Fixed::of(params.queue),
            one: Fixed::of(1u64),
            one_3: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            one_32: Fixed::of(1u64),
            most: Fixed::of(0xffffu64),
            _slots: slots,
            _tops: tops,
            _queue: queue,
            _shifts: queue - 1,
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Lite<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, used, queued, length, write_at, read_at, shown, recovering, unreported, held, held_to,
            held_stamp, held_lost
        );
        clock!(self, clock, fifo);

        // slot registers, and which slots are hit
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.used.d.next = 0.into();
            if self.write.data.val().get_bit(0) {
                self.used.d.next = self.write.data.val().get_bits::<5>(8);
            }
        }
        self.slot_write.next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 4);
        for t in 0..self._tops {
            self.top_write[t].next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 6);
        }
        self.hits.next = 0.into();
        self.number.next = 0.into();
        self.point.next = 0.into();
        for i in 0..self._slots {
            self.low[i].clock.next = self.clock.val();
            self.high[i].clock.next = self.clock.val();
            self.to[i].clock.next = self.clock.val();
            self.low[i].d.next = self.low[i].q.val();
            self.high[i].d.next = self.high[i].q.val();
            self.to[i].d.next = self.to[i].q.val();
            if self.slot_write.val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                if self.write.addr.val().get_bits::<4>(0) == 0 {
                    self.to[i].d.next = self.write.data.val();
                }
                if self.write.addr.val().get_bits::<4>(0) == 2 {
                    self.low[i].d.next = self.write.data.val();
                }
                if self.write.addr.val().get_bits::<4>(0) == 3 {
                    self.high[i].d.next = self.write.data.val();
                }
            }
            self.is_point.next = self.valid.val()
                & (self.low[i].q.val() == self.pc.val().get_bits::<16>(0))
                & (self.high[i].q.val() == self.pc.val().get_bits::<16>(16));
            for t in 0..self._tops {
                self.top_low[i].clock.next = self.clock.val();
                self.top_high[i].clock.next = self.clock.val();
                self.top_low[i].d.next = self.top_low[i].q.val();
                self.top_high[i].d.next = self.top_high[i].q.val();
                if self.top_write[t].val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                    if self.write.addr.val().get_bits::<4>(0) == 2 {
                        self.top_low[i].d.next = self.write.data.val();
                    }
                    if self.write.addr.val().get_bits::<4>(0) == 3 {
                        self.top_high[i].d.next = self.write.data.val();
                    }
                }
                self.is_point.next = self.is_point.val()
                    & (self.top_low[i].q.val() == self.pc.val().get_bits::<16>(32))
                    & (self.top_high[i].q.val() == self.pc.val().get_bits::<16>(48));
            }
            self.point.next = self.point.val().replace_bit(i, self.is_point.val());
            self.is_hit.next = self.is_point.val() & (self.used.q.val() > i.to_bits::<5>());
            self.hits.next = self.hits.val().replace_bit(i, self.is_hit.val());
            self.number.next = self.number.val() + bit_cast::<5, 1>(self.is_hit.val().into());
        }

        self.points.next = self.point.val();

        // the lowest slot that the oldest instruction hits goes to the FIFO
        self.less.next = self.waiting[0].q.val() - self.one.val();
        self.rest.next = self.waiting[0].q.val() & self.less.val();
        self.not_rest.next = !self.rest.val();
        self.lowest.next = self.waiting[0].q.val() & self.not_rest.val();
        self.slot.next = 0.into();
        for i in 0..self._slots {
            if self.lowest.val().get_bit(i) {
                self.slot.next = i.to_bits::<4>();
            }
        }
        self.fill.next = self.queued.q.val().any();
        self.over.next = self.fill.val() & !self.rest.val().any();
        self.queued_1.next = self.queued.q.val();
        if self.over.val() {
            self.queued_1.next = self.queued.q.val() - self.one_3.val();
        }
        self.enqueue.next = self.hits.val().any() & (self.queued_1.val() != self.capacity.val());
        self.queued.d.next = self.queued_1.val();
        if self.enqueue.val() {
            self.queued.d.next = self.queued_1.val() + self.one_3.val();
        }
        for i in 0..self._queue {
            self.waiting[i].clock.next = self.clock.val();
            self.time_of[i].clock.next = self.clock.val();
            self.waiting[i].d.next = self.waiting[i].q.val();
            self.time_of[i].d.next = self.time_of[i].q.val();
        }
        self.waiting[0].d.next = self.rest.val();
        for i in 0..self._shifts {
            if self.over.val() {
                self.waiting[i].d.next = self.waiting[i + 1].q.val();
                self.time_of[i].d.next = self.time_of[i + 1].q.val();
            }
        }
        for i in 0..self._queue {
            if self.enqueue.val() & (self.queued_1.val() == i.to_bits::<3>()) {
                self.waiting[i].d.next = self.hits.val();
                self.time_of[i].d.next = self.now.val();
            }
        }

        // read from the FIFO, then write to it
        self.pop.next = self.shown.q.val() & !self.held.q.val();
        self.length_1.next = self.length.q.val();
        self.next_read.next = self.read_at.q.val();
        self.recovers.next = self.recovering.q.val();
        if self.pop.val() {
            self.length_1.next = self.length.q.val() - self.one_5.val();
            self.next_read.next = self.read_at.q.val() + self.one_4.val();
            self.recovers.next = self.recovering.q.val() & (self.length.q.val() > self.half_more.val());
        }
        self.refuses.next = self.recovers.val() | (self.length_1.val() == self.all.val());
        self.recovering.d.next = self.recovers.val() | (self.fill.val() & (self.length_1.val() == self.all.val()));
        self.push.next = self.fill.val() & !self.refuses.val();
        self.length.d.next = self.length_1.val();
        if self.push.val() {
            self.length.d.next = self.length_1.val() + self.one_5.val();
            self.write_at.d.next = self.write_at.q.val() + self.one_4.val();
        }
        self.read_at.d.next = self.next_read.val();
        // a word can be read only if it was written in an earlier cycle
        self.shown.d.next = self.length_1.val().any();
        self.fifo.we.next = self.push.val();
        self.fifo.waddr.next = self.write_at.q.val();
        self.fifo.wdata.next = (bit_cast::<36, 4>(self.slot.val()) << 32) | bit_cast::<36, 32>(self.time_of[0].q.val());
        self.fifo.raddr.next = self.next_read.val();
        self.fifo_slot.next = self.fifo.rdata.val().get_bits::<4>(32);

        // losses are reported as far as they fit the field; the rest follows with the next event
        self.reporting.next = self.unreported.q.val().get_bits::<16>(0);
        if self.unreported.q.val().get_bits::<16>(16).any() {
            self.reporting.next = self.most.val();
        }
        self.unreported_1.next = self.unreported.q.val();
        if self.pop.val() {
            self.unreported_1.next = self.unreported.q.val() - bit_cast::<32, 16>(self.reporting.val());
        }
        self.untold_2.next = self.unreported_1.val();
        if self.fill.val() & self.refuses.val() {
            self.untold_2.next = self.unreported_1.val() + self.one_32.val();
        }
        self.unreported.d.next = self.untold_2.val();
        if !self.enqueue.val() {
            self.unreported.d.next = self.untold_2.val() + bit_cast::<32, 5>(self.number.val());
        }

        // the event at the output
        self.chosen.next = 0.into();
        for i in 0..self._slots {
            if self.fifo_slot.val() == i.to_bits::<4>() {
                self.chosen.next = self.to[i].q.val();
            }
        }
        if self.result.ready.val() {
            self.held.d.next = false;
        }
        if self.pop.val() {
            self.held.d.next = true;
            self.held_to.d.next = self.chosen.val();
            self.held_stamp.d.next = self.fifo.rdata.val().get_bits::<32>(0);
            self.held_lost.d.next = self.reporting.val();
        }
        self.result.valid.next = self.held.q.val();
        self.yields.next = self.held.q.val() & self.held_to.q.val().get_bit(15);
        self.result.dest.next = self.held_to.q.val().get_bits::<6>(8);
        self.result.id.next = self.held_to.q.val().get_bits::<8>(0);
        self.result.core.next = self.core.val();
        self.result.lost.next = self.held_lost.q.val();
        self.result.stamped.next = self.held_to.q.val().get_bit(14);
        self.result.stamp.next = self.held_stamp.q.val();
        self.result.count.next = 0.into();
        self.result.a0.next = 0.into();
        self.result.a1.next = 0.into();
        self.result.a2.next = 0.into();
        self.result.a3.next = 0.into();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.used.d.next = 0.into();
            self.queued.d.next = 0.into();
            self.length.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.shown.d.next = false;
            self.recovering.d.next = false;
            self.unreported.d.next = 0.into();
            self.held.d.next = false;
        }
    }
}

/// A lite event generator of a core of 64 bits: bits 31:0 of `now` count.
#[derive(LogicBlock, Default)]
pub struct WideLite {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub pc: Signal<In, Bits<64>>,
    pub now: Signal<In, Bits<64>>,
    pub write: WriteIn,
    pub result: ResultOut,
    pub yields: Signal<Out, Bit>,
    pub points: Signal<Out, Bits<16>>,
    lite: Lite<64>,
}

impl WideLite {
    /// As [`Lite::new`].
    pub fn new(params: &GeneratorParams, core: u8) -> Self {
        Self { lite: Lite::new(params, core), ..Default::default() }
    }
}

impl Logic for WideLite {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, lite);
        self.lite.reset.next = self.reset.val();
        self.lite.valid.next = self.valid.val();
        self.lite.pc.next = self.pc.val();
        self.lite.now.next = self.now.val().get_bits::<32>(0);
        self.yields.next = self.lite.yields.val();
        self.points.next = self.lite.points.val();
        WriteIn::link(&mut self.write, &mut self.lite.write);
        ResultOut::link(&mut self.result, &mut self.lite.result);
    }
}
