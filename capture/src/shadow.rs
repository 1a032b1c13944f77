//! Approximate memory content as of the last access: a guess, for uses that need no exactness
//!
//! A table indexed by address, without tags: addresses that are [`BYTES`] apart share an entry. So an access takes one
//! step, and a collision costs a few bytes.
// Requests large pages from the system; the block states why it is sound.
#![allow(unsafe_code)]

/// Size of the table, a power of 2: 16 MiB, of which the system allocates the pages that are touched.
const BYTES: usize = 1 << 24;

/// Lets the system use 2 MiB pages for the table: random accesses then cause fewer TLB misses.
fn in_large_pages(table: &[u8]) {
    const PAGE: usize = 4096;
    let (begin, end) = (table.as_ptr() as usize, table.as_ptr_range().end as usize);
    let (begin, end) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
    if begin < end {
        // SAFETY: a hint for our own memory, which does not change its content; if it is refused, pages remain small.
        unsafe { libc::madvise(begin as *mut libc::c_void, end - begin, libc::MADV_HUGEPAGE) };
    }
}

/// The table, with padding for accesses across its end.
pub(crate) struct Shadow(Box<[u8; BYTES + 8]>);

impl Shadow {
    /// A table of zeros.
    pub(crate) fn new() -> Self {
        let table: Box<[u8]> = vec![0; BYTES + 8].into();
        in_large_pages(&table);
        match table.try_into() {
            Ok(table) => Self(table),
            Err(_) => unreachable!("as many as were asked for"),
        }
    }

    /// Reads 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn value(&self, address: u64, log_size: u32) -> u64 {
        let at = address as usize % BYTES;
        match log_size {
            0 => self.0[at].into(),
            1 => u16::from_le_bytes(part(&self.0[at..at + 2])).into(),
            2 => u32::from_le_bytes(part(&self.0[at..at + 4])).into(),
            _ => u64::from_le_bytes(part(&self.0[at..at + 8])),
        }
    }

    /// Writes 1, 2, 4 or 8 bytes. Touches no other bytes: to preserve them it would have to wait for memory.
    #[inline(always)]
    pub(crate) fn set(&mut self, address: u64, log_size: u32, value: u64) {
        let at = address as usize % BYTES;
        match log_size {
            0 => self.0[at] = value as u8,
            1 => self.0[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            2 => self.0[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => self.0[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        }
    }
}

#[inline(always)]
fn part<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut part = [0; N];
    part.copy_from_slice(bytes);
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn accesses_of_any_size_and_place_are_those_of_bytes() {
        let (mut shadow, mut bytes, mut x) = (Shadow::new(), HashMap::new(), 1u64);
        // also around the end of the table
        let end = BYTES as u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (log_size, address) = ((x >> 60 & 3) as u32, end - 40 + (x >> 40) % 80);
            // does not wrap around at the end
            let byte = |i| address % end + i;
            let right: u64 =
                (0..1 << log_size).map(|i| bytes.get(&byte(i)).map_or(0, |b: &u8| u64::from(*b) << (8 * i))).sum();
            assert_eq!(shadow.value(address, log_size), right);
            if x >> 59 & 1 == 0 {
                shadow.set(address, log_size, x);
                (0..1 << log_size).for_each(|i| _ = bytes.insert(byte(i), (x >> (8 * i)) as u8));
            }
        }
    }
}
