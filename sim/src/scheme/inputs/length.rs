//! Lengths in a Rice code whose parameter follows a running mean, which the decoder computes too
//!
//! k is floor(log2 m), where m is the mean of the lengths so far. Each length moves the mean by an eighth of the difference. A
//! length n is coded as n >> k ones, a zero, and the low k bits of n. After 12 ones there is no zero: 32 bits of n follow.
//!
//! # Source
//! R. F. Rice, JPL Publication 79-22 (1979); the running mean as in JPEG-LS (ITU-T T.87, annex A).

use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;

/// Number of ones that announce a length of 32 bits.
const UNARY: u32 = 12;
/// Fraction bits of the mean.
const FRACTION: u32 = 4;

/// State of the code of one core, the same in encoder and decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rice {
    mean: u64,
}

impl Rice {
    /// State with an initial guess of the mean.
    pub fn new(mean: u32) -> Self {
        Self { mean: u64::from(mean) << FRACTION }
    }

    fn k(&self) -> u32 {
        (self.mean >> FRACTION).max(1).ilog2()
    }

    /// Updates the mean with a length. Not to be called for escapes.
    pub fn learn(&mut self, length: u32) {
        self.mean = self.mean - (self.mean >> 3) + (u64::from(length) << FRACTION >> 3);
    }

    /// Appends a length.
    pub fn write(&self, length: u32, out: &mut BitWriter) {
        let k = self.k();
        let ones = length >> k;
        if ones >= UNARY {
            out.push((1 << UNARY) - 1, UNARY);
            out.push(length.into(), 32);
        } else {
            out.push((1 << ones) - 1, ones + 1);
            out.push(u64::from(length) & ((1 << k) - 1), k);
        }
    }

    /// Reads a length.
    pub fn read<I: Iterator<Item = u32>>(&self, input: &mut BitReader<I>) -> Result<u32, CodingError> {
        let mut take = |bits| input.take(bits).ok_or(CodingError::Truncated);
        let k = self.k();
        let mut ones = 0;
        while take(1)? == 1 {
            ones += 1;
            if ones == UNARY {
                return Ok(take(32)? as u32);
            }
        }
        Ok(ones << k | take(k)? as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::as_bits;
    use bitvec::prelude::*;
    use proptest::prelude::*;

    /// Mean 8: k = 3. 0 is `0 000`; 13 = 1 * 8 + 5 is `1 0`, then 5 = `101` from the low end; 96 = 12 * 8 is twelve ones
    /// and 32 bits. A 64 moves the mean to 8 - 1 + 8 = 15, k = 3 still; another to 15 - 1.875 + 8 = 21, k = 4.
    #[test]
    fn worked_by_hand() {
        let bits = |r: &Rice, n: u32| {
            let mut w = BitWriter::new();
            r.write(n, &mut w);
            let len = w.len() as usize;
            w.pad();
            as_bits(w.words())[..len].iter().by_vals().collect::<BitVec>()
        };
        let mut r = Rice::new(8);
        assert_eq!(bits(&r, 0), bitvec![0, 0, 0, 0]);
        assert_eq!(bits(&r, 13), bitvec![1, 0, 1, 0, 1]);
        assert_eq!(bits(&r, 96).len(), 44);
        r.learn(64);
        assert_eq!((r.mean, r.k()), (15 << 4, 3));
        r.learn(64);
        assert_eq!((r.mean >> 4, r.k()), (21, 4));
    }

    proptest! {
        #[test]
        fn any_lengths_come_back(lengths in prop::collection::vec(any::<u32>(), 1..60), shift in 0u32..32, mean in 0u32..1000) {
            let (mut at, mut w) = (Rice::new(mean), BitWriter::new());
            for n in &lengths {
                at.write(n >> shift, &mut w);
                at.learn(n >> shift);
            }
            w.pad();
            let words: Vec<u32> = w.drain().collect();
            let (mut at, mut r) = (Rice::new(mean), BitReader::new(words.into_iter()));
            for n in &lengths {
                prop_assert_eq!(at.read(&mut r), Ok(n >> shift));
                at.learn(n >> shift);
            }
        }
    }
}
