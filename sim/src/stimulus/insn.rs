//! Instructions of a synthetic program, with their behaviour

/// Pattern of the outcomes of a conditional branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchPattern {
    /// In this number of 100 cases.
    Percent(u8),
    /// Every time except each n-th: the end of a loop body.
    Loop(u16),
    /// When the call stack is deep enough: ends a recursion.
    Deep,
}

/// Operation of an instruction; targets are indices into the code of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Continues with the next instruction.
    Sequential,
    /// Direct conditional branch.
    Branch {
        /// Target.
        target: u32,
        /// When it is taken.
        pattern: BranchPattern,
    },
    /// Direct jump.
    Jump(u32),
    /// Direct call.
    Call(u32),
    /// Indirect jump to one of these.
    IndirectJump(Vec<u32>),
    /// Indirect call of one of these.
    IndirectCall(Vec<u32>),
    /// Return.
    Return,
    /// Co-routine swap; calls this function if there is no co-routine to swap with.
    CoSwap(u32),
    /// `mret`.
    TrapReturn,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Insn {
    /// Address.
    pub pc: u64,
    /// 2 or 4 bytes.
    pub len: u8,
    /// Encoding; in the low half if the length is 2 bytes.
    pub bits: u32,
    /// Behaviour.
    pub op: Op,
}
