//! Arguments for programs of contexts: `--context 1=a.elf`

use crate::files::keyed_input;
use clap::Args;
use retire::Context;

/// Programs of processes, beside that of all else.
#[derive(Args, Clone, Debug, Default)]
pub struct ContextArgs {
    /// Program of address space ID in the modes MODES (letters u, s and m; default u), of a trace with contexts
    /// (`encode --context`). All other code is that of --elf. May be repeated
    #[arg(long = "context", value_name = "[MODES:]ID=ELF", value_parser = keyed_input(parse))]
    contexts: Vec<ContextProgram>,
}

/// One argument.
#[derive(Clone, Debug)]
struct ContextProgram {
    of: Vec<Context>,
    elf: String,
}

impl ContextArgs {
    /// The program of each context that has its own.
    pub fn programs(&self) -> Vec<(Context, String)> {
        self.contexts.iter().flat_map(|c| c.of.iter().map(|of| (*of, c.elf.clone()))).collect()
    }
}

fn parse(text: &str) -> Result<ContextProgram, String> {
    let wrong = || "expected [MODES:]ID=ELF, as 1=a.elf or us:1=a.elf".to_string();
    let (of, elf) = text.split_once('=').filter(|(_, elf)| !elf.is_empty()).ok_or_else(wrong)?;
    let of = spaces(of).map_err(|e| format!("{e}; {}", wrong()))?;
    Ok(ContextProgram { of, elf: elf.to_string() })
}

/// The contexts of `[MODES:]ID`.
pub(super) fn spaces(of: &str) -> Result<Vec<Context>, String> {
    let (modes, id) = of.split_once(':').unwrap_or(("u", of));
    let id: u32 = match id.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => id.parse(),
    }
    .ok()
    .filter(|id| *id < 1 << 16)
    .ok_or_else(|| format!("`{id}` is not an address space of at most 16 bits"))?;
    let mode = |letter| match letter {
        'u' => Ok(Context::new(0, id)),
        's' => Ok(Context::new(1, id)),
        'm' => Ok(Context::new(3, id)),
        _ => Err(format!("`{modes}` has other modes than u, s and m")),
    };
    match modes.chars().map(mode).collect::<Result<Vec<_>, _>>()? {
        of if of.is_empty() => Err("no mode is given before `:`".into()),
        of => Ok(of),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_stand_before_the_number() {
        let of = |text| parse(text).map(|n| (n.of, n.elf));
        assert_eq!(of("1=a.elf"), Ok((vec![Context::new(0, 1)], "a.elf".into())));
        assert_eq!(of("sm:0x10=a=b"), Ok((vec![Context::new(1, 16), Context::new(3, 16)], "a=b".into())));
        for bad in ["1", "1=", "x=a", "h:1=a", ":1=a", "65536=a"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
