//! Arguments for programs of contexts: `--context 1=a.elf`

use crate::error::Failure;
use crate::files::keyed_input;
use clap::Args;
use host::input::Named;
use host::symbols::Symbols;
use host::views::processes::Selection;
use host::views::stack::functions::ContextProgram;
use retire::image::Image;
use retire::Context;
use std::path::Path;

/// Programs of processes, beside that of all else.
#[derive(Args, Clone, Debug, Default)]
pub struct ContextArgs {
    /// Program of address space ID in the modes MODES (letters u, s and m; default u), of a trace with contexts
    /// (`encode --context`). All other code is that of --elf. May be repeated
    #[arg(long = "context", value_name = "[MODES:]ID=ELF", value_parser = keyed_input(parse))]
    contexts: Vec<Argument>,
}

/// Which contexts are counted.
#[derive(Args, Clone, Debug, Default)]
pub struct SelectionArgs {
    /// Process whose instructions are counted, by the number of its address space or the file name of its program in --context. Of a
    /// trace with contexts. May be repeated [default: all]
    #[arg(long, value_name = "ID|NAME")]
    process: Vec<String>,
    /// Privilege modes whose instructions are counted: letters u, s and m. Of a trace with contexts [default: all]
    #[arg(long, value_name = "MODES", value_parser = privileges)]
    mode: Option<Modes>,
}

/// Privilege modes.
#[derive(Clone, Debug)]
struct Modes(Vec<u8>);

fn privileges(modes: &str) -> Result<Modes, String> {
    let all = spaces(&format!("{modes}:0"))?;
    Ok(Modes(all.iter().map(|context| context.privilege()).collect()))
}

impl SelectionArgs {
    /// The selection, where `programs` have these contexts.
    ///
    /// # Errors
    /// A process is neither a number nor the name of a program.
    pub fn selection(&self, programs: &[(Context, String)]) -> Result<Selection, Failure> {
        let mut spaces = Vec::new();
        for process in &self.process {
            let name = |elf: &str| Path::new(elf).file_name().is_some_and(|name| name == process.as_str());
            let named = programs.iter().filter(|(_, elf)| elf == process || name(elf)).map(|(context, _)| context.id());
            let before = spaces.len();
            spaces.extend(named);
            match process.parse() {
                Ok(id) if spaces.len() == before => spaces.push(id),
                Err(_) if spaces.len() == before => {
                    return Err(Failure::Other(format!(
                        "`--process {process}`: expected the number of an address space, or the file name of a program in `--context`"
                    )));
                }
                _ => {}
            }
        }
        Ok(Selection { spaces, modes: self.mode.as_ref().map(|modes| modes.0.clone()).unwrap_or_default() })
    }
}

/// One argument.
#[derive(Clone, Debug)]
struct Argument {
    of: Vec<Context>,
    elf: String,
}

impl ContextArgs {
    /// Names and code of the programs.
    ///
    /// # Errors
    /// A program cannot be read.
    pub fn open(&self) -> Result<Vec<ContextProgram>, Failure> {
        let open = |(context, elf): (Context, String)| {
            let image = Image::new(&Named::open(&elf)?.program);
            Ok(ContextProgram { context, symbols: Symbols::open(&elf)?, image })
        };
        self.programs().into_iter().map(open).collect()
    }

    /// The program of each context that has its own.
    pub fn programs(&self) -> Vec<(Context, String)> {
        self.contexts.iter().flat_map(|c| c.of.iter().map(|of| (*of, c.elf.clone()))).collect()
    }
}

fn parse(text: &str) -> Result<Argument, String> {
    let wrong = || "expected [MODES:]ID=ELF, as 1=a.elf or us:1=a.elf".to_string();
    let (of, elf) = text.split_once('=').filter(|(_, elf)| !elf.is_empty()).ok_or_else(wrong)?;
    let of = spaces(of).map_err(|e| format!("{e}; {}", wrong()))?;
    Ok(Argument { of, elf: elf.to_string() })
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
    fn a_process_is_a_number_or_a_program() {
        let programs = [(Context::new(0, 3), "x/a.elf".to_string()), (Context::new(1, 3), "x/a.elf".into())];
        let of = |process: &str| {
            let args = SelectionArgs { process: vec![process.into()], mode: Some(privileges("sm").unwrap()) };
            args.selection(&programs).map(|s| (s.spaces, s.modes))
        };
        assert_eq!(of("a.elf").unwrap(), (vec![3, 3], vec![1, 3]));
        assert_eq!(of("7").unwrap().0, [7]);
        assert!(of("b.elf").is_err() && privileges("x").is_err());
    }

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
