//! Code that is not in the program: memory that was read, and side files that say what was written when
//!
//! Nothing on a core sends its code, so a trace of hardware needs the code that was loaded, compiled or patched at run time
//! from elsewhere. Systems and compilers write such files, with the times of a clock of the system. These are compared with
//! the times in the trace; without them, only the order of the changes is known.
//!
//! | file | module |
//! | --- | --- |
//! | addresses of functions of a JIT compiler (`/tmp/perf-PID.map`) | `perf_map` |
//! | their code with times (`jit-PID.dump`) | `jitdump` |
//! | patches of a kernel: `PERF_RECORD_TEXT_POKE` in `perf.data` | `perf_data` |
//! | the same as text: `perf script --show-text-poke-events` | `script` |

mod fields;
mod jitdump;
mod perf_data;
mod perf_map;
mod script;

pub use script::seconds;

use crate::HostError;
use retire::elf::Program;
use retire::file::input;
use retire::image::{Image, Memory, Moment};
use retire::Context;
use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;

/// Most bytes of such a file.
const MAX_MEMORY: u64 = 1 << 28;
const NANOSECONDS: u128 = 1_000_000_000;

/// Memory of the run that was read into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Address of its first byte.
    pub addr: u64,
    /// Instructions that a core has retired when this is in memory first.
    pub from: u64,
    /// Contexts that have this memory; none: all that have no memory of their own.
    pub contexts: Vec<Context>,
}

impl MemoryFile {
    /// Its content.
    fn read(&self) -> Result<Memory, HostError> {
        let Self { path, addr, from, .. } = self;
        let bytes = input::read(path, MAX_MEMORY, "memory with code")?;
        if bytes.is_empty() || addr.checked_add(bytes.len() as u64).is_none() {
            return Err(HostError::Other(format!(
                "{}: has {} bytes from address 0x{addr:x} on; expected 1 byte or more, up to the end of the address space",
                path.display(),
                bytes.len()
            )));
        }
        Ok(Memory { addr: *addr, bytes, from: Moment::Retired(*from) })
    }
}

/// The clock of a side file, in that of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time of cycle 0 of the trace, nanoseconds.
    pub start: u64,
    /// Cycles per second.
    pub rate: u64,
}

impl Clock {
    /// The cycle of a time.
    fn cycle(self, time: u64) -> u64 {
        let cycle = u128::from(time.saturating_sub(self.start)) * u128::from(self.rate) / NANOSECONDS;
        cycle.try_into().unwrap_or(u64::MAX)
    }
}

/// A side file with changes of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchFile {
    /// Path of the file.
    pub path: PathBuf,
    /// How its times are those of the trace.
    pub clock: Option<Clock>,
    /// Contexts that have this code; none: all that have no code of their own.
    pub contexts: Vec<Context>,
}

/// A change of the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Patch {
    /// Nanoseconds, if the file says so.
    time: Option<u64>,
    addr: u64,
    /// Code that was there before; as long as `after`, or empty if the file does not say.
    before: Vec<u8>,
    after: Vec<u8>,
}

/// Content of a side file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Patches {
    /// In order.
    changes: Vec<Patch>,
    /// Functions, the last at one address counts.
    names: Vec<(Range<u64>, String)>,
}

impl PatchFile {
    fn read(&self) -> Result<Patches, HostError> {
        let bytes = input::read(&self.path, MAX_MEMORY, "side file with code")?;
        let of_file = |e: String| HostError::Other(format!("{}: {e}", self.path.display()));
        let mut patches = if bytes.starts_with(perf_data::MAGIC) {
            perf_data::parse(&bytes)
        } else if bytes.starts_with(&jitdump::MAGIC) {
            jitdump::parse(&bytes)
        } else {
            let unknown = "expected perf.data, a jitdump, the text of `perf script`, or a perf map".to_string();
            std::str::from_utf8(&bytes).map_err(|_| unknown).and_then(|text| match text.contains(script::RECORD) {
                true => script::parse(text),
                false => perf_map::parse(text),
            })
        }
        .map_err(of_file)?;
        patches.changes.sort_by_key(|patch| patch.time);
        if let Some(patch) = patches.changes.iter().find(|patch| self.clock.is_some() && patch.time.is_none()) {
            return Err(of_file(format!(
                "the change at 0x{:x} has no time, which `start` and `clock` need",
                patch.addr
            )));
        }
        Ok(patches)
    }
}

impl Patches {
    /// What is in memory, and when.
    fn memory(&self, clock: Option<Clock>) -> Vec<Memory> {
        let mut memory = Vec::new();
        let mut known: HashSet<u64> = HashSet::new();
        for patch in &self.changes {
            // what the first change of a byte replaced was there from the beginning
            let mut first: Option<Memory> = None;
            for (addr, byte) in (patch.addr..).zip(&patch.before) {
                match (&mut first, known.insert(addr)) {
                    (_, false) => memory.extend(first.take()),
                    (Some(first), true) => first.bytes.push(*byte),
                    (None, true) => first = Some(Memory { addr, bytes: vec![*byte], from: Moment::Retired(0) }),
                }
            }
            memory.extend(first);
            known.extend((patch.addr..).take(patch.after.len()));
        }
        let moment = |time: Option<u64>| match (clock, time) {
            (Some(clock), Some(time)) => Moment::Cycle(clock.cycle(time)),
            _ => Moment::Unknown,
        };
        let change = |p: &Patch| Memory { addr: p.addr, bytes: p.after.clone(), from: moment(p.time) };
        memory.extend(self.changes.iter().map(change));
        memory
    }
}

/// All files with code that is not in the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes<'a> {
    /// Memory.
    pub memory: &'a [MemoryFile],
    /// Side files.
    pub patches: &'a [PatchFile],
}

impl Changes<'_> {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.patches.is_empty()
    }

    /// The first option that was given.
    pub fn option(&self) -> &'static str {
        if self.memory.is_empty() {
            "--patches"
        } else {
            "--memory"
        }
    }

    /// The contexts that have code of their own here.
    pub fn contexts(&self) -> impl Iterator<Item = Context> + '_ {
        let of_memory = self.memory.iter().flat_map(|file| &file.contexts);
        of_memory.chain(self.patches.iter().flat_map(|file| &file.contexts)).copied()
    }

    /// The code of `context`, or that of all without code of their own.
    ///
    /// # Errors
    /// A file cannot be read, or has times that the trace does not have (`timed`).
    pub fn read(&self, context: Option<Context>, timed: bool) -> Result<Vec<Memory>, HostError> {
        let of = |contexts: &[Context]| context.map_or(contexts.is_empty(), |context| contexts.contains(&context));
        let mut all = Vec::new();
        for file in self.patches.iter().filter(|file| of(&file.contexts)) {
            if file.clock.is_some() && !timed {
                let why =
                    "`start` and `clock` are for traces with times (`encode --timestamps`), which this one is not";
                return Err(HostError::Other(format!("--patches: {}: {why}", file.path.display())));
            }
            all.extend(file.read()?.memory(file.clock));
        }
        let times = all.iter().any(|memory| !memory.from.is_start());
        for file in self.memory.iter().filter(|file| of(&file.contexts)) {
            if times && file.from > 0 {
                let found = format!("--memory: {},from={}", file.path.display(), file.from);
                return Err(HostError::Other(format!("{found}: the changes of `--patches` have no number of instructions, expected memory without `from`")));
            }
            all.push(file.read()?);
        }
        Ok(all)
    }

    /// Image of `program`, overwritten by the code of `context`, or by that of all without code of their own.
    ///
    /// # Errors
    /// As [`Changes::read`], or there is too much code.
    pub fn image(&self, program: &Program, context: Option<Context>, timed: bool) -> Result<Image, HostError> {
        image_of(program, &self.read(context, timed)?)
    }

    /// Functions that side files name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn names(&self) -> Result<Vec<(Range<u64>, String)>, HostError> {
        let mut names = Vec::new();
        for file in self.patches {
            names.extend(file.read()?.names);
        }
        Ok(names)
    }
}

/// Image of `program`, overwritten by `memory`.
pub(crate) fn image_of(program: &Program, memory: &[Memory]) -> Result<Image, HostError> {
    match memory {
        [] => Ok(Image::new(program)),
        all => Image::with_memory(program, all).map_err(|e| HostError::Other(format!("--memory, --patches: {e}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_first_change_replaced_was_there_from_the_beginning() {
        let patch =
            |time, addr, before: &[u8], after: &[u8]| Patch { time, addr, before: before.into(), after: after.into() };
        let patches = Patches {
            changes: vec![
                patch(Some(1_000), 0x100, &[1, 2], &[3, 4]),
                patch(Some(3_000), 0x101, &[4, 5], &[6, 7]),
                patch(Some(4_000), 0x200, &[], &[8]),
            ],
            names: vec![],
        };
        let memory = |clock| {
            let all = patches.memory(clock).into_iter();
            all.map(|m| (m.from, m.addr, m.bytes)).collect::<Vec<_>>()
        };
        let first = [(Moment::Retired(0), 0x100, vec![1, 2]), (Moment::Retired(0), 0x102, vec![5])];
        // of 2 GHz, from 500 ns on
        let clock = Clock { start: 500, rate: 2_000_000_000 };
        let at = |cycle, addr, bytes: &[u8]| (Moment::Cycle(cycle), addr, bytes.to_vec());
        let timed = [at(1_000, 0x100, &[3, 4]), at(5_000, 0x101, &[6, 7]), at(7_000, 0x200, &[8])];
        assert_eq!(memory(Some(clock)), [&first[..], &timed].concat());
        let ordered = timed.map(|(_, addr, bytes)| (Moment::Unknown, addr, bytes));
        assert_eq!(memory(None), [&first[..], &ordered].concat());
        assert_eq!(clock.cycle(0), 0);
    }
}
