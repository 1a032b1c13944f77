//! State of the cores at a moment: registers, memory, and the exception that ends a crash

use super::Replay;
use crate::riscv::bus::Bus;
use crate::riscv::csr::{self, View};
use retire::FlowKind;

/// An exception after which a core does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instruction that raised it.
    pub pc: u64,
    /// As in `mcause`.
    pub cause: u8,
}

impl Replay {
    /// Registers f0 to f31 of a core; a 32-bit number has ones in the upper half.
    pub fn floats(&self, core: u8) -> [u64; 32] {
        self.harts[usize::from(core)].floats
    }

    /// Registers of a core: x0 to x31.
    pub fn registers(&self, core: u8) -> [u64; 32] {
        let mut regs = [0; 32];
        regs[1..].copy_from_slice(&self.harts[usize::from(core)].regs[1..32]);
        regs
    }

    /// Address of the next instruction of a core.
    pub fn pc(&self, core: u8) -> u64 {
        self.harts[usize::from(core)].at.pc
    }

    /// The exception whose handler cannot be fetched: the core crashed at it.
    pub fn fault(&self, core: u8) -> Option<Fault> {
        let me = usize::from(core);
        let trap = self.harts[me].pending.and_then(|p| match p.kind {
            FlowKind::Trap { interrupt: false, cause } => Some(Fault { pc: p.pc, cause }),
            _ => None,
        });
        let handler = u32::try_from(self.harts[me].at.pc).ok();
        let missing = handler.is_none_or(|pc| self.memory(pc, 2).is_none());
        self.cores[me].fault.or(trap.filter(|_| missing))
    }

    /// Instructions that a core has retired.
    pub fn retired(&self, core: u8) -> u64 {
        self.harts[usize::from(core)].at.instret
    }

    /// A CSR of a core; `None` if the core does not have it, or if its value comes from outside.
    pub fn csr(&self, core: u8, number: u16) -> Option<u64> {
        let hart = &self.harts[usize::from(core)];
        let view = View { hart: core.into(), mip: 0, cycle: 0, instret: hart.at.instret, time: 0 };
        let known = !csr::is_open(number.into()) && self.world.knows_csr(core.into(), number.into());
        hart.csrs.read(number.into(), &view).filter(|_| known)
    }

    /// The `bytes` bytes of RAM at `addr`; `None` if some of them are not RAM, or not known yet in a recording that began in the
    /// middle of a run.
    pub fn memory(&self, addr: u32, bytes: usize) -> Option<&[u8]> {
        let offset = addr.checked_sub(self.params.ram_base)? as usize;
        let held = self.world.ram.get(offset..offset.checked_add(bytes)?)?;
        (offset..offset + bytes).all(|at| self.world.knows(at)).then_some(held)
    }
}
