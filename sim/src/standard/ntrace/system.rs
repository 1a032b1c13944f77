//! Golden model of the circuit: one encoder per core, and the words of all
//!
//! There is no header: the words are the bytes of the messages in the order in which their causes retire, the first one lowest. After the
//! last message, the word is filled with idle bytes.
//!
//! # Source
//! RISC-V N-Trace 1.0, "N-Trace Transmission Protocol"; the choices: `docs/reference/ntrace.md`.

use super::encoder::{Encoder, Options};
use super::modes::Modes;
use super::params::Parameters;
use crate::params::ParamError;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};

/// Number of N-Trace in field `id.scheme`.
pub const CODE: u8 = 6;
/// Width of the counter of time stamps, bits.
pub const TIME_BITS: u8 = 32;
/// The byte between messages.
const IDLE: u8 = 0xff;

/// The parameters of a circuit's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NtraceParams {
    /// Number of cores. 1..=16.
    pub cores: u8,
    /// Systems of one core whose messages a trace funnel joins, 2 or more; 0: there is no funnel.
    pub funnel: u8,
    /// Number of the first core in the messages; 0 without a funnel.
    pub source: u8,
    /// Address width of the cores, bits. 32 or 64.
    pub xlen: u8,
    /// Address bits that are always 0: 1 with the C extension, 2 without.
    pub align: u8,
    /// Messages have time stamps of 32 bits.
    pub timestamps: bool,
    /// Contexts are reported: the privilege mode, and this many low bits of the address space identifier. 0..=16, with
    /// 32-bit addresses 0..=12, with `align` 2 0..=11; `None`: not reported.
    pub context: Option<u8>,
    /// Modes of the encoders.
    pub modes: Modes,
}

impl NtraceParams {
    /// `count_bits` of the platform that reports the same contexts.
    pub const CONTEXT_COUNT_BITS: u8 = 16;

    /// Cores of `xlen` bits with the C extension.
    pub const fn new(cores: u8, xlen: u8, modes: Modes) -> Self {
        Self { cores, funnel: 0, source: 0, xlen, align: 1, timestamps: false, context: None, modes }
    }

    /// Rejects parameters that the model does not support.
    ///
    /// # Errors
    /// The parameter, its value and what would be right.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u8, right, ok| ParamError::unless(ok, field, value.into(), right);
        range("cores", self.cores, "1 to 16", (1..=16).contains(&self.cores))?;
        ParamError::check_funnel(self.cores, self.funnel, self.source)?;
        range("xlen", self.xlen, "32 or 64", matches!(self.xlen, 32 | 64))?;
        range("align", self.align, "1 or 2", matches!(self.align, 1 | 2))?;
        let most = 16.min(self.xlen - self.align - Self::CONTEXT_COUNT_BITS - 3);
        let right = "0 to 16, with 32-bit addresses 0 to 12, with `align` 2 to 11";
        range("context", self.context.unwrap_or(0), right, self.context.is_none_or(|bits| bits <= most))
    }

    /// Number of cores whose messages are in the trace.
    pub const fn sources(&self) -> u8 {
        if self.funnel > 0 {
            self.funnel
        } else {
            self.cores
        }
    }

    /// Width of SRC, bits: the fields after it then begin at even bits of a byte.
    pub const fn source_bits(&self) -> u8 {
        match self.sources() {
            1 => 0,
            2..=4 => 2,
            _ => 4,
        }
    }

    /// Options of the encoder of a core.
    pub fn options(&self, core: u8) -> Options {
        Options {
            // the trace port of a core reports that a trap was taken, not its kind
            trap_types: false,
            source: (self.source_bits(), (self.source + core).into()),
            at_port: true,
            time: self.timestamps,
            ownership: self.context,
            ..self.modes.options()
        }
    }

    /// Parameters for the decoder.
    pub fn decoder(&self) -> Parameters {
        Parameters { source_bits: self.source_bits(), ..Parameters::default() }
    }

    /// All parameters on one line.
    pub fn canonical(&self) -> String {
        let Self { cores, funnel, source: _, xlen, align, timestamps, context, modes } = self;
        let context = context.map_or(String::new(), |bits| format!(" context={bits}"));
        let funnel = if *funnel > 0 { format!(" funnel={funnel}") } else { String::new() };
        let time = if *timestamps { " timestamps" } else { "" };
        format!("{modes} cores={cores}{funnel} xlen={xlen} align={align} source={}{time}{context}", self.source_bits())
    }

    /// CRC-32 of the canonical line, for register `params`.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}

/// Golden model of a system: it has no FIFOs, so it never overflows.
#[derive(Debug)]
pub struct System<'a> {
    encoders: Vec<Encoder<'a>>,
    /// Bytes of each encoder that are in `out`.
    taken: Vec<usize>,
    out: Vec<u8>,
}

impl<'a> System<'a> {
    /// A system before its first event; `image` is the program of the cores.
    ///
    /// # Errors
    /// [`NtraceParams::check`] refuses `params`.
    pub fn new(params: &NtraceParams, image: &'a Image) -> Result<Self, ParamError> {
        Self::with(params, image, false)
    }

    /// As [`System::new`]; with `filter`, gaps in the events are stretches that a filter hides.
    ///
    /// # Errors
    /// As [`System::new`].
    pub fn with(params: &NtraceParams, image: &'a Image, filter: bool) -> Result<Self, ParamError> {
        params.check()?;
        let options = |core| Options { filter, ..params.options(core) };
        let encoders = (0..params.cores).map(|core| Encoder::new(options(core), params.xlen, image)).collect();
        Ok(Self { encoders, taken: vec![0; params.cores.into()], out: Vec::new() })
    }

    /// Sets whether messages have a time, as [`Encoder::enable_time`] of each core.
    pub fn enable_time(&mut self, on: bool) {
        self.encoders.iter_mut().for_each(|e| e.enable_time(on));
    }

    /// The words; call it after the stop of each core.
    pub fn finish(mut self) -> Vec<u32> {
        self.out.resize(self.out.len().next_multiple_of(4), IDLE);
        self.out.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
    }
}

impl RetireSink for System<'_> {
    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        let (encoder, taken) = (&mut self.encoders[core], &mut self.taken[core]);
        encoder.push(e);
        self.out.extend(&encoder.bytes()[*taken..]);
        *taken = encoder.bytes().len();
    }
}
