//! Schedules: which thread runs, and for how long

use std::fmt;
use std::str::FromStr;

/// A schedule of the threads of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// One thread at a time, round robin.
    Serial {
        /// Instructions per turn, rounded to a block; at least 1.
        quantum: u32,
        /// Vary turns from 1/2 to 3/2 of the quantum, so that identical threads do not run in lockstep.
        jitter: bool,
        /// Seed of the jitter.
        seed: u64,
    },
    /// As the host schedules them.
    Free,
}

/// Default instructions per turn. Handing over a turn takes as long as 4,000 to 18,000 instructions in plain QEMU: with
/// 20,000 it is more than a quarter of the cost of control-flow capture, with 1,000 most of it (docs/how-to/capture.md).
const QUANTUM: u32 = 50_000;

impl Default for Schedule {
    fn default() -> Self {
        Self::Serial { quantum: QUANTUM, jitter: false, seed: 0 }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serial { quantum, jitter: false, .. } => write!(f, "serial:{quantum}"),
            Self::Serial { quantum, jitter: true, seed } => write!(f, "serial:{quantum},jitter,seed={seed}"),
            Self::Free => f.write_str("free"),
        }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const RIGHT: &str = "expected free, serial:1000 or serial:1000,jitter,seed=7";
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let (mut quantum, mut jitter, mut seed) = (QUANTUM, false, 0);
        match name {
            "free" if rest.is_empty() => return Ok(Self::Free),
            "serial" => {}
            _ => return Err(RIGHT.into()),
        }
        for (i, part) in rest.split(',').enumerate().filter(|(_, p)| !p.is_empty()) {
            match part.split_once('=') {
                None if i == 0 => {
                    quantum = part
                        .parse()
                        .ok()
                        .filter(|q| (1..=1 << 30).contains(q))
                        .ok_or_else(|| format!("a quantum of {part}, expected 1 to {} instructions", 1u32 << 30))?;
                }
                None if part == "jitter" => jitter = true,
                Some(("seed", n)) => seed = n.parse().map_err(|_| format!("seed {n}, expected a number"))?,
                _ => return Err(RIGHT.into()),
            }
        }
        if seed != 0 && !jitter {
            return Err("a seed without jitter, expected serial:1000,jitter,seed=7".into());
        }
        Ok(Self::Serial { quantum, jitter, seed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_what_it_prints() {
        assert_eq!(Schedule::default().to_string(), "serial:50000");
        for text in ["free", "serial:1000", "serial:20,jitter,seed=7", "serial:1,jitter,seed=0"] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        assert_eq!("serial".parse(), Ok(Schedule::default()));
        for text in ["", "serial:0", "serial:x", "serial:5,seed=1", "free:3", "serial:5,jiter", "serial:9999999999"] {
            assert!(text.parse::<Schedule>().is_err(), "{text}");
        }
    }
}
