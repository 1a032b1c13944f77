//! Loops that end after the same number of iterations
//!
//! Slot `pr ^ pr >> 4 ^ pr >> 9`, tag `pr >> 3 ^ pr >> 9` (6 bits). An entry that is sure predicts its direction, and the opposite
//! once it has counted as many conditionals in this direction as in the loop before.
//!
//! Learning at a hit, in the direction of the entry: `count` + 1 (at most 255); if it passes `trip`, `sure` = 0. Against it: if
//! `count` = `trip` > 0, `sure` + 1 (at most 3); otherwise `trip` = `count`, `sure` = 0, and `age` - 1, or at 0 the entry becomes
//! invalid; if `count` is 0 the direction flips; then `count` = 0. If the entry predicted, was right, and the tables were wrong,
//! `age` + 1 (at most 7). Without a hit, where the tables were wrong: an entry that is invalid or has age 0 is replaced, by one
//! with the opposite direction and age 3; any other has `age` - 1.
//!
//! # Source
//! Loop predictor of A. Seznec, "The L-TAGE branch predictor", JILP 9 (2007), here without a confidence counter that depends on
//! the trip count.

/// Maximum number of entries.
pub const MAX: usize = 64;
const TAG_MASK: u32 = 63;
/// `sure` from which an entry predicts, and `trip`.
const SURE: u8 = 2;

/// An entry of the loop predictor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Valid.
    pub valid: bool,
    /// Tag, 6 bits.
    pub tag: u8,
    /// Conditionals in the direction of the loop, in the last complete loop.
    pub trip: u8,
    /// The same, in the current one.
    pub count: u8,
    /// Complete loops in a row with the same count. 0..=3.
    pub sure: u8,
    /// Direction of the loop: taken.
    pub dir: bool,
    /// 0: the entry may be replaced. 0..=7.
    pub age: u8,
}

/// Prediction of a sure entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// Outcome.
    pub taken: bool,
    /// It is the end of the loop.
    pub exit: bool,
}

/// The loop predictor; it may have no entries.
#[derive(Clone, Debug)]
pub struct Loops {
    entries: Box<[Entry; MAX]>,
    /// Number of entries - 1; `None` without entries.
    mask: Option<u32>,
}

impl Loops {
    /// State after reset. `entries` is 0 or a power of two.
    pub fn new(entries: u16) -> Self {
        Self { entries: Box::new([Entry::default(); MAX]), mask: u32::from(entries).checked_sub(1) }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.entries.fill(Entry::default());
    }

    /// Slot and tag of a branch whose hashed address is `pr`.
    #[inline]
    fn find(mask: u32, pr: u32) -> (usize, u8) {
        (((pr ^ pr >> 4 ^ pr >> 9) & mask) as usize & (MAX - 1), ((pr >> 3 ^ pr >> 9) & TAG_MASK) as u8)
    }

    /// The prediction for a conditional, if its entry is sure.
    #[inline]
    pub fn look_up(&self, pr: u32) -> Option<Prediction> {
        let (slot, tag) = Self::find(self.mask?, pr);
        let e = &self.entries[slot];
        let sure = e.valid && e.tag == tag && e.sure >= SURE && e.trip >= SURE;
        let exit = e.count == e.trip;
        sure.then_some(Prediction { taken: e.dir ^ exit, exit })
    }

    /// The conditional had this outcome; `found` is what [`Loops::look_up`] said, `tables` the prediction of the tables.
    #[inline(always)]
    pub fn retire(&mut self, pr: u32, found: Option<Prediction>, tables: bool, taken: bool) {
        let Some(mask) = self.mask else { return };
        let (slot, tag) = Self::find(mask, pr);
        let e = &mut self.entries[slot];
        let wrong = tables != taken;
        if !(e.valid && e.tag == tag) {
            if wrong {
                if e.valid && e.age > 0 {
                    e.age -= 1;
                } else {
                    *e = Entry { valid: true, tag, trip: 0, count: 0, sure: 0, dir: !taken, age: 3 };
                }
            }
            return;
        }
        if taken == e.dir {
            e.count = e.count.saturating_add(1);
            if e.count > e.trip {
                e.sure = 0;
            }
        } else {
            if e.count == e.trip && e.trip > 0 {
                e.sure = (e.sure + 1).min(3);
            } else {
                (e.trip, e.sure) = (e.count, 0);
                if e.age > 0 {
                    e.age -= 1;
                } else {
                    e.valid = false;
                }
            }
            if e.count == 0 {
                e.dir = !e.dir;
            }
            e.count = 0;
        }
        if wrong && found.is_some_and(|p| p.taken == taken) {
            e.age = (e.age + 1).min(7);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PR: u32 = 0x35;

    fn step(l: &mut Loops, taken: bool, tables: bool) -> Option<Prediction> {
        let found = l.look_up(PR);
        l.retire(PR, found, tables, taken);
        found
    }

    fn entry(l: &Loops) -> Entry {
        l.entries[Loops::find(3, PR).0]
    }

    #[test]
    fn a_loop_of_four_is_sure_after_three_equal_ones() {
        let mut l = Loops::new(4);
        // the entry is made at the first exit, which the tables missed
        assert_eq!(step(&mut l, false, true), None);
        let tag = (PR >> 3) as u8;
        assert_eq!(entry(&l), Entry { valid: true, tag, trip: 0, count: 0, sure: 0, dir: true, age: 3 });
        let mut said = Vec::new();
        for _ in 0..4 {
            for taken in [true, true, true, false] {
                said.push(step(&mut l, taken, true));
            }
        }
        // the first loop sets trip, the next two make it sure
        assert_eq!(said[..12], [None; 12]);
        let going = Some(Prediction { taken: true, exit: false });
        assert_eq!(said[12..], [going, going, going, Some(Prediction { taken: false, exit: true })]);
        // one count was wrong, and the entry was right once where the tables were not
        assert_eq!(entry(&l), Entry { valid: true, tag, trip: 3, count: 0, sure: 3, dir: true, age: 3 });
        // a longer loop is not sure any more
        (0..4).for_each(|_| _ = step(&mut l, true, true));
        assert_eq!((entry(&l).sure, entry(&l).count), (0, 4));
    }

    #[test]
    fn an_entry_flips_its_direction_ages_and_goes() {
        let mut l = Loops::new(4);
        step(&mut l, false, true);
        let walk = [false, true, false].map(|taken| {
            step(&mut l, taken, taken);
            (entry(&l).dir, entry(&l).age, entry(&l).valid)
        });
        assert_eq!(walk, [(false, 2, true), (true, 1, true), (false, 0, true)]);
        step(&mut l, true, true);
        assert!(!entry(&l).valid);
    }

    #[test]
    fn another_branch_replaces_an_entry_of_age_0_only() {
        let mut l = Loops::new(4);
        step(&mut l, false, true);
        // the same slot, another tag
        let other = PR ^ 1 << 3;
        assert_eq!(
            (Loops::find(3, other).0, Loops::find(3, other).1 ^ Loops::find(3, PR).1),
            (Loops::find(3, PR).0, 1)
        );
        let tags: Vec<bool> = (0..4)
            .map(|_| {
                l.retire(other, None, false, true);
                entry(&l).tag == Loops::find(3, PR).1
            })
            .collect();
        assert_eq!(tags, [true, true, true, false]);
        // without a misprediction nothing changes
        let before = entry(&l);
        l.retire(PR, None, true, true);
        assert_eq!(entry(&l), before);
        assert_eq!(Loops::new(0).look_up(PR), None);
    }
}
