//! Log: retired instructions that wait for their events, and when to drop them
//!
//! The log accepts one instruction per cycle, with the slots that it hits. When it is almost full, the oldest
//! instruction can no longer wait; if it stays almost full, all instructions in it are dropped. The data that a load
//! reads is what it writes to its register, and a return address is what a call writes, so each is stored once.
//!
//! # Source
//! Original to this project; replaces the snapshots of paper 004.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empties the log |
//! | `seen`, `hits` | in | | retired instruction, and the slots that it hits |
//! | `advance` | in | 1 | the oldest instruction leaves |
//! | `head` | out | | the oldest instruction, see [`super::ports`] |
//! | `written` | out | 32 | registers that instructions in the log write; all, if one of these is the first after a reset |
//! | `long` | out | 1 | a core that can be held must be held |
//!
//! # Timing
//! An instruction is shown two cycles after it retired, or one cycle after the previous one left. All outputs come from
//! registers.
//!
//! Golden model: `sim::diag::full`.

use super::ports::{HeadOut, HitsIn};
use crate::diag::ports::SeenIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::full::{ALMOST_FULL, DROP_CYCLES, RESUME_LEVEL, STALL_LEVEL};

/// A log of 16 instructions of a core of W bits.
#[derive(LogicBlock, Default)]
pub struct Log<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub seen: SeenIn<W>,
    pub hits: HitsIn,
    pub advance: Signal<In, Bit>,
    pub head: HeadOut<W>,
    pub written: Signal<Out, Bits<32>>,
    pub long: Signal<Out, Bit>,
    // hits, store hits, size, store, through sp, sets, rd, call, return; with the cause, whether it follows a trap
    // return, and whether it is the first after a reset
    flags: Mem<4, 32>,
    pc: Mem<4, W>,
    value: Mem<4, W>,
    address: Mem<4, W>,
    stored: Mem<4, W>,
    came: Mem<4, W>,
    stamp: Mem<4, W>,
    cause: Mem<4, 11>,
    length: DFF<Bits<5>>,
    left_length: Signal<Local, Bits<5>>,
    write_at: DFF<Bits<4>>,
    read_at: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    shown: DFF<Bit>,
    almost_full: DFF<Bit>,
    stays_almost_full: Signal<Local, Bit>,
    leaves_almost_full: Signal<Local, Bit>,
    grown: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    shrunk: Signal<Local, Bit>,
    almost_full_cycles: DFF<Bits<6>>,
    at_timeout: Signal<Local, Bit>,
    drop_all: DFF<Bit>,
    // hits in the log: those of the previous cycle are added in this one; and hits of the instruction that leaves
    pending: DFF<Bits<9>>,
    pending_1: Signal<Local, Bits<9>>,
    new_hits: DFF<Bits<16>>,
    new_stores: DFF<Bits<4>>,
    new_number: Signal<Local, Bits<9>>,
    removed_number: Signal<Local, Bits<9>>,
    is_hit: Signal<Local, Bit>,
    head_hits: Signal<Local, Bits<16>>,
    head_stores: Signal<Local, Bits<4>>,
    written_: DFF<Bits<32>>,
    written_1: Signal<Local, Bits<32>>,
    full_level: Fixed<Bits<5>>,
    full_level_less: Fixed<Bits<5>>,
    full_level_more: Fixed<Bits<5>>,
    resume_level: Fixed<Bits<5>>,
    resume_level_less: Fixed<Bits<5>>,
    resume_level_more: Fixed<Bits<5>>,
    stall_level: Fixed<Bits<5>>,
    timeout: Fixed<Bits<6>>,
    all: Fixed<Bits<32>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    one_6: Fixed<Bits<6>>,
    _slots: usize,
    _wide: usize,
    _registers: usize,
}

impl<const W: usize> Log<W> {
    /// The log of a generator with `slots` slots, `wide` of them wide.
    pub fn new(slots: u8, wide: u8) -> Self {
        Self {
            flags: Mem::new(4, 32),
            pc: Mem::new(4, W),
            value: Mem::new(4, W),
            address: Mem::new(4, W),
            stored: Mem::new(4, W),
            came: Mem::new(4, W),
            stamp: Mem::new(4, W),
            cause: Mem::new(4, 11),
            full_level: Fixed::of(ALMOST_FULL as u64),
            full_level_less: Fixed::of(ALMOST_FULL as u64 - 1),
            full_level_more: Fixed::of(ALMOST_FULL as u64 + 1),
            resume_level: Fixed::of(RESUME_LEVEL as u64),
            resume_level_less: Fixed::of(RESUME_LEVEL as u64 - 1),
            resume_level_more: Fixed::of(RESUME_LEVEL as u64 + 1),
            stall_level: Fixed::of(STALL_LEVEL as u64),
            timeout: Fixed::of(DROP_CYCLES - 2),
            all: Fixed::of(u64::from(u32::MAX)),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            one_6: Fixed::of(1u64),
            _slots: slots.into(),
            _wide: wide.into(),
            _registers: 32,
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Log<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            length,
            write_at,
            read_at,
            shown,
            almost_full,
            almost_full_cycles,
            drop_all,
            pending,
            new_hits,
            new_stores,
            written_
        );
        clock!(self, clock, flags, pc, value, address, stored, came, stamp, cause);

        self.flags.wdata.next = bit_cast::<32, 16>(self.hits.hits.val())
            | (bit_cast::<32, 4>(self.hits.stores.val()) << 16)
            | (bit_cast::<32, 2>(self.seen.size.val()) << 20)
            | (bit_cast::<32, 1>(self.seen.store.val().into()) << 22)
            | (bit_cast::<32, 1>(self.seen.through_sp.val().into()) << 23)
            | (bit_cast::<32, 1>(self.seen.sets.val().into()) << 24)
            | (bit_cast::<32, 5>(self.seen.rd.val()) << 25)
            | (bit_cast::<32, 1>(self.seen.call.val().into()) << 30)
            | (bit_cast::<32, 1>(self.seen.back.val().into()) << 31);
        self.pc.wdata.next = self.seen.pc.val();
        self.value.wdata.next = self.seen.value.val();
        if self.seen.load.val() & !self.seen.sets.val() {
            self.value.wdata.next = self.seen.loaded.val();
        }
        self.address.wdata.next = self.seen.target.val();
        if self.seen.load.val() | self.seen.store.val() {
            self.address.wdata.next = self.seen.addr.val();
        }
        self.stored.wdata.next = self.seen.stored.val();
        self.came.wdata.next = self.seen.came.val();
        self.stamp.wdata.next = self.seen.now.val();
        self.cause.wdata.next = bit_cast::<11, 9>(self.seen.cause.val())
            | (bit_cast::<11, 1>(self.hits.resumed.val().into()) << 9)
            | (bit_cast::<11, 1>(self.seen.first.val().into()) << 10);
        self.flags.we.next = self.seen.valid.val();
        self.pc.we.next = self.seen.valid.val();
        self.value.we.next = self.seen.valid.val();
        self.address.we.next = self.seen.valid.val();
        self.stored.we.next = self.seen.valid.val();
        self.came.we.next = self.seen.valid.val();
        self.stamp.we.next = self.seen.valid.val();
        self.cause.we.next = self.seen.valid.val();
        self.flags.waddr.next = self.write_at.q.val();
        self.pc.waddr.next = self.write_at.q.val();
        self.value.waddr.next = self.write_at.q.val();
        self.address.waddr.next = self.write_at.q.val();
        self.stored.waddr.next = self.write_at.q.val();
        self.came.waddr.next = self.write_at.q.val();
        self.stamp.waddr.next = self.write_at.q.val();
        self.cause.waddr.next = self.write_at.q.val();

        // almost full in the next cycle: with the log one longer, unchanged, or one shorter; `advance` arrives last
        self.grown.next = (self.length.q.val() >= self.full_level_less.val())
            | (self.almost_full.q.val() & (self.length.q.val() > self.resume_level_less.val()));
        self.same.next = (self.length.q.val() >= self.full_level.val())
            | (self.almost_full.q.val() & (self.length.q.val() > self.resume_level.val()));
        self.shrunk.next = (self.length.q.val() >= self.full_level_more.val())
            | (self.almost_full.q.val() & (self.length.q.val() > self.resume_level_more.val()));
        self.stays_almost_full.next = self.same.val();
        self.leaves_almost_full.next = self.shrunk.val();
        if self.seen.valid.val() {
            self.stays_almost_full.next = self.grown.val();
            self.leaves_almost_full.next = self.same.val();
        }
        self.almost_full_cycles.d.next = 0.into();
        if self.almost_full.q.val() {
            self.almost_full_cycles.d.next = self.almost_full_cycles.q.val() + self.one_6.val();
        }
        self.at_timeout.next = self.almost_full.q.val() & (self.almost_full_cycles.q.val() == self.timeout.val());
        self.almost_full.d.next = self.stays_almost_full.val();
        self.drop_all.d.next = self.stays_almost_full.val() & self.at_timeout.val();
        if self.advance.val() {
            self.almost_full.d.next = self.leaves_almost_full.val();
            self.drop_all.d.next = self.leaves_almost_full.val() & self.at_timeout.val();
        }
        if self.drop_all.q.val() {
            self.almost_full.d.next = false;
            self.drop_all.d.next = false;
        }

        // hits in the log; an instruction that is not valid hits no slot
        self.head_hits.next = self.flags.rdata.val().get_bits::<16>(0);
        self.head_stores.next = self.flags.rdata.val().get_bits::<4>(16);
        self.new_hits.d.next = self.hits.hits.val();
        self.new_stores.d.next = self.hits.stores.val();
        self.new_number.next = 0.into();
        self.removed_number.next = 0.into();
        for i in 0..self._slots {
            self.is_hit.next = self.new_hits.q.val().get_bit(i);
            self.new_number.next = self.new_number.val() + bit_cast::<9, 1>(self.is_hit.val().into());
            self.is_hit.next = self.head_hits.val().get_bit(i);
            self.removed_number.next = self.removed_number.val() + bit_cast::<9, 1>(self.is_hit.val().into());
        }
        for i in 0..self._wide {
            self.is_hit.next = self.new_stores.q.val().get_bit(i);
            self.new_number.next = self.new_number.val() + bit_cast::<9, 1>(self.is_hit.val().into());
            self.is_hit.next = self.head_stores.val().get_bit(i);
            self.removed_number.next = self.removed_number.val() + bit_cast::<9, 1>(self.is_hit.val().into());
        }
        self.pending_1.next = self.pending.q.val() + self.new_number.val();
        self.pending.d.next = self.pending_1.val();

        // the oldest instruction leaves, or all are dropped
        self.next_read.next = self.read_at.q.val();
        self.left_length.next = self.length.q.val();
        if self.advance.val() {
            self.next_read.next = self.read_at.q.val() + self.one_4.val();
            self.left_length.next = self.length.q.val() - self.one_5.val();
            self.pending.d.next = self.pending_1.val() - self.removed_number.val();
        }
        if self.drop_all.q.val() {
            self.next_read.next = self.write_at.q.val();
            self.left_length.next = 0.into();
            self.pending.d.next = 0.into();
        }
        self.read_at.d.next = self.next_read.val();
        self.shown.d.next = self.left_length.val().any();
        self.length.d.next = self.left_length.val();
        if self.seen.valid.val() {
            self.length.d.next = self.left_length.val() + self.one_5.val();
            self.write_at.d.next = self.write_at.q.val() + self.one_4.val();
        }
        self.flags.raddr.next = self.next_read.val();
        self.pc.raddr.next = self.next_read.val();
        self.value.raddr.next = self.next_read.val();
        self.address.raddr.next = self.next_read.val();
        self.stored.raddr.next = self.next_read.val();
        self.came.raddr.next = self.next_read.val();
        self.stamp.raddr.next = self.next_read.val();
        self.cause.raddr.next = self.next_read.val();

        self.written_1.next = 0.into();
        if self.left_length.val().any() {
            self.written_1.next = self.written_.q.val();
        }
        for i in 0..self._registers {
            if self.seen.valid.val() & self.seen.sets.val() & (self.seen.rd.val() == i.to_bits::<5>()) {
                self.written_1.next = self.written_1.val().replace_bit(i, true);
            }
        }
        if self.seen.valid.val() & self.seen.first.val() {
            self.written_1.next = self.all.val();
        }
        self.written_.d.next = self.written_1.val();
        self.written.next = self.written_.q.val();

        self.long.next = self.length.q.val() >= self.stall_level.val();
        self.head.shown.next = self.shown.q.val();
        self.head.hits.next = self.head_hits.val();
        self.head.stores.next = self.head_stores.val();
        self.head.size.next = self.flags.rdata.val().get_bits::<2>(20);
        self.head.store.next = self.flags.rdata.val().get_bit(22);
        self.head.through_sp.next = self.flags.rdata.val().get_bit(23);
        self.head.sets.next = self.flags.rdata.val().get_bit(24);
        self.head.rd.next = self.flags.rdata.val().get_bits::<5>(25);
        self.head.call.next = self.flags.rdata.val().get_bit(30);
        self.head.back.next = self.flags.rdata.val().get_bit(31);
        self.head.pc.next = self.pc.rdata.val();
        self.head.value.next = self.value.rdata.val();
        self.head.address.next = self.address.rdata.val();
        self.head.stored.next = self.stored.rdata.val();
        self.head.came.next = self.came.rdata.val();
        self.head.stamp.next = self.stamp.rdata.val();
        self.head.cause.next = self.cause.rdata.val().get_bits::<9>(0);
        self.head.first.next = self.cause.rdata.val().get_bit(10);
        self.head.resumed.next = self.cause.rdata.val().get_bit(9);
        self.head.almost_full.next = self.almost_full.q.val();
        self.head.drop_all.next = self.drop_all.q.val();
        self.head.waits.next = self.length.q.val().any();
        self.head.pending.next = self.pending_1.val();
        if self.reset.val() {
            self.length.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.shown.d.next = false;
            self.almost_full.d.next = false;
            self.almost_full_cycles.d.next = 0.into();
            self.drop_all.d.next = false;
            self.pending.d.next = 0.into();
            self.new_hits.d.next = 0.into();
            self.new_stores.d.next = 0.into();
        }
    }
}
