//! Constant propagation: signals that are the same number in every cycle, and the branches that they decide

use super::module::{Module, Role, Statement};
use super::value::{ones, shift, Id, Value};

/// Replaces signals that are constant, and removes branches that constants decide. Returns whether there were any.
pub(super) fn numbers(module: &Module, list: &mut Vec<Statement>) -> bool {
    let mut any = false;
    let writers = writers(module, list);
    for (id, writer) in writers.into_iter().enumerate() {
        let Some(value) = always(module, list, id, writer).filter(|_| list.iter().any(|s| s.does_read(id))) else {
            continue;
        };
        for s in list.iter_mut() {
            s.values(&mut |v| {
                let reads = v.does_read(id);
                if reads {
                    v.each(&mut |v| put(v, id, value));
                }
                // the first time, also values that an earlier step has changed
                if reads || !any {
                    *v = std::mem::replace(v, Value::number(0, 1)).again();
                }
            });
        }
        any = true;
    }
    if any {
        *list = decided(std::mem::take(list));
    }
    any
}

/// How many statements write a signal.
#[derive(Clone, Copy)]
enum Writer {
    None,
    /// The statement with this index.
    One(usize),
    Several,
}

/// The writers of each signal. Putting numbers into values does not change them.
fn writers(module: &Module, list: &[Statement]) -> Vec<Writer> {
    let mut writers = vec![Writer::None; module.signals.len()];
    for (i, s) in list.iter().enumerate() {
        s.writes(&mut |id| {
            writers[id] = match writers[id] {
                Writer::None => Writer::One(i),
                Writer::One(at) if at == i => Writer::One(i),
                _ => Writer::Several,
            }
        });
    }
    writers
}

/// The constant value of a signal. Registers that never change are kept: an equivalence proof could not pair them.
fn always(module: &Module, list: &[Statement], id: Id, writer: Writer) -> Option<u128> {
    let Writer::One(at) = writer else { return None };
    if !matches!(module.signals[id].role, Role::Local | Role::Output | Role::To(..)) {
        return None;
    }
    match list[at].plain()? {
        (_, Value::Number { value, .. }) => Some(*value),
        _ => None,
    }
}

/// Replaces `signal` by `number`.
fn put(v: &mut Value, signal: Id, number: u128) {
    *v = match v {
        Value::Slice { signal: s, low, width, .. } if *s == signal => Value::number(number >> *low, *width),
        Value::Element { signal: s, of, at, width } if *s == signal => {
            shift(false, Value::number(number, *of), (**at).clone()).fit(*width)
        }
        _ => return,
    };
}

/// Removes the branches that constants decide.
fn decided(list: Vec<Statement>) -> Vec<Statement> {
    let mut out = Vec::new();
    for s in list {
        match s {
            Statement::If { test, then, otherwise } => match test.constant() {
                Some(0) => out.extend(decided(otherwise)),
                Some(_) => out.extend(decided(then)),
                None => out.push(Statement::If { test, then: decided(then), otherwise: decided(otherwise) }),
            },
            Statement::Case { test, arms } => match test.constant() {
                Some(c) => {
                    let width = test.width();
                    let is = |label: &Option<Value>| {
                        label.as_ref().is_none_or(|l| l.constant().is_some_and(|l| l & ones(width) == c))
                    };
                    out.extend(arms.into_iter().find(|(label, _)| is(label)).map_or_else(Vec::new, |a| decided(a.1)));
                }
                None => {
                    let arms = arms.into_iter().map(|(label, list)| (label, decided(list))).collect();
                    out.push(Statement::Case { test, arms });
                }
            },
            s => out.push(s),
        }
    }
    out
}
