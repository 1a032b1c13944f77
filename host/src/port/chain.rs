//! Rules of the PC chain, which has only instructions and their addresses
//!
//! The next address of an instruction is that of the next instruction, so a discontinuity is a trap by definition. The
//! only detectable error is code that does not match.

use super::rows::Value;
use super::{class, same_code, Check, Code, Findings, Location, Rule, EXPANDED, MISALIGNED, OTHER_CODE, UNKNOWN, ZCM};
use retire::isa::{zcm, Flow};

const BREAK: Rule = Rule {
    found: "an instruction does not follow from the one before: traced as a trap",
    right: "as many as the run had traps and interrupts; more show missing records",
    note: true,
};

/// A checker of a PC chain.
pub(super) struct Chain<'a> {
    xlen: u8,
    code: Code<'a>,
    before: Option<(u64, u32)>,
    records: u64,
    traps: u64,
}

impl<'a> Chain<'a> {
    pub(super) fn new(xlen: u8, code: Code<'a>) -> Self {
        Self { xlen, code, before: None, records: 0, traps: 0 }
    }
}

impl Check for Chain<'_> {
    fn row(&mut self, at: &dyn Fn() -> String, values: &[Value], found: &mut Findings) {
        let [valid, insn, pc] = *values else { return };
        if valid == Some(0) {
            return;
        }
        self.records += 1;
        let place = |values: String| {
            let (pc, insn) = (pc.unwrap_or(0), insn.map(|i| i as u32));
            move || Location { at: at(), pc, insn, values }
        };
        let (Some(_), Some(insn), Some(pc)) = (valid, insn, pc) else {
            found.add(UNKNOWN, place(String::new()));
            self.before = None;
            return;
        };
        let insn = insn as u32;
        if pc & 1 == 1 {
            found.add(MISALIGNED, place(String::new()));
        }
        if let Some((own, _)) = self.code.at(pc).filter(|(own, _)| !same_code(insn, *own)) {
            found.add(OTHER_CODE, place(format!("the program has 0x{own:08x}")));
        }
        if let Some((old, bits)) = self.before {
            let (length, flow, target) = class(bits, old, self.xlen);
            let link = old.wrapping_add(length);
            let follows = match flow {
                Flow::Sequential => pc == link,
                Flow::Conditional { .. } => pc == link || Some(pc) == target,
                Flow::Jump { .. } => Some(pc) == target,
                Flow::Indirect(_) | Flow::TrapReturn => true,
            };
            if !follows && length == 4 && pc == old.wrapping_add(2) {
                found.add(EXPANDED, place(format!("after pc 0x{old:x}, insn 0x{bits:08x}")));
            } else if !follows && zcm(bits).is_some() {
                found.add(ZCM, place(format!("after pc 0x{old:x}, insn 0x{bits:08x}")));
            } else if !follows {
                self.traps += 1;
                found.add(BREAK, place(format!("after pc 0x{old:x}")));
            }
        }
        self.before = Some((pc, insn));
    }

    fn counts(&self) -> (u64, u64, u64) {
        (self.records, self.records, self.traps)
    }
}
