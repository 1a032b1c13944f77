//! Memory content as of the last access
//!
//! For an atomic, QEMU 7.2 provides the value after it, not the one that it loaded. That is the value of the last
//! access to the same bytes, if there was one and the system has not written there since.

use std::collections::HashMap;

const PAGE: usize = 4096;
/// Pages that are found without a table look-up, a power of 2.
const NEAR: usize = 256;

struct Page {
    bytes: [u8; PAGE],
    seen: [u64; PAGE / 64],
}

/// Known bytes of memory.
pub struct Memory {
    index: HashMap<u64, u32>,
    pages: Vec<Box<Page>>,
    /// Page and its index in `pages`, by the low bits of the page number.
    near: Vec<(u64, u32)>,
}

impl Default for Memory {
    fn default() -> Self {
        // no page has this number
        Self { index: HashMap::new(), pages: Vec::new(), near: vec![(u64::MAX, 0); NEAR] }
    }
}

/// The lowest `size` bytes of a value.
#[inline]
pub fn low(value: u64, size: u8) -> u64 {
    if size < 8 {
        value & ((1 << (8 * size)) - 1)
    } else {
        value
    }
}

impl Memory {
    /// Memory without known bytes.
    pub fn new() -> Self {
        Self::default()
    }

    #[inline]
    fn place(&mut self, page: u64) -> &mut Page {
        let near = &mut self.near[page as usize % NEAR];
        if near.0 != page {
            let place = *self.index.entry(page).or_insert_with(|| {
                self.pages.push(Box::new(Page { bytes: [0; PAGE], seen: [0; PAGE / 64] }));
                (self.pages.len() - 1) as u32
            });
            *near = (page, place);
        }
        &mut self.pages[near.1 as usize]
    }

    /// Reads up to 8 bytes; unknown bytes are 0.
    #[inline]
    pub fn value(&mut self, address: u64, size: u8) -> u64 {
        let offset = address as usize % PAGE;
        let page = self.place(address / PAGE as u64);
        if let Some(bytes) = page.bytes[offset..].first_chunk() {
            return low(u64::from_le_bytes(*bytes), size);
        }
        let byte = |i: u8| {
            let at = address.wrapping_add(i.into());
            u64::from(self.place(at / PAGE as u64).bytes[at as usize % PAGE]) << (8 * i)
        };
        (0..size).map(byte).sum()
    }

    /// Reads `size` bytes; `None` unless all of them are known.
    pub fn get(&mut self, address: u64, size: u8) -> Option<u64> {
        for i in 0..u64::from(size) {
            let at = address.wrapping_add(i);
            let offset = at as usize % PAGE;
            if self.place(at / PAGE as u64).seen[offset / 64] >> (offset % 64) & 1 == 0 {
                return None;
            }
        }
        Some(self.value(address, size))
    }

    /// Writes up to 8 bytes; returns the previous value as [`Memory::value`].
    #[inline]
    pub fn set(&mut self, address: u64, size: u8, value: u64) -> u64 {
        let offset = address as usize % PAGE;
        let page = self.place(address / PAGE as u64);
        let bits = offset % 64;
        match page.bytes[offset..].first_chunk_mut() {
            Some(bytes) if bits + usize::from(size) <= 64 => {
                let before = u64::from_le_bytes(*bytes);
                *bytes = (low(value, size) | (before & !low(u64::MAX, size))).to_le_bytes();
                page.seen[offset / 64] |= ((1 << size) - 1) << bits;
                low(before, size)
            }
            _ => self.set_bytes(address, size, value),
        }
    }

    #[cold]
    fn set_bytes(&mut self, address: u64, size: u8, value: u64) -> u64 {
        let before = self.value(address, size);
        for i in 0..size {
            let at = address.wrapping_add(i.into());
            let (page, offset) = (self.place(at / PAGE as u64), at as usize % PAGE);
            page.bytes[offset] = (value >> (8 * i)) as u8;
            page.seen[offset / 64] |= 1 << (offset % 64);
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_last_seen() {
        let mut memory = Memory::new();
        assert_eq!(memory.get(0xffe, 4), None);
        memory.set(0xffe, 4, 0x4433_2211);
        assert_eq!(memory.get(0xffe, 4), Some(0x4433_2211));
        memory.set(0x1000, 1, 0xaa);
        assert_eq!(memory.get(0xfff, 2), Some(0xaa22));
        assert_eq!(memory.get(0xfff, 4), None);
    }

    #[test]
    fn accesses_of_any_size_and_place_are_those_of_bytes() {
        let (mut memory, mut bytes, mut x) = (Memory::new(), HashMap::new(), 1u64);
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (size, address) = (1 << (x >> 60 & 3), 3 * PAGE as u64 - 80 + (x >> 40) % 160);
            let right = (0..u64::from(size)).map(|i| bytes.get(&(address + i)).map(|b: &u8| u64::from(*b) << (8 * i)));
            let right: Vec<Option<u64>> = right.collect();
            assert_eq!(memory.value(address, size), right.iter().flatten().sum::<u64>());
            assert_eq!(memory.get(address, size), right.iter().copied().sum::<Option<u64>>());
            if x >> 59 & 1 == 0 {
                assert_eq!(memory.set(address, size, x), right.iter().flatten().sum::<u64>());
                (0..u64::from(size)).for_each(|i| _ = bytes.insert(address + i, (x >> (8 * i)) as u8));
            }
        }
    }
}
