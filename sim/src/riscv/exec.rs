//! Instruction semantics: one step of a hart
//!
//! Registers are 64-bit numbers. On RV32 their upper halves are 0 and every result is truncated to 32 bits, which is
//! free where the host CPU clears upper halves itself.
//!
//! # Source
//! RISC-V unprivileged ISA, chapters RV32I, RV64I, M, A, F, D, Zfh, C, Zicsr, Zifencei; privileged ISA for `mret` and `wfi`.

use super::arithmetic::{atomic, divide32, divide64, multiply};
use super::bits;
use super::bus::Bus;
use super::code;
use super::csr;
use super::decode::{Code, Op, SINK};
use super::float::{self, Operands};
use super::hart::{At, Break, Hart, Shared, SP};
use super::memory::Effect;
use super::semihosting;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, Note, RetireSink};

impl Hart {
    /// Executes `op`, the instruction at `at`, and advances `at`. An error ends the loop that called the step; the
    /// instruction has then retired, except on a trap. `FIRST`: a trap or the start must be reported with it.
    ///
    /// Inlined into its callers, so that each keeps `at` in registers.
    #[inline(always)]
    pub fn step<S: RetireSink, B: Bus, const CACHES: bool, const FIRST: bool, const RV64: bool>(
        &mut self,
        at: &mut At,
        op: &Op,
        shared: &mut Shared<'_, B>,
        sink: &mut S,
    ) -> Result<(), Break> {
        let (pc, cycle) = (at.pc, at.cycle);
        let rs1 = self.regs[usize::from(op.rs1)];
        let rs2 = self.regs[usize::from(op.rs2)];
        let cut = |v: u64| if RV64 { v } else { v & 0xffff_ffff };
        let signed = |v: u64| if RV64 { v as i64 } else { v as u32 as i32 as i64 };
        let sign32 = |v: u32| cut(v as i32 as u64);
        let imm = cut(op.imm as u64);
        let places: u64 = if RV64 { 63 } else { 31 };
        let mut next = cut(pc.wrapping_add(u64::from(op.len)));
        let mut penalty = 0u64;
        macro_rules! hart {
            () => {
                usize::from(self.index)
            };
        }
        macro_rules! tell {
            () => {
                if FIRST {
                    self.report_pending(pc, cycle, sink);
                }
            };
        }
        // extra cycles of fetching the next instruction
        macro_rules! fetch {
            () => {
                if CACHES {
                    shared.caches.fetch(hart!(), next)
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
                    sink.data(&DataEvent { hart: self.index, kind: $kind, pc, cycle });
                }
            };
        }
        macro_rules! set {
            ($v:expr) => {{
                let v = cut($v);
                self.regs[usize::from(op.rd)] = v;
                if op.rd != SINK {
                    data!(DataKind::Register { rd: op.rd, value: v });
                }
            }};
        }
        macro_rules! set_float {
            ($v:expr) => {{
                let (v, rd) = ($v, op.rd & 31);
                self.floats[usize::from(rd)] = v;
                self.csrs.mstatus |= csr::FS;
                data!(DataKind::Float { rd, value: v });
            }};
        }
        // traps if F and D are off
        macro_rules! float_on {
            () => {
                if !self.csrs.float_is_on() {
                    return Err(Break::Trap(2, code::bits(shared.memory, pc).unwrap_or(0).into()));
                }
            };
        }
        // reports what the host has stored
        macro_rules! host_stores {
            () => {
                for store in shared.memory.host_stores() {
                    if S::WANTS_DATA {
                        tell!();
                        sink.master(&store);
                    }
                }
            };
        }
        macro_rules! loaded {
            ($size:expr, $addr:expr, $value:expr) => {
                data!(DataKind::Load { size: $size, addr: $addr, value: $value })
            };
        }
        macro_rules! stored {
            ($size:expr, $addr:expr, $value:expr) => {
                data!(DataKind::Store { size: $size, addr: $addr, value: $value })
            };
        }
        macro_rules! load {
            ($n:literal, $convert:expr) => {{
                let addr = cut(rs1.wrapping_add(imm));
                let v = shared.memory.read::<$n>(hart!(), addr, cycle)?;
                loaded!($n, addr, v);
                set!($convert(v));
                if CACHES {
                    penalty += shared.caches.load(hart!(), addr);
                }
            }};
        }
        macro_rules! float_load {
            ($n:literal, $convert:expr) => {{
                float_on!();
                let addr = cut(rs1.wrapping_add(imm));
                let v = shared.memory.read::<$n>(hart!(), addr, cycle)?;
                loaded!($n, addr, v);
                set_float!($convert(v));
                if CACHES {
                    penalty += shared.caches.load(hart!(), addr);
                }
            }};
        }
        macro_rules! store {
            ($n:literal, $value:expr) => {{
                let (addr, value) = (cut(rs1.wrapping_add(imm)), $value);
                let effect = shared.memory.write::<$n>(hart!(), addr, value, cycle)?;
                stored!($n, addr, value & (u64::MAX >> (64 - 8 * $n)));
                if CACHES {
                    penalty += shared.caches.store(hart!(), addr);
                }
                if effect != Effect::None {
                    let effect = if effect == Effect::Call { shared.memory.system_call(cycle) } else { effect };
                    host_stores!();
                    retire!(penalty);
                    return Err(match effect {
                        Effect::Exit(code) => Break::Exit(code),
                        _ => Break::Interrupts,
                    });
                }
            }};
        }
        macro_rules! aligned {
            ($n:literal, $misaligned:literal, $possible:expr, $access:literal) => {
                if rs1 & ($n - 1) != 0 {
                    return Err(Break::Trap($misaligned, rs1));
                }
                if !$possible {
                    return Err(Break::Trap($access, rs1));
                }
            };
        }
        macro_rules! amo {
            ($n:literal, $convert:expr) => {{
                aligned!($n, 6, shared.memory.takes_store::<$n>(hart!(), rs1), 7);
                let f = |old| atomic::<$n>(op.code, old, rs2);
                let (old, new) = shared.memory.exchange::<$n>(hart!(), rs1, f, cycle)?;
                loaded!($n, rs1, old);
                stored!($n, rs1, new);
                set!($convert(old));
                if CACHES {
                    penalty += shared.caches.load(hart!(), rs1) + shared.caches.store(hart!(), rs1);
                }
            }};
        }
        macro_rules! reserve {
            ($n:literal, $convert:expr) => {{
                aligned!($n, 4, shared.memory.in_ram::<$n>(rs1), 5);
                let v = shared.memory.read::<$n>(hart!(), rs1, cycle)?;
                shared.memory.reserve(hart!(), rs1, $n);
                loaded!($n, rs1, v);
                set!($convert(v));
                if CACHES {
                    penalty += shared.caches.load(hart!(), rs1);
                }
            }};
        }
        macro_rules! store_conditional {
            ($n:literal) => {{
                aligned!($n, 6, shared.memory.takes_store::<$n>(hart!(), rs1), 7);
                let held = shared.memory.take_reservation(hart!(), rs1)?;
                if S::WANTS_DATA {
                    tell!();
                    sink.note(self.index, &Note::StoreConditional { stored: held });
                }
                if held {
                    shared.memory.write::<$n>(hart!(), rs1, rs2, cycle)?;
                    stored!($n, rs1, rs2 & (u64::MAX >> (64 - 8 * $n)));
                    if CACHES {
                        penalty += shared.caches.store(hart!(), rs1);
                    }
                }
                set!(u64::from(!held));
            }};
        }
        macro_rules! event {
            ($kind:expr) => {{
                tell!();
                let retired = at.instret + 1;
                let count = (retired - self.reported) as u32;
                self.reported = retired;
                if S::WANTS_STACK_POINTER {
                    sink.stack_pointer(self.index, self.regs[SP]);
                }
                sink.event(&FlowEvent { hart: self.index, kind: $kind, len: op.len, count, pc, target: next, cycle });
                if CACHES && next != cut(pc.wrapping_add(u64::from(op.len))) {
                    penalty += u64::from(shared.timing.redirect);
                }
            }};
        }
        macro_rules! branch {
            ($cond:expr) => {{
                let through = next;
                if $cond {
                    next = cut(pc.wrapping_add(imm));
                }
                event!(FlowKind::Conditional { taken: next != through });
            }};
        }
        match op.code {
            Code::Undecoded | Code::Illegal => return Err(Break::Trap(2, (op.imm as u32).into())),
            Code::Lui => set!(imm),
            Code::Auipc => set!(pc.wrapping_add(imm)),
            Code::Addi => set!(rs1.wrapping_add(imm)),
            Code::Slti => set!(u64::from(signed(rs1) < i64::from(op.imm))),
            Code::Sltiu => set!(u64::from(rs1 < imm)),
            Code::Xori => set!(rs1 ^ imm),
            Code::Ori => set!(rs1 | imm),
            Code::Andi => set!(rs1 & imm),
            Code::Slli => set!(rs1 << (imm & places)),
            Code::Srli => set!(rs1 >> (imm & places)),
            Code::Srai => set!((signed(rs1) >> (imm & places)) as u64),
            Code::Add => set!(rs1.wrapping_add(rs2)),
            Code::Sub => set!(rs1.wrapping_sub(rs2)),
            Code::Sll => set!(rs1 << (rs2 & places)),
            Code::Slt => set!(u64::from(signed(rs1) < signed(rs2))),
            Code::Sltu => set!(u64::from(rs1 < rs2)),
            Code::Xor => set!(rs1 ^ rs2),
            Code::Srl => set!(rs1 >> (rs2 & places)),
            Code::Sra => set!((signed(rs1) >> (rs2 & places)) as u64),
            Code::Or => set!(rs1 | rs2),
            Code::And => set!(rs1 & rs2),
            Code::Mul | Code::Mulh | Code::Mulhsu | Code::Mulhu => {
                set!(multiply::<RV64>(op.code, rs1, rs2));
                if CACHES {
                    penalty += u64::from(shared.timing.mul - 1);
                }
            }
            Code::Div | Code::Divu | Code::Rem | Code::Remu => {
                if RV64 {
                    set!(divide64(op.code, rs1, rs2));
                } else {
                    set!(divide32(op.code, rs1 as u32, rs2 as u32).into());
                }
                if CACHES {
                    penalty += u64::from(shared.timing.div - 1);
                }
            }
            Code::Lb => load!(1, |v| v as i8 as u64),
            Code::Lh => load!(2, |v| v as i16 as u64),
            Code::Lw => load!(4, |v| sign32(v as u32)),
            Code::Lbu => load!(1, |v| v),
            Code::Lhu => load!(2, |v| v),
            Code::Sb => store!(1, rs2),
            Code::Sh => store!(2, rs2),
            Code::Sw => store!(4, rs2),
            Code::Lr => {
                if RV64 && op.sub == 3 {
                    reserve!(8, |v| v);
                } else {
                    reserve!(4, |v| sign32(v as u32));
                }
            }
            Code::Sc => {
                if RV64 && op.sub == 3 {
                    store_conditional!(8);
                } else {
                    store_conditional!(4);
                }
            }
            Code::AmoSwap
            | Code::AmoAdd
            | Code::AmoXor
            | Code::AmoAnd
            | Code::AmoOr
            | Code::AmoMin
            | Code::AmoMax
            | Code::AmoMinu
            | Code::AmoMaxu => {
                if RV64 && op.sub == 3 {
                    amo!(8, |v| v);
                } else {
                    amo!(4, |v| sign32(v as u32));
                }
            }
            Code::Lwu => load!(4, |v| v),
            Code::Ld => load!(8, |v| v),
            Code::Sd => store!(8, rs2),
            Code::Addiw => set!(sign32((rs1 as u32).wrapping_add(op.imm as u32))),
            Code::Slliw => set!(sign32((rs1 as u32) << (imm & 31))),
            Code::Srliw => set!(sign32(rs1 as u32 >> (imm & 31))),
            Code::Sraiw => set!((rs1 as i32 >> (imm & 31)) as u64),
            Code::Addw => set!(sign32((rs1 as u32).wrapping_add(rs2 as u32))),
            Code::Subw => set!(sign32((rs1 as u32).wrapping_sub(rs2 as u32))),
            Code::Sllw => set!(sign32((rs1 as u32) << (rs2 & 31))),
            Code::Srlw => set!(sign32(rs1 as u32 >> (rs2 & 31))),
            Code::Sraw => set!((rs1 as i32 >> (rs2 & 31)) as u64),
            Code::Mulw => {
                set!(sign32((rs1 as u32).wrapping_mul(rs2 as u32)));
                if CACHES {
                    penalty += u64::from(shared.timing.mul - 1);
                }
            }
            Code::Divw | Code::Divuw | Code::Remw | Code::Remuw => {
                let code = match op.code {
                    Code::Divw => Code::Div,
                    Code::Divuw => Code::Divu,
                    Code::Remw => Code::Rem,
                    _ => Code::Remu,
                };
                set!(sign32(divide32(code, rs1 as u32, rs2 as u32)));
                if CACHES {
                    penalty += u64::from(shared.timing.div - 1);
                }
            }
            Code::Flh => float_load!(2, |v| float::boxed_half(v as u16)),
            Code::Flw => float_load!(4, |v| float::boxed(v as u32)),
            Code::Fld => float_load!(8, |v| v),
            Code::Fsh => {
                float_on!();
                store!(2, self.floats[usize::from(op.rs2 & 31)]);
            }
            Code::Fsw => {
                float_on!();
                store!(4, self.floats[usize::from(op.rs2 & 31)]);
            }
            Code::Fsd => {
                float_on!();
                store!(8, self.floats[usize::from(op.rs2 & 31)]);
            }
            Code::Unmodelled => {
                let insn = op.imm as u32;
                // no input is consumed if no register is written
                if op.rd != SINK {
                    let operands = [15, 20].map(|place| self.regs[(insn >> place & 31) as usize]);
                    set!(shared.memory.unmodelled(hart!(), insn, operands)?);
                }
            }
            Code::Fence => {}
            Code::FenceI => {
                retire!(fetch!());
                return Err(Break::FenceI);
            }
            Code::Csrrw | Code::Csrrs | Code::Csrrc | Code::Csrrwi | Code::Csrrsi | Code::Csrrci => {
                let Some(changed) = self.csr(*op, rs1, at, shared.memory)? else {
                    return Err(Break::Trap(2, code::bits(shared.memory, pc).unwrap_or(0).into()));
                };
                // the value is in `regs` even if the destination is x0
                let value = self.regs[usize::from(op.rd)];
                if self.reports_csr(*op, shared.memory) {
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
            Code::Ebreak => {
                if !semihosting::is_call(shared.memory, pc) {
                    return Err(Break::Trap(3, pc));
                }
                let (operation, argument) = (self.regs[10], self.regs[11]);
                let known = semihosting::result(operation);
                // an answer from outside is recorded like a CSR that changes by itself
                let recorded = match known {
                    None => shared.memory.open_csr(hart!(), semihosting::ANSWER.into())?,
                    Some(_) => None,
                };
                let (effect, answer) = shared.memory.semihosting_call(operation, argument, RV64, cycle);
                let value = cut(known.or(recorded).unwrap_or(answer));
                self.regs[10] = value;
                host_stores!();
                if known.is_none() {
                    data!(DataKind::Csr { csr: semihosting::ANSWER, value });
                }
                data!(DataKind::Register { rd: 10, value });
                if let Effect::Exit(code) = effect {
                    retire!(0);
                    return Err(Break::Exit(code));
                }
            }
            Code::Wfi => {
                retire!(0);
                return Err(Break::Wait);
            }
            Code::Mret => {
                if let Some(pc) = shared.memory.unsent_mepc(self.index.into())? {
                    self.csrs.mepc = pc;
                }
                next = self.csrs.mret();
                event!(FlowKind::TrapReturn);
                retire!(penalty + fetch!());
                return Err(Break::Interrupts);
            }
            Code::Jal => {
                set!(next);
                next = cut(pc.wrapping_add(imm));
                event!(if op.rd == 1 || op.rd == 5 { FlowKind::Call } else { FlowKind::Jump });
            }
            Code::Jalr => {
                set!(next);
                next = cut(rs1.wrapping_add(imm)) & !1;
                event!(indirect(op.rd, op.rs1));
            }
            Code::Beq => branch!(rs1 == rs2),
            Code::Bne => branch!(rs1 != rs2),
            Code::Blt => branch!(signed(rs1) < signed(rs2)),
            Code::Bge => branch!(signed(rs1) >= signed(rs2)),
            Code::Bltu => branch!(rs1 < rs2),
            Code::Bgeu => branch!(rs1 >= rs2),
            // the rest are ranges; a guard above would split the jump table
            code if code <= Code::CzeroNez => {
                set!(bits::execute::<RV64>(code, rs1, rs2.wrapping_add(imm)));
            }
            code => {
                let Some(value) = self.float(*op, rs1) else {
                    return Err(Break::Trap(2, code::bits(shared.memory, pc).unwrap_or(0).into()));
                };
                if to_integer(code) {
                    set!(value);
                } else {
                    set_float!(value);
                }
                if CACHES {
                    let cycles = match code {
                        Code::Fdiv | Code::Fsqrt => shared.timing.div,
                        _ => shared.timing.mul,
                    };
                    penalty += u64::from(cycles - 1);
                }
            }
        }
        retire!(penalty + fetch!());
        Ok(())
    }

    /// Executes arithmetic of F or D, except for writing the result; `None` if it is illegal at present.
    #[cold]
    #[inline(never)]
    fn float(&mut self, op: Op, integer: u64) -> Option<u64> {
        // moves, comparisons and the like have a function code in place of a rounding mode
        let rounds = op.code <= Code::Fsqrt || matches!(op.code, Code::FcvtF | Code::FcvtX | Code::FcvtToX);
        let mode = if rounds && op.sub & 7 == 7 { self.csrs.frm } else { op.sub & 7 };
        if !self.csrs.float_is_on() || rounds && mode > 4 {
            return None;
        }
        let floats = [op.rs1, op.rs2, op.rs3].map(|r| self.floats[usize::from(r & 31)]);
        let (value, flags) = float::execute(&Operands { code: op.code, sub: op.sub & !7 | mode, floats, integer });
        self.csrs.fflags |= flags;
        self.csrs.mstatus |= csr::FS;
        Some(value)
    }

    /// Whether the read of a CSR is reported, and taken from outside if the ISA leaves its value open. A read of a CSR
    /// that changes by itself is not reported if no register takes it: no port shows it.
    #[inline]
    fn reports_csr(&self, op: Op, bus: &impl Bus) -> bool {
        let number = op.imm as u32 & 0xfff;
        let read = !matches!(op.code, Code::Csrrw | Code::Csrrwi);
        op.rd != SINK || (read && !csr::is_open(number) && bus.knows_csr(self.index.into(), number))
    }

    /// Executes a CSR instruction; returns whether it wrote the CSR, `None` if there is no such CSR.
    #[cold]
    fn csr(&mut self, op: Op, rs1: u64, at: &At, bus: &mut impl Bus) -> Result<Option<bool>, Break> {
        let number = op.imm as u32 & 0xfff;
        let view = bus.view(self, at);
        let Some(mut old) = self.csrs.read(number, &view) else { return Ok(None) };
        let writes = matches!(op.code, Code::Csrrw | Code::Csrrwi) || op.rs1 != 0;
        // a write to a read-only register traps before anything is taken from outside
        if writes && number >> 10 == 3 {
            return Ok(None);
        }
        if let Some(value) = if op.rd != SINK { bus.open_csr(self.index.into(), number)? } else { None } {
            old = value;
            if !csr::is_open(number) {
                self.csrs.write(number, value, &view);
            }
        }
        let immediate = op.code >= Code::Csrrwi;
        let operand = if immediate { u64::from(op.rs1) } else { rs1 };
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
        self.regs[usize::from(op.rd)] = old;
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

/// Whether an instruction of F or D writes an integer register.
fn to_integer(code: Code) -> bool {
    matches!(code, Code::FcvtToX | Code::FmvToX | Code::Fclass | Code::Feq | Code::Flt | Code::Fle)
}
