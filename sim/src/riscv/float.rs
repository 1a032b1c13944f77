//! Results of the instructions of Zfh, F and D: a number and the flags that it raises
//!
//! Arithmetic is that of `rustc_apfloat`. This file has what is specific to the ISA: NaN boxing, the canonical NaN,
//! invalid operations, minimum and maximum, saturation, tininess after rounding; and the square root, which the library
//! lacks.
//!
//! # Source
//! RISC-V unprivileged ISA, chapters F, D and Zfh; IEEE 754-2008, sections 4.3, 6 and 7.

use super::decode::{Code, DOUBLE, HALF};
use rustc_apfloat::ieee::{DoubleS, HalfS, IeeeFloat, Semantics, SingleS};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};
use std::cmp::Ordering;

/// Exception flags, in their `fflags` positions.
pub const NX: u8 = 1;
const UF: u8 = 2;
const OF: u8 = 4;
const DZ: u8 = 8;
const NV: u8 = 16;

/// A floating-point format, and one with the same precision and unbounded exponent to detect tiny results.
trait Format: Semantics {
    const SIGNIFICAND: u32;
    const CANONICAL: u64;
    type Wide: Semantics;
}

/// 11-bit significand with a 16-bit exponent.
struct WideHalf;
/// 24-bit significand with a 16-bit exponent.
struct WideSingle;
/// 53-bit significand with a 16-bit exponent.
struct WideDouble;

impl Semantics for WideHalf {
    const BITS: usize = 11 + 16;
    const EXP_BITS: usize = 16;
}

impl Semantics for WideSingle {
    const BITS: usize = 24 + 16;
    const EXP_BITS: usize = 16;
}

impl Semantics for WideDouble {
    const BITS: usize = 53 + 16;
    const EXP_BITS: usize = 16;
}

impl Format for HalfS {
    const SIGNIFICAND: u32 = 10;
    const CANONICAL: u64 = 0x7e00;
    type Wide = WideHalf;
}

impl Format for SingleS {
    const SIGNIFICAND: u32 = 23;
    const CANONICAL: u64 = 0x7fc0_0000;
    type Wide = WideSingle;
}

impl Format for DoubleS {
    const SIGNIFICAND: u32 = 52;
    const CANONICAL: u64 = 0x7ff8_0000_0000_0000;
    type Wide = WideDouble;
}

/// The bits of a register above a number: ones.
const fn above<F: Format>() -> u64 {
    if F::BITS == 64 {
        0
    } else {
        u64::MAX << F::BITS
    }
}

/// The number in a register; the canonical NaN if it is not NaN-boxed.
fn unboxed<F: Format>(register: u64) -> u64 {
    if register & above::<F>() == above::<F>() {
        register & !above::<F>()
    } else {
        F::CANONICAL
    }
}

/// Register content for a 32-bit number.
pub fn boxed(v: u32) -> u64 {
    above::<SingleS>() | u64::from(v)
}

/// Register content for a 16-bit number.
pub fn boxed_half(v: u16) -> u64 {
    above::<HalfS>() | u64::from(v)
}

/// The operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    /// Operation.
    pub code: Code,
    /// [`super::decode::Op::sub`], with the effective rounding mode.
    pub sub: u8,
    /// `rs1`, `rs2`, `rs3`, as in the float registers.
    pub floats: [u64; 3],
    /// `rs1` of the integer registers.
    pub integer: u64,
}

/// The new value of the destination, and the flags that are raised. For an integer register the value has 64 bits: a
/// 32-bit result is sign-extended.
pub fn execute(o: &Operands) -> (u64, u8) {
    match o.sub & (DOUBLE | HALF) {
        DOUBLE => run::<DoubleS>(o),
        HALF => run::<HalfS>(o),
        _ => run::<SingleS>(o),
    }
}

fn run<F: Format>(o: &Operands) -> (u64, u8) {
    // moves take the register as it is, boxed or not
    let floats = if o.code == Code::FmvToX { o.floats } else { o.floats.map(unboxed::<F>) };
    let (value, flags) = compute_in::<F>(o, floats);
    match o.code {
        Code::FcvtToX | Code::FmvToX | Code::Fclass | Code::Feq | Code::Flt | Code::Fle => (value, flags),
        _ => (value | above::<F>(), flags),
    }
}

fn compute_in<F: Format>(o: &Operands, [a, b, c]: [u64; 3]) -> (u64, u8) {
    let round = round(o.sub);
    let sign = 1u64 << (F::BITS - 1);
    match o.code {
        Code::Fadd => arithmetic::<F>(Kind::Add, [a, b, 0], round),
        Code::Fsub => arithmetic::<F>(Kind::Subtract, [a, b, 0], round),
        Code::Fmul => arithmetic::<F>(Kind::Multiply, [a, b, 0], round),
        Code::Fdiv => arithmetic::<F>(Kind::Divide, [a, b, 0], round),
        Code::Fmadd => arithmetic::<F>(Kind::Fused, [a, b, c], round),
        Code::Fmsub => arithmetic::<F>(Kind::Fused, [a, b, c ^ sign], round),
        Code::Fnmsub => arithmetic::<F>(Kind::Fused, [a ^ sign, b, c], round),
        Code::Fnmadd => arithmetic::<F>(Kind::Fused, [a ^ sign, b, c ^ sign], round),
        Code::Fsqrt => square_root::<F>(a, round),
        Code::Fsgnj => (a & !sign | b & sign, 0),
        Code::Fsgnjn => (a & !sign | !b & sign, 0),
        Code::Fsgnjx => (a ^ b & sign, 0),
        Code::Fmin => least::<F>(a, b, false),
        Code::Fmax => least::<F>(a, b, true),
        Code::Feq | Code::Flt | Code::Fle => compare::<F>(o.code, a, b),
        Code::Fclass => (class::<F>(a), 0),
        Code::FcvtF => match o.sub >> 4 & 3 {
            0 => convert::<SingleS, F>(o.floats[0], round),
            1 => convert::<DoubleS, F>(o.floats[0], round),
            _ => convert::<HalfS, F>(o.floats[0], round),
        },
        Code::FcvtX => from_integer::<F>(o.integer, o.sub >> 4 & 3, round),
        Code::FcvtToX => to_integer::<F>(a, o.sub >> 4 & 3, round),
        Code::FmvF => (o.integer & !above::<F>(), 0),
        Code::FmvToX => (((a << (64 - F::BITS)) as i64 >> (64 - F::BITS)) as u64, 0),
        _ => unreachable!("{:?} is none of Zfh, F and D", o.code),
    }
}

fn round(sub: u8) -> Round {
    match sub & 7 {
        0 => Round::NearestTiesToEven,
        1 => Round::TowardZero,
        2 => Round::TowardNegative,
        3 => Round::TowardPositive,
        _ => Round::NearestTiesToAway,
    }
}

fn flags(status: Status) -> u8 {
    [
        (Status::INVALID_OP, NV),
        (Status::DIV_BY_ZERO, DZ),
        (Status::OVERFLOW, OF),
        (Status::UNDERFLOW, UF),
        (Status::INEXACT, NX),
    ]
    .into_iter()
    .filter(|(s, _)| status.contains(*s))
    .fold(0, |all, (_, flag)| all | flag)
}

fn number<F: Format>(bits: u64) -> IeeeFloat<F> {
    IeeeFloat::from_bits(bits.into())
}

fn is_nan<F: Format>(bits: u64) -> bool {
    number::<F>(bits).is_nan()
}

fn is_signaling<F: Format>(bits: u64) -> bool {
    is_nan::<F>(bits) && bits >> (F::SIGNIFICAND - 1) & 1 == 0
}

/// Operations that round.
#[derive(Clone, Copy)]
enum Kind {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// `a * b + c`, rounded once.
    Fused,
}

fn compute<T: Float>(kind: Kind, [a, b, c]: [T; 3], round: Round) -> StatusAnd<T> {
    match kind {
        Kind::Add => a.add_r(b, round),
        Kind::Subtract => a.sub_r(b, round),
        Kind::Multiply => a.mul_r(b, round),
        Kind::Divide => a.div_r(b, round),
        Kind::Fused => a.mul_add_r(b, c, round),
    }
}

/// The result of `kind`, with the flags of the ISA.
fn arithmetic<F: Format>(kind: Kind, operands: [u64; 3], round: Round) -> (u64, u8) {
    let [a, b, c] = operands.map(number::<F>);
    let invalid = operands.iter().any(|o| is_signaling::<F>(*o))
        // infinity times zero is invalid even if a quiet NaN is added
        || matches!(kind, Kind::Fused) && (a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite());
    if invalid || operands.iter().any(|o| is_nan::<F>(*o)) {
        return (F::CANONICAL, if invalid { NV } else { 0 });
    }
    let result = compute(kind, [a, b, c], round);
    finish(result, || {
        let wide = |x: IeeeFloat<F>| -> IeeeFloat<F::Wide> { x.convert(&mut false).value };
        compute(kind, [wide(a), wide(b), wide(c)], round).value
    })
}

/// A result with its flags. Two of the library's flags differ from the ISA's, which refers to `unbounded`, the result
/// with an unbounded exponent: rounding down to the largest number is also an overflow, and rounding up to the smallest
/// normal number may still be an underflow.
fn finish<F: Format>(result: StatusAnd<IeeeFloat<F>>, unbounded: impl FnOnce() -> IeeeFloat<F::Wide>) -> (u64, u8) {
    let mut raised = flags(result.status);
    let value = result.value;
    if value.is_nan() {
        return (F::CANONICAL, raised);
    }
    if raised == NX && (value.is_smallest_normalized() || value.is_largest()) {
        let limit: IeeeFloat<F::Wide> = value.convert(&mut false).value;
        raised |= match unbounded().cmp_abs_normal(limit) {
            Ordering::Less => UF,
            Ordering::Equal => 0,
            Ordering::Greater => OF,
        };
    }
    (value.to_bits() as u64, raised)
}

/// Converts the number in a register to another format.
fn convert<From: Format, To: Format>(register: u64, round: Round) -> (u64, u8) {
    let bits = unboxed::<From>(register);
    if is_nan::<From>(bits) {
        return (To::CANONICAL, if is_signaling::<From>(bits) { NV } else { 0 });
    }
    let from = number::<From>(bits);
    let result: StatusAnd<IeeeFloat<To>> = from.convert_r(round, &mut false);
    finish(result, || from.convert_r(round, &mut false).value)
}

/// The square root: the integer root of the significand with more bits than the format has, a sticky bit for the
/// remainder, and one rounding. It never overflows or underflows.
fn square_root<F: Format>(bits: u64, round: Round) -> (u64, u8) {
    let a = number::<F>(bits);
    if a.is_nan() {
        return (F::CANONICAL, if is_signaling::<F>(bits) { NV } else { 0 });
    }
    if a.is_zero() || a.is_pos_infinity() {
        return (bits, 0);
    }
    if a.is_negative() {
        return (F::CANONICAL, NV);
    }
    let (field, mantissa) = (bits >> F::SIGNIFICAND, bits & ((1 << F::SIGNIFICAND) - 1));
    let mantissa = if field == 0 { mantissa } else { mantissa | 1 << F::SIGNIFICAND };
    // a = mantissa * 2^exponent
    let exponent = field.max(1) as i32 - F::IEEE_MAX_EXP - F::SIGNIFICAND as i32;
    // shift so far that the root has two more bits than the format, with an even exponent
    let up = 2 * F::SIGNIFICAND as i32 + 6 - (64 - mantissa.leading_zeros() as i32);
    let up = up + (exponent - up).rem_euclid(2);
    let square = u128::from(mantissa) << up;
    let root = square.isqrt();
    let rest = u128::from(root * root != square);
    let rounded = IeeeFloat::<F>::from_u128_r(root << 1 | rest, round);
    let value = rounded.value.scalbn((exponent - up) / 2 - 1);
    (value.to_bits() as u64, flags(rounded.status))
}

/// The smaller, or the greater, of two: -0 is less than +0; a NaN loses against a number.
fn least<F: Format>(a: u64, b: u64, greatest: bool) -> (u64, u8) {
    let raised = if is_signaling::<F>(a) || is_signaling::<F>(b) { NV } else { 0 };
    let value = match (is_nan::<F>(a), is_nan::<F>(b)) {
        (true, true) => F::CANONICAL,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let (x, y) = (number::<F>(a), number::<F>(b));
            let less = if x.is_zero() && y.is_zero() { x.is_negative() } else { x < y };
            if less != greatest {
                a
            } else {
                b
            }
        }
    };
    (value, raised)
}

fn compare<F: Format>(code: Code, a: u64, b: u64) -> (u64, u8) {
    let (x, y) = (number::<F>(a), number::<F>(b));
    let signaling = is_signaling::<F>(a) || is_signaling::<F>(b);
    let nan = x.is_nan() || y.is_nan();
    // `feq` is quiet
    let raised = if signaling || (nan && code != Code::Feq) { NV } else { 0 };
    let holds = match code {
        Code::Feq => x == y,
        Code::Flt => x < y,
        _ => x <= y,
    };
    (holds.into(), raised)
}

/// The one-hot result of `fclass`, ten bits.
fn class<F: Format>(bits: u64) -> u64 {
    let a = number::<F>(bits);
    let negative = a.is_negative();
    let bit = if a.is_nan() {
        8 + u32::from(!is_signaling::<F>(bits))
    } else if a.is_infinite() {
        if negative {
            0
        } else {
            7
        }
    } else if a.is_zero() {
        if negative {
            3
        } else {
            4
        }
    } else if a.is_denormal() {
        if negative {
            2
        } else {
            5
        }
    } else if negative {
        1
    } else {
        6
    };
    1 << bit
}

/// Converts an integer. `kind`: 0 and 1 have 32 bits, 2 and 3 have 64; odd kinds are unsigned.
fn from_integer<F: Format>(integer: u64, kind: u8, round: Round) -> (u64, u8) {
    let value: i128 = match kind {
        0 => (integer as i32).into(),
        1 => (integer as u32).into(),
        2 => (integer as i64).into(),
        _ => integer.into(),
    };
    finish(IeeeFloat::<F>::from_i128_r(value, round), || IeeeFloat::from_i128_r(value, round).value)
}

/// Converts to an integer. An out-of-range value saturates and raises only the invalid flag; a NaN gives the maximum.
fn to_integer<F: Format>(bits: u64, kind: u8, round: Round) -> (u64, u8) {
    let a = number::<F>(bits);
    let width = if kind < 2 { 32 } else { 64 };
    let negative = a.is_negative() && !a.is_nan();
    let (value, status) = if kind % 2 == 0 {
        let r = a.to_i128_r(width, round, &mut false);
        let limit = if negative { -1i128 << (width - 1) } else { (1 << (width - 1)) - 1 };
        (if r.status.contains(Status::INVALID_OP) { limit } else { r.value } as u64, r.status)
    } else {
        let r = a.to_u128_r(width, round, &mut false);
        let limit = if negative { 0 } else { u128::MAX >> (128 - width) };
        (if r.status.contains(Status::INVALID_OP) { limit } else { r.value } as u64, r.status)
    };
    let value = if width == 32 { value as u32 as i32 as u64 } else { value };
    let raised = flags(status);
    (value, if raised & NV != 0 { NV } else { raised })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single(code: Code, mode: u8, [a, b, c]: [u32; 3]) -> (u32, u8) {
        let o = Operands { code, sub: mode, floats: [boxed(a), boxed(b), boxed(c)], integer: 0 };
        let (value, flags) = execute(&o);
        (value as u32, flags)
    }

    /// (1 - 2^-24) * 2^-126: a tie between the largest subnormal and the smallest normal number rounds up, but 24 bits
    /// with an unbounded exponent hold it exactly: tiny and inexact. With one more bit it rounds up there, too.
    #[test]
    fn tininess_is_detected_after_rounding() {
        let least = f32::MIN_POSITIVE.to_bits();
        assert_eq!(single(Code::Fmul, 0, [0x3f7f_ffff, least, 0]), (least, UF | NX));
        // least * (1 - 2^-24) - 2^-149 * 2^-3, rounded up: 24 bits then give 1 - 2^-24
        let product = single(Code::Fmadd, 3, [0x3f7f_ffff, least, 1 << 31]);
        assert_eq!(product, (least, UF | NX));
        // (1 + 2^-23) * (1 - 2^-24) is above 1: not tiny
        assert_eq!(single(Code::Fmul, 1, [0x3f7f_ffff, least + 1, 0]), (least, NX));
    }

    #[test]
    fn roots_by_hand() {
        let root = |a: f32, mode| single(Code::Fsqrt, mode, [a.to_bits(), 0, 0]);
        assert_eq!(root(9.0, 0), (3f32.to_bits(), 0));
        // sqrt(2) = 1.41421356237...: 0x3fb504f3 is below it
        assert_eq!((root(2.0, 0), root(2.0, 3)), ((0x3fb5_04f3, NX), (0x3fb5_04f4, NX)));
        // 2^-149 = 2^-150 * 2
        assert_eq!(root(f32::from_bits(1), 1).0, (0x3fb5_04f3 - (75 << 23)));
        assert_eq!(root(-0.0, 0), (1 << 31, 0));
        assert_eq!(root(-1.0, 0), (0x7fc0_0000, NV));
    }

    fn half(code: Code, sub: u8, [a, b, c]: [u16; 3]) -> (u64, u8) {
        execute(&Operands { code, sub: sub | HALF, floats: [a, b, c].map(boxed_half), integer: 0 })
    }

    /// Numbers of 11 bits: 1.5 is 0x3e00, 2 is 0x4000; the largest is 65504, 0x7bff; the smallest is 2^-24.
    #[test]
    fn halves_by_hand() {
        assert_eq!(half(Code::Fadd, 0, [0x3e00, 0x4000, 0]), (boxed_half(0x4300), 0)); // 3.5
        assert_eq!(half(Code::Fmul, 0, [0x7bff, 0x4000, 0]), (boxed_half(0x7c00), OF | NX));
        assert_eq!(half(Code::Fmul, 1, [0x7bff, 0x4000, 0]), (boxed_half(0x7bff), OF | NX));
        assert_eq!(half(Code::Fmul, 0, [1, 0x3800, 0]), (boxed_half(0), UF | NX)); // 2^-25 is a tie: to 0
        assert_eq!(half(Code::Fdiv, 0, [0x3c00, 0, 0]), (boxed_half(0x7c00), DZ));
        assert_eq!(half(Code::Fmadd, 0, [0x4000, 0x4000, 0x3c00]), (boxed_half(0x4500), 0)); // 5
                                                                                             // sqrt(2) is 1.414213: 1.4140625 is 0x3da8, and the next one 1.415039
        assert_eq!(half(Code::Fsqrt, 0, [0x4000, 0, 0]), (boxed_half(0x3da8), NX));
        assert_eq!(half(Code::FmvToX, 0, [0x8001, 0, 0]), (0xffff_ffff_ffff_8001, 0));
        assert_eq!(half(Code::Fclass, 0, [0x8001, 0, 0]), (1 << 2, 0));
        assert_eq!(half(Code::FcvtToX, 1, [0xc100, 0, 0]), (-2i64 as u64, NX)); // -2.5 to zero
    }

    /// `rs2` is 0 for 32, 1 for 64, and 2 for 16 bits.
    #[test]
    fn formats_convert_into_each_other() {
        let of = |sub, register| execute(&Operands { code: Code::FcvtF, sub, floats: [register, 0, 0], integer: 0 });
        assert_eq!(of(2 << 4, boxed_half(0x3e00)), (boxed(0x3fc0_0000), 0));
        assert_eq!(of(2 << 4 | DOUBLE, boxed_half(0xc000)), ((-2f64).to_bits(), 0));
        assert_eq!(of(HALF, boxed(0x3fc0_0000)), (boxed_half(0x3e00), 0));
        // 65520 is between the largest number and 2^16, and to even it is infinity
        assert_eq!(of(1 << 4 | HALF, 65520f64.to_bits()), (boxed_half(0x7c00), OF | NX));
        assert_eq!(of(1 << 4 | HALF | 1, 65520f64.to_bits()), (boxed_half(0x7bff), NX));
        // 65535 becomes the largest number as it would with an unbounded exponent, 2^17 does not
        let integer = |v| execute(&Operands { code: Code::FcvtX, sub: HALF | 1, floats: [0; 3], integer: v });
        assert_eq!((integer(65535), integer(1 << 17)), ((boxed_half(0x7bff), NX), (boxed_half(0x7bff), OF | NX)));
        // a 16-bit number that is not boxed is a quiet NaN
        assert_eq!(of(2 << 4, boxed(0x3e00)), (boxed(0x7fc0_0000), 0));
    }

    #[test]
    fn unboxed_numbers_are_nan() {
        let o = Operands { code: Code::Fadd, sub: 0, floats: [0x3f80_0000, boxed(0x3f80_0000), 0], integer: 0 };
        assert_eq!(execute(&o), (boxed(0x7fc0_0000), 0));
    }
}
