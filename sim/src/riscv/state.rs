//! State of a core that software sees, except for the trap registers

/// State of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreState {
    /// Address of its next instruction. 0: it has retired none since its reset, and everything else has its reset
    /// value.
    pub pc: u64,
    /// x0 to x31.
    pub registers: [u64; 32],
    /// Base of the trap handlers.
    pub mtvec: u64,
    /// f0 to f31, 64 bits.
    pub floats: [u64; 32],
    /// Rounding mode and flags.
    pub fcsr: u64,
    /// Instructions that it has retired, counted as in the notes of its run.
    pub retired: u64,
}
