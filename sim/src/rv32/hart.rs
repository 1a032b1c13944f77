//! One hart: its state and the interpreter loop

use super::csr::{self, Csrs, View};
use super::decode::{decode, Code, Op};
use super::memory::{Effect, Memory, RAM_BASE};
use super::timing::{Caches, Timing};
use crate::retire::{Access, FlowEvent, FlowKind, RetireSink};

/// A trap or the start, to be told when the next instruction retires.
#[derive(Clone, Copy, Debug)]
pub struct Pending {
    kind: FlowKind,
    pub pc: u32,
    pub count: u32,
}

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Break {
    /// The cycle or instruction bound.
    Bound,
    /// Something an interrupt depends on may have changed.
    Interrupts,
    /// `wfi` retired.
    Wait,
    /// A trap, with cause and `mtval`.
    Trap(u32, u32),
    /// The program ended.
    Exit(u32),
}

/// One hart.
#[derive(Clone, Debug)]
pub struct Hart {
    pub index: u8,
    /// x0 to x31, then a place for writes to x0; 64 so that an index needs no check.
    pub regs: [u32; 64],
    pub pc: u32,
    pub csrs: Csrs,
    pub instret: u64,
    /// `instret` at the last event.
    pub told: u64,
    /// Cycle in which the next instruction retires.
    pub cycle: u64,
    pub waiting: bool,
    pub pending: Option<Pending>,
}

/// What the harts share, as the loop needs it.
pub struct Shared<'a> {
    pub memory: &'a mut Memory,
    pub ops: &'a mut [Op],
    pub caches: &'a mut Caches,
    pub timing: &'a Timing,
}

impl Hart {
    pub fn new(index: u8, entry: u32, cycle: u64) -> Self {
        let mut regs = [0; 64];
        regs[10] = index.into();
        let pending = Some(Pending { kind: FlowKind::Start, pc: entry, count: 0 });
        Self { index, regs, pc: entry, csrs: Csrs::default(), instret: 0, told: 0, cycle, waiting: false, pending }
    }

    /// Pending interrupts, as `mip` shows them.
    pub fn mip(&self, memory: &Memory) -> u32 {
        let hart = usize::from(self.index);
        let timer = self.cycle >= memory.timer_cycle(hart);
        (if memory.msip[hart] { csr::MSI } else { 0 }) | (if timer { csr::MTI } else { 0 })
    }

    /// Enters the handler.
    pub fn trap(&mut self, interrupt: bool, cause: u32, tval: u32) {
        let kind = FlowKind::Trap { interrupt, cause: cause as u8 };
        match &mut self.pending {
            None => {
                let count = (self.instret - self.told) as u32;
                self.told = self.instret;
                self.pending = Some(Pending { kind, pc: self.pc, count });
            }
            Some(Pending { kind: FlowKind::Start, .. }) => {}
            Some(p) => p.kind = kind,
        }
        self.pc = self.csrs.trap(interrupt, cause, self.pc, tval);
        self.waiting = false;
    }

    /// Tells the pending trap or start; `pc` is the instruction that retires in `cycle`.
    fn tell_pending(&mut self, pc: u32, cycle: u64, sink: &mut impl RetireSink) {
        if let Some(p) = self.pending.take() {
            let at = if p.kind == FlowKind::Start { pc } else { p.pc };
            sink.event(&FlowEvent {
                hart: self.index,
                kind: p.kind,
                len: 0,
                count: p.count,
                pc: at.into(),
                target: pc.into(),
                cycle,
            });
        }
    }

    /// Runs until `cycle` reaches `bound`, `instructions` have retired, or something happens.
    pub fn run<S: RetireSink, const CACHES: bool>(
        &mut self,
        shared: &mut Shared<'_>,
        bound: u64,
        instructions: u64,
        sink: &mut S,
    ) -> Break {
        if self.pending.is_none() {
            return self.execute::<S, CACHES>(shared, bound, instructions, sink);
        }
        // the first instruction after a trap: told before a control-flow instruction's own event, and
        // for any other only when it has retired
        let (pc, cycle, before) = (self.pc, self.cycle, self.instret);
        let slot = (pc.wrapping_sub(RAM_BASE) >> 1) as usize;
        let flows = pc & 1 == 0 && slot < shared.ops.len() && {
            if shared.ops[slot].code == Code::None {
                shared.ops[slot] = fetch(shared.memory, pc);
            }
            shared.ops[slot].code >= Code::Mret
        };
        if flows {
            self.tell_pending(pc, cycle, sink);
        }
        let end = self.execute::<S, CACHES>(shared, bound, 1, sink);
        if self.instret > before {
            self.tell_pending(pc, cycle, sink);
        }
        end
    }

    #[inline]
    fn execute<S: RetireSink, const CACHES: bool>(
        &mut self,
        shared: &mut Shared<'_>,
        bound: u64,
        instructions: u64,
        sink: &mut S,
    ) -> Break {
        let hart = usize::from(self.index);
        let start_cycle = self.cycle;
        let budget = if CACHES { instructions } else { instructions.min(bound.saturating_sub(start_cycle)) };
        let mut left = budget;
        let mut pc = self.pc;
        // cycle of the instruction at hand; without caches it follows from `left`
        let mut cycle = start_cycle;
        let end = loop {
            if left == 0 || (CACHES && cycle >= bound) {
                break Break::Bound;
            }
            if !CACHES {
                cycle = start_cycle + (budget - left);
            }
            let slot = (pc.wrapping_sub(RAM_BASE) >> 1) as usize;
            let Some(&(mut op)) = shared.ops.get(slot) else { break Break::Trap(1, pc) };
            if op.code == Code::None {
                op = fetch(shared.memory, pc);
                shared.ops[slot] = op;
            }
            let rs1 = self.regs[usize::from(op.rs1 & 63)];
            let rs2 = self.regs[usize::from(op.rs2 & 63)];
            let imm = op.imm as u32;
            let mut next = pc.wrapping_add(u32::from(op.len));
            let mut penalty = 0u64;
            macro_rules! set {
                ($v:expr) => {
                    self.regs[usize::from(op.rd & 63)] = $v
                };
            }
            macro_rules! access {
                ($store:expr, $size:expr, $addr:expr, $value:expr) => {
                    if S::WANTS_ACCESSES {
                        sink.access(&Access {
                            hart: self.index,
                            store: $store,
                            size: $size,
                            pc: pc.into(),
                            addr: u64::from($addr),
                            value: u64::from($value),
                            cycle,
                        });
                    }
                };
            }
            macro_rules! load {
                ($n:literal, $convert:path) => {{
                    let addr = rs1.wrapping_add(imm);
                    let Some(v) = shared.memory.load::<$n>(addr, cycle) else { break Break::Trap(5, addr) };
                    access!(false, $n, addr, v);
                    set!($convert(v));
                    if CACHES {
                        penalty += shared.caches.load(hart, addr);
                    }
                }};
            }
            macro_rules! store {
                ($n:literal) => {{
                    let addr = rs1.wrapping_add(imm);
                    let Some(effect) = shared.memory.store::<$n>(addr, rs2, cycle) else {
                        break Break::Trap(7, addr);
                    };
                    access!(true, $n, addr, rs2 & (u32::MAX >> (32 - 8 * $n)));
                    if CACHES {
                        penalty += shared.caches.store(hart, addr);
                    }
                    if effect != Effect::None {
                        left -= 1;
                        pc = next;
                        cycle += 1 + penalty;
                        break match effect {
                            Effect::Exit(code) => Break::Exit(code),
                            _ => Break::Interrupts,
                        };
                    }
                }};
            }
            macro_rules! amo {
                ($f:expr) => {{
                    if rs1 & 3 != 0 {
                        break Break::Trap(6, rs1);
                    }
                    if shared.memory.offset::<4>(rs1).is_none() {
                        break Break::Trap(7, rs1);
                    }
                    let old = shared.memory.load::<4>(rs1, cycle).unwrap_or(0);
                    let f: fn(u32, u32) -> u32 = $f;
                    let new = f(old, rs2);
                    shared.memory.store::<4>(rs1, new, cycle);
                    access!(false, 4, rs1, old);
                    access!(true, 4, rs1, new);
                    set!(old);
                    if CACHES {
                        penalty += shared.caches.load(hart, rs1) + shared.caches.store(hart, rs1);
                    }
                }};
            }
            macro_rules! event {
                ($kind:expr) => {{
                    let retired = self.instret + (budget - left) + 1;
                    let count = (retired - self.told) as u32;
                    self.told = retired;
                    sink.event(&FlowEvent {
                        hart: self.index,
                        kind: $kind,
                        len: op.len,
                        count,
                        pc: pc.into(),
                        target: next.into(),
                        cycle,
                    });
                    if CACHES && next != pc.wrapping_add(u32::from(op.len)) {
                        penalty += u64::from(shared.timing.redirect);
                    }
                }};
            }
            macro_rules! branch {
                ($cond:expr) => {{
                    let through = next;
                    if $cond {
                        next = pc.wrapping_add(imm);
                    }
                    event!(FlowKind::Conditional { taken: next != through });
                }};
            }
            match op.code {
                Code::None | Code::Illegal => break Break::Trap(2, imm),
                Code::Lui => set!(imm),
                Code::Auipc => set!(pc.wrapping_add(imm)),
                Code::Addi => set!(rs1.wrapping_add(imm)),
                Code::Slti => set!(u32::from((rs1 as i32) < op.imm)),
                Code::Sltiu => set!(u32::from(rs1 < imm)),
                Code::Xori => set!(rs1 ^ imm),
                Code::Ori => set!(rs1 | imm),
                Code::Andi => set!(rs1 & imm),
                Code::Slli => set!(rs1 << (imm & 31)),
                Code::Srli => set!(rs1 >> (imm & 31)),
                Code::Srai => set!(((rs1 as i32) >> (imm & 31)) as u32),
                Code::Add => set!(rs1.wrapping_add(rs2)),
                Code::Sub => set!(rs1.wrapping_sub(rs2)),
                Code::Sll => set!(rs1 << (rs2 & 31)),
                Code::Slt => set!(u32::from((rs1 as i32) < rs2 as i32)),
                Code::Sltu => set!(u32::from(rs1 < rs2)),
                Code::Xor => set!(rs1 ^ rs2),
                Code::Srl => set!(rs1 >> (rs2 & 31)),
                Code::Sra => set!(((rs1 as i32) >> (rs2 & 31)) as u32),
                Code::Or => set!(rs1 | rs2),
                Code::And => set!(rs1 & rs2),
                Code::Mul | Code::Mulh | Code::Mulhsu | Code::Mulhu => {
                    set!(multiply(op.code, rs1, rs2));
                    if CACHES {
                        penalty += u64::from(shared.timing.mul - 1);
                    }
                }
                Code::Div | Code::Divu | Code::Rem | Code::Remu => {
                    set!(divide(op.code, rs1, rs2));
                    if CACHES {
                        penalty += u64::from(shared.timing.div - 1);
                    }
                }
                Code::Lb => load!(1, sign8),
                Code::Lh => load!(2, sign16),
                Code::Lw => load!(4, u32::from),
                Code::Lbu => load!(1, u32::from),
                Code::Lhu => load!(2, u32::from),
                Code::Sb => store!(1),
                Code::Sh => store!(2),
                Code::Sw => store!(4),
                Code::Lr => {
                    if rs1 & 3 != 0 {
                        break Break::Trap(4, rs1);
                    }
                    if shared.memory.offset::<4>(rs1).is_none() {
                        break Break::Trap(5, rs1);
                    }
                    let v = shared.memory.load::<4>(rs1, cycle).unwrap_or(0);
                    shared.memory.reserve(hart, rs1);
                    access!(false, 4, rs1, v);
                    set!(v);
                    if CACHES {
                        penalty += shared.caches.load(hart, rs1);
                    }
                }
                Code::Sc => {
                    if rs1 & 3 != 0 {
                        break Break::Trap(6, rs1);
                    }
                    if shared.memory.offset::<4>(rs1).is_none() {
                        break Break::Trap(7, rs1);
                    }
                    let held = shared.memory.take_reservation(hart, rs1);
                    if held {
                        shared.memory.store::<4>(rs1, rs2, cycle);
                        access!(true, 4, rs1, rs2);
                        if CACHES {
                            penalty += shared.caches.store(hart, rs1);
                        }
                    }
                    set!(u32::from(!held));
                }
                Code::AmoSwap => amo!(|_, b| b),
                Code::AmoAdd => amo!(|a, b| a.wrapping_add(b)),
                Code::AmoXor => amo!(|a, b| a ^ b),
                Code::AmoAnd => amo!(|a, b| a & b),
                Code::AmoOr => amo!(|a, b| a | b),
                Code::AmoMin => amo!(|a, b| (a as i32).min(b as i32) as u32),
                Code::AmoMax => amo!(|a, b| (a as i32).max(b as i32) as u32),
                Code::AmoMinu => amo!(|a, b| a.min(b)),
                Code::AmoMaxu => amo!(|a, b| a.max(b)),
                Code::Fence => {}
                Code::FenceI => shared.ops.fill(Op::default()),
                Code::Csrrw | Code::Csrrs | Code::Csrrc | Code::Csrrwi | Code::Csrrsi | Code::Csrrci => {
                    // counters must be right when they are read
                    self.cycle = cycle;
                    let instret = self.instret + (budget - left);
                    let Some(changed) = self.csr(op, rs1, instret, shared.memory) else {
                        break Break::Trap(2, refetch(shared.memory, pc));
                    };
                    if changed {
                        left -= 1;
                        pc = next;
                        cycle += 1 + if CACHES { shared.caches.fetch(hart, pc) } else { 0 };
                        break Break::Interrupts;
                    }
                }
                Code::Ecall => break Break::Trap(11, 0),
                Code::Ebreak => break Break::Trap(3, pc),
                Code::Wfi => {
                    left -= 1;
                    pc = next;
                    cycle += 1;
                    break Break::Wait;
                }
                Code::Mret => {
                    next = self.csrs.mret();
                    event!(FlowKind::TrapReturn);
                    left -= 1;
                    pc = next;
                    cycle += 1 + if CACHES { penalty + shared.caches.fetch(hart, pc) } else { 0 };
                    break Break::Interrupts;
                }
                Code::Jal => {
                    set!(next);
                    next = pc.wrapping_add(imm);
                    event!(if op.rd == 1 || op.rd == 5 { FlowKind::Call } else { FlowKind::Jump });
                }
                Code::Jalr => {
                    set!(next);
                    next = rs1.wrapping_add(imm) & !1;
                    event!(indirect(op.rd, op.rs1));
                }
                Code::Beq => branch!(rs1 == rs2),
                Code::Bne => branch!(rs1 != rs2),
                Code::Blt => branch!((rs1 as i32) < rs2 as i32),
                Code::Bge => branch!(rs1 as i32 >= rs2 as i32),
                Code::Bltu => branch!(rs1 < rs2),
                Code::Bgeu => branch!(rs1 >= rs2),
            }
            left -= 1;
            pc = next;
            if CACHES {
                cycle += 1 + penalty + shared.caches.fetch(hart, pc);
            }
        };
        self.instret += budget - left;
        self.pc = pc;
        self.cycle = if CACHES { cycle } else { start_cycle + (budget - left) };
        end
    }

    /// Executes a CSR instruction; whether it wrote, `None` when there is no such CSR.
    #[cold]
    fn csr(&mut self, op: Op, rs1: u32, instret: u64, memory: &Memory) -> Option<bool> {
        let number = op.imm as u32 & 0xfff;
        let view = View {
            hart: self.index.into(),
            mip: self.mip(memory),
            cycle: self.cycle,
            instret,
            time: memory.mtime(self.cycle),
        };
        let old = self.csrs.read(number, &view)?;
        let immediate = op.code >= Code::Csrrwi;
        let operand = if immediate { u32::from(op.rs1) } else { rs1 };
        let new = match op.code {
            Code::Csrrw | Code::Csrrwi => Some(operand),
            Code::Csrrs | Code::Csrrsi if op.rs1 != 0 => Some(old | operand),
            Code::Csrrc | Code::Csrrci if op.rs1 != 0 => Some(old & !operand),
            _ => None,
        };
        if let Some(new) = new {
            self.csrs.write(number, new, &view)?;
        }
        self.regs[usize::from(op.rd & 63)] = old;
        Some(new.is_some())
    }
}

fn indirect(rd: u8, rs1: u8) -> FlowKind {
    let link = |r| r == 1 || r == 5;
    match (link(rd), link(rs1)) {
        (false, false) => FlowKind::IndirectJump,
        (false, true) => FlowKind::Return,
        (true, true) if rd != rs1 => FlowKind::CoSwap,
        (true, _) => FlowKind::IndirectCall,
    }
}

fn sign8(v: u32) -> u32 {
    v as i8 as u32
}

fn sign16(v: u32) -> u32 {
    v as i16 as u32
}

fn multiply(code: Code, a: u32, b: u32) -> u32 {
    let signed = |v: u32| i64::from(v as i32);
    match code {
        Code::Mulh => (signed(a).wrapping_mul(signed(b)) >> 32) as u32,
        Code::Mulhsu => (signed(a).wrapping_mul(i64::from(b)) >> 32) as u32,
        Code::Mulhu => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        _ => a.wrapping_mul(b),
    }
}

/// Division by zero gives all ones and the dividend; the overflow of the signed case wraps.
fn divide(code: Code, a: u32, b: u32) -> u32 {
    match (code, b) {
        (Code::Div | Code::Divu, 0) => u32::MAX,
        (_, 0) => a,
        (Code::Div, _) => (a as i32).wrapping_div(b as i32) as u32,
        (Code::Divu, _) => a / b,
        (Code::Rem, _) => (a as i32).wrapping_rem(b as i32) as u32,
        _ => a % b,
    }
}

/// The bits of the instruction at `pc`.
fn refetch(memory: &mut Memory, pc: u32) -> u32 {
    let low = memory.load::<2>(pc, 0).unwrap_or(0);
    if low & 3 == 3 {
        low | memory.load::<2>(pc.wrapping_add(2), 0).unwrap_or(0) << 16
    } else {
        low
    }
}

#[cold]
fn fetch(memory: &mut Memory, pc: u32) -> Op {
    decode(refetch(memory, pc))
}
