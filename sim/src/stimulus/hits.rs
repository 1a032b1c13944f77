//! Retired instructions that hit the slots of an event generator: few addresses, return addresses and stack pointers
//!
//! Not a program: any instruction may go anywhere. But each is consistent in itself: a call writes its link address, a
//! load writes the value that it reads.

use super::Source;
use crate::diag::generator::{Access, ObservedInsn};
use crate::diag::trigger::{Capture, GeneratorParams, Slot, Trigger, CAPTURES};

const CODE: u32 = 0x8000_0100;
const STACK: u32 = 0x9000_0040;
const DATA: u32 = 0xa000_0000;

/// Slots that such instructions can hit.
pub fn slots(s: &mut Source, params: &GeneratorParams) -> Vec<Slot> {
    let mut wide = 0;
    (0..s.below(u64::from(params.slots) + 1))
        .map(|_| {
            let pc = CODE + 2 * s.below(8) as u32;
            let first = DATA + s.below(16) as u32;
            wide += 1;
            let kinds = if wide <= params.wide { 9 } else { 4 };
            let trigger = match s.below(kinds) {
                0 => Trigger::Pc(pc),
                1 | 2 => Trigger::Return(pc),
                8 => Trigger::ReturnFrom { first: pc, last: pc + *s.pick(&[1, 5, 9, 21]) },
                3 => Trigger::TrapReturn,
                6 | 7 => Trigger::Entry { first: pc, last: pc + *s.pick(&[1, 5, 9, 21]) },
                4 => Trigger::Data {
                    first,
                    last: first + *s.pick(&[0, 1, 3, 9]),
                    loads: s.percent(70),
                    stores: s.percent(70),
                    value: s.percent(30).then(|| s.below(4) as u32),
                },
                _ => Trigger::Trap {
                    interrupt: s.percent(50).then(|| s.percent(50)),
                    cause: s.percent(50).then(|| s.below(4) as u8),
                },
            };
            let captures = (0..s.below(CAPTURES as u64 + 1)).map(|_| capture(s, trigger)).collect();
            let (event, dest) = (s.bits(8) as u8, s.bits(6) as u8);
            Slot { trigger, event, dest, captures, stamped: s.percent(50), yields: dest & 1 == 1 }
        })
        .collect()
}

fn capture(s: &mut Source, trigger: Trigger) -> Capture {
    let r = 1 + s.below(12) as u8;
    match (s.below(6), trigger) {
        (0 | 1, t) if t.is_return() => Capture::EntryRegister(r),
        (2, t) if t.is_return() => Capture::EntryStack(s.below(3) as u8),
        (3, t) if t.is_return() => Capture::Elapsed,
        (0 | 1, Trigger::Data { .. }) => Capture::Address,
        (2 | 3, Trigger::Data { .. }) => Capture::Value,
        (0 | 1, Trigger::Trap { .. }) => Capture::Cause,
        (2, _) => Capture::Stack(s.below(3) as u8),
        (3, _) => Capture::Pc,
        _ => Capture::Register(r),
    }
}

/// A random sequence of such instructions.
#[derive(Clone, Debug)]
pub struct Hits {
    sp: u32,
    /// Percentage of instructions at one of few addresses, and of those that are not plain sequential ones.
    busy: u8,
}

impl Hits {
    /// Starts a sequence.
    pub fn new(s: &mut Source) -> Self {
        Self { sp: STACK, busy: *s.pick(&[20, 50, 90]) }
    }

    fn value(s: &mut Source) -> u32 {
        if s.percent(60) {
            s.below(4) as u32
        } else {
            s.bits(32) as u32
        }
    }

    /// The next instruction, in cycle `cycle`.
    pub fn next(&mut self, s: &mut Source, cycle: u64) -> ObservedInsn {
        let among = if s.percent(self.busy) { 8 } else { 400 };
        let pc = CODE + 2 * s.below(among) as u32;
        let mut seen = ObservedInsn { cycle, pc, next_pc: pc + 4, insn: 0x13, len: 4, ..ObservedInsn::default() };
        if s.percent(3) {
            seen.trap = Some((s.percent(50), s.below(4) as u8, CODE + 2 * s.below(400) as u32));
        }
        let kind = if s.percent(self.busy) { s.below(14) } else { 0 };
        match kind {
            0 | 1 => seen.rd = Some((3 + s.below(10) as u8, Self::value(s))),
            2 => {
                self.sp = STACK - 16 * s.below(5) as u32;
                seen.rd = Some((2, self.sp));
            }
            // the link register can also be written by other instructions
            3 => seen.rd = Some((1, CODE + 2 * s.below(10) as u32 + 4)),
            4 => self.jump(s, &mut seen, 0xef, 4, true),
            5 => self.jump(s, &mut seen, 0x2001, 2, true),
            6 => self.jump(s, &mut seen, 0x2_80e7, 4, true),
            7 | 8 => self.jump(s, &mut seen, 0x8067, 4, false),
            9 => self.jump(s, &mut seen, 0x8082, 2, false),
            10 => {
                (seen.insn, seen.len) = *s.pick(&[(0x1_2023, 4), (0xc002, 2)]);
                let addr = self.sp.wrapping_add(4 * s.below(4) as u32 + u32::from(s.percent(5)));
                seen.accesses[1] = Some(Access { addr, size: 4, value: Self::value(s), store: true });
            }
            11 => {
                seen.insn = 0x4_2023;
                let value = Self::value(s);
                seen.accesses[1] = Some(self.access(s, value, true));
            }
            12 => {
                seen.insn = 0x3;
                let value = Self::value(s);
                let a = self.access(s, value, false);
                // a shorter load may sign-extend
                let sign = if a.size < 4 && s.percent(50) { u32::MAX << (8 * a.size) } else { 0 };
                seen.rd = s.percent(80).then_some((3 + s.below(10) as u8, a.value | sign));
                seen.accesses[0] = Some(a);
            }
            _ if s.percent(60) => seen.insn = *s.pick(&[0x3020_0073, 0x1020_0073, 0x1050_0073]),
            _ => {
                seen.insn = 0x2f;
                let value = Self::value(s);
                let a = Access { size: 4, value, ..self.access(s, value, false) };
                seen.rd = s.percent(80).then_some((3 + s.below(10) as u8, a.value));
                seen.accesses = [Some(a), Some(Access { value: Self::value(s), store: true, ..a })];
            }
        }
        seen
    }

    fn jump(&mut self, s: &mut Source, seen: &mut ObservedInsn, insn: u32, len: u8, call: bool) {
        (seen.insn, seen.len) = (insn, len);
        seen.next_pc =
            if call && s.percent(80) { CODE + 2 * s.below(8) as u32 } else { CODE + 2 * s.below(10) as u32 + 4 };
        if call {
            seen.rd = Some((1, seen.pc + u32::from(len)));
        }
    }

    fn access(&self, s: &mut Source, value: u32, store: bool) -> Access {
        let near = if s.percent(40) { self.sp } else { DATA };
        let size = *s.pick(&[1, 2, 4, 4]);
        Access { addr: near + s.below(20) as u32, size, value: value & (u32::MAX >> (32 - 8 * size)), store }
    }
}
