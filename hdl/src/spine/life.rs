//! Life of one core's trace: when it runs, what an instruction is due to, and what happens when there is no room
//!
//! Stands at both ends of every front end's pipeline: says to the ingress which cycles are traced, where the predictors are
//! asked which instructions are lost, and to the block that makes the entries what becomes of the instruction that is in the
//! last stage.
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
//! | `here` | in | the cycle is traced that is where predictors are asked |
//! | `enter` | in | an instruction retires in it |
//! | `hide` | in | it must not be told; between instructions, that of the one before |
//! | `may` | in | that can make an entry: it is control flow, or the first after a trap |
//! | `flow` | in | it is a control-flow instruction; used where resyncs are decided there |
//! | `resyncs`, `begins` | out | where they are: it makes a resync; its sync is for those who begin at the header |
//! | `away` | out | it is lost or not told, or those before it are lost: predictors must stand |
//! | `shut` | out | of an instruction that may make an entry what `away` says, from registers, and nothing of one that may not |
//! | `seen` | out | the cycle is traced, and not lost |
//! | `counts` | out | 0: an instruction in it is none, for what is traced and for what is lost |
//! | `clear` | out | they are no longer needed and must be cleared |
//! | `go` | out | this cycle is traced: for the ingress adapter, which answers a cycle later with the beat's `live` |
//! | `open` | out | what retires in this cycle belongs to the trace: it is reported or lost |
//! | `live`, `live_next` | in | the cycle in the last stage is traced, and not lost; the next one is |
//! | `valid`, `intr` | in | in the last stage an instruction retires; it is the first after a trap |
//! | `resynced`, `began` | in | what `resyncs`, `begins` said of it |
//! | `broken` | in | a traced instruction does not follow from the one before, at the ingress |
//! | `verdict.asks` | in | if it is traced, it is due to be told of: 1 or 0 at will where `sync` or `exception` is 1 |
//! | `verdict.beat` | out | it is traced |
//! | `verdict.sync`, `.exception` | out | it is the first that is; it follows a trap |
//! | `verdict.send` | out | it is due to be told of |
//! | `verdict.drop` | out | it is the first that is lost |
//! | `verdict.fresh` | out | its sync is for those who begin at the header before it, too: tables are cleared behind it |
//! | `verdict.overflow`, `.stop` | out | an overflow, a stop message is sent in this cycle |
//! | `verdict.flow` | in | it is a control-flow instruction |
//! | `verdict.resync` | out | a resync is sent in its place, behind an exception if it follows a trap |
//! | `verdict.restart` | out | one of `send`, `overflow`, `stop`, `resync` |
//! | `verdict.losing`, `.tracing` | out | instructions are being lost; a stop message is still due |
//!
//! # Timing
//! All outputs answer in the same cycle; `asks` must not depend on the verdict. `live` may rise again only when
//! instructions were lost (then one overflow message is sent in the cycle before) or after the stop message.
//!
//! With a filter, the first instruction that must not be told is lost, and all up to the first that may be and finds room; the
//! cycles between instructions are lost with them, so that the overflow message goes out just before that one, or at a stop.
//! While nothing is traced yet, hidden instructions are no instructions.
//!
//! `enable` may rise and fall at any time; a trace that has begun always ends with a stop message before the next
//! begins. From the cycle in which it falls on nothing is traced, nor counted as lost. A core that was losing then sends the
//! overflow message once there is room, and the stop message behind it, without a sync.
//!
//! An instruction that may make an entry takes a place of the FIFO when it enters. Where none is left, it and those
//! behind it are lost, before they can change a table; once those before it have left the pipeline and there is room again,
//! the core goes on with overflow and sync, with its tables as they were. A resync that is due waits for a control-flow
//! instruction that is not lost and has no sync. It is decided in the last stage, or ([`Life::early`]) where the predictors are
//! asked, for a front end that counts there; what `control` tells of it and asks for it is of that stage, too.

use super::ports::{ControlIn, VerdictOut};
use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The life of a trace.
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
    // where predictors are asked: in a gap; nothing was traced yet
    gap: DFF<Bit>,
    opened: DFF<Bit>,
    begun: DFF<Bit>,
    hidden: Signal<Local, Bit>,
    unbegun: Signal<Local, Bit>,
    falls: Signal<Local, Bit>,
    // since the trace or the gap began no cycle was seen; it is over, and one without an instruction stands for it
    owed: DFF<Bit>,
    last: Signal<Local, Bit>,
    // since the gap closed no cycle was seen, and none is to be while what retires is hidden
    dark: DFF<Bit>,
    armed: Signal<Local, Bit>,
    // what becomes of them
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
    /// `stop_ready` from a register: what the other cores make of it comes back as `stop_go`.
    late: Fixed<Bit>,
    early: Fixed<Bit>,
}

impl Life {
    /// A life whose `stop_ready` is `late` by a clock, with what `extras` asks for.
    pub fn new(late: bool, extras: Extras) -> Self {
        let Extras { sync, filter, .. } = extras;
        Self { late: Fixed::new(late), sync: Fixed::new(sync), filter: Fixed::new(filter), ..Default::default() }
    }

    /// As [`Life::new`], with resyncs that are decided where predictors are asked.
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

        // room again
        self.opens.next = self.losing.q.val() & self.control.roomy.val() & !self.resume.q.val();

        // which instructions are lost
        self.hidden.next = self.hide.val() & self.filter.val();
        // hidden ones that nothing is before, or that follow a gap: until one that may be told, the gap goes on
        self.unbegun.next = self.hidden.val() & !self.begun.q.val() & !self.gap.q.val();
        self.armed.next = self.filter.val() & self.dark.q.val() & self.control.enable.val() & !self.stopping.q.val();
        self.falls.next = self.enter.val()
            & ((self.hidden.val() & self.begun.q.val())
                | (!self.hidden.val() & (!self.begun.q.val() | self.may.val()) & self.control.spent.val()));
        self.away.next =
            self.gap.q.val() | self.falls.val() | (self.unbegun.val() & (self.enter.val() | self.armed.val()));
        self.shut.next = self.gap.q.val() | self.hidden.val() | self.control.spent.val();
        // the ingress has answered to the end: what comes later is no instruction, and is not lost either
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
        // until the ingress answers
        self.opened.d.next = self.opens.val();
        self.gap.d.next = ((self.gap.q.val() & !self.opened.q.val()) | self.falls.val()) & !self.reset.val();
        self.begun.d.next = self.here.val()
            & !self.gap.q.val()
            & !self.falls.val()
            & (self.begun.q.val() | (self.enter.val() & !self.hidden.val()))
            & !self.reset.val();

        // what the instruction in the last stage is due to
        self.beat.next = self.valid.val() & self.live.val();
        self.due.next = self.beat.val() & (self.first.q.val() | self.intr.val() | self.verdict.asks.val());
        self.send.next = self.due.val();
        self.drop.next =
            self.valid.val() & !self.live.val() & self.gap.q.val() & self.tracing.q.val() & !self.losing.q.val();
        // what an overflow message counts
        self.control.loses.next = self.drop.val() | (self.losing.q.val() & self.valid.val());
        self.control.more.next = 0.into();
        self.control.crowd.next = false;
        self.control.lag.next = 0.into();

        // in place of what the instruction would send
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
        // places of the FIFO: one for the overflow message, too, before those behind it can take them all
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
