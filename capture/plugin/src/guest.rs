//! Machine-dependent values: numbers of system calls, and the position of the pc in a signal frame
//!
//! Sources: QEMU 7.2, `linux-user/{riscv,x86_64,aarch64,arm}/signal.c` and `syscall_nr.h`; GDB register numbers as in
//! `gdb-xml` of the same version.

#[cfg(not(feature = "api4"))]
use crate::hooked::Hooked;
use crate::qemu::{symbol, Physical, Registers};
use crate::spaces::{Root, Spaces};
use crate::state::State;
use crate::traps::Traps;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void, CStr};

/// SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV.
const FAULTS: [u64; 5] = [4, 5, 7, 8, 11];
/// 32-bit ARM: GDB's number of the CPSR.
const CPSR: c_int = 25;
/// 32-bit ARM: the link register.
const LINK: c_int = 14;
/// 32-bit ARM: offset of the saved link register in the ucontext.
const SAVED_LINK: u64 = 88;

extern "C" {
    fn mincore(page: *mut c_void, length: usize, resident: *mut u8) -> c_int;
}

/// A machine for which a program is built.
pub struct Guest {
    /// Numbers of `rt_sigaction`, `rt_sigreturn` (and their predecessors), `execve`, `execveat`, `exit_group`.
    sigaction: [i64; 2],
    sigreturn: [i64; 2],
    exec: [i64; 2],
    exit_all: i64,
    /// Number of `sched_setaffinity`; the next is `sched_getaffinity`.
    affinity: i64,
    /// Numbers of `futex`, including the one with 64-bit times, and of `clone`.
    futex: [i64; 2],
    clone: i64,
    /// Size of an address, bytes.
    pub address: usize,
    /// Machine in the header of an ELF file.
    elf: u16,
    /// Registers at the first instruction of a handler: signal, siginfo, ucontext, stack pointer.
    registers: [c_int; 4],
    /// Offset of the ucontext from the stack pointer.
    context: u64,
    /// Offsets in the ucontext of the interrupted pc, and of the saved values of the same registers.
    pc: u64,
    saved: [u64; 4],
    /// The machine is 32-bit ARM.
    arm: bool,
    /// Of a whole machine: RISC-V, or another one.
    traps: Option<Traps>,
    #[cfg(not(feature = "api4"))]
    hooked: Option<Hooked>,
    spaces: Spaces,
    /// Of a whole machine.
    physical: Option<Physical>,
    reader: Option<Registers>,
    base: Option<*const u64>,
}

// SAFETY: `base` points to a variable of the emulator that is written before the guest starts.
unsafe impl Send for Guest {}
// SAFETY: as above.
unsafe impl Sync for Guest {}

/// Supervisor mode.
const SUPERVISOR: u64 = 1;

/// Most handlers of a vectored `mtvec` or `stvec`.
const VECTORS: u64 = 64;

/// Whether a handler at `start` belongs to this value of `mtvec` or `stvec`.
fn leads_to(vector: u64, start: u64) -> bool {
    let (base, vectored) = (vector & !3, vector & 3 == 1);
    // the reset value is 0, where no handler is
    base != 0 && (start == base || vectored && (start.wrapping_sub(base) / 4 < VECTORS))
}

/// Addresses to which traps lead with this value of `mtvec` or `stvec`.
pub fn starts(vector: u64) -> impl Iterator<Item = u64> {
    let (base, vectored) = (vector & !3, vector & 3 == 1);
    let count = match base {
        0 => 0,
        _ if vectored => VECTORS,
        _ => 1,
    };
    (0..count).map(move |i| base.wrapping_add(4 * i))
}

/// The interrupted state of a signal or a trap.
pub struct Interrupted {
    pub signal: u32,
    /// The thread's own instruction caused it.
    pub caused: bool,
    /// Interrupted address.
    pub pc: u64,
    /// Address of its ucontext; for a whole machine see [`Guest::trap`].
    pub context: u64,
}

/// Effect of a system call on the thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Call {
    Ordinary,
    Sigaction,
    Sigreturn,
    Exec,
    ExitAll,
    /// Waits until another thread wakes it.
    Waits,
    /// Wakes threads that wait, and returns how many.
    Wakes,
    /// Creates a thread.
    Creates,
    /// Reads or sets the processors on which a thread may run.
    Affinity {
        sets: bool,
    },
}

impl Guest {
    /// The machine with this name in QEMU; `system`: a whole machine.
    pub fn of(name: &str, system: bool) -> Option<Self> {
        // Linux's generic numbers, used on riscv and aarch64
        let (mut sigaction, mut sigreturn, mut exec, mut exit_all) = ([134; 2], [139; 2], [221, 281], 94);
        let (mut affinity, mut futex, mut clone) = (122, [98, 422], 220);
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
                (sigaction, sigreturn, exec, exit_all) = ([13; 2], [15; 2], [59, 322], 231);
                (affinity, futex, clone) = (203, [202; 2], 56);
                (registers, context, pc, address) = ([5, 4, 3, 7], 8, 168, 8);
                saved = [104, 112, 136, 160];
            }
            "arm" => {
                read = c"arm_cpu_gdb_read_register";
                (sigaction, sigreturn, exec, exit_all) = ([174, 67], [173, 119], [11, 387], 248);
                (affinity, futex, clone) = (241, [240, 422], 120);
                (registers, context, pc, address) = ([0, 1, 2, 13], 128, 92, 4);
                saved = registers.map(|r: c_int| 32 + r as u64 * 4);
            }
            _ => return None,
        }
        let arm = name == "arm";
        let elf = match name {
            "x86_64" => 62,
            "aarch64" => 183,
            "arm" => 40,
            _ => 243,
        };
        let reader = Registers::find(read);
        let base = symbol(c"guest_base").map(|s| s.cast_const().cast());
        // required to know which code is Thumb
        if arm && reader.is_none() {
            return None;
        }
        let is_riscv = name.starts_with("riscv");
        let traps = if system && is_riscv { Some(Traps::find(reader)?) } else { None };
        #[cfg(not(feature = "api4"))]
        let hooked = if system && !is_riscv { Some(Hooked::of(name, reader?)?) } else { None };
        #[cfg(feature = "api4")]
        if system && !is_riscv {
            return None;
        }
        Some(Self {
            sigaction,
            sigreturn,
            exec,
            exit_all,
            affinity,
            futex,
            clone,
            address,
            elf,
            registers,
            context,
            pc,
            saved,
            arm,
            traps,
            #[cfg(not(feature = "api4"))]
            hooked,
            spaces: Spaces::default(),
            physical: if system { Physical::find() } else { None },
            reader,
            base,
        })
    }

    /// Whether a file that begins with these bytes is a program of this machine.
    pub fn runs(&self, head: &[u8]) -> bool {
        // 32-bit or 64-bit, little-endian; the machine at 18
        let class = (self.address / 4) as u8;
        head.starts_with(&[0x7f, b'E', b'L', b'F', class, 1]) && head.get(18..20) == Some(&self.elf.to_le_bytes())
    }

    /// Whether the call is `execveat`.
    pub fn is_execveat(&self, number: i64) -> bool {
        number == self.exec[1]
    }

    /// Whether registers can be read.
    pub fn shows_registers(&self) -> bool {
        self.is_machine() || self.reader.is_some() && self.base.is_some()
    }

    /// Classifies a system call.
    pub fn call(&self, number: i64, [a1, a2]: [u64; 2]) -> Call {
        // `COMMAND` masks the futex operation; `THREAD` is CLONE_THREAD
        const COMMAND: u64 = 127;
        const THREAD: u64 = 1 << 16;
        match number {
            n if self.sigaction.contains(&n) => Call::Sigaction,
            n if self.sigreturn.contains(&n) => Call::Sigreturn,
            n if self.exec.contains(&n) => Call::Exec,
            n if n == self.exit_all => Call::ExitAll,
            n if n == self.affinity || n == self.affinity + 1 => Call::Affinity { sets: n == self.affinity },
            n if self.futex.contains(&n) => match a2 & COMMAND {
                0 | 9 => Call::Waits,
                1 | 5 | 10 => Call::Wakes,
                _ => Call::Ordinary,
            },
            n if n == self.clone && a1 & THREAD != 0 => Call::Creates,
            _ => Call::Ordinary,
        }
    }

    /// Host address of a guest address.
    #[inline]
    pub fn host(&self, address: u64) -> *const u8 {
        // SAFETY: a variable of the emulator that is set before the guest's first instruction.
        let base = self.base.map_or(0, |base| unsafe { base.read_volatile() });
        base.wrapping_add(address) as *const u8
    }

    /// Reads an address from the guest's memory.
    ///
    /// # Safety
    /// The guest must be able to read this address.
    pub unsafe fn address_at(&self, address: u64) -> u64 {
        let mut wide = [0; 8];
        std::ptr::copy_nonoverlapping(self.host(address), wide.as_mut_ptr(), self.address);
        u64::from_le_bytes(wide)
    }

    /// State in which the block that is being translated begins; `None` if its code is not supported.
    pub fn state(&self) -> Option<State> {
        #[cfg(not(feature = "api4"))]
        if let Some(hooked) = &self.hooked {
            return hooked.state();
        }
        let cpsr = self.reader.filter(|_| self.arm).and_then(|r| r.read_current([CPSR]));
        Some(cpsr.map_or_else(State::default, |[cpsr]| State::of_cpsr(cpsr as u32)))
    }

    /// Whether a trap handler begins at `start`, according to the trap vectors of the current processor.
    pub fn handles(&self, start: u64) -> bool {
        let Some(traps) = &self.traps else { return false };
        traps.vectors(self.address).is_some_and(|vectors| vectors.iter().any(|vector| leads_to(*vector, start)))
    }

    /// Whether it is a whole machine.
    pub fn is_machine(&self) -> bool {
        #[cfg(not(feature = "api4"))]
        if self.hooked.is_some() {
            return true;
        }
        self.traps.is_some()
    }

    /// Of a whole machine that is not RISC-V: access to its processors.
    #[cfg(not(feature = "api4"))]
    pub fn hooked(&self) -> Option<&Hooked> {
        self.hooked.as_ref()
    }

    /// Of a whole machine: `mtvec` and `stvec` of the current processor.
    pub fn vectors(&self) -> Option<[u64; 2]> {
        self.traps.as_ref()?.vectors(self.address)
    }

    /// The state that the last trap to machine or supervisor mode interrupted. If `handler` is given, it must be a
    /// handler of that mode.
    ///
    /// The context is 0 for machine mode. For supervisor mode it is the interrupted pc with bit 0 set, because machine
    /// mode may interrupt the supervisor handler before its first instruction.
    fn trap(&self, traps: &Traps, vcpu: c_uint, supervisor: bool, handler: Option<u64>) -> Option<Interrupted> {
        let [vector, pc, cause] = traps.taken(vcpu, self.address, supervisor)?;
        let interrupt = cause >> (8 * self.address - 1) & 1 == 1;
        let context = if supervisor { pc | 1 } else { 0 };
        let right = handler.is_none_or(|handler| leads_to(vector, handler));
        right.then_some(Interrupted { signal: cause as u32 & 0xff, caused: !interrupt, pc, context })
    }

    /// For a whole machine: privilege mode in the low two bits, and above them the number of the address space, 0 without
    /// translation. `space`: that of the processor's last call.
    pub fn context(&self, vcpu: c_uint, space: &Cell<(u64, u32)>) -> Option<u32> {
        let (mode, root) = self.mode(vcpu)?;
        let read = |at: u64, bytes: &mut [u8]| self.physical.map(|physical| physical.read(at, bytes));
        let number = self.spaces.number(root, space.get(), read);
        space.set((root.value, number));
        Some(mode & 3 | number << 2)
    }

    /// Privilege mode of a machine's processor, and what selects its address space.
    fn mode(&self, vcpu: c_uint) -> Option<(u32, Root)> {
        #[cfg(not(feature = "api4"))]
        if let Some(hooked) = &self.hooked {
            return hooked.context(vcpu);
        }
        let [mode, satp] = self.traps.as_ref()?.mode(vcpu, self.address)?;
        Some((mode as u32, Root::of_satp(satp, self.address)))
    }

    /// Start of the code of a function with this address.
    pub fn code(&self, address: u64) -> u64 {
        // on ARM, bit 0 selects Thumb
        address & !u64::from(self.arm)
    }

    /// Whether the guest can read a page: a pointer that it passes to the system may be invalid.
    pub fn readable(&self, address: u64) -> bool {
        let page = self.host(address & !4095);
        let mut resident = 0u8;
        // SAFETY: only queries whether a page is mapped.
        unsafe { mincore(page.cast_mut().cast(), 1, &mut resident) == 0 }
    }

    /// At the first instruction of a handler: the state that the last signal interrupted. `None` if the function is
    /// called as any other.
    pub fn signal(&self, vcpu: c_uint) -> Option<Interrupted> {
        if let Some(traps) = &self.traps {
            let [mode, _] = traps.mode(vcpu, self.address)?;
            return self.trap(traps, vcpu, mode == SUPERVISOR, None);
        }
        let found = self.reader?.read(vcpu, self.registers)?;
        let link = if self.arm { self.reader?.read(vcpu, [LINK])?[0] } else { 0 };
        self.framed(found).or_else(|| self.framed_alone(found, link))
    }

    /// The state that an earlier signal interrupted, if its handler was itself interrupted before its first instruction
    /// by the signal `later`.
    pub fn before(&self, vcpu: c_uint, later: &Interrupted) -> Option<Interrupted> {
        if let Some(traps) = &self.traps {
            let is_machine = later.context == 0;
            return is_machine.then(|| self.trap(traps, vcpu, true, Some(later.pc))).flatten();
        }
        // SAFETY: the frame was written by QEMU.
        let found = self.saved.map(|at| unsafe { self.address_at(later.context.wrapping_add(at)) });
        // SAFETY: as above.
        let link = unsafe { self.address_at(later.context.wrapping_add(SAVED_LINK)) };
        self.framed(found).or_else(|| self.framed_alone(found, link))
    }

    /// As [`Guest::framed`], for a handler that receives only the signal number, which only 32-bit ARM has. Its frame
    /// is the ucontext, and it returns to code that makes the system call.
    fn framed_alone(&self, [signal, _, _, stack]: [u64; 4], link: u64) -> Option<Interrupted> {
        let code = self.code(link);
        if !self.arm || !(1..=64).contains(&signal) || !self.readable(stack) || !self.readable(code) {
            return None;
        }
        // SAFETY: checked just before; if it is a frame, it was written by QEMU.
        let (call, pc) = unsafe { (self.address_at(code), self.address_at(stack.wrapping_add(self.pc))) };
        // mov r7, #119, at which no other caller continues: of QEMU, of glibc, or in A32
        let returns = match (link & 1, call) {
            (1, _) if call & 0xffff == 0x2777 => true,
            (1, _) => call == 0x0777_f04f,
            (_, _) => call == 0xe3a0_7077,
        };
        // there is no siginfo; signals for faults are assumed not to be sent by a process
        let caused = FAULTS.contains(&signal);
        returns.then_some(Interrupted { signal: signal as u32, caused, pc, context: stack })
    }

    /// Decodes signal, siginfo, ucontext and stack pointer.
    fn framed(&self, [signal, info, context, stack]: [u64; 4]) -> Option<Interrupted> {
        // identifies the new frame: nothing else has these offsets
        let framed = context == stack.wrapping_add(self.context) && info.wrapping_sub(stack) < 1 << 12;
        if !framed || !(1..=64).contains(&signal) {
            return None;
        }
        // SAFETY: QEMU has written the frame that these registers point to.
        let (pc, code) = unsafe {
            let code = std::ptr::read_unaligned(self.host(info.wrapping_add(8)).cast::<i32>());
            (self.address_at(context.wrapping_add(self.pc)), code)
        };
        // not sent by kill or the like
        let caused = code > 0 && FAULTS.contains(&signal);
        Some(Interrupted { signal: signal as u32, caused, pc, context })
    }
}
