//! Instruction profiles by function and by call stack

use super::speedscope;
use super::stack::functions::Functions;
use super::stack::{Change, Stack};
use crate::contexts::ContextProgram;
use crate::contexts::Selection;
use crate::symbols::Symbols;
use retire::image::learned::Map;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use std::collections::HashMap;
use std::io::Write;

/// A node of the tree of stacks: the caller's node, and the function.
type Key = (u32, u32);

/// Counts instructions by the call stack in which they ran.
#[derive(Debug)]
pub struct Profile {
    functions: Functions,
    /// Reports where instructions begin, where the code is known.
    image: Option<Image>,
    stacks: Vec<Stack>,
    /// Stack pointer of each core at its next event, where it is known.
    pointers: Vec<Option<u64>>,
    /// Node of each core's stack, by depth.
    nodes: Vec<Vec<u32>>,
    index: Map<Key, u32>,
    tree: Vec<(Key, u64)>,
    selection: Selection,
}

/// Instruction counts of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its name.
    pub function: String,
    /// Number of its program: 0 the common one, then those of contexts in their order.
    pub program: u32,
    /// Instructions of the function itself.
    pub own: u64,
    /// Instructions including called functions.
    pub total: u64,
}

const ROOT: u32 = u32::MAX;

impl Profile {
    /// Nothing yet.
    pub fn new(symbols: Symbols, image: Option<Image>, cores: u8) -> Self {
        let cores = usize::from(cores);
        Self {
            functions: Functions::new(symbols),
            image,
            stacks: vec![Stack::default(); cores],
            pointers: vec![None; cores],
            nodes: vec![Vec::new(); cores],
            index: Map::default(),
            tree: Vec::new(),
            selection: Selection::default(),
        }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(self, programs: Vec<ContextProgram>) -> Self {
        Self { functions: self.functions.with_contexts(programs), ..self }
    }

    /// Counts only instructions of these contexts.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// Functions by their own instructions, largest first.
    pub fn flat(&self) -> Vec<Share> {
        let mut shares: HashMap<u32, (u64, u64)> = HashMap::new();
        for ((_, function), own) in &self.tree {
            shares.entry(*function).or_default().0 += own;
        }
        let mut seen = Vec::new();
        for (node, (_, own)) in self.tree.iter().enumerate() {
            // a recursive function counts once
            seen.clear();
            for function in self.stack(node) {
                if !seen.contains(&function) {
                    seen.push(function);
                    shares.entry(function).or_default().1 += own;
                }
            }
        }
        let share = |(function, (own, total))| {
            let program = self.functions.program_of(function);
            Share { function: self.functions.name(function).into(), program, own, total }
        };
        let mut all: Vec<Share> = shares.into_iter().map(share).filter(|share| share.total > 0).collect();
        all.sort_by(|a, b| b.own.cmp(&a.own).then_with(|| a.function.cmp(&b.function)));
        all
    }

    /// The tree of stacks: of each node the number of the calling node, which precedes it, the function and the function's own instructions.
    pub fn nodes(&self) -> impl Iterator<Item = (Option<u32>, u32, u64)> + '_ {
        self.tree.iter().map(|((caller, function), own)| (Some(*caller).filter(|c| *c != ROOT), *function, *own))
    }

    /// Names of functions, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.names()
    }

    /// The functions of a node's stack, innermost first.
    fn stack(&self, node: usize) -> impl Iterator<Item = u32> + '_ {
        // the root is not an index of the tree
        let key = |at: usize| self.tree.get(at).map(|(key, _)| *key);
        std::iter::successors(key(node), move |(caller, _)| key(*caller as usize)).map(|(_, function)| function)
    }

    /// Folded stacks for flame graph tools: `outer;inner COUNT` per line.
    ///
    /// # Errors
    /// `out` failed.
    pub fn folded(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for (node, (_, own)) in self.tree.iter().enumerate().filter(|(_, (_, own))| *own > 0) {
            let mut names: Vec<&str> = self.stack(node).map(|f| self.functions.name(f)).collect();
            names.reverse();
            writeln!(out, "{} {own}", names.join(";"))?;
        }
        Ok(())
    }
}

impl Profile {
    /// Stacks in speedscope's format, under a title.
    ///
    /// # Errors
    /// `out` failed.
    pub fn speedscope(&self, title: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let stacks = self.tree.iter().enumerate().filter(|(_, (_, own))| *own > 0);
        let stacks = stacks.map(|(node, (_, own))| (self.stack(node).collect(), *own));
        speedscope::write(title, self.functions.names(), stacks, out)
    }
}

impl RetireSink for Profile {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        let (nodes, index, tree) = (&mut self.nodes[core], &mut self.index, &mut self.tree);
        let counted = self.selection.has(self.stacks[core].context());
        let sp = self.pointers[core].take();
        self.stacks[core].event(e, sp, &mut self.functions, self.image.as_ref(), |change| match change {
            Change::Retired(count) => {
                if let Some(node) = nodes.last().filter(|_| counted) {
                    tree[*node as usize].1 += u64::from(count);
                }
            }
            Change::Leave => {
                nodes.pop();
            }
            Change::Enter(function) => {
                let key = (nodes.last().copied().unwrap_or(ROOT), function);
                let node = *index.entry(key).or_insert_with(|| {
                    tree.push((key, 0));
                    tree.len() as u32 - 1
                });
                nodes.push(node);
            }
            Change::Switch(_) => {}
        });
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.pointers[usize::from(hart)] = Some(sp);
    }
}
