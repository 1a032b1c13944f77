//! Widening of triggers: probes of data and traps share a trigger when there are too few, and their events are
//! separated later
//!
//! A trap trigger without a cause fires on all traps, and the captured cause identifies each. A data trigger from the
//! first byte of one variable to the last of another fires on both, and the captured address identifies each; accesses
//! to bytes in between are sent too. A predicate separates the events, in a filter or on the host.
//!
//! The first byte of an access identifies its variable. So only variables that start at a word boundary are merged: an
//! aligned access to one starts inside it.

use crate::app::{App, Consumer, Expr, Use, Value};
use crate::share::{fewest, union, wide};
use crate::syntax::Binary;
use sim::diag::trigger::{Capture, Number, Trigger, CAPTURES};

/// A trigger that covers both, and the number of additional bytes that it covers.
fn joined(a: Trigger, b: Trigger) -> Option<(Trigger, u64)> {
    match (a, b) {
        (Trigger::Trap { interrupt: i, cause: c }, Trigger::Trap { interrupt: j, cause: d }) => {
            let interrupt = i.filter(|_| i == j);
            let cause = c.filter(|_| c == d && i == j);
            Some((Trigger::Trap { interrupt, cause }, 0))
        }
        (
            Trigger::Data { first: f, last: l, loads, stores, value: None },
            Trigger::Data { first: g, last: m, loads: p, stores: q, value: None },
        ) if (loads, stores) == (p, q) && (f | g) & 3 == 0 && (f.max(g) - f.min(g)) >> 32 == 0 => {
            let (first, last) = (f.min(g), l.max(m));
            let size = |first: u64, last: u64| last.saturating_sub(first).saturating_add(1);
            let more = size(first, last).saturating_sub(size(f, l).saturating_add(size(g, m)));
            Some((Trigger::Data { first, last, loads, stores, value: None }, more))
        }
        _ => None,
    }
}

/// The captured words that identify the use of an event.
fn distinguishing_captures(trigger: Trigger, wide: bool) -> Option<Vec<Capture>> {
    match trigger {
        Trigger::Trap { .. } => Some(vec![Capture::Cause]),
        Trigger::Data { .. } if wide => Some(vec![Capture::Address, Capture::Upper(Number::Address)]),
        Trigger::Data { .. } => Some(vec![Capture::Address]),
        Trigger::Pc(_)
        | Trigger::Entry { .. }
        | Trigger::Return(_)
        | Trigger::ReturnFrom { .. }
        | Trigger::TrapReturn => None,
    }
}

/// Replaces either trigger of all uses by the wider one.
fn widened(app: &App, a: Trigger, b: Trigger, to: Trigger) -> Option<App> {
    let mut app = app.clone();
    let mut all = Vec::new();
    for u in app.uses.iter_mut().filter(|u| u.also.is_empty() && (u.trigger == a || u.trigger == b)) {
        u.original_trigger = u.original_trigger.or(Some(u.trigger));
        u.trigger = to;
        u.captures = union(&u.captures, &distinguishing_captures(to, app.wide)?);
        all = union(&all, &u.captures);
    }
    // otherwise there would be two slots of the same trigger
    (all.len() <= CAPTURES).then_some(app)
}

/// Condition that selects a use's events among those of its trigger.
fn condition(u: &Use, wide: bool) -> Option<Expr> {
    let original_trigger = u.original_trigger.filter(|n| *n != u.trigger)?;
    let words = distinguishing_captures(u.trigger, wide)?;
    let at = |word: &Capture| u.captures.iter().position(|c| c == word).map(|n| n as u8);
    let value = match words[..] {
        [low, high] => Value::Wide(at(&low)?, at(&high)?),
        _ => Value::Arg(at(&words[0])?),
    };
    let word = || Box::new(Expr::Value(value));
    let is = |op, n: u64| Expr::Binary(op, word(), Box::new(Expr::Number(n as i64)));
    Some(match original_trigger {
        Trigger::Trap { interrupt: Some(i), cause: Some(c) } => is(Binary::Eq, u64::from(i) << 31 | u64::from(c)),
        Trigger::Trap { interrupt: Some(true), cause: None } => is(Binary::Ge, 1 << 31),
        Trigger::Trap { interrupt: Some(false), cause: None } => is(Binary::Lt, 1 << 31),
        Trigger::Trap { interrupt: None, cause: Some(c) } => {
            let masked = Expr::Binary(Binary::BitAnd, word(), Box::new(Expr::Number(0x7fff_ffff)));
            Expr::Binary(Binary::Eq, Box::new(masked), Box::new(Expr::Number(c.into())))
        }
        Trigger::Data { first, last, .. } => both(is(Binary::Ge, first), is(Binary::Le, last)),
        _ => return None,
    })
}

fn both(a: Expr, b: Expr) -> Expr {
    Expr::Binary(Binary::And, Box::new(a), Box::new(b))
}

/// Widens triggers of data, traps and entries until `available` are enough, starting with the smallest additional range, as
/// far as possible.
pub fn widen(app: &mut App, available: usize) {
    let mut found = app.clone();
    loop {
        let slots = fewest(&found);
        let needed = wide(&slots);
        if needed <= available {
            break;
        }
        let mut best: Option<(usize, u64, App)> = None;
        for (n, a) in slots.iter().enumerate().filter(|(_, g)| g.also.is_empty()) {
            for b in slots[n + 1..].iter().filter(|g| g.also.is_empty()) {
                let Some((to, more)) = joined(a.slot.trigger, b.slot.trigger) else { continue };
                let Some(tried) = widened(&found, a.slot.trigger, b.slot.trigger, to) else { continue };
                let left = wide(&fewest(&tried));
                if left < needed && best.as_ref().is_none_or(|b| (left, more) < (b.0, b.1)) {
                    best = Some((left, more, tried));
                }
            }
        }
        let Some((_, _, next)) = best else { break };
        found = next;
    }
    *app = found;
    for n in 0..app.uses.len() {
        let Some(selection) = condition(&app.uses[n], app.wide) else { continue };
        match app.uses[n].consumer {
            Consumer::Clause(c) => {
                let own = app.clauses[c].predicate.take();
                app.clauses[c].predicate = Some(match own {
                    Some(own) => both(selection, own),
                    None => selection,
                });
            }
            Consumer::Class(..) | Consumer::Span(..) | Consumer::Log(..) => app.uses[n].selection = Some(selection),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::resolve::resolve;
    use crate::symbols::Symbols;

    #[test]
    fn triggers_are_widened_as_worked_by_hand() {
        let text = "interrupt:3, interrupt:7 { @a = count(); } exception:2 /pc > 8/ { @b = count(); }
            write:64 { @c = count(); } write:72 { @d = count(); } write:4096 { @e[value] = count(); } read:68 { @f = count(); }";
        let app = resolve(&parse(text).unwrap(), &Symbols::none(), 1).unwrap();
        let slots = |available: usize| {
            let mut app = app.clone();
            widen(&mut app, available);
            (fewest(&app).iter().map(|g| g.slot.trigger).collect::<Vec<_>>(), app)
        };
        let data = |first, last, stores: bool| Trigger::Data { first, last, loads: !stores, stores, value: None };
        let trap = |interrupt, cause| Trigger::Trap { interrupt, cause };
        assert_eq!(slots(7).0.len(), 7);
        assert_eq!(slots(7).1, app);
        // first the two interrupts, with nothing in between; then all traps, then the words at 64 and 72 with those in
        // between
        assert_eq!(slots(6).0[0], trap(Some(true), None));
        assert_eq!(slots(5).0[0], trap(None, None));
        let (four, app) = slots(4);
        assert_eq!(four, [trap(None, None), data(64, 75, true), data(4096, 4099, true), data(68, 71, false)]);
        let shown = |n: usize| format!("{:?}", app.clauses[n].predicate.as_ref().unwrap());
        assert_eq!(shown(0), "Binary(Eq, Value(Arg(0)), Number(2147483651))");
        assert_eq!(shown(2), "Binary(And, Binary(Eq, Value(Arg(1)), Number(2)), Binary(Gt, Value(Arg(0)), Number(8)))");
        assert!(shown(3)
            .contains("Binary(And, Binary(Ge, Value(Arg(0)), Number(64)), Binary(Le, Value(Arg(0)), Number(67)))"));
        assert_eq!(app.clauses[5].predicate, None);
        // a load and a store cannot be merged, so it ends here
        assert_eq!(slots(1).0, [trap(None, None), data(64, 4099, true), data(68, 71, false)]);
    }
}
