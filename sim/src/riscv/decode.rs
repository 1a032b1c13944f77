//! RV32IMAC + Zicsr + Zifencei decoder: instruction bits to compact operations
//!
//! # Source
//! RISC-V unprivileged ISA: chapters RV32I, M, A, C, Zicsr, Zifencei; privileged ISA for `mret`, `wfi`.

/// What an operation does. The order groups control flow at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
#[repr(u8)]
#[allow(missing_docs)] // the instructions' own names
pub enum Code {
    /// Not decoded yet.
    #[default]
    None,
    Illegal,
    Lui,
    Auipc,
    Addi,
    Slti,
    Sltiu,
    Xori,
    Ori,
    Andi,
    Slli,
    Srli,
    Srai,
    Add,
    Sub,
    Sll,
    Slt,
    Sltu,
    Xor,
    Srl,
    Sra,
    Or,
    And,
    Mul,
    Mulh,
    Mulhsu,
    Mulhu,
    Div,
    Divu,
    Rem,
    Remu,
    Lb,
    Lh,
    Lw,
    Lbu,
    Lhu,
    Sb,
    Sh,
    Sw,
    Lr,
    Sc,
    AmoSwap,
    AmoAdd,
    AmoXor,
    AmoAnd,
    AmoOr,
    AmoMin,
    AmoMax,
    AmoMinu,
    AmoMaxu,
    Fence,
    FenceI,
    Csrrw,
    Csrrs,
    Csrrc,
    Csrrwi,
    Csrrsi,
    Csrrci,
    Ecall,
    Ebreak,
    Wfi,
    Mret,
    Jal,
    Jalr,
    Beq,
    Bne,
    Blt,
    Bge,
    Bltu,
    Bgeu,
}

/// One decoded instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    /// What to do.
    pub code: Code,
    /// Destination register; 32, a scratch place, for x0.
    pub rd: u8,
    /// First source register; the 5-bit immediate of `csrr*i`.
    pub rs1: u8,
    /// Second source register.
    pub rs2: u8,
    /// Immediate, offset, shift amount or CSR number; the bits of an illegal instruction.
    pub imm: i32,
    /// Length, bytes.
    pub len: u8,
}

/// Where writes to x0 go.
pub const SINK: u8 = 32;

fn rd(r: u32) -> u8 {
    if r == 0 {
        SINK
    } else {
        r as u8
    }
}

fn sext(v: u32, bits: u32) -> i32 {
    ((v << (32 - bits)) as i32) >> (32 - bits)
}

fn op(code: Code, d: u32, rs1: u32, rs2: u32, imm: i32) -> Op {
    Op { code, rd: rd(d), rs1: rs1 as u8, rs2: rs2 as u8, imm, len: 4 }
}

fn illegal(insn: u32, len: u8) -> Op {
    Op { imm: insn as i32, len, ..op(Code::Illegal, 0, 0, 0, 0) }
}

/// Decodes `insn`; for a 2-byte instruction its low half.
pub fn decode(insn: u32) -> Op {
    if insn & 3 == 3 {
        decode32(insn)
    } else {
        Op { len: 2, ..decode16(insn & 0xffff) }
    }
}

fn decode32(i: u32) -> Op {
    use Code::*;
    let (d, f3, s1, s2, f7) = (i >> 7 & 31, i >> 12 & 7, i >> 15 & 31, i >> 20 & 31, i >> 25);
    let imm_i = (i as i32) >> 20;
    let imm_s = sext(f7 << 5 | d, 12);
    let imm_b = sext((i >> 31) << 12 | (i >> 7 & 1) << 11 | (i >> 25 & 63) << 5 | (i >> 8 & 15) << 1, 13);
    let imm_j = sext((i >> 31) << 20 | (i >> 12 & 255) << 12 | (i >> 20 & 1) << 11 | (i >> 21 & 1023) << 1, 21);
    let bad = illegal(i, 4);
    match i & 0x7f {
        0x37 => op(Lui, d, 0, 0, (i & 0xffff_f000) as i32),
        0x17 => op(Auipc, d, 0, 0, (i & 0xffff_f000) as i32),
        0x6f => op(Jal, d, 0, 0, imm_j),
        0x67 if f3 == 0 => op(Jalr, d, s1, 0, imm_i),
        0x63 => match f3 {
            0 => op(Beq, 0, s1, s2, imm_b),
            1 => op(Bne, 0, s1, s2, imm_b),
            4 => op(Blt, 0, s1, s2, imm_b),
            5 => op(Bge, 0, s1, s2, imm_b),
            6 => op(Bltu, 0, s1, s2, imm_b),
            7 => op(Bgeu, 0, s1, s2, imm_b),
            _ => bad,
        },
        0x03 => match f3 {
            0 => op(Lb, d, s1, 0, imm_i),
            1 => op(Lh, d, s1, 0, imm_i),
            2 => op(Lw, d, s1, 0, imm_i),
            4 => op(Lbu, d, s1, 0, imm_i),
            5 => op(Lhu, d, s1, 0, imm_i),
            _ => bad,
        },
        0x23 => match f3 {
            0 => op(Sb, 0, s1, s2, imm_s),
            1 => op(Sh, 0, s1, s2, imm_s),
            2 => op(Sw, 0, s1, s2, imm_s),
            _ => bad,
        },
        0x13 => match (f3, f7) {
            (0, _) => op(Addi, d, s1, 0, imm_i),
            (2, _) => op(Slti, d, s1, 0, imm_i),
            (3, _) => op(Sltiu, d, s1, 0, imm_i),
            (4, _) => op(Xori, d, s1, 0, imm_i),
            (6, _) => op(Ori, d, s1, 0, imm_i),
            (7, _) => op(Andi, d, s1, 0, imm_i),
            (1, 0) => op(Slli, d, s1, 0, s2 as i32),
            (5, 0) => op(Srli, d, s1, 0, s2 as i32),
            (5, 0x20) => op(Srai, d, s1, 0, s2 as i32),
            _ => bad,
        },
        0x33 => {
            let code = match (f7, f3) {
                (0, 0) => Add,
                (0x20, 0) => Sub,
                (0, 1) => Sll,
                (0, 2) => Slt,
                (0, 3) => Sltu,
                (0, 4) => Xor,
                (0, 5) => Srl,
                (0x20, 5) => Sra,
                (0, 6) => Or,
                (0, 7) => And,
                (1, 0) => Mul,
                (1, 1) => Mulh,
                (1, 2) => Mulhsu,
                (1, 3) => Mulhu,
                (1, 4) => Div,
                (1, 5) => Divu,
                (1, 6) => Rem,
                (1, 7) => Remu,
                _ => return bad,
            };
            op(code, d, s1, s2, 0)
        }
        0x2f if f3 == 2 => {
            let code = match f7 >> 2 {
                2 if s2 == 0 => Lr,
                3 => Sc,
                1 => AmoSwap,
                0 => AmoAdd,
                4 => AmoXor,
                12 => AmoAnd,
                8 => AmoOr,
                16 => AmoMin,
                20 => AmoMax,
                24 => AmoMinu,
                28 => AmoMaxu,
                _ => return bad,
            };
            op(code, d, s1, s2, 0)
        }
        0x0f => match f3 {
            0 => op(Fence, 0, 0, 0, 0),
            1 => op(FenceI, 0, 0, 0, 0),
            _ => bad,
        },
        0x73 => {
            let csr = (i >> 20) as i32;
            match f3 {
                1 => op(Csrrw, d, s1, 0, csr),
                2 => op(Csrrs, d, s1, 0, csr),
                3 => op(Csrrc, d, s1, 0, csr),
                5 => op(Csrrwi, d, s1, 0, csr),
                6 => op(Csrrsi, d, s1, 0, csr),
                7 => op(Csrrci, d, s1, 0, csr),
                _ => match i {
                    0x0000_0073 => op(Ecall, 0, 0, 0, 0),
                    0x0010_0073 => op(Ebreak, 0, 0, 0, 0),
                    0x1050_0073 => op(Wfi, 0, 0, 0, 0),
                    0x3020_0073 => op(Mret, 0, 0, 0, 0),
                    _ => bad,
                },
            }
        }
        _ => bad,
    }
}

fn decode16(i: u32) -> Op {
    use Code::*;
    let (d, s2) = (i >> 7 & 31, i >> 2 & 31);
    let (p1, p2) = ((i >> 7 & 7) + 8, (i >> 2 & 7) + 8);
    let imm6 = sext((i >> 12 & 1) << 5 | s2, 6);
    let shamt = ((i >> 12 & 1) << 5 | s2) as i32;
    let lw_offset = ((i >> 5 & 1) << 6 | (i >> 10 & 7) << 3 | (i >> 6 & 1) << 2) as i32;
    let jump = sext(
        (i >> 12 & 1) << 11
            | (i >> 8 & 1) << 10
            | (i >> 9 & 3) << 8
            | (i >> 6 & 1) << 7
            | (i >> 7 & 1) << 6
            | (i >> 2 & 1) << 5
            | (i >> 11 & 1) << 4
            | (i >> 3 & 7) << 1,
        12,
    );
    let branch =
        sext((i >> 12 & 1) << 8 | (i >> 5 & 3) << 6 | (i >> 2 & 1) << 5 | (i >> 10 & 3) << 3 | (i >> 3 & 3) << 1, 9);
    let bad = illegal(i, 2);
    match (i & 3, i >> 13) {
        (0, 0) => {
            let imm = (i >> 7 & 15) << 6 | (i >> 11 & 3) << 4 | (i >> 5 & 1) << 3 | (i >> 6 & 1) << 2;
            if imm == 0 {
                bad
            } else {
                op(Addi, p2, 2, 0, imm as i32)
            }
        }
        (0, 2) => op(Lw, p2, p1, 0, lw_offset),
        (0, 6) => op(Sw, 0, p1, p2, lw_offset),
        (1, 0) => op(Addi, d, d, 0, imm6),
        (1, 1) => op(Jal, 1, 0, 0, jump),
        (1, 2) => op(Addi, d, 0, 0, imm6),
        (1, 3) if d == 2 => {
            let imm = sext(
                (i >> 12 & 1) << 9 | (i >> 3 & 3) << 7 | (i >> 5 & 1) << 6 | (i >> 2 & 1) << 5 | (i >> 6 & 1) << 4,
                10,
            );
            if imm == 0 {
                bad
            } else {
                op(Addi, 2, 2, 0, imm)
            }
        }
        (1, 3) => {
            if imm6 == 0 {
                bad
            } else {
                op(Lui, d, 0, 0, imm6 << 12)
            }
        }
        (1, 4) => match i >> 10 & 3 {
            0 if shamt < 32 => op(Srli, p1, p1, 0, shamt),
            1 if shamt < 32 => op(Srai, p1, p1, 0, shamt),
            2 => op(Andi, p1, p1, 0, imm6),
            3 if i >> 12 & 1 == 0 => op([Sub, Xor, Or, And][(i >> 5 & 3) as usize], p1, p1, p2, 0),
            _ => bad,
        },
        (1, 5) => op(Jal, 0, 0, 0, jump),
        (1, 6) => op(Beq, 0, p1, 0, branch),
        (1, 7) => op(Bne, 0, p1, 0, branch),
        (2, 0) if shamt < 32 => op(Slli, d, d, 0, shamt),
        (2, 2) if d != 0 => op(Lw, d, 2, 0, ((i >> 2 & 3) << 6 | (i >> 12 & 1) << 5 | (i >> 4 & 7) << 2) as i32),
        (2, 4) => match (i >> 12 & 1, d, s2) {
            (0, 0, 0) => bad,
            (0, _, 0) => op(Jalr, 0, d, 0, 0),
            (0, _, _) => op(Add, d, 0, s2, 0),
            (_, 0, 0) => op(Ebreak, 0, 0, 0, 0),
            (_, _, 0) => op(Jalr, 1, d, 0, 0),
            _ => op(Add, d, d, s2, 0),
        },
        (2, 6) => op(Sw, 0, 2, s2, ((i >> 7 & 3) << 6 | (i >> 9 & 15) << 2) as i32),
        _ => bad,
    }
}
