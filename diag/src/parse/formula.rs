//! Parser of temporal-logic formulas
//!
//! ```text
//! formula = or [ "->" formula ]      or = and { "||" and }      and = during { "&&" during }
//! during  = unary [ ( "until" | "since" ) during ]
//! unary   = ( "!" | "always" | "next" | "once" | "historically" | "previous" ) unary
//!         | "never" unary [ ( "after" | "before" ) unary ] | "(" formula ")" | probe
//! ```

use super::{Parser, Token, DEPTH};
use crate::formula::{Formula, Kind};
use crate::Mistake;

/// Constructor for a prefix operator.
type Unary = fn(Box<Formula>) -> Kind;

impl Parser<'_> {
    fn is_word(&mut self, word: &str) -> bool {
        // `next:` would be a probe
        let found = matches!(self.peek(), Token::Name(n) if n == word)
            && !matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign(":"))));
        if found {
            self.take();
        }
        found
    }

    /// Parses a formula.
    pub(super) fn formula(&mut self) -> Result<Formula, Mistake> {
        let a = self.formula_or()?;
        if !self.is("->") {
            return Ok(a);
        }
        let (at, b) = (a.at, self.formula()?);
        Ok(Formula { at, kind: Kind::Implies(Box::new(a), Box::new(b)) })
    }

    fn formula_or(&mut self) -> Result<Formula, Mistake> {
        let mut a = self.formula_and()?;
        while self.is("||") {
            let b = self.formula_and()?;
            a = Formula { at: a.at, kind: Kind::Or(Box::new(a), Box::new(b)) };
        }
        Ok(a)
    }

    fn formula_and(&mut self) -> Result<Formula, Mistake> {
        let mut a = self.formula_during()?;
        while self.is("&&") {
            let b = self.formula_during()?;
            a = Formula { at: a.at, kind: Kind::And(Box::new(a), Box::new(b)) };
        }
        Ok(a)
    }

    fn formula_during(&mut self) -> Result<Formula, Mistake> {
        let a = self.formula_unary()?;
        let at = a.at;
        let kind = if self.is_word("until") {
            Kind::Until(Box::new(a), Box::new(self.formula_during()?))
        } else if self.is_word("since") {
            Kind::Since(Box::new(a), Box::new(self.formula_during()?))
        } else {
            return Ok(a);
        };
        Ok(Formula { at, kind })
    }

    fn formula_unary(&mut self) -> Result<Formula, Mistake> {
        let at = self.at();
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake::new(at, format!("this formula is nested deeper than {DEPTH}")));
        }
        let formula = self.formula_inner(at)?;
        self.depth -= 1;
        Ok(formula)
    }

    fn formula_inner(&mut self, at: usize) -> Result<Formula, Mistake> {
        if self.is("(") {
            let inner = self.formula()?;
            self.need(")")?;
            return Ok(inner);
        }
        let of = |kind| Formula { at, kind };
        let not = |f: Formula| Formula { at: f.at, kind: Kind::Not(Box::new(f)) };
        let unary: [(&str, Unary); 5] = [
            ("always", Kind::Always),
            ("next", Kind::Next),
            ("once", Kind::Once),
            ("historically", Kind::Historically),
            ("previous", Kind::Previous),
        ];
        if self.is("!") {
            return Ok(of(Kind::Not(Box::new(self.formula_unary()?))));
        }
        for (word, kind) in unary {
            if self.is_word(word) {
                return Ok(of(kind(Box::new(self.formula_unary()?))));
            }
        }
        if self.is_word("never") {
            let f = not(self.formula_unary()?);
            if self.is_word("after") {
                let g = self.formula_unary()?;
                let once = Formula { at: g.at, kind: Kind::Once(Box::new(g)) };
                let before = Formula { at: once.at, kind: Kind::Previous(Box::new(once)) };
                let implies = Formula { at, kind: Kind::Implies(Box::new(before), Box::new(f)) };
                return Ok(of(Kind::Always(Box::new(implies))));
            }
            if self.is_word("before") {
                return Ok(of(Kind::Until(Box::new(f), Box::new(self.formula_unary()?))));
            }
            return Ok(of(Kind::Always(Box::new(f))));
        }
        Ok(of(Kind::Probe(self.probe()?)))
    }
}
