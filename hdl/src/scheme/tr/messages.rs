//! Messages: counters, and the decision which messages an instruction makes
//!
//! It is the last stage of a front end. It counts instructions, reported branches and cycles, and turns
//! mispredictions into event entries.
//!
//! # Source
//! `docs/reference/stream.md`, "When each is sent"; paper 000 figure 5.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live`, `valid` | in | 1 | this cycle is traced; an instruction retires |
//! | `reported`, `flow` | in | 1 | it is a branch that bCnt counts; it is a control-flow instruction. 0 unless `valid` and `live` |
//! | `outcome`, `miss` | in | 1 | its outcome must be sent; its target must. 0 unless `valid` and `live` |
//! | `pc`, `target` | in | W | its address, the address of the next instruction, one cycle before all other inputs |
//! | `early` | in | 1 | with them, where messages carry signatures: it is control flow, if it is traced |
//! | `header_repeated` | in | 1 | cycles count from here |
//! | `more` | in | 24 | with [`Extras::retire`]: sequential instructions that retired before this one, and are reported with it |
//! | `step` | in | 32 | with [`Extras::retire`]: cycles since the last beat |
//! | `lag`, `lead_lag` | in | 8 | with [`Extras::retire`]: delay of this beat, and of the beat of the core that is resynchronised |
//! | `new_context`, `context_value` | in | 1, 18 | where contexts are reported: it is the first in its context; the context |
//! | `decision` | in | | the decision about the instruction, see [`crate::spine::trace_fsm`] |
//! | `entry` | out | | an event entry, see [`crate::spine::entry`] |
//!
//! # Timing
//! One instruction per cycle; its entry comes in the same cycle. Addresses and counts go from their registers directly to the
//! FIFO, which writes them in every cycle and keeps them if the entry is pushed, so they need no further register. Addresses go there
//! one cycle before the decision.
//!
//! Code without any control-flow instruction for 2^(`count_bits` - 1) instructions would wrap iCnt: the
//! progress message that prevents it is only sent at control-flow instructions.
//!
//! Golden model: [`sim::scheme::tr::model`] in a [`sim::core_trace`].

use crate::spine::cycles::Cycles;
use crate::spine::entry::{CC_PORT_BITS, COUNT_PORT_BITS};
use crate::spine::ports::{DecisionIn, EntryOut};
use crate::spine::signature::Signature;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The counters and the message decision of one core, for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Messages<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub live: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub reported: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub outcome: Signal<In, Bit>,
    pub miss: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub target: Signal<In, Bits<W>>,
    pub early: Signal<In, Bit>,
    pub header_repeated: Signal<In, Bit>,
    pub decision: DecisionIn,
    pub more: Signal<In, Bits<24>>,
    pub step: Signal<In, Bits<32>>,
    pub lag: Signal<In, Bits<8>>,
    pub lead_lag: Signal<In, Bits<8>>,
    pub new_context: Signal<In, Bit>,
    pub context_value: Signal<In, Bits<18>>,
    pub entry: EntryOut<W>,
    // state
    icnt: DFF<Bits<24>>,
    bcnt: DFF<Bits<24>>,
    cc: DFF<Bits<32>>,
    // decisions
    any_pre: Signal<Local, Bit>,
    any_post: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    progress: Signal<Local, Bit>,
    // sums
    icnt_inc: Signal<Local, Bit>,
    icnt_sum: Signal<Local, Bits<24>>,
    bcnt_inc: Signal<Local, Bit>,
    bcnt_sum: Signal<Local, Bits<24>>,
    bcnt_stop: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    remains: Signal<Local, Bit>,
    remains_reported: Signal<Local, Bit>,
    clear_counts: Signal<Local, Bit>,
    bcnt_one: Signal<Local, Bit>,
    cc_all: Signal<Local, Bit>,
    cc_now: Signal<Local, Bits<32>>,
    resync: Signal<Local, Bit>,
    // with several instructions per cycle
    preceding: Signal<Local, Bits<24>>,
    cc_after: Signal<Local, Bits<32>>,
    // cycles up to the header that are not counted
    debt: DFF<Bits<8>>,
    cycles: Cycles,
    bcnt_sent: Signal<Local, Bits<24>>,
    // a change of context that neither an exception nor a sync reports
    context_only: Signal<Local, Bit>,
    entry_context: Signal<Local, Bits<18>>,
    entry_context_only: Signal<Local, Bit>,
    context_only_at: Fixed<Bits<5>>,
    // where messages carry signatures
    signature: Signature<W>,
    carries: Signal<Local, Bit>,
    with_signature: Fixed<Bit>,
    // the entry
    pre_1: Signal<Local, Bit>,
    pre_0: Signal<Local, Bit>,
    post_1: Signal<Local, Bit>,
    post_0: Signal<Local, Bit>,
    // from the parameters: all bits and top bit of the counters, options
    count_mask: Fixed<Bits<24>>,
    count_top: Fixed<Bits<24>>,
    cc_mask: Fixed<Bits<32>>,
    cc_top: Fixed<Bits<32>>,
    timed: Fixed<Bit>,
    nexus: Fixed<Bit>,
    sync: Fixed<Bit>,
    wide: Fixed<Bit>,
    with_context: Fixed<Bit>,
}

impl<const W: usize> Messages<W> {
    /// The circuit for `params` with `extras`; `nexus`: every taken branch makes a message.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`.
    pub fn with(params: &TraceParams, extras: Extras, nexus: bool) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let (count, cc) = (u32::from(params.count_bits), u32::from(params.cc_bits));
        let wide = extras.retire.is_some();
        let count_constant = Fixed::<Bits<COUNT_PORT_BITS>>::of::<u64>;
        let cc_constant = Fixed::<Bits<CC_PORT_BITS>>::of::<u64>;
        Self {
            count_mask: count_constant((1 << count) - 1),
            count_top: count_constant(1 << (count - 1)),
            cc_mask: cc_constant((1 << cc) - 1),
            cc_top: cc_constant(1 << (cc - 1)),
            timed: Fixed::new(params.timestamps),
            nexus: Fixed::new(nexus),
            sync: Fixed::new(extras.sync),
            wide: Fixed::new(wide),
            cycles: Cycles::new(params, &extras),
            with_context: Fixed::new(params.context.is_some()),
            context_only_at: Fixed::of(params.context_bits()),
            signature: when(params.signature > 0, || Signature::new(params)),
            with_signature: Fixed::new(params.signature > 0),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for Messages<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, icnt, bcnt, cc, debt);
        clock!(self, clock, signature);

        self.cc_now.next = self.cc.q.val();
        if self.header_repeated.val() & self.sync.val() {
            self.cc_now.next = 0.into();
        }
        // the cycle of the header may be later than that of the beat, or earlier
        self.cycles.step.next = self.step.val();
        self.cycles.counted.next = self.cc.q.val();
        self.cycles.header_repeated.next = self.header_repeated.val();
        self.cycles.old.next = 0.into();
        self.cycles.young.next = 0.into();
        if self.lag.val() > self.lead_lag.val() {
            self.cycles.old.next = self.lag.val() - self.lead_lag.val();
        } else {
            self.cycles.young.next = self.lead_lag.val() - self.lag.val();
        }
        self.cycles.debt.next = self.debt.q.val();
        self.debt.d.next = 0.into();
        if !self.decision.restart.val() & (self.live.val() | self.decision.tracing.val()) {
            self.debt.d.next = self.cycles.left.val();
        }
        // no cycle has passed before the first traced one
        if self.wide.val() & self.timed.val() & self.decision.tracing.val() {
            self.cc_now.next = self.cycles.sum.val();
            if self.cycles.over.val() {
                self.cc_now.next = self.cc_mask.val();
            }
        }
        self.resync.next = self.decision.resync.val() & self.sync.val();
        self.decision.flow.next = self.flow.val();

        // messages that this instruction needs
        self.context_only.next = self.with_context.val()
            & self.new_context.val()
            & self.decision.beat.val()
            & !self.decision.sync.val()
            & !self.decision.exception.val();
        self.any_pre.next = self.decision.sync.val() | self.decision.exception.val() | self.context_only.val();
        self.any_post.next = self.outcome.val() | self.miss.val();
        self.icnt_inc.next = self.decision.beat.val() & !self.any_pre.val();
        self.icnt_sum.next = self.icnt.q.val() + bit_cast::<24, 1>(self.icnt_inc.val().into());
        if self.wide.val() {
            self.preceding.next = self.icnt.q.val() + self.more.val();
            if self.decision.beat.val() {
                self.icnt_sum.next = self.preceding.val() + bit_cast::<24, 1>(self.icnt_inc.val().into());
            }
        }
        // the count before this instruction: the carry chain stays out of the decision
        self.long.next = (self.icnt.q.val() & self.count_top.val()).any()
            | ((self.cc.q.val() & self.cc_top.val()).any()
                & self.timed.val()
                & !(self.header_repeated.val() & self.sync.val()));
        if self.wide.val() {
            // with several instructions per cycle the sum is needed
            self.long.next = (self.preceding.val() & self.count_top.val()).any()
                | (((self.cycles.sum.val() & self.cc_top.val()).any() | self.cycles.over.val()) & self.timed.val());
        }
        self.progress.next = self.flow.val() & self.long.val() & !self.any_pre.val() & !self.any_post.val();
        self.decision.needs_message.next = (self.with_context.val() & self.new_context.val())
            | self.outcome.val()
            | self.miss.val()
            | (self.flow.val() & self.long.val());

        // iCnt holds while instructions are lost; bCnt counts the lost instructions then
        self.counted.next = self.reported.val() | (self.nexus.val() & self.decision.beat.val());
        self.bcnt_stop.next = (self.bcnt.q.val() & self.count_top.val()).any();
        self.bcnt_inc.next = self.counted.val();
        if self.decision.losing.val() {
            self.bcnt_inc.next = self.valid.val() & !self.bcnt_stop.val();
        }
        self.bcnt_sum.next = self.bcnt.q.val() + bit_cast::<24, 1>(self.bcnt_inc.val().into());
        if self.wide.val() {
            if (self.decision.losing.val() & self.bcnt_inc.val()) | (self.nexus.val() & self.decision.beat.val()) {
                self.bcnt_sum.next =
                    self.bcnt.q.val() + self.more.val() + bit_cast::<24, 1>(self.bcnt_inc.val().into());
            }
        }
        // an instruction after its own pre-message counts in the next message
        self.remains.next = self.decision.send.val() & self.any_pre.val() & !self.any_post.val() & !self.resync.val();
        self.remains_reported.next = self.remains.val() & self.counted.val();
        // also one cycle after a stop: the counters need not wait for that decision, as the next trace begins later. So
        // they need no reset
        self.clear_counts.next =
            self.decision.send.val() | self.decision.overflow.val() | self.resync.val() | !self.decision.tracing.val();
        if self.clear_counts.val() {
            self.icnt.d.next = bit_cast::<24, 1>(self.remains.val().into());
        } else {
            // a dropped instruction is not counted
            self.icnt.d.next = self.icnt_sum.val() & self.count_mask.val();
        }
        self.bcnt_one.next = self.remains_reported.val() | self.decision.drop.val();
        self.bcnt.d.next = self.bcnt_sum.val() & self.count_mask.val();
        if self.clear_counts.val() | self.decision.drop.val() {
            self.bcnt.d.next = bit_cast::<24, 1>(self.bcnt_one.val().into());
        }
        if self.wide.val() {
            if self.decision.drop.val() {
                self.bcnt.d.next = self.more.val() + 1;
            }
        }
        self.cc_all.next = self.cc_now.val() == self.cc_mask.val();
        if self.decision.restart.val() {
            self.cc.d.next = 1.into();
        } else if !self.live.val() & !self.decision.tracing.val() {
            self.cc.d.next = 0.into();
        } else if !self.cc_all.val() {
            self.cc.d.next = self.cc_now.val() + 1;
        }
        if self.wide.val() {
            self.cc_after.next = 0.into();
            if !self.decision.restart.val() & (self.live.val() | self.decision.tracing.val()) {
                self.cc_after.next = self.cc_now.val();
            }
            self.cc.d.next = self.cc_after.val();
        }
        if !self.timed.val() {
            self.cc.d.next = 0.into();
        }

        // the entry
        self.entry.push.next = self.decision.restart.val();
        self.pre_0.next = self.decision.exception.val() | self.decision.overflow.val() | self.decision.stop.val();
        self.pre_1.next = self.decision.sync.val() | self.decision.overflow.val() | self.decision.stop.val();
        self.post_0.next = self.outcome.val() | self.progress.val() | self.decision.overflow.val();
        self.post_1.next = self.miss.val() | self.progress.val();
        if self.with_context.val() {
            if self.context_only.val() {
                self.pre_0.next = true;
            }
        }
        if self.resync.val() {
            // marker and sync, alone or after an exception
            self.pre_0.next = true;
            self.pre_1.next = !self.decision.exception.val();
            self.post_0.next = self.decision.exception.val();
            self.post_1.next = true;
        }
        if self.with_context.val() {
            if self.resync.val() & self.context_only.val() {
                self.pre_1.next = false;
                self.post_0.next = true;
            }
        }
        self.entry.pre.next =
            (bit_cast::<2, 1>(self.pre_1.val().into()) << 1) | bit_cast::<2, 1>(self.pre_0.val().into());
        self.entry.post.next =
            (bit_cast::<2, 1>(self.post_1.val().into()) << 1) | bit_cast::<2, 1>(self.post_0.val().into());
        self.entry.icnt.next = self.icnt_sum.val() & self.count_mask.val();
        self.entry.bcnt.next = self.bcnt_sum.val() & self.count_mask.val();
        if self.wide.val() {
            // several instructions can carry beyond the top bit
            self.bcnt_sent.next = self.bcnt_sum.val() & self.count_mask.val();
            if self.decision.overflow.val() & self.bcnt_stop.val() {
                self.bcnt_sent.next = self.count_top.val();
            }
            self.entry.bcnt.next = self.bcnt_sent.val();
        }
        if self.any_pre.val() {
            self.entry.bcnt.next = 1.into();
        }
        // the signature of the instruction and its messages; it is sent in the field of a count
        self.signature.pc.next = self.pc.val();
        self.signature.target.next = self.target.val();
        self.signature.early.next = self.early.val();
        self.signature.flow.next = self.flow.val();
        self.signature.first.next = self.any_pre.val();
        self.signature.restart.next = self.resync.val() | self.decision.restart_sync.val();
        self.signature.idle.next = !self.decision.tracing.val() & !self.decision.beat.val();
        self.carries.next = self.resync.val() | self.decision.stop.val() | self.progress.val();
        self.signature.counts.next = self.carries.val() | self.decision.overflow.val() | self.any_pre.val();
        self.signature.count.next = self.icnt.q.val();
        if self.wide.val() {
            if self.decision.beat.val() {
                self.signature.count.next = self.preceding.val() & self.count_mask.val();
            }
        }
        self.signature.has_context.next = self.any_pre.val();
        self.signature.context_value.next = self.context_value.val();
        if self.with_signature.val() {
            if self.carries.val() {
                self.entry.bcnt.next = bit_cast::<24, 16>(self.signature.value.val());
            }
        }
        self.entry_context.next = 0.into();
        self.entry_context_only.next = false;
        if self.with_context.val() {
            self.entry_context.next = self.context_value.val();
            self.entry_context_only.next = self.context_only.val();
        }
        self.entry.resync_pc.next = 0.into();
        self.entry.context_value.next = bit_cast::<19, 18>(self.entry_context.val())
            | (bit_cast::<19, 1>(self.entry_context_only.val().into()) << self.context_only_at.val());
        self.entry.pc.next = self.pc.val();
        self.entry.target.next = self.target.val();
        self.entry.cc.next = self.cc_now.val();
        self.entry.hist.next = 0.into();
    }
}
