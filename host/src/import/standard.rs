//! Importer of the standard RISC-V trace protocols, with the programs that ran
//!
//! Unlike the other importers, it reports events and not branch records: a trace of a chip can have gaps, contexts and
//! causes of traps. The file is read twice: first for the sources in it, each of which becomes a hart.

use super::packed::{Unpacked, MAX_IDLE};
use crate::input::Named;
use crate::progress::{Bar, Counted, Progress};
use crate::HostError;
use retire::file::input;
use retire::image::Image;
use retire::RetireSink;
use serde::de::DeserializeOwned;
use sim::standard::etrace::{self, Container};
use sim::standard::ntrace;
use sim::standard::{Counts, Fault, Faults, Ordered, Sources, Stream};
use std::path::Path;

/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// Protocol of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// E-Trace.
    ETrace(Container),
    /// N-Trace.
    NTrace,
}

/// Parameters of either protocol.
#[derive(Debug)]
enum Parameters {
    ETrace(Container, etrace::Parameters),
    NTrace(ntrace::Parameters),
}

impl Protocol {
    /// Name for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::ETrace(Container::Raw) => "E-Trace, raw",
            Self::ETrace(Container::Smi) => "E-Trace (SMI)",
            Self::ETrace(Container::Utdd) => "E-Trace, UTDD",
            Self::ETrace(Container::Esp32) => "E-Trace, ESP32-C6",
            Self::NTrace => "N-Trace",
        }
    }
}

/// A trace of a standard protocol.
#[derive(Debug)]
pub struct StandardTrace<'a> {
    path: &'a Path,
    protocol: Protocol,
    params: Parameters,
    image: Image,
    /// Register width of the programs.
    pub xlen: u8,
    /// Sources, by hart.
    pub sources: Sources,
    /// Whether events have times.
    pub timed: bool,
}

/// Result of a conversion.
#[derive(Debug)]
pub struct Converted {
    /// What was counted.
    pub counts: Counts,
    /// What was refused.
    pub faults: Faults,
}

impl Converted {
    /// Whether the recording has everything that the trace had.
    pub fn is_whole(&self) -> bool {
        self.faults.count == 0 && self.counts.losses == 0
    }
}

/// Maximum size of a file of parameters, bytes.
const PARAMETER_BYTES: u64 = 1 << 16;

/// Reads a file of parameters; without one, all have their defaults.
fn parameters<P: DeserializeOwned>(path: Option<&Path>, default: P) -> Result<P, HostError> {
    let Some(path) = path else { return Ok(default) };
    let text = input::text(path, PARAMETER_BYTES, "a file of parameters")?;
    toml::from_str(&text).map_err(|e| HostError::Other(format!("{}: {}", path.display(), e.to_string().trim_end())))
}

/// The error of a value in a file of parameters.
fn in_file(path: Option<&Path>, e: &Fault) -> HostError {
    let of = path.map_or_else(String::new, |p| format!("{}: ", p.display()));
    HostError::Other(format!("{of}{e}"))
}

/// Parameters of E-Trace.
fn etrace_parameters(container: Container, path: Option<&Path>, xlen: u8) -> Result<etrace::Parameters, HostError> {
    let mut default = match container {
        Container::Esp32 => toml::Table::try_from(etrace::Parameters::esp32()),
        Container::Raw | Container::Smi | Container::Utdd => toml::Table::try_from(etrace::Parameters::default()),
    }
    .map_err(|e| HostError::Other(e.to_string()))?;
    default.extend(parameters(path, toml::Table::new())?);
    let params: Result<etrace::Parameters, _> = default.try_into();
    let mut params = params.map_err(|e| {
        HostError::Other(format!("{}: {}", path.unwrap_or(Path::new("")).display(), e.to_string().trim_end()))
    })?;
    params.check().map_err(|e| in_file(path, &e))?;
    if params.iaddress_width_p == 0 {
        params.iaddress_width_p = xlen;
    }
    Ok(params)
}

/// Bytes that a scan takes, unless no source is found among the first: an idle trace unit sends a packet at least when it
/// is disabled.
#[derive(Default)]
struct Idle(u64);

impl Idle {
    fn add(&mut self, taken: usize, sources: &Sources) -> Result<usize, Fault> {
        self.0 += taken as u64;
        match self.0 > MAX_IDLE && sources.as_slice().is_empty() {
            true => Err(Fault::Content("no packet in the first 64 MiB")),
            false => Ok(taken),
        }
    }
}

/// Passes the bytes of a file to `feed`, which returns how many it has taken.
fn pump(path: &Path, mut feed: impl FnMut(&[u8], bool) -> Result<usize, Fault>) -> Result<(), HostError> {
    let mut input = Unpacked::open(path)?;
    let (mut buffer, mut held, mut before) = (vec![0; 2 * CHUNK], 0, 0u64);
    loop {
        let got = input.fill(&mut buffer[held..held + CHUNK])?;
        let last = got < CHUNK;
        let taken = feed(&buffer[..held + got], last)
            .map_err(|e| HostError::Other(format!("{}: after byte {before}: {e}", path.display())))?;
        if last {
            return Ok(());
        }
        before += taken as u64;
        buffer.copy_within(taken..held + got, 0);
        held = held + got - taken;
    }
}

impl<'a> StandardTrace<'a> {
    /// Opens a trace of `programs`, of which the first is the main one.
    ///
    /// # Errors
    /// The file or its parameters cannot be read, or programs are missing or of different widths.
    pub fn open(
        path: &'a Path,
        protocol: Protocol,
        parameter_file: Option<&Path>,
        programs: &[Named],
    ) -> Result<Self, HostError> {
        let name = path.display();
        let Some(first) = programs.first() else {
            return Err(HostError::Other(format!(
                "{name}: {} packets have no instructions; `--elf` is required, and may be repeated for code outside of the program",
                protocol.name()
            )));
        };
        let xlen = first.program.xlen;
        if let Some(other) = programs.iter().find(|p| p.program.xlen != xlen) {
            let (of, width) = (&other.name, other.program.xlen);
            return Err(HostError::Other(format!(
                "{of}: is for {width} bits, but {} for {xlen}; one hart executes code of one width",
                first.name
            )));
        }
        let mut idle = Idle::default();
        let (params, sources, timed) = match protocol {
            Protocol::ETrace(container) => {
                let params = etrace_parameters(container, parameter_file, xlen)?;
                let mut scan = etrace::Scan::new(container, &params);
                pump(path, |bytes, last| idle.add(scan.feed(bytes, last)?, &scan.sources))?;
                (Parameters::ETrace(container, params), scan.sources, false)
            }
            Protocol::NTrace => {
                let params = parameters(parameter_file, ntrace::Parameters::default())?;
                params.check().map_err(|e| in_file(parameter_file, &e))?;
                let mut scan = ntrace::Scan::new(&params);
                pump(path, |bytes, last| idle.add(scan.feed(bytes, last)?, &scan.sources))?;
                let timed = scan.is_timed();
                (Parameters::NTrace(params), scan.sources, timed)
            }
        };
        if sources.as_slice().is_empty() {
            return Err(HostError::Other(format!(
                "{name}: no packet of {} found in {} bytes",
                protocol.name(),
                path.metadata().map_or(0, |m| m.len())
            )));
        }
        let image = Image::of_several(programs.iter().map(|p| &p.program));
        Ok(Self { path, protocol, params, image, xlen, sources, timed })
    }

    /// Number of harts.
    pub fn harts(&self) -> u8 {
        self.sources.as_slice().len() as u8
    }

    /// Description of the trace, for reports.
    pub fn source(&self) -> String {
        let file = self.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let sources = self.sources.as_slice().iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
        format!("{} {file}, sources {sources}", self.protocol.name())
    }

    /// Passes the events to `sink`.
    ///
    /// # Errors
    /// The file cannot be read, or holds no instruction.
    pub fn convert(&self, sink: &mut impl RetireSink, progress: &dyn Progress) -> Result<Converted, HostError> {
        let bar: Box<dyn Bar> = progress.begin("importing", "instructions", None);
        let mut sink = Ordered::with(Counted::new(sink, bar), self.timed);
        let converted = match &self.params {
            Parameters::ETrace(container, params) => {
                self.decode(etrace::Trace::new(*container, params, &self.sources, &self.image), &mut sink)?
            }
            Parameters::NTrace(params) => {
                self.decode(ntrace::Trace::new(params, self.xlen, &self.sources, &self.image), &mut sink)?
            }
        };
        if converted.counts.instructions == 0 {
            let why =
                converted.faults.first.first().map_or(String::new(), |(at, _, why)| format!(" (byte {at}: {why})"));
            return Err(HostError::Other(format!(
                "{}: no instruction could be decoded{why}; check `--container`, `--parameters` and `--elf`",
                self.path.display()
            )));
        }
        Ok(converted)
    }

    fn decode(&self, mut trace: impl Stream, sink: &mut impl RetireSink) -> Result<Converted, HostError> {
        pump(self.path, |bytes, last| Ok(trace.feed(bytes, last, sink)))?;
        trace.finish(sink);
        Ok(Converted { counts: trace.counts(), faults: trace.faults().clone() })
    }
}
