//! Loops that end after the same number of iterations
//!
//! # Source
//! Loop predictor of A. Seznec, "The L-TAGE branch predictor", JILP 9, 2007; what an entry learns is in the documentation of the golden
//! model.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: conditionals in S2 and S3 are forgotten; the entries are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: entry `at` becomes invalid; no conditional may be in S2 to S4 |
//! | `branch`, `taken`, `pr` | in | 1, 1, 16 | S2 | a conditional; its outcome; its hashed address |
//! | `wrong` | in | 1 | S4 | the tables mispredicted it |
//! | `sure` | out | 1 | S4 | it is a loop that is known |
//! | `says`, `exit` | out | 1 | S4 | what is predicted then; it is the end of the loop |
//!
//! # Timing
//! One conditional per cycle. The entry is read in S3, changed and written in S4. An entry that is read while it is written is
//! forwarded from a register.
//!
//! Golden model: [`sim::scheme::follow::loops`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A loop predictor of at most 64 entries.
#[derive(LogicBlock, Default)]
pub struct Loops {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub pr: Signal<In, Bits<16>>,
    pub wrong: Signal<In, Bit>,
    pub sure: Signal<Out, Bit>,
    pub says: Signal<Out, Bit>,
    pub exit: Signal<Out, Bit>,
    // S2, S3
    branch_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    slot_3: DFF<Bits<6>>,
    tag_3: DFF<Bits<6>>,
    entries: Mem<6, 29>,
    // S4: tag, valid, trip, count, sure, direction, age, from bit 0 up
    branch_4: DFF<Bit>,
    taken_4: DFF<Bit>,
    slot_4: DFF<Bits<6>>,
    tag_4: DFF<Bits<6>>,
    same_4: DFF<Bit>,
    last: DFF<Bits<29>>,
    entry: Signal<Local, Bits<29>>,
    want: Signal<Local, Bits<7>>,
    hit: Signal<Local, Bit>,
    trip: Signal<Local, Bits<8>>,
    count: Signal<Local, Bits<8>>,
    times: Signal<Local, Bits<2>>,
    dir: Signal<Local, Bit>,
    age: Signal<Local, Bits<3>>,
    exits: Signal<Local, Bit>,
    knows: Signal<Local, Bit>,
    prediction: Signal<Local, Bit>,
    along: Signal<Local, Bit>,
    helped: Signal<Local, Bit>,
    ages: Signal<Local, Bit>,
    new_valid: Signal<Local, Bit>,
    new_tag: Signal<Local, Bits<6>>,
    new_trip: Signal<Local, Bits<8>>,
    new_count: Signal<Local, Bits<8>>,
    new_times: Signal<Local, Bits<2>>,
    new_dir: Signal<Local, Bit>,
    new_age: Signal<Local, Bits<3>>,
    new_entry: Signal<Local, Bits<29>>,
    writes: Signal<Local, Bit>,
    mask: Fixed<Bits<6>>,
    valid: Fixed<Bits<7>>,
    one_8: Fixed<Bits<8>>,
    one_3: Fixed<Bits<3>>,
    first_age: Fixed<Bits<3>>,
    one_2: Fixed<Bits<2>>,
    several: Fixed<Bits<8>>,
}

impl Loops {
    /// A predictor of 2^`log2` entries.
    ///
    /// # Panics
    /// Unless 1 <= `log2` <= 6.
    pub fn new(log2: usize) -> Self {
        Self {
            entries: Mem::new(log2, 29),
            mask: Fixed::of((1u64 << log2) - 1),
            valid: Fixed::of(0x40_u64),
            one_8: Fixed::of(1_u64),
            one_3: Fixed::of(1_u64),
            first_age: Fixed::of(3_u64),
            one_2: Fixed::of(1_u64),
            several: Fixed::of(0xfe_u64),
            ..Default::default()
        }
    }
}

impl Logic for Loops {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, branch_3, taken_3, slot_3, tag_3, branch_4, taken_4, slot_4, tag_4, same_4, last);
        clock!(self, clock, entries);

        // S2, S3
        self.branch_3.d.next = self.branch.val() & !self.clear.val();
        self.taken_3.d.next = self.taken.val();
        self.slot_3.d.next =
            (self.pr.val().get_bits::<6>(0) ^ self.pr.val().get_bits::<6>(4) ^ self.pr.val().get_bits::<6>(9))
                & self.mask.val();
        self.tag_3.d.next = self.pr.val().get_bits::<6>(3) ^ self.pr.val().get_bits::<6>(9);
        self.entries.raddr.next = self.slot_3.q.val();
        self.branch_4.d.next = self.branch_3.q.val() & !self.clear.val();
        self.taken_4.d.next = self.taken_3.q.val();
        self.slot_4.d.next = self.slot_3.q.val();
        self.tag_4.d.next = self.tag_3.q.val();

        // S4: prediction
        self.entry.next = self.entries.rdata.val();
        if self.same_4.q.val() {
            self.entry.next = self.last.q.val();
        }
        self.want.next = bit_cast::<7, 6>(self.tag_4.q.val()) | self.valid.val();
        self.hit.next = self.entry.val().get_bits::<7>(0) == self.want.val();
        self.trip.next = self.entry.val().get_bits::<8>(7);
        self.count.next = self.entry.val().get_bits::<8>(15);
        self.times.next = self.entry.val().get_bits::<2>(23);
        self.dir.next = self.entry.val().get_bit(25);
        self.age.next = self.entry.val().get_bits::<3>(26);
        self.exits.next = self.count.val() == self.trip.val();
        self.knows.next = self.hit.val() & self.times.val().get_bit(1) & (self.trip.val() & self.several.val()).any();
        self.prediction.next = self.dir.val() ^ self.exits.val();
        self.sure.next = self.knows.val();
        self.says.next = self.prediction.val();
        self.exit.next = self.exits.val();

        // what is learned
        self.new_valid.next = self.entry.val().get_bit(6);
        self.new_tag.next = self.entry.val().get_bits::<6>(0);
        self.new_trip.next = self.trip.val();
        self.new_count.next = self.count.val();
        self.new_times.next = self.times.val();
        self.new_dir.next = self.dir.val();
        self.new_age.next = self.age.val();
        self.along.next = self.taken_4.q.val() == self.dir.val();
        self.helped.next = self.knows.val() & self.wrong.val() & (self.prediction.val() == self.taken_4.q.val());
        self.ages.next = false;
        if self.hit.val() {
            if self.along.val() {
                if !self.count.val().all() {
                    self.new_count.next = self.count.val() + self.one_8.val();
                }
                if (self.count.val() >= self.trip.val()) & !self.trip.val().all() {
                    self.new_times.next = 0.into();
                }
            } else {
                self.new_count.next = 0.into();
                if self.exits.val() & self.trip.val().any() {
                    if !self.times.val().all() {
                        self.new_times.next = self.times.val() + self.one_2.val();
                    }
                } else {
                    self.new_trip.next = self.count.val();
                    self.new_times.next = 0.into();
                    self.ages.next = self.age.val().any();
                    self.new_valid.next = self.age.val().any();
                }
                if !self.count.val().any() {
                    self.new_dir.next = !self.dir.val();
                }
            }
            if self.helped.val() & !self.age.val().all() {
                self.new_age.next = self.age.val() + self.one_3.val();
            }
        } else if self.entry.val().get_bit(6) & self.age.val().any() {
            self.ages.next = true;
        } else {
            self.new_valid.next = true;
            self.new_tag.next = self.tag_4.q.val();
            self.new_trip.next = 0.into();
            self.new_count.next = 0.into();
            self.new_times.next = 0.into();
            self.new_dir.next = !self.taken_4.q.val();
            self.new_age.next = self.first_age.val();
        }
        // an entry that was right never ages
        if self.ages.val() {
            self.new_age.next = self.age.val() - self.one_3.val();
        }
        self.new_entry.next = bit_cast::<29, 6>(self.new_tag.val())
            | (bit_cast::<29, 1>(self.new_valid.val().into()) << 6)
            | (bit_cast::<29, 8>(self.new_trip.val()) << 7)
            | (bit_cast::<29, 8>(self.new_count.val()) << 15)
            | (bit_cast::<29, 2>(self.new_times.val()) << 23)
            | (bit_cast::<29, 1>(self.new_dir.val().into()) << 25)
            | (bit_cast::<29, 3>(self.new_age.val()) << 26);
        self.writes.next = self.branch_4.q.val() & (self.hit.val() | self.wrong.val());
        self.same_4.d.next = (self.slot_3.q.val() == self.slot_4.q.val()) & self.writes.val();
        self.last.d.next = self.new_entry.val();
        self.entries.we.next = self.writes.val() | self.sweep.val();
        self.entries.waddr.next = self.slot_4.q.val();
        self.entries.wdata.next = self.new_entry.val();
        if self.sweep.val() {
            self.entries.waddr.next = self.at.val().get_bits::<6>(0);
            self.entries.wdata.next = 0.into();
        }
    }
}
