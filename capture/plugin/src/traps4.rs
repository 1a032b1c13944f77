//! Traps of a whole machine: RISC-V, to machine mode; by registers' names, since version 2 of the interface
//!
//! Source: QEMU 10.0, `include/qemu/qemu-plugin.h`, `target/riscv/gdbstub.c`.

use crate::named4::{registers_named, Bytes};
use crate::qemu::Registers;
use std::ffi::{c_uint, CStr};
use std::sync::OnceLock;

/// Reads what a trap leaves.
pub struct Traps {
    /// As QEMU names them to plugins, once they were asked for; those of all harts have the same.
    handles: OnceLock<Option<[usize; 3]>>,
}

const TRAP_CSRS: [&CStr; 3] = [c"mtvec", c"mepc", c"mcause"];

impl Traps {
    /// What it takes is part of the interface.
    pub fn find(_: Option<Registers>) -> Option<Self> {
        Some(Self { handles: OnceLock::new() })
    }

    /// `mtvec`, `mepc`, `mcause` of the processor whose thread calls: QEMU shows no other's.
    pub fn csrs(&self, _: Option<c_uint>, _: usize) -> Option<[u64; 3]> {
        let handles = (*self.handles.get_or_init(|| registers_named(TRAP_CSRS)))?;
        let mut values = [0; 3];
        for (value, handle) in values.iter_mut().zip(handles) {
            *value = Bytes::of_register(handle)?;
        }
        Some(values)
    }
}
