//! Diagnosis processor: core, DMA, run queue, watchdog and memories
//!
//! Slots are used in rotation, so the run queue is two numbers: the first slot in use, and how many are in use. Program
//! and data memory is byte-wide; the slots and the outgoing event are in halfword memories, so that the DMA and the
//! core never wait for each other.
//!
//! # Source
//! Paper 004 section 4.2 and figure 7; watchdog and memory map are ours.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: stops the processor, empties all slots, sets the time to 0 |
//! | `got` | in | | packets that arrived, see [`crate::noc::ports`] |
//! | `put` | out | | packets to send |
//!
//! # Timing
//! As the core and the DMA. A slot is freed in the cycle in which the core requests the next one, which it gets in the
//! following cycle if there is one. A reset does not change the contents of memories.
//!
//! Golden model: `sim::diag::processor::node`; memory map and registers: `sim::diag::processor`.

use super::core::Core;
use super::dma::Dma;
use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::processor::{CONTROL, LIMIT, NEXT_AT, NO_EVENT, SEND_AT, SLOTS_AT, TIME_AT, WATCHDOG};

/// A diagnosis processor.
#[derive(LogicBlock, Default)]
pub struct Processor {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub got: PacketIn,
    pub put: PacketOut,
    core: Core,
    dma: Dma,
    ram: Vec<Mem<10, 8>>,
    slots_low: Mem<7, 16>,
    slots_high: Mem<7, 16>,
    send_low: Mem<3, 16>,
    send_high: Mem<3, 16>,
    _lanes: usize,

    // run queue
    running: DFF<Bit>,
    first: DFF<Bits<4>>,
    free: DFF<Bits<4>>,
    used: DFF<Bits<5>>,
    held: DFF<Bit>,
    granted: DFF<Bit>,
    second: DFF<Bits<16>>,
    slot_done: Signal<Local, Bit>,
    grant: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    requests_slot: Signal<Local, Bit>,

    // watchdog
    watchdog: DFF<Bits<16>>,
    ran: DFF<Bits<23>>,
    units: Signal<Local, Bits<17>>,
    longest: Signal<Local, Bit>,
    allowed: Signal<Local, Bits<17>>,
    expired: Signal<Local, Bit>,
    trip: Signal<Local, Bit>,
    tripping: DFF<Bit>,
    trip_pc: DFF<Bits<32>>,
    trip_info: DFF<Bits<18>>,
    cause: Signal<Local, Bits<2>>,

    // the core's address map
    addr: Signal<Local, Bits<32>>,
    aligned: Signal<Local, Bit>,
    word: Signal<Local, Bit>,
    in_ram: Signal<Local, Bit>,
    in_slots: Signal<Local, Bit>,
    in_send: Signal<Local, Bit>,
    is_next: Signal<Local, Bit>,
    is_time: Signal<Local, Bit>,
    can_load: Signal<Local, Bit>,
    can_store: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    stalled: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    loads_ram: DFF<Bit>,
    loads_slots: DFF<Bit>,
    value: DFF<Bits<32>>,
    slot_addr: Signal<Local, Bits<7>>,
    clocks: DFF<Bits<32>>,
    byte_lanes: Signal<Local, Bits<4>>,
    write_byte_lanes: Signal<Local, Bits<4>>,
    write_addr: Signal<Local, Bits<10>>,
    write_data: Signal<Local, Bits<32>>,

    // events of the core
    sending: DFF<Bit>,
    args: DFF<Bits<3>>,

    // registers
    starts: Signal<Local, Bit>,
    handled: DFF<Bits<32>>,
    trips: DFF<Bits<16>>,
    full: DFF<Bits<16>>,
    dropped: DFF<Bits<16>>,
    status: DFF<Bits<16>>,
    waits: Signal<Local, Bit>,

    slots_at: Fixed<Bits<32>>,
    slots_base: Fixed<Bits<23>>,
    send_base: Fixed<Bits<27>>,
    next_at: Fixed<Bits<32>>,
    time_at: Fixed<Bits<32>>,
    control: Fixed<Bits<12>>,
    watchdog_at: Fixed<Bits<12>>,
    no_event: Fixed<Bits<18>>,
    usual: Fixed<Bits<16>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    one_16: Fixed<Bits<16>>,
    one_23: Fixed<Bits<23>>,
    one_32: Fixed<Bits<32>>,
}

impl Processor {
    /// A processor in its reset state.
    pub fn new() -> Self {
        Self {
            core: Core::new(),
            dma: Dma::new(),
            ram: each(4),
            _lanes: 4,
            slots_at: Fixed::of(SLOTS_AT),
            slots_base: Fixed::of(SLOTS_AT >> 9),
            send_base: Fixed::of(SEND_AT >> 5),
            next_at: Fixed::of(NEXT_AT),
            time_at: Fixed::of(TIME_AT),
            control: Fixed::of(CONTROL),
            watchdog_at: Fixed::of(WATCHDOG),
            no_event: Fixed::of(NO_EVENT),
            usual: Fixed::of(LIMIT),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            one_23: Fixed::of(1u64),
            one_32: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Processor {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            running,
            first,
            free,
            used,
            held,
            granted,
            second,
            watchdog,
            ran,
            tripping,
            trip_pc,
            trip_info,
            loads_ram,
            loads_slots,
            value,
            clocks,
            sending,
            args,
            handled,
            trips,
            full,
            dropped,
            status
        );
        clock!(self, clock, core, dma, slots_low, slots_high, send_low, send_high);
        PacketIn::link(&mut self.got, &mut self.dma.got);
        PacketOut::link(&mut self.put, &mut self.dma.put);
        self.clocks.d.next = self.clocks.q.val() + self.one_32.val();

        // the core's address map
        self.addr.next = self.core.addr.val();
        self.word.next = self.core.size.val() == 2;
        self.aligned.next = true;
        if self.core.size.val() == 1 {
            self.aligned.next = !self.addr.val().get_bit(0);
        }
        if self.word.val() {
            self.aligned.next = !self.addr.val().get_bits::<2>(0).any();
        }
        self.in_ram.next = !self.addr.val().get_bits::<20>(12).any();
        self.in_slots.next = self.addr.val().get_bits::<23>(9) == self.slots_base.val();
        self.in_send.next = self.word.val() & (self.addr.val().get_bits::<27>(5) == self.send_base.val());
        self.is_next.next = self.word.val() & (self.addr.val() == self.next_at.val());
        self.is_time.next = self.word.val() & (self.addr.val() == self.time_at.val());
        self.can_load.next =
            self.aligned.val() & (self.in_ram.val() | self.in_slots.val() | self.is_next.val() | self.is_time.val());
        self.can_store.next = self.aligned.val()
            & (self.in_ram.val()
                | self.in_send.val()
                | (self.is_next.val() & !self.core.wdata.val().get_bits::<3>(0).all()));
        self.wrong.next =
            (self.core.load.val() & !self.can_load.val()) | (self.core.store.val() & !self.can_store.val());
        self.core.wrong.next = self.wrong.val();

        // the watchdog expires at its limit; 0 is the longest
        self.units.next = self.ran.q.val().get_bits::<17>(6);
        self.longest.next = !self.watchdog.q.val().any();
        self.allowed.next =
            bit_cast::<17, 16>(self.watchdog.q.val()) | (bit_cast::<17, 1>(self.longest.val().into()) << 16);
        self.expired.next = (self.units.val() == self.allowed.val()) & !self.ran.q.val().get_bits::<6>(0).any();
        self.trip.next = self.core.busy.val() & (self.expired.val() | self.core.fault.val());
        self.cause.next = 2.into();
        if self.expired.val() {
            self.cause.next = 1.into();
        }

        // the run queue
        self.requests_slot.next = self.core.load.val() & self.is_next.val() & !self.trip.val();
        self.slot_done.next = self.requests_slot.val() & self.held.q.val();
        self.grant.next = self.requests_slot.val() & !self.held.q.val() & self.used.q.val().any();
        self.waits.next = self.requests_slot.val() & !self.held.q.val() & !self.used.q.val().any();
        self.frees.next = self.held.q.val() & (self.slot_done.val() | self.trip.val());
        if self.frees.val() {
            self.held.d.next = false;
            self.first.d.next = self.first.q.val() + self.one_4.val();
        }
        if self.frees.val() & !self.dma.push.val() {
            self.used.d.next = self.used.q.val() - self.one_5.val();
        }
        if self.dma.push.val() {
            self.free.d.next = self.free.q.val() + self.one_4.val();
            if !self.frees.val() {
                self.used.d.next = self.used.q.val() + self.one_5.val();
            }
        }
        if self.grant.val() {
            self.held.d.next = true;
        }
        if self.slot_done.val() {
            self.handled.d.next = self.handled.q.val() + self.one_32.val();
        }
        self.granted.d.next = self.grant.val();
        if self.granted.q.val() {
            self.second.d.next = self.slots_high.rdata.val();
        }

        // loads and stores
        self.stalled.next = !self.wrong.val()
            & ((self.core.load.val() & self.is_next.val() & !self.grant.val())
                | (self.core.store.val() & !self.in_ram.val() & self.sending.q.val()));
        self.core.hold.next = self.stalled.val();
        self.stores.next =
            self.core.store.val() & !self.wrong.val() & !self.stalled.val() & !self.trip.val() & self.running.q.val();
        if self.core.fetch.val() | self.core.load.val() {
            self.loads_ram.d.next = self.in_ram.val();
            self.loads_slots.d.next = self.in_slots.val();
        }
        if self.core.load.val() {
            self.value.d.next = self.clocks.q.val();
            if self.grant.val() {
                self.value.d.next = self.slots_at.val() | (bit_cast::<32, 4>(self.first.q.val()) << 5);
            }
        }
        self.core.rdata.next = self.value.q.val();
        if self.loads_ram.q.val() {
            self.core.rdata.next = (bit_cast::<32, 8>(self.ram[3].rdata.val()) << 24)
                | (bit_cast::<32, 8>(self.ram[2].rdata.val()) << 16)
                | (bit_cast::<32, 8>(self.ram[1].rdata.val()) << 8)
                | bit_cast::<32, 8>(self.ram[0].rdata.val());
        }
        if self.loads_slots.q.val() {
            self.core.rdata.next = (bit_cast::<32, 16>(self.slots_high.rdata.val()) << 16)
                | bit_cast::<32, 16>(self.slots_low.rdata.val());
        }

        // memory is written by the core, or by the host while the processor does not run
        self.byte_lanes.next = 3.into();
        if self.dma.write.addr.val().get_bit(0) {
            self.byte_lanes.next = 12.into();
        }
        self.write_byte_lanes.next = 0.into();
        self.write_addr.next = self.addr.val().get_bits::<10>(2);
        self.write_data.next = self.core.wdata.val();
        if self.stores.val() & self.in_ram.val() {
            self.write_byte_lanes.next = self.core.mask.val();
        }
        if !self.running.q.val() {
            self.write_addr.next = self.dma.write.addr.val().get_bits::<10>(1);
            self.write_data.next =
                (bit_cast::<32, 16>(self.dma.write.data.val()) << 16) | bit_cast::<32, 16>(self.dma.write.data.val());
            if self.dma.write.we.val() & self.dma.write.addr.val().get_bit(11) {
                self.write_byte_lanes.next = self.byte_lanes.val();
            }
        }
        for i in 0..self._lanes {
            self.ram[i].clock.next = self.clock.val();
            self.ram[i].raddr.next = self.addr.val().get_bits::<10>(2);
            self.ram[i].waddr.next = self.write_addr.val();
            self.ram[i].we.next = self.write_byte_lanes.val().get_bit(i);
        }
        self.ram[0].wdata.next = self.write_data.val().get_bits::<8>(0);
        self.ram[1].wdata.next = self.write_data.val().get_bits::<8>(8);
        self.ram[2].wdata.next = self.write_data.val().get_bits::<8>(16);
        self.ram[3].wdata.next = self.write_data.val().get_bits::<8>(24);
        self.slot_addr.next = self.addr.val().get_bits::<7>(2);
        if self.grant.val() {
            self.slot_addr.next = bit_cast::<7, 4>(self.first.q.val()) << 3;
        }
        self.slots_low.raddr.next = self.slot_addr.val();
        self.slots_high.raddr.next = self.slot_addr.val();
        self.slots_low.waddr.next =
            (bit_cast::<7, 4>(self.free.q.val()) << 3) | bit_cast::<7, 3>(self.dma.slot_half.val().get_bits::<3>(1));
        self.slots_high.waddr.next =
            (bit_cast::<7, 4>(self.free.q.val()) << 3) | bit_cast::<7, 3>(self.dma.slot_half.val().get_bits::<3>(1));
        self.slots_low.we.next = self.dma.slot_we.val() & !self.dma.slot_half.val().get_bit(0);
        self.slots_high.we.next = self.dma.slot_we.val() & self.dma.slot_half.val().get_bit(0);
        self.slots_low.wdata.next = self.dma.slot_data.val();
        self.slots_high.wdata.next = self.dma.slot_data.val();

        // events of the core
        self.send_low.we.next = self.stores.val() & self.in_send.val();
        self.send_high.we.next = self.stores.val() & self.in_send.val();
        self.send_low.waddr.next = self.addr.val().get_bits::<3>(2);
        self.send_high.waddr.next = self.addr.val().get_bits::<3>(2);
        self.send_low.wdata.next = self.core.wdata.val().get_bits::<16>(0);
        self.send_high.wdata.next = self.core.wdata.val().get_bits::<16>(16);
        self.send_low.raddr.next = self.dma.send_at.val();
        self.send_high.raddr.next = self.dma.send_at.val();
        self.dma.send_low.next = self.send_low.rdata.val();
        self.dma.send_high.next = self.send_high.rdata.val();
        self.dma.send.next = self.sending.q.val();
        self.dma.args.next = self.args.q.val();
        if self.dma.sent.val() {
            self.sending.d.next = false;
        }
        if self.stores.val() & self.is_next.val() {
            self.sending.d.next = true;
            self.args.d.next = self.core.wdata.val().get_bits::<3>(0);
        }

        // end of a handler
        self.ran.d.next = self.ran.q.val();
        if self.core.busy.val() & !self.stalled.val() {
            self.ran.d.next = self.ran.q.val() + self.one_23.val();
        }
        if self.grant.val() | self.trip.val() | !self.core.busy.val() {
            self.ran.d.next = 0.into();
        }
        if self.dma.tripped.val() {
            self.tripping.d.next = false;
        }
        if self.trip.val() {
            self.tripping.d.next = true;
            self.trip_pc.d.next = self.core.pc.val();
            self.trip_info.d.next = (bit_cast::<18, 2>(self.cause.val()) << 16) | self.no_event.val();
            if self.held.q.val() {
                self.trip_info.d.next =
                    (bit_cast::<18, 2>(self.cause.val()) << 16) | bit_cast::<18, 16>(self.second.q.val());
            } else {
                self.running.d.next = false;
            }
            if !self.trips.q.val().all() {
                self.trips.d.next = self.trips.q.val() + self.one_16.val();
            }
        }
        self.dma.trip.next = self.tripping.q.val();
        self.dma.trip_pc.next = self.trip_pc.q.val();
        self.dma.trip_info.next = self.trip_info.q.val();

        // registers
        self.starts.next = self.dma.write.we.val() & (self.dma.write.addr.val() == self.control.val());
        if self.dma.write.we.val() & (self.dma.write.addr.val() == self.watchdog_at.val()) {
            self.watchdog.d.next = self.dma.write.data.val();
        }
        if self.dma.waits.val() & !self.full.q.val().all() {
            self.full.d.next = self.full.q.val() + self.one_16.val();
        }
        if self.dma.drops.val() & !self.dropped.q.val().all() {
            self.dropped.d.next = self.dropped.q.val() + self.one_16.val();
        }
        self.status.d.next = (bit_cast::<16, 5>(self.used.q.val()) << 8)
            | (bit_cast::<16, 1>(self.waits.val().into()) << 1)
            | bit_cast::<16, 1>(self.running.q.val().into());
        self.dma.status.next = self.status.q.val();
        self.dma.handled.next = self.handled.q.val();
        self.dma.trips.next = self.trips.q.val();
        self.dma.full.next = self.full.q.val();
        self.dma.dropped.next = self.dropped.q.val();
        self.dma.reset.next = self.reset.val();
        self.dma.running.next = self.running.q.val();
        self.dma.slot_free.next = !self.used.q.val().get_bit(4);
        self.dma.empty.next = !self.used.q.val().any();
        self.core.restart.next = self.trip.val() | self.starts.val() | self.reset.val();
        self.core.go.next = self.running.q.val() & !self.tripping.q.val();
        if self.starts.val() | self.reset.val() {
            self.running.d.next = self.starts.val() & self.dma.write.data.val().get_bit(0) & !self.reset.val();
            self.first.d.next = 0.into();
            self.free.d.next = 0.into();
            self.used.d.next = 0.into();
            self.held.d.next = false;
            self.handled.d.next = 0.into();
            self.trips.d.next = 0.into();
            self.full.d.next = 0.into();
            self.dropped.d.next = 0.into();
        }
        if self.reset.val() {
            self.watchdog.d.next = self.usual.val();
            self.tripping.d.next = false;
            self.sending.d.next = false;
            self.clocks.d.next = 0.into();
        }
    }
}
