//! What an instruction does to the pc, on any machine

use retire::isa::Indirect;
use retire::FlowKind;

/// What an instruction does to the pc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Goes on behind itself.
    Sequential,
    /// Conditional, to this address.
    Conditional(u64),
    /// Always to this address.
    Jump(u64),
    /// Calls this address.
    Call(u64),
    /// To an address that it reads: jump, call, return or swap.
    Indirect(FlowKind),
    /// As [`Flow::Indirect`], or behind itself.
    ConditionalIndirect(Indirect),
}

impl Flow {
    /// Where a direct branch goes if it is taken.
    pub fn direct(self) -> Option<u64> {
        match self {
            Self::Conditional(to) | Self::Jump(to) | Self::Call(to) => Some(to),
            Self::Sequential | Self::Indirect(_) | Self::ConditionalIndirect(_) => None,
        }
    }
}
