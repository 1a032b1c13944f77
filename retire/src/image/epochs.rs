//! A program, and memory that was read or changed at several moments of the run
//!
//! Addresses are divided into pieces at both ends of every change. A piece has its code in versions, each with an image of
//! its own, so code that does not change is kept once. A run that leaves a piece, or lasts longer than a version, is put
//! together; so is an instruction that lies on a border.

use super::{Exit, ExitKind, Image, Instruction, When};
use crate::elf::{Program, Segment};
use crate::isa;
use std::collections::HashMap;

/// Most bytes of code of all versions.
const MAX_BYTES: u64 = 1 << 28;
/// Most instructions on borders.
const MAX_ACROSS: usize = 1 << 20;

/// The moment from which code is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// After this many instructions of a hart; 0: from the beginning.
    Retired(u64),
    /// From this cycle on.
    Cycle(u64),
    /// After what precedes it in a list, at a time that is not known.
    Unknown,
}

impl Moment {
    /// Whether it is the beginning.
    pub fn is_start(self) -> bool {
        self == Self::Retired(0)
    }

    /// Whether it has passed; `None` if that is not known.
    fn passed(self, when: When) -> Option<bool> {
        match self {
            Self::Retired(0) => Some(true),
            Self::Retired(from) => when.is_known().then_some(from <= when.retired),
            Self::Cycle(from) if from <= when.cycle => Some(true),
            // between two events with times
            Self::Cycle(from) => (from >= when.until).then_some(false),
            Self::Unknown => None,
        }
    }
}

/// Code in memory, from a moment on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Address.
    pub addr: u64,
    /// Content.
    pub bytes: Vec<u8>,
    /// When it is there first.
    pub from: Moment,
}

/// Code that takes more memory than there should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Bytes.
    #[error("{changes} changes and the program have {bytes} bytes of code; at most {MAX_BYTES} bytes are kept")]
    Bytes {
        /// Number of changes.
        changes: usize,
        /// All bytes.
        bytes: u64,
    },
    /// Versions that begin or end inside instructions of many others.
    #[error("the code has more than {MAX_ACROSS} instructions that begin in one change and end in another")]
    Across,
}

/// Code of a piece, from a moment on.
#[derive(Clone, Debug)]
struct Version {
    from: Moment,
    /// Of one segment.
    image: Image,
}

impl Version {
    fn code(&self) -> &[u8] {
        self.image.segments.first().map_or(&[], |segment| &segment.code)
    }
}

/// Addresses whose code changes as a whole.
#[derive(Clone, Debug)]
struct Piece {
    start: u64,
    end: u64,
    /// In order, at least one. The first is in force from the beginning: control never arrives where no code is yet.
    versions: Vec<Version>,
}

impl Piece {
    /// Index of the version in force; `None` if that is not known.
    fn at(&self, when: When) -> Option<usize> {
        let rest = &self.versions[1..];
        let passed = rest.partition_point(|version| version.from.passed(when) == Some(true));
        match rest.get(passed).map(|next| next.from.passed(when)) {
            Some(None) => None,
            Some(Some(_)) | None => Some(passed),
        }
    }

    /// As [`Piece::at`], but the last version where it is not known.
    fn latest(&self, when: When) -> &Version {
        &self.versions[self.at(when).unwrap_or(self.versions.len() - 1)]
    }
}

/// An instruction on the border of two pieces.
#[derive(Clone, Debug)]
struct Across {
    bytes: [u8; 4],
    /// If it is a control-flow instruction.
    exit: Option<Exit>,
}

/// Code that changes during a run, as pieces by address.
#[derive(Clone, Debug)]
pub struct Epochs {
    pieces: Vec<Piece>,
    /// Instructions on borders, by address and bits.
    across: HashMap<(u64, u32), Across>,
}

/// The whole halfwords of a change.
fn halfwords(memory: &Memory) -> Option<(u64, &[u8])> {
    let end = (memory.addr + memory.bytes.len() as u64) & !1;
    let start = memory.addr.checked_next_multiple_of(2)?;
    (start < end).then(|| (start, &memory.bytes[(start - memory.addr) as usize..(end - memory.addr) as usize]))
}

/// The low half of the instruction that begins with the last two bytes of `code` and has four.
fn begins(code: &[u8]) -> Option<u16> {
    let low = u16::from_le_bytes(*code.last_chunk()?);
    (isa::length(low) == 4).then_some(low)
}

/// The first halfword.
fn ends(code: &[u8]) -> Option<u16> {
    code.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

/// Writes `bytes` at `addr` over code: bytes of segments are replaced, others are a segment of their own.
fn overwrite(code: &mut Vec<(u64, Vec<u8>)>, addr: u64, bytes: &[u8]) {
    let end = addr.saturating_add(bytes.len() as u64);
    let around = |(base, data): &&mut (u64, Vec<u8>)| *base <= addr && end - *base <= data.len() as u64;
    if let Some((base, data)) = code.iter_mut().find(around) {
        let at = (addr - *base) as usize;
        data[at..at + bytes.len()].copy_from_slice(bytes);
        return;
    }
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

/// The part of a run in one version.
enum Part<'a> {
    /// Up to another version, or an instruction that is followed straight ahead: instructions, and the address after them.
    Straight(u32, u64),
    /// Up to its end.
    Ends(u32, &'a Exit),
}

impl Epochs {
    /// The code of `program` and of `memory`; later entries of one moment are above earlier ones.
    pub(super) fn new(program: &Program, memory: &[Memory]) -> Result<Self, TooLarge> {
        let (first, mut changes): (Vec<&Memory>, Vec<&Memory>) = memory.iter().partition(|m| m.from.is_start());
        changes.sort_by_key(|m| m.from);
        let bytes =
            program.code().map(|(_, data)| data.len()).chain(memory.iter().map(|m| m.bytes.len())).sum::<usize>();
        if bytes as u64 > MAX_BYTES {
            return Err(TooLarge::Bytes { changes: memory.len(), bytes: bytes as u64 });
        }
        let mut code: Vec<(u64, Vec<u8>)> = Vec::new();
        // an address that two segments have is that of the first
        let segments: Vec<_> = program.code().collect();
        segments.iter().rev().for_each(|(addr, data)| overwrite(&mut code, *addr, data));
        first.iter().for_each(|m| overwrite(&mut code, m.addr, &m.bytes));
        let changes: Vec<_> =
            changes.into_iter().filter_map(|m| halfwords(m).map(|(at, data)| (m.from, at, data))).collect();
        let mut borders: Vec<u64> = changes.iter().flat_map(|(_, at, data)| [*at, at + data.len() as u64]).collect();
        borders.extend(code.iter().flat_map(|(base, data)| [*base, base + data.len() as u64]));
        borders.sort_unstable();
        borders.dedup();
        let like = Program { segments: Vec::new(), ..program.clone() };
        let image = |start: u64, bytes: &[u8]| {
            Image::new(&Program { segments: vec![Segment::code(start, bytes.to_vec())], ..like.clone() })
        };
        let mut pieces: Vec<Piece> = Vec::new();
        for pair in borders.windows(2) {
            pieces.push(Piece { start: pair[0], end: pair[1], versions: Vec::new() });
        }
        let first = code.iter().map(|(base, data)| (Moment::Retired(0), *base, data.as_slice()));
        for (from, base, data) in first.chain(changes.iter().copied()) {
            let begin = pieces.partition_point(|piece| piece.start < base);
            let end = base + data.len() as u64;
            for piece in pieces[begin..].iter_mut().take_while(|piece| piece.start < end) {
                let part = &data[(piece.start - base) as usize..(piece.end - base) as usize];
                match piece.versions.last_mut() {
                    Some(last) if last.code() == part => {}
                    Some(last) if last.from == from && from != Moment::Unknown => last.image = image(piece.start, part),
                    _ => piece.versions.push(Version { from, image: image(piece.start, part) }),
                }
            }
        }
        pieces.retain(|piece| !piece.versions.is_empty());
        let across = Self::find_across(&pieces, program)?;
        Ok(Self { pieces, across })
    }

    /// Instructions on borders.
    fn find_across(pieces: &[Piece], program: &Program) -> Result<HashMap<(u64, u32), Across>, TooLarge> {
        let mut across = HashMap::new();
        for pair in pieces.windows(2).filter(|pair| pair[0].end == pair[1].start) {
            let halves = |piece: &Piece, half: fn(&[u8]) -> Option<u16>| {
                let mut all: Vec<u16> = piece.versions.iter().filter_map(|version| half(version.code())).collect();
                all.sort_unstable();
                all.dedup();
                all
            };
            let (low, high, pc) = (halves(&pair[0], begins), halves(&pair[1], ends), pair[0].end.wrapping_sub(2));
            for bits in low.iter().flat_map(|low| high.iter().map(|high| u32::from(*high) << 16 | u32::from(*low))) {
                let bytes = bits.to_le_bytes();
                let exit = super::exit_of(bits, pc, 4, program);
                across.insert((pc, bits), Across { bytes, exit });
                if across.len() > MAX_ACROSS {
                    return Err(TooLarge::Across);
                }
            }
        }
        Ok(across)
    }

    fn piece(&self, pc: u64) -> Option<&Piece> {
        let next = self.pieces.partition_point(|piece| piece.start <= pc);
        self.pieces.get(next.checked_sub(1)?).filter(|piece| pc < piece.end)
    }

    /// The instruction on the border after `pc`, where the last two bytes of a piece are.
    fn across(&self, pc: u64, low: &[u8], high: &Version) -> Option<&Across> {
        let bits = u32::from(ends(high.code())?) << 16 | u32::from(begins(low)?);
        self.across.get(&(pc, bits))
    }

    /// The run from `pc`; where code is missing, or it is not known which version is in force, it ends.
    pub(super) fn run(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        let (mut count, mut at, mut end) = (0u32, pc, None);
        while let Some(part) = self.part(at, when.after(count.into())) {
            match part {
                Part::Straight(n, next) => {
                    count = count.checked_add(n)?;
                    at = next;
                }
                Part::Ends(n, exit) => {
                    count = count.checked_add(n)?;
                    if exit.kind != ExitKind::End {
                        return Some((count, exit));
                    }
                    end = Some(exit);
                    let Some(after) = self.border(exit.pc, when.after(count.into())) else { break };
                    match after {
                        Part::Straight(n, next) => {
                            count = count.checked_add(n)?;
                            at = next;
                        }
                        Part::Ends(n, exit) => return Some((count.checked_add(n)?, exit)),
                    }
                }
            }
        }
        end.filter(|_| count > 0).map(|exit| (count, exit))
    }

    /// What runs in one version from `pc`.
    fn part(&self, pc: u64, when: When) -> Option<Part<'_>> {
        let piece = self.piece(pc)?;
        let Some(index) = piece.at(when) else {
            // the same in all versions
            let (count, exit) = piece.versions[0].image.run(pc)?;
            let same = |found: (u32, &Exit)| found.0 == count && found.1 == exit;
            let all = piece.versions[1..].iter().all(|version| version.image.run(pc).is_some_and(same));
            return all.then_some(Part::Ends(count, exit));
        };
        let image = &piece.versions[index].image;
        let (count, exit) = image.run(pc)?;
        if let Some(Version { from: Moment::Retired(from), .. }) = piece.versions.get(index + 1) {
            let left = from - when.retired;
            if left < u64::from(count) {
                // fewer than the instructions of a run
                return Some(Part::Straight(left as u32, image.skip(pc, left as u32)?));
            }
        }
        Some(Part::Ends(count, exit))
    }

    /// Goes on from `pc`, where the whole instructions of a piece end.
    fn border(&self, pc: u64, when: When) -> Option<Part<'_>> {
        let piece = self.piece(pc)?;
        // in the piece after it
        if piece.start == pc {
            return Some(Part::Straight(0, pc));
        }
        let low = &piece.versions[piece.at(when)?];
        let next = self.piece(piece.end)?;
        let across = self.across(pc, low.code(), &next.versions[next.at(when)?])?;
        Some(match &across.exit {
            Some(exit) => Part::Ends(1, exit),
            None => Part::Straight(1, pc.wrapping_add(4)),
        })
    }

    /// Whether several versions of the code at `pc` run differently, and it is not known which one is in force.
    pub(super) fn is_ambiguous(&self, pc: u64, when: When) -> bool {
        self.piece(pc).is_some_and(|piece| piece.at(when).is_none()) && self.part(pc, when).is_none()
    }

    /// Up to `most` bytes from `addr` on.
    pub(super) fn bytes(&self, addr: u64, most: usize, when: When) -> Vec<u8> {
        let mut found = Vec::new();
        while let Some(piece) = self.piece(addr + found.len() as u64).filter(|_| found.len() < most) {
            let code = piece.latest(when).code();
            let rest = &code[(addr + found.len() as u64 - piece.start) as usize..];
            found.extend(&rest[..rest.len().min(most - found.len())]);
        }
        found
    }

    /// The instruction at `pc`; at a moment that is not known, that of the last version.
    pub(super) fn instruction(&self, pc: u64, when: When) -> Option<Instruction<'_>> {
        let piece = self.piece(pc)?;
        let version = piece.latest(when);
        if pc == piece.end.wrapping_sub(2) {
            let across = self.piece(piece.end).and_then(|next| self.across(pc, version.code(), next.latest(when)));
            if let Some(across) = across {
                return Some(Instruction { pc, len: 4, bytes: &across.bytes });
            }
        }
        version.image.instructions(pc, when).next()
    }
}

#[cfg(test)]
mod tests {
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

    fn when(retired: u64) -> When {
        When { retired, ..When::START }
    }

    /// Address and number of the instructions of a run.
    fn run(image: &Epochs, pc: u64, when: When) -> Option<(u32, u64, ExitKind)> {
        image.run(pc, when).map(|(count, exit)| (count, exit.pc, exit.kind))
    }

    fn changed(changes: &[(u64, &[u8], Moment)]) -> Vec<Memory> {
        changes.iter().map(|(addr, bytes, from)| Memory { addr: *addr, bytes: bytes.to_vec(), from: *from }).collect()
    }

    #[test]
    fn a_run_has_the_code_of_each_moment() {
        let (jump, nop) = (bytes(&[JUMP_12]), bytes(&[NOP]));
        let memory = changed(&[(0x104, &jump, Moment::Retired(10)), (0x104, &nop, Moment::Retired(20))]);
        let image = Epochs::new(&program(&[NOP, NOP, NOP, RET]), &memory).unwrap();
        let ret = run(&image, 0x10c, when(0)).unwrap().2;
        assert_eq!(run(&image, 0x100, when(0)), Some((4, 0x10c, ret)));
        // one instruction precedes the one that is patched
        assert_eq!(run(&image, 0x100, when(8)), Some((4, 0x10c, ret)));
        assert_eq!(run(&image, 0x100, when(9)), Some((2, 0x104, ExitKind::Jump)));
        assert_eq!(run(&image, 0x100, when(18)), Some((2, 0x104, ExitKind::Jump)));
        assert_eq!(run(&image, 0x100, when(19)), Some((4, 0x10c, ret)));
        assert_eq!(run(&image, 0x100, when(When::UNKNOWN)), Some((1, 0x104, ExitKind::End)));
        assert_eq!(run(&image, 0x108, when(When::UNKNOWN)), Some((2, 0x10c, ret)));
        let ambiguous = |pc| image.is_ambiguous(pc, when(When::UNKNOWN));
        assert_eq!([0x104, 0x100, 0x108, 0x200].map(ambiguous), [true, false, false, false]);
        assert!(!image.is_ambiguous(0x104, when(7)));
        let bits = |retired| image.instruction(0x104, when(retired)).map(|i| i.bits());
        assert_eq!([9, 10, 19, 20].map(bits), [NOP, JUMP_12, JUMP_12, NOP].map(Some));
        assert_eq!(image.bytes(0x106, 9, when(10)), [0xc0, 0, 0x13, 0, 0, 0, 0x67, 0x80, 0]);
    }

    #[test]
    fn the_version_of_a_time_is_in_force_after_a_loss_too() {
        let jump = bytes(&[JUMP_12]);
        let image = |from| {
            Epochs::new(&program(&[NOP, NOP, NOP, RET]), &changed(&[(0x104, &jump, from), (0x200, &jump, from)]))
                .unwrap()
        };
        let at = |image: &Epochs, cycle| {
            image.run(0x100, When { retired: When::UNKNOWN, cycle, until: cycle, ..When::START }).unwrap().0
        };
        let timed = image(Moment::Cycle(50));
        assert_eq!([0, 49, 50, 51].map(|cycle| at(&timed, cycle)), [4, 4, 2, 2]);
        // between two events, the change is before or after the code
        let between = |cycle, until| timed.run(0x100, When { cycle, until, ..When::START }).unwrap().0;
        assert_eq!([(40, 50), (40, 51), (50, 60), (60, 70)].map(|(cycle, until)| between(cycle, until)), [4, 1, 2, 2]);
        // the run ends before code of which only the order is known; code with one version is known
        let ordered = image(Moment::Unknown);
        assert_eq!(at(&ordered, 50), 1);
        assert!(ordered.is_ambiguous(0x104, when(3)) && !timed.is_ambiguous(0x104, when(3)));
        assert_eq!([&timed, &ordered].map(|image| run(image, 0x200, when(0))), [Some((1, 0x200, ExitKind::Jump)); 2]);
    }

    #[test]
    fn an_instruction_on_a_border_is_that_of_both_sides() {
        // c.nop at 0x100, then a jump of 4 bytes at 0x102, whose upper half changes to one of a longer jump
        let code: Vec<u8> = [0x0001u16, 0x006f, 0x00c0, 0x0001, 0x8082].iter().flat_map(|h| h.to_le_bytes()).collect();
        let base = Program { segments: vec![Segment::code(0x100, code)], ..program(&[]) };
        let image = Epochs::new(&base, &changed(&[(0x104, &0x0140u16.to_le_bytes(), Moment::Retired(5))])).unwrap();
        let target = |retired| image.run(0x100, when(retired)).map(|(count, exit)| (count, exit.pc, exit.target));
        assert_eq!([0, 3, 4, 5].map(target), [0x10e, 0x10e, 0x116, 0x116].map(|to| Some((2, 0x102, to))));
        assert_eq!(image.run(0x102, when(5)).map(|(count, exit)| (count, exit.target)), Some((1, 0x116)));
        let bits = |retired| image.instruction(0x102, when(retired)).map(|i| (i.bits(), i.len));
        assert_eq!([0, 5].map(bits), [Some((0x00c0_006f, 4)), Some((0x0140_006f, 4))]);
        // as all of it in one piece
        let whole = Image::new(&base);
        for pc in [0x100, 0x102, 0x106, 0x108] {
            assert_eq!(image.run(pc, when(0)), whole.run(pc), "{pc:x}");
        }
        // an instruction that is not there as a whole
        let cut = Epochs::new(&base, &changed(&[(0x10a, &0x006fu16.to_le_bytes(), Moment::Retired(0))])).unwrap();
        assert_eq!(run(&cut, 0x10a, when(0)), None);
    }

    #[test]
    fn changes_that_overlap_are_those_of_each_moment() {
        // as a compiler's memory: a function of three instructions, then a shorter one over its beginning
        let (long, short) = (bytes(&[NOP, NOP, RET]), bytes(&[RET]));
        let memory = changed(&[(0x200, &long, Moment::Cycle(10)), (0x200, &short, Moment::Cycle(20))]);
        let image = Epochs::new(&program(&[RET]), &memory).unwrap();
        let at = |pc, cycle| {
            image.run(pc, When { cycle, until: cycle, ..When::START }).map(|(count, exit)| (count, exit.pc))
        };
        assert_eq!([0, 10, 20].map(|cycle| at(0x200, cycle)), [Some((3, 0x208)), Some((3, 0x208)), Some((1, 0x200))]);
        assert_eq!(at(0x204, 30), Some((2, 0x208)));
        assert_eq!(at(0x300, 30), None);
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
        let memory = Memory { addr: 0x1000, bytes: vec![0; MAX_BYTES as usize], from: Moment::Retired(1) };
        let refused = Epochs::new(&program(&[RET]), &[memory]).unwrap_err();
        assert_eq!(refused, TooLarge::Bytes { changes: 1, bytes: MAX_BYTES + 4 });
    }
}
