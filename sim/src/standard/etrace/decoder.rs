//! Decoder of the packets of one hart
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 11, "Decoder"; instructions in sequence are taken in one step.
//!
//! # Where the specification is ambiguous
//! - `irdepth` means both "this return failed" and "the stack had this depth before a synchronization" (issue 254 of
//!   the specification). A return at that depth is taken as the failed one only if all branches before the address were
//!   executed; otherwise it is implicit.
//! - After an implicit return, an address without `notify` ends the path if the depth is reported, or is 0.
//! - The last instruction of a trace is left out if it is a jump whose target no packet reports.

use super::super::output::Output;
use super::super::{Counts, Fault, MAX_JUMPS};
use super::branchless::{leads_back, Omitted};
use super::packet::{self, is_extended, Address, ContextFields, Outcomes, Packet, Status, To};
use super::params::{Modes, Parameters};
use super::tables::Tables;
use crate::sequential;
use retire::image::{Exit, ExitKind, Image};
use retire::{Context, FlowKind, NullSink, RetireSink};

/// Where a packet leads.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// The address; `None`: the last branch.
    address: Option<u64>,
    /// Branches that are left there: 1 if the instruction is a branch.
    left: u64,
    /// Only an uninferable jump leads to it.
    only_by_jump: bool,
    notify: bool,
    depth: Option<u64>,
    /// It is a synchronization, which instructions in sequence may reach.
    sync: bool,
}

impl Goal {
    const BRANCH: Self = Self { address: None, left: 1, only_by_jump: false, notify: false, depth: None, sync: false };
}

/// A trap whose handler is not known yet.
#[derive(Clone, Copy, Debug)]
struct Trap {
    kind: FlowKind,
    epc: u64,
}

/// Decoder of one hart.
#[derive(Debug)]
pub struct Decoder<'a> {
    image: &'a Image,
    p: Parameters,
    mask: u64,
    modes: Modes,
    tables: Tables,
    out: Output,
    /// Last reported address.
    last: u64,
    /// Last retired instruction, and the first one from which on all were executed in sequence.
    pc: u64,
    from: u64,
    /// Outcome of the branch at `pc`, if already reported.
    own: Option<bool>,
    outcomes: Outcomes,
    /// The last packet may mean a later visit of its address. One of formats 0 to 2 says that it does.
    inferred: Option<Goal>,
    trap: Option<Trap>,
    /// `pc`, `from` and `own` when the events were last accepted.
    before: (u64, u64, Option<bool>),
    /// Whether the payloads are compressed, so that bits after the fields are a fault.
    strict: bool,
}

const NO_BRANCH: Outcomes = Outcomes::Map { map: 0, count: 0 };

impl<'a> Decoder<'a> {
    /// A decoder before the first packet. `p` must be valid, and have a width of addresses.
    pub fn new(p: &Parameters, hart: u8, strict: bool, image: &'a Image) -> Self {
        Self {
            image,
            mask: u64::MAX >> (64 - p.iaddress_width_p.max(1)),
            modes: p.modes(),
            tables: Tables::new(p),
            p: p.clone(),
            out: Output::new(hart),
            last: 0,
            pc: 0,
            from: 0,
            own: None,
            outcomes: NO_BRANCH,
            inferred: None,
            trap: None,
            before: (0, 0, None),
            strict,
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> &Counts {
        &self.out.counts
    }

    /// A time stamp of the container.
    pub(super) fn at(&mut self, time: u64) {
        self.out.counts.at(time);
    }

    /// Takes a payload; returns the number of bytes that its packet has without compression, 1 if it cannot be read.
    /// After a fault, the events continue at the next synchronization.
    pub fn take(&mut self, payload: &[u8], sink: &mut impl RetireSink) -> (usize, Result<(), Fault>) {
        self.out.counts.packets += 1;
        self.before = (self.pc, self.from, self.own);
        let read = packet::read(payload, &self.p, &self.modes);
        let used = read.as_ref().map_or(1, |(_, used)| *used);
        let taken = read.and_then(|(packet, used)| {
            if self.strict && !is_extended(payload, used) {
                return Err(Fault::Content("bits after the fields of a packet"));
            }
            self.packet(packet, sink)
        });
        match taken {
            Ok(()) => self.out.accept(sink),
            Err(_) => {
                // back to where the path was when its events were last accepted
                (self.pc, self.from, self.own) = self.before;
                self.out.refuse();
                (self.outcomes, self.trap) = (NO_BRANCH, None);
                let next = self.end_path();
                self.out.lose(next);
                self.out.accept(sink);
                self.forget();
            }
        }
        (used, taken)
    }

    fn forget(&mut self) {
        (self.inferred, self.trap, self.outcomes, self.own) = (None, None, NO_BRANCH, None);
    }

    /// The container lost packets, or has bytes that are none.
    pub fn lost(&mut self, sink: &mut impl RetireSink) {
        self.out.miss();
        self.leave(sink);
    }

    /// Ends the known part of the path.
    fn leave(&mut self, sink: &mut impl RetireSink) {
        if self.out.is_running() {
            let next = self.end_path();
            self.out.lose(next);
            self.out.accept(sink);
        }
        self.forget();
    }

    /// Ends the events.
    pub fn finish(&mut self, sink: &mut impl RetireSink) {
        let next = self.end_path();
        self.out.end(next, sink);
    }

    /// Moves past the last instruction, and returns the next PC. An instruction whose successor is not known does not
    /// count.
    fn end_path(&mut self) -> u64 {
        if !self.out.is_running() {
            return self.pc;
        }
        if self.own.is_none() && self.left() == 1 {
            self.own = self.outcome(self.pc);
        }
        let Ok((count, exit)) = self.run() else { return self.pc };
        let known = match exit.kind {
            ExitKind::Jump | ExitKind::Call => true,
            ExitKind::Conditional => self.own.is_some(),
            ExitKind::Indirect(..) | ExitKind::ConditionalIndirect(_) | ExitKind::End => false,
        };
        if count > 1 {
            self.pc = self.image.skip(self.pc, 1).unwrap_or(self.pc);
        } else if !known || self.execute(&exit, &Goal::BRANCH).is_err() {
            self.out.since = self.out.since.saturating_sub(1);
        }
        self.pc
    }

    fn outside(&self) -> Fault {
        Fault::OutsideCode(self.pc)
    }

    /// The next branch or jump, and the number of instructions up to it.
    fn run(&self) -> Result<(u32, Exit), Fault> {
        let (count, exit) = self.image.run(self.pc).ok_or_else(|| self.outside())?;
        // what follows the code counts as an instruction that cannot be executed
        Ok((count + u32::from(exit.kind == ExitKind::End), *exit))
    }

    fn is_branch(&self, pc: u64) -> bool {
        self.image.run(pc).is_some_and(|(count, exit)| count == 1 && exit.kind == ExitKind::Conditional)
    }

    /// Branches whose outcomes are reported and that the path has not executed.
    fn left(&self) -> u64 {
        u64::from(self.own.is_some())
            + match self.outcomes {
                Outcomes::Map { count, .. } => count.into(),
                Outcomes::Predicted { correct, fails } => correct + u64::from(fails),
            }
    }

    /// The next outcome, of the branch at `pc`.
    fn outcome(&mut self, pc: u64) -> Option<bool> {
        if let Some(taken) = self.own.take() {
            return Some(taken);
        }
        match &mut self.outcomes {
            Outcomes::Map { count: 0, .. } | Outcomes::Predicted { correct: 0, fails: false } => None,
            Outcomes::Map { map, count } => {
                let taken = *map & 1 == 0;
                (*map, *count) = (*map >> 1, *count - 1);
                Some(taken)
            }
            Outcomes::Predicted { correct: 0, fails } => {
                *fails = false;
                Some(!self.tables.predict(pc))
            }
            Outcomes::Predicted { correct, .. } => {
                *correct -= 1;
                Some(self.tables.predict(pc))
            }
        }
    }

    /// Retires `count` instructions in sequence, the last one at `pc`.
    fn retire(&mut self, count: u32, pc: u64) {
        self.out.retire(count);
        self.pc = pc;
    }

    /// Target of the indirect jump at `exit` if no packet reports it.
    fn inferable(&mut self, exit: &Exit, kind: FlowKind, goal: &Goal) -> Option<u64> {
        if self.modes.sijump && kind != FlowKind::TrapReturn {
            if let Some(target) = sequential::target(self.image, self.from, exit.pc) {
                return Some(target & self.mask);
            }
        }
        let fails = goal.depth == Some(self.tables.returns.depth()) && self.left() == goal.left;
        if kind != FlowKind::Return || !self.modes.implicit_return || fails {
            return None;
        }
        self.tables.returns.pop()
    }

    /// Executes the branch or jump at `pc`. Returns whether a reported address was used.
    fn execute(&mut self, exit: &Exit, goal: &Goal) -> Result<bool, Fault> {
        let over = exit.pc.wrapping_add(exit.len.into());
        let mut reported = false;
        let (kind, target) = match exit.kind {
            ExitKind::Conditional => {
                let taken = self.outcome(exit.pc).ok_or(Fault::Content("a branch without an outcome"))?;
                self.tables.outcome(exit.pc, taken);
                let target = if taken { exit.target } else { over };
                (FlowKind::Conditional { taken: target != over }, target)
            }
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) => match self.inferable(exit, kind, goal) {
                Some(target) => (kind, target),
                None => {
                    reported = true;
                    (kind, goal.address.ok_or(Fault::Content("a jump without a target"))?)
                }
            },
            ExitKind::ConditionalIndirect(_) => return Err(Fault::Content("a conditional indirect branch")),
            ExitKind::End => return Err(self.outside()),
        };
        self.out.event(kind, exit.len, exit.pc, target);
        if matches!(kind, FlowKind::Call | FlowKind::IndirectCall) && self.modes.implicit_return {
            self.tables.returns.call(over);
        }
        (self.pc, self.from) = (target, target);
        Ok(reported)
    }

    /// Whether the path may end at its goal without a reported jump; `returned`: an implicit return leads there.
    fn may_stop(&self, goal: &Goal, returned: bool) -> bool {
        let depth = self.tables.returns.depth();
        self.left() == goal.left
            && (goal.notify
                || !goal.only_by_jump && goal.depth.map_or(!returned || goal.sync || depth == 0, |d| d == depth))
    }

    /// Follows the path to the goal. Returns whether a later visit may be meant.
    fn follow(&mut self, goal: &Goal, sink: &mut impl RetireSink) -> Result<bool, Fault> {
        self.walk(goal, 0, sink)
    }

    /// Whether the rest of the path leads to the goal, as [`Self::walk`] finds it. Nothing is reported, and the position stays.
    fn rehearse(&mut self, goal: &Goal, jumps: u32) -> Result<(), Fault> {
        let before = (self.tables.clone(), self.pc, self.from, self.own, self.outcomes);
        self.out.mute(true);
        let result = self.walk(goal, jumps, &mut NullSink);
        self.out.mute(false);
        (self.tables, self.pc, self.from, self.own, self.outcomes) = before;
        result.map(|_| ())
    }

    /// As [`Self::follow`], after this many jumps without a branch between them.
    fn walk(&mut self, goal: &Goal, mut jumps: u32, sink: &mut impl RetireSink) -> Result<bool, Fault> {
        let uncertain = !goal.notify;
        let mut rehearsed = false;
        loop {
            if self.out.is_full() {
                // events of a long packet are reported before its end, but not before its end is known to be right
                if !rehearsed {
                    self.rehearse(goal, jumps)?;
                    rehearsed = true;
                }
                self.out.accept(sink);
                self.before = (self.pc, self.from, self.own);
            }
            let (count, exit) = self.run()?;
            if count > 1 {
                let ahead = goal.address.filter(|a| self.pc < *a && *a <= exit.pc && self.may_stop(goal, false));
                let steps = ahead.and_then(|a| (1..count).find(|n| self.image.skip(self.pc, *n) == Some(a)));
                if let (Some(address), Some(steps)) = (ahead, steps) {
                    self.retire(steps, address);
                    return Ok(uncertain);
                }
                self.retire(count - 1, exit.pc);
            } else {
                let reported = self.execute(&exit, goal)?;
                self.out.retire(1);
                if reported {
                    self.tables.jumped(self.pc);
                    if self.left() != goal.left {
                        return Err(Fault::Content("branches after the address that ends them"));
                    }
                    return Ok(false);
                }
                let returned = matches!(exit.kind, ExitKind::Indirect(..));
                if goal.address == Some(self.pc) && self.may_stop(goal, returned) {
                    return Ok(uncertain);
                }
                jumps = if exit.kind == ExitKind::Conditional { 0 } else { jumps + 1 };
                if jumps > MAX_JUMPS {
                    return Err(Fault::Content("an endless loop that does not reach the address"));
                }
            }
            if goal.address.is_none() && self.left() == 1 && self.is_branch(self.pc) {
                return Ok(false);
            }
        }
    }

    /// Continues to the later visit of the last packet's address.
    fn confirm(&mut self, sink: &mut impl RetireSink) -> Result<(), Fault> {
        if let Some(goal) = self.inferred.take() {
            self.follow(&Goal { only_by_jump: true, ..goal }, sink)?;
        }
        Ok(())
    }

    /// Goal of an address.
    fn goal(&self, address: u64) -> Goal {
        Goal { address: Some(address), left: u64::from(self.is_branch(address)), ..Goal::BRANCH }
    }

    /// The packets said nothing of how the path came to `pc`: of a loop there it has one pass.
    fn count_loop(&mut self) {
        let returns = self.modes.implicit_return.then(|| self.tables.returns.clone());
        let omitted = Omitted { returns, sijump: self.modes.sijump };
        self.out.counts.branchless_loops += u64::from(leads_back(self.image, self.pc, omitted));
    }

    fn packet(&mut self, packet: Packet, sink: &mut impl RetireSink) -> Result<(), Fault> {
        match packet {
            Packet::Path(outcomes, to) if self.out.is_running() && self.trap.is_none() => self.path(outcomes, to, sink),
            Packet::Path(..) => {
                self.out.counts.unsynchronized += 1;
                Ok(())
            }
            Packet::Start { branch, context_fields, address } => self.start(branch, context_fields, address, sink),
            Packet::Trap { branch, context_fields, cause, interrupt, handler, address } => {
                let cause = u8::try_from(cause).map_err(|_| Fault::Value {
                    what: "a cause of",
                    value: cause,
                    right: "at most 255",
                })?;
                let kind = FlowKind::Trap { interrupt, cause };
                self.trapped(kind, branch, context_fields, handler, address)
            }
            Packet::Context(context_fields) => {
                // imprecise: in force from about here; a recording has it with the next synchronization
                self.enter(context_fields);
                Ok(())
            }
            Packet::Support { status, modes } => {
                self.modes = modes;
                match status {
                    Status::NoChange => return Ok(()),
                    Status::EndedAnyway if self.out.is_running() => self.confirm(sink)?,
                    Status::EndedAnyway | Status::EndedReported => {}
                    Status::Lost => self.out.miss(),
                }
                if self.out.is_running() && status != Status::Lost {
                    self.out.counts.pauses += 1;
                    if self.inferred.take().is_some() {
                        self.count_loop();
                    }
                }
                self.leave(sink);
                Ok(())
            }
        }
    }

    /// Enters time, and returns the context.
    fn enter(&mut self, context_fields: ContextFields) -> Context {
        if let Some(time) = context_fields.time {
            self.out.counts.at(time);
        }
        let before = self.out.context();
        let id = context_fields.context.map_or(before.id(), |id| id as u32 & (u32::MAX >> 2));
        // a privilege of one bit is that of a hart with M and U mode
        let privilege = match self.p.privilege_width_p {
            0 => before.privilege(),
            1 => context_fields.privilege * 3,
            _ => context_fields.privilege,
        };
        Context::new(privilege, id)
    }

    fn path(&mut self, outcomes: Outcomes, to: To, sink: &mut impl RetireSink) -> Result<(), Fault> {
        self.confirm(sink)?;
        // the branch at which the last packet ended has its outcome there
        if self.own.is_none() && self.left() == 1 {
            self.own = self.outcome(self.pc);
        }
        if self.left() > u64::from(self.own.is_some()) {
            return Err(Fault::Content("outcomes are left of the packet before"));
        }
        self.outcomes = outcomes;
        let goal = match to {
            To::Branch => Goal::BRANCH,
            To::Address(Address { value, notify, updiscon, depth }) => {
                let base = if self.modes.full_address { 0 } else { self.last };
                let address = base.wrapping_add(value) & self.mask;
                Goal { notify, only_by_jump: updiscon, depth, ..self.goal(address) }
            }
            To::Index(index, depth) => {
                let address =
                    self.tables.target(index).ok_or(Fault::Content("an empty entry of the jump target cache"))?;
                Goal { depth, ..self.goal(address) }
            }
        };
        self.last = goal.address.unwrap_or(self.last);
        self.inferred = self.follow(&goal, sink)?.then_some(goal);
        Ok(())
    }

    /// Begins at a synchronization.
    fn begin(&mut self, branch: bool, address: u64) {
        self.tables.reset();
        self.outcomes = NO_BRANCH;
        self.inferred = None;
        (self.last, self.from) = (address, address);
        self.retire(1, address);
        self.own = self.is_branch(address).then_some(!branch);
    }

    fn start(
        &mut self,
        branch: bool,
        context_fields: ContextFields,
        address: u64,
        sink: &mut impl RetireSink,
    ) -> Result<(), Fault> {
        let context = self.enter(context_fields);
        if let Some(Trap { kind, epc }) = self.trap.take() {
            self.out.enter(context, false, address);
            self.out.event(kind, 0, epc, address);
        } else if self.out.is_running() {
            self.inferred = None;
            if self.own.is_none() && self.left() == 1 {
                self.own = self.outcome(self.pc);
            }
            // its own branch is not among those that are left
            let only_by_jump = context.privilege() != self.out.context().privilege();
            // a return that the stack did not predict, directly before the synchronization
            let (count, exit) = self.run()?;
            let returns = count == 1 && matches!(exit.kind, ExitKind::Indirect(_, FlowKind::Return));
            let depth = (returns && self.tables.returns.top() != Some(address)).then(|| self.tables.returns.depth());
            let goal = Goal { left: 0, sync: true, only_by_jump, depth, ..self.goal(address) };
            if self.follow(&goal, sink)? {
                self.count_loop();
            }
            // `begin` counts it again
            self.out.since -= 1;
            self.out.enter(context, true, address);
        } else {
            self.out.begin(address, Some(context));
        }
        self.begin(branch, address);
        Ok(())
    }

    /// Moves past the last instruction; `epc` is the target of a jump whose target is not inferable.
    fn pass(&mut self, epc: Option<u64>) -> Result<(), Fault> {
        let (count, exit) = self.run()?;
        if count > 1 {
            let system = self.image.instruction(self.pc).is_some_and(|(insn, len)| match len {
                4 => insn == 0x73 || insn == 0x0010_0073,
                _ => insn & 0xffff == 0x9002,
            });
            // a call or breakpoint that was reported as retired
            match system {
                true => self.out.since -= 1,
                false => self.pc = self.image.skip(self.pc, 1).ok_or_else(|| self.outside())?,
            }
            return Ok(());
        }
        let depth = epc.map(|_| self.tables.returns.depth());
        let goal = Goal { address: epc, left: self.left(), depth, ..Goal::BRANCH };
        self.execute(&exit, &goal)?;
        Ok(())
    }

    fn trapped(
        &mut self,
        kind: FlowKind,
        branch: bool,
        context_fields: ContextFields,
        handler: bool,
        address: Option<u64>,
    ) -> Result<(), Fault> {
        let context = self.enter(context_fields);
        let address = match address {
            Some(address) => address,
            None => self.vector(kind, context)?,
        };
        if let Some(trap) = &mut self.trap {
            // a trap before the first instruction of a handler
            trap.kind = kind;
        } else if self.out.is_running() {
            if self.inferred.take().is_some() {
                self.count_loop();
            }
            if self.own.is_none() && self.left() == 1 {
                self.own = self.outcome(self.pc);
            }
            let known = self.pass((!handler).then_some(address));
            known.map_err(|e| match e {
                Fault::Content("a jump without a target") => {
                    Fault::Content("a trap at the target of a jump, without its address")
                }
                e => e,
            })?;
            self.trap = Some(Trap { kind, epc: self.pc });
        } else if let (false, FlowKind::Trap { interrupt: false, .. }) = (handler, kind) {
            // an exception at the first instruction, which did not retire; for interrupts the address is not defined
            self.out.begin(address, None);
            self.trap = Some(Trap { kind, epc: address });
        }
        if !handler {
            return Ok(());
        }
        match self.trap.take() {
            Some(Trap { kind, epc }) => {
                self.out.enter(context, false, address);
                self.out.event(kind, 0, epc, address);
            }
            None => self.out.begin(address, Some(context)),
        }
        self.begin(branch, address);
        Ok(())
    }

    /// Address of the handler in the implicit exception mode.
    fn vector(&self, kind: FlowKind, context: Context) -> Result<u64, Fault> {
        let (vector, missing) = match context.privilege() {
            1 => (self.p.stvec, "a trap without the address of its handler; the parameter `stvec` gives it"),
            _ => (self.p.mtvec, "a trap without the address of its handler; the parameter `mtvec` gives it"),
        };
        let vector = vector.ok_or(Fault::Content(missing))?;
        let offset = match kind {
            FlowKind::Trap { interrupt: true, cause } if vector & 3 == 1 => 4 * u64::from(cause),
            _ => 0,
        };
        Ok((vector & !3).wrapping_add(offset) & self.mask)
    }
}
