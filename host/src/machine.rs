//! How a program is run in the built-in simulator

use serde::{Deserialize, Serialize};
use sim::riscv::{Limits, MachineConfig, Timing};

/// When instructions retire in the built-in simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingModel {
    /// Caches and latencies of paper 000 section 2.
    #[default]
    Papers,
    /// One cycle an instruction.
    Functional,
}

/// How programs are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// When instructions retire.
    pub timing: TimingModel,
    /// 0: all harts start at once; else each a little late, as the number says.
    pub seed: u64,
    /// Stop after so many instructions of all harts.
    pub max_instructions: Option<u64>,
}

impl Settings {
    /// The machine they mean.
    pub fn config(&self, harts: u8) -> MachineConfig {
        let timing = match self.timing {
            TimingModel::Papers => Timing::default(),
            TimingModel::Functional => Timing::functional(),
        };
        MachineConfig { harts, timing, seed: self.seed, ..MachineConfig::default() }
    }

    /// The limits they mean.
    pub fn limits(&self) -> Limits {
        Limits { instructions: self.max_instructions.unwrap_or(u64::MAX), ..Limits::default() }
    }

    /// In one line, for files and reports.
    pub fn describe(&self) -> String {
        let timing = match self.timing {
            TimingModel::Papers => "papers",
            TimingModel::Functional => "functional",
        };
        let mut text = format!("built-in simulator, timing {timing}, seed {}", self.seed);
        if let Some(n) = self.max_instructions {
            text.push_str(&format!(", at most {n} instructions"));
        }
        text
    }
}
