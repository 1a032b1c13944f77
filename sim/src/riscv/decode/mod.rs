//! Decoder: instruction bits to compact operations
//!
//! This file decodes RV32 and RV64 with I, M, A, Zicsr and Zifencei; C, F, D and bit manipulation have files of their
//! own.
//!
//! # Source
//! RISC-V unprivileged ISA: chapters RV32I, RV64I, M, A, Zicsr, Zifencei; privileged ISA for `mret`, `wfi`.

mod bits;
mod code;
mod compressed;
mod float;

use super::isa::Isa;
pub use code::Code;

/// One decoded instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Op {
    /// Operation.
    pub code: Code,
    /// Destination register; 32, a dummy register, for x0.
    pub rd: u8,
    /// First source register; the 5-bit immediate of `csrr*i`.
    pub rs1: u8,
    /// Second source register.
    pub rs2: u8,
    /// Immediate, offset, shift amount or CSR number; the bits of an illegal instruction.
    pub imm: i32,
    /// Length, bytes.
    pub len: u8,
    /// Third source register, of the fused multiplications.
    pub rs3: u8,
    /// Atomics: log2 of the access size in bytes, 2 or 3. Zfh, F and D: rounding mode in bits 0 to 2, [`DOUBLE`], [`HALF`],
    /// and in bits 4 and 5 the number that `rs2` encodes in conversions.
    pub sub: u8,
}

/// Flag in [`Op::sub`]: the operation is on 64-bit numbers.
pub const DOUBLE: u8 = 1 << 3;

/// Flag in [`Op::sub`]: the operation is on 16-bit numbers.
pub const HALF: u8 = 1 << 6;

/// Dummy register that takes writes to x0.
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
    Op { code, rd: rd(d), rs1: rs1 as u8, rs2: rs2 as u8, imm, len: 4, rs3: 0, sub: 0 }
}

fn illegal(insn: u32, len: u8) -> Op {
    Op { imm: insn as i32, len, ..op(Code::Illegal, 0, 0, 0, 0) }
}

/// Decodes `insn`; a 2-byte instruction is in its low half.
pub fn decode(insn: u32, isa: Isa) -> Op {
    if insn & 3 != 3 {
        return Op { len: 2, ..compressed::decode(insn & 0xffff, isa) };
    }
    match isa.unmodelled {
        Some(mask) if mask.matches(insn) => op(Code::Unmodelled, insn >> 7 & 31, 0, 0, insn as i32),
        _ => decode32(insn, isa),
    }
}

fn decode32(i: u32, isa: Isa) -> Op {
    use Code::*;
    let (d, f3, s1, s2, f7) = (i >> 7 & 31, i >> 12 & 7, i >> 15 & 31, i >> 20 & 31, i >> 25);
    let imm_i = (i as i32) >> 20;
    let imm_s = sext(f7 << 5 | d, 12);
    let imm_b = sext((i >> 31) << 12 | (i >> 7 & 1) << 11 | (i >> 25 & 63) << 5 | (i >> 8 & 15) << 1, 13);
    let imm_j = sext((i >> 31) << 20 | (i >> 12 & 255) << 12 | (i >> 20 & 1) << 11 | (i >> 21 & 1023) << 1, 21);
    // a shift amount has one more bit on RV64; bit 25 is then not part of the function code
    let (f6, shamt) = if isa.rv64 { (f7 & !1, (i >> 20 & 63) as i32) } else { (f7, s2 as i32) };
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
            6 if isa.rv64 => op(Lwu, d, s1, 0, imm_i),
            3 if isa.rv64 => op(Ld, d, s1, 0, imm_i),
            _ => bad,
        },
        0x23 => match f3 {
            0 => op(Sb, 0, s1, s2, imm_s),
            1 => op(Sh, 0, s1, s2, imm_s),
            2 => op(Sw, 0, s1, s2, imm_s),
            3 if isa.rv64 => op(Sd, 0, s1, s2, imm_s),
            _ => bad,
        },
        0x13 => match (f3, f7) {
            (0, _) => op(Addi, d, s1, 0, imm_i),
            (2, _) => op(Slti, d, s1, 0, imm_i),
            (3, _) => op(Sltiu, d, s1, 0, imm_i),
            (4, _) => op(Xori, d, s1, 0, imm_i),
            (6, _) => op(Ori, d, s1, 0, imm_i),
            (7, _) => op(Andi, d, s1, 0, imm_i),
            (1, _) if f6 == 0 => op(Slli, d, s1, 0, shamt),
            (5, _) if f6 == 0 => op(Srli, d, s1, 0, shamt),
            (5, _) if f6 == 0x20 => op(Srai, d, s1, 0, shamt),
            _ => bits::decode(i, isa).unwrap_or(bad),
        },
        0x1b if isa.rv64 => match (f3, f7) {
            (0, _) => op(Addiw, d, s1, 0, imm_i),
            (1, 0) => op(Slliw, d, s1, 0, s2 as i32),
            (5, 0) => op(Srliw, d, s1, 0, s2 as i32),
            (5, 0x20) => op(Sraiw, d, s1, 0, s2 as i32),
            _ => bits::decode(i, isa).unwrap_or(bad),
        },
        0x3b if isa.rv64 => {
            let code = match (f7, f3) {
                (0, 0) => Addw,
                (0x20, 0) => Subw,
                (0, 1) => Sllw,
                (0, 5) => Srlw,
                (0x20, 5) => Sraw,
                (1, 0) => Mulw,
                (1, 4) => Divw,
                (1, 5) => Divuw,
                (1, 6) => Remw,
                (1, 7) => Remuw,
                _ => return bits::decode(i, isa).unwrap_or(bad),
            };
            op(code, d, s1, s2, 0)
        }
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
                _ => return bits::decode(i, isa).unwrap_or(bad),
            };
            op(code, d, s1, s2, 0)
        }
        0x2f if f3 == 2 || f3 == 3 && isa.rv64 => {
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
            Op { sub: f3 as u8, ..op(code, d, s1, s2, 0) }
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
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 if isa.float => float::decode(i, isa).unwrap_or(bad),
        _ => bad,
    }
}
