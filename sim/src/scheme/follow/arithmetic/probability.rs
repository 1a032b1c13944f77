//! Probabilities of decisions: how wide the part of the interval is that an unlikely decision has
//!
//! A decision is whether a prediction is right. Its context has a level, from 0 (undecided) to 40, and says which answer is the likely one. The
//! unlikely one has a width of about 0.7, 0.59, 0.5, 0.42 for each level of four, halved at every fourth, of an interval of 1 to 2.

/// Least size of an interval, 2^11: half of what its 12 bits hold.
pub const HALF: u32 = 0x800;
/// Contexts of one core: 60 of conditionals, and those below.
pub const CONTEXTS: usize = 64;
/// Context of returns.
pub const RETURN: usize = 60;
/// Context of other indirect branches, if their prediction is not sure; the next one if it is.
pub const INDIRECT: usize = 61;
/// Context of the question whether a mispredicted target is in the dictionary.
pub const IN_DICTIONARY: usize = 63;

/// Widths of levels 0 to 3.
pub const WIDTHS: [u32; 4] = [0x5a0, 0x4ba, 0x3fa, 0x358];
/// The last level.
pub const LAST: u8 = 40;

/// Probability of the decisions in one context. The default is that after reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probability {
    level: u8,
    /// Predictions are mostly wrong.
    turned: bool,
}

/// The probabilities of one core.
pub type Probabilities = [Probability; CONTEXTS];

/// The probabilities of one core after reset.
pub const START: Probabilities = [Probability { level: 0, turned: false }; CONTEXTS];

impl Probability {
    /// Width of the unlikely answer. At least 1, and less than [`HALF`].
    #[inline]
    pub fn width(self) -> u32 {
        WIDTHS[usize::from(self.level % 4)] >> (self.level / 4)
    }

    /// Whether it is the likely answer that the prediction is right, or not.
    #[inline]
    pub fn is_likely(self, right: bool) -> bool {
        right != self.turned
    }

    /// Learns an answer with which the interval was doubled.
    #[inline]
    pub fn learn(&mut self, likely: bool) {
        match (likely, self.level) {
            (true, level) => self.level = (level + 1).min(LAST),
            (false, 0) => self.turned = !self.turned,
            (false, level) => self.level = level - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_shrink_by_half_every_four_levels_and_never_vanish() {
        let width = |level| Probability { level, turned: false }.width();
        assert_eq!([0, 1, 2, 3, 4, 39, 40].map(width), [0x5a0, 0x4ba, 0x3fa, 0x358, 0x2d0, 1, 1]);
        assert!((0..LAST).all(|level| width(level) >= width(level + 1) && width(level) < HALF));
    }

    #[test]
    fn a_context_that_is_mostly_wrong_turns() {
        let mut p = Probability::default();
        p.learn(false);
        assert!(p.is_likely(false) && !p.is_likely(true));
        (0..100).for_each(|_| p.learn(true));
        assert_eq!(p, Probability { level: LAST, turned: true });
        p.learn(false);
        assert_eq!(p.level, LAST - 1);
    }
}
