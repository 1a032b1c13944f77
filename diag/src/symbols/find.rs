//! Functions and variables by the names that a script gives them

use super::debug_info::{Declared, Placed};
use super::names::{Name, Query};
use super::{Parameter, Symbol, Symbols};

/// Kind of a location of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// A function that is called, with arguments in registers.
    Function,
    /// Code of the function inside of another.
    Inlined,
}

/// A place at which a function is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// First address.
    pub first: u64,
    /// End of its code.
    pub end: u64,
    /// What it is.
    pub kind: SiteKind,
}

/// A variable, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Address.
    pub at: u64,
    /// Size in bytes; 0 if the symbol has none.
    pub size: u64,
}

/// What several places have in common: one function or variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    /// Name, file and line of its declaration.
    Declared(Declared),
    /// Name and file; without debug information.
    Named(String, Option<String>),
}

/// A place that a name selects.
#[derive(Clone, Debug)]
struct Match<T> {
    identity: Identity,
    rank: u8,
    shown: String,
    file: Option<String>,
    at: u64,
    place: T,
}

/// Names that a message lists.
const LISTED: usize = 8;

/// The end of a path that distinguishes it from others.
fn short<'a>(path: &'a str, others: &[&str]) -> &'a str {
    let starts: Vec<usize> = path.match_indices('/').map(|m| m.0 + 1).rev().chain([0]).collect();
    let alone = |at: &&usize| others.iter().filter(|o| **o != path).all(|o| !o.ends_with(&path[**at..]));
    starts.iter().find(alone).map_or(path, |at| &path[*at..])
}

/// Keeps the best matches. Refuses those of several functions or variables.
fn select<T>(query: Query<'_>, text: &str, what: &str, found: Vec<Match<T>>) -> Result<Vec<T>, String> {
    let best = found.iter().map(|m| m.rank).min().unwrap_or(0);
    let found: Vec<Match<T>> = found.into_iter().filter(|m| m.rank == best).collect();
    let mut kinds: Vec<&Match<T>> = Vec::new();
    for m in &found {
        if !kinds.iter().any(|k| k.identity == m.identity) {
            kinds.push(m);
        }
    }
    if kinds.len() > 1 && !query.is_open() {
        let files: Vec<&str> = kinds.iter().filter_map(|k| k.file.as_deref()).collect();
        let same_name = |k: &Match<T>| kinds.iter().filter(|o| o.shown == k.shown).count() > 1;
        let quoted = |name: String| {
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_.:".contains(c));
            if plain {
                name
            } else {
                format!("\"{name}\"")
            }
        };
        let one = |k: &&Match<T>| {
            let name = match &k.file {
                Some(file) if same_name(k) => format!("{}:{}", short(file, &files), k.shown),
                _ => k.shown.clone(),
            };
            format!("{} at {:#x}", quoted(name), k.at)
        };
        let mut list: Vec<String> = kinds.iter().take(LISTED).map(one).collect();
        if kinds.len() > LISTED {
            list.push(format!("{} more", kinds.len() - LISTED));
        }
        return Err(format!(
            "`{text}` is the name of {} {what}: {}; name one of them, or all with *:{}",
            kinds.len(),
            list.join(", "),
            query.name()
        ));
    }
    Ok(found.into_iter().map(|m| m.place).collect())
}

impl Symbols {
    fn identity(&self, symbol: &Symbol, of: &[Placed]) -> Identity {
        match of.iter().find(|p| p.at == symbol.at) {
            Some(placed) => Identity::Declared(placed.declared.clone()),
            None => Identity::Named(symbol.name.shown.clone(), symbol.file.clone()),
        }
    }

    fn placed(&self, is_code: bool) -> &[Placed] {
        self.debug.as_ref().map_or(&[], |d| if is_code { &d.functions } else { &d.variables })
    }

    /// The symbols that a name selects.
    fn matches(&self, query: Query<'_>, is_code: bool) -> Vec<Match<&Symbol>> {
        let of = self.placed(is_code);
        let mut found: Vec<Match<&Symbol>> = Vec::new();
        for s in self.all.iter().filter(|s| s.is_code == is_code && query.is_in(s.file.as_deref())) {
            let Some(rank) = query.rank(&s.raw, &s.name) else { continue };
            // a copy that the compiler made is named by its suffix, too
            let exact = s.raw == query.name();
            if s.name.is_rest() && !exact || found.iter().any(|f| f.at == s.at) {
                continue;
            }
            let identity = self.identity(s, of);
            found.push(Match { identity, rank, shown: s.name.shown.clone(), file: s.file.clone(), at: s.at, place: s });
        }
        found
    }

    /// The locations of a function: `NAME` or `FILE:NAME`, in which `*` is any number of characters.
    ///
    /// # Errors
    /// Several functions have this name.
    pub fn functions(&self, name: &str) -> Result<Vec<Site>, String> {
        let query = Query::new(name);
        let mut found: Vec<Match<Site>> = Vec::new();
        for m in self.matches(query, true) {
            let first = m.place.at;
            let site = Site { first, end: self.end(first, m.place.size), kind: SiteKind::Function };
            let Match { identity, rank, shown, file, at, .. } = m;
            found.push(Match { identity, rank, shown, file, at, place: site });
        }
        for copy in self.debug.iter().flat_map(|d| &d.inlined) {
            let declared = &copy.declared;
            let raw = declared.linkage.as_ref().unwrap_or(&declared.name);
            let of = Name::of(raw);
            let Some(rank) = query.rank(raw, &of).filter(|_| query.is_in(declared.file.as_deref())) else { continue };
            if found.iter().any(|f| f.at == copy.entry && f.place.kind == SiteKind::Inlined) {
                continue;
            }
            let containing = copy.ranges.iter().find(|r| (r.0..r.1).contains(&copy.entry));
            let end = containing.map_or(copy.entry, |r| r.1);
            found.push(Match {
                identity: Identity::Declared(declared.clone()),
                rank,
                shown: of.shown,
                file: declared.file.clone(),
                at: copy.entry,
                place: Site { first: copy.entry, end, kind: SiteKind::Inlined },
            });
        }
        select(query, name, "functions", found)
    }

    /// A variable, or the variables that a name with `*` selects. A name may end with members: `queue.slots[2].state`.
    ///
    /// # Errors
    /// Several variables have this name, or the variable has no such member.
    pub fn variables(&self, name: &str) -> Result<Vec<Variable>, String> {
        let mut found = self.matches(Query::new(name), false);
        let mut path = "";
        // the longest name that is one of a variable
        let after_file = name.find(':').map_or(0, |at| at + 1);
        for (at, _) in name.match_indices(['.', '[']).filter(|m| m.0 > after_file).collect::<Vec<_>>().into_iter().rev()
        {
            if !found.is_empty() {
                break;
            }
            (found, path) = (self.matches(Query::new(&name[..at]), false), &name[at..]);
        }
        let base = &name[..name.len() - path.len()];
        let of = |s: &Symbol| Variable { at: s.at, size: s.size };
        let all = select(Query::new(base), base, "variables", found)?;
        if path.is_empty() {
            return Ok(all.into_iter().map(of).collect());
        }
        let member = |s: &Symbol| {
            let debug = self.debug.as_ref().filter(|d| d.variables.iter().any(|v| v.at == s.at));
            let entry = debug.and_then(|d| Some((d, d.variables.iter().find(|v| v.at == s.at)?.entry)));
            let (debug, entry) = entry.ok_or_else(|| format!("{base} has no debug information; -g adds it"))?;
            let (offset, size) = debug.member(entry, path).map_err(|e| format!("{base}: {e}"))?;
            Ok(Variable { at: s.at.wrapping_add(offset), size })
        };
        all.into_iter().map(member).collect()
    }

    /// Parts of functions that are only reached from inlined copies of them: `f.part.0`.
    pub fn rests(&self, name: &str) -> Vec<&str> {
        let query = Query::new(name);
        let is = |s: &&Symbol| s.is_code && s.name.is_rest() && query.rank(&s.raw, &s.name).is_some();
        self.all.iter().filter(is).map(|s| s.printed.as_str()).collect()
    }

    /// Parameters of the function at an address. `None`: no debug information.
    pub fn parameters(&self, first: u64) -> Option<Vec<Parameter>> {
        let debug = self.debug.as_ref()?;
        let function = debug.functions.iter().find(|f| f.at == first)?;
        Some(debug.parameters(first, function.own, function.entry))
    }
}
