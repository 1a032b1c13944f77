//! Counts of branches and mispredictions

/// Counts of instructions, predictions and mispredictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rates {
    /// Instructions retired.
    pub instructions: u64,
    /// Direct conditional branches.
    pub conditionals: u64,
    /// Mispredicted outcomes among them; 0 in a scheme that predicts none.
    pub outcome_misses: u64,
    /// Indirect branches (returns, calls, jumps, trap returns, conditional ones).
    pub indirects: u64,
    /// Mispredicted targets among them; 0 in a scheme that predicts none.
    pub target_misses: u64,
    /// Exceptions and interrupts.
    pub traps: u64,
}

impl std::ops::AddAssign for Rates {
    fn add_assign(&mut self, o: Self) {
        self.instructions += o.instructions;
        self.conditionals += o.conditionals;
        self.outcome_misses += o.outcome_misses;
        self.indirects += o.indirects;
        self.target_misses += o.target_misses;
        self.traps += o.traps;
    }
}

impl std::ops::Sub for Rates {
    type Output = Self;

    fn sub(self, o: Self) -> Self {
        Self {
            instructions: self.instructions - o.instructions,
            conditionals: self.conditionals - o.conditionals,
            outcome_misses: self.outcome_misses - o.outcome_misses,
            indirects: self.indirects - o.indirects,
            target_misses: self.target_misses - o.target_misses,
            traps: self.traps - o.traps,
        }
    }
}
