//! A program with memory that was read at several moments of the run
//!
//! Each epoch has an image of all its code: the program, overwritten by what was in memory from then on. A run that
//! continues past the end of an epoch is put together.

use super::{Exit, Image, Instruction, When};
use crate::elf::{Program, Segment};

/// Most bytes of code of all epochs.
const MAX_BYTES: u64 = 1 << 28;

/// Code in memory, from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Address.
    pub addr: u64,
    /// Content.
    pub bytes: Vec<u8>,
    /// Instructions that a hart has retired when it is there first.
    pub from: u64,
}

/// Code that takes more memory than there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{epochs} versions of {bytes} bytes of code; at most {MAX_BYTES} bytes of all versions are kept")]
pub struct TooLarge {
    epochs: usize,
    bytes: u64,
}

/// Images by the moment from which they are in force, the first from 0.
#[derive(Clone, Debug)]
pub struct Epochs(Vec<(u64, Image)>);

/// Writes `bytes` at `addr` over code: bytes of segments are replaced, others are a segment of their own.
fn overwrite(code: &mut Vec<(u64, Vec<u8>)>, addr: u64, bytes: &[u8]) {
    let end = addr.saturating_add(bytes.len() as u64);
    let mut parts = Vec::new();
    for (base, data) in code.drain(..) {
        let over = base.saturating_add(data.len() as u64);
        // what is before and after the new bytes
        let [left, right] = [addr.clamp(base, over), end.clamp(base, over)].map(|at| (at - base) as usize);
        if left >= right && !(base < addr && addr < over) {
            parts.push((base, data));
            continue;
        }
        parts.extend((left > 0).then(|| (base, data[..left].to_vec())));
        parts.extend((right < data.len()).then(|| (base + right as u64, data[right..].to_vec())));
    }
    parts.push((addr, bytes.to_vec()));
    // adjacent parts are joined: instructions cross their border
    parts.sort_by_key(|(base, _)| *base);
    for (base, data) in parts {
        match code.last_mut() {
            Some((before, joined)) if *before + joined.len() as u64 == base => joined.extend(data),
            _ => code.push((base, data)),
        }
    }
}

impl Epochs {
    /// The code of `program` and of `memory`; later entries of one moment are above earlier ones.
    pub(super) fn new(program: &Program, memory: &[Memory]) -> Result<Self, TooLarge> {
        let mut moments: Vec<u64> = memory.iter().map(|m| m.from).chain([0]).collect();
        moments.sort_unstable();
        moments.dedup();
        let all = program.code().map(|(_, data)| data.len()).chain(memory.iter().map(|m| m.bytes.len())).sum::<usize>();
        let bytes = all as u64 * moments.len() as u64;
        if bytes > MAX_BYTES {
            return Err(TooLarge { epochs: moments.len(), bytes: all as u64 });
        }
        let mut code: Vec<(u64, Vec<u8>)> = Vec::new();
        // an address that two segments have is that of the first
        let segments: Vec<_> = program.code().collect();
        segments.iter().rev().for_each(|(addr, data)| overwrite(&mut code, *addr, data));
        let epochs = moments.into_iter().map(|from| {
            memory.iter().filter(|m| m.from == from).for_each(|m| overwrite(&mut code, m.addr, &m.bytes));
            let segments = code.iter().map(|(addr, data)| Segment::code(*addr, data.clone())).collect();
            (from, Image::new(&Program { segments, ..program.clone() }))
        });
        Ok(Self(epochs.collect()))
    }

    /// Index of the epoch.
    fn at(&self, when: When) -> usize {
        self.0.partition_point(|(from, _)| *from <= when.retired).saturating_sub(1)
    }

    #[inline]
    pub(super) fn run(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        if !when.is_known() {
            return self.run_in_all(pc);
        }
        let epoch = self.at(when);
        let image = &self.0[epoch].1;
        let found = image.run(pc)?;
        let Some(next) = self.0.get(epoch + 1).map(|(from, _)| from - when.retired) else { return Some(found) };
        if u64::from(found.0) <= next {
            return Some(found);
        }
        // fewer than the instructions of a run
        let before = next as u32;
        let (count, exit) = self.run(image.skip(pc, before)?, when.after(next))?;
        Some((count.checked_add(before)?, exit))
    }

    /// The run from `pc`, if it is the same in all epochs.
    fn run_in_all(&self, pc: u64) -> Option<(u32, &Exit)> {
        let (count, exit) = self.0[0].1.run(pc)?;
        let same = |(found, other): (u32, &Exit)| found == count && other == exit;
        self.0[1..].iter().all(|(_, image)| image.run(pc).is_some_and(same)).then_some((count, exit))
    }

    pub(super) fn changes(&self, pc: u64) -> bool {
        self.run_in_all(pc).is_none() && self.0.iter().any(|(_, image)| image.run(pc).is_some())
    }

    /// Up to `most` bytes from `addr` on.
    pub(super) fn bytes(&self, addr: u64, most: usize, when: When) -> Vec<u8> {
        let found = self.0[self.at(when)].1.segments.iter().find_map(|segment| {
            let offset = usize::try_from(addr.checked_sub(segment.base)?).ok()?;
            segment.code.get(offset..)
        });
        found.map_or(Vec::new(), |rest| rest[..rest.len().min(most)].to_vec())
    }

    /// The instruction at `pc`; at a moment that is not known, that of the last epoch.
    pub(super) fn instruction(&self, pc: u64, when: When) -> Option<Instruction<'_>> {
        self.0[self.at(when)].1.instructions(pc, when).next()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ExitKind;
    use super::*;

    const NOP: u32 = 0x13;
    const RET: u32 = 0x8067;
    const JUMP_12: u32 = 0x00c0_006f;

    fn bytes(code: &[u32]) -> Vec<u8> {
        code.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    fn program(code: &[u32]) -> Program {
        Program {
            xlen: 64,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: 0x100,
            segments: vec![Segment::code(0x100, bytes(code))],
            build_id: vec![],
        }
    }

    /// Address and number of the instructions of a run.
    fn run(image: &Epochs, pc: u64, retired: u64) -> Option<(u32, u64, ExitKind)> {
        image.run(pc, When { hart: 0, retired }).map(|(count, exit)| (count, exit.pc, exit.kind))
    }

    #[test]
    fn a_run_has_the_code_of_each_moment() {
        let memory = [(0x104, JUMP_12, 10), (0x104, NOP, 20)];
        let memory = memory.map(|(addr, code, from)| Memory { addr, bytes: bytes(&[code]), from });
        let image = Epochs::new(&program(&[NOP, NOP, NOP, RET]), &memory).unwrap();
        let ret = run(&image, 0x10c, 0).unwrap().2;
        assert_eq!(run(&image, 0x100, 0), Some((4, 0x10c, ret)));
        // one instruction precedes the one that is patched
        assert_eq!(run(&image, 0x100, 8), Some((4, 0x10c, ret)));
        assert_eq!(run(&image, 0x100, 9), Some((2, 0x104, ExitKind::Jump)));
        assert_eq!(run(&image, 0x100, 18), Some((2, 0x104, ExitKind::Jump)));
        assert_eq!(run(&image, 0x100, 19), Some((4, 0x10c, ret)));
        assert_eq!(run(&image, 0x100, When::UNKNOWN), None);
        assert_eq!(run(&image, 0x108, When::UNKNOWN), Some((2, 0x10c, ret)));
        assert!(image.changes(0x100) && !image.changes(0x108) && !image.changes(0x200));
        let bits = |retired| image.instruction(0x104, When { hart: 0, retired }).map(|i| i.bits());
        assert_eq!([9, 10, 19, 20].map(bits), [NOP, JUMP_12, JUMP_12, NOP].map(Some));
        assert_eq!(image.bytes(0x106, 9, When { hart: 0, retired: 10 }), [0xc0, 0, 0x13, 0, 0, 0, 0x67, 0x80, 0]);
    }

    #[test]
    fn memory_is_written_over_segments_and_next_to_them() {
        let mut code = vec![(0x100, vec![1; 8])];
        overwrite(&mut code, 0x102, &[2, 2]);
        assert_eq!(code, [(0x100, vec![1, 1, 2, 2, 1, 1, 1, 1])]);
        overwrite(&mut code, 0x108, &[3, 3]);
        overwrite(&mut code, 0x200, &[4]);
        assert_eq!(code, [(0x100, vec![1, 1, 2, 2, 1, 1, 1, 1, 3, 3]), (0x200, vec![4])]);
        overwrite(&mut code, 0xfe, &[5; 4]);
        assert_eq!(code, [(0xfe, vec![5, 5, 5, 5, 2, 2, 1, 1, 1, 1, 3, 3]), (0x200, vec![4])]);
    }

    #[test]
    fn too_much_code_is_refused() {
        let memory: Vec<_> = (0..1 << 10).map(|from| Memory { addr: 0, bytes: vec![0; 1 << 10], from }).collect();
        assert!(Epochs::new(&program(&[RET]), &memory).is_err());
    }
}
