//! Checks of names: declared, legal and unambiguous

use super::hierarchy::Module;
use super::{Finding, Linter, Rule};
use options::verilog_name::KEYWORDS;
use std::collections::BTreeMap;

/// Checks the fields and enums of all modules.
pub(super) fn check(modules: &BTreeMap<String, Module>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut seen: BTreeMap<&str, (&str, &[String])> = BTreeMap::new();
    for (path, module) in modules {
        for name in &module.own {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
            if KEYWORDS.contains(&name.as_str()) || !plain {
                findings.push(Finding { place: path.clone(), rule: Rule::Keyword, what: name.clone() });
            }
        }
        for (name, labels) in &module.enums {
            let first = seen.entry(name).or_insert((path, labels));
            if first.1 != labels.as_slice() {
                let what = format!("{name} (other variants in {})", first.0);
                findings.push(Finding { place: path.clone(), rule: Rule::EnumTwice, what });
            }
        }
    }
    findings
}

impl Linter<'_> {
    /// Checks a name from the tree: `fifo$data$next`, `v[i+1]$q`, `State$Run`, `i`, `3`.
    pub(super) fn name(&mut self, name: &str) {
        let name = fix(name);
        let number = name.starts_with(|c: char| c.is_ascii_digit());
        if number || self.loops.contains(&name) {
            return;
        }
        if name.matches('[').count() > 1 {
            self.report(Rule::SecondIndex, name);
        } else if self.declared(&name).is_none() && !self.module.declares(&name) {
            self.report(Rule::Undeclared, name);
        }
    }

    pub(super) fn signal_width(&self, name: &str) -> Option<usize> {
        self.declared(&fix(name))
    }

    /// Width of a declared signal; an array element represents its whole array.
    fn declared(&self, name: &str) -> Option<usize> {
        if self.loops.iter().any(|l| l == name) {
            return None;
        }
        let Some((base, rest)) = name.split_once('[') else {
            return self.module.signals.get(name).copied();
        };
        let (_, tail) = rest.split_once(']')?;
        let element = |signal: &str| {
            let index = signal.strip_prefix(base)?.strip_prefix('$')?.strip_suffix(tail)?;
            (!index.is_empty() && index.bytes().all(|b| b.is_ascii_digit())).then_some(())
        };
        self.module.signals.iter().find_map(|(signal, width)| element(signal).map(|()| *width))
    }
}

/// Changes a name as rust-hdl's emission does, except for array indices.
fn fix(name: &str) -> String {
    name.trim_start_matches('.').replace('.', "$").replace("::", "$").trim_end_matches("$next").to_string()
}
