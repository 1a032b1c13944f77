//! Bimodal and tagged tables of one core, which learn a conditional when the next one is looked up
//!
//! The **provider** is the hit with the longest history, the **alternate** the next hit, or the bimodal counter. A weak provider
//! ([`Entry::is_weak`](super::tagged::Entry::is_weak)) lets the alternate decide.
//!
//! One conditional is [`Tables::look_up`], then [`Tables::retire`], then [`Tables::push`] with its outcome. `retire` writes what the
//! conditional **before** this one has learnt, so a circuit writes the tables in the cycle in which it reads them for the next
//! conditional, and forwards nothing. What is written depends on the entries as they are at that time, and on the indices, the tags,
//! the provider and the two predictions of the look-up; the entry is not compared again. The history has no delay.
//!
//! Learning, in this order:
//!
//! 1. If provider and alternate differed, the provider's usefulness moves by one.
//! 2. The provider's counter moves by one; without a provider, that of the bimodal table.
//! 3. If the prediction was wrong, the first longer table whose entry has usefulness 0 takes the branch. The search begins one table
//!    further if the low two bits of the register R are 0 and there is such a table. If it finds none, the usefulness of the
//!    entries in all longer tables is reduced by one.
//! 4. R, 8 bits and 1 after reset, takes one step: right by one, and exclusive or with 0xb4 if the bit that leaves is 1.
//!
//! # Source
//! As [`super::tagged`]; the late learning and the register are ours.

use super::bimodal::Bimodal;
use super::hash::History;
use super::tagged::{Entry, Location, Provided, Tagged, LENGTHS};

/// Bimodal and tagged tables.
#[derive(Clone, Debug)]
pub struct Tables {
    bimodal: Bimodal,
    tagged: Tagged,
    random: u8,
    waiting: Option<Waiting>,
}

/// What is kept of a conditional until it is learnt.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    bimodal: u16,
    locations: [Location; LENGTHS.len()],
    provider: u8,
    result: Provided,
    /// The prediction was wrong.
    wrong: bool,
}

/// Prediction of the tables for a conditional, and the locations that it was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookUp {
    /// Predicted outcome.
    pub taken: bool,
    /// How sure the prediction is: bimodal counter weak 0, strong 1; provider weak 2, at strength 0 or 1 3, 2 4, 3 5.
    pub class: u8,
    /// Number of the tagged table that is the provider, from 1; 0 without a provider.
    pub provider: u8,
    /// What provider and alternate predict; the same without a provider.
    pub provider_taken: bool,
    /// As `provider_taken`.
    pub alternate_taken: bool,
    /// Index of the bimodal counter.
    pub bimodal: u16,
    /// Where the branch is in each tagged table.
    pub locations: [Location; LENGTHS.len()],
}

/// Provider and alternate, as [`LookUp::provider`], for each set of tagged tables that have the branch; bit 0 is the first table.
const PROVIDERS: [(u8, u8); 1 << LENGTHS.len()] = [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 2)];

/// What a table says of a branch that it has: bit 0 taken, bit 1 weak, and the class above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said(u8);

impl Said {
    /// Of a bimodal counter.
    #[inline(always)]
    fn of_counter(counter: i8) -> Self {
        Self(u8::from(counter >= 0) | u8::from(matches!(counter, -2 | 1)) << 2)
    }

    /// Of an entry of a tagged table.
    #[inline(always)]
    fn of_entry(entry: Entry) -> Self {
        const SAID: [u8; Entry::STATES] = {
            let mut said = [0; Entry::STATES];
            let mut state = 0;
            while state < Entry::STATES {
                let entry = Entry::in_state(state);
                let class = match (entry.is_weak(), entry.strength()) {
                    (true, _) => 2,
                    (false, 0) => 3,
                    (false, strength) => 2 + strength,
                };
                said[state] = (entry.counter() >= 0) as u8 | (entry.is_weak() as u8) << 1 | class << 2;
                state += 1;
            }
            said
        };
        Self(SAID[entry.state()])
    }

    #[inline(always)]
    fn taken(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline(always)]
    fn is_weak(self) -> bool {
        self.0 & 2 != 0
    }

    #[inline(always)]
    fn class(self) -> u8 {
        self.0 >> 2
    }
}

impl Tables {
    /// State after reset: 2^`log2_bimodal` counters, and `tables` tagged tables of 2^`log2_tagged` entries each.
    pub fn new(log2_bimodal: u32, tables: u8, log2_tagged: u32) -> Self {
        Self { bimodal: Bimodal::new(log2_bimodal), tagged: Tagged::new(tables, log2_tagged), random: 1, waiting: None }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.bimodal.reset();
        self.tagged.reset();
        self.random = 1;
        self.waiting = None;
    }

    /// The prediction for a conditional with the hashed address `pr`.
    // No branches: their outcomes are those of the hits, which the processor that runs this would often mispredict.
    #[inline(always)]
    pub fn look_up(&self, pr: u32) -> LookUp {
        let bimodal = self.bimodal.index(pr);
        let locations = self.tagged.find(pr);
        // a table that the predictor does not have has no valid entries
        let (mut hits, mut said) = (0, u32::from(Said::of_counter(self.bimodal.counter(bimodal)).0));
        for (i, location) in locations.into_iter().enumerate() {
            let entry = self.tagged.entry(i, location);
            hits |= usize::from(entry.is_of(location)) << i;
            said |= u32::from(Said::of_entry(entry).0) << (8 * (i + 1));
        }
        let (provider, alternate) = PROVIDERS[hits];
        let of = |table: u8| Said((said >> (8 * u32::from(table))) as u8);
        let (provider_taken, alternate_taken) = (of(provider).taken(), of(alternate).taken());
        let weak = of(provider).is_weak();
        LookUp {
            taken: provider_taken & !weak | alternate_taken & weak,
            class: of(provider).class(),
            provider,
            provider_taken,
            alternate_taken,
            bimodal,
            locations,
        }
    }

    /// The conditional of `found` had this outcome. Learns the one before.
    #[inline(always)]
    pub fn retire(&mut self, found: LookUp, taken: bool) {
        let LookUp { bimodal, locations, provider, provider_taken, alternate_taken, .. } = found;
        let result = Provided::new(provider_taken, alternate_taken, taken);
        let wrong = found.taken != taken;
        if let Some(before) = self.waiting.replace(Waiting { bimodal, locations, provider, result, wrong }) {
            self.learn(&before);
        }
    }

    #[inline(always)]
    fn learn(&mut self, found: &Waiting) {
        if let Some(i) = usize::from(found.provider).checked_sub(1) {
            self.tagged.entry_mut(i, found.locations[i]).provide(found.result);
        } else {
            self.bimodal.learn(found.bimodal, found.result.taken());
        }
        if found.wrong {
            self.allocate(found);
        }
        self.random = self.random >> 1 ^ if self.random & 1 == 1 { 0xb4 } else { 0 };
    }

    #[inline(never)]
    fn allocate(&mut self, found: &Waiting) {
        let first = usize::from(found.provider);
        let tables = self.tagged.tables();
        let skips = self.random & 3 == 0 && first + 1 < tables;
        let longer = |from| found.locations.into_iter().enumerate().take(tables).skip(from);
        for (i, location) in longer(first + usize::from(skips)) {
            let entry = self.tagged.entry_mut(i, location);
            if entry.useful() == 0 {
                return entry.replace(location, found.result.taken());
            }
        }
        for (i, location) in longer(first) {
            let entry = self.tagged.entry_mut(i, location);
            *entry = entry.grade(false);
        }
    }

    /// Enters a bit into the folded histories; `before` is the history without it.
    #[inline(always)]
    pub fn push(&mut self, bit: bool, before: History) {
        let mut history = before;
        history.push(bit);
        self.tagged.set(history);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PR: u32 = 0x21;

    /// One conditional; the history is not used.
    fn step(t: &mut Tables, pr: u32, taken: bool) -> LookUp {
        let found = t.look_up(pr);
        t.retire(found, taken);
        found
    }

    /// A conditional that was taken, and predicted wrongly.
    fn waiting(found: LookUp) -> Waiting {
        let LookUp { bimodal, locations, provider, .. } = found;
        Waiting { bimodal, locations, provider, result: Provided::new(false, false, true), wrong: true }
    }

    #[test]
    fn a_conditional_is_learnt_when_the_next_one_retires() {
        let mut t = Tables::new(8, 0, 4);
        let said: Vec<_> = [false, false, false, true, true, true, true]
            .map(|taken| step(&mut t, PR, taken))
            .map(|s| (s.taken, s.class))
            .into();
        // counter 0, still 0, -1, -2, -2, -1 after the first taken, 0
        let walk = [(true, 0), (true, 0), (false, 0), (false, 1), (false, 1), (false, 0), (true, 0)];
        assert_eq!(said, walk);
    }

    #[test]
    fn a_wrong_prediction_takes_the_next_longer_table_and_usefulness_protects_it() {
        let mut t = Tables::new(8, 2, 4);
        step(&mut t, PR, false);
        let found = step(&mut t, PR, false);
        assert_eq!((found.provider, found.taken), (0, true), "nothing is learnt yet");
        let found = step(&mut t, PR, true);
        // the first miss took table 0, which is weak: the bimodal counter decides, and moved to -1
        let LookUp { provider, provider_taken, alternate_taken, taken, class, locations, .. } = found;
        assert_eq!((provider, provider_taken, alternate_taken, taken, class), (1, false, false, false, 2));
        let state = |t: &Tables, i: usize| {
            let entry = t.tagged.entry(i, locations[i]);
            (entry.is_of(locations[i]), entry.counter(), entry.useful())
        };
        // the second miss was of the bimodal table too, and found this entry of usefulness 0
        step(&mut t, PR, true);
        assert_eq!(state(&t, 0), (true, 0, 0));
        for (i, useful) in [(0, 1), (1, 2)] {
            let entry = t.tagged.entry_mut(i, locations[i]);
            (0..useful).for_each(|_| *entry = entry.grade(true));
        }
        t.random = 1;
        t.allocate(&waiting(LookUp { provider: 0, ..found }));
        assert_eq!((state(&t, 0).2, state(&t, 1).2), (0, 1));
    }

    #[test]
    fn the_search_begins_one_table_further_if_the_random_bits_are_0() {
        let mut t = Tables::new(8, 2, 4);
        let found = t.look_up(PR);
        t.random = 4;
        t.allocate(&waiting(found));
        let valid = |t: &Tables, i: usize| t.tagged.entry(i, found.locations[i]).is_of(found.locations[i]);
        assert_eq!([valid(&t, 0), valid(&t, 1)], [false, true]);
        // there is no further table after the last
        let mut t = Tables::new(8, 1, 4);
        t.random = 4;
        t.allocate(&waiting(found));
        assert!(valid(&t, 0));
    }

    #[test]
    fn the_random_register_has_period_255() {
        let mut t = Tables::new(8, 0, 4);
        step(&mut t, PR, true);
        let steps: Vec<u8> = (0..255).map(|_| (t.random, step(&mut t, PR, true)).0).collect();
        assert_eq!(steps[..4], [1, 0xb4, 0x5a, 0x2d]);
        assert_eq!((t.random, steps.iter().filter(|x| **x == 1).count()), (1, 1));
    }
}
