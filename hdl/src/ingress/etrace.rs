//! Ingress adapter for the RISC-V E-Trace instruction trace interface
//!
//! It makes retire beats of a hart's trace ingress port, with blocks of a single instruction.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": 4-bit `itype`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `itype` | in | 4 | type of the block's end |
//! | `iaddr` | in | W | address of the instruction; of a trap without one, the address where it occurred |
//! | `iretire` | in | 2 | 0: nothing retires; otherwise one instruction does |
//! | `ilastsize` | in | 1 | 0: it is 2 bytes long, 1: 4 bytes |
//! | `cause`, `tval` | in | 5, W | not used |
//! | `privilege` | in | 2 | privilege mode of the instruction; its address space identifier is in `space` |
//!
//! and the ports of all adapters, see [`super::pins`].
//!
//! | `itype` | interpreted as |
//! | --- | --- |
//! | 1, 2 exception, interrupt | a sequential instruction, if one retires; the next is the first after a trap |
//! | 3 trap return; 10, 14 uninferable (tail) jump | indirect jump |
//! | 4, 5 | conditional branch not taken, taken |
//! | 8, 9 | indirect call, direct call |
//! | 11, 15 inferable jump | direct jump |
//! | 12, 13 | pop then push, return |
//! | 0 and reserved | sequential |
//!
//! A block is one instruction ([`super::block_report`], [`super::held`]), sent one cycle after its report. The port does not report targets.
//! So an instruction with an uninferable target (3, 8, 10, 12, 13, 14), and with resyncs or a stream cache any control flow, is
//! **held until the next report with an address** and retires, for the trace, in that cycle: it is not counted if tracing is
//! disabled before. A hidden instruction is not held.
//!
//! A core must report `jalr` with rs1 = x0 as uninferable, and an `ecall` or `ebreak` that traps as not
//! retired, because the replay expects this. With `itype` 2 and `iretire` 0, `iaddr` must be the address where the hart would have
//! continued.
//!
//! # Timing
//! One report per cycle. The beat comes two cycles after it, or one after the report that releases it if that is later. All of it
//! comes from registers except `link`, which is added to the registered `pc`.
//!
//! Golden model: [`sim::beats::blocks::Hold`], with groups of one instruction.

use super::address_filter::AddressFilter;
use super::block_report::BlockReport;
use super::context_tracker::ContextTracker;
use super::held::HeldBlock;
use super::pins::{IngressPort, Pins};
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The pins of the E-Trace instruction trace interface, with single instructions.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct EtracePins<const W: usize> {
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<2>>,
    pub ilastsize: Signal<In, Bit>,
    pub cause: Signal<In, Bits<5>>,
    pub tval: Signal<In, Bits<W>>,
    pub privilege: Signal<In, Bits<2>>,
}

impl<const W: usize> Pins<W> for EtracePins<W> {
    const CODE: u8 = 1;
    const SPACE: bool = true;

    fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>> {
        Slot::new(Box::new(Etrace::with(params, extras)))
    }
}

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Etrace<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: IngressPort<EtracePins<W>, W>,
    // the current report, and the held one
    block_report: BlockReport<W>,
    held: HeldBlock<W>,
    retires: Signal<Local, Bit>,
    trap_before: DFF<Bit>,
    waits: DFF<Bit>,
    still_waits: Signal<Local, Bit>,
    valid_beat: Signal<Local, Bit>,
    // with a filter: the mode is reported; the instruction is hidden; by address or address space
    mode_selected: Signal<Local, Bits<4>>,
    hides: Signal<Local, Bit>,
    hidden: Signal<Local, Bit>,
    filter: Fixed<Bit>,
    filters_addresses: Fixed<Bit>,
    address_filter: AddressFilter<W>,
    // where contexts are reported: context of the held instruction, and of the beat
    with_context: Fixed<Bit>,
    context_tracker: ContextTracker,
    new_context_2: DFF<Bit>,
    context_value_2: DFF<Bits<18>>,
    length: Signal<Local, Bits<2>>,
    // the beat
    live_2: DFF<Bit>,
    valid_2: DFF<Bit>,
    intr_2: DFF<Bit>,
    hide_2: DFF<Bit>,
    branch_2: DFF<Bit>,
    taken_2: DFF<Bit>,
    lookup_2: DFF<Bit>,
    push_2: DFF<Bit>,
    pop_2: DFF<Bit>,
    jump_2: DFF<Bit>,
    pc_2: DFF<Bits<W>>,
    long_2: DFF<Bit>,
    target_2: DFF<Bits<W>>,
}

impl<const W: usize> Etrace<W> {
    /// The adapter for `params`; without the C extension (`align` 2) instructions are 4 bytes long.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// As [`Etrace::new`], with `extras`.
    ///
    /// # Panics
    /// With [`Extras::check`], and as [`Etrace::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        assert!(!extras.check, "no circuit of the check");
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        // a 3-bit `itype` is only supported by the port of blocks
        let extras = Extras { itype3: false, ..extras };
        Self {
            block_report: BlockReport::new(params, &extras),
            held: HeldBlock::new(params, &extras),
            filter: Fixed::new(extras.filter),
            filters_addresses: Fixed::new(extras.range || extras.space),
            address_filter: AddressFilter::new(&extras),
            with_context: Fixed::new(params.context.is_some()),
            context_tracker: when(params.context.is_some(), || ContextTracker::new(params.context_bits())),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Etrace<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, held, context_tracker);
        dff_setup!(
            self,
            clock,
            trap_before,
            waits,
            live_2,
            valid_2,
            intr_2,
            hide_2,
            branch_2,
            taken_2,
            lookup_2,
            push_2
        );
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2, new_context_2, context_value_2);

        // a block of one instruction: its last is its first
        self.block_report.itype.next = self.port.pins.itype.val();
        self.block_report.iaddr.next = self.port.pins.iaddr.val();
        self.block_report.iretire.next = bit_cast::<4, 2>(self.port.pins.iretire.val());
        self.block_report.ilastsize.next = self.port.pins.ilastsize.val();
        self.block_report.icount.next = 1.into();
        self.retires.next = self.block_report.retires.val();

        // a hidden instruction need not wait
        self.mode_selected.next = self.port.modes.val() >> self.port.pins.privilege.val();
        self.address_filter.hide.next = self.port.hide.val();
        self.address_filter.pc.next = self.port.pins.iaddr.val();
        self.address_filter.first.next = self.port.first.val();
        self.address_filter.last.next = self.port.last.val();
        self.address_filter.space.next = self.port.space.val();
        self.address_filter.wanted.next = self.port.wanted.val();
        self.address_filter.mask.next = self.port.mask.val();
        self.hides.next = self.port.hide.val();
        if self.filters_addresses.val() {
            self.hides.next = self.address_filter.hides.val();
        }
        self.hidden.next = (self.hides.val() | !self.mode_selected.val().get_bit(0)) & self.filter.val();
        self.still_waits.next = self.waits.q.val() & !self.block_report.has_address.val();
        self.waits.d.next = self.still_waits.val() | (self.block_report.open.val() & !self.hidden.val());
        if self.block_report.has_address.val() {
            self.trap_before.d.next = self.block_report.traps.val();
        }

        self.held.reset.next = self.port.reset.val();
        self.held.itype.next = self.port.pins.itype.val();
        self.held.ilastsize.next = self.port.pins.ilastsize.val();
        self.held.icount.next = 1.into();
        self.held.retires.next = self.block_report.retires.val() & self.port.open.val();
        self.held.has_address.next = self.block_report.has_address.val();
        self.held.start.next = self.block_report.start.val();
        self.held.last.next = self.block_report.start.val();
        self.held.intr.next = self.trap_before.q.val();
        self.held.hide.next = self.hidden.val();
        // an instruction held at the end of a trace does not belong to the next one
        self.held.keep.next = self.still_waits.val() & self.port.open.val();
        self.held.sends.next = !self.still_waits.val();
        self.held.next_address.next = self.block_report.start.val();
        self.held.no_trap.next = !self.trap_before.q.val();

        // the beat
        self.valid_beat.next = self.held.head.valid.val();
        self.live_2.d.next = self.port.live.val();
        self.valid_2.d.next = self.valid_beat.val();
        self.intr_2.d.next = self.held.head.intr.val();
        if self.valid_beat.val() {
            self.hide_2.d.next = self.held.head.hide.val();
        }
        self.taken_2.d.next = self.held.head.taken.val();
        self.pc_2.d.next = self.held.head.pc.val();
        self.long_2.d.next = self.held.long_1.val();
        self.target_2.d.next = self.held.head.target.val();
        self.branch_2.d.next = self.held.head.branch.val();
        self.lookup_2.d.next = self.held.head.lookup.val();
        self.push_2.d.next = self.held.head.push.val();
        self.pop_2.d.next = self.held.head.pop.val();
        self.jump_2.d.next = self.held.head.jump.val();
        if !self.valid_beat.val() | !self.port.live.val() {
            self.branch_2.d.next = false;
            self.lookup_2.d.next = false;
            self.push_2.d.next = false;
            self.pop_2.d.next = false;
            self.jump_2.d.next = false;
        }
        if self.port.reset.val() {
            self.trap_before.d.next = false;
            self.waits.d.next = false;
            self.valid_2.d.next = false;
        }

        self.length.next = 1.into();
        if self.long_2.q.val() {
            self.length.next = 2.into();
        }
        self.port.beat.live.next = self.live_2.q.val();
        self.port.beat.valid.next = self.valid_2.q.val();
        self.port.beat.intr.next = self.intr_2.q.val();
        self.port.beat.discontinuity.next = false;
        self.port.beat.hide.next = self.hide_2.q.val();
        self.context_tracker.retires.next = self.retires.val() & !self.port.reset.val();
        self.context_tracker.mode.next = self.port.pins.privilege.val();
        self.context_tracker.space.next = self.port.space.val();
        if self.valid_beat.val() {
            self.new_context_2.d.next = self.context_tracker.new_context.val();
            self.context_value_2.d.next = self.context_tracker.context_value.val();
        }
        self.port.beat.new_context.next = false;
        self.port.beat.context_value.next = 0.into();
        if self.with_context.val() {
            self.port.beat.new_context.next = self.new_context_2.q.val();
            self.port.beat.context_value.next = self.context_value_2.q.val();
        }
        self.port.beat.branch.next = self.branch_2.q.val();
        self.port.beat.taken.next = self.taken_2.q.val();
        self.port.beat.lookup.next = self.lookup_2.q.val();
        self.port.beat.push.next = self.push_2.q.val();
        self.port.beat.pop.next = self.pop_2.q.val();
        self.port.beat.inferable.next = false;
        self.port.beat.jump.next = self.jump_2.q.val();
        self.port.beat.pc.next = self.pc_2.q.val();
        self.port.beat.link.next = self.pc_2.q.val() + bit_cast::<W, 2>(self.length.val());
        self.port.beat.target.next = self.target_2.q.val();
        self.port.more.next = 0.into();
        self.port.step.next = 0.into();
        self.port.lag.next = 0.into();
        self.port.beat_lost.next = false;
        self.port.almost_full.next = false;
    }
}

part!(Etrace<W>, IngressPort<EtracePins<W>, W>, "ingress");
