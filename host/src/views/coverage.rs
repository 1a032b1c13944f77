//! Coverage of lines and branches, in lcov's tracefile format

use super::lines::Lines;
use retire::elf::Program;
use retire::image::{ExitKind, Image};
use retire::{FlowEvent, FlowKind, RetireSink};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;

/// Counts straight runs of instructions, and outcomes of branches.
#[derive(Debug)]
pub struct Coverage {
    /// Next address of each core.
    next: Vec<u64>,
    /// Straight runs: address of the first instruction, and number of instructions.
    runs: HashMap<(u64, u32), u64>,
    /// Counts of not taken, and of taken.
    branches: HashMap<u64, [u64; 2]>,
}

/// Coverage of a source line.
#[derive(Clone, Debug, Default)]
struct Line {
    count: u64,
    branches: Vec<[u64; 2]>,
}

/// Totals of lines and branches.
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
}

impl Coverage {
    /// Creates empty coverage.
    pub fn new(cores: u8) -> Self {
        Self { next: vec![0; cores.into()], runs: HashMap::new(), branches: HashMap::new() }
    }

    /// Execution count of each instruction.
    fn counts(&self, image: &Image) -> HashMap<u64, u64> {
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

    /// Writes a tracefile of the code of `program` that has line information.
    ///
    /// # Errors
    /// `out` failed.
    pub fn lcov(&self, program: &Program, lines: &Lines, out: &mut dyn Write) -> std::io::Result<Sums> {
        let image = Image::new(program);
        let counts = self.counts(&image);
        let mut files: BTreeMap<String, BTreeMap<u32, Line>> = BTreeMap::new();
        for segment in program.segments.iter().filter(|s| s.executable) {
            let (mut pc, end) = (segment.virtual_addr, segment.virtual_addr + segment.data.len() as u64);
            while pc < end {
                let len = image.instruction(pc).map_or(2, |(_, len)| len.max(2));
                if let Some((file, number)) = lines.at(pc).filter(|(_, number)| *number > 0) {
                    let line = files.entry(file.to_string()).or_default().entry(number).or_default();
                    line.count = line.count.max(counts.get(&pc).copied().unwrap_or(0));
                    let exit = image.run(pc).map(|(_, exit)| *exit).filter(|exit| exit.pc == pc);
                    if exit.is_some_and(|exit| exit.kind == ExitKind::Conditional) {
                        line.branches.push(self.branches.get(&pc).copied().unwrap_or_default());
                    }
                }
                pc += u64::from(len);
            }
        }
        let mut sums = Sums::default();
        for (file, lines) in &files {
            let mut of_file = Sums::default();
            writeln!(out, "TN:\nSF:{file}")?;
            for (number, line) in lines {
                for (block, ways) in line.branches.iter().enumerate() {
                    let ran = ways.iter().sum::<u64>() > 0;
                    for (way, n) in ways.iter().enumerate() {
                        let n = if ran { n.to_string() } else { "-".into() };
                        writeln!(out, "BRDA:{number},{block},{way},{n}")?;
                    }
                    of_file.branches += 2;
                    of_file.branches_hit += ways.iter().filter(|n| **n > 0).count() as u64;
                }
            }
            writeln!(out, "BRF:{}\nBRH:{}", of_file.branches, of_file.branches_hit)?;
            for (number, line) in lines {
                writeln!(out, "DA:{number},{}", line.count)?;
                of_file.lines += 1;
                of_file.lines_hit += u64::from(line.count > 0);
            }
            writeln!(out, "LF:{}\nLH:{}\nend_of_record", of_file.lines, of_file.lines_hit)?;
            sums.lines += of_file.lines;
            sums.lines_hit += of_file.lines_hit;
            sums.branches += of_file.branches;
            sums.branches_hit += of_file.branches_hit;
        }
        Ok(sums)
    }
}

impl RetireSink for Coverage {
    fn event(&mut self, e: &FlowEvent) {
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
