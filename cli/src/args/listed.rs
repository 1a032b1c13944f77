//! Arguments that select the instructions to list

use super::contexts::Processes;
use super::counted;
use crate::error::Failure;
use clap::Args;
use host::filter::{functions, Filter};
use std::path::Path;

/// Which instructions are listed.
#[derive(Args, Clone, Debug, Default)]
pub struct FilterArgs {
    /// Core that is listed, counted from 0 [default: all]
    #[arg(help_heading = "What is listed", long, value_name = "N")]
    pub core: Option<u8>,
    /// Function whose instructions are listed, by symbol, without its inlined copies. May be repeated
    #[arg(help_heading = "What is listed", long, value_name = "NAME")]
    pub function: Vec<String>,
    /// Address range that is listed, without its end, as 0x80000100..0x80000200. May be repeated
    #[arg(help_heading = "What is listed", long, value_name = "FROM..TO", value_parser = addresses)]
    pub range: Vec<std::ops::Range<u64>>,
    /// First instruction listed, counted from 0 over the instructions of --core, or of all cores
    #[arg(help_heading = "What is listed", long, value_name = "NUMBER", default_value_t = 0, value_parser = counted)]
    pub first: u64,
    /// Last instruction listed
    #[arg(help_heading = "What is listed", long, value_name = "NUMBER", value_parser = counted)]
    pub last: Option<u64>,
    /// First clock cycle listed. Only of a trace with time stamps. An instruction has the time of the next branch; where that is not
    /// known, the time of the last branch that was reported
    #[arg(help_heading = "What is listed", long, value_name = "CYCLE", value_parser = counted)]
    pub from: Option<u64>,
    /// Last clock cycle listed. Only of a trace with time stamps
    #[arg(help_heading = "What is listed", long, value_name = "CYCLE", value_parser = counted)]
    pub to: Option<u64>,
}

/// Parses a number, hexadecimal with prefix `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn addresses(text: &str) -> Result<std::ops::Range<u64>, String> {
    let range = text.split_once("..").and_then(|(from, to)| Some(number(from)?..number(to)?));
    range
        .filter(|r| !r.is_empty())
        .ok_or_else(|| "expected FROM..TO with FROM below TO, as 0x80000100..0x80000200".into())
}

/// Refuses a core that the trace `path` of `cores` cores does not have.
pub fn check_core(path: &Path, core: Option<u8>, cores: u8) -> Result<(), Failure> {
    match core.filter(|c| *c >= cores) {
        Some(core) => Err(Failure::Other(match cores {
            1 => format!("{}: `--core {core}`: expected 0, the only core", path.display()),
            _ => format!("{}: `--core {core}`: expected 0 to {}", path.display(), cores - 1),
        })),
        None => Ok(()),
    }
}

impl FilterArgs {
    /// The filter for the program `elf`, if given, and for processes, on `cores` cores; `path` is the trace; `cycles`: whether it has
    /// time stamps.
    pub fn filter(
        &self,
        path: &Path,
        (elf, processes): (Option<&str>, &Processes),
        cores: u8,
        cycles: bool,
    ) -> Result<Filter, Failure> {
        check_core(path, self.core, cores)?;
        let numbers = self.first..self.last.map_or(u64::MAX, |last| last.saturating_add(1));
        if numbers.is_empty() {
            let (first, last) = (self.first, numbers.end - 1);
            return Err(Failure::Other(format!("`--first {first}` and `--last {last}`: the range is empty")));
        }
        let functions = match elf {
            None if !self.function.is_empty() => {
                return Err(Failure::Other("--function: expected a program with symbols in `--elf`".into()));
            }
            elf => functions(elf.unwrap_or_default(), &processes.programs, &self.function)?,
        };
        let with_ranges = |functions: &[std::ops::Range<u64>]| [functions, &self.range].concat();
        let mut filter = Filter::new(self.core, with_ranges(functions.common()), numbers);
        if !functions.own().is_empty() {
            let own = functions.own().iter().map(|(context, ranges)| (*context, with_ranges(ranges)));
            filter = filter.with_ranges(own.collect());
        }
        let filter = filter.of(processes.selection.clone(), cores);
        if self.from.is_none() && self.to.is_none() {
            return Ok(filter);
        }
        let times = self.from.unwrap_or(0)..self.to.map_or(u64::MAX, |to| to.saturating_add(1));
        if !cycles {
            let path = path.display();
            return Err(Failure::Other(format!(
                "{path}: has no time stamps for `--from` and `--to`; `--first` and `--last` count instructions, `encode --timestamps` \
                 makes a trace with times"
            )));
        }
        if times.is_empty() {
            return Err(Failure::Other(format!(
                "`--from {}` and `--to {}`: the range is empty",
                times.start,
                times.end - 1
            )));
        }
        Ok(filter.within(times, cores))
    }
}
