//! The state of the cores where a recording begins in the middle of a run: what is told of it, and in which order
//!
//! Each item is a slot ([`super`]) whose predicted value is 0, before all other slots of the core: so what is 0 is a count.
//! What is not among them is told when a core first needs it: RAM ([`super::first`]), and the registers of traps ([`is_told_later`]).

use super::InputsParams;
use crate::riscv::CoreState;

/// What is told at the start, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Where the core is. 0: it has not retired an instruction since its reset, and all else is as reset leaves it.
    Pc,
    /// x1 to x31.
    Register(u8),
    /// As it was written: what the core keeps of that is its profile's business.
    Mtvec,
    /// f0 to f31, 64 bits; 0 of cores that have none.
    Float(u8),
    /// Rounding mode and flags.
    Fcsr,
}

impl Item {
    /// Its place in the state of a core.
    pub fn of(self, state: &mut CoreState) -> &mut u64 {
        match self {
            Self::Pc => &mut state.pc,
            Self::Register(n) => &mut state.registers[usize::from(n)],
            Self::Mtvec => &mut state.mtvec,
            Self::Float(n) => &mut state.floats[usize::from(n)],
            Self::Fcsr => &mut state.fcsr,
        }
    }
}

/// All items of a core, and the bits of each.
pub fn items(params: &InputsParams) -> impl Iterator<Item = (Item, u32)> {
    let xlen = u32::from(params.xlen);
    let integers = std::iter::once(Item::Pc).chain((1..32).map(Item::Register)).chain([Item::Mtvec]);
    let floats = (0..32).map(|n| (Item::Float(n), 64)).chain([(Item::Fcsr, xlen)]);
    integers.map(move |item| (item, xlen)).chain(floats.filter({
        let float = params.isa().float;
        move |_| float
    }))
}

/// CSRs whose value at the start is told when a core first reads them into a register: `mstatus`, `mie`, `mscratch`,
/// `mepc`, `mcause`, `mtval`. That of `mepc` is told by the first `mret` where that is before.
pub fn is_told_later(csr: u32) -> bool {
    matches!(csr, 0x300 | 0x304 | 0x340..=0x343)
}

/// [`is_told_later`] as a bit of the CSRs that were told.
pub fn bit(csr: u32) -> u32 {
    1 << (csr >> 2 & 16 | csr & 7)
}

/// Counts that the host cannot know then: `minstret`, `instret`, upper halves.
pub fn is_count(csr: u32) -> bool {
    matches!(csr, 0xb02 | 0xb82 | 0xc02 | 0xc82)
}

/// `mepc`.
pub const MEPC: u32 = 0x341;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_csr_has_a_bit_of_its_own() {
        let told: Vec<u32> = (0..4096).filter(|n| is_told_later(*n)).collect();
        let bits = told.iter().fold(0, |all: u32, n| all | bit(*n));
        assert_eq!((told.len(), bits.count_ones()), (6, 6));
    }
}
