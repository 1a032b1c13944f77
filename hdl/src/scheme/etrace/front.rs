//! Front end of one core: an entry for each packet of E-Trace, or for two packets of the same moment
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 8, "Reference Compressed Branch Trace Algorithm".
//!
//! # Ports
//! As in [`crate::spine::front_port`].
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter; ends in the registers that drive the beat |
//! | S2 | which instructions are lost; which may make an entry |
//! | S3 | the instruction before is reported ([`super::reports`]) |
//!
//! Whether the trace needs the address of an instruction depends on the one after it, so that each is reported with the next one,
//! with the overflow or with the stop. An entry is therefore reserved for an instruction when one before it may need it: after a
//! branch, after the first instruction, after a return that the return stack did not predict, after the second predicted return without a
//! branch between, when a synchronization is due, and at the second one after an indirect jump.
//!
//! A synchronization that is due comes at the instruction after the next branch or jump, but not after a return that the return
//! stack did not predict: the reader would take its prediction.
//!
//! # Contexts
//! The first instruction in a context is a synchronization, with a trap or without.
//!
//! # Filter
//! Hidden instructions open a gap as lost ones do. It is one of the filter, and no loss, unless an instruction that is not hidden is lost in
//! it, too: after a short hidden stretch, the trace state machine takes some cycles to continue.
//!
//! # Time stamps
//! A synchronization has the time of its instruction. A periodic one has that of the branch or jump before it, and the next packet of a trap without an
//! instruction that of the jump: the events of the model have these. The time is taken [`TIME_LAG`] cycles after the instruction retires.
//!
//! Golden model: [`sim::baseline::etrace::Encoder`] with `port_only`.

use super::predictors::Predictors;
use super::reports::Reports;
use super::returns::Returns;
use super::targets::Targets;
use crate::spine::core_time::CoreTime;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut, EntryOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::baseline::etrace::{EtraceParams, Options};

/// Cycles from the one in which an instruction retires to the one whose time its packet has.
pub const TIME_LAG: usize = 2;

/// A front end for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct EtraceFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    trace_fsm: TraceFsm,
    reports: Reports<W>,
    // S2: the instruction before was the first one or a branch; it was a return that may be reported; it was an indirect jump;
    // the one before that was
    leads: DFF<Bit>,
    wronged: DFF<Bit>,
    indirect: DFF<Bit>,
    jumped: DFF<Bit>,
    // S2: a predicted return since the last branch or synchronization
    returned: DFF<Bit>,
    // S2: the next instruction begins with a synchronization; instructions since the last one, up to the period
    due: DFF<Bit>,
    since: DFF<Bits<21>>,
    periodic: Fixed<Bit>,
    begins: Signal<Local, Bit>,
    passed: Signal<Local, Bits<21>>,
    count: Signal<Local, Bits<21>>,
    period: Fixed<Bits<21>>,
    one: Fixed<Bits<21>>,
    flow: Signal<Local, Bit>,
    // S2: the return stack
    stack: Fixed<Bit>,
    returns: Returns<W>,
    hit: Signal<Local, Bit>,
    wrong: Signal<Local, Bit>,
    // S2 and S3: predictors and jump target cache
    predicts: Fixed<Bit>,
    branch_predictors: Predictors<W>,
    caches: Fixed<Bit>,
    target_cache: Targets<W>,
    clears: Signal<Local, Bit>,
    // where contexts are reported: the instruction is the first one in its context; or a synchronization is due at it
    with_context: Fixed<Bit>,
    new_context: Signal<Local, Bit>,
    syncs: Signal<Local, Bit>,
    context_value: Delay<18>,
    // with time stamps: the time; the instruction has a periodic synchronization and nothing else
    stamped: Fixed<Bit>,
    core_time: CoreTime,
    is_periodic: Signal<Local, Bit>,
    periodic_only: Delay<1>,
    // with a filter: instructions that are not hidden were lost since the last one that was traced
    filter: Fixed<Bit>,
    was_open: Delay<1>,
    loses: Signal<Local, Bit>,
    lost: DFF<Bit>,
    full_depth: Fixed<Bits<6>>,
    above_depth: Fixed<Bits<6>>,
    depth: Signal<Local, Bits<6>>,
    is_indirect: Signal<Local, Bit>,
    may_push: Signal<Local, Bit>,
    entered: Signal<Local, Bit>,
    not_taken: Signal<Local, Bit>,
    // S3: live, valid, intr, may push, branch, not taken, indirect, predicted return, other return, synchronization due
    flags: Delay<10>,
    flags_3: Signal<Local, Bits<10>>,
    depths: Delay<6>,
    pcs: Delay<W>,
    targets: Delay<W>,
}

impl<const W: usize> EtraceFront<W> {
    /// The front end for `params` with `extras`.
    pub fn with(params: &EtraceParams, extras: Extras) -> Self {
        let Options { return_stack: stack, sync, predictors, jump_targets, .. } = params.options;
        let address_bits = usize::from(params.xlen) - 1;
        Self {
            predicts: Fixed::new(predictors > 0),
            branch_predictors: when(predictors > 0, || Predictors::new(predictors)),
            caches: Fixed::new(jump_targets > 0),
            target_cache: when(jump_targets > 0, || Targets::new(jump_targets, address_bits)),
            stack: Fixed::new(stack > 0),
            returns: when(stack > 0, || Returns::new(stack, address_bits)),
            // only the largest depth has the top bit of `irdepth` set
            full_depth: Fixed::of(1u8 << stack),
            above_depth: Fixed::of(0x3fu8 & !((1u8 << stack) - 1)),
            depths: Delay::new(1),
            periodic: Fixed::new(sync > 0),
            period: Fixed::of(1u64 << sync),
            one: Fixed::of(1u8),
            trace_fsm: TraceFsm::deferred(extras),
            reports: Reports::new(params),
            with_context: Fixed::new(params.context.is_some()),
            context_value: Delay::new(1),
            stamped: Fixed::new(params.timestamps),
            core_time: when(params.timestamps, || CoreTime::new(TIME_LAG, &extras)),
            periodic_only: Delay::new(usize::from(params.timestamps)),
            filter: Fixed::new(extras.filter),
            was_open: Delay::new(1),
            flags: Delay::new(1),
            pcs: Delay::new(1),
            targets: Delay::new(1),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for EtraceFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, leads, wronged, indirect, jumped, returned, due, since, lost);
        clock!(self, clock, trace_fsm, reports, flags, pcs, targets, returns, depths, branch_predictors, target_cache);
        clock!(self, clock, context_value, was_open, core_time, periodic_only);

        // S2
        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        self.trace_fsm.predictors_ready.next = true;
        if self.predicts.val() {
            self.trace_fsm.predictors_ready.next = self.branch_predictors.ready.val();
        }
        if self.caches.val() {
            if !self.target_cache.ready.val() {
                self.trace_fsm.predictors_ready.next = false;
            }
        }
        self.clears.next = self.trace_fsm.clear.val() | self.port.reset.val();
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        self.entered.next = self.trace_fsm.seen.val() & self.port.beat.valid.val() & self.trace_fsm.counts.val();
        self.new_context.next = false;
        if self.with_context.val() {
            self.new_context.next = self.port.beat.new_context.val() & self.port.beat.valid.val();
        }
        self.syncs.next = self.due.q.val() | self.new_context.val();
        self.begins.next = !self.trace_fsm.has_begun.val() | self.port.beat.intr.val() | self.syncs.val();
        self.returns.step.next = self.entered.val();
        self.returns.begins.next = self.begins.val();
        self.returns.push.next = self.port.beat.push.val();
        self.returns.pop.next = self.port.beat.pop.val();
        self.returns.link.next = self.port.beat.link.val();
        self.returns.target.next = self.port.beat.target.val();
        self.branch_predictors.clear.next = self.clears.val();
        self.branch_predictors.step.next = self.entered.val();
        self.branch_predictors.begins.next = self.begins.val();
        self.branch_predictors.branch.next = self.port.beat.branch.val();
        self.branch_predictors.taken.next = self.port.beat.taken.val();
        self.branch_predictors.pc.next = self.port.beat.pc.val();
        self.target_cache.clear.next = self.clears.val();
        self.target_cache.step.next = self.entered.val();
        self.target_cache.begins.next = self.begins.val();
        self.target_cache.jumped.next = self.indirect.q.val() & !self.begins.val();
        self.target_cache.pc.next = self.port.beat.pc.val();
        self.hit.next = false;
        self.wrong.next = false;
        self.depth.next = 0.into();
        if self.stack.val() {
            self.hit.next = self.returns.hit.val();
            self.wrong.next = self.returns.wrong.val();
            self.depth.next = self.returns.depth.val();
            if self.returns.depth.val() == self.full_depth.val() {
                self.depth.next = self.above_depth.val();
            }
        }
        self.is_indirect.next = self.port.beat.lookup.val() | (self.port.beat.pop.val() & !self.hit.val());
        self.flow.next = self.port.beat.branch.val()
            | self.port.beat.jump.val()
            | self.port.beat.lookup.val()
            | self.port.beat.pop.val();
        self.may_push.next = self.leads.q.val() | self.jumped.q.val() | self.wronged.q.val() | self.syncs.val();
        self.trace_fsm.may_push.next = self.may_push.val() | self.port.beat.intr.val();
        if self.entered.val() {
            self.leads.d.next = self.begins.val() | self.port.beat.branch.val();
            self.wronged.d.next = self.wrong.val() | (self.hit.val() & self.returned.q.val());
            self.returned.d.next =
                self.hit.val() | (self.returned.q.val() & !self.port.beat.branch.val() & !self.begins.val());
            self.indirect.d.next = self.is_indirect.val();
            self.jumped.d.next = self.indirect.q.val();
        }
        // before the first instruction: a reservation must be known, also if registers power up unknown
        if self.port.reset.val() {
            self.leads.d.next = false;
            self.wronged.d.next = false;
            self.returned.d.next = false;
            self.indirect.d.next = false;
            self.jumped.d.next = false;
        }
        self.passed.next = self.since.q.val();
        if self.begins.val() {
            self.passed.next = 0.into();
        }
        // with the instruction
        self.count.next = self.passed.val();
        if self.passed.val() != self.period.val() {
            self.count.next = self.passed.val() + self.one.val();
        }
        if self.periodic.val() {
            if self.entered.val() {
                self.since.d.next = self.count.val();
                self.due.d.next = (self.count.val() == self.period.val()) & self.flow.val() & !self.wrong.val();
            }
        }
        if self.port.reset.val() {
            self.due.d.next = false;
        }
        // the schedule of the spine is not used
        self.trace_fsm.flow.next = false;
        self.trace_fsm.resynced.next = false;
        self.trace_fsm.started_decoding.next = false;

        // with a filter, whether a gap has more than hidden instructions
        self.was_open.clear.next = self.port.reset.val();
        self.was_open.from.next = bit_cast::<1, 1>(self.trace_fsm.open.val().into());
        self.loses.next = self.was_open.to.val().get_bit(0)
            & self.port.beat.valid.val()
            & !self.port.beat.hide.val()
            & (!self.port.beat.live.val() | self.trace_fsm.excluded.val());
        self.reports.hidden.next = false;
        if self.filter.val() {
            if self.loses.val() {
                self.lost.d.next = true;
            } else if self.entered.val() {
                self.lost.d.next = false;
            }
            if self.port.reset.val() {
                self.lost.d.next = false;
            }
            // the gap ends one cycle before the instruction after it is in S3
            self.reports.hidden.next = !self.lost.q.val();
        }

        // S3
        self.core_time.enable.next = self.port.control.enable.val();
        self.core_time.timestamp.next = self.port.timestamp.val();
        self.periodic_only.clear.next = false;
        self.is_periodic.next =
            self.due.q.val() & self.trace_fsm.has_begun.val() & !self.port.beat.intr.val() & !self.new_context.val();
        self.periodic_only.from.next = bit_cast::<1, 1>(self.is_periodic.val().into());
        self.reports.timestamp.next = 0.into();
        self.reports.keeps_time.next = false;
        if self.stamped.val() {
            self.reports.timestamp.next = self.core_time.now.val();
            self.reports.keeps_time.next = self.periodic_only.to.val().get_bit(0);
        }
        self.context_value.clear.next = false;
        self.context_value.from.next = self.port.beat.context_value.val();
        self.reports.context_value.next = self.context_value.to.val();
        self.flags.clear.next = self.port.reset.val();
        self.not_taken.next = !self.port.beat.taken.val();
        self.flags.from.next = bit_cast::<10, 1>(self.trace_fsm.seen.val().into())
            | (bit_cast::<10, 1>((self.port.beat.valid.val() & self.trace_fsm.counts.val()).into()) << 1)
            | (bit_cast::<10, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<10, 1>(self.may_push.val().into()) << 3)
            | (bit_cast::<10, 1>(self.port.beat.branch.val().into()) << 4)
            | (bit_cast::<10, 1>(self.not_taken.val().into()) << 5)
            | (bit_cast::<10, 1>(self.is_indirect.val().into()) << 6)
            | (bit_cast::<10, 1>(self.hit.val().into()) << 7)
            | (bit_cast::<10, 1>(self.wrong.val().into()) << 8)
            | (bit_cast::<10, 1>(self.syncs.val().into()) << 9);
        self.depths.clear.next = false;
        self.depths.from.next = self.depth.val();
        self.flags_3.next = self.flags.to.val();
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();
        self.trace_fsm.live_next.next = self.trace_fsm.seen.val();
        self.trace_fsm.live.next = self.flags_3.val().get_bit(0);
        self.trace_fsm.valid.next = self.flags_3.val().get_bit(1);
        self.trace_fsm.intr.next = self.flags_3.val().get_bit(2);
        self.reports.reset.next = self.port.reset.val();
        self.reports.reserved.next = self.flags_3.val().get_bit(3);
        self.reports.branch.next = self.flags_3.val().get_bit(4);
        self.reports.not_taken.next = self.flags_3.val().get_bit(5);
        self.reports.indirect.next = self.flags_3.val().get_bit(6);
        self.reports.implicit.next = self.flags_3.val().get_bit(7);
        self.reports.wrong.next = self.flags_3.val().get_bit(8);
        self.reports.resync.next = self.flags_3.val().get_bit(9);
        self.reports.depth.next = self.depths.to.val();
        self.reports.predicts.next = false;
        self.reports.right.next = false;
        self.reports.hit.next = false;
        if self.predicts.val() {
            self.reports.predicts.next = self.branch_predictors.on.val();
            self.reports.right.next = self.branch_predictors.right.val();
        }
        if self.caches.val() {
            self.reports.hit.next = self.target_cache.hit.val();
        }
        self.reports.pc.next = self.pcs.to.val();
        self.reports.target.next = self.targets.to.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.reports.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.reports.entry);
    }
}

part!(EtraceFront<W>, FrontPort<W>, "front", |_front| 1);
