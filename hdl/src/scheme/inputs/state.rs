//! Core state: tracks the state of a core from reset on, to be sent where a recording begins in the middle of a run
//!
//! # Source
//! [`sim::scheme::inputs::start`]. Traps and `mtvec`: RISC-V privileged ISA, "Machine-Mode CSRs".
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `reset` | in | 1 | | reset of the cores: nothing has retired |
//! | `valid`, `insn`, `target` | in | 1, 32, 32 | S0 | an instruction is at the port; its bits, and the address of the next one |
//! | `traps` | in | 1 | S0 | it traps, and does not retire |
//! | `trap`, `interrupt`, `cause` | in | 1, 1, 4 | S0 | a trap is reported; see [`super::core`] |
//! | `sets`, `rd`, `value` | in | 1, 5, 32 | S1 | a register other than x0 is written |
//! | `item` | in | 6 | S0 | the requested item: 0 the pc, 1 to 31 a register, 32 `mtvec`; nothing retires then |
//! | `sends_item` | in | 1 | S0 | `item` is requested |
//! | `state` | out | 32 | S1 | its value |
//!
//! # Timing
//! One instruction per cycle. A register is in memory one cycle after S1; one that is read in this cycle is forwarded from the
//! write.
//!
//! Golden model: `CoreState` of [`sim::riscv`], which the bench derives from the ports.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::riscv::Profile;
use sim::scheme::inputs::start;
use sim::scheme::inputs::InputsParams;

/// The item after the registers.
pub const MTVEC: u8 = 32;

/// The tracked state of one core.
#[derive(LogicBlock, Default)]
pub struct TrackedState {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub insn: Signal<In, Bits<32>>,
    pub target: Signal<In, Bits<32>>,
    pub traps: Signal<In, Bit>,
    pub trap: Signal<In, Bit>,
    pub interrupt: Signal<In, Bit>,
    pub cause: Signal<In, Bits<4>>,
    pub sets: Signal<In, Bit>,
    pub rd: Signal<In, Bits<5>>,
    pub value: Signal<In, Bits<32>>,
    pub item: Signal<In, Bits<6>>,
    pub sends_item: Signal<In, Bit>,
    pub state: Signal<Out, Bits<32>>,
    valid_1: DFF<Bit>,
    insn_1: DFF<Bits<32>>,
    next_1: DFF<Bits<32>>,
    trap_1: DFF<Bit>,
    interrupt_1: DFF<Bit>,
    cause_1: DFF<Bits<4>>,
    registers: Mem<5, 32>,
    read: Signal<Local, Bits<5>>,
    read_1: DFF<Bits<5>>,
    item_1: DFF<Bits<6>>,
    same_1: DFF<Bit>,
    new_1: DFF<Bits<32>>,
    held: Signal<Local, Bits<32>>,
    // registers that were written
    written: DFF<Bits<32>>,
    sets_1: Signal<Local, Bit>,
    mark: Signal<Local, Bits<32>>,
    marks: Signal<Local, Bits<32>>,
    known: Signal<Local, Bit>,
    pc: DFF<Bits<32>>,
    base: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<32>>,
    // mtvec
    mtvec: DFF<Bits<32>>,
    is_mtvec: Signal<Local, Bit>,
    funct: Signal<Local, Bits<2>>,
    operand: Signal<Local, Bits<32>>,
    csr_mtvec: Fixed<Bits<12>>,
    system: Fixed<Bits<7>>,
    one: Fixed<Bits<32>>,
    base_mask: Fixed<Bits<32>>,
    // interrupts are always vectored; they are never vectored
    by_cause: Fixed<Bits<1>>,
    direct: Fixed<Bits<1>>,
    item_mtvec: Fixed<Bits<6>>,
}

impl TrackedState {
    /// The state of cores with the profile of `params`.
    pub fn new(params: &InputsParams) -> Self {
        let (base_mask, by_cause, direct) = match params.profile {
            Profile::Plain => (!3u32, 0u8, 0u8),
            Profile::Ibex => (!0xffu32, 1, 0),
            // all traps go to the base address
            Profile::Vexriscv => (!3u32, 0, 1),
        };
        Self {
            csr_mtvec: Fixed::of(start::MTVEC),
            system: Fixed::of(0x73u8),
            one: Fixed::of(1u8),
            base_mask: Fixed::of(base_mask),
            by_cause: Fixed::of(by_cause),
            direct: Fixed::of(direct),
            item_mtvec: Fixed::of(MTVEC),
            ..Default::default()
        }
    }
}

impl Logic for TrackedState {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid_1, insn_1, next_1, trap_1, interrupt_1, cause_1);
        dff_setup!(self, clock, read_1, item_1, same_1, new_1, written, pc, mtvec);
        clock!(self, clock, registers);

        // S0: a register is read, for `mtvec` or to be sent
        self.valid_1.d.next = self.valid.val() & !self.traps.val();
        self.insn_1.d.next = self.insn.val();
        self.next_1.d.next = self.target.val();
        self.trap_1.d.next = self.trap.val() | (self.valid.val() & self.traps.val());
        self.interrupt_1.d.next = self.trap.val() & self.interrupt.val();
        self.cause_1.d.next = self.cause.val();
        self.read.next = self.insn.val().get_bits::<5>(15);
        if self.sends_item.val() {
            self.read.next = self.item.val().get_bits::<5>(0);
        }
        self.registers.raddr.next = self.read.val();
        self.read_1.d.next = self.read.val();
        self.item_1.d.next = self.item.val();

        // S1: writes
        self.sets_1.next = self.sets.val() & self.valid_1.q.val();
        self.registers.we.next = self.sets_1.val();
        self.registers.waddr.next = self.rd.val();
        self.registers.wdata.next = self.value.val();
        self.same_1.d.next = self.sets_1.val() & (self.rd.val() == self.read.val());
        self.new_1.d.next = self.value.val();
        self.mark.next = self.one.val() << self.rd.val();
        if self.sets_1.val() {
            self.written.d.next = self.written.q.val() | self.mark.val();
        }
        self.held.next = self.registers.rdata.val();
        if self.same_1.q.val() {
            self.held.next = self.new_1.q.val();
        }
        self.marks.next = self.written.q.val() >> self.read_1.q.val();
        self.known.next = self.marks.val().get_bit(0);
        if !self.known.val() {
            self.held.next = 0.into();
        }

        // `csrrw`, `csrrs`, `csrrc` of mtvec, of a register or an immediate
        self.funct.next = self.insn_1.q.val().get_bits::<2>(12);
        self.is_mtvec.next = self.valid_1.q.val()
            & (self.insn_1.q.val().get_bits::<7>(0) == self.system.val())
            & (self.insn_1.q.val().get_bits::<12>(20) == self.csr_mtvec.val());
        self.operand.next = self.held.val();
        if self.insn_1.q.val().get_bit(14) {
            self.operand.next = bit_cast::<32, 5>(self.insn_1.q.val().get_bits::<5>(15));
        }
        if self.is_mtvec.val() & (self.funct.val() == 1) {
            self.mtvec.d.next = self.operand.val();
        }
        if self.is_mtvec.val() & (self.funct.val() == 2) {
            self.mtvec.d.next = self.mtvec.q.val() | self.operand.val();
        }
        if self.is_mtvec.val() & (self.funct.val() == 3) {
            self.mtvec.d.next = self.mtvec.q.val() & !self.operand.val();
        }

        // the pc
        self.base.next = self.mtvec.q.val() & self.base_mask.val();
        self.offset.next = 0.into();
        if self.interrupt_1.q.val()
            & ((self.mtvec.q.val().get_bit(0) & !self.direct.val().any()) | self.by_cause.val().any())
        {
            self.offset.next = bit_cast::<32, 4>(self.cause_1.q.val()) << 2;
        }
        if self.valid_1.q.val() {
            self.pc.d.next = self.next_1.q.val();
        }
        if self.trap_1.q.val() {
            self.pc.d.next = self.base.val() + self.offset.val();
        }

        self.state.next = self.held.val();
        if self.item_1.q.val() == 0 {
            self.state.next = self.pc.q.val();
        }
        if self.item_1.q.val() == self.item_mtvec.val() {
            self.state.next = self.mtvec.q.val();
        }

        if self.reset.val() {
            self.valid_1.d.next = false;
            self.trap_1.d.next = false;
            self.written.d.next = 0.into();
            self.pc.d.next = 0.into();
            self.mtvec.d.next = 0.into();
        }
    }
}
