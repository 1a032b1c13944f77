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
//! A block is one instruction ([`super::shown`], [`super::held`]), sent one cycle after its report. The port does not report targets.
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

use super::gate::Gate;
use super::held::Held;
use super::pins::{IngressPort, Pins};
use super::shown::Shown;
use super::turn::Turn;
use crate::spine::Extras;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
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
    shown: Shown<W>,
    held: Held<W>,
    retires: Signal<Local, Bit>,
    trap_before: DFF<Bit>,
    waits: DFF<Bit>,
    keeps: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    // with a filter: the mode is reported; the instruction is hidden; by address or address space
    wants: Signal<Local, Bits<4>>,
    hides: Signal<Local, Bit>,
    hidden: Signal<Local, Bit>,
    filter: Fixed<Bit>,
    gated: Fixed<Bit>,
    gate: Gate<W>,
    // where contexts are reported: context of the held instruction, and of the beat
    turning: Fixed<Bit>,
    turn: Turn,
    turns_2: DFF<Bit>,
    belongs_2: DFF<Bits<18>>,
    length: Signal<Local, Bits<2>>,
    // the beat
    live_2: DFF<Bit>,
    valid_2: DFF<Bit>,
    intr_2: DFF<Bit>,
    hide_2: DFF<Bit>,
    branch_2: DFF<Bit>,
    taken_2: DFF<Bit>,
    look_2: DFF<Bit>,
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
            shown: Shown::new(params, &extras),
            held: Held::new(params, &extras),
            filter: Fixed::new(extras.filter),
            gated: Fixed::new(extras.range || extras.space),
            gate: Gate::new(&extras),
            turning: Fixed::new(params.context.is_some()),
            turn: when(params.context.is_some(), || Turn::new(params.context_bits())),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Etrace<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, held, turn);
        dff_setup!(self, clock, trap_before, waits, live_2, valid_2, intr_2, hide_2, branch_2, taken_2, look_2, push_2);
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2, turns_2, belongs_2);

        // a block of one instruction: its last is its first
        self.shown.itype.next = self.port.pins.itype.val();
        self.shown.iaddr.next = self.port.pins.iaddr.val();
        self.shown.iretire.next = bit_cast::<4, 2>(self.port.pins.iretire.val());
        self.shown.ilastsize.next = self.port.pins.ilastsize.val();
        self.shown.icount.next = 1.into();
        self.retires.next = self.shown.retires.val();

        // a hidden instruction need not wait
        self.wants.next = self.port.modes.val() >> self.port.pins.privilege.val();
        self.gate.hide.next = self.port.hide.val();
        self.gate.pc.next = self.port.pins.iaddr.val();
        self.gate.first.next = self.port.first.val();
        self.gate.last.next = self.port.last.val();
        self.gate.space.next = self.port.space.val();
        self.gate.wanted.next = self.port.wanted.val();
        self.gate.mask.next = self.port.mask.val();
        self.hides.next = self.port.hide.val();
        if self.gated.val() {
            self.hides.next = self.gate.hides.val();
        }
        self.hidden.next = (self.hides.val() | !self.wants.val().get_bit(0)) & self.filter.val();
        self.keeps.next = self.waits.q.val() & !self.shown.bears.val();
        self.waits.d.next = self.keeps.val() | (self.shown.open.val() & !self.hidden.val());
        if self.shown.bears.val() {
            self.trap_before.d.next = self.shown.traps.val();
        }

        self.held.reset.next = self.port.reset.val();
        self.held.itype.next = self.port.pins.itype.val();
        self.held.ilastsize.next = self.port.pins.ilastsize.val();
        self.held.icount.next = 1.into();
        self.held.retires.next = self.shown.retires.val() & self.port.open.val();
        self.held.bears.next = self.shown.bears.val();
        self.held.start.next = self.shown.start.val();
        self.held.last.next = self.shown.start.val();
        self.held.intr.next = self.trap_before.q.val();
        self.held.hide.next = self.hidden.val();
        // an instruction held at the end of a trace does not belong to the next one
        self.held.keep.next = self.keeps.val() & self.port.open.val();
        self.held.tells.next = !self.keeps.val();
        self.held.goes.next = self.shown.start.val();
        self.held.jumps.next = !self.trap_before.q.val();

        // the beat
        self.told.next = self.held.head.valid.val();
        self.live_2.d.next = self.port.live.val();
        self.valid_2.d.next = self.told.val();
        self.intr_2.d.next = self.held.head.intr.val();
        if self.told.val() {
            self.hide_2.d.next = self.held.head.hide.val();
        }
        self.taken_2.d.next = self.held.head.taken.val();
        self.pc_2.d.next = self.held.head.pc.val();
        self.long_2.d.next = self.held.long_1.val();
        self.target_2.d.next = self.held.head.target.val();
        self.branch_2.d.next = self.held.head.branch.val();
        self.look_2.d.next = self.held.head.look.val();
        self.push_2.d.next = self.held.head.push.val();
        self.pop_2.d.next = self.held.head.pop.val();
        self.jump_2.d.next = self.held.head.jump.val();
        if !self.told.val() | !self.port.live.val() {
            self.branch_2.d.next = false;
            self.look_2.d.next = false;
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
        self.port.beat.broken.next = false;
        self.port.beat.hide.next = self.hide_2.q.val();
        self.turn.retires.next = self.retires.val() & !self.port.reset.val();
        self.turn.mode.next = self.port.pins.privilege.val();
        self.turn.space.next = self.port.space.val();
        if self.told.val() {
            self.turns_2.d.next = self.turn.turns.val();
            self.belongs_2.d.next = self.turn.belongs.val();
        }
        self.port.beat.turns.next = false;
        self.port.beat.belongs.next = 0.into();
        if self.turning.val() {
            self.port.beat.turns.next = self.turns_2.q.val();
            self.port.beat.belongs.next = self.belongs_2.q.val();
        }
        self.port.beat.branch.next = self.branch_2.q.val();
        self.port.beat.taken.next = self.taken_2.q.val();
        self.port.beat.look.next = self.look_2.q.val();
        self.port.beat.push.next = self.push_2.q.val();
        self.port.beat.pop.next = self.pop_2.q.val();
        self.port.beat.jump.next = self.jump_2.q.val();
        self.port.beat.pc.next = self.pc_2.q.val();
        self.port.beat.link.next = self.pc_2.q.val() + bit_cast::<W, 2>(self.length.val());
        self.port.beat.target.next = self.target_2.q.val();
        self.port.more.next = 0.into();
        self.port.step.next = 0.into();
        self.port.lag.next = 0.into();
        self.port.choked.next = false;
        self.port.crowd.next = false;
    }
}

part!(Etrace<W>, IngressPort<EtracePins<W>, W>, "ingress");
