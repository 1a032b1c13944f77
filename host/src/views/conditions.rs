//! Which conditional branches are copies of one condition of the source
//!
//! A compiler copies a condition where it inlines a function or a template, and where it clones one. The copies have the same line and
//! column, and their outcomes are added. Several branches at one column within one copy, as the parts of a `switch`, are
//! different conditions.
//!
//! Whether a branch jumps where the condition holds is up to the compiler: a copy, or another build, can have the opposite
//! comparison. Outcomes are therefore those of `==`, `<` or unsigned `<`, of which `!=` and `>=` are the opposite.

use super::lines::{Lines, SourceLocation};
use crate::symbols::Symbols;
use retire::image::Image;
use std::collections::HashMap;

/// A condition of a source line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// Column, from 1; 0: unknown.
    pub column: u32,
    /// What is compared: bits 2:1 of `funct3`.
    comparison: u8,
    /// Number among the branches of one copy with this column and comparison.
    number: u32,
    /// Whether the branch jumps where the comparison does not hold: bit 0 of `funct3`.
    opposite: bool,
}

impl Condition {
    /// How often the comparison did not hold, and held, from how often the branch was not taken, and taken.
    pub fn outcomes(&self, [not_taken, taken]: [u64; 2]) -> [u64; 2] {
        if self.opposite {
            [taken, not_taken]
        } else {
            [not_taken, taken]
        }
    }

    /// Whether `other`, of the same line, is the same condition, be it with the opposite comparison.
    pub fn is_same(&self, other: &Self) -> bool {
        Self { opposite: other.opposite, ..*self } == *other
    }
}

/// What distinguishes the copies of a function: its symbol's address and the calls that were inlined.
type Instance = (u64, Vec<SourceLocation>);

/// Finds the conditions of branches, which must come in the order of their addresses.
pub struct Conditions<'a> {
    lines: &'a Lines,
    symbols: &'a Symbols,
    /// Branches that were seen, by column and comparison.
    seen: HashMap<(Instance, u32, u8), u32>,
}

impl<'a> Conditions<'a> {
    /// None seen yet.
    pub fn new(lines: &'a Lines, symbols: &'a Symbols) -> Self {
        Self { lines, symbols, seen: HashMap::new() }
    }

    /// The condition of the branch at `pc`, of code in `image`; without it, comparisons are not known, and outcomes are those of the jump.
    pub fn of(&mut self, image: Option<&Image>, pc: u64) -> Condition {
        let funct3 = match image.and_then(|image| image.instruction(pc)) {
            // `c.beqz` and `c.bnez`
            Some((bits, 2)) => (bits >> 13 & 1) as u8,
            Some((bits, _)) => (bits >> 12 & 7) as u8,
            None => 0,
        };
        let function = self.symbols.at(pc).map_or(0, |(_, offset)| pc - offset);
        // the innermost frame has the line of the condition
        let instance = (function, self.lines.frames(pc));
        let (column, comparison) = (self.lines.column(pc), funct3 >> 1);
        let seen = self.seen.entry((instance, column, comparison)).or_default();
        *seen += 1;
        Condition { column, comparison, number: *seen - 1, opposite: funct3 & 1 == 1 }
    }
}
