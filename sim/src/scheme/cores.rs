//! Cores of one scheme, and the coder that they share

use super::{Encode, Scheme};
use crate::bits::BitWriter;
use crate::core_trace::{CoreTrace, Front, Rates, SyncPeriod};
use crate::message::{Message, Report, StreamStats};
use crate::platform::Platform;
use retire::{FlowEvent, FlowKind};

/// Golden model of all cores of scheme `S`.
#[derive(Clone, Debug)]
pub struct Cores<S: Scheme> {
    /// One per core.
    pub core_traces: Vec<CoreTrace<S::Front>>,
    /// Encodes their messages.
    pub end: SharedOutput<S::Coder>,
    warm_up: u32,
    turn: Turn,
}

/// State of the turns, for cores that share predictors.
#[derive(Clone, Debug, Default)]
struct Turn {
    core: u8,
    /// Control-flow instructions in the current turn so far.
    length: u64,
    /// Instructions that no message can count yet, by core: they are added to the next event.
    uncounted: Vec<u32>,
}

/// The output that the messages of all cores share.
#[derive(Clone, Debug)]
pub struct SharedOutput<C> {
    /// Encodes messages.
    pub coder: C,
    /// Header that follows each resync of core 0.
    header: [u32; 3],
    /// The header was repeated, and the other cores have not been notified yet.
    header_repeated: bool,
    /// Stream length before the last header. A resync becomes due, once, when the stream is `limit` bits longer.
    from: u64,
    limit: u64,
    every: u64,
    /// The limit was reached, and core 0 has not been notified yet.
    limit_reached: bool,
}

impl<S: Scheme> Cores<S> {
    /// State after reset.
    pub fn new(params: &S, platform: &Platform) -> Self {
        let core_traces = (0..platform.cores).map(|i| CoreTrace::new(i, platform, params.front(platform))).collect();
        let end = SharedOutput {
            coder: params.coder(platform),
            header: [0; 3],
            header_repeated: false,
            from: 0,
            limit: u64::MAX,
            every: u64::MAX,
            limit_reached: false,
        };
        let turn =
            Turn { uncounted: if S::TURNS { vec![0; platform.cores.into()] } else { Vec::new() }, ..Turn::default() };
        Self { core_traces, warm_up: params.warm_up(), end, turn }
    }

    /// Resynchronises all cores every `period`, with `header` repeated: core 0 first, each other core at its next
    /// control-flow instruction. The warm-up lasts 2^`warm_up_scale` times the scheme's K.
    pub fn sync_every(&mut self, period: SyncPeriod, header: [u32; 3], warm_up_scale: u8) {
        self.end.header = header;
        self.end.limit = period.bytes().map_or(u64::MAX, |bytes| 8 * bytes);
        self.end.every = self.end.limit;
        for (i, core_trace) in self.core_traces.iter_mut().enumerate() {
            core_trace.sync_every(self.warm_up << warm_up_scale, (i == 0).then_some(period));
        }
    }

    /// Takes the next event of any core, in global commit order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
        if S::TURNS {
            return self.event_in_turn(e, out, stats);
        }
        let Self { core_traces, end, .. } = self;
        core_traces[usize::from(e.hart)].event(e, &mut |m| end.write(out, stats, m));
        if end.header_repeated {
            end.header_repeated = false;
            core_traces.iter_mut().skip(1).for_each(|core_trace| core_trace.header_repeated(e.cycle));
        }
        if end.limit_reached {
            end.limit_reached = false;
            core_traces[0].request();
        }
    }

    /// As [`Cores::event`], for cores that share predictors: the stream reports the turns.
    fn event_in_turn(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
        let uncounted = &mut self.turn.uncounted[usize::from(e.hart)];
        // sends no message, and a turn cannot end here
        if matches!(e.kind, FlowKind::Stop | FlowKind::Context { .. }) {
            *uncounted += e.count;
            return;
        }
        let e = FlowEvent { count: e.count + std::mem::take(uncounted), ..*e };
        self.take_turn(e.hart, out, stats);
        self.turn.length += u64::from(e.kind.retires());
        let Self { core_traces, end, .. } = self;
        core_traces[usize::from(e.hart)].event(&e, &mut |m| end.write(out, stats, m));
    }

    /// Begins a turn of `core`, unless it is already its turn.
    fn take_turn(&mut self, core: u8, out: &mut BitWriter, stats: &mut StreamStats) {
        let Self { core_traces, end, turn, .. } = self;
        if core == turn.core {
            return;
        }
        let before = std::mem::replace(&mut turn.core, core);
        let (from, to) = (usize::from(before), usize::from(core));
        let (low, high) = core_traces.split_at_mut(from.max(to));
        let (a, b) = (&mut low[from.min(to)], &mut high[0]);
        if from < to {
            a.hand_over(b);
        } else {
            b.hand_over(a);
        }
        let length = std::mem::take(&mut turn.length);
        if let Some(body) = Report::turn(length, core) {
            end.write(out, stats, &Message { core: before, diff_cc: 0, body });
        }
    }

    /// Sends the stop messages of cores that share predictors, each in a turn of its own.
    fn finish_in_turns(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
        for core in 0..self.core_traces.len() {
            self.take_turn(core as u8, out, stats);
            let Self { core_traces, end, turn, .. } = self;
            core_traces[core].count_retired(std::mem::take(&mut turn.uncounted[core]));
            core_traces[core].stop(cycle, &mut |m| end.write(out, stats, m));
        }
        self.end.coder.flush(out);
    }

    /// `before` more instructions of `core` retired, and then `lost` were lost, up to the end of the trace.
    pub fn lose(&mut self, core: u8, before: u32, lost: u32) {
        let core_trace = &mut self.core_traces[usize::from(core)];
        core_trace.hide(before);
        core_trace.count_retired(lost.saturating_sub(1));
    }

    /// A resync is due at the next control-flow instruction of core 0.
    pub fn request(&mut self) {
        self.core_traces[0].request();
    }

    /// Tracing is disabled in `cycle`: sends the stop messages of all cores and flushes the coder.
    pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
        if S::TURNS {
            return self.finish_in_turns(cycle, out, stats);
        }
        let Self { core_traces, end, .. } = self;
        for core_trace in core_traces {
            core_trace.stop(cycle, &mut |m| end.write(out, stats, m));
        }
        end.coder.flush(out);
    }

    /// Counts so far, by core.
    pub fn rates(&self) -> Vec<Rates> {
        self.core_traces.iter().map(CoreTrace::rates).collect()
    }
}

impl<C> SharedOutput<C> {
    // out of line: messages are rare, and this keeps the event loop small
    #[inline(never)]
    fn write<B: Report>(&mut self, out: &mut BitWriter, stats: &mut StreamStats, message: &Message<B>)
    where
        C: Encode<B>,
    {
        let before = out.len();
        self.coder.encode(message, out);
        stats.count(message.body.kind(), out.len() - before);
        if message.core == 0 && message.body.is_resync() {
            self.coder.flush(out);
            out.pad();
            self.from = out.len();
            self.limit = self.every;
            self.header.iter().for_each(|word| out.push((*word).into(), 32));
            self.header_repeated = true;
        }
        if out.len() - self.from >= self.limit {
            self.limit_reached = true;
            self.limit = u64::MAX;
        }
    }
}

/// Access to the front ends of the cores.
impl<S: Scheme> Cores<S> {
    /// Applies `of` to the front end of each core.
    pub fn map_fronts<T>(&self, of: impl Fn(&S::Front) -> T) -> Vec<T>
    where
        S::Front: Front,
    {
        self.core_traces.iter().map(|core_trace| of(core_trace.front())).collect()
    }
}
