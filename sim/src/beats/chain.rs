//! PC chain: instructions and addresses, without targets and without traps
//!
//! Golden model of the ingress of that name. The address of the next instruction is the target of the one before. If the
//! previous instruction cannot have gone there, the next one is the first after a trap.

use super::Retired;
use retire::isa::{flow_with, Flow};

/// State of one core's chain; completes each instruction when the next one comes.
#[derive(Clone, Debug)]
pub struct Chain {
    xlen: u8,
    zcm: bool,
    held: Option<Retired>,
}

impl Chain {
    /// For addresses of `xlen` bits: 32 or 64.
    pub const fn new(xlen: u8) -> Self {
        Self { xlen, zcm: false, held: None }
    }

    /// Sets whether the core has Zcmp and Zcmt.
    #[must_use]
    pub const fn with_zcm(self, zcm: bool) -> Self {
        Self { zcm, ..self }
    }

    /// Takes the next retired instruction; returns the previous one, with its target and whether a trap preceded it.
    pub fn push(&mut self, next: &Retired) -> Option<Retired> {
        let trapped = self.held.is_some_and(|held| !self.follows(&held, next.pc));
        let held = self.held.replace(Retired { trapped, ..*next });
        held.map(|held| Retired { next_pc: next.pc, ..held })
    }

    /// Whether the core can go from `held` to `pc` without a trap.
    pub fn follows(&self, held: &Retired, pc: u64) -> bool {
        let mask = u64::MAX >> (64 - self.xlen);
        let at = |offset: i64| held.pc.wrapping_add_signed(offset) & mask == pc;
        match flow_with(held.insn, self.xlen, self.zcm) {
            Flow::Sequential => at(held.len.into()),
            Flow::Conditional { offset } => at(held.len.into()) || at(offset.into()),
            Flow::Jump { offset, .. } => at(offset.into()),
            Flow::Indirect(_) | Flow::TrapReturn => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retired(pc: u64, len: u8, insn: u32) -> Retired {
        Retired { cycle: 0, hart: 0, trapped: false, len, pc, next_pc: 0, insn }
    }

    /// Encodings from an assembler: c.nop, beq +8, c.j -4, c.jr ra.
    #[test]
    fn the_next_address_shows_targets_and_traps() {
        const NOP: u32 = 0x0001;
        const BEQ: u32 = 0x0000_0463;
        const J: u32 = 0xbff5;
        const RET: u32 = 0x8082;
        let reported = [
            retired(0x100, 2, NOP),
            retired(0x102, 4, BEQ), // taken
            retired(0x10a, 2, NOP), // a trap follows
            retired(0x200, 4, BEQ), // not taken
            retired(0x204, 2, RET), // anywhere
            retired(0x20e, 2, J),   // 0x20e - 4 = 0x20a
            retired(0x20a, 4, BEQ), // neither 0x20e nor 0x212
            retired(0x300, 2, J),   // not 0x2fc
            retired(0x302, 2, NOP),
            retired(0x304, 2, NOP),
        ];
        let mut chain = Chain::new(32);
        let known: Vec<_> =
            reported.iter().filter_map(|r| chain.push(r)).map(|r| (r.pc, r.next_pc, r.trapped)).collect();
        let traps = [0x200, 0x300, 0x302];
        let want: Vec<_> = reported.windows(2).map(|w| (w[0].pc, w[1].pc, traps.contains(&w[0].pc))).collect();
        assert_eq!(known, want);
    }
}
