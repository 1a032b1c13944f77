//! AArch64 machines

use super::{env_of, exception, exception_index, report, Cause, Env, Kind};
use crate::qemu::symbol;
use crate::spaces::{Root, Tables};
use crate::state::State;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

pub static KIND: Kind = Kind {
    exception: c"arm_cpu_do_interrupt",
    // x0 to x30, sp; pc
    numbers: &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
        30, 31, 32,
    ],
    place: 64,
    pc: PC,
    // no processor of the machine `virt` is reset while it runs
    reset: u64::MAX,
    next: |env| env.long(PC),
    context,
    state: decoded,
    changes,
    on_exception,
    on_interrupt: None,
};

/// Offsets in `CPUARMState`.
const PC: usize = 64 + 32 * 8;
const PSTATE: usize = PC + 8;
/// Whether it executes AArch64.
const AARCH64: usize = PSTATE + 4;
/// From `sctlr_el[0]` to `ttbr0_el[1]`.
const TO_TTBR0: usize = 96 + 8;

/// QEMU's numbers of exceptions that are interrupts (IRQ, FIQ and their virtual forms; SError), with their numbers here.
const INTERRUPTS: [(c_int, u8); 5] = [(5, 0), (14, 0), (6, 1), (15, 1), (24, 2)];
/// `EXCP_PREFETCH_ABORT`, `EXCP_DATA_ABORT`.
const FETCH_ABORT: c_int = 3;
const DATA_ABORT: c_int = 4;

/// Exception level.
fn level(env: &Env) -> u32 {
    env.word(PSTATE) >> 2 & 3
}

/// Offset of `sctlr_el[0]`: the register that QEMU's function returns of a structure whose words are their offsets.
fn registers() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    const BYTES: usize = 1 << 17;
    let find = || {
        let function = symbol(c"arm_sctlr")?;
        // SAFETY: type as in the source; for exception level 1 it only reads a register.
        let sctlr = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn(*const u64, c_int) -> u64>(function) };
        let words: Vec<u64> = (0..BYTES as u64).step_by(8).collect();
        let at = sctlr(words.as_ptr(), 1) as usize;
        (at % 8 == 0 && (PSTATE + 8..1 << 13).contains(&at)).then(|| at - 8)
    };
    *FOUND.get_or_init(find)
}

fn context(env: &Env) -> (u32, Root) {
    let mode = match level(env) {
        0 => 0,
        1 => 1,
        _ => 3,
    };
    let Some(sctlr) = registers() else { return (mode, Root::NONE) };
    // the table of level 0 and 1; others translate alike in all processes. Bit 0: translation is on
    if mode == 3 || env.long(sctlr + 8) & 1 == 0 {
        return (mode, Root::NONE);
    }
    let ttbr = env.long(sctlr + TO_TTBR0);
    // bit 0 says that other processors have the same table; no other use of it
    (mode, Root { value: ttbr | 1, page: ttbr & ((1 << 48) - 4096), tables: Tables::Aarch64 })
}

fn decoded(env: &Env) -> Option<State> {
    // a bool
    (env.word(AARCH64) & 0xff == 1).then(State::default)
}

/// Whether it returns from an exception, or may write a register of translation.
fn changes(code: &[u8], _: State) -> bool {
    let &[a, b, c, d] = code else { return false };
    let insn = u32::from_le_bytes([a, b, c, d]);
    // ERET, ERETAA, ERETAB
    let returns = insn & 0xffff_f000 == 0xd69f_0000;
    // MSR to CRn 1 (SCTLR) or 2 (TTBR0, TCR), of op0 3 and op1 0
    let writes = insn & 0xffff_0000 == 0xd518_0000 && matches!(insn >> 12 & 15, 1 | 2);
    returns || writes
}

unsafe extern "C" fn on_exception(cpu: *mut c_void) {
    let before = env_of(cpu).map(|env| (env.long(PC), level(&env)));
    let index = exception_index(cpu);
    exception(cpu);
    let (Some((pc, from)), Some(env)) = (before, env_of(cpu)) else { return };
    // a call of the firmware that QEMU has answered itself
    if env.long(PC) == pc {
        return;
    }
    let interrupt = INTERRUPTS.iter().find(|(i, _)| *i == index);
    let cause = match interrupt {
        Some((_, number)) => Cause { number: *number, caused: false },
        None => Cause { number: class(index, from < level(&env)), caused: true },
    };
    report(cpu, pc, &cause);
}

/// Exception class (`ESR_ELx.EC`). `lower`: it comes from a lower exception level.
///
/// Undefined instructions are of class 0, also where the register has a class for a trapped register or unit.
fn class(index: c_int, lower: bool) -> u8 {
    match index {
        // SVC, HVC, SMC, BRK
        2 => 0x15,
        11 => 0x16,
        13 => 0x17,
        7 => 0x3c,
        FETCH_ABORT => 0x21 - u8::from(lower),
        DATA_ABORT => 0x25 - u8::from(lower),
        _ => 0,
    }
}
