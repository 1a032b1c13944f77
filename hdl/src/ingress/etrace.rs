//! Ingress adapter for the RISC-V E-Trace instruction trace interface
//!
//! Makes retire beats of a hart's trace ingress port, of blocks of a single instruction.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": 4-bit `itype`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `live` | in | 1 | 1: what is told in this clock is traced |
//! | `itype` | in | 4 | how the block ends |
//! | `iaddr` | in | W | address of the instruction; of a trap without one, the address where it happened |
//! | `iretire` | in | 2 | 0: nothing retires; otherwise one instruction does |
//! | `ilastsize` | in | 1 | 0: it is 2 bytes long, 1: 4 bytes |
//! | `cause`, `tval` | in | 5, W | not used |
//! | `privilege`, `space` | in | 2, 16 | where contexts are told: privilege mode and number of the address space of the instruction, see [`super::turn`] |
//! | `hide`, `modes` | in | 1, 4 | with [`Extras::filter`]: the instruction must not be told; modes that may be, of which `privilege` is one |
//! | `beat` | out | | a retire beat, see [`super::beat`] |
//!
//! | `itype` | taken for |
//! | --- | --- |
//! | 1, 2 exception, interrupt | a sequential instruction, if one retires; the next is the first after a trap |
//! | 3 trap return; 10, 14 uninferable (tail) jump | indirect jump |
//! | 4, 5 | conditional branch not taken, taken |
//! | 8, 9 | indirect call, direct call |
//! | 11, 15 inferable jump | direct jump |
//! | 12, 13 | pop then push, return |
//! | 0 and reserved | sequential |
//!
//! It is a block of one instruction ([`super::shown`], [`super::held`]), told a clock after its report. The port does not say where an
//! instruction goes: one whose target the program does not tell (3, 8, 10, 12, 13, 14), and with resyncs or a stream cache any control
//! flow, is **held until the next report with an address** and retires, for the trace, in that clock: it is not counted if tracing is
//! disabled before. One that must not be told is not held.
//!
//! A core must report `jalr` with rs1 = x0 as uninferable, and an `ecall` or `ebreak` that traps as not
//! retired, for the replay does so. With `itype` 2 and `iretire` 0, `iaddr` must be where the hart would have
//! gone on.
//!
//! # Timing
//! One report a cycle. The beat comes two cycles after it, or one after the report that releases it if that is later; all of it from
//! registers but `link`, which is added behind that of `pc`.
//!
//! Golden model: [`sim::beats::blocks::Hold`], of groups of one instruction.

use super::beat::BeatOut;
use super::held::Held;
use super::shown::Shown;
use super::turn::Turn;
use crate::spine::Extras;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Etrace<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<2>>,
    pub ilastsize: Signal<In, Bit>,
    pub cause: Signal<In, Bits<5>>,
    pub tval: Signal<In, Bits<W>>,
    pub privilege: Signal<In, Bits<2>>,
    pub space: Signal<In, Bits<16>>,
    pub hide: Signal<In, Bit>,
    pub modes: Signal<In, Bits<4>>,
    pub beat: BeatOut<W>,
    // what is shown, and what was
    shown: Shown<W>,
    held: Held<W>,
    retires: Signal<Local, Bit>,
    trap_before: DFF<Bit>,
    waits: DFF<Bit>,
    keeps: Signal<Local, Bit>,
    told: Signal<Local, Bit>,
    // with a filter: whether the mode is told; the instruction must not be
    wants: Signal<Local, Bits<4>>,
    hidden: Signal<Local, Bit>,
    // where contexts are told: that of the one that is held, and of the beat
    turn: Vec<Turn>,
    turns_2: Vec<DFF<Bit>>,
    belongs_2: Vec<DFF<Bits<18>>>,
    _turns: usize,
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
    filter: Fixed<Bit>,
}

impl<const W: usize> Etrace<W> {
    /// The adapter for `params`; without the C extension (`align` 2) instructions are 4 bytes long.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        Self::with(params, Extras::default())
    }

    /// The same, with `extras`.
    ///
    /// # Panics
    /// With [`Extras::check`], and as [`Etrace::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        assert!(!extras.check, "no circuit of the check");
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let turns = usize::from(params.context.is_some());
        // which 3 bits of `itype` are, only a port of blocks says
        let extras = Extras { itype3: false, ..extras };
        Self {
            shown: Shown::new(params, &extras),
            held: Held::new(params, &extras),
            turn: params.context.iter().map(|_| Turn::new(params.context_bits())).collect(),
            turns_2: each(turns),
            belongs_2: each(turns),
            _turns: turns,
            filter: Fixed::new(extras.filter),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Etrace<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, held);
        dff_setup!(self, clock, trap_before, waits, live_2, valid_2, intr_2, hide_2, branch_2, taken_2, look_2, push_2);
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2);

        // what is shown: a block of one instruction, whose last is its first
        self.shown.itype.next = self.itype.val();
        self.shown.iaddr.next = self.iaddr.val();
        self.shown.iretire.next = bit_cast::<4, 2>(self.iretire.val());
        self.shown.ilastsize.next = self.ilastsize.val();
        self.shown.icount.next = 1.into();
        self.retires.next = self.shown.retires.val();

        // what must not be told need not wait
        self.wants.next = self.modes.val() >> self.privilege.val();
        self.hidden.next = (self.hide.val() | !self.wants.val().get_bit(0)) & self.filter.val();
        self.keeps.next = self.waits.q.val() & !self.shown.bears.val();
        self.waits.d.next = self.keeps.val() | (self.shown.open.val() & !self.hidden.val());
        if self.shown.bears.val() {
            self.trap_before.d.next = self.shown.traps.val();
        }

        self.held.reset.next = self.reset.val();
        self.held.itype.next = self.itype.val();
        self.held.ilastsize.next = self.ilastsize.val();
        self.held.icount.next = 1.into();
        self.held.retires.next = self.shown.retires.val();
        self.held.bears.next = self.shown.bears.val();
        self.held.start.next = self.shown.start.val();
        self.held.last.next = self.shown.start.val();
        self.held.intr.next = self.trap_before.q.val();
        self.held.hide.next = self.hidden.val();
        self.held.keep.next = self.keeps.val();
        self.held.tells.next = !self.keeps.val();
        self.held.goes.next = self.shown.start.val();
        self.held.jumps.next = !self.trap_before.q.val();

        // what is told
        self.told.next = self.held.head.valid.val();
        self.live_2.d.next = self.live.val();
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
        if !self.told.val() | !self.live.val() {
            self.branch_2.d.next = false;
            self.look_2.d.next = false;
            self.push_2.d.next = false;
            self.pop_2.d.next = false;
            self.jump_2.d.next = false;
        }
        if self.reset.val() {
            self.trap_before.d.next = false;
            self.waits.d.next = false;
            self.valid_2.d.next = false;
        }

        self.length.next = 1.into();
        if self.long_2.q.val() {
            self.length.next = 2.into();
        }
        self.beat.live.next = self.live_2.q.val();
        self.beat.valid.next = self.valid_2.q.val();
        self.beat.intr.next = self.intr_2.q.val();
        self.beat.broken.next = false;
        self.beat.hide.next = self.hide_2.q.val();
        self.beat.turns.next = false;
        self.beat.belongs.next = 0.into();
        for n in 0..self._turns {
            self.turn[n].clock.next = self.clock.val();
            self.turn[n].retires.next = self.retires.val() & !self.reset.val();
            self.turn[n].mode.next = self.privilege.val();
            self.turn[n].space.next = self.space.val();
            self.turns_2[n].clock.next = self.clock.val();
            self.belongs_2[n].clock.next = self.clock.val();
            self.turns_2[n].d.next = self.turns_2[n].q.val();
            self.belongs_2[n].d.next = self.belongs_2[n].q.val();
            if self.told.val() {
                self.turns_2[n].d.next = self.turn[n].turns.val();
                self.belongs_2[n].d.next = self.turn[n].belongs.val();
            }
            self.beat.turns.next = self.turns_2[n].q.val();
            self.beat.belongs.next = self.belongs_2[n].q.val();
        }
        self.beat.branch.next = self.branch_2.q.val();
        self.beat.taken.next = self.taken_2.q.val();
        self.beat.look.next = self.look_2.q.val();
        self.beat.push.next = self.push_2.q.val();
        self.beat.pop.next = self.pop_2.q.val();
        self.beat.jump.next = self.jump_2.q.val();
        self.beat.pc.next = self.pc_2.q.val();
        self.beat.link.next = self.pc_2.q.val() + bit_cast::<W, 2>(self.length.val());
        self.beat.target.next = self.target_2.q.val();
    }
}
