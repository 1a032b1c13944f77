//! Router: a node's connection to the token ring
//!
//! Forwards a word in every cycle. Holds one packet of its client, sends it in place of the token and the token after
//! it, and removes it from the ring when it has come around. If the destination had no free entry, the packet is sent
//! again, or given back. Packets to its own address are copied; the router marks in their first word whether there was a free entry,
//! and stores them until the client has read them.
//!
//! # Source
//! Paper 004 section 4; `docs/maintainers/decisions/0011-token-ring.md`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: discards all packets; the first router of a ring then creates the token |
//! | `from` | in | the word from the previous router; packets of 17 words do not occur |
//! | `to` | out | the word to the next router |
//! | `put` | in | a packet to send; its source is filled in here; ready while no packet is held |
//! | `got` | out | packets for this node, oldest first |
//! | `fate` | out | the outcome of packets |
//! | `withdraw` | in | 1: a packet that was refused is not sent again but given back: the router is free, without a fate. The client must put it again, since its destination reserves an entry for this sender |
//!
//! All but `reset` and `withdraw` are the bundles of [`super::ports`].
//!
//! # Timing
//! `to` is registered: a hop takes one cycle. A packet is sent with the first token that arrives at least one cycle
//! after its last word was put. A received packet is shown in the cycle after its last word; its entry is free in the
//! cycle after its last word was read. `fate` follows the word at `from`, `malformed` the word at `put`, in the same
//! cycle.
//!
//! # Addressing
//! In memory, the first word of a packet is at address 0 and the others are at LEN + 1 down to 1. The address of a word
//! is thus the number of words still to come, and a single counter serves as address and end condition.
//!
//! Golden model: `sim::diag::ring::RingNode`.

use super::ports::{FateOut, HopIn, HopOut, PacketIn, PacketOut};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::packet::{BROADCAST, HOST, NODES, REFUSED, TAKEN};
use sim::diag::ring::TOKEN;

/// A router of the token ring.
#[derive(LogicBlock, Default)]
pub struct Router {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub from: HopIn,
    pub to: HopOut,
    pub put: PacketIn,
    pub got: PacketOut,
    pub fate: FateOut,
    pub withdraw: Signal<In, Bit>,

    // the word at the input
    dest: Signal<Local, Bits<6>>,
    src: Signal<Local, Bits<6>>,
    passing: Signal<Local, Bit>,
    is_token: Signal<Local, Bit>,
    token: Signal<Local, Bit>,
    head: Signal<Local, Bit>,
    body: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    own: Signal<Local, Bit>,
    here: Signal<Local, Bit>,
    to_all: Signal<Local, Bit>,
    // words of the current packet still to come, and what is done with them
    left: DFF<Bits<4>>,
    copying: DFF<Bit>,
    stripping: DFF<Bit>,

    // received packets
    packets: Mem<8, 16>,
    has_free_entry: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    takes_broadcast: Signal<Local, Bit>,
    stored: Signal<Local, Bit>,
    freed: Signal<Local, Bit>,
    write_at: Signal<Local, Bits<4>>,
    write_slot: DFF<Bits<4>>,
    read_slot: DFF<Bits<4>>,
    next_slot: Signal<Local, Bits<4>>,
    read_at: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    count: DFF<Bits<5>>,
    // the source for which the next free entry is reserved
    reserved: DFF<Bit>,
    reserved_for: DFF<Bits<6>>,

    // the packet to send
    packet: Mem<4, 16>,
    put_take: Signal<Local, Bit>,
    put_length: Signal<Local, Bits<4>>,
    put_dest: Signal<Local, Bits<6>>,
    put_at: DFF<Bits<4>>,
    bad_dest: DFF<Bit>,
    full: DFF<Bit>,
    on_ring: DFF<Bit>,
    refused: DFF<Bit>,
    send_at: DFF<Bits<4>>,
    next_send: Signal<Local, Bits<4>>,
    sends: Signal<Local, Bit>,
    token_next: DFF<Bit>,

    out_valid: DFF<Bit>,
    out: DFF<Bits<16>>,

    address: Fixed<Bits<6>>,
    first: Fixed<Bit>,
    all: Fixed<Bits<5>>,
    slots: Fixed<Bits<4>>,
    taken: Fixed<Bits<6>>,
    refuses: Fixed<Bits<6>>,
    broadcast: Fixed<Bits<6>>,
    token_word: Fixed<Bits<16>>,
    not_dest: Fixed<Bits<16>>,
    not_src: Fixed<Bits<16>>,
    longest: Fixed<Bits<4>>,
    one: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
}

impl Router {
    /// The router of `address`, with a FIFO for 2^`log2_packets` received packets; `first`: it creates the token.
    ///
    /// # Panics
    /// Unless `address` is that of a node or of the host, and `log2_packets` is at most 4.
    pub fn new(address: u8, log2_packets: usize, first: bool) -> Self {
        assert!(address < NODES || address == HOST, "address {address} is not that of a node");
        assert!(log2_packets <= 4, "log2_packets = {log2_packets} is outside 0..=4");
        Self {
            packets: Mem::new(4 + log2_packets, 16),
            packet: Mem::new(4, 16),
            address: Fixed::of(address),
            first: Fixed::new(first),
            all: Fixed::of(1u64 << log2_packets),
            slots: Fixed::of((1u64 << log2_packets) - 1),
            taken: Fixed::of(TAKEN),
            refuses: Fixed::of(REFUSED),
            broadcast: Fixed::of(BROADCAST),
            token_word: Fixed::of(TOKEN),
            not_dest: Fixed::of(0xf03fu64),
            not_src: Fixed::of(0xffc0u64),
            longest: Fixed::of(15u64),
            one: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Router {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            left,
            copying,
            stripping,
            write_slot,
            read_slot,
            read_at,
            count,
            reserved,
            reserved_for,
            put_at,
            bad_dest,
            full,
            on_ring,
            refused,
            send_at,
            token_next,
            out_valid,
            out
        );
        clock!(self, clock, packets, packet);

        // a word inside a packet may look like the token
        self.dest.next = self.from.word.val().get_bits::<6>(6);
        self.src.next = self.from.word.val().get_bits::<6>(0);
        self.passing.next = self.left.q.val().any();
        self.is_token.next = self.from.word.val() == self.token_word.val();
        self.token.next = self.from.valid.val() & !self.passing.val() & self.is_token.val();
        self.head.next = self.from.valid.val() & !self.passing.val() & !self.is_token.val();
        self.body.next = self.from.valid.val() & self.passing.val();
        self.ends.next = self.from.valid.val() & (self.left.q.val() == self.one.val());
        self.own.next = self.head.val() & (self.src.val() == self.address.val());
        self.here.next = self.head.val() & !self.own.val() & (self.dest.val() == self.address.val());
        self.to_all.next = self.head.val() & !self.own.val() & (self.dest.val() == self.broadcast.val());

        // a reserved entry is for its source only, however many entries are free by now
        self.has_free_entry.next = self.count.q.val() != self.all.val();
        self.other.next = self.reserved.q.val() & (self.reserved_for.q.val() != self.src.val());
        self.takes.next = self.here.val() & self.has_free_entry.val() & !self.other.val();
        self.takes_broadcast.next = self.to_all.val() & self.has_free_entry.val() & !self.reserved.q.val();
        if self.takes.val() {
            self.reserved.d.next = false;
        }
        if self.here.val() & !self.has_free_entry.val() & !self.other.val() {
            self.reserved.d.next = true;
            self.reserved_for.d.next = self.src.val();
        }

        self.write_at.next = self.left.q.val();
        if self.body.val() {
            self.left.d.next = self.left.q.val() - self.one.val();
        }
        if self.head.val() {
            self.left.d.next = self.from.word.val().get_bits::<4>(12) + self.one.val();
            self.copying.d.next = self.takes.val() | self.takes_broadcast.val();
            self.stripping.d.next = self.own.val();
        }

        // received packets
        self.stored.next = self.ends.val() & self.copying.q.val();
        self.packets.we.next = self.takes.val() | self.takes_broadcast.val() | (self.body.val() & self.copying.q.val());
        self.packets.wdata.next = self.from.word.val();
        self.packets.waddr.next =
            (bit_cast::<8, 4>(self.write_slot.q.val()) << 4) | bit_cast::<8, 4>(self.write_at.val());
        if self.stored.val() {
            self.write_slot.d.next = bit_cast::<4, 4>(self.write_slot.q.val() + self.one.val()) & self.slots.val();
        }
        self.got.valid.next = self.count.q.val().any();
        self.got.word.next = self.packets.rdata.val();
        self.next_read.next = self.read_at.q.val();
        self.next_slot.next = self.read_slot.q.val();
        self.freed.next = false;
        if self.count.q.val().any() & self.got.ready.val() {
            if self.read_at.q.val().any() {
                self.next_read.next = self.read_at.q.val() - self.one.val();
            } else {
                self.next_read.next = self.packets.rdata.val().get_bits::<4>(12) + self.one.val();
            }
            if self.read_at.q.val() == self.one.val() {
                self.next_slot.next = bit_cast::<4, 4>(self.read_slot.q.val() + self.one.val()) & self.slots.val();
                self.freed.next = true;
            }
        }
        self.read_at.d.next = self.next_read.val();
        self.read_slot.d.next = self.next_slot.val();
        self.packets.raddr.next =
            (bit_cast::<8, 4>(self.next_slot.val()) << 4) | bit_cast::<8, 4>(self.next_read.val());
        if self.stored.val() & !self.freed.val() {
            self.count.d.next = self.count.q.val() + self.one_5.val();
        }
        if self.freed.val() & !self.stored.val() {
            self.count.d.next = self.count.q.val() - self.one_5.val();
        }

        // the packet to send
        self.put.ready.next = !self.full.q.val();
        self.put_take.next = self.put.valid.val() & !self.full.q.val();
        self.put_length.next = self.put.word.val().get_bits::<4>(12);
        self.put_dest.next = self.put.word.val().get_bits::<6>(6);
        self.packet.we.next = self.put_take.val();
        self.packet.waddr.next = self.put_at.q.val();
        self.packet.wdata.next = self.put.word.val();
        self.fate.malformed.next = false;
        if self.put_take.val() {
            if self.put_at.q.val().any() {
                self.put_at.d.next = self.put_at.q.val() - self.one.val();
                if self.put_at.q.val() == self.one.val() {
                    self.full.d.next = !self.bad_dest.q.val();
                    self.fate.malformed.next = self.bad_dest.q.val();
                }
            } else {
                // a packet of 17 words is malformed: `put_at` wraps to 0, so only this word is consumed
                self.put_at.d.next = self.put_length.val() + self.one.val();
                self.fate.malformed.next = self.put_length.val() == self.longest.val();
                self.bad_dest.d.next =
                    (self.put_dest.val() == self.taken.val()) | (self.put_dest.val() == self.refuses.val());
            }
        }
        if !self.put_at.q.val().any() {
            self.packet.wdata.next = (self.put.word.val() & self.not_src.val()) | bit_cast::<16, 6>(self.address.val());
        }

        // the first word is back, with the outcome; the last word is back
        self.fate.delivered.next =
            self.own.val() & ((self.dest.val() == self.taken.val()) | (self.dest.val() == self.broadcast.val()));
        self.fate.again.next = self.own.val() & (self.dest.val() == self.refuses.val());
        self.fate.absent.next = self.own.val()
            & (self.dest.val() != self.taken.val())
            & (self.dest.val() != self.broadcast.val())
            & (self.dest.val() != self.refuses.val());
        self.fate.missed.next = self.to_all.val() & !self.takes_broadcast.val();
        if self.own.val() {
            self.refused.d.next = self.dest.val() == self.refuses.val();
        }
        if self.ends.val() & self.stripping.q.val() {
            self.on_ring.d.next = false;
            if !self.refused.q.val() | self.withdraw.val() {
                self.full.d.next = false;
            }
        }

        // forwarding
        self.out_valid.d.next = self.from.valid.val() & !self.own.val() & !(self.body.val() & self.stripping.q.val());
        self.out.d.next = self.from.word.val();
        if self.here.val() {
            self.out.d.next =
                (self.from.word.val() & self.not_dest.val()) | (bit_cast::<16, 6>(self.refuses.val()) << 6);
        }
        if self.takes.val() {
            self.out.d.next = (self.from.word.val() & self.not_dest.val()) | (bit_cast::<16, 6>(self.taken.val()) << 6);
        }
        self.sends.next = !self.token_next.q.val()
            & (self.send_at.q.val().any() | (self.token.val() & self.full.q.val() & !self.on_ring.q.val()));
        self.next_send.next = self.send_at.q.val();
        self.token_next.d.next = false;
        if self.sends.val() {
            self.out_valid.d.next = true;
            self.out.d.next = self.packet.rdata.val();
            self.on_ring.d.next = true;
            if self.send_at.q.val().any() {
                self.next_send.next = self.send_at.q.val() - self.one.val();
            } else {
                self.next_send.next = self.packet.rdata.val().get_bits::<4>(12) + self.one.val();
            }
            self.token_next.d.next = self.send_at.q.val() == self.one.val();
        }
        self.send_at.d.next = self.next_send.val();
        self.packet.raddr.next = self.next_send.val();
        if self.token_next.q.val() {
            self.out_valid.d.next = true;
            self.out.d.next = self.token_word.val();
        }
        self.to.valid.next = self.out_valid.q.val();
        self.to.word.next = self.out.q.val();

        if self.reset.val() {
            self.left.d.next = 0.into();
            self.copying.d.next = false;
            self.stripping.d.next = false;
            self.write_slot.d.next = 0.into();
            self.read_slot.d.next = 0.into();
            self.read_at.d.next = 0.into();
            self.count.d.next = 0.into();
            self.reserved.d.next = false;
            self.reserved_for.d.next = 0.into();
            self.put_at.d.next = 0.into();
            self.bad_dest.d.next = false;
            self.full.d.next = false;
            self.on_ring.d.next = false;
            self.refused.d.next = false;
            self.send_at.d.next = 0.into();
            self.token_next.d.next = self.first.val();
            self.out_valid.d.next = false;
            self.out.d.next = 0.into();
        }
    }
}
