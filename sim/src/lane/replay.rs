//! Replay's half of a lane: one hart between two messages, and the escape messages, once for all schemes
//!
//! # Source
//! Paper 000 figure 6, paper 002 figure 4.

use super::signature::Signature;
use crate::message::{Body, CodingError, Escape, Message};
use crate::platform::Platform;
use retire::image::{Exit, ExitKind, Image};
use retire::{Context, FlowEvent, FlowKind};

/// Takes what replay finds.
pub trait ReplaySink {
    /// Takes events before the rest of their message has been checked, also those of a message that is then refused. Only
    /// for sinks whose result does not depend on events.
    const UNCHECKED: bool = false;
    /// The next control-flow event of a hart. Its cycle is exact where a message reports it, else that
    /// of the hart's last message (0 in functional streams); the cause of traps is not known.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let _ = event;
    }
    /// All that the message that is read has told so far is wrong.
    #[inline]
    fn retract(&mut self) {}
    /// The header that was sent again, at this bit: times of all cores count from that of core 0.
    fn header(&mut self, bit: u64) {
        let _ = bit;
    }
    /// The message that was just replayed, and the bit at which it began.
    fn message(&mut self, bit: u64, message: &Message) {
        let _ = (bit, message);
    }
}

/// Why the program cannot have done what the messages say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The program has no code there.
    #[error("no code is known at pc 0x{0:08x}: it is in no executable segment of the program")]
    OutsideCode(u64),
    /// The code was learned from a recording, which never was there.
    #[error("no code is known at pc 0x{0:08x}: the recording that the code is learned from has no run from there")]
    NotRecorded(u64),
    /// An indirect branch that is said to be predicted, where the predictors predict nothing.
    #[error("the indirect branch at pc 0x{0:08x} is said to be predicted, but its predictor is empty")]
    NoPrediction(u64),
    /// A control-flow instruction that always makes a message is passed without one.
    #[error("the jump at pc 0x{0:08x} has no message, but in this scheme every jump has one")]
    NoMessage(u64),
    /// A counter passes more instructions than it can count.
    #[error("no message for {0} instructions: the counters of the trace module cannot go so far")]
    NoProgress(u64),
    /// A stream of a Nexus-like scheme ends where no branch is.
    #[error("the instruction stream ends at pc 0x{0:08x}, which is no branch that could end it")]
    NoBranch(u64),
    /// Scheme `sc-lsp`: a stream that does not begin where the one before ended.
    #[error("the instruction stream starts at pc 0x{start:08x}, but the path has reached pc 0x{pc:08x}")]
    OtherStart {
        /// SA.
        start: u64,
        /// Where the path is.
        pc: u64,
    },
    /// A sync of a core that goes on, somewhere else.
    #[error("the core is synced at pc 0x{sync:08x}, but the path has reached pc 0x{pc:08x}")]
    OtherSync {
        /// PC of the sync.
        sync: u64,
        /// Where the path is.
        pc: u64,
    },
    /// The path is not that of the core, although it fits the messages.
    #[error("the signature is 0x{sent:04x}, that of the path is 0x{path:04x}: the {instructions} instructions since the last good one are damaged")]
    Signature {
        /// As the trace has it.
        sent: u16,
        /// That of the path.
        path: u16,
        /// Instructions of the core that were not confirmed.
        instructions: u64,
    },
    /// Messages before the first sync, after the stop, or between an overflow and its sync.
    #[error("{0}")]
    OutOfPlace(&'static str),
}

impl PathError {
    /// `image` has no code at `pc`.
    fn no_code(image: &Image, pc: u64) -> Self {
        match image.is_learned() {
            true => Self::NotRecorded(pc),
            false => Self::OutsideCode(pc),
        }
    }

    /// What can have caused it.
    pub fn causes(&self) -> &'static str {
        match self {
            Self::OutsideCode(_) => {
                "code that was loaded or written at run time, a trace of another program, or damage of the trace"
            }
            Self::NotRecorded(_) => "a trace of another run, or damage of the trace",
            _ => "the trace is not of this ELF, or it is damaged",
        }
    }
}

/// Why a message cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The bits are no message.
    Coding(CodingError),
    /// The message does not fit the program.
    Path(PathError),
}

impl From<CodingError> for Refused {
    fn from(e: CodingError) -> Self {
        Self::Coding(e)
    }
}

impl From<PathError> for Refused {
    fn from(e: PathError) -> Self {
        Self::Path(e)
    }
}

/// What a scheme knows of the path between messages.
pub trait Path {
    /// Takes `exit`, which already counts as retired, as the scheme does where no message tells.
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError>;
    /// A sync: back to the state after reset.
    fn reset(&mut self);
    /// A sync behind a gap: what was learnt stays.
    fn rejoin(&mut self);
}

/// Takes the straight line: conditionals not taken; indirect branches are always told.
pub(crate) fn follow_straight(hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
    let link = exit.pc + u64::from(exit.len);
    let (kind, target) = match exit.kind {
        ExitKind::Jump => (FlowKind::Jump, exit.target),
        ExitKind::Call => (FlowKind::Call, exit.target),
        ExitKind::Conditional => (FlowKind::Conditional { taken: false }, link),
        ExitKind::ConditionalIndirect(how) => (FlowKind::ConditionalIndirect { how, taken: false }, link),
        ExitKind::Indirect(..) => return Err(PathError::NoPrediction(exit.pc)),
        ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
    };
    hart.tell_exit(kind, exit, target, sink);
    Ok(())
}

/// Whether a hart can be advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No sync yet.
    Waiting,
    /// Reading began at a header that was sent again, and there was no sync yet. Whether the core was known before.
    Joining { gap: bool },
    /// The path is known.
    Running,
    /// Between a resync and its sync.
    Resync,
    /// Between overflow and sync.
    Lost(u32),
    /// After stop.
    Stopped,
}

/// One hart.
#[derive(Clone, Debug)]
pub struct Hart {
    index: u8,
    state: State,
    /// Where the path is.
    pub pc: u64,
    /// Cycle of the last message.
    pub cycle: u64,
    /// Instructions since the last event that was told.
    since: u32,
    /// Instructions since the last message, and how many there can be.
    run: u64,
    limit: u64,
    instructions: u64,
    /// Up to here nothing is predicted, and instructions for which that is so behind a resync.
    settled: u64,
    settle: u64,
    /// The header was sent again, and there was no sync since: that will be one for those who begin there.
    asked: bool,
    /// What the next instruction is in, where that is told.
    context: Context,
    /// `pc` and `instructions` after the last accepted message.
    accepted: (u64, u64),
    /// Where messages carry signatures.
    signed: Option<Box<Signed>>,
}

/// What the signatures say of a hart.
#[derive(Clone, Debug)]
struct Signed {
    signature: Signature,
    /// It is that of the core, unless the path is wrong: every instruction since a restart was followed.
    known: bool,
    /// The marker of a resync was read, and its sync was not; what it carries, and the instructions that it counts.
    marker: Option<(Option<u16>, u64)>,
    /// Instructions that a signature confirmed, and those before the stretch that none has confirmed yet.
    confirmed: u64,
    since: u64,
}

impl Signed {
    /// Compares what a message carries, after `instructions` of the core.
    fn check(&mut self, sent: Option<u16>, instructions: u64) -> Result<(), PathError> {
        let path = self.signature.value();
        let Some(sent) = sent.filter(|_| self.known) else { return Ok(()) };
        let stretch = instructions - self.since;
        if sent != path {
            return Err(PathError::Signature { sent, path, instructions: stretch });
        }
        self.confirmed += stretch;
        self.since = instructions;
        Ok(())
    }

    /// A sync at `pc`, after `instructions`; `goes_on` behind a gap whose beginning is known.
    fn sync(&mut self, pc: u64, goes_on: bool, context: Option<Context>, instructions: u64) {
        if !goes_on || !self.known {
            self.signature.restart();
            self.since = instructions;
            self.known = true;
        }
        self.signature.begin(pc);
        self.signature.context(context);
        if self.marker.take().is_some() {
            self.signature.entered();
        }
    }
}

impl Hart {
    fn new(index: u8, platform: &Platform, settle: u32) -> Self {
        Self {
            index,
            state: State::Waiting,
            pc: 0,
            cycle: 0,
            since: 0,
            run: 0,
            limit: 1 << platform.count_bits,
            instructions: 0,
            settled: 0,
            settle: settle.into(),
            asked: false,
            context: platform.told(Context::RESET),
            accepted: (0, 0),
            signed: Signature::of(platform)
                .map(|signature| Box::new(Signed { signature, known: true, marker: None, confirmed: 0, since: 0 })),
        }
    }

    /// Nothing is predicted or learnt at the instruction that retired last.
    #[inline]
    pub fn settling(&self) -> bool {
        self.instructions <= self.settled
    }

    /// Nor at the next one.
    #[inline]
    pub fn begins_settling(&self) -> bool {
        self.instructions < self.settled
    }

    /// A message of this hart, or a part of it with a counter of its own, was taken in full.
    #[inline]
    pub fn message_done(&mut self) {
        self.run = 0;
    }

    /// All of a message of this hart is valid and follows the program.
    #[inline]
    pub fn accept(&mut self) {
        self.message_done();
        self.accepted = (self.pc, self.instructions);
    }

    /// Its sync is due, and the path was wrong since some message that was accepted: as if reading began at the header.
    fn lose_path(&mut self) {
        self.state = State::Joining { gap: true };
        (self.pc, self.instructions) = self.accepted;
        (self.since, self.run) = (0, 0);
        if let Some(signed) = &mut self.signed {
            signed.known = false;
        }
    }

    /// Tells `kind` at the current place.
    #[inline]
    fn tell(&mut self, kind: FlowKind, pc: u64, len: u8, target: u64, sink: &mut impl ReplaySink) {
        let count = std::mem::take(&mut self.since);
        sink.event(&FlowEvent { hart: self.index, kind, len, count, pc, target, cycle: self.cycle });
        self.pc = target;
    }

    /// Tells that `exit` went to `target`.
    #[inline]
    pub fn tell_exit(&mut self, kind: FlowKind, exit: &Exit, target: u64, sink: &mut impl ReplaySink) {
        self.tell(kind, exit.pc, exit.len, target, sink);
        if let Some(signed) = &mut self.signed {
            signed.signature.flow(exit.pc, target);
        }
    }

    /// A message says `i_cnt` instructions, `own` of them with it, and carries `sent`.
    fn check(&mut self, i_cnt: u64, own: u64, sent: Option<u16>) -> Result<(), PathError> {
        let Some(signed) = &mut self.signed else { return Ok(()) };
        // a progress message of no instruction is never sent
        signed.signature.count(i_cnt.wrapping_sub(own));
        signed.check(sent, self.instructions)
    }

    /// A message says that the instruction at `pc` is the first behind a trap or in its context, after `i_cnt` others.
    fn sign_first(&mut self, pc: u64, i_cnt: u64, context: Option<Context>) {
        if let Some(Signed { signature, .. }) = self.signed.as_deref_mut() {
            signature.begin(pc);
            signature.count(i_cnt);
            signature.context(context);
        }
    }

    #[inline]
    fn retire(&mut self, count: u32) -> Result<(), PathError> {
        self.since += count;
        self.run += u64::from(count);
        self.instructions += u64::from(count);
        if self.run > self.limit {
            Err(PathError::NoProgress(self.limit))
        } else {
            Ok(())
        }
    }

    /// Instructions from here to the next control-flow instruction, and which that is.
    #[inline]
    pub fn next_run<'a>(&self, image: &'a Image) -> Result<(u32, &'a Exit), PathError> {
        let (count, exit) = image.run(self.pc).ok_or_else(|| PathError::no_code(image, self.pc))?;
        if exit.kind == ExitKind::End {
            Err(PathError::no_code(image, exit.pc))
        } else {
            Ok((count, exit))
        }
    }

    /// Retires up to the next control-flow instruction, that included; where the code ends, up to there.
    #[inline]
    pub fn run<'a>(&mut self, image: &'a Image) -> Result<&'a Exit, PathError> {
        let (count, exit) = image.run(self.pc).ok_or_else(|| PathError::no_code(image, self.pc))?;
        self.retire(count)?;
        Ok(exit)
    }

    /// Goes `length` instructions straight on, to the branch that ends the stream; it then counts as retired and waits
    /// to be resolved.
    #[inline]
    pub fn reach_stream_end<'a>(
        &mut self,
        image: &'a Image,
        mut length: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<&'a Exit, PathError> {
        loop {
            let (n, exit) = self.next_run(image)?;
            if u64::from(n) > length {
                return Err(PathError::NoBranch(image.skip(self.pc, length as u32 - 1).unwrap_or(self.pc)));
            }
            self.retire(n)?;
            length -= u64::from(n);
            if length == 0 {
                return match exit.kind {
                    ExitKind::Conditional | ExitKind::Indirect(..) | ExitKind::ConditionalIndirect(_) => Ok(exit),
                    ExitKind::Jump | ExitKind::Call | ExitKind::End => Err(PathError::NoBranch(exit.pc)),
                };
            }
            follow_straight(self, exit, sink)?;
        }
    }

    /// Goes exactly `count` instructions on.
    fn forward(
        &mut self,
        image: &Image,
        mut count: u64,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        while count > 0 {
            let (n, exit) = image.run(self.pc).ok_or_else(|| PathError::no_code(image, self.pc))?;
            if u64::from(n) > count || exit.kind == ExitKind::End {
                if u64::from(n) < count {
                    return Err(PathError::no_code(image, exit.pc));
                }
                self.retire(count as u32)?;
                self.pc = image.skip(self.pc, count as u32).ok_or_else(|| PathError::no_code(image, self.pc))?;
                return Ok(());
            }
            self.retire(n)?;
            count -= u64::from(n);
            path.follow(self, exit, sink)?;
        }
        Ok(())
    }

    /// Goes `count` instructions on, the last of which is a control-flow instruction; it then counts as retired and waits
    /// to be resolved.
    pub fn reach<'a>(
        &mut self,
        image: &'a Image,
        mut count: u64,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<&'a Exit, PathError> {
        loop {
            let (n, exit) = self.next_run(image)?;
            if u64::from(n) > count {
                let last = image.skip(self.pc, (count as u32).saturating_sub(1));
                return Err(PathError::NoBranch(last.unwrap_or(self.pc)));
            }
            self.retire(n)?;
            count -= u64::from(n);
            if count == 0 {
                return Ok(exit);
            }
            path.follow(self, exit, sink)?;
        }
    }

    /// The branch at which a resync was went to `pc`.
    fn resolve(&mut self, exit: &Exit, pc: u64, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let link = exit.pc + u64::from(exit.len);
        let (kind, known) = match exit.kind {
            ExitKind::Conditional if pc == link => (FlowKind::Conditional { taken: false }, link),
            ExitKind::Conditional => (FlowKind::Conditional { taken: true }, exit.target),
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) => (kind, pc),
            ExitKind::ConditionalIndirect(how) => (FlowKind::ConditionalIndirect { how, taken: pc != link }, pc),
            ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
        };
        self.tell_exit(kind, exit, known, sink);
        if pc == known {
            Ok(())
        } else {
            Err(PathError::OtherSync { sync: pc, pc: known })
        }
    }

    /// Whether `escape` cannot stand here.
    fn misplaced(&self, escape: &Escape) -> Option<&'static str> {
        match (self.state, escape) {
            (State::Stopped, _) => Some("a message follows the stop message of its core"),
            (State::Waiting | State::Lost(_), Escape::Sync { .. } | Escape::Stop { .. }) => None,
            (State::Waiting, _) => Some("a message stands before the first sync of its core"),
            (State::Lost(_), _) => Some("an overflow message is not followed by a sync"),
            (State::Resync, Escape::Sync { .. }) => None,
            (State::Resync, _) => Some("a resync is not followed by a sync"),
            (State::Running, Escape::Sync { .. }) => Some("a sync follows neither a resync nor an overflow"),
            (State::Running | State::Joining { .. }, _) => None,
        }
    }

    /// The next instruction, at `pc`, is in `context`.
    fn enter(&mut self, context: Context, alone: bool, pc: u64, sink: &mut impl ReplaySink) {
        if std::mem::replace(&mut self.context, context) == context {
            return;
        }
        let count = if alone { std::mem::take(&mut self.since) } else { 0 };
        let (hart, cycle, kind) = (self.index, self.cycle, FlowKind::Context { context, alone });
        sink.event(&FlowEvent { hart, kind, len: 0, count, pc, target: pc, cycle });
    }
}

/// The code of every context.
#[derive(Clone, Copy, Debug)]
pub struct Images<'a> {
    /// That of all contexts without one of their own.
    pub common: &'a Image,
    /// Those that have one.
    pub of: &'a [(Context, Image)],
}

impl<'a> From<&'a Image> for Images<'a> {
    fn from(common: &'a Image) -> Self {
        Self { common, of: &[] }
    }
}

impl<'a> Images<'a> {
    /// That of `context`.
    pub fn find(&self, context: Context) -> &'a Image {
        self.of.iter().find(|(of, _)| *of == context).map_or(self.common, |(_, image)| image)
    }
}

/// All harts of a stream.
#[derive(Clone, Debug)]
pub struct Lanes<'a> {
    images: Images<'a>,
    /// Of the context of each core.
    current_images: Vec<&'a Image>,
    harts: Vec<Hart>,
    /// Branches at which a resync was, and that wait for its sync, by core.
    open: Vec<Option<&'a Exit>>,
    stopped: usize,
    /// Core of the message that is read, once that is known.
    pub(crate) current: Option<u8>,
    /// Why the path of a core was found to be wrong by a message that is right.
    contradiction: Option<PathError>,
}

impl<'a> Lanes<'a> {
    /// Before the first message.
    pub fn new(images: Images<'a>, platform: &Platform, settle: u32) -> Self {
        let harts: Vec<_> = (0..platform.cores).map(|i| Hart::new(i, platform, settle)).collect();
        let current_images = harts.iter().map(|h| images.find(h.context)).collect();
        let open = vec![None; platform.cores.into()];
        Self { images, current_images, harts, open, stopped: 0, current: None, contradiction: None }
    }

    /// Behind a resync nothing is predicted for so many instructions.
    pub fn settle_for(&mut self, instructions: u32) {
        self.harts.iter_mut().for_each(|hart| hart.settle = instructions.into());
    }

    /// Behind a header, and nothing before it is known, or no longer; `again` says that it was sent again.
    pub fn join(&mut self, again: bool) {
        self.stopped = 0;
        self.open.fill(None);
        for (core, hart) in self.harts.iter_mut().enumerate() {
            if let Some(signed) = &mut hart.signed {
                signed.known = !again && hart.state == State::Waiting;
                // that of core 0 stands before its header
                signed.marker = (again && core == 0).then_some((None, 0));
            }
            let gap = !matches!(hart.state, State::Waiting | State::Stopped | State::Joining { gap: false, .. });
            hart.asked = again;
            hart.state = match (again, gap) {
                (true, gap) => State::Joining { gap },
                (false, true) => State::Lost(0),
                (false, false) => State::Waiting,
            };
            hart.cycle = 0;
            hart.since = 0;
            hart.run = 0;
            (hart.pc, hart.instructions) = hart.accepted;
        }
    }

    /// The header was sent again: times of all cores count from there.
    pub fn header(&mut self) {
        let cycle = self.harts[0].cycle;
        for hart in &mut self.harts {
            hart.cycle = cycle;
            hart.asked = true;
        }
    }

    /// Instructions that signatures have confirmed, by core, where messages carry them.
    pub fn confirmed(&self) -> Option<Vec<u64>> {
        self.harts.iter().map(|h| h.signed.as_ref().map(|signed| signed.confirmed)).collect()
    }

    /// Instructions of accepted messages, by core.
    pub fn instructions(&self) -> Vec<u64> {
        self.harts.iter().map(|h| h.accepted.1).collect()
    }

    /// Whether every core has stopped.
    #[inline]
    pub fn ended(&self) -> bool {
        self.stopped == self.harts.len()
    }

    /// Hart `core`.
    #[inline]
    pub fn hart(&mut self, core: u8) -> &mut Hart {
        &mut self.harts[usize::from(core)]
    }

    /// The program, and hart `core`, of which a branch is reported.
    #[inline]
    pub fn running(&mut self, core: u8) -> Result<(&'a Image, &mut Hart), PathError> {
        self.current = Some(core);
        let hart = &mut self.harts[usize::from(core)];
        if hart.state != State::Running {
            return Err(PathError::OutOfPlace("a branch is reported outside a sync"));
        }
        Ok((self.current_images[usize::from(core)], hart))
    }

    /// Takes why the path of a core was wrong, where the message that was read last has shown it. That message is right: the
    /// core goes on with its sync, behind a gap.
    #[inline]
    pub fn contradiction(&mut self) -> Option<PathError> {
        self.contradiction.take()
    }

    /// After a header, what is sent of a core up to its sync does not depend on its path. So when that turns out to be wrong (`e`),
    /// only this core has lost it.
    pub fn lose_path(&mut self, core: u8, e: PathError, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let hart = &mut self.harts[usize::from(core)];
        if !hart.asked || !matches!(hart.state, State::Running | State::Resync) {
            return Err(e);
        }
        hart.lose_path();
        self.open[usize::from(core)] = None;
        self.contradiction = Some(e);
        sink.retract();
        Ok(())
    }

    /// Replays an escape message; `path` is its core's.
    pub fn escape(
        &mut self,
        message: &Message,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        let cycle = self.hart(message.core).cycle;
        match self.replay_escape(message, path, sink) {
            Err(e) => {
                self.lose_path(message.core, e, sink)?;
                self.hart(message.core).cycle = cycle;
                self.replay_escape(message, path, sink)
            }
            done => done,
        }
    }

    fn replay_escape(
        &mut self,
        message: &Message,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        let Body::Escape(escape) = message.body else { return Ok(()) };
        self.current = Some(message.core);
        let hart = &mut self.harts[usize::from(message.core)];
        if let Some(why) = hart.misplaced(&escape) {
            return Err(PathError::OutOfPlace(why));
        }
        let open = &mut self.open[usize::from(message.core)];
        let current = &mut self.current_images[usize::from(message.core)];
        let image = *current;
        match (hart.state, escape) {
            (State::Running, Escape::Resync { i_cnt, .. }) => *open = Some(hart.reach(image, i_cnt, path, sink)?),
            (State::Running, _) => hart.forward(image, escape.i_cnt(), path, sink)?,
            // counted from before the header
            (State::Joining { .. }, _) => {}
            (State::Waiting | State::Resync | State::Lost(_) | State::Stopped, _) if escape.i_cnt() == 0 => {}
            _ => return Err(PathError::OutOfPlace("instructions are counted outside a sync")),
        }
        hart.cycle += message.diff_cc;
        let pc = hart.pc;
        // of a core that is not known yet, its sync will say it
        let known = !matches!(hart.state, State::Joining { .. });
        match escape {
            Escape::Exception { target, context, .. } if known => {
                if let Some(context) = context {
                    hart.enter(context, false, target, sink);
                }
                hart.tell(FlowKind::Trap { interrupt: false, cause: 0 }, pc, 0, target, sink);
                hart.sign_first(target, escape.i_cnt(), context);
            }
            Escape::Context { context, .. } if known => {
                hart.enter(context, true, pc, sink);
                hart.sign_first(pc, escape.i_cnt(), Some(context));
            }
            Escape::Exception { .. } | Escape::Context { .. } => {}
            Escape::Sync { pc: target, context, .. } => {
                if let Some(context) = context.filter(|_| hart.state != State::Resync) {
                    hart.enter(context, false, target, sink);
                }
                let keeps = !hart.asked && matches!(hart.state, State::Lost(_));
                match hart.state {
                    State::Resync => {
                        if let Some(exit) = open.take() {
                            hart.resolve(exit, target, sink)?;
                        }
                        let marker = hart.signed.as_ref().and_then(|signed| signed.marker);
                        if let Some((sent, i_cnt)) = marker {
                            hart.check(i_cnt, 1, sent)?;
                        }
                    }
                    State::Waiting | State::Running | State::Stopped => {
                        hart.tell(FlowKind::Start, target, 0, target, sink);
                    }
                    State::Lost(lost) => hart.tell(FlowKind::Gap { lost }, pc, 0, target, sink),
                    State::Joining { gap } => {
                        let kind = if gap { FlowKind::Gap { lost: 0 } } else { FlowKind::Start };
                        hart.tell(kind, if gap { pc } else { target }, 0, target, sink);
                    }
                }
                let settles = std::mem::take(&mut hart.asked);
                if keeps {
                    path.rejoin();
                } else {
                    path.reset();
                    hart.settled = if settles { hart.instructions + hart.settle } else { 0 };
                }
                if let Some(signed) = &mut hart.signed {
                    signed.sync(target, keeps, context, hart.instructions);
                }
                hart.state = State::Running;
            }
            Escape::Resync { i_cnt, signature } => {
                if let Some(signed) = &mut hart.signed {
                    signed.marker = Some((signature, i_cnt));
                }
                match &mut hart.state {
                    State::Joining { .. } => {}
                    state => *state = State::Resync,
                }
            }
            Escape::Overflow { lost, i_cnt } => match &mut hart.state {
                State::Joining { .. } => {}
                state => {
                    *state = State::Lost(lost.try_into().unwrap_or(u32::MAX));
                    hart.check(i_cnt, 0, None)?;
                }
            },
            Escape::Stop { i_cnt, signature } => {
                hart.check(i_cnt, 0, signature)?;
                match hart.state {
                    State::Running => hart.tell(FlowKind::Stop, pc, 0, pc, sink),
                    // the trace ends inside a gap: where the hart stood then is not known
                    State::Lost(lost) => hart.tell(FlowKind::Gap { lost }, pc, 0, pc, sink),
                    State::Waiting | State::Joining { .. } | State::Resync | State::Stopped => {}
                }
                hart.state = State::Stopped;
                self.stopped += 1;
            }
            Escape::Progress { i_cnt, signature } => hart.check(i_cnt, 1, signature)?,
        }
        *current = self.images.find(hart.context);
        Ok(())
    }
}
