//! Readers of recorded runs: retire files and branch traces

use crate::progress::{Counted, Progress};
use crate::HostError;
use retire::code::Code;
use retire::file::input;
use retire::file::rbt1::{self, Rbt1Info, Rbt1Reader};
use retire::file::retire::{read_code, RetireInfo, RetireReader};
use retire::file::FileError;
use retire::image::learned::Learner;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use std::path::{Path, PathBuf};

/// The kind of a file, from its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A retire file.
    Retire,
    /// A branch trace.
    Rbt1,
    /// A trace file.
    Trace,
    /// A recording of the inputs of a run's cores.
    Inputs,
    /// Load values of a run's cores.
    Values,
    /// Another file, such as an ELF.
    Other,
}

impl FileKind {
    /// Determines the kind from the first bytes.
    pub fn of(path: &Path) -> Result<Self, HostError> {
        Ok(match input::head(path, 8)? {
            h if h.starts_with(b"GSHKRET") => Self::Retire,
            h if h.starts_with(b"GSHKTRC") => Self::Trace,
            h if h.starts_with(b"GSHKINP") => Self::Inputs,
            h if h.starts_with(b"GSHKLDV") => Self::Values,
            h if h.starts_with(b"GSHKCAP") => {
                return Err(HostError::Other(format!(
                    "{}: is a packed recording; `goshawk capture expand` makes a retire file of it",
                    path.display()
                )))
            }
            h if h.starts_with(&rbt1::MAGIC) || h.starts_with(&rbt1::ZSTD_MAGIC) => Self::Rbt1,
            _ => Self::Other,
        })
    }
}

/// A recorded run, which can be read any number of times.
#[derive(Clone, Debug)]
pub struct Recording {
    path: PathBuf,
    info: RetireInfo,
    /// Information about a branch trace, from a first pass over the file.
    rbt1: Option<Rbt1Info>,
}

/// A reader of a recorded run.
pub enum Events {
    /// A retire file.
    Retire(Box<RetireReader>),
    /// A branch trace.
    Rbt1(Box<Rbt1Reader>),
}

/// OR of all targets.
#[derive(Default)]
struct Targets {
    bits: u64,
    events: u64,
}

impl RetireSink for Targets {
    fn event(&mut self, e: &FlowEvent) {
        self.bits |= e.target;
        self.events += 1;
    }
}

/// A learner with a display of its progress.
fn learning(progress: &dyn Progress) -> Counted<Learner> {
    Counted::new(Learner::new(), progress.begin("learning", "instructions", None))
}

impl Events {
    /// Passes the next block of the run to `sink`; returns false at its end.
    pub fn next_block(&mut self, sink: &mut impl RetireSink) -> Result<bool, FileError> {
        match self {
            Self::Retire(reader) => reader.next_block(sink),
            Self::Rbt1(reader) => reader.next_block(sink),
        }
    }
}

impl Recording {
    /// Opens a retire file or a branch trace; other files are refused.
    pub fn open(path: &Path) -> Result<Self, HostError> {
        if FileKind::of(path)? != FileKind::Rbt1 {
            // for other files, the reader's error says what a retire file starts with
            let info = RetireReader::open(path)?.info().clone();
            return Ok(Self { path: path.into(), info, rbt1: None });
        }
        Self::of_rbt1(path, Rbt1Info::scan(path)?)
    }

    /// As [`Recording::open`]; where this reads the whole run, its code is learned in the same pass: see [`Recording::learned`].
    ///
    /// # Errors
    /// The file cannot be read, or is of another kind.
    pub fn open_learning(path: &Path, progress: &dyn Progress) -> Result<(Self, Option<Learner>), HostError> {
        if FileKind::of(path)? != FileKind::Rbt1 {
            return Ok((Self::open(path)?, None));
        }
        let mut learner = learning(progress);
        let found = Rbt1Info::scan_with(path, &mut learner)?;
        Ok((Self::of_rbt1(path, found)?, Some(learner.into_sink())))
    }

    fn of_rbt1(path: &Path, found: Rbt1Info) -> Result<Self, HostError> {
        if found.threads.is_empty() {
            return Err(HostError::Other(format!("{}: holds no record", path.display())));
        }
        let threads: Vec<String> = found.threads.iter().map(u16::to_string).collect();
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        let info = RetireInfo {
            tool: crate::TOOL.into(),
            harts: threads.len() as u8,
            xlen: found.xlen,
            build_id: found.build_id(),
            program: name,
            source: format!("{} records of rbt1, threads {}", found.records, threads.join(", ")),
            threads: found.threads.clone(),
            untimed: true,
        };
        Ok(Self { path: path.into(), info, rbt1: Some(found) })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Metadata: that of a retire file, or the equivalent of a branch trace.
    pub fn info(&self) -> &RetireInfo {
        &self.info
    }

    /// Whether it is a branch trace.
    pub fn is_rbt1(&self) -> bool {
        self.rbt1.is_some()
    }

    /// Opens a reader at the beginning.
    pub fn events(&self) -> Result<Events, FileError> {
        Ok(match self.rbt1 {
            None => Events::Retire(Box::new(RetireReader::open(&self.path)?)),
            Some(_) => Events::Rbt1(Box::new(Rbt1Reader::open(&self.path)?)),
        })
    }

    /// Passes all events to `sink`.
    pub fn report_to(&self, sink: &mut impl RetireSink) -> Result<(), FileError> {
        let mut events = self.events()?;
        while events.next_block(sink)? {}
        Ok(())
    }

    /// Number of address bits that are always 0: 1, or 0 if there is code at odd addresses, as for other architectures.
    /// The same run has the same number in a retire file and in a branch trace.
    ///
    /// Reads a retire file up to the first odd target or the block after `first` events.
    pub fn align(&self, first: u64) -> Result<u8, FileError> {
        if let Some(found) = &self.rbt1 {
            return Ok(found.align.min(1));
        }
        let (mut events, mut found) = (self.events()?, Targets::default());
        while found.bits & 1 == 0 && found.events < first && events.next_block(&mut found)? {}
        Ok(u8::from(found.bits & 1 == 0))
    }

    /// Whether events have the clock cycles in which they retired.
    pub fn has_cycles(&self) -> bool {
        !self.info().untimed && self.info().threads.is_empty()
    }

    /// The code that ran, if the recording carries it.
    pub fn code(&self) -> Result<Option<Code>, FileError> {
        match self.rbt1 {
            None => read_code(&self.path),
            Some(_) => Ok(None),
        }
    }

    /// Code for replay: what the recording carries, or what its events show. Events that contradict each other are refused.
    pub fn image(&self, progress: &dyn Progress) -> Result<Image, HostError> {
        if let Some(code) = self.code()? {
            return Ok(Image::recorded(code));
        }
        let mut learner = learning(progress);
        self.report_to(&mut learner)?;
        self.learned(learner.into_sink())
    }

    /// What the events of the whole run show, as in [`Recording::image`].
    ///
    /// # Errors
    /// Events contradict each other.
    pub fn learned(&self, learner: Learner) -> Result<Image, HostError> {
        learner.finish().map_err(|e| HostError::Other(format!("{}: {e}", self.path.display())))
    }

    /// CRC-32 and size of a retire file, or the identity of a branch trace: equal texts mean equal events.
    pub fn identity(&self) -> Result<String, FileError> {
        use std::io::Read;
        if self.is_rbt1() {
            return Ok(self.info.build_id.clone());
        }
        let io = |source| FileError::Io { path: self.path.display().to_string(), source };
        let mut file = input::open(&self.path)?;
        let (mut crc, mut size, mut buffer) = (crc32fast::Hasher::new(), 0u64, vec![0; 1 << 16]);
        loop {
            match file.read(&mut buffer).map_err(io)? {
                0 => return Ok(format!("ret {:08x}-{size}", crc.finalize())),
                n => {
                    crc.update(&buffer[..n]);
                    size += n as u64;
                }
            }
        }
    }
}
