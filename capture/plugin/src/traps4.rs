//! Traps of a whole machine: RISC-V; by registers' names, since version 2 of the interface
//!
//! Source: QEMU 10.0, `include/qemu/qemu-plugin.h`, `target/riscv/gdbstub.c`.

use crate::named4::{registers_named, Bytes};
use crate::qemu::Registers;
use std::ffi::{c_uint, CStr};
use std::sync::OnceLock;

/// Reads what a trap leaves, and what a processor is in.
pub struct Traps {
    /// As QEMU names them to plugins, once they were asked for; those of all harts have the same.
    handles: OnceLock<Option<[usize; NAMES.len()]>>,
}

/// `priv` is the privilege mode, which no instruction reads.
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
    /// What it takes is part of the interface.
    pub fn find(_: Option<Registers>) -> Option<Self> {
        Some(Self { handles: OnceLock::new() })
    }

    /// Where handlers begin: `mtvec`, `stvec` of the processor whose thread calls, as of all that follow: QEMU shows no
    /// other's.
    pub fn vectors(&self, _: usize) -> Option<[u64; 2]> {
        self.read([MTVEC, STVEC])
    }

    /// Of machine or supervisor mode: where its handlers begin, what its last trap interrupted, and why.
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
