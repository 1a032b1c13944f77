//! Blocks: retired instructions as a hart's trace ingress port reports them
//!
//! Golden model of the ingress of that name, and the splitting into blocks for benches.
//!
//! # Source
//! Efficient Trace for RISC-V, "Instruction Trace Interface": a block is a run of consecutive instructions, of which only the
//! last may be control flow; `iaddr` is the address of its first, `iretire` its length in halfwords, `ilastsize` the size of its
//! last instruction, `itype` how it ends.

use super::Retired;
use retire::isa::{flow, Flow, Indirect};

/// Maximum halfwords of a block: `iretire` has four bits.
pub const HALFWORDS: u8 = 15;
/// Maximum recorded delay of instructions that are held back, in cycles. Any further delay makes their time later.
pub const MAX_DELAY: u32 = 127;

/// A block, as signals of the port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// How it ends; 4 bits.
    pub itype: u8,
    /// Address of its first instruction; for a trap without one, where the trap occurred.
    pub iaddr: u64,
    /// Length in halfwords; 0: no instruction.
    pub iretire: u8,
    /// The last instruction has 4 bytes.
    pub ilastsize: bool,
    /// Number of instructions.
    pub icount: u8,
}

/// The 4-bit `itype` of a retired instruction.
pub fn itype(r: &Retired, xlen: u8) -> u8 {
    match flow(r.insn, xlen) {
        Flow::Sequential => 0,
        Flow::TrapReturn => 3,
        Flow::Conditional { .. } if r.next_pc == r.pc.wrapping_add(r.len.into()) => 4,
        Flow::Conditional { .. } => 5,
        Flow::Indirect(Indirect::Call) => 8,
        Flow::Jump { call: true, .. } => 9,
        Flow::Indirect(Indirect::Jump) => 10,
        Flow::Jump { call: false, .. } => 11,
        Flow::Indirect(Indirect::CoSwap) => 12,
        Flow::Indirect(Indirect::Return) => 13,
    }
}

/// The 3-bit `itype` for a 4-bit one: 6 for every uninferable jump, call or return, 0 for every inferable one.
pub const fn narrow(itype: u8) -> u8 {
    match itype {
        8 | 10 | 12 | 13 | 14 => 6,
        9 | 11 | 15 => 0,
        other => other,
    }
}

impl Block {
    /// The block of `run`, which must be a single block by [`length`].
    pub fn of(run: &[Retired], xlen: u8) -> Self {
        let Some(last) = run.last() else { return Self::default() };
        Self {
            itype: itype(last, xlen),
            iaddr: run[0].pc,
            iretire: run.iter().map(|r| r.len / 2).sum(),
            ilastsize: last.len == 4,
            icount: run.len() as u8,
        }
    }

    /// A trap at `pc`, without a retired instruction: `itype` 1 is an exception, 2 an interrupt.
    pub fn trap(itype: u8, pc: u64) -> Self {
        Self { itype, iaddr: pc, ..Self::default() }
    }
}

/// Number of instructions in the longest block at the beginning of `retired` with at most `halfwords` halfwords.
pub fn length(retired: &[Retired], xlen: u8, halfwords: u8) -> usize {
    let mut size = 0;
    for (i, r) in retired.iter().enumerate() {
        size += r.len / 2;
        if size > halfwords || (i > 0 && (r.trapped || r.pc != retired[i - 1].next_pc)) {
            return i;
        }
        if itype(r, xlen) != 0 || r.next_pc != r.pc.wrapping_add(r.len.into()) {
            return i + 1;
        }
    }
    retired.len()
}

/// Delays retired instructions by one cycle; after an indirect branch, until an address shows its target.
#[derive(Clone, Debug)]
pub struct Hold {
    xlen: u8,
    narrow_itype: bool,
    all: bool,
    group: Vec<Retired>,
    target_known: bool,
    delay: u32,
}

impl Hold {
    /// For addresses of `xlen` bits.
    pub const fn new(xlen: u8) -> Self {
        Self { xlen, narrow_itype: false, all: false, group: Vec::new(), target_known: true, delay: 0 }
    }

    /// As [`Hold::new`], for a 3-bit `itype`: a block without a control-flow type may end in a jump.
    pub fn narrow_itype(xlen: u8) -> Self {
        Self { narrow_itype: true, ..Self::new(xlen) }
    }

    /// Makes all control flow wait, for systems that must know where each branch went.
    #[must_use]
    pub fn all(self, all: bool) -> Self {
        Self { all, ..self }
    }

    /// Whether the target of `r` is only known from the next address.
    fn is_open(&self, r: &Retired) -> bool {
        match itype(r, self.xlen) {
            itype if self.all && itype != 0 => true,
            3 | 8 | 10 | 12 | 13 => true,
            itype => self.narrow_itype && narrow(itype) == 0,
        }
    }

    /// Takes one cycle, in which `group` retires. `trap`: a trap is reported after it that is none of its instructions. Returns
    /// the instructions of earlier cycles that are reported now, and their delay in cycles.
    pub fn clock(&mut self, group: Vec<Retired>, trap: bool) -> (Vec<Retired>, u32) {
        let delay = self.delay;
        let waits = self.group.last().is_some_and(|r| self.is_open(r)) && !self.target_known;
        if waits && group.is_empty() && !trap {
            self.delay = (delay + 1).min(MAX_DELAY);
            return (Vec::new(), delay);
        }
        self.delay = 0;
        self.target_known = trap;
        (std::mem::replace(&mut self.group, group), delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: u32 = 0x0000_0013;
    const RET: u32 = 0x0000_8067;

    fn retired(pc: u64, len: u8, next_pc: u64, insn: u32) -> Retired {
        Retired { cycle: 0, hart: 0, trapped: false, len, pc, next_pc, insn }
    }

    /// By hand: a c.nop, a nop and a ret are five halfwords at the address of the first.
    #[test]
    fn a_block_ends_with_control_flow_a_trap_or_its_size() {
        let run = [
            retired(0x100, 2, 0x102, 0x0001),
            retired(0x102, 4, 0x106, NOP),
            retired(0x106, 4, 0x200, RET),
            retired(0x200, 4, 0x204, NOP),
        ];
        assert_eq!(length(&run, 32, HALFWORDS), 3);
        let want = Block { itype: 13, iaddr: 0x100, iretire: 5, ilastsize: true, icount: 3 };
        assert_eq!(Block::of(&run[..3], 32), want);
        assert_eq!(length(&run, 32, 4), 2);
        let mut trapped = run;
        trapped[1].trapped = true;
        assert_eq!(length(&trapped, 32, HALFWORDS), 1);
    }

    #[test]
    fn returns_wait_for_the_next_address_and_nothing_else_does() {
        let mut hold = Hold::new(32);
        let (nop, ret) = (retired(0, 4, 4, NOP), retired(4, 4, 0x80, RET));
        assert_eq!(hold.clock(vec![nop], false), (vec![], 0));
        assert_eq!(hold.clock(vec![nop, ret], false), (vec![nop], 0));
        assert_eq!(hold.clock(vec![], false), (vec![], 0));
        assert_eq!(hold.clock(vec![], false), (vec![], 1));
        assert_eq!(hold.clock(vec![nop], false), (vec![nop, ret], 2));
        assert_eq!(hold.clock(vec![ret], true), (vec![nop], 0));
        assert_eq!(hold.clock(vec![], false), (vec![ret], 0));
    }

    /// By hand, from the table of the specification: with 3 bits, no jump, call or return has a code of its own.
    #[test]
    fn a_3_bit_itype_of_0_may_be_a_jump() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(narrow), [0, 1, 2, 3, 4, 5]);
        assert_eq!([8, 9, 10, 11, 12, 13, 14, 15].map(narrow), [6, 0, 6, 0, 6, 6, 6, 0]);
        let mut hold = Hold::narrow_itype(32);
        let nop = retired(0, 4, 4, NOP);
        assert_eq!(hold.clock(vec![nop], false), (vec![], 0));
        assert_eq!(hold.clock(vec![], false), (vec![], 0));
        assert_eq!(hold.clock(vec![nop], true), (vec![nop], 1));
        assert_eq!(hold.clock(vec![], false), (vec![nop], 0));
    }
}
