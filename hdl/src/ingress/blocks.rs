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

use super::address_filter::AddressFilter;
use super::beat::BeatOut;
use super::block_report::BlockReport;
use super::compress::Compress;
use super::context_tracker::ContextTracker;
use super::held::HeldBlock;
use super::pins::{IngressPort, Pins};
use crate::spine::{Extras, Retire, BLOCKS};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
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

/// `$block_report`: path of a block's pins.
macro_rules! adapter {
    (
        $(#[$doc:meta])* $name:ident, $pins:ident, $blocks:tt, $last:tt, ($($younger:tt $older:tt)*)
        $([$j:tt $next:tt $head:tt $tail:tt $($block_report:ident).+])+
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
            block: Vec<BlockReport<W>>,
            held: Vec<HeldBlock<W>>,
            compress: Compress<W>,
            // before a block: the last block was a trap, a block had an address, the last one waits for the address of the next
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            block_report: Vec<Signal<Local, Bit>>,
            open: Vec<Signal<Local, Bit>>,
            // with a filter: the mode is reported; all of the cycle is hidden; each block is hidden. By address or address space, both
            // ends of a block are checked
            mode_selected: Signal<Local, Bits<4>>,
            filtered: Signal<Local, Bit>,
            hidden: Vec<Signal<Local, Bit>>,
            filter: Fixed<Bit>,
            filters_addresses: Fixed<Bit>,
            begin_filter: Vec<AddressFilter<W>>,
            end_filter: Vec<AddressFilter<W>>,
            // the address after a held block, and whether it follows without a trap
            next_address: Vec<Signal<Local, Bits<W>>>,
            no_trap: Vec<Signal<Local, Bit>>,
            waits: DFF<Bit>,
            was_closed: DFF<Bit>,
            delay: DFF<Bits<8>>,
            still_waits: Signal<Local, Bit>,
            // where contexts are reported
            any: Signal<Local, Bit>,
            with_context: Fixed<Bit>,
            context_tracker: ContextTracker,
        }

        impl<const W: usize> $name<W> {
            /// The adapter for `params`, with `extras`.
            ///
            /// # Panics
            /// When `extras` do not say how many blocks retire per cycle, or include the discontinuity check; and as [`Compress::new`].
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let retire = extras.retire.expect("blocks");
                assert!(!extras.check, "no circuit of the check");
                assert_eq!(retire.per_cycle, $blocks, "blocks a clock");
                Self {
                    block: (0..$blocks).map(|_| BlockReport::new(params, &extras)).collect(),
                    held: (0..$blocks).map(|_| HeldBlock::new(params, &extras)).collect(),
                    compress: Compress::of(
                        params,
                        Extras { retire: Some(Retire { per_cycle: 2 * $blocks, ..retire }), ..extras },
                        true,
                    ),
                    with_context: Fixed::new(params.context.is_some()),
                    context_tracker: when(params.context.is_some(), || ContextTracker::new(params.context_bits())),
                    hidden: each($blocks),
                    filter: Fixed::new(extras.filter),
                    filters_addresses: Fixed::new(extras.range || extras.space),
                    begin_filter: (0..$blocks).map(|_| AddressFilter::new(&extras)).collect(),
                    end_filter: (0..$blocks).map(|_| AddressFilter::new(&extras)).collect(),
                    trapped: each($blocks + 1),
                    block_report: each($blocks + 1),
                    open: each($blocks + 1),
                    next_address: each($blocks),
                    no_trap: each($blocks),
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
                dff_setup!(self, clock, trap_before, waits, delay, was_closed);
                clock!(self, clock, compress, context_tracker);
                // entries that wait when a trace begins are older than the trace; time is counted from its first cycle
                self.was_closed.d.next = !self.port.open.val();
                self.compress.reset.next = self.port.reset.val() | (self.was_closed.q.val() & !self.port.open.val());
                self.compress.go.next = self.port.live.val();

                // which blocks are hidden
                self.mode_selected.next = self.port.modes.val() >> self.port.pins.privilege.val();
                self.filtered.next = (self.port.hide.val() | !self.mode_selected.val().get_bit(0)) & self.filter.val();
                $(
                    self.begin_filter[$j].hide.next = self.filtered.val();
                    self.begin_filter[$j].pc.next = self.port.$($block_report).+.iaddr.val();
                    self.begin_filter[$j].first.next = self.port.first.val();
                    self.begin_filter[$j].last.next = self.port.last.val();
                    self.begin_filter[$j].space.next = self.port.pins.context_id.val().get_bits::<16>(0);
                    self.begin_filter[$j].wanted.next = self.port.wanted.val();
                    self.begin_filter[$j].mask.next = self.port.mask.val();
                    self.end_filter[$j].hide.next = self.begin_filter[$j].hides.val();
                    self.end_filter[$j].pc.next = self.block[$j].ends.val();
                    self.end_filter[$j].first.next = self.port.first.val();
                    self.end_filter[$j].last.next = self.port.last.val();
                    self.end_filter[$j].space.next = 0.into();
                    self.end_filter[$j].wanted.next = 0.into();
                    self.end_filter[$j].mask.next = 0.into();
                    self.hidden[$j].next = self.filtered.val();
                    if self.filters_addresses.val() {
                        self.hidden[$j].next = self.end_filter[$j].hides.val();
                    }
                )+

                // blocks of this cycle, from the oldest
                self.trapped[0].next = self.trap_before.q.val() | self.port.pins.halted.val() | self.port.pins.hart_reset.val();
                self.block_report[0].next = false;
                self.open[0].next = false;
                $(
                    self.held[$j].clock.next = self.clock.val();
                    self.held[$j].reset.next = self.port.reset.val();
                    self.block[$j].itype.next = self.port.$($block_report).+.itype.val();
                    self.block[$j].iaddr.next = self.port.$($block_report).+.iaddr.val();
                    self.block[$j].iretire.next = self.port.$($block_report).+.iretire.val();
                    self.block[$j].ilastsize.next = self.port.$($block_report).+.ilastsize.val();
                    self.block[$j].icount.next = self.port.$($block_report).+.icount.val();
                    self.held[$j].itype.next = self.port.$($block_report).+.itype.val();
                    self.held[$j].ilastsize.next = self.port.$($block_report).+.ilastsize.val();
                    self.held[$j].icount.next = self.block[$j].count.val();
                    self.held[$j].retires.next = self.block[$j].retires.val() & self.port.open.val();
                    self.held[$j].has_address.next = self.block[$j].has_address.val();
                    self.held[$j].start.next = self.block[$j].start.val();
                    self.held[$j].last.next = self.block[$j].last.val();
                    self.held[$j].intr.next = self.trapped[$j].val();
                    self.held[$j].hide.next = self.hidden[$j].val();
                    self.trapped[$next].next = self.trapped[$j].val();
                    self.block_report[$next].next = self.block_report[$j].val() | self.block[$j].has_address.val();
                    self.open[$next].next = self.open[$j].val();
                    if self.block[$j].has_address.val() {
                        self.trapped[$next].next = self.block[$j].traps.val();
                        // a hidden block need not wait
                        self.open[$next].next = self.block[$j].open.val() & !self.hidden[$j].val();
                    }
                )+
                self.trap_before.d.next = self.trapped[$blocks].val();

                // held blocks, and whether the last of them waits for an address
                self.still_waits.next = self.waits.q.val() & !self.block_report[$blocks].val();
                self.waits.d.next = self.still_waits.val() | self.open[$blocks].val();
                self.delay.d.next = 0.into();
                if self.still_waits.val() {
                    self.delay.d.next = self.delay.q.val();
                    if self.delay.q.val() != 127 {
                        self.delay.d.next = self.delay.q.val() + 1;
                    }
                }
                self.compress.delay.next = self.delay.q.val();
                self.next_address[$last].next = self.block[$last].start.val();
                $(
                    if self.block[$older].has_address.val() {
                        self.next_address[$last].next = self.block[$older].start.val();
                    }
                )*
                self.no_trap[$last].next = !self.trapped[0].val();
                $(
                    self.next_address[$older].next = self.next_address[$younger].val();
                    self.no_trap[$older].next = self.no_trap[$younger].val();
                    if self.held[$younger].had_address.val() {
                        self.next_address[$older].next = self.held[$younger].first.val();
                        self.no_trap[$older].next = !self.held[$younger].intr_1.val();
                    }
                )*
                $(
                    self.held[$j].keep.next = self.still_waits.val() & self.port.open.val();
                    self.held[$j].sends.next = !self.still_waits.val();
                    self.held[$j].next_address.next = self.next_address[$j].val();
                    self.held[$j].no_trap.next = self.no_trap[$j].val();
                    BeatOut::<W>::join(&mut self.held[$j].head, &mut self.compress.retire_slot[$head]);
                    BeatOut::<W>::join(&mut self.held[$j].tail, &mut self.compress.retire_slot[$tail]);
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
                self.context_tracker.retires.next = self.any.val();
                self.context_tracker.mode.next = self.port.pins.privilege.val();
                self.context_tracker.space.next = self.port.pins.context_id.val().get_bits::<16>(0);
                self.compress.new_context.next = false;
                self.compress.context_value.next = 0.into();
                if self.with_context.val() {
                    self.compress.new_context.next = self.context_tracker.new_context.val();
                    self.compress.context_value.next = self.context_tracker.context_value.val();
                }
                if self.port.reset.val() {
                    self.waits.d.next = false;
                    self.trap_before.d.next = false;
                    self.delay.d.next = 0.into();
                }

                BeatOut::<W>::link(&mut self.port.beat, &mut self.compress.beat);
                self.port.more.next = self.compress.more.val();
                self.port.step.next = self.compress.step.val();
                self.port.beat_lost.next = self.compress.beat_lost.val();
                self.port.almost_full.next = self.compress.almost_full.val();
                self.port.lag.next = self.compress.queue_delay.val();
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
