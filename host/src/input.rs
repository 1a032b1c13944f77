//! Opens an input by its name: a built-in program, an ELF or a recording, optionally with its program

use crate::assembly::Assembly;
use crate::changes::{image_of, Changes};
use crate::code::{compare, Comparison};
use crate::foreign;
use crate::machine::Settings;
use crate::recording::{FileKind, Recording};
use crate::HostError;
use retire::elf::Program;
use retire::file::{hex, input};
use retire::image::{Image, Memory};
use retire::rebase::rebase;
use retire::Context;
use std::borrow::Cow;
use std::path::Path;

/// Prefix of built-in programs.
pub const BUILTIN: &str = "builtin:";

/// The files that are an input.
const EXPECTED: &str = "a program (RISC-V executable), retire file or branch trace (rbt1)";

/// Names of all built-in programs, with prefix.
pub fn builtins() -> impl Iterator<Item = String> {
    programs::PROGRAMS.iter().map(|p| format!("{BUILTIN}{}", p.name))
}

/// The file of `FILE@0xADDR`, and the address at which it was loaded.
pub fn located(name: &str) -> (&str, Option<u64>) {
    let address = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    match name.rsplit_once('@').filter(|_| !Path::new(name).exists()).map(|(file, at)| (file, address(at))) {
        Some((file, Some(at))) => (file, Some(at)),
        _ => (name, None),
    }
}

/// The bytes of an ELF file, of `FILE@0xADDR` (moved there), or of `builtin:NAME`.
///
/// # Errors
/// The file cannot be read or moved, or there is no such program.
pub fn elf_bytes(name: &str) -> Result<Cow<'static, [u8]>, HostError> {
    if let Some(builtin) = name.strip_prefix(BUILTIN) {
        return Ok(programs::find(builtin).ok_or_else(|| HostError::unknown_program(builtin))?.elf.into());
    }
    let (file, at) = located(name);
    let mut data = input::elf(Path::new(file))?;
    if let Some(at) = at {
        rebase(&mut data, at).map_err(|source| HostError::Program { name: file.into(), source })?;
    }
    Ok(data.into())
}

/// A program with the name it was given by.
#[derive(Clone, Debug)]
pub struct Named {
    /// Name, as given by the user.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Build id, in hex.
    pub build_id: String,
    /// Code that takes the place of the program's.
    pub memory: Vec<Memory>,
    /// The machine, if it is not RISC-V; the instructions are then not decoded.
    pub machine: Option<&'static str>,
}

impl Named {
    /// Reads an ELF file or `FILE@0xADDR`, or loads `builtin:NAME`.
    pub fn open(name: &str) -> Result<Self, HostError> {
        let parsed = match name.strip_prefix(BUILTIN) {
            Some(builtin) => programs::find(builtin).ok_or_else(|| HostError::unknown_program(builtin))?.load(),
            None => Program::parse(&elf_bytes(name)?),
        };
        let program = parsed.map_err(|source| HostError::Program { name: name.into(), source })?;
        Ok(Self { name: name.into(), build_id: hex(&program.build_id), program, memory: Vec::new(), machine: None })
    }

    /// As [`Named::open`], also of a program for another machine, which gives names to a recording that contains the code that ran.
    ///
    /// # Errors
    /// As for [`Named::open`].
    pub fn open_any(name: &str) -> Result<Self, HostError> {
        let data = elf_bytes(name)?;
        let Some(machine) = foreign::machine(&data) else { return Self::open(name) };
        let program = foreign::program(&data).map_err(|e| HostError::Other(format!("{name}: {e}")))?;
        let build_id = hex(&program.build_id);
        Ok(Self { name: name.into(), build_id, program, memory: Vec::new(), machine: Some(machine) })
    }

    /// Decoder of its instructions, for display.
    pub fn assembly(&self) -> Assembly {
        Assembly::of(self.program.xlen, self.machine.is_none())
    }

    /// The code of the events of `recording`: that of the program and of `changes`; without these, the code that the recording
    /// carries, if the program does not have all of it.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn image_of(&self, recording: &Recording, changes: Changes<'_>) -> Result<Image, HostError> {
        let of = recording.path().display().to_string();
        let elf = (self.name.as_str(), self.machine.unwrap_or(foreign::RISCV));
        foreign::check_machine(elf, &of, &recording.info().source)?;
        if self.machine.is_some() {
            if !changes.is_empty() {
                let option = changes.option();
                return Err(HostError::Other(format!(
                    "{option}: {} is for {}; expected a RISC-V program",
                    elf.0, elf.1
                )));
            }
            let code = recording.code()?;
            foreign::check_code(code.as_ref(), &self.program, elf, &of)?;
            return Ok(Image::recorded(code.unwrap_or_default()));
        }
        match recording.code()?.filter(|_| changes.is_empty()) {
            Some(code) if compare(&code, &self.program, &[]) != Comparison::Same => Ok(Image::recorded(code)),
            _ => changes.image(&self.program, None, recording.has_cycles()),
        }
    }

    /// Its code, and that which takes its place.
    ///
    /// # Errors
    /// There is too much.
    pub fn image(&self) -> Result<Image, HostError> {
        image_of(&self.program, &self.memory)
    }
}

/// An input: a program, a recording or a branch trace.
#[derive(Clone, Debug)]
pub enum Input {
    /// A program, for the built-in simulator.
    Program(Box<Named>),
    /// A finished run, and its program if given.
    Recording(Box<Recording>, Option<Box<Named>>),
}

/// Additional options of an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct InputOptions<'a> {
    /// Name of the program of a recording.
    pub elf: Option<&'a str>,
    /// Whether another build is accepted.
    pub any_build: bool,
    /// For raw words without a trace file: the parameter file that `goshawk gen` wrote, unless it is next to the words.
    pub parameters: Option<&'a Path>,
    /// Programs of contexts that have their own.
    pub contexts: &'a [(Context, String)],
    /// Code of a traced run that takes the place of the program's.
    pub changes: Changes<'a>,
}

/// Refuses an ELF with another build id than that of a recording or trace, and names both.
pub fn check_build_id(recording: &str, of: &str, build_id: &str, name: &str, found: &str) -> Result<(), HostError> {
    if build_id.is_empty() || build_id == found {
        return Ok(());
    }
    Err(HostError::Other(format!(
        "{recording}: is of {of} with build id {build_id}, but {name} has build id {found}; `--any-build` accepts it"
    )))
}

impl Input {
    /// Opens `builtin:NAME`, an ELF or a recording; recordings are recognised by their first bytes.
    pub fn open(name: &str) -> Result<Self, HostError> {
        Self::open_with(name, InputOptions::default())
    }

    /// As [`Input::open`], with options.
    pub fn open_with(name: &str, input_options: InputOptions<'_>) -> Result<Self, HostError> {
        let kind = if name.starts_with(BUILTIN) { FileKind::Other } else { FileKind::of(Path::new(name))? };
        match kind {
            FileKind::Other => {
                let given = input_options.elf.map(|_| "--elf");
                let given = given.or((!input_options.changes.is_empty()).then(|| input_options.changes.option()));
                if let Some(option) = given {
                    return Err(HostError::Other(format!("{name}: is a program; `{option}` is for recordings")));
                }
                if !name.starts_with(BUILTIN) && input::head(Path::new(located(name).0), 4)? != input::ELF_MAGIC {
                    return Err(HostError::Other(format!("{name}: is not an ELF file; expected {EXPECTED}")));
                }
                Ok(Self::Program(Box::new(Named::open(name)?)))
            }
            FileKind::Retire | FileKind::Rbt1 => {
                let recording = Recording::open(Path::new(name))?;
                let mut named = input_options.elf.map(Named::open).transpose()?;
                if let Some(named) = &mut named {
                    named.memory = input_options.changes.read(None, recording.has_cycles())?;
                } else if !input_options.changes.is_empty() {
                    let option = input_options.changes.option();
                    return Err(HostError::Other(format!(
                        "{name}: is a recording; `{option}` needs its program in `--elf`"
                    )));
                }
                if let Some(named) = named.as_ref().filter(|_| !input_options.any_build && !recording.is_rbt1()) {
                    let info = recording.info();
                    check_build_id(name, &info.program, &info.build_id, &named.name, &named.build_id)?;
                }
                Ok(Self::Recording(Box::new(recording), named.map(Box::new)))
            }
            FileKind::Trace | FileKind::Inputs | FileKind::Values => {
                let (what, used) = match kind {
                    FileKind::Inputs => ("a recorded run (inputs)", "`goshawk replay` replays it"),
                    FileKind::Values => {
                        ("a file of load values (cfiat)", "`goshawk replay --values` replays it with its trace")
                    }
                    _ => ("a trace file", "`goshawk replay` replays it"),
                };
                Err(HostError::Other(format!("{name}: is {what}; expected {EXPECTED}; {used}")))
            }
        }
    }

    /// Whether it is a recording, that is, a finished run.
    pub fn is_recording(&self) -> bool {
        matches!(self, Self::Recording(..))
    }

    /// Number of harts of a recording; `None` if it can be chosen.
    pub fn harts(&self) -> Option<u8> {
        match self {
            Self::Program(_) => None,
            Self::Recording(recording, _) => Some(recording.info().harts),
        }
    }

    /// Register width, bits.
    pub fn xlen(&self) -> u8 {
        match self {
            Self::Program(named) => named.program.xlen,
            Self::Recording(recording, _) => recording.info().xlen,
        }
    }

    /// Number of address bits that are always 0: 1 on RISC-V; a recording determines its own.
    pub fn align(&self) -> Result<u8, HostError> {
        match self {
            Self::Program(_) => Ok(1),
            Self::Recording(recording, _) => Ok(recording.align(u64::MAX)?),
        }
    }

    /// As [`Input::align`], but from the first events of a retire file only: for callers that detect a wrong guess.
    pub fn likely_align(&self) -> Result<u8, HostError> {
        match self {
            Self::Program(_) => Ok(1),
            Self::Recording(recording, _) => Ok(recording.align(1 << 12)?),
        }
    }

    /// The program, if known.
    pub fn named(&self) -> Option<&Named> {
        match self {
            Self::Program(named) => Some(named),
            Self::Recording(_, named) => named.as_deref(),
        }
    }

    /// The code, if the program is known; it can also be learned from a recording alone ([`Recording::image`]).
    pub fn image(&self) -> Option<Image> {
        self.named().map(|n| Image::new(&n.program))
    }

    /// Contents and settings as text: equal texts mean equal events.
    pub fn identity(&self, settings: &Settings) -> Result<String, HostError> {
        let Settings { timing, caches, seed, max_instructions, input, read_only } = settings;
        // sweep points without cache options keep the identity that they had before these existed
        let mut caches = if caches.is_empty() { String::new() } else { format!(" {caches}") };
        if !input.is_empty() {
            caches.push_str(&settings.input_text());
        }
        if *read_only {
            caches.push_str(", read-only");
        }
        Ok(match self {
            Self::Program(named) => format!("run {} {timing:?} {seed} {max_instructions:?}{caches}", named.build_id),
            Self::Recording(recording, named) => match named {
                None => recording.identity()?,
                Some(named) => format!("{} of {}", recording.identity()?, named.build_id),
            },
        })
    }
}
