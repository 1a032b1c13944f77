//! Traps of a whole machine: RISC-V, to machine mode; QEMU 7.2
//!
//! Source: QEMU 7.2, `target/riscv/csr.c`.

use crate::qemu::{symbol, Registers};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// `RISCV_EXCP_NONE`: a register was read.
const NONE: c_int = -1;

/// Reads a register of control and status: processor, number, where to write it, and what is written (nothing).
type ReadCsr = extern "C" fn(*mut c_void, c_int, *mut u64, u64, u64) -> c_int;

/// Reads what a trap leaves.
pub struct Traps {
    reader: Registers,
    read: ReadCsr,
    /// From a processor as QEMU knows it to its registers, once that was found.
    offset: AtomicUsize,
}

/// `mtvec`, `mepc`, `mcause`.
const TRAP_CSRS: [c_int; 3] = [0x305, 0x341, 0x342];

impl Traps {
    /// Finds what it takes.
    pub fn find(reader: Option<Registers>) -> Option<Self> {
        let read = symbol(c"riscv_csrrw_debug")?;
        // SAFETY: as in the source; the last two are of 32 bits for riscv32, as their lower halves are.
        let read = unsafe { std::mem::transmute::<*mut c_void, ReadCsr>(read) };
        Some(Self { reader: reader?, read, offset: AtomicUsize::new(0) })
    }

    /// `mtvec`, `mepc`, `mcause` of a processor; `None`: that of the thread that calls. `bytes`: of an address.
    pub fn csrs(&self, vcpu: Option<c_uint>, bytes: usize) -> Option<[u64; 3]> {
        let cpu = vcpu.map_or_else(Registers::current, |vcpu| Some(self.reader.cpu(vcpu)))?;
        let mut offset = self.offset.load(Relaxed);
        if offset == 0 {
            // of all processors the same
            offset = self.reader.place(cpu, bytes)? as usize - cpu as usize;
            self.offset.store(offset, Relaxed);
        }
        let place = cpu.wrapping_byte_add(offset);
        let mut values = [0; 3];
        for (value, number) in values.iter_mut().zip(TRAP_CSRS) {
            if (self.read)(place, number, value, 0, 0) != NONE {
                return None;
            }
        }
        Some(values)
    }
}
