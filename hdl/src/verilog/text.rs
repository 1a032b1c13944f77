//! Prints a module, from its ports on

use super::arrange::Arranged;
use super::expression::number;
use super::module::{Module, Port, Role, Statement};
use super::names::Names;
use super::value::{Id, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// ` (ports); ... endmodule`, and the ports for its instances.
pub(super) fn text(module: &Module, arranged: &mut Arranged, initial: bool) -> (String, Vec<Port>, Names) {
    let constants = constants(arranged);
    let names = Names::new(module, arranged, &constants.keys().cloned().collect());
    let assigned: BTreeSet<Id> = written(arranged.blocks.iter().flatten());
    let mut ports = Vec::new();
    let mut lines = Vec::new();
    for (id, s) in module.signals.iter().enumerate() {
        let output = match s.role {
            Role::Input => false,
            Role::Output => true,
            _ => continue,
        };
        let name = names.signal(id).to_string();
        let kind = match (output, assigned.contains(&id)) {
            (false, _) => "input  wire",
            (true, false) => "output wire",
            (true, true) => "output reg ",
        };
        lines.push(format!("    {kind} {}{name}", range(s.width, true)));
        ports.push(Port { key: s.key.clone(), name, output, declared: s.width, width: s.width });
    }
    let mut out = format!(" (\n{}\n);\n", lines.join(",\n"));
    section(&mut out, |out| {
        for (c, (value, width)) in &constants {
            let _ = writeln!(
                out,
                "    localparam {}{} = {};",
                range(*width, false),
                names.constants[c],
                number(*value, *width)
            );
        }
    });
    section(&mut out, |out| declarations(out, module, arranged, &names, &assigned));
    section(&mut out, |out| {
        for (to, value) in &arranged.assigns {
            let _ = writeln!(out, "    assign {} = {};", names.signal(*to), names.value(value));
        }
    });
    for (i, instance) in module.instances.iter().enumerate() {
        section(&mut out, |out| {
            let kind = instance.child.module.as_deref().unwrap_or_default();
            let _ = writeln!(out, "    {kind} {} (", names.instances[i]);
            let connections: Vec<String> = instance
                .child
                .ports
                .iter()
                .zip(&instance.signals)
                .map(|(port, id)| {
                    let at =
                        arranged.connected.get(id).map_or_else(|| names.signal(*id).to_string(), |v| names.value(v));
                    format!("        .{}({at})", port.name)
                })
                .collect();
            let _ = writeln!(out, "{}\n    );", connections.join(",\n"));
        });
    }
    for block in &arranged.blocks {
        section(&mut out, |out| {
            let body = names.statements(block, 2, "=", &|id| names.signal(id).to_string());
            let _ = write!(out, "    always @(*) begin\n{body}    end\n");
        });
    }
    for (clock, block) in &arranged.edges {
        section(&mut out, |out| {
            let held = |id: Id| match module.signals[id].role {
                Role::Next(r) => names.signal(module.registers[r].held).to_string(),
                _ => String::new(),
            };
            let body = names.statements(block, 2, "<=", &held);
            let _ = write!(out, "    always @(posedge {}) begin\n{body}    end\n", names.signal(*clock));
        });
    }
    if initial && !arranged.registers.is_empty() {
        section(&mut out, |out| {
            out.push_str("    initial begin\n");
            for r in &arranged.registers {
                let register = &module.registers[*r];
                let width = module.signals[register.held].width;
                let _ = writeln!(out, "        {} = {};", names.signal(register.held), number(register.initial, width));
            }
            out.push_str("    end\n");
        });
    }
    out.push_str("endmodule\n");
    (out, ports, names)
}

/// A section of the text, with an empty line above it unless it is empty.
fn section(out: &mut String, f: impl FnOnce(&mut String)) {
    let mut part = String::new();
    f(&mut part);
    if !part.is_empty() {
        out.push('\n');
        out.push_str(&part);
    }
}

/// `[7:0] `, or nothing for a single bit; `wide` pads, so that names are aligned.
fn range(width: usize, wide: bool) -> String {
    let text = if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) };
    if wide {
        format!("{text:7}")
    } else {
        text
    }
}

fn declarations(out: &mut String, module: &Module, arranged: &Arranged, names: &Names, assigned: &BTreeSet<Id>) {
    let kind = |id: Id| if assigned.contains(&id) { "reg " } else { "wire" };
    let mut line = |kind: &str, id: Id| {
        let _ = writeln!(out, "    {kind} {}{};", range(module.signals[id].width, true), names.signal(id));
    };
    for r in &arranged.registers {
        line("reg ", module.registers[*r].held);
    }
    for (id, s) in module.signals.iter().enumerate() {
        let there = match s.role {
            Role::Local | Role::To(..) | Role::From(..) => names.signals.contains_key(&id),
            Role::Next(_) => assigned.contains(&id) || arranged.assigns.iter().any(|a| a.0 == id),
            _ => false,
        };
        if there {
            line(kind(id), id);
        }
    }
}

fn written<'a>(list: impl Iterator<Item = &'a Statement>) -> BTreeSet<Id> {
    let mut out = BTreeSet::new();
    list.for_each(|s| s.writes(&mut |w| out.extend([w])));
    out
}

/// Named constants in use.
fn constants(arranged: &mut Arranged) -> BTreeMap<String, (u128, usize)> {
    let mut out = BTreeMap::new();
    let mut look = |v: &mut Value| {
        v.each(&mut |v| {
            if let Value::Named { name, value, width } = v {
                out.insert(name.clone(), (*value, *width));
            }
        });
    };
    arranged.assigns.iter_mut().for_each(|a| look(&mut a.1));
    arranged.connected.values_mut().for_each(&mut look);
    for s in arranged.blocks.iter_mut().flatten().chain(arranged.edges.values_mut().flatten()) {
        s.values(&mut look);
        labels(s, &mut look);
    }
    out
}

/// Labels of arms, which are not among the values that are read.
fn labels(s: &mut Statement, f: &mut impl FnMut(&mut Value)) {
    match s {
        Statement::Assign { .. } => {}
        Statement::If { then, otherwise, .. } => then.iter_mut().chain(otherwise).for_each(|s| labels(s, f)),
        Statement::Case { arms, .. } => {
            for (label, list) in arms {
                label.iter_mut().for_each(&mut *f);
                list.iter_mut().for_each(|s| labels(s, f));
            }
        }
    }
}
