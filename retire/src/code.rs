//! The code of a recorded run: which bytes were at which address, from which instruction on
//!
//! A program is not all code that runs: libraries, code that a compiler makes at run time, functions that are copied to
//! RAM, and patched instructions are not in its ELF, or not as they ran. So a recording carries the code that retired, as
//! **blocks**: straight code from an address at which control arrived, up to its first control-flow instruction or where
//! the source cut it. Several blocks with one start are versions of it. The first that retired is in force until a
//! [`Change`], which says from which instruction of a hart on another one is: each hart has its own sequence, so no order
//! between harts is needed to replay one.
//!
//! Blocks have lengths of instructions and the kind of their last one, so code of machines whose instructions nothing here
//! decodes is carried in the same way.
//!
//! # As bytes
//! Records follow each other. Numbers are LEB128, differences of addresses are zigzag-coded.
//!
//! | record | |
//! | --- | --- |
//! | block | number of instructions, at least 1; start, as a difference from the end of the previous block; kind: [`FlowKind::code`] of the last instruction, 0 for none; target of a direct branch, as a difference from the start; length of each instruction, a byte (0 for code that QEMU has in place of memory, such as the helpers of Linux on Arm); their bytes |
//! | change | 0; hart; instructions of the hart, as a difference from its previous change; block, by number from 0 |

use crate::file::record::{put, put_difference, Bytes, RecordError};
use crate::isa::Indirect;
use crate::FlowKind;

/// Most harts of a recording.
const HARTS: usize = 16;
/// Longest block, in instructions.
const MAX_INSTRUCTIONS: usize = 1 << 16;

/// Straight code that ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeBlock {
    /// Address.
    pub start: u64,
    /// Length of each instruction, bytes; at least one.
    pub sizes: Vec<u8>,
    /// The instructions.
    pub bytes: Vec<u8>,
    /// Kind of the last instruction if it is a control-flow instruction, with the target of a direct branch. A
    /// conditional branch is one that is not taken.
    pub flow: Option<(FlowKind, u64)>,
}

impl CodeBlock {
    /// Address after the last instruction.
    pub fn end(&self) -> u64 {
        self.start.wrapping_add(self.bytes.len() as u64)
    }
}

/// Change of the code: from its instruction number `retired` on, counted from 0, a hart executes this block instead of others with its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Hart.
    pub hart: u8,
    /// Instructions that the hart retired before.
    pub retired: u64,
    /// Index of the block.
    pub block: u32,
}

/// The code of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// Blocks, in the order in which they first retired.
    pub blocks: Vec<CodeBlock>,
    /// Changes, in order of each hart.
    pub changes: Vec<Change>,
}

/// Previous values, for differences.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    end: u64,
    retired: [u64; HARTS],
}

/// Encodes the code of a run.
#[derive(Clone, Debug, Default)]
pub struct CodeEncoder {
    before: Before,
    /// Encoded records that were not taken yet.
    pub bytes: Vec<u8>,
}

impl CodeEncoder {
    /// Appends a block.
    pub fn block(&mut self, block: &CodeBlock) {
        let out = &mut self.bytes;
        put(block.sizes.len() as u64, out);
        put_difference(block.start, self.before.end, out);
        out.push(block.flow.map_or(0, |(kind, _)| kind.code()));
        if let Some((kind, target)) = block.flow.filter(|(kind, _)| is_direct(*kind)) {
            debug_assert!(kind.retires());
            put_difference(target, block.start, out);
        }
        out.extend_from_slice(&block.sizes);
        out.extend_from_slice(&block.bytes);
        self.before.end = block.end();
    }

    /// Appends a change.
    pub fn change(&mut self, change: Change) {
        let before = &mut self.before.retired[usize::from(change.hart)];
        self.bytes.extend([0, change.hart]);
        put(change.retired - *before, &mut self.bytes);
        put(change.block.into(), &mut self.bytes);
        *before = change.retired;
    }

    /// All of `code`.
    pub fn all(code: &Code) -> Vec<u8> {
        let mut encoder = Self::default();
        code.blocks.iter().for_each(|block| encoder.block(block));
        code.changes.iter().for_each(|change| encoder.change(*change));
        encoder.bytes
    }
}

/// Whether the program contains the target of such a branch.
fn is_direct(kind: FlowKind) -> bool {
    matches!(kind, FlowKind::Conditional { .. } | FlowKind::Jump | FlowKind::Call)
}

/// The kind of a control-flow instruction with this code, not taken if it is conditional.
fn kind(code: u8) -> Option<FlowKind> {
    let conditional = |how| FlowKind::ConditionalIndirect { how, taken: false };
    Some(match code {
        1 => FlowKind::Conditional { taken: false },
        3 => FlowKind::Jump,
        4 => FlowKind::Call,
        5 => FlowKind::IndirectJump,
        6 => FlowKind::IndirectCall,
        7 => FlowKind::Return,
        8 => FlowKind::CoSwap,
        9 => FlowKind::TrapReturn,
        10 => conditional(Indirect::Jump),
        16 => conditional(Indirect::Call),
        18 => conditional(Indirect::Return),
        20 => conditional(Indirect::CoSwap),
        _ => return None,
    })
}

/// Decodes the code of a run.
#[derive(Clone, Debug, Default)]
pub struct CodeDecoder {
    before: Before,
    /// What was decoded so far.
    pub code: Code,
}

impl CodeDecoder {
    /// Takes whole records.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        let mut bytes = Bytes(bytes);
        while !bytes.0.is_empty() {
            match bytes.number()? {
                0 => self.change(&mut bytes)?,
                n if n > MAX_INSTRUCTIONS as u64 => {
                    return Err(RecordError::Invalid(format!("a block of {n} instructions")));
                }
                n => self.block(n as usize, &mut bytes)?,
            }
        }
        Ok(())
    }

    fn block(&mut self, n: usize, bytes: &mut Bytes<'_>) -> Result<(), RecordError> {
        let start = bytes.difference(self.before.end)?;
        let flow = match bytes.byte()? {
            0 => None,
            code => {
                let undefined = || RecordError::Invalid(format!("an instruction of kind {code}, which is not defined"));
                let kind = kind(code).ok_or_else(undefined)?;
                Some((kind, if is_direct(kind) { bytes.difference(start)? } else { 0 }))
            }
        };
        let sizes = bytes.take(n)?.to_vec();
        let code = bytes.take(sizes.iter().map(|size| usize::from(*size)).sum())?.to_vec();
        let block = CodeBlock { start, sizes, bytes: code, flow };
        self.before.end = block.end();
        self.code.blocks.push(block);
        Ok(())
    }

    fn change(&mut self, bytes: &mut Bytes<'_>) -> Result<(), RecordError> {
        let hart = bytes.byte()?;
        let invalid = |what: String| RecordError::Invalid(format!("a change of the code {what}"));
        let before = self.before.retired.get_mut(usize::from(hart));
        let before = before.ok_or_else(|| invalid(format!("of hart {hart}")))?;
        *before = before.wrapping_add(bytes.number()?);
        let block: u32 = bytes.small("the number of a block")?;
        if block as usize >= self.code.blocks.len() {
            return Err(invalid(format!("to block {block} of {}", self.code.blocks.len())));
        }
        self.code.changes.push(Change { hart, retired: *before, block });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Code {
        let block = |start, sizes: &[u8], flow| {
            let n = sizes.iter().map(|s| usize::from(*s)).sum::<usize>() as u8;
            CodeBlock { start, sizes: sizes.to_vec(), bytes: (0..n).collect(), flow }
        };
        let blocks = vec![
            block(0x100, &[4, 2, 4], Some((FlowKind::Conditional { taken: false }, 0x80))),
            block(0x10a, &[15], None),
            block(0x100, &[4], Some((FlowKind::Return, 0))),
            block(u64::MAX - 3, &[4], Some((FlowKind::Jump, 0))),
        ];
        let change = |hart, retired, block| Change { hart, retired, block };
        Code { blocks, changes: vec![change(0, 7, 2), change(3, 1 << 40, 2), change(0, 300, 0)] }
    }

    #[test]
    fn records_are_those_worked_out_by_hand() {
        let code = some();
        let bytes = CodeEncoder::all(&Code { blocks: code.blocks[..1].to_vec(), changes: code.changes[..1].to_vec() });
        let head = [3, 0x80, 0x04, 1, 0xff, 0x01, 4, 2, 4];
        let change = [0, 0, 7, 2];
        assert_eq!(bytes, [&head[..], &(0..10).collect::<Vec<u8>>(), &change].concat());
    }

    #[test]
    fn code_comes_back_and_cut_records_are_errors() {
        let (code, bytes) = (some(), CodeEncoder::all(&some()));
        let mut decoder = CodeDecoder::default();
        decoder.take(&bytes).unwrap();
        assert_eq!(decoder.code, code);
        for kind in (0..24).filter(|code| kind(*code).is_some()) {
            assert_eq!(super::kind(kind).map(FlowKind::code), Some(kind));
        }
        let whole = |n: usize| {
            (0..=7).any(|records| {
                let blocks = code.blocks[..records.min(4)].to_vec();
                let changes = code.changes[..records.saturating_sub(4)].to_vec();
                CodeEncoder::all(&Code { blocks, changes }).len() == n
            })
        };
        for n in (0..bytes.len()).filter(|n| !whole(*n)) {
            assert!(CodeDecoder::default().take(&bytes[..n]).is_err(), "{n}");
        }
    }

    #[test]
    fn records_that_make_no_sense_are_refused() {
        for (bytes, what) in [
            (&[1, 0, 2, 4, 0, 0, 0, 0][..], "kind 2, which is not defined"),
            (&[0, 0, 0, 0], "to block 0 of 0"),
            (&[0, 16, 0, 0], "of hart 16"),
            (&[0x81, 0x80, 0x04], "a block of 65537 instructions"),
        ] {
            match CodeDecoder::default().take(bytes) {
                Err(RecordError::Invalid(found)) => assert!(found.contains(what), "{found}"),
                other => panic!("{what}: {other:?}"),
            }
        }
    }
}
