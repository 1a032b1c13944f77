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

/// An entry of a tagged table: bits 0 to 2 counter, 3 and 4 usefulness, 8 to 14 tag, 15 valid.
///
/// The counter is -4..=3, in two's complement, and predicts taken from 0 on. Usefulness is 0..=3; with 0 the entry may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry(u16);

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
    pub fn entry(&self, table: usize, location: Location) -> Entry {
        self.entries[table][location.index()]
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
    /// Number of combinations of counter and usefulness.
    pub const STATES: usize = 32;

    /// Number of its combination of counter and usefulness.
    #[inline(always)]
    pub fn state(self) -> usize {
        usize::from(self.0) & (Self::STATES - 1)
    }

    /// An invalid entry with the combination `state`, below [`Entry::STATES`].
    pub const fn in_state(state: usize) -> Self {
        Self(state as u16)
    }

    /// The counter.
    pub const fn counter(self) -> i8 {
        ((self.0 & 7) as i8 ^ 4) - 4
    }

    /// Usefulness.
    #[inline]
    pub const fn useful(self) -> u8 {
        (self.0 >> 3) as u8 & 3
    }

    /// Whether it is the entry of the branch that was looked up.
    #[inline(always)]
    pub fn is_of(self, location: Location) -> bool {
        (self.0 >> 8) as u8 == VALID | location.tag()
    }

    const fn set(self, counter: i8, useful: u8) -> Self {
        Self(self.0 & 0xff00 | (useful as u16) << 3 | (counter & 7) as u16)
    }

    /// Enters a new branch in place of this entry: weak, and not useful.
    pub fn replace(&mut self, location: Location, taken: bool) {
        *self = Self(u16::from(VALID | location.tag()) << 8).set(if taken { 0 } else { -1 }, 0);
    }

    /// Moves the counter towards an outcome.
    const fn learn(self, taken: bool) -> Self {
        let counter = match (self.counter(), taken) {
            (3, true) | (-4, false) => self.counter(),
            (counter, true) => counter + 1,
            (counter, false) => counter - 1,
        };
        self.set(counter, self.useful())
    }

    /// It was right (or not) where the next table was not (or was).
    pub const fn grade(self, right: bool) -> Self {
        let useful = match (self.useful(), right) {
            (3, true) => 3,
            (useful, true) => useful + 1,
            (useful, false) => useful.saturating_sub(1),
        };
        self.set(self.counter(), useful)
    }

    /// It was the provider: graded if the alternate said the opposite, and its counter moves towards the outcome.
    #[inline(always)]
    pub fn provide(&mut self, result: Provided) {
        const NEXT: [[u16; Entry::STATES]; Provided::COUNT] = {
            let mut next = [[0; Entry::STATES]; Provided::COUNT];
            let mut i = 0;
            while i < Provided::COUNT * Entry::STATES {
                let (result, state) = (Provided((i / Entry::STATES) as u8), i % Entry::STATES);
                let entry = Entry::in_state(state);
                let graded = if result.differs() { entry.grade(result.right()) } else { entry };
                next[i / Entry::STATES][state] = graded.learn(result.taken()).0;
                i += 1;
            }
            next
        };
        self.0 = self.0 & 0xff00 | NEXT[usize::from(result.0) % Provided::COUNT][self.state()];
    }

    /// Whether the alternate decides: the counter is at its middle, and the entry was never better than the alternate.
    pub const fn is_weak(self) -> bool {
        matches!(self.counter(), 0 | -1) & (self.useful() == 0)
    }

    /// Distance of the counter from its middle, 0..=3.
    pub const fn strength(self) -> u8 {
        (self.counter() ^ self.counter() >> 7) as u8
    }
}

/// What became of a prediction of a provider: bit 0 it was right, bit 1 the alternate said the opposite, bit 2 the branch was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provided(u8);

impl Provided {
    const COUNT: usize = 8;

    /// Provider and alternate predicted this, and the outcome was `taken`.
    #[inline(always)]
    pub fn new(provider: bool, alternate: bool, taken: bool) -> Self {
        Self(u8::from(provider == taken) | u8::from(provider != alternate) << 1 | u8::from(taken) << 2)
    }

    const fn right(self) -> bool {
        self.0 & 1 != 0
    }

    const fn differs(self) -> bool {
        self.0 & 2 != 0
    }

    /// Outcome of the branch.
    #[inline(always)]
    pub const fn taken(self) -> bool {
        self.0 & 4 != 0
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
        assert_eq!((e.is_of(location), e.is_of(Location(0x400)), e.counter(), e.useful()), (true, false, -1, 0));
        assert!(e.is_weak());
        // the alternate says the same, so usefulness stays
        (0..9).for_each(|_| e.provide(Provided::new(true, true, false)));
        assert_eq!((e.counter(), e.strength(), e.useful(), e.is_weak()), (-4, 3, 0, false));
        (0..9).for_each(|_| e.provide(Provided::new(true, true, true)));
        assert_eq!((e.counter(), e.strength(), e.useful()), (3, 3, 0));
        // right, where the alternate was wrong
        (0..9).for_each(|_| e.provide(Provided::new(true, false, true)));
        assert_eq!((e.counter(), e.useful()), (3, 3));
        let walk: Vec<_> = (0..5)
            .map(|_| {
                e.provide(Provided::new(true, false, false));
                (e.counter(), e.useful(), e.is_weak())
            })
            .collect();
        assert_eq!(walk, [(2, 2, false), (1, 1, false), (0, 0, true), (-1, 0, true), (-2, 0, false)]);
        assert!(e.is_of(location), "the tag stays");
        assert!(!e.set(0, 0).grade(true).is_weak());
    }

    #[test]
    fn the_state_of_an_entry_is_its_counter_and_usefulness() {
        let all: Vec<_> = (0..Entry::STATES).map(Entry::in_state).map(|e| (e.useful(), e.counter())).collect();
        let expected: Vec<_> = (0..4).flat_map(|useful| [0, 1, 2, 3, -4, -3, -2, -1].map(|c| (useful, c))).collect();
        assert_eq!(all, expected);
    }
}
