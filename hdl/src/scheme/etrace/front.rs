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
//! branch, after the first instruction, and at the second one after an indirect jump.
//!
//! Golden model: [`sim::baseline::etrace::Encoder`] with `port_only`.

use super::reports::Reports;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut, EntryOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::slot::part;
use rust_hdl::prelude::*;

/// A front end for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct EtraceFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    trace_fsm: TraceFsm,
    reports: Reports<W>,
    // S2: the instruction before was the first one or a branch; it was an indirect jump; the one before that was
    leads: DFF<Bit>,
    indirect: DFF<Bit>,
    jumped: DFF<Bit>,
    is_indirect: Signal<Local, Bit>,
    may_push: Signal<Local, Bit>,
    entered: Signal<Local, Bit>,
    not_taken: Signal<Local, Bit>,
    // S3: live, valid, intr, may push, branch, not taken, indirect
    flags: Delay<7>,
    flags_3: Signal<Local, Bits<7>>,
    pcs: Delay<W>,
    targets: Delay<W>,
}

impl<const W: usize> EtraceFront<W> {
    /// The front end with `extras`.
    pub fn with(extras: Extras) -> Self {
        Self {
            trace_fsm: TraceFsm::deferred(extras),
            reports: Reports::new(),
            flags: Delay::new(1),
            pcs: Delay::new(1),
            targets: Delay::new(1),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for EtraceFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, leads, indirect, jumped);
        clock!(self, clock, trace_fsm, reports, flags, pcs, targets);

        // S2
        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        // there are no tables to clear
        self.trace_fsm.predictors_ready.next = true;
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        self.is_indirect.next = self.port.beat.lookup.val() | self.port.beat.pop.val();
        self.may_push.next = self.leads.q.val() | self.jumped.q.val();
        self.trace_fsm.may_push.next = self.may_push.val() | self.port.beat.intr.val();
        self.entered.next = self.trace_fsm.seen.val() & self.port.beat.valid.val() & self.trace_fsm.counts.val();
        if self.entered.val() {
            self.leads.d.next =
                !self.trace_fsm.has_begun.val() | self.port.beat.intr.val() | self.port.beat.branch.val();
            self.indirect.d.next = self.is_indirect.val();
            self.jumped.d.next = self.indirect.q.val();
        }
        // resyncs are decided in the last stage
        self.trace_fsm.flow.next = false;
        self.trace_fsm.resynced.next = false;
        self.trace_fsm.started_decoding.next = false;

        // S3
        self.flags.clear.next = self.port.reset.val();
        self.not_taken.next = !self.port.beat.taken.val();
        self.flags.from.next = bit_cast::<7, 1>(self.trace_fsm.seen.val().into())
            | (bit_cast::<7, 1>((self.port.beat.valid.val() & self.trace_fsm.counts.val()).into()) << 1)
            | (bit_cast::<7, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<7, 1>(self.may_push.val().into()) << 3)
            | (bit_cast::<7, 1>(self.port.beat.branch.val().into()) << 4)
            | (bit_cast::<7, 1>(self.not_taken.val().into()) << 5)
            | (bit_cast::<7, 1>(self.is_indirect.val().into()) << 6);
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
        self.reports.pc.next = self.pcs.to.val();
        self.reports.target.next = self.targets.to.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.reports.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.reports.entry);
    }
}

part!(EtraceFront<W>, FrontPort<W>, "front", |_front| 1);
