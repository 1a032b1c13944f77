//! RISC-V E-Trace as a scheme

use super::{FlowDigest, Measured, TraceScheme};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::baseline::{etrace, Encoded};
use sim::platform::Platform;

/// E-Trace, one encoder per hart.
pub struct Etrace<'a> {
    options: etrace::Options,
    platform: Platform,
    encoders: Result<Vec<etrace::Encoder<'a>>, String>,
    keep: bool,
    encoded: Vec<Encoded>,
    /// The last two events of each hart, which supply what no packet reports of them.
    last: Vec<[Option<FlowEvent>; 2]>,
}

impl<'a> Etrace<'a> {
    /// Starts a run; with `keep` the streams are kept for verification.
    pub fn new(options: etrace::Options, platform: Platform, keep: bool, image: Option<&'a Image>) -> Self {
        let encoders =
            image.ok_or_else(|| "E-Trace needs the program, not a recording".to_string()).and_then(|image| {
                let each = (0..platform.cores).map(|_| etrace::Encoder::new(options, image, platform.xlen));
                each.collect::<Result<_, _>>().map_err(|e| e.to_string())
            });
        let last = vec![[None; 2]; usize::from(platform.cores)];
        Self { options, platform, encoders, keep, encoded: Vec::new(), last }
    }

    fn push_all(&mut self, events: &[FlowEvent]) -> Result<(), String> {
        let Ok(encoders) = &mut self.encoders else { return Ok(()) };
        for e in events {
            let hart = usize::from(e.hart);
            encoders[hart].push(e).map_err(|e| e.to_string())?;
            self.last[hart] = [self.last[hart][1], Some(*e)];
        }
        Ok(())
    }

    /// Decodes one hart; its last two events are completed as [`etrace::same`] allows.
    fn decode(&self, hart: u8, image: &Image, digest: &mut FlowDigest) -> Result<(), String> {
        let encoded = &self.encoded[usize::from(hart)];
        let mut held = HoldBackTwo { digest, events: [None; 2] };
        etrace::decode(encoded, self.options, self.platform.xlen, hart, image, &mut held).map_err(|e| e.to_string())?;
        let events: Vec<FlowEvent> = held.events.into_iter().flatten().collect();
        let went_in: Vec<FlowEvent> = self.last[usize::from(hart)].into_iter().flatten().collect();
        let completed = if etrace::same(&events, &went_in) { went_in } else { events };
        completed.iter().for_each(|e| digest.event(e));
        Ok(())
    }
}

/// Passes on all events except the last two.
struct HoldBackTwo<'a> {
    digest: &'a mut FlowDigest,
    events: [Option<FlowEvent>; 2],
}

impl RetireSink for HoldBackTwo<'_> {
    fn event(&mut self, e: &FlowEvent) {
        if let [Some(oldest), _] = self.events {
            self.digest.event(&oldest);
        }
        self.events = [self.events[1], Some(*e)];
    }
}

impl TraceScheme for Etrace<'_> {
    fn push(&mut self, events: &[FlowEvent]) {
        if let Err(e) = self.push_all(events) {
            self.encoders = Err(e);
        }
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        let encoders = std::mem::replace(&mut self.encoders, Err("the run ended twice".into()))?;
        let ended: Result<Vec<Encoded>, _> = encoders.into_iter().map(etrace::Encoder::finish).collect();
        let encoded = ended.map_err(|e| e.to_string())?;
        let measured = Measured::of_harts(&encoded);
        if self.keep {
            self.encoded = encoded;
        }
        Ok(measured)
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        if self.encoded.is_empty() {
            return None;
        }
        let mut digest = FlowDigest::new(self.platform.cores);
        let run = (0..self.platform.cores).try_for_each(|hart| self.decode(hart, image, &mut digest));
        Some(run.map(|()| digest))
    }
}
