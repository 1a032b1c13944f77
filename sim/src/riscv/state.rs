//! What software sees of a core at a moment, but for the registers of traps

/// State of a core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreState {
    /// Address of its next instruction. 0: it has not retired one since its reset, and all else is as reset leaves it.
    pub pc: u64,
    /// x0 to x31.
    pub registers: [u64; 32],
    /// Base of the handlers.
    pub mtvec: u64,
    /// f0 to f31, 64 bits.
    pub floats: [u64; 32],
    /// Rounding mode and flags.
    pub fcsr: u64,
    /// Instructions that it has retired, as notes of its run count them.
    pub retired: u64,
}
