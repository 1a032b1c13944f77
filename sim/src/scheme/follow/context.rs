//! Contexts: which predictor is believed, learnt from how often it was right in the same situation
//!
//! A conditional is predicted by the loop predictor if that is sure, otherwise by the tables. Its **context** is what the predictors say
//! about how sure they are, and whether the past says the same. A counter for each context turns the prediction if it was mostly wrong.
//!
//! | context | situation |
//! | --- | --- |
//! | 0 to 53 | 9 class + (m ? 2 m - 1 + agree : 0) |
//! | 54 to 59 | sure loop: 54 + 3 exit + (m > 0) + (m > 2 and agree) |
//!
//! with m the level of the past ([`past::Prediction::level`]), 0 if it does not follow, and class that of the tables.
//!
//! # Source
//! Chooser of P. Michaud's and A. Seznec's predictors, by situation instead of by address; the contexts are ours.

use super::{loops, past, tables};

/// Number of contexts of conditionals.
pub const CONTEXTS: usize = 60;
/// Bits of a counter.
pub const COUNTER_BITS: u32 = 4;
/// Its range.
const MOST: i8 = (1 << (COUNTER_BITS - 1)) - 1;

/// The prediction of loops and tables, and its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Predicted outcome, before the context turns it.
    pub taken: bool,
    /// Context, below [`CONTEXTS`].
    pub context: u8,
}

/// The situation of a conditional.
#[inline]
pub fn situation(
    tables: &tables::LookUp,
    sure_loop: Option<loops::Prediction>,
    past: Option<past::Prediction>,
) -> Situation {
    let level = past.map_or(0, past::Prediction::level);
    let agrees = |taken| u8::from(past.is_some_and(|p| p.taken == taken));
    match sure_loop {
        Some(p) => {
            let far = u8::from(level > 2) & agrees(p.taken);
            Situation { taken: p.taken, context: 54 + 3 * u8::from(p.exit) + u8::from(level > 0) + far }
        }
        None => {
            let past = if level > 0 { 2 * level - 1 + agrees(tables.taken) } else { 0 };
            Situation { taken: tables.taken, context: 9 * tables.class + past }
        }
    }
}

/// Counters of the contexts of one core, -8 to 7 and 0 after reset. From 0 on, the prediction is believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contexts {
    counters: [i8; 64],
}

impl Default for Contexts {
    fn default() -> Self {
        Self { counters: [0; 64] }
    }
}

impl Contexts {
    /// Whether the prediction in this context is turned.
    #[inline]
    pub fn turns(&self, context: u8) -> bool {
        self.counters[usize::from(context) & 63] < 0
    }

    /// The prediction of loops and tables was right in this context, or not.
    #[inline]
    pub fn learn(&mut self, context: u8, right: bool) {
        let counter = &mut self.counters[usize::from(context) & 63];
        *counter = if right { (*counter + 1).min(MOST) } else { (*counter - 1).max(-MOST - 1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_are_those_worked_by_hand() {
        let tables =
            |taken, class| tables::LookUp { taken, class, ..super::super::tables::Tables::new(8, 0, 4).look_up(0) };
        let past = |taken, length| Some(past::Prediction { taken, length });
        let context = |t: tables::LookUp, l, p| situation(&t, l, p).context;
        assert_eq!(context(tables(true, 0), None, None), 0);
        assert_eq!(context(tables(true, 5), None, past(true, 64)), 53);
        assert_eq!(context(tables(true, 5), None, past(false, 64)), 52);
        assert_eq!(context(tables(false, 2), None, past(false, 0)), 18 + 2);
        let ends = |exit: bool| Some(loops::Prediction { taken: !exit, exit });
        assert_eq!(context(tables(false, 2), ends(false), None), 54);
        assert_eq!(context(tables(false, 2), ends(true), past(true, 16)), 58);
        assert_eq!(context(tables(false, 2), ends(true), past(false, 16)), 59);
        assert_eq!(context(tables(false, 2), ends(true), past(false, 15)), 58);
        assert!(!situation(&tables(true, 2), ends(true), None).taken);
    }

    #[test]
    fn a_context_that_is_mostly_wrong_turns_the_prediction() {
        let mut c = Contexts::default();
        c.learn(9, false);
        assert!(c.turns(9) && !c.turns(8));
        (0..20).for_each(|_| c.learn(9, false));
        let walk = (0..8).filter(|_| (c.turns(9), c.learn(9, true)).0).count();
        assert!(walk == 8 && !c.turns(9));
    }
}
