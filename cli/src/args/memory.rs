//! Arguments for code that is not in the program: `--memory ram.bin@0x80100000,from=1000`, `--patches jit-7.dump`

use super::contexts;
use crate::error::Failure;
use crate::files::{input_with, suffixed_input, Parts};
use clap::Args;
use host::changes::{seconds, Changes, Clock, MemoryFile, PatchFile};
use host::symbols::Symbols;

/// Code that is not in the program.
#[derive(Args, Clone, Debug, Default)]
pub struct MemoryArgs {
    /// Code in memory at ADDR, which replaces the program's code there. `from=N`: it is valid after N instructions of a core
    /// [default: 0]. `space=[MODES:]ID`: only in this address space of a trace with contexts (modes u, s and m; default
    /// u). May be repeated; where several files apply, the last one counts
    #[arg(help_heading = "Code that the program does not contain", long, value_name = "FILE@ADDR[,from=N][,space=[MODES:]ID]", value_parser = suffixed_input('@', "FILE@ADDR, as ram.bin@0x80100000", parse))]
    memory: Vec<MemoryFile>,
    /// Log of code changes by a kernel or a JIT compiler: perf.data or the text of `perf script --show-text-poke-events`
    /// (patches of a kernel), a jitdump (code), or a perf map (names). `start=SECONDS`, `clock=HZ`: the time in the file at
    /// cycle 0 of the trace, and the rate of its cycles; without them, only the order of the changes is known.
    /// `space=[MODES:]ID`: as for --memory. May be repeated
    #[arg(help_heading = "Code that the program does not contain", long, value_name = "FILE[,start=SECONDS,clock=HZ][,space=[MODES:]ID]", value_parser = input_with(&KEYS, patches))]
    patches: Vec<PatchFile>,
}

impl MemoryArgs {
    /// All of it.
    pub fn changes(&self) -> Changes<'_> {
        Changes { memory: &self.memory, patches: &self.patches }
    }

    /// The symbols of the program `elf`, and the functions that side files name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn symbols(&self, elf: &str) -> Result<Symbols, Failure> {
        Ok(Symbols::open(elf)?.with(self.changes().names()?))
    }
}

/// What may follow the name of a side file.
const KEYS: [&str; 3] = ["start", "clock", "space"];

/// Parses what follows a side file.
fn patches(path: &str, parts: &Parts) -> Result<PatchFile, String> {
    let (mut start, mut rate, mut contexts) = (None, None, Vec::new());
    for (key, text) in parts {
        let wrong = |what: &str| format!("`{key}={text}`: expected {what}");
        match key.as_str() {
            "start" => start = Some(seconds(text).ok_or_else(|| wrong("seconds, as 4159.541002"))?),
            "clock" => {
                let hertz = number(text).filter(|rate| *rate > 0);
                rate = Some(hertz.ok_or_else(|| wrong("cycles per second, as 100000000"))?);
            }
            _ => contexts.extend(contexts::spaces(text)?),
        }
    }
    let clock = match (start, rate) {
        (Some(start), Some(rate)) => Some(Clock { start, rate }),
        (None, None) => None,
        (Some(_), None) => return Err("`start` needs `clock`, the cycles per second of the trace".into()),
        (None, Some(_)) => return Err("`clock` needs `start`, the time in the file at cycle 0 of the trace".into()),
    };
    Ok(PatchFile { path: path.into(), clock, contexts })
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Parses what follows the file.
fn parse(path: &str, text: &str) -> Result<MemoryFile, String> {
    let wrong = |found: &str, what: &str| {
        format!(
            "`{found}` is not {what}; expected FILE@ADDR[,from=N][,space=[MODES:]ID], as ram.bin@0x80100000,from=1000"
        )
    };
    let mut parts = text.split(',');
    let addr = parts.next().unwrap_or_default();
    let addr = number(addr).ok_or_else(|| wrong(addr, "an address"))?;
    let mut file = MemoryFile { path: path.into(), addr, from: 0, contexts: Vec::new() };
    for part in parts {
        match part.split_once('=') {
            Some(("from", n)) => file.from = number(n).ok_or_else(|| wrong(n, "a number of instructions"))?,
            Some(("space", of)) => file.contexts.extend(contexts::spaces(of)?),
            _ => return Err(wrong(part, "known here")),
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::Context;

    #[test]
    fn a_clock_has_both_parts() {
        let of = |parts: &[(&str, &str)]| {
            let parts: Vec<_> = parts.iter().map(|(key, text)| (key.to_string(), text.to_string())).collect();
            patches("a", &parts).map(|file| (file.clock, file.contexts))
        };
        let clock = Clock { start: 1_500_000_000, rate: 1 << 20 };
        assert_eq!(of(&[("start", "1.5"), ("clock", "0x100000")]), Ok((Some(clock), vec![])));
        assert_eq!(of(&[("space", "7")]), Ok((None, vec![Context::new(0, 7)])));
        for bad in [("start", "1"), ("clock", "5"), ("start", "x"), ("clock", "0"), ("space", "z:1")] {
            assert!(of(&[bad]).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_parts_after_the_address_are_optional() {
        let file = |addr, from, contexts: &[Context]| {
            Ok(MemoryFile { path: "a@b".into(), addr, from, contexts: contexts.to_vec() })
        };
        assert_eq!(parse("a@b", "0x100"), file(0x100, 0, &[]));
        assert_eq!(parse("a@b", "16,from=0x20"), file(16, 32, &[]));
        let spaces = [Context::new(0, 7), Context::new(1, 7)];
        assert_eq!(parse("a@b", "16,space=us:7,from=3"), file(16, 3, &spaces));
        for bad in ["", "x", "16,", "16,from", "16,from=x", "16,space=x:1", "16,to=3"] {
            assert!(parse("a", bad).is_err(), "{bad}");
        }
    }
}
