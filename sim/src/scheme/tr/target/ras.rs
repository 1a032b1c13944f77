//! Return address stack
//!
//! Circular, r entries: a call pushes the address after it, and a push to a full stack overwrites
//! the oldest entry; a return predicts the top entry and pops it. An empty stack (or r = 0) predicts nothing.
//!
//! # Source
//! Paper 000 section 5, paper 003 section 4.3; tested against its figure 4.33.

/// Golden model of the stack. Addresses are stored as they are passed in: the caller masks them if only the
/// lower bits are kept.
#[derive(Clone, Debug)]
pub struct Ras {
    entries: [u64; 32],
    top: usize,
    used: usize,
    size: usize,
}

impl Ras {
    /// An empty stack of `size` entries: 0, 8, 16 or 32.
    pub fn new(size: u8) -> Self {
        assert!(matches!(size, 0 | 8 | 16 | 32), "size = {size} is outside 0, 8, 16 or 32");
        Self { entries: [0; 32], top: 0, used: 0, size: usize::from(size) }
    }

    /// Empties the stack.
    pub fn reset(&mut self) {
        self.used = 0;
        self.top = 0;
    }

    /// Pushes `address`, the one after a call.
    #[inline]
    pub fn push(&mut self, address: u64) {
        if self.size != 0 {
            self.top = (self.top + 1) & (self.size - 1);
            self.entries[self.top & 31] = address;
            self.used = (self.used + 1).min(self.size);
        }
    }

    /// Predicted target of a return.
    #[inline]
    pub fn peek(&self) -> Option<u64> {
        (self.used != 0).then(|| self.entries[self.top & 31])
    }

    /// Removes the top entry, if there is one, for a return.
    #[inline]
    pub fn pop(&mut self) {
        if self.used != 0 {
            self.used -= 1;
            self.top = self.top.wrapping_sub(1) & (self.size - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper 003 figures 4.32 and 4.33: main calls funct, which calls itself five times; six returns
    /// are predicted, and the one to the loader finds the stack empty.
    #[test]
    fn figure_4_33_of_paper_003() {
        let mut ras = Ras::new(8);
        ras.push(0x40_04a6);
        for _ in 0..5 {
            ras.push(0x40_0493);
        }
        for expected in [0x40_0493; 5].into_iter().chain([0x40_04a6]) {
            assert_eq!(ras.peek(), Some(expected));
            ras.pop();
        }
        assert_eq!(ras.peek(), None);
    }

    #[test]
    fn an_overflow_overwrites_the_oldest() {
        let mut ras = Ras::new(8);
        for a in 0..10 {
            ras.push(a);
        }
        for a in (2..10).rev() {
            assert_eq!(ras.peek(), Some(a));
            ras.pop();
        }
        assert_eq!(ras.peek(), None);
        ras.pop();
        ras.push(7);
        assert_eq!(ras.peek(), Some(7));
    }

    #[test]
    fn no_entries_predict_nothing() {
        let mut ras = Ras::new(0);
        ras.push(4);
        assert_eq!(ras.peek(), None);
        ras.pop();
    }
}
