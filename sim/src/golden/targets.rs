//! Target predictor: return address stack, indirect branch target buffer, upper-address register
//!
//! # Source
//! Paper 000 section 5; upper address bits: paper 002 section 5.4, paper 001 section III.C.
//!
//! With `upper_bits` = 12, RAS and iBTB hold only the lower address bits, and a register the upper 12 of
//! the last indirect target. A target is predicted when its lower bits are and the register holds its
//! upper bits.

use super::ibtb::Ibtb;
use super::ras::Ras;
use crate::params::TraceParams;
use retire::isa::Indirect;

/// Predicts the targets of indirect branches.
#[derive(Clone, Debug)]
pub struct Targets {
    ras: Ras,
    ibtb: Ibtb,
    upper: u64,
    /// Lower bits of a byte address, those that RAS and iBTB hold.
    low_mask: u64,
}

impl Targets {
    /// In the reset state.
    pub fn new(params: &TraceParams) -> Self {
        let low = params.xlen - params.predictor.upper_bits;
        Self {
            ras: Ras::new(params.predictor.ras),
            ibtb: Ibtb::new(&params.predictor),
            upper: 0,
            low_mask: u64::MAX >> (64 - low),
        }
    }

    /// Back to the state after reset.
    pub fn reset(&mut self) {
        self.ras.reset();
        self.ibtb.reset();
        self.upper = 0;
    }

    /// A direct conditional retired.
    #[inline]
    pub fn conditional(&mut self, pc: u64, taken: bool) {
        self.ibtb.path(pc, taken);
    }

    /// A direct call retired; `link` is the address after it.
    #[inline]
    pub fn call(&mut self, link: u64) {
        self.ras.push(link & self.low_mask);
    }

    /// Predicted target of the indirect branch at `pc`; changes nothing.
    #[inline]
    pub fn predict(&self, kind: Indirect, pc: u64) -> Option<u64> {
        let low = match kind {
            Indirect::Return | Indirect::CoSwap => self.ras.peek(),
            Indirect::Jump | Indirect::Call => self.ibtb.predict(pc),
        };
        low.map(|low| low | self.upper)
    }

    /// The indirect branch at `pc` retired and went to `target`; `link` is the address after it.
    #[inline]
    pub fn update(&mut self, kind: Indirect, pc: u64, target: u64, link: u64) {
        let low = target & self.low_mask;
        self.upper = target & !self.low_mask;
        match kind {
            Indirect::Return => self.ras.pop(),
            Indirect::CoSwap => {
                self.ras.pop();
                self.ras.push(link & self.low_mask);
            }
            Indirect::Jump => self.ibtb.update(pc, low),
            Indirect::Call => {
                self.ibtb.update(pc, low);
                self.ras.push(link & self.low_mask);
            }
        }
    }

    /// A conditional indirect branch that was not taken enters the path.
    #[inline]
    pub fn not_taken(&mut self, pc: u64) {
        self.ibtb.path(pc, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Coding, PredictorParams};

    #[test]
    fn a_change_of_the_upper_bits_mispredicts_once() {
        let mut p = TraceParams::tr(PredictorParams::sizes(256, 8, 16), Coding::TR_E);
        p.predictor.upper_bits = 12;
        let mut t = Targets::new(&p);
        for link in [0x8000_0104, 0x0010_0104, 0x8000_0204, 0x8000_0304] {
            t.call(link);
        }
        let mut ret = |target| {
            let hit = t.predict(Indirect::Return, 0) == Some(target);
            t.update(Indirect::Return, 0, target, 0);
            hit
        };
        // the register starts at 0, learns 0x800, then 0x001, then 0x800 again
        assert_eq!(
            [ret(0x8000_0304), ret(0x8000_0204), ret(0x0010_0104), ret(0x8000_0104)],
            [false, true, false, false]
        );
    }

    #[test]
    fn a_co_swap_pops_before_it_pushes() {
        let mut t = Targets::new(&TraceParams::tr(PredictorParams::sizes(256, 8, 16), Coding::TR_E));
        t.call(0x100);
        assert_eq!(t.predict(Indirect::CoSwap, 0x200), Some(0x100));
        t.update(Indirect::CoSwap, 0x200, 0x100, 0x204);
        assert_eq!(t.predict(Indirect::Return, 0x100), Some(0x204));
        t.update(Indirect::Return, 0x100, 0x204, 0x104);
        assert_eq!(t.predict(Indirect::Return, 0), None);
    }
}
