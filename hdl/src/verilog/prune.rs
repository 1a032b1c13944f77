//! Removes ports and statements that other parameters need, but not those of this circuit
//!
//! Some ports can be removed when the module is written: inputs that are not read, and outputs that are constant.
//! Others depend on all instances: an input that all tie to the same number, an output that none reads. The circuit is
//! then written again without them, until no more are found. A block without a read output is removed altogether.

use super::arrange::Arranged;
use super::capture::{Content, Named, Node};
use super::module::{Module, RemovedPort, Role};
use super::value::Value;
use std::collections::BTreeMap;

/// How the instances of all modules use their ports.
#[derive(Default)]
pub(super) struct Uses(BTreeMap<(String, String), Use>);

/// How the instances of a module use a port.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// All instances tie the input to this number.
    Tied(u128),
    /// No instance reads the output.
    Open,
    /// The port is needed.
    Needed,
}

/// The module and the name of a port, and how one instance uses it.
pub(super) type PortUse = ((String, String), Use);

/// How the instances in `module` use their ports.
pub(super) fn uses(module: &Module, arranged: &Arranged) -> Vec<PortUse> {
    let mut out = Vec::new();
    for instance in &module.instances {
        let Some(kind) = &instance.child.module else { continue };
        for (port, id) in instance.child.ports.iter().zip(&instance.signals) {
            let found = match arranged.connected.get(id) {
                Some(Value::Number { value, .. }) if !port.output => Use::Tied(*value),
                None if arranged.unread.contains(id) => Use::Open,
                _ => Use::Needed,
            };
            out.push(((kind.clone(), port.name.clone()), found));
        }
    }
    out
}

impl Uses {
    /// Adds the instances of a module.
    pub fn extend(&mut self, uses: &[PortUse]) {
        for (port, found) in uses {
            let known = self.0.entry(port.clone()).or_insert(*found);
            if known != found {
                *known = Use::Needed;
            }
        }
    }

    /// Marks the ports of `node`, and of all blocks in it, that are not needed. Returns whether there were any.
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

/// Removes marked ports, inputs that are not read, and constant outputs.
pub(super) fn ports(node: &Node, module: &mut Module, arranged: &mut Arranged) -> Vec<RemovedPort> {
    let marked = node.atoms.iter().filter(|a| a.open || a.tied.is_some());
    let output = |a: &Named| a.open.then_some(0);
    let mut removed: Vec<_> =
        marked.map(|a| RemovedPort { key: a.name.clone(), width: a.bits, output: output(a) }).collect();
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
        removed.push(RemovedPort { key: signal.key.clone(), width: signal.width, output });
    }
    removed
}

/// Marks the blocks in `node` without a read output. Returns whether there were any.
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
