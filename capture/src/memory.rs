//! What memory held when it was last seen
//!
//! QEMU 7.2 tells of an atomic the value behind it, not the one that it loaded. That is the one of the last access of
//! the same bytes, if there was one and the system has not written there since.

use std::collections::HashMap;

const PAGE: u64 = 4096;

struct Page {
    bytes: [u8; PAGE as usize],
    seen: [u64; PAGE as usize / 64],
}

/// Bytes that were seen.
#[derive(Default)]
pub struct Memory {
    pages: HashMap<u64, Box<Page>>,
}

impl Memory {
    /// Nothing seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// `size` bytes, if all of them were seen.
    pub fn get(&self, address: u64, size: u8) -> Option<u64> {
        let mut value = 0;
        for i in 0..u64::from(size) {
            let at = address.wrapping_add(i);
            let page = self.pages.get(&(at / PAGE))?;
            let offset = (at % PAGE) as usize;
            if page.seen[offset / 64] >> (offset % 64) & 1 == 0 {
                return None;
            }
            value |= u64::from(page.bytes[offset]) << (8 * i);
        }
        Some(value)
    }

    /// `size` bytes are these.
    pub fn set(&mut self, address: u64, size: u8, value: u64) {
        for i in 0..u64::from(size) {
            let at = address.wrapping_add(i);
            let page = self
                .pages
                .entry(at / PAGE)
                .or_insert_with(|| Box::new(Page { bytes: [0; PAGE as usize], seen: [0; PAGE as usize / 64] }));
            let offset = (at % PAGE) as usize;
            page.bytes[offset] = (value >> (8 * i)) as u8;
            page.seen[offset / 64] |= 1 << (offset % 64);
        }
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
}
