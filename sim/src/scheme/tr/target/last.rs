//! Last target by address: a direct-mapped table without tags
//!
//! n entries, all invalid after reset, indexed by `PC[s + log2 n - 1 : s]`. Every indirect branch, including returns, looks
//! up its entry. A valid entry predicts the target of the last indirect branch with the same index. Direct calls and
//! conditionals have no effect. Without tags, branches with the same index share an entry.
//!
//! # Source
//! J. K. F. Lee, A. J. Smith, "Branch Prediction Strategies and Branch Target Buffer Design", IEEE Computer 17(1), 1984,
//! pp. 6-22, without the tags; "the last target" as a predictor: P.-Y. Chang, E. Hao, Y. N. Patt, "Target Prediction for
//! Indirect Jumps", ISCA 1997, section 3.

use super::{TargetPredictor, TargetSizes};
use crate::platform::ParamError;
use retire::isa::Indirect;

const MAX: usize = 256;

/// Size of the table; in the name of a set `last32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LastSizes {
    /// n: number of entries. 16, 32, 64, 128 or 256.
    pub entries: u16,
}

impl LastSizes {
    /// log2 n: width of the index, bits.
    pub const fn log2(&self) -> u32 {
        self.entries.trailing_zeros()
    }
}

impl TargetSizes for LastSizes {
    type Model = Last;
    const BLOCKS: &'static [&'static str] = &["last"];
    const EXAMPLES: &'static [&'static str] = &["last16", "last256"];

    fn parse(text: &str) -> Option<Result<Self, ParamError>> {
        text.strip_prefix("last")?.parse().ok().map(|entries| Ok(Self { entries }))
    }

    fn name(&self) -> String {
        format!("last{}", self.entries)
    }

    fn canonical(&self) -> String {
        format!("last={}", self.entries)
    }

    fn check(&self) -> Result<(), ParamError> {
        let ok = matches!(self.entries, 16 | 32 | 64 | 128 | 256);
        ParamError::unless(ok, "last", self.entries.into(), "16, 32, 64, 128 or 256")
    }

    fn predicts(&self) -> bool {
        true
    }

    fn state_bits(&self, bits: u32) -> u32 {
        u32::from(self.entries) * (bits + 1)
    }

    fn clear_clocks(&self) -> u32 {
        u32::from(self.entries)
    }

    fn model(&self, pc_shift: u8) -> Last {
        Last::new(self, pc_shift)
    }
}

/// Golden model of the table.
#[derive(Clone, Debug)]
pub struct Last {
    targets: Box<[Option<u64>; MAX]>,
    mask: u32,
    shift: u8,
}

impl Last {
    /// State after reset.
    pub fn new(sizes: &LastSizes, pc_shift: u8) -> Self {
        Self { targets: Box::new([None; MAX]), mask: u32::from(sizes.entries) - 1, shift: pc_shift }
    }

    /// Index of the entry of a branch at `pc`.
    #[inline]
    pub fn index(&self, pc: u64) -> usize {
        ((pc >> self.shift) as u32 & self.mask) as usize & (MAX - 1)
    }
}

impl TargetPredictor for Last {
    fn reset(&mut self) {
        self.targets.fill(None);
    }

    #[inline]
    fn conditional(&mut self, _: u64, _: bool) {}

    #[inline]
    fn call(&mut self, _: u64) {}

    #[inline]
    fn predict(&self, _: Indirect, pc: u64) -> Option<u64> {
        self.targets[self.index(pc)]
    }

    #[inline]
    fn update(&mut self, _: Indirect, pc: u64, target: u64, _: u64) {
        let index = self.index(pc);
        self.targets[index] = Some(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_target_of_an_index_is_predicted() {
        let mut t = LastSizes { entries: 16 }.model(1);
        let mut go = |kind, pc, target| {
            let predicted = t.predict(kind, pc);
            t.update(kind, pc, target, pc + 4);
            predicted
        };
        assert_eq!(go(Indirect::Jump, 0x100, 0x40), None);
        assert_eq!(go(Indirect::Jump, 0x100, 0x80), Some(0x40));
        // a return with the same index, PC[4:1]: without tags it gets the jump's target
        assert_eq!(go(Indirect::Return, 0x120, 0xc0), Some(0x80));
        assert_eq!(go(Indirect::Call, 0x102, 0x10), None);
        assert_eq!(go(Indirect::CoSwap, 0x100, 0x20), Some(0xc0));
        t.call(0x104);
        t.conditional(0x100, true);
        assert_eq!([t.predict(Indirect::Return, 0x100), t.predict(Indirect::Jump, 0x102)], [Some(0x20), Some(0x10)]);
        t.reset();
        assert_eq!(t.predict(Indirect::Jump, 0x100), None);
    }

    #[test]
    fn state_is_a_target_and_a_valid_bit_an_entry() {
        assert_eq!(LastSizes { entries: 32 }.state_bits(31), 1024);
    }
}
