//! Software compressors as schemes

use super::{FlowDigest, Measured, TraceScheme};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::baseline::{self, Encoded, Harts};
use sim::platform::Platform;

/// A software compressor, one coder per hart.
pub struct Baseline {
    compressor: baseline::Params,
    platform: Platform,
    /// Coders; `None` after the end of the run.
    coders: Option<std::io::Result<Harts>>,
    keep: bool,
    encoded: Vec<Encoded>,
}

impl Baseline {
    /// Starts a run; with `keep` the streams are kept for verification.
    pub fn new(compressor: baseline::Params, platform: Platform, keep: bool) -> Self {
        let coders = Some(Harts::new(&compressor, platform.cores, platform.xlen, platform.align));
        Self { compressor, platform, coders, keep, encoded: Vec::new() }
    }
}

impl TraceScheme for Baseline {
    fn push(&mut self, events: &[FlowEvent]) {
        if let Some(Ok(coders)) = &mut self.coders {
            events.iter().for_each(|e| coders.event(e));
        }
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        let coders = self.coders.take().ok_or("the run ended twice")?;
        let encoded = coders.and_then(Harts::finish).map_err(|e| e.to_string())?;
        let measured = Measured::of_harts(&encoded);
        if self.keep {
            self.encoded = encoded;
        }
        Ok(measured)
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        let Platform { cores, xlen, align, .. } = self.platform;
        if self.encoded.is_empty() {
            return None;
        }
        let mut digest = FlowDigest::new(cores);
        let result = baseline::verify(&self.encoded, &self.compressor, xlen, align, image, &mut digest);
        Some(result.map(|()| digest).map_err(|e| e.to_string()))
    }
}
