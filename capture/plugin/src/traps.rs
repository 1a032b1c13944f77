//! Traps of a whole machine (RISC-V), for QEMU 7.2
//!
//! Source: QEMU 7.2, `target/riscv/csr.c`, `cpu_helper.c`.

use crate::qemu::{symbol, Registers};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// `RISCV_EXCP_NONE`: a register was read.
const NONE: c_int = -1;

/// Reads a CSR: processor, number, result, new value and write mask (both 0).
type ReadCsr = extern "C" fn(*mut c_void, c_int, *mut u64, u64, u64) -> c_int;

/// Returns the privilege mode of a processor.
type ReadMode = extern "C" fn(*mut c_void, bool) -> c_int;

/// Reads trap CSRs, and the context of a processor.
pub struct Traps {
    reader: Registers,
    read: ReadCsr,
    mode: ReadMode,
    /// Offset of the registers in QEMU's structure of a processor, once found.
    offset: AtomicUsize,
}

/// `mtvec`, `mepc`, `mcause`, and those of supervisor mode.
const TRAP_CSRS: [[c_int; 3]; 2] = [[0x305, 0x341, 0x342], [0x105, 0x141, 0x142]];
/// `satp`.
const SATP: c_int = 0x180;

impl Traps {
    /// Finds the required symbols.
    pub fn find(reader: Option<Registers>) -> Option<Self> {
        let read = symbol(c"riscv_csrrw_debug")?;
        // SAFETY: types as in the source; the last two have 32 bits for riscv32, where only the lower halves matter.
        let read = unsafe { std::mem::transmute::<*mut c_void, ReadCsr>(read) };
        let mode = symbol(c"riscv_cpu_mmu_index")?;
        // SAFETY: type as in the source; for a whole machine it returns the privilege mode.
        let mode = unsafe { std::mem::transmute::<*mut c_void, ReadMode>(mode) };
        Some(Self { reader: reader?, read, mode, offset: AtomicUsize::new(0) })
    }

    /// Trap vectors `mtvec` and `stvec` of the current processor. `bytes`: size of an address.
    pub fn vectors(&self, bytes: usize) -> Option<[u64; 2]> {
        let place = self.place(Registers::current()?, bytes)?;
        self.csrs(place, TRAP_CSRS.map(|[vector, ..]| vector))
    }

    /// For machine or supervisor mode: trap vector, interrupted address, and cause of the last trap.
    pub fn taken(&self, vcpu: c_uint, bytes: usize, supervisor: bool) -> Option<[u64; 3]> {
        self.csrs(self.place(self.reader.cpu(vcpu), bytes)?, TRAP_CSRS[usize::from(supervisor)])
    }

    /// Privilege mode, and `satp`.
    pub fn mode(&self, vcpu: c_uint, bytes: usize) -> Option<[u64; 2]> {
        let place = self.place(self.reader.cpu(vcpu), bytes)?;
        let [satp] = self.csrs(place, [SATP])?;
        Some([(self.mode)(place, false) as u64, satp])
    }

    /// Address of a processor's registers.
    fn place(&self, cpu: *mut c_void, bytes: usize) -> Option<*mut c_void> {
        let mut offset = self.offset.load(Relaxed);
        if offset == 0 {
            // the same for all processors
            offset = self.reader.place(cpu, bytes)? as usize - cpu as usize;
            self.offset.store(offset, Relaxed);
        }
        Some(cpu.wrapping_byte_add(offset))
    }

    /// Reads CSRs; missing upper halves are 0.
    fn csrs<const N: usize>(&self, place: *mut c_void, numbers: [c_int; N]) -> Option<[u64; N]> {
        let mut values = [0; N];
        for (value, number) in values.iter_mut().zip(numbers) {
            if (self.read)(place, number, value, 0, 0) != NONE {
                return None;
            }
        }
        Some(values)
    }
}
