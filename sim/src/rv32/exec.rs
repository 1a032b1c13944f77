//! What each instruction does: one step of a hart
//!
//! # Source
//! RISC-V unprivileged ISA, chapters RV32I, M, A, C, Zicsr, Zifencei; privileged ISA for `mret` and `wfi`.

use super::bus::Bus;
use super::code::bits;
use super::decode::{Code, Op, SINK};
use super::hart::{At, Break, Hart, Shared};
use super::memory::Effect;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, Note, RetireSink};

impl Hart {
    /// Executes `op`, the instruction at `at`, and moves `at` behind it. An error ends the loop the step is in;
    /// the instruction has retired then, but for a trap. `FIRST`: a trap or the start is to be told with it.
    ///
    /// Inlined into its callers, so that each keeps `at` in registers.
    #[inline(always)]
    pub fn step<S: RetireSink, B: Bus, const CACHES: bool, const FIRST: bool>(
        &mut self,
        at: &mut At,
        op: Op,
        shared: &mut Shared<'_, B>,
        sink: &mut S,
    ) -> Result<(), Break> {
        let hart = usize::from(self.index);
        let (pc, cycle) = (at.pc, at.cycle);
        let rs1 = self.regs[usize::from(op.rs1 & 63)];
        let rs2 = self.regs[usize::from(op.rs2 & 63)];
        let imm = op.imm as u32;
        let mut next = pc.wrapping_add(u32::from(op.len));
        let mut penalty = 0u64;
        macro_rules! tell {
            () => {
                if FIRST {
                    self.tell_pending(pc, cycle, sink);
                }
            };
        }
        // cycles the fetch of the next instruction adds
        macro_rules! fetch {
            () => {
                if CACHES {
                    shared.caches.fetch(hart, next)
                } else {
                    0
                }
            };
        }
        macro_rules! retire {
            ($penalty:expr) => {{
                tell!();
                at.instret += 1;
                at.pc = next;
                at.cycle = cycle + 1 + $penalty;
            }};
        }
        macro_rules! data {
            ($kind:expr) => {
                if S::WANTS_DATA {
                    tell!();
                    sink.data(&DataEvent { hart: self.index, kind: $kind, pc: pc.into(), cycle });
                }
            };
        }
        macro_rules! set {
            ($v:expr) => {{
                let v = $v;
                self.regs[usize::from(op.rd & 63)] = v;
                if op.rd != SINK {
                    data!(DataKind::Register { rd: op.rd, value: v.into() });
                }
            }};
        }
        macro_rules! loaded {
            ($size:expr, $addr:expr, $value:expr) => {
                data!(DataKind::Load { size: $size, addr: $addr.into(), value: $value.into() })
            };
        }
        macro_rules! stored {
            ($size:expr, $addr:expr, $value:expr) => {
                data!(DataKind::Store { size: $size, addr: $addr.into(), value: u64::from($value) })
            };
        }
        macro_rules! load {
            ($n:literal, $convert:path) => {{
                let addr = rs1.wrapping_add(imm);
                let v = shared.memory.read::<$n>(hart, addr, cycle)?;
                loaded!($n, addr, v);
                set!($convert(v));
                if CACHES {
                    penalty += shared.caches.load(hart, addr);
                }
            }};
        }
        macro_rules! store {
            ($n:literal) => {{
                let addr = rs1.wrapping_add(imm);
                let effect = shared.memory.write::<$n>(hart, addr, rs2, cycle)?;
                stored!($n, addr, rs2 & (u32::MAX >> (32 - 8 * $n)));
                if CACHES {
                    penalty += shared.caches.store(hart, addr);
                }
                if effect != Effect::None {
                    retire!(penalty);
                    return Err(match effect {
                        Effect::Exit(code) => Break::Exit(code),
                        _ => Break::Interrupts,
                    });
                }
            }};
        }
        macro_rules! amo {
            ($f:expr) => {{
                if rs1 & 3 != 0 {
                    return Err(Break::Trap(6, rs1));
                }
                if !shared.memory.in_ram(rs1) {
                    return Err(Break::Trap(7, rs1));
                }
                let f: fn(u32, u32) -> u32 = $f;
                let (old, new) = shared.memory.exchange(hart, rs1, |old| f(old, rs2), cycle)?;
                loaded!(4, rs1, old);
                stored!(4, rs1, new);
                set!(old);
                if CACHES {
                    penalty += shared.caches.load(hart, rs1) + shared.caches.store(hart, rs1);
                }
            }};
        }
        macro_rules! event {
            ($kind:expr) => {{
                tell!();
                let retired = at.instret + 1;
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
            Code::None | Code::Illegal => return Err(Break::Trap(2, imm)),
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
                    return Err(Break::Trap(4, rs1));
                }
                if !shared.memory.in_ram(rs1) {
                    return Err(Break::Trap(5, rs1));
                }
                let v = shared.memory.read::<4>(hart, rs1, cycle)?;
                shared.memory.reserve(hart, rs1);
                loaded!(4, rs1, v);
                set!(v);
                if CACHES {
                    penalty += shared.caches.load(hart, rs1);
                }
            }
            Code::Sc => {
                if rs1 & 3 != 0 {
                    return Err(Break::Trap(6, rs1));
                }
                if !shared.memory.in_ram(rs1) {
                    return Err(Break::Trap(7, rs1));
                }
                let held = shared.memory.take_reservation(hart, rs1)?;
                if S::WANTS_DATA {
                    tell!();
                    sink.note(self.index, &Note::StoreConditional { stored: held });
                }
                if held {
                    shared.memory.write::<4>(hart, rs1, rs2, cycle)?;
                    stored!(4, rs1, rs2);
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
            Code::FenceI => {
                retire!(fetch!());
                return Err(Break::FenceI);
            }
            Code::Csrrw | Code::Csrrs | Code::Csrrc | Code::Csrrwi | Code::Csrrsi | Code::Csrrci => {
                let Some(changed) = self.csr(op, rs1, at, shared.memory)? else {
                    return Err(Break::Trap(2, bits(shared.memory, pc).unwrap_or(0)));
                };
                // the CSR's value is there even where it goes to x0
                let value = self.regs[usize::from(op.rd & 63)].into();
                // but of an open one, which changes by itself: that no port shows and no replay knows
                let open = crate::scheme::inputs::is_open_csr(op.imm as u32 & 0xfff);
                if op.rd != SINK || (!open && !matches!(op.code, Code::Csrrw | Code::Csrrwi)) {
                    data!(DataKind::Csr { csr: op.imm as u16 & 0xfff, value });
                }
                if op.rd != SINK {
                    data!(DataKind::Register { rd: op.rd, value });
                }
                if changed {
                    retire!(fetch!());
                    return Err(Break::Interrupts);
                }
            }
            Code::Ecall => return Err(Break::Trap(11, 0)),
            Code::Ebreak => return Err(Break::Trap(3, pc)),
            Code::Wfi => {
                retire!(0);
                return Err(Break::Wait);
            }
            Code::Mret => {
                next = self.csrs.mret();
                event!(FlowKind::TrapReturn);
                retire!(penalty + fetch!());
                return Err(Break::Interrupts);
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
        retire!(penalty + fetch!());
        Ok(())
    }

    /// Executes a CSR instruction; whether it wrote, `None` when there is no such CSR.
    #[cold]
    fn csr(&mut self, op: Op, rs1: u32, at: &At, bus: &mut impl Bus) -> Result<Option<bool>, Break> {
        let number = op.imm as u32 & 0xfff;
        let view = bus.view(self, at);
        let Some(mut old) = self.csrs.read(number, &view) else { return Ok(None) };
        let writes = matches!(op.code, Code::Csrrw | Code::Csrrwi) || op.rs1 != 0;
        // a register that cannot be written traps before anything is taken from outside
        if writes && number >> 10 == 3 {
            return Ok(None);
        }
        // what no register shows is not taken from outside: no port tells it
        if op.rd != SINK {
            if let Some(value) = bus.open_csr(self.index.into(), number)? {
                old = value;
            }
        }
        let immediate = op.code >= Code::Csrrwi;
        let operand = if immediate { u32::from(op.rs1) } else { rs1 };
        let new = match op.code {
            Code::Csrrw | Code::Csrrwi => Some(operand),
            Code::Csrrs | Code::Csrrsi if op.rs1 != 0 => Some(old | operand),
            Code::Csrrc | Code::Csrrci if op.rs1 != 0 => Some(old & !operand),
            _ => None,
        };
        if let Some(new) = new {
            if self.csrs.write(number, new, &view).is_none() {
                return Ok(None);
            }
        }
        self.regs[usize::from(op.rd & 63)] = old;
        Ok(Some(new.is_some()))
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
