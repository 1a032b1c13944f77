//! Access decoder: turns a core's ports into the accesses that the filters process
//!
//! # Source
//! RVFI: see [`crate::ingress::rvfi_data`]. `sc`: RISC-V unprivileged ISA, "A" extension. Which values are reported:
//! [`sim::scheme::cfiat`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `rvfi.*` | in | | as in [`crate::ingress::rvfi_data`] |
//! | `push` | out | 1 | the instruction accesses memory, or takes a value |
//! | `access` | out | 70 | the access, see [`super::queue`] |
//!
//! # Timing
//! One instruction per cycle. `push` and `access` come one cycle later.
//!
//! Golden model: [`sim::scheme::cfiat::model`].

use super::filter::{CONDITIONAL, LOAD, STORE, STORED, VALUE};
use super::queue::ACCESS;
use crate::ingress::rvfi_data::{RvfiData, RvfiDataChannel};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::cfiat::CfiatParams;

/// A decoder of the accesses of one core with RVFI.
#[derive(LogicBlock, Default)]
pub struct CfiatCore {
    pub clock: Signal<In, Clock>,
    pub rvfi: RvfiDataChannel<32, 4>,
    pub push: Signal<Out, Bit>,
    pub access: Signal<Out, Bits<70>>,
    memory: RvfiData<32, 4>,
    masked: Signal<Local, Bits<32>>,
    conditional: DFF<Bit>,
    // position of the access in RAM
    offset: Signal<Local, Bits<32>>,
    limit: Signal<Local, Bits<32>>,
    outside: Signal<Local, Bit>,
    // values that are not loads
    number: Signal<Local, Bits<12>>,
    open: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    fails: Signal<Local, Bit>,
    succeeds: Signal<Local, Bit>,
    stores: Signal<Local, Bit>,
    op: Signal<Local, Bits<3>>,
    size: Signal<Local, Bits<2>>,
    value: Signal<Local, Bits<32>>,
    base: Fixed<Bits<32>>,
    limit_1: Fixed<Bits<32>>,
    limit_2: Fixed<Bits<32>>,
    limit_4: Fixed<Bits<32>>,
    sc_mask: Fixed<Bits<32>>,
    sc_word: Fixed<Bits<32>>,
    csr_mcause: Fixed<Bits<12>>,
    csr_mtval: Fixed<Bits<12>>,
    csr_mip: Fixed<Bits<12>>,
    csr_mcycle: Fixed<Bits<12>>,
    csr_cycle: Fixed<Bits<12>>,
    csr_time: Fixed<Bits<12>>,
    but_high: Fixed<Bits<12>>,
    op_load: Fixed<Bits<3>>,
    op_store: Fixed<Bits<3>>,
    op_value: Fixed<Bits<3>>,
    op_stored: Fixed<Bits<3>>,
    op_conditional: Fixed<Bits<3>>,
    word: Fixed<Bits<2>>,
}

impl CfiatCore {
    /// The decoder for `params`.
    ///
    /// # Panics
    /// When [`CfiatParams::check`] refuses `params`, or they have no 32-bit memory of at least a word.
    pub fn new(params: &CfiatParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let last = params.ram_last - params.ram_base;
        assert!(params.xlen == 32 && last >= 3, "no circuit for 64 bits, nor for less than a word of memory");
        let limit = |bytes| Fixed::of(last + 1 - bytes);
        Self {
            memory: RvfiData::new(),
            base: Fixed::of(params.ram_base),
            limit_1: limit(1),
            limit_2: limit(2),
            limit_4: limit(4),
            // sc.w, whatever its registers and ordering bits
            sc_mask: Fixed::of(0xf800_707fu32),
            sc_word: Fixed::of(0x1800_202fu32),
            csr_mcause: Fixed::of(0x342u16),
            csr_mtval: Fixed::of(0x343u16),
            csr_mip: Fixed::of(0x344u16),
            csr_mcycle: Fixed::of(0xb00u16),
            csr_cycle: Fixed::of(0xc00u16),
            csr_time: Fixed::of(0xc01u16),
            but_high: Fixed::of(0xf7fu16),
            op_load: Fixed::of(LOAD),
            op_store: Fixed::of(STORE),
            op_value: Fixed::of(VALUE),
            op_stored: Fixed::of(STORED),
            op_conditional: Fixed::of(CONDITIONAL),
            word: Fixed::of(2u8),
            ..Default::default()
        }
    }
}

impl Logic for CfiatCore {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, conditional);
        self.memory.clock.next = self.clock.val();
        RvfiDataChannel::<32, 4>::link(&mut self.rvfi, &mut self.memory.rvfi);
        self.masked.next = self.rvfi.insn.val() & self.sc_mask.val();
        self.conditional.d.next =
            self.rvfi.valid.val() & !self.rvfi.trap.val() & (self.masked.val() == self.sc_word.val());

        self.offset.next = self.memory.data.addr.val() - self.base.val();
        self.limit.next = self.limit_4.val();
        if self.memory.data.size.val() == 0 {
            self.limit.next = self.limit_1.val();
        }
        if self.memory.data.size.val() == 1 {
            self.limit.next = self.limit_2.val();
        }
        self.outside.next = self.offset.val() > self.limit.val();

        self.number.next = self.memory.data.csr_addr.val() & self.but_high.val();
        self.open.next = (self.memory.data.csr_addr.val() == self.csr_mcause.val())
            | (self.memory.data.csr_addr.val() == self.csr_mtval.val())
            | (self.memory.data.csr_addr.val() == self.csr_mip.val())
            | (self.number.val() == self.csr_mcycle.val())
            | (self.number.val() == self.csr_cycle.val())
            | (self.number.val() == self.csr_time.val());
        self.reads.next = self.memory.data.csr.val() & self.open.val();
        self.fails.next = self.conditional.q.val() & !self.memory.data.store.val();
        self.succeeds.next = self.conditional.q.val() & self.memory.data.store.val();
        self.stores.next = self.memory.data.store.val() & !self.outside.val();

        self.op.next = self.op_store.val();
        self.size.next = self.memory.data.size.val();
        self.value.next = self.memory.data.loaded.val();
        if self.memory.data.load.val() {
            self.op.next = self.op_load.val();
            if self.outside.val() {
                self.op.next = self.op_value.val();
            }
        }
        if self.succeeds.val() {
            self.op.next = self.op_conditional.val();
            if self.outside.val() {
                self.op.next = self.op_stored.val();
            }
        }
        if self.fails.val() {
            self.op.next = self.op_value.val();
            self.size.next = self.word.val();
            self.value.next = 1.into();
        }
        if self.reads.val() {
            self.op.next = self.op_value.val();
            self.size.next = self.word.val();
            self.value.next = self.memory.data.value.val();
        }
        self.push.next = self.memory.data.load.val() | self.stores.val() | self.conditional.q.val() | self.reads.val();
        self.access.next = bit_cast::<70, 3>(self.op.val())
            | (bit_cast::<70, 1>(self.stores.val().into()) << 3)
            | (bit_cast::<70, 2>(self.size.val()) << 4)
            | (bit_cast::<70, 32>(self.memory.data.addr.val()) << 6)
            | (bit_cast::<70, 32>(self.value.val()) << 38);
    }
}

/// The width of an access is that of its fields.
const _: () = assert!(ACCESS == 3 + 1 + 2 + 32 + 32);
