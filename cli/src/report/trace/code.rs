//! Source files and disassembly with counts

use host::assembly::Assembly;
use host::symbols::Symbols;
use host::views::coverage::{Coverage, Files as Found, Sums};
use host::views::lines::Lines;
use report::trace::{Function, Listing, Parts, Source};
use retire::elf::Program;
use retire::file::input;
use retire::image::Image;
use std::path::Path;

/// Maximum size of the text of all source files, bytes.
const TEXT: usize = 4 << 20;
/// Maximum number of listed instructions.
const LISTED: usize = 50_000;

/// What is on the page, and what is not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files {
    /// Source files with text.
    pub with_text: usize,
    /// Source files without.
    pub without_text: usize,
    /// Functions that would have too many instructions.
    pub not_listed: usize,
}

/// Totals of a file.
pub fn parts(sums: &Sums) -> Parts {
    Parts {
        lines: (sums.lines, sums.lines_hit),
        branches: (sums.branches, sums.branches_hit),
        functions: (sums.functions, sums.functions_hit),
    }
}

/// The source files: those that ran first, by path, so that their text is on the page if not all is.
pub fn sources(found: &Found, folder: &Path, files: &mut Files) -> Vec<Source> {
    let mut order: Vec<_> = found.files.iter().map(|(path, file)| (file.sums(), path, file)).collect();
    order.sort_by_key(|(sums, ..)| sums.lines_hit == 0);
    let mut left = TEXT;
    let source = |(sums, path, file): (Sums, &String, &host::views::coverage::File)| {
        let text = input::text(&folder.join(path), left as u64, "a source").ok();
        left -= text.as_ref().map_or(0, String::len).min(left);
        *(if text.is_some() { &mut files.with_text } else { &mut files.without_text }) += 1;
        let lines = file.lines().collect();
        Source { path: path.clone(), parts: parts(&sums), lines, text }
    };
    order.into_iter().map(source).collect()
}

/// A program, and what ran of it.
pub struct OfProgram<'a> {
    /// Line tables, if it has any.
    pub lines: Option<Lines>,
    /// Names of its functions.
    pub symbols: Symbols,
    /// The program.
    pub program: Program,
    /// The decoder of its instructions.
    pub assembly: Assembly,
    /// Whether its code is that of the recording, because it cannot be decoded.
    pub recorded: bool,
    /// Its code.
    pub image: Image,
    /// What ran.
    pub coverage: &'a Coverage,
}

/// Disassembly of the functions without source.
#[derive(Debug, Default)]
pub struct Listings {
    all: Vec<Listing>,
    /// Instructions that are listed.
    listed: usize,
}

impl Listings {
    /// The listings.
    pub fn into_vec(self) -> Vec<Listing> {
        self.all
    }

    /// Adds those of `functions` of a program.
    pub fn add<'f>(
        &mut self,
        functions: impl Iterator<Item = &'f mut Function>,
        of: &OfProgram<'_>,
        files: &mut Files,
    ) {
        let OfProgram { symbols, image, coverage, assembly, .. } = of;
        let counts = coverage.counts(image);
        let instruction = |pc: u64, len: u8, bits: u32| {
            let text = assembly.text(bits, len).unwrap_or_else(|| format!(".word 0x{bits:x}"));
            (format!("0x{pc:08x}"), text, counts.get(&pc).copied().unwrap_or(0), coverage.branch(pc))
        };
        let mut nameless = None;
        for f in functions.filter(|f| f.source.is_none()) {
            let ranges: Vec<_> = symbols.ranges(&f.name).collect();
            if ranges.is_empty() && nameless.is_some() {
                f.listing = nameless;
                continue;
            }
            let mut code = Vec::new();
            if ranges.is_empty() {
                let mut pcs: Vec<u64> = counts.keys().copied().filter(|pc| symbols.at(*pc).is_none()).collect();
                pcs.sort_unstable();
                code.extend(
                    pcs.into_iter()
                        .filter_map(|pc| image.instruction(pc).map(|(bits, len)| instruction(pc, len, bits))),
                );
            }
            for range in &ranges {
                let mut pc = range.start;
                while let Some((bits, len)) = image.instruction(pc).filter(|_| pc < range.end) {
                    code.push(instruction(pc, len, bits));
                    pc += u64::from(len.max(1));
                }
            }
            if self.listed + code.len() > LISTED {
                files.not_listed += 1;
                continue;
            }
            self.listed += code.len();
            f.listing = Some(self.all.len() as u32);
            let name = if ranges.is_empty() {
                nameless = f.listing;
                "code without symbols".into()
            } else {
                f.name.clone()
            };
            self.all.push(Listing { name, code });
        }
    }
}
