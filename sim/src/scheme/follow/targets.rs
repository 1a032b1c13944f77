//! Targets of indirect branches: two tables that refer to a dictionary, and the return addresses
//!
//! A return is predicted by the stack. A jump or call is predicted by the table with paths if that has an entry, and the entry has
//! confidence or the other table has none; otherwise by the last target.
//!
//! One indirect branch is [`Targets::look_up`], then [`Targets::retire`] with its target, which in this order updates the table with
//! paths, the last targets and the dictionary; pops, and pushes. A return is in neither table, and enters the dictionary if it was mispredicted.
//! A co-routine swap is a return that also pushes. The history is the caller's, between the look-up and the next one.

use super::dictionary::Dictionary;
use super::hash::History;
use super::last::Last;
use super::path::Paths;
use super::stack::Stack;
use retire::isa::Indirect;

/// Target predictor of one core. Its addresses are those that the dictionary stores: possibly without upper bits.
#[derive(Clone, Debug)]
pub struct Targets {
    dictionary: Dictionary,
    last: Last,
    paths: Paths,
    stack: Stack,
}

/// The prediction for an indirect branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookUp {
    /// Predicted target.
    pub target: u64,
    /// What the other table predicts, if it is another slot.
    pub other: Option<u64>,
    /// The table that predicts has a confidence above 1.
    pub sure: bool,
    /// The slot in `last` is the prediction of that table.
    last_slot: Option<u8>,
}

/// Sizes of the parts of a target predictor, as log2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log2 {
    /// Slots of the dictionary.
    pub dictionary: u32,
    /// Entries of the table of last targets.
    pub last: u32,
    /// Entries of the table with paths, if there is one.
    pub paths: Option<u32>,
    /// Return addresses.
    pub stack: u32,
}

impl Targets {
    /// State after reset.
    pub fn new(sizes: Log2) -> Self {
        Self {
            dictionary: Dictionary::new(sizes.dictionary),
            last: Last::new(sizes.last),
            paths: Paths::new(sizes.paths),
            stack: Stack::new(1 << sizes.stack),
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.dictionary.reset();
        self.last.reset();
        self.paths.reset();
        self.stack.reset();
    }

    /// The dictionary.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The prediction for an indirect branch with the hashed address `pr`.
    #[inline]
    pub fn look_up(&self, kind: Indirect, pr: u32) -> LookUp {
        if let Indirect::Return | Indirect::CoSwap = kind {
            return LookUp { target: self.stack.top(), other: None, sure: false, last_slot: None };
        }
        let last = self.last.look_up(pr);
        let path = self.paths.look_up(pr);
        let (slot, other, confidence) = match path {
            Some(path) if path.confidence > 0 || last.confidence == 0 => (path.slot, Some(last.slot), path.confidence),
            _ => (last.slot, path.map(|path| path.slot), last.confidence),
        };
        let address = |slot| self.dictionary.address(slot);
        let other = other.filter(|other| *other != slot).map(address);
        LookUp { target: address(slot), other, sure: confidence > 1, last_slot: Some(last.slot) }
    }

    /// The branch of `found` went to `target`; `link` is the address after it, `correct`: it was predicted.
    #[inline]
    pub fn retire(&mut self, kind: Indirect, pr: u32, found: &LookUp, (target, link): (u64, u64), correct: bool) {
        if found.last_slot.is_some() || !correct {
            let slot = self.dictionary.enter(target);
            if let Some(last_slot) = found.last_slot {
                self.paths.retire(pr, slot, last_slot == slot);
                self.last.retire(pr, slot);
            }
        }
        if let Indirect::Return | Indirect::CoSwap = kind {
            self.stack.pop();
        }
        if let Indirect::Call | Indirect::CoSwap = kind {
            self.stack.push(link);
        }
    }

    /// A direct call; `link` is the address after it.
    #[inline]
    pub fn call(&mut self, link: u64) {
        self.stack.push(link);
    }

    /// Enters a bit into the folded histories; `before` is the history without it.
    #[inline]
    pub fn push(&mut self, bit: bool, before: History) {
        self.paths.push(bit, before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Log2 = Log2 { dictionary: 4, last: 4, paths: Some(4), stack: 3 };

    fn step(t: &mut Targets, kind: Indirect, pr: u32, target: u64) -> LookUp {
        let found = t.look_up(kind, pr);
        t.retire(kind, pr, &found, (target, 0x1000), found.target == target);
        found
    }

    #[test]
    fn a_jump_is_predicted_by_the_last_target_until_its_path_is_known() {
        let mut t = Targets::new(SIZES);
        assert_eq!(step(&mut t, Indirect::Jump, 3, 0x2c).target, 0);
        // both tables took it: the path has no confidence, but neither has the last target
        let found = step(&mut t, Indirect::Jump, 3, 0x2c);
        assert_eq!(found, LookUp { target: 0x2c, other: None, sure: false, last_slot: Some(4) });
        t.push(true, History(0));
        // on another path only the last target is known
        let found = step(&mut t, Indirect::Jump, 3, 0x26);
        assert_eq!((found.target, found.other), (0x2c, None));
        let found = step(&mut t, Indirect::Jump, 3, 0x26);
        assert_eq!((found.target, found.other), (0x26, None));
    }

    #[test]
    fn the_other_table_is_offered() {
        let mut t = Targets::new(SIZES);
        for target in [0x2c, 0x2c, 0x2c, 0x2c, 0x26, 0x26, 0x26] {
            step(&mut t, Indirect::Jump, 3, target);
        }
        // the path has 0x2c at confidence 0 after three misses, the last target is sure
        let found = t.look_up(Indirect::Jump, 3);
        assert_eq!((found.target, found.other), (0x26, Some(0x2c)));
    }

    #[test]
    fn returns_use_the_stack_and_enter_the_dictionary_when_they_miss() {
        let mut t = Targets::new(SIZES);
        t.call(0x1004);
        step(&mut t, Indirect::Call, 9, 0x80);
        assert_eq!(step(&mut t, Indirect::Return, 5, 0x1000).target, 0x1000);
        let in_dictionary = |t: &Targets, a| t.dictionary().address(t.dictionary().slot(a)) == a;
        assert!(in_dictionary(&t, 0x80) && !in_dictionary(&t, 0x1000));
        assert_eq!(step(&mut t, Indirect::CoSwap, 5, 0x2000).target, 0x1004);
        assert!(in_dictionary(&t, 0x2000));
        assert_eq!(t.look_up(Indirect::Return, 5).target, 0x1000);
    }
}
