//! All predictors of one core
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: back to the reset state; in progress while `ready` is 0 |
//! | `ready` | out | 1 | | ready for use; until then, branches have no effect |
//! | `branch`, `taken` | in | 1 | S2 | a direct conditional branch; its outcome |
//! | `lookup`, `pop`, `push` | in | 1 | S2 | an indirect jump or call; a return; a call |
//! | `pc`, `target`, `link` | in | W | S2 | addresses of the instruction, of the next one, and after it |
//! | `miss` | out | 1 | S5 | the conditional in S2 three cycles before is mispredicted |
//! | `hit`, `form` | out | 1, 2 | S5 | the target of the indirect branch there is predicted; how it is sent if it is not, see [`super::targets`] |
//! | `right`, `situation` | out | 1, 6 | S5 | the prediction was right, for a conditional without the counter of its context; the context of its decision in the arithmetic coder |
//!
//! # Timing
//! One instruction per cycle. S2 to S4: [`super::tables`], [`super::past`], [`super::loops`], [`super::targets`]. S4, S5: [`super::contexts`].
//! Power-up acts as `clear`, which takes a cycle for each entry of the largest table.
//!
//! Golden model: [`sim::scheme::follow::predictor`].

use super::arithmetic::contexts::{INDIRECT, RETURN};
use super::contexts::Contexts;
use super::loops::Loops;
use super::past::Past;
use super::tables::Tables;
use super::targets::Targets;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::follow::sizes::Sizes;

/// The predictors of a core with addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Predictors<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub lookup: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub link: Signal<In, Bits<W>>,
    pub miss: Signal<Out, Bit>,
    pub hit: Signal<Out, Bit>,
    pub form: Signal<Out, Bits<3>>,
    pub right: Signal<Out, Bit>,
    pub situation: Signal<Out, Bits<6>>,
    tables: Tables,
    loops: Loops,
    past: Past,
    contexts: Contexts,
    target_predictor: Targets<W>,
    // the entry that is cleared; above the last one: none
    at: DFF<Bits<13>>,
    sweeping: Signal<Local, Bit>,
    entry: Signal<Local, Bits<12>>,
    // S2: addresses in units of two bytes
    own: Signal<Local, Bits<W>>,
    own_shifted: Signal<Local, Bits<W>>,
    own_low: Signal<Local, Bit>,
    next: Signal<Local, Bits<W>>,
    after: Signal<Local, Bits<W>>,
    pr: Signal<Local, Bits<32>>,
    conditional: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    newest: Signal<Local, Bit>,
    history: DFF<Bits<22>>,
    upper: DFF<Bits<W>>,
    target_upper: Signal<Local, Bits<W>>,
    // S3, S4
    same_upper_3: DFF<Bit>,
    branch_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    branch_4: DFF<Bit>,
    taken_4: DFF<Bit>,
    hit_5: DFF<Bit>,
    form_5: DFF<Bits<3>>,
    // of an indirect branch: its context
    is_target_4: DFF<Bit>,
    is_target_5: DFF<Bit>,
    situation_5: DFF<Bits<6>>,
    is_target_3: DFF<Bit>,
    k_return: Fixed<Bits<6>>,
    k_indirect: Fixed<Bits<6>>,
    // parameters
    has_loops: Fixed<Bit>,
    has_past: Fixed<Bit>,
    align: Fixed<Bits<2>>,
    words: Fixed<Bits<13>>,
    one: Fixed<Bits<13>>,
    upper_mask: Fixed<Bits<W>>,
}

impl<const W: usize> Predictors<W> {
    /// The predictors of `sizes` for a core of `params`; with the `arithmetic` coder, contexts have no counters.
    ///
    /// # Panics
    /// When [`Sizes::check`] refuses `sizes`, or W is not `xlen`.
    pub fn new(sizes: &Sizes, params: &TraceParams, arithmetic: bool) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let log2 = |n: u16| n.checked_ilog2().unwrap_or(1) as usize;
        // bits of an address in units of two bytes
        let bits = W - 1;
        let low = bits - usize::from(sizes.upper);
        let ones = |n: usize| Bits::<W>::mask() >> (W - n) as u64;
        let targets = sizes.targets();
        Self {
            tables: Tables::new(log2(sizes.bimodal), sizes.tables.into(), log2(sizes.tagged)),
            loops: when(sizes.loops > 0, || Loops::new(log2(sizes.loops))),
            past: when(sizes.past > 0, || Past::new(sizes.past.ilog2() as usize, log2(sizes.pointers))),
            contexts: Contexts::new(!arithmetic),
            target_predictor: Targets::new(&targets, low),
            has_loops: Fixed::new(sizes.loops > 0),
            has_past: Fixed::new(sizes.past > 0),
            align: Fixed::of(params.align - 1),
            words: Fixed::of(u64::from(sizes.largest().max(2 << targets.stack))),
            one: Fixed::of(1_u64),
            k_return: Fixed::of(RETURN),
            k_indirect: Fixed::of(INDIRECT),
            upper_mask: Fixed::new(ones(bits) ^ ones(low)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Predictors<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, history, upper, same_upper_3, branch_3, taken_3, branch_4, taken_4, hit_5, form_5);
        dff_setup!(self, clock, is_target_3, is_target_4, is_target_5, situation_5);
        clock!(self, clock, tables, loops, past, contexts, target_predictor);

        self.sweeping.next = self.at.q.val() != self.words.val();
        self.entry.next = self.at.q.val().get_bits::<12>(0);
        if self.sweeping.val() {
            self.at.d.next = self.at.q.val() + self.one.val();
        }
        if self.clear.val() {
            self.at.d.next = 0.into();
        }
        self.ready.next = !self.sweeping.val();

        // S2
        self.own.next = self.pc.val() << self.align.val();
        self.next.next = self.target.val() << self.align.val();
        self.after.next = self.link.val() << self.align.val();
        self.own_shifted.next = self.own.val() >> 1;
        self.own_low.next = self.own.val().get_bit(0);
        self.pr.next = self.own_shifted.val().get_bits::<32>(0) ^ (bit_cast::<32, 1>(self.own_low.val().into()) << 7);
        self.conditional.next = self.branch.val() & !self.sweeping.val();
        self.indirect.next = self.lookup.val() & !self.sweeping.val();
        self.returns.next = self.pop.val() & !self.sweeping.val();
        self.step.next = self.conditional.val() | self.indirect.val();
        self.newest.next = self.taken.val();
        if self.indirect.val() {
            self.newest.next = self.next.val().get_bit(0) ^ self.next.val().get_bit(2) ^ self.next.val().get_bit(4);
        }
        if self.step.val() {
            self.history.d.next = (self.history.q.val() << 1) | bit_cast::<22, 1>(self.newest.val().into());
        }
        self.target_upper.next = self.next.val() & self.upper_mask.val();
        self.same_upper_3.d.next = self.target_upper.val() == self.upper.q.val();
        if self.indirect.val() | self.returns.val() {
            self.upper.d.next = self.target_upper.val();
        }
        if self.clear.val() {
            self.history.d.next = 0.into();
            self.upper.d.next = 0.into();
        }
        self.branch_3.d.next = self.conditional.val() & !self.clear.val();
        self.taken_3.d.next = self.taken.val();
        self.branch_4.d.next = self.branch_3.q.val() & !self.clear.val();
        self.taken_4.d.next = self.taken_3.q.val();

        self.tables.clear.next = self.clear.val();
        self.tables.sweep.next = self.sweeping.val();
        self.tables.at.next = self.entry.val();
        self.tables.branch.next = self.conditional.val();
        self.tables.taken.next = self.taken.val();
        self.tables.pr.next = self.pr.val().get_bits::<24>(0);
        self.tables.step.next = self.step.val();
        self.tables.newest.next = self.newest.val();
        self.tables.recent.next = self.history.q.val();

        self.past.clear.next = self.clear.val();
        self.past.sweep.next = self.sweeping.val();
        self.past.at.next = self.entry.val();
        self.past.branch.next = self.conditional.val();
        self.past.taken.next = self.taken.val();
        self.past.pr.next = self.pr.val();

        self.loops.clear.next = self.clear.val();
        self.loops.sweep.next = self.sweeping.val();
        self.loops.at.next = self.entry.val();
        self.loops.branch.next = self.conditional.val();
        self.loops.taken.next = self.taken.val();
        self.loops.pr.next = self.pr.val().get_bits::<16>(0);
        self.loops.wrong.next = self.tables.wrong.val();

        self.target_predictor.clear.next = self.clear.val();
        self.target_predictor.sweep.next = self.sweeping.val();
        self.target_predictor.at.next = self.entry.val();
        self.target_predictor.step.next = self.step.val();
        self.target_predictor.newest.next = self.newest.val();
        self.target_predictor.recent.next = self.history.q.val();
        self.target_predictor.lookup.next = self.indirect.val();
        self.target_predictor.pop.next = self.returns.val();
        self.target_predictor.push.next = self.push.val() & !self.sweeping.val();
        self.target_predictor.link.next = self.after.val();
        self.target_predictor.pr.next = self.pr.val().get_bits::<16>(0);
        self.target_predictor.target.next = self.next.val();
        self.target_predictor.same_upper.next = self.same_upper_3.q.val();

        // S4
        self.contexts.clear.next = self.clear.val();
        self.contexts.sweep.next = self.sweeping.val();
        self.contexts.at.next = self.entry.val();
        self.contexts.branch.next = self.branch_4.q.val();
        self.contexts.taken.next = self.taken_4.q.val();
        self.contexts.says.next = self.tables.says.val();
        self.contexts.certainty.next = self.tables.certainty.val();
        self.contexts.sure_loop.next = false;
        self.contexts.loop_says.next = false;
        self.contexts.exit.next = false;
        if self.has_loops.val() {
            self.contexts.sure_loop.next = self.loops.sure.val();
            self.contexts.loop_says.next = self.loops.says.val();
            self.contexts.exit.next = self.loops.exit.val();
        }
        self.contexts.level.next = 0.into();
        self.contexts.past_says.next = false;
        if self.has_past.val() {
            self.contexts.level.next = self.past.level.val();
            self.contexts.past_says.next = self.past.says.val();
        }
        self.hit_5.d.next = self.target_predictor.hit.val();
        self.form_5.d.next = self.target_predictor.form.val();

        self.is_target_3.d.next = self.indirect.val() | self.returns.val();
        self.is_target_4.d.next = self.is_target_3.q.val();
        self.is_target_5.d.next = self.is_target_4.q.val();
        self.situation_5.d.next =
            self.k_indirect.val() | (bit_cast::<6, 1>(self.target_predictor.sure.val().into()) << 2);
        if self.target_predictor.returned.val() {
            self.situation_5.d.next = self.k_return.val();
        }

        // S5
        self.right.next = self.contexts.right.val();
        self.situation.next = self.contexts.situation.val();
        if self.is_target_5.q.val() {
            self.right.next = self.hit_5.q.val();
            self.situation.next = self.situation_5.q.val();
        }
        self.miss.next = self.contexts.miss.val();
        self.hit.next = self.hit_5.q.val();
        self.form.next = self.form_5.q.val();
    }
}
