//! Vector clocks: what of each core has happened before a moment

use std::rc::Rc;

/// For each core, the number of its epochs that happened before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock(Rc<[u32]>);

impl Clock {
    /// The beginning, for `cores` cores.
    pub fn new(cores: usize) -> Self {
        Self(vec![0; cores].into())
    }

    /// Epochs of a core.
    pub fn of(&self, core: usize) -> u32 {
        self.0[core]
    }

    /// Adds what happened before `other`.
    pub fn join(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.0, &other.0) || self.0.iter().zip(&*other.0).all(|(a, b)| a >= b) {
            return;
        }
        self.0 = self.0.iter().zip(&*other.0).map(|(a, b)| *a.max(b)).collect();
    }

    /// Begins the next epoch of a core.
    pub fn advance(&mut self, core: usize) {
        self.set(core, self.0[core] + 1);
    }

    /// Sets the epochs of a core.
    pub fn set(&mut self, core: usize, epoch: u32) {
        let mut all = self.0.to_vec();
        all[core] = epoch;
        self.0 = all.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_has_the_later_epoch_of_each_core() {
        let (mut a, mut b) = (Clock::new(3), Clock::new(3));
        a.advance(0);
        a.advance(0);
        b.advance(1);
        let before = a.clone();
        a.join(&b);
        assert_eq!([0, 1, 2].map(|core| a.of(core)), [2, 1, 0]);
        assert_eq!([0, 1, 2].map(|core| before.of(core)), [2, 0, 0]);
    }
}
