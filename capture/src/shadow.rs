//! What memory held at the last access, as far as it is remembered: a guess, where exactness is not needed
//!
//! A table by address without names: addresses that are [`WORDS`] words apart share a place. So an access takes one step,
//! and what was forgotten costs a few bytes more.

use crate::memory::low;

/// Words of 8 bytes, a power of 2: 16 MiB, of which the system gives what is touched.
const WORDS: usize = 1 << 21;

/// The table.
pub(crate) struct Shadow(Vec<u64>);

impl Shadow {
    /// Of zeros; for programs without accesses there is no table.
    pub(crate) fn new(wanted: bool) -> Self {
        Self(vec![0; if wanted { WORDS } else { 1 }])
    }

    #[inline]
    fn place(&self, address: u64) -> (usize, u32) {
        ((address >> 3) as usize & (self.0.len() - 1), 8 * (address & 7) as u32)
    }

    /// `size` bytes, 8 at most.
    #[inline]
    pub(crate) fn value(&self, address: u64, size: u8) -> u64 {
        let (at, shift) = self.place(address);
        let mut value = self.0[at] >> shift;
        if shift + 8 * u32::from(size) > 64 {
            value |= self.0[(at + 1) & (self.0.len() - 1)] << (64 - shift);
        }
        low(value, size)
    }

    /// `size` bytes, 8 at most, are these; what they were, as [`Shadow::value`].
    #[inline]
    pub(crate) fn set(&mut self, address: u64, size: u8, value: u64) -> u64 {
        let (at, shift) = self.place(address);
        let (bits, mask) = (low(value, size), low(u64::MAX, size));
        let word = &mut self.0[at];
        let mut before = *word >> shift;
        *word = (*word & !(mask << shift)) | (bits << shift);
        if shift + 8 * u32::from(size) > 64 {
            let (next, left) = ((at + 1) & (self.0.len() - 1), 64 - shift);
            let word = &mut self.0[next];
            before |= *word << left;
            *word = (*word & !(mask >> left)) | (bits >> left);
        }
        low(before, size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn accesses_of_any_size_and_place_are_those_of_bytes() {
        let (mut shadow, mut bytes, mut x) = (Shadow::new(true), HashMap::new(), 1u64);
        // also around the end of the table
        let end = 8 * WORDS as u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (size, address) = (1 << (x >> 60 & 3), end - 40 + (x >> 40) % 80);
            let byte = |i| bytes.get(&((address + i) % end)).map_or(0, |b: &u8| u64::from(*b) << (8 * i));
            let right: u64 = (0..u64::from(size)).map(byte).sum();
            assert_eq!(shadow.value(address, size), right);
            if x >> 59 & 1 == 0 {
                assert_eq!(shadow.set(address, size, x), right);
                (0..u64::from(size)).for_each(|i| _ = bytes.insert((address + i) % end, (x >> (8 * i)) as u8));
            }
        }
    }
}
