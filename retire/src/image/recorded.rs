//! An image of the code that a recording carries, in versions
//!
//! Runs are chains of the recorded blocks. A block that alone has its start, and leads only to such blocks, is flattened: it
//! is found with one look-up. From all other starts, a run is put together block by block, with the version that its
//! hart executes at that instruction.

use super::learned::{exit_kind, Map};
use super::{Exit, ExitKind, Instruction, When};
use crate::code::{Code, CodeBlock};

/// Run of a start.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// Instructions up to and including the exit; 0 if it is put together at the moment.
    count: u32,
    /// Block whose exit ends the run; with `count` 0, index in `versions`.
    exit: u32,
    /// The first block.
    block: u32,
}

/// Versions of the block at a start.
#[derive(Clone, Debug, Default)]
struct Versions {
    /// The one in force at first.
    first: u32,
    /// Hart, instructions retired before, block; sorted.
    changes: Vec<(u8, u64, u32)>,
}

impl Versions {
    /// The block that is in force. At a moment that is not known, only one without other versions.
    fn at(&self, when: When) -> Option<u32> {
        self.since(when).map(|(block, _)| block)
    }

    /// As [`Versions::at`], with the number of instructions before.
    fn since(&self, when: When) -> Option<(u32, u64)> {
        if self.changes.is_empty() {
            return Some((self.first, 0));
        }
        if !when.is_known() {
            return None;
        }
        let after = self.changes.partition_point(|(hart, from, _)| (*hart, *from) <= (when.hart, when.retired));
        let change = after.checked_sub(1).map(|i| self.changes[i]).filter(|(hart, ..)| *hart == when.hart);
        Some(change.map_or((self.first, 0), |(_, from, block)| (block, from)))
    }
}

/// The code of a recording.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    code: Vec<CodeBlock>,
    /// Exit of each block; of a block that ends without a control-flow instruction, the end of the code.
    exits: Vec<Exit>,
    starts: Map<u64, Start>,
    versions: Vec<Versions>,
    /// Whether some have changes.
    changing: bool,
    /// Blocks by start.
    sorted: Vec<u32>,
    /// Length of the longest, bytes.
    longest: u64,
}

/// The exit of a block.
fn exit(block: &CodeBlock) -> Exit {
    let end = block.end();
    match block.flow.and_then(|(kind, target)| Some((exit_kind(kind)?.0, target))) {
        Some((kind, target)) => {
            let size = block.sizes[block.sizes.len() - 1];
            // events in files have no length 0: code that is not in memory has the usual one
            let len = if size == 0 { 4 } else { size };
            Exit { pc: end.wrapping_sub(size.into()), target, kind, len }
        }
        None => Exit { pc: end, target: end, kind: ExitKind::End, len: 0 },
    }
}

impl Recorded {
    /// The image of `code`.
    pub(super) fn new(code: Code) -> Self {
        let exits: Vec<Exit> = code.blocks.iter().map(exit).collect();
        let mut versions: Map<u64, Versions> = Map::default();
        let mut several: Map<u64, bool> = Map::default();
        for (block, number) in code.blocks.iter().zip(0..) {
            several.entry(block.start).and_modify(|several| *several = true).or_insert(false);
            versions.entry(block.start).or_insert(Versions { first: number, changes: Vec::new() });
        }
        for change in &code.changes {
            let start = code.blocks[change.block as usize].start;
            if let Some(versions) = versions.get_mut(&start) {
                versions.changes.push((change.hart, change.retired, change.block));
            }
        }
        let changing = !code.changes.is_empty();
        let mut recorded = Self { code: code.blocks, exits, changing, ..Self::default() };
        let mut order: Vec<u64> = versions.keys().copied().collect();
        // from the highest address down: a block leads to the one after it
        order.sort_unstable_by(|a, b| b.cmp(a));
        for start in order {
            let Some(mut found) = versions.remove(&start) else { continue };
            found.changes.sort_by_key(|(hart, from, _)| (*hart, *from));
            let block = found.first;
            let run = recorded.flat(block).filter(|_| !several[&start]);
            let (count, exit) = run.unwrap_or((0, recorded.versions.len() as u32));
            if count == 0 {
                recorded.versions.push(found);
            }
            recorded.starts.insert(start, Start { count, exit, block });
        }
        recorded.sorted = (0..recorded.code.len() as u32).collect();
        recorded.sorted.sort_by_key(|number| recorded.code[*number as usize].start);
        recorded.longest = recorded.code.iter().map(|block| block.bytes.len() as u64).max().unwrap_or(0);
        recorded
    }

    /// Length and exit of the run of the only block at its start; `None` if it leads to a start with versions.
    fn flat(&self, number: u32) -> Option<(u32, u32)> {
        let block = &self.code[number as usize];
        let count = block.sizes.len() as u32;
        if self.exits[number as usize].kind != ExitKind::End {
            return Some((count, number));
        }
        match self.starts.get(&block.end()) {
            None => Some((count, number)),
            Some(Start { count: 0, .. }) => None,
            Some(start) => Some((count.checked_add(start.count)?, start.exit)),
        }
    }

    /// The block that runs from `pc`.
    fn block(&self, pc: u64, when: When) -> Option<u32> {
        match self.starts.get(&pc)? {
            Start { count: 0, exit, .. } => self.versions[*exit as usize].at(when),
            start => Some(start.block),
        }
    }

    #[inline]
    pub(super) fn run(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        match self.starts.get(&pc)? {
            Start { count: 0, .. } => self.put_together(pc, when),
            start => Some((start.count, &self.exits[start.exit as usize])),
        }
    }

    #[cold]
    fn put_together(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        let mut number = self.block(pc, when)?;
        let mut count = 0u32;
        loop {
            let (block, exit) = (&self.code[number as usize], &self.exits[number as usize]);
            count = count.checked_add(block.sizes.len() as u32)?;
            // a block without bytes leads to itself
            let leads = exit.kind == ExitKind::End && !block.bytes.is_empty();
            let next = self.block(block.end(), when.after(count.into())).filter(|_| leads);
            let Some(next) = next else { return Some((count, exit)) };
            number = next;
        }
    }

    /// Whether it depends on the moment what runs from `pc`.
    pub(super) fn changes(&self, pc: u64) -> bool {
        let versions = self.starts.get(&pc).filter(|start| start.count == 0);
        versions.is_some_and(|start| !self.versions[start.exit as usize].changes.is_empty())
    }

    /// Whether it never depends on the moment what runs from an address.
    #[inline]
    pub(super) fn is_constant(&self) -> bool {
        !self.changing
    }

    /// The instructions that run from `pc`, where control arrives at `when`.
    pub(super) fn walk(&self, pc: u64, when: When) -> Walk<'_> {
        Walk { recorded: self, block: None, index: 0, offset: 0, pc, when }
    }

    /// The byte at `addr`: of the blocks in force that contain it, that of the latest version.
    pub(super) fn byte(&self, addr: u64, when: When) -> Option<u8> {
        let latest = self.around(addr).filter_map(|(number, block)| {
            let start = self.starts.get(&block.start)?;
            let from = match start.count {
                0 => self.versions[start.exit as usize].since(when).filter(|(found, _)| *found == number)?.1,
                _ => 0,
            };
            Some((from, block.bytes[(addr - block.start) as usize]))
        });
        latest.max_by_key(|(from, _)| *from).map(|(_, byte)| byte)
    }

    /// Blocks that contain `addr`, the last start first.
    fn around(&self, addr: u64) -> impl Iterator<Item = (u32, &CodeBlock)> {
        let after = self.sorted.partition_point(|number| self.code[*number as usize].start <= addr);
        let near = self.sorted[..after].iter().rev().map(|number| (*number, &self.code[*number as usize]));
        let near = near.take_while(move |(_, block)| addr - block.start < self.longest);
        near.filter(move |(_, block)| addr - block.start < block.bytes.len() as u64)
    }

    /// The block in force that contains an instruction at `pc`, or else any: its number, and index and offset of the
    /// instruction.
    fn within(&self, pc: u64, when: When) -> Option<(u32, usize, usize)> {
        let mut any = None;
        for (number, block) in self.around(pc) {
            let offset = (pc - block.start) as usize;
            let mut at = 0;
            let index = block.sizes.iter().position(|size| {
                at += usize::from(*size);
                at > offset
            });
            let Some(index) = index.filter(|index| at - usize::from(block.sizes[*index]) == offset) else { continue };
            if self.block(block.start, when) == Some(number) {
                return Some((number, index, offset));
            }
            any = any.or(Some((number, index, offset)));
        }
        any
    }
}

/// Instructions in a row.
#[derive(Clone, Debug)]
pub(super) struct Walk<'a> {
    recorded: &'a Recorded,
    /// The current block; `None` before the first instruction.
    block: Option<u32>,
    index: usize,
    offset: usize,
    pc: u64,
    when: When,
}

impl<'a> Iterator for Walk<'a> {
    type Item = Instruction<'a>;

    fn next(&mut self) -> Option<Instruction<'a>> {
        let ended = self.block.is_none_or(|number| self.index == self.recorded.code[number as usize].sizes.len());
        if ended {
            let found = self.recorded.block(self.pc, self.when).map(|number| (number, 0, 0));
            // inside a block only where control never arrived
            let found = found.or_else(|| self.recorded.within(self.pc, self.when).filter(|_| self.block.is_none()))?;
            (self.index, self.offset) = (found.1, found.2);
            self.block = Some(found.0);
        }
        let block = &self.recorded.code[self.block? as usize];
        let len = block.sizes[self.index];
        let bytes = &block.bytes[self.offset..self.offset + usize::from(len)];
        let instruction = Instruction { pc: self.pc, len, bytes };
        self.index += 1;
        self.offset += usize::from(len);
        self.pc = self.pc.wrapping_add(len.into());
        self.when = self.when.after(1);
        Some(instruction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Change;
    use crate::FlowKind;

    /// 0x100: two instructions, straight to 0x108, which is patched; 0x108: a return, or a jump to 0x200.
    fn image() -> Recorded {
        let block = |start, sizes: &[u8], flow, fill| {
            let bytes = vec![fill; sizes.iter().map(|s| usize::from(*s)).sum()];
            CodeBlock { start, sizes: sizes.to_vec(), bytes, flow }
        };
        let blocks = vec![
            block(0x100, &[4, 4], None, 1),
            block(0x108, &[2, 4], Some((FlowKind::Return, 0)), 2),
            block(0x108, &[4], Some((FlowKind::Jump, 0x200)), 3),
            block(0x200, &[15], None, 4),
            block(0x20f, &[1], Some((FlowKind::Return, 0)), 5),
        ];
        let changes = [(0, 10, 2), (0, 20, 1), (1, 7, 2)].map(|(hart, retired, block)| Change { hart, retired, block });
        Recorded::new(Code { blocks, changes: changes.to_vec() })
    }

    fn run(image: &Recorded, pc: u64, hart: u8, retired: u64) -> Option<(u32, u64, ExitKind)> {
        image.run(pc, When { hart, retired, ..When::START }).map(|(count, exit)| (count, exit.pc, exit.kind))
    }

    #[test]
    fn a_run_has_the_version_of_its_hart_at_each_instruction() {
        let image = image();
        let returns = exit_kind(FlowKind::Return).unwrap().0;
        assert_eq!(run(&image, 0x108, 0, 9), Some((2, 0x10a, returns)));
        assert_eq!(run(&image, 0x108, 0, 10), Some((1, 0x108, ExitKind::Jump)));
        assert_eq!(run(&image, 0x108, 0, 20), Some((2, 0x10a, returns)));
        assert_eq!(run(&image, 0x108, 1, 7), Some((1, 0x108, ExitKind::Jump)));
        assert_eq!(run(&image, 0x108, 2, 50), Some((2, 0x10a, returns)));
        // two instructions precede the one that is patched
        assert_eq!(run(&image, 0x100, 0, 7), Some((4, 0x10a, returns)));
        assert_eq!(run(&image, 0x100, 0, 8), Some((3, 0x108, ExitKind::Jump)));
        assert_eq!(run(&image, 0x200, 0, 8), Some((2, 0x20f, returns)));
        assert_eq!(run(&image, 0x104, 0, 8), None);
    }

    #[test]
    fn at_an_unknown_moment_only_code_without_versions_is_known() {
        let image = image();
        assert_eq!(run(&image, 0x108, 0, When::UNKNOWN), None);
        assert!(image.changes(0x108) && !image.changes(0x100) && !image.is_constant());
        let without = Code { blocks: image.code.clone(), changes: Vec::new() };
        assert!(Recorded::new(without).is_constant());
        assert_eq!(run(&image, 0x100, 0, When::UNKNOWN), Some((2, 0x108, ExitKind::End)));
        assert_eq!(run(&image, 0x200, 0, When::UNKNOWN).map(|r| r.0), Some(2));
    }

    #[test]
    fn instructions_are_those_of_the_moment() {
        let image = image();
        let walk = |pc, retired| {
            let walk = image.walk(pc, When { hart: 0, retired, ..When::START });
            walk.map(|i| (i.pc, i.len, i.bytes[0])).collect::<Vec<_>>()
        };
        assert_eq!(walk(0x100, 7), [(0x100, 4, 1), (0x104, 4, 1), (0x108, 2, 2), (0x10a, 4, 2)]);
        assert_eq!(walk(0x100, 8), [(0x100, 4, 1), (0x104, 4, 1), (0x108, 4, 3)]);
        assert_eq!(walk(0x104, 0), [(0x104, 4, 1), (0x108, 2, 2), (0x10a, 4, 2)]);
        assert_eq!(walk(0x10a, 15), [(0x10a, 4, 2)]);
        assert_eq!(walk(0x102, 0), []);
        assert_eq!(walk(0x200, 0), [(0x200, 15, 4), (0x20f, 1, 5)]);
        let bytes = |retired| {
            (0x106..0x10e).map(|a| image.byte(a, When { hart: 0, retired, ..When::START })).collect::<Vec<_>>()
        };
        assert_eq!(bytes(0), [1, 1, 2, 2, 2, 2, 2, 2].map(Some));
        assert_eq!(bytes(15), [Some(1), Some(1), Some(3), Some(3), Some(3), Some(3), None, None]);
    }
}
