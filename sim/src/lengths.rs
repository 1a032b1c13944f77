//! Lengths of the numbers in a stream, from which chunk sizes are chosen

use crate::chunk::{self, Chunks};
use serde::{Deserialize, Serialize};

/// Histogram of a field: `counts[n]` values have n significant bits (0 for the value 0).
///
/// Chunk sizes depend on nothing else ([`chunk::len`]), so the best ones can be found without
/// another run. Papers 000 (section 5) and 002 (section 5.2) chose theirs from the same
/// distribution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// Number of values by significant bits, up to the longest.
    pub counts: Vec<u64>,
}

impl Lengths {
    /// Counts one value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let bits = (64 - value.leading_zeros()) as usize;
        if bits >= self.counts.len() {
            self.counts.resize(bits + 1, 0);
        }
        self.counts[bits] += 1;
    }

    /// Number of values.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Total bits of all values in `chunks`.
    pub fn cost(&self, chunks: Chunks) -> u64 {
        let len = |bits: usize| u64::from(chunk::len(if bits == 0 { 0 } else { 1 << (bits - 1) }, chunks));
        self.counts.iter().enumerate().map(|(bits, n)| n * len(bits)).sum()
    }

    /// The cheapest chunk sizes of 1..=`max` bits each, and their cost; of equal ones that with the smallest first chunk.
    pub fn best(&self, max: u8) -> (Chunks, u64) {
        let all = (1..=max).flat_map(|first| (1..=max).map(move |next| Chunks::new(first, next)));
        all.map(|c| (c, self.cost(c))).min_by_key(|c| c.1).unwrap_or((Chunks::new(1, 1), 0))
    }
}

impl std::ops::AddAssign<&Self> for Lengths {
    fn add_assign(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }
}

/// [`Lengths`] of every variable field of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldLengths {
    /// `bCnt`; SL of the Nexus-like schemes.
    pub b_cnt: Lengths,
    /// `|diffTA|`, including exceptions and syncs.
    pub diff_ta: Lengths,
    /// `diffCC`, of time-stamped streams.
    pub diff_cc: Lengths,
    /// `iCnt` of escape messages.
    pub i_cnt: Lengths,
}

impl std::ops::AddAssign<&Self> for FieldLengths {
    fn add_assign(&mut self, other: &Self) {
        self.b_cnt += &other.b_cnt;
        self.diff_ta += &other.diff_ta;
        self.diff_cc += &other.diff_cc;
        self.i_cnt += &other.i_cnt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_cost_what_the_values_take_and_best_is_the_least() {
        let values = [0u64, 1, 1, 3, 7, 8, 9, 500, 70_000];
        let mut l = Lengths::default();
        values.iter().for_each(|v| l.add(*v));
        assert_eq!((l.total(), l.counts[0], l.counts[1], l.counts[4]), (9, 1, 2, 2));
        let cost = |c| values.iter().map(|v| u64::from(chunk::len(*v, c))).sum::<u64>();
        let (best, bits) = l.best(8);
        assert_eq!(bits, cost(best));
        for first in 1..=8 {
            for next in 1..=8 {
                let c = Chunks::new(first, next);
                assert_eq!(l.cost(c), cost(c));
                assert!(cost(c) >= bits, "{c} is cheaper than {best}");
            }
        }
    }
}
