//! Buckets of histograms on the host, by the least value in each
//!
//! `hist` has those of the histogram node ([`sim::diag::node::histogram`]): powers of two, each in four parts. They go on
//! above 32 bits, and negative values have the same buckets with the sign changed. `lhist` has buckets of one size.

use crate::syntax::{Linear, Summary};
use std::collections::BTreeMap;

/// Number of values by bucket.
pub type Buckets = BTreeMap<i64, u64>;

/// Least value and size of the bucket of a value from 0 on.
fn positive(value: u64) -> (u64, u64) {
    let shift = (63 - (value | 1).leading_zeros()).saturating_sub(2);
    (value >> shift << shift, 1 << shift)
}

/// Least value of the `hist` bucket of a value, and of the next bucket; `None`: there is none.
fn logarithmic(value: i64) -> (i64, Option<i64>) {
    let (least, size) = positive(value.unsigned_abs());
    if value >= 0 {
        return (least as i64, i64::try_from(least + size).ok());
    }
    // -least is the greatest value
    (0_i64.saturating_sub_unsigned(least + (size - 1)), Some(1_i64.saturating_sub_unsigned(least)))
}

impl Linear {
    /// Least value of the bucket of a value; below and above the range there is one bucket each.
    fn least(self, value: i64) -> i64 {
        if value < self.min {
            return i64::MIN;
        }
        if value >= self.max {
            return self.max;
        }
        let steps = (i128::from(value) - i128::from(self.min)) / i128::from(self.step);
        (i128::from(self.min) + steps * i128::from(self.step)) as i64
    }
}

/// The bucket in which a summary counts a value.
pub fn bucket(summary: Option<Summary>, value: i64) -> Option<i64> {
    match summary? {
        Summary::Hist | Summary::Quantiles => Some(logarithmic(value).0),
        Summary::Lhist(linear) => Some(linear.least(value)),
        Summary::Count | Summary::Sum | Summary::Avg | Summary::Min | Summary::Max | Summary::Stats => None,
    }
}

/// A bucket as text: `[8, 10)`.
pub fn range(summary: Option<Summary>, least: i64) -> String {
    let next = match summary {
        Some(Summary::Lhist(linear)) if least == i64::MIN => return format!("[.., {})", linear.min),
        Some(Summary::Lhist(linear)) if least == linear.max => None,
        Some(Summary::Lhist(linear)) => Some(least.saturating_add(linear.step).min(linear.max)),
        _ => logarithmic(least).1,
    };
    match next {
        Some(next) => format!("[{least}, {next})"),
        None => format!("[{least}, ..)"),
    }
}

/// The value that `percent` of all do not exceed: the greatest of its bucket.
pub fn quantile(buckets: &Buckets, percent: u64) -> i64 {
    let all: u128 = buckets.values().map(|n| u128::from(*n)).sum();
    let mut seen = 0_u128;
    for (least, n) in buckets {
        seen += u128::from(*n);
        if seen * 100 >= all * u128::from(percent) {
            return logarithmic(*least).1.map_or(i64::MAX, |next| next - 1);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::diag::node::histogram;

    #[test]
    fn buckets_are_those_of_the_node_and_mirrored() {
        for b in 0..124 {
            let least = i64::from(histogram::least(b));
            let next = if b < 123 { i64::from(histogram::least(b + 1)) } else { 1 << 32 };
            assert_eq!(logarithmic(least), (least, Some(next)));
            assert_eq!(logarithmic(next - 1), (least, Some(next)));
            if least > 0 {
                assert_eq!(logarithmic(-least), (1 - next, Some(1 - least)));
                assert_eq!(logarithmic(1 - next), (1 - next, Some(1 - least)));
            }
        }
        assert_eq!(logarithmic(i64::MAX), (7 << 60, None));
        assert_eq!(logarithmic(i64::MIN).1, Some(i64::MIN + 1));
        assert_eq!(range(Some(Summary::Hist), -15), "[-15, -13)");
        assert_eq!(range(Some(Summary::Hist), 0), "[0, 1)");
    }

    #[test]
    fn linear_buckets_have_one_size_and_two_ends() {
        let of = Summary::Lhist(Linear { min: -10, max: 15, step: 10 });
        let shown = |value| range(Some(of), bucket(Some(of), value).unwrap());
        assert_eq!(shown(-11), "[.., -10)");
        assert_eq!((shown(-10), shown(-1)), ("[-10, 0)".to_string(), "[-10, 0)".to_string()));
        assert_eq!(
            (shown(9), shown(10), shown(14)),
            ("[0, 10)".into(), "[10, 15)".to_string(), "[10, 15)".to_string())
        );
        assert_eq!((shown(15), shown(i64::MAX)), ("[15, ..)".to_string(), "[15, ..)".to_string()));
    }

    #[test]
    fn quantiles_are_the_greatest_value_of_a_bucket() {
        let buckets = Buckets::from([(1, 50), (8, 49), (1024, 1)]);
        assert_eq!([50, 51, 90, 99, 100].map(|p| quantile(&buckets, p)), [1, 9, 9, 9, 1279]);
        assert_eq!(quantile(&Buckets::new(), 50), 0);
    }
}
