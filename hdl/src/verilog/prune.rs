//! Ports and statements that a circuit has for parameters that this one does not have
//!
//! What a module alone tells is gone when it is written: inputs that nothing reads, outputs that are a number. What
//! its instances tell needs all of them: an input that all tie to one number, an output that none reads. Then the
//! circuit is written again without it, until nothing more is found. A block none of whose outputs is read is left out
//! altogether.

use super::build::{Gone, Module};
use super::capture::{Content, Named, Node};
use super::module::{Role, Statement};
use super::value::{ones, shift, Id, Value};
use crate::verilog::arrange::Arranged;
use std::collections::BTreeMap;

/// What the instances of all modules do with their ports.
#[derive(Default)]
pub(super) struct Uses(BTreeMap<(String, String), Use>);

/// What the instances of a module do with a port.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// All of them tie the input to this number.
    Tied(u128),
    /// None of them reads the output.
    Open,
    /// It is needed.
    Needed,
}

impl Uses {
    /// Adds the instances of `module`.
    pub fn add(&mut self, module: &Module, arranged: &Arranged) {
        for instance in &module.instances {
            let Some(kind) = &instance.child.module else { continue };
            for (port, id) in instance.child.ports.iter().zip(&instance.signals) {
                let found = match arranged.connected.get(id) {
                    Some(Value::Number { value, .. }) if !port.output => Use::Tied(*value),
                    None if arranged.unread.contains(id) => Use::Open,
                    _ => Use::Needed,
                };
                let known = self.0.entry((kind.clone(), port.name.clone())).or_insert(found);
                if *known != found {
                    *known = Use::Needed;
                }
            }
        }
    }

    /// Marks the ports of `node` and of all blocks in it that are not needed; whether there were any.
    pub fn mark(&self, node: &mut Node) -> bool {
        let mut any = false;
        if let Some((kind, ports)) = &node.written {
            for port in ports {
                let Some(atom) = node.atoms.iter_mut().find(|a| a.name == port.key) else { continue };
                match self.0.get(&(kind.clone(), port.name.clone())) {
                    Some(Use::Tied(value)) => atom.tied = Some(*value),
                    Some(Use::Open) => atom.open = true,
                    _ => continue,
                }
                any = true;
            }
        }
        node.children.iter_mut().fold(any, |any, child| self.mark(child) | any)
    }
}

/// Takes away what is marked, the inputs of a module that nothing reads, and the outputs that are a number.
pub(super) fn ports(node: &Node, module: &mut Module, arranged: &mut Arranged) -> Vec<Gone> {
    let marked = node.atoms.iter().filter(|a| a.open || a.tied.is_some());
    let output = |a: &Named| a.open.then_some(0);
    let mut gone: Vec<_> = marked.map(|a| Gone { key: a.name.clone(), width: a.bits, output: output(a) }).collect();
    for (id, signal) in module.signals.iter_mut().enumerate() {
        let output = match signal.role {
            Role::Input if !arranged.live.contains(&id) => None,
            Role::Output => match arranged.assigns.iter().position(|(to, v)| *to == id && is_number(v)) {
                Some(at) => arranged.assigns.remove(at).1.constant(),
                None => continue,
            },
            _ => continue,
        };
        signal.role = Role::Local;
        arranged.live.remove(&id);
        gone.push(Gone { key: signal.key.clone(), width: signal.width, output });
    }
    gone
}

/// Marks the blocks in `node` whose outputs are all unread. Returns whether it found any.
pub(super) fn dead(node: &mut Node, module: &Module, arranged: &Arranged) -> bool {
    let mut any = false;
    for instance in &module.instances {
        let mut outputs = instance.child.ports.iter().zip(&instance.signals).filter(|(p, _)| p.output);
        if outputs.all(|(_, id)| arranged.unread.contains(id)) {
            let child =
                node.children.iter_mut().find(|c| c.name == instance.name && matches!(c.content, Content::Kernel(_)));
            any |= child.map(|c| c.dead = true).is_some();
        }
    }
    any
}

fn is_number(v: &Value) -> bool {
    matches!(v, Value::Number { .. })
}

/// Puts numbers in the place of what is assigned to one, and leaves out what they decide; whether there were any.
pub(super) fn numbers(module: &Module, list: &mut Vec<Statement>) -> bool {
    let mut any = false;
    for id in 0..module.signals.len() {
        let Some(value) = always(module, list, id).filter(|_| list.iter().any(|s| s.does_read(id))) else { continue };
        any = true;
        for s in list.iter_mut() {
            s.values(&mut |v| {
                v.each(&mut |v| put(v, id, value));
                *v = std::mem::replace(v, Value::number(0, 1)).again();
            });
        }
    }
    if any {
        *list = decided(std::mem::take(list));
    }
    any
}

/// The number that a signal has in every clock. Registers that never change stay: no proof would pair them.
fn always(module: &Module, list: &[Statement], id: Id) -> Option<u128> {
    if !matches!(module.signals[id].role, Role::Local | Role::Output | Role::To(..)) {
        return None;
    }
    let mut writers = list.iter().filter(|s| s.does_write(id));
    match (writers.next()?.plain()?, writers.next()) {
        ((_, Value::Number { value, .. }), None) => Some(*value),
        _ => None,
    }
}

/// `number` in the place of `signal`.
fn put(v: &mut Value, signal: Id, number: u128) {
    *v = match v {
        Value::Slice { signal: s, low, width, .. } if *s == signal => Value::number(number >> *low, *width),
        Value::Element { signal: s, of, at, width } if *s == signal => {
            shift(false, Value::number(number, *of), (**at).clone()).fit(*width)
        }
        _ => return,
    };
}

/// Without the branches that numbers decide.
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
