//! The program in the form that replay needs: straight runs and the branches that end them
//!
//! For every halfword of code: the number of instructions from there to the next control-flow instruction, and that
//! instruction. Built once, in one pass from the end of each segment. Without a program, [`learned`] derives the same
//! from a recorded run.

pub mod learned;

use crate::elf::Program;
use crate::isa::{self, Flow, Indirect};
use crate::FlowKind;
use learned::Learned;

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
#[derive(Clone, Copy, Debug)]
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

/// All code of a program.
#[derive(Clone, Debug)]
pub struct Image {
    segments: Vec<Segment>,
    exits: Vec<Exit>,
    /// Learned runs, in place of code.
    learned: Option<Box<Learned>>,
}

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

impl Image {
    /// Decodes the code of `program`, at each address at which it can run ([`Program::code`]).
    pub fn new(program: &Program) -> Self {
        Self::of_several([program])
    }

    /// Decodes the code of several programs, such as an application and the code in ROM that it calls. Where two have
    /// code at the same address, that of the first counts.
    pub fn of_several<'p>(programs: impl IntoIterator<Item = &'p Program>) -> Self {
        let mut image = Self { segments: Vec::new(), exits: Vec::new(), learned: None };
        for program in programs {
            program.code().for_each(|(addr, data)| image.add(addr, data.to_vec(), program));
        }
        image
    }

    /// Whether it was learned from a recording.
    pub fn is_learned(&self) -> bool {
        self.learned.is_some()
    }

    /// An image of learned runs, without code.
    pub(super) fn learned(learned: Learned) -> Self {
        Self { segments: Vec::new(), exits: Vec::new(), learned: Some(Box::new(learned)) }
    }

    fn add(&mut self, base: u64, code: Vec<u8>, program: &Program) {
        let slots = code.len() / 2;
        let mask = u64::MAX >> (64 - program.xlen);
        // the code may run past its end after a 2- or a 4-byte instruction
        let end = self.exits.len() as u32;
        let pc = base + code.len() as u64;
        self.exits.push(Exit { pc, target: pc, kind: ExitKind::End, len: 0 });
        let mut runs = vec![Run { count: 0, exit: end }; slots + 2];
        for slot in (0..slots).rev() {
            let low = halfword(&code, slot);
            let len = isa::length(low);
            let insn = u32::from(low) | if len == 4 { u32::from(halfword(&code, slot + 1)) << 16 } else { 0 };
            let pc = base + 2 * slot as u64;
            runs[slot] = match classify(isa::flow_with(insn, program.xlen, program.zcm), pc) {
                Some((kind, target)) => {
                    self.exits.push(Exit { pc, target: target & mask, kind, len });
                    Run { count: 1, exit: self.exits.len() as u32 - 1 }
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
        self.segments.iter().find_map(|s| {
            // the rotation moves the lowest bit of an odd address to the top, beyond all code
            let slot = pc.wrapping_sub(s.base).rotate_right(1);
            (slot < s.runs.len() as u64).then_some((s, slot as usize))
        })
    }

    /// The next control-flow instruction from `pc` on, and the number of instructions up to and including it; `None`
    /// outside the code.
    #[inline]
    pub fn run(&self, pc: u64) -> Option<(u32, &Exit)> {
        if let Some(learned) = &self.learned {
            return learned.run(pc);
        }
        let (segment, slot) = self.slot(pc)?;
        let run = segment.runs[slot];
        Some((run.count, &self.exits[run.exit as usize]))
    }

    /// The instruction at `pc` and its length in bytes; `None` outside the code, and if there is no code.
    pub fn instruction(&self, pc: u64) -> Option<(u32, u8)> {
        let (segment, slot) = self.slot(pc)?;
        let low = halfword(&segment.code, slot);
        let len = isa::length(low);
        let high = if len == 4 { halfword(&segment.code, slot + 1) } else { 0 };
        Some((u32::from(low) | u32::from(high) << 16, len))
    }

    /// The address `count` sequential instructions after `pc`; `None` outside the code.
    pub fn skip(&self, mut pc: u64, count: u32) -> Option<u64> {
        if let Some(learned) = &self.learned {
            return learned.skip(pc, count);
        }
        for _ in 0..count {
            pc += u64::from(self.instruction(pc)?.1);
        }
        Some(pc)
    }
}
