//! Adaptive one-length counter: runs of hits of the last stream predictor
//!
//! # Source
//! Paper 001 section III.B. A run of n hits, 1 <= n <= 2^k, is sent as n - 1 in k bits. The paper leaves open, and
//! this implementation chooses: a run is sent when the counter is full, which is how "exceeds the size" is read; the
//! monitor starts in the middle, at 8, and restarts there after each change; k starts at 1. k therefore depends only on
//! the runs that were sent, and the decoder needs no look-ahead.

/// Monitor value in the middle of its range.
const MIDDLE: u8 = 8;
/// Monitor value at which k grows.
const TOP: u8 = 15;
/// Amount that a full counter adds to the monitor.
const UP: u8 = 3;

/// State of the adaptive counter: its size and the monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLength {
    bits: u8,
    monitor: u8,
    most: u8,
}

impl RunLength {
    /// State after reset, for counters of at most `most` bits. With 0, every hit is a run.
    pub const fn new(most: u8) -> Self {
        Self { bits: if most == 0 { 0 } else { 1 }, monitor: MIDDLE, most }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        *self = Self::new(self.most);
    }

    /// k: current width of the counter, bits.
    #[inline]
    pub const fn bits(&self) -> u32 {
        self.bits as u32
    }

    /// Number of hits in a full counter, 2^k.
    #[inline]
    pub const fn full(&self) -> u32 {
        1 << self.bits
    }

    /// Adapts the size after a run of `hits` was sent.
    #[inline]
    pub fn sent(&mut self, hits: u32) {
        if self.most == 0 {
            return;
        }
        if hits == self.full() {
            self.monitor = (self.monitor + UP).min(TOP);
        } else if hits < self.full() / 2 {
            self.monitor -= 1;
        }
        if self.monitor == TOP {
            self.bits = (self.bits + 1).min(self.most);
            self.monitor = MIDDLE;
        } else if self.monitor == 0 {
            self.bits = (self.bits - 1).max(1);
            self.monitor = MIDDLE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_returns_to_the_initial_width() {
        let mut r = RunLength::new(8);
        (0..6).for_each(|_| r.sent(r.full()));
        assert_eq!(r.bits(), 3);
        r.reset();
        assert_eq!((r.bits, r.monitor, r.most), (1, MIDDLE, 8));
    }

    #[test]
    fn three_full_counters_make_it_grow_and_eight_short_runs_shrink() {
        let mut r = RunLength::new(8);
        let mut walk = vec![];
        for _ in 0..6 {
            r.sent(r.full());
            walk.push((r.bits, r.monitor));
        }
        // 8, 11, 14, 15, where the size grows
        assert_eq!(walk, [(1, 11), (1, 14), (2, 8), (2, 11), (2, 14), (3, 8)]);
        for step in 1..=8 {
            r.sent(3);
            assert_eq!((r.bits, r.monitor), if step < 8 { (3, 8 - step) } else { (2, 8) });
        }
        // at least half a counter, but not a full one: no change
        r.sent(2);
        r.sent(3);
        assert_eq!((r.bits, r.monitor), (2, 8));
    }

    #[test]
    fn the_size_stays_within_its_limits() {
        let mut r = RunLength::new(3);
        (0..100).for_each(|_| r.sent(r.full()));
        assert_eq!(r.bits(), 3);
        // with one bit, no run is shorter than half
        (0..100).for_each(|_| r.sent(1));
        assert_eq!((r.bits(), r.full()), (1, 2));
        let mut none = RunLength::new(0);
        (0..100).for_each(|_| none.sent(1));
        assert_eq!((none.bits(), none.full()), (0, 1));
    }
}
