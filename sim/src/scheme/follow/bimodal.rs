//! Counters by address: what is predicted where no tagged table knows the branch
//!
//! Two-bit counters, -2 to 1 and 0 after reset, indexed by `pr ^ pr >> b` with b = log2 of their number; taken if the counter is
//! 0 or 1. [`super::tables`] says when a counter learns.

/// Maximum number of counters.
pub const MAX: usize = 4096;

/// A table of bimodal counters.
#[derive(Clone, Debug)]
pub struct Bimodal {
    counters: Box<[i8; MAX]>,
    mask: u32,
    log2: u32,
}

impl Bimodal {
    /// State after reset, of 2^`log2` counters.
    pub fn new(log2: u32) -> Self {
        Self { counters: Box::new([0; MAX]), mask: (1 << log2) - 1, log2 }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.counters.fill(0);
    }

    /// Index of the counter of a branch whose hashed address is `pr`.
    #[inline]
    pub fn index(&self, pr: u32) -> u16 {
        ((pr ^ pr >> self.log2) & self.mask) as u16
    }

    /// The counter at `index`, -2..=1.
    #[inline]
    pub fn counter(&self, index: u16) -> i8 {
        self.counters[usize::from(index) & (MAX - 1)]
    }

    /// Moves the counter at `index` towards an outcome.
    #[inline]
    pub fn learn(&mut self, index: u16, taken: bool) {
        let counter = &mut self.counters[usize::from(index) & (MAX - 1)];
        *counter = if taken { (*counter + 1).min(1) } else { (*counter - 1).max(-2) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_walks_and_stops_at_both_ends() {
        let mut b = Bimodal::new(8);
        let walk = [true, true, false, false, false, false, true].map(|taken| {
            b.learn(3, taken);
            b.counter(3)
        });
        assert_eq!(walk, [1, 1, 0, -1, -2, -2, -1]);
        b.reset();
        assert_eq!(b.counter(3), 0);
    }

    #[test]
    fn the_index_folds_the_address_once() {
        let b = Bimodal::new(8);
        assert_eq!([0x0f, 0x1_0000, 0x0305, 0xffff].map(|pr| b.index(pr)), [0x0f, 0, 0x06, 0]);
    }
}
