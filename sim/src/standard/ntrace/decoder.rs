//! Decoder of the messages of one hart
//!
//! Branches are executed as soon as their outcomes are known; instructions after the last one when their number is.
//! So memory does not grow with the length of a path.
//!
//! # Source
//! RISC-V N-Trace 1.0, "Field Encoding and Calculation Techniques" and "Rules of Generating Messages".
//!
//! # Where the text leaves a choice
//! - The return stack has 32 entries, the most that an encoder may have. `mret` and `sret` do not use it.
//! - `cm.jt` and `cm.jalt` count as jumps whose target is not known, since an ELF does not name their table.
//! - An event has the time of the message that reports it. A time that is before that of the message before is one of a counter of 32 bits that was
//!   full or, if tracing had ended, that began again.
//! - Traps have no cause. B-TYPE 1 is taken as an exception.
//! - The last instruction of a trace is left out if it is a jump whose target no message reports.

use super::super::output::Output;
use super::super::{Counts, Fault, MAX_JUMPS};
use super::message::{Kind, Message};
use super::params::Parameters;
use crate::sequential;
use retire::image::{Exit, ExitKind, Image};
use retire::{Context, FlowKind, RetireSink};
use std::collections::VecDeque;

/// Cycles after which a counter of 32 bits begins again.
const TIME_PERIOD: u64 = 1 << 32;
/// Most entries of an encoder's return stack.
const MAX_RETURNS: usize = 32;

/// How the instructions that a message counts end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// With a taken branch.
    Branch,
    /// With an indirect jump whose target the message has.
    Jump,
    /// With any instruction.
    Any,
    /// With any instruction, the last one of a trace.
    Stop,
    /// With any instruction, after which the hart is at an address.
    At(u64),
}

/// A branch message, for its repetition.
#[derive(Clone, Copy, Debug)]
struct Branch {
    icnt: u32,
    hist: Option<u32>,
    /// B-TYPE and target; `None`: a taken branch.
    to: Option<(u8, u64)>,
}

/// Decoder of one hart.
#[derive(Debug)]
pub struct Decoder<'a> {
    image: &'a Image,
    p: Parameters,
    mask: u64,
    out: Output,
    /// The next instruction, and the first one from which on all were executed in sequence.
    pc: u64,
    from: u64,
    /// Halfwords that were counted and not executed; negative: executed and not counted yet.
    budget: i64,
    /// Outcomes that are not executed: bits below a stop bit, the oldest one highest.
    hist: u32,
    /// Messages have branch history; `None`: not known yet.
    history: Option<bool>,
    returns: VecDeque<u64>,
    /// Last address of a message.
    address: u64,
    before: Option<Branch>,
    time: u64,
    /// Time at which the counter of the encoder was 0.
    began: u64,
    /// `pc` and `from` when the events were last accepted.
    accepted: (u64, u64),
}

impl<'a> Decoder<'a> {
    /// A decoder before the first message.
    pub fn new(p: &Parameters, hart: u8, xlen: u8, image: &'a Image) -> Self {
        Self {
            image,
            p: p.clone(),
            mask: u64::MAX >> (64 - xlen),
            out: Output::new(hart),
            pc: 0,
            from: 0,
            budget: 0,
            hist: 1,
            history: None,
            returns: VecDeque::with_capacity(MAX_RETURNS),
            address: 0,
            before: None,
            time: 0,
            began: 0,
            accepted: (0, 0),
        }
    }

    /// What was counted so far.
    pub fn counts(&self) -> &Counts {
        &self.out.counts
    }

    /// Takes a message. After a fault, the events continue at the next synchronization.
    ///
    /// # Errors
    /// The message is refused.
    pub fn take(&mut self, message: &Message, sink: &mut impl RetireSink) -> Result<(), Fault> {
        self.out.counts.packets += 1;
        self.accepted = (self.pc, self.from);
        if let Some(time) = message.time {
            self.at(time, matches!(message.kind, Kind::Sync { .. }));
        }
        let taken = self.message(message.kind, sink);
        if taken.is_err() {
            self.out.refuse();
            (self.pc, self.from) = self.accepted;
            self.out.lose(self.pc);
            self.forget();
            if let Kind::Sync { address, .. } = message.kind {
                self.begin(address);
            }
        }
        self.out.accept(sink);
        taken
    }

    /// Takes a time stamp.
    fn at(&mut self, stamp: u64, absolute: bool) {
        if absolute {
            let mut time = stamp.saturating_add(self.began);
            if time < self.time {
                // the counter was full, or it began again with a trace
                let periods = (self.time - time).checked_next_multiple_of(TIME_PERIOD).unwrap_or(0);
                self.began += if self.out.is_running() { periods } else { self.time - self.began };
                time = stamp.saturating_add(self.began);
            }
            self.time = time;
        } else {
            self.time = self.time.saturating_add(stamp);
        }
        self.out.counts.at(self.time);
        self.out.now = self.time;
    }

    fn forget(&mut self) {
        (self.budget, self.hist, self.before) = (0, 1, None);
        self.returns.clear();
    }

    /// Messages were lost, or there are bytes that are none.
    pub fn lost(&mut self, sink: &mut impl RetireSink) {
        self.out.miss();
        self.leave(sink);
    }

    fn leave(&mut self, sink: &mut impl RetireSink) {
        self.out.lose(self.pc);
        self.out.accept(sink);
        self.forget();
    }

    /// Ends the events.
    pub fn finish(&mut self, sink: &mut impl RetireSink) {
        self.out.end(self.pc, sink);
    }

    /// Begins at a synchronization.
    fn begin(&mut self, address: u64) {
        self.out.begin(address & self.mask, None);
        self.forget();
        (self.pc, self.from, self.address) = (address & self.mask, address & self.mask, address);
    }

    fn message(&mut self, kind: Kind, sink: &mut impl RetireSink) -> Result<(), Fault> {
        match kind {
            Kind::Vendor => {}
            Kind::Error => self.lost(sink),
            Kind::Sync { reason, btype, branch, icnt, address, hist } => {
                self.synchronize((reason, btype, branch), icnt, address, hist, sink)?;
            }
            _ if !self.out.is_running() => self.out.counts.unsynchronized += 1,
            Kind::Ownership { privilege, context } => {
                let id = context.map_or(self.out.context().id(), |c| c as u32 & (u32::MAX >> 2));
                self.out.enter(Context::new(privilege, id), true, self.pc);
            }
            Kind::DirectBranch { icnt } => self.branch(Branch { icnt, hist: None, to: None }, sink)?,
            Kind::IndirectBranch { btype, icnt, address, hist } => {
                let target = (self.address ^ address) & self.mask;
                self.branch(Branch { icnt, hist, to: Some((btype, target)) }, sink)?;
            }
            Kind::FullCount { icnt } => self.budget += i64::from(icnt),
            Kind::FullHistory { hist, repeat } => {
                for _ in 0..repeat {
                    self.execute_history(hist, sink)?;
                }
            }
            Kind::Repeat { count } => {
                let again = self.before.ok_or(Fault::Content("a repetition without a branch message before it"))?;
                for _ in 0..count {
                    self.branch(again, sink)?;
                }
            }
            Kind::Correlation { icnt, hist, .. } => {
                self.count(icnt, hist, End::Stop, sink)?;
                self.out.counts.pauses += 1;
                self.leave(sink);
            }
        }
        Ok(())
    }

    /// A message that ends with a branch, jump or trap.
    fn branch(&mut self, branch: Branch, sink: &mut impl RetireSink) -> Result<(), Fault> {
        let Branch { icnt, hist, to } = branch;
        match to {
            None => {
                self.history = Some(false);
                self.count(icnt, None, End::Branch, sink)?;
            }
            Some((0, target)) => {
                let jump = self.count(icnt, hist, End::Jump, sink)?;
                self.jump(&jump.ok_or(Fault::Content("a target, but no indirect jump before it"))?, target);
                self.address = target;
            }
            Some((btype, target)) => {
                if self.count(icnt, hist, End::Any, sink)?.is_some() {
                    return Err(Fault::Content("a trap directly after a jump without a target"));
                }
                self.trap(btype, target);
            }
        }
        self.before = Some(branch);
        Ok(())
    }

    fn trap(&mut self, btype: u8, handler: u64) {
        let kind = FlowKind::Trap { interrupt: btype == 3, cause: 0 };
        self.out.event(kind, 0, self.pc, handler);
        (self.pc, self.from, self.address) = (handler, handler, handler);
    }

    fn synchronize(
        &mut self,
        (reason, btype, branch): (u8, Option<u8>, bool),
        icnt: u32,
        address: u64,
        hist: Option<u32>,
        sink: &mut impl RetireSink,
    ) -> Result<(), Fault> {
        if self.out.is_running() {
            let to = address & self.mask;
            let trap = btype.filter(|b| *b > 0);
            let end = match trap {
                Some(_) => End::Any,
                None if branch => End::Branch,
                None => End::At(to),
            };
            let jump = self.count(icnt, hist, end, sink)?;
            match (jump, trap) {
                (Some(jump), None) => self.jump(&jump, to),
                (Some(_), Some(_)) => return Err(Fault::Content("a trap directly after a jump without a target")),
                (None, Some(btype)) => self.trap(btype, to),
                (None, None) if self.pc == to => {}
                // exit from reset, debug mode or power-down, or tracing was enabled: the hart continues elsewhere
                (None, None) if matches!(reason, 1 | 3 | 5 | 9) => {
                    self.out.counts.pauses += 1;
                    self.leave(sink);
                }
                (None, None) if reason == 7 => self.lost(sink),
                (None, None) => {
                    return Err(Fault::Content("a synchronization at an address that the path does not reach"))
                }
            }
        }
        self.begin(address);
        Ok(())
    }

    fn run(&self) -> Result<(u32, Exit), Fault> {
        let (count, exit) = self.image.run(self.pc).ok_or(Fault::OutsideCode(self.pc))?;
        Ok((count, *exit))
    }

    fn jump(&mut self, exit: &Exit, target: u64) {
        let ExitKind::Indirect(_, kind) = exit.kind else { return };
        let over = exit.pc.wrapping_add(exit.len.into());
        if matches!(kind, FlowKind::Return | FlowKind::CoSwap) {
            self.returns.pop_back();
        }
        if matches!(kind, FlowKind::IndirectCall | FlowKind::CoSwap) {
            self.call(over);
        }
        self.out.event(kind, exit.len, exit.pc, target);
        (self.pc, self.from) = (target, target);
    }

    fn call(&mut self, link: u64) {
        if self.returns.len() == MAX_RETURNS {
            self.returns.pop_front();
        }
        self.returns.push_back(link);
    }

    /// Target of an indirect jump that no message reports.
    fn inferable(&self, exit: &Exit, kind: FlowKind) -> Option<u64> {
        if self.p.sequential_jump && kind != FlowKind::TrapReturn {
            if let Some(target) = sequential::target(self.image, self.from, exit.pc) {
                return Some(target & self.mask);
            }
        }
        let returns = matches!(kind, FlowKind::Return | FlowKind::CoSwap);
        self.returns.back().copied().filter(|_| returns)
    }

    /// Executes the branch or jump at the end of a run, `taken` if it is a branch.
    fn execute(&mut self, exit: &Exit, taken: Option<bool>) -> Result<(), Fault> {
        let over = exit.pc.wrapping_add(exit.len.into());
        let (kind, target) = match exit.kind {
            ExitKind::Conditional => {
                let taken = taken.ok_or(Fault::Content("a branch without an outcome"))?;
                let target = if taken { exit.target } else { over };
                (FlowKind::Conditional { taken: target != over }, target)
            }
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => (FlowKind::Call, exit.target),
            ExitKind::Indirect(_, kind) => {
                let target = self.inferable(exit, kind).ok_or(Fault::Content("a jump without a target"))?;
                self.jump(exit, target);
                return Ok(());
            }
            ExitKind::ConditionalIndirect(_) => return Err(Fault::Content("a conditional indirect branch")),
            ExitKind::End => return Err(Fault::OutsideCode(over)),
        };
        if kind == FlowKind::Call {
            self.call(over);
        }
        self.out.event(kind, exit.len, exit.pc, target);
        (self.pc, self.from) = (target, target);
        Ok(())
    }

    /// Passes on the events of a long path.
    fn pass_on(&mut self, sink: &mut impl RetireSink) {
        if self.out.is_full() {
            self.out.accept(sink);
            self.accepted = (self.pc, self.from);
        }
    }

    /// Executes the branches of a history.
    fn execute_history(&mut self, hist: u32, sink: &mut impl RetireSink) -> Result<(), Fault> {
        self.history = Some(true);
        let (mut left, mut jumps) = (31 - hist.leading_zeros(), 0);
        while left > 0 {
            self.pass_on(sink);
            let (count, exit) = self.run()?;
            let halfwords = (exit.pc.wrapping_add(exit.len.into()).wrapping_sub(self.pc) / 2) as i64;
            self.out.retire(count);
            self.budget -= halfwords;
            let counted = match exit.kind {
                ExitKind::Conditional => true,
                ExitKind::Jump | ExitKind::Call => self.p.all_jumps,
                _ => false,
            };
            let mut taken = None;
            if counted {
                left -= 1;
                taken = Some(hist >> left & 1 == 1);
                jumps = 0;
            }
            if exit.kind != ExitKind::Conditional && taken == Some(false) {
                return Err(Fault::Content("a direct jump that is not taken"));
            }
            self.execute(&exit, taken)?;
            jumps += 1;
            if jumps > MAX_JUMPS {
                return Err(Fault::Content("an endless loop without a branch"));
            }
        }
        Ok(())
    }

    /// Executes the instructions that a message counts. Returns the indirect jump at the end, whose target is not known.
    fn count(
        &mut self,
        icnt: u32,
        hist: Option<u32>,
        end: End,
        sink: &mut impl RetireSink,
    ) -> Result<Option<Exit>, Fault> {
        if let Some(hist) = hist {
            self.execute_history(hist, sink)?;
        }
        self.budget += i64::from(icnt);
        if self.budget < 0 {
            return Err(Fault::Content("an I-CNT that is less than its branches need"));
        }
        if end == End::Branch && self.budget == 0 {
            return Err(Fault::Content("a taken branch with an I-CNT of 0"));
        }
        while self.budget > 0 {
            self.pass_on(sink);
            let (count, exit) = self.run()?;
            let after = exit.pc.wrapping_add(exit.len.into());
            let halfwords = (after.wrapping_sub(self.pc) / 2) as i64;
            if halfwords > self.budget || exit.kind == ExitKind::End {
                if end == End::Branch {
                    return Err(Fault::Content("a taken branch where the program has none"));
                }
                return self.sequence().map(|()| None);
            }
            self.budget -= halfwords;
            self.out.retire(count);
            let last = self.budget == 0;
            match exit.kind {
                ExitKind::Conditional if self.history == Some(true) => {
                    return Err(Fault::Content("a branch without an outcome"));
                }
                ExitKind::Conditional => self.execute(&exit, Some(last && end == End::Branch))?,
                ExitKind::Jump | ExitKind::Call if self.p.all_jumps && self.history == Some(true) => {
                    return Err(Fault::Content("a jump without its bit of HIST"));
                }
                ExitKind::Indirect(_, kind) if last => match end {
                    End::At(_) | End::Jump => return Ok(Some(exit)),
                    End::Any | End::Branch if self.inferable(&exit, kind).is_some() => self.execute(&exit, None)?,
                    End::Any | End::Branch | End::Stop => {
                        // its target is not known
                        self.out.since -= 1;
                        self.pc = exit.pc;
                        return Ok(Some(exit));
                    }
                },
                _ => self.execute(&exit, None)?,
            }
            if last && end == End::Branch && !(exit.kind == ExitKind::Conditional || self.p.all_jumps) {
                return Err(Fault::Content("a taken branch where the program has none"));
            }
        }
        Ok(None)
    }

    /// Executes the instructions that are left, which are in sequence.
    fn sequence(&mut self) -> Result<(), Fault> {
        let to = self.pc.wrapping_add(2 * self.budget as u64);
        let mut steps = 0;
        while self.pc < to {
            let (_, len) = self.image.instruction(self.pc).ok_or(Fault::OutsideCode(self.pc))?;
            self.pc += u64::from(len);
            steps += 1;
        }
        if self.pc != to {
            return Err(Fault::Content("an I-CNT that ends inside an instruction"));
        }
        self.out.retire(steps);
        self.budget = 0;
        Ok(())
    }
}
