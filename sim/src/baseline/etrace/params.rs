//! Parameters of a trace system that sends E-Trace

use super::{Encoder, EtraceError, Extras, Options};
use crate::params::ParamError;
use crate::standard::etrace::Parameters;
use retire::image::Image;
use retire::FlowEvent;

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
        ParamError::unless(self.cores == 1, "cores", self.cores.into(), "1 with scheme etrace")?;
        ParamError::unless(matches!(self.xlen, 32 | 64), "xlen", self.xlen.into(), "32 or 64")
    }

    /// Parameters of a decoder.
    pub fn decoder(&self) -> Parameters {
        Parameters { iaddress_width_p: self.xlen, ..Parameters::default() }
    }

    /// Golden model: the bytes that a system without losses sends for the events of a core that runs the program of `image`.
    ///
    /// # Errors
    /// E-Trace has no packet for an event, or there is code outside the program.
    pub fn bytes(&self, image: &Image, events: &[FlowEvent]) -> Result<Vec<u8>, EtraceError> {
        let extras = Extras { port_only: true, ..Extras::default() };
        let mut encoder = Encoder::with_extras(self.options, extras, image, self.xlen)?;
        events.iter().try_for_each(|e| encoder.push(e))?;
        Ok(encoder.finish()?.bytes)
    }

    /// All parameters on one line, in a fixed order.
    pub fn canonical(&self) -> String {
        let Options { return_stack, predictors, jump_targets } = self.options;
        format!(
            "etrace return_stack={return_stack} predictors={predictors} jump_targets={jump_targets} cores={} xlen={}",
            self.cores, self.xlen
        )
    }

    /// CRC-32 of [`EtraceParams::canonical`].
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}

/// The words in which such a system sends `bytes`: the first byte lowest, and zeros after the last one.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |chunk: &[u8]| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}
