//! Terms of a predicate that a filter node supports

use crate::app::{Expr, Value};
use crate::syntax::Binary;
use sim::diag::node::filter::{Compare, Term, TERMS};
use sim::diag::node::Field;

/// Terms of a predicate that a filter supports; whether one of them suffices (otherwise all must hold); and whether
/// they are the whole predicate.
pub fn chip_terms(predicate: &Expr) -> Option<(Vec<Term>, bool, bool)> {
    let mut any = Vec::new();
    if collect(predicate, Binary::Or, &mut any) && any.len() > 1 {
        return (any.len() <= TERMS).then_some((any, true, true));
    }
    let mut parts = vec![predicate];
    let (mut terms, mut whole) = (Vec::new(), true);
    while let Some(part) = parts.pop() {
        match part {
            Expr::Binary(Binary::And, a, b) => parts.extend([&**b, &**a]),
            _ => match term(part) {
                Some(t) if terms.len() < TERMS => terms.push(t),
                _ => whole = false,
            },
        }
    }
    (!terms.is_empty()).then_some((terms, false, whole))
}

fn collect(e: &Expr, op: Binary, terms: &mut Vec<Term>) -> bool {
    match e {
        Expr::Binary(o, a, b) if *o == op => collect(a, op, terms) && collect(b, op, terms),
        _ => term(e).map(|t| terms.push(t)).is_some(),
    }
}

/// Converts a comparison of a field, masked or not, with a 32-bit number.
fn term(e: &Expr) -> Option<Term> {
    let Expr::Binary(op, a, b) = e else { return None };
    let (a, b, swapped) = if matches!(**b, Expr::Number(_)) { (a, b, false) } else { (b, a, true) };
    let Expr::Number(with) = **b else { return None };
    let with = u32::try_from(with).ok()?;
    let (inner, mask) = match &**a {
        Expr::Binary(Binary::BitAnd, f, m) => match **m {
            Expr::Number(m) => (&**f, u32::try_from(m).ok()?),
            _ => return None,
        },
        other => (other, u32::MAX),
    };
    let field = field(inner).filter(|f| !matches!(f, Field::Const(_)))?;
    let compare = match (op, swapped) {
        (Binary::Eq, _) => Compare::Eq,
        (Binary::Ne, _) => Compare::Ne,
        (Binary::Lt, false) | (Binary::Gt, true) => Compare::Lt,
        (Binary::Le, false) | (Binary::Ge, true) => Compare::Le,
        (Binary::Gt, false) | (Binary::Lt, true) => Compare::Gt,
        (Binary::Ge, false) | (Binary::Le, true) => Compare::Ge,
        _ => return None,
    };
    Some(Term { field, mask, compare, with })
}

/// Converts a value that a node can take.
pub(super) fn field(e: &Expr) -> Option<Field> {
    Some(match e {
        Expr::Value(Value::Arg(n)) => Field::Arg(*n),
        Expr::Value(Value::Core) => Field::Core,
        Expr::Number(n) => Field::Const(u32::try_from(*n).ok()?),
        _ => return None,
    })
}
