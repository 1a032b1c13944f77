//! Whole machines of x86-64 and AArch64, for QEMU 7.2: exceptions and interrupts, contexts, and how code is decoded
//!
//! RISC-V has registers with the cause and the address of the last trap; these machines store them on the stack, in
//! other forms in each mode, or in registers that QEMU does not show. But QEMU itself calls a function of the
//! processor's class for each exception, and one for each interrupt. This module puts its own functions there. They read
//! the pc before they call QEMU's, so the interrupted address is exact, and no handler must be known.
//!
//! # Source
//! QEMU 7.2: `include/hw/core/cpu.h`, `include/hw/core/tcg-cpu-ops.h`, `accel/tcg/cpu-exec.c`, `target/i386/cpu.h`,
//! `target/i386/tcg/sysemu/seg_helper.c`, `target/arm/cpu.h`, `target/arm/helper.c`; GDB register numbers as in
//! `target/i386/gdbstub.c` and `target/arm/gdbstub64.c`.

mod aarch64;
mod x86;

use crate::layout::{escape, CAUSED, SIGNAL};
use crate::qemu::{symbol, Registers};
use crate::spaces::Root;
use crate::state::State;
use crate::thread::{known_thread, Thread};
use crate::{state, OFF};
use std::ffi::{c_int, c_uint, c_void, CStr};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::OnceLock;

/// A processor's exception: QEMU's `do_interrupt`.
type OnException = unsafe extern "C" fn(*mut c_void);
/// A request of an interrupt: QEMU's `cpu_exec_interrupt`, which returns whether it is taken.
type OnInterrupt = unsafe extern "C" fn(*mut c_void, c_int) -> bool;

/// QEMU's functions.
static EXCEPTION: AtomicUsize = AtomicUsize::new(0);
static INTERRUPT: AtomicUsize = AtomicUsize::new(0);

/// Offsets in `CPUState`: `cpu_index`, `exception_index`.
const INDEX: usize = 0x2f0;
const EXCEPTION_INDEX: usize = 0x304;
/// Upper bounds: bytes of `CPUState`, and of a processor's structure; words of a class, and of `TCGCPUOps`.
const STATE_BYTES: usize = 0x2400;
const LONGEST: usize = 1 << 17;
const CLASS_WORDS: usize = 64;
const OPS_WORDS: usize = 32;
/// The emulator's code and constants are not further apart.
const IMAGE: usize = 1 << 26;

/// What an exception or interrupt is.
pub struct Cause {
    /// Its number: the vector, or the exception class.
    pub number: u8,
    /// The processor's own instruction caused it.
    pub caused: bool,
}

/// What differs between the two machines.
struct Kind {
    /// Name of QEMU's function for exceptions.
    exception: &'static CStr,
    /// GDB numbers of the registers at [`Kind::place`], and then of the pc.
    numbers: &'static [c_int],
    /// Offsets of these registers, and of the pc, in QEMU's architectural state.
    place: usize,
    pc: usize,
    /// The address after a reset.
    reset: u64,
    /// The address of the next instruction.
    next: fn(&Env) -> u64,
    /// Context: privilege mode, and root of the page tables.
    context: fn(&Env) -> (u32, Root),
    /// How code is decoded; `None`: not supported.
    state: fn(&Env) -> Option<State>,
    /// Whether an instruction may change the context.
    changes: fn(&[u8], State) -> bool,
    on_exception: OnException,
    /// `None`: QEMU calls the function for exceptions, too.
    on_interrupt: Option<OnInterrupt>,
}

/// Architectural state of a processor (`CPUArchState`).
pub struct Env(*const u8);

impl Env {
    fn long(&self, at: usize) -> u64 {
        // SAFETY: an offset in the structure.
        unsafe { self.0.add(at).cast::<u64>().read() }
    }

    fn word(&self, at: usize) -> u32 {
        // SAFETY: as above.
        unsafe { self.0.add(at).cast::<u32>().read() }
    }
}

/// Access to the processors of such a machine.
pub struct Hooked {
    kind: &'static Kind,
    reader: Registers,
    /// Offset of the architectural state in QEMU's structure of a processor; found when the first block is translated.
    offset: OnceLock<Option<usize>>,
}

impl Hooked {
    /// The machine with this name in QEMU.
    pub fn of(name: &str, reader: Registers) -> Option<Self> {
        let kind = match name {
            "x86_64" => &x86::KIND,
            "aarch64" => &aarch64::KIND,
            _ => return None,
        };
        symbol(kind.exception)?;
        Some(Self { kind, reader, offset: OnceLock::new() })
    }

    /// Puts the functions in place, when the first block is translated. False: this is not QEMU 7.2 as it is known.
    pub fn install(&self) -> bool {
        let install = || {
            let cpu = Registers::current()?;
            let offset = self.find(cpu)?;
            hook(cpu, self.kind)?;
            Some(offset)
        };
        self.offset.get_or_init(install).is_some()
    }

    /// Finds the architectural state: QEMU's structure has a pointer to it.
    fn find(&self, cpu: *mut c_void) -> Option<usize> {
        // SAFETY: inside the structure.
        let index = unsafe { cpu.cast::<u8>().add(INDEX).cast::<c_int>().read() };
        if !(0..4096).contains(&index) || self.reader.cpu(index as c_uint) != cpu {
            return None;
        }
        let wanted: Vec<u64> =
            self.kind.numbers.iter().map(|n| self.reader.read_of(cpu, [*n]).map(|[v]| v)).collect::<Option<_>>()?;
        let (pc, registers) = wanted.split_last()?;
        let base = cpu as usize;
        (0..STATE_BYTES).step_by(8).find_map(|at| {
            // SAFETY: inside the structure.
            let to = unsafe { cpu.cast::<u8>().add(at).cast::<usize>().read() };
            if to % 8 != 0 || !(base..base + LONGEST).contains(&to) {
                return None;
            }
            let env = Env(to as *const u8);
            let right = env.long(self.kind.pc) == *pc
                && registers.iter().enumerate().all(|(i, v)| env.long(self.kind.place + 8 * i) == *v);
            right.then_some(to - base)
        })
    }

    fn env(&self, cpu: *mut c_void) -> Option<Env> {
        let offset = (*self.offset.get()?)?;
        (!cpu.is_null()).then(|| Env(cpu.cast::<u8>().cast_const().wrapping_add(offset)))
    }

    /// How the block that is being translated is decoded. `None`: not supported.
    pub fn state(&self) -> Option<State> {
        (self.kind.state)(&self.env(Registers::current()?)?)
    }

    /// Privilege mode (0: user, 1: system, 3: above it), and root of the page tables.
    pub fn context(&self, vcpu: c_uint) -> Option<(u32, Root)> {
        Some((self.kind.context)(&self.env(self.reader.cpu(vcpu))?))
    }

    /// A processor waits for an interrupt.
    pub fn waits(&self, vcpu: c_uint, me: &Thread) {
        let pc = self.env(self.reader.cpu(vcpu)).map(|env| (self.kind.next)(&env));
        // not where a reset has put it
        if let Some(pc) = pc.filter(|pc| *pc != self.kind.reset) {
            me.waits_at.set(pc);
        }
    }

    /// Whether an instruction may change the context.
    pub fn changes(&self, code: &[u8], state: State) -> bool {
        (self.kind.changes)(code, state)
    }
}

/// Replaces the functions of the processor's class.
fn hook(cpu: *mut c_void, kind: &Kind) -> Option<()> {
    let wanted = symbol(kind.exception)? as usize;
    let near = |at: usize| at % 8 == 0 && at.abs_diff(wanted) < IMAGE;
    // SAFETY: an object begins with its class, which the emulator has allocated; what its words point to in the image
    // of the emulator are constants.
    unsafe {
        let class = *cpu.cast::<*mut usize>();
        let ops = |word: *mut usize| std::slice::from_raw_parts(*word as *const usize, OPS_WORDS);
        let position = |word| ops(word)[..OPS_WORDS - 1].iter().position(|function| *function == wanted);
        let found = (0..CLASS_WORDS).map(|i| class.add(i)).filter(|word| near(**word));
        // other constants may lie before the functions
        let found = found.filter_map(|word| Some((position(word)?, word)));
        let (at, word) = found.min_by_key(|(at, _)| *at)?;
        let mut own = ops(word).to_vec();
        EXCEPTION.store(own[at], Release);
        INTERRUPT.store(own[at + 1], Release);
        own[at] = kind.on_exception as usize;
        if let Some(on_interrupt) = kind.on_interrupt {
            own[at + 1] = on_interrupt as usize;
        }
        // the class is never freed; other processors read either value
        (*word.cast::<AtomicUsize>()).store(Vec::leak(own).as_ptr() as usize, Release);
    }
    Some(())
}

/// Calls QEMU's function for an exception. It may not return.
unsafe fn exception(cpu: *mut c_void) {
    let call: OnException = std::mem::transmute(EXCEPTION.load(Acquire));
    call(cpu);
}

/// Calls QEMU's function for an interrupt.
unsafe fn interrupt(cpu: *mut c_void, request: c_int) -> bool {
    let call: OnInterrupt = std::mem::transmute(INTERRUPT.load(Acquire));
    call(cpu, request)
}

/// Number of the exception that a processor is about to take.
unsafe fn exception_index(cpu: *mut c_void) -> c_int {
    cpu.cast::<u8>().add(EXCEPTION_INDEX).cast::<c_int>().read()
}

/// Architectural state of a processor.
fn env_of(cpu: *mut c_void) -> Option<Env> {
    state().guest.hooked()?.env(cpu)
}

/// The thread of a processor.
unsafe fn thread_of(cpu: *mut c_void) -> Option<&'static Thread> {
    known_thread(cpu.cast::<u8>().add(INDEX).cast::<c_uint>().read())
}

/// A handler begins; the processor was interrupted at `pc`.
unsafe fn report(cpu: *mut c_void, pc: u64, cause: &Cause) {
    if OFF.load(Relaxed) {
        return;
    }
    let Some(me) = thread_of(cpu) else { return };
    let argument = u32::from(cause.number) | if cause.caused { CAUSED } else { 0 };
    state().ring.report(&me.writer, &[escape(SIGNAL, argument), pc as u32, (pc >> 32) as u32]);
    me.changed.set(true);
}
