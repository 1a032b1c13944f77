//! The code of a run: which of the translated blocks retired, and from when on each hart executes which
//!
//! A block is passed on when its first instruction retires. One that alone has its start needs nothing further, so it is
//! done with a look at a flag. Where blocks share a start, each of their executions is compared with the last one of the
//! same hart, and a difference is a change of the code. QEMU sometimes leaves a block early and continues inside it, as for
//! an instruction that crosses a page; then each piece is a block.

use crate::expand::Sink;
use crate::machine::Flow;
use retire::code::{Change, CodeBlock};
use retire::FlowKind;
use std::collections::HashMap;

/// The instructions of a block that retire in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Number of the block.
    pub block: u32,
    /// Index of its first instruction.
    pub from: usize,
    /// Index after its last instruction.
    pub end: usize,
    /// The last instruction returns from a signal handler.
    pub returns: bool,
}

/// Blocks that retired, and which ran last where several have the same start.
#[derive(Debug, Default)]
pub struct Versions {
    /// Numbers of whole blocks.
    whole: Vec<Option<u32>>,
    /// Numbers of all others.
    pieces: HashMap<Piece, u32>,
    /// By number: the start, and whether another one has it.
    starts: Vec<(u64, bool)>,
    /// Numbers by start.
    same: HashMap<u64, Vec<u32>>,
    /// The one that ran last, by start and hart, once it was compared.
    last: HashMap<(u64, u8), u32>,
}

impl Versions {
    /// A piece retires on `hart` after `retired` instructions; `ends`: it is up to the end of its block. `code` makes its
    /// code, when it is needed.
    #[inline]
    pub fn retires(
        &mut self,
        piece: Piece,
        ends: bool,
        (hart, retired): (u8, u64),
        code: impl FnOnce() -> CodeBlock,
        sink: &mut impl Sink,
    ) {
        let known = if ends && piece.from == 0 && !piece.returns {
            self.whole.get(piece.block as usize).copied().flatten()
        } else {
            self.pieces.get(&piece).copied()
        };
        let number = known.unwrap_or_else(|| self.add(piece, ends, &code(), sink));
        let (start, several) = self.starts[number as usize];
        if several {
            self.compare((start, number), hart, retired, sink);
        }
    }

    #[cold]
    fn add(&mut self, piece: Piece, ends: bool, code: &CodeBlock, sink: &mut impl Sink) -> u32 {
        sink.code_block(code);
        let number = self.starts.len() as u32;
        let same = self.same.entry(code.start).or_default();
        same.iter().for_each(|other| self.starts[*other as usize].1 = true);
        self.starts.push((code.start, !same.is_empty()));
        same.push(number);
        if ends && piece.from == 0 && !piece.returns {
            let block = piece.block as usize;
            self.whole.resize(self.whole.len().max(block + 1), None);
            self.whole[block] = Some(number);
        } else {
            self.pieces.insert(piece, number);
        }
        number
    }

    fn compare(&mut self, (start, number): (u64, u32), hart: u8, retired: u64, sink: &mut impl Sink) {
        let first = self.same[&start][0];
        let last = self.last.entry((start, hart)).or_insert(first);
        if std::mem::replace(last, number) != number {
            sink.code_change(Change { hart, retired, block: number });
        }
    }
}

/// The last instruction of a block, in the form of recordings.
pub fn flow(flow: Flow, returns: bool) -> Option<(FlowKind, u64)> {
    if returns {
        return Some((FlowKind::TrapReturn, 0));
    }
    Some(match flow {
        Flow::Sequential => return None,
        Flow::Conditional(to) => (FlowKind::Conditional { taken: false }, to),
        Flow::Jump(to) => (FlowKind::Jump, to),
        Flow::Call(to) => (FlowKind::Call, to),
        Flow::Indirect(kind) => (kind, 0),
        Flow::ConditionalIndirect(how) => (FlowKind::ConditionalIndirect { how, taken: false }, 0),
    })
}
