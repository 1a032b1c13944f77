//! The cores of one scheme, and the coder that they share

use super::{Encode, Scheme};
use crate::bits::BitWriter;
use crate::lane::{Front, Lane, Rates, SyncPeriod};
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
    settle: u32,
    /// What stands behind the resync of core 0.
    header: [u32; 3],
}

impl<S: Scheme> Cores<S> {
    /// In the reset state.
    pub fn new(params: &S, platform: &Platform) -> Self {
        let lanes = (0..platform.cores).map(|i| Lane::new(i, platform, params.front(platform))).collect();
        Self { lanes, coder: params.coder(platform), settle: params.settle(), header: [0; 3] }
    }

    /// Every core is told of anew every `period`, behind `header`: core 0 leads, all others follow at their next
    /// control-flow instruction.
    pub fn sync_every(&mut self, period: SyncPeriod, header: [u32; 3]) {
        self.header = header;
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            lane.sync_every(self.settle, (i == 0).then_some(period));
        }
    }

    /// The next event, of one of the cores, in global commit order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { lanes, coder, header, .. } = self;
        let mut again = false;
        lanes[usize::from(e.hart)].event(e, &mut |m| again |= write(coder, header, out, stats, m));
        if again {
            lanes.iter_mut().skip(1).for_each(|lane| lane.ask(e.cycle));
        }
    }

    /// Tracing is disabled in `cycle`: the stop messages of all cores, and what the coder kept back.
    pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { lanes, coder, header, .. } = self;
        for lane in lanes {
            lane.stop(cycle, &mut |m| {
                write(coder, header, out, stats, m);
            });
        }
        coder.flush(out);
    }

    /// What was counted so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.lanes.iter().map(Lane::rates).collect()
    }
}

// whether the header stands behind it; out of line: messages are rare, and the loop over events stays small
#[inline(never)]
fn write<B: Report>(
    coder: &mut impl Encode<B>,
    header: &[u32; 3],
    out: &mut BitWriter,
    stats: &mut StreamStats,
    message: &Message<B>,
) -> bool {
    let before = out.len();
    coder.encode(message, out);
    stats.count(message.body.kind(), out.len() - before);
    let again = message.core == 0 && message.body.is_resync();
    if again {
        coder.flush(out);
        out.pad();
        header.iter().for_each(|word| out.push((*word).into(), 32));
    }
    again
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
