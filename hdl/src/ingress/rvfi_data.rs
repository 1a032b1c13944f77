//! Data beats of RVFI: the loads, stores, CSR reads and register writes of an instruction
//!
//! Used with [`super::rvfi`]: a scheme that traces values takes the beats of both, in the same cycle.
//!
//! # Source
//! RISC-V formal interface: <https://github.com/SymbioticEDA/riscv-formal> docs/rvfi.md, "Memory Access"; RISC-V
//! unprivileged ISA, chapter "Zicsr".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `rvfi.*` | in | | as in [`super::rvfi`], with the memory, CSR and register ports |
//! | `data` | out | | the data beat, see below |
//!
//! | port of [`DataOut`] | bits | meaning |
//! | --- | ---: | --- |
//! | `load`, `store` | 1 | memory was read; written. An atomic does both |
//! | `addr`, `size` | W, 2 | byte address; log2 of the number of bytes |
//! | `loaded`, `stored` | W | value read from memory; value written. Zero above `size`; 0 unless `load`, `store` |
//! | `csr`, `csr_addr` | 1, 12 | a CSR was read into a register, which then holds its old value; its number |
//! | `sets`, `rd`, `value` | 1, 5, W | an integer register other than x0 was written; its number; its new value |
//!
//! The bits of a mask may start at bit 0, with the exact address of the access, or, where the core aligns addresses, at the
//! bytes of the aligned word: the lowest bit set is the distance of the access from the address.
//!
//! # Timing
//! One instruction per cycle. The beat comes from registers, one cycle later.
//!
//! Golden model: [`retire::DataKind`]s, from which the bench makes the ports.

use crate::widget::bundle::bundle;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

bundle!(
    /// The data of one instruction.
    DataOut "DataIn" DataIn<W>
    {
        load: Bit,
        store: Bit,
        addr: Bits<W>,
        size: Bits<2>,
        loaded: Bits<W>,
        stored: Bits<W>,
        csr: Bit,
        csr_addr: Bits<12>,
        sets: Bit,
        rd: Bits<5>,
        value: Bits<W>,
    }
    {}
);

/// The pins of one RVFI channel, with its data. M = W / 8 bytes.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RvfiDataChannel<const W: usize, const M: usize> {
    pub valid: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub trap: Signal<In, Bit>,
    pub rd_addr: Signal<In, Bits<5>>,
    pub rd_wdata: Signal<In, Bits<W>>,
    pub mem_addr: Signal<In, Bits<W>>,
    pub mem_rmask: Signal<In, Bits<M>>,
    pub mem_wmask: Signal<In, Bits<M>>,
    pub mem_rdata: Signal<In, Bits<W>>,
    pub mem_wdata: Signal<In, Bits<W>>,
}

/// The adapter, for registers of W = `xlen` bits, M = W / 8 bytes.
#[derive(LogicBlock, Default)]
pub struct RvfiData<const W: usize, const M: usize> {
    pub clock: Signal<In, Clock>,
    pub rvfi: RvfiDataChannel<W, M>,
    pub data: DataOut<W>,
    retires: Signal<Local, Bit>,
    // byte lanes of the access, shifted down to bit 0, and the shift in bytes
    both: Signal<Local, Bits<M>>,
    lanes: Signal<Local, Bits<8>>,
    by_4: Signal<Local, Bits<8>>,
    by_2: Signal<Local, Bits<8>>,
    by_1: Signal<Local, Bits<8>>,
    offset: Signal<Local, Bits<3>>,
    bit_offset: Signal<Local, Bits<6>>,
    two: Signal<Local, Bit>,
    four: Signal<Local, Bit>,
    eight: Signal<Local, Bit>,
    size: Signal<Local, Bits<2>>,
    keep: Signal<Local, Bits<W>>,
    // CSR instruction
    opcode: Signal<Local, Bits<7>>,
    funct: Signal<Local, Bits<2>>,
    sets: Signal<Local, Bit>,
    // the beat
    load_2: DFF<Bit>,
    store_2: DFF<Bit>,
    addr_2: DFF<Bits<W>>,
    size_2: DFF<Bits<2>>,
    loaded_2: DFF<Bits<W>>,
    stored_2: DFF<Bits<W>>,
    csr_2: DFF<Bit>,
    csr_addr_2: DFF<Bits<12>>,
    sets_2: DFF<Bit>,
    rd_2: DFF<Bits<5>>,
    value_2: DFF<Bits<W>>,
    keep_1: Fixed<Bits<W>>,
    keep_2: Fixed<Bits<W>>,
    keep_4: Fixed<Bits<W>>,
    keep_8: Fixed<Bits<W>>,
    system: Fixed<Bits<7>>,
}

impl<const W: usize, const M: usize> RvfiData<W, M> {
    /// The adapter.
    ///
    /// # Panics
    /// Unless W is 32 or 64, and M = W / 8.
    pub fn new() -> Self {
        assert!(matches!(W, 32 | 64) && W == 8 * M, "W = {W}, M = {M}: 32 and 4, or 64 and 8 would be right");
        let keep = |bytes: u32| Fixed::of((u64::MAX >> (64 - 8 * bytes)) & (u64::MAX >> (64 - W)));
        Self {
            keep_1: keep(1),
            keep_2: keep(2),
            keep_4: keep(4),
            keep_8: keep(8),
            system: Fixed::of(0x73u8),
            ..Default::default()
        }
    }
}

impl<const W: usize, const M: usize> Logic for RvfiData<W, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, load_2, store_2, addr_2, size_2, loaded_2, stored_2);
        dff_setup!(self, clock, csr_2, csr_addr_2, sets_2, rd_2, value_2);
        self.retires.next = self.rvfi.valid.val() & !self.rvfi.trap.val();

        self.both.next = self.rvfi.mem_rmask.val() | self.rvfi.mem_wmask.val();
        self.lanes.next = bit_cast::<8, M>(self.both.val());
        self.offset.next = 0.into();
        self.by_4.next = self.lanes.val();
        if !self.lanes.val().get_bits::<4>(0).any() {
            self.by_4.next = self.lanes.val() >> 4;
            self.offset.next = self.offset.val() | 4;
        }
        self.by_2.next = self.by_4.val();
        if !self.by_4.val().get_bits::<2>(0).any() {
            self.by_2.next = self.by_4.val() >> 2;
            self.offset.next = self.offset.val() | 2;
        }
        self.by_1.next = self.by_2.val();
        if !self.by_2.val().get_bit(0) {
            self.by_1.next = self.by_2.val() >> 1;
            self.offset.next = self.offset.val() | 1;
        }
        self.bit_offset.next = bit_cast::<6, 3>(self.offset.val()) << 3;
        self.two.next = self.by_1.val().get_bit(1);
        self.four.next = self.by_1.val().get_bit(3);
        self.eight.next = self.by_1.val().get_bit(7);
        self.size.next = 0.into();
        self.keep.next = self.keep_1.val();
        if self.two.val() {
            self.size.next = 1.into();
            self.keep.next = self.keep_2.val();
        }
        if self.four.val() {
            self.size.next = 2.into();
            self.keep.next = self.keep_4.val();
        }
        if self.eight.val() {
            self.size.next = 3.into();
            self.keep.next = self.keep_8.val();
        }
        self.load_2.d.next = self.retires.val() & self.rvfi.mem_rmask.val().any();
        self.store_2.d.next = self.retires.val() & self.rvfi.mem_wmask.val().any();
        self.addr_2.d.next = self.rvfi.mem_addr.val() + bit_cast::<W, 3>(self.offset.val());
        self.size_2.d.next = self.size.val();
        self.loaded_2.d.next = 0.into();
        if self.rvfi.mem_rmask.val().any() {
            self.loaded_2.d.next = (self.rvfi.mem_rdata.val() >> self.bit_offset.val()) & self.keep.val();
        }
        self.stored_2.d.next = 0.into();
        if self.rvfi.mem_wmask.val().any() {
            self.stored_2.d.next = (self.rvfi.mem_wdata.val() >> self.bit_offset.val()) & self.keep.val();
        }

        self.sets.next = self.retires.val() & self.rvfi.rd_addr.val().any();
        self.sets_2.d.next = self.sets.val();
        self.rd_2.d.next = self.rvfi.rd_addr.val();
        self.value_2.d.next = self.rvfi.rd_wdata.val();
        self.opcode.next = self.rvfi.insn.val().get_bits::<7>(0);
        self.funct.next = self.rvfi.insn.val().get_bits::<2>(12);
        self.csr_2.d.next = self.sets.val() & (self.opcode.val() == self.system.val()) & self.funct.val().any();
        self.csr_addr_2.d.next = self.rvfi.insn.val().get_bits::<12>(20);

        self.data.load.next = self.load_2.q.val();
        self.data.store.next = self.store_2.q.val();
        self.data.addr.next = self.addr_2.q.val();
        self.data.size.next = self.size_2.q.val();
        self.data.loaded.next = self.loaded_2.q.val();
        self.data.stored.next = self.stored_2.q.val();
        self.data.csr.next = self.csr_2.q.val();
        self.data.csr_addr.next = self.csr_addr_2.q.val();
        self.data.sets.next = self.sets_2.q.val();
        self.data.rd.next = self.rd_2.q.val();
        self.data.value.next = self.value_2.q.val();
    }
}
