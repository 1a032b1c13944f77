//! Last targets by address (T0 of the targets): a slot of the dictionary and a confidence of 0 to 3, without tags
//!
//! Index `pr ^ pr >> n`, with n = log2 of the number of entries. Right: confidence + 1; wrong: the new slot, confidence 0.

/// Maximum number of entries.
pub const MAX: usize = 256;

/// An entry: slot and confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Slot of the dictionary.
    pub slot: u8,
    /// 0..=3.
    pub confidence: u8,
}

/// The table of last targets, by branch.
#[derive(Clone, Debug)]
pub struct Last {
    entries: Box<[Entry; MAX]>,
    mask: u32,
    log2: u32,
}

impl Last {
    /// State after reset, of 2^`log2` entries.
    pub fn new(log2: u32) -> Self {
        Self { entries: Box::new([Entry::default(); MAX]), mask: (1 << log2) - 1, log2 }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
    }

    #[inline]
    fn index(&self, pr: u32) -> usize {
        ((pr ^ pr >> self.log2) & self.mask) as usize & (MAX - 1)
    }

    /// The entry of a branch whose hashed address is `pr`.
    #[inline]
    pub fn look_up(&self, pr: u32) -> Entry {
        self.entries[self.index(pr)]
    }

    /// The branch went to the address in `slot`.
    #[inline]
    pub fn retire(&mut self, pr: u32, slot: u8) {
        let index = self.index(pr);
        let e = &mut self.entries[index];
        *e = if e.slot == slot {
            Entry { slot, confidence: (e.confidence + 1).min(3) }
        } else {
            Entry { slot, confidence: 0 }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_gains_confidence_and_loses_it_at_once() {
        let mut l = Last::new(4);
        let walk = [5, 5, 5, 5, 5, 2, 2].map(|slot| {
            l.retire(0x123, slot);
            l.look_up(0x123).confidence
        });
        assert_eq!(walk, [0, 1, 2, 3, 3, 0, 1]);
        // 0x123 ^ 0x12: the same entry as 1
        assert_eq!((l.look_up(1).slot, l.look_up(0).slot), (2, 0));
    }
}
