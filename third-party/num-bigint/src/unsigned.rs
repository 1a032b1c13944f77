//! Unsigned numbers: a machine word, or a number of `num-bigint` 0.5 that does not fit one

use newer::BigUint as Large;
use num_traits::{One, ToPrimitive};
use std::fmt::{Formatter, LowerHex, Result};
use std::ops::{BitAnd, Shl, Shr, Sub};

/// Unsigned number of any width
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigUint(Size);

/// Invariant: `Large` holds no number below 2^64, so that equal numbers have one form
#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Small(u64),
    Large(Large),
}

use Size::{Large as Wide, Small};

impl BigUint {
    #[inline]
    const fn small(value: u64) -> Self {
        Self(Small(value))
    }

    #[cold]
    pub(crate) fn from_large(value: Large) -> Self {
        match value.to_u64() {
            Some(small) => Self::small(small),
            None => Self(Wide(value)),
        }
    }

    #[cold]
    pub(crate) fn to_large(&self) -> Large {
        match &self.0 {
            Small(value) => Large::from(*value),
            Wide(value) => value.clone(),
        }
    }

    /// Number of bits without leading zeros; 0 for the number 0
    #[inline]
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(value) => u64::from(u64::BITS - value.leading_zeros()),
            Wide(value) => value.bits(),
        }
    }

    /// Bit `index`, counted from the least significant one
    #[inline]
    pub fn bit(&self, index: u64) -> bool {
        match &self.0 {
            Small(value) => index < 64 && value >> index & 1 == 1,
            Wide(value) => value.bit(index),
        }
    }

    /// Changes bit `index`
    #[inline]
    pub fn set_bit(&mut self, index: u64, value: bool) {
        match &mut self.0 {
            Small(word) if index < 64 => *word = *word & !(1 << index) | u64::from(value) << index,
            Small(_) if !value => {}
            _ => {
                let mut large = self.to_large();
                large.set_bit(index, value);
                *self = Self::from_large(large);
            }
        }
    }
}

impl Default for BigUint {
    #[inline]
    fn default() -> Self {
        Self::small(0)
    }
}

macro_rules! from_small {
    ($($t:ty)*) => {$(
        impl From<$t> for BigUint {
            #[inline]
            fn from(value: $t) -> Self {
                Self::small(u64::from(value))
            }
        }
    )*};
}
from_small!(u8 u16 u32 u64);

impl From<usize> for BigUint {
    #[inline]
    fn from(value: usize) -> Self {
        Self::small(value as u64)
    }
}

impl From<u128> for BigUint {
    fn from(value: u128) -> Self {
        Self::from_large(Large::from(value))
    }
}

impl One for BigUint {
    #[inline]
    fn one() -> Self {
        Self::small(1)
    }
}

impl std::ops::Mul for BigUint {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::from_large(self.to_large() * other.to_large())
    }
}

impl ToPrimitive for BigUint {
    #[inline]
    fn to_u64(&self) -> Option<u64> {
        match self.0 {
            Small(value) => Some(value),
            Wide(_) => None,
        }
    }

    #[inline]
    fn to_i64(&self) -> Option<i64> {
        self.to_u64()?.to_i64()
    }

    fn to_u128(&self) -> Option<u128> {
        self.to_large().to_u128()
    }
}

macro_rules! shifts {
    ($($t:ty)*) => {$(
        impl Shl<$t> for BigUint {
            type Output = Self;

            #[inline]
            fn shl(self, by: $t) -> Self {
                match self.0 {
                    Small(0) => self,
                    Small(value) if by as u64 <= u64::from(value.leading_zeros()) && (by as u64) < 64 => Self::small(value << by),
                    _ => Self::from_large(self.to_large() << by),
                }
            }
        }

        impl Shr<$t> for BigUint {
            type Output = Self;

            #[inline]
            fn shr(self, by: $t) -> Self {
                match self.0 {
                    Small(value) => Self::small(if (by as u64) < 64 { value >> by } else { 0 }),
                    Wide(value) => Self::from_large(value >> by),
                }
            }
        }
    )*};
}
shifts!(u32 u64 usize);

impl Shl<&usize> for BigUint {
    type Output = Self;

    #[inline]
    fn shl(self, by: &usize) -> Self {
        self << *by
    }
}

impl Sub for BigUint {
    type Output = Self;

    /// # Panics
    /// When `other` is larger
    #[inline]
    fn sub(self, other: Self) -> Self {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => {
                Self::small(a.checked_sub(*b).expect("a difference of unsigned numbers is not negative"))
            }
            _ => Self::from_large(self.to_large() - other.to_large()),
        }
    }
}

impl Sub<u32> for BigUint {
    type Output = Self;

    #[inline]
    fn sub(self, other: u32) -> Self {
        self - Self::from(other)
    }
}

impl BitAnd for BigUint {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Self::small(a & b),
            _ => Self::from_large(self.to_large() & other.to_large()),
        }
    }
}

impl LowerHex for BigUint {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        LowerHex::fmt(&self.to_large(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers about each edge of the two forms
    fn numbers() -> Vec<u128> {
        let mut all = vec![0, 1, 2, 3, 0xDEAD_BEEF, u128::MAX];
        for bit in [31, 32, 33, 63, 64, 65, 100, 126] {
            all.extend([
                (1u128 << bit) - 1,
                1 << bit,
                (1 << bit) + 1,
                0x5A5A_A5A5_1234_5678_9ABC_DEF0_0F1E_2D3C >> (127 - bit),
            ]);
        }
        all
    }

    #[test]
    fn what_is_reckoned_is_what_version_0_5_reckons() {
        for a in numbers() {
            let (ours, theirs) = (BigUint::from(a), Large::from(a));
            assert_eq!(
                (ours.bits(), ours.to_u32(), ours.to_u64()),
                (theirs.bits(), theirs.to_u32(), theirs.to_u64()),
                "{a:#x}"
            );
            assert_eq!(format!("{ours:x}"), format!("{theirs:x}"));
            for by in [0usize, 1, 31, 32, 33, 63, 64, 65, 127, 128, 200] {
                assert_eq!((ours.clone() << by).to_large(), theirs.clone() << by, "{a:#x} << {by}");
                assert_eq!(ours.clone() >> by as u64, BigUint::from_large(theirs.clone() >> by), "{a:#x} >> {by}");
                assert_eq!(ours.bit(by as u64), theirs.bit(by as u64), "bit {by} of {a:#x}");
                for value in [false, true] {
                    let (mut o, mut t) = (ours.clone(), theirs.clone());
                    o.set_bit(by as u64, value);
                    t.set_bit(by as u64, value);
                    assert_eq!(o, BigUint::from_large(t), "bit {by} of {a:#x} is {value}");
                }
            }
            for b in numbers() {
                let other = BigUint::from(b);
                assert_eq!(
                    (ours.clone() & other.clone()).to_large(),
                    theirs.clone() & Large::from(b),
                    "{a:#x} & {b:#x}"
                );
                if b <= a {
                    assert_eq!(ours.clone() - other, BigUint::from(a - b), "{a:#x} - {b:#x}");
                }
            }
        }
    }
}
