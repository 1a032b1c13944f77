//! Target tables: the last target by address, and by address and path, as slots of a dictionary
//!
//! The table with paths (T1) decides where it has an entry with confidence, or the other one (T0) has none.
//!
//! # Source
//! Golden models [`sim::scheme::follow::last`] and [`sim::scheme::follow::path`]; with n = log2 entries, T0 has index `pr ^ pr >> n`, T1
//! index `pr ^ pr >> (n - 1) ^ F`, tag `pr ^ pr >> 6 ^ Fa ^ Fb << 1`, where F, Fa and Fb are the last 12 bits of the history folded to
//! n, 6 and 5 bits.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear`, `step`, `newest`, `recent` | in | | S2 | the history, as in [`super::folded`] |
//! | `sweep`, `at` | in | 1, 12 | | 1: entry `at` of both tables is cleared; `lookup` must be 0 |
//! | `lookup`, `pr` | in | 1, 16 | S2 | an indirect jump or call; its hashed address |
//! | `slot` | in | 8 | S4 | the slot of its target |
//! | `right` | out | 1 | S4 | the slot that the tables predict is that of the target |
//! | `sure` | out | 1 | S4 | the confidence of the table that decides is 2 or 3 |
//! | `has_other`, `other_right` | out | 1 | S4 | the table that does not decide predicts another slot; it is that one |
//!
//! # Timing
//! One branch per cycle. S2: places and tags. S3: entries are read. S4: prediction, combinational from the memories; entries are written. An entry that is
//! read while it is written is forwarded from a register.
//!
//! Golden model: [`sim::scheme::follow::targets`].

use super::folded::Folded;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Tables of at most 256 entries each.
#[derive(LogicBlock, Default)]
pub struct TargetTables {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub newest: Signal<In, Bit>,
    pub recent: Signal<In, Bits<22>>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub lookup: Signal<In, Bit>,
    pub pr: Signal<In, Bits<16>>,
    pub slot: Signal<In, Bits<8>>,
    pub right: Signal<Out, Bit>,
    pub sure: Signal<Out, Bit>,
    pub has_other: Signal<Out, Bit>,
    pub other_right: Signal<Out, Bit>,
    // S2
    index_history: Folded,
    tag_history: Folded,
    tag_history_5: Folded,
    last_shifted: Signal<Local, Bits<16>>,
    path_shifted: Signal<Local, Bits<16>>,
    last_index_2: Signal<Local, Bits<8>>,
    path_index_2: Signal<Local, Bits<8>>,
    tag_2: Signal<Local, Bits<6>>,
    // S3
    lookup_3: DFF<Bit>,
    last_index_3: DFF<Bits<8>>,
    path_index_3: DFF<Bits<8>>,
    tag_3: DFF<Bits<6>>,
    // S4; an entry is its confidence, its slot and, of a path, tag and valid bit, from bit 0 up
    lookup_4: DFF<Bit>,
    last_index_4: DFF<Bits<8>>,
    path_index_4: DFF<Bits<8>>,
    tag_4: DFF<Bits<6>>,
    same_last_4: DFF<Bit>,
    same_path_4: DFF<Bit>,
    lasts: Mem<8, 10>,
    paths: Mem<8, 17>,
    written_last: DFF<Bits<10>>,
    written_path: DFF<Bits<17>>,
    last: Signal<Local, Bits<10>>,
    path: Signal<Local, Bits<17>>,
    last_slot: Signal<Local, Bits<8>>,
    path_slot: Signal<Local, Bits<8>>,
    above_slot: Signal<Local, Bits<17>>,
    tag_and_valid: Signal<Local, Bits<7>>,
    last_sure: Signal<Local, Bits<2>>,
    path_sure: Signal<Local, Bits<2>>,
    hit: Signal<Local, Bit>,
    last_right: Signal<Local, Bit>,
    path_right: Signal<Local, Bit>,
    path_decides: Signal<Local, Bit>,
    new_last_sure: Signal<Local, Bits<2>>,
    new_path_sure: Signal<Local, Bits<2>>,
    new_path_slot: Signal<Local, Bits<8>>,
    new_path_tag: Signal<Local, Bits<7>>,
    new_last: Signal<Local, Bits<10>>,
    new_path: Signal<Local, Bits<17>>,
    writes_path: Signal<Local, Bit>,
    want: Signal<Local, Bits<7>>,
    has_paths: Fixed<Bit>,
    last_mask: Fixed<Bits<8>>,
    last_shift: Fixed<Bits<4>>,
    path_mask: Fixed<Bits<8>>,
    path_shift: Fixed<Bits<4>>,
    slot_mask: Fixed<Bits<8>>,
    tag_at: Fixed<Bits<4>>,
    valid: Fixed<Bits<7>>,
    one: Fixed<Bits<2>>,
}

impl TargetTables {
    /// Tables of 2^`log2_last` entries and, if there is one, 2^`log2_paths`, for slots of `slot_bits` bits.
    ///
    /// # Panics
    /// Unless all of them are in 2..=8.
    pub fn new(log2_last: usize, log2_paths: Option<usize>, slot_bits: usize) -> Self {
        assert!((2..=8).contains(&slot_bits), "slot_bits = {slot_bits} is outside 2..=8");
        let log2 = log2_paths.unwrap_or(2);
        Self {
            index_history: Folded::new(12, log2),
            tag_history: Folded::new(12, 6),
            tag_history_5: Folded::new(12, 5),
            lasts: Mem::new(log2_last, 2 + slot_bits),
            paths: Mem::new(log2, log2_paths.map_or(0, |_| 9 + slot_bits)),
            has_paths: Fixed::new(log2_paths.is_some()),
            last_mask: Fixed::of((1u64 << log2_last) - 1),
            last_shift: Fixed::of(log2_last as u64),
            path_mask: Fixed::of((1u64 << log2) - 1),
            path_shift: Fixed::of(log2 as u64 - 1),
            slot_mask: Fixed::of((1u64 << slot_bits) - 1),
            tag_at: Fixed::of(2 + slot_bits as u64),
            valid: Fixed::of(0x40_u64),
            one: Fixed::of(1_u64),
            ..Default::default()
        }
    }
}

impl Logic for TargetTables {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lookup_3, last_index_3, path_index_3, tag_3);
        dff_setup!(self, clock, lookup_4, last_index_4, path_index_4, tag_4, same_last_4, same_path_4);
        dff_setup!(self, clock, written_last, written_path);
        clock!(self, clock, index_history, tag_history, tag_history_5, lasts, paths);

        // S2
        self.index_history.clear.next = self.clear.val();
        self.index_history.step.next = self.step.val();
        self.index_history.newest.next = self.newest.val();
        self.index_history.recent.next = self.recent.val();
        self.tag_history.clear.next = self.clear.val();
        self.tag_history.step.next = self.step.val();
        self.tag_history.newest.next = self.newest.val();
        self.tag_history.recent.next = self.recent.val();
        self.tag_history_5.clear.next = self.clear.val();
        self.tag_history_5.step.next = self.step.val();
        self.tag_history_5.newest.next = self.newest.val();
        self.tag_history_5.recent.next = self.recent.val();
        self.last_shifted.next = self.pr.val() >> self.last_shift.val();
        self.path_shifted.next = self.pr.val() >> self.path_shift.val();
        self.last_index_2.next =
            (self.pr.val().get_bits::<8>(0) ^ self.last_shifted.val().get_bits::<8>(0)) & self.last_mask.val();
        self.path_index_2.next = (self.pr.val().get_bits::<8>(0)
            ^ self.path_shifted.val().get_bits::<8>(0)
            ^ self.index_history.value.val())
            & self.path_mask.val();
        self.tag_2.next = self.pr.val().get_bits::<6>(0)
            ^ self.pr.val().get_bits::<6>(6)
            ^ self.tag_history.value.val().get_bits::<6>(0)
            ^ (self.tag_history_5.value.val().get_bits::<6>(0) << 1);
        self.lookup_3.d.next = self.lookup.val() & !self.clear.val();
        self.last_index_3.d.next = self.last_index_2.val();
        self.path_index_3.d.next = self.path_index_2.val();
        self.tag_3.d.next = self.tag_2.val();

        // S3
        self.lasts.raddr.next = self.last_index_3.q.val();
        self.paths.raddr.next = self.path_index_3.q.val();
        self.lookup_4.d.next = self.lookup_3.q.val() & !self.clear.val();
        self.last_index_4.d.next = self.last_index_3.q.val();
        self.path_index_4.d.next = self.path_index_3.q.val();
        self.tag_4.d.next = self.tag_3.q.val();

        // S4
        self.last.next = self.lasts.rdata.val();
        if self.same_last_4.q.val() {
            self.last.next = self.written_last.q.val();
        }
        self.path.next = self.paths.rdata.val();
        if self.same_path_4.q.val() {
            self.path.next = self.written_path.q.val();
        }
        self.last_sure.next = self.last.val().get_bits::<2>(0);
        self.last_slot.next = self.last.val().get_bits::<8>(2);
        self.path_sure.next = self.path.val().get_bits::<2>(0);
        self.path_slot.next = self.path.val().get_bits::<8>(2) & self.slot_mask.val();
        self.above_slot.next = self.path.val() >> self.tag_at.val();
        self.tag_and_valid.next = self.above_slot.val().get_bits::<7>(0);
        self.want.next = bit_cast::<7, 6>(self.tag_4.q.val()) | self.valid.val();
        self.hit.next = (self.tag_and_valid.val() == self.want.val()) & self.has_paths.val();
        self.last_right.next = self.last_slot.val() == self.slot.val();
        self.path_right.next = self.path_slot.val() == self.slot.val();
        self.path_decides.next = self.hit.val() & (self.path_sure.val().any() | !self.last_sure.val().any());
        self.has_other.next = self.hit.val() & (self.last_slot.val() != self.path_slot.val());
        self.right.next = self.last_right.val();
        self.sure.next = self.last_sure.val().get_bit(1);
        self.other_right.next = self.path_right.val();
        if self.path_decides.val() {
            self.right.next = self.path_right.val();
            self.sure.next = self.path_sure.val().get_bit(1);
            self.other_right.next = self.last_right.val();
        }

        // what is learned
        self.new_last_sure.next = 0.into();
        if self.last_right.val() {
            self.new_last_sure.next = self.last_sure.val();
            if !self.last_sure.val().all() {
                self.new_last_sure.next = self.last_sure.val() + self.one.val();
            }
        }
        self.new_path_sure.next = self.path_sure.val();
        self.new_path_slot.next = self.path_slot.val();
        self.new_path_tag.next = self.tag_and_valid.val();
        if self.hit.val() & self.path_right.val() {
            if !self.path_sure.val().all() {
                self.new_path_sure.next = self.path_sure.val() + self.one.val();
            }
        } else if self.path_sure.val().any() & self.tag_and_valid.val().get_bit(6) {
            self.new_path_sure.next = self.path_sure.val() - self.one.val();
        } else {
            self.new_path_sure.next = 0.into();
            self.new_path_slot.next = self.slot.val();
            self.new_path_tag.next = self.want.val();
        }
        self.new_last.next = bit_cast::<10, 2>(self.new_last_sure.val()) | (bit_cast::<10, 8>(self.slot.val()) << 2);
        self.new_path.next = bit_cast::<17, 2>(self.new_path_sure.val())
            | (bit_cast::<17, 8>(self.new_path_slot.val()) << 2)
            | (bit_cast::<17, 7>(self.new_path_tag.val()) << self.tag_at.val());
        self.writes_path.next = self.lookup_4.q.val() & (self.hit.val() | !self.last_right.val());
        self.written_last.d.next = self.new_last.val();
        self.written_path.d.next = self.new_path.val();
        self.same_last_4.d.next = (self.last_index_3.q.val() == self.last_index_4.q.val()) & self.lookup_4.q.val();
        self.same_path_4.d.next = (self.path_index_3.q.val() == self.path_index_4.q.val()) & self.writes_path.val();
        self.lasts.we.next = self.lookup_4.q.val() | self.sweep.val();
        self.lasts.waddr.next = self.last_index_4.q.val();
        self.lasts.wdata.next = self.new_last.val();
        self.paths.we.next = self.writes_path.val() | self.sweep.val();
        self.paths.waddr.next = self.path_index_4.q.val();
        self.paths.wdata.next = self.new_path.val();
        if self.sweep.val() {
            self.lasts.waddr.next = self.at.val().get_bits::<8>(0);
            self.lasts.wdata.next = 0.into();
            self.paths.waddr.next = self.at.val().get_bits::<8>(0);
            self.paths.wdata.next = 0.into();
        }
    }
}
