//! Sections of runs: `--from` and `--to`

use crate::error::Failure;
use crate::output::count;
use clap::Args;
use host::section::{Bound, Bounds, Extent};
use host::symbols::Symbols;
use serde_json::{json, Value};

/// The section of a run.
#[derive(Args, Clone, Debug, Default)]
pub struct SectionArgs {
    /// Where to begin: the first time that a core executes the instruction at an address (0x80001000), or at a symbol of the
    /// program (main, main+8). The instructions since the last branch of each core are included [default: with the run]
    #[arg(long, value_name = "ADDRESS|SYMBOL")]
    from: Option<String>,
    /// Where to end: the next time that a core executes the instruction at an address or symbol. The instructions up to its
    /// next branch are included [default: with the run]
    #[arg(long, value_name = "ADDRESS|SYMBOL")]
    to: Option<String>,
}

impl SectionArgs {
    /// The bounds, with symbols of the program `elf`.
    ///
    /// # Errors
    /// A symbol is not in the program, or there is no program.
    pub fn bounds(&self, elf: Option<&str>) -> Result<Bounds, Failure> {
        let bound = |option: &str, value: &Option<String>| {
            let Some(value) = value else { return Ok(None) };
            let text = format!("`{option} {value}`");
            let hex = value.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let address = match (hex, elf) {
                (Some(address), _) => address,
                (None, Some(elf)) => {
                    Symbols::address64(elf, value).map_err(|e| Failure::Other(format!("`{option}`: {e}")))?
                }
                (None, None) => {
                    let right = "an address such as 0x80001000, or `--elf` with the program of the symbol";
                    return Err(Failure::Other(format!("{text}: expected {right}")));
                }
            };
            Ok(Some(Bound { address, text }))
        };
        Ok(Bounds { from: bound("--from", &self.from)?, to: bound("--to", &self.to)? })
    }

    /// Refuses the options; `right` is what they are for.
    ///
    /// # Errors
    /// One was given.
    pub fn refuse(&self, right: &str) -> Result<(), Failure> {
        match [("--from", &self.from), ("--to", &self.to)].into_iter().find(|(_, value)| value.is_some()) {
            Some((option, Some(value))) => Err(Failure::Other(format!("`{option} {value}`: only with {right}"))),
            _ => Ok(()),
        }
    }
}

fn hex(address: u64) -> String {
    format!("0x{address:08x}")
}

/// The section in a line of output.
pub fn line(bounds: &Bounds, extent: &Extent) -> (&'static str, String) {
    let at = |bound: &Bound| format!("{} ({})", bound.text.trim_matches('`'), hex(bound.address));
    let skipped = count(extent.skipped.iter().sum::<u64>());
    let begin = bounds.from.as_ref().map(|from| format!("{}, after {skipped} instructions of the run", at(from)));
    let end = bounds.to.as_ref().map(|to| match extent.ended {
        true => at(to),
        false => format!("{} was not reached: up to the end of the run", at(to)),
    });
    ("section", [begin, end].into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// The section for `--json`.
pub fn object(bounds: &Bounds, extent: &Extent) -> Value {
    let at = |bound: &Option<Bound>| bound.as_ref().map(|bound| hex(bound.address));
    json!({
        "from": at(&bounds.from),
        "to": at(&bounds.to),
        "skipped": extent.skipped,
        "to_reached": bounds.to.as_ref().map(|_| extent.ended),
    })
}
