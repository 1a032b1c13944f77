//! `--processor`: the program that replaces a script

use crate::files::input_name;
use crate::Failure;
use ::diag::firmware::Firmware;
use host::input::BUILTIN;
use retire::file::input;
use std::path::Path;

/// The diagnosis processor.
#[derive(clap::Args, Clone, Debug)]
pub struct ProcessorArgs {
    /// Program for the diagnosis processor, instead of a script: an ELF, builtin:held, builtin:locks or builtin:race
    #[arg(long, value_name = "ELF|builtin:NAME", conflicts_with = "text", value_parser = input_name())]
    processor: Option<String>,
    /// Time limit of a handler of --processor, in clock cycles, 64 to 4194304
    #[arg(long, value_name = "CLOCKS", requires = "processor", default_value_t = 65_536,
        value_parser = clap::value_parser!(u32).range(64..=4_194_304))]
    pub watchdog: u32,
}

impl ProcessorArgs {
    /// Whether there is a program.
    pub fn is_given(&self) -> bool {
        self.processor.is_some()
    }

    /// The program and its name.
    pub fn firmware(&self) -> Result<(&String, Firmware), Failure> {
        let name = self.processor.as_ref().ok_or_else(|| Failure::Other("--processor is missing".into()))?;
        let elf = match name.strip_prefix(BUILTIN) {
            Some(builtin) => programs::handlers(builtin)
                .ok_or_else(|| {
                    let names = programs::HANDLERS.map(|h| h.0).join(", ");
                    Failure::Other(format!("`--processor builtin:{builtin}`: expected one of {names}"))
                })?
                .to_vec(),
            None => input::elf(Path::new(name))?,
        };
        Ok((name, Firmware::parse(&elf).map_err(|e| Failure::Other(format!("{name}: {e}")))?))
    }
}
