//! Damage to streams: truncated anywhere, a bit flipped anywhere, an extra word

use crate::common;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::params::TraceParams;
use sim::replay::{Events, Replay, ReplayError, ReplaySummary};
use sim::system::System;

/// The golden model's words of `events`.
pub fn encode(params: &TraceParams, events: &[FlowEvent]) -> (Vec<u32>, System) {
    let mut system = System::new(params).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().unwrap().cycle);
    (system.drain().collect(), system)
}

/// The events that `words` encode.
pub fn replay(image: &Image, p: &TraceParams, words: &[u32]) -> Result<(Vec<FlowEvent>, ReplaySummary), ReplayError> {
    let mut seen = Vec::new();
    let summary = Replay::new(image, p, words.iter().copied())?.run(&mut Events(&mut seen))?;
    Ok((seen, summary))
}

/// Damages streams of each of `params`, which are for two cores: replay gives meaningful errors, does not panic, and
/// terminates.
pub fn is_reported(params: impl Iterator<Item = TraceParams>) {
    let image = Image::new(&common::program(3, 300));
    let events = common::walk(&image, 300, 2, 3, 600);
    for (seed, params) in params.enumerate() {
        let (words, _) = encode(&params, &events);
        for cut in 0..words.len() {
            let e = replay(&image, &params, &words[..cut]).map(|_| ()).unwrap_err();
            assert!(e.to_string().contains("ends inside a message"), "{e}");
        }
        let mut rng = ChaCha8Rng::seed_from_u64(100 + seed as u64);
        for _ in 0..400 {
            let mut flipped = words.clone();
            let bit = rng.random_range(0..32 * words.len());
            flipped[bit / 32] ^= 1 << (bit % 32);
            // one flipped bit can give another valid stream; it must not panic or run forever
            let _ = replay(&image, &params, &flipped);
        }
        let mut longer = words.clone();
        longer.push(0);
        let e = replay(&image, &params, &longer).map(|_| ()).unwrap_err();
        assert!(e.to_string().contains("after the last stop"), "{e}");
    }
}
