//! Instructions by stack of source lines, for pprof
//!
//! Runs of instructions are counted by the calls that led to them; lines and inlined functions are looked up once, at the end.

use super::lines::{Lines, SourceLocation};
use super::pprof::Pprof;
use super::stack::follower::{Follower, Path};
use crate::contexts::ContextProgram;
use crate::contexts::Selection;
use crate::symbols::Symbols;
use retire::image::learned::Map;
use retire::image::{Image, Position};
use retire::{FlowEvent, RetireSink};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// A run of instructions: the calls that led to it, number of its program, its first address, and its number of instructions.
type Run = (Path, u32, u64, u32);

/// Counts runs of instructions.
pub struct LineProfile {
    follower: Follower,
    /// Code of each program.
    images: Vec<Image>,
    /// Next instruction of each core.
    positions: Vec<Position>,
    /// Number of times, and the place where it ran first, which says which code was there.
    runs: Map<Run, (u64, Position)>,
    selection: Selection,
}

/// Names of the addresses of a program.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Name of the program.
    pub program: &'a str,
    /// Its line tables, if it has any.
    pub lines: Option<&'a Lines>,
    /// Its symbols.
    pub symbols: &'a Symbols,
}

impl Names<'_> {
    /// The functions at an address, the innermost inlined one first. Without line tables, the symbol.
    fn frames(&self, pc: u64) -> Vec<SourceLocation> {
        let mut frames = self.lines.map(|lines| lines.frames(pc)).unwrap_or_default();
        let symbol = || self.symbols.at(pc).map_or_else(|| format!("0x{pc:08x}"), |(name, _)| name.to_string());
        match frames.last_mut() {
            // code of an assembler has lines but no functions
            Some(outermost) if outermost.function.is_empty() => outermost.function = symbol(),
            Some(_) => {}
            None => frames.push(SourceLocation { function: symbol(), file: String::new(), line: 0 }),
        }
        frames
    }
}

impl LineProfile {
    /// Nothing yet. `follower`: at the beginning of the same run on `cores` cores.
    pub fn new(follower: Follower, image: Image, cores: u8) -> Self {
        Self {
            follower,
            images: vec![image],
            positions: vec![Position::default(); cores.into()],
            runs: Map::default(),
            selection: Selection::default(),
        }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(mut self, programs: Vec<ContextProgram>) -> Self {
        self.images.extend(programs.iter().map(|program| program.image.clone()));
        Self { follower: self.follower.with_contexts(programs), ..self }
    }

    /// Counts only instructions of these contexts.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// The addresses of a run. Those after the end of the known code are its last one.
    fn addresses(&self, (_, program, pc, count): Run, position: Position) -> impl Iterator<Item = u64> + '_ {
        let mut instructions = self.images[program as usize].instructions(pc, position.when);
        let mut last = pc;
        (0..count).map(move |_| {
            last = instructions.next().map_or(last, |i| i.pc);
            last
        })
    }

    /// Writes the profile in pprof's format, with the names of each program: the common one, then those of contexts in their order.
    ///
    /// # Errors
    /// `out` failed.
    pub fn pprof(&self, programs: &[Names<'_>], out: &mut dyn Write) -> io::Result<()> {
        let mut file = Pprof::new(out)?;
        let mut mappings = Vec::new();
        for names in programs {
            mappings.push(file.mapping(names.program, names.lines.is_some())?);
        }
        let mut known: HashMap<(u32, u64), u64> = HashMap::new();
        let mut location = |file: &mut Pprof<_>, position: (u32, u64)| -> io::Result<u64> {
            if let Some(id) = known.get(&position) {
                return Ok(*id);
            }
            let (program, pc) = position;
            let id = file.location(mappings[program as usize], pc, programs[program as usize].frames(pc))?;
            known.insert(position, id);
            Ok(id)
        };
        // in an order that does not depend on the hash
        let runs: BTreeMap<Run, (u64, Position)> = self.runs.iter().map(|(run, counted)| (*run, *counted)).collect();
        let mut samples: BTreeMap<(Path, u64), u64> = BTreeMap::new();
        for (run, (times, position)) in runs {
            for pc in self.addresses(run, position) {
                *samples.entry((run.0, location(&mut file, (run.1, pc))?)).or_insert(0) += times;
            }
        }
        let mut callers = (Path::NONE, Vec::new());
        for ((path, innermost), instructions) in samples {
            if callers.0 != path {
                let sites = self.follower.sites(path);
                callers = (path, sites.into_iter().map(|site| location(&mut file, site)).collect::<io::Result<_>>()?);
            }
            let stack = std::iter::once(innermost).chain(callers.1.iter().copied()).collect();
            file.sample(stack, instructions)?;
        }
        file.finish()
    }
}

impl RetireSink for LineProfile {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let position = &mut self.positions[usize::from(e.hart)];
        let context = self.follower.stack(e.hart).context();
        if e.count > 0 && self.selection.has(context) {
            let run = (self.follower.path(e.hart), self.follower.program_in(context), position.pc, e.count);
            self.runs.entry(run).or_insert((0, *position)).0 += 1;
        }
        self.follower.event(e, |_| {});
        position.pass(e);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.follower.stack_pointer(hart, sp);
    }
}

#[cfg(test)]
mod tests {
    use super::super::pprof;
    use super::*;
    use crate::input::Input;
    use crate::machine::Settings;
    use prost::Message;
    use std::io::Read;

    const ELF: &str = "builtin:bank";

    /// The file of a run of `bank`, and its text by number.
    fn written(lines: Option<&Lines>) -> (pprof::Profile, super::super::profile::Profile) {
        let input = Input::open(ELF).unwrap();
        let settings = Settings { max_instructions: Some(50_000), ..Settings::default() };
        let run = input.run(2, &settings).unwrap();
        let symbols = Symbols::open(ELF).unwrap();
        let image = Image::new(&crate::input::Named::open(ELF).unwrap().program);
        let mut by_function = super::super::profile::Profile::new(symbols.clone(), Some(image.clone()), 2);
        let mut by_line = LineProfile::new(Follower::new(symbols.clone(), Some(image.clone()), 2), image, 2);
        let mut events: Vec<FlowEvent> = Vec::new();
        run.report_to(&mut events, &crate::progress::Quiet).unwrap();
        for e in &events {
            by_function.event(e);
            by_line.event(e);
        }
        let mut out = Vec::new();
        by_line.pprof(&[Names { program: "bank", lines, symbols: &symbols }], &mut out).unwrap();
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&*out).read_to_end(&mut bytes).unwrap();
        (pprof::Profile::decode(&*bytes).unwrap(), by_function)
    }

    /// Instructions by the outermost function of the innermost location.
    fn own(file: &pprof::Profile) -> BTreeMap<String, u64> {
        let mut own = BTreeMap::new();
        for sample in &file.sample {
            let location = &file.location[sample.location_id[0] as usize - 1];
            let function = &file.function[location.line.last().unwrap().function_id as usize - 1];
            *own.entry(file.string_table[function.name as usize].clone()).or_insert(0) += sample.value[0] as u64;
        }
        own
    }

    #[test]
    fn functions_have_the_counts_of_the_profile_with_and_without_lines() {
        let lines = Lines::open(ELF).unwrap();
        for lines in [None, Some(&lines)] {
            let (file, profile) = written(lines);
            let expected: BTreeMap<String, u64> =
                profile.flat().into_iter().filter(|s| s.own > 0).map(|s| (s.function, s.own)).collect();
            assert_eq!(own(&file), expected);
            let inlined = file.location.iter().filter(|l| l.line.len() > 1).count();
            let numbered = file.location.iter().flat_map(|l| &l.line).filter(|l| l.line > 0).count();
            assert_eq!((inlined > 0, numbered > 0), (lines.is_some(), lines.is_some()));
        }
    }

    #[test]
    fn a_caller_is_the_line_of_its_call() {
        let lines = Lines::open(ELF).unwrap();
        let (file, _) = written(Some(&lines));
        let text = |at: i64| file.string_table[at as usize].as_str();
        let shown = |location: &u64| {
            let line = &file.location[*location as usize - 1].line;
            let name = |l: &pprof::Line| {
                let function = &file.function[l.function_id as usize - 1];
                format!("{} {}:{}", text(function.name), text(function.filename), l.line)
            };
            line.iter().map(name).collect::<Vec<_>>().join(" < ")
        };
        let stacks: Vec<Vec<String>> = file.sample.iter().map(|s| s.location_id.iter().map(shown).collect()).collect();
        let of = |name: &str| stacks.iter().find(|s| s[0].starts_with(name)).unwrap_or_else(|| panic!("{stacks:?}"));
        // `set_balance` is called in line 54 of the bank's loop
        assert!(of("set_balance ")[1].contains("./src/bank.c:54"), "{:?}", of("set_balance "));
    }
}
