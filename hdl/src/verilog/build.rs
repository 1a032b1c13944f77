//! Builds a module from a captured block: its signals, registers, instances and statements

use super::capture::{Content, Named, Node};
use super::lower::{Lower, Meaning};
use super::module::{Child, Instance, Module, Port, Register, Role};
use super::refused::Unsupported;
use super::value::{concat, Id, Value};
use rust_hdl::core::atom::AtomKind;

/// The module of a kernel. `children` are its instances; `None` is a flip-flop.
pub(super) fn build(node: &Node, children: Vec<Option<Child>>) -> Result<Module, Unsupported> {
    let Content::Kernel(code) = &node.content else { return Err(Unsupported("no kernel".into())) };
    let mut module = Module::default();
    let mut lower = Lower::default();
    for atom in &node.atoms {
        own(atom, &mut module, &mut lower)?;
    }
    for (label, value, width) in &node.labels {
        let name = snake(label);
        lower.names.insert(label.clone(), Meaning::Constant(Value::Named { name, value: *value, width: *width }));
    }
    let mut narrow = Vec::new();
    for (child, done) in node.children.iter().zip(children) {
        match done {
            None => register(child, &mut module, &mut lower)?,
            Some(done) => instance(&child.name, done, &mut module, &mut lower, &mut narrow),
        }
    }
    module.statements = lower.block(code)?;
    for s in &mut module.statements {
        let mut unnamed = false;
        s.values(&mut |v| v.each(&mut |v| unnamed |= matches!(v, Value::Low(..))));
        if unnamed {
            let mut first = None;
            s.writes(&mut |w| first = first.or(Some(w)));
            let name = first.map_or("", |w| &module.signals[w].key);
            return Err(Unsupported(format!(
                "low bits of an expression go to {name}: a local signal in between would name it"
            )));
        }
    }
    for id in narrow {
        if module.statements.iter().any(|s| s.does_read(id)) {
            return Err(Unsupported(format!("{} is read here", module.signals[id].key)));
        }
    }
    Ok(module)
}

/// A placeholder for a block without a read output: ports, but no instance.
pub(super) fn none(node: &Node) -> Child {
    let is = |a: &&Named| matches!(a.kind, AtomKind::InputParameter | AtomKind::OutputParameter);
    let port = |a: &Named| Port {
        key: a.name.clone(),
        name: a.name.clone(),
        output: a.kind == AtomKind::OutputParameter,
        declared: a.bits,
        width: a.bits,
    };
    Child {
        module: None,
        ports: node.atoms.iter().filter(is).map(port).collect(),
        removed: Vec::new(),
        renamed: Vec::new(),
    }
}

/// `FieldStep$Count` to `Field_Step_Count`.
fn snake(label: &str) -> String {
    let mut out = String::new();
    for c in label.chars() {
        let begins = c.is_ascii_uppercase() && !out.is_empty() && !out.ends_with('_');
        if begins || c == '$' {
            out.push('_');
        }
        if c != '$' {
            out.push(c);
        }
    }
    out
}

fn own(atom: &Named, module: &mut Module, lower: &mut Lower) -> Result<(), Unsupported> {
    let role = match atom.kind {
        AtomKind::InputParameter => {
            if let Some(value) = atom.tied {
                lower.names.insert(atom.name.clone(), Meaning::Constant(Value::number(value, atom.bits)));
                return Ok(());
            }
            Role::Input
        }
        AtomKind::OutputParameter if atom.open => Role::Local,
        AtomKind::OutputParameter => Role::Output,
        AtomKind::LocalSignal => Role::Local,
        AtomKind::Constant => {
            // the numbers 0 and 1 are clearer than names
            let value = match atom.value {
                0 | 1 => Value::number(atom.value, atom.bits),
                value => Value::Named { name: atom.name.clone(), value, width: atom.bits },
            };
            lower.names.insert(atom.name.clone(), Meaning::Constant(value));
            return Ok(());
        }
        _ => return Err(Unsupported(format!("{}: a port of both directions", atom.name))),
    };
    let id = module.signal(atom.name.clone(), atom.bits, role);
    lower.names.insert(atom.name.clone(), Meaning::Signal(id, atom.bits));
    Ok(())
}

fn register(node: &Node, module: &mut Module, lower: &mut Lower) -> Result<(), Unsupported> {
    let number = module.registers.len();
    let mut add = |port: &str, role: Role| {
        let atom = node.atoms.iter().find(|a| a.name == port);
        let atom = atom.ok_or_else(|| Unsupported(format!("{}: a flip-flop without {port}", node.name)))?;
        let key = format!("{}${port}", node.name);
        let id = module.signal(key.clone(), atom.bits, role);
        lower.names.insert(key, Meaning::Signal(id, atom.bits));
        Ok((id, atom.value))
    };
    let (next, _) = add("d", Role::Next(number))?;
    let (held, initial) = add("q", Role::Held(number))?;
    let (clock, _) = add("clock", Role::ClockOf(number))?;
    module.registers.push(Register { name: node.name.clone(), next, held, clock, initial });
    Ok(())
}

fn instance(name: &str, child: Child, module: &mut Module, lower: &mut Lower, narrow: &mut Vec<Id>) {
    let number = module.instances.len();
    // an instance that drives nothing is omitted
    let there = child.module.is_some() && child.ports.iter().any(|p| p.output);
    let mut signals = Vec::new();
    for removed in &child.removed {
        let key = format!("{name}${}", removed.key);
        let meaning = match removed.output {
            Some(value) => Meaning::Constant(Value::number(value, removed.width)),
            None => Meaning::Signal(module.signal(key.clone(), removed.width, Role::Local), removed.width),
        };
        lower.names.insert(key, meaning);
    }
    for (i, port) in child.ports.iter().enumerate() {
        let key = format!("{name}${}", port.key);
        if port.output && !there {
            lower.names.insert(key, Meaning::Constant(Value::number(0, port.declared)));
            continue;
        }
        let role = match (there, port.output) {
            (false, _) => Role::Local,
            (true, true) => Role::From(number, i),
            (true, false) => Role::To(number, i),
        };
        let id = module.signal(key.clone(), port.width, role);
        let meaning = if port.width == port.declared {
            Meaning::Signal(id, port.width)
        } else if port.output {
            let above = Value::number(0, port.declared - port.width);
            Meaning::Constant(concat(vec![above, Value::whole(id, port.width)]))
        } else {
            narrow.push(id);
            lower.contexts.insert(id, port.declared);
            Meaning::Signal(id, port.width)
        };
        lower.names.insert(key, meaning);
        signals.push(id);
    }
    if there {
        module.instances.push(Instance { name: name.to_string(), child, signals });
    }
}
