//! Filter: passes events whose arguments match, with a new identifier and destination
//!
//! A rule is for one event and has up to four terms, of which all or any must hold. Of the matching events, one in N
//! passes, up to a maximum number.

use super::{check_capacity, CapacityError, Event, Field, Outbox, Target};

/// Most terms of a rule.
pub const TERMS: usize = 4;

/// A comparison, unsigned or signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less, unsigned.
    Lt,
    /// Less or equal, unsigned.
    Le,
    /// Greater, unsigned.
    Gt,
    /// Greater or equal, unsigned.
    Ge,
}

impl Compare {
    /// Whether the comparison holds for `a` and `b`.
    #[inline]
    pub fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// `field & mask` compared with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// Field that is compared.
    pub field: Field,
    /// Mask on the field.
    pub mask: u32,
    /// Comparison.
    pub compare: Compare,
    /// Constant.
    pub with: u32,
}

/// A rule: which occurrences of one event pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The event.
    pub event: u8,
    /// Up to [`TERMS`]; with none, every event matches.
    pub terms: Vec<Term>,
    /// One matching term is enough.
    pub any: bool,
    /// Of the matching events, one in this number passes, beginning with the first. At least 1.
    pub one_in: u32,
    /// Most events that pass; 0: no limit.
    pub first: u32,
    /// Where they go.
    pub to: Target,
}

/// The golden model of the filter node.
#[derive(Clone, Debug)]
pub struct Filter {
    capacity: u8,
    rules: Vec<(Rule, u32, u32)>,
}

impl Filter {
    /// A node for up to `capacity` rules.
    pub fn new(capacity: u8) -> Self {
        Self { capacity, rules: Vec::new() }
    }

    /// Adds a rule.
    pub fn add(&mut self, rule: Rule) -> Result<(), CapacityError> {
        check_capacity("rules", self.rules.len() + 1, self.capacity.into())?;
        check_capacity("terms", rule.terms.len(), TERMS)?;
        self.rules.push((rule, 0, 0));
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        for (rule, since, passed) in self.rules.iter_mut().filter(|r| r.0.event == event.id) {
            let mut holds = rule.terms.iter().map(|t| t.compare.holds(t.field.of(event) & t.mask, t.with));
            if !(rule.terms.is_empty() || if rule.any { holds.any(|h| h) } else { holds.all(|h| h) }) {
                continue;
            }
            let passes = *since == 0 && (rule.first == 0 || *passed < rule.first);
            *since = (*since + 1) % rule.one_in.max(1);
            if passes {
                *passed = passed.saturating_add(1);
                out.push((rule.to.dest, Event { id: rule.to.id, ..*event }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::packet::Args;

    #[test]
    fn rules_pass_what_was_worked_by_hand() {
        let term = |n, compare, with| Term { field: Field::Arg(n), mask: u32::MAX, compare, with };
        let rule = |terms: &[Term], any, one_in, first, id| Rule {
            event: 1,
            terms: terms.to_vec(),
            any,
            one_in,
            first,
            to: Target { dest: 9, id },
        };
        let mut f = Filter::new(3);
        let (a, b) = (term(0, Compare::Ge, 3), term(1, Compare::Ne, 0));
        f.add(rule(&[a, b], false, 1, 0, 10)).unwrap();
        f.add(rule(&[a, b], true, 2, 0, 11)).unwrap();
        f.add(rule(&[], false, 1, 2, 12)).unwrap();
        assert!(f.add(rule(&[], false, 1, 2, 12)).is_err());
        let mut passed = Vec::new();
        for (x, y) in [(3, 1), (3, 0), (0, 7), (2, 0), (u32::MAX, 1)] {
            let mut out = Outbox::new();
            f.take(&Event { id: 1, args: Args::of(&[x, y]), ..Event::default() }, &mut out);
            f.take(&Event { id: 2, args: Args::of(&[x, y]), ..Event::default() }, &mut out);
            passed.push(out.iter().map(|(_, e)| e.id).collect::<Vec<_>>());
        }
        assert_eq!(passed, [vec![10, 11, 12], vec![12], vec![11], vec![], vec![10]]);
    }
}
