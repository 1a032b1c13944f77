//! Front end of one core for N-Trace: a trace state machine at both ends of a pipeline, a return stack, and the records
//!
//! # Source
//! RISC-V N-Trace 1.0, "Rules of Generating Messages"; the choices: `docs/reference/ntrace.md`.
//!
//! # Ports
//! As in [`crate::spine::front_port`]. One instruction per cycle: `more`, `step`, `lag` and `entering` are not used.
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter; ends in the registers that drive the beat |
//! | S2 | which instructions are lost, which are taken, and their lengths; whether a synchronization is due; the return stack |
//! | S3 | whether a return goes where the stack says; addresses go to the FIFO, see [`crate::spine::event_fifo`] |
//! | S4 | counters, decision ([`super::records`]) |
//!
//! # Return stack
//! Every sync clears it: the number of its entries becomes 0, and a return without an entry is no hit. The words stay in its memory. A full
//! stack loses its oldest entry, as that of the model.
//!
//! # Filter
//! Hidden instructions open a gap as lost ones do. It is one of the filter, and no loss, unless an instruction that is not hidden is lost in
//! it, too: after a short hidden stretch, the trace state machine takes some cycles to continue.
//!
//! # Time stamps
//! Each front end counts the cycles since tracing began, or takes the time of a time stamp unit ([`crate::spine::core_time`]), [`TIME_LAG`] cycles after
//! the instruction retires.
//!
//! # Contexts
//! The first instruction in a context makes an entry before its own messages. A change without a trap clears the return stack, as it
//! may make a synchronization; the period is not affected.
//!
//! # Periodic synchronization
//! With a period of 2^k, the instruction after 2^k ones since the last synchronization sets it due. The next control-flow instruction makes it,
//! except the first one after a trap or in a context, as an entry has one history only.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use super::records::Records;
use crate::scheme::tr::target::ras::Ras;
use crate::spine::core_time::CoreTime;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{DecisionOut, EntryOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::standard::ntrace::NtraceParams;

/// Cycles from the one in which an instruction retires to the one whose time its message has.
pub const TIME_LAG: usize = 3;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct NtraceFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    trace_fsm: TraceFsm,
    records: Records<W>,
    // S2: any control flow, also of lost instructions; an indirect jump; two halfwords
    flow: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    long: Signal<Local, Bit>,
    compressed: Fixed<Bit>,
    open: Signal<Local, Bit>,
    // live, valid, intr, branch, taken, indirect, long, flow, resync, new_context, returns, loses: at the end of S3; all but the last
    // two at that of S4
    flags: Delay<12>,
    last: Delay<10>,
    reported: Signal<Local, Bits<10>>,
    last_flags: Signal<Local, Bits<10>>,
    pcs: Delay<W>,
    targets: Delay<W>,
    // with a return stack: the number of its entries, before the instruction and after it
    returns: Fixed<Bit>,
    ras: Ras<W>,
    depth: DFF<Bits<6>>,
    before: Signal<Local, Bits<6>>,
    has_entry: Signal<Local, Bit>,
    calls: Signal<Local, Bit>,
    pops: Signal<Local, Bit>,
    all: Fixed<Bits<6>>,
    one: Fixed<Bits<6>>,
    but_indirect: Fixed<Bits<10>>,
    // with a period: instructions since the last synchronization, up to the period; whether one is due
    periodic: Fixed<Bit>,
    since: DFF<Bits<21>>,
    passed: Signal<Local, Bits<21>>,
    entered: Signal<Local, Bit>,
    is_due: Signal<Local, Bit>,
    resync: Signal<Local, Bit>,
    period: Fixed<Bits<21>>,
    one_21: Fixed<Bits<21>>,
    // where contexts are reported: the context, up to S4; the instruction is the first one in it
    with_context: Fixed<Bit>,
    context_value: Delay<18>,
    new_context: Signal<Local, Bit>,
    // with time stamps
    stamped: Fixed<Bit>,
    core_time: CoreTime,
    // with a filter: instructions that are not hidden were lost since the last one that was traced
    filter: Fixed<Bit>,
    was_open: Delay<1>,
    loses: Signal<Local, Bit>,
    lost: DFF<Bit>,
}

impl<const W: usize> NtraceFront<W> {
    /// The front end for `params` with `extras`.
    ///
    /// # Panics
    /// When W is not `xlen`.
    pub fn with(params: &NtraceParams, extras: Extras) -> Self {
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        Self {
            trace_fsm: TraceFsm::new(false, extras),
            records: Records::new(params),
            compressed: Fixed::new(params.align == 1),
            flags: Delay::new(1),
            last: Delay::new(1),
            pcs: Delay::new(1),
            targets: Delay::new(1),
            returns: Fixed::new(params.modes.returns > 0),
            ras: when(params.modes.returns > 0, || {
                Ras::new(params.modes.returns, usize::from(params.xlen - params.align))
            }),
            all: Fixed::of(params.modes.returns),
            one: Fixed::of(1u8),
            but_indirect: Fixed::of(0x3ff & !(1u16 << 5)),
            periodic: Fixed::new(params.modes.sync > 0),
            period: Fixed::of(1u64 << params.modes.sync),
            one_21: Fixed::of(1u8),
            with_context: Fixed::new(params.context.is_some()),
            context_value: Delay::new(2),
            stamped: Fixed::new(params.timestamps),
            core_time: when(params.timestamps, || CoreTime::new(TIME_LAG, &extras)),
            filter: Fixed::new(extras.filter),
            was_open: Delay::new(1),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for NtraceFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, depth, since, lost);
        clock!(self, clock, trace_fsm, records, flags, last, pcs, targets, ras, context_value, was_open, core_time);

        // S2
        self.indirect.next = self.port.beat.lookup.val() | self.port.beat.pop.val();
        self.flow.next = self.port.beat.branch.val() | self.port.beat.jump.val() | self.indirect.val();
        self.long.next = true;
        if self.compressed.val() {
            self.long.next = self.port.beat.link.val().get_bit(0) == self.port.beat.pc.val().get_bit(0);
        }
        self.trace_fsm.reset.next = self.port.reset.val();
        // linked signal by signal: a linked bundle cannot be changed afterwards
        self.trace_fsm.control.enable.next = self.port.control.enable.val();
        self.trace_fsm.control.full.next = self.port.control.full.val();
        self.trace_fsm.control.no_credit.next = self.port.control.no_credit.val();
        self.trace_fsm.control.below_watermark.next = self.port.control.below_watermark.val();
        self.trace_fsm.control.stop_go.next = self.port.control.stop_go.val();
        self.trace_fsm.control.due.next = self.port.control.due.val();
        self.trace_fsm.control.after_header.next = self.port.control.after_header.val();
        self.trace_fsm.control.header_repeated.next = self.port.control.header_repeated.val();
        self.trace_fsm.control.lead_lag.next = self.port.control.lead_lag.val();
        self.port.control.ready.next = self.trace_fsm.control.ready.val();
        self.port.control.stop_ready.next = self.trace_fsm.control.stop_ready.val();
        self.port.control.lost.next = self.trace_fsm.control.lost.val();
        self.port.control.loses.next = self.trace_fsm.control.loses.val();
        self.port.control.more.next = self.trace_fsm.control.more.val();
        self.port.control.almost_full.next = self.trace_fsm.control.almost_full.val();
        self.port.control.lag.next = self.trace_fsm.control.lag.val();
        self.port.control.take.next = self.trace_fsm.control.take.val();
        self.port.control.give_back.next = self.trace_fsm.control.give_back.val();
        self.port.control.counted.next = self.trace_fsm.control.counted.val();
        self.port.control.resynced.next = self.trace_fsm.control.resynced.val();
        self.port.control.synced.next = self.trace_fsm.control.synced.val();
        self.port.control.discontinuity.next = self.trace_fsm.control.discontinuity.val();
        // there are no tables to clear
        self.trace_fsm.predictors_ready.next = true;
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        self.new_context.next = false;
        if self.with_context.val() {
            self.new_context.next = self.port.beat.new_context.val() & self.port.beat.valid.val();
        }
        self.trace_fsm.may_push.next = self.port.beat.intr.val() | self.flow.val() | self.new_context.val();
        self.trace_fsm.flow.next = false;
        self.trace_fsm.resynced.next = false;
        self.trace_fsm.started_decoding.next = false;
        self.open.next = !self.trace_fsm.blocked.val();

        // with a filter, whether a gap has more than hidden instructions
        self.was_open.clear.next = self.port.reset.val();
        self.was_open.from.next = bit_cast::<1, 1>(self.trace_fsm.open.val().into());
        self.loses.next = self.was_open.to.val().get_bit(0)
            & self.port.beat.valid.val()
            & !self.port.beat.hide.val()
            & (!self.port.beat.live.val() | self.trace_fsm.excluded.val());
        if self.filter.val() {
            if self.loses.val() {
                self.lost.d.next = true;
            } else if self.port.beat.valid.val() & self.trace_fsm.seen.val() & !self.port.beat.hide.val() {
                self.lost.d.next = false;
            }
            if self.port.reset.val() {
                self.lost.d.next = false;
            }
        }

        // periodic synchronization
        self.entered.next = self.trace_fsm.seen.val() & self.port.beat.valid.val() & self.trace_fsm.counts.val();
        self.is_due.next = (self.since.q.val() & self.period.val()).any();
        self.resync.next = false;
        self.passed.next = self.since.q.val();
        if !self.trace_fsm.has_begun.val() {
            self.passed.next = 0.into();
        }
        if self.periodic.val() {
            self.resync.next = self.is_due.val()
                & self.trace_fsm.has_begun.val()
                & self.flow.val()
                & self.open.val()
                & !self.port.beat.intr.val()
                & !self.new_context.val();
            if self.entered.val() {
                if !self.is_due.val() | !self.trace_fsm.has_begun.val() {
                    self.since.d.next = self.passed.val() + self.one_21.val();
                }
                if self.resync.val() {
                    self.since.d.next = 0.into();
                }
            }
        }

        // the return stack
        self.ras.clear.next = self.port.reset.val();
        self.ras.live.next = true;
        self.calls.next = self.port.beat.push.val() & self.open.val();
        self.pops.next = self.port.beat.pop.val() & self.open.val();
        self.ras.push.next = self.calls.val();
        self.ras.pop.next = self.pops.val();
        self.ras.link.next = self.port.beat.link.val();
        self.ras.target.next = self.targets.to.val();
        self.before.next = self.depth.q.val();
        if !self.trace_fsm.has_begun.val() | (self.new_context.val() & !self.port.beat.intr.val()) {
            self.before.next = 0.into();
        }
        self.has_entry.next = self.before.val().any();
        if self.returns.val() {
            self.depth.d.next = self.before.val();
            if self.calls.val() {
                // after a pop, the push takes the place of the entry
                if (self.before.val() != self.all.val()) & (!self.pops.val() | !self.has_entry.val()) {
                    self.depth.d.next = self.before.val() + self.one.val();
                }
            } else if self.pops.val() & self.has_entry.val() {
                self.depth.d.next = self.before.val() - self.one.val();
            }
            if self.resync.val() {
                self.depth.d.next = 0.into();
            }
        }

        // S3, S4
        self.flags.clear.next = self.port.reset.val();
        self.flags.from.next = bit_cast::<12, 1>(self.trace_fsm.seen.val().into())
            | (bit_cast::<12, 1>((self.port.beat.valid.val() & self.trace_fsm.counts.val()).into()) << 1)
            | (bit_cast::<12, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<12, 1>((self.port.beat.branch.val() & self.open.val()).into()) << 3)
            | (bit_cast::<12, 1>(self.port.beat.taken.val().into()) << 4)
            | (bit_cast::<12, 1>((self.indirect.val() & self.open.val()).into()) << 5)
            | (bit_cast::<12, 1>(self.long.val().into()) << 6)
            | (bit_cast::<12, 1>((self.flow.val() & self.open.val()).into()) << 7)
            | (bit_cast::<12, 1>(self.resync.val().into()) << 8)
            | (bit_cast::<12, 1>(self.new_context.val().into()) << 9)
            | (bit_cast::<12, 1>((self.port.beat.pop.val() & self.has_entry.val()).into()) << 10)
            | (bit_cast::<12, 1>(self.lost.q.val().into()) << 11);
        self.last.clear.next = self.port.reset.val();
        self.reported.next = self.flags.to.val().get_bits::<10>(0);
        if self.returns.val() {
            if self.flags.to.val().get_bit(10) & self.ras.hit.val() {
                self.reported.next = self.flags.to.val().get_bits::<10>(0) & self.but_indirect.val();
            }
        }
        self.last.from.next = self.reported.val();
        self.last_flags.next = self.last.to.val();
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.context_value.clear.next = false;
        self.context_value.from.next = self.port.beat.context_value.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();

        // S4
        self.trace_fsm.live_next.next = self.flags.to.val().get_bit(0);
        self.trace_fsm.live.next = self.last_flags.val().get_bit(0);
        self.trace_fsm.valid.next = self.last_flags.val().get_bit(1);
        // a change of context makes an entry before the instruction, as a trap does
        self.trace_fsm.intr.next = self.last_flags.val().get_bit(2) | self.last_flags.val().get_bit(9);
        self.records.trap.next = self.last_flags.val().get_bit(2);
        self.records.new_context.next = self.last_flags.val().get_bit(9);
        self.records.context_value.next = self.context_value.to.val();
        self.records.hidden.next = false;
        if self.filter.val() {
            // of the cycle after the gap
            self.records.hidden.next = !self.flags.to.val().get_bit(11);
        }
        self.records.branch.next = self.last_flags.val().get_bit(3);
        self.records.taken.next = self.last_flags.val().get_bit(4);
        self.records.indirect.next = self.last_flags.val().get_bit(5);
        self.records.long.next = self.last_flags.val().get_bit(6);
        self.records.flow.next = self.last_flags.val().get_bit(7);
        self.records.resync.next = self.last_flags.val().get_bit(8);
        self.core_time.enable.next = self.port.control.enable.val();
        self.core_time.timestamp.next = self.port.timestamp.val();
        self.records.time.next = 0.into();
        if self.stamped.val() {
            self.records.time.next = self.core_time.now.val();
        }
        self.records.pc.next = self.pcs.to.val();
        self.records.target.next = self.targets.to.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.records.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.records.entry);
    }
}

part!(NtraceFront<W>, FrontPort<W>, "front", |_front| 2);
