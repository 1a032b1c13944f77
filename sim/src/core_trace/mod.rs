//! The trace of one core: everything that all schemes have in common
//!
//! A [`CoreTrace`] counts instructions, reported branches and cycles, begins with a sync, and reports traps, progress and stops.
//! After lost messages it sends an overflow message, then a sync. The scheme's [`Front`] decides which branches make a
//! message. Every sync, except after a gap, resets the front end, in model, circuit and replay alike.
//!
//! | module | contents |
//! | --- | --- |
//! | this one | the golden model |
//! | `replay` | its counterpart: one hart between two messages |
//! | `rates` | counts of branches and mispredictions |
//! | `signature` | a checksum of the path, for the decoder |
//!
//! # Source
//! Paper 000 figure 5, paper 002 figure 3; when a message is due: `docs/reference/stream.md`.

mod rates;
pub mod replay;
pub mod signature;

use crate::message::{Escape, Message};
use crate::platform::{ParamError, Platform};
use retire::isa::Indirect;
use retire::{Context, FlowEvent, FlowKind};
use signature::Signature;

pub use rates::Rates;

/// Period of the resyncs, at which a decoder can begin: 2^n instructions of core 0, or 2^n bytes of the stream.
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

    /// Every 2^`log2` bytes of the stream, counted from the last header and including it. 6..=31.
    pub fn of_bytes(log2: u8) -> Result<Self, ParamError> {
        ParamError::unless((6..=31).contains(&log2), "sync period", log2.into(), "6 to 31")?;
        Ok(Self { log2, bytes: true })
    }

    /// Period in instructions; `None` for a period in bytes.
    pub const fn instructions(self) -> Option<u64> {
        if self.bytes {
            None
        } else {
            Some(1 << self.log2)
        }
    }

    /// Period in bytes; `None` for a period in instructions.
    pub const fn bytes(self) -> Option<u64> {
        if self.bytes {
            Some(1 << self.log2)
        } else {
            None
        }
    }
}

/// A sink for the messages of a core, in order.
pub trait Out<B>: FnMut(&Message<B>) {}

impl<B, F: FnMut(&Message<B>)> Out<B> for F {}

/// A front end: the part of the golden model of one core that depends on the scheme.
///
/// The methods for instructions return whether they sent anything. The instruction itself is counted before they are
/// called.
pub trait Front {
    /// Type of the message contents.
    type Body;
    /// Whether a counter of instructions or cycles that is about to overflow makes a progress message.
    const PROGRESS: bool;
    /// A sync at `pc`: returns to the state after reset.
    fn reset(&mut self, pc: u64);
    /// A sync at `pc` after a gap: what was learnt is kept.
    fn rejoin(&mut self, pc: u64);
    /// Hands the state that all cores share over to `to`, if cores take turns.
    fn hand_over(&mut self, to: &mut Self)
    where
        Self: Sized,
    {
        let _ = to;
    }
    /// The header was repeated: messages up to the next sync must not depend on earlier ones.
    fn header_repeated(&mut self) {}
    /// A direct conditional branch.
    fn conditional(
        &mut self,
        e: &FlowEvent,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Self::Body>,
    ) -> bool;
    /// A direct jump, or a call.
    fn jump(&mut self, e: &FlowEvent, call: bool, core_trace: &mut Counters, out: &mut impl Out<Self::Body>) -> bool;
    /// An indirect branch.
    fn indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        core_trace: &mut Counters,
        out: &mut impl Out<Self::Body>,
    ) -> bool;
    /// A conditional indirect branch; `kind` is its effect on the return address stack if it is taken.
    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Self::Body>,
    ) -> bool;
    /// Sends `escape`, after any messages that wait to be sent.
    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Self::Body>);
}

/// Counters of one core.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    core: u8,
    timestamps: bool,
    /// If contexts are reported: the context of the last instruction, or after a change of the next one; and the mask of reported bits.
    context: Option<(Context, u32)>,
    /// If messages carry signatures.
    signature: Option<Signature>,
    /// `rates.instructions` at the last message. A scheme that delays messages counts from the end of what they cover.
    i_base: u64,
    /// Reported branches in `rates` at the last message.
    b_base: u64,
    /// Cycle of the last message; before the first, that of activation.
    last_cycle: u64,
    /// A progress message is due when the count before the instruction reaches this.
    count_limit: u64,
    cc_limit: u64,
    cc_max: u64,
    /// End of the warm-up: nothing is predicted or learnt until `rates.instructions` is above this.
    warm_up_end: u64,
    /// Until `rates.instructions` is above this, neither a resync nor a progress message can be due by instruction count.
    next_check: u64,
    /// Totals since the beginning.
    pub rates: Rates,
}

impl Counters {
    fn new(core: u8, platform: &Platform) -> Self {
        Self {
            core,
            timestamps: platform.timestamps,
            context: platform
                .context
                .map(|_| (platform.reported(Context::RESET), platform.reported(Context(u32::MAX)).0)),
            signature: Signature::of(platform),
            i_base: 0,
            b_base: 0,
            last_cycle: 0,
            count_limit: 1 << (platform.count_bits - 1),
            cc_limit: 1 << (platform.cc_bits - 1),
            cc_max: (1 << platform.cc_bits) - 1,
            warm_up_end: 0,
            next_check: 0,
            rates: Rates::default(),
        }
    }

    /// The context as it is reported.
    fn reported(&self) -> Option<Context> {
        self.context.map(|(context, _)| context)
    }

    /// Sets the context of the next instruction; returns whether its reported bits changed.
    fn change(&mut self, context: Context) -> bool {
        let Some((now, mask)) = &mut self.context else { return false };
        let context = Context(context.0 & *mask);
        std::mem::replace(now, context) != context
    }

    /// Enters a message that counts `i_cnt` instructions, `own` of them retiring with it; returns the signature that it carries.
    fn sign(&mut self, i_cnt: u64, own: u64) -> Option<u16> {
        let signature = self.signature.as_mut()?;
        signature.count(i_cnt - own);
        Some(signature.value())
    }

    /// Enters the next instruction, at `pc`: the first after a trap, a sync or a context change, which `i_cnt` others precede.
    fn sign_first(&mut self, pc: u64, i_cnt: u64) {
        let context = self.reported();
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

    /// Restarts the count of instructions.
    #[inline]
    pub fn restart_i_cnt(&mut self) {
        self.i_base = self.rates.instructions;
    }

    /// Cycles since the last message.
    #[inline]
    fn since(&self, cycle: u64) -> u64 {
        cycle.saturating_sub(self.last_cycle).min(self.cc_max)
    }

    /// Whether the cycle counter is about to overflow, in a time-stamped stream.
    #[inline]
    pub fn cc_limit_reached(&self, cycle: u64) -> bool {
        self.timestamps && self.since(cycle) >= self.cc_limit
    }

    /// Whether this instruction is in the warm-up: nothing is predicted or learnt while a circuit clears its tables.
    #[inline]
    pub fn in_warm_up(&self) -> bool {
        self.rates.instructions <= self.warm_up_end
    }

    /// Restarts the counts of instructions and branches.
    #[inline]
    fn restart_counts(&mut self) {
        self.restart_i_cnt();
        self.b_base = self.rates.conditionals + self.rates.indirects;
    }

    /// Sends `body`, and restarts the counts.
    #[inline]
    pub fn send<B>(&mut self, cycle: u64, body: B, out: &mut impl Out<B>) {
        self.restart_counts();
        self.send_waiting(cycle, body, out);
    }

    /// As [`Counters::send`], for a message that was delayed: the counts continue.
    #[inline]
    pub fn send_waiting<B>(&mut self, cycle: u64, body: B, out: &mut impl Out<B>) {
        let diff_cc = if self.timestamps { self.since(cycle) } else { 0 };
        self.last_cycle = cycle;
        out(&Message { core: self.core, diff_cc, body });
    }
}

/// Golden model of the trace of one core.
#[derive(Clone, Debug)]
pub struct CoreTrace<F> {
    front: F,
    counters: Counters,
    /// Instructions lost so far: from the first lost message to the overflow message.
    lost: Option<u64>,
    /// When the next resync is due.
    resync: Resync,
    /// The next sync follows a gap.
    gap: bool,
}

/// When the next resync of a core is due.
#[derive(Clone, Copy, Debug)]
struct Resync {
    /// Due at the first control-flow instruction after this many instructions; [`NEVER`].
    due: u64,
    /// Not due before this many instructions: the first instruction after an unrelated sync has no resync.
    first: u64,
    /// The header was repeated, and this core has had no sync since.
    after_header: bool,
    /// Instructions between resyncs; only for core 0, which triggers them.
    period: Option<u64>,
    /// Length of the warm-up after a resync, in instructions.
    warm_up: u64,
}

/// More instructions than any core retires.
const NEVER: u64 = u64::MAX;

impl Resync {
    /// Records a sync for another reason, before the instruction that makes the count `retired`: that one gets no resync.
    fn synced(&mut self, retired: u64) {
        if std::mem::take(&mut self.after_header) {
            self.due = NEVER;
        }
        self.due = self.due.max(retired);
        self.first = retired;
    }
}

impl<F: Front> CoreTrace<F> {
    /// Core `core` with `front` in its reset state; tracing becomes active in cycle 0.
    pub fn new(core: u8, platform: &Platform, front: F) -> Self {
        let resync = Resync { due: NEVER, first: 0, after_header: false, period: None, warm_up: 0 };
        Self { front, counters: Counters::new(core, platform), lost: None, resync, gap: false }
    }

    /// Enables resyncs, each followed by a warm-up of `warm_up` instructions. `period` is given for the core that triggers
    /// them.
    pub fn sync_every(&mut self, warm_up: u32, period: Option<SyncPeriod>) {
        let period = period.and_then(SyncPeriod::instructions);
        self.resync =
            Resync { due: period.unwrap_or(NEVER), first: 0, after_header: false, period, warm_up: warm_up.into() };
        self.counters.next_check = 0;
    }

    /// The header was repeated in `cycle`: requests a resync at the next control-flow instruction, and restarts the time
    /// from there.
    pub fn header_repeated(&mut self, cycle: u64) {
        self.front.header_repeated();
        self.counters.last_cycle = cycle;
        self.request();
        self.resync.after_header = true;
    }

    /// Requests a resync at the next control-flow instruction, of the core that triggers them.
    pub fn request(&mut self) {
        self.resync.due = self.resync.first;
        self.counters.next_check = 0;
    }

    /// Ends the turn of this core after its last event and begins that of `to`; the counts of this core restart.
    pub fn hand_over(&mut self, to: &mut Self) {
        self.front.hand_over(&mut to.front);
        self.counters.restart_counts();
    }

    /// Counts so far.
    pub fn rates(&self) -> Rates {
        self.counters.rates
    }

    /// The front end.
    pub fn front(&self) -> &F {
        &self.front
    }

    /// Takes the next event of this core; messages go to `out` in order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut impl Out<F::Body>) {
        let c = &mut self.counters;
        c.rates.instructions += u64::from(e.count);
        if c.rates.instructions > c.next_check {
            return self.event_with_checks(e, out);
        }
        self.reported(e, false, out);
    }

    /// Takes an event at which a resync or a progress message may be due.
    #[inline(never)]
    fn event_with_checks(&mut self, e: &FlowEvent, out: &mut impl Out<F::Body>) {
        let Self { counters: c, resync, .. } = self;
        if c.rates.instructions > resync.due && e.kind.retires() {
            return self.resync(e, out);
        }
        c.next_check = resync.due.min(c.i_base + c.count_limit);
        let long = c.i_cnt() > c.count_limit;
        self.reported(e, long, out);
    }

    /// Takes an event without a resync; `long`: a progress message is due by instruction count.
    #[inline(always)]
    fn reported(&mut self, e: &FlowEvent, long: bool, out: &mut impl Out<F::Body>) {
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
            // a single call for all of them, so that it is inlined
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
                let exception = Escape::Exception { i_cnt: c.i_cnt(), target: e.target, context: c.reported() };
                return front.escape(e.cycle, exception, c, out);
            }
            FlowKind::Context { context, alone } => {
                let news = c.change(context);
                if let Some(context) = c.reported().filter(|_| alone && news) {
                    c.sign_first(e.target, c.i_cnt());
                    front.escape(e.cycle, Escape::Context { i_cnt: c.i_cnt(), context }, c, out);
                }
                return;
            }
            // what a replayed stream does not know is unknown in this one too
            FlowKind::Gap { lost } => {
                self.lost = Some(lost.into());
                self.overflow(e.cycle, out);
                return self.sync(e.cycle, e.target, out);
            }
            FlowKind::Stop => return,
        };
        if F::PROGRESS && !sent && (long || c.cc_limit_reached(e.cycle)) {
            let i_cnt = c.i_cnt();
            let signature = c.sign(i_cnt, 1);
            front.escape(e.cycle, Escape::Progress { i_cnt, signature }, c, out);
        }
    }

    /// Sends a sync; the next instruction is at `pc`. The front end is reset, except after a gap whose beginning the decoder knows.
    #[inline(never)]
    fn sync(&mut self, cycle: u64, pc: u64, out: &mut impl Out<F::Body>) {
        let Self { front, counters: c, resync, gap, .. } = self;
        let rejoins = std::mem::take(gap);
        // a decoder that begins at the header does not know what was before
        let continues = rejoins && !resync.after_header;
        if resync.after_header {
            front.reset(pc);
            c.warm_up_end = c.rates.instructions + resync.warm_up;
        } else if rejoins {
            front.rejoin(pc);
        } else {
            front.reset(pc);
            c.warm_up_end = 0;
        }
        if let Some(signature) = c.signature.as_mut().filter(|_| !continues) {
            signature.restart();
        }
        c.sign_first(pc, 0);
        c.restart_i_cnt();
        c.next_check = 0;
        resync.synced(c.rates.instructions + 1);
        front.escape(cycle, Escape::Sync { i_cnt: 0, pc, context: c.reported() }, c, out);
    }

    /// Sends a resync at `e`, in place of its own message: the sync that follows gives the target.
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
        self.sync_running(e.cycle, e.target, out);
    }

    /// Sends the sync of a core that keeps running.
    fn sync_running(&mut self, cycle: u64, pc: u64, out: &mut impl Out<F::Body>) {
        self.sync(cycle, pc, out);
        let Self { counters: c, resync, .. } = self;
        // the target of the instruction that makes the resync has already been entered
        if let Some(signature) = &mut c.signature {
            signature.keep_first();
        }
        c.warm_up_end = c.rates.instructions + resync.warm_up;
        resync.due = resync.period.map_or(NEVER, |period| c.rates.instructions + period);
        // the next instruction may make the next resync
        resync.first = 0;
    }

    /// Takes the events of one instruction: the start or trap before it, and its own. If the FIFO is `full`, the instruction is
    /// lost, even if it would send no message, and so is everything after it up to [`CoreTrace::overflow`]. Returns whether it is
    /// lost.
    pub fn offer(&mut self, events: &[FlowEvent], full: bool, out: &mut impl Out<F::Body>) -> bool {
        if self.lost.is_none() && !full {
            events.iter().for_each(|e| self.event(e, out));
            return false;
        }
        let count = events.iter().map(|e| u64::from(e.count)).sum::<u64>();
        // the next sync reports it
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
        // the instructions before this one are not lost
        let own = u64::from(events.last().is_some_and(|e| e.count > 0 && e.len > 0));
        self.counters.rates.instructions += count - own;
        self.lost = Some(own);
        true
    }

    /// Hides the next instruction; `before` others retired since the last event. It is lost, as are all that follow until the
    /// FIFO has room again at one that is not hidden.
    pub fn hide(&mut self, before: u32) {
        match &mut self.lost {
            Some(lost) => *lost += u64::from(before) + 1,
            None => {
                self.counters.rates.instructions += u64::from(before);
                self.lost = Some(1);
            }
        }
    }

    /// Counts `count` instructions that retired since the last event.
    pub fn count_retired(&mut self, count: u32) {
        match &mut self.lost {
            Some(lost) => *lost += u64::from(count),
            None => self.counters.rates.instructions += u64::from(count),
        }
    }

    /// The FIFO has room again, in `cycle`: reports the number of lost instructions, if any. A start or the stop must come
    /// next.
    pub fn overflow(&mut self, cycle: u64, out: &mut impl Out<F::Body>) {
        let Self { front, counters: c, lost, .. } = self;
        if let Some(lost) = lost.take() {
            // the counter of a circuit saturates at its top bit; 0 would mean that nothing was lost
            let lost = lost.clamp(1, c.count_limit);
            c.sign(c.i_cnt(), 0);
            front.escape(cycle, Escape::Overflow { i_cnt: c.i_cnt(), lost }, c, out);
            // flushes what was open; a stop may follow
            front.rejoin(0);
            c.restart_i_cnt();
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
