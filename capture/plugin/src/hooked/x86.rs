//! x86-64 machines

use super::{env_of, exception, exception_index, interrupt, report, thread_of, Cause, Env, Kind};
use crate::qemu::symbol;
use crate::spaces::{Root, Tables};
use crate::state::State;
use std::ffi::{c_int, c_void};

pub static KIND: Kind = Kind {
    exception: c"x86_cpu_do_interrupt",
    // rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15; rip
    numbers: &[0, 2, 3, 1, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    place: 0,
    pc: EIP,
    reset: 0xffff_fff0,
    next,
    context,
    state: decoded,
    changes,
    on_exception,
    on_interrupt: Some(on_interrupt),
};

/// Offsets in `CPUX86State`.
const EIP: usize = 128;
const HFLAGS: usize = 176;
/// A segment: selector, base at 8, limit at 16; CS is the second.
const CS: usize = 184 + 24;
const IDT: usize = 400;
const CR0: usize = 424;
const CR3: usize = CR0 + 3 * 8;
const CR4: usize = CR0 + 4 * 8;

/// `HF_CPL_MASK`, `HF_CS32_MASK`, `HF_PE_MASK`, `HF_LMA_MASK`, `HF_CS64_MASK`, `HF_SMM_MASK`.
const CPL: u32 = 3;
const CS32: u32 = 1 << 4;
const PE: u32 = 1 << 7;
const LMA: u32 = 1 << 14;
const CS64: u32 = 1 << 15;
const SMM: u32 = 1 << 19;
/// `CPU_INTERRUPT_SIPI`.
const SIPI: c_int = 0x800;

fn next(env: &Env) -> u64 {
    env.long(CS + 8).wrapping_add(env.long(EIP))
}

fn context(env: &Env) -> (u32, Root) {
    let flags = env.word(HFLAGS);
    let mode = match flags {
        _ if flags & SMM != 0 => 3,
        _ if flags & CPL == 3 => 0,
        _ => 1,
    };
    if env.long(CR0) >> 31 & 1 == 0 {
        return (mode, Root::NONE);
    }
    // CR4.PCIDE: bits 11:0 are the number that the system has given
    let number = if env.long(CR4) >> 17 & 1 == 1 { env.long(CR3) & 0xfff } else { 0 };
    let page = env.long(CR3) & ((1 << 52) - 4096);
    let tables = if flags & LMA != 0 { Tables::X86Long } else { Tables::Unknown };
    // no bit of an address is 63
    (mode, Root { value: 1 << 63 | page | number, page, tables })
}

fn decoded(env: &Env) -> Option<State> {
    let flags = env.word(HFLAGS);
    let mode = match flags {
        _ if flags & CS64 != 0 => 3,
        _ if flags & CS32 != 0 => 2,
        _ => 1,
    };
    Some(State::of_x86(mode, env.long(CS + 8)))
}

/// Whether it writes a control register, or may enter another segment of code.
fn changes(code: &[u8], state: State) -> bool {
    let is_prefix = |b: &u8| matches!(b, 0x66 | 0x67 | 0xf2 | 0xf3 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 | 0xf0);
    let is_rex = |b: &u8| state.is_x86_long() && b & 0xf0 == 0x40;
    let skipped = code.iter().take_while(|b| is_prefix(b) || is_rex(b)).count();
    match code[skipped..] {
        // mov to a control register; lmsw; syscall, sysret, sysenter, sysexit, rsm
        [0x0f, 0x22 | 0x05 | 0x07 | 0x34 | 0x35 | 0xaa, ..] => true,
        [0x0f, 0x01, form, ..] => form >> 3 & 7 == 6,
        // far return, iret; far call and jump; int3, int, into, int1
        [0xca | 0xcb | 0xcf | 0x9a | 0xea | 0xcc | 0xcd | 0xce | 0xf1, ..] => true,
        [0xff, form, ..] => matches!(form >> 3 & 7, 3 | 5),
        _ => false,
    }
}

unsafe extern "C" fn on_exception(cpu: *mut c_void) {
    let before = env_of(cpu).map(|env| next(&env));
    let number = u8::try_from(exception_index(cpu)).unwrap_or(0);
    exception(cpu);
    if let Some(pc) = before {
        report(cpu, pc, &Cause { number, caused: true });
    }
}

unsafe extern "C" fn on_interrupt(cpu: *mut c_void, request: c_int) -> bool {
    let before = env_of(cpu).map(|env| next(&env));
    let taken = interrupt(cpu, request);
    if let (Some(before), Some(env), true) = (before, env_of(cpu), taken) {
        let now = next(&env);
        if now != before {
            let number = vector(&env).unwrap_or(0);
            // another processor starts this one, which was reset in the meantime
            let waited = thread_of(cpu).map(|me| me.waits_at.get()).filter(|at| request & SIPI != 0 && *at != 0);
            let before = waited.unwrap_or(before);
            report(cpu, before, &Cause { number, caused: false });
        }
    }
    taken
}

/// `cpu_memory_rw_debug`: processor, virtual address, buffer, length, and whether it writes.
type Access = extern "C" fn(*mut c_void, u64, *mut c_void, u64, bool) -> c_int;

/// The vector whose handler a processor has just entered; if several have the same handler, the lowest one, but not that of
/// an exception if another has it, too.
fn vector(env: &Env) -> Option<u8> {
    let flags = env.word(HFLAGS);
    let (eip, selector) = (env.long(EIP), u64::from(env.word(CS)));
    // bytes of an entry, and the first vector that is not one of an exception, or of the BIOS
    let (size, first) = match flags {
        _ if flags & LMA != 0 => (16, 32),
        _ if flags & PE != 0 => (8, 32),
        _ => (4, 8),
    };
    let access = symbol(c"cpu_memory_rw_debug")?;
    // SAFETY: type as in the source.
    let access = unsafe { std::mem::transmute::<*mut c_void, Access>(access) };
    let mut table = [0u8; 4096];
    let length = (env.word(IDT + 16) as usize + 1).min(256 * size);
    let cpu = crate::qemu::Registers::current()?;
    if access(cpu, env.long(IDT + 8), table.as_mut_ptr().cast(), length as u64, false) != 0 {
        return None;
    }
    let field = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let leads = |entry: &[u8]| match size {
        4 => field(&entry[..2]) == eip && field(&entry[2..]) == selector,
        _ => {
            let high = if size == 16 { field(&entry[8..12]) } else { 0 };
            field(&entry[..2]) | field(&entry[6..8]) << 16 | high << 32 == eip
        }
    };
    let entries = table[..length].chunks_exact(size);
    let found: Vec<usize> = entries.enumerate().filter(|(_, entry)| leads(entry)).map(|(i, _)| i).collect();
    found.iter().find(|i| **i >= first).or(found.first()).map(|i| *i as u8)
}
