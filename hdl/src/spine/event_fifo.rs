//! Event FIFO: holds the entries of one core until the encoder reads them
//!
//! # Source
//! `docs/explanation/trace-module.md`; the entry: [`super::entry`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty |
//! | `entry` | in | | an entry, see [`super::entry`]; ignored when the FIFO is full, or ([`EventFifo::reserved`]) never sent then |
//! | `taken` | out | 1 | the entry of this cycle is written |
//! | `full` | out | 1 | fewer than three entries were free in the cycle before; if 0, at least two are free now, whatever was pushed |
//! | `have` | out | 1 | an entry is in the FIFO, and its fields are at `word` |
//! | `pop` | in | 1 | remove the oldest entry; only while `have` is 1 |
//! | `field` | in | 2 | the field of the oldest entry to read, with `pop` that of the one after it: [`FIELD_COUNT`] .. [`FIELD_TARGET`] |
//! | `word` | out | W | the field selected at the last edge |
//! | `cc`, `hist` | out | 32 | `cc` of the entry, in time-stamped systems; its `hist`, where the layout has one |
//!
//! # Timing
//! An entry pushed at an edge is read in the next cycle and valid (`have`) in the one after it. After a pop, the next entry is
//! valid at once. `word`, `cc` and `hist` follow `field` and `pop` by one cycle.
//!
//! Where addresses come early ([`EntryLayout::early`]), they are written in every cycle, at the next value of the write pointer.
//! An entry's addresses are thus written one cycle before its other fields, from the stage before the decision, and need no
//! further register. The location at the write pointer is never a valid entry, and never read.
//!
//! # Pointers
//! There are no counters. The pointers are shift registers that walk through the 2^k - 1 states of a primitive polynomial (all
//! ones is not one of them). A step takes one gate where a counter takes an adder. Equal pointers mean an empty FIFO, so
//! 2^k - 2 entries fit. No adder follows `pop`, which arrives late in the cycle.

use super::entry::{EntryLayout, CC_PORT_BITS, COUNT_PORT_BITS};
use super::ports::EntryIn;
use crate::widget::field_mem::FieldMem;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::pair_mem::PairMem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Widest address: 2^8 entries, the depth of an iCE40 block RAM.
const A: usize = 8;

/// `field`: bcnt in the low `count_bits` bits, then two bits `pre`, two bits `post`.
pub const FIELD_COUNT: u8 = 0;
/// `field`: icnt in the low `count_bits` bits, then `context_value`.
pub const FIELD_INSTRUCTIONS: u8 = 1;
/// `field`: pc.
pub const FIELD_PC: u8 = 2;
/// `field`: target.
pub const FIELD_TARGET: u8 = 3;

/// Feedback of a primitive polynomial of degree k: x^i at bit i - 1.
pub(super) const fn taps(k: usize) -> u64 {
    match k {
        2 => 0x3,
        3 => 0x6,
        4 => 0xc,
        5 => 0x14,
        6 => 0x30,
        7 => 0x60,
        _ => 0xb8,
    }
}

/// The event FIFO of one core; `W` is the width of the address ports.
#[derive(LogicBlock, Default)]
pub struct EventFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub entry: EntryIn<W>,
    pub taken: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub pop: Signal<In, Bit>,
    pub field: Signal<In, Bits<2>>,
    pub word: Signal<Out, Bits<W>>,
    pub cc: Signal<Out, Bits<32>>,
    pub hist: Signal<Out, Bits<32>>,
    // whole entries, or counts and addresses in memories of their own
    entries: FieldMem<8, W>,
    counts: PairMem<8, W>,
    addresses: PairMem<8, W>,
    early: Fixed<Bit>,
    is_address: DFF<Bit>,
    ccs: Mem<8, 32>,
    hists: Mem<8, 32>,
    write: DFF<Bits<8>>,
    read: DFF<Bits<8>>,
    after_write: Signal<Local, Bits<8>>,
    write_plus_2: Signal<Local, Bits<8>>,
    write_plus_3: Signal<Local, Bits<8>>,
    few_free: DFF<Bit>,
    next_write: Signal<Local, Bits<8>>,
    after_read: Signal<Local, Bits<8>>,
    next_read: Signal<Local, Bits<8>>,
    read_valid: DFF<Bit>,
    write_bit: Signal<Local, Bit>,
    after_bit: Signal<Local, Bit>,
    bit_plus_2: Signal<Local, Bit>,
    read_bit: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    none: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    reserved: Fixed<Bit>,
    kinds: Signal<Local, Bits<W>>,
    first: Signal<Local, Bits<W>>,
    second: Signal<Local, Bits<W>>,
    mask: Fixed<Bits<8>>,
    feedback: Fixed<Bits<8>>,
    count_bits: Fixed<Bits<6>>,
    contexts: Fixed<Bit>,
}

impl<const W: usize> EventFifo<W> {
    /// A FIFO of 2^`log2_depth` - 2 entries of `layout`.
    ///
    /// # Panics
    /// Unless 3 <= `log2_depth` <= 8 and the layout fits `W`.
    pub fn new(layout: &EntryLayout, log2_depth: usize) -> Self {
        assert!((3..=A).contains(&log2_depth), "log2_depth = {log2_depth} is outside 3..={A}");
        assert!(
            layout.count_bits <= COUNT_PORT_BITS && layout.cc_bits <= CC_PORT_BITS && layout.hist_bits <= CC_PORT_BITS
        );
        let (counts, width) = (layout.count_bits + layout.context_bits.max(4), layout.address_bits);
        assert!(counts <= width && width <= W, "address_bits = {width} is outside {counts}..={W}");
        let of = |used: bool, width| if used { width } else { 0 };
        Self {
            entries: FieldMem::new(log2_depth, of(!layout.early, width)),
            counts: PairMem::new(log2_depth, of(layout.early, counts)),
            addresses: PairMem::new(log2_depth, of(layout.early, width)),
            early: Fixed::new(layout.early),
            contexts: Fixed::new(layout.context_bits > 0),
            ccs: Mem::new(log2_depth, layout.cc_bits),
            hists: Mem::new(log2_depth, layout.hist_bits),
            mask: Fixed::of((1u64 << log2_depth) - 1),
            feedback: Fixed::of(taps(log2_depth)),
            count_bits: Fixed::of(layout.count_bits as u64),
            ..Default::default()
        }
    }

    /// Omits the check for a free entry: each entry was reserved before ([`super::credits`]).
    pub fn reserved(mut self) -> Self {
        self.reserved = Fixed::new(true);
        self
    }
}

impl<const W: usize> Logic for EventFifo<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, read_valid, few_free, is_address);
        clock!(self, clock, entries, counts, addresses, ccs, hists);

        // the inverted feedback makes all zeros, the state at power-up, part of the cycle
        self.write_bit.next = !(self.write.q.val() & self.feedback.val()).xor();
        self.after_write.next = (bit_cast::<8, 8>(self.write.q.val() << 1)
            | bit_cast::<8, 1>(self.write_bit.val().into()))
            & self.mask.val();
        self.after_bit.next = !(self.after_write.val() & self.feedback.val()).xor();
        self.write_plus_2.next = (bit_cast::<8, 8>(self.after_write.val() << 1)
            | bit_cast::<8, 1>(self.after_bit.val().into()))
            & self.mask.val();
        self.bit_plus_2.next = !(self.write_plus_2.val() & self.feedback.val()).xor();
        self.write_plus_3.next = (bit_cast::<8, 8>(self.write_plus_2.val() << 1)
            | bit_cast::<8, 1>(self.bit_plus_2.val().into()))
            & self.mask.val();
        self.read_bit.next = !(self.read.q.val() & self.feedback.val()).xor();
        self.after_read.next =
            (bit_cast::<8, 8>(self.read.q.val() << 1) | bit_cast::<8, 1>(self.read_bit.val().into())) & self.mask.val();
        self.is_full.next = self.after_write.val() == self.read.q.val();
        self.none.next = self.write.q.val() == self.read.q.val();
        self.few_free.d.next = self.is_full.val()
            | (self.write_plus_2.val() == self.read.q.val())
            | (self.write_plus_3.val() == self.read.q.val());
        self.full.next = self.few_free.q.val();

        self.accept.next = self.entry.push.val() & (!self.is_full.val() | self.reserved.val());
        self.taken.next = self.accept.val();
        self.ccs.we.next = self.accept.val();
        self.ccs.waddr.next = self.write.q.val();
        self.hists.we.next = self.accept.val();
        self.hists.waddr.next = self.write.q.val();
        self.hists.wdata.next = self.entry.hist.val();
        self.hist.next = self.hists.rdata.val();

        self.kinds.next = bit_cast::<W, 2>(self.entry.pre.val()) | (bit_cast::<W, 2>(self.entry.post.val()) << 2);
        self.ccs.wdata.next = self.entry.cc.val();
        self.cc.next = self.ccs.rdata.val();

        self.next_write.next = self.write.q.val();
        if self.accept.val() {
            self.next_write.next = self.after_write.val();
        }
        if self.reset.val() {
            self.next_write.next = 0.into();
        }
        self.write.d.next = self.next_write.val();
        // the entry read next is valid if it was written before
        self.next_read.next = self.read.q.val();
        self.read_valid.d.next = !self.none.val();
        if self.pop.val() {
            self.next_read.next = self.after_read.val();
            self.read_valid.d.next = !self.none.val() & (self.after_read.val() != self.write.q.val());
        }
        self.read.d.next = self.next_read.val();
        self.ccs.raddr.next = self.next_read.val();
        self.hists.raddr.next = self.next_read.val();

        self.first.next = bit_cast::<W, 24>(self.entry.bcnt.val()) | (self.kinds.val() << self.count_bits.val());
        self.second.next = bit_cast::<W, 24>(self.entry.icnt.val());
        if self.contexts.val() {
            self.second.next = bit_cast::<W, 24>(self.entry.icnt.val())
                | (bit_cast::<W, 19>(self.entry.context_value.val()) << self.count_bits.val());
        }
        self.entries.raddr.next = self.next_read.val();
        self.entries.field.next = self.field.val();
        self.entries.we.next = self.accept.val();
        self.entries.waddr.next = self.write.q.val();
        self.entries.w0.next = self.first.val();
        self.entries.w1.next = self.second.val();
        self.entries.w2.next = self.entry.pc.val();
        self.entries.w3.next = self.entry.target.val();

        self.counts.raddr.next = self.next_read.val();
        self.counts.second.next = self.field.val().get_bit(0);
        self.counts.we.next = self.accept.val();
        self.counts.waddr.next = self.write.q.val();
        self.counts.w0.next = self.first.val();
        self.counts.w1.next = self.second.val();
        self.addresses.raddr.next = self.next_read.val();
        self.addresses.second.next = self.field.val().get_bit(0);
        self.addresses.we.next = true;
        self.addresses.waddr.next = self.next_write.val();
        self.addresses.w0.next = self.entry.pc.val();
        self.addresses.w1.next = self.entry.target.val();

        self.is_address.d.next = self.field.val().get_bit(1);
        self.word.next = self.entries.rdata.val();
        if self.early.val() {
            self.word.next = self.counts.rdata.val();
            if self.is_address.q.val() {
                self.word.next = self.addresses.rdata.val();
            }
        }
        if self.reset.val() {
            self.read.d.next = 0.into();
            self.read_valid.d.next = false;
            self.few_free.d.next = false;
        }
        self.have.next = self.read_valid.q.val();
    }
}
