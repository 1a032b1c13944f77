//! The retire log: events from the cores' own retirement wires
//!
//! It uses neither the adapters nor the trace: instruction words come from the ELF, addresses from the core. The next
//! address of each instruction is checked against the instruction that follows.

use retire::elf::Program;
use retire::isa::{flow, length, Flow, Indirect};
use retire::{FlowEvent, FlowKind};

/// Error in the output of a core's retirement wires.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The program has no code at the address.
    #[error("cycle {cycle}, core {core}: an instruction retires at 0x{pc:08x}, where the program has no code")]
    NoCode {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u32,
    },
    /// The instruction does not follow the previous one.
    #[error("cycle {cycle}, core {core}: 0x{pc:08x} retires, but 0x{before:08x} went to 0x{npc:08x}")]
    Broken {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u32,
        /// Address of the previous instruction.
        before: u32,
        /// Next address that the core reported for it.
        npc: u32,
    },
    /// The number of accesses does not match the instruction.
    #[error("cycle {cycle}, core {core}: 0x{pc:08x} retires with {made} accesses of the bus before it")]
    Accesses {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u32,
        /// Accesses of the core since its last instruction.
        made: usize,
    },
}

/// Code of a program, by address.
#[derive(Clone, Debug)]
pub(super) struct Code {
    base: u64,
    bytes: Vec<u8>,
}

impl Code {
    pub(super) fn new(program: &Program) -> Self {
        let code = program.code();
        let base = code.clone().map(|(addr, _)| addr).min().unwrap_or(0);
        let mut bytes = Vec::new();
        for (addr, data) in code {
            let at = (addr - base) as usize;
            if bytes.len() < at + data.len() {
                bytes.resize(at + data.len(), 0);
            }
            bytes[at..at + data.len()].copy_from_slice(data);
        }
        Self { base, bytes }
    }

    pub(super) fn insn(&self, pc: u32) -> Option<u32> {
        let at = usize::try_from(u64::from(pc).checked_sub(self.base)?).ok()?;
        let half = |at: usize| Some(u32::from(u16::from_le_bytes(self.bytes.get(at..at + 2)?.try_into().ok()?)));
        let low = half(at)?;
        if length(low as u16) == 2 {
            Some(low)
        } else {
            Some(low | half(at + 2)? << 16)
        }
    }
}

/// An instruction whose next address is not yet checked.
#[derive(Clone, Copy, Debug)]
struct Last {
    pc: u32,
    npc: u32,
    insn: u32,
    cycle: u64,
    /// Instructions since the last event, including this one.
    count: u32,
}

#[derive(Clone, Debug, Default)]
struct Core {
    last: Option<Last>,
    started: bool,
    /// Traps since the last instruction: address of the first, cause of the last.
    trap: Option<(u32, u32)>,
    count: u32,
    instructions: u64,
}

/// Converts retired instructions and traps to events.
#[derive(Debug)]
pub struct Log {
    code: Code,
    cores: Vec<Core>,
    events: Vec<FlowEvent>,
}

fn kind(insn: u32, fall_through: u32, target: u32) -> Option<FlowKind> {
    Some(match flow(insn, 32) {
        Flow::Sequential => return None,
        Flow::Conditional { .. } => FlowKind::Conditional { taken: fall_through != target },
        Flow::Jump { call: false, .. } => FlowKind::Jump,
        Flow::Jump { call: true, .. } => FlowKind::Call,
        Flow::Indirect(Indirect::Jump) => FlowKind::IndirectJump,
        Flow::Indirect(Indirect::Call) => FlowKind::IndirectCall,
        Flow::Indirect(Indirect::Return) => FlowKind::Return,
        Flow::Indirect(Indirect::CoSwap) => FlowKind::CoSwap,
        Flow::TrapReturn => FlowKind::TrapReturn,
    })
}

impl Log {
    /// Creates a log of `cores` cores that run `program`.
    pub fn new(program: &Program, cores: u8) -> Self {
        Self { code: Code::new(program), cores: vec![Core::default(); usize::from(cores)], events: Vec::new() }
    }

    /// Core `core` retires the instruction at `pc` and reports `npc` as the next address.
    pub fn retired(&mut self, core: u8, cycle: u64, pc: u32, npc: u32) -> Result<(), LogError> {
        let insn = self.code.insn(pc).ok_or(LogError::NoCode { cycle, core, pc })?;
        let c = &mut self.cores[usize::from(core)];
        let event = |kind, pc, target| FlowEvent { hart: core, kind, len: 0, count: 0, pc, target, cycle };
        if let Some((mepc, cause)) = c.trap.take() {
            if c.started {
                close(c, core, mepc, &mut self.events)?;
                let kind = FlowKind::Trap { interrupt: cause >> 4 & 1 == 1, cause: (cause & 15) as u8 };
                let count = std::mem::take(&mut c.count);
                self.events.push(FlowEvent { count, ..event(kind, mepc.into(), pc.into()) });
            }
        } else {
            close(c, core, pc, &mut self.events)?;
        }
        if !c.started {
            c.started = true;
            self.events.push(event(FlowKind::Start, pc.into(), pc.into()));
        }
        c.count += 1;
        c.instructions += 1;
        c.last = Some(Last { pc, npc, insn, cycle, count: c.count });
        Ok(())
    }

    /// Core `core` takes a trap: `mepc` is the address at which it would have continued; bit 4 of `cause`: an
    /// interrupt.
    pub fn trap(&mut self, core: u8, mepc: u32, cause: u32) {
        let c = &mut self.cores[usize::from(core)];
        let first = c.trap.map_or(mepc, |(first, _)| first);
        c.trap = Some((first, cause));
    }

    /// Ends the log in `cycle`, or with the last instruction if a core still retired one in the cycle in which it was
    /// stopped. Returns all events in global commit order, and the number of instructions of each core.
    pub fn finish(mut self, cycle: u64) -> Result<(Vec<FlowEvent>, Vec<u64>), LogError> {
        let cycle = self.cores.iter().filter_map(|c| c.last.map(|l| l.cycle)).fold(cycle, u64::max);
        for (i, c) in self.cores.iter_mut().enumerate() {
            let Some(last) = c.last else { continue };
            let core = i as u8;
            close(c, core, last.npc, &mut self.events)?;
            let pc = u64::from(last.npc);
            let count = c.count;
            self.events.push(FlowEvent { hart: core, kind: FlowKind::Stop, len: 0, count, pc, target: pc, cycle });
        }
        // sorted already within each core
        self.events.sort_by_key(|e| (e.cycle, e.hart));
        Ok((self.events, self.cores.iter().map(|c| c.instructions).collect()))
    }
}

/// Adds the event of the last instruction, if it has one, once its next address is known.
fn close(c: &mut Core, core: u8, target: u32, events: &mut Vec<FlowEvent>) -> Result<(), LogError> {
    let Some(last) = c.last.take() else { return Ok(()) };
    let xret = flow(last.insn, 32) == Flow::TrapReturn;
    if last.npc != target && !xret {
        let Last { pc: before, npc, cycle, .. } = last;
        return Err(LogError::Broken { cycle, core, pc: target, before, npc });
    }
    let len = length(last.insn as u16);
    if let Some(kind) = kind(last.insn, last.pc.wrapping_add(len.into()), target) {
        let (pc, target) = (last.pc.into(), target.into());
        events.push(FlowEvent { hart: core, kind, len, count: last.count, pc, target, cycle: last.cycle });
        c.count = 0;
    }
    Ok(())
}
