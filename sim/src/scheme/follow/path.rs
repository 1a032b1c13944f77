//! Targets by address and path (T1 of the targets): with tags, a slot of the dictionary and a confidence of 0 to 3
//!
//! Index `pr ^ pr >> (n - 1) ^ F`, tag (6 bits) `pr ^ pr >> 6 ^ Fa ^ Fb << 1`, with n = log2 of the number of entries and the last 12
//! bits of the history folded to n, 6 and 5 bits.
//!
//! At a hit the confidence moves by one; if the slot is wrong at confidence 0, it is replaced. Without a hit, and where
//! [`last`](super::last) was wrong, an entry that is invalid or has confidence 0 is replaced; any other loses one of its confidence.

use super::hash::{Fold, Folds, History};

/// Maximum number of entries.
pub const MAX: usize = 256;
/// Bits of the history.
pub const LENGTH: u32 = 12;
/// Width of a tag, bits.
pub const TAG_BITS: u32 = 6;
/// Position of the tag in the word of the folds.
const TAG_AT: u32 = 8;

/// An entry of the path predictor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Valid.
    pub valid: bool,
    /// Tag, 6 bits.
    pub tag: u8,
    /// Slot of the dictionary.
    pub slot: u8,
    /// 0..=3.
    pub confidence: u8,
}

/// The table; it may have no entries.
#[derive(Clone, Debug)]
pub struct Paths {
    entries: Box<[Entry; MAX]>,
    log2: Option<u32>,
    folds: Folds,
    /// The history of the next branch.
    history: History,
}

impl Paths {
    /// State after reset, of 2^`log2` entries.
    pub fn new(log2: Option<u32>) -> Self {
        Self {
            entries: Box::new([Entry::default(); MAX]),
            log2,
            folds: Folds::new(&[
                (Fold::new(LENGTH, log2.unwrap_or(TAG_BITS)), 0),
                (Fold::new(LENGTH, TAG_BITS), TAG_AT),
                (Fold::new(LENGTH, TAG_BITS - 1), TAG_AT + 1),
            ]),
            history: History::default(),
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
        self.history = History::default();
    }

    #[inline]
    fn find(&self, log2: u32, pr: u32) -> (usize, u8) {
        let folded = self.folds.of(self.history) as u32;
        let index = (pr ^ pr >> (log2 - 1) ^ folded) & ((1 << log2) - 1);
        let tag = pr ^ pr >> TAG_BITS ^ folded >> TAG_AT;
        (index as usize & (MAX - 1), tag as u8 & ((1 << TAG_BITS) - 1))
    }

    /// The entry of a branch whose hashed address is `pr`, if it is there.
    #[inline]
    pub fn look_up(&self, pr: u32) -> Option<Entry> {
        let (index, tag) = self.find(self.log2?, pr);
        Some(self.entries[index]).filter(|e| e.valid && e.tag == tag)
    }

    /// The branch went to the address in `slot`; `last_right`: table [`last`](super::last) knew it.
    #[inline]
    pub fn retire(&mut self, pr: u32, slot: u8, last_right: bool) {
        let Some(log2) = self.log2 else { return };
        let (index, tag) = self.find(log2, pr);
        let e = &mut self.entries[index];
        if e.valid && e.tag == tag {
            if e.slot == slot {
                e.confidence = (e.confidence + 1).min(3);
            } else if e.confidence == 0 {
                e.slot = slot;
            } else {
                e.confidence -= 1;
            }
        } else if !last_right {
            if e.valid && e.confidence > 0 {
                e.confidence -= 1;
            } else {
                *e = Entry { valid: true, tag, slot, confidence: 0 };
            }
        }
    }

    /// Enters a bit into the history; `before` is the history without it.
    #[inline]
    pub fn push(&mut self, bit: bool, before: History) {
        self.history = before;
        self.history.push(bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PR: u32 = 0x155;

    #[test]
    fn an_entry_is_made_where_the_last_target_was_wrong_and_changes_its_slot_at_confidence_0() {
        let mut p = Paths::new(Some(4));
        p.retire(PR, 3, true);
        assert_eq!(p.look_up(PR), None);
        let walk = [3, 3, 4, 4].map(|slot| {
            p.retire(PR, slot, false);
            p.look_up(PR).map(|e| (e.slot, e.confidence))
        });
        assert_eq!(walk, [Some((3, 0)), Some((3, 1)), Some((3, 0)), Some((4, 0))]);
    }

    #[test]
    fn another_branch_replaces_an_entry_without_confidence() {
        let mut p = Paths::new(Some(4));
        (0..3).for_each(|_| p.retire(PR, 3, false));
        // the same index, another tag: bit 7 is above the index, and bit 1 of the tag
        let other = PR ^ 0x80;
        assert_eq!(p.find(4, other).0, p.find(4, PR).0);
        let kept: Vec<bool> = (0..3).map(|_| (p.retire(other, 5, false), p.look_up(PR).is_some()).1).collect();
        assert_eq!(kept, [true, true, false]);
        assert_eq!(p.look_up(other).map(|e| e.slot), Some(5));
    }

    #[test]
    fn the_path_chooses_the_entry() {
        let mut p = Paths::new(Some(4));
        let mut history = History::default();
        for bit in [true, false, true] {
            p.push(bit, history);
            history.push(bit);
        }
        // 0x155 ^ 0x2a, low four bits 1111, and 101; tag 010101 ^ 000101 ^ 101 ^ 1010
        assert_eq!(p.find(4, PR), (0b1010, 0b01_1111));
        p.retire(PR, 3, false);
        (0..12).for_each(|_| {
            p.push(false, history);
            history.push(false);
        });
        assert_eq!(p.look_up(PR), None);
        assert_eq!(Paths::new(None).look_up(PR), None);
    }
}
