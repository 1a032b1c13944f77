//! Histogram: distribution of values, by key
//!
//! 128 buckets per key: powers of two, each in four parts. When all tables are taken, an event with a new key is passed
//! on as a result of its own, so that sums at the host are exact. Results are `[key, bucket, count]`.

use super::{check_capacity, CapacityError, Event, Field, Outbox, Target};
use crate::diag::packet::Args;

/// Buckets per key.
pub const BUCKETS: usize = 128;

/// Bucket of a value: 0 to 3 have one each, then there are four per power of two.
#[inline]
pub fn bucket(value: u32) -> u8 {
    if value < 4 {
        return value as u8;
    }
    let e = 31 - value.leading_zeros();
    (4 * (e - 1) + (value >> (e - 2) & 3)) as u8
}

/// Smallest value of a bucket.
pub fn least(bucket: u8) -> u32 {
    let b = u32::from(bucket);
    if b < 4 {
        return b;
    }
    (4 + b % 4) << (b / 4 - 1)
}

/// A rule: which fields of an event are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The event.
    pub event: u8,
    /// Its key.
    pub key: Field,
    /// Its value.
    pub value: Field,
    /// Where results go.
    pub to: Target,
}

#[derive(Clone, Debug)]
struct Table {
    to: Target,
    key: u32,
    counts: Vec<u32>,
}

/// The golden model of the histogram node.
#[derive(Clone, Debug)]
pub struct Histogram {
    keys: usize,
    tables: Vec<Table>,
    rules: Vec<Rule>,
    most: u32,
}

impl Histogram {
    /// A node with tables for `keys` keys.
    pub fn new(keys: u8) -> Self {
        Self::with_limit(keys, u32::MAX)
    }

    /// As [`Histogram::new`], with counts up to `most`: for tests of overflows.
    pub fn with_limit(keys: u8, most: u32) -> Self {
        Self { keys: keys.into(), tables: Vec::new(), rules: Vec::new(), most }
    }

    /// Adds a rule, up to 4.
    pub fn add(&mut self, rule: Rule) -> Result<(), CapacityError> {
        check_capacity("rules", self.rules.len() + 1, 4)?;
        self.rules.push(rule);
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        for rule in self.rules.iter().filter(|r| r.event == event.id) {
            let (key, to) = (rule.key.of(event), rule.to);
            let bucket = bucket(rule.value.of(event));
            let at = match self.tables.iter().position(|t| (t.key, t.to) == (key, to)) {
                Some(at) => at,
                None if self.tables.len() < self.keys => {
                    self.tables.push(Table { to, key, counts: vec![0; BUCKETS] });
                    self.tables.len() - 1
                }
                None => {
                    out.push(result(to, key, bucket, 1));
                    continue;
                }
            };
            let count = &mut self.tables[at].counts[usize::from(bucket)];
            if *count == self.most {
                out.push(result(to, key, bucket, *count));
                *count = 0;
            }
            *count += 1;
        }
    }

    /// Sends and clears all counts that are not 0.
    pub fn flush(&mut self, out: &mut Outbox) {
        for t in self.tables.drain(..) {
            for (b, count) in t.counts.iter().enumerate().filter(|c| *c.1 > 0) {
                out.push(result(t.to, t.key, b as u8, *count));
            }
        }
    }
}

fn result(to: Target, key: u32, bucket: u8, count: u32) -> (u8, Event) {
    (to.dest, Event { id: to.id, args: Args::of(&[key, bucket.into(), count]), ..Event::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_worked_by_hand() {
        let values = [0, 1, 3, 4, 5, 7, 8, 9, 10, 15, 16, 100, 1023, 1024, u32::MAX];
        assert_eq!(values.map(bucket), [0, 1, 3, 4, 5, 7, 8, 8, 9, 11, 12, 22, 35, 36, 123]);
        for b in 0..124 {
            assert_eq!(bucket(least(b)), b);
            assert!(b == 0 || bucket(least(b) - 1) == b - 1);
        }
    }

    #[test]
    fn keys_beyond_the_capacity_are_passed_on() {
        let to = Target { dest: 63, id: 9 };
        let mut h = Histogram::new(1);
        h.add(Rule { event: 1, key: Field::Core, value: Field::Arg(0), to }).unwrap();
        let mut out = Outbox::new();
        for (core, value) in [(2, 9), (1, 9), (2, 8), (2, 100)] {
            h.take(&Event { id: 1, core, args: Args::of(&[value]), ..Event::default() }, &mut out);
        }
        h.flush(&mut out);
        let found: Vec<Vec<u32>> = out.iter().map(|(_, e)| e.args.to_vec()).collect();
        assert_eq!(found, [[1, 8, 1], [2, 8, 2], [2, 22, 1]]);
    }
}
