//! Aggregate: count, sum, minimum and maximum of a value by key
//!
//! A direct-mapped table. A key that maps to an occupied entry evicts it to the host, which adds up the results: they
//! are exact for any number of keys, but conflicts cost more words. An entry whose count or sum would overflow is sent
//! in the same way. Results are `[key, count, sum low, sum high, least, greatest]`.

use super::{CapacityError, Event, Field, Outbox, Target};
use crate::diag::packet::Args;

/// Bits of a sum.
pub const SUM_BITS: u32 = 48;
/// Factor of the hash: 2^32 divided by the golden ratio.
pub const HASH: u32 = 0x9e37_79b1;

/// A rule: which fields of an event are aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The event.
    pub event: u8,
    /// Its key.
    pub key: Field,
    /// Its value.
    pub value: Field,
    /// Destination of results. It also separates the tables that share the node.
    pub to: Target,
}

/// An entry of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    to: Target,
    key: u32,
    count: u32,
    sum: u64,
    least: u32,
    greatest: u32,
}

/// The golden model of the aggregate node.
#[derive(Clone, Debug)]
pub struct Aggregate {
    entries: Vec<Option<Entry>>,
    rules: Vec<Rule>,
    most: u32,
    sum_bits: u32,
    /// Entries evicted by another key.
    pub evicted: u64,
}

/// Index of a key in a table of 2^`bits` entries.
pub fn entry_index(key: u32, id: u8, bits: u32) -> usize {
    // Fibonacci hashing spreads neighbours and addresses of equal alignment
    let hash = (key ^ u32::from(id) << 24).wrapping_mul(HASH);
    (u64::from(hash) >> (32 - bits)) as usize
}

impl Aggregate {
    /// A node with `entries` entries.
    ///
    /// # Panics
    /// If `entries` is not a power of two.
    pub fn new(entries: u16) -> Self {
        Self::with_limits(entries, u32::MAX, SUM_BITS)
    }

    /// As [`Aggregate::new`], with counts up to `most` and sums of `sum_bits` bits: for tests of overflows.
    ///
    /// # Panics
    /// As [`Aggregate::new`].
    pub fn with_limits(entries: u16, most: u32, sum_bits: u32) -> Self {
        assert!(entries.is_power_of_two(), "{entries} entries are no power of two");
        Self { entries: vec![None; entries.into()], rules: Vec::new(), most, sum_bits, evicted: 0 }
    }

    /// Adds a rule, up to 16.
    pub fn add(&mut self, rule: Rule) -> Result<(), CapacityError> {
        super::check_capacity("rules", self.rules.len() + 1, 16)?;
        self.rules.push(rule);
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let bits = self.entries.len().trailing_zeros();
        for rule in self.rules.iter().filter(|r| r.event == event.id) {
            let (key, value) = (rule.key.of(event), rule.value.of(event));
            let entry = &mut self.entries[entry_index(key, rule.to.id, bits)];
            if let Some(e) = entry {
                let other = (e.key, e.to) != (key, rule.to);
                if other || e.count == self.most || (e.sum + u64::from(value)) >> self.sum_bits > 0 {
                    self.evicted += u64::from(other);
                    out.push(result(e));
                    *entry = None;
                }
            }
            let new = Entry { to: rule.to, key, count: 0, sum: 0, least: u32::MAX, greatest: 0 };
            let e = entry.get_or_insert(new);
            e.count += 1;
            e.sum += u64::from(value);
            e.least = e.least.min(value);
            e.greatest = e.greatest.max(value);
        }
    }

    /// Sends and clears all entries.
    pub fn flush(&mut self, out: &mut Outbox) {
        out.extend(self.entries.iter_mut().filter_map(Option::take).map(|e| result(&e)));
    }
}

fn result(e: &Entry) -> (u8, Event) {
    let words = [e.key, e.count, e.sum as u32, (e.sum >> 32) as u32, e.least, e.greatest];
    (e.to.dest, Event { id: e.to.id, args: Args::of(&words), ..Event::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_worked_by_hand() {
        let to = Target { dest: 63, id: 9 };
        let mut a = Aggregate::new(1);
        a.add(Rule { event: 1, key: Field::Arg(0), value: Field::Arg(1), to }).unwrap();
        let mut out = Outbox::new();
        for (key, value) in [(8, 3), (8, 10), (9, u32::MAX), (8, 0)] {
            a.take(&Event { id: 1, args: Args::of(&[key, value]), ..Event::default() }, &mut out);
        }
        assert_eq!(a.evicted, 2);
        a.flush(&mut out);
        let found: Vec<Vec<u32>> = out.iter().map(|(_, e)| e.args.to_vec()).collect();
        let want: [[u32; 6]; 3] = [[8, 2, 13, 0, 3, 10], [9, 1, u32::MAX, 0, u32::MAX, u32::MAX], [8, 1, 0, 0, 0, 0]];
        assert_eq!(found, want);
    }

    #[test]
    fn a_sum_that_would_overflow_is_sent_first() {
        let mut a = Aggregate::new(2);
        a.add(Rule { event: 1, key: Field::Const(0), value: Field::Const(u32::MAX), to: Target { dest: 63, id: 9 } })
            .unwrap();
        let mut out = Outbox::new();
        for _ in 0..70_000 {
            a.take(&Event { id: 1, ..Event::default() }, &mut out);
        }
        a.flush(&mut out);
        let sum: u64 = out.iter().map(|(_, e)| u64::from(e.args[2]) | u64::from(e.args[3]) << 32).sum();
        assert_eq!((out.len(), sum), (2, 70_000 * u64::from(u32::MAX)));
    }
}
