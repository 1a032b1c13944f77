//! Retired instructions that hit the slots of an event generator: few addresses, return addresses and stack pointers
//!
//! Not a program: any instruction may go anywhere. But each is consistent in itself: a call writes its link address, a
//! load writes the value that it reads.

use super::Source;
use crate::diag::generator::{Access, ObservedInsn};
use crate::diag::trigger::{Capture, GeneratorParams, Slot, Trigger, CAPTURES};

const CODE: u64 = 0x8000_0100;
const STACK: u64 = 0x9000_0040;
const DATA: u64 = 0xa000_0000;
/// Upper halves of 64-bit addresses and values. Each differs from the first in one halfword.
const UPPER: [u64; 3] = [0xffc0_0001 << 32, 0xffc0_0002 << 32, 0xffc1_0001 << 32];

/// An address of `xlen` bits with these lower bits.
fn address(s: &mut Source, xlen: u8, low: u64) -> u64 {
    if xlen == 32 {
        return low;
    }
    low | UPPER[if s.percent(85) { 0 } else { 1 + s.below(2) as usize }]
}

/// A value of `xlen` bits, often a small one.
fn number(s: &mut Source, xlen: u8) -> u64 {
    match (s.percent(60), xlen) {
        (true, 32) => s.below(4),
        (true, _) => s.below(4) | s.below(2) << 32,
        (false, _) => s.bits(xlen.into()),
    }
}

/// Slots that such instructions can hit.
pub fn slots(s: &mut Source, params: &GeneratorParams) -> Vec<Slot> {
    let mut wide = 0;
    (0..s.below(u64::from(params.slots) + 1))
        .map(|_| {
            let pc = CODE + 2 * s.below(8);
            let pc = address(s, params.xlen, pc);
            let first = DATA + s.below(16);
            let first = address(s, params.xlen, first);
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
                    value: s.percent(30).then(|| s.below(4)),
                },
                _ => Trigger::Trap {
                    interrupt: s.percent(50).then(|| s.percent(50)),
                    cause: s.percent(50).then(|| s.below(4) as u8),
                },
            };
            let captures = (0..s.below(CAPTURES as u64 + 1)).map(|_| half(s, params.xlen, trigger)).collect();
            let (event, dest) = (s.bits(8) as u8, s.bits(6) as u8);
            Slot { trigger, event, dest, captures, stamped: s.percent(50), yields: dest & 1 == 1 }
        })
        .collect()
}

/// A captured word; of a number of 64 bits, either half.
fn half(s: &mut Source, xlen: u8, trigger: Trigger) -> Capture {
    let capture = capture(s, trigger);
    match capture.number() {
        Some(number) if xlen == 64 && s.percent(50) => Capture::Upper(number),
        _ => capture,
    }
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
    xlen: u8,
    sp: u64,
    /// Percentage of instructions at one of few addresses, and of those that are not plain sequential ones.
    busy: u8,
}

impl Hits {
    /// Starts a sequence of a core of `xlen` bits.
    pub fn new(s: &mut Source, xlen: u8) -> Self {
        Self { xlen, sp: STACK | if xlen == 64 { UPPER[0] } else { 0 }, busy: *s.pick(&[20, 50, 90]) }
    }

    /// An address of code.
    fn code(&self, s: &mut Source, among: u64, offset: u64) -> u64 {
        let low = CODE + 2 * s.below(among) + offset;
        address(s, self.xlen, low)
    }

    /// The next instruction, in cycle `cycle`.
    pub fn next(&mut self, s: &mut Source, cycle: u64) -> ObservedInsn {
        let among = if s.percent(self.busy) { 8 } else { 400 };
        let (pc, wide_core) = (self.code(s, among, 0), self.xlen == 64);
        let mut seen = ObservedInsn { cycle, pc, next_pc: pc + 4, insn: 0x13, len: 4, ..ObservedInsn::default() };
        if s.percent(3) {
            seen.trap = Some((s.percent(50), s.below(4) as u8, self.code(s, 400, 0)));
        }
        let kind = if s.percent(self.busy) { s.below(14) } else { 0 };
        match kind {
            0 | 1 => seen.rd = Some((3 + s.below(10) as u8, number(s, self.xlen))),
            2 => {
                let low = STACK - 16 * s.below(5);
                self.sp = address(s, self.xlen, low);
                seen.rd = Some((2, self.sp));
            }
            // the link register can also be written by other instructions
            3 => seen.rd = Some((1, self.code(s, 10, 4))),
            4 => self.jump(s, &mut seen, 0xef, 4, true),
            // c.jal is c.addiw on RV64
            5 if wide_core && s.percent(30) => (seen.insn, seen.len) = (0x2001, 2),
            5 if wide_core => self.jump(s, &mut seen, 0x9282, 2, true),
            5 => self.jump(s, &mut seen, 0x2001, 2, true),
            6 => self.jump(s, &mut seen, 0x2_80e7, 4, true),
            7 | 8 => self.jump(s, &mut seen, 0x8067, 4, false),
            9 => self.jump(s, &mut seen, 0x8082, 2, false),
            10 => {
                let width = self.xlen / 8;
                let full = if wide_core { [(0x1_3023, 4), (0xe002, 2)] } else { [(0x1_2023, 4), (0xc002, 2)] };
                (seen.insn, seen.len) = *s.pick(&full);
                let addr = self.sp.wrapping_add(u64::from(width) * s.below(4) + u64::from(s.percent(5)));
                seen.accesses[1] = Some(Access { addr, size: width, value: number(s, self.xlen), store: true });
            }
            11 => {
                seen.insn = 0x4_2023;
                let value = number(s, self.xlen);
                seen.accesses[1] = Some(self.access(s, value, true));
            }
            12 => {
                seen.insn = 0x3;
                let value = number(s, self.xlen);
                let a = self.access(s, value, false);
                // a shorter load may sign-extend
                let signs = 8 * a.size < self.xlen && s.percent(50);
                let sign = if signs { (u64::MAX << (8 * a.size)) & (u64::MAX >> (64 - self.xlen)) } else { 0 };
                seen.rd = s.percent(80).then_some((3 + s.below(10) as u8, a.value | sign));
                seen.accesses[0] = Some(a);
            }
            _ if s.percent(60) => seen.insn = *s.pick(&[0x3020_0073, 0x1020_0073, 0x1050_0073]),
            _ => {
                seen.insn = 0x2f;
                let value = number(s, self.xlen);
                let a = Access { size: self.xlen / 8, value, ..self.access(s, value, false) };
                seen.rd = s.percent(80).then_some((3 + s.below(10) as u8, a.value));
                seen.accesses = [Some(a), Some(Access { value: number(s, self.xlen), store: true, ..a })];
            }
        }
        seen
    }

    fn jump(&mut self, s: &mut Source, seen: &mut ObservedInsn, insn: u32, len: u8, call: bool) {
        (seen.insn, seen.len) = (insn, len);
        seen.next_pc = if call && s.percent(80) { self.code(s, 8, 0) } else { self.code(s, 10, 4) };
        if call {
            seen.rd = Some((1, seen.pc + u64::from(len)));
        }
    }

    fn access(&self, s: &mut Source, value: u64, store: bool) -> Access {
        let on_stack = s.percent(40);
        let near = if on_stack { self.sp } else { address(s, self.xlen, DATA) };
        let size = if self.xlen == 64 { *s.pick(&[1, 2, 4, 8, 8]) } else { *s.pick(&[1, 2, 4, 4]) };
        Access { addr: near + s.below(20), size, value: value & (u64::MAX >> (64 - 8 * size)), store }
    }
}
