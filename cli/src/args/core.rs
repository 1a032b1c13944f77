//! Softcores

use clap::ValueEnum;
use fpga::soc::core::CoreKind;

/// Softcores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoreName {
    /// RV32IM, 4 to 8 clock cycles per instruction, no interrupts
    Picorv32,
    /// RV32IMC with machine mode, five pipeline stages
    Vexriscv,
    /// RV32IMC with machine mode, two pipeline stages
    Ibex,
    /// RV32I with machine mode and the timer interrupt, 36 or 71 clock cycles per instruction
    Serv,
    /// RV32IMC with machine mode, four pipeline stages
    Cv32e40p,
    /// RV32IMC with machine mode, four pipeline stages, RVFI; simulation only
    Cv32e40x,
}

impl From<CoreName> for CoreKind {
    fn from(name: CoreName) -> Self {
        match name {
            CoreName::Picorv32 => Self::Picorv32,
            CoreName::Vexriscv => Self::Vexriscv,
            CoreName::Ibex => Self::Ibex,
            CoreName::Serv => Self::Serv,
            CoreName::Cv32e40p => Self::Cv32e40p,
            CoreName::Cv32e40x => Self::Cv32e40x,
        }
    }
}
