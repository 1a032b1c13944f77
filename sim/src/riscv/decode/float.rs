//! Instructions of Zfh, F and D
//!
//! # Source
//! RISC-V unprivileged ISA, chapters F, D and Zfh; tables "RV32/64G Instruction Set Listings".

use super::{op, sext, Code, Op, DOUBLE, HALF};
use crate::riscv::isa::Isa;

/// Decodes an instruction of the opcodes LOAD-FP, STORE-FP, MADD to NMADD and OP-FP. `rd` of a float register is its
/// number, including f0.
pub(super) fn decode(i: u32, isa: Isa) -> Option<Op> {
    use Code::*;
    let (d, f3, s1, s2, f7) = (i >> 7 & 31, i >> 12 & 7, i >> 15 & 31, i >> 20 & 31, i >> 25);
    let float = |code, rs2, sub| Op { rd: d as u8, sub, ..op(code, d, s1, rs2, 0) };
    match i & 0x7f {
        0x07 => {
            let load = |code| Op { rd: d as u8, ..op(code, d, s1, 0, (i as i32) >> 20) };
            return match f3 {
                1 => Some(load(Flh)),
                2 => Some(load(Flw)),
                3 => Some(load(Fld)),
                _ => None,
            };
        }
        0x27 => {
            let offset = sext(f7 << 5 | d, 12);
            return match f3 {
                1 => Some(op(Fsh, 0, s1, s2, offset)),
                2 => Some(op(Fsw, 0, s1, s2, offset)),
                3 => Some(op(Fsd, 0, s1, s2, offset)),
                _ => None,
            };
        }
        _ => {}
    }
    let form = i >> 25 & 3;
    let format = match form {
        0 => 0,
        1 => DOUBLE,
        2 => HALF,
        _ => return None,
    };
    // modes 5 and 6 are reserved, 7 selects the mode in `fcsr`
    let rounded = |code, rs2| (f3 < 5 || f3 == 7).then(|| float(code, rs2, format | f3 as u8));
    let fused = |code| rounded(code, s2).map(|o| Op { rs3: (i >> 27) as u8, ..o });
    let by_f3 = |codes: &[Code]| codes.get(f3 as usize).map(|c| float(*c, s2, format));
    // the result goes to an integer register
    let to_x = |o: Op| Op { rd: super::rd(d), ..o };
    match i & 0x7f {
        0x43 => return fused(Fmadd),
        0x47 => return fused(Fmsub),
        0x4b => return fused(Fnmsub),
        0x4f => return fused(Fnmadd),
        _ => {}
    }
    let integer = |code| {
        let legal = s2 < if isa.rv64 { 4 } else { 2 };
        rounded(code, 0).filter(|_| legal).map(|o| Op { sub: o.sub | (s2 as u8) << 4, ..o })
    };
    match f7 >> 2 {
        0 => rounded(Fadd, s2),
        1 => rounded(Fsub, s2),
        2 => rounded(Fmul, s2),
        3 => rounded(Fdiv, s2),
        11 if s2 == 0 => rounded(Fsqrt, 0),
        4 => by_f3(&[Fsgnj, Fsgnjn, Fsgnjx]),
        5 => by_f3(&[Fmin, Fmax]),
        // from another one of the three formats
        8 if s2 != form && s2 < 3 => rounded(FcvtF, 0).map(|o| Op { sub: o.sub | (s2 as u8) << 4, ..o }),
        20 => by_f3(&[Fle, Flt, Feq]).map(to_x),
        24 => integer(FcvtToX).map(to_x),
        26 => integer(FcvtX),
        28 if s2 == 0 && f3 == 1 => Some(to_x(float(Fclass, 0, format))),
        28 if s2 == 0 && f3 == 0 && (form != 1 || isa.rv64) => Some(to_x(float(FmvToX, 0, format))),
        30 if s2 == 0 && f3 == 0 && (form != 1 || isa.rv64) => Some(float(FmvF, 0, format)),
        _ => None,
    }
}
