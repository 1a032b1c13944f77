//! Rules of RVFI
//!
//! # Source
//! RISC-V Formal Interface, docs/rvfi.md; requirements of a trace system: `docs/how-to/integration.md`, "Signal rules".

use super::rows::Value;
use super::{class, same_code, Check, Code, Findings, Location, Rule, EXPANDED, MISALIGNED, OTHER_CODE, UNKNOWN, ZCM};
use retire::isa::{zcm, Flow};

const WRONG_NEXT: Rule = Rule {
    found: "an instruction that cannot jump has a pc_wdata that is not the next address",
    right: "pc_wdata is pc_rdata and its length; one that traps (ecall, ebreak, an exception) has trap 1 and does not retire",
    note: false,
};

const TRAPPED: Rule = Rule {
    found: "ecall or ebreak counts as retired and the next record is elsewhere: it trapped",
    right: "rvfi_trap 1 in its record, or rvfi_intr 1 in the next one",
    note: false,
};

const UNANNOUNCED: Rule = Rule {
    found: "an instruction is not at the pc_wdata of the one before, and neither a trap nor intr announces it",
    right:
        "rvfi_intr 1 in the first record of a handler; otherwise build with --check, which traces such breaks as traps",
    note: false,
};

const MRET_LINK: Rule = Rule {
    found: "pc_wdata of mret or sret is the address after it, but the core continues elsewhere",
    right: "pc_wdata of a trap return is its target: connect mepc or sepc",
    note: false,
};

const WRONG_TARGET: Rule = Rule {
    found: "pc_wdata of a jump or branch is neither its target nor the next address",
    right: "pc_wdata is the address of the instruction that follows in program order",
    note: false,
};

const NEEDLESS_INTR: Rule = Rule {
    found: "intr is 1 where the instruction follows from the one before",
    right: "intr is 1 only in the first record of a trap handler; each such record is traced as a trap",
    note: true,
};

/// `ecall`, `ebreak` and `c.ebreak`, which never retire if they trap.
fn calls_environment(insn: u32) -> bool {
    matches!(insn, 0x0000_0073 | 0x0010_0073) || insn & 0xffff == 0x9002
}

/// What is known of the previous record.
struct Before {
    pc: u64,
    insn: u32,
    next: u64,
    trap: bool,
}

/// A checker of RVFI.
pub(super) struct Rvfi<'a> {
    xlen: u8,
    code: Code<'a>,
    before: Option<Before>,
    records: u64,
    retired: u64,
    traps: u64,
}

impl<'a> Rvfi<'a> {
    pub(super) fn new(xlen: u8, code: Code<'a>) -> Self {
        Self { xlen, code, before: None, records: 0, retired: 0, traps: 0 }
    }
}

impl Check for Rvfi<'_> {
    fn row(&mut self, at: &dyn Fn() -> String, values: &[Value], found: &mut Findings) {
        let [valid, insn, trap, intr, pc, next] = *values else { return };
        if valid == Some(0) {
            return;
        }
        self.records += 1;
        let place = |values: String| {
            let (pc, insn) = (pc.unwrap_or(0), insn.map(|i| i as u32));
            move || Location { at: at(), pc, insn, values }
        };
        let (Some(_), Some(insn), Some(trap), Some(intr), Some(pc), Some(next)) = (valid, insn, trap, intr, pc, next)
        else {
            found.add(UNKNOWN, place(String::new()));
            self.before = None;
            return;
        };
        let (insn, trap, intr) = (insn as u32, trap & 1 == 1, intr & 1 == 1);
        if pc & 1 == 1 || next & 1 == 1 {
            found.add(MISALIGNED, place(format!("pc_wdata 0x{next:x}")));
        }
        if let Some((own, _)) = self.code.at(pc).filter(|(own, _)| !same_code(insn, *own)) {
            found.add(OTHER_CODE, place(format!("the program has 0x{own:08x}")));
        }
        if let Some(b) = &self.before {
            let (length, flow, _) = class(b.insn, b.pc, self.xlen);
            let link = b.pc.wrapping_add(length);
            if b.trap || intr {
                if intr && !b.trap && pc == b.next {
                    found.add(NEEDLESS_INTR, place(String::new()));
                }
            } else if pc != b.next {
                let rule = match flow {
                    Flow::TrapReturn if b.next == link => MRET_LINK,
                    _ if calls_environment(b.insn) => TRAPPED,
                    _ => UNANNOUNCED,
                };
                found.add(rule, place(format!("expected 0x{:x}, after pc 0x{:x}", b.next, b.pc)));
            }
        }
        if trap {
            self.traps += 1;
        } else {
            self.retired += 1;
            self.traps += u64::from(intr);
            let (length, flow, target) = class(insn, pc, self.xlen);
            let link = pc.wrapping_add(length);
            let wrong = match flow {
                Flow::Sequential => next != link,
                Flow::Conditional { .. } => next != link && Some(next) != target,
                Flow::Jump { .. } => Some(next) != target,
                Flow::Indirect(_) | Flow::TrapReturn => false,
            };
            let short = length == 4 && next == pc.wrapping_add(2) && Some(next) != target;
            if short && matches!(flow, Flow::Sequential | Flow::Conditional { .. }) {
                found.add(EXPANDED, place(format!("pc_wdata 0x{next:x}")));
            } else if wrong {
                let rule = match flow {
                    Flow::Sequential if calls_environment(insn) => TRAPPED,
                    Flow::Sequential if zcm(insn).is_some() => ZCM,
                    Flow::Sequential => WRONG_NEXT,
                    _ => WRONG_TARGET,
                };
                found.add(rule, place(format!("pc_wdata 0x{next:x}")));
            }
        }
        self.before = Some(Before { pc, insn, next, trap });
    }

    fn counts(&self) -> (u64, u64, u64) {
        (self.records, self.retired, self.traps)
    }
}
