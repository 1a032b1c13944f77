//! One-bit outcome predictor: the last outcome, by address
//!
//! p bits, all 0 (not taken) after reset, indexed by `PC[s + log2 p - 1 : s]`. A direct conditional branch is predicted to
//! do what the previous branch at the same index did.
//!
//! # Source
//! J. E. Smith, "A Study of Branch Prediction Strategies", ISCA 1981, pp. 135-148, strategy 6.

use super::{OutcomePredictor, OutcomeSizes};
use crate::platform::ParamError;

/// Size of the table; `onebit1024` in the name of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnebitSizes {
    /// p: bits. 256 or 1024.
    pub bits: u16,
}

impl OutcomeSizes for OnebitSizes {
    type Model = Onebit;
    const BLOCK: &'static str = "onebit";
    const EXAMPLES: &'static [&'static str] = &["onebit256", "onebit1024"];

    fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("onebit")?.parse().ok().map(|bits| Self { bits })
    }

    fn name(&self) -> String {
        format!("onebit{}", self.bits)
    }

    fn canonical(&self) -> String {
        format!("onebit={}", self.bits)
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(matches!(self.bits, 256 | 1024), "onebit", self.bits.into(), "256 or 1024")
    }

    fn state_bits(&self) -> u32 {
        self.bits.into()
    }

    fn clear_clocks(&self) -> u32 {
        self.bits.into()
    }

    fn model(&self, pc_shift: u8) -> Onebit {
        Onebit { taken: vec![false; self.bits.into()], shift: pc_shift }
    }
}

/// Golden model of the predictor.
#[derive(Clone, Debug)]
pub struct Onebit {
    taken: Vec<bool>,
    shift: u8,
}

impl Onebit {
    fn index(&self, pc: u64) -> usize {
        (pc >> self.shift) as usize % self.taken.len()
    }
}

impl OutcomePredictor for Onebit {
    fn reset(&mut self) {
        self.taken.fill(false);
    }

    fn predict(&self, pc: u64) -> bool {
        self.taken[self.index(pc)]
    }

    fn update(&mut self, pc: u64, taken: bool) {
        let index = self.index(pc);
        self.taken[index] = taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_predicts_the_last_outcome_at_the_same_index() {
        let mut p = OnebitSizes { bits: 256 }.model(1);
        assert!(!p.predict(0x10));
        p.update(0x10, true);
        // PC[8:1]: 0x210 has the same index, 0x12 has not
        assert_eq!([0x10, 0x210, 0x12].map(|pc| p.predict(pc)), [true, true, false]);
        p.reset();
        assert!(!p.predict(0x10));
    }
}
