//! State of the cores at a moment: registers, memory, and the exception that ends a crash

use super::world::World;
use super::{Replay, TRAPS};
use crate::riscv::bus::Bus;
use crate::riscv::csr::{self, View};
use crate::riscv::hart::{At, Break, Hart, Shared, State};
use crate::riscv::memory::Effect;
use retire::{FlowKind, NullSink};

/// An exception after which a core does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The instruction that raised it.
    pub pc: u64,
    /// As in `mcause`.
    pub cause: u8,
}

/// `wfi`.
const WFI: [u8; 4] = 0x1050_0073u32.to_le_bytes();

/// Memory that only code can be fetched from: whatever else an instruction accesses ends it without an effect.
struct CodeOnly<'a>(&'a World);

impl Bus for CodeOnly<'_> {
    fn half(&self, addr: u64) -> Option<u16> {
        self.0.half(addr)
    }

    fn in_ram<const N: usize>(&self, addr: u64) -> bool {
        self.0.in_ram::<N>(addr)
    }

    fn read<const N: usize>(&mut self, _: usize, _: u64, _: u64) -> Result<u64, Break> {
        Err(Break::Input)
    }

    fn write<const N: usize>(&mut self, _: usize, _: u64, _: u64, _: u64) -> Result<Effect, Break> {
        Err(Break::Input)
    }

    fn exchange<const N: usize>(
        &mut self,
        _: usize,
        _: u64,
        _: impl FnOnce(u64) -> u64,
        _: u64,
    ) -> Result<(u64, u64), Break> {
        Err(Break::Input)
    }

    fn reserve(&mut self, _: usize, _: u64, _: u8) {}

    fn take_reservation(&mut self, _: usize, _: u64) -> Result<bool, Break> {
        Err(Break::Input)
    }

    fn view(&self, hart: &Hart, at: &At) -> View {
        self.0.view(hart, at)
    }

    fn open_csr(&mut self, _: usize, _: u32) -> Result<Option<u64>, Break> {
        Err(Break::Input)
    }

    fn unmodelled(&mut self, _: usize, _: u32, _: [u64; 2]) -> Result<u64, Break> {
        Err(Break::Input)
    }
}

impl Replay {
    /// The exception that the next instruction of a core raises, if its handler cannot be executed. Refused accesses are messages of the
    /// recording, and are not looked for here. The core's state stays as it is.
    pub(super) fn crash(&mut self, core: usize) -> Option<Fault> {
        let mut hart = self.harts[core].clone();
        let pc = hart.at.pc;
        // a core that waits for an interrupt does not come to the next instruction
        let before = u32::try_from(pc).ok().and_then(|pc| self.memory(pc.wrapping_sub(4), 4));
        if before == Some(&WFI[..]) {
            return None;
        }
        let mut memory = CodeOnly(&self.world);
        let mut shared = Shared { memory: &mut memory, caches: &mut self.caches, timing: &self.timing };
        let (code, sink) = (&mut self.code, &mut NullSink);
        let mut first = None;
        for _ in 0..TRAPS {
            let end = match code.isa().rv64 {
                false => hart.single::<_, _, false, true, false>(&mut shared, code, sink),
                true => hart.single::<_, _, false, true, true>(&mut shared, code, sink),
            };
            let Err(Break::Trap(cause, tval)) = end else { return None };
            hart.trap(false, cause, tval);
            if first.is_none() {
                // as the profile of the core reports it
                let cause = match hart.pending.map(|p| p.kind) {
                    Some(FlowKind::Trap { cause, .. }) => cause,
                    _ => cause as u8,
                };
                first = Some(Fault { pc, cause });
            }
            if hart.state == State::Locked {
                return first;
            }
        }
        None
    }

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
