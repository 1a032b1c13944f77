//! The seeded random source of all benches

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A seeded ChaCha8 generator with the few methods that benches need. The same seed gives the same values on every
/// machine and with every version of this workspace's `rand`.
#[derive(Clone, Debug)]
pub struct Source(ChaCha8Rng);

impl Source {
    /// A source seeded with `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A source for a part: independent of later values of this one and of other parts' sources.
    pub fn split(&mut self) -> Self {
        Self::seeded(self.0.next_u64())
    }

    /// `width` random bits, 0 to 64.
    pub fn bits(&mut self, width: u32) -> u64 {
        match width {
            0 => 0,
            _ => self.0.next_u64() >> (64 - width.min(64)),
        }
    }

    /// `width` random bits, 0 to 128.
    pub fn wide(&mut self, width: u32) -> u128 {
        match width {
            0..=64 => self.bits(width).into(),
            _ => u128::from(self.bits(width - 64)) << 64 | u128::from(self.bits(64)),
        }
    }

    /// A value in `0..n`; 0 for n = 0.
    pub fn below(&mut self, n: u64) -> u64 {
        match n {
            0 => 0,
            _ => self.0.random_range(0..n),
        }
    }

    /// A value in `low..=high`; `low` if high is less than low.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high.saturating_sub(low)).saturating_add(1))
    }

    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: u8) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// True in `n` of 65,536 cases: for rare events.
    pub fn per_64k(&mut self, n: u16) -> bool {
        self.bits(16) < u64::from(n)
    }

    /// One of `items`; panics if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_answers_for_ever() {
        // computed once: an upgrade of `rand` that changes them would silently change every bench
        let mut s = Source::seeded(1);
        let got = [s.bits(16), s.bits(16), s.below(1000), s.below(1000)];
        assert_eq!(got, [26377, 5268, 596, 219]);
    }

    #[test]
    fn values_stay_in_their_range_and_reach_both_ends() {
        let mut s = Source::seeded(2);
        let seen: Vec<u64> = (0..1000).map(|_| s.between(3, 6)).collect();
        assert!(seen.iter().all(|v| (3..=6).contains(v)) && seen.contains(&3) && seen.contains(&6));
        assert!((0..1000).all(|_| s.wide(70) >> 70 == 0));
        assert_eq!((s.bits(0), s.below(0), s.between(9, 4)), (0, 0, 9));
        let hits = (0..10_000).filter(|_| s.percent(30)).count();
        assert!((2_700..3_300).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| !s.percent(0) && s.percent(100)));
    }
}
