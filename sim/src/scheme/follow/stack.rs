//! Return addresses: a ring without a depth
//!
//! A pop below the oldest address returns what is there: after reset 0, later an address that was popped before or overwritten.

/// Maximum number of entries.
pub const MAX: usize = 64;

/// A ring of return addresses.
#[derive(Clone, Debug)]
pub struct Stack {
    addresses: Box<[u64; MAX]>,
    mask: u8,
    /// The newest address.
    top: u8,
}

impl Stack {
    /// State after reset. `entries` is a power of two.
    pub fn new(entries: u8) -> Self {
        Self { addresses: Box::new([0; MAX]), mask: entries - 1, top: 0 }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.addresses.fill(0);
        self.top = 0;
    }

    /// The newest address.
    #[inline]
    pub fn top(&self) -> u64 {
        self.addresses[usize::from(self.top) & (MAX - 1)]
    }

    /// Removes the newest address.
    #[inline]
    pub fn pop(&mut self) {
        self.top = self.top.wrapping_sub(1) & self.mask;
    }

    /// Adds an address.
    #[inline]
    pub fn push(&mut self, address: u64) {
        self.top = (self.top + 1) & self.mask;
        self.addresses[usize::from(self.top) & (MAX - 1)] = address;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_wraps_in_both_directions() {
        let mut s = Stack::new(4);
        (1..=5).for_each(|a| s.push(a));
        let popped: Vec<u64> = (0..6).map(|_| (s.top(), s.pop()).0).collect();
        // 1 was overwritten by 5
        assert_eq!(popped, [5, 4, 3, 2, 5, 4]);
    }
}
