//! The life of one core's trace, once for all schemes
//!
//! A [`Lane`] counts instructions, reported branches and cycles, begins with a sync, tells traps, progress and stops,
//! and knows what happens when messages are lost: an overflow message, then a sync. What makes a message of a branch
//! is the scheme's [`Front`]. At every sync the front is in the state after reset, in model, circuit and replay alike.
//!
//! | module | what is there |
//! | --- | --- |
//! | here | the golden model |
//! | `replay` | its other half: one hart between two messages |
//! | `signature` | what a decoder can check the path by |
//!
//! # Source
//! Paper 000 figure 5, paper 002 figure 3; when a message is due: `docs/reference/stream.md`.

pub mod replay;
pub mod signature;

use crate::message::{Escape, Message};
use crate::platform::{ParamError, Platform};
use retire::isa::Indirect;
use retire::{Context, FlowEvent, FlowKind};
use signature::Signature;

/// How often every core is told of anew, so that a decoder can begin there: 2^n instructions of core 0, or 2^n bytes of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncPeriod {
    log2: u8,
    bytes: bool,
}

impl SyncPeriod {
    /// Every 2^`log2` instructions. 10..=31.
    pub fn new(log2: u8) -> Result<Self, ParamError> {
        ParamError::unless((10..=31).contains(&log2), "sync period", log2.into(), "10 to 31")?;
        Ok(Self { log2, bytes: false })
    }

    /// When 2^`log2` bytes of the stream are complete since its header, that of the header included. 6..=31.
    pub fn of_bytes(log2: u8) -> Result<Self, ParamError> {
        ParamError::unless((6..=31).contains(&log2), "sync period", log2.into(), "6 to 31")?;
        Ok(Self { log2, bytes: true })
    }

    /// Instructions, unless it is a period in bytes.
    pub const fn instructions(self) -> Option<u64> {
        if self.bytes {
            None
        } else {
            Some(1 << self.log2)
        }
    }

    /// Bytes, unless it is a period in instructions.
    pub const fn bytes(self) -> Option<u64> {
        if self.bytes {
            Some(1 << self.log2)
        } else {
            None
        }
    }
}

/// How often predictions were asked for, and how often they were wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rates {
    /// Instructions retired.
    pub instructions: u64,
    /// Direct conditional branches.
    pub conditionals: u64,
    /// Mispredicted outcomes among them; 0 in a scheme that predicts none.
    pub outcome_misses: u64,
    /// Indirect branches (returns, calls, jumps, trap returns, conditional ones).
    pub indirects: u64,
    /// Mispredicted targets among them; 0 in a scheme that predicts none.
    pub target_misses: u64,
    /// Exceptions and interrupts.
    pub traps: u64,
}

impl std::ops::AddAssign for Rates {
    fn add_assign(&mut self, o: Self) {
        self.instructions += o.instructions;
        self.conditionals += o.conditionals;
        self.outcome_misses += o.outcome_misses;
        self.indirects += o.indirects;
        self.target_misses += o.target_misses;
        self.traps += o.traps;
    }
}

/// Takes the messages of a core, in order.
pub trait Out<B>: FnMut(&Message<B>) {}

impl<B, F: FnMut(&Message<B>)> Out<B> for F {}

/// What a scheme makes of the control flow of one core.
///
/// The methods for instructions return whether they sent anything; the instruction itself is counted before they
/// are called.
pub trait Front {
    /// What its messages say.
    type Body;
    /// A counter of instructions or cycles that is about to overflow makes a progress message.
    const PROGRESS: bool;
    /// A sync: back to the state after reset, at `pc`.
    fn reset(&mut self, pc: u64);
    /// A sync behind a gap, at `pc`: what was learnt stays.
    fn rejoin(&mut self, pc: u64);
    /// Gives `to` what all cores use, where they take turns.
    fn hand_over(&mut self, to: &mut Self)
    where
        Self: Sized,
    {
        let _ = to;
    }
    /// The header was sent again: what is sent up to the next sync must not need what was sent before.
    fn ask(&mut self) {}
    /// A direct conditional branch.
    fn conditional(&mut self, e: &FlowEvent, taken: bool, lane: &mut Counters, out: &mut impl Out<Self::Body>) -> bool;
    /// A direct jump, or a call.
    fn jump(&mut self, e: &FlowEvent, call: bool, lane: &mut Counters, out: &mut impl Out<Self::Body>) -> bool;
    /// An indirect branch.
    fn indirect(&mut self, e: &FlowEvent, kind: Indirect, lane: &mut Counters, out: &mut impl Out<Self::Body>) -> bool;
    /// A conditional indirect branch; `kind` is what it does to the return address stack where it is taken.
    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        taken: bool,
        lane: &mut Counters,
        out: &mut impl Out<Self::Body>,
    ) -> bool;
    /// Sends `escape`, behind whatever waits to be sent.
    fn escape(&mut self, cycle: u64, escape: Escape, lane: &mut Counters, out: &mut impl Out<Self::Body>);
}

/// Counters of one core.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    core: u8,
    timestamps: bool,
    /// Where contexts are told: what the last instruction, and behind a change the next one is in, and the bits told of it.
    context: Option<(Context, u32)>,
    /// Where messages carry it.
    signature: Option<Signature>,
    /// Instructions in `rates` up to the last message; a scheme whose messages wait counts from where they reach.
    i_base: u64,
    /// Reported branches in `rates` up to the last message.
    b_base: u64,
    /// Cycle of the last message (of activation before the first).
    last_cycle: u64,
    /// From here on, counted before the instruction, a progress message is due.
    count_limit: u64,
    cc_limit: u64,
    cc_max: u64,
    /// Up to this number of instructions in `rates` nothing is predicted or learnt.
    settled: u64,
    /// Up to this number of instructions in `rates` neither a resync nor a progress message is due for their count.
    quiet: u64,
    /// What was counted from the beginning.
    pub rates: Rates,
}

impl Counters {
    fn new(core: u8, platform: &Platform) -> Self {
        Self {
            core,
            timestamps: platform.timestamps,
            context: platform.context.map(|_| (platform.told(Context::RESET), platform.told(Context(u32::MAX)).0)),
            signature: Signature::of(platform),
            i_base: 0,
            b_base: 0,
            last_cycle: 0,
            count_limit: 1 << (platform.count_bits - 1),
            cc_limit: 1 << (platform.cc_bits - 1),
            cc_max: (1 << platform.cc_bits) - 1,
            settled: 0,
            quiet: 0,
            rates: Rates::default(),
        }
    }

    /// What is told of the context.
    fn told(&self) -> Option<Context> {
        self.context.map(|(context, _)| context)
    }

    /// The next instruction is in `context`; whether that is news, as far as it is told.
    fn change(&mut self, context: Context) -> bool {
        let Some((now, mask)) = &mut self.context else { return false };
        let context = Context(context.0 & *mask);
        std::mem::replace(now, context) != context
    }

    /// A message counts `i_cnt` instructions, and those `own` that it is sent with; returns the signature that it carries.
    fn sign(&mut self, i_cnt: u64, own: u64) -> Option<u16> {
        let signature = self.signature.as_mut()?;
        signature.count(i_cnt - own);
        Some(signature.value())
    }

    /// The next instruction, at `pc`, is the first behind a trap or in its context, after `i_cnt` others.
    fn sign_first(&mut self, pc: u64, i_cnt: u64) {
        let context = self.told();
        if let Some(signature) = &mut self.signature {
            signature.begin(pc);
            signature.count(i_cnt);
            signature.context(context);
        }
    }

    /// Instructions since the last message.
    #[inline]
    pub fn i_cnt(&self) -> u64 {
        self.rates.instructions - self.i_base
    }

    /// Reported branches since the last message.
    #[inline]
    pub fn b_cnt(&self) -> u64 {
        self.rates.conditionals + self.rates.indirects - self.b_base
    }

    /// Instructions are counted from here.
    #[inline]
    pub fn count_from_here(&mut self) {
        self.i_base = self.rates.instructions;
    }

    /// Cycles since the last message.
    #[inline]
    fn since(&self, cycle: u64) -> u64 {
        cycle.saturating_sub(self.last_cycle).min(self.cc_max)
    }

    /// The cycle counter is about to overflow, in a time-stamped stream.
    #[inline]
    pub fn late(&self, cycle: u64) -> bool {
        self.timestamps && self.since(cycle) >= self.cc_limit
    }

    /// Nothing is predicted or learnt at this instruction: a circuit clears its tables.
    #[inline]
    pub fn settling(&self) -> bool {
        self.rates.instructions <= self.settled
    }

    /// Instructions and branches are counted from here.
    #[inline]
    fn count_anew(&mut self) {
        self.count_from_here();
        self.b_base = self.rates.conditionals + self.rates.indirects;
    }

    /// Sends `body`, and counts anew from here.
    #[inline]
    pub fn send<B>(&mut self, cycle: u64, body: B, out: &mut impl Out<B>) {
        self.count_anew();
        self.send_waiting(cycle, body, out);
    }

    /// As [`Counters::send`], of what is past: instructions and branches are counted on.
    #[inline]
    pub fn send_waiting<B>(&mut self, cycle: u64, body: B, out: &mut impl Out<B>) {
        let diff_cc = if self.timestamps { self.since(cycle) } else { 0 };
        self.last_cycle = cycle;
        out(&Message { core: self.core, diff_cc, body });
    }
}

/// Golden model of what one core sends.
#[derive(Clone, Debug)]
pub struct Lane<F> {
    front: F,
    counters: Counters,
    /// Instructions lost so far, from a message that was lost to the overflow message.
    lost: Option<u64>,
    /// When it is told of anew.
    resync: Resync,
    /// The next sync is behind a gap.
    gap: bool,
}

/// When a core is told of anew.
#[derive(Clone, Copy, Debug)]
struct Resync {
    /// At the first control-flow instruction behind so many instructions; [`NEVER`].
    due: u64,
    /// Not before so many: the first instruction behind a sync that was due anyway has none.
    first: u64,
    /// The header was sent again, and no sync of this core since.
    asked: bool,
    /// Instructions from one to the next, of the core that leads.
    period: Option<u64>,
    /// Instructions in which nothing is predicted then.
    settle: u64,
}

/// More instructions than any core retires.
const NEVER: u64 = u64::MAX;

impl Resync {
    /// A sync that was due anyway, before the instruction with which `retired` is reached: that cannot have one more.
    fn synced(&mut self, retired: u64) {
        if std::mem::take(&mut self.asked) {
            self.due = NEVER;
        }
        self.due = self.due.max(retired);
        self.first = retired;
    }
}

impl<F: Front> Lane<F> {
    /// Core `core` with `front` in its reset state; tracing becomes active in cycle 0.
    pub fn new(core: u8, platform: &Platform, front: F) -> Self {
        let resync = Resync { due: NEVER, first: 0, asked: false, period: None, settle: 0 };
        Self { front, counters: Counters::new(core, platform), lost: None, resync, gap: false }
    }

    /// Takes part in resyncs, with `settle` instructions behind each in which nothing is predicted; `period` is that of
    /// the core that leads.
    pub fn sync_every(&mut self, settle: u32, period: Option<SyncPeriod>) {
        let period = period.and_then(SyncPeriod::instructions);
        self.resync = Resync { due: period.unwrap_or(NEVER), first: 0, asked: false, period, settle: settle.into() };
        self.counters.quiet = 0;
    }

    /// The header was sent again in `cycle`: a resync is due at the next control-flow instruction, and times
    /// count from here.
    pub fn ask(&mut self, cycle: u64) {
        self.front.ask();
        self.counters.last_cycle = cycle;
        self.request();
        self.resync.asked = true;
    }

    /// A resync is due at the next control-flow instruction: of the core that leads, on request.
    pub fn request(&mut self) {
        self.resync.due = self.resync.first;
        self.counters.quiet = 0;
    }

    /// The turn of this core ends behind its last event, and that of `to` begins: counts begin anew.
    pub fn hand_over(&mut self, to: &mut Self) {
        self.front.hand_over(&mut to.front);
        self.counters.count_anew();
    }

    /// What was counted so far.
    pub fn rates(&self) -> Rates {
        self.counters.rates
    }

    /// The scheme's part.
    pub fn front(&self) -> &F {
        &self.front
    }

    /// The next event of this core; messages go to `out` in order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut impl Out<F::Body>) {
        let c = &mut self.counters;
        c.rates.instructions += u64::from(e.count);
        if c.rates.instructions > c.quiet {
            return self.looked_at(e, out);
        }
        self.told(e, false, out);
    }

    /// An event at which a resync or a progress message may be due.
    #[inline(never)]
    fn looked_at(&mut self, e: &FlowEvent, out: &mut impl Out<F::Body>) {
        let Self { counters: c, resync, .. } = self;
        if c.rates.instructions > resync.due && e.kind.retires() {
            return self.resync(e, out);
        }
        c.quiet = resync.due.min(c.i_base + c.count_limit);
        let long = c.i_cnt() > c.count_limit;
        self.told(e, long, out);
    }

    /// An event without a resync; `long` says that for the count of instructions a progress message is due.
    #[inline(always)]
    fn told(&mut self, e: &FlowEvent, long: bool, out: &mut impl Out<F::Body>) {
        let Self { front, counters: c, .. } = self;
        if let Some(signature) = c.signature.as_mut().filter(|_| e.kind.retires()) {
            signature.flow(e.pc, e.target);
        }
        let sent = match e.kind {
            FlowKind::Conditional { taken } => {
                c.rates.conditionals += 1;
                front.conditional(e, taken, c, out)
            }
            FlowKind::Jump => front.jump(e, false, c, out),
            FlowKind::Call => front.jump(e, true, c, out),
            // one call for all, which is then inlined
            FlowKind::IndirectJump
            | FlowKind::TrapReturn
            | FlowKind::IndirectCall
            | FlowKind::Return
            | FlowKind::CoSwap => {
                let kind = match e.kind {
                    FlowKind::IndirectCall => Indirect::Call,
                    FlowKind::Return => Indirect::Return,
                    FlowKind::CoSwap => Indirect::CoSwap,
                    _ => Indirect::Jump,
                };
                c.rates.indirects += 1;
                front.indirect(e, kind, c, out)
            }
            FlowKind::ConditionalIndirect { how, taken } => {
                c.rates.indirects += 1;
                front.conditional_indirect(e, how, taken, c, out)
            }
            FlowKind::Start => return self.sync(e.cycle, e.target, out),
            FlowKind::Trap { .. } => {
                c.rates.traps += 1;
                c.sign_first(e.target, c.i_cnt());
                let exception = Escape::Exception { i_cnt: c.i_cnt(), target: e.target, context: c.told() };
                return front.escape(e.cycle, exception, c, out);
            }
            FlowKind::Context { context, alone } => {
                let news = c.change(context);
                if let Some(context) = c.told().filter(|_| alone && news) {
                    c.sign_first(e.target, c.i_cnt());
                    front.escape(e.cycle, Escape::Context { i_cnt: c.i_cnt(), context }, c, out);
                }
                return;
            }
            // what a replayed stream did not know is not known in this one either
            FlowKind::Gap { lost } => {
                self.lost = Some(lost.into());
                self.overflow(e.cycle, out);
                return self.sync(e.cycle, e.target, out);
            }
            FlowKind::Stop => return,
        };
        if F::PROGRESS && !sent && (long || c.late(e.cycle)) {
            let i_cnt = c.i_cnt();
            let signature = c.sign(i_cnt, 1);
            front.escape(e.cycle, Escape::Progress { i_cnt, signature }, c, out);
        }
    }

    /// The next instruction is at `pc`. The front is reset, but behind a gap, of which the decoder knows where it began.
    #[inline(never)]
    fn sync(&mut self, cycle: u64, pc: u64, out: &mut impl Out<F::Body>) {
        let Self { front, counters: c, resync, gap, .. } = self;
        let rejoins = std::mem::take(gap);
        // who begins to read at the header does not know what was before
        let goes_on = rejoins && !resync.asked;
        if resync.asked {
            front.reset(pc);
            c.settled = c.rates.instructions + resync.settle;
        } else if rejoins {
            front.rejoin(pc);
        } else {
            front.reset(pc);
            c.settled = 0;
        }
        if let Some(signature) = c.signature.as_mut().filter(|_| !goes_on) {
            signature.restart();
        }
        c.sign_first(pc, 0);
        c.count_from_here();
        c.quiet = 0;
        resync.synced(c.rates.instructions + 1);
        front.escape(cycle, Escape::Sync { i_cnt: 0, pc, context: c.told() }, c, out);
    }

    /// A resync at `e`: what it would send else, the sync behind it tells.
    #[inline(never)]
    fn resync(&mut self, e: &FlowEvent, out: &mut impl Out<F::Body>) {
        let c = &mut self.counters;
        match e.kind {
            FlowKind::Conditional { .. } => c.rates.conditionals += 1,
            FlowKind::Jump | FlowKind::Call => {}
            _ => c.rates.indirects += 1,
        }
        if let Some(signature) = &mut c.signature {
            signature.flow(e.pc, e.target);
        }
        let i_cnt = c.i_cnt();
        let signature = c.sign(i_cnt, 1);
        self.front.escape(e.cycle, Escape::Resync { i_cnt, signature }, c, out);
        self.begin_anew(e.cycle, e.target, out);
    }

    /// A sync of a core that goes on.
    fn begin_anew(&mut self, cycle: u64, pc: u64, out: &mut impl Out<F::Body>) {
        self.sync(cycle, pc, out);
        let Self { counters: c, resync, .. } = self;
        // the instruction that makes the resync has entered where it went
        if let Some(signature) = &mut c.signature {
            signature.entered();
        }
        c.settled = c.rates.instructions + resync.settle;
        resync.due = resync.period.map_or(NEVER, |period| c.rates.instructions + period);
        // what comes behind may make the next one
        resync.first = 0;
    }

    /// The events of one instruction (the start or trap before it, and its own), for which there may be no place left
    /// (`full`): then it is lost, whether it would send anything or not, with all that follows up to [`Lane::overflow`].
    /// Returns whether it is.
    pub fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut impl Out<F::Body>) -> bool {
        if self.lost.is_none() && !full {
            events.iter().for_each(|e| self.event(e, out));
            return false;
        }
        let count = events.iter().map(|e| u64::from(e.count)).sum::<u64>();
        // a sync will tell it
        for e in events {
            if let FlowKind::Context { context, .. } = e.kind {
                self.counters.change(context);
            }
        }
        if let Some(lost) = &mut self.lost {
            *lost += count;
            return true;
        }
        if events.is_empty() {
            return false;
        }
        // the instructions before this one are known
        let own = u64::from(events.last().is_some_and(|e| e.count > 0 && e.len > 0));
        self.counters.rates.instructions += count - own;
        self.lost = Some(own);
        true
    }

    /// The next instruction must not be told, and `before` others retired behind the last event: it is lost, as are all that
    /// follow, until there is room again for one that may be told.
    pub fn hide(&mut self, before: u32) {
        match &mut self.lost {
            Some(lost) => *lost += u64::from(before) + 1,
            None => {
                self.counters.rates.instructions += u64::from(before);
                self.lost = Some(1);
            }
        }
    }

    /// `count` instructions retired behind the last event.
    pub fn pass(&mut self, count: u32) {
        match &mut self.lost {
            Some(lost) => *lost += u64::from(count),
            None => self.counters.rates.instructions += u64::from(count),
        }
    }

    /// There is room again, in `cycle`: tells how many instructions were lost, if any were. What comes next is a start
    /// or the stop.
    pub fn overflow(&mut self, cycle: u64, out: &mut impl Out<F::Body>) {
        let Self { front, counters: c, lost, .. } = self;
        if let Some(lost) = lost.take() {
            // the counter of a circuit stops at its top bit; 0 says that nothing is lost
            let lost = lost.clamp(1, c.count_limit);
            c.sign(c.i_cnt(), 0);
            front.escape(cycle, Escape::Overflow { i_cnt: c.i_cnt(), lost }, c, out);
            // what was open is told; a stop may follow
            front.rejoin(0);
            c.count_from_here();
            self.gap = true;
        }
    }

    /// Tracing is disabled in `cycle`: earlier losses are reported, and no sync follows.
    pub fn stop(&mut self, cycle: u64, out: &mut impl Out<F::Body>) {
        self.overflow(cycle, out);
        let Self { front, counters: c, .. } = self;
        let i_cnt = c.i_cnt();
        let signature = c.sign(i_cnt, 0);
        front.escape(cycle, Escape::Stop { i_cnt, signature }, c, out);
    }
}
