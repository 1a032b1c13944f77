//! What a hart can access: RAM, devices, and all other values from outside
//!
//! In a machine this is [`Memory`]. When a recorded run is executed again, it is RAM and the recorded values.

use super::csr::View;
use super::hart::{At, Break, Hart};
use super::memory::{Effect, Memory};
use retire::MasterStore;

/// The outside of a hart, as its instructions access it.
pub trait Bus {
    /// The halfword at `addr`, for an instruction fetch; `None` is an access fault.
    fn half(&self, addr: u64) -> Option<u16>;
    /// Whether `N` bytes from `addr` on are RAM.
    fn in_ram<const N: usize>(&self, addr: u64) -> bool;
    /// Whether an atomic of `hart` can store `N` bytes at `addr`: they are RAM, and not read-only.
    fn takes_store<const N: usize>(&self, _hart: usize, addr: u64) -> bool {
        self.in_ram::<N>(addr)
    }
    /// Loads `N` bytes, little-endian, zero-extended.
    fn read<const N: usize>(&mut self, hart: usize, addr: u64, cycle: u64) -> Result<u64, Break>;
    /// Stores the low `N` bytes of `value`.
    fn write<const N: usize>(&mut self, hart: usize, addr: u64, value: u64, cycle: u64) -> Result<Effect, Break>;
    /// Loads `N` bytes of RAM from `addr` on and stores the result of `f` on them, atomically; returns both values.
    fn exchange<const N: usize>(
        &mut self,
        hart: usize,
        addr: u64,
        f: impl FnOnce(u64) -> u64,
        cycle: u64,
    ) -> Result<(u64, u64), Break>;
    /// Reserves `bytes` bytes.
    fn reserve(&mut self, hart: usize, addr: u64, bytes: u8);
    /// Whether `hart` still holds its reservation of `addr`. Clears the reservation.
    fn take_reservation(&mut self, hart: usize, addr: u64) -> Result<bool, Break>;
    /// The values from outside that CSRs show.
    fn view(&self, hart: &Hart, at: &At) -> View;
    /// Value of a CSR whose reads the ISA leaves open and that is written to a register; `None`: take it from
    /// [`Bus::view`].
    fn open_csr(&mut self, hart: usize, number: u32) -> Result<Option<u64>, Break>;
    /// Whether the value of a CSR is known. When a run is executed again from its middle, some are unknown at first.
    fn knows_csr(&self, _hart: usize, _number: u32) -> bool {
        true
    }
    /// Value of `mepc` before the first `mret` that needs it, if it is not known yet.
    fn unsent_mepc(&mut self, _hart: usize) -> Result<Option<u64>, Break> {
        Ok(None)
    }
    /// Performs a semihosting call; returns its answer if that comes from outside. When a run is executed again, the host
    /// has already done so.
    fn semihosting_call(&mut self, _operation: u64, _argument: u64, _rv64: bool, _cycle: u64) -> (Effect, u64) {
        (Effect::None, 0)
    }
    /// Performs the system call that was stored last.
    fn system_call(&mut self, _cycle: u64) -> Effect {
        Effect::None
    }
    /// What the host has stored to RAM since the last call.
    fn host_stores(&mut self) -> Vec<MasterStore> {
        Vec::new()
    }
    /// Result of an instruction that is not modelled.
    fn unmodelled(&mut self, hart: usize, insn: u32, operands: [u64; 2]) -> Result<u64, Break>;
}

impl Bus for Memory {
    #[inline]
    fn half(&self, addr: u64) -> Option<u16> {
        let at = self.offset::<2>(addr)?;
        Some(u16::from_le_bytes([self.ram[at], self.ram[at + 1]]))
    }

    #[inline]
    fn in_ram<const N: usize>(&self, addr: u64) -> bool {
        self.offset::<N>(addr).is_some()
    }

    #[inline]
    fn takes_store<const N: usize>(&self, _: usize, addr: u64) -> bool {
        Memory::takes_store::<N>(self, addr)
    }

    #[inline]
    fn read<const N: usize>(&mut self, _: usize, addr: u64, cycle: u64) -> Result<u64, Break> {
        self.load::<N>(addr, cycle).ok_or(Break::Trap(5, addr))
    }

    #[inline]
    fn write<const N: usize>(&mut self, _: usize, addr: u64, value: u64, cycle: u64) -> Result<Effect, Break> {
        self.store::<N>(addr, value, cycle).ok_or(Break::Trap(7, addr))
    }

    #[inline]
    fn exchange<const N: usize>(
        &mut self,
        _: usize,
        addr: u64,
        f: impl FnOnce(u64) -> u64,
        cycle: u64,
    ) -> Result<(u64, u64), Break> {
        let old = self.load::<N>(addr, cycle).unwrap_or(0);
        let new = f(old);
        self.store::<N>(addr, new, cycle);
        Ok((old, new))
    }

    fn reserve(&mut self, hart: usize, addr: u64, bytes: u8) {
        Memory::reserve(self, hart, addr, bytes);
    }

    fn take_reservation(&mut self, hart: usize, addr: u64) -> Result<bool, Break> {
        Ok(Memory::take_reservation(self, hart, addr))
    }

    fn view(&self, hart: &Hart, at: &At) -> View {
        View {
            hart: hart.index.into(),
            mip: hart.mip(at.cycle, self),
            cycle: at.cycle,
            instret: at.instret,
            time: self.mtime(at.cycle),
        }
    }

    fn open_csr(&mut self, _: usize, _: u32) -> Result<Option<u64>, Break> {
        Ok(None)
    }

    fn semihosting_call(&mut self, operation: u64, argument: u64, rv64: bool, cycle: u64) -> (Effect, u64) {
        Memory::semihosting_call(self, operation, argument, rv64, cycle)
    }

    fn system_call(&mut self, cycle: u64) -> Effect {
        Memory::system_call(self, cycle)
    }

    fn host_stores(&mut self) -> Vec<MasterStore> {
        std::mem::take(&mut self.host_stores)
    }

    fn unmodelled(&mut self, _: usize, insn: u32, operands: [u64; 2]) -> Result<u64, Break> {
        match self.unmodelled {
            Some(execute) => Ok(execute(insn, operands)),
            None => Err(Break::Trap(2, insn.into())),
        }
    }
}
