//! Class: converts an instruction that a core has expanded back to a compressed form
//!
//! # Source
//! RISC-V unprivileged ISA, chapters "C" and 2.5: forms, and the hints of link registers.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `insn` | in | 32 | a 4-byte instruction |
//! | `compressed` | in | 1 | the instruction is compressed in the program |
//! | `short` | out | 32 | `insn`, or if compressed, a 2-byte instruction of the same class and link registers in the low half |
//!
//! # Timing
//! Combinational.

use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The instruction in the form that a trace system takes.
#[derive(LogicBlock, Default)]
pub struct Class {
    pub insn: Signal<In, Bits<32>>,
    pub compressed: Signal<In, Bit>,
    pub short: Signal<Out, Bits<32>>,
    opcode: Signal<Local, Bits<7>>,
    rd: Signal<Local, Bits<5>>,
    rs1: Signal<Local, Bits<5>>,
    form: Signal<Local, Bits<16>>,
    register: Signal<Local, Bits<16>>,
}

impl Logic for Class {
    #[hdl_gen]
    fn update(&mut self) {
        // c.nop, c.beqz, c.j or c.jal, c.jr or c.jalr
        self.opcode.next = self.insn.val().get_bits::<7>(0);
        self.rd.next = self.insn.val().get_bits::<5>(7);
        self.rs1.next = self.insn.val().get_bits::<5>(15);
        self.register.next = bit_cast::<16, 5>(self.rs1.val()) << 7;
        self.form.next = 0x0001_u64.into();
        if self.opcode.val() == 0x63 {
            self.form.next = 0xc001_u64.into();
        }
        if self.opcode.val() == 0x6f {
            self.form.next = 0xa001_u64.into();
            if self.rd.val() == 1 {
                self.form.next = 0x2001_u64.into();
            }
        }
        if self.opcode.val() == 0x67 {
            self.form.next = self.register.val() | 0x8002_u64.to_bits::<16>();
            if self.rd.val() == 1 {
                self.form.next = self.register.val() | 0x9002_u64.to_bits::<16>();
            }
        }
        self.short.next = self.insn.val();
        if self.compressed.val() {
            self.short.next = bit_cast::<32, 16>(self.form.val());
        }
    }
}
