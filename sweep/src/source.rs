//! Traces: programs that are run, and recorded runs

use crate::{Builtin, SweepError};
use retire::elf::Program;
use retire::file::rbt1::{Rbt1Info, Rbt1Reader, MAGIC, ZSTD_MAGIC};
use retire::file::retire::RetireReader;
use retire::file::{hex, FileError};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use serde::{Deserialize, Serialize};
use sim::rv32::{Limits, Machine, MachineConfig, Timing};
use std::path::{Path, PathBuf};

/// When instructions retire in the built-in simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimingModel {
    /// Caches and latencies of paper 000 section 2.
    #[default]
    Papers,
    /// One cycle an instruction.
    Functional,
}

/// How programs are run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// When instructions retire.
    pub timing: TimingModel,
    /// 0: all harts start at once; else each a little late, as the number says.
    pub seed: u64,
    /// Stop after so many instructions of all harts.
    pub max_instructions: Option<u64>,
}

#[derive(Clone, Debug)]
enum Kind {
    Program(Box<Program>),
    Retire { path: PathBuf, harts: u8 },
    Rbt1 { path: PathBuf, harts: u8 },
}

/// A trace that can be produced, again and again.
#[derive(Clone, Debug)]
pub struct Trace {
    /// As it was given.
    pub name: String,
    /// Contents and settings: the same text, the same events.
    pub identity: String,
    /// Address width, bits.
    pub xlen: u8,
    /// Address bits that are always 0.
    pub align: u8,
    kind: Kind,
}

/// Collects events to blocks.
pub(crate) struct Blocks<'a> {
    block: Vec<FlowEvent>,
    out: &'a mut dyn FnMut(Vec<FlowEvent>),
}

/// Events of a block: small enough for a cache, large enough to be worth handing over.
pub(crate) const BLOCK: usize = 1 << 14;

impl<'a> Blocks<'a> {
    fn new(out: &'a mut dyn FnMut(Vec<FlowEvent>)) -> Self {
        Self { block: Vec::with_capacity(BLOCK), out }
    }

    fn flush(&mut self) {
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        (self.out)(block);
    }
}

impl RetireSink for Blocks<'_> {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.block.push(*event);
        if self.block.len() == BLOCK {
            self.flush();
        }
    }
}

/// CRC-32 and size of a file: names its contents.
fn contents(path: &Path) -> Result<String, FileError> {
    use std::io::Read;
    let io = |source| FileError::Io { path: path.display().to_string(), source };
    let mut file = std::fs::File::open(path).map_err(io)?;
    let (mut crc, mut size, mut buffer) = (crc32fast::Hasher::new(), 0u64, vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer).map_err(io)? {
            0 => return Ok(format!("{:08x}-{size}", crc.finalize())),
            n => {
                crc.update(&buffer[..n]);
                size += n as u64;
            }
        }
    }
}

/// The first 8 bytes of a file, or as many as it has.
fn first_bytes(path: &Path) -> Result<Vec<u8>, SweepError> {
    use std::io::Read;
    let io = |e| SweepError::io(path, e);
    let mut head = Vec::new();
    std::fs::File::open(path).map_err(io)?.take(8).read_to_end(&mut head).map_err(io)?;
    Ok(head)
}

/// Tells all events of a recording to `sink`; returns the last cycle.
fn read(
    next: &mut dyn FnMut() -> Result<Option<FlowEvent>, FileError>,
    sink: &mut dyn FnMut(&FlowEvent),
) -> Result<u64, FileError> {
    let mut cycle = 0;
    while let Some(e) = next()? {
        cycle = e.cycle;
        sink(&e);
    }
    Ok(cycle)
}

impl Trace {
    /// Opens `builtin:NAME`, an ELF or a recording.
    pub fn open(name: &str, settings: &Settings, builtin: Builtin) -> Result<Self, SweepError> {
        let parse =
            |data: &[u8]| Program::parse(data).map_err(|source| SweepError::Program { name: name.to_string(), source });
        let program = if let Some(short) = name.strip_prefix("builtin:") {
            let elf = builtin(short).ok_or_else(|| {
                SweepError::Other(format!("built-in program `{short}` is not known; `goshawk programs` lists them"))
            })?;
            parse(elf)?
        } else {
            let path = Path::new(name);
            let head = first_bytes(path)?;
            if head.starts_with(b"GSHKRET") {
                return Self::retire(name);
            }
            if head.starts_with(&MAGIC) || head.starts_with(&ZSTD_MAGIC) {
                return Self::rbt1(name);
            }
            parse(&std::fs::read(path).map_err(|e| SweepError::io(path, e))?)?
        };
        let Settings { timing, seed, max_instructions } = settings;
        let id = hex(&program.build_id);
        Ok(Self {
            name: name.to_string(),
            identity: format!("run {id} {timing:?} {seed} {max_instructions:?}"),
            xlen: program.xlen,
            align: 1,
            kind: Kind::Program(Box::new(program)),
        })
    }

    fn retire(name: &str) -> Result<Self, SweepError> {
        let path = Path::new(name);
        let mut reader = RetireReader::open(path)?;
        let (xlen, harts) = (reader.info().xlen, reader.info().harts);
        let identity = format!("ret {}", contents(path)?);
        // a file that was cut is found now, not after hours; and imported code may stand at odd addresses
        let mut targets = 2;
        read(&mut || reader.next_event(), &mut |e: &FlowEvent| targets |= e.target)?;
        let kind = Kind::Retire { path: path.to_path_buf(), harts };
        Ok(Self { name: name.to_string(), identity, xlen, align: targets.trailing_zeros() as u8, kind })
    }

    fn rbt1(name: &str) -> Result<Self, SweepError> {
        let path = Path::new(name);
        let info = Rbt1Info::scan(path)?;
        if info.records == 0 {
            return Err(SweepError::Other(format!("{name}: holds no record")));
        }
        let kind = Kind::Rbt1 { path: path.to_path_buf(), harts: info.threads.len() as u8 };
        Ok(Self { name: name.to_string(), identity: info.build_id(), xlen: info.xlen, align: info.align, kind })
    }

    /// Harts of a recording; `None` where they can be chosen.
    pub fn harts(&self) -> Option<u8> {
        match &self.kind {
            Kind::Program(_) => None,
            Kind::Retire { harts, .. } | Kind::Rbt1 { harts, .. } => Some(*harts),
        }
    }

    fn config(harts: u8, settings: &Settings) -> MachineConfig {
        let timing = match settings.timing {
            TimingModel::Papers => Timing::default(),
            TimingModel::Functional => Timing::functional(),
        };
        MachineConfig { harts, timing, seed: settings.seed, ..MachineConfig::default() }
    }

    /// Refuses a number of harts or a program that cannot be run.
    pub fn check(&self, harts: u8, settings: &Settings) -> Result<(), SweepError> {
        let failure = |source| SweepError::Machine { name: self.name.clone(), source };
        match &self.kind {
            Kind::Program(_) => Self::config(harts, settings).check().map_err(failure),
            Kind::Retire { .. } | Kind::Rbt1 { .. } => Ok(()),
        }
    }

    /// What replay needs: the program's code; `None` where only a recording is there, from which it can be
    /// learned ([`retire::image::learned`]).
    pub fn image(&self) -> Option<Image> {
        match &self.kind {
            Kind::Program(p) => Some(Image::new(p)),
            Kind::Retire { .. } | Kind::Rbt1 { .. } => None,
        }
    }

    /// Produces the trace in blocks, and returns its last cycle.
    pub fn produce(
        &self,
        harts: u8,
        settings: &Settings,
        out: &mut dyn FnMut(Vec<FlowEvent>),
    ) -> Result<u64, SweepError> {
        let mut blocks = Blocks::new(out);
        let cycles = match &self.kind {
            Kind::Program(program) => {
                let failure = |source| SweepError::Machine { name: self.name.clone(), source };
                let mut machine = Machine::new(program, Self::config(harts, settings)).map_err(failure)?;
                let limits =
                    Limits { instructions: settings.max_instructions.unwrap_or(u64::MAX), ..Limits::default() };
                machine.run(&mut blocks, limits).map_err(failure)?.cycles
            }
            Kind::Retire { path, .. } => {
                let mut reader = RetireReader::open(path)?;
                read(&mut || reader.next_event(), &mut |e| blocks.event(e))?
            }
            Kind::Rbt1 { path, .. } => {
                let mut reader = Rbt1Reader::open(path)?;
                read(&mut || reader.next_event(), &mut |e| blocks.event(e))?
            }
        };
        blocks.flush();
        Ok(cycles)
    }
}
