//! One hart: follows the program from message to message

use super::signature_check::SignatureCheck;
use super::{follow_straight, Path, PathError, ReplaySink};
use crate::core_trace::signature::Signature;
use crate::message::Escape;
use crate::platform::Platform;
use crate::sequential;
use retire::image::{Exit, ExitKind, Image, When};
use retire::{Context, FlowEvent, FlowKind};

/// State of a hart: whether it can be advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No sync yet.
    Waiting,
    /// Reading began at a repeated header, and no sync followed yet. `gap`: the core was known before.
    Joining { gap: bool },
    /// The path is known.
    Running,
    /// Between a resync and its sync.
    Resync,
    /// Between an overflow and its sync; the number of lost instructions.
    Lost(u32),
    /// After the stop.
    Stopped,
}

/// A hart of a stream.
#[derive(Clone, Debug)]
pub struct Hart {
    pub(super) index: u8,
    pub(super) state: State,
    /// Address that the path has reached.
    pub pc: u64,
    /// Cycle of the last message.
    pub cycle: u64,
    /// Cycle of the last reported event: the moment of code that changes with time.
    pub(super) reported: u64,
    /// Cycle of the message that is being replayed; the maximum where cycles are not counted from the beginning.
    until: u64,
    /// Instructions since the last reported event.
    pub(super) since: u32,
    /// Instructions since the last message, and their maximum.
    pub(super) run: u64,
    pub(super) limit: u64,
    pub(super) instructions: u64,
    /// Instructions lost in gaps, which count for the moments of code that changes; `None` after a gap of unknown length.
    pub(super) lost: Option<u64>,
    /// End of the warm-up, and its length after a resync, in instructions.
    pub(super) warm_up_end: u64,
    pub(super) warm_up: u64,
    /// The header was repeated, and no sync followed yet: decoders that begin at the header start at that sync.
    pub(super) after_header: bool,
    /// Context of the next instruction, if contexts are reported.
    pub(super) context: Context,
    /// `pc` and `instructions` after the last accepted message.
    pub(super) accepted: (u64, u64),
    /// Where jumps are inferred: the mask of their targets.
    pub(super) infers: Option<u64>,
    /// Target of the last control-flow instruction, if it is inferred.
    inferred: Option<u64>,
    /// If messages carry signatures.
    pub(super) signature_check: Option<Box<SignatureCheck>>,
}

impl Hart {
    pub(super) fn new(index: u8, platform: &Platform, warm_up: u32) -> Self {
        Self {
            index,
            state: State::Waiting,
            pc: 0,
            cycle: 0,
            reported: 0,
            until: 0,
            since: 0,
            run: 0,
            limit: 1 << platform.count_bits,
            instructions: 0,
            lost: Some(0),
            warm_up_end: 0,
            warm_up: warm_up.into(),
            after_header: false,
            context: platform.reported(Context::RESET),
            accepted: (0, 0),
            infers: None,
            inferred: None,
            signature_check: Signature::of(platform).map(|signature| {
                Box::new(SignatureCheck {
                    signature,
                    known: true,
                    marker: None,
                    maybe_marker: false,
                    confirmed: 0,
                    since: 0,
                })
            }),
        }
    }

    /// The moment of the next instruction.
    #[inline]
    pub fn when(&self) -> When {
        let retired = self.lost.map_or(When::UNKNOWN, |lost| self.instructions.saturating_add(lost));
        When { hart: self.index, retired, cycle: self.reported, until: self.until }
    }

    /// Begins with a message that is `cycles` after the previous one.
    #[inline(always)]
    pub fn begin(&mut self, cycles: u64) {
        self.until = self.until.max(self.cycle + cycles);
    }

    /// Restarts the cycles; `unknown`: not at the beginning of the trace.
    pub(super) fn restart_cycles(&mut self, unknown: bool) {
        (self.cycle, self.reported) = (0, 0);
        self.until = if unknown { u64::MAX } else { 0 };
    }

    /// Counts `lost` instructions of a gap; 0 and the maximum are an unknown number.
    pub(super) fn lose(&mut self, lost: u32) {
        let known = !matches!(lost, 0 | u32::MAX);
        self.lost = self.lost.filter(|_| known).map(|before| before + u64::from(lost));
    }

    /// Whether the last retired instruction is in the warm-up: nothing is predicted or learnt.
    #[inline]
    pub fn in_warm_up(&self) -> bool {
        self.instructions <= self.warm_up_end
    }

    /// Whether the next instruction is in the warm-up.
    #[inline]
    pub fn next_in_warm_up(&self) -> bool {
        self.instructions < self.warm_up_end
    }

    /// A message of this hart, or a part of it with its own counter, was read completely.
    #[inline]
    pub fn message_done(&mut self) {
        self.run = 0;
    }

    /// Accepts a message of this hart: it is valid as a whole and follows the program.
    #[inline]
    pub fn accept(&mut self) {
        self.message_done();
        self.accepted = (self.pc, self.instructions);
    }

    /// Discards the path, which was wrong since an accepted message, and waits for a sync as if reading began at the header.
    pub(super) fn lose_path(&mut self) {
        self.state = State::Joining { gap: true };
        (self.pc, self.instructions) = self.accepted;
        (self.since, self.run) = (0, 0);
        if let Some(signature_check) = &mut self.signature_check {
            signature_check.known = false;
        }
    }

    /// Reports `kind` at the current position.
    #[inline(always)]
    pub(super) fn report(&mut self, kind: FlowKind, pc: u64, len: u8, target: u64, sink: &mut impl ReplaySink) {
        let count = std::mem::take(&mut self.since);
        self.reported = self.cycle;
        sink.event(&FlowEvent { hart: self.index, kind, len, count, pc, target, cycle: self.cycle });
        self.pc = target;
    }

    /// Reports that `exit` went to `target`.
    #[inline(always)]
    pub fn report_exit(&mut self, kind: FlowKind, exit: &Exit, target: u64, sink: &mut impl ReplaySink) {
        self.report(kind, exit.pc, exit.len, target, sink);
        if let Some(signature_check) = &mut self.signature_check {
            signature_check.flow(exit.pc, target);
        }
    }

    /// Checks the signature `sent` of a message that counts `i_cnt` instructions, `own` of them retiring with it.
    pub(super) fn check(&mut self, i_cnt: u64, own: u64, sent: Option<u16>) -> Result<(), PathError> {
        let Some(signature_check) = &mut self.signature_check else { return Ok(()) };
        // wraps for a progress message without instructions, which is never sent
        signature_check.signature.count(i_cnt.wrapping_sub(own));
        signature_check.check(sent, self.instructions)
    }

    /// Enters the instruction at `pc`: the first after a trap or a context change, which `i_cnt` others precede.
    pub(super) fn sign_first(&mut self, pc: u64, i_cnt: u64, context: Option<Context>) {
        if let Some(SignatureCheck { signature, maybe_marker, .. }) = self.signature_check.as_deref_mut() {
            *maybe_marker = false;
            signature.begin(pc);
            signature.count(i_cnt);
            signature.context(context);
        }
    }

    /// Target of the control-flow instruction that retired last, if it is an indirect jump that is inferred.
    #[inline]
    pub fn inferred(&self) -> Option<u64> {
        self.inferred
    }

    /// Retires `count` instructions up to and including `exit`.
    #[inline(always)]
    fn leave(&mut self, image: &Image, (count, exit): (u32, &Exit)) -> Result<(), PathError> {
        if let Some(mask) = self.infers {
            self.inferred = sequential::exit_target(image, (self.pc, self.when()), exit, mask);
        }
        self.retire(count)
    }

    #[inline(always)]
    pub(super) fn retire(&mut self, count: u32) -> Result<(), PathError> {
        self.since += count;
        self.run += u64::from(count);
        self.instructions += u64::from(count);
        if self.run > self.limit {
            Err(PathError::NoProgress(self.limit))
        } else {
            Ok(())
        }
    }

    /// The next control-flow instruction, and the number of instructions up to and including it.
    #[inline]
    pub fn next_run<'a>(&self, image: &'a Image) -> Result<(u32, &'a Exit), PathError> {
        let (count, exit) =
            image.run_at(self.pc, self.when()).ok_or_else(|| PathError::no_code(image, self.pc, self.when()))?;
        if exit.kind == ExitKind::End {
            Err(PathError::no_code(image, exit.pc, self.when()))
        } else {
            Ok((count, exit))
        }
    }

    /// Retires instructions up to and including the next control-flow instruction, or up to the end of the code.
    #[inline(always)]
    pub fn run<'a>(&mut self, image: &'a Image) -> Result<&'a Exit, PathError> {
        let (count, exit) =
            image.run_at(self.pc, self.when()).ok_or_else(|| PathError::no_code(image, self.pc, self.when()))?;
        self.leave(image, (count, exit))?;
        Ok(exit)
    }

    /// Advances `length` instructions straight ahead, to the branch that ends the stream. The branch counts as retired but is
    /// not yet resolved.
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
                return Err(PathError::NoBranch(
                    image.skip_at(self.pc, length as u32 - 1, self.when()).unwrap_or(self.pc),
                ));
            }
            self.leave(image, (n, exit))?;
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

    /// Advances exactly `count` instructions.
    pub(super) fn advance(
        &mut self,
        image: &Image,
        mut count: u64,
        path: &mut impl Path,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        while count > 0 {
            let (n, exit) =
                image.run_at(self.pc, self.when()).ok_or_else(|| PathError::no_code(image, self.pc, self.when()))?;
            if u64::from(n) > count || exit.kind == ExitKind::End {
                if u64::from(n) < count {
                    return Err(PathError::no_code(image, exit.pc, self.when()));
                }
                let when = self.when();
                self.retire(count as u32)?;
                let end = image.skip_at(self.pc, count as u32, when);
                self.pc = end.ok_or_else(|| PathError::no_code(image, self.pc, when))?;
                return Ok(());
            }
            self.leave(image, (n, exit))?;
            count -= u64::from(n);
            path.follow(self, exit, sink)?;
        }
        Ok(())
    }

    /// Advances `count` instructions, the last of which is a control-flow instruction. That one counts as retired but is not
    /// yet resolved.
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
                let last = image.skip_at(self.pc, (count as u32).saturating_sub(1), self.when());
                return Err(PathError::NoBranch(last.unwrap_or(self.pc)));
            }
            self.leave(image, (n, exit))?;
            count -= u64::from(n);
            if count == 0 {
                return Ok(exit);
            }
            path.follow(self, exit, sink)?;
        }
    }

    /// Resolves the branch of a resync: it went to `pc`.
    pub(super) fn resolve(&mut self, exit: &Exit, pc: u64, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let link = exit.pc + u64::from(exit.len);
        let (kind, known) = match exit.kind {
            ExitKind::Conditional if pc == link => (FlowKind::Conditional { taken: false }, link),
            ExitKind::Conditional => (FlowKind::Conditional { taken: true }, exit.target),
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) => (kind, self.inferred.unwrap_or(pc)),
            ExitKind::ConditionalIndirect(how) => (FlowKind::ConditionalIndirect { how, taken: pc != link }, pc),
            ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
        };
        self.report_exit(kind, exit, known, sink);
        if pc == known {
            Ok(())
        } else {
            Err(PathError::SyncMismatch { sync: pc, pc: known })
        }
    }

    /// Why `escape` is not allowed in this state; `None` if it is.
    pub(super) fn misplaced(&self, escape: &Escape) -> Option<&'static str> {
        match (self.state, escape) {
            (State::Stopped, _) => Some("a message follows the stop message of its core"),
            (State::Waiting | State::Lost(_), Escape::Sync { .. } | Escape::Stop { .. }) => None,
            (State::Waiting, _) => Some("a message precedes the first sync of its core"),
            (State::Lost(_), _) => Some("an overflow message is not followed by a sync"),
            (State::Resync, Escape::Sync { .. }) => None,
            (State::Resync, _) => Some("a resync is not followed by a sync"),
            (State::Running, Escape::Sync { .. }) => Some("a sync follows neither a resync nor an overflow"),
            (State::Running | State::Joining { .. }, _) => None,
        }
    }

    /// Sets the `context` of the next instruction, at `pc`.
    pub(super) fn enter(&mut self, context: Context, alone: bool, pc: u64, sink: &mut impl ReplaySink) {
        if std::mem::replace(&mut self.context, context) == context {
            return;
        }
        let count = if alone { std::mem::take(&mut self.since) } else { 0 };
        self.reported = self.cycle;
        let (hart, cycle, kind) = (self.index, self.cycle, FlowKind::Context { context, alone });
        sink.event(&FlowEvent { hart, kind, len: 0, count, pc, target: pc, cycle });
    }
}
