//! Observer: what an event generator sees at a core's RVFI port
//!
//! Provides the beats of [`crate::ingress::rvfi`] and [`crate::ingress::rvfi_data`], and in addition stores through the
//! stack pointer, and traps with the address where they occurred.
//!
//! # Source
//! As for these two. `sw` with base x2 and `c.swsp`, on RV64 `sd` and `c.sdsp`: RISC-V unprivileged ISA, chapters "RV32I",
//! "RV64I" and "C".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `pins.rvfi*` | in | | see RVFI |
//! | `pins.cause` | in | 8 | cause of the trap before this instruction, if the core reports it; not part of RVFI |
//! | `reset` | in | 1 | 1: the next instruction is not the first after a reset, unless `first` is 1 |
//! | `first` | in | 1 | the instruction is the first after a reset of the core, see [`super::crossing`] |
//! | `now` | in | W | the current cycle; bits 31:0 count |
//! | `seen` | out | | see [`crate::diag::ports`] |
//!
//! A trap that an instruction took (`rvfi_trap`) is an exception, any other (`rvfi_intr`) an interrupt.
//!
//! # Timing
//! One instruction per cycle, at `seen` one cycle later.
//!
//! Golden models: `retire::isa::flow`, `sim::diag::shadow`.

use crate::diag::ports::SeenOut;
use crate::ingress::rvfi::Rvfi;
use crate::ingress::rvfi_data::{RvfiData, RvfiDataChannel};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The pins of a core that an observer reads, with addresses of W bits and M = W / 8 bytes.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct ObserverPins<const W: usize, const M: usize> {
    pub rvfi: RvfiDataChannel<W, M>,
    pub rvfi_intr: Signal<In, Bit>,
    pub rvfi_pc_rdata: Signal<In, Bits<W>>,
    pub rvfi_pc_wdata: Signal<In, Bits<W>>,
    pub cause: Signal<In, Bits<8>>,
}

/// An observer of a core of W bits, M = W / 8.
#[derive(LogicBlock, Default)]
pub struct Observer<const W: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub first: Signal<In, Bit>,
    pub now: Signal<In, Bits<W>>,
    pub pins: ObserverPins<W, M>,
    pub seen: SeenOut<W>,
    flow: Rvfi<W>,
    values: RvfiData<W, M>,
    now_2: DFF<Bits<W>>,
    first_2: DFF<Bit>,
    // the first instruction after a reset did not retire, as it trapped
    fresh: DFF<Bit>,
    is_first: Signal<Local, Bit>,
    // it is not after a trap, although the last instruction before the reset was
    no_trap_2: DFF<Bit>,
    xret_2: DFF<Bit>,
    through_2: DFF<Bit>,
    cause_2: DFF<Bits<9>>,
    came_2: DFF<Bits<W>>,
    // address at which the next trap would occur, and whether it is an exception
    next: DFF<Bits<W>>,
    trapped: DFF<Bit>,
    word_of_xret: Signal<Local, Bits<32>>,
    fields: Signal<Local, Bits<32>>,
    fields_c: Signal<Local, Bits<32>>,
    but_bit_29: Fixed<Bits<32>>,
    sret: Fixed<Bits<32>>,
    store_mask: Fixed<Bits<32>>,
    store: Fixed<Bits<32>>,
    store_c_mask: Fixed<Bits<32>>,
    store_c: Fixed<Bits<32>>,
}

impl<const W: usize, const M: usize> Observer<W, M> {
    /// An observer; `params` of a trace module set the widths only.
    pub fn new(params: &TraceParams) -> Self {
        Self {
            flow: Rvfi::new(params),
            values: RvfiData::new(),
            but_bit_29: Fixed::of(0xdfff_ffff_u64),
            sret: Fixed::of(0x1020_0073_u64),
            store_mask: Fixed::of(0x000f_f07f_u64),
            store: Fixed::of(if W == 64 { 0x0001_3023_u64 } else { 0x0001_2023 }),
            store_c_mask: Fixed::of(0xe003_u64),
            store_c: Fixed::of(if W == 64 { 0xe002_u64 } else { 0xc002 }),
            ..Default::default()
        }
    }
}

impl<const W: usize, const M: usize> Logic for Observer<W, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, now_2, first_2, fresh, no_trap_2, xret_2, through_2, cause_2, came_2, next, trapped);
        clock!(self, clock, flow, values);
        self.flow.port.reset.next = false;
        self.flow.port.live.next = true;
        self.flow.port.open.next = true;
        self.flow.port.pins.rvfi.valid.next = self.pins.rvfi.valid.val();
        self.flow.port.pins.rvfi.insn.next = self.pins.rvfi.insn.val();
        self.flow.port.pins.rvfi.trap.next = self.pins.rvfi.trap.val();
        self.flow.port.pins.rvfi.intr.next = self.pins.rvfi_intr.val();
        self.flow.port.hide.next = false;
        self.flow.port.mode.next = 0.into();
        self.flow.port.modes.next = 0.into();
        self.flow.port.space.next = 0.into();
        self.flow.port.first.next = 0.into();
        self.flow.port.last.next = 0.into();
        self.flow.port.wanted.next = 0.into();
        self.flow.port.mask.next = 0.into();
        self.flow.port.pins.rvfi.pc_rdata.next = self.pins.rvfi_pc_rdata.val();
        self.flow.port.pins.rvfi.pc_wdata.next = self.pins.rvfi_pc_wdata.val();
        RvfiDataChannel::<W, M>::link(&mut self.pins.rvfi, &mut self.values.rvfi);

        self.now_2.d.next = self.now.val();
        self.word_of_xret.next = self.pins.rvfi.insn.val() & self.but_bit_29.val();
        self.xret_2.d.next = self.word_of_xret.val() == self.sret.val();
        self.fields.next = self.pins.rvfi.insn.val() & self.store_mask.val();
        self.fields_c.next = self.pins.rvfi.insn.val() & self.store_c_mask.val();
        self.through_2.d.next = (self.fields.val() == self.store.val()) | (self.fields_c.val() == self.store_c.val());
        self.cause_2.d.next = bit_cast::<9, 8>(self.pins.cause.val());
        if !self.trapped.q.val() | self.first.val() {
            self.cause_2.d.next = bit_cast::<9, 8>(self.pins.cause.val()) | 256;
        }
        self.came_2.d.next = self.next.q.val();
        if self.first.val() {
            self.came_2.d.next = 0.into();
        }
        self.is_first.next = self.first.val() | self.fresh.q.val();
        self.first_2.d.next = self.is_first.val();
        self.no_trap_2.d.next = self.first.val() & !self.pins.rvfi_intr.val();
        if self.pins.rvfi.valid.val() {
            self.trapped.d.next = self.pins.rvfi.trap.val();
            self.fresh.d.next = self.is_first.val() & self.pins.rvfi.trap.val();
            self.next.d.next = self.pins.rvfi_pc_wdata.val();
            if self.pins.rvfi.trap.val() {
                self.next.d.next = self.pins.rvfi_pc_rdata.val();
            }
        }

        if self.reset.val() {
            self.fresh.d.next = false;
        }

        self.seen.valid.next = self.flow.port.beat.valid.val();
        self.seen.first.next = self.first_2.q.val();
        self.seen.now.next = self.now_2.q.val();
        self.seen.pc.next = self.flow.port.beat.pc.val() << 1;
        self.seen.target.next = self.flow.port.beat.target.val() << 1;
        self.seen.call.next = self.flow.port.beat.push.val();
        self.seen.back.next = self.flow.port.beat.pop.val();
        self.seen.xret.next = self.xret_2.q.val();
        self.seen.through_sp.next = self.through_2.q.val();
        self.seen.trap.next = self.flow.port.beat.intr.val() & !self.no_trap_2.q.val();
        self.seen.cause.next = self.cause_2.q.val();
        self.seen.came.next = self.came_2.q.val();
        self.seen.load.next = self.values.data.load.val();
        self.seen.store.next = self.values.data.store.val();
        self.seen.addr.next = self.values.data.addr.val();
        self.seen.size.next = self.values.data.size.val();
        self.seen.loaded.next = self.values.data.loaded.val();
        self.seen.stored.next = self.values.data.stored.val();
        self.seen.sets.next = self.values.data.sets.val();
        self.seen.rd.next = self.values.data.rd.val();
        self.seen.value.next = self.values.data.value.val();
    }
}
