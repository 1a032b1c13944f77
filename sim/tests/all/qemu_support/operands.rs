//! Operands that provoke errors

use rand::{Rng, RngExt};

/// An operand of integer instructions.
pub fn integer(rng: &mut impl Rng) -> u64 {
    let corners = [0, 1, 2, 31, 32, 63, 64, 0x7f, 0x80, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let wide = [0x1_0000_0000, i64::MAX as u64, i64::MIN as u64, u64::MAX, 0x8000_0000_7fff_ffff];
    match rng.random_range(0..6) {
        0 => corners[rng.random_range(0..corners.len())],
        1 => wide[rng.random_range(0..wide.len())],
        2 => (corners[rng.random_range(0..corners.len())] as u32 as i32 as u64).wrapping_neg(),
        3 => rng.random::<u32>() as i32 as u64,
        4 => rng.random::<u64>() >> rng.random_range(0..64),
        _ => rng.random(),
    }
}

/// A float register: 64-bit, NaN-boxed 32- and 16-bit, and without boxing.
pub fn float(rng: &mut impl Rng) -> u64 {
    match rng.random_range(0..20) {
        0..=3 => 0xffff_ffff_ffff_0000 | number(rng, 5, 10),
        4..=11 => 0xffff_ffff_0000_0000 | number(rng, 8, 23),
        12..=18 => number(rng, 11, 52),
        _ => rng.random(),
    }
}

/// A number of a format with so many exponent and fraction bits.
fn number(rng: &mut impl Rng, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let (most, bias) = ((1u64 << exponent_bits) - 1, (1u64 << (exponent_bits - 1)) - 1);
    let ones = (1u64 << fraction_bits) - 1;
    let fraction = match rng.random_range(0..6) {
        0 => 0,
        1 => 1,
        2 => ones,
        3 => 1 << (fraction_bits - 1),
        // few bits: exact results and ties
        4 => rng.random::<u64>() << (fraction_bits - 3) & ones,
        _ => rng.random::<u64>() & ones,
    };
    let exponent = match rng.random_range(0..10) {
        0 => 0,
        1 => most,
        2 => 1,
        3 => most - 1,
        4 => bias,
        // near the limits of integers
        5 => bias + [30, 31, 32, 62, 63, 64][rng.random_range(0..6)].min(bias),
        // tiny products and quotients
        6 => bias / 2 + rng.random_range(0..3),
        7 => bias + rng.random_range(0..6) - 3,
        8 => rng.random_range(0..=u64::from(fraction_bits)),
        _ => rng.random_range(0..=most),
    };
    rng.random_range(0..2u64) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction
}
