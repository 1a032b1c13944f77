//! Signed numbers: those of `num-bigint` 0.5, as they stand at no place that takes time

use crate::{BigUint, Sign};
use newer::BigInt as Inner;
use num_traits::ToPrimitive;
use std::fmt::{Binary, Display, Formatter, LowerHex, Result, UpperHex};
use std::ops::{Mul, Neg, Sub};

/// Signed number of any width
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BigInt(Inner);

impl BigInt {
    /// Number from its digits, the most significant one first
    pub fn from_radix_be(sign: Sign, digits: &[u8], radix: u32) -> Option<Self> {
        Inner::from_radix_be(sign, digits, radix).map(Self)
    }

    /// Number of bits of the magnitude
    pub fn bits(&self) -> u64 {
        self.0.bits()
    }

    /// Sign, and the magnitude in digits of 32 bits, the least significant one first
    pub fn to_u32_digits(&self) -> (Sign, Vec<u32>) {
        self.0.to_u32_digits()
    }

    /// Sign of the number
    pub fn sign(&self) -> Sign {
        self.0.sign()
    }

    /// Same number without a sign; nothing when it is negative
    pub fn to_biguint(&self) -> Option<BigUint> {
        self.0.to_biguint().map(BigUint::from_large)
    }

    /// Changes bit `index` of the two's complement
    pub fn set_bit(&mut self, index: u64, value: bool) {
        self.0.set_bit(index, value);
    }

    /// Number raised to a power
    #[must_use]
    pub fn pow(&self, exponent: u32) -> Self {
        Self(self.0.pow(exponent))
    }
}

macro_rules! from {
    ($($t:ty)*) => {$(
        impl From<$t> for BigInt {
            fn from(value: $t) -> Self {
                Self(Inner::from(value))
            }
        }
    )*};
}
from!(u8 u16 u32 u64 u128 usize i32 i64);

impl ToPrimitive for BigInt {
    fn to_i64(&self) -> Option<i64> {
        self.0.to_i64()
    }

    fn to_u64(&self) -> Option<u64> {
        self.0.to_u64()
    }
}

impl Neg for BigInt {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sub<i32> for BigInt {
    type Output = Self;

    fn sub(self, other: i32) -> Self {
        Self(self.0 - other)
    }
}

impl Mul for BigInt {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

macro_rules! formats {
    ($($t:ident)*) => {$(
        impl $t for BigInt {
            fn fmt(&self, f: &mut Formatter<'_>) -> Result {
                $t::fmt(&self.0, f)
            }
        }
    )*};
}
formats!(Display Binary LowerHex UpperHex);
