//! Trace state machine of one core: decides which cycles are traced, which messages are due and which instructions are lost
//!
//! Connects to both ends of every front end's pipeline. It indicates to the ingress which cycles are traced and the predictor stage
//! which instructions are lost. It sends the block that makes the entries the decision about the instruction in the last
//! stage.
//!
//! # Source
//! `docs/reference/stream.md`, "When each is sent"; `docs/explanation/trace-module.md`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | back to the state at power-up |
//! | `control` | | to the spine, see [`super::ports`] |
//! | `predictors_ready` | in | the predictors are in their reset state |
//! | `stage_live` | in | at the predictor stage: the cycle is traced |
//! | `enter` | in | an instruction retires in it |
//! | `hide` | in | it is hidden; between instructions, the value for the one before |
//! | `may_push` | in | it can make an entry: it is control flow, or the first after a trap |
//! | `flow` | in | it is a control-flow instruction; only used where resyncs are decided at this stage |
//! | `resyncs`, `starts_decoding` | out | where they are: it makes a resync; its sync is for decoders that start at the repeated header |
//! | `excluded` | out | it is lost or hidden, or a gap is open: predictors must not step |
//! | `blocked` | out | early form of `excluded`, from registers, for an instruction that may make an entry; undefined for others |
//! | `seen` | out | the cycle is traced, and not lost |
//! | `has_begun` | out | an instruction was traced before, since the trace or the last gap began |
//! | `counts` | out | 0: an instruction in this cycle is ignored, neither traced nor counted as lost |
//! | `clear` | out | the predictors are no longer needed and must be cleared |
//! | `go` | out | this cycle is traced: for the ingress adapter, which responds one cycle later with the beat's `live` |
//! | `open` | out | an instruction that retires in this cycle belongs to the trace: it is reported or lost |
//! | `live`, `live_next` | in | the cycle in the last stage is traced, and not lost; the same of the next one |
//! | `valid`, `intr` | in | in the last stage an instruction retires; it is the first after a trap |
//! | `resynced`, `started_decoding` | in | `resyncs`, `starts_decoding` of that instruction |
//! | `discontinuity` | in | at the ingress: a traced instruction does not follow from the one before |
//! | `decision.needs_message` | in | if it is traced, it needs a message; arbitrary where `sync` or `exception` is 1 |
//! | `decision.beat` | out | it is traced |
//! | `decision.sync`, `.exception` | out | it is the first traced instruction; it follows a trap |
//! | `decision.send` | out | its message is sent |
//! | `decision.drop` | out | it is the first lost instruction |
//! | `decision.restart_sync` | out | its sync is also for decoders that start at the header before it: tables are cleared after it |
//! | `decision.overflow`, `.stop` | out | an overflow message, a stop message is sent in this cycle |
//! | `decision.flow` | in | it is a control-flow instruction |
//! | `decision.resync` | out | a resync is sent instead of its message, after an exception if it follows a trap |
//! | `decision.restart` | out | one of `send`, `overflow`, `stop`, `resync` |
//! | `decision.losing`, `.tracing` | out | instructions are being lost; a stop message is still due |
//!
//! # Timing
//! All outputs respond in the same cycle, so `needs_message` must not depend on the decision. `live` may rise again only after a loss
//! (one overflow message is then sent in the cycle before) or after the stop message.
//!
//! With a filter, a hidden instruction starts a gap. The gap lasts until the first instruction that is not hidden and gets a FIFO
//! entry. The cycles between instructions are lost with them, so the overflow message is sent just before that instruction, or at a
//! stop. Hidden instructions before the first traced one are ignored.
//!
//! `enable` may rise and fall at any time. A trace that has begun always ends with a stop message before the next
//! begins. From the cycle in which `enable` falls, nothing is traced or counted as lost. A core that was losing then sends the
//! overflow message once an entry is free, and after it the stop message, without a sync.
//!
//! An instruction that may make an entry reserves one in the FIFO when it enters. If none is left, this instruction and those
//! after it are lost before they can change a table. Once the earlier ones have left the pipeline and enough entries are free,
//! the core continues with overflow and sync, with its tables unchanged. A resync that is due waits for a control-flow
//! instruction that is not lost and has no sync. It is decided in the last stage or, for a front end that counts at the predictor
//! stage, there ([`TraceFsm::early`]). The resync signals in `control` then belong to that stage, too.

use super::ports::{ControlIn, DecisionOut};
use super::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The trace state machine of one core.
#[derive(LogicBlock, Default)]
pub struct TraceFsm {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub predictors_ready: Signal<In, Bit>,
    pub clear: Signal<Out, Bit>,
    pub stage_live: Signal<In, Bit>,
    pub enter: Signal<In, Bit>,
    pub hide: Signal<In, Bit>,
    pub may_push: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub resyncs: Signal<Out, Bit>,
    pub starts_decoding: Signal<Out, Bit>,
    pub excluded: Signal<Out, Bit>,
    pub blocked: Signal<Out, Bit>,
    pub seen: Signal<Out, Bit>,
    pub has_begun: Signal<Out, Bit>,
    pub counts: Signal<Out, Bit>,
    pub go: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub live: Signal<In, Bit>,
    pub live_next: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub resynced: Signal<In, Bit>,
    pub started_decoding: Signal<In, Bit>,
    pub discontinuity: Signal<In, Bit>,
    pub decision: DecisionOut,
    // which cycles are traced
    run: DFF<Bit>,
    stopping: DFF<Bit>,
    resume: DFF<Bit>,
    start: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    // at the predictor stage: a gap is open; it is about to close; an instruction was traced
    gap: DFF<Bit>,
    closing_gap: DFF<Bit>,
    has_traced: DFF<Bit>,
    hidden: Signal<Local, Bit>,
    hidden_at_start: Signal<Local, Bit>,
    opens_gap: Signal<Local, Bit>,
    // no cycle was seen since the trace or the gap began; the trace is over, and one cycle without an instruction is seen instead
    cycle_due: DFF<Bit>,
    last: Signal<Local, Bit>,
    // no cycle was seen since the gap closed; while only hidden instructions retire, none may be
    hidden_after_gap: DFF<Bit>,
    skips_hidden: Signal<Local, Bit>,
    // decision in the last stage
    losing: DFF<Bit>,
    first: DFF<Bit>,
    tracing: DFF<Bit>,
    stop_ready_2: DFF<Bit>,
    beat: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    closes_gap: Signal<Local, Bit>,
    send: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    stop_due: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    restart_sync: Signal<Local, Bit>,
    sync: Fixed<Bit>,
    filter: Fixed<Bit>,
    /// `stop_ready` comes from a register: `stop_go` depends on it through the other cores.
    late: Fixed<Bit>,
    early: Fixed<Bit>,
    /// The first instruction makes no message; that about it is sent with the next one.
    deferred: Fixed<Bit>,
}

impl TraceFsm {
    /// The state machine for `extras`. With `late`, `stop_ready` comes from a register.
    pub fn new(late: bool, extras: Extras) -> Self {
        let Extras { sync, filter, .. } = extras;
        Self { late: Fixed::new(late), sync: Fixed::new(sync), filter: Fixed::new(filter), ..Default::default() }
    }

    /// As [`TraceFsm::new`], for a front end that sends the messages of an instruction with the next one.
    pub fn deferred(extras: Extras) -> Self {
        Self { deferred: Fixed::new(true), ..Self::new(false, extras) }
    }

    /// As [`TraceFsm::new`], with resyncs that are decided at the predictor stage.
    pub fn early(late: bool, extras: Extras) -> Self {
        Self { early: Fixed::new(true), ..Self::new(late, extras) }
    }
}

impl Logic for TraceFsm {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            run,
            stopping,
            resume,
            losing,
            first,
            tracing,
            stop_ready_2,
            gap,
            closing_gap,
            has_traced,
            hidden_after_gap,
            cycle_due
        );

        // which cycles are traced
        self.start.next = self.control.enable.val() & self.predictors_ready.val() & !self.run.q.val();
        self.active.next = self.start.val() | (self.run.q.val() & self.control.enable.val() & !self.stopping.q.val());
        self.resume.d.next = self.losing.q.val() & (self.resume.q.val() | self.control.below_watermark.val());
        self.open.next = self.active.val() & !self.reset.val();
        self.go.next = self.open.val() & (!self.losing.q.val() | self.resume.q.val());
        if self.start.val() {
            self.run.d.next = true;
        }
        if self.run.q.val() & !self.control.enable.val() {
            self.stopping.d.next = true;
        }
        self.control.ready.next = self.predictors_ready.val();
        self.control.lost.next = self.losing.q.val();
        self.control.discontinuity.next = self.discontinuity.val();

        // enough entries are free again
        self.closes_gap.next = self.losing.q.val() & self.control.below_watermark.val() & !self.resume.q.val();

        // which instructions are lost
        self.hidden.next = self.hide.val() & self.filter.val();
        // hidden instructions before the first traced one, or after a gap: the gap lasts until one that is not hidden
        self.hidden_at_start.next = self.hidden.val() & !self.has_traced.q.val() & !self.gap.q.val();
        self.skips_hidden.next =
            self.filter.val() & self.hidden_after_gap.q.val() & self.control.enable.val() & !self.stopping.q.val();
        self.opens_gap.next = self.enter.val()
            & ((self.hidden.val() & self.has_traced.q.val())
                | (!self.hidden.val()
                    & (!self.has_traced.q.val() | self.may_push.val())
                    & self.control.no_credit.val()));
        self.excluded.next = self.gap.q.val()
            | self.opens_gap.val()
            | (self.hidden_at_start.val() & (self.enter.val() | self.skips_hidden.val()));
        self.blocked.next = self.gap.q.val() | self.hidden.val() | self.control.no_credit.val();
        // the ingress has responded to the stop: later instructions are ignored, and not counted as lost
        self.counts.next = (!self.hidden_at_start.val() | self.skips_hidden.val()) & !self.stopping.q.val();
        self.last.next = self.cycle_due.q.val() & self.stopping.q.val() & !self.gap.q.val();
        self.has_begun.next = self.has_traced.q.val();
        self.seen.next = (self.stage_live.val()
            & !self.gap.q.val()
            & !self.opens_gap.val()
            & !(self.hidden_at_start.val() & self.skips_hidden.val()))
            | self.last.val();
        self.cycle_due.d.next =
            (self.start.val() | self.opens_gap.val() | self.cycle_due.q.val()) & !self.seen.val() & !self.reset.val();
        self.hidden_after_gap.d.next = self.filter.val()
            & ((self.gap.q.val() & self.closing_gap.q.val()) | self.hidden_after_gap.q.val())
            & !self.seen.val()
            & !self.reset.val();
        // until the ingress responds
        self.closing_gap.d.next = self.closes_gap.val();
        self.gap.d.next = ((self.gap.q.val() & !self.closing_gap.q.val()) | self.opens_gap.val()) & !self.reset.val();
        self.has_traced.d.next = self.stage_live.val()
            & !self.gap.q.val()
            & !self.opens_gap.val()
            & (self.has_traced.q.val() | (self.enter.val() & !self.hidden.val()))
            & !self.reset.val();

        // decision about the instruction in the last stage
        self.beat.next = self.valid.val() & self.live.val();
        self.due.next = self.beat.val() & (self.first.q.val() | self.intr.val() | self.decision.needs_message.val());
        if self.deferred.val() {
            self.due.next =
                self.beat.val() & !self.first.q.val() & (self.intr.val() | self.decision.needs_message.val());
        }
        self.send.next = self.due.val();
        self.drop.next =
            self.valid.val() & !self.live.val() & self.gap.q.val() & self.tracing.q.val() & !self.losing.q.val();
        // counted in an overflow message
        self.control.loses.next = self.drop.val() | (self.losing.q.val() & self.valid.val());
        self.control.more.next = 0.into();
        self.control.almost_full.next = false;
        self.control.lag.next = 0.into();

        // instead of the instruction's own message
        self.resync.next = false;
        if self.sync.val() {
            self.resync.next =
                self.beat.val() & self.decision.flow.val() & self.control.due.val() & !self.first.q.val();
        }
        self.control.resynced.next = self.resync.val();
        self.control.synced.next = self.resync.val() | (self.send.val() & self.first.q.val());
        self.control.counted.next = self.beat.val();
        self.accepted.next = self.enter.val() & !self.gap.q.val() & !self.opens_gap.val() & !self.hidden_at_start.val();
        self.resyncs.next = false;
        self.starts_decoding.next = false;
        if self.sync.val() & self.early.val() {
            self.resync.next = self.beat.val() & self.resynced.val();
            self.resyncs.next =
                self.accepted.val() & self.has_traced.q.val() & self.flow.val() & self.control.due.val();
            self.starts_decoding.next =
                self.accepted.val() & !self.has_traced.q.val() & self.control.after_header.val();
            self.control.resynced.next = self.resyncs.val();
            self.control.synced.next =
                self.accepted.val() & (!self.has_traced.q.val() | (self.flow.val() & self.control.due.val()));
            self.control.counted.next = self.accepted.val();
        }

        // the overflow message goes out in the cycle before the first live one
        self.overflow.next = self.losing.q.val() & self.live_next.val() & !self.live.val();
        self.stop_due.next = self.tracing.q.val()
            & !self.live.val()
            & !self.gap.q.val()
            & !self.losing.q.val()
            & !self.control.no_credit.val();
        self.stop.next = self.stop_due.val() & self.control.stop_go.val();
        // reservations, one of them for the overflow message before the instructions after it can take all entries
        self.control.take.next = (self.enter.val()
            & !self.hidden.val()
            & !self.gap.q.val()
            & (!self.has_traced.q.val() | self.may_push.val())
            & !self.control.no_credit.val())
            | self.closes_gap.val()
            | self.stop.val();
        self.control.give_back.next = self.beat.val()
            & (self.first.q.val() | self.intr.val() | self.decision.flow.val())
            & !self.send.val()
            & !self.resync.val();

        if self.stop.val() | self.reset.val() {
            self.run.d.next = false;
            self.stopping.d.next = false;
        }
        if self.drop.val() {
            self.losing.d.next = true;
        }
        if self.overflow.val() {
            self.losing.d.next = false;
        }
        self.first.d.next = !self.live.val() | (self.first.q.val() & !self.valid.val());
        self.tracing.d.next = self.live.val() | (self.tracing.q.val() & !self.stop.val());
        if self.reset.val() {
            self.losing.d.next = false;
            self.tracing.d.next = false;
        }
        self.stop_ready_2.d.next = self.stop_due.val() & !self.stop.val();
        self.control.stop_ready.next = self.stop_due.val();
        if self.late.val() {
            self.control.stop_ready.next = self.stop_ready_2.q.val();
        }

        self.restart_sync.next =
            self.sync.val() & self.beat.val() & self.first.q.val() & self.control.after_header.val();
        if self.early.val() {
            self.restart_sync.next = self.sync.val() & self.beat.val() & self.started_decoding.val();
        }
        self.clear.next = self.resync.val() | self.restart_sync.val() | self.stop.val();
        self.decision.restart_sync.next = self.restart_sync.val();
        self.decision.beat.next = self.beat.val();
        self.decision.sync.next = self.beat.val() & self.first.q.val();
        self.decision.exception.next = self.beat.val() & self.intr.val() & !self.first.q.val();
        self.decision.losing.next = self.losing.q.val();
        self.decision.tracing.next = self.tracing.q.val();
        self.decision.send.next = self.send.val();
        self.decision.drop.next = self.drop.val();
        self.decision.overflow.next = self.overflow.val();
        self.decision.stop.next = self.stop.val();
        self.decision.resync.next = self.resync.val();
        self.decision.restart.next = self.send.val() | self.overflow.val() | self.stop.val() | self.resync.val();
    }
}
