//! Ingress adapters for the RISC-V E-Trace instruction trace interface, of blocks of several instructions
//!
//! One block or two a clock. Each is held ([`super::held`]) and told as two beats, its first instruction and what is behind that, and the
//! compressor ([`super::compress`]) behind them tells one event a clock.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": blocks, `itype` of 4 and of 3 bits, "multiple retirement". `icount` is not of it: with the C extension a
//! number of halfwords is no number of instructions, and that is what a stream counts.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `itype` | in | 4 | how the block ends, as of [`super::etrace`] |
//! | `iaddr` | in | W | address of its first instruction; of a trap without one, where it happened |
//! | `iretire` | in | 4 | its halfwords; 0: nothing retires |
//! | `ilastsize` | in | 1 | its last instruction has 0: 2 bytes, 1: 4 bytes |
//! | `icount` | in | 4 | its instructions; not looked at without the C extension |
//! | `privilege`, `context_id` | in | 2, 32 | where contexts are told: privilege mode and, in the low 16 bits, number of the address space of all that is shown in the clock |
//! | `cause`, `tval`, `trigger` | in | 5, W, 4 | not used |
//! | `halted` | in | 1 | the hart is in debug mode: the next block begins as behind a trap |
//! | `hart_reset` | in | 1 | the hart is in reset: the same |
//!
//! and those of all adapters, see [`super::pins`]. With a filter by address a block is reported if both its ends may be.
//!
//! Of two blocks a clock the first five ports are there for each, `block0.itype` and so on: block 0 is the older one, and any may be empty.
//!
//! With [`Extras::itype3`] bit 3 of `itype` is 0, and 6 is any jump, call or return whose target the program does not tell. Which of these it is
//! nobody knows: so there is no return address stack and no table of targets, but `tr` without both, and `nx_b`.
//!
//! What was halted goes on where it was to: the address of the next block is where an indirect jump before went.
//!
//! # Timing
//! One block or two a clock. A beat comes five clocks after it, or later where others are told before. A block that ends with an indirect jump, a
//! return or a trap return (with resyncs, or a stream cache, with any control flow) is held until a report with an address says where it went; with `itype` of 3 bits so is one that ends with 0. What is held up to 127 clocks has its own time.
//!
//! Golden model: [`sim::beats::blocks`] before [`sim::beats::wide`].

use super::beat::BeatOut;
use super::compress::Compress;
use super::gate::Gate;
use super::held::Held;
use super::pins::{IngressPort, Pins};
use super::shown::Shown;
use super::turn::Turn;
use crate::spine::{Extras, Retire, BLOCKS};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// One of two blocks.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct BlockChannel<const W: usize> {
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<4>>,
    pub ilastsize: Signal<In, Bit>,
    pub icount: Signal<In, Bits<4>>,
}

/// The E-Trace instruction trace interface, of blocks.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct BlocksPins<const W: usize> {
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<4>>,
    pub ilastsize: Signal<In, Bit>,
    pub icount: Signal<In, Bits<4>>,
    pub cause: Signal<In, Bits<5>>,
    pub tval: Signal<In, Bits<W>>,
    pub privilege: Signal<In, Bits<2>>,
    pub context_id: Signal<In, Bits<32>>,
    pub trigger: Signal<In, Bits<4>>,
    pub halted: Signal<In, Bit>,
    pub hart_reset: Signal<In, Bit>,
}

/// The same of two blocks a clock.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct BlocksTwoPins<const W: usize> {
    pub block0: BlockChannel<W>,
    pub block1: BlockChannel<W>,
    pub cause: Signal<In, Bits<5>>,
    pub tval: Signal<In, Bits<W>>,
    pub privilege: Signal<In, Bits<2>>,
    pub context_id: Signal<In, Bits<32>>,
    pub trigger: Signal<In, Bits<4>>,
    pub halted: Signal<In, Bit>,
    pub hart_reset: Signal<In, Bit>,
}

/// `$shown`: where the pins of a block are.
macro_rules! adapter {
    (
        $(#[$doc:meta])* $name:ident, $pins:ident, $blocks:tt, $last:tt, ($($younger:tt $older:tt)*)
        $([$j:tt $next:tt $head:tt $tail:tt $($shown:ident).+])+
    ) => {
        impl<const W: usize> Pins<W> for $pins<W> {
            const CODE: u8 = BLOCKS;

            fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>> {
                Slot::new(Box::new($name::with(params, extras)))
            }
        }

        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub port: IngressPort<$pins<W>, W>,
            block: Vec<Shown<W>>,
            held: Vec<Held<W>>,
            compress: Compress<W>,
            // whether what is before a block was a trap, a block has an address so far, one of these waits for that of the next
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            shown: Vec<Signal<Local, Bit>>,
            open: Vec<Signal<Local, Bit>>,
            // with a filter: whether the mode is reported, nothing of the clock may be, each block must not be; of blocks by
            // address or address space both ends
            wants: Signal<Local, Bits<4>>,
            filtered: Signal<Local, Bit>,
            hidden: Vec<Signal<Local, Bit>>,
            filter: Fixed<Bit>,
            gated: Fixed<Bit>,
            begin_gate: Vec<Gate<W>>,
            end_gate: Vec<Gate<W>>,
            // the address behind a block that is held, and whether that follows without a trap
            goes: Vec<Signal<Local, Bits<W>>>,
            jumps: Vec<Signal<Local, Bit>>,
            waits: DFF<Bit>,
            shut: DFF<Bit>,
            behind: DFF<Bits<8>>,
            keeps: Signal<Local, Bit>,
            // where contexts are reported
            any: Signal<Local, Bit>,
            turning: Fixed<Bit>,
            turn: Turn,
        }

        impl<const W: usize> $name<W> {
            /// The adapter for `params`, with `extras`.
            ///
            /// # Panics
            /// When they do not say how many blocks a clock retire, or ask for the check; and as [`Compress::new`].
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let retire = extras.retire.expect("blocks");
                assert!(!extras.check, "no circuit of the check");
                assert_eq!(retire.lanes, $blocks, "blocks a clock");
                Self {
                    block: (0..$blocks).map(|_| Shown::new(params, &extras)).collect(),
                    held: (0..$blocks).map(|_| Held::new(params, &extras)).collect(),
                    compress: Compress::of(
                        params,
                        Extras { retire: Some(Retire { lanes: 2 * $blocks, ..retire }), ..extras },
                        true,
                    ),
                    turning: Fixed::new(params.context.is_some()),
                    turn: when(params.context.is_some(), || Turn::new(params.context_bits())),
                    hidden: each($blocks),
                    filter: Fixed::new(extras.filter),
                    gated: Fixed::new(extras.range || extras.space),
                    begin_gate: (0..$blocks).map(|_| Gate::new(&extras)).collect(),
                    end_gate: (0..$blocks).map(|_| Gate::new(&extras)).collect(),
                    trapped: each($blocks + 1),
                    shown: each($blocks + 1),
                    open: each($blocks + 1),
                    goes: each($blocks),
                    jumps: each($blocks),
                    ..Default::default()
                }
            }

            /// As [`Self::with`], for benches of the adapter alone.
            ///
            /// # Panics
            /// As [`Self::with`].
            pub fn new(params: &TraceParams, retire: Retire) -> Self {
                Self::with(params, Extras { retire: Some(retire), ..Extras::default() })
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, trap_before, waits, behind, shut);
                clock!(self, clock, compress, turn);
                // what waits when a trace begins is older than that; in its first cycle, time is counted already
                self.shut.d.next = !self.port.open.val();
                self.compress.reset.next = self.port.reset.val() | (self.shut.q.val() & !self.port.open.val());
                self.compress.go.next = self.port.live.val();

                // what of it must not be reported
                self.wants.next = self.port.modes.val() >> self.port.pins.privilege.val();
                self.filtered.next = (self.port.hide.val() | !self.wants.val().get_bit(0)) & self.filter.val();
                $(
                    self.begin_gate[$j].hide.next = self.filtered.val();
                    self.begin_gate[$j].pc.next = self.port.$($shown).+.iaddr.val();
                    self.begin_gate[$j].first.next = self.port.first.val();
                    self.begin_gate[$j].last.next = self.port.last.val();
                    self.begin_gate[$j].space.next = self.port.pins.context_id.val().get_bits::<16>(0);
                    self.begin_gate[$j].wanted.next = self.port.wanted.val();
                    self.begin_gate[$j].mask.next = self.port.mask.val();
                    self.end_gate[$j].hide.next = self.begin_gate[$j].hides.val();
                    self.end_gate[$j].pc.next = self.block[$j].ends.val();
                    self.end_gate[$j].first.next = self.port.first.val();
                    self.end_gate[$j].last.next = self.port.last.val();
                    self.end_gate[$j].space.next = 0.into();
                    self.end_gate[$j].wanted.next = 0.into();
                    self.end_gate[$j].mask.next = 0.into();
                    self.hidden[$j].next = self.filtered.val();
                    if self.gated.val() {
                        self.hidden[$j].next = self.end_gate[$j].hides.val();
                    }
                )+

                // what is shown, from the oldest on
                self.trapped[0].next = self.trap_before.q.val() | self.port.pins.halted.val() | self.port.pins.hart_reset.val();
                self.shown[0].next = false;
                self.open[0].next = false;
                $(
                    self.held[$j].clock.next = self.clock.val();
                    self.held[$j].reset.next = self.port.reset.val();
                    self.block[$j].itype.next = self.port.$($shown).+.itype.val();
                    self.block[$j].iaddr.next = self.port.$($shown).+.iaddr.val();
                    self.block[$j].iretire.next = self.port.$($shown).+.iretire.val();
                    self.block[$j].ilastsize.next = self.port.$($shown).+.ilastsize.val();
                    self.block[$j].icount.next = self.port.$($shown).+.icount.val();
                    self.held[$j].itype.next = self.port.$($shown).+.itype.val();
                    self.held[$j].ilastsize.next = self.port.$($shown).+.ilastsize.val();
                    self.held[$j].icount.next = self.block[$j].count.val();
                    self.held[$j].retires.next = self.block[$j].retires.val() & self.port.open.val();
                    self.held[$j].bears.next = self.block[$j].bears.val();
                    self.held[$j].start.next = self.block[$j].start.val();
                    self.held[$j].last.next = self.block[$j].last.val();
                    self.held[$j].intr.next = self.trapped[$j].val();
                    self.held[$j].hide.next = self.hidden[$j].val();
                    self.trapped[$next].next = self.trapped[$j].val();
                    self.shown[$next].next = self.shown[$j].val() | self.block[$j].bears.val();
                    self.open[$next].next = self.open[$j].val();
                    if self.block[$j].bears.val() {
                        self.trapped[$next].next = self.block[$j].traps.val();
                        // what is not told need not wait
                        self.open[$next].next = self.block[$j].open.val() & !self.hidden[$j].val();
                    }
                )+
                self.trap_before.d.next = self.trapped[$blocks].val();

                // those before, and whether the last of them waits for an address
                self.keeps.next = self.waits.q.val() & !self.shown[$blocks].val();
                self.waits.d.next = self.keeps.val() | self.open[$blocks].val();
                self.behind.d.next = 0.into();
                if self.keeps.val() {
                    self.behind.d.next = self.behind.q.val();
                    if self.behind.q.val() != 127 {
                        self.behind.d.next = self.behind.q.val() + 1;
                    }
                }
                self.compress.behind.next = self.behind.q.val();
                self.goes[$last].next = self.block[$last].start.val();
                $(
                    if self.block[$older].bears.val() {
                        self.goes[$last].next = self.block[$older].start.val();
                    }
                )*
                self.jumps[$last].next = !self.trapped[0].val();
                $(
                    self.goes[$older].next = self.goes[$younger].val();
                    self.jumps[$older].next = self.jumps[$younger].val();
                    if self.held[$younger].bore.val() {
                        self.goes[$older].next = self.held[$younger].first.val();
                        self.jumps[$older].next = !self.held[$younger].intr_1.val();
                    }
                )*
                $(
                    self.held[$j].keep.next = self.keeps.val() & self.port.open.val();
                    self.held[$j].tells.next = !self.keeps.val();
                    self.held[$j].goes.next = self.goes[$j].val();
                    self.held[$j].jumps.next = self.jumps[$j].val();
                    BeatOut::<W>::join(&mut self.held[$j].head, &mut self.compress.lane[$head]);
                    BeatOut::<W>::join(&mut self.held[$j].tail, &mut self.compress.lane[$tail]);
                    self.compress.extra[$head].next = 0.into();
                    self.compress.extra[$tail].next = self.held[$j].between.val();
                )+
                // with what is held: while that waits nothing retires
                self.any.next = false;
                $(
                    if self.block[$j].retires.val() & !self.port.reset.val() {
                        self.any.next = true;
                    }
                )+
                self.turn.retires.next = self.any.val();
                self.turn.mode.next = self.port.pins.privilege.val();
                self.turn.space.next = self.port.pins.context_id.val().get_bits::<16>(0);
                self.compress.turns.next = false;
                self.compress.belongs.next = 0.into();
                if self.turning.val() {
                    self.compress.turns.next = self.turn.turns.val();
                    self.compress.belongs.next = self.turn.belongs.val();
                }
                if self.port.reset.val() {
                    self.waits.d.next = false;
                    self.trap_before.d.next = false;
                    self.behind.d.next = 0.into();
                }

                BeatOut::<W>::link(&mut self.port.beat, &mut self.compress.beat);
                self.port.more.next = self.compress.more.val();
                self.port.step.next = self.compress.step.val();
                self.port.choked.next = self.compress.choked.val();
                self.port.crowd.next = self.compress.crowd.val();
                self.port.lag.next = self.compress.late_by.val();
            }
        }

        part!($name<W>, IngressPort<$pins<W>, W>, "ingress");
    };
}

adapter!(
    /// The adapter for a block a clock, for addresses of W = `xlen` bits.
    Blocks, BlocksPins, 1, 0, ()
    [0 1 0 1 pins]
);
adapter!(
    /// The adapter for two blocks a clock, for addresses of W = `xlen` bits.
    BlocksTwo, BlocksTwoPins, 2, 1, (1 0)
    [0 1 0 1 pins.block0]
    [1 2 2 3 pins.block1]
);
