//! Arguments that select the instructions to list

use crate::error::Failure;
use clap::Args;
use host::filter::{functions, Filter};
use std::path::Path;

/// Which instructions are listed.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is listed")]
pub struct FilterArgs {
    /// This core only
    #[arg(long, value_name = "N")]
    pub core: Option<u8>,
    /// In this function only, by its symbol; what was inlined elsewhere is not in it (may be given more than once)
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,
    /// At these addresses only, the last not included: 0x80000100..0x80000200 (may be given more than once)
    #[arg(long, value_name = "FROM..TO", value_parser = addresses)]
    pub range: Vec<std::ops::Range<u64>>,
    /// First instruction listed, counted from 0 over the instructions of --core, or of all cores
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub first: u64,
    /// Last instruction listed
    #[arg(long, value_name = "NUMBER")]
    pub last: Option<u64>,
    /// First clock cycle listed, of a trace with time stamps. An instruction has the time of the next branch, or where the
    /// trace has none, that of the last reported one
    #[arg(long, value_name = "CYCLE")]
    pub from: Option<u64>,
    /// Last clock cycle listed, of a trace with time stamps
    #[arg(long, value_name = "CYCLE")]
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
    range.filter(|r| !r.is_empty()).ok_or_else(|| "0x80000100..0x80000200 would be right".into())
}

impl FilterArgs {
    /// The filter for the program `elf` on `cores` cores; `path` is the trace; `cycles`: whether it has time stamps.
    pub fn filter(&self, path: &Path, elf: &str, cores: u8, cycles: bool) -> Result<Filter, Failure> {
        if let Some(core) = self.core.filter(|c| *c >= cores) {
            let path = path.display();
            return Err(Failure::Other(format!("{path}: has no core {core}: it has {cores}, counted from 0")));
        }
        let numbers = self.first..self.last.map_or(u64::MAX, |last| last.saturating_add(1));
        if numbers.is_empty() {
            let (first, last) = (self.first, numbers.end - 1);
            return Err(Failure::Other(format!("--first {first} --last {last}: no instruction is between them")));
        }
        let places = [functions(elf, &self.function)?, self.range.clone()].concat();
        let filter = Filter::new(self.core, places, numbers);
        if self.from.is_none() && self.to.is_none() {
            return Ok(filter);
        }
        let times = self.from.unwrap_or(0)..self.to.map_or(u64::MAX, |to| to.saturating_add(1));
        if !cycles {
            let path = path.display();
            return Err(Failure::Other(format!(
                "{path}: has no time stamps for --from and --to; --first and --last go by instructions, `encode --timestamps` \
                 makes a trace with times"
            )));
        }
        if times.is_empty() {
            return Err(Failure::Other(format!(
                "--from {} --to {}: no cycle is between them",
                times.start,
                times.end - 1
            )));
        }
        Ok(filter.within(times, cores))
    }
}
