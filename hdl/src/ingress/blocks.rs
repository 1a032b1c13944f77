//! Ingress adapters for the RISC-V E-Trace instruction trace interface, with blocks of several instructions
//!
//! One or two blocks per cycle. Each block is held ([`super::held`]) and sent as two beats: its first instruction, and the rest. The
//! compressor ([`super::compress`]) makes one event per cycle of them.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": blocks, `itype` of 4 and of 3 bits, "multiple retirement". `icount` is an
//! addition: a trace stream counts instructions, and with the C extension a number of halfwords does not determine that count.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `itype` | in | 4 | type of the block's end, as in [`super::etrace`] |
//! | `iaddr` | in | W | address of its first instruction; of a trap without an instruction, the address where it occurred |
//! | `iretire` | in | 4 | length in halfwords; 0: nothing retires |
//! | `ilastsize` | in | 1 | size of its last instruction: 0: 2 bytes, 1: 4 bytes |
//! | `icount` | in | 4 | number of its instructions; ignored without the C extension |
//! | `privilege`, `context_id` | in | 2, 32 | where contexts are reported: privilege mode and, in the low 16 bits, address space identifier of all instructions of the cycle |
//! | `cause`, `tval`, `trigger` | in | 5, W, 4 | not used |
//! | `halted` | in | 1 | the hart is in debug mode: the next block begins as after a trap |
//! | `hart_reset` | in | 1 | the hart is in reset: the same |
//!
//! and the ports of all adapters, see [`super::pins`]. With a filter by address a block is reported if both its ends are in the range.
//!
//! With two blocks per cycle each has the first five ports, `block0.itype` and so on. Block 0 is the older one; either may be empty.
//!
//! With [`Extras::itype3`] bit 3 of `itype` is 0, and 6 is any uninferable jump, call or return. These cannot be distinguished. So
//! there is no return address stack and no target table: only `tr` without both, and `nx_b`.
//!
//! After a halt, the address of the next block is taken as the target of the indirect jump before it.
//!
//! # Timing
//! One or two blocks per cycle. A beat comes five cycles after its block, or later while earlier beats are sent. A block that ends
//! with an indirect jump, a return or a trap return is held until a report with an address shows its target. With resyncs or a
//! stream cache this applies to all control flow, and with a 3-bit `itype` to blocks that end with 0. Blocks held for up to 127
//! cycles keep their own time stamp.
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

/// The pins of one of two blocks.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct BlockChannel<const W: usize> {
    pub itype: Signal<In, Bits<4>>,
    pub iaddr: Signal<In, Bits<W>>,
    pub iretire: Signal<In, Bits<4>>,
    pub ilastsize: Signal<In, Bit>,
    pub icount: Signal<In, Bits<4>>,
}

/// The pins of the E-Trace instruction trace interface, with one block per cycle.
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

/// The pins of the E-Trace instruction trace interface, with two blocks per cycle.
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

/// `$shown`: path of a block's pins.
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
            // before a block: the last block was a trap, a block had an address, the last one waits for the address of the next
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            shown: Vec<Signal<Local, Bit>>,
            open: Vec<Signal<Local, Bit>>,
            // with a filter: the mode is reported; all of the cycle is hidden; each block is hidden. By address or address space, both
            // ends of a block are checked
            wants: Signal<Local, Bits<4>>,
            filtered: Signal<Local, Bit>,
            hidden: Vec<Signal<Local, Bit>>,
            filter: Fixed<Bit>,
            gated: Fixed<Bit>,
            begin_gate: Vec<Gate<W>>,
            end_gate: Vec<Gate<W>>,
            // the address after a held block, and whether it follows without a trap
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
            /// When `extras` do not say how many blocks retire per cycle, or include the discontinuity check; and as [`Compress::new`].
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

            /// As [`Self::with`], without other extras, for benches of the adapter alone.
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
                // entries that wait when a trace begins are older than the trace; time is counted from its first cycle
                self.shut.d.next = !self.port.open.val();
                self.compress.reset.next = self.port.reset.val() | (self.shut.q.val() & !self.port.open.val());
                self.compress.go.next = self.port.live.val();

                // which blocks are hidden
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

                // blocks of this cycle, from the oldest
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
                        // a hidden block need not wait
                        self.open[$next].next = self.block[$j].open.val() & !self.hidden[$j].val();
                    }
                )+
                self.trap_before.d.next = self.trapped[$blocks].val();

                // held blocks, and whether the last of them waits for an address
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
                // retires together with the held blocks: while they wait nothing retires
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
    /// The adapter for one block per cycle, for addresses of W = `xlen` bits.
    Blocks, BlocksPins, 1, 0, ()
    [0 1 0 1 pins]
);
adapter!(
    /// The adapter for two blocks per cycle, for addresses of W = `xlen` bits.
    BlocksTwo, BlocksTwoPins, 2, 1, (1 0)
    [0 1 0 1 pins.block0]
    [1 2 2 3 pins.block1]
);
