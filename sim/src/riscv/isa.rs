//! Which instructions a hart has

use serde::{Deserialize, Serialize};

/// What the privileged ISA leaves to a core, as far as programs in machine mode see it: which values `mstatus`, `mie`,
/// `mtvec` and `mcause` can have, and where interrupts go. Replay must make the same of it as the core did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Of the built-in simulator: machine mode only, direct and vectored interrupts.
    #[default]
    Plain,
    /// Of ibex: user mode in `mstatus.MPP`, interrupts always vectored, a base of 256 bytes, RV32IMC only.
    Ibex,
    /// Of VexRiscv as LiteX makes it with `lr` and `sc`: direct handlers, `mtval` with the instruction where that traps, an illegal
    /// `ebreak`, two bits of `mstatus.MPP`.
    Vexriscv,
}

impl Profile {
    /// Cause and `mtval` of an exception, as the core has them.
    pub const fn exception(self, cause: u32, tval: u64) -> (u32, u64) {
        const ILLEGAL: u32 = 2;
        match (self, cause) {
            // the instruction, a compressed one expanded; an `ebreak` is an illegal one
            (Self::Vexriscv, 3) => (ILLEGAL, 0x0010_0073),
            (Self::Vexriscv, 11) => (cause, 0x0000_0073),
            _ => (cause, tval),
        }
    }

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Ibex => "ibex",
            Self::Vexriscv => "vexriscv",
        }
    }
}

/// Width and extensions; M, A, C, Zicsr and Zifencei are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa {
    /// Registers of 64 bits, else of 32.
    pub rv64: bool,
    /// F and D.
    pub float: bool,
    /// Zba, Zbb, Zbc, Zbs, Zcb and Zicond.
    pub bits: bool,
    /// Instructions that are not modelled: what they write comes from outside.
    pub unmodelled: Option<Unmodelled>,
    /// What the ISA leaves open.
    pub profile: Profile,
}

impl Isa {
    /// No extension but those that are always there.
    pub const RV32IMAC: Self =
        Self { rv64: false, float: false, bits: false, unmodelled: None, profile: Profile::Plain };

    /// Everything that is modelled.
    pub const fn all(xlen: u8) -> Self {
        Self { rv64: xlen == 64, float: true, bits: true, unmodelled: None, profile: Profile::Plain }
    }

    /// What a core of `profile` has.
    pub const fn of(profile: Profile, xlen: u8) -> Self {
        match profile {
            Profile::Plain => Self::all(xlen),
            Profile::Ibex | Profile::Vexriscv => Self { profile, ..Self::RV32IMAC },
        }
    }

    /// Bits of an integer register: 32 or 64.
    pub const fn xlen(self) -> u32 {
        if self.rv64 {
            64
        } else {
            32
        }
    }
}

/// A decode mask: the instructions of 32 bits with `insn & mask == value`. All that such an instruction does is to write
/// `rd`, bits 11 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unmodelled {
    /// Bits that are compared.
    pub mask: u32,
    /// What they are.
    pub value: u32,
}

impl Unmodelled {
    /// Whether `insn` is one of them.
    #[inline]
    pub const fn matches(self, insn: u32) -> bool {
        insn & self.mask == self.value
    }

    /// Whether it names instructions of custom-0 to custom-3, which are never modelled.
    pub const fn is_custom(self) -> bool {
        matches!(self.value & 0x7f, 0x0b | 0x2b | 0x5b | 0x7b)
    }
}
