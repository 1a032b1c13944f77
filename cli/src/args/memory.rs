//! Arguments for memory that was read during a run: `--memory ram.bin@0x80100000,from=1000`

use super::contexts;
use crate::files::suffixed_input;
use clap::Args;
use host::input::MemoryFile;

/// Memory with code that is not in the program.
#[derive(Args, Clone, Debug, Default)]
pub struct MemoryArgs {
    /// Code in memory at ADDR, which takes the place of the program's. `from=N`: it is there after N instructions of a core
    /// [default: 0]. `space=[MODES:]ID`: only in this address space (modes u, s and m; default u), of a trace with
    /// contexts. May be repeated; of one moment, the last counts
    #[arg(long, value_name = "FILE@ADDR[,from=N][,space=[MODES:]ID]", value_parser = suffixed_input('@', parse))]
    pub memory: Vec<MemoryFile>,
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
