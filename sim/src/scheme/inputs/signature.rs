//! The check of the retired state: a signature of all that a core's port shows, in a 32-bit feedback register
//!
//! Each datum, each retired control-flow instruction, each trap that is told and the end add a word: the register shifts by
//! one, its last bit feeds back over the polynomial of CRC-32, and the word is added. Recorder and replay are told the same
//! in the same order, so both have the same signature; it is never cleared, so that a difference stays. One word a datum:
//! so a circuit that takes an instruction a clock makes four steps at most.
//!
//! # Source
//! R. David, "Signature analysis of multi-output circuits", FTCS 1984 (multiple-input signature registers).

use retire::{DataKind, FlowEvent};

/// CRC-32, reversed.
pub const POLYNOMIAL: u32 = 0xedb8_8320;

/// The register behind a word.
#[inline]
pub fn step(value: u32, word: u32) -> u32 {
    let feedback = if value & 1 == 1 { POLYNOMIAL } else { 0 };
    value >> 1 ^ feedback ^ word
}

/// Signature of one core, and when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    value: u32,
    /// Instructions told since the last check.
    since: u32,
    period: u32,
    /// Instructions told in all.
    pub told: u64,
}

impl Signature {
    /// A check every 2^`log2` instructions.
    pub fn new(log2: u8) -> Self {
        Self { value: u32::MAX, since: 0, period: 1 << log2, told: 0 }
    }

    /// What it is now.
    pub fn value(&self) -> u32 {
        self.value
    }

    #[inline]
    fn add(&mut self, word: u32) {
        self.value = step(self.value, word);
    }

    /// A datum.
    #[inline]
    pub fn data(&mut self, kind: &DataKind) {
        match *kind {
            DataKind::Load { addr, value, .. } | DataKind::Store { addr, value, .. } => self.pair(addr, value),
            DataKind::Register { rd, value } => self.wide(value as u32 ^ u32::from(rd) << 27, value >> 32),
            // bit 26 tells them from integer registers
            DataKind::Float { rd, value } => self.wide(value as u32 ^ u32::from(rd) << 27 ^ 1 << 26, value >> 32),
            // of a CSR the register tells
            DataKind::Csr { .. } | DataKind::Imported { .. } => {}
        }
    }

    /// A word of lower halves; that of the upper halves is a word of its own where it is not 0.
    #[inline]
    fn wide(&mut self, lower: u32, upper: u64) {
        self.add(lower);
        if upper != 0 {
            self.add(upper as u32);
        }
    }

    /// Two numbers as one word, or two.
    #[inline]
    fn pair(&mut self, a: u64, b: u64) {
        let word = |a: u64, b: u64| a as u32 ^ (b as u32).rotate_left(16);
        self.wide(word(a, b), word(a >> 32, b >> 32).into());
    }

    /// A trap that is told, `instructions` behind the last trap or check.
    pub fn trap(&mut self, instructions: u32, interrupt: bool, cause: u8) {
        self.add(instructions ^ u32::from(interrupt) << 31 ^ u32::from(cause) << 24);
    }

    /// The end, `instructions` behind the last trap or check.
    pub fn stop(&mut self, instructions: u64) {
        self.add(instructions as u32);
    }

    /// An instruction that is no event retires.
    #[inline]
    pub fn retire(&mut self) {
        self.told += 1;
        self.since += 1;
    }

    /// An event; whether the state is to be checked behind it. Only behind one that retires: what another one stands
    /// before may wait for an input.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent) -> bool {
        self.told += u64::from(e.count);
        self.since += e.count;
        e.kind.retires() && self.flow(e.pc, e.target)
    }

    /// A control-flow instruction, counted already, is at `pc` and goes to `target`; as [`Signature::event`].
    #[inline]
    pub fn flow(&mut self, pc: u64, target: u64) -> bool {
        self.pair(pc, target);
        if self.since < self.period {
            return false;
        }
        self.since = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::FlowKind;

    /// All ones: shifted 0x7fffffff, fed back 0x7fffffff ^ 0xedb88320 = 0x92477cdf, and the word 1 added.
    #[test]
    fn one_step_worked_by_hand() {
        let mut s = Signature::new(10);
        s.data(&DataKind::Register { rd: 0, value: 1 });
        assert_eq!(s.value(), 0x9247_7cde);
        // even: shifted 0x4923be6f; 0x8000_0010 and 0x1234 at the upper half are 0x9234_0010
        s.data(&DataKind::Load { size: 4, addr: 0x8000_0010, value: 0x1234 });
        assert_eq!(s.value(), 0x4923_be6f ^ 0x9234_0010);
        let event = |count, kind| FlowEvent { hart: 0, kind, len: 4, count, pc: 0, target: 0, cycle: 0 };
        assert!(!s.event(&event(1023, FlowKind::Jump)));
        assert!(!s.event(&event(5, FlowKind::Stop)));
        assert!(s.event(&event(1, FlowKind::Jump)) && !s.event(&event(1, FlowKind::Jump)));
        assert_eq!(s.told, 1030);
    }

    /// 2 for f1 is 0x0c00_0002, added to 0x9247_7cdf; that is odd: 0x4f23_be6e ^ 0xedb8_8320, and the upper half added.
    #[test]
    fn a_float_register_is_told_apart_and_its_upper_half_is_a_word() {
        let mut s = Signature::new(10);
        s.data(&DataKind::Float { rd: 1, value: 0x1_0000_0002 });
        assert_eq!(s.value(), 0xa29b_3d4f);
    }
}
