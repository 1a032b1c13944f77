//! Return address stack for returns, indirect branch target buffer for all other indirect branches
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1.

use super::ibtb::{self, Ibtb};
use super::ras::Ras;
use super::{TargetPredictor, TargetSizes};
use crate::platform::ParamError;
use retire::isa::Indirect;

/// Sizes of the stack and the buffer; in the name of a set `RAS/iBTB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RasIbtbSizes {
    /// r: entries of the return address stack. 0, 8, 16 or 32.
    pub ras: u8,
    /// q: entries of the 2-way indirect branch target buffer. 0, 16, 32 or 64.
    pub ibtb: u8,
}

impl RasIbtbSizes {
    const RAS: &'static str = "0, 8, 16 or 32";
    const IBTB: &'static str = "0, 16, 32 or 64";

    /// Number of sets of the iBTB; 0 without an iBTB.
    pub const fn sets(&self) -> u32 {
        ibtb::sets(self.ibtb)
    }

    /// log2 of the number of iBTB sets, bits.
    pub const fn log2_sets(&self) -> u32 {
        ibtb::log2_sets(self.ibtb)
    }

    /// w: width of the PIR, bits; 0 without an iBTB.
    pub const fn pir_bits(&self) -> u32 {
        ibtb::pir_bits(self.ibtb)
    }
}

impl TargetSizes for RasIbtbSizes {
    type Model = RasIbtb;
    const BLOCKS: &'static [&'static str] = &["ras", "ibtb"];
    const EXAMPLES: &'static [&'static str] = &["0/0", "8/16", "32/64"];

    fn parse(text: &str) -> Option<Result<Self, ParamError>> {
        let (ras, ibtb) = text.split_once('/')?;
        let (ras, ibtb) = (ras.parse::<u16>().ok()?, ibtb.parse::<u16>().ok()?);
        let byte =
            |field, v: u16, right| u8::try_from(v).map_err(|_| ParamError::Range { field, value: v.into(), right });
        Some(byte("ras", ras, Self::RAS).and_then(|ras| Ok(Self { ras, ibtb: byte("ibtb", ibtb, Self::IBTB)? })))
    }

    fn name(&self) -> String {
        format!("{}/{}", self.ras, self.ibtb)
    }

    fn canonical(&self) -> String {
        format!("ras={} ibtb={}", self.ras, self.ibtb)
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(matches!(self.ras, 0 | 8 | 16 | 32), "ras", self.ras.into(), Self::RAS)?;
        ParamError::unless(matches!(self.ibtb, 0 | 16 | 32 | 64), "ibtb", self.ibtb.into(), Self::IBTB)
    }

    fn predicts(&self) -> bool {
        self.ras != 0 || self.ibtb != 0
    }

    fn state_bits(&self, bits: u32) -> u32 {
        // entries, pointer and count
        let ras = if self.ras == 0 { 0 } else { u32::from(self.ras) * bits + 2 * self.ras.trailing_zeros() + 1 };
        // per entry: target, 8 tag bits, valid; per set: LRU
        ras + u32::from(self.ibtb) * (bits + 9) + self.sets() + self.pir_bits()
    }

    fn clear_clocks(&self) -> u32 {
        match self.ibtb {
            // a stack is cleared after as many cycles as it has entries
            0 => self.ras.into(),
            // twice the maximum number of sets
            _ => 64,
        }
    }

    fn model(&self, pc_shift: u8) -> RasIbtb {
        RasIbtb { ras: Ras::new(self.ras), ibtb: Ibtb::new(self.ibtb, pc_shift) }
    }
}

/// Golden model of the stack and the buffer.
#[derive(Clone, Debug)]
pub struct RasIbtb {
    ras: Ras,
    ibtb: Ibtb,
}

impl TargetPredictor for RasIbtb {
    fn reset(&mut self) {
        self.ras.reset();
        self.ibtb.reset();
    }

    #[inline]
    fn conditional(&mut self, pc: u64, taken: bool) {
        self.ibtb.path(pc, taken);
    }

    #[inline]
    fn call(&mut self, link: u64) {
        self.ras.push(link);
    }

    #[inline]
    fn predict(&self, kind: Indirect, pc: u64) -> Option<u64> {
        match kind {
            Indirect::Return | Indirect::CoSwap => self.ras.peek(),
            Indirect::Jump | Indirect::Call => self.ibtb.predict(pc),
        }
    }

    #[inline]
    fn update(&mut self, kind: Indirect, pc: u64, target: u64, link: u64) {
        match kind {
            Indirect::Return => self.ras.pop(),
            Indirect::CoSwap => {
                self.ras.pop();
                self.ras.push(link);
            }
            Indirect::Jump => self.ibtb.update(pc, target),
            Indirect::Call => {
                self.ibtb.update(pc, target);
                self.ras.push(link);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_co_swap_pops_before_it_pushes() {
        let mut t = RasIbtbSizes { ras: 8, ibtb: 16 }.model(1);
        t.call(0x100);
        assert_eq!(t.predict(Indirect::CoSwap, 0x200), Some(0x100));
        t.update(Indirect::CoSwap, 0x200, 0x100, 0x204);
        assert_eq!(t.predict(Indirect::Return, 0x100), Some(0x204));
        t.update(Indirect::Return, 0x100, 0x204, 0x104);
        assert_eq!(t.predict(Indirect::Return, 0), None);
    }

    #[test]
    fn state_bits_are_those_worked_by_hand() {
        // 8 x 31 bits, 3-bit pointer, 4-bit count
        assert_eq!(RasIbtbSizes { ras: 8, ibtb: 0 }.state_bits(31), 248 + 7);
        // 16 entries of 31 + 8 + 1 bits, 8 LRU bits, an 11-bit PIR
        assert_eq!(RasIbtbSizes { ras: 16, ibtb: 16 }.state_bits(31), 16 * 31 + 9 + 16 * 40 + 8 + 11);
    }
}
