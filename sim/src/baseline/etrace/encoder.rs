//! Encoder: decides which packets to send
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 8, "Reference Compressed Branch Trace Algorithm". Only instructions
//! that can affect packets are processed: the first after a discontinuity, branches and jumps, and the
//! last before a trap or the end.

mod send;

use super::tables::Tables;
use super::{Clearing, Encoded, EtraceError, Extras, Options};
use crate::baseline::Stats;
use crate::sequential;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use riscv_etrace::config::Parameters;
use riscv_etrace::packet::ext::{BranchCount, BranchKind};
use riscv_etrace::packet::payload::{AddressInfo, Branch, InstructionTrace};
use riscv_etrace::packet::sync::QualStatus;
use riscv_etrace::packet::unit::{ReferenceDOptions, ReferenceIOptions};
use riscv_etrace::types::{branch, trap};
use std::num::NonZeroU8;

/// Number of branches in a full map.
const FULL: u64 = 31;
/// Largest field `branch_count` of a circuit, which has 12 bits for it.
pub const MAX_PREDICTED: u64 = (1 << 12) - 1;
/// Maximum number of straight path segments that are remembered.
const MAX_SEGMENTS: usize = 256;

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Neither a branch nor a jump.
    Plain,
    Branch {
        taken: bool,
    },
    /// An inferable jump.
    Jump,
    Call,
    Return,
    /// An uninferable jump.
    Indirect,
    IndirectCall,
    /// Not an instruction; its `pc` is the EPC.
    Trap(trap::Info),
}

type Payload = InstructionTrace<ReferenceIOptions, ReferenceDOptions>;

/// Bytes, and for those up to each position the number of the instruction with which they are reported.
pub(super) type Reported = (Vec<u8>, Vec<(u64, usize)>);

/// An instruction that can affect packets, or a trap.
#[derive(Clone, Copy, Debug)]
struct Step {
    pc: u64,
    kind: Kind,
    /// Its number, from 1 on; of a trap that of the last instruction before it.
    number: u64,
    /// The next PC, and the address after the instruction; only for branches and jumps.
    target: u64,
    link: u64,
    context: retire::Context,
    time: u64,
}

/// What preceded the current step.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    /// Nothing that affects packets.
    Plain,
    /// An implicit return.
    Return,
    /// A jump whose target must be reported; for a mispredicted return, with the depth of the stack.
    Jump(Option<usize>),
    Trap {
        info: trap::Info,
        reported: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Step,
    Trap,
    /// A synchronization without a trap.
    Sync,
    End,
}

/// Branches that are not reported yet.
#[derive(Clone, Copy, Debug, Default)]
struct Branches {
    count: u64,
    /// Outcomes of the first 31, 1: not taken.
    map: u32,
    /// Number of correct predictions before the first wrong one.
    correct: u64,
}

impl Branches {
    fn push(&mut self, taken: bool, predicted: Option<bool>) {
        self.map |= u32::from(!taken).checked_shl(self.count as u32).unwrap_or(0);
        self.correct += u64::from(self.correct == self.count && predicted == Some(taken));
        self.count += 1;
    }

    fn map(&self) -> branch::Map {
        let mut map = branch::Map::default();
        for i in 0..self.count.min(FULL) {
            // at most 31, and the map holds 32
            let _ = map.push_branch_taken(self.map >> i & 1 == 0);
        }
        map
    }
}

/// Encoder of the events of one hart.
pub struct Encoder<'a> {
    image: &'a Image,
    options: Options,
    parameters: Parameters,
    tables: Tables,
    /// With [`Extras::port_only`]: whether predictors and jump target cache are used.
    predictors: Clearing,
    targets: Clearing,
    current: Option<Step>,
    before: Before,
    branches: Branches,
    /// Last reported address.
    address: u64,
    /// Bit d: there was an implicit return at depth d since the last packet.
    implicit: u64,
    /// With [`Extras::port_only`]: address of the last implicit return since the last branch or packet.
    returned_from: Option<u64>,
    /// Straight path segments since the last branch or packet, and the start of the current one.
    segments: Vec<(u64, u64)>,
    from: u64,
    /// Position of the hart, and whether its instruction is the first after a discontinuity.
    at: u64,
    first: bool,
    extras: Extras,
    /// Mode and address space of the next instruction, and its time.
    context: retire::Context,
    time: u64,
    /// Time of the last jump or branch; of one that began with a periodic synchronization, that of this.
    last_time: u64,
    /// Context after the trap, gap or start that comes next.
    next_context: Option<retire::Context>,
    /// With [`Extras::port_only`]: a trap after which no instruction has retired.
    waiting_trap: Option<Step>,
    /// Instructions since the last synchronization; and with [`Extras::port_only`] whether the next instruction begins with one,
    /// unless a trap comes before it.
    unsynchronized: u64,
    due: bool,
    ended: QualStatus,
    packets: u64,
    bytes: Vec<u8>,
    /// Number of the instruction that reports the bytes up to a position.
    dues: Vec<(u64, usize)>,
    stats: Stats,
}

impl<'a> Encoder<'a> {
    /// Initial state, after the support packet that announces the active modes.
    pub fn new(options: Options, image: &'a Image, xlen: u8) -> Result<Self, EtraceError> {
        Self::with_extras(options, Extras::default(), image, xlen)
    }

    /// As [`Encoder::new`], with what the sizes do not say.
    pub fn with_extras(options: Options, extras: Extras, image: &'a Image, xlen: u8) -> Result<Self, EtraceError> {
        let parameters = Parameters {
            notime_p: extras.time_width == 0,
            time_width_p: NonZeroU8::new(extras.time_width).unwrap_or(NonZeroU8::MIN),
            nocontext_p: extras.context_width == 0,
            context_width_p: NonZeroU8::new(extras.context_width).unwrap_or(NonZeroU8::MIN),
            sijump_p: extras.sequential_jumps,
            ..options.parameters(xlen)
        };
        let extras = Extras {
            resync: extras.resync.or((options.sync > 0).then_some(1 << options.sync)),
            full_address: extras.full_address || options.full,
            ..extras
        };
        let mut encoder = Self {
            image,
            options,
            parameters,
            extras,
            context: retire::Context::RESET,
            time: 0,
            last_time: 0,
            next_context: None,
            waiting_trap: None,
            unsynchronized: 0,
            due: false,
            tables: Tables::new(options),
            predictors: Clearing::new(1 << options.predictors),
            targets: Clearing::new(1 << options.jump_targets),
            current: None,
            before: Before::Nothing,
            branches: Branches::default(),
            address: 0,
            implicit: 0,
            returned_from: None,
            segments: Vec::new(),
            from: 0,
            at: 0,
            first: true,
            ended: QualStatus::EndedNtr,
            packets: 0,
            bytes: Vec::new(),
            dues: Vec::new(),
            stats: Stats::default(),
        };
        encoder.support(QualStatus::NoChange)?;
        Ok(encoder)
    }

    /// Number of packets so far; each has a header of 8 bits.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Takes the next event of the hart.
    ///
    /// # Errors
    /// E-Trace has no packet for the event, or there is code outside the program.
    pub fn push(&mut self, e: &FlowEvent) -> Result<(), EtraceError> {
        let synchronized = self.due && e.count == 1;
        if self.due && e.count > 0 {
            self.synchronize_next(self.at, self.last_time)?;
        }
        self.stats.instructions += u64::from(e.count);
        self.unsynchronized += u64::from(e.count);
        let kind = match e.kind {
            FlowKind::Start => {
                (self.at, self.first, self.time) = (e.target, true, e.cycle);
                self.change_context();
                return Ok(());
            }
            FlowKind::Conditional { taken } => Kind::Branch { taken },
            FlowKind::Jump => Kind::Jump,
            FlowKind::Call => Kind::Call,
            FlowKind::IndirectJump if self.is_sequential(e) => Kind::Jump,
            FlowKind::IndirectCall if self.is_sequential(e) => Kind::Call,
            FlowKind::IndirectJump | FlowKind::TrapReturn | FlowKind::CoSwap => Kind::Indirect,
            FlowKind::IndirectCall => Kind::IndirectCall,
            FlowKind::Return => Kind::Return,
            FlowKind::Trap { interrupt, cause } => {
                self.sequential(e.count)?;
                if self.extras.port_only {
                    let kind = Kind::Trap(trap::Info { ecause: 0, tval: Some(0) });
                    let trap = Step { time: self.last_time, ..self.at(e.pc, kind) };
                    self.waiting_trap.get_or_insert(trap);
                    (self.unsynchronized, self.due) = (0, false);
                } else {
                    let info = trap::Info { ecause: cause.into(), tval: (!interrupt).then_some(0) };
                    self.step(self.at(e.pc, Kind::Trap(info)))?;
                }
                (self.at, self.first, self.time) = (e.target, true, e.cycle);
                self.change_context();
                return Ok(());
            }
            FlowKind::Stop => return self.sequential(e.count),
            FlowKind::Context { context, alone } => {
                if !alone {
                    self.next_context = Some(context);
                    return Ok(());
                }
                self.sequential(e.count)?;
                self.synchronize_next(e.target, e.cycle)?;
                self.context = context;
                return Ok(());
            }
            FlowKind::Gap { .. } => {
                self.sequential(e.count)?;
                let mut status = QualStatus::TraceLost;
                if self.extras.filter {
                    if let Some(current) = self.current.take() {
                        self.process(current, Next::End)?;
                    }
                    status = self.ended;
                }
                self.synchronize_next(e.target, e.cycle)?;
                self.change_context();
                self.support(status)?;
                self.dues.push((self.stats.instructions + 1, self.bytes.len()));
                return Ok(());
            }
            FlowKind::ConditionalIndirect { .. } => return Err(EtraceError::NoPacket(format!("{:?}", e.kind))),
        };
        if self.first && e.count > 1 {
            self.plain(self.at, e.count - 1)?;
        }
        let indirect = matches!(kind, Kind::Indirect | Kind::IndirectCall | Kind::Return);
        self.step(Step { target: e.target, link: e.fall_through(), ..self.at(e.pc, kind) })?;
        (self.at, self.first) = (e.target, indirect);
        if !synchronized {
            self.last_time = e.cycle;
        }
        let due = self.extras.resync.is_some_and(|period| self.unsynchronized >= period);
        // the decoder could not know of a return that was not predicted
        let mispredicted = matches!(kind, Kind::Return) && self.tables.top().is_some_and(|top| top != e.target);
        if due && !mispredicted {
            match self.extras.port_only {
                true => self.due = true,
                false => self.synchronize_next(e.target, e.cycle)?,
            }
        }
        Ok(())
    }

    fn change_context(&mut self) {
        self.context = self.next_context.take().unwrap_or(self.context);
    }

    /// Reports what comes before the next instruction, at `pc`, which begins with a synchronization.
    fn synchronize_next(&mut self, pc: u64, time: u64) -> Result<(), EtraceError> {
        if let Some(current) = self.current.take() {
            self.process(current, Next::Sync)?;
        }
        self.waiting_trap = None;
        if self.extras.port_only {
            self.ended = QualStatus::EndedNtr;
        }
        self.before = Before::Nothing;
        (self.at, self.first, self.time, self.unsynchronized, self.due) = (pc, true, time, 0, false);
        Ok(())
    }

    /// Whether the instruction before an indirect jump gives its target.
    fn is_sequential(&self, e: &FlowEvent) -> bool {
        if !self.extras.sequential_jumps || e.count < 2 {
            return false;
        }
        let Some(before) = self.image.skip(self.at, e.count - 2) else { return false };
        let (Some((load, _)), Some((jump, _))) = (self.image.instruction(before), self.image.instruction(e.pc)) else {
            return false;
        };
        sequential::is_pair(load, jump)
    }

    /// Takes an instruction that is neither a branch nor a jump; `after`: instructions of the same event after it.
    fn plain(&mut self, pc: u64, after: u32) -> Result<(), EtraceError> {
        let step = self.at(pc, Kind::Plain);
        self.step(Step { number: step.number - u64::from(after), ..step })
    }

    /// A step in the current context, at the last instruction of the current event.
    fn at(&self, pc: u64, kind: Kind) -> Step {
        let number = self.stats.instructions;
        Step { pc, kind, number, target: 0, link: 0, context: self.context, time: self.time }
    }

    /// Takes `count` instructions that are not branches, before a trap or the end.
    fn sequential(&mut self, count: u32) -> Result<(), EtraceError> {
        if count > 0 && (self.first || count == 1) {
            self.plain(self.at, count - 1)?;
        }
        if count > 1 {
            let outside = EtraceError::OutsideCode { packet: self.packets, pc: self.at };
            self.plain(self.image.skip(self.at, count - 1).ok_or(outside)?, 0)?;
        }
        Ok(())
    }

    /// Takes the next step; the previous one can now be reported.
    fn step(&mut self, next: Step) -> Result<(), EtraceError> {
        if let Some(trap) = self.waiting_trap.take() {
            self.replace(trap)?;
        }
        self.replace(next)
    }

    fn replace(&mut self, next: Step) -> Result<(), EtraceError> {
        let kind = if matches!(next.kind, Kind::Trap(_)) { Next::Trap } else { Next::Step };
        match self.current.replace(next) {
            Some(current) => self.process(current, kind),
            None => Ok(()),
        }
    }

    fn process(&mut self, c: Step, next: Next) -> Result<(), EtraceError> {
        self.packets_of(c, next)?;
        self.dues.push((c.number + 1, self.bytes.len()));
        Ok(())
    }

    fn packets_of(&mut self, c: Step, next: Next) -> Result<(), EtraceError> {
        if let Kind::Trap(info) = c.kind {
            if self.extras.port_only && matches!(self.before, Before::Nothing) {
                return Ok(());
            }
            // the target of a jump, if none of its instructions retired, and the first instruction of a trace
            let reported = matches!(self.before, Before::Jump(_) | Before::Nothing);
            if reported {
                self.trap(info, false, &c, true)?;
            }
            self.before = Before::Trap { info, reported };
            return Ok(());
        }
        let synchronise = matches!(self.before, Before::Nothing | Before::Trap { .. });
        if synchronise {
            self.tables.reset();
            self.predictors.synchronize(c.number);
            self.targets.synchronize(c.number);
            self.forget(c.pc);
        }
        let mut failed = false;
        let mut not_taken = true;
        if let Kind::Branch { taken } = c.kind {
            let is_on = self.predictors.is_on() || !self.extras.port_only;
            if !synchronise {
                self.predictors.used();
            }
            let predicted = self.tables.predict(c.pc).filter(|_| is_on);
            failed = predicted.is_some_and(|p| p != taken);
            not_taken = !taken;
            self.branches.push(taken, predicted);
            self.tables.outcome(c.pc, taken);
        }
        let inferred = matches!(self.before, Before::Plain | Before::Return);
        self.ended = if inferred { QualStatus::EndedRep } else { QualStatus::EndedNtr };
        let mut reported_address = true;
        match self.before {
            Before::Nothing | Before::Trap { reported: true, .. } => self.start(&c, not_taken)?,
            Before::Trap { info, reported: false } => self.trap(info, true, &c, not_taken)?,
            Before::Jump(irdepth) => {
                let info =
                    AddressInfo { updiscon: matches!(next, Next::Trap | Next::Sync), irdepth, ..self.delta(c.pc) };
                let is_on = self.targets.is_on() || !self.extras.port_only;
                self.targets.used();
                let index = self.tables.look_up(c.pc).filter(|_| !info.updiscon && is_on);
                self.report(c.pc, info, index, failed)?;
            }
            Before::Plain | Before::Return if next != Next::Step => {
                if !matches!(c.kind, Kind::Branch { .. }) {
                    self.disambiguate(c.pc)?;
                }
                if !(next == Next::Trap && self.is_uninferable(&c)) {
                    self.lead(&c)?;
                }
                // without `notify`, decoders expect the target of a return that is not implicit
                let notify = matches!(self.before, Before::Return);
                self.report(c.pc, AddressInfo { notify, ..self.delta(c.pc) }, None, failed)?;
            }
            Before::Plain | Before::Return => reported_address = self.branches_alone(c.pc, failed)?,
        }
        self.leave(c, reported_address)
    }

    /// Reports branches at a count of 31, or a misprediction after 31 correct ones; returns whether the address is included.
    fn branches_alone(&mut self, pc: u64, failed: bool) -> Result<bool, EtraceError> {
        let Branches { count, correct, .. } = self.branches;
        if failed && count > FULL {
            self.branches = Branches::default();
            self.put(&BranchCount { branch_count: (correct - FULL) as u32, kind: BranchKind::NoAddr }.into())?;
        } else if count == FULL && correct < FULL {
            let branch_map = self.branches.map();
            self.branches = Branches::default();
            self.put(&Branch { branch_map, address: None }.into())?;
        } else if correct == FULL + if self.extras.port_only { MAX_PREDICTED } else { u32::MAX.into() } {
            // a decoder would take an address without `notify` for a later visit, as no synchronization follows
            self.report(pc, AddressInfo { notify: true, ..self.delta(pc) }, None, false)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Continues after step `c`; `reported_address`: its address was reported.
    fn leave(&mut self, c: Step, reported_address: bool) -> Result<(), EtraceError> {
        self.before = match c.kind {
            Kind::Plain | Kind::Branch { .. } | Kind::Jump | Kind::Call | Kind::Trap(_) => Before::Plain,
            Kind::Indirect | Kind::IndirectCall => Before::Jump(None),
            Kind::Return => match self.tables.top() {
                Some(top) if top == c.target => Before::Return,
                Some(_) => Before::Jump(Some(self.tables.depth())),
                None => Before::Jump(None),
            },
        };
        let notify = match self.before {
            // the decoder takes the first return at this depth, and may stop at an earlier visit of the target
            Before::Jump(depth) if self.extras.port_only => depth.is_some(),
            // of two implicit returns at one address, a decoder that looks for the address takes the first
            Before::Return if self.extras.port_only => self.returned_from.is_some(),
            _ if self.extras.port_only => false,
            Before::Jump(Some(depth)) => self.implicit >> depth & 1 == 1 || self.was_at(c.pc, c.target),
            _ => self.segments.len() >= MAX_SEGMENTS,
        };
        if notify && !reported_address {
            self.lead(&c)?;
            self.disambiguate(c.pc)?;
            self.report(c.pc, AddressInfo { notify: true, ..self.delta(c.pc) }, None, false)?;
        }
        match (c.kind, self.before) {
            (Kind::Plain | Kind::Trap(_), _) => return Ok(()),
            (Kind::Branch { .. }, _) => {
                self.segments.clear();
                self.returned_from = None;
            }
            _ if self.from <= c.pc && !self.extras.port_only => self.segments.push((self.from, c.pc)),
            _ => {}
        }
        match c.kind {
            Kind::Call | Kind::IndirectCall => self.tables.call(c.link),
            Kind::Return if matches!(self.before, Before::Return) => {
                self.implicit |= 1 << self.tables.depth();
                self.tables.pop();
                self.returned_from = Some(c.pc).filter(|_| self.extras.port_only && !notify && !reported_address);
            }
            _ => {}
        }
        self.from = c.target;
        Ok(())
    }

    /// Whether `c` is a jump that must be reported.
    fn is_uninferable(&self, c: &Step) -> bool {
        match c.kind {
            Kind::Indirect | Kind::IndirectCall => true,
            Kind::Return => self.tables.top() != Some(c.target),
            _ => false,
        }
    }

    /// Reports the last implicit return, if there was no branch since: the decoder could take a visit of `c` before it. The return itself
    /// is at the first visit of its address.
    fn lead(&mut self, c: &Step) -> Result<(), EtraceError> {
        match self.returned_from.take().filter(|_| !matches!(c.kind, Kind::Branch { .. })) {
            Some(pc) => self.report(pc, AddressInfo { notify: true, ..self.delta(pc) }, None, false),
            None => Ok(()),
        }
    }

    /// Whether the path since the last branch or packet, which has reached `pc`, contains `address`.
    fn was_at(&self, pc: u64, address: u64) -> bool {
        self.segments.iter().chain([&(self.from, pc)]).any(|(a, b)| (*a..=*b).contains(&address))
    }

    /// Sends packets until the decoder cannot mistake an earlier visit of `pc` for this one.
    fn disambiguate(&mut self, pc: u64) -> Result<(), EtraceError> {
        let segments = std::mem::take(&mut self.segments);
        let holds = |p: &(u64, u64), address| (p.0..=p.1).contains(&address);
        let mut rest = segments.as_slice();
        while rest.iter().any(|p| holds(p, pc)) {
            // the farthest end of a segment that is on no earlier segment
            let far = (0..rest.len()).rev().find(|j| !rest[..*j].iter().any(|p| holds(p, rest[*j].1))).unwrap_or(0);
            let end = rest[far].1;
            self.report(end, AddressInfo { notify: true, ..self.delta(end) }, None, false)?;
            rest = &rest[far + 1..];
        }
        Ok(())
    }

    /// Discards the remembered segments: the path is known up to `pc`.
    fn forget(&mut self, pc: u64) {
        self.segments.clear();
        self.from = pc + 1;
    }

    fn delta(&self, pc: u64) -> AddressInfo {
        let base = if self.extras.full_address { 0 } else { self.address };
        let address = pc.wrapping_sub(base) as i64;
        AddressInfo { address, notify: false, updiscon: false, irdepth: None }
    }

    /// As [`Encoder::finish`]: the bytes, and for those up to each position the number of the instruction with which they are reported.
    ///
    /// # Errors
    /// As [`Encoder::finish`].
    pub(super) fn finish_with_dues(mut self) -> Result<Reported, EtraceError> {
        let dues = std::mem::take(&mut self.dues);
        Ok((self.finish()?.bytes, dues))
    }

    /// Ends the packets: reports the last instruction and the end of the trace.
    pub fn finish(mut self) -> Result<Encoded, EtraceError> {
        if let Some(current) = self.current.take() {
            self.process(current, Next::End)?;
        }
        self.support(self.ended)?;
        let bits = 8 * self.bytes.len() as u64;
        Ok(Encoded { bytes: self.bytes, bits, stats: self.stats })
    }
}
