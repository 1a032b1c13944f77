//! Replay: re-executes cores with their values, from ELF, control flow and load values
//!
//! Takes the control-flow events that the replay of a trace reports, and executes each core up to each of its events. Code
//! comes from the ELF and from the core's own stores, values come from the [`Decoder`]. Nothing is known about other cores
//! and devices. The events of the re-executed core must match those of the trace.
//!
//! # Traps
//! The event of a trap gives its address. If the instruction at that address traps, that is the cause; otherwise it is an
//! interrupt, or an access that a device refused. The trace does not say which, so the cause and value of a trap
//! (`mcause`, `mtval`) are values that have records when the handler reads them.
//!
//! # A shared cache
//! The stream of values contains the order in which the cores used the cache. A core that makes an access when it is not its
//! turn waits there, and its events are queued, until the other cores have had their turns.
//!
//! Not supported: code that another core wrote, gaps, and what was executed before tracing began.

use super::decoder::{Decoder, Mismatch, Records, StreamError, View};
use super::order::Turns;
use super::{is_open_csr, CfiatParams};
use crate::riscv::any_sink::Erased;
use crate::riscv::bus::Bus;
use crate::riscv::code::CodeCache;
use crate::riscv::csr::View as CsrView;
use crate::riscv::hart::{At, Break, Hart, Shared, State};
use crate::riscv::isa::{Isa, Profile};
use crate::riscv::memory::Effect;
use crate::riscv::timing::{Caches, Timing};
use crate::riscv::tohost::taken;
use retire::elf::{HostInterface, Program};
use retire::{FlowEvent, FlowKind, NullSink, RetireSink};
use std::collections::VecDeque;
use std::sync::Arc;

/// Maximum number of consecutive traps without an instruction; more occur in no valid program.
const TRAPS: u32 = 1000;

/// Error that ends a replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Cores or a program that cannot be re-executed.
    #[error("{0}")]
    Cannot(String),
    /// An invalid stream.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// Records do not match the execution.
    #[error("{wrong}, at pc 0x{pc:08x} after {retired} instructions; the values are not of this run, or damaged")]
    Value {
        /// What is wrong.
        wrong: Mismatch,
        /// Address of the instruction.
        pc: u64,
        /// Instructions of the core before it.
        retired: u64,
    },
    /// Control flow does not match the execution.
    #[error(
        "core {core}, pc 0x{pc:08x} after {retired} instructions: {what}; a value before was wrong, or the traces are \
             not of one run"
    )]
    Path {
        /// Core.
        core: u8,
        /// Address of the instruction.
        pc: u64,
        /// Instructions of the core before it.
        retired: u64,
        /// What differed.
        what: String,
    },
}

/// The bus of the re-executed cores: code and values.
#[derive(Clone, Debug)]
struct World {
    decoder: Decoder,
    /// Initial contents.
    ram: Arc<[u8]>,
    base: u32,
    /// Halfwords that each core wrote, where code can be.
    written: Vec<std::collections::HashMap<u64, u16>>,
    /// The core that fetches code.
    core: usize,
    /// Trial execution: nothing may be taken from outside.
    trial: bool,
    wrong: Option<Mismatch>,
    /// Address of commands to the host, which reads back as 0.
    tohost: Option<HostInterface>,
    /// Of a shared cache.
    turns: Option<Turns>,
    /// The instruction has made an access, so it cannot wait any more.
    has_accessed: bool,
    /// The core has to wait for its turn.
    must_wait: bool,
}

impl World {
    fn ok<T>(&mut self, result: Result<T, Mismatch>) -> Result<T, Break> {
        result.map_err(|wrong| {
            self.wrong = Some(wrong);
            Break::Input
        })
    }

    /// Takes an access to the cache in the core's turn, or makes the core wait.
    #[inline]
    fn turn(&mut self, hart: usize) -> Result<(), Break> {
        let Some(turns) = &mut self.turns else { return Ok(()) };
        if turns.take(hart as u8) {
            self.has_accessed = true;
            return Ok(());
        }
        self.must_wait = true;
        Err(Break::Input)
    }

    #[inline]
    fn is_code(&self, addr: u64) -> Option<usize> {
        let offset = addr.wrapping_sub(self.base.into()) as usize;
        (offset < self.ram.len()).then_some(offset)
    }

    fn loaded(&self, addr: u64) -> Option<u16> {
        let offset = self.is_code(addr)?;
        let bytes = self.ram.get(offset..offset + 2)?;
        Some(u16::from_le_bytes([bytes[0], bytes[1]]))
    }
}

impl Bus for World {
    fn half(&self, addr: u64) -> Option<u16> {
        let loaded = self.loaded(addr)?;
        Some(self.written[self.core].get(&(addr & !1)).copied().unwrap_or(loaded))
    }

    fn in_ram<const N: usize>(&self, addr: u64) -> bool {
        let offset = addr.wrapping_sub(self.base.into()) as usize;
        offset <= self.ram.len() - N
    }

    fn read<const N: usize>(&mut self, hart: usize, addr: u64, _: u64) -> Result<u64, Break> {
        if self.trial {
            return Err(Break::Input);
        }
        if self.turns.is_some() && self.decoder.is_ram(addr, N as u8) {
            self.turn(hart)?;
        }
        let value = self.decoder.load(hart as u8, addr, N as u8);
        self.ok(value)
    }

    fn write<const N: usize>(&mut self, hart: usize, addr: u64, value: u64, _: u64) -> Result<Effect, Break> {
        if self.trial {
            return Err(Break::Input);
        }
        if self.turns.is_some() && self.decoder.is_ram(addr, N as u8) {
            self.turn(hart)?;
        }
        let mut bytes = value.to_le_bytes();
        bytes[taken(self.tohost, addr, N)].fill(0);
        let value = u64::from_le_bytes(bytes) & (u64::MAX >> (64 - 8 * N));
        self.decoder.store(hart as u8, addr, N as u8, value);
        for (i, byte) in bytes.into_iter().take(N).enumerate() {
            let at = addr.wrapping_add(i as u64);
            let Some(loaded) = self.loaded(at & !1) else { continue };
            let half = self.written[hart].entry(at & !1).or_insert(loaded);
            let mut bytes = half.to_le_bytes();
            bytes[at as usize & 1] = byte;
            *half = u16::from_le_bytes(bytes);
        }
        Ok(Effect::None)
    }

    fn exchange<const N: usize>(
        &mut self,
        hart: usize,
        addr: u64,
        f: impl FnOnce(u64) -> u64,
        cycle: u64,
    ) -> Result<(u64, u64), Break> {
        let old = self.read::<N>(hart, addr, cycle)?;
        let new = f(old);
        self.write::<N>(hart, addr, new, cycle)?;
        Ok((old, new))
    }

    fn reserve(&mut self, _: usize, _: u64, _: u8) {}

    fn take_reservation(&mut self, hart: usize, _: u64) -> Result<bool, Break> {
        if self.trial {
            return Err(Break::Input);
        }
        self.turn(hart)?;
        let stored = self.decoder.conditional(hart as u8);
        self.ok(stored)
    }

    fn view(&self, hart: &Hart, at: &At) -> CsrView {
        CsrView { hart: hart.index.into(), mip: 0, cycle: 0, instret: at.instret, time: 0 }
    }

    fn open_csr(&mut self, hart: usize, number: u32) -> Result<Option<u64>, Break> {
        if !is_open_csr(number) {
            return Ok(None);
        }
        if self.trial {
            return Err(Break::Input);
        }
        let value = self.decoder.csr(hart as u8);
        self.ok(value).map(Some)
    }

    fn unmodelled(&mut self, _: usize, insn: u32, _: [u64; 2]) -> Result<u64, Break> {
        Err(Break::Trap(2, insn.into()))
    }
}

/// A sink that forwards the output of a hart and checks its events against those of the trace.
struct CheckingSink<'a, S> {
    sink: &'a mut S,
    expected: &'a mut VecDeque<FlowEvent>,
    /// The first event that did not match, and the expected one.
    wrong: Option<(FlowEvent, Option<FlowEvent>)>,
}

impl<S: RetireSink> RetireSink for CheckingSink<'_, S> {
    const WANTS_DATA: bool = S::WANTS_DATA;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;

    fn event(&mut self, e: &FlowEvent) {
        let expected = self.expected.pop_front();
        if !expected.is_some_and(|w| w.same_flow(e)) && self.wrong.is_none() {
            self.wrong = Some((*e, expected));
        }
        self.sink.event(e);
    }

    retire::forward!(sink: data, stack_pointer, note, master);
}

/// Replay: re-executes all cores along their control flow.
#[derive(Clone, Debug)]
pub struct Replay {
    harts: Vec<Hart>,
    world: World,
    /// One per core, since they may write different code.
    code: Vec<CodeCache>,
    caches: Caches,
    timing: Timing,
    /// Expected events that a core has not reported yet.
    expected: Vec<VecDeque<FlowEvent>>,
    /// Instruction count of each core at its last event.
    goal: Vec<u64>,
    /// Events that a core has not reached because it waits for its turn; and whether the first of them is in `expected`.
    queued_events: Vec<(VecDeque<FlowEvent>, bool)>,
    stopped: Vec<bool>,
}

impl Replay {
    /// State at reset.
    ///
    /// # Errors
    /// The stream is invalid, the parameters are not supported, or the program cannot be executed.
    pub fn new(
        params: &CfiatParams,
        program: &Program,
        words: impl IntoIterator<Item = u32>,
    ) -> Result<Self, ReplayError> {
        params.check().map_err(|e| ReplayError::Cannot(e.to_string()))?;
        let bytes = params.ram_last - params.ram_base;
        if params.xlen != 32 || program.xlen != 32 || bytes >= 1 << 30 || params.ram_last > u32::MAX.into() {
            let what = "only 32-bit cores with up to 1 GiB of memory can be re-executed";
            return Err(ReplayError::Cannot(what.into()));
        }
        let records = Records::read(params, words)?;
        // view: all accesses in their order, or each core alone
        let turns = records.turns.clone();
        let view = if turns.is_some() { View::All } else { View::Own };
        let decoder = Decoder::new(params, view, records)?;
        let mut ram = vec![0; bytes as usize + 1];
        for s in &program.segments {
            let offset = s.addr.wrapping_sub(params.ram_base) as usize;
            if let Some(place) = offset.checked_add(s.data.len()).and_then(|end| ram.get_mut(offset..end)) {
                place.copy_from_slice(&s.data);
            }
        }
        let cores = usize::from(params.cores);
        let base = params.ram_base as u32;
        let world = World {
            decoder,
            ram: ram.into(),
            base,
            written: vec![Default::default(); cores],
            core: 0,
            trial: false,
            wrong: None,
            tohost: program.tohost,
            turns,
            has_accessed: false,
            must_wait: false,
        };
        let timing = Timing::functional();
        Ok(Self {
            harts: (0..params.cores).map(|h| Hart::new(h, Isa::all(32), program.entry, 0)).collect(),
            world,
            code: vec![CodeCache::new(base, bytes as u32, Isa::all(32)); cores],
            caches: Caches::new(&timing, 1),
            timing,
            expected: vec![VecDeque::new(); cores],
            goal: vec![0; cores],
            queued_events: vec![Default::default(); cores],
            stopped: vec![false; cores],
        })
    }

    /// Selects the ISA profile of the cores; to be called before the first event.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        let isa = Isa::of(profile, 32);
        for hart in &mut self.harts {
            *hart = Hart::new(hart.index, isa, hart.at.pc, 0);
        }
        let bytes = self.world.ram.len() as u32 - 1;
        self.code = vec![CodeCache::new(self.world.base, bytes, isa); self.harts.len()];
        self
    }

    /// Registers of a core: x0 to x31.
    pub fn registers(&self, core: u8) -> [u64; 32] {
        let mut regs = [0; 32];
        regs[1..].copy_from_slice(&self.harts[usize::from(core)].regs[1..32]);
        regs
    }

    /// Address of the next instruction of a core.
    pub fn pc(&self, core: u8) -> u64 {
        self.harts[usize::from(core)].at.pc
    }

    /// Instructions that a core has retired.
    pub fn retired(&self, core: u8) -> u64 {
        self.harts[usize::from(core)].at.instret
    }

    /// Number of values that a core has taken.
    pub fn values(&self, core: u8) -> u64 {
        self.world.decoder.values(core)
    }

    fn path(&self, core: usize, what: impl Into<String>) -> ReplayError {
        let at = self.harts[core].at;
        ReplayError::Path { core: core as u8, pc: at.pc, retired: at.instret, what: what.into() }
    }

    /// Executes a core up to its next event; `sink` gets what it does.
    ///
    /// # Errors
    /// The execution does not match the event.
    pub fn event(&mut self, e: &FlowEvent, sink: &mut impl RetireSink) -> Result<(), ReplayError> {
        let core = usize::from(e.hart);
        if core >= self.harts.len() {
            return Err(ReplayError::Cannot(format!("the control flow has a core {core}, the values have not")));
        }
        if self.stopped[core] {
            return Err(self.path(core, "the control flow continues after its stop"));
        }
        if matches!(e.kind, FlowKind::Gap { .. }) {
            return Err(self.path(core, "the control flow has a gap"));
        }
        self.queued_events[core].0.push_back(*e);
        let mut next = core;
        loop {
            self.advance(next, sink)?;
            // a waiting core continues when its turn comes
            let turn = self.world.turns.as_ref().and_then(Turns::core).map(usize::from);
            match turn.filter(|turn| *turn != next && !self.queued_events[*turn].0.is_empty()) {
                Some(turn) => next = turn,
                None => return Ok(()),
            }
        }
    }

    /// Executes a core up to its queued events, or until it has to wait.
    fn advance(&mut self, core: usize, sink: &mut impl RetireSink) -> Result<(), ReplayError> {
        while let Some(e) = self.queued_events[core].0.front().copied() {
            if !std::mem::replace(&mut self.queued_events[core].1, true) {
                self.expected[core].push_back(e);
                self.goal[core] += u64::from(e.count);
            }
            while self.harts[core].at.instret < self.goal[core] {
                if !self.execute(core, sink)? {
                    return Ok(());
                }
            }
            self.reached(core, &e, sink)?;
            self.queued_events[core].0.pop_front();
            self.queued_events[core].1 = false;
        }
        Ok(())
    }

    /// Handles an event once its instructions have been executed.
    fn reached(&mut self, core: usize, e: &FlowEvent, sink: &mut impl RetireSink) -> Result<(), ReplayError> {
        match e.kind {
            FlowKind::Trap { .. } => self.trap(core, e),
            FlowKind::Start => Ok(()),
            FlowKind::Stop => {
                self.stopped[core] = true;
                if let Some(stop) = self.harts[core].stop(e.cycle) {
                    self.report_checked(core, sink, |checking_sink| checking_sink.event(&stop))?;
                }
                let finished = self.world.decoder.finish(e.hart);
                finished.map_err(|wrong| self.value(core, wrong))
            }
            _ if self.expected[core].is_empty() => Ok(()),
            _ => Err(self.path(core, format!("it continues without {}", what(e)))),
        }
    }

    /// Ends the replay: every core must have stopped.
    ///
    /// # Errors
    /// A core has not stopped.
    pub fn finish(&self) -> Result<(), ReplayError> {
        if let Some(core) = self.queued_events.iter().position(|(events, _)| !events.is_empty()) {
            return Err(self.path(core, "it waits for a turn that the trace does not have"));
        }
        if self.world.turns.as_ref().is_some_and(|turns| !turns.is_over()) {
            return Err(self.path(0, "the order of the cores continues after their stops"));
        }
        match self.stopped.iter().position(|s| !s) {
            // a core that retired nothing has no stop
            Some(core) if self.harts[core].at.instret > 0 || self.world.decoder.finish(core as u8).is_err() => {
                Err(self.path(core, "the control flow has no stop of it"))
            }
            _ => Ok(()),
        }
    }

    fn value(&self, core: usize, wrong: Mismatch) -> ReplayError {
        let at = self.harts[core].at;
        ReplayError::Value { wrong, pc: at.pc, retired: at.instret }
    }

    /// Runs `f` with a checking sink; fails if an event does not match.
    fn report_checked<S: RetireSink, T>(
        &mut self,
        core: usize,
        sink: &mut S,
        f: impl FnOnce(&mut CheckingSink<'_, S>) -> T,
    ) -> Result<T, ReplayError> {
        let mut checking_sink = CheckingSink { sink, expected: &mut self.expected[core], wrong: None };
        let result = f(&mut checking_sink);
        match checking_sink.wrong {
            None => Ok(result),
            Some((found, Some(right))) => {
                Err(self.path(core, format!("{}, the trace has {}", what(&found), what(&right))))
            }
            Some((found, None)) => Err(self.path(core, format!("{}, the trace has none", what(&found)))),
        }
    }

    #[inline]
    fn single<S: RetireSink>(&mut self, core: usize, sink: &mut S) -> Result<(), Break> {
        self.world.core = core;
        let hart = &mut self.harts[core];
        hart.at.cycle = hart.at.instret;
        let mut shared = Shared { memory: &mut self.world, caches: &mut self.caches, timing: &self.timing };
        if hart.pending.is_some() {
            hart.single::<_, _, false, true, false>(&mut shared, &mut self.code[core], sink)
        } else {
            hart.single::<_, _, false, false, false>(&mut shared, &mut self.code[core], sink)
        }
    }

    /// Executes one instruction, which retires; returns false if it has to wait for the core's turn.
    fn execute<S: RetireSink>(&mut self, core: usize, sink: &mut S) -> Result<bool, ReplayError> {
        match S::WANTS_DATA {
            false => self.execute_for(core, &mut Erased::<false>(sink)),
            true => self.execute_for(core, &mut Erased::<true>(sink)),
        }
    }

    /// [`Replay::execute`] for a sink of any type.
    fn execute_for<const DATA: bool>(&mut self, core: usize, sink: &mut Erased<'_, DATA>) -> Result<bool, ReplayError> {
        self.world.has_accessed = false;
        let mut expected = std::mem::take(&mut self.expected[core]);
        let mut checking_sink = CheckingSink { sink, expected: &mut expected, wrong: None };
        let end = self.single(core, &mut checking_sink);
        let wrong = checking_sink.wrong;
        self.expected[core] = expected;
        match (end, wrong) {
            (Err(Break::Input), None) if std::mem::take(&mut self.world.must_wait) => match self.world.has_accessed {
                false => Ok(false),
                true => Err(self.path(core, "its turn ends inside an instruction")),
            },
            (Err(Break::Input), _) => match self.world.wrong.take() {
                Some(wrong) => Err(self.value(core, wrong)),
                None => Err(self.path(core, "it takes something from outside")),
            },
            (Err(Break::Trap(cause, _)), _) => {
                Err(self.path(core, format!("it traps with cause {cause}, and the trace has no trap here")))
            }
            (_, Some((found, Some(right)))) => {
                Err(self.path(core, format!("{}, the trace has {}", what(&found), what(&right))))
            }
            (_, Some((found, None))) => Err(self.path(core, format!("{}, the trace has none here", what(&found)))),
            (Err(Break::FenceI), None) => {
                self.code[core].clear();
                Ok(true)
            }
            (Ok(()) | Err(Break::Bound | Break::Interrupts | Break::Wait | Break::Exit(_)), None) => Ok(true),
        }
    }

    /// Takes the trap at the current position of the core.
    #[cold]
    fn trap(&mut self, core: usize, e: &FlowEvent) -> Result<(), ReplayError> {
        if self.harts[core].at.pc != e.pc {
            return Err(self.path(core, format!("the trace has a trap at 0x{:08x}", e.pc)));
        }
        for _ in 0..TRAPS {
            let before = self.harts[core].clone();
            self.world.trial = true;
            let end = self.single(core, &mut NullSink);
            self.world.trial = false;
            self.harts[core] = before;
            let hart = &mut self.harts[core];
            match end {
                Err(Break::Trap(cause, tval)) => hart.trap(false, cause, tval),
                _ => {
                    // with vectored handlers, the address gives the cause
                    let base = hart.csrs.mtvec & !3;
                    let cause = match hart.csrs.mtvec & 1 {
                        1 => (e.target.wrapping_sub(base) / 4) as u32,
                        _ => 0,
                    };
                    hart.trap(true, cause, 0);
                }
            }
            let hart = &self.harts[core];
            if hart.at.pc == e.target {
                return Ok(());
            }
            if hart.state == State::Locked {
                break;
            }
        }
        Err(self.path(core, format!("no trap here leads to 0x{:08x}, where the trace goes on", e.target)))
    }
}

fn what(e: &FlowEvent) -> String {
    let kind = match e.kind {
        FlowKind::Conditional { taken: true } => "a branch taken",
        FlowKind::Conditional { taken: false } => "a branch not taken",
        FlowKind::Start => "a start",
        FlowKind::Stop => "a stop",
        FlowKind::Trap { .. } => "a trap",
        _ => "a jump",
    };
    format!("{kind} at 0x{:08x} to 0x{:08x}", e.pc, e.target)
}
