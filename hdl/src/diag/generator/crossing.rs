//! Clock crossing of a core: what it retires, from its own clock to that of the chip
//!
//! A FIFO of eight entries in memory. One of four, as [`crate::bus::crossing`] has, passes four words in six cycles
//! between clocks of the same rate: too few for a core that retires an instruction in each cycle.
//!
//! # Source
//! C. E. Cummings, "Simulation and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002: Gray pointers through
//! two flip-flops, full and empty by comparison of Gray codes.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `core_clock`, `core_reset` | in | 1 | of the core |
//! | `pins` | in | | what the core retires, see [`super::observer`], in the domain of `core_clock`; ignored while `core_reset` is 1 |
//! | `clock`, `reset` | in | 1 | of the chip |
//! | `retired` | out | | the same, each instruction for one cycle, in the domain of `clock`; `first`: it is the first after `core_reset` |
//! | `overrun` | out | 1 | an instruction found no free entry; 1 until `reset`, in the domain of `clock` |
//!
//! # Resets
//! Each side can be reset alone, by an edge of its clock with its reset. At power-up, `reset` is needed, for at least six
//! edges of both clocks.
//!
//! `core_reset` changes nothing in the FIFO: instructions that retired before it still pass. `reset` empties it. For
//! this, `request` is 1 until the core's side has seen it. While `requested` is 1, the core's side takes nothing and is at
//! entry 0; when the other side has seen its fall, instructions pass again. `reset` must not begin again while `request`
//! falls, which takes at most three edges of `core_clock` and three of `clock`.
//!
//! # Timing
//! An instruction is at `retired` after the second or third edge of `clock` after the core's, if none waits before it; an
//! instruction is taken in each cycle of `clock`. If `clock` is at least as fast as `core_clock`, there is always a free
//! entry. `overrun` is at most one cycle later than the first instruction after the missing one. If a core starts with the end of
//! `reset`, its instructions pass from its fifth cycle on; the first ones wait for up to five cycles of `clock`.
//!
//! Timing constraints: paths from the Gray pointers, from `missing`, `request`, `requested` and from the memories to the
//! other clock domain must be shorter than one period of that clock. Nothing else crosses between the clocks.
//!
//! Golden model: `sim::diag::crossing`.

use super::observer::ObserverPins;
use crate::widget::bundle::bundle;
use crate::widget::cross_mem::CrossMem;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

bundle!(
    /// The pins of a core, in another clock domain.
    RetiredOut "RetiredIn" RetiredIn<W, M>
    {
        valid: Bit,
        insn: Bits<32>,
        trap: Bit,
        intr: Bit,
        pc_rdata: Bits<W>,
        pc_wdata: Bits<W>,
        rd_addr: Bits<5>,
        rd_wdata: Bits<W>,
        mem_addr: Bits<W>,
        mem_rmask: Bits<M>,
        mem_wmask: Bits<M>,
        mem_rdata: Bits<W>,
        mem_wdata: Bits<W>,
        cause: Bits<8>,
        first: Bit,
    }
    { }
);

/// The clock crossing of an RV32 core.
pub type CoreCrossing = Crossing<32, 4, 107, 37, 104>;

/// The clock crossing of a core with addresses of W bits and M = W / 8. Its entries have F = 2 W + 43 bits of the instruction,
/// R = W + 5 of the register that it writes, and A = 3 W + 2 M of its access to memory.
#[derive(LogicBlock, Default)]
pub struct Crossing<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> {
    pub core_clock: Signal<In, Clock>,
    pub core_reset: Signal<In, Bit>,
    pub pins: ObserverPins<W, M>,
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub retired: RetiredOut<W, M>,
    pub overrun: Signal<Out, Bit>,
    // entries: the instruction and its addresses; the register that it writes; its access to memory. A lite generator
    // needs the first only
    flow: CrossMem<3, F>,
    register: CrossMem<3, R>,
    access: CrossMem<3, A>,
    // domain of `core_clock`: entries written, in binary and Gray code; entries read, two edges late; an instruction is
    // missing; the next instruction is the first after a reset; the chip requests an empty FIFO
    written: DFF<Bits<4>>,
    written_gray: DFF<Bits<4>>,
    read_near: DFF<Bits<4>>,
    read_here: DFF<Bits<4>>,
    missing: DFF<Bit>,
    first: DFF<Bit>,
    request_near: DFF<Bit>,
    requested: DFF<Bit>,
    // domain of `clock`: the same from the other side
    read: DFF<Bits<4>>,
    read_gray: DFF<Bits<4>>,
    written_near: DFF<Bits<4>>,
    written_here: DFF<Bits<4>>,
    missing_near: DFF<Bit>,
    missing_here: DFF<Bit>,
    request: DFF<Bit>,
    seen_near: DFF<Bit>,
    seen_here: DFF<Bit>,
    was_seen: DFF<Bit>,
    retires: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    then: Signal<Local, Bits<4>>,
    there: Signal<Local, Bit>,
    next: Signal<Local, Bits<4>>,
    flow_word: Signal<Local, Bits<F>>,
    register_word: Signal<Local, Bits<R>>,
    access_word: Signal<Local, Bits<A>>,
    // the bits of the Gray pointers that differ when the FIFO is full
    full_mask: Fixed<Bits<4>>,
    one: Fixed<Bits<4>>,
    // 1 for the width of the core, 0 for the other one
    _narrow: usize,
    _wide: usize,
}

impl<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> Crossing<W, M, F, R, A> {
    /// An empty crossing.
    ///
    /// # Panics
    /// Unless the widths are those of an RV32 or RV64 core.
    pub fn new() -> Self {
        let right = matches!((W, M), (32, 4) | (64, 8)) && (F, R, A) == (2 * W + 43, W + 5, 3 * W + 2 * M);
        assert!(right, "W = {W}, M = {M}, F = {F}, R = {R}, A = {A} are no widths of a core");
        Self {
            full_mask: Fixed::new(12.into()),
            one: Fixed::new(1.into()),
            _narrow: usize::from(W == 32),
            _wide: usize::from(W == 64),
            ..Default::default()
        }
    }
}

impl<const W: usize, const M: usize, const F: usize, const R: usize, const A: usize> Logic for Crossing<W, M, F, R, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            core_clock,
            written,
            written_gray,
            read_near,
            read_here,
            missing,
            first,
            request_near,
            requested
        );
        dff_setup!(
            self,
            clock,
            read,
            read_gray,
            written_near,
            written_here,
            missing_near,
            missing_here,
            request,
            seen_near,
            seen_here,
            was_seen
        );

        // write
        self.read_near.d.next = self.read_gray.q.val();
        self.read_here.d.next = self.read_near.q.val();
        self.request_near.d.next = self.request.q.val();
        self.requested.d.next = self.request_near.q.val();
        self.retires.next = self.pins.rvfi.valid.val() & !self.core_reset.val() & !self.requested.q.val();
        self.full.next = self.written_gray.q.val() == (self.read_here.q.val() ^ self.full_mask.val());
        self.push.next = self.retires.val() & !self.full.val();
        self.then.next = self.written.q.val();
        if self.push.val() {
            self.then.next = self.written.q.val() + self.one.val();
        }
        if self.requested.q.val() {
            self.then.next = 0.into();
        }
        self.written.d.next = self.then.val();
        self.written_gray.d.next = self.then.val() ^ (self.then.val() >> 1);
        self.missing.d.next = !self.requested.q.val() & (self.missing.q.val() | (self.retires.val() & self.full.val()));
        self.first.d.next = (self.first.q.val() & !self.push.val()) | self.core_reset.val() | self.requested.q.val();
        self.flow.wclock.next = self.core_clock.val();
        self.register.wclock.next = self.core_clock.val();
        self.access.wclock.next = self.core_clock.val();
        self.flow.we.next = self.push.val();
        self.register.we.next = self.push.val();
        self.access.we.next = self.push.val();
        self.flow.waddr.next = self.written.q.val().get_bits::<3>(0);
        self.register.waddr.next = self.written.q.val().get_bits::<3>(0);
        self.access.waddr.next = self.written.q.val().get_bits::<3>(0);
        for _n in 0..self._narrow {
            self.flow_word.next = bit_cast::<F, 32>(self.pins.rvfi.insn.val())
                | (bit_cast::<F, W>(self.pins.rvfi_pc_rdata.val()) << 32)
                | (bit_cast::<F, W>(self.pins.rvfi_pc_wdata.val()) << 64)
                | (bit_cast::<F, 8>(self.pins.cause.val()) << 96)
                | (bit_cast::<F, 1>(self.pins.rvfi.trap.val().into()) << 104)
                | (bit_cast::<F, 1>(self.pins.rvfi_intr.val().into()) << 105)
                | (bit_cast::<F, 1>(self.first.q.val().into()) << 106);
            self.register_word.next = bit_cast::<R, W>(self.pins.rvfi.rd_wdata.val())
                | (bit_cast::<R, 5>(self.pins.rvfi.rd_addr.val()) << 32);
            self.access_word.next = bit_cast::<A, W>(self.pins.rvfi.mem_addr.val())
                | (bit_cast::<A, W>(self.pins.rvfi.mem_rdata.val()) << 32)
                | (bit_cast::<A, W>(self.pins.rvfi.mem_wdata.val()) << 64)
                | (bit_cast::<A, M>(self.pins.rvfi.mem_rmask.val()) << 96)
                | (bit_cast::<A, M>(self.pins.rvfi.mem_wmask.val()) << 100);
        }
        for _n in 0..self._wide {
            self.flow_word.next = bit_cast::<F, 32>(self.pins.rvfi.insn.val())
                | (bit_cast::<F, W>(self.pins.rvfi_pc_rdata.val()) << 32)
                | (bit_cast::<F, W>(self.pins.rvfi_pc_wdata.val()) << 96)
                | (bit_cast::<F, 8>(self.pins.cause.val()) << 160)
                | (bit_cast::<F, 1>(self.pins.rvfi.trap.val().into()) << 168)
                | (bit_cast::<F, 1>(self.pins.rvfi_intr.val().into()) << 169)
                | (bit_cast::<F, 1>(self.first.q.val().into()) << 170);
            self.register_word.next = bit_cast::<R, W>(self.pins.rvfi.rd_wdata.val())
                | (bit_cast::<R, 5>(self.pins.rvfi.rd_addr.val()) << 64);
            self.access_word.next = bit_cast::<A, W>(self.pins.rvfi.mem_addr.val())
                | (bit_cast::<A, W>(self.pins.rvfi.mem_rdata.val()) << 64)
                | (bit_cast::<A, W>(self.pins.rvfi.mem_wdata.val()) << 128)
                | (bit_cast::<A, M>(self.pins.rvfi.mem_rmask.val()) << 192)
                | (bit_cast::<A, M>(self.pins.rvfi.mem_wmask.val()) << 200);
        }
        self.flow.wdata.next = self.flow_word.val();
        self.register.wdata.next = self.register_word.val();
        self.access.wdata.next = self.access_word.val();

        // read: the next entry is in `rdata` when it is known to be written
        self.written_near.d.next = self.written_gray.q.val();
        self.written_here.d.next = self.written_near.q.val();
        self.seen_near.d.next = self.requested.q.val();
        self.seen_here.d.next = self.seen_near.q.val();
        self.was_seen.d.next = self.seen_here.q.val();
        self.request.d.next = self.request.q.val() & !self.seen_here.q.val();
        self.closed.next = self.request.q.val() | self.was_seen.q.val();
        self.there.next = (self.written_here.q.val() != self.read_gray.q.val()) & !self.closed.val();
        self.next.next = self.read.q.val();
        if self.there.val() {
            self.next.next = self.read.q.val() + self.one.val();
        }
        if self.closed.val() {
            self.next.next = 0.into();
        }
        self.read.d.next = self.next.val();
        self.read_gray.d.next = self.next.val() ^ (self.next.val() >> 1);
        self.missing_near.d.next = self.missing.q.val();
        self.missing_here.d.next = self.missing_near.q.val() & !self.closed.val();
        if self.reset.val() {
            self.read.d.next = 0.into();
            self.read_gray.d.next = 0.into();
            self.written_near.d.next = 0.into();
            self.written_here.d.next = 0.into();
            self.missing_near.d.next = false;
            self.missing_here.d.next = false;
            self.request.d.next = true;
        }
        self.flow.rclock.next = self.clock.val();
        self.register.rclock.next = self.clock.val();
        self.access.rclock.next = self.clock.val();
        self.flow.raddr.next = self.next.val().get_bits::<3>(0);
        self.register.raddr.next = self.next.val().get_bits::<3>(0);
        self.access.raddr.next = self.next.val().get_bits::<3>(0);

        self.overrun.next = self.missing_here.q.val();
        self.retired.valid.next = self.there.val();
        self.retired.insn.next = self.flow.rdata.val().get_bits::<32>(0);
        for _n in 0..self._narrow {
            self.retired.pc_rdata.next = self.flow.rdata.val().get_bits::<W>(32);
            self.retired.pc_wdata.next = self.flow.rdata.val().get_bits::<W>(64);
            self.retired.cause.next = self.flow.rdata.val().get_bits::<8>(96);
            self.retired.trap.next = self.flow.rdata.val().get_bit(104);
            self.retired.intr.next = self.flow.rdata.val().get_bit(105);
            self.retired.first.next = self.flow.rdata.val().get_bit(106);
            self.retired.rd_wdata.next = self.register.rdata.val().get_bits::<W>(0);
            self.retired.rd_addr.next = self.register.rdata.val().get_bits::<5>(32);
            self.retired.mem_addr.next = self.access.rdata.val().get_bits::<W>(0);
            self.retired.mem_rdata.next = self.access.rdata.val().get_bits::<W>(32);
            self.retired.mem_wdata.next = self.access.rdata.val().get_bits::<W>(64);
            self.retired.mem_rmask.next = self.access.rdata.val().get_bits::<M>(96);
            self.retired.mem_wmask.next = self.access.rdata.val().get_bits::<M>(100);
        }
        for _n in 0..self._wide {
            self.retired.pc_rdata.next = self.flow.rdata.val().get_bits::<W>(32);
            self.retired.pc_wdata.next = self.flow.rdata.val().get_bits::<W>(96);
            self.retired.cause.next = self.flow.rdata.val().get_bits::<8>(160);
            self.retired.trap.next = self.flow.rdata.val().get_bit(168);
            self.retired.intr.next = self.flow.rdata.val().get_bit(169);
            self.retired.first.next = self.flow.rdata.val().get_bit(170);
            self.retired.rd_wdata.next = self.register.rdata.val().get_bits::<W>(0);
            self.retired.rd_addr.next = self.register.rdata.val().get_bits::<5>(64);
            self.retired.mem_addr.next = self.access.rdata.val().get_bits::<W>(0);
            self.retired.mem_rdata.next = self.access.rdata.val().get_bits::<W>(64);
            self.retired.mem_wdata.next = self.access.rdata.val().get_bits::<W>(128);
            self.retired.mem_rmask.next = self.access.rdata.val().get_bits::<M>(192);
            self.retired.mem_wmask.next = self.access.rdata.val().get_bits::<M>(200);
        }
    }
}
