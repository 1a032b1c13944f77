//! Verilog names: plain words, unique in a module

use super::arrange::Arranged;
use super::module::{Module, Role};
use super::pins::core_pin;
use super::value::Id;
use options::verilog_name::KEYWORDS;
use std::collections::{BTreeMap, BTreeSet};

/// The names of a module.
#[derive(Default)]
pub(super) struct Names {
    pub signals: BTreeMap<Id, String>,
    pub instances: Vec<String>,
    /// Constants, by their names in the kernel.
    pub constants: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

/// The Verilog name of the signal that rust-hdl calls `key`, before it is made unique: `stall$0` becomes `stall_0`. The
/// bundle of a circuit in a slot and the pins of a core are left out of the name.
pub fn plain(key: &str) -> String {
    let key = key.strip_prefix("port$").unwrap_or(key);
    match core_pin(key) {
        Some((core, pin)) => format!("{pin}_{core}").replace('$', "_"),
        None => key.strip_prefix("pins$").unwrap_or(key).replace('$', "_"),
    }
}

impl Names {
    /// Names for everything in use, including `constants`.
    pub fn new(module: &Module, arranged: &Arranged, constants: &BTreeSet<String>) -> Self {
        let mut names = Self::default();
        // ports first: their names must not depend on the contents
        for (id, s) in module.signals.iter().enumerate().filter(|(_, s)| matches!(s.role, Role::Input | Role::Output)) {
            let name = names.free(plain(&s.key));
            names.signals.insert(id, name);
        }
        for i in &module.instances {
            // the child module may have a signal with the plain name
            let name = names.free(format!("u_{}", plain(&i.name)));
            names.instances.push(name);
        }
        for r in &arranged.registers {
            let register = &module.registers[*r];
            let mut name = plain(&register.name);
            if names.taken.contains(&name) {
                name.push_str("_q");
            }
            let name = names.free(name);
            let next = names.free(format!("{name}_next"));
            names.signals.insert(register.held, name);
            names.signals.insert(register.next, next);
        }
        for (id, s) in module.signals.iter().enumerate() {
            let name = match s.role {
                Role::Local => plain(&s.key),
                Role::To(i, p) | Role::From(i, p) => {
                    format!("{}_{}", plain(&module.instances[i].name), module.instances[i].child.ports[p].name)
                }
                _ => continue,
            };
            if arranged.live.contains(&id) && !arranged.connected.contains_key(&id) {
                let name = names.free(name);
                names.signals.insert(id, name);
            }
        }
        for c in constants {
            let name = names.free(c.to_uppercase().replace('$', "_"));
            names.constants.insert(c.clone(), name);
        }
        names
    }

    fn free(&mut self, name: String) -> String {
        let mut found = name.clone();
        for n in 2.. {
            if !KEYWORDS.contains(&found.as_str()) && self.taken.insert(found.clone()) {
                break;
            }
            found = format!("{name}_{n}");
        }
        found
    }
}
