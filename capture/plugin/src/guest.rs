//! What differs from machine to machine: numbers of system calls, and where a signal's frame keeps the pc
//!
//! Sources: QEMU 7.2, `linux-user/{riscv,x86_64,aarch64}/signal.c` and `syscall_nr.h`; GDB numbers of registers as in
//! `gdb-xml` of the same.

use crate::qemu::{symbol, Registers};
use std::ffi::{c_int, c_uint, CStr};

/// A machine that a program is of.
pub struct Guest {
    /// Its 64-bit numbers of `rt_sigaction`, `rt_sigreturn`, `execve`, `execveat`, `exit_group`.
    sigaction: i64,
    sigreturn: i64,
    exec: [i64; 2],
    exit_all: i64,
    /// Bytes of an address.
    address: usize,
    /// Registers at a handler's first instruction: signal, siginfo, ucontext, stack pointer.
    registers: [c_int; 4],
    /// From the stack pointer to the ucontext.
    context: u64,
    /// From the ucontext to the interrupted pc, and to the same registers of then.
    pc: u64,
    saved: [u64; 4],
    reader: Option<Registers>,
    base: Option<*const u64>,
}

// SAFETY: `base` points to a variable of the emulator, which is written before the guest begins.
unsafe impl Send for Guest {}
// SAFETY: as above.
unsafe impl Sync for Guest {}

/// What a signal interrupted.
pub struct Interrupted {
    pub signal: u32,
    /// The thread's own instruction was the cause.
    pub caused: bool,
    /// Where.
    pub pc: u64,
    /// Its ucontext.
    pub context: u64,
}

/// What a system call does to the thread.
#[derive(PartialEq, Eq)]
pub enum Call {
    Ordinary,
    Sigaction,
    Sigreturn,
    Exec,
    ExitAll,
}

impl Guest {
    /// By the name QEMU gives it.
    pub fn of(name: &str) -> Option<Self> {
        // Linux's generic numbers, which riscv and aarch64 have
        let (mut sigaction, mut sigreturn, mut exec, mut exit_all) = (134, 139, [221, 281], 94);
        let read: &CStr;
        let (registers, context, pc, saved, address);
        match name {
            "riscv64" | "riscv32" => {
                read = c"riscv_cpu_gdb_read_register";
                (registers, context) = ([10, 11, 12, 2], 128);
                (pc, address) = if name == "riscv64" { (176, 8) } else { (160, 4) };
                saved = registers.map(|r: c_int| pc + r as u64 * address as u64);
            }
            "aarch64" => {
                read = c"aarch64_cpu_gdb_read_register";
                (registers, context, pc, address) = ([0, 1, 2, 31], 128, 440, 8);
                saved = registers.map(|r: c_int| 184 + r as u64 * 8);
            }
            "x86_64" => {
                read = c"x86_cpu_gdb_read_register";
                (sigaction, sigreturn, exec, exit_all) = (13, 15, [59, 322], 231);
                (registers, context, pc, address) = ([5, 4, 3, 7], 8, 168, 8);
                saved = [104, 112, 136, 160];
            }
            _ => return None,
        }
        let reader = Registers::find(read);
        let base = symbol(c"guest_base").map(|s| s.cast_const().cast());
        Some(Self { sigaction, sigreturn, exec, exit_all, address, registers, context, pc, saved, reader, base })
    }

    /// Whether registers can be read.
    pub fn shows_registers(&self) -> bool {
        self.reader.is_some() && self.base.is_some()
    }

    /// What a system call is.
    pub fn call(&self, number: i64) -> Call {
        match number {
            n if n == self.sigaction => Call::Sigaction,
            n if n == self.sigreturn => Call::Sigreturn,
            n if self.exec.contains(&n) => Call::Exec,
            n if n == self.exit_all => Call::ExitAll,
            _ => Call::Ordinary,
        }
    }

    /// Where the host has the byte at a guest's address.
    #[inline]
    pub fn host(&self, address: u64) -> *const u8 {
        // SAFETY: a variable of the emulator; it is set before the guest's first instruction.
        let base = self.base.map_or(0, |base| unsafe { base.read_volatile() });
        base.wrapping_add(address) as *const u8
    }

    /// An address in the guest's memory.
    ///
    /// # Safety
    /// The guest can read it.
    pub unsafe fn address_at(&self, address: u64) -> u64 {
        let mut wide = [0; 8];
        std::ptr::copy_nonoverlapping(self.host(address), wide.as_mut_ptr(), self.address);
        u64::from_le_bytes(wide)
    }

    /// At the first instruction of a handler: what interrupted what, the last first. `None` where the function is called
    /// as any other.
    pub fn signal(&self, vcpu: c_uint) -> Option<Interrupted> {
        let found = self.reader?.read(vcpu, self.registers)?;
        self.framed(found)
    }

    /// A handler that was interrupted before its first instruction, by a signal whose frame this is: what that one
    /// interrupted.
    pub fn before(&self, later: &Interrupted) -> Option<Interrupted> {
        // SAFETY: the frame is one that QEMU has written.
        let found = self.saved.map(|at| unsafe { self.address_at(later.context.wrapping_add(at)) });
        self.framed(found)
    }

    /// From signal, siginfo, ucontext and stack pointer.
    fn framed(&self, [signal, info, context, stack]: [u64; 4]) -> Option<Interrupted> {
        // the frame has just been made: nothing else has these distances
        let framed = context == stack.wrapping_add(self.context) && info.wrapping_sub(stack) < 1 << 12;
        if !framed || !(1..=64).contains(&signal) {
            return None;
        }
        // SAFETY: QEMU has written the frame that these registers point to.
        let (pc, code) = unsafe {
            let code = std::ptr::read_unaligned(self.host(info.wrapping_add(8)).cast::<i32>());
            (self.address_at(context.wrapping_add(self.pc)), code)
        };
        // SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, and not sent by kill or the like
        let caused = code > 0 && [4, 5, 7, 8, 11].contains(&signal);
        Some(Interrupted { signal: signal as u32, caused, pc, context })
    }
}
