//! Trace state machine of one core: decides which cycles are traced, which messages are due and which instructions are lost
//!
//! Connects to both ends of every front end's pipeline. It tells the ingress which cycles are traced and the predictor stage
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
//! | `able` | in | the predictors are in their reset state |
//! | `here` | in | at the predictor stage: the cycle is traced |
//! | `enter` | in | an instruction retires in it |
//! | `hide` | in | it is hidden; between instructions, the value for the one before |
//! | `may` | in | it can make an entry: it is control flow, or the first after a trap |
//! | `flow` | in | it is a control-flow instruction; only used where resyncs are decided at this stage |
//! | `resyncs`, `begins` | out | where they are: it makes a resync; its sync is for decoders that start at the repeated header |
//! | `away` | out | it is lost or hidden, or a gap is open: predictors must not step |
//! | `shut` | out | early form of `away`, from registers, for an instruction that may make an entry; undefined for others |
//! | `seen` | out | the cycle is traced, and not lost |
//! | `counts` | out | 0: an instruction in this cycle is ignored, neither traced nor counted as lost |
//! | `clear` | out | the predictors are no longer needed and must be cleared |
//! | `go` | out | this cycle is traced: for the ingress adapter, which responds one cycle later with the beat's `live` |
//! | `open` | out | an instruction that retires in this cycle belongs to the trace: it is reported or lost |
//! | `live`, `live_next` | in | the cycle in the last stage is traced, and not lost; the same of the next one |
//! | `valid`, `intr` | in | in the last stage an instruction retires; it is the first after a trap |
//! | `resynced`, `began` | in | `resyncs`, `begins` of that instruction |
//! | `broken` | in | at the ingress: a traced instruction does not follow from the one before |
//! | `verdict.asks` | in | if it is traced, it needs a message; arbitrary where `sync` or `exception` is 1 |
//! | `verdict.beat` | out | it is traced |
//! | `verdict.sync`, `.exception` | out | it is the first traced instruction; it follows a trap |
//! | `verdict.send` | out | its message is sent |
//! | `verdict.drop` | out | it is the first lost instruction |
//! | `verdict.fresh` | out | its sync is also for decoders that start at the header before it: tables are cleared after it |
//! | `verdict.overflow`, `.stop` | out | an overflow message, a stop message is sent in this cycle |
//! | `verdict.flow` | in | it is a control-flow instruction |
//! | `verdict.resync` | out | a resync is sent instead of its message, after an exception if it follows a trap |
//! | `verdict.restart` | out | one of `send`, `overflow`, `stop`, `resync` |
//! | `verdict.losing`, `.tracing` | out | instructions are being lost; a stop message is still due |
//!
//! # Timing
//! All outputs respond in the same cycle, so `asks` must not depend on the decision. `live` may rise again only after a loss
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
//! stage, there ([`Life::early`]). The resync signals in `control` then belong to that stage, too.

use super::ports::{ControlIn, VerdictOut};
use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The trace state machine of one core.
#[derive(LogicBlock, Default)]
pub struct Life {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub control: ControlIn,
    pub able: Signal<In, Bit>,
    pub clear: Signal<Out, Bit>,
    pub here: Signal<In, Bit>,
    pub enter: Signal<In, Bit>,
    pub hide: Signal<In, Bit>,
    pub may: Signal<In, Bit>,
    pub flow: Signal<In, Bit>,
    pub resyncs: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub away: Signal<Out, Bit>,
    pub shut: Signal<Out, Bit>,
    pub seen: Signal<Out, Bit>,
    pub counts: Signal<Out, Bit>,
    pub go: Signal<Out, Bit>,
    pub open: Signal<Out, Bit>,
    pub live: Signal<In, Bit>,
    pub live_next: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub intr: Signal<In, Bit>,
    pub resynced: Signal<In, Bit>,
    pub began: Signal<In, Bit>,
    pub broken: Signal<In, Bit>,
    pub verdict: VerdictOut,
    // which cycles are traced
    run: DFF<Bit>,
    stopping: DFF<Bit>,
    resume: DFF<Bit>,
    start: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    // at the predictor stage: a gap is open; it is about to close; an instruction was traced
    gap: DFF<Bit>,
    opened: DFF<Bit>,
    begun: DFF<Bit>,
    hidden: Signal<Local, Bit>,
    unbegun: Signal<Local, Bit>,
    falls: Signal<Local, Bit>,
    // no cycle was seen since the trace or the gap began; the trace is over, and one cycle without an instruction is seen instead
    owed: DFF<Bit>,
    last: Signal<Local, Bit>,
    // no cycle was seen since the gap closed; while only hidden instructions retire, none may be
    dark: DFF<Bit>,
    armed: Signal<Local, Bit>,
    // decision in the last stage
    losing: DFF<Bit>,
    first: DFF<Bit>,
    tracing: DFF<Bit>,
    stop_ready_2: DFF<Bit>,
    beat: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    send: Signal<Local, Bit>,
    drop: Signal<Local, Bit>,
    overflow: Signal<Local, Bit>,
    stop_due: Signal<Local, Bit>,
    stop: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    fresh: Signal<Local, Bit>,
    sync: Fixed<Bit>,
    filter: Fixed<Bit>,
    /// `stop_ready` comes from a register: `stop_go` depends on it through the other cores.
    late: Fixed<Bit>,
    early: Fixed<Bit>,
}

impl Life {
    /// The state machine for `extras`. With `late`, `stop_ready` comes from a register.
    pub fn new(late: bool, extras: Extras) -> Self {
        let Extras { sync, filter, .. } = extras;
        Self { late: Fixed::new(late), sync: Fixed::new(sync), filter: Fixed::new(filter), ..Default::default() }
    }

    /// As [`Life::new`], with resyncs that are decided at the predictor stage.
    pub fn early(late: bool, extras: Extras) -> Self {
        Self { early: Fixed::new(true), ..Self::new(late, extras) }
    }
}

impl Logic for Life {
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
            opened,
            begun,
            dark,
            owed
        );

        // which cycles are traced
        self.start.next = self.control.enable.val() & self.able.val() & !self.run.q.val();
        self.active.next = self.start.val() | (self.run.q.val() & self.control.enable.val() & !self.stopping.q.val());
        self.resume.d.next = self.losing.q.val() & (self.resume.q.val() | self.control.roomy.val());
        self.open.next = self.active.val() & !self.reset.val();
        self.go.next = self.open.val() & (!self.losing.q.val() | self.resume.q.val());
        if self.start.val() {
            self.run.d.next = true;
        }
        if self.run.q.val() & !self.control.enable.val() {
            self.stopping.d.next = true;
        }
        self.control.ready.next = self.able.val();
        self.control.lost.next = self.losing.q.val();
        self.control.broken.next = self.broken.val();

        // enough entries are free again
        self.opens.next = self.losing.q.val() & self.control.roomy.val() & !self.resume.q.val();

        // which instructions are lost
        self.hidden.next = self.hide.val() & self.filter.val();
        // hidden instructions before the first traced one, or after a gap: the gap lasts until one that is not hidden
        self.unbegun.next = self.hidden.val() & !self.begun.q.val() & !self.gap.q.val();
        self.armed.next = self.filter.val() & self.dark.q.val() & self.control.enable.val() & !self.stopping.q.val();
        self.falls.next = self.enter.val()
            & ((self.hidden.val() & self.begun.q.val())
                | (!self.hidden.val() & (!self.begun.q.val() | self.may.val()) & self.control.spent.val()));
        self.away.next =
            self.gap.q.val() | self.falls.val() | (self.unbegun.val() & (self.enter.val() | self.armed.val()));
        self.shut.next = self.gap.q.val() | self.hidden.val() | self.control.spent.val();
        // the ingress has responded to the stop: later instructions are ignored, and not counted as lost
        self.counts.next = (!self.unbegun.val() | self.armed.val()) & !self.stopping.q.val();
        self.last.next = self.owed.q.val() & self.stopping.q.val() & !self.gap.q.val();
        self.seen.next =
            (self.here.val() & !self.gap.q.val() & !self.falls.val() & !(self.unbegun.val() & self.armed.val()))
                | self.last.val();
        self.owed.d.next =
            (self.start.val() | self.falls.val() | self.owed.q.val()) & !self.seen.val() & !self.reset.val();
        self.dark.d.next = self.filter.val()
            & ((self.gap.q.val() & self.opened.q.val()) | self.dark.q.val())
            & !self.seen.val()
            & !self.reset.val();
        // until the ingress responds
        self.opened.d.next = self.opens.val();
        self.gap.d.next = ((self.gap.q.val() & !self.opened.q.val()) | self.falls.val()) & !self.reset.val();
        self.begun.d.next = self.here.val()
            & !self.gap.q.val()
            & !self.falls.val()
            & (self.begun.q.val() | (self.enter.val() & !self.hidden.val()))
            & !self.reset.val();

        // decision about the instruction in the last stage
        self.beat.next = self.valid.val() & self.live.val();
        self.due.next = self.beat.val() & (self.first.q.val() | self.intr.val() | self.verdict.asks.val());
        self.send.next = self.due.val();
        self.drop.next =
            self.valid.val() & !self.live.val() & self.gap.q.val() & self.tracing.q.val() & !self.losing.q.val();
        // counted in an overflow message
        self.control.loses.next = self.drop.val() | (self.losing.q.val() & self.valid.val());
        self.control.more.next = 0.into();
        self.control.crowd.next = false;
        self.control.lag.next = 0.into();

        // instead of the instruction's own message
        self.resync.next = false;
        if self.sync.val() {
            self.resync.next = self.beat.val() & self.verdict.flow.val() & self.control.due.val() & !self.first.q.val();
        }
        self.control.resynced.next = self.resync.val();
        self.control.synced.next = self.resync.val() | (self.send.val() & self.first.q.val());
        self.control.counted.next = self.beat.val();
        self.told.next = self.enter.val() & !self.gap.q.val() & !self.falls.val() & !self.unbegun.val();
        self.resyncs.next = false;
        self.begins.next = false;
        if self.sync.val() & self.early.val() {
            self.resync.next = self.beat.val() & self.resynced.val();
            self.resyncs.next = self.told.val() & self.begun.q.val() & self.flow.val() & self.control.due.val();
            self.begins.next = self.told.val() & !self.begun.q.val() & self.control.anew.val();
            self.control.resynced.next = self.resyncs.val();
            self.control.synced.next =
                self.told.val() & (!self.begun.q.val() | (self.flow.val() & self.control.due.val()));
            self.control.counted.next = self.told.val();
        }

        // the overflow message goes out in the cycle before the first live one
        self.overflow.next = self.losing.q.val() & self.live_next.val() & !self.live.val();
        self.stop_due.next = self.tracing.q.val()
            & !self.live.val()
            & !self.gap.q.val()
            & !self.losing.q.val()
            & !self.control.spent.val();
        self.stop.next = self.stop_due.val() & self.control.stop_go.val();
        // reservations, one of them for the overflow message before the instructions after it can take all entries
        self.control.take.next = (self.enter.val()
            & !self.hidden.val()
            & !self.gap.q.val()
            & (!self.begun.q.val() | self.may.val())
            & !self.control.spent.val())
            | self.opens.val()
            | self.stop.val();
        self.control.give.next = self.beat.val()
            & (self.first.q.val() | self.intr.val() | self.verdict.flow.val())
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

        self.fresh.next = self.sync.val() & self.beat.val() & self.first.q.val() & self.control.anew.val();
        if self.early.val() {
            self.fresh.next = self.sync.val() & self.beat.val() & self.began.val();
        }
        self.clear.next = self.resync.val() | self.fresh.val() | self.stop.val();
        self.verdict.fresh.next = self.fresh.val();
        self.verdict.beat.next = self.beat.val();
        self.verdict.sync.next = self.beat.val() & self.first.q.val();
        self.verdict.exception.next = self.beat.val() & self.intr.val() & !self.first.q.val();
        self.verdict.losing.next = self.losing.q.val();
        self.verdict.tracing.next = self.tracing.q.val();
        self.verdict.send.next = self.send.val();
        self.verdict.drop.next = self.drop.val();
        self.verdict.overflow.next = self.overflow.val();
        self.verdict.stop.next = self.stop.val();
        self.verdict.resync.next = self.resync.val();
        self.verdict.restart.next = self.send.val() | self.overflow.val() | self.stop.val() | self.resync.val();
    }
}
