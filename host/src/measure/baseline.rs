//! Compressors in software

use super::{FlowDigest, Measured, TraceScheme};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::baseline::{self, Encoded, Harts};
use sim::platform::Platform;

/// A compressor in software, one coder a hart.
pub struct Baseline {
    compressor: baseline::Params,
    platform: Platform,
    /// Until the run ends.
    coders: Option<std::io::Result<Harts>>,
    keep: bool,
    encoded: Vec<Encoded>,
}

impl Baseline {
    /// At the beginning of a run; with `keep` the streams are kept, to be verified.
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
        let told = baseline::verify(&self.encoded, &self.compressor, xlen, align, image, &mut digest);
        Some(told.map(|()| digest).map_err(|e| e.to_string()))
    }
}
