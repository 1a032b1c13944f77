//! Ingress adapter for the RISC-V E-Trace instruction trace interface, of blocks of several instructions
//!
//! Makes two beats of a block, its first instruction and what is behind that, and the compressor ([`super::compress`]) behind
//! it tells one event a clock.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": blocks, 4-bit `itype`. `icount` is not of it: with the C extension a
//! number of halfwords is no number of instructions, and that is what a stream counts.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `live` | in | 1 | 1: what is told in this clock is traced |
//! | `itype` | in | 4 | how the block ends, as of [`super::etrace`] |
//! | `iaddr` | in | W | address of its first instruction; of a trap without one, where it happened |
//! | `iretire` | in | 4 | its halfwords; 0: nothing retires |
//! | `ilastsize` | in | 1 | its last instruction has 0: 2 bytes, 1: 4 bytes |
//! | `icount` | in | 4 | its instructions; not looked at without the C extension |
//! | `cause`, `tval`, `privilege`, `context_id`, `trigger` | in | 5, W, 2, 32, 4 | not used |
//! | `halted` | in | 1 | the hart is in debug mode: the next block begins as behind a trap |
//! | `hart_reset` | in | 1 | the hart is in reset: the same |
//! | `beat`, `more`, `step`, `choked` | out | | as those of the compressor |
//!
//! What was halted goes on where it was to: the address of the next block is where an indirect jump before went.
//!
//! # Timing
//! One block a clock. A beat comes five clocks after it, or later where others are told before. A block that ends with an indirect jump, a
//! return or a trap return is held until a report with an address says where it went. What is held up to 127 clocks has its own time.
//!
//! Golden model: [`sim::beats::blocks`] before [`sim::beats::wide`].

use super::beat::BeatOut;
use super::compress::Compress;
use super::narrow::Narrow;
use crate::spine::{Extras, Retire};
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The adapter, for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct Blocks<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub live: Signal<In, Bit>,
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
    pub beat: BeatOut<W>,
    pub more: Signal<Out, Bits<10>>,
    pub step: Signal<Out, Bits<8>>,
    pub choked: Signal<Out, Bit>,
    compress: Compress<W>,
    // what is shown
    retires: Signal<Local, Bit>,
    traps: Signal<Local, Bit>,
    bears: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    trapped: Signal<Local, Bit>,
    trap_before: DFF<Bit>,
    start: Signal<Local, Bits<W>>,
    // where fewer bits differ
    narrow: Vec<Narrow<W>>,
    narrow_last: Vec<Narrow<W>>,
    _narrows: usize,
    size: Signal<Local, Bits<W>>,
    last: Signal<Local, Bits<W>>,
    // the block that is held
    held: DFF<Bit>,
    waits: DFF<Bit>,
    intr: DFF<Bit>,
    kind: DFF<Bits<4>>,
    first: DFF<Bits<W>>,
    tail: DFF<Bits<W>>,
    long: DFF<Bit>,
    count: DFF<Bits<4>>,
    behind: DFF<Bits<8>>,
    keeps: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
    single: Signal<Local, Bit>,
    several: Signal<Local, Bit>,
    less: Signal<Local, Bits<4>>,
    length: Signal<Local, Bits<2>>,
    link: Signal<Local, Bits<W>>,
    branch: Signal<Local, Bit>,
    look: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    jump: Signal<Local, Bit>,
    // of the parameters
    align: Fixed<Bits<2>>,
    compressed: Fixed<Bit>,
}

impl<const W: usize> Blocks<W> {
    /// The adapter for `params`, with `extras`.
    ///
    /// # Panics
    /// When they do not say that a block a clock retires, or ask for the check; and as [`Compress::new`].
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        let retire = extras.retire.expect("blocks");
        assert!(!extras.check, "no circuit of the check");
        assert_eq!(retire.lanes, 1, "blocks a clock");
        Self {
            compress: Compress::of(params, Retire { lanes: 2, ..retire }, true),
            narrow: extras.addresses.iter().map(Narrow::new).collect(),
            narrow_last: extras.addresses.iter().map(Narrow::new).collect(),
            _narrows: usize::from(extras.addresses.is_some()),
            align: Fixed::of(params.align),
            compressed: Fixed::new(params.align == 1),
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

impl<const W: usize> Logic for Blocks<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, trap_before, held, waits, intr, kind, first, tail, long, count, behind);
        clock!(self, clock, compress);
        self.compress.reset.next = self.reset.val();
        self.compress.go.next = self.live.val();

        // what is shown
        self.retires.next = self.iretire.val().any();
        self.traps.next = (self.itype.val() == 1) | (self.itype.val() == 2);
        self.bears.next = self.retires.val() | self.traps.val();
        self.indirect.next = (self.itype.val() == 3)
            | (self.itype.val() == 8)
            | (self.itype.val() == 10)
            | (self.itype.val() == 12)
            | (self.itype.val() == 13)
            | (self.itype.val() == 14);
        self.trapped.next = self.trap_before.q.val() | self.halted.val() | self.hart_reset.val();
        self.trap_before.d.next = self.trapped.val();
        if self.bears.val() {
            self.trap_before.d.next = self.traps.val();
        }
        self.size.next = bit_cast::<W, 4>(self.iretire.val()) << 1;
        self.last.next = self.iaddr.val() + self.size.val() - 2;
        if self.ilastsize.val() | !self.compressed.val() {
            self.last.next = self.iaddr.val() + self.size.val() - 4;
        }
        self.start.next = self.iaddr.val() >> self.align.val();
        self.tail.d.next = self.last.val() >> self.align.val();
        for j in 0..self._narrows {
            self.narrow[j].wide.next = self.iaddr.val();
            self.narrow_last[j].wide.next = self.last.val();
            self.start.next = self.narrow[j].narrow.val() >> self.align.val();
            self.tail.d.next = self.narrow_last[j].narrow.val() >> self.align.val();
        }

        // the block before, and whether it waits for an address
        self.keeps.next = self.held.q.val() & self.waits.q.val() & !self.bears.val();
        self.tells.next = self.held.q.val() & !self.keeps.val();
        self.held.d.next = self.retires.val();
        self.waits.d.next = self.indirect.val();
        self.intr.d.next = self.trapped.val();
        self.kind.d.next = self.itype.val();
        self.first.d.next = self.start.val();
        self.long.d.next = self.ilastsize.val() & self.compressed.val();
        self.count.d.next = self.icount.val();
        if !self.compressed.val() {
            self.count.d.next = self.iretire.val() >> 1;
        }
        self.behind.d.next = 0.into();
        if self.keeps.val() {
            self.held.d.next = true;
            self.waits.d.next = true;
            self.intr.d.next = self.intr.q.val();
            self.kind.d.next = self.kind.q.val();
            self.first.d.next = self.first.q.val();
            self.tail.d.next = self.tail.q.val();
            self.long.d.next = self.long.q.val();
            self.count.d.next = self.count.q.val();
            self.behind.d.next = self.behind.q.val();
            if self.behind.q.val() != 127 {
                self.behind.d.next = self.behind.q.val() + 1;
            }
        }

        // its first instruction, and what is behind it
        self.single.next = self.count.q.val() == 1;
        self.several.next = self.tells.val() & !self.single.val();
        self.branch.next = (self.kind.q.val() == 4) | (self.kind.q.val() == 5);
        self.look.next =
            (self.kind.q.val() == 3) | (self.kind.q.val() == 8) | (self.kind.q.val() == 10) | (self.kind.q.val() == 14);
        self.push.next = (self.kind.q.val() == 8) | (self.kind.q.val() == 9) | (self.kind.q.val() == 12);
        self.pop.next = (self.kind.q.val() == 12) | (self.kind.q.val() == 13);
        self.jump.next = (self.kind.q.val() == 9) | (self.kind.q.val() == 11) | (self.kind.q.val() == 15);
        self.length.next = 1.into();
        if self.long.q.val() {
            self.length.next = 2.into();
        }
        self.link.next = self.tail.q.val() + bit_cast::<W, 2>(self.length.val());
        self.compress.behind.next = self.behind.q.val();
        self.less.next = self.count.q.val() - 2;
        self.compress.extra[0].next = 0.into();
        self.compress.extra[1].next = 0.into();
        if self.several.val() {
            self.compress.extra[1].next = bit_cast::<5, 4>(self.less.val());
        }
        self.compress.lane[0].live.next = true;
        self.compress.lane[0].valid.next = self.tells.val();
        self.compress.lane[0].intr.next = self.intr.q.val();
        self.compress.lane[0].broken.next = false;
        self.compress.lane[0].hide.next = false;
        self.compress.lane[0].turns.next = false;
        self.compress.lane[0].belongs.next = 0.into();
        self.compress.lane[0].branch.next = self.branch.val() & self.single.val();
        self.compress.lane[0].taken.next = self.kind.q.val().get_bit(0);
        self.compress.lane[0].look.next = self.look.val() & self.single.val();
        self.compress.lane[0].push.next = self.push.val() & self.single.val();
        self.compress.lane[0].pop.next = self.pop.val() & self.single.val();
        self.compress.lane[0].jump.next = self.jump.val() & self.single.val();
        self.compress.lane[0].pc.next = self.first.q.val();
        self.compress.lane[0].link.next = self.link.val();
        self.compress.lane[0].target.next = self.start.val();
        self.compress.lane[1].live.next = true;
        self.compress.lane[1].valid.next = self.several.val();
        self.compress.lane[1].intr.next = false;
        self.compress.lane[1].broken.next = false;
        self.compress.lane[1].hide.next = false;
        self.compress.lane[1].turns.next = false;
        self.compress.lane[1].belongs.next = 0.into();
        self.compress.lane[1].branch.next = self.branch.val();
        self.compress.lane[1].taken.next = self.kind.q.val().get_bit(0);
        self.compress.lane[1].look.next = self.look.val();
        self.compress.lane[1].push.next = self.push.val();
        self.compress.lane[1].pop.next = self.pop.val();
        self.compress.lane[1].jump.next = self.jump.val();
        self.compress.lane[1].pc.next = self.tail.q.val();
        self.compress.lane[1].link.next = self.link.val();
        self.compress.lane[1].target.next = self.start.val();
        if self.reset.val() {
            self.held.d.next = false;
            self.waits.d.next = false;
            self.trap_before.d.next = false;
            self.behind.d.next = 0.into();
        }

        BeatOut::<W>::link(&mut self.beat, &mut self.compress.beat);
        self.more.next = self.compress.more.val();
        self.step.next = self.compress.step.val();
        self.choked.next = self.compress.choked.val();
    }
}
