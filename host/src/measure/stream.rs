//! Schemes of trace modules, and rates of a shared predictor

use super::kept::StoredStream;
use super::{FlowDigest, Measured, TraceScheme};
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::core_trace::{Rates, SyncPeriod};
use sim::params::{ParamError, TraceParams};
use sim::platform::Platform;
use sim::replay::{Events, Replay};
use sim::scheme::sc_lsp::Counts;
use sim::scheme::tr::shared::SharedRates;
use sim::scheme::tr::TrParams;
use sim::system::System;

/// Any scheme that makes a `GSHK` stream.
pub struct Stream {
    system: System,
    params: TraceParams,
    /// The stream, if it is to be verified.
    kept: Option<StoredStream>,
    /// OR of all targets: bits that the stream drops must be 0.
    targets: u64,
}

impl Stream {
    /// Starts a run, with a resync every `period`; with `keep` the stream is kept for verification. `image`: the program, for a scheme that
    /// infers jumps.
    pub fn new(
        params: TraceParams,
        period: Option<SyncPeriod>,
        keep: bool,
        image: Option<&Image>,
    ) -> Result<Self, ParamError> {
        let system = image.map_or_else(|| System::new(&params), |image| System::with_code(&params, 0, image))?;
        let mut system = system.sync_every(&params, period);
        system.count_lengths();
        Ok(Self { system, params, kept: keep.then(StoredStream::default), targets: 0 })
    }

    fn drain(&mut self) {
        let words = self.system.drain();
        if let Some(kept) = &mut self.kept {
            kept.add(words.as_slice());
        }
    }
}

impl TraceScheme for Stream {
    fn push(&mut self, events: &[FlowEvent]) {
        for e in events {
            self.targets |= e.target;
            self.system.event(e);
        }
        self.drain();
    }

    fn bits(&self) -> Option<u64> {
        Some(self.system.bits())
    }

    fn finish(&mut self, cycle: u64) -> Result<Measured, String> {
        let (zeros, align) = (self.targets.trailing_zeros(), self.params.align);
        if zeros < align.into() {
            return Err(format!(
                "branch targets of which only {zeros} low bits are 0; +align{align} drops {align}; expected +align{zeros}"
            ));
        }
        self.system.finish(cycle);
        self.system.check_jumps().map_err(|wrong| wrong.to_string())?;
        self.drain();
        let mut rates = Rates::default();
        self.system.rates().into_iter().for_each(|r| rates += r);
        Ok(Measured {
            bits: Some(self.system.stats().bits),
            stats: self.system.stats().clone(),
            rates,
            lengths: self.system.field_lengths().cloned(),
            streams: self.params.stream_cache().map(|_| {
                let mut all = Counts::default();
                self.system.streams().into_iter().for_each(|c| all += c);
                all
            }),
        })
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        let kept = self.kept.as_ref()?;
        if kept.total * 32 != self.system.bits() {
            return Some(Err(format!("{} words, but {} bits were reported", kept.total, self.system.bits())));
        }
        let mut digest = FlowDigest::new(self.params.cores);
        let run = kept.read(|words| {
            let replay = Replay::new(image, &self.params, words).map_err(|e| e.to_string())?;
            replay.run(&mut Events(&mut digest)).map_err(|e| e.to_string())?;
            Ok(())
        });
        Some(run.map(|()| digest))
    }
}

/// Prediction rates of one predictor for all cores.
pub struct Shared(SharedRates);

impl Shared {
    /// Starts a run.
    pub fn new(params: &TrParams, platform: &Platform) -> Self {
        Self(SharedRates::new(params, platform))
    }
}

impl TraceScheme for Shared {
    fn push(&mut self, events: &[FlowEvent]) {
        events.iter().for_each(|e| self.0.event(e));
    }

    fn bits(&self) -> Option<u64> {
        None
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        Ok(Measured { rates: self.0.rates(), ..Measured::default() })
    }

    fn verify(&self, _: &Image) -> Option<Result<FlowDigest, String>> {
        None
    }
}
