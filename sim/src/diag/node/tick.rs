//! Tick: an event a period, by which tables are flushed

/// The node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    period: u64,
    next: u64,
}

impl Tick {
    /// Every `period` clocks, 1 to 2^32 - 1; the first after one period.
    ///
    /// # Panics
    /// When the period is 0.
    pub fn new(period: u32) -> Self {
        assert!(period > 0, "period = 0 is outside 1..=4294967295");
        Self { period: period.into(), next: period.into() }
    }

    /// Clock of the next tick.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether it ticks in this clock, or did since it was last asked: then at which clock.
    pub fn at(&mut self, cycle: u64) -> Option<u64> {
        (cycle >= self.next).then(|| {
            let at = self.next;
            self.next += self.period;
            at
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ticks_after_each_period() {
        let mut t = Tick::new(10);
        let ticks: Vec<_> = (0..32).filter_map(|c| t.at(c)).collect();
        assert_eq!(ticks, [10, 20, 30]);
    }
}
