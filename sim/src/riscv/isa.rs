//! Instruction set and profile of a hart

use serde::{Deserialize, Serialize};

/// Choices that the privileged ISA leaves to a core, as far as machine-mode programs see them: the values that
/// `mstatus`, `mie`, `mtvec` and `mcause` can hold, and where interrupts go. Replay must make the same choices as the
/// core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The built-in simulator: machine mode only, direct and vectored interrupts.
    #[default]
    Plain,
    /// ibex: user mode in `mstatus.MPP`, interrupts always vectored, 256-byte aligned base, RV32IMC only.
    Ibex,
    /// VexRiscv as LiteX configures it with `lr` and `sc`: direct handlers, `mtval` holds the instruction if it traps,
    /// `ebreak` is illegal, two bits of `mstatus.MPP`.
    Vexriscv,
}

impl Profile {
    /// Cause and `mtval` of an exception on this core.
    pub const fn exception(self, cause: u32, tval: u64) -> (u32, u64) {
        const ILLEGAL: u32 = 2;
        match (self, cause) {
            // `mtval` is the instruction, a compressed one in its expanded form; `ebreak` is an illegal instruction
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

/// Register width and extensions. M, A, C, Zicsr and Zifencei are always included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa {
    /// 64-bit registers; otherwise 32-bit.
    pub rv64: bool,
    /// F, D and Zfh.
    pub float: bool,
    /// Zba, Zbb, Zbc, Zbs, Zbkb, Zbkx, Zcb and Zicond.
    pub bits: bool,
    /// Instructions that are not modelled: their results come from outside.
    pub unmodelled: Option<Unmodelled>,
    /// Choices that the ISA leaves open.
    pub profile: Profile,
}

impl Isa {
    /// Only the extensions that are always included.
    pub const RV32IMAC: Self =
        Self { rv64: false, float: false, bits: false, unmodelled: None, profile: Profile::Plain };

    /// Everything that is modelled.
    pub const fn all(xlen: u8) -> Self {
        Self { rv64: xlen == 64, float: true, bits: true, unmodelled: None, profile: Profile::Plain }
    }

    /// Instruction set of a core of `profile`.
    pub const fn of(profile: Profile, xlen: u8) -> Self {
        match profile {
            Profile::Plain => Self::all(xlen),
            Profile::Ibex | Profile::Vexriscv => Self { profile, ..Self::RV32IMAC },
        }
    }

    /// Width of an integer register: 32 or 64 bits.
    pub const fn xlen(self) -> u32 {
        if self.rv64 {
            64
        } else {
            32
        }
    }
}

/// A decode mask: the 32-bit instructions with `insn & mask == value`. The only effect of such an instruction is a
/// write to `rd`, bits 11 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unmodelled {
    /// Bits that are compared.
    pub mask: u32,
    /// Values of these bits.
    pub value: u32,
}

impl Unmodelled {
    /// Whether `insn` matches the mask.
    #[inline]
    pub const fn matches(self, insn: u32) -> bool {
        insn & self.mask == self.value
    }

    /// Whether it selects instructions of custom-0 to custom-3, which are never modelled.
    pub const fn is_custom(self) -> bool {
        matches!(self.value & 0x7f, 0x0b | 0x2b | 0x5b | 0x7b)
    }
}
