//! Settings of the built-in simulator

use serde::{Deserialize, Serialize};
use sim::riscv::{Limits, MachineConfig, Timing};
use std::sync::Arc;

/// Timing model of the built-in simulator: when instructions retire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingModel {
    /// Caches and latencies of paper 000 section 2.
    #[default]
    Papers,
    /// One cycle an instruction.
    Functional,
}

/// Declares the options of caches and latencies once: names, and the field of [`Timing`] that each sets.
macro_rules! options {
    ($($field:ident: $what:literal,)*) => {
        /// Caches and latencies of the simulator that override those of the timing model.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct TimingOptions {
            $(#[doc = $what] #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<u32>,)*
        }

        impl TimingOptions {
            /// Names and descriptions.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$((stringify!($field), $what),)*];

            /// Applies the given options.
            fn apply(&self, timing: &mut Timing) {
                $(timing.$field = self.$field.unwrap_or(timing.$field);)*
            }

            /// Sets one option, as in `l1_bytes=16384`.
            fn set(&mut self, name: &str, value: u32) -> bool {
                match name {
                    $(stringify!($field) => self.$field = Some(value),)*
                    _ => return false,
                }
                true
            }

            /// The given options, as written by the user.
            fn given(&self) -> Vec<String> {
                let all = [$((stringify!($field), self.$field),)*];
                all.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))).collect()
            }
        }
    };
}

options! {
    l1_bytes: "bytes of each L1, a power of two",
    l1_ways: "its ways, a power of two",
    l1_latency: "cycles of a hit",
    l2_bytes_per_hart: "bytes of the shared L2 for each hart, a power of two",
    l2_ways: "its ways, a power of two",
    l2_latency: "cycles of a hit",
    memory_latency: "cycles of an access to memory",
    line_bytes: "bytes of a line, a power of two",
    redirect: "cycles lost by a change of the flow",
    mul: "cycles of a multiplication",
    div: "cycles of a division",
}

impl TimingOptions {
    /// Whether no option is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl std::str::FromStr for TimingOptions {
    type Err = String;

    /// Parses `l1_bytes=16384,memory_latency=100`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for part in text.split(',') {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("`{part}`: expected NAME=N, as l1_bytes=16384"))?;
            let value = value.parse().map_err(|_| format!("`{value}` is not a number, expected {name}=16384"))?;
            if !options.set(name, value) {
                let names: Vec<&str> = Self::ALL.iter().map(|o| o.0).collect();
                return Err(format!("`{name}` is not known; expected {}", names.join(", ")));
            }
        }
        let mut timing = Timing::default();
        options.apply(&mut timing);
        timing.check()?;
        Ok(options)
    }
}

impl std::fmt::Display for TimingOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.given().join(","))
    }
}

/// Settings of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// When instructions retire.
    pub timing: TimingModel,
    /// Caches and latencies that override those of the timing model.
    #[serde(skip_serializing_if = "TimingOptions::is_empty")]
    pub caches: TimingOptions,
    /// 0: all harts start at once; otherwise the seed of a small random start delay for each hart.
    pub seed: u64,
    /// Stop after this many instructions of all harts.
    pub max_instructions: Option<u64>,
    /// What the program reads.
    #[serde(skip)]
    pub input: Arc<[u8]>,
    /// Refuse stores to segments of the program without write permission.
    #[serde(skip)]
    pub read_only: bool,
}

impl Settings {
    /// The machine configuration.
    pub fn config(&self, harts: u8) -> MachineConfig {
        let mut timing = match self.timing {
            TimingModel::Papers => Timing::default(),
            TimingModel::Functional => Timing::functional(),
        };
        self.caches.apply(&mut timing);
        MachineConfig {
            harts,
            timing,
            seed: self.seed,
            input: Arc::clone(&self.input),
            read_only: self.read_only,
            ..MachineConfig::default()
        }
    }

    /// Refuses cache and latency options for the functional timing model, in which every instruction takes one cycle.
    pub fn check(&self) -> Result<(), String> {
        match self.timing {
            TimingModel::Functional if !self.caches.is_empty() => Err(format!(
                "`--caches {}`: only with `--timing papers`; functional has no caches and latencies",
                self.caches
            )),
            TimingModel::Functional | TimingModel::Papers => Ok(()),
        }
    }

    /// The limits of the run.
    pub fn limits(&self) -> Limits {
        Limits { instructions: self.max_instructions.unwrap_or(u64::MAX), ..Limits::default() }
    }

    /// The input in words: its length and checksum.
    pub(crate) fn input_text(&self) -> String {
        format!(", input of {} bytes, CRC-32 {:08x}", self.input.len(), crc32fast::hash(&self.input))
    }

    /// Description in one line, for files and reports.
    pub fn describe(&self) -> String {
        let timing = match self.timing {
            TimingModel::Papers => "papers",
            TimingModel::Functional => "functional",
        };
        let mut text = format!("built-in simulator, timing {timing}, seed {}", self.seed);
        if !self.caches.is_empty() {
            text.push_str(&format!(", {}", self.caches));
        }
        if !self.input.is_empty() {
            text.push_str(&self.input_text());
        }
        if self.read_only {
            text.push_str(", read-only segments");
        }
        if let Some(n) = self.max_instructions {
            text.push_str(&format!(", at most {n} instructions"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_and_latencies_are_read_and_written_by_name() {
        let options: TimingOptions = "l1_bytes=16384,memory_latency=100".parse().unwrap();
        assert_eq!(options.to_string(), "l1_bytes=16384,memory_latency=100");
        let settings = Settings { caches: options, ..Settings::default() };
        let timing = settings.config(1).timing;
        assert_eq!((timing.l1_bytes, timing.memory_latency, timing.l2_ways), (16384, 100, 4));
        assert_eq!(settings.describe(), "built-in simulator, timing papers, seed 0, l1_bytes=16384,memory_latency=100");
        assert!(Settings { timing: TimingModel::Functional, ..settings }
            .check()
            .unwrap_err()
            .contains("functional has no"));
        let e = "l3_bytes=1".parse::<TimingOptions>().unwrap_err();
        assert!(
            e.starts_with("`l3_bytes` is not known; expected l1_bytes, l1_ways, ") && e.ends_with(", mul, div"),
            "{e}"
        );
        for bad in ["", "l1_bytes", "l1_bytes=", "l1_bytes=-1"] {
            assert!(bad.parse::<TimingOptions>().is_err(), "{bad}");
        }
    }
}
