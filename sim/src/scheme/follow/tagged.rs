//! Tagged tables: counters by address and history, each table for a longer history than the one before
//!
//! An entry is valid, a tag of 7 bits, a counter of -4 to 3 and a usefulness of 0 to 3. Index `pr ^ pr >> (t - 2) ^ F`, tag
//! `pr ^ pr >> 7 ^ Fa ^ Fb << 1`, with t = log2 of the number of entries and the table's history folded to t, 7 and 6 bits.
//!
//! # Source
//! A. Seznec and P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8 (2006).

use super::hash::{Fold, Folds, History};

/// Lengths of the histories.
pub const LENGTHS: [u32; 3] = [4, 10, 22];
/// Maximum number of entries of a table.
pub const MAX: usize = 256;
/// Width of a tag, bits.
pub const TAG_BITS: u32 = 7;
/// Bits of a [`Location`] in the word of the folds.
const LOCATION_BITS: u32 = 16;
const VALID: u8 = 0x80;

/// Location of a branch in a table: the index, and above it the tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Location(u16);

impl Location {
    /// Index of the entry.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0 as u8)
    }

    /// Tag, 7 bits.
    #[inline]
    pub fn tag(self) -> u8 {
        (self.0 >> 8) as u8
    }
}

/// An entry of a tagged table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The tag, and a bit that says valid.
    key: u8,
    /// Predicts taken from 0 on. -4..=3.
    pub counter: i8,
    /// 0: the entry may be replaced. 0..=3.
    pub useful: u8,
}

/// The tagged tables, by length of history.
#[derive(Clone, Debug)]
pub struct Tagged {
    entries: Box<[[Entry; MAX]; LENGTHS.len()]>,
    tables: usize,
    log2: u32,
    folds: Folds,
    /// The folds of the history.
    folded: u64,
}

impl Tagged {
    /// State after reset, of `tables` tables of 2^`log2` entries.
    pub fn new(tables: u8, log2: u32) -> Self {
        let folds: Vec<(Fold, u32)> = LENGTHS
            .iter()
            .zip((0..).step_by(LOCATION_BITS as usize))
            .flat_map(|(length, at)| {
                let fold = |width| Fold::new(*length, width);
                [(fold(log2), at), (fold(TAG_BITS), at + 8), (fold(TAG_BITS - 1), at + 9)]
            })
            .collect();
        Self {
            entries: Box::new([[Entry::default(); MAX]; LENGTHS.len()]),
            tables: tables.into(),
            log2,
            folds: Folds::new(&folds),
            folded: 0,
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.entries.iter_mut().for_each(|table| table.fill(Entry::default()));
        self.folded = 0;
    }

    /// Number of tables.
    #[inline]
    pub fn tables(&self) -> usize {
        self.tables
    }

    /// Where a branch with the hashed address `pr` is in each table.
    #[inline(always)]
    pub fn find(&self, pr: u32) -> [Location; LENGTHS.len()] {
        let index = (pr ^ pr >> (self.log2 - 2)) & ((1 << self.log2) - 1);
        let tag = (pr ^ pr >> TAG_BITS) & ((1 << TAG_BITS) - 1);
        let address = (tag << 8 | index) as u16;
        [0, 1, 2].map(|table| Location(address ^ (self.folded >> (LOCATION_BITS * table)) as u16))
    }

    /// The entry at a place of a table.
    #[inline]
    pub fn entry(&self, table: usize, location: Location) -> &Entry {
        &self.entries[table][location.index()]
    }

    /// The entry at a place of a table.
    #[inline]
    pub fn entry_mut(&mut self, table: usize, location: Location) -> &mut Entry {
        &mut self.entries[table][location.index()]
    }

    /// Takes the history of the next branch.
    #[inline(always)]
    pub fn set(&mut self, history: History) {
        self.folded = self.folds.of(history);
    }
}

impl Entry {
    /// Whether it is the entry of the branch that was looked up.
    #[inline]
    pub fn is_of(&self, location: Location) -> bool {
        self.key == VALID | location.tag()
    }

    /// Enters a new branch in place of this entry: weak, and not useful.
    pub fn replace(&mut self, location: Location, taken: bool) {
        *self = Self { key: VALID | location.tag(), counter: if taken { 0 } else { -1 }, useful: 0 };
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

    /// It provided the prediction, which was `right` or not; `differs`: the alternate said the opposite. As [`Entry::grade`] if it differs, then
    /// [`Entry::learn`], without branches.
    #[inline(always)]
    pub fn provide(&mut self, right: bool, differs: bool, taken: bool) {
        let up = u8::from(differs & right & (self.useful < 3));
        let down = u8::from(differs & !right & (self.useful > 0));
        self.useful = self.useful + up - down;
        self.counter += i8::from(taken & (self.counter < 3)) - i8::from(!taken & (self.counter > -4));
    }

    /// Number of combinations of counter and usefulness.
    pub const STATES: usize = 32;

    /// Number of its combination of counter and usefulness.
    #[inline(always)]
    pub fn state(&self) -> usize {
        usize::from(self.useful & 3) << 3 | usize::from(self.counter as u8 & 7)
    }

    /// An invalid entry with the combination `state`, below [`Entry::STATES`].
    pub const fn in_state(state: usize) -> Self {
        // the counter has three bits, of which the highest is the sign
        Self { key: 0, counter: ((state & 7) as i8 ^ 4) - 4, useful: (state >> 3) as u8 }
    }

    /// Whether the alternate decides: the counter is at its middle, and the entry was never better than the alternate.
    #[inline]
    pub const fn is_weak(&self) -> bool {
        matches!(self.counter, 0 | -1) & (self.useful == 0)
    }

    /// Distance of the counter from its middle, 0..=3.
    #[inline]
    pub const fn strength(&self) -> u8 {
        (self.counter ^ self.counter >> 7) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_tag_are_those_worked_by_hand() {
        let mut t = Tagged::new(1, 5);
        let first = |t: &Tagged| (t.find(0x123)[0].index(), t.find(0x123)[0].tag());
        // 0x123 = 1 0010 0011; shifted by 3: 10 0100. Low five bits 00011 ^ 00100; tag 0100011 ^ 0000010
        assert_eq!(first(&t), (0b00111, 0b010_0001));
        // history 110 in all three folds: index ^ 110, tag ^ 110 ^ 1100
        t.set(History(0b110));
        assert_eq!(first(&t), (0b00001, 0b010_1011));
        t.reset();
        assert_eq!(first(&t), (0b00111, 0b010_0001));
    }

    #[test]
    fn an_entry_walks_between_its_limits() {
        let (location, mut e) = (Location(0x500), Entry::default());
        assert!(!e.is_of(Location(0)));
        e.replace(location, false);
        assert_eq!((e.is_of(location), e.is_of(Location(0x400)), e.counter, e.useful), (true, false, -1, 0));
        assert!(e.is_weak());
        (0..9).for_each(|_| e.learn(false));
        assert_eq!((e.counter, e.strength(), e.is_weak()), (-4, 3, false));
        (0..9).for_each(|_| e.learn(true));
        assert_eq!((e.counter, e.strength()), (3, 3));
        for state in 0..Entry::STATES {
            let before = Entry::in_state(state);
            assert_eq!(before.state(), state);
            for (right, differs, taken) in (0..8).map(|i| (i & 1 == 1, i & 2 != 0, i & 4 != 0)) {
                let (mut at_once, mut in_turn) = (before, before);
                at_once.provide(right, differs, taken);
                if differs {
                    in_turn.grade(right);
                }
                in_turn.learn(taken);
                assert_eq!(at_once, in_turn, "{before:?}, {right}, {differs}, {taken}");
            }
        }
        e.counter = 0;
        e.grade(true);
        assert!(!e.is_weak());
        (0..9).for_each(|_| e.grade(true));
        assert_eq!(e.useful, 3);
        (0..9).for_each(|_| e.grade(false));
        assert_eq!(e.useful, 0);
    }
}
