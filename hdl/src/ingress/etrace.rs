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
//! | `live` | in | 1 | 1: this cycle is traced |
//! | `itype` | in | 4 | how the block ends |
//! | `iaddr` | in | W | address of the instruction; of a trap without one, the address where it happened |
//! | `iretire` | in | 2 | 0: nothing retires; otherwise one instruction does |
//! | `ilastsize` | in | 1 | 0: it is 2 bytes long, 1: 4 bytes |
//! | `cause`, `tval` | in | 5, W | not used |
//! | `privilege`, `space` | in | 2, 16 | where contexts are told: privilege mode and number of the address space of the instruction, see [`super::turn`] |
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
//! The port does not say where an instruction goes, so each is **held until the next report with an
//! address** and retires, for the trace, in that cycle: it is not counted if tracing is disabled before.
//! A core must report `jalr` with rs1 = x0 as uninferable, and an `ecall` or `ebreak` that traps as not
//! retired, for the replay does so. With `itype` 2 and `iretire` 0, `iaddr` must be where the hart would have
//! gone on.
//!
//! # Timing
//! One report a cycle. The beat comes one cycle after the report that releases it, all of it from registers but
//! `link`, which is added behind that of `pc`.
//!
//! Golden model: the stream of [`retire::FlowEvent`]s that the bench makes the reports from.

use super::beat::BeatOut;
use super::narrow::Narrow;
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
    pub beat: BeatOut<W>,
    retires: Signal<Local, Bit>,
    traps: Signal<Local, Bit>,
    address: Signal<Local, Bits<W>>,
    // where fewer bits differ
    narrow: Vec<Narrow<W>>,
    _narrows: usize,
    let_go: Signal<Local, Bit>,
    // where contexts are told: that of the one that is held, and of the beat
    turn: Vec<Turn>,
    turns_2: Vec<DFF<Bit>>,
    belongs_2: Vec<DFF<Bits<18>>>,
    _turns: usize,
    length: Signal<Local, Bits<2>>,
    // the instruction that is held
    held: DFF<Bit>,
    held_intr: DFF<Bit>,
    held_type: DFF<Bits<4>>,
    held_long: DFF<Bit>,
    held_pc: DFF<Bits<W>>,
    trap_before: DFF<Bit>,
    // the beat
    live_2: DFF<Bit>,
    valid_2: DFF<Bit>,
    intr_2: DFF<Bit>,
    branch_2: DFF<Bit>,
    taken_2: DFF<Bit>,
    look_2: DFF<Bit>,
    push_2: DFF<Bit>,
    pop_2: DFF<Bit>,
    jump_2: DFF<Bit>,
    pc_2: DFF<Bits<W>>,
    long_2: DFF<Bit>,
    target_2: DFF<Bits<W>>,
    // of the parameters
    align: Fixed<Bits<2>>,
    compressed: Fixed<Bit>,
}

impl<const W: usize> Etrace<W> {
    /// The adapter for `params`; without the C extension (`align` 2) instructions are 4 bytes long.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let turns = usize::from(params.context.is_some());
        Self {
            turn: params.context.iter().map(|_| Turn::new(params.context_bits())).collect(),
            turns_2: each(turns),
            belongs_2: each(turns),
            _turns: turns,
            align: Fixed::of(params.align),
            compressed: Fixed::new(params.align == 1),
            ..Default::default()
        }
    }

    /// The same, with `extras`.
    ///
    /// # Panics
    /// With [`Extras::check`], and as [`Etrace::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        assert!(!extras.check, "no circuit of the check");
        Self {
            narrow: extras.addresses.iter().map(Narrow::new).collect(),
            _narrows: usize::from(extras.addresses.is_some()),
            ..Self::new(params)
        }
    }
}

impl<const W: usize> Logic for Etrace<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, held_intr, held_type, held_long, held_pc, trap_before);
        dff_setup!(self, clock, live_2, valid_2, intr_2, branch_2, taken_2, look_2, push_2);
        dff_setup!(self, clock, pop_2, jump_2, pc_2, long_2, target_2);

        self.retires.next = self.iretire.val().any();
        self.traps.next = (self.itype.val() == 1) | (self.itype.val() == 2);
        self.address.next = self.iaddr.val() >> self.align.val();
        for j in 0..self._narrows {
            self.narrow[j].wide.next = self.iaddr.val();
            self.address.next = self.narrow[j].narrow.val() >> self.align.val();
        }
        if self.retires.val() {
            self.held.d.next = true;
            self.held_intr.d.next = self.trap_before.q.val();
            self.held_type.d.next = self.itype.val();
            self.held_long.d.next = self.ilastsize.val();
            self.held_pc.d.next = self.address.val();
            self.trap_before.d.next = self.traps.val();
        } else if self.traps.val() {
            self.held.d.next = false;
            self.trap_before.d.next = true;
        }

        // the report after it says where the held one went
        self.let_go.next = self.held.q.val() & (self.retires.val() | self.traps.val());
        self.length.next = 1.into();
        if self.long_2.q.val() {
            self.length.next = 2.into();
        }
        self.live_2.d.next = self.live.val();
        self.valid_2.d.next = self.let_go.val();
        self.intr_2.d.next = self.held_intr.q.val();
        self.taken_2.d.next = self.held_type.q.val().get_bit(0);
        self.pc_2.d.next = self.held_pc.q.val();
        self.long_2.d.next = self.held_long.q.val() & self.compressed.val();
        self.target_2.d.next = self.address.val();
        self.branch_2.d.next = false;
        self.look_2.d.next = false;
        self.push_2.d.next = false;
        self.pop_2.d.next = false;
        self.jump_2.d.next = false;
        if self.let_go.val() & self.live.val() {
            match self.held_type.q.val().index() {
                3 => self.look_2.d.next = true,
                4 => self.branch_2.d.next = true,
                5 => self.branch_2.d.next = true,
                8 => {
                    self.look_2.d.next = true;
                    self.push_2.d.next = true;
                }
                9 => {
                    self.push_2.d.next = true;
                    self.jump_2.d.next = true;
                }
                10 => self.look_2.d.next = true,
                11 => self.jump_2.d.next = true,
                12 => {
                    self.push_2.d.next = true;
                    self.pop_2.d.next = true;
                }
                13 => self.pop_2.d.next = true,
                14 => self.look_2.d.next = true,
                15 => self.jump_2.d.next = true,
                _ => self.jump_2.d.next = false,
            }
        }
        if self.reset.val() {
            self.held.d.next = false;
            self.trap_before.d.next = false;
            self.valid_2.d.next = false;
        }

        self.beat.live.next = self.live_2.q.val();
        self.beat.valid.next = self.valid_2.q.val();
        self.beat.intr.next = self.intr_2.q.val();
        self.beat.broken.next = false;
        self.beat.hide.next = false;
        self.beat.turns.next = false;
        self.beat.belongs.next = 0.into();
        for n in 0..self._turns {
            self.turn[n].clock.next = self.clock.val();
            self.turn[n].retires.next = self.retires.val() & !self.reset.val();
            self.turn[n].mode.next = self.privilege.val();
            self.turn[n].space.next = self.space.val();
            self.turns_2[n].clock.next = self.clock.val();
            self.belongs_2[n].clock.next = self.clock.val();
            if self.let_go.val() {
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
