//! A range of seeds

use std::str::FromStr;

/// A range of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// The first one.
    pub first: u64,
    /// The one after the last.
    pub end: u64,
}

impl Seeds {
    /// The seeds, ascending.
    pub fn iter(&self) -> std::ops::Range<u64> {
        self.first..self.end
    }
}

impl FromStr for Seeds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let right = || "expected A..B with A below B, as 1..200".to_string();
        let (first, end) = text.split_once("..").ok_or_else(right)?;
        let seeds = Self { first: first.parse().map_err(|_| right())?, end: end.parse().map_err(|_| right())? };
        if seeds.first < seeds.end {
            Ok(seeds)
        } else {
            Err(right())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_its_first_seed_and_not_its_last() {
        assert_eq!("1..200".parse(), Ok(Seeds { first: 1, end: 200 }));
        for bad in ["5", "5..5", "5..3", "..3", "a..b"] {
            assert!(bad.parse::<Seeds>().is_err(), "{bad}");
        }
    }
}
