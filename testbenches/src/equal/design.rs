//! Parses emitted Verilog into modules, independent of module names and port order

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A module of emitted Verilog.
pub(super) struct Module {
    /// Lines from `module` to the one before `endmodule`, without comments.
    pub lines: Vec<String>,
    /// Index of the first line after the header.
    pub body: usize,
    /// Instances: line, name, module.
    pub instances: Vec<(usize, String, String)>,
    /// Hash of the module with everything in it.
    pub id: u64,
    /// Hash of its own text, in which instances count by name only.
    pub own: u64,
}

impl Module {
    /// Declarations of its ports.
    pub fn ports(&self) -> BTreeSet<&str> {
        self.lines[..self.body].iter().map(|l| l.trim().trim_end_matches(',')).filter(|l| is_port(l)).collect()
    }

    /// The module of the instance of that name.
    pub fn child(&self, instance: &str) -> Option<&str> {
        self.instances.iter().find(|(_, name, _)| name == instance).map(|(.., module)| module.as_str())
    }
}

fn is_port(line: &str) -> bool {
    line.starts_with("input ") || line.starts_with("output ")
}

/// All modules of a file.
pub(super) struct Design {
    pub modules: BTreeMap<String, Module>,
    pub top: String,
}

impl Design {
    /// Parses emitted Verilog; `None` if it is not Verilog of this writer.
    pub fn read(verilog: &str) -> Option<Self> {
        let mut texts: Vec<(String, Vec<String>)> = Vec::new();
        let mut inside = false;
        for line in verilog.lines().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with("//")) {
            if let Some(rest) = line.strip_prefix("module ") {
                let name = rest.split(|c: char| !is_word(c)).next()?;
                texts.push((name.into(), Vec::new()));
                inside = true;
            }
            inside &= !line.starts_with("endmodule");
            if inside {
                texts.last_mut()?.1.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
            }
        }
        let top = texts.first()?.0.clone();
        let names: BTreeSet<String> = texts.iter().map(|t| t.0.clone()).collect();
        let mut modules = BTreeMap::new();
        for (name, mut lines) in texts {
            shorten(&mut lines);
            let body = lines.iter().position(|l| l == ");")? + 1;
            let instances = lines.iter().enumerate().skip(body).filter_map(|(at, line)| {
                let module = line.split(' ').next().filter(|w| names.contains(*w))?;
                let instance = line.strip_suffix(" (")?.rsplit(' ').next()?;
                Some((at, instance.to_string(), module.to_string()))
            });
            let instances = instances.collect();
            modules.insert(name, Module { lines, body, instances, id: 0, own: 0 });
        }
        let mut design = Self { modules, top };
        let top = design.top.clone();
        design.hash(&top)?;
        Some(design)
    }

    /// Hashes a module with everything in it.
    fn hash(&mut self, name: &str) -> Option<u64> {
        let module = self.modules.get(name)?;
        if module.id != 0 {
            return Some(module.id);
        }
        let children: Vec<String> = module.instances.iter().map(|i| i.2.clone()).collect();
        let ids = children.iter().map(|c| self.hash(c)).collect::<Option<Vec<u64>>>()?;
        let module = self.modules.get_mut(name)?;
        let (mut own, mut all) = (DefaultHasher::new(), DefaultHasher::new());
        module.ports().hash(&mut own);
        for (at, line) in module.lines.iter().enumerate().skip(1) {
            if at < module.body && is_port(line) {
                continue;
            }
            let instance = module.instances.iter().position(|i| i.0 == at);
            instance.map_or(line.as_str(), |_| line.split_once(' ').map_or("", |l| l.1)).hash(&mut own);
            if let Some(i) = instance {
                ids[i].hash(&mut all);
            }
        }
        (module.own, module.id) = (own.finish(), 0);
        module.own.hash(&mut all);
        module.id = all.finish();
        Some(module.id)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `core_0_entry` to `core_entry`.
fn without_zero(word: &str) -> String {
    let mut parts = word.split('_');
    let first = parts.next().unwrap_or_default().to_string();
    parts.filter(|p| *p != "0").fold(first, |name, part| name + "_" + part)
}

/// Removes index 0 from the names of a module, unless two names become the same.
fn shorten(lines: &mut [String]) {
    let mut long: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines.iter() {
        let mut port = false;
        for piece in line.split_inclusive(|c: char| !is_word(c)) {
            let word = piece.trim_end_matches(|c: char| !is_word(c));
            // a port of an instance is a name from another module
            if !port {
                long.entry(without_zero(word)).or_default().insert(word.to_string());
            }
            port = piece.ends_with('.');
        }
    }
    for line in lines {
        let mut out = String::new();
        for piece in line.split_inclusive(|c: char| !is_word(c)) {
            let word = piece.trim_end_matches(|c: char| !is_word(c));
            let short = without_zero(word);
            let one = out.ends_with('.') || long[&short].len() == 1;
            out.push_str(if one { &short } else { word });
            out.push_str(&piece[word.len()..]);
        }
        *line = out;
    }
}
