//! Control flow of an instruction, on any machine

use retire::isa::Indirect;
use retire::FlowKind;

/// Effect of an instruction on the pc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Continues after itself.
    Sequential,
    /// Conditional branch to this address.
    Conditional(u64),
    /// Jump to this address.
    Jump(u64),
    /// Call of this address.
    Call(u64),
    /// Jump, call, return or swap to an address from a register or memory.
    Indirect(FlowKind),
    /// As [`Flow::Indirect`], or continues after itself.
    ConditionalIndirect(Indirect),
}

impl Flow {
    /// Target of a direct branch if it is taken.
    pub fn direct(self) -> Option<u64> {
        match self {
            Self::Conditional(to) | Self::Jump(to) | Self::Call(to) => Some(to),
            Self::Sequential | Self::Indirect(_) | Self::ConditionalIndirect(_) => None,
        }
    }
}
