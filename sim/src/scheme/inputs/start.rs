//! Initial state of the cores for a recording that begins in the middle of a run: its items and their order
//!
//! Each item is a slot ([`super`]) with predicted value 0, before all other slots of the core, so zeros are just counted.
//! Other state is sent when a core first needs it: RAM ([`super::first`]), and the trap registers ([`is_sent_later`]).

use super::InputsParams;
use crate::riscv::csr::{Csrs, View};
use crate::riscv::{CoreState, Isa, Profile};

/// An item of the initial state, in the order in which they are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Program counter. 0: the core has not retired an instruction since its reset, and all other items have reset values.
    Pc,
    /// x1 to x31.
    Register(u8),
    /// As it was written; the profile of the core determines which bits it keeps.
    Mtvec,
    /// f0 to f31, 64 bits; 0 for cores without them.
    Float(u8),
    /// Rounding mode and flags.
    Fcsr,
}

impl Item {
    /// The field for this item in the state of a core.
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

/// All items of a core, each with its width in bits.
pub fn items(params: &InputsParams) -> impl Iterator<Item = (Item, u32)> {
    let xlen = u32::from(params.xlen);
    let integers = std::iter::once(Item::Pc).chain((1..32).map(Item::Register)).chain([Item::Mtvec]);
    let floats = (0..32).map(|n| (Item::Float(n), 64)).chain([(Item::Fcsr, xlen)]);
    integers.map(move |item| (item, xlen)).chain(floats.filter({
        let float = params.isa().float;
        move |_| float
    }))
}

/// Whether the initial value of a CSR is sent when a core first reads it into a register: `mstatus`, `mie`, `mscratch`,
/// `mepc`, `mcause`, `mtval`. An earlier `mret` sends that of `mepc`.
pub fn is_sent_later(csr: u32) -> bool {
    matches!(csr, 0x300 | 0x304 | 0x340..=0x343)
}

/// Bit of a CSR of [`is_sent_later`] in a mask.
pub fn bit(csr: u32) -> u32 {
    1 << (csr >> 2 & 16 | csr & 7)
}

/// Whether a CSR is a count that the host cannot know then: `minstret`, `instret`, and their upper halves.
pub fn is_count(csr: u32) -> bool {
    matches!(csr, 0xb02 | 0xb82 | 0xc02 | 0xc82)
}

/// Number of `mepc`.
pub const MEPC: u32 = 0x341;
/// Number of `mtvec`.
pub const MTVEC: u32 = 0x305;

/// The state of a core as tracked from its ports since reset: what a circuit that is reset with the core can keep.
///
/// Registers that were never written are 0. After a trap, `mtvec` and the cause give the address of the handler.
#[derive(Clone, Debug, Default)]
pub struct TrackedState {
    /// The current state.
    pub state: CoreState,
    profile: Profile,
}

impl TrackedState {
    /// State at reset, for a core of `profile`.
    pub fn new(profile: Profile) -> Self {
        Self { state: CoreState::default(), profile }
    }

    /// Takes a retired instruction `insn`, with `next` as the next address and the register it writes, except x0.
    pub fn retired(&mut self, insn: u32, next: u32, register: Option<(u8, u32)>) {
        let s = &mut self.state;
        s.pc = next.into();
        let (funct, rs1) = (insn >> 12 & 7, insn >> 15 & 31);
        if insn & 0x7f == 0x73 && insn >> 20 == MTVEC {
            let operand = if funct & 4 != 0 { rs1.into() } else { s.registers[rs1 as usize] };
            match funct & 3 {
                1 => s.mtvec = operand,
                2 => s.mtvec |= operand,
                3 => s.mtvec &= !operand,
                _ => {}
            }
        }
        if let Some((rd, value)) = register {
            s.registers[usize::from(rd)] = value.into();
        }
    }

    /// Takes a trap.
    pub fn trap(&mut self, interrupt: bool, cause: u8) {
        let mut csrs = Csrs::new(Isa::of(self.profile, 32));
        let view = View { hart: 0, mip: 0, cycle: 0, instret: 0, time: 0 };
        // `mtvec` always exists
        let _ = csrs.write(MTVEC, self.state.mtvec, &view);
        self.state.pc = csrs.trap(interrupt, cause.into(), 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_csr_has_a_bit_of_its_own() {
        let sent: Vec<u32> = (0..4096).filter(|n| is_sent_later(*n)).collect();
        let bits = sent.iter().fold(0, |all: u32, n| all | bit(*n));
        assert_eq!((sent.len(), bits.count_ones()), (6, 6));
    }

    /// `lui t0, 0x80001`, `csrrw t0, mtvec, t0`, `csrrsi x0, mtvec, 1`: vectored to 0x80001000; then interrupt 7, and a fault.
    #[test]
    fn tracked_state_follows_mtvec_and_traps() {
        let mut kept = TrackedState::new(Profile::Plain);
        kept.retired(0x8000_12b7, 0x104, Some((5, 0x8000_1000)));
        kept.retired(0x3052_92f3, 0x108, Some((5, 0x44)));
        kept.retired(0x3050_e073, 0x10c, None);
        assert_eq!((kept.state.pc, kept.state.mtvec, kept.state.registers[5]), (0x10c, 0x8000_1001, 0x44));
        kept.trap(true, 7);
        assert_eq!(kept.state.pc, 0x8000_101c);
        kept.trap(false, 5);
        assert_eq!(kept.state.pc, 0x8000_1000);
        let mut ibex = TrackedState { profile: Profile::Ibex, ..kept };
        ibex.retired(0x3052_9073, 0x110, None);
        ibex.state.mtvec = 0x8000_0a01;
        ibex.trap(true, 3);
        assert_eq!(ibex.state.pc, 0x8000_0a0c);
    }
}
