//! What memory held at the last access, as far as it is remembered: a guess, where exactness is not needed
//!
//! A table by address without names: addresses that are [`WORDS`] words apart share a place. So an access takes one step,
//! and what was forgotten costs a few bytes more.
// Asks the system for large pages; the block says why it holds.
#![allow(unsafe_code)]

/// Words of 8 bytes, a power of 2: 16 MiB, of which the system gives what is touched.
const WORDS: usize = 1 << 21;

/// The system may give the table in pages of 2 MiB: an address at random then need not be looked up in memory.
fn in_large_pages(table: &[u64]) {
    const PAGE: usize = 4096;
    let (begin, end) = (table.as_ptr() as usize, table.as_ptr_range().end as usize);
    let (begin, end) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
    if begin < end {
        // SAFETY: a hint for memory of our own, which changes nothing of what it holds; where it is refused, pages are small.
        unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
    }
}

/// The table.
pub(crate) struct Shadow(Box<[u64]>);

impl Shadow {
    /// Of zeros; for programs without accesses there is no table.
    pub(crate) fn new(wanted: bool) -> Self {
        let table = vec![0; if wanted { WORDS } else { 1 }].into_boxed_slice();
        in_large_pages(&table);
        Self(table)
    }

    #[inline]
    fn place(&self, address: u64) -> (usize, u32) {
        ((address >> 3) as usize & (self.0.len() - 1), 8 * (address & 7) as u32)
    }

    /// What is in the mask's bits. Of bytes that are in two words, those in the first.
    #[inline]
    pub(crate) fn value(&self, address: u64, mask: u64) -> u64 {
        let (at, shift) = self.place(address);
        self.0[at] >> shift & mask
    }

    /// The mask's bits are these; what they were, as [`Shadow::value`].
    #[inline]
    pub(crate) fn set(&mut self, address: u64, mask: u64, value: u64) -> u64 {
        let (at, shift) = self.place(address);
        let word = &mut self.0[at];
        let before = *word >> shift & mask;
        *word = (*word & !(mask << shift)) | (value & mask) << shift;
        before
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
            let mask = crate::memory::low(u64::MAX, size);
            // what is in the next word is not remembered
            let size = u64::from(size).min(8 - address % 8);
            let byte = |i| bytes.get(&((address + i) % end)).map_or(0, |b: &u8| u64::from(*b) << (8 * i));
            let right: u64 = (0..size).map(byte).sum();
            assert_eq!(shadow.value(address, mask), right);
            if x >> 59 & 1 == 0 {
                assert_eq!(shadow.set(address, mask, x), right);
                (0..size).for_each(|i| _ = bytes.insert((address + i) % end, (x >> (8 * i)) as u8));
            }
        }
    }
}
