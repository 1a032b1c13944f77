//! Dictionary of targets: addresses that the target tables, and messages, refer to by their slot
//!
//! Slot `t >> 1 ^ t >> (1 + d) ^ t >> (1 + 2 d)`, with d = log2 of the number of slots. After reset, slot s contains the address
//! 2 s, which belongs to it: so every address is in its own slot at all times.

/// Maximum number of slots.
pub const MAX: usize = 256;

/// Addresses after reset.
const FIRST: [u64; MAX] = {
    let mut addresses = [0; MAX];
    let mut slot = 0;
    while slot < MAX {
        addresses[slot] = 2 * slot as u64;
        slot += 1;
    }
    addresses
};

/// The dictionary of targets, by hash.
#[derive(Clone, Debug)]
pub struct Dictionary {
    addresses: Box<[u64; MAX]>,
    mask: u32,
    log2: u32,
}

impl Dictionary {
    /// State after reset, of 2^`log2` slots.
    pub fn new(log2: u32) -> Self {
        Self { addresses: Box::new(FIRST), mask: (1 << log2) - 1, log2 }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        *self.addresses = FIRST;
    }

    /// d: width of a slot, bits.
    pub fn log2(&self) -> u32 {
        self.log2
    }

    /// The slot of an address.
    #[inline]
    pub fn slot(&self, t: u64) -> u8 {
        ((t >> 1 ^ t >> (1 + self.log2) ^ t >> (1 + 2 * self.log2)) as u32 & self.mask) as u8
    }

    /// The address in a slot.
    #[inline]
    pub fn address(&self, slot: u8) -> u64 {
        self.addresses[usize::from(slot)]
    }

    /// Enters an address in its slot.
    #[inline]
    pub fn enter(&mut self, t: u64) {
        self.addresses[usize::from(self.slot(t))] = t;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_in_one_slot() {
        let mut d = Dictionary::new(3);
        // 0x2b4 >> 1 is 101 011 010
        assert_eq!(d.slot(0x2b4), 0b101 ^ 0b011 ^ 0b010);
        d.enter(0x2b4);
        assert_eq!(d.address(d.slot(0x2b4)), 0x2b4);
        d.enter(0x2b4 ^ 0b1001 << 1);
        assert_eq!(d.address(d.slot(0x2b4)), 0x2b4 ^ 0b1001 << 1);
        d.reset();
        assert!((0..8).all(|slot| d.address(slot) == 2 * u64::from(slot) && d.slot(d.address(slot)) == slot));
    }
}
