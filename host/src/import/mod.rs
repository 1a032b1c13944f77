//! Importers: convert traces of other tools to `rbt1` records
//!
//! | module | format | source of the code |
//! | --- | --- | --- |
//! | `qemu` | log of `-d exec,nochain,int`, RISC-V | the ELF |
//! | `spike` | log of `-l`, `--log-commits`, RISC-V | the log |
//! | `champsim` | records of 64 bytes, usually x86-64 | none |
//! | `sbbt` | MBPlib's branch traces | none |
//! | `bt9` | branch traces of CBP-5 | none |
//! | `perf` | text of `perf script`: Intel PT, branch stacks | none |
//! | `memtrace` | text of DynamoRIO's view tool, x86 | the log |
//! | `drmemtrace` | records of DynamoRIO, one file per thread | none |
//! | [`standard`] | E-Trace and N-Trace | one or more ELFs |
//!
//! Each is read as a stream: memory grows at most with the number of different branches (`survey`), never with the
//! length. Information that a format lacks is not invented where replay would show it: a trap with an unknown position
//! is refused. [`Summary::notes`] lists the choices that had to be made. The documentation is `docs/how-to/import.md`.

mod bt9;
mod champsim;
mod drmemtrace;
mod memtrace;
mod packed;
mod perf;
mod qemu;
mod sbbt;
mod spike;
pub mod standard;
mod survey;
mod text;
mod zip;

use crate::input::Named;
use crate::progress::Progress;
use crate::HostError;
use packed::Unpacked;
use retire::file::rbt1::{self, Record};
use std::path::Path;

/// Trace format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// QEMU's log of executed blocks.
    Qemu,
    /// Spike's log of instructions.
    Spike,
    /// ChampSim's `input_instr`.
    ChampSim,
    /// MBPlib's SBBT.
    Sbbt,
    /// BT9 of CBP-5.
    Bt9,
    /// Text of `perf script`.
    Perf,
    /// Text of DynamoRIO's view tool.
    Memtrace,
    /// Records of DynamoRIO's drmemtrace.
    Drmemtrace,
}

impl Format {
    /// Name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Qemu => "QEMU log (-d exec)",
            Self::Spike => "Spike log",
            Self::ChampSim => "ChampSim trace",
            Self::Sbbt => "SBBT trace",
            Self::Bt9 => "BT9 trace",
            Self::Perf => "text of perf script",
            Self::Memtrace => "text of drmemtrace",
            Self::Drmemtrace => "trace of drmemtrace",
        }
    }
}

/// Kind of an input file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A retire file or a branch trace, which needs no conversion.
    Recording,
    /// A trace of another tool.
    Trace(Format),
}

/// Result of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of records.
    pub records: u64,
    /// Choices made where the trace lacks information.
    pub notes: Vec<String>,
}

/// Receives the records in order.
type Sink<'a> = &'a mut dyn FnMut(&Record);

/// Number of bytes read to detect a format.
const HEAD: usize = 1 << 16;

/// A note, after the number.
const LEFT_OUT: &str = "last instructions, left out: the trace ends before it shows where they go";

/// Adds a note on what was counted, unless it is 0.
fn note(notes: &mut Vec<String>, n: u64, what: &str) {
    if n > 0 {
        notes.push(format!("{n} {what}"));
    }
}

/// An open trace, with its kind.
pub struct Opened<'a> {
    path: &'a Path,
    input: Unpacked,
    /// Further files, of other threads.
    others: Vec<Unpacked>,
    /// Kind of the file.
    pub found: Found,
}

/// Opens a file, compressed (gzip, xz, zstd, bzip2, zip) or not, and detects its kind unless `format` gives it. A folder holds the
/// files of threads of `drmemtrace`.
///
/// # Errors
/// The file cannot be read, or its format is unknown.
pub fn open(path: &Path, format: Option<Format>) -> Result<Opened<'_>, HostError> {
    if path.is_dir() && format.is_none_or(|f| f == Format::Drmemtrace) {
        let files = drmemtrace::files(path)?;
        let mut others = files.iter().map(|file| Unpacked::open(file)).collect::<Result<Vec<_>, _>>()?;
        let input = others.remove(0);
        return Ok(Opened { path, input, others, found: Found::Trace(Format::Drmemtrace) });
    }
    let mut input = Unpacked::open(path)?;
    let (head, wrong) = input.peek(HEAD);
    let begins_line =
        |word: &[u8]| head.starts_with(word) || head.windows(word.len() + 1).any(|w| w[0] == b'\n' && w[1..] == *word);
    let champsim = || path.file_name().is_some_and(|n| n.to_string_lossy().to_lowercase().contains("champsim"));
    let found = match format {
        Some(format) => Found::Trace(format),
        None if head.starts_with(&rbt1::MAGIC) || head.starts_with(b"GSHKRET") => Found::Recording,
        None if head.starts_with(b"GSHK") => {
            return Err(HostError::Other(format!(
                "{}: is a file of Goshawk, a trace or a recorded run; `import` converts recordings and traces of other tools, \
                 `goshawk replay` replays traces",
                path.display()
            )));
        }
        None if head.starts_with(b"SBBT\n") => Found::Trace(Format::Sbbt),
        None if head.starts_with(bt9::MAGIC) => Found::Trace(Format::Bt9),
        None if drmemtrace::is_trace(&head) => Found::Trace(Format::Drmemtrace),
        None if head.split(|b| *b == b'\n').any(memtrace::is_line) => Found::Trace(Format::Memtrace),
        None if begins_line(b"Trace ") => Found::Trace(Format::Qemu),
        None if begins_line(b"core ") => Found::Trace(Format::Spike),
        None if head.split(|b| *b == b'\n').any(perf::is_line) => Found::Trace(Format::Perf),
        None if champsim() => Found::Trace(Format::ChampSim),
        None if wrong.is_some() => Found::Trace(Format::ChampSim),
        None => {
            let begins = match &head[..head.len().min(8)] {
                [] => "is empty".to_string(),
                bytes => {
                    let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
                    format!("begins with the bytes {}", bytes.join(" "))
                }
            };
            return Err(HostError::Other(format!(
                "{}: {begins}; expected a branch trace (rbt1), a log of QEMU (-d exec,nochain,int) or Spike, text of perf \
                 script, a trace or text of drmemtrace, an SBBT or BT9 trace, or a ChampSim trace with `--format champsim`",
                path.display()
            )));
        }
    };
    match wrong {
        // the reader of recordings reports their errors
        Some(wrong) if found != Found::Recording => Err(wrong),
        _ => Ok(Opened { path, input, others: Vec::new(), found }),
    }
}

impl Opened<'_> {
    /// Passes the records of a trace to `sink`; `elf` is the program of a log.
    ///
    /// # Errors
    /// The position, what was found, and what would be right.
    pub fn convert(
        self,
        elf: Option<&Named>,
        progress: &dyn Progress,
        sink: &mut dyn FnMut(&Record),
    ) -> Result<Summary, HostError> {
        let Found::Trace(format) = self.found else {
            return Err(HostError::Other(format!("{}: is a recording already", self.path.display())));
        };
        let bar = progress.begin("importing", "instructions", None);
        let (mut records, mut pending, mut last_thread) = (0, 0u64, 0);
        let mut counted = |r: &Record| {
            records += 1;
            last_thread = r.thread.max(last_thread);
            pending += u64::from(r.count);
            if pending >= 1 << 16 {
                bar.advance(pending);
                pending = 0;
            }
            sink(r);
        };
        let notes = match (format, elf) {
            (Format::Qemu, Some(elf)) => qemu::convert(self.input, elf, &mut counted)?,
            (Format::Qemu, None) => {
                return Err(HostError::Other(format!(
                    "{}: a QEMU log has addresses but no instructions; `--elf` is required",
                    self.path.display()
                )))
            }
            (Format::Spike, elf) => spike::convert(self.input, elf, &mut counted)?,
            (
                Format::ChampSim | Format::Sbbt | Format::Bt9 | Format::Perf | Format::Memtrace | Format::Drmemtrace,
                Some(_),
            ) => {
                return Err(HostError::Other(format!(
                    "{}: is a {}, which is read without its program; --elf is for logs of QEMU and Spike",
                    self.path.display(),
                    format.name()
                )))
            }
            (Format::ChampSim, None) => champsim::convert(self.path, self.input, &mut counted)?,
            (Format::Sbbt, None) => sbbt::convert(self.path, self.input, &mut counted)?,
            (Format::Bt9, None) => bt9::convert(self.input, &mut counted)?,
            (Format::Perf, None) => perf::convert(self.path, self.input, &mut counted)?,
            (Format::Memtrace, None) => memtrace::convert(self.input, &mut counted)?,
            (Format::Drmemtrace, None) => {
                let files = std::iter::once(self.input).chain(self.others).collect();
                drmemtrace::convert(files, &mut counted)?
            }
        };
        let threads = usize::from(last_thread) + 1;
        if threads > rbt1::MAX_THREADS {
            return Err(HostError::Other(format!(
                "{}: has {threads} threads; expected at most {}, which become harts",
                self.path.display(),
                rbt1::MAX_THREADS
            )));
        }
        if records == 0 {
            return Err(HostError::Other(format!("{}: holds no instruction", self.path.display())));
        }
        Ok(Summary { records, notes })
    }
}
