//! Stream cache: maps stream descriptors to indices
//!
//! It looks a descriptor up, stores it on a miss, and maintains the order of use.
//!
//! # Source
//! Paper 001 section II, "Stream Cache", and equation 3. Index 0 (way 0 of set 0) is never used.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `lookup` | in | 1 | S3 | a stream is valid |
//! | `start` | in | W | S3 | its start address, without the `align` low bits |
//! | `length` | in | 10 | S3 | its SL, not 0 |
//! | `sweep`, `sweep_index` | in | 1, 10 | S4 | 1: clear set `sweep_index`; has priority over a stream |
//! | `lookup_5`, `hit` | out | 1 | S5 | a stream is valid; it was in the cache |
//! | `index` | out | 10 | S5 | SCI of its entry; 0 where its set cannot hold a stream |
//!
//! # Timing
//! One stream per cycle. S3: hash, all ways of a set read. S4: compared, entry and order written. A set that is
//! read in the cycle in which it is written is forwarded from the write.
//!
//! # Replacement order
//! Each way has a rank in its set: 0 was used last, ways - 1 is replaced next. A use increments all lower ranks and
//! sets its own to 0. Ranks are stored as bit planes, with ways x log2 ways bits per set. Way 0 of set 0 is never used, so
//! it keeps the highest rank, and the way with the next one below is replaced.
//!
//! Golden model: [`sim::scheme::sc_lsp::cache`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::sc_lsp::Hash;

/// The widest SL that the circuit supports, in bits.
pub const LENGTH_PORT_BITS: usize = 10;

/// A stream cache, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct StreamCache<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub lookup: Signal<In, Bit>,
    pub start: Signal<In, Bits<W>>,
    pub length: Signal<In, Bits<10>>,
    pub sweep: Signal<In, Bit>,
    pub sweep_index: Signal<In, Bits<10>>,
    pub lookup_5: Signal<Out, Bit>,
    pub hit: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<10>>,
    // S3
    low: Signal<Local, Bits<20>>,
    up: Signal<Local, Bits<20>>,
    down: Signal<Local, Bits<20>>,
    set_3: Signal<Local, Bits<10>>,
    own_start: Signal<Local, Bits<W>>,
    starts: [Mem<10, W>; 8],
    lengths: [Mem<10, 10>; 8],
    ranks: Mem<10, 24>,
    // S4
    lookup_4: DFF<Bit>,
    start_4: DFF<Bits<W>>,
    length_4: DFF<Bits<10>>,
    set_4: DFF<Bits<10>>,
    same_set_4: DFF<Bit>,
    same_stream_4: DFF<Bit>,
    last_way: DFF<Bits<8>>,
    last_word: DFF<Bits<24>>,
    word: Signal<Local, Bits<24>>,
    word_1: Signal<Local, Bits<24>>,
    word_2: Signal<Local, Bits<24>>,
    plane_0: Signal<Local, Bits<8>>,
    plane_1: Signal<Local, Bits<8>>,
    plane_2: Signal<Local, Bits<8>>,
    rank: [Signal<Local, Bits<3>>; 8],
    older: [Signal<Local, Bits<3>>; 8],
    fresh: [Signal<Local, Bits<3>>; 8],
    matches: [Signal<Local, Bit>; 8],
    hits: Signal<Local, Bits<8>>,
    victims: Signal<Local, Bits<8>>,
    chosen: Signal<Local, Bits<8>>,
    any_hit: Signal<Local, Bit>,
    first_set: Signal<Local, Bit>,
    reserved: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<3>>,
    was: Signal<Local, Bits<3>>,
    fresh_0: Signal<Local, Bits<8>>,
    fresh_1: Signal<Local, Bits<8>>,
    fresh_2: Signal<Local, Bits<8>>,
    fresh_word: Signal<Local, Bits<24>>,
    store: Signal<Local, Bits<8>>,
    write_set: Signal<Local, Bits<10>>,
    write_length: Signal<Local, Bits<10>>,
    way: Signal<Local, Bits<10>>,
    // S5
    live_5: DFF<Bit>,
    hit_5: DFF<Bit>,
    index_5: DFF<Bits<10>>,
    // shifts of the hash; bits of a set index, of a stored start, of the order of a set; number of ways
    shift_up: Fixed<Bits<4>>,
    shift_down: Fixed<Bits<4>>,
    set_mask: Fixed<Bits<10>>,
    start_mask: Fixed<Bits<W>>,
    present: Fixed<Bits<8>>,
    single: Fixed<Bit>,
    way_bits: Fixed<Bits<2>>,
    plane_at: Fixed<Bits<5>>,
    plane_2_at: Fixed<Bits<5>>,
    word_mask: Fixed<Bits<24>>,
    empty_word: Fixed<Bits<24>>,
    highest: Fixed<Bits<3>>,
    highest_0: Fixed<Bits<3>>,
    one: Fixed<Bits<3>>,
    two: Fixed<Bits<3>>,
    four: Fixed<Bits<3>>,
    odd_1: Fixed<Bits<8>>,
    odd_2: Fixed<Bits<8>>,
    odd_4: Fixed<Bits<8>>,
}

fn eight<T>(make: impl Fn(usize) -> T) -> [T; 8] {
    std::array::from_fn(make)
}

impl<const W: usize> StreamCache<W> {
    /// The stream cache for `params`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, their scheme is not `sc-lsp`, or SL has more than
    /// [`LENGTH_PORT_BITS`] bits.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        assert!(usize::from(sc.sl_bits) <= LENGTH_PORT_BITS, "sl_bits = {} is outside 6..=10", sc.sl_bits);
        let (ways, way_bits) = (usize::from(sc.ways), sc.way_bits() as usize);
        let address = sc.entry_address_bits(params.address_bits()) as usize;
        let set_bits = (sc.set_bits() as usize).max(1);
        let (align, shift) = (params.align, sc.shift);
        // shifts of the byte address; the low `align` bits were dropped before
        let (up, down) = match sc.hash {
            Hash::Left => (shift + align, 0),
            Hash::Right => (align.saturating_sub(shift), shift.saturating_sub(align)),
        };
        // rank of way i is ways - 1 - i, bit by bit
        let empty = (0..ways)
            .fold(0u64, |w, i| (0..way_bits).fold(w, |w, b| w | (((ways - 1 - i) >> b & 1) as u64) << (b * ways + i)));
        let width = |i: usize, bits: usize| if i < ways { bits } else { 0 };
        Self {
            starts: eight(|i| Mem::new(set_bits, width(i, address))),
            lengths: eight(|i| Mem::new(set_bits, width(i, sc.sl_bits.into()))),
            ranks: Mem::new(set_bits, ways * way_bits),
            shift_up: Fixed::of(up),
            shift_down: Fixed::of(down),
            set_mask: Fixed::of(sc.sets - 1),
            start_mask: Fixed::new(Bits::<W>::mask() >> (W - address) as u64),
            present: Fixed::of((1u64 << ways) - 1),
            single: Fixed::new(ways == 1),
            way_bits: Fixed::of(way_bits as u64),
            plane_at: Fixed::of(ways as u64),
            plane_2_at: Fixed::of(2 * ways as u64),
            word_mask: Fixed::of((1u64 << (ways * way_bits)) - 1),
            empty_word: Fixed::of(empty),
            highest: Fixed::of(ways as u64 - 1),
            highest_0: Fixed::new((ways as u64).saturating_sub(2).to_bits::<3>()),
            one: Fixed::new(1.into()),
            two: Fixed::new(2.into()),
            four: Fixed::new(4.into()),
            odd_1: Fixed::of(0xaa_u64),
            odd_2: Fixed::of(0xcc_u64),
            odd_4: Fixed::of(0xf0_u64),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for StreamCache<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lookup_4, start_4, length_4, set_4, same_set_4, same_stream_4, last_way, last_word);
        dff_setup!(self, clock, live_5, hit_5, index_5);
        self.ranks.clock.next = self.clock.val();

        // S3: iSet
        self.low.next = self.start.val().get_bits::<20>(0);
        self.up.next = self.low.val() << self.shift_up.val();
        self.down.next = self.up.val() >> self.shift_down.val();
        self.set_3.next = (self.down.val().get_bits::<10>(0) ^ self.length.val()) & self.set_mask.val();
        self.own_start.next = self.start.val() & self.start_mask.val();
        self.ranks.raddr.next = self.set_3.val();
        self.lookup_4.d.next = self.lookup.val();
        self.start_4.d.next = self.own_start.val();
        self.length_4.d.next = self.length.val();
        self.set_4.d.next = self.set_3.val();
        self.same_set_4.d.next = (self.set_3.val() == self.set_4.q.val()) & self.lookup_4.q.val();
        self.same_stream_4.d.next =
            (self.own_start.val() == self.start_4.q.val()) & (self.length.val() == self.length_4.q.val());

        // S4: order of the set
        self.word.next = self.ranks.rdata.val();
        if self.same_set_4.q.val() {
            self.word.next = self.last_word.q.val();
        }
        self.word_1.next = self.word.val() >> self.plane_at.val();
        self.word_2.next = self.word.val() >> self.plane_2_at.val();
        self.plane_0.next = self.word.val().get_bits::<8>(0) & self.present.val();
        self.plane_1.next = self.word_1.val().get_bits::<8>(0) & self.present.val();
        self.plane_2.next = self.word_2.val().get_bits::<8>(0) & self.present.val();
        self.first_set.next = !self.set_4.q.val().any();
        self.reserved.next = self.first_set.val() & self.single.val();
        self.oldest.next = self.highest.val();
        if self.first_set.val() {
            self.oldest.next = self.highest_0.val();
        }

        // the way: one that holds the stream, else the oldest
        self.hits.next = 0.into();
        self.victims.next = 0.into();
        for i in 0..8 {
            self.starts[i].clock.next = self.clock.val();
            self.lengths[i].clock.next = self.clock.val();
            self.starts[i].raddr.next = self.set_3.val();
            self.lengths[i].raddr.next = self.set_3.val();
            self.rank[i].next = 0.into();
            if self.plane_0.val().get_bit(i) {
                self.rank[i].next = self.one.val();
            }
            if self.plane_1.val().get_bit(i) {
                self.rank[i].next = self.rank[i].val() | self.two.val();
            }
            if self.plane_2.val().get_bit(i) {
                self.rank[i].next = self.rank[i].val() | self.four.val();
            }
            self.matches[i].next = (self.lengths[i].rdata.val() == self.length_4.q.val())
                & (self.starts[i].rdata.val() == self.start_4.q.val());
            if self.same_set_4.q.val() & self.last_way.q.val().get_bit(i) {
                self.matches[i].next = self.same_stream_4.q.val();
            }
            self.hits.next = self.hits.val().replace_bit(i, self.matches[i].val());
            self.victims.next = self.victims.val().replace_bit(i, self.rank[i].val() == self.oldest.val());
        }
        self.any_hit.next = self.hits.val().any();
        self.chosen.next = self.victims.val() & self.present.val();
        if self.reserved.val() {
            self.chosen.next = 0.into();
        }
        if self.any_hit.val() {
            self.chosen.next = self.hits.val();
        }

        // the new order
        self.was.next = 0.into();
        for i in 0..8 {
            if self.chosen.val().get_bit(i) {
                self.was.next = self.rank[i].val();
            }
        }
        self.fresh_0.next = 0.into();
        self.fresh_1.next = 0.into();
        self.fresh_2.next = 0.into();
        for i in 0..8 {
            self.older[i].next = self.rank[i].val() + self.one.val();
            self.fresh[i].next = self.rank[i].val();
            if self.rank[i].val() < self.was.val() {
                self.fresh[i].next = self.older[i].val();
            }
            if self.chosen.val().get_bit(i) {
                self.fresh[i].next = 0.into();
            }
            self.fresh_0.next = self.fresh_0.val().replace_bit(i, self.fresh[i].val().get_bit(0));
            self.fresh_1.next = self.fresh_1.val().replace_bit(i, self.fresh[i].val().get_bit(1));
            self.fresh_2.next = self.fresh_2.val().replace_bit(i, self.fresh[i].val().get_bit(2));
        }
        self.fresh_word.next = (bit_cast::<24, 8>(self.fresh_0.val() & self.present.val())
            | (bit_cast::<24, 8>(self.fresh_1.val() & self.present.val()) << self.plane_at.val())
            | (bit_cast::<24, 8>(self.fresh_2.val() & self.present.val()) << self.plane_2_at.val()))
            & self.word_mask.val();
        self.last_way.d.next = self.chosen.val();
        self.last_word.d.next = self.fresh_word.val();

        // writes
        self.store.next = 0.into();
        if self.lookup_4.q.val() & !self.any_hit.val() {
            self.store.next = self.chosen.val();
        }
        self.write_set.next = self.set_4.q.val();
        self.write_length.next = self.length_4.q.val();
        self.ranks.wdata.next = self.fresh_word.val();
        if self.sweep.val() {
            self.write_set.next = self.sweep_index.val();
            self.write_length.next = 0.into();
            self.ranks.wdata.next = self.empty_word.val();
        }
        self.ranks.waddr.next = self.write_set.val();
        self.ranks.we.next = self.lookup_4.q.val() | self.sweep.val();
        for i in 0..8 {
            self.starts[i].waddr.next = self.write_set.val();
            self.starts[i].wdata.next = self.start_4.q.val();
            self.starts[i].we.next = self.store.val().get_bit(i);
            self.lengths[i].waddr.next = self.write_set.val();
            self.lengths[i].wdata.next = self.write_length.val();
            self.lengths[i].we.next = self.store.val().get_bit(i) | self.sweep.val();
        }

        self.way.next = bit_cast::<10, 1>((self.chosen.val() & self.odd_1.val()).any().into())
            | (bit_cast::<10, 1>((self.chosen.val() & self.odd_2.val()).any().into()) << 1)
            | (bit_cast::<10, 1>((self.chosen.val() & self.odd_4.val()).any().into()) << 2);
        self.live_5.d.next = self.lookup_4.q.val();
        self.hit_5.d.next = self.any_hit.val();
        self.index_5.d.next = bit_cast::<10, 10>(self.set_4.q.val() << self.way_bits.val()) | self.way.val();

        // S5
        self.lookup_5.next = self.live_5.q.val();
        self.hit.next = self.hit_5.q.val();
        self.index.next = self.index_5.q.val();
    }
}
