//! First-access filter: turns a core's accesses into records of the values that the host cannot know
//!
//! Tags, flags and replacement order of one cache are in memories. The cache's data are not stored, because only the host
//! needs them. An access processes its lines one after the other.
//!
//! # Source
//! Paper 003 sections 3.3 and 4.4, figures 3.4 and 4.41; which flags are set: `docs/maintainers/decisions/0014-load-values.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `rst` | in | 1 | clears the cache and all other state; at any time |
//! | `valid`, `ready` | in, out | 1 | an access is valid; it is taken at this edge if both are 1 |
//! | `op` | in | 3 | see below |
//! | `addr`, `size` | in | 32, 2 | byte address; log2 of the bytes, up to 3 |
//! | `value` | in | 32 | value of a load or of another source, zero-extended; 0 for an `sc` that stored |
//! | `record`, `record_ready` | out, in | 1 | a record waits; it is taken at this edge if both are 1 |
//! | `fah`, `record_size`, `record_value` | out | 32, 2, 32 | its fields |
//! | `idle` | out | 1 | no access is in progress and no record waits: `count` and `signature` include all accesses taken |
//! | `count`, `signature` | out | 32 | values since the last record; signature of all values: the fields of a stop |
//!
//! | `op` | the core |
//! | --- | --- |
//! | [`LOAD`] | loads from memory; also an atomic, which stores to memory, too |
//! | [`STORE`] | stores |
//! | [`VALUE`] | takes an external value: a device's load, an open CSR, 1 of a failed `sc` |
//! | [`STORED`] | has stored with an `sc`, outside memory |
//! | [`CLEAR`] | does nothing; another core stores |
//! | [`CONDITIONAL`] | has stored with an `sc`: [`STORE`] and [`STORED`] at once |
//!
//! # Timing
//! After `rst`, and at power-up, clearing takes one cycle per set. An access in one line takes 2 cycles, one in two lines 4, a value
//! without a line 1. The next access is taken with the record of the one before, or later. Latency of a record: 2, 4 or 1 cycles.
//!
//! Golden models: [`sim::scheme::cfiat::cache`], [`sim::scheme::cfiat::model`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::cfiat::params::{Flags, Replacement, Sizes};

/// Most ways that the circuit supports.
pub const WAYS: usize = 4;

/// `op`: a load.
pub const LOAD: u8 = 0;
/// `op`: a store.
pub const STORE: u8 = 1;
/// `op`: an external value.
pub const VALUE: u8 = 2;
/// `op`: an `sc` that stored, outside memory.
pub const STORED: u8 = 3;
/// `op`: another core's store.
pub const CLEAR: u8 = 4;
/// `op`: an `sc` that stored.
pub const CONDITIONAL: u8 = 5;

/// A first-access filter of one 32-bit core.
#[derive(LogicBlock, Default)]
pub struct Filter {
    pub clock: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub op: Signal<In, Bits<3>>,
    pub addr: Signal<In, Bits<32>>,
    pub size: Signal<In, Bits<2>>,
    pub value: Signal<In, Bits<32>>,
    pub record: Signal<Out, Bit>,
    pub record_ready: Signal<In, Bit>,
    pub fah: Signal<Out, Bits<32>>,
    pub record_size: Signal<Out, Bits<2>>,
    pub record_value: Signal<Out, Bits<32>>,
    pub idle: Signal<Out, Bit>,
    pub count: Signal<Out, Bits<32>>,
    pub signature: Signal<Out, Bits<32>>,
    // bit 0 of a tag word: the line is valid
    tags: [Mem<14, 32>; 4],
    flags: [Mem<14, 64>; 4],
    order: Mem<14, 8>,
    // 0: waits, 1: first line, 2: reads the second line, 3: second line
    state: DFF<Bits<2>>,
    // 0 at power-up, which starts the sweep
    swept: DFF<Bit>,
    sweeping: Signal<Local, Bit>,
    sweep_index: DFF<Bits<14>>,
    op_1: DFF<Bits<3>>,
    line_1: DFF<Bits<32>>,
    offset_1: DFF<Bits<7>>,
    size_1: DFF<Bits<2>>,
    value_1: DFF<Bits<32>>,
    known_1: DFF<Bit>,
    // the record, and its inputs
    record_waits: DFF<Bit>,
    fah_2: DFF<Bits<32>>,
    size_2: DFF<Bits<2>>,
    value_2: DFF<Bits<32>>,
    known: DFF<Bits<32>>,
    // the signature, inverted: all ones at power-up
    inverse: DFF<Bits<32>>,
    check: Signal<Local, Bits<32>>,
    // an access is taken
    is_idle: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    by_line: Signal<Local, Bit>,
    line: Signal<Local, Bits<32>>,
    // the line that is compared
    comparing: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    line_address: Signal<Local, Bits<32>>,
    next_line: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<32>>,
    tag: Signal<Local, Bits<32>>,
    raddr: Signal<Local, Bits<14>>,
    bytes: Signal<Local, Bits<7>>,
    end_offset: Signal<Local, Bits<7>>,
    rest: Signal<Local, Bits<7>>,
    crosses: Signal<Local, Bit>,
    begins: Signal<Local, Bits<7>>,
    ends: Signal<Local, Bits<7>>,
    from_up: Signal<Local, Bits<7>>,
    to_up: Signal<Local, Bits<7>>,
    first_touched: Signal<Local, Bits<7>>,
    end_touched: Signal<Local, Bits<7>>,
    first_whole: Signal<Local, Bits<7>>,
    end_whole: Signal<Local, Bits<7>>,
    touched: Signal<Local, Bits<64>>,
    whole: Signal<Local, Bits<64>>,
    equal: Signal<Local, Bits<4>>,
    hit: Signal<Local, Bit>,
    held: Signal<Local, Bits<64>>,
    all_set: Signal<Local, Bit>,
    // replacement order of the set
    rank: [Signal<Local, Bits<2>>; 4],
    older: [Signal<Local, Bits<2>>; 4],
    fresh: [Signal<Local, Bits<2>>; 4],
    was: Signal<Local, Bits<2>>,
    victims: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<4>>,
    fresh_order: Signal<Local, Bits<8>>,
    // writes
    clears: Signal<Local, Bit>,
    uses: Signal<Local, Bit>,
    waddr: Signal<Local, Bits<14>>,
    set_tags: Signal<Local, Bits<4>>,
    set_flags: Signal<Local, Bits<4>>,
    wtag: Signal<Local, Bits<32>>,
    wflags: Signal<Local, Bits<64>>,
    // decision about the value
    last: Signal<Local, Bit>,
    decides: Signal<Local, Bit>,
    is_known: Signal<Local, Bit>,
    record_data: Signal<Local, Bits<32>>,
    width: Signal<Local, Bits<2>>,
    one_more: Signal<Local, Bits<32>>,
    shifted: Signal<Local, Bits<32>>,
    odd: Signal<Local, Bit>,
    next_index: Signal<Local, Bits<14>>,
    // shifts and masks of line, set, granule
    line_shift: Fixed<Bits<5>>,
    set_shift: Fixed<Bits<5>>,
    granule_shift: Fixed<Bits<3>>,
    set_mask: Fixed<Bits<14>>,
    line_mask: Fixed<Bits<7>>,
    line_bytes: Fixed<Bits<7>>,
    round_up: Fixed<Bits<7>>,
    all_flags: Fixed<Bits<64>>,
    most: Fixed<Bits<32>>,
    oldest: Fixed<Bits<2>>,
    present: Fixed<Bits<4>>,
    is_lru: Fixed<Bit>,
    empty_order: Fixed<Bits<8>>,
    polynomial: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    one_14: Fixed<Bits<14>>,
    one_2: Fixed<Bits<2>>,
    one_7: Fixed<Bits<7>>,
}

fn four<T>(make: impl Fn(usize) -> T) -> [T; WAYS] {
    std::array::from_fn(make)
}

impl Filter {
    /// The filter with a cache of `sizes`; their coding and `shared` are ignored.
    ///
    /// # Panics
    /// When [`Sizes::check`] refuses `sizes`, or the circuit does not support them.
    pub fn new(sizes: &Sizes) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        let unsupported_reason = Self::unsupported_reason(sizes);
        assert!(unsupported_reason.is_none(), "{}", unsupported_reason.unwrap_or_default());
        let (sets, ways, line) = (sizes.sets(), usize::from(sizes.ways), u32::from(sizes.line));
        let (set_bits, line_bits) = (sets.trailing_zeros(), line.trailing_zeros());
        // tag: the address above line and set, and the valid bit
        let width = (32 - set_bits - line_bits + 1) as usize;
        let depth = (set_bits as usize).max(1);
        let of = |i: usize, bits: usize| if i < ways { bits } else { 0 };
        Self {
            tags: four(|i| Mem::new(depth, of(i, width))),
            flags: four(|i| Mem::new(depth, of(i, sizes.line_flags() as usize))),
            order: Mem::new(depth, if ways > 1 { 2 * ways } else { 0 }),
            line_shift: Fixed::of(line_bits),
            set_shift: Fixed::of(set_bits),
            granule_shift: Fixed::of(u32::from(sizes.granule).trailing_zeros()),
            set_mask: Fixed::of(sets - 1),
            line_mask: Fixed::of(line - 1),
            line_bytes: Fixed::of(line),
            round_up: Fixed::of(sizes.granule - 1),
            all_flags: Fixed::of(u64::MAX >> (64 - sizes.line_flags())),
            most: Fixed::of(u32::MAX >> (32 - u32::from(sizes.count_bits))),
            oldest: Fixed::of(ways as u64 - 1),
            present: Fixed::of((1u64 << ways) - 1),
            is_lru: Fixed::new(sizes.replacement == Replacement::Lru),
            // rank i of way i: the highest is replaced first
            empty_order: Fixed::of(0b11_10_01_00u64),
            polynomial: Fixed::of(0xedb8_8320u32),
            one: Fixed::of(1u32),
            one_14: Fixed::of(1u32),
            one_2: Fixed::of(1u32),
            one_7: Fixed::of(1u32),
            ..Default::default()
        }
    }

    /// Why the circuit does not support `sizes`.
    pub fn unsupported_reason(sizes: &Sizes) -> Option<String> {
        let right = match () {
            () if usize::from(sizes.ways) > WAYS => "at most 4 ways",
            () if sizes.line < 8 => "lines of 8 bytes or more",
            () if sizes.sets() > 1 << 14 => "at most 16384 sets",
            () if sizes.flags == Flags::Touched && sizes.granule > 1 => "flags that a host can follow",
            () => return None,
        };
        Some(format!("{sizes} has no circuit, {right} have"))
    }
}

impl Logic for Filter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, swept, sweep_index, op_1, line_1, offset_1, size_1, value_1, known_1);
        dff_setup!(self, clock, record_waits, fah_2, size_2, value_2, known, inverse);
        self.sweeping.next = !self.swept.q.val();
        self.check.next = !self.inverse.q.val();
        self.order.clock.next = self.clock.val();

        // an access is taken
        self.is_idle.next = (self.state.q.val() == 0) & !self.sweeping.val();
        self.free.next = self.is_idle.val() & (!self.record_waits.q.val() | self.record_ready.val());
        self.take.next = self.valid.val() & self.free.val();
        self.by_line.next = (self.op.val() != 2) & (self.op.val() != 3);
        self.line.next = self.addr.val() >> self.line_shift.val();
        if self.take.val() {
            self.op_1.d.next = self.op.val();
            self.line_1.d.next = self.line.val();
            self.offset_1.d.next = self.addr.val().get_bits::<7>(0) & self.line_mask.val();
            self.size_1.d.next = self.size.val();
            self.value_1.d.next = self.value.val();
        }

        // the line that is compared, the granules in it that the access touches, and those that it covers
        self.comparing.next = (self.state.q.val() == 1) | (self.state.q.val() == 3);
        self.second.next = (self.state.q.val() == 2) | (self.state.q.val() == 3);
        self.next_line.next = self.line_1.q.val() + self.one.val();
        self.line_address.next = self.line_1.q.val();
        if self.second.val() {
            self.line_address.next = self.next_line.val();
        }
        self.upper.next = self.line_address.val() >> self.set_shift.val();
        self.tag.next = (self.upper.val() << 1) | self.one.val();
        self.bytes.next = self.one_7.val() << self.size_1.q.val();
        self.end_offset.next = self.offset_1.q.val() + self.bytes.val();
        self.crosses.next = self.end_offset.val() > self.line_bytes.val();
        self.rest.next = self.end_offset.val() - self.line_bytes.val();
        self.begins.next = self.offset_1.q.val();
        self.ends.next = self.end_offset.val();
        if self.crosses.val() {
            self.ends.next = self.line_bytes.val();
        }
        if self.second.val() {
            self.begins.next = 0.into();
            self.ends.next = self.rest.val();
        }
        self.from_up.next = self.begins.val() + self.round_up.val();
        self.to_up.next = self.ends.val() + self.round_up.val();
        self.first_touched.next = self.begins.val() >> self.granule_shift.val();
        self.end_touched.next = self.to_up.val() >> self.granule_shift.val();
        self.first_whole.next = self.from_up.val() >> self.granule_shift.val();
        self.end_whole.next = self.ends.val() >> self.granule_shift.val();
        self.touched.next = 0.into();
        self.whole.next = 0.into();
        for i in 0..64 {
            if (self.first_touched.val() <= i.to_bits::<7>()) & (self.end_touched.val() > i.to_bits::<7>()) {
                self.touched.next = self.touched.val().replace_bit(i, true);
            }
            if (self.first_whole.val() <= i.to_bits::<7>()) & (self.end_whole.val() > i.to_bits::<7>()) {
                self.whole.next = self.whole.val().replace_bit(i, true);
            }
        }

        // no line has more flags
        self.touched.next = self.touched.val() & self.all_flags.val();
        self.whole.next = self.whole.val() & self.all_flags.val();

        // the first line is read when the access is taken, the second one a cycle after the first is written
        self.raddr.next = self.line.val().get_bits::<14>(0) & self.set_mask.val();
        if self.second.val() {
            self.raddr.next = self.next_line.val().get_bits::<14>(0) & self.set_mask.val();
        }
        self.order.raddr.next = self.raddr.val();
        self.equal.next = 0.into();
        self.held.next = 0.into();
        for i in 0..4 {
            self.tags[i].clock.next = self.clock.val();
            self.flags[i].clock.next = self.clock.val();
            self.tags[i].raddr.next = self.raddr.val();
            self.flags[i].raddr.next = self.raddr.val();
            if self.tags[i].rdata.val() == self.tag.val() {
                self.equal.next = self.equal.val().replace_bit(i, true);
                self.held.next = self.flags[i].rdata.val();
            }
        }
        self.hit.next = self.equal.val().any();
        self.all_set.next = self.hit.val() & ((self.held.val() & self.touched.val()) == self.touched.val());

        // the way: one that holds the line, else the oldest
        self.rank[0].next = self.order.rdata.val().get_bits::<2>(0);
        self.rank[1].next = self.order.rdata.val().get_bits::<2>(2);
        self.rank[2].next = self.order.rdata.val().get_bits::<2>(4);
        self.rank[3].next = self.order.rdata.val().get_bits::<2>(6);
        self.victims.next = 0.into();
        for i in 0..4 {
            if self.rank[i].val() == self.oldest.val() {
                self.victims.next = self.victims.val().replace_bit(i, true);
            }
        }
        self.chosen.next = self.victims.val() & self.present.val();
        if self.hit.val() {
            self.chosen.next = self.equal.val();
        }
        self.was.next = 0.into();
        for i in 0..4 {
            if self.chosen.val().get_bit(i) {
                self.was.next = self.rank[i].val();
            }
        }
        for i in 0..4 {
            self.older[i].next = self.rank[i].val() + self.one_2.val();
            self.fresh[i].next = self.rank[i].val();
            if self.rank[i].val() < self.was.val() {
                self.fresh[i].next = self.older[i].val();
            }
            if self.chosen.val().get_bit(i) {
                self.fresh[i].next = 0.into();
            }
        }
        self.fresh_order.next = bit_cast::<8, 2>(self.fresh[0].val())
            | (bit_cast::<8, 2>(self.fresh[1].val()) << 2)
            | (bit_cast::<8, 2>(self.fresh[2].val()) << 4)
            | (bit_cast::<8, 2>(self.fresh[3].val()) << 6);

        // writes
        self.clears.next = self.comparing.val() & (self.op_1.q.val() == 4);
        self.uses.next = self.comparing.val() & (self.op_1.q.val() != 4);
        self.waddr.next = self.line_address.val().get_bits::<14>(0) & self.set_mask.val();
        self.wtag.next = self.tag.val();
        self.wflags.next = self.whole.val();
        self.set_tags.next = 0.into();
        self.set_flags.next = 0.into();
        if self.uses.val() {
            self.set_flags.next = self.chosen.val();
            if self.hit.val() {
                self.wflags.next = self.held.val() | self.whole.val();
            } else {
                self.set_tags.next = self.chosen.val();
            }
        }
        if self.clears.val() {
            self.set_flags.next = self.equal.val();
            self.wflags.next = 0.into();
        }
        self.order.we.next = self.uses.val() & (self.is_lru.val() | !self.hit.val());
        self.order.wdata.next = self.fresh_order.val();
        if self.sweeping.val() {
            self.waddr.next = self.sweep_index.q.val();
            self.wtag.next = 0.into();
            self.set_tags.next = self.present.val();
            self.order.we.next = true;
            self.order.wdata.next = self.empty_order.val();
        }
        self.order.waddr.next = self.waddr.val();
        for i in 0..4 {
            self.tags[i].waddr.next = self.waddr.val();
            self.tags[i].wdata.next = self.wtag.val();
            self.tags[i].we.next = self.set_tags.val().get_bit(i);
            self.flags[i].waddr.next = self.waddr.val();
            self.flags[i].wdata.next = self.wflags.val();
            self.flags[i].we.next = self.set_flags.val().get_bit(i);
        }

        // next state
        self.last.next = (self.state.q.val() == 3) | ((self.state.q.val() == 1) & !self.crosses.val());
        if self.state.q.val() == 1 {
            self.known_1.d.next = self.all_set.val();
            self.state.d.next = 0.into();
            if self.crosses.val() {
                self.state.d.next = 2.into();
            }
        }
        if self.state.q.val() == 2 {
            self.state.d.next = 3.into();
        }
        if self.state.q.val() == 3 {
            self.state.d.next = 0.into();
        }
        if self.take.val() & self.by_line.val() {
            self.state.d.next = 1.into();
        }

        // a value: counted as known, or recorded
        self.decides.next = (self.last.val() & ((self.op_1.q.val() == 0) | (self.op_1.q.val() == 5)))
            | (self.take.val() & !self.by_line.val());
        self.is_known.next =
            (self.all_set.val() & (self.known_1.q.val() | (self.state.q.val() == 1))) | (self.op_1.q.val() == 5);
        self.record_data.next = self.value_1.q.val();
        self.width.next = self.size_1.q.val();
        if self.take.val() {
            self.is_known.next = self.op.val() == 3;
            self.record_data.next = self.value.val();
            self.width.next = self.size.val();
        }
        self.one_more.next = self.known.q.val() + self.one.val();
        // the signature, five steps per word
        self.shifted.next = self.check.val();
        for _i in 0..5 {
            self.odd.next = self.shifted.val().get_bit(0);
            self.shifted.next = self.shifted.val() >> 1;
            if self.odd.val() {
                self.shifted.next = self.shifted.val() ^ self.polynomial.val();
            }
        }
        if self.record_waits.q.val() & self.record_ready.val() {
            self.record_waits.d.next = false;
        }
        if self.decides.val() {
            if self.is_known.val() & (self.known.q.val() != self.most.val()) {
                self.known.d.next = self.one_more.val();
            } else {
                self.record_waits.d.next = true;
                self.fah_2.d.next = self.known.q.val();
                self.size_2.d.next = self.width.val();
                self.value_2.d.next = self.record_data.val();
                self.known.d.next = 0.into();
            }
            self.inverse.d.next = !(self.shifted.val() ^ self.record_data.val());
        }

        // clearing
        self.next_index.next = self.sweep_index.q.val() + self.one_14.val();
        if self.sweeping.val() {
            self.sweep_index.d.next = self.next_index.val();
            if self.sweep_index.q.val() == self.set_mask.val() {
                self.swept.d.next = true;
            }
        }
        if self.rst.val() {
            self.swept.d.next = false;
            self.sweep_index.d.next = 0.into();
            self.state.d.next = 0.into();
            self.record_waits.d.next = false;
            self.known.d.next = 0.into();
            self.inverse.d.next = 0.into();
        }

        self.ready.next = self.free.val();
        self.record.next = self.record_waits.q.val();
        self.fah.next = self.fah_2.q.val();
        self.record_size.next = self.size_2.q.val();
        self.record_value.next = self.value_2.q.val();
        self.idle.next = self.is_idle.val() & !self.record_waits.q.val();
        self.count.next = self.known.q.val();
        self.signature.next = self.check.val();
    }
}
