//! DMA: a device that copies words of RAM while the harts run; a bus master that is not a hart
//!
//! | offset | register | access |
//! | ---: | --- | --- |
//! | 0 | byte address of the next word to read | word |
//! | 4 | byte address of the next word to store | word |
//! | 8 | words left; a store starts a copy of that number of words | word |
//!
//! Addresses are multiples of 4: the low bits are 0. Words outside RAM are not copied, but are counted.

use super::memory::Memory;
use retire::MasterStore;

/// Base address.
pub const DMA: u32 = 0x1001_0000;
/// Size of the registers, bytes.
pub const DMA_BYTES: u32 = 12;
/// Clock cycles per word.
pub const WORD_CYCLES: u64 = 4;

/// The DMA device of the built-in simulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dma {
    from: u32,
    to: u32,
    left: u32,
    /// Cycle of the next word.
    next: u64,
}

impl Dma {
    /// Cycle in which the next word is copied; `None` when idle.
    pub fn next(&self) -> Option<u64> {
        (self.left > 0).then_some(self.next)
    }

    /// Loads a register.
    pub fn load(&self, offset: u32) -> Option<u32> {
        [self.from, self.to, self.left].get(offset as usize / 4).copied()
    }

    /// Stores to a register.
    pub fn store(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        match offset {
            0 => self.from = value & !3,
            4 => self.to = value & !3,
            8 => (self.left, self.next) = (value, cycle + WORD_CYCLES),
            _ => return None,
        }
        Some(())
    }
}

impl Memory {
    /// Copies the next word; returns the store, if it was in RAM.
    pub fn copy_word(&mut self) -> Option<MasterStore> {
        let Dma { from, to, next: cycle, .. } = self.dma;
        self.dma.left -= 1;
        self.dma.next += WORD_CYCLES;
        (self.dma.from, self.dma.to) = (from.wrapping_add(4), to.wrapping_add(4));
        let (from, addr) = (u64::from(from), u64::from(to));
        (self.offset::<4>(from).is_some() && self.offset::<4>(addr).is_some()).then_some(())?;
        let value = self.load::<4>(from, cycle)?;
        self.store::<4>(addr, value, cycle)?;
        Some(MasterStore { addr, value: value as u32, mask: 0xf, cycle })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_copied_to_read_only_memory() {
        let first_word = 0x8000_0000..0x8000_0004;
        let mut m = Memory::new(0x8000_0000, 64 << 10, 1, 1).with_read_only(vec![first_word]);
        for (offset, value) in [(0, 0x8000_0100u32), (4, 0x8000_0000), (8, 2)] {
            m.store::<4>((DMA + offset).into(), value.into(), 100).unwrap();
        }
        m.store::<4>(0x8000_0100, 1, 0).unwrap();
        m.store::<4>(0x8000_0104, 2, 0).unwrap();
        assert_eq!(m.copy_word(), None);
        assert_eq!(m.copy_word().map(|s| (s.addr, s.value)), Some((0x8000_0004, 2)));
        assert_eq!((m.ram[0], m.ram[4]), (0, 2));
    }

    /// Three words, starting at the last word of RAM: two of them are outside RAM, but are counted.
    #[test]
    fn words_are_copied_where_there_is_ram_and_counted_everywhere() {
        let base = 0x8000_0000;
        let mut m = Memory::new(base, 64 << 10, 1, 10);
        m.ram[0xfffc..].copy_from_slice(&[1, 2, 3, 4]);
        for (offset, value) in [(0, base + 0xffff), (4, base + 0x13), (8, 3)] {
            m.store::<4>((DMA + offset).into(), value.into(), 100).unwrap();
        }
        let registers = |m: &mut Memory| [0, 4, 8].map(|o| m.load::<4>((DMA + o).into(), 0).unwrap() as u32);
        assert_eq!((registers(&mut m), m.dma.next()), ([base + 0xfffc, base + 0x10, 3], Some(104)));
        let first = MasterStore { addr: u64::from(base) + 0x10, value: 0x0403_0201, mask: 15, cycle: 104 };
        assert_eq!((m.copy_word(), m.ram[0x10]), (Some(first), 1));
        assert_eq!((m.copy_word(), m.copy_word(), m.dma.next()), (None, None, None));
        assert_eq!(registers(&mut m), [base + 0x1_0008, base + 0x1c, 0]);
        // only word accesses, and only three registers
        assert!(m.store::<2>(DMA.into(), 0, 0).is_none() && m.load::<4>((DMA + 12).into(), 0).is_none());
    }
}
