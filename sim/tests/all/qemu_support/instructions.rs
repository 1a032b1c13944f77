//! Random encodings: of all modelled opcodes, mostly with valid function codes

use rand::{Rng, RngExt};

/// A register that holds an address in the scratch area before the instruction.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Register number.
    pub register: u32,
    /// Offset from the start of the scratch area.
    pub offset: i32,
}

/// An instruction under test, with its surroundings.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Code words; a trap skips the word in which it occurs.
    pub code: Vec<u32>,
    /// Number of the integer and float registers that are compared.
    pub rd: u32,
    /// Registers that get values before the instruction.
    pub sources: (u32, u32, u32),
    /// Its address register.
    pub base: Option<Base>,
}

/// Follows a 16-bit instruction.
const C_NOP: u32 = 0x0001_0000;
/// Registers below this are tested.
const LAST: u32 = 27;

fn one_of<T: Copy>(rng: &mut impl Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

/// A random instruction.
pub fn some(rng: &mut impl Rng, xlen: u8) -> Trial {
    let (rd, rs1, rs2, rs3) =
        (rng.random_range(0..LAST), rng.random_range(1..LAST), rng.random_range(0..LAST), rng.random_range(0..32));
    let f3 = rng.random_range(0..8u32);
    let plain = |insn: u32| Trial { code: vec![insn], rd, sources: (rs1, rs2, rs3), base: None };
    let fields = |opcode, f3: u32, f7: u32, rs2: u32| f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
    // functions of OP and OP-32: I, M and the bit manipulations, in rare cases any value
    let f7 = match rng.random_range(0..12) {
        0 => rng.random_range(0..128),
        _ => one_of(rng, &[0, 0, 1, 1, 1, 0x20, 0x20, 0x10, 0x05, 0x30, 0x24, 0x34, 0x14, 0x04]),
    };
    let zicond = |f7: u32, f3: u32| f7 == 7 && (f3 == 5 || f3 == 7);
    match rng.random_range(0..40) {
        0..=6 if !zicond(f7, f3) => plain(fields(0x33, f3, f7, rs2)),
        7..=9 if !zicond(f7, f3) => plain(fields(0x3b, f3, f7, rs2)),
        // shifts by any amount, and instructions that encode their one operand in the amount
        10..=12 => {
            let f7 = if f3 & 3 == 1 {
                one_of(rng, &[0, 1, 0x20, 0x21, 0x30, 0x30, 0x24, 0x25, 0x34, 0x35, 0x14, 0x15, 0x04, 0x05])
            } else {
                rng.random_range(0..128)
            };
            let rs2 = one_of(rng, &[0, 1, 2, 4, 5, 7, 15, 24, rs2, rs2, 31]);
            plain(fields(one_of(rng, &[0x13, 0x13, 0x1b]), f3, f7, rs2))
        }
        13 => plain(rng.random::<u32>() & 0xffff_f000 | rd << 7 | one_of(rng, &[0x37, 0x17])),
        // taken or not: shows in what the instruction after it writes
        14 | 15 => {
            let skip = 8 << 7;
            let insn = rs2 << 20 | rs1 << 15 | f3 << 12 | skip | 0x63;
            Trial { code: vec![insn, 0x0010_0013 | 27 << 7], ..plain(insn) }
        }
        16 => Trial { code: vec![8 << 20 | rd << 7 | 0x6f, 0x0010_0013 | 27 << 7], ..plain(0) },
        17..=19 => memory(rng, rd, rs1, rs2, f3),
        20 | 21 => atomic(rng, rd, rs1, rs2),
        22..=31 => {
            let f5 = match rng.random_range(0..12) {
                0 => rng.random_range(0..32),
                1..=5 => rng.random_range(0..4),
                _ => one_of(rng, &[4, 5, 8, 11, 20, 24, 26, 28, 30]),
            };
            // one operand, or a kind of integer
            let rs2 =
                if matches!(f5, 0..6 | 20) { rng.random_range(0..32) } else { one_of(rng, &[0, 0, 1, 1, 2, 3, 9]) };
            let f3 = if rng.random_range(0..2) == 0 { one_of(rng, &[0, 1, 7]) } else { f3 };
            let insn = fields(0x53, f3, f5 << 2 | rng.random_range(0..3), rs2);
            Trial { sources: (rs1, rs2, rs3), ..plain(insn) }
        }
        32..=35 => {
            let opcode = one_of(rng, &[0x43, 0x47, 0x4b, 0x4f]);
            plain(fields(opcode, f3, rs3 << 2 | rng.random_range(0..3), rs2))
        }
        _ => compressed(rng, xlen, rs3),
    }
}

/// A load or a store, possibly misaligned.
fn memory(rng: &mut impl Rng, rd: u32, rs1: u32, rs2: u32, f3: u32) -> Trial {
    let base = Some(Base { register: rs1, offset: rng.random_range(512..1024) });
    let imm = rng.random_range(0..512u32).wrapping_sub(256);
    let (store, float) = (rng.random_range(0..2) == 0, rng.random_range(0..3) == 0);
    // 128-bit floats are illegal
    let opcode = if float { 0x07 } else { 0x03 };
    let insn = if store {
        (imm >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (imm & 31) << 7 | opcode | 0x20
    } else {
        imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode
    };
    Trial { code: vec![insn], rd: if store { rs2 } else { rd }, sources: (rs1, rs2, 0), base }
}

/// An atomic, or a reservation with its store.
fn atomic(rng: &mut impl Rng, rd: u32, rs1: u32, rs2: u32) -> Trial {
    let base = Some(Base { register: rs1, offset: 8 * rng.random_range(64..128) });
    let f3 = rng.random_range(2..4);
    let f5 = one_of(rng, &[0, 1, 4, 8, 12, 16, 20, 24, 28, 2, 2, 5]);
    let order = rng.random_range(0..4) << 25;
    let insn = |f5: u32, rd: u32, rs2: u32| f5 << 27 | order | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x2f;
    let code = match f5 {
        // the loaded value goes to x27, which is compared; rs1 must not change
        2 => vec![insn(2, LAST, 0), insn(3, rd, rs2)],
        _ => vec![insn(f5, rd, rs2)],
    };
    Trial { code, rd, sources: (rs1, rs2, 0), base }
}

/// Any 16-bit encoding without control flow; loads and stores access the scratch area.
fn compressed(rng: &mut impl Rng, xlen: u8, rs3: u32) -> Trial {
    loop {
        let insn = rng.random_range(0..0x1_0000u32);
        let (quadrant, f3, rd, second) = (insn & 3, insn >> 13, insn >> 7 & 31, insn >> 2 & 31);
        let near = |field: u32| (field & 7) + 8;
        let flow = matches!((quadrant, f3), (1, 5..=7)) || (quadrant, f3) == (2, 4) && second == 0;
        // c.jal on RV32, c.addiw on RV64
        let jal = (quadrant, f3) == (1, 1) && xlen == 32;
        let zcb = (quadrant, f3) == (0, 4) || (quadrant, f3) == (1, 4) && insn >> 10 & 7 == 7 && insn >> 6 & 1 == 1;
        if quadrant == 3 || flow || jal || zcb || rd >= LAST {
            continue;
        }
        let loads = quadrant == 0 && f3 != 0;
        let base = loads.then(|| Base { register: near(insn >> 7), offset: 256 });
        let written = match quadrant {
            0 => near(insn >> 2),
            1 if f3 == 4 => near(insn >> 7),
            _ => rd,
        };
        let sources = match quadrant {
            2 => (rd, second, rs3),
            _ => (near(insn >> 7), near(insn >> 2), rs3),
        };
        return Trial { code: vec![insn | C_NOP], rd: written, sources, base };
    }
}
