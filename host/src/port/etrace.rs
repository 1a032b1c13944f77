//! Rules of the instruction trace ingress port of the E-Trace specification
//!
//! # Source
//! RISC-V Efficient Trace, "Instruction Trace Interface"; requirements of a trace system: `docs/how-to/integration.md`.

use super::rows::Value;
use super::{class, Check, Code, Findings, Location, Rule, MISALIGNED, UNKNOWN};
use retire::isa::{Flow, Indirect};

const EMPTY: Rule = Rule {
    found: "iretire is 0 and itype is neither 1 nor 2 (exception, interrupt)",
    right: "iretire counts the halfwords that retired; itype 0 with iretire 0 shows nothing",
    note: false,
};

const LAST: Rule = Rule {
    found: "ilastsize is larger than the block",
    right: "2^ilastsize halfwords are the length of the last instruction; iretire counts it",
    note: false,
};

const GAP: Rule = Rule {
    found: "a block does not begin where the one before ended, and that did not end in a jump, branch or trap",
    right:
        "iaddr is the address of the first instruction of the block; a trap between them is a report with itype 1 or 2",
    note: false,
};

const CLASS: Rule = Rule {
    found: "itype is not that of the block's last instruction",
    right: "4-bit itype of the last instruction: 4 and 5 branch, 8 to 15 jumps, 3 trap return, else 0",
    note: false,
};

const RESERVED: Rule = Rule {
    found: "itype 6 or 7 is reserved where itype has 4 bits",
    right: "4-bit itype; a port of 3 bits is for --ingress etrace-blocks --itype 3",
    note: false,
};

const NO_CODE: Rule = Rule {
    found: "a block holds an address at which the program has no code",
    right: "the program that ran",
    note: false,
};

/// Values of itype that an instruction may have.
fn types(flow: Flow) -> &'static [u64] {
    match flow {
        Flow::Sequential => &[0, 1, 2],
        Flow::Conditional { .. } => &[4, 5],
        Flow::Jump { call: true, .. } => &[9],
        Flow::Jump { .. } => &[11, 15],
        Flow::TrapReturn => &[3],
        Flow::Indirect(Indirect::Call) => &[8],
        Flow::Indirect(Indirect::CoSwap) => &[12],
        Flow::Indirect(Indirect::Return) => &[13],
        Flow::Indirect(Indirect::Jump) => &[10, 14],
    }
}

/// A checker of an E-Trace port.
pub(super) struct Etrace<'a> {
    xlen: u8,
    code: Code<'a>,
    /// Start of the next block, if the previous one determines it.
    next: Option<u64>,
    records: u64,
    retired: u64,
    traps: u64,
}

impl<'a> Etrace<'a> {
    pub(super) fn new(xlen: u8, code: Code<'a>) -> Self {
        Self { xlen, code, next: None, records: 0, retired: 0, traps: 0 }
    }

    /// Number of instructions in a block of the program, and the last one: its address, bits and length.
    fn walk(&self, from: u64, end: u64) -> Option<(u64, (u64, u32, u8))> {
        let (mut pc, mut n) = (from, 0);
        loop {
            let (insn, len) = self.code.at(pc)?;
            n += 1;
            let next = pc.wrapping_add(len.into());
            if next >= end {
                return Some((n, (pc, insn, len)));
            }
            pc = next;
        }
    }
}

impl Check for Etrace<'_> {
    fn row(&mut self, at: &dyn Fn() -> String, values: &[Value], found: &mut Findings) {
        let [itype, iaddr, iretire, lastsize] = *values else { return };
        if itype == Some(0) && iretire == Some(0) {
            return;
        }
        self.records += 1;
        let place = |values: String| {
            let pc = iaddr.unwrap_or(0);
            move || Location { at: at(), pc, insn: None, values }
        };
        let (Some(itype), Some(iaddr), Some(iretire), Some(lastsize)) = (itype, iaddr, iretire, lastsize) else {
            found.add(UNKNOWN, place(String::new()));
            self.next = None;
            return;
        };
        let trap = matches!(itype, 1 | 2);
        self.traps += u64::from(trap);
        if iretire == 0 {
            if !trap {
                found.add(EMPTY, place(format!("itype {itype}")));
            }
            self.next = None;
            return;
        }
        if iaddr & 1 == 1 {
            found.add(MISALIGNED, place(String::new()));
        }
        if matches!(itype, 6 | 7) {
            found.add(RESERVED, place(format!("itype {itype}")));
        }
        if lastsize > 6 || 1 << lastsize > iretire {
            found.add(LAST, place(format!("ilastsize {lastsize}, iretire {iretire}")));
        }
        if let Some(next) = self.next.filter(|next| *next != iaddr) {
            found.add(GAP, place(format!("expected 0x{next:x}")));
        }
        let mask = u64::MAX >> (64 - self.xlen);
        let end = iaddr.wrapping_add(2 * iretire) & mask;
        self.next = matches!(itype, 0 | 4).then_some(end);
        let Some(_) = self.code.0 else {
            self.retired += 1;
            return;
        };
        let Some((n, (pc, insn, len))) = self.walk(iaddr, end) else {
            found.add(NO_CODE, place(String::new()));
            return;
        };
        self.retired += n;
        let (_, flow, target) = class(insn, pc, self.xlen);
        if !trap && !types(flow).contains(&itype) {
            found.add(CLASS, place(format!("itype {itype}, insn 0x{insn:0w$x} at 0x{pc:x}", w = 2 * usize::from(len))));
        }
        if matches!(itype, 5 | 9 | 11 | 15) {
            self.next = target;
        }
    }

    fn counts(&self) -> (u64, u64, u64) {
        (self.records, self.retired, self.traps)
    }
}
