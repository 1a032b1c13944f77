//! Decoder: reconstructs the events of a hart from packets and the program
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 11, "Decoder"; straight runs are walked in one step.

use super::tables::Tables;
use super::{EtraceError, Options};
use crate::baseline::Encoded;
use retire::image::{Exit, ExitKind, Image};
use retire::{FlowEvent, FlowKind, RetireSink};
use riscv_etrace::packet;
use riscv_etrace::packet::ext::{BranchKind, Extension};
use riscv_etrace::packet::payload::{AddressInfo, InstructionTrace, Payload};
use riscv_etrace::packet::sync::{QualStatus, Synchronization};
use riscv_etrace::types::{branch, trap};

/// Number of correct predictions that a count of 0 encodes.
const FULL: u64 = 31;

/// Reported outcomes that the path has not reached yet.
#[derive(Clone, Copy, Debug)]
enum Outcomes {
    Map(branch::Map),
    /// This many are as predicted, and then one is not if `failed`.
    Predicted {
        correct: u64,
        failed: bool,
    },
}

impl Outcomes {
    const NONE: Self = Self::Predicted { correct: 0, failed: false };

    fn count(&self) -> u64 {
        match self {
            Self::Map(map) => map.count().into(),
            Self::Predicted { correct, failed } => correct + u64::from(*failed),
        }
    }

    /// Takes the next outcome; `None` if there is none.
    fn take(&mut self, predicted: Option<bool>) -> Option<bool> {
        match self {
            Self::Map(map) => map.pop_taken(),
            Self::Predicted { correct: 0, failed } => {
                let last = std::mem::take(failed);
                predicted.filter(|_| last).map(|p| !p)
            }
            Self::Predicted { correct, .. } => {
                *correct -= 1;
                predicted
            }
        }
    }
}

/// The point up to which a packet determines the path.
#[derive(Clone, Copy, Debug)]
struct Goal {
    /// The reported address; `None`: the last branch.
    address: Option<u64>,
    /// The path reaches it by an uninferable jump, and only by that.
    only_by_jump: bool,
    /// It is not the target of an uninferable jump.
    notify: bool,
    /// Depth of the return stack at the return that was mispredicted.
    depth: Option<usize>,
}

/// Whether the path has certainly reached its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    /// Certainly.
    Certainly,
    /// Possibly: this may be an earlier visit than the one that is meant.
    Possibly,
}

struct Path<'a, S> {
    image: &'a Image,
    tables: Tables,
    sink: &'a mut S,
    hart: u8,
    mask: u64,
    /// Addresses are not differences.
    full: bool,
    packet: u64,
    /// Last reported address.
    last: u64,
    /// The position of the hart is known.
    running: bool,
    /// The last instruction that is known to have retired; and the number of instructions since the last event, including it.
    pc: u64,
    since: u32,
    /// Instructions that may still retire; more are an error in the data.
    left: u64,
    /// Outcome of the branch at `pc`, if that was the last one reported.
    pending_outcome: Option<bool>,
    outcomes: Outcomes,
    /// A goal that was possibly reached. It is confirmed if the next packet is not of format 3.
    unconfirmed: Option<Goal>,
    trap: Option<(trap::Info, u64)>,
}

impl<S: RetireSink> Path<'_, S> {
    fn wrong(&self, what: &'static str) -> EtraceError {
        EtraceError::Content { packet: self.packet, what }
    }

    fn outside(&self) -> EtraceError {
        EtraceError::OutsideCode { packet: self.packet, pc: self.pc }
    }

    /// As [`Image::run`], from `pc`.
    fn run(&self) -> Result<(u32, Exit), EtraceError> {
        let (count, exit) = self.image.run(self.pc).ok_or_else(|| self.outside())?;
        // the end of the code counts as an instruction that cannot be executed
        Ok((count + u32::from(exit.kind == ExitKind::End), *exit))
    }

    fn retire(&mut self, count: u32, pc: u64) -> Result<(), EtraceError> {
        let wrong = self.wrong("more instructions than the trace has");
        self.left = self.left.checked_sub(count.into()).ok_or(wrong)?;
        self.since += count;
        self.pc = pc;
        Ok(())
    }

    fn event(&mut self, kind: FlowKind, len: u8, pc: u64, target: u64) {
        let count = std::mem::take(&mut self.since);
        self.sink.event(&FlowEvent { hart: self.hart, kind, len, count, pc, target, cycle: 0 });
    }

    fn branches(&self) -> u64 {
        u64::from(self.pending_outcome.is_some()) + self.outcomes.count()
    }

    /// Executes the branch or jump at `exit`; `to` is the target of an indirect one that is
    /// not implicit. Returns whether it was used.
    fn execute_exit(&mut self, exit: &Exit, to: Option<u64>, failing: Option<usize>) -> Result<bool, EtraceError> {
        let over = exit.pc.wrapping_add(exit.len.into());
        let mut reported_address = false;
        let (kind, target) = match exit.kind {
            ExitKind::Conditional => {
                let predicted = self.tables.predict(exit.pc);
                let taken = self.pending_outcome.take().or_else(|| self.outcomes.take(predicted));
                let taken = taken.ok_or(self.wrong("a branch of which no outcome was sent"))?;
                self.tables.outcome(exit.pc, taken);
                let target = if taken { exit.target } else { over };
                (FlowKind::Conditional { taken: target != over }, target)
            }
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) => {
                let fails = failing == Some(self.tables.depth()) || (to.is_some() && failing == Some(usize::MAX));
                let implicit = if kind == FlowKind::Return && !fails { self.tables.pop() } else { None };
                reported_address = implicit.is_none();
                let target = implicit.or(to);
                (kind, target.ok_or(self.wrong("an indirect branch of which no target was sent"))?)
            }
            // E-Trace has no packet for one
            ExitKind::ConditionalIndirect(_) => return Err(self.wrong("a conditional indirect branch")),
            ExitKind::End => return Err(self.outside()),
        };
        self.event(kind, exit.len, exit.pc, target);
        if matches!(kind, FlowKind::Call | FlowKind::IndirectCall) {
            self.tables.call(over);
        }
        self.pc = target;
        Ok(reported_address)
    }

    /// Follows the path to the goal of a packet.
    fn follow(&mut self, goal: Goal) -> Result<Reached, EtraceError> {
        loop {
            let (count, exit) = self.run()?;
            if count > 1 {
                let ahead = goal.address.filter(|a| self.pc < *a && *a <= exit.pc);
                if let Some(address) = ahead.filter(|a| self.may_stop(&goal, *a, &exit)) {
                    if let Some(n) = (1..count).find(|n| self.image.skip(self.pc, *n) == Some(address)) {
                        self.retire(n, address)?;
                        return Ok(if goal.notify { Reached::Certainly } else { Reached::Possibly });
                    }
                }
                self.retire(count - 1, exit.pc)?;
            } else {
                if self.execute_exit(&exit, goal.address, goal.depth)? {
                    self.tables.look_up(self.pc);
                    self.retire(1, self.pc)?;
                    let (count, exit) = self.run()?;
                    let here = count == 1 && exit.kind == ExitKind::Conditional;
                    if self.branches() != u64::from(here) {
                        return Err(self.wrong("branches after the address that ends them"));
                    }
                    return Ok(Reached::Certainly);
                }
                self.retire(1, self.pc)?;
                if goal.address == Some(self.pc) {
                    let (_, exit) = self.run()?;
                    if self.may_stop(&goal, self.pc, &exit) {
                        return Ok(if goal.notify { Reached::Certainly } else { Reached::Possibly });
                    }
                }
            }
            if goal.address.is_none() && self.branches() == 1 {
                let (count, exit) = self.run()?;
                if count == 1 && exit.kind == ExitKind::Conditional {
                    return Ok(Reached::Certainly);
                }
            }
        }
    }

    /// Whether the goal may be at `address` in the run that ends at `exit`.
    fn may_stop(&self, goal: &Goal, address: u64, exit: &Exit) -> bool {
        let branch = exit.kind == ExitKind::Conditional && exit.pc == address;
        self.branches() == u64::from(branch)
            && (goal.notify || !goal.only_by_jump && goal.depth.is_none_or(|d| d == self.tables.depth()))
    }

    /// Processes a packet with outcomes or an address.
    fn packet(&mut self, outcomes: Outcomes, goal: Goal) -> Result<(), EtraceError> {
        if !self.running {
            return Err(self.wrong("no synchronisation packet before it"));
        }
        // one outcome of the previous packet may be left: that of the branch at which it ended
        self.pending_outcome = match self.pending_outcome {
            None if self.outcomes.count() == 1 => self.outcomes.take(self.tables.predict(self.pc)),
            pending_outcome => pending_outcome,
        };
        if self.outcomes.count() > 0 {
            return Err(self.wrong("outcomes are left of the packet before"));
        }
        self.outcomes = outcomes;
        let reached = self.follow(goal)?;
        self.unconfirmed = (reached == Reached::Possibly).then_some(goal);
        Ok(())
    }

    /// Confirms that the goal of the previous packet is the target of a jump, and continues to it.
    fn confirm(&mut self) -> Result<(), EtraceError> {
        if let Some(goal) = self.unconfirmed.take() {
            self.follow(Goal { only_by_jump: true, ..goal })?;
        }
        Ok(())
    }

    /// Begins at the instruction of a synchronisation packet.
    fn begin(&mut self, pc: u64, not_taken: bool) -> Result<(), EtraceError> {
        self.tables.reset();
        self.outcomes = Outcomes::NONE;
        self.running = true;
        self.retire(1, pc)?;
        let (count, exit) = self.run()?;
        self.pending_outcome = (count == 1 && exit.kind == ExitKind::Conditional).then_some(!not_taken);
        Ok(())
    }

    /// Moves past the last instruction, with `to` as in `execute_exit`. Afterwards no instruction has retired at `pc`.
    fn over(&mut self, to: Option<u64>) -> Result<(), EtraceError> {
        let (count, exit) = self.run()?;
        if count == 1 {
            // with `to`, a return is a mispredicted one
            self.execute_exit(&exit, to, to.map(|_| usize::MAX))?;
        } else {
            self.pc = self.image.skip(self.pc, 1).ok_or_else(|| self.outside())?;
        }
        Ok(())
    }

    fn trapped(&mut self, info: trap::Info, epc: Option<u64>, handler: u64) -> Result<(), EtraceError> {
        if !self.running {
            return Err(self.wrong("no synchronisation packet before it"));
        }
        self.unconfirmed = None;
        self.over(epc)?;
        let cause = u8::try_from(info.ecause).map_err(|_| self.wrong("no such cause"))?;
        self.event(FlowKind::Trap { interrupt: info.is_interrupt(), cause }, 0, self.pc, handler);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), EtraceError> {
        if !self.running {
            return Ok(());
        }
        self.running = false;
        let (count, exit) = self.run()?;
        let indirect = count == 1 && matches!(exit.kind, ExitKind::Indirect(..));
        // the target of a last indirect branch is not reported
        self.over(indirect.then_some(0))?;
        self.event(FlowKind::Stop, 0, self.pc, self.pc);
        Ok(())
    }

    fn instruction<I, D>(&mut self, payload: &InstructionTrace<I, D>) -> Result<(), EtraceError> {
        if let InstructionTrace::Synchronization(s) = payload {
            return self.synchronize(s);
        }
        self.confirm()?;
        let mut last = self.last;
        let mut to = |info: &AddressInfo| {
            let base = if self.full { 0 } else { last };
            last = base.wrapping_add_signed(info.address) & self.mask;
            Goal { address: Some(last), only_by_jump: info.updiscon, notify: info.notify, depth: info.irdepth }
        };
        let nowhere = Goal { address: None, only_by_jump: false, notify: false, depth: None };
        let (outcomes, goal) = match payload {
            InstructionTrace::Synchronization(_) => return Ok(()),
            InstructionTrace::Address(info) => (Outcomes::NONE, to(info)),
            InstructionTrace::Branch(b) => (Outcomes::Map(b.branch_map), b.address.as_ref().map_or(nowhere, to)),
            InstructionTrace::Extension(Extension::BranchCount(b)) => {
                let (failed, goal) = match &b.kind {
                    BranchKind::NoAddr => (true, nowhere),
                    BranchKind::Addr(info) => (false, to(info)),
                    BranchKind::AddrFail(info) => (true, to(info)),
                };
                (Outcomes::Predicted { correct: u64::from(b.branch_count) + FULL, failed }, goal)
            }
            InstructionTrace::Extension(Extension::JumpTargetIndex(j)) => {
                let found = self.tables.target(j.index);
                last = found.ok_or(self.wrong("an index of an empty entry of the jump target cache"))?;
                (Outcomes::Map(j.branch_map), Goal { address: Some(last), depth: j.irdepth, ..nowhere })
            }
        };
        self.last = last;
        self.packet(outcomes, goal)
    }

    fn synchronize<I, D>(&mut self, s: &Synchronization<I, D>) -> Result<(), EtraceError> {
        match s {
            Synchronization::Start(s) => {
                self.last = s.address;
                match self.trap.take() {
                    Some((info, epc)) => self.trapped(info, Some(epc), s.address)?,
                    None if !self.running => self.event(FlowKind::Start, 0, s.address, s.address),
                    None => {
                        self.unconfirmed = None;
                        self.over(Some(s.address))?;
                        if self.pc != s.address {
                            return Err(self.wrong("a start that does not follow the instruction before it"));
                        }
                    }
                }
                self.begin(s.address, s.branch)
            }
            Synchronization::Trap(t) if t.thaddr => {
                self.last = t.address;
                self.trapped(t.info, None, t.address)?;
                self.begin(t.address, t.branch)
            }
            Synchronization::Trap(t) => {
                self.trap = Some((t.info, t.address));
                Ok(())
            }
            Synchronization::Support(s) => match s.qual_status {
                QualStatus::NoChange => Ok(()),
                QualStatus::TraceLost => Err(self.wrong("packets were lost")),
                QualStatus::EndedNtr => {
                    self.confirm()?;
                    self.stop()
                }
                QualStatus::EndedRep => self.stop(),
            },
            Synchronization::Context(_) => Ok(()),
        }
    }
}

/// Decodes the packets of one hart and reports its events to `sink`.
pub fn decode(
    encoded: &Encoded,
    options: Options,
    xlen: u8,
    hart: u8,
    image: &Image,
    sink: &mut impl RetireSink,
) -> Result<(), EtraceError> {
    let parameters = options.parameters(xlen);
    let mut decoder = packet::builder().with_params(&parameters).decoder(&encoded.bytes);
    let mut path = Path {
        image,
        tables: Tables::new(options),
        sink,
        hart,
        mask: u64::MAX >> (64 - xlen),
        full: options.full,
        packet: 0,
        running: false,
        last: 0,
        pc: 0,
        since: 0,
        left: encoded.stats.instructions,
        pending_outcome: None,
        outcomes: Outcomes::NONE,
        unconfirmed: None,
        trap: None,
    };
    while decoder.bytes_left() > 0 {
        let number = path.packet;
        let refused = |e: packet::Error| EtraceError::Packet { packet: number, what: e.to_string() };
        let payload = decoder.decode_smi_packet().and_then(|p| p.decode_payload()).map_err(refused)?;
        if let Payload::InstructionTrace(payload) = payload {
            path.instruction(&payload)?;
        }
        path.packet += 1;
    }
    if path.running || path.left > 0 {
        return Err(path.wrong("the packets end, but not the trace"));
    }
    Ok(())
}
