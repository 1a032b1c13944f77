//! One hart: its state, its traps, and the loop that runs it alone

use super::any_sink::{AnySink, Erased};
use super::bus::Bus;
use super::code::{self, CodeCache, PAGE_OPS};
use super::csr::{self, Csrs};
use super::decode::{Code, Op};
use super::isa::Isa;
use super::memory::Memory;
use super::timing::{Caches, Timing};
use retire::{FlowEvent, FlowKind, RetireSink};

/// A trap or the start, to be reported when the next instruction retires.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    pub kind: FlowKind,
    pub pc: u64,
    pub count: u32,
    /// Stack pointer where it was taken.
    pub sp: u64,
}

/// Number of the register that is the stack pointer.
pub const SP: usize = 2;

/// Reason why a loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// The cycle or instruction bound.
    Bound,
    /// Something that an interrupt depends on may have changed.
    Interrupts,
    /// `fence.i` retired.
    FenceI,
    /// `wfi` retired.
    Wait,
    /// A trap, with cause and `mtval`.
    Trap(u32, u64),
    /// The program ended.
    Exit(u32),
    /// The next value from outside is not known yet; nothing has retired. Only when a run is executed again.
    Input,
}

/// Position of a hart.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub pc: u64,
    /// Cycle in which the next instruction retires.
    pub cycle: u64,
    /// Retired instructions.
    pub instret: u64,
}

/// Run state of a hart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Running,
    /// In `wfi`.
    Waiting,
    /// The first instruction of its trap handler raises an exception: it traps forever and takes no interrupt.
    Locked,
}

/// One hart of the built-in simulator.
#[derive(Clone, Debug)]
pub struct Hart {
    pub index: u8,
    pub state: State,
    /// Before the next instruction, an interrupt must be taken, or a trap or the start must be reported.
    pub attention: bool,
    /// x0 to x31, then a dummy for writes to x0; 256 entries so that an index needs no check. On RV32 the upper halves
    /// are 0.
    pub regs: [u64; 256],
    /// f0 to f31; the upper half of a 32-bit number is all ones.
    pub floats: [u64; 32],
    pub at: At,
    pub csrs: Csrs,
    /// `instret` at the last event.
    pub reported: u64,
    pub pending: Option<Pending>,
}

/// State that the harts share, as the loops need it.
pub struct Shared<'a, B = Memory> {
    pub memory: &'a mut B,
    pub caches: &'a mut Caches,
    pub timing: &'a Timing,
}

impl Hart {
    pub fn new(index: u8, isa: Isa, entry: u64, cycle: u64) -> Self {
        let mut regs = [0; 256];
        regs[10] = index.into();
        let pending = Some(Pending { kind: FlowKind::Start, pc: entry, count: 0, sp: 0 });
        let at = At { pc: entry & !1, cycle, instret: 0 };
        let csrs = Csrs::new(isa);
        Self { index, state: State::Running, attention: true, regs, floats: [0; 32], at, csrs, reported: 0, pending }
    }

    /// Pending interrupts at `cycle`, as `mip` shows them.
    pub fn mip(&self, cycle: u64, memory: &Memory) -> u64 {
        let hart = usize::from(self.index);
        let timer = cycle >= memory.timer_cycle(hart);
        (if memory.msip[hart] { csr::MSI } else { 0 }) | (if timer { csr::MTI } else { 0 })
    }

    /// Cause of the interrupt to be taken before the next instruction.
    pub fn interrupt(&self, memory: &Memory) -> Option<u32> {
        if self.csrs.mstatus & csr::MIE == 0 {
            return None;
        }
        let pending = self.mip(self.at.cycle, memory) & self.csrs.mie;
        // software before timer, as the privileged ISA ranks them
        if pending & csr::MSI != 0 {
            Some(3)
        } else if pending & csr::MTI != 0 {
            Some(7)
        } else {
            None
        }
    }

    /// Enters the trap handler.
    pub fn trap(&mut self, interrupt: bool, cause: u32, tval: u64) {
        let profile = self.csrs.isa.profile;
        let (cause, tval) = if interrupt { (cause, tval) } else { profile.exception(cause, tval) };
        let kind = FlowKind::Trap { interrupt, cause: cause as u8 };
        match &mut self.pending {
            None => {
                let count = (self.at.instret - self.reported) as u32;
                self.reported = self.at.instret;
                self.pending = Some(Pending { kind, pc: self.at.pc, count, sp: self.regs[SP] });
            }
            Some(Pending { kind: FlowKind::Start, .. }) => {}
            Some(p) => p.kind = kind,
        }
        let from = self.at.pc;
        self.at.pc = self.csrs.trap(interrupt, cause, from, tval);
        // the first instruction of the handler itself raises an exception, and will do so again
        let locked = !interrupt && self.at.pc == from;
        self.state = if locked { State::Locked } else { State::Running };
    }

    /// The event that ends the trace of this hart, at `cycle`; `None` if nothing has retired since the last one.
    pub fn stop(&mut self, cycle: u64) -> Option<FlowEvent> {
        let (pc, count) = match self.pending {
            // nothing has retired since the last stop
            Some(Pending { kind: FlowKind::Start, .. }) => return None,
            // a trap that no instruction followed is not reported: the hart stays before it
            Some(p) => (p.pc, p.count),
            None => (self.at.pc, (self.at.instret - self.reported) as u32),
        };
        self.reported = self.at.instret;
        self.pending = Some(Pending { kind: FlowKind::Start, pc: self.at.pc, count: 0, sp: self.regs[SP] });
        Some(FlowEvent { hart: self.index, kind: FlowKind::Stop, len: 0, count, pc, target: pc, cycle })
    }

    /// Reports the pending trap or start; `pc` is the instruction that retires in `cycle`.
    pub fn report_pending<S: RetireSink>(&mut self, pc: u64, cycle: u64, sink: &mut S) {
        if let Some(p) = self.pending.take() {
            let at = if p.kind == FlowKind::Start { pc } else { p.pc };
            if S::WANTS_STACK_POINTER {
                sink.stack_pointer(self.index, p.sp);
            }
            sink.event(&FlowEvent {
                hart: self.index,
                kind: p.kind,
                len: 0,
                count: p.count,
                pc: at,
                target: pc,
                cycle,
            });
        }
    }

    /// The exception that PMP or a trigger raises for `op`.
    #[cold]
    fn refuse(&self, op: &Op) -> Option<Break> {
        let ones = u64::MAX >> (64 - self.csrs.isa.xlen());
        let interrupts = self.csrs.mstatus & csr::MIE != 0;
        self.csrs.guards.refuse(op, self.at.pc, self.regs[usize::from(op.rs1)], ones, interrupts)
    }

    /// Whether instructions must be executed one by one ([`Hart::single`]).
    pub fn must_single(&self) -> bool {
        self.pending.is_some() || self.csrs.guards.are_active()
    }

    /// Executes one instruction, in a machine of several harts or after a trap (`FIRST`).
    #[inline(always)]
    pub fn single<S: RetireSink, B: Bus, const CACHES: bool, const FIRST: bool, const RV64: bool>(
        &mut self,
        shared: &mut Shared<'_, B>,
        code: &mut CodeCache,
        sink: &mut S,
    ) -> Result<(), Break> {
        let op = code.op(self.at.pc, shared.memory).map_err(|addr| Break::Trap(1, addr))?;
        if self.csrs.guards.are_active() {
            if let Some(refused) = self.refuse(op) {
                return Err(refused);
            }
        }
        let mut at = self.at;
        let end = self.step::<S, B, CACHES, FIRST, RV64>(&mut at, op, shared, sink);
        // Otherwise the compiler moves two fields at once, and a load that is wider than the preceding stores waits for
        // them: a fifth of the speed of four harts.
        self.at = At { cycle: std::hint::black_box(at.cycle), ..at };
        end
    }

    /// Executes one instruction after a trap, or with guards, for a sink of any type. `kind`: whether the sink wants data, whether there
    /// are caches, whether the hart is RV64.
    pub fn first(
        &mut self,
        shared: &mut Shared<'_>,
        code: &mut CodeCache,
        sink: &mut dyn AnySink,
        kind: (bool, bool, bool),
    ) -> Result<(), Break> {
        macro_rules! single {
            ($data:literal, $caches:literal, $rv64:literal) => {
                self.single::<_, Memory, $caches, true, $rv64>(shared, code, &mut Erased::<$data>(sink))
            };
        }
        match kind {
            (false, false, false) => single!(false, false, false),
            (false, false, true) => single!(false, false, true),
            (false, true, false) => single!(false, true, false),
            (false, true, true) => single!(false, true, true),
            (true, false, false) => single!(true, false, false),
            (true, false, true) => single!(true, false, true),
            (true, true, false) => single!(true, true, false),
            (true, true, true) => single!(true, true, true),
        }
    }

    /// Executes instructions in sequence, without caches and unless [`Hart::must_single`], until `done`, which gets the address
    /// of the next instruction, returns true after one, or until something happens, which is returned.
    #[inline(never)]
    pub fn follow<S: RetireSink, B: Bus, const RV64: bool>(
        &mut self,
        shared: &mut Shared<'_, B>,
        code: &mut CodeCache,
        sink: &mut S,
        mut done: impl FnMut(&At, &mut S, &B) -> bool,
    ) -> Option<Break> {
        let mut at = self.at;
        let isa = code.isa();
        let end = 'run: loop {
            let Some((start, page)) = code.page(at.pc) else { break Some(Break::Trap(1, at.pc)) };
            let place = |pc: u64| (pc.wrapping_sub(start) >> 1) as usize;
            let mut slot = place(at.pc);
            while slot < PAGE_OPS {
                let op = &mut page[slot];
                if op.code == Code::Undecoded {
                    match code::fetch(shared.memory, at.pc, isa) {
                        Ok(decoded) => *op = decoded,
                        Err(addr) => break 'run Some(Break::Trap(1, addr)),
                    }
                }
                let through = at.pc.wrapping_add(4);
                if let Err(end) = self.step::<S, B, false, false, RV64>(&mut at, op, shared, sink) {
                    break 'run Some(end);
                }
                if done(&at, sink, shared.memory) {
                    break 'run None;
                }
                // as in `run`
                if at.pc == through {
                    slot += 2;
                } else {
                    cold_path();
                    slot = place(at.pc);
                }
            }
        };
        self.at = at;
        end
    }

    /// Runs alone until `bound` is reached, `instructions` have retired, or something happens.
    #[inline(never)]
    pub fn run<S: RetireSink, const CACHES: bool, const RV64: bool>(
        &mut self,
        shared: &mut Shared<'_>,
        code: &mut CodeCache,
        bound: u64,
        instructions: u64,
        sink: &mut S,
    ) -> Break {
        let mut at = self.at;
        let isa = code.isa();
        // without caches every instruction takes one cycle, so that one bound covers both
        let bound = if CACHES { bound } else { bound.min(at.cycle.saturating_add(instructions)) };
        let last = at.instret.saturating_add(instructions);
        let waited = at.cycle.wrapping_sub(at.instret);
        let end = 'run: loop {
            let Some((start, page)) = code.page(at.pc) else { break Break::Trap(1, at.pc) };
            let place = |pc: u64| (pc.wrapping_sub(start) >> 1) as usize;
            let mut slot = place(at.pc);
            while slot < PAGE_OPS {
                if at.cycle >= bound || (CACHES && at.instret >= last) {
                    break 'run Break::Bound;
                }
                if !CACHES {
                    // one counter fewer in the loop
                    at.instret = at.cycle.wrapping_sub(waited);
                }
                let op = &mut page[slot];
                if op.code == Code::Undecoded {
                    match code::fetch(shared.memory, at.pc, isa) {
                        Ok(decoded) => *op = decoded,
                        Err(addr) => break 'run Break::Trap(1, addr),
                    }
                }
                let through = at.pc.wrapping_add(4);
                if let Err(end) = self.step::<S, Memory, CACHES, false, RV64>(&mut at, op, shared, sink) {
                    break 'run end;
                }
                // the host CPU predicts this branch, and need not wait for the length of the instruction
                if !CACHES && at.pc == through {
                    slot += 2;
                } else {
                    cold_path();
                    slot = place(at.pc);
                }
            }
        };
        self.at = at;
        end
    }
}

/// Keeps the compiler from turning a branch into a conditional move.
#[cold]
fn cold_path() {}
