//! Contexts: which predictor is believed, learned from how often it was right in the same situation
//!
//! A conditional is predicted by the loop predictor if that is sure, otherwise by the tables. The context is how sure the predictors are,
//! and whether the past says the same. A counter for each context inverts the prediction if it was mostly wrong.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)". With m the level of the past, and agreement a, the counter of context
//! (certainty, m, a) is `certainty 00m` with a for the values below, `110 certainty` for m = 4 with agreement, and `111 exit` for loops:
//! so that no sum precedes the memory.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: conditionals in S4 and S5 are forgotten; the counters are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: counter `at` becomes 0; no conditional may be in S4 or S5 |
//! | `branch`, `taken` | in | 1 | S4 | a conditional; its outcome |
//! | `says`, `certainty` | in | 1, 3 | S4 | from the tables |
//! | `sure_loop`, `loop_says`, `exit` | in | 1 | S4 | from the loop predictor |
//! | `level`, `past_says` | in | 3, 1 | S4 | from the past |
//! | `miss` | out | 1 | S5 | the conditional in S4 one cycle before is mispredicted |
//! | `right`, `situation` | out | 1, 6 | S5 | the predictors were right about it, before the counter; its context |
//!
//! # Timing
//! One conditional per cycle. S4: the counter is read. S5: `miss`, combinational from the memory; the counter is written. A counter that is
//! read while it is written is forwarded from a register.
//!
//! Golden model: [`sim::scheme::follow::context`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The counters of all contexts, and the choice between the predictors.
#[derive(LogicBlock, Default)]
pub struct Contexts {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub says: Signal<In, Bit>,
    pub certainty: Signal<In, Bits<3>>,
    pub sure_loop: Signal<In, Bit>,
    pub loop_says: Signal<In, Bit>,
    pub exit: Signal<In, Bit>,
    pub level: Signal<In, Bits<3>>,
    pub past_says: Signal<In, Bit>,
    pub miss: Signal<Out, Bit>,
    pub right: Signal<Out, Bit>,
    pub situation: Signal<Out, Bits<6>>,
    // S4
    prediction: Signal<Local, Bit>,
    agrees: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    far: Signal<Local, Bit>,
    low: Signal<Local, Bits<6>>,
    situation_4: Signal<Local, Bits<6>>,
    counters: Mem<6, 4>,
    // S5
    branch_5: DFF<Bit>,
    right_5: DFF<Bit>,
    situation_5: DFF<Bits<6>>,
    same_5: DFF<Bit>,
    last: DFF<Bits<4>>,
    counter: Signal<Local, Bits<4>>,
    learned: Signal<Local, Bits<4>>,
    most: Fixed<Bits<4>>,
    least: Fixed<Bits<4>>,
    one: Fixed<Bits<4>>,
    steady: Fixed<Bits<6>>,
    loops: Fixed<Bits<6>>,
    one_6: Fixed<Bits<6>>,
}

impl Contexts {
    /// All contexts; unless they are `counted`, without counters.
    pub fn new(counted: bool) -> Self {
        Self {
            counters: Mem::new(6, if counted { 4 } else { 0 }),
            most: Fixed::of(7_u64),
            least: Fixed::of(8_u64),
            one: Fixed::of(1_u64),
            steady: Fixed::of(0x30_u64),
            loops: Fixed::of(0x38_u64),
            one_6: Fixed::of(1_u64),
            ..Default::default()
        }
    }
}

impl Logic for Contexts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, branch_5, right_5, situation_5, same_5, last);
        clock!(self, clock, counters);

        // S4
        self.prediction.next = self.says.val();
        if self.sure_loop.val() {
            self.prediction.next = self.loop_says.val();
        }
        self.agrees.next = self.past_says.val() == self.prediction.val();
        self.follows.next = self.level.val().any();
        // level 3 or 4
        self.far.next = (self.level.val().get_bits::<2>(0).all() | self.level.val().get_bit(2)) & self.agrees.val();
        // levels 1 to 3 and agreement: 2 to 7; level 4: 1; none: 0
        self.low.next = (bit_cast::<6, 2>(self.level.val().get_bits::<2>(0)) << 1)
            | bit_cast::<6, 1>((self.follows.val() & self.agrees.val()).into());
        if self.level.val().get_bit(2) {
            self.low.next = self.one_6.val();
        }
        self.situation_4.next = (bit_cast::<6, 3>(self.certainty.val()) << 3) | self.low.val();
        if self.level.val().get_bit(2) & self.agrees.val() {
            self.situation_4.next = self.steady.val() | bit_cast::<6, 3>(self.certainty.val());
        }
        if self.sure_loop.val() {
            self.situation_4.next = self.loops.val()
                | (bit_cast::<6, 1>(self.exit.val().into()) << 2)
                | (bit_cast::<6, 1>(self.far.val().into()) << 1)
                | bit_cast::<6, 1>(self.follows.val().into());
        }
        self.counters.raddr.next = self.situation_4.val();
        self.branch_5.d.next = self.branch.val() & !self.clear.val();
        self.right_5.d.next = self.prediction.val() == self.taken.val();
        self.situation_5.d.next = self.situation_4.val();

        // S5
        self.counter.next = self.counters.rdata.val();
        if self.same_5.q.val() {
            self.counter.next = self.last.q.val();
        }
        self.right.next = self.right_5.q.val();
        self.situation.next = self.situation_5.q.val();
        self.miss.next = self.branch_5.q.val() & (self.counter.val().get_bit(3) == self.right_5.q.val());
        self.learned.next = self.counter.val();
        if self.right_5.q.val() & (self.counter.val() != self.most.val()) {
            self.learned.next = self.counter.val() + self.one.val();
        }
        if !self.right_5.q.val() & (self.counter.val() != self.least.val()) {
            self.learned.next = self.counter.val() - self.one.val();
        }
        self.last.d.next = self.learned.val();
        self.same_5.d.next = (self.situation_4.val() == self.situation_5.q.val()) & self.branch_5.q.val();
        self.counters.we.next = self.branch_5.q.val() | self.sweep.val();
        self.counters.waddr.next = self.situation_5.q.val();
        self.counters.wdata.next = self.learned.val();
        if self.sweep.val() {
            self.counters.waddr.next = self.at.val().get_bits::<6>(0);
            self.counters.wdata.next = 0.into();
        }
    }
}
