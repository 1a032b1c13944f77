//! The retire log of a tile: events and addresses from its wires

use super::TileKind;
use retire::isa::{flow, length, Flow, Indirect};
use retire::{Context, FlowEvent, FlowKind};
use sim::beats::chain::Chain;
use sim::beats::Retired;
use sim::replay::Images;

/// Error in the output of a tile's log wires.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The instruction differs from the program's.
    #[error("cycle {cycle}, core {core}: 0x{insn:08x} retires at 0x{pc:08x}, where the program has {code}")]
    Code {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u64,
        /// Instruction from the core.
        insn: u32,
        /// Instruction of the program.
        code: String,
    },
    /// The instruction cannot retire, as it always traps.
    #[error("cycle {cycle}, core {core}: 0x{insn:08x} retires at 0x{pc:08x}, an instruction that always traps")]
    Traps {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u64,
        /// The instruction.
        insn: u32,
    },
    /// A way that the instruction does not go.
    #[error("cycle {cycle}, core {core}: 0x{pc:08x} retires after 0x{before:08x}, which does not go there, and no trap is reported")]
    Broken {
        /// Clock cycle.
        cycle: u64,
        /// Core.
        core: u8,
        /// Address.
        pc: u64,
        /// Address of the previous instruction.
        before: u64,
    },
}

#[derive(Clone, Debug)]
struct Core {
    /// Derives the next address of each instruction, and the first instruction after a trap.
    chain: Chain,
    /// The last instruction, which is complete when the next one arrives.
    held: Option<Retired>,
    /// Context of what retires, of the held instruction, and of the last one in the log.
    context: Context,
    held_context: Context,
    last_context: Context,
    /// Address of the first trap since the last instruction.
    trap: Option<u64>,
    /// Next address, without a trap, of the last instruction in the log.
    goes: Option<u64>,
    count: u32,
    addresses: Vec<u64>,
    modes: Vec<u8>,
}

/// A log that is complete.
#[derive(Clone, Debug, Default)]
pub struct Logged {
    /// All events in commit order.
    pub events: Vec<FlowEvent>,
    /// Addresses that each core retired.
    pub addresses: Vec<Vec<u64>>,
    /// Privilege modes of these instructions; 0 where the core does not show them.
    pub modes: Vec<Vec<u8>>,
}

/// Converts retired instructions and traps to events and addresses.
#[derive(Debug)]
pub struct Log<'a> {
    images: Images<'a>,
    reports_traps: bool,
    reports_contexts: bool,
    cores: Vec<Core>,
    events: Vec<FlowEvent>,
}

impl<'a> Log<'a> {
    /// Creates a log of a tile that runs the code of `images`; `contexts`: whether it has changes of context.
    pub fn new(kind: TileKind, images: Images<'a>, contexts: bool) -> Self {
        let core = Core {
            chain: Chain::new(64),
            held: None,
            context: Context::RESET,
            held_context: Context::RESET,
            last_context: Context::RESET,
            trap: None,
            goes: None,
            count: 0,
            addresses: Vec::new(),
            modes: Vec::new(),
        };
        Self {
            images,
            reports_traps: kind.reports_traps(),
            reports_contexts: contexts,
            cores: vec![core; usize::from(kind.harts())],
            events: Vec::new(),
        }
    }

    /// The instructions that core `core` retires from now on are in `context`.
    pub fn context(&mut self, core: u8, context: Context) {
        self.cores[usize::from(core)].context = context;
    }

    /// Core `core` retires `insn` at `pc`.
    pub fn retired(&mut self, core: u8, cycle: u64, pc: u64, insn: u32) -> Result<(), LogError> {
        let len = length(insn as u16);
        let insn = if len == 2 { insn & 0xffff } else { insn };
        let image = self.images.find(self.cores[usize::from(core)].context);
        if image.instruction(pc) != Some((insn, len)) {
            let code = image.instruction(pc).map_or("no code".into(), |(i, _)| format!("0x{i:08x}"));
            return Err(LogError::Code { cycle, core, pc, insn, code });
        }
        // ecall, ebreak, c.ebreak, and the two encodings that are always illegal
        if matches!(insn, 0x0000_0073 | 0x0010_0073 | 0x9002 | 0x0000 | 0xffff_ffff) {
            return Err(LogError::Traps { cycle, core, pc, insn });
        }
        let next = Retired { cycle, hart: core, trapped: false, len, pc, next_pc: 0, insn };
        let c = &mut self.cores[usize::from(core)];
        let context = (std::mem::replace(&mut c.held_context, c.context), self.reports_contexts);
        if self.reports_traps {
            let trap = c.trap.take();
            if let Some(held) = c.held.replace(Retired { trapped: trap.is_some(), ..next }) {
                let goes = trap.unwrap_or(pc);
                if Chain::new(64).follows(&held, goes) {
                    add_events(c, &Retired { next_pc: goes, cycle, ..held }, context, &mut self.events);
                } else {
                    return Err(LogError::Broken { cycle, core, pc: goes, before: held.pc });
                }
            }
        } else if let Some(known) = c.chain.push(&next) {
            add_events(c, &Retired { cycle, ..known }, context, &mut self.events);
        }
        if !self.reports_traps {
            c.held = Some(next);
        }
        Ok(())
    }

    /// Core `core` takes a trap: `mepc` is the address at which it would have continued.
    pub fn trap(&mut self, core: u8, mepc: u64) {
        let c = &mut self.cores[usize::from(core)];
        c.trap = c.trap.or(Some(mepc));
    }

    /// Ends the log. The last instruction of a core, whose next address is unknown, is not in it, and in no trace.
    pub fn finish(mut self, cycle: u64) -> Result<Logged, LogError> {
        for (i, c) in self.cores.iter_mut().enumerate() {
            let Some(held) = c.held.take() else { continue };
            // a trap gives its next address
            if let Some(goes) = c.trap.take() {
                let context = (c.held_context, self.reports_contexts);
                add_events(c, &Retired { next_pc: goes, cycle, ..held }, context, &mut self.events);
            }
            let Some(pc) = c.goes else { continue };
            let (hart, count) = (i as u8, c.count);
            self.events.push(FlowEvent { hart, kind: FlowKind::Stop, len: 0, count, pc, target: pc, cycle });
        }
        // sorted already within each core
        self.events.sort_by_key(|e| (e.cycle, e.hart));
        let (addresses, modes) = self.cores.into_iter().map(|c| (c.addresses, c.modes)).unzip();
        Ok(Logged { events: self.events, addresses, modes })
    }
}

/// Adds the events of a complete instruction. With its context comes whether changes of context are reported.
fn add_events(c: &mut Core, r: &Retired, (context, reported): (Context, bool), events: &mut Vec<FlowEvent>) {
    let event = |kind, len, count, pc, target| FlowEvent { hart: r.hart, kind, len, count, pc, target, cycle: r.cycle };
    let alone = c.goes.is_some() && !r.trapped;
    if reported && std::mem::replace(&mut c.last_context, context) != context {
        let count = if alone { std::mem::take(&mut c.count) } else { 0 };
        events.push(event(FlowKind::Context { context, alone }, 0, count, r.pc, r.pc));
    }
    match c.goes {
        None => events.push(event(FlowKind::Start, 0, 0, r.pc, r.pc)),
        Some(at) if r.trapped => {
            let kind = FlowKind::Trap { interrupt: false, cause: 0 };
            events.push(event(kind, 0, std::mem::take(&mut c.count), at, r.pc));
        }
        Some(_) => {}
    }
    c.count += 1;
    c.addresses.push(r.pc);
    c.modes.push(context.privilege());
    let link = r.pc.wrapping_add(r.len.into());
    let (kind, goes) = match flow(r.insn, 64) {
        Flow::Sequential => {
            c.goes = Some(link);
            return;
        }
        // 12 bits of the next address decide, since a trap can hide the outcome
        Flow::Conditional { offset } => {
            let taken = (link ^ r.next_pc) >> 1 & 0xfff != 0;
            (FlowKind::Conditional { taken }, if taken { r.pc.wrapping_add_signed(offset.into()) } else { link })
        }
        Flow::Jump { call, offset } => {
            (if call { FlowKind::Call } else { FlowKind::Jump }, r.pc.wrapping_add_signed(offset.into()))
        }
        Flow::Indirect(Indirect::Jump) => (FlowKind::IndirectJump, r.next_pc),
        Flow::Indirect(Indirect::Call) => (FlowKind::IndirectCall, r.next_pc),
        Flow::Indirect(Indirect::Return) => (FlowKind::Return, r.next_pc),
        Flow::Indirect(Indirect::CoSwap) => (FlowKind::CoSwap, r.next_pc),
        Flow::TrapReturn => (FlowKind::TrapReturn, r.next_pc),
    };
    events.push(event(kind, r.len, std::mem::take(&mut c.count), r.pc, goes));
    c.goes = Some(goes);
}
