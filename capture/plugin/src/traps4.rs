//! Traps of a whole machine (RISC-V), by register names, since version 2 of the plugin interface
//!
//! Source: QEMU 10.0, `include/qemu/qemu-plugin.h`, `target/riscv/gdbstub.c`.

use crate::named4::{registers_named, Bytes};
use crate::qemu::Registers;
use std::ffi::{c_uint, CStr};
use std::sync::OnceLock;

/// Reads trap CSRs, and the context of a processor.
pub struct Traps {
    /// QEMU's register handles, once requested; they are the same for all harts.
    handles: OnceLock<Option<[usize; NAMES.len()]>>,
}

/// `priv` is the privilege mode, which no instruction can read.
const NAMES: [&CStr; 8] = [c"mtvec", c"mepc", c"mcause", c"stvec", c"sepc", c"scause", c"satp", c"priv"];
const MTVEC: usize = 0;
const MEPC: usize = 1;
const MCAUSE: usize = 2;
const STVEC: usize = 3;
const SEPC: usize = 4;
const SCAUSE: usize = 5;
const SATP: usize = 6;
const PRIV: usize = 7;

impl Traps {
    /// Needs no symbols: everything is part of the interface.
    pub fn find(_: Option<Registers>) -> Option<Self> {
        Some(Self { handles: OnceLock::new() })
    }

    /// Trap vectors `mtvec` and `stvec` of the current processor, as in all functions that follow: QEMU provides no
    /// other processor's.
    pub fn vectors(&self, _: usize) -> Option<[u64; 2]> {
        self.read([MTVEC, STVEC])
    }

    /// For machine or supervisor mode: trap vector, interrupted address, and cause of the last trap.
    pub fn taken(&self, _: c_uint, _: usize, supervisor: bool) -> Option<[u64; 3]> {
        self.read(if supervisor { [STVEC, SEPC, SCAUSE] } else { [MTVEC, MEPC, MCAUSE] })
    }

    /// Privilege mode, and `satp`.
    pub fn mode(&self, _: c_uint, _: usize) -> Option<[u64; 2]> {
        self.read([PRIV, SATP])
    }

    fn read<const N: usize>(&self, which: [usize; N]) -> Option<[u64; N]> {
        let handles = (*self.handles.get_or_init(|| registers_named(NAMES)))?;
        let mut values = [0; N];
        for (value, of) in values.iter_mut().zip(which) {
            *value = Bytes::of_register(handles[of])?;
        }
        Some(values)
    }
}
