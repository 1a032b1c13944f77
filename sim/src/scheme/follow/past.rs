//! Follower of the past: the outcomes after the last place where the path was the same
//!
//! A ring holds the last outcomes of all conditionals. At some points of the path, which depend on its content alone and therefore
//! are the same each time, a table of pointers is looked up: if it holds the position at which the same path was before, the outcomes
//! after it are the prediction, until they are wrong too often.
//!
//! One conditional is [`Past::look_up`], then [`Past::retire`], which in this order
//!
//! 1. if it follows: `length` + 1 (at most 64) if `past[from]` was right; otherwise `length` = 0, and it stops if `length` was below 8;
//!    then `from` + 1;
//! 2. takes up the position f that the conditional before has found, if any: unless it follows with a `length` that is not 0, it follows
//!    from f + 1 on, with `length` 0 (this conditional is f);
//! 3. writes the outcome: `past[at]` = taken, `at` + 1;
//! 4. computes h of the last 16 outcomes, this one at bit 0, and the hashed address: `x = outcomes ^ rotl(pr, 9) ^ rotl(pr, 19)`, `x ^= x << 13`,
//!    `x ^= x >> 17`, `x ^= x << 5`, in 32 bits. If h\[11:8\] is 0 the point is sampled: the pointer at the top bits of h is read,
//!    which finds its position if it is valid and its tag is h\[3:0\], and is replaced by this tag and `at`.
//!
//! Positions wrap in the ring. A reset invalidates the pointers; the ring may keep its content, since no position of it is read before it
//! is written.
//!
//! # Source
//! J. Ziv and A. Lempel, "A universal algorithm for sequential data compression", IEEE Trans. Inf. Theory 23(3), 1977; points sampled by
//! content: U. Manber, "Finding similar files in a large file system", USENIX 1994. Hash: G. Marsaglia, "Xorshift RNGs", J. Stat. Soft. 8(14), 2003.

/// Maximum number of outcomes.
pub const MAX: usize = 1 << 16;
/// Maximum number of pointers.
pub const MAX_POINTERS: usize = 1 << 10;
/// Correct outcomes from which one that is wrong does not stop it.
const STEADY: u8 = 8;
/// Maximum of `length`.
const LONGEST: u8 = 64;

/// A pointer to a position in the past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pointer {
    /// Valid.
    pub valid: bool,
    /// Tag, 4 bits.
    pub tag: u8,
    /// Position in the ring.
    pub position: u16,
}

/// Prediction from the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// Outcome.
    pub taken: bool,
    /// Outcomes that were right in a row. 0..=64.
    pub length: u8,
}

impl Prediction {
    /// How far it can be trusted: 1 with a length below 4, 2 below 16, 3 below 64, 4. Not following is 0.
    #[inline]
    pub fn level(self) -> u8 {
        1 + u8::from(self.length >= 4) + u8::from(self.length >= 16) + u8::from(self.length >= LONGEST)
    }
}

/// The ring, the pointers, and the position that is followed.
#[derive(Clone, Debug)]
pub struct Past {
    ring: Box<[bool; MAX]>,
    pointers: Box<[Pointer; MAX_POINTERS]>,
    /// Size of the ring - 1; `None` without a ring.
    mask: Option<u32>,
    /// Right shift of h that leaves the index of a pointer.
    shift: u32,
    at: u32,
    /// Position that is followed, and its length.
    from: Option<(u32, u8)>,
    /// Position that the last conditional has found.
    found: Option<u32>,
    outcomes: u16,
}

impl Past {
    /// State after reset: a ring of `size` outcomes, 0 or a power of two, and 2^`log2_pointers` pointers.
    pub fn new(size: u32, log2_pointers: u32) -> Self {
        Self {
            ring: Box::new([false; MAX]),
            pointers: Box::new([Pointer::default(); MAX_POINTERS]),
            mask: size.checked_sub(1),
            shift: 32 - log2_pointers,
            at: 0,
            from: None,
            found: None,
            outcomes: 0,
        }
    }

    /// Returns to the state after reset; the ring keeps its content.
    pub fn reset(&mut self) {
        self.pointers.fill(Pointer::default());
        (self.at, self.from, self.found, self.outcomes) = (0, None, None, 0);
    }

    /// The prediction for the next conditional, if it follows.
    #[inline]
    pub fn look_up(&self) -> Option<Prediction> {
        let (from, length) = self.from?;
        Some(Prediction { taken: self.ring[from as usize & (MAX - 1)], length })
    }

    /// The next conditional, with the hashed address `pr`, had this outcome; `prediction` is what [`Past::look_up`] said.
    #[inline(always)]
    pub fn retire(&mut self, pr: u32, prediction: Option<Prediction>, taken: bool) {
        let Some(mask) = self.mask else { return };
        if let (Some((from, length)), Some(prediction)) = (self.from, prediction) {
            let next = (from + 1) & mask;
            self.from = if prediction.taken == taken {
                Some((next, (length + 1).min(LONGEST)))
            } else {
                (length >= STEADY).then_some((next, 0))
            };
        }
        if let Some(found) = self.found.take() {
            if self.from.is_none_or(|(_, length)| length == 0) {
                self.from = Some(((found + 1) & mask, 0));
            }
        }
        self.ring[self.at as usize & (MAX - 1)] = taken;
        self.at = (self.at + 1) & mask;
        self.outcomes = self.outcomes << 1 | u16::from(taken);
        let h = Self::hash(self.outcomes, pr);
        if h >> 8 & 15 == 0 {
            self.sample(h);
        }
    }

    // one conditional of 16
    #[inline(never)]
    fn sample(&mut self, h: u32) {
        let pointer = &mut self.pointers[h.wrapping_shr(self.shift) as usize & (MAX_POINTERS - 1)];
        let tag = (h & 15) as u8;
        self.found = (pointer.valid && pointer.tag == tag).then_some(pointer.position.into());
        *pointer = Pointer { valid: true, tag, position: self.at as u16 };
    }

    /// h of a point of the path.
    #[inline]
    pub fn hash(outcomes: u16, pr: u32) -> u32 {
        let mut x = u32::from(outcomes) ^ pr.rotate_left(9) ^ pr.rotate_left(19);
        x ^= x << 13;
        x ^= x >> 17;
        x ^ x << 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(p: &mut Past, pr: u32, taken: bool) -> Option<Prediction> {
        let said = p.look_up();
        p.retire(pr, said, taken);
        said
    }

    #[test]
    fn the_hash_is_that_worked_by_hand() {
        // x = 1; 0x2001; 0x2001 ^ 0 = 0x2001; ^ 0x40020
        assert_eq!(Past::hash(1, 0), 0x4_2021);
        assert_eq!(Past::hash(0, 1), {
            let x: u32 = 0x8_0200;
            let y = x ^ x << 13;
            let z = y ^ y >> 17;
            z ^ z << 5
        });
    }

    /// Outcomes with a long period of one branch: the second time round they are known.
    #[test]
    fn a_sequence_is_followed_the_second_time() {
        let mut state = 7u32;
        let sequence: Vec<bool> = (0..200)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state >> 31 == 1
            })
            .collect();
        let mut p = Past::new(512, 5);
        let mut wrong = Vec::new();
        for _ in 0..4 {
            let missed =
                sequence.iter().filter(|taken| step(&mut p, 0x123, **taken).is_none_or(|s| s.taken != **taken));
            wrong.push(missed.count());
        }
        assert!(wrong[0] > 100 && wrong[1] < 60 && wrong[2] == 0 && wrong[3] == 0, "{wrong:?}");
        assert_eq!(p.look_up().map(|s| (s.length, s.level())), Some((64, 4)));
        // one that is wrong is passed over, the next one stops it
        let wrong = !p.look_up().unwrap().taken;
        step(&mut p, 0x123, wrong);
        assert_eq!(p.look_up().map(|s| (s.length, s.level())), Some((0, 1)));
        p.found = None;
        let wrong = !p.look_up().unwrap().taken;
        step(&mut p, 0x123, wrong);
        assert_eq!(p.look_up(), None);
    }

    #[test]
    fn what_was_found_is_taken_up_one_conditional_later() {
        let mut p = Past::new(512, 4);
        (0..10).for_each(|i| _ = step(&mut p, 2, i % 3 == 0));
        p.reset();
        assert_eq!(p.look_up(), None);
        p.ring[6] = true;
        p.found = Some(5);
        assert_eq!(step(&mut p, 1, true), None);
        assert_eq!(p.look_up(), Some(Prediction { taken: true, length: 0 }));
        // not while it follows with success
        step(&mut p, 1, true);
        p.found = Some(100);
        step(&mut p, 1, false);
        assert_eq!(p.from, Some((8, 2)));
        assert_eq!(Past::new(0, 4).look_up(), None);
    }

    #[test]
    fn levels_begin_at_4_16_and_64() {
        let level = |length| Prediction { taken: true, length }.level();
        assert_eq!([0, 3, 4, 15, 16, 63, 64].map(level), [1, 1, 2, 2, 3, 3, 4]);
    }
}
