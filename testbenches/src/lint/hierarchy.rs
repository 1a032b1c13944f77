//! The modules that rust-hdl will emit: names, widths, enums and code

use rust_hdl::core::ast::Verilog;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A module that will be emitted.
#[derive(Default)]
pub(super) struct Module {
    /// Declared signals with their widths: its own, and `child$port` of every child.
    pub signals: BTreeMap<String, usize>,
    /// Names of the module's own fields: its signals and instances.
    pub own: BTreeSet<String>,
    /// Name and labels (`State::Run`) of each enum, once per occurrence.
    pub enums: Vec<(String, Vec<String>)>,
    /// What `hdl()` returned.
    pub code: Verilog,
}

impl Module {
    /// Whether the emitted module declares `name`.
    pub(super) fn declares(&self, name: &str) -> bool {
        let label = |l: &String| l.replace("::", "$") == name;
        self.signals.contains_key(name) || self.own.contains(name) || self.enums.iter().any(|e| e.1.iter().any(label))
    }
}

/// Modules by path, `top` first. Follows rust-hdl's `ModuleDefines`, which does the emission.
pub(super) fn modules(block: &dyn Block) -> BTreeMap<String, Module> {
    let mut walk = Walk::default();
    block.accept("top", &mut walk);
    walk.modules
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    namespace: Vec<String>,
    modules: BTreeMap<String, Module>,
}

impl Walk {
    fn enums(&mut self, path: &str, descriptor: &TypeDescriptor) {
        match &descriptor.kind {
            TypeKind::Enum(labels) => {
                let module = self.modules.entry(path.into()).or_default();
                module.enums.push((descriptor.name.clone(), labels.clone()));
            }
            TypeKind::Composite(fields) => fields.iter().for_each(|f| self.enums(path, &f.kind)),
            TypeKind::Bits(_) | TypeKind::Signed(_) => {}
        }
    }
}

impl Probe for Walk {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        if let Some(parent) = self.modules.get_mut(&self.path.join("$")) {
            parent.own.insert(name.into());
        }
        self.path.push(name.into());
        self.namespace.clear();
        self.modules.entry(self.path.join("$")).or_default().code = node.hdl();
    }

    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespace.push(name.into());
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let path = self.path.join("$");
        let mut full = self.namespace.clone();
        full.push(name.into());
        let full = full.join("$");
        let module = self.modules.entry(path.clone()).or_default();
        module.signals.insert(full.clone(), signal.bits());
        module.own.insert(full.clone());
        self.enums(&path, &signal.descriptor());
        if let Some((last, parents)) = self.path.split_last().filter(|(_, p)| !p.is_empty()) {
            let (parent, last) = (parents.join("$"), last.clone());
            if signal.kind().is_parameter() {
                let module = self.modules.entry(parent.clone()).or_default();
                module.signals.insert(format!("{last}${full}"), signal.bits());
            }
            self.enums(&parent, &signal.descriptor());
        }
    }

    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespace.pop();
    }

    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.path.pop();
    }
}
