//! The program in the form that replay needs: straight runs and the branches that end them
//!
//! For every halfword of code: the number of instructions from there to the next control-flow instruction, and that
//! instruction. Built once, in one pass from the end of each segment. Of code that changes, the version of the moment is
//! taken ([`When`]): from the code that a recording carries ([`crate::code`]), or from memory that was read at several
//! moments ([`Memory`]). Without any code, [`learned`] derives the
//! same from the events of a run. [`runs`] keeps what is made of straight runs.

mod epochs;
pub mod learned;
mod recorded;
pub mod runs;
mod when;

use crate::code::Code;
use crate::elf::Program;
use crate::isa::{self, Flow, Indirect};
use crate::FlowKind;
use epochs::Epochs;
pub use epochs::{Memory, Moment, TooLarge};
use learned::Learned;
use recorded::{Recorded, Walk};
pub use when::{Position, Positions, When};

/// Kind of the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitKind {
    /// Direct conditional branch.
    Conditional,
    /// Direct jump.
    Jump,
    /// Direct call.
    Call,
    /// Indirect branch, with its use of the predictors and its kind of event.
    Indirect(Indirect, FlowKind),
    /// Conditional indirect branch, with its effect on the return address stack when taken.
    ConditionalIndirect(Indirect),
    /// The code ends without a branch.
    End,
}

/// The control-flow instruction at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Address.
    pub pc: u64,
    /// Target of a direct branch.
    pub target: u64,
    /// Kind.
    pub kind: ExitKind,
    /// Length, bytes.
    pub len: u8,
}

impl Exit {
    /// Address after it.
    #[inline]
    pub fn link(&self) -> u64 {
        self.pc + u64::from(self.len)
    }
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// Instructions up to and including the exit.
    count: u32,
    /// Index of the exit.
    exit: u32,
}

#[derive(Clone, Debug)]
struct Segment {
    base: u64,
    code: Vec<u8>,
    runs: Vec<Run>,
}

/// Index of the halfword at `pc` in code at `base`; beyond all code if there is none.
#[inline(always)]
fn slot(base: u64, pc: u64) -> usize {
    // the rotation moves the lowest bit of an odd address to the top
    usize::try_from(pc.wrapping_sub(base).rotate_right(1)).unwrap_or(usize::MAX)
}

impl Segment {
    /// Index of the halfword at `pc`.
    #[inline(always)]
    fn slot(&self, pc: u64) -> Option<usize> {
        let slot = slot(self.base, pc);
        (slot < self.runs.len()).then_some(slot)
    }
}

/// All code of a program.
#[derive(Clone, Debug)]
pub struct Image {
    segments: Vec<Segment>,
    exits: Vec<Exit>,
    /// What takes the place of segments.
    other: Option<Box<Other>>,
}

/// Code that never depends on the moment: a view that a loop keeps in registers.
#[derive(Clone, Copy, Debug)]
pub struct Constant<'a> {
    /// The first segment, where nearly all code is.
    base: u64,
    runs: &'a [Run],
    image: &'a Image,
}

impl<'a> Constant<'a> {
    /// As [`Image::run`].
    #[inline(always)]
    pub fn run(&self, pc: u64) -> Option<(u32, &'a Exit)> {
        match self.runs.get(slot(self.base, pc)) {
            Some(run) => Some((run.count, &self.image.exits[run.exit as usize])),
            None => self.image.run_elsewhere(pc, When::START),
        }
    }
}

/// An image that has no segments.
#[derive(Clone, Debug)]
enum Other {
    /// Runs that were learned from events.
    Learned(Learned),
    /// The code of a recording.
    Recorded(Recorded),
    /// A program, and memory.
    Epochs(Epochs),
}

impl Other {
    #[inline]
    fn run(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        match self {
            Self::Learned(learned) => learned.run(pc),
            Self::Recorded(recorded) => recorded.run(pc, when),
            Self::Epochs(epochs) => epochs.run(pc, when),
        }
    }
}

/// An instruction of a code image: address, length and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction<'a> {
    /// Address.
    pub pc: u64,
    /// Length, bytes.
    pub len: u8,
    /// Its bytes; fewer than `len` where the code ends.
    pub bytes: &'a [u8],
}

impl Instruction<'_> {
    /// Up to four of its bytes as a little-endian number.
    #[inline]
    pub fn bits(&self) -> u32 {
        match *self.bytes {
            [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
            ref bytes => bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte)),
        }
    }
}

/// Instructions in a row; ends where no code is known.
#[derive(Clone, Debug)]
pub struct Instructions<'a>(Row<'a>);

#[derive(Clone, Debug)]
enum Row<'a> {
    Segments(&'a Image, u64, &'a [u8]),
    Epochs(&'a Epochs, u64, When),
    Recorded(Walk<'a>),
}

impl<'a> Iterator for Instructions<'a> {
    type Item = Instruction<'a>;

    #[inline]
    fn next(&mut self) -> Option<Instruction<'a>> {
        match &mut self.0 {
            Row::Segments(image, pc, first) => {
                let (code, in_first) = if first.len() < 2 { (image.from(*pc)?, false) } else { (*first, true) };
                let len = isa::length(halfword(code, 0));
                let (bytes, rest) = code.split_at_checked(len.into()).unwrap_or((code, &[]));
                let instruction = Instruction { pc: *pc, len, bytes };
                *pc = pc.wrapping_add(len.into());
                *first = if in_first { rest } else { &[] };
                Some(instruction)
            }
            Row::Epochs(epochs, pc, when) => {
                let instruction = epochs.instruction(*pc, *when)?;
                (*pc, *when) = (pc.wrapping_add(instruction.len.into()), when.after(1));
                Some(instruction)
            }
            Row::Recorded(walk) => walk.next(),
        }
    }
}

#[inline]
fn halfword(code: &[u8], slot: usize) -> u16 {
    code.get(slot * 2..slot * 2 + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
}

fn classify(flow: Flow, pc: u64) -> Option<(ExitKind, u64)> {
    let to = |offset: i32| pc.wrapping_add(i64::from(offset) as u64);
    Some(match flow {
        Flow::Sequential => return None,
        Flow::Conditional { offset } => (ExitKind::Conditional, to(offset)),
        Flow::Jump { offset, call: false } => (ExitKind::Jump, to(offset)),
        Flow::Jump { offset, call: true } => (ExitKind::Call, to(offset)),
        Flow::TrapReturn => (ExitKind::Indirect(Indirect::Jump, FlowKind::TrapReturn), 0),
        Flow::Indirect(i) => (ExitKind::Indirect(i, i.into()), 0),
    })
}

/// The instruction at `pc` as an exit, if it is a control-flow instruction.
fn exit_of(bits: u32, pc: u64, len: u8, program: &Program) -> Option<Exit> {
    let (kind, target) = classify(isa::flow_with(bits, program.xlen, program.zcm), pc)?;
    Some(Exit { pc, target: target & (u64::MAX >> (64 - program.xlen)), kind, len })
}

/// No code is at `pc`.
fn end_of_code(pc: u64) -> Exit {
    Exit { pc, target: pc, kind: ExitKind::End, len: 0 }
}

impl Image {
    /// Decodes the code of `program`, at each address at which it can run ([`Program::code`]).
    pub fn new(program: &Program) -> Self {
        Self::of_several([program])
    }

    /// Decodes the code of several programs, such as an application and the code in ROM that it calls. Where two have
    /// code at the same address, that of the first counts.
    pub fn of_several<'p>(programs: impl IntoIterator<Item = &'p Program>) -> Self {
        let mut image = Self { segments: Vec::new(), exits: Vec::new(), other: None };
        for program in programs {
            program.code().for_each(|(addr, data)| image.add(addr, data.to_vec(), program));
        }
        image
    }

    /// The code of `program`, overwritten by `memory`.
    ///
    /// # Errors
    /// It is too large.
    pub fn with_memory(program: &Program, memory: &[Memory]) -> Result<Self, TooLarge> {
        let other = Some(Box::new(Other::Epochs(Epochs::new(program, memory)?)));
        Ok(Self { segments: Vec::new(), exits: Vec::new(), other })
    }

    /// Whether it was learned from a recording.
    pub fn is_learned(&self) -> bool {
        matches!(self.other.as_deref(), Some(Other::Learned(_)))
    }

    /// The image of the code that a recording carries.
    pub fn recorded(code: Code) -> Self {
        let other = Some(Box::new(Other::Recorded(Recorded::new(code))));
        Self { segments: Vec::new(), exits: Vec::new(), other }
    }

    /// Whether it is that of a recording: its events, or the code that it carries.
    pub fn is_of_recording(&self) -> bool {
        matches!(self.other.as_deref(), Some(Other::Learned(_) | Other::Recorded(_)))
    }

    /// Whether it keeps its code in versions, of which there may be only one.
    pub fn has_versions(&self) -> bool {
        matches!(self.other.as_deref(), Some(Other::Recorded(_) | Other::Epochs(_)))
    }

    /// Its code, if that never depends on the moment.
    #[inline]
    pub fn constant(&self) -> Option<Constant<'_>> {
        let constant = match self.other.as_deref() {
            Some(Other::Recorded(recorded)) => recorded.is_constant(),
            Some(Other::Epochs(_)) => false,
            Some(Other::Learned(_)) | None => true,
        };
        let (base, runs) = self.segments.first().map_or((0, [].as_slice()), |first| (first.base, &first.runs));
        constant.then_some(Constant { base, runs, image: self })
    }

    /// Whether the code at `pc` has several versions, and it is not known which one is in force at `when`.
    pub fn is_ambiguous(&self, pc: u64, when: When) -> bool {
        match self.other.as_deref() {
            Some(Other::Recorded(recorded)) => !when.is_known() && recorded.changes(pc),
            Some(Other::Epochs(epochs)) => epochs.is_ambiguous(pc, when),
            Some(Other::Learned(_)) | None => false,
        }
    }

    /// An image of learned runs, without code.
    pub(super) fn learned(learned: Learned) -> Self {
        Self { segments: Vec::new(), exits: Vec::new(), other: Some(Box::new(Other::Learned(learned))) }
    }

    fn add(&mut self, base: u64, code: Vec<u8>, program: &Program) {
        let slots = code.len() / 2;
        let end = self.exits.len() as u32;
        self.exits.push(end_of_code(base + code.len() as u64));
        let mut runs = vec![Run { count: 0, exit: end }; slots + 1];
        for slot in (0..slots).rev() {
            let low = halfword(&code, slot);
            let len = isa::length(low);
            let pc = base + 2 * slot as u64;
            // only the first half of the last instruction may be there
            let exit = match len {
                4 if slot + 1 == slots => Some(end_of_code(pc)),
                4 => exit_of(u32::from(low) | u32::from(halfword(&code, slot + 1)) << 16, pc, len, program),
                _ => exit_of(low.into(), pc, len, program),
            };
            runs[slot] = match exit {
                Some(exit) => {
                    self.exits.push(exit);
                    Run { count: (exit.kind != ExitKind::End).into(), exit: self.exits.len() as u32 - 1 }
                }
                None => {
                    let next = runs[slot + usize::from(len) / 2];
                    Run { count: next.count + 1, exit: next.exit }
                }
            };
        }
        runs.truncate(slots);
        self.segments.push(Segment { base, code, runs });
    }

    #[inline]
    fn slot(&self, pc: u64) -> Option<(&Segment, usize)> {
        self.segments.iter().find_map(|s| Some((s, s.slot(pc)?)))
    }

    /// Code from `pc` on, up to the end of its segment.
    fn from(&self, pc: u64) -> Option<&[u8]> {
        let (segment, slot) = self.slot(pc)?;
        Some(&segment.code[2 * slot..])
    }

    /// As [`Image::from`], of the first segment only: its code counts up to its end, whatever others have there.
    #[inline]
    fn first_from(&self, pc: u64) -> &[u8] {
        let code = self.segments.first().and_then(|s| s.code.get(2 * s.slot(pc)?..));
        code.unwrap_or_default()
    }

    /// The next control-flow instruction from `pc` on, and the number of instructions up to and including it; `None`
    /// outside the code. Of code that changes, what hart 0 executes at first.
    #[inline]
    pub fn run(&self, pc: u64) -> Option<(u32, &Exit)> {
        self.run_at(pc, When::START)
    }

    /// As [`Image::run`], for code that changes: what is executed at `when`.
    #[inline(always)]
    pub fn run_at(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        // nearly always the first segment; an image without segments has something else
        let run = match self.segments.first().and_then(|s| Some(s.runs[s.slot(pc)?])) {
            Some(run) => run,
            None => return self.run_elsewhere(pc, when),
        };
        Some((run.count, &self.exits[run.exit as usize]))
    }

    /// As [`Image::run_at`], outside of the first segment.
    #[inline(never)]
    fn run_elsewhere(&self, pc: u64, when: When) -> Option<(u32, &Exit)> {
        if let Some(other) = &self.other {
            return other.run(pc, when);
        }
        let (segment, slot) = self.slot(pc)?;
        let run = segment.runs[slot];
        Some((run.count, &self.exits[run.exit as usize]))
    }

    /// The instructions in memory from `pc` on, where control arrives at `when`: up to the next control-flow instruction,
    /// they are those that run. None if there is no code.
    #[inline]
    pub fn instructions(&self, pc: u64, when: When) -> Instructions<'_> {
        Instructions(match self.other.as_deref() {
            Some(Other::Recorded(recorded)) => Row::Recorded(recorded.walk(pc, when)),
            Some(Other::Epochs(epochs)) => Row::Epochs(epochs, pc, when),
            // without segments, there is no instruction
            Some(Other::Learned(_)) | None => Row::Segments(self, pc, self.first_from(pc)),
        })
    }

    /// Up to `most` bytes of code from `addr` on, as they are in memory at `when`; none where
    /// only an ELF says what they are.
    pub fn bytes(&self, addr: u64, most: usize, when: When) -> Vec<u8> {
        match self.other.as_deref() {
            Some(Other::Recorded(recorded)) => {
                (0..most as u64).map_while(|i| recorded.byte(addr.wrapping_add(i), when)).collect()
            }
            Some(Other::Epochs(epochs)) => epochs.bytes(addr, most, when),
            Some(Other::Learned(_)) | None => Vec::new(),
        }
    }

    /// The instruction at `pc` and its length in bytes; `None` outside the code, and if there is no code. Of code that
    /// changes, what hart 0 executes at first.
    pub fn instruction(&self, pc: u64) -> Option<(u32, u8)> {
        self.instructions(pc, When::START).next().map(|i| (i.bits(), i.len))
    }

    /// As [`Image::skip_at`], from the beginning of the run.
    pub fn skip(&self, pc: u64, count: u32) -> Option<u64> {
        self.skip_at(pc, count, When::START)
    }

    /// The address `count` sequential instructions after `pc`, where control arrives at `when`; `None` outside the code.
    pub fn skip_at(&self, pc: u64, count: u32, when: When) -> Option<u64> {
        if let Some(Other::Learned(learned)) = self.other.as_deref() {
            return learned.skip(pc, count);
        }
        let Some(last) = count.checked_sub(1) else { return Some(pc) };
        self.instructions(pc, when).nth(last as usize).map(|i| i.pc.wrapping_add(i.len.into()))
    }
}
