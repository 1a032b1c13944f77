//! Event FIFO: the entries of one core until the encoder takes them
//!
//! # Source
//! `docs/trace-module.md`; the entry: [`crate::entry`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty |
//! | `push` | in | 1 | the entry at the `in_*` ports goes in |
//! | `full` | out | 1 | fewer than three places are free |
//! | `empty` | out | 1 | no entry is in it |
//! | `have` | out | 1 | the `out_*` ports show the oldest entry |
//! | `pop` | in | 1 | it is done with; only while `have` is 1 |
//! | `in_*`, `out_*` | in, out | | the fields of an entry, see [`crate::entry`] |
//!
//! # Timing
//! An entry that is pushed can be seen two cycles later. After a pop, `have` is 0 for one cycle.
//! Pushing into a FIFO without a free place loses the oldest entries; whoever pushes looks at `full`.
//!
//! The memory is one column a field, so that each has the width that the parameters ask for.

use crate::entry::{EntryLayout, CC_PORT_BITS, COUNT_PORT_BITS};
use crate::widget::mem::Mem;
use rust_hdl::prelude::*;

/// Widest depth: 2^8 entries, the depth of an iCE40 block RAM.
const A: usize = 8;

/// The FIFO; `W` is the width of the address ports.
#[derive(LogicBlock)]
pub struct EventFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub in_pre: Signal<In, Bits<2>>,
    pub in_post: Signal<In, Bits<2>>,
    pub in_icnt: Signal<In, Bits<24>>,
    pub in_bcnt: Signal<In, Bits<24>>,
    pub in_pc: Signal<In, Bits<W>>,
    pub in_target: Signal<In, Bits<W>>,
    pub in_cc: Signal<In, Bits<32>>,
    pub full: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub pop: Signal<In, Bit>,
    pub out_pre: Signal<Out, Bits<2>>,
    pub out_post: Signal<Out, Bits<2>>,
    pub out_icnt: Signal<Out, Bits<24>>,
    pub out_bcnt: Signal<Out, Bits<24>>,
    pub out_pc: Signal<Out, Bits<W>>,
    pub out_target: Signal<Out, Bits<W>>,
    pub out_cc: Signal<Out, Bits<32>>,
    kinds: Mem<8, 4>,
    icnts: Mem<8, 24>,
    bcnts: Mem<8, 24>,
    pcs: Mem<8, W>,
    targets: Mem<8, W>,
    ccs: Mem<8, 32>,
    write: DFF<Bits<8>>,
    read: DFF<Bits<8>>,
    count: DFF<Bits<9>>,
    seen: DFF<Bit>,
    none: Signal<Local, Bit>,
    kind: Signal<Local, Bits<4>>,
    one: Constant<Bits<8>>,
    one_9: Constant<Bits<9>>,
    mask: Constant<Bits<8>>,
    // `count` at or above this is full: its bits from `high` are not all zero, or all below are ones
    limit: Constant<Bits<9>>,
}

impl<const W: usize> EventFifo<W> {
    /// A FIFO of 2^`log2_depth` entries of `layout`.
    ///
    /// # Panics
    /// Unless 2 <= `log2_depth` <= 8.
    pub fn new(layout: &EntryLayout, log2_depth: usize) -> Self {
        assert!((2..=A).contains(&log2_depth), "log2_depth = {log2_depth} is outside 2..={A}");
        assert!(layout.count_bits <= COUNT_PORT_BITS && layout.cc_bits <= CC_PORT_BITS);
        let depth = 1u64 << log2_depth;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            push: Default::default(),
            in_pre: Default::default(),
            in_post: Default::default(),
            in_icnt: Default::default(),
            in_bcnt: Default::default(),
            in_pc: Default::default(),
            in_target: Default::default(),
            in_cc: Default::default(),
            full: Default::default(),
            empty: Default::default(),
            have: Default::default(),
            pop: Default::default(),
            out_pre: Default::default(),
            out_post: Default::default(),
            out_icnt: Default::default(),
            out_bcnt: Default::default(),
            out_pc: Default::default(),
            out_target: Default::default(),
            out_cc: Default::default(),
            kinds: Mem::new(log2_depth, 4),
            icnts: Mem::new(log2_depth, layout.count_bits),
            bcnts: Mem::new(log2_depth, layout.count_bits),
            pcs: Mem::new(log2_depth, layout.address_bits),
            targets: Mem::new(log2_depth, layout.address_bits),
            ccs: Mem::new(log2_depth, layout.cc_bits),
            write: Default::default(),
            read: Default::default(),
            count: Default::default(),
            seen: Default::default(),
            none: Default::default(),
            kind: Default::default(),
            one: Constant::new(1.into()),
            one_9: Constant::new(1.into()),
            mask: Constant::new((depth - 1).to_bits::<8>()),
            limit: Constant::new((depth - 2).to_bits::<9>()),
        }
    }

    /// Bits of memory.
    pub fn bits(&self) -> usize {
        self.kinds.bits()
            + self.icnts.bits()
            + self.bcnts.bits()
            + self.pcs.bits()
            + self.targets.bits()
            + self.ccs.bits()
    }
}

impl<const W: usize> Logic for EventFifo<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, count, seen);
        self.kinds.clock.next = self.clock.val();
        self.icnts.clock.next = self.clock.val();
        self.bcnts.clock.next = self.clock.val();
        self.pcs.clock.next = self.clock.val();
        self.targets.clock.next = self.clock.val();
        self.ccs.clock.next = self.clock.val();

        self.kinds.we.next = self.push.val();
        self.icnts.we.next = self.push.val();
        self.bcnts.we.next = self.push.val();
        self.pcs.we.next = self.push.val();
        self.targets.we.next = self.push.val();
        self.ccs.we.next = self.push.val();

        self.kinds.waddr.next = self.write.q.val();
        self.icnts.waddr.next = self.write.q.val();
        self.bcnts.waddr.next = self.write.q.val();
        self.pcs.waddr.next = self.write.q.val();
        self.targets.waddr.next = self.write.q.val();
        self.ccs.waddr.next = self.write.q.val();

        self.kinds.raddr.next = self.read.q.val();
        self.icnts.raddr.next = self.read.q.val();
        self.bcnts.raddr.next = self.read.q.val();
        self.pcs.raddr.next = self.read.q.val();
        self.targets.raddr.next = self.read.q.val();
        self.ccs.raddr.next = self.read.q.val();

        self.kinds.wdata.next = (bit_cast::<4, 2>(self.in_post.val()) << 2) | bit_cast::<4, 2>(self.in_pre.val());
        self.icnts.wdata.next = self.in_icnt.val();
        self.bcnts.wdata.next = self.in_bcnt.val();
        self.pcs.wdata.next = self.in_pc.val();
        self.targets.wdata.next = self.in_target.val();
        self.ccs.wdata.next = self.in_cc.val();

        self.kind.next = self.kinds.rdata.val();
        self.out_pre.next = self.kind.val().get_bits::<2>(0);
        self.out_post.next = self.kind.val().get_bits::<2>(2);
        self.out_icnt.next = self.icnts.rdata.val();
        self.out_bcnt.next = self.bcnts.rdata.val();
        self.out_pc.next = self.pcs.rdata.val();
        self.out_target.next = self.targets.rdata.val();
        self.out_cc.next = self.ccs.rdata.val();

        self.none.next = !self.count.q.val().any();
        if self.push.val() {
            self.write.d.next = bit_cast::<8, 8>(self.write.q.val() + self.one.val()) & self.mask.val();
        }
        if self.pop.val() {
            self.read.d.next = bit_cast::<8, 8>(self.read.q.val() + self.one.val()) & self.mask.val();
        }
        if self.push.val() & !self.pop.val() {
            self.count.d.next = self.count.q.val() + self.one_9.val();
        }
        if self.pop.val() & !self.push.val() {
            self.count.d.next = self.count.q.val() - self.one_9.val();
        }
        // the word at `read` reaches the outputs a cycle after `read` points to it
        self.seen.d.next = !self.none.val() & !self.pop.val();
        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.count.d.next = 0.into();
            self.seen.d.next = false;
        }
        self.have.next = self.seen.q.val();
        self.empty.next = self.none.val();
        self.full.next = self.count.q.val() >= self.limit.val();
    }
}
