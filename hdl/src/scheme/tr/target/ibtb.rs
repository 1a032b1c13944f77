//! iBTB: path information register and two-way indirect branch target buffer
//!
//! It looks up the target of an indirect branch by path and PC, compares it with the actual one, and
//! learns.
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1; with w = 8 + log2 sets:
//! `index = PIR[w-1:8] xor PC[s + log2 sets - 1 : s]`, `tag = PIR[7:0] xor PC[s+13 : s+6]`,
//! `PIR = ((PIR << 2) xor PC[s + w - 1 : s]) | outcome`.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `live` | in | 1 | S2 | 0: the PIR is held at its reset value |
//! | `lookup` | in | 1 | S2 | an indirect branch that is looked up; it enters the path as taken |
//! | `branch` | in | 1 | S2 | a direct conditional branch; it enters the path |
//! | `taken` | in | 1 | S2 | its outcome |
//! | `hash` | in | 14 | S2 | PC >> s |
//! | `target` | in | W | S3, S4 | actual target of the branch that was in S2 one cycle ago |
//! | `sweep`, `index` | in | 1, 5 | S3 | 1: invalidate set `index`; `lookup` must have been 0 |
//! | `hit` | out | 1 | S4 | the target of the branch that was in S2 two cycles ago was found |
//!
//! # Timing
//! One branch per cycle. S2: hashes, tags read. S3: tags compared, way chosen, target read; tag and target
//! written. S4: `hit`, combinational from the memory.
//!
//! # Area
//! * Tags are read first, targets after the way is known, so one memory and one wide comparator serve
//!   both ways.
//! * A tag word holds tag, valid, `bank` and `order`. Each entry has two target words, and `bank` selects the
//!   valid one. The new target goes to the other, so that no word is read and written in one cycle.
//! * The less recently used way is `order_0 xor order_1`. A look-up only writes the tag word of one way, and
//!   sets that way's bit so that the other is next. All zero means way 0, the reset state.
//! * Tag words are written one stage after they are read. For the one instruction between, the tags are
//!   compared before both are in the memory stage, and its bank and order are forwarded.
//!
//! Golden model: [`sim::scheme::tr::target::ibtb`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::ras_ibtb::RasIbtbSizes;
use sim::scheme::tr::target::TargetSizes;

/// An iBTB for targets of at most W bits.
#[derive(crate::LogicBlock, Default)]
pub struct Ibtb<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub live: Signal<In, Bit>,
    pub lookup: Signal<In, Bit>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub hash: Signal<In, Bits<14>>,
    pub target: Signal<In, Bits<W>>,
    pub sweep: Signal<In, Bit>,
    pub index: Signal<In, Bits<5>>,
    pub hit: Signal<Out, Bit>,
    // S2
    pir: DFF<Bits<13>>,
    outcome: Signal<Local, Bit>,
    mixed: Signal<Local, Bits<13>>,
    set_2: Signal<Local, Bits<5>>,
    tag_2: Signal<Local, Bits<8>>,
    tags_0: Mem<5, 11>,
    tags_1: Mem<5, 11>,
    // S3
    lookup_3: DFF<Bit>,
    set_3: DFF<Bits<5>>,
    tag_3: DFF<Bits<8>>,
    same_3: DFF<Bit>,
    tag_same_3: DFF<Bit>,
    last_way: DFF<Bit>,
    last_bank: DFF<Bit>,
    last_order: DFF<Bit>,
    own_0: Signal<Local, Bit>,
    own_1: Signal<Local, Bit>,
    want: Signal<Local, Bits<9>>,
    word_0: Signal<Local, Bits<11>>,
    word_1: Signal<Local, Bits<11>>,
    hit_0: Signal<Local, Bit>,
    hit_1: Signal<Local, Bit>,
    bank_0: Signal<Local, Bit>,
    bank_1: Signal<Local, Bit>,
    order_0: Signal<Local, Bit>,
    order_1: Signal<Local, Bit>,
    way: Signal<Local, Bit>,
    bank: Signal<Local, Bit>,
    new_bank: Signal<Local, Bit>,
    new_order: Signal<Local, Bit>,
    write_set: Signal<Local, Bits<5>>,
    new_word: Signal<Local, Bits<11>>,
    entry: Signal<Local, Bits<7>>,
    targets: Mem<7, W>,
    // S4
    hit_4: DFF<Bit>,
    target_4: DFF<Bits<W>>,
    // bits of index and PIR; valid bit of a tag; bits of a target
    set_mask: Fixed<Bits<5>>,
    pir_mask: Fixed<Bits<13>>,
    valid: Fixed<Bits<9>>,
    word_mask: Fixed<Bits<W>>,
    present: Fixed<Bit>,
}

impl<const W: usize> Ibtb<W> {
    /// The buffer of `sizes.ibtb` entries, which may be 0, for targets of `address_bits` bits;
    /// higher bits of `target` are ignored.
    ///
    /// # Panics
    /// When [`TargetSizes::check`] refuses `sizes`, or unless 1 <= `address_bits` <= W.
    pub fn new(sizes: &RasIbtbSizes, address_bits: usize) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        assert!((1..=W).contains(&address_bits), "address_bits = {address_bits} is outside 1..={W}");
        let present = sizes.ibtb != 0;
        let set_bits = if present { sizes.log2_sets() as usize } else { 1 };
        let width = |bits| if present { bits } else { 0 };
        Self {
            tags_0: Mem::new(set_bits, width(11)),
            tags_1: Mem::new(set_bits, width(11)),
            targets: Mem::new(set_bits + 2, width(address_bits)),
            set_mask: Fixed::of(sizes.sets().saturating_sub(1)),
            pir_mask: Fixed::of((1u64 << sizes.pir_bits()) - 1),
            valid: Fixed::of(0x100_u64),
            word_mask: Fixed::new(Bits::<W>::mask() >> (W - address_bits) as u64),
            present: Fixed::new(present),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Ibtb<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pir, lookup_3, set_3, tag_3, same_3, tag_same_3);
        dff_setup!(self, clock, last_way, last_bank, last_order, hit_4, target_4);
        self.tags_0.clock.next = self.clock.val();
        self.tags_1.clock.next = self.clock.val();
        self.targets.clock.next = self.clock.val();

        // S2: path and hashes
        self.set_2.next = (self.pir.q.val().get_bits::<5>(8) ^ self.hash.val().get_bits::<5>(0)) & self.set_mask.val();
        self.tag_2.next = self.pir.q.val().get_bits::<8>(0) ^ self.hash.val().get_bits::<8>(6);
        self.tags_0.raddr.next = self.set_2.val();
        self.tags_1.raddr.next = self.set_2.val();
        self.outcome.next = self.lookup.val() | self.taken.val();
        self.mixed.next = (self.pir.q.val() << 2) ^ self.hash.val().get_bits::<13>(0);
        if self.lookup.val() | self.branch.val() {
            self.pir.d.next = (self.mixed.val() | bit_cast::<13, 1>(self.outcome.val().into())) & self.pir_mask.val();
        }
        if !self.live.val() {
            self.pir.d.next = 0.into();
        }
        self.lookup_3.d.next = self.lookup.val();
        self.set_3.d.next = self.set_2.val();
        self.tag_3.d.next = self.tag_2.val();
        self.same_3.d.next = (self.set_2.val() == self.set_3.q.val()) & self.lookup_3.q.val();
        self.tag_same_3.d.next = self.tag_2.val() == self.tag_3.q.val();

        // S3: tag words are tag, valid, bank, order from bit 0 up
        self.want.next = bit_cast::<9, 8>(self.tag_3.q.val()) | self.valid.val();
        self.word_0.next = self.tags_0.rdata.val();
        self.word_1.next = self.tags_1.rdata.val();
        self.own_0.next = self.same_3.q.val() & !self.last_way.q.val();
        self.own_1.next = self.same_3.q.val() & self.last_way.q.val();
        self.hit_0.next = self.word_0.val().get_bits::<9>(0) == self.want.val();
        self.bank_0.next = self.word_0.val().get_bit(9);
        self.order_0.next = self.word_0.val().get_bit(10);
        if self.own_0.val() {
            self.hit_0.next = self.tag_same_3.q.val();
            self.bank_0.next = self.last_bank.q.val();
            self.order_0.next = self.last_order.q.val();
        }
        self.hit_1.next = self.word_1.val().get_bits::<9>(0) == self.want.val();
        self.bank_1.next = self.word_1.val().get_bit(9);
        self.order_1.next = self.word_1.val().get_bit(10);
        if self.own_1.val() {
            self.hit_1.next = self.tag_same_3.q.val();
            self.bank_1.next = self.last_bank.q.val();
            self.order_1.next = self.last_order.q.val();
        }
        self.way.next = self.order_0.val() ^ self.order_1.val();
        if self.hit_0.val() {
            self.way.next = false;
        }
        if self.hit_1.val() {
            self.way.next = true;
        }
        // makes the other way order_0 ^ order_1
        self.bank.next = self.bank_0.val();
        self.new_order.next = !self.order_1.val();
        if self.way.val() {
            self.bank.next = self.bank_1.val();
            self.new_order.next = self.order_0.val();
        }
        self.new_bank.next = !self.bank.val();
        self.last_way.d.next = self.way.val();
        self.last_bank.d.next = self.new_bank.val();
        self.last_order.d.next = self.new_order.val();

        self.write_set.next = self.set_3.q.val();
        self.new_word.next = bit_cast::<11, 9>(self.want.val())
            | (bit_cast::<11, 1>(self.new_bank.val().into()) << 9)
            | (bit_cast::<11, 1>(self.new_order.val().into()) << 10);
        if self.sweep.val() {
            self.write_set.next = self.index.val();
            self.new_word.next = 0.into();
        }
        self.tags_0.waddr.next = self.write_set.val();
        self.tags_0.wdata.next = self.new_word.val();
        self.tags_0.we.next = (self.lookup_3.q.val() & !self.way.val()) | self.sweep.val();
        self.tags_1.waddr.next = self.write_set.val();
        self.tags_1.wdata.next = self.new_word.val();
        self.tags_1.we.next = (self.lookup_3.q.val() & self.way.val()) | self.sweep.val();

        self.entry.next = (bit_cast::<7, 5>(self.set_3.q.val()) << 2) | (bit_cast::<7, 1>(self.way.val().into()) << 1);
        self.targets.raddr.next = self.entry.val() | bit_cast::<7, 1>(self.bank.val().into());
        self.targets.waddr.next = self.entry.val() | bit_cast::<7, 1>(self.new_bank.val().into());
        self.targets.wdata.next = self.target.val();
        self.targets.we.next = self.lookup_3.q.val();
        // without memories the comparison with the predecessor is disabled, too
        self.hit_4.d.next = (self.hit_0.val() | self.hit_1.val()) & self.present.val();
        self.target_4.d.next = self.target.val() & self.word_mask.val();

        // S4
        self.hit.next = self.hit_4.q.val() & (self.targets.rdata.val() == self.target_4.q.val());
    }
}
