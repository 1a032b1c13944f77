//! Link queue: packets of a generator that leave the chip, which other packets of the generator pass
//!
//! Packets to the host, and to nodes that send to the host, wait when the link is busy. Those that yield wait here.
//! When the destination of the queue's packet refuses it while another packet waits, the router gives it back, and
//! the other one is sent first. They take turns, so that neither is starved.
//!
//! # Source
//! Original to this project; `docs/maintainers/decisions/0062-counts-do-not-wait.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: discards all packets |
//! | `put` | in | | packets of the generator, from its network interface |
//! | `to_queue` | in | 1 | with `put`: the packet yields, and goes to the queue, which must have room |
//! | `room` | out | 1 | a packet that yields is accepted |
//! | `drops` | in | 1 | a packet that yields was lost: none is accepted until half of the queue is free |
//! | `out` | out | | packets to the router |
//! | `sent` | in | 1 | the packet in the router was taken, is for nobody, or is malformed |
//! | `withdraw` | out | 1 | the router gives the packet back if it is refused |
//!
//! Bundles: [`crate::noc::ports`].
//!
//! # Timing
//! A packet that does not yield passes without delay while none of the queue is sent. One of the queue is at `out` one
//! cycle after its last word. Between a packet of the queue and the next one at `out` there is one cycle.
//!
//! Golden model: `sim::diag::link_queue`, packet by packet.

use crate::noc::ports::{PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::link_queue::PACKETS;

/// A queue of packets that yield to others.
#[derive(LogicBlock, Default)]
pub struct LinkQueue {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub put: PacketIn,
    pub to_queue: Signal<In, Bit>,
    pub room: Signal<Out, Bit>,
    pub drops: Signal<In, Bit>,
    pub out: PacketOut,
    pub sent: Signal<In, Bit>,
    pub withdraw: Signal<Out, Bit>,

    // the queue: a packet has 16 words, the first at 0
    packets: Mem<8, 16>,
    write_slot: DFF<Bits<4>>,
    write_at: DFF<Bits<4>>,
    // words of the packet at `put` still to come
    write_left: DFF<Bits<4>>,
    stores: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    read_slot: DFF<Bits<4>>,
    next_slot: Signal<Local, Bits<4>>,
    read_at: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    length: DFF<Bits<5>>,
    length_1: Signal<Local, Bits<5>>,
    recovering: DFF<Bit>,

    // words of the packet at `out` still to come, and whether it is of the queue
    left: DFF<Bits<4>>,
    of_queue: DFF<Bit>,
    other: Signal<Local, Bit>,
    queued: Signal<Local, Bit>,
    from_queue: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    // the last packet was another one
    turn: DFF<Bit>,
    // the queue's packet is in the router; its fate is known
    waiting: DFF<Bit>,
    done: DFF<Bit>,
    over: Signal<Local, Bit>,
    popped: Signal<Local, Bit>,

    all: Fixed<Bits<5>>,
    half_more: Fixed<Bits<5>>,
    one: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
}

impl LinkQueue {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            packets: Mem::new(8, 16),
            all: Fixed::of(PACKETS as u64),
            half_more: Fixed::of(PACKETS as u64 / 2 + 1),
            one: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for LinkQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, write_slot, write_at, write_left, read_slot, read_at, length, recovering, left, of_queue,
            turn, waiting, done
        );
        clock!(self, clock, packets);

        // into the queue
        self.room.next = !self.recovering.q.val() & (self.length.q.val() != self.all.val());
        self.stores.next = self.put.valid.val() & self.to_queue.val();
        self.stored.next = false;
        self.packets.we.next = self.stores.val();
        self.packets.waddr.next =
            (bit_cast::<8, 4>(self.write_slot.q.val()) << 4) | bit_cast::<8, 4>(self.write_at.q.val());
        self.packets.wdata.next = self.put.word.val();
        if self.stores.val() {
            self.write_at.d.next = self.write_at.q.val() + self.one.val();
            if self.write_left.q.val().any() {
                self.write_left.d.next = self.write_left.q.val() - self.one.val();
            } else {
                self.write_left.d.next = self.put.word.val().get_bits::<4>(12) + self.one.val();
            }
            if self.write_left.q.val() == self.one.val() {
                self.stored.next = true;
                self.write_at.d.next = 0.into();
                self.write_slot.d.next = self.write_slot.q.val() + self.one.val();
            }
        }

        // a packet of the queue, or another one
        self.other.next = self.put.valid.val() & !self.to_queue.val();
        self.queued.next = self.length.q.val().any();
        self.from_queue.next = self.queued.val() & (self.turn.q.val() | !self.other.val());
        if self.left.q.val().any() {
            self.from_queue.next = self.of_queue.q.val();
        }
        self.out.valid.next = !self.waiting.q.val() & (self.from_queue.val() | self.other.val());
        self.out.word.next = self.put.word.val();
        if self.from_queue.val() {
            self.out.word.next = self.packets.rdata.val();
        }
        self.put.ready.next =
            self.to_queue.val() | (self.out.ready.val() & !self.waiting.q.val() & !self.from_queue.val());
        self.takes.next = self.out.ready.val() & !self.waiting.q.val() & (self.from_queue.val() | self.other.val());
        self.withdraw.next = self.waiting.q.val() & self.other.val();

        self.next_read.next = self.read_at.q.val();
        if self.sent.val() {
            self.done.d.next = true;
        }
        if self.takes.val() {
            self.of_queue.d.next = self.from_queue.val();
            if self.left.q.val().any() {
                self.left.d.next = self.left.q.val() - self.one.val();
            } else {
                self.left.d.next = self.out.word.val().get_bits::<4>(12) + self.one.val();
                self.turn.d.next = !self.from_queue.val();
                self.done.d.next = false;
            }
            if self.from_queue.val() {
                self.next_read.next = self.read_at.q.val() + self.one.val();
                if self.left.q.val() == self.one.val() {
                    self.waiting.d.next = true;
                    self.next_read.next = 0.into();
                }
            }
        }

        // the router is free again: the packet was taken, or given back
        self.over.next = self.waiting.q.val() & self.out.ready.val();
        self.popped.next = self.over.val() & self.done.q.val();
        if self.over.val() {
            self.waiting.d.next = false;
        }
        if self.drops.val() {
            self.recovering.d.next = true;
        }
        self.next_slot.next = self.read_slot.q.val();
        self.length_1.next = self.length.q.val();
        if self.popped.val() {
            self.next_slot.next = self.read_slot.q.val() + self.one.val();
            self.length_1.next = self.length.q.val() - self.one_5.val();
            if self.length.q.val() <= self.half_more.val() {
                self.recovering.d.next = false;
            }
        }
        self.length.d.next = self.length_1.val();
        if self.stored.val() {
            self.length.d.next = self.length_1.val() + self.one_5.val();
        }
        self.read_slot.d.next = self.next_slot.val();
        self.read_at.d.next = self.next_read.val();
        self.packets.raddr.next =
            (bit_cast::<8, 4>(self.next_slot.val()) << 4) | bit_cast::<8, 4>(self.next_read.val());

        if self.reset.val() {
            self.write_slot.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.write_left.d.next = 0.into();
            self.read_slot.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.length.d.next = 0.into();
            self.recovering.d.next = false;
            self.left.d.next = 0.into();
            self.of_queue.d.next = false;
            self.turn.d.next = false;
            self.waiting.d.next = false;
            self.done.d.next = false;
        }
    }
}
