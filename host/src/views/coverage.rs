//! Coverage of lines and branches, in lcov's tracefile format
//!
//! A record `BRDA:LINE,BLOCK,BRANCH,COUNT` has the column of the condition as its block, so that tracefiles of several builds of a
//! source can be merged. The first condition of a column has the branches 0, its comparison does not hold, and 1, it holds; the next
//! one 2 and 3 ([`Condition`]).

use super::conditions::{Condition, Conditions};
use super::lines::Lines;
use super::paths::{Paths, Selected};
use crate::symbols::Symbols;
use retire::elf::Program;
use retire::image::learned::Map;
use retire::image::{ExitKind, Image};
use retire::{FlowEvent, FlowKind, RetireSink};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;

/// Counts straight runs of instructions, and outcomes of branches.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Next address of each core.
    next: Vec<u64>,
    /// Straight runs: address of the first instruction, and number of instructions.
    runs: Map<(u64, u32), u64>,
    /// Counts of not taken, and of taken.
    branches: Map<u64, [u64; 2]>,
}

/// Coverage of a source line.
#[derive(Clone, Debug, Default)]
struct Line {
    count: u64,
    branches: BTreeMap<Condition, [u64; 2]>,
}

impl Line {
    /// Columns and outcomes of its conditions.
    fn conditions(&self) -> Vec<(u32, [u64; 2])> {
        let mut all: Vec<(Condition, [u64; 2])> = Vec::new();
        for (condition, ways) in &self.branches {
            let [no, yes] = condition.outcomes(*ways);
            match all.last_mut().filter(|(last, _)| last.is_same(condition)) {
                Some((_, sums)) => *sums = [sums[0] + no, sums[1] + yes],
                None => all.push((*condition, [no, yes])),
            }
        }
        all.into_iter().map(|(condition, ways)| (condition.column, ways)).collect()
    }
}

/// Totals of lines, branches and functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Lines with code.
    pub lines: u64,
    /// Lines that were executed.
    pub lines_hit: u64,
    /// Outcomes of conditional branches.
    pub branches: u64,
    /// Outcomes that occurred.
    pub branches_hit: u64,
    /// Functions.
    pub functions: u64,
    /// Functions that were executed.
    pub functions_hit: u64,
}

/// Coverage of a source file.
#[derive(Clone, Debug, Default)]
pub struct File {
    lines: BTreeMap<u32, Line>,
    /// Line, name and calls.
    functions: BTreeSet<(u32, String, u64)>,
}

/// Coverage of all source files.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// By path.
    pub files: BTreeMap<String, File>,
    /// Files that were left out because they do not exist.
    pub missing: BTreeSet<String>,
}

impl File {
    /// Its totals.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for line in self.lines.values() {
            sums.lines += 1;
            sums.lines_hit += u64::from(line.count > 0);
            let conditions = line.conditions();
            let ways = || conditions.iter().flat_map(|(_, ways)| ways);
            sums.branches += ways().count() as u64;
            sums.branches_hit += ways().filter(|n| **n > 0).count() as u64;
        }
        sums.functions = self.functions.len() as u64;
        sums.functions_hit = self.functions.iter().filter(|(.., calls)| *calls > 0).count() as u64;
        sums
    }

    /// Its lines with code, by number: executions, and for each conditional branch how often it was not taken and taken.
    pub fn lines(&self) -> impl Iterator<Item = (u32, u64, Vec<[u64; 2]>)> + '_ {
        self.lines.iter().map(|(number, line)| (*number, line.count, line.branches.values().copied().collect()))
    }

    /// Writes its record.
    fn lcov(&self, path: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let sums = self.sums();
        writeln!(out, "TN:\nSF:{path}")?;
        for (line, name, _) in &self.functions {
            writeln!(out, "FN:{line},{name}")?;
        }
        for (_, name, calls) in &self.functions {
            writeln!(out, "FNDA:{calls},{name}")?;
        }
        writeln!(out, "FNF:{}\nFNH:{}", sums.functions, sums.functions_hit)?;
        for (number, line) in &self.lines {
            let (mut column, mut branch) = (None, 0);
            for (at, ways) in line.conditions() {
                if column.replace(at) != Some(at) {
                    branch = 0;
                }
                let ran = ways.iter().sum::<u64>() > 0;
                for n in ways {
                    let n = if ran { n.to_string() } else { "-".into() };
                    writeln!(out, "BRDA:{number},{at},{branch},{n}")?;
                    branch += 1;
                }
            }
        }
        writeln!(out, "BRF:{}\nBRH:{}", sums.branches, sums.branches_hit)?;
        for (number, line) in &self.lines {
            writeln!(out, "DA:{number},{}", line.count)?;
        }
        writeln!(out, "LF:{}\nLH:{}\nend_of_record", sums.lines, sums.lines_hit)
    }
}

impl Files {
    /// Totals of all files.
    pub fn sums(&self) -> Sums {
        self.files.values().map(File::sums).fold(Sums::default(), |a, b| Sums {
            lines: a.lines + b.lines,
            lines_hit: a.lines_hit + b.lines_hit,
            branches: a.branches + b.branches,
            branches_hit: a.branches_hit + b.branches_hit,
            functions: a.functions + b.functions,
            functions_hit: a.functions_hit + b.functions_hit,
        })
    }

    /// Adds the coverage of another program; counts of the same lines, conditions and functions are added.
    pub fn add(&mut self, other: Self) {
        for (path, file) in other.files {
            let Some(own) = self.files.get_mut(&path) else {
                self.files.insert(path, file);
                continue;
            };
            for (number, line) in file.lines {
                let to = own.lines.entry(number).or_default();
                to.count += line.count;
                for (condition, ways) in line.branches {
                    let sums = to.branches.entry(condition).or_default();
                    *sums = [sums[0] + ways[0], sums[1] + ways[1]];
                }
            }
            for (number, name, calls) in file.functions {
                let same = own.functions.iter().find(|(n, known, _)| (*n, known) == (number, &name)).cloned();
                let before = same.and_then(|same| own.functions.take(&same)).map_or(0, |(.., calls)| calls);
                own.functions.insert((number, name, before + calls));
            }
        }
        self.missing.extend(other.missing);
    }

    /// Writes a tracefile of lcov.
    ///
    /// # Errors
    /// `out` failed.
    pub fn lcov(&self, out: &mut dyn Write) -> std::io::Result<()> {
        self.files.iter().try_for_each(|(path, file)| file.lcov(path, out))
    }
}

impl Coverage {
    /// Creates empty coverage.
    pub fn new() -> Self {
        Self { next: Vec::new(), runs: Map::default(), branches: Map::default() }
    }

    /// Begins a run with `cores` cores, whose counts are added.
    pub fn begin(&mut self, cores: u8) {
        self.next = vec![0; cores.into()];
    }

    /// How often the conditional branch at `pc` was not taken, and taken; `None` if it did not run.
    pub fn branch(&self, pc: u64) -> Option<[u64; 2]> {
        self.branches.get(&pc).copied()
    }

    /// Execution count of each instruction.
    pub fn counts(&self, image: &Image) -> HashMap<u64, u64> {
        let mut counts = HashMap::new();
        for ((start, length), n) in &self.runs {
            let mut pc = *start;
            for _ in 0..*length {
                *counts.entry(pc).or_insert(0) += n;
                let Some((_, len)) = image.instruction(pc) else { break };
                pc += u64::from(len);
            }
        }
        counts
    }

    /// Coverage of the source files of a program, as `paths` selects them. `recorded`: the code that ran, of a program whose own code cannot be
    /// decoded; branches that did not run are then not known.
    pub fn files(
        &self,
        (program, recorded): (&Program, Option<&Image>),
        lines: &Lines,
        symbols: &Symbols,
        paths: &Paths,
    ) -> Files {
        let image = &recorded.map_or_else(|| Image::new(program), Image::clone);
        // bytes of the shortest instruction
        let least = if recorded.is_some() { 1 } else { 2 };
        let counts = self.counts(image);
        let count = |pc: u64| counts.get(&pc).copied().unwrap_or(0);
        let mut found = Files::default();
        let mut conditions = Conditions::new(lines, symbols);
        // the compiler's path, and what becomes of it
        let mut selected: HashMap<String, Option<String>> = HashMap::new();
        let mut place = |path: &str, missing: &mut BTreeSet<String>| {
            let select = || match paths.select(path) {
                Selected::Here(path) => Some(path),
                Selected::Excluded => None,
                Selected::Missing => {
                    missing.insert(path.to_string());
                    None
                }
            };
            selected.entry(path.to_string()).or_insert_with(select).clone()
        };
        for segment in program.segments.iter().filter(|s| s.executable) {
            let (mut pc, end) = (segment.virtual_addr, segment.virtual_addr + segment.data.len() as u64);
            while pc < end {
                let len = image.instruction(pc).map_or(least, |(_, len)| len.max(least));
                let line = lines.at(pc).filter(|(_, number)| *number > 0);
                if let Some((path, number)) = line.and_then(|(f, n)| Some((place(f, &mut found.missing)?, n))) {
                    let line = found.files.entry(path).or_default().lines.entry(number).or_default();
                    line.count = line.count.max(count(pc));
                    let conditional = match recorded {
                        Some(_) => self.branches.contains_key(&pc),
                        None => image.run(pc).is_some_and(|(_, e)| e.pc == pc && e.kind == ExitKind::Conditional),
                    };
                    if conditional {
                        let decoded = recorded.is_none().then_some(image);
                        let sums = line.branches.entry(conditions.of(decoded, pc)).or_default();
                        let ways = self.branches.get(&pc).copied().unwrap_or_default();
                        *sums = [sums[0] + ways[0], sums[1] + ways[1]];
                    }
                }
                pc += u64::from(len);
            }
        }
        for (start, name) in symbols.all() {
            let line = lines.at(start).filter(|(_, number)| *number > 0);
            if let Some((path, number)) = line.and_then(|(f, n)| Some((place(f, &mut found.missing)?, n))) {
                if let Some(file) = found.files.get_mut(&path) {
                    file.functions.insert((number, name.to_string(), count(start)));
                }
            }
        }
        found
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new()
    }
}

impl RetireSink for Coverage {
    fn event(&mut self, e: &FlowEvent) {
        // the event that follows counts from before
        if matches!(e.kind, FlowKind::Context { alone: false, .. }) {
            return;
        }
        let next = &mut self.next[usize::from(e.hart)];
        if e.count > 0 {
            *self.runs.entry((*next, e.count)).or_insert(0) += 1;
        }
        *next = e.target;
        if let FlowKind::Conditional { taken } = e.kind {
            self.branches.entry(e.pc).or_default()[usize::from(taken)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_two_programs_has_the_sum_of_both() {
        let of = |path: &str, count, branch: [u64; 2]| {
            let branches = BTreeMap::from([(Condition::default(), branch)]);
            let lines = BTreeMap::from([(3, Line { count, branches })]);
            let functions = BTreeSet::from([(3, "f".to_string(), count)]);
            Files { files: BTreeMap::from([(path.to_string(), File { lines, functions })]), missing: BTreeSet::new() }
        };
        let mut all = Files::default();
        for files in [of("a.h", 2, [1, 1]), of("a.h", 5, [5, 0]), of("b.c", 0, [0, 0])] {
            all.add(files);
        }
        let a = &all.files["a.h"];
        assert_eq!(a.lines().collect::<Vec<_>>(), [(3, 7, vec![[6, 1]])]);
        assert_eq!(a.functions, BTreeSet::from([(3, "f".to_string(), 7)]));
        let sums = all.sums();
        assert_eq!((sums.lines, sums.lines_hit, sums.functions, sums.branches_hit), (2, 1, 2, 2));
    }
}
