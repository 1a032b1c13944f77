//! Parameters of a trace system that sends E-Trace

use super::{Extras, Options};
use crate::params::ParamError;
use crate::standard::etrace::Parameters;

/// Number of E-Trace in field `id.scheme`.
pub const CODE: u8 = 5;
/// Width of the time in synchronizations, bits: `time_width_p`.
pub const TIME_BITS: u8 = 32;

/// Parameters of the stream of a trace system that sends E-Trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtraceParams {
    /// Modes of its encoders.
    pub options: Options,
    /// N: cores.
    pub cores: u8,
    /// Systems of one core whose packets a trace funnel joins, 2 or more; 0: there is no funnel.
    pub funnel: u8,
    /// Number of the first core in the packets; 0 without a funnel.
    pub source: u8,
    /// Width of an address, bits.
    pub xlen: u8,
    /// Contexts are reported: the privilege mode, and this many low bits of the address space identifier. 0..=16, with
    /// 32-bit addresses 0..=12, with 64-bit addresses and time stamps 0..=8; `None`: not reported, all instructions are in machine mode.
    pub context: Option<u8>,
    /// Synchronizations have a time of [`TIME_BITS`] bits.
    pub timestamps: bool,
}

impl EtraceParams {
    /// `count_bits` of the platform that reports the same contexts.
    pub const CONTEXT_COUNT_BITS: u8 = 16;

    /// Cores of `xlen` bits, without contexts.
    pub const fn new(cores: u8, xlen: u8, options: Options) -> Self {
        Self { options, cores, funnel: 0, source: 0, xlen, context: None, timestamps: false }
    }

    /// Rejects parameters that the model does not support.
    ///
    /// # Errors
    /// The parameter, its value and what would be right.
    pub fn check(&self) -> Result<(), ParamError> {
        ParamError::unless((1..=16).contains(&self.cores), "cores", self.cores.into(), "1 to 16")?;
        ParamError::check_funnel(self.cores, self.funnel, self.source)?;
        ParamError::unless(matches!(self.xlen, 32 | 64), "xlen", self.xlen.into(), "32 or 64")?;
        let bits = self.context.unwrap_or(0);
        // a packet has at most 15 bytes
        let longest = if self.timestamps && self.xlen == 64 { 8 } else { 16 };
        let most = longest.min(self.xlen - 1 - Self::CONTEXT_COUNT_BITS - 3);
        let right = "0 to 16, with 32-bit addresses 0 to 12, with 64-bit addresses and time stamps 0 to 8";
        ParamError::unless(bits <= most, "context", bits.into(), right)
    }

    /// Number of cores whose packets are in the trace.
    pub const fn sources(&self) -> u8 {
        if self.funnel > 0 {
            self.funnel
        } else {
            self.cores
        }
    }

    /// Width of the number of a core before a packet, bits.
    pub const fn source_bits(&self) -> u8 {
        if self.sources() > 1 {
            8
        } else {
            0
        }
    }

    /// Parameters of a decoder.
    pub fn decoder(&self) -> Parameters {
        Parameters {
            iaddress_width_p: self.xlen,
            return_stack_size_p: self.options.return_stack,
            bpred_size_p: self.options.predictors,
            cache_size_p: self.options.jump_targets,
            f0s_width_p: u8::from(self.options.predictors > 0 || self.options.jump_targets > 0),
            nocontext_p: self.context.unwrap_or(0) == 0,
            context_width_p: self.context.unwrap_or(0).max(1),
            notime_p: !self.timestamps,
            time_width_p: if self.timestamps { TIME_BITS } else { 1 },
            source_width: self.source_bits(),
            ..Parameters::default()
        }
    }

    /// What the encoder of core `core` does, with a filter or without.
    pub fn extras(&self, core: u8, filter: bool) -> Extras {
        let context_width = self.context.unwrap_or(0);
        Extras {
            port_only: true,
            source: (self.sources() > 1).then_some(self.source + core),
            context_width,
            time_width: if self.timestamps { TIME_BITS } else { 0 },
            filter,
            ..Extras::default()
        }
    }

    /// All parameters on one line, in a fixed order.
    pub fn canonical(&self) -> String {
        let Options { return_stack, predictors, jump_targets, sync, full } = self.options;
        let periodic = if sync > 0 { format!(" sync={sync}") } else { String::new() };
        let full = if full { " full" } else { "" };
        let context = self.context.map_or(String::new(), |bits| format!(" context={bits}"));
        let funnel = if self.funnel > 0 { format!(" funnel={}", self.funnel) } else { String::new() };
        let time = if self.timestamps { " timestamps" } else { "" };
        format!(
            "etrace return_stack={return_stack} predictors={predictors} jump_targets={jump_targets}{periodic}{full} cores={}{funnel} xlen={}{time}{context}",
            self.cores, self.xlen
        )
    }

    /// CRC-32 of [`EtraceParams::canonical`].
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}
