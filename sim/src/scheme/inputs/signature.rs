//! The check of the retired state: a signature of all that a core's port shows, in a 32-bit feedback register
//!
//! Each datum and each control-flow event adds its words: the register shifts by one, its last bit feeds back over the
//! polynomial of CRC-32, and the word is added. Recorder and replay are told the same data in the same order, so both
//! have the same signature; it is never cleared, so that a difference stays.
//!
//! # Source
//! R. David, "Signature analysis of multi-output circuits", FTCS 1984 (multiple-input signature registers).

use retire::{DataKind, FlowEvent, FlowKind};

/// CRC-32, reversed.
const POLYNOMIAL: u32 = 0xedb8_8320;

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
        let feedback = if self.value & 1 == 1 { POLYNOMIAL } else { 0 };
        self.value = self.value >> 1 ^ feedback ^ word;
    }

    /// A number of up to 64 bits: its upper half is a word of its own where it is not 0.
    #[inline]
    fn add_wide(&mut self, value: u64, mark: u32) {
        self.add(value as u32 ^ mark);
        if value >> 32 != 0 {
            self.add((value >> 32) as u32);
        }
    }

    /// A datum.
    #[inline]
    pub fn data(&mut self, kind: &DataKind) {
        match *kind {
            DataKind::Load { addr, value, .. } | DataKind::Store { addr, value, .. } => {
                self.add_wide(addr, 0);
                self.add_wide(value, 0);
            }
            DataKind::Csr { value, .. } => self.add_wide(value, 0),
            DataKind::Register { rd, value } => self.add_wide(value, u32::from(rd) << 27),
            // bit 26 tells them from integer registers
            DataKind::Float { rd, value } => self.add_wide(value, u32::from(rd) << 27 | 1 << 26),
            DataKind::Imported { .. } => {}
        }
    }

    /// An event; whether the state is to be checked behind it. Only behind one that retires: what another one stands
    /// before may wait for an input.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent) -> bool {
        self.told += u64::from(e.count);
        self.since += e.count;
        match e.kind {
            // its cause and the number of instructions are nowhere else
            FlowKind::Trap { cause, .. } => self.add(e.count ^ u32::from(cause) << 24),
            FlowKind::Stop => self.add(e.count),
            _ => {}
        }
        self.add_wide(e.pc, 0);
        self.add_wide(e.target, 0);
        if self.since < self.period || !e.kind.retires() {
            return false;
        }
        self.since = 0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ones: shifted 0x7fffffff, fed back 0x7fffffff ^ 0xedb88320 = 0x92477cdf, and the word 1 added.
    #[test]
    fn one_step_worked_by_hand() {
        let mut s = Signature::new(10);
        s.data(&DataKind::Csr { csr: 0, value: 1 });
        assert_eq!(s.value(), 0x9247_7cde);
        let event = |count, kind| FlowEvent { hart: 0, kind, len: 4, count, pc: 0, target: 0, cycle: 0 };
        assert!(!s.event(&event(1023, FlowKind::Jump)));
        assert!(!s.event(&event(5, FlowKind::Stop)));
        assert!(s.event(&event(1, FlowKind::Jump)) && !s.event(&event(1, FlowKind::Jump)));
        assert_eq!(s.told, 1030);
    }
}
