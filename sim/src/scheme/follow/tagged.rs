//! One table of counters by address and history, with tags
//!
//! An entry is valid, a tag of 7 bits, a counter of -4 to 3 and a usefulness of 0 to 3. Index `pr ^ pr >> (t - 2) ^ F`, tag
//! `pr ^ pr >> 7 ^ Fa ^ Fb << 1`, with t = log2 of the number of entries and the table's history folded to t, 7 and 6 bits.
//!
//! # Source
//! A. Seznec and P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8 (2006).

use super::hash::{Fold, History};

/// Maximum number of entries.
pub const MAX: usize = 256;
/// Width of a tag, bits.
pub const TAG_BITS: u32 = 7;

/// An entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Valid.
    pub valid: bool,
    /// Tag, 7 bits.
    pub tag: u8,
    /// Predicts taken from 0 on. -4..=3.
    pub counter: i8,
    /// 0: the entry may be replaced. 0..=3.
    pub useful: u8,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Tagged {
    entries: Box<[Entry; MAX]>,
    mask: u32,
    log2: u32,
    index: Fold,
    tag: [Fold; 2],
}

impl Tagged {
    /// State after reset, of 2^`log2` entries, for the last `length` bits of the history.
    pub fn new(log2: u32, length: u32) -> Self {
        Self {
            entries: Box::new([Entry::default(); MAX]),
            mask: (1 << log2) - 1,
            log2,
            index: Fold::new(length, log2),
            tag: [Fold::new(length, TAG_BITS), Fold::new(length, TAG_BITS - 1)],
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
        self.index.reset();
        self.tag.iter_mut().for_each(Fold::reset);
    }

    /// Index and tag of a branch whose hashed address is `pr`.
    #[inline]
    pub fn find(&self, pr: u32) -> (u32, u8) {
        let index = (pr ^ pr >> (self.log2 - 2) ^ self.index.value()) & self.mask;
        let tag = pr ^ pr >> TAG_BITS ^ self.tag[0].value() ^ self.tag[1].value() << 1;
        (index, tag as u8 & ((1 << TAG_BITS) - 1))
    }

    /// The entry at `index`.
    #[inline]
    pub fn entry(&self, index: u32) -> &Entry {
        &self.entries[index as usize & (MAX - 1)]
    }

    /// The entry at `index`.
    #[inline]
    pub fn entry_mut(&mut self, index: u32) -> &mut Entry {
        &mut self.entries[index as usize & (MAX - 1)]
    }

    /// Enters a bit into the folded histories; `before` is the history without it.
    #[inline]
    pub fn push(&mut self, bit: bool, before: History) {
        self.index.push(bit, before);
        self.tag[0].push(bit, before);
        self.tag[1].push(bit, before);
    }
}

impl Entry {
    /// Enters a new branch in place of this entry: weak, and not useful.
    pub fn replace(&mut self, tag: u8, taken: bool) {
        *self = Self { valid: true, tag, counter: if taken { 0 } else { -1 }, useful: 0 };
    }

    /// Moves the counter towards an outcome.
    #[inline]
    pub fn learn(&mut self, taken: bool) {
        self.counter = if taken { (self.counter + 1).min(3) } else { (self.counter - 1).max(-4) };
    }

    /// It was right (or not) where the next table was not (or was).
    #[inline]
    pub fn grade(&mut self, right: bool) {
        self.useful = if right { (self.useful + 1).min(3) } else { self.useful.saturating_sub(1) };
    }

    /// Whether the alternate decides: the counter is at its middle, and the entry was never better than the alternate.
    #[inline]
    pub fn is_weak(&self) -> bool {
        matches!(self.counter, 0 | -1) && self.useful == 0
    }

    /// Distance of the counter from its middle, 0..=3.
    #[inline]
    pub fn strength(&self) -> u8 {
        (if self.counter < 0 { -1 - self.counter } else { self.counter }) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_tag_are_those_worked_by_hand() {
        let mut t = Tagged::new(5, 4);
        // 0x123 = 1 0010 0011; shifted by 3: 10 0100. Low five bits 00011 ^ 00100; tag 0100011 ^ 0000010
        assert_eq!(t.find(0x123), (0b00111, 0b010_0001));
        let mut history = History::default();
        for bit in [true, true, false] {
            t.push(bit, history);
            history.push(bit);
        }
        // history 110 in all three folds: index ^ 110, tag ^ 110 ^ 1100
        assert_eq!(t.find(0x123), (0b00001, 0b010_1011));
        t.reset();
        assert_eq!(t.find(0x123), (0b00111, 0b010_0001));
    }

    #[test]
    fn an_entry_walks_between_its_limits() {
        let mut e = Entry::default();
        e.replace(5, false);
        assert_eq!(e, Entry { valid: true, tag: 5, counter: -1, useful: 0 });
        assert!(e.is_weak());
        (0..9).for_each(|_| e.learn(false));
        assert_eq!((e.counter, e.strength(), e.is_weak()), (-4, 3, false));
        (0..9).for_each(|_| e.learn(true));
        assert_eq!((e.counter, e.strength()), (3, 3));
        e.counter = 0;
        e.grade(true);
        assert!(!e.is_weak());
        (0..9).for_each(|_| e.grade(true));
        assert_eq!(e.useful, 3);
        (0..9).for_each(|_| e.grade(false));
        assert_eq!(e.useful, 0);
    }
}
