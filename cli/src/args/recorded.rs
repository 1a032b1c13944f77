//! A recorded run with its program: what questions about values need

use crate::error::Failure;
use crate::files::input_name;
use crate::locations::Locations;
use crate::output::Object;
use clap::Args;
use host::input::InputOptions;
use host::inputs::Session;
use host::symbols::{Objects, Symbols};
use host::views::stack::follower::{Follower, Path};
use retire::image::Image;
use serde_json::json;
use std::ops::Range;
use std::path::PathBuf;

/// A recorded run, and its program.
#[derive(Args, Debug)]
pub struct Recorded {
    /// Recorded run (`encode --scheme inputs`)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Program of the recording: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    pub elf: String,
    /// Accept a program with another build ID than the trace or recording names
    #[arg(long)]
    pub any_build: bool,
}

impl Recorded {
    /// Opens the recording and the program.
    ///
    /// # Errors
    /// Either cannot be read, or they do not match.
    pub fn open(&self) -> Result<Session, Failure> {
        let options = InputOptions { elf: Some(&self.elf), any_build: self.any_build, ..InputOptions::default() };
        Ok(Session::open(&self.trace, options)?)
    }

    /// The stacks of the cores of `session`, at the beginning.
    ///
    /// # Errors
    /// The program cannot be read.
    pub fn follower(&self, session: &Session) -> Result<Follower, Failure> {
        let image = Image::new(&session.named.program);
        Ok(Follower::new(Symbols::open(&self.elf)?, Some(image), session.info.params.cores))
    }

    /// Names of addresses.
    ///
    /// # Errors
    /// The program cannot be read.
    pub fn locations(&self) -> Result<Locations, Failure> {
        // a file that is no ELF is an error, one without line tables is not
        Objects::open(&self.elf)?;
        Ok(Locations::open(&self.elf, true))
    }

    /// The first members of the JSON object of `command`.
    pub fn object(&self, command: &str) -> Object {
        Object::new(command, &self.trace.display().to_string()).with("program", self.elf.clone().into())
    }
}

/// Addresses of RAM of a recording.
pub fn ram(session: &Session) -> Range<u64> {
    let start = u64::from(session.info.params.ram_base);
    start..start + u64::from(session.info.params.ram_bytes)
}

/// Callers that are listed.
const CALLERS: usize = 4;

/// The calls of a path as text, innermost first.
pub fn callers(locations: &Locations, follower: &Follower, path: Path) -> Vec<String> {
    let calls = follower.calls(path);
    calls.iter().take(CALLERS).map(|pc| format!("called from {}", locations.at(*pc))).collect()
}

/// A place in the program with its calls.
pub fn site(locations: &Locations, follower: &Follower, pc: u64, path: Path) -> serde_json::Value {
    let place = |pc: u64| json!({ "pc": format!("0x{pc:08x}"), "function": locations.function(pc), "line": locations.line(pc) });
    let mut all = vec![place(pc)];
    all.extend(follower.calls(path).iter().map(|pc| place(*pc)));
    all.into()
}
