//! Translated blocks

use crate::code::{self, Piece};
use crate::machine::{Flow, Machine};
use retire::code::CodeBlock;

/// Normalises the spaces of a disassembled instruction, and removes the encoding that QEMU's RISC-V disassembler puts
/// first.
pub(super) fn one_line(machine: Machine, text: &str) -> String {
    let bits = usize::from(matches!(machine, Machine::Riscv32 | Machine::Riscv64));
    text.split_whitespace().skip(bits).collect::<Vec<_>>().join(" ")
}

/// A translated block.
pub(super) struct Block {
    pub(super) start: u64,
    /// Offset of each instruction from `start`; at the end the length.
    pub(super) offsets: Vec<u16>,
    pub(super) flow: Flow,
    pub(super) text: Vec<String>,
    pub(super) code: Vec<u8>,
}

impl Block {
    /// A block that was not announced.
    pub(super) fn unknown() -> Self {
        Self { start: 0, offsets: vec![0], flow: Flow::Sequential, text: Vec::new(), code: Vec::new() }
    }

    pub(super) fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(super) fn pc(&self, place: usize) -> u64 {
        self.start.wrapping_add(self.offsets[place].into())
    }

    pub(super) fn end(&self) -> u64 {
        self.pc(self.count())
    }

    /// Whether the block, executed to its end, continues at `next`.
    #[inline]
    pub(super) fn leads_to(&self, next: u64) -> bool {
        match self.flow {
            Flow::Sequential => next == self.end(),
            Flow::Conditional(to) => next == to || next == self.end(),
            Flow::Jump(to) | Flow::Call(to) => next == to,
            Flow::Indirect(_) | Flow::ConditionalIndirect(_) => true,
        }
    }

    /// Index of the instruction at `pc`, from index `from` on.
    pub(super) fn place(&self, pc: u64, from: usize) -> Option<usize> {
        (from..self.count()).find(|place| self.pc(*place) == pc)
    }

    /// Its instructions of `piece`, for recordings.
    pub(super) fn recorded(&self, Piece { from, end, returns, .. }: Piece) -> CodeBlock {
        let offsets = &self.offsets[from..=end];
        CodeBlock {
            start: self.pc(from),
            sizes: offsets.windows(2).map(|w| (w[1] - w[0]) as u8).collect(),
            bytes: self.code[usize::from(offsets[0])..usize::from(offsets[end - from])].to_vec(),
            flow: code::flow(self.flow, returns).filter(|_| end == self.count()),
        }
    }

    pub(super) fn text(&self, place: usize) -> &str {
        self.text.get(place).map_or("", String::as_str)
    }
}
