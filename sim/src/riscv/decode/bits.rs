//! Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx and Zicond
//!
//! # Source
//! RISC-V unprivileged ISA, chapter B ("Bit-Manipulation"), and chapter Zicond; RISC-V Cryptography Extensions, volume I:
//! Zbkb and Zbkx.

use super::{op, Code, Op};
use crate::riscv::isa::Isa;

/// Decodes the instructions of OP, OP-IMM, OP-32 and OP-IMM-32 outside I and M. One operand is a register, the other
/// the sum of `rs2` and `imm`, one of which is 0.
pub(super) fn decode(i: u32, isa: Isa) -> Option<Op> {
    use Code::*;
    if !isa.bits {
        return None;
    }
    let (d, f3, s1, s2, f7) = (i >> 7 & 31, i >> 12 & 7, i >> 15 & 31, i >> 20 & 31, i >> 25);
    let register = |code| Some(op(code, d, s1, s2, 0));
    let one = |code| Some(op(code, d, s1, 0, 0));
    // a shift amount has one more bit on RV64, in place of the last bit of the function code
    let (f6, amount) = if isa.rv64 { (f7 & !1, i >> 20 & 63) } else { (f7, s2) };
    let shift = |code| Some(op(code, d, s1, 0, amount as i32));
    match (i & 0x7f, f7, f3) {
        (0x33, 0x10, 2) => register(Sh1add),
        (0x33, 0x10, 4) => register(Sh2add),
        (0x33, 0x10, 6) => register(Sh3add),
        (0x33, 0x20, 7) => register(Andn),
        (0x33, 0x20, 6) => register(Orn),
        (0x33, 0x20, 4) => register(Xnor),
        (0x33, 0x05, 4) => register(Min),
        (0x33, 0x05, 5) => register(Minu),
        (0x33, 0x05, 6) => register(Max),
        (0x33, 0x05, 7) => register(Maxu),
        (0x33, 0x05, 1) => register(Clmul),
        (0x33, 0x05, 3) => register(Clmulh),
        (0x33, 0x05, 2) => register(Clmulr),
        (0x33, 0x07, 5) => register(CzeroEqz),
        (0x33, 0x07, 7) => register(CzeroNez),
        (0x33, 0x30, 1) => register(Rol),
        (0x33, 0x30, 5) => register(Ror),
        (0x33, 0x24, 1) => register(Bclr),
        (0x33, 0x24, 5) => register(Bext),
        (0x33, 0x34, 1) => register(Binv),
        (0x33, 0x14, 1) => register(Bset),
        (0x33, 0x04, 4) if !isa.rv64 && s2 == 0 => one(ZextH),
        (0x3b, 0x04, 4) if s2 == 0 => one(ZextH),
        // `zext.h` is a `pack` with x0
        (0x33, 0x04, 4) => register(Pack),
        (0x33, 0x04, 7) => register(Packh),
        (0x3b, 0x04, 4) => register(Packw),
        (0x33, 0x14, 2) => register(Xperm4),
        (0x33, 0x14, 4) => register(Xperm8),
        (0x3b, 0x04, 0) => register(AddUw),
        (0x3b, 0x10, 2) => register(Sh1addUw),
        (0x3b, 0x10, 4) => register(Sh2addUw),
        (0x3b, 0x10, 6) => register(Sh3addUw),
        (0x3b, 0x30, 1) => register(Rolw),
        (0x3b, 0x30, 5) => register(Rorw),
        (0x1b, _, 1) if f6 == 0x04 => shift(SlliUw),
        (0x1b, 0x30, 5) => shift(Rorw),
        (0x1b, 0x30, 1) => match s2 {
            0 => one(Clzw),
            1 => one(Ctzw),
            2 => one(Cpopw),
            _ => None,
        },
        (0x13, 0x30, 1) => match s2 {
            0 => one(Clz),
            1 => one(Ctz),
            2 => one(Cpop),
            4 => one(SextB),
            5 => one(SextH),
            _ => None,
        },
        (0x13, 0x14, 5) if s2 == 7 => one(OrcB),
        (0x13, 0x34, 5) if s2 == 7 => one(Brev8),
        (0x13, 0x04, 1) if s2 == 0x0f && !isa.rv64 => one(Zip),
        (0x13, 0x04, 5) if s2 == 0x0f && !isa.rv64 => one(Unzip),
        (0x13, 0x34, 5) if s2 == 0x18 && !isa.rv64 => one(Rev8),
        (0x13, 0x35, 5) if s2 == 0x18 && isa.rv64 => one(Rev8),
        (0x13, _, 5) if f6 == 0x30 => shift(Ror),
        (0x13, _, 1) if f6 == 0x24 => shift(Bclr),
        (0x13, _, 5) if f6 == 0x24 => shift(Bext),
        (0x13, _, 1) if f6 == 0x34 => shift(Binv),
        (0x13, _, 1) if f6 == 0x14 => shift(Bset),
        _ => None,
    }
}
