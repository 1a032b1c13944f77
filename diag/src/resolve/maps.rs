//! Maps of a script: what each summarises, and what its keys are

use super::Resolver;
use crate::app::{Kind, Map};
use crate::syntax::{Item, Stmt, Summary};
use crate::Mistake;

/// All statements of a block, with those in others.
pub(super) fn all_of(body: &[Stmt]) -> Vec<&Stmt> {
    let mut all = Vec::new();
    for stmt in body {
        all.push(stmt);
        if let Stmt::If { then, other, .. } = stmt {
            all.extend(all_of(then));
            all.extend(all_of(other));
        }
    }
    all
}

impl Resolver<'_> {
    pub(super) fn map(&self, name: &str, at: usize) -> Result<usize, Mistake> {
        let found = self.app.maps.iter().position(|m| m.name == name);
        found.ok_or_else(|| Mistake::new(at, format!("@{name} is never written; `@{name}[key] = count()` would do it")))
    }

    pub(super) fn declare_maps(&mut self, items: &[Item]) -> Result<(), Mistake> {
        let bodies = items.iter().filter_map(|i| if let Item::Clause { body, .. } = i { Some(body) } else { None });
        let all: Vec<&Stmt> = bodies.flat_map(|b| all_of(b)).collect();
        // `++` counts, unless another statement stores a value
        let stored = |name: &str| all.iter().any(|s| matches!(s, Stmt::Set { map, .. } if map == name));
        for stmt in &all {
            let (at, name, summary) = match stmt {
                Stmt::Sum { at, map, summary, .. } => (*at, map, Some(*summary)),
                Stmt::Set { at, map, .. } => (*at, map, None),
                Stmt::Increment { at, map, .. } => (*at, map, Some(Summary::Count).filter(|_| !stored(map))),
                _ => continue,
            };
            match self.app.maps.iter().find(|m| m.name == *name) {
                Some(m) if m.summary != summary => {
                    let what = format!("@{name} is written in another way before; a map is written in one way");
                    return Err(Mistake::new(at, what));
                }
                Some(_) => {}
                None => self.app.maps.push(Map { name: name.clone(), summary, keys: Vec::new(), read: false }),
            }
        }
        Ok(())
    }

    /// Notes the kinds of a map's keys, which are the same everywhere.
    pub(super) fn keys_are(&mut self, map: usize, kinds: &[Kind], at: usize) -> Result<(), Mistake> {
        let map = &mut self.app.maps[map];
        if map.keys.is_empty() {
            map.keys = kinds.to_vec();
        }
        let differs = map.keys.iter().zip(kinds).position(|(a, b)| a != b);
        match differs {
            Some(n) => {
                let (name, what) = (&map.name, if kinds[n] == Kind::Text { "a text" } else { "a number" });
                Err(Mistake::new(at, format!("key {} of @{name} is {what} here, and not elsewhere", n + 1)))
            }
            None => Ok(()),
        }
    }
}
