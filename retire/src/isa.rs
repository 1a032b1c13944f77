//! RISC-V control flow: effect of an instruction on the PC, from its encoding alone
//!
//! RV32 and RV64 with the C extension. Everything that is not a jump, branch or trap return is
//! sequential, whatever extension it belongs to.
//!
//! # Source
//! RISC-V unprivileged ISA, "Unconditional Jumps" (the link-register hint table for the RAS),
//! "Conditional Branches", chapter "C"; privileged ISA, "Trap-Return Instructions". Zcmp and Zcmt: unprivileged ISA, chapter
//! "Zc"; their classes: Efficient Trace for RISC-V, "Jump classification and target inference".

/// Control-flow class of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continues with the next instruction.
    Sequential,
    /// Direct conditional branch to `pc + offset`.
    Conditional {
        /// Signed byte offset.
        offset: i32,
    },
    /// Direct jump to `pc + offset`; `call` if it links x1 or x5.
    Jump {
        /// Signed byte offset.
        offset: i32,
        /// Pushes on the RAS.
        call: bool,
    },
    /// Indirect jump; the link-register hints determine the class.
    Indirect(Indirect),
    /// `mret` or `sret`.
    TrapReturn,
}

/// Classes of indirect jumps by their effect on the RAS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Indirect {
    /// No push, no pop: looks up the iBTB.
    Jump,
    /// Push, after a look-up of the iBTB.
    Call,
    /// Pop.
    Return,
    /// Pop, then push.
    CoSwap,
}

/// Length in bytes of the instruction whose lowest 16 bits are `low`: 2 or 4.
#[inline]
pub fn length(low: u16) -> u8 {
    if low & 3 == 3 {
        4
    } else {
        2
    }
}

fn is_link(reg: u32) -> bool {
    reg == 1 || reg == 5
}

/// Sign-extends the low `bits` of `v`.
fn sext(v: u32, bits: u32) -> i32 {
    ((v << (32 - bits)) as i32) >> (32 - bits)
}

fn indirect(rd: u32, rs1: u32) -> Flow {
    Flow::Indirect(match (is_link(rd), is_link(rs1)) {
        (false, false) => Indirect::Jump,
        (false, true) => Indirect::Return,
        (true, true) if rd != rs1 => Indirect::CoSwap,
        (true, _) => Indirect::Call,
    })
}

/// Control flow of an instruction of Zcmp or Zcmt; `None` for all other instructions.
///
/// With the D extension, these encodings are `c.fsdsp`. `cm.popret` and `cm.popretz` are returns; `cm.jt` is a jump and
/// `cm.jalt` a call whose targets are in a table that only the core sees.
pub fn zcm(insn: u32) -> Option<Indirect> {
    match (insn & 0xe003, insn >> 8 & 0x1f) {
        (0xa002, 0x1c | 0x1e) => Some(Indirect::Return),
        (0xa002, 0..=3) if insn & 0x380 == 0 => Some(Indirect::Jump),
        (0xa002, 0..=3) => Some(Indirect::Call),
        _ => None,
    }
}

/// As [`flow`], for a core that has Zcmp and Zcmt in place of `c.fsdsp` if `has_zcm`.
pub fn flow_with(insn: u32, xlen: u8, has_zcm: bool) -> Flow {
    zcm(insn).filter(|_| has_zcm).map_or_else(|| flow(insn, xlen), Flow::Indirect)
}

/// `mret`.
pub const MRET: u32 = 0x3020_0073;

/// Control flow of `insn` (a 2-byte instruction is in its low half). `xlen` is 32 or 64: `c.jal` exists only on RV32;
/// its encoding is `c.addiw` on RV64.
pub fn flow(insn: u32, xlen: u8) -> Flow {
    if insn & 3 == 3 {
        let rd = insn >> 7 & 31;
        let rs1 = insn >> 15 & 31;
        match insn & 0x7f {
            // BRANCH; funct3 2 and 3 are not defined
            0x63 if insn >> 13 & 3 != 1 => Flow::Conditional {
                offset: sext(
                    (insn >> 31 & 1) << 12 | (insn >> 7 & 1) << 11 | (insn >> 25 & 0x3f) << 5 | (insn >> 8 & 15) << 1,
                    13,
                ),
            },
            // JAL
            0x6f => Flow::Jump {
                offset: sext(
                    (insn >> 31 & 1) << 20
                        | (insn >> 12 & 0xff) << 12
                        | (insn >> 20 & 1) << 11
                        | (insn >> 21 & 0x3ff) << 1,
                    21,
                ),
                call: is_link(rd),
            },
            // JALR
            0x67 if insn >> 12 & 7 == 0 => indirect(rd, rs1),
            // SYSTEM: mret, sret
            0x73 if insn == MRET || insn == 0x1020_0073 => Flow::TrapReturn,
            _ => Flow::Sequential,
        }
    } else {
        let insn = insn & 0xffff;
        let rs1 = insn >> 7 & 31;
        match (insn & 3, insn >> 13) {
            // c.beqz, c.bnez
            (1, 6 | 7) => Flow::Conditional {
                offset: sext(
                    (insn >> 12 & 1) << 8
                        | (insn >> 5 & 3) << 6
                        | (insn >> 2 & 1) << 5
                        | (insn >> 10 & 3) << 3
                        | (insn >> 3 & 3) << 1,
                    9,
                ),
            },
            // c.j; c.jal on RV32
            (1, f @ (5 | 1)) if f == 5 || xlen == 32 => Flow::Jump {
                offset: sext(
                    (insn >> 12 & 1) << 11
                        | (insn >> 8 & 1) << 10
                        | (insn >> 9 & 3) << 8
                        | (insn >> 6 & 1) << 7
                        | (insn >> 7 & 1) << 6
                        | (insn >> 2 & 1) << 5
                        | (insn >> 11 & 1) << 4
                        | (insn >> 3 & 7) << 1,
                    12,
                ),
                call: f == 1,
            },
            // c.jr, c.jalr: rs2 = 0, rs1 != 0
            (2, 4) if insn >> 2 & 31 == 0 && rs1 != 0 => indirect(insn >> 12 & 1, rs1),
            _ => Flow::Sequential,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Encodings taken from `riscv64-unknown-elf-objdump` of hand-written assembly.
    /// Encodings of the specification's tables: funct3 101, op 10.
    #[test]
    fn zcm_has_returns_a_jump_table_and_calls_by_it() {
        assert_eq!(zcm(0xbe52), Some(Indirect::Return)); // cm.popret {ra, s0}, 16
        assert_eq!(zcm(0xbc52), Some(Indirect::Return)); // cm.popretz {ra, s0}, 16
        assert_eq!(zcm(0xa002), Some(Indirect::Jump)); // cm.jt 0
        assert_eq!(zcm(0xa07e), Some(Indirect::Jump)); // cm.jt 31
        assert_eq!(zcm(0xa082), Some(Indirect::Call)); // cm.jalt 32
        assert_eq!(zcm(0xa3fe), Some(Indirect::Call)); // cm.jalt 255
                                                       // cm.push, cm.pop, cm.mvsa01, cm.mva01s; c.fswsp; ret of 4 bytes with the same high half
        for other in [0xb852, 0xba52, 0xac22, 0xac62, 0xe002, 0xa002_8067] {
            assert_eq!(zcm(other), None, "{other:#x}");
        }
        assert_eq!(flow_with(0xbe52, 32, false), Flow::Sequential); // c.fsdsp
        assert_eq!(flow_with(0xbe52, 32, true), Flow::Indirect(Indirect::Return));
        assert_eq!(flow_with(0x8082, 32, true), Flow::Indirect(Indirect::Return));
    }

    #[test]
    fn link_register_hints_follow_the_table() {
        assert_eq!(flow(0x0000_8067, 32), Flow::Indirect(Indirect::Return)); // ret = jalr x0, 0(x1)
        assert_eq!(flow(0x0007_8067, 32), Flow::Indirect(Indirect::Jump)); // jr a5
        assert_eq!(flow(0x0007_80e7, 32), Flow::Indirect(Indirect::Call)); // jalr a5
        assert_eq!(flow(0x0000_80e7, 32), Flow::Indirect(Indirect::Call)); // jalr x1, 0(x1)
        assert_eq!(flow(0x0002_80e7, 32), Flow::Indirect(Indirect::CoSwap)); // jalr x1, 0(x5)
        assert_eq!(flow(0x8082, 32), Flow::Indirect(Indirect::Return)); // c.jr ra
        assert_eq!(flow(0x8782, 32), Flow::Indirect(Indirect::Jump)); // c.jr a5
        assert_eq!(flow(0x9782, 32), Flow::Indirect(Indirect::Call)); // c.jalr a5
        assert_eq!(flow(0x9282, 32), Flow::Indirect(Indirect::CoSwap)); // c.jalr t0
    }

    #[test]
    fn offsets_come_out_signed() {
        assert_eq!(flow(0xfe00_0ee3, 32), Flow::Conditional { offset: -4 }); // beqz zero, .-4
        assert_eq!(flow(0x0000_006f, 32), Flow::Jump { offset: 0, call: false }); // j .
        assert_eq!(flow(0xffdf_f0ef, 32), Flow::Jump { offset: -4, call: true }); // jal .-4
        assert_eq!(flow(0xa001, 32), Flow::Jump { offset: 0, call: false }); // c.j .
        assert_eq!(flow(0xbffd, 32), Flow::Jump { offset: -2, call: false }); // c.j .-2
        assert_eq!(flow(0xdffd, 32), Flow::Conditional { offset: -2 }); // c.beqz a5, .-2
        assert_eq!(flow(0x3ffd, 32), Flow::Jump { offset: -2, call: true }); // c.jal .-2
        assert_eq!(flow(0x3ffd, 64), Flow::Sequential); // c.addiw on RV64
    }

    #[test]
    fn system_instructions_are_sequential_but_for_trap_returns() {
        assert_eq!(flow(0x3020_0073, 32), Flow::TrapReturn);
        assert_eq!(flow(0x0000_0073, 32), Flow::Sequential); // ecall
        assert_eq!(flow(0x9002, 32), Flow::Sequential); // c.ebreak
        assert_eq!(flow(0x1050_0073, 32), Flow::Sequential); // wfi
    }
}
