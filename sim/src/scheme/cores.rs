//! The cores of one scheme, and the coder that they share

use super::{Encode, Scheme};
use crate::bits::BitWriter;
use crate::lane::{Front, Lane, Rates};
use crate::message::{Message, Report, StreamStats};
use crate::platform::Platform;
use retire::FlowEvent;

/// Golden model of all cores of scheme `S`.
#[derive(Clone, Debug)]
pub struct Cores<S: Scheme> {
    /// One a core.
    pub lanes: Vec<Lane<S::Front>>,
    /// Writes their messages.
    pub coder: S::Coder,
}

impl<S: Scheme> Cores<S> {
    /// In the reset state.
    pub fn new(params: &S, platform: &Platform) -> Self {
        let lanes = (0..platform.cores).map(|i| Lane::new(i, platform, params.front(platform))).collect();
        Self { lanes, coder: params.coder(platform) }
    }

    /// The next event, of one of the cores, in global commit order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { lanes, coder } = self;
        lanes[usize::from(e.hart)].event(e, &mut |m| write(coder, out, stats, m));
    }

    /// Tracing is disabled in `cycle`: the stop messages of all cores, and what the coder kept back.
    pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { lanes, coder } = self;
        for lane in lanes {
            lane.stop(cycle, &mut |m| write(coder, out, stats, m));
        }
        coder.flush(out);
    }

    /// What was counted so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.lanes.iter().map(Lane::rates).collect()
    }
}

// out of line: messages are rare, and the loop over events stays small
#[inline(never)]
fn write<B: Report>(coder: &mut impl Encode<B>, out: &mut BitWriter, stats: &mut StreamStats, message: &Message<B>) {
    let before = out.len();
    coder.encode(message, out);
    stats.count(message.body.kind(), out.len() - before);
}

/// What the front ends of the cores have in themselves, by core.
impl<S: Scheme> Cores<S> {
    /// As `of` says.
    pub fn each<T>(&self, of: impl Fn(&S::Front) -> T) -> Vec<T>
    where
        S::Front: Front,
    {
        self.lanes.iter().map(|lane| of(lane.front())).collect()
    }
}
