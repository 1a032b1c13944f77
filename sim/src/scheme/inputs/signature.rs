//! Signature of the retired state: a checksum over everything on a core's port, in a 32-bit feedback shift register
//!
//! Each datum, each retired control-flow instruction, each recorded trap and the stop add a word: the register shifts by
//! one, its last bit feeds back through the polynomial of CRC-32, and the word is added. Recorder and replay get the same
//! words in the same order, so both have the same signature. It is never cleared, so a difference persists. There is one word
//! per datum, so a circuit that takes an instruction per cycle makes at most four steps.
//!
//! # Source
//! R. David, "Signature analysis of multi-output circuits", FTCS 1984 (multiple-input signature registers).

use retire::{DataKind, FlowEvent};

/// CRC-32, reversed.
pub const POLYNOMIAL: u32 = 0xedb8_8320;

/// Value of the register after `word` is added.
#[inline]
pub fn step(value: u32, word: u32) -> u32 {
    let feedback = if value & 1 == 1 { POLYNOMIAL } else { 0 };
    value >> 1 ^ feedback ^ word
}

/// Signature of one core, and when its next check is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    value: u32,
    /// Instructions since the last check.
    since: u32,
    period: u32,
    /// Total number of instructions.
    pub instructions: u64,
}

impl Signature {
    /// State at the start; a check is due every 2^`log2` instructions.
    pub fn new(log2: u8) -> Self {
        Self { value: u32::MAX, since: 0, period: 1 << log2, instructions: 0 }
    }

    /// The current signature.
    pub fn value(&self) -> u32 {
        self.value
    }

    #[inline]
    fn add(&mut self, word: u32) {
        self.value = step(self.value, word);
    }

    /// Adds a datum.
    #[inline]
    pub fn data(&mut self, kind: &DataKind) {
        match *kind {
            DataKind::Load { addr, value, .. } | DataKind::Store { addr, value, .. } => self.pair(addr, value),
            DataKind::Register { rd, value } => self.wide(value as u32 ^ u32::from(rd) << 27, value >> 32),
            // bit 26 distinguishes them from integer registers
            DataKind::Float { rd, value } => self.wide(value as u32 ^ u32::from(rd) << 27 ^ 1 << 26, value >> 32),
            // the register that a CSR is read into is added instead
            DataKind::Csr { .. } | DataKind::Imported { .. } => {}
        }
    }

    /// Adds the word of the lower halves, and that of the upper halves if it is not 0.
    #[inline]
    fn wide(&mut self, lower: u32, upper: u64) {
        self.add(lower);
        if upper != 0 {
            self.add(upper as u32);
        }
    }

    /// Adds two numbers as one word, or as two.
    #[inline]
    fn pair(&mut self, a: u64, b: u64) {
        let word = |a: u64, b: u64| a as u32 ^ (b as u32).rotate_left(16);
        self.wide(word(a, b), word(a >> 32, b >> 32).into());
    }

    /// Adds a recorded trap, `instructions` after the last trap or check.
    pub fn trap(&mut self, instructions: u32, interrupt: bool, cause: u8) {
        self.add(instructions ^ u32::from(interrupt) << 31 ^ u32::from(cause) << 24);
    }

    /// Adds the stop, `instructions` after the last trap or check.
    pub fn stop(&mut self, instructions: u64) {
        self.add(instructions as u32);
    }

    /// Counts a retired instruction that is not an event.
    #[inline]
    pub fn retire(&mut self) {
        self.instructions += 1;
        self.since += 1;
    }

    /// Adds an event; returns whether a check is due after it. Only events that retire are followed by a check, since the
    /// instruction after any other event may wait for an input.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent) -> bool {
        self.instructions += u64::from(e.count);
        self.since += e.count;
        e.kind.retires() && self.flow(e.pc, e.target)
    }

    /// Adds a control-flow instruction at `pc` to `target` that is already counted; returns the same as [`Signature::event`].
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

    /// All ones: shifted 0x7fffffff, fed back 0x7fffffff ^ 0xedb88320 = 0x92477cdf, then the word 1 is added.
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
        assert_eq!(s.instructions, 1030);
    }

    /// 2 for f1 is 0x0c00_0002, added to 0x9247_7cdf; that is odd: 0x4f23_be6e ^ 0xedb8_8320, and the upper half added.
    #[test]
    fn float_registers_are_distinguished_and_add_their_upper_half() {
        let mut s = Signature::new(10);
        s.data(&DataKind::Float { rd: 1, value: 0x1_0000_0002 });
        assert_eq!(s.value(), 0xa29b_3d4f);
    }
}
