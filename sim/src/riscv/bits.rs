//! Results of the instructions of Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx and Zicond
//!
//! # Source
//! RISC-V unprivileged ISA, chapter B ("Bit-Manipulation"), the operations of its listings; chapter Zicond; RISC-V
//! Cryptography Extensions, volume I, the operations of Zbkb and Zbkx.

use super::decode::Code;

/// The low 32 bits, sign-extended.
fn sign32(v: u64) -> u64 {
    v as u32 as i32 as u64
}

/// Carry-less product, 128 bits.
fn carryless(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
}

/// The even bits of a 32-bit number in the lower half, the odd bits in the upper half.
fn unzip(v: u32) -> u32 {
    let half = |first: u32| (0..16).fold(0, |all, i| all | (v >> (2 * i + first) & 1) << i);
    half(0) | half(1) << 16
}

/// For each field of `bits` bits of `index`, the field of `table` with this number, or 0 if there is none.
fn permute(table: u64, index: u64, bits: u32, xlen: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let field = |i: u32| {
        let from = (index >> (i * bits) & mask) * u64::from(bits);
        if from < xlen.into() {
            table >> from & mask
        } else {
            0
        }
    };
    (0..xlen / bits).fold(0, |all, i| all | field(i) << (i * bits))
}

/// The result of `code`. Without `RV64`, operands and result are 32-bit numbers: the operands' upper halves are 0, and
/// the result's upper half is ignored.
pub fn execute<const RV64: bool>(code: Code, a: u64, b: u64) -> u64 {
    let xlen: u32 = if RV64 { 64 } else { 32 };
    let place = (b as u32) & (xlen - 1);
    let signed = |v: u64| if RV64 { v as i64 } else { (v as u32 as i32).into() };
    let rotate = |left: u32| if RV64 { a.rotate_left(left) } else { (a as u32).rotate_left(left & 31).into() };
    let word = u64::from(a as u32);
    match code {
        Code::AddUw => b.wrapping_add(word),
        Code::Sh1add => b.wrapping_add(a << 1),
        Code::Sh2add => b.wrapping_add(a << 2),
        Code::Sh3add => b.wrapping_add(a << 3),
        Code::Sh1addUw => b.wrapping_add(word << 1),
        Code::Sh2addUw => b.wrapping_add(word << 2),
        Code::Sh3addUw => b.wrapping_add(word << 3),
        Code::SlliUw => word << place,
        Code::Andn => a & !b,
        Code::Orn => a | !b,
        Code::Xnor => !(a ^ b),
        Code::Clz => u64::from(a.leading_zeros()) - u64::from(64 - xlen),
        Code::Ctz => a.trailing_zeros().min(xlen).into(),
        Code::Cpop => a.count_ones().into(),
        Code::Clzw => (a as u32).leading_zeros().into(),
        Code::Ctzw => (a as u32).trailing_zeros().into(),
        Code::Cpopw => (a as u32).count_ones().into(),
        Code::Max => signed(a).max(signed(b)) as u64,
        Code::Maxu => a.max(b),
        Code::Min => signed(a).min(signed(b)) as u64,
        Code::Minu => a.min(b),
        Code::SextB => a as i8 as u64,
        Code::SextH => a as i16 as u64,
        Code::ZextH => a & 0xffff,
        Code::Rol => rotate(place),
        Code::Ror => rotate(xlen - place),
        Code::Rolw => sign32((a as u32).rotate_left(b as u32 & 31).into()),
        Code::Rorw => sign32((a as u32).rotate_right(b as u32 & 31).into()),
        Code::OrcB => u64::from_le_bytes(a.to_le_bytes().map(|byte| if byte == 0 { 0 } else { 255 })),
        Code::Rev8 => a.swap_bytes() >> (64 - xlen),
        Code::Bclr => a & !(1 << place),
        Code::Bext => a >> place & 1,
        Code::Binv => a ^ 1 << place,
        Code::Bset => a | 1 << place,
        Code::Clmul => carryless(a, b) as u64,
        Code::Clmulh => (carryless(a, b) >> xlen) as u64,
        Code::Clmulr => (carryless(a, b) >> (xlen - 1)) as u64,
        Code::Pack => a & (u64::MAX >> (64 - xlen / 2)) | b << (xlen / 2),
        Code::Packh => a & 0xff | (b & 0xff) << 8,
        Code::Packw => sign32(a & 0xffff | (b & 0xffff) << 16),
        Code::Brev8 => u64::from_le_bytes(a.to_le_bytes().map(u8::reverse_bits)),
        Code::Unzip => unzip(a as u32).into(),
        // the inverse of a shuffle of 32 bits that has the order 5 is its fourth power
        Code::Zip => (0..4).fold(a as u32, |v, _| unzip(v)).into(),
        Code::Xperm4 => permute(a, b, 4, xlen),
        Code::Xperm8 => permute(a, b, 8, xlen),
        Code::CzeroEqz if b == 0 => 0,
        Code::CzeroNez if b != 0 => 0,
        Code::CzeroEqz | Code::CzeroNez => a,
        _ => unreachable!("{code:?} is none of these"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// QEMU 7.2 does not have Zicond, so these are checked by hand.
    #[test]
    fn conditional_zero_by_hand() {
        for (b, eqz, nez) in [(0, 0, 7), (1, 7, 0), (1 << 63, 7, 0)] {
            assert_eq!((execute::<true>(Code::CzeroEqz, 7, b), execute::<true>(Code::CzeroNez, 7, b)), (eqz, nez));
        }
    }

    /// Values worked from the definitions in the specification of Zbkb and Zbkx.
    #[test]
    fn packs_and_permutations_by_hand() {
        let of = |code, a, b| (execute::<false>(code, a, b) as u32, execute::<true>(code, a, b));
        let (a, b) = (0x1122_3344, 0x5566_7788);
        assert_eq!(of(Code::Pack, a, b), (0x7788_3344, 0x5566_7788_1122_3344));
        assert_eq!(of(Code::Packh, a, b), (0x8844, 0x8844));
        assert_eq!(execute::<true>(Code::Packw, a, 0x8000), 0xffff_ffff_8000_3344);
        assert_eq!(of(Code::Brev8, 0x0180_0f31, 0), (0x8001_f08c, 0x8001_f08c));
        // bits 0, 2 and 31 move to 0, 1 and 31; and back
        assert_eq!(
            (execute::<false>(Code::Unzip, 0x8000_0005, 0), execute::<false>(Code::Unzip, 2, 0)),
            (0x8000_0003, 1 << 16)
        );
        assert_eq!(
            (execute::<false>(Code::Zip, 0x8000_0003, 0), execute::<false>(Code::Zip, 1 << 16, 0)),
            (0x8000_0005, 2)
        );
        // field 8 exists only on RV64
        assert_eq!(of(Code::Xperm4, 0x0000_0009_8765_4321, 0x8170), (0x1111_0281, 0x1111_1111_1111_9281));
        assert_eq!(of(Code::Xperm8, 0x0000_00ee_4433_2211, 0x0403_0100), (0x0044_2211, 0x1111_1111_ee44_2211));
    }

    #[test]
    fn products_without_carries_by_hand() {
        // (x + 1)^2 = x^2 + 1
        assert_eq!(execute::<true>(Code::Clmul, 3, 3), 5);
        assert_eq!(execute::<false>(Code::Clmulh, 0x8000_0000, 0x8000_0000), 0x4000_0000);
        assert_eq!(execute::<false>(Code::Clmulr, 0x8000_0000, 0x8000_0000), 0x8000_0000);
    }
}
