//! Instructions of a synthetic program, with how they behave

/// When a conditional branch is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// In so many of 100 cases.
    Percent(u8),
    /// All but every n-th time: the end of a loop body.
    Loop(u16),
    /// When the call stack is deep enough: what ends a recursion.
    Deep,
}

/// What an instruction does; places are indices into the code of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Goes on.
    Sequential,
    /// Direct conditional branch.
    Branch {
        /// Where to.
        target: u32,
        /// When.
        habit: Habit,
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
    /// Co-routine swap; calls this function when there is nobody to swap with.
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
    /// Encoding; the low half of it for 2 bytes.
    pub bits: u32,
    /// Behaviour.
    pub op: Op,
}
