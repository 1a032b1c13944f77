//! What a hart reaches: RAM, devices, and all else whose value comes from outside
//!
//! In a machine that is [`Memory`]; where a run is executed again it is RAM and what was recorded.

use super::csr::View;
use super::hart::{At, Break, Hart};
use super::memory::{Effect, Memory};

/// Answers what an instruction asks from outside its hart.
pub trait Bus {
    /// The halfword at `addr`, for the fetch; `None` is an access fault.
    fn half(&self, addr: u64) -> Option<u16>;
    /// Whether `N` bytes from `addr` on are RAM.
    fn in_ram<const N: usize>(&self, addr: u64) -> bool;
    /// Loads `N` bytes, little-endian, zero-extended.
    fn read<const N: usize>(&mut self, hart: usize, addr: u64, cycle: u64) -> Result<u64, Break>;
    /// Stores the low `N` bytes of `value`.
    fn write<const N: usize>(&mut self, hart: usize, addr: u64, value: u64, cycle: u64) -> Result<Effect, Break>;
    /// Loads `N` bytes of RAM from `addr` on and stores what `f` makes of them, at once; both values.
    fn exchange<const N: usize>(
        &mut self,
        hart: usize,
        addr: u64,
        f: impl FnOnce(u64) -> u64,
        cycle: u64,
    ) -> Result<(u64, u64), Break>;
    /// Reserves `bytes` bytes.
    fn reserve(&mut self, hart: usize, addr: u64, bytes: u8);
    /// Whether `hart` still holds its reservation of `addr`; it is gone afterwards.
    fn take_reservation(&mut self, hart: usize, addr: u64) -> Result<bool, Break>;
    /// What CSRs show of the outside.
    fn view(&self, hart: &Hart, at: &At) -> View;
    /// Value of a CSR that a register takes and whose reads the ISA leaves open, where it comes from elsewhere than [`Bus::view`].
    fn open_csr(&mut self, hart: usize, number: u32) -> Result<Option<u64>, Break>;
    /// Whether the value of a CSR is known. Where a run is executed again from its middle, some are not at first.
    fn knows_csr(&self, _hart: usize, _number: u32) -> bool {
        true
    }
    /// `mepc`, before an `mret` that is the first to need it there.
    fn untold_mepc(&mut self, _hart: usize) -> Result<Option<u64>, Break> {
        Ok(None)
    }
    /// Does what a program asks of the host by semihosting; where a run is executed again, the host did.
    fn ask_host(&mut self, _operation: u64, _argument: u64, _rv64: bool) -> Effect {
        Effect::None
    }
    /// What an instruction that is not modelled writes.
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

    fn ask_host(&mut self, operation: u64, argument: u64, rv64: bool) -> Effect {
        Memory::ask_host(self, operation, argument, rv64)
    }

    fn unmodelled(&mut self, _: usize, insn: u32, operands: [u64; 2]) -> Result<u64, Break> {
        match self.unmodelled {
            Some(execute) => Ok(execute(insn, operands)),
            None => Err(Break::Trap(2, insn.into())),
        }
    }
}
