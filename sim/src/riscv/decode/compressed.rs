//! The C extension and Zcb: 16-bit instructions
//!
//! # Source
//! RISC-V unprivileged ISA, chapter C, tables "RVC Instruction Listings"; chapter Zc, section Zcb.

use super::{illegal, op, sext, Code, Op};
use crate::riscv::isa::Isa;

pub(super) fn decode(i: u32, isa: Isa) -> Op {
    use Code::*;
    let (d, s2) = (i >> 7 & 31, i >> 2 & 31);
    let (p1, p2) = ((i >> 7 & 7) + 8, (i >> 2 & 7) + 8);
    let imm6 = sext((i >> 12 & 1) << 5 | s2, 6);
    let xlen = isa.xlen() as i32;
    let shamt = ((i >> 12 & 1) << 5 | s2) as i32;
    let lw_offset = ((i >> 5 & 1) << 6 | (i >> 10 & 7) << 3 | (i >> 6 & 1) << 2) as i32;
    let ld_offset = ((i >> 5 & 3) << 6 | (i >> 10 & 7) << 3) as i32;
    let lwsp_offset = ((i >> 2 & 3) << 6 | (i >> 12 & 1) << 5 | (i >> 4 & 7) << 2) as i32;
    let ldsp_offset = ((i >> 2 & 7) << 6 | (i >> 12 & 1) << 5 | (i >> 5 & 3) << 3) as i32;
    let swsp_offset = ((i >> 7 & 3) << 6 | (i >> 9 & 15) << 2) as i32;
    let sdsp_offset = ((i >> 7 & 7) << 6 | (i >> 10 & 7) << 3) as i32;
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
        (0, 1) if isa.float => Op { rd: p2 as u8, ..op(Fld, 0, p1, 0, ld_offset) },
        (0, 2) => op(Lw, p2, p1, 0, lw_offset),
        (0, 3) if isa.rv64 => op(Ld, p2, p1, 0, ld_offset),
        (0, 3) if isa.float => Op { rd: p2 as u8, ..op(Flw, 0, p1, 0, lw_offset) },
        (0, 4) if isa.bits => {
            let byte = (i >> 6 & 1 | (i >> 5 & 1) << 1) as i32;
            match (i >> 10 & 7, byte & 1) {
                (0, _) => op(Lbu, p2, p1, 0, byte),
                (1, 0) => op(Lhu, p2, p1, 0, byte),
                (1, _) => op(Lh, p2, p1, 0, byte & 2),
                (2, _) => op(Sb, 0, p1, p2, byte),
                (3, 0) => op(Sh, 0, p1, p2, byte),
                _ => bad,
            }
        }
        (0, 5) if isa.float => op(Fsd, 0, p1, p2, ld_offset),
        (0, 6) => op(Sw, 0, p1, p2, lw_offset),
        (0, 7) if isa.rv64 => op(Sd, 0, p1, p2, ld_offset),
        (0, 7) if isa.float => op(Fsw, 0, p1, p2, lw_offset),
        (1, 0) => op(Addi, d, d, 0, imm6),
        (1, 1) if isa.rv64 && d == 0 => bad,
        (1, 1) if isa.rv64 => op(Addiw, d, d, 0, imm6),
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
            0 if shamt < xlen => op(Srli, p1, p1, 0, shamt),
            1 if shamt < xlen => op(Srai, p1, p1, 0, shamt),
            2 => op(Andi, p1, p1, 0, imm6),
            3 if i >> 12 & 1 == 0 => op([Sub, Xor, Or, And][(i >> 5 & 3) as usize], p1, p1, p2, 0),
            3 => match (i >> 5 & 3, i >> 2 & 7) {
                (0, _) if isa.rv64 => op(Subw, p1, p1, p2, 0),
                (1, _) if isa.rv64 => op(Addw, p1, p1, p2, 0),
                (2, _) if isa.bits => op(Mul, p1, p1, p2, 0),
                (3, 0) if isa.bits => op(Andi, p1, p1, 0, 255),
                (3, 1) if isa.bits => op(SextB, p1, p1, 0, 0),
                (3, 2) if isa.bits => op(ZextH, p1, p1, 0, 0),
                (3, 3) if isa.bits => op(SextH, p1, p1, 0, 0),
                (3, 4) if isa.bits && isa.rv64 => op(AddUw, p1, p1, 0, 0),
                (3, 5) if isa.bits => op(Xori, p1, p1, 0, -1),
                _ => bad,
            },
            _ => bad,
        },
        (1, 5) => op(Jal, 0, 0, 0, jump),
        (1, 6) => op(Beq, 0, p1, 0, branch),
        (1, 7) => op(Bne, 0, p1, 0, branch),
        (2, 0) if shamt < xlen => op(Slli, d, d, 0, shamt),
        (2, 1) if isa.float => Op { rd: d as u8, ..op(Fld, 0, 2, 0, ldsp_offset) },
        (2, 3) if isa.rv64 && d != 0 => op(Ld, d, 2, 0, ldsp_offset),
        (2, 3) if !isa.rv64 && isa.float => Op { rd: d as u8, ..op(Flw, 0, 2, 0, lwsp_offset) },
        (2, 2) if d != 0 => op(Lw, d, 2, 0, lwsp_offset),
        (2, 4) => match (i >> 12 & 1, d, s2) {
            (0, 0, 0) => bad,
            (0, _, 0) => op(Jalr, 0, d, 0, 0),
            (0, _, _) => op(Add, d, 0, s2, 0),
            (_, 0, 0) => op(Ebreak, 0, 0, 0, 0),
            (_, _, 0) => op(Jalr, 1, d, 0, 0),
            _ => op(Add, d, d, s2, 0),
        },
        (2, 5) if isa.float => op(Fsd, 0, 2, s2, sdsp_offset),
        (2, 6) => op(Sw, 0, 2, s2, swsp_offset),
        (2, 7) if isa.rv64 => op(Sd, 0, 2, s2, sdsp_offset),
        (2, 7) if isa.float => op(Fsw, 0, 2, s2, swsp_offset),
        _ => bad,
    }
}
