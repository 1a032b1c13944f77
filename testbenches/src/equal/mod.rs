//! Checks whether two emitted Verilog texts, from an old and a new version of this repository, are the same circuit
//!
//! Texts are identical, or equal after normalisation, or proved equivalent by Yosys.
//!
//! # Normalisation
//! Ignored are comments, white space, names of modules, the order of ports, modules that are not instantiated, and
//! index 0 in names (`core_0_entry` is `core_entry`, unless the module also has that name). All else must be the same,
//! in the same order.
//!
//! # Proof
//! Modules are paired by the names of their instances, bottom up. A pair with the same own text is equal if its
//! children are. Otherwise Yosys proves it, with registers paired by name (`equiv_make`, `equiv_struct`,
//! `equiv_simple`, `equiv_induct`); children that are already known to be equal are black boxes. Children that are not
//! equal, or have other ports, are flattened into the module around them. Memories are always black boxes. A proof that
//! exceeds the time limit counts as failed.

mod design;
mod yosys;

use design::{Design, Module};
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// Result of a comparison of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Equality {
    /// Identical.
    Bytes,
    /// Equal after normalisation.
    Normalised,
    /// Proved equivalent.
    Proved,
    /// Not proved; the reason.
    No(String),
}

/// A comparison of texts, which remembers what was proved of their modules.
pub struct Prover {
    /// Time limit of a proof.
    limit: Duration,
    /// Pairs of modules, and why they are not equal.
    known: HashMap<(u64, u64), Result<(), String>>,
    /// Number of Yosys proofs so far.
    pub proofs: usize,
}

impl Prover {
    /// A prover with a time limit for each proof.
    pub fn new(limit: Duration) -> Self {
        Self { limit, known: HashMap::new(), proofs: 0 }
    }

    /// Compares two files.
    pub fn files(&mut self, old: &Path, new: &Path) -> std::io::Result<Equality> {
        Ok(self.texts(&std::fs::read_to_string(old)?, &std::fs::read_to_string(new)?))
    }

    /// Compares two texts; the first module of each is the top.
    pub fn texts(&mut self, old: &str, new: &str) -> Equality {
        if old == new {
            return Equality::Bytes;
        }
        let (Some(old), Some(new)) = (Design::read(old), Design::read(new)) else {
            return Equality::No("this is not Verilog of this writer".into());
        };
        let (a, b) = (old.top.clone(), new.top.clone());
        if old.modules[&a].id == new.modules[&b].id {
            return Equality::Normalised;
        }
        match self.pair(&old, &a, &new, &b) {
            Ok(()) => Equality::Proved,
            Err(why) => Equality::No(why),
        }
    }

    /// Whether two modules are equal.
    fn pair(&mut self, old: &Design, a: &str, new: &Design, b: &str) -> Result<(), String> {
        let (x, y) = (&old.modules[a], &new.modules[b]);
        if x.id == y.id {
            return Ok(());
        }
        if let Some(known) = self.known.get(&(x.id, y.id)) {
            return known.clone();
        }
        let found = self.find(old, a, new, b);
        self.known.insert((x.id, y.id), found.clone());
        found
    }

    fn find(&mut self, old: &Design, a: &str, new: &Design, b: &str) -> Result<(), String> {
        let (x, y) = (&old.modules[a], &new.modules[b]);
        if x.ports() != y.ports() {
            return Err(format!("{a} has other ports"));
        }
        let mut parts = Ok(());
        for (_, instance, child) in &x.instances {
            match y.child(instance) {
                Some(other) => parts = parts.and(self.pair(old, child, new, other)),
                None => parts = parts.and(Err(format!("{a} has no {instance}"))),
            }
        }
        if x.own == y.own && parts.is_ok() {
            return Ok(());
        }
        let mut why = String::new();
        for boxes in [true, false] {
            let mut writer = Writer { prover: self, boxes, text: String::new(), count: 0 };
            let gold = writer.pair(old, Some(a), new, Some(b));
            let text = writer.text;
            let (Some(gold), Some(gate)) = gold else { return Err(format!("{a} cannot be written")) };
            self.proofs += 1;
            match yosys::prove(&text, &gold, &gate, self.limit) {
                Ok(()) => return Ok(()),
                Err(e) => why = format!("{a}: {e}"),
            }
        }
        Err(why)
    }
}

/// Writes two modules and everything in them, for a proof.
struct Writer<'a> {
    prover: &'a mut Prover,
    /// Whether equal modules are black boxes; memories always are.
    boxes: bool,
    text: String,
    count: usize,
}

impl Writer<'_> {
    /// Writes a pair, or a module without a partner; returns their names in the text.
    fn pair(
        &mut self,
        old: &Design,
        a: Option<&str>,
        new: &Design,
        b: Option<&str>,
    ) -> (Option<String>, Option<String>) {
        let modules = (a.map(|a| &old.modules[a]), b.map(|b| &new.modules[b]));
        let mut names: [Vec<String>; 2] = [Vec::new(), Vec::new()];
        let boxed = |m: &Module| m.lines[0].ends_with("#(");
        if let (Some(x), Some(y)) = modules {
            for (_, instance, child) in &x.instances {
                let other = y.child(instance);
                let memory = boxed(&old.modules[child]);
                let known = other.filter(|o| (self.boxes || memory) && self.prover.pair(old, child, new, o).is_ok());
                let (first, second) = match known {
                    Some(_) => {
                        let name = self.black_box(&old.modules[child]);
                        (Some(name.clone()), Some(name))
                    }
                    None => self.pair(old, Some(child), new, other),
                };
                names[0].extend(first);
                if let Some(second) = second {
                    names[1].push(format!("{instance} {second}"));
                }
            }
            for (_, instance, child) in y.instances.iter().filter(|(_, i, _)| x.child(i).is_none()) {
                let (_, second) = self.pair(old, None, new, Some(child));
                names[1].extend(second.map(|s| format!("{instance} {s}")));
            }
            // in the order of the instances of this side
            let found = |i: &str| names[1].iter().find_map(|n| n.strip_prefix(&format!("{i} ")).map(str::to_string));
            names[1] = y.instances.iter().filter_map(|(_, i, _)| found(i)).collect();
        } else {
            for (side, (design, module)) in [(old, modules.0), (new, modules.1)].into_iter().enumerate() {
                for (.., child) in module.iter().flat_map(|m| &m.instances) {
                    let own = if boxed(&design.modules[child]) {
                        Some(self.black_box(&design.modules[child]))
                    } else if side == 0 {
                        self.pair(old, Some(child), new, None).0
                    } else {
                        self.pair(old, None, new, Some(child)).1
                    };
                    names[side].extend(own);
                }
            }
        }
        let [first, second] = names;
        (modules.0.map(|m| self.module(m, "old", &first)), modules.1.map(|m| self.module(m, "new", &second)))
    }

    fn module(&mut self, module: &Module, side: &str, names: &[String]) -> String {
        self.count += 1;
        let name = format!("{side}_{}", self.count);
        for (at, line) in module.lines.iter().enumerate() {
            let instance = module.instances.iter().position(|i| i.0 == at);
            let line = match instance {
                Some(i) => format!("{}{}", names[i], &line[module.instances[i].2.len()..]),
                None if at == 0 => format!("module {name} {}", &line[line.find(['(', '#']).unwrap_or(0)..]),
                None => line.clone(),
            };
            self.text.push_str(&line);
            self.text.push('\n');
        }
        self.text.push_str("endmodule\n");
        name
    }

    fn black_box(&mut self, module: &Module) -> String {
        let name = format!("box_{:016x}", module.id);
        if !self.text.contains(&format!("module {name} ")) {
            let first = &module.lines[0];
            let header = module.lines[1..module.body].join("\n");
            let first = &first[first.find(['(', '#']).unwrap_or(0)..];
            self.text.insert_str(0, &format!("(* blackbox *)\nmodule {name} {first}\n{header}\nendmodule\n"));
        }
        name
    }
}
