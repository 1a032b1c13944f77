//! RISC-V N-Trace as a scheme

use super::{FlowDigest, Measured, TraceScheme};
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::core_trace::Rates;
use sim::platform::Platform;
use sim::standard::ntrace::{Encoder, Modes, Options, Parameters, Scan, Trace};
use sim::standard::Stream;

/// N-Trace, one encoder per hart.
pub struct Ntrace<'a> {
    platform: Platform,
    encoders: Result<Vec<Encoder<'a>>, String>,
    keep: bool,
    instructions: u64,
    /// The last two events of each hart, without contexts.
    last: Vec<[Option<FlowEvent>; 2]>,
}

impl<'a> Ntrace<'a> {
    /// Starts a run; with `keep` the streams are verified.
    pub fn new(modes: Modes, platform: Platform, keep: bool, image: Option<&'a Image>) -> Self {
        let options = Options { time: platform.timestamps, ..modes.options() };
        let encoders = match (image, platform.context) {
            (None, _) => Err("N-Trace needs the program, not a recording".into()),
            (_, Some(_)) => Err("contexts of N-Trace are not measured; `goshawk gen` has them in the circuit".into()),
            (Some(image), None) => {
                Ok((0..platform.cores).map(|_| Encoder::new(options, platform.xlen, image)).collect())
            }
        };
        let last = vec![[None; 2]; usize::from(platform.cores)];
        Self { platform, encoders, keep, instructions: 0, last }
    }

    /// Bits of all harts.
    fn size(&self) -> Option<u64> {
        let encoders = self.encoders.as_ref().ok()?;
        Some(encoders.iter().map(|e| 8 * e.bytes().len() as u64).sum())
    }

    /// Decodes the stream of one hart.
    fn decode(&self, hart: u8, bytes: &[u8], image: &Image, digest: &mut FlowDigest) -> Result<(), String> {
        let p = Parameters::default();
        let mut scan = Scan::new(&p);
        scan.feed(bytes, true).map_err(|e| e.to_string())?;
        let mut trace = Trace::new(&p, self.platform.xlen, &scan.sources, image);
        let mut ends = Completed { hart, digest, held: None, last: self.last[usize::from(hart)] };
        trace.feed(bytes, true, &mut ends);
        trace.finish(&mut ends);
        if let Some((at, _, why)) = trace.faults().first.first() {
            return Err(format!("byte {at}: {why}"));
        }
        ends.finish();
        Ok(())
    }
}

/// Whether a message has the target.
fn is_indirect(kind: FlowKind) -> bool {
    matches!(
        kind,
        FlowKind::IndirectJump | FlowKind::IndirectCall | FlowKind::Return | FlowKind::CoSwap | FlowKind::TrapReturn
    )
}

/// Passes on the events of a hart, with the jump at the very end, whose target no message reports.
struct Completed<'a> {
    hart: u8,
    digest: &'a mut FlowDigest,
    held: Option<FlowEvent>,
    last: [Option<FlowEvent>; 2],
}

impl Completed<'_> {
    fn pass(&mut self, e: &FlowEvent) {
        self.digest.event(&FlowEvent { hart: self.hart, ..*e });
    }

    fn finish(mut self) {
        let Some(stop) = self.held.take() else { return };
        match self.last {
            [Some(jump), Some(end)]
                if end.count == 0
                    && is_indirect(jump.kind)
                    && (stop.kind, stop.count.checked_add(1), stop.pc) == (end.kind, Some(jump.count), jump.pc) =>
            {
                self.pass(&jump);
                self.pass(&end);
            }
            _ => self.pass(&stop),
        }
    }
}

impl RetireSink for Completed<'_> {
    fn event(&mut self, e: &FlowEvent) {
        if let Some(held) = self.held.replace(*e) {
            self.pass(&held);
        }
    }
}

impl TraceScheme for Ntrace<'_> {
    fn push(&mut self, events: &[FlowEvent]) {
        let Ok(encoders) = &mut self.encoders else { return };
        for e in events {
            let hart = usize::from(e.hart);
            encoders[hart].push(e);
            self.instructions += u64::from(e.count);
            if !matches!(e.kind, FlowKind::Context { .. }) {
                self.last[hart] = [self.last[hart][1], Some(*e)];
            }
        }
    }

    fn bits(&self) -> Option<u64> {
        self.size()
    }

    fn finish(&mut self, _: u64) -> Result<Measured, String> {
        if let Err(why) = &self.encoders {
            return Err(why.clone());
        }
        let rates = Rates { instructions: self.instructions, ..Rates::default() };
        Ok(Measured { bits: self.size(), rates, ..Measured::default() })
    }

    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>> {
        let encoders = self.encoders.as_ref().ok().filter(|_| self.keep)?;
        let mut digest = FlowDigest::new(self.platform.cores);
        let run = (0..self.platform.cores)
            .zip(encoders)
            .try_for_each(|(hart, e)| self.decode(hart, e.bytes(), image, &mut digest));
        Some(run.map(|()| digest))
    }
}
