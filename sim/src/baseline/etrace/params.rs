//! Parameters of a trace system that sends E-Trace

use super::{Extras, Options};
use crate::params::ParamError;
use crate::standard::etrace::Parameters;

/// Number of E-Trace in field `id.scheme`.
pub const CODE: u8 = 5;

/// Parameters of the stream of a trace system that sends E-Trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EtraceParams {
    /// Modes of its encoders.
    pub options: Options,
    /// N: cores.
    pub cores: u8,
    /// Width of an address, bits.
    pub xlen: u8,
}

impl EtraceParams {
    /// Rejects parameters that the model does not support.
    ///
    /// # Errors
    /// The parameter, its value and what would be right.
    pub fn check(&self) -> Result<(), ParamError> {
        ParamError::unless((1..=16).contains(&self.cores), "cores", self.cores.into(), "1 to 16")?;
        ParamError::unless(matches!(self.xlen, 32 | 64), "xlen", self.xlen.into(), "32 or 64")
    }

    /// Parameters of a decoder.
    pub fn decoder(&self) -> Parameters {
        Parameters {
            iaddress_width_p: self.xlen,
            return_stack_size_p: self.options.return_stack,
            bpred_size_p: self.options.predictors,
            cache_size_p: self.options.jump_targets,
            f0s_width_p: u8::from(self.options.predictors > 0 || self.options.jump_targets > 0),
            source_width: if self.cores > 1 { 8 } else { 0 },
            ..Parameters::default()
        }
    }

    /// What the encoder of core `core` does.
    pub fn extras(&self, core: u8) -> Extras {
        Extras { port_only: true, source: (self.cores > 1).then_some(core), ..Extras::default() }
    }

    /// All parameters on one line, in a fixed order.
    pub fn canonical(&self) -> String {
        let Options { return_stack, predictors, jump_targets, sync, full } = self.options;
        let periodic = if sync > 0 { format!(" sync={sync}") } else { String::new() };
        let full = if full { " full" } else { "" };
        format!(
            "etrace return_stack={return_stack} predictors={predictors} jump_targets={jump_targets}{periodic}{full} cores={} xlen={}",
            self.cores, self.xlen
        )
    }

    /// CRC-32 of [`EtraceParams::canonical`].
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}
