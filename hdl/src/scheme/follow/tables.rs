//! Bimodal and tagged tables: a table of counters, and a chain of at most three tagged tables
//!
//! It predicts conditionals, and learns each one when the next one was looked up.
//!
//! # Source
//! A. Seznec, P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8, 2006; what differs
//! is in the documentation of the golden model.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: back to the reset state |
//! | `sweep`, `at` | in | 1, 12 | | 1: entry `at` of every table is cleared; no conditional may be in S2 to S4 |
//! | `branch`, `taken`, `pr` | in | 1, 1, 24 | S2 | a conditional; its outcome; its hashed address |
//! | `step`, `newest`, `recent` | in | 1, 1, 22 | S2 | a bit enters the history, which was `recent` before |
//! | `says`, `certainty` | out | 1, 3 | S4 | the prediction, and how sure it is, 0 to 5, for the conditional in S2 two cycles before |
//! | `wrong` | out | 1 | S4 | it was not the outcome |
//!
//! # Timing
//! One conditional per cycle. The outputs hold until the next conditional is in S4, and follow registers through the choice of the
//! provider.
//!
//! Golden model: [`sim::scheme::follow::tables`].

use super::late_bimodal::LateBimodal;
use super::tagged::Tagged;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Lengths of the histories, in tables by index.
const LENGTHS: [usize; 3] = [4, 10, 22];

/// Counters and at most three tagged tables.
#[derive(LogicBlock, Default)]
pub struct Tables {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub pr: Signal<In, Bits<24>>,
    pub step: Signal<In, Bit>,
    pub newest: Signal<In, Bit>,
    pub recent: Signal<In, Bits<22>>,
    pub says: Signal<Out, Bit>,
    pub certainty: Signal<Out, Bits<3>>,
    pub wrong: Signal<Out, Bit>,
    bimodal: LateBimodal,
    tagged: Vec<Tagged>,
    branch_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    // S4: a conditional is there
    waits_4: DFF<Bit>,
    taken_4: DFF<Bit>,
    base_high: Signal<Local, Bit>,
    base_low: Signal<Local, Bit>,
    decision: Signal<Local, Bit>,
    sure: Signal<Local, Bits<3>>,
    provided: Signal<Local, Bit>,
    provider_says: Signal<Local, Bit>,
    alternate_says: Signal<Local, Bit>,
    mispredicted: Signal<Local, Bit>,
    // bit i is tagged table i: provider, tables with longer histories, those searched for a free entry
    provider: Signal<Local, Bits<3>>,
    longer: Signal<Local, Bits<3>>,
    longer_by_two: Signal<Local, Bits<3>>,
    searched: Signal<Local, Bits<3>>,
    differ: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    allocates: Signal<Local, Bits<3>>,
    allocate: Signal<Local, Bit>,
    // R, xor its value after reset
    random: DFF<Bits<8>>,
    drawn: Signal<Local, Bits<8>>,
    stepped: Signal<Local, Bits<8>>,
    first_random: Fixed<Bits<8>>,
    feedback: Fixed<Bits<8>>,
    // all tables; for each, those with longer histories, and itself
    all: Fixed<Bits<3>>,
    above: Vec<Fixed<Bits<3>>>,
    own: Vec<Fixed<Bits<3>>>,
    two: Fixed<Bits<3>>,
    three: Fixed<Bits<3>>,
    four: Fixed<Bits<3>>,
    five: Fixed<Bits<3>>,
    _tables: usize,
}

impl Tables {
    /// 2^`log2_bimodal` counters, and `tables` tagged tables of 2^`log2_tagged` entries each.
    ///
    /// # Panics
    /// Unless `tables` <= 3 and the sizes are those of [`LateBimodal::new`] and [`Tagged::new`].
    pub fn new(log2_bimodal: usize, tables: usize, log2_tagged: usize) -> Self {
        assert!(tables <= LENGTHS.len(), "tables = {tables} is outside 0..=3");
        let all = (1_u64 << tables) - 1;
        Self {
            bimodal: LateBimodal::new(log2_bimodal),
            tagged: LENGTHS[..tables].iter().map(|length| Tagged::new(log2_tagged, *length)).collect(),
            first_random: Fixed::of(1_u64),
            feedback: Fixed::of(0xb4_u64),
            all: Fixed::of(all),
            above: (0..tables).map(|i| Fixed::of(all & (!1 << i))).collect(),
            own: (0..tables).map(|i| Fixed::of(1_u64 << i)).collect(),
            two: Fixed::of(2_u64),
            three: Fixed::of(3_u64),
            four: Fixed::of(4_u64),
            five: Fixed::of(5_u64),
            _tables: tables,
            ..Default::default()
        }
    }
}

impl Logic for Tables {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, branch_3, taken_3, waits_4, taken_4, random);
        clock!(self, clock, bimodal);

        // S2, S3
        self.branch_3.d.next = self.branch.val() & !self.clear.val();
        self.taken_3.d.next = self.taken.val();
        self.bimodal.pr.next = self.pr.val();
        self.bimodal.sweep.next = self.sweep.val();
        self.bimodal.at.next = self.at.val();
        self.bimodal.advance.next = self.branch_3.q.val();
        if self.branch_3.q.val() {
            self.waits_4.d.next = true;
            self.taken_4.d.next = self.taken_3.q.val();
        }

        // S4: a hit makes the one of the next shorter history the alternate
        self.base_high.next = self.bimodal.counter.val().get_bit(1);
        self.base_low.next = self.bimodal.counter.val().get_bit(0);
        self.provider_says.next = !self.base_high.val();
        self.alternate_says.next = !self.base_high.val();
        self.decision.next = !self.base_high.val();
        self.sure.next = bit_cast::<3, 1>((self.base_high.val() ^ self.base_low.val()).into());
        self.provider.next = 0.into();
        self.longer.next = self.all.val();
        for i in 0..self._tables {
            if self.tagged[i].hit.val() {
                self.alternate_says.next = self.provider_says.val();
                self.provider_says.next = self.tagged[i].says.val();
                self.decision.next = self.tagged[i].says.val();
                self.sure.next = self.three.val();
                if self.tagged[i].strength.val() == 2 {
                    self.sure.next = self.four.val();
                }
                if self.tagged[i].strength.val() == 3 {
                    self.sure.next = self.five.val();
                }
                if self.tagged[i].is_weak.val() {
                    self.decision.next = self.alternate_says.val();
                    self.sure.next = self.two.val();
                }
                self.provider.next = self.own[i].val();
                self.longer.next = self.above[i].val();
            }
        }
        self.says.next = self.decision.val();
        self.certainty.next = self.sure.val();
        self.mispredicted.next = self.decision.val() ^ self.taken_4.q.val();
        self.wrong.next = self.mispredicted.val();

        // what is learned when the next conditional is in S3
        self.provided.next = self.provider.val().any();
        self.differ.next = self.provider_says.val() ^ self.alternate_says.val();
        self.right.next = self.provider_says.val() == self.taken_4.q.val();
        self.drawn.next = self.random.q.val() ^ self.first_random.val();
        self.longer_by_two.next = self.longer.val() & bit_cast::<3, 3>(self.longer.val() << 1);
        self.searched.next = self.longer.val();
        if self.longer_by_two.val().any() & !self.drawn.val().get_bits::<2>(0).any() {
            self.searched.next = self.longer_by_two.val();
        }
        self.found.next = false;
        self.allocates.next = 0.into();
        self.allocate.next = false;
        for i in 0..self._tables {
            self.allocate.next = self.searched.val().get_bit(i) & self.tagged[i].free.val() & !self.found.val();
            if self.allocate.val() {
                self.allocates.next = self.own[i].val();
                self.found.next = true;
            }
        }
        self.bimodal.taken.next = self.taken_4.q.val();
        self.bimodal.write.next = self.waits_4.q.val() & !self.provided.val();
        for i in 0..self._tables {
            self.tagged[i].clock.next = self.clock.val();
            self.tagged[i].clear.next = self.clear.val();
            self.tagged[i].step.next = self.step.val();
            self.tagged[i].newest.next = self.newest.val();
            self.tagged[i].recent.next = self.recent.val();
            self.tagged[i].pr.next = self.pr.val().get_bits::<14>(0);
            self.tagged[i].sweep.next = self.sweep.val();
            self.tagged[i].at.next = self.at.val().get_bits::<8>(0);
            self.tagged[i].advance.next = self.branch_3.q.val();
            self.tagged[i].taken.next = self.taken_4.q.val();
            self.tagged[i].learn.next = self.waits_4.q.val() & self.provider.val().get_bit(i);
            self.tagged[i].right.next = self.provider.val().get_bit(i) & self.right.val();
            self.tagged[i].grade.next = self.waits_4.q.val()
                & ((self.provider.val().get_bit(i) & self.differ.val())
                    | (self.longer.val().get_bit(i) & self.mispredicted.val() & !self.found.val()));
            self.tagged[i].allocate.next =
                self.waits_4.q.val() & self.mispredicted.val() & self.allocates.val().get_bit(i);
        }
        self.stepped.next = self.drawn.val() >> 1;
        if self.drawn.val().get_bit(0) {
            self.stepped.next = (self.drawn.val() >> 1) ^ self.feedback.val();
        }
        if self.branch_3.q.val() & self.waits_4.q.val() {
            self.random.d.next = self.stepped.val() ^ self.first_random.val();
        }
        if self.clear.val() {
            self.waits_4.d.next = false;
            self.random.d.next = 0.into();
        }
    }
}
